//! Whole pages: whatever the data hold, a page has the same structure, and its parts fit together.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shoal_core::{Bound, ColumnBound, Distance, Figure, Likeness, Promise, RawTable, Rule, Support};
use shoal_privacy::{Finding, Seen};

use super::facts::RowPair;
use super::*;
use crate::leaks::{LeakKind, LeftOut, Unit};

/// A report of a table; every foreign text is one of these five.
fn report([column, value, note, kind, found]: &[String; 5]) -> Value {
    let risks = json!({ "prosecutor": { "highest": 0.5, "mean": 0.25, "threshold": 0.5, "share-above-threshold": 0.0, "unique-records": 1 },
        "journalist": { "highest": 0.5, "population": "sample" }, "marketer": 0.25 });
    json!({
        "version": 1, "output-sha256": found, "shape": "table", "algorithm": found,
        "records-in": 8, "records-out": 6, "records-suppressed": 2, "clusters": 3, "classes": 3,
        "loss": { "ncp": 0.1, "utility": 0.9, "are": 0.04, "are-queries": 1000, "ncp-by-column": { column.as_str(): 0.1 },
            "minimal-distortion-by-column": { column.as_str(): 3 }, value.as_str(): 1.5 },
        "risk": { "before": risks, "after": risks },
        "seconds": { "read": 0.1, "total": 0.2 }, "peak-memory-bytes": 1048576, "notes": [note],
        "attacks": { "attacks": [{ "name": kind, "column": column, "question": note, "success": 0.5, "bound": 0.5, "promised": true, "beaten": false, "how": { "kind": found } }],
            "notes": [note], "not-tried": [value] },
    })
}

fn pages(texts: &[String; 5]) -> [String; 2] {
    let [column, value, note, _, found] = texts;
    let rows: Vec<Vec<&str>> =
        (0..6).map(|row| vec![value.as_str(), if row < 3 { "1" } else { "2" }]).collect();
    let table = RawTable::from_rows(&[column, "other"], &rows);
    let report = report(texts);
    let facts = PublishedFacts::of(std::slice::from_ref(column), Published::Table(&table));
    let house = HouseFacts {
        columns: facts.columns.clone(),
        names: vec![column.clone()],
        rows: vec![RowPair { record: Some(1), cells: vec![(format!("{value}!"), value.clone())] }],
    };
    let house = House {
        facts: &house,
        output: value.clone(),
        source: value.clone(),
        audit: value.clone(),
        seed: 7,
        policy: value.clone(),
        policy_hash: value.clone(),
        input_hash: value.clone(),
    };
    let leaks = [
        LeakKind::UniqueValues { count: 3, of: 6 }.of_column(column),
        LeakKind::FileOrder { count: 2, columns: note.clone() }.into(),
        LeakKind::LeftOut { count: 2, of: 8, unit: Unit::Records, reason: LeftOut::FewAlike }.into(),
    ];
    let finding = |promise, holds| Finding {
        promise,
        column: Some(column.clone()),
        found: Figure::Words(found.clone()),
        holds,
    };
    let promises = [
        finding(Promise::KAnonymity { k: 2 }, true),
        finding(Promise::Values(Rule::Distinct { l: 2 }), false),
        finding(Promise::Confidence { about: value.clone(), c: 0.5 }, true),
    ];
    let promises: Vec<Seen> = promises
        .into_iter()
        .map(Seen::Judged)
        .chain([Seen::NotSeen { promise: Promise::PersonalK, column: Some(column.clone()) }])
        .collect();
    [None, Some(&house)].map(|house| {
        write(&Page { report: &report, promises: &promises, leaks: &leaks, facts: &facts, house })
    })
}

/// The tags of a page with their attributes' names, in order. Panics where the page is not well formed.
fn structure(page: &str) -> Vec<String> {
    const VOID: [&str; 5] = ["meta", "input", "br", "!DOCTYPE", "rect"];
    let (mut tags, mut open, mut rest) = (Vec::new(), Vec::new(), page);
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(closing) = rest.strip_prefix('/') {
            let end = closing.find('>').expect("a tag ends");
            assert_eq!(open.pop(), Some(closing[..end].to_owned()), "in order");
            rest = &closing[end..];
            continue;
        }
        let name_end = rest.find([' ', '>', '/', '\n']).expect("a tag ends");
        let name = rest[..name_end].to_owned();
        let mut tag = name.clone();
        rest = rest[name_end..].trim_start();
        while !rest.starts_with(['>', '/']) {
            let end = rest.find(['=', ' ', '>']).expect("an attribute ends");
            tag.push_str(&format!(" {}", &rest[..end]));
            rest = rest[end..].trim_start();
            if let Some(value) = rest.strip_prefix("=\"") {
                rest = value[value.find('"').expect("a value ends") + 1..].trim_start();
            }
        }
        if !VOID.contains(&name.as_str()) {
            open.push(name.clone());
        }
        tags.push(tag);
        // What stands in them is ours and holds no markup.
        if name == "style" || name == "script" {
            let end = rest.find(&format!("</{name}>")).expect("it ends");
            rest = &rest[end..];
        }
    }
    assert!(open.is_empty(), "{open:?}");
    tags
}

fn harmless() -> [String; 5] {
    ["column", "value", "note", "kind", "found"].map(str::to_owned)
}

