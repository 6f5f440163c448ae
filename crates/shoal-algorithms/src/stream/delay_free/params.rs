use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the mode `published` can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedParams {
    /// How many values a group has.
    pub l: usize,
    /// How many groups may wait for members; beyond that the oldest is given up. This bounds the memory.
    pub max_open_groups: usize,
    /// How many open slots are looked at for one that the tuple may take; then a new group is opened. This bounds the
    /// time where few combinations of quasi-identifiers exist, and most groups hold each of them already.
    pub max_looks: usize,
    /// Whether counterfeits follow what has come so far; otherwise the given pool stays as it is.
    pub learn: bool,
}

impl PublishedParams {
    /// The usual parameters: 100,000 open groups, 64 looks, counterfeits that follow the stream.
    pub fn new(l: usize) -> Self {
        PublishedParams { l, max_open_groups: 100_000, max_looks: 64, learn: true }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidPublishedParams, ParamsError> {
        if self.l < 2 {
            return Err(ParamsError::NothingHidden { l: self.l });
        }
        for (name, value) in [("max_open_groups", self.max_open_groups), ("max_looks", self.max_looks)] {
            if value == 0 {
                return Err(ParamsError::Zero { name });
            }
        }
        let slots = self.max_open_groups.checked_mul(self.l);
        if slots.is_none_or(|slots| slots >= u32::MAX as usize) {
            return Err(ParamsError::TooManySlots { max_open_groups: self.max_open_groups, l: self.l });
        }
        Ok(ValidPublishedParams(self))
    }
}

/// Checked parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidPublishedParams(pub(super) PublishedParams);

impl ValidPublishedParams {
    /// What was checked.
    pub fn get(&self) -> PublishedParams {
        self.0
    }
}

/// Parameters that make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParamsError {
    /// A value shown alone is not hidden.
    #[error("l = {l}, but a value is hidden among at least 2")]
    NothingHidden {
        /// The l asked for.
        l: usize,
    },
    /// A limit of nothing.
    #[error("{name} = 0, but at least 1 is needed")]
    Zero {
        /// The parameter.
        name: &'static str,
    },
    /// More open slots than can be numbered.
    #[error("max_open_groups = {max_open_groups} groups of l = {l} values are more than 4,294,967,294 slots")]
    TooManySlots {
        /// How many groups.
        max_open_groups: usize,
        /// How many values in each.
        l: usize,
    },
}

impl ParamsError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            ParamsError::NothingHidden { .. } => "l = 10 is usual",
            ParamsError::Zero { .. } => "leave it out to get the usual value",
            ParamsError::TooManySlots { .. } => "lower max_open_groups; 100,000 is usual",
        }
    }
}
