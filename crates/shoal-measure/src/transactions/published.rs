use shoal_core::{Hierarchy, Progress, Silent, Transactions, Unseen, parse_group, unquote_item};

use super::TransactionsMeasureError;

/// Published transactions beside their original: what each published text stands for.
///
/// A text is read as an item of the original; else as a group such as `(a,b)`; else as a node of the
/// hierarchy, which stands for the items of the original below it. The recoding is global: an item has one image
/// in all transactions, and an item that no text stands for is suppressed. The file must be what this recoding
/// makes of the original: every measure is taken from the recoding, and one that is not true of the file would
/// call untruths useful.
#[derive(Clone, Debug)]
pub struct PublishedItems<'a> {
    original: &'a Transactions,
    published: &'a Transactions,
    members: Vec<Vec<u32>>,
    image: Vec<Option<u32>>,
    /// Whose each published transaction is, where the original says whose its transactions are.
    persons: Option<Vec<u32>>,
    progress: Unseen<'a>,
}

impl<'a> PublishedItems<'a> {
    /// The same, for somebody who may not want to wait until everything is measured.
    pub fn with_progress(self, progress: &'a dyn Progress) -> PublishedItems<'a> {
        PublishedItems { progress: Unseen(progress), ..self }
    }

    /// Asked by measures in long loops: leaves the work where it was cancelled.
    pub fn check_wanted(&self) {
        self.progress.check();
    }

    /// Reads every published text once.
    pub fn read(
        original: &'a Transactions,
        published: &'a Transactions,
        hierarchy: Option<&Hierarchy>,
    ) -> Result<Self, TransactionsMeasureError> {
        if published.len() > original.len() {
            let (published, original) = (published.len(), original.len());
            return Err(TransactionsMeasureError::MoreTransactions { published, original });
        }
        let members = published.items().iter().map(|text| meaning(text, original, hierarchy));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        let image = images(original, published, &members)?;
        let origin = origins(original, published, &image)?;
        let persons =
            original.persons().map(|persons| origin.iter().map(|&from| persons[from as usize]).collect());
        Ok(PublishedItems { original, published, members, image, persons, progress: Unseen(&Silent) })
    }

    /// The transactions before.
    pub fn original(&self) -> &'a Transactions {
        self.original
    }

    /// The transactions after; their items are the published texts.
    pub fn published(&self) -> &'a Transactions {
        self.published
    }

    /// Whose each published transaction is, where the original says it. Of transactions that are published alike it is
    /// not known which is whose; which people have them is.
    pub fn persons(&self) -> Option<&[u32]> {
        self.persons.as_deref()
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

/// The items of the original that a published text stands for, ascending, at least one.
pub(super) fn meaning(
    text: &str,
    original: &Transactions,
    hierarchy: Option<&Hierarchy>,
) -> Result<Vec<u32>, TransactionsMeasureError> {
    // A node of the hierarchy is never taken apart; an item that is written like a group or in quotes is published in quotes.
    let is_node = hierarchy.is_some_and(|tree| tree.node(text).is_some());
    let plain = if is_node { None } else { unquote_item(text) };
    let item = plain.as_deref().unwrap_or(text);
    if let Some(item) = original.item(item).filter(|_| is_node || parse_group(text).is_none()) {
        return Ok(vec![item]);
    }
    let mut members = match (parse_group(text), hierarchy.and_then(|tree| Some((tree, tree.node(text)?)))) {
        (Some(group), _) => {
            let item = |member: &String| {
                original.item(member).ok_or_else(|| TransactionsMeasureError::UnknownMember {
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
        return Err(TransactionsMeasureError::Unknown { text: text.to_owned() });
    }
    Ok(members)
}

fn images(
    original: &Transactions,
    published: &Transactions,
    members: &[Vec<u32>],
) -> Result<Vec<Option<u32>>, TransactionsMeasureError> {
    let mut image: Vec<Option<u32>> = vec![None; original.items().len()];
    for (text, members) in (0..).zip(members) {
        for &item in members {
            if let Some(first) = image[item as usize].replace(text) {
                return Err(TransactionsMeasureError::TwoImages {
                    item: original.items().get(item).to_owned(),
                    first: published.items().get(first).to_owned(),
                    second: published.items().get(text).to_owned(),
                });
            }
        }
    }
    Ok(image)
}

/// For each published transaction one of the original that it can come from: the published transactions are those of
/// the original, each with its items' images and nothing else, in any order. Those of which nothing is published may
/// be left out: they show nothing.
fn origins(
    original: &Transactions,
    published: &Transactions,
    image: &[Option<u32>],
) -> Result<Vec<u32>, TransactionsMeasureError> {
    let image_of = |items: &[u32]| {
        let mut image: Vec<u32> = items.iter().filter_map(|&item| image[item as usize]).collect();
        image.sort_unstable();
        image.dedup();
        image
    };
    // Both lists are sorted by items, so that one pass over them finds the pairs, and what is in one of them only.
    let mut expected: Vec<(Vec<u32>, u32)> = original.iter().map(image_of).zip(0..).collect();
    expected.sort_unstable();
    let mut found: Vec<(&[u32], u64)> = published.iter().zip(1..).collect();
    found.sort_unstable();
    let mut origins = vec![0; published.len()];
    let (mut lost, mut untrue, mut first) = (0, 0, u64::MAX);
    let (mut expected, mut found) = (expected.iter().peekable(), found.into_iter().peekable());
    loop {
        match (expected.peek(), found.peek()) {
            (None, None) => break,
            (Some((image, from)), Some((texts, row))) if image.as_slice() == *texts => {
                origins[*row as usize - 1] = *from;
                expected.next();
                found.next();
            }
            (Some((image, _)), other) if other.is_none_or(|(texts, _)| image.as_slice() < *texts) => {
                lost += usize::from(!image.is_empty());
                expected.next();
            }
            (_, Some(&(_, row))) => {
                untrue += 1;
                first = first.min(row);
                found.next();
            }
            (Some(_), None) => unreachable!("an expected one without a found one is lost"),
        }
    }
    match (untrue, lost) {
        (0, 0) => Ok(origins),
        (0, transactions) => Err(TransactionsMeasureError::Lost { transactions }),
        (transactions, _) => Err(TransactionsMeasureError::Untrue { row: first, transactions }),
    }
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
            (
                vec![vec!["a", "b"], vec!["a", "c"]],
                "published transaction 2 is not true of any transaction of the original (1 such)",
            ),
            (
                vec![vec!["a"], vec!["b", "c"]],
                "published transaction 1 is not true of any transaction of the original (2 such)",
            ),
            (vec![vec![], vec![], vec![]], "3 transactions are published, but there were only 2"),
        ] {
            let published = Transactions::from_texts(&published);
            assert_eq!(read(&original, &published).unwrap_err(), expected);
        }
    }
}
