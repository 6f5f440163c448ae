//! What reports say of a promise: names and figures, and sentences for people who do not know the models.

use super::{Bound, ColumnBound, Figure, Promise, Rule, Support};
use crate::{figure, grouped, percent};

impl Promise {
    /// The name in reports.
    pub fn name(&self) -> String {
        let name = match self {
            Promise::KAnonymity { .. } => "k-anonymity",
            Promise::PersonalK => "personal-k",
            Promise::MaxSuppressed { .. } => "max-suppressed",
            Promise::Itemsets { m, share: None, .. } => return format!("k^{m}-anonymity"),
            Promise::Itemsets { m, share: Some(share), .. } => {
                return format!("k^{m}-anonymity of a share of {share}");
            }
            Promise::Complete { .. } => "complete k-anonymity",
            Promise::Constraints { .. } => "k-anonymity of constraints",
            Promise::Confidence { about, .. } => return format!("confidence({about})"),
            Promise::Knowledge { bounds, .. } => {
                let is_gain = |of: &ColumnBound| matches!(of.bound, Bound::Gain(_));
                let gain = if bounds.iter().any(is_gain) { ",β" } else { "" };
                let share = if bounds.iter().all(is_gain) { "" } else { ",C" };
                return format!("(k{gain}{share})^L");
            }
            Promise::LDiversity { .. } => "l-diversity",
            Promise::WellFormedLines => "well-formed lines",
            Promise::OrderOfValues => "order of values",
            Promise::SetsOfTheDesign => "sets of the design",
            Promise::PlacesForMembers => "members without a place",
            Promise::DifferentMembers => "quasi-identifiers twice in a group",
            Promise::Values(rule) => rule.name(),
        };
        name.to_owned()
    }

    /// What is asked for, to be held against what is found.
    pub fn asked(&self) -> Figure {
        let words = |words: &str| Figure::Words(words.to_owned());
        match *self {
            Promise::KAnonymity { k }
            | Promise::Itemsets { k, .. }
            | Promise::Complete { k }
            | Promise::Constraints { k } => Figure::Count(k.into()),
            Promise::PersonalK => words("each record's own k"),
            Promise::MaxSuppressed { share } => Figure::Number(share),
            Promise::Confidence { c, .. } => Figure::Number(c),
            Promise::Knowledge { k, length, support, ref bounds } => {
                Figure::Words(knowledge_in_words(k, length, support, bounds))
            }
            Promise::LDiversity { l } => Figure::Count(l),
            Promise::WellFormedLines | Promise::SetsOfTheDesign => words("all"),
            Promise::OrderOfValues => words("ascending"),
            Promise::PlacesForMembers | Promise::DifferentMembers => words("none"),
            Promise::Values(rule) => rule.asked(),
        }
    }

