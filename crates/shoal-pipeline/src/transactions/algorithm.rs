//! From the policy's words to a promise and an algorithm that is ready to keep it.

use shoal_algorithms::transactions::apriori::AprioriParams;
use shoal_algorithms::transactions::coat::CoatParams;
use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_algorithms::transactions::upcta::UpctaParams;
use shoal_algorithms::transactions::{
    ConstrainedParams, Objective, TransactionsAlgorithm, TransactionsError, UtilityConstraints, UtilityError,
};
use shoal_core::policy::{ObjectivePolicy, ShapeAlgorithm, TransactionsAlgorithmName};
use shoal_core::{Hierarchy, Transactions, TransactionsPromise, is_drawn};

use super::atoms::{Atoms, Recoded};
use super::sets::{ItemSets, item_sets, item_weights};
use crate::{PipelineError, Request};

/// What is asked for, in terms of the data's items.
pub(crate) struct Prepared {
    /// What is promised.
    pub promise: TransactionsPromise,
    /// How it is kept.
    pub algorithm: Box<dyn TransactionsAlgorithm>,
    /// Which items may be published as one.
    pub utility: Option<ItemSets>,
    /// The weight of each item.
    pub weights: Vec<f64>,
    /// The hierarchy of the items.
    pub hierarchy: Option<Hierarchy>,
}

impl Prepared {
    /// Reads the files that the policy names and checks them against the data.
    pub(crate) fn of(request: &Request, data: &Transactions) -> Result<Prepared, PipelineError> {
        let policy = request.policy();
        let promise = promise(request, data)?;
        let utility = match &policy.utility.constraints {
            Some(file) => Some(item_sets(request, file, "utility constraints", data)?),
            None => None,
        };
        let weights = match &policy.utility.weights {
            Some(file) => item_weights(request, file, data)?,
            None => vec![1.0; data.items().len()],
        };
        let hierarchy = hierarchy(request).cloned();
        let algorithm = algorithm(request, data, utility.as_ref(), &weights, hierarchy.as_ref())?;
        Ok(Prepared { promise, algorithm, utility, weights, hierarchy })
    }

    /// The same algorithm for atoms instead of items.
    pub(super) fn on_atoms(
        &self,
        request: &Request,
        recoded: &Recoded,
        atoms: &Atoms,
        data: &Transactions,
    ) -> Result<Box<dyn TransactionsAlgorithm>, PipelineError> {
        let utility = self.utility.as_ref().map(|sets| {
            let (mut of_atoms, mut lines) = (Vec::new(), Vec::new());
            for (set, &line) in sets.sets.iter().zip(&sets.lines) {
                let image = recoded.image(set);
                if !image.is_empty() {
                    of_atoms.push(image);
                    lines.push(line);
                }
            }
            ItemSets { sets: of_atoms, lines, file: sets.file.clone() }
        });
        let weights = recoded.weights(&self.weights);
        let tree = self.hierarchy.as_ref().and_then(|tree| recoded.hierarchy(atoms, data, tree));
        algorithm(request, &recoded.data, utility.as_ref(), &weights, tree.as_ref())
    }

    /// What is promised, for a person.
    pub(crate) fn promise_in_words(&self, data: &Transactions) -> String {
        let crowd = match data.persons() {
            Some(_) => "people who have a transaction with them",
            None => "transactions",
        };
        match &self.promise {
            TransactionsPromise::Itemsets { k, m, linkable: None } => {
                format!("whoever knows up to {m} items of a person finds at least {k} {crowd}")
            }
            TransactionsPromise::Itemsets { k, m, linkable: Some(linkable) } => {
                let items = linkable.iter().filter(|&&l| l).count();
                format!("whoever knows up to {m} of {items} items finds at least {k} {crowd}")
            }
            TransactionsPromise::Complete { k } => {
                format!("whoever knows all items of a transaction finds at least {k} {crowd}")
            }
            TransactionsPromise::Constraints { k, sets } => {
                format!("whoever knows one of {} sets of items finds at least {k} {crowd}", sets.len())
            }
        }
    }
}

/// The hierarchy of the items, where the policy names one.
pub(crate) fn hierarchy(request: &Request) -> Option<&Hierarchy> {
    let name = request.policy().data.hierarchy.as_ref();
    name.map(|name| request.hierarchy(name).content.as_ref())
}

