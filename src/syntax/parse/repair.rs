//! Equal-length rewriting of a text into one that the grammar reads rightly.
//!
//! Given expanded text, gives the same number of bytes with everything blanked
//! or replaced that the grammar cannot read or reads wrongly, and beside it the
//! marks of what was taken out. Works on tokens; knows no syntax tree. Whoever
//! reads the tree takes names, operators and literals from the original text,
//! so a replacement only ever steers the grammar:
//!
//! - a `<` that compares becomes `>`, which can open no template list; `>=` in one becomes `<=`, which cannot end it;
//! - `T x(a, b);` in a body becomes `T x{a, b};`, which can declare no function;
//! - `(i) + 1` loses its parentheses where `i` is no type, so it is no cast;
//! - `asm("…" : "=r"(x) : "r"(y))` becomes a call, its colons commas;
//! - CUDA's words (`__global__`, `__shared__`, …) become marks.

mod ambiguities;
mod angles;
mod unknown_words;

use super::lex::{
    AND_AND, ARROW, Blank, ELLIPSIS, IDENT, LAUNCH, NONE, OPERATOR, OR_OR, SCOPE, SHIFT_LEFT,
    STRING, Token, UNPAIRED, kind_at, lex, pair_brackets, word_at,
};
use super::names::{self, Names, is_attribute_word, is_keyword, is_macro_like};
use super::number_lists;
use std::cell::Cell;

/// What was taken out of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    Global,
    Device,
    Host,
    Shared,
    Constant,
    Managed,
    Restrict,
    Align,
    /// An attribute that changes a layout in a way that is not modelled.
    Layout,
    LaunchBounds,
    /// A `typedef` behind the type that it names.
    Typedef,
    /// Template arguments that the grammar would take for operands of comparisons.
    Arguments,
    /// The default of a template's type parameter, which the grammar reads where it is a name: `class P = int *`.
    DefaultType,
    /// A default in braces, where the grammar wants an expression: `V p = {3}`.
    DefaultList,
    /// `typeof(x)`, for which `auto` stands.
    TypeOf,
    /// The `*` of a pack of pointers, `Ts *... p`; one for each.
    PackPointer,
    /// The `*` or `&` that the parentheses of `T (*p)[8]` bound to the name.
    BoundToName,
    /// A declaration of a form that is not read: `int (*f[2])(int)`.
    Unread,
    /// The names of a using-declaration behind the first one: `using a::f, a::g;`.
    UsedToo,
}

/// A word taken out, with the place of the first token after it that stayed.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub kind: MarkKind,
    pub at: u32,
    pub anchor: u32,
    /// Text between the parentheses or angles.
    pub arguments: (u32, u32),
}

/// An `asm` statement that became a call.
#[derive(Clone, Debug)]
pub struct AsmMark {
    pub start: u32,
    /// Places of the colons, in order; `::` counts as two.
    pub colons: Vec<u32>,
}

/// The outcome.
#[derive(Debug)]
pub struct Repaired<'t> {
    /// As long as the original.
    pub text: String,
    /// Sorted by `anchor`.
    pub marks: Vec<Mark>,
    /// Sorted by `start`.
    pub asms: Vec<AsmMark>,
    pub tokens: Vec<Token>,
    pub pairs: Vec<u32>,
    pub names: Names<'t>,
    /// `#pragma pack`: from where on, and the bound on alignment (0 where it is not known).
    pub packs: Vec<(u32, Option<u64>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// File, namespace, `extern "C"`.
    Space,
    Record,
    Enum,
    Body,
}

