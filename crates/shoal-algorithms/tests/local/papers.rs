//! The thesis' tables and experiments.

use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::sbc::SbcParams;
use shoal_core::{Kind, Silent};

use crate::properties::loss;
use crate::tables::{Shape, table, thesis};

#[test]
fn table_2_12_becomes_figure_2_9_b() {
    let rows = [
        ["35", "Female", "23111"],
        ["35", "Male", "23112"],
        ["36", "Female", "23111"],
        ["37", "Female", "23110"],
        ["37", "Male", "23112"],
        ["38", "Female", "23111"],
    ];
    let shapes = [Kind::Integer, Kind::Text, Kind::Integer].map(Shape::plain);
    let table = table(&shapes, &rows.map(|row| row.to_vec()));
    let recoding = MondrianParams::new(2).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
    let published = recoding.class_of.iter().map(|&class| {
        let cells = &recoding.classes[class as usize].cells;
        table.columns.iter().zip(cells).map(|(c, cell)| c.render(cell)).collect::<Vec<_>>()
    });
    let expected = [
        ["[35, 36]", "Female", "23111"],
        ["[35, 37]", "Male", "23112"],
        ["[35, 36]", "Female", "23111"],
        ["[37, 38]", "Female", "[23110, 23111]"],
        ["[35, 37]", "Male", "23112"],
        ["[37, 38]", "Female", "[23110, 23111]"],
    ];
    assert_eq!(published.collect::<Vec<_>>(), expected);
}

/// §4.5 and figure 4-2: exactly n / k clusters, and less than a fifth lost up to k = 100. Mondrian, cut and
/// published fairly, keeps below that, too.
#[test]
#[ignore = "needs SHOAL_DATA"]
fn the_thesis_experiment_on_adult() {
    let table = thesis();
    assert_eq!(table.rows, 5000);
    assert_eq!(table.columns.iter().map(|c| c.domain.len()).collect::<Vec<_>>(), [69, 2, 39]);
    for k in [2, 5, 10, 20, 50, 100] {
        let sbc = SbcParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        assert!(sbc.sizes().iter().all(|&size| size == k), "k = {k}");
        assert_eq!(sbc.classes.len(), 5000 / k);
        assert!(loss(&table, &sbc) < 0.2, "k = {k}");

        let mondrian = MondrianParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        assert!(loss(&table, &mondrian) < 0.2, "k = {k}");
    }
}
