//! Which settings are tried: every algorithm with every combination of values.

use shoal_core::{Policy, nearest};

use super::CompareError;

/// A key of the policy and the values that are tried for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The key, dotted.
    pub key: String,
    /// The values as they were given, each once.
    pub values: Vec<String>,
}

impl Axis {
    /// Reads `KEY=V1,V2,…`; `k` is short for `privacy.k`.
    ///
    /// ```
    /// use shoal_pipeline::compare::Axis;
    ///
    /// let axis = Axis::parse("k=2,5,10").unwrap();
    /// assert_eq!((axis.key.as_str(), axis.values.len()), ("privacy.k", 3));
    /// ```
    pub fn parse(given: &str) -> Result<Axis, CompareError> {
        let not_understood = || CompareError::NotVaried { given: given.to_owned() };
        let (key, values) = given.split_once('=').ok_or_else(not_understood)?;
        let key = full_key(key.trim())?;
        let mut different: Vec<String> = Vec::new();
        for value in split(values) {
            if value.is_empty() {
                return Err(not_understood());
            }
            if !different.contains(&value) {
                different.push(value);
            }
        }
        if different.is_empty() {
            return Err(not_understood());
        }
        Ok(Axis { key, values: different })
    }
}

/// The dotted key that a name on the command line means. Names without a dot are refused with a suggestion, because the same
/// name can be in several tables (`c`, `beta`) and a guess would vary the wrong one.
pub(super) fn full_key(name: &str) -> Result<String, CompareError> {
    match name {
        "k" => Ok("privacy.k".to_owned()),
        // Otherwise a cell would say one algorithm and run another.
        "algorithm" | "algorithms" | "algorithm.name" => Err(CompareError::VariedAlgorithm),
        _ if name.contains('.') => Ok(name.to_owned()),
        _ => Err(CompareError::UnknownKey { name: name.to_owned(), near: near_key(name) }),
    }
}

/// The dotted key whose last part is, or looks like, this name. `privacy` comes first: that is what people vary.
fn near_key(name: &str) -> Option<String> {
    let mut keys = Policy::keys();
    let tables = ["privacy", "algorithm", "utility"];
    let table_of = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    keys.sort_by_key(|key| tables.iter().position(|table| table_of(key) == *table).unwrap_or(tables.len()));
    let last = |key: &String| key.rsplit('.').next().unwrap_or_default().to_owned();
    let names: Vec<String> = keys.iter().map(last).collect();
    let near = nearest(name, names.iter().map(String::as_str))?.to_owned();
    // Several keys may have the same last part, of which the first is the likeliest.
    keys.into_iter().find(|key| last(key) == near)
}

/// The parts between commas; those inside of brackets, braces and quotes belong to a value:
/// `{ kind = "distinct", l = 2 },{ kind = "distinct", l = 3 }`.
pub(super) fn split(text: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut depth, mut quote) = (0_usize, None);
    for character in text.chars() {
        match (character, quote) {
            (',', None) if depth == 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            ('"' | '\'', None) => quote = Some(character),
            (end, Some(begin)) if end == begin => quote = None,
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            _ => {}
        }
        part.push(character);
    }
    parts.push(part.trim().to_owned());
    parts
}

/// A key as a person says it: `k` for `privacy.k`.
pub fn short_key(key: &str) -> &str {
    if key == "privacy.k" { "k" } else { key }
}

/// Algorithms, and keys of the policy with the values to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The names of the algorithms, each once.
    pub algorithms: Vec<String>,
    /// The keys; all combinations of their values are tried.
    pub axes: Vec<Axis>,
}

impl Grid {
    /// Reads the `--vary`s. Algorithms are checked by whoever knows the shape of the data.
    pub fn parse(algorithms: &[String], varied: &[String]) -> Result<Grid, CompareError> {
        let mut grid = Grid { algorithms: Vec::new(), axes: Vec::new() };
        for name in algorithms {
            if !grid.algorithms.contains(name) {
                grid.algorithms.push(name.clone());
            }
        }
        for given in varied {
            let axis = Axis::parse(given)?;
            if grid.axes.iter().any(|other| other.key == axis.key) {
                return Err(CompareError::VariedTwice { key: axis.key });
            }
            grid.axes.push(axis);
        }
        Ok(grid)
    }

