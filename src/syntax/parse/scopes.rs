//! Scopes read off tokens: which declaration of a name holds where.
//!
//! Given tokens and the partners of brackets, finds the declarations of types, templates
//! and values (variables, parameters, template parameters, enumerators, functions), each
//! with the stretch of text that it holds for. Names that a header declares which is not
//! there have none. It decides only between readings that are both grammatical, such as a
//! cast and a product; what a name means is decided again, with types, when it is lowered.

mod reader;

pub use reader::collect;

use rustc_hash::{FxHashMap, FxHashSet};

/// Most tokens between `<` and `>` of a type.
const MAX_ANGLES: usize = 300;
/// Deeper than types nest.
const MAX_NESTING: usize = 32;
/// Less-than signs in the head of a template that close nothing; each is looked for a way ahead.
const MAX_UNCLOSED: usize = 4;

/// What a declaration makes of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Type,
    Value,
}

#[derive(Clone, Copy, Debug)]
struct Declaration {
    from: u32,
    until: u32,
    meaning: Meaning,
    /// The last of those before it that still holds where this one begins.
    outer: Option<usize>,
}

/// The declarations of one name.
#[derive(Debug, Default)]
struct Named {
    /// By where they begin.
    all: Vec<Declaration>,
    is_type: bool,
    is_global_type: bool,
    is_global_value: bool,
}

impl Named {
    /// The innermost declaration whose scope holds byte `at`. A text may declare a name as often as it has
    /// functions, and ask for it as often.
    fn innermost(&self, at: u32) -> Option<&Declaration> {
        let past = self.all.partition_point(|one| one.from <= at);
        let mut next = past.checked_sub(1);
        while let Some(one) = next.and_then(|at| self.all.get(at)) {
            if at < one.until {
                return Some(one);
            }
            next = one.outer;
        }
        None
    }

    /// Puts the declarations in order and finds the outer one of each.
    fn link(&mut self) {
        self.all.sort_by_key(|one| one.from);
        for at in 0..self.all.len() {
            let from = self.all[at].from;
            let mut outer = at.checked_sub(1);
            while let Some(before) = outer.filter(|before| self.all[*before].until <= from) {
                outer = self.all[before].outer;
            }
            self.all[at].outer = outer;
        }
    }
}

/// The declarations of a text.
#[derive(Debug, Default)]
pub struct Declarations<'t> {
    by_name: FxHashMap<&'t str, Named>,
    /// Where the variables of bodies are declared.
    declarators: FxHashSet<u32>,
    /// The enumerations of each enumerator.
    enumerators: FxHashMap<&'t str, Vec<&'t str>>,
}

impl<'t> Declarations<'t> {
    /// What `word` is at byte `at`, by the innermost declaration whose scope holds it.
    #[must_use]
    pub fn meaning(&self, word: &str, at: u32) -> Option<Meaning> {
        let one = self.by_name.get(word)?.innermost(at)?;
        Some(one.meaning)
    }

    /// Whether `word` is declared as `meaning` at file, namespace or class level, wherever.
    #[must_use]
    pub fn is_global(&self, word: &str, meaning: Meaning) -> bool {
        self.by_name.get(word).is_some_and(|named| match meaning {
            Meaning::Type => named.is_global_type,
            Meaning::Value => named.is_global_value,
        })
    }

    /// Whether the declaration that holds at `at` stands at file, namespace or class level.
    #[must_use]
    pub fn is_innermost_global(&self, word: &str, at: u32) -> bool {
        let named = self.by_name.get(word);
        named
            .and_then(|named| named.innermost(at))
            .is_some_and(|one| one.until == u32::MAX)
    }

    /// Whether something declares `word` as a type.
    #[must_use]
    pub fn declares_type(&self, word: &str) -> bool {
        self.by_name.get(word).is_some_and(|named| named.is_type)
    }

    /// Whether a variable of a body is declared by the name at byte `at`.
    #[must_use]
    pub fn is_declarator(&self, at: u32) -> bool {
        self.declarators.contains(&at)
    }

    /// The enumerations that have an enumerator `word`.
    #[must_use]
    pub fn enumerations_of(&self, word: &str) -> &[&'t str] {
        self.enumerators.get(word).map_or(&[], Vec::as_slice)
    }

    /// The enumerators of the enumerations of a name.
    #[must_use]
    pub fn enumerators_in(&self, enumeration: &str) -> Vec<&'t str> {
        let of = self.enumerators.iter();
        let mut found: Vec<&'t str> = of
            .filter(|(_, of)| of.contains(&enumeration))
            .map(|(enumerator, _)| *enumerator)
            .collect();
        found.sort_unstable();
        found
    }

    fn add(&mut self, word: &'t str, from: u32, until: u32, meaning: Meaning) {
        let named = self.by_name.entry(word).or_default();
        let is_global = until == u32::MAX;
        named.is_type |= meaning == Meaning::Type;
        named.is_global_type |= is_global && meaning == Meaning::Type;
        named.is_global_value |= is_global && meaning == Meaning::Value;
        named.all.push(Declaration {
            from,
            until,
            meaning,
            outer: None,
        });
    }
}
