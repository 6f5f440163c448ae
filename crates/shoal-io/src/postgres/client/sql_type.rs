use shoal_core::{RawColumn, RawTable};

use crate::arrow::{Typed, is_date, occurring_labels};
use crate::write::ColumnForm;

/// The type of a published column: one from which every text reads back as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SqlType {
    Text,
    Integer,
    /// Exact, with as many digits as were written: `12.50` stays `12.50`.
    Numeric,
    Float,
    Boolean,
    Date,
    Lists,
}

impl SqlType {
    /// The types of a table's columns; columns beyond the end of the list are text.
    pub(super) fn all(table: &RawTable, forms: &[ColumnForm]) -> Vec<SqlType> {
        let typed = Typed::all(table, forms);
        let form = |number: usize| forms.get(number).copied().unwrap_or_default();
        let all = table.columns.iter().zip(typed).enumerate();
        all.map(|(number, (column, typed))| SqlType::of(column, typed, form(number))).collect()
    }

    fn of(column: &RawColumn, typed: Typed, form: ColumnForm) -> SqlType {
        let all = |is: fn(&str) -> bool| {
            let mut labels = occurring_labels(column).into_iter().peekable();
            labels.peek().is_some() && labels.all(is)
        };
        match typed {
            Typed::Integer => SqlType::Integer,
            Typed::Boolean => SqlType::Boolean,
            Typed::Date if all(is_date_of_sql) => SqlType::Date,
            Typed::List => SqlType::Lists,
            // Numbers in databases are exact unless they cannot be.
            Typed::Float if all(is_plain_decimal) => SqlType::Numeric,
            Typed::Float => SqlType::Float,
            // Parquet has no such numbers, and keeps dates of its own; a database has both.
            Typed::Text if form != ColumnForm::Text && all(is_plain_decimal) => SqlType::Numeric,
            Typed::Text if form == ColumnForm::Typed && all(is_date_of_sql) => SqlType::Date,
            Typed::Text | Typed::Date => SqlType::Text,
        }
    }

    pub(super) fn sql(self) -> &'static str {
        match self {
            SqlType::Text => "text",
            SqlType::Integer => "bigint",
            SqlType::Numeric => "numeric",
            SqlType::Float => "double precision",
            SqlType::Boolean => "boolean",
            SqlType::Date => "date",
            SqlType::Lists => "text[]",
        }
    }
}

/// A number that `numeric` gives back digit by digit.
fn is_plain_decimal(label: &str) -> bool {
    let unsigned = label.strip_prefix('-').unwrap_or(label);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    // There is no negative zero.
    let negative_zero = label.starts_with('-') && !unsigned.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    // Far below what the type can hold.
    label.len() <= 1000 && digits(whole) && digits(fraction) && !leading_zero && !negative_zero
}

/// A day that `date` gives back as it is; it has no year 0, and writes longer years in another way.
fn is_date_of_sql(label: &str) -> bool {
    label.len() == 10 && !label.starts_with("0000") && !label.starts_with('-') && is_date(label)
}

#[cfg(test)]
mod tests {
    use shoal_core::Kind;

    use super::*;

    fn sql(form: ColumnForm, labels: &[&str]) -> &'static str {
        let rows: Vec<Vec<&str>> = labels.iter().map(|label| vec![*label]).collect();
        SqlType::all(&RawTable::from_rows(&["c"], &rows), &[form])[0].sql()
    }

    #[test]
    fn a_type_gives_every_text_back() {
        use ColumnForm::{List, OfKind, Text, Typed};
        assert_eq!(sql(Typed, &["1", "-20"]), "bigint");
        assert_eq!(sql(Typed, &["1.5", "12.50"]), "numeric");
        assert_eq!(sql(Typed, &["1.5", "-0.25"]), "numeric");
        assert_eq!(sql(Typed, &["1.5", "NaN"]), "double precision");
        assert_eq!(sql(Typed, &["1", "007"]), "text");
        assert_eq!(sql(Typed, &["0.5", "-0.0"]), "text");
        assert_eq!(sql(Typed, &["true", "false"]), "boolean");
        assert_eq!(sql(Typed, &["2026-01-02", "2026-02-28"]), "date");
        assert_eq!(sql(Typed, &["2026-01-02", "2026-02-30"]), "text");
        assert_eq!(sql(Typed, &["2026-01-02", ""]), "text");
        assert_eq!(sql(Typed, &["0000-01-02"]), "text");
        assert_eq!(sql(Typed, &[]), "text");
        assert_eq!(sql(Text, &["1", "2"]), "text");
        assert_eq!(sql(Text, &["2026-01-02"]), "text");
        assert_eq!(sql(OfKind(Kind::Date), &["2026-01-02"]), "date");
        assert_eq!(sql(OfKind(Kind::Integer), &["1"]), "bigint");
        assert_eq!(sql(List, &["a"]), "text[]");
    }
}
