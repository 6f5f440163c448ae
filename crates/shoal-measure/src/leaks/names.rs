use std::collections::HashSet;

use shoal_core::{PersonKey, RawColumn};

/// The shortest text that is taken for a name: shorter ones stand in other texts by chance.
const SHORTEST: usize = 3;
/// The same for a number: counts and amounts are numbers, too.
const SHORTEST_NUMBER: usize = 6;
/// The most words of a name.
const WORDS: usize = 3;

/// The names in an identifier that could be recognized elsewhere.
pub fn names(identifier: &RawColumn) -> HashSet<PersonKey> {
    let keys = identifier.labels.iter().map(PersonKey::from_text);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
    let shortest = |text: &str| if is_number(text) { SHORTEST_NUMBER } else { SHORTEST };
    keys.filter(|key| key.as_str().chars().count() >= shortest(key.as_str())).collect()
}

/// How many records of a column hold one of the names, as the whole value or as words of it.
pub fn naming_records(column: &RawColumn, names: &HashSet<PersonKey>) -> usize {
    let holds: Vec<bool> =
        (0..column.labels.len() as u32).map(|code| holds_name(column.labels.get(code), names)).collect();
    column.codes.iter().filter(|&&code| holds[code as usize]).count()
}

fn holds_name(text: &str, names: &HashSet<PersonKey>) -> bool {
    if names.contains(&PersonKey::from_text(text)) {
        return true;
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| !w.is_empty()).collect();
    (1..=WORDS)
        .any(|length| words.windows(length).any(|run| names.contains(&PersonKey::from_text(&run.join(" ")))))
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    #[test]
    fn names_are_found_as_values_and_as_words() {
        let rows = [
            ["Ann Lee", "seen with ann lee, again"],
            ["Bo", "Bo is too short to be sure"],
            ["4711", "file 4711"],
            ["1234567", "file 1234567"],
            ["Cid", "decided"],
            ["Dot", "DOT"],
        ];
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        let table = RawTable::from_rows(&["name", "note"], &rows);
        assert_eq!(naming_records(&table.columns[1], &names(&table.columns[0])), 3);
    }
}
