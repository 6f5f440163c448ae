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

/// What the name of a column says about keys, in the order in which they are likely to be the key of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeyName {
    /// Speaks of a category, a place, a measure or a time.
    Category,
    /// Says nothing.
    Unknown,
    /// Numbers those who treat, sell or serve.
    Provider,
    /// Numbers what happens to a person: admissions, visits, claims.
    Record,
    /// Numbers what may stand for a person: households, devices, accounts.
    Unit,
    /// A number or key of something that is not said.
    Key,
    /// Numbers or names people.
    Person,
}

/// What the name of a column says about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TimeName {
    /// When something began, or simply when it was.
    Start,
    /// Says nothing.
    Unknown,
    /// When something ended.
    End,
    /// A part of a date, the coarser the smaller.
    Calendar(u8),
    /// Counts the events of a person.
    Counter,
    /// Says how long, how much or how many, or when somebody was born: no order of events.
    No,
}

// Below, `birth*` is the beginning of a word, `*name` its end, `age` all of it. Of German, French and Spanish there are the words that mean
// nothing else in English; a name that says nothing leaves the safer role.

/// Words for what names a person by itself.
const NAMES_A_PERSON: &str = "\
    ssn email* mail phone* telephone mobile cellphone fax mrn passport* iban surname lastname \
    firstname fullname forename middlename maiden username login uuid guid nhs signature photo \
    fingerprint plate vorname* nachname* familienname prenom apellido* dni nif svnr pernr";

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

/// What names a person, in one word.
const PERSON_KEYS: &str = "ssn mrn nhs email* username login pid ptid patid personid enrolid dupersid *patientid *personid *memberid";
/// Whose number names a person.
const PEOPLE: &str = "\
    patient pat person user customer cust client member mbr subject subj respondent participant employee student \
    pupil citizen beneficiary bene individual donor voter insured subscriber enrollee resident worker borrower";
/// Whose number names something that happened to a person.
const RECORDS: &str = "\
    hadm admission adm encounter enc visit claim clm stay icustay case record rec episode event session transaction \
    trans order invoice specimen sample test note row line trip ticket message";
/// Whose number may stand for a person.
const UNITS: &str =
    "household family dwelling device account card utility object vehicle loan policy insurance";
/// Whose number names somebody, but not those whom the data are about.
const PROVIDERS: &str = "\
    provider prvdr hospital hosp physician physn npi doctor clinic facility ward station store shop branch \
    carer caregiver teacher school";
/// Words of a number.
const KEYS: &str = "id ids identifier nbr no nr num number key ref code name";
/// What belongs to a person or a record and is not its number.
const ATTRIBUTES: &str = "\
    type class category status group level kind flag ind count cnt date dt year month day time age ages sex gender \
    race* birth* zip* state county country source disposition description desc";

/// When something began.
const STARTS: &str = "\
    start* begin* from admi* admsn* arriv* visit* date dates dt datetime day time timestamp charttime intime \
    onset recorded occurred opened event* service svc seen when ordered created";
/// When something ended.
const ENDS: &str =
    "stop* end ends ended thru through until to discharg* dschrg* disch* dsch out outtime finish* closed";
/// Parts of a date, the coarse ones first.
const CALENDAR: [&str; 6] =
    ["year yr yyyy", "quarter", "month mon mm", "week", "day dd weekday", "hour hr minute min second sec"];
/// What counts events.
const COUNTERS: &str =
    "seq seqno sequence segment visit episode step index idx position pos wave round cycle ordinal ord nth";
/// How long, how much, how many, or about somebody's birth and death.
const NO_TIMES: &str = "\
    los length stay duration days hours minutes months years mos mons cnt count counts total sum avg mean elapsed \
    interval wait age ages birth* born dob* death* died dod amt amount cost* price charge* pay payment* income* salar* \
    rate ratio score weight height percent pct";

/// Numbers under these names are codes of categories.
const CODES: &str = "\
    sex gender race* ethnic* hispan* zip* postal* postcode plz state county country region \
    province district marital marry marstat occupation industry religion icd* diag diagnosis drg \
    code type class category status provider";

/// What words of time are about.
pub(super) const WHEN: &str = "when something happened";

/// A role, what the words are about, and the words.
type Rule = (Role, &'static str, &'static str);

