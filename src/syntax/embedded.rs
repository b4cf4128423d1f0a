//! CUDA source inside the strings of Python and C++ files.
//!
//! Given the text of a file, gives one text for each run of string literals that holds a
//! kernel or device function: as long as the file, with the strings' content where it
//! stands and blanks elsewhere, so that every place is a place of the file. Escapes are
//! replaced by what they mean, right-aligned. Knows nothing of what is done with a string.

use std::ops::Range;

/// A language whose strings can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    Python,
    Cpp,
}

impl Host {
    /// By a file's extension.
    #[must_use]
    pub fn of(extension: &str) -> Option<Self> {
        let lower = extension.to_ascii_lowercase();
        match lower.as_str() {
            "py" | "pyi" => Some(Self::Python),
            "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "cu" | "cuh" => {
                Some(Self::Cpp)
            }
            _ => None,
        }
    }
}

/// Words without which a string holds no device code.
const MARKS: [&str; 2] = ["__global__", "__device__"];

/// The content of one literal.
struct Literal {
    /// With prefix and quotes.
    whole: Range<usize>,
    body: Range<usize>,
    is_raw: bool,
    /// Braces hold expressions (Python's `f"…"`).
    is_format: bool,
}

/// One text per run of adjacent literals with device code.
#[must_use]
pub fn cuda_in_strings(text: &str, host: Host) -> Vec<String> {
    let literals = literals(text, host);
    let mut runs: Vec<Vec<Literal>> = Vec::new();
    for literal in literals {
        match runs.last_mut() {
            Some(run) if is_adjacent(text, run, &literal) => run.push(literal),
            _ => runs.push(vec![literal]),
        }
    }
    runs.iter()
        .filter(|run| {
            run.iter().any(|one| {
                MARKS
                    .iter()
                    .any(|mark| text[one.body.clone()].contains(mark))
            })
        })
        .map(|run| masked(text, run))
        .collect()
}

/// Literals with nothing but blanks between them are one string to the compiler.
fn is_adjacent(text: &str, run: &[Literal], next: &Literal) -> bool {
    run.last()
        .is_some_and(|last| text[last.whole.end..next.whole.start].trim().is_empty())
}

fn literals(text: &str, host: Host) -> Vec<Literal> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let skip_line = || rest.find('\n').map_or(text.len(), |n| at + n);
        let literal = match (bytes[at], host) {
            (b'#', Host::Python) => {
                at = skip_line();
                continue;
            }
            (b'/', Host::Cpp) if rest.starts_with("//") => {
                at = skip_line();
                continue;
            }
            (b'/', Host::Cpp) if rest.starts_with("/*") => {
                at = rest.find("*/").map_or(text.len(), |n| at + n + 2);
                continue;
            }
            (b'\'', Host::Cpp) => {
                // A prime between digits opens nothing.
                let is_digit = at > 0 && bytes[at - 1].is_ascii_alphanumeric();
                at = if is_digit {
                    at + 1
                } else {
                    quoted(text, at, at, false, host).map_or(at + 1, |one| one.whole.end)
                };
                continue;
            }
            (b'"', _) | (b'\'', Host::Python) => {
                let start = prefix(bytes, at);
                let marks = text[start..at].to_ascii_lowercase();
                if host == Host::Cpp && marks.ends_with('r') {
                    raw(text, start, at)
                } else {
                    let is_raw = host == Host::Python && marks.contains('r');
                    quoted(text, start, at, is_raw, host).map(|one| Literal {
                        is_format: host == Host::Python && marks.contains('f'),
                        ..one
                    })
                }
            }
            _ => None,
        };
        at = match literal {
            Some(literal) => {
                let end = literal.whole.end;
                found.push(literal);
                end
            }
            None => at + rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    found
}

/// Where the letters before a quote begin, if they can be its prefix.
fn prefix(bytes: &[u8], quote: usize) -> usize {
    let mut start = quote;
    while start > 0 && (bytes[start - 1].is_ascii_alphanumeric() || bytes[start - 1] == b'_') {
        start -= 1;
    }
    if quote - start <= 3 { start } else { quote }
}

/// A literal between equal quotes, one or (in Python) three.
fn quoted(text: &str, start: usize, quote: usize, is_raw: bool, host: Host) -> Option<Literal> {
    let mark = &text[quote..=quote];
    let triple = mark.repeat(3);
    let is_triple = host == Host::Python && text[quote..].starts_with(&triple);
    let closing = if is_triple { triple.as_str() } else { mark };
    let body = quote + closing.len();
    let mut at = body;
    while at < text.len() {
        let rest = text.get(at..)?;
        if rest.starts_with(closing) {
            return Some(Literal {
                whole: start..at + closing.len(),
                body: body..at,
                is_raw,
                is_format: false,
            });
        }
        let mut chars = rest.chars();
        match chars.next()? {
            '\\' => at += 1 + chars.next().map_or(0, char::len_utf8),
            '\n' if !is_triple => return None,
            c => at += c.len_utf8(),
        }
    }
    None
}