    /// The section of `docs/terms.md` about it.
    pub fn term(&self) -> &'static str {
        match self {
            Promise::KAnonymity { .. } => "k-anonymity",
            Promise::PersonalK => "personal-k",
            Promise::MaxSuppressed { .. } => "suppressed",
            Promise::Itemsets { .. } => "km-anonymity",
            Promise::Complete { .. } => "complete-k-anonymity",
            Promise::Constraints { .. } => "k-anonymity-of-constraints",
            Promise::Confidence { .. } => "confidence",
            Promise::Knowledge { .. } => "partial-knowledge",
            Promise::LDiversity { .. } => "l-diversity",
            Promise::WellFormedLines
            | Promise::OrderOfValues
            | Promise::SetsOfTheDesign
            | Promise::PlacesForMembers
            | Promise::DifferentMembers => "promise",
            Promise::Values(rule) => rule.name(),
        }
    }

    /// What is promised, and what was found of it. Crowds consist of `unit`; `of_events` says that people have sequences.
    pub fn in_words(
        &self,
        column: Option<&str>,
        found_figure: &Figure,
        unit: &str,
        of_events: bool,
    ) -> (String, String) {
        let (asked, found) = (self.asked().in_words(), found_figure.in_words());
        let smallest = || format!("the smallest crowd in the published file has {found} {unit}.");
        match self {
            Promise::KAnonymity { .. } if of_events => (
                format!(
                    "Nobody stands out by what is known of their events: whoever knows all of them, in order, finds at least {asked} people whose published \
                     events look the same."
                ),
                smallest(),
            ),
            Promise::KAnonymity { k } => (
                format!(
                    "Nobody stands out by what others may know of them: everybody shares all published quasi-identifiers with at least {} other{}, so \
                     that every crowd has at least {asked} {unit}.",
                    k.saturating_sub(1),
                    if *k == 2 { "" } else { "s" }
                ),
                smallest(),
            ),
            Promise::PersonalK => (
                "Everybody is in a crowd that is at least as large as they asked for themselves.".to_owned(),
                format!("{found}."),
            ),
            Promise::Values(rule) => rule.in_words(column.unwrap_or_default(), found_figure),
            Promise::Complete { .. } => (
                format!(
                    "Whoever knows any items of somebody's transaction, however many, finds at least {asked} {unit} that have them."
                ),
                smallest(),
            ),
            Promise::Constraints { .. } => (
                format!(
                    "Each set of items that the publisher listed as something others may know is in at least {asked} {unit}, or in none."
                ),
                format!("the smallest crowd for a listed set has {found} {unit}."),
            ),
            Promise::Itemsets { m, share, .. } => {
                let among = share.map_or_else(String::new, |share| {
                    format!(
                        " among those that others may know (a share of {share} of all items, drawn at random)"
                    )
                });
                (
                    format!(
                        "Whoever knows up to {m} items of somebody's transaction{among} finds at least {asked} {unit} that have them."
                    ),
                    smallest(),
                )
            }
            Promise::Confidence { about, c } => (
                format!(
                    "In every crowd of people who look the same at most {} have one of the values of `{about}` that the publisher listed as sensitive.",
                    percent(*c)
                ),
                format!("the largest share in any crowd is {}.", found_figure.as_share()),
            ),
            Promise::Knowledge { bounds, .. } => {
                let is_gain = |bound: &Bound| matches!(bound, Bound::Gain(_));
                let gain = match bounds.iter().any(|of| is_gain(&of.bound)) {
                    true => ", and no sensitive value becomes more than β times as likely as before",
                    false => "",
                };
                let bound = match bounds.iter().all(|of| is_gain(&of.bound)) {
                    true => "",
                    false => ", and no sensitive value becomes more likely than C",
                };
                (
                    format!(
                        "Whoever knows at most L events of somebody, in order, finds at least k people whom they fit{gain}{bound} ({asked})."
                    ),
                    format!("{found}."),
                )
            }
            Promise::MaxSuppressed { share } => (
                format!(
                    "At most {} of the records of the source are left out or published as *.",
                    percent(*share)
                ),
                format!("{found}."),
            ),
            Promise::LDiversity { .. }
            | Promise::WellFormedLines
            | Promise::OrderOfValues
            | Promise::SetsOfTheDesign
            | Promise::PlacesForMembers
            | Promise::DifferentMembers => (format!("{}: {asked}.", self.name()), format!("{found}.")),
        }
    }
}

impl Rule {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        self.named().0
    }

    fn asked(&self) -> Figure {
        self.named().1
    }

    /// The name, and what is asked for.
    fn named(&self) -> (&'static str, Figure) {
        match *self {
            Rule::Distinct { l } => ("distinct-l-diversity", Figure::Count(l as u64)),
            Rule::Frequency { l } => ("frequency-l-diversity", Figure::Number(1.0 / l as f64)),
            Rule::Entropy { l } => ("entropy-l-diversity", Figure::Number(l)),
            Rule::Recursive { l, c } => {
                ("recursive-l-diversity", Figure::Words(format!("below c = {c} for l = {l}")))
            }
            Rule::Close { t, .. } => ("t-closeness", Figure::Number(t)),
            Rule::Alike(likeness) => ("beta-likeness", Figure::Number(likeness.beta())),
        }
    }

    /// What classes may give away of a sensitive column, and what they do.
    fn in_words(&self, column: &str, found_figure: &Figure) -> (String, String) {
        let (asked, found) = (self.asked().in_words(), found_figure.in_words());
        match self {
            Rule::Distinct { .. } => (
                format!(
                    "Every crowd has at least {asked} different values of `{column}`, so that knowing the crowd does not give the value away."
                ),
                format!("the crowd with the fewest has {found} different values."),
            ),
            Rule::Frequency { .. } => (
                format!(
                    "In every crowd no value of `{column}` has more than {} of it.",
                    self.asked().as_share()
                ),
                format!("the largest share of one value in any crowd is {}.", found_figure.as_share()),
            ),
            Rule::Entropy { .. } => (
                format!(
                    "In every crowd the values of `{column}` are as mixed as {asked} equally frequent values."
                ),
                format!("the least mixed crowd is as mixed as {found} equally frequent values."),
            ),
            Rule::Recursive { .. } => (
                format!(
                    "In no crowd is the most frequent value of `{column}` much more frequent than the rarer ones together ({asked})."
                ),
                format!("the largest ratio in any crowd is {found}."),
            ),
            Rule::Close { .. } => (
                format!(
                    "In every crowd the values of `{column}` are distributed as in the whole file, up to a distance of {asked} (0 is the same, 1 is as different \
                     as can be)."
                ),
                format!("the crowd that differs most is at a distance of {found}."),
            ),
            Rule::Alike(likeness) => (
                format!(
                    "No value of `{column}` is much more frequent in a crowd than in the whole file: at most {} times as frequent (β = {asked}).",
                    figure(1.0 + likeness.beta())
                ),
                format!("the value that comes nearest to this bound gains β = {found}."),
            ),
        }
    }
}

