use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shoal_algorithms::stream::castle::{Castle, CastleCell, CastleColumn, CastleRelease, CastleValue};
use shoal_core::stream::StreamTuple;
use shoal_core::{Hierarchy, Kind, ValueParser, quote_in_set};
use shoal_io::stream::StreamLayout;
use shoal_privacy::stream::GateColumn;

use super::{Arrival, Dictionary, KernelFigures, Unreleasable};

/// Tuples wait here for a crowd; their bytes do, too.
pub(crate) struct CastleEngine {
    kernel: Castle,
    columns: Vec<QuasiColumn>,
    values: Dictionary,
    waiting: BTreeMap<u64, Vec<u8>>,
    releases: Vec<CastleRelease>,
    /// What people's numbers are made with: they are written down.
    people: [u8; 32],
    has_clock: bool,
}

/// A line that leaves, and by what it stands where it does.
struct Leaving {
    cells: Vec<String>,
    value: String,
    line: Vec<u8>,
    tuple: StreamTuple<'static>,
}

/// A quasi-identifier: where it stands among the cells, and how it is read and written.
struct QuasiColumn {
    cell: usize,
    name: String,
    parser: ValueParser,
    domain: Domain,
}

enum Domain {
    Numbers,
    Names(Dictionary),
    Tree(Arc<Hierarchy>),
}

#[derive(Serialize, Deserialize)]
pub(crate) struct CastleState {
    kernel: Castle,
    names: Vec<Vec<String>>,
    values: Vec<String>,
    waiting: BTreeMap<u64, Vec<u8>>,
}

/// The columns of the kernel, in the order of the cells.
pub(crate) fn kernel_columns(columns: &[GateColumn]) -> Vec<CastleColumn<'_>> {
    let quasi = columns.iter().filter(|column| column.quasi);
    let kind = |column: &'_ GateColumn| column.parser.kind();
    quasi
        .map(|column| match &column.hierarchy {
            Some(tree) => CastleColumn::Tree(tree),
            None if kind(column) == Kind::Text => CastleColumn::Set,
            None => CastleColumn::Number,
        })
        .collect()
}

impl CastleEngine {
    /// `people` is the key that people's numbers are made with; `has_clock` says whether tuples leave by the clock.
    pub(crate) fn new(
        kernel: Castle,
        columns: &[GateColumn],
        people: [u8; 32],
        has_clock: bool,
    ) -> CastleEngine {
        let quasi = columns.iter().enumerate().filter(|(_, column)| column.quasi);
        let columns = quasi
            .map(|(cell, column)| QuasiColumn {
                cell,
                name: column.name.clone(),
                parser: column.parser.clone(),
                domain: match &column.hierarchy {
                    Some(tree) => Domain::Tree(tree.clone()),
                    None if column.parser.kind() == Kind::Text => Domain::Names(Dictionary::default()),
                    None => Domain::Numbers,
                },
            })
            .collect();
        CastleEngine {
            kernel,
            columns,
            values: Dictionary::of_values(Vec::new()),
            waiting: BTreeMap::new(),
            releases: Vec::new(),
            people,
            has_clock,
        }
    }

    pub(super) fn has_clock(&self) -> bool {
        self.has_clock
    }

    pub(super) fn is_due(&self, time: u64) -> bool {
        self.kernel.is_due(time)
    }

