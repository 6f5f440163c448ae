//! What the command line and the bytes of a file say about how it has to be read, as keys of `[data]`.

use shoal_io::{DecimalCommas, Query, Source, TextEncoding};

use crate::args::InitArgs;
use crate::failure::Failure;

/// What was found.
pub(super) struct Found {
    /// The data as a source that is read so.
    pub source: Source,
    keys: Vec<Key>,
    /// What a person should know about it.
    pub notes: Vec<String>,
}

/// A key of `[data]`, with the reason for it.
struct Key {
    name: &'static str,
    value: String,
    because: Option<String>,
}

impl Found {
    /// Looks at the beginning of the data.
    pub(super) fn of(args: &InitArgs) -> Result<Found, Failure> {
        let mut found = Found { source: Source::new(&args.data), keys: Vec::new(), notes: Vec::new() };
        let mut said = |name, value: &Option<String>| {
            found.keys.extend(value.clone().map(|value| Key { name, value, because: None }));
        };
        said("encoding", &args.encoding);
        said("sheet", &args.sheet);
        said("table", &args.table);
        said("query", &args.query);
        found.source.sheet = args.sheet.clone();
        let table = args.table.clone().map(Query::Table);
        found.source.query = table.or_else(|| args.query.clone().map(Query::Select));
        match &args.encoding {
            Some(label) => {
                let encoding = TextEncoding::of_label(label);
                let unknown = || Failure::Encoding { label: label.clone() };
                found.source.encoding = Some(encoding.ok_or_else(unknown)?);
            }
            None => found.find_encoding()?,
        }
        if found.source.encoding.is_none() {
            found.notes.extend(found.source.notes()?);
        }
        Ok(found)
    }

    fn find_encoding(&mut self) -> Result<(), Failure> {
        if let Some(seen) = shoal_io::sniff_encoding(&self.source.location)? {
            let label = seen.encoding.label();
            self.source.encoding = Some(seen.encoding);
            self.notes.push(format!(
                "{}, so the text is taken for {label}; what is published is UTF-8",
                seen.because
            ));
            self.keys.push(Key { name: "encoding", value: label, because: Some(seen.because) });
        }
        Ok(())
    }

    /// Numbers with decimal commas were found.
    pub(super) fn add_decimal_commas(&mut self, commas: &DecimalCommas) {
        let because = format!("`{}` in column `{}` has a decimal comma", commas.example, commas.column);
        self.notes.push(format!("{because}; such numbers are published with a decimal point"));
        self.keys.push(Key { name: "decimal", value: ",".to_owned(), because: Some(because) });
    }

    /// The policy with the keys, each with its reason, after the line that names the source.
    pub(super) fn insert_into(&self, policy: &str) -> String {
        let mut text = String::with_capacity(policy.len());
        let mut keys = self.keys.as_slice();
        for line in policy.split_inclusive('\n') {
            text.push_str(line);
            if line.starts_with("source = ") {
                for Key { name, value, because } in std::mem::take(&mut keys) {
                    let because =
                        because.as_ref().map_or_else(String::new, |because| format!("  # {because}"));
                    text.push_str(&format!("{name} = {}{because}\n", toml_string(value)));
                }
            }
        }
        text
    }
}

/// A text as TOML writes it: the escapes of JSON are known to TOML, too.
fn toml_string(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}
