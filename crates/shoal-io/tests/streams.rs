//! What is written to a published stream is read from it again, for both formats and all forms; and what is not a tuple is
//! said to be none.

use proptest::prelude::*;
use shoal_core::PolicyDocument;
use shoal_core::stream::StreamLine;
use shoal_io::stream::{LineError, StreamLayout};

const POLICY: &str = r#"
version = 1
[data]
shape = "stream"
source = "-"
person = "patient"
[columns.patient]
role = "identifier"
[columns.phone]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
missing = "error"
[columns.ward]
role = "insensitive"
[columns.salary]
role = "sensitive"
[columns.job]
role = "sensitive"
[privacy]
l = 2
"#;

fn layout(set: &[&str]) -> StreamLayout {
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    StreamLayout::of(PolicyDocument::parse(POLICY, &set).unwrap().policy())
}

const GOOD: &str =
    r#"{"patient":"p1","age":39, "sex":"M\u0061le","ward":7.50,"salary":"low","job":"clerk","phone":[1]}"#;

#[test]
fn a_tuple_is_read_from_json_and_leaves_as_it_came() {
    let layout = layout(&[]);
    let tuple = layout.read(GOOD.as_bytes()).unwrap();
    assert_eq!(tuple.person.as_deref(), Some("p1"));
    assert_eq!(tuple.cells, ["39", "Male", "7.50"]);
    assert_eq!(tuple.value(), "low|clerk");
    let mut line = Vec::new();
    layout.write_set(&tuple, &["a|b", "low|clerk"], &mut line);
    let expected = "{\"age\":39,\"sex\":\"M\\u0061le\",\"ward\":7.50,\"values\":[\"a|b\",\"low|clerk\"]}\n";
    assert_eq!(String::from_utf8_lossy(&line), expected);
}

#[test]
fn what_is_no_tuple_is_named() {
    let layout = layout(&[]);
    let with = |from: &str, to: &str| {
        assert!(GOOD.contains(from));
        layout.read(GOOD.replace(from, to).as_bytes()).unwrap_err()
    };
    assert!(matches!(with("}", ""), LineError::NotJson { .. }));
    assert!(matches!(layout.read(b"[1]").unwrap_err(), LineError::NotJson { .. }));
    assert!(matches!(layout.read(b"{} {}").unwrap_err(), LineError::NotJson { .. }));
    assert_eq!(layout.read(b"\xff").unwrap_err(), LineError::NotText);
    assert_eq!(with("\"ward\"", "\"bed\""), LineError::UnknownColumn { name: "bed".into() });
    assert_eq!(with("\"ward\"", "\"age\""), LineError::Twice { name: "age".into() });
    assert_eq!(with("39", "[39]"), LineError::Nested { name: "age".into() });
    assert_eq!(with("39", "\"old\"").to_string(), "`age` holds `old`, which is no integer");
    assert_eq!(with("\"low\"", "null"), LineError::Missing { name: "salary".into() });
    assert_eq!(with("\"salary\":\"low\",", ""), LineError::Missing { name: "salary".into() });
    assert_eq!(with("\"M\\u0061le\"", "\"?\""), LineError::Missing { name: "sex".into() });
    assert_eq!(with("\"p1\"", "\"\""), LineError::Missing { name: "patient".into() });
    assert!(matches!(with("low", "l|w"), LineError::Joint { .. }));
    // A missing quasi-identifier is a value of its own, unless the policy says otherwise.
    assert_eq!(layout.read(GOOD.replace("\"age\":39,", "").as_bytes()).unwrap().cells[0], "");
}

#[test]
fn a_csv_row_is_read_in_the_order_of_its_header() {
    let mut layout = layout(&["data.format=csv"]);
    layout.read_header(b"\xef\xbb\xbfsex,age,job,salary,ward,phone,patient").unwrap();
    let tuple = layout.read(b"F, 40 ,\"a, b\",high,\"w \"\"1\"\"\",,p2\r\n").unwrap();
    assert_eq!(tuple.cells, ["40", "F", "w \"1\""]);
    assert_eq!(tuple.sensitive, ["high", "a, b"]);
    // The same row in the order of the policy, for those who do not know the header.
    let line = b"F, 40 ,\"a, b\",high,\"w \"\"1\"\"\",,p2";
    let row = layout.in_policy_order(line);
    assert_eq!(String::from_utf8_lossy(&row), "p2,,40,F,\"w \"\"1\"\"\",high,\"a, b\"");
    assert_eq!(crate::layout(&["data.format=csv"]).read(&row).unwrap(), layout.read(line).unwrap());
    assert_eq!(*layout.in_policy_order(b"F,40"), *b"F,40");
    assert_eq!(layout.read(b"F,40").unwrap_err(), LineError::Width { expected: 7, found: 2 });
    assert!(matches!(layout.read(b"\"F,40,a,b,c,d,e").unwrap_err(), LineError::NotCsv { .. }));
    assert!(matches!(layout.read_header(b"sex,age").unwrap_err(), LineError::Missing { .. }));
    assert!(matches!(layout.read_header(b"sex,sex").unwrap_err(), LineError::Twice { .. }));
    assert!(matches!(layout.read_header(b"who").unwrap_err(), LineError::UnknownColumn { .. }));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9]{1,6}".boxed(),
        "[ -~]{1,8}".prop_map(|text| text.replace('|', "/")).boxed(),
        "[äöüß\u{1F41F}\t]{1,3}".boxed(),
    ]
    .prop_filter("values are not blank and not missing", |text| {
        let text = text.trim_matches([' ', '\t']);
        !text.is_empty() && text != "?" && !shoal_core::looks_generalized(text)
    })
    .prop_map(|text| text.trim_matches([' ', '\t']).to_owned())
}

