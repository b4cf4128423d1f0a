//! Formulas: conditions over numbered unknowns, which need no table of terms to be understood.
//!
//! Given terms of an arena, gives a copy over unknowns with bounds, in which symbols are replaced as
//! asked. Nothing is folded: what a copy says does not rest on how terms take their simplest form.
//! Equal copies of terms that differ in names only are equal. Knows nothing of what is claimed.

use super::mention::Mention;
use super::{LIMIT, Op, SymbolId, Term, TermId, Terms, binary_interval};
use crate::ir::Scalar;
use crate::term::Domain;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

/// Ranges of types and of their non-negative halves, smaller ones first.
const RANGES: [(i64, i64); 9] = [
    (0, i8::MAX as i64),
    (i8::MIN as i64, i8::MAX as i64),
    (0, u8::MAX as i64),
    (0, i16::MAX as i64),
    (i16::MIN as i64, i16::MAX as i64),
    (0, u16::MAX as i64),
    (0, i32::MAX as i64),
    (i32::MIN as i64, i32::MAX as i64),
    (0, u32::MAX as i64),
];
/// Parts of a formula; a larger one is not made.
const MAX_NODES: usize = 6_000;
/// Most formulas have no more.
const USUAL_NODES: usize = 28;

/// A part of a formula, by its place.
pub type NodeId = u32;

/// One operation; its parts come before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Number(i64),
    Unknown(u32),
    Binary(Op, NodeId, NodeId),
    Not(NodeId),
    Select(NodeId, NodeId, NodeId),
    Wrap(Scalar, NodeId),
    Table(NodeId, Arc<[i64]>),
}

/// Claims that hold wherever unknowns lie within their bounds and what is given holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    /// Least and greatest value of each unknown; none from [`LIMIT`] on.
    pub unknowns: Vec<(i64, i64)>,
    pub nodes: Vec<Node>,
    pub given: Vec<NodeId>,
    pub claims: Vec<NodeId>,
}

impl Formula {
    /// Bounds of each node.
    #[must_use]
    pub fn intervals(&self) -> Vec<(i64, i64)> {
        let mut found: Vec<(i64, i64)> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |id: &NodeId| found[*id as usize];
            let interval = match node {
                Node::Number(value) => (*value, *value),
                Node::Unknown(at) => self.unknowns[*at as usize],
                Node::Binary(op, a, b) => binary_interval(*op, of(a), of(b)),
                Node::Not(_) => (0, 1),
                Node::Select(_, a, b) => (of(a).0.min(of(b).0), of(a).1.max(of(b).1)),
                Node::Wrap(ty, a) => {
                    let (domain, inner) = (Domain::of_type(*ty), of(a));
                    if domain.low <= inner.0 && inner.1 <= domain.high {
                        inner
                    } else {
                        (domain.low, domain.high)
                    }
                }
                Node::Table(_, values) => {
                    let (low, high) = (values.iter().min(), values.iter().max());
                    (low.copied().unwrap_or(0), high.copied().unwrap_or(0))
                }
            };
            found.push(interval);
        }
        found
    }

    /// Whether it can only be written over words of bits.
    #[must_use]
    pub fn has_bits(&self) -> bool {
        let constant = |id: NodeId| match self.nodes[id as usize] {
            Node::Number(value) => Some(value),
            _ => None,
        };
        self.nodes.iter().any(|node| match *node {
            Node::Binary(Op::Or | Op::Xor, ..) => true,
            Node::Binary(Op::And, _, b) => {
                !constant(b).is_some_and(|mask| mask >= 0 && mask & (mask + 1) == 0)
            }
            Node::Binary(Op::Shl | Op::Shr, _, b) => {
                !constant(b).is_some_and(|by| (0..62).contains(&by))
            }
            _ => false,
        })
    }

    /// Whether it multiplies or divides by something that is no number.
    #[must_use]
    pub fn is_nonlinear(&self) -> bool {
        let is_number = |id: NodeId| matches!(self.nodes[id as usize], Node::Number(_));
        self.nodes.iter().any(|node| match *node {
            Node::Binary(Op::Mul, a, b) => !is_number(a) && !is_number(b),
            Node::Binary(Op::Div | Op::Rem, _, b) => !is_number(b),
            _ => false,
        })
    }
}

