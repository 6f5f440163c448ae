//! Whole runs on transactions through the public functions.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::project::TestProject;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Array as _, ArrayRef, ListArray, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use shoal_core::Silent;
use shoal_core::policy::TransactionsAlgorithmName;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::Job;

const BASKETS: &str = "\
bread milk
bread milk eggs
milk eggs
bread
bread milk beer

beer crisps
crisps milk
bread bread eggs
";

const POLICY: &str = r#"
version = 1
[data]
shape = "transactions"
source = "baskets.dat"
[privacy]
k = 3
m = 2
[output]
path = "out.dat"
"#;

fn fresh() -> TestProject {
    TestProject::with(POLICY, "baskets.dat", BASKETS)
}

/// The supports of all sets of up to two published items, counted as an outsider would.
fn supports(text: &str) -> BTreeMap<Vec<&str>, usize> {
    let mut supports = BTreeMap::new();
    for line in text.lines() {
        let items: Vec<&str> = line.split_whitespace().collect();
        for (at, &a) in items.iter().enumerate() {
            *supports.entry(vec![a]).or_default() += 1;
            for &b in &items[at + 1..] {
                *supports.entry(vec![a, b]).or_default() += 1;
            }
        }
    }
    supports
}

#[test]
fn every_algorithm_keeps_k_to_the_m() {
    for algorithm in TransactionsAlgorithmName::ALL {
        let algorithm = algorithm.name();
        for objective in ["ncp", "ul"] {
            let project = fresh();
            project.write("items.csv", "bread;food;*\nmilk;food;*\neggs;food;*\nbeer;fun;*\ncrisps;fun;*\n");
            let mut set = vec![format!("algorithm.name={algorithm}")];
            if algorithm != "apriori" {
                set.push(format!("algorithm.objective={objective}"));
            }
            match algorithm {
                "apriori" => set.push("data.hierarchy=items.csv".to_owned()),
                "upcta" => {
                    project.write("utility.txt", "bread milk eggs beer crisps\n");
                    set.push("utility.constraints=utility.txt".to_owned());
                }
                _ => {}
            }
            let set: Vec<&str> = set.iter().map(String::as_str).collect();
            let outcome = project.run(&set).unwrap();
            let text = project.read("out.dat");
            assert_eq!(text.lines().count(), 9, "{algorithm}: all transactions are kept, also the empty one");
            let low: Vec<_> = supports(&text).into_iter().filter(|(_, support)| *support < 3).collect();
            assert!(low.is_empty(), "{algorithm}, {objective}: {low:?}\n{text}");
            let report = &outcome.report;
            assert_eq!((report.records_in, report.records_out, report.about.shape), (9, 9, "transactions"));
            assert!(report.notes.iter().any(|note| note.contains("with no item")), "{:?}", report.notes);
            assert!(report.notes.iter().any(|note| note.contains("occurred twice")), "{:?}", report.notes);
            assert!(
                shoal_pipeline::files::verify(&project.job(&set), &project.path("out.dat"), &Silent)
                    .unwrap()
                    .holds()
            );
        }
    }
}