proptest! {
    #[test]
    fn lines_survive_being_written(
        csv: bool, age in 0_u32..200, sex in text(), ward in text(), salary in text(), job in text(), others in prop::collection::btree_set(text(), 2..5),
        group: u64, count: u64, range in any::<bool>(),
    ) {
        let format = if csv { "data.format=csv" } else { "data.format=ndjson" };
        let mut source = Vec::new();
        if csv {
            let field = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            source.extend(format!("p,1,{age},{},{},{},{}", field(&sex), field(&ward), field(&salary), field(&job)).bytes());
        } else {
            let object = serde_json::json!({"patient": "p", "phone": 1, "age": age, "sex": sex, "ward": ward, "salary": salary, "job": job});
            source.extend(object.to_string().bytes());
        }
        let cells: Vec<String> = vec![age.to_string(), sex.clone(), ward.clone()];
        let plain = |cells: &[std::borrow::Cow<'_, str>]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();

        let layout_of = |more: &[&str]| layout(&[&[format], more].concat());
        let sets = layout_of(&[]);
        let tuple = sets.read(&source).unwrap();
        let values: Vec<&str> = others.iter().map(String::as_str).collect();
        let mut line = Vec::new();
        sets.write_set(&tuple, &values, &mut line);
        match sets.read_published(&line).unwrap() {
            StreamLine::Set { cells: read, values: set } => {
                prop_assert_eq!(plain(&read), cells.clone());
                prop_assert_eq!(plain(&set), values.clone());
            }
            other => prop_assert!(false, "{other:?}"),
        }

        let groups = layout_of(&["algorithm.mode=published"]);
        let tuple = groups.read(&source).unwrap();
        let mut line = Vec::new();
        groups.write_member(group, &tuple, &mut line);
        let read = groups.read_published(&line).unwrap();
        prop_assert_eq!(read, StreamLine::Member { group, cells: cells.iter().map(|c| c.as_str().into()).collect() });
        let mut line = Vec::new();
        groups.write_slot(group, values[0], count, &mut line);
        let read = groups.read_published(&line).unwrap();
        prop_assert_eq!(read, StreamLine::Slot { group, value: values[0].into(), count });

        let rows = layout_of(&["algorithm.name=castle", "privacy.k=2"]);
        let tuple = rows.read(&source).unwrap();
        let wider = range.then(|| "[1, 200]".to_owned());
        let mut line = Vec::new();
        rows.write_row(&tuple, &[wider.clone(), None, None], &mut line);
        let mut expected = cells.clone();
        if let Some(wider) = wider {
            expected[0] = wider;
        }
        let value = format!("{salary}|{job}");
        match rows.read_published(&line).unwrap() {
            StreamLine::Row { cells: read, value: found } => {
                prop_assert_eq!(plain(&read), expected);
                prop_assert_eq!(found, value);
            }
            other => prop_assert!(false, "{other:?}"),
        }
        let mut line = Vec::new();
        rows.write_suppressed(&mut line);
        let star = StreamLine::Row { cells: vec!["*".into(); 3], value: "*".into() };
        prop_assert_eq!(rows.read_published(&line).unwrap(), star);
    }

    #[test]
    fn no_line_makes_the_readers_panic(line in prop::collection::vec(any::<u8>(), 0..60), csv: bool) {
        let format = if csv { "data.format=csv" } else { "data.format=ndjson" };
        for more in [&["algorithm.mode=published"][..], &[], &["algorithm.name=castle", "privacy.k=2"]] {
            let mut layout = layout(&[&[format], more].concat());
            let _ = layout.read(&line);
            let _ = layout.read_published(&line);
            let _ = layout.read_header(&line);
        }
    }
}
