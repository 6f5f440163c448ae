//! Whatever the refinement accepts is not beaten: small releases, all worlds tried out. The attackers and the judge of
//! worlds share no code with the refinement, nor with the models.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use shoal_core::{Bound, Limit, Silent};

use super::*;
use crate::refinement::worlds::{Dice, drawn, orders};
use crate::{BoundedKnowledge, Confidence, SequenceAnonymity};

const K: usize = 2;
const C: f64 = 0.5;
const CELLS: [&str; 5] = ["a", "b", "c", "ab", "*"];
const LEAVES: [usize; 3] = [0, 1, 2];

/// Whether a cell lies at or above another one.
fn above(cell: usize, other: usize) -> bool {
    cell == other || CELLS[cell] == "*" || (CELLS[cell] == "ab" && other < 2)
}

/// An event: the place by its cell, and whether the illness is HIV.
type Visit = (usize, bool);
type Line = Vec<Visit>;

#[derive(Clone, Debug)]
struct Releases {
    /// By person, what is true at last.
    truth: Vec<Line>,
    /// By release and person, how many of these events there were.
    grown: Vec<Vec<usize>>,
    /// By release and person; none where somebody is not in it.
    lines: Vec<Vec<Option<Line>>>,
}

/// Histories grow, events are left out, some are corrected later, and people come and leave.
fn draw(dice: &mut Dice, releases: usize) -> Releases {
    let people = 3 + dice.below(4);
    let kinds: Vec<Vec<usize>> =
        (0..2).map(|_| (0..=dice.below(3)).map(|_| dice.below(3)).collect()).collect();
    let kind_of: Vec<usize> = (0..people).map(|_| dice.below(2)).collect();
    let mut truth: Vec<Line> = kind_of
        .iter()
        .map(|&kind| kinds[kind].iter().map(|&place| (place, dice.once_in(3))).collect())
        .collect();
    let (mut grown, mut lines) = (Vec::new(), Vec::new());
    let mut known: Vec<usize> = kinds.iter().map(|kind| 1 + dice.below(kind.len())).collect();
    for _ in 0..releases {
        // What is published of a place, and which event is left out, depends on the release, and sometimes on the person.
        let coarse = dice.below(3);
        let left_out: Vec<usize> = kinds.iter().map(|kind| dice.below(2 * kind.len())).collect();
        let lengths: Vec<usize> = kind_of.iter().map(|&kind| known[kind]).collect();
        let mut published = |person: usize| {
            let left_out = if dice.once_in(5) { dice.below(4) } else { left_out[kind_of[person]] };
            let events =
                truth[person][..lengths[person]].iter().enumerate().filter(|(at, _)| *at != left_out);
            let line: Line = events
                .map(|(_, &(place, hiv))| match if dice.once_in(6) { dice.below(3) } else { coarse } {
                    0 => (place, hiv),
                    1 if place < 2 => (3, hiv),
                    _ => (4, hiv),
                })
                .collect();
            (!line.is_empty() && !dice.once_in(5)).then_some(line)
        };
        lines.push((0..people).map(&mut published).collect());
        grown.push(lengths);
        known
            .iter_mut()
            .zip(&kinds)
            .for_each(|(known, kind)| *known = (*known + dice.below(2)).min(kind.len()));
        if dice.once_in(4) {
            let events = &mut truth[dice.below(people)];
            let at = dice.below(events.len());
            events[at] =
                if dice.once_in(2) { (dice.below(3), events[at].1) } else { (events[at].0, !events[at].1) };
        }
    }
    Releases { truth, grown, lines }
}

fn tree() -> Hierarchy {
    Hierarchy::from_rows(&[vec!["a", "ab", "*"], vec!["b", "ab", "*"], vec!["c", "c", "*"]]).unwrap()
}

fn file(lines: &[Option<Line>]) -> (RawTable, Vec<u32>) {
    let (mut rows, mut persons) = (Vec::new(), Vec::new());
    for (person, line) in (0..).zip(lines) {
        let Some(line) = line else { continue };
        persons.push(person);
        let number = persons.len().to_string();
        let row = |&(cell, hiv): &Visit| {
            vec![number.clone(), CELLS[cell].to_owned(), if hiv { "HIV" } else { "flu" }.to_owned()]
        };
        rows.extend(line.iter().map(row));
    }
    (RawTable::from_rows(&["id", "place", "illness"], &rows), persons)
}

