use super::person::person;
use super::{fail, separator};
use crate::Role;
use crate::policy::{AlgorithmName, DataFormat, Policy, PolicyError};

/// What a policy for transactions must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    layout(policy)?;
    whose(policy)?;
    roles(policy)?;
    promise(policy)?;
    algorithm(policy)
}

fn layout(policy: &Policy) -> Result<(), PolicyError> {
    let data = &policy.data;
    if matches!(data.format, Some(DataFormat::Ndjson | DataFormat::Csv)) {
        return fail(
            "data.format",
            "this is a format of streams",
            "transactions are \"basket\", \"long\" or \"one-hot\"",
        );
    }
    if data.items.is_some() {
        if data.format.is_some() {
            let message = "`items` is for transactions in a column of a table, which have no format";
            return fail("data.format", message, "remove one of the two");
        }
        separator("data.item-separator", data.item_separator())?;
        return columns(policy);
    }
    if data.item_separator.is_some() {
        let message = "`item-separator` is for transactions in a column of a table";
        return fail("data.item-separator", message, "remove it, or name the column as  items = \"…\"");
    }
    let long = data.format == Some(DataFormat::Long);
    if !long && (data.id.is_some() || data.item.is_some()) {
        let key = if data.id.is_some() { "data.id" } else { "data.item" };
        return fail(key, "`id` and `item` are for the long form", "add  format = \"long\"");
    }
    if long && data.id.is_none() {
        return fail("data.format", "the long form needs the column of the ids", "add  id = \"…\"");
    }
    if long && data.item.is_none() {
        return fail("data.format", "the long form needs the column of the items", "add  item = \"…\"");
    }
    Ok(())
}

/// A policy can name the people only where the data have a column for them beside the items.
fn whose(policy: &Policy) -> Result<(), PolicyError> {
    let data = &policy.data;
    let Some(named) = &data.person else { return Ok(()) };
    if data.is_basket() {
        let message = "a basket file has a line per transaction and no column that says whose it is";
        let hint =
            "bring the data into the long form with a column that names people, or into a column of a table";
        return fail("data.person", message, hint);
    }
    if data.items.as_ref() == Some(named) || data.item.as_ref() == Some(named) {
        return fail("data.person", "the items do not say whose they are", "name the column that does");
    }
    if data.id.as_ref() == Some(named) {
        let message =
            format!("`{named}` is the id of a transaction: then everybody has one, and is counted once");
        return fail("data.person", message, "remove  person,  or give the id of single transactions as  id");
    }
    person(policy)
}

/// Items have no role, and columns that are not published have one only.
fn roles(policy: &Policy) -> Result<(), PolicyError> {
    let data = &policy.data;
    for (name, column) in &policy.columns {
        let key = format!("columns.{name}.role");
        let hint = "remove it; an item that is a secret is named under  [privacy] sensitive-items = [\"…\"]";
        if data.item.as_ref() == Some(name) || data.items.as_ref() == Some(name) {
            return fail(&key, format!("`{name}` holds the items, which have no role"), hint);
        }
        if data.is_basket() {
            return fail(&key, "a basket file has no columns, only items", hint);
        }
        if data.items.is_none() && column.role != Role::Identifier {
            let message = format!(
                "`{name}` is {}, but only items are published, without the columns beside them",
                column.role.name()
            );
            let hint = "set role = \"identifier\"; an item that is a secret is named under  [privacy] sensitive-items = [\"…\"]";
            return fail(&key, message, hint);
        }
    }
    Ok(())
}

/// In a table with a column of items, every other column is published as it is or not at all.
fn columns(policy: &Policy) -> Result<(), PolicyError> {
    for (name, column) in &policy.columns {
        if matches!(column.role, Role::QuasiIdentifier | Role::PersonalK) {
            let message = format!(
                "`{name}` is a {}, but this version keeps a promise either about columns or about items",
                column.role.name()
            );
            let hint = "make it an identifier (not published), or publish the two as separate tables";
            return fail(&format!("columns.{name}.role"), message, hint);
        }
    }
    Ok(())
}

fn promise(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    let given = [
        ("m", privacy.m.is_some()),
        ("complete", privacy.complete),
        ("constraints", privacy.constraints.is_some()),
        ("share", privacy.share.is_some()),
    ];
    let asked: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    match asked[..] {
        [] => {
            let hint = "add one of  m = 2,  complete = true,  constraints = \"file\",  share = 0.25";
            fail("privacy", "the policy does not say which items somebody may know", hint)
        }
        [_] => match (privacy.m, privacy.share) {
            (Some(0), _) => fail("privacy.m", "m = 0 promises nothing", "2 is usual"),
            (_, Some(share)) if !(share > 0.0 && share <= 1.0) => {
                let message = format!("share = {share} is not a share above 0 and up to 1");
                fail("privacy.share", message, "0.25 protects a quarter of the items")
            }
            _ => Ok(()),
        },
        [first, second, ..] => {
            let message = format!("`{first}` and `{second}` are two answers to one question");
            fail(&format!("privacy.{second}"), message, "keep one of them")
        }
    }
}

