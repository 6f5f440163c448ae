//! What every built hierarchy must keep, whatever the column holds.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::hierarchy::{from_text, to_text};
use crate::{BoundHierarchy, DateFormat, PublishedValue, ValueParser, fixture};

fn domain(kind: Kind, format: &str, values: &[String]) -> Domain {
    fixture::column(ValueParser::new(kind, DateFormat::new(format).unwrap()), values).domain
}

/// All values are leaves, every node is true of its leaves as a reader without the hierarchy sees it, every
/// level nests in the next, and the file says the same as the tree.
fn keeps_its_promises(domain: &Domain, built: &Built, labels_speak: bool) {
    let tree = &built.hierarchy;
    let bound = BoundHierarchy::new(&Arc::new(tree.clone()), domain).expect("every value is a leaf");
    for code in (0..domain.len() as u32).filter(|code| Some(*code) != domain.missing()) {
        let leaf = tree.leaf(domain.label(code)).expect("every value is a leaf");
        assert_eq!(bound.tree().label(bound.tree().ancestor(bound.leaf_of(code), 0)), domain.label(code));
        for level in 0..tree.level_count() {
            let node = tree.ancestor(leaf, level);
            assert!(tree.leaves_below(node).contains(&leaf));
            let above = tree.leaves_below(tree.ancestor(leaf, level + 1));
            let below = tree.leaves_below(node);
            assert!(above.start <= below.start && below.end <= above.end, "levels nest");
            if labels_speak {
                let label = tree.label(node);
                let published = PublishedValue::parse(label, domain, None).expect("labels are readable");
                assert!(published.covers(code, domain, None), "{label} {}", domain.label(code));
            }
        }
    }
    assert_eq!(tree.label(tree.root()), "*");
    assert_eq!(from_text(&to_text(tree, ';')).unwrap().rows(), tree.rows());
}

/// The leaves of the tree in the order of the column's values.
fn ascends(domain: &Domain, built: &Built) {
    let rows = built.hierarchy.rows();
    let positions = rows.iter().filter_map(|row| domain.parser().position(&row[0]));
    assert!(positions.collect::<Vec<_>>().is_sorted());
}

fn integers() -> impl Strategy<Value = Vec<String>> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (-200_i64..200).prop_map(|n| n.to_string()),
        (0_i64..200).prop_map(|n| format!("{n:04}")),
        (0_u32..62, any::<bool>()).prop_map(|(bits, below)| {
            let size = 1_i64 << bits;
            if below { -size } else { size }.to_string()
        }),
        Just("?".to_owned()),
    ];
    prop::collection::vec(number, 1..60)
}

/// Mostly columns that intervals can hold, some that they cannot.
fn decimals() -> impl Strategy<Value = Vec<String>> {
    let usual = prop_oneof![
        (-10_000_i64..10_000).prop_map(|n| format!("{}", n as f64 / 100.0)),
        (-1e6_f64..1e6).prop_map(|n| n.to_string()),
        (0_u32..1000, 0_i32..20).prop_map(|(n, e)| format!("{n}.0e-{e}")),
        Just("-0.0".to_owned()),
        Just("?".to_owned()),
    ];
    let any = any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}"));
    prop_oneof![4 => prop::collection::vec(usual, 1..60), 1 => prop::collection::vec(any, 1..20)]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof!["[0-9*.#ÄV]{0,6}", "[0-9]{5}", "[ -~é]{0,12}", "1[*_#]{0,3}"], 1..40)
}

fn moments() -> impl Strategy<Value = Vec<jiff::civil::DateTime>> {
    let near = -40_000_i64..40_000;
    let far = -4_300_000_i64..2_900_000;
    let moment = (prop_oneof![near, far], 0_i64..86_400).prop_map(|(day, second)| {
        let epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
        epoch + jiff::Span::new().days(day).seconds(second)
    });
    prop::collection::vec(moment, 1..40)
}

