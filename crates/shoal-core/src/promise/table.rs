//! What is promised about a table.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::Bound;

/// What every class of a published table must satisfy. A column of the role personal k asks for more: a class
/// reaches the largest k of its members.
///
/// Where several records can belong to one person, [`person`](Self::person) names the column that says whose each
/// one is, and everything is counted in people. With n the number of different people in a class, and c(v) that of
/// the people among them who have the value v in some record of the class:
///
/// - k and personal k: n reaches it.
/// - l-diversity must hold *whichever one of their values is counted for each person*. The worst choice is bounded
///   by dealing the n people out to the values, the most frequent first, each value taking as many of them as have
///   it and are left: no choice is less mixed. Distinct, entropy and recursive l-diversity are asked of
///   that. (Distinct: no l − 1 values are shared out among all people of the class.)
/// - β-likeness: the share of v is c(v) / n, and everybody's is that of all people of the file who have v.
/// - t-closeness: M / N times the distance between the (person, value) pairs of the class and those of the file, plus by
///   how much people have more values in the class than in the file, m / n − M / N where that is positive; m and n are
///   the pairs and people of the class, M and N those of the file. With the equal distance no value's
///   share of people is more than t above everybody's.
///
/// Where everybody has one record, all of this is what it is without a person.
///
/// **An empty sensitive cell is nobody's secret.** Of each column only those count who have a value in it: they are the n
/// people above, and everybody's shares are shares of all people with a value. A class of which nobody has a value keeps every
/// condition. It would be weaker to count the others as people with a harmless value: four of a class have no diagnosis and one
/// has HIV, an attacker knows from elsewhere that somebody was treated, and the share of 1/5 is certainty. It would be
/// stricter to take "no value" for a value: then registers, where most cells are empty, could not be published, and a
/// class of which nobody has a diagnosis would break a promise about diagnoses. That somebody has no value is not hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePromise {
    /// The size of the crowd.
    pub k: usize,
    /// What else must be true of it.
    pub conditions: Vec<Condition>,
    /// The column that says whose record each one is; `None` where every record is somebody else's.
    pub person: Option<String>,
    /// Who everybody is, by column, where the table is a part of something larger. t-closeness and β-likeness then
    /// compare with them and not with the table; parts of different people that all keep such a promise keep it
    /// together. They are people where a person is named, otherwise records.
    pub distributions: BTreeMap<String, Distribution>,
}

impl TablePromise {
    /// Crowds of k, and nothing else.
    pub fn crowds(k: usize) -> Self {
        TablePromise { k, conditions: Vec::new(), person: None, distributions: BTreeMap::new() }
    }
}

/// How often each value of a sensitive column occurs among everybody: how many records have it, or how many people. Those
/// without a value may be given by the empty text; they do not count.
///
/// ```
/// use shoal_core::Distribution;
///
/// let flu = Distribution::new([("flu".to_owned(), 30), ("gout".to_owned(), 10)]).unwrap();
/// assert_eq!((flu.total(), flu.members()), (40, 40));
/// // A value that nobody has is not one that a class could be compared with.
/// assert!(Distribution::new([("flu".to_owned(), 0)]).is_none());
///
/// // Of 35 people, five have had both.
/// let people = Distribution::of_people([("flu".to_owned(), 30), ("gout".to_owned(), 10)], 35).unwrap();
/// assert_eq!((people.total(), people.members()), (40, 35));
/// assert!(Distribution::of_people([("flu".to_owned(), 36)], 35).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    counts: Vec<(String, u32)>,
    /// How many people they are, where people are counted.
    people: Option<u64>,
}

impl Distribution {
    /// Records: counts above 0, at least one, by value; `None` for anything else.
    pub fn new(counts: impl IntoIterator<Item = (String, u32)>) -> Option<Distribution> {
        let counts: BTreeMap<String, u32> = counts.into_iter().collect();
        let holds = !counts.is_empty() && counts.values().all(|&count| count > 0);
        holds.then(|| Distribution { counts: counts.into_iter().collect(), people: None })
    }

    /// People with a value, who can have several: counts above 0 by value, none above the number of all these people; `None`
    /// for anything else.
    pub fn of_people(counts: impl IntoIterator<Item = (String, u32)>, people: u64) -> Option<Distribution> {
        let counts = Distribution::new(counts)?;
        let holds = counts.counts.iter().all(|&(_, count)| u64::from(count) <= people);
        holds.then_some(Distribution { people: Some(people), ..counts })
    }

    /// The values in the order of their texts, with how often each occurs.
    pub fn counts(&self) -> &[(String, u32)] {
        &self.counts
    }

