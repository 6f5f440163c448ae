use shoal_core::Progress;

use super::TableTarget;
use super::fits::Fits;
use super::points::Points;
use super::rules::{Judged, in_words, judge};
use super::values::{Mix, NO_VALUE, Values};
use super::whose::Counting;
use crate::attack::Attack;

/// Whose crowds are looked at.
pub(crate) struct Crowds<'a> {
    pub target: &'a TableTarget<'a>,
    pub points: &'a Points,
    pub fits: &'a Fits,
    pub counting: &'a Counting,
    /// For each point the classes that it may be in.
    pub classes: &'a [Vec<u32>],
    /// What is added to the names of attacks.
    pub suffix: &'a str,
}

/// The best guess of a point, and its share of the crowd.
pub(crate) type PointGuess = Option<(u32, f64)>;

impl Crowds<'_> {
    /// Guesses a sensitive column of everybody, and holds the crowds against what was promised.
    pub(crate) fn guess(&self, values: &Values, progress: &dyn Progress) -> (Vec<Attack>, Vec<PointGuess>) {
        // Whether a rule of people holds in the union of two classes does not follow from its holding in both, so it is asked of
        // each class; an adversary who does not know the class knows less.
        let people = matches!(self.counting, Counting::People(_));
        let unknown = self.counting.is_unsure(self.target);
        let mut worst: Vec<Option<(Judged, u32)>> = vec![None; values.rules.len()];
        let mut guesses = Vec::with_capacity(self.classes.len());
        let mut last: (&[u32], Mix) = (&[], Mix::default());
        let mut surest: Option<(f64, u32)> = None;
        for (classes, point) in self.classes.iter().zip(0_u32..) {
            if point % 1024 == 0 {
                progress.check();
            }
            if classes.is_empty() {
                guesses.push(None);
                continue;
            }
            if classes.as_slice() == last.0 {
                guesses.push(last.1.best());
                continue;
            }
            last = (classes, values.mix(self.fits, self.counting, classes));
            let best = last.1.best();
            if let Some((_, share)) = best
                && surest.is_none_or(|(most, _)| share > most)
            {
                surest = Some((share, point));
            }
            guesses.push(best);
            for (rule, worst) in values.rules.iter().zip(&mut worst) {
                let mut look_at = |mix: &Mix| {
                    if mix.total == 0 {
                        return;
                    }
                    let Some(judged) = judge(*rule, mix, &values.everybody, people) else { return };
                    if worst.is_none_or(|(least, _)| judged.excess() > least.excess()) {
                        *worst = Some((judged, point));
                    }
                };
                match people {
                    false => look_at(&last.1),
                    true => classes
                        .iter()
                        .for_each(|&class| look_at(&values.mix(self.fits, self.counting, &[class]))),
                }
            }
        }
        let mut attacks = vec![self.posterior(values, &guesses, surest)];
        // Without knowing whose rows they are, a rule about people can be neither kept nor broken.
        if !unknown {
            for (rule, worst) in values.rules.iter().zip(worst) {
                attacks.extend(worst.map(|(judged, point)| self.rule(values, *rule, judged, point)));
            }
        }
        (attacks, guesses)
    }

    fn posterior(&self, values: &Values, guesses: &[PointGuess], surest: Option<(f64, u32)>) -> Attack {
        let (mut right, mut tried) = (0_u64, 0_u64);
        for (record, &point) in self.points.of_record.iter().enumerate() {
            if let Some((value, _)) = guesses[point as usize]
                && values.own[record] != NO_VALUE
            {
                tried += 1;
                right += u64::from(values.own[record] == value);
            }
        }
        let (name, column) = (format!("best guess{}", self.suffix), &values.name);
        let (_, without) = values.everybody.best().unwrap_or_default();
        let question = format!(
            "Whoever knows somebody's quasi-identifiers guesses the most frequent value of `{column}` among all rows that fit. \
             The most frequent of all is right in {:.1} %.",
            100.0 * without
        );
        let (success, point) = surest.unwrap_or_default();
        let share = right as f64 / tried.max(1) as f64;
        let words = format!(
            "one value has {:.1} % of a crowd; over everybody the best guess is right in {:.1} %",
            100.0 * success,
            100.0 * share
        );
        let attack = Attack::exact(&name, question, success).of_column(column).mean(share);
        attack.worst(words, self.record(surest.map(|_| point)))
    }

    fn rule(&self, values: &Values, rule: shoal_core::Rule, judged: Judged, point: u32) -> Attack {
        let (name, question) = in_words(rule, &values.name);
        let Judged { success, bound } = judged;
        let words = match rule {
            shoal_core::Rule::Distinct { .. } => {
                format!("{:.0} values are left in a crowd", (1.0 / success).round())
            }
            _ => format!(
                "the crowd with the least room has {:.1} % where {:.1} % are allowed",
                100.0 * success,
                100.0 * bound
            ),
        };
        let attack = Attack::exact(&format!("{name}{}", self.suffix), question, success);
        attack.of_column(&values.name).promised(bound).worst(words, self.record(Some(point)))
    }

    fn record(&self, point: Option<u32>) -> Option<u32> {
        point.map(|point| self.target.source_rows[self.points.first[point as usize] as usize])
    }
}
