//! Data that are a part of something larger, with somebody else as everybody.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use shoal_core::{Distribution, PolicyDocument, Silent, hierarchy};
use shoal_pipeline::table::judge_cells;
use shoal_pipeline::{Assets, BatchSink, BatchSource, PipelineError, ReleaseKey, Request, run, verify};

const SEQUENCES: &str = r#"
version = 1
data = { shape = "sequences", id = "who", order = ["year"] }
columns.who = { role = "identifier" }
columns.year = { role = "identifier", kind = "integer" }
columns.town = { role = "quasi-identifier", hierarchy = "towns" }
columns.illness = { role = "sensitive" }
privacy = { k = 2, beta = 1.0, length = 2, sensitive-values = ["HIV", "plague"] }
"#;

/// What the policy says, where of a hundred people so many have HIV, and one has the plague; where nothing is said, these
/// people are everybody, and the plague must not be asked for.
fn request(hiv: Option<u32>) -> Result<Request, PipelineError> {
    let towns = hierarchy::from_text("Ulm;South;*\nKiel;North;*\nHusum;North;*\n").unwrap();
    let mut assets = Assets::default().with_hierarchy("towns", towns);
    let mut text = SEQUENCES.to_owned();
    match hiv {
        Some(hiv) => {
            let counts = [("flu", 100 - hiv), ("HIV", hiv), ("plague", 1)];
            let counts = counts.map(|(value, count)| (value.to_owned(), count));
            assets = assets.with_distribution("illness", Distribution::of_people(counts, 100).unwrap());
        }
        None => text = text.replace(", \"plague\"", ""),
    }
    Request::new(PolicyDocument::parse(&text, &[]).unwrap(), assets)
}

/// Eight people with one visit each, of whom three have HIV.
fn visits(columns: &[&str]) -> BatchSource {
    let people = 8;
    let of = |name: &str| -> ArrayRef {
        let text = |person: usize| match name {
            "who" => (person + 1).to_string(),
            "year" => "2020".to_owned(),
            "town" => "Kiel".to_owned(),
            // The last ones, so that the rows stand in the order of a release.
            _ => if person < 3 { "HIV" } else { "flu" }.to_owned(),
        };
        Arc::new(StringArray::from_iter_values((0..people).map(text)))
    };
    let batch = RecordBatch::try_from_iter(columns.iter().map(|name| (*name, of(name)))).unwrap();
    BatchSource::new("visits", vec![batch])
}

#[test]
fn sequences_are_verified_against_everybody() {
    let holds = |hiv| {
        let mut published = visits(&["who", "town", "illness"]);
        verify(&request(hiv).unwrap(), &mut published, None, &Silent).unwrap().holds()
    };
    // 3 of 8 are all of them, and less than twice 20 %, but more than twice 18 %.
    assert!(holds(None) && holds(Some(20)));
    assert!(!holds(Some(18)));
}

#[test]
fn sequences_are_anonymized_against_everybody() {
    let people = |hiv| {
        let mut source = visits(&["who", "year", "town", "illness"]);
        // Who is clustered first is dealt by the key, and how many are left out may depend on that.
        let request = request(hiv).unwrap().with_release_key(Some(ReleaseKey::from_bytes([1; 32])));
        let release = run(&request, &mut source, &mut BatchSink, &Silent).unwrap();
        release.publish().unwrap().iter().map(RecordBatch::num_rows).sum::<usize>()
    };
    assert_eq!((people(None), people(Some(20))), (8, 8));
    // One of three is left out: 2 of 7 are less than twice 18 %.
    assert_eq!(people(Some(18)), 7);
    // Nobody else has it, to speak of, so nobody may be seen to have it here.
    assert_eq!(people(Some(1)), 5);
}

