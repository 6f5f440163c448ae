use super::{TableModel, TableView};
use crate::origin::number;
use crate::{Figure, Outcome, Promise, Unverifiable, Violations};

/// Personal k: every record stands in a class of at least the size that it asks for itself, in people where they are
/// counted.
///
/// What a record asks for is never published. So the promise can be checked where the original is at hand and
/// nowhere else, and a violation names places but not what is asked for there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalK {
    column: String,
}

impl PersonalK {
    /// The promise for the columns that hold what each record asks for, where there is one. Of several the greatest
    /// counts.
    pub fn of<'a>(columns: impl Iterator<Item = &'a str>) -> Option<PersonalK> {
        let names: Vec<&str> = columns.collect();
        (!names.is_empty()).then(|| PersonalK { column: names.join(", ") })
    }
}

impl TableModel for PersonalK {
    fn promise(&self) -> Promise {
        Promise::PersonalK
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let unknown = || Unverifiable::PersonalK { column: self.column.clone() };
        let asked = view.personal_k().ok_or_else(unknown)?;
        let (classes, sizes) = (view.classes(), view.crowds());
        let mut lacks = vec![Lack::default(); classes.len()];
        for (row, (&class, &k)) in (0_u32..).zip(classes.class_of.iter().zip(asked)) {
            lacks[class as usize].look_at(row, k, sizes[class as usize]);
        }
        let lack = |class: u32| lacks[class as usize];
        let mut short: Vec<u32> =
            (0..classes.len() as u32).filter(|&class| lack(class).records > 0).collect();
        short.sort_by_key(|&class| std::cmp::Reverse(lack(class).most));
        let describe = |class| {
            let Lack { records, row, .. } = lack(class);
            let why = format!("row {} asks for a larger one", number(row as usize));
            (Figure::Count(records.into()), Some(why))
        };
        let found = |records: u64| match records {
            0 => "no record below it".to_owned(),
            1 => "1 record below it".to_owned(),
            _ => format!("{records} records below it"),
        };
        let records = lacks.iter().map(|lack| u64::from(lack.records)).sum();
        Ok(Outcome {
            found: if classes.is_empty() { Figure::Nothing } else { Figure::Words(found(records)) },
            holds: short.is_empty(),
            violations: Violations::name(view, &short, describe),
        })
    }
}

/// What a class lacks of what its records ask for.
#[derive(Clone, Copy, Default)]
struct Lack {
    /// How many of them ask for more.
    records: u32,
    /// By how much at most.
    most: u32,
    /// The first record that asks for that.
    row: u32,
}

impl Lack {
    fn look_at(&mut self, row: u32, k: u32, size: u32) {
        let lack = k.saturating_sub(size);
        self.records += u32::from(lack > 0);
        if lack > self.most {
            (self.most, self.row) = (lack, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_those_who_lack_the_most_the_first_is_named() {
        let mut lack = Lack::default();
        for (row, k) in [(3, 2), (4, 5), (5, 6), (6, 6), (7, 4)] {
            lack.look_at(row, k, 4);
        }
        assert_eq!((lack.records, lack.most, lack.row), (3, 2, 5));
    }
}
