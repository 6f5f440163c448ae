use std::borrow::Cow;

use shoal_core::canonical_text;
use shoal_core::stream::StreamLine;

use super::{Answer, Broken, Figure, Form, LineViolation, in_order, least};

/// Every line has at least l distinct values, in ascending order: any other order could say which is the true one.
pub(super) fn verify<'a>(
    form: &mut Form,
    quasi: &[bool],
    l: usize,
    lines: impl Iterator<Item = (u64, StreamLine<'a>)>,
) -> Vec<Answer<LineViolation>> {
    let (mut few, mut disordered) = (Broken::default(), Broken::default());
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
        // What looks alike is one value to whoever reads the line.
        let mut values: Vec<Cow<'_, str>> = values.iter().map(|value| canonical_text(value)).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() < l {
            few.note(line, || format!("{} distinct values", values.len()));
        }
        fewest = Some(fewest.map_or(values.len(), |least: usize| least.min(values.len())));
    }
    vec![few.answer("l-diversity", Figure::Count(l as u64), |_| least(fewest)), in_order(disordered)]
}
