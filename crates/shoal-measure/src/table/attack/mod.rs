//! Adversaries of a published table.
//!
//! - *Linkage*: whoever knows somebody's quasi-identifiers looks for the rows whose cells all cover them. The chance of picking
//!   the right one is 1 / their number; promised is 1/k, or one by the k that the person asked for.
//! - *Everybody known*: whoever knows everybody's quasi-identifiers excludes classes that others need (`matching`).
//! - *Guesses*: what the crowd says about each sensitive column, against what the policy promises about it (`rules`).
//! - *Classifier*: what the release teaches about everybody, and how much of it somebody's own class taught (`classifier`).
//! - *Several releases, all rows of a person*: which values all crowds together can give somebody (`releases`, `worlds`).
//!
//! **Cost**: a class and a point are compared by bits, 64 points at a time; everything else is linear in the pairs that fit.

mod classifier;
pub(crate) mod fits;
mod guessing;
mod linkage;
mod matching;
mod points;
mod releases;
mod rules;
mod values;
mod whose;
mod worlds;

use shoal_core::{MissingTexts, Progress, RawTable, Table, TablePromise};

use self::fits::Fits;
use self::guessing::Crowds;
use self::matching::{MOST_EDGES, Matched};
use self::points::Points;
use self::values::{NO_VALUE, Values};
use self::whose::Counting;
use crate::attack::{Attacks, BestGuess, PersonRisk};

/// What is attacked, and what the publisher knows about it, by which the success is measured.
#[derive(Clone, Copy, Debug)]
pub struct TableTarget<'a> {
    /// The original, with the policy's hierarchies.
    pub original: &'a Table,
    /// For each record of the original its row in the source, counted from 0.
    pub source_rows: &'a [u32],
    /// The published file.
    pub published: &'a RawTable,
    /// Earlier releases of the same people.
    pub earlier: &'a [RawTable],
    /// For each record whether its person is in the new release and in an earlier one, where that is known; otherwise anybody may be who fits.
    pub returning: Option<&'a [bool]>,
    /// What is promised.
    pub promise: &'a TablePromise,
    /// Whether the promise is about all rows of a person together.
    pub knows_all_rows: bool,
    /// The texts that stand for a missing value.
    pub missing: &'a MissingTexts,
    /// A record for each row, so that every row is true of its record; where such an assignment was found.
    pub origin: Option<&'a [u32]>,
    /// Whether every such assignment puts the same people into each class.
    pub people_are_certain: bool,
    /// Whether every such assignment gives the same people the same values.
    pub values_are_certain: bool,
}

/// Plays all adversaries.
///
/// ```
/// use shoal_core::{Column, Kind, MissingTexts, RawTable, Role, Silent, Table, TablePromise};
/// use shoal_measure::table::attack::{TableTarget, attack_table};
///
/// let rows = [["30"], ["31"], ["40"], ["41"]].map(Vec::from);
/// let raw = RawTable::from_rows(&["age"], &rows);
/// let age = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Integer, &[])?;
/// let original = Table { columns: vec![age], rows: 4 };
/// let beaten = |published: &[Vec<&str>]| {
///     let published = RawTable::from_rows(&["age"], published);
///     let target = TableTarget {
///         original: &original,
///         source_rows: &[0, 1, 2, 3],
///         published: &published,
///         earlier: &[],
///         returning: None,
///         promise: &TablePromise::crowds(2),
///         knows_all_rows: true,
///         missing: &MissingTexts::default(),
///         origin: None,
///         people_are_certain: false,
///         values_are_certain: true,
///     };
///     attack_table(&target, &Silent).beaten()
/// };
/// assert!(beaten(&rows));
/// assert!(!beaten(&[vec!["[30, 31]"], vec!["[30, 31]"], vec!["[40, 41]"], vec!["[40, 41]"]]));
/// # Ok::<(), shoal_core::dataset::BadValue>(())
/// ```
pub fn attack_table(target: &TableTarget<'_>, progress: &dyn Progress) -> Attacks {
    progress.stage("attacking", 0);
    let points = Points::of(target.original);
    let fits = Fits::find(target.original, &points, target.published, progress);
    let counting = Counting::of(target, &points, &fits);
    let columns = Values::of(target, &fits, &counting);
    let mut found = Attacks::default();
    found.notes.extend(untrue(target, &points, &fits));

    let crowds = linkage::crowds(&fits, &counting, &fits.classes);
    found.attacks.push(linkage::link(
        target,
        &points,
        &counting,
        &crowds,
        "linkage",
        "Whoever knows somebody's quasi-identifiers picks one of the rows that fit.",
    ));
    let alone = Crowds {
        target,
        points: &points,
        fits: &fits,
        counting: &counting,
        classes: &fits.classes,
        suffix: "",
    };
    let mut guesses = Vec::new();
    for values in &columns {
        progress.check();
        let (attacks, of_points) = alone.guess(values, progress);
        found.attacks.extend(attacks);
        guesses.push(of_points);
    }
    know_everybody(&alone, &columns, progress, &mut found);
    for values in &columns {
        classifier::classify(target, &points, &fits, values, progress, &mut found);
    }
    releases::put_together(&alone, progress, &mut found);
    found.not_tried.extend(not_tried(target, &columns, &counting));
    found.people = people(target, &points, &crowds, &columns, &guesses);
    found
}

