//! The finest release of transactions.
//!
//! - The *refined image* of an item of a line is what each release publishes for it: `(a,b)` in the first and
//!   `(a,b,c)` in the second. Two texts of a person are of one item where both may stand for it.
//! - Somebody who knows an item may know it from some releases only. So a line also holds every refined image that
//!   says less than one of its own, if that is all that the releases say of somebody's item. What an attacker
//!   knows is what a person *has*; k^m says nothing of an attacker who knows what a person lacks.
//! - A person's lines in two releases are taken for one where they share most. Published lines are not linked, so
//!   a crowd is people who have one line with all that is known, as in a single release.
//!
//! Why a crowd of k here is a crowd of k for the attacker: exchange a person of the crowd with another one, with
//! all their lines. All files stay the same, the finest release too, and what is known stays true. So no line of
//! any release is the person's in more than one of k such worlds.

use std::collections::{BTreeMap, HashMap, HashSet};

use shoal_core::{Progress, Transactions, TransactionsBuilder, is_drawn};

use crate::transactions::{Meaning, verify_transactions_file};
use crate::{
    BrokenPromise, CompleteAnonymity, ItemConstraints, ItemsetAnonymity, ItemsetParamError, KnownShare,
    TransactionsModel, TransactionsViolation, Unverifiable,
};

/// A release, and whose its transactions are.
#[derive(Clone, Debug)]
pub struct ItemRelease<'a> {
    /// The published transactions.
    pub published: &'a Transactions,
    /// What its texts stand for.
    pub meaning: &'a Meaning,
    /// The person of each transaction; a number is the same person in all releases.
    pub persons: &'a [u32],
}

/// What an attacker may know, in items of the original data.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownItems {
    /// Up to m items, of all items or of a drawn share.
    Any(usize, Option<KnownShare>),
    /// All items of a transaction.
    All,
    /// One of these sets.
    Listed(Vec<Vec<String>>),
}

/// People who are in exactly the same releases.
#[derive(Debug)]
pub struct ItemCell {
    /// In which of the releases they are.
    pub was_in: Vec<bool>,
    /// Their finest lines, as texts that number the refined images, with whose they are.
    pub lines: Transactions,
    /// What each line holds of its own, without what says less.
    own: Vec<Vec<u32>>,
    /// What each refined image is in each release.
    images: Vec<Image>,
    /// The items that each refined image may be, by name.
    names: Vec<Vec<String>>,
    releases: Vec<Vec<String>>,
}

/// A published text in each release, or none.
type Image = Vec<Option<u32>>;

