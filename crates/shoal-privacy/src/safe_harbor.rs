//! HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i): which of its 18 identifiers the published columns of a table hold.
//!
//! The original values are looked at. What is published of a value is the value itself or something coarser, so a table whose
//! originals satisfy the rule has a release that does, whatever the algorithm decides. The price: dates become years and zip codes
//! three digits before Shoal sees them.
//!
//! A finding is something that we are sure of: a name that says what a column is, or a value that is written as only such a
//! thing is. What is not found is not proven absent; the preset `safe-harbor` says what is not covered.
//! Which columns are published is in the policy, which is not seen here.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use shoal_core::{Kind, MissingTexts, RawColumn};

/// Three-digit zip codes with 20,000 people or fewer: the 17 of the 2000 census, as the guidance of HHS on de-identification (2012) lists
/// them, and 205 and 369, which became as small by the census of 2010. The rule asks for the current census, and the guidance says not to rely
/// on its list where there are newer data.
const SMALL_AREAS: [&str; 19] = [
    "036", "059", "063", "102", "203", "205", "369", "556", "692", "790", "821", "823", "830", "831", "878",
    "879", "884", "890", "893",
];

/// Words of a column's name that say which identifier it holds, with the letter of the paragraph and what it is called.
const NAMES: [(&str, &str); 15] = [
    (
        "(A) names",
        "surname lastname firstname fullname forename middlename maidenname patientname vorname nachname",
    ),
    (
        "(B) geographic subdivisions smaller than a state",
        "street address city county precinct geocode latitude longitude",
    ),
    ("(D) telephone numbers", "phone telephone mobile cellphone phonenumber"),
    ("(E) fax numbers", "fax faxnumber"),
    ("(F) e-mail addresses", "email mail emailaddress"),
    ("(G) social security numbers", "ssn socialsecurity"),
    ("(H) medical record numbers", "mrn medicalrecord medicalrecordnumber"),
    ("(I) health plan beneficiary numbers", "hicn mbi beneficiaryid beneficiarynumber"),
    ("(J) account numbers", "iban accountnumber accountid"),
    (
        "(K) certificate and license numbers",
        "licensenumber licencenumber passport passportnumber certificatenumber",
    ),
    ("(L) vehicle identifiers and plates", "vin licenseplate licenceplate numberplate"),
    ("(M) device identifiers and serial numbers", "imei deviceid serialnumber deviceserial"),
    ("(N) URLs", "url website homepage"),
    ("(O) IP addresses", "ip ipaddress"),
    ("(P, Q) biometric identifiers and photographs", "fingerprint voiceprint photo photograph"),
];

/// What was found in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// Which identifier of the rule, with its letter.
    identifier: &'static str,
    /// In how many different values; none where only the name says so.
    values: Option<usize>,
    /// What to do about it.
    hint: &'static str,
}

const LEAVE_OUT: &str = "set role = \"identifier\", or rename the column if it holds something else";

impl Forbidden {
    /// What is wrong with a column of this name, in a sentence.
    pub fn in_column(&self, column: &str) -> String {
        let Forbidden { identifier, values, hint } = self;
        let what = match values {
            None => format!("the name of `{column}` says that it holds {identifier}"),
            Some(1) => format!("a value of `{column}` is one of {identifier}"),
            Some(many) => format!("{many} different values of `{column}` are of {identifier}"),
        };
        format!("Safe Harbor: {what}; {hint}")
    }
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.identifier, self.hint)
    }
}

/// What a column that is to be published holds. Values are not quoted: they are what must not be shown.
pub fn forbidden_in(column: &RawColumn, kind: Kind, missing: &MissingTexts) -> Vec<Forbidden> {
    let words = words(&column.name);
    let texts = (0..).zip(column.labels.iter()).filter(|&(code, _)| !missing.has_code(column, code));
    let values: Vec<&str> = texts.map(|(_, text)| text.trim()).collect();
    let mut found = Vec::new();
    let mut add = |identifier, values: usize, hint| {
        if values > 0 {
            found.push(Forbidden { identifier, values: Some(values), hint });
        }
    };
    let count = |is: &dyn Fn(&str) -> bool| values.iter().filter(|text| is(text)).count();
    let dates = if kind == Kind::Date { values.len() } else { count(&is_date) };
    add("(C) dates that say more than the year", dates, "publish the year alone, as an integer");
    if words.iter().any(|word| word == "age") && !words.iter().any(|word| UNITS.contains(&word.as_str())) {
        add("(C) ages over 89", count(&is_high_age), "write 90 for everybody of 90 or over");
    }
    if words.iter().any(|word| ZIPS.contains(&word.as_str())) {
        add("(B) zip codes of more than three digits", count(&is_long_zip), "keep the first three digits");
        let hint = "write 000 instead (areas of 20,000 people or fewer in the census of 2000 or 2010; look for newer data)";
        add("(B) zip codes of small areas", count(&is_small_area), hint);
    }
    for (identifier, is) in BY_CONTENT {
        add(identifier, count(&is), LEAVE_OUT);
    }
    let named = NAMES.iter().filter(|(_, list)| list.split(' ').any(|word| is_named(&words, word)));
    for (identifier, _) in named {
        // Values say it better than the name.
        if !found.iter().any(|f| f.identifier == *identifier) {
            found.push(Forbidden { identifier, values: None, hint: LEAVE_OUT });
        }
    }
    found
}

