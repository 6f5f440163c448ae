//! Numbers, and texts that are numbers in a notation that is not read as such.

/// Without `inf`, `NaN` and the like, which also parse as floating-point numbers.
pub(super) fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

pub(super) fn has_leading_zero(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']).as_bytes();
    digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit()
}

/// What texts may be that look like numbers to a person.
pub(super) fn what_they_may_be(values: &[&str]) -> Option<String> {
    const CURRENCY: [char; 5] = ['$', '€', '£', '¥', '₹'];
    let bare = |text: &str| text.replace(CURRENCY, "").trim().to_owned();
    let money = values.iter().any(|text| text.contains(CURRENCY));
    let bare: Vec<String> = values.iter().map(|text| bare(text)).collect();
    // Both readings fit `1,234`; one of them must be needed by some value.
    let comma =
        bare.iter().all(|text| is_in(text, '.', ',')) && bare.iter().any(|text| !is_in(text, ',', '.'));
    let grouped = |mark: char, point: char| {
        bare.iter().all(|text| is_in(text, mark, point)) && bare.iter().any(|text| text.contains(mark))
    };
    let text = if comma {
        "numbers with a decimal comma, read as text: to publish ranges of them set  decimal = \",\"  under [data] and the kind decimal"
    } else if grouped(',', '.') || grouped(' ', '.') || grouped('\'', '.') {
        "numbers with thousands separators, read as text: write them without (1234.5) to publish ranges of them"
    } else if money && bare.iter().all(|text| is_number(text)) {
        "numbers"
    } else {
        return None;
    };
    Some(match money {
        true => format!(
            "amounts with a currency sign, {}",
            match text {
                "numbers" => "read as text: write them without it to publish ranges of them",
                other => other,
            }
        ),
        false => text.to_owned(),
    })
}

/// Whether a text is a number with this mark between thousands and this point before the fraction.
fn is_in(text: &str, mark: char, point: char) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once(point).map_or((unsigned, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut groups = whole.split(mark);
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    let first_fits = digits(first) && (rest.peek().is_none() || first.len() <= 3);
    first_fits && rest.all(|group| group.len() == 3 && digits(group)) && fraction.is_none_or(digits)
}
