//! The order of the input, read back from a release.
//!
//! Once, rows were shuffled by the policy's seed. Whoever anonymized as many dummies with the same seed read off the
//! shuffle and undid it in a real release: 500 of 500 diagnoses fell to an alphabetical list. Now what is published is
//! a function of the records, so that every order of the input must give the same bytes.

use shoal_core::policy::TransactionsAlgorithmName;

use super::support::{Dice, TestProject, csv};

const TABLE: &str = r#"
version = 1
[data]
shape = "table"
source = "in.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
[columns.city]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[columns.ward]
role = "insensitive"
[output]
path = "out.csv"
"#;

const CITIES: [&str; 5] = ["Bonn", "Kiel", "Köln", "Ulm", ""];
const ILLNESSES: [&str; 4] = ["flu", "cold", "gout", "HIV"];

/// People with many equal quasi-identifiers, so that there are ties to break everywhere.
fn people(dice: &mut Dice, count: usize) -> Vec<String> {
    let row = |number: usize, dice: &mut Dice| {
        let (age, sex) = (20 + 3 * dice.below(9), ["f", "m"][dice.below(2)]);
        let (city, illness) = (CITIES[dice.below(5)], ILLNESSES[dice.below(4)]);
        format!("person {number},{age},{sex},{city},{illness},{}", dice.below(3))
    };
    (0..count).map(|number| row(number, dice)).collect()
}

fn file(header: &str, rows: &[String]) -> String {
    let lines: Vec<&str> = std::iter::once(header).chain(rows.iter().map(String::as_str)).collect();
    lines.join("\n") + "\n"
}

/// Runs the policy on the rows in several orders and asserts that the published bytes stay the same. Returns them.
#[track_caller]
fn same_bytes_in_any_order(policy: &str, header: &str, rows: &[String], output: &str) -> Vec<u8> {
    let mut dice = Dice::new(7);
    let reversed: Vec<String> = rows.iter().rev().cloned().collect();
    let orders = [rows.to_vec(), reversed, dice.shuffled(rows.to_vec()), dice.shuffled(rows.to_vec())];
    let mut first: Option<Vec<u8>> = None;
    for order in orders {
        let project = TestProject::new();
        project.write("policy.toml", policy);
        project.write("in.csv", file(header, &order));
        project.write_key("key");
        let args = ["run", "policy.toml", "-o", output, "--quiet", "--set", "algorithm.key-file=key"];
        project.shoal(&args).ended_with(0);
        let bytes = project.bytes(output);
        match &first {
            None => first = Some(bytes),
            Some(first) => {
                assert!(*first == bytes, "another order of the input is another release:\n{policy}");
            }
        }
    }
    first.unwrap()
}

#[test]
fn every_table_algorithm_is_blind_to_the_order_of_the_input() {
    let rows = people(&mut Dice::new(1), 60);
    let header = "name,age,sex,city,illness,ward";
    let promises =
        ["k = 4", "k = 3\nl-diversity = { kind = \"distinct\", l = 2 }", "k = 2\nt-closeness = 0.45"];
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        for promise in promises {
            let policy = format!("{TABLE}[privacy]\n{promise}\n[algorithm]\nname = \"{algorithm}\"\n");
            same_bytes_in_any_order(&policy, header, &rows, "out.csv");
        }
    }
    // Dictionaries, pages and statistics of a container must not remember an order either.
    for output in ["out.parquet", "out.csv.gz", "out.csv.zst"] {
        same_bytes_in_any_order(&format!("{TABLE}[privacy]\nk = 4\n"), header, &rows, output);
    }
}

#[test]
fn records_that_are_left_out_or_starred_do_not_depend_on_the_order() {
    let rows = people(&mut Dice::new(2), 50);
    let header = "name,age,sex,city,illness,ward";
    let shapes = [
        "[privacy]\nk = 6\n[algorithm]\nname = \"sbc\"\nremainder = \"suppress\"\n",
        "[privacy]\nk = 6\n[algorithm]\nname = \"datafly\"\nmax-suppressed = 0.2\n",
        "[privacy]\nk = 6\n[algorithm]\nname = \"ribbon\"\noutliers = \"suppress\"\nmax-suppressed = 0.2\n",
    ];
    for shape in shapes {
        same_bytes_in_any_order(&format!("{TABLE}{shape}"), header, &rows, "out.csv");
    }
}

#[test]
fn two_worlds_that_differ_in_names_only_publish_the_same() {
    // If names took part in breaking ties, whoever knows the program could tell which of two people with equal
    // quasi-identifiers is the one with HIV.
    let rows = people(&mut Dice::new(3), 60);
    let renamed: Vec<String> = rows.iter().map(|row| format!("x{row}").replace("person ", "Q")).collect();
    let header = "name,age,sex,city,illness,ward";
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let policy = format!("{TABLE}[privacy]\nk = 4\n[algorithm]\nname = \"{algorithm}\"\n");
        let published = same_bytes_in_any_order(&policy, header, &rows, "out.csv");
        assert!(published == same_bytes_in_any_order(&policy, header, &renamed, "out.csv"), "{algorithm}");
    }
}