/// What is promised, in terms of the data's items.
pub(super) fn promise(request: &Request, data: &Transactions) -> Result<TransactionsPromise, PipelineError> {
    let (privacy, seed) = (&request.policy().privacy, request.policy().algorithm.seed);
    let k = privacy.k.unwrap_or_default();
    if let Some(file) = &privacy.constraints {
        let sets = item_sets(request, file, "privacy constraints", data)?.sets;
        return Ok(TransactionsPromise::Constraints { k, sets });
    }
    if let Some(share) = privacy.share {
        let linkable = data.items().iter().map(|item| is_drawn(item, share, seed)).collect();
        return Ok(TransactionsPromise::Itemsets { k, m: 2, linkable: Some(linkable) });
    }
    match privacy.m {
        None => Ok(TransactionsPromise::Complete { k }),
        Some(m) => {
            let most = data.iter().map(<[u32]>::len).max().unwrap_or_default();
            if m > most {
                return Err(PipelineError::MTooLarge { m, most });
            }
            Ok(TransactionsPromise::Itemsets { k, m, linkable: None })
        }
    }
}

fn algorithm(
    request: &Request,
    data: &Transactions,
    utility: Option<&ItemSets>,
    weights: &[f64],
    hierarchy: Option<&Hierarchy>,
) -> Result<Box<dyn TransactionsAlgorithm>, PipelineError> {
    let policy = request.policy();
    let objective = match policy.algorithm.objective.unwrap_or_default() {
        ObjectivePolicy::Ncp => Objective::Ncp,
        ObjectivePolicy::Ul => Objective::Ul,
    };
    let groups = || match utility {
        Some(sets) => UtilityConstraints::new(data.items().len(), sets.sets.clone())
            .map_err(|error| not_a_partition(data, sets, &error)),
        None => Ok(UtilityConstraints::one_group(data.items().len())),
    };
    let weights = Some(weights.to_vec());
    let max_suppressed = policy.utility.max_suppressed();
    let ShapeAlgorithm::Transactions(name) = policy.algorithm_name().by_shape() else {
        return Err(PipelineError::other_shape(policy));
    };
    Ok(match name {
        TransactionsAlgorithmName::Pcta => Box::new(PctaParams { objective, weights }.check()?),
        TransactionsAlgorithmName::Upcta => {
            let utility = groups()?;
            Box::new(UpctaParams(ConstrainedParams { objective, weights, utility, max_suppressed }).check()?)
        }
        TransactionsAlgorithmName::Coat => {
            let utility = groups()?;
            Box::new(CoatParams(ConstrainedParams { objective, weights, utility, max_suppressed }).check()?)
        }
        TransactionsAlgorithmName::Apriori => {
            let hierarchy = hierarchy.cloned().expect("the policy's check has asked for a hierarchy");
            Box::new(AprioriParams { hierarchy, weights }.check()?)
        }
    })
}

fn not_a_partition(data: &Transactions, sets: &ItemSets, error: &UtilityError) -> PipelineError {
    let label = |item: u32| data.items().get(item);
    let line = |constraint: usize| sets.lines[constraint - 1];
    let problem = match *error {
        UtilityError::Missing { item } => format!("item `{}` is in no utility constraint", label(item)),
        UtilityError::Doubled { item, first, second } => format!(
            "item `{}` is in two utility constraints, in lines {} and {}",
            label(item),
            line(first),
            line(second)
        ),
        UtilityError::Unknown { item, .. } => format!("item number {item} does not exist"),
    };
    PipelineError::Utility { file: sets.file.clone(), problem, hint: error.hint() }
}

/// An algorithm's complaint, with items by their names.
pub(crate) fn by_name(error: TransactionsError, data: &Transactions, prepared: &Prepared) -> PipelineError {
    let TransactionsError::Infeasible { constraint, items, suppressed, allowed, utility } = &error else {
        return PipelineError::Transactions(Box::new(error));
    };
    let names = |items: &[u32]| {
        let shown: Vec<&str> = items.iter().take(12).map(|&item| data.items().get(item)).collect();
        let more = if items.len() > shown.len() { ", …" } else { "" };
        format!("{{{}{more}}}", shown.join(", "))
    };
    let line = prepared.utility.as_ref().and_then(|sets| sets.lines.get(utility - 1));
    let place = line.map_or_else(String::new, |line| format!(" (utility constraint in line {line})"));
    let message = format!(
        "the items {} can only be hidden by suppressing {}{place}: {suppressed} of {} items would be \
         suppressed, {allowed} are allowed",
        names(constraint),
        names(items),
        data.items().len(),
    );
    PipelineError::Unreachable { message, hint: error.hint() }
}
