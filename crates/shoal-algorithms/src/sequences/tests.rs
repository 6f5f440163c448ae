//! The parts of the engine against slow, obvious twins. What it decides as a whole is tested from outside.

use proptest::collection::vec;
use proptest::prelude::*;
use shoal_core::{Column, Kind, RawColumn, RawTable, Role, SequencesPromise, Support, Table};

use super::alignment::Aligned;
use super::cluster::Cluster;
use super::costs::Costs;
use super::limits::Limits;
use super::matching::{Matching, Numbered, Pair, Query};
use super::nearest::{Kind as Pairs, Search, Space};
use super::pool::Pool;
use super::signature::{Mask, Signatures};
use crate::fixture;

/// Two quasi-identifiers over nine values, and people with up to four events, of whom some are merged into clusters.
#[derive(Debug)]
struct World {
    costs: Costs,
    limits: Limits,
    clusters: Vec<Cluster>,
}

fn any_world(people: std::ops::Range<usize>) -> impl Strategy<Value = World> {
    world_of(people, 1..5)
}

/// The same with other numbers of events.
fn world_of(people: std::ops::Range<usize>, events: std::ops::Range<usize>) -> impl Strategy<Value = World> {
    let quasi = vec((1_u8..4, vec(0_u8..4, 9)), 2);
    let people = vec(vec((0_usize..9, 0_usize..9), events), people);
    (quasi, people, vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..6)).prop_map(
        |(quasi, people, merges)| {
            let rows: Vec<Vec<String>> =
                people.iter().flatten().map(|(a, b)| vec![format!("v{a}"), format!("v{b}")]).collect();
            let raw = RawTable::from_rows(&["a", "b"], &rows);
            let columns: Vec<Column> = raw.columns.iter().zip(&quasi).map(column).collect();
            let costs = Costs::new(&columns.iter().collect::<Vec<_>>(), rows.len()).unwrap();
            let promise = SequencesPromise {
                k: 2,
                length: None,
                support: Support::Paper,
                limits: Vec::new(),
                distributions: Default::default(),
            };
            let limits = Limits::new(&promise, &Table::default(), "test").unwrap();
            let mut end = 0;
            let events_of: Vec<_> = people
                .iter()
                .map(|events| {
                    end += events.len();
                    end - events.len()..end
                })
                .collect();
            let single = |person: u32| Cluster::alike(vec![person], &events_of, &costs, &limits);
            let mut clusters: Vec<Cluster> = (0..people.len() as u32).map(single).collect();
            for (one, other) in merges {
                let a = clusters.swap_remove(one.index(clusters.len()));
                let b = clusters.swap_remove(other.index(clusters.len()));
                let pairs = Aligned.pairs(numbered(0, &a), numbered(1, &b), &costs);
                clusters.push(Cluster::merged(&a, &b, &pairs, &costs, &limits));
                if clusters.len() < 3 {
                    break;
                }
            }
            World { costs, limits, clusters }
        },
    )
}

fn column((raw, (weight, groups)): (&RawColumn, &(u8, Vec<u8>))) -> Column {
    let tree = fixture::four_groups(|leaf| format!("v{leaf}"), groups);
    fixture::encode(raw, Role::QuasiIdentifier, Kind::Text, Some(tree)).with_weight(f64::from(*weight))
}

fn numbered(id: u32, cluster: &Cluster) -> Numbered<'_> {
    Numbered { id, cluster }
}

/// What all members of a cluster have lost since they were alone.
fn lost(cluster: &Cluster, costs: &Costs) -> i64 {
    let own_height = |event: &u32| {
        let event = *event as usize;
        i64::from(costs.event_height(costs.values(event..event + 1)))
    };
    let now: i64 = cluster.heights.iter().map(|&height| i64::from(height)).sum();
    cluster.size() as i64 * now - cluster.survivors.iter().map(own_height).sum::<i64>()
}

