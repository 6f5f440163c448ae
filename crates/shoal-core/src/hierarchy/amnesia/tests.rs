use proptest::prelude::*;

use crate::Hierarchy;
use crate::hierarchy::{AmnesiaError, HierarchyError, from_text, to_amnesia};

/// As Amnesia itself saves it, with a blank after each line of a group.
const EDUCATION: &str = "distinct\nname education\ntype string\nheight 4\n\nschool has 9th 10th \nhigh has Bachelors Masters \n\n\
                         known has school high \n\n* has known ? \n\n";

fn file(body: &str) -> String {
    format!("distinct\nname x\ntype string\nheight 3\n\n{body}")
}

fn of_ranges(kind: &str, body: &str) -> String {
    format!("range\nname age\ntype {kind}\nheight 3\n\n{body}")
}

#[test]
fn a_file_of_labels_is_read() {
    let tree = from_text(EDUCATION).unwrap();
    assert_eq!(
        tree.rows(),
        [
            ["9th", "school", "known", "*"],
            ["10th", "school", "known", "*"],
            ["Bachelors", "high", "known", "*"],
            ["Masters", "high", "known", "*"],
            // Levels count from the top: what is less deep is itself on the lower ones.
            ["?", "?", "?", "*"],
        ]
    );
    let windows = EDUCATION.replace('\n', "\r\n");
    assert_eq!(from_text(&format!("\u{feff}{windows}")).unwrap().rows(), tree.rows());
}

#[test]
fn it_is_written_as_amnesia_writes_it() {
    let tree = from_text(EDUCATION).unwrap();
    assert_eq!(to_amnesia(&tree, "education", None).unwrap(), EDUCATION);
}

#[test]
fn whole_numbers_lose_the_fraction_that_amnesia_adds() {
    let text = "distinct\nname x\ntype int\nheight 2\n\n100.0 has 1.0 2.0 10.0\n";
    assert_eq!(from_text(text).unwrap().rows(), [["1", "100"], ["2", "100"], ["10", "100"]]);
    let decimal = text.replace("int", "decimal");
    assert_eq!(from_text(&decimal).unwrap().rows()[0], ["1.0", "100.0"]);
}

#[test]
fn ranges_of_whole_numbers_name_all_of_them() {
    // Neighbours share an end in Amnesia; it belongs to the upper one, the last end to the last range.
    let text = of_ranges(
        "int",
        "0.0,4.0 has 0.0,2.0 2.0,4.0 \n4.0,7.0 has 4.0,5.0 5.0,7.0 NaN,NaN \n\n0.0,7.0 has 0.0,4.0 4.0,7.0 \n",
    );
    let tree = from_text(&text).unwrap();
    assert_eq!(
        tree.rows(),
        [
            ["0", "[0, 1]", "[0, 3]", "*"],
            ["1", "[0, 1]", "[0, 3]", "*"],
            ["2", "[2, 3]", "[0, 3]", "*"],
            ["3", "[2, 3]", "[0, 3]", "*"],
            ["4", "[4, 4]", "[4, 7]", "*"],
            ["5", "[5, 7]", "[4, 7]", "*"],
            ["6", "[5, 7]", "[4, 7]", "*"],
            ["7", "[5, 7]", "[4, 7]", "*"],
        ]
    );
    let written = to_amnesia(&tree, "age", None).unwrap();
    assert!(written.starts_with(
        "range\nname age\ntype int\nheight 3\n\n0,3 has 0,1 2,3 \n4,7 has 4,4 5,7 \n\n0,7 has 0,3 4,7 \n\n"
    ));
    assert_eq!(from_text(&written).unwrap().rows(), tree.rows());
}

#[test]
fn groups_keep_their_ends_where_values_are_missing() {
    let tree = from_text("\"3\";\"[0, 4]\";\"[0, 9]\";*\n12;\"[10, 14]\";\"[10, 19]\";*\n").unwrap();
    let back = from_text(&to_amnesia(&tree, "age", None).unwrap()).unwrap();
    assert_eq!(back.leaf_count(), 10, "all numbers of the narrow ranges");
    for value in ["3", "12"] {
        assert_eq!(path(&back, value), path(&tree, value));
    }
}