    /// Every combination of values: the last key changes fastest. One empty combination where nothing is varied.
    pub fn combinations(&self) -> Vec<Vec<(String, String)>> {
        let mut all: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for axis in &self.axes {
            let longer = |before: &Vec<(String, String)>| {
                let with = |value: &String| {
                    let mut settings = before.clone();
                    settings.push((axis.key.clone(), value.clone()));
                    settings
                };
                axis.values.iter().map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// Every algorithm with every combination, algorithm by algorithm.
    pub fn cells(&self) -> Vec<Cell> {
        let combinations = self.combinations();
        let with = |algorithm: &String| {
            let cell = |settings: &Vec<_>| Cell { algorithm: algorithm.clone(), settings: settings.clone() };
            combinations.iter().map(cell).collect::<Vec<_>>()
        };
        self.algorithms.iter().flat_map(with).collect()
    }
}

/// One trial: an algorithm and the values of the varied keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The algorithm.
    pub algorithm: String,
    /// The varied keys, dotted, and their values.
    pub settings: Vec<(String, String)>,
}

impl Cell {
    /// As `--set` would say it.
    pub fn overrides(&self) -> Vec<String> {
        let name = format!("algorithm.name={}", self.algorithm);
        let settings = self.settings.iter().map(|(key, value)| format!("{key}={value}"));
        std::iter::once(name).chain(settings).collect()
    }

    /// The value of a varied key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Whether it is the same trial, in whichever order its keys were named.
    pub fn is_same(&self, other: &Cell) -> bool {
        let has = |(key, value): &(String, String)| other.value(key) == Some(value.as_str());
        self.algorithm == other.algorithm
            && self.settings.len() == other.settings.len()
            && self.settings.iter().all(has)
    }

    /// As `--choose` takes it, and as a person reads it: `ribbon,k=10`.
    pub fn choice(&self) -> String {
        let settings = self.settings.iter().map(|(key, value)| format!(",{}={value}", short_key(key)));
        std::iter::once(self.algorithm.clone()).chain(settings).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn all_values_are_combined() {
        let varied = texts(&["k=2,5", "algorithm.rounds=1, 2,1"]);
        let grid = Grid::parse(&texts(&["ribbon", "sbc", "ribbon"]), &varied).unwrap();
        let choices: Vec<String> = grid.cells().iter().map(Cell::choice).collect();
        assert_eq!(
            choices,
            [
                "ribbon,k=2,algorithm.rounds=1",
                "ribbon,k=2,algorithm.rounds=2",
                "ribbon,k=5,algorithm.rounds=1",
                "ribbon,k=5,algorithm.rounds=2",
                "sbc,k=2,algorithm.rounds=1",
                "sbc,k=2,algorithm.rounds=2",
                "sbc,k=5,algorithm.rounds=1",
                "sbc,k=5,algorithm.rounds=2",
            ]
        );
        assert_eq!(
            grid.cells()[3].overrides(),
            ["algorithm.name=ribbon", "privacy.k=5", "algorithm.rounds=2"]
        );
        let plain = Grid::parse(&texts(&["sbc"]), &[]).unwrap();
        assert_eq!(plain.cells().len(), 1);
    }

    #[test]
    fn values_may_hold_commas() {
        let axis = Axis::parse(
            r#"privacy.l-diversity={ kind = "distinct", l = 2 }, { kind = "entropy", l = 3 },["a,b"],"c,d""#,
        )
        .unwrap();
        assert_eq!(
            axis.values,
            [r#"{ kind = "distinct", l = 2 }"#, r#"{ kind = "entropy", l = 3 }"#, r#"["a,b"]"#, r#""c,d""#]
        );
    }

    #[test]
    fn what_cannot_be_varied_is_refused_with_a_suggestion() {
        for bad in ["k", "k=", "k=2,,5", "=3"] {
            assert!(Axis::parse(bad).is_err(), "{bad}");
        }
        for (name, near) in
            [("m", "privacy.m"), ("t-closenes", "privacy.t-closeness"), ("seed", "algorithm.seed")]
        {
            let error = Axis::parse(&format!("{name}=1")).unwrap_err();
            let CompareError::UnknownKey { near: found, .. } = error else { panic!("{error}") };
            assert_eq!(found.as_deref(), Some(near), "{name}");
        }
        assert!(matches!(Axis::parse("algorithm.name=sbc"), Err(CompareError::VariedAlgorithm)));
        let twice = Grid::parse(&[], &texts(&["k=2", "privacy.k=3"]));
        assert!(matches!(twice, Err(CompareError::VariedTwice { .. })));
    }

    #[test]
    fn the_order_of_the_keys_does_not_matter() {
        let cell = |settings: &[(&str, &str)]| Cell {
            algorithm: "sbc".to_owned(),
            settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        assert!(cell(&[("a.b", "1"), ("c.d", "2")]).is_same(&cell(&[("c.d", "2"), ("a.b", "1")])));
        assert!(!cell(&[("a.b", "1")]).is_same(&cell(&[("a.b", "2")])));
        assert!(!cell(&[("a.b", "1")]).is_same(&cell(&[])));
    }
}
