//! In which form groups are published: written out wherever they occur, or as the numbers of a dictionary.
//!
//! Both forms say the same, and nothing but what they say decides between them: whoever has the file in one form can tell which one `auto`
//! chooses.

use shoal_core::policy::GroupsPolicy;
use shoal_core::{Groups, Hierarchy, Transactions};
use shoal_io::groups_size;

use crate::Sink;

/// Fewer bytes of items than this are written out: a single file that explains itself is worth more than its size.
const SMALL: usize = 64 << 20;
/// How many times larger the items must be written out than with a dictionary, before it is worth a second file.
const WORTH: usize = 3;

/// What is published.
pub(super) struct Form {
    /// The transactions with the texts that are written.
    pub published: Transactions,
    /// The dictionary, where they have numbers.
    pub groups: Option<Groups>,
    /// What a reader of the report should know about it.
    pub note: Option<String>,
}

/// Brings transactions whose groups are written out into the form that the policy asks for, as far as the sink has a place for it.
pub(super) fn choose(
    asked: GroupsPolicy,
    to: &impl Sink,
    published: Transactions,
    groups: Groups,
    hierarchy: Option<&Hierarchy>,
) -> Form {
    let wanted = match asked {
        GroupsPolicy::WrittenOut => false,
        GroupsPolicy::Dictionary => true,
        GroupsPolicy::Auto => is_worth(&published, &groups),
    };
    if !wanted {
        return Form { published, groups: None, note: None };
    }
    let written_out = |published, why: String| Form { published, groups: None, note: Some(why) };
    if groups.is_empty() {
        return written_out(
            published,
            "no items are published as a group, so that there is no dictionary".to_owned(),
        );
    }
    let Some(place) = to.place_of_groups() else {
        let why = format!(
            "groups are written out: nothing can lie beside {}, so that there is no dictionary",
            to.name()
        );
        return written_out(published, why);
    };
    // A node of the hierarchy is read as itself, however its label is written.
    if groups.numbers().any(|(number, _)| hierarchy.is_some_and(|tree| tree.node(&number).is_some())) {
        let why =
            "groups are written out: the hierarchy has a label that is written like the number of a group";
        return written_out(published, why.to_owned());
    }
    let texts = numbered(&published, &groups);
    let published = published.renamed(&texts).expect("no item is published under a text that is a number");
    let name = std::path::Path::new(&place).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let note = format!(
        "groups of items, {} in all, are published as numbers such as (1,), which {name} explains",
        groups.len()
    );
    Form { published, groups: Some(groups), note: Some(note) }
}

/// Whether a dictionary makes what is published much smaller.
fn is_worth(published: &Transactions, groups: &Groups) -> bool {
    let supports = published.supports();
    let size = |length: &dyn Fn(usize) -> usize| -> usize {
        // Between two items there is a separator.
        supports.iter().enumerate().map(|(item, &support)| support as usize * (length(item) + 1)).sum()
    };
    let written_out = size(&|item| published.items().get(item as u32).len());
    if written_out <= SMALL {
        return false;
    }
    let texts = numbered(published, groups);
    written_out > WORTH * (size(&|item| texts[item].len()) + groups_size(groups))
}

/// The text of each item, with numbers for groups.
fn numbered(published: &Transactions, groups: &Groups) -> Vec<String> {
    let mut texts: Vec<String> = published.items().iter().map(str::to_owned).collect();
    for (number, group) in groups.numbers() {
        if let Some(item) = published.item(group) {
            texts[item as usize] = number;
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use shoal_core::{Progress, RawTable};
    use shoal_io::{ColumnForm, WriteError};

    use super::*;
    use crate::batches::StagedBatches;

    /// A sink that may have a place for a dictionary.
    struct Place(Option<&'static str>);

    impl Sink for Place {
        type Staged = StagedBatches;

        fn name(&self) -> String {
            "somewhere".to_owned()
        }

        fn holds_lists(&self) -> bool {
            false
        }

        fn stage_table(
            &mut self,
            _: &RawTable,
            _: &[ColumnForm],
            _: &dyn Progress,
        ) -> Result<StagedBatches, WriteError> {
            unreachable!("nothing is staged")
        }

        fn place_of_groups(&self) -> Option<String> {
            self.0.map(str::to_owned)
        }
    }

    const BESIDE: Place = Place(Some("folder/out.dat.groups.csv"));

    fn members(size: usize) -> Vec<String> {
        (0..size).map(|item| format!("item{item:06}")).collect()
    }

    /// So many transactions that hold one group and another item.
    fn data(rows: usize, size: usize) -> (Transactions, Groups) {
        let members = members(size);
        let row = vec![shoal_core::render_item(&members), "x".to_owned()];
        (Transactions::from_texts(&vec![row; rows]), Groups::new(vec![members]))
    }

    fn chosen(asked: GroupsPolicy, to: &Place, (published, groups): (Transactions, Groups)) -> Form {
        choose(asked, to, published, groups, None)
    }

    #[test]
    fn by_itself_a_dictionary_is_for_large_files_that_it_makes_small() {
        let is_numbered = |data| chosen(GroupsPolicy::Auto, &BESIDE, data).groups.is_some();
        // 11 bytes a member, and a separator before `x`.
        let row = |size: usize| 11 * size + 2 + 2;
        let rows = SMALL / row(1_000);
        assert!(!is_numbered(data(rows, 1_000)));
        assert!(is_numbered(data(rows + 1, 1_000)));
        // Large, but by other items than groups.
        let (many, groups) = data(9, 2);
        let long = "y".repeat(SMALL / 8);
        let texts: Vec<&str> =
            many.items().iter().map(|text| if text == "x" { &long[..] } else { text }).collect();
        assert!(!is_numbered((many.clone().renamed(&texts).unwrap(), groups)));
    }

    #[test]
    fn the_policy_decides_as_far_as_there_is_a_place() {
        let form = chosen(GroupsPolicy::Dictionary, &BESIDE, data(3, 2));
        assert_eq!(form.published, Transactions::from_texts(&vec![vec!["(1,)", "x"]; 3]));
        assert_eq!(
            form.note.unwrap(),
            "groups of items, 1 in all, are published as numbers such as (1,), which out.dat.groups.csv explains"
        );
        let plain = data(3, 2).0;
        for (asked, to, data, note) in [
            (GroupsPolicy::WrittenOut, &BESIDE, data(3, 2), None),
            (GroupsPolicy::Auto, &BESIDE, data(3, 2), None),
            (GroupsPolicy::Auto, &Place(None), data(3, 2), None),
            (
                GroupsPolicy::Dictionary,
                &Place(None),
                data(3, 2),
                Some(
                    "groups are written out: nothing can lie beside somewhere, so that there is no dictionary",
                ),
            ),
            (
                GroupsPolicy::Dictionary,
                &BESIDE,
                (plain.clone(), Groups::default()),
                Some("no items are published as a group, so that there is no dictionary"),
            ),
        ] {
            let form = chosen(asked, to, data);
            assert_eq!((form.published, form.groups, form.note.as_deref()), (plain.clone(), None, note));
        }
        let tree = Hierarchy::from_rows(&[["x", "(1,)"], ["z", "(1,)"]].map(Vec::from)).unwrap();
        let (published, groups) = data(3, 2);
        let form = choose(GroupsPolicy::Dictionary, &BESIDE, published, groups, Some(&tree));
        assert_eq!((form.published, form.groups), (plain, None));
        assert!(form.note.unwrap().contains("the hierarchy has a label"));
    }
}
