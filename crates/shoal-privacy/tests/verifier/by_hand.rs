//! Small releases by hand: each way to be refused, and what is said about it.

use shoal_core::{Column, Kind, Place, RawColumn, RawColumnBuilder, RawTable, Role, Table};
use shoal_privacy::{
    KAnonymity, OriginError, RecordOrder, Refusal, TableClaim, TableConservationError, TableModel,
    Unverifiable, judge_table,
};

use crate::support::{QUASI, Release, published, table, verify};

/// Two crowds that have nothing in common.
fn two_crowds() -> Release {
    let row = |texts: [&str; 6]| texts.map(str::to_owned).to_vec();
    Release {
        k: 2,
        original: vec![
            row(["Ann", "20", "f", "Bonn", "flu", ""]),
            row(["Bea", "23", "f", "Köln", "gout", ""]),
            row(["Carl", "50", "m", "Kiel", "flu", "seen"]),
            row(["Dirk", "53", "m", "Husum", "?", ""]),
            row(["Emil", "90", "m", "Kiel", "acne", ""]),
        ],
        published: vec![
            row(["", "[50, 53]", "m", "Coast", "flu", "seen"])[1..].to_vec(),
            row(["", "[20, 23]", "f", "Rhine", "flu", ""])[1..].to_vec(),
            row(["", "[50, 53]", "m", "Coast", "?", ""])[1..].to_vec(),
            row(["", "[20, 23]", "f", "Rhine", "gout", ""])[1..].to_vec(),
        ],
        origin: vec![2, 0, 3, 1],
        left_out: 1,
    }
}

fn refusal(release: &Release) -> TableConservationError {
    match verify(release) {
        Err(Refusal::TableConservation(error)) => error,
        other => panic!("expected broken conservation, got {other:?}"),
    }
}

#[test]
fn right_sizes_and_wrong_rows_are_wrong() {
    let mut release = two_crowds();
    assert!(verify(&release).is_ok());
    let kept = release.published[0][..QUASI].to_vec();
    let moved = release.published[1][..QUASI].to_vec();
    release.published[0].splice(..QUASI, moved);
    release.published[1].splice(..QUASI, kept);
    let text = "[20, 23]".to_owned();
    let expected =
        TableConservationError::NotCovered { row: 1, original_row: 3, column: "age".into(), text, cells: 2 };
    assert_eq!(refusal(&release), expected);
}

#[test]
fn a_changed_sensitive_value_is_named_by_its_place() {
    let mut release = two_crowds();
    release.published[2][3] = "acne".into();
    let text = "acne".to_owned();
    let expected =
        TableConservationError::Changed { row: 3, original_row: 4, column: "illness".into(), text, cells: 1 };
    assert_eq!(refusal(&release), expected);
}

#[test]
fn a_witness_is_not_trusted() {
    let mut release = two_crowds();
    release.origin[3] = 0;
    let expected = OriginError::PublishedTwice { first: 2, second: 4, original_row: 1 };
    assert_eq!(refusal(&release), expected.into());
    release.origin[3] = 5;
    let expected = OriginError::NoSuchOrigin { row: 4, original_row: 6, rows_in: 5 };
    assert_eq!(refusal(&release), expected.into());
    release.origin.pop();
    assert_eq!(refusal(&release), OriginError::Origins { published: 4, origins: 3 }.into());
    release.left_out = 0;
    assert_eq!(refusal(&release), OriginError::Rows { rows_in: 5, published: 4, left_out: 0 }.into());
    release.left_out = usize::MAX;
    assert!(matches!(refusal(&release), TableConservationError::Origin(OriginError::Rows { .. })));
}

/// The comparison with the input by itself, which other shapes use for the columns that nobody touches.
#[test]
fn conservation_alone_notices_what_is_untrue() {
    use shoal_privacy::table::conservation::check;
    let release = two_crowds();
    let (original, file) = (table(&release.original), published(&release));
    let (origin, left_out) = (&release.origin[..], release.left_out);
    assert_eq!(check(&original, &file, origin, left_out, &shoal_core::Silent), Ok(()));
    let lost = OriginError::Rows { rows_in: 5, published: 4, left_out: 0 };
    assert_eq!(check(&original, &file, origin, 0, &shoal_core::Silent), Err(lost.into()));
    let twice = OriginError::PublishedTwice { first: 1, second: 2, original_row: 3 };
    assert_eq!(check(&original, &file, &[2, 2, 3, 1], left_out, &shoal_core::Silent), Err(twice.into()));
    let mut changed = release.clone();
    changed.published[0][3] = "acne".into();
    assert!(matches!(
        check(&original, &published(&changed), origin, left_out, &shoal_core::Silent),
        Err(TableConservationError::Changed { row: 1, original_row: 3, cells: 1, .. })
    ));
    let mut untrue = release.clone();
    untrue.published[1][0] = "[50, 53]".into();
    assert!(matches!(
        check(&original, &published(&untrue), origin, left_out, &shoal_core::Silent),
        Err(TableConservationError::NotCovered { row: 2, original_row: 1, .. })
    ));
}

fn verify_table_file(release: &Release, file: &RawTable) -> Result<(), Refusal> {
    let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(release.k).unwrap())];
    let original = table(&release.original);
    let (origin, left_out) = (&release.origin[..], release.left_out);
    judge_table(
        file,
        TableClaim { original: &original, origin, left_out, suppression: None, order: RecordOrder::Input },
        &models,
        &shoal_core::Silent,
    )
    .map(|_| ())
}

