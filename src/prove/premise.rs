//! Premises of the walk as claims: what Z3 is asked about loops.
//!
//! Given a formula, gives the text whose assertions are unsatisfiable just if its claims hold. Terms mean
//! integers, and what is reduced to a type is written as a remainder; formulas with operations on bits
//! are written over words of 64 bits, which no part of them passes. Given a walk, gives which of its
//! premises hold. Knows nothing of loops or costs.

use super::claim::{Claim, Hash};
use super::claim_kind::ClaimKind;
use super::decide::Proved;
use super::smt::Answer;
use super::verdict;
use crate::access::{Premise, Visit, Walk};
use crate::ir::Scalar;
use crate::term::formula::{Formula, Node, NodeId};
use crate::term::{LIMIT, Op};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// Answers to the premises of a walk.
#[derive(Default)]
pub struct Grounds {
    /// Of each premise that holds its claim, and whether that one assumes something.
    held: Vec<SettledPremise>,
    /// The first premise that does not hold, and why.
    failure: Option<String>,
}

struct SettledPremise {
    claim: verdict::Claim,
    is_assumed: bool,
    until: usize,
}

impl Grounds {
    /// Asks for the premises of a walk, up to the first that does not hold.
    pub fn of(walk: &Walk, prove: &dyn Fn(Hash, &Claim) -> Answer, keep: &mut Vec<Proved>) -> Self {
        let mut grounds = Self::default();
        for premise in &walk.premises {
            match ask(premise, prove, keep) {
                Ok((claim, is_assumed)) => grounds.held.push(SettledPremise {
                    claim,
                    is_assumed,
                    until: premise.until.unwrap_or(usize::MAX),
                }),
                Err(reason) => {
                    grounds.failure = Some(reason);
                    break;
                }
            }
        }
        grounds
    }

    /// Why nothing may rest on so many premises; `None` where they hold.
    #[must_use]
    pub fn failure(&self, premises: usize) -> Option<&str> {
        let missing = "a premise of this place is not stated";
        (self.held.len() < premises).then_some(self.failure.as_deref().unwrap_or(missing))
    }

    /// Why some of the walk may be wrong.
    #[must_use]
    pub fn any_failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The premises that the visit with this number rests on.
    fn held(&self, number: usize, visit: &Visit) -> impl Iterator<Item = &SettledPremise> {
        let held = self.held.iter().take(visit.premises);
        held.filter(move |held| number < held.until)
    }

    /// Whether what the visit rests on holds for arithmetic that does not wrap only.
    #[must_use]
    pub fn is_assumed(&self, number: usize, visit: &Visit) -> bool {
        self.held(number, visit).any(|held| held.is_assumed)
    }

    /// The claims that the visit with this number rests on, each once.
    #[must_use]
    pub fn claims(&self, number: usize, visit: &Visit) -> Vec<verdict::Claim> {
        let mut seen: FxHashSet<Hash> = FxHashSet::default();
        let held = self.held(number, visit);
        let new = held.filter(|held| seen.insert(held.claim.obligation));
        new.map(|held| held.claim.clone()).collect()
    }
}

/// The claim that proved a premise, and whether it assumes something; else why there is none.
fn ask(
    premise: &Premise,
    prove: &dyn Fn(Hash, &Claim) -> Answer,
    keep: &mut Vec<Proved>,
) -> Result<(verdict::Claim, bool), String> {
    let of = || {
        let kind = ClaimKind::Premise(premise.kind).name();
        format!("the {kind} of `{}`", premise.of)
    };
    let Some(claim) = &premise.claim else {
        return Err(format!("{} is not claimed", of()));
    };
    let mut last = Answer::Unknown;
    for (formula, assumes) in [(Some(claim), false), (premise.unwrapped.as_ref(), true)] {
        let Some(formula) = formula else { continue };
        let claim = Claim::Premise(premise.kind, formula.clone());
        let (hash, kind) = (claim.hash(), claim.kind());
        last = prove(hash, &claim);
        if last == Answer::Proved || premise.unwrapped.is_none() || assumes {
            keep.push(Proved {
                claim: Arc::new(claim),
                hash,
                answer: last,
            });
        }
        if last == Answer::Proved {
            let claim = verdict::Claim {
                kind,
                obligation: hash,
            };
            return Ok((claim, assumes));
        }
    }
    Err(match last {
        Answer::Refuted => format!("the solver refuted {}: please report it", of()),
        _ => format!("the solver reached its resource limit at {}", of()),
    })
}