/// A test of one value.
type IsOne = fn(&str) -> bool;

const BY_CONTENT: [(&str, IsOne); 5] = [
    ("(D) telephone numbers", is_phone),
    ("(F) e-mail addresses", |text| tokens(text).any(is_email)),
    ("(G) social security numbers", |text| tokens(text).any(is_ssn)),
    ("(N) URLs", |text| tokens(text).any(is_url)),
    ("(O) IP addresses", |text| tokens(text).any(is_ip)),
];

/// Words for zip codes.
const ZIPS: [&str; 5] = ["zip", "zipcode", "zip3", "zip5", "postcode"];
/// An age in these is not one in years.
const UNITS: [&str; 6] = ["month", "months", "week", "weeks", "day", "days"];

/// The words of a name, in lower case: `patientName`, `Patient_name` and `patient name` are `patient`, `name`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let begins = character.is_uppercase() && before.is_lowercase();
        if begins || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if character.is_alphanumeric() {
            words.last_mut().expect("there is one").extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word stands in a name, or two or three of its words written as one.
fn is_named(words: &[String], word: &str) -> bool {
    (1..=3).any(|width| words.windows(width).any(|some| some.concat() == word))
}

/// The parts of a text that blanks separate, without the punctuation around them.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let around = ['<', '>', '(', ')', '[', ']', ',', ';', '.', '"', '\''];
    text.split_whitespace().map(move |token| token.trim_matches(around))
}

fn is_email(token: &str) -> bool {
    let Some((local, domain)) = token.split_once('@') else { return false };
    let last = domain.rsplit('.').next().unwrap_or_default();
    let of_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let of_local = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    !local.is_empty()
        && local.chars().all(of_local)
        && domain.chars().all(of_host)
        && domain.len() > last.len() + 1
        && last.len() >= 2
        && last.chars().all(|c| c.is_ascii_alphabetic())
}

fn is_url(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    let behind = |scheme: &str| lower.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty());
    ["http://", "https://", "ftp://"].into_iter().any(behind)
        || lower.strip_prefix("www.").is_some_and(|rest| rest.contains('.'))
}

fn is_ip(token: &str) -> bool {
    token.parse::<Ipv4Addr>().is_ok()
        // `::` alone is punctuation.
        || token.parse::<Ipv6Addr>().is_ok_and(|_| token.chars().filter(char::is_ascii_hexdigit).count() >= 4)
}

/// `123-45-6789`, without the numbers that are never given: area 000, 666, 900 and above, group 00, serial 0000.
fn is_ssn(token: &str) -> bool {
    let parts: Vec<&str> = token.split('-').collect();
    let [area, group, serial] = parts[..] else { return false };
    let digits = |text: &str, many: usize| text.len() == many && text.bytes().all(|b| b.is_ascii_digit());
    digits(area, 3)
        && digits(group, 2)
        && digits(serial, 4)
        && !matches!(area, "000" | "666")
        && !area.starts_with('9')
        && group != "00"
        && serial != "0000"
}

/// `(608) 555-0143`, `608-555-0143`, `608.555.0143`, also behind `+1` or `1`; `+44 20 7946 0958`. Ten digits in a row may be any number.
fn is_phone(text: &str) -> bool {
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_digit() || " ()-.+".contains(c)) {
        return false;
    }
    let groups: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|g| !g.is_empty()).collect();
    let digits: usize = groups.iter().map(|group| group.len()).sum();
    if text.starts_with('+') {
        // The longest number that ITU-T E.164 allows has 15 digits.
        return (8..=15).contains(&digits) && !text.contains('.');
    }
    let groups = if groups.first() == Some(&"1") { &groups[1..] } else { &groups[..] };
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    // Neither an area nor an exchange begins with 0 or 1.
    lengths == [3, 3, 4] && groups[..2].iter().all(|group| !group.starts_with(['0', '1']))
}

