use shoal_core::{Interner, RawColumn};

/// The values of a column, a code per record, where texts that look alike are one value: `7`, `07` and `7.0`; `HIV`, `hiv`
/// and `HIV `. Whoever guesses an illness does not care how it is spelt. The texts in `missing` and a null are one value,
/// too.
pub fn folded(column: &RawColumn, missing: &[String]) -> Vec<u32> {
    let mut known = Interner::default();
    let mut of_text = Vec::with_capacity(column.labels.len());
    for code in 0..column.labels.len() as u32 {
        let text = column.labels.get(code);
        let is_missing = column.null == Some(code) || missing.iter().any(|token| token == text);
        // A missing value is not equal to any text: no text begins with this character.
        let key = if is_missing { "\0".to_owned() } else { look(text) };
        of_text.push(known.intern(&key));
    }
    column.codes.iter().map(|&code| of_text[code as usize]).collect()
}

/// How a text looks to somebody who reads quickly: blanks around it, cases and zeros in front do not count.
pub fn look(text: &str) -> String {
    let trimmed = text.trim();
    match trimmed.parse::<f64>() {
        // Adding zero makes -0 the same as 0.
        Ok(number) if number.is_finite() => (number + 0.0).to_string(),
        _ => trimmed.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    #[test]
    fn what_looks_alike_is_one_value() {
        let texts = ["HIV", "hiv", "HIV ", "7", "07", "7.0", "-0", "0", "?", "", "flu"];
        let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![*text]).collect();
        let table = RawTable::from_rows(&["c"], &rows);
        let codes = folded(&table.columns[0], &["?".to_owned(), String::new()]);
        assert_eq!(codes, [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4]);
    }
}
