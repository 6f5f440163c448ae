/// L with L·Lᵀ = A, for a symmetric positive definite A.
#[derive(Clone, Debug)]
pub(super) struct Cholesky {
    size: usize,
    /// Row by row; what lies above the diagonal is not looked at.
    lower: Vec<f64>,
}

/// A pivot below this share of its diagonal element is what rounding leaves of 0.
const NOTHING: f64 = 1e-10;

impl Cholesky {
    /// Factors a matrix, given row by row; the error is the first row that depends on those above it.
    pub(super) fn new(size: usize, mut matrix: Vec<f64>) -> Result<Cholesky, usize> {
        for row in 0..size {
            let (above, from_here) = matrix.split_at_mut(row * size);
            let here = &mut from_here[..size];
            for column in 0..row {
                let other = &above[column * size..][..size];
                here[column] = (here[column] - dot(&here[..column], &other[..column])) / other[column];
            }
            let pivot = here[row] - dot(&here[..row], &here[..row]);
            if pivot.is_nan() || pivot <= NOTHING * here[row] {
                return Err(row);
            }
            here[row] = pivot.sqrt();
        }
        Ok(Cholesky { size, lower: matrix })
    }

    /// A column of A⁻¹, which is also the row.
    pub(super) fn inverse_column(&self, at: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.size];
        x[at..].copy_from_slice(&self.forward(at));
        for row in (0..self.size).rev() {
            let lower = self.row(row);
            let known = x[row] / lower[row];
            x[row] = known;
            x[..row].iter_mut().zip(lower).for_each(|(x, l)| *x -= l * known);
        }
        x
    }

    /// An element of the diagonal of A⁻¹.
    pub(super) fn inverse_diagonal(&self, at: usize) -> f64 {
        let half = self.forward(at);
        dot(&half, &half)
    }

    /// L⁻¹ times the unit vector, from its first element that is not 0.
    fn forward(&self, at: usize) -> Vec<f64> {
        let mut x = Vec::with_capacity(self.size - at);
        for row in at..self.size {
            let lower = self.row(row);
            let unit = if row == at { 1.0 } else { 0.0 };
            x.push((unit - dot(&x, &lower[at..row])) / lower[row]);
        }
        x
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.lower[row * self.size..][..self.size]
    }
}

/// Eight sums side by side, which the processor can keep.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_the_inverse_times_the_matrix_are_unit_vectors() {
        let size = 37;
        let mut state = 5_u64;
        let random: Vec<f64> = (0..size * size)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / 1e7
            })
            .collect();
        let row = |at: usize| &random[at * size..][..size];
        let gram: Vec<f64> = (0..size * size)
            .map(|at| row(at / size).iter().zip(row(at % size)).map(|(a, b)| a * b).sum())
            .collect();
        let factor = Cholesky::new(size, gram.clone()).unwrap();
        for at in 0..size {
            let column = factor.inverse_column(at);
            assert!((column[at] / factor.inverse_diagonal(at) - 1.0).abs() < 1e-9);
            for other in 0..size {
                let product: f64 = gram[other * size..][..size].iter().zip(&column).map(|(a, b)| a * b).sum();
                assert!((product - f64::from(u8::from(other == at))).abs() < 1e-6, "{at} {other}: {product}");
            }
        }
    }

    #[test]
    fn a_row_that_depends_on_others_is_named() {
        assert_eq!(Cholesky::new(3, vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0]).unwrap_err(), 2);
        assert_eq!(Cholesky::new(1, vec![f64::NAN]).unwrap_err(), 0);
    }
}