/// What is promised: about somebody who knows everything, or some values; β as a share of everybody.
#[derive(Clone, Copy, Debug)]
struct Asked {
    length: Option<usize>,
    beta: bool,
}

impl Asked {
    /// The share of a crowd that may have HIV, where so many of everybody have it.
    fn share(self, having: usize, people: usize) -> f64 {
        let share = having as f64 / people.max(1) as f64;
        if self.beta { share * (1.0 + 0.6_f64.min(-share.ln())) } else { C }
    }

    fn share_of(self, lines: &[Vec<Option<Line>>]) -> f64 {
        let people = (0..lines[0].len()).filter(|&person| was_in(lines, person).contains(&true));
        let of_person =
            |person: usize| lines.iter().filter_map(move |lines| lines[person].as_ref()).flatten();
        let having = people.clone().filter(|&person| of_person(person).any(|visit| visit.1)).count();
        self.share(having, people.count())
    }

    fn models(self, share: f64) -> Vec<Box<dyn SequencesModel>> {
        let hiv = vec!["HIV".to_owned()];
        let Some(length) = self.length else {
            return vec![
                Box::new(SequenceAnonymity::new(K as u32).unwrap()),
                Box::new(Confidence::new("illness", &hiv, share).unwrap()),
            ];
        };
        let limit = Limit { column: "illness".to_owned(), values: Some(hiv), bound: Bound::Share(share) };
        let trees = vec![("place".to_owned(), Arc::new(tree()))];
        vec![Box::new(
            BoundedKnowledge::new(K as u32, length, vec![limit], trees, BoundedKnowledge::WORK).unwrap(),
        )]
    }

    /// What the refinement says.
    fn accepts(self, lines: &[Vec<Option<Line>>]) -> bool {
        let tables: Vec<(RawTable, Vec<u32>)> = lines.iter().map(|lines| file(lines)).collect();
        let tree = tree();
        let columns = EventColumns { id: "id", quasi: &[("place", Some(&tree))], unchanged: &["illness"] };
        let read = |(published, persons): &(RawTable, Vec<u32>)| {
            Lists::read(EventRelease { published, persons }, columns).unwrap()
        };
        let lists: Vec<Lists> = tables.iter().map(read).collect();
        let known = if self.length.is_none() { KnownEvents::All } else { KnownEvents::Some };
        let people: BTreeSet<u32> = lists.iter().flat_map(Lists::people).collect();
        let models = self.models(self.share_of(lines));
        let cells = refine(&lists.iter().collect::<Vec<_>>(), people, columns, known);
        cells.iter().all(|cell| cell.judge(columns, &models, &Silent).unwrap().is_empty())
    }
}

fn was_in(lines: &[Vec<Option<Line>>], person: usize) -> Vec<bool> {
    lines.iter().map(|lines| lines[person].is_some()).collect()
}

/// Of each release the person whose line it is.
type Rows = Vec<Option<usize>>;
/// The same, with what the line says.
type Lines<'a> = Vec<&'a [Visit]>;

/// Whether the lines can be laid onto places that were known when each was published, so that what is laid onto one event agrees.
fn can_be(lines: &Lines<'_>, places: &[usize], grown: &[usize]) -> bool {
    fn lay(left: &Lines<'_>, places: &[usize], grown: &[usize], at: usize) -> bool {
        if left.iter().all(|line| line.is_empty()) {
            return true;
        }
        if at == places.len() {
            return false;
        }
        // Each set of lists whose next event is this one.
        (0..1_usize << left.len()).any(|set| {
            let here: Vec<usize> = (0..left.len()).filter(|list| set >> list & 1 == 1).collect();
            let fits = |&list: &usize| {
                left[list].first().is_some_and(|event| at < grown[list] && above(event.0, places[at]))
            };
            let agree = here
                .windows(2)
                .all(|two| left[two[0]].first().map(|e| e.1) == left[two[1]].first().map(|e| e.1));
            agree && here.iter().all(fits) && {
                let mut left = left.clone();
                here.iter().for_each(|&list| left[list] = &left[list][1..]);
                lay(&left, places, grown, at + 1)
            }
        })
    }
    lay(lines, places, grown, 0)
}

