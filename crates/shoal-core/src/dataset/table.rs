use std::borrow::Cow;
use std::sync::Arc;

use super::{BadValue, Domain, RawColumn};
use crate::hierarchy::{BindError, BoundHierarchy, Hierarchy};
use crate::{Cell, Kind, Role, ValueParser, quote_in_set, without_exponent};

/// An encoded column with all that the policy says about it.
#[derive(Clone, Debug)]
pub struct Column {
    /// The column's name.
    pub name: String,
    /// What it means for privacy.
    pub role: Role,
    /// Its distinct values; the order of codes is the order of values.
    pub domain: Domain,
    /// The hierarchy of its values, if one is given.
    pub hierarchy: Option<BoundHierarchy>,
    /// Its share in distances and loss, > 0.
    pub weight: f64,
    /// The code of each record.
    pub codes: Vec<u32>,
}

impl Column {
    /// Encodes a column as it was read. It has no hierarchy and the weight 1.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use shoal_core::{Cell, Column, Hierarchy, Kind, RawTable, Role};
    ///
    /// let rows = [["Ulm"], ["Kiel"], ["Ulm"]].map(Vec::from);
    /// let raw = RawTable::from_rows(&["town"], &rows);
    /// let lines = [["Kiel", "North", "*"], ["Ulm", "South", "*"]].map(Vec::from);
    /// let tree = Arc::new(Hierarchy::from_rows(&lines).unwrap());
    /// let column = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Text, &[]).unwrap();
    /// let column = column.with_hierarchy(&tree).unwrap();
    /// assert_eq!(column.codes, [1, 0, 1]);
    /// let south = tree.node("South").unwrap();
    /// assert_eq!(column.render(&Cell::Node(south)), "South");
    /// ```
    pub fn encode(
        raw: &RawColumn,
        role: Role,
        parser: impl Into<ValueParser>,
        missing_tokens: &[String],
    ) -> Result<Column, BadValue> {
        let (domain, code_of) = Domain::of(raw, parser.into(), missing_tokens)?;
        let codes = raw.codes.iter().map(|&code| code_of[code as usize]).collect();
        Ok(Column { name: raw.name.clone(), role, domain, hierarchy: None, weight: 1.0, codes })
    }

    /// The column with a hierarchy of its values.
    pub fn with_hierarchy(self, tree: &Arc<Hierarchy>) -> Result<Column, BindError> {
        let hierarchy = Some(BoundHierarchy::new(tree, &self.domain)?);
        Ok(Column { hierarchy, ..self })
    }

    /// The column with another weight.
    pub fn with_weight(self, weight: f64) -> Column {
        Column { weight, ..self }
    }

    /// The column as an algorithm sees it that must not take texts that look alike for different values
    /// ([`Domain::merged`]); `None` where there are none. A value is the leaf of its hierarchy that its first text is.
    pub fn merged(&self) -> Option<Column> {
        let (domain, code_of) = self.domain.merged()?;
        let rebound = |bound: &BoundHierarchy| bound.rebound(&domain);
        let hierarchy = self.hierarchy.as_ref().map(rebound).transpose();
        let hierarchy = hierarchy.expect("the labels of the merged domain were leaves before");
        let codes = self.codes.iter().map(|&code| code_of[code as usize]).collect();
        let (name, role, weight) = (self.name.clone(), self.role, self.weight);
        Some(Column { name, role, domain, hierarchy, weight, codes })
    }

    /// The text that a cell of this column is published as.
    ///
    /// # Panics
    /// When the cell is a node and the column has no hierarchy.
    pub fn render(&self, cell: &Cell) -> String {
        match cell {
            Cell::Exact(code) => self.domain.label(*code).to_owned(),
            Cell::Range { lo, hi } => format!("[{}, {}]", self.end(*lo), self.end(*hi)),
            Cell::Set(codes) => {
                let mut labels: Vec<&str> = codes.iter().map(|&c| self.domain.label(c)).collect();
                labels.sort_unstable();
                let quoted: Vec<_> = labels.into_iter().map(quote_in_set).collect();
                format!("{{{}}}", quoted.join(", "))
            }
            Cell::Node(node) => {
                let bound =
                    self.hierarchy.as_ref().expect("a node cell belongs to a column with a hierarchy");
                bound.tree().label(*node).to_owned()
            }
            Cell::Suppressed => "*".to_owned(),
        }
    }

    /// How the end of a range is written. An exact value stays as it was; but ends of ranges in two notations would make
    /// equal ranges look different.
    fn end(&self, code: u32) -> Cow<'_, str> {
        let label = self.domain.label(code);
        match self.domain.parser().kind() {
            Kind::Integer | Kind::Decimal => without_exponent(label),
            // The name of a month has an `e`, too.
            Kind::Date | Kind::Text => Cow::Borrowed(label),
        }
    }
}

/// An encoded table: one record a person.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns that take part, in the order of the source.
    pub columns: Vec<Column>,
    /// How many records there are.
    pub rows: usize,
}

impl Table {
    /// The columns of one role, in order.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |c| c.role == role)
    }

    /// Some records, in this order. Domains stay as they are, also where values occur no more.
    pub fn select(&self, rows: &[u32]) -> Table {
        let columns = self.columns.iter().map(|column| Column {
            codes: rows.iter().map(|&row| column.codes[row as usize]).collect(),
            name: column.name.clone(),
            role: column.role,
            domain: column.domain.clone(),
            hierarchy: column.hierarchy.clone(),
            weight: column.weight,
        });
        Table { columns: columns.collect(), rows: rows.len() }
    }

    /// The k that each record asks for, where a column holds it: the greatest of them where several do, and 1
    /// where a record has no value.
    pub fn personal_k(&self) -> Option<Vec<u32>> {
        let mut asked: Option<Vec<u32>> = None;
        for column in self.of_role(Role::PersonalK) {
            let of_value: Vec<u32> = column.domain.positions().iter().map(|&k| k as u32).collect();
            let of_code = |code: u32| of_value.get(code as usize).copied().unwrap_or(1);
            let most = asked.get_or_insert_with(|| vec![1; self.rows]);
            most.iter_mut().zip(&column.codes).for_each(|(k, &code)| *k = of_code(code).max(*k));
        }
        asked
    }

    /// The quasi-identifiers, in order. Cells of a [`TableRecoding`](crate::TableRecoding) follow this order.
    pub fn quasi_identifiers(&self) -> Vec<&Column> {
        self.of_role(Role::QuasiIdentifier).collect()
    }
}
