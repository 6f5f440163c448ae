//! Whatever the refinement accepts is not beaten: small releases, all worlds tried out. The attacker and the judge of
//! worlds share no code with the refinement, nor with the models.

use std::collections::HashMap;

use shoal_core::Silent;

use super::*;
use crate::refinement::worlds::{Dice, Tried, combine, drawn, hand_out};

const ITEMS: usize = 4;
const K: usize = 2;
/// Releases that leave more worlds than this are not tried.
const MOST_WORLDS: usize = 3_000;

/// The group of each item, or none where it is suppressed.
type Recoding = [Option<usize>; ITEMS];

/// Items, or groups of them, as bits.
type Bits = u8;

/// What somebody has in a transaction in each release; none where it is not in one.
type Visit = Vec<Option<Bits>>;

#[derive(Clone, Debug)]
struct Releases {
    recodings: Vec<Recoding>,
    /// By person.
    visits: Vec<Vec<Visit>>,
}

/// Recodings and people: leavers, newcomers, transactions that change or come later, and several of a person.
fn draw(dice: &mut Dice, stays: bool) -> Releases {
    let releases = 2 + dice.below(4) / 3;
    let mut recodings: Vec<Recoding> = Vec::new();
    for at in 0..releases {
        let groups = 1 + dice.below(ITEMS);
        let mut recoding = [(); ITEMS].map(|()| (dice.below(8) > 0).then(|| dice.below(groups)));
        match dice.below(6) {
            // Two of two that cross.
            0 => recoding = std::array::from_fn(|item| Some(if at == 0 { item / 2 } else { item % 2 })),
            // Often the later one is the earlier one, or coarser, or without an item.
            1..4 if at > 0 => {
                recoding = recodings[at - 1];
                let (from, to) = (dice.below(ITEMS), dice.below(ITEMS + 1));
                let to = (to < ITEMS).then_some(to);
                recoding.iter_mut().filter(|group| **group == Some(from)).for_each(|group| *group = to);
            }
            _ => (),
        }
        recodings.push(recoding);
    }
    let few: Vec<Bits> = (0..2).map(|_| 1 + dice.below((1 << ITEMS) - 1) as Bits).collect();
    let mut visits = Vec::new();
    for _ in 0..2 + dice.below(3) {
        let is_in: Vec<bool> = (0..releases).map(|_| dice.below(4) > 0).collect();
        let mut own = Vec::new();
        for number in 0..1 + dice.below(5) / 3 {
            let basket = few[dice.below(2)];
            let from = if number == 0 || dice.below(2) == 0 { 0 } else { dice.below(releases) };
            let at = |at: usize| match stays || dice.below(4) > 0 {
                true => basket,
                false => few[dice.below(2)] ^ (1 << dice.below(ITEMS)),
            } * Bits::from(at >= from);
            let baskets: Vec<Bits> = (0..releases).map(at).collect();
            own.push((0..releases).map(|at| Some(baskets[at]).filter(|_| is_in[at] && at >= from)).collect());
        }
        visits.push(own);
    }
    Releases { recodings, visits }
}

fn image(recoding: &Recoding, basket: Bits) -> Bits {
    (0..ITEMS)
        .filter(|item| basket >> item & 1 == 1)
        .filter_map(|item| recoding[item])
        .fold(0, |image, group| image | 1 << group)
}

fn text(recoding: &Recoding, group: usize) -> String {
    let members: Vec<String> =
        (0..ITEMS).filter(|&item| recoding[item] == Some(group)).map(|item| format!("i{item}")).collect();
    if let [only] = members.as_slice() { only.clone() } else { format!("({})", members.join(",")) }
}

impl Releases {
    /// Of each release the rows, with whose they are.
    fn rows(&self) -> Vec<Vec<(usize, Bits)>> {
        let of_release = |(at, recoding): (usize, &Recoding)| {
            let visits = self
                .visits
                .iter()
                .enumerate()
                .flat_map(|(person, own)| own.iter().map(move |visit| (person, visit)));
            visits.filter_map(|(person, visit)| Some((person, image(recoding, visit[at]?)))).collect()
        };
        self.recodings.iter().enumerate().map(of_release).collect()
    }

