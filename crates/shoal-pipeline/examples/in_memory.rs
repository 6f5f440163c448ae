//! Anonymizes a table that is in memory and prints the proof: `cargo run -p shoal-pipeline --example in_memory`

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
use arrow_cast::display::array_value_to_string;
use shoal_core::{PolicyDocument, Silent, hierarchy};
use shoal_pipeline::{Assets, BatchSink, BatchSource, Request, run};

const POLICY: &str = r#"
version = 1
data.shape = "table"
columns.age = { role = "quasi-identifier", kind = "integer" }
columns.town = { role = "quasi-identifier", hierarchy = "towns" }
columns.illness = { role = "sensitive" }
privacy.k = 3
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What the policy names beside the data is handed over under the name that it uses.
    let towns = hierarchy::from_text("Ulm;South;*\nPassau;South;*\nKiel;North;*\nBremen;North;*\n")?;
    let assets = Assets::default().with_hierarchy("towns", towns);
    let request = Request::new(PolicyDocument::parse(POLICY, &[])?, assets)?;

    let mut people = BatchSource::new("people", vec![people()?]);
    let release = run(&request, &mut people, &mut BatchSink, &Silent)?;

    // The verifier has read back what was staged; this is what it found, and what the promise does not cover.
    for finding in release.certificate().promises() {
        println!("{}: asked {}, found {}", finding.promise.name(), finding.promise.asked(), finding.found);
    }
    println!("loss {:.1} %", 100.0 * release.report.loss.ncp());
    for leak in &release.report.leaks {
        println!("not covered: {}", leak.text());
    }
    // Nobody but the verifier has seen the data so far.
    for batch in release.publish()? {
        for row in 0..batch.num_rows() {
            let cell = |column: &ArrayRef| array_value_to_string(column, row);
            println!("{}", batch.columns().iter().map(cell).collect::<Result<Vec<_>, _>>()?.join(", "));
        }
    }
    Ok(())
}

fn people() -> Result<RecordBatch, arrow_schema::ArrowError> {
    let ages = Int64Array::from(vec![34, 36, 41, 47, 52, 58, 63, 39]);
    let towns: DictionaryArray<Int32Type> =
        ["Ulm", "Passau", "Ulm", "Kiel", "Bremen", "Kiel", "Bremen", "Ulm"].into_iter().collect();
    let illnesses = StringArray::from(vec!["flu", "cold", "flu", "asthma", "flu", "cold", "flu", "asthma"]);
    let columns: [(&str, ArrayRef); 3] =
        [("age", Arc::new(ages)), ("town", Arc::new(towns)), ("illness", Arc::new(illnesses))];
    RecordBatch::try_from_iter(columns)
}
