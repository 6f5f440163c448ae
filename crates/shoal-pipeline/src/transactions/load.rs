//! From a source to transactions, whatever its layout.

use std::borrow::Cow;

use shoal_core::{Progress, RawColumn, RawTable, Transactions, TransactionsBuilder, Unseen, split_items};
use shoal_io::{BasketOptions, ITEM_SEPARATOR, original_items};
use shoal_privacy::{Digests, ItemTable, KnownAs, PublishedTransactions, Refusal, written_out};

use super::algorithm::hierarchy;
use super::layout::Layout;
use super::one_hot;
use super::person::{known_as, persons_of_ids, persons_of_rows, repeated_identifiers};
use super::tables::table_signs;
use crate::columns::{reordered, reordered_codes};
use crate::{Leak, PipelineError, ReleaseKey, Request, Source, WantedColumns};

/// What was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The transactions, with whose they are where the policy says so and it is an original.
    pub data: Transactions,
    /// The other columns of the table that the items are a column of, and the place of that column.
    pub rest: Option<(RawTable, usize)>,
    /// Whether the column of items is a list of Parquet and not a text.
    pub listed: bool,
    /// Items that occurred twice in one transaction.
    pub repeated: usize,
    /// Transactions without an item.
    pub empty: usize,
    /// What an original shows that the promise does not cover.
    pub leaks: Vec<Leak>,
    /// The columns of a published file that must not be there; or why the file must not be published as it is.
    /// None in an original, where columns that are not published are not read.
    pub withheld: Result<Vec<String>, Refusal>,
    /// SHA-256 of the stored bytes.
    pub sha256: String,
    /// SHA-256 of the dictionary that the groups of a published file were read with, where it has one.
    pub groups_sha256: Option<String>,
    /// By what an original's transactions are recognized in a later release, where it has a column that tells.
    pub known_as: Option<KnownAs>,
    /// For each transaction its number in the source, counted from 0, for `output.keep-order`.
    pub source_rows: Vec<u32>,
}

impl Loaded {
    /// Transactions of which nothing else is known yet, and the digest of the bytes that they were read from.
    fn of(data: Transactions, sha256: String) -> Loaded {
        Loaded {
            data,
            rest: None,
            listed: false,
            repeated: 0,
            empty: 0,
            leaks: Vec::new(),
            withheld: Ok(Vec::new()),
            sha256,
            groups_sha256: None,
            known_as: None,
            source_rows: Vec::new(),
        }
    }

    /// A published file, and what it is recognized by; a refusal where it must not be published as it is.
    pub(crate) fn into_published(self) -> Result<(PublishedTransactions, Digests), Refusal> {
        let (rest, withheld_columns) = (self.rest.map(|(rest, _)| rest), self.withheld?);
        let digests = Digests { data: self.sha256, groups: self.groups_sha256 };
        Ok((PublishedTransactions { data: self.data, rest, withheld_columns }, digests))
    }

    /// These transactions and no others.
    pub(crate) fn select(self, rows: &[u32]) -> Loaded {
        let known_as = self.known_as.map(|known| KnownAs {
            texts: rows.iter().map(|&row| known.texts[row as usize].clone()).collect(),
            ..known
        });
        let rest = self.rest.map(|(rest, place)| {
            let columns = rest.columns.iter().map(|column| reordered(column, rows)).collect();
            (RawTable { columns, rows: rows.len(), files: rest.files }, place)
        });
        let source_rows = rows.iter().map(|&row| self.source_rows[row as usize]).collect();
        Loaded { data: self.data.select(rows), rest, known_as, source_rows, ..self }
    }

    /// What a reader should know about the data, in sentences.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.repeated > 0 {
            notes.push(format!(
                "items that occurred twice in one transaction and count once: {}",
                self.repeated
            ));
        }
        if self.empty > 0 {
            notes.push(format!("transactions with no item, which are kept: {}", self.empty));
        }
        if let Some(persons) = self.data.persons() {
            let people: std::collections::HashSet<u32> = persons.iter().copied().collect();
            let (transactions, people) = (persons.len(), people.len());
            notes.push(format!(
                "promises and risks count people, not transactions: {transactions} transactions belong to {people} people; \
                 published transactions of one person are not linked, so each is taken for what somebody may know"
            ));
        }
        notes
    }
}

