//! A first policy for transactions: a line per transaction, a row per item, a column per item, or a column of lists.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use shoal_core::{Kind, MissingTexts, RawColumn, RawTable, Role, Transactions, TransactionsBuilder};
use shoal_io::ITEM_SEPARATOR;

use super::policy_text::{comment, key_name, string};
use super::{ColumnProposal, Source, propose_sequences};
use crate::transactions::one_hot;

/// What is known of transactions that nobody has described yet.
#[derive(Clone, Debug)]
pub struct BasketProposal {
    /// The data, as seen from the policy's folder.
    pub location: String,
    /// How they are written down.
    pub layout: ItemLayout,
    /// What separates two items or two values; none for sources without lines.
    pub separator: Option<char>,
    /// How many transactions were seen.
    pub transactions: usize,
    /// How many different items they hold.
    pub items: usize,
    /// The size of the largest one.
    pub largest: usize,
    /// How many items fewer than k transactions hold.
    pub rare: usize,
    /// The size of the crowd that is proposed.
    pub k: usize,
    /// How many items of a person somebody may know.
    pub m: usize,
}

/// Where the items are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemLayout {
    /// A line per transaction.
    Lines,
    /// A row per item.
    Rows {
        /// The column that says which transaction an item is in.
        id: String,
        /// The column of the items.
        item: String,
        /// The names of the columns where the file does not have them.
        names: Vec<String>,
    },
    /// A column per item.
    Columns {
        /// The columns that are no items.
        others: Vec<String>,
        /// The names of the columns where the file does not have them.
        names: Vec<String>,
    },
    /// A row per transaction, whose items are a list in one column.
    Lists {
        /// The column of the lists.
        items: String,
        /// The other columns.
        others: Vec<String>,
    },
}

impl ItemLayout {
    /// What a table with named columns seems to be: a column per item where nearly all columns hold marks only, else a row per
    /// item; none where it cannot be told which columns say whose an item is and what it is.
    pub fn of_table(sample: &RawTable) -> Option<ItemLayout> {
        let marks = sample
            .columns
            .iter()
            .filter(|column| one_hot::marks(column, &MissingTexts::default()).is_ok())
            .count();
        // One column may name the transactions, and a fifth of the rest may be something else about them. Two columns of marks
        // are the least that can be items of one transaction.
        if marks >= 2 && 5 * marks >= 4 * (sample.columns.len() - 1) {
            return Some(ItemLayout::columns(sample, Vec::new()));
        }
        let [id, item] = ItemLayout::id_and_item(sample)?;
        Some(ItemLayout::Rows { id, item, names: Vec::new() })
    }

    /// Which columns of a table say whose an item is, and what it is, as far as that can be told.
    pub fn id_and_item(sample: &RawTable) -> Option<[String; 2]> {
        if let [id, item] = &sample.columns[..] {
            return Some([id.name.clone(), item.name.clone()]);
        }
        let source = Source {
            location: String::new(),
            separator: None,
            header: true,
            rows: None,
            policy: String::new(),
        };
        // Who has events is who has items; what sequences would hide of an event is what a transaction holds.
        let proposal = propose_sequences(sample, source);
        let is_item = |column: &&ColumnProposal| column.role == Role::Sensitive && column.kind == Kind::Text;
        let item = proposal.columns.iter().find(is_item).map(|column| column.name.clone());
        proposal.events.and_then(|events| events.id).zip(item).map(|(id, item)| [id, item])
    }

    /// A table with a column per item: what holds something else than marks is no item.
    pub fn columns(sample: &RawTable, names: Vec<String>) -> ItemLayout {
        let is_other = |column: &&RawColumn| one_hot::marks(column, &MissingTexts::default()).is_err();
        let others = sample.columns.iter().filter(is_other).map(|column| column.name.clone()).collect();
        ItemLayout::Columns { others, names }
    }

    /// The transactions of a table in this layout; none where a column that it names is not there.
    pub fn transactions(&self, sample: &RawTable) -> Option<Transactions> {
        match self {
            ItemLayout::Lines => None,
            ItemLayout::Rows { id, item, .. } => Some(of_rows(sample.column(id)?, sample.column(item)?)),
            ItemLayout::Columns { others, .. } => {
                let is_item = |name: &str| !others.iter().any(|other| other == name);
                one_hot::read(sample, &MissingTexts::default(), is_item)
                    .ok()
                    .map(|(transactions, _)| transactions)
            }
            ItemLayout::Lists { items, .. } => Some(of_lists(sample.column(items)?)),
        }
    }
}

fn of_lists(lists: &RawColumn) -> Transactions {
    let mut builder = TransactionsBuilder::default();
    for &code in &lists.codes {
        let items = lists.labels.get(code).split(ITEM_SEPARATOR).filter(|item| !item.is_empty());
        items.for_each(|item| builder.item(item));
        builder.end();
    }
    builder.finish().0
}

