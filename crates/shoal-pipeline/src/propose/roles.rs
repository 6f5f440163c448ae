//! Which role a column could have, and why.

use shoal_core::{Kind, Role};

use super::profile::{Profile, percent};
use super::words::Hint;

/// A role and the reason for it. `whole` says that the sample is all of the data.
pub(super) fn judge(column: &Profile<'_>, whole: bool) -> (Role, String) {
    identifier_by_name(column)
        .or_else(|| hint(column))
        .or_else(|| identifier_by_values(column))
        .or_else(|| constant(column, whole))
        .unwrap_or_else(|| in_doubt(column))
}

fn identifier_by_name(column: &Profile<'_>) -> Option<(Role, String)> {
    // A number of very few is a code; a real one has about as many values as there are people.
    let few = column.is_telling() && column.share() < 0.05 && column.distinct() < 1000;
    let word = column.name.identifying().filter(|_| !few);
    let word = word.or_else(|| {
        // Measures and times differ by precision, whatever their name ends in.
        let naming = matches!(column.kind, Kind::Text | Kind::Integer);
        let hardly_repeats = naming && (!column.is_telling() || column.share() >= 0.3);
        column.name.perhaps_identifying().filter(|_| hardly_repeats).map(str::to_owned)
    })?;
    let repeats = match column.is_telling() && column.share() < 0.9 {
        true => "; the values repeat, so one person may have several records",
        false => "",
    };
    Some((
        Role::Identifier,
        format!("the name (`{word}`) says that it names somebody, and {}{repeats}", shares(column)),
    ))
}

fn hint(column: &Profile<'_>) -> Option<(Role, String)> {
    let Hint { role, about, word } = column.name.hint()?;
    let text = column.kind == Kind::Text;
    if role == Role::Sensitive && text && column.is_nearly_unique() {
        let reason = format!(
            "the name (`{word}`) speaks of {about}, but {}: published as it is, it would point to single people",
            shares(column)
        );
        return Some((Role::Identifier, reason));
    }
    let why = match role {
        Role::Sensitive => "which nobody should learn from the release",
        _ => "which others may know",
    };
    Some((role, format!("the name (`{word}`) speaks of {about}, {why}")))
}

fn identifier_by_values(column: &Profile<'_>) -> Option<(Role, String)> {
    if column.is_telling() && column.is_prose() {
        return Some((
            Role::Identifier,
            "free text can name anybody, and no range or set hides that".to_owned(),
        ));
    }
    let naming = match column.kind {
        Kind::Text => true,
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
        judge(&Profile::of(&table.columns[0], &reading), true).0
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
}
