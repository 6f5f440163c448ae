//! Transparent l-diversity: assign, then cut.
//!
//! Classes that are changed *because of* sensitive values tell about them to whoever knows the algorithm. Here everything
//! that depends on sensitive values is decided without looking at quasi-identifiers, and everything that depends on
//! quasi-identifiers without knowing which value is which. (a) *Assign*: the frequencies alone say which values fill the
//! columns of a few buckets (`plan`); which records do is drawn with a secret key (`assign`). (b) *Cut*: a bucket is
//! split into classes with equally many records of every column by their quasi-identifiers (`cut`), rows of buckets
//! too small for a class join the nearest (`settle`), and near classes exchange records of one column while the
//! loss falls (`improve`), all of it in ways that do not change when the columns of a bucket are renamed.
//!
//! It follows X. Xiao, Y. Tao, N. Koudas, *Transparent Anonymization: Thwarting Adversaries Who Know the Algorithm* (ACM
//! TODS 35(2), 2010): their two phases, assignment and generalization, and their reason why they are safe. Where it departs:
//! - A column holds several values, no value of one being in another of the same bucket, not a single value. Then
//!   nearly all records lie in one bucket, and a class finds its records among all of them. See `plan`.
//! - Nobody is left over: what does not go into l equal columns goes into l + 1 or more of them.
//! - The cuts are those of least loss, of any depth, with all quasi-identifiers at once; the exchange is ours.
//!
//! Why it is safe: given the unordered set of columns of a bucket, all that is published would be the same if the columns had
//! exchanged their values, and every such exchange is as likely as any other, since records were drawn at random. So
//! each of the m ≥ l values of a row (one record of every column) is the value of each of its members with probability
//! 1/m. Whoever sees whole classes sees less. This holds for an adversary to whom everybody is equally likely to have each value
//! before the release. It needs the key to be secret, and the *first* result to be published: choosing among the results
//! of several keys, by their loss for example, is a choice that depends on values.
//!
//! An empty sensitive cell is nobody's secret, and everybody sees who has one. Records without any value fill one column of a bucket
//! of their own, and go where their quasi-identifiers fit.
//!
//! Cost: O(n log² n) for the cuts, then rounds of bounded work for each class. Where nobody is expected to reason about the algorithm, [`ribbon`](super::ribbon) loses
//! less; where classes must publish the same levels there is no transparent choice here.

mod assign;
mod class;
mod cut;
mod exchange;
mod improve;
mod params;
mod plan;
mod settle;
mod several;

pub use params::{Secret, TransparentParams, ValidTransparentParams};

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use shoal_core::{Column, Progress, Rule, SUPPRESSED, Table, TablePromise, TableRecoding};

use super::conditions::Conditions;
use super::points::Points;
use super::recode::Recoder;
use super::ribbon::space::Space;
use super::{TableAlgorithm, TableError};
use crate::Anonymized;
use crate::stream::delay_free::{Draws, KeyedDraws};
use assign::Bucket;
use class::Class;
use cut::{Cutter, Part};
use plan::{Plan, Share};
use several::Combination;

impl TableAlgorithm for ValidTransparentParams {
    fn name(&self) -> &'static str {
        "transparent"
    }

    fn needs_hierarchies(&self) -> bool {
        false
    }

    fn anonymize(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        Ok(self.anonymize_with(table, &mut KeyedDraws::of_table(&self.0.key.0), progress)?.into())
    }
}

impl ValidTransparentParams {
    /// The same with another source of random choices: tests walk through all of them.
    pub fn anonymize_with(
        &self,
        table: &Table,
        draws: &mut dyn Draws,
        progress: &dyn Progress,
    ) -> Result<TableRecoding, TableError> {
        let TransparentParams { promise, seed, .. } = &self.0;
        let quasi = super::crowdable(table, promise.k)?;
        // Refuses a table that does not hold as a whole; for what is planned here, shares count in any case.
        Conditions::of(table, &with_shares(promise))?;
        progress.stage("assigning", 0);
        let points = Points::fold(&quasi, table.rows);
        super::ribbon::check_set_memory(&quasi, &points, self.name())?;
        let (plans, rows_of) = plan_of(table, promise, progress)?;
        let buckets = assign::assign(&plans, rows_of, &point_of(&points, table.rows), draws);
        let space = Space::new(&quasi, &points);
        progress.stage("cutting", 0);
        let slots = slots(&buckets);
        let classes = classes(&space, promise.k, &buckets, &slots, *seed, progress);
        Ok(publish(&classes, &buckets, &points, &Recoder::new(&quasi), table.rows, progress))
    }
}

/// The promise, with shares of 1/l instead of l different values; and with the greatest l for all columns, since rows of
/// that many records differ in all of them.
fn with_shares(promise: &TablePromise) -> TablePromise {
    let ls = promise.conditions.iter().filter_map(|condition| l_of(condition.rule));
    let l = ls.max().unwrap_or(1);
    let mut promise = promise.clone();
    promise.conditions.iter_mut().for_each(|condition| condition.rule = Rule::Frequency { l });
    promise
}

/// The l of a rule that can be transparent; the others are refused when the parameters are checked.
fn l_of(rule: Rule) -> Option<usize> {
    match rule {
        Rule::Distinct { l } | Rule::Frequency { l } => Some(l),
        Rule::Entropy { .. } | Rule::Recursive { .. } | Rule::Close { .. } | Rule::Alike(_) => None,
    }
}

