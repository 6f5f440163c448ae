//! A release that keeps every promise by saying nothing.

use shoal_core::{Hierarchy, RawColumn, Transactions};

/// From this share of lost information on nothing is left to use. Not 1, since sums of many small parts need not reach it.
const TOTAL: f64 = 0.999_999;

/// Whether a release that keeps its promises is refused because it is worthless: all information is lost, or the file says
/// nothing. The two are not the same: a column with one value loses nothing by a `*`.
///
/// Not where random choices come from a secret key (`transparent`): a publisher who repeats the run until something is left
/// chooses among keys, and the choice depends on sensitive values.
pub fn is_refused(loss: f64, says_nothing: bool, transparent: bool) -> bool {
    (loss >= TOTAL || says_nothing) && !transparent
}

/// Whether every quasi-identifier of a file, each with its hierarchy, is `*` in all rows, or what stands above all others
/// in its hierarchy. A file without rows says nothing either, which is said elsewhere.
pub fn columns_say_nothing(quasi: &[(&RawColumn, Option<&Hierarchy>)]) -> bool {
    let says_nothing = |(column, tree): &(&RawColumn, Option<&Hierarchy>)| {
        let is_root = |label: &str| tree.is_some_and(|tree| tree.label(tree.root()) == label);
        column.labels.iter().all(|label| label == "*" || is_root(label))
    };
    quasi.iter().any(|(column, _)| !column.codes.is_empty()) && quasi.iter().all(says_nothing)
}

/// Whether no transaction has an item any more.
pub fn items_say_nothing(published: &Transactions) -> bool {
    !published.is_empty() && published.iter().all(<[u32]>::is_empty)
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    #[test]
    fn a_star_and_a_root_say_nothing_and_one_value_says_something() {
        let tree = Hierarchy::from_rows(&[vec!["a", "all"], vec!["b", "all"]]).unwrap();
        let says_nothing = |rows: &[[&str; 2]]| {
            let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
            let file = RawTable::from_rows(&["x", "y"], &rows);
            columns_say_nothing(&[(&file.columns[0], Some(&tree)), (&file.columns[1], None)])
        };
        assert!(says_nothing(&[["all", "*"], ["*", "*"]]));
        assert!(!says_nothing(&[["all", "*"], ["a", "*"]]));
        assert!(!says_nothing(&[["all", "all"]]), "without a hierarchy it is a value");
        assert!(!says_nothing(&[]) && !columns_say_nothing(&[]));
    }

    #[test]
    fn transactions_without_items_say_nothing() {
        assert!(items_say_nothing(&Transactions::from_texts::<&str>(&[vec![], vec![]])));
        assert!(!items_say_nothing(&Transactions::from_texts(&[vec![], vec!["a"]])));
        assert!(!items_say_nothing(&Transactions::from_texts::<&str>(&[])));
    }

    #[test]
    fn what_is_worthless_is_refused_unless_a_key_decides() {
        let is_refused = |loss, says_nothing| is_refused(loss, says_nothing, false);
        assert!(is_refused(1.0, false) && is_refused(1.0 - 1e-9, false) && is_refused(0.0, true));
        assert!(!is_refused(0.99, false));
        assert!(!super::is_refused(1.0, true, true));
    }
}
