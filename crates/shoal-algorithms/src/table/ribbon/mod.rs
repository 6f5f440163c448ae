//! Ribbon, Shoal's own algorithm for tables.
//!
//! It starts from the best of several cheap constructions and improves the classes in rounds. Where the loss comes
//! from decides how: a record loses what the cells of its class lose and the class needs k records, so what matters is
//! that cheap classes keep no more records than they must while others have too few near ones.
//!
//! - Equal rows are one point with a weight, and its records may go to different classes. Costs are whole numbers.
//! - A large table is cut into blocks of near points first, by Mondrian's first cuts.
//! - Constructions, in each block: `peel` takes out crowds that look alike on one level for each column, the
//!   cheapest crowds first; `order` sorts all records and cuts the ribbon by dynamic programming; `merge` goes
//!   bottom-up; `split` top-down; Mondrian's own classes, so that the loss is never more than Mondrian's; and for a dozen records all
//!   partitions are tried (`exact`). Of several blocks one shows which of these are worth their time in the others.
//! - Rounds: neighbouring classes form pieces, other ones each round. In a `piece`, records move to where all lose
//!   less, two classes `swap` members, some classes are pooled and split again, and costly classes are given up for
//!   new ones around their records with what others can spare (`reform`). Where there is time for many attempts, a
//!   change may cost a little at first. No round ends with a greater loss than it began with.
//! - A small table is improved from Mondrian's classes as well as from the best start, and what loses less in the end is taken.
//! - Where more than the usual rounds are asked for: classes are opened for whole crowds with records of many classes (`open`), and records that costly
//!   classes can spare go to cheap ones, if need be through others (`chains`).
//! - Whatever is promised beside k is asked of every class that changes (`class_rule`). So is k where people are counted;
//!   then records are one point only if they are also one person's.
//! - How much work goes into each of these is in `tuning`.
//! - Outliers may be left out in the end for the sake of the others (`outliers`).
//!
//! The pieces run in parallel, each with its own random numbers from the seed; the result is the same for any number
//! of threads.
//!
//! Cost: O(n log n) for the blocks; some times 2^14 passes over the points that are left for peeling where there is one block, 160 where
//! there are more; the work of a round is bounded for each record and each class. With a time limit rounds go on for
//! as long as the caller says so and the loss falls.
//!
//! Where names without a hierarchy are too many for sets of them (a bit for each name and point), Mondrian does it.
//!
//! Another one is the better choice where every class must publish the same levels ([`incognito`](super::incognito),
//! [`datafly`](super::datafly)) or where millions of different records must be done in a few seconds
//! ([`mondrian`]).
//!
//! Tried and rejected, total NCP on the Adult data with its nine hierarchies at k = 10, where peeling alone gives
//! 8.16 % and the rounds 8.11 %: merging bottom-up in blocks as the only start, 14.6 %, and 10.2 % after rounds; every
//! tenth combination of levels, 9.9 %; all crowds of a combination at once, the combinations in the order of their mean cost, 8.28 and 8.19 %;
//! climbing from each record to its cheapest crowd, 8.25 % at several times the work. From three different
//! starts long runs on 1,500 of the records ended within 0.5 % of each other and 2.5 % below peeling, so there is
//! probably not much more to gain. Peeling by what a crowd loses beyond the cheapest crowds of its members instead of by what it loses: 8.12 % after
//! rounds at k = 10 and 15.72 instead of 15.77 % at k = 50, at ten times the work. Peeling some neighbouring classes again within rounds, with levels drawn at
//! random: a fiftieth of the gain per second that splitting pools has. Blocks of points near to each other by random cuts instead of Mondrian's: 3.86
//! instead of 3.35 % on a million people of the Spark measurements, 5.31 instead of 4.42 % on those of `make_data people`.

mod axis;
mod chains;
mod class;
mod class_rule;
mod construct;
mod coverage;
mod exact;
mod ladder;
mod left_out;
mod looks;
mod merge;
pub(super) mod neighbours;
mod open;
mod order;
mod outliers;
mod params;
mod peel;
mod piece;
mod plan;
mod prices;
mod reform;
pub(super) mod rng;
mod rounds;
pub(super) mod space;
mod split;
mod swap;
#[cfg(test)]
mod tests;
mod tuning;

pub use params::{Outliers, RibbonParams, ValidRibbonParams};

use rayon::prelude::*;
use shoal_core::{Column, Progress, Role, SUPPRESSED, Table, TableRecoding};

