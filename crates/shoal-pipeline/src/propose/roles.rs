//! Which role a column could have, and why.

use shoal_core::{Kind, Role};

use super::profile::{Profile, percent};
use super::words::{Hint, KeyName, TimeName, WHEN};

/// A role, the reason for it, and what only a person can say about the column.
pub(super) struct Judgement {
    pub role: Role,
    pub reason: String,
    pub question: Option<String>,
}

/// Judges a column. `whole` says that the sample is all of the data.
pub(super) fn judge(column: &Profile<'_>, whole: bool) -> Judgement {
    if let Some(judgement) = several_values(column).or_else(|| free_text(column)) {
        return judgement;
    }
    let (role, reason) = row_number(column)
        .or_else(|| identifier_by_name(column))
        .or_else(|| hint(column))
        .or_else(|| identifier_by_values(column))
        .or_else(|| constant(column, whole))
        .unwrap_or_else(|| in_doubt(column));
    Judgement { role, reason, question: None }
}

/// Cells such as `486;2809;V5866`: as one text hardly anybody has the same.
fn several_values(column: &Profile<'_>) -> Option<Judgement> {
    let separator = column.list_separator()?;
    Some(Judgement {
        role: Role::Identifier,
        reason: format!(
            "its cells hold several values with `{separator}` between them, and such a list points to single people; left out"
        ),
        question: Some(format!(
            "its cells hold several values with `{separator}` between them. Leave it out (as proposed), split it into columns, or \
             publish it as transactions:  shape = \"transactions\",  items = the column,  item-separator = \"{separator}\""
        )),
    })
}

fn free_text(column: &Profile<'_>) -> Option<Judgement> {
    (column.is_telling() && column.is_prose()).then(|| Judgement {
        role: Role::Identifier,
        reason: "free text can name anybody, and no range or set hides that".to_owned(),
        question: Some(
            "it is free text, which can name anybody. Leave it out (as proposed), or replace it by a code before publishing"
                .to_owned(),
        ),
    })
}

/// What pandas writes before the first column.
fn row_number(column: &Profile<'_>) -> Option<(Role, String)> {
    column.is_row_number().then(|| {
        (Role::Identifier, "it numbers the rows of the file, and their order can give people away".to_owned())
    })
}

fn identifier_by_name(column: &Profile<'_>) -> Option<(Role, String)> {
    let key = column.name.key_name();
    // A number of very few is a code; a real one has about as many values as there are people. Of people there may be few.
    let fewest = if key == KeyName::Person { 20 } else { 1000 };
    let few = column.is_telling() && column.share() < 0.05 && column.distinct() < fewest;
    let naming = matches!(column.kind, Kind::Text | Kind::Integer);
    let numbered = matches!(key, KeyName::Person | KeyName::Record | KeyName::Unit) && naming;
    let word = column.name.identifying().or_else(|| numbered.then(|| column.name.joined())).filter(|_| !few);
    let word = word.or_else(|| {
        // Measures and times differ by precision, whatever their name ends in.
        let hardly_repeats = naming && (!column.is_telling() || column.share() >= 0.3);
        let fits = hardly_repeats && (key != KeyName::Category || column.is_nearly_unique());
        column.name.perhaps_identifying().filter(|_| fits).map(str::to_owned)
    })?;
    let repeats = match column.is_telling() && column.share() < 0.9 {
        true => "; the values repeat, so one person may have several records",
        false => "",
    };
    let says = match key {
        KeyName::Key | KeyName::Unknown | KeyName::Category => "is that of a key or a name",
        KeyName::Record => "says that it numbers what happens to people",
        KeyName::Provider => "says that it names somebody who serves people",
        KeyName::Unit | KeyName::Person => "says that it names somebody",
    };
    Some((Role::Identifier, format!("the name (`{word}`) {says}, and {}{repeats}", shares(column))))
}

fn hint(column: &Profile<'_>) -> Option<(Role, String)> {
    let Hint { role, mut about, word } = column.name.hint()?;
    let text = column.kind == Kind::Text && !column.number_like;
    if role == Role::Sensitive && column.is_nearly_unique() {
        let (role, why) = match text {
            true => (Role::Identifier, "published as it is, it would point to single people"),
            // A condition about values that nobody shares says nothing, and whoever knows the number finds the person.
            false => (
                Role::QuasiIdentifier,
                "published as it is, it would point to single people; so it is published in ranges",
            ),
        };
        return Some((role, format!("the name (`{word}`) speaks of {about}, but {}: {why}", shares(column))));
    }
    let why = match role {
        Role::Sensitive => "which nobody should learn from the release",
        _ => "which others may know",
    };
    // The type of an admission is no time.
    let is_time = column.kind == Kind::Date || matches!(column.name.time_name(), TimeName::Calendar(_));
    if about == WHEN && !is_time {
        about = "something that happened to somebody";
    }
    Some((role, format!("the name (`{word}`) speaks of {about}, {why}")))
}

fn identifier_by_values(column: &Profile<'_>) -> Option<(Role, String)> {
    let naming = match column.kind {
        Kind::Text => !column.number_like,
        Kind::Integer => column.is_numbering(),
        // Measured or timed: they differ by precision, and ranges hide them well.
        Kind::Decimal | Kind::Date => false,
    };
    (naming && column.is_nearly_unique())
        .then(|| (Role::Identifier, format!("{}, as in a column that names people", shares(column))))
}

fn constant(column: &Profile<'_>, whole: bool) -> Option<(Role, String)> {
    (whole && column.distinct() <= 1)
        .then(|| (Role::Insensitive, "all records are alike here, so it tells nobody apart".to_owned()))
}

