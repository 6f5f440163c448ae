//! Transactions, as a person meets them on the command line.

use std::fs;

use crate::workshop::Workshop;

const BASKETS: &str = "\
bread milk
bread milk eggs
milk eggs
bread
bread milk beer

beer crisps
crisps milk
bread bread eggs
";

const POLICY: &str = r#"version = 1

[data]
shape = "transactions"
source = "baskets.dat"

[privacy]
k = 3
m = 2

[output]
path = "out.dat"
"#;

pub(crate) fn shop() -> Workshop {
    let shop = Workshop::empty();
    shop.write("baskets.dat", BASKETS);
    shop.write("policy.toml", POLICY);
    shop
}

#[test]
fn the_whole_way() {
    let shop = shop();
    insta::assert_snapshot!("transactions_check", shop.shoal(&["check", "policy.toml"]).stdout);
    let ran = shop.shoal(&["run", "policy.toml", "--quiet"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let verified = shop.shoal(&["verify", "out.dat", "--policy", "policy.toml"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    insta::assert_snapshot!("transactions_verify", verified.stdout);
    let measured = shop.shoal(&["measure", "baskets.dat", "out.dat", "--policy", "policy.toml"]);
    assert_eq!(measured.code, 0, "{measured:?}");
    insta::assert_snapshot!("transactions_measure", measured.stdout);
}

#[test]
fn the_original_does_not_keep_the_promise() {
    let shop = shop();
    let raw = shop.shoal(&["verify", "baskets.dat", "--policy", "policy.toml"]);
    assert_eq!(raw.code, 1);
    insta::assert_snapshot!("transactions_broken", raw.stdout);
}

#[test]
fn init_proposes_a_policy_that_runs() {
    let shop = shop();
    let init = shop.shoal(&["init", "baskets.dat", "--shape", "transactions", "-o", "new.toml"]);
    assert_eq!(init.code, 0, "{init:?}");
    insta::assert_snapshot!("transactions_init", init.stdout);
    let ran = shop.shoal(&["run", "new.toml", "--quiet"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn bad_requests_say_what_to_do_and_leave_nothing() {
    let shop = shop();
    shop.write("alone.txt", "bread\nmilk\neggs\nbeer\ncrisps\n");
    shop.write("lacking.txt", "bread milk\nbeer crisps\n");
    let before = shop.everything();
    let mut said = String::new();
    for (set, code) in [
        (&["privacy.k=9"][..], 1),
        (&["privacy.m=7"], 2),
        (&["algorithm.name=sbc"], 2),
        (&["algorithm.name=apriori"], 2),
        (&["privacy.complete=true"], 2),
        (&["algorithm.name=upcta", "utility.constraints=alone.txt", "utility.max-suppressed=0.0"], 1),
        (&["algorithm.name=upcta", "utility.constraints=lacking.txt"], 2),
    ] {
        let mut words = vec!["run", "policy.toml"];
        set.iter().for_each(|set| words.extend(["--set", set]));
        let failed = shop.shoal(&words);
        assert_eq!(failed.code, code, "{set:?}: {failed:?}");
        said.push_str(&format!("{set:?}\n{}\n", failed.stderr));
    }
    insta::assert_snapshot!("transactions_errors", said);
    assert_eq!(shop.everything(), before);
}

#[test]
fn a_line_of_twenty_megabytes_is_refused() {
    let shop = shop();
    fs::write(shop.path("baskets.dat"), "a ".repeat(10 << 20)).unwrap();
    let failed = shop.shoal(&["run", "policy.toml"]);
    assert_eq!(failed.code, 2);
    assert!(failed.stderr.contains("baskets.dat, line 1"), "{}", failed.stderr);
    assert!(!shop.path("out.dat").exists());
}
