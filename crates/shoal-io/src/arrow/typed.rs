use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::Date32Type;
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array};
use arrow_cast::parse::Parser;
use arrow_schema::DataType;
use shoal_core::{Kind, RawColumn, RawTable};

use super::list::{list_type, lists_of};
use crate::write::ColumnForm;

/// The type that a column may have in an array without altering a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Text,
    Integer,
    Float,
    Boolean,
    Date,
    /// Items that an [`ITEM_SEPARATOR`](crate::ITEM_SEPARATOR) joins.
    List,
}

impl Typed {
    /// The types of a table's columns; columns beyond the end of the list are text.
    pub(crate) fn all(table: &RawTable, forms: &[ColumnForm]) -> Vec<Typed> {
        let form = |number: usize| forms.get(number).copied().unwrap_or_default();
        let typed = |(number, column)| match form(number) {
            ColumnForm::Text => Typed::Text,
            ColumnForm::Typed => Typed::narrowest(column),
            ColumnForm::OfKind(kind) => Typed::of_kind(kind, column),
            ColumnForm::List => Typed::List,
        };
        table.columns.iter().enumerate().map(typed).collect()
    }

    /// The type of its arrays, where text is plain.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Typed::Text => DataType::Utf8,
            Typed::Integer => DataType::Int64,
            Typed::Float => DataType::Float64,
            Typed::Boolean => DataType::Boolean,
            Typed::Date => DataType::Date32,
            Typed::List => list_type(),
        }
    }

    /// The values of the records from `from` up to `to`; nulls stay nulls.
    pub(crate) fn array(self, column: &RawColumn, from: usize, to: usize) -> ArrayRef {
        let codes = &column.codes[from..to];
        let label = |code: &u32| (column.null != Some(*code)).then(|| column.labels.get(*code));
        let labels = codes.iter().map(label);
        // `Typed::narrowest` or `Typed::of_kind` has seen that every label parses.
        match self {
            Typed::Text => {
                let mut texts = StringBuilder::with_capacity(codes.len(), codes.len() * 8);
                labels.for_each(|label| texts.append_option(label));
                Arc::new(texts.finish())
            }
            Typed::Integer => Arc::new(labels.map(|l| l?.parse().ok()).collect::<Int64Array>()),
            Typed::Float => Arc::new(labels.map(|l| l?.parse().ok()).collect::<Float64Array>()),
            Typed::Boolean => Arc::new(labels.map(|l| Some(l? == "true")).collect::<BooleanArray>()),
            Typed::Date => Arc::new(labels.map(|l| Date32Type::parse(l?)).collect::<Date32Array>()),
            Typed::List => lists_of(labels),
        }
    }

    /// The narrowest type from which every label reads back to exactly the same text.
    fn narrowest(column: &RawColumn) -> Typed {
        let occurs = occurring(column);
        let labels = || labels_of(column, &occurs);
        if labels().next().is_none() {
            Typed::Text
        } else if labels().all(|label| label == "true" || label == "false") {
            Typed::Boolean
        } else if labels().all(|label| reads_back(label, label.parse::<i64>().ok())) {
            Typed::Integer
        } else if labels().all(|label| reads_back(label, label.parse::<f64>().ok()))
            // A column of nothing but the word `NaN` is text.
            && labels().any(|label| label.parse::<f64>().is_ok_and(f64::is_finite))
        {
            Typed::Float
        } else {
            Typed::Text
        }
    }

    /// The type of a kind, if every label reads back to exactly the same text, otherwise text.
    fn of_kind(kind: Kind, column: &RawColumn) -> Typed {
        let (typed, is_read): (Typed, fn(&str) -> bool) = match kind {
            Kind::Integer => (Typed::Integer, |label| reads_back(label, label.parse::<i64>().ok())),
            Kind::Decimal => (Typed::Float, |label| reads_back(label, label.parse::<f64>().ok())),
            Kind::Date => (Typed::Date, is_date),
            Kind::Text => (Typed::Text, |_| true),
        };
        if labels_of(column, &occurring(column)).all(is_read) { typed } else { Typed::Text }
    }
}

/// Which labels a record has. Of records that are left out nothing may show, not even whether their values were numbers.
fn occurring(column: &RawColumn) -> Vec<bool> {
    let mut occurs = vec![false; column.labels.len()];
    column.codes.iter().for_each(|&code| occurs[code as usize] = column.null != Some(code));
    occurs
}

/// The labels that a record has, each once.
#[cfg(feature = "postgres")]
pub(crate) fn occurring_labels(column: &RawColumn) -> Vec<&str> {
    labels_of(column, &occurring(column)).collect()
}

/// Whether a label is a day that is written as 2026-01-31.
pub(crate) fn is_date(label: &str) -> bool {
    reads_back(label, Date32Type::parse(label).and_then(Date32Type::to_naive_date_opt))
}

fn labels_of<'a>(column: &'a RawColumn, occurs: &[bool]) -> impl Iterator<Item = &'a str> {
    (0..).zip(occurs).filter(|(_, occurs)| **occurs).map(|(code, _)| column.labels.get(code))
}

/// Whether a record that is written has no value; that one is left out who has none is nobody's business.
pub(crate) fn nullable(column: &RawColumn) -> bool {
    column.null.is_some_and(|null| column.codes.contains(&null))
}

fn reads_back(label: &str, value: Option<impl ToString>) -> bool {
    value.is_some_and(|value| value.to_string() == label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(labels: &[&str]) -> Typed {
        let rows: Vec<Vec<&str>> = labels.iter().map(|l| vec![*l]).collect();
        Typed::narrowest(&RawTable::from_rows(&["c"], &rows).columns[0])
    }

    #[test]
    fn only_what_reads_back_to_the_same_text_is_typed() {
        assert_eq!(typed(&["1", "-20", "9223372036854775807"]), Typed::Integer);
        assert_eq!(typed(&["1", "007"]), Typed::Text);
        assert_eq!(typed(&["+1"]), Typed::Text);
        assert_eq!(typed(&["18446744073709552000"]), Typed::Float);
        assert_eq!(typed(&["9223372036854775808"]), Typed::Text);
        assert_eq!(typed(&["1", "2.5", "NaN", "-0"]), Typed::Float);
        assert_eq!(typed(&["1.0"]), Typed::Text);
        assert_eq!(typed(&["NaN", "inf"]), Typed::Text);
        assert_eq!(typed(&["true", "false"]), Typed::Boolean);
        assert_eq!(typed(&["true", "1"]), Typed::Text);
        assert_eq!(typed(&["1", ""]), Typed::Text);
        assert_eq!(typed(&[]), Typed::Text);
    }
}
