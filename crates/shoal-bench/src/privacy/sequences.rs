//! How long the verifier needs on sequences: `cargo run --release -p shoal-bench -- privacy sequences`.
//!
//! 100,000 people with five events each in crowds of ten, four quasi-identifiers and two sensitive columns. The
//! file is its own original, so that conservation reads every cell.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use shoal_core::{Column, Kind, RawTable, Role, Sequences, Table};
use shoal_privacy::{
    Confidence, RecordOrder, SequenceAnonymity, SequencesClaim, SequencesModel, judge_sequences,
};

const PEOPLE: usize = 100_000;
const EVENTS: usize = 5;
const NAMES: [&str; 7] = ["id", "year", "zip", "days", "stay", "illness", "ward"];

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let published = RawTable::from_rows(&NAMES, &rows());
    let original = original(&published);
    let origin: Vec<u32> = (0..published.rows as u32).collect();
    let high = |column| Confidence::new(column, &["0".to_owned()], 1.0).expect("a promise");
    let models: [Box<dyn SequencesModel>; 3] = [
        Box::new(SequenceAnonymity::new(10).expect("a promise")),
        Box::new(high("illness")),
        Box::new(high("ward")),
    ];
    for _ in 0..3 {
        let start = Instant::now();
        let claim = SequencesClaim {
            id: "id",
            original: &original,
            origin: &origin,
            left_out: 0,
            order: RecordOrder::Input,
        };
        let verified = judge_sequences(&published, claim, &models, &shoal_core::Silent)
            .expect("everybody has nine doubles");
        let classes = verified.classes().len();
        println!("{PEOPLE} people, {classes} classes: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        black_box(verified);
    }
    Ok(())
}

fn rows() -> Vec<Vec<String>> {
    let event = |row: usize| {
        let (person, place) = (row / EVENTS, row % EVENTS);
        // Crowds are spread over the file; a multiplicative hash makes their events differ.
        let crowd = person % (PEOPLE / 10);
        let mix = (crowd * EVENTS + place).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
        let illness = row.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        let numbers = [2000 + mix % 10, mix % 997, mix % 365, mix % 35, illness % 40, illness % 7];
        let cells = numbers.iter().map(usize::to_string);
        std::iter::once((person + 1).to_string()).chain(cells).collect()
    };
    (0..PEOPLE * EVENTS).map(event).collect()
}

fn original(published: &RawTable) -> Sequences {
    let columns = published.columns.iter().enumerate().map(|(at, column)| {
        let role = match at {
            0 => Role::Identifier,
            1..=4 => Role::QuasiIdentifier,
            _ => Role::Sensitive,
        };
        Column::encode(column, role, Kind::Text, &[]).expect("anything is a text")
    });
    let events = Table { columns: columns.collect(), rows: published.rows };
    let starts = (0..=PEOPLE).map(|person| (person * EVENTS) as u32).collect();
    Sequences::new(events, starts).expect("everybody has five events")
}
