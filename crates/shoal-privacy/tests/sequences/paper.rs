//! The scenario of the CBMSA paper: its table 2 is a release of its table 1 that keeps (2, 0.5)-privacy.

use std::sync::Arc;

use shoal_core::{Column, Hierarchy, Kind, RawTable, Role, Sequences};
use shoal_privacy::{
    Confidence, Figure, RecordOrder, Refusal, SequenceAnonymity, SequencesClaim, SequencesFindings,
    SequencesModel, judge_sequences,
};

use crate::second_verifier::cut_where_the_id_changes;

const COLUMNS: [&str; 6] = ["PID", "AdmYr", "ZIP", "DSFC", "LOS", "Disease"];

const TABLE_1: &str = "\
1 2009 56117 0 3 Hepatitis
2 2007 56103 0 2 Infection
3 2008 56942 0 1 Fever
3 2010 56942 0 30 Infection
4 2008 56107 0 2 Fever
4 2010 56107 0 35 Flu
5 2009 56117 0 3 Fever
6 2009 56103 0 3 Flu
6 2009 56103 10 1 Fever
6 2010 56230 0 2 HIV
7 2008 56072 0 2 Flu
8 2007 56361 0 30 Hepatitis
8 2011 56107 0 3 HIV
9 2007 56230 0 35 Flu
9 2011 56107 0 3 HIV
10 2009 56072 0 2 Flu
10 2009 56103 13 35 Fever
10 2010 56043 0 30 Infection";

const TABLE_2: &str = "\
1 2009 56117 0 3 Hepatitis
2 [2007:2008] 56*** 0 2 Infection
3 [2007:2008] 56*** 0 [0:12] Fever
3 [2009:2012] 56*** 0 [0:12] Infection
4 [2007:2008] 56*** 0 [0:12] Fever
4 [2009:2012] 56107 0 [0:12] Flu
5 2009 56117 0 3 Fever
6 2009 56*** 0 [0:1] Flu
6 2009 56103 [1:2] [0:12] Fever
6 2010 56*** 0 [0:12] HIV
7 [2007:2008] 56*** 0 2 Flu
8 [2007:2008] 56*** 0 [0:12] Hepatitis
8 [2009:2012] 56107 0 [0:12] HIV
9 [2007:2008] 56*** 0 [0:12] Flu
9 [2009:2012] 56*** 0 [0:12] HIV
10 2009 56*** 0 [0:1] Flu
10 2009 56103 [1:2] [0:12] Fever
10 2010 56*** 0 [0:12] Infection";

/// The nodes of table 2 over the values of table 1. DSFC and LOS are days there and weeks above.
const YEARS: [&str; 5] = [
    "2007 [2007:2008] *",
    "2008 [2007:2008] *",
    "2009 [2009:2012] *",
    "2010 [2009:2012] *",
    "2011 [2009:2012] *",
];
const ZIPS: [&str; 8] = [
    "56117 56*** *",
    "56103 56*** *",
    "56942 56*** *",
    "56107 56*** *",
    "56230 56*** *",
    "56072 56*** *",
    "56361 56*** *",
    "56043 56*** *",
];
const DSFC: [&str; 3] = ["0 [0:1] *", "10 [1:2] *", "13 [1:2] *"];
const LOS: [&str; 5] =
    ["1 [0:1] [0:12] *", "2 [0:1] [0:12] *", "3 [0:1] [0:12] *", "30 [4:6] [0:12] *", "35 [4:6] [0:12] *"];

fn rows(table: &str) -> Vec<Vec<String>> {
    table.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

fn original() -> Sequences {
    let rows = rows(TABLE_1);
    let raw = RawTable::from_rows(&COLUMNS, &rows);
    let trees: [Option<&[&str]>; 6] = [None, Some(&YEARS), Some(&ZIPS), Some(&DSFC), Some(&LOS), None];
    let columns = raw.columns.iter().zip(trees).enumerate().map(|(at, (column, tree))| {
        let role = match at {
            0 => Role::Identifier,
            5 => Role::Sensitive,
            _ => Role::QuasiIdentifier,
        };
        let column = Column::encode(column, role, Kind::Text, &[]).unwrap();
        let Some(lines) = tree else { return column };
        let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
        column.with_hierarchy(&Arc::new(Hierarchy::from_rows(&lines).unwrap())).unwrap()
    });
    cut_where_the_id_changes(&rows, columns.collect())
}

fn verify(k: u32, c: f64, values: &[&str]) -> Result<SequencesFindings, Refusal> {
    let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
    let models: [Box<dyn SequencesModel>; 2] = [
        Box::new(SequenceAnonymity::new(k).unwrap()),
        Box::new(Confidence::new("Disease", &values, c).unwrap()),
    ];
    let published = RawTable::from_rows(&COLUMNS, &rows(TABLE_2));
    let origin: Vec<u32> = (0..published.rows as u32).collect();
    let claim = SequencesClaim {
        id: "PID",
        original: &original(),
        origin: &origin,
        left_out: 0,
        order: RecordOrder::Input,
    };
    judge_sequences(&published, claim, &models, &shoal_core::Silent)
}

/// As printed, cell by cell: the pairs are 1 and 5, 2 and 7, 3 and 9, 4 and 8, 6 and 10.
#[test]
fn table_2_is_true_of_table_1_and_keeps_its_promise() {
    let verified = verify(2, 0.5, &["HIV"]).unwrap();
    assert_eq!(verified.classes().class_of, [0, 1, 2, 3, 0, 4, 1, 3, 2, 4]);
    assert_eq!(verified.classes().sizes, [2; 5]);
    let found: Vec<&Figure> = verified.findings().promises().iter().map(|promise| &promise.found).collect();
    assert_eq!(found, [&Figure::Count(2), &Figure::Number(0.5)]);
}

#[test]
fn table_2_keeps_no_stronger_promise() {
    let broken = |refused: Result<SequencesFindings, Refusal>| match refused {
        Err(Refusal::BrokenSequences { broken }) => (broken.len(), broken[0].violations.total),
        other => panic!("expected a broken promise, got {other:?}"),
    };
    assert_eq!(broken(verify(3, 0.5, &["HIV"])), (1, 5));
    assert_eq!(broken(verify(2, 0.49, &["HIV"])), (1, 3));
    // 6 has HIV and 10 an infection; so have 9 and 3.
    assert_eq!(broken(verify(2, 0.5, &["HIV", "Infection"])), (1, 2));
}
