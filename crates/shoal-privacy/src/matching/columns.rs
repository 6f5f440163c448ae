//! What a published text may stand for, column by column.

use std::collections::HashMap;

use rayon::prelude::*;
use shoal_core::{Column, PublishedValue, RawColumn, RawTable, Role, Table};

use crate::TableConservationError;
use crate::table::conservation::{pair_columns, read_texts};

/// A quasi-identifier of a published file beside the original: which texts are true of which values.
///
/// Values are compared by their *places*: the order of codes or, where the column has a hierarchy, the order of its leaves. In that
/// order a range, a node and `*` are stretches, so that most texts are two numbers instead of a bit for each value.
#[derive(Debug)]
pub(super) struct Quasi<'a> {
    /// The published codes.
    pub to: &'a RawColumn,
    /// The original codes.
    pub from: &'a Column,
    /// The place of each original code; `None` where places are codes.
    place_of: Option<Vec<u32>>,
    /// For each published text the places of which it is true.
    covered: Vec<Covered>,
}

/// Places of which a text is true.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Covered {
    /// From the first to before the second.
    Stretch(u32, u32),
    /// These, ascending, and not all between the first and the last of them.
    Places(Box<[u32]>),
}

impl Covered {
    pub(super) fn of(mut places: Vec<u32>) -> Covered {
        places.sort_unstable();
        places.dedup();
        match places[..] {
            [] => Covered::Stretch(0, 0),
            [first, .., last] if (last - first) as usize + 1 != places.len() => {
                Covered::Places(places.into())
            }
            [first, ..] => Covered::Stretch(first, first + places.len() as u32),
        }
    }

    pub(super) fn holds(&self, place: u32) -> bool {
        match self {
            Covered::Stretch(from, to) => (*from..*to).contains(&place),
            Covered::Places(places) => places.binary_search(&place).is_ok(),
        }
    }

    /// Whether any of them lies from here to before there.
    pub(super) fn touches(&self, from: u32, to: u32) -> bool {
        match self {
            Covered::Stretch(first, end) => from.max(*first) < to.min(*end),
            Covered::Places(places) => {
                places.get(places.partition_point(|&place| place < from)).is_some_and(|&place| place < to)
            }
        }
    }
}

impl<'a> Quasi<'a> {
    fn new(from: &'a Column, to: &'a RawColumn) -> Result<Quasi<'a>, TableConservationError> {
        let values = read_texts(from, to)?;
        let places = Places::of(from);
        let covered = values
            .par_iter()
            .enumerate()
            .map(|(text, value)| {
                let same_text = if to.null == Some(text as u32) {
                    &[][..]
                } else {
                    places.named(to.labels.get(text as u32))
                };
                places.covered(value, same_text)
            })
            .collect();
        Ok(Quasi { to, from, covered, place_of: places.place_of })
    }

    /// Whether a published text is true of an original value.
    pub(super) fn is_true(&self, text: u32, code: u32) -> bool {
        self.covered(text).holds(self.place(code))
    }

    /// The places of which a published text is true.
    pub(super) fn covered(&self, text: u32) -> &Covered {
        &self.covered[text as usize]
    }

    /// The place of an original value.
    pub(super) fn place(&self, code: u32) -> u32 {
        self.place_of.as_ref().map_or(code, |places| places[code as usize])
    }
}

