//! A proposal as the policy file that a person reviews.

use std::fmt::Write;

use shoal_core::Role;

use super::beside::data_stem;
use super::profile::plain;
use super::{ColumnProposal, EventsProposal, Proposal, StreamProposal};

/// The crowd that is proposed where there are enough records.
const USUAL_K: u64 = 10;

impl Proposal {
    /// The k that was chosen or is proposed: 10, or less for very few records, so that there can be two crowds.
    pub fn k(&self) -> u64 {
        self.choices.k.unwrap_or_else(|| (self.rows() / 2).clamp(2, USUAL_K))
    }

    /// The commented policy.
    pub fn to_toml(&self) -> String {
        let mut text = self.heading();
        text.push_str("version = 1\n\n");
        text.push_str(&self.data());
        self.columns.iter().for_each(|column| text.push_str(&self.column(column)));
        text.push_str(&self.rest());
        text
    }

    /// Among how many values a stream hides a sensitive one.
    pub fn l(&self) -> u64 {
        self.choices.l.unwrap_or(5)
    }

    fn rows(&self) -> u64 {
        self.source.rows.unwrap_or(self.sampled as u64)
    }

    fn heading(&self) -> String {
        let looked_at = match self.source.rows {
            Some(rows) if rows > self.sampled as u64 => {
                format!("the first {} of {rows} records", self.sampled)
            }
            Some(rows) => format!("all {rows} records"),
            None => format!("the first {} records", self.sampled),
        };
        let mut text = comment(&format!("A policy for {}, proposed from {looked_at}.", self.source.location));
        text.push_str("#\n");
        text.push_str(&comment(
            "The roles are proposals, made from the names and the values of the columns. They can be wrong, and \
             a wrong role can give people away: review every one of them.",
        ));
        let (quasi, sensitive) = match self.stream {
            Some(_) => ("is published as it is", "is published among l values"),
            None => ("is published in common with a crowd", "is published as it is"),
        };
        let _ = write!(
            text,
            "#   identifier        names a person; is not published\n\
             #   quasi-identifier  may be known to others; {quasi}\n\
             #   sensitive         nobody should learn it; {sensitive}\n\
             #   insensitive       neither of them; is published as it is\n\n",
        );
        text
    }

    fn data(&self) -> String {
        let source = &self.source;
        let mut text = match &self.stream {
            Some(stream) => stream_text(stream, &source.policy, &source.location),
            None => {
                let shape = if self.events.is_some() { "sequences" } else { "table" };
                format!("[data]\nshape = \"{shape}\"\nsource = {}\n", string(&source.location))
            }
        };
        if let Some(separator) = source.separator {
            key(&mut text, "separator", &string(&separator.to_string()));
        }
        if source.separator.is_some() || !source.header {
            key(&mut text, "header", &source.header.to_string());
        }
        if !source.header {
            let names: Vec<String> = self.columns.iter().map(|column| string(&column.name)).collect();
            text.push_str("# The source does not name its columns. Rename them here and below.\n");
            key(&mut text, "names", &format!("[{}]", names.join(", ")));
        }
        let missing: Vec<String> = self.missing_tokens().iter().map(|token| string(token)).collect();
        key(&mut text, "missing", &format!("[{}]", missing.join(", ")));
        self.questions
            .iter()
            .for_each(|question| text.push_str(&comment(&format!("QUESTION: {}", question.text))));
        if let Some(events) = &self.events {
            text.push_str(&events_text(events));
        }
        if let Some(person) = self.people() {
            text.push_str(&comment(&format!(
                "`{person}` names somebody and repeats, so one person may have several records, and a crowd of k records \
                 could be fewer people, even one. With this line all promises count people. Remove it if every \
                 record is another person's."
            )));
            key(&mut text, "person", &string(person));
        }
        text.push('\n');
        text
    }

    /// The column that says whose a record of a table is.
    fn people(&self) -> Option<&str> {
        let is_table = self.events.is_none() && self.stream.is_none();
        self.person.as_deref().filter(|_| is_table)
    }

    /// The usual ones and all that were seen, each once.
    pub(super) fn missing_tokens(&self) -> Vec<&str> {
        let mut tokens = vec!["", "?"];
        for token in self.columns.iter().flat_map(|column| &column.missing_tokens) {
            if !tokens.contains(&token.as_str()) {
                tokens.push(token);
            }
        }
        tokens
    }

