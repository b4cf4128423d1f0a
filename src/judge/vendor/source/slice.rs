//! What kernels need of their project: definitions that no kernel leads to by name are left out of what is compiled.
//!
//! Given the definitions of all texts; gives those that nothing reaches from the kernels, name by name. What may be
//! reached in another way, such as a namespace that is used as a whole, stays.

use super::{Item, Text};
use crate::judge::case::{has_word, is_word};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

/// Macros by name, with what they stand for.
type Macros = HashMap<String, String>;

/// Definitions that neither kernels need nor their `instances`.
pub(super) fn unneeded(
    texts: &BTreeMap<PathBuf, Text>,
    instances: &[String],
) -> BTreeSet<(PathBuf, usize)> {
    let macros = macros(texts);
    let mut items: Vec<(&PathBuf, usize, &str)> = Vec::new();
    for (path, text) in texts {
        for (at, Item { from, to, .. }) in text.items.iter().enumerate() {
            items.push((path, at, &text.plain[*from..*to]));
        }
    }
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut todo: Vec<usize> = Vec::new();
    for (number, (.., text)) in items.iter().enumerate() {
        match declared(text, &macros) {
            Some(names) => names
                .into_iter()
                .for_each(|name| by_name.entry(name).or_default().push(number)),
            None => todo.push(number),
        }
        if has_word(text, "__global__") {
            todo.push(number);
        }
    }
    let mut kept: HashSet<usize> = HashSet::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut names: Vec<&str> = instances.iter().flat_map(|one| words(one)).collect();
    loop {
        while let Some(name) = names.pop() {
            if !seen.insert(name) {
                continue;
            }
            todo.extend(by_name.get(name).into_iter().flatten());
            names.extend(macros.get(name).into_iter().flat_map(|value| words(value)));
        }
        let Some(number) = todo.pop() else {
            break;
        };
        if kept.insert(number) {
            names.extend(words(items[number].2));
        }
    }
    // What `#if` asks for is told by the preprocessor alone.
    let all = items.iter().enumerate();
    all.filter(|(number, _)| !kept.contains(number))
        .map(|(_, (path, at, _))| ((*path).clone(), *at))
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !is_word(c));
    parts.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

fn macros(texts: &BTreeMap<PathBuf, Text>) -> Macros {
    let mut out = Macros::new();
    for text in texts.values() {
        for line in text.plain.replace("\\\n", " ").lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else {
                continue;
            };
            let Some(rest) = rest.trim_start().strip_prefix("define") else {
                continue;
            };
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            // One name may be defined in several ways.
            let value = out.entry(rest[..end].to_owned()).or_default();
            value.push(' ');
            value.push_str(&rest[end..]);
        }
    }
    out
}

/// The names that a definition may be reached by; none where it always stays.
fn declared<'t>(item: &'t str, macros: &Macros) -> Option<Vec<&'t str>> {
    let lines = item
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let first = lines.flat_map(words).next().unwrap_or("");
    let is_whole = first == "namespace" || first == "using" && has_word(item, "namespace");
    // A macro may define what its text does not name.
    let defines = [
        "__device__",
        "__global__",
        "struct",
        "class",
        "template",
        "constexpr",
    ];
    let value = macros.get(first).map_or("", String::as_str);
    if is_whole || defines.iter().any(|word| has_word(value, word)) {
        return None;
    }
    if has_word(item, "enum")
        || item.contains("operator")
        || first == "using" && !item.contains('=')
    {
        return Some(words(item).collect());
    }
    let names = outside_of_brackets(item);
    // `auto [a, b] = pair` names none of them.
    let takes_apart = ["tuple_size", "tuple_element", "get"];
    if names.iter().any(|name| takes_apart.contains(name)) {
        return Some(words(item).collect());
    }
    Some(names)
}

/// The words of a head that stand outside of all brackets, before what a variable or alias begins with.
fn outside_of_brackets(item: &str) -> Vec<&str> {
    const PLAIN: [&str; 24] = [
        "template",
        "typename",
        "class",
        "struct",
        "union",
        "static",
        "inline",
        "const",
        "constexpr",
        "extern",
        "void",
        "int",
        "float",
        "double",
        "bool",
        "char",
        "unsigned",
        "signed",
        "long",
        "short",
        "auto",
        "volatile",
        "typedef",
        "using",
    ];
    let mut out = Vec::new();
    let (mut depth, mut is_value, mut from) = (0_i32, false, None);
    let mut before = ' ';
    for (at, c) in item.char_indices().chain([(item.len(), ';')]) {
        if is_word(c) {
            from = from.or(Some(at));
            before = c;
            continue;
        }
        if let Some(from) = from.take() {
            let word = &item[from..at];
            // `typedef int (*name)(int)`
            let is_pointer = depth == 1 && item[..from].trim_end().ends_with("(*");
            let is_name = !word.starts_with(|c: char| c.is_ascii_digit()) && !PLAIN.contains(&word);
            if is_name && !is_value && (depth == 0 || is_pointer) {
                out.push(word);
            }
        }
        match c {
            '{' | '(' | '[' | '<' => depth += 1,
            '>' if before == '-' => {}
            '}' | ')' | ']' | '>' => depth -= 1,
            '=' if depth == 0 => is_value = true,
            ',' if depth == 0 => is_value = false,
            _ => {}
        }
        before = c;
    }
    out
}
