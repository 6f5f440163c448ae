use super::fail;
use crate::Role;
use crate::policy::{Policy, PolicyError};

/// The column that says whose a record is must be one that is never published.
pub(super) fn person(policy: &Policy) -> Result<(), PolicyError> {
    let Some(person) = &policy.data.person else {
        return match policy.data.known_rows {
            None => Ok(()),
            Some(_) => {
                let hint = "name the column that says whose a record is as  person";
                fail("data.known-rows", "without a person every row is another person's", hint)
            }
        };
    };
    match policy.columns.get(person).map(|column| column.role) {
        Some(Role::Identifier) => Ok(()),
        Some(role) => {
            let message = format!("`{person}` names people, but its role is {}", role.name());
            fail(&format!("columns.{person}.role"), message, "set role = \"identifier\"")
        }
        None => {
            let message = format!("the person `{person}` is none of the columns");
            fail("data.person", message, format!("add  [columns.\"{person}\"]  role = \"identifier\""))
        }
    }
}
