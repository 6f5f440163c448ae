//! Random releases of transactions as plain texts, and a second verifier that knows nothing but texts.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_core::{Hierarchy, Transactions, is_drawn};
use shoal_privacy::{
    CompleteAnonymity, ItemConstraints, ItemsetAnonymity, KnownShare, PublishedTransactions, RecordOrder,
    Refusal, TransactionsClaim, TransactionsFindings, TransactionsModel, Utility, judge_transactions,
};

pub(crate) type Row = BTreeSet<String>;

/// Items `a` to `f`, and a tree above some of them. Nobody ever holds `z`.
pub(crate) const ITEMS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const TREE: [[&str; 3]; 7] = [
    ["a", "AB", "*"],
    ["b", "AB", "*"],
    ["c", "C", "*"],
    ["z", "C", "*"],
    ["d", "DEF", "*"],
    ["e", "DEF", "*"],
    ["f", "DEF", "*"],
];

#[derive(Clone, Debug)]
pub(crate) enum Promise {
    Itemsets { m: usize, share: Option<KnownShare> },
    Complete,
    Constraints(Vec<Vec<String>>),
}

/// A release in texts.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    pub(crate) k: u32,
    pub(crate) promise: Promise,
    pub(crate) original: Vec<Row>,
    pub(crate) published: Vec<Row>,
    pub(crate) origin: Vec<u32>,
    pub(crate) utility: Utility,
    /// Whose each original transaction is.
    pub(crate) persons: Option<Vec<u32>>,
}

pub(crate) fn promises() -> impl Strategy<Value = Promise> {
    let share = (1..=4u32, 0..3u64).prop_map(|(n, seed)| KnownShare { share: f64::from(n) / 4.0, seed });
    let item = prop::sample::select(ITEMS.to_vec()).prop_map(str::to_owned);
    let set = prop::collection::vec(item, 1..4);
    prop_oneof![
        (1..4usize, prop::option::of(share)).prop_map(|(m, share)| Promise::Itemsets { m, share }),
        Just(Promise::Complete),
        prop::collection::vec(set, 1..5).prop_map(Promise::Constraints),
    ]
}

/// Rows that are the image of their originals under a random recoding. Whether they keep the promise is open,
/// but with every row there `copies` times they often do.
pub(crate) fn releases(copies: usize) -> impl Strategy<Value = Release> {
    let rows = prop::collection::vec(prop::collection::vec(any::<bool>(), ITEMS.len()), 1..8);
    // A cluster for each item: 0 is suppressed, 4 and more are left alone.
    let clusters = prop::collection::vec(0..8usize, ITEMS.len());
    (rows, clusters, 2..4u32, promises(), any::<bool>(), any::<u64>()).prop_map(
        move |(rows, clusters, k, promise, nodes, seed)| {
            let hold = |row: &Vec<bool>| {
                let held = ITEMS.iter().zip(row).filter(|(_, held)| **held);
                held.map(|(item, _)| (*item).to_owned()).collect::<Row>()
            };
            let original: Vec<Row> = rows.iter().flat_map(|row| vec![hold(row); copies]).collect();
            let image =
                |item: &String| if nodes { node(item, &clusters) } else { group(item, &clusters, &original) };
            let mut origin: Vec<u32> = (0..original.len() as u32).collect();
            origin.sort_by_key(|&row| (u64::from(row) + 1).wrapping_mul(seed | 1) >> 7);
            let publish = |&row: &u32| original[row as usize].iter().filter_map(image).collect();
            let published = origin.iter().map(publish).collect();
            Release { k, promise, original, published, origin, utility: Utility::default(), persons: None }
        },
    )
}

/// The same releases, of people who may have several transactions.
pub(crate) fn releases_of_people(copies: usize) -> impl Strategy<Value = Release> {
    (releases(copies), prop::collection::vec(0..6_u32, 8 * copies)).prop_map(|(release, persons)| {
        let persons = persons[..release.original.len()].to_vec();
        Release { persons: Some(persons), ..release }
    })
}

fn group(item: &str, clusters: &[usize], original: &[Row]) -> Option<String> {
    let cluster = clusters[ITEMS.iter().position(|i| *i == item).unwrap()];
    let held = |item: &&str| original.iter().any(|row| row.contains(*item));
    let together = |(i, _): &(&str, &usize)| held(i);
    match cluster {
        0 => None,
        1..4 => {
            let same = ITEMS.iter().copied().zip(clusters).filter(|(_, c)| **c == cluster).filter(together);
            let same: Vec<&str> = same.map(|(item, _)| item).collect();
            Some(if same.len() == 1 { same[0].to_owned() } else { format!("({})", same.join(",")) })
        }
        _ => Some(item.to_owned()),
    }
}

fn node(item: &str, clusters: &[usize]) -> Option<String> {
    let line = TREE.iter().find(|line| line[0] == item).unwrap();
    // What happens to a subtree is decided by its first leaf.
    let first = TREE.iter().find(|other| other[1] == line[1]).unwrap()[0];
    match clusters[ITEMS.iter().position(|i| *i == first).unwrap()] {
        0 => None,
        1..4 => Some(line[1].to_owned()),
        _ => Some(item.to_owned()),
    }
}

pub(crate) fn tree() -> Hierarchy {
    Hierarchy::from_rows(&TREE.map(|line| line.to_vec())).unwrap()
}

pub(crate) fn transactions(rows: &[Row]) -> Transactions {
    let rows: Vec<Vec<&String>> = rows.iter().map(|row| row.iter().collect()).collect();
    Transactions::from_texts(&rows)
}

