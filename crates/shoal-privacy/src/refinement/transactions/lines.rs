//! Which lines of a person are one transaction, and what the releases say of its items.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::ItemRelease;

/// A published text in each release, or none.
pub(super) type Image = Vec<Option<u32>>;

/// A line in each release that is taken for the same transaction, or none.
type Track = Vec<Option<u32>>;

/// The releases with their items, in the same numbers for all of them.
pub(super) struct Reading<'a> {
    releases: &'a [ItemRelease<'a>],
    names: Vec<String>,
    /// For each release and text the items that it may stand for.
    of_text: Vec<Vec<Vec<u32>>>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(releases: &'a [ItemRelease<'a>]) -> Reading<'a> {
        let (mut names, mut number_of): (Vec<String>, HashMap<String, u32>) = Default::default();
        let mut number = |name: &String| {
            *number_of.entry(name.clone()).or_insert_with(|| {
                names.push(name.clone());
                names.len() as u32 - 1
            })
        };
        let mut of_texts = |release: &ItemRelease<'_>| -> Vec<Vec<u32>> {
            let texts = 0..release.published.items().len() as u32;
            texts.map(|text| release.meaning.items(text).iter().map(&mut number).collect()).collect()
        };
        let of_text = releases.iter().map(&mut of_texts).collect();
        Reading { releases, names, of_text }
    }

    fn texts(&self, at: usize, line: u32) -> &[u32] {
        self.releases[at].published.transaction(line as usize)
    }

    /// The finest lines of somebody with these lines in each release.
    pub(super) fn finest(&self, lines: &[Vec<u32>]) -> BTreeSet<Vec<Image>> {
        self.tracks(lines).iter().map(|track| self.images(track)).collect()
    }

    /// Each line with the line in every other release that shares most with it. Where there is one line in both, it is
    /// that one. Lines may be in several tracks: then the judge asks for more, and never for less.
    fn tracks(&self, lines: &[Vec<u32>]) -> BTreeSet<Track> {
        let mut tracks = BTreeSet::new();
        for (at, own) in lines.iter().enumerate() {
            for &line in own {
                let items: HashSet<u32> = self
                    .texts(at, line)
                    .iter()
                    .flat_map(|&text| &self.of_text[at][text as usize])
                    .copied()
                    .collect();
                let shared = |to: usize, other: u32| {
                    let is_shared = |&&text: &&u32| {
                        self.of_text[to][text as usize].iter().any(|item| items.contains(item))
                    };
                    self.texts(to, other).iter().filter(is_shared).count()
                };
                let nearest = |(to, others): (usize, &Vec<u32>)| match (own.as_slice(), others.as_slice()) {
                    _ if to == at => Some(line),
                    ([_], &[only]) => Some(only),
                    _ => {
                        let shares = others.iter().map(|&other| (shared(to, other), Reverse(other)));
                        shares.max().filter(|(shared, _)| *shared > 0).map(|(_, Reverse(other))| other)
                    }
                };
                tracks.insert(lines.iter().enumerate().map(nearest).collect());
            }
        }
        tracks
    }

    /// The refined images of a track's items; none of them says less than another one.
    fn images(&self, track: &Track) -> Vec<Image> {
        let mut of_item: BTreeMap<u32, Image> = BTreeMap::new();
        for (at, line) in track.iter().enumerate() {
            for &text in line.iter().flat_map(|&line| self.texts(at, line)) {
                for &item in &self.of_text[at][text as usize] {
                    of_item.entry(item).or_insert_with(|| vec![None; track.len()])[at] = Some(text);
                }
            }
        }
        let mut all: BTreeSet<Image> = of_item.into_values().collect();
        let says_less: Vec<Image> =
            all.iter().flat_map(|image| parts(image).filter(move |part| part != image)).collect();
        says_less.iter().for_each(|part| {
            all.remove(part);
        });
        all.into_iter().collect()
    }

    /// The items that a refined image may be.
    fn items(&self, image: &Image) -> Vec<u32> {
        let mut of_texts =
            image.iter().zip(&self.of_text).filter_map(|(text, of_text)| Some(&of_text[(*text)? as usize]));
        let first = of_texts.next().cloned().unwrap_or_default();
        of_texts.fold(first, |common, items| common.into_iter().filter(|item| items.contains(item)).collect())
    }

    pub(super) fn names(&self, image: &Image) -> Vec<String> {
        self.items(image).into_iter().map(|item| self.names[item as usize].clone()).collect()
    }

    /// What the releases say.
    pub(super) fn text(&self, image: &Image) -> String {
        let said = image
            .iter()
            .zip(self.releases)
            .filter_map(|(text, release)| Some(release.published.items().get((*text)?)));
        let mut said: Vec<&str> = said.collect();
        said.dedup();
        said.join("` and then `")
    }
}

/// What says no more than an image: itself, and the same known from fewer releases.
pub(super) fn parts(image: &Image) -> impl Iterator<Item = Image> + '_ {
    let places: Vec<usize> = (0..image.len()).filter(|&at| image[at].is_some()).collect();
    (1_u64..1 << places.len()).map(move |mask| {
        let mut part: Image = vec![None; image.len()];
        let kept = places.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
        kept.for_each(|(_, &at)| part[at] = image[at]);
        part
    })
}