struct Repairer<'t> {
    source: &'t str,
    out: Vec<u8>,
    tokens: Vec<Token>,
    pairs: Vec<u32>,
    names: Names<'t>,
    /// Whether a token names a type, where that was asked: nested lists ask for the same tokens.
    types: Vec<Cell<Option<bool>>>,
    /// `<` and `>` that belong to template lists.
    is_angle: Vec<bool>,
    is_blank: Vec<bool>,
    marks: Vec<Mark>,
    asms: Vec<AsmMark>,
    scopes: Vec<Scope>,
    pending: Option<Scope>,
    /// The last token that stayed, or `usize::MAX`.
    previous: usize,
    /// Template heads end here; `class` before it opens no record.
    head_until: usize,
    /// The `<` after a blanked `template`.
    forced_angle: usize,
    /// The last `>` of the template lists so far.
    lists_until: usize,
    /// The last `)` that got a `;` behind it.
    finished: usize,
    /// The last `}` of a record or an enumeration.
    closed_type: usize,
    /// The last `decltype`.
    decltype: unknown_words::Decltype,
    /// Parentheses open in the current scope, and in those around it.
    parens: u32,
    open_parens: Vec<u32>,
    packs: Vec<(u32, Option<u64>)>,
    pushed_packs: Vec<Option<u64>>,
}

/// Rewrites `source`; see the module.
#[must_use]
pub fn repair(source: &str) -> Repaired<'_> {
    let (tokens, blanks) = lex(source);
    let pairs = pair_brackets(&tokens);
    let names = names::collect(source, &tokens, &pairs);
    let count = tokens.len();
    let mut repairer = Repairer {
        source,
        out: source.as_bytes().to_vec(),
        tokens,
        pairs,
        names,
        types: vec![Cell::new(None); count],
        is_angle: vec![false; count],
        is_blank: vec![false; count],
        marks: Vec::new(),
        asms: Vec::new(),
        scopes: vec![Scope::Space],
        pending: None,
        previous: usize::MAX,
        head_until: 0,
        forced_angle: usize::MAX,
        lists_until: 0,
        finished: usize::MAX - 1,
        closed_type: usize::MAX - 1,
        decltype: unknown_words::Decltype::default(),
        parens: 0,
        open_parens: Vec::new(),
        packs: Vec::new(),
        pushed_packs: Vec::new(),
    };
    for blank in blanks {
        repairer.blank_text(blank);
    }
    let mut at = 0;
    while at < count {
        let next = repairer.step(at);
        debug_assert!(next > at);
        for passed in (at..next).rev() {
            if !repairer.is_blank[passed] {
                repairer.previous = passed;
                break;
            }
        }
        at = next;
    }
    repairer.finish()
}