use super::alike::hold_together;
use super::conditions::Conditions;
use super::loss::recoding_loss;
use super::mondrian::{self, MondrianParams, ValidMondrianParams};
use super::points::Points;
use super::recode::Recoder;
use super::{TableAlgorithm, TableError};
use crate::{Anonymized, Construction, OutlierCost, Search, Trace};
use class::{Class, loss};
use class_rule::ClassRule;
use construct::Starts;
use ladder::Ladder;
use left_out::LeftOut;
use outliers::OutlierSearch;
use rounds::Improved;
use space::{Space, WHOLE};
use tuning::Tuning;

impl TableAlgorithm for ValidRibbonParams {
    fn name(&self) -> &'static str {
        "ribbon"
    }

    fn needs_hierarchies(&self) -> bool {
        false
    }

    fn anonymize(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        self.anonymize_from(Starts::All, table, progress)
    }
}

impl ValidRibbonParams {
    /// The same rounds, but from Mondrian's classes and no other start: benchmarks show by it what the other starts are good for.
    pub fn anonymize_from_mondrian(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        self.anonymize_from(Starts::OnlyMondrian, table, progress)
    }

    fn anonymize_from(
        &self,
        starts: Starts,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        let params = &self.0;
        let quasi = super::crowdable(table, params.promise.k)?;
        let conditions = Conditions::of(table, &params.promise)?;
        progress.stage("constructing", 0);
        let points = Points::fold(&alike(table, &quasi, &conditions, params), table.rows);
        if words_of_sets(&quasi).saturating_mul(points.len()) > Tuning::MAX_SET_WORDS {
            return self.fall_back_to_mondrian(table, progress);
        }
        // From here on everything is in whole numbers: points, covers and costs.
        let rule = ClassRule::of(&conditions, &points, progress);
        let space = Space::new(&quasi, &points);
        let ladders = Ladder::of_all(&quasi, &points);
        let most = |share: f64| (share * table.rows as f64).floor() as u64;
        let left_out = LeftOut { space: &space, points: &points, ladders: &ladders, progress };
        if let Outliers::Suppress { max_share } = params.outliers
            && let Some(started) = left_out.construct(&conditions, most(max_share) as u32)
        {
            let rule = ClassRule::of(&started.conditions, &points, progress);
            let share = |lost: u64, of: u64| lost as f64 / (f64::from(WHOLE) * of.max(1) as f64);
            let suppressed: u64 = started.out.iter().map(|m| u64::from(m.count)).sum();
            let all = table.rows as u64;
            let total = |classes: &[Class]| share(loss(classes) + suppressed * u64::from(WHOLE), all);
            let construction = Construction { name: "peel", loss: total(&started.classes), won: 1, tried: 1 };
            let Improved { classes, rounds, .. } =
                rounds::improve(&space, &rule, params, vec![started.classes], &None, progress);
            let outliers = OutlierCost {
                done: true,
                keeping: None,
                suppressed: suppressed as usize,
                suppressing: total(&classes),
                published: share(loss(&classes), all - suppressed),
            };
            let search = Search {
                constructions: vec![construction],
                rounds,
                outliers: Some(outliers),
                loss: total(&classes),
            };
            let recoding = publish(&classes, &points, &Recoder::new(&quasi), table.rows, progress);
            return Ok(Anonymized {
                recoding: hold_together(recoding, &quasi, &started.conditions, progress),
                trace: Trace { search: Some(search), ..Trace::default() },
            });
        }
        let most_points = construct::block_points(space.len());
        let blocks = mondrian::blocks(&quasi, &points, &conditions, most_points, progress);
        let all = ladder::combinations(&ladders);
        let looks = looks::Looks::of(&ladders, &points);
        let mut constructed = construct::construct(&space, &rule, &points, &looks, &all, &blocks, starts);
        // All partitions were tried, so that rounds cannot gain anything.
        let is_best = matches!(&constructed.constructions[..], [only] if only.name == exact::NAME);
        let opens = rule.only_size() && rounds::goes_beyond_usual(&space, params);
        let values = opens.then(|| coverage::Values::of(&space, &looks));
        let opener = values
            .as_ref()
            .map(|values| open::Opener::new(&space, &rule, &looks, values, &ladders, &all, params.seed));
        let starts = std::mem::take(&mut constructed.starts);
        let Improved { mut classes, rounds, start } = match is_best {
            true => Improved { classes: starts.concat(), rounds: Vec::new(), start: 0 },
            false => rounds::improve(&space, &rule, params, starts, &opener, progress),
        };
        let constructions = constructed.constructions_of(start);
        let outlier_search =
            OutlierSearch { space: &space, rule: &rule, conditions: &conditions, points: &points };
        let outliers = match params.outliers {
            Outliers::Suppress { max_share } => Some(outlier_search.leave_out(&mut classes, most(max_share))),
            // Under conditions every move has to be asked about, which took longer than all the rest.
            Outliers::Keep if space.len() > Tuning::OUTLIER_COST_POINTS || !conditions.only_size() => None,
            Outliers::Keep => {
                // On a copy: the report says what it would gain, and the classes stay.
                let cost = outlier_search.leave_out(&mut classes.clone(), most(Outliers::USUAL_SHARE));
                Some(OutlierCost { done: false, ..cost })
            }
        };
        let lost = loss(&classes) as f64 / (f64::from(WHOLE) * table.rows as f64);
        let loss = outliers.filter(|cost| cost.done).map_or(lost, |cost| cost.suppressing);
        let search = Search { constructions, rounds, outliers, loss };
        let recoding = publish(&classes, &points, &Recoder::new(&quasi), table.rows, progress);
        Ok(Anonymized {
            recoding: hold_together(recoding, &quasi, &conditions, progress),
            trace: Trace { search: Some(search), ..Trace::default() },
        })
    }

