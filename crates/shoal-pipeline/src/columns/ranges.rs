//! `output.ranges = "columns"`: ranges as two columns, `age_min` and `age_max`.
//!
//! Everything between reading an original and staging a release, and everything after reading a release back, knows one
//! column with texts such as `[25, 40]`. Only here are they taken apart and put together again. What is put together keeps
//! the bytes that were read: `[7, 9]` and `[07, 9]` stay different, since a reader can tell them apart.

use std::borrow::Cow;
use std::collections::HashMap;

use shoal_core::policy::{ColumnPolicy, MissingPolicy};
use shoal_core::{
    Kind, Policy, RawColumn, RawColumnBuilder, RawTable, ValueParser, plain_number, range_ends, split_range,
};
use shoal_privacy::{Refusal, Unverifiable};

use super::bind::parser;
use crate::{PipelineError, Request};

/// What `check` says about it.
pub(crate) fn note(policy: &Policy) -> Option<String> {
    let named = |(name, spec): (&str, &ColumnPolicy)| {
        let [min, max] = range_ends(name);
        let empty = if spec.missing == MissingPolicy::Category { "missing" } else { "suppressed" };
        format!("`{name}` as `{min}` and `{max}` (both empty: {empty})")
    };
    let columns: Vec<String> = policy.range_columns().map(named).collect();
    (!columns.is_empty()).then(|| format!("ranges are published as columns: {}", columns.join(", ")))
}

/// Brings the columns of an original that are published as two into one notation: there they are numbers and not texts, so
/// `007` is 7, and all that means "no value" is the same. Texts that are not of the column's kind stay, and are refused later.
pub(crate) fn with_plain_values(policy: &Policy, original: &mut RawTable) {
    let missing = policy.data.missing_texts();
    for (name, spec) in policy.range_columns() {
        let parser = parser(spec);
        for column in original.columns.iter_mut().filter(|column| column.name == name) {
            *column = relabelled(column, |text| (!missing.has(text)).then(|| plain_value(text, &parser)));
        }
    }
}

/// Brings the published texts of these columns into the form in which they are read back. Numbers in ranges lose what they do
/// not need: the ends of intervals that were built have as many digits as the finest value.
pub(crate) fn with_plain_ranges(policy: &Policy, published: &mut [RawColumn]) {
    for (name, spec) in policy.range_columns() {
        let parser = parser(spec);
        for column in published.iter_mut().filter(|column| column.name == name) {
            *column = relabelled(column, |text| match split_range(text, &parser) {
                Some((lo, hi)) => {
                    let (lo, hi) = (plain_value(lo, &parser), plain_value(hi, &parser));
                    Some(Cow::Owned(put_together(&lo, &hi)))
                }
                None => Some(Cow::Borrowed(text)),
            });
        }
    }
}

/// The table as it is staged.
pub(crate) fn in_two_columns<'a>(
    request: &Request,
    published: &'a RawTable,
) -> Result<Cow<'a, RawTable>, PipelineError> {
    let policy = request.policy();
    let split: HashMap<&str, &ColumnPolicy> = policy.range_columns().collect();
    if split.is_empty() {
        return Ok(Cow::Borrowed(published));
    }
    let mut columns = Vec::with_capacity(published.columns.len() + split.len());
    for column in &published.columns {
        match split.get(column.name.as_str()) {
            Some(spec) => columns.extend(taken_apart(request, column, spec)?),
            None => columns.push(column.clone()),
        }
    }
    Ok(Cow::Owned(RawTable { columns, rows: published.rows, files: published.files.clone() }))
}

/// The two columns of a column.
fn taken_apart(
    request: &Request,
    column: &RawColumn,
    spec: &ColumnPolicy,
) -> Result<[RawColumn; 2], PipelineError> {
    let (parser, nothing) = (parser(spec), empty_means(spec));
    // Texts that no row has, such as the `*` of a column where nothing is suppressed, are not written and do not count.
    let mut occurs = vec![false; column.labels.len()];
    column.codes.iter().for_each(|&code| occurs[code as usize] = true);
    let ends = |code: u32| -> Result<Option<(&str, &str)>, &str> {
        let text = column.labels.get(code);
        match split_range(text, &parser) {
            Some(ends) => Ok(Some(ends)),
            None if parser.position(text).is_some() => Ok(Some((text, text))),
            None if text == nothing || !occurs[code as usize] => Ok(None),
            None => Err(text),
        }
    };
    let codes = 0..column.labels.len() as u32;
    let ends: Vec<Option<(&str, &str)>> =
        codes.map(ends).collect::<Result<_, _>>().map_err(|text| cannot_be_empty(request, column, text))?;
    let [min, max] = range_ends(&column.name);
    let end = |name: String, of: fn((&str, &str)) -> String| {
        let text_of = |code: usize| ends[code].map(of).map(Cow::Owned);
        renamed(column, name, |code, _| text_of(code))
    };
    Ok([end(min, |(lo, _)| lo.to_owned()), end(max, |(_, hi)| hi.to_owned())])
}

/// A text that two columns cannot say.
fn cannot_be_empty(request: &Request, column: &RawColumn, text: &str) -> PipelineError {
    let name = &column.name;
    let message = format!(
        "`{name}` would be published as `{text}` in some rows, and as two columns it cannot: where both are empty, the value is \
         missing"
    );
    let hint = format!(
        "set  missing = \"suppress\"  or  \"error\"  in [columns.{name}]: then two empty cells mean that the value is suppressed; or \
         set  ranges = \"text\"  in [output]"
    );
    request.complain(&format!("columns.{name}.role"), message, hint)
}

