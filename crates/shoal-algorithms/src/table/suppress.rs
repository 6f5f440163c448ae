//! Records that are left out: how many may be, and what becomes of those that stay in the file as `*`.

use shoal_core::{Cell, Class, Column, SUPPRESSED, Table, TablePromise, TableRecoding};

use super::conditions::{Conditions, Tally};
use super::loss::class_loss;
use super::{ParamsError, TableError};

/// Suppresses further classes until no record is suppressed or the suppressed ones are a crowd.
///
/// Where suppressed records stay in the file (`output.suppressed = "star"`) they all look alike and form a
/// class of their own, which must keep the promise like any other. While it does not, the smallest class joins
/// it; of equally small ones the one that is coarsest already, since it has the least to lose, then the first.
/// (Step 4 of Datafly.) Where more is promised than k, a class that brings the suppressed ones nearer to the
/// promise goes before one that does not. And since all records are published, a class that is not enough like
/// all of them joins in any case. A class that joins is taken out of the recoding.
pub fn star_suppression(
    recoding: &mut TableRecoding,
    table: &Table,
    promise: &TablePromise,
) -> Result<(), TableError> {
    if recoding.suppressed() == 0 {
        return Ok(());
    }
    let conditions = Conditions::of(table, promise)?;
    let columns = table.quasi_identifiers();
    let losses: Vec<f64> = recoding.classes.iter().map(|class| class_loss(&columns, class)).collect();
    let (mut stars, tallies) = tallies(recoding, &conditions);
    let mut stays: Vec<bool> = tallies.iter().map(|class| conditions.hold(class)).collect();
    if !conditions.unions_hold() {
        // Nobody can tell a class of nothing but `*` from the suppressed records, so it must hold with them.
        let is_star = |(column, cell): (&&Column, &Cell)| column.render(cell) == "*";
        let says_nothing = |class: &Class| columns.iter().zip(&class.cells).all(is_star);
        recoding.classes.iter().zip(&mut stays).for_each(|(class, stays)| *stays &= !says_nothing(class));
    }
    tallies.iter().zip(&stays).filter(|(_, stays)| !**stays).for_each(|(class, _)| stars.merge(class));
    // All records together hold.
    while !conditions.hold(&stars)
        && let Some(victim) = next_to_join(&stars, &tallies, &stays, &losses, &conditions)
    {
        stays[victim] = false;
        stars.merge(&tallies[victim]);
    }
    keep(recoding, &stays);
    Ok(())
}

/// Refuses a recoding that leaves out more than the share that may be.
pub fn check_suppressed(recoding: &TableRecoding, limit: Option<f64>) -> Result<(), TableError> {
    let (suppressed, records) = (recoding.suppressed(), recoding.class_of.len());
    match limit {
        Some(limit) if !is_within(suppressed, records, limit) => {
            Err(TableError::TooManySuppressed { suppressed, records, limit })
        }
        _ => Ok(()),
    }
}

/// Whether so many records are no more than a share of all.
pub(super) fn is_within(suppressed: usize, records: usize, limit: f64) -> bool {
    suppressed == 0 || suppressed as f64 / records as f64 <= limit
}

/// Refuses a limit that is not a share.
pub(super) fn check_limit(limit: Option<f64>) -> Result<(), ParamsError> {
    match limit {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(ParamsError::NotAShare { name: "max-suppressed", value })
        }
        _ => Ok(()),
    }
}

/// The tallies of the suppressed records and of each class.
fn tallies(recoding: &TableRecoding, conditions: &Conditions<'_>) -> (Tally, Vec<Tally>) {
    let mut stars = conditions.tally();
    let mut classes = vec![conditions.tally(); recoding.classes.len()];
    for (row, &class) in recoding.class_of.iter().enumerate() {
        let tally = if class == SUPPRESSED { &mut stars } else { &mut classes[class as usize] };
        conditions.add(tally, row as u32, 1);
    }
    (stars, classes)
}

