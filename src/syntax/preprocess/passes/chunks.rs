//! A text in definitions.
//!
//! Given expanded text, splits file, namespaces and classes into definitions by matching brackets, and says
//! of each whose code it is and what it declares. Reads no more of the language than that.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::source::FileId;
use crate::syntax::preprocess::expanded::Expanded;
use crate::syntax::preprocess::tokens::{Kind, Lexer, TextId};

/// Namespaces and classes inside each other.
const DEPTH: usize = 64;

/// No name.
const NO_NAME: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(super) struct Word {
    /// Its number among the names of both texts.
    name: u32,
    start: u32,
    end: u32,
}

impl Word {
    pub fn name(self) -> Option<u32> {
        (self.name != NO_NAME).then_some(self.name)
    }
}

/// The names of both texts, by number.
#[derive(Default)]
pub(super) struct Names<'a> {
    numbers: FxHashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    fn number(&mut self, name: &'a str) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }

    /// The number of a name, where a text has it.
    pub fn of(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }
}

/// Some of these names.
#[derive(Default)]
pub(super) struct NameSet {
    has: Vec<bool>,
    pub count: usize,
}

impl NameSet {
    pub fn insert(&mut self, name: u32) {
        let at = name as usize;
        if at >= self.has.len() {
            self.has.resize(at + 1, false);
        }
        self.count += usize::from(!self.has[at]);
        self.has[at] = true;
    }

    pub fn contains(&self, name: u32) -> bool {
        self.has.get(name as usize) == Some(&true)
    }

    pub fn extend(&mut self, names: impl IntoIterator<Item = u32>) {
        names.into_iter().for_each(|name| self.insert(name));
    }
}

/// A text with its tokens.
pub(super) struct Text<'a> {
    pub expanded: &'a Expanded,
    pub words: Vec<Word>,
    /// The partner of each bracket.
    pairs: Vec<u32>,
}

/// Where a definition begins in what the user wrote, and which of those that begin there it is.
pub(super) type Key = (FileId, u32, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Code of the device alone.
    Device,
    /// Code of the host alone.
    Host,
    /// A function that both may call.
    Both,
    /// Variables, types and what else is declared.
    Other,
}

/// A definition, `from..past` in tokens.
pub(super) struct Chunk {
    pub from: usize,
    pub past: usize,
    pub key: Key,
    pub sort: Sort,
    /// What a namespace or a class holds; its head goes to the brace.
    pub space: Option<Space>,
}

pub(super) struct Space {
    pub brace: usize,
    /// A class's name.
    pub class: Option<String>,
    pub is_class: bool,
    pub chunks: Vec<Chunk>,
}

impl<'a> Text<'a> {
    /// None where brackets do not match.
    pub fn new(expanded: &'a Expanded, names: &mut Names<'a>) -> Option<Self> {
        let text = &expanded.text;
        let mut lexer = Lexer::new(text, TextId::MADE, 0);
        let mut words = Vec::with_capacity(text.len() / 5);
        let mut pairs: Vec<u32> = Vec::with_capacity(text.len() / 5);
        let mut open: Vec<usize> = Vec::new();
        loop {
            let token = lexer.token();
            match token.kind {
                Kind::End => break,
                Kind::Newline | Kind::Comment | Kind::Splice => continue,
                _ => {}
            }
            let at = words.len();
            let name = match token.kind {
                Kind::Identifier => names.number(&text[token.start as usize..token.end as usize]),
                _ => NO_NAME,
            };
            words.push(Word {
                name,
                start: token.start,
                end: token.end,
            });
            pairs.push(at as u32);
            match &text[token.start as usize..token.end as usize] {
                "(" | "{" | "[" => open.push(at),
                close @ (")" | "}" | "]") => {
                    let partner = open.pop()?;
                    let word: Word = words[partner];
                    let opener = &text[word.start as usize..word.end as usize];
                    let fits = matches!((opener, close), ("(", ")") | ("{", "}") | ("[", "]"));
                    if !fits {
                        return None;
                    }
                    pairs[at] = partner as u32;
                    pairs[partner] = at as u32;
                }
                _ => {}
            }
        }
        open.is_empty().then_some(Self {
            expanded,
            words,
            pairs,
        })
    }

