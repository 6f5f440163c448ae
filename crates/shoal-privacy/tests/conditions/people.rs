//! Promises that count people, against a second verifier that knows nothing but texts: it goes through everybody and
//! their values, and for l-diversity through every choice of one value for each person.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shoal_core::{Distance, Distribution, Kind, Likeness, RawTable, Role, Rule, Table};
use shoal_privacy::{
    KAnonymity, OfPeople, RecordOrder, Refusal, TableClaim, TableFindings, TableModel, Unverifiable,
    judge_table, verify_table_file,
};

use crate::file::{self, Column as Sensitive, ILLNESSES, ZIPS, models, models_against, rules};

/// A release in texts; every published row comes from the original one at its place.
#[derive(Clone, Debug)]
struct Release {
    k: u32,
    /// Who it is, `zip`, `illness`, `visits` and the k that is asked for.
    original: Vec<[String; 5]>,
    /// What is published of `zip`.
    zips: Vec<String>,
}

fn releases() -> impl Strategy<Value = Release> {
    (1..=8_usize, 1..=8_usize, 1..=9_usize, 2..4_u32, prop::bool::weighted(0.2)).prop_flat_map(
        |(illnesses, visits, people, k, wishes)| {
            let row = (0..people, 0..3_usize, 0..illnesses, 0..visits, 1..5_u32, any::<bool>());
            prop::collection::vec(row, 1..=16).prop_map(move |rows| {
                let text =
                    |&(who, zip, illness, visits, wish, _): &(usize, usize, usize, usize, u32, bool)| {
                        let wish = if wishes { wish } else { 1 };
                        [
                            format!("p{who}"),
                            ZIPS[zip].to_owned(),
                            ILLNESSES[illness].to_owned(),
                            file::VISITS[visits].to_owned(),
                            wish.to_string(),
                        ]
                    };
                let original: Vec<[String; 5]> = rows.iter().map(text).collect();
                let zips = original
                    .iter()
                    .zip(&rows)
                    .map(|(row, hide)| if hide.5 { "*".into() } else { row[1].clone() });
                Release { k, zips: zips.collect(), original }
            })
        },
    )
}

fn original(rows: &[[String; 5]]) -> Table {
    let columns = [
        ("who", Role::Identifier, Kind::Text),
        ("zip", Role::QuasiIdentifier, Kind::Text),
        ("illness", Role::Sensitive, Kind::Text),
        ("visits", Role::Sensitive, Kind::Integer),
        ("wish", Role::PersonalK, Kind::Integer),
    ];
    file::original(columns, rows)
}

fn published(release: &Release) -> RawTable {
    let rows: Vec<Vec<&str>> = release
        .original
        .iter()
        .zip(&release.zips)
        .map(|(row, zip)| vec![zip.as_str(), row[2].as_str(), row[3].as_str()])
        .collect();
    RawTable::from_rows(&file::NAMES, &rows)
}

fn of_people(k: u32, rules: &[(Sensitive, Rule)]) -> Vec<Box<dyn TableModel>> {
    wrapped(k, models(rules))
}

fn wrapped(k: u32, conditions: Vec<Box<dyn TableModel>>) -> Vec<Box<dyn TableModel>> {
    let k: Box<dyn TableModel> = Box::new(KAnonymity::new(k).unwrap());
    let all = std::iter::once(k).chain(conditions);
    all.map(|model| Box::new(OfPeople::new(model, "who")) as Box<dyn TableModel>).collect()
}

fn verify(release: &Release, rules: &[(Sensitive, Rule)]) -> Result<TableFindings, Refusal> {
    judge(release, &of_people(release.k, rules))
}

fn judge(release: &Release, models: &[Box<dyn TableModel>]) -> Result<TableFindings, Refusal> {
    let origin: Vec<u32> = (0..release.original.len() as u32).collect();
    let claim = TableClaim {
        original: &original(&release.original),
        origin: &origin,
        left_out: 0,
        suppression: None,
        order: RecordOrder::Input,
    };
    judge_table(&published(release), claim, models, &shoal_core::Silent)
}

/// How many of everybody have each value.
fn everybody(column: Sensitive, all: &[&[String; 5]]) -> Option<Distribution> {
    let mut having: BTreeMap<String, (String, BTreeSet<&str>)> = BTreeMap::new();
    for row in all {
        let text = &row[column as usize + 1];
        let Some(value) = column.meaning(text) else { continue };
        let of_value = having.entry(value).or_insert_with(|| (text.clone(), BTreeSet::new()));
        of_value.1.insert(&row[0]);
    }
    let people: BTreeSet<&str> = having.values().flat_map(|(_, people)| people.iter().copied()).collect();
    let counts = having.iter().map(|(_, (text, people))| (text.clone(), people.len() as u32));
    Distribution::of_people(counts, people.len() as u64)
}

