//! Every original of a few people: an attacker who tries them against the program, and has the published data and the report
//! that goes out, must not exclude one by the report that the data alone do not exclude.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_cast::display::array_value_to_string;
use rayon::prelude::*;
use shoal_core::{PolicyDocument, Silent};
use shoal_pipeline::{Assets, BatchSink, BatchSource, ReleaseKey, Request, run};

use crate::shapes::{Shape, batch};

/// What one original publishes, cell by cell, and `report.json` and `report.html` of it; none where the promise cannot be kept.
fn told(request: &Request, original: RecordBatch) -> Option<(Vec<String>, String)> {
    let release =
        run(request, &mut BatchSource::new("original", vec![original]), &mut BatchSink, &Silent).ok()?;
    let report = serde_json::to_string(&release.outgoing).unwrap() + &release.outgoing.page();
    let cells = |batch: &RecordBatch| {
        let column = |at: usize| {
            let rows = 0..batch.num_rows();
            rows.map(|row| array_value_to_string(batch.column(at), row).unwrap())
                .collect::<Vec<_>>()
                .join(";")
        };
        (0..batch.num_columns()).map(column).collect::<Vec<_>>()
    };
    Some((release.publish().unwrap().iter().flat_map(cells).collect(), report))
}

/// Fails where two originals publish the same data and their reports differ. Says how many share their data with another one.
fn check(request: &Request, originals: Vec<RecordBatch>) -> usize {
    let request = request.clone().with_release_key(Some(ReleaseKey::from_bytes([5; 32])));
    let all: Vec<_> = originals.into_par_iter().filter_map(|original| told(&request, original)).collect();
    let mut reports: BTreeMap<Vec<String>, (String, usize)> = BTreeMap::new();
    for (published, report) in all {
        let known = reports.entry(published.clone()).or_insert_with(|| (report.clone(), 0));
        assert!(known.0 == report, "{published:?}\n{}\n{report}", known.0);
        known.1 += 1;
    }
    reports.into_values().map(|(_, originals)| originals).filter(|&originals| originals > 1).sum()
}

/// All ways to take `size` of so many kinds, each as often as wanted.
fn multisets(kinds: usize, size: usize) -> Vec<Vec<usize>> {
    let longer = |sets: Vec<Vec<usize>>| {
        let with = |set: Vec<usize>| {
            let first = set.last().copied().unwrap_or_default();
            (first..kinds).map(move |kind| [&set[..], &[kind]].concat())
        };
        sets.into_iter().flat_map(with).collect()
    };
    (0..size).fold(vec![Vec::new()], |sets, _| longer(sets))
}

/// Three to five people, each of one kind: places and a secret.
fn people(shape: Shape, kinds: &[(&[&'static str], &'static str)], sizes: &[usize]) -> Vec<RecordBatch> {
    let records = |set: Vec<usize>| {
        let places: Vec<Vec<&str>> = set.iter().map(|&kind| kinds[kind].0.to_vec()).collect();
        let secrets: Vec<&str> = set.iter().map(|&kind| kinds[kind].1).collect();
        shape.records(&places, &secrets)
    };
    sizes.iter().flat_map(|&size| multisets(kinds.len(), size)).map(records).collect()
}

#[test]
fn the_report_of_a_table_tells_no_originals_apart() {
    let kinds: [(&[&str], &str); 6] =
        [(&["20"], "a"), (&["20"], "b"), (&["21"], "a"), (&["21"], "b"), (&["30"], "a"), (&["30"], "b")];
    let named = |name| format!("algorithm.name = \"{name}\"\n");
    let mut policies: Vec<String> =
        shoal_testkit::algorithms::deterministic_for_tables().map(named).collect();
    policies.extend([
        "algorithm.name = \"datafly\"\noutput.suppressed = \"star\"\n".to_owned(),
        "algorithm = { name = \"incognito\", max-suppressed = 0.5 }\n".to_owned(),
        "algorithm.name = \"ribbon\"\nprivacy.sampling-fraction = 0.1\n".to_owned(),
        "algorithm.name = \"mondrian\"\nprivacy.l-diversity = { kind = \"distinct\", l = 2 }\n".to_owned(),
    ]);
    for policy in policies {
        let request = Shape::Table.request(&format!("privacy.k = 2\n{policy}"));
        let alike = check(&request, people(Shape::Table, &kinds, &[3, 4, 5]));
        assert!(alike > 100, "{policy}: {alike}");
    }
}

#[test]
fn the_report_of_sequences_tells_no_originals_apart() {
    let kinds: [(&[&str], &str); 8] = [
        (&["Ulm"], "a"),
        (&["Ulm"], "b"),
        (&["Bonn"], "a"),
        (&["Kiel"], "a"),
        (&["Ulm", "Kiel"], "a"),
        (&["Ulm", "Kiel"], "b"),
        (&["Bonn", "Kiel"], "a"),
        (&["Bonn", "Ulm"], "b"),
    ];
    for policy in [
        "privacy.k = 2\nalgorithm.name = \"cbmsa\"\n",
        "privacy.k = 2\nalgorithm.name = \"cbmsa-baseline\"\n",
        "privacy = { k = 2, beta = 1.0, length = 1 }\nalgorithm.name = \"fcla\"\n",
    ] {
        let alike = check(&Shape::Sequences.request(policy), people(Shape::Sequences, &kinds, &[3, 4]));
        assert!(alike > 50, "{policy}: {alike}");
    }
}

#[test]
fn the_report_of_transactions_tells_no_originals_apart() {
    let long =
        "version = 1\ndata = { shape = \"transactions\", format = \"long\", id = \"id\", item = \"item\" }\n";
    let records = |set: Vec<usize>| {
        let mut columns = BTreeMap::<&str, Vec<String>>::new();
        for (id, &kind) in set.iter().enumerate() {
            // The kinds are the sets of three items that are not empty.
            for item in (0..3).filter(|item| (kind + 1) >> item & 1 == 1) {
                columns.entry("id").or_default().push(id.to_string());
                columns.entry("item").or_default().push(["a", "b", "c"][item].to_owned());
            }
        }
        batch(columns)
    };
    for policy in [
        "privacy = { k = 2, m = 2 }\nalgorithm.name = \"pcta\"\n",
        "privacy = { k = 2, m = 1, sensitive-items = [\"a\"] }\nalgorithm.name = \"pcta\"\n",
        "privacy = { k = 2, complete = true }\n",
    ] {
        let document = PolicyDocument::parse(&format!("{long}{policy}"), &[]).unwrap();
        let request = Request::new(document, Assets::default()).unwrap();
        let alike =
            check(&request, [3, 4].into_iter().flat_map(|size| multisets(7, size)).map(records).collect());
        assert!(alike > 50, "{policy}: {alike}");
    }
}
