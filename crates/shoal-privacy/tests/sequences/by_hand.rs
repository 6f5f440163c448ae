//! Releases that are broken in one place each, and what is said about them.

use shoal_core::{RawTable, Role};
use shoal_privacy::{
    Figure, OriginError, RecordOrder, Refusal, SequencesClaim, SequencesConservationError,
    TableConservationError, Unverifiable, judge_sequences, verify_sequences_file,
};

use crate::second_verifier::{NAMES, Release, Row, file, models, role, sequences, verify, verify_table_file};
use crate::verdict;

/// Two crowds of two, and somebody who is left out with an event of another.
fn two_crowds() -> Release {
    let rows = |rows: &[&[&str]]| -> Vec<Row> {
        rows.iter().map(|row| row.iter().map(|&text| text.to_owned()).collect()).collect()
    };
    Release {
        k: 2,
        limits: vec![("illness", vec!["HIV"], 0.5), ("ward", vec!["west"], 0.5)],
        original: rows(&[
            &["a", "Ann", "2007", "f", "Bonn", "flu", "east", ""],
            &["a", "Ann", "2009", "f", "Bonn", "HIV", "east", ""],
            &["b", "Bea", "2008", "f", "Köln", "flu", "west", ""],
            &["b", "Bea", "2009", "f", "Köln", "flu", "east", ""],
            &["b", "Bea", "2012", "f", "Kiel", "HIV", "east", ""],
            &["c", "Carl", "2007", "m", "Kiel", "flu", "east", "seen"],
            &["d", "Dirk", "2007", "m", "Kiel", "HIV", "west", ""],
            &["e", "Emil", "2012", "m", "Husum", "HIV", "west", ""],
        ]),
        published: rows(&[
            &["1", "2007", "m", "Kiel", "HIV", "west", ""],
            &["2", "[2007, 2008]", "f", "Rhine", "flu", "east", ""],
            &["2", "2009", "f", "Rhine", "HIV", "east", ""],
            &["3", "2007", "m", "Kiel", "flu", "east", "seen"],
            &["4", "[2007, 2008]", "f", "Rhine", "flu", "west", ""],
            &["4", "2009", "f", "Rhine", "flu", "east", ""],
        ]),
        origin: vec![6, 0, 1, 5, 2, 3],
        left_out: 2,
    }
}

fn refusal(release: &Release) -> SequencesConservationError {
    match verify(release) {
        Err(Refusal::SequencesConservation(error)) => error,
        other => panic!("expected broken conservation, got {other:?}"),
    }
}

#[test]
fn a_sound_release_counts_people_and_events() {
    let verified = verify(&two_crowds()).unwrap();
    assert_eq!(verified.classes().class_of, [0, 1, 0, 1]);
    assert_eq!((verified.events_published(), verified.events_left_out()), (6, 2));
    let ticket = verified.findings().clone();
    assert_eq!((ticket.rows_in(), ticket.rows_published(), ticket.rows_left_out()), (5, 4, 1));
    let promises: Vec<(String, Figure, &Figure)> =
        ticket.promises().iter().map(|p| (p.promise.name(), p.promise.asked(), &p.found)).collect();
    let half = Figure::Number(0.5);
    let expected = [
        ("k-anonymity".to_owned(), Figure::Count(2), &Figure::Count(2)),
        ("confidence(illness)".to_owned(), half.clone(), &half),
        ("confidence(ward)".to_owned(), half.clone(), &half),
    ];
    assert_eq!(promises, expected);
}

