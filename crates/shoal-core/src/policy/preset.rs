//! Presets: a rule that people name (`cms-11`, "the 0.09 of the EMA"), which settings it means, and what it does not cover.
//!
//! [`Preset::text`] is the only place where they are described: docs/presets.md, `shoal help preset`, `shoal check` and the notes of
//! a report take their words from it, and a test compares the pages with it. The words are facts and no legal advice; where
//! a rule does not say what it means for a file of records, the words say how it is commonly taken.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Policy;

/// A rule by the name that people know it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// k = 5: the threshold rule of statistical agencies.
    #[serde(rename = "k5")]
    K5,
    /// k = 11: the cell size suppression policy of CMS.
    #[serde(rename = "cms-11")]
    Cms11,
    /// k = 12: the maximum risk of 0.09 that EMA and Health Canada recommend.
    #[serde(rename = "ema-0.09")]
    Ema009,
    /// tables: none of the 18 identifiers of the HIPAA Privacy Rule is published, as far as they can be recognised.
    #[serde(rename = "safe-harbor")]
    SafeHarbor,
}

/// What there is to say about a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresetText {
    /// What it means for a release, as a sentence with the arithmetic.
    pub means: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
    /// What the rule says, in our words: what a lawyer looks for.
    pub rule: &'static str,
    /// What a release that satisfies it can still give away, or what the rule asks for beyond it.
    pub not_covered: &'static str,
}

impl Preset {
    /// All of them, in the order of the documentation.
    pub const ALL: [Preset; 4] = [Preset::K5, Preset::Cms11, Preset::Ema009, Preset::SafeHarbor];

    /// The name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Preset::K5 => "k5",
            Preset::Cms11 => "cms-11",
            Preset::Ema009 => "ema-0.09",
            Preset::SafeHarbor => "safe-harbor",
        }
    }

    /// The smallest crowd that satisfies it, where it is about crowds.
    pub fn k(self) -> Option<usize> {
        match self {
            Preset::K5 => Some(5),
            Preset::Cms11 => Some(11),
            // The smallest k with 1/k ≤ 0.09, which is k ≥ 100/9 = 11.11…: 11 is not enough.
            Preset::Ema009 => Some(12),
            Preset::SafeHarbor => None,
        }
    }

    /// What there is to say about it.
    pub fn text(self) -> PresetText {
        match self {
            Preset::K5 => PresetText {
                means: "k = 5: every crowd has at least 5 members, so whoever knows somebody's quasi-identifiers finds their record with a probability of at most 1/5 = 0.2.",
                source: "The threshold rule (minimum frequency rule) of statistical agencies: Glossary of Statistical Disclosure Control, \
                         joint UNECE/Eurostat work session on statistical data confidentiality, Geneva 2005, entry \"threshold rule\", \
                         also in the OECD Glossary of Statistical Terms.",
                rule: "A cell of a table of frequencies is sensitive if it has fewer respondents than a given number; some agencies \
                       require at least five, others three.",
                not_covered: "It is a practice and no law: which number applies is for the agency or the contract to say. It was written for \
                              tables of counts; for a file of records it is commonly taken as k = 5.",
            },
            Preset::Cms11 => PresetText {
                means: "k = 11: every crowd has at least 11 members, because no crowd may have 10 or fewer.",
                source: "The cell size suppression policy of the U.S. Centers for Medicare & Medicaid Services (CMS), which their data use \
                         agreements refer to.",
                rule: "No cell (such as admissions, discharges, patients, services) of 1 to 10 may be displayed, and none may be derivable \
                       from percentages or other figures; a zero may be shown. This is also about cases that were excluded.",
                not_covered: "The policy is about every cell that is displayed. k = 11 is about crowds of equal quasi-identifiers: counts that also \
                              ask for a sensitive or insensitive value (\"how many in this crowd have asthma?\") can be 10 or fewer, \
                              and tables made from the release have to be checked again. If 1 to 10 records are left out, that number in the report is \
                              such a cell.",
            },
            Preset::Ema009 => PresetText {
                means: "k = 12: the highest risk of a record is 1/12 = 0.0833…, which is at most 0.09. 1/11 = 0.0909… is above 0.09, so a crowd of \
                        11 is not enough. Many texts say 11, because 0.09 is 1/11 rounded to two digits; whoever follows them writes k = 11 \
                        without this preset.",
                source: "European Medicines Agency, External guidance on the implementation of the policy on the publication of clinical data \
                         for medicinal products for human use (Policy 0070), chapter on anonymisation; Health Canada, Guidance document on \
                         Public Release of Clinical Information (PRCI).",
                rule: "Where anonymisation rests on an analysis of risk, a threshold of 0.09 on the maximum risk of re-identification is \
                       recommended for data that are made public.",
                not_covered: "The guidance asks for more than a figure: a justified choice of quasi-identifiers and adversaries, and an anonymisation \
                              report. The risk here is the prosecutor's, 1 / size of the crowd in the file; the risk in a larger reference \
                              population is the journalist's, which Shoal reports and does not promise.",
            },
            Preset::SafeHarbor => PresetText {
                means: "no published column of a table holds one of the 18 identifiers, as far as names of columns and the way values are written \
                        tell. It is not k-anonymity and sets no k: the policy gives one beside it.",
                source: "HIPAA Privacy Rule, 45 CFR 164.514(b)(2); U.S. Department of Health and Human Services, Guidance Regarding Methods for \
                         De-identification of Protected Health Information (2012), whose list of small three-digit zip codes is that of the \
                         2000 census.",
                rule: "The following identifiers of the individual or of relatives, employers, or household members of the individual are removed: \
                       (A) names; (B) geographic subdivisions smaller than a state, except the first three digits of a zip code of an area with \
                       more than 20,000 people, otherwise 000; (C) all elements of dates except the year, and all ages over 89 and dates, years included, that \
                       say so, except as one category of 90 or older; (D) telephone numbers; (E) fax numbers; (F) e-mail addresses; (G) social security numbers; (H) \
                       medical record numbers; (I) health plan beneficiary numbers; (J) account numbers; (K) certificate and license \
                       numbers; (L) vehicle identifiers and plates; (M) device identifiers; (N) URLs; (O) IP addresses; (P) biometric \
                       identifiers; (Q) full-face photographs; (R) any other unique identifying number, characteristic, or code; and the covered \
                       entity has no actual knowledge that what remains could identify an individual.",
                not_covered: "Actual knowledge, 164.514(b)(2)(ii), is the publisher's to judge. Free text, names of people or places among values, \
                              numbers that only their owner recognises, years of birth that say that somebody is over 89, and dates written as plain \
                              numbers are not found. The rule asks for the current census, and the list of small areas is that of 2000 with two more of 2010.",
            },
        }
    }

    /// The sentence for plans, summaries and reports, about a policy with this k.
    pub fn note(self, k: Option<usize>) -> String {
        let text = self.text();
        let asked = match (self.k(), k) {
            (Some(least), Some(k)) if k > least => {
                format!(" The policy asks for more, k = {k}.")
            }
            _ => String::new(),
        };
        format!("preset {}: {}{asked} Not covered: {}", self.name(), text.means, text.not_covered)
    }
}

