//! How many people could be told from all others by what somebody may know about them, before anything is done.

use shoal_privacy::Classes;

/// How many are alone in their class: records, or, where `person_of` says whose each record is, the people who have a
/// class that nobody else has a record in.
///
/// ```
/// use shoal_measure::table::uniqueness;
/// use shoal_privacy::Classes;
///
/// // Two people aged 30, one aged 41.
/// let ages = Classes::of_codes(3, &[&[30, 30, 41]]);
/// assert_eq!(uniqueness::of(&ages, None), 1);
/// // Both records with 30 are the same person's.
/// assert_eq!(uniqueness::of(&ages, Some(&[7, 7, 8])), 2);
/// ```
///
/// # Panics
/// When there is not a person for each record.
pub fn of(classes: &Classes, person_of: Option<&[u32]>) -> usize {
    let Some(person_of) = person_of else {
        return classes.sizes.iter().filter(|&&size| size == 1).count();
    };
    assert_eq!(person_of.len(), classes.class_of.len(), "a person for each record");
    let records = || classes.class_of.iter().zip(person_of);
    let mut owner = vec![Owner::Nobody; classes.len()];
    for (&class, &person) in records() {
        let owner = &mut owner[class as usize];
        *owner = match *owner {
            Owner::Nobody => Owner::One(person),
            Owner::One(other) if other != person => Owner::Several,
            known => known,
        };
    }
    // Somebody with several classes of their own counts once.
    let mut is_alone = vec![false; person_of.iter().max().map_or(0, |&last| last as usize + 1)];
    for (&class, &person) in records() {
        is_alone[person as usize] |= owner[class as usize] == Owner::One(person);
    }
    is_alone.into_iter().filter(|&alone| alone).count()
}

/// Whose the records of a class are.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Nobody,
    One(u32),
    Several,
}
