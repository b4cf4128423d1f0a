//! The elements of a pointer in the text, and the vector that holds several of them.

use super::WIDEST;
use crate::fix::text::{is_word, occurrences};
use std::ops::Range;

const MEMBERS: [&str; 4] = ["x", "y", "z", "w"];

/// A type that holds several elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vector {
    /// `float4`.
    pub name: &'static str,
    /// Whether its members are the elements; else they are its bytes.
    pub has_members: bool,
}

impl Vector {
    /// For `count` elements of the type, each of `width` bytes.
    pub fn of(element: &str, width: u32, count: u32) -> Option<Self> {
        let plain = |name| {
            Some(Self {
                name,
                has_members: true,
            })
        };
        match (plain_name(element), width, count) {
            ("float", 4, 2) => plain("float2"),
            ("float", 4, 4) => plain("float4"),
            ("int", 4, 2) => plain("int2"),
            ("int", 4, 4) => plain("int4"),
            ("unsigned", 4, 2) => plain("uint2"),
            ("unsigned", 4, 4) => plain("uint4"),
            ("double", 8, 2) => plain("double2"),
            ("unsigned char", 1, 2) => plain("uchar2"),
            ("unsigned char", 1, 4) => plain("uchar4"),
            ("half", 2, 2) => plain("half2"),
            _ => Self::of_bytes(width * count),
        }
    }

    fn of_bytes(bytes: u32) -> Option<Self> {
        let name = match bytes {
            2 => "unsigned short",
            4 => "unsigned",
            8 => "uint2",
            WIDEST => "uint4",
            _ => return None,
        };
        Some(Self {
            name,
            has_members: false,
        })
    }

    /// The text of one element of a variable: `v.y`, `reinterpret_cast<const half *>(&v)[1]`.
    pub fn part(&self, variable: &str, element: &str, place: usize) -> String {
        match MEMBERS.get(place).filter(|_| self.has_members) {
            Some(member) => format!("{variable}.{member}"),
            None => format!("reinterpret_cast<const {element} *>(&{variable})[{place}]"),
        }
    }
}

fn plain_name(element: &str) -> &str {
    match element {
        "unsigned int" | "uint32_t" | "std::uint32_t" | "uint" => "unsigned",
        "int32_t" | "std::int32_t" => "int",
        "uint8_t" | "std::uint8_t" | "uchar" => "unsigned char",
        "__half" => "half",
        other => other,
    }
}

/// `float` of `const float *__restrict__ in`: what a declaration that ends with a name says of the elements of
/// its one pointer.
pub(super) fn of_declaration(declared: &str, name: &str) -> Option<String> {
    let head = declared.trim_end().strip_suffix(name)?;
    let (kind, rest) = head.split_once('*')?;
    let is_pointer = rest
        .split_whitespace()
        .all(|word| matches!(word, "const" | "__restrict__" | "__restrict" | "RESTRICT"));
    let words: Vec<&str> = kind
        .split_whitespace()
        .filter(|word| !matches!(*word, "const" | "static" | "constexpr"))
        .collect();
    let kind = words.join(" ");
    let is_type = kind
        .chars()
        .all(|c| is_word(c) || matches!(c, ' ' | ':' | '<' | '>' | ','));
    let is_odd = words
        .iter()
        .any(|word| matches!(*word, "volatile" | "return" | "auto" | "void"));
    (is_pointer && !kind.is_empty() && is_type && !is_odd).then_some(kind)
}

/// The type of the elements of a local pointer, which is declared once in the function.
pub(super) fn of_local(text: &str, body: Range<usize>, name: &str) -> Option<String> {
    let inside = &text[body];
    let mut found = None;
    for at in occurrences(inside, name) {
        let after = inside[at + name.len()..].trim_start();
        let before = inside[..at]
            .rfind([';', '{', '}', '('])
            .map_or(0, |at| at + 1);
        let is_declared = (after.starts_with('=') && !after.starts_with("==")
            || after.starts_with(';'))
            && inside[before..at].contains('*');
        if !is_declared {
            continue;
        }
        if let Some(kind) = of_declaration(&inside[before..at + name.len()], name)
            && found.replace(kind).is_some()
        {
            return None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_of_declarations() {
        let of = |text: &str| of_declaration(text, "p");
        assert_eq!(of("const float *__restrict__ p").as_deref(), Some("float"));
        assert_eq!(
            of("unsigned  int const * p").as_deref(),
            Some("unsigned int")
        );
        for other in [
            "float p",
            "float **p",
            "auto *p",
            "volatile int *p",
            "a * b * p",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn local_pointers_are_declared_once() {
        let of = |text: &str| of_local(text, 0..text.len(), "p");
        assert_eq!(
            of("{ const half2 *p = in + i; x = a * p[0]; }").as_deref(),
            Some("half2")
        );
        assert_eq!(of("{ { float *p = a; } { int *p = b; } }"), None);
    }

    #[test]
    fn vectors_have_members_where_there_is_a_type() {
        let of = |element, width, count| Vector::of(element, width, count).map(|one| one.name);
        assert_eq!(of("float", 4, 4), Some("float4"));
        assert_eq!(of("half2", 4, 4), Some("uint4"));
        assert_eq!(of("uint8_t", 1, 4), Some("uchar4"));
        assert_eq!(of("float", 4, 8), None);
    }
}