/// The values of an original column in the order of their places.
struct Places<'a> {
    from: &'a Column,
    /// The leaves of the values in the order of places; empty without a hierarchy.
    leaves: Vec<u32>,
    place_of: Option<Vec<u32>>,
    /// The codes of each label. Two can have the same one: the missing value, and the empty text beside it.
    named: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Places<'a> {
    fn of(from: &'a Column) -> Places<'a> {
        let mut named: HashMap<&str, Vec<u32>> = HashMap::with_capacity(from.domain.len());
        for (code, label) in (0..).zip(from.domain.labels().iter()) {
            named.entry(label).or_default().push(code);
        }
        let Some(hierarchy) = &from.hierarchy else {
            return Places { from, leaves: Vec::new(), place_of: None, named };
        };
        let mut in_order: Vec<(u32, u32)> = hierarchy.leaves().iter().copied().zip(0..).collect();
        in_order.sort_unstable();
        let mut place_of = vec![0; in_order.len()];
        for (place, &(_, code)) in (0..).zip(&in_order) {
            place_of[code as usize] = place;
        }
        let leaves = in_order.into_iter().map(|(leaf, _)| leaf).collect();
        Places { from, leaves, place_of: Some(place_of), named }
    }

    /// The codes with this label.
    fn named(&self, label: &str) -> &[u32] {
        self.named.get(label).map_or(&[], Vec::as_slice)
    }

    /// Where a value is true, and where the label is that of the value, whatever else the text was taken for.
    fn covered(&self, value: &PublishedValue, same_text: &[u32]) -> Covered {
        let place = |&code: &u32| self.place_of.as_ref().map_or(code, |places| places[code as usize]);
        let covered = match value {
            PublishedValue::Exact(code) => Covered::of(vec![place(code)]),
            PublishedValue::Set(codes) => Covered::of(codes.iter().map(place).collect()),
            PublishedValue::Suppressed => Covered::Stretch(0, self.from.domain.len() as u32),
            PublishedValue::Node(node) => {
                let below = self.from.hierarchy.as_ref().map_or(0..0, |h| h.tree().leaves_below(*node));
                let before = |leaf: u32| self.leaves.partition_point(|&own| own < leaf) as u32;
                Covered::Stretch(before(below.start), before(below.end))
            }
            PublishedValue::Range { lo, hi } => {
                // Positions ascend with the codes, and the missing value, which comes last, has none.
                let positions = self.from.domain.positions();
                let first = positions.partition_point(|at| at < lo) as u32;
                let end = positions.partition_point(|at| at <= hi) as u32;
                match &self.place_of {
                    None => Covered::Stretch(first, end.max(first)),
                    Some(_) => Covered::of((first..end).map(|code| place(&code)).collect()),
                }
            }
        };
        if same_text.iter().map(place).all(|place| covered.holds(place)) {
            return covered;
        }
        let held: Vec<u32> = match covered {
            Covered::Stretch(from, to) => (from..to).collect(),
            Covered::Places(places) => places.into_vec(),
        };
        Covered::of(held.into_iter().chain(same_text.iter().map(place)).collect())
    }
}

/// The columns of a published file beside the original's.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    pub quasi: Vec<Quasi<'a>>,
    /// Columns that are published as they were.
    pub untouched: Vec<Untouched>,
}

/// A column that is published as it was, in one set of codes for both sides.
#[derive(Debug)]
pub(super) struct Untouched {
    /// The code of each published record; a text that the original does not have is a code of nobody.
    pub to: Vec<u32>,
    /// The code of each original.
    pub from: Vec<u32>,
}

impl<'a> Pairs<'a> {
    /// Pairs all columns that may be published; a column of `pseudonyms` stands beside them.
    pub(super) fn new(
        original: &'a Table,
        published: &'a RawTable,
        pseudonyms: Option<&str>,
    ) -> Result<Pairs<'a>, TableConservationError> {
        let mut pairs = Pairs { quasi: Vec::new(), untouched: Vec::new() };
        for (from, to) in pair_columns(original, published, pseudonyms)? {
            match from.role {
                Role::QuasiIdentifier => pairs.quasi.push(Quasi::new(from, to)?),
                // Other roles are published as they are or, which `pair_columns` has seen to, not at all.
                Role::Sensitive | Role::Insensitive | Role::Identifier | Role::PersonalK => {
                    pairs.untouched.push(untouched(from, to));
                }
            }
        }
        Ok(pairs)
    }
}