#[test]
fn people_are_not_compared_with_records() {
    let records = || Distribution::new([("flu".to_owned(), 9), ("HIV".to_owned(), 1)]).unwrap();
    let people = || Distribution::of_people([("flu".to_owned(), 9)], 10).unwrap();
    let table = "
        version = 1
        data.shape = \"table\"
        columns.who = { role = \"identifier\" }
        columns.age = { role = \"quasi-identifier\", kind = \"integer\" }
        columns.illness = { role = \"sensitive\" }
        privacy = { k = 2, beta-likeness = 1.0 }
    ";
    let given = |text: &str, everybody| {
        let assets = Assets::default().with_distribution("illness", everybody);
        Request::new(PolicyDocument::parse(text, &[]).unwrap(), assets)
    };
    let of_people = format!("{table}\n        data.person = \"who\"");
    assert!(given(table, records()).is_ok() && given(&of_people, people()).is_ok());
    for refused in [given(table, people()), given(&of_people, records())] {
        assert!(refused.unwrap_err().to_string().contains("promises count"));
    }
}

/// Rows of a published table, `class illness person k`, judged as cells of people for k = 2 and two different illnesses.
fn judged(rows: &[&str], personal_k: Option<&str>) -> Result<(usize, Vec<String>), PipelineError> {
    let policy = r#"
version = 1
data = { shape = "table", person = "who" }
columns.who = { role = "identifier" }
columns.age = { role = "quasi-identifier" }
columns.illness = { role = "sensitive" }
privacy = { k = 2, l-diversity = { kind = "distinct", l = 2 } }
"#;
    let request = Request::new(PolicyDocument::parse(policy, &[]).unwrap(), Assets::default()).unwrap();
    let cells: Vec<Vec<&str>> = rows.iter().map(|row| row.split(' ').collect()).collect();
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter(cells.iter().map(|row| (row[at] != "-").then_some(row[at]))))
    };
    let names = ["age", "illness", "person", "asked"];
    let batch = RecordBatch::try_from_iter(names.into_iter().zip((0..4).map(column))).unwrap();
    let mut source = BatchSource::new("cells", vec![batch]);
    let found = judge_cells(&request, &mut source, "person", personal_k, &Silent)?;
    assert_eq!(found.rows, rows.len());
    Ok((found.people, found.broken.iter().map(|broken| broken.finding.promise.name()).collect()))
}

#[test]
fn cells_of_people_are_judged_by_themselves() {
    let both = ["a flu 1 -", "b gout 1 -", "a gout 2 -", "b flu 2 -"];
    assert_eq!(judged(&both, None).unwrap(), (2, vec![]));
    // Each class has two people with two illnesses; who is in which classes tells all three apart.
    let grid = ["a flu 1 -", "b flu 1 -", "a gout 2 -", "c gout 2 -", "b gout 3 -", "c flu 3 -"];
    assert_eq!(judged(&grid, None).unwrap().1, ["k-anonymity", "distinct-l-diversity"]);
    // A person with one row more is in a cell of their own, and an empty cell is nobody's secret.
    let longer = ["a flu 1 -", "a gout 2 -", "a - 3 -", "a - 3 -", "a - 4 -", "a - 4 -"];
    assert_eq!(judged(&longer, None).unwrap(), (4, vec![]));
    assert_eq!(judged(&longer[..4], None).unwrap().1, ["k-anonymity"]);
}

#[test]
fn what_a_person_asks_for_counts_in_all_their_rows() {
    let rows = ["a flu 1 2", "b gout 1 -", "a gout 2 -", "b flu 2 -"];
    assert!(judged(&rows, Some("asked")).unwrap().1.is_empty());
    let more = ["a flu 1 3", "b gout 1 -", "a gout 2 -", "b flu 2 -"];
    assert_eq!(judged(&more, Some("asked")).unwrap().1, ["personal-k"]);
    // It could not be read, so nothing is enough.
    let what = ["a flu 1 ?", "b gout 1 -", "a gout 2 -", "b flu 2 -"];
    assert_eq!(judged(&what, Some("asked")).unwrap().1, ["personal-k"]);
    let error = judged(&rows, Some("own")).unwrap_err();
    assert!(error.to_string().contains("own"), "{error}");
}
