//! Where a figure stands on an axis.

/// From figures to places between 0 and 1.
#[derive(Clone, Debug)]
pub(super) enum Scale {
    /// From the first to the second.
    Linear(f64, f64),
    /// The same for powers.
    Log(f64, f64),
    /// Values that are no numbers, at equal distances.
    Places(Vec<String>),
}

/// From this ratio of the largest to the smallest on, a linear axis hides what happens among the small ones.
const WIDE: f64 = 12.0;

impl Scale {
    /// An axis for the values of a key.
    pub(super) fn of_values(values: &[String]) -> Scale {
        let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
        match numbers.as_deref().map(ends) {
            Some((least, most)) if least > 0.0 && most / least >= WIDE => Scale::Log(least, most),
            Some((least, most)) if least.is_finite() && least < most => Scale::Linear(least, most),
            _ => Scale::Places(values.to_vec()),
        }
    }

    /// An axis from nothing to the largest of the figures.
    pub(super) fn from_zero(figures: &[f64]) -> Scale {
        let most = figures.iter().copied().fold(0.0, f64::max);
        let step = nice_step(most);
        Scale::Linear(0.0, if step > 0.0 { (most / step).ceil() * step } else { 1.0 })
    }

    /// An axis of figures that may differ by orders of magnitude.
    pub(super) fn of_times(figures: &[f64]) -> Scale {
        match ends(figures) {
            (least, most) if least > 0.0 && most / least >= WIDE => {
                Scale::Log(10_f64.powf(least.log10().floor()), 10_f64.powf(most.log10().ceil()))
            }
            _ => Scale::from_zero(figures),
        }
    }

    /// The place of a figure.
    pub(super) fn place(&self, figure: f64) -> f64 {
        match *self {
            Scale::Linear(least, most) => (figure - least) / (most - least),
            Scale::Log(least, most) => (figure / least).ln() / (most / least).ln(),
            Scale::Places(_) => 0.5,
        }
    }

    /// The place of a value of a key.
    pub(super) fn place_of(&self, value: &str) -> Option<f64> {
        match self {
            Scale::Places(values) => {
                let at = values.iter().position(|other| other == value)?;
                Some(if values.len() < 2 { 0.5 } else { at as f64 / (values.len() - 1) as f64 })
            }
            _ => value.parse().ok().map(|figure| self.place(figure)),
        }
    }

    /// Figures to write at the axis.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match *self {
            Scale::Linear(least, most) => {
                let step = nice_step(most - least);
                if step <= 0.0 {
                    return vec![least];
                }
                let steps = ((most - least) / step).round() as u32;
                (0..=steps).map(|at| least + f64::from(at) * step).collect()
            }
            Scale::Log(least, most) => {
                let (from, to) = (least.log10().round() as i32, most.log10().round() as i32);
                (from..=to).map(|power| 10_f64.powi(power)).collect()
            }
            Scale::Places(_) => Vec::new(),
        }
    }
}

fn ends(figures: &[f64]) -> (f64, f64) {
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    (least, figures.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// A step of 1, 2 or 5 times a power of ten, four to eight of which reach this far.
fn nice_step(length: f64) -> f64 {
    if length <= 0.0 || !length.is_finite() {
        return 0.0;
    }
    let power = 10_f64.powf((length / 4.0).log10().floor());
    let mut steps = [5.0, 2.0, 1.0].into_iter().map(|factor| factor * power);
    steps.find(|step| length / step >= 4.0 - 1e-9).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!([1.0, 0.35, 8.0, 43.0, 0.0].map(nice_step), [0.2, 0.05, 2.0, 10.0, 0.0]);
        let ticks = Scale::from_zero(&[0.1, 0.33]).ticks();
        assert_eq!(ticks.len(), 8, "{ticks:?}");
    }

    #[test]
    fn every_figure_is_inside() {
        let values: Vec<String> = ["2", "5", "100"].map(str::to_owned).into();
        let scale = Scale::of_values(&values);
        assert!(matches!(scale, Scale::Log(..)));
        assert_eq!((scale.place_of("2"), scale.place_of("100")), (Some(0.0), Some(1.0)));
        let names: Vec<String> = ["nearest", "last"].map(str::to_owned).into();
        assert_eq!(Scale::of_values(&names).place_of("last"), Some(1.0));
        // One value only, and one that is no number.
        assert_eq!(Scale::of_values(&names[..1]).place_of("nearest"), Some(0.5));
        assert_eq!(Scale::of_values(&values[..1]).place_of("2"), Some(0.5));
        let times = Scale::of_times(&[0.03, 7.0]);
        assert!((0.0..=1.0).contains(&times.place(0.03)) && (0.0..=1.0).contains(&times.place(7.0)));
        assert_eq!(Scale::from_zero(&[]).place(0.0), 0.0);
    }
}