/// What these pairs lose, everything else suppressed.
fn loss(older: &Cluster, younger: &Cluster, pairs: &[Pair], costs: &Costs) -> i64 {
    let quasi = costs.quasi();
    let mut heights = [0; 2];
    for &(left, right) in pairs {
        let values = older.event(left as usize, quasi).iter().zip(younger.event(right as usize, quasi));
        let both: u32 = values.map(|(&a, &b)| costs.height(costs.lowest_common(a, b))).sum();
        heights.iter_mut().for_each(|height| *height += i64::from(both));
    }
    let side = |cluster: &Cluster, height: i64| {
        let gone = (cluster.len() - pairs.len()) as i64 * i64::from(costs.suppressed());
        let before: i64 = cluster.heights.iter().map(|&height| i64::from(height)).sum();
        cluster.size() as i64 * (height + gone - before)
    };
    side(older, heights[0]) + side(younger, heights[1])
}

/// All ways to pair events in order.
fn all_pairings(left: u32, right: u32) -> Vec<Vec<Pair>> {
    if left == 0 || right == 0 {
        return vec![Vec::new()];
    }
    let mut all = all_pairings(left - 1, right);
    for partner in 0..right {
        let with = all_pairings(left - 1, partner).into_iter().map(|mut pairs| {
            pairs.push((left - 1, partner));
            pairs
        });
        all.extend(with);
    }
    all
}

/// The loss of the best alignment from the whole table, cell by cell.
fn slow_distance(older: &Cluster, younger: &Cluster, costs: &Costs) -> i64 {
    let gap = |cluster: &Cluster, at: usize| {
        cluster.size() as i64 * i64::from(costs.suppressed() - cluster.heights[at])
    };
    let mut table = vec![vec![0_i64; younger.len() + 1]; older.len() + 1];
    for row in 0..=older.len() {
        for column in 0..=younger.len() {
            let mut ways = Vec::new();
            if row > 0 {
                ways.push(table[row - 1][column] + gap(older, row - 1));
            }
            if column > 0 {
                ways.push(table[row][column - 1] + gap(younger, column - 1));
            }
            if row > 0 && column > 0 {
                let (a, b) = (row - 1, column - 1);
                let values = older.event(a, costs.quasi()).iter().zip(younger.event(b, costs.quasi()));
                let both: u32 = values.map(|(&a, &b)| costs.height(costs.lowest_common(a, b))).sum();
                let lost = older.size() as i64 * i64::from(both - older.heights[a])
                    + younger.size() as i64 * i64::from(both - younger.heights[b]);
                ways.push(table[a][b] + lost);
            }
            table[row][column] = ways.into_iter().min().unwrap_or(0);
        }
    }
    table[older.len()][younger.len()]
}

fn distance(older: &Cluster, younger: &Cluster, costs: &Costs, limit: i64) -> Option<i64> {
    let mut heights = Vec::new();
    let query = Query::new(numbered(1, younger), costs, &mut heights);
    Aligned.distance(&query, numbered(0, older), costs, limit, &mut Vec::new())
}