/// How far what a replacement leaves alone is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// It is one unknown.
    Whole,
    /// Down to symbols, quotients and operations on bits.
    Parts,
    /// Down to symbols.
    All,
}

/// Which bounds of unknowns a formula keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None.
    Nothing,
    /// Those of a type that holds the unknown: more formulas are equal.
    Types,
    Bounds,
}

/// Terms read with some symbols replaced.
pub struct Reading {
    by: Vec<(SymbolId, NodeId)>,
    replaced: Mention,
    done: FxHashMap<TermId, NodeId>,
}

impl Reading {
    #[must_use]
    pub fn with(by: Vec<(SymbolId, NodeId)>) -> Self {
        Self {
            replaced: Mention::of(by.iter().map(|(symbol, _)| *symbol).collect()),
            by,
            done: FxHashMap::default(),
        }
    }
}

/// A formula that is being made.
pub struct Draft<'t> {
    terms: &'t Terms,
    formula: Formula,
    /// Places of nodes by what they are.
    known: HashTable<NodeId>,
    unknown_of: FxHashMap<TermId, NodeId>,
    depth: Depth,
    /// Unknowns that were made for parts of what was taken apart.
    pub of_parts: usize,
}

impl<'t> Draft<'t> {
    #[must_use]
    pub fn of(terms: &'t Terms, depth: Depth) -> Self {
        Self {
            terms,
            formula: Formula {
                unknowns: Vec::new(),
                nodes: Vec::new(),
                given: Vec::new(),
                claims: Vec::new(),
            },
            known: HashTable::with_capacity(USUAL_NODES),
            unknown_of: FxHashMap::default(),
            depth,
            of_parts: 0,
        }
    }

    /// From here on what is left alone is taken apart as far as this.
    pub fn set_depth(&mut self, depth: Depth) {
        self.depth = depth;
    }

