//! Published transactions that have the numbers of groups, read with the dictionary of these numbers.
//!
//! Everything that looks at a release sees it written out, so that both forms of the same groups are judged alike. What a dictionary could
//! say beyond that is refused here: a group that no transaction holds, a number that means nothing, a group that is sometimes a number and
//! sometimes written out, which a reader of the file could tell apart.

use shoal_core::{Groups, Hierarchy, Transactions, parse_group, parse_group_number};

use super::meaning::first_row;
use crate::{Refusal, Unverifiable};

/// How a dictionary and the transactions beside it contradict each other. Rows count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupsError {
    /// A number that the dictionary does not have.
    #[error(
        "published row {row}: `{text}` is the number of no group: the dictionary has the numbers 1 to {groups}"
    )]
    Undefined {
        /// The first published transaction with this number.
        row: u64,
        /// The number as it is published.
        text: String,
        /// How many groups there are.
        groups: usize,
    },
    /// A group that no transaction holds. It says what has not been seen, and no promise is about it.
    #[error(
        "group {number} of the dictionary is in no published transaction ({unused} of {groups} groups are in none)"
    )]
    Unused {
        /// The first such group.
        number: usize,
        /// How many there are.
        unused: usize,
        /// How many groups the dictionary has.
        groups: usize,
    },
    /// A group is written out beside others that are numbers.
    #[error(
        "published row {row}: `{text}` is written out, and other groups of the file are numbers of its dictionary"
    )]
    WrittenOut {
        /// The first published transaction with this group.
        row: u64,
        /// The group.
        text: String,
    },
    /// A text of the file says the same as a number.
    #[error("a group of the dictionary is written like a node of the hierarchy that is published as well")]
    Twice,
    /// It is not the dictionary that was published with the file.
    #[error("the dictionary is not the one that the file was released with")]
    NotTheReleased,
}

impl GroupsError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        "file and dictionary are one release: take both from there, and change neither"
    }
}

/// Transactions of a published file with every group written out. `groups` is the dictionary beside the file, where there is one. A node of the
/// hierarchy is its own label, however that is written.
///
/// ```
/// use shoal_core::{Groups, Transactions};
/// use shoal_privacy::written_out;
///
/// let groups = Groups::new(vec![vec!["cream", "milk"]]);
/// let file = || Transactions::from_texts(&[vec!["(1,)", "tea"], vec!["(1,)"]]);
/// let read = written_out(file(), Some(&groups), None)?;
/// assert_eq!(read, Transactions::from_texts(&[vec!["(cream,milk)", "tea"], vec!["(cream,milk)"]]));
/// // Without the dictionary nobody knows what it says.
/// assert!(written_out(file(), None, None).is_err());
/// # Ok::<(), shoal_privacy::Refusal>(())
/// ```
pub fn written_out(
    published: Transactions,
    groups: Option<&Groups>,
    hierarchy: Option<&Hierarchy>,
) -> Result<Transactions, Refusal> {
    let is_node = |text: &str| hierarchy.is_some_and(|tree| tree.node(text).is_some());
    let number = |text| if is_node(text) { None } else { parse_group_number(text) };
    let Some(groups) = groups else {
        let first = published.items().iter().find(|text| number(text).is_some()).map(str::to_owned);
        return first.map_or(Ok(published), |text| Err(Unverifiable::NoDictionary { text }.into()));
    };
    let mut is_used = vec![false; groups.len()];
    let mut texts: Vec<&str> = Vec::with_capacity(published.items().len());
    for (code, text) in (0..).zip(published.items().iter()) {
        let row = || first_row(&published, code);
        match number(text) {
            Some(digits) => {
                let undefined =
                    || GroupsError::Undefined { row: row(), text: text.to_owned(), groups: groups.len() };
                texts.push(groups.text(digits).ok_or_else(undefined)?);
                // The dictionary has it, so that it is a number from 1 on.
                let place = digits.parse::<usize>().map_or(0, |number| number - 1);
                is_used[place] = true;
            }
            None if !is_node(text) && parse_group(text).is_some() => {
                return Err(GroupsError::WrittenOut { row: row(), text: text.to_owned() }.into());
            }
            None => texts.push(text),
        }
    }
    if let Some(first) = is_used.iter().position(|used| !used) {
        let unused = is_used.iter().filter(|used| !**used).count();
        return Err(GroupsError::Unused { number: first + 1, unused, groups: groups.len() }.into());
    }
    let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
    published.renamed(&texts).ok_or_else(|| GroupsError::Twice.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rows: &[Vec<&str>], groups: &[&[&str]]) -> Result<Transactions, String> {
        let tree = Hierarchy::from_rows(&[["a", "(5,)", "*"], ["c", "(e,f)", "*"]].map(Vec::from)).unwrap();
        let groups = Groups::new(groups.iter().map(|members| members.to_vec()).collect());
        written_out(Transactions::from_texts(rows), Some(&groups), Some(&tree))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_become_groups() {
        let found =
            read(&[vec!["(1,)", "x"], vec![], vec!["(2,)", "\"(1,)\"", "(5,)"]], &[&["p", "q"], &["r", "s"]]);
        let expected = [vec!["(p,q)", "x"], vec![], vec!["(r,s)", "\"(1,)\"", "(5,)"]];
        assert_eq!(found.unwrap(), Transactions::from_texts(&expected));
    }

    #[test]
    fn a_dictionary_and_its_file_say_the_same() {
        let two: &[&[&str]] = &[&["p", "q"], &["r", "s"]];
        for (rows, groups, problem) in [
            (
                vec![vec![], vec!["(1,)", "(2,)", "(3,)"]],
                two,
                "published row 2: `(3,)` is the number of no group: the dictionary has the numbers 1 to 2",
            ),
            (
                vec![vec!["(1,)", "(2,)"], vec!["(01,)"]],
                two,
                "published row 2: `(01,)` is the number of no group: the dictionary has the numbers 1 to 2",
            ),
            (
                vec![vec!["(2,)"]],
                two,
                "group 1 of the dictionary is in no published transaction (1 of 2 groups are in none)",
            ),
            (
                vec![vec!["p"]],
                two,
                "group 1 of the dictionary is in no published transaction (2 of 2 groups are in none)",
            ),
            (
                // To whoever counts meanings the two are one; to a reader of the file they are not.
                vec![vec!["(1,)", "(2,)"], vec!["(p,q)"]],
                two,
                "published row 2: `(p,q)` is written out, and other groups of the file are numbers of its dictionary",
            ),
            (
                vec![vec!["(1,)"], vec!["(e,f)"]],
                &[&["e", "f"]],
                "a group of the dictionary is written like a node of the hierarchy that is published as well",
            ),
        ] {
            assert_eq!(read(&rows, groups).unwrap_err(), problem);
        }
    }

    #[test]
    fn numbers_need_a_dictionary_and_other_texts_do_not() {
        let read = |text: &str| written_out(Transactions::from_texts(&[vec![text]]), None, None);
        assert!(
            matches!(read("(7,)"), Err(Refusal::Unverifiable(Unverifiable::NoDictionary { text })) if text == "(7,)")
        );
        for text in ["\"(7,)\"", "(7)", "(a,b)", "7", "(7,\"\")"] {
            assert_eq!(read(text), Ok(Transactions::from_texts(&[vec![text]])));
        }
    }
}