/// The second verifier.
fn holds(release: &Release, rules: &[(Sensitive, Rule)]) -> bool {
    let all: Vec<&[String; 5]> = release.original.iter().collect();
    holds_among(release, rules, &all)
}

/// What a class publishes, and the rows of its people: what each publishes, and whether it has a value.
type Place<'a> = (&'a String, Vec<(&'a String, bool)>);

/// All rows of a person are known: a class has the people whose rows are in the same places as well, and, where it is about a
/// column, have a value there.
fn classes(release: &Release, column: Option<Sensitive>) -> BTreeMap<Place<'_>, Vec<&[String; 5]>> {
    let rows = || release.original.iter().zip(&release.zips);
    let has_value =
        |row: &[String; 5]| column.is_some_and(|column| column.meaning(&row[column as usize + 1]).is_some());
    let mut classes = BTreeMap::<_, Vec<&[String; 5]>>::new();
    for (row, zip) in rows() {
        let own = rows().filter(|(other, _)| other[0] == row[0]);
        let mut places: Vec<(&String, bool)> = own.map(|(own, zip)| (zip, has_value(own))).collect();
        places.sort_unstable();
        classes.entry((zip, places)).or_default().push(row);
    }
    classes
}

/// The same where these are everybody.
fn holds_among(release: &Release, rules: &[(Sensitive, Rule)], all: &[&[String; 5]]) -> bool {
    let crowds = classes(release, None).into_values().all(|class| {
        let crowd: BTreeSet<&str> = class.iter().map(|row| row[0].as_str()).collect();
        let asked = class.iter().map(|row| row[4].parse::<usize>().unwrap()).max().unwrap();
        crowd.len() >= asked.max(release.k as usize)
    });
    crowds
        && rules.iter().all(|&(column, rule)| {
            let mut classes = classes(release, Some(column)).into_values();
            classes.all(|class| follows(column, rule, &people(column, &class), &people(column, all)))
        })
}

/// Those who have a value, with all that they have.
type People = BTreeMap<String, BTreeSet<String>>;

/// `file::Column` counts from the quasi-identifier, which stands in the second place here.
fn people(column: Sensitive, rows: &[&[String; 5]]) -> People {
    let mut people = People::new();
    for row in rows {
        let Some(value) = column.meaning(&row[column as usize + 1]) else { continue };
        people.entry(row[0].clone()).or_default().insert(value);
    }
    people
}

const NEAR: f64 = 1e-9;

fn follows(column: Sensitive, rule: Rule, class: &People, all: &People) -> bool {
    let values: BTreeSet<&String> = all.values().flatten().collect();
    let having = |people: &People, value: &str| people.values().filter(|own| own.contains(value)).count();
    let share = |people: &People, value: &str| having(people, value) as f64 / people.len() as f64;
    match rule {
        _ if class.is_empty() => true,
        Rule::Alike(likeness) => values.iter().all(|value| {
            let (q, p) = (share(class, value), share(all, value));
            let most = match likeness {
                Likeness::Basic(beta) => beta,
                Likeness::Enhanced(beta) => beta.min((1.0 / p).ln()),
            };
            q <= p * (1.0 + most) + NEAR
        }),
        Rule::Close { t, distance } => {
            // With the equal distance only; the others are compared where everybody has one value.
            assert_eq!(distance, Distance::Equal);
            let [own, whole] = [class, all]
                .map(|people| people.values().map(BTreeSet::len).sum::<usize>() as f64 / people.len() as f64);
            let apart = |value: &&String| (share(class, value) / own - share(all, value) / whole).abs() / 2.0;
            whole * values.iter().map(apart).sum::<f64>() + (own - whole).max(0.0) <= t + NEAR
        }
        _ => {
            let _ = column;
            let mut counts: Vec<usize> = values.iter().map(|value| having(class, value)).collect();
            counts.sort_by(|one, two| two.cmp(one));
            let mut left = class.len();
            counts.iter_mut().for_each(|count| {
                *count = left.min(*count);
                left -= *count;
            });
            is_diverse(rule, counts)
        }
    }
}

