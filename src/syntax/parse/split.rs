//! Each definition by itself.
//!
//! Given the tokens, splits file, namespaces and `extern "C"` blocks into
//! top-level chunks by matching brackets and parses each by itself. So an error
//! stays confined to the definition that holds it, what is said of the others
//! does not depend on it, no large tree is made, and the tree of a definition
//! serves every text that holds it.

use std::sync::Arc;

use super::context::Context;
use super::lex::{IDENT, STRING, UNPAIRED, word_at};
use super::names::head_end;
use super::repair::MarkKind;
use crate::syntax::ast::{
    Function, FunctionAttributes, FunctionKind, Item, Problem, Range, TypeExpr, TypeKind,
};

/// Bytes of a text whose definitions are parsed by several threads.
pub(super) const LARGE: usize = 1 << 20;

/// A longer definition takes more memory than a machine that runs checks may have: its tree has three
/// hundred times its bytes.
const MOST_BYTES: usize = 1 << 20;

/// A stretch of tokens, `from..past`.
#[derive(Clone, Copy)]
struct Chunk {
    from: usize,
    past: usize,
    /// The first brace at its top level.
    brace: Option<usize>,
}

/// Definitions between braces that are split as the file is.
struct Space {
    /// The tokens that name a namespace.
    names: Option<(usize, usize)>,
    is_inline: bool,
    from: usize,
    past: usize,
}

