//! Obligations: what Z3 is asked, as canonical SMT-LIB 2 text.
//!
//! Given the cases of a [`Problem`], gives texts whose assertions are satisfiable
//! just if some claim is wrong: for some case, lane and values of the symbols, the
//! original address term differs from the normal form that the costs were computed
//! from, the shared part leaves its residues, or a guard admits other lanes.
//!
//! Terms mean integers; those with bit operations are put as 64-bit vectors. Knows
//! nothing of costs.

use super::explore::{Leaf, Problem};
use super::finite;
use super::poly::LANES;
use crate::access::term::{Domain, LIMIT, Op, Sharing, SymbolId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// Cases of one obligation at most; more are spread over several.
const CASES: usize = 6;

/// One text and the kinds of claims in it.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The same claims in several forms, the most promising first: a solver that gives up on one
    /// may prove the next. With one symbolic lane and remainders by name, with remainders by
    /// quotient, and lane by lane.
    pub forms: Vec<String>,
    pub kinds: Vec<&'static str>,
}

/// The obligations of all cases.
#[must_use]
pub fn obligations(problem: &mut Problem, leaves: &[Leaf], modulus: i64) -> Vec<Obligation> {
    // Without a split, remainders cancel against quotients; after one they are numbers.
    let whole = leaves.len() == 1;
    leaves
        .chunks(CASES)
        .map(|chunk| {
            let (named, by_lane, kinds) = one(problem, chunk, modulus, false);
            let (by_quotient, _, _) = one(problem, chunk, modulus, true);
            let forms = if named == by_quotient {
                vec![named, by_lane]
            } else if whole {
                vec![by_quotient, named, by_lane]
            } else {
                vec![named, by_quotient, by_lane]
            };
            Obligation { forms, kinds }
        })
        .collect()
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
    vectors: bool,
    /// Names of values that stand for whole shared subterms.
    free: Vec<String>,
    whole: FxHashSet<TermId>,
    /// Put `x % d` as `x - d * (x / d)`.
    quotients: bool,
    next: u32,
}

/// One symbolic lane, lane by lane, and the kinds of claims.
fn one(
    problem: &mut Problem,
    leaves: &[Leaf],
    modulus: i64,
    quotients: bool,
) -> (String, String, Vec<&'static str>) {
    let vectors = leaves.iter().any(|leaf| {
        has_bits(problem, leaf.address)
            || leaf
                .guards
                .iter()
                .any(|(guard, _)| has_bits(problem, *guard))
    });
    let mut writer = Writer {
        problem,
        named: FxHashMap::default(),
        symbols: Vec::new(),
        seen: FxHashSet::default(),
        definitions: Vec::new(),
        sides: Vec::new(),
        vectors,
        free: Vec::new(),
        whole: FxHashSet::default(),
        quotients,
        next: 0,
    };
    let mut negations = Vec::new();
    let mut kinds = vec!["offsets"];
    for leaf in leaves {
        negations.push(writer.leaf(leaf, modulus, &mut kinds));
    }
    let lane = writer.problem.lane;
    writer.note_symbol(lane);
    let sort = if vectors { "(_ BitVec 64)" } else { "Int" };
    let mut head = String::new();
    head.push_str(if vectors {
        "(set-logic QF_BV)\n"
    } else {
        "(set-logic ALL)\n"
    });
    let mut domains = String::new();
    for symbol in writer.symbols.clone() {
        let name = format!("s{}", symbol.0);
        if symbol != lane {
            let _ = writeln!(head, "(declare-const {name} {sort})");
            let domain = writer.problem.terms.symbol(symbol).domain.clone();
            for bound in writer.domain(&name, &domain) {
                let _ = writeln!(domains, "(assert {bound})");
            }
        }
    }
    for name in &writer.free {
        let _ = writeln!(head, "(declare-const {name} {sort})");
    }
    let wrong = match negations.as_slice() {
        [single] => single.clone(),
        _ => format!("(or {})", negations.join("\n  ")),
    };
    let lane_name = format!("s{}", lane.0);

    let mut text = head.clone();
    let _ = writeln!(text, "(declare-const {lane_name} {sort})");
    for (name, body) in &writer.definitions {
        let _ = writeln!(text, "(define-fun {name} () {sort} {body})");
    }
    text.push_str(&domains);
    for bound in writer.domain(&lane_name, &Domain::range(0, 31)) {
        let _ = writeln!(text, "(assert {bound})");
    }
    for side in &writer.sides {
        let _ = writeln!(text, "(assert {side})");
    }
    let _ = writeln!(text, "(assert {wrong})");

    let mut by_lane = head;
    by_lane.push_str(&domains);
    let _ = writeln!(by_lane, "(define-fun wrong (({lane_name} {sort})) Bool");
    for (name, body) in &writer.definitions {
        let _ = writeln!(by_lane, "  (let (({name} {body}))");
    }
    let _ = writeln!(by_lane, "  (and true {} {wrong})", writer.sides.join(" "));
    let _ = writeln!(by_lane, "{})", ")".repeat(writer.definitions.len()));
    let lanes: Vec<String> = (0..LANES)
        .map(|at| format!("(wrong {})", writer.int(at as i64)))
        .collect();
    let _ = writeln!(by_lane, "(assert (or {}))", lanes.join(" "));
    (text, by_lane, kinds)
}