    /// Whether all transactions of a person are the same in all releases that the person is in.
    fn stays(&self) -> bool {
        self.visits.iter().all(|own| {
            let is_in = |at: usize| own.iter().any(|visit| visit[at].is_some());
            own.iter().all(|visit| {
                let mut baskets = (0..visit.len()).filter(|&at| is_in(at)).map(|at| visit[at]);
                let first = baskets.next().flatten();
                baskets.all(|basket| basket == first)
            })
        })
    }

    fn only(&self, at: usize) -> Releases {
        let of_visit = |visit: &Visit| vec![visit[at]];
        let visits = self.visits.iter().map(|own| own.iter().map(of_visit).collect()).collect();
        Releases { recodings: vec![self.recodings[at]], visits }
    }
}

/// What the refinement says.
fn accepts(releases: &Releases, m: usize) -> bool {
    let of_release = |(recoding, rows): (&Recoding, Vec<(usize, Bits)>)| {
        let texts = |&(_, groups): &(usize, Bits)| -> Vec<String> {
            (0..ITEMS).filter(|group| groups >> group & 1 == 1).map(|group| text(recoding, group)).collect()
        };
        let persons = rows.iter().map(|(person, _)| *person as u32).collect();
        (Transactions::from_texts(&rows.iter().map(texts).collect::<Vec<_>>()), persons)
    };
    let published: Vec<_> = releases.recodings.iter().zip(releases.rows()).map(of_release).collect();
    judge(&published, K as u32, &KnownItems::Any(m, None)).is_empty()
}

/// Something known of a transaction: an item, and in which releases it was in it.
type Fact = (usize, Bits);

/// All sets of up to m facts about different items.
fn facts(releases: usize, m: usize) -> Vec<Vec<Fact>> {
    let mut all: Vec<Vec<Fact>> = vec![Vec::new()];
    for item in 0..ITEMS {
        let longer = |set: &Vec<Fact>| {
            let times = (1..1 << releases).filter(|_| set.len() < m);
            times.map(|times| set.iter().copied().chain([(item, times)]).collect()).collect::<Vec<_>>()
        };
        all.extend(all.iter().flat_map(longer).collect::<Vec<_>>());
    }
    all.retain(|set| !set.is_empty());
    all
}

/// A person's rows in each release, as bits.
type Bundle = Vec<Bits>;

/// What an attacker takes for possible.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Attacker {
    /// Transactions may change. Items of one are known, each from some of the releases.
    Changes,
    /// Nothing changes: all transactions of a person are in all releases that the person is in. Items of one are known.
    Stays,
    /// Nothing changes, but transactions may come. Who sees that one was not there yet knows something that its person
    /// lacked.
    Grows,
    /// Like the first, but each item may be known from another transaction.
    SeveralTransactions,
    /// Like the first, and it is known how many lines everybody has.
    Counts,
}

impl Attacker {
    fn takes_to_stay(self) -> bool {
        matches!(self, Attacker::Stays | Attacker::Grows)
    }
}

/// Published rows, and all that people could be known by.
struct Files<'a> {
    recodings: &'a [Recoding],
    rows: Vec<Vec<Bits>>,
    facts: Vec<Vec<Fact>>,
}

