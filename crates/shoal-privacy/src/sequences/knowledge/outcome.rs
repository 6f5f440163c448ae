//! The answer in words, and the worst known sequences with those of whom they are true.

use super::found::Break;
use super::groups::Step;
use super::values::share;
use super::{Answer, Published};
use crate::origin::number;
use crate::promise::ROWS_NAMED;
use crate::{Figure, Outcome, PublishedCell, SequencesView, SequencesViolation, Violations};

pub(super) fn outcome(
    view: &SequencesView<'_>,
    file: &Published,
    answer: &Answer,
) -> Outcome<SequencesViolation> {
    let Answer { found, given_up } = answer;
    let words = match given_up {
        Some((work, length)) => Figure::Words(format!(
            "undecided after {work} steps; nothing breaks it that is up to {length} long"
        )),
        None => in_words(file, answer),
    };
    let worst = found.worst.iter().map(|how| violation(view, file, how)).collect();
    let total = usize::try_from(found.total).unwrap_or(usize::MAX);
    Outcome {
        found: words,
        holds: found.length.is_none() && given_up.is_none(),
        violations: Violations { total, worst, all: Vec::new() },
    }
}

/// The smallest crowd, and the value that comes nearest to its bound or lies farthest above it.
fn in_words(file: &Published, answer: &Answer) -> Figure {
    let found = &answer.found;
    if found.smallest == u32::MAX {
        return Figure::Nothing;
    }
    // What keeps the promise was in part settled without a search and is known by bounds only.
    let least = if found.smallest < file.k { "" } else { "at least " };
    let people = if found.smallest == 1 { "person" } else { "people" };
    let crowd = format!("crowds of {least}{} {people}", found.smallest);
    let ratio = |(value, share): (usize, &f64)| {
        let allowed = file.values.named[value].allowed;
        (if *share > 0.0 { share / allowed } else { 0.0 }, value)
    };
    let ratios = found.shares.iter().enumerate().map(ratio);
    let worst = ratios.max_by(|one, two| one.0.total_cmp(&two.0).then(two.1.cmp(&one.1)));
    Figure::Words(match worst {
        None => crowd,
        Some((_, value)) => {
            let named = &file.values.named[value];
            let most = if found.shares[value] > named.allowed { "" } else { "at most " };
            let share = rounded(found.shares[value]);
            let allowed = rounded(named.allowed);
            format!(
                "{crowd}, {most}a share of {share} with {} = `{}` ({allowed} allowed)",
                named.column, named.text
            )
        }
    })
}

fn violation(view: &SequencesView<'_>, file: &Published, how: &Break) -> SequencesViolation {
    let supporters = file.index().supporters(&how.known);
    let everybody = (0_u32..).zip(file.groups.of_person());
    let is_one = |group: &u32| supporters.binary_search(group).is_ok();
    let people = everybody.filter(|(_, group)| is_one(group)).map(|(person, _)| person).take(ROWS_NAMED);
    let found = match how.value {
        None => Figure::Count(how.people.into()),
        Some((value, count)) => {
            let named = &file.values.named[value as usize];
            let (share, allowed) = (rounded(share(count, how.people)), rounded(named.allowed));
            Figure::Words(format!("share {share} of {} = `{}`, {allowed} allowed", named.column, named.text))
        }
    };
    SequencesViolation {
        is_known: true,
        events: events(view, file, &how.known),
        size: how.people,
        found,
        rows: people.map(|person| number(view.rows_of(person as usize)[0] as usize)).collect(),
    }
}

fn events(view: &SequencesView<'_>, file: &Published, known: &[Step]) -> Vec<Vec<PublishedCell>> {
    let mut events: Vec<Vec<PublishedCell>> = Vec::new();
    for step in known {
        if step % 2 == 1 {
            events.push(Vec::new());
        }
        let column = view.events().quasi()[file.items.quasi(step / 2) as usize].name.clone();
        let cell = PublishedCell { column, text: file.items.text(step / 2).to_owned() };
        events.last_mut().expect("the first step begins an event").push(cell);
    }
    events
}

/// A share as people read it.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use shoal_core::{Bound, Limit, RawTable, Support};

    use super::super::tests::tree;
    use super::super::{BoundedKnowledge, SequencesModel};
    use super::*;

    /// What is found in a file of people with one event each: a place, a job and an illness.
    fn found(people: &[[&str; 3]], c: [f64; 3]) -> Outcome<SequencesViolation> {
        let row = |(at, [place, job, illness]): (usize, &[&str; 3])| {
            vec![at.to_string(), (*place).to_owned(), (*job).to_owned(), (*illness).to_owned()]
        };
        let rows: Vec<Vec<String>> = people.iter().enumerate().map(row).collect();
        let file = RawTable::from_rows(&["id", "place", "job", "illness"], &rows);
        let view = SequencesView::new(&file, "id", &["place"]).unwrap();
        let limits = [("job", "spy"), ("illness", "HIV"), ("illness", "gout")];
        let limits = limits.into_iter().zip(c).map(|((column, value), c)| Limit {
            column: column.to_owned(),
            values: Some(vec![value.to_owned()]),
            bound: Bound::Share(c),
        });
        let trees = vec![("place".to_owned(), tree(&["a *", "b *"]))];
        let model = BoundedKnowledge::new(2, 1, limits.collect(), trees, u64::MAX).unwrap();
        model.counting(Support::Paper).verify(&view).unwrap()
    }

    /// Three people of whom one is a spy and one has HIV, and a fourth who publishes nothing and is in no crowd.
    const PEOPLE: [[&str; 3]; 4] =
        [["a", "spy", "flu"], ["a", "cook", "HIV"], ["a", "cook", "flu"], ["*", "", "gout"]];

    #[test]
    fn the_value_nearest_to_its_bound_is_named_with_both() {
        let kept = found(&PEOPLE, [0.9, 0.5, 0.0]);
        let words =
            "crowds of at least 3 people, at most a share of 0.3333 with illness = `HIV` (0.5 allowed)";
        assert_eq!((kept.holds, kept.found), (true, Figure::Words(words.to_owned())));
    }

    #[test]
    fn the_value_farthest_above_its_bound_is_named_with_both() {
        let broken = found(&PEOPLE, [0.3, 0.25, 0.0]);
        let words = "crowds of at least 3 people, a share of 0.3333 with illness = `HIV` (0.25 allowed)";
        assert_eq!((broken.holds, broken.found), (false, Figure::Words(words.to_owned())));
    }
}
