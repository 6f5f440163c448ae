use super::columns::columns;
use super::fail;
use super::person::person;
use crate::Role;
use crate::policy::{
    DataFormat, Policy, PolicyError, PriorPolicy, RulesPolicy, ShapeAlgorithm, StreamAlgorithmName,
};

/// What a policy for a stream must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    columns(policy)?;
    connectors(policy)?;
    balanced(policy)?;
    person(policy)?;
    domain(policy)?;
    match policy.algorithm_name().by_shape() {
        ShapeAlgorithm::Stream(StreamAlgorithmName::Castle) => castle(policy),
        ShapeAlgorithm::Stream(StreamAlgorithmName::DelayFree) => delay_free(policy),
        // Refused by the check of `algorithm.name`.
        ShapeAlgorithm::Table(_) | ShapeAlgorithm::Transactions(_) | ShapeAlgorithm::Sequences(_) => Ok(()),
    }
}

/// The first of the keys that is given, as a complaint.
fn belongs_to(other: &str, keys: &[(&str, bool)]) -> Result<(), PolicyError> {
    match keys.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => fail(key, format!("`{key}` means something for {other} only"), "remove it"),
    }
}

fn connectors(policy: &Policy) -> Result<(), PolicyError> {
    let (data, output) = (&policy.data, &policy.output);
    if matches!(data.format, Some(DataFormat::Basket | DataFormat::Long | DataFormat::OneHot)) {
        let hint = "a stream is \"ndjson\" (a JSON object per line) or \"csv\"";
        return fail("data.format", "this is a format of transactions", hint);
    }
    let known =
        |address: &str| address == "-" || address.starts_with("nats://") || address.starts_with("kafka://");
    // Only a policy that is used from code may name no source; that of a file must, which the front checks.
    if !data.source.is_empty() && !known(&data.source) {
        let message = format!("a stream cannot come from `{}`", data.source);
        let hint = "use \"-\" and  shoal stream policy.toml < file,  or nats://… or kafka://…";
        return fail("data.source", message, hint);
    }
    if let Some(path) = output.path.as_deref().filter(|path| !known(path)) {
        let message = format!("a stream cannot go to `{path}`");
        let hint = "use \"-\" and  shoal stream policy.toml > file,  or nats://… or kafka://…";
        return fail("output.path", message, hint);
    }
    if let Some(share) = output.max_dead_letters.filter(|share| !(0.0..=1.0).contains(share)) {
        let message = format!("{share} is not a share of the lines");
        return fail("output.max-dead-letters", message, "0 allows none, 0.01 one of a hundred, 1 all");
    }
    if output.keeps_suppressed() || output.keep_order {
        let key = if output.keep_order { "output.keep-order" } else { "output.suppressed" };
        return fail(key, "a stream leaves in the order in which it came", "remove it");
    }
    Ok(())
}

/// What cannot be where the processes of a Kafka group share the partitions of the source (`balance=partitions`).
fn balanced(policy: &Policy) -> Result<(), PolicyError> {
    let query = policy.data.source.split_once('?').map_or("", |(_, query)| query);
    if !policy.data.source.starts_with("kafka://")
        || !query.split('&').any(|pair| pair == "balance=partitions")
    {
        return Ok(());
    }
    if !policy.output.path.as_deref().is_some_and(|path| path.starts_with("kafka://")) {
        let message = "partitions can be balanced where the sink is a topic of Kafka, too";
        return fail(
            "output.path",
            message,
            "name a topic, kafka://…, with as many partitions as the source",
        );
    }
    // Each partition would learn something else, and whoever counts would need to know which line comes from which.
    if policy.algorithm.learn.is_some() {
        let message = "the processes of a group cannot learn: all partitions need one design";
        let hint = "give the values (domain) or a prior-file; a run without  balance=partitions  that learns from other records leaves one, \
                    prior.csv in its state folder (people who were learned from must not be published)";
        return fail("algorithm.learn", message, hint);
    }
    Ok(())
}

fn domain(policy: &Policy) -> Result<(), PolicyError> {
    let sensitive = policy.columns_of(Role::Sensitive);
    for (name, column) in policy.columns.iter().filter(|(_, column)| !column.domain.is_empty()) {
        let key = format!("columns.{name}.domain");
        if column.role != Role::Sensitive {
            let message = format!("`{name}` is {}, and needs no domain", column.role.name());
            return fail(&key, message, "remove it, or set role = \"sensitive\"");
        }
        if sensitive.len() > 1 {
            let message = format!(
                "{} columns are sensitive and hidden as one value, so one column's domain does not help",
                sensitive.len()
            );
            let hint = "name a prior-file of joined values (`a|b`), or  learn  them from the first tuples";
            return fail(&key, message, hint);
        }
        let mut seen = std::collections::BTreeSet::new();
        if let Some(twice) = column.domain.iter().find(|value| !seen.insert(value.as_str())) {
            return fail(&key, format!("`{twice}` is listed twice"), "list each value once");
        }
    }
    Ok(())
}

