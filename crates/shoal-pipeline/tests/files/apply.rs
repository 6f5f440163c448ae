//! Two releases of small tables, and everything that whoever has both may strike out, counted slowly.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_core::Silent;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::{Outcome, RunOptions, apply, open_applied};

use crate::project::TestProject;

const K: usize = 2;

fn policy(algorithm: &str) -> String {
    // Every mark is of one person only, so that it tells whose a row is; nothing is promised about it.
    format!(
        r#"
        version = 1
        data = {{ shape = "table", source = "people.csv" }}
        columns.name = {{ role = "identifier" }}
        columns.age = {{ role = "quasi-identifier", kind = "integer" }}
        columns.town = {{ role = "quasi-identifier" }}
        columns.mark = {{ role = "sensitive" }}
        privacy.k = {K}
        algorithm = {{ name = "{algorithm}" }}
        output = {{ path = "first.csv", report = "first" }}
        "#
    )
}

/// Age and town of a person; the place in the list is the name.
type Person = (u32, usize);

fn csv(people: &[(usize, Person)]) -> String {
    let mut text = "name,age,town,mark\n".to_owned();
    for (name, (age, town)) in people {
        text.push_str(&format!("n{name},{age},{},m{name}\n", ["Bonn", "Kiel", "Ulm"][*town]));
    }
    text
}

/// What everybody in a published file says about themselves.
fn cells(text: &str) -> BTreeMap<usize, String> {
    let row = |line: &str| {
        let (cells, mark) = line.rsplit_once(",m").expect("the mark is last");
        (mark.parse().unwrap(), cells.to_owned())
    };
    text.lines().skip(1).map(row).collect()
}

fn applied(project: &TestProject) -> Result<Outcome, PipelineError> {
    let release = project.path("first");
    let job = open_applied(&release, &project.path("second-people.csv").to_string_lossy(), &[])?;
    let options = RunOptions {
        output: Some(project.path("second.csv")),
        report: Some(project.path("second")),
        force: true,
        allow_total_loss: true,
        ..RunOptions::default()
    };
    apply(&job, &release, &options, &Silent)
}

fn people() -> impl Strategy<Value = Vec<Person>> {
    proptest::collection::vec((20_u32..26, 0_usize..3), 14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nobody_is_alone_in_two_releases_together(
        people in people(),
        first_in in proptest::collection::vec(proptest::bool::weighted(0.6), 14),
        gone in proptest::collection::vec(proptest::bool::weighted(0.1), 14),
        older in proptest::collection::vec(0_u32..2, 14),
        algorithm in prop_oneof![Just("mondrian"), Just("ribbon"), Just("datafly")],
    ) {
        let first: Vec<(usize, Person)> = (0..14).filter(|&name| first_in[name]).map(|name| (name, people[name])).collect();
        // Some are gone, some are new, and some are older.
        let second: Vec<(usize, Person)> = (0..14)
            .filter(|&name| !(first_in[name] && gone[name]))
            .map(|name| (name, (people[name].0 + older[name], people[name].1)))
            .collect();
        prop_assume!(first.len() >= K && !second.is_empty());
        let project = TestProject::with(&policy(algorithm), "people.csv", &csv(&first));
        project.write("second-people.csv", csv(&second));
        project.run(&[]).unwrap();
        match applied(&project) {
            Ok(_) => {}
            Err(error) => {
                // Too few newcomers and nobody else, or a promise that does not hold together: then nothing is there.
                prop_assert!(error.is_broken_promise(), "{error}");
                prop_assert!(!project.path("second.csv").exists());
                return Ok(());
            }
        }
        let before = cells(&project.read("first.csv"));
        let now = cells(&project.read("second.csv"));
        // Whoever is in both: by both texts. Whoever is new: by the second one, among the new.
        let mut crowds: BTreeMap<(Option<&String>, &String), usize> = BTreeMap::new();
        now.iter().for_each(|(name, cells)| *crowds.entry((before.get(name), cells)).or_default() += 1);
        for (texts, crowd) in &crowds {
            prop_assert!(*crowd >= K, "{algorithm}: {crowd} with {texts:?}\n{before:?}\n{now:?}");
        }
        // Whoever is in the first release only, of a class that others of are in the second.
        let mut absent: BTreeMap<&String, (usize, usize)> = BTreeMap::new();
        for (name, cells) in &before {
            let (present, gone) = absent.entry(cells).or_default();
            *if now.contains_key(name) { present } else { gone } += 1;
        }
        for (cells, (present, gone)) in absent {
            prop_assert!(present == 0 || gone == 0 || gone >= K, "{algorithm}: {gone} are gone of {cells}");
        }
    }
}
