//! What is left when everybody's quasi-identifiers are known: each row is one person's and each person has one row, so a class
//! that is needed for others is closed to somebody who would fit it.
//!
//! A flow assigns people (points with their number of records) to classes (with their number of rows); whoever may be left out goes
//! to one more class that fits everybody. An edge from a point to a class is in some full assignment exactly where it
//! carries flow or both ends are in one strongly connected component of the residual graph (A. L. Dulmage, N. S. Mendelsohn 1958;
//! J.-C. Régin, *A filtering algorithm for constraints of difference*, AAAI 1994). All other edges are taken away.

use shoal_core::Progress;

use super::fits::Fits;
use super::points::Points;

/// More edges than that are not tried: the flow would take minutes.
pub(crate) const MOST_EDGES: usize = 20_000_000;
/// More rounds than that are not tried. A round moves flow along all shortest paths; real releases need a few dozen.
const MOST_ROUNDS: usize = 500;

/// What an adversary finds who knows everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Matched {
    /// For each point the classes that are left.
    Left(Vec<Vec<u32>>),
    /// There is no way to give every row its own person: the file is not true of the original.
    NoAssignment,
    /// It would have taken too long.
    TooLarge,
}

/// Takes away the classes that nobody of a point can be in.
pub(crate) fn exclude(points: &Points, fits: &Fits, progress: &dyn Progress) -> Matched {
    let people: u64 = points.count.iter().map(|&count| u64::from(count)).sum();
    let rows = fits.class_of.len() as u64;
    let edges: usize = fits.classes.iter().map(Vec::len).sum();
    if rows > people {
        return Matched::NoAssignment;
    }
    if edges + points.len() > MOST_EDGES {
        return Matched::TooLarge;
    }
    let mut flow = Flow::new(points, fits, people - rows);
    flow.start();
    for round in 0.. {
        progress.check();
        if flow.is_full() {
            break;
        }
        if round == MOST_ROUNDS {
            return Matched::TooLarge;
        }
        if !flow.augment() {
            return Matched::NoAssignment;
        }
    }
    let component = flow.components();
    let is_left = |point: usize, edge: usize| {
        flow.carried[edge] > 0
            || component[point] == component[flow.points + flow.class_of_edge[edge] as usize]
    };
    let real = fits.rows.len() as u32;
    let left = (0..flow.points).map(|point| {
        let edges = flow.edges_of(point).filter(|&edge| is_left(point, edge));
        edges.map(|edge| flow.class_of_edge[edge]).filter(|&class| class < real).collect()
    });
    Matched::Left(left.collect())
}

/// Points on one side, classes on the other.
struct Flow {
    points: usize,
    /// Where the edges of each point start.
    starts: Vec<usize>,
    class_of_edge: Vec<u32>,
    /// For each class its edges, each with its point.
    back: Vec<Vec<(u32, u32)>>,
    carried: Vec<u32>,
    /// People of each point without a class.
    unassigned: Vec<u32>,
    /// Rows of each class without a person.
    room: Vec<u64>,
}

impl Flow {
    fn new(points: &Points, fits: &Fits, may_be_left_out: u64) -> Flow {
        let mut room: Vec<u64> = fits.rows.iter().map(|rows| rows.len() as u64).collect();
        let nowhere = room.len() as u32;
        if may_be_left_out > 0 {
            room.push(may_be_left_out);
        }
        let (mut starts, mut class_of_edge) = (vec![0], Vec::new());
        let mut back = vec![Vec::new(); room.len()];
        for (classes, point) in fits.classes.iter().zip(0_u32..) {
            let left_out = (may_be_left_out > 0).then_some(nowhere);
            for class in classes.iter().copied().chain(left_out) {
                back[class as usize].push((class_of_edge.len() as u32, point));
                class_of_edge.push(class);
            }
            starts.push(class_of_edge.len());
        }
        let carried = vec![0; class_of_edge.len()];
        let unassigned = points.count.clone();
        Flow { points: points.len(), starts, class_of_edge, back, carried, unassigned, room }
    }

    fn edges_of(&self, point: usize) -> std::ops::Range<usize> {
        self.starts[point]..self.starts[point + 1]
    }

    fn is_full(&self) -> bool {
        self.unassigned.iter().all(|&people| people == 0)
    }

    /// A first assignment without looking back, those with the fewest choices first: what remains are few paths.
    fn start(&mut self) {
        let mut order: Vec<usize> = (0..self.points).collect();
        order.sort_by_key(|&point| self.edges_of(point).len());
        for point in order {
            for edge in self.edges_of(point) {
                let room = &mut self.room[self.class_of_edge[edge] as usize];
                let people = u64::from(self.unassigned[point]).min(*room) as u32;
                *room -= u64::from(people);
                self.unassigned[point] -= people;
                self.carried[edge] += people;
            }
        }
    }

