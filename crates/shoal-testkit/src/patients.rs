//! Made-up patients and their visits, in the manner of §4 of the CBMSA paper (Sehatkar and Matwin).
//!
//! The paper measures on sets that a generator made after the claims of the Heritage Health Prize. It says
//! how many sequences a set has, how many events on average (3, 5 or 10) and how many quasi-identifiers (2, 3
//! or 4), and writes that as `Data_1000_5_3`. It names the attributes and prints the size of two sets (about
//! 4,500 events for 1,000 sequences and 47,000 for 10,000, at mean 5). All else is chosen here:
//!
//! - **Quasi-identifiers**, the first n of: `AdmYr`, the year of admission; `ZIP`; `DSFC`, the weeks since
//!   the first visit of the year; `LOS`, the length of stay in weeks. An attribute that is not among them is
//!   left out. It is drawn all the same, so the same seed gives the same people with one attribute more.
//! - **Number of visits**: 1 and up to `2 (mean − 1)` more, each of which takes place with the person's own
//!   probability, between 0.16 and 0.76: some people are frail. On average that is `1 + 0.92 (mean − 1)`,
//!   4.68 at mean 5, which lies between the paper's two sets.
//! - **Time**: somebody is insured for one to four years between 2007 and 2012 (the years of the paper's
//!   table 1 and figure 1). Three visits in ten follow one to four weeks after another one, the rest come at
//!   any time. So `DSFC` is 0 at the first visit of each year and never falls within it. Two visits of one
//!   week are possible; `visit` counts a person's visits and says which was first.
//! - **Place**: 100 ZIP codes in ten districts, the first ones larger. One visit in twelve finds a person moved,
//!   mostly within the district.
//! - **Length of stay**: below a week for six in ten visits, below two weeks for more than eight in ten, at most
//!   twelve weeks.
//! - **Diagnosis**: twelve ordinary ones and the highly sensitive [`HIGHLY_SENSITIVE`] (Ω), which stay with a
//!   person: every second person has one of these, and a third of that person's visits are due to it. So about four
//!   people in ten have such a visit at mean 5, and c from 0.5 to 0.9 at k = 5 forbids something.

mod files;
mod hierarchies;
mod person;

use rand::SeedableRng as _;
use rand_chacha::ChaCha20Rng;

pub use hierarchies::hierarchy_rows;

/// The names of the quasi-identifiers; a set has the first two, three or four of them.
pub const QUASI_IDENTIFIERS: [&str; 4] = ["AdmYr", "ZIP", "DSFC", "LOS"];

/// The column of the diagnoses, which is sensitive.
pub const DIAGNOSIS: &str = "diagnosis";

/// The diagnoses that nobody may be linked to (Ω in the paper).
pub const HIGHLY_SENSITIVE: [&str; 5] =
    ["HIV", "Syphilis", "Schizophrenia", "Alcohol dependence", "Drug dependence"];

/// What a set of patients is like: `Data_1000_5_3` has 1,000 sequences, 5 events on average and 3
/// quasi-identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatientParams {
    /// How many people there are.
    pub sequences: usize,
    /// How many visits they have on average; 3, 5 and 10 in the paper.
    pub mean_events: u32,
    /// How many of [`QUASI_IDENTIFIERS`] there are; 2, 3 and 4 in the paper.
    pub quasi_identifiers: usize,
    /// Where all randomness comes from.
    pub seed: u64,
}

/// A set of patients that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatientError {
    /// Nobody, or more people than can be counted in 32 bits.
    #[error("{0} sequences are none, or too many to number")]
    Sequences(usize),
    /// No event at all, or more than a life has.
    #[error("a mean of {0} events is not between 1 and 100")]
    MeanEvents(u32),
    /// More quasi-identifiers than there are, or too few to order and place a visit.
    #[error("{0} quasi-identifiers are not 2, 3 or 4")]
    QuasiIdentifiers(usize),
}

impl PatientError {
    /// What to write instead.
    pub fn hint(&self) -> &'static str {
        match self {
            PatientError::Sequences(_) => "the paper's sets have 1000 and 10000",
            PatientError::MeanEvents(_) => "the paper's sets have 3, 5 and 10",
            PatientError::QuasiIdentifiers(_) => "2 are AdmYr and ZIP, 3 have DSFC too, and 4 LOS",
        }
    }
}

impl PatientParams {
    /// The paper's sets with 5 events on average and 3 quasi-identifiers, for one of its ten seeds.
    pub fn data_5_3(sequences: usize, seed: u64) -> PatientParams {
        PatientParams { sequences, mean_events: 5, quasi_identifiers: 3, seed }
    }

    /// The same, if such a set can be made.
    pub fn check(self) -> Result<ValidPatientParams, PatientError> {
        if self.sequences == 0 || self.sequences > MOST_SEQUENCES {
            return Err(PatientError::Sequences(self.sequences));
        }
        if !(1..=100).contains(&self.mean_events) {
            return Err(PatientError::MeanEvents(self.mean_events));
        }
        if !(2..=QUASI_IDENTIFIERS.len()).contains(&self.quasi_identifiers) {
            return Err(PatientError::QuasiIdentifiers(self.quasi_identifiers));
        }
        Ok(ValidPatientParams(self))
    }
}

/// So that events can be counted in 32 bits, also at the largest mean.
const MOST_SEQUENCES: usize = 10_000_000;

/// Parameters of a set that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidPatientParams(PatientParams);

impl ValidPatientParams {
    /// Makes the patients. The same parameters give the same ones everywhere.
    pub fn generate(self) -> Patients {
        let mut random = ChaCha20Rng::seed_from_u64(self.0.seed);
        let people = (0..self.0.sequences).map(|_| person::visits(self.0.mean_events, &mut random));
        Patients { params: self.0, people: people.collect() }
    }
}