/// A published table as the verifier sees it: with one column where the file has two.
pub(crate) fn in_one_column(policy: &Policy, mut published: RawTable) -> Result<RawTable, Refusal> {
    for (name, spec) in policy.range_columns() {
        let ends = range_ends(name);
        let place = |end: &String| {
            let at = published.columns.iter().position(|column| column.name == *end);
            at.ok_or_else(|| Refusal::Unverifiable(Unverifiable::Lacking { column: end.clone() }))
        };
        let [min, max] = [place(&ends[0])?, place(&ends[1])?];
        let joined = joined(name, spec, &published.columns[min], &published.columns[max])?;
        published.columns[min] = joined;
        published.columns.remove(max);
    }
    Ok(published)
}

fn joined(
    name: &str,
    spec: &ColumnPolicy,
    min: &RawColumn,
    max: &RawColumn,
) -> Result<RawColumn, Unverifiable> {
    let parser = parser(spec);
    let mut builder = RawColumnBuilder::new(name.to_owned());
    let mut known: HashMap<(u32, u32), u32> = HashMap::new();
    let mut pairs = Vec::with_capacity(min.codes.len());
    for (row, (&lo, &hi)) in min.codes.iter().zip(&max.codes).enumerate() {
        let next = known.len() as u32;
        let pair = *known.entry((lo, hi)).or_insert(next);
        if pair == next {
            let text = join(spec, &parser, (min, lo), (max, hi), row)?;
            builder.push(&text, min.first_seen.get(lo as usize).copied().unwrap_or_default());
        }
        pairs.push(pair);
    }
    let mut column = builder.finish();
    // The builder has taken each pair for a record. Pairs of different texts have different texts, see `join`.
    let of_pair = std::mem::take(&mut column.codes);
    column.codes = pairs.into_iter().map(|pair| of_pair[pair as usize]).collect();
    Ok(column)
}

/// The text of one pair of cells. Different pairs have different texts: cells that are not values of the column, which could
/// be anything, are refused, and so is a pair that its text would not give back.
fn join(
    spec: &ColumnPolicy,
    parser: &ValueParser,
    (min, lo): (&RawColumn, u32),
    (max, hi): (&RawColumn, u32),
    row: usize,
) -> Result<String, Unverifiable> {
    let row = row as u64 + 1;
    // A format that knows nulls can tell them from empty texts.
    let is_empty = |column: &RawColumn, code: u32| match column.null {
        Some(null) => null == code,
        None => column.labels.get(code).is_empty(),
    };
    let (lo_is_empty, hi_is_empty) = (is_empty(min, lo), is_empty(max, hi));
    if lo_is_empty && hi_is_empty {
        return Ok(empty_means(spec).to_owned());
    }
    let (lo, hi) = (min.labels.get(lo), max.labels.get(hi));
    for (column, text, is_empty) in [(min, lo, lo_is_empty), (max, hi, hi_is_empty)] {
        if !is_empty && parser.position(text).is_none() {
            let (column, value, kind) = (column.name.clone(), text.to_owned(), spec.kind.name());
            return Err(Unverifiable::NotOfKind { row, column, value, kind });
        }
    }
    let text = put_together(lo, hi);
    if lo != hi && split_range(&text, parser) != Some((lo, hi)) {
        let column = min.name.strip_suffix("_min").unwrap_or(&min.name).to_owned();
        return Err(Unverifiable::NotARange { row, column, lo: lo.to_owned(), hi: hi.to_owned() });
    }
    Ok(text)
}

/// What two empty cells say: one thing only, which the policy alone decides.
fn empty_means(spec: &ColumnPolicy) -> &'static str {
    match spec.missing {
        // The label of a missing value where all that means "no value" is a null, see `with_plain_values`.
        MissingPolicy::Category => "",
        MissingPolicy::Suppress | MissingPolicy::Error => "*",
    }
}

fn put_together(lo: &str, hi: &str) -> String {
    if lo == hi { lo.to_owned() } else { format!("[{lo}, {hi}]") }
}

/// A value in the one notation that its column has.
fn plain_value<'a>(text: &'a str, parser: &ValueParser) -> Cow<'a, str> {
    let plain = match parser.kind() {
        Kind::Integer | Kind::Decimal => parser.position(text).and_then(|_| plain_number(text)),
        Kind::Date => plain_date(text, parser),
        Kind::Text => None,
    };
    plain.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// A date as its notation writes it, `2020-01-02` for `2020-1-2`, unless that would be another moment. Offsets are a part of what was
/// said and stay.
fn plain_date(text: &str, parser: &ValueParser) -> Option<String> {
    let format = parser.format();
    let position = parser.position(text)?;
    let written = format.write_days(position);
    (!format.as_str().contains('z') && parser.position(&written) == Some(position)).then_some(written)
}

/// The column with other texts; those that become equal share a code, and where there is none it is a null.
fn relabelled(column: &RawColumn, text_of: impl for<'a> Fn(&'a str) -> Option<Cow<'a, str>>) -> RawColumn {
    renamed(column, column.name.clone(), |_, text| text_of(text))
}

fn renamed(
    column: &RawColumn,
    name: String,
    text_of: impl for<'a> Fn(usize, &'a str) -> Option<Cow<'a, str>>,
) -> RawColumn {
    let mut builder = RawColumnBuilder::new(name);
    for code in 0..column.labels.len() as u32 {
        let place = column.first_seen.get(code as usize).copied().unwrap_or_default();
        match text_of(code as usize, column.labels.get(code)).filter(|_| column.null != Some(code)) {
            Some(text) => builder.push(&text, place),
            None => builder.push_null(place),
        }
    }
    let mut changed = builder.finish();
    // The builder has taken each label for a record; its codes say what has become of them.
    let of_label = std::mem::take(&mut changed.codes);
    changed.codes = column.codes.iter().map(|&code| of_label[code as usize]).collect();
    changed
}

#[cfg(test)]
mod tests;
