use shoal_core::Kind;
use shoal_core::stream::SetDesign;
use shoal_measure::stream::{
    Condition, CountEstimator, Estimate, EstimatorError, Method, Predicate, Question, Windows, count,
};

use super::enumeration::{hands, sets, shown, streams};
use super::support::{Line, column, extents, member, set, slot};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn designs() -> Vec<SetDesign> {
    let uniform = (2..=5).flat_map(|values| (1..values).map(move |l| SetDesign::uniform(values, l).unwrap()));
    let calibrated: [(&[u64], usize); 6] = [
        (&[4, 3, 2, 1], 2),
        (&[5, 4, 3, 3, 2], 2),
        (&[5, 4, 3, 3, 2], 3),
        (&[1, 1, 1, 1, 1], 3),
        (&[2, 0, 3, 2, 1], 2),
        (&[7, 2, 1], 1),
    ];
    uniform.chain(calibrated.map(|(counts, l)| SetDesign::calibrated(counts, l, 3).unwrap())).collect()
}

fn names(design: &SetDesign) -> Vec<String> {
    NAMES[..design.values()].iter().map(|name| (*name).to_owned()).collect()
}

/// The first tuple is a stranger: only the others are asked about.
fn estimates(design: &SetDesign, stream: &[Vec<u32>]) -> Vec<Estimate> {
    let estimator = CountEstimator::new(design).unwrap();
    let values = names(design);
    let columns = [column("sex", Kind::Text, None)];
    let line = |(at, codes): (usize, &Vec<u32>)| {
        let texts: Vec<&str> = codes.iter().map(|code| NAMES[*code as usize]).collect();
        set(&[if at == 0 { "m" } else { "f" }], &texts)
    };
    let question = Question {
        values: values.clone(),
        predicates: vec![Predicate { column: 0, condition: Condition::OneOf(vec!["f".into()]) }],
        windows: Windows::One,
    };
    let method = Method::Sets { estimator: &estimator, values: &values };
    let extents = extents(&columns, &[]);
    let answer = count(method, &columns, &extents, &question, stream.iter().enumerate().map(line)).unwrap();
    assert_eq!(answer[0].tuples, stream.len() as f64 - 1.0);
    answer[0].counts.clone()
}

#[test]
fn counts_and_variances_are_unbiased_over_all_that_chance_could_do() {
    for design in designs() {
        let held: Vec<u32> = (0..design.values() as u32).filter(|value| design.holds(*value)).collect();
        let last = held[held.len() - 1];
        for values in [[held[0], held[0], held[1]], [held[1], last, held[0]], [last, held[0], held[0]]] {
            let outcomes: Vec<(Vec<Estimate>, f64)> = streams(&design, &values)
                .iter()
                .map(|(stream, p)| (estimates(&design, stream), *p))
                .collect();
            for value in 0..design.values() {
                let mean = |of: &dyn Fn(&Estimate) -> f64| -> f64 {
                    outcomes.iter().map(|(estimates, p)| of(&estimates[value]) * p).sum()
                };
                let truth = values[1..].iter().filter(|own| **own as usize == value).count() as f64;
                let counted = mean(&|estimate| estimate.count);
                assert!(
                    (counted - truth).abs() < 1e-9,
                    "{design:?} {values:?} {value}: {counted} for {truth}"
                );
                let variance = mean(&|estimate| (estimate.count - truth).powi(2));
                let estimated = mean(&|estimate| estimate.variance);
                assert!((variance - estimated).abs() < 1e-9, "{design:?} {values:?} {value}");
                let is_root = |e: &Estimate| e.standard_error == e.variance.max(0.0).sqrt();
                assert!(outcomes.iter().all(|(estimates, _)| is_root(&estimates[value])));
            }
        }
    }
}

#[test]
fn scores_invert_the_matrix_of_the_design() {
    for design in designs() {
        let estimator = CountEstimator::new(&design).unwrap();
        let matrix = shown(&design);
        for value in (0..design.values() as u32).filter(|value| design.holds(*value)) {
            let scorer = estimator.scorer(value);
            for own in (0..design.values() as u32).filter(|own| design.holds(*own)) {
                let mean: f64 = sets(&design, own).iter().map(|(set, p)| scorer.score(set) * p).sum();
                assert!((mean - f64::from(u8::from(own == value))).abs() < 1e-9, "{design:?} {value} {own}");
            }
        }
        // What is solved is M n = C: with counts n, C is expected, and l values are shown for each tuple.
        let l: f64 = (0..design.values()).map(|v| matrix[v][design.values() - 1]).sum();
        assert!((l - design.l() as f64).abs() < 1e-9);
    }
}

