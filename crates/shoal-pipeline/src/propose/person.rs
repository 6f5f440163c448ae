//! Which column says whose a record or an event is. A wrong person is a wrong promise, so candidates are ranked by what
//! they are: the name, how often values repeat, what stays the same in all records of a value, and which key is above
//! another. What came near is kept for the person who reviews the policy.

use shoal_core::{Kind, RawColumn, RawTable};

use super::kinds::Reading;
use super::profile::{Profile, percent};
use super::words::{KeyName, Words};

/// From here on a column is proposed; below it the question is asked without an answer. A name that says that it numbers
/// people is enough, also where nobody has two records; a name that says nothing needs all the evidence that values can give.
const ENOUGH: i32 = 50;
/// Two candidates that are not further apart than this are a question.
const NEAR: i32 = 25;

/// A column that may say whose record it is.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Which column it is.
    pub at: usize,
    /// Its name.
    pub column: String,
    name: KeyName,
    score: i32,
    /// Whether one value is in several records.
    pub repeats: bool,
    /// What speaks for it and against it, in words.
    pub why: String,
}

/// The candidates, the best one first.
pub(super) struct Ranking(Vec<Candidate>);

impl Ranking {
    pub(super) fn of(sample: &RawTable, readings: &[Reading]) -> Ranking {
        let profiles: Vec<Profile<'_>> = sample
            .columns
            .iter()
            .zip(readings)
            .map(|(column, reading)| Profile::of(column, reading))
            .collect();
        let named: Vec<usize> = (0..profiles.len()).filter(|&at| is_possible(&profiles[at])).collect();
        let lifelong: Vec<&RawColumn> =
            sample.columns.iter().filter(|column| Words::of(&column.name).is_lifelong()).collect();
        let mut candidates: Vec<Candidate> = named
            .iter()
            .map(|&at| candidate(sample, &profiles, at, &lifelong, &named))
            .filter(|candidate| candidate.score > 0)
            .collect();
        // Of equals the first: a table starts with its key.
        candidates.sort_by_key(|candidate| (-candidate.score, candidate.at));
        Ranking(candidates)
    }

    /// The best one, if there is enough that speaks for it.
    pub(super) fn best(&self) -> Option<&Candidate> {
        self.0.first().filter(|best| best.score >= ENOUGH)
    }

    /// All of them, the best one first.
    pub(super) fn all(&self) -> &[Candidate] {
        &self.0
    }

    /// What a person may want instead, or all candidates where none is good enough.
    pub(super) fn others(&self) -> &[Candidate] {
        &self.0[usize::from(self.best().is_some()).min(self.0.len())..]
    }

    /// The question to a person, where the values and names do not settle it. `key` is what the policy calls it.
    pub(super) fn question(&self, key: &str) -> Option<String> {
        let names = |of: &[Candidate]| {
            let names: Vec<String> =
                of.iter().take(3).map(|c| format!("`{}` ({})", c.column, c.why)).collect();
            names.join(", or ")
        };
        let Some(best) = self.best() else {
            return Some(match self.0.as_slice() {
                [] => {
                    format!("which column says whose a row is? None looks like it; name it:  {key} = \"…\"")
                }
                some => format!(
                    "which column says whose a row is? Perhaps {}; name it:  {key} = \"…\"",
                    names(some)
                ),
            });
        };
        let near: Vec<Candidate> =
            self.others().iter().filter(|other| other.score >= best.score - NEAR).cloned().collect();
        let first = near.first()?;
        Some(format!(
            "is one person one `{}` ({})? It could also be {}. If so:  {key} = \"{}\"",
            best.column,
            best.why,
            names(&near),
            first.column
        ))
    }
}

/// Numbers that are measured, times, lists, sentences, flags and what is mostly missing name nobody.
fn is_possible(profile: &Profile<'_>) -> bool {
    let flag = profile.is_telling() && profile.distinct() <= 2;
    matches!(profile.kind, Kind::Text | Kind::Integer)
        && profile.distinct() > 1
        && !flag
        && 2 * profile.missing <= profile.present
        && profile.list_separator().is_none()
        && !profile.is_prose()
        && profile.name.key_name() != KeyName::Category
}

