//! Errors as a log may keep them: with places and names of columns, and without values of the data.
//!
//! A person at the terminal needs the value to find it. What goes into files and logs is read by others, so there only the
//! place is named.

use shoal_io::WriteError;

use crate::PipelineError;

impl PipelineError {
    /// The message without any value of the data.
    pub fn without_values(&self) -> String {
        match self {
            PipelineError::NotOfKind { at, kind } => {
                format!("{at}: a value in column `{}` is not of the kind {kind}", at.column)
            }
            PipelineError::LooksGeneralized { at } => {
                format!("{at}: a value in column `{}` looks like a published generalization", at.column)
            }
            PipelineError::PersonalK { at } => {
                format!("{at}: a value in column `{}` is not the size of a crowd", at.column)
            }
            PipelineError::OutsideHierarchy { at, file } => {
                format!("{at}: a value in column `{}` is not in the hierarchy `{}`", at.column, file)
            }
            PipelineError::NotAMark { at } => {
                format!("{at}: a value in column `{}` does not say whether the item is there", at.column)
            }
            PipelineError::TwoPeople { at, .. } => {
                format!("{at}: a transaction belongs to two people by column `{}`", at.column)
            }
            PipelineError::NoPlaceInOrder { file, record, column, .. } => {
                format!("{file}: record {record} has no value in column `{column}`, which orders the events")
            }
            PipelineError::SameOrder(ties) => ties.in_words(false),
            // These quote items, values or cells of a release that was refused.
            PipelineError::Read(_)
            | PipelineError::Infeasible(_)
            | PipelineError::Utility { .. }
            | PipelineError::Unreachable { .. }
            | PipelineError::Transactions(_)
            | PipelineError::TransactionMeasure(_)
            | PipelineError::Sequences(_)
            | PipelineError::SequenceMeasure(_)
            | PipelineError::Measure(_)
            | PipelineError::Refused(_)
            | PipelineError::StreamLine { .. }
            | PipelineError::StreamMeasure(_)
            | PipelineError::NoSuchItem { .. } => without_quotes(&self.to_string()),
            // A server quotes values that it does not take.
            PipelineError::Write(error) if matches!(**error, WriteError::Postgres(_)) => {
                without_quotes(&self.to_string())
            }
            // The others are about files, keys and counts.
            _ => self.to_string(),
        }
    }
}

/// A message with everything left out that it quotes.
pub fn without_quotes(message: &str) -> String {
    let mut parts = message.split('`');
    let mut discreet = parts.next().unwrap_or_default().to_owned();
    while parts.next().is_some() {
        discreet.push_str("`…`");
        discreet.push_str(parts.next().unwrap_or_default());
    }
    discreet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_emptied() {
        assert_eq!(without_quotes("row 3: `HIV` of `Ann` is odd"), "row 3: `…` of `…` is odd");
        assert_eq!(without_quotes("nothing is quoted"), "nothing is quoted");
        assert_eq!(without_quotes("an open `quote"), "an open `…`");
    }
}
