//! What made the file, and how to check it.

use serde_json::Value;

use super::page::{Page, section};
use crate::markup::{Html, figure, html};

pub(super) fn about(page: &Page<'_>) -> Html {
    let seconds = |stage: &str| page.report["seconds"][stage].as_f64();
    let stages = ["read", "anonymize", "write", "verify", "measure"];
    let parts: Vec<String> = stages
        .iter()
        .filter_map(|stage| Some(format!("{stage} {}", figure(hundredths(seconds(stage)?)))))
        .collect();
    let mut facts: Vec<(&str, Html)> = vec![
        ("Program", html!("shoal {}", env!("CARGO_PKG_VERSION"))),
        ("Layout of the report", html!("{}", page.count("version").to_string())),
        ("Shape of the data", html!("{}", page.text("shape"))),
        ("Algorithm", html!("{}", page.text("algorithm"))),
        (
            "SHA-256 of the published file",
            html!("<code class=\"hash\">{}</code>", page.text("output-sha256")),
        ),
    ];
    if let Some(total) = seconds("total") {
        facts.push(("Seconds", html!("{} ({})", figure(hundredths(total)), parts.join(", "))));
    }
    if let Value::String(sha256) = &page.report["groups-sha256"] {
        let name = "SHA-256 of FILE.groups.csv, the dictionary of its groups";
        facts.insert(5.min(facts.len()), (name, html!("<code class=\"hash\">{}</code>", sha256.as_str())));
    }
    if let Value::Number(bytes) = &page.report["peak-memory-bytes"] {
        facts.push((
            "Memory at most",
            html!("{} MiB", figure((bytes.as_f64().unwrap_or_default() / f64::from(1 << 20)).round())),
        ));
    }
    let facts: Html =
        facts.iter().map(|(name, fact)| html!("<div><dt>{}</dt><dd>{}</dd></div>\n", name, fact)).collect();
    let verify = match page.house {
        None => html!(
            "<p>Anybody can check that this report is about a file, and count its crowds again:</p><ol><li>The SHA-256 of the file must be the one above: <code>sha256sum FILE</code>.</li>\
             <li>With a policy that names the roles of the columns and the promise, <code>shoal verify FILE --policy POLICY</code> reads the file and judges every promise \
             that the file alone can show. The program does not need to have made the file. <code>shoal report FILE --policy POLICY</code> makes this page again.</li><li>The publisher, who has the original, can also check that every published value is true: \
             <code>shoal verify FILE --policy audit.json --original ORIGINAL</code>.</li></ol>"
        ),
        Some(house) => html!(
            "<p>Repeat the proof, also against the original:</p><pre><code>shoal verify {} --policy {} --original {}</code></pre>",
            house.output,
            house.audit,
            house.source
        ),
    };
    section(
        "about",
        "Which program, which file, and how to check it",
        html!("<dl class=\"facts\">{}</dl><h3>Check it yourself</h3>{}", facts, verify),
    )
}

fn hundredths(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}
