use shoal_core::{Hierarchy, Transactions, parse_group};

use super::TransactionMeasureError;

/// Published transactions beside their original: what each published text stands for.
///
/// A text is read as an item of the original; else as a group such as `(a,b)`; else as a node of the
/// hierarchy, which stands for the items of the original below it. Recoding is global: an item has one image
/// in all transactions, and an item that no text stands for is suppressed.
#[derive(Clone, Debug)]
pub struct PublishedItems<'a> {
    original: &'a Transactions,
    published: &'a Transactions,
    members: Vec<Vec<u32>>,
    image: Vec<Option<u32>>,
}

impl<'a> PublishedItems<'a> {
    /// Reads every published text once.
    pub fn read(
        original: &'a Transactions,
        published: &'a Transactions,
        hierarchy: Option<&Hierarchy>,
    ) -> Result<Self, TransactionMeasureError> {
        if published.len() > original.len() {
            let (published, original) = (published.len(), original.len());
            return Err(TransactionMeasureError::MoreTransactions { published, original });
        }
        let members = published.items().iter().map(|text| meaning(text, original, hierarchy));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        let image = images(original, published, &members)?;
        Ok(PublishedItems { original, published, members, image })
    }

    /// The transactions before.
    pub fn original(&self) -> &'a Transactions {
        self.original
    }

    /// The transactions after; their items are the published texts.
    pub fn published(&self) -> &'a Transactions {
        self.published
    }

    /// For each published text the items of the original that it stands for, ascending, at least one.
    pub fn members(&self) -> &[Vec<u32>] {
        &self.members
    }

    /// For each item of the original the published text that stands for it; none where it is suppressed.
    pub fn image(&self) -> &[Option<u32>] {
        &self.image
    }

    /// How many items are published as one with this item, itself included; none where it is suppressed.
    pub fn size_of_image(&self, item: u32) -> Option<usize> {
        self.image[item as usize].map(|text| self.members[text as usize].len())
    }

    /// The items that no published text stands for, ascending.
    pub fn suppressed(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.image).filter(|(_, image)| image.is_none()).map(|(item, _)| item)
    }
}

fn meaning(
    text: &str,
    original: &Transactions,
    hierarchy: Option<&Hierarchy>,
) -> Result<Vec<u32>, TransactionMeasureError> {
    if let Some(item) = original.item(text) {
        return Ok(vec![item]);
    }
    let mut members = match (parse_group(text), hierarchy.and_then(|tree| Some((tree, tree.node(text)?)))) {
        (Some(group), _) => {
            let item = |member: &String| {
                original.item(member).ok_or_else(|| TransactionMeasureError::UnknownMember {
                    text: text.to_owned(),
                    member: member.clone(),
                })
            };
            group.iter().map(item).collect::<Result<Vec<_>, _>>()?
        }
        (None, Some((tree, node))) => {
            let label = |leaf| tree.label(tree.leaf_node(leaf));
            tree.leaves_below(node).filter_map(|leaf| original.item(label(leaf))).collect()
        }
        (None, None) => Vec::new(),
    };
    members.sort_unstable();
    members.dedup();
    if members.is_empty() {
        return Err(TransactionMeasureError::Unknown { text: text.to_owned() });
    }
    Ok(members)
}

fn images(
    original: &Transactions,
    published: &Transactions,
    members: &[Vec<u32>],
) -> Result<Vec<Option<u32>>, TransactionMeasureError> {
    let mut image: Vec<Option<u32>> = vec![None; original.items().len()];
    for (text, members) in (0..).zip(members) {
        for &item in members {
            if let Some(first) = image[item as usize].replace(text) {
                return Err(TransactionMeasureError::TwoImages {
                    item: original.items().get(item).to_owned(),
                    first: published.items().get(first).to_owned(),
                    second: published.items().get(text).to_owned(),
                });
            }
        }
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Hierarchy {
        Hierarchy::from_rows(
            &[["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]].map(Vec::from),
        )
        .unwrap()
    }

    fn read<'a>(
        original: &'a Transactions,
        published: &'a Transactions,
    ) -> Result<PublishedItems<'a>, String> {
        PublishedItems::read(original, published, Some(&tree())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_is_an_item_or_a_group_or_a_node() {
        let original = Transactions::from_texts(&[vec!["a", "b"], vec!["c", "e"], vec!["f"]]);
        let published = Transactions::from_texts(&[vec!["ab"], vec!["(c,e)"], vec![]]);
        let items = read(&original, &published).unwrap();
        let meaning = |text| items.members()[published.item(text).unwrap() as usize].clone();
        assert_eq!(meaning("ab"), [0, 1]);
        assert_eq!(meaning("(c,e)"), [2, 3]);
        assert_eq!(items.suppressed().collect::<Vec<_>>(), [4]);
        assert_eq!((items.size_of_image(0), items.size_of_image(4)), (Some(2), None));
        // The leaf d below it never occurs, so that the node stands for c alone.
        let published = Transactions::from_texts(&[vec!["cd"]]);
        assert_eq!(read(&original, &published).unwrap().members(), [[2]]);
    }

    #[test]
    fn texts_without_a_meaning_are_named() {
        let original = Transactions::from_texts(&[vec!["a", "b"], vec!["c"]]);
        for (published, expected) in [
            (vec![vec!["x"]], "`x` stands for no item of the original"),
            (vec![vec!["d"]], "`d` stands for no item of the original"),
            (vec![vec!["(a,y)"]], "`(a,y)`: there is no item `y` in the original"),
            (vec![vec!["ab"], vec!["a"]], "`a` is published both as `a` and as `ab`"),
            (vec![vec![], vec![], vec![]], "3 transactions are published, but there were only 2"),
        ] {
            let published = Transactions::from_texts(&published);
            assert_eq!(read(&original, &published).unwrap_err(), expected);
        }
    }
}
