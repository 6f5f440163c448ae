//! What is asked for: a checked policy and everything that it names, read and parsed before anything runs.
//!
//! Nothing here knows where a hierarchy or a list of constraints came from. The algorithm and the verifier see the
//! same [`Assets`], and a front that has no files (Python, a database, a web page) hands them over from memory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::Arc;

use shoal_core::policy::Shape;
use shoal_core::{Distribution, Hierarchy, Policy, PolicyDocument, Role, TablePromise};
use shoal_io::original_items;
use shoal_measure::PopulationCounts;
use shoal_privacy::{ContentOrder, RecordOrder};

use crate::stream::SensitiveValues;
use crate::{Audit, EarlierReleases, PipelineError, ReleaseKey};

/// A checked policy with its assets, and the earlier releases that a new one is compared with.
#[derive(Clone, Debug)]
pub struct Request {
    document: PolicyDocument,
    pub(crate) assets: Assets,
    pub(crate) earlier: EarlierReleases,
    release_key: Option<ReleaseKey>,
    /// The audit that the policy is from, where it is from one.
    pub(crate) audit: Option<Arc<Audit>>,
    /// Whether a run gathers what the report's pages show.
    pub(crate) pages: bool,
}

/// The public part of a request: the policy and what it names. It has no earlier releases, no secret key, no audit and no counts of people
/// beyond the data.
#[derive(Clone, Debug)]
pub(crate) struct Public(Request);

impl Deref for Public {
    type Target = Request;

    fn deref(&self) -> &Request {
        &self.0
    }
}

impl Request {
    /// A policy and everything that it names. An asset that is named and not given is an error.
    ///
    /// ```
    /// use shoal_core::PolicyDocument;
    /// use shoal_pipeline::{Assets, Request};
    ///
    /// let policy = "
    ///     version = 1
    ///     [data]
    ///     shape = \"table\"
    ///     [columns.age]
    ///     role = \"quasi-identifier\"
    ///     kind = \"integer\"
    ///     hierarchy = \"age bands\"
    ///     [privacy]
    ///     k = 2
    /// ";
    /// let document = PolicyDocument::parse(policy, &[])?;
    /// assert!(Request::new(document.clone(), Assets::default()).is_err());
    ///
    /// let bands = shoal_core::hierarchy::from_text("20;20-29;*\n25;20-29;*\n31;30-39;*\n").unwrap();
    /// let assets = Assets::default().with_hierarchy("age bands", bands);
    /// assert!(Request::new(document, assets).is_ok());
    /// # Ok::<(), shoal_core::PolicyError>(())
    /// ```
    pub fn new(document: PolicyDocument, assets: Assets) -> Result<Request, PipelineError> {
        let policy = document.policy();
        for (key, name) in hierarchies_of(policy) {
            if !assets.has_hierarchy(name) {
                return Err(missing(&document, &key, "hierarchy", name));
            }
        }
        for (key, name) in item_lists_of(policy) {
            if !assets.has_item_list(name) {
                return Err(missing(&document, key, "list of items", name));
            }
        }
        if let Some(name) = &policy.utility.weights
            && !assets.has_weights(name)
        {
            return Err(missing(&document, "utility.weights", "list of weights", name));
        }
        if let Some(name) = &policy.algorithm.prior_file
            && !assets.priors.contains_key(name)
        {
            return Err(missing(&document, "algorithm.prior-file", "prior", name));
        }
        if let Some(name) = &policy.privacy.population
            && !assets.populations.contains_key(name)
        {
            return Err(missing(&document, "privacy.population", "count of the population", name));
        }
        let counts_people = policy.data.shape == Shape::Sequences || policy.data.person.is_some();
        let mut given = assets.distributions.iter();
        if let Some((name, other)) = given.find(|(_, given)| given.counts_people() != counts_people) {
            let (counted, promised) =
                if other.counts_people() { ("people", "records") } else { ("records", "people") };
            let message =
                format!("the distribution of `{name}` counts {counted}, and promises count {promised}");
            let hint = format!("count {promised}, or do not give a distribution");
            let error = Box::new(document.complain("data.person", message, Some(hint)));
            return Err(PipelineError::PolicyAndData { error });
        }
        let earlier = EarlierReleases::default();
        Ok(Request { document, assets, earlier, release_key: None, audit: None, pages: false })
    }