#[test]
fn a_broken_promise_names_the_class_its_share_and_where_it_is() {
    let mut release = two_crowds();
    release.published[5][4] = "HIV".into();
    let verdict = verdict(&release, &file(&release.published)).unwrap();
    assert_eq!(
        verdict.broken[0].to_string(),
        "confidence(illness) does not hold: asked 0.5, found 1, violating crowds: 1; the class with 2 events, \
         the first year = `[2007, 2008]`, sex = `f`, city = `Rhine`, has size 2 and share 1 (rows: 2, 5)"
    );
    release.published[3][1] = "2008".into();
    let Err(Refusal::BrokenSequences { broken }) = verify(&release) else {
        panic!("two promises are broken")
    };
    assert_eq!(broken.len(), 3, "alone, Dirk is in the west with certainty");
    assert_eq!(
        broken[0].to_string(),
        "k-anonymity does not hold: asked 2, found 1, violating crowds: 2; the class with 1 event \
         year = `2007`, sex = `m`, city = `Kiel`, has size 1 (rows: 1)"
    );
}

#[test]
fn a_verdict_is_written_in_the_words_of_the_contract() {
    let mut release = two_crowds();
    release.limits.pop();
    let verdict = verdict(&release, &file(&release.published)).unwrap();
    assert_eq!(
        serde_json::to_string(&verdict).unwrap(),
        r#"{"records":4,"events":6,"classes":2,"promises":[{"name":"k-anonymity","asked":2,"found":2,"holds":true,"promise":{"kind":"k-anonymity","k":2}},{"name":"confidence(illness)","asked":0.5,"found":0.5,"holds":true,"promise":{"kind":"confidence","about":"illness","c":0.5}}],"broken":[],"withheld-columns":[],"out-of-order":{"record":3}}"#
    );
}

#[test]
fn pseudonyms_are_numbers_in_order_and_no_other_id_is_ever_quoted() {
    let with_ids = |ids: [&str; 6]| {
        let mut release = two_crowds();
        for (row, id) in release.published.iter_mut().zip(ids) {
            row[0] = id.to_owned();
        }
        refusal(&release)
    };
    let originals = with_ids(["d", "a", "a", "c", "b", "b"]);
    assert_eq!(originals, SequencesConservationError::Pseudonym { row: 1, due: 1 });
    assert!(!originals.to_string().contains('`'), "{originals}");
    let unlike = |row, due| SequencesConservationError::Pseudonym { row, due };
    assert_eq!(with_ids(["1", "3", "3", "2", "4", "4"]), unlike(2, 2));
    assert_eq!(with_ids(["1", "2", "2", "03", "4", "4"]), unlike(4, 3));
}

#[test]
fn events_of_a_person_stand_together_in_order() {
    let mut release = two_crowds();
    release.published.swap(2, 3);
    release.origin.swap(2, 3);
    let expected = SequencesConservationError::Scattered { row: 4, person: 2, ended: 2 };
    assert_eq!(refusal(&release), expected);

    let mut release = two_crowds();
    for rows in [[1, 2], [4, 5]] {
        release.published.swap(rows[0], rows[1]);
        release.origin.swap(rows[0], rows[1]);
    }
    let expected = SequencesConservationError::OutOfOrder {
        person: 2,
        first: 2,
        second: 3,
        first_original: 2,
        second_original: 1,
    };
    assert_eq!(refusal(&release), expected);
}

#[test]
fn people_are_not_mixed() {
    let mut release = two_crowds();
    for column in 4..7 {
        let kept = release.published[2][column].clone();
        release.published[2][column] = std::mem::replace(&mut release.published[5][column], kept);
    }
    release.limits.pop();
    assert!(matches!(
        refusal(&release),
        SequencesConservationError::Event(TableConservationError::Changed { .. })
    ));
    release.origin.swap(2, 5);
    let expected = SequencesConservationError::TwoPeople {
        person: 2,
        first: 2,
        second: 3,
        first_original: 1,
        second_original: 4,
    };
    assert_eq!(refusal(&release), expected, "every event for itself is true");
}

#[test]
fn nobody_is_published_twice() {
    let mut release = two_crowds();
    let (year, place) = ("[2007, 2012]", "*");
    release.published = [["1", "flu"], ["2", "flu"], ["3", "HIV"], ["4", "flu"]]
        .map(|[id, illness]| [id, year, "f", place, illness, "east", ""].map(str::to_owned).to_vec())
        .to_vec();
    release.published[1][5] = "west".into();
    release.origin = vec![0, 2, 1, 3];
    release.left_out = 4;
    let expected = SequencesConservationError::PublishedTwice { first: 1, second: 3, original_row: 2 };
    assert_eq!(refusal(&release), expected);
}