impl Loaded {
    /// Reads the numbers of groups in a published file by the dictionary beside it. From here on nobody has to know in which form the file is.
    fn write_groups_out(
        &mut self,
        request: &Request,
        source: &mut dyn Source,
        progress: &dyn Progress,
    ) -> Result<(), PipelineError> {
        let read = source.read_groups(&Unseen(progress))?;
        let data = std::mem::replace(&mut self.data, Transactions::from_texts::<&str>(&[]));
        self.data = written_out(data, read.as_ref().map(|read| &read.groups), hierarchy(request))?;
        self.groups_sha256 = read.map(|read| read.sha256);
        Ok(())
    }

    /// Puts the transactions into the order of what they say.
    fn order_by_content(&mut self, request: &Request, key: &ReleaseKey) {
        let rest = self.rest.as_ref().map(|(rest, _)| rest);
        self.source_rows = request.content_order(key).transactions(&self.data, rest);
        self.data = self.data.select(&self.source_rows);
        if let Some(known) = &mut self.known_as {
            known.texts = self.source_rows.iter().map(|&row| known.texts[row as usize].clone()).collect();
        }
        if let Some((table, _)) = &mut self.rest {
            for column in &mut table.columns {
                column.codes = reordered_codes(&column.codes, &self.source_rows);
            }
        }
    }
}

/// Which kind of text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// Those of an original: an item is an item.
    Original,
    /// Those of a published file: `(a,b)` is one published item.
    Published,
}

/// Reads a source in the layout of the policy. A source without transactions is an error.
pub(crate) fn load(
    request: &Request,
    key: &ReleaseKey,
    source: &mut dyn Source,
    text: Text,
    progress: &dyn Progress,
) -> Result<Loaded, PipelineError> {
    let layout = Layout::of(&request.policy().data);
    let layout = if text == Text::Published { layout.published() } else { layout };
    let mut loaded = match layout {
        Layout::Basket { separator } => {
            let options = BasketOptions { separator, grouped: text == Text::Published };
            let read = source.read_baskets(&options, progress)?;
            if text == Text::Original && request.policy().data.header() {
                refuse_table(request, &read.transactions, &source.name())?;
            }
            let (repeated, empty) = (read.repeated, read.empty);
            Loaded { repeated, empty, ..Loaded::of(read.transactions, read.sha256) }
        }
        Layout::OneHot { .. } => {
            let read = source.read_table(&WantedColumns::ALL, progress)?;
            one_hot::check_columns(request, &read.table)?;
            let (mut data, empty) =
                one_hot::read(&read.table, &request.policy().data.missing_texts(), |name| {
                    !request.policy().columns.contains_key(name)
                })?;
            if let Some(name) = &request.policy().data.person {
                let person = column(request, &read.table, name, "person")?;
                data = data.with_persons(persons_of_rows(request, &read.table, person)?);
            }
            let leaks = repeated_identifiers(request, &read.table, None, &[]);
            let known_as = known_as(request, &read.table, None);
            Loaded { empty, leaks, known_as, ..Loaded::of(data, read.sha256) }
        }
        Layout::Long { id, item } => {
            // Everything is read: a column that nobody asked for may name people, in a published file and in an original.
            let read = source.read_table(&WantedColumns::ALL, progress)?;
            let (ids, items) =
                (column(request, &read.table, id, "id")?, column(request, &read.table, item, "item")?);
            let (mut data, repeated, empty) = from_rows(request, ids, items, text);
            let mut leaks = Vec::new();
            if text == Text::Original {
                if let Some(name) = &request.policy().data.person {
                    let person = column(request, &read.table, name, "person")?;
                    // Ids have their codes in the order of their first rows, which is the order of the transactions.
                    data = data.with_persons(persons_of_ids(request, &read.table, ids, person)?);
                }
                leaks = repeated_identifiers(request, &read.table, Some(ids), &[id, item]);
            }
            let known_as = known_as(request, &read.table, Some(ids)).filter(|_| text == Text::Original);
            let withheld = withheld(request, &read.table, text);
            Loaded { repeated, empty, leaks, withheld, known_as, ..Loaded::of(data, read.sha256) }
        }
        Layout::Column { items, separator } => {
            // Identifiers are read as well: in an original they say whose a transaction is, in a published file they
            // must not be.
            let read =
                source.read_table(&WantedColumns { list: Some(items), ..WantedColumns::ALL }, progress)?;
            let cells = column(request, &read.table, items, "items")?;
            let cut =
                |label| if read.listed { elements(label, text) } else { pieces(label, separator, text) };
            let (mut data, repeated, empty) = from_cells(request, cells, cut);
            let mut leaks = Vec::new();
            if text == Text::Original {
                // For a published file the verifier checks this.
                check_rest(request, &read.table, items, &source.name())?;
                if let Some(name) = &request.policy().data.person {
                    let person = column(request, &read.table, name, "person")?;
                    data = data.with_persons(persons_of_rows(request, &read.table, person)?);
                }
                leaks = repeated_identifiers(request, &read.table, None, &[items]);
            }
            let known_as = known_as(request, &read.table, None).filter(|_| text == Text::Original);
            let withheld = withheld(request, &read.table, text);
            let mut rest = read.table;
            if text == Text::Original {
                rest.columns.retain(|c| c.name == items || request.is_read(&c.name));
            }
            let place = rest.columns.iter().position(|c| c.name == items).unwrap_or_default();
            rest.columns.remove(place);
            let (listed, rest) = (read.listed, Some((rest, place)));
            let loaded = Loaded::of(data, read.sha256);
            Loaded { rest, listed, repeated, empty, leaks, withheld, known_as, ..loaded }
        }
    };
    if text == Text::Original {
        let (data, repeated) = loaded.data.with_one_text_each();
        loaded.data = data;
        loaded.repeated += repeated;
    }
    if loaded.data.is_empty() {
        return Err(PipelineError::NoRecords { source_name: source.name() });
    }
    match text {
        Text::Original => loaded.order_by_content(request, key),
        // A published file is looked at as it is; its order is one of the things to look at.
        Text::Published => loaded.write_groups_out(request, source, progress)?,
    }
    Ok(loaded)
}