impl Context<'_> {
    /// Appends the items of the whole text.
    pub fn definitions(&self, out: &mut Vec<Item>) {
        if self.source.len() >= LARGE && rayon::current_num_threads() > 1 {
            let mut texts = Vec::new();
            self.texts_in(0, self.tokens.len(), &mut texts, 0);
            self.parser.borrow().prepare(&texts);
        }
        self.definitions_in(0, self.tokens.len(), out, 0);
    }

    /// Appends what the grammar will be given.
    fn texts_in<'s>(&'s self, from: usize, past: usize, out: &mut Vec<&'s str>, depth: u32) {
        let mut at = from;
        while let Some(chunk) = self.next_chunk(at, past) {
            at = chunk.past;
            match self.space(chunk, depth) {
                Some(space) => self.texts_in(space.from, space.past, out, depth + 1),
                None => {
                    let text = self.range(chunk).map(|range| self.text_of(range));
                    out.extend(text.filter(|text| text.len() <= MOST_BYTES));
                }
            }
        }
    }

    /// Where a stretch stands, blanks before it aside; `None` where there is nothing else.
    fn range(&self, chunk: Chunk) -> Option<Range> {
        let start = (chunk.from..chunk.past).find(|at| !self.is_blank(*at))?;
        Some(Range {
            start: self.tokens[start].start,
            end: self.tokens[chunk.past - 1].end,
        })
    }

    /// What the grammar is given of a range.
    fn text_of(&self, range: Range) -> &str {
        &self.repaired[range.start as usize..range.end as usize]
    }

    fn definitions_in(&self, from: usize, past: usize, out: &mut Vec<Item>, depth: u32) {
        let mut at = from;
        while let Some(chunk) = self.next_chunk(at, past) {
            at = chunk.past;
            self.chunk(chunk, out, depth);
        }
    }

    /// The bytes of a token, as the grammar saw them, are all blank.
    fn is_blank(&self, at: usize) -> bool {
        let token = self.tokens[at];
        self.repaired.as_bytes()[token.start as usize..token.end as usize]
            .iter()
            .all(u8::is_ascii_whitespace)
    }

    fn word(&self, at: usize) -> &str {
        word_at(self.source, &self.tokens, at)
    }

    fn next_chunk(&self, mut from: usize, past: usize) -> Option<Chunk> {
        while from < past
            && (self.is_blank(from) || matches!(self.tokens[from].kind, b';' | b'}' | b')'))
        {
            from += 1;
        }
        if from >= past {
            return None;
        }
        let mut brace = None;
        let mut at = from;
        // What `=` introduces ends at the `;`, braces or not; so does a type.
        let mut needs_semicolon = false;
        let mut has_equals = false;
        while at < past {
            match self.tokens[at].kind {
                b';' => {
                    return Some(Chunk {
                        from,
                        past: at + 1,
                        brace,
                    });
                }
                b'=' if brace.is_none() => {
                    has_equals = true;
                    needs_semicolon = true;
                }
                IDENT
                    if self.word(at) == "template"
                        && self
                            .tokens
                            .get(at + 1)
                            .is_some_and(|next| next.kind == b'<') =>
                {
                    at = head_end(self.source, &self.tokens, &self.pairs, at + 1).min(past);
                    continue;
                }
                IDENT if brace.is_none() => {
                    needs_semicolon |= matches!(
                        self.word(at),
                        "struct" | "class" | "union" | "enum" | "typedef" | "using"
                    );
                }
                b'(' if !self.is_blank(at) && brace.is_none() => {
                    // `struct S f() {`: a function after all.
                    if self.word(from) != "typedef" && self.word(from) != "using" {
                        needs_semicolon = has_equals;
                    }
                    at = self.close_of(at, past);
                }
                b'(' | b'[' => at = self.close_of(at, past),
                b'{' => {
                    let is_body = self.tokens[at.saturating_sub(1)].kind != b'=';
                    if is_body && brace.is_none() {
                        brace = Some(at);
                    }
                    let close = self.close_of(at, past);
                    // A member initialiser `b{2}` or a body: the body is not followed by `,` or `{`.
                    let next = self.tokens.get(close + 1).map_or(0, |token| token.kind);
                    // `int f() try { … } catch (…) { … }`
                    let is_caught = close + 1 < past && self.word(close + 1) == "catch";
                    if !needs_semicolon && !is_caught && !matches!(next, b',' | b'{') {
                        // `std::function<void(int)> f{…};`
                        let end = close + 1 + usize::from(next == b';');
                        return Some(Chunk {
                            from,
                            past: end.min(past),
                            brace: Some(at),
                        });
                    }
                    at = close;
                }
                _ => {}
            }
            at += 1;
        }
        Some(Chunk { from, past, brace })
    }

    fn close_of(&self, open: usize, past: usize) -> usize {
        match self.pairs[open] {
            UNPAIRED => {
                if self.tokens[open].kind == b'{' {
                    self.guess_close(open, past)
                } else {
                    open
                }
            }
            close => (close as usize).min(past.saturating_sub(1)),
        }
    }

    /// An unclosed brace is taken to close where the next definition begins a line.
    fn guess_close(&self, open: usize, past: usize) -> usize {
        let bytes = self.source.as_bytes();
        for at in open + 1..past {
            let start = self.tokens[at].start as usize;
            let begins_line = start == 0 || bytes[start - 1] == b'\n';
            let word = self.word(at);
            if begins_line
                && matches!(
                    word,
                    "__global__"
                        | "__device__"
                        | "__host__"
                        | "template"
                        | "static"
                        | "void"
                        | "int"
                        | "extern"
                        | "struct"
                        | "class"
                        | "namespace"
                        | "inline"
                        | "typedef"
                        | "using"
                )
            {
                return at - 1;
            }
        }
        past.saturating_sub(1)
    }

    fn chunk(&self, chunk: Chunk, out: &mut Vec<Item>, depth: u32) {
        let Some(range) = self.range(chunk) else {
            return;
        };
        if let Some(space) = self.space(chunk, depth) {
            return self.within(&space, out, depth);
        }
        let start = i64::from(range.start);
        let is_long = (range.end - range.start) as usize > MOST_BYTES;
        let tree = if is_long {
            None
        } else {
            self.parser.borrow_mut().piece(self.text_of(range), start)
        };
        let mut items = Vec::new();
        let mut problem = None;
        if let Some(tree) = &tree {
            self.items(tree.root(), &mut items);
            problem = self.problem_of(tree.root());
        }
        let confined = match items.as_slice() {
            [Item::Function(function)] => function.problem.is_some() || problem.is_none(),
            [Item::Record(record)] => {
                record.problem.is_some() || record_holds_problem(record) || problem.is_none()
            }
            _ => false,
        };
        let problem = match problem {
            Some(problem) if !confined => problem,
            None if tree.is_none() => Problem {
                range,
                message: if is_long {
                    format!("longer than {MOST_BYTES} bytes, tables of numbers aside")
                } else {
                    "could not be parsed in bounded time".to_owned()
                },
            },
            _ => {
                out.append(&mut items);
                return;
            }
        };
        match self.broken_function(chunk, problem.clone()) {
            Some(function) => {
                let body = items.into_iter().find_map(|item| match item {
                    Item::Function(found) if found.name == function.name => Arc::into_inner(found),
                    _ => None,
                });
                let function = match body {
                    Some(found) => Function {
                        problem: found.problem.or(Some(problem)),
                        ..found
                    },
                    None => function,
                };
                out.push(Item::Function(Arc::new(function)));
            }
            None => {
                out.append(&mut items);
                self.problems.borrow_mut().push(problem);
            }
        }
    }

    /// `namespace a::b { … }` or `extern "C" { … }`.
    fn space(&self, chunk: Chunk, depth: u32) -> Option<Space> {
        let brace = chunk.brace.filter(|_| depth < 50)?;
        let first = (chunk.from..brace)
            .find(|at| !self.is_blank(*at))
            .unwrap_or(brace);
        let is_linkage = self.word(first) == "extern"
            && self.tokens[first + 1].kind == STRING
            && first + 2 == brace;
        let is_inline = self.word(first) == "inline";
        let first = first + usize::from(is_inline);
        (is_linkage || self.word(first) == "namespace").then(|| Space {
            names: (!is_linkage).then_some((first + 1, brace)),
            is_inline,
            from: brace + 1,
            past: self.close_of(brace, chunk.past),
        })
    }

    fn within(&self, space: &Space, out: &mut Vec<Item>, depth: u32) {
        let Some((from, past)) = space.names else {
            return self.definitions_in(space.from, space.past, out, depth + 1);
        };
        let mut items = Vec::new();
        self.definitions_in(space.from, space.past, &mut items, depth + 1);
        let names = (from..past)
            .filter(|at| {
                self.tokens[*at].kind == IDENT && self.word(*at) != "inline" && !self.is_blank(*at)
            })
            .map(|at| {
                let is_first = at == from && space.is_inline;
                let is_inline = is_first || self.word(at - 1) == "inline";
                (self.intern(self.word(at)), is_inline)
            });
        self.nest(Some(names.collect()), items, out);
    }

    /// A stand-in for a definition that the grammar could not make a function of.
    fn broken_function(&self, chunk: Chunk, problem: Problem) -> Option<Function> {
        let brace = chunk.brace?;
        let mut name = None;
        let mut at = chunk.from;
        while self.word(at) == "template" {
            at = head_end(self.source, &self.tokens, &self.pairs, at + 1);
        }
        if matches!(
            self.word(at),
            "struct" | "class" | "union" | "enum" | "typedef" | "using" | "namespace"
        ) {
            return None;
        }
        while at < brace {
            let token = self.tokens[at];
            if token.kind == b'(' && !self.is_blank(at) {
                break;
            }
            if token.kind == IDENT && !self.is_blank(at) {
                name = Some(at);
            }
            at += 1;
        }
        let name = name.filter(|_| at < brace)?;
        let start = self.tokens[chunk.from].start;
        let end = self.tokens[chunk.past - 1].end;
        let mut attributes = FunctionAttributes::default();
        for mark in self.marks(start, self.tokens[at].start + 1) {
            match mark.kind {
                MarkKind::Global => attributes.global = true,
                MarkKind::Device => attributes.device = true,
                MarkKind::Host => attributes.host = true,
                _ => {}
            }
        }
        let token = self.tokens[name];
        let name_range = Range {
            start: token.start,
            end: token.end,
        };
        Some(Function {
            name: self.intern(self.word(name)),
            qualifier: None,
            templates: Vec::new(),
            arguments: Vec::new(),
            parameters: Vec::new(),
            result: TypeExpr {
                kind: TypeKind::None,
                is_const: false,
                is_volatile: false,
                range: name_range,
            },
            attributes,
            kind: FunctionKind::Plain,
            initialisers: Vec::new(),
            body: Some(Vec::new()),
            problem: Some(problem),
            range: Range { start, end },
            name_range,
        })
    }
}

fn record_holds_problem(record: &crate::syntax::ast::Record) -> bool {
    use crate::syntax::ast::Member;
    record.members.iter().any(|member| match member {
        Member::Function(function) => function.problem.is_some(),
        Member::Record(record) => record.problem.is_some() || record_holds_problem(record),
        _ => false,
    })
}