#[test]
fn errors_name_the_line() {
    let broken = |body: &str| from_text(&file(body)).unwrap_err().to_string();
    assert_eq!(broken(""), "the hierarchy is empty");
    assert_eq!(broken("A has a b\nc d\n"), "line 7: `c d` is not `group has child child …`");
    assert_eq!(broken("High School has a\n"), "line 6: `High School has a` is not `group has child child …`");
    assert_eq!(broken("A has\n"), "line 6: `A has` is not `group has child child …`");
    assert_eq!(broken("A has a has b\n"), "line 6: `A has a has b` is not `group has child child …`");
    assert_eq!(
        broken("A has a\nB has a\n* has A B\n"),
        "`a` has two parents: `A` in line 6 and `B` in line 7"
    );
    assert_eq!(
        broken("A has a\nB has b\n"),
        "there is no single top: nothing is above `A` (line 6) nor above `B` (line 7)"
    );
    assert_eq!(broken("* has a\nA has B\nB has A\n"), "line 7 comes back to `A`");
    let deep: String = (0..400).map(|level| format!("g{} has g{level}\n", level + 1)).collect();
    assert!(matches!(from_text(&file(&deep)), Err(HierarchyError::TooDeep { .. })));
    let circle: String = (0..400).map(|level| format!("g{} has g{level}\n", (level + 1) % 400)).collect();
    assert!(matches!(from_text(&file(&circle)), Err(HierarchyError::Cycle { .. })));

    let ranges = |kind: &str, body: &str| from_text(&of_ranges(kind, body)).unwrap_err().to_string();
    assert_eq!(ranges("int", "0,9 has 0,4 five\n"), "line 6: `five` is not a range of whole numbers");
    assert_eq!(ranges("int", "0,9 has 0,5 4,9\n"), "line 6: the range `4,9` overlaps `0,5`");
    assert_eq!(ranges("int", "0,9 has 5,5 5,9\n"), "line 6: the range `5,9` overlaps `5,5`");
    assert_eq!(
        ranges("decimal", "0,9 has 0,4\n"),
        "line 3: ranges of type `decimal` do not name the values below them"
    );
    assert!(matches!(
        from_text(&of_ranges("int", "0,9e9 has 0,9000000000 9000000000,9000000001\n")),
        Err(HierarchyError::TooManyLines { .. })
    ));
    let header = "distinct\nname x\nweight 3\n\nA has a\n";
    assert!(matches!(from_text(header), Err(HierarchyError::AmnesiaHeader { line: 3, .. })));
}

#[test]
fn a_file_of_ours_is_not_taken_for_one_of_amnesia() {
    assert_eq!(from_text("distinct;*\nname x;*\n").unwrap().leaf_count(), 2);
    assert!(matches!(from_text("distinct\nother\n"), Err(HierarchyError::TwoTops { .. })));
}

#[test]
fn what_amnesia_cannot_read_is_refused() {
    let written = |text: &str, blanks| to_amnesia(&from_text(text).unwrap(), "x", blanks);
    assert!(matches!(written("New York;*\n", Some('_')), Err(AmnesiaError::Value { .. })));
    assert!(matches!(written("has;*\n", None), Err(AmnesiaError::Value { .. })));
    assert!(matches!(written("a;my group;*\n", None), Err(AmnesiaError::Group { .. })));
    assert!(matches!(written("a;my group;*\n", Some(' ')), Err(AmnesiaError::Group { .. })));
    assert!(matches!(written("a;my group;*\nmy_group;*\n", Some('_')), Err(AmnesiaError::Same { .. })));
    assert!(matches!(written("a;a b;*\nc;a\tb;*\n", Some('_')), Err(AmnesiaError::Same { .. })));
    assert!(matches!(written("*\n", None), Err(AmnesiaError::NoGroup)));
}

/// The labels from a value to the top, each once.
fn path(tree: &Hierarchy, value: &str) -> Vec<String> {
    let leaf = tree.leaf_node(tree.leaf(value).expect("a value of both trees"));
    std::iter::successors(Some(leaf), |&node| tree.parent(node))
        .map(|node| tree.label(node).to_owned())
        .collect()
}

/// A tree with up to three levels of groups, some of which are left out here and there.
fn trees() -> impl Strategy<Value = Hierarchy> {
    let leaf = (0_u8..4, 0_u8..3, any::<bool>(), any::<bool>());
    prop::collection::vec(leaf, 1..40).prop_map(|leaves| {
        let row = |(at, (group, wide, grouped, widely)): (usize, (u8, u8, bool, bool))| {
            let mut row = vec![format!("v{at}")];
            // A group is always below the same wider one, or it would have two parents.
            row.extend(grouped.then(|| format!("g{group}-{wide}-{widely}")));
            row.extend(widely.then(|| format!("w{wide}")));
            row.push("*".to_owned());
            row
        };
        let rows: Vec<Vec<String>> = leaves.into_iter().enumerate().map(row).collect();
        Hierarchy::from_rows(&rows).expect("a tree")
    })
}

proptest! {
    #[test]
    fn to_amnesia_and_back_is_the_same_tree(tree in trees()) {
        let back = from_text(&to_amnesia(&tree, "x", None).unwrap()).unwrap();
        prop_assert_eq!(back.leaf_count(), tree.leaf_count());
        prop_assert_eq!(back.node_count(), tree.node_count());
        for leaf in 0..tree.leaf_count() {
            let value = tree.label(tree.leaf_node(leaf));
            prop_assert_eq!(path(&back, value), path(&tree, value));
        }
    }

    #[test]
    fn bad_input_is_an_error_and_no_panic(
        first in prop_oneof![Just("distinct"), Just("range")],
        kind in prop_oneof![Just("string"), Just("int"), Just("decimal"), Just("")],
        lines in prop::collection::vec("([ab*]|has|[0-9]{1,2},[0-9]{1,2}|-?[0-9]\\.0,NaN|\\PC)( has)?( [abc*]| [0-9]{1,2},[0-9]{1,2}| has|\\PC){0,4}", 0..8),
    ) {
        let text = format!("{first}\nname x\ntype {kind}\n\n{}\n", lines.join("\n"));
        if let Err(error) = from_text(&text) {
            let says_where = error.to_string().contains("line") || matches!(error, HierarchyError::Empty);
            prop_assert!(says_where, "{}", error);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(distinct|range)\n(name|type|height) \\PC{0,9}\n\\PC{0,99}") {
        let _ = from_text(&text);
    }
}