impl Files<'_> {
    fn of_bundle(&self, bundle: &Bundle, at: usize) -> impl Iterator<Item = usize> + '_ {
        let rows = bundle[at];
        (0..self.rows[at].len()).filter(move |row| rows >> row & 1 == 1)
    }

    /// What an item is published as: none where it is suppressed, or is nowhere to be seen.
    fn group(&self, at: usize, item: usize) -> Option<usize> {
        let group = self.recodings[at][item]?;
        self.rows[at].iter().any(|row| row >> group & 1 == 1).then_some(group)
    }

    /// Whether a row may have all that is known from its release.
    fn may_have(&self, at: usize, row: Option<usize>, known: &[Fact]) -> bool {
        let known = known.iter().filter(|(_, times)| times >> at & 1 == 1);
        known
            .filter_map(|(item, _)| self.group(at, *item))
            .all(|group| row.is_some_and(|row| self.rows[at][row] >> group & 1 == 1))
    }

    /// Whether some row of a bundle in each release may have what is known.
    fn may_be(&self, bundle: &Bundle, known: &[Fact]) -> bool {
        (0..bundle.len()).all(|at| {
            self.may_have(at, None, known)
                || self.of_bundle(bundle, at).any(|row| self.may_have(at, Some(row), known))
        })
    }

    /// How many groups of a row may be of an item of another row.
    fn shared(&self, (at, row): (usize, usize), (to, other): (usize, usize)) -> usize {
        let groups = (0..ITEMS).filter(|group| self.rows[to][other] >> group & 1 == 1);
        let in_both = |group: &usize| {
            (0..ITEMS).any(|item| {
                self.recodings[to][item] == Some(*group)
                    && self.recodings[at][item].is_some_and(|group| self.rows[at][row] >> group & 1 == 1)
            })
        };
        groups.filter(in_both).count()
    }

    /// Which rows of a bundle the judge takes for one transaction.
    fn tracks(&self, bundle: &Bundle) -> Vec<Vec<Option<usize>>> {
        let releases = 0..bundle.len();
        let starts = releases.clone().flat_map(|at| self.of_bundle(bundle, at).map(move |row| (at, row)));
        let track = |start: (usize, usize)| {
            let nearest = |to: usize| {
                if to == start.0 {
                    return Some(start.1);
                }
                let mut best: Option<(usize, usize)> = None;
                for other in self.of_bundle(bundle, to) {
                    let shared = self.shared(start, (to, other));
                    if best.is_none_or(|(most, _)| shared > most) {
                        best = Some((shared, other));
                    }
                }
                let single = bundle[start.0].count_ones() == 1 && bundle[to].count_ones() == 1;
                best.filter(|(shared, _)| *shared > 0 || single).map(|(_, other)| other)
            };
            releases.clone().map(nearest).collect()
        };
        starts.map(track).collect()
    }

    /// Every list of baskets that somebody's transactions may be, if they stay once they are there: the baskets that each
    /// may be, as bits.
    fn histories(&self, bundle: &Bundle, grows: bool) -> Vec<Vec<u16>> {
        let mut all: Vec<Vec<u16>> = vec![Vec::new()];
        for at in 0..bundle.len() {
            let rows: Vec<u16> = self
                .of_bundle(bundle, at)
                .map(|row| {
                    let fitting = (0..1 << ITEMS)
                        .filter(|&basket| image(&self.recodings[at], basket) == self.rows[at][row]);
                    fitting.fold(0, |baskets, basket| baskets | 1 << basket)
                })
                .collect();
            if rows.is_empty() {
                continue;
            }
            let next = |history: &Vec<u16>| -> Vec<Vec<u16>> {
                if history.len() > rows.len() || !grows && !history.is_empty() && history.len() < rows.len() {
                    return Vec::new();
                }
                let places: Vec<usize> = (0..rows.len()).collect();
                let mut orders = combine(&vec![places; rows.len()]);
                orders.retain(|order| (0..rows.len()).all(|place| order.contains(&place)));
                let with = |order: Vec<usize>| {
                    let before = history.iter().copied().chain(std::iter::repeat(u16::MAX));
                    order
                        .into_iter()
                        .zip(before)
                        .map(|(row, before)| rows[row] & before)
                        .collect::<Vec<u16>>()
                };
                orders.into_iter().map(with).filter(|history| !history.contains(&0)).collect()
            };
            all = all.iter().flat_map(next).collect();
            all.sort();
            all.dedup();
        }
        all
    }

    /// What the judge of worlds finds known of a bundle.
    fn judged(&self, bundle: &Bundle) -> Vec<bool> {
        let tracks = self.tracks(bundle);
        let has = |known: &Vec<Fact>| {
            let says = known.iter().any(|(item, times)| {
                (0..bundle.len()).any(|at| times >> at & 1 == 1 && self.group(at, *item).is_some())
            });
            says && tracks.iter().any(|track| (0..track.len()).all(|at| self.may_have(at, track[at], known)))
        };
        self.facts.iter().map(has).collect()
    }

    /// What may be true of a bundle, to an attacker; nothing where the bundle itself is impossible.
    fn fits(&self, bundle: &Bundle, attacker: Attacker) -> Vec<bool> {
        let histories = if attacker.takes_to_stay() {
            self.histories(bundle, attacker == Attacker::Grows)
        } else {
            Vec::new()
        };
        let fits = |known: &Vec<Fact>| match attacker {
            Attacker::Changes | Attacker::Counts => self.may_be(bundle, known),
            Attacker::SeveralTransactions => known.iter().all(|fact| self.may_be(bundle, &[*fact])),
            Attacker::Stays | Attacker::Grows => {
                let items = known.iter().fold(0, |items, (item, _)| items | 1 << item);
                let holding = (0..1_usize << ITEMS).filter(|basket| basket & items == items);
                let holding: u16 = holding.fold(0, |baskets, basket| baskets | 1 << basket);
                histories.iter().flatten().any(|baskets| baskets & holding > 0)
            }
        };
        self.facts.iter().map(fits).collect()
    }
}

