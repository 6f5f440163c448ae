//! What people had in earlier releases.

use std::collections::HashMap;

use shoal_core::{Column, Role};
use shoal_privacy::Classes;

use super::linked::Linked;
use super::together::joint_promise;
use super::wide::Past;
use crate::columns::parser;
use crate::{PipelineError, Request};

/// What people had in earlier releases, for conditions on the classes of the new one.
pub(super) struct EarlierValues {
    releases: Vec<Values>,
}

/// The values of an earlier release.
struct Values {
    /// The rows of each person, in the order of their classes.
    rows_of: HashMap<u32, Vec<u32>>,
    /// The sensitive columns that a condition is about.
    columns: Vec<Column>,
}

impl EarlierValues {
    pub(super) fn of(request: &Request, linked: &Linked<'_>) -> Result<EarlierValues, PipelineError> {
        let mut releases = Vec::new();
        let promise = joint_promise(request);
        for earlier in &linked.earlier {
            let policy = &earlier.audit.policy;
            let quasi = policy.columns_of(Role::QuasiIdentifier).into_iter();
            let quasi: Vec<_> = quasi.filter_map(|name| earlier.file.column(name)).collect();
            let classes = Classes::of(earlier.file.rows, &quasi);
            let mut rows: Vec<u32> = (0..earlier.file.rows as u32).collect();
            rows.sort_by_key(|&row| classes.class_of[row as usize]);
            let mut rows_of: HashMap<u32, Vec<u32>> = HashMap::new();
            rows.iter()
                .for_each(|&row| rows_of.entry(earlier.person_of[row as usize]).or_default().push(row));
            let mut columns = Vec::new();
            for name in policy.columns_of(Role::Sensitive) {
                let is_asked = promise.conditions.iter().any(|condition| {
                    // Distances between values of other data have no place here; the verifier asks them.
                    condition.column == name && !condition.rule.compares()
                });
                let Some(column) = earlier.file.column(name).filter(|_| is_asked) else { continue };
                let missing = &policy.data.missing;
                let parser = parser(&policy.columns[name]);
                if let Ok(column) = Column::encode(column, Role::Sensitive, parser, missing) {
                    columns.push(column.merged().unwrap_or(column));
                }
            }
            releases.push(Values { rows_of, columns });
        }
        Ok(EarlierValues { releases })
    }

    /// A column for each row that these people of an atom have in each release: all have as many, in the same classes.
    pub(super) fn of_people(&self, people: &[u32]) -> Past {
        let mut past = Past::new();
        for Values { rows_of, columns } in &self.releases {
            let several = people.first().and_then(|person| rows_of.get(person)).map_or(0, Vec::len);
            (0..several).for_each(|at| {
                for column in columns {
                    let codes =
                        people.iter().map(|person| column.codes[rows_of[person][at] as usize]).collect();
                    past.push(Column {
                        codes,
                        name: column.name.clone(),
                        domain: column.domain.clone(),
                        hierarchy: None,
                        role: column.role,
                        weight: column.weight,
                    });
                }
            });
        }
        past
    }
}
