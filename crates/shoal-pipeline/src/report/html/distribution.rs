//! How often the values of a column occur, in at most a dozen bars.
//!
//! Of a release alone only its texts are known: ranges `[20, 29]` are spread evenly over the numbers or days in them, sets
//! `{a, b}` over their members, and nodes of a hierarchy stay what they are called. Beside the original, whose values and
//! hierarchies are known, everything that is published is spread evenly over the values that it could stand for.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use shoal_core::{Column, DateFormat, Kind, PublishedValue, RawColumn, ValueParser, parse_range, parse_set};

/// More bars than these are not read by anybody; the rest is one bar.
const MOST_BARS: usize = 12;
/// Texts such as `?` or `unknown` among numbers. Where there are more of them, it is a column of texts.
const MOST_ODD: usize = 3;
/// How `*` is called, which says nothing.
const WITHHELD: &str = "* (not said)";
/// How an empty value is called.
const MISSING: &str = "(missing)";

/// How often the values of a column occur.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Distribution {
    /// The column.
    pub name: String,
    /// Its bars, in the order of the values where they have one, else the most frequent first.
    pub bars: Vec<Share>,
    /// How many records the bars are about.
    pub total: f64,
}

/// One value, or several next to each other, and how many records have it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Share {
    pub label: String,
    /// In the original, where that is known.
    pub before: Option<f64>,
    /// In what is published.
    pub after: f64,
}

/// A published column, from its texts alone.
pub(super) fn of_release(column: &RawColumn) -> Distribution {
    let texts = counted(column);
    let parsers =
        [Kind::Integer, Kind::Decimal, Kind::Date].map(|kind| ValueParser::new(kind, DateFormat::default()));
    let bars =
        parsers.iter().find_map(|parser| numbers(&texts, parser)).unwrap_or_else(|| categories(&texts));
    let bars = bars.into_iter().map(|(label, after)| Share { label, before: None, after }).collect();
    Distribution { name: column.name.clone(), bars, total: column.codes.len() as f64 }
}

/// A column before and after. Both are spread over the values of the original.
pub(super) fn of_both(original: &Column, published: &RawColumn) -> Distribution {
    let domain = &original.domain;
    let mut before = vec![0.0; domain.len()];
    original.codes.iter().for_each(|&code| before[code as usize] += 1.0);
    let (after, withheld) = spread(original, published);
    let both = |code: usize| (before[code], after[code]);
    let mut bars = match domain.is_ordered() {
        true => in_bins(original, &both),
        false => {
            let labels = (0..domain.len()).map(|code| (shown(domain.label(code as u32)), both(code)));
            most_frequent(labels)
        }
    };
    if withheld > 0.0 {
        bars.push(Share { label: WITHHELD.to_owned(), before: Some(0.0), after: withheld });
    }
    Distribution { name: published.name.clone(), bars, total: original.codes.len() as f64 }
}

/// Named counts before and after, the most frequent first.
pub(super) fn of_counts<'a>(
    name: &str,
    counts: impl Iterator<Item = (&'a str, (f64, f64))>,
    total: f64,
) -> Distribution {
    let bars = most_frequent(counts.map(|(label, both)| (shown(label), both)));
    Distribution { name: name.to_owned(), bars, total }
}

