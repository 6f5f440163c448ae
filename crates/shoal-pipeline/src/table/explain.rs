//! Why a published table is as coarse as it is: which columns lose most, which classes, and which of their members.
//!
//! Everything is computed from the published file and the original; nothing is taken from an algorithm. It names records of the
//! original, so it is for the publisher.

use serde::Serialize;
use shoal_core::{Column, Progress, PublishedValue, Role, Table};
use shoal_measure::QuasiColumn;
use shoal_measure::table::loss::ncp;
use shoal_privacy::Classes;
use shoal_privacy::matching::match_table;

use super::load::{Loaded, load_from};
use crate::columns::{quasi_columns, read_published};
use crate::{Explained, PipelineError, ReleaseKey, Request, Source};

/// What a table's explanation has.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableExplanation {
    /// Rows of the published file.
    pub records: usize,
    /// Its classes.
    pub classes: usize,
    /// The mean loss of its cells.
    pub ncp: f64,
    /// The columns, the one with the largest part in the loss first.
    pub columns: Vec<ColumnPart>,
    /// The class that was asked for, or those that lose most.
    pub shown: Vec<ClassExplanation>,
}

/// What one column has to do with the loss.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ColumnPart {
    /// The column.
    pub name: String,
    /// The mean loss of its cells.
    pub ncp: f64,
    /// Its part in the loss of the file; all parts make 1, or 0 where nothing is lost.
    pub part: f64,
    /// In how many rows its value is published as it was.
    pub exact: u64,
    /// How many different values the original has.
    pub distinct: usize,
}

/// One class.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClassExplanation {
    /// Its number in the published file, from 1.
    pub class: usize,
    /// Its first rows in the published file, from 1.
    pub rows: Vec<u64>,
    /// How many rows it has.
    pub size: usize,
    /// The mean loss of its cells.
    pub ncp: f64,
    /// Its part in the loss of the file.
    pub part: f64,
    /// What it publishes.
    pub cells: Vec<CellExplanation>,
    /// What is known of the sensitive values of its members.
    pub sensitive: Vec<SensitivePart>,
}

/// One quasi-identifier of a class.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CellExplanation {
    /// The column.
    pub column: String,
    /// What is published.
    pub text: String,
    /// The loss of the cell.
    pub ncp: f64,
    /// How many different values of the original are behind it.
    pub distinct: usize,
    /// The member without whom the cell would lose much less, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<Driver>,
}

/// A member that alone makes a cell wide.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Driver {
    /// Its record in the original, from 1.
    pub record: u64,
    /// What the cell would lose without it.
    pub ncp_without: f64,
}

/// The sensitive values of a class.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SensitivePart {
    /// The column.
    pub column: String,
    /// How many different values the class has.
    pub distinct: usize,
    /// The share of the most frequent one.
    pub largest_share: f64,
    /// The share that this value has in the whole file.
    pub share_of_all: f64,
}

/// How many classes are shown where none was asked for.
const SHOWN: usize = 5;
/// How many rows of a class are named.
const ROWS: usize = 8;
/// A member drives a cell where the cell loses less than this part without it.
const MUCH_LESS: f64 = 0.7;
/// …and at least so much less of the whole column that somebody would notice.
const NOTICED: f64 = 0.05;
/// In larger classes no single member is looked for: each is tried by itself.
const LARGEST_TRIED: usize = 2000;

pub(crate) fn explain(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    asked: &Explained,
    progress: &dyn Progress,
) -> Result<TableExplanation, PipelineError> {
    let Loaded { bound, source_rows, .. } = load_from(request, &ReleaseKey::UNPUBLISHED, original, progress)?;
    let file = published.name();
    let release = read_published(request, published, progress)?.table;
    progress.stage("explaining", 0);
    let untrue = |error| PipelineError::Untrue { file: file.clone(), error: Box::new(error) };
    let origin = match_table(&bound.table, &release, &bound.incomplete, progress).map_err(untrue)?.origin;
    let quasi = quasi_columns(request, &release);
    let classes = Classes::of(release.rows, &quasi);
    let before = |name: &str| {
        let column = bound.table.columns.iter().find(|column| column.name == name);
        column.expect("a column of the policy is in the original")
    };
    let columns: Vec<QuasiColumn<'_>> = quasi
        .iter()
        .map(|&column| QuasiColumn::read(before(&column.name), column))
        .collect::<Result<_, _>>()?;
    let file = Explaining {
        original: &bound.table,
        columns: &columns,
        classes: &classes,
        origin: &origin,
        source_rows: &source_rows,
    };
    let by_class = file.loss_by_class();
    let total: f64 = by_class.iter().sum();
    let chosen = match asked {
        Explained::Row(row) => vec![file.class_of_row(*row)?],
        Explained::Class(class) => vec![file.class_of_number(*class)?],
        Explained::Column(name) => file.costliest(&file.loss_of_column(name)?),
        Explained::All => file.costliest(&by_class),
        Explained::Item(_) | Explained::Person(_) => {
            return Err(PipelineError::NotExplained { what: "table" });
        }
    };
    let rows_of = file.rows_of(&chosen);
    let shown = chosen.iter().zip(&rows_of).map(|(&class, rows)| {
        progress.check();
        file.class(class, rows, by_class[class] / total.max(f64::MIN_POSITIVE))
    });
    let shown: Vec<ClassExplanation> = shown.collect();
    Ok(TableExplanation {
        records: release.rows,
        classes: classes.len(),
        ncp: if release.rows == 0 { 0.0 } else { total / release.rows as f64 },
        columns: file.parts(),
        shown,
    })
}

