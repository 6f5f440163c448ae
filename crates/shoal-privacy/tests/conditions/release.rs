//! What only the original knows: personal k, and how many records are left out.

use proptest::prelude::*;
use shoal_core::{Distance, Kind, RawTable, Role, Rule, Table};
use shoal_privacy::{
    Figure, Finding, KAnonymity, Promise, RecordOrder, Refusal, SuppressionLimit, TableClaim, TableFindings,
    TableModel, Unverifiable, judge_table, verify_table_file,
};

use crate::file::{self, models};

/// A release in texts.
#[derive(Clone, Debug)]
struct Release {
    /// `zip`, `illness`, and what the person asks for.
    original: Vec<[String; 3]>,
    /// `zip` and `illness`.
    published: Vec<[String; 2]>,
    origin: Vec<u32>,
}

fn releases() -> impl Strategy<Value = Release> {
    let person = (0..3_usize, 0..4_usize, 0..7_usize, any::<u16>(), 0..8_u8);
    prop::collection::vec(person, 1..16).prop_map(|people| {
        let wishes = ["1", "2", "3", "4", "5", "?", ""];
        let text = |&(zip, illness, wish, ..): &(usize, usize, usize, u16, u8)| {
            [file::ZIPS[zip], file::ILLNESSES[illness], wishes[wish]].map(str::to_owned)
        };
        let original: Vec<[String; 3]> = people.iter().map(text).collect();
        let mut origin: Vec<u32> =
            (0..people.len() as u32).filter(|&row| people[row as usize].4 > 0).collect();
        origin.sort_by_key(|&row| (people[row as usize].3, row));
        let published = origin.iter().map(|&row| {
            let [zip, illness, _] = original[row as usize].clone();
            [if people[row as usize].4 == 1 { "*".to_owned() } else { zip }, illness]
        });
        Release { published: published.collect(), original, origin }
    })
}

fn verify(
    release: &Release,
    models: &[Box<dyn TableModel>],
    suppression: Option<SuppressionLimit>,
) -> Result<TableFindings, Refusal> {
    let original = table(&release.original);
    let rows: Vec<Vec<&str>> =
        release.published.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let claim = TableClaim {
        original: &original,
        origin: &release.origin,
        left_out: release.original.len() - release.published.len(),
        suppression,
        order: RecordOrder::Input,
    };
    judge_table(&RawTable::from_rows(&["zip", "illness"], &rows), claim, models, &shoal_core::Silent)
}

fn table(rows: &[[String; 3]]) -> Table {
    let columns = [
        ("zip", Role::QuasiIdentifier, Kind::Text),
        ("illness", Role::Sensitive, Kind::Text),
        ("wish", Role::PersonalK, Kind::Integer),
    ];
    file::original(columns, rows)
}

/// The second verifier: every record looks for its crowd.
fn has_wishes(release: &Release) -> bool {
    release.published.iter().zip(&release.origin).all(|(row, &from)| {
        let wish = release.original[from as usize][2].parse().unwrap_or(1);
        release.published.iter().filter(|other| other[0] == row[0]).count() >= wish
    })
}

