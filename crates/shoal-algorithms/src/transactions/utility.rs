/// Which items may be published as one: `U` in the paper. Every item is in exactly one constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UtilityConstraints {
    group_of: Vec<u32>,
    groups: Vec<Vec<u32>>,
}

impl UtilityConstraints {
    /// Utility constraints over the items `0..items`, which must be a partition of them.
    pub fn new(items: usize, groups: Vec<Vec<u32>>) -> Result<UtilityConstraints, UtilityError> {
        const NONE: u32 = u32::MAX;
        let mut group_of = vec![NONE; items];
        for (number, group) in groups.iter().enumerate() {
            for &item in group {
                match group_of.get_mut(item as usize) {
                    None => return Err(UtilityError::Unknown { item, items }),
                    Some(of) if *of != NONE => {
                        let first = *of as usize + 1;
                        return Err(UtilityError::Doubled { item, first, second: number + 1 });
                    }
                    Some(of) => *of = number as u32,
                }
            }
        }
        match group_of.iter().position(|&of| of == NONE) {
            Some(item) => Err(UtilityError::Missing { item: item as u32 }),
            None => Ok(UtilityConstraints { group_of, groups }),
        }
    }

    /// Any items may be published as one.
    pub fn one_group(items: usize) -> UtilityConstraints {
        UtilityConstraints { group_of: vec![0; items], groups: vec![(0..items as u32).collect()] }
    }

    /// How many items there are.
    pub fn items(&self) -> usize {
        self.group_of.len()
    }

    /// The constraints, as they were given.
    pub fn groups(&self) -> &[Vec<u32>] {
        &self.groups
    }

    /// The constraint of an item, counted from 0.
    pub fn group_of(&self, item: u32) -> usize {
        self.group_of[item as usize] as usize
    }
}

/// Why utility constraints do not partition the items. Constraints are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UtilityError {
    /// An item is in no constraint.
    #[error("item number {item} is in no utility constraint")]
    Missing {
        /// The number of the item.
        item: u32,
    },
    /// An item is in two constraints, or twice in one.
    #[error("item number {item} is in utility constraint {first} and again in {second}")]
    Doubled {
        /// The number of the item.
        item: u32,
        /// The constraint that has it first.
        first: usize,
        /// The constraint that has it again.
        second: usize,
    },
    /// A constraint names an item that does not exist.
    #[error("a utility constraint names item number {item}, but there are only {items} items")]
    Unknown {
        /// The number.
        item: u32,
        /// How many items there are.
        items: usize,
    },
}

impl UtilityError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            UtilityError::Missing { .. } => "add it to a constraint; alone in one, it is never generalized",
            UtilityError::Doubled { .. } => "join the two constraints, or leave the item out of one",
            UtilityError::Unknown { .. } => "leave the item out, or correct its name",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_partition_is_taken() {
        let utility = UtilityConstraints::new(4, vec![vec![2], vec![3, 0, 1]]).unwrap();
        assert_eq!([0, 1, 2, 3].map(|item| utility.group_of(item)), [1, 1, 0, 1]);
        let refused = |groups| UtilityConstraints::new(3, groups).unwrap_err();
        assert_eq!(refused(vec![vec![0, 2]]), UtilityError::Missing { item: 1 });
        let doubled = UtilityError::Doubled { item: 0, first: 1, second: 2 };
        assert_eq!(refused(vec![vec![0, 1], vec![2, 0]]), doubled);
        assert_eq!(refused(vec![vec![0, 1, 2, 3]]), UtilityError::Unknown { item: 3, items: 3 });
        assert_eq!(UtilityConstraints::one_group(3).groups(), [vec![0, 1, 2]]);
    }
}