/// Each text of a column with how many records have it. Texts are borrowed: there may be as many as records.
fn counted(column: &RawColumn) -> Vec<(&str, f64)> {
    let mut counts = vec![0_u32; column.labels.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    // A null has the empty text, which may occur beside it; to a reader both are missing.
    if let Some(null) = column.null.map(|null| null as usize)
        && let Some(empty) =
            (0..counts.len()).find(|&code| code != null && column.labels.get(code as u32).is_empty())
    {
        counts[empty] += std::mem::take(&mut counts[null]);
    }
    let texts = column.labels.iter().zip(counts).filter(|(_, count)| *count > 0);
    texts.map(|(text, count)| (text, f64::from(count))).collect()
}

fn shown(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(match text {
        "" => MISSING,
        "*" => WITHHELD,
        text => text,
    })
}

/// The bars of a column of numbers or dates and of ranges of them; nothing where it is none.
fn numbers(texts: &[(&str, f64)], parser: &ValueParser) -> Option<Vec<(String, f64)>> {
    let range = |text: &str| match parser.position(text) {
        Some(at) => Some((at, at)),
        None => parse_range(text, parser).or_else(|| band(text, parser)),
    };
    let mut ranges: Vec<(f64, f64, f64)> = Vec::new();
    let mut odd: Vec<(String, f64)> = Vec::new();
    for (text, count) in texts {
        match range(text) {
            Some((lo, hi)) => ranges.push((lo, hi, *count)),
            None if odd.len() == MOST_ODD => return None,
            None => odd.push((shown(text).into_owned(), *count)),
        }
    }
    if ranges.is_empty() {
        return None;
    }
    let mut bars = match ranges.iter().all(|(lo, hi, _)| lo == hi) && ranges.len() <= MOST_BARS {
        true => {
            ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
            ranges.iter().map(|&(at, _, count)| (written(at, parser), count)).collect()
        }
        false => {
            let bins = Bins::over(ranges.iter().map(|&(lo, hi, _)| (lo, hi)), parser);
            let mut counts = vec![0.0; bins.labels.len()];
            ranges.iter().for_each(|&(lo, hi, count)| bins.add(&mut counts, lo, hi, count));
            bins.labels.into_iter().zip(counts).collect::<Vec<_>>()
        }
    };
    bars.extend(odd);
    Some(bars)
}

/// The node of a hierarchy whose name is a range of whole numbers, `20-29`, as tools for hierarchies write them.
fn band(text: &str, parser: &ValueParser) -> Option<(f64, f64)> {
    let (lo, hi) = text.split_once('-').filter(|_| parser.kind() == Kind::Integer)?;
    let (lo, hi) = (parser.position(lo.trim())?, parser.position(hi.trim())?);
    (lo <= hi).then_some((lo, hi))
}

/// Intervals of one width over a line.
struct Bins {
    from: f64,
    width: f64,
    /// 1 for whole numbers and days, each of which takes as much room as its neighbour; 0 where a value is a point.
    unit: f64,
    labels: Vec<String>,
}

impl Bins {
    fn over(ranges: impl Iterator<Item = (f64, f64)>, parser: &ValueParser) -> Bins {
        let (from, to) = ranges
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), (lo, hi)| (from.min(lo), to.max(hi)));
        let unit = if parser.kind() == Kind::Decimal { 0.0 } else { 1.0 };
        let exact = (to - from + unit) / MOST_BARS as f64;
        // Whole numbers have whole bins; a single point has one.
        let width = if unit > 0.0 {
            exact.ceil().max(1.0)
        } else if exact > 0.0 {
            exact
        } else {
            1.0
        };
        let number = (((to - from + unit) / width).ceil() as usize).clamp(1, MOST_BARS);
        let label = |at: usize| {
            let lo = from + at as f64 * width;
            let hi = (lo + width - unit).min(to);
            match hi > lo {
                true if parser.kind() == Kind::Integer => {
                    format!("{}–{}", written(lo, parser), written(hi, parser))
                }
                true => format!("{} to {}", written(lo, parser), written(hi, parser)),
                false => written(lo, parser),
            }
        };
        Bins { from, width, unit, labels: (0..number).map(label).collect() }
    }

    /// Spreads a count evenly over a range.
    fn add(&self, counts: &mut [f64], lo: f64, hi: f64, count: f64) {
        let last = counts.len() - 1;
        let bin = |at: f64| (((at - self.from) / self.width).floor().max(0.0) as usize).min(last);
        let (first, end) = (bin(lo), bin(hi));
        let room = hi + self.unit - lo;
        if first == end || room <= 0.0 {
            counts[first] += count;
            return;
        }
        for (at, bin) in counts.iter_mut().enumerate().take(end + 1).skip(first) {
            let start = self.from + at as f64 * self.width;
            // The last bin takes what rounding leaves above it.
            let stop = if at == end { hi + self.unit } else { start + self.width };
            *bin += count * (stop.min(hi + self.unit) - start.max(lo)).max(0.0) / room;
        }
    }
}

/// A place on the line as the column writes it.
fn written(at: f64, parser: &ValueParser) -> String {
    match parser.kind() {
        Kind::Date => parser.format().write_days(at),
        // Years and codes are read without separators of thousands.
        _ if at == at.trunc() && at.abs() < 1e15 => format!("{at:.0}"),
        _ => crate::markup::figure(at),
    }
}

/// The bars of a column of texts. Members of a set have an equal share of it.
fn categories(texts: &[(&str, f64)]) -> Vec<(String, f64)> {
    let mut members: BTreeMap<String, f64> = BTreeMap::new();
    let mut is_set = vec![false; texts.len()];
    for (at, (text, count)) in texts.iter().enumerate() {
        if let Some(set) = parse_set(text) {
            is_set[at] = true;
            let share = count / set.len() as f64;
            set.into_iter().for_each(|member| *members.entry(member).or_default() += share);
        }
    }
    // A value may be published alone and in sets; only then do two counts belong together.
    let alone = texts.iter().zip(&is_set).filter(|(_, is_set)| !**is_set).map(|((text, count), _)| {
        (shown(text), (0.0, count + members.get(*text).copied().unwrap_or_default()))
    });
    let known: HashSet<&str> =
        texts.iter().map(|(text, _)| *text).filter(|text| members.contains_key(*text)).collect();
    let in_sets = members.iter().filter(|(member, _)| !known.contains(member.as_str()));
    let bars = most_frequent(alone.chain(in_sets.map(|(member, count)| (shown(member), (0.0, *count)))));
    bars.into_iter().map(|share| (share.label, share.after)).collect()
}