/// Of the classes that stay, the one that joins the suppressed records next.
fn next_to_join(
    stars: &Tally,
    tallies: &[Tally],
    stays: &[bool],
    losses: &[f64],
    conditions: &Conditions<'_>,
) -> Option<usize> {
    let lack = conditions.lack(stars);
    let helps = |class: usize| {
        let mut with = stars.clone();
        with.merge(&tallies[class]);
        conditions.lack(&with) < lack
    };
    let rank = |class: usize| (!conditions.only_size() && !helps(class), tallies[class].records());
    let staying = (0..tallies.len()).filter(|&class| stays[class]).map(|class| (rank(class), class));
    let first = staying
        .min_by(|(a, first), (b, second)| a.cmp(b).then_with(|| losses[*second].total_cmp(&losses[*first])));
    first.map(|(_, class)| class)
}

/// Takes the classes out that do not stay; the others close ranks.
fn keep(recoding: &mut TableRecoding, stays: &[bool]) {
    let mut next = 0;
    let number = |&stays: &bool| match stays {
        true => {
            next += 1;
            next - 1
        }
        false => SUPPRESSED,
    };
    let numbers: Vec<u32> = stays.iter().map(number).collect();
    for class in recoding.class_of.iter_mut().filter(|class| **class != SUPPRESSED) {
        *class = numbers[*class as usize];
    }
    let mut stays = stays.iter();
    recoding.classes.retain(|_| stays.next().copied().unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use shoal_core::{Kind, Role};

    use super::*;
    use crate::fixture;

    fn ages() -> Table {
        let texts: Vec<String> = (0..9).map(|age| age.to_string()).collect();
        let column = fixture::column("age", Role::QuasiIdentifier, Kind::Integer, &texts, None);
        Table { columns: vec![column], rows: texts.len() }
    }

    fn recoding(class_of: &[u32], ranges: &[(u32, u32)]) -> TableRecoding {
        let class = |&(lo, hi)| Class { cells: vec![Cell::Range { lo, hi }] };
        TableRecoding { class_of: class_of.to_vec(), classes: ranges.iter().map(class).collect() }
    }

    const OUT: u32 = SUPPRESSED;

    #[test]
    fn the_smallest_class_joins_and_the_others_close_ranks() {
        let mut recoding = recoding(&[0, 0, 0, 1, 1, 2, 2, 2, OUT], &[(0, 2), (3, 4), (5, 7)]);
        star_suppression(&mut recoding, &ages(), &TablePromise::crowds(2)).unwrap();
        assert_eq!(recoding, self::recoding(&[0, 0, 0, OUT, OUT, 1, 1, 1, OUT], &[(0, 2), (5, 7)]));
    }

    #[test]
    fn of_equals_the_coarsest_joins_then_the_first() {
        let mut by_loss = recoding(&[0, 0, 1, 2, 2, 1, 3, 3, OUT], &[(0, 1), (2, 5), (3, 4), (6, 7)]);
        star_suppression(&mut by_loss, &ages(), &TablePromise::crowds(2)).unwrap();
        assert_eq!(by_loss.classes, recoding(&[], &[(0, 1), (3, 4), (6, 7)]).classes);

        let mut by_order = recoding(&[0, 0, 0, 0, 1, 1, 2, 2, OUT], &[(0, 3), (4, 5), (6, 7)]);
        star_suppression(&mut by_order, &ages(), &TablePromise::crowds(2)).unwrap();
        assert_eq!(by_order.classes, recoding(&[], &[(0, 3), (6, 7)]).classes);
    }

    #[test]
    fn none_or_enough_stay_as_they_are() {
        for class_of in [[0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, OUT, OUT]] {
            let before = recoding(&class_of, &[(0, 4), (4, 8)]);
            let mut after = before.clone();
            star_suppression(&mut after, &ages(), &TablePromise::crowds(2)).unwrap();
            assert_eq!(after, before);
        }
    }
}