struct Explaining<'a> {
    original: &'a Table,
    columns: &'a [QuasiColumn<'a>],
    classes: &'a Classes,
    origin: &'a [u32],
    source_rows: &'a [u32],
}

impl Explaining<'_> {
    /// The sum of the mean losses of a class's rows.
    fn loss_by_class(&self) -> Vec<f64> {
        let weights: f64 = self.columns.iter().map(|column| column.original.weight).sum();
        let mut sums = vec![0.0; self.classes.len()];
        for column in self.columns {
            for (sum, loss) in sums.iter_mut().zip(self.loss_in(column)) {
                *sum += loss * column.original.weight / weights;
            }
        }
        sums
    }

    fn loss_in(&self, column: &QuasiColumn<'_>) -> Vec<f64> {
        let cells: Vec<f64> =
            column.values.iter().map(|(value, _)| ncp::cell(value, column.original)).collect();
        let first = self.classes.first_rows();
        let of_class = |(&row, &size): (&u32, &u32)| {
            cells[column.published.codes[row as usize] as usize] * f64::from(size)
        };
        first.iter().zip(&self.classes.sizes).map(of_class).collect()
    }

    fn loss_of_column(&self, name: &str) -> Result<Vec<f64>, PipelineError> {
        let column = self.columns.iter().find(|column| column.original.name == name);
        let column = column.ok_or_else(|| PipelineError::NoQuasiIdentifier {
            column: name.to_owned(),
            known: self.columns.iter().map(|column| column.original.name.clone()).collect(),
        })?;
        Ok(self.loss_in(column))
    }

    fn class_of_row(&self, row: u64) -> Result<usize, PipelineError> {
        let at = usize::try_from(row).ok().and_then(|row| row.checked_sub(1));
        let class = at.and_then(|at| self.classes.class_of.get(at));
        let rows = self.classes.class_of.len();
        class.map(|&class| class as usize).ok_or(PipelineError::NoSuchRow {
            what: "row",
            number: row,
            most: rows,
        })
    }

    fn class_of_number(&self, class: u64) -> Result<usize, PipelineError> {
        let at = usize::try_from(class).ok().and_then(|class| class.checked_sub(1));
        let most = self.classes.len();
        at.filter(|&at| at < most).ok_or(PipelineError::NoSuchRow { what: "class", number: class, most })
    }

    /// The classes that lose most; of equals the first.
    fn costliest(&self, losses: &[f64]) -> Vec<usize> {
        let mut classes: Vec<usize> = (0..losses.len()).filter(|&class| losses[class] > 0.0).collect();
        classes.sort_by(|&a, &b| losses[b].total_cmp(&losses[a]).then(a.cmp(&b)));
        classes.truncate(SHOWN);
        classes
    }

    /// The rows of each of these classes.
    fn rows_of(&self, classes: &[usize]) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); classes.len()];
        for (row, &class) in self.classes.class_of.iter().enumerate() {
            if let Some(at) = classes.iter().position(|&other| other == class as usize) {
                rows[at].push(row as u32);
            }
        }
        rows
    }

    fn parts(&self) -> Vec<ColumnPart> {
        let rows = self.classes.class_of.len().max(1) as f64;
        let weights: f64 = self.columns.iter().map(|column| column.original.weight).sum();
        let part = |column: &QuasiColumn<'_>| {
            let exact =
                |(value, count): &(_, u64)| (ncp::cell(value, column.original) == 0.0).then_some(*count);
            ColumnPart {
                name: column.original.name.clone(),
                ncp: self.loss_in(column).iter().sum::<f64>() / rows,
                part: column.original.weight / weights,
                exact: column.values.iter().filter_map(exact).sum(),
                distinct: column.original.domain.len(),
            }
        };
        let mut parts: Vec<ColumnPart> = self.columns.iter().map(part).collect();
        let total: f64 = parts.iter().map(|part| part.part * part.ncp).sum();
        for part in &mut parts {
            part.part = if total > 0.0 { part.part * part.ncp / total } else { 0.0 };
        }
        parts.sort_by(|a, b| b.part.total_cmp(&a.part));
        parts
    }

    fn class(&self, class: usize, rows: &[u32], part: f64) -> ClassExplanation {
        let cells: Vec<CellExplanation> = self.columns.iter().map(|column| self.cell(column, rows)).collect();
        let sensitive = self.original.of_role(Role::Sensitive).map(|column| self.sensitive(column, rows));
        ClassExplanation {
            class: class + 1,
            rows: rows.iter().take(ROWS).map(|&row| u64::from(row) + 1).collect(),
            size: rows.len(),
            ncp: cells.iter().map(|cell| cell.ncp).sum::<f64>() / cells.len().max(1) as f64,
            part,
            sensitive: sensitive.collect(),
            cells,
        }
    }

    fn cell(&self, column: &QuasiColumn<'_>, rows: &[u32]) -> CellExplanation {
        let code = column.published.codes[rows[0] as usize];
        let ncp = ncp::cell(&column.values[code as usize].0, column.original);
        let members: Vec<(u32, u32)> = rows
            .iter()
            .map(|&row| {
                (self.origin[row as usize], column.original.codes[self.origin[row as usize] as usize])
            })
            .collect();
        let mut distinct: Vec<u32> = members.iter().map(|member| member.1).collect();
        distinct.sort_unstable();
        distinct.dedup();
        CellExplanation {
            column: column.original.name.clone(),
            text: column.published.labels.get(code).to_owned(),
            ncp,
            distinct: distinct.len(),
            driver: if ncp > 0.0 { self.driver(column.original, &members, ncp) } else { None },
        }
    }

    /// The member without whom the tightest cell of the others loses much less.
    fn driver(&self, column: &Column, members: &[(u32, u32)], ncp: f64) -> Option<Driver> {
        if members.len() < 3 || members.len() > LARGEST_TRIED {
            return None;
        }
        let without = |at: usize| {
            let others: Vec<u32> =
                members.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, m)| m.1).collect();
            tightest(column, others)
        };
        // Only a value that nobody else in the class has can be missed.
        let alone = |code: u32| members.iter().filter(|member| member.1 == code).count() == 1;
        let tried = (0..members.len()).filter(|&at| alone(members[at].1)).map(|at| (at, without(at)));
        let (at, least) = tried.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))?;
        let record = u64::from(self.source_rows[members[at].0 as usize]) + 1;
        (least < MUCH_LESS * ncp && ncp - least > NOTICED).then_some(Driver { record, ncp_without: least })
    }

    fn sensitive(&self, column: &Column, rows: &[u32]) -> SensitivePart {
        let mut counts = vec![0_u32; column.domain.len()];
        rows.iter().for_each(|&row| counts[column.codes[self.origin[row as usize] as usize] as usize] += 1);
        let largest = (0..counts.len()).rev().max_by_key(|&code| counts[code]).unwrap_or_default();
        let of_all =
            self.origin.iter().filter(|&&row| column.codes[row as usize] as usize == largest).count();
        SensitivePart {
            column: column.name.clone(),
            distinct: counts.iter().filter(|count| **count > 0).count(),
            largest_share: f64::from(counts.get(largest).copied().unwrap_or_default())
                / rows.len().max(1) as f64,
            share_of_all: of_all as f64 / self.origin.len().max(1) as f64,
        }
    }
}

/// The loss of the tightest cell that covers these values.
fn tightest(column: &Column, mut codes: Vec<u32>) -> f64 {
    codes.sort_unstable();
    codes.dedup();
    let (first, last) = (codes[0], codes[codes.len() - 1]);
    let value = match (&column.hierarchy, codes.as_slice()) {
        (_, [only]) => PublishedValue::Exact(*only),
        (Some(bound), _) => {
            let tree = bound.tree();
            // The lowest node above all of them is that above the outermost leaves.
            let leaves = || codes.iter().map(|&code| bound.leaf_of(code));
            let (lo, hi) = (leaves().min().unwrap_or_default(), leaves().max().unwrap_or_default());
            PublishedValue::Node(tree.lowest_common(lo, hi))
        }
        (None, _) => match (
            column.domain.positions().get(first as usize),
            column.domain.positions().get(last as usize),
        ) {
            (Some(&lo), Some(&hi)) if column.domain.is_ordered() => PublishedValue::Range { lo, hi },
            // A column of numbers that mixes missing and present values publishes `*`.
            _ if column.domain.is_ordered() => PublishedValue::Suppressed,
            _ => PublishedValue::Set(codes),
        },
    };
    ncp::cell(&value, column)
}