/// The claims of a formula, negated.
#[must_use]
pub fn text(formula: &Formula) -> String {
    Writer {
        formula,
        is_words: formula.has_bits(),
        intervals: formula.intervals(),
    }
    .text()
}

struct Writer<'f> {
    formula: &'f Formula,
    is_words: bool,
    intervals: Vec<(i64, i64)>,
}

impl Writer<'_> {
    fn text(&self) -> String {
        let (logic, sort) = if self.is_words {
            ("QF_BV", "(_ BitVec 64)")
        } else if self.formula.is_nonlinear() {
            ("QF_NIA", "Int")
        } else {
            ("QF_LIA", "Int")
        };
        let at_most = if self.is_words { "bvsle" } else { "<=" };
        let mut text = format!("(set-logic {logic})\n");
        for (at, (low, high)) in self.formula.unknowns.iter().enumerate() {
            let _ = writeln!(text, "(declare-const u{at} {sort})");
            if *low > -LIMIT {
                let _ = writeln!(text, "(assert ({at_most} {} u{at}))", self.int(*low));
            }
            if *high < LIMIT {
                let _ = writeln!(text, "(assert ({at_most} u{at} {}))", self.int(*high));
            }
        }
        for (at, node) in self.formula.nodes.iter().enumerate() {
            if matches!(node, Node::Number(_) | Node::Unknown(_)) {
                continue;
            }
            let sort = if is_condition(node) { "Bool" } else { sort };
            let _ = writeln!(
                text,
                "(define-fun t{at} () {sort} {})",
                self.operation(node)
            );
        }
        for condition in &self.formula.given {
            let _ = writeln!(text, "(assert {})", self.condition(*condition));
        }
        let claims: Vec<String> = self
            .formula
            .claims
            .iter()
            .map(|id| self.condition(*id))
            .collect();
        let _ = writeln!(text, "(assert (not (and true {})))", claims.join("\n  "));
        text
    }

    fn int(&self, value: i64) -> String {
        if self.is_words {
            format!("#x{:016x}", value as u64)
        } else if value < 0 {
            format!("(- {})", value.unsigned_abs())
        } else {
            value.to_string()
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.formula.nodes[id as usize]
    }

    /// A part as a number.
    fn number(&self, id: NodeId) -> String {
        match self.node(id) {
            Node::Number(value) => self.int(*value),
            Node::Unknown(at) => format!("u{at}"),
            node if is_condition(node) => {
                format!("(ite t{id} {} {})", self.int(1), self.int(0))
            }
            _ => format!("t{id}"),
        }
    }

    /// A part as a condition.
    fn condition(&self, id: NodeId) -> String {
        if is_condition(self.node(id)) {
            format!("t{id}")
        } else {
            format!("(not (= {} {}))", self.number(id), self.int(0))
        }
    }

    fn is_not_negative(&self, id: NodeId) -> bool {
        self.intervals[id as usize].0 >= 0
    }

    fn operation(&self, node: &Node) -> String {
        match node {
            Node::Number(value) => self.int(*value),
            Node::Unknown(at) => format!("u{at}"),
            Node::Binary(op, a, b) => self.binary(*op, *a, *b),
            Node::Not(a) => format!("(not {})", self.condition(*a)),
            Node::Select(c, a, b) => format!(
                "(ite {} {} {})",
                self.condition(*c),
                self.number(*a),
                self.number(*b)
            ),
            Node::Wrap(ty, a) => self.wrap(*ty, *a),
            Node::Table(index, values) => {
                let index = self.number(*index);
                let mut text = self.int(values.last().copied().unwrap_or(0));
                for (at, value) in values.iter().enumerate().rev().skip(1) {
                    let at = self.int(at as i64);
                    text = format!("(ite (= {index} {at}) {} {text})", self.int(*value));
                }
                text
            }
        }
    }

    fn wrap(&self, ty: Scalar, a: NodeId) -> String {
        let x = self.number(a);
        if ty == Scalar::Bool {
            return self.condition(a);
        }
        if !ty.is_integer() || ty.bits() >= 64 {
            return x;
        }
        let size = 1_i64 << ty.bits();
        match (self.is_words, ty.is_signed()) {
            (true, false) => format!("(bvand {x} {})", self.int(size - 1)),
            (true, true) => {
                let by = self.int(64 - i64::from(ty.bits()));
                format!("(bvashr (bvshl {x} {by}) {by})")
            }
            (false, false) => format!("(mod {x} {size})"),
            (false, true) => format!("(- (mod (+ {x} {0}) {size}) {0})", size / 2),
        }
    }

    fn binary(&self, op: Op, a: NodeId, b: NodeId) -> String {
        if matches!(op, Op::LogicalAnd | Op::LogicalOr) {
            let join = if op == Op::LogicalAnd { "and" } else { "or" };
            return format!("({join} {} {})", self.condition(a), self.condition(b));
        }
        let (is_equal, is_logical) = (
            matches!(op, Op::Eq | Op::Ne),
            is_condition(self.node(a)) && is_condition(self.node(b)),
        );
        let (x, y) = if is_equal && is_logical {
            (self.condition(a), self.condition(b))
        } else {
            (self.number(a), self.number(b))
        };
        let word = |integer: &'static str, word: &'static str| {
            if self.is_words { word } else { integer }
        };
        let at_most = word("<=", "bvsle");
        let name = match op {
            Op::Add => word("+", "bvadd"),
            Op::Sub => word("-", "bvsub"),
            Op::Mul => word("*", "bvmul"),
            Op::Lt => word("<", "bvslt"),
            Op::Le => at_most,
            Op::Eq => "=",
            Op::Ne => "distinct",
            Op::Min => return format!("(ite ({at_most} {x} {y}) {x} {y})"),
            Op::Max => return format!("(ite ({at_most} {x} {y}) {y} {x})"),
            Op::Div | Op::Rem if !self.is_words => return self.quotient(op, a, &x, &y),
            Op::Div => "bvsdiv",
            Op::Rem => "bvsrem",
            Op::And | Op::Shl | Op::Shr if !self.is_words => return self.shifted(op, b, &x),
            Op::Shl => "bvshl",
            Op::Shr => "bvashr",
            Op::And => "bvand",
            Op::Or => "bvor",
            Op::Xor => "bvxor",
            Op::LogicalAnd | Op::LogicalOr => unreachable!("conditions are joined above"),
        };
        format!("({name} {x} {y})")
    }

    /// C truncates; `div` agrees with it where the dividend is not negative.
    fn quotient(&self, op: Op, a: NodeId, x: &str, y: &str) -> String {
        match (op, self.is_not_negative(a)) {
            (Op::Div, true) => format!("(div {x} {y})"),
            (Op::Div, false) => format!("(ite (<= 0 {x}) (div {x} {y}) (- (div (- {x}) {y})))"),
            (_, true) => format!("(mod {x} {y})"),
            (_, false) => format!("(ite (<= 0 {x}) (mod {x} {y}) (- (mod (- {x}) {y})))"),
        }
    }

    /// Operations on bits by a number that are sums, quotients and remainders by powers of two.
    fn shifted(&self, op: Op, b: NodeId, x: &str) -> String {
        let by = match self.node(b) {
            Node::Number(value) => *value,
            _ => 0,
        };
        match op {
            Op::Shl => format!("(* {x} {})", 1_i64 << by),
            Op::Shr => format!("(div {x} {})", 1_i64 << by),
            _ => format!("(mod {x} {})", i128::from(by) + 1),
        }
    }
}

