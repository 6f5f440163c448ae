//! People of whom the same is published are one group: whatever is known of one of them is true of all, and whatever
//! fits one of them fits all. By the papers' count events that publish nothing are passed over, so a group may hold
//! several classes of the file; otherwise such an event fits everything, and the number of events tells people apart.
//!
//! Where people are said to stand in parts, those of different parts are different groups, whatever they publish. That
//! changes no crowd: who fits something known is the same people, in more groups.

use rayon::prelude::*;

use super::items::Items;
use crate::{Classes, SequencesView};

/// One step of a known sequence: twice an item's number, and one more where the item begins an event.
pub(super) type Step = u32;

/// The published sequences, and how many people stand behind each.
#[derive(Debug)]
pub(super) struct Groups {
    /// How many people each group has.
    pub(super) sizes: Vec<u32>,
    /// The group of each person.
    of_person: Vec<u32>,
    /// The distinct sequences, as the items that stand for their cells. By the papers' count that is all that can be
    /// known about somebody.
    wholes: Vec<Vec<Step>>,
    /// Which of them each group has.
    whole_of: Vec<u32>,
}

impl Groups {
    /// Puts people together who have the same sequence and, where `part_of` is given, the same part.
    pub(super) fn new(view: &SequencesView<'_>, items: &Items, part_of: Option<&[u32]>) -> Groups {
        let firsts = view.classes().first_rows();
        let of_class: Vec<Vec<Step>> =
            firsts.par_iter().map(|&person| whole(view, items, view.rows_of(person as usize))).collect();
        let Classes { class_of: whole_of_class, sizes } = Classes::of_keys(of_class.iter());
        let mut wholes = Vec::with_capacity(sizes.len());
        for (whole, &number) in of_class.into_iter().zip(&whole_of_class) {
            // They are numbered by their first classes, so a new one is always the next one.
            if number as usize == wholes.len() {
                wholes.push(whole);
            }
        }
        let whole_of_person = view.classes().class_of.iter().map(|&class| whole_of_class[class as usize]);
        let groups = match part_of {
            None => Classes::of_keys(whole_of_person.clone()),
            Some(part_of) => Classes::of_keys(whole_of_person.clone().zip(part_of.iter().copied())),
        };
        let whole_of_person: Vec<u32> = whole_of_person.collect();
        let whole_of = groups.first_rows().iter().map(|&person| whole_of_person[person as usize]).collect();
        Groups { sizes: groups.sizes, of_person: groups.class_of, wholes, whole_of }
    }

    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The group of each person of the file.
    pub(super) fn of_person(&self) -> &[u32] {
        &self.of_person
    }

    /// Something about every group that all its people have in common.
    pub(super) fn of_each(&self, of_person: &[u32]) -> Vec<u32> {
        let mut of_group = vec![0; self.len()];
        for (&group, &own) in self.of_person.iter().zip(of_person) {
            of_group[group as usize] = own;
        }
        of_group
    }

    /// A group's whole sequence, as the items that stand for its cells.
    pub(super) fn whole(&self, group: u32) -> &[Step] {
        &self.wholes[self.whole_of[group as usize] as usize]
    }

    /// How many people some groups have.
    pub(super) fn people(&self, groups: &[u32]) -> u32 {
        groups.iter().map(|&group| self.sizes[group as usize]).sum()
    }
}

/// The items that stand for somebody's cells, event by event.
fn whole(view: &SequencesView<'_>, items: &Items, rows: &[u32]) -> Vec<Step> {
    let mut whole = Vec::new();
    for &row in rows {
        let mut begins = 1;
        for (quasi, column) in view.events().quasi().iter().enumerate() {
            if let Some(own) = items.own(quasi, column.codes[row as usize]) {
                whole.push(2 * own + std::mem::take(&mut begins));
            }
        }
    }
    whole
}
