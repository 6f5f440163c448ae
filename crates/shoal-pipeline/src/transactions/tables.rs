//! Whether what was read as baskets is a table: every number of a transaction and every 0 and 1 would be published as an item, and
//! the promise would be about rows that are no transactions.

use shoal_core::Transactions;

/// Fewer transactions than this say nothing.
const FEWEST: usize = 20;
/// How many are looked at.
const LOOKED_AT: usize = 500;

/// What speaks for a table, in words, or nothing. `data` are in the order of the file. Only signs that baskets do not have by
/// chance count: `init`, which can ask, suspects more.
pub(super) fn table_signs(data: &Transactions) -> Option<String> {
    if data.len() < FEWEST {
        return None;
    }
    header(data).or_else(|| one_hot(data)).or_else(|| row_per_item(data))
}

/// A first line of names that come nowhere else, above lines of the same number of values, each with a number among them.
fn header(data: &Transactions) -> Option<String> {
    let (names, supports) = (data.transaction(0), data.supports());
    let text = |item: u32| data.items().get(item);
    let is_number = |item: &u32| text(*item).parse::<f64>().is_ok();
    let are_names =
        names.len() >= 2 && names.iter().all(|item| supports[*item as usize] == 1 && !is_number(item));
    let below = || data.iter().skip(1).take(LOOKED_AT);
    // A row that holds a value twice is a smaller set.
    let full = below().filter(|row| row.len() == names.len()).count();
    let alike = below().all(|row| row.len() <= names.len()) && 10 * full >= 9 * below().count();
    (are_names && alike && below().all(|row| row.iter().any(is_number))).then(|| {
        let shown: Vec<String> = names.iter().take(4).map(|item| format!("`{}`", text(*item))).collect();
        format!(
            "its first line looks like a header ({}), with as many values below it in every line",
            shown.join(", ")
        )
    })
}

/// Most lines hold a 0 or a `False`, many a 1 or a `True`, and hardly anything but such marks: a key perhaps.
fn one_hot(data: &Transactions) -> Option<String> {
    const NO: [&str; 4] = ["0", "False", "false", "FALSE"];
    const YES: [&str; 4] = ["1", "True", "true", "TRUE"];
    let among = |row: &[u32], marks: &[&str]| {
        row.iter().filter(|item| marks.contains(&data.items().get(**item))).count()
    };
    let rows = || data.iter().take(LOOKED_AT);
    let marked = rows()
        .filter(|row| among(row, &NO) > 0 && row.len() <= 1 + among(row, &NO) + among(row, &YES))
        .count();
    let set = rows().filter(|row| among(row, &YES) > 0).count();
    (4 * marked >= 3 * rows().count() && 2 * set >= rows().count()).then(|| {
        "its lines hold 0 and 1 and hardly anything else, as a table with a column per item does".to_owned()
    })
}

/// Every line is a number and a name, and the numbers never fall and come again: the ids of transactions, sorted, a row per
/// item and no header. Baskets with one number each would not have it in order.
fn row_per_item(data: &Transactions) -> Option<String> {
    let id_of = |row: &[u32]| -> Option<u64> {
        let [one, other] = row else { return None };
        let number = |item: &u32| data.items().get(*item).parse::<u64>().ok();
        match (number(one), number(other)) {
            (Some(id), None) | (None, Some(id)) => Some(id),
            _ => None,
        }
    };
    let ids: Vec<u64> = data.iter().take(LOOKED_AT).map(id_of).collect::<Option<_>>()?;
    let repeated = ids.windows(2).filter(|pair| pair[0] == pair[1]).count();
    // Several ids, most of them more than once.
    let distinct = ids.len() - repeated;
    (ids.is_sorted() && distinct >= 5 && 3 * repeated >= ids.len())
        .then(|| "every line is a number that comes again in the lines after it and one item, as in a table with a row per item".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(lines: impl Iterator<Item = String>) -> Option<String> {
        let rows: Vec<Vec<String>> = lines.map(|line| line.split(',').map(str::to_owned).collect()).collect();
        table_signs(&Transactions::from_texts(&rows))
    }

    #[test]
    fn tables_have_signs_that_baskets_lack() {
        let with = |header: &str, row: &dyn Fn(usize) -> String| {
            signs(std::iter::once(header.to_owned()).chain((0..40).map(row)))
        };
        let long = |i: usize| format!("{},item{}", 100 + i / 3, i % 7);
        assert!(with("id,product", &long).unwrap().contains("`id`, `product`"));
        let flags = |i: usize| format!("{},{},{},{}", 10 + i, i % 2, i / 2 % 2, i / 4 % 2);
        assert!(with("id,milk,rolls,soda", &flags).is_some());
        let words = |i: usize| format!("{},{}", ["milk", "rolls", "soda"][i % 3], ["beer", "eggs"][i % 2]);
        assert_eq!(with("milk,eggs", &words), None);
        assert_eq!(with("wine,cheese", &words), None, "a rare basket");
        let numbers = |i: usize| format!("{},{},{}", i % 9, i % 7, i % 5);
        assert_eq!(signs((0..40).map(numbers)), None);
        assert_eq!(signs((0..5).map(long)), None, "too few");
        assert!(signs((0..40).map(long)).unwrap().contains("a row per item"));
        let unsorted = |i: usize| format!("{},item{}", 100 + i * 7 % 40 / 3, i % 7);
        assert_eq!(signs((0..40).map(unsorted)), None, "perhaps an amount and an item");
        let once = |i: usize| format!("{},item{}", 100 + i, i % 7);
        assert_eq!(signs((0..40).map(once)), None, "one item each");
    }
}