fn is_condition(node: &Node) -> bool {
    match node {
        Node::Not(_) => true,
        Node::Wrap(ty, _) => *ty == Scalar::Bool,
        Node::Binary(op, ..) => matches!(
            op,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::PremiseKind;
    use crate::prove::smt;
    use crate::term::formula::{Depth, Draft, Keep};
    use crate::term::{Terms, fold};

    /// `None` where the formula cannot be written down.
    fn answer(claims: impl FnOnce(&mut Draft)) -> Option<Answer> {
        let terms = Terms::default();
        let mut draft = Draft::of(&terms, Depth::Whole);
        claims(&mut draft);
        let formula = Arc::new(draft.finish(Keep::Bounds)?);
        Some(smt::check(&Claim::Premise(PremiseKind::Width, formula)))
    }

    const VALUES: [i64; 7] = [-300, -8, -1, 0, 3, 7, 1_000_000];

    /// Operations mean in a formula what they mean in a term.
    #[test]
    fn operations_are_those_of_terms() {
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::Rem,
            Op::Shl,
            Op::Shr,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Min,
            Op::Max,
            Op::Eq,
            Op::Ne,
            Op::Lt,
            Op::Le,
            Op::LogicalAnd,
            Op::LogicalOr,
        ];
        for op in ops {
            for x in VALUES {
                for y in [-3, 0, 1, 3, 6] {
                    let is_shift = matches!(op, Op::Shl | Op::Shr);
                    let Some(value) = fold(op, x, y).filter(|_| !is_shift || y >= 0) else {
                        continue;
                    };
                    for off in [0, 1] {
                        let said = answer(|draft| {
                            // An unknown of one value is not taken for a number.
                            let (a, b) = (draft.unknown(x, x), draft.number(y));
                            let found = draft.binary(op, a, b);
                            let value = draft.number(value + off);
                            draft.equal(found, value);
                        });
                        // Nothing bounds what bits of negative numbers come to.
                        let is_bits = matches!(op, Op::And | Op::Or | Op::Xor);
                        if said.is_none() && is_bits && (x < 0 || y < 0) {
                            continue;
                        }
                        let wanted = [Answer::Proved, Answer::Refuted][off as usize];
                        assert_eq!(said, Some(wanted), "{op:?} {x} {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn types_hold_what_they_hold_in_terms() {
        let types = [
            Scalar::Bool,
            Scalar::I8,
            Scalar::U8,
            Scalar::I16,
            Scalar::U16,
            Scalar::I32,
            Scalar::U32,
            Scalar::I64,
        ];
        for ty in types {
            for x in VALUES.into_iter().chain([1 << 31, (1 << 32) + 5]) {
                for has_bits in [false, true] {
                    for off in [0, 1] {
                        let said = answer(|draft| {
                            let mut a = draft.unknown(x, x);
                            if has_bits {
                                let (one, other) = (draft.unknown(0, 0), draft.unknown(0, 0));
                                let zero = draft.binary(Op::Xor, one, other);
                                a = draft.binary(Op::Add, a, zero);
                            }
                            let found = draft.node(Node::Wrap(ty, a));
                            let value = draft.number(ty.wrap(x) + off);
                            draft.equal(found, value);
                        });
                        let wanted = [Answer::Proved, Answer::Refuted][off as usize];
                        assert_eq!(said, Some(wanted), "{ty:?} {x}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_table_has_its_values_in_order() {
        for (at, value) in [(0, 5), (1, 7), (2, -9)] {
            for off in [0, 1] {
                let said = answer(|draft| {
                    let index = draft.unknown(at, at);
                    let found = draft.node(Node::Table(index, vec![5, 7, -9].into()));
                    let value = draft.number(value + off);
                    draft.equal(found, value);
                });
                let wanted = [Answer::Proved, Answer::Refuted][off as usize];
                assert_eq!(said, Some(wanted));
            }
        }
    }

    /// Words of bits are not used where a part may come near their ends.
    #[test]
    fn what_may_pass_a_word_is_not_claimed() {
        let terms = Terms::default();
        for (high, is_made) in [(1 << 40, true), (LIMIT, false)] {
            let mut draft = Draft::of(&terms, Depth::Whole);
            let (a, b) = (draft.unknown(0, high), draft.unknown(0, 7));
            let found = draft.binary(Op::Xor, a, b);
            draft.equal(found, a);
            assert_eq!(draft.finish(Keep::Bounds).is_some(), is_made);
        }
    }
}
