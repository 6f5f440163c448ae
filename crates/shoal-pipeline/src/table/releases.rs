//! Releases of the same people, compared with each other.
//!
//! Two releases that keep a promise each may break it together: whoever has both and knows where somebody is in
//! each may intersect what is possible. So `audit.json` remembers, by keyed hashes, who is in which class, and what a class
//! publishes. A new release is looked at together with all earlier ones that are given:
//!
//! - **The crowd**: everybody who is in all releases that a person is in, and whose quasi-identifiers fit the person's class in
//!   each of them. At least k.
//! - **The candidates for a sensitive value**: what is in the person's class in every release, as often as in the one where it
//!   occurs least often. As mixed as l-diversity asks. Somebody whose own value is not among them has another value
//!   than before, and the comparison leads nowhere.
//!
//! Every promise counts that was made to a person, the earlier ones too. Those who cannot be distinguished (equal quasi-identifiers
//! where there is no name, several records of one person) are looked at together: all their classes are possible.

mod applied;
mod candidates;
mod identity;
mod membership;
mod regions;
mod reuse;
mod verdict;

use std::collections::HashMap;

use shoal_core::policy::Shape;
use shoal_core::{Policy, PublishedValue, RawTable, Table};
use shoal_measure::leaks::look;

use crate::audit::{ClassFile, Key, PERSON};
use crate::earlier::EarlierReleases;
use crate::leaks::{earlier_release, nobody_recognized};
use crate::{Audit, Leak, PipelineError, Request};

pub(crate) use applied::Applied;
use candidates::{Candidates, Seen};
pub(crate) use identity::{Identity, people};
pub(crate) use membership::membership;
pub(crate) use reuse::Kept;
use reuse::Places;
pub use verdict::{ColumnTogether, Together};

/// A release that is about to be published.
pub(crate) struct Current<'a> {
    pub request: &'a Request,
    /// The original as it was read.
    pub raw: &'a RawTable,
    /// The original in codes.
    pub original: &'a Table,
    /// For each published row its original.
    pub origin: &'a [u32],
    /// For each published row its class.
    pub class_of: &'a [u32],
    /// What each class publishes.
    pub classes: &'a [ClassFile],
}

impl EarlierReleases {
    /// What they mean for a new release of a table, whose bytes have this SHA-256. An error where a promise breaks.
    pub(crate) fn leaks(&self, current: &Current<'_>, sha256: &str) -> Result<Vec<Leak>, PipelineError> {
        let mut leaks = Vec::new();
        if !self.previous.is_empty() {
            leaks.extend(compare_with(current, &self.previous)?);
        }
        // The same bytes again are the same release, and one that was given has been looked at.
        let is_news = |audit: &&Audit| {
            let given = self.previous.iter().any(|previous| previous.is_same_release(audit));
            audit.output_sha256 != sha256 && !given
        };
        if let Some(audit) = self.replaced.as_ref().filter(is_news)
            && let Some(people) = in_common(current, audit).filter(|&people| people > 0)
        {
            leaks.push(earlier_release(Shape::Table, true).counted(people));
        }
        Ok(leaks)
    }
}

/// Looks at a new release together with earlier ones. Where a promise breaks, the release is refused; otherwise what was
/// found is reported.
fn compare_with(current: &Current<'_>, previous: &[Audit]) -> Result<Vec<Leak>, PipelineError> {
    let people = Identity::of(current.request, current.raw);
    let mut seen = vec![Seen::now(current, &people)];
    for audit in previous {
        seen.push(Seen::earlier(current, &people, audit)?);
    }
    let knows_nobody = |seen: &&Seen| seen.classes_of.iter().all(Vec::is_empty);
    let strangers = seen[1..].iter().filter(knows_nobody).count();
    let found = Candidates::new(current, &people, &seen).judge(previous);
    if found.breaks() {
        return Err(PipelineError::Releases { found: Box::new(found), releases: previous.len() });
    }
    let leaks = [found.leak(previous.len()), absent(found.absent), nobody_recognized(strangers)];
    Ok(leaks.into_iter().flatten().collect())
}

/// What it means that people are gone who are fewer than k in their class or cluster, where that is allowed.
pub(crate) fn absent(people: usize) -> Option<Leak> {
    let text = format!(
        "{people} people of earlier releases are not in this one and are fewer than k among those with whom they were: whoever knows that somebody is gone may find what \
         they had by comparing the releases"
    );
    (people > 0).then(|| Leak::new("absent-people", text).counted(people))
}

/// How many people of the new release an earlier one knows, too; `None` where that cannot be known.
fn in_common(current: &Current<'_>, audit: &Audit) -> Option<usize> {
    let people = Identity::of(current.request, current.raw);
    let seen = Seen::earlier(current, &people, audit).ok()?;
    Some(seen.classes_of.iter().filter(|classes| !classes.is_empty()).count())
}

/// What a class of a release says, in terms of the new original.
pub(super) struct Class {
    /// The cells by quasi-identifier of the new original; none where they cannot be read in its terms.
    cells: Option<Vec<PublishedValue>>,
    /// By sensitive column, how often each value occurs in it.
    values: HashMap<String, HashMap<String, u32>>,
}

