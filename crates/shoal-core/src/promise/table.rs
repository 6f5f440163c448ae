//! What is promised about a table.

use super::Bound;

/// What every class of a published table must satisfy. A column of the role personal k asks for more: a class
/// reaches the largest k of its members.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePromise {
    /// The size of the crowd.
    pub k: usize,
    /// What else must be true of it.
    pub conditions: Vec<Condition>,
}

impl TablePromise {
    /// Crowds of k, and nothing else.
    pub fn crowds(k: usize) -> Self {
        TablePromise { k, conditions: Vec::new() }
    }
}

/// What must be true of a class in one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The column.
    pub column: String,
    /// What must be true.
    pub rule: Rule,
}

/// How much a class may give away about a sensitive column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Distinct l-diversity: at least l different values.
    Distinct {
        /// How many.
        l: usize,
    },
    /// Entropy l-diversity: the entropy of the values is at least log l.
    Entropy {
        /// As many as equally frequent values would have it.
        l: f64,
    },
    /// Recursive (c, l)-diversity: the most frequent value stands in fewer records than c times those that hold
    /// the l-th most frequent one or a rarer one.
    Recursive {
        /// From which value on, counted by falling frequency from 1.
        l: usize,
        /// How many times.
        c: f64,
    },
    /// t-closeness: the values are distributed as in the whole published table, up to a distance of t.
    Close {
        /// The greatest distance, from 0 to 1.
        t: f64,
        /// How far two values are apart.
        distance: Distance,
    },
    /// β-likeness: no value is much more frequent than in the whole published table.
    Alike(Likeness),
}

/// How far two values of a sensitive column are apart, from 0 to 1 (N. Li, T. Li, S. Venkatasubramanian,
/// *t-Closeness*, ICDE 2007, §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// The difference of their ranks among the values of the column. A missing value stands behind all others.
    Ordered,
    /// 1.
    Equal,
    /// The height of the lowest node above both in the column's hierarchy, by the height of the root.
    Hierarchical,
}

/// How much more frequent than in the whole table a value may be in a class (J. Cao, P. Karras, *Publishing
/// Microdata with a Robust Privacy Guarantee*, PVLDB 5(11), 2012).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Likeness {
    /// Basic: its share may rise by β times itself.
    Basic(f64),
    /// Enhanced: a frequent value may gain less, −ln of its share.
    Enhanced(f64),
}

impl Likeness {
    /// The greatest share that a class may have of a value whose share in the whole table is `p`. One place for
    /// the figure, so that who keeps a promise and who checks it agree in the last bit.
    pub fn allowed(self, p: f64) -> f64 {
        match self {
            Likeness::Basic(beta) => (1.0 + beta) * p,
            Likeness::Enhanced(beta) => Bound::Gain(beta).allowed(p),
        }
    }

    /// β.
    pub fn beta(self) -> f64 {
        match self {
            Likeness::Basic(beta) | Likeness::Enhanced(beta) => beta,
        }
    }
}
