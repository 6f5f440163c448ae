// The table of the examples in the documentation of the table algorithms' parameters, which include this file.

/// Six people: their age, with decades as hierarchy, and what they suffer from.
fn six_people() -> shoal_core::Table {
    use shoal_core::{Column, Hierarchy, Kind, RawTable, Role, Table};
    let rows = [["23", "flu"], ["27", "cold"], ["28", "flu"], ["31", "cold"], ["35", "flu"], ["36", "cold"]];
    let raw = RawTable::from_rows(&["age", "illness"], &rows.map(Vec::from));
    let lines = rows.map(|[age, _]| vec![age.to_owned(), format!("{}x", &age[..1]), "*".to_owned()]);
    let decades = std::sync::Arc::new(Hierarchy::from_rows(&lines).unwrap());
    let age = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Integer, &[]).unwrap();
    let illness = Column::encode(&raw.columns[1], Role::Sensitive, Kind::Text, &[]).unwrap();
    Table { columns: vec![age.with_hierarchy(&decades).unwrap(), illness], rows: rows.len() }
}

/// What is published as each person's age.
#[allow(dead_code)]
fn ages(table: &shoal_core::Table, recoding: &shoal_core::TableRecoding) -> Vec<String> {
    let age = |&class: &u32| match class {
        shoal_core::SUPPRESSED => "left out".to_owned(),
        class => table.columns[0].render(&recoding.classes[class as usize].cells[0]),
    };
    recoding.class_of.iter().map(age).collect()
}
