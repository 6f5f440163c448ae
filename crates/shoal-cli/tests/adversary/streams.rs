//! What the published lines of a stream teach about the values that they hide.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::process::Command;

use crate::support::{Dice, TestProject};

/// A stream of people with an age, a sex and an illness; the numbers after it are put in by each attack.
const POLICY: &str = r#"version = 1
[data]
shape = "stream"
source = "-"
person = "who"
[columns.who]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[privacy]
l = 2
"#;

fn tuple(who: usize, age: usize, sex: &str, illness: &str) -> String {
    format!("{{\"who\":\"p{who}\",\"age\":{age},\"sex\":\"{sex}\",\"illness\":\"{illness}\"}}\n")
}

/// The values of a published line.
fn values(line: &str) -> Vec<String> {
    let list = line.split("\"values\":[").nth(1).unwrap().trim_end_matches("]}");
    list.split(',').map(|value| value.trim_matches('"').to_owned()).collect()
}

/// Learning from the first sixty, then showing them: every value that is shown belonged to one of them, so a value that
/// is in one of their sets only is certain. It was, for 187 of 480.
#[test]
fn a_value_that_stands_in_one_set_only_tells_nothing() {
    let (mut claims, mut right) = (0, 0);
    for seed in 0..16 {
        let mut dice = Dice::new(seed);
        let illnesses: Vec<String> =
            (0..600).map(|_| format!("i{}", dice.below(30).min(dice.below(30)))).collect();
        let input: String =
            illnesses.iter().enumerate().map(|(n, illness)| tuple(n, 1000 + n, "F", illness)).collect();
        let project = TestProject::new();
        // Half of the time the domain is declared, too.
        let domain: Vec<String> = (0..30).map(|n| format!("\"i{n}\"")).collect();
        let domain =
            if seed % 2 == 0 { String::new() } else { format!("domain = [{}]\n", domain.join(", ")) };
        let policy = POLICY.replace("role = \"sensitive\"\n", &format!("role = \"sensitive\"\n{domain}"));
        project.write("policy.toml", format!("{policy}[algorithm]\nlearn = 60\n"));
        let published = {
            // Values that nobody had among the sixty cannot be hidden, and are not what this is about.
            let args = ["stream", "policy.toml", "--set", "output.max-dead-letters=1"];
            project.shoal_reading(&args, &input).ended_with(0).stdout
        };
        let lines: Vec<&str> = published.lines().collect();
        // The line says whose it is: what is hidden is the value.
        let who = |line: &&str| {
            line.split("\"age\":").nth(1).unwrap().split(',').next().unwrap().parse::<usize>().unwrap() - 1000
        };
        let shown: Vec<usize> = lines.iter().map(who).collect();
        let first = lines.len().min(60);
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, line) in lines.iter().enumerate().take(first) {
            values(line).into_iter().for_each(|value| places.entry(value).or_default().push(at));
        }
        for (value, places) in &places {
            if let [only] = places[..] {
                claims += 1;
                right += usize::from(illnesses[shown[only]] == *value);
            }
        }
        assert!(shown.iter().all(|at| *at >= 60), "somebody is published who was learned from");
        assert!(published.lines().count() > 300);
    }
    // Each claim is one of two values. Certain would be all of them.
    let (claims, right) = (claims as f64, right as f64);
    assert!(claims >= 20.0, "{claims}");
    assert!(right < claims / 2.0 + 4.0 * (claims / 4.0).sqrt(), "{right} of {claims}");
}

/// How a stream ends whose values have these shares, in parts of 20, first ones and then others.
fn drifting(algorithm: &str, parts: [&[usize]; 2], tuples: [usize; 2]) -> (i32, String, usize) {
    let project = TestProject::new();
    project.write("prior.csv", "value,count\na,2\nb,6\nc,6\nd,6\n");
    project.write("policy.toml", format!("{POLICY}[algorithm]\n{algorithm}\n"));
    let mut dice = Dice::new(5);
    let mut input = String::new();
    for (parts, tuples) in parts.iter().zip(tuples) {
        let turn: Vec<&str> =
            parts.iter().zip(["a", "b", "c", "d"]).flat_map(|(part, value)| vec![value; *part]).collect();
        for n in 0..tuples {
            input.push_str(&tuple(input.len() + n, 30, "F", turn[dice.below(turn.len())]));
        }
    }
    let said = project.shoal_reading(&["stream", "policy.toml", "--status", "0"], &input);
    (said.code, said.stderr, said.stdout.lines().count())
}

