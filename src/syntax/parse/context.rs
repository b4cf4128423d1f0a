//! What every part of conversion shares: the texts, the marks, interned names,
//! the bound on depth, and the list of problems.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cst::{CstParser, Kind, Node};
use super::lex::Token;
use super::names::Names;
use super::repair::{AsmMark, Mark, MarkKind, Repaired};
use crate::syntax::ast::{Expr, ExprKind, Name, Path, Problem, Range};

/// Nesting beyond this is given up; a thread's stack must hold it.
pub const MAX_DEPTH: u32 = 400;

/// Said once where the bound is met.
pub const TOO_DEEP: &str = "nested too deeply to be read";

/// The context of one unit.
pub struct Context<'t> {
    /// What the user's text expanded to: names, operators and literals are read here.
    pub source: &'t str,
    /// What the grammar saw.
    pub repaired: String,
    marks: Vec<Mark>,
    asms: Vec<AsmMark>,
    pub tokens: Vec<Token>,
    pub pairs: Vec<u32>,
    pub names: Names<'t>,
    /// `#pragma pack`: from where on, and the bound.
    pub packs: Vec<(u32, Option<u64>)>,
    interned: RefCell<FxHashSet<Name>>,
    depth: Cell<u32>,
    /// A call that is a cast applied further out, so that here it is only its operand.
    pub hoisted: Cell<Option<Range>>,
    pub problems: RefCell<Vec<Problem>>,
    /// The namespace aliases of the blocks that are being read, those of inner blocks last.
    pub aliases: RefCell<Vec<(Name, Path)>>,
    pub parser: RefCell<&'t mut CstParser>,
}

impl<'t> Context<'t> {
    pub fn new(source: &'t str, repaired: Repaired<'t>, parser: &'t mut CstParser) -> Self {
        Self {
            source,
            repaired: repaired.text,
            marks: repaired.marks,
            asms: repaired.asms,
            tokens: repaired.tokens,
            pairs: repaired.pairs,
            names: repaired.names,
            packs: repaired.packs,
            interned: RefCell::default(),
            depth: Cell::new(0),
            hoisted: Cell::new(None),
            problems: RefCell::default(),
            aliases: RefCell::default(),
            parser: RefCell::new(parser),
        }
    }

    pub fn intern(&self, text: &str) -> Name {
        let mut interned = self.interned.borrow_mut();
        if let Some(name) = interned.get(text) {
            return name.clone();
        }
        let name: Name = Arc::from(text);
        interned.insert(name.clone());
        name
    }

    /// A list without room for more: trees are kept, and most of their lists have one element.
    pub fn tight<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut items: Vec<T> = items.into_iter().collect();
        items.shrink_to_fit();
        items
    }

    /// The original text of a node.
    pub fn text(&self, node: Node<'_>) -> &'t str {
        self.slice(node.range())
    }

    pub fn slice(&self, range: Range) -> &'t str {
        self.source
            .get(range.start as usize..range.end as usize)
            .unwrap_or("")
    }

    pub fn name(&self, node: Node<'_>) -> Name {
        self.intern(self.text(node))
    }

    /// Runs `convert` one level deeper; `None` beyond the bound.
    pub fn deeper<T>(&self, at: Range, convert: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            self.problem(at, TOO_DEEP);
            return None;
        }
        self.depth.set(depth + 1);
        let result = convert();
        self.depth.set(depth);
        Some(result)
    }

    /// Runs `convert` as `levels` deeper: a chain handled in a loop nests as deep as one
    /// handled by recursion, and whoever walks or drops it recurses.
    pub fn deeper_by<T>(&self, levels: usize, convert: impl FnOnce() -> T) -> T {
        let depth = self.depth.get();
        self.depth.set(depth.saturating_add(levels as u32));
        let result = convert();
        self.depth.set(depth);
        result
    }

    /// Levels left before the bound.
    pub fn levels_left(&self) -> usize {
        MAX_DEPTH.saturating_sub(self.depth.get()) as usize
    }

    pub fn problem(&self, range: Range, message: &str) {
        let mut problems = self.problems.borrow_mut();
        // One deep tree must not give thousands of equal lines.
        if problems
            .last()
            .is_some_and(|last| last.range.end >= range.start && last.message == message)
        {
            return;
        }
        problems.push(Problem {
            range,
            message: message.to_owned(),
        });
    }

    /// Marks whose next word starts in `start..end`.
    pub fn marks(&self, start: u32, end: u32) -> &[Mark] {
        let from = self.marks.partition_point(|mark| mark.anchor < start);
        let past = from + self.marks[from..].partition_point(|mark| mark.anchor < end);
        &self.marks[from..past]
    }

    /// Whether something of a kind was taken out between two places.
    pub fn has_mark(&self, start: u32, end: u32, kind: MarkKind) -> bool {
        self.marks(start, end).iter().any(|mark| mark.kind == kind)
    }

    pub fn asm(&self, start: u32) -> Option<&AsmMark> {
        let at = self
            .asms
            .binary_search_by_key(&start, |mark| mark.start)
            .ok()?;
        self.asms.get(at)
    }

    /// The first byte at or after `at` that the grammar saw as text.
    pub fn skip_space(&self, at: u32) -> u32 {
        let bytes = self.repaired.as_bytes();
        let mut at = at as usize;
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at as u32
    }

    pub fn error(range: Range) -> Expr {
        Expr {
            kind: ExprKind::Error,
            range,
        }
    }

    /// Why `node` is not to be trusted, if so.
    pub fn problem_of(&self, node: Node<'_>) -> Option<Problem> {
        node.has_error()
            .then(|| node.first_error())
            .flatten()
            .map(|at| self.describe(at))
    }

    /// The first place of a declaration that could not be read, outside of the functions and classes that it defines: these
    /// report their own.
    pub fn problem_of_declaration(&self, node: Node<'_>) -> Option<Problem> {
        fn first<'c>(node: Node<'c>) -> Option<Node<'c>> {
            if node.is_unread() {
                return Some(node);
            }
            let is_apart = matches!(
                node.kind(),
                Kind::FunctionDefinition
                    | Kind::CompoundStatement
                    | Kind::LambdaExpression
                    | Kind::FieldDeclarationList
                    | Kind::StaticAssert
            );
            if is_apart || !node.has_error() {
                return None;
            }
            node.children().find_map(first)
        }
        first(node).map(|at| self.describe(at))
    }

    /// One sentence on an error node.
    pub fn describe(&self, at: Node<'_>) -> Problem {
        let range = at.range();
        let message = if at.is_missing() {
            format!("something is missing here (expected {})", at.expected())
        } else {
            let text = self.text(at);
            let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if shown.chars().count() > 40 {
                shown = shown.chars().take(40).collect();
                shown.push('…');
            }
            format!("cannot be read from `{shown}` on")
        };
        Problem { range, message }
    }
}