fn of_rows(ids: &RawColumn, items: &RawColumn) -> Transactions {
    let mut transactions: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&id, &item) in ids.codes.iter().zip(&items.codes) {
        transactions.entry(id).or_default().push(item);
    }
    let mut builder = TransactionsBuilder::default();
    for held in transactions.values() {
        held.iter().for_each(|&item| builder.item(items.labels.get(item)));
        builder.end();
    }
    builder.finish().0
}

impl BasketProposal {
    /// Looks at transactions.
    pub fn of(
        data: &Transactions,
        location: String,
        layout: ItemLayout,
        separator: Option<char>,
    ) -> BasketProposal {
        // 5 is usual; in a very small file there should still be room for two crowds.
        let k = 5.min(data.len() / 2).max(2);
        let largest = data.iter().map(<[u32]>::len).max().unwrap_or_default();
        BasketProposal {
            location,
            layout,
            separator,
            transactions: data.len(),
            items: data.items().len(),
            largest,
            rare: rarer_than(data, k),
            k,
            m: largest.min(2),
        }
    }

    /// A person has chosen other figures.
    pub fn choose(&mut self, data: &Transactions, k: usize, m: usize) {
        (self.k, self.m, self.rare) = (k, m, rarer_than(data, k));
    }

    /// What a person has to say about a table of items.
    pub fn question(&self) -> Option<String> {
        match &self.layout {
            ItemLayout::Lines => None,
            ItemLayout::Rows { id, item, .. } => Some(format!(
                "is one `{id}` one transaction, and is `{item}` what it holds? Every other column is left out. Where a person has \
                 several transactions, a crowd of k of them can be one person: name the column that names people:  person = \"…\""
            )),
            ItemLayout::Columns { others, .. } => {
                let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
                let others = match others.as_slice() {
                    [] => "All columns are items".to_owned(),
                    some => format!("{} are no items and are left out", some.join(", ")),
                };
                Some(format!(
                    "is every row one person? {others}. Where a person has several rows, a crowd of k of them can be one person: name the \
                     column that names people:  person = \"…\""
                ))
            }
            ItemLayout::Lists { items, .. } => Some(format!(
                "is every row one person, and is `{items}` what somebody may know of it? Every other column is left out. Where a person \
                 has several rows, a crowd of k of them can be one person: name the column that names people:  person = \"…\""
            )),
        }
    }

    /// The published file.
    fn output(&self) -> &'static str {
        if matches!(self.layout, ItemLayout::Lines) { "published.txt" } else { "published.csv" }
    }

    /// The policy.
    pub fn to_toml(&self) -> String {
        let mut text =
            String::from("# A proposal by `shoal init`. Review it: what may others know about a person?\n\n");
        let _ = writeln!(text, "version = 1\n\n[data]\nshape = \"transactions\"");
        let _ = writeln!(text, "source = {}", string(&self.location));
        text.push_str(&self.layout_text());
        let _ = writeln!(
            text,
            "# seen: {} transactions, {} different items, at most {} in one",
            self.transactions, self.items, self.largest
        );
        match self.question() {
            Some(question) => text.push_str(&comment(&format!("QUESTION: {question}"))),
            None => text.push_str(
                "# A line says nothing about whose it is, so each is taken for another person's. Where one person has several,\n\
                 # a crowd of k lines can be one person: bring the data into the long form (format = \"long\", id and item) or into\n\
                 # a column of a table (items), and name the column that names people:  person = \"…\"\n",
            ),
        }
        if let ItemLayout::Columns { others, .. } | ItemLayout::Lists { others, .. } = &self.layout {
            for other in others {
                let _ = writeln!(text, "\n[columns.{}]\nrole = \"identifier\"", key_name(other));
            }
        }
        let m = self.m;
        let _ = writeln!(text, "\n[privacy]\nk = {}                      # the size of the crowd", self.k);
        let _ = writeln!(text, "m = {m}                      # how many items of a person somebody may know");
        let _ = writeln!(
            text,
            "# {} items are in fewer than {} transactions: each of them names people",
            self.rare, self.k
        );
        let _ = writeln!(
            text,
            "# instead of m:  complete = true,  constraints = \"file\" (a set of items per line),  share = 0.25"
        );
        let _ = writeln!(
            text,
            "\n# [utility]\n# constraints = \"file\"      # items that may be published as one, a set per line; for upcta and coat"
        );
        let _ = writeln!(text, "# max-suppressed = 0.15");
        let _ = writeln!(
            text,
            "\n[algorithm]\nname = \"pcta\"               # or upcta, coat (utility constraints), apriori (a hierarchy of items)"
        );
        let _ = writeln!(text, "seed = 0\n\n[output]\npath = \"{}\"\nreport = \"report/\"", self.output());
        text
    }

    fn layout_text(&self) -> String {
        let (format, names) = match &self.layout {
            ItemLayout::Lines => (
                "format = \"basket\"          # a line per transaction; \"long\" with id and item columns\n"
                    .to_owned(),
                &[][..],
            ),
            ItemLayout::Rows { id, item, names } => (
                format!(
                    "format = \"long\"            # a row per item\nid = {}\nitem = {}\n",
                    string(id),
                    string(item)
                ),
                names.as_slice(),
            ),
            ItemLayout::Columns { names, .. } => {
                ("format = \"one-hot\"         # a column per item\n".to_owned(), names.as_slice())
            }
            // Nothing stands between the items of a list.
            ItemLayout::Lists { items, .. } => {
                return format!("items = {}   # a column of lists\n", string(items));
            }
        };
        let names: Vec<String> = names.iter().map(|name| string(name)).collect();
        let header = match names.as_slice() {
            [] => String::new(),
            names => format!("header = false\nnames = [{}]\n", names.join(", ")),
        };
        let separator = self.separator.map_or_else(String::new, |separator| {
            format!("separator = {}\n", string(&separator.to_string()))
        });
        format!("{format}{separator}{header}")
    }
}

