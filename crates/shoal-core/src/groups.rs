//! The dictionary of a release of transactions: which number stands for which group.
//!
//! There is one dictionary for a set of groups, whoever makes it and from whatever: numbers count from 1 and follow the first members, members
//! follow the natural order of items. So a number says nothing that the groups themselves do not, neither how frequent a group is nor when an
//! algorithm formed it. What is not this one dictionary is refused when it is read.

use crate::dataset::natural_order;
use crate::items::{parse_group, render_group_number, render_item};

/// Groups of items, each as it is written out, `(a,b)`. The number of a group is its place, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    texts: Vec<String>,
}

/// Why rows of numbers and groups are not a dictionary. Rows count from 1, as numbers do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupsProblem {
    /// There is no group, and then there is no dictionary.
    #[error("it has no groups")]
    Empty,
    /// A number is not the next one.
    #[error("row {row} has the number `{found}` where {row} is due")]
    NotNumbered {
        /// The row.
        row: usize,
        /// What stands there.
        found: String,
    },
    /// A text is not a group, or is not written as groups are.
    #[error("`{text}` in row {row} is not a group as `(a,b)` is one")]
    NotAGroup {
        /// The row.
        row: usize,
        /// What stands there.
        text: String,
    },
    /// The members of a group are out of order, or one is there twice.
    #[error("the members of row {row} are not in order: `{member}` stands behind `{before}`")]
    Members {
        /// The row.
        row: usize,
        /// The member in the wrong place.
        member: String,
        /// The one before it.
        before: String,
    },
    /// Groups are out of order, or two begin with the same member.
    #[error("row {row} should stand before the one above it: groups follow their first members")]
    OutOfOrder {
        /// The row.
        row: usize,
    },
}

impl Groups {
    /// The dictionary of these groups, given by their members in ascending order, at least two each; no item is in two of them.
    ///
    /// ```
    /// use shoal_core::Groups;
    ///
    /// let groups = Groups::new(vec![vec!["tea", "wine"], vec!["beer", "milk"]]);
    /// assert_eq!(groups.iter().collect::<Vec<_>>(), ["(beer,milk)", "(tea,wine)"]);
    /// assert_eq!(groups.text("2"), Some("(tea,wine)"));
    /// ```
    pub fn new<S: AsRef<str>>(mut groups: Vec<Vec<S>>) -> Groups {
        let first = |members: &[S]| members[0].as_ref().to_owned();
        groups.sort_unstable_by(|a, b| natural_order(&first(a), &first(b)));
        Groups { texts: groups.iter().map(|members| render_item(members)).collect() }
    }

    /// The dictionary that these rows of number and group are, if they are one.
    pub fn from_rows<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Groups, GroupsProblem> {
        let mut texts = Vec::new();
        let mut before: Option<String> = None;
        for (row, (number, text)) in (1..).zip(rows) {
            // By its text: `01` is not how 1 is written here.
            if number != row.to_string() {
                return Err(GroupsProblem::NotNumbered { row, found: number.to_owned() });
            }
            let not_a_group = || GroupsProblem::NotAGroup { row, text: text.to_owned() };
            let members = parse_group(text).ok_or_else(not_a_group)?;
            // A quote that no member needs would make a second text for the same group.
            if render_item(&members) != text {
                return Err(not_a_group());
            }
            if let Some(pair) = members.windows(2).find(|pair| natural_order(&pair[0], &pair[1]).is_ge()) {
                let [before, member] = [&pair[0], &pair[1]].map(String::clone);
                return Err(GroupsProblem::Members { row, member, before });
            }
            let first = members.into_iter().next().unwrap_or_default();
            if before.is_some_and(|before| natural_order(&before, &first).is_ge()) {
                return Err(GroupsProblem::OutOfOrder { row });
            }
            before = Some(first);
            texts.push(text.to_owned());
        }
        if texts.is_empty() { Err(GroupsProblem::Empty) } else { Ok(Groups { texts }) }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The groups, written out, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// The group of a number, given by its digits; none where the dictionary has no number that is written so.
    pub fn text(&self, digits: &str) -> Option<&str> {
        let number: usize = digits.parse().ok()?;
        let text = self.texts.get(number.checked_sub(1)?)?;
        (number.to_string() == digits).then_some(text)
    }

    /// How the groups are written in transactions, with what each stands for.
    pub fn numbers(&self) -> impl Iterator<Item = (String, &str)> {
        (1..).zip(&self.texts).map(|(number, text)| (render_group_number(number), text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rows: &[(&str, &str)]) -> Result<Groups, String> {
        Groups::from_rows(rows.iter().copied()).map_err(|problem| problem.to_string())
    }

    #[test]
    fn there_is_one_dictionary_for_a_set_of_groups() {
        let groups = [vec!["10", "a"], vec!["9", "b,c"], vec!["\"", "(1,)"], vec!["c", "d"]];
        let expected = ["(9,\"b,c\")", "(10,a)", "(\"\"\"\",\"(1,)\")", "(c,d)"];
        for turn in 0..groups.len() {
            let mut turned = groups.to_vec();
            turned.rotate_left(turn);
            let found = Groups::new(turned);
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
            for (number, text) in (1..).zip(expected) {
                assert_eq!(found.text(&i32::to_string(&number)), Some(text));
            }
            let numbers: Vec<String> = (1..=4).map(|number: u32| number.to_string()).collect();
            let rows = numbers.iter().map(String::as_str).zip(expected);
            assert_eq!(Groups::from_rows(rows), Ok(found));
        }
        let groups = Groups::new(groups.to_vec());
        for digits in ["0", "5", "01", "+1", "", "99999999999999999999999"] {
            assert_eq!(groups.text(digits), None, "{digits}");
        }
    }

    #[test]
    fn anything_else_is_no_dictionary() {
        assert!(read(&[("1", "(a,b)"), ("2", "(c,d)")]).is_ok());
        for (rows, problem) in [
            (&[][..], "it has no groups"),
            (&[("0", "(a,b)")], "row 1 has the number `0` where 1 is due"),
            (&[("1", "(a,b)"), ("3", "(c,d)")], "row 2 has the number `3` where 2 is due"),
            (&[("01", "(a,b)")], "row 1 has the number `01` where 1 is due"),
            (&[("1", "a")], "`a` in row 1 is not a group as `(a,b)` is one"),
            (&[("1", "(a)")], "`(a)` in row 1 is not a group as `(a,b)` is one"),
            (&[("1", "(\"a\",b)")], "`(\"a\",b)` in row 1 is not a group as `(a,b)` is one"),
            (&[("1", "(7,)")], "`(7,)` in row 1 is not a group as `(a,b)` is one"),
            (&[("1", "(b,a)")], "the members of row 1 are not in order: `a` stands behind `b`"),
            (&[("1", "(a,a)")], "the members of row 1 are not in order: `a` stands behind `a`"),
            (
                &[("1", "(c,d)"), ("2", "(a,b)")],
                "row 2 should stand before the one above it: groups follow their first members",
            ),
            (
                &[("1", "(a,b)"), ("2", "(a,b)")],
                "row 2 should stand before the one above it: groups follow their first members",
            ),
        ] {
            assert_eq!(read(rows).unwrap_err(), problem);
        }
    }
}
