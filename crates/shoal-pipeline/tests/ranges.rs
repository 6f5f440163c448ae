//! The same release with ranges as texts and as two columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use proptest::prelude::*;
use shoal_core::{PolicyDocument, RawTable, Silent};
use shoal_pipeline::{Assets, BatchSink, BatchSource, Request, run};

type Person = (u8, u8, u8, bool);

/// Ages, weights with a fraction, dates and sexes; nobody's is missing.
fn batch(people: &[Person]) -> RecordBatch {
    let texts =
        |of: fn(&Person) -> String| Arc::new(people.iter().map(|p| Some(of(p))).collect::<StringArray>());
    let columns: [(&str, ArrayRef); 4] = [
        ("age", texts(|person| person.0.to_string())),
        ("weight", texts(|person| format!("{}.5", person.1))),
        ("born", texts(|person| format!("20{:02}-03-04", person.2 % 90))),
        ("sex", texts(|person| if person.3 { "f" } else { "m" }.to_owned())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn release(people: &[Person], algorithm: &str, ranges: &str) -> RawTable {
    let quasi = |name: &str, kind: &str| {
        format!(
            "columns.{name} = {{ role = \"quasi-identifier\", kind = \"{kind}\", missing = \"error\" }}\n"
        )
    };
    let policy = format!(
        "version = 1\ndata.shape = \"table\"\nprivacy.k = 2\nalgorithm.name = \"{algorithm}\"\n\
         output.ranges = \"{ranges}\"\noutput.suppressed = \"star\"\n{}{}{}{}",
        quasi("age", "integer"),
        quasi("weight", "decimal"),
        quasi("born", "date"),
        quasi("sex", "text"),
    );
    let request = Request::new(PolicyDocument::parse(&policy, &[]).unwrap(), Assets::default()).unwrap();
    let mut source = BatchSource::new("people", vec![batch(people)]);
    let release = run(&request, &mut source, &mut BatchSink, &Silent).unwrap();
    let batches = release.publish().unwrap().into_iter().map(Ok);
    shoal_io::read_batches("published", batches, &|_| true, None, &Silent).unwrap().table
}

/// A row of texts; of two columns what one would say.
fn rows(table: &RawTable) -> Vec<Vec<String>> {
    let cell = |name: &str, row: usize| match table.column(name) {
        Some(column) => column.text(row).to_owned(),
        None => {
            let end = |end: &str| table.column(&format!("{name}_{end}")).unwrap().text(row);
            match (end("min"), end("max")) {
                ("", "") => "*".to_owned(),
                (lo, hi) if lo == hi => lo.to_owned(),
                (lo, hi) => format!("[{lo}, {hi}]"),
            }
        }
    };
    (0..table.rows).map(|row| ["age", "weight", "born", "sex"].map(|name| cell(name, row)).to_vec()).collect()
}

/// Intervals that are built have as many digits as the finest value, `[20.0, 29.5]`; two columns have numbers.
fn without_zeros(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let plain = |text: String| text.replace(".0,", ",").replace(".0]", "]");
    rows.into_iter().map(|row| row.into_iter().map(plain).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn two_columns_say_what_a_text_says(
        people in prop::collection::vec((0..99_u8, 40..60_u8, any::<u8>(), any::<bool>()), 4..40),
        algorithm in prop::sample::select(vec!["ribbon", "mondrian", "sbc", "datafly", "incognito"]),
    ) {
        let texts = without_zeros(rows(&release(&people, algorithm, "text")));
        let columns = rows(&release(&people, algorithm, "columns"));
        // The order is that of what is published; taken apart or not, a range has one place in it.
        let sorted = |mut rows: Vec<Vec<String>>| { rows.sort(); rows };
        prop_assert_eq!(sorted(texts), sorted(columns));
    }
}
