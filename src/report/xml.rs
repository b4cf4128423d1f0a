//! Text inside XML and HTML.

use super::visible::is_unseen;

/// `text` for an attribute or an element; what is not seen is written as
/// an escape, and what XML 1.0 does not allow beyond that becomes U+FFFD.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            c if is_unseen(c) => out.extend(c.escape_unicode()),
            c if c == '\u{fffe}' || c == '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(
            super::escape("a<b> & \"c\"\u{1}"),
            "a&lt;b&gt; &amp; &quot;c&quot;\\u{1}"
        );
    }
}
