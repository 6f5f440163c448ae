//! What each published text stands for.

use std::fmt;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use serde::Serialize;
use shoal_core::{Hierarchy, Labels, SameValue, Transactions, parse_group, unquote_item};

use super::TransactionsConservationError;
use crate::origin::number;
use crate::promise::SHOWN;
use crate::{Violating, Violations};

/// What the texts of a published file stand for, and in which text each item is to be found.
#[derive(Clone, Debug)]
pub struct Meaning {
    readings: Vec<Reading>,
    image_of: HashMap<SameValue, u32, FixedState>,
    two_images: Violations<TwoImages>,
}

#[derive(Clone, Debug)]
struct Reading {
    form: Form,
    items: Vec<String>,
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// An item that stands for itself.
    Plain,
    /// `(a,b)`.
    Group,
    /// A node of the hierarchy that has leaves below it.
    Node,
}

/// An item in two images: two texts that both stand for it, two spellings of it among them. Whoever finds one of them does not know what the
/// other hides, so nothing that is counted for either can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TwoImages {
    /// The texts.
    pub texts: [String; 2],
}

impl Violating for TwoImages {
    const MANY: &'static str = "pairs of texts";
}

impl fmt::Display for TwoImages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.texts;
        write!(f, "item in two images: `{one}` and `{other}` stand for the same item")
    }
}

impl Meaning {
    /// What a stranger reads who knows the file and the policy: a node of the hierarchy stands for the leaves
    /// below it, `(a,b)` for its members, anything else for itself. Nodes come first, so that a label is never
    /// taken apart.
    pub fn of(texts: &Labels, hierarchy: Option<&Hierarchy>) -> Meaning {
        let readings = texts.iter().map(|text| read(text, hierarchy)).collect();
        Meaning::index(texts, readings)
    }

    /// What remains of that reading for somebody who knows the original. Leaves that nobody holds drop out;
    /// a text that stands for no original item, or that hides an item of its own name, is an error.
    pub fn within(
        &self,
        published: &Transactions,
        original: &Transactions,
    ) -> Result<Meaning, TransactionsConservationError> {
        let known = |item: &String| original.item(item).is_some();
        let mut readings = self.readings.clone();
        for (code, Reading { form, items }) in readings.iter_mut().enumerate() {
            let text = || published.items().get(code as u32).to_owned();
            let row = || first_row(published, code as u32);
            // A group is never an item: an item that is written like one is published in quotes.
            if *form == Form::Node && known(&text()) {
                return Err(TransactionsConservationError::Ambiguous { row: row(), text: text() });
            }
            match form {
                Form::Node => items.retain(known),
                Form::Plain | Form::Group => {
                    if let Some(unknown) = items.iter().find(|item| !known(item)) {
                        let item = unknown.clone();
                        return Err(TransactionsConservationError::Unknown {
                            row: row(),
                            text: text(),
                            item,
                        });
                    }
                }
            }
        }
        Ok(Meaning::index(published.items(), readings))
    }

    /// The items that a published text stands for.
    pub fn items(&self, text: u32) -> &[String] {
        &self.readings[text as usize].items
    }

    /// The published text that stands for an item, the first one where there are two; none where the item is
    /// suppressed.
    pub fn image(&self, item: &str) -> Option<u32> {
        self.image_of.get(&SameValue::from_text(item)).copied()
    }

    /// The texts that share an item. In a sound release there are none.
    pub fn two_images(&self) -> &Violations<TwoImages> {
        &self.two_images
    }

    fn index(texts: &Labels, readings: Vec<Reading>) -> Meaning {
        let mut image_of: HashMap<SameValue, u32, FixedState> = HashMap::with_hasher(FixedState::default());
        let mut pairs: HashSet<(u32, u32), FixedState> = HashSet::with_hasher(FixedState::default());
        let mut two_images = Violations { total: 0, worst: Vec::new(), all: Vec::new() };
        for (text, reading) in readings.iter().enumerate() {
            let text = text as u32;
            for item in &reading.items {
                let first = *image_of.entry(SameValue::from_text(item)).or_insert(text);
                if first != text && pairs.insert((first, text)) {
                    two_images.total += 1;
                    if two_images.worst.len() < SHOWN {
                        let texts = [first, text].map(|text| texts.get(text).to_owned());
                        two_images.worst.push(TwoImages { texts });
                    }
                }
            }
        }
        Meaning { readings, image_of, two_images }
    }
}

fn read(text: &str, hierarchy: Option<&Hierarchy>) -> Reading {
    let node = hierarchy.and_then(|tree| Some((tree, tree.node(text)?)));
    if let Some((tree, node)) = node {
        let items = tree.leaves_below(node).map(|leaf| tree.label(tree.leaf_node(leaf)).to_owned()).collect();
        let form = if tree.is_leaf(node) { Form::Plain } else { Form::Node };
        return Reading { form, items };
    }
    match parse_group(text) {
        Some(items) => Reading { form: Form::Group, items },
        // An item that would be taken for a group is published in quotes.
        None => {
            Reading { form: Form::Plain, items: vec![unquote_item(text).unwrap_or_else(|| text.to_owned())] }
        }
    }
}

