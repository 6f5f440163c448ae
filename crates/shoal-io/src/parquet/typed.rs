use shoal_core::RawColumn;

/// The type that a column may have in a Parquet file without altering a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Text,
    Integer,
    Float,
    Boolean,
    /// Items that an [`ITEM_SEPARATOR`](crate::ITEM_SEPARATOR) joins.
    List,
}

impl Typed {
    /// The narrowest type from which every label reads back to exactly the same text.
    pub(super) fn of(column: &RawColumn) -> Typed {
        // Of records that are left out nothing may show, not even whether their values were numbers.
        let mut occurs = vec![false; column.labels.len()];
        column.codes.iter().for_each(|&code| occurs[code as usize] = column.null != Some(code));
        let labels = || {
            let codes = 0..column.labels.len() as u32;
            codes.filter(|&code| occurs[code as usize]).map(|code| column.labels.get(code))
        };
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
}

fn reads_back(label: &str, value: Option<impl ToString>) -> bool {
    value.is_some_and(|value| value.to_string() == label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_core::RawTable;

    fn typed(labels: &[&str]) -> Typed {
        let rows: Vec<Vec<&str>> = labels.iter().map(|l| vec![*l]).collect();
        Typed::of(&RawTable::from_rows(&["c"], &rows).columns[0])
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