impl Figure {
    /// In a few characters.
    pub fn in_words(&self) -> String {
        match self {
            Figure::Nothing => "nothing".to_owned(),
            Figure::Count(count) => grouped(*count),
            Figure::Number(number) => figure(*number),
            Figure::Words(words) => words.clone(),
        }
    }

    /// The same, of a share of a crowd.
    fn as_share(&self) -> String {
        match self {
            Figure::Number(share) => percent(*share),
            Figure::Count(_) | Figure::Nothing | Figure::Words(_) => self.in_words(),
        }
    }
}

/// `k = 5, β = 1, L = 2`.
fn knowledge_in_words(k: u32, length: usize, support: Support, bounds: &[ColumnBound]) -> String {
    let bound = |of: &ColumnBound| {
        let column = if bounds.len() > 1 { format!(" for {}", of.column) } else { String::new() };
        match of.bound {
            Bound::Gain(beta) => format!("β = {beta}{column}, "),
            Bound::Share(c) => format!("C = {c}{column}, "),
        }
    };
    let bounds: String = bounds.iter().map(bound).collect();
    let count = match support {
        Support::Compatible => "",
        Support::Paper => ", by the papers' count",
    };
    format!("k = {k}, {bounds}L = {length}{count}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distance, Likeness};

    /// A report that calls a promise by another name, or says that something else was asked, promises something else.
    #[test]
    fn a_promise_says_what_it_is_and_what_is_asked() {
        let said = |promise: Promise| (promise.name(), promise.asked().to_string());
        let expect =
            |promise, name: &str, asked: &str| assert_eq!(said(promise), (name.into(), asked.into()));
        expect(Promise::KAnonymity { k: 3 }, "k-anonymity", "3");
        expect(Promise::Itemsets { k: 5, m: 2, share: Some(0.25) }, "k^2-anonymity of a share of 0.25", "5");
        expect(Promise::Complete { k: 3 }, "complete k-anonymity", "3");
        expect(Promise::Constraints { k: 4 }, "k-anonymity of constraints", "4");
        expect(Promise::Confidence { about: "ill".into(), c: 0.5 }, "confidence(ill)", "0.5");
        expect(Promise::MaxSuppressed { share: 0.1 }, "max-suppressed", "0.1");
        expect(Promise::Values(Rule::Distinct { l: 3 }), "distinct-l-diversity", "3");
        expect(Promise::Values(Rule::Frequency { l: 4 }), "frequency-l-diversity", "0.25");
        expect(Promise::Values(Rule::Entropy { l: 2.5 }), "entropy-l-diversity", "2.5");
        let recursive = Rule::Recursive { l: 3, c: 1.5 };
        expect(Promise::Values(recursive), "recursive-l-diversity", "below c = 1.5 for l = 3");
        let close = Rule::Close { t: 0.2, distance: Distance::Equal };
        expect(Promise::Values(close), "t-closeness", "0.2");
        expect(Promise::Values(Rule::Alike(Likeness::Basic(0.7))), "beta-likeness", "0.7");
    }

    #[test]
    fn what_is_partly_known_names_its_bounds() {
        let bound = |column: &str, bound| ColumnBound { column: column.into(), bound };
        let knowledge = |bounds: &[ColumnBound], support| {
            let promise = Promise::Knowledge { k: 5, length: 2, support, bounds: bounds.to_vec() };
            (promise.name(), promise.asked().to_string(), promise.k())
        };
        let (gain, share) = (bound("a", Bound::Gain(1.0)), bound("b", Bound::Share(0.5)));
        let said = |name: &str, asked: &str| (name.to_owned(), asked.to_owned(), Some(5));
        assert_eq!(knowledge(&[], Support::Compatible), said("(k)^L", "k = 5, L = 2"));
        assert_eq!(
            knowledge(std::slice::from_ref(&gain), Support::Paper),
            said("(k,β)^L", "k = 5, β = 1, L = 2, by the papers' count")
        );
        assert_eq!(
            knowledge(&[gain, share], Support::Compatible),
            said("(k,β,C)^L", "k = 5, β = 1 for a, C = 0.5 for b, L = 2")
        );
    }
}