/// The most frequent ones, by what is known of the original and else by what is published, and the rest as one. However many
/// there are, only those that are shown are kept.
fn most_frequent<'a>(counts: impl Iterator<Item = (Cow<'a, str>, (f64, f64))>) -> Vec<Share> {
    let key = |both: (f64, f64)| if both.0 > 0.0 { both.0 } else { both.1 };
    let mut top: Vec<(Cow<'a, str>, (f64, f64))> = Vec::with_capacity(MOST_BARS + 2);
    let (mut others, mut rest) = (0_usize, (0.0, 0.0));
    for (label, both) in counts.filter(|(_, (before, after))| *before > 0.0 || *after > 0.0) {
        // A tie is decided by the label, so that a page does not depend on the order of the data.
        let before = |one: &(Cow<'_, str>, (f64, f64))| {
            key(one.1).total_cmp(&key(both)).reverse().then_with(|| one.0.cmp(&label)).is_lt()
        };
        let place = top.partition_point(before);
        top.insert(place, (label, both));
        // One bar more is better than a bar that says "1 other".
        if top.len() > MOST_BARS + 1
            && let Some((_, both)) = top.pop()
        {
            others += 1;
            rest = (rest.0 + both.0, rest.1 + both.1);
        }
    }
    if others > 0
        && let Some((_, both)) = top.pop()
    {
        others += 1;
        rest = (rest.0 + both.0, rest.1 + both.1);
    }
    // Bands such as `20-39` are read in their order.
    if top.iter().all(|(label, _)| leading_number(label).is_some() || label == WITHHELD || label == MISSING) {
        let place = |label: &str| leading_number(label).unwrap_or(f64::INFINITY);
        top.sort_by(|a, b| place(&a.0).total_cmp(&place(&b.0)).then_with(|| a.0.cmp(&b.0)));
    }
    let share = |label: String, (before, after)| Share { label, before: Some(before), after };
    let mut bars: Vec<Share> = top.into_iter().map(|(label, both)| share(label.into_owned(), both)).collect();
    if others > 0 {
        bars.push(share(format!("{others} others"), rest));
    }
    bars
}

fn leading_number(label: &str) -> Option<f64> {
    let end = label.find(|c: char| !c.is_ascii_digit()).unwrap_or(label.len());
    label[..end].parse().ok()
}

/// For each value of the original its part of what is published, and how many records say nothing.
fn spread(original: &Column, published: &RawColumn) -> (Vec<f64>, f64) {
    let (domain, hierarchy) = (&original.domain, original.hierarchy.as_ref());
    let mut after = vec![0.0; domain.len()];
    let mut withheld = 0.0;
    // The values in the order of the tree's leaves: those below a node stand next to each other.
    let mut by_leaf: Vec<u32> = (0..domain.len() as u32).collect();
    if let Some(hierarchy) = hierarchy {
        by_leaf.sort_by_key(|&code| hierarchy.leaf_of(code));
    }
    let mut give = |codes: &[u32], count: f64| {
        let share = count / codes.len().max(1) as f64;
        codes.iter().for_each(|&code| after[code as usize] += share);
    };
    let positions = domain.positions();
    let all: Vec<u32> = (0..domain.len() as u32).collect();
    for (text, count) in counted(published) {
        match PublishedValue::parse(text, domain, hierarchy) {
            _ if text == "*" => withheld += count,
            Ok(PublishedValue::Exact(code)) => give(&[code], count),
            Ok(PublishedValue::Set(codes)) => give(&codes, count),
            Ok(PublishedValue::Range { lo, hi }) => {
                // The order of codes is the order of values.
                let from = positions.partition_point(|&at| at < lo);
                let to = positions.partition_point(|&at| at <= hi);
                give(&all[from.min(to)..to], count);
            }
            Ok(PublishedValue::Node(node)) => {
                let Some(hierarchy) = hierarchy else { continue };
                let leaves = hierarchy.tree().leaves_below(node);
                let from = by_leaf.partition_point(|&code| hierarchy.leaf_of(code) < leaves.start);
                let to = by_leaf.partition_point(|&code| hierarchy.leaf_of(code) < leaves.end);
                give(&by_leaf[from..to], count);
            }
            // The verifier has read every published value; a column that it does not judge may hold anything.
            Ok(PublishedValue::Suppressed) | Err(_) => withheld += count,
        }
    }
    (after, withheld)
}

/// The bars of numbers or dates whose values are known.
fn in_bins(original: &Column, both: &dyn Fn(usize) -> (f64, f64)) -> Vec<Share> {
    let (domain, parser) = (&original.domain, original.domain.parser());
    let positions = domain.positions();
    let of = |label: String, (before, after): (f64, f64)| Share { label, before: Some(before), after };
    let mut bars: Vec<Share> = match positions.len() <= MOST_BARS {
        true => (0..positions.len())
            .map(|code| of(shown(domain.label(code as u32)).into_owned(), both(code)))
            .collect(),
        false => {
            let bins = Bins::over(positions.iter().map(|&at| (at, at)), parser);
            let (mut before, mut after) = (vec![0.0; bins.labels.len()], vec![0.0; bins.labels.len()]);
            for (code, &at) in positions.iter().enumerate() {
                bins.add(&mut before, at, at, both(code).0);
                bins.add(&mut after, at, at, both(code).1);
            }
            bins.labels
                .into_iter()
                .zip(before.into_iter().zip(after))
                .map(|(label, both)| of(label, both))
                .collect()
        }
    };
    // The missing value has no position, and stands last.
    bars.extend((positions.len()..domain.len()).map(|code| of(MISSING.to_owned(), both(code))));
    bars
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::RawTable;

    use super::*;

    fn column(texts: &[&str]) -> RawColumn {
        let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![*text]).collect();
        RawTable::from_rows(&["c"], &rows).columns.remove(0)
    }

    fn bars(texts: &[&str]) -> Vec<(String, f64)> {
        of_release(&column(texts)).bars.into_iter().map(|bar| (bar.label, bar.after)).collect()
    }

    #[test]
    fn ranges_are_spread_over_their_numbers_and_sets_over_their_members() {
        // Twelve bins of one year each; a range of two years gives half to each.
        let found = bars(&["[1, 2]", "[1, 2]", "12", "*"]);
        assert_eq!(found[0], ("1".to_owned(), 1.0));
        assert_eq!(found[1], ("2".to_owned(), 1.0));
        assert_eq!(found[11], ("12".to_owned(), 1.0));
        assert_eq!(found[12], (WITHHELD.to_owned(), 1.0));
        assert_eq!(bars(&["{a, b}", "a", "b", "b"]), [("b".to_owned(), 2.5), ("a".to_owned(), 1.5)]);
    }

    #[test]
    fn dates_and_bands_stand_in_their_order() {
        assert_eq!(bars(&["2020-02-01", "2020-01-01", "2020-02-01"])[0], ("2020-01-01".to_owned(), 1.0));
        let labels: Vec<String> = bars(&["40-59 years", "40-59 years", "0-19 years", "20-39 years", "*"])
            .into_iter()
            .map(|(l, _)| l)
            .collect();
        assert_eq!(labels, ["0-19 years", "20-39 years", "40-59 years", WITHHELD]);
    }

    #[test]
    fn bands_of_numbers_are_ranges() {
        let found = bars(&["0-11", "0-11", "3", "2020-01-01"]);
        assert_eq!(found[3], ("3".to_owned(), 1.0 + 2.0 / 12.0));
        assert_eq!(found[12], ("2020-01-01".to_owned(), 1.0), "a date is no band");
    }

    #[test]
    fn rare_texts_are_one_bar() {
        let texts: Vec<String> = (0..40).map(|i| format!("name {}", (b'a' + i % 26) as char)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = bars(&texts);
        assert_eq!(found.len(), MOST_BARS + 1);
        assert_eq!(found[MOST_BARS], ("14 others".to_owned(), 16.0));
    }

    proptest! {
        #[test]
        fn nobody_is_lost_in_a_chart(
            rows in prop::collection::vec(("[-]?[0-9]{1,3}", 0_i64..50, 0_u8..5), 1..60),
        ) {
            let text = |(number, width, kind): &(String, i64, u8)| {
                let lo: i64 = number.parse().unwrap_or_default();
                match kind {
                    0 => number.clone(),
                    1 => format!("[{lo}, {}]", lo + width),
                    2 => "*".to_owned(),
                    3 => format!("{{a, {lo}}}"),
                    _ => format!("{lo}.5"),
                }
            };
            let texts: Vec<String> = rows.iter().map(text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = of_release(&column(&texts));
            let sum: f64 = found.bars.iter().map(|bar| bar.after).sum();
            prop_assert!((sum - texts.len() as f64).abs() < 1e-6, "{:?}", found);
            prop_assert!(found.bars.len() <= MOST_BARS + 1 + MOST_ODD);
        }
    }
}
