use std::collections::HashMap;

use shoal_core::stream::StreamLine;
use shoal_core::{
    BoundHierarchy, Column, Condition, Kind, MissingTexts, PersonKey, Progress, RawTable, Role, Rule, Table,
    TablePromise,
};

use super::StreamTarget;
use crate::attack::Attacks;
use crate::table::attack::{TableTarget, attack_table};

/// What the sensitive value and the person are called here; no column of a stream can be called that.
const VALUE: &str = "\0value";
const PERSON: &str = "\0person";

/// The lines of castle as a table, with all its adversaries.
pub(super) fn attack(
    target: &StreamTarget<'_>,
    k: usize,
    l: usize,
    progress: &dyn Progress,
    found: &mut Attacks,
) {
    let names: Vec<&str> = target.columns.iter().map(|column| column.name.as_str()).collect();
    // A tuple that was suppressed tells nothing, not even its value.
    let shown: Vec<Vec<&str>> = target
        .lines
        .iter()
        .filter_map(|line| match line {
            StreamLine::Row { cells, value } if !cells.iter().all(|cell| cell == "*") || value != "*" => {
                Some(cells.iter().map(|cell| &**cell).chain([&**value]).collect())
            }
            _ => None,
        })
        .collect();
    let suppressed = target.lines.len() - shown.len();
    if suppressed > 0 {
        found
            .notes
            .push(format!("{suppressed} of {} lines say nothing and are in no crowd", target.lines.len()));
    }
    let mut header = names.clone();
    header.push(VALUE);
    let published = RawTable::from_rows(&header, &shown);
    let Some(original) = table(target, &names) else {
        found
            .not_tried
            .push("linkage: values of the original are not of the kinds that the policy says".to_owned());
        return;
    };
    let person = original.columns.iter().any(|column| column.name == PERSON).then(|| PERSON.to_owned());
    let conditions = match l {
        0 | 1 => Vec::new(),
        l => vec![Condition { column: VALUE.to_owned(), rule: Rule::Distinct { l } }],
    };
    let promise = TablePromise { conditions, person, ..TablePromise::crowds(k) };
    let source_rows: Vec<u32> = (0..original.rows as u32).collect();
    let mut attacks = attack_table(
        &TableTarget {
            original: &original,
            source_rows: &source_rows,
            published: &published,
            earlier: &[],
            returning: None,
            promise: &promise,
            knows_all_rows: false,
            missing: &MissingTexts::new(&[""]),
            origin: None,
            people_are_certain: false,
            values_are_certain: true,
        },
        progress,
    );
    // The column has the name that people know.
    let named = |text: &str| text.replace(VALUE, target.sensitive).replace(PERSON, "person");
    for attack in &mut attacks.attacks {
        attack.question = named(&attack.question);
        attack.column = attack.column.as_deref().map(named);
    }
    let rename = |texts: Vec<String>| texts.iter().map(|text| named(text)).collect::<Vec<_>>();
    found.attacks.extend(attacks.attacks);
    found.notes.extend(rename(attacks.notes));
    found.not_tried.extend(rename(attacks.not_tried));
    found.people = attacks.people;
    for risk in &mut found.people {
        risk.guesses.iter_mut().for_each(|guess| guess.column = named(&guess.column));
    }
}

/// The tuples as a table; none where a value is not of its column's kind.
fn table(target: &StreamTarget<'_>, names: &[&str]) -> Option<Table> {
    let row = |tuple: &shoal_core::stream::StreamTuple<'_>| {
        let mut row: Vec<String> = tuple.cells.iter().map(ToString::to_string).collect();
        row.push(tuple.value.to_string());
        row
    };
    let rows: Vec<Vec<String>> = target.tuples.iter().map(row).collect();
    let mut header = names.to_vec();
    header.push(VALUE);
    let raw = RawTable::from_rows(&header, &rows);
    let missing = [String::new()];
    let mut columns = Vec::new();
    for (gate, raw) in target.columns.iter().zip(&raw.columns) {
        let role = if gate.quasi { Role::QuasiIdentifier } else { Role::Insensitive };
        let mut column = Column::encode(raw, role, gate.parser.clone(), &missing).ok()?;
        if let Some(tree) = &gate.hierarchy {
            column.hierarchy = Some(BoundHierarchy::new(tree, &column.domain).ok()?);
        }
        columns.push(column);
    }
    columns.push(Column::encode(raw.columns.last()?, Role::Sensitive, Kind::Text, &missing).ok()?);
    if target.tuples.iter().any(|tuple| tuple.person.is_some()) {
        let mut known: HashMap<PersonKey, usize> = HashMap::new();
        let number = |tuple: &shoal_core::stream::StreamTuple<'_>| {
            let next = known.len();
            let person = tuple.person.as_deref().unwrap_or_default();
            vec![known.entry(PersonKey::from_text(person)).or_insert(next).to_string()]
        };
        let people: Vec<Vec<String>> = target.tuples.iter().map(number).collect();
        let raw = RawTable::from_rows(&[PERSON], &people);
        columns.push(Column::encode(&raw.columns[0], Role::Identifier, Kind::Text, &[]).ok()?);
    }
    Some(Table { columns, rows: target.tuples.len() })
}
