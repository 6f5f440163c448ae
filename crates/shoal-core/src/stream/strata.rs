//! Strata: a partition of people by some of their quasi-identifiers. A stratum is a node, a band, a set or `*` per column,
//! written as any other published value is.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use crate::{Hierarchy, Kind, ValueParser, looks_generalized, parse_range, parse_set, quote_in_set};

/// A column by which people are parted.
#[derive(Clone, Debug)]
pub struct StrataColumn {
    /// Its name.
    pub name: String,
    /// Its place among a tuple's cells.
    pub cell: usize,
    /// How its values are read.
    pub parser: ValueParser,
    /// The hierarchy whose nodes its parts are, where it has one.
    pub hierarchy: Option<Arc<Hierarchy>>,
}

/// Which stratum a tuple is in, and what is published of it there.
///
/// Strata do not overlap, but for one exception: two bands of decimals or dates may share an edge, so that they leave no gap. A
/// value on such an edge belongs to the band that starts there.
#[derive(Clone, Debug)]
pub struct Strata {
    columns: Vec<StrataColumn>,
    strata: Vec<Stratum>,
    by_texts: HashMap<Vec<String>, usize>,
}

#[derive(Clone, Debug)]
struct Stratum {
    texts: Vec<String>,
    parts: Vec<Part>,
}

/// Which values of a column are in a stratum.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// All, those that nobody has seen included.
    Any,
    /// The leaves of the hierarchy below some nodes.
    Leaves(Vec<Range<u32>>),
    /// Numbers or dates, the lower edge included, and the upper one unless a neighbour starts there.
    Between { lo: f64, hi: f64, open: bool },
    /// These texts, ascending.
    OneOf(Vec<String>),
}

/// Texts that are not strata.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StrataError {
    /// A stratum without any, or with more cells than there are columns.
    #[error("a stratum has {cells} cells for {columns} columns")]
    Ragged {
        /// The cells.
        cells: usize,
        /// The columns.
        columns: usize,
    },
    /// A text that is neither a node of the column's hierarchy nor a set of them.
    #[error("`{text}` is not a node of the hierarchy of `{column}`")]
    NoNode {
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// Somebody would be in two strata.
    #[error("the strata ({one}) and ({other}) overlap")]
    Overlap {
        /// One of them.
        one: String,
        /// The other.
        other: String,
    },
}

impl Strata {
    /// One stratum for everybody.
    pub fn everybody() -> Strata {
        Strata {
            columns: Vec::new(),
            strata: vec![Stratum { texts: Vec::new(), parts: Vec::new() }],
            by_texts: HashMap::from([(Vec::new(), 0)]),
        }
    }

    /// Strata from their texts, one per column each.
    pub fn new(columns: Vec<StrataColumn>, texts: Vec<Vec<String>>) -> Result<Strata, StrataError> {
        let mut strata = Vec::with_capacity(texts.len());
        for texts in texts {
            if texts.len() != columns.len() {
                return Err(StrataError::Ragged { cells: texts.len(), columns: columns.len() });
            }
            let parts = columns.iter().zip(&texts).map(|(column, text)| Part::of(text, column));
            strata.push(Stratum { parts: parts.collect::<Result<_, _>>()?, texts });
        }
        // A stratum is known by its place, which must not depend on who wrote the texts down.
        strata.sort_by(|a, b| {
            let starts = a.parts.iter().zip(&b.parts).map(|(a, b)| a.start().total_cmp(&b.start()));
            starts
                .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
                .then_with(|| a.texts.cmp(&b.texts))
        });
        for (at, one) in strata.iter().enumerate() {
            let meets = |other: &&Stratum| {
                let mut pairs = columns.iter().zip(one.parts.iter().zip(&other.parts));
                pairs.all(|(column, (a, b))| a.overlaps(b, column))
            };
            if let Some(other) = strata[at + 1..].iter().find(meets) {
                let (one, other) = (one.texts.join(", "), other.texts.join(", "));
                return Err(StrataError::Overlap { one, other });
            }
        }
        open_edges(&mut strata, &columns);
        let by_texts = strata.iter().enumerate().map(|(at, stratum)| (stratum.texts.clone(), at)).collect();
        Ok(Strata { columns, strata, by_texts })
    }

