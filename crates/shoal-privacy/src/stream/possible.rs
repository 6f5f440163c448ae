use std::collections::HashSet;
use std::sync::Arc;

use shoal_core::stream::{SetDesign, StreamDesign};

/// The sets that a design can draw, stratum by stratum. Whoever sees another set knows that the line is not what it claims to
/// be: its promise is about the sets of the design only.
#[derive(Debug)]
pub(super) struct PossibleSets {
    design: Arc<StreamDesign>,
    /// For each stratum with a calibrated design all its sets; a uniform one draws every set of l values.
    calibrated: Vec<Option<HashSet<Vec<u32>>>>,
}

impl PossibleSets {
    pub(super) fn of(design: Arc<StreamDesign>) -> PossibleSets {
        let sets = |design: &SetDesign| match design {
            SetDesign::Uniform { .. } => None,
            SetDesign::Calibrated(calibrated) => {
                let pieces = (0..calibrated.rings().len()).flat_map(|ring| calibrated.pieces(ring));
                Some(pieces.map(|(_, set)| set.to_vec()).collect())
            }
        };
        let calibrated = design.all_sets().iter().map(sets).collect();
        PossibleSets { design, calibrated }
    }

    pub(super) fn design(&self) -> &StreamDesign {
        &self.design
    }

    /// Why a line with these cells and values cannot come from the design, where it cannot.
    pub(super) fn problem<C: AsRef<str>, V: AsRef<str>>(&self, cells: &[C], values: &[V]) -> Option<String> {
        let Some(stratum) = self.design.stratum_of_line(cells) else {
            return Some("its quasi-identifiers are in no stratum of the design".to_owned());
        };
        let mut set = Vec::with_capacity(values.len());
        for value in values {
            match self.design.code(value.as_ref()) {
                Some(code) => set.push(code),
                None => return Some(format!("`{}` is not among the values of the design", value.as_ref())),
            }
        }
        set.sort_unstable();
        set.dedup();
        let l = self.design.sets(stratum).l();
        if set.len() != l || values.len() != l {
            return Some(format!("the design draws {l} values, and {} are shown", values.len()));
        }
        match &self.calibrated[stratum] {
            Some(possible) if !possible.contains(&set) => {
                Some("the design never draws these values together".to_owned())
            }
            Some(_) | None => None,
        }
    }
}
