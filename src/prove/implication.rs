//! Single claims over the terms of a walk.
//!
//! Given conditions and a claim as terms, gives whether Z3 proves that the claim holds for
//! every lane and every value of the symbols under which the conditions hold. Per-lane data
//! counts as any value at all.
//!
//! Terms mean integers; those with bit operations are put as vectors of bits, as wide as all
//! values need. Knows nothing of costs or accesses.

use super::explore::Problem;
use super::smt::{self, Answer};
use crate::access::Atomic;
use crate::gpu::cost::{Op as AccessOp, Space};
use crate::term::{Domain, LIMIT, Op, Sharing, SymbolId, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// Values in vectors of 64 bits stay below, in magnitude.
const MAX_VECTOR_VALUE: i64 = 1 << 40;
/// Vectors wider than this have all 64 bits.
const MAX_BOUNDED_BITS: u32 = 60;

/// Claims with their answers; equal texts are asked once.
#[derive(Debug, Default)]
pub struct Claims {
    answers: FxHashMap<String, Answer>,
}

impl Claims {
    /// Whether `given` implies `claim`. The sharing of the symbols of `terms` is forgotten:
    /// a claim speaks of one lane.
    pub fn hold(
        &mut self,
        terms: &mut Terms,
        lane: SymbolId,
        given: &[TermId],
        claim: TermId,
    ) -> Answer {
        match terms.constant(claim) {
            Some(0) => return Answer::Refuted,
            Some(_) => return Answer::Proved,
            None => {}
        }
        for symbol in 0..terms.symbol_count() {
            let symbol = terms.symbol_mut(SymbolId(symbol as u32));
            if matches!(symbol.sharing, Sharing::Varying(_)) {
                symbol.sharing = Sharing::Uniform;
            }
        }
        let mut problem = Problem {
            terms: std::mem::take(terms),
            lane,
            address: claim,
            guards: given.to_vec(),
            space: Space::Shared,
            op: AccessOp::Load,
            width: 4,
            rows: 0,
            atomic: Atomic::No,
            symbols: Vec::new(),
            narrowed: Vec::new(),
        };
        let (forms, are_equal) = implication(&mut problem);
        *terms = problem.terms;
        let mut last = Answer::Unknown;
        for form in forms {
            last = match self.answers.get(&form) {
                Some(known) => *known,
                None => {
                    let answer = smt::check_implication(&form);
                    self.answers.insert(form, answer);
                    answer
                }
            };
            if last == Answer::Proved || (are_equal && last == Answer::Refuted) {
                break;
            }
        }
        last
    }
}

struct Writer<'p> {
    problem: &'p mut Problem,
    /// Terms already defined, with their names.
    named: FxHashMap<TermId, String>,
    symbols: Vec<SymbolId>,
    seen: FxHashSet<SymbolId>,
    definitions: Vec<(String, String)>,
    /// Conditions without which an operation has another meaning.
    sides: Vec<String>,
    /// The bits of a vector where terms are put as vectors.
    vectors: Option<u32>,
    /// Put `x % d` as `x - d * (x / d)`.
    quotients: bool,
    next: u32,
}

fn has_bits(terms: &Terms, parts: &[TermId]) -> bool {
    parts.iter().any(|id| match terms.term(*id) {
        Term::Binary(Op::And | Op::Or | Op::Xor | Op::Shl, ..) => true,
        Term::Binary(Op::Shr, _, by) => terms.constant(*by).is_none(),
        _ => false,
    })
}

fn may_divide_by_zero(terms: &Terms, parts: &[TermId]) -> bool {
    parts.iter().any(|id| match terms.term(*id) {
        Term::Binary(Op::Div | Op::Rem, _, by) => {
            let (low, high) = terms.interval(*by);
            low <= 0 && high >= 0
        }
        _ => false,
    })
}

/// Bits of a vector that holds every value which one of these parts can have, as the domains of
/// its symbols bound it, with its sign. Z3 builds dividers and multipliers bit by bit: their size
/// is the square of it. Where a part has no such bound it is 64, as it is on the machine.
fn vector_bits(terms: &Terms, parts: &[TermId]) -> u32 {
    let (mut low, mut high) = (0, 1);
    for id in parts {
        let (least, most) = terms.interval(*id);
        low = least.min(low);
        high = most.max(high);
        if let Term::Table(_, values) = terms.term(*id) {
            high = high.max(values.len() as i64);
        }
    }
    let largest = (high as u64).max(low.unsigned_abs());
    let bits = u64::BITS - largest.leading_zeros() + 1;
    if bits > MAX_BOUNDED_BITS { 64 } else { bits }
}