/// How sure the best attacker is that a row is somebody's, over the worlds in which the judge lets the releases pass
/// (`judged`: one of all releases together, or of each for itself).
fn best_guess(releases: &Releases, m: usize, attacker: Attacker, judge: Judge) -> f64 {
    let (count, people) = (releases.recodings.len(), releases.visits.len());
    let real = releases.rows();
    let rows: Vec<Vec<Bits>> =
        real.iter().map(|rows| rows.iter().map(|(_, groups)| *groups).collect()).collect();
    let files = Files { recodings: &releases.recodings, rows, facts: facts(count, m) };
    let alone: Vec<Bits> = (0..count as Bits).map(|at| 1 << at).collect();
    let in_one = |known: &Vec<Fact>, releases: Bits| known.iter().all(|(_, times)| times & !releases == 0);
    // What an attacker knows of each person: all that is true.
    let is_true = |person: usize, known: &Vec<Fact>| {
        let has = |visit: &Visit, fact: &Fact| {
            let at_times = |at: usize| visit[at].is_some_and(|basket| basket >> fact.0 & 1 == 1);
            (0..count).filter(|at| fact.1 >> at & 1 == 1).all(at_times)
        };
        let visits = &releases.visits[person];
        match attacker {
            Attacker::SeveralTransactions => {
                known.iter().all(|fact| visits.iter().any(|visit| has(visit, fact)))
            }
            _ => visits.iter().any(|visit| known.iter().all(|fact| has(visit, fact))),
        }
    };
    let is_asked: Vec<Vec<bool>> =
        (0..people).map(|person| files.facts.iter().map(|known| is_true(person, known)).collect()).collect();
    let bundle_in = |world: &[Vec<usize>], person: usize| -> Bundle {
        let bits = |owners: &Vec<usize>| {
            (0..owners.len()).filter(|&row| owners[row] == person).fold(0, |rows, row| rows | 1 << row)
        };
        world.iter().map(bits).collect()
    };
    let real_world: Vec<Vec<usize>> =
        real.iter().map(|rows| rows.iter().map(|(person, _)| *person).collect()).collect();
    let real_bundles: Vec<Bundle> = (0..people).map(|person| bundle_in(&real_world, person)).collect();
    let cell = |person: usize, of: Bits| -> Vec<bool> {
        (0..count).map(|at| of >> at & 1 == 1 && real_bundles[person][at] > 0).collect()
    };
    let mut judged: HashMap<Bundle, Vec<bool>> = HashMap::new();
    let mut fits: HashMap<Bundle, Vec<bool>> = HashMap::new();
    let mut passes = |bundles: &[Bundle]| {
        for bundle in bundles {
            judged.entry(bundle.clone()).or_insert_with(|| files.judged(bundle));
        }
        let of_releases = |of: Bits| {
            (0..files.facts.len()).filter(|&known| in_one(&files.facts[known], of)).all(|known| {
                let having: Vec<usize> =
                    (0..people).filter(|&person| judged[&bundles[person]][known]).collect();
                let of_cell = |&person: &usize| {
                    having.iter().filter(|&&other| cell(other, of) == cell(person, of)).count()
                };
                having.iter().all(|person| of_cell(person) >= K)
            })
        };
        match judge {
            Judge::Together => of_releases((1 << count) - 1),
            Judge::EachAlone => alone.iter().all(|&at| of_releases(at)),
        }
    };
    let choices: Vec<Vec<Vec<usize>>> = (0..count)
        .map(|at| {
            let members: Vec<usize> = (0..people).filter(|&person| real_bundles[person][at] > 0).collect();
            hand_out(real[at].len(), &members)
        })
        .collect();
    // For each person and what is known of them: in how many worlds it may be true, and a row theirs.
    let rows: Vec<(usize, usize)> =
        (0..count).flat_map(|at| (0..real[at].len()).map(move |row| (at, row))).collect();
    let mut counted = vec![vec![(0_usize, vec![0_usize; rows.len()]); files.facts.len()]; people];
    for world in combine(&choices) {
        let bundles: Vec<Bundle> = (0..people).map(|person| bundle_in(&world, person)).collect();
        for bundle in &bundles {
            fits.entry(bundle.clone()).or_insert_with(|| files.fits(bundle, attacker));
        }
        let same_counts = |(bundle, real): (&Bundle, &Bundle)| {
            bundle.iter().zip(real).all(|(one, other)| one.count_ones() == other.count_ones())
        };
        let is_possible = |bundle: &Bundle| !files.histories(bundle, attacker == Attacker::Grows).is_empty();
        let possible = match attacker {
            Attacker::Counts => bundles.iter().zip(&real_bundles).all(same_counts),
            attacker if attacker.takes_to_stay() => bundles.iter().all(is_possible),
            _ => true,
        };
        if !possible || !passes(&bundles) {
            continue;
        }
        for (person, bundle) in bundles.iter().enumerate() {
            let asked =
                (0..files.facts.len()).filter(|&known| is_asked[person][known] && fits[bundle][known]);
            for known in asked {
                let (worlds, theirs) = &mut counted[person][known];
                *worlds += 1;
                (0..rows.len())
                    .filter(|&row| bundle[rows[row].0] >> rows[row].1 & 1 == 1)
                    .for_each(|row| theirs[row] += 1);
            }
        }
    }
    // Who knows nothing that a release says of somebody is not asked for.
    let says = |person: usize, known: &Vec<Fact>| {
        known.iter().any(|(item, times)| {
            (0..count).any(|at| {
                times >> at & 1 == 1 && real_bundles[person][at] > 0 && files.group(at, *item).is_some()
            })
        })
    };
    let shares = counted.iter().enumerate().flat_map(|(person, of_person)| {
        let asked = of_person.iter().zip(&files.facts).filter(move |(_, known)| says(person, known));
        asked.flat_map(|((worlds, theirs), _)| {
            theirs.iter().map(move |&theirs| theirs as f64 / (*worlds).max(1) as f64)
        })
    });
    shares.fold(0.0, f64::max)
}