/// The buckets, and the records of each value that they speak of.
fn plan_of(
    table: &Table,
    promise: &TablePromise,
    progress: &dyn Progress,
) -> Result<(Vec<Plan>, Vec<Vec<u32>>), TableError> {
    let columns = sensitive(table, promise);
    let is_empty = |code: u32, column: &Column| column.domain.missing() == Some(code);
    let mut rows_of: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    let mut without_value = Vec::new();
    for row in 0..table.rows {
        let codes: Vec<u32> = columns.iter().map(|(column, _)| column.codes[row]).collect();
        match codes.iter().zip(&columns).all(|(&code, (column, _))| is_empty(code, column)) {
            true => without_value.push(row as u32),
            false => rows_of.entry(codes).or_default().push(row as u32),
        }
    }
    let mut plans = match &columns[..] {
        [(_, l)] => {
            let share = |(value, rows): (u32, &Vec<u32>)| Share { value, records: rows.len() as u32 };
            plan::plan(&(0..).zip(rows_of.values()).map(share).collect::<Vec<_>>(), *l)
        }
        _ => {
            let combination = |(codes, rows): (&Vec<u32>, &Vec<u32>)| Combination {
                codes: codes.clone(),
                records: rows.len() as u32,
            };
            let combinations: Vec<Combination> = rows_of.iter().map(combination).collect();
            // Records that differ in a column have at most one empty cell in it, which is no company: one more makes up for it.
            let has_empty = |at: usize| rows_of.keys().any(|codes| is_empty(codes[at], columns[at].0));
            let ls: Vec<usize> =
                (0..).zip(&columns).map(|(at, (_, l))| l + usize::from(has_empty(at))).collect();
            let names =
                || columns.iter().map(|(column, _)| column.name.clone()).collect::<Vec<_>>().join("`, `");
            several::plan(&combinations, &ls, progress)
                .ok_or_else(|| TableError::NoPlan { columns: names() })?
        }
    };
    let mut rows_of: Vec<Vec<u32>> = rows_of.into_values().collect();
    if !without_value.is_empty() {
        // Everybody sees that their cells are empty: they may be anywhere, and one column holds them.
        let all = Share { value: rows_of.len() as u32, records: without_value.len() as u32 };
        plans.push(Plan { columns: vec![vec![all]] });
        rows_of.push(without_value);
    }
    Ok((plans, rows_of))
}

/// The columns about which something is promised, each with the greatest l.
fn sensitive<'a>(table: &'a Table, promise: &TablePromise) -> Vec<(&'a Column, usize)> {
    let most = |column: &Column| {
        let about = promise.conditions.iter().filter(|condition| condition.column == column.name);
        about.filter_map(|condition| l_of(condition.rule)).max()
    };
    table.columns.iter().filter_map(|column| Some((column, most(column)?))).collect()
}

/// The point of each record.
fn point_of(points: &Points, rows: usize) -> Vec<u32> {
    let mut of = vec![0; rows];
    for point in 0..points.len() {
        points.rows(point).iter().for_each(|&row| of[row as usize] = point as u32);
    }
    of
}

/// The columns of each bucket, numbered through.
fn slots(buckets: &[Bucket]) -> Vec<Range<u32>> {
    let mut next = 0;
    let number = |bucket: &Bucket| {
        let first = next;
        next += bucket.columns.len() as u32;
        first..next
    };
    buckets.iter().map(number).collect()
}

/// From here on nothing knows a value or a record: only points, and that some come from the same column.
fn classes(
    space: &Space,
    k: usize,
    buckets: &[Bucket],
    slots: &[Range<u32>],
    seed: u64,
    progress: &dyn Progress,
) -> Vec<Class> {
    let mut classes = Vec::new();
    let mut rows = Vec::new();
    for (bucket, slots) in buckets.iter().zip(slots) {
        let part = Part { columns: bucket.columns.iter().map(|column| column.points.clone()).collect() };
        // A class has equally many records of each column, so that k are reached by rounding up.
        let depth = k.div_ceil(slots.len());
        // Too small for one class of k: cut as finely as possible, and the parts join classes of other buckets.
        let is_small = part.depth() < depth;
        let mut parts = Vec::new();
        Cutter { space, depth: if is_small { 1 } else { depth }, progress }.cut(part, &mut parts);
        let made = parts.par_iter().map(|part| {
            progress.check();
            Class::of_part(space, part, slots.start)
        });
        if is_small { rows.par_extend(made) } else { classes.par_extend(made) }
    }
    settle::settle(space, k, &mut classes, rows, seed, progress);
    improve::improve(space, k, slots, &mut classes, seed, progress);
    classes
}

/// The records of each column and point go to its classes in their random order.
fn publish(
    classes: &[Class],
    buckets: &[Bucket],
    points: &Points,
    recoder: &Recoder<'_>,
    rows: usize,
    progress: &dyn Progress,
) -> TableRecoding {
    let columns: Vec<&assign::Column> = buckets.iter().flat_map(|bucket| &bucket.columns).collect();
    // How many records of each point of a column, at the place of its first, have a class.
    let mut gone: Vec<Vec<u32>> = columns.iter().map(|column| vec![0; column.points.len()]).collect();
    let mut class_of = vec![SUPPRESSED; rows];
    for (number, class) in classes.iter().enumerate() {
        for member in &class.members {
            let column = columns[member.slot as usize];
            let first = column.points.partition_point(|&point| point < member.point);
            let taken = &mut gone[member.slot as usize][first];
            class_of[column.rows[first + *taken as usize] as usize] = number as u32;
            *taken += 1;
        }
    }
    let cells = |class: &Class| {
        progress.check();
        let mut covers = recoder.nothing();
        class.members.iter().for_each(|member| recoder.add(&mut covers, points.point(member.point as usize)));
        recoder.class(&covers)
    };
    TableRecoding { class_of, classes: classes.par_iter().map(cells).collect() }
}
