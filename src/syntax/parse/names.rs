//! Which names of a text are types, templates and variables.
//!
//! Given tokens, gives three sets by evidence alone (`T x` says that `T` is a
//! type); no scopes, no lookup. It decides only between readings that are both
//! grammatical, such as a cast and a parenthesised operand.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lex::{ARROW, IDENT, SCOPE, Token};

/// Names by the evidence that the text gives.
#[derive(Debug, Default)]
pub struct Names<'t> {
    types: FxHashSet<&'t str>,
    pub templates: FxHashSet<&'t str>,
    pub variables: FxHashSet<&'t str>,
    /// For names that are types in one place and variables in another: where, and which.
    disputed: FxHashMap<&'t str, Vec<(u32, bool)>>,
    /// All evidence in the order of the text, until it is known which names are disputed.
    evidence: Vec<(&'t str, u32, bool)>,
}

impl<'t> Names<'t> {
    /// Whether `word` at byte `at` is a type, as far as the text says: the last evidence
    /// before it decides where there is evidence for both.
    #[must_use]
    pub fn is_type(&self, word: &str, at: u32) -> bool {
        if is_builtin_type(word) {
            return true;
        }
        if let Some(evidence) = self.disputed.get(word) {
            let before = evidence
                .partition_point(|(place, _)| *place <= at)
                .saturating_sub(1);
            return evidence.get(before).is_some_and(|(_, is_type)| *is_type);
        }
        self.types.contains(word) || (is_known_type(word) && !self.variables.contains(word))
    }

    /// Whether something in the unit declares `word` as a type.
    #[must_use]
    pub fn declares_type(&self, word: &str) -> bool {
        self.types.contains(word)
    }

    fn add_type(&mut self, word: &'t str, at: u32) {
        self.types.insert(word);
        self.evidence.push((word, at, true));
    }

    fn add_variable(&mut self, word: &'t str, at: u32) {
        self.variables.insert(word);
        self.evidence.push((word, at, false));
    }

    fn settle(&mut self) {
        for (word, at, is_type) in std::mem::take(&mut self.evidence) {
            if self.types.contains(word) && self.variables.contains(word) {
                self.disputed.entry(word).or_default().push((at, is_type));
            }
        }
        for evidence in self.disputed.values_mut() {
            evidence.sort_unstable();
        }
    }
}

/// Words that fundamental types are spelled with.
#[must_use]
pub fn is_builtin_type(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "signed"
            | "unsigned"
            | "float"
            | "double"
            | "wchar_t"
            | "char8_t"
            | "char16_t"
            | "char32_t"
            | "__int64"
            | "auto"
    )
}

/// Type names that CUDA and the C library bring along.
#[must_use]
pub fn is_known_type(word: &str) -> bool {
    if word.ends_with("_t") {
        return true;
    }
    if let Some(base) = word.strip_suffix(['1', '2', '3', '4', '8'])
        && matches!(
            base,
            "char"
                | "uchar"
                | "short"
                | "ushort"
                | "int"
                | "uint"
                | "long"
                | "ulong"
                | "longlong"
                | "ulonglong"
                | "float"
                | "double"
                | "half"
                | "__half"
                | "__nv_bfloat16"
                | "nv_bfloat16"
                | "dim"
                | "bfloat16"
        )
    {
        return true;
    }
    matches!(
        word,
        "uint"
            | "ulong"
            | "ushort"
            | "uchar"
            | "half"
            | "__half"
            | "__nv_bfloat16"
            | "nv_bfloat16"
            | "__nv_bfloat162"
            | "nv_bfloat162"
            | "bfloat16"
            | "cudaArray"
            | "FILE"
            | "string"
            | "cuFloatComplex"
            | "cuDoubleComplex"
            | "cuComplex"
            | "curandState"
            | "CUdeviceptr"
            | "__nv_fp8_e4m3"
            | "__nv_fp8_e5m2"
            | "__m128"
            | "__m256"
    )
}