/// One visit of a patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The year of admission (`AdmYr`).
    pub year: u32,
    /// Where the patient lives at that time (`ZIP`).
    pub zip: u32,
    /// Weeks since the first visit of the year (`DSFC`).
    pub weeks_since_first: u32,
    /// How many full weeks the patient stays (`LOS`).
    pub weeks_of_stay: u32,
    /// What for.
    pub diagnosis: &'static str,
}

/// Patients with their visits in the order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patients {
    params: PatientParams,
    people: Vec<Vec<Visit>>,
}

impl Patients {
    /// Everybody's visits, person by person, in the order of time.
    pub fn people(&self) -> &[Vec<Visit>] {
        &self.people
    }

    /// How many visits there are.
    pub fn events(&self) -> usize {
        self.people.iter().map(Vec::len).sum()
    }

    /// The name that the paper gives to such a set: sequences, mean events, quasi-identifiers.
    pub fn name(&self) -> String {
        let PatientParams { sequences, mean_events, quasi_identifiers, .. } = self.params;
        format!("Data_{sequences}_{mean_events}_{quasi_identifiers}")
    }

    /// The names of this set's quasi-identifiers.
    pub fn quasi_identifiers(&self) -> &'static [&'static str] {
        &QUASI_IDENTIFIERS[..self.params.quasi_identifiers]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(sequences: usize, mean_events: u32, quasi_identifiers: usize, seed: u64) -> Patients {
        PatientParams { sequences, mean_events, quasi_identifiers, seed }.check().unwrap().generate()
    }

    /// The share of the people who have a highly sensitive diagnosis.
    fn sensitive_share(patients: &Patients) -> f64 {
        let sensitive = |visit: &Visit| HIGHLY_SENSITIVE.contains(&visit.diagnosis);
        let people = patients.people().iter().filter(|visits| visits.iter().any(sensitive)).count();
        people as f64 / patients.people().len() as f64
    }

    #[test]
    fn the_seed_decides_and_one_attribute_more_changes_nobody() {
        assert_eq!(made(50, 5, 3, 1).csv(), made(50, 5, 3, 1).csv());
        assert_ne!(made(50, 5, 3, 1).csv(), made(50, 5, 3, 2).csv());
        assert_eq!(made(50, 5, 2, 1).people(), made(50, 5, 4, 1).people());
    }

    #[test]
    fn visits_are_as_many_as_asked_for() {
        for mean in [3, 5, 10] {
            let patients = made(10_000, mean, 3, 1);
            let expected = 1.0 + 0.92 * f64::from(mean - 1);
            let found = patients.events() as f64 / 10_000.0;
            assert!((found / expected - 1.0).abs() < 0.02, "{mean}: {found}");
            let lengths: Vec<usize> = patients.people().iter().map(Vec::len).collect();
            assert_eq!(lengths.iter().min(), Some(&1));
            assert!(lengths.iter().all(|&visits| visits < 2 * mean as usize));
        }
        assert!(made(10, 1, 2, 1).people().iter().all(|visits| visits.len() == 1));
    }

    #[test]
    fn the_paper_s_two_sets_have_about_its_number_of_events() {
        for seed in 1..=10 {
            assert!((4_400..4_950).contains(&made(1_000, 5, 3, seed).events()));
        }
        assert!((46_000..47_800).contains(&made(10_000, 5, 3, 1).events()));
    }

    #[test]
    fn time_goes_on_and_the_first_visit_of_a_year_is_week_0() {
        for visits in made(2_000, 10, 4, 3).people() {
            assert_eq!(visits[0].weeks_since_first, 0);
            for pair in visits.windows(2) {
                if pair[0].year == pair[1].year {
                    assert!(pair[0].weeks_since_first <= pair[1].weeks_since_first);
                } else {
                    assert!(pair[0].year < pair[1].year);
                    assert_eq!(pair[1].weeks_since_first, 0);
                }
            }
        }
    }

    #[test]
    fn people_mostly_stay_where_they_are_and_not_long_in_hospital() {
        let patients = made(5_000, 5, 4, 1);
        let steps = patients.people().iter().flat_map(|visits| visits.windows(2));
        let (moves, all) =
            steps.fold((0, 0), |(m, n), pair| (m + u32::from(pair[0].zip != pair[1].zip), n + 1));
        assert!((0.05..0.12).contains(&(f64::from(moves) / f64::from(all))), "{moves} of {all}");
        let visits = patients.people().iter().flatten();
        let short = visits.filter(|visit| visit.weeks_of_stay <= 1).count();
        assert!((0.80..0.88).contains(&(short as f64 / patients.events() as f64)), "{short}");
    }

    #[test]
    fn four_people_in_ten_are_highly_sensitive_at_mean_5() {
        let share = sensitive_share(&made(10_000, 5, 3, 1));
        assert!((0.38..0.42).contains(&share), "{share}");
        for seed in 1..=10 {
            let share = sensitive_share(&made(1_000, 5, 3, seed));
            assert!((0.35..0.45).contains(&share), "{seed}: {share}");
        }
    }

    #[test]
    fn what_cannot_be_made_is_said() {
        let good = PatientParams::data_5_3(10, 1);
        for (bad, words) in [
            (PatientParams { sequences: 0, ..good }, "0 sequences"),
            (PatientParams { mean_events: 0, ..good }, "between 1 and 100"),
            (PatientParams { quasi_identifiers: 5, ..good }, "not 2, 3 or 4"),
            (PatientParams { quasi_identifiers: 1, ..good }, "not 2, 3 or 4"),
        ] {
            assert!(bad.check().unwrap_err().to_string().contains(words), "{bad:?}");
        }
    }
}