/// All histories of up to so many events.
fn histories(most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for length in 0..most {
        let longest: Vec<Vec<usize>> =
            all.iter().filter(|history| history.len() == length).cloned().collect();
        all.extend(
            longest.iter().flat_map(|some| LEAVES.map(|leaf| some.iter().copied().chain([leaf]).collect())),
        );
    }
    all
}

/// Whether distinct events of the lines fit what is known, those of one line in order.
fn fits_anyhow(lines: &Lines<'_>, known: &[usize]) -> bool {
    let Some((&item, rest)) = known.split_first() else { return true };
    (0..lines.len()).any(|list| {
        (0..lines[list].len()).any(|at| {
            let cell = lines[list][at].0;
            let mut left = lines.clone();
            left[list] = &left[list][at + 1..];
            (above(cell, item) || above(item, cell)) && fits_anyhow(&left, rest)
        })
    })
}

fn contains(history: &[usize], known: &[usize]) -> bool {
    let mut rest = history.iter();
    known.iter().all(|item| rest.any(|leaf| above(*item, *leaf)))
}

/// All that can be known: lists of up to `length` places.
fn knowable(length: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..length {
        let longest: Vec<Vec<usize>> = all.iter().filter(|known| known.len() == at).cloned().collect();
        all.extend(
            longest.iter().flat_map(|known| (0..4).map(|item| known.iter().copied().chain([item]).collect())),
        );
    }
    all.remove(0);
    all
}

/// All that is asked of somebody's lines, found out once for each choice of lines.
struct Facts {
    hiv: bool,
    /// What can be tested: lines with the same number fit the same knowledge of all events.
    alike: usize,
    /// Whether it is possible where nothing is left out.
    is_complete: bool,
    /// What fits where anything may be left out, and where nothing is.
    fits: Vec<bool>,
    fits_complete: Vec<bool>,
    /// The people with whose known history it goes.
    may_be: Vec<bool>,
}

struct Enumerated<'a> {
    releases: &'a Releases,
    asked: Asked,
    known: Vec<Vec<usize>>,
    histories: Vec<Vec<usize>>,
    numbers: HashMap<(Vec<Vec<usize>>, Vec<bool>), usize>,
    facts: HashMap<Rows, Facts>,
}

