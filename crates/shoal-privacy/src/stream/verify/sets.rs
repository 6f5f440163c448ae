use std::borrow::Cow;

use shoal_core::SameValue;
use shoal_core::stream::StreamLine;

use crate::stream::possible::PossibleSets;

use super::{Answer, Broken, Figure, Form, LineViolation, Promise, in_order, least};

/// Every line has at least l distinct values, in ascending order: any other order could say which is the true one. Where
/// the design is known, they are values of its domain that it draws together, in the stratum that the line shows; and where
/// lines carry strata, they carry no other quasi-identifier.
pub(super) fn verify<'a>(
    form: &mut Form,
    quasi: &[bool],
    l: usize,
    possible: Option<&PossibleSets>,
    lines: impl Iterator<Item = (u64, StreamLine<'a>)>,
) -> Vec<Answer<LineViolation>> {
    let (mut few, mut disordered, mut alien) = (Broken::default(), Broken::default(), Broken::default());
    let mut fewest = None;
    for (line, content) in lines {
        form.lines += 1;
        let StreamLine::Set { cells, values } = content else {
            form.alien(line);
            continue;
        };
        form.show(line, cells.len(), quasi);
        if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
            disordered.note(line, || format!("`{}` comes after `{}`", pair[1], pair[0]));
        }
        if let Some(why) = possible.and_then(|possible| problem(possible, quasi, &cells, &values)) {
            alien.note(line, || why);
        }
        // What looks alike is one value to whoever reads the line.
        let mut values: Vec<SameValue> = values.iter().map(|value| SameValue::from_text(value)).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() < l {
            few.note(line, || format!("{} distinct values", values.len()));
        }
        fewest = Some(fewest.map_or(values.len(), |least: usize| least.min(values.len())));
    }
    let mut answers =
        vec![few.answer(Promise::LDiversity { l: l as u64 }, |_| least(fewest)), in_order(disordered)];
    if possible.is_some() {
        answers.push(alien.answer(Promise::SetsOfTheDesign, |lines| match lines {
            0 => Figure::Words("all".to_owned()),
            lines => Figure::Words(format!("all but {lines}")),
        }));
    }
    answers
}

fn problem(
    possible: &PossibleSets,
    quasi: &[bool],
    cells: &[Cow<'_, str>],
    values: &[Cow<'_, str>],
) -> Option<String> {
    let design = possible.design();
    let in_strata = |at: usize| design.strata().columns().iter().any(|column| column.cell == at);
    let finer = design.shows_strata()
        && cells
            .iter()
            .zip(quasi)
            .enumerate()
            .any(|(at, (cell, quasi))| *quasi && !in_strata(at) && cell != "*");
    if finer {
        return Some("it shows a quasi-identifier that is not among the strata".to_owned());
    }
    possible.problem(cells, values)
}