/// How the reason of a role begins that nothing speaks for.
pub(super) const IN_DOUBT: &str = "neither name nor values decide it";

fn in_doubt(column: &Profile<'_>) -> (Role, String) {
    let seen = match column.kind {
        _ if column.distinct() == 0 => "the sample holds none",
        Kind::Text if column.number_like => "its numbers tell people apart",
        Kind::Text => "its values group people",
        Kind::Integer | Kind::Decimal => "its numbers tell people apart",
        Kind::Date => "its dates tell people apart",
    };
    (Role::QuasiIdentifier, format!("{IN_DOUBT}; {seen}, so this is the safe choice"))
}

fn shares(column: &Profile<'_>) -> String {
    match column.distinct() == column.present {
        true => "no value repeats".to_owned(),
        false => format!("{} of its values are distinct", percent(column.share())),
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::super::kinds;
    use super::*;

    fn role(name: &str, values: impl IntoIterator<Item = String>) -> Role {
        let rows: Vec<Vec<String>> = values.into_iter().map(|v| vec![v]).collect();
        let table = RawTable::from_rows(&[name], &rows);
        let reading = kinds::read(&table.columns[0]);
        judge(&Profile::of(&table.columns[0], &reading), true).role
    }

    fn cycle(count: usize, of: usize) -> impl Iterator<Item = String> {
        (0..count).map(move |i| format!("v{}", i % of))
    }

    #[test]
    fn values_that_never_repeat_name_people() {
        assert_eq!(role("x", cycle(100, 100)), Role::Identifier);
        assert_eq!(role("x", cycle(100, 10)), Role::QuasiIdentifier);
        assert_eq!(role("x", (0..100).map(|i| (1000 + i).to_string())), Role::Identifier, "a numbering");
        assert_eq!(role("x", (0..100).map(|i| (i * i * i).to_string())), Role::QuasiIdentifier, "amounts");
        assert_eq!(role("x", (0..100).map(|i| format!("{i}.5"))), Role::QuasiIdentifier, "measures");
        assert_eq!(role("x", cycle(5, 5)), Role::QuasiIdentifier, "too few to tell");
    }

    #[test]
    fn names_need_values_that_go_with_them() {
        assert_eq!(role("patient_id", cycle(100, 60)), Role::Identifier);
        assert_eq!(role("visit_number", cycle(1000, 8)), Role::QuasiIdentifier);
        assert_eq!(role("station_name", cycle(1000, 27)), Role::QuasiIdentifier);
        assert_eq!(role("name", cycle(5, 5)), Role::Identifier);
        assert_eq!(role("thyroid", (0..100).map(|i| format!("{i}.5"))), Role::QuasiIdentifier);
        assert_eq!(role("diagnosis", cycle(100, 7)), Role::Sensitive);
        assert_eq!(role("diagnoses", cycle(100, 100)), Role::Identifier, "single people");
    }

    #[test]
    fn insensitive_is_what_tells_nobody_apart() {
        assert_eq!(role("x", cycle(100, 1)), Role::Insensitive);
        assert_eq!(role("country", cycle(100, 1)), Role::QuasiIdentifier, "by its name");
    }

    #[test]
    fn reasons_are_true_of_the_column() {
        let reason = |name: &str, values: Vec<String>| {
            let rows: Vec<Vec<String>> = values.into_iter().map(|v| vec![v]).collect();
            let table = RawTable::from_rows(&[name], &rows);
            let reading = kinds::read(&table.columns[0]);
            judge(&Profile::of(&table.columns[0], &reading), true).reason
        };
        let numbers = || (0..100).map(|i| (i % 14).to_string()).collect::<Vec<_>>();
        assert!(reason("admission_type_id", numbers()).contains("something that happened"));
        assert!(
            reason("admission_date", vec!["2010-01-31".to_owned(); 30]).contains("when something happened")
        );
        assert!(reason("time_in_hospital", numbers()).contains("(`time`)"));
        assert!(!reason("description_id", cycle(100, 60).collect()).contains("names somebody"));
    }

    #[test]
    fn numbers_that_never_repeat_are_published_in_ranges() {
        let amounts = || (0..100_i64).map(|i| (i * i * 37 % 10_007).to_string());
        assert_eq!(role("balance", amounts()), Role::QuasiIdentifier);
        assert_eq!(role("balance", (0..100).map(|i| (i % 30 * 100).to_string())), Role::Sensitive);
    }

    #[test]
    fn lists_free_text_and_row_numbers_are_left_out_and_asked_about() {
        let asked = |values: Vec<String>| {
            let rows: Vec<Vec<String>> = values.into_iter().map(|v| vec![v]).collect();
            let table = RawTable::from_rows(&["diagnoses"], &rows);
            let reading = kinds::read(&table.columns[0]);
            let judgement = judge(&Profile::of(&table.columns[0], &reading), true);
            (judgement.role, judgement.question.unwrap_or_default())
        };
        let list = |i: usize| (0..=i % 3).map(|c| format!("c{}", (i + c) % 9)).collect::<Vec<_>>().join(";");
        let (role_of_list, question) = asked((0..100).map(list).collect());
        assert_eq!(role_of_list, Role::Identifier);
        assert!(question.contains("item-separator"), "{question}");
        let (role_of_text, question) =
            asked((0..100).map(|i| format!("the patient {i} came in with a bad cough")).collect());
        assert_eq!(role_of_text, Role::Identifier);
        assert!(question.contains("free text"), "{question}");
        assert_eq!(role("age", (0..12).map(|i| i.to_string())), Role::Identifier, "pandas' index");
        assert_eq!(role("place", (0..100).map(|i| format!("Rome, {}", i % 9))), Role::QuasiIdentifier);
    }
}