    fn column(&self, column: &ColumnProposal) -> String {
        let mut text = comment(&format!("{}.", capital(&column.facts)));
        text.push_str(&comment(&format!("{}: {}.", capital(column.role.name()), column.reason)));
        if let Some(note) = &column.note {
            text.push_str(&comment(&format!("{}.", capital(note))));
        }
        for found in &column.safe_harbor {
            text.push_str(&comment(&format!("HIPAA Safe Harbor, where it applies: {found}.")));
        }
        let _ = writeln!(text, "[columns.{}]", key_name(&column.name));
        key(&mut text, "role", &string(column.role.name()));
        key(&mut text, "kind", &string(column.kind.name()));
        if let Some(format) = &column.format {
            key(&mut text, "format", &string(format));
        }
        for found in &column.found_hierarchies {
            text.push_str(&comment(&format!("{} {}.", found.file, found.says)));
            let unused = if found.used { "" } else { "# " };
            key(&mut text, &format!("{unused}hierarchy"), &string(&found.file));
        }
        let has_one = column.found_hierarchies.iter().any(|found| found.used);
        if let Some(hierarchy) = column.hierarchy.as_ref().filter(|_| !has_one) {
            let command = hierarchy.command(&self.source.policy, &column.name);
            let _ = writeln!(text, "# hierarchy = {}  # made by:", string(&hierarchy.file));
            let _ = writeln!(text, "#   {command}");
            if let [first, more @ ..] = hierarchy.others.as_slice() {
                text.push_str(&comment(&format!(
                    "{} not in its table and would go straight to `*`: `{}`{}.",
                    match more.len() {
                        0 => "1 value is".to_owned(),
                        more => format!("{} values are", more + 1),
                    },
                    plain(first),
                    if more.is_empty() { "" } else { ", …" }
                )));
            }
        }
        text.push('\n');
        text
    }

    fn rest(&self) -> String {
        if self.stream.is_some() {
            return self.rest_of_stream();
        }
        let k = self.k();
        let crowd = if self.events.is_some() || self.people().is_some() { "people" } else { "records" };
        let mut text = String::from("[privacy]\n");
        text.push_str(&comment(&match k {
            k if k >= USUAL_K || self.choices.k.is_some() => {
                format!("Everybody is in a crowd of at least k {crowd} that look the same.")
            }
            _ => format!(
                "Everybody is in a crowd of at least k {crowd} that look the same. {USUAL_K} is usual; there {} \
                 only {}.",
                if self.rows() == 1 { "is" } else { "are" },
                counted(self.rows() as usize, "record", "records")
            ),
        }));
        key(&mut text, "k", &k.to_string());
        if self.columns.iter().all(|column| column.role != Role::QuasiIdentifier) {
            text.push_str(&comment(
                "No column is a quasi-identifier yet, so there is nothing to anonymize: give at least one that role.",
            ));
        }
        if self.events.is_some() {
            text.push_str(&comment(
                "How much of a crowd may have a highly sensitive value in one of their events, and which values \
                 these are; a choice that only a person can make:",
            ));
            match self.choices.c {
                Some(c) => {
                    let values: Vec<String> =
                        self.choices.sensitive_values.iter().map(|v| string(v)).collect();
                    key(&mut text, "c", &c.to_string());
                    key(&mut text, "sensitive-values", &format!("[{}]", values.join(", ")));
                }
                None => text.push_str("# c = 0.5\n# sensitive-values = [\"…\"]\n"),
            }
        }
        if self.events.is_none() && self.columns.iter().any(|column| column.role == Role::Sensitive) {
            text.push_str(&comment(
                "What else must be true of the sensitive values of every crowd; a choice that only a person can make:",
            ));
            match self.choices.l {
                Some(l) => key(&mut text, "l-diversity", &format!("{{ kind = \"distinct\", l = {l} }}")),
                None => text.push_str("# l-diversity = { kind = \"distinct\", l = 3 }\n"),
            }
            text.push_str("# t-closeness = 0.2\n# beta-likeness = 2.0\n");
        }
        let algorithm = if self.events.is_some() { "cbmsa" } else { "ribbon" };
        let _ = write!(text, "\n[algorithm]\nname = \"{algorithm}\"\nseed = 0\n\n[output]\n");
        key(&mut text, "path", &string(&self.output()));
        key(&mut text, "report", "\"report/\"");
        text
    }

