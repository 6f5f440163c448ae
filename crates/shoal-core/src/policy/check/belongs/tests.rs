use crate::policy::{Policy, PolicyDocument, PolicyError};

const TABLE: &str = r#"version = 1
[data]
shape = "table"
source = "a.csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
k = 5
"#;
const BASKETS: &str =
    "version = 1\n[data]\nshape = \"transactions\"\nsource = \"a.dat\"\n[privacy]\nk = 5\nm = 2\n";
const SEQUENCES: &str = r#"version = 1
[data]
shape = "sequences"
source = "a.csv"
id = "who"
order = ["day"]
[columns.who]
role = "identifier"
[columns.day]
role = "identifier"
kind = "integer"
[columns.zip]
role = "quasi-identifier"
hierarchy = "zips.csv"
[columns.illness]
role = "sensitive"
[privacy]
k = 5
c = 0.5
sensitive-values = ["HIV"]
"#;
const STREAM: &str = r#"version = 1
[data]
shape = "stream"
source = "-"
[columns.illness]
role = "sensitive"
domain = ["flu", "cold", "HIV"]
[columns.age]
role = "quasi-identifier"
kind = "integer"
[privacy]
l = 2
[state]
dir = "visits.state"
"#;
const SHAPES: [(char, &str); 4] = [('t', TABLE), ('i', BASKETS), ('s', SEQUENCES), ('o', STREAM)];

fn set(policy: &str, overrides: &[&str]) -> Result<PolicyDocument, PolicyError> {
    let overrides: Vec<String> = overrides.iter().map(|&given| given.to_owned()).collect();
    PolicyDocument::parse(policy, &overrides)
}

#[test]
fn a_key_that_means_nothing_is_refused_and_the_hint_says_where_it_belongs() {
    for (policy, given, belongs) in [
        (BASKETS, &["algorithm.choose=ncp"][..], "`table`"),
        (STREAM, &["algorithm.objective=ncp"], "`transactions`"),
        (TABLE, &["algorithm.objective=ncp"], "`transactions`"),
        (TABLE, &["algorithm.separate-distances=false"], "`sbc`"),
        (TABLE, &["algorithm.separate-distances=true", "algorithm.name=mondrian"], "`sbc`"),
        (SEQUENCES, &["algorithm.separate-distances=true"], "`table`"),
        (TABLE, &["algorithm.choose=ncp"], "`incognito`"),
        (TABLE, &["algorithm.remainder=nearest"], "`sbc`, `cbmsa`, `cbmsa-baseline`"),
        (SEQUENCES, &["algorithm.remainder=suppress", "algorithm.name=fcla"], "`cbmsa`"),
        (BASKETS, &["algorithm.remainder=nearest"], "`table`, `sequences`"),
        (TABLE, &["algorithm.strata=[\"age\"]"], "`stream`"),
        (SEQUENCES, &["algorithm.publish=exact"], "`stream`"),
        (BASKETS, &["algorithm.drift=warn"], "`stream`"),
        (TABLE, &["utility.max-suppressed=0.15"], "`transactions`"),
        (BASKETS, &["output.suppressed=drop"], "`table`"),
        (SEQUENCES, &["privacy.sensitive-items=[\"HIV\"]"], "`transactions`"),
        (BASKETS, &["data.trim=true"], "CSV"),
        (BASKETS, &["data.names=[\"a\"]"], "CSV"),
        (TABLE, &["data.trim=false", "data.source=a.parquet"], "CSV"),
        (
            TABLE,
            &["data.header=false", "data.names=[\"age\", \"illness\"]", "data.source=dir/*.JSON.gz"],
            "CSV",
        ),
        (SEQUENCES, &["data.names=[\"who\"]", "data.source=a.xlsx"], "CSV"),
        (TABLE, &["data.trim=false", "data.source=postgres://h/d#t"], "CSV"),
        (TABLE, &["data.names=[\"age\", \"illness\"]"], "header = false"),
        (STREAM, &["data.header=false", "data.names=[\"illness\", \"age\"]"], "CSV"),
        (STREAM, &["data.trim=false", "data.format=ndjson"], "CSV"),
    ] {
        let error = set(policy, given).expect_err(&format!("{given:?}"));
        let (said, hint) = (error.to_string(), error.hint.clone().unwrap_or_default());
        assert!(said.contains("means nothing for"), "{given:?}: {said}");
        assert!(hint.contains(belongs), "{given:?}: {hint}");
    }
    for (policy, given) in [
        (BASKETS, &["algorithm.objective=ul"][..]),
        (TABLE, &["algorithm.name=sbc", "algorithm.remainder=last", "algorithm.separate-distances=true"]),
        (TABLE, &["algorithm.name=incognito", "algorithm.choose=height"]),
        (TABLE, &["data.trim=false", "data.header=false", "data.names=[\"age\", \"illness\"]"]),
        (SEQUENCES, &["algorithm.remainder=suppress"]),
        (STREAM, &["data.format=csv", "data.trim=false", "data.header=true"]),
    ] {
        assert!(set(policy, given).is_ok(), "{given:?}: {:?}", set(policy, given));
    }
}