impl Policy {
    /// Sets what the preset sets and the policy leaves open. What both say is compared by the policy's check.
    pub(super) fn apply_preset(&mut self) {
        if let Some(preset) = self.privacy.preset {
            self.privacy.k = self.privacy.k.or(preset.k());
        }
    }

    /// What a reader should know about the preset, where the policy names one.
    pub fn preset_note(&self) -> Option<String> {
        self.privacy.preset.map(|preset| preset.note(self.privacy.k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../../docs/presets.md");
    const TERMS: &str = include_str!("../../../../docs/terms.md");

    /// Without the line breaks of a page.
    fn one_line(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_pages_use_the_words_of_the_table() {
        let (page, terms) = (one_line(PAGE), one_line(TERMS));
        for preset in Preset::ALL {
            let text = preset.text();
            assert!(page.contains(&format!("## {}", preset.name())), "{preset:?}");
            for words in [text.means, text.source, text.rule, text.not_covered] {
                assert!(page.contains(&one_line(words)), "docs/presets.md lacks of {preset:?}: {words}");
            }
            let entry = format!("`{}`: {}", preset.name(), one_line(text.means));
            assert!(terms.contains(&entry), "docs/terms.md lacks: {entry}");
        }
    }

    #[test]
    fn names_are_those_of_policies() {
        for preset in Preset::ALL {
            assert_eq!(serde_json::to_value(preset).unwrap(), preset.name());
        }
    }

    #[test]
    fn twelve_is_the_smallest_crowd_with_a_risk_of_at_most_nine_hundredths() {
        // In whole numbers, which do not round: 1/k ≤ 9/100 is 100 ≤ 9k.
        let smallest = (1..).find(|k| 9 * k >= 100);
        assert_eq!(Preset::Ema009.k(), smallest);
        assert_eq!(smallest, Some(12));
    }

    #[test]
    fn a_note_says_where_the_policy_asks_for_more() {
        assert!(!Preset::Cms11.note(Some(11)).contains("asks for more"));
        assert!(Preset::Cms11.note(Some(20)).contains("asks for more, k = 20"));
    }
}