impl Class {
    fn of(file: &ClassFile, quasi: &[String], original: &Table) -> Class {
        let columns = original.quasi_identifiers();
        let cell = |column: &&shoal_core::Column| {
            let at = quasi.iter().position(|name| *name == column.name)?;
            PublishedValue::parse(file.cells.get(at)?, &column.domain, column.hierarchy.as_ref()).ok()
        };
        // Other columns than now: what the class covers is not known, only who is in it.
        let same = columns.len() == quasi.len();
        let cells = same.then(|| columns.iter().map(cell).collect::<Option<Vec<_>>>()).flatten();
        // Values that look alike count as one, as they do where diversity is verified.
        let fold = |values: &indexmap::IndexMap<String, u32>| {
            let mut folded: HashMap<String, u32> = HashMap::new();
            values.iter().for_each(|(text, count)| *folded.entry(look(text)).or_default() += count);
            folded
        };
        Class {
            cells,
            values: file.values.iter().map(|(column, values)| (column.clone(), fold(values))).collect(),
        }
    }

    /// Whether a record of the new original may be in the class, by its quasi-identifiers.
    fn covers(&self, original: &Table, row: usize) -> bool {
        let Some(cells) = &self.cells else { return false };
        original
            .quasi_identifiers()
            .iter()
            .zip(cells)
            .all(|(column, cell)| cell.covers(column.codes[row], &column.domain, column.hierarchy.as_ref()))
    }
}

/// Of each record whether its person is in one of the earlier releases, and in the new one as far as `now` knows.
pub(crate) fn returning(
    request: &Request,
    raw: &RawTable,
    previous: &[&Audit],
    now: Option<&Audit>,
) -> Result<Vec<bool>, PipelineError> {
    let rows: Vec<u32> = (0..raw.rows as u32).collect();
    let is_in = |audit: &Audit| -> Result<Vec<bool>, PipelineError> {
        let Places { class_of, more_of, .. } = Places::of(request, raw, audit, &rows)?;
        Ok(class_of.iter().zip(more_of).map(|(class, more)| class.is_some() || more.is_some()).collect())
    };
    let mut returning = vec![false; raw.rows];
    for audit in previous {
        returning.iter_mut().zip(is_in(audit)?).for_each(|(returning, was)| *returning |= was);
    }
    if let Some(audit) = now {
        returning.iter_mut().zip(is_in(audit)?).for_each(|(returning, is)| *returning &= is);
    }
    Ok(returning)
}

/// The keyed hash of somebody's identity, as an audit remembers it.
pub(crate) fn person_hash(key: &Key, identity: &str) -> String {
    key.hash(PERSON, identity.as_bytes())[..32].to_owned()
}

fn incomparable(audit: &Audit, problem: impl Into<String>) -> PipelineError {
    PipelineError::Incomparable { output: audit.output.clone(), problem: problem.into() }
}

fn unknown_people(audit: &Audit, known_by: &[String]) -> PipelineError {
    let columns = known_by.join(", ");
    incomparable(audit, format!("it knows people by {columns}, which the new source does not have"))
}