/// The transactions of a published file, and what it is recognized by.
pub(crate) fn read_published_data(
    request: &Request,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<(Transactions, Digests), PipelineError> {
    let read = load(request, &ReleaseKey::UNPUBLISHED, published, Text::Published, progress)?;
    Ok((read.data, Digests { data: read.sha256, groups: read.groups_sha256 }))
}

/// What anybody reads in published data, and what they are recognized by.
pub(crate) fn read_published(
    request: &Request,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<(PublishedTransactions, Digests), PipelineError> {
    Ok(load(request, &ReleaseKey::UNPUBLISHED, published, Text::Published, progress)?.into_published()?)
}

/// A table must not be read as baskets. Whoever knows better says `header = false`.
fn refuse_table(request: &Request, read: &Transactions, source: &str) -> Result<(), PipelineError> {
    let Some(signs) = table_signs(read) else { return Ok(()) };
    let message =
        format!("`{source}` looks like a table and not like a line of items per transaction: {signs}");
    let hint = "a row per item:  format = \"long\"  with  id = \"…\"  and  item = \"…\";  a column per item:  format = \"one-hot\";  all items of a record in one column:  items = \
                \"…\";  if every line is a transaction, the first one too:  header = false";
    Err(request.complain_of_data("data.format", message, hint.to_owned(), &[&signs]))
}

fn column<'a>(
    request: &Request,
    table: &'a RawTable,
    name: &str,
    key: &str,
) -> Result<&'a RawColumn, PipelineError> {
    table.column(name).ok_or_else(|| {
        let names: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
        let message = format!("the source has no column `{name}`");
        let hint = format!("of the columns that are read it has: {}", names.join(", "));
        request.complain_of_data(&format!("data.{key}"), message, hint, &[])
    })
}

/// What must not be in a published file beside its items.
fn withheld(request: &Request, table: &RawTable, text: Text) -> Result<Vec<String>, Refusal> {
    match (text, Layout::of(&request.policy().data)) {
        (Text::Original, _) | (_, Layout::Basket { .. } | Layout::OneHot { .. }) => Ok(Vec::new()),
        (Text::Published, Layout::Long { id, item }) => ItemTable::Long { id, item }.withheld(table),
        (Text::Published, Layout::Column { items, .. }) => {
            ItemTable::Column { items, roles: request.roles() }.withheld(table)
        }
    }
}

