//! One person's visits.

use rand::{Rng, RngExt as _};

use super::hierarchies::{FIRST_YEAR, LONGEST_STAY, WEEKS, YEARS, zip_codes};
use super::{HIGHLY_SENSITIVE, Visit};

/// How probable each further visit is, in hundredths, from the healthiest to the frailest.
const FRAILTY: std::ops::RangeInclusive<u32> = 16..=76;
/// The share of visits that follow another one within weeks.
const FOLLOW_UPS: f64 = 0.3;
/// The share of visits before which a person has moved, and of moves that stay in the district.
const MOVES: f64 = 1.0 / 12.0;
const NEAR_MOVES: f64 = 0.7;
/// The share of stays that last yet another week.
const ANOTHER_WEEK: f64 = 0.4;
/// The share of people with a highly sensitive condition, and of their visits that are due to it.
const CARRIERS: f64 = 0.5;
const DUE_TO_IT: f64 = 0.36;

/// Ordinary diagnoses, the more frequent ones with the greater weight.
const ORDINARY: [(&str, u32); 12] = [
    ("Hypertension", 14),
    ("Infection", 12),
    ("Flu", 12),
    ("Diabetes", 10),
    ("Fever", 9),
    ("Back pain", 8),
    ("Bronchitis", 8),
    ("Arthritis", 7),
    ("Asthma", 6),
    ("Fracture", 6),
    ("Migraine", 4),
    ("Hepatitis", 4),
];

/// The visits of one more person, in the order of time.
pub(super) fn visits(mean_events: u32, random: &mut impl Rng) -> Vec<Visit> {
    let weeks = weeks(number_of_visits(mean_events, random), random);
    let condition = random
        .random_bool(CARRIERS)
        .then(|| HIGHLY_SENSITIVE[random.random_range(0..HIGHLY_SENSITIVE.len() as u32) as usize]);
    let mut zip = home(random);
    let mut first_of_year = weeks[0];
    let mut visits = Vec::with_capacity(weeks.len());
    for (number, &week) in weeks.iter().enumerate() {
        if week / WEEKS != first_of_year / WEEKS {
            first_of_year = week;
        }
        if number > 0 && random.random_bool(MOVES) {
            zip = moved_from(zip, random);
        }
        visits.push(Visit {
            year: FIRST_YEAR + week / WEEKS,
            zip,
            weeks_since_first: week - first_of_year,
            weeks_of_stay: stay(random),
            diagnosis: diagnosis(condition, random),
        });
    }
    visits
}

fn number_of_visits(mean: u32, random: &mut impl Rng) -> u32 {
    let probability = f64::from(random.random_range(FRAILTY)) / 100.0;
    1 + (0..2 * (mean - 1)).map(|_| u32::from(random.random_bool(probability))).sum::<u32>()
}

/// When the visits are, in weeks since the first of all years, ascending.
fn weeks(visits: u32, random: &mut impl Rng) -> Vec<u32> {
    let years = random.random_range(1..=4);
    let first = random.random_range(0..=YEARS - years) * WEEKS;
    let end = first + years * WEEKS;
    let mut weeks: Vec<u32> = Vec::with_capacity(visits as usize);
    for _ in 0..visits {
        let week = match weeks.last() {
            Some(&before) if random.random_bool(FOLLOW_UPS) => {
                (before + random.random_range(1..=4)).min(end - 1)
            }
            _ => random.random_range(first..end),
        };
        weeks.push(week);
    }
    weeks.sort_unstable();
    weeks
}

/// A ZIP code of a person who may live anywhere: districts, and places within them, are ever smaller.
fn home(random: &mut impl Rng) -> u32 {
    let weigh = |(district, zips): (u32, [u32; 10])| {
        (0..).zip(zips).map(move |(town, zip): (u32, u32)| (zip, (10 - district) * (10 - town)))
    };
    let towns: Vec<(u32, u32)> = (0..).zip(zip_codes()).flat_map(weigh).collect();
    weighted(&towns, random)
}

fn moved_from(zip: u32, random: &mut impl Rng) -> u32 {
    if !random.random_bool(NEAR_MOVES) {
        return home(random);
    }
    let district = zip_codes().find(|district| district.contains(&zip)).expect("everybody lives somewhere");
    district[random.random_range(0..district.len() as u32) as usize]
}

fn stay(random: &mut impl Rng) -> u32 {
    let mut weeks = 0;
    while weeks < LONGEST_STAY && random.random_bool(ANOTHER_WEEK) {
        weeks += 1;
    }
    weeks
}

fn diagnosis(condition: Option<&'static str>, random: &mut impl Rng) -> &'static str {
    match condition {
        Some(condition) if random.random_bool(DUE_TO_IT) => condition,
        _ => weighted(&ORDINARY, random),
    }
}

/// One of the values, each as probable as its share of all weights.
fn weighted<T: Copy>(values: &[(T, u32)], random: &mut impl Rng) -> T {
    let mut at = random.random_range(0..values.iter().map(|(_, weight)| weight).sum());
    for &(value, weight) in values {
        if at < weight {
            return value;
        }
        at -= weight;
    }
    unreachable!("the number drawn is below the sum of all weights")
}
