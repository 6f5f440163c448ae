use super::columns::columns;
use super::person::person;
use super::ranges::ranges;
use super::{fail, transparent};
use crate::policy::{
    AlgorithmName, BetaLikenessPolicy, ColumnPolicy, LDiversityKind, LDiversityPolicy, Policy, PolicyError,
    TClosenessPolicy,
};
use crate::{Distance, Kind, Role};

/// What a policy for a table must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    columns(policy)?;
    ranges(policy)?;
    person(policy)?;
    conditions(policy)?;
    population(policy)?;
    transparent::check(policy)?;
    ribbon(policy)
}

/// What is promised about sensitive columns beside k.
fn conditions(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    diversity("privacy.l-diversity", privacy.l_diversity.as_ref())?;
    closeness("privacy.t-closeness", privacy.t_closeness)?;
    likeness("privacy.beta-likeness", privacy.beta_likeness)?;
    let for_all = [
        ("privacy.l-diversity", privacy.l_diversity.is_some()),
        ("privacy.t-closeness", privacy.t_closeness.is_some()),
        ("privacy.beta-likeness", privacy.beta_likeness.is_some()),
    ];
    if let Some((key, _)) = for_all.iter().find(|(_, given)| *given)
        && policy.columns_of(Role::Sensitive).is_empty()
    {
        let hint = "give role = \"sensitive\" to what nobody may learn about a person, or remove the promise";
        return fail(key, "this is about sensitive columns, and no column is sensitive", hint);
    }
    for (name, column) in &policy.columns {
        let key = |last: &str| format!("columns.{name}.{last}");
        diversity(&key("l-diversity"), column.l_diversity.as_ref())?;
        closeness(&key("t-closeness"), column.t_closeness)?;
        likeness(&key("beta-likeness"), column.beta_likeness)?;
        let own = [
            ("l-diversity", column.l_diversity.is_some()),
            ("t-closeness", column.t_closeness.is_some()),
            ("beta-likeness", column.beta_likeness.is_some()),
        ];
        if let Some((last, _)) = own.iter().find(|(_, given)| *given)
            && column.role != Role::Sensitive
        {
            let message =
                format!("`{name}` is {}, and `{last}` is about sensitive columns", column.role.name());
            return fail(&key(last), message, "set role = \"sensitive\", or remove it");
        }
        if column.role == Role::Sensitive {
            distance(policy, name, column)?;
        }
    }
    Ok(())
}

/// Whether the values of a sensitive column are as far apart as t-closeness takes them to be.
fn distance(policy: &Policy, name: &str, column: &ColumnPolicy) -> Result<(), PolicyError> {
    let last = if column.t_closeness.is_some() { "t-closeness" } else { "role" };
    let key = format!("columns.{name}.{last}");
    match column.t_closeness.or(policy.privacy.t_closeness).map(|near| near.distance(column)) {
        Some(Distance::Ordered) if column.kind == Kind::Text => {
            let message = format!("the values of `{name}` are texts and have no order");
            fail(&key, message, "set its kind to integer, decimal or date, or another distance")
        }
        Some(Distance::Hierarchical) if column.hierarchy.is_none() => {
            let message = format!("`{name}` has no hierarchy that says how far its values are apart");
            fail(&key, message, "add  hierarchy = \"…\"  to the column, or set another distance")
        }
        _ => Ok(()),
    }
}

fn diversity(key: &str, asked: Option<&LDiversityPolicy>) -> Result<(), PolicyError> {
    let Some(LDiversityPolicy { kind, l, c }) = asked else { return Ok(()) };
    let (key_l, key_c) = (format!("{key}.l"), format!("{key}.c"));
    if !(*l > 1.0 && l.is_finite()) {
        return fail(
            &key_l,
            format!("l = {l} hides no value"),
            "2 is the least for most purposes; 3 to 10 is usual",
        );
    }
    if *kind != LDiversityKind::Entropy && (l.fract() != 0.0 || *l > f64::from(u32::MAX)) {
        return fail(
            &key_l,
            format!("l = {l} is not a number of values"),
            "only entropy can have an l that is not a whole number",
        );
    }
    match (kind, c) {
        (LDiversityKind::Recursive, None) => fail(
            key,
            "recursive diversity has a `c` as well",
            "for example  { kind = \"recursive\", l = 3, c = 2.0 }",
        ),
        (LDiversityKind::Recursive, Some(c)) if !(*c > 0.0 && c.is_finite()) => {
            fail(&key_c, format!("c = {c} is not a positive number"), "1 to 4 is usual; less is stricter")
        }
        (LDiversityKind::Recursive, Some(_)) | (_, None) => Ok(()),
        (_, Some(_)) => {
            fail(&key_c, "only recursive diversity has a `c`", "remove it, or set kind = \"recursive\"")
        }
    }
}