/// Who lets releases pass.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Judge {
    /// The refinement.
    Together,
    /// A judge that is too weak.
    EachAlone,
}

fn worlds(releases: &Releases) -> usize {
    let of_release = |rows: &Vec<(usize, Bits)>| {
        let mut members: Vec<usize> = rows.iter().map(|(person, _)| *person).collect();
        members.dedup();
        members.len().checked_pow(rows.len() as u32).unwrap_or(usize::MAX)
    };
    releases.rows().iter().map(of_release).fold(1, usize::saturating_mul)
}

/// What the promise is about: README, *Transactions*.
const PROMISED: [Attacker; 3] = [Attacker::Changes, Attacker::Stays, Attacker::SeveralTransactions];
/// What it is not about.
const NOT_PROMISED: [Attacker; 2] = [Attacker::Grows, Attacker::Counts];

/// Draws releases of which each holds by itself, and attacks them.
fn try_out(
    tries: usize,
    judge: Judge,
    attackers: &[Attacker],
    mut visit: impl FnMut(&Releases, usize, bool, &[bool]),
) -> Tried {
    let mut dice = Dice(7);
    let mut tried = Tried::default();
    while tried.total() < tries {
        let stays = dice.below(2) == 0;
        let (releases, m) = (draw(&mut dice, stays), 1 + dice.below(2));
        let count = releases.recodings.len();
        let alone = || (0..count).all(|at| accepts(&releases.only(at), m));
        if worlds(&releases) > MOST_WORLDS || !alone() {
            continue;
        }
        let accepted = judge == Judge::EachAlone || accepts(&releases, m);
        // Who takes transactions to stay is not asked where they do not.
        let is_tried = |attacker: &Attacker| match attacker {
            Attacker::Stays => releases.stays(),
            Attacker::Grows => stays,
            _ => true,
        };
        let judge = if accepted { judge } else { Judge::EachAlone };
        let beats = |attacker: &Attacker| {
            is_tried(attacker) && best_guess(&releases, m, *attacker, judge) > 1.0 / K as f64 + 1e-9
        };
        let beaten: Vec<bool> = attackers.iter().map(beats).collect();
        match accepted {
            true => tried.accepted += 1,
            false => tried.refused += 1,
        }
        let rows = releases.rows();
        tried.differ += usize::from(accepted && rows.iter().any(|rows_of| rows_of != &rows[0]));
        tried.beaten += usize::from(!accepted && beaten.contains(&true));
        visit(&releases, m, accepted, &beaten);
    }
    tried
}