/// People who are known by numbers are recognized by how these are written, and columns that are published as two are read in
/// another notation than others: then two releases could hold the same people and nobody would notice.
fn check_notation(request: &Request, audit: &Audit, known_by: &[String]) -> Result<(), PipelineError> {
    let is_split = |policy: &Policy, column: &str| policy.range_columns().any(|(name, _)| name == column);
    let differs = |column: &&String| is_split(request.policy(), column) != is_split(&audit.policy, column);
    match known_by.iter().find(differs) {
        Some(column) => Err(incomparable(
            audit,
            format!(
                "it knows people by `{column}`, and one of the two has  ranges = \"columns\"  for it, the other has not"
            ),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use indexmap::IndexMap;
    use shoal_core::{PolicyDocument, Silent};

    use super::*;
    use crate::audit::AuditPlaces;
    use crate::table::load::{Loaded, load_from};
    use crate::{Assets, BatchSink, BatchSource};

    const POLICY: &str = r#"
        version = 1
        data.shape = "table"
        columns.name = { role = "identifier" }
        columns.age = { role = "quasi-identifier", kind = "integer" }
        columns.illness = { role = "sensitive" }
        privacy = { k = 2, l-diversity = { kind = "distinct", l = 2 } }
    "#;

    fn source(people: &[(&str, i64, &str)]) -> BatchSource {
        let texts = |at: fn(&(&str, i64, &str)) -> String| {
            let column: arrow_array::StringArray = people.iter().map(|person| Some(at(person))).collect();
            std::sync::Arc::new(column) as arrow_array::ArrayRef
        };
        let columns = [
            ("name", texts(|person| person.0.to_owned())),
            ("age", texts(|person| person.1.to_string())),
            ("illness", texts(|person| person.2.to_owned())),
        ];
        BatchSource::new("people", vec![arrow_array::RecordBatch::try_from_iter(columns).unwrap()])
    }

    const FIRST: [(&str, i64, &str); 4] =
        [("ann", 20, "flu"), ("bob", 20, "cold"), ("cid", 50, "flu"), ("dot", 50, "cold")];
    const NEW: [(&str, i64, &str); 2] = [("eva", 20, "flu"), ("fay", 20, "cold")];

    /// What each class of the second release says about ages.
    const CELLS: [&str; 3] = ["20", "50", "[20, 50]"];

    /// What is said about a second release in which everybody of these is in the class of this number.
    fn judge(
        people: &[(&str, i64, &str)],
        class_of: &dyn Fn(&str) -> Option<u32>,
        applied: bool,
    ) -> Result<Vec<Leak>, String> {
        let document = PolicyDocument::parse(POLICY, &[]).unwrap();
        let first = Request::new(document, Assets::default()).unwrap();
        let release = crate::run(&first, &mut source(&FIRST), &mut BatchSink, &Silent).unwrap();
        let text = serde_json::to_string(&release.audit(&first, AuditPlaces::default())).unwrap();
        let previous = vec![Audit::parse(Path::new("audit.json"), &text).unwrap()];
        let request =
            first.clone().with_earlier(EarlierReleases { previous, applied, ..EarlierReleases::default() });
        let Loaded { read, bound, .. } = load_from(&request, &mut source(people), &Silent).unwrap();
        let (mut origin, mut classes_of) = (Vec::new(), Vec::new());
        let mut classes: Vec<ClassFile> = Vec::new();
        for row in 0..read.table.rows {
            let text = |column: &str| read.table.column(column).unwrap().text(row).to_owned();
            let Some(class) = class_of(&text("name")) else { continue };
            while classes.len() <= class as usize {
                let values = IndexMap::from([("illness".to_owned(), IndexMap::new())]);
                let cells = vec![CELLS[classes.len()].to_owned()];
                classes.push(ClassFile { cells, size: 0, values, people: Vec::new() });
            }
            let file = &mut classes[class as usize];
            file.size += 1;
            *file.values["illness"].entry(text("illness")).or_insert(0) += 1;
            origin.push(row as u32);
            classes_of.push(class);
        }
        let current = Current {
            request: &request,
            raw: &read.table,
            original: &bound.table,
            origin: &origin,
            class_of: &classes_of,
            classes: &classes,
        };
        request.earlier.leaks(&current, "other bytes").map_err(|error| error.to_string())
    }

    #[test]
    fn a_newcomer_who_is_moved_into_an_old_class_is_noticed() {
        let grown = [&FIRST[..], &NEW[..]].concat();
        let old = |name: &str| u32::from(matches!(name, "cid" | "dot"));
        // Two newcomers beside the two who were there are a crowd by themselves, with two illnesses.
        assert!(judge(&grown, &|name| Some(old(name)), false).is_ok());
        // One of each age, in a class of their own: so are these.
        let mixed = [&FIRST[..], &[("eva", 20, "flu"), ("fay", 50, "cold")]].concat();
        let own = |name: &str| Some(if matches!(name, "eva" | "fay") { 2 } else { old(name) });
        assert!(judge(&mixed, &own, false).is_ok());
        // Each moves to those of the same age: the only newcomer there, when everybody else is struck out.
        let moved = |name: &str| Some(if name == "fay" { 1 } else { old(name) });
        let said = judge(&mixed, &moved, false).unwrap_err();
        assert!(said.contains("2 of 6 people are left in crowds below 2, the smallest of 1"), "{said}");
        // A single newcomer has nobody to hide among.
        let said = judge(&grown[..5], &|name| Some(old(name)), false).unwrap_err();
        assert!(said.contains("1 of 5 people"), "{said}");
    }

    #[test]
    fn newcomers_with_one_illness_are_noticed() {
        let grown = [&FIRST[..], &[("eva", 20, "flu"), ("fay", 20, "flu")]].concat();
        // The class has two illnesses; what is not of those who were there is flu.
        let old = |name: &str| Some(u32::from(matches!(name, "cid" | "dot")));
        let said = judge(&grown, &old, false).unwrap_err();
        assert!(said.contains("too few possible values of `illness`"), "{said}");
    }

    #[test]
    fn one_who_is_gone_is_noticed_where_a_recoding_is_applied() {
        let first = [&FIRST[..], &NEW[..]].concat();
        let old = |name: &str| Some(u32::from(matches!(name, "cid" | "dot")));
        assert!(judge(&first, &old, true).is_ok());
        // Bob is gone, and Ann is still there: the difference is what Bob had. The one who is left is no crowd either.
        let without: Vec<_> = first.iter().copied().filter(|person| person.0 != "bob").collect();
        let said = judge(&without, &old, true).unwrap_err();
        assert!(said.contains("1 people are gone who are fewer than 2"), "{said}");
        // Nobody of the class is published: then there is no difference to look at.
        let nobody = |name: &str| old(name).filter(|_| name != "ann");
        assert!(judge(&without, &nobody, true).is_ok());
    }
}
