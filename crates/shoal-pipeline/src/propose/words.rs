//! What the name of a column says.

use shoal_core::Role;

/// The words of a column's name, in lower case, without trailing figures: `ICD9_Code` is `icd`, `code`.
pub(super) struct Words(Vec<String>);

/// A hint that a name gives.
pub(super) struct Hint {
    /// The role it speaks for.
    pub role: Role,
    /// What the word is about.
    pub about: &'static str,
    /// The word of the name.
    pub word: String,
}

// Below, `birth*` is the beginning of a word, `*name` its end, `age` all of it.

/// Words for what names a person by itself.
const NAMES_A_PERSON: &str = "\
    ssn email* mail phone* telephone mobile cellphone fax mrn passport* iban surname lastname \
    firstname fullname forename middlename maiden username login uuid guid nhs signature photo \
    fingerprint plate";

/// Whose number names a person or one of their records.
const ENTITIES: &str = "\
    patient person user customer client member subject respondent participant employee student \
    citizen beneficiary individual encounter visit claim case record object account household \
    device session order transaction insurance insured donor voter card utility";

/// Words for such a number, or for a name.
const NUMBERS: &str = "id ids identifier nbr no nr num number key ref name names code";

/// Words that point to a person only where the values hardly repeat.
const MAY_NAME_A_PERSON: &str =
    "id ids identifier nbr number key ref name names address* street* token hash *id *name";

/// Numbers under these names are codes of categories.
const CODES: &str = "\
    sex gender race* ethnic* hispan* zip* postal* postcode plz state county country region \
    province district marital marry marstat occupation industry religion icd* diag diagnosis drg \
    code type class category status provider";

/// A role, what the words are about, and the words.
type Rule = (Role, &'static str, &'static str);

/// In order: what is sensitive stays sensitive even where it also shows who somebody is.
const RULES: &[Rule] = &[
    (
        Role::Sensitive,
        "health",
        "\
         diag diagnos* disease* illness icd* drg condition* symptom* hiv aids medicat* medicine* \
         drug* prescription* treatment* therap* surger* cancer* diabet* insulin metformin depress* \
         mental psych* disab* pregnan* genetic* genom* blood glucose glu cholesterol bmi smok* \
         alcohol* readmi* lab procedure* stroke",
    ),
    (
        Role::Sensitive,
        "money",
        "\
         salar* income* wage* earning* pay payment* revenue* debt* credit* loan* balance tax taxes taxable \
         asset* wealth capital profit* spend* expens* charges cost* reimb* poverty loss price \
         amount amt",
    ),
    (Role::Sensitive, "beliefs and private life", "religio* politic* party vote* sexual* orientation union"),
    (Role::Sensitive, "the law", "crim* offen* convict* arrest* sentence* prison*"),
    (
        Role::QuasiIdentifier,
        "who somebody is",
        "\
         age ages sex gender race* ethnic* hispan* height weight language* marital marry married \
         marstat relationship family household* child* veteran citizen* native nation* birth* born \
         dob* death* died",
    ),
    (
        Role::QuasiIdentifier,
        "where somebody is or lives",
        "\
         zip* postal* postcode plz city town village county state country* region province \
         district municipal* address* street* location* place station* latitude longitude lat lon \
         lng hospital* ward provider clinic facility",
    ),
    (
        Role::QuasiIdentifier,
        "what somebody does or has learned",
        "\
         educ* school* degree occup* job profession* employ* work* industry hours position title \
         specialty",
    ),
    (
        Role::QuasiIdentifier,
        "when something happened",
        "date* dt day month year time* admi* discharge* visit* arriv* start* end stay duration",
    ),
];

impl Words {
    /// Splits a name at everything that is not a letter or digit and where a capital follows a small letter.
    pub(super) fn of(name: &str) -> Self {
        let mut words = vec![String::new()];
        let mut small_before = false;
        for c in name.chars() {
            if !c.is_alphanumeric() || (small_before && c.is_uppercase()) {
                words.push(String::new());
            }
            if c.is_alphanumeric() {
                words.last_mut().expect("there is always a last word").extend(c.to_lowercase());
            }
            small_before = c.is_lowercase();
        }
        let figures = |word: &String| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        Words(words.iter().map(figures).filter(|word| !word.is_empty()).collect())
    }