/// The first published transaction with this text, as people count.
pub(super) fn first_row(published: &Transactions, text: u32) -> u64 {
    number(published.iter().position(|row| row.binary_search(&text).is_ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Hierarchy {
        Hierarchy::from_rows(&[
            vec!["apple", "fruit", "*"],
            vec!["pear", "fruit", "*"],
            vec!["(x,y)", "odd", "*"],
        ])
        .unwrap()
    }

    fn meaning(rows: &[Vec<&str>], tree: Option<&Hierarchy>) -> (Transactions, Meaning) {
        let published = Transactions::from_texts(rows);
        let meaning = Meaning::of(published.items(), tree);
        (published, meaning)
    }

    fn items<'a>(published: &Transactions, meaning: &'a Meaning, text: &str) -> &'a [String] {
        meaning.items(published.item(text).unwrap())
    }

    #[test]
    fn texts_are_read_as_nodes_groups_and_items() {
        let (published, found) = meaning(&[vec!["fruit", "(x,y)", "(a,\"b,c\")", "(d)", "e"]], Some(&tree()));
        assert_eq!(items(&published, &found, "fruit"), ["apple", "pear"]);
        assert_eq!(items(&published, &found, "(x,y)"), ["(x,y)"], "a label is never taken apart");
        assert_eq!(items(&published, &found, "(a,\"b,c\")"), ["a", "b,c"]);
        assert_eq!(items(&published, &found, "(d)"), ["(d)"]);
        assert_eq!(items(&published, &found, "e"), ["e"]);
        assert_eq!(found.image("pear"), published.item("fruit"));
        assert_eq!(found.image("b"), None);
        assert_eq!(found.two_images().total, 0);
    }

    #[test]
    fn an_item_has_one_image() {
        let (_, found) = meaning(&[vec!["(a,b)"], vec!["(a,b,c)", "a"]], None);
        assert_eq!(found.two_images().total, 2);
        assert_eq!(
            found.two_images().worst[0].to_string(),
            "item in two images: `(a,b)` and `(a,b,c)` stand for the same item"
        );
        let (_, found) = meaning(&[vec!["fruit", "*"]], Some(&tree()));
        assert_eq!(found.two_images().total, 1);
        let (_, found) = meaning(&[vec!["(a,b)", "(b,a)"]], None);
        assert_eq!(found.two_images().total, 1, "another order is another text");
    }

    #[test]
    fn the_original_decides_what_is_an_item() {
        let within = |published: &[Vec<&str>], original: &[Vec<&str>]| {
            let tree = tree();
            let (published, found) = meaning(published, Some(&tree));
            let text = published.items().get(0).to_owned();
            found
                .within(&published, &Transactions::from_texts(original))
                .map(|meaning| items(&published, &meaning, &text).to_vec())
        };
        assert_eq!(within(&[vec!["fruit"]], &[vec!["pear"]]).unwrap(), ["pear"]);
        let ambiguous =
            |text: &str| Err(TransactionsConservationError::Ambiguous { row: 1, text: text.into() });
        assert_eq!(within(&[vec!["fruit"]], &[vec!["fruit"]]), ambiguous("fruit"));
        // An item that is written like a group stands in quotes; without them it is a group.
        assert_eq!(within(&[vec!["\"(a,b)\""]], &[vec!["(a,b)"]]).unwrap(), ["(a,b)"]);
        let group = TransactionsConservationError::Unknown { row: 1, text: "(a,b)".into(), item: "a".into() };
        assert_eq!(within(&[vec!["(a,b)"]], &[vec!["(a,b)"]]), Err(group));
        let unknown = |text: &str, item: &str| {
            Err(TransactionsConservationError::Unknown { row: 2, text: text.into(), item: item.into() })
        };
        assert_eq!(within(&[vec![], vec!["(a,b)"]], &[vec!["a"]]), unknown("(a,b)", "b"));
        assert_eq!(within(&[vec![], vec!["z"]], &[vec!["a"]]), unknown("z", "z"));
    }

    #[test]
    fn of_many_texts_that_share_items_some_are_shown_and_all_are_counted() {
        // `a` is in every group, so that each but the first shares it with the first.
        let groups: Vec<String> = (0..=SHOWN + 1).map(|n| format!("(a,b{n:02})")).collect();
        let row: Vec<&str> = groups.iter().map(String::as_str).collect();
        let (_, meaning) = meaning(&[row], None);
        let two = meaning.two_images();
        assert_eq!((two.total, two.worst.len()), (SHOWN + 1, SHOWN));
    }
}
