use serde::Serialize;
use shoal_privacy::Classes;

/// What the classes of a file give away about one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Guesses {
    /// Classes of which everybody has the same value.
    pub certain: Guess,
    /// Classes of which more than half have the same value, those included.
    pub likely: Guess,
    /// The largest share that one value has in any class: how often the best guess is right there.
    pub best: f64,
    /// The largest share that one value has among everybody: how often the best guess is right without the classes.
    pub overall: f64,
}

/// Some classes and the records in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Guess {
    /// How many classes.
    pub classes: usize,
    /// How many records they have together.
    pub records: usize,
}

impl Guess {
    fn add(&mut self, records: usize) {
        self.classes += 1;
        self.records += records;
    }
}

/// How well a sensitive value can be guessed from a class. `values_of` names the different values of a record: one in a
/// table, perhaps several in a sequence of events. A value counts once for each record that has it, and a record without
/// one has no secret to guess.
pub fn guesses(classes: &Classes, values_of: impl Fn(usize) -> Vec<u32>) -> Guesses {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(classes.class_of.len());
    let mut sizes = vec![0_usize; classes.len()];
    for (record, &class) in classes.class_of.iter().enumerate() {
        let mut values = values_of(record);
        sizes[class as usize] += usize::from(!values.is_empty());
        values.sort_unstable();
        // Somebody who has a value in three events is one person with that value.
        values.dedup();
        pairs.extend(values.into_iter().map(|value| (class, value)));
    }
    let records: usize = sizes.iter().sum();
    let mut overall: Vec<u32> = pairs.iter().map(|&(_, value)| value).collect();
    overall.sort_unstable();
    let most = overall.chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0);
    let mut found = Guesses {
        certain: Guess::default(),
        likely: Guess::default(),
        best: 0.0,
        overall: if records == 0 { 0.0 } else { most as f64 / records as f64 },
    };
    pairs.sort_unstable();
    for class in pairs.chunk_by(|a, b| a.0 == b.0) {
        let size = sizes[class[0].0 as usize];
        let most = class.chunk_by(|a, b| a == b).map(<[(u32, u32)]>::len).max().unwrap_or(0);
        found.best = found.best.max(most as f64 / size as f64);
        // In whole numbers: a share of exactly one half must not depend on rounding.
        if 2 * most > size {
            found.likely.add(size);
        }
        if most == size {
            found.certain.add(size);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Three classes: HIV HIV; flu flu HIV; cold flu HIV.
        let classes = Classes::of_codes(8, &[&[0, 0, 1, 1, 1, 2, 2, 2]]);
        let values = [[0], [0], [1], [1], [0], [2], [1], [0]];
        let found = guesses(&classes, |record| values[record].to_vec());
        assert_eq!(found.certain, Guess { classes: 1, records: 2 });
        assert_eq!(found.likely, Guess { classes: 2, records: 5 });
        assert_eq!((found.best, found.overall), (1.0, 0.5));
    }

    #[test]
    fn somebody_with_several_values_counts_once_for_each() {
        let classes = Classes::of_codes(3, &[&[0, 0, 1]]);
        let values: [&[u32]; 3] = [&[5, 6, 5], &[7, 5], &[]];
        let found = guesses(&classes, |record| values[record].to_vec());
        // Both of the first class have a 5; the third person has nothing.
        assert_eq!(found.certain, Guess { classes: 1, records: 2 });
        assert_eq!((found.best, found.overall), (1.0, 1.0));
    }

    #[test]
    fn nobody_gives_nothing_away() {
        let found = guesses(&Classes::default(), |_| Vec::new());
        assert_eq!((found.best, found.overall, found.likely.classes), (0.0, 0.0, 0));
    }
}