/// The finest release, cell by cell.
pub fn refine(releases: &[ItemRelease<'_>]) -> Vec<ItemCell> {
    let mut lines_of: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    for (at, release) in releases.iter().enumerate() {
        for (line, &person) in (0..).zip(release.persons) {
            lines_of.entry(person).or_insert_with(|| vec![Vec::new(); releases.len()])[at].push(line);
        }
    }
    let items = Items::new(releases);
    let mut cells: BTreeMap<Vec<bool>, Lines> = BTreeMap::new();
    for (person, lines) in lines_of {
        let was_in = lines.iter().map(|lines| !lines.is_empty()).collect();
        let cell = cells.entry(was_in).or_default();
        for track in tracks(releases, &items, &lines) {
            cell.add(person, items.refined(releases, &track));
        }
    }
    let texts: Vec<Vec<String>> = releases
        .iter()
        .map(|release| release.published.items().iter().map(str::to_owned).collect())
        .collect();
    cells.into_iter().map(|(was_in, lines)| lines.into_cell(was_in, &items, texts.clone())).collect()
}

/// A line in each release that is taken for one, or none.
type Track = Vec<Option<u32>>;

/// Takes lines of a person for one where they share most items; where there is one line in both, it is that one.
fn tracks(releases: &[ItemRelease<'_>], items: &Items, lines: &[Vec<u32>]) -> Vec<Track> {
    let mut tracks: Vec<Track> = Vec::new();
    for (at, own) in lines.iter().enumerate() {
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        let only = tracks.len() == 1 && own.len() == 1;
        for (track, known) in tracks.iter().enumerate() {
            for (place, &line) in own.iter().enumerate() {
                let shared = items.shared(releases, known, at, line);
                if shared > 0 || only {
                    pairs.push((usize::MAX - shared, track, place));
                }
            }
        }
        pairs.sort_unstable();
        let (mut taken, mut placed) = (vec![false; tracks.len()], vec![false; own.len()]);
        for (_, track, place) in pairs {
            if !taken[track] && !placed[place] {
                (taken[track], placed[place]) = (true, true);
                tracks[track][at] = Some(own[place]);
            }
        }
        for (&line, _) in own.iter().zip(placed).filter(|(_, placed)| !placed) {
            let mut track = vec![None; releases.len()];
            track[at] = Some(line);
            tracks.push(track);
        }
    }
    tracks
}

/// The items of all releases, in the same numbers.
struct Items {
    names: Vec<String>,
    /// For each release and text the items that it may stand for.
    of_text: Vec<Vec<Vec<u32>>>,
}

impl Items {
    fn new(releases: &[ItemRelease<'_>]) -> Items {
        let (mut names, mut number_of): (Vec<String>, HashMap<String, u32>) = Default::default();
        let mut number = |name: &String| {
            *number_of.entry(name.clone()).or_insert_with(|| {
                names.push(name.clone());
                names.len() as u32 - 1
            })
        };
        let mut of_text = Vec::new();
        for release in releases {
            let texts = 0..release.published.items().len() as u32;
            of_text.push(
                texts.map(|text| release.meaning.items(text).iter().map(&mut number).collect()).collect(),
            );
        }
        Items { names, of_text }
    }

    /// How many texts of a line may be of an item of a track.
    fn shared(&self, releases: &[ItemRelease<'_>], track: &Track, at: usize, line: u32) -> usize {
        let mut known: HashSet<u32> = HashSet::new();
        for (release, line) in track.iter().enumerate() {
            let texts = line.map(|line| releases[release].published.transaction(line as usize));
            let texts = texts.unwrap_or_default().iter();
            known.extend(texts.flat_map(|&text| &self.of_text[release][text as usize]));
        }
        let texts = releases[at].published.transaction(line as usize).iter();
        texts.filter(|&&text| self.of_text[at][text as usize].iter().any(|item| known.contains(item))).count()
    }

    /// The refined images of a track's items; none of them says less than another one.
    fn refined(&self, releases: &[ItemRelease<'_>], track: &Track) -> Vec<Image> {
        let mut of_item: BTreeMap<u32, Image> = BTreeMap::new();
        for (at, line) in track.iter().enumerate() {
            let Some(line) = line else { continue };
            for &text in releases[at].published.transaction(*line as usize) {
                for &item in &self.of_text[at][text as usize] {
                    of_item.entry(item).or_insert_with(|| vec![None; track.len()])[at] = Some(text);
                }
            }
        }
        let all: HashSet<Image> = of_item.into_values().collect();
        let says_less = |image: &Image| {
            image.contains(&None) && all.iter().any(|other| other != image && is_part(image, other))
        };
        let mut images: Vec<Image> = all.iter().filter(|image| !says_less(image)).cloned().collect();
        images.sort_unstable();
        images
    }

    /// The items that a refined image may be.
    fn behind(&self, image: &Image) -> Vec<String> {
        let mut texts = image.iter().enumerate().filter_map(|(at, text)| Some((at, (*text)?)));
        let Some((at, text)) = texts.next() else { return Vec::new() };
        let mut items = self.of_text[at][text as usize].clone();
        texts.for_each(|(at, text)| items.retain(|item| self.of_text[at][text as usize].contains(item)));
        items.into_iter().map(|item| self.names[item as usize].clone()).collect()
    }
}

/// Whether an image says nothing that the other one does not say.
fn is_part(image: &Image, of: &Image) -> bool {
    image.iter().zip(of).all(|(text, other)| text.is_none() || text == other)
}

/// The lines of a cell, before it is known which images occur in it.
#[derive(Default)]
struct Lines {
    persons: Vec<u32>,
    lines: Vec<Vec<u32>>,
    images: Vec<Image>,
    number_of: HashMap<Image, u32>,
}

impl Lines {
    fn add(&mut self, person: u32, line: Vec<Image>) {
        let mut numbers = Vec::with_capacity(line.len());
        for image in line {
            let next = self.images.len() as u32;
            let number = *self.number_of.entry(image.clone()).or_insert(next);
            if number == next {
                self.images.push(image);
            }
            numbers.push(number);
        }
        self.persons.push(person);
        self.lines.push(numbers);
    }

    fn into_cell(self, was_in: Vec<bool>, items: &Items, releases: Vec<Vec<String>>) -> ItemCell {
        // With each image come those that occur and say less.
        let less: Vec<Vec<u32>> = self.images.iter().map(|image| self.parts(image)).collect();
        let mut builder = TransactionsBuilder::default();
        for line in &self.lines {
            let mut held: Vec<u32> = line.iter().flat_map(|&image| less[image as usize].clone()).collect();
            held.sort_unstable();
            held.dedup();
            held.iter().for_each(|image| builder.item(&image.to_string()));
            builder.end();
        }
        // Texts are whole numbers, so that their order is that of the images; all images occur.
        let lines = builder.finish().0.with_persons(self.persons);
        let names = self.images.iter().map(|image| items.behind(image)).collect();
        ItemCell { was_in, lines, own: self.lines, images: self.images, names, releases }
    }

    fn parts(&self, image: &Image) -> Vec<u32> {
        let places: Vec<usize> = (0..image.len()).filter(|&at| image[at].is_some()).collect();
        let masks = 1_u32..1 << places.len();
        let part = |mask: u32| {
            let mut part: Image = vec![None; image.len()];
            let kept = places.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
            kept.for_each(|(_, &at)| part[at] = image[at]);
            part
        };
        masks.filter_map(|mask| self.number_of.get(&part(mask)).copied()).collect()
    }
}

impl KnownItems {
    /// What an attacker may know of a cell, in refined images; and the lines without what nobody may know.
    fn ask(&self, cell: &ItemCell, k: u32) -> Result<(Transactions, Vec<Box<dyn TransactionsModel>>), Asked> {
        let model: Box<dyn TransactionsModel> = match self {
            KnownItems::Any(m, _) => Box::new(ItemsetAnonymity::new(k, *m, None)?),
            KnownItems::All => Box::new(CompleteAnonymity::new(k).map_err(ItemsetParamError::from)?),
            KnownItems::Listed(sets) => {
                Box::new(ItemConstraints::new(k, cell.texts_of_sets(sets)).map_err(ItemsetParamError::from)?)
            }
        };
        Ok((self.lines(cell), vec![model]))
    }

    fn lines(&self, cell: &ItemCell) -> Transactions {
        let KnownItems::Any(_, Some(KnownShare { share, seed })) = self else { return cell.lines.clone() };
        let is_known: Vec<bool> =
            cell.names.iter().map(|names| names.iter().any(|name| is_drawn(name, *share, *seed))).collect();
        let mut builder = TransactionsBuilder::default();
        for line in cell.lines.iter() {
            line.iter()
                .filter(|&&image| is_known[cell.image(image)])
                .for_each(|&image| builder.item(cell.lines.items().get(image)));
            builder.end();
        }
        let persons = cell.lines.persons().unwrap_or_default().to_vec();
        builder.finish().0.with_persons(persons)
    }
}

type Asked = ItemsetParamError;

/// Why a cell could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum RefinementError {
    /// The promise cannot be checked on this cell.
    #[error(transparent)]
    Unverifiable(#[from] Unverifiable),
    /// The promise promises nothing.
    #[error(transparent)]
    Promise(#[from] ItemsetParamError),
}

impl ItemCell {
    /// Whether the people of the cell keep the promise among themselves, and what breaks it.
    pub fn judge(
        &self,
        k: u32,
        known: &KnownItems,
        progress: &dyn Progress,
    ) -> Result<Vec<BrokenPromise<TransactionsViolation>>, RefinementError> {
        let (lines, models) = known.ask(self, k)?;
        let mut broken = verify_transactions_file(&lines, None, None, &models, progress)?.broken;
        for violation in broken.iter_mut().flat_map(|broken| &mut broken.violations.worst) {
            violation.items = violation.items.iter().map(|text| self.describe(text)).collect();
        }
        Ok(broken)
    }

    /// The people of every crowd that is smaller than k, a list for each crowd.
    pub fn small_crowds(&self, k: u32, known: &KnownItems) -> Vec<Vec<u32>> {
        let mut small = Vec::new();
        self.each_crowd(known, &mut |people| {
            let is_small = people.len() < k as usize;
            if is_small {
                small.push(people);
            }
            !is_small
        });
        small
    }

    /// The people of every crowd of which some are among `few`, but fewer than k.
    pub fn crowds_of_few(&self, k: u32, known: &KnownItems, few: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        self.each_crowd(known, &mut |people| {
            let count = people.iter().filter(|&&person| few(person)).count();
            if (1..k as usize).contains(&count) {
                found.push(people);
            }
            count >= k as usize
        });
        found
    }

    /// People whom one of their releases shows with an item that another one does not.
    pub fn changed(&self) -> Vec<u32> {
        let missing =
            |image: &Image| self.was_in.iter().zip(image).any(|(was_in, text)| *was_in && text.is_none());
        let is_changed: Vec<bool> = self.images.iter().map(missing).collect();
        let persons = self.lines.persons().unwrap_or_default().iter().zip(&self.own);
        let changed = persons.filter(|(_, own)| own.iter().any(|&image| is_changed[image as usize]));
        changed.map(|(&person, _)| person).collect()
    }

    /// Visits those who have what is known, for all that can be known. Sets are grown as long as `visit` says so.
    fn each_crowd(&self, known: &KnownItems, visit: &mut dyn FnMut(Vec<u32>) -> bool) {
        let lines = known.lines(self);
        let mut crowds = Crowds { lines: &lines, postings: lines.postings(), visit };
        match known {
            KnownItems::Any(m, _) => crowds.any(*m),
            KnownItems::All => {
                let distinct: HashSet<&[u32]> = lines.iter().collect();
                distinct.into_iter().for_each(|line| crowds.holding(line));
            }
            KnownItems::Listed(sets) => {
                for set in self.texts_of_sets(sets) {
                    let mut set: Vec<u32> = set.iter().filter_map(|text| lines.item(text)).collect();
                    set.sort_unstable();
                    crowds.holding(&set);
                }
            }
        }
    }

    /// A text of the finest lines, as what the releases say.
    fn describe(&self, text: &str) -> String {
        let image = text.parse().ok().and_then(|at: usize| self.images.get(at));
        let texts = image.into_iter().flatten().enumerate();
        let said = texts.filter_map(|(at, text)| Some(self.releases[at][(*text)? as usize].clone()));
        let mut said: Vec<String> = said.collect();
        said.dedup();
        said.join("` and then `")
    }

    /// The image that an item of the finest lines is.
    fn image(&self, item: u32) -> usize {
        self.lines.items().get(item).parse().unwrap_or_default()
    }

    /// What is known of somebody who has a set of items: for each line that may hold the set, the images of its items.
    fn texts_of_sets(&self, sets: &[Vec<String>]) -> Vec<Vec<String>> {
        let mut images_of: HashMap<&str, Vec<u32>> = HashMap::new();
        for (image, names) in (0..).zip(&self.names) {
            names.iter().for_each(|name| images_of.entry(name).or_default().push(image));
        }
        let mut found: HashSet<Vec<u32>> = HashSet::new();
        let mut lines_of: HashMap<u32, Vec<u32>> = HashMap::new();
        for (line, own) in (0..).zip(&self.own) {
            own.iter().for_each(|&image| lines_of.entry(image).or_default().push(line));
        }
        for set in sets {
            // Items that no release publishes lead nowhere.
            let asked: Vec<&Vec<u32>> = set.iter().filter_map(|item| images_of.get(item.as_str())).collect();
            let Some(first) = asked.first() else { continue };
            let lines = first.iter().flat_map(|image| lines_of.get(image).into_iter().flatten());
            for &line in lines {
                let own = &self.own[line as usize];
                let held = |images: &&Vec<u32>| -> Vec<u32> {
                    images.iter().copied().filter(|image| own.contains(image)).collect()
                };
                let held: Vec<Vec<u32>> = asked.iter().map(held).collect();
                if held.iter().all(|images| !images.is_empty()) {
                    let mut all: Vec<u32> = held.concat();
                    all.sort_unstable();
                    all.dedup();
                    found.insert(all);
                }
            }
        }
        let text = |set: Vec<u32>| set.iter().map(u32::to_string).collect();
        let mut sets: Vec<Vec<String>> = found.into_iter().map(text).collect();
        sets.sort_unstable();
        sets
    }
}

/// The crowds of a cell.
struct Crowds<'a, 'v> {
    lines: &'a Transactions,
    postings: Vec<Vec<u32>>,
    visit: &'v mut dyn FnMut(Vec<u32>) -> bool,
}

impl Crowds<'_, '_> {
    fn people(&self, lines: impl Iterator<Item = u32>) -> Vec<u32> {
        let persons = self.lines.persons().unwrap_or_default();
        let mut people: Vec<u32> = lines.map(|line| persons[line as usize]).collect();
        people.sort_unstable();
        people.dedup();
        people
    }

    /// Those whose line holds a set.
    fn holding(&mut self, set: &[u32]) {
        let rarest = set.iter().map(|&image| &self.postings[image as usize]).min_by_key(|lines| lines.len());
        let Some(rarest) = rarest else { return };
        let holds = |line: &u32| {
            let line = self.lines.transaction(*line as usize);
            set.iter().all(|image| line.binary_search(image).is_ok())
        };
        let people = self.people(rarest.iter().copied().filter(holds));
        (self.visit)(people);
    }

    fn any(&mut self, m: usize) {
        for (image, lines) in (0..).zip(std::mem::take(&mut self.postings)) {
            self.grow(image, &lines, m);
        }
    }

    /// A set whose last image is this one, held by these lines; and the larger sets.
    fn grow(&mut self, last: u32, lines: &[u32], m: usize) {
        let people = self.people(lines.iter().copied());
        if people.is_empty() || !(self.visit)(people) || m == 1 {
            return;
        }
        let mut following: Vec<(u32, u32)> = Vec::new();
        for &line in lines {
            let images = self.lines.transaction(line as usize);
            let after = images.partition_point(|&image| image <= last);
            following.extend(images[after..].iter().map(|&image| (image, line)));
        }
        following.sort_unstable();
        for run in following.chunk_by(|one, other| one.0 == other.0) {
            let lines: Vec<u32> = run.iter().map(|(_, line)| *line).collect();
            self.grow(run[0].0, &lines, m - 1);
        }
    }
}

#[cfg(test)]
mod tests;
