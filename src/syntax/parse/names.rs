//! Kinds of names in a text: types, templates and values.
//!
//! Given tokens, says what a name is at a place: by the declaration in scope (`scopes`) where
//! the text has one, else by evidence (`T x` says that `T` is a type that some header declares).
//! It decides only between readings that are both grammatical, such as a cast and a product.

use rustc_hash::FxHashSet;

use super::lex::{ARROW, IDENT, NONE, NUMBER, SCOPE, Token, kind_at, word_at};
use super::scopes::{self, Declarations, Meaning};

/// What is known of the names of a text.
#[derive(Debug, Default)]
pub struct Names<'t> {
    declarations: Declarations<'t>,
    /// Names used as types; their declarations need not be there.
    used_as_types: FxHashSet<&'t str>,
    templates: FxHashSet<&'t str>,
}

impl<'t> Names<'t> {
    /// Whether `word` at byte `at` is a type, as far as the text says.
    #[must_use]
    pub fn is_type(&self, word: &str, at: u32) -> bool {
        if is_builtin_type(word) {
            return true;
        }
        match self.declarations.meaning(word, at) {
            Some(meaning) => meaning == Meaning::Type,
            None => self.is_member_type(word),
        }
    }

    /// Whether `word` is a type where it stands behind `::`.
    #[must_use]
    pub fn is_member_type(&self, word: &str) -> bool {
        let declared = |meaning| self.declarations.is_global(word, meaning);
        declared(Meaning::Type)
            || (!declared(Meaning::Value)
                && (self.used_as_types.contains(word) || is_known_type(word)))
    }

    /// Whether something in the unit declares or uses `word` as a type.
    #[must_use]
    pub fn declares_type(&self, word: &str) -> bool {
        self.used_as_types.contains(word) || self.declarations.declares_type(word)
    }

    /// Whether `word` at byte `at` is a variable, parameter or other value.
    #[must_use]
    pub fn is_value(&self, word: &str, at: u32) -> bool {
        match self.declarations.meaning(word, at) {
            Some(meaning) => meaning == Meaning::Value && !self.is_own_template(word, at),
            None => {
                self.declarations.is_global(word, Meaning::Value) && !self.templates.contains(word)
            }
        }
    }

    /// Whether `path`, which has a `::`, names an enumerator, by its enumeration or another name of that.
    #[must_use]
    pub fn is_enumerator(&self, path: &str) -> bool {
        let mut parts = path.rsplit("::").map(str::trim);
        let (Some(word), Some(enumeration)) = (parts.next(), parts.next()) else {
            return false;
        };
        let enumerations = self.declarations.enumerations_of(word);
        enumerations.contains(&enumeration)
            || (!enumerations.is_empty() && !self.declares_type(word))
    }

    /// Whether the value that a name means at byte `at` is declared outside of all bodies.
    #[must_use]
    pub fn is_outer_value(&self, word: &str, at: u32) -> bool {
        self.declarations.meaning(word, at) == Some(Meaning::Value)
            && self.declarations.is_innermost_global(word, at)
    }