fn untouched(from: &Column, to: &RawColumn) -> Untouched {
    let unknown = from.domain.len() as u32;
    // Where null is the missing value, the empty text can be a value beside it under the same label. A reader cannot tell
    // the two apart, so they are one value here.
    let twin = |code: u32| match from.domain.missing() {
        Some(missing) if code == missing => {
            (0..unknown).find(|&other| from.domain.label(other) == from.domain.label(missing)).unwrap_or(code)
        }
        _ => code,
    };
    let of_text = |text: u32| {
        let code = if to.null == Some(text) {
            from.domain.missing()
        } else {
            from.domain.code_of(to.labels.get(text))
        };
        code.map_or(unknown, twin)
    };
    let of_text: Vec<u32> = (0..to.labels.len() as u32).map(of_text).collect();
    let of_code: Vec<u32> = (0..unknown).map(twin).collect();
    Untouched {
        to: to.codes.iter().map(|&text| of_text[text as usize]).collect(),
        from: from.codes.iter().map(|&code| of_code[code as usize]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use shoal_core::{Hierarchy, Kind, Place, RawColumnBuilder};

    use super::*;

    /// The obvious way: every value is asked.
    fn asked(from: &Column, to: &RawColumn, text: u32, code: u32) -> bool {
        let value = &read_texts(from, to).unwrap()[text as usize];
        let same_text = to.null != Some(text) && to.labels.get(text) == from.domain.label(code);
        same_text || value.covers(code, &from.domain, from.hierarchy.as_ref())
    }

    /// A column as it is read; `None` is a null.
    fn raw(texts: &[Option<&str>]) -> RawColumn {
        let mut builder = RawColumnBuilder::new("c".to_owned());
        for text in texts {
            match text {
                Some(text) => builder.push(text, Place::default()),
                None => builder.push_null(Place::default()),
            }
        }
        builder.finish()
    }

    fn check(from: &Column, to: &RawColumn) -> Result<(), TestCaseError> {
        let quasi = Quasi::new(from, to).unwrap();
        for text in 0..to.labels.len() as u32 {
            let values = from.domain.len() as u32;
            let mut covered = vec![false; values as usize];
            for code in 0..values {
                let expected = asked(from, to, text, code);
                prop_assert_eq!(quasi.is_true(text, code), expected, "{} {}", text, code);
                covered[quasi.place(code) as usize] = expected;
            }
            for first in 0..values {
                for end in first..=values {
                    let any = covered[first as usize..end as usize].contains(&true);
                    prop_assert_eq!(
                        quasi.covered(text).touches(first, end),
                        any,
                        "{} {}..{}",
                        text,
                        first,
                        end
                    );
                }
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn numbers_agree_with_asking_every_value(
            values in proptest::collection::vec(0_u32..30, 1..20),
            ranges in proptest::collection::vec((0_u32..30, 0_u32..12), 1..6),
            missing in any::<bool>(),
        ) {
            let mut texts: Vec<String> = values.iter().map(u32::to_string).collect();
            // Two texts of one number.
            texts.push("7.0".to_owned());
            texts.extend(missing.then(|| "?".to_owned()));
            let given: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
            let from = Column::encode(&raw(&given), Role::QuasiIdentifier, Kind::Decimal, &["?".to_owned()]).unwrap();
            let published: Vec<String> = ranges.iter().map(|(lo, wide)| format!("[{lo}, {}]", lo + wide)).collect();
            let all: Vec<Option<&str>> =
                published.iter().map(|text| Some(text.as_str())).chain(given).chain([Some("*")]).collect();
            check(&from, &raw(&all))?;
        }

        #[test]
        fn names_and_trees_agree_with_asking_every_value(
            sets in proptest::collection::vec(proptest::collection::btree_set(0_usize..6, 1..6), 1..6),
            with_tree in any::<bool>(),
        ) {
            // The order of the leaves is not that of the names.
            let names = ["a", "b", "c", "d", "e", "f"];
            let lines = [["d", "DB"], ["b", "DB"], ["f", "FAC"], ["a", "FAC"], ["c", "FAC"], ["e", "E"]];
            let lines = lines.map(|[leaf, node]| vec![leaf, node, "*"]);
            let given: Vec<Option<&str>> = names.into_iter().map(Some).collect();
            let mut from = Column::encode(&raw(&given), Role::QuasiIdentifier, Kind::Text, &[]).unwrap();
            let mut all: Vec<String> = sets
                .iter()
                .map(|set| format!("{{{}}}", set.iter().map(|&name| names[name]).collect::<Vec<_>>().join(", ")))
                .collect();
            all.extend(names.map(str::to_owned));
            if with_tree {
                from = from.with_hierarchy(&Arc::new(Hierarchy::from_rows(&lines).unwrap())).unwrap();
                all.extend(["DB", "FAC", "E", "*"].map(str::to_owned));
            }
            check(&from, &raw(&all.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>()))?;
        }
    }

    #[test]
    fn a_null_and_the_empty_text_are_published_alike() {
        let given = raw(&[Some(""), None, Some("x")]);
        let from = Column::encode(&given, Role::QuasiIdentifier, Kind::Text, &[]).unwrap();
        check(&from, &raw(&[Some(""), Some("x"), Some("{\"\", x}")])).unwrap();
        check(&from, &raw(&[None, Some(""), Some("*")])).unwrap();
    }
}
