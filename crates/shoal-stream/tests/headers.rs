//! A CSV stream says in its first line how its columns are ordered, and the next run may say otherwise. What waits or is
//! replayed was read under the old header.

use std::io::Cursor;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use shoal_pipeline::files::Job;
use shoal_stream::{
    ConnectorError, Figures, Mark, Message, Sink, StdinSource, StreamError, StreamOptions, Watcher,
    run_between,
};

const POLICY: &str = r#"
version = 1
[data]
shape = "stream"
source = "-"
format = "csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.weight]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
k = 3
[algorithm]
name = "castle"
delta = 10
[state]
dir = "state"
"#;

/// Ages are below 100 and weights above.
fn rows(from: usize, to: usize, weight_first: bool) -> String {
    let row = |n: usize| {
        let (age, weight, illness) =
            (20 + n * 7 % 60, 150 + n * 11 % 40, ["a", "b, \"c\""][n % 2].replace('"', "\"\""));
        match weight_first {
            true => format!("\"{illness}\",{weight},{age}\n"),
            false => format!("{age},{weight},\"{illness}\"\n"),
        }
    };
    let header = if weight_first { "illness,weight,age\n" } else { "age,weight,illness\n" };
    header.to_owned() + &(from..to).map(row).collect::<String>()
}

/// Keeps lines until its luck ends.
struct Kept {
    lines: Arc<Mutex<String>>,
    luck: usize,
}

impl Sink for Kept {
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        Ok(None)
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        if self.luck == 0 {
            return Err(ConnectorError::Refused {
                url: "test".into(),
                why: "crash".into(),
                hint: String::new(),
            });
        }
        self.luck -= 1;
        let mut lines = self.lines.lock().unwrap();
        messages
            .iter()
            .for_each(|message| lines.push_str(std::str::from_utf8(message.lines.bytes()).unwrap()));
        Ok(())
    }
}

struct Silent;

impl Watcher for Silent {
    fn notice(&self, _text: &str) {}
    fn status(&self, _figures: &Figures) {}
}

#[test]
fn a_row_is_replayed_as_it_was_read_whatever_the_next_header_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.toml");
    std::fs::write(&path, POLICY).unwrap();
    let job = Job::open(&path, &[]).unwrap();
    let lines: Arc<Mutex<String>> = Arc::default();
    let start = |input: String, luck: usize| -> Result<Figures, StreamError> {
        let source = Box::new(StdinSource::new(Cursor::new(input), true));
        let sink = Box::new(Kept { lines: Arc::clone(&lines), luck });
        run_between(&job, source, sink, &StreamOptions::default(), &AtomicBool::new(false), &Silent)
    };
    // The first run is written down and dies before anything has left.
    assert!(matches!(start(rows(0, 30, true), 0), Err(StreamError::Connector(_))));
    start(rows(30, 60, false), usize::MAX).unwrap();
    let lines = lines.lock().unwrap();
    assert_eq!(lines.lines().count(), 60);
    let mut number = String::new();
    let mut numbers = Vec::new();
    for line in lines.lines() {
        // `"[20, 30]","[150, 160]",…`: two numbers of an age, then two of a weight; or one where both are equal.
        for character in line.chars() {
            if character.is_ascii_digit() {
                number.push(character);
            } else if !number.is_empty() {
                numbers.push(std::mem::take(&mut number).parse::<u32>().unwrap());
            }
        }
        let weights = numbers.iter().position(|number| *number >= 150).unwrap();
        assert!(weights >= 1 && numbers[weights..].iter().all(|number| *number >= 150), "{line}");
        assert!(line.ends_with(",a") || line.ends_with(",\"b, \"\"c\"\"\""), "{line}");
        numbers.clear();
    }
}