/// Words that can be no name.
#[must_use]
pub fn is_keyword(word: &str) -> bool {
    is_builtin_type(word)
        || matches!(
            word,
            "alignas"
                | "alignof"
                | "asm"
                | "break"
                | "case"
                | "catch"
                | "class"
                | "const"
                | "consteval"
                | "constexpr"
                | "constinit"
                | "const_cast"
                | "continue"
                | "decltype"
                | "default"
                | "delete"
                | "do"
                | "dynamic_cast"
                | "else"
                | "enum"
                | "explicit"
                | "export"
                | "extern"
                | "false"
                | "for"
                | "friend"
                | "goto"
                | "if"
                | "inline"
                | "mutable"
                | "namespace"
                | "new"
                | "noexcept"
                | "nullptr"
                | "operator"
                | "private"
                | "protected"
                | "public"
                | "register"
                | "reinterpret_cast"
                | "requires"
                | "return"
                | "sizeof"
                | "static"
                | "static_assert"
                | "static_cast"
                | "struct"
                | "switch"
                | "template"
                | "this"
                | "thread_local"
                | "throw"
                | "true"
                | "try"
                | "typedef"
                | "typeid"
                | "typename"
                | "union"
                | "using"
                | "virtual"
                | "volatile"
                | "while"
                | "and"
                | "or"
                | "not"
                | "__restrict__"
                | "__restrict"
                | "restrict"
                | "override"
                | "final"
                | "__volatile__"
                | "__asm__"
                | "__inline__"
                | "__inline"
        )
        || is_attribute_word(word)
}

/// CUDA and compiler words that stand alone and are taken out before parsing.
#[must_use]
pub fn is_attribute_word(word: &str) -> bool {
    matches!(
        word,
        "__global__"
            | "__device__"
            | "__host__"
            | "__shared__"
            | "__constant__"
            | "__managed__"
            | "__forceinline__"
            | "__noinline__"
            | "__inline__"
            | "__inline"
            | "__forceinline"
            | "__grid_constant__"
            | "__extension__"
            | "__tile__"
            | "__tile_global__"
            | "__local__"
            | "__restrict__"
            | "__restrict"
            | "__device_builtin__"
            | "__cudart_builtin__"
            | "__cdecl"
            | "__stdcall"
            | "__fastcall"
            | "CUDARTAPI"
            | "CUDART_CB"
            | "CUDAAPI"
            | "__nv_pure__"
            | "C10_HOST_DEVICE"
            | "C10_DEVICE"
            | "C10_HOST"
            | "C10_ALWAYS_INLINE"
    )
}

/// The name introduced after `template <…>` at `at`, searched a little way ahead.
fn templated_name<'t>(text: &'t str, tokens: &[Token], at: usize) -> Option<(&'t str, bool)> {
    let mut last = None;
    let mut is_type = false;
    for token in tokens.iter().skip(at).take(60) {
        match token.kind {
            IDENT => {
                let word = &text[token.start as usize..token.end as usize];
                match word {
                    "struct" | "class" | "union" | "using" | "concept" => is_type = true,
                    "template" | "operator" => return None,
                    _ if is_keyword(word) => {}
                    _ => last = Some(word),
                }
                if is_type && last.is_some() && word == last.unwrap_or("") {
                    return Some((word, true));
                }
            }
            b'(' | b'=' | b';' | b'{' => return last.map(|name| (name, is_type)),
            _ => {}
        }
    }
    None
}

