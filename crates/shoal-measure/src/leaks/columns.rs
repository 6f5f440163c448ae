use shoal_core::{MissingTexts, RawColumn};

/// How many records have a value that no other record has, by the codes of one or several columns together.
pub fn unique_records(codes: impl Iterator<Item = u32> + Clone) -> usize {
    let most = codes.clone().max().map_or(0, |code| code as usize + 1);
    let mut counts = vec![0_u32; most];
    codes.for_each(|code| counts[code as usize] += 1);
    counts.into_iter().filter(|&count| count == 1).count()
}

/// A column that reads like what people write in their own words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeText {
    /// How many different texts there are.
    pub distinct: usize,
    /// How many words they have on average.
    pub words: f64,
}

/// The mean number of words from which texts are taken for sentences: names of illnesses and trades mostly have fewer.
const WORDS: f64 = 4.0;
/// The share of records with a text of their own from which texts are taken for notes and not for names of something.
const DIFFERENT: f64 = 0.5;

/// Whether a column reads like free text: several words in most records, and different ones. Sentences name people,
/// places and dates, whatever the column is called.
pub fn free_text(column: &RawColumn, missing: &MissingTexts) -> Option<FreeText> {
    let absent = missing.codes(column);
    let texts: Vec<u32> = (0..column.labels.len() as u32).filter(|&code| !absent[code as usize]).collect();
    let records = column.codes.iter().filter(|&&code| !absent[code as usize]).count();
    // A handful of records cannot show that texts differ.
    if records < 10 || (texts.len() as f64) < DIFFERENT * records as f64 {
        return None;
    }
    let words: usize = texts.iter().map(|&code| column.labels.get(code).split_whitespace().count()).sum();
    let words = words as f64 / texts.len() as f64;
    (words >= WORDS).then_some(FreeText { distinct: texts.len(), words })
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    fn column(texts: &[String]) -> RawColumn {
        let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![text.as_str()]).collect();
        RawTable::from_rows(&["c"], &rows).columns.remove(0)
    }

    #[test]
    fn who_has_a_value_alone() {
        assert_eq!(unique_records([3, 1, 3, 0, 7].into_iter()), 3);
        assert_eq!(unique_records([].into_iter()), 0);
    }

    #[test]
    fn sentences_are_free_text_and_names_of_things_are_not() {
        let none = MissingTexts::default();
        let notes: Vec<String> = (0..20).map(|n| format!("seen by Dr Miller on day {n}")).collect();
        assert_eq!(free_text(&column(&notes), &none), Some(FreeText { distinct: 20, words: 7.0 }));
        let codes: Vec<String> = (0..20).map(|n| format!("E{n}")).collect();
        assert_eq!(free_text(&column(&codes), &none), None);
        let repeated: Vec<String> =
            (0..20).map(|n| format!("insulin dependent diabetes mellitus type {}", n % 3)).collect();
        assert_eq!(free_text(&column(&repeated), &none), None);
        assert_eq!(free_text(&column(&notes[..5]), &none), None, "too few to tell");
    }

    #[test]
    fn a_missing_value_is_no_text() {
        let mut notes: Vec<String> = (0..20).map(|n| format!("told me about neighbour {n} again")).collect();
        notes.extend((0..60).map(|_| "?".to_owned()));
        assert!(free_text(&column(&notes), &MissingTexts::new(&["?"])).is_some());
        assert!(free_text(&column(&notes), &MissingTexts::default()).is_none());
    }
}
