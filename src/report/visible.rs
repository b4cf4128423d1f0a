//! Texts of strangers made harmless to look at: what would not be seen is written as an escape.
//!
//! Given text for a terminal, a log, a page or a data format, gives it without raw control characters and
//! without characters that turn the direction of writing, and so that no line of it can be taken for a
//! workflow command of the service that runs us.

use std::fmt::Write as _;
use std::path::Path;

/// Whether a character is not seen, or changes how others are seen: controls, Unicode's format characters,
/// fillers, and code points that are no characters.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Where commands of services start within a line, whatever stands before.
const WITHIN_LINES: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// Text for people, line by line.
#[must_use]
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // A line end of another system is one.
        let (line, end) = match line.strip_suffix("\r\n") {
            Some(line) => (line, "\r\n"),
            None => match line.strip_suffix('\n') {
                Some(line) => (line, "\n"),
                None => (line, ""),
            },
        };
        let start = out.len();
        for c in line.chars() {
            if is_unseen(c) {
                let _ = write!(out, "{}", c.escape_unicode());
            } else {
                out.push(c);
            }
        }
        let blanks = out[start..].len() - out[start..].trim_start().len();
        if out[start + blanks..].starts_with("::") {
            out.replace_range(start + blanks..=start + blanks, "\\u{3a}");
        }
        out.push_str(end);
    }
    for command in WITHIN_LINES {
        if out.contains(command) {
            out = out.replace(command, &format!("#\\u{{23}}{}", &command[2..]));
        }
    }
    out
}

/// Text that is a part of one line.
#[must_use]
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) || c == '\n' || c == '\t' {
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// A path as people are shown it.
#[must_use]
pub fn path(path: &Path) -> String {
    line(&path.display().to_string())
}

/// JSON with such characters as escapes, which readers turn back into what they were.
#[must_use]
pub fn json(text: String) -> String {
    let is_harmless = !text.chars().any(is_unseen) && !text.contains("##");
    if is_harmless {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_unseen(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    for command in WITHIN_LINES {
        out = out.replace(command, &format!("#\\u0023{}", &command[2..]));
    }
    out
}

/// Marked-up text, in which a character may be written as a number.
#[must_use]
pub fn markup(text: String) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (blanks, rest) = line.split_at(line.len() - line.trim_start().len());
        out.push_str(blanks);
        match rest.strip_prefix("::") {
            Some(rest) => {
                out.push_str("&#58;:");
                out.push_str(rest);
            }
            None => out.push_str(rest),
        }
    }
    for command in WITHIN_LINES {
        out = out.replace(command, &format!("#&#35;{}", &command[2..]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_escaped() {
        assert_eq!(
            text("a\u{1b}[2J\u{9b}1m\u{202e}b\tc\r\n"),
            "a\\u{1b}[2J\\u{9b}1m\\u{202e}b\tc\r\n"
        );
        assert_eq!(line("a\nb\r\u{7f}"), "a\\nb\\r\\u{7f}");
        let written = json("{\"a\":\"\u{202e}\u{e0001}\"}".to_owned());
        assert_eq!(written, "{\"a\":\"\\u202e\\udb40\\udc01\"}");
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(text("a\n  ::error::b\na::b"), "a\n  \\u{3a}:error::b\na::b");
        assert_eq!(text("x ##[error]y"), "x #\\u{23}[error]y");
        assert_eq!(
            markup("::a\n ##vso[b]".to_owned()),
            "&#58;:a\n #&#35;vso[b]"
        );
        assert_eq!(json("\"##[a]\"".to_owned()), "\"#\\u0023[a]\"");
    }
}
