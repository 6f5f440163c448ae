//! What leaks mean, in plain words: a sentence or two for one column or many, a heading, and what a count counts.

use shoal_core::policy::Shape;

use super::kind::{Leak, LeakKind, LeftOut, Remedy, Unit, UnknownCohorts};
use crate::markup::grouped;

impl Unit {
    /// What several are called.
    pub(crate) fn many(self) -> &'static str {
        match self {
            Unit::Records => "records",
            Unit::People => "people",
            Unit::Events => "events",
            Unit::Transactions => "transactions",
        }
    }
}

impl Leak {
    /// What the leak is, and what can be done about it.
    pub fn text(&self) -> String {
        sentence(&self.kind, &self.column.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// What leaks say, each sentence once: leaks that differ only in their column are said of all these columns.
pub fn said_once(leaks: &[Leak]) -> Vec<(&LeakKind, String)> {
    let mut said: Vec<(&LeakKind, Vec<&str>)> = Vec::new();
    for Leak { kind, column } in leaks {
        match said.iter_mut().find(|(other, columns)| *other == kind && !columns.is_empty()) {
            Some((_, columns)) if column.is_some() => columns.extend(column.as_deref()),
            _ => said.push((kind, column.as_deref().into_iter().collect())),
        }
    }
    said.into_iter().map(|(kind, columns)| (kind, sentence(kind, &columns))).collect()
}

/// The sentence about a leak in these columns, one or many.
fn sentence(kind: &LeakKind, columns: &[&str]) -> String {
    let names = columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match kind {
        LeakKind::SaysNothing { count, unit: Unit::Transactions } => format!(
            "none of the {count} transactions has an item any more: the promise holds because the file says nothing, and it is worthless"
        ),
        LeakKind::SaysNothing { count, unit } => format!(
            "every quasi-identifier of all {count} {} is `*`: the promise holds because the file says nothing, and for whoever \
             wants to use these columns it is worthless",
            unit.many()
        ),
        LeakKind::OneValueClasses { count, unit, classes, of_classes } => format!(
            "in {classes} of {of_classes} classes ({count} {}) everybody has the same {names}: whoever knows somebody's class knows \
             it for certain",
            unit.many()
        ),
        LeakKind::BestGuess { count, unit, best, overall, likely_classes, of_classes } => format!(
            "whoever knows somebody's class guesses {names} right with up to {} % (with {} % without it); in {likely_classes} of \
             {of_classes} classes ({count} {}) with more than half",
            whole_percent(*best),
            whole_percent(*overall),
            unit.many()
        ),
        LeakKind::NoCondition {} => format!(
            "nothing limits what a class gives away about {names}: all its members may have the same value, and k hides who \
             they are, not what they have; l-diversity, t-closeness or beta-likeness do"
        ),
        LeakKind::UniqueValues { count, of } => format!(
            "{count} of {of} records have a value in {names} that no other record has: whoever knows it finds the record, \
             whatever the crowd; make the column a quasi-identifier or leave it out if somebody could"
        ),
        LeakKind::UniqueCombinations { count, of, columns } => format!(
            "{count} of {of} records have values in {} together that no other record has: whoever knows them finds the \
             record; make them quasi-identifiers if somebody could",
            columns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
        LeakKind::FreeText { count, words } => format!(
            "{names} reads like free text ({count} different texts of {words:.0} words on average), which often names people, places \
             and dates; it is published as it is"
        ),
        LeakKind::NamesPeople { count, of } => format!(
            "{count} of {of} records hold in {names}, which is published as it is, what an identifier holds: a name stays a name \
             in any column"
        ),
        LeakKind::RepeatedIdentifier { count, of, unit } => {
            let (what, one) = (unit.many(), if *unit == Unit::Transactions { "transaction" } else { "record" });
            let person = columns.first().copied().unwrap_or_default();
            format!(
                "{count} of {of} {what} share their {names} with another {one}. If it names people, a crowd of k {what} can be \
                 fewer people, even one. Name it with  [data] person = \"{person}\"  and the promise counts people."
            )
        }
        LeakKind::UniqueSequences { count, of, length } => format!(
            "{count} of {of} people publish a sequence that nobody else does: whoever knows more than {length} of somebody's values, \
             or how many events there were, may find them, and all that is published about them"
        ),
        LeakKind::RareNumbers { count, of, k } => format!(
            "how many events somebody has is not covered by the promise: {count} of {of} people publish a number of events that \
             fewer than k = {k} people publish, and whoever knows somebody's number may find them by it"
        ),
        LeakKind::RareItems { count, of, k } => format!(
            "{count} of {of} published items are held by fewer than {k} transactions; the promise does not speak of them, and \
             whoever knows one finds a crowd smaller than k"
        ),
        LeakKind::KnownRows {} => {
            "an attacker is said to know one row of a person (data.known-rows): an attacker who knows several rows of a person \
             may find the others, and what all of them say"
                .to_owned()
        }
        LeakKind::SensitiveItems { count, known, best, overall } => format!(
            "a reader who knows {} of a person guesses an item of privacy.sensitive-items: right for {:.0} % of the \
             transactions that fit at worst, while {:.0} % of all have the item; {count} transactions hold such an item and \
             others that make the guess right more often than wrong. The promise is about finding a person, not about their \
             other items: leave these items out of the data where that is too much",
            if *known == 1 { "one other item" } else { "up to two other items" },
            best * 100.0,
            overall * 100.0
        ),
        LeakKind::UniqueTransactions { count, of, m } => format!(
            "{count} of {of} transactions are like no other: whoever knows {} may find them, and all other items in them",
            match m {
                Some(m) => format!("more than {m} of somebody's items"),
                None => "more of somebody's items than the promise speaks of".to_owned(),
            }
        ),
        LeakKind::LeftOut { count, of, unit, reason } => {
            format!("{count} of {of} {} are left out{}", unit.many(), why_left_out(*reason))
        }
        LeakKind::NotTransparent { remedy } => format!(
            "not transparent: crowds were made by looking at sensitive values, so that whoever knows the algorithm can rule \
             out values and may become certain of some (docs/transparency.md has figures); {}",
            match remedy {
                Remedy::Transparent => {
                    "privacy.transparent = true, for l-diversity of the kind distinct or frequency, makes crowds that do not \
                     depend on them"
                }
                Remedy::Nothing => "for sequences there is no transparent algorithm",
            }
        ),
        LeakKind::KeptOrder {} => "the records stand in the order of the source: whoever knows that order, a list of names or \
             times of arrival, finds people by their place whatever the promise says; leave `output.keep-order` out to publish in \
             an order that says nothing"
            .to_owned(),
        LeakKind::FileOrder { count, columns } => format!(
            "{count} events are not told apart from another one of the same person by {}, and keep the order of the source's \
             rows (`data.ties`): that order is published as if it were the order of time, and other rows first would give \
             another release",
            if columns.is_empty() { "no column" } else { columns }
        ),
        LeakKind::PaperSupport {} => PAPER_SUPPORT.to_owned(),
        LeakKind::EarlierRelease { same_source, shape, .. } => earlier_release(*shape, *same_source),
        LeakKind::EarlierReleases { count, releases, unit } => {
            let who = match unit {
                Unit::People | Unit::Events => "people were",
                Unit::Transactions => "transactions are of people who were",
                Unit::Records => "records are of people who were",
            };
            format!(
                "{count} {who} in earlier releases, too ({releases} given): over all of them together the promise holds"
            )
        }
        LeakKind::NobodyRecognized { count } => {
            let (s, them) = if *count == 1 { ("", "it") } else { ("s", "them") };
            format!(
                "nobody of {count} earlier release{s} was found in this one, so that nothing was compared with {them}; where the \
                 same people should be in both, look whether the columns by which people are known are written as they were then"
            )
        }
        LeakKind::AbsentPeople { count } => format!(
            "{count} people of earlier releases are not in this one and are fewer than k among those with whom they were: whoever \
             knows that somebody is gone may find what they had by comparing the releases"
        ),
        LeakKind::UnknownCohorts { reason } => format!(
            "who was in the earlier release is not known: {}. Whoever knows that somebody was, or was not, may strike out the \
             others, and find fewer than k; a column that names people,  [data] person = \"…\",  would tell",
            match reason {
                UnknownCohorts::NoColumn => "no column names people",
                UnknownCohorts::OtherColumns => "the releases know people by different columns",
            }
        ),
        LeakKind::OneAssignment { by_audit: false } => {
            "rows of the file could be several people's: the promises about people were counted for one assignment of rows to \
             records that fits, which need not be the true one; with the release's audit.json as --policy they are counted \
             for the people who are in each class by that"
                .to_owned()
        }
        LeakKind::OneAssignment { by_audit: true } => {
            "who is in which class is as the audit says, and true of the original; which of several records of a person a row \
             comes from is not known, so that promises about sensitive values were counted for one way that fits"
                .to_owned()
        }
    }
}

/// What the papers' count of a crowd does not cover.
pub(crate) const PAPER_SUPPORT: &str = "support = \"paper\" counts only people whose published values lie at or below what somebody \
    knows. Whoever is published more coarsely than that, or as `*`, is in no crowd, and somebody who knows a value that no \
    published cell names can pick them out; use it to compare with the papers, and support = \"compatible\" to publish";

fn why_left_out(reason: LeftOut) -> &'static str {
    match reason {
        LeftOut::SensitiveValues => {
            ", and who is left out may depend on their sensitive values, since the promise speaks of \
             them: those who are not in the file have rare values more often than others. Whoever knows that somebody was in the \
             source and finds nothing that fits them learns that; keep secret who was in the source, or ask for less, so that fewer \
             are left out"
        }
        LeftOut::MissingSensitiveValue => {
            ", some perhaps because a sensitive value is missing: whoever knows that somebody was in \
             the source and finds nothing that fits them learns that they may have none"
        }
        LeftOut::FewAlike => {
            " because too few others are like them or a value is missing: whoever knows that \
             somebody was in the source and finds nothing that fits them knows that they are one of these"
        }
    }
}

fn earlier_release(shape: Shape, same_source: bool) -> String {
    let of = match same_source {
        true => "of the same source",
        false => "of other data, in which the same people may be",
    };
    let remedy = match shape {
        Shape::Table => "give its audit.json with --previous to compare this release with it",
        Shape::Transactions | Shape::Sequences => {
            "give its audit.json with --previous to compare this release with it; `shoal apply` publishes new data so that both \
             hold together; or hand out only one of them"
        }
        Shape::Stream => "for this shape of data it is not known how much: hand out only one of them",
    };
    format!(
        "this folder held the reports of another release {of}; whoever has both files can compare them and may learn more about a \
         person than from either; {remedy}"
    )
}

fn whole_percent(share: f64) -> f64 {
    (share * 100.0).round()
}

impl LeakKind {
    /// The fixed word for it, for scripts and `shoal help`.
    pub fn name(&self) -> &'static str {
        self.called().0
    }

    /// A heading for it.
    pub(crate) fn title(&self) -> &'static str {
        self.called().1
    }

    /// Its count with what it counts; none where nothing is counted.
    pub(crate) fn counted(&self) -> Option<String> {
        let counted = format!("{} {}", grouped(self.count()? as u64), self.called().2);
        Some(match self {
            LeakKind::SensitiveItems { .. } | LeakKind::BestGuess { .. } => {
                format!("more often right than wrong for {counted}")
            }
            _ => counted.trim_end().to_owned(),
        })
    }

    /// The fixed word, the heading, and what is counted.
    fn called(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            LeakKind::SaysNothing { unit, .. } => ("says-nothing", "The file says nothing", unit.many()),
            LeakKind::OneValueClasses { unit, .. } => {
                ("one-value-classes", "Crowds in which everybody has the same value", unit.many())
            }
            LeakKind::BestGuess { unit, .. } => {
                ("best-guess", "How well a sensitive value can be guessed", unit.many())
            }
            LeakKind::NoCondition {} => ("no-condition", "A sensitive column that nothing limits", ""),
            LeakKind::KnownRows {} => ("known-rows", "One row of a person is known", ""),
            LeakKind::UniqueValues { .. } => ("unique-values", "Values that only one record has", "records"),
            LeakKind::UniqueCombinations { .. } => {
                ("unique-combinations", "Combinations of values that only one record has", "records")
            }
            LeakKind::FreeText { .. } => ("free-text", "Free text is published", "different texts"),
            LeakKind::NamesPeople { .. } => ("names-people", "A published column may name people", "records"),
            LeakKind::RepeatedIdentifier { unit, .. } => {
                ("repeated-identifier", "One person may have several records", unit.many())
            }
            LeakKind::UniqueSequences { .. } => {
                ("unique-sequences", "Sequences that only one person has", "people")
            }
            LeakKind::RareNumbers { .. } => ("rare-numbers", "Numbers of events that few have", "people"),
            LeakKind::RareItems { .. } => ("rare-items", "Items that few have", "items"),
            LeakKind::SensitiveItems { .. } => {
                ("sensitive-items", "How well an item that is a secret can be guessed", "transactions")
            }
            LeakKind::UniqueTransactions { .. } => {
                ("unique-transactions", "Transactions that only one person has", "transactions")
            }
            LeakKind::LeftOut { unit, .. } => ("left-out", "Who is not in the file", unit.many()),
            LeakKind::NotTransparent { .. } => {
                ("not-transparent", "Crowds were made by looking at sensitive values", "")
            }
            LeakKind::KeptOrder {} => ("kept-order", "The order of the source is kept", ""),
            LeakKind::FileOrder { .. } => {
                ("file-order", "The order of some events is that of the source", "events")
            }
            LeakKind::PaperSupport {} => ("paper-support", "Crowds are counted as in the paper", ""),
            LeakKind::EarlierRelease { .. } => {
                ("earlier-release", "The same people were published before", "")
            }
            LeakKind::EarlierReleases { unit, .. } => {
                ("earlier-releases", "The same people were published before", unit.many())
            }
            LeakKind::NobodyRecognized { .. } => {
                ("nobody-recognized", "Nobody of an earlier release was found", "earlier releases")
            }
            LeakKind::AbsentPeople { .. } => ("absent-people", "People who are not in it any more", "people"),
            LeakKind::UnknownCohorts { .. } => {
                ("unknown-cohorts", "Who was in the earlier release is not known", "")
            }
            LeakKind::OneAssignment { .. } => ("one-assignment", "One assignment", ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_true_of_several_columns_is_said_once() {
        let leaks = [
            LeakKind::NoCondition {}.of_column("a"),
            LeakKind::KeptOrder {}.into(),
            LeakKind::NoCondition {}.of_column("b"),
            LeakKind::UniqueValues { count: 3, of: 4 }.of_column("a"),
            LeakKind::UniqueValues { count: 4, of: 4 }.of_column("b"),
        ];
        let said = said_once(&leaks);
        let names: Vec<&str> = said.iter().map(|(kind, _)| kind.name()).collect();
        assert_eq!(names, ["no-condition", "kept-order", "unique-values", "unique-values"]);
        assert!(said[0].1.starts_with("nothing limits what a class gives away about `a`, `b`: all"));
        assert!(said[2].1.starts_with("3 of 4 records have a value in `a` that"));
    }

    #[test]
    fn programs_read_the_figures_and_people_the_sentence() {
        let leak = LeakKind::UniqueValues { count: 3, of: 4 }.of_column("a");
        let json = serde_json::to_value(&leak).unwrap();
        assert_eq!(
            json,
            serde_json::json!({ "kind": "unique-values", "column": "a", "count": 3, "of": 4, "text": leak.text() })
        );
        let kept = serde_json::to_value(Leak::from(LeakKind::KeptOrder {})).unwrap();
        assert_eq!(kept.as_object().unwrap().len(), 2, "{kept}");
    }
}
