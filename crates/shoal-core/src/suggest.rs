/// Of some names the one that a misspelt word may mean, if one is close; capitals do not count.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let likeness = |name: &'a str| (strsim::jaro_winkler(&word, &name.to_lowercase()), name);
    // 0.7 lets a letter or two be wrong, and suggests nothing for a word that has nothing in common with a name.
    let close = names.into_iter().map(likeness).filter(|(likeness, _)| *likeness > 0.7);
    close.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognized_and_a_stranger_is_not() {
        let names = ["HIV", "Hepatitis", "Flu"];
        assert_eq!(nearest("Hiv", names), Some("HIV"));
        assert_eq!(nearest("hepatitus", names), Some("Hepatitis"));
        assert_eq!(nearest("gout", names), None);
    }
}