fn has_bits(problem: &Problem, term: TermId) -> bool {
    let mut stack = vec![term];
    let mut seen = FxHashSet::default();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match problem.terms.term(id) {
            Term::Const(_) | Term::Symbol(_) => {}
            Term::Binary(op, a, b) => {
                if matches!(op, Op::And | Op::Or | Op::Xor | Op::Shl) {
                    return true;
                }
                if *op == Op::Shr && problem.terms.constant(*b).is_none() {
                    return true;
                }
                stack.extend([*a, *b]);
            }
            Term::Not(a) | Term::Wrap(_, a) | Term::Table(a, _) => stack.push(*a),
            Term::Select(c, a, b) => stack.extend([*c, *a, *b]),
        }
    }
    false
}

impl Writer<'_> {
    fn int(&self, value: i64) -> String {
        if self.vectors {
            return format!("#x{:016x}", value as u64);
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
        let limit = if self.vectors { 1 << 40 } else { LIMIT };
        let mut bounds = Vec::new();
        if domain.low > -LIMIT || self.vectors {
            bounds.push(format!(
                "({less} {} {name})",
                self.int(domain.low.max(-limit))
            ));
        }
        if domain.high < LIMIT || self.vectors {
            bounds.push(format!(
                "({less} {name} {})",
                self.int(domain.high.min(limit))
            ));
        }
        bounds
    }

    /// Names of "at most" and "below".
    fn comparisons(&self) -> (&'static str, &'static str) {
        if self.vectors {
            ("bvsle", "bvslt")
        } else {
            ("<=", "<")
        }
    }

    fn sum(&self, parts: &[String]) -> String {
        match parts {
            [] => self.int(0),
            [one] => one.clone(),
            _ => format!(
                "({} {})",
                if self.vectors { "bvadd" } else { "+" },
                parts.join(" ")
            ),
        }
    }

    fn minus(&self, a: &str, b: &str) -> String {
        format!("({} {a} {b})", if self.vectors { "bvsub" } else { "-" })
    }

    fn times(&self, a: &str, b: &str) -> String {
        format!("({} {a} {b})", if self.vectors { "bvmul" } else { "*" })
    }

    /// A number for each lane, as a function of the lane.
    fn lane_function(&mut self, values: &[i64; LANES], mask: u32) -> String {
        let lane = self.problem.lane;
        self.note_symbol(lane);
        let lane = format!("s{}", lane.0);
        let active: Vec<usize> = (0..LANES).filter(|at| mask >> at & 1 == 1).collect();
        let Some(first) = active.first() else {
            return self.int(0);
        };
        if active.iter().all(|at| values[*at] == values[*first]) {
            return self.int(values[*first]);
        }
        let full = active.len() == LANES;
        let runs = active
            .windows(2)
            .filter(|pair| values[pair[0]] != values[pair[1]])
            .count();
        // A step or two is clearest as what it is.
        if full && runs > 2 {
            let step = values[1] - values[0];
            if (0..LANES).all(|at| values[at] == values[0] + step * at as i64) {
                let product = self.times(&self.int(step), &lane);
                return self.sum(&[product, self.int(values[0])]);
            }
            // Rows of a two-dimensional block.
            for width in [2, 4, 8, 16] {
                let inner = values[1] - values[0];
                let outer = values[width] - values[0];
                let fits = (0..LANES).all(|at| {
                    values[at]
                        == values[0] + inner * (at % width) as i64 + outer * (at / width) as i64
                });
                if fits {
                    let divisor = self.int(width as i64);
                    let (quotient, remainder) = if self.vectors {
                        (
                            format!("(bvudiv {lane} {divisor})"),
                            format!("(bvurem {lane} {divisor})"),
                        )
                    } else {
                        (
                            format!("(div {lane} {divisor})"),
                            format!("(mod {lane} {divisor})"),
                        )
                    };
                    let a = self.times(&self.int(inner), &remainder);
                    let b = self.times(&self.int(outer), &quotient);
                    return self.sum(&[a, b, self.int(values[0])]);
                }
            }
        }
        // Runs of equal values, from the last to the first.
        let (_, below) = self.comparisons();
        let mut text = self.int(values[*active.last().unwrap_or(first)]);
        for pair in active.windows(2).rev() {
            let (at, next) = (pair[0], pair[1]);
            if values[at] != values[next] {
                text = format!(
                    "(ite ({below} {lane} {}) {} {text})",
                    self.int(next as i64),
                    self.int(values[at])
                );
            }
        }
        text
    }

    /// The negation of all claims about one case.
    fn leaf(&mut self, leaf: &Leaf, modulus: i64, kinds: &mut Vec<&'static str>) -> String {
        let first = leaf.mask.trailing_zeros().min(31) as usize;
        self.take_whole(leaf.address);
        for (guard, decided) in &leaf.guards {
            if *decided {
                self.take_whole(*guard);
            }
        }
        let address = self.term(leaf.address);
        let by: FxHashMap<SymbolId, TermId> =
            std::iter::once((self.problem.lane, self.problem.terms.int(first as i64))).collect();
        let start = self.problem.terms.substitute(leaf.address, &by);
        let start = self.term(start);

        // Offsets: address(lane) - address(first) is the normal form's.
        let mut offsets = leaf.lanes;
        for offset in &mut offsets {
            *offset = offset.wrapping_sub(leaf.lanes[first]);
        }
        let mut parts = vec![self.lane_function(&offsets, leaf.mask)];
        for (monomial, coefficients) in &leaf.coupled {
            let mut relative = *coefficients;
            for value in &mut relative {
                *value = value.wrapping_sub(coefficients[first]);
            }
            let mut product = self.lane_function(&relative, leaf.mask);
            for atom in monomial.atoms() {
                let atom = self.term(atom);
                product = self.times(&product, &atom);
            }
            parts.push(product);
        }
        let expected = self.sum(&parts);
        let mut wrong = vec![format!(
            "(not (= {} {expected}))",
            self.minus(&address, &start)
        )];

        // Base residue: the shared part stays among the residues that costs were taken over.
        if leaf.coupled.is_empty() && self.problem.space == crate::gpu::cost::Space::Global {
            let reachable = finite::residues(&self.problem.terms, &leaf.base, modulus);
            if (reachable.len() as i64) < modulus {
                if !kinds.contains(&"base residue") {
                    kinds.push("base residue");
                }
                let offset = self.int(leaf.lanes[first]);
                let shared = self.minus(&start, &offset);
                // Every multiple of a divisor of the modulus, plus a constant, is one residue.
                let step = modulus / (reachable.len() as i64);
                let is_progression = modulus % (reachable.len() as i64) == 0
                    && reachable.windows(2).all(|pair| pair[1] - pair[0] == step);
                let (modulus, reachable) = if is_progression {
                    (step, vec![reachable[0] % step])
                } else {
                    (modulus, reachable)
                };
                let residue = if self.vectors {
                    format!("(bvand {shared} {})", self.int(modulus - 1))
                } else {
                    format!("(mod {shared} {modulus})")
                };
                let any: Vec<String> = reachable
                    .iter()
                    .map(|value| format!("(= {residue} {})", self.int(*value)))
                    .collect();
                wrong.push(match any.as_slice() {
                    [single] => format!("(not {single})"),
                    _ => format!("(not (or {}))", any.join(" ")),
                });
            }
        }
        let lane_is_active = self.membership(leaf.mask);
        let claim = if wrong.len() == 1 {
            wrong.remove(0)
        } else {
            format!("(or {})", wrong.join(" "))
        };
        let claim = match &lane_is_active {
            Some(active) => format!("(and {active} {claim})"),
            None => claim,
        };

        // Active lanes: the decided guards admit just those of the mask.
        let decided: Vec<TermId> = leaf
            .guards
            .iter()
            .filter(|(_, decided)| *decided)
            .map(|(guard, _)| *guard)
            .collect();
        let decided: Vec<TermId> = decided
            .into_iter()
            .filter(|guard| self.problem.terms.constant(*guard).is_none())
            .collect();
        if decided.is_empty() {
            return claim;
        }
        if !kinds.contains(&"active lanes") {
            kinds.push("active lanes");
        }
        let zero = self.int(0);
        let conditions: Vec<String> = decided
            .iter()
            .map(|guard| format!("(not (= {} {zero}))", self.term(*guard)))
            .collect();
        let admitted = if conditions.len() == 1 {
            conditions.concat()
        } else {
            format!("(and {})", conditions.join(" "))
        };
        let expected = lane_is_active.unwrap_or_else(|| "true".to_owned());
        format!("(or {claim} (not (= {admitted} {expected})))")
    }

    /// That the lane is one of `mask`; `None` for all lanes.
    fn membership(&mut self, mask: u32) -> Option<String> {
        if mask == u32::MAX {
            return None;
        }
        let lane = self.problem.lane;
        self.note_symbol(lane);
        let lane = format!("s{}", lane.0);
        let (at_most, below) = self.comparisons();
        let mut runs = Vec::new();
        let mut at = 0;
        while at < 32 {
            if mask >> at & 1 == 0 {
                at += 1;
                continue;
            }
            let run = (mask >> at).trailing_ones();
            let (from, to) = (self.int(i64::from(at)), self.int(i64::from(at + run)));
            runs.push(if run == 1 {
                format!("(= {lane} {from})")
            } else {
                format!("(and ({at_most} {from} {lane}) ({below} {lane} {to}))")
            });
            at += run;
        }
        Some(if runs.len() == 1 {
            runs.concat()
        } else {
            format!("(or {})", runs.join(" "))
        })
    }

    /// Notes the largest shared subterms that enter the claims as one unknown value each: they are
    /// no ring operations, and no enumeration of their values was relied on.
    fn take_whole(&mut self, term: TermId) {
        let mut stack = vec![term];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let terms = &self.problem.terms;
            let passes = matches!(
                terms.term(id),
                Term::Binary(Op::Add | Op::Sub | Op::Mul, ..)
                    | Term::Wrap(..)
                    | Term::Const(_)
                    | Term::Symbol(_)
            );
            if !passes && !terms.is_varying(id) && finite::atom_values(terms, id, 1024).is_none() {
                self.whole.insert(id);
                continue;
            }
            match terms.term(id) {
                Term::Const(_) | Term::Symbol(_) => {}
                Term::Binary(_, a, b) => stack.extend([*a, *b]),
                Term::Not(a) | Term::Wrap(_, a) | Term::Table(a, _) => stack.push(*a),
                Term::Select(c, a, b) => stack.extend([*c, *a, *b]),
            }
        }
    }

    /// The term's name or literal, defining it and its parts first.
    fn term(&mut self, id: TermId) -> String {
        if let Some(name) = self.named.get(&id) {
            return name.clone();
        }
        if self.whole.contains(&id) {
            // Any value will do: the claims hold for all of them.
            let name = format!("u{}", self.free.len());
            self.free.push(name.clone());
            self.named.insert(id, name.clone());
            return name;
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
            Term::Table(index, values)
                if values.len() == LANES
                    && matches!(*self.problem.terms.term(index), Term::Symbol(s) if s == self.problem.lane) =>
            {
                let mut lanes = [0; LANES];
                lanes.copy_from_slice(&values);
                self.lane_function(&lanes, u32::MAX)
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
        let v = self.vectors;
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
            Op::Both | Op::Either => {
                let zero = self.int(0);
                let (p, q) = (
                    format!("(not (= {x} {zero}))"),
                    format!("(not (= {y} {zero}))"),
                );
                let join = if op == Op::Both { "and" } else { "or" };
                self.truth(&format!("({join} {p} {q})"))
            }
        }
    }
}