impl<'t> Repairer<'t> {
    fn finish(mut self) -> Repaired<'t> {
        // Anchors: the first token after the mark that stayed.
        let mut next = self.source.len() as u32;
        let mut anchors = vec![next; self.tokens.len() + 1];
        for (at, token) in self.tokens.iter().enumerate().rev() {
            if !self.is_blank[at] {
                next = token.start;
            }
            anchors[at] = next;
        }
        for mark in &mut self.marks {
            let at = self.tokens.partition_point(|token| token.start < mark.at);
            mark.anchor = anchors[at];
        }
        self.marks.sort_by_key(|mark| mark.anchor);
        self.asms.sort_by_key(|mark| mark.start);
        // Only whole characters are replaced, and by ASCII.
        let text = String::from_utf8(self.out)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Repaired {
            text,
            marks: self.marks,
            asms: self.asms,
            tokens: self.tokens,
            pairs: self.pairs,
            names: self.names,
            packs: self.packs,
        }
    }

    fn kind(&self, at: usize) -> u8 {
        kind_at(&self.tokens, at)
    }

    fn word(&self, at: usize) -> &'t str {
        word_at(self.source, &self.tokens, at)
    }

    fn is_type(&self, at: usize) -> bool {
        let (Some(token), Some(known)) = (self.tokens.get(at), self.types.get(at)) else {
            return false;
        };
        known.get().unwrap_or_else(|| {
            let is_type = self.names.is_type(self.word(at), token.start);
            known.set(Some(is_type));
            is_type
        })
    }

    fn is_name(&self, at: usize) -> bool {
        self.kind(at) == IDENT && !is_keyword(self.word(at))
    }

    fn pair(&self, at: usize) -> Option<usize> {
        self.pairs
            .get(at)
            .copied()
            .filter(|pair| *pair != UNPAIRED)
            .map(|pair| pair as usize)
    }

    fn previous_kind(&self) -> u8 {
        self.kind(self.previous)
    }

    fn previous_word(&self) -> &'t str {
        self.word(self.previous)
    }

    fn scope(&self) -> Scope {
        self.scopes.last().copied().unwrap_or(Scope::Space)
    }

    fn blank_text(&mut self, (start, end): Blank) {
        for byte in &mut self.out[start as usize..end as usize] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn blank(&mut self, from: usize, past: usize) {
        for at in from..past.min(self.tokens.len()) {
            self.is_blank[at] = true;
            let token = self.tokens[at];
            self.blank_text((token.start, token.end));
        }
    }

    fn put(&mut self, at: u32, byte: u8) {
        if let Some(place) = self.out.get_mut(at as usize) {
            *place = byte;
        }
    }

    fn mark(&mut self, kind: MarkKind, at: usize, arguments: (u32, u32)) {
        let at = self.tokens[at].start;
        self.marks.push(Mark {
            kind,
            at,
            anchor: at,
            arguments,
        });
    }

    /// Whether a statement or declaration begins here.
    fn at_start(&self) -> bool {
        matches!(self.previous_kind(), NONE | b';' | b'{' | b'}')
            || (self.previous_kind() == b':' && self.scope() != Scope::Enum)
            || self.previous == self.finished
            || matches!(self.previous_word(), "else" | "do")
    }

    /// Repairs at token `at`; gives the index of the next token to look at.
    fn step(&mut self, at: usize) -> usize {
        match self.kind(at) {
            IDENT => self.word_at(at),
            b'<' => self.less_at(at),
            // In a list of template arguments the grammar would end it with the first half of `>=`.
            OPERATOR if at < self.lists_until && self.word(at) == ">=" => {
                self.put(self.tokens[at].start, b'<');
                at + 1
            }
            b'(' => self.paren_at(at),
            b'[' => self.bracket_at(at),
            LAUNCH => {
                self.launch_at(at);
                at + 1
            }
            b'{' if self.parens > 0
                && self.previous_kind() == b'='
                && self.scope() != Scope::Body
                && self.pair(at).is_some() =>
            {
                self.default_list_at(at)
            }
            b'{' if self.previous_kind() == b'='
                && let Some(close) = number_lists::end(&self.tokens, &self.pairs, at) =>
            {
                self.blank(at + 1, close);
                close + 1
            }
            b'{' => {
                self.open_parens.push(self.parens);
                self.parens = 0;
                let scope = match (self.pending.take(), self.scope()) {
                    (Some(scope), _) => scope,
                    _ => Scope::Body,
                };
                self.scopes.push(scope);
                at + 1
            }
            b'}' => {
                if matches!(self.scope(), Scope::Record | Scope::Enum) {
                    self.closed_type = at;
                }
                if self.scopes.len() > 1 {
                    self.scopes.pop();
                }
                self.parens = self.open_parens.pop().unwrap_or(0);
                self.pending = None;
                at + 1
            }
            b'=' if at < self.head_until => self.default_at(at),
            b';' | b'=' => {
                self.pending = None;
                at + 1
            }
            b')' => {
                self.pending = None;
                self.parens = self.parens.saturating_sub(1);
                at + 1
            }
            // `int S::*p`: the class of a member pointer says nothing about addresses.
            SCOPE if self.kind(at + 1) == b'*' && self.is_name(self.previous) => {
                if self.kind(self.previous - 1) == b'(' {
                    // `int (S::*f)()` takes more room than a pointer.
                    self.mark(MarkKind::Layout, at, (0, 0));
                }
                self.blank(self.previous, at + 1);
                at + 1
            }
            // `T* = nullptr`: the grammar wants a name before a default.
            b'*' if self.kind(at + 1) == b'=' => {
                self.blank(at, at + 1);
                at + 1
            }
            OPERATOR if at < self.head_until && self.word(at) == "*=" => {
                self.put(self.tokens[at].start, b' ');
                at + 1
            }
            b',' => self.comma_at(at),
            ELLIPSIS if self.parens > 0 && self.is_name(at + 1) => {
                self.pointers_of_pack();
                at + 1
            }
            _ => at + 1,
        }
    }

    /// A default in braces, where the grammar wants an expression.
    fn default_list_at(&mut self, at: usize) -> usize {
        let close = self.pair(at).unwrap_or(at);
        let list = (self.tokens[at].start, self.tokens[close].end);
        self.mark(MarkKind::DefaultList, at, list);
        self.blank_keep(at, close + 1, b"0");
        close + 1
    }

    /// `Ts *... p`: the grammar knows packs of values and references only.
    fn pointers_of_pack(&mut self) {
        let mut star = self.previous;
        while self.kind(star) == b'*' {
            self.mark(MarkKind::PackPointer, star, (0, 0));
            self.blank(star, star + 1);
            let before = (0..star).rev().find(|before| !self.is_blank[*before]);
            let Some(before) = before else { return };
            star = before;
        }
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn word_at(&mut self, at: usize) -> usize {
        let word = self.word(at);
        if word.starts_with('_') || word.starts_with('C') || word == "alignas" {
            if is_attribute_word(word) {
                return self.attribute_word(at, word);
            }
            if let Some(next) = self.attribute_call(at, word) {
                return next;
            }
        }
        match word {
            "asm" | "__asm__" | "__asm" | "_asm" => return self.asm_at(at),
            "__restrict__" | "__restrict" | "restrict" => return self.attribute_word(at, word),
            "__volatile__" | "__const" | "__const__" | "__signed__" => {
                self.blank(at, at + 1);
                return at + 1;
            }
            "typeof" | "__typeof__" | "__typeof" | "typeid" if self.kind(at + 1) == b'(' => {
                return self.type_of_at(at, word);
            }
            "decltype" => {
                if let Some(past) = self.decltype_at(at) {
                    return past;
                }
            }
            "sizeof" if self.kind(at + 1) == b'(' => {
                if let Some(past) = self.size_before_sign(at) {
                    return past;
                }
            }
            "new" => self.new_at(at),
            "inline" if self.word(at + 1) == "friend" => {
                self.blank(at, at + 1);
                return at + 1;
            }
            "delete" if self.previous_kind() == b'=' && self.kind(at + 1) == b';' => {
                self.blank(self.previous, at + 1);
                return at + 1;
            }
            "typename" if at >= self.head_until && self.makes_object(at) => {
                self.blank(at, at + 1);
                return at + 1;
            }
            "extern" if self.kind(at + 1) == STRING && self.kind(at + 2) != b'{' => {
                self.blank(at, at + 2);
                return at + 2;
            }
            "extern" if self.kind(at + 1) == STRING => self.pending = Some(Scope::Space),
            "template" => return self.template_at(at),
            "operator"
                if matches!(self.previous_kind(), b'.' | ARROW) && self.kind(at + 3) == b'<' =>
            {
                return self.call_operator_at(at);
            }
            "unsigned" | "signed" | "short" | "long"
                if self.scope() == Scope::Body
                    && self.kind(at + 1) == b'('
                    && self.is_operand_place()
                    && self.is_functional_cast(at + 1) =>
            {
                // `unsigned(x)`: an ordinary name to the grammar.
                self.put(self.tokens[at].start, b'z');
            }
            "switch" if self.kind(at + 1) == b'(' => {
                // `switch (x) case 1: …;`: the grammar wants braces, and none behind `while`.
                if let Some(close) = self.pair(at + 1)
                    && self.kind(close + 1) != b'{'
                {
                    self.blank_keep(at, at + 1, b"while");
                }
            }
            "case" => self.case_range(at),
            "using" => return self.using_at(at),
            // `using typename B::T;`
            "typename" if self.previous_word() == "using" => {
                self.blank(at, at + 1);
                return at + 1;
            }
            "pragma" if self.word(at + 1) == "pack" && self.kind(at + 2) == b'(' => {
                if let Some(close) = self.pair(at + 2) {
                    self.pack_at(at + 3, close);
                    self.blank(at, close + 1);
                    return close + 1;
                }
            }
            "pragma" if self.word(at + 1) == "omp" => {
                let line = self.tokens[at].start as usize;
                let length = self.source[line..].find('\n');
                let end = length.map_or(self.source.len(), |length| line + length) as u32;
                let mut past = at + 1;
                while self.tokens.get(past).is_some_and(|token| token.start < end) {
                    past += 1;
                }
                self.blank(at, past);
                return past;
            }
            "operator" => return self.operator_name(at),
            "typedef" if !self.at_start() || self.previous == self.closed_type => {
                // `struct { … } typedef T;`: a variable to the grammar.
                self.mark(MarkKind::Typedef, at, (0, 0));
                self.blank(at, at + 1);
                return at + 1;
            }
            "namespace" | "struct" | "class" | "union" | "enum" => self.scope_word(at, word),
            "for" | "while" | "do" | "if" | "switch" | "return"
                if self.previous_kind() == IDENT
                    && is_macro_like(self.previous_word())
                    && self.scope() == Scope::Body =>
            {
                // `UNROLL for (…)`: a macro nobody expanded.
                let before = self.previous;
                self.blank(before, before + 1);
            }
            _ if !is_keyword(word) => return self.name_at(at, word),
            _ => {}
        }
        at + 1
    }

    /// `typeof(x)` and `typeid(x)`.
    fn type_of_at(&mut self, at: usize, word: &str) -> usize {
        let Some(close) = self.pair(at + 1) else {
            return at + 1;
        };
        if word == "typeid" {
            self.blank(at + 1, close + 1);
        } else {
            let inside = (self.tokens[at + 1].end, self.tokens[close].start);
            self.mark(MarkKind::TypeOf, at, inside);
            self.blank_keep(at, close + 1, b"auto");
        }
        close + 1
    }

    fn template_at(&mut self, at: usize) -> usize {
        if matches!(self.previous_kind(), b'.' | ARROW | SCOPE) {
            self.blank(at, at + 1);
            if self.kind(at + 2) == b'<' {
                self.forced_angle = at + 2;
            }
        } else if self.kind(at + 1) == b'<' {
            let end = names::head_end(self.source, &self.tokens, &self.pairs, at + 1);
            self.head_until = self.head_until.max(end);
            self.forced_angle = at + 1;
        } else if self.scope() == Scope::Space
            && matches!(self.word(at + 1), "class" | "struct" | "union")
        {
            let end = (at..self.tokens.len()).find(|at| matches!(self.kind(*at), b';' | b'{'));
            if let Some(end) = end.filter(|end| self.kind(*end) == b';') {
                if at > 0 && self.word(at - 1) == "extern" {
                    // The instance is another file's.
                    self.blank(at, end);
                    return end;
                }
                // `template class C<float>;` has the form of an alias to the grammar.
                self.blank_keep(at, at + 2, b"using z=");
                return at + 2;
            }
        }
        at + 1
    }

    /// `f.operator()<N>()`: one name to the grammar.
    fn call_operator_at(&mut self, at: usize) -> usize {
        let (open, close) = (self.tokens[at + 1], self.tokens[at + 2]);
        if open.start != self.tokens[at].end || close.start != open.end {
            return at + 1;
        }
        self.put(self.tokens[at].start, b'z');
        self.put(open.start, b'_');
        self.put(close.start, b'_');
        self.forced_angle = at + 3;
        at + 3
    }

    /// What the next brace opens.
    fn scope_word(&mut self, at: usize, word: &str) {
        match word {
            "namespace" => self.pending = Some(Scope::Space),
            "enum" => self.pending = Some(Scope::Enum),
            _ if at >= self.head_until && self.pending != Some(Scope::Enum) => {
                self.pending = Some(Scope::Record);
            }
            _ => {}
        }
    }

    /// Whether the token before is one after which an operand stands, never a declaration.
    fn follows_operator(&self) -> bool {
        match self.previous_kind() {
            AND_AND | OR_OR | SHIFT_LEFT | OPERATOR => true,
            kind => b"(,={[?!~|^%+-*/&".contains(&kind),
        }
    }

    /// Blanks tokens and writes `word` in their place.
    fn blank_keep(&mut self, from: usize, past: usize, word: &[u8]) {
        self.blank(from, past);
        let start = self.tokens[from].start as usize;
        if let Some(place) = self.out.get_mut(start..start + word.len()) {
            place.copy_from_slice(word);
        }
        self.is_blank[from] = false;
    }

    /// `operator!=(a, b)` in an expression: an ordinary name to the grammar, unless a path leads to it.
    fn operator_name(&mut self, at: usize) -> usize {
        let end = self.operator_end(at);
        let is_call = self.scope() == Scope::Body
            && !matches!(self.previous_kind(), b'.' | ARROW | SCOPE)
            && self.kind(end) == b'('
            && end > at + 1;
        if !is_call {
            return end;
        }
        let (from, past) = (self.tokens[at].start, self.tokens[end - 1].end);
        let between = self.tokens[at..end].windows(2);
        let is_open = between
            .map(|pair| (pair[0].end, pair[1].start))
            .any(|(from, to)| {
                let space = self.out.get(from as usize..to as usize);
                !space.is_some_and(|space| space.iter().all(|byte| *byte == b' '))
            });
        if is_open {
            return end;
        }
        self.put(from, b'z');
        for byte in from + 8..past {
            self.put(byte, b'_');
        }
        end
    }

    fn operator_end(&self, at: usize) -> usize {
        let mut end = at + 1;
        match self.kind(end) {
            b'(' | b'[' => return end + 2,
            IDENT => return end,
            _ => {}
        }
        while end < at + 5 && !matches!(self.kind(end), b'(' | IDENT | NONE | b';') {
            end += 1;
        }
        end
    }

    fn name_at(&mut self, at: usize, word: &'t str) -> usize {
        match self.scope() {
            Scope::Space | Scope::Record => {
                // `DI void f(`: two letters, where no type can stand.
                let is_short = word.len() == 2
                    && word.bytes().all(|byte| byte.is_ascii_uppercase())
                    && self.kind(at + 1) == IDENT;
                if is_macro_like(word) && self.follows_parameters(at) {
                    self.blank(at, at + 1);
                    return at + 1;
                }
                if (is_macro_like(word) || is_short)
                    && !self.names.declares_type(word)
                    && let Some(end) = self.declaration_macro(at)
                {
                    self.blank(at, end);
                    return end;
                }
            }
            Scope::Body => {
                if self.kind(at + 1) == b'(' {
                    if self.declares_with_parens(at) {
                        self.braces_for_parens(at + 1);
                    } else if is_macro_like(word) && self.at_start() {
                        self.finish_statement(at + 1);
                    }
                }
            }
            // `MORE_VALUES A1`, `B1 IS_FIVE`: whatever the macro is, it decides values.
            Scope::Enum => {
                let is_first = matches!(self.previous_kind(), b'{' | b',');
                let next = self.word(at + 1);
                if is_first && self.kind(at + 1) == IDENT && !is_attribute_word(next) {
                    let between = self.tokens[at].end..self.tokens[at + 1].start;
                    let mut between = between
                        .filter(|byte| self.source.as_bytes().get(*byte as usize) == Some(&b' '));
                    if let Some(space) = between.next() {
                        self.put(space, b'=');
                    }
                }
            }
        }
        at + 1
    }
}
