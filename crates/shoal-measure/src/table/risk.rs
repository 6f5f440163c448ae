//! The risk of being recognized by one's quasi-identifiers.
//!
//! An adversary who finds a person's class can only guess which of its records is theirs: the risk of a
//! record in a class of s records is 1/s. The *prosecutor* knows that the person is in the file. The
//! *journalist* knows only that they are in some population of which the file is a sample; where no
//! population is given (`population.rs`), the file itself is taken for it, which is the most that the risk can be. The
//! *marketer* wants to recognize as many people as possible, no matter which.
//!
//! Records that are not in the file carry no risk and are not counted.
//!
//! Where it is known whose the records are, people are at risk and not records: in a class of s different people each is
//! found with probability 1/s, however many records they have there. Whoever is in several classes is as
//! exposed as in the smallest of them, since it is not known which of their records an adversary knows about.

use serde::Serialize;
use shoal_privacy::{Classes, Crowds};

/// The crowd below which a record counts as exposed where no k is given: a risk above 0.2.
const USUAL_CROWD: usize = 5;

/// Risk before and after, as `report.json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RiskReport {
    /// If the original quasi-identifiers were published.
    pub before: Risks,
    /// As published.
    pub after: Risks,
}

/// What three adversaries can do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Risks {
    /// Knows that the person is in the file.
    pub prosecutor: Prosecutor,
    /// Knows only that the person is in the population.
    pub journalist: Journalist,
    /// The share of records that are recognized on average: classes / records. The mean risk of the people where they
    /// are counted.
    pub marketer: f64,
    /// How many people there are, where the figures count people; otherwise they count records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
}

/// The risk to a person who is known to be in the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Prosecutor {
    /// 1 / smallest class.
    pub highest: f64,
    /// The mean over records, which is classes / records.
    pub mean: f64,
    /// The risk above which a record is exposed: 1/k, or 0.2.
    pub threshold: f64,
    /// The share of records above the threshold.
    pub share_above_threshold: f64,
    /// Records that are alone in their class.
    pub unique_records: u64,
}

/// The risk to a person who is known to be in the population.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Journalist {
    /// 1 / smallest class of the population that has a record in the file.
    pub highest: f64,
    /// What was taken for the population.
    pub population: Population,
    /// The share of the population that is in the data, where the policy says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<f64>,
    /// What that means for the figure.
    pub note: &'static str,
}

impl Journalist {
    /// A risk in this population.
    pub(crate) fn new(highest: f64, population: Population) -> Journalist {
        Journalist { highest, population, sampling_fraction: None, note: population.note() }
    }
}

/// What is taken for the population of which a file is a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Population {
    /// The file itself.
    Sample,
    /// As many times the file as its sampling fraction says.
    SamplingFraction,
    /// What a file counts.
    Counts,
}

impl Population {
    /// What it means for the journalist's risk.
    fn note(self) -> &'static str {
        match self {
            Population::Sample => {
                "the data are taken for the whole population; where they are a sample of a larger one, the risk is smaller"
            }
            Population::SamplingFraction => {
                "an estimate: a class is taken to have its size divided by the sampling fraction in the population; the true risk of \
                 a class can be higher"
            }
            Population::Counts => {
                "counted in the population file that the policy names, for whoever knows no other columns than that file has"
            }
        }
    }
}

/// The risks in these classes. Without a record there is none.
pub fn of(classes: &Classes, k: Option<usize>) -> Risks {
    let records = classes.class_of.len();
    let share = |count: usize| if records == 0 { 0.0 } else { count as f64 / records as f64 };
    let crowd = k.unwrap_or(USUAL_CROWD).max(1);
    // 1/s > 1/k is s < k: whole numbers do not round.
    let records_below = |crowd: usize| {
        let sizes = classes.sizes.iter().map(|&size| size as usize);
        sizes.filter(|&size| size < crowd).sum::<usize>()
    };
    let highest = classes.smallest().map_or(0.0, |size| 1.0 / f64::from(size));
    Risks {
        prosecutor: Prosecutor {
            highest,
            mean: share(classes.len()),
            threshold: 1.0 / crowd as f64,
            share_above_threshold: share(records_below(crowd)),
            unique_records: records_below(2) as u64,
        },
        journalist: Journalist::new(highest, Population::Sample),
        marketer: share(classes.len()),
        people: None,
    }
}