/// C++'s `R"mark(…)mark"`.
fn raw(text: &str, start: usize, quote: usize) -> Option<Literal> {
    let open = text[quote..].find('(').map(|n| quote + n)?;
    let mark = &text[quote + 1..open];
    // What the language allows; anything else only looks like a raw string.
    if mark.len() > 16 || mark.contains([' ', '"', ')', '\\', '\t', '\n']) {
        return None;
    }
    let closing = format!("){mark}\"");
    let body = open + 1;
    let end = text[body..].find(&closing).map(|n| body + n)?;
    Some(Literal {
        whole: start..end + closing.len(),
        body: body..end,
        is_raw: true,
        is_format: false,
    })
}

/// The text with everything but the run's content blanked.
fn masked(text: &str, run: &[Literal]) -> String {
    let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
    let mut out: Vec<u8> = text.as_bytes().iter().map(blank).collect();
    for literal in run {
        let body = &text.as_bytes()[literal.body.clone()];
        let target = &mut out[literal.body.clone()];
        target.copy_from_slice(body);
        if !literal.is_raw {
            escapes(body, target);
        }
        if literal.is_format {
            fields(body, target, literal.body.start);
        }
    }
    // Blanks replace whole characters, and what is kept was text before.
    String::from_utf8(out).unwrap_or_default()
}

/// Puts what escapes mean in their place.
fn escapes(body: &[u8], target: &mut [u8]) {
    let mut at = 0;
    while at + 1 < body.len() {
        if body[at] != b'\\' {
            at += 1;
            continue;
        }
        target[at] = b' ';
        match body[at + 1] {
            b'n' => target[at + 1] = b'\n',
            // The line goes on: both lines are one.
            b't' | b'r' | b'\n' => target[at + 1] = b' ',
            _ => {}
        }
        at += 2;
    }
}

/// Puts a name for each `{expression}`: its own where it is one, else one that nothing else has.
fn fields(body: &[u8], target: &mut [u8], origin: usize) {
    let mut at = 0;
    while at < body.len() {
        let doubled = body.get(at + 1) == Some(&body[at]);
        match body[at] {
            b'{' | b'}' if doubled => {
                target[at] = b' ';
                at += 2;
            }
            b'{' => {
                let length = body[at..].iter().position(|byte| *byte == b'}');
                let Some(end) = length.map(|n| at + n) else {
                    return;
                };
                let inner = &body[at + 1..end];
                let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                if !inner.iter().all(is_name) || inner.first().is_none_or(u8::is_ascii_digit) {
                    let mut number = origin + at;
                    for slot in target[at + 1..end].iter_mut().rev() {
                        *slot = b'a' + (number % 26) as u8;
                        number /= 26;
                    }
                }
                target[at] = b' ';
                target[end] = b' ';
                at = end + 1;
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, host: Host) -> Vec<String> {
        let pieces = cuda_in_strings(text, host);
        for piece in &pieces {
            assert_eq!(piece.len(), text.len());
        }
        let words = |piece: &String| piece.split_whitespace().collect::<Vec<_>>().join(" ");
        pieces.iter().map(words).collect()
    }

    #[test]
    fn strings_of_python() {
        let text = "# '''__global__ no'''\nk = RawKernel(r'''\nextern \"C\" __global__ void k() {}\n''', 'k')\nx = 'é __device__'\n";
        assert_eq!(
            found(text, Host::Python),
            ["extern \"C\" __global__ void k() {}", "é __device__"]
        );
        let piece = &cuda_in_strings(text, Host::Python)[0];
        assert_eq!(piece.find("extern"), text.find("extern"));
    }

    #[test]
    fn escapes_and_fields() {
        assert_eq!(
            found(
                "s = \"#define N 3\\n__global__ f(\\\"a\\\");\\\n b\"",
                Host::Python
            ),
            ["#define N 3 __global__ f( \"a \"); b"]
        );
        let text = "s = f'__global__ {name} {{ {n+1} }}'";
        assert_eq!(found(text, Host::Python)[0].split(' ').count(), 5);
        assert!(found(text, Host::Python)[0].starts_with("__global__ name { "));
    }

    #[test]
    fn strings_of_cpp() {
        let text = "// \"__global__\"\nauto a = R\"x(__global__ \")\" )x\"; char c = '\"';\nauto b = \"__device__ \"\n\"int n;\\n\"; int m = 1'000;";
        assert_eq!(
            found(text, Host::Cpp),
            ["__global__ \")\"", "__device__ int n;"]
        );
    }

    #[test]
    fn an_open_string_is_no_string() {
        assert!(found("s = '''__global__", Host::Python).is_empty());
        assert!(found("auto s = \"__global__\nint x;", Host::Cpp).is_empty());
    }
}
