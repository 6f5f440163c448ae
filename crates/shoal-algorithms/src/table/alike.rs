//! Classes that publish the same are one class to every reader.
//!
//! Where every record is another person's that changes nothing: classes that hold still do together. Where people are
//! counted and something is promised about their values, it does not follow (see [`super::conditions`]), so that the
//! classes of a recoding are put together as a reader would and asked again. One that does not hold then is merged
//! with others until it does.

use std::collections::BTreeMap;

use shoal_core::{Column, Progress, SUPPRESSED, TableRecoding};

use super::conditions::{Conditions, Tally};
use super::recode::{Cover, Recoder};

/// Makes one class of those that publish the same, and lets those that do not hold then grow until they do. Nothing
/// changes where unions of classes always hold.
pub(super) fn hold_together(
    recoding: TableRecoding,
    quasi: &[&Column],
    conditions: &Conditions<'_>,
    progress: &dyn Progress,
) -> TableRecoding {
    if conditions.unions_hold() {
        return recoding;
    }
    let rows = recoding.class_of.len();
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); recoding.classes.len()];
    let placed = (0_u32..).zip(&recoding.class_of).filter(|(_, class)| **class != SUPPRESSED);
    placed.for_each(|(row, &class)| members[class as usize].push(row));
    // What is compared with everybody is compared with those who are published.
    let published = conditions.tally_of(members.iter().flatten());
    let conditions = conditions.against(&published);
    let recoder = Recoder::new(quasi);
    let mut groups: Vec<Group> =
        members.into_iter().map(|rows| Group::of(rows, quasi, &recoder, &conditions)).collect();
    loop {
        groups = united(groups, quasi, &recoder, &conditions, progress);
        let Some(at) = groups.iter().position(|group| !conditions.hold(&group.tally)) else { break };
        let broken = groups.remove(at);
        let union = |other: &Group| {
            let rows = [&broken.rows[..], &other.rows].concat();
            Group::of(rows, quasi, &recoder, &conditions)
        };
        let rank = |other: &Group| {
            progress.check();
            let union = union(other);
            let added = union.loss(&recoder) - broken.loss(&recoder) - other.loss(&recoder);
            (!conditions.hold(&union.tally), added)
        };
        let ranks = groups.iter().map(rank).enumerate();
        let nearest = ranks.min_by(|(_, a), (_, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        match nearest {
            Some((other, _)) => groups[other] = union(&groups[other]),
            // All together hold unless some were left out before; then nobody can stay.
            None => break,
        }
    }
    let mut class_of = vec![SUPPRESSED; rows];
    for (number, group) in groups.iter().enumerate() {
        group.rows.iter().for_each(|&row| class_of[row as usize] = number as u32);
    }
    TableRecoding { class_of, classes: groups.iter().map(|group| recoder.class(&group.covers)).collect() }
}

/// Records that publish the same.
struct Group {
    rows: Vec<u32>,
    tally: Tally,
    covers: Vec<Cover>,
}

impl Group {
    fn of(rows: Vec<u32>, quasi: &[&Column], recoder: &Recoder<'_>, conditions: &Conditions<'_>) -> Group {
        let mut covers = recoder.nothing();
        for &row in &rows {
            let point: Vec<u32> = quasi.iter().map(|column| column.codes[row as usize]).collect();
            recoder.add(&mut covers, &point);
        }
        Group { tally: conditions.tally_of(&rows), covers, rows }
    }

    fn loss(&self, recoder: &Recoder<'_>) -> f64 {
        self.rows.len() as f64 * recoder.cost(&self.covers)
    }
}

/// The groups by what they publish, in the order of the first of each.
fn united(
    groups: Vec<Group>,
    quasi: &[&Column],
    recoder: &Recoder<'_>,
    conditions: &Conditions<'_>,
    progress: &dyn Progress,
) -> Vec<Group> {
    let mut place: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut united: Vec<Group> = Vec::new();
    for group in groups {
        progress.check();
        let cells = recoder.class(&group.covers).cells;
        let texts = quasi.iter().zip(&cells).map(|(column, cell)| column.render(cell)).collect();
        let at = *place.entry(texts).or_insert(united.len());
        match united.get_mut(at) {
            Some(known) => {
                let rows = [&known.rows[..], &group.rows].concat();
                *known = Group::of(rows, quasi, recoder, conditions);
            }
            None => united.push(group),
        }
    }
    united
}