/// The other columns must be named in the policy: no column gets a role silently.
fn check_rest(request: &Request, table: &RawTable, items: &str, source: &str) -> Result<(), PipelineError> {
    let is_named = |name: &str| name == items || request.policy().columns.contains_key(name);
    match table.columns.iter().find(|c| !is_named(&c.name)) {
        None => Ok(()),
        Some(unnamed) => {
            let message = format!("column `{}` of `{source}` has no role", unnamed.name);
            let hint =
                format!("add  [columns.\"{}\"]  role = \"identifier\" or \"insensitive\"", unnamed.name);
            Err(request.complain_of_data("columns", message, hint, &[&unnamed.name]))
        }
    }
}

/// A row per item: transactions in the order of their first rows. A row without an item makes sure that its
/// transaction is there. In a published file that is an empty cell, whatever `data.missing` says of the original: an empty item is published as `""`.
fn from_rows(
    request: &Request,
    ids: &RawColumn,
    items: &RawColumn,
    text: Text,
) -> (Transactions, usize, usize) {
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); ids.labels.len()];
    let mut order = Vec::new();
    for (row, &id) in ids.codes.iter().enumerate() {
        let rows = &mut rows_of[id as usize];
        if rows.is_empty() {
            order.push(id);
        }
        rows.push(row as u32);
    }
    let absent = request.policy().data.missing_texts().codes(items);
    let mut builder = Builder::default();
    for id in order {
        for &row in &rows_of[id as usize] {
            let code = items.codes[row as usize];
            let item = items.labels.get(code);
            let is_none = absent[code as usize] || text == Text::Published && item.is_empty();
            if !is_none {
                builder.item(item);
            }
        }
        builder.end();
    }
    builder.finish()
}

fn from_cells<'a>(
    request: &Request,
    cells: &'a RawColumn,
    cut: impl Fn(&'a str) -> Vec<Cow<'a, str>>,
) -> (Transactions, usize, usize) {
    let missing = request.policy().data.missing_texts();
    let present = |mut pieces: Vec<Cow<'a, str>>| {
        pieces.retain(|piece| !missing.has(piece));
        pieces
    };
    let pieces_of: Vec<Vec<Cow<'_, str>>> = cells.labels.iter().map(cut).map(present).collect();
    let mut builder = Builder::default();
    for &code in &cells.codes {
        for piece in &pieces_of[code as usize] {
            builder.item(piece);
        }
        builder.end();
    }
    builder.finish()
}

/// The items of a cell of text. Those of an original are cut as those of a basket are: a parenthesis means nothing in them, and blanks around them go; in a published
/// file groups stay whole, and blanks are what a reader sees.
fn pieces(label: &str, separator: char, text: Text) -> Vec<Cow<'_, str>> {
    match text {
        Text::Original => {
            original_items(label, separator).map(trimmed).filter(|item| !item.is_empty()).collect()
        }
        Text::Published => {
            split_items(label, separator).filter(|item| !item.is_empty()).map(Cow::from).collect()
        }
    }
}

/// The items of a list. Its elements are whole whatever is in them: an item that begins with a parenthesis does not go on behind its end.
fn elements(label: &str, text: Text) -> Vec<Cow<'_, str>> {
    let trim = |element| if text == Text::Original { str::trim(element) } else { element };
    label.split(ITEM_SEPARATOR).map(trim).filter(|element| !element.is_empty()).map(Cow::from).collect()
}

fn trimmed(item: Cow<'_, str>) -> Cow<'_, str> {
    match item {
        Cow::Borrowed(item) => item.trim().into(),
        Cow::Owned(item) => item.trim().to_owned().into(),
    }
}

/// Counts empty transactions on the way.
#[derive(Default)]
struct Builder {
    inner: TransactionsBuilder,
    items: usize,
    empty: usize,
}

impl Builder {
    fn item(&mut self, text: &str) {
        self.inner.item(text);
        self.items += 1;
    }

    fn end(&mut self) {
        self.empty += usize::from(std::mem::take(&mut self.items) == 0);
        self.inner.end();
    }

    fn finish(self) -> (Transactions, usize, usize) {
        let (data, repeated) = self.inner.finish();
        (data, repeated, self.empty)
    }
}
