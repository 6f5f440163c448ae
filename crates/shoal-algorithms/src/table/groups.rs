//! Classes that somebody else has decided on.

use shoal_core::{Class, Table};

use super::recode::Recoder;

/// What each group of records publishes: in every quasi-identifier as little more than its members as the column allows.
///
/// # Panics
/// When a group has no member or names a record that is not there.
pub fn recode_groups(table: &Table, groups: &[Vec<u32>]) -> Vec<Class> {
    let quasi = table.quasi_identifiers();
    let recoder = Recoder::new(&quasi);
    let class = |group: &Vec<u32>| {
        assert!(!group.is_empty(), "a class has members");
        let mut covers = recoder.nothing();
        for &row in group {
            let point: Vec<u32> = quasi.iter().map(|column| column.codes[row as usize]).collect();
            recoder.add(&mut covers, &point);
        }
        recoder.class(&covers)
    };
    groups.iter().map(class).collect()
}