/// How many items fewer than k transactions hold.
fn rarer_than(data: &Transactions, k: usize) -> usize {
    data.supports().iter().filter(|&&support| (support as usize) < k).count()
}

#[cfg(test)]
mod tests {
    use shoal_core::PolicyDocument;

    use super::*;

    #[test]
    fn the_proposal_is_a_policy() {
        let data = Transactions::from_texts(&[vec!["a", "b"], vec!["a"], vec!["a", "c"], vec![]]);
        for (location, separator) in [("a.dat", ' '), ("odd \"name\".csv", '\t')] {
            let proposal = BasketProposal::of(&data, location.to_owned(), ItemLayout::Lines, Some(separator));
            assert_eq!((proposal.k, proposal.rare), (2, 2));
            let document = PolicyDocument::parse(&proposal.to_toml(), &[]).unwrap();
            assert_eq!(document.policy().data.source, location);
            assert_eq!(document.policy().data.separator(), separator.to_string());
        }
    }

    #[test]
    fn a_table_of_items_is_read_as_it_is_written() {
        let rows =
            [["1", "milk"], ["1", "rolls"], ["2", "milk"], ["1", "milk"]].map(|r| r.map(str::to_owned));
        let sample = RawTable::from_rows(&["id", "item"], &rows.map(Vec::from));
        let layout = ItemLayout::Rows { id: "id".into(), item: "item".into(), names: Vec::new() };
        let data = layout.transactions(&sample).unwrap();
        assert_eq!((data.len(), data.transaction(0).len(), data.items().len()), (2, 2, 2));

        let rows = [["7", "1", "no"], ["8", "0", "yes"], ["9", "", "x"]].map(|r| r.map(str::to_owned));
        let sample = RawTable::from_rows(&["nr", "milk", "[x]"], &rows.map(Vec::from));
        let layout = ItemLayout::columns(&sample, Vec::new());
        assert_eq!(layout, ItemLayout::Columns { others: vec!["nr".into()], names: Vec::new() });
        let data = layout.transactions(&sample).unwrap();
        assert_eq!(data.supports().len(), 2);
        let text = BasketProposal::of(&data, "x.csv".into(), layout, Some(',')).to_toml();
        PolicyDocument::parse(&text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    }

    #[test]
    fn the_layout_of_a_table_with_names_is_told_from_its_values() {
        let table = |names: &[&str], rows: &[&[&str]]| {
            let rows: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect();
            RawTable::from_rows(names, &rows)
        };
        let marks = table(&["nr", "milk", "beer"], &[&["7", "1", "0"], &["8", "", "yes"]]);
        assert!(
            matches!(ItemLayout::of_table(&marks), Some(ItemLayout::Columns { others, .. }) if others == ["nr"])
        );
        let rows = table(&["basket", "product"], &[&["7", "milk"], &["7", "beer"], &["8", "milk"]]);
        assert!(
            matches!(ItemLayout::of_table(&rows), Some(ItemLayout::Rows { id, item, .. }) if [&*id, &*item] == ["basket", "product"])
        );
        // Nothing says which of these is what.
        let neither = table(&["height", "width", "depth"], &[&["1.5", "2.5", "3.5"], &["4.5", "5.5", "6.5"]]);
        assert_eq!(ItemLayout::of_table(&neither), None);
    }

    #[test]
    fn lists_are_items_and_the_other_columns_are_left_out() {
        let rows = [["ann", "milk\u{1f}beer"], ["bob", ""], ["cy", "milk"], ["dee", "milk"]]
            .map(|r| r.map(str::to_owned));
        let sample = RawTable::from_rows(&["who", "basket"], &rows.map(Vec::from));
        let layout = ItemLayout::Lists { items: "basket".into(), others: vec!["who".into()] };
        let data = layout.transactions(&sample).unwrap();
        assert_eq!((data.len(), data.items().len()), (4, 2));
        let text = BasketProposal::of(&data, "x.parquet".into(), layout, None).to_toml();
        let document = PolicyDocument::parse(&text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!(document.policy().data.items.as_deref(), Some("basket"));
        assert!(!text.contains("separator"), "{text}");
    }
}
