use super::columns::columns;
use super::fail;
use super::ranges::ranges;
use crate::Role;
use crate::policy::{Policy, PolicyError, RemainderPolicy};

/// What a policy for sequences must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    columns(policy)?;
    ranges(policy)?;
    id(policy)?;
    order(policy)?;
    ties(policy)?;
    knowledge(policy)?;
    limits(policy)?;
    if policy.output.keeps_suppressed() {
        let message = "a suppressed event is always left out: a row of `*` would still count a visit";
        return fail("output.suppressed", message, "remove it");
    }
    if policy.algorithm.remainder == Some(RemainderPolicy::Last) {
        let hint = "\"nearest\" lets them join the nearest cluster, \"suppress\" leaves them out";
        return fail("algorithm.remainder", "sequences have no last cluster", hint);
    }
    Ok(())
}

fn id(policy: &Policy) -> Result<(), PolicyError> {
    let Some(id) = &policy.data.id else {
        let hint = "add  id = \"…\",  the column that says whose event a row is";
        return fail("data.shape", "sequences need the column of the ids", hint);
    };
    match policy.columns.get(id).map(|column| column.role) {
        Some(Role::Identifier) => Ok(()),
        Some(role) => {
            let message = format!("`{id}` names people, but its role is {}", role.name());
            let hint = "set role = \"identifier\"; a fresh pseudonym is published in its place";
            fail(&format!("columns.{id}.role"), message, hint)
        }
        None => {
            let message = format!("the id `{id}` is none of the columns");
            fail("data.id", message, format!("add  [columns.\"{id}\"]  role = \"identifier\""))
        }
    }
}

fn order(policy: &Policy) -> Result<(), PolicyError> {
    let order = &policy.data.order;
    if order.is_empty() && !policy.data.ties_keep_file_order() {
        let hint = "add  order = [\"year\", …],  the columns that say which event came first, or  ties = \"file\"  where the rows \
                    of the file stand in the right order";
        return fail("data.shape", "sequences need an order", hint);
    }
    for (place, name) in order.iter().enumerate() {
        if order[..place].contains(name) {
            return fail("data.order", format!("`{name}` is named twice"), "name each column once");
        }
        let Some(column) = policy.columns.get(name) else {
            let message = format!("`{name}` is none of the columns");
            return fail("data.order", message, format!("add  [columns.\"{name}\"]  with its role and kind"));
        };
        if !column.kind.is_ordered() {
            let message = format!(
                "`{name}` is text, and the order of letters is not that of time: \"10\" comes before \"9\""
            );
            let hint = "set its kind to integer, decimal or date (with a format)";
            return fail(&format!("columns.{name}.kind"), message, hint);
        }
    }
    Ok(())
}

/// What decides where the order does not.
fn ties(policy: &Policy) -> Result<(), PolicyError> {
    let Some(column) = policy.data.ties_column() else { return Ok(()) };
    let message = if policy.data.id.as_deref() == Some(column) {
        format!("`{column}` is the same for all events of a person")
    } else if policy.data.order.iter().any(|name| name == column) {
        format!("`{column}` is a column of data.order already")
    } else if !policy.columns.contains_key(column) {
        format!("`{column}` is none of the columns")
    } else {
        return Ok(());
    };
    fail(
        "data.ties",
        message,
        "name another column, or  ties = \"file\"  to keep the order of the file's rows",
    )
}

