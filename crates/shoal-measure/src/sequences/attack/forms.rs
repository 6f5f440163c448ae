use std::collections::HashMap;

use shoal_core::{Column, MissingTexts, PublishedValue, RawColumn, Role, SameValue};

use super::SequencesTarget;
use crate::table::attack::fits::read_cell;

/// Published people by what their events say: who says the same cannot be told apart.
pub(super) struct Forms {
    /// The events of each form, each with a cell per quasi-identifier: a number of its published text.
    pub events: Vec<Vec<Vec<u32>>>,
    /// How many people have each form.
    pub count: Vec<u64>,
    /// The sensitive columns.
    pub sensitive: Vec<Sensitive>,
    /// The published texts of each quasi-identifier; none where a text cannot be read.
    pub cells: Vec<Vec<Option<PublishedValue>>>,
    /// All published people.
    pub people: u64,
    pub unreadable: usize,
}

/// A sensitive column of the published people. Texts that look alike are one value.
pub(super) struct Sensitive {
    pub name: String,
    /// A text of each value.
    pub labels: Vec<String>,
    /// For each form how many of its people have each value in an event.
    pub by_form: Vec<Vec<(u32, u64)>>,
    /// For each form the values of each of its people.
    pub people: Vec<Vec<Vec<u32>>>,
    /// How many people have each value.
    pub everybody: Vec<u64>,
}

impl Forms {
    pub(super) fn read(target: &SequencesTarget<'_>) -> Forms {
        let published = target.published;
        let quasi: Vec<(&Column, &RawColumn)> = target
            .original
            .events()
            .quasi_identifiers()
            .into_iter()
            .filter_map(|column| Some((column, published.column(&column.name)?)))
            .collect();
        let cells: Vec<Vec<Option<PublishedValue>>> = quasi
            .iter()
            .map(|(column, published)| {
                (0..published.labels.len() as u32).map(|code| read_cell(column, published, code)).collect()
            })
            .collect();
        let unreadable = cells.iter().flatten().filter(|cell| cell.is_none()).count();
        let mut rows_of: Vec<Vec<usize>> = Vec::new();
        if let Some(ids) = published.column(target.id) {
            rows_of.resize(ids.labels.len(), Vec::new());
            ids.codes.iter().enumerate().for_each(|(row, &id)| rows_of[id as usize].push(row));
        }
        let mut number_of: HashMap<Vec<Vec<u32>>, usize> = HashMap::new();
        let (mut events, mut members): (Vec<Vec<Vec<u32>>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (person, rows) in rows_of.iter().enumerate() {
            let event = |&row: &usize| quasi.iter().map(|(_, column)| column.codes[row]).collect();
            let form: Vec<Vec<u32>> = rows.iter().map(event).collect();
            let next = events.len();
            let number = *number_of.entry(form).or_insert_with_key(|form| {
                events.push(form.clone());
                members.push(Vec::new());
                next
            });
            members[number].push(person);
        }
        let sensitive = target
            .original
            .events()
            .of_role(Role::Sensitive)
            .filter_map(|column| {
                Some({
                    let missing = column.domain.missing_texts();
                    Sensitive::read(published.column(&column.name)?, missing, &rows_of, &members)
                })
            })
            .collect();
        let count = members.iter().map(|members| members.len() as u64).collect();
        Forms { events, count, sensitive, cells, people: rows_of.len() as u64, unreadable }
    }

    /// How many people some forms are.
    pub(super) fn crowd(&self, forms: &[u32]) -> u64 {
        forms.iter().map(|&form| self.count[form as usize]).sum()
    }
}

impl Sensitive {
    fn read(
        column: &RawColumn,
        missing: &MissingTexts,
        rows_of: &[Vec<usize>],
        members: &[Vec<usize>],
    ) -> Sensitive {
        let (mut known, mut labels): (HashMap<SameValue, u32>, Vec<String>) = (HashMap::new(), Vec::new());
        let codes: Vec<Option<u32>> = (0..column.labels.len() as u32)
            .map(|code| {
                let (text, next) = (column.labels.get(code), labels.len() as u32);
                let is_value = !missing.has_code(column, code);
                is_value.then(|| {
                    *known.entry(SameValue::from_text(text)).or_insert_with(|| {
                        labels.push(text.to_owned());
                        next
                    })
                })
            })
            .collect();
        let values = |&person: &usize| {
            let mut values: Vec<u32> =
                rows_of[person].iter().filter_map(|&row| codes[column.codes[row] as usize]).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let people: Vec<Vec<Vec<u32>>> =
            members.iter().map(|members| members.iter().map(values).collect()).collect();
        let mut everybody = vec![0; labels.len()];
        people.iter().flatten().flatten().for_each(|&value| everybody[value as usize] += 1);
        let tally = |people: &Vec<Vec<u32>>| {
            let mut all: Vec<u32> = people.iter().flatten().copied().collect();
            all.sort_unstable();
            all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
        };
        let by_form = people.iter().map(tally).collect();
        Sensitive { name: column.name.clone(), labels, by_form, people, everybody }
    }

    /// How many people of some forms have each value, ascending by value.
    pub(super) fn tally(&self, forms: &[u32]) -> Vec<(u32, u64)> {
        if let [form] = forms {
            return self.by_form[*form as usize].clone();
        }
        let mut counts: HashMap<u32, u64> = HashMap::new();
        for &form in forms {
            for &(value, count) in &self.by_form[form as usize] {
                *counts.entry(value).or_default() += count;
            }
        }
        let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
        counts.sort_unstable();
        counts
    }

    /// The values that look like one of these texts; all where none are given.
    pub(super) fn named(&self, values: Option<&[String]>) -> Vec<bool> {
        let wanted: Option<Vec<SameValue>> =
            values.map(|values| values.iter().map(|value| SameValue::from_text(value)).collect());
        let is_wanted = |label: &String| {
            wanted.as_ref().is_none_or(|wanted| wanted.contains(&SameValue::from_text(label)))
        };
        self.labels.iter().map(is_wanted).collect()
    }
}