    /// The columns by which people are parted.
    pub fn columns(&self) -> &[StrataColumn] {
        &self.columns
    }

    /// How many strata there are.
    pub fn len(&self) -> usize {
        self.strata.len()
    }

    /// Whether there is none, so that nobody can be published.
    pub fn is_empty(&self) -> bool {
        self.strata.is_empty()
    }

    /// What is published of the people of a stratum, a text per column.
    pub fn texts(&self, stratum: usize) -> &[String] {
        &self.strata[stratum].texts
    }

    /// The stratum of a tuple with these exact cells; none where a value is outside all of them.
    pub fn of_tuple<C: AsRef<str>>(&self, cells: &[C]) -> Option<usize> {
        if self.columns.is_empty() {
            return Some(0);
        }
        let values: Vec<Value<'_>> = self
            .columns
            .iter()
            .map(|column| Value::of(cells.get(column.cell).map_or("", AsRef::as_ref), column))
            .collect();
        self.strata
            .iter()
            .position(|stratum| stratum.parts.iter().zip(&values).all(|(part, value)| part.holds(value)))
    }

    /// The stratum of a line that shows the stratum's texts.
    pub fn of_line<C: AsRef<str>>(&self, cells: &[C]) -> Option<usize> {
        let text = |column: &StrataColumn| Some(cells.get(column.cell)?.as_ref().to_owned());
        let texts: Vec<String> = self.columns.iter().map(text).collect::<Option<_>>()?;
        self.by_texts.get(&texts).copied()
    }
}

/// A value as the parts of its column look at it.
struct Value<'v> {
    text: &'v str,
    position: Option<f64>,
    leaf: Option<u32>,
}

impl<'v> Value<'v> {
    fn of(text: &'v str, column: &StrataColumn) -> Value<'v> {
        let leaf = column.hierarchy.as_ref().and_then(|tree| tree.leaf(text));
        Value { text, position: column.parser.position(text), leaf }
    }
}

impl Part {
    fn of(text: &str, column: &StrataColumn) -> Result<Part, StrataError> {
        if text == "*" {
            return Ok(Part::Any);
        }
        if let Some(tree) = &column.hierarchy {
            let labels = match tree.node(text) {
                Some(_) => vec![text.to_owned()],
                None => parse_set(text).unwrap_or_default(),
            };
            let leaves = labels.iter().map(|label| Some(tree.leaves_below(tree.node(label)?)));
            let leaves: Option<Vec<Range<u32>>> = leaves.collect();
            return leaves
                .filter(|leaves| !leaves.is_empty())
                .map(Part::Leaves)
                .ok_or_else(|| StrataError::NoNode { column: column.name.clone(), text: text.to_owned() });
        }
        if let Some(at) = column.parser.position(text) {
            return Ok(Part::Between { lo: at, hi: at, open: false });
        }
        if let Some((lo, hi)) = parse_range(text, &column.parser) {
            return Ok(Part::Between { lo, hi, open: false });
        }
        let mut members = parse_set(text).unwrap_or_else(|| vec![text.to_owned()]);
        members.sort_unstable();
        members.dedup();
        Ok(Part::OneOf(members))
    }

    fn holds(&self, value: &Value<'_>) -> bool {
        match self {
            Part::Any => true,
            Part::Leaves(leaves) => {
                value.leaf.is_some_and(|leaf| leaves.iter().any(|range| range.contains(&leaf)))
            }
            Part::Between { lo, hi, open } => {
                value.position.is_some_and(|at| *lo <= at && (at < *hi || at == *hi && !open))
            }
            Part::OneOf(texts) => texts.binary_search_by(|text| text.as_str().cmp(value.text)).is_ok(),
        }
    }

