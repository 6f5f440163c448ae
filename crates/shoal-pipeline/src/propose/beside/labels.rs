//! Groups whose labels are not true of what is in them.

use shoal_core::Hierarchy;

/// The first number that lies outside the range that the label of a group above it names, and that label. A release with such a
/// hierarchy says of people what is not so, and no verifier can notice, since a label means what the hierarchy says.
pub(super) fn untrue(tree: &Hierarchy, values: &[String]) -> Option<(String, String)> {
    values.iter().find_map(|value| {
        let number: f64 = value.parse().ok()?;
        let leaf = tree.leaf_node(tree.leaf(value)?);
        let mut groups =
            std::iter::successors(tree.parent(leaf), |&node| tree.parent(node)).map(|node| tree.label(node));
        let group = groups.find(|label| ends(label).is_some_and(|(lo, hi)| !(lo..=hi).contains(&number)))?;
        Some((value.clone(), group.to_owned()))
    })
}

/// The ends of `20-29`, `20,29`, `[20, 29]`, `[20, 30)`.
fn ends(label: &str) -> Option<(f64, f64)> {
    let inner = label.trim_matches(['[', ']', '(', ')']);
    // A minus in front is a sign.
    let dash = || {
        inner
            .char_indices()
            .skip(1)
            .find(|(_, c)| matches!(c, '-' | '–'))
            .map(|(at, c)| (&inner[..at], &inner[at + c.len_utf8()..]))
    };
    let (lo, hi) = inner.split_once(',').or_else(dash)?;
    let (lo, hi) = (lo.trim().parse().ok()?, hi.trim().parse().ok()?);
    (lo <= hi).then_some((lo, hi))
}

#[cfg(test)]
mod tests {
    use shoal_core::hierarchy::from_text;

    use super::*;

    #[test]
    fn numbers_outside_the_label_are_found() {
        let untrue_in = |text: &str| {
            let tree = from_text(text).unwrap();
            let values: Vec<String> = tree.rows().into_iter().map(|row| row[0].clone()).collect();
            untrue(&tree, &values)
        };
        // The ages of ARX's Adult: its groups are one too low.
        assert_eq!(untrue_in("4;0-4;*\n5;0-4;*\n"), Some(("5".to_owned(), "0-4".to_owned())));
        assert_eq!(untrue_in("4;\"[0, 4]\";*\n5;\"[5, 9]\";*\n"), None);
        assert_eq!(untrue_in("-3;-4,-1;*\n7;5 – 9;*\nx;0-4;y\n".replace(";y", ";*").as_str()), None);
        assert_eq!(untrue_in("-9;-4--1;*\n"), Some(("-9".to_owned(), "-4--1".to_owned())));
        assert_eq!(untrue_in("53715;5371*;*\n7;2024-01;*\n8;a-b;*\n"), None, "no ranges");
    }
}