/// In order: what is sensitive stays sensitive even where it also shows who somebody is.
const RULES: &[Rule] = &[
    (
        Role::Sensitive,
        "health",
        "\
         diag diagnos* disease* illness icd* drg condition* symptom* hiv aids medicat* medicine* \
         drug* dx rx krank* maladie* enfermedad* prescription* treatment* therap* surger* cancer* diabet* insulin metformin depress* \
         mental psych* disab* pregnan* genetic* genom* blood glucose glu cholesterol bmi smok* \
         alcohol* readmi* lab procedure* stroke",
    ),
    (
        Role::Sensitive,
        "money",
        "\
         salar* income* wage* gehalt* einkommen* lohn salaire* revenu ingreso* sueldo* earning* pay payment* revenue* debt* credit* loan* balance tax taxes taxable \
         asset* wealth capital profit* spend* expens* charges cost* reimb* poverty loss price \
         amount amt",
    ),
    (Role::Sensitive, "beliefs and private life", "religio* politic* party vote* sexual* orientation union"),
    (Role::Sensitive, "the law", "crim* offen* convict* arrest* sentence* prison*"),
    (
        Role::QuasiIdentifier,
        "who somebody is",
        "\
         age ages alter edad sex sexe sexo geschlecht gender geburt* naissance nacimiento familienstand race* ethnic* hispan* height weight language* marital marry married \
         marstat relationship family household* child* veteran citizen* native nation* birth* born \
         dob* death* died",
    ),
    (
        Role::QuasiIdentifier,
        "where somebody is or lives",
        "\
         zip* postal* postcode plz city wohnort ville ciudad strasse town village county state country* region province \
         district municipal* address* street* location* place station* latitude longitude lat lon \
         lng hospital* ward provider clinic facility",
    ),
    (
        Role::QuasiIdentifier,
        "what somebody does or has learned",
        "\
         educ* school* degree beruf* bildung* occup* job profession* employ* work* industry hours position title \
         specialty",
    ),
    (
        Role::QuasiIdentifier,
        WHEN,
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

    /// The words as one text.
    pub(super) fn joined(&self) -> String {
        self.0.join(" ")
    }

    /// What kind of key the name speaks of.
    pub(super) fn key_name(&self) -> KeyName {
        if self.any_of(PERSON_KEYS).is_some() {
            return KeyName::Person;
        }
        if self.any_of(ATTRIBUTES).is_some() {
            return KeyName::Category;
        }
        // `patient`, `patientid`, `patient_nbr`, `study_patient_id`; not `patient_weight`. A bare `test` or `sample` is no number.
        let number_of = |entities: &str, bare: bool| match self.0.as_slice() {
            [only] => entities.split_whitespace().any(|entity| {
                only.strip_prefix(entity)
                    .is_some_and(|rest| (bare && rest.is_empty()) || KEYS.split(' ').any(|k| k == rest))
            }),
            words => words.windows(2).any(|pair| {
                entities.split_whitespace().any(|e| e == pair[0]) && KEYS.split(' ').any(|k| k == pair[1])
            }),
        };
        let kinds = [
            (PEOPLE, KeyName::Person),
            (RECORDS, KeyName::Record),
            (UNITS, KeyName::Unit),
            (PROVIDERS, KeyName::Provider),
        ];
        if let Some((_, kind)) =
            kinds.into_iter().find(|&(entities, kind)| number_of(entities, kind != KeyName::Record))
        {
            return kind;
        }
        if self.any_of(PROVIDERS).is_some() {
            return KeyName::Provider;
        }
        if [CODES, NO_TIMES].iter().any(|words| self.any_of(words).is_some()) || self.hint().is_some() {
            return KeyName::Category;
        }
        let last = self.0.last().map(String::as_str).unwrap_or_default();
        let is_key = ["id", "ids", "identifier", "nbr", "number", "key", "ref", "*id"];
        if is_key.iter().any(|pattern| matches(pattern, last)) { KeyName::Key } else { KeyName::Unknown }
    }

    /// What the name says about time.
    pub(super) fn time_name(&self) -> TimeName {
        let has = |patterns: &str| self.any_of(patterns).is_some();
        let part = CALENDAR
            .iter()
            .position(|words| self.0.last().is_some_and(|last| words.split(' ').any(|w| w == last)));
        if has(NO_TIMES) {
            TimeName::No
        } else if let Some(part) = part {
            TimeName::Calendar(part as u8)
        } else if has(COUNTERS) && !has(ENDS) && !has("date dates dt datetime time timestamp") {
            TimeName::Counter
        } else if has(ENDS) {
            TimeName::End
        } else if has(STARTS) {
            TimeName::Start
        } else {
            TimeName::Unknown
        }
    }

    /// Whether it says what stays the same in a person's life.
    pub(super) fn is_lifelong(&self) -> bool {
        self.any_of("sex gender race* ethnic* birth* born dob* yob").is_some()
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

    /// Whether the values may be codes of occupations.
    pub(super) fn is_occupation(&self) -> bool {
        self.any_of("isco* occup* profession* job* beruf*").is_some()
    }

    /// Whether it says that they are codes of ISCO.
    pub(super) fn is_isco(&self) -> bool {
        self.any_of("isco*").is_some()
    }

    /// Whether the values may be levels of education.
    pub(super) fn is_education(&self) -> bool {
        self.any_of("educ* edu isced* school* schooling degree qualification* diploma").is_some()
    }

    /// The role that the name speaks for: what is sensitive first, then what its first word says that says anything.
    pub(super) fn hint(&self) -> Option<Hint> {
        let of_role = |wanted: Role| {
            let rules = RULES.iter().filter(move |rule| rule.0 == wanted);
            let found = rules.filter_map(|&(role, about, patterns)| {
                let at = self
                    .0
                    .iter()
                    .position(|word| patterns.split(' ').any(|pattern| matches(pattern, word)))?;
                Some((at, Hint { role, about, word: self.0[at].clone() }))
            });
            found.min_by_key(|(at, _)| *at).map(|(_, hint)| hint)
        };
        of_role(Role::Sensitive).or_else(|| of_role(Role::QuasiIdentifier))
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
        for name in [
            "age",
            "Sex",
            "zip",
            "birth_year",
            "marital-status",
            "native-country",
            "admission_date",
            "Geburtsdatum",
            "sexo",
            "Wohnort",
        ] {
            assert_eq!(role(name), Some(Role::QuasiIdentifier), "{name}");
        }
        for name in
            ["diag_1", "dx", "salary-class", "income", "primary_icd9", "HIV", "payment", "Gehalt", "maladie"]
        {
            assert_eq!(role(name), Some(Role::Sensitive), "{name}");
        }
        assert_eq!(role("column-7"), None);
        assert_eq!(role("message"), None, "age is not a word of it");
    }

    #[test]
    fn keys_are_told_apart_by_what_they_number() {
        for (kind, names) in [
            (KeyName::Person, "patient_id patient_nbr SUBJECT_ID DUPERSID memberId patient pid SSN"),
            (KeyName::Record, "hadm_id CLM_ID encounter_id visitid ICUSTAY_ID admission_number"),
            (KeyName::Unit, "household_id device account_no UTILITYID"),
            (KeyName::Key, "DESYNPUF_ID id some_key"),
            (KeyName::Provider, "PRVDR_NUM AT_PHYSN_NPI provider_id"),
            (
                KeyName::Category,
                "admission_type_id diag_1 BENE_COUNTY_CD patient_class icd9_all payer_code zip los city",
            ),
            (KeyName::Unknown, "DUID column3"),
        ] {
            for name in names.split(' ') {
                assert_eq!(Words::of(name).key_name(), kind, "{name}");
            }
        }
    }

    #[test]
    fn durations_and_costs_are_no_times() {
        for (time, names) in [
            (TimeName::Start, "start admission_date CLM_FROM_DT CLM_ADMSN_DT admittime date visit_date"),
            (TimeName::End, "stop discharge_date CLM_THRU_DT NCH_BENE_DSCHRG_DT end_time"),
            (TimeName::Calendar(0), "year admission_year"),
            (TimeName::Counter, "visit SEGMENT seq_num visit_number"),
            (TimeName::No, "los length_of_stay birth_date death_year CLM_UTLZTN_DAY_CNT cost age payment"),
            (TimeName::Unknown, "hospital_expire_flag x"),
        ] {
            for name in names.split(' ') {
                assert_eq!(Words::of(name).time_name(), time, "{name}");
            }
        }
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
