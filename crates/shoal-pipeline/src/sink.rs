use shoal_core::{Groups, Progress, RawTable, Transactions};
use shoal_io::{ColumnForm, Content, Finding, ReadError, WriteError};
use shoal_privacy::Staged;

use crate::Source;

/// Where a release goes. It takes the data twice: staged, where nobody sees them yet, and published, once the verifier has
/// read back what was staged.
pub trait Sink {
    /// What was staged.
    type Staged: StagedData;

    /// What errors call it.
    fn name(&self) -> String;

    /// Whether a column can be one of lists.
    fn holds_lists(&self) -> bool;

    /// Writes a table; `columns` are the forms of its columns in order.
    fn stage_table(
        &mut self,
        table: &RawTable,
        columns: &[ColumnForm],
        progress: &dyn Progress,
    ) -> Result<Self::Staged, WriteError>;

    /// Writes transactions a line each, their items separated by this character. A sink that always has columns keeps the
    /// default, which refuses.
    fn stage_baskets(
        &mut self,
        _published: &Transactions,
        _separator: char,
        _progress: &dyn Progress,
    ) -> Result<Self::Staged, WriteError> {
        Err(WriteError::NotABasketFile { path: self.name().into() })
    }

    /// Where a dictionary of groups would lie that is published with the data; none where nothing can lie beside them.
    fn place_of_groups(&self) -> Option<String> {
        None
    }

    /// Writes the dictionary of the groups whose numbers are in the data that are staged next. A sink without a place for it keeps the
    /// default, which refuses.
    fn stage_groups(&mut self, _groups: &Groups) -> Result<(), WriteError> {
        Err(WriteError::NoPlaceForGroups { path: self.name().into() })
    }
}

/// Staged data that can be read back as anybody would read them.
pub trait StagedData: Staged<Error = WriteError> {
    /// The data as a source.
    fn source(&self) -> Box<dyn Source + '_>;

    /// What is staged beside the data, such as metadata of a file. What has no container keeps the default.
    fn unjudged(&self, _content: Content, _progress: &dyn Progress) -> Result<Vec<Finding>, ReadError> {
        Ok(Vec::new())
    }
}