#[test]
fn uniform_sets_are_counted_by_the_closed_form() {
    let design = SetDesign::uniform(5, 3).unwrap();
    let estimator = CountEstimator::new(&design).unwrap();
    let sets: [&[u32]; 4] = [&[0, 1, 2], &[0, 2, 4], &[1, 2, 3], &[0, 3, 4]];
    let q = 2.0 / 4.0;
    for value in 0..5 {
        let shown = sets.iter().filter(|set| set.contains(&value)).count() as f64;
        let scorer = estimator.scorer(value);
        let estimate: f64 = sets.iter().map(|set| scorer.score(set)).sum();
        assert!((estimate - (shown - 4.0 * q) / (1.0 - q)).abs() < 1e-12);
    }
}

#[test]
fn the_expected_error_is_the_error_when_values_come_as_the_design_thinks() {
    for design in designs() {
        let counts = match &design {
            SetDesign::Uniform { values, .. } => vec![1; *values],
            SetDesign::Calibrated(calibrated) => calibrated.counts().to_vec(),
        };
        let estimator = CountEstimator::new(&design).unwrap();
        let expected = estimator.standard_error(counts.iter().sum());
        for value in 0..counts.len() {
            let scorer = estimator.scorer(value as u32);
            let variance_of = |own: usize| -> f64 {
                let truth = f64::from(u8::from(own == value));
                sets(&design, own as u32).iter().map(|(set, p)| (scorer.score(set) - truth).powi(2) * p).sum()
            };
            let tuples = (0..counts.len()).filter(|own| counts[*own] > 0 && counts[value] > 0);
            let variance: f64 = tuples.map(|own| counts[own] as f64 * variance_of(own)).sum();
            assert!((expected.by_value[value] - variance.sqrt()).abs() < 1e-6, "{design:?} {value}");
        }
        assert_eq!(expected.worst, expected.by_value.iter().copied().fold(0.0, f64::max));
        let four_times = estimator.standard_error(4 * counts.iter().sum::<u64>());
        assert!((four_times.worst - 2.0 * expected.worst).abs() < 1e-9);
    }
}

#[test]
fn designs_that_cannot_tell_counts_apart_are_refused() {
    let refused = |design: Result<SetDesign, _>| CountEstimator::new(&design.unwrap()).unwrap_err();
    assert_eq!(refused(SetDesign::uniform(4, 4)), EstimatorError::NoChoice { values: 4 });
    assert_eq!(refused(SetDesign::calibrated(&[1, 1, 0, 1], 3, 0)), EstimatorError::NoChoice { values: 3 });
    assert_eq!(refused(SetDesign::calibrated(&[2, 4, 1, 1], 2, 0)), EstimatorError::AlwaysShown { code: 1 });
    let many = refused(SetDesign::calibrated(&[1; 2001], 2, 0));
    assert_eq!(many, EstimatorError::TooMany { values: 2001, most: 2000 });
    assert!(many.hint().contains("uniform"));
    assert!(CountEstimator::new(&SetDesign::uniform(100_000, 5).unwrap()).is_ok());
}

#[test]
fn members_of_groups_are_counted_as_if_any_places_were_theirs() {
    let columns = [column("sex", Kind::Text, None)];
    let places = ["a", "a", "b", "c", "c", "d"];
    for asked in 0..=places.len() {
        let mut lines: Vec<Line> = vec![slot(3, "a", 2), slot(3, "b", 1), slot(3, "c", 2), slot(3, "d", 1)];
        lines.extend((0..places.len()).map(|at| member(3, &[if at < asked { "f" } else { "m" }])));
        let question = Question {
            values: ["a", "b", "x"].map(String::from).to_vec(),
            predicates: vec![Predicate { column: 0, condition: Condition::OneOf(vec!["f".into()]) }],
            windows: Windows::One,
        };
        let extents = extents(&columns, &[]);
        let answer = count(Method::Groups, &columns, &extents, &question, lines.into_iter()).unwrap();
        if asked == 0 {
            assert!(answer.is_empty());
            continue;
        }
        for (value, found) in ["a", "b"].into_iter().zip(&answer[0].counts) {
            let hands = hands(&places, asked, value);
            let mean = hands.iter().sum::<f64>() / hands.len() as f64;
            let variance = hands.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / hands.len() as f64;
            assert!((found.count - mean).abs() < 1e-12 && (found.variance - variance).abs() < 1e-12);
        }
        assert_eq!(answer[0].counts[2], Estimate::new(0.0, 0.0));
        assert_eq!(answer[0].tuples, asked as f64);
    }
}