fn closeness(key: &str, asked: Option<TClosenessPolicy>) -> Result<(), PolicyError> {
    match asked.map(TClosenessPolicy::t) {
        Some(t) if !(0.0..=1.0).contains(&t) => fail(
            key,
            format!("t = {t} is not a distance between 0 and 1"),
            "0.1 to 0.3 is usual; less is stricter",
        ),
        _ => Ok(()),
    }
}

fn likeness(key: &str, asked: Option<BetaLikenessPolicy>) -> Result<(), PolicyError> {
    match asked.map(|asked| asked.likeness().beta()) {
        Some(beta) if !(beta > 0.0 && beta.is_finite()) => {
            fail(key, format!("β = {beta} is not a positive number"), "1 to 4 is usual; less is stricter")
        }
        _ => Ok(()),
    }
}

/// What the data are a sample of.
fn population(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    if let Some(fraction) = privacy.sampling_fraction
        && !(fraction > 0.0 && fraction <= 1.0)
    {
        let message = format!("{fraction} is not a share of a population");
        return fail("privacy.sampling-fraction", message, "it is above 0 and at most 1; 0.1 is one in ten");
    }
    if privacy.sampling_fraction.is_some() && privacy.population.is_some() {
        return fail(
            "privacy.population",
            "`population` and `sampling-fraction` are two answers to one question",
            "keep one of them; counts are better than an estimate",
        );
    }
    Ok(())
}

/// Keys that only ribbon has must not be silently ignored by another algorithm.
fn ribbon(policy: &Policy) -> Result<(), PolicyError> {
    let asked = &policy.algorithm;
    let keys = [
        ("algorithm.outliers", asked.outliers.is_some()),
        ("algorithm.seconds", asked.seconds.is_some()),
        ("algorithm.rounds", asked.rounds.is_some()),
    ];
    let name = policy.algorithm_name();
    if let Some((key, _)) = keys.iter().find(|(_, given)| *given)
        && name != AlgorithmName::Ribbon
    {
        return fail(
            key,
            format!("`{key}` means nothing to `{}`", name.name()),
            "it is for ribbon: remove it, or the name",
        );
    }
    if let Some(seconds) = asked.seconds
        && !(seconds > 0.0 && seconds.is_finite())
    {
        return fail(
            "algorithm.seconds",
            format!("{seconds} seconds is not a time to work in"),
            "for example 10",
        );
    }
    if asked.seconds.is_some() && asked.rounds.is_some() {
        return fail(
            "algorithm.rounds",
            "`seconds` and `rounds` are two answers to one question",
            "keep one of them",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::PolicyDocument;

    #[test]
    fn a_sampling_fraction_is_a_share_and_not_given_beside_counts() {
        let parse = |privacy: &str| {
            let text = "version = 1\ndata.shape = \"table\"\ncolumns.age = { role = \"quasi-identifier\" }\n";
            let document = PolicyDocument::parse(&format!("{text}[privacy]\nk = 5\n{privacy}"), &[]);
            document.map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(parse("sampling-fraction = 0.1"), Ok(()));
        assert_eq!(parse("sampling-fraction = 1.0"), Ok(()));
        assert_eq!(parse("population = \"census.csv\""), Ok(()));
        for wrong in ["0.0", "-0.1", "1.5", "nan"] {
            assert!(parse(&format!("sampling-fraction = {wrong}")).unwrap_err().contains("not a share"));
        }
        let both = parse("sampling-fraction = 0.1\npopulation = \"census.csv\"").unwrap_err();
        assert!(both.contains("two answers"), "{both}");
    }
}