/// Texts whose assertions are satisfiable just if all guards of `problem` hold somewhere while
/// its address, read as a condition, is 0: the negation of an implication, in two forms.
#[must_use]
pub fn implication(problem: &mut Problem) -> Vec<String> {
    let mut forms = vec![implication_text(problem, false)];
    let other = implication_text(problem, true);
    if !forms.contains(&other) {
        forms.push(other);
    }
    forms
}

fn implication_text(problem: &mut Problem, quotients: bool) -> String {
    let claim = problem.address;
    let guards = problem.guards.clone();
    let vectors = has_bits(problem, claim) || guards.iter().any(|guard| has_bits(problem, *guard));
    let mut writer = Writer {
        problem,
        named: FxHashMap::default(),
        symbols: Vec::new(),
        seen: FxHashSet::default(),
        definitions: Vec::new(),
        sides: Vec::new(),
        vectors,
        free: Vec::new(),
        whole: FxHashSet::default(),
        quotients,
        next: 0,
    };
    let zero = writer.int(0);
    let wrong = format!("(= {} {zero})", writer.term(claim));
    let given: Vec<String> = guards
        .iter()
        .map(|guard| format!("(not (= {} {zero}))", writer.term(*guard)))
        .collect();
    let (logic, sort) = if vectors {
        ("QF_BV", "(_ BitVec 64)")
    } else {
        ("ALL", "Int")
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
