//! The origins of the rows of a table.

use std::collections::HashSet;

use shoal_core::{Progress, RawTable, Table};

use super::columns::Pairs;
use super::flow::{Demand, Shortage, assign};
use super::members::{self, Found, Membership};
use super::points::Boxes;
use super::{Certainty, NoOrigin, Origins};
use crate::Classes;
use crate::origin::number;
use crate::table::Gathered;

/// Finds for every published row an original record of its own of which it is true. `excluded` are records that the policy
/// leaves out; nothing that is published comes from them.
pub fn match_table(
    original: &Table,
    published: &RawTable,
    excluded: &[u32],
    progress: &dyn Progress,
) -> Result<Origins, NoOrigin> {
    let pairs = Pairs::new(original, published, None)?;
    let usable = usable(original, excluded);
    let sides = Sides::new(&pairs, published.rows, &usable, None);
    let origin = match_groups(&sides, sides.fits(&pairs, progress), &usable, progress)?;
    Ok(Origins { left_out: original.rows - origin.len(), origin })
}

/// The origins of a file whose promises count people, and how sure they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleOrigins {
    /// An assignment that fits.
    pub origins: Origins,
    /// How sure it is.
    pub certainty: Certainty,
}

/// What a membership was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipUse {
    /// There was none, or no assignment was found that fits it, although there may be one.
    None,
    /// The origins are as it says.
    Followed,
    /// Nobody's records can be where it says.
    Contradicted,
}

/// The same as [`match_table`] where `person_of` says whose each original is. Of all assignments that fit, one is found that
/// has the people of `membership` in each class, where that is given and can be.
pub fn match_people(
    original: &Table,
    published: &RawTable,
    excluded: &[u32],
    person_of: &[u32],
    membership: Option<&Membership>,
    progress: &dyn Progress,
) -> Result<PeopleOrigins, NoOrigin> {
    let pairs = Pairs::new(original, published, None)?;
    let usable = usable(original, excluded);
    let quasi: Vec<&[u32]> = pairs.quasi.iter().map(|column| column.to.codes.as_slice()).collect();
    let classes = Classes::of_codes(published.rows, &quasi);
    let mut used = MembershipUse::None;
    if let Some(membership) = membership {
        let persons: Vec<u32> = usable.iter().map(|&row| membership.person_of[row as usize]).collect();
        let sides = Sides::new(&pairs, published.rows, &usable, Some(&persons));
        let of_groups: Vec<u32> =
            sides.originals.first_rows().iter().map(|&at| persons[at as usize]).collect();
        match members::find(&pairs, &sides, &of_groups, membership, progress) {
            Found::Unknown => {}
            Found::Contradicted => used = MembershipUse::Contradicted,
            Found::Origins(found) => {
                let origin: Vec<u32> = found.iter().map(|&at| usable[at as usize]).collect();
                let crowds =
                    crate::Crowds::of(&classes, origin.iter().map(|&row| person_of[row as usize]).collect());
                // Who is in a class is fixed then; with which values is not looked into.
                let (only_one, membership) = (false, MembershipUse::Followed);
                let crowd_at_most = crowds.sizes().iter().copied().min();
                let origins = Origins { left_out: original.rows - origin.len(), origin };
                let certainty = Certainty { only_one, crowd_at_most, membership };
                return Ok(PeopleOrigins { origins, certainty });
            }
        }
    }
    let sides = Sides::new(&pairs, published.rows, &usable, None);
    let fits = sides.fits(&pairs, progress);
    let persons: Vec<u32> = usable.iter().map(|&row| person_of[row as usize]).collect();
    let only_one = sides.have_one_assignment(&fits);
    let crowd_at_most = sides.crowd_at_most(&fits, &classes, &persons);
    let origin = match_groups(&sides, fits, &usable, progress)?;
    let origins = Origins { left_out: original.rows - origin.len(), origin };
    Ok(PeopleOrigins { origins, certainty: Certainty { only_one, crowd_at_most, membership: used } })
}

/// The records that something published may come from.
fn usable(original: &Table, excluded: &[u32]) -> Vec<u32> {
    let mut usable = vec![true; original.rows];
    excluded.iter().for_each(|&row| usable[row as usize] = false);
    (0..original.rows as u32).filter(|&row| usable[row as usize]).collect()
}

/// For each published row an original, by a flow between the groups.
fn match_groups(
    sides: &Sides,
    fits: Vec<Vec<u32>>,
    usable: &[u32],
    progress: &dyn Progress,
) -> Result<Vec<u32>, NoOrigin> {
    let demand =
        Demand { published: sides.published.sizes.clone(), originals: sides.originals.sizes.clone(), fits };
    let rows_of = sides.published.gather();
    let taken = assign(&demand, progress).map_err(|short| no_origin(&short, &rows_of, "record"))?;

    let originals_of = sides.originals.gather();
    let mut next = vec![0; demand.originals.len()];
    let mut origin = vec![0; sides.published.class_of.len()];
    for (group, rows) in rows_of.iter().enumerate() {
        let mut rows = rows.iter();
        for (&amount, &from) in taken[group].iter().zip(&demand.fits[group]) {
            let place = &mut next[from as usize];
            let given = &originals_of.of(from as usize)[*place..*place + amount as usize];
            *place += amount as usize;
            // The given ones first: a zip asks its first side once more than its second.
            for (&at, &row) in given.iter().zip(rows.by_ref()) {
                origin[row as usize] = usable[at as usize];
            }
        }
    }
    Ok(origin)
}

