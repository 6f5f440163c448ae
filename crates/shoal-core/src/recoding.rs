use crate::NodeId;

/// The class of a record that is left out.
pub const SUPPRESSED: u32 = u32::MAX;

/// What one class publishes for one quasi-identifier, in codes.
///
/// This is what an algorithm decides. What a reader of the file sees is a
/// [`PublishedValue`](crate::PublishedValue), parsed from the text again: the verifier never looks here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// All members share this value.
    Exact(u32),
    /// An ordered column: from the value `lo` to the value `hi`, both of them members' values.
    Range {
        /// Code of the least value.
        lo: u32,
        /// Code of the greatest value.
        hi: u32,
    },
    /// A column without order and hierarchy: exactly these values, ascending, at least two.
    Set(Vec<u32>),
    /// A node of the column's hierarchy.
    Node(NodeId),
    /// Nothing: `*`.
    Suppressed,
}

/// What the members of one class publish, a cell per quasi-identifier in the table's column order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// One cell per quasi-identifier.
    pub cells: Vec<Cell>,
}

/// What an algorithm decides for a table: a class for each record and cells for each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRecoding {
    /// The class of each record, or [`SUPPRESSED`].
    pub class_of: Vec<u32>,
    /// The classes.
    pub classes: Vec<Class>,
}

impl TableRecoding {
    /// How many records are left out.
    pub fn suppressed(&self) -> usize {
        self.class_of.iter().filter(|&&c| c == SUPPRESSED).count()
    }

    /// How many members each class has.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes.len()];
        for &class in self.class_of.iter().filter(|&&c| c != SUPPRESSED) {
            sizes[class as usize] += 1;
        }
        sizes
    }
}

/// What an algorithm decides for sequences: what each event publishes, and who was put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequencesRecoding {
    /// The cluster of each person, or [`SUPPRESSED`] for somebody of whom nothing is published.
    pub cluster_of: Vec<u32>,
    /// A class for each event of the sequences, or [`SUPPRESSED`]; events of one class publish the same.
    pub events: TableRecoding,
}

impl SequencesRecoding {
    /// How many clusters there are: numbers are given without gaps.
    pub fn clusters(&self) -> usize {
        self.cluster_of.iter().filter(|&&c| c != SUPPRESSED).max().map_or(0, |&last| last as usize + 1)
    }

    /// Of how many people nothing is published.
    pub fn suppressed_persons(&self) -> usize {
        self.cluster_of.iter().filter(|&&c| c == SUPPRESSED).count()
    }
}

/// What an algorithm decides for transactions: every item has one image in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionsRecoding {
    /// The cluster of each item, or [`SUPPRESSED`].
    pub cluster_of: Vec<u32>,
    /// The clusters.
    pub clusters: Vec<ItemCluster>,
}

/// Items that are published as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemCluster {
    /// The items, ascending, at least one.
    pub items: Vec<u32>,
    /// The name that a hierarchy gives them; otherwise they are published as `(a,b)`.
    pub name: Option<String>,
}

impl TransactionsRecoding {
    /// A recoding from clusters; items in none of them are suppressed.
    ///
    /// # Panics
    /// When an item is in two clusters, or is not below `items`.
    pub fn from_clusters(items: usize, clusters: Vec<ItemCluster>) -> TransactionsRecoding {
        let mut cluster_of = vec![SUPPRESSED; items];
        for (number, cluster) in clusters.iter().enumerate() {
            for &item in &cluster.items {
                assert_eq!(cluster_of[item as usize], SUPPRESSED, "item {item} is in two clusters");
                cluster_of[item as usize] = number as u32;
            }
        }
        TransactionsRecoding { cluster_of, clusters }
    }

    /// How many items are suppressed.
    pub fn suppressed(&self) -> usize {
        self.cluster_of.iter().filter(|&&c| c == SUPPRESSED).count()
    }

    /// The image of a transaction: its clusters, ascending, each once.
    pub fn image(&self, items: &[u32]) -> Vec<u32> {
        let mut image: Vec<u32> =
            items.iter().map(|&item| self.cluster_of[item as usize]).filter(|&c| c != SUPPRESSED).collect();
        image.sort_unstable();
        image.dedup();
        image
    }
}