impl Releases {
    /// What the releases are a case of.
    fn covers(&self) -> Vec<&'static str> {
        let count = self.recodings.len();
        let pairs = || (0..count).flat_map(|one| (0..count).map(move |other| (one, other)));
        let is_in = |own: &Vec<Visit>, at: usize| own.iter().any(|visit| visit[at].is_some());
        let goes = |from: usize, to: usize| self.visits.iter().any(|own| is_in(own, from) && !is_in(own, to));
        let changes = |visit: &Visit| {
            pairs().any(|(one, other)| visit[one].zip(visit[other]).is_some_and(|(one, other)| one != other))
        };
        let items = || 0..ITEMS;
        let suppressed = |at: usize, item: usize| self.recodings[at][item].is_none();
        let together = |at: usize, one: usize, other: usize| {
            self.recodings[at][one].is_some() && self.recodings[at][one] == self.recodings[at][other]
        };
        let only_together = |(here, there): (usize, usize)| {
            items()
                .flat_map(|one| items().map(move |other| (one, other)))
                .any(|(one, other)| together(here, one, other) && !together(there, one, other))
        };
        let all = [
            ("three releases", count == 3),
            ("several transactions of a person", self.visits.iter().any(|own| own.len() > 1)),
            ("changed", self.visits.iter().flatten().any(changes)),
            ("leavers", pairs().any(|(one, other)| one < other && goes(one, other))),
            ("newcomers", pairs().any(|(one, other)| one < other && goes(other, one))),
            (
                "suppressed in one",
                pairs().any(|(one, other)| {
                    items().any(|item| suppressed(one, item) && !suppressed(other, item))
                }),
            ),
            (
                "crossing",
                pairs().any(|(one, other)| only_together((one, other)) && only_together((other, one))),
            ),
        ];
        all.into_iter().filter(|(_, covers)| *covers).map(|(name, _)| name).collect()
    }
}

#[test]
fn what_is_accepted_is_not_beaten() {
    let mut covered: BTreeMap<&str, usize> = BTreeMap::new();
    let tried = try_out(drawn(150), Judge::Together, &PROMISED, |releases, m, accepted, beaten| {
        assert!(!accepted || !beaten.contains(&true), "{beaten:?} of {releases:?}, m = {m}");
        if accepted {
            releases.covers().into_iter().for_each(|name| *covered.entry(name).or_default() += 1);
        }
    });
    println!("accepted: {covered:?}");
    assert_eq!(covered.len(), 7);
    tried.report("transactions");
}

#[test]
fn a_judge_who_looks_at_each_release_alone_is_found() {
    let mut beaten = 0;
    try_out(100, Judge::EachAlone, &PROMISED, |_, _, _, attackers| {
        beaten += usize::from(attackers.contains(&true));
    });
    assert!(beaten > 3, "{beaten}");
}