/// What somebody might put into a file to change the page that reports on it. No backticks: our own sentences quote with them.
fn nasty() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        Just("</script><script>alert(1)</script>"),
        Just("<svg onload=alert(1)>"),
        Just("\" onclick=\"x"),
        Just("' x='"),
        Just("<!--"),
        Just("-->"),
        Just("]]>"),
        Just("</style>"),
        Just("&lt;"),
        Just("&#0;"),
        Just("\u{0}\u{1b}[0m\u{7f}"),
        Just("\u{202e}"),
        Just("{}"),
        Just("é漢字"),
    ];
    prop::collection::vec(parts, 1..4).prop_map(|parts| format!("x{}", parts.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_changes_the_structure_of_a_page(texts in prop::array::uniform5(nasty())) {
        // Two equal texts could be one bar where there were two.
        prop_assume!(texts.iter().collect::<HashSet<_>>().len() == 5);
        let expected = pages(&harmless()).map(|page| structure(&page));
        let found = pages(&texts).map(|page| structure(&page));
        let differs = found.iter().flatten().zip(expected.iter().flatten()).position(|(a, b)| a != b);
        prop_assert!(found == expected, "from tag {:?} on", differs);
    }
}

#[test]
fn pages_are_well_formed_and_ask_for_nothing() {
    for page in pages(&harmless()) {
        let tags = structure(&page);
        assert_eq!(tags.iter().filter(|tag| tag.starts_with("script")).count(), 1);
        let loads = ["link", "img", "iframe", "object", "embed", "form"];
        assert!(!tags.iter().any(|tag| loads.contains(&tag.split(' ').next().unwrap())));
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
    }
}

#[test]
fn every_link_leads_to_a_place_in_the_page_and_places_have_one_name() {
    for page in pages(&harmless()) {
        let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
        let names = |attribute: &'static str| {
            page.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap())
        };
        names(" id=\"").for_each(|id| *ids.entry(id).or_default() += 1);
        assert!(ids.values().all(|&times| times == 1), "{ids:?}");
        for link in names(" href=\"#") {
            assert!(ids.contains_key(link), "{link}");
        }
    }
}

#[test]
fn only_the_house_edition_shows_what_is_for_the_house() {
    let [out, house] = pages(&harmless());
    assert!(house.contains("value!") && !out.contains("value!"));
    assert!(house.contains("Seed") && !out.contains("Seed"));
}

#[test]
fn the_page_names_the_hash_of_its_script() {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let hash = Sha256::digest(SCRIPT.as_bytes());
    let mut base64 = String::new();
    for bytes in hash.chunks(3) {
        let group = bytes
            .iter()
            .enumerate()
            .fold(0_u32, |group, (at, &byte)| group | u32::from(byte) << (16 - 8 * at));
        for digit in 0..=bytes.len() {
            base64.push(DIGITS[(group >> (18 - 6 * digit)) as usize & 63] as char);
        }
    }
    while !base64.len().is_multiple_of(4) {
        base64.push('=');
    }
    assert_eq!(base64, SCRIPT_HASH, "after a change of script.js");
}

#[test]
fn every_promise_is_told_in_sentences() {
    let bound = |bound| ColumnBound { column: "illness".into(), bound };
    let (gain, share) = (bound(Bound::Gain(3.0)), bound(Bound::Share(0.3)));
    let knowledge = |bounds| Promise::Knowledge { k: 3, length: 2, support: Support::Compatible, bounds };
    let promises = [
        Promise::KAnonymity { k: 3 },
        Promise::PersonalK,
        Promise::Values(Rule::Distinct { l: 3 }),
        Promise::Values(Rule::Frequency { l: 3 }),
        Promise::Values(Rule::Entropy { l: 3.0 }),
        Promise::Values(Rule::Recursive { l: 3, c: 1.0 }),
        Promise::Values(Rule::Close { t: 0.3, distance: Distance::Equal }),
        Promise::Values(Rule::Alike(Likeness::Basic(3.0))),
        Promise::Itemsets { k: 3, m: 2, share: None },
        Promise::Itemsets { k: 3, m: 2, share: Some(0.25) },
        Promise::Complete { k: 3 },
        Promise::Constraints { k: 3 },
        Promise::Confidence { about: "illness".into(), c: 0.3 },
        knowledge(vec![]),
        knowledge(vec![gain.clone()]),
        knowledge(vec![share.clone()]),
        knowledge(vec![gain, share]),
    ];
    let empty = json!({ "shape": "table" });
    let facts = PublishedFacts::of(&[], Published::Table(&RawTable::default()));
    for promise in promises {
        let name = promise.name();
        let page = Page { report: &empty, promises: &[], leaks: &[], facts: &facts, house: None };
        let column = Some("illness".to_owned());
        let is_personal = promise == Promise::PersonalK;
        let finding = Finding { promise, column, found: Figure::Count(4), holds: true };
        assert!(crate::terms().any(|(term, _)| term == finding.promise.term()), "{name}");
        let said = promise::sentences(&page, &Seen::Judged(finding));
        assert!(said.promised.contains('3') || is_personal, "{name}: {}", said.promised);
        assert!(
            !said.promised.starts_with(&name) && said.promised.ends_with('.') && said.found.ends_with('.'),
            "{name}: {}",
            said.promised
        );
    }
}