/// What somebody may know: everything, or `length` values.
fn knowledge(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    let name = policy.algorithm_name();
    match privacy.length {
        Some(0) => {
            return fail("privacy.length", "length = 0 protects from those who know nothing", "3 is usual");
        }
        Some(_) if !name.is_for_partial_knowledge() => {
            let message =
                format!("{} protects from those who know everything, not `length` values", name.name());
            return fail("algorithm.name", message, "take fcla, or remove privacy.length");
        }
        Some(_) => {
            let bare =
                policy.columns.iter().find(|(_, c)| c.role == Role::QuasiIdentifier && c.hierarchy.is_none());
            if let Some((column, _)) = bare {
                let message =
                    format!("`{column}` has no hierarchy, so it is not clear what somebody may know of it");
                let hint = "make one with  shoal hierarchy build  and name it here:  hierarchy = \"…\"";
                return fail(&format!("columns.{column}.role"), message, hint);
            }
        }
        None if name.is_for_partial_knowledge() => {
            let message = format!("{} needs to know how much somebody may know", name.name());
            return fail("algorithm.name", message, "add  [privacy] length = 3");
        }
        None if privacy.beta.is_some() => {
            let message =
                "`beta` is promised against those who know a number of values, and `length` is not given";
            return fail("privacy.beta", message, "add  length = 3");
        }
        None if privacy.support.is_some() => {
            let message = "`support` says who shares what somebody knows in part, but without `length` everything is known";
            return fail("privacy.support", message, "add  length = 3,  or remove it");
        }
        None => {}
    }
    match privacy.beta {
        Some(beta) if !(beta > 0.0 && beta.is_finite()) => {
            let message = format!("beta = {beta} is not a positive number");
            fail("privacy.beta", message, "1 lets a rare value be twice as frequent as among everybody")
        }
        Some(_) if privacy.c.is_some() => {
            fail("privacy.c", "`beta` and `c` are two answers to one question", "keep one of them")
        }
        _ => Ok(()),
    }
}

fn limits(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    confidence("privacy.c", privacy.c)?;
    let sensitive = policy.columns_of(Role::Sensitive);
    if !privacy.sensitive_values.is_empty() && sensitive.len() != 1 {
        let message = format!(
            "`sensitive-values` here are those of one sensitive column, but there are {}",
            sensitive.len()
        );
        let hint = "give each sensitive column its own:  [columns.…]  sensitive-values = […]";
        return fail("privacy.sensitive-values", message, hint);
    }
    for (name, column) in &policy.columns {
        let key = |last: &str| format!("columns.{name}.{last}");
        confidence(&key("c"), column.c)?;
        let own = !column.sensitive_values.is_empty();
        if column.role != Role::Sensitive {
            let given = [("sensitive-values", own), ("c", column.c.is_some())];
            if let Some((last, _)) = given.iter().find(|(_, given)| *given) {
                let message = format!("`{name}` is {}, and nothing sensitive is in it", column.role.name());
                return fail(&key(last), message, "set role = \"sensitive\", or remove it");
            }
            continue;
        }
        if own && !privacy.sensitive_values.is_empty() {
            let message = "the highly sensitive values are given twice, here and under [privacy]";
            return fail(&key("sensitive-values"), message, "keep one of them");
        }
        let values = own || !privacy.sensitive_values.is_empty();
        let promised = column.c.is_some() || privacy.c.is_some() || privacy.beta.is_some();
        match (values, promised) {
            (true, false) => {
                let message =
                    format!("`{name}` has highly sensitive values, but nothing is promised about them");
                return fail(&key("role"), message, "add  [privacy] c = 0.5");
            }
            // Against partial knowledge every value is protected by itself, so all of them can be.
            (false, true) if privacy.length.is_none() => {
                let message =
                    format!("the policy does not say which values of `{name}` are highly sensitive");
                let hint = "add  sensitive-values = […],  or make the column insensitive";
                return fail(&key("role"), message, hint);
            }
            _ => {}
        }
    }
    let given = [("c", privacy.c.is_some()), ("beta", privacy.beta.is_some())];
    match given.iter().find(|(_, given)| *given && sensitive.is_empty()) {
        None => Ok(()),
        Some((key, _)) => {
            let message = format!("`{key}` limits sensitive values, but no column is sensitive");
            let hint = "give role = \"sensitive\" to what nobody may learn about a person";
            fail(&format!("privacy.{key}"), message, hint)
        }
    }
}