/// All values equally likely, and one has four fifths of the tuples: 88 % of the guesses are right, promised are 50 %.
#[test]
fn a_skewed_stream_under_a_uniform_design_is_stopped() {
    let skewed: [&[usize]; 2] = [&[16, 2, 1, 1], &[]];
    let domain = "prior = \"uniform\"\nprior-file = \"prior.csv\"";
    let (code, stderr, lines) = drifting(domain, skewed, [5_000, 0]);
    assert_eq!(code, 1, "{stderr}");
    assert!(lines < 2_000, "{lines}");
    assert!(stderr.contains("`a`") && stderr.contains("new key"), "{stderr}");
    let (code, stderr, lines) = drifting(&format!("{domain}\ndrift = \"warn\""), skewed, [5_000, 0]);
    assert_eq!((code, lines), (0, 5_000), "{stderr}");
    assert!(stderr.contains("instead of 1/l = 0.50"), "{stderr}");
    // Equally frequent values are hidden as promised, and nothing is reported.
    let (code, stderr, lines) = drifting(domain, [&[5, 5, 5, 5], &[]], [5_000, 0]);
    assert_eq!((code, lines), (0, 5_000), "{stderr}");
    assert!(!stderr.contains("instead of"), "{stderr}");
}

/// A prior that was right once: a value grows from a tenth to three quarters, and 86 % of the guesses are right.
#[test]
fn a_prior_that_is_no_longer_true_is_noticed() {
    let algorithm = "prior = \"calibrated\"\nprior-file = \"prior.csv\"";
    let (code, stderr, lines) = drifting(algorithm, [&[2, 6, 6, 6], &[15, 2, 2, 1]], [10_000, 15_000]);
    assert_eq!(code, 1, "{stderr}");
    assert!((10_000..20_000).contains(&lines), "{lines}");
    assert!(stderr.contains("`a`") && stderr.contains("made for 10 %"), "{stderr}");
    let (code, stderr, _) = drifting(algorithm, [&[2, 6, 6, 6], &[]], [20_000, 0]);
    assert!(code == 0 && !stderr.contains("instead of"), "{stderr}");
}

/// The first tuples of Adult as rows of sex, age, race, marital-status, education, native-country, workclass and, joined,
/// salary and occupation.
fn adult(tuples: usize) -> (String, Vec<Vec<String>>, Vec<String>) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/adult/adult.csv.gz");
    let text = Command::new("gzip").args(["-dc", file]).output().unwrap().stdout;
    let text: String =
        String::from_utf8(text).unwrap().lines().take(tuples + 1).map(|line| format!("{line}\n")).collect();
    let header: Vec<&str> = text.lines().next().unwrap().split(';').collect();
    let place = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let quasi =
        ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"].map(place);
    let (salary, occupation) = (place("salary-class"), place("occupation"));
    let (mut cells, mut truth) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let row: Vec<&str> = line.split(';').collect();
        cells.push(quasi.map(|at| row[at].to_owned()).to_vec());
        truth.push(format!("{}|{}", row[salary], row[occupation]));
    }
    (text, cells, truth)
}

/// What is published of Adult, as cells and values, with these lines under `[algorithm]`.
fn published_adult(project: &TestProject, input: &str, algorithm: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let quasi = ["age", "race", "marital-status", "education", "native-country", "workclass"];
    let columns: String = quasi
        .iter()
        .map(|name| {
            let kind = if *name == "age" { "integer" } else { "text" };
            format!("[columns.{name}]\nrole = \"quasi-identifier\"\nkind = \"{kind}\"\n")
        })
        .collect();
    let policy = format!(
        "version = 1\n[data]\nshape = \"stream\"\nsource = \"-\"\nformat = \"csv\"\nseparator = \";\"\n\
         [columns.sex]\nrole = \"quasi-identifier\"\n{columns}[columns.salary-class]\nrole = \"sensitive\"\n\
         [columns.occupation]\nrole = \"sensitive\"\n[privacy]\nl = 5\n[algorithm]\nprior-file = \"prior.csv\"\n{algorithm}\n"
    );
    project.write("policy.toml", policy);
    project.write("in.csv", input);
    let said = project.shoal_reading(&["stream", "policy.toml"], input).ended_with(0);
    project.write("out.csv", &said.stdout);
    let line = |line: &str| {
        let mut cells: Vec<String> = line.split(';').map(|cell| cell.trim_matches('"').to_owned()).collect();
        let set = cells.pop().unwrap();
        let values = set.trim_matches(['{', '}']).split(", ").map(str::to_owned).collect();
        (cells, values)
    };
    said.stdout.lines().skip(1).map(line).collect()
}

