//! The columns of a published file of transactions: which may be there, and what its ids may say.

use shoal_core::{RawTable, Role};

use crate::pseudonyms::check_pseudonyms;
use crate::{Refusal, Unverifiable};

/// How transactions stand in a published table. Basket lines are none, and hold nothing but items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemTable<'a> {
    /// A row per item: the id of its transaction and the item, and no other column.
    Long {
        /// The column of the ids.
        id: &'a str,
        /// The column of the items.
        item: &'a str,
    },
    /// A cell per transaction, beside columns with these roles.
    Column {
        /// The column of the items.
        items: &'a str,
        /// The role of every other column of the policy.
        roles: Vec<(&'a str, Role)>,
    },
}

impl ItemTable<'_> {
    /// The columns of a file, all of which must be given, that must never be published.
    ///
    /// A column of which the policy says nothing, and one that is there twice, make a file that cannot be verified;
    /// ids that do not count from 1 make one that is refused, since a real id is a name.
    pub fn withheld(&self, published: &RawTable) -> Result<Vec<String>, Refusal> {
        let names: Vec<&str> = published.columns.iter().map(|column| column.name.as_str()).collect();
        if let Some(twice) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            return Err(Unverifiable::Twice { column: names[twice].to_owned() }.into());
        }
        let lacking = |name: &str| Unverifiable::Lacking { column: name.to_owned() };
        match self {
            ItemTable::Long { id, item } => {
                let ids = published.column(id).ok_or_else(|| lacking(id))?;
                published.column(item).ok_or_else(|| lacking(item))?;
                check_pseudonyms(ids)?;
                Ok(names.iter().filter(|name| *name != id && *name != item).map(|&n| n.to_owned()).collect())
            }
            ItemTable::Column { items, roles } => {
                published.column(items).ok_or_else(|| lacking(items))?;
                let mut withheld = Vec::new();
                for name in names.into_iter().filter(|name| name != items) {
                    match roles.iter().find(|(known, _)| *known == name) {
                        None => return Err(Unverifiable::Unknown { column: name.to_owned() }.into()),
                        Some((_, role)) if !role.is_published() => withheld.push(name.to_owned()),
                        Some(_) => {}
                    }
                }
                Ok(withheld)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Place, RawColumnBuilder};

    use super::*;

    fn table(columns: &[(&str, &[&str])]) -> RawTable {
        let column = |(name, cells): &(&str, &[&str])| {
            let mut column = RawColumnBuilder::new((*name).to_owned());
            cells.iter().for_each(|cell| column.push(cell, Place::default()));
            column.finish()
        };
        let rows = columns.first().map_or(0, |(_, cells)| cells.len());
        RawTable { columns: columns.iter().map(column).collect(), rows, files: Vec::new() }
    }

    #[test]
    fn the_long_form_has_two_columns_and_numbers_for_ids() {
        let long = ItemTable::Long { id: "visit", item: "code" };
        let good = table(&[("visit", &["1", "1", "2"]), ("code", &["a", "b", "a"])]);
        assert_eq!(long.withheld(&good), Ok(vec![]));
        let named = table(&[("visit", &["1", "2"]), ("name", &["ann", "bo"]), ("code", &["a", "b"])]);
        assert_eq!(long.withheld(&named), Ok(vec!["name".to_owned()]));
        let real = table(&[("visit", &["ann", "bo"]), ("code", &["a", "b"])]);
        assert!(matches!(long.withheld(&real), Err(Refusal::Pseudonym(error)) if error.id == "ann"));
        let twice = table(&[("visit", &["1"]), ("code", &["a"]), ("visit", &["ann"])]);
        assert_eq!(long.withheld(&twice), Err(Unverifiable::Twice { column: "visit".into() }.into()));
        let lacking = |column: &str| Err(Unverifiable::Lacking { column: column.into() }.into());
        assert_eq!(long.withheld(&table(&[("visit", &["1"])])), lacking("code"));
        assert_eq!(long.withheld(&table(&[("code", &["a"])])), lacking("visit"));
    }

    #[test]
    fn beside_a_column_of_items_stands_what_the_policy_publishes() {
        let roles = vec![("name", Role::Identifier), ("ward", Role::Insensitive)];
        let column = ItemTable::Column { items: "codes", roles };
        assert_eq!(column.withheld(&table(&[("ward", &["x"]), ("codes", &["a"])])), Ok(vec![]));
        let named = table(&[("codes", &["a"]), ("name", &["ann"])]);
        assert_eq!(column.withheld(&named), Ok(vec!["name".to_owned()]));
        let unknown = table(&[("codes", &["a"]), ("shoe", &["39"])]);
        assert_eq!(column.withheld(&unknown), Err(Unverifiable::Unknown { column: "shoe".into() }.into()));
        let twice = table(&[("codes", &["a"]), ("ward", &["x"]), ("ward", &["ann"])]);
        assert_eq!(column.withheld(&twice), Err(Unverifiable::Twice { column: "ward".into() }.into()));
        let lacking = table(&[("ward", &["x"])]);
        assert_eq!(column.withheld(&lacking), Err(Unverifiable::Lacking { column: "codes".into() }.into()));
    }
}