fn delay_free(policy: &Policy) -> Result<(), PolicyError> {
    let (privacy, algorithm) = (&policy.privacy, &policy.algorithm);
    belongs_to(
        "castle",
        &[
            ("privacy.k", privacy.k.is_some()),
            ("algorithm.delta", algorithm.delta.is_some()),
            ("algorithm.beta", algorithm.beta.is_some()),
            ("algorithm.rules", algorithm.rules.is_some()),
            ("algorithm.max-wait", algorithm.max_wait.is_some()),
            ("algorithm.reuse", algorithm.reuse.is_some()),
        ],
    )?;
    match privacy.l {
        None => return fail("privacy", "the policy makes no promise", "add  [privacy]  l = 5"),
        Some(l) if l < 2 => {
            let message = format!("l = {l} hides nothing: a value needs at least one other to hide behind");
            return fail("privacy.l", message, "5 to 10 is usual; 2 is the least");
        }
        Some(_) => {}
    }
    if policy.columns_of(Role::Sensitive).is_empty() {
        let hint = "give role = \"sensitive\" to what nobody may learn about a person";
        return fail("columns", "nothing is sensitive, so there is nothing to hide", hint);
    }
    let tree = policy
        .columns
        .iter()
        .find(|(name, column)| column.hierarchy.is_some() && !algorithm.strata.contains(name));
    if let Some((name, _)) = tree {
        let message = format!("delay-free needs no hierarchy of `{name}`, which is not among the strata");
        let hint = "remove it, name the column under  algorithm.strata,  or take castle";
        return fail(&format!("columns.{name}.hierarchy"), message, hint);
    }
    let hardened = algorithm.mode.unwrap_or_default().is_hardened();
    let taken: &[&str] = if hardened { &["values"] } else { &["group", "value", "count"] };
    let published = |role| matches!(role, Role::QuasiIdentifier | Role::Insensitive);
    let columns = policy.columns.iter().filter(|(_, column)| published(column.role));
    if let Some((name, _)) = columns.into_iter().find(|(name, _)| taken.contains(&name.as_str())) {
        let message = format!("`{name}` is what published lines call something else");
        return fail(&format!("columns.{name}.role"), message, "rename the column in the source");
    }
    if hardened {
        let given = algorithm.max_open_groups.is_some();
        belongs_to("mode = \"paper\"", &[("algorithm.max-open-groups", given)])?;
        strata(policy)?;
    } else {
        belongs_to(
            "mode = \"hardened\"",
            &[
                ("algorithm.prior", algorithm.prior.is_some()),
                ("algorithm.strata", !algorithm.strata.is_empty()),
                ("algorithm.publish", algorithm.publish.is_some()),
                ("algorithm.drift", algorithm.drift.is_some()),
            ],
        )?;
        if algorithm.max_open_groups == Some(0) {
            return fail("algorithm.max-open-groups", "no group may be open", "100000 is usual");
        }
    }
    values(policy)
}

/// The columns that divide people into strata, where the prior depends on them.
fn strata(policy: &Policy) -> Result<(), PolicyError> {
    let algorithm = &policy.algorithm;
    if algorithm.prior != Some(PriorPolicy::Conditional) {
        let keys = [
            ("algorithm.strata", !algorithm.strata.is_empty()),
            ("algorithm.publish", algorithm.publish.is_some()),
        ];
        return belongs_to("prior = \"conditional\"", &keys);
    }
    if algorithm.strata.is_empty() {
        let message = "a conditional prior is one for each stratum, and no strata are given";
        return fail(
            "algorithm.prior",
            message,
            "add  strata = [\"sex\", \"age\"],  the columns that values go with",
        );
    }
    let mut seen = std::collections::BTreeSet::new();
    for name in &algorithm.strata {
        let role = policy.columns.get(name).map(|column| column.role);
        if role != Some(Role::QuasiIdentifier) {
            let message = match role {
                Some(role) => {
                    format!("`{name}` is {}, and strata are made of quasi-identifiers", role.name())
                }
                None => format!("`{name}` is none of the columns"),
            };
            return fail("algorithm.strata", message, "name columns with role = \"quasi-identifier\"");
        }
        if !seen.insert(name) {
            return fail("algorithm.strata", format!("`{name}` is named twice"), "name each column once");
        }
    }
    Ok(())
}

