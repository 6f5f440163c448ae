//! Every parser takes any text: it reads it or says what is wrong, and never panics.

use proptest::prelude::*;
use shoal_core::policy::PolicyDocument;
use shoal_core::{
    Column, DateFormat, Kind, PublishedValue, RawTable, Role, hierarchy, parse_group, render_item,
    split_items,
};

/// Texts made of what means something to a parser, and anything at all.
fn odd_text() -> impl Strategy<Value = String> {
    let meaningful = proptest::sample::select(vec![
        "\"",
        ";",
        ",",
        "\n",
        "\r",
        "*",
        "(",
        ")",
        "{",
        "}",
        "[1, 2]",
        " ",
        "=",
        "1",
        "\u{feff}",
        "é",
        "a",
        "b",
        "%Y",
        "%d",
        "version = 1\n",
        "[columns.a]\n",
        "role = \"quasi-identifier\"\n",
        "[data]\n",
        "\u{1f}",
    ]);
    let made = proptest::collection::vec(meaningful, 0..24).prop_map(|pieces| pieces.concat());
    prop_oneof![made, any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn policies(text in odd_text(), set in odd_text()) {
        let _ = PolicyDocument::parse(&text, &[]);
        let _ = PolicyDocument::parse(&text, &[set]);
    }

    #[test]
    fn hierarchies(text in odd_text()) {
        if let Ok(tree) = hierarchy::from_text(&text) {
            let again = hierarchy::from_text(&hierarchy::to_text(&tree, ';')).unwrap();
            prop_assert_eq!(tree.rows(), again.rows());
        }
    }

    #[test]
    fn published_values(text in odd_text(), values in proptest::collection::vec(odd_text(), 1..4)) {
        let rows: Vec<Vec<String>> = values.into_iter().map(|value| vec![value]).collect();
        let raw = RawTable::from_rows(&["c"], &rows);
        let column = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Text, &[]).unwrap();
        let _ = PublishedValue::parse(&text, &column.domain, None);
    }

    #[test]
    fn items(text in odd_text(), separator in proptest::sample::select(vec![' ', ',', ';'])) {
        let joined = split_items(&text, separator).collect::<Vec<_>>().join(&separator.to_string());
        prop_assert_eq!(&joined, &text, "cutting loses nothing");
        if let Some(members) = parse_group(&text) {
            prop_assert_eq!(parse_group(&render_item(&members)), Some(members));
        }
    }

    #[test]
    fn dates(format in odd_text(), text in odd_text()) {
        if let Ok(format) = DateFormat::new(&format) {
            let _ = format.seconds(&text);
        }
    }
}