    /// Lets Mondrian anonymize a table with too many names for sets of them: without rounds, and with everybody.
    fn fall_back_to_mondrian(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError> {
        let mondrian = ValidMondrianParams(MondrianParams { promise: self.0.promise.clone() });
        let Anonymized { recoding, .. } = mondrian.anonymize(table, progress)?;
        let loss = recoding_loss(table, &recoding);
        let construction = Construction { name: mondrian.name(), loss, won: 1, tried: 1 };
        let search = Search { constructions: vec![construction], loss, ..Search::default() };
        let trace = Trace { search: Some(search), fallback: Some(mondrian.name()), ..Trace::default() };
        Ok(Anonymized { recoding, trace })
    }
}

/// Refuses a table with too many names for sets of them.
pub(super) fn check_set_memory(
    quasi: &[&Column],
    points: &Points,
    algorithm: &'static str,
) -> Result<(), TableError> {
    let words = words_of_sets(quasi);
    match words.saturating_mul(points.len()) > Tuning::MAX_SET_WORDS {
        true => Err(TableError::TooManyNames { algorithm }),
        false => Ok(()),
    }
}

/// How many words a set of names takes in all columns that have such sets, beyond one for each.
fn words_of_sets(quasi: &[&Column]) -> usize {
    let names = quasi.iter().filter(|column| column.hierarchy.is_none() && !column.domain.is_ordered());
    names.map(|column| column.domain.len().div_ceil(64).saturating_sub(1)).sum()
}

/// The columns in which records must agree to be one point: the quasi-identifiers, and all that the conditions look at.
fn alike<'a>(
    table: &'a Table,
    quasi: &[&'a Column],
    conditions: &Conditions<'_>,
    params: &RibbonParams,
) -> Vec<&'a Column> {
    let promise = &params.promise;
    let named = |column: &&Column| {
        let name = &column.name;
        let is_person = conditions.counts_people() && promise.person.as_ref() == Some(name);
        is_person || promise.conditions.iter().any(|c| c.column == *name)
    };
    let mut columns = quasi.to_vec();
    if !conditions.only_size() {
        columns.extend(table.columns.iter().filter(|column| named(column) || column.role == Role::PersonalK));
    }
    columns
}

/// The records of each point go to its classes in order; the last ones are left out if some are.
fn publish(
    classes: &[Class],
    points: &Points,
    recoder: &Recoder<'_>,
    rows: usize,
    progress: &dyn Progress,
) -> TableRecoding {
    let mut class_of = vec![SUPPRESSED; rows];
    // How many records of each point have been given to a class.
    let mut given = vec![0_usize; points.len()];
    for (number, class) in classes.iter().enumerate() {
        for m in &class.members {
            let start = &mut given[m.point as usize];
            let end = *start + m.count as usize;
            for &row in &points.rows(m.point as usize)[*start..end] {
                class_of[row as usize] = number as u32;
            }
            *start = end;
        }
    }
    let cells = |class: &Class| {
        progress.check();
        let mut covers = recoder.nothing();
        class.members.iter().for_each(|m| recoder.add(&mut covers, points.point(m.point as usize)));
        recoder.class(&covers)
    };
    TableRecoding { class_of, classes: classes.par_iter().map(cells).collect() }
}