#[test]
fn identifiers_and_strange_columns_are_refused_and_never_quoted() {
    let release = two_crowds();
    let with = |name: &str| {
        let mut file = published(&release);
        let mut extra = file.columns[4].clone();
        extra.name = name.to_owned();
        extra.labels = ["Ann", "Bea"].iter().collect();
        file.columns.push(extra);
        verify_table_file(&release, &file).unwrap_err()
    };
    let refused = with("name");
    let expected = TableConservationError::Withheld { column: "name".into(), role: Role::Identifier };
    assert_eq!(refused, expected.into());
    assert!(!refused.to_string().contains("Ann"));
    assert_eq!(with("shoe"), TableConservationError::UnknownColumn { column: "shoe".into() }.into());
    assert_eq!(with("age"), Unverifiable::Twice { column: "age".into() }.into());

    let mut file = published(&release);
    file.columns.pop();
    let lacking = TableConservationError::LackingColumn { column: "note".into() };
    assert_eq!(verify_table_file(&release, &file), Err(lacking.into()));
    file.columns[0].codes.pop();
    assert!(matches!(
        verify_table_file(&release, &file),
        Err(Refusal::Unverifiable(Unverifiable::Ragged { cells: 3, rows: 4, .. }))
    ));
}

#[test]
fn a_null_is_the_missing_value_and_no_other() {
    let release = two_crowds();
    let mut file = published(&release);
    let illness = &mut file.columns[3];
    let missing = illness.codes[2];
    illness.null = Some(missing);
    assert!(verify_table_file(&release, &file).is_ok());
    file.columns[3].codes[3] = missing;
    assert!(matches!(
        verify_table_file(&release, &file),
        Err(Refusal::TableConservation(TableConservationError::Changed { row: 4, .. }))
    ));
}

/// In Parquet, "no value" and the empty text are two things, and the missing value's label is empty.
#[test]
fn a_null_and_the_empty_text_are_not_taken_for_each_other() {
    let mut release = two_crowds();
    release.original.truncate(4);
    release.left_out = 0;
    let mut original = table(&release.original);
    let verdict = |original: &Table, file: &RawTable| {
        let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(2).unwrap())];
        let origin = &release.origin[..];
        judge_table(
            file,
            TableClaim { original, origin, left_out: 0, suppression: None, order: RecordOrder::Input },
            &models,
            &shoal_core::Silent,
        )
        .map(|_| ())
    };
    let mut file = published(&release);
    assert_eq!(verdict(&original, &file), Ok(()));

    // Nobody's note is missing, so a null is not true of anybody.
    let (note, plain) = (4, file.columns[4].clone());
    file.columns[note].null = Some(plain.codes[1]);
    assert!(matches!(
        verdict(&original, &file),
        Err(Refusal::TableConservation(TableConservationError::Changed { row: 2, cells: 3, .. }))
    ));

    // Dirk's note is missing, Ann's and Bea's are empty; the file says the same.
    let mut builder = RawColumnBuilder::new("note".into());
    for cell in [Some(""), Some(""), Some("seen"), None] {
        match cell {
            Some(text) => builder.push(text, Place::default()),
            None => builder.push_null(Place::default()),
        }
    }
    let raw = builder.finish();
    original.columns[5] = Column::encode(&raw, Role::Insensitive, Kind::Text, &[]).unwrap();
    let in_file = release.origin.iter().map(|&row| raw.codes[row as usize]).collect();
    file.columns[note] = RawColumn { codes: in_file, ..raw };
    assert_eq!(verdict(&original, &file), Ok(()));
    let null = file.columns[note].null.unwrap();
    file.columns[note].codes[1] = null;
    assert!(verdict(&original, &file).is_err());
}

#[test]
fn too_few_stars_are_refused_with_a_way_out() {
    let mut release = two_crowds();
    release.published.push(["*", "*", "*", "acne", ""].map(str::to_owned).to_vec());
    release.origin.push(4);
    release.left_out = 0;
    let refused = verify(&release).unwrap_err();
    assert!(
        matches!(&refused, Refusal::BrokenTable { broken, .. } if broken[0].violations.worst[0].rows == [5])
    );
    assert!(refused.hint().contains("drop"));
}

#[test]
fn a_release_of_nothing_says_so() {
    let mut release = two_crowds();
    release.published.clear();
    release.origin.clear();
    release.left_out = 5;
    let verified = verify(&release).unwrap();
    assert!(verified.findings().is_vacuous());
    assert_eq!(verified.findings().rows_left_out(), 5);
}

#[test]
fn a_release_without_a_promise_is_none() {
    let release = two_crowds();
    let (original, file) = (table(&release.original), published(&release));
    let (origin, left_out) = (&release.origin[..], release.left_out);
    let claim =
        TableClaim { original: &original, origin, left_out, suppression: None, order: RecordOrder::Input };
    assert_eq!(
        judge_table(&file, claim, &[], &shoal_core::Silent).unwrap_err(),
        Unverifiable::NoPromise.into()
    );
}

#[test]
fn records_that_say_nothing_are_counted() {
    let mut release = two_crowds();
    assert_eq!(verify(&release).unwrap().rows_starred(), 0);
    for row in release.published.iter_mut().step_by(2) {
        row[..QUASI].fill("*".to_owned());
    }
    assert_eq!(verify(&release).unwrap().rows_starred(), 2);
}

#[test]
fn a_text_that_says_nothing_readable_is_named_by_its_first_row() {
    let mut release = two_crowds();
    release.published[2][0] = "[53, 50]".into();
    release.published[3][0] = "[53, 50]".into();
    let (original, file) = (table(&release.original), published(&release));
    let refused = shoal_privacy::table::conservation::check(
        &original,
        &file,
        &release.origin,
        release.left_out,
        &shoal_core::Silent,
    );
    assert!(matches!(refused, Err(TableConservationError::Unreadable { row: 3, .. })), "{refused:?}");
}