    pub(super) fn tick(
        &mut self,
        layout: &StreamLayout,
        time: u64,
        out: &mut Vec<u8>,
    ) -> Vec<StreamTuple<'static>> {
        self.kernel.advance(time, &mut self.releases);
        self.write(layout, out)
    }

    pub(super) fn take(
        &mut self,
        layout: &StreamLayout,
        arrival: &Arrival<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Vec<StreamTuple<'static>>, Unreleasable> {
        let cells = &arrival.tuple.cells;
        let quasi: Vec<CastleValue> = self
            .columns
            .iter_mut()
            .map(|column| column.read(&cells[column.cell]))
            .collect::<Result<_, _>>()?;
        let Some(value) = self.values.code(&arrival.tuple.value()) else {
            return Err(Unreleasable::TooManyValues { column: "value".to_owned() });
        };
        let person = match &arrival.tuple.person {
            Some(person) => number_of(person, &self.people),
            None => arrival.position,
        };
        self.waiting.insert(arrival.position, arrival.line.to_vec());
        self.kernel.advance(arrival.time, &mut self.releases);
        self.kernel
            .push(arrival.position, person, &quasi, value, &mut self.releases)
            .expect("positions ascend and cells fit the columns");
        Ok(self.write(layout, out))
    }

    pub(super) fn flush(&mut self, layout: &StreamLayout, out: &mut Vec<u8>) -> Vec<StreamTuple<'static>> {
        self.kernel.flush(&mut self.releases);
        self.write(layout, out)
    }

    pub(super) fn figures(&self) -> KernelFigures {
        let figures = self.kernel.figures();
        KernelFigures {
            waiting: Some(self.kernel.waiting()),
            classes: Some(figures.classes),
            reused: Some(figures.reused),
            suppressed: Some(figures.suppressed),
            ..KernelFigures::default()
        }
    }

    pub(super) fn state(&self) -> CastleState {
        let names = self.columns.iter().map(|column| match &column.domain {
            Domain::Names(names) => names.labels().to_vec(),
            Domain::Numbers | Domain::Tree(_) => Vec::new(),
        });
        CastleState {
            kernel: self.kernel.clone(),
            names: names.collect(),
            values: self.values.labels().to_vec(),
            waiting: self.waiting.clone(),
        }
    }

    pub(super) fn resume(&mut self, state: CastleState) {
        self.kernel = state.kernel;
        self.values = Dictionary::of_values(state.values);
        self.waiting = state.waiting;
        for (column, labels) in self.columns.iter_mut().zip(state.names) {
            if let Domain::Names(names) = &mut column.domain {
                *names = Dictionary::new(labels);
            }
        }
    }

    /// Writes the lines of what leaves together, in the order of what they say.
    ///
    /// In the order of arrival, whoever knows who came when could put a name to every line of a crowd. Sorted by what is
    /// published, the bytes are a function of the multiset of lines: the quasi-identifiers of a crowd are alike, so what is
    /// left to sort by are sensitive and insensitive values, which stand there anyway. An order made with the key would
    /// hide no more, and nobody could check it without the key.
    fn write(&mut self, layout: &StreamLayout, out: &mut Vec<u8>) -> Vec<StreamTuple<'static>> {
        let releases = std::mem::take(&mut self.releases);
        let mut leaving: Vec<Leaving> = releases.iter().map(|release| self.line(layout, release)).collect();
        // The bytes last: `1` and `"1"` say the same in JSON, and must not stand in the order of arrival either.
        leaving.sort_by(|a, b| (&a.cells, &a.value, &a.line).cmp(&(&b.cells, &b.value, &b.line)));
        leaving
            .into_iter()
            .map(|leaving| {
                out.extend_from_slice(&leaving.line);
                leaving.tuple
            })
            .collect()
    }

    fn line(&mut self, layout: &StreamLayout, release: &CastleRelease) -> Leaving {
        let bytes = self.waiting.remove(&release.position).expect("a tuple that leaves has waited");
        let tuple = layout.read(&bytes).expect("it was understood when it came");
        let mut line = Vec::new();
        let (cells, value) = if release.suppressed {
            layout.write_suppressed(&mut line);
            let value = if tuple.sensitive.is_empty() { "" } else { "*" };
            (vec!["*".to_owned(); tuple.cells.len()], value.to_owned())
        } else {
            let mut cells: Vec<Option<String>> = vec![None; tuple.cells.len()];
            for (column, cell) in self.columns.iter().zip(&release.cells) {
                cells[column.cell] = column.write(cell, &tuple.cells[column.cell]);
            }
            layout.write_row(&tuple, &cells, &mut line);
            let shown = cells.into_iter().zip(&tuple.cells);
            let shown = shown.map(|(cell, original)| cell.unwrap_or_else(|| original.to_string()));
            (shown.collect(), tuple.value().into_owned())
        };
        Leaving { cells, value, line, tuple: tuple.at(release.position).into_owned() }
    }
}

impl QuasiColumn {
    fn read(&mut self, text: &str) -> Result<CastleValue, Unreleasable> {
        Ok(match &mut self.domain {
            Domain::Numbers => self.parser.position(text).map_or(CastleValue::Missing, CastleValue::Number),
            Domain::Names(names) => match names.code(text) {
                Some(code) => CastleValue::Code(code),
                None => return Err(Unreleasable::TooManyValues { column: self.name.clone() }),
            },
            Domain::Tree(tree) => match tree.leaf(text) {
                Some(leaf) => CastleValue::Code(leaf),
                None => {
                    let (column, value) = (self.name.clone(), text.to_owned());
                    return Err(Unreleasable::OutsideHierarchy { column, value });
                }
            },
        })
    }

    /// The published text; nothing where it is the original one.
    fn write(&self, cell: &CastleCell, original: &str) -> Option<String> {
        let text = match (cell, &self.domain) {
            (CastleCell::Range(lo, hi), _) if lo == hi => self.number(*lo),
            (CastleCell::Range(lo, hi), _) => format!("[{}, {}]", self.number(*lo), self.number(*hi)),
            (CastleCell::Missing, _) => return None,
            (CastleCell::Set(codes), Domain::Names(names)) if codes.len() > 1 => {
                let mut labels: Vec<&str> = codes.iter().map(|code| names.label(*code)).collect();
                labels.sort_unstable();
                let labels: Vec<Cow<'_, str>> = labels.into_iter().map(quote_in_set).collect();
                format!("{{{}}}", labels.join(", "))
            }
            (CastleCell::Set(_), _) => return None,
            (CastleCell::Node(node), Domain::Tree(tree)) => tree.label(*node).to_owned(),
            (CastleCell::Any | CastleCell::Node(_), _) => "*".to_owned(),
        };
        (text != original).then_some(text)
    }

    fn number(&self, position: f64) -> String {
        match self.parser.kind() {
            Kind::Date => self.parser.format().write_days(position),
            _ => position.to_string(),
        }
    }
}

/// A person as a number. Two people get the same one by chance once in 2^64 pairs; then a crowd counts them once. With a
/// key, since the number is written down with the state, and names could be tried out.
fn number_of(person: &str, key: &[u8; 32]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::keyed_hash(key, person.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}