fn confidence(key: &str, c: Option<f64>) -> Result<(), PolicyError> {
    match c {
        Some(c) if !(0.0..=1.0).contains(&c) => {
            let message = format!("c = {c} is not a share between 0 and 1");
            fail(key, message, "0.5 lets half of a crowd have a highly sensitive value")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::PolicyDocument;

    const VISITS: &str = r#"version = 1
[data]
shape = "sequences"
source = "visits.csv"
id = "patient"
order = ["year", "day"]
[columns.patient]
role = "identifier"
[columns.year]
role = "quasi-identifier"
kind = "integer"
[columns.day]
role = "identifier"
kind = "integer"
[columns.disease]
role = "sensitive"
[privacy]
k = 2
c = 0.5
sensitive-values = ["HIV"]
"#;

    fn set(overrides: &[&str]) -> Result<PolicyDocument, String> {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        PolicyDocument::parse(VISITS, &overrides).map_err(|e| e.to_string())
    }

    #[test]
    fn a_policy_for_visits_is_understood() {
        for good in [
            &[][..],
            &["algorithm.name=cbmsa-baseline"],
            &["algorithm.remainder=suppress"],
            &["privacy.c=0"],
            &["data.ties=file"],
            &["data.ties=file", "data.order=[]"],
            &["data.ties=disease"],
            &["privacy.length=3", "columns.year.hierarchy=y.csv"],
            &["privacy.length=3", "columns.year.hierarchy=y.csv", "privacy.support=paper"],
            &["privacy.length=3", "columns.year.hierarchy=y.csv", "privacy.support=compatible"],
            &[
                "privacy.length=3",
                "columns.year.hierarchy=y.csv",
                "algorithm.name=halt",
                "privacy.sensitive-values=[]",
            ],
            &[
                "privacy.sensitive-values=[]",
                "columns.disease.sensitive-values=[\"HIV\"]",
                "columns.disease.c=0.2",
            ],
        ] {
            assert!(set(good).is_ok(), "{good:?}: {:?}", set(good));
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (bad, words) in [
            (&["data.id=nobody"][..], "none of the columns"),
            (&["data.order=[]"], "need an order"),
            (&["data.order=[]", "data.ties=disease"], "need an order"),
            (&["data.ties=day"], "a column of data.order already"),
            (&["data.ties=patient"], "the same for all events"),
            (&["data.ties=month"], "none of the columns"),
            (&["data.order=[\"year\",\"year\"]"], "named twice"),
            (&["data.order=[\"disease\"]"], "the order of letters is not that of time"),
            (&["data.order=[\"month\"]"], "none of the columns"),
            (&["columns.patient.role=insensitive"], "names people"),
            (&["privacy.c=1.5"], "not a share"),
            (&["privacy.sensitive-values=[]"], "which values of `disease`"),
            (&["columns.disease.sensitive-values=[\"HIV\"]"], "given twice"),
            (&["columns.year.c=0.5"], "nothing sensitive is in it"),
            (&["columns.disease.role=insensitive"], "but there are 0"),
            (&["privacy.m=2"], "means nothing for data of shape `sequences`"),
            (&["privacy.beta=2"], "`length` is not given"),
            (&["privacy.length=3"], "`year` has no hierarchy"),
            (&["privacy.length=0"], "know nothing"),
            (&["privacy.support=paper"], "without `length` everything is known"),
            (
                &["privacy.length=3", "columns.year.hierarchy=y.csv", "privacy.support=all"],
                "expected `compatible` or `paper`",
            ),
            (&["privacy.length=3", "algorithm.name=cbmsa"], "protects from those who know everything"),
            (&["algorithm.name=fcla"], "how much somebody may know"),
            (&["privacy.length=3", "columns.year.hierarchy=y.csv", "privacy.beta=2"], "two answers"),
            (
                &["privacy.length=3", "columns.year.hierarchy=y.csv", "privacy.beta=-1"],
                "not a positive number",
            ),
            (&["output.suppressed=star"], "always left out"),
            (&["algorithm.remainder=last"], "no last cluster"),
            (&["algorithm.name=pcta"], "does not work on data of shape `sequences`"),
        ] {
            let error = set(bad).unwrap_err();
            assert!(error.contains(words), "{bad:?}: {error}");
        }
    }
}
