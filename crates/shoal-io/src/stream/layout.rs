use shoal_core::policy::{AlgorithmName, DataFormat, MissingPolicy, ModePolicy, Policy};
use shoal_core::{DateFormat, Kind, MissingTexts, Role, ValueParser};

use crate::csv::Rules;

/// What lines a published stream has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamForm {
    /// A tuple and l values.
    Sets,
    /// A tuple and its group; a value of a group.
    Groups,
    /// A generalized tuple.
    Rows,
}

/// How the tuples of a policy are read, and how its lines are written and read again.
#[derive(Clone, Debug)]
pub struct StreamLayout {
    pub(super) form: StreamForm,
    pub(super) format: DataFormat,
    pub(super) rules: Rules,
    pub(super) missing: MissingTexts,
    pub(super) columns: Vec<StreamColumn>,
    /// The columns of a CSV row, in its order.
    pub(super) row: Vec<usize>,
    /// How many columns are published beside the sensitive value.
    pub(super) cells: usize,
    /// How many columns are sensitive.
    pub(super) sensitive: usize,
}

/// A column of the stream.
#[derive(Clone, Debug)]
pub(super) struct StreamColumn {
    pub name: String,
    /// The name as a key of a JSON object, with its colon.
    pub key: String,
    pub place: Place,
    pub parser: ValueParser,
    pub must_have_value: bool,
    pub is_quasi: bool,
}

/// Where a column goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Cell(usize),
    Sensitive(usize),
    Person,
    Nowhere,
}

impl StreamLayout {
    /// The layout of a checked policy.
    pub fn of(policy: &Policy) -> StreamLayout {
        let (mut cells, mut sensitive) = (0, 0);
        let next = |counter: &mut usize| {
            *counter += 1;
            *counter - 1
        };
        let columns: Vec<StreamColumn> = policy
            .columns
            .iter()
            .map(|(name, column)| StreamColumn {
                name: name.clone(),
                key: format!("{}:", serde_json::Value::from(name.as_str())),
                place: match column.role {
                    Role::QuasiIdentifier | Role::Insensitive | Role::PersonalK => {
                        Place::Cell(next(&mut cells))
                    }
                    Role::Sensitive => Place::Sensitive(next(&mut sensitive)),
                    Role::Identifier if policy.data.person.as_ref() == Some(name) => Place::Person,
                    Role::Identifier => Place::Nowhere,
                },
                parser: parser(column.kind, column.format.as_deref()),
                must_have_value: column.missing != MissingPolicy::Category,
                is_quasi: column.role == Role::QuasiIdentifier,
            })
            .collect();
        let form = match (policy.algorithm_name(), policy.algorithm.mode.unwrap_or_default()) {
            (AlgorithmName::Castle, _) => StreamForm::Rows,
            (_, ModePolicy::Hardened) => StreamForm::Sets,
            (_, ModePolicy::Paper | ModePolicy::Published) => StreamForm::Groups,
        };
        let row = match policy.data.names.is_empty() {
            true => (0..columns.len()).collect(),
            false => policy.data.names.iter().filter_map(|name| policy.columns.get_index_of(name)).collect(),
        };
        StreamLayout {
            form,
            format: policy.data.format.unwrap_or(DataFormat::Ndjson),
            rules: Rules { separator: policy.data.separator().as_bytes()[0], trim: policy.data.trim() },
            missing: MissingTexts::new(&policy.data.missing),
            columns,
            row,
            cells,
            sensitive,
        }
    }

    /// What lines the published stream has.
    pub fn form(&self) -> StreamForm {
        self.form
    }

    /// Whether tuples are CSV rows.
    pub fn is_csv(&self) -> bool {
        self.format == DataFormat::Csv
    }

    /// The names of the published cells: quasi-identifiers and insensitive columns, in the order of the policy.
    pub fn cell_names(&self) -> impl Iterator<Item = &str> {
        self.published_cells().map(|column| column.name.as_str())
    }

    /// Whether each published cell is one of a quasi-identifier.
    pub fn quasi(&self) -> Vec<bool> {
        self.published_cells().map(|column| column.is_quasi).collect()
    }

    /// How the values of each published cell are read.
    pub fn cell_parsers(&self) -> impl Iterator<Item = &ValueParser> {
        self.published_cells().map(|column| &column.parser)
    }

    /// The names of the sensitive columns.
    pub fn sensitive_names(&self) -> impl Iterator<Item = &str> {
        let sensitive = self.columns.iter().filter(|column| matches!(column.place, Place::Sensitive(_)));
        sensitive.map(|column| column.name.as_str())
    }

    pub(super) fn published_cells(&self) -> impl Iterator<Item = &StreamColumn> {
        self.columns.iter().filter(|column| matches!(column.place, Place::Cell(_)))
    }
}

fn parser(kind: Kind, format: Option<&str>) -> ValueParser {
    // A policy's formats were checked when it was read.
    let format = format.and_then(|format| DateFormat::new(format).ok()).unwrap_or_default();
    ValueParser::new(kind, format)
}