/// docs/apply.md names what is not promised.
#[test]
fn attackers_who_know_more_than_is_promised_may_win() {
    let mut beaten = [0; 5];
    let tried = try_out(drawn(150), Judge::Together, &NOT_PROMISED, |_, _, accepted, by| {
        by.iter().zip(&mut beaten).for_each(|(by, count)| *count += usize::from(accepted && *by));
    });
    println!("{tried:?}, accepted and beaten by {NOT_PROMISED:?}: {beaten:?}");
    assert!(beaten.iter().any(|&count| count > 0));
}

fn one_release(lines: &[(&str, u32)]) -> (Transactions, Vec<u32>) {
    let rows: Vec<Vec<&str>> = lines.iter().map(|(line, _)| line.split_whitespace().collect()).collect();
    (Transactions::from_texts(&rows), lines.iter().map(|(_, person)| *person).collect())
}

fn judge(releases: &[(Transactions, Vec<u32>)], k: u32, known: &KnownItems) -> Vec<String> {
    let meanings: Vec<Meaning> = releases.iter().map(|(lines, _)| Meaning::of(lines.items(), None)).collect();
    let releases: Vec<ItemRelease<'_>> = releases
        .iter()
        .zip(&meanings)
        .map(|((published, persons), meaning)| ItemRelease { published, meaning, persons })
        .collect();
    let mut said = Vec::new();
    for cell in refine(&releases) {
        for broken in cell.judge(k, known, &Silent).unwrap() {
            said.extend(broken.violations.worst.iter().map(ToString::to_string));
        }
    }
    said
}

#[test]
fn two_groupings_that_cross_are_as_fine_as_both() {
    let one = one_release(&[("(a,b) c", 1), ("(a,b) c", 2), ("(a,b) c", 3), ("(a,b) c", 4)]);
    let two = one_release(&[("a (b,c)", 1), ("a (b,c)", 2), ("(b,c)", 3), ("(b,c)", 4)]);
    assert!(judge(&[one.clone(), two.clone()], 2, &KnownItems::Any(2, None)).is_empty());
    let said = judge(&[one, two], 3, &KnownItems::Any(1, None));
    assert!(said.iter().any(|said| said.contains("`(a,b)` and then `a`")), "{said:?}");
}

#[test]
fn leavers_are_a_crowd_of_their_own_and_lines_of_one_person_are_none() {
    let before = [("a h", 1), ("a h", 2), ("a h", 3), ("a", 4), ("a", 5)];
    let (one, two) = (one_release(&before), one_release(&before[1..]));
    assert_eq!(judge(&[one.clone(), two], 2, &KnownItems::Any(1, None)).len(), 2);
    assert!(judge(&[one.clone(), one_release(&before[2..])], 2, &KnownItems::Any(1, None)).len() == 1);
    assert!(judge(&[one.clone(), one_release(&before[3..])], 2, &KnownItems::Any(1, None)).is_empty());
    // Two lines of one person who is gone.
    let lines = [("a h", 1), ("a h", 1), ("a h", 2), ("a h", 3)];
    assert_eq!(judge(&[one_release(&lines), one_release(&lines[2..])], 2, &KnownItems::All).len(), 1);
}

#[test]
fn lines_of_a_person_are_those_that_share_most() {
    let one = one_release(&[("a b", 1), ("c", 1), ("a b", 2), ("c", 2)]);
    let two = one_release(&[("c d", 1), ("a b", 1), ("a b", 2), ("c d", 2)]);
    assert!(judge(&[one.clone(), two], 2, &KnownItems::All).is_empty());
    // Only one of them has c and d in one visit.
    let two = one_release(&[("c d", 1), ("a b", 1), ("a b", 2), ("c", 2)]);
    assert!(!judge(&[one, two], 2, &KnownItems::Any(2, None)).is_empty());
}

#[test]
fn listed_sets_are_asked_for_in_the_finest_lines() {
    let set = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<String>>();
    let known = KnownItems::Listed(vec![set(&["a", "b"])]);
    let one = one_release(&[("(a,x) b", 1), ("(a,x) b", 2), ("(a,x) b c", 3)]);
    let two = one_release(&[("a b", 1), ("a b", 2), ("x b c", 3)]);
    assert!(judge(&[one.clone(), two.clone()], 2, &known).is_empty());
    assert_eq!(judge(&[one, two], 3, &known).len(), 1);
}
