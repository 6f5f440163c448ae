//! `--choose ALGORITHM,KEY=VALUE,…`: the settings of one cell, to be written into the policy.

use super::grid::{full_key, split};
use super::{Cell, CompareError};

/// Reads what a row of the results names itself by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice(pub Cell);

impl Choice {
    /// Reads `ribbon,k=10`.
    ///
    /// ```
    /// use shoal_pipeline::compare::Choice;
    ///
    /// let Choice(cell) = Choice::parse("ribbon,k=10").unwrap();
    /// assert_eq!(cell.overrides(), ["algorithm.name=ribbon", "privacy.k=10"]);
    /// ```
    pub fn parse(given: &str) -> Result<Choice, CompareError> {
        let not_understood = || CompareError::NotChosen { given: given.to_owned() };
        let parts = split(given);
        let (algorithm, settings) = parts.split_first().ok_or_else(not_understood)?;
        if algorithm.is_empty() || algorithm.contains('=') {
            return Err(not_understood());
        }
        let setting = |part: &String| {
            let (key, value) = part.split_once('=').ok_or_else(not_understood)?;
            Ok((full_key(key.trim())?, value.trim().to_owned()))
        };
        let settings = settings.iter().map(setting).collect::<Result<_, CompareError>>()?;
        Ok(Choice(Cell { algorithm: algorithm.clone(), settings }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_can_be_chosen_by_the_name_it_gives_itself() {
        for text in ["sbc", "ribbon,k=10", "ribbon,k=10,privacy.l-diversity={ kind = \"distinct\", l = 2 }"] {
            let Choice(cell) = Choice::parse(text).unwrap();
            assert_eq!(cell.choice(), text);
        }
        for bad in ["", "k=10", "sbc,10", "sbc,l=2"] {
            assert!(Choice::parse(bad).is_err(), "{bad}");
        }
    }
}
