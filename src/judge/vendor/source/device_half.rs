//! Finds the host functions of a text, its kernels, and the definitions that can be taken out.

use super::{Item, Kernel};
use crate::judge::case::{closing, has_word, is_word, split_commas, without_comments};
use std::collections::BTreeSet;

/// Words that make a function one of the device: the language's, and macros that hold one.
pub(super) fn device_words<'t>(texts: impl Iterator<Item = &'t String>) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = ["__device__", "__global__", "constexpr"]
        .map(str::to_owned)
        .into();
    let mut macros: Vec<(String, String)> = Vec::new();
    for text in texts {
        for line in text.replace("\\\n", " ").lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else {
                continue;
            };
            let Some(rest) = rest.trim_start().strip_prefix("define") else {
                continue;
            };
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            macros.push((rest[..end].to_owned(), rest[end..].to_owned()));
        }
    }
    loop {
        let before = words.len();
        for (name, value) in &macros {
            if words.iter().any(|word| has_word(value, word)) {
                words.insert(name.clone());
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

pub(super) fn blanked(text: &str, from: usize, to: usize) -> String {
    let keep = |c: char| if c == '\n' { '\n' } else { ' ' };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..from]);
    // What the preprocessor is told stays, to the last of its lines.
    let mut goes_on = false;
    for line in text[from..to].split_inclusive('\n') {
        let is_told = goes_on || line.trim_start().starts_with('#');
        goes_on = is_told && line.trim_end().ends_with('\\');
        if is_told {
            out.push_str(line);
        } else {
            out.extend(line.chars().map(keep));
        }
    }
    out.push_str(&text[to..]);
    out
}

/// The text without host functions, what else can be taken out, and its kernels.
pub(super) fn device_half(
    text: &str,
    device: &BTreeSet<String>,
) -> (String, Vec<Item>, Vec<Kernel>) {
    // Characters of many bytes would move places.
    let text: String = text
        .chars()
        .map(|c| if c.is_ascii() { c } else { '?' })
        .collect();
    let (plain, conditionals) = balanced(&without_comments(&text));
    let mut scan = Scan {
        plain: &plain,
        conditionals,
        device,
        items: Vec::new(),
        host: Vec::new(),
        kernels: Vec::new(),
        spaces: Vec::new(),
    };
    scan.read();
    let (items, host, kernels) = (scan.items, scan.host, scan.kernels);
    // NVRTC takes no function for the host, not even one that is for both.
    let mut out = text.clone();
    for (at, word) in plain.match_indices("__host__") {
        out.replace_range(at..at + word.len(), &" ".repeat(word.len()));
    }
    for item in host {
        out = blanked(&out, item.from, item.to);
    }
    (out, items, kernels)
}

/// The text with one of the branches of `#if … #else … #endif` where each of them opens or closes brackets: only
/// one is compiled, and with all of them brackets would not match. Places stay. With it, where the conditionals
/// begin and end whose other branches went.
fn balanced(plain: &str) -> (String, Vec<(usize, usize)>) {
    let mut out = plain.as_bytes().to_vec();
    let mut conditionals = Vec::new();
    // Of each conditional that is open, where its branches begin and end.
    let mut open: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut at = 0;
    for line in plain.split_inclusive('\n') {
        let end = at + line.len();
        let told = line.trim_start().strip_prefix('#').map(str::trim_start);
        let told = told.unwrap_or("");
        let is_next = told.starts_with("el");
        let is_last = told.starts_with("endif");
        if (is_next || is_last)
            && let Some((_, to)) = open.last_mut().and_then(|one| one.last_mut())
        {
            *to = at;
        }
        if told.starts_with("if") {
            open.push(vec![(end, end)]);
        } else if let Some(branches) = open.last_mut().filter(|_| is_next) {
            branches.push((end, end));
        } else if is_last
            && let Some(branches) = open.pop()
            && depth(&out[branches[0].0..branches[0].1]) != 0
        {
            conditionals.push((branches[0].0, at));
            for (from, to) in &branches[1..] {
                let others = out[*from..*to].iter_mut();
                others
                    .filter(|byte| **byte != b'\n')
                    .for_each(|byte| *byte = b' ');
            }
        }
        at = end;
    }
    // Only bytes of ASCII were replaced, by spaces.
    let text = String::from_utf8(out).unwrap_or_else(|_| plain.to_owned());
    (text, conditionals)
}

/// Brackets that are opened, less those that are closed.
fn depth(text: &[u8]) -> i32 {
    let step = |byte: &u8| match byte {
        b'(' | b'[' | b'{' => 1,
        b')' | b']' | b'}' => -1,
        _ => 0,
    };
    text.iter().map(step).sum()
}

struct Scan<'a> {
    plain: &'a str,
    /// Conditionals of which one branch is in `plain`.
    conditionals: Vec<(usize, usize)>,
    device: &'a BTreeSet<String>,
    items: Vec<Item>,
    host: Vec<Item>,
    kernels: Vec<Kernel>,
    /// Namespaces that are open; an empty one for `extern "C"`.
    spaces: Vec<String>,
}