/// Policies are written down and read again: in trials, for `apply`, in audits. What nobody gave must not come back as given.
#[test]
fn a_policy_that_is_written_down_gives_what_it_was_given() {
    for (_, text) in SHAPES {
        let policy = set(text, &[]).unwrap().policy().clone();
        let again = set(&policy.to_toml().unwrap(), &[]).unwrap();
        assert_eq!(*again.policy(), policy);
        // As versions wrote it that could not tell what was given.
        let mut stored = serde_json::to_value(&policy).unwrap();
        stored["data"]["trim"] = true.into();
        stored["data"]["header"] = true.into();
        stored["algorithm"]["objective"] = "ncp".into();
        stored["algorithm"]["remainder"] = "nearest".into();
        stored["algorithm"]["choose"] = "ncp".into();
        stored["algorithm"]["separate-distances"] = false.into();
        stored["utility"]["max-suppressed"] = 0.15.into();
        stored["output"]["suppressed"] = "drop".into();
        let mut stored: Policy = serde_json::from_value(stored).unwrap();
        stored.without_written_defaults();
        assert_eq!(stored, policy);
    }
}

/// Every key, a value that it may have, and the shapes for which it has an effect: tables, items, sequences, streams of tuples.
const KEYS: &[(&str, &str, &str)] = &[
    ("data.shape", "table", "tiso"),
    ("data.source", "b.csv", "tiso"),
    ("data.separator", ";", "tiso"),
    ("data.encoding", "latin1", "tis"),
    ("data.decimal", ",", "tis"),
    ("data.sheet", "May", "tis"),
    ("data.table", "t", "tis"),
    ("data.query", "select 1", "tis"),
    // In basket files `false` says that a first line which looks like a header is none.
    ("data.header", "true", "tis"),
    ("data.names", "[\"age\"]", ""),
    ("data.missing", "[\"?\"]", "tiso"),
    ("data.trim", "false", "ts"),
    ("data.format", "basket", "i"),
    ("data.person", "illness", "tio"),
    ("data.known-rows", "one", "t"),
    ("data.id", "who", "is"),
    ("data.order", "[\"day\"]", "s"),
    ("data.ties", "file", "s"),
    ("data.item", "item", "i"),
    ("data.items", "items", "i"),
    ("data.item-separator", "|", "i"),
    ("data.hierarchy", "h.csv", "i"),
    ("privacy.preset", "ema-hc-0.09", "tis"),
    ("privacy.sampling-fraction", "0.1", "t"),
    ("privacy.population", "counts.csv", "t"),
    ("privacy.k", "7", "tiso"),
    ("privacy.l", "2", "o"),
    ("privacy.m", "2", "i"),
    ("privacy.complete", "true", "i"),
    ("privacy.constraints", "sets.txt", "i"),
    ("privacy.share", "0.5", "i"),
    ("privacy.sensitive-items", "[\"HIV\"]", "i"),
    ("privacy.c", "0.5", "s"),
    ("privacy.sensitive-values", "[\"HIV\"]", "s"),
    ("privacy.beta", "2.0", "s"),
    ("privacy.length", "2", "s"),
    ("privacy.support", "paper", "s"),
    ("privacy.l-diversity", "{ kind = \"distinct\", l = 2 }", "t"),
    ("privacy.transparent", "true", "t"),
    ("privacy.t-closeness", "0.2", "t"),
    ("privacy.beta-likeness", "2.0", "t"),
    ("utility.constraints", "sets.txt", "i"),
    ("utility.max-suppressed", "0.1", "i"),
    ("utility.weights", "weights.txt", "i"),
    ("algorithm.name", "sbc", "tiso"),
    ("algorithm.objective", "ul", "i"),
    ("algorithm.remainder", "suppress", "ts"),
    ("algorithm.separate-distances", "true", "t"),
    ("algorithm.max-suppressed", "0.1", "t"),
    ("algorithm.outliers", "suppress", "t"),
    ("algorithm.seconds", "1.5", "t"),
    ("algorithm.rounds", "2", "t"),
    ("algorithm.choose", "height", "t"),
    ("algorithm.mode", "paper", "o"),
    ("algorithm.prior", "uniform", "o"),
    ("algorithm.prior-file", "prior.csv", "o"),
    ("algorithm.learn", "50", "o"),
    ("algorithm.strata", "[\"age\"]", "o"),
    ("algorithm.publish", "exact", "o"),
    ("algorithm.drift", "warn", "o"),
    ("algorithm.max-open-groups", "5", "o"),
    ("algorithm.delta", "50", "o"),
    ("algorithm.max-wait", "5.0", "o"),
    ("algorithm.reuse", "true", "o"),
    ("algorithm.beta", "5", "o"),
    ("algorithm.rules", "paper", "o"),
    ("algorithm.key-file", "key", "tso"),
    ("algorithm.seed", "5", "tiso"),
    ("state.dir", "state", "o"),
    ("state.key-file", "key", "o"),
    ("output.path", "out.csv", "tiso"),
    ("output.table", "people", "tis"),
    ("output.report", "reports", "tis"),
    ("output.suppressed", "drop", "t"),
    ("output.ranges", "columns", "ts"),
    ("output.groups", "dictionary", "i"),
    ("output.keep-order", "true", "tis"),
    ("output.dead-letters", "dead.txt", "o"),
    ("output.max-dead-letters", "0.1", "o"),
];

/// Keys that are accepted although they change nothing, and why. The list may only become shorter.
const IDLE: [(&str, char); 3] = [
    // JSON objects name their columns, and `false` is refused.
    ("data.header", 'o'),
    // They say what is so: a suppressed event or tuple is always left out, and `star` is refused.
    ("output.suppressed", 's'),
    ("output.suppressed", 'o'),
];

#[test]
fn every_key_has_an_effect_or_is_refused() {
    let mut known: Vec<&str> = KEYS.iter().map(|(key, ..)| *key).collect();
    let mut keys = Policy::keys();
    known.sort_unstable();
    keys.sort_unstable();
    assert_eq!(known, keys, "every key of the schema is looked at");
    let mut idle = Vec::new();
    for (key, value, shapes) in KEYS {
        for (shape, text) in SHAPES {
            let given = format!("{key}={value}");
            // Another shape needs other keys, which is not the question here.
            if *key != "data.shape" && !shapes.contains(shape) && set(text, &[&given]).is_ok() {
                idle.push((*key, shape));
            }
        }
    }
    assert_eq!(idle, IDLE);
}
