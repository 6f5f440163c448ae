//! The verifiers of l-diversity, t-closeness, β-likeness and personal k against second ones that share no code
//! with them, on correct and on broken files.

mod file;
mod people;
mod release;
mod twin;

use proptest::prelude::*;
use shoal_core::{Likeness, Rule};
use shoal_privacy::Figure;

use file::{Column, ILLNESSES, NAMES, Table, VISITS, ZIPS, rules, tables, verdict};
use twin::answer;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_verifier_and_its_twin_say_the_same(
        table in tables(),
        asked in prop::collection::vec(rules(), 1..4),
    ) {
        agree(&table, &asked)?;
    }

    /// The file keeps its promises and does so only just, so that a broken cell matters as often as it can.
    #[test]
    fn one_broken_cell_is_noticed_exactly_when_it_matters(
        table in tables().prop_filter("a record", |table| !table.is_empty()),
        asked in prop::collection::vec(rules(), 1..4),
        row in any::<prop::sample::Index>(),
        column in 0..NAMES.len(),
        text in 0..10_usize,
    ) {
        let tight: Vec<(Column, Rule)> =
            asked.iter().filter_map(|&(column, rule)| Some((column, tight(&table, column, rule)?))).collect();
        prop_assume!(!tight.is_empty());
        prop_assert!(verdict(&table, &tight).holds());
        let mut broken = table.clone();
        let at = row.index(broken.len());
        let texts: [&[&str]; 3] = [&ZIPS, &ILLNESSES, &VISITS];
        broken[at][column] = texts[column][text % texts[column].len()].to_owned();
        agree(&broken, &tight)?;
    }

    #[test]
    fn the_order_of_rows_changes_nothing(
        table in tables(),
        asked in prop::collection::vec(rules(), 1..4),
        by in 0..16_usize,
    ) {
        let mut turned = table.clone();
        turned.rotate_left(by.min(table.len()));
        for (one, two) in verdict(&table, &asked).promises.iter().zip(&verdict(&turned, &asked).promises) {
            prop_assert_eq!(one.holds, two.holds);
            let difference = number(&one.found) - number(&two.found);
            prop_assert!(difference.is_nan() || difference.abs() < 1e-9);
        }
    }
}

/// Every promise is found as the twin finds it, under the name of its column, and broken ones name a class that is.
fn agree(table: &Table, asked: &[(Column, Rule)]) -> Result<(), TestCaseError> {
    let verdict = verdict(table, asked);
    prop_assert_eq!(verdict.promises.len(), asked.len());
    let mut broken = verdict.broken.iter();
    for (promise, &(column, rule)) in verdict.promises.iter().zip(asked) {
        prop_assert_eq!(promise.column.as_deref(), Some(NAMES[column as usize]));
        let Some(expected) = answer(table, column, rule) else {
            prop_assert!(promise.holds && promise.found == Figure::Nothing, "nothing is published");
            continue;
        };
        prop_assert_eq!(promise.holds, expected.holds, "{:?}: {:?}, twin {}", rule, promise, expected.found);
        let found = number(&promise.found);
        // Under enhanced likeness the value nearest to its bound is reported, not the one with the greatest gain.
        let is_same = match rule {
            Rule::Alike(Likeness::Enhanced(beta)) => {
                (found > beta + 1e-9) == (expected.found > beta + 1e-9) && found < expected.found + 1e-9
            }
            _ => found == expected.found || (found - expected.found).abs() < 1e-9 * (1.0 + found),
        };
        prop_assert!(is_same, "{:?}: found {}, twin {}", rule, found, expected.found);
        if !promise.holds {
            let named = broken.next().expect("a broken promise says where");
            prop_assert_eq!(&named.finding, promise);
            for violation in &named.violations.worst {
                let class: Table =
                    table.iter().filter(|row| row[0] == violation.cells[0].text).cloned().collect();
                prop_assert_eq!(class.len(), violation.size as usize);
                prop_assert!(violation.why.is_some());
            }
        }
    }
    prop_assert!(broken.next().is_none());
    Ok(())
}

/// The same rule with the strictest bound that the file keeps.
fn tight(table: &Table, column: Column, rule: Rule) -> Option<Rule> {
    let found = answer(table, column, rule)?.found;
    let tight = match rule {
        Rule::Distinct { .. } => Rule::Distinct { l: found as usize },
        Rule::Frequency { .. } => Rule::Frequency { l: (1.0 / found + 1e-9) as usize },
        Rule::Entropy { .. } => Rule::Entropy { l: found },
        Rule::Recursive { l, .. } => Rule::Recursive { l, c: found * (1.0 + 1e-8) },
        Rule::Close { distance, .. } => Rule::Close { t: found, distance },
        Rule::Alike(Likeness::Basic(_)) => Rule::Alike(Likeness::Basic(found)),
        Rule::Alike(Likeness::Enhanced(_)) => return answer(table, column, rule)?.holds.then_some(rule),
    };
    let promises_something = match tight {
        Rule::Distinct { l } | Rule::Frequency { l } => l > 1,
        Rule::Entropy { l } => l > 1.0 + 1e-6,
        Rule::Recursive { c, .. } => c.is_finite(),
        Rule::Close { .. } => true,
        Rule::Alike(likeness) => likeness.beta() > 1e-6,
    };
    promises_something.then_some(tight)
}

fn number(figure: &Figure) -> f64 {
    match figure {
        Figure::Count(count) => *count as f64,
        Figure::Number(number) => *number,
        Figure::Words(words) if words == "infinite" => f64::INFINITY,
        Figure::Words(_) | Figure::Nothing => f64::NAN,
    }
}