#[test]
fn people_with_several_records_are_told_apart_by_their_records_and_not_by_their_names() {
    // Twenty people with three records each; then the same with other names, whose order is another.
    let rows = people(&mut Dice::new(11), 60);
    let of = |name: &dyn Fn(usize) -> String| -> Vec<String> {
        rows.iter()
            .enumerate()
            .map(|(at, row)| format!("{},{}", name(at % 20), row.split_once(',').unwrap().1))
            .collect()
    };
    let (plain, other) = (of(&|who| format!("p{who:02}")), of(&|who| format!("q{:02}", (who * 7 + 3) % 20)));
    let header = "name,age,sex,city,illness,ward";
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        for promise in ["k = 4", "k = 3\nl-diversity = { kind = \"distinct\", l = 2 }"] {
            let policy = format!("{TABLE}[privacy]\n{promise}\n[algorithm]\nname = \"{algorithm}\"\n")
                .replace("source = \"in.csv\"", "source = \"in.csv\"\nperson = \"name\"");
            let published = same_bytes_in_any_order(&policy, header, &plain, "out.csv");
            assert!(published == same_bytes_in_any_order(&policy, header, &other, "out.csv"), "{policy}");
        }
    }
}

#[test]
fn dummies_with_the_same_seed_do_not_undo_the_order() {
    // The alphabetical list is known; so is the seed. Dummies carry their place in the list as their illness.
    let mut dice = Dice::new(4);
    let count = 200;
    let real: Vec<String> =
        (0..count).map(|n| format!("person {n:03},40,f,Bonn,illness {},0", dice.below(40))).collect();
    let dummies: Vec<String> = (0..count).map(|n| format!("person {n:03},40,f,Bonn,{n},0")).collect();
    let header = "name,age,sex,city,illness,ward";
    let policy = format!("{TABLE}[privacy]\nk = 10\n[algorithm]\nseed = 5\n");
    let publish = |rows: &[String]| {
        let project = TestProject::new();
        project.write("policy.toml", &policy);
        project.write("in.csv", file(header, rows));
        project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
        let (columns, rows) = csv(&project.read("out.csv"));
        let illness = columns.iter().position(|name| name == "illness").unwrap();
        rows.into_iter().map(|row| row[illness].clone()).collect::<Vec<_>>()
    };
    let places: Vec<usize> = publish(&dummies).iter().map(|place| place.parse().unwrap()).collect();
    let published = publish(&real);
    let linked =
        (0..count).filter(|&row| real[places[row]].contains(&format!(",{},", published[row]))).count();
    // One in forty is right by chance; the old shuffle gave all of them away.
    assert!(linked < count / 8, "{linked} of {count} linked");
}

#[test]
fn a_kept_order_is_said_and_a_foreign_one_is_noticed() {
    let project = TestProject::new();
    project.write("policy.toml", format!("{TABLE}keep-order = true\n[privacy]\nk = 4\n"));
    project.write("in.csv", file("name,age,sex,city,illness,ward", &people(&mut Dice::new(5), 40)));
    let said = project.shoal(&["run", "policy.toml", "--json"]).ended_with(0);
    assert!(said.stdout.contains("kept-order"), "{}", said.stdout);
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    assert!(said.stdout.contains("its order may carry something"), "{}", said.stdout);
    project
        .shoal(&["run", "policy.toml", "--set", "output.keep-order=false", "--force", "--quiet"])
        .ended_with(0);
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    assert!(!said.stdout.contains("order"), "{}", said.stdout);
}

const ITEMS: [&str; 8] = ["ale", "bread", "corn", "dill", "eggs", "figs", "gum", "ham"];

fn baskets(dice: &mut Dice, count: usize) -> Vec<Vec<&'static str>> {
    let basket = |dice: &mut Dice| {
        let size = dice.below(5);
        let mut items: Vec<&str> = (0..size).map(|_| ITEMS[dice.below(9) * dice.below(9) / 9]).collect();
        items.sort_unstable();
        items.dedup();
        items
    };
    (0..count).map(|_| basket(dice)).collect()
}