fn is_diverse(rule: Rule, mut counts: Vec<usize>) -> bool {
    counts.retain(|&count| count > 0);
    counts.sort_by(|one, two| two.cmp(one));
    let all: usize = counts.iter().sum();
    match rule {
        Rule::Distinct { l } => counts.len() >= l,
        Rule::Frequency { l } => counts[0] * l <= all,
        Rule::Entropy { l } => {
            let entropy: f64 = counts.iter().map(|&n| n as f64 / all as f64).map(|q| -q * q.log2()).sum();
            entropy > l.log2() - NEAR
        }
        Rule::Recursive { l, c } => {
            (counts[0] as f64) < c * counts.iter().skip(l - 1).sum::<usize>() as f64 - NEAR
        }
        other => panic!("{other:?} is not asked of one value each"),
    }
}

/// Whether l-diversity holds whichever of their values each person of a class is looked at with; `None` where there are
/// too many ways.
fn in_every_choice(release: &Release, column: Sensitive, rule: Rule) -> Option<bool> {
    let mut every = true;
    for rows in classes(release, Some(column)).values() {
        let class = people(column, rows);
        let mut choices: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new()];
        for own in class.values() {
            let more = choices.iter().flat_map(|chosen| {
                own.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    *chosen.entry(value.as_str()).or_default() += 1;
                    chosen
                })
            });
            choices = more.collect();
            if choices.len() > 2000 {
                return None;
            }
        }
        every &= class.is_empty()
            || choices.into_iter().all(|chosen| is_diverse(rule, chosen.into_values().collect()));
    }
    Some(every)
}

