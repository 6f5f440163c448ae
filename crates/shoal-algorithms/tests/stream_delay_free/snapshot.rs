use proptest::prelude::*;
use serde_json::Value;
use shoal_algorithms::stream::delay_free::{Published, PublishedParams};

/// A kernel in the midst of a stream.
fn kernel(tuples: u64, max_open_groups: usize) -> Published {
    let params = PublishedParams { max_open_groups, ..PublishedParams::new(3) };
    let mut kernel = Published::new(params.check().unwrap(), [6; 32], &[1; 6]).unwrap();
    push(&mut kernel, 0..tuples);
    kernel
}

fn push(kernel: &mut Published, positions: std::ops::Range<u64>) -> Vec<(u64, Option<Vec<u32>>)> {
    let place = |position: u64| {
        let mixed = position.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let placement = kernel.push(position, u128::from(mixed >> 60), (mixed % 9) as u32);
        (placement.group, placement.opened.map(<[u32]>::to_vec))
    };
    positions.map(place).collect()
}

/// The numbers of a document, one after the other.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Number(_) => vec![value],
        Value::Array(items) => items.iter_mut().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #[test]
    fn a_kernel_that_was_written_down_goes_on_as_if_nothing_had_been(
        tuples in 0_u64..200,
        max_open_groups in 1_usize..40,
    ) {
        let mut whole = kernel(tuples, max_open_groups);
        let text = serde_json::to_string(&whole).unwrap();
        let mut again: Published = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&again).unwrap(), text);
        prop_assert_eq!(push(&mut again, tuples..tuples + 200), push(&mut whole, tuples..tuples + 200));
        prop_assert_eq!(again.figures(), whole.figures());
        prop_assert_eq!(again.pool(), whole.pool());
        prop_assert_eq!(again.params(), whole.params());
    }

    #[test]
    fn a_damaged_snapshot_is_refused_or_at_least_harmless(
        which in any::<prop::sample::Index>(),
        number in prop_oneof![0_u64..10, Just(u64::MAX), Just(u64::from(u32::MAX)), any::<u64>()],
    ) {
        let mut snapshot = serde_json::to_value(kernel(60, 20)).unwrap();
        let mut numbers = numbers(&mut snapshot);
        let which = which.index(numbers.len());
        *numbers[which] = number.into();
        if let Ok(mut kernel) = serde_json::from_value::<Published>(snapshot) {
            push(&mut kernel, 60..160);
        }
    }
}

#[test]
fn contradictions_in_a_snapshot_are_named() {
    let good = serde_json::to_value(kernel(60, 20)).unwrap();
    let error = |change: fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad);
        serde_json::from_value::<Published>(bad).unwrap_err().to_string()
    };
    assert!(error(|s| s["params"]["l"] = 1.into()).contains("at least 2"));
    assert!(error(|s| s["pool"] = vec![5, 5].into()).contains("2 distinct sensitive values are known"));
    assert!(error(|s| s["params"]["max_open_groups"] = 1.into()).contains("at most 1 may be"));
    assert!(error(|s| s["groups"][0]["members"] = Value::Array(Vec::new())).contains("0 members"));
    assert!(error(|s| s["groups"][0]["group"] = 1_000.into()).contains("open group 1000 is not older"));
    assert!(error(|s| s["open"] = Value::Array(Vec::new())).contains("not listed"));
    assert!(error(|s| s["figures"]["joins"] = 0.into()).contains("contradict each other"));
    let repeated = |s: &mut Value| s["groups"][0]["values"][1] = s["groups"][0]["values"][0].clone();
    assert!(error(repeated).contains("2 distinct values"));
    let elsewhere = |s: &mut Value| s["open"].as_array_mut().unwrap().rotate_left(1);
    assert!(error(elsewhere).contains("is listed as open for value"));
}

#[test]
fn the_key_is_not_printed() {
    let params = PublishedParams::new(2).check().unwrap();
    let kernel = Published::new(params, [251; 32], &[1; 2]).unwrap();
    assert!(!format!("{kernel:?}").contains("251"));
}