    /// Moves people along shortest paths to free rows. False where nobody can move although somebody has no class.
    fn augment(&mut self) -> bool {
        // The distance of classes and points from somebody without a class. A path goes from a point to a class of the same level
        // and from there to a point of the next.
        const UNSEEN: u32 = u32::MAX;
        let (mut level, mut seen) = (vec![UNSEEN; self.room.len()], vec![UNSEEN; self.points]);
        let mut layer: Vec<u32> =
            (0..self.points as u32).filter(|&p| self.unassigned[p as usize] > 0).collect();
        layer.iter().for_each(|&point| seen[point as usize] = 0);
        let (mut depth, mut reached) = (0, false);
        while !layer.is_empty() && !reached {
            let mut next = Vec::new();
            for &point in &layer {
                for edge in self.edges_of(point as usize) {
                    let class = self.class_of_edge[edge] as usize;
                    if level[class] != UNSEEN {
                        continue;
                    }
                    level[class] = depth;
                    reached |= self.room[class] > 0;
                    for &(edge, other) in &self.back[class] {
                        if self.carried[edge as usize] > 0 && seen[other as usize] == UNSEEN {
                            seen[other as usize] = depth + 1;
                            next.push(other);
                        }
                    }
                }
            }
            layer = next;
            depth += 1;
        }
        let mut moved = false;
        // Where each point and each class goes on looking: a way that failed in this round fails again.
        let mut at_edge: Vec<usize> = self.starts[..self.points].to_vec();
        let mut at_back = vec![0; self.room.len()];
        for point in 0..self.points {
            while self.unassigned[point] > 0
                && self.push_one(point, [&level, &seen], &mut at_edge, &mut at_back)
            {
                moved = true;
            }
        }
        moved
    }

    /// Finds one path for one person of a point, and moves everybody along it.
    fn push_one(
        &mut self,
        start: usize,
        [level, point_level]: [&[u32]; 2],
        at_edge: &mut [usize],
        at_back: &mut [usize],
    ) -> bool {
        // Edges forwards to a class, in turn with edges backwards to a point that gives its place there away.
        let mut path: Vec<(usize, Option<usize>)> = Vec::new();
        let mut point = start;
        loop {
            let depth = path.len() as u32;
            let mut advanced = false;
            while at_edge[point] < self.starts[point + 1] {
                let edge = at_edge[point];
                let class = self.class_of_edge[edge] as usize;
                if level[class] == depth {
                    if self.room[class] > 0 {
                        self.room[class] -= 1;
                        self.unassigned[start] -= 1;
                        self.carried[edge] += 1;
                        for &(forwards, backwards) in &path {
                            self.carried[forwards] += 1;
                            if let Some(backwards) = backwards {
                                self.carried[backwards] -= 1;
                            }
                        }
                        return true;
                    }
                    // Somebody who is in the class and could go one class further.
                    while at_back[class] < self.back[class].len() {
                        let (back, other) = self.back[class][at_back[class]];
                        if self.carried[back as usize] > 0 && point_level[other as usize] == depth + 1 {
                            path.push((edge, Some(back as usize)));
                            point = other as usize;
                            advanced = true;
                            break;
                        }
                        at_back[class] += 1;
                    }
                    if advanced {
                        break;
                    }
                }
                at_edge[point] += 1;
            }
            if advanced {
                continue;
            }
            // A dead end: back to where the path came from, which then asks the next person of that class.
            let Some((edge, _)) = path.pop() else { return false };
            let class = self.class_of_edge[edge] as usize;
            at_back[class] += 1;
            point = self.point_of_edge(edge);
        }
    }

    fn point_of_edge(&self, edge: usize) -> usize {
        self.starts.partition_point(|&start| start <= edge) - 1
    }

    /// The strongly connected components of the residual graph, points first, then classes (R. Tarjan 1972, without recursion).
    fn components(&self) -> Vec<u32> {
        const NEW: u32 = u32::MAX;
        let nodes = self.points + self.room.len();
        let (mut index, mut low, mut component) = (vec![NEW; nodes], vec![0; nodes], vec![NEW; nodes]);
        let (mut stack, mut calls): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
        let (mut next_index, mut next_component) = (0, 0);
        for root in 0..nodes {
            if index[root] != NEW {
                continue;
            }
            calls.push((root as u32, 0));
            while let Some((node, at)) = calls.pop() {
                let here = node as usize;
                if at == 0 {
                    (index[here], low[here]) = (next_index, next_index);
                    next_index += 1;
                    stack.push(node);
                }
                match self.residual(here, at) {
                    Some((next, after)) => {
                        calls.push((node, after));
                        if index[next] == NEW {
                            calls.push((next as u32, 0));
                        } else if component[next] == NEW {
                            low[here] = low[here].min(index[next]);
                        }
                    }
                    None => {
                        if low[here] == index[here] {
                            loop {
                                let member = stack.pop().expect("a component has its root") as usize;
                                component[member] = next_component;
                                if member == here {
                                    break;
                                }
                            }
                            next_component += 1;
                        }
                        if let Some(&(caller, _)) = calls.last() {
                            low[caller as usize] = low[caller as usize].min(low[here]);
                        }
                    }
                }
            }
        }
        component
    }