/// Rules for which the twin has a definition of its own.
fn people_rules() -> impl Strategy<Value = (Sensitive, Rule)> {
    rules().prop_filter("a distance that needs no place", |(_, rule)| {
        !matches!(rule, Rule::Close { distance: Distance::Ordered | Distance::Hierarchical, .. })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn people_are_counted_as_the_twin_counts_them(
        release in releases(),
        asked in prop::collection::vec(people_rules(), 0..3),
    ) {
        match verify(&release, &asked) {
            Ok(verified) => {
                prop_assert!(holds(&release, &asked));
                prop_assert!(verified.people().unwrap().sizes().iter().all(|&size| size >= release.k));
                for &(column, rule) in &asked {
                    if matches!(rule, Rule::Distinct { .. } | Rule::Entropy { .. } | Rule::Recursive { .. }) {
                        prop_assert_ne!(in_every_choice(&release, column, rule), Some(false), "{:?}", rule);
                    }
                }
            }
            Err(Refusal::BrokenTable { .. }) => prop_assert!(!holds(&release, &asked)),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    #[test]
    fn a_part_is_compared_with_everybody_as_the_twin_does(
        release in releases(),
        others in releases(),
        asked in prop::collection::vec(people_rules(), 1..3),
    ) {
        let others: Vec<[String; 5]> = others.original.into_iter().map(|mut row| {
            row[0].insert(0, 'o');
            row
        }).collect();
        let all: Vec<&[String; 5]> = release.original.iter().chain(&others).collect();
        let models = models_against(&asked, &|column| everybody(column, &all));
        let found = judge(&release, &wrapped(release.k, models));
        match found {
            Ok(_) => prop_assert!(holds_among(&release, &asked, &all)),
            Err(Refusal::BrokenTable { .. }) => prop_assert!(!holds_among(&release, &asked, &all)),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
        // Records are not what people are compared with.
        let records = models_against(&asked, &|_| Distribution::new(ILLNESSES.map(|text| (text.to_owned(), 9))));
        let refused = judge(&release, &wrapped(release.k, records)).err();
        let is_other = matches!(refused, Some(Refusal::Unverifiable(Unverifiable::OtherMembers { .. })));
        prop_assert!(is_other, "{refused:?}");
    }

    /// One published cell, or one record's person, is changed.
    #[test]
    fn mutations_are_noticed_exactly_when_they_matter(
        release in releases(),
        asked in prop::collection::vec(people_rules(), 0..3),
        at in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let (one, two) = (at.0.index(release.original.len()), at.1.index(release.original.len()));
        let mut hidden = release.clone();
        hidden.zips[one] = "*".to_owned();
        prop_assert_eq!(verify(&hidden, &asked).is_ok(), holds(&hidden, &asked));
        let mut shared = release;
        shared.original[one][0] = shared.original[two][0].clone();
        prop_assert_eq!(verify(&shared, &asked).is_ok(), holds(&shared, &asked));
    }

    /// With a person for each record every promise is what it is without people, ordered and hierarchical distances
    /// included.
    #[test]
    fn one_record_each_is_as_without_people(
        mut release in releases(),
        asked in prop::collection::vec(rules(), 1..3),
    ) {
        for (at, row) in release.original.iter_mut().enumerate() {
            row[0] = format!("p{at}");
            row[4] = "1".to_owned();
        }
        let file = published(&release);
        let roles = [("zip", Role::QuasiIdentifier), ("illness", Role::Sensitive), ("visits", Role::Sensitive)];
        let k: Box<dyn TableModel> = Box::new(KAnonymity::new(release.k).unwrap());
        let of_records: Vec<Box<dyn TableModel>> = std::iter::once(k).chain(models(&asked)).collect();
        let verdict = verify_table_file(&file, &roles, &of_records, &shoal_core::Silent).unwrap();
        match verify(&release, &asked) {
            Ok(verified) => {
                prop_assert!(verdict.holds());
                prop_assert_eq!(&verified.findings().promises()[..verdict.promises.len()], &verdict.promises[..]);
            }
            Err(Refusal::BrokenTable { broken, .. }) => {
                prop_assert!(!verdict.holds());
                let found = |broken: &[shoal_privacy::BrokenPromise]| {
                    broken.iter().map(|broken| broken.finding.clone()).collect::<Vec<_>>()
                };
                prop_assert_eq!(found(&broken), found(&verdict.broken));
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
}

fn rows(texts: &[[&str; 3]]) -> Release {
    let row = |row: &[&str; 3]| [row[0], row[1], row[2], "1", "1"].map(str::to_owned);
    let original: Vec<[String; 5]> = texts.iter().map(row).collect();
    Release { k: 2, zips: original.iter().map(|row| row[1].clone()).collect(), original }
}

#[test]
fn twenty_records_of_one_patient_are_no_crowd() {
    let twenty: Vec<[&str; 3]> = (0..20).map(|_| ["p1", "53", "flu"]).collect();
    let refused = verify(&rows(&twenty), &[]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "k-anonymity does not hold: asked 2, found 1, violating classes: 1; the class zip = `53` has size 20 (rows: 1, 2, 3, \
         4, 5, …): people in it: 1"
    );
}

#[test]
fn values_of_one_person_do_not_hide_what_everybody_has() {
    // Three values, but everybody has flu.
    let [one, two] = ["p1", "p2"].map(|who| ["flu", "cold", "gout"].map(|illness| [who, "53", illness]));
    let release = rows(&[one[0], one[0], one[0], two[0], two[1], two[2]]);
    let distinct = [(Sensitive::Illness, Rule::Distinct { l: 2 })];
    let Err(Refusal::BrokenTable { broken, .. }) = verify(&release, &distinct) else { panic!("broken") };
    assert_eq!(
        broken[0].violations.worst[0].why.as_deref(),
        Some("1 value is enough for all 2 people; 2 of them have `flu`")
    );
    let recursive = [(Sensitive::Illness, Rule::Recursive { l: 2, c: 100.0 })];
    assert!(verify(&release, &recursive).is_err());
}

/// An attacker who knows one row of a person is another promise, and one of many rows beside it is not forgotten.
#[test]
fn rows_are_judged_one_by_one_where_only_one_is_known() {
    let release =
        rows(&[["p1", "53", "flu"], ["p2", "53", "cold"], ["p1", "54", "flu"], ["p3", "54", "gout"]]);
    let k = || Box::new(KAnonymity::new(2).unwrap()) as Box<dyn TableModel>;
    let all = || Box::new(OfPeople::new(k(), "who")) as Box<dyn TableModel>;
    let one = || Box::new(OfPeople::new(k(), "who").by_rows()) as Box<dyn TableModel>;
    assert!(judge(&release, &[one()]).is_ok());
    for models in [vec![all()], vec![one(), all()], vec![all(), one()]] {
        assert!(judge(&release, &models).is_err());
    }
}

/// A value that somebody has three times is one of everybody's values once.
#[test]
fn everybody_has_a_value_once() {
    let texts =
        [["p1", "flu"], ["p1", "flu"], ["p1", "flu"], ["p2", "cold"]].map(|[who, of]| [who, "53", of]);
    let others = [["p3", "flu"], ["p4", "cold"], ["p5", "cold"]].map(|[who, of]| [who, "54", of]);
    let release = rows(&[&texts[..], &others[..]].concat());
    // Two of five have the flu, and half of a class. Those who have no value are none of the five.
    let counts = [("flu", 2), ("cold", 3), ("", 4)].map(|(value, count)| (value.to_owned(), count));
    let everybody = Distribution::of_people(counts, 5);
    for everybody in [None, everybody] {
        let holds = |beta| {
            let rule = [(Sensitive::Illness, Rule::Alike(Likeness::Basic(beta)))];
            let of_people = |model| Box::new(OfPeople::new(model, "who").by_rows()) as Box<dyn TableModel>;
            let models = models_against(&rule, &|_| everybody.clone()).into_iter().map(of_people);
            judge(&release, &models.collect::<Vec<_>>()).is_ok()
        };
        assert!(holds(0.26) && !holds(0.24), "{everybody:?}");
    }
}

/// Each place has two values, and whoever has one in both has the same.
#[test]
fn where_somebody_has_a_value_is_no_secret() {
    let visits = [["p1", "53", "flu"], ["p2", "53", "cold"], ["p3", "53", "?"]];
    let more = [["p1", "54", "flu"], ["p2", "54", "?"], ["p3", "54", "gout"]];
    let release = rows(&[visits, more].concat());
    assert!(verify(&release, &[]).is_ok());
    assert!(verify(&release, &[(Sensitive::Illness, Rule::Distinct { l: 2 })]).is_err());
}

#[test]
fn what_no_file_says_is_said() {
    let release = rows(&[["p1", "53", "flu"], ["p1", "53", "cold"]]);
    let file = published(&release);
    let roles: Vec<(&str, Role)> = vec![
        ("who", Role::Identifier),
        ("zip", Role::QuasiIdentifier),
        ("illness", Role::Sensitive),
        ("visits", Role::Sensitive),
    ];
    let asked = [(Sensitive::Illness, Rule::Distinct { l: 2 })];
    let unknown = Unverifiable::Person { column: "who".into() };
    assert!(unknown.hint().contains("--original"));
    assert_eq!(
        verify_table_file(&file, &roles, &of_people(2, &asked), &shoal_core::Silent),
        Err(unknown.clone())
    );
    // Fewer records than k are fewer people in any case.
    let verdict = verify_table_file(&file, &roles, &of_people(3, &asked), &shoal_core::Silent).unwrap();
    assert!(!verdict.holds() && verdict.broken[0].finding.promise.name() == "k-anonymity");
    // Nor can it be proved where some promises count people and others do not, or where nobody knows the column.
    let mut mixed = of_people(2, &[]);
    mixed.extend(models(&asked));
    let origin = [0, 1];
    let table = original(&release.original);
    let claim = |original| TableClaim {
        original,
        origin: &origin,
        left_out: 0,
        suppression: None,
        order: RecordOrder::Input,
    };
    assert_eq!(
        judge_table(&file, claim(&table), &mixed, &shoal_core::Silent).unwrap_err(),
        unknown.clone().into()
    );
    let mut nameless = table.clone();
    nameless.columns.remove(0);
    assert_eq!(
        judge_table(&file, claim(&nameless), &of_people(2, &[]), &shoal_core::Silent).unwrap_err(),
        unknown.into()
    );
}

#[test]
fn a_record_of_nobody_cannot_be_published() {
    let mut release = rows(&[["p1", "53", "flu"], ["p2", "53", "cold"], ["?", "53", "flu"]]);
    let nobody = Unverifiable::Anonymous { row: 3, column: "who".into() };
    assert_eq!(verify(&release, &[]).unwrap_err(), nobody.into());
    release.original.pop();
    release.zips.pop();
    assert!(verify(&release, &[]).is_ok());
}

/// Records far from everybody's may be people who are not: then only the original knows.
#[test]
fn what_too_few_records_do_not_break_is_not_decided_without_people() {
    let release =
        rows(&[["p1", "53", "flu"], ["p1", "53", "cold"], ["p2", "54", "flu"], ["p3", "54", "flu"]]);
    let asked = [(Sensitive::Illness, Rule::Close { t: 0.0, distance: Distance::Equal })];
    let roles = [("zip", Role::QuasiIdentifier), ("illness", Role::Sensitive), ("visits", Role::Sensitive)];
    assert!(
        !verify_table_file(&published(&release), &roles, &models(&asked), &shoal_core::Silent)
            .unwrap()
            .holds()
    );
    let wrap = |model| Box::new(OfPeople::new(model, "who")) as Box<dyn TableModel>;
    let of_people: Vec<Box<dyn TableModel>> = models(&asked).into_iter().map(wrap).collect();
    let unknown = Unverifiable::Person { column: "who".into() };
    assert_eq!(
        verify_table_file(&published(&release), &roles, &of_people, &shoal_core::Silent),
        Err(unknown)
    );
}