    /// Where the part starts, for the order of strata; parts without an order are distinguished by their texts.
    fn start(&self) -> f64 {
        match self {
            Part::Any | Part::OneOf(_) => f64::NEG_INFINITY,
            Part::Leaves(leaves) => leaves.first().map_or(f64::NEG_INFINITY, |range| f64::from(range.start)),
            Part::Between { lo, .. } => *lo,
        }
    }

    fn overlaps(&self, other: &Part, column: &StrataColumn) -> bool {
        match (self, other) {
            (Part::Any, _) | (_, Part::Any) => true,
            (Part::Leaves(a), Part::Leaves(b)) => {
                a.iter().any(|a| b.iter().any(|b| a.start < b.end && b.start < a.end))
            }
            (Part::Between { lo: a, hi: b, .. }, Part::Between { lo: c, hi: d, .. }) => {
                let shares_an_edge =
                    column.parser.kind() != Kind::Integer && (b == c || d == a) && (a, b) != (c, d);
                a <= d && c <= b && !shares_an_edge
            }
            (Part::OneOf(a), Part::OneOf(b)) => {
                let a: BTreeSet<&String> = a.iter().collect();
                b.iter().any(|text| a.contains(text))
            }
            // A number is in no set of texts, and a column with a hierarchy has nodes only.
            (Part::Between { .. } | Part::Leaves(_) | Part::OneOf(_), _) => false,
        }
    }
}

/// Gives an edge that two neighbours share to the one that starts there.
fn open_edges(strata: &mut [Stratum], columns: &[StrataColumn]) {
    let starts_there = |one: &Stratum, other: &Stratum, at: usize| {
        let (Part::Between { lo, hi, .. }, Part::Between { lo: next, .. }) =
            (&one.parts[at], &other.parts[at])
        else {
            return false;
        };
        let beside = (0..columns.len()).filter(|column| *column != at);
        lo < hi
            && hi == next
            && beside.into_iter().all(|c| one.parts[c].overlaps(&other.parts[c], &columns[c]))
    };
    for at in 0..columns.len() {
        let open: Vec<bool> =
            strata.iter().map(|one| strata.iter().any(|other| starts_there(one, other, at))).collect();
        for (stratum, is_open) in strata.iter_mut().zip(open) {
            if let Part::Between { open, .. } = &mut stratum.parts[at] {
                *open = is_open;
            }
        }
    }
}

/// How several texts of a column are published as one: the text itself where it is alone and nobody could take it for
/// something general, otherwise as a set.
pub fn one_of(texts: &[&str]) -> String {
    match texts {
        [one] if !looks_generalized(one) => (*one).to_owned(),
        several => {
            let members: Vec<_> = several.iter().map(|text| quote_in_set(text)).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DateFormat;

    fn column(name: &str, cell: usize, kind: Kind) -> StrataColumn {
        let parser = ValueParser::new(kind, DateFormat::default());
        StrataColumn { name: name.to_owned(), cell, parser, hierarchy: None }
    }

    fn strata(columns: Vec<StrataColumn>, texts: &[&[&str]]) -> Result<Strata, StrataError> {
        let owned = |texts: &&[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Strata::new(columns, texts.iter().map(owned).collect())
    }

    #[test]
    fn a_tuple_is_found_by_its_values_and_a_line_by_its_texts() {
        let columns = vec![column("age", 1, Kind::Integer), column("sex", 0, Kind::Text)];
        let strata =
            strata(columns, &[&["[40, 90]", "*"], &["[17, 39]", "{F, x}"], &["[17, 39]", "M"]]).unwrap();
        let of = |sex: &str, age: &str| strata.of_tuple(&[sex, age]).map(|at| strata.texts(at).join(" "));
        assert_eq!(of("F", "20").unwrap(), "[17, 39] {F, x}");
        assert_eq!(of("M", "39").unwrap(), "[17, 39] M");
        assert_eq!(of("nobody", "40").unwrap(), "[40, 90] *");
        assert_eq!((of("nobody", "20"), of("M", "91"), of("M", "")), (None, None, None));
        let line = strata.of_line(&["{F, x}", "[17, 39]"]).unwrap();
        assert_eq!(strata.texts(line), ["[17, 39]", "{F, x}"]);
        assert_eq!(strata.of_line(&["F", "20"]), None);
    }

    #[test]
    fn bands_of_decimals_share_an_edge_and_leave_no_gap() {
        let dose = || vec![column("dose", 0, Kind::Decimal)];
        let strata_of = |texts: &[&[&str]]| strata(dose(), texts);
        let parted = strata_of(&[&["[0.5, 1.5]"], &["[0, 0.5]"]]).unwrap();
        assert_eq!(parted.texts(0), ["[0, 0.5]"]);
        assert_eq!(parted.of_tuple(&["0.49"]), Some(0));
        assert_eq!(parted.of_tuple(&["0.5"]), Some(1));
        assert_eq!((parted.of_tuple(&["1.5"]), parted.of_tuple(&["1.51"])), (Some(1), None));
        // An edge is open only where a neighbour starts, not where somebody elsewhere does.
        let both = vec![column("dose", 0, Kind::Decimal), column("sex", 1, Kind::Text)];
        let parted = strata(both, &[&["[0, 7]", "F"], &["[0, 7]", "M"], &["[7, 9]", "M"]]).unwrap();
        let of = |sex: &str| parted.texts(parted.of_tuple(&["7", sex]).unwrap()).join(" ");
        assert_eq!((of("F"), of("M")), ("[0, 7] F".into(), "[7, 9] M".into()));
        assert!(matches!(strata_of(&[&["[0, 1]"], &["[0.5, 2]"]]), Err(StrataError::Overlap { .. })));
        assert!(matches!(strata_of(&[&["[0, 1]"], &["[0, 1]"]]), Err(StrataError::Overlap { .. })));
        let ages = |texts: &[&[&str]]| strata(vec![column("age", 0, Kind::Integer)], texts);
        assert!(matches!(ages(&[&["[0, 9]"], &["[9, 20]"]]), Err(StrataError::Overlap { .. })));
        assert!(matches!(ages(&[&["[0, 9]", "x"]]), Err(StrataError::Ragged { .. })));
    }

    #[test]
    fn nodes_of_a_hierarchy_are_strata() {
        let tree =
            Hierarchy::from_rows(&[vec!["a", "x", "*"], vec!["b", "x", "*"], vec!["c", "y", "*"]]).unwrap();
        let columns = vec![StrataColumn { hierarchy: Some(Arc::new(tree)), ..column("city", 0, Kind::Text) }];
        let parted = strata(columns.clone(), &[&["x"], &["c"]]).unwrap();
        assert_eq!(parted.of_tuple(&["b"]).map(|at| parted.texts(at)[0].clone()), Some("x".to_owned()));
        assert_eq!(parted.of_tuple(&["d"]), None);
        let both = strata(columns.clone(), &[&["{a, y}"], &["b"]]).unwrap();
        assert_eq!(both.of_tuple(&["c"]).map(|at| both.texts(at)[0].clone()), Some("{a, y}".to_owned()));
        assert!(matches!(strata(columns.clone(), &[&["x"], &["b"]]), Err(StrataError::Overlap { .. })));
        assert!(matches!(strata(columns, &[&["z"]]), Err(StrataError::NoNode { .. })));
    }

    #[test]
    fn a_value_that_looks_general_is_written_as_a_set() {
        assert_eq!(
            (one_of(&["a"]), one_of(&["*"]), one_of(&["a", "b, c"])),
            ("a".into(), "{*}".into(), "{a, \"b, c\"}".into())
        );
    }
}