    /// The part that a reader of the release may know.
    pub(crate) fn public(&self) -> Public {
        let assets = Assets { distributions: BTreeMap::new(), ..self.assets.clone() };
        let earlier = EarlierReleases::default();
        let document = self.document.clone();
        Public(Request { document, assets, earlier, release_key: None, audit: None, pages: false })
    }

    /// Holds the new release against earlier ones.
    pub fn with_earlier(self, earlier: EarlierReleases) -> Request {
        Request { earlier, ..self }
    }

    /// The earlier releases that the new one is held against.
    pub fn earlier(&self) -> &EarlierReleases {
        &self.earlier
    }

    /// Gives the release its key. Without one, a key is drawn for each run.
    pub fn with_release_key(self, release_key: Option<ReleaseKey>) -> Request {
        Request { release_key, ..self }
    }

    /// The key that was given, or a fresh one.
    pub(crate) fn release_key(&self) -> Result<ReleaseKey, PipelineError> {
        self.release_key.clone().map_or_else(ReleaseKey::draw, Ok)
    }

    /// Lets a run gather what [`Release::audit_page`](crate::Release::audit_page) shows: some passes over the published data.
    pub fn with_pages(self) -> Request {
        Request { pages: true, ..self }
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        self.document.policy()
    }

    /// Who everybody is, by column, where the data are a part of something larger.
    pub(crate) fn distributions(&self) -> &BTreeMap<String, Distribution> {
        &self.assets.distributions
    }

    /// What is promised about a table, and who everybody is where the table is not.
    pub(crate) fn table_promise(&self) -> TablePromise {
        let distributions = self.assets.distributions.clone();
        TablePromise { distributions, ..self.policy().table_promise() }
    }

    /// The same without what compares with a distribution that the data do not show: an adversary who knows nothing but the published
    /// table has nothing to compare with.
    pub(crate) fn promise_of_table(&self) -> TablePromise {
        let mut promise = self.policy().table_promise();
        let is_given = |column: &str| self.assets.distributions.contains_key(column);
        promise.conditions.retain(|condition| !(condition.rule.compares() && is_given(&condition.column)));
        promise
    }

    /// The role of each column.
    pub(crate) fn roles(&self) -> Vec<(&str, Role)> {
        self.policy().columns.iter().map(|(name, column)| (name.as_str(), column.role)).collect()
    }

    /// The order in which records are worked on.
    pub(crate) fn content_order(&self, key: &ReleaseKey) -> ContentOrder<'_> {
        ContentOrder::new(key.order(), &self.roles())
    }

    /// The order that a release of this policy must have.
    pub(crate) fn record_order(&self) -> RecordOrder {
        if self.policy().output.keep_order { RecordOrder::Input } else { RecordOrder::Published }
    }

    /// The policy with the places of its keys.
    pub fn document(&self) -> &PolicyDocument {
        &self.document
    }

    /// An error about a key of the policy that does not fit the data.
    pub(crate) fn complain(&self, key: &str, message: String, hint: String) -> PipelineError {
        let error = Box::new(self.document.complain(key, message, Some(hint)));
        PipelineError::PolicyAndData { error }
    }

    /// The same where the message quotes these texts of the data, or the hint quotes the data.
    pub(crate) fn complain_of_data(
        &self,
        key: &str,
        message: String,
        hint: String,
        texts: &[&str],
    ) -> PipelineError {
        let error = Box::new(self.document.complain_of_data(key, message, Some(hint), texts));
        PipelineError::PolicyAndData { error }
    }

    /// Whether a column of the source is read at all. Identifiers are, where they say whose event it is or which came
    /// first, and in tables: they say whose a record is, or at least whether one person may have several.
    pub(crate) fn is_read(&self, column: &str) -> bool {
        let data = &self.policy().data;
        if data.shape == Shape::Table {
            return true;
        }
        let sequences = data.shape == Shape::Sequences;
        let tells = data.id.as_deref() == Some(column)
            || data.order.iter().any(|name| name == column)
            || data.ties_column() == Some(column);
        (sequences && tells) || self.policy().columns.get(column).is_none_or(|c| c.role != Role::Identifier)
    }

    /// The hierarchy of this name, which [`Request::new`] has found.
    pub(crate) fn hierarchy(&self, name: &str) -> Asset<'_, Arc<Hierarchy>> {
        let (place, content) = &self.assets.hierarchies[name];
        Asset { place, content }
    }

    /// The list of items of this name, which [`Request::new`] has found.
    pub(crate) fn item_list(&self, name: &str) -> Asset<'_, ItemList> {
        let (place, content) = &self.assets.item_lists[name];
        Asset { place, content }
    }

    /// The weights of this name, which [`Request::new`] has found.
    pub(crate) fn weights(&self, name: &str) -> Asset<'_, ItemWeights> {
        let (place, content) = &self.assets.weights[name];
        Asset { place, content }
    }

    /// The prior of this name, which [`Request::new`] has found.
    pub(crate) fn prior(&self, name: &str) -> Asset<'_, SensitiveValues> {
        let (place, content) = &self.assets.priors[name];
        Asset { place, content }
    }

    /// The counts of the population of this name, which [`Request::new`] has found.
    pub(crate) fn population(&self, name: &str) -> Asset<'_, PopulationCounts> {
        let (place, content) = &self.assets.populations[name];
        Asset { place, content }
    }

    /// The audit that the policy is from, where it is about data with this SHA-256.
    pub(crate) fn audit_of(&self, sha256: &str) -> Option<&Audit> {
        self.audit.as_deref().filter(|audit| audit.output_sha256 == sha256)
    }
}

