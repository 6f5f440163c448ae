//! Plays every scenario below `scenarios/`.

use shoal_testkit::{Scenario, data, play};

#[test]
fn every_scenario_comes_out_as_written() {
    let files = Scenario::all_below(&data::root().join("scenarios"));
    assert!(files.len() >= 5, "only {} scenarios were found", files.len());
    let mut failures = Vec::new();
    for file in &files {
        match Scenario::read(file) {
            Err(error) => failures.push(format!("{}: {}", file.display(), error.0)),
            Ok(scenario) => {
                failures.extend(play(&scenario).iter().map(|m| format!("{}: {m}", file.display())));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
