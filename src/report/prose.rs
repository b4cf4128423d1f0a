//! Our sentences in Markdown: words are words, and what they quote is code.
//!
//! Given a sentence with quotations in backquotes, gives Markdown in which nothing that a source says is
//! markup, wherever its own backquotes stand: the parts outside of quotations are escaped as well.

use super::visible;

/// Characters that mean something in Markdown, anywhere in a line.
const MARKUP: &str = "\\`*_{}[]()<>#+-.!|~&$^=:@\"'";

/// One line of a paragraph or a cell of a table.
#[must_use]
pub fn inline(text: &str) -> String {
    let text = visible::line(&text.replace('\n', " "));
    let mut parts: Vec<&str> = text.split('`').collect();
    // The last backquote of an odd number opens nothing.
    let unpaired = parts.len().is_multiple_of(2).then(|| parts.pop()).flatten();
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at % 2 == 1 {
            out.push_str(&code(part));
        } else {
            words(part, &mut out);
        }
    }
    if let Some(rest) = unpaired {
        out.push_str("\\`");
        words(rest, &mut out);
    }
    out
}

/// A code span of a text, whatever stands in it.
#[must_use]
pub fn code(text: &str) -> String {
    let text = visible::line(text).replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if text.is_empty() {
        return String::new();
    }
    let blank = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Escapes what means something; what our own sentences are full of only where it can start something.
fn words(text: &str, out: &mut String) {
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        let is_plain = match c {
            '.' | '-' | '+' | '=' | '\'' | '"' | '(' | ')' => !(before == 'w' && c == '.'),
            ':' => next != '/',
            '@' => false,
            c => !MARKUP.contains(c),
        };
        match c {
            // Names of people and links come alive without any markup.
            '@' => out.push_str("@<!-- -->"),
            ':' if !is_plain => out.push_str(":<!-- -->"),
            '.' if !is_plain => out.push_str(".<!-- -->"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c => {
                if !is_plain {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        before = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_code_and_words_are_words() {
        let plain = "`tile[i]` takes 32-way conflicts (ideal 1), in 3 of 4: so it is.";
        assert_eq!(inline(plain), plain);
        assert_eq!(code("a`b|c"), "``a`b\\|c``");
    }

    #[test]
    fn nothing_quoted_gets_out() {
        // A source that closes our backquotes itself.
        let shown = inline("nothing here needs `allow(`![x](http://a.b)<img src=x> @all`)`");
        assert_eq!(
            shown,
            "nothing here needs `allow(`\\!\\[x\\](http:<!-- -->//a.b)&lt;img src=x&gt; @<!-- -->all`)`"
        );
        assert_eq!(inline("odd ` one"), "odd \\` one");
    }
}
