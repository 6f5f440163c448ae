//! `results.csv`: a line per finished cell. It is also what a later run goes on from.

use indexmap::{IndexMap, IndexSet};
use shoal_core::{Place, RawColumnBuilder, RawTable};

use super::{Cell, Outcome, Row, figure_names};

const ALGORITHM: &str = "algorithm";
const OUTCOME: &str = "outcome";

/// The rows as a table: algorithm, the varied keys, outcome, figures. Numbers are written so that they read back as they were.
pub fn results_table(rows: &[&Row], shape: &str) -> RawTable {
    let keys: IndexSet<&str> =
        rows.iter().flat_map(|row| row.cell.settings.iter().map(|(key, _)| key.as_str())).collect();
    let mut names = vec![ALGORITHM];
    names.extend(keys.iter().copied());
    names.push(OUTCOME);
    names.extend(figure_names(shape));
    let mut columns: Vec<RawColumnBuilder> =
        names.iter().map(|name| RawColumnBuilder::new((*name).to_owned())).collect();
    for (number, row) in rows.iter().enumerate() {
        let place = Place { row: number as u64 + 1, line: None, file: 0 };
        let mut texts: Vec<Option<String>> = vec![Some(row.cell.algorithm.clone())];
        texts.extend(keys.iter().map(|key| row.cell.value(key).map(str::to_owned)));
        texts.push(Some(row.outcome.text()));
        texts
            .extend(figure_names(shape).iter().map(|name| row.figure(name).map(|figure| figure.to_string())));
        for (column, text) in columns.iter_mut().zip(texts) {
            match text {
                Some(text) => column.push(&text, place),
                None => column.push_null(place),
            }
        }
    }
    RawTable {
        columns: columns.into_iter().map(RawColumnBuilder::finish).collect(),
        rows: rows.len(),
        files: vec!["results".to_owned()],
    }
}

/// Reads what [`results_table`] has made; otherwise says what is wrong. Columns that it does not know are varied keys.
pub fn read_rows(table: &RawTable, shape: &str) -> Result<Vec<Row>, String> {
    let column = |name: &str| table.column(name).ok_or_else(|| format!("it has no column `{name}`"));
    let (algorithms, outcomes) = (column(ALGORITHM)?, column(OUTCOME)?);
    let figures = figure_names(shape);
    let is_key = |name: &str| name != ALGORITHM && name != OUTCOME && !figures.contains(&name);
    let row = |number: usize| {
        let outcome = Outcome::read(outcomes.text(number))
            .ok_or_else(|| format!("row {} has an unknown outcome", number + 1))?;
        let cells = table.columns.iter().map(|column| (column.name.as_str(), column.text(number)));
        let (mut settings, mut found) = (Vec::new(), IndexMap::new());
        for (name, text) in cells.filter(|(_, text)| !text.is_empty()) {
            if is_key(name) {
                settings.push((name.to_owned(), text.to_owned()));
            } else if figures.contains(&name) {
                let figure: f64 =
                    text.parse().map_err(|_| format!("row {}: `{name}` holds no number", number + 1))?;
                found.insert(name.to_owned(), figure);
            }
        }
        let cell = Cell { algorithm: algorithms.text(number).to_owned(), settings };
        Ok(Row { cell, outcome, figures: found })
    };
    (0..table.rows).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_as_they_were() {
        let cell = |algorithm: &str, settings: &[(&str, &str)]| Cell {
            algorithm: algorithm.to_owned(),
            settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        let figures = [("ncp".to_owned(), 0.1 + 0.2), ("seconds".to_owned(), 1.25)];
        let rows = [
            Row {
                cell: cell("sbc", &[("privacy.k", "5")]),
                outcome: Outcome::Holds,
                figures: figures.into_iter().collect(),
            },
            Row {
                cell: cell("ribbon", &[("privacy.k", "5"), ("algorithm.rounds", "2")]),
                outcome: Outcome::Infeasible("k = 5, but there are 3".to_owned()),
                figures: IndexMap::new(),
            },
        ];
        let table = results_table(&[&rows[0], &rows[1]], "table");
        assert_eq!(read_rows(&table, "table").unwrap(), rows);
        assert!(read_rows(&RawTable::from_rows(&["a"], &[vec!["b"]]), "table").is_err());
    }
}
