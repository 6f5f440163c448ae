//! Complementary suppression: records that stay in the file as `*` are a crowd, or there are none.

use shoal_core::{Cell, Class, Column, Recoding, SUPPRESSED, Table};

use super::recode::Line;

/// Suppresses further classes until no record, or at least k of them, are suppressed.
///
/// Where suppressed records stay in the file (`output.suppressed = "star"`) they all look alike and form a
/// class of their own, which must reach k like any other. While it does not, the smallest class joins it;
/// of equally small ones the one that is coarsest already, since it has the least to lose, then the first.
/// (Step 4 of Datafly.) A class that joins is taken out of the recoding.
pub fn star_suppression(recoding: &mut Recoding, table: &Table, k: usize) {
    let columns = table.quasi_identifiers();
    let mut suppressed = recoding.suppressed();
    while (1..k).contains(&suppressed) {
        let sizes = recoding.sizes();
        let left = |class: usize| loss(&columns, &recoding.classes[class]);
        let victim = (0..sizes.len())
            .min_by(|&a, &b| sizes[a].cmp(&sizes[b]).then_with(|| left(b).total_cmp(&left(a))));
        let Some(victim) = victim else { return };
        suppressed += sizes[victim];
        suppress(recoding, victim as u32);
    }
}

/// What a member of a class has lost already: the mean NCP of its cells, columns by their weight.
fn loss(columns: &[&Column], class: &Class) -> f64 {
    let cells = columns.iter().zip(&class.cells);
    let lost: f64 = cells.map(|(column, cell)| column.weight * cell_loss(column, cell)).sum();
    lost / columns.iter().map(|column| column.weight).sum::<f64>()
}

fn cell_loss(column: &Column, cell: &Cell) -> f64 {
    match cell {
        Cell::Exact(_) => 0.0,
        Cell::Range { lo, hi } => Line::of(&column.domain).cost(*lo, *hi),
        Cell::Set(codes) => codes.len() as f64 / column.domain.len() as f64,
        Cell::Node(node) => column.hierarchy.as_ref().map_or(1.0, |bound| {
            let tree = bound.tree();
            match tree.leaves_below(*node).len() {
                1 => 0.0,
                leaves => leaves as f64 / f64::from(tree.leaf_count()),
            }
        }),
        Cell::Suppressed => 1.0,
    }
}

fn suppress(recoding: &mut Recoding, victim: u32) {
    recoding.classes.remove(victim as usize);
    for class in &mut recoding.class_of {
        if *class == victim {
            *class = SUPPRESSED;
        } else if *class != SUPPRESSED && *class > victim {
            *class -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{DateFormat, Domain, Kind, RawTable, Role, ValueParser};

    use super::*;

    fn ages() -> Table {
        let rows: Vec<Vec<String>> = (0..9).map(|age| vec![age.to_string()]).collect();
        let raw = RawTable::from_rows(&["age"], &rows);
        let parser = ValueParser::new(Kind::Integer, DateFormat::default());
        let (domain, codes) = Domain::of(&raw.columns[0], parser, &[]).unwrap();
        let role = Role::QuasiIdentifier;
        let column = Column { name: "age".into(), role, domain, hierarchy: None, weight: 1.0, codes };
        Table { columns: vec![column], rows: 9 }
    }

    fn recoding(class_of: &[u32], ranges: &[(u32, u32)]) -> Recoding {
        let class = |&(lo, hi)| Class { cells: vec![Cell::Range { lo, hi }] };
        Recoding { class_of: class_of.to_vec(), classes: ranges.iter().map(class).collect() }
    }

    const OUT: u32 = SUPPRESSED;

    #[test]
    fn the_smallest_class_joins_and_the_others_close_ranks() {
        let mut recoding = recoding(&[0, 0, 0, 1, 1, 2, 2, 2, OUT], &[(0, 2), (3, 4), (5, 7)]);
        star_suppression(&mut recoding, &ages(), 2);
        assert_eq!(recoding, self::recoding(&[0, 0, 0, OUT, OUT, 1, 1, 1, OUT], &[(0, 2), (5, 7)]));
    }

    #[test]
    fn of_equals_the_coarsest_joins_then_the_first() {
        let mut by_loss = recoding(&[0, 0, 1, 2, 2, 1, 3, 3, OUT], &[(0, 1), (2, 5), (3, 4), (6, 7)]);
        star_suppression(&mut by_loss, &ages(), 2);
        assert_eq!(by_loss.classes, recoding(&[], &[(0, 1), (3, 4), (6, 7)]).classes);

        let mut by_order = recoding(&[0, 0, 0, 0, 1, 1, 2, 2, OUT], &[(0, 3), (4, 5), (6, 7)]);
        star_suppression(&mut by_order, &ages(), 2);
        assert_eq!(by_order.classes, recoding(&[], &[(0, 3), (6, 7)]).classes);
    }

    #[test]
    fn none_or_enough_stay_as_they_are() {
        for class_of in [[0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, OUT, OUT]] {
            let before = recoding(&class_of, &[(0, 4), (4, 8)]);
            let mut after = before.clone();
            star_suppression(&mut after, &ages(), 2);
            assert_eq!(after, before);
        }
    }
}
