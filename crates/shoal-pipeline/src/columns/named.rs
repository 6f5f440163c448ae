//! What a published file says about the values of its columns, without the original.

use shoal_core::policy::ColumnPolicy;
use shoal_core::{
    BoundHierarchy, Column, Domain, Place, RawColumn, RawColumnBuilder, RawTable, Role, Table, ValueParser,
    parse_set, split_range,
};

use super::bind::parser;
use crate::{PipelineError, Request, ValueAt};

/// The quasi-identifiers of a published table as columns of the values that they can have: the leaves of the declared
/// hierarchy, and the values that the file names, in cells, sets and at the ends of ranges. Nobody's records are in them.
pub(crate) fn named_columns(request: &Request, published: &RawTable) -> Result<Table, PipelineError> {
    let quasi = super::quasi_columns(request, published).into_iter();
    let columns = quasi.map(|column| named_column(request, published, column)).collect::<Result<_, _>>()?;
    Ok(Table { rows: 0, columns })
}

fn named_column(
    request: &Request,
    published: &RawTable,
    column: &RawColumn,
) -> Result<Column, PipelineError> {
    let spec: &ColumnPolicy = &request.policy().columns[&column.name];
    let parser = parser(spec);
    let tree = spec.hierarchy.as_ref().map(|file| request.hierarchy(file));
    let mut named = RawColumnBuilder::new(column.name.clone());
    let is_readable = |text: &str| !parser.kind().is_ordered() || parser.position(text).is_some();
    if let Some(tree) = &tree {
        let leaves =
            (0..tree.content.leaf_count()).map(|leaf| tree.content.label(tree.content.leaf_node(leaf)));
        leaves.filter(|label| is_readable(label)).for_each(|label| named.push(label, Place::default()));
    }
    for code in 0..column.labels.len() as u32 {
        let text = column.labels.get(code);
        let is_node = tree.as_ref().is_some_and(|tree| tree.content.node(text).is_some());
        // A column of numbers whose ranges are published as two has the empty text where both are empty.
        if column.null == Some(code) || (text.is_empty() && !is_readable(text)) {
            named.push_null(Place::default());
        } else if !is_node && text != "*" {
            values_in(text, &parser).iter().for_each(|value| named.push(value, Place::default()));
        }
    }
    let named = named.finish();
    let unreadable = |raw_code: u32| {
        let text = named.labels.get(raw_code);
        let at = (0..column.labels.len() as u32)
            .find(|&code| values_in(column.labels.get(code), &parser).iter().any(|value| value == text));
        let at = Box::new(ValueAt::first(published, column, at.unwrap_or_default()));
        PipelineError::NotOfKind { at, kind: spec.kind.name() }
    };
    let (domain, _) = Domain::of(&named, parser.clone(), &request.policy().data.missing)
        .map_err(|bad| unreadable(bad.raw_code))?;
    let hierarchy = match &tree {
        None => None,
        Some(tree) => Some(BoundHierarchy::new(tree.content, &domain).map_err(|_| {
            let at = Box::new(ValueAt::first(published, column, 0));
            PipelineError::OutsideHierarchy { at, file: tree.place.to_owned() }
        })?),
    };
    let (name, weight) = (column.name.clone(), spec.weight);
    Ok(Column { name, role: Role::QuasiIdentifier, domain, hierarchy, weight, codes: Vec::new() })
}

/// The values that a published text names.
fn values_in(text: &str, parser: &ValueParser) -> Vec<String> {
    if let Some((lo, hi)) = split_range(text, parser) {
        return vec![lo.to_owned(), hi.to_owned()];
    }
    parse_set(text).unwrap_or_else(|| vec![text.to_owned()])
}
