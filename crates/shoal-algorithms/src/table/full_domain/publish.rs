use shoal_core::{Class, SUPPRESSED, TableRecoding};

use super::FullDomain;
use super::frequency::Group;

impl FullDomain<'_> {
    /// What a node publishes: a class for each group that stands, in lexicographic order of its steps' groups;
    /// the records of the others are left out.
    pub(crate) fn recode(&self, node: &[usize]) -> TableRecoding {
        let all = self.finest();
        let set = self.roll_up(&all, node);
        let standing = self.standing(&set);
        // A group is known by the first of its points.
        let mut stands = vec![false; self.points.len()];
        for (group, &of_group) in set.groups().iter().zip(standing.groups()) {
            stands[group.point as usize] = of_group;
        }
        let (keys, _) = self.keys(&all, node);
        let mut order: Vec<(u64, Group)> = keys.into_iter().zip(all.groups().iter().copied()).collect();
        order.sort_unstable_by_key(|&(key, group)| (key, group.point));

        let mut recoding = TableRecoding { class_of: vec![SUPPRESSED; self.rows], classes: Vec::new() };
        for members in order.chunk_by(|a, b| a.0 == b.0) {
            if !stands[members[0].1.point as usize] {
                continue;
            }
            let number = recoding.classes.len() as u32;
            for &row in members.iter().flat_map(|(_, point)| self.points.rows(point.point as usize)) {
                recoding.class_of[row as usize] = number;
            }
            recoding.classes.push(self.class_of_point(members[0].1.point, node));
        }
        recoding
    }

    fn class_of_point(&self, point: u32, node: &[usize]) -> Class {
        let codes = self.points.point(point as usize);
        let steps = self.ladders.iter().zip(node).zip(codes);
        Class { cells: steps.map(|((ladder, &step), &code)| ladder.cell(step, code).clone()).collect() }
    }
}
