//! All ways to the answer lead to the same one: with and without what is settled, in the whole file and in cells.

use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::{Bound, Hierarchy, Limit, RawTable, Silent, Support};

use super::settled::Bundles;
use super::*;

/// Sequences by number and an illness each, k, L and the bound.
type Case = (Vec<(usize, u8)>, Vec<Vec<(u8, u8)>>, u32, usize, Bound);

fn cases() -> impl Strategy<Value = Case> {
    // Where cells say little or nothing, many publish more than others and are their companions.
    let cell = |few: bool| {
        let all = (0..7u8, 0..4u8).boxed();
        let narrow = (prop::sample::select(vec![0u8, 3, 6]), prop::sample::select(vec![0u8, 3])).boxed();
        if few { narrow } else { all }
    };
    any::<bool>().prop_flat_map(move |few| {
        let pool = prop::collection::vec(prop::collection::vec(cell(few), 1..4), 1..7);
        let people = prop::collection::vec((any::<prop::sample::Index>(), 0..3u8), 2..14);
        let bound = prop_oneof![
            (1..5u8).prop_map(|b| Bound::Gain(f64::from(b) / 2.0)),
            // A share of 1 is a promise about k alone.
            prop::sample::select(vec![0.4, 0.5, 0.6, 0.7, 1.0]).prop_map(Bound::Share)
        ];
        (people, pool, 2..4u32, 1..8usize, bound).prop_map(|(people, pool, k, length, bound)| {
            let people = people.iter().map(|(of, illness)| (of.index(pool.len()), *illness)).collect();
            (people, pool, k, length, bound)
        })
    })
}

fn published(case: &Case, support: Support) -> Published {
    published_in_parts(case, support, None)
}

fn published_in_parts(
    (people, pool, k, _, bound): &Case,
    support: Support,
    part_of: Option<&[u32]>,
) -> Published {
    let places = ["a", "b", "c", "ab", "cd", "?", "*"];
    let stays = ["1", "2", "3", "*"];
    let rows: Vec<Vec<String>> = people
        .iter()
        .enumerate()
        .flat_map(|(person, &(of, illness))| pool[of].iter().map(move |cells| (person, cells, illness)))
        .map(|(person, &(place, stay), illness)| {
            let (place, stay) = (places[place as usize], stays[stay as usize]);
            [person.to_string().as_str(), place, stay, &illness.to_string()].map(str::to_owned).to_vec()
        })
        .collect();
    let trees = [tree(&["a ab *", "b ab *", "c cd *", "d cd *"]), tree(&["1 *", "2 *", "3 *"])];
    let limit = Limit { column: "illness".into(), values: None, bound: *bound };
    read_in_parts(&["id", "place", "stay", "illness"], &rows, &trees, *k, limit, support, part_of)
}

/// A file whose first column says whose an event is; the next ones have trees.
pub(super) fn read(
    names: &[&str],
    rows: &[Vec<String>],
    trees: &[Arc<Hierarchy>],
    k: u32,
    limit: Limit,
    support: Support,
) -> Published {
    read_in_parts(names, rows, trees, k, limit, support, None)
}

/// The same with a part for each person.
fn read_in_parts(
    names: &[&str],
    rows: &[Vec<String>],
    trees: &[Arc<Hierarchy>],
    k: u32,
    limit: Limit,
    support: Support,
    part_of: Option<&[u32]>,
) -> Published {
    let file = RawTable::from_rows(names, rows);
    let view = SequencesView::new(&file, names[0], &names[1..=trees.len()]).unwrap();
    let columns: Vec<Quasi<'_>> = view.events().quasi().iter().copied().zip(trees).collect();
    let items = Items::new(&columns, support);
    let groups = Groups::new(&view, &items, part_of);
    let values = Values::new(&view, &groups, &[limit], &MissingTexts::default(), &BTreeMap::new()).unwrap();
    Published::new(items, groups, values, k, support)
}

pub(super) fn tree(lines: &[&str]) -> Arc<Hierarchy> {
    let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    Arc::new(Hierarchy::from_rows(&lines).unwrap())
}

/// Table 2 of the FCLA paper: person, year, ZIP code, length of stay, disease.
const PAPER: [&str; 17] = [
    "1 2018 41002 21 Infection",
    "2 2018 41001 10 Cancer",
    "2 2018 43003 1 Flu",
    "3 2018 40012 30 Fever",
    "3 2019 40012 35 Infection",
    "3 2020 41001 3 Flu",
    "4 2017 41001 10 Heart",
    "4 2018 42003 10 Flu",
    "4 2021 42003 35 Hepatitis",
    "5 2018 42005 3 Fever",
    "5 2018 42005 10 Cancer",
    "6 2017 41001 5 Infection",
    "6 2019 43002 30 Hepatitis",
    "7 2018 42016 4 Fever",
    "8 2020 43003 5 Fever",
    "9 2019 42016 1 Flu",
    "10 2018 42016 14 Heart",
];