impl Scan<'_> {
    fn read(&mut self) {
        let bytes = self.plain.as_bytes();
        let (mut at, mut start) = (0, 0);
        let mut is_line_start = true;
        while at < bytes.len() {
            let byte = bytes[at];
            if is_line_start && byte == b'#' {
                let end = self.past_directive(at);
                if self.plain[start..at].trim().is_empty() {
                    start = end;
                }
                at = end;
                continue;
            }
            if !byte.is_ascii_whitespace() {
                is_line_start = false;
            }
            match byte {
                b'\n' => is_line_start = true,
                b'(' | b'[' => {
                    at = closing(self.plain, at).unwrap_or(bytes.len());
                    continue;
                }
                b';' => {
                    let is_device = self.is_device(&self.plain[start..at]);
                    let to = self.past_branches(start, at + 1);
                    self.items.push(Item {
                        from: start,
                        to,
                        is_device,
                    });
                    start = to;
                    // Past other branches a line begins.
                    is_line_start = to > at + 1;
                    at = to;
                    continue;
                }
                b'}' => {
                    self.spaces.pop();
                    start = at + 1;
                }
                b'{' => {
                    let head = &self.plain[start..at];
                    let is_extern =
                        has_word(head, "extern") && head.contains('"') && !head.contains('(');
                    if has_word(head, "namespace") && !head.contains('=') || is_extern {
                        let name = head.split_whitespace().last().unwrap_or("");
                        let is_named = !is_extern
                            && name != "namespace"
                            && name.chars().all(|c| is_word(c) || c == ':');
                        self.spaces.push(if is_named {
                            name.to_owned()
                        } else {
                            String::new()
                        });
                        start = at + 1;
                        at += 1;
                        continue;
                    }
                    let end = closing(self.plain, at).unwrap_or(bytes.len());
                    let is_function =
                        head.contains('(') && !is_class(head) && !head.trim_end().ends_with('=');
                    if is_function {
                        self.function(start, at, end);
                        start = end;
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn past_directive(&self, at: usize) -> usize {
        let all = self.plain.len();
        let mut end = at;
        loop {
            let line_end = self.plain[end..].find('\n').map_or(all, |n| end + n);
            let goes_on = self.plain[end..line_end].trim_end().ends_with('\\');
            end = (line_end + 1).min(all);
            if !goes_on || end >= all {
                return end;
            }
        }
    }

    /// Where a declaration ends that ends in a branch of a conditional: every branch has an end for it.
    fn past_branches(&self, from: usize, to: usize) -> usize {
        let mut around = self.conditionals.iter();
        let holds = |(begin, end): &&(usize, usize)| from < *begin && (*begin..*end).contains(&to);
        around.find(holds).map_or(to, |(_, end)| *end)
    }

    fn is_device(&self, text: &str) -> bool {
        self.device.iter().any(|word| has_word(text, word))
    }

    fn function(&mut self, start: usize, body: usize, end: usize) {
        let head = &self.plain[start..body];
        let is_device = self.is_device(head);
        let item = Item {
            from: start,
            to: end,
            is_device,
        };
        if !is_device {
            self.host.push(item);
            return;
        }
        self.items.push(item);
        if !has_word(head, "__global__") {
            return;
        }
        // The last list of parameters of the head, past attributes.
        let marked = head.find("__global__").unwrap_or(0);
        let mut open = None;
        let mut from = marked;
        while let Some(found) = head[from..].find('(').map(|n| from + n) {
            let before = head[..found].trim_end();
            let word = before.rsplit(|c: char| !is_word(c)).next().unwrap_or("");
            let past = closing(head, found).unwrap_or(head.len());
            if !word.starts_with("__") {
                open = Some((word.to_owned(), found, past));
                break;
            }
            from = past;
        }
        let Some((name, open, past)) = open else {
            return;
        };
        let spaces: Vec<&str> = self
            .spaces
            .iter()
            .map(String::as_str)
            .filter(|one| !one.is_empty())
            .collect();
        let mut path = spaces.join("::");
        if !path.is_empty() {
            path.push_str("::");
        }
        path.push_str(&name);
        let parameters = split_commas(&head[open + 1..past - 1]);
        self.kernels.push(Kernel {
            name,
            path,
            is_template: has_word(&head[..marked], "template"),
            parameters: parameters
                .into_iter()
                .filter(|one| *one != "void")
                .map(parameter)
                .collect(),
        });
    }
}

fn is_class(head: &str) -> bool {
    let mut head = head.to_owned();
    for word in ["alignas", "__align__", "__attribute__", "__declspec"] {
        while let Some(at) = head.find(word) {
            let open = head[at..].find('(').map_or(head.len(), |n| at + n);
            let past = closing(&head, open).unwrap_or(head.len());
            head.replace_range(at..past, "");
        }
    }
    let head = head.as_str();
    let last = head.rfind(')').map_or(0, |n| n + 1);
    let words = ["struct", "class", "union", "enum"];
    // After a template's head or attributes, with no list of parameters behind.
    words.iter().any(|word| {
        head.match_indices(word).any(|(at, _)| {
            let is_whole = has_word(
                &head[at.saturating_sub(1)..(at + word.len() + 1).min(head.len())],
                word,
            );
            let angle = head[..at].matches('<').count() > head[..at].matches('>').count();
            is_whole && !angle && at >= last.min(at + 1) && !head[at..].contains('(')
        })
    })
}

/// Name and type.
fn parameter(text: &str) -> (String, String) {
    let text = text.split('=').next().unwrap_or(text).trim();
    let is_array = text.contains('[');
    let text = text.split('[').next().unwrap_or(text).trim();
    let split = text.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    let mut ty = text[..split].trim().to_owned();
    if is_array {
        ty.push('*');
    }
    (text[split..].to_owned(), ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_one_branch_are_counted() {
        let text = "void host() {\n  call(a,\n#if A\n  b);\n#else\n  c);\n#endif\n}\n__global__ void k() {}\n";
        let words = device_words(std::iter::once(&text.to_owned()));
        let (left, items, kernels) = device_half(text, &words);
        assert_eq!(kernels.len(), 1, "{left}");
        assert_eq!(items.len(), 1);
        assert!(!left.contains("call") && left.contains("__global__ void k() {}"));
        let ends = "int f(int a,\n#if A\n  int b);\n#else\n  int c);\n#endif\nint g();\n";
        let (_, items, _) = device_half(ends, &words);
        let first = blanked(ends, items[0].from, items[0].to);
        assert_eq!(items.len(), 2);
        assert!(!first.contains("int c") && first.ends_with("#endif\nint g();\n"));
        let both = "#if A\n__global__ void a() {}\n#else\n__global__ void b() {}\n#endif\n";
        assert_eq!(device_half(both, &words).2.len(), 2);
    }
}
