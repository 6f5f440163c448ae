use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;

/// What becomes of records that cost much wherever they are put.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Outliers {
    /// Everybody is published.
    #[default]
    Keep,
    /// The costliest ones are left out as long as that lowers the mean loss of the others.
    Suppress {
        /// The most that may be left out, as a share of all records.
        max_share: f64,
    },
}

impl Outliers {
    /// The share of records that may be left out where the policy does not give one.
    pub const USUAL_SHARE: f64 = 0.01;
}

/// What the ribbon can be asked for.
///
/// ```
/// use shoal_algorithms::table::TableAlgorithm;
/// use shoal_algorithms::table::ribbon::RibbonParams;
/// use shoal_core::{Condition, Rule, Silent};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/six_people.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = six_people(); // 23, 27, 28, 31, 35 and 36 years old
/// let mut params = RibbonParams::new(3);
/// // Besides crowds of three, two different illnesses in each of them.
/// params.promise.conditions = vec![Condition { column: "illness".into(), rule: Rule::Distinct { l: 2 } }];
/// let ribbon = params.check()?.anonymize(&table, &Silent)?;
/// assert_eq!(ages(&table, &ribbon.recoding), ["2x", "2x", "2x", "3x", "3x", "3x"]);
///
/// // With so few records all partitions were tried.
/// let search = ribbon.trace.search.expect("ribbon records its search");
/// assert_eq!(search.constructions[0].name, "exact");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RibbonParams {
    /// What every class must satisfy.
    pub promise: TablePromise,
    /// Where its random choices start. The same seed gives the same classes.
    pub seed: u64,
    /// How many rounds of improvement there are at most; a number by the size of the table where nothing is given.
    pub rounds: Option<u32>,
    /// Whether rounds go on for as long as [`Progress::go_on`](shoal_core::Progress::go_on) allows and the loss
    /// falls.
    pub until_deadline: bool,
    /// What becomes of records that cost much.
    pub outliers: Outliers,
}

impl RibbonParams {
    /// The usual way to classes of at least `k`.
    pub fn new(k: usize) -> Self {
        let promise = TablePromise::crowds(k);
        RibbonParams { promise, seed: 0, rounds: None, until_deadline: false, outliers: Outliers::default() }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidRibbonParams, ParamsError> {
        check_promise(&self.promise)?;
        match self.outliers {
            Outliers::Suppress { max_share } if !(0.0..=1.0).contains(&max_share) => {
                Err(ParamsError::NotAShare { name: "max-share", value: max_share })
            }
            _ => Ok(ValidRibbonParams(self)),
        }
    }
}

/// Checked parameters: the ribbon, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidRibbonParams(pub(super) RibbonParams);