impl Writer<'_> {
    fn int(&self, value: i64) -> String {
        if let Some(bits) = self.vectors {
            let mask = u64::MAX >> (u64::BITS - bits);
            return format!("(_ bv{} {bits})", value as u64 & mask);
        }
        if value < 0 {
            format!("(- {})", i128::from(value).unsigned_abs())
        } else {
            value.to_string()
        }
    }

    fn note_symbol(&mut self, symbol: SymbolId) {
        if self.seen.insert(symbol) {
            self.symbols.push(symbol);
        }
    }

    fn domain(&self, name: &str, domain: &Domain) -> Vec<String> {
        let (less, _) = self.comparisons();
        if let Some(values) = &domain.values {
            let any: Vec<String> = values
                .iter()
                .map(|value| format!("(= {name} {})", self.int(*value)))
                .collect();
            return vec![format!("(or {})", any.join(" "))];
        }
        // A bound that no vector of that width passes says nothing.
        let (limit, is_held) = match self.vectors {
            Some(64) => (MAX_VECTOR_VALUE, true),
            Some(bits) => (1 << (bits - 1), false),
            None => (LIMIT, false),
        };
        let mut bounds = Vec::new();
        if domain.low > -limit || is_held {
            bounds.push(format!(
                "({less} {} {name})",
                self.int(domain.low.max(-limit))
            ));
        }
        if domain.high < limit || is_held {
            bounds.push(format!(
                "({less} {name} {})",
                self.int(domain.high.min(limit))
            ));
        }
        bounds
    }

    /// Names of "at most" and "below".
    fn comparisons(&self) -> (&'static str, &'static str) {
        (self.either("bvsle", "<="), self.either("bvslt", "<"))
    }

    /// The name of an operation on vectors, or on integers.
    fn either(&self, vector: &'static str, integer: &'static str) -> &'static str {
        if self.vectors.is_some() {
            vector
        } else {
            integer
        }
    }

    fn sum(&self, parts: &[String]) -> String {
        match parts {
            [] => self.int(0),
            [one] => one.clone(),
            _ => format!("({} {})", self.either("bvadd", "+"), parts.join(" ")),
        }
    }

    fn minus(&self, a: &str, b: &str) -> String {
        format!("({} {a} {b})", self.either("bvsub", "-"))
    }

    fn times(&self, a: &str, b: &str) -> String {
        format!("({} {a} {b})", self.either("bvmul", "*"))
    }

    /// The term's name or literal, defining it and its parts first.
    fn term(&mut self, id: TermId) -> String {
        if let Some(name) = self.named.get(&id) {
            return name.clone();
        }
        let text = match self.problem.terms.term(id).clone() {
            Term::Const(value) => return self.int(value),
            Term::Symbol(symbol) => {
                debug_assert!(!matches!(
                    self.problem.terms.symbol(symbol).sharing,
                    Sharing::Varying(_)
                ));
                self.note_symbol(symbol);
                return format!("s{}", symbol.0);
            }
            Term::Binary(op, a, b) => {
                let (x, y) = (self.term(a), self.term(b));
                self.binary(op, a, b, &x, &y)
            }
            Term::Not(a) => {
                let a = self.term(a);
                self.truth(&format!("(= {a} {})", self.int(0)))
            }
            Term::Select(c, a, b) => {
                let (c, a, b) = (self.term(c), self.term(a), self.term(b));
                format!("(ite (not (= {c} {})) {a} {b})", self.int(0))
            }
            Term::Wrap(ty, a) => {
                // The normal form took the value for one that does not wrap.
                let inner = self.term(a);
                let domain = Domain::of_type(ty);
                for bound in self.domain(&inner, &domain) {
                    if !self.sides.contains(&bound) {
                        self.sides.push(bound);
                    }
                }
                return inner;
            }
            Term::Table(index, values) => {
                let index = self.term(index);
                let mut text = self.int(*values.last().unwrap_or(&0));
                for (at, value) in values.iter().enumerate().rev().skip(1) {
                    text = format!(
                        "(ite (= {index} {}) {} {text})",
                        self.int(at as i64),
                        self.int(*value)
                    );
                }
                text
            }
        };
        let name = format!("t{}", self.next);
        self.next += 1;
        self.definitions.push((name.clone(), text));
        self.named.insert(id, name.clone());
        name
    }

    fn truth(&self, condition: &str) -> String {
        format!("(ite {condition} {} {})", self.int(1), self.int(0))
    }

    fn binary(&mut self, op: Op, a: TermId, b: TermId, x: &str, y: &str) -> String {
        let v = self.vectors.is_some();
        let not_negative = |this: &Self, id: TermId| this.problem.terms.interval(id).0 >= 0;
        let (at_most, below) = self.comparisons();
        match op {
            Op::Add => self.sum(&[x.to_owned(), y.to_owned()]),
            Op::Sub => self.minus(x, y),
            Op::Mul => self.times(x, y),
            Op::Div | Op::Rem => {
                for id in [a, b] {
                    if !not_negative(self, id) {
                        // C truncates, the normal form takes the floor: they agree from 0 on.
                        let text = self.term(id);
                        let side = format!("({at_most} {} {text})", self.int(0));
                        if !self.sides.contains(&side) {
                            self.sides.push(side);
                        }
                    }
                }
                if op == Op::Rem && self.quotients {
                    let quotient = self.problem.terms.binary(Op::Div, a, b);
                    let quotient = self.term(quotient);
                    let product = self.times(y, &quotient);
                    return self.minus(x, &product);
                }
                let name = match (op, v) {
                    (Op::Div, false) => "div",
                    (Op::Div, true) => "bvudiv",
                    (_, false) => "mod",
                    (_, true) => "bvurem",
                };
                format!("({name} {x} {y})")
            }
            Op::Shl => format!("(bvshl {x} {y})"),
            Op::Shr if v => format!("(bvashr {x} {y})"),
            Op::Shr => {
                let by = self.problem.terms.constant(b).unwrap_or(0).clamp(0, 62);
                format!("(div {x} {})", 1_i64 << by)
            }
            Op::And => format!("(bvand {x} {y})"),
            Op::Or => format!("(bvor {x} {y})"),
            Op::Xor => format!("(bvxor {x} {y})"),
            Op::Min => format!("(ite ({at_most} {x} {y}) {x} {y})"),
            Op::Max => format!("(ite ({at_most} {x} {y}) {y} {x})"),
            Op::Eq => self.truth(&format!("(= {x} {y})")),
            Op::Ne => self.truth(&format!("(not (= {x} {y}))")),
            Op::Lt => self.truth(&format!("({below} {x} {y})")),
            Op::Le => self.truth(&format!("({at_most} {x} {y})")),
            Op::LogicalAnd | Op::LogicalOr => {
                let zero = self.int(0);
                let (p, q) = (
                    format!("(not (= {x} {zero}))"),
                    format!("(not (= {y} {zero}))"),
                );
                let join = if op == Op::LogicalAnd { "and" } else { "or" };
                self.truth(&format!("({join} {p} {q})"))
            }
        }
    }
}