/// The share of right guesses of naive Bayes over the published cells, fitted to the lines by expectation maximization;
/// `weight` is P(W | v, x) up to a factor.
fn naive_bayes(
    lines: &[(Vec<String>, Vec<String>)],
    truth: &[String],
    weight: impl Fn(&[String], &str) -> f64,
) -> f64 {
    let mut codes: HashMap<(usize, String), usize> = HashMap::new();
    let mut code = |column: usize, text: String| {
        let next = codes.len();
        *codes.entry((column, text)).or_insert(next)
    };
    let coded: Vec<Vec<usize>> = lines
        .iter()
        .map(|(cells, _)| {
            let band =
                |text: &String| text.parse::<usize>().map_or(text.clone(), |age| (age / 5).to_string());
            cells.iter().enumerate().map(|(column, text)| code(column, band(text))).collect()
        })
        .collect();
    let cells = codes.len();
    let names: Vec<&String> =
        lines.iter().flat_map(|(_, values)| values).collect::<HashSet<_>>().into_iter().collect();
    let number: HashMap<&String, usize> = names.iter().copied().zip(0..).collect();
    let values = names.len();
    let sets: Vec<Vec<(usize, f64)>> = lines
        .iter()
        .map(|(cells, set)| set.iter().map(|value| (number[value], weight(cells, value))).collect())
        .collect();
    let mut among_all = vec![0.0; cells];
    coded.iter().flatten().for_each(|cell| among_all[*cell] += 1.0 / lines.len() as f64);
    let (mut share, mut table) = (vec![1.0 / values as f64; values], vec![1.0; cells * values]);
    let mut guesses = vec![0; lines.len()];
    for _ in 0..30 {
        let (mut people, mut sums) = (vec![0.0; values], vec![0.0; cells * values]);
        for (line, set) in sets.iter().enumerate() {
            let chance = |(value, weight): &(usize, f64)| {
                coded[line]
                    .iter()
                    .fold(weight * share[*value], |chance, cell| chance * table[cell * values + value])
            };
            let chances: Vec<f64> = set.iter().map(chance).collect();
            let total: f64 = chances.iter().sum();
            let mut best = 0;
            for (at, ((value, _), chance)) in set.iter().zip(&chances).enumerate() {
                people[*value] += chance / total;
                coded[line].iter().for_each(|cell| sums[cell * values + value] += chance / total);
                best = if *chance > chances[best] { at } else { best };
            }
            guesses[line] = set[best].0;
        }
        share = people
            .iter()
            .map(|people| (people + 0.01) / (lines.len() as f64 + 0.01 * values as f64))
            .collect();
        for cell in 0..cells {
            for value in 0..values {
                // Ten more people like everybody, and relative to everybody, so that products stay near 1.
                table[cell * values + value] = (sums[cell * values + value] + 10.0 * among_all[cell])
                    / (people[value] + 10.0)
                    / among_all[cell];
            }
        }
    }
    let right = guesses.iter().zip(truth).filter(|(guess, truth)| names[**guess] == *truth).count();
    right as f64 / lines.len() as f64
}

