//! The risk of being recognized by one's quasi-identifiers.
//!
//! An adversary who finds a person's class can only guess which of its records is theirs: the risk of a
//! record in a class of s records is 1/s. The *prosecutor* knows that the person is in the file. The
//! *journalist* knows only that they are in some population of which the file is a sample; where no
//! population is given, the file itself is taken for it, which is the most that the risk can be. The
//! *marketer* wants to recognize as many as possible and does not care whom.
//!
//! Records that are not in the file carry no risk and are not counted.

use serde::Serialize;
use shoal_privacy::Classes;

/// The crowd below which a record counts as exposed where no k is given: a risk above 0.2.
const USUAL_CROWD: usize = 5;

/// Risk before and after, as `report.json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RiskReport {
    /// Were the original quasi-identifiers published.
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
    /// The share of records that are recognized on average: classes / records.
    pub marketer: f64,
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
}

/// What is taken for the population of which a file is a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Population {
    /// The file itself.
    Sample,
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
        journalist: Journalist { highest, population: Population::Sample },
        marketer: share(classes.len()),
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

    #[test]
    fn nobody_is_at_no_risk() {
        let risks = risks(&[], Some(3));
        assert_eq!((risks.prosecutor.highest, risks.prosecutor.mean, risks.marketer), (0.0, 0.0, 0.0));
    }
}
