use shoal_core::Progress;
use shoal_io::{BasketOptions, ReadError, ReadGroups, ReadTable, ReadTransactions};

/// Where records come from: a file, batches in memory, a query.
pub trait Source {
    /// What errors and reports call it.
    fn name(&self) -> String;

    /// Reads all records of a table.
    fn read_table(
        &mut self,
        wanted: &WantedColumns<'_>,
        progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError>;

    /// Reads transactions that are a line of items each. A source that always has columns keeps the default, which
    /// refuses: its transactions are a column of lists or rows of id and item.
    fn read_baskets(
        &mut self,
        _options: &BasketOptions,
        _progress: &dyn Progress,
    ) -> Result<ReadTransactions, ReadError> {
        Err(ReadError::NotLines { source_name: self.name() })
    }

    /// Reads the dictionary that says what the numbers of groups in published transactions stand for. A source beside which nothing can lie keeps
    /// the default: it has none.
    fn read_groups(&mut self, _progress: &dyn Progress) -> Result<Option<ReadGroups>, ReadError> {
        Ok(None)
    }
}

/// Which columns of a table are read.
#[derive(Clone, Copy)]
pub struct WantedColumns<'a> {
    /// Whether a column of this name is stored; the others are not looked at.
    pub keep: &'a dyn Fn(&str) -> bool,
    /// The column that may be one of lists.
    pub list: Option<&'a str>,
}

impl WantedColumns<'_> {
    /// All columns, none of them of lists.
    pub const ALL: WantedColumns<'static> = WantedColumns { keep: &|_| true, list: None };
}

/// A file, a glob or standard input.
impl Source for shoal_io::Source {
    fn name(&self) -> String {
        self.location.clone()
    }

    fn read_table(
        &mut self,
        wanted: &WantedColumns<'_>,
        progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError> {
        match wanted.list {
            Some(list) => shoal_io::read_table_with_list(self, wanted.keep, list, progress),
            None => shoal_io::read_table(self, wanted.keep, progress),
        }
    }

    fn read_baskets(
        &mut self,
        options: &BasketOptions,
        progress: &dyn Progress,
    ) -> Result<ReadTransactions, ReadError> {
        shoal_io::read_baskets(self, options, progress)
    }

    fn read_groups(&mut self, progress: &dyn Progress) -> Result<Option<ReadGroups>, ReadError> {
        shoal_io::read_groups(self, progress)
    }
}
