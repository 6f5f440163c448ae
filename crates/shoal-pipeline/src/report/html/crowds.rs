//! How large the crowds are.

use super::page::{Page, section, term};
use super::svg::{Row, Series, chart};
use crate::markup::{Html, grouped, html, percent};

/// Sizes are put together at these multiples of the smallest one.
const STEPS: [u64; 9] = [1, 2, 5, 10, 20, 50, 100, 1_000, 10_000];
/// Where the largest is less than so many times the smallest, all steps are equal.
const EVEN: u64 = 8;
/// As many different sizes are shown one by one.
const MOST_SIZES: usize = 12;

pub(super) fn crowds(page: &Page<'_>) -> Html {
    let sizes = &page.facts.crowds;
    let Some((&smallest, _)) = sizes.first_key_value() else { return Html::default() };
    let (largest, number) =
        (sizes.last_key_value().map_or(0, |(size, _)| *size), sizes.values().sum::<u64>());
    let members: u64 = sizes.iter().map(|(size, number)| u64::from(*size) * number).sum();
    let (crowd, of) = match page.text("shape") {
        "transactions" => ("published items", "transactions"),
        _ => ("crowds", page.records()),
    };
    let bands = bands(sizes.keys().map(|size| u64::from(*size)).collect());
    let row = |(lo, hi): &(u64, u64)| {
        let inside = || sizes.iter().filter(|(size, _)| (*lo..=*hi).contains(&u64::from(**size)));
        let number: u64 = inside().map(|(_, number)| number).sum();
        let members: u64 = inside().map(|(size, number)| u64::from(*size) * number).sum();
        (*lo, *hi, number, members)
    };
    let counted: Vec<(u64, u64, u64, u64)> = bands.iter().map(row).filter(|band| band.2 > 0).collect();
    let most = counted.iter().map(|band| band.2).max().unwrap_or(1).max(1);
    let rows: Vec<Row> = counted
        .iter()
        .map(|&(lo, hi, number, members)| {
            let label = if lo == hi {
                format!("{} {of}", grouped(lo))
            } else {
                format!("{} to {} {of}", grouped(lo), grouped(hi))
            };
            let figure = match page.is_transactions() {
                true => grouped(number),
                false => format!("{} ({} {of})", grouped(number), grouped(members)),
            };
            Row::new(label, Series::Release, number as f64 / most as f64, figure)
        })
        .collect();
    let words = match page.text("shape") {
        "transactions" => format!(
            "There are {} published items. The rarest is in {} transactions, the most frequent in {}.",
            grouped(number),
            grouped(smallest.into()),
            grouped(largest.into())
        ),
        _ => format!(
            "There are {} crowds. The smallest has {} {of}, the largest {} ({} of all), and the average {}.",
            grouped(number),
            grouped(smallest.into()),
            grouped(largest.into()),
            percent(f64::from(largest) / members.max(1) as f64),
            crate::markup::figure((members as f64 / number.max(1) as f64 * 10.0).round() / 10.0)
        ),
    };
    let rows_only = match page.counts_people() && !page.is_sequences() && !page.is_transactions() {
        true => html!(
            "<p class=\"note\">Counted in records, since the file does not say whose they are; the promise counts people.</p>"
        ),
        false => Html::default(),
    };
    let title = match page.is_transactions() {
        true => "How many transactions hold each published item",
        false => "Crowds by their size",
    };
    let body = html!(
        "<p>{} {}</p>{}{}{}",
        words,
        term("class", "What a crowd is"),
        rows_only,
        chart(title, &["Size", if page.is_transactions() { "Published items" } else { "Crowds" }], &rows),
        lengths(page)
    );
    section(
        "crowds",
        if crowd == "crowds" { "How large are the crowds?" } else { "How many have each item?" },
        body,
    )
}

/// Where the sizes are cut.
fn bands(sizes: Vec<u64>) -> Vec<(u64, u64)> {
    if sizes.len() <= MOST_SIZES {
        return sizes.into_iter().map(|size| (size, size)).collect();
    }
    let (smallest, largest) = (sizes[0].max(1), sizes[sizes.len() - 1]);
    if largest < smallest.saturating_mul(EVEN) {
        let width = (largest - smallest + 1).div_ceil(MOST_SIZES as u64);
        let starts = (smallest..=largest).step_by(width as usize);
        return starts.map(|lo| (lo, (lo + width - 1).min(largest))).collect();
    }
    let mut bands: Vec<(u64, u64)> = STEPS
        .windows(2)
        .map(|pair| (smallest.saturating_mul(pair[0]), smallest.saturating_mul(pair[1]) - 1))
        .collect();
    bands.push((smallest.saturating_mul(STEPS[STEPS.len() - 1]), u64::MAX));
    // Cut off at what there is.
    bands.retain(|(lo, _)| *lo <= largest);
    if let Some((_, hi)) = bands.last_mut() {
        *hi = (*hi).min(largest);
    }
    bands
}

fn lengths(page: &Page<'_>) -> Html {
    page.facts.lengths.as_ref().map_or_else(Html::default, |lengths| super::distributions::one(page, lengths))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_hold_every_size_once() {
        assert_eq!(bands(vec![3, 7]), [(3, 3), (7, 7)]);
        for largest in [40_u64, 100, 5_000, 1_000_000] {
            let sizes: Vec<u64> = (10..30).chain([largest]).collect();
            let bands = bands(sizes.clone());
            for size in sizes {
                assert_eq!(
                    bands.iter().filter(|(lo, hi)| (*lo..=*hi).contains(&size)).count(),
                    1,
                    "{size}: {bands:?}"
                );
            }
        }
    }
}
