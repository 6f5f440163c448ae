use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;

use super::fold::IGNORABLE;
use super::*;
use crate::DateFormat;

fn same(one: &str, two: &str, kind: Kind) -> bool {
    let parser = ValueParser::new(kind, DateFormat::default());
    parser.same(one) == parser.same(two)
}

#[test]
fn texts_that_look_alike_are_one_value() {
    for (one, two) in [
        ("HIV", "hiv"),
        ("HIV", "\u{a0}HIV\t"),
        ("HIV", "HIV\u{200e}"),
        ("HIV", "H\u{ad}IV"),
        ("HIV", "H\u{34f}I\u{e0041}V\u{fe0f}"),
        ("HIV", "\u{7}HIV\0"),
        ("HIV", "\u{ff28}\u{ff29}\u{ff36}"),
        ("HIV 2", "hiv \u{a0}\u{2003} 2"),
        ("caf\u{e9}", "CAFE\u{301}"),
        // What parts the letter from its accent is not seen.
        ("caf\u{e9}", "cafe\u{34f}\u{301}"),
        ("Straße", "STRASSE"),
        ("Stra\u{1e9e}e", "straße"),
        ("\u{3a3}\u{3a3}", "\u{3c3}\u{3c2}"),
        ("\u{fb01}n", "FIN"),
        ("7", "07"),
        ("7", "+7."),
        ("7", "\u{ff17}\u{200e}"),
        (".5", "0.50"),
        ("-0", "0"),
        ("1000", "1000.00"),
        ("100000000000000000001", "100000000000000000001.0"),
    ] {
        assert!(same(one, two, Kind::Text), "{one:?} {two:?}");
        assert_eq!(PersonKey::from_text(one), PersonKey::from_text(two), "{one:?} {two:?}");
    }
    for (one, two) in [
        ("HIV", "HIV 2"),
        ("HIV", "H IV"),
        ("7", "70"),
        ("7", "-7"),
        ("7", "0.7"),
        ("1e5", "100000"),
        ("1e5", "1e05"),
        ("7", "VII"),
        ("", "0"),
        (".", ""),
        ("1.2.3", "1.23"),
        ("inf", "infinity"),
        ("12345678901234567", "12345678901234568"),
        ("0.12345678901234567", "0.12345678901234568"),
    ] {
        assert!(!same(one, two, Kind::Text), "{one:?} {two:?}");
        assert_ne!(PersonKey::from_text(one), PersonKey::from_text(two), "{one:?} {two:?}");
    }
}

#[test]
fn numbers_and_dates_are_what_they_mean() {
    for kind in [Kind::Integer, Kind::Decimal] {
        assert!(same("1e3", "1000", kind) && same("12E-1", "1.2", kind) && same("0e9", "-0.0", kind));
        assert!(!same("1e3", "1e4", kind) && !same("n/a", "na", kind) && same("N/A", "n/a ", kind));
        assert!(!same("12345678901234567", "12345678901234568", kind));
    }
    assert!(same("2020-01-02", " 2020-1-2", Kind::Date));
    assert!(same("2020-01-02", "2020-\u{200e}01-02\u{a0}", Kind::Date));
    assert!(!same("2020-01-02", "2020-01-03", Kind::Date));
    assert!(same("Never", "never", Kind::Date));
    // Exponents beyond the limit are not numbers, and not a reason to panic either.
    assert!(!same("1e9223372036854775807", "10e9223372036854775807", Kind::Decimal));
    assert!(!same("1.5e-9223372036854775808", "15e-9223372036854775808", Kind::Decimal));
}

#[test]
fn moments_that_differ_by_a_nanosecond_are_two() {
    let parser = ValueParser::new(Kind::Date, DateFormat::new("%Y-%m-%dT%H:%M:%S%.f").unwrap());
    let at = |text| parser.same(text);
    assert_eq!(at("2020-01-02T03:04:05.5"), at("2020-01-02T03:04:05.500000000"));
    assert_ne!(at("2020-01-02T03:04:05.000000001"), at("2020-01-02T03:04:05.000000002"));
}

#[test]
fn a_number_in_digits_is_as_it_is_written_without_needless_ones() {
    let cases =
        [("0012.3400", "12.34"), ("-000.5", "-0.5"), ("1200", "1200"), ("+0.0", "0"), ("-.00120", "-0.0012")];
    for (text, digits) in cases {
        assert_eq!(SameValue::from_text(text).as_str(), digits);
    }
}

#[test]
fn what_is_missing_is_decided_by_the_fold() {
    let mut builder = crate::RawColumnBuilder::new("c".to_owned());
    ["NA", "na ", "n\u{ad}a", "", " ", "?", "nab"]
        .iter()
        .for_each(|text| builder.push(text, crate::Place::default()));
    builder.push_null(crate::Place::default());
    let column = builder.finish();
    let missing = MissingTexts::new(&["na", ""]);
    assert_eq!(missing.codes(&column), [true, true, true, true, true, false, false, true]);
    assert!(!MissingTexts::default().has(""));
    assert!(MissingTexts::new(&["-99"]).has("-99.0"));
}