proptest! {
    #[test]
    fn no_pairing_loses_less_than_the_alignment(world in any_world(6..14)) {
        let World { costs, clusters, .. } = &world;
        for older in clusters {
            for younger in clusters {
                let all = all_pairings(older.len() as u32, younger.len() as u32);
                let least = all.iter().map(|pairs| loss(older, younger, pairs, costs)).min().unwrap();
                prop_assert_eq!(distance(older, younger, costs, i64::MAX), Some(least));
                prop_assert_eq!(distance(older, younger, costs, least), Some(least));
                prop_assert_eq!(distance(older, younger, costs, least - 1), None);
                let pairs = Aligned.pairs(numbered(0, older), numbered(1, younger), costs);
                prop_assert_eq!(loss(older, younger, &pairs, costs), least);
                prop_assert!(!pairs.is_empty());
            }
        }
    }

    #[test]
    fn a_limit_leaves_the_distance_of_long_sequences_as_it_is(
        world in world_of(6..12, 1..24),
        shares in vec(0.0_f64..1.5, 4),
    ) {
        let World { costs, clusters, .. } = &world;
        for older in clusters {
            for younger in clusters {
                let loss = slow_distance(older, younger, costs);
                let limits = shares.iter().map(|share| (loss as f64 * share) as i64);
                for limit in limits.chain([loss - 1, loss, loss + 1, i64::MAX]) {
                    let expected = (loss <= limit).then_some(loss);
                    prop_assert_eq!(distance(older, younger, costs, limit), expected, "at most {}", limit);
                }
            }
        }
    }

    #[test]
    fn losses_telescope(world in any_world(6..14)) {
        let World { costs, limits, clusters } = &world;
        for (older, younger) in clusters.iter().zip(&clusters[1..]) {
            let pairs = Aligned.pairs(numbered(0, older), numbered(1, younger), costs);
            let union = Cluster::merged(older, younger, &pairs, costs, limits);
            // Suppression charges members from what they are now, so what they lost before stays in the sum.
            let gone = |cluster: &Cluster, kept: Vec<u32>| {
                let dropped = (0..cluster.len()).filter(|at| !kept.contains(&(*at as u32)));
                dropped.map(|at| {
                    let own = cluster.survivors.iter().skip(at).step_by(cluster.len());
                    own.map(|&event| {
                        let event = event as usize;
                        i64::from(costs.suppressed() - costs.event_height(costs.values(event..event + 1)))
                    }).sum::<i64>()
                }).sum::<i64>()
            };
            let suppressed = gone(older, pairs.iter().map(|pair| pair.0).collect())
                + gone(younger, pairs.iter().map(|pair| pair.1).collect());
            let added = lost(&union, costs) + suppressed - lost(older, costs) - lost(younger, costs);
            prop_assert_eq!(added, loss(older, younger, &pairs, costs));
        }
    }

    #[test]
    fn the_nearest_is_found_without_looking_at_all(
        // Short sequences only, and some that are too long to be compared event by event.
        world in prop_oneof![any_world(100..200), world_of(100..150, 1..13)],
    ) {
        let World { costs, limits, clusters } = &world;
        let signatures = Signatures::new(costs, clusters);
        let search = Search { costs, limits, signatures: &signatures, matching: &Aligned, progress: shoal_core::Unseen(&shoal_core::Silent), grain: 1 };
        let mut pool = Pool::default();
        for (id, cluster) in clusters.iter().enumerate() {
            pool.add(id as u32, cluster, costs, &signatures);
        }
        let is_gone = |id: &usize| id.is_multiple_of(3);
        for id in (0..clusters.len()).filter(is_gone) {
            pool.remove(id as u32, &clusters[id], &signatures);
        }
        let all: Vec<Option<Cluster>> = clusters.iter().cloned().map(Some).collect();
        for (id, cluster) in clusters.iter().enumerate().step_by(10) {
            let older = (0..id).filter(|other| !is_gone(other));
            let distances =
                older.map(|other| (distance(&clusters[other], cluster, costs, i64::MAX).unwrap(), other as u32));
            let of = numbered(id as u32, cluster);
            let (found, _) = search.nearest(of, &pool, &all, Pairs::Any, &mut Space::default());
            prop_assert_eq!(found, distances.clone().min());
            let mut sorted: Vec<(i64, u32)> = distances.collect();
            sorted.sort_unstable();
            for count in [1, 3, 20] {
                let (several, _) = search.several(of, &pool, &all, count, &mut Space::default());
                prop_assert_eq!(&several, &sorted[..count.min(sorted.len())]);
            }
        }
    }

    #[test]
    fn bounds_are_no_farther_than_the_alignment(world in any_world(6..14)) {
        let World { costs, clusters, .. } = &world;
        let signatures = Signatures::new(costs, clusters);
        for one in clusters {
            let charges = signatures.charges(one, costs);
            for other in clusters {
                let mask = signatures.mask(other);
                let bound = charges.own(&Mask::ALL, &mask) * one.size() as i64
                    + charges.others(&mask, &Mask::NONE) * other.size() as i64;
                let true_loss = distance(one, other, costs, i64::MAX).unwrap();
                prop_assert!(bound <= true_loss, "{bound} > {true_loss}");
            }
        }
    }

    #[test]
    fn looked_up_heights_are_those_of_the_lowest_common_node(world in any_world(6..14)) {
        let World { costs, clusters, .. } = &world;
        let mut row = vec![0; costs.nodes()];
        for cluster in clusters {
            let event = cluster.event(0, costs.quasi());
            costs.fill_heights(event, &mut row);
            for other in clusters {
                for (&a, &b) in event.iter().zip(other.event(0, costs.quasi())) {
                    let line = |node| std::iter::successors(Some(node), |&node| costs.parent(node));
                    let common = line(a).find(|node| line(b).any(|above| above == *node)).unwrap();
                    prop_assert_eq!(costs.lowest_common(a, b), common);
                    prop_assert_eq!(row[b as usize], costs.height(common));
                }
            }
        }
    }
}
