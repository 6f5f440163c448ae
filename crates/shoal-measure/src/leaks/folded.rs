use std::collections::HashMap;

use shoal_core::{MissingTexts, RawColumn, SameValue};

/// The value of each record of a column; none where it is missing.
pub fn folded(column: &RawColumn, missing: &MissingTexts) -> Vec<Option<u32>> {
    let mut known: HashMap<SameValue, u32> = HashMap::new();
    let value = |code: u32| {
        let next = known.len() as u32;
        let is_value = !missing.has_code(column, code);
        is_value.then(|| *known.entry(SameValue::from_text(column.labels.get(code))).or_insert(next))
    };
    let of_text: Vec<Option<u32>> = (0..column.labels.len() as u32).map(value).collect();
    column.codes.iter().map(|&code| of_text[code as usize]).collect()
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    #[test]
    fn texts_that_look_alike_are_one_value_and_a_missing_one_is_none() {
        let texts = ["HIV", "h\u{ad}iv", "HIV ", "7", "07", "7.0", "-0", "0", "?", " ", "flu"];
        let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![*text]).collect();
        let table = RawTable::from_rows(&["c"], &rows);
        let codes = folded(&table.columns[0], &MissingTexts::new(&["?", ""]));
        let expected = [0, 0, 0, 1, 1, 1, 2, 2].map(Some).into_iter().chain([None, None, Some(3)]);
        assert!(codes.into_iter().eq(expected));
    }
}