    /// The word that names a person by itself, or the pair that numbers people or their records.
    pub(super) fn identifying(&self) -> Option<String> {
        if let Some(word) = self.any_of(NAMES_A_PERSON) {
            return Some(word.to_owned());
        }
        if let [only] = self.0.as_slice() {
            let glued = |entity: &&str| {
                only.strip_prefix(*entity)
                    .is_some_and(|rest| rest.is_empty() || NUMBERS.split(' ').any(|n| n == rest))
            };
            return ENTITIES.split(' ').find(glued).map(|_| only.clone());
        }
        let entity = self.any_of(ENTITIES)?;
        let number = self.any_of(NUMBERS)?;
        Some(format!("{entity} {number}"))
    }

    /// The word that points to a person where the values hardly repeat.
    pub(super) fn perhaps_identifying(&self) -> Option<&str> {
        self.any_of(MAY_NAME_A_PERSON)
    }

    /// The word that makes numbers codes.
    pub(super) fn code_word(&self) -> Option<&str> {
        self.any_of(CODES).or_else(|| (self.0.len() > 1).then(|| self.any_of("id")).flatten())
    }

    /// Whether the codes under this name lose meaning from the right, as zip and ICD codes do.
    pub(super) fn is_prefix_code(&self) -> bool {
        self.any_of("zip* postal* postcode plz icd*").is_some()
    }

    /// Whether the values may be codes of diagnoses.
    pub(super) fn is_diagnosis(&self) -> bool {
        self.any_of("icd* diag* dx condition*").is_some()
    }

    /// The first role that the name speaks for.
    pub(super) fn hint(&self) -> Option<Hint> {
        RULES.iter().find_map(|&(role, about, patterns)| {
            self.any_of(patterns).map(|word| Hint { role, about, word: word.to_owned() })
        })
    }

    fn any_of(&self, patterns: &str) -> Option<&str> {
        self.0
            .iter()
            .map(String::as_str)
            .find(|word| patterns.split(' ').any(|pattern| matches(pattern, word)))
    }
}

/// `birth*` is the beginning of a word, `*name` its end, `age` all of it.
fn matches(pattern: &str, word: &str) -> bool {
    if let Some(start) = pattern.strip_suffix('*') {
        return word.starts_with(start);
    }
    match pattern.strip_prefix('*') {
        // Longer than the many plain words that end so, such as `paid` and `valid`.
        Some(end) => word.ends_with(end) && word.len() >= end.len() + 4,
        None => word == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(Words::of("native-country").0, ["native", "country"]);
        assert_eq!(Words::of("ObjectId").0, ["object", "id"]);
        assert_eq!(Words::of("admitting_icd9").0, ["admitting", "icd"]);
        assert_eq!(Words::of("BENE_BIRTH_DT").0, ["bene", "birth", "dt"]);
        assert_eq!(Words::of("diag_1").0, ["diag"]);
        assert_eq!(Words::of("--").0, [""; 0]);
    }

    #[test]
    fn names_speak_for_roles() {
        let role = |name: &str| Words::of(name).hint().map(|hint| hint.role);
        for name in ["age", "Sex", "zip", "birth_year", "marital-status", "native-country", "admission_date"]
        {
            assert_eq!(role(name), Some(Role::QuasiIdentifier), "{name}");
        }
        for name in ["diag_1", "salary-class", "income", "primary_icd9", "HIV", "payment"] {
            assert_eq!(role(name), Some(Role::Sensitive), "{name}");
        }
        assert_eq!(role("column-7"), None);
        assert_eq!(role("message"), None, "age is not a word of it");
    }

    #[test]
    fn numbers_of_people_are_told_from_other_numbers() {
        let identifying = |name: &str| Words::of(name).identifying().is_some();
        for name in ["patient_id", "patientId", "patientid", "SSN", "e-mail", "email_address", "claim number"]
        {
            assert!(identifying(name), "{name}");
        }
        for name in
            ["admission_type_id", "number_outpatient", "num_procedures", "patient_age", "country_name"]
        {
            assert!(!identifying(name), "{name}");
        }
    }
}
