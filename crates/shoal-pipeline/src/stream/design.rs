//! The design of a hardened stream, from its policy and the values that are known.

use std::collections::BTreeMap;

use shoal_algorithms::stream::strata::{least_people, part_people};
use shoal_core::policy::{PriorPolicy, PublishPolicy};
use shoal_core::stream::{DesignError, SetDesign, Strata, StrataColumn, StreamDesign};
use shoal_privacy::stream::GateColumn;

use super::values::People;
use super::{SensitiveValues, StreamBinding};
use crate::{PipelineError, Request};

/// The prior that the policy asks for, or the usual one.
pub(super) fn prior(request: &Request, shares_known: bool) -> PriorPolicy {
    let usual = if shares_known { PriorPolicy::Calibrated } else { PriorPolicy::Uniform };
    request.policy().algorithm.prior.unwrap_or(usual)
}

impl StreamBinding {
    /// The design of a hardened stream over these values.
    pub fn design(&self, request: &Request, values: &SensitiveValues) -> Result<StreamDesign, PipelineError> {
        let algorithm = &request.policy().algorithm;
        let l = request.policy().privacy.l.unwrap_or_default();
        if let Some((one, other)) = values.look_alike() {
            return Err(PipelineError::Unreachable {
                message: format!(
                    "`{one}` and `{other}` look alike: to a reader of the stream they are one value"
                ),
                hint: "write values in one way, in the source and wherever they are listed",
            });
        }
        let sets = match prior(request, values.shares_known) {
            PriorPolicy::Uniform => SetDesign::uniform(values.labels.len(), l),
            PriorPolicy::Calibrated => SetDesign::calibrated(&values.counts, l, algorithm.seed),
            PriorPolicy::Conditional => return self.conditional(request, values, l),
        };
        let sets = sets.map_err(|error| infeasible(&error, values, l))?;
        Ok(StreamDesign::for_everybody(values.labels.clone(), sets))
    }

    fn conditional(
        &self,
        request: &Request,
        values: &SensitiveValues,
        l: usize,
    ) -> Result<StreamDesign, PipelineError> {
        let algorithm = &request.policy().algorithm;
        // What holds for everybody together is needed and says more: strata are the finest that hold, everybody the coarsest.
        let whole: Vec<u64> = values.counts.clone();
        SetDesign::calibrated(&whole, l, algorithm.seed).map_err(|error| infeasible(&error, values, l))?;
        let columns = strata_columns(&algorithm.strata, &self.columns);
        let least = least_people(values.labels.len());
        let (strata, mut counts) = match values.people.as_ref() {
            Some(People::Rows(rows)) => {
                let texts = part_people(&columns, rows, values.labels.len(), l, least)
                    .map_err(|error| broken_strata(request, &error.to_string()))?;
                let strata = Strata::new(columns, texts)
                    .map_err(|error| broken_strata(request, &error.to_string()))?;
                let mut counts = vec![vec![0; values.labels.len()]; strata.len()];
                let mut cells = vec![String::new(); self.columns.len()];
                for row in rows {
                    for (column, text) in strata.columns().iter().zip(&row.cells) {
                        cells[column.cell].clone_from(text);
                    }
                    let stratum =
                        strata.of_tuple(&cells).expect("strata are made of these rows and leave none out");
                    counts[stratum][row.value as usize] += row.count;
                }
                (strata, counts)
            }
            Some(People::Strata(given)) => as_given(request, columns, given)?,
            None => return Err(PipelineError::NoPrior),
        };
        for (stratum, counts) in counts.iter_mut().enumerate() {
            let people: u64 = counts.iter().sum();
            if people < least {
                return Err(PipelineError::Unreachable {
                    message: format!(
                        "the stratum ({}) holds {people} people of the prior, and {least} are the least from which \
                         the shares of its values can be estimated",
                        strata.texts(stratum).join(", ")
                    ),
                    hint: "learn from more tuples, give a prior-file that counts more people, or name fewer strata",
                });
            }
            // A value that nobody in the stratum had may come, and must be hidden then.
            counts.iter_mut().for_each(|count| *count = (*count).max(1));
        }
        let shows_strata = algorithm.publish.unwrap_or_default() == PublishPolicy::Stratum;
        StreamDesign::conditional(values.labels.clone(), strata, &counts, l, algorithm.seed, shows_strata)
            .map_err(|error| {
                let stratum = error.stratum.clone();
                match infeasible(&error.error, values, l) {
                    PipelineError::Unreachable { message, hint } => PipelineError::Unreachable {
                        message: format!("in the stratum ({stratum}) {message}"),
                        hint,
                    },
                    other => other,
                }
            })
    }
}

/// Strata that are made already, as a run has written them down.
fn as_given(
    request: &Request,
    columns: Vec<StrataColumn>,
    given: &BTreeMap<Vec<String>, Vec<u64>>,
) -> Result<(Strata, Vec<Vec<u64>>), PipelineError> {
    let strata = Strata::new(columns, given.keys().cloned().collect())
        .map_err(|error| broken_strata(request, &error.to_string()))?;
    let counts = (0..strata.len()).map(|stratum| given[strata.texts(stratum)].clone()).collect();
    Ok((strata, counts))
}

fn strata_columns(names: &[String], columns: &[GateColumn]) -> Vec<StrataColumn> {
    let column = |name: &String| {
        let cell =
            columns.iter().position(|column| column.name == *name).expect("a checked policy has the column");
        let GateColumn { name, parser, hierarchy, .. } = columns[cell].clone();
        StrataColumn { name, cell, parser, hierarchy }
    };
    names.iter().map(column).collect()
}

fn broken_strata(request: &Request, message: &str) -> PipelineError {
    let hint = "correct the prior-file or the hierarchy".to_owned();
    request.complain_of_data("algorithm.strata", message.to_owned(), hint, &[message])
}

/// Why values cannot be hidden among these, in words.
pub fn infeasible(error: &DesignError, values: &SensitiveValues, l: usize) -> PipelineError {
    match error {
        DesignError::TooFewValues { .. } => PipelineError::Unreachable {
            message: error.to_string(),
            hint: "lower l, or make more values known: columns.….domain, algorithm.prior-file or algorithm.learn",
        },
        DesignError::TooFrequent { code, share, limit } => PipelineError::Unreachable {
            message: format!(
                "`{}` has a share of {:.2} % of the tuples, and with l = {l} at most {:.2} % can be hidden: whoever \
                 guesses it is right too often",
                values.labels[*code as usize],
                share * 100.0,
                limit * 100.0
            ),
            hint: "lower l, or make the value finer in the source",
        },
        DesignError::TooLarge => PipelineError::Unreachable {
            message: error.to_string(),
            hint: "divide all counts of the prior by the same number",
        },
    }
}