fn missing(document: &PolicyDocument, key: &str, what: &str, name: &str) -> PipelineError {
    let message = format!("the {what} `{name}` was not given");
    let hint = "give every asset that the policy names, under the name that the policy uses".to_owned();
    let error = Box::new(document.complain(key, message, Some(hint)));
    PipelineError::PolicyAndData { error }
}

/// The hierarchies that a policy names, with the key that names each.
pub(crate) fn hierarchies_of(policy: &Policy) -> Vec<(String, &str)> {
    let columns = policy.columns.iter();
    let of_columns = columns.filter_map(|(column, spec)| {
        Some((format!("columns.{column}.hierarchy"), spec.hierarchy.as_deref()?))
    });
    let of_items = policy.data.hierarchy.iter().map(|name| ("data.hierarchy".to_owned(), name.as_str()));
    of_columns.chain(of_items).collect()
}

/// The lists of items that a policy names, with the key that names each.
pub(crate) fn item_lists_of(policy: &Policy) -> Vec<(&'static str, &str)> {
    let privacy = policy.privacy.constraints.iter().map(|name| ("privacy.constraints", name.as_str()));
    let utility = policy.utility.constraints.iter().map(|name| ("utility.constraints", name.as_str()));
    privacy.chain(utility).collect()
}

/// What a policy names beside its data, by the name that the policy uses: for the command line a path, for other fronts
/// any text.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    /// Each with the place that errors name.
    hierarchies: HashMap<String, (String, Arc<Hierarchy>)>,
    item_lists: HashMap<String, (String, ItemList)>,
    weights: HashMap<String, (String, ItemWeights)>,
    priors: HashMap<String, (String, SensitiveValues)>,
    populations: HashMap<String, (String, PopulationCounts)>,
    /// By column; no key of a policy names them.
    distributions: BTreeMap<String, Distribution>,
}

/// An asset and the place that errors name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset<'a, T> {
    pub place: &'a str,
    pub content: &'a T,
}

/// Sets of items by their names, one a line: privacy constraints, utility constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemList {
    /// Each set with its line, counted from 1. Empty lines are not sets.
    pub sets: Vec<(usize, Vec<String>)>,
}

impl ItemList {
    /// Reads one set a line, its items separated by this character, and in quotes as in a basket file where they hold it:
    /// `"milk, fresh",bread`.
    pub fn from_text(text: &str, separator: char) -> ItemList {
        let set = |line: &str| -> Vec<String> {
            let items = original_items(line, separator).map(|item| item.trim().to_owned());
            items.filter(|item| !item.is_empty()).collect()
        };
        let sets = (1..).zip(text.lines().map(set)).filter(|(_, set)| !set.is_empty());
        ItemList { sets: sets.collect() }
    }
}

/// Weights of items by their names. Items that are not named weigh 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemWeights {
    /// Each item with its line, counted from 1, and its weight between 0 and 1.
    pub weights: Vec<(usize, String, f64)>,
}

