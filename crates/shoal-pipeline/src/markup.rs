//! Text that may stand in a page. Only a literal of this program can be markup: whatever else goes through [`html!`] is
//! escaped, unless it is [`Html`] already.

use std::borrow::Cow;

/// A piece of a page: markup of ours in which every foreign text is escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// What [`html!`] has put together. Nothing else calls it.
    pub(crate) fn trusted(markup: String) -> Html {
        Html(markup)
    }

    pub(crate) fn push(&mut self, more: &Html) {
        self.0.push_str(&more.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(pieces: T) -> Html {
        Html(pieces.into_iter().map(|piece| piece.0).collect())
    }
}

/// What can stand in a page.
pub(crate) trait ToHtml {
    fn to_html(&self) -> Cow<'_, str>;
}

impl ToHtml for Html {
    fn to_html(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }
}

impl ToHtml for str {
    fn to_html(&self) -> Cow<'_, str> {
        escaped(self)
    }
}

impl ToHtml for String {
    fn to_html(&self) -> Cow<'_, str> {
        escaped(self)
    }
}

impl<T: ToHtml + ?Sized> ToHtml for &T {
    fn to_html(&self) -> Cow<'_, str> {
        (**self).to_html()
    }
}

impl<T: ToHtml> ToHtml for Option<T> {
    fn to_html(&self) -> Cow<'_, str> {
        self.as_ref().map_or(Cow::Borrowed(""), T::to_html)
    }
}

impl ToHtml for usize {
    fn to_html(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_string())
    }
}

/// Markup from a literal, each `{}` of which stands for a text (escaped), a number or more [`Html`].
// `concat!` makes the literal one that cannot name variables (`{name}`), which would go in without being escaped.
macro_rules! html {
    ($markup:literal $(, $part:expr)* $(,)?) => {
        $crate::markup::Html::trusted(
            format!(concat!($markup) $(, $crate::markup::ToHtml::to_html(&$part))*)
        )
    };
}
pub(crate) use html;

/// A text that is no markup any more, between tags and in quoted attributes.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| replacement(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match replacement(c) {
            Some(replacement) => safe.push_str(replacement),
            None => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

fn replacement(c: char) -> Option<&'static str> {
    match c {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        '\n' | '\t' => None,
        // HTML forbids control characters; those that turn the direction of writing would let a value rewrite the
        // sentence around it.
        c if c.is_control() => Some("\u{fffd}"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some("\u{fffd}"),
        _ => None,
    }
}

/// Our own sentences, in which names stand in backticks, as report and terms have them: `name` is set as code.
pub(crate) fn prose(text: &str) -> Html {
    let mut parts = text.split('`');
    let mut all = html!("{}", parts.next().unwrap_or_default());
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(after) => all.push(&html!("<code>{}</code>{}", code, after)),
            // A single backtick is no quote.
            None => all.push(&html!("`{}", code)),
        }
    }
    all
}

/// A label of at most so many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `30,162`.
pub(crate) fn grouped(number: u64) -> String {
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
pub(crate) fn percent(share: f64) -> String {
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
pub(crate) fn figure(number: f64) -> String {
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_escaped_and_markup_is_not() {
        let nasty = "</script><b class=\"x\" id='y'>&\u{0}\u{202e}";
        let page = html!("<p title=\"{}\">{}</p>", nasty, html!("<i>{}</i>", nasty));
        let safe = "&lt;/script&gt;&lt;b class=&quot;x&quot; id=&#39;y&#39;&gt;&amp;\u{fffd}\u{fffd}";
        assert_eq!(page.into_string(), format!("<p title=\"{safe}\"><i>{safe}</i></p>"));
    }

    #[test]
    fn names_in_backticks_are_code() {
        assert_eq!(prose("a `b<` c").into_string(), "a <code>b&lt;</code> c");
        assert_eq!(prose("it`s").into_string(), "it`s");
    }

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

    proptest! {
        #[test]
        fn nothing_of_a_text_is_markup(text in "[\\PC<>&\"'`\u{0}-\u{1f}]{0,40}") {
            let safe = html!("{}", text).into_string();
            prop_assert!(!safe.contains(['<', '>', '"', '\'']));
            prop_assert!(!safe.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
            let back = safe
                .replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'")
                .replace("&amp;", "&");
            let expected: String = text.chars().map(|c| if replacement(c) == Some("\u{fffd}") { '\u{fffd}' } else { c }).collect();
            prop_assert_eq!(back, expected);
        }
    }
}