fn candidate(
    sample: &RawTable,
    profiles: &[Profile<'_>],
    at: usize,
    lifelong: &[&RawColumn],
    named: &[usize],
) -> Candidate {
    let (column, profile) = (&sample.columns[at], &profiles[at]);
    let name = profile.name.key_name();
    let (mut score, says) = match name {
        KeyName::Person => (100, "the name says that it names people"),
        KeyName::Key => (60, "the name says that it is a key"),
        KeyName::Unit => (50, "the name says that it numbers what may stand for a person"),
        KeyName::Record => (30, "the name says that it numbers what happens to people"),
        KeyName::Provider => (10, "the name says that it numbers those who serve people"),
        KeyName::Unknown | KeyName::Category => (0, "the name says nothing"),
    };
    let mut why = vec![says.to_owned()];
    let each = profile.present as f64 / profile.distinct().max(1) as f64;
    let repeats = profile.distinct() < profile.present;
    if !repeats {
        score -= 50;
        why.push("no value repeats".to_owned());
    } else {
        // Somebody has a few rows, not thousands: those are shops, wards and categories.
        score += if each > 1000.0 {
            -40
        } else if each >= 1.1 {
            20
        } else {
            0
        };
        why.push(format!("{} values, {each:.1} rows each", profile.distinct()));
    }
    if profile.missing > 0 {
        score -= 30;
        why.push(format!("{} rows have none", profile.missing));
    }
    let constant = lifelong
        .iter()
        .filter(|other| other.name != column.name)
        .map(|other| (constancy(column, other), other));
    // The column that changes the most decides: sex alone is often the same in a small group.
    if let Some((share, other)) =
        constant.filter(|(share, _)| !share.is_nan()).min_by(|a, b| a.0.total_cmp(&b.0))
    {
        score += if share >= 0.9 {
            25
        } else if share < 0.7 {
            -60
        } else {
            0
        };
        why.push(match share >= 1.0 {
            true => format!("`{}` never changes within one", other.name),
            false => format!(
                "`{}` is the same in all rows of {} of those with several",
                other.name,
                percent(share)
            ),
        });
    }
    // The key of a person is above that of their visits. Only among keys of one kind: a household is above its people too.
    let below = named.iter().copied().find(|&other| {
        other != at
            && profiles[other].name.key_name() == name
            && profile.distinct() > 1
            && profile.distinct() < profiles[other].distinct()
            && is_inside(&sample.columns[other], column)
    });
    if let Some(below) = below {
        score += 15;
        why.push(format!("every `{}` has one", sample.columns[below].name));
    }
    Candidate { at, column: column.name.clone(), name, score, repeats, why: why.join("; ") }
}

impl Candidate {
    /// Whether the name says that it is a key of something.
    pub(super) fn is_named_so(&self) -> bool {
        self.name > KeyName::Provider
    }
}

/// Among the values of `key` with several rows, the share of those whose rows agree in `other`; not a number if there are none.
fn constancy(key: &RawColumn, other: &RawColumn) -> f64 {
    let mut first: Vec<Option<u32>> = vec![None; key.labels.len()];
    let mut several = vec![false; key.labels.len()];
    let mut differs = vec![false; key.labels.len()];
    for (&at, &value) in key.codes.iter().zip(&other.codes) {
        let at = at as usize;
        match first[at] {
            None => first[at] = Some(value),
            Some(known) => {
                several[at] = true;
                differs[at] |= known != value;
            }
        }
    }
    let many = several.iter().filter(|&&s| s).count() as f64;
    1.0 - differs.iter().filter(|&&d| d).count() as f64 / many
}

/// Whether every value of `fine` comes with one value of `coarse`.
fn is_inside(fine: &RawColumn, coarse: &RawColumn) -> bool {
    let mut of = vec![None; fine.labels.len()];
    fine.codes.iter().zip(&coarse.codes).all(|(&at, &value)| *of[at as usize].get_or_insert(value) == value)
}

#[cfg(test)]
mod tests {
    use super::super::kinds;
    use super::*;

    fn ranking(names: &[&str], rows: &[Vec<String>]) -> Ranking {
        let table = RawTable::from_rows(names, rows);
        let readings: Vec<Reading> = table.columns.iter().map(kinds::read).collect();
        Ranking::of(&table, &readings)
    }

    fn best(names: &[&str], row: impl Fn(usize) -> Vec<String>) -> Option<String> {
        let rows: Vec<Vec<String>> = (0..120).map(row).collect();
        ranking(names, &rows).best().map(|best| best.column.clone())
    }

    #[test]
    fn lists_of_codes_are_nobody() {
        let row = |i: usize| {
            let codes: Vec<String> =
                (0..1 + i % 4).map(|c| format!("{}", 100 + (i * 7 + c * 3) % 20)).collect();
            vec![codes.join(";"), format!("p{}", i / 3)]
        };
        assert_eq!(best(&["icd9_all", "patient_id"], row).as_deref(), Some("patient_id"));
        assert_eq!(best(&["everything", "who_id"], row).as_deref(), Some("who_id"));
    }

    #[test]
    fn people_are_above_their_admissions() {
        let row =
            |i: usize| vec![format!("{}", 5000 + i / 2), format!("{}", 100 + i / 6), (i % 2).to_string()];
        assert_eq!(best(&["hadm_id", "subject_id", "expired"], row).as_deref(), Some("subject_id"));
        // Both names say the same; the coarser of the two is the person.
        assert_eq!(best(&["key1_id", "key2_id", "expired"], row).as_deref(), Some("key2_id"));
        let rows: Vec<Vec<String>> = (0..120).map(row).collect();
        assert!(ranking(&["key1_id", "key2_id", "x"], &rows).question("id").unwrap().contains("`key1_id`"));
        assert_eq!(ranking(&["hadm_id", "subject_id", "x"], &rows).question("id"), None);
    }

    #[test]
    fn a_household_is_not_a_person() {
        let row = |i: usize| vec![format!("{}", 300 + i / 12), format!("{}", 30001 + i / 4)];
        assert_eq!(best(&["DUID", "DUPERSID"], row).as_deref(), Some("DUPERSID"));
    }

    #[test]
    fn values_alone_must_say_much() {
        let row = |i: usize| vec![format!("x{}", i / 4), ["f", "m"][i / 4 % 2].into(), format!("c{}", i % 9)];
        // Sex never changes within `a`, but it does within `c`; still the name says nothing, and nothing is below it.
        let rows: Vec<Vec<String>> = (0..120).map(row).collect();
        let ranking = ranking(&["a", "sex", "c"], &rows);
        assert!(ranking.best().is_none());
        let question = ranking.question("id").unwrap();
        assert!(question.contains("Perhaps `a`") && !question.contains("`c`"), "{question}");
    }
}