/// `1980-02-03`, `1980/02`, `02/03/1980`, `3.2.1980`, with a time behind it or not.
fn is_date(text: &str) -> bool {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    ['-', '/', '.'].into_iter().any(|separator| {
        let parts: Vec<&str> = day.split(separator).collect();
        let number = |text: &str, most: u32| {
            let plain = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
            plain && text.parse().is_ok_and(|n: u32| (1..=most).contains(&n))
        };
        let year = |text: &str| text.len() == 4 && text.parse().is_ok_and(|y: u32| (1800..2200).contains(&y));
        match parts[..] {
            [y, m, d] if year(y) => number(m, 12) && number(d, 31),
            [a, b, y] if year(y) => (number(a, 12) && number(b, 31)) || (number(a, 31) && number(b, 12)),
            // `1980.5` is a number.
            [y, m] if year(y) && separator != '.' => m.len() == 2 && number(m, 12),
            _ => false,
        }
    })
}

/// Above 90: the number 90 is the category "90 or over" where nobody is older.
fn is_high_age(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(|age| (age > 89.0 && age != 90.0) && age < 130.0)
}

fn is_long_zip(text: &str) -> bool {
    text.chars().filter(char::is_ascii_digit).count() > 3
}

fn is_small_area(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    // `36` is what a program leaves of `036` that it took for a number.
    !digits.is_empty() && digits.len() <= 3 && SMALL_AREAS.contains(&format!("{digits:0>3}").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_recognised_by_how_they_are_written() {
        let cases: [(IsOne, &[&str], &[&str]); 8] = [
            (
                |text| tokens(text).any(is_email),
                &["ann@example.org", "write to <a.b+c@mail.example.com>."],
                &["@home", "a@b", "5 @ 3.50", "ann@example.", "a@@b.org"],
            ),
            (
                |text| tokens(text).any(is_url),
                &["https://example.org/x", "see www.example.org"],
                &["http://", "www.", "http"],
            ),
            (
                |text| tokens(text).any(is_ip),
                &["192.0.2.7", "2001:db8::1"],
                &["1.2.3", "12:30:45", "::", "300.1.1.1"],
            ),
            (
                |text| tokens(text).any(is_ssn),
                &["123-45-6789", "SSN 078-05-1120"],
                &[
                    "000-12-3456",
                    "666-12-3456",
                    "912-12-3456",
                    "123-00-4567",
                    "123-45-0000",
                    "2001-02-03",
                    "123456789",
                ],
            ),
            (
                is_phone,
                &[
                    "(608) 555-0143",
                    "608-555-0143",
                    "608.555.0143",
                    "+1 608 555 0143",
                    "1-608-555-0143",
                    "+44 20 7946 0958",
                ],
                &["6085550143", "108-555-0143", "555-0143", "3.141.5926", "+5", "", "2001-02-03", "40-49"],
            ),
            (
                is_date,
                &[
                    "1980-02-03",
                    "1980-02",
                    "02/03/1980",
                    "31.12.1980",
                    "1980-02-03T04:05",
                    "1980-02-03 04:05",
                ],
                &["1980", "1980.5", "1980-1990", "13/13/1980", "40-49", "1980-13", "2.5"],
            ),
            (is_high_age, &["91", "104", "89.5"], &["89", "90", "90+", "0", "999"]),
            (is_small_area, &["036", "36", "893", "59"], &["537", "000", "", "03601", "100"]),
        ];
        for (at, (is, yes, no)) in cases.into_iter().enumerate() {
            for text in yes {
                assert!(is(text), "{at}: {text}");
            }
            for text in no {
                assert!(!is(text), "{at}: {text}");
            }
        }
        assert!(is_long_zip("53715") && is_long_zip("5371") && !is_long_zip("537") && !is_long_zip("537**"));
        assert!(SMALL_AREAS.is_sorted(), "each once, and easy to compare with the guidance");
    }

    #[test]
    fn names_are_taken_word_by_word() {
        assert_eq!(words("patientName_2"), ["patient", "name", "2"]);
        assert!(is_named(&words("E-Mail"), "email") && is_named(&words("PatientName"), "patientname"));
        assert!(is_named(&words("ip_address"), "ipaddress") && is_named(&words("IP"), "ip"));
        assert!(!is_named(&words("recipient"), "ip") && !is_named(&words("capacity"), "city"));
    }
}