fn algorithm(policy: &Policy) -> Result<(), PolicyError> {
    let utility = policy.utility.constraints.is_some();
    match policy.algorithm_name() {
        AlgorithmName::Apriori if policy.data.hierarchy.is_none() => {
            let hint = "add  [data] hierarchy = \"file\",  or take pcta, which needs none";
            fail("algorithm.name", "apriori needs a hierarchy of the items", hint)
        }
        AlgorithmName::Apriori if policy.privacy.m.is_none() => {
            fail("algorithm.name", "apriori keeps k^m only", "add  [privacy] m = 2,  or take pcta")
        }
        AlgorithmName::Upcta if !utility => {
            let hint = "add  [utility] constraints = \"file\",  or take pcta";
            fail("algorithm.name", "upcta needs utility constraints", hint)
        }
        name @ (AlgorithmName::Pcta | AlgorithmName::Apriori) if utility => {
            let message = format!("{} does not look at utility constraints", name.name());
            fail("utility.constraints", message, "take upcta or coat")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::PolicyDocument;

    const BASKETS: &str =
        "version = 1\n[data]\nshape = \"transactions\"\nsource = \"a.dat\"\n[privacy]\nk = 5\n";

    fn set(overrides: &[&str]) -> Result<PolicyDocument, String> {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        PolicyDocument::parse(BASKETS, &overrides).map_err(|e| e.to_string())
    }

    #[test]
    fn every_layout_and_promise_can_be_asked_for() {
        for good in [
            &["privacy.m=2"][..],
            &["privacy.complete=true"],
            &["privacy.share=0.25", "algorithm.name=coat"],
            &["privacy.constraints=p.txt", "algorithm.name=upcta", "utility.constraints=u.txt"],
            &["privacy.m=2", "data.format=long", "data.id=who", "data.item=what"],
            &["privacy.m=2", "data.format=one-hot", "data.person=name", "columns.name.role=identifier"],
            &["privacy.m=2", "data.items=codes", "columns.name.role=identifier"],
            &["privacy.m=2", "data.items=codes", "data.person=name", "columns.name.role=identifier"],
            &[
                "privacy.m=2",
                "data.format=long",
                "data.id=visit",
                "data.item=what",
                "data.person=who",
                "columns.who.role=identifier",
            ],
            &["privacy.m=2", "algorithm.name=apriori", "data.hierarchy=h.csv"],
        ] {
            assert!(set(good).is_ok(), "{good:?}: {:?}", set(good));
        }
        assert_eq!(set(&["privacy.m=2"]).unwrap().policy().data.separator(), " ");
        let long = ["privacy.m=2", "data.format=long", "data.id=who", "data.item=what"];
        assert_eq!(set(&long).unwrap().policy().data.separator(), ",");
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (bad, words) in [
            (&[][..], "which items somebody may know"),
            (&["privacy.m=2", "privacy.share=0.5"], "two answers to one question"),
            (&["privacy.m=0"], "promises nothing"),
            (&["privacy.share=1.5"], "not a share"),
            (&["privacy.m=2", "privacy.t-closeness=0.2"], "means nothing for data of shape `transactions`"),
            (&["privacy.m=2", "data.format=long", "data.id=who"], "needs the column of the items"),
            (&["privacy.m=2", "data.id=who"], "for the long form"),
            (
                &["privacy.m=2", "data.person=who", "columns.who.role=identifier"],
                "no column that says whose it is",
            ),
            (&["privacy.m=2", "data.items=codes", "data.person=codes"], "do not say whose they are"),
            (&["privacy.m=2", "data.items=codes", "data.person=name"], "none of the columns"),
            (
                &["privacy.m=2", "data.items=codes", "data.person=name", "columns.name.role=insensitive"],
                "names people, but its role is",
            ),
            (
                &["privacy.m=2", "data.format=long", "data.id=who", "data.item=what", "data.person=who"],
                "is the id of a transaction",
            ),
            (
                &["privacy.m=2", "data.items=codes", "columns.age.role=quasi-identifier"],
                "either about columns",
            ),
            (&["privacy.m=2", "algorithm.name=mondrian"], "does not work on data of shape"),
            (&["privacy.m=2", "algorithm.name=upcta"], "needs utility constraints"),
            (&["privacy.m=2", "utility.constraints=u.txt"], "does not look at utility constraints"),
            (&["privacy.complete=true", "algorithm.name=apriori", "data.hierarchy=h.csv"], "keeps k^m only"),
            (&["data.shape=table", "privacy.m=2"], "means nothing for data of shape `table`"),
        ] {
            let error = set(bad).unwrap_err();
            assert!(error.contains(words), "{bad:?}: {error}");
        }
    }
}
