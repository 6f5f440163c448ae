use shoal_core::{Interner, Labels, PersonKey, RawColumn};

/// A number per text for the person that it names ([`PersonKey`]), from 0 in the order of the texts.
pub(crate) fn persons_of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u32> {
    let mut known = Interner::default();
    texts.map(|text| known.intern(PersonKey::from_text(text).as_str())).collect()
}

/// A column that names people, with one text for each person: the least of those that name them, whichever record comes first.
pub(crate) fn with_one_name_each(column: &RawColumn) -> RawColumn {
    let person_of = persons_of_texts(column.labels.iter());
    let people = person_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut names: Vec<Option<&str>> = vec![None; people];
    let mut first_seen = Vec::with_capacity(people);
    for ((&person, name), &place) in person_of.iter().zip(column.labels.iter()).zip(&column.first_seen) {
        // They are numbered by their first texts, so a new one is always the next one.
        if person as usize == first_seen.len() {
            first_seen.push(place);
        }
        let known = &mut names[person as usize];
        *known = Some(known.map_or(name, |known| known.min(name)));
    }
    let mut labels = Labels::new();
    names.into_iter().flatten().for_each(|name| {
        labels.push(name);
    });
    RawColumn {
        name: column.name.clone(),
        labels,
        first_seen,
        null: column.null.map(|code| person_of[code as usize]),
        codes: column.codes.iter().map(|&code| person_of[code as usize]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    #[test]
    fn somebody_is_called_the_same_whichever_record_comes_first() {
        let names = |texts: &[&str]| {
            let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![*text]).collect();
            let column = with_one_name_each(&RawTable::from_rows(&["who"], &rows).columns[0]);
            assert_eq!(column.first_seen.len(), column.labels.len());
            (0..texts.len()).map(|row| column.text(row).to_owned()).collect::<Vec<String>>()
        };
        assert_eq!(names(&["ann", "7", "Ann ", "bob", "07"]), ["Ann ", "07", "Ann ", "bob", "07"]);
        assert_eq!(names(&["07", "bob", "Ann ", "7", "ann"]), ["07", "bob", "Ann ", "07", "Ann "]);
        assert_eq!(names(&[]), [""; 0]);
    }
}