impl<'a> Enumerated<'a> {
    fn new(releases: &'a Releases, asked: Asked) -> Enumerated<'a> {
        Enumerated {
            releases,
            asked,
            known: knowable(asked.length.unwrap_or(0).max(1)),
            histories: histories(4),
            numbers: HashMap::new(),
            facts: HashMap::new(),
        }
    }

    fn learn(&mut self, rows: &Rows) {
        if self.facts.contains_key(rows) {
            return;
        }
        let lines: Lines<'_> = rows
            .iter()
            .zip(&self.releases.lines)
            .map(|(row, lines)| row.and_then(|row| lines[row].as_deref()).unwrap_or_default())
            .collect();
        let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
        // Where nothing is left out, the lines are as long as the histories were, which only grow.
        let lengths: Vec<usize> = lines.iter().map(|line| line.len()).collect();
        let there: Vec<usize> = lengths.iter().copied().filter(|&length| length > 0).collect();
        let whole: Vec<&Vec<usize>> = self
            .histories
            .iter()
            .filter(|history| {
                there.is_sorted() && history.len() == longest && can_be(&lines, history, &lengths)
            })
            .collect();
        let fits_complete = |known: &Vec<usize>| whole.iter().any(|history| contains(history, known));
        let people = 0..self.releases.truth.len();
        let may_be = |person: usize| {
            let places: Vec<usize> = self.releases.truth[person].iter().map(|visit| visit.0).collect();
            can_be(
                &lines,
                &places,
                &self.releases.grown.iter().map(|grown| grown[person]).collect::<Vec<_>>(),
            )
        };
        let cells: Vec<Vec<usize>> =
            lines.iter().map(|line| line.iter().map(|visit| visit.0).collect()).collect();
        let tests: Vec<bool> = match self.asked.length {
            Some(_) => Vec::new(),
            None => grown_histories(&self.histories, rows.len())
                .map(|(history, grown)| can_be(&lines, history, &grown))
                .collect(),
        };
        let next = self.numbers.len();
        let facts = Facts {
            hiv: lines.iter().any(|line| line.iter().any(|visit| visit.1)),
            is_complete: !whole.is_empty(),
            fits: self.known.iter().map(|known| fits_anyhow(&lines, known)).collect(),
            fits_complete: self.known.iter().map(fits_complete).collect(),
            may_be: people.map(may_be).collect(),
            alike: *self.numbers.entry((cells, tests)).or_insert(next),
        };
        self.facts.insert(rows.clone(), facts);
    }

    /// All ways to hand out the lines of each release to those who are in it.
    fn worlds(&mut self) -> Vec<Vec<Rows>> {
        let people = self.releases.truth.len();
        let mut all: Vec<Vec<Rows>> = vec![vec![Vec::new(); people]];
        for lines in &self.releases.lines {
            let members: Vec<usize> = (0..people).filter(|&person| lines[person].is_some()).collect();
            let orders = orders(&members);
            let longer = |world: &Vec<Rows>| -> Vec<Vec<Rows>> {
                let with = |order: &Vec<usize>| {
                    let mut world = world.clone();
                    world.iter_mut().for_each(|rows| rows.push(None));
                    members
                        .iter()
                        .zip(order)
                        .for_each(|(&person, &row)| *world[person].last_mut().unwrap() = Some(row));
                    world
                };
                orders.iter().map(with).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.iter().flatten().for_each(|rows| self.learn(rows));
        all
    }

    fn of(&self, rows: &Rows) -> &Facts {
        &self.facts[rows]
    }

    fn share(&self, world: &[Rows]) -> f64 {
        let there = world.iter().filter(|rows| rows.iter().any(Option::is_some));
        let having = there.clone().filter(|rows| self.of(rows).hiv).count();
        self.asked.share(having, there.count())
    }

    /// The judge, in a few lines of its own.
    fn passes(&self, world: &[Rows]) -> bool {
        let mut cells: HashMap<Vec<bool>, Vec<&Facts>> = HashMap::new();
        for rows in world.iter().filter(|rows| rows.iter().any(Option::is_some)) {
            cells.entry(rows.iter().map(Option::is_some).collect()).or_default().push(self.of(rows));
        }
        let is_complete = cells.values().flatten().all(|facts| facts.is_complete);
        let share = self.share(world);
        cells.values().all(|people| {
            let holds = |is_one: &dyn Fn(&Facts) -> bool| {
                let crowd = people.iter().filter(|facts| is_one(facts));
                let (size, having) =
                    crowd.fold((0, 0), |(size, having), facts| (size + 1, having + usize::from(facts.hiv)));
                size == 0 || size >= K && having as f64 / size as f64 <= share + 1e-12
            };
            match self.asked.length {
                None => people.iter().all(|facts| holds(&|other| other.alike == facts.alike)),
                Some(_) => (0..self.known.len()).all(|at| {
                    holds(&|facts| facts.fits[at])
                        && (!is_complete || holds(&|facts| facts.fits_complete[at]))
                }),
            }
        })
    }

    /// The best that any attacker does: how sure they are of a row, and how much surer of the illness than what their worlds allow. `judged`: only worlds count that the
    /// judge would have let pass.
    fn best_guess(&mut self, judged: bool) -> (f64, f64) {
        let worlds: Vec<Vec<Rows>> =
            self.worlds().into_iter().filter(|world| !judged || self.passes(world)).collect();
        let shares: HashMap<*const Vec<Rows>, f64> =
            worlds.iter().map(|world| (std::ptr::from_ref(world), self.share(world))).collect();
        let is_complete = |world: &[Rows]| {
            world.iter().all(|rows| rows.iter().all(Option::is_none) || self.of(rows).is_complete)
        };
        let complete: Vec<&Vec<Rows>> = worlds.iter().filter(|world| is_complete(world)).collect();
        // Somebody may know the histories of all people.
        let known_all =
            |world: &&Vec<Rows>| (0..world.len()).all(|other| self.of(&world[other]).may_be[other]);
        let known: Vec<&Vec<Rows>> = worlds.iter().filter(known_all).collect();
        let all: Vec<&Vec<Rows>> = worlds.iter().collect();
        let mut best = (0.0, f64::NEG_INFINITY);
        for person in (0..self.releases.truth.len())
            .filter(|&person| was_in(&self.releases.lines, person).contains(&true))
        {
            let mut look = |worlds: &[&Vec<Rows>], knows: &dyn Fn(&Facts) -> bool| {
                let mine = worlds.iter().filter(|world| knows(self.of(&world[person])));
                let allowed =
                    mine.clone().map(|world| shares[&std::ptr::from_ref::<Vec<Rows>>(world)]).sum::<f64>();
                let mine: Vec<&Rows> = mine.map(|world| &world[person]).collect();
                let (row, hiv) = self.sure(&mine);
                best = better(best, (row, hiv - allowed / mine.len().max(1) as f64));
            };
            match self.asked.length {
                None => [&all, &known, &complete]
                    .into_iter()
                    .for_each(|worlds| look(worlds, &|facts| facts.may_be[person])),
                Some(_) => {
                    let truth: Vec<usize> = self.releases.truth[person].iter().map(|visit| visit.0).collect();
                    for at in (0..self.known.len()).filter(|&at| contains(&truth, &self.known[at])) {
                        look(&all, &|facts| facts.fits[at]);
                        look(&complete, &|facts| facts.fits_complete[at]);
                    }
                }
            }
        }
        best
    }

    fn sure(&self, mine: &[&Rows]) -> (f64, f64) {
        let share = |count: usize| if mine.is_empty() { 0.0 } else { count as f64 / mine.len() as f64 };
        let hiv = share(mine.iter().filter(|rows| self.of(rows).hiv).count());
        let mut row: f64 = 0.0;
        for at in 0..self.releases.lines.len() {
            let of_row = |row| mine.iter().filter(|rows| rows[at] == Some(row)).count();
            row = (0..self.releases.truth.len()).map(|row| share(of_row(row))).fold(row, f64::max);
        }
        (row, hiv)
    }
}

fn better(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (one.0.max(other.0), one.1.max(other.1))
}

/// Histories, and how many of the events there were at each release.
fn grown_histories(
    histories: &[Vec<usize>],
    releases: usize,
) -> impl Iterator<Item = (&Vec<usize>, Vec<usize>)> {
    histories.iter().flat_map(move |history| {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..releases {
            let longer = |grown: &Vec<usize>| {
                let least = grown.last().copied().unwrap_or(0);
                (least..=history.len())
                    .map(|now| grown.iter().copied().chain([now]).collect())
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().map(move |grown| (history, grown))
    })
}

fn try_out(asked: impl Fn(&mut Dice) -> Asked, name: &str, seed: u64) {
    let mut dice = Dice(seed);
    let (mut accepted, mut differ, mut beaten, mut refused, mut refused_beaten) = (0, 0, 0, 0, 0);
    while accepted + refused < drawn(100) {
        let count = 2 + dice.below(4) / 3;
        let releases = draw(&mut dice, count);
        let asked = asked(&mut dice);
        let most = releases.lines.iter().map(|lines| lines.iter().flatten().count()).max();
        // All orders of more people take too long; a release that is broken alone is no news.
        let alone = releases.lines.iter().all(|lines| asked.accepts(std::slice::from_ref(lines)));
        if !alone || most > Some(if count > 2 { 4 } else { 5 }) || most < Some(2) {
            continue;
        }
        let mut enumerated = Enumerated::new(&releases, asked);
        let beats = |(row, hiv): (f64, f64)| row > 1.0 / K as f64 + 1e-9 || hiv > 1e-9;
        if asked.accepts(&releases.lines) {
            accepted += 1;
            differ += usize::from(releases.lines[0] != releases.lines[1]);
            let best = enumerated.best_guess(true);
            if beats(best) {
                beaten += 1;
                println!("{best:?} of {releases:?}, {asked:?}");
            }
        } else {
            refused += 1;
            refused_beaten += usize::from(beats(enumerated.best_guess(false)));
        }
    }
    println!(
        "{name}: {accepted} accepted ({differ} differ), {beaten} of them beaten; {refused} refused, {refused_beaten} of them beaten"
    );
    assert_eq!(beaten, 0);
    assert!(accepted > drawn(100) / 20 && refused_beaten > 0, "{accepted} accepted, {refused_beaten} beaten");
}

#[test]
fn what_is_accepted_of_lists_is_not_beaten() {
    try_out(|_| Asked { length: None, beta: false }, "(k,c)", 3);
}

#[test]
fn what_is_accepted_where_some_values_are_known_is_not_beaten() {
    try_out(|dice| Asked { length: Some(1 + dice.below(2)), beta: false }, "(k,C)^L", 5);
}

#[test]
fn what_is_accepted_where_gains_are_bounded_is_not_beaten() {
    try_out(|dice| Asked { length: Some(1 + dice.below(2)), beta: true }, "(k,β)^L", 7);
}

fn line(cells: &str) -> Line {
    let cell = |text: &str| {
        let place = text.trim_end_matches('!');
        (CELLS.iter().position(|cell| *cell == place).unwrap(), text.ends_with('!'))
    };
    cells.split_whitespace().map(cell).collect()
}

fn accepts(lines: &[Vec<Option<Line>>], length: Option<usize>) -> bool {
    Asked { length, beta: false }.accepts(lines)
}

fn release(lines: &[&str]) -> Vec<Option<Line>> {
    lines.iter().map(|text| (*text != "-").then(|| line(text))).collect()
}

#[test]
fn leavers_who_all_have_hiv_are_seen() {
    let first = ["ab!", "ab!", "ab", "ab", "ab", "ab"];
    let second = ["-", "-", "ab", "ab", "ab", "ab"];
    assert!(accepts(&[release(&first)], None) && accepts(&[release(&second)], None));
    assert!(!accepts(&[release(&first), release(&second)], None));
    // One of two has it: what was promised.
    let second = ["-", "ab!", "-", "ab", "ab", "ab"];
    assert!(accepts(&[release(&first), release(&second)], None));
    assert!(accepts(&[release(&first), release(&second)], Some(2)));
}

#[test]
fn the_refined_event_has_the_lower_node_and_a_missing_one_is_that_of_the_other_release() {
    let tree = tree();
    let quasi: [Quasi<'_>; 1] = [("place", Some(&tree))];
    let events = |text: &str| -> Vec<Event> {
        line(text)
            .into_iter()
            .map(|(cell, hiv)| {
                let illness = if hiv { "HIV" } else { "flu" };
                Event::new(vec![Some(CELLS[cell].to_owned())], vec![Some(illness.to_owned())])
            })
            .collect()
    };
    let merge = |one: &str, other: &str| -> Vec<String> {
        let merged = merged(&events(one), &events(other), &quasi);
        merged.into_iter().map(|event| event.quasi[0].clone().unwrap_or_default()).collect()
    };
    assert_eq!(merge("ab c", "a *"), ["a", "c"]);
    assert_eq!(merge("a c", "ab b c"), ["a", "b", "c"]);
    // Another value is another event; so is a place beside it.
    assert_eq!(merge("a!", "ab"), ["a", "ab"]);
    assert_eq!(merge("a", "b"), ["a", "b"]);
    assert_eq!(merge("", "a b"), ["a", "b"]);
}

/// Whoever knows that the third person had one visit knows that both lines show it.
#[test]
fn an_event_that_is_published_twice_says_the_same_twice() {
    let first = release(&["a", "a", "a"]);
    let second = release(&["a", "a", "a!"]);
    let asked = |lines: &[Vec<Option<Line>>]| accepts(lines, None);
    assert!(
        asked(std::slice::from_ref(&first))
            && asked(std::slice::from_ref(&second))
            && asked(&[first.clone(), first.clone()])
    );
    assert!(!asked(&[first.clone(), second]));
    // All of them have a visit more, and nobody can say of anybody that it is the old one.
    let grown = release(&["a a", "a a!", "a a"]);
    assert!(asked(&[first.clone(), grown.clone()]));
    assert!(asked(&[first, grown.clone(), grown]));
}

/// By the longest line there is, all of them had one visit to a. Somebody who knows of two finds whom two releases may show both of.
#[test]
fn an_old_visit_may_be_left_out_where_a_new_one_is_published() {
    let (first, second) = (release(&["a", "a", "a"]), release(&["a", "c", "c"]));
    for lines in [&first, &second] {
        assert_eq!(accepts(std::slice::from_ref(lines), Some(1)), lines == &first);
    }
    let second = release(&["a", "a", "c", "c"]);
    let first = release(&["a", "c", "a", "a"]);
    assert!(!accepts(&[first, second], Some(2)));
    let first = release(&["a", "a", "c", "c"]);
    let second = release(&["a", "a", "c", "c"]);
    assert!(accepts(&[first, second], Some(2)));
}
