//! The people of everything that can be known: what a release is made by. The judge does not use it.

use std::collections::BTreeSet;

use super::{ItemCell, KnownItems};

impl ItemCell {
    /// The people of every crowd of which some are among `few`, but fewer than k.
    pub fn crowds_of_few(&self, k: u32, known: &KnownItems, few: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let lines = known.lines(self);
        let mut postings: Vec<Vec<u32>> = vec![Vec::new(); self.images.len()];
        for (at, line) in (0..).zip(lines.iter()) {
            line.iter().for_each(|&image| postings[image as usize].push(at));
        }
        let mut crowds =
            Crowds { persons: &self.persons, lines: &lines, k: k as usize, few, found: Vec::new() };
        match known {
            KnownItems::Any(m, _) => {
                (0..).zip(&postings).for_each(|(image, lines)| crowds.grow(image, lines, *m));
            }
            KnownItems::All => {
                let distinct: BTreeSet<&Vec<u32>> = lines.iter().filter(|line| !line.is_empty()).collect();
                distinct.into_iter().for_each(|line| crowds.holding(line, &postings));
            }
            KnownItems::Listed(sets) => {
                self.images_of(sets).iter().for_each(|set| crowds.holding(set, &postings));
            }
        }
        crowds.found
    }
}

struct Crowds<'a> {
    persons: &'a [u32],
    lines: &'a [Vec<u32>],
    k: usize,
    few: &'a dyn Fn(u32) -> bool,
    found: Vec<Vec<u32>>,
}

impl Crowds<'_> {
    /// Notes the people of some lines if too few of them are among the few. Says whether larger sets are worth a look: fewer
    /// people have them.
    fn is_large(&mut self, lines: impl Iterator<Item = u32>) -> bool {
        let mut people: Vec<u32> = lines.map(|line| self.persons[line as usize]).collect();
        people.dedup();
        let few = people.iter().filter(|&&person| (self.few)(person)).count();
        if (1..self.k).contains(&few) {
            self.found.push(people);
        }
        few >= self.k
    }

    /// Those whose line holds a set.
    fn holding(&mut self, set: &[u32], postings: &[Vec<u32>]) {
        let rarest = set.iter().map(|&image| &postings[image as usize]).min_by_key(|lines| lines.len());
        let lines = self.lines;
        let holds = |&line: &u32| set.iter().all(|image| lines[line as usize].binary_search(image).is_ok());
        self.is_large(rarest.into_iter().flatten().copied().filter(holds));
    }

    /// A set whose last image is this one, held by these lines; and the larger sets, by up to `more` images with it.
    fn grow(&mut self, last: u32, lines: &[u32], more: usize) {
        if !self.is_large(lines.iter().copied()) || more == 1 {
            return;
        }
        let mut following: Vec<(u32, u32)> = Vec::new();
        for &line in lines {
            let images = &self.lines[line as usize];
            let after = images.partition_point(|&image| image <= last);
            following.extend(images[after..].iter().map(|&image| (image, line)));
        }
        following.sort_unstable();
        for run in following.chunk_by(|one, other| one.0 == other.0) {
            let lines: Vec<u32> = run.iter().map(|(_, line)| *line).collect();
            self.grow(run[0].0, &lines, more - 1);
        }
    }
}