    pub fn word(&self, at: usize) -> &'a str {
        let expanded: &'a Expanded = self.expanded;
        self.words.get(at).map_or("", |word| {
            &expanded.text[word.start as usize..word.end as usize]
        })
    }

    /// The bytes of a stretch of tokens.
    pub fn bytes(&self, from: usize, past: usize) -> Range<usize> {
        match (
            self.words.get(from),
            past.checked_sub(1).and_then(|at| self.words.get(at)),
        ) {
            (Some(first), Some(last)) if from < past => first.start as usize..last.end as usize,
            (Some(first), _) => first.start as usize..first.start as usize,
            _ => self.expanded.text.len()..self.expanded.text.len(),
        }
    }

    /// The names in a stretch of tokens, as texts.
    pub fn spelled(&self, from: usize, past: usize) -> impl Iterator<Item = &'a str> {
        (from..past)
            .filter(|at| self.words[*at].name != NO_NAME)
            .map(|at| self.word(at))
    }

    /// The same as numbers.
    pub fn names(&self, from: usize, past: usize) -> impl Iterator<Item = u32> {
        let words = self.words.get(from..past).unwrap_or_default().iter();
        words.filter_map(|word| word.name())
    }

    pub fn mentions(&self, from: usize, past: usize, names: &NameSet) -> bool {
        names.count > 0 && self.names(from, past).any(|name| names.contains(name))
    }

    fn partner(&self, at: usize) -> usize {
        self.pairs[at] as usize
    }

    /// The definitions of the whole text.
    pub fn chunks(&self) -> Vec<Chunk> {
        self.chunks_in(0, self.words.len(), 0)
    }

    fn chunks_in(&self, mut from: usize, past: usize, depth: usize) -> Vec<Chunk> {
        let mut out: Vec<Chunk> = Vec::new();
        loop {
            while from < past && self.word(from) == ";" {
                from += 1;
            }
            if from >= past {
                return out;
            }
            let mut chunk = self.chunk(from, past, depth);
            let site = self.expanded.use_site(self.bytes(from, from + 1));
            let place = (site.file, site.start);
            let before = out
                .iter()
                .rev()
                .take_while(|one| (one.key.0, one.key.1) == place);
            chunk.key = (place.0, place.1, before.count() as u32);
            from = chunk.past;
            out.push(chunk);
        }
    }

    /// The definition that starts at a token.
    fn chunk(&self, from: usize, past: usize, depth: usize) -> Chunk {
        let leaf = |at: usize, sort| Chunk {
            from,
            past: at,
            key: (FileId(0), 0, 0),
            sort,
            space: None,
        };
        let is_namespace = match (self.word(from), self.word(from + 1)) {
            ("namespace", _) | ("inline", "namespace") => true,
            ("extern", language) => language.starts_with('"') && self.word(from + 2) == "{",
            _ => false,
        };
        let mut is_class = false;
        let mut needs_semicolon = false;
        let mut has_equals = false;
        let mut has_parameters = false;
        let mut at = from;
        while at < past {
            match self.word(at) {
                ";" => return leaf(at + 1, Sort::Other),
                "=" if at > from && self.word(at - 1) != "operator" => {
                    (has_equals, needs_semicolon, is_class) = (true, true, false);
                }
                "template" if self.word(at + 1) == "<" => {
                    at = self.past_angles(at + 1, past);
                    continue;
                }
                "struct" | "class" | "union" if !has_equals => {
                    (needs_semicolon, is_class) = (true, self.word(from) != "typedef");
                }
                "enum" | "typedef" | "using" => {
                    (needs_semicolon, is_class) = (true, false);
                    if self.word(at) == "enum" && matches!(self.word(at + 1), "class" | "struct") {
                        at += 1;
                    }
                }
                "(" => {
                    let is_attribute = at > from && is_attribute(self.word(at - 1));
                    has_parameters |= !is_attribute;
                    if !is_attribute && !matches!(self.word(from), "typedef" | "using") {
                        (needs_semicolon, is_class) = (has_equals, false);
                    }
                    at = self.partner(at);
                }
                "[" => at = self.partner(at),
                "{" => {
                    let close = self.partner(at).min(past - 1);
                    // `struct { … } typedef T;` is what `typedef` in front makes of it.
                    is_class &= self.word(close + 1) != "typedef";
                    if (is_namespace || is_class) && depth < DEPTH {
                        let class = is_class.then(|| self.class_name(from, at)).flatten();
                        return Chunk {
                            past: close + 1,
                            space: Some(Space {
                                brace: at,
                                class,
                                is_class,
                                chunks: self.chunks_in(at + 1, close, depth + 1),
                            }),
                            ..leaf(close + 1, Sort::Other)
                        };
                    }
                    // `T *data { nullptr };`
                    let is_first_value = !has_parameters && self.word(close + 1) == ";";
                    if !needs_semicolon
                        && !is_first_value
                        && !matches!(self.word(close + 1), "," | "{")
                    {
                        return leaf(close + 1, self.sort(from, at));
                    }
                    at = close;
                }
                _ => {}
            }
            at += 1;
        }
        leaf(past, Sort::Other)
    }

    /// Whose function has this head.
    fn sort(&self, from: usize, brace: usize) -> Sort {
        let has = |wanted: &str| self.spelled(from, brace).any(|name| name == wanted);
        if has("__global__") {
            Sort::Device
        } else if has("__device__") {
            if has("__host__") {
                Sort::Both
            } else {
                Sort::Device
            }
        } else if has("constexpr") || has("consteval") {
            Sort::Both
        } else {
            Sort::Host
        }
    }

    /// Behind `<…>`.
    fn past_angles(&self, open: usize, past: usize) -> usize {
        let mut depth = 0i32;
        let mut at = open;
        while at < past {
            match self.word(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                ">>" => depth -= 2,
                ">>>" => depth -= 3,
                "(" | "{" | "[" => at = self.partner(at),
                ";" => return at,
                _ => {}
            }
            at += 1;
            if depth <= 0 {
                return at;
            }
        }
        past
    }

    /// Where a head begins behind its template parameters.
    fn behind_templates(&self, mut from: usize, past: usize) -> usize {
        while from < past && self.word(from) == "template" && self.word(from + 1) == "<" {
            from = self.past_angles(from + 1, past);
        }
        from
    }

    /// The parameters of the template that a definition is: they hide what has their names outside.
    pub fn parameters(&self, from: usize, past: usize, out: &mut NameSet) {
        let head = self.behind_templates(from, past);
        let mut at = from;
        while at < head {
            match self.word(at) {
                "(" | "{" | "[" => at = self.partner(at),
                _ => {
                    let is_end = matches!(self.word(at + 1), "," | ">" | "=");
                    let is_behind = at > from
                        && (self.words[at - 1].name != NO_NAME
                            || matches!(self.word(at - 1), "..." | "*" | "&" | ">"));
                    // `typename T::type` and `A<B>` name no parameter.
                    if let Some(name) = self.words[at].name().filter(|_| is_end && is_behind) {
                        out.insert(name);
                    }
                }
            }
            at += 1;
        }
    }

    fn class_name(&self, from: usize, brace: usize) -> Option<String> {
        let mut at = self.behind_templates(from, brace);
        while at < brace && !matches!(self.word(at), "struct" | "class" | "union") {
            at += 1;
        }
        for at in at + 1..brace {
            if self.words[at].name != NO_NAME
                && self.word(at + 1) != "("
                && !is_attribute(self.word(at))
            {
                return Some(self.word(at).to_owned());
            }
            if self.word(at) == ":" {
                return None;
            }
        }
        None
    }

    /// The name of a function, `operator` for operators.
    pub fn function_name(&self, chunk: &Chunk) -> Option<&'a str> {
        let mut at = self.behind_templates(chunk.from, chunk.past);
        while at < chunk.past {
            match self.word(at) {
                "operator" => return Some("operator"),
                "(" => {
                    let name = at.checked_sub(1)?;
                    self.words[name].name()?;
                    if !is_attribute(self.word(name)) {
                        return Some(self.word(name));
                    }
                    at = self.partner(at);
                }
                "[" | "{" => at = self.partner(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// What a definition that is no function may declare: more rather than less.
    pub fn declared(&self, chunk: &Chunk, out: &mut NameSet) {
        if self
            .spelled(chunk.from, chunk.past)
            .any(|name| name == "__global__")
        {
            return;
        }
        let mut is_enum = false;
        let mut at = self.behind_templates(chunk.from, chunk.past);
        // `template class X<float>;`, `using namespace x;`
        if matches!(
            (self.word(at), self.word(at + 1)),
            ("template", _) | ("extern", "template") | ("using", "namespace")
        ) {
            return;
        }
        while at < chunk.past {
            let next = self.word(at + 1);
            match self.word(at) {
                "enum" => is_enum = true,
                "static_assert" => return,
                "(" | "[" => at = self.partner(at),
                "{" if !is_enum => at = self.partner(at),
                // What a template is given is not declared here.
                "<" if !is_enum => {
                    at = self.past_angles(at, chunk.past).max(at + 1);
                    continue;
                }
                name if self.words[at].name != NO_NAME
                    && !is_attribute(name)
                    && !is_keyword(name)
                    && matches!(next, "=" | ";" | "[" | "{" | "," | "(" | ":" | "}") =>
                {
                    out.insert(self.words[at].name);
                    // Not what it is made of.
                    while next == "=" && !matches!(self.word(at + 1), "," | ";" | "}" | "") {
                        at += 1;
                        at = at
                            .max(self.partner(at))
                            .max(self.last_of_arguments(at, chunk.past));
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// The `>` behind template arguments that begin at a token; 0 where none begin there, or where a
    /// comparison may be meant with another declaration behind it.
    fn last_of_arguments(&self, open: usize, past: usize) -> usize {
        if self.word(open) != "<" {
            return 0;
        }
        let last = self.past_angles(open, past).saturating_sub(1);
        let is_end = matches!(self.word(last), ">" | ">>" | ">>>");
        let declares = (open..last).any(|at| self.word(at) == "=");
        if is_end && !declares { last } else { 0 }
    }

    /// Whether members that are declared here take room in objects.
    pub fn is_data(&self, chunk: &Chunk) -> bool {
        let head = self.behind_templates(chunk.from, chunk.past);
        let is_none = |name: &str| {
            matches!(
                name,
                "static" | "constexpr" | "using" | "typedef" | "enum" | "friend" | "static_assert"
            )
        };
        !self.spelled(head, chunk.past).any(is_none)
            && !(head..chunk.past).any(|at| self.word(at) == "(")
    }
}

/// Words of the language that stand where a declared name could stand.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "auto"
            | "bool"
            | "char"
            | "const"
            | "constexpr"
            | "default"
            | "delete"
            | "double"
            | "else"
            | "false"
            | "final"
            | "float"
            | "friend"
            | "inline"
            | "int"
            | "long"
            | "mutable"
            | "nullptr"
            | "operator"
            | "override"
            | "private"
            | "protected"
            | "public"
            | "short"
            | "signed"
            | "sizeof"
            | "static"
            | "this"
            | "true"
            | "typename"
            | "unsigned"
            | "virtual"
            | "void"
            | "volatile"
            | "__restrict__"
            | "__device__"
            | "__host__"
            | "__forceinline__"
            | "__inline__"
    )
}

/// Words before parentheses that are no names of functions.
fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "__attribute__"
            | "__launch_bounds__"
            | "__align__"
            | "__cluster_dims__"
            | "__maxnreg__"
            | "__declspec"
            | "alignas"
            | "decltype"
            | "noexcept"
            | "explicit"
            | "requires"
    )
}