/// On Adult with l = 5, who learns from the lines how salary and occupation go with seven quasi-identifiers guesses far more
/// than the promised fifth, under the true shares. Where lines carry their stratum and the design is calibrated to it,
/// there is nothing to learn.
#[test]
fn who_learns_from_the_lines_gets_no_further_where_they_carry_a_stratum() {
    let (input, cells, truth) = adult(10_000);
    let mut prior: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    let mut shares: HashMap<&String, f64> = HashMap::new();
    for (cells, value) in cells.iter().zip(&truth) {
        *prior.entry((value.clone(), cells[0].clone(), cells[1].clone())).or_default() += 1;
        *shares.entry(value).or_default() += 1.0;
    }
    let rows = prior.iter().map(|((value, sex, age), count)| format!("{value},{sex},{age},{count}\n"));
    let project = TestProject::new();
    project.write("prior.csv", format!("value,sex,age,count\n{}", rows.collect::<String>()));
    let error = (0.2_f64 * 0.8 / truth.len() as f64).sqrt();
    let measured = |project: &TestProject| {
        let said = project
            .shoal(&["measure", "in.csv", "out.csv", "--policy", "policy.toml", "--json"])
            .ended_with(0);
        let json: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        json["adversary"]["right"]["all"].as_f64().unwrap()
    };

    let exact = published_adult(&project, &input, "prior = \"calibrated\"");
    assert_eq!(exact.len(), truth.len());
    let right = naive_bayes(&exact, &truth, |_, value| 1.0 / shares[&value.to_owned()]);
    assert!(right > 0.35, "the attack itself has become blunt: {right}");
    let ours = measured(&project);
    assert!((ours - right).abs() < 0.08, "measure says {ours}, and it is {right}");

    let strata = published_adult(
        &project,
        &input,
        "prior = \"conditional\"\nstrata = [\"sex\", \"age\"]\npublish = \"stratum\"",
    );
    assert_eq!(strata.len(), truth.len());
    // Nothing but sex and age is published, and these in strata of many people each.
    assert!(strata.iter().all(|(cells, _)| cells[2..].iter().all(|cell| cell == "*")));
    let mut people: HashMap<&[String], (f64, HashMap<&String, f64>)> = HashMap::new();
    for ((cells, _), value) in strata.iter().zip(&truth) {
        let stratum = people.entry(&cells[..2]).or_default();
        stratum.0 += 1.0;
        *stratum.1.entry(value).or_default() += 1.0;
    }
    assert!(people.len() >= 2, "{} strata", people.len());
    assert!(people.values().all(|(people, _)| *people >= 2_000.0));
    // The adversary even has the true shares of every stratum.
    let right = naive_bayes(&strata, &truth, |cells, value| {
        1.0 / people[&cells[..2]].1.get(&value.to_owned()).copied().unwrap_or(1.0)
    });
    assert!((right - 0.2).abs() < 4.0 * error, "{right}, promised 0.2 ± {error}");
    let ours = measured(&project);
    assert!((ours - 0.2).abs() < 4.0 * error, "{ours}, promised 0.2 ± {error}");
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
}

/// A line that nobody drew from the design is found by whoever has the design.
#[test]
fn a_set_that_the_design_cannot_draw_is_found() {
    let project = TestProject::new();
    // Of a ring of these five, `a` and `e` together are in few sets, and no set holds a value from elsewhere.
    project.write("prior.csv", "value,count\na,40\nb,30\nc,20\nd,8\ne,1\nf,1\n");
    project.write(
        "policy.toml",
        format!("{POLICY}[algorithm]\nprior-file = \"prior.csv\"\n").replace("l = 2", "l = 2\n"),
    );
    let mut dice = Dice::new(3);
    let input: String = (0..200).map(|n| tuple(n, 30, "F", ["a", "b", "c", "d"][dice.below(4)])).collect();
    let published = project.shoal_reading(&["stream", "policy.toml"], &input).ended_with(0).stdout;
    project.write("out", &published);
    project.shoal(&["verify", "out", "--policy", "policy.toml"]).ended_with(0);
    let first = published.lines().next().unwrap();
    let with = |set: &str| {
        let (before, _) = first.split_once("\"values\":[").unwrap();
        published.replacen(first, &format!("{before}\"values\":[{set}]}}"), 1)
    };
    // A value from nowhere, more values than are drawn, and two that are never side by side.
    for set in ["\"a\",\"plague\"", "\"a\",\"b\",\"c\"", "\"e\",\"f\""] {
        project.write("out", with(set));
        let said = project.shoal(&["verify", "out", "--policy", "policy.toml"]).ended_with(1);
        assert!(said.stdout.contains("sets of the design"), "{}", said.stdout);
    }
}