    /// The first neighbour of a node from its edge number `at` on, and where to go on after it.
    fn residual(&self, node: usize, at: usize) -> Option<(usize, usize)> {
        if node < self.points {
            let edge = self.starts[node] + at;
            return (edge < self.starts[node + 1])
                .then(|| (self.points + self.class_of_edge[edge] as usize, at + 1));
        }
        let back = &self.back[node - self.points];
        let found = (at..back.len()).find(|&at| self.carried[back[at].0 as usize] > 0)?;
        Some((back[found].1 as usize, found + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(counts: &[u32], sizes: &[usize], classes: &[&[u32]]) -> Matched {
        let points = Points { of_record: Vec::new(), count: counts.to_vec(), first: vec![0; counts.len()] };
        let rows: Vec<Vec<u32>> = sizes.iter().map(|&size| vec![0; size]).collect();
        let classes = classes.iter().map(|classes| classes.to_vec()).collect();
        let class_of = vec![0; sizes.iter().sum()];
        exclude(&points, &Fits { class_of, rows, classes, unreadable: 0 }, &shoal_core::Silent)
    }

    #[test]
    fn a_class_that_others_need_is_closed() {
        // Two people fit only the class of two; the third, who fits both classes, is in the other one.
        let left = matched(&[2, 1, 1], &[2, 2], &[&[0], &[0, 1], &[1]]);
        assert_eq!(left, Matched::Left(vec![vec![0], vec![1], vec![1]]));
        // With one more place everything is possible.
        assert_eq!(
            matched(&[1, 2, 1], &[2, 2], &[&[0], &[0, 1], &[1]]),
            Matched::Left(vec![vec![0], vec![0, 1], vec![1]])
        );
        // Somebody may be left out: the places of two people are no longer needed for them.
        assert_eq!(
            matched(&[2, 1, 2], &[2, 2], &[&[0], &[0, 1], &[1]]),
            Matched::Left(vec![vec![0], vec![0, 1], vec![1]])
        );
        assert_eq!(matched(&[1, 1], &[1, 1], &[&[0], &[0]]), Matched::NoAssignment);
        assert_eq!(matched(&[1], &[1, 1], &[&[0, 1]]), Matched::NoAssignment);
    }

    /// Against all assignments of up to six people, one by one.
    #[test]
    fn what_is_left_is_what_some_assignment_has() {
        let mut state = 7_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut excluded = 0;
        for _ in 0..500 {
            let people = 2 + draw(5) as usize;
            let classes = 1 + draw(3) as usize;
            let fits: Vec<Vec<u32>> =
                (0..people).map(|_| (0..classes as u32).filter(|_| draw(3) > 0).collect()).collect();
            let sizes: Vec<usize> = (0..classes).map(|_| draw(4) as usize).collect();
            let mut possible = vec![std::collections::BTreeSet::new(); people];
            let mut chosen = Vec::new();
            assign(&fits, &mut sizes.clone(), &mut chosen, &mut possible);
            let borrowed: Vec<&[u32]> = fits.iter().map(Vec::as_slice).collect();
            let any = possible.iter().any(|classes| !classes.is_empty()) || sizes.iter().sum::<usize>() == 0;
            match matched(&vec![1; people], &sizes, &borrowed) {
                Matched::Left(left) => {
                    for (left, possible) in left.iter().zip(&possible) {
                        assert_eq!(*left, possible.iter().copied().collect::<Vec<_>>(), "{fits:?} {sizes:?}");
                    }
                    excluded += usize::from(left != fits);
                }
                Matched::NoAssignment => assert!(!any, "{fits:?} {sizes:?}"),
                Matched::TooLarge => unreachable!(),
            }
        }
        assert!(excluded > 50);
    }

    /// All ways to give every row a person; whoever gets none is left out.
    fn assign(
        fits: &[Vec<u32>],
        room: &mut [usize],
        chosen: &mut Vec<Option<u32>>,
        possible: &mut [std::collections::BTreeSet<u32>],
    ) {
        if chosen.len() == fits.len() {
            if room.iter().all(|&room| room == 0) {
                for (chosen, possible) in chosen.iter().zip(possible) {
                    possible.extend(*chosen);
                }
            }
            return;
        }
        for &class in &fits[chosen.len()] {
            if room[class as usize] > 0 {
                room[class as usize] -= 1;
                chosen.push(Some(class));
                assign(fits, room, chosen, possible);
                chosen.pop();
                room[class as usize] += 1;
            }
        }
        chosen.push(None);
        assign(fits, room, chosen, possible);
        chosen.pop();
    }
}