/// Index just past the `>` that closes the `<` at `open`, counting angles only.
#[must_use]
pub fn head_end(tokens: &[Token], pairs: &[u32], open: usize) -> usize {
    let mut depth = 0usize;
    let mut at = open;
    while at < tokens.len() {
        match tokens[at].kind {
            b'<' => depth += 1,
            b'>' => {
                // What follows `template` need not be a `<`.
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b'(' | b'[' | b'{' if (pairs[at] as usize) < tokens.len() => at = pairs[at] as usize,
            b';' | b'}' | b')' => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Reads the evidence of `tokens`.
#[must_use]
pub fn collect<'t>(text: &'t str, tokens: &[Token], pairs: &[u32]) -> Names<'t> {
    let mut collector = Collector {
        text,
        tokens,
        pairs,
        names: Names::default(),
        defined: Vec::new(),
    };
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == IDENT {
            collector.word_at(at);
        }
    }
    collector.names.settle();
    collector.names
}

struct Collector<'t, 'k> {
    text: &'t str,
    tokens: &'k [Token],
    pairs: &'k [u32],
    names: Names<'t>,
    /// Tokens that the last `typedef` made types of.
    defined: Vec<usize>,
}

impl<'t> Collector<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| {
            &self.text[token.start as usize..token.end as usize]
        })
    }

    fn kind(&self, at: usize) -> u8 {
        self.tokens.get(at).map_or(0, |token| token.kind)
    }

    fn add_type(&mut self, at: usize) {
        let word = self.word(at);
        self.names.add_type(word, self.tokens[at].start);
    }

    fn word_at(&mut self, at: usize) {
        let this = self.word(at);
        match this {
            "template" if self.kind(at + 1) == b'<' => {
                let end = head_end(self.tokens, self.pairs, at + 1);
                if let Some((name, is_type)) = templated_name(self.text, self.tokens, end) {
                    self.names.templates.insert(name);
                    if is_type {
                        self.names.add_type(name, self.tokens[at].start);
                    }
                }
            }
            "typename" | "class" | "struct" | "union" | "enum" if self.kind(at + 1) == IDENT => {
                let mut name = at + 1;
                while self.kind(name) == IDENT
                    && self.kind(name + 1) == IDENT
                    && is_keyword(self.word(name))
                {
                    name += 1;
                }
                // `typename T::type` names no new type.
                if !is_keyword(self.word(name)) && self.kind(name + 1) != SCOPE {
                    self.add_type(name);
                }
            }
            "using" if self.kind(at + 1) == IDENT && self.kind(at + 2) == b'=' => {
                self.add_type(at + 1)
            }
            "typedef" => self.typedef_at(at),
            _ if is_keyword(this) || self.defined.contains(&at) => {}
            _ => self.declared(at),
        }
    }

    /// The names that a `typedef` gives.
    fn typedef_at(&mut self, from: usize) {
        self.defined.clear();
        let mut at = from + 1;
        let mut last = None;
        while at < self.tokens.len() {
            match self.kind(at) {
                IDENT if !is_keyword(self.word(at)) => last = Some(at),
                // `typedef void (*name)(int);`
                b'(' if self.kind(at + 1) == b'*' => {
                    if self.kind(at + 2) == IDENT {
                        self.defined.push(at + 2);
                    }
                    break;
                }
                b'(' | b'[' | b'{' if (self.pairs[at] as usize) < self.tokens.len() => {
                    at = self.pairs[at] as usize
                }
                b',' => self.defined.extend(last.take()),
                b';' | b'}' => {
                    self.defined.extend(last.take());
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        for at in self.defined.clone() {
            self.add_type(at);
        }
    }

    /// Evidence around the plain name at `at`: `T x =`.
    fn declared(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        let next = self.kind(at + 1);
        let ends_name = matches!(next, b'=' | b';' | b',' | b')' | b'[' | b':');
        let name = self.word(at);
        let place = self.tokens[at].start;
        match self.kind(before) {
            IDENT => {
                let word = self.word(before);
                let is_plain = !is_keyword(word);
                let is_call = matches!(next, b'(' | b'{') && !is_macro_like(word);
                let is_member = before
                    .checked_sub(1)
                    .is_some_and(|at| matches!(self.kind(at), b'.' | ARROW));
                if is_plain && (ends_name || is_call) && !is_member {
                    self.add_type(before);
                }
                let declares = is_plain
                    || is_builtin_type(word)
                    || matches!(word, "const" | "constexpr" | "register" | "volatile")
                    || matches!(word, "__restrict__" | "__restrict" | "restrict");
                if ends_name && declares {
                    self.names.add_variable(name, place);
                }
            }
            // `float *p =`, `int &r =`
            b'*' | b'&' if ends_name => {
                let is_typed = before
                    .checked_sub(1)
                    .is_some_and(|at| self.kind(at) == IDENT && is_builtin_type(self.word(at)));
                if is_typed {
                    self.names.add_variable(name, place);
                }
            }
            // `int i = 0, j = 0;`
            b',' if next == b'=' => self.names.add_variable(name, place),
            _ => {}
        }
    }
}

/// All capitals, as macros are written.
#[must_use]
pub fn is_macro_like(word: &str) -> bool {
    word.len() >= 3
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
        && !word.bytes().any(|byte| byte.is_ascii_lowercase())
}