#[test]
fn the_layouts_of_a_source_publish_the_same_sets() {
    let baskets = fresh();
    baskets.run(&["output.keep-order=true"]).unwrap();
    let expected: Vec<String> = baskets.read("out.dat").lines().map(str::to_owned).collect();

    let mut long = String::from("who,what,when\n");
    let mut column = String::from("name,basket,city\n");
    for (number, line) in BASKETS.lines().enumerate() {
        let items: Vec<&str> = line.split_whitespace().collect();
        if items.is_empty() {
            long.push_str(&format!("p{number},,x\n"));
        }
        items.iter().for_each(|item| long.push_str(&format!("p{number},{item},x\n")));
        column.push_str(&format!("Ann{number},{},c{number}\n", items.join(";")));
    }
    let project = fresh();
    project.write("long.csv", &long);
    project
        .run(&[
            "data.source=long.csv",
            "data.format=long",
            "data.id=who",
            "data.item=what",
            "output.path=out.csv",
            "output.keep-order=true",
        ])
        .unwrap();
    let text = project.read("out.csv");
    assert!(text.starts_with("who,what\n") && !text.contains("p1"), "original ids are not published: {text}");
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let (id, item) = row.split_once(',').unwrap();
        let items = found.entry(id.parse().unwrap()).or_default();
        if !item.is_empty() {
            items.push(item.trim_matches('"').to_owned());
        }
    }
    let found: Vec<String> = found.into_values().map(|items| items.join(" ")).collect();
    assert_eq!(found, expected);

    project.write("column.csv", &column);
    project
        .run(&[
            "data.source=column.csv",
            "data.items=basket",
            "columns.name.role=identifier",
            "columns.city.role=insensitive",
            "output.path=out2.csv",
            "output.keep-order=true",
        ])
        .unwrap();
    let text = project.read("out2.csv");
    assert!(text.starts_with("basket,city\n") && !text.contains("Ann"), "{text}");
    let found: Vec<String> = text
        .lines()
        .skip(1)
        .enumerate()
        .map(|(number, row)| {
            let (items, city) = row.rsplit_once(',').unwrap();
            assert_eq!(city, format!("c{number}"), "the other columns stay with their records");
            items.trim_matches('"').replace(';', " ")
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn every_promise_is_kept_and_verified() {
    let project = fresh();
    project.write("sets.txt", "beer milk\neggs\n");
    let promises: [&[&str]; 3] =
        [&["privacy.complete=true"], &["privacy.constraints=sets.txt"], &["privacy.share=0.5"]];
    // A promise replaces the one of the policy.
    project.write("policy.toml", POLICY.replace("m = 2\n", ""));
    for promise in promises {
        project.run(promise).unwrap_or_else(|e| panic!("{promise:?}: {e}"));
        let verified =
            shoal_pipeline::files::verify(&project.job(promise), &project.path("out.dat"), &Silent).unwrap();
        assert!(verified.holds(), "{promise:?}");
    }
    let raw = shoal_pipeline::files::verify(&project.job(promises[0]), &project.path("baskets.dat"), &Silent)
        .unwrap();
    assert!(!raw.holds(), "the original does not keep it");
}

#[test]
fn utility_constraints_bound_what_is_published_as_one() {
    for algorithm in ["upcta", "coat"] {
        let project = fresh();
        project.write("utility.txt", "bread milk eggs\nbeer crisps\n");
        let name = format!("algorithm.name={algorithm}");
        let set = [name.as_str(), "utility.constraints=utility.txt", "utility.max-suppressed=1.0"];
        project.run(&set).unwrap();
        for group in project.read("out.dat").split_whitespace().filter(|item| item.starts_with('(')) {
            let food = group.contains("bread") || group.contains("milk") || group.contains("eggs");
            let fun = group.contains("beer") || group.contains("crisps");
            assert!(food != fun, "{algorithm} mixes {group}");
        }
    }
}

#[test]
fn transactions_stand_in_the_order_of_their_items() {
    let bytes = |set: &[&str]| {
        let project = fresh();
        project.run(set).unwrap();
        project.read("out.dat")
    };
    assert_eq!(bytes(&[]), bytes(&[]));
    let published = bytes(&[]);
    let lines: Vec<&str> = published.lines().collect();
    let mut sorted = lines.clone();
    sorted.sort();
    assert_eq!(lines, sorted);
}

#[test]
fn bad_requests_leave_nothing_behind() {
    let project = fresh();
    project.write("sets.txt", "beer wine\n");
    project.write("lacking.txt", "bread milk\nbeer crisps\n");
    project.write("doubled.txt", "bread milk eggs\nbeer crisps bread\n");
    project.write("alone.txt", "bread\nmilk\neggs\nbeer\ncrisps\n");
    let before = project.files();
    let fails = |set: &[&str]| project.run(set).unwrap_err();

    let two =
        Job::open(&project.path("policy.toml"), &["privacy.constraints=sets.txt".to_owned()]).unwrap_err();
    assert!(two.to_string().contains("two answers"), "{two}");
    project.write("policy.toml", POLICY.replace("m = 2\n", ""));
    let unknown = fails(&["privacy.constraints=sets.txt"]);
    assert!(
        matches!(&unknown, PipelineError::UnknownItem { line: 1, item, .. } if item == "wine"),
        "{unknown}"
    );
    project.write("policy.toml", POLICY);

    let upcta = |file: &str| fails(&["algorithm.name=upcta", &format!("utility.constraints={file}")]);
    let lacking = upcta("lacking.txt").to_string();
    assert!(lacking.contains("`eggs` is in no utility constraint"), "{lacking}");
    let doubled = upcta("doubled.txt").to_string();
    assert!(doubled.contains("`bread`") && doubled.contains("lines 1 and 2"), "{doubled}");
    let unreachable = upcta("alone.txt");
    assert!(unreachable.is_broken_promise() && unreachable.to_string().contains("can only be hidden"));

    let too_large = fails(&["privacy.k=9"]);
    assert!(too_large.is_broken_promise(), "{too_large}");
    let m = fails(&["privacy.m=4"]);
    assert!(matches!(m, PipelineError::MTooLarge { m: 4, most: 3 }), "{m}");
    assert!(!m.is_broken_promise());

    project.write("baskets.dat", "");
    assert!(!fails(&[]).is_broken_promise());
    std::fs::write(project.path("baskets.dat"), b"bread \xff\n").unwrap();
    assert!(!fails(&[]).is_broken_promise());
    assert_eq!(project.files(), before);
}

#[test]
fn a_parquet_list_comes_back_as_a_list() {
    let project = fresh();
    let mut items = ListBuilder::new(StringBuilder::new());
    for line in BASKETS.lines() {
        line.split_whitespace().for_each(|item| items.values().append_value(item));
        items.append(true);
    }
    let cities: StringArray = (0..BASKETS.lines().count()).map(|n| Some(format!("c{n}"))).collect();
    let columns: [(&str, ArrayRef); 2] = [("basket", Arc::new(items.finish())), ("city", Arc::new(cities))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(project.path("baskets.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let set = [
        "data.source=baskets.parquet",
        "data.items=basket",
        "columns.city.role=insensitive",
        "output.path=out.parquet",
        "output.keep-order=true",
    ];
    project.run(&set).unwrap();
    assert!(
        shoal_pipeline::files::verify(&project.job(&set), &project.path("out.parquet"), &Silent)
            .unwrap()
            .holds()
    );
    let file = std::fs::File::open(project.path("out.parquet")).unwrap();
    let published: RecordBatch =
        ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().next().unwrap().unwrap();
    let lists = published.column_by_name("basket").unwrap().as_any().downcast_ref::<ListArray>().unwrap();

    // The same sets as from a basket file.
    let baskets = fresh();
    baskets.run(&["output.keep-order=true"]).unwrap();
    for (row, line) in baskets.read("out.dat").lines().enumerate() {
        let list = lists.value(row);
        let list = list.as_any().downcast_ref::<StringArray>().unwrap();
        assert_eq!(list.iter().flatten().collect::<Vec<_>>().join(" "), line);
    }
}