    /// The enumerators of the enumerations of a name.
    #[must_use]
    pub fn enumerators_in(&self, enumeration: &str) -> Vec<&'t str> {
        self.declarations.enumerators_in(enumeration)
    }

    /// Whether a variable of a body is declared by the name at byte `at`.
    #[must_use]
    pub fn is_declarator(&self, at: u32) -> bool {
        self.declarations.is_declarator(at)
    }

    /// Whether `word` at byte `at` is a template.
    #[must_use]
    pub fn is_template(&self, word: &str, at: u32) -> bool {
        match self.declarations.meaning(word, at) {
            Some(Meaning::Value) => self.is_own_template(word, at),
            _ => self.templates.contains(word),
        }
    }

    /// Whether a value called `word` at byte `at` is no variable of a function.
    #[must_use]
    pub fn is_global_value(&self, word: &str, at: u32) -> bool {
        match self.declarations.meaning(word, at) {
            Some(_) => self.declarations.is_innermost_global(word, at),
            None => true,
        }
    }

    /// Whether a template of functions or variables is called `word`, and no type.
    #[must_use]
    pub fn is_value_template(&self, word: &str) -> bool {
        self.templates.contains(word)
            && self.declarations.is_global(word, Meaning::Value)
            && !self.declarations.is_global(word, Meaning::Type)
    }

    /// Whether a value is a template of functions, or of variables: no local variable is one.
    fn is_own_template(&self, word: &str, at: u32) -> bool {
        self.templates.contains(word) && self.declarations.is_innermost_global(word, at)
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
                | "nv_half"
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
            | "nv_half"
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

/// Attributes that take arguments and may stand before the name of a function.
fn takes_arguments(word: &str) -> bool {
    matches!(
        word,
        "__launch_bounds__"
            | "__cluster_dims__"
            | "__maxnreg__"
            | "__block_size__"
            | "__attribute__"
            | "__declspec"
            | "__align__"
            | "__builtin_align__"
            | "alignas"
            | "decltype"
    )
}

/// The name introduced after `template <…>` at `at`, searched a little way ahead.
fn templated_name<'t>(
    text: &'t str,
    tokens: &[Token],
    pairs: &[u32],
    at: usize,
) -> Option<(&'t str, bool)> {
    /// More tokens than a head has, lists of templates and what stands in brackets aside.
    const MOST: usize = 60;
    let mut last = None;
    let mut is_type = false;
    let mut at = at;
    for _ in 0..MOST {
        let word = word_at(text, tokens, at);
        let past = |open: usize| match pairs.get(open) {
            Some(close) if (*close as usize) < tokens.len() => *close as usize + 1,
            _ => open + 1,
        };
        let kind = kind_at(tokens, at);
        at += 1;
        match kind {
            // `int (&f(int))[3]`
            b'(' if last.is_none() || gives_reference(tokens, at) => {
                if gives_reference(tokens, at) {
                    return Some((word_at(text, tokens, at + 1), false));
                }
                at = past(at - 1);
            }
            b'<' => at = head_end(text, tokens, pairs, at - 1),
            IDENT => {
                if takes_arguments(word) && kind_at(tokens, at) == b'(' {
                    at = past(at);
                    continue;
                }
                match word {
                    // `typename T::template In<int>`
                    "template" if kind_at(tokens, at.wrapping_sub(2)) == SCOPE => {}
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
            NONE => return None,
            _ => {}
        }
    }
    None
}

/// Whether `&name(` or `*name(` stands at a place: a function that gives an array by reference.
fn gives_reference(tokens: &[Token], at: usize) -> bool {
    matches!(kind_at(tokens, at), b'&' | b'*')
        && kind_at(tokens, at + 1) == IDENT
        && kind_at(tokens, at + 2) == b'('
}

/// Index just past the `>` that closes the `<` at `open`, counting angles only.
#[must_use]
pub fn head_end(text: &str, tokens: &[Token], pairs: &[u32], open: usize) -> usize {
    /// More tokens than any head has: where none ends, each would be looked for to the end of the file.
    const MOST: usize = 512;
    /// Deeper than any head nests.
    const DEEPEST: usize = 32;
    let mut depth = 0usize;
    let mut at = open;
    let mut left = MOST;
    let mut values: Vec<&str> = Vec::new();
    while at < tokens.len() && left > 0 && depth <= DEEPEST {
        left -= 1;
        match tokens[at].kind {
            // `template <int N, bool B = N < 4>`
            b'<' if depth > 0 && follows_value(text, tokens, at, &values) => {}
            b'<' => depth += 1,
            IDENT if depth == 1 && names_value(text, tokens, at) => {
                values.push(word_at(text, tokens, at));
            }
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

/// Whether the name at `at` is that of a value that the head of a template declares: `int N`, `T *p`.
fn names_value(text: &str, tokens: &[Token], at: usize) -> bool {
    let is_last = matches!(kind_at(tokens, at + 1), b',' | b'>' | b'=');
    let before = at.wrapping_sub(1);
    let is_typed = match kind_at(tokens, before) {
        IDENT => !matches!(word_at(text, tokens, before), "typename" | "class"),
        kind => matches!(kind, b'*' | b'&' | b'>'),
    };
    is_last && is_typed
}

/// Whether the `<` at `at` stands behind what is no template: a number, something in brackets, or one of `values`.
fn follows_value(text: &str, tokens: &[Token], at: usize, values: &[&str]) -> bool {
    let before = at.wrapping_sub(1);
    match kind_at(tokens, before) {
        NUMBER | b')' | b']' => true,
        IDENT => values.contains(&word_at(text, tokens, before)),
        _ => false,
    }
}

/// Reads what `tokens` say of names.
#[must_use]
pub fn collect<'t>(text: &'t str, tokens: &[Token], pairs: &[u32]) -> Names<'t> {
    let mut collector = Collector {
        text,
        tokens,
        pairs,
        names: Names {
            declarations: scopes::collect(text, tokens, pairs),
            ..Names::default()
        },
    };
    for (at, token) in tokens.iter().enumerate() {
        if token.kind == IDENT {
            collector.word_at(at);
        }
    }
    collector.names
}

struct Collector<'t, 'k> {
    text: &'t str,
    tokens: &'k [Token],
    pairs: &'k [u32],
    names: Names<'t>,
}

impl<'t> Collector<'t, '_> {
    fn word(&self, at: usize) -> &'t str {
        word_at(self.text, self.tokens, at)
    }

    fn kind(&self, at: usize) -> u8 {
        kind_at(self.tokens, at)
    }

    fn word_at(&mut self, at: usize) {
        let this = self.word(at);
        match this {
            "template" if self.kind(at + 1) == b'<' => {
                let end = head_end(self.text, self.tokens, self.pairs, at + 1);
                if let Some((name, _)) = templated_name(self.text, self.tokens, self.pairs, end) {
                    self.names.templates.insert(name);
                }
            }
            // `struct S *p`, `enum E e`
            "class" | "struct" | "union" | "enum" if self.kind(at + 1) == IDENT => {
                let name = self.word(at + 1);
                let next = self.kind(at + 2);
                if !is_keyword(name) && (next == IDENT || matches!(next, b'*' | b'&')) {
                    self.names.used_as_types.insert(name);
                }
            }
            _ if is_keyword(this) => {}
            _ => self.used(at),
        }
    }

    /// Evidence around the plain name at `at`: in `T x =`, `T` is a type.
    fn used(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        let next = self.kind(at + 1);
        let ends_name = matches!(next, b'=' | b';' | b',' | b')' | b'[' | b':');
        if self.kind(before) != IDENT {
            return;
        }
        let word = self.word(before);
        let is_call = matches!(next, b'(' | b'{') && !is_macro_like(word);
        let is_member = before
            .checked_sub(1)
            .is_some_and(|at| matches!(self.kind(at), b'.' | ARROW));
        if !is_keyword(word) && (ends_name || is_call) && !is_member {
            self.names.used_as_types.insert(word);
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