    fn rest_of_stream(&self) -> String {
        let mut text = String::from("[privacy]\n");
        text.push_str(&comment("Every tuple leaves at once, its sensitive value among l."));
        key(&mut text, "l", &self.l().to_string());
        if self.columns.iter().all(|column| column.role != Role::Sensitive) {
            text.push_str(&comment(
                "No column is sensitive yet, so there is nothing to hide: give at least one that role.",
            ));
        }
        text.push_str("\n[algorithm]\nname = \"delay-free\"\n");
        text.push_str(&comment(
            "The values and their shares are learned from the first tuples, which are not published: what others are \
             hidden among would reveal something about them. A file with the columns value and count avoids that:  prior-file = \"…\"",
        ));
        text.push_str("learn = 1000\n\n[state]\n");
        text.push_str(&comment(
            "What was learned, and the key: as secret as the data, and of this policy only.",
        ));
        key(&mut text, "dir", &string(&format!("{}.state", self.stem().0)));
        text
    }

    /// The published file that was chosen; otherwise `adult.csv.gz` is published as `adult.k10.csv`, in the policy's folder.
    pub fn output(&self) -> String {
        if let Some(chosen) = &self.choices.output {
            return chosen.clone();
        }
        let (stem, end) = self.stem();
        format!("{stem}.k{}.{end}", self.k())
    }

    /// What the source is called without what says its format, and how its release ends.
    fn stem(&self) -> (String, &'static str) {
        let location = &self.source.location;
        let stem = if location.contains("://") { "" } else { data_stem(location) };
        let is_parquet =
            [".parquet", ".parquet.gz", ".parquet.zst"].iter().any(|end| location.ends_with(end));
        let end = if is_parquet && !stem.is_empty() { "parquet" } else { "csv" };
        let stem: String = stem.chars().filter(|c| !"*?[]{}".contains(*c)).collect();
        let stem = stem.trim_matches(['-', '_', '.', ' ']);
        (if stem.is_empty() { "published" } else { stem }.to_owned(), end)
    }
}

/// Where tuples come from, and whose they are.
fn stream_text(stream: &StreamProposal, policy: &str, location: &str) -> String {
    let mut text = String::from("[data]\nshape = \"stream\"\n");
    text.push_str(&format!("# Try it: {}\n", super::stream_command(policy, location)));
    key(&mut text, "source", "\"-\"");
    key(&mut text, "format", &string(stream.format));
    match &stream.person {
        Some(person) => {
            text.push_str(&comment("Whose tuple it is: whoever returns gets the same values again."));
            key(&mut text, "person", &string(person));
        }
        None => text.push_str(&comment(
            "No column looks like it names people. If people return, name the column:  person = \"…\"",
        )),
    }
    text
}

/// Whose event a row is, and which came first.
fn events_text(events: &EventsProposal) -> String {
    let mut text = String::new();
    match &events.id {
        Some(id) => {
            text.push_str(&comment(&format!("Whose event a row is: {}.", events.id_reason)));
            key(&mut text, "id", &string(id));
        }
        None => text.push_str("# id = \"…\"\n"),
    }
    for (column, why) in &events.other_ids {
        let _ = writeln!(text, "# id = {}", string(column));
        text.push_str(&comment(&format!("would be: {why}. Its role must be identifier then.")));
    }
    if events.order.is_empty() {
        text.push_str("# order = [\"…\"]\n# ties = \"file\"\n");
        return text;
    }
    text.push_str(&comment(&format!("Which event came first: {}.", events.order_reason)));
    let order: Vec<String> = events.order.iter().map(|name| string(name)).collect();
    key(&mut text, "order", &format!("[{}]", order.join(", ")));
    if events.ties > 0 {
        text.push_str(&comment(&format!(
            "{} of the sample are equal to another one of the same person in these columns. With this line they keep \
             the order of the file's rows, and that order becomes a part of the data. Another column decides instead:  \
             ties = \"column\". Without the line a run stops and names them.",
            counted(events.ties, "row", "rows")
        )));
        key(&mut text, "ties", "\"file\"");
    }
    text
}