proptest! {
    #[test]
    fn default_hierarchies_of_whole_numbers(values in integers()) {
        let domain = domain(Kind::Integer, "%Y-%m-%d", &values);
        let built = default_for(&domain).unwrap();
        keeps_its_promises(&domain, &built, true);
        ascends(&domain, &built);
    }

    #[test]
    fn default_hierarchies_of_decimals(values in decimals()) {
        let domain = domain(Kind::Decimal, "%Y-%m-%d", &values);
        let built = default_for(&domain).unwrap();
        keeps_its_promises(&domain, &built, true);
        ascends(&domain, &built);
    }

    #[test]
    fn given_widths(
        values in decimals(),
        first in 1_i64..100_000,
        factors in prop::collection::vec(2_i64..20, 0..4),
        digits in 0_u32..4,
        origin in -1000_i64..1000,
    ) {
        let domain = domain(Kind::Decimal, "%Y-%m-%d", &values);
        let widths = factors.iter().scan(first, |width, factor| { *width *= factor; Some(*width) });
        let widths = widths.map(|width| Number::new(width.into(), digits)).collect();
        let params = IntervalParams { widths: Some(widths), origin: origin.into() }.check().unwrap();
        match intervals(&domain, &params) {
            Ok(built) => {
                prop_assert_eq!(built.hierarchy.level_count(), factors.len() + 2);
                keeps_its_promises(&domain, &built, true);
            }
            Err(error) => {
                let expected = matches!(error, BuildError::Digits { .. } | BuildError::Empty);
                prop_assert!(expected, "{}", error);
            }
        }
    }

    #[test]
    fn prefixes_of_any_texts(values in texts(), keep in prop::collection::btree_set(1_usize..9, 0..4)) {
        let domain = domain(Kind::Text, "%Y-%m-%d", &values);
        let keep: Vec<usize> = keep.into_iter().rev().collect();
        for keep in [None, Some(keep)] {
            let built = prefixes(&domain, &PrefixParams { keep }.check().unwrap());
            // The top of all hierarchies cannot be one of several values, and a column may have none.
            let distinct: std::collections::BTreeSet<&String> = values.iter().filter(|v| *v != "?").collect();
            let starred = distinct.len() > 1 && values.iter().any(|v| v == "*");
            if distinct.is_empty() || starred {
                prop_assert!(built.is_err());
            } else {
                let built = built.unwrap();
                keeps_its_promises(&domain, &built, false);
                prop_assert!(built.hierarchy.rows().is_sorted_by(|a, b| a[0] <= b[0]));
            }
        }
    }

    #[test]
    fn a_prefix_stands_for_those_that_begin_with_it(values in prop::collection::vec("[0-9]{1,5}", 1..40)) {
        let domain = domain(Kind::Text, "%Y-%m-%d", &values);
        let tree = prefixes(&domain, &ValidPrefixParams::default()).unwrap().hierarchy;
        for row in tree.rows() {
            for group in row[1..].iter().filter(|label| label.contains('*')) {
                let prefix = group.trim_end_matches('*');
                let below = tree.leaves_below(tree.node(group).unwrap());
                for leaf in 0..tree.leaf_count() {
                    let begins = tree.label(tree.leaf_node(leaf)).starts_with(prefix);
                    prop_assert_eq!(below.contains(&leaf), begins, "{} {}", group, leaf);
                }
            }
        }
    }

    #[test]
    fn default_hierarchies_of_dates(
        moments in moments(),
        format in prop::sample::select(&[
            "%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%m/%d/%y", "%Y-%m-%d %H:%M:%S", "%m/%d/%Y %I:%M %p", "%b %d, %Y",
        ]),
    ) {
        let notation = DateFormat::new(format).unwrap();
        let texts: Vec<String> = moments.iter().map(|&at| notation.write_time(at)).collect();
        let texts: Vec<String> = texts.into_iter().filter(|text| notation.seconds(text).is_some()).collect();
        prop_assume!(!texts.is_empty());
        let domain = domain(Kind::Date, format, &texts);
        let built = default_for(&domain).unwrap();
        keeps_its_promises(&domain, &built, true);
        ascends(&domain, &built);
        let all = DateParams { steps: Some(DateStep::ALL.to_vec()) }.check().unwrap();
        match dates(&domain, &all) {
            Ok(built) => keeps_its_promises(&domain, &built, true),
            Err(error) => {
                let expected = matches!(error, BuildError::Unwritable { .. });
                prop_assert!(expected, "{}", error);
            }
        }
    }
}