fn is_true(release: &Release) -> bool {
    release.published.iter().zip(&release.origin).enumerate().all(|(at, (row, from))| {
        let truth = &release.original[*from as usize];
        let is_own = !release.origin[..at].contains(from);
        is_own && (row[0] == "*" || row[0] == truth[0]) && row[1] == truth[1]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn everybody_has_the_crowd_that_they_ask_for(release in releases()) {
        match verify(&release, &[], None) {
            Ok(verified) => {
                prop_assert!(has_wishes(&release));
                let [promise] = verified.findings().promises() else { panic!("one promise") };
                prop_assert_eq!((&promise.promise, promise.column.as_deref()), (&Promise::PersonalK, Some("wish")));
            }
            Err(Refusal::BrokenTable { broken, .. }) => {
                prop_assert!(!has_wishes(&release));
                let worst = &broken[0].violations.worst[0];
                prop_assert!(worst.size < 5 && worst.why.as_deref().unwrap().ends_with("asks for a larger one"));
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    #[test]
    fn a_broken_cell_and_a_swapped_origin_are_noticed_exactly_when_they_matter(
        release in releases().prop_filter("a record", |release| !release.published.is_empty()),
        pair in any::<(prop::sample::Index, prop::sample::Index)>(),
        zip in prop::sample::select(file::ZIPS.to_vec()),
    ) {
        let (one, two) = (pair.0.index(release.origin.len()), pair.1.index(release.origin.len()));
        let mut broken = release.clone();
        broken.published[one][0] = zip.to_owned();
        prop_assert_eq!(verify(&broken, &[], None).is_ok(), has_wishes(&broken) && is_true(&broken));
        let mut swapped = release.clone();
        swapped.origin.swap(one, two);
        prop_assert_eq!(verify(&swapped, &[], None).is_ok(), has_wishes(&swapped) && is_true(&swapped));
        let mut doubled = release;
        doubled.origin[one] = doubled.origin[two];
        prop_assert_eq!(verify(&doubled, &[], None).is_ok(), has_wishes(&doubled) && is_true(&doubled));
    }
}

fn rows<const N: usize>(texts: &[[&str; N]]) -> Vec<[String; N]> {
    texts.iter().map(|row| row.map(str::to_owned)).collect()
}

/// Two crowds of two, and one who is left out.
fn five() -> Release {
    Release {
        original: rows(&[
            ["53", "flu", "2"],
            ["53", "gout", ""],
            ["54", "flu", "1"],
            ["54", "cold", "2"],
            ["55", "flu", "9"],
        ]),
        published: rows(&[["54", "cold"], ["53", "flu"], ["54", "flu"], ["53", "gout"]]),
        origin: vec![3, 0, 2, 1],
    }
}

fn promise(verified: &TableFindings, at: usize) -> &Finding {
    &verified.findings().promises()[at]
}

#[test]
fn a_personal_k_needs_no_model_and_stands_beside_others() {
    let two: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
    let verified = verify(&five(), &two, None).unwrap();
    assert_eq!(verified.findings().promises().len(), 2);
    let personal = serde_json::to_string(promise(&verified, 1)).unwrap();
    assert_eq!(
        personal,
        r#"{"name":"personal-k","column":"wish","asked":"each record's own k","found":"no record below it","holds":true,"promise":{"kind":"personal-k"}}"#
    );
    let mut more = five();
    more.original[3][2] = "3".to_owned();
    let refused = verify(&more, &two, None).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "personal-k of `wish` does not hold: asked each record's own k, found 1 record below it, violating classes: \
         1; the class zip = `54` has size 2 (rows: 1, 3): row 1 asks for a larger one"
    );
    more.original[2][2] = "7".to_owned();
    more.original[0][2] = "3".to_owned();
    let Err(Refusal::BrokenTable { broken, .. }) = verify(&more, &two, None) else { panic!("broken") };
    assert_eq!(broken[0].finding.found, Figure::Words("3 records below it".into()));
    let worst: Vec<(&Figure, &str)> =
        broken[0].violations.worst.iter().map(|v| (&v.found, v.why.as_deref().unwrap())).collect();
    let expected = [
        (Figure::Count(2), "row 3 asks for a larger one"),
        (Figure::Count(1), "row 2 asks for a larger one"),
    ];
    assert_eq!(worst, expected.iter().map(|(found, why)| (found, *why)).collect::<Vec<_>>());
}

#[test]
fn no_file_says_who_asks_for_what() {
    let file = RawTable::from_rows(&["zip"], &[vec!["53"], vec!["53"]]);
    let roles = [("zip", Role::QuasiIdentifier), ("wish", Role::PersonalK)];
    let two: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
    let unknown = Unverifiable::PersonalK { column: "wish".into() };
    assert!(unknown.hint().contains("identifier"));
    assert_eq!(verify_table_file(&file, &roles, &two, &shoal_core::Silent), Err(unknown));
    let without = [("zip", Role::QuasiIdentifier), ("wish", Role::Identifier)];
    assert!(verify_table_file(&file, &without, &two, &shoal_core::Silent).unwrap().holds());
}

#[test]
fn no_more_may_be_left_out_than_is_allowed() {
    let limit = |share, incomplete, starred| Some(SuppressionLimit { share, incomplete, starred });
    let verified = verify(&five(), &[], limit(0.2, 0, false)).unwrap();
    let found = serde_json::to_string(promise(&verified, 1)).unwrap();
    assert_eq!(
        found,
        r#"{"name":"max-suppressed","asked":0.2,"found":0.2,"holds":true,"promise":{"kind":"max-suppressed","share":0.2}}"#
    );
    assert!(verify(&five(), &[], limit(0.3, 0, false)).is_ok(), "fewer may be left out than are allowed");
    let refused = verify(&five(), &[], limit(0.1, 0, false)).unwrap_err();
    assert_eq!(refused.to_string(), "max-suppressed does not hold: asked 0.1, found 0.2");
    assert!(refused.hint().contains("max-suppressed"));
    assert!(verify(&five(), &[], limit(f64::NAN, 0, false)).is_err());

    // One record of the five lacks a value, so one is believed to be left out for that.
    let verified = verify(&five(), &[], limit(0.0, 1, false)).unwrap();
    assert_eq!(promise(&verified, 1).found, Figure::Number(0.0));
    let mut complete = five();
    complete.original[1][2] = "2".to_owned();
    assert!(verify(&complete, &[], limit(0.0, 1, false)).is_err(), "nobody lacks a value");

    // Two are left out and one record lacks a value: no more than that one is believed, however many are said to lack one.
    let mut two = five();
    two.published.truncate(3);
    two.origin.truncate(3);
    two.original[3][2] = "1".to_owned();
    two.original[0][2] = "1".to_owned();
    let Err(Refusal::BrokenTable { broken, .. }) = verify(&two, &[], limit(0.0, 2, false)) else {
        panic!("broken")
    };
    assert_eq!(broken[0].finding.found, Figure::Number(0.2));
    // A record that lacks two values is one record, and two that lack one each are two.
    two.original[1][1] = "?".to_owned();
    let Err(Refusal::BrokenTable { broken, .. }) = verify(&two, &[], limit(0.0, 2, false)) else {
        panic!("broken")
    };
    assert_eq!(broken[0].finding.found, Figure::Number(0.2));
    two.original[4][1] = "?".to_owned();
    assert!(verify(&two, &[], limit(0.0, 2, false)).is_ok());

    let mut starred = five();
    starred.published[0][0] = "*".to_owned();
    starred.published[2][0] = "*".to_owned();
    assert!(verify(&starred, &[], limit(0.2, 0, false)).is_ok());
    let Err(Refusal::BrokenTable { broken, .. }) = verify(&starred, &[], limit(0.2, 0, true)) else {
        panic!("broken")
    };
    assert_eq!(broken[0].finding.found, Figure::Number(0.6));
}

#[test]
fn a_limit_of_what_is_left_out_is_no_promise() {
    let release = five();
    let mut original = table(&release.original);
    original.columns.pop();
    let rows: Vec<Vec<&str>> =
        release.published.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let claim = TableClaim {
        original: &original,
        origin: &release.origin,
        left_out: 1,
        suppression: Some(SuppressionLimit { share: 1.0, incomplete: 0, starred: false }),
        order: RecordOrder::Input,
    };
    assert_eq!(
        judge_table(&RawTable::from_rows(&["zip", "illness"], &rows), claim, &[], &shoal_core::Silent)
            .unwrap_err(),
        Unverifiable::NoPromise.into()
    );
}

#[test]
fn stars_are_a_class_like_any_other() {
    let close = Rule::Close { t: 0.5, distance: Distance::Equal };
    let asked = [(file::Column::Illness, Rule::Distinct { l: 2 }), (file::Column::Illness, close)];
    let mut release = five();
    release.original.iter_mut().for_each(|row| row[2] = "1".to_owned());
    assert!(verify(&release, &models(&asked), None).is_ok());
    release.published.push(rows(&[["*", "flu"]])[0].clone());
    release.origin.push(4);
    let refused = verify(&release, &models(&asked), None).unwrap_err();
    let Refusal::BrokenTable { broken, .. } = &refused else { panic!("broken") };
    assert_eq!(broken.len(), 1, "the distance of flu alone is 2/5");
    assert_eq!(broken[0].finding.promise.name(), "distinct-l-diversity");
    assert!(refused.hint().contains("drop"));
}