pub(crate) fn model(k: u32, promise: &Promise) -> Vec<Box<dyn TransactionsModel>> {
    vec![match promise {
        Promise::Itemsets { m, share } => Box::new(ItemsetAnonymity::new(k, *m, *share).unwrap()),
        Promise::Complete => Box::new(CompleteAnonymity::new(k).unwrap()),
        Promise::Constraints(sets) => Box::new(ItemConstraints::new(k, sets.clone()).unwrap()),
    }]
}

/// What the crate under test says.
pub(crate) fn verify(release: &Release) -> Result<TransactionsFindings, Refusal> {
    let (mut original, published) = (transactions(&release.original), transactions(&release.published));
    if let Some(persons) = &release.persons {
        original = original.with_persons(persons.clone());
    }
    let claim = TransactionsClaim {
        original: &original,
        hierarchy: Some(&tree()),
        origin: &release.origin,
        order: RecordOrder::Input,
    };
    let published = PublishedTransactions { data: published, rest: None, withheld_columns: Vec::new() };
    judge_transactions(
        &published,
        claim,
        &model(release.k, &release.promise),
        &release.utility,
        &shoal_core::Silent,
    )
}

/// What the second verifier says of a whole release.
pub(crate) fn is_sound(release: &Release) -> bool {
    is_true(release) && is_private(release, &items(&release.original)) && is_useful(release)
}

pub(crate) fn items(rows: &[Row]) -> Row {
    rows.iter().flatten().cloned().collect()
}

/// The items that a text stands for, among those that may be there.
pub(crate) fn meaning(text: &str, known: Option<&Row>) -> Row {
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let members: Row = match inside {
        Some(inside) if inside.contains(',') => inside.split(',').map(str::to_owned).collect(),
        _ => {
            let below = TREE.iter().filter(|line| line[1..].contains(&text)).map(|line| line[0].to_owned());
            let below: Row = below.collect();
            if below.is_empty() {
                Row::from([text.to_owned()])
            } else {
                return below
                    .into_iter()
                    .filter(|item| known.is_none_or(|known| known.contains(item)))
                    .collect();
            }
        }
    };
    members
}

fn is_true(release: &Release) -> bool {
    let Release { original, published, origin, .. } = release;
    let known = items(original);
    let texts = items(published);
    let readable = texts.iter().all(|text| meaning(text, Some(&known)).is_subset(&known));
    let distinct = origin.iter().enumerate().all(|(at, row)| !origin[..at].contains(row));
    let counted = original.len() == published.len() && origin.len() == published.len();
    let fits = |(row, &from): (&Row, &u32)| {
        let Some(truth) = original.get(from as usize) else { return false };
        texts.iter().all(|text| row.contains(text) != meaning(text, Some(&known)).is_disjoint(truth))
    };
    readable
        && distinct
        && counted
        && one_image(&texts, Some(&known))
        && published.iter().zip(origin).all(fits)
}

pub(crate) fn one_image(texts: &Row, known: Option<&Row>) -> bool {
    texts.iter().all(|one| {
        texts.iter().all(|two| one == two || meaning(one, known).is_disjoint(&meaning(two, known)))
    })
}

fn is_useful(release: &Release) -> bool {
    let known = items(&release.original);
    let meanings: Vec<Row> =
        items(&release.published).iter().map(|text| meaning(text, Some(&known))).collect();
    let suppressed = known.iter().filter(|item| !meanings.iter().any(|m| m.contains(*item))).count();
    let few =
        release.utility.max_suppressed.is_none_or(|share| suppressed as f64 <= share * known.len() as f64);
    let fits = |m: &Row| {
        let inside = |set: &Vec<String>| m.iter().all(|item| set.contains(item));
        m.len() == 1 || release.utility.constraints.as_ref().is_none_or(|sets| sets.iter().any(inside))
    };
    few && meanings.iter().all(fits)
}

pub(crate) fn is_private(release: &Release, known: &Row) -> bool {
    supports(release, Some(known)).iter().all(|(_, support)| *support >= release.k as usize)
}

/// Every set of texts that the promise is about and that occurs, with its support: all subsets of all rows.
pub(crate) fn supports(release: &Release, known: Option<&Row>) -> BTreeSet<(Row, usize)> {
    let published = &release.published;
    // A number of its own for every transaction where it is not said whose it is, or cannot be.
    let person = |row: usize| match (&release.persons, release.origin.get(row)) {
        (Some(persons), Some(&from)) => persons.get(from as usize).copied().ok_or(row),
        _ => Err(row),
    };
    let support = |set: &Row| {
        let holding = published.iter().enumerate().filter(|(_, row)| set.is_subset(row));
        holding.map(|(row, _)| person(row)).collect::<BTreeSet<_>>().len()
    };
    let mut asked: BTreeSet<Row> = match &release.promise {
        Promise::Itemsets { m, share } => {
            let drawn = |item: &String| share.is_none_or(|s| is_drawn(item, s.share, s.seed));
            let linkable = |text: &String| meaning(text, known).iter().any(drawn);
            let wanted = |set: &Row| set.len() <= *m && set.iter().all(linkable);
            published.iter().flat_map(subsets).filter(wanted).collect()
        }
        Promise::Complete => published.iter().cloned().collect(),
        Promise::Constraints(sets) => {
            let texts = items(published);
            let image = |set: &Vec<String>| {
                let stands = |text: &&String| set.iter().any(|item| meaning(text, known).contains(item));
                texts.iter().filter(stands).cloned().collect::<Row>()
            };
            sets.iter().map(image).collect()
        }
    };
    asked.retain(|set| !set.is_empty() && support(set) > 0);
    asked.into_iter().map(|set| (set.clone(), support(&set))).collect()
}

fn subsets(row: &Row) -> Vec<Row> {
    let choose = |mask: u32| row.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1);
    (0..1_u32 << row.len()).map(|mask| choose(mask).map(|(_, text)| text.clone()).collect()).collect()
}