    /// Whether it became too large.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.formula.nodes.len() > MAX_NODES
    }

    pub fn node(&mut self, node: Node) -> NodeId {
        // An entry of a table of numbers is a number.
        if let Node::Table(index, values) = &node
            && let Node::Number(at) = self.formula.nodes[*index as usize]
            && let Some(value) = usize::try_from(at).ok().and_then(|at| values.get(at))
        {
            let value = *value;
            return self.number(value);
        }
        let nodes = &mut self.formula.nodes;
        let hash = FxBuildHasher.hash_one(&node);
        if let Some(known) = self.known.find(hash, |id| nodes[*id as usize] == node) {
            return *known;
        }
        let id = nodes.len() as NodeId;
        nodes.push(node);
        let hash_of = |id: &NodeId| FxBuildHasher.hash_one(&nodes[*id as usize]);
        self.known.insert_unique(hash, id, hash_of);
        id
    }

    pub fn number(&mut self, value: i64) -> NodeId {
        self.node(Node::Number(value))
    }

    pub fn binary(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        self.node(Node::Binary(op, a, b))
    }

    /// An unknown within these bounds.
    pub fn unknown(&mut self, low: i64, high: i64) -> NodeId {
        let at = self.formula.unknowns.len() as u32;
        self.formula.unknowns.push((low, high));
        self.node(Node::Unknown(at))
    }

    /// The term with its symbols replaced.
    pub fn read(&mut self, id: TermId, reading: &mut Reading) -> NodeId {
        if let Some(done) = reading.done.get(&id) {
            return *done;
        }
        if self.is_full() {
            return 0;
        }
        let node = if let Term::Const(value) = *self.terms.term(id) {
            self.number(value)
        } else if let Term::Symbol(symbol) = *self.terms.term(id)
            && let Some((_, by)) = reading.by.iter().find(|(old, _)| *old == symbol)
        {
            *by
        } else if self.is_taken_apart(id, reading) {
            let made = match self.terms.term(id).clone() {
                Term::Const(value) => Node::Number(value),
                Term::Symbol(_) => return self.whole(id),
                Term::Binary(op, a, b) => {
                    Node::Binary(op, self.read(a, reading), self.read(b, reading))
                }
                Term::Not(a) => Node::Not(self.read(a, reading)),
                Term::Select(c, a, b) => Node::Select(
                    self.read(c, reading),
                    self.read(a, reading),
                    self.read(b, reading),
                ),
                Term::Wrap(ty, a) => Node::Wrap(ty, self.read(a, reading)),
                Term::Table(index, values) => Node::Table(self.read(index, reading), values),
            };
            self.node(made)
        } else {
            self.whole(id)
        };
        reading.done.insert(id, node);
        node
    }

    fn is_taken_apart(&self, id: TermId, reading: &mut Reading) -> bool {
        if reading.replaced.is_in(self.terms, id) {
            return true;
        }
        if self.depth == Depth::All {
            return !matches!(self.terms.term(id), Term::Symbol(_));
        }
        let is_ring = match self.terms.term(id) {
            Term::Const(_) | Term::Not(_) | Term::Select(..) | Term::Wrap(..) => true,
            Term::Symbol(_) | Term::Table(..) => false,
            Term::Binary(op, ..) => !matches!(
                op,
                Op::Div | Op::Rem | Op::Shl | Op::Shr | Op::And | Op::Or | Op::Xor
            ),
        };
        is_ring && self.depth == Depth::Parts && !self.unknown_of.contains_key(&id)
    }

    /// The unknown that stands for a term.
    pub fn whole(&mut self, id: TermId) -> NodeId {
        if let Term::Const(value) = *self.terms.term(id) {
            return self.number(value);
        }
        if let Some(known) = self.unknown_of.get(&id) {
            return *known;
        }
        self.of_parts += usize::from(self.depth == Depth::Parts);
        let (low, high) = self.terms.interval(id);
        let node = self.unknown(low, high);
        self.unknown_of.insert(id, node);
        node
    }

    /// Whether anything in it is reduced to a type.
    #[must_use]
    pub fn wraps(&self) -> bool {
        let mut nodes = self.formula.nodes.iter();
        nodes.any(|node| matches!(node, Node::Wrap(..)))
    }

    pub fn given(&mut self, condition: NodeId) {
        self.formula.given.push(condition);
    }

    pub fn claim(&mut self, condition: NodeId) {
        if !self.formula.claims.contains(&condition) {
            self.formula.claims.push(condition);
        }
    }

    /// That two are equal; nothing is claimed of what is the same.
    pub fn equal(&mut self, a: NodeId, b: NodeId) {
        if a != b {
            let equal = self.binary(Op::Eq, a, b);
            self.claim(equal);
        }
    }

    /// The formula; `None` for one that became too large or cannot be written down.
    #[must_use]
    pub fn finish(mut self, keep: Keep) -> Option<Formula> {
        if self.is_full() {
            return None;
        }
        let nothing = (-LIMIT, LIMIT);
        if !self.formula.has_bits() {
            for bounds in &mut self.formula.unknowns {
                let (low, high) = *bounds;
                let holds = |(least, most): &&(i64, i64)| *least <= low && high <= *most;
                *bounds = match keep {
                    Keep::Bounds => *bounds,
                    Keep::Nothing => nothing,
                    Keep::Types => RANGES.iter().find(holds).copied().unwrap_or(nothing),
                };
            }
            return Some(self.formula);
        }
        // Words of 64 bits mean integers as long as nothing comes near their ends.
        let is_held = |(low, high): &(i64, i64)| -LIMIT < *low && *high < LIMIT;
        let fits = self.formula.intervals().iter().all(is_held);
        fits.then_some(self.formula)
    }
}
