use super::{BuildError, Built, finish};

/// An even tree over items in the order given: every `fan_out` neighbours have one parent, labelled
/// `lowest..highest` after the first and the last item below it, up to a single root.
pub fn even_tree<S: AsRef<str>>(items: &[S], fan_out: usize) -> Result<Built, BuildError> {
    if items.is_empty() {
        return Err(BuildError::Empty);
    }
    if fan_out < 2 {
        return Err(BuildError::FanOut { fan_out });
    }
    let mut rows: Vec<Vec<String>> = items.iter().map(|item| vec![item.as_ref().to_owned()]).collect();
    let mut width = 1;
    // Chunks of the items themselves and not of the groups before: `width` is a power of `fan_out`, so they nest.
    while width < items.len() {
        width = width.saturating_mul(fan_out);
        for group in rows.chunks_mut(width) {
            // A group of one is the item itself.
            let [first, .., last] = group else { continue };
            let label = format!("{}..{}", first[0], last[0]);
            group.iter_mut().for_each(|row| row.push(label.clone()));
        }
    }
    finish(&rows, format!("an even tree of groups of {fan_out}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_have_one_parent() {
        let tree = even_tree(&["1", "2", "3", "4", "5"], 2).unwrap().hierarchy;
        assert_eq!(
            tree.rows(),
            [
                ["1", "1..2", "1..4", "1..5"],
                ["2", "1..2", "1..4", "1..5"],
                ["3", "3..4", "1..4", "1..5"],
                ["4", "3..4", "1..4", "1..5"],
                ["5", "1..5", "1..5", "1..5"],
            ]
        );
        assert_eq!(even_tree(&["a"], 5).unwrap().hierarchy.rows(), [["a"]]);
        assert_eq!(even_tree::<&str>(&[], 5).unwrap_err(), BuildError::Empty);
        assert_eq!(even_tree(&["a"], 1).unwrap_err(), BuildError::FanOut { fan_out: 1 });
    }
}
