use std::collections::HashMap;

use super::TransactionsTarget;
use crate::attack::Attacks;
use crate::transactions::published::meaning;

/// Published transactions as an adversary reads them.
///
/// Items of the original that the same published texts stand for cannot be told apart: they are one *image*.
pub(super) struct Candidates {
    /// For each item of the original its image; none where no text stands for it.
    image: Vec<Option<u32>>,
    /// The published transactions, by the images whose items they may hold, ascending; those of one person next to each other.
    pub rows: Vec<Vec<u32>>,
    /// Whose each row is, where people are counted.
    pub persons: Option<Vec<u32>>,
    /// The rows that may hold each image, ascending.
    pub postings: Vec<Vec<u32>>,
    unreadable: usize,
    several: usize,
    /// Whether people were to be counted and could not be.
    lost_people: bool,
}

impl Candidates {
    pub(super) fn read(target: &TransactionsTarget<'_>) -> Candidates {
        let TransactionsTarget { original, published, hierarchy, .. } = target;
        let mut texts_of: Vec<Vec<u32>> = vec![Vec::new(); original.items().len()];
        let mut unreadable = 0;
        for (text, code) in published.items().iter().zip(0..) {
            match meaning(text, original, *hierarchy) {
                Ok(members) => members.iter().for_each(|&item| texts_of[item as usize].push(code)),
                // A text that stands for nothing of the original fits nobody.
                Err(_) => unreadable += 1,
            }
        }
        let mut images: HashMap<&[u32], u32> = HashMap::new();
        let mut images_of_text: Vec<Vec<u32>> = vec![Vec::new(); published.items().len()];
        let mut image = Vec::with_capacity(texts_of.len());
        for texts in &texts_of {
            if texts.is_empty() {
                image.push(None);
                continue;
            }
            let next = images.len() as u32;
            image.push(Some(*images.entry(texts).or_insert_with(|| {
                texts.iter().for_each(|&text| images_of_text[text as usize].push(next));
                next
            })));
        }
        let several = texts_of.iter().filter(|texts| texts.len() > 1).count();
        let sorted = |mut row: Vec<u32>| {
            row.sort_unstable();
            row.dedup();
            row
        };
        let row = |texts: &[u32]| {
            sorted(texts.iter().flat_map(|&text| images_of_text[text as usize].iter().copied()).collect())
        };
        let mut rows: Vec<Vec<u32>> = published.iter().map(row).collect();
        let number = images.len();
        let before = |items: &[u32]| sorted(items.iter().filter_map(|&item| image[item as usize]).collect());
        let (mut persons, mut lost_people) = (None, false);
        if let Some(people) = original.persons() {
            // Whose a published transaction is, only the original says: where the file is what the images make of the original,
            // its transactions stand for the published ones, and bring their people along.
            let mut expected: Vec<(Vec<u32>, u32)> =
                original.iter().map(before).zip(people.iter().copied()).collect();
            lost_people = !same_rows(&rows, &expected);
            if !lost_people {
                expected.sort_by_key(|&(_, person)| person);
                (rows, persons) = {
                    let (rows, people): (Vec<Vec<u32>>, Vec<u32>) = expected.into_iter().unzip();
                    (rows, Some(people))
                };
            }
        }
        let mut postings = vec![Vec::new(); number];
        for (row, at) in rows.iter().zip(0..) {
            row.iter().for_each(|&image| postings[image as usize].push(at));
        }
        Candidates { image, rows, persons, postings, unreadable, several, lost_people }
    }

    /// What somebody may know of each transaction of the original, as images. Items that were suppressed tell nothing.
    pub(super) fn known(&self, target: &TransactionsTarget<'_>, linkable: Option<&[bool]>) -> Vec<Vec<u32>> {
        let is_known = |item: &&u32| linkable.is_none_or(|linkable| linkable[**item as usize]);
        target.original.iter().map(|items| self.images(items.iter().filter(is_known).copied())).collect()
    }

    /// The image of an item; none where it was suppressed.
    pub(super) fn image_of(&self, item: u32) -> Option<u32> {
        self.image[item as usize]
    }

    /// The images of some items, ascending.
    pub(super) fn images(&self, items: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut images: Vec<u32> = items.filter_map(|item| self.image[item as usize]).collect();
        images.sort_unstable();
        images.dedup();
        images
    }

    /// How many transactions, or people, may hold all of these images.
    pub(super) fn crowd(&self, images: &[u32]) -> u64 {
        let mut order: Vec<&[u32]> =
            images.iter().map(|&image| self.postings[image as usize].as_slice()).collect();
        // The rarest first: what is left after it can only shrink.
        order.sort_by_key(|rows| rows.len());
        let Some((rarest, others)) = order.split_first() else {
            return self.count(0..self.rows.len() as u32);
        };
        let holds = |row: &u32| others.iter().all(|rows| rows.binary_search(row).is_ok());
        self.count(rarest.iter().copied().filter(holds))
    }

    /// Counts rows, or the people whose they are; those of one person are next to each other.
    fn count(&self, rows: impl Iterator<Item = u32>) -> u64 {
        let Some(persons) = &self.persons else { return rows.count() as u64 };
        let (mut count, mut last) = (0, None);
        for row in rows {
            let person = persons[row as usize];
            count += u64::from(last != Some(person));
            last = Some(person);
        }
        count
    }

    pub(super) fn unit(&self) -> &'static str {
        if self.persons.is_some() { "people" } else { "transactions" }
    }

    /// What was noticed while reading.
    pub(super) fn notes(&self, target: &TransactionsTarget<'_>, found: &mut Attacks) {
        let suppressed = self.image.iter().filter(|image| image.is_none()).count();
        let mut note = |count: usize, what: &str| {
            if count > 0 {
                found.notes.push(format!("{count} {what}"));
            }
        };
        note(
            suppressed,
            "items of the original are in no published transaction; knowing them rules nobody out",
        );
        note(self.unreadable, "published texts stand for no item of the original, and fit nobody");
        note(
            self.several,
            "items are published in several ways; a transaction may hold them where it has any of these",
        );
        note(
            target.original.len().saturating_sub(target.published.len()),
            "transactions of the original are not in the file",
        );
        if self.lost_people {
            found.not_tried.push(
                "counting people: the file is not what one recoding makes of the original, so it is not known whose its transactions \
                 are; transactions were counted, of which there are at least as many"
                    .to_owned(),
            );
        }
    }
}

/// Whether published rows are those that the original makes, in any order; empty ones may be left out.
fn same_rows(rows: &[Vec<u32>], expected: &[(Vec<u32>, u32)]) -> bool {
    let mut published: Vec<&[u32]> = rows.iter().map(Vec::as_slice).filter(|row| !row.is_empty()).collect();
    let mut made: Vec<&[u32]> =
        expected.iter().map(|(row, _)| row.as_slice()).filter(|row| !row.is_empty()).collect();
    published.sort_unstable();
    made.sort_unstable();
    published == made
}
