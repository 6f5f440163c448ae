use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use shoal_core::SameValue;
use shoal_core::stream::StreamLine;

use super::{Answer, Broken, Form, LineViolation, Promise, least};
use crate::stream::gate::{Fingerprint, is_suppressed};

/// The rows whose quasi-identifiers are the same.
struct Class {
    line: u64,
    cells: String,
    rows: usize,
    values: HashSet<Fingerprint, FixedState>,
}

/// Every class has at least k rows and l sensitive values at the end; suppressed rows are in none.
pub(super) fn verify<'a>(
    form: &mut Form,
    quasi: &[bool],
    k: usize,
    l: usize,
    lines: impl Iterator<Item = (u64, StreamLine<'a>)>,
) -> Vec<Answer<LineViolation>> {
    let mut classes: HashMap<Fingerprint, Class, FixedState> = HashMap::default();
    for (line, content) in lines {
        form.lines += 1;
        let StreamLine::Row { cells, value } = content else {
            form.alien(line);
            continue;
        };
        if !form.show(line, cells.len(), quasi) {
            continue;
        }
        if is_suppressed(&cells, &value) {
            form.suppressed += 1;
            continue;
        }
        let known = || cells.iter().zip(quasi).filter(|(_, quasi)| **quasi).map(|(cell, _)| &**cell);
        let class = classes.entry(Fingerprint::of(known())).or_insert_with(|| Class {
            line,
            cells: known().map(Cow::Borrowed).collect::<Vec<_>>().join("; "),
            rows: 0,
            values: HashSet::default(),
        });
        class.rows += 1;
        class.values.insert(Fingerprint::of([SameValue::from_text(&value).as_str()].into_iter()));
    }
    let mut classes: Vec<Class> = classes.into_values().collect();
    classes.sort_unstable_by_key(|class| class.line);
    let size = |class: &Class| class.rows;
    let values = |class: &Class| class.values.len();
    let mut answers = vec![each_at_least(&classes, Promise::KAnonymity { k: k as u32 }, "rows", k, size)];
    if l > 1 {
        answers.push(each_at_least(
            &classes,
            Promise::LDiversity { l: l as u64 },
            "sensitive values",
            l,
            values,
        ));
    }
    answers
}

fn each_at_least(
    classes: &[Class],
    promise: Promise,
    what: &str,
    asked: usize,
    found: impl Fn(&Class) -> usize,
) -> Answer<LineViolation> {
    let mut small = Broken::default();
    for class in classes.iter().filter(|class| found(class) < asked) {
        small.note(class.line, || format!("the class ({}) has {} {what}", class.cells, found(class)));
    }
    small.answer(promise, |_| least(classes.iter().map(found).min()))
}
