//! Figures as a person reads them.

/// `30,162`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a person says it: 0.04 %, 4.1 %, 63 %.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        0.0 => "0 %".to_owned(),
        small if small < 0.1 => format!("{percent:.2} %"),
        some if some < 9.95 => format!("{percent:.1} %"),
        // Nearly all is not all.
        much if much > 99.0 && much < 99.95 => format!("{percent:.1} %"),
        much if (99.95..100.0).contains(&much) => "over 99.9 %".to_owned(),
        _ => format!("{percent:.0} %"),
    }
}

/// A figure with about three digits.
pub fn figure(number: f64) -> String {
    if number == number.trunc() && number.abs() < 1e15 {
        let grouped = grouped(number.abs() as u64);
        return if number < 0.0 { format!("−{grouped}") } else { grouped };
    }
    let digits = match number.abs() {
        large if large >= 100.0 => 0,
        some if some >= 10.0 => 1,
        some if some >= 1.0 => 2,
        some if some >= 0.01 => 3,
        _ => 5,
    };
    let text = format!("{number:.digits$}");
    // 0.1 says as much as 0.100.
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(
            [0.0, 0.0004, 0.041, 0.63, 0.9997, 1.0].map(percent),
            ["0 %", "0.04 %", "4.1 %", "63 %", "over 99.9 %", "100 %"]
        );
        assert_eq!(
            [30162.0, 0.0909, 12.345, -3.0, 0.1, 123.4].map(figure),
            ["30,162", "0.091", "12.3", "−3", "0.1", "123"]
        );
    }
}