impl ItemWeights {
    /// Reads an item and a number a line, separated by this character; an item may be in quotes. The error is the number and the text of a line
    /// that is not that.
    pub fn from_text(text: &str, separator: char) -> Result<ItemWeights, (usize, String)> {
        let mut weights = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let parsed = item_and_weight(line.trim(), separator).and_then(|(item, weight)| {
                let weight: f64 = weight.trim().parse().ok()?;
                (0.0..=1.0).contains(&weight).then(|| (number, item.trim().to_owned(), weight))
            });
            weights.push(parsed.ok_or_else(|| (number, line.to_owned()))?);
        }
        Ok(ItemWeights { weights })
    }
}

/// What stands before the last separator of a line, and behind it.
fn item_and_weight(line: &str, separator: char) -> Option<(String, String)> {
    if line.starts_with('"') {
        let pieces: Vec<_> = original_items(line, separator).collect();
        if let [item, weight] = pieces.as_slice() {
            return Some((item.to_string(), weight.to_string()));
        }
    }
    // Without quotes the number says where the item ends, so that `whole milk 0.5` needs none.
    let (item, weight) = line.rsplit_once(separator)?;
    Some((item.to_owned(), weight.to_owned()))
}

impl Assets {
    /// Whether there is a hierarchy of this name.
    pub(crate) fn has_hierarchy(&self, name: &str) -> bool {
        self.hierarchies.contains_key(name)
    }

    /// Whether there is a list of items of this name.
    pub(crate) fn has_item_list(&self, name: &str) -> bool {
        self.item_lists.contains_key(name)
    }

    /// Whether there are weights of this name.
    pub(crate) fn has_weights(&self, name: &str) -> bool {
        self.weights.contains_key(name)
    }

    /// Adds a hierarchy under the name that the policy uses.
    pub fn with_hierarchy(self, name: &str, hierarchy: Hierarchy) -> Assets {
        self.with_hierarchy_from(name, name, Arc::new(hierarchy))
    }

    /// Adds a list of items under the name that the policy uses.
    pub fn with_item_list(self, name: &str, list: ItemList) -> Assets {
        self.with_item_list_from(name, name, list)
    }

    /// Adds weights under the name that the policy uses.
    pub fn with_weights(self, name: &str, weights: ItemWeights) -> Assets {
        self.with_weights_from(name, name, weights)
    }

    /// Adds a stream's prior under the name that the policy uses. [`parse_prior`](crate::stream::parse_prior) makes one
    /// of a table.
    pub fn with_prior(self, name: &str, prior: SensitiveValues) -> Assets {
        self.with_prior_from(name, name, prior)
    }

    /// Adds the counts of a population under the name that the policy uses.
    /// [`parse_population`](crate::table::parse_population) makes them of a table.
    pub fn with_population(self, name: &str, counts: PopulationCounts) -> Assets {
        self.with_population_from(name, name, counts)
    }

    /// Says who everybody is in a sensitive column of data that are a part of something larger: t-closeness, β-likeness and the gains of sequences are then
    /// promised and verified against this distribution and not against the data. Parts of different people that keep such a promise keep it together.
    /// Of sequences and with `data.person` it counts people: [`Distribution::of_people`].
    pub fn with_distribution(mut self, column: &str, everybody: Distribution) -> Assets {
        self.distributions.insert(column.to_owned(), everybody);
        self
    }

    /// The same for a population that errors name otherwise.
    pub(crate) fn with_population_from(
        mut self,
        name: &str,
        place: &str,
        counts: PopulationCounts,
    ) -> Assets {
        self.populations.insert(name.to_owned(), (place.to_owned(), counts));
        self
    }

    /// The same for a hierarchy that errors name otherwise.
    pub(crate) fn with_hierarchy_from(mut self, name: &str, place: &str, tree: Arc<Hierarchy>) -> Assets {
        self.hierarchies.insert(name.to_owned(), (place.to_owned(), tree));
        self
    }

    /// The same for a list that errors name otherwise.
    pub(crate) fn with_item_list_from(mut self, name: &str, place: &str, list: ItemList) -> Assets {
        self.item_lists.insert(name.to_owned(), (place.to_owned(), list));
        self
    }

    /// The same for a prior that errors name otherwise.
    pub(crate) fn with_prior_from(mut self, name: &str, place: &str, prior: SensitiveValues) -> Assets {
        self.priors.insert(name.to_owned(), (place.to_owned(), prior));
        self
    }

    /// The same for weights that errors name otherwise.
    pub(crate) fn with_weights_from(mut self, name: &str, place: &str, weights: ItemWeights) -> Assets {
        self.weights.insert(name.to_owned(), (place.to_owned(), weights));
        self
    }
}
