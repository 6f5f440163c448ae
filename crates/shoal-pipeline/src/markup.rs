//! Text that may stand in a page. Only a literal of this program can be markup: whatever else goes through [`html!`] is
//! escaped, unless it is [`Html`] already.

use std::borrow::Cow;

pub(crate) use shoal_core::{figure, grouped, percent};

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
