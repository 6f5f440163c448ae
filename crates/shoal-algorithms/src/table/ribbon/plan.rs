//! How a crowd becomes a class: which records leave which classes, and which classes are given up for it.

use super::class::{Class, Member};
use super::prices::{Entry, Prices};

/// A new class.
pub(super) struct Plan {
    /// What it promises to gain. Covers that shrink without those who leave are not counted, nor that a class may be given up to which another
    /// one's records would have gone.
    pub(super) gain: i64,
    /// Its members, and the class that each of them leaves.
    pub(super) taken: Vec<(u32, Member)>,
    /// Classes whose other members have to go elsewhere.
    pub(super) given_up: Vec<u32>,
    size: u32,
}

/// Records of a class that could join, as a range of the entries, if the class were given up for it.
struct Reserve {
    from: usize,
    to: usize,
    loses: i64,
}

impl Plan {
    /// The plan for a crowd whose records would lose at most `cost`; nothing where it cannot have k records. Its entries are given by class.
    pub(super) fn of(k: u32, crowd: &[u32], cost: u32, prices: &Prices, classes: &[Class]) -> Option<Plan> {
        let entry = |at: u32| prices.entries[at as usize];
        let mut plan = Plan { gain: 0, taken: Vec::new(), given_up: Vec::new(), size: 0 };
        // Records that gain nothing but may fill the class up to k: what each costs, its entry, how many.
        let mut fillers: Vec<(u32, u32, u32)> = Vec::new();
        let mut reserves: Vec<Reserve> = Vec::new();
        let mut to = 0;
        for group in crowd.chunk_by(|&a, &b| entry(a).class == entry(b).class) {
            to += group.len();
            let Entry { class: number, cost: now, .. } = entry(group[0]);
            let inside: u32 = group.iter().map(|&at| entry(at).member.count).sum();
            // A class gives away what it has beyond k, or it is given up: then everybody else in it has to find a place.
            let mut spare = inside.min(classes[number as usize].size.saturating_sub(k));
            let spared = i64::from(spare) * i64::from(now.saturating_sub(cost));
            let joining = |e: Entry| i64::from(e.member.count) * i64::from(e.elsewhere.saturating_sub(cost));
            let given_up =
                group.iter().map(|&at| joining(entry(at))).sum::<i64>() - prices.give_up[number as usize];
            if given_up > spared {
                plan.gain += given_up;
                plan.given_up.push(number);
                for &at in group {
                    let Entry { member, elsewhere, .. } = entry(at);
                    match elsewhere > cost {
                        true => plan.take(number, member),
                        false => fillers.push((cost - elsewhere, at, member.count)),
                    }
                }
                continue;
            }
            reserves.push(Reserve { from: to - group.len(), to, loses: spared - given_up });
            plan.gain += spared;
            for &at in group {
                let count = entry(at).member.count.min(spare);
                spare -= count;
                match now > cost {
                    _ if count == 0 => break,
                    true => plan.take(number, Member { count, ..entry(at).member }),
                    false => fillers.push((cost - now, at, count)),
                }
            }
        }
        fillers.sort_unstable();
        for (each, at, count) in fillers {
            let count = count.min(k.saturating_sub(plan.size));
            if count == 0 {
                break;
            }
            plan.gain -= i64::from(count) * i64::from(each);
            plan.take(entry(at).class, Member { count, ..entry(at).member });
        }
        // Still too few: more classes are given up, the one first that loses least for each record that it brings.
        let brings = |reserve: &Reserve| (reserve.to - reserve.from) as i64;
        reserves.sort_by_key(|reserve| (reserve.loses / brings(reserve), reserve.from));
        for Reserve { from, to, loses } in reserves {
            if plan.size >= k {
                break;
            }
            let number = entry(crowd[from]).class;
            plan.give_back(number);
            plan.gain -= loses;
            plan.given_up.push(number);
            for &at in &crowd[from..to] {
                let Entry { member, elsewhere, .. } = entry(at);
                if elsewhere > cost || plan.size < k {
                    plan.take(number, member);
                }
            }
        }
        (plan.size >= k).then_some(plan)
    }

    fn take(&mut self, class: u32, member: Member) {
        self.size += member.count;
        self.taken.push((class, member));
    }

    /// Takes nobody from a class.
    fn give_back(&mut self, class: u32) {
        self.taken.retain(|(from, _)| *from != class);
        self.size = self.taken.iter().map(|(_, member)| member.count).sum();
    }

    /// The classes that it needs as they are.
    pub(super) fn needs(&self) -> Vec<u32> {
        let mut needs: Vec<u32> =
            self.taken.iter().map(|t| t.0).chain(self.given_up.iter().copied()).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}