/// Where the values come from among which others are hidden.
fn values(policy: &Policy) -> Result<(), PolicyError> {
    let algorithm = &policy.algorithm;
    let listed = policy.columns.values().any(|column| !column.domain.is_empty());
    if algorithm.prior_file.is_some() && (algorithm.learn.is_some() || listed) {
        let message = "the values are in `prior-file` already";
        let hint = "keep the file, or remove it and learn or list them";
        return fail("algorithm.prior-file", message, hint);
    }
    if let Some(learn) = algorithm.learn
        && learn < policy.privacy.l.unwrap_or_default()
    {
        let message = format!("{learn} tuples cannot hold l distinct values");
        return fail("algorithm.learn", message, "some hundred times l is usual");
    }
    let shares = algorithm.prior_file.is_some() || algorithm.learn.is_some() || !listed;
    if matches!(algorithm.prior, Some(PriorPolicy::Calibrated | PriorPolicy::Conditional)) && !shares {
        let message = "such a choice needs the values' shares, and a domain has none";
        let hint = "name a prior-file, or add  learn = 10000  to learn them from the first tuples";
        return fail("algorithm.prior", message, hint);
    }
    Ok(())
}

/// The limits of `algorithm.max-wait` in seconds: the least that a clock of milliseconds can measure, and a year.
const MAX_WAIT_LEAST: f64 = 0.001;
const MAX_WAIT_MOST: f64 = 31_536_000.0;