/// The risks of the people in these classes. `unique_records` are people who are alone in a class.
pub fn of_people(classes: &Classes, crowds: &Crowds, k: Option<usize>) -> Risks {
    let crowd = k.unwrap_or(USUAL_CROWD).max(1);
    // The smallest class that each person is in.
    let mut members: Vec<(u32, u32)> = crowds
        .person_of()
        .iter()
        .zip(&classes.class_of)
        .map(|(&person, &class)| (person, crowds.sizes()[class as usize]))
        .collect();
    // Sorted by person and then by size, the first entry of a person is the smallest class, and it is the one that is
    // kept.
    members.sort_unstable();
    members.dedup_by_key(|(person, _)| *person);
    let people = members.len();
    let below = |crowd: usize| members.iter().filter(|(_, size)| (*size as usize) < crowd).count();
    let share = |figure: f64| if people == 0 { 0.0 } else { figure / people as f64 };
    let highest = members.iter().map(|(_, size)| *size).min().map_or(0.0, |size| 1.0 / f64::from(size));
    let mean = share(members.iter().map(|(_, size)| 1.0 / f64::from(*size)).sum());
    Risks {
        prosecutor: Prosecutor {
            highest,
            mean,
            threshold: 1.0 / crowd as f64,
            share_above_threshold: share(below(crowd) as f64),
            unique_records: below(2) as u64,
        },
        journalist: Journalist::new(highest, Population::Sample),
        marketer: mean,
        people: Some(people as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn risks(codes: &[u32], k: Option<usize>) -> Risks {
        of(&Classes::of_codes(codes.len(), &[codes]), k)
    }

    #[test]
    fn risks_follow_the_class_sizes() {
        // Classes of 1, 2 and 5 records.
        let risks = risks(&[0, 1, 1, 2, 2, 2, 2, 2], None);
        assert_eq!(risks.prosecutor.highest, 1.0);
        assert_eq!(risks.prosecutor.mean, 3.0 / 8.0);
        assert_eq!(risks.prosecutor.threshold, 0.2);
        assert_eq!(risks.prosecutor.share_above_threshold, 3.0 / 8.0);
        assert_eq!(risks.prosecutor.unique_records, 1);
        assert_eq!(risks.journalist.highest, 1.0);
        assert_eq!(risks.marketer, 3.0 / 8.0);
    }

    #[test]
    fn a_class_of_k_is_not_above_one_in_k() {
        for k in 2..60 {
            let codes: Vec<u32> = vec![0; k];
            assert_eq!(risks(&codes, Some(k)).prosecutor.share_above_threshold, 0.0);
            assert_eq!(risks(&codes, Some(k + 1)).prosecutor.share_above_threshold, 1.0);
        }
    }

    /// By going through everybody and all their records.
    #[test]
    fn people_are_as_exposed_as_in_their_smallest_class() {
        let codes = [0, 0, 0, 1, 1, 2, 2, 2];
        let person_of = vec![5, 5, 5, 5, 6, 6, 7, 8];
        let classes = Classes::of_codes(8, &[&codes]);
        let crowds = Crowds::of(&classes, person_of);
        // Person 5 is alone in class 0; class 1 has 5 and 6, class 2 has 6, 7 and 8.
        let risks = of_people(&classes, &crowds, Some(3));
        assert_eq!(
            (risks.people, risks.prosecutor.highest, risks.prosecutor.unique_records),
            (Some(4), 1.0, 1)
        );
        assert!((risks.marketer - (1.0 + 0.5 + 2.0 / 3.0) / 4.0).abs() < 1e-12);
        assert_eq!(risks.prosecutor.share_above_threshold, 0.5);
    }

    #[test]
    fn one_record_each_is_as_without_people() {
        let codes = [0, 1, 1, 2, 2, 2, 2, 2];
        let classes = Classes::of_codes(8, &[&codes]);
        let of_people = of_people(&classes, &Crowds::of(&classes, (0..8).collect()), None);
        let of_records = of(&classes, None);
        assert_eq!(
            Risks { people: None, ..of_people.clone() }.prosecutor.highest,
            of_records.prosecutor.highest
        );
        assert!((of_people.marketer - of_records.marketer).abs() < 1e-12);
        assert_eq!(of_people.prosecutor.share_above_threshold, of_records.prosecutor.share_above_threshold);
        assert_eq!(of_people.prosecutor.unique_records, of_records.prosecutor.unique_records);
    }

    #[test]
    fn nobody_is_at_no_risk() {
        let risks = risks(&[], Some(3));
        assert_eq!((risks.prosecutor.highest, risks.prosecutor.mean, risks.marketer), (0.0, 0.0, 0.0));
    }
}