/// Who cannot be served, by the first row of them.
pub(super) fn no_origin(short: &Shortage, rows_of: &Gathered, record: &'static str) -> NoOrigin {
    let first = short.groups.iter().map(|&group| rows_of.of(group as usize)[0]).min().unwrap_or(0);
    let row = number(first as usize);
    match short.originals {
        0 => NoOrigin::TrueOfNobody { row, record },
        originals => NoOrigin::TooFew { row, published: short.published, originals, record },
    }
}

/// Both sides, folded. A part holds the records of either side that agree in all columns that nobody touches; only
/// inside it can a row be a record's.
pub(super) struct Sides {
    /// Groups of published rows: one part, one class.
    pub(super) published: Classes,
    /// Groups of originals: one part, one combination of original values, one person where persons are told apart. They
    /// stand for the usable records, in order.
    pub(super) originals: Classes,
    pub(super) published_parts: Vec<u32>,
    pub(super) original_parts: Vec<u32>,
    /// For each quasi-identifier in turn, and for each group of originals, its original values.
    pub(super) points: Vec<Vec<u32>>,
}

impl Sides {
    /// `persons` says whose each usable record is, where the records of different people shall not be folded.
    fn new(pairs: &Pairs<'_>, rows: usize, usable: &[u32], persons: Option<&[u32]>) -> Sides {
        let all = rows + usable.len();
        let both = pairs.untouched.iter().map(|column| {
            let from = usable.iter().map(|&row| column.from[row as usize]);
            column.to.iter().copied().chain(from).collect::<Vec<u32>>()
        });
        let both: Vec<Vec<u32>> = both.collect();
        let parts = Classes::of_codes(all, &both.iter().map(Vec::as_slice).collect::<Vec<_>>()).class_of;
        let (part_of_row, part_of_original) = parts.split_at(rows);

        let mut keys: Vec<&[u32]> = vec![part_of_row];
        keys.extend(pairs.quasi.iter().map(|column| column.to.codes.as_slice()));
        let published = Classes::of_codes(rows, &keys);
        let values = pairs
            .quasi
            .iter()
            .map(|column| usable.iter().map(|&row| column.from.codes[row as usize]).collect::<Vec<u32>>());
        let values: Vec<Vec<u32>> = values.collect();
        let mut keys: Vec<&[u32]> = vec![part_of_original];
        keys.extend(values.iter().map(Vec::as_slice));
        keys.extend(persons);
        let originals = Classes::of_codes(usable.len(), &keys);

        let first = originals.first_rows();
        Sides {
            published_parts: published.first_rows().iter().map(|&row| part_of_row[row as usize]).collect(),
            original_parts: first.iter().map(|&at| part_of_original[at as usize]).collect(),
            points: values.iter().map(|codes| first.iter().map(|&at| codes[at as usize]).collect()).collect(),
            published,
            originals,
        }
    }

    /// For each group of published rows the groups of originals of which they are true, ascending.
    fn fits(&self, pairs: &Pairs<'_>, progress: &dyn Progress) -> Vec<Vec<u32>> {
        let first = self.published.first_rows();
        Boxes::new(pairs, &first, &self.points, &self.published_parts, &self.original_parts).fits(progress)
    }
}

impl Sides {
    /// Whether every published group takes all originals that fit it, so that nothing could be otherwise.
    fn have_one_assignment(&self, fits: &[Vec<u32>]) -> bool {
        let there = |fits: &Vec<u32>| -> u64 {
            fits.iter().map(|&group| u64::from(self.originals.sizes[group as usize])).sum()
        };
        fits.iter().zip(&self.published.sizes).all(|(fits, &rows)| there(fits) == u64::from(rows))
    }

    /// The fewest people who have a record that fits a row of a class, or the fewest rows where that is less.
    fn crowd_at_most(&self, fits: &[Vec<u32>], classes: &Classes, persons: &[u32]) -> Option<u32> {
        let mut groups_of = vec![Vec::new(); classes.len()];
        for (group, &row) in self.published.first_rows().iter().enumerate() {
            groups_of[classes.class_of[row as usize] as usize].push(group);
        }
        let originals_of = self.originals.gather();
        let crowd = |(groups, &rows): (&Vec<usize>, &u32)| {
            let mut people = HashSet::new();
            for &group in groups.iter().flat_map(|&group| &fits[group]) {
                people.extend(originals_of.of(group as usize).iter().map(|&at| persons[at as usize]));
                // No more than rows can be there at once, so nobody else need be counted.
                if people.len() >= rows as usize {
                    return rows;
                }
            }
            people.len() as u32
        };
        groups_of.iter().zip(&classes.sizes).map(crowd).min()
    }
}