fn castle(policy: &Policy) -> Result<(), PolicyError> {
    let (privacy, algorithm) = (&policy.privacy, &policy.algorithm);
    belongs_to(
        "delay-free",
        &[
            ("algorithm.mode", algorithm.mode.is_some()),
            ("algorithm.prior", algorithm.prior.is_some()),
            ("algorithm.prior-file", algorithm.prior_file.is_some()),
            ("algorithm.learn", algorithm.learn.is_some()),
            ("algorithm.strata", !algorithm.strata.is_empty()),
            ("algorithm.publish", algorithm.publish.is_some()),
            ("algorithm.drift", algorithm.drift.is_some()),
            ("algorithm.max-open-groups", algorithm.max_open_groups.is_some()),
        ],
    )?;
    let Some(k) = privacy.k else {
        return fail(
            "privacy",
            "castle promises a crowd, and its size is not given",
            "add  [privacy]  k = 10",
        );
    };
    let l = privacy.l.unwrap_or(1);
    if l > 1 && policy.columns_of(Role::Sensitive).is_empty() {
        let message = "`l` is about sensitive values, but no column is sensitive";
        return fail("privacy.l", message, "give role = \"sensitive\" to what nobody may learn");
    }
    if l == 0 {
        return fail("privacy.l", "l = 0 promises nothing", "2 is the least");
    }
    if let Some(seconds) =
        algorithm.max_wait.filter(|seconds| !(MAX_WAIT_LEAST..=MAX_WAIT_MOST).contains(seconds))
    {
        let message = format!("a wait of {seconds} seconds cannot be kept");
        let hint = "it is given in seconds, from 0.001 to 31536000 (a year); 60 for instance";
        return fail("algorithm.max-wait", message, hint);
    }
    match algorithm.delta {
        Some(delta) if delta < k.max(l) => {
            let message = format!("with delta = {delta} there are never {} tuples inside", k.max(l));
            fail("algorithm.delta", message, "ten times k is usual")
        }
        _ if algorithm.beta.is_some() && algorithm.rules != Some(RulesPolicy::Paper) => {
            let message = "`beta` limits the paper's clusters, and our rules have none";
            fail("algorithm.beta", message, "remove it, or add  rules = \"paper\"")
        }
        _ if algorithm.beta == Some(0) => fail("algorithm.beta", "no cluster may grow", "50 is usual"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::PolicyDocument;

    const STREAM: &str = r#"version = 1
[data]
shape = "stream"
source = "-"
person = "patient"
[columns.patient]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.diagnosis]
role = "sensitive"
domain = ["A", "B", "C"]
[privacy]
l = 2
"#;

    fn set(overrides: &[&str]) -> Result<PolicyDocument, String> {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        PolicyDocument::parse(STREAM, &overrides).map_err(|e| e.to_string())
    }

    #[test]
    fn a_policy_for_a_stream_is_understood() {
        for good in [
            &[][..],
            &["data.format=csv"],
            &["algorithm.learn=100"],
            &["algorithm.learn=100", "algorithm.prior=calibrated"],
            &["algorithm.mode=paper", "algorithm.max-open-groups=10"],
            &["algorithm.mode=published", "algorithm.max-open-groups=10"],
            &[
                "algorithm.prior=conditional",
                "algorithm.strata=[\"age\"]",
                "algorithm.learn=100",
                "algorithm.drift=warn",
            ],
            &[
                "algorithm.prior=conditional",
                "algorithm.strata=[\"age\"]",
                "columns.diagnosis.domain=[]",
                "algorithm.prior-file=p.csv",
                "algorithm.publish=exact",
                "columns.age.hierarchy=a.csv",
            ],
            &["columns.diagnosis.domain=[]", "algorithm.prior-file=p.csv"],
            &["data.source=nats://localhost/A?subject=b", "state.key-file=k"],
            &["data.source=kafka://localhost/a", "state.dir=s", "algorithm.mode=published"],
            &["data.source=nats://localhost/A", "algorithm.learn=100"],
            &["data.source=kafka://localhost/a?balance=partitions", "output.path=kafka://localhost/b"],
            &["algorithm.name=castle", "privacy.k=3", "algorithm.delta=30", "columns.age.hierarchy=a.csv"],
            &["algorithm.name=castle", "privacy.k=3", "algorithm.max-wait=0.5", "algorithm.reuse=true"],
        ] {
            assert!(set(good).is_ok(), "{good:?}: {:?}", set(good));
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (bad, words) in [
            (&["data.source=a.csv"][..], "cannot come from"),
            (&["output.path=a.csv"], "cannot go to"),
            (&["data.source=kafka://a/b?group=c&balance=partitions"], "where the sink is a topic of Kafka"),
            (
                &[
                    "data.source=kafka://a/b?balance=partitions",
                    "output.path=kafka://a/c",
                    "algorithm.learn=100",
                ],
                "the processes of a group cannot learn",
            ),
            (&["data.format=long"], "format of transactions"),
            (&["data.person=nobody"], "none of the columns"),
            (&["columns.patient.role=insensitive"], "names people"),
            (&["columns.age.domain=[\"1\"]"], "needs no domain"),
            (&["columns.diagnosis.domain=[\"A\",\"B\",\"A\"]"], "listed twice"),
            (&["columns.sex.role=sensitive"], "one column's domain"),
            (&["privacy.l=1"], "hides nothing"),
            (&["privacy.k=3"], "castle only"),
            (&["columns.age.hierarchy=a.csv"], "needs no hierarchy"),
            (&["columns.diagnosis.role=insensitive", "columns.diagnosis.domain=[]"], "nothing to hide"),
            (&["algorithm.max-open-groups=10"], "mode = \"paper\" only"),
            (&["algorithm.publish=stratum"], "prior = \"conditional\" only"),
            (&["algorithm.strata=[\"age\"]"], "prior = \"conditional\" only"),
            (&["algorithm.prior=conditional"], "no strata are given"),
            (&["algorithm.prior=conditional", "algorithm.strata=[\"patient\"]"], "made of quasi-identifiers"),
            (&["algorithm.prior=conditional", "algorithm.strata=[\"sex\"]"], "none of the columns"),
            (&["algorithm.prior=conditional", "algorithm.strata=[\"age\", \"age\"]"], "twice"),
            (&["algorithm.prior=conditional", "algorithm.strata=[\"age\"]"], "needs the values' shares"),
            (&["algorithm.mode=paper", "algorithm.drift=warn"], "mode = \"hardened\" only"),
            (&["algorithm.name=castle", "privacy.k=3", "algorithm.drift=stop"], "delay-free only"),
            (&["algorithm.mode=published", "algorithm.prior=uniform"], "mode = \"hardened\" only"),
            (&["algorithm.mode=published", "algorithm.max-open-groups=0"], "no group may be open"),
            (&["algorithm.prior=calibrated"], "needs the values' shares"),
            (&["algorithm.prior-file=p.csv"], "already"),
            (&["algorithm.learn=1"], "cannot hold l distinct"),
            (&["algorithm.name=castle"], "its size is not given"),
            (&["algorithm.name=castle", "privacy.k=3", "algorithm.max-wait=0"], "cannot be kept"),
            (&["algorithm.name=castle", "privacy.k=3", "algorithm.max-wait=nan"], "cannot be kept"),
            (&["algorithm.max-wait=60"], "castle only"),
            (&["algorithm.reuse=false"], "castle only"),
            (&["algorithm.name=castle", "privacy.k=3", "algorithm.delta=2"], "never 3 tuples inside"),
            (&["algorithm.name=castle", "privacy.k=3", "algorithm.mode=hardened"], "delay-free only"),
            (
                &["algorithm.name=castle", "privacy.k=3", "algorithm.rules=paper", "algorithm.beta=0"],
                "no cluster may grow",
            ),
            (&["algorithm.name=castle", "privacy.k=3", "algorithm.beta=9"], "our rules have none"),
            (&["privacy.t-closeness=0.2"], "means nothing for data of shape `stream`"),
            (&["algorithm.name=pcta"], "does not work on data of shape `stream`"),
            (&["output.keep-order=true"], "in the order in which it came"),
            (&["output.max-dead-letters=1.5"], "not a share of the lines"),
            (&["columns.values.role=insensitive"], "call something else"),
        ] {
            let error = set(bad).unwrap_err();
            assert!(error.contains(words), "{bad:?}: {error}");
        }
    }
}