#[test]
fn the_examples_of_the_paper() {
    let rows: Vec<Vec<String>> =
        PAPER.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    let years = [
        "2017 [2016:2019] *",
        "2018 [2016:2019] *",
        "2019 [2016:2019] *",
        "2020 [2020:2023] *",
        "2021 [2020:2023] *",
    ];
    let zips: Vec<String> = rows.iter().map(|row| format!("{} {}*** *", row[2], &row[2][..2])).collect();
    // Stays in weeks, as the paper has them.
    let week = |days: &str| if days.parse::<u32>().unwrap() < 28 { "[0:4]" } else { "[4:6]" };
    let stays: Vec<String> = rows.iter().map(|row| format!("{} {} *", row[3], week(&row[3]))).collect();
    let lines = |lines: &[String]| tree(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let values = Some(vec!["Hepatitis".to_owned(), "Cancer".to_owned()]);
    let limit = Limit { column: "disease".into(), values, bound: Bound::Gain(1.0) };
    let file = read(
        &["id", "Y", "Z", "L", "disease"],
        &rows,
        &[tree(&years), lines(&zips), lines(&stays)],
        2,
        limit,
        Support::Paper,
    );
    let step =
        |text: &str| 2 * (0..file.items.len() as u32).find(|&item| file.items.text(item) == text).unwrap();
    let broken = |events: [&str; 2]| {
        let known = events.map(|text| step(text) + 1);
        let crowd = file.index().supporters(&known);
        let how = file.break_of(&crowd, &known).unwrap();
        let value = how.value.map(|(value, count)| (file.values.named[value as usize].text.clone(), count));
        // Everybody is a group of their own, in order.
        (crowd.iter().map(|group| group + 1).collect::<Vec<_>>(), how.is_small, value)
    };
    let all = |value: &str, count| Some((value.to_owned(), count));
    // One person only, who has hepatitis.
    assert_eq!(broken(["2017", "2019"]), (vec![6], true, all("Hepatitis", 1)));
    // Two people, enough for k = 2, but both have cancer: D = (1 - 0.2)/0.2 = 4 > 1.
    assert_eq!(broken(["2018", "2018"]), (vec![2, 5], false, all("Cancer", 2)));
    assert_eq!(broken(["41001", "[4:6]"]), (vec![4, 6], false, all("Hepatitis", 2)));
    assert!(file.values.named.iter().all(|value| value.allowed == 0.4));
    assert_eq!(file.index().supporters(&[step("2018") + 1, step("2020") + 1, step("3")]), [2]);
    assert_eq!(answer(&file, 2, u64::MAX, &Silent).found.length, Some(1), "41002 alone is somebody");
}

#[test]
fn more_events_than_a_word_has_bits() {
    let event = |person: usize, at: usize| {
        let place = if at == 99 && person != 2 { "b" } else { "a" };
        [person.to_string().as_str(), place, "flu"].map(str::to_owned).to_vec()
    };
    let rows: Vec<Vec<String>> =
        (1..=4).flat_map(|person| (0..100).map(move |at| event(person, at))).collect();
    let limit = Limit { column: "illness".into(), values: None, bound: Bound::Gain(1.0) };
    let file = read(&["id", "place", "illness"], &rows, &[tree(&["a *", "b *"])], 3, limit, Support::Paper);
    let a = |times: usize| file.groups.people(&file.index().supporters(&vec![1; times]));
    assert_eq!([a(99), a(100), a(101)], [4, 1, 0]);
    let b = 2 * (0..2).find(|&item| file.items.text(item) == "b").unwrap() + 1;
    let then_b =
        |times: usize| file.groups.people(&file.index().supporters(&[vec![1; times], vec![b]].concat()));
    assert_eq!([then_b(0), then_b(99), then_b(100)], [3, 3, 0]);
    // Who has a hundred times a is alone, but nobody knows that much.
    assert!(answer(&file, 99, u64::MAX, &Silent).found.length.is_none());
    assert_eq!(answer(&file, 100, u64::MAX, &Silent).found.worst[0].people, 1);
}

/// One patient of many years must not make the sets of everybody else as long as theirs.
#[test]
fn a_long_history_takes_room_for_itself_only() {
    let events = |person: usize| if person == 1 { 1000 } else { 1 + person };
    let event = |person: usize| [person.to_string().as_str(), "a", "flu"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = (0..50)
        .flat_map(|person| std::iter::repeat_with(move || event(person)).take(events(person)))
        .collect();
    let limit = Limit { column: "illness".into(), values: None, bound: Bound::Gain(1.0) };
    let file = read(&["id", "place", "illness"], &rows, &[tree(&["a *", "b *"])], 3, limit, Support::Paper);
    let words: Vec<usize> = (0..50).map(|group| file.index().words(group)).collect();
    assert_eq!((words[0], words[1], words[2]), (1, 16, 1));
    assert_eq!(words.iter().sum::<usize>(), 65);
    for group in 0..50 {
        let (items, events) = file.index().has(group);
        assert_eq!(events.len(), items.len() * words[group as usize]);
    }
    // Only the one with a thousand events has more than fifty.
    let a = |times: usize| file.index().supporters(&vec![1; times]);
    assert_eq!((a(50).len(), a(51), a(1000), a(1001)), (2, vec![1], vec![1], vec![]));
    assert_eq!(answer(&file, 49, u64::MAX, &Silent).found.length, None);
    assert_eq!(answer(&file, 50, u64::MAX, &Silent).found.length, Some(50));
}

/// A file in which everybody has this number of events at one more place before all others.
fn padded(case: &Case, times: usize) -> Published {
    let (people, pool, k, _, bound) = case;
    let stays = ["1", "2", "3", "*"];
    let places = ["a", "b", "c", "ab", "cd", "?", "*"];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (person, &(of, illness)) in people.iter().enumerate() {
        let before = std::iter::repeat_n(["p", "*"], times);
        let own = pool[of].iter().map(|&(place, stay)| [places[place as usize], stays[stay as usize]]);
        rows.extend(before.chain(own).map(|[place, stay]| {
            [&person.to_string(), place, stay, &illness.to_string()].map(str::to_owned).to_vec()
        }));
    }
    let trees = [tree(&["a ab *", "b ab *", "c cd *", "d cd *", "p p *"]), tree(&["1 *", "2 *", "3 *"])];
    let limit = Limit { column: "illness".into(), values: None, bound: *bound };
    read(&["id", "place", "stay", "illness"], &rows, &trees, *k, limit, Support::Paper)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Sets of events take several words where a sequence is long; what everybody has before tells nobody apart.
    #[test]
    fn events_before_all_others_change_no_crowd(case in cases(), times in 61..67_usize) {
        let search = |file: &Published| {
            let is_open = vec![true; file.groups.len()];
            let work = Work::new(u64::MAX, &Silent);
            whole::search(Search { file, is_open: &is_open, length: case.3.min(4), work: &work }).found
        };
        let (plain, long) = (padded(&case, 0), padded(&case, times));
        let everybody: Vec<u32> = (0..long.groups.len() as u32).collect();
        let (short, found) = (search(&plain), search(&long));
        if long.break_of(&everybody, &[]).is_some() {
            prop_assert_eq!(found.length, Some(1));
        } else {
            prop_assert_eq!(found.length, short.length);
            prop_assert_eq!(found.smallest, short.smallest.min(case.0.len() as u32));
            let crowd = |found: &Found| found.worst.first().map(|how| (how.people, how.value));
            prop_assert_eq!(crowd(&found), crowd(&short));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn whatever_is_settled_and_whatever_the_cells(
        case in cases(),
        cell_of in prop::collection::vec(0..4usize, 14),
        is_paper in any::<bool>(),
    ) {
        let file = published(&case, if is_paper { Support::Paper } else { Support::Compatible });
        let groups = file.groups.len();
        // Where everything fits a `*`, there is far more to list.
        let length = if is_paper { case.3 } else { case.3.min(3) };
        let work = Work::new(u64::MAX, &Silent);
        let plainly = whole::search(Search { file: &file, is_open: &vec![true; groups], length, work: &work });
        let broken = plainly.found;
        prop_assert_eq!(answer(&file, length, u64::MAX, &Silent).found.length.is_some(), broken.length.is_some());

        let settled = settled::settle(&file, u64::MAX, &Silent);
        let open = whole::search(Search { file: &file, is_open: &settled.is_open, length, work: &work }).found;
        prop_assert_eq!((open.length, open.total, &open.worst), (broken.length, broken.total, &broken.worst));
        if broken.length.is_none() {
            let bound = settled.found(&file).merge(open);
            prop_assert!(bound.smallest <= broken.smallest, "{} people are promised", bound.smallest);
            prop_assert!(bound.shares.iter().zip(&broken.shares).all(|(bound, share)| share <= bound));
        }

        // Cells with what is settled, and cells of all who would break the promise alone, divided in three ways.
        let alone: Vec<bool> = (0..groups as u32).map(|group| file.breaks_alone(group)).collect();
        let bundles = Bundles::new(groups);
        let divided = |cell_of: &dyn Fn(usize) -> usize| {
            let mut cells = Cells::new(&file, &bundles);
            for _ in 0..groups {
                cells.add();
            }
            let open = (0..groups).filter(|&group| alone[group]);
            open.for_each(|group| cells.join(cell_of(group) % groups, group as u32));
            (&alone, cells)
        };
        let ways = [
            (&settled.is_open, Cells::of_nearest(&file, &settled.bundles, &settled.is_open, &Silent)),
            (&alone, Cells::of_nearest(&file, &bundles, &alone, &Silent)),
            divided(&|_| 0),
            divided(&|group| group),
            divided(&|group| cell_of[group]),
        ];
        for (is_open, cells) in ways {
            let found = cells::search(Search { file: &file, is_open, length, work: &work }, cells).unwrap();
            prop_assert_eq!(found.length.is_some(), broken.length.is_some());
            for how in &found.worst {
                let crowd = file.index().supporters(&how.known);
                let again = file.break_of(&crowd, &how.known);
                prop_assert_eq!(again.as_ref(), Some(how));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// The search over ends finds what the search item by item finds, in any cell.
    #[test]
    fn ends_find_what_items_find(
        case in cases(),
        is_inside in prop::collection::vec(any::<bool>(), 14),
        is_open in prop::collection::vec(prop::bool::weighted(0.8), 14),
        is_paper in any::<bool>(),
    ) {
        let file = published(&case, if is_paper { Support::Paper } else { Support::Compatible });
        let groups = file.groups.len();
        let cell: Vec<u32> = (0..groups as u32).filter(|&group| is_inside[group as usize]).collect();
        // Whoever would break the promise alone is open, and others may be.
        let is_open: Vec<bool> =
            (0..groups).map(|group| is_open[group] || file.breaks_alone(group as u32)).collect();
        let work = Work::new(u64::MAX, &Silent);
        let length = if is_paper { case.3 } else { case.3.min(3) };
        let search = Search { file: &file, is_open: &is_open, length, work: &work };
        let by_items = cells::search_item_by_item(search, &cell);
        // Larger cells take more memory than a test has.
        let Some(by_ends) = ends::search(search, &cell) else { return Ok(()) };
        prop_assert_eq!(by_ends.length, by_items.length);
        // Two crowds may be equally bad, so which of them is shown first is not compared.
        let worst = |found: &Found| found.worst.first().map(|how| (how.people, how.is_small));
        prop_assert_eq!(worst(&by_ends), worst(&by_items));
        for how in &by_ends.worst {
            // What is said to be known finds just those people, and has the length that is said.
            let inside: Vec<u32> =
                file.index().supporters(&how.known).into_iter().filter(|group| cell.contains(group)).collect();
            let again = file.break_of(&inside, &how.known);
            prop_assert_eq!(again.as_ref(), Some(how));
            prop_assert_eq!(Some(how.known.len()), by_ends.length);
        }
        if by_items.length.is_none() {
            prop_assert!(by_ends.smallest <= by_items.smallest);
            prop_assert!(by_ends.smallest >= file.k, "nobody is said to be in too small a crowd");
            prop_assert!(by_ends.shares.iter().zip(&by_items.shares).all(|(bound, share)| share <= bound));
        }
    }

    /// Whoever says that people stand in parts may lie: the answer is the same.
    #[test]
    fn parts_that_are_lies_change_no_answer(
        case in cases(),
        part_of in prop::collection::vec(0..4_u32, 14),
        is_paper in any::<bool>(),
    ) {
        let support = if is_paper { Support::Paper } else { Support::Compatible };
        let length = if is_paper { case.3 } else { case.3.min(3) };
        let file = published(&case, support);
        let everybody = vec![true; file.groups.len()];
        let work = Work::new(u64::MAX, &Silent);
        let plainly = whole::search(Search { file: &file, is_open: &everybody, length, work: &work }).found;
        let part_of = &part_of[..case.0.len()];
        let split = published_in_parts(&case, support, Some(part_of));
        let found = by_parts(&split, &split.groups.of_each(part_of), length, u64::MAX, &Silent).unwrap();
        prop_assert_eq!(found.length.is_some(), plainly.length.is_some());
        for how in &found.worst {
            let again = split.break_of(&split.index().supporters(&how.known), &how.known);
            prop_assert_eq!(again.as_ref(), Some(how));
        }
        if plainly.length.is_none() {
            prop_assert!(found.smallest <= plainly.smallest);
            prop_assert!(found.shares.iter().zip(&plainly.shares).all(|(bound, share)| share <= bound));
        }
    }
}
