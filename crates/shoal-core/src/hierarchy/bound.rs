use std::sync::Arc;

use super::{Hierarchy, HierarchyError, NodeId};
use crate::Domain;

/// A hierarchy together with the codes of one column's values.
#[derive(Clone, Debug)]
pub struct BoundHierarchy {
    tree: Arc<Hierarchy>,
    leaf_of: Vec<u32>,
}

impl BoundHierarchy {
    /// Finds every value of the domain among the leaves. The error is the code of the first value that the
    /// hierarchy misses. A missing value that the tree does not know joins it below `*`.
    pub fn new(tree: &Arc<Hierarchy>, domain: &Domain) -> Result<BoundHierarchy, BindError> {
        let mut tree = Arc::clone(tree);
        // A tree that is shared with other columns stays as it is: the one with the missing value is a copy.
        if let Some(missing) = domain.missing()
            && tree.leaf(domain.label(missing)).is_none()
        {
            tree = Arc::new(tree.with_leaf(domain.label(missing)).map_err(BindError::Missing)?);
        }
        let leaf_of = (0..domain.len() as u32)
            .map(|code| tree.leaf(domain.label(code)).ok_or(BindError::Outside { code }))
            .collect::<Result<_, _>>()?;
        Ok(BoundHierarchy { tree, leaf_of })
    }

    /// The tree.
    pub fn tree(&self) -> &Hierarchy {
        &self.tree
    }

    /// The same tree for another domain.
    pub(crate) fn rebound(&self, domain: &Domain) -> Result<BoundHierarchy, BindError> {
        BoundHierarchy::new(&self.tree, domain)
    }

    /// The leaf of a value.
    pub fn leaf_of(&self, code: u32) -> u32 {
        self.leaf_of[code as usize]
    }

    /// The leaves of all values, by code.
    pub fn leaves(&self) -> &[u32] {
        &self.leaf_of
    }

    /// The lowest node above two values. Constant time.
    pub fn lowest_common(&self, a: u32, b: u32) -> NodeId {
        self.tree.lowest_common(self.leaf_of(a), self.leaf_of(b))
    }
}

/// Why a hierarchy does not fit a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The hierarchy misses the value with this code.
    #[error("the hierarchy does not have the value with code {code}")]
    Outside {
        /// The code in the domain.
        code: u32,
    },
    /// The missing value cannot join the hierarchy.
    #[error("the missing value cannot join the hierarchy: {0}")]
    Missing(#[source] HierarchyError),
}