#[test]
fn every_transaction_algorithm_is_blind_to_the_order_of_the_input() {
    let baskets = baskets(&mut Dice::new(6), 60);
    let tree: String =
        ITEMS.iter().map(|item| format!("{item};{};*\n", if *item < "e" { "low" } else { "high" })).collect();
    let orders =
        |dice: &mut Dice| [baskets.clone(), dice.shuffled(baskets.clone()), dice.shuffled(baskets.clone())];
    for algorithm in TransactionsAlgorithmName::names() {
        for promise in ["k = 3\nm = 2", "k = 2\ncomplete = true"] {
            // Apriori works against a bounded number of known items only.
            if algorithm == "apriori" && promise.contains("complete") {
                continue;
            }
            for layout in ["basket", "long", "column"] {
                let extra = match algorithm {
                    "apriori" => "hierarchy = \"tree.csv\"\n",
                    _ => "",
                };
                let utility = match algorithm {
                    "upcta" | "coat" => "[utility]\nconstraints = \"utility\"\nmax-suppressed = 1.0\n",
                    _ => "",
                };
                let data = match layout {
                    "basket" => "format = \"basket\"\n",
                    "long" => "format = \"long\"\nid = \"id\"\nitem = \"item\"\n",
                    _ => "items = \"items\"\n",
                };
                let between = match layout {
                    "basket" => " ",
                    "long" => " ",
                    _ => ";",
                };
                let columns = match layout {
                    "column" => {
                        "[columns.shop]\nrole = \"insensitive\"\n[columns.name]\nrole = \"identifier\"\n"
                    }
                    _ => "",
                };
                let policy = format!(
                    "version = 1\n[data]\nshape = \"transactions\"\nsource = \"in.csv\"\n{data}{extra}{columns}\
                     [privacy]\n{promise}\n{utility}[algorithm]\nname = \"{algorithm}\"\n[output]\npath = \"out.csv\"\n"
                );
                let mut first = None;
                for (number, order) in orders(&mut Dice::new(8)).into_iter().enumerate() {
                    let project = TestProject::new();
                    project.write("policy.toml", &policy);
                    project.write("tree.csv", &tree);
                    project
                        .write("utility", "ale bread corn dill\neggs figs gum ham\n".replace(' ', between));
                    project.write("in.csv", written(layout, &order, number));
                    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
                    let bytes = project.bytes("out.csv");
                    assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{number}:\n{policy}");
                }
            }
        }
    }
}

/// Baskets in a layout. What is beside them depends on the basket, so that it moves with it; names do not.
fn written(layout: &str, baskets: &[Vec<&str>], salt: usize) -> String {
    let mut text = match layout {
        "basket" => String::new(),
        "long" => "id,item\n".to_owned(),
        _ => "name,shop,items\n".to_owned(),
    };
    for (number, basket) in baskets.iter().enumerate() {
        match layout {
            "basket" => text.push_str(&(basket.join(" ") + "\n")),
            "long" if basket.is_empty() => text.push_str(&format!("t{salt}-{number},\n")),
            "long" => basket.iter().for_each(|item| text.push_str(&format!("t{salt}-{number},{item}\n"))),
            _ => {
                let shop = ["north", "south"][basket.len() % 2];
                text.push_str(&format!("name {salt} {number},{shop},{}\n", basket.join(";")));
            }
        }
    }
    text
}

#[test]
fn every_sequence_algorithm_is_blind_to_the_order_of_the_input() {
    let mut dice = Dice::new(9);
    let mut rows = Vec::new();
    for person in 0..40 {
        let events = 1 + dice.below(3);
        for event in 0..events {
            let (year, place) = (2000 + dice.below(4), dice.below(4));
            let illness = ILLNESSES[dice.below(4)];
            rows.push(format!("p{person},{event},{year},{place},{illness}"));
        }
    }
    let years: String =
        (2000..2004).map(|y| format!("{y};{};*\n", if y < 2002 { "old" } else { "new" })).collect();
    let places: String =
        (0..4).map(|p| format!("{p};{};*\n", if p < 2 { "north" } else { "south" })).collect();
    let known = "k = 3\nlength = 2\nbeta = 4.0\n";
    let whole = "k = 3\nc = 0.9\nsensitive-values = [\"HIV\"]\n";
    let algorithms = [
        ("cbmsa", whole),
        ("cbmsa-baseline", whole),
        ("fcla", known),
        ("fcla-base1", known),
        ("halt", known),
    ];
    for (algorithm, promise) in algorithms {
        let policy = format!(
            "version = 1\n[data]\nshape = \"sequences\"\nsource = \"in.csv\"\nid = \"person\"\norder = [\"visit\"]\n\
             [columns.person]\nrole = \"identifier\"\n[columns.visit]\nrole = \"identifier\"\nkind = \"integer\"\n\
             [columns.year]\nrole = \"quasi-identifier\"\nkind = \"integer\"\nhierarchy = \"years.csv\"\n\
             [columns.place]\nrole = \"quasi-identifier\"\nhierarchy = \"places.csv\"\n\
             [columns.illness]\nrole = \"sensitive\"\n[privacy]\n{promise}[algorithm]\nname = \"{algorithm}\"\n\
             [output]\npath = \"out.csv\"\n"
        );
        let mut first = None;
        for number in 0..3 {
            let order = if number == 0 { rows.clone() } else { dice.shuffled(rows.clone()) };
            // Ids are names: another list of names must not make another release.
            let renamed: Vec<String> =
                order.iter().map(|row| format!("{}{row}", ["", "z", "a"][number])).collect();
            let project = TestProject::new();
            project.write("policy.toml", &policy);
            project.write("years.csv", &years);
            project.write("places.csv", &places);
            project.write("in.csv", file("person,visit,year,place,illness", &renamed));
            project.write_key("key");
            let args = ["run", "policy.toml", "--quiet", "--set", "algorithm.key-file=key"];
            project.shoal(&args).ended_with(0);
            let bytes = project.bytes("out.csv");
            assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{algorithm}, order {number}");
        }
    }
}