/// Texts whose assertions are satisfiable just if all guards of `problem` hold somewhere while
/// its address, read as a condition, is 0: the negation of an implication, in two forms. And
/// whether they mean the same: where a divisor may be 0, they differ.
fn implication(problem: &mut Problem) -> (Vec<String>, bool) {
    let roots = problem.guards.iter().chain([&problem.address]).copied();
    let (terms, parts) = (&problem.terms, problem.terms.subterms(roots));
    let are_equal = !may_divide_by_zero(terms, &parts);
    let vectors = has_bits(terms, &parts).then(|| vector_bits(terms, &parts));
    let mut forms = vec![implication_text(problem, vectors, false)];
    let other = implication_text(problem, vectors, true);
    if !forms.contains(&other) {
        forms.push(other);
    }
    (forms, are_equal)
}

fn implication_text(problem: &mut Problem, vectors: Option<u32>, quotients: bool) -> String {
    let claim = problem.address;
    let guards = problem.guards.clone();
    let mut writer = Writer {
        problem,
        named: FxHashMap::default(),
        symbols: Vec::new(),
        seen: FxHashSet::default(),
        definitions: Vec::new(),
        sides: Vec::new(),
        vectors,
        quotients,
        next: 0,
    };
    let zero = writer.int(0);
    let wrong = format!("(= {} {zero})", writer.term(claim));
    let given: Vec<String> = guards
        .iter()
        .map(|guard| format!("(not (= {} {zero}))", writer.term(*guard)))
        .collect();
    let (logic, sort) = match vectors {
        Some(bits) => ("QF_BV", format!("(_ BitVec {bits})")),
        None => ("ALL", "Int".to_owned()),
    };
    let mut text = format!("(set-logic {logic})\n");
    let mut domains = Vec::new();
    for symbol in writer.symbols.clone() {
        let name = format!("s{}", symbol.0);
        let _ = writeln!(text, "(declare-const {name} {sort})");
        let domain = writer.problem.terms.symbol(symbol).domain.clone();
        domains.extend(writer.domain(&name, &domain));
    }
    for (name, body) in &writer.definitions {
        let _ = writeln!(text, "(define-fun {name} () {sort} {body})");
    }
    for condition in domains
        .iter()
        .chain(&writer.sides)
        .chain(&given)
        .chain([&wrong])
    {
        let _ = writeln!(text, "(assert {condition})");
    }
    text
}