/// Repeats linkage and guesses for somebody who knows everybody.
fn know_everybody(alone: &Crowds<'_>, columns: &[Values], progress: &dyn Progress, found: &mut Attacks) {
    let &Crowds { target, points, fits, counting, .. } = alone;
    let left = match matching::exclude(points, fits, progress) {
        Matched::Left(left) => left,
        Matched::NoAssignment => {
            found.notes.push(
                "rows cannot be given to people one to one: the file is not true of this original, or not of all of it"
                    .to_owned(),
            );
            return;
        }
        Matched::TooLarge => {
            found.not_tried.push(format!(
                "excluding candidates by whoever knows everybody: more than {MOST_EDGES} pairs of a person and a class that fit"
            ));
            return;
        }
    };
    if left == fits.classes {
        found
            .notes
            .push("whoever knows everybody's quasi-identifiers can exclude no class for anybody".to_owned());
        return;
    }
    let crowds = linkage::crowds(fits, counting, &left);
    found.attacks.push(linkage::link(
        target,
        points,
        counting,
        &crowds,
        "linkage, everybody known",
        "Whoever knows everybody's quasi-identifiers excludes rows that others must have, and picks one of the rest.",
    ));
    let together = Crowds { classes: &left, suffix: ", everybody known", ..*alone };
    for values in columns {
        found.attacks.extend(together.guess(values, progress).0);
    }
}

/// What speaks against the file's being a release of this original.
fn untrue(target: &TableTarget<'_>, points: &Points, fits: &Fits) -> Vec<String> {
    let mut notes = Vec::new();
    let nowhere: u64 = points
        .count
        .iter()
        .zip(&fits.classes)
        .filter(|(_, classes)| classes.is_empty())
        .map(|(&count, _)| u64::from(count))
        .sum();
    if nowhere > 0 {
        let left_out = target.original.rows.saturating_sub(target.published.rows);
        notes.push(format!(
            "{nowhere} of {} records fit no published row: they were left out ({left_out} rows fewer than records), or the file \
             is not true",
            target.original.rows
        ));
    }
    let mut fitted = vec![false; fits.rows.len()];
    fits.classes.iter().flatten().for_each(|&class| fitted[class as usize] = true);
    let nobodys: usize =
        fitted.iter().zip(&fits.rows).filter(|(fitted, _)| !**fitted).map(|(_, rows)| rows.len()).sum();
    if nobodys > 0 {
        notes.push(format!(
            "{nobodys} of {} published rows fit no record of the original",
            target.published.rows
        ));
    }
    if fits.unreadable > 0 {
        notes.push(format!(
            "{} published texts say nothing in terms of the original, and fit nobody",
            fits.unreadable
        ));
    }
    notes
}

fn not_tried(target: &TableTarget<'_>, columns: &[Values], counting: &Counting) -> Vec<String> {
    let mut not_tried = Vec::new();
    let distant = |rule: &shoal_core::Rule| matches!(rule, shoal_core::Rule::Close { distance, .. } if *distance != shoal_core::Distance::Equal);
    for values in columns {
        if values.rules.iter().any(distant) {
            not_tried.push(format!(
                "t-closeness of `{}`: with a distance between values it bounds no chance; the best guess is shown without a bound",
                values.name
            ));
        }
        if counting.is_unsure(target) && !values.rules.is_empty() {
            not_tried.push(format!(
                "promises about `{}`: they count people, and rows of the file could be several people's; with the release's \
                 audit.json as --policy it may be known who is in each class",
                values.name
            ));
        }
    }
    not_tried.push(
        "an adversary who knows how the algorithm decides, and where it would have decided otherwise (privacy.transparent is the \
         answer to that one)"
            .to_owned(),
    );
    let insensitive = target.original.of_role(shoal_core::Role::Insensitive).count();
    if insensitive > 0 {
        not_tried.push("linkage by insensitive columns: the policy says that nobody knows them".to_owned());
    }
    not_tried
}

fn people(
    target: &TableTarget<'_>,
    points: &Points,
    crowds: &[u64],
    columns: &[Values],
    guesses: &[Vec<guessing::PointGuess>],
) -> Vec<PersonRisk> {
    let risk = |(record, &point): (usize, &u32)| {
        let guesses = columns.iter().zip(guesses).filter_map(|(values, guesses)| {
            let (value, probability) = guesses[point as usize].filter(|_| values.own[record] != NO_VALUE)?;
            let (column, value) = (values.name.clone(), values.labels[value as usize].clone());
            Some(BestGuess { column, value, probability })
        });
        PersonRisk {
            record: target.source_rows[record],
            crowd: crowds[point as usize],
            guesses: guesses.collect(),
        }
    };
    let mut people: Vec<PersonRisk> = points.of_record.iter().enumerate().map(risk).collect();
    people.sort_by_key(|risk| risk.record);
    people
}