/// `1 row`, `2 rows`.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn key(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "{name} = {value}");
}

/// Lines of a comment, filled with words up to the width of a page.
pub(super) fn comment(text: &str) -> String {
    const WIDTH: usize = 100;
    let mut lines = String::new();
    let mut line = String::from("#");
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line != "#" {
            lines.push_str(&line);
            lines.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}

pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// A TOML key: bare where it may be.
pub(super) fn key_name(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if bare { name.to_owned() } else { string(name) }
}

/// A TOML string.
pub(super) fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use shoal_core::{PolicyDocument, RawTable};

    use super::super::{Source, propose};

    fn source(location: &str) -> Source {
        Source {
            location: location.to_owned(),
            separator: Some(','),
            header: true,
            rows: None,
            policy: "policy.toml".to_owned(),
        }
    }

    fn table(rows: usize) -> RawTable {
        let rows: Vec<Vec<String>> =
            (0..rows).map(|i| vec![format!("{}", 20 + i % 50), "x".into()]).collect();
        RawTable::from_rows(&["age", "job"], &rows)
    }

    #[test]
    fn k_leaves_room_for_two_crowds() {
        for (rows, k) in [(0, 2), (3, 2), (9, 4), (20, 10), (1000, 10)] {
            assert_eq!(propose(&table(rows), source("a.csv")).k(), k, "{rows}");
        }
        let of_many = Source { rows: Some(1_000_000), ..source("a.csv") };
        assert_eq!(propose(&table(8), of_many).k(), 10);
    }

    #[test]
    fn who_names_people_and_repeats_says_whose_records_they_are() {
        let visits = |of: usize| {
            let row = |i: usize| vec![format!("{}", 20 + i % 50), format!("p{}", i % of), format!("v{i}")];
            let rows: Vec<Vec<String>> = (0..100).map(row).collect();
            RawTable::from_rows(&["age", "patient_id", "visit_id"], &rows)
        };
        let text = propose(&visits(60), source("visits.csv")).to_toml();
        assert!(text.contains("person = \"patient_id\"") && text.contains("at least k people"), "{text}");
        let policy = PolicyDocument::parse(&text, &[]).unwrap();
        assert_eq!(policy.policy().data.person.as_deref(), Some("patient_id"));
        let text = propose(&visits(100), source("visits.csv")).to_toml();
        assert!(!text.contains("person =") && text.contains("at least k records"), "{text}");
    }

    #[test]
    fn a_name_that_repeats_is_a_person_in_doubt() {
        let row = |i: usize| vec![format!("{}", 20 + i % 50), format!("Ann {}", i % 80)];
        let rows: Vec<Vec<String>> = (0..100).map(row).collect();
        let proposal = propose(&RawTable::from_rows(&["age", "name"], &rows), source("people.csv"));
        assert_eq!(proposal.person.as_deref(), Some("name"));
        assert!(proposal.to_toml().contains("# QUESTION: which column says whose a row is?"));
    }

    #[test]
    fn the_output_is_named_after_the_source() {
        for (location, output) in [
            ("data/adult.csv.gz", "adult.k10.csv"),
            ("adult.data.gz", "adult.k10.csv"),
            ("a.b.parquet", "a.b.k10.parquet"),
            ("visits-*.csv", "visits.k10.csv"),
            ("-", "published.k10.csv"),
            ("postgres://host/people", "published.k10.csv"),
        ] {
            assert_eq!(propose(&table(100), source(location)).output(), output);
        }
    }

    #[test]
    fn names_and_values_cannot_break_out_of_their_place() {
        let nasty = ["a.b", "say \"so\"", "new\nline = 1", "back\\slash", "tab\t", "", "ü", "]\r\n[privacy]"];
        let rows: Vec<Vec<String>> =
            (0..40).map(|i| nasty.iter().map(|name| format!("{name}{}\n[x]", i % 2)).collect()).collect();
        let sample = RawTable::from_rows(&nasty, &rows);
        let odd = Source { header: false, separator: Some('\t'), ..source("it's\n.csv") };
        let text = propose(&sample, odd).to_toml();
        let policy = PolicyDocument::parse(&text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let names: Vec<&str> = policy.policy().columns.keys().map(String::as_str).collect();
        assert_eq!(names, nasty);
    }
}
