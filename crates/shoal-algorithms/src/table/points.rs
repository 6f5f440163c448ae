//! Equal rows are one weighted point: what cannot be told apart need not be looked at twice.

use rayon::prelude::*;
use shoal_core::Column;

/// The distinct rows of some columns, sorted by their codes in the order of the columns.
pub(crate) struct Points {
    dims: usize,
    /// Row-major.
    codes: Vec<u32>,
    /// `rows[starts[i]..starts[i + 1]]` are the records of point i, ascending.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Points {
    /// Folds the first `rows` records of the columns.
    pub(crate) fn fold(quasi: &[&Column], rows: usize) -> Points {
        let widths: Vec<u32> = quasi.iter().map(|c| bits(c.domain.len())).collect();
        let (rows, starts) = match widths.iter().sum::<u32>() {
            0..=32 => runs(&sorted_keys::<u64>(quasi, &widths, rows)),
            33..=96 => runs(&sorted_keys::<u128>(quasi, &widths, rows)),
            _ => runs_by_comparison(quasi, rows),
        };
        let first_rows = starts.windows(2).map(|run| rows[run[0] as usize] as usize);
        let codes = first_rows.flat_map(|row| quasi.iter().map(move |c| c.codes[row])).collect();
        Points { dims: quasi.len(), codes, starts, rows }
    }

    /// How many distinct rows there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many columns a point has.
    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    /// The codes of a point.
    pub(crate) fn point(&self, i: usize) -> &[u32] {
        &self.codes[i * self.dims..(i + 1) * self.dims]
    }

    /// How many records share a point.
    pub(crate) fn weight(&self, i: usize) -> u32 {
        self.starts[i + 1] - self.starts[i]
    }

    /// The records of a point, ascending.
    pub(crate) fn rows(&self, i: usize) -> &[u32] {
        &self.rows[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// How many bits the codes of `values` values need.
fn bits(values: usize) -> u32 {
    usize::BITS - values.saturating_sub(1).leading_zeros()
}

/// A row's codes above its number, in one integer: sorting machine words is several times faster than
/// sorting row numbers that point elsewhere.
trait Key: Copy + Ord + Send + Sync + Default {
    fn push(self, code: u32, width: u32) -> Self;
    fn row(self) -> u32;
    fn same_point(self, other: Self) -> bool;
}

macro_rules! key {
    ($word:ty) => {
        impl Key for $word {
            fn push(self, code: u32, width: u32) -> Self {
                self << width | <$word>::from(code)
            }

            fn row(self) -> u32 {
                self as u32
            }

            fn same_point(self, other: Self) -> bool {
                self >> 32 == other >> 32
            }
        }
    };
}
key!(u64);
key!(u128);

fn sorted_keys<K: Key>(quasi: &[&Column], widths: &[u32], rows: usize) -> Vec<K> {
    let key = |row: usize| {
        let codes = quasi.iter().zip(widths).fold(K::default(), |key, (c, &w)| key.push(c.codes[row], w));
        codes.push(row as u32, 32)
    };
    let mut keys: Vec<K> = (0..rows).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    keys
}

fn runs<K: Key>(keys: &[K]) -> (Vec<u32>, Vec<u32>) {
    let breaks = (1..keys.len()).filter(|&i| !keys[i - 1].same_point(keys[i]));
    (keys.iter().map(|k| k.row()).collect(), starts(breaks, keys.len()))
}

fn runs_by_comparison(quasi: &[&Column], rows: usize) -> (Vec<u32>, Vec<u32>) {
    let compare = |a: u32, b: u32| {
        let differ = |c: &&&Column| c.codes[a as usize] != c.codes[b as usize];
        quasi.iter().find(differ).map(|c| c.codes[a as usize].cmp(&c.codes[b as usize]))
    };
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.par_sort_unstable_by(|&a, &b| compare(a, b).unwrap_or_else(|| a.cmp(&b)));
    let breaks = (1..rows).filter(|&i| compare(order[i - 1], order[i]).is_some());
    let starts = starts(breaks, rows);
    (order, starts)
}

fn starts(breaks: impl Iterator<Item = usize>, rows: usize) -> Vec<u32> {
    let first = (rows > 0).then_some(0);
    first.into_iter().chain(breaks).chain([rows]).map(|at| at as u32).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use shoal_core::{Kind, Role};

    use super::*;
    use crate::fixture;

    /// A column of numbers; `domain` more numbers than occur make its codes wider.
    fn column(codes: &[u32], domain: u32) -> Column {
        let values: Vec<String> = (0..domain).map(|value| value.to_string()).collect();
        let all = fixture::column("c", Role::QuasiIdentifier, Kind::Integer, &values, None);
        Column { codes: codes.to_vec(), ..all }
    }

    proptest! {
        /// 2, 20 and 200 columns of 3 bits take the narrow keys, the wide ones and the comparison.
        #[test]
        fn folds_like_an_ordered_map(
            rows in prop::collection::vec(prop::collection::vec(0_u32..3, 2), 0..40),
            repeat in prop::sample::select(vec![1_usize, 10, 100]),
        ) {
            let wide: Vec<Vec<u32>> = rows.iter().map(|row| row.repeat(repeat)).collect();
            let column = |c: usize| column(&wide.iter().map(|row| row[c]).collect::<Vec<_>>(), 5);
            let columns: Vec<Column> = (0..2 * repeat).map(column).collect();
            let points = Points::fold(&columns.iter().collect::<Vec<_>>(), wide.len());

            let mut expected: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
            for (row, codes) in wide.iter().enumerate() {
                expected.entry(codes).or_default().push(row as u32);
            }
            prop_assert_eq!(points.len(), expected.len());
            for (i, (codes, rows)) in expected.iter().enumerate() {
                prop_assert_eq!(points.point(i), *codes);
                prop_assert_eq!(points.rows(i), &rows[..]);
                prop_assert_eq!(points.weight(i) as usize, rows.len());
            }
        }
    }

    #[test]
    fn codes_need_no_more_bits_than_their_domain() {
        assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(bits), [0, 0, 1, 2, 2, 3, 8, 9]);
    }
}
