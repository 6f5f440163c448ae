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
    // Where every comma stands before three digits, nothing tells the two readings apart.
    let either = grouped(',', '.') && bare.iter().all(|text| is_in(text, '.', ','));
    let doubtful =
        bare.iter().zip(values).find(|(bare, _)| either && bare.contains(',')).map(|(_, text)| *text);
    if let Some(text) = doubtful {
        let plain = text.replacen(',', "", 1);
        let point = text.replacen(',', ".", 1);
        return Some(format!(
            "`{text}` may be {plain} (a comma between thousands) or {point} (a decimal comma), and no value shows which: read as text. \
             Where it is {point}, set  decimal = \",\"  under [data] and the kind decimal; where it is {plain}, write the numbers without \
             commas to publish ranges of them"
        ));
    }
    let text = if comma {
        "numbers with a decimal comma, read as text: to publish ranges of them set  decimal = \",\"  under [data] and the kind decimal; \
         where other columns have decimal points, write all of them in one way before"
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

/// Asks whether `1.234` is a thousand, where every point stands before three digits and none behind a zero.
pub(super) fn points_that_may_be_thousands(values: &[&str]) -> Option<String> {
    // Fewer values have three digits by chance.
    const ENOUGH: usize = 3;
    let pointed: Vec<&str> = values.iter().copied().filter(|text| text.contains('.')).collect();
    let fits = |text: &&str| is_in(text, '.', ',') && !text.trim_start_matches(['-', '+']).starts_with('0');
    let example = pointed.first().filter(|_| pointed.len() >= ENOUGH && pointed.iter().all(fits))?;
    Some(format!(
        "`{example}` is read as a fraction, and may be {} with a point between thousands: then set  decimal = \",\"  under [data]",
        example.replace('.', "")
    ))
}

/// Numbers that often stand for "unknown", among values that they cannot belong to: far above all others, or the only ones
/// below 0. Whoever knows the data has to say whether they do.
pub(super) fn codes_for_missing<'a>(values: &[&'a str]) -> Vec<&'a str> {
    const HIGH: [&str; 18] = [
        "77", "88", "97", "98", "99", "777", "888", "997", "998", "999", "7777", "8888", "9997", "9998",
        "9999", "99999", "999999", "9999999",
    ];
    const LOW: [&str; 10] = ["-1", "-2", "-7", "-8", "-9", "-77", "-88", "-99", "-999", "-9999"];
    // Among fewer others nobody can say what is far.
    const OTHERS: usize = 5;
    // `999.0` is the same code in a column of decimals.
    let whole = |text: &'a str| text.trim_end_matches('0').strip_suffix('.').unwrap_or(text);
    let is_code = |text: &&&'a str| HIGH.contains(&whole(text)) || LOW.contains(&whole(text));
    let others = values.iter().filter(|text| !is_code(text)).filter_map(|text| text.parse::<f64>().ok());
    let others: Vec<f64> = others.collect();
    let least = others.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if others.len() < OTHERS {
        return Vec::new();
    }
    let stands_out = |text: &&'a str| match text.parse::<f64>() {
        // Further above all others than these are apart.
        Ok(number) if number > 0.0 => number - greatest > greatest - least,
        Ok(_) => least >= 0.0,
        Err(_) => false,
    };
    values.iter().filter(is_code).copied().filter(stands_out).collect()
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