#[test]
fn the_ignorable_characters_are_those_of_unicode() {
    let property = regex_syntax::parse(r"\p{Default_Ignorable_Code_Point}").unwrap();
    let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = property.kind() else {
        panic!("a property is a class of characters")
    };
    let ranges: Vec<(char, char)> = class.iter().map(|range| (range.start(), range.end())).collect();
    assert_eq!(ranges, IGNORABLE);
}

/// Every character, alone and after a letter: the fold of a fold is itself, and its cases meet.
#[test]
fn the_fold_of_every_character_is_stable() {
    for c in char::MIN..=char::MAX {
        for text in [c.to_string(), format!("a{c}"), format!("{c}\u{301}a")] {
            let once = SameValue::from_text(&text);
            assert_eq!(SameValue::from_text(once.as_str()), once, "{text:?}");
        }
        let same = SameValue::from_text(&c.to_string());
        let cases = [
            c.to_uppercase().to_string(),
            c.to_lowercase().to_string(),
            caseless::default_case_fold_str(&c.to_string()),
        ];
        cases.iter().for_each(|case| assert_eq!(SameValue::from_text(case), same, "{c:?}"));
    }
}

/// Characters that a fold has to do with, and some that it has not.
fn text() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        4 => prop::sample::select("aAzZ019+-. eEéÉßẞΣςσſİıﬁ①½¨\u{301}\u{345}\u{327}\u{ff21}\u{a0}\u{2003}\t".chars().collect::<Vec<_>>()),
        1 => prop::sample::select(IGNORABLE.map(|(first, _)| first).to_vec()),
        1 => any::<char>(),
    ];
    prop::collection::vec(c, 0..12).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_fold_of_a_fold_is_itself(text in text()) {
        for kind in [Kind::Text, Kind::Integer, Kind::Decimal] {
            let parser = ValueParser::from(kind);
            let once = parser.same(&text);
            prop_assert_eq!(parser.same(once.as_str()), once);
        }
    }

    #[test]
    fn a_disturbance_makes_no_other_value(text in text(), at in 0_usize..13, ignorable in 0..IGNORABLE.len(), last in any::<bool>()) {
        let chars: Vec<char> = text.chars().collect();
        let (head, tail) = chars.split_at(at.min(chars.len()));
        let (head, tail) = (String::from_iter(head), String::from_iter(tail));
        let hidden = if last { IGNORABLE[ignorable].1 } else { IGNORABLE[ignorable].0 };
        let same = SameValue::from_text(&text);
        let is_same = |other: String| SameValue::from_text(&other) == same;
        let others = [format!("{head}{hidden}{tail}"), format!("{head}\u{1}{tail}"), format!("\u{a0} {text}\t\u{2003}")];
        prop_assert!(others.into_iter().all(is_same), "{:?}", hidden);
        prop_assert!(is_same(text.nfd().collect()) && is_same(text.nfkc().collect()));
        // Marks are put into their order only where nothing invisible is between them.
        let is_hidden = |c: &char| IGNORABLE.iter().any(|(from, to)| (from..=to).contains(&c));
        let seen: String = text.chars().filter(|c| !is_hidden(c) && !c.is_control()).collect();
        prop_assert!(SameValue::from_text(&caseless::default_case_fold_str(&seen.nfd().collect::<String>())) == SameValue::from_text(&seen));
        let wide = format!("{head} {tail}");
        let wider = format!("{head}\u{a0}\u{ad} \u{2009}{tail}");
        prop_assert_eq!(SameValue::from_text(&wide), SameValue::from_text(&wider));
    }

    #[test]
    fn a_number_is_its_value(whole in "[0-9]{1,25}", fraction in "[0-9]{0,25}", zeros in 0_usize..4, negative in any::<bool>()) {
        let sign = if negative { "-" } else { "" };
        let text = format!("{sign}{whole}.{fraction}");
        let longer = format!("{sign}{}{whole}.{fraction}{}", "0".repeat(zeros), "0".repeat(zeros));
        let power = fraction.len();
        for kind in [Kind::Text, Kind::Decimal] {
            prop_assert!(same(&text, &longer, kind));
            let next = if whole.ends_with('9') { '8' } else { '9' };
            let other = format!("{sign}{}{next}.{fraction}", &whole[..whole.len() - 1]);
            prop_assert!(!same(&text, &other, kind));
        }
        let scientific = format!("{sign}{whole}{fraction}e-{power}");
        prop_assert!(same(&text, &scientific, Kind::Decimal), "{}", scientific);
    }

    #[test]
    fn joined_keys_tell_lists_apart(one in prop::collection::vec("[ab1:]{0,3}", 0..4), two in prop::collection::vec("[ab1:]{0,3}", 0..4)) {
        let key = |texts: &[String]| PersonKey::from_texts(texts.iter().map(String::as_str));
        let folded = |texts: &[String]| texts.iter().map(|text| SameValue::from_text(text)).collect::<Vec<_>>();
        prop_assert_eq!(key(&one) == key(&two), folded(&one) == folded(&two));
    }
}