    /// All counts together: records, or pairs of a person and one of their values.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| u64::from(count)).sum()
    }

    /// How many records or people they are.
    pub fn members(&self) -> u64 {
        self.people.unwrap_or_else(|| self.total())
    }

    /// Whether people are counted.
    pub fn counts_people(&self) -> bool {
        self.people.is_some()
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

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Condition { column, rule } = self;
        match rule {
            Rule::Distinct { l } => write!(f, "at least {l} different values of `{column}`"),
            Rule::Frequency { l } => write!(f, "no value of `{column}` in more than 1/{l} of the records"),
            Rule::Entropy { l } => write!(f, "values of `{column}` as mixed as {l} equally frequent ones"),
            Rule::Recursive { l, c } => {
                let from = if *l == 2 { "all others".to_owned() } else { format!("all from number {l} on") };
                write!(f, "the most frequent value of `{column}` rarer than {c} times {from} together")
            }
            Rule::Close { t, distance } => {
                let distance = match distance {
                    Distance::Ordered => "ordered",
                    Distance::Equal => "equal",
                    Distance::Hierarchical => "hierarchical",
                };
                write!(f, "values of `{column}` within {t} of everybody's ({distance} distance)")
            }
            Rule::Alike(likeness) => {
                let times = 1.0 + likeness.beta();
                write!(f, "no value of `{column}` more than {times} times as frequent as among everybody")?;
                match likeness {
                    Likeness::Basic(_) => Ok(()),
                    Likeness::Enhanced(_) => f.write_str(", frequent ones less"),
                }
            }
        }
    }
}

/// How much a class may give away about a sensitive column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rule {
    /// Distinct l-diversity: at least l different values.
    #[serde(rename = "distinct-l-diversity")]
    Distinct {
        /// How many.
        l: usize,
    },
    /// Frequency l-diversity: no value is in more than one record of l.
    #[serde(rename = "frequency-l-diversity")]
    Frequency {
        /// One of how many.
        l: usize,
    },
    /// Entropy l-diversity: the entropy of the values is at least log l.
    #[serde(rename = "entropy-l-diversity")]
    Entropy {
        /// As many as equally frequent values would have it.
        l: f64,
    },
    /// Recursive (c, l)-diversity: the most frequent value is in fewer records than c times those that hold
    /// the l-th most frequent one or a rarer one.
    #[serde(rename = "recursive-l-diversity")]
    Recursive {
        /// From which value on, counted by falling frequency from 1.
        l: usize,
        /// How many times.
        c: f64,
    },
    /// t-closeness: the values are distributed as in the whole published table, up to a distance of t.
    #[serde(rename = "t-closeness")]
    Close {
        /// The greatest distance, from 0 to 1.
        t: f64,
        /// How far two values are apart.
        distance: Distance,
    },
    /// β-likeness: no value is much more frequent than in the whole published table.
    #[serde(rename = "beta-likeness")]
    Alike(Likeness),
}

impl Rule {
    /// Whether it compares a class with everybody, so that it says something else where everybody is somebody else.
    pub fn compares(&self) -> bool {
        match self {
            Rule::Close { .. } | Rule::Alike(_) => true,
            Rule::Distinct { .. }
            | Rule::Frequency { .. }
            | Rule::Entropy { .. }
            | Rule::Recursive { .. } => false,
        }
    }
}

/// How far two values of a sensitive column are apart, from 0 to 1 (N. Li, T. Li, S. Venkatasubramanian,
/// *t-Closeness*, ICDE 2007, §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// The difference of their ranks among the values of the column.
    Ordered,
    /// 1.
    Equal,
    /// The height of the lowest node above both in the column's hierarchy, by the height of the root.
    Hierarchical,
}

/// How much more frequent than in the whole table a value may be in a class (J. Cao, P. Karras, *Publishing
/// Microdata with a Robust Privacy Guarantee*, PVLDB 5(11), 2012).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// Basic: its share may rise by β times itself.
    Basic(f64),
    /// Enhanced: a frequent value may gain less, −ln of its share.
    Enhanced(f64),
}

impl Likeness {
    /// The greatest share that a class may have of a value whose share in the whole table is `p`. One place for
    /// the figure, so that the code that keeps a promise and the code that checks it agree to the last bit.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_read_as_sentences() {
        let say = |rule| Condition { column: "ill".into(), rule }.to_string();
        assert_eq!(say(Rule::Distinct { l: 3 }), "at least 3 different values of `ill`");
        assert_eq!(say(Rule::Frequency { l: 3 }), "no value of `ill` in more than 1/3 of the records");
        assert_eq!(
            say(Rule::Recursive { l: 2, c: 1.5 }),
            "the most frequent value of `ill` rarer than 1.5 times all others together"
        );
        assert_eq!(
            say(Rule::Alike(Likeness::Enhanced(2.0))),
            "no value of `ill` more than 3 times as frequent as among everybody, frequent ones less"
        );
        let close = Rule::Close { t: 0.2, distance: Distance::Ordered };
        assert_eq!(say(close), "values of `ill` within 0.2 of everybody's (ordered distance)");
    }

    #[test]
    fn basic_likeness_lets_frequent_values_gain_as_much_as_rare_ones() {
        assert_eq!(Likeness::Basic(1.0).allowed(0.5), 1.0);
        assert!(Likeness::Enhanced(1.0).allowed(0.5) < 1.0);
        assert_eq!(Likeness::Basic(1.0).allowed(0.2), Likeness::Enhanced(1.0).allowed(0.2));
    }
}