#[test]
fn a_witness_is_not_trusted() {
    let mut release = two_crowds();
    release.origin[3] = 0;
    let twice: TableConservationError =
        OriginError::PublishedTwice { first: 2, second: 4, original_row: 1 }.into();
    assert_eq!(refusal(&release), twice.into());
    release.left_out = 1;
    let rows: TableConservationError = OriginError::Rows { rows_in: 8, published: 6, left_out: 1 }.into();
    assert_eq!(refusal(&release), rows.into());
}

#[test]
fn withheld_lacking_and_strange_columns_are_refused() {
    let release = two_crowds();
    let with = |name: &str| {
        let mut file = file(&release.published);
        let mut extra = file.columns[1].clone();
        extra.name = name.to_owned();
        file.columns.push(extra);
        file
    };
    let refused = |file: &RawTable| verify_table_file(&release, file).map(|_| ()).unwrap_err();
    let withheld = TableConservationError::Withheld { column: "name".into(), role: Role::Identifier };
    assert_eq!(refused(&with("name")), SequencesConservationError::from(withheld).into());
    let strange = TableConservationError::UnknownColumn { column: "shoe".into() };
    assert_eq!(refused(&with("shoe")), SequencesConservationError::from(strange).into());
    let mut shorter = file(&release.published);
    shorter.columns.pop();
    let lacking = TableConservationError::LackingColumn { column: "note".into() };
    assert_eq!(refused(&shorter), SequencesConservationError::from(lacking).into());

    assert_eq!(verdict(&release, &with("name")).unwrap().withheld_columns, ["name"]);
    assert!(!verdict(&release, &with("name")).unwrap().holds());
    let unknown = Unverifiable::Unknown { column: "shoe".into() };
    assert_eq!(verdict(&release, &with("shoe")), Err(unknown));
    assert_eq!(verdict(&release, &with("pid")), Err(Unverifiable::Twice { column: "pid".into() }));
    for column in ["pid", "year", "illness"] {
        let mut file = file(&release.published);
        file.columns.retain(|known| known.name != column);
        assert_eq!(verdict(&release, &file), Err(Unverifiable::Lacking { column: column.into() }));
    }
}

#[test]
fn an_input_that_was_not_read_to_its_end_is_compared_with_nothing() {
    let release = two_crowds();
    let whole = sequences(&release.original);
    let mut events = whole.events().clone();
    events.columns[7].codes.pop();
    let original = whole.with_events(events);
    let published = file(&release.published);
    let (origin, left_out) = (&release.origin[..], release.left_out);
    let claim =
        SequencesClaim { id: "pid", original: &original, origin, left_out, order: RecordOrder::Input };
    let ragged = Unverifiable::Ragged { column: "note".into(), cells: 7, rows: 8 };
    assert_eq!(
        judge_sequences(&published, claim, &models(&release), &shoal_core::Silent).unwrap_err(),
        ragged.into()
    );
}

#[test]
fn a_release_of_nobody_says_so_and_one_without_a_promise_is_none() {
    let mut release = two_crowds();
    assert!(!verdict(&release, &file(&release.published)).unwrap().is_vacuous());
    release.published.clear();
    release.origin.clear();
    release.left_out = 8;
    let verified = verify(&release).unwrap();
    assert!(verified.findings().is_vacuous());
    assert_eq!(verified.findings().rows_left_out(), 5);
    let verdict = verdict(&release, &file(&[])).unwrap();
    assert!(verdict.holds() && verdict.is_vacuous());
    let roles: Vec<(&str, Role)> = NAMES.iter().map(|name| (*name, role(name))).collect();
    let silent = verify_sequences_file(&file(&[]), "pid", &roles, &[], &shoal_core::Silent);
    assert_eq!(silent, Err(Unverifiable::NoPromise));
}
