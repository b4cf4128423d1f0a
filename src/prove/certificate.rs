//! Certificates: what Z3 is asked about one problem, as canonical SMT-LIB 2 text.
//!
//! Given the cases of a [`Problem`], gives the claims that their normal forms rest on:
//!
//! * one polynomial identity for each case (and each operand that an operation was
//!   resolved at): the term as written, its other operations replaced by what they were
//!   resolved to, equals the sum that the normal form is. Numbers that differ between
//!   lanes stand as unknowns, so that cases which differ in such numbers share a claim;
//! * one [`Law`] for each way in which an operation was resolved;
//! * the residues that the shared part can leave.
//!
//! What remains is arithmetic on numbers: the identity's unknowns are replaced by the
//! lanes' numbers here, and the result is compared with the normal form that costs were
//! computed from. Knows nothing of costs.

use super::claim::{Claim, Hash, Identity, Node, Residues, Sum, hash_of_bytes};
use super::explore::{Exploration, Leaf, Problem};
use super::law::Law;
use super::normalise::Evaluator;
use super::poly::{Coefficient, LANES, Monomial, Poly};
use super::residue_cost;
use crate::term::side_table::SideTable;
use crate::term::{Op, Term, TermId};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Atoms from here on stand for lane vectors; terms of a problem are numbered from 0.
const VECTORS: u32 = 1 << 31;
/// Most cases have no more numbers.
const USUAL_NUMBERS: usize = 28;

/// The claims of all cases, each once. An error where a case has none that fit.
pub fn claims(
    problem: &mut Problem,
    exploration: &mut Exploration,
    modulus: i64,
) -> Result<Vec<(Hash, Claim)>, &'static str> {
    let mut found = Vec::new();
    // Many cases make the same claim: most are known before they are hashed for their name.
    let mut seen: FxHashSet<Vec<u8>> = FxHashSet::default();
    let mut bytes = Vec::new();
    let mut add = |claim: Claim| {
        bytes.clear();
        claim.write(&mut bytes);
        if !seen.contains(&bytes) {
            found.push((hash_of_bytes(&bytes), claim));
            seen.insert(bytes.clone());
        }
    };
    let mut laws: BTreeSet<Law> = exploration.laws.iter().copied().collect();
    let lane = problem.lane;
    for leaf in &exploration.leaves {
        if problem.space == crate::gpu::cost::Space::Global
            && let Some(residues) = residues(problem, leaf, modulus)
        {
            add(Claim::Residues(residues));
        }
    }
    let mut evaluator = Evaluator::new(&mut problem.terms, lane, &mut exploration.forms);
    for leaf in &exploration.leaves {
        // Cases and accesses that differ in numbers share a claim in which numbers are unknowns, too;
        // where its products grow too long, numbers stay what they are.
        let mut proof = Proof::of(&mut evaluator, leaf, Numbers::Unknown);
        if proof.failure.is_some() {
            proof = Proof::of(&mut evaluator, leaf, Numbers::Literal);
        }
        laws.append(&mut proof.laws);
        if let Some(reason) = proof.failure {
            return Err(reason);
        }
        add(Claim::Identity(proof.identity));
    }
    for join in &exploration.joins {
        laws.insert(Law::RemainderBy(join.many));
        add(Claim::Identity(join.identity()));
    }
    for law in laws {
        add(Claim::Law(law));
    }
    Ok(found)
}

/// That the shared part leaves only the residues that costs were taken over.
fn residues(problem: &Problem, leaf: &Leaf, modulus: i64) -> Option<Residues> {
    if !leaf.coupled.is_empty() {
        return None;
    }
    let reachable = residue_cost::residues(&problem.terms, &leaf.base, modulus);
    if reachable.len() as i64 >= modulus {
        return None;
    }
    let mut free = Vec::new();
    let mut listed = Vec::new();
    for (monomial, coefficient) in &leaf.base {
        let coefficient = coefficient.rem_euclid(modulus);
        if coefficient == 0 {
            continue;
        }
        match residue_cost::listed_residues(&problem.terms, monomial, coefficient, modulus) {
            None => free.push(coefficient),
            Some(residues) if residues != [0] => listed.push(residues),
            Some(_) => {}
        }
    }
    free.sort_unstable();
    free.dedup();
    listed.sort_unstable();
    // Every multiple of a divisor of the modulus, plus a constant, is one residue.
    let count = reachable.len() as i64;
    let step = modulus / count;
    let is_progression =
        modulus % count == 0 && reachable.windows(2).all(|pair| pair[1] - pair[0] == step);
    let (modulus, reachable) = if is_progression {
        (step, vec![reachable[0] % step])
    } else {
        (modulus, reachable)
    };
    Some(Residues {
        modulus,
        free,
        listed,
        reachable,
    })
}

/// How the numbers in a term appear in its identity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// Unknowns: it holds whatever they are.
    Unknown,
    Literal,
}

/// The polynomial identities of one case.
struct Proof<'e, 't> {
    evaluator: &'e mut Evaluator<'t>,
    identity: Identity,
    /// Each term's node.
    nodes: SideTable,
    /// Normal forms with vectors as atoms, and each term's place among them.
    forms: Vec<Option<Rc<Poly>>>,
    form_of: SideTable,
    vectors: FxHashMap<Coefficient, u32>,
    numbers: Vec<Coefficient>,
    /// Numbers of atoms, in order of appearance: of terms, and of vectors by theirs.
    atoms: SideTable,
    vector_atoms: SideTable,
    rooted: SideTable,
    /// Conditions that were gone through.
    conditions: SideTable,
    laws: BTreeSet<Law>,
    of_numbers: Numbers,
    failure: Option<&'static str>,
}

impl<'e, 't> Proof<'e, 't> {
    fn of(evaluator: &'e mut Evaluator<'t>, leaf: &Leaf, of_numbers: Numbers) -> Self {
        let mut proof = Self::new(evaluator, of_numbers);
        proof.root(leaf.address);
        proof.check_normal_form(leaf);
        proof.identity.of_address = proof.identity.equal.len();
        for (guard, decided) in &leaf.guards {
            if *decided {
                proof.condition(*guard, 0);
            }
        }
        proof
    }

    fn new(evaluator: &'e mut Evaluator<'t>, of_numbers: Numbers) -> Self {
        Self {
            evaluator,
            of_numbers,
            identity: Identity::default(),
            nodes: SideTable::default(),
            forms: Vec::new(),
            form_of: SideTable::default(),
            vectors: FxHashMap::with_capacity_and_hasher(USUAL_NUMBERS, FxBuildHasher),
            numbers: Vec::with_capacity(USUAL_NUMBERS),
            atoms: SideTable::default(),
            vector_atoms: SideTable::default(),
            rooted: SideTable::default(),
            conditions: SideTable::default(),
            laws: BTreeSet::new(),
            failure: None,
        }
    }

    /// Claims that `id` is its normal form, and the same of whatever that was resolved from.
    fn root(&mut self, id: TermId) {
        if !self.rooted.first_visit(id) {
            return;
        }
        let node = self.node(id);
        let Some(form) = self.form(id) else {
            self.failure = Some("its proof is too large");
            return;
        };
        if self.instance(&form).as_ref() != self.evaluator.poly(id).as_deref() {
            self.failure =
                Some("the normal form is not an instance of its identity: please report it");
            return;
        }
        let sum = self.sum(&form);
        self.identity.equal.push((node, sum));
    }

    /// Claims what a decided guard was decided from.
    fn condition(&mut self, id: TermId, depth: u32) {
        if depth > 64 {
            return self.root(id);
        }
        if !self.conditions.first_visit(id) {
            return;
        }
        match *self.evaluator.terms.term(id) {
            Term::Binary(Op::LogicalAnd | Op::LogicalOr, a, b) => {
                self.condition(a, depth + 1);
                self.condition(b, depth + 1);
            }
            Term::Not(a) => self.condition(a, depth + 1),
            Term::Binary(Op::Eq | Op::Ne | Op::Lt | Op::Le, a, b) => {
                self.root(a);
                self.root(b);
            }
            Term::Const(_) => {}
            _ => self.root(id),
        }
    }

    /// Fails unless the numbers of the case are those of the normal form that the identity is about.
    fn check_normal_form(&mut self, leaf: &Leaf) {
        let Some(poly) = self.evaluator.poly(leaf.address) else {
            self.failure = Some("its proof is too large");
            return;
        };
        let active = |lane: &usize| leaf.mask >> lane & 1 == 1;
        let same = poly.terms.iter().all(|(monomial, coefficient)| {
            let expected = |lane: usize| {
                if *monomial == Monomial::ONE {
                    return leaf.lanes[lane];
                }
                let coupled = leaf.coupled.iter().find(|(m, _)| m == monomial);
                let shared = leaf.base.iter().find(|(m, _)| m == monomial);
                match (coupled, shared) {
                    (Some((_, values)), _) => values[lane],
                    (None, Some((_, value))) => *value,
                    (None, None) => 0,
                }
            };
            (0..LANES)
                .filter(active)
                .all(|lane| coefficient.lane(lane) == expected(lane))
        });
        if !same || poly.open().count() != leaf.coupled.len() + leaf.base.len() {
            self.failure = Some("the case is not its normal form: please report it");
        }
    }

    /// The parts of a sum, difference or product that the normal form took apart.
    fn ring(&mut self, id: TermId) -> Option<(Op, TermId, TermId)> {
        let Term::Binary(op @ (Op::Add | Op::Sub | Op::Mul), a, b) = *self.evaluator.terms.term(id)
        else {
            return None;
        };
        (!self.evaluator.poly(id)?.is_atom(id)).then_some((op, a, b))
    }

    /// The normal form with vectors as atoms, from the parts' forms.
    fn form(&mut self, id: TermId) -> Option<Rc<Poly>> {
        if let Some(known) = self.form_of.get(id) {
            return self.forms[known as usize].clone();
        }
        let form = match self.ring(id) {
            Some((op, a, b)) => match (op, self.form(a), self.form(b)) {
                (Op::Add, Some(x), Some(y)) => x.add(&y),
                (Op::Sub, Some(x), Some(y)) => x.sub(&y),
                (_, Some(x), Some(y)) => x.mul(&y),
                _ => None,
            },
            None => match *self.evaluator.terms.term(id) {
                Term::Const(value) => Some(self.number(value)),
                _ => {
                    let poly = self.evaluator.poly(id);
                    poly.and_then(|poly| self.lift(&poly))
                }
            },
        };
        let form = form.map(Rc::new);
        self.form_of.insert(id, self.forms.len() as u32);
        self.forms.push(form.clone());
        form
    }

    /// A normal form with each of its vectors replaced by an atom.
    fn lift(&mut self, poly: &Poly) -> Option<Poly> {
        let one = Coefficient::Splat(1);
        let mut parts = Vec::with_capacity(poly.terms.len());
        for (monomial, coefficient) in &poly.terms {
            parts.push(match coefficient {
                Coefficient::Splat(value) if *value == 1 || self.of_numbers == Numbers::Literal => {
                    (*monomial, coefficient.clone())
                }
                _ => {
                    let unknown = Monomial::of(self.unknown(coefficient));
                    (monomial.times(unknown)?, one.clone())
                }
            });
        }
        Poly::sum_of(parts)
    }

    fn number(&mut self, value: i64) -> Poly {
        match self.of_numbers {
            Numbers::Unknown => Poly::atom(self.unknown(&Coefficient::Splat(value))),
            Numbers::Literal => Poly::constant(value),
        }
    }

    /// An unknown that stands for one number in each lane.
    fn unknown(&mut self, values: &Coefficient) -> TermId {
        let known = self.vectors.get(values).copied();
        let at = known.unwrap_or_else(|| {
            let next = self.numbers.len() as u32;
            self.vectors.insert(values.clone(), next);
            self.numbers.push(values.clone());
            next
        });
        TermId(VECTORS + at)
    }

    /// The form with the lanes' numbers put back.
    fn instance(&self, form: &Poly) -> Option<Poly> {
        let mut parts = Vec::with_capacity(form.terms.len());
        for (monomial, coefficient) in &form.terms {
            let mut product = coefficient.clone();
            for atom in monomial.atoms() {
                if let Some(at) = atom.0.checked_sub(VECTORS) {
                    product = product.times(self.numbers.get(at as usize)?)?;
                }
            }
            parts.push((monomial.of_those(|atom| atom.0 < VECTORS), product));
        }
        Poly::sum_of(parts)
    }

    /// The term's node, after those of its parts.
    fn node(&mut self, id: TermId) -> u32 {
        if let Some(known) = self.nodes.get(id) {
            return known;
        }
        let node = if let Term::Const(value) = *self.evaluator.terms.term(id)
            && self.of_numbers == Numbers::Literal
        {
            Node::Number(value)
        } else if let Some((op, a, b)) = self.ring(id) {
            let (a, b) = (self.node(a), self.node(b));
            match op {
                Op::Add => Node::Add(a, b),
                Op::Sub => Node::Subtract(a, b),
                _ => Node::Multiply(a, b),
            }
        } else if let Some(form) = self.form(id) {
            let poly = self.evaluator.poly(id);
            if poly.is_some_and(|poly| !poly.is_atom(id)) {
                self.resolved(id);
            }
            Node::Sum(self.sum(&form))
        } else {
            self.failure = Some("its proof is too large");
            Node::Number(0)
        };
        let at = self.identity.nodes.len() as u32;
        self.identity.nodes.push(node);
        self.nodes.insert(id, at);
        at
    }

    /// Notes the law that resolved an operation, and claims its operands.
    fn resolved(&mut self, id: TermId) {
        if let Some(step) = self.evaluator.forms.steps.get(&id).cloned() {
            self.laws.extend(&step.laws);
            for part in &step.from {
                self.root(*part);
            }
            return;
        }
        match self.evaluator.terms.term(id).clone() {
            Term::Const(_) | Term::Symbol(_) => {}
            Term::Binary(_, a, b) => {
                self.condition_or_root(a);
                self.condition_or_root(b);
            }
            Term::Not(a) | Term::Wrap(_, a) | Term::Table(a, _) => self.condition_or_root(a),
            Term::Select(c, a, b) => {
                self.condition(c, 0);
                self.root(a);
                self.root(b);
            }
        }
    }

    fn condition_or_root(&mut self, id: TermId) {
        let is_condition = matches!(
            self.evaluator.terms.term(id),
            Term::Not(_)
                | Term::Binary(
                    Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr,
                    ..
                )
        );
        if is_condition {
            self.condition(id, 0);
        } else {
            self.root(id);
        }
    }

    /// A form in the identity's own numbers.
    fn sum(&mut self, form: &Poly) -> Sum {
        let mut sum = Sum::with_room(form.terms.len());
        for (monomial, coefficient) in &form.terms {
            // A form has no vectors left but as atoms.
            let factors = monomial.atoms().map(|atom| self.atom(atom));
            sum.add(coefficient.lane(0), factors);
        }
        sum
    }

    fn atom(&mut self, atom: TermId) -> u32 {
        let vector = atom.0.checked_sub(VECTORS);
        let (numbers, at) = match vector {
            Some(at) => (&mut self.vector_atoms, TermId(at)),
            None => (&mut self.atoms, atom),
        };
        numbers.get(at).unwrap_or_else(|| {
            let next = self.identity.unknowns.len() as u32;
            numbers.insert(at, next);
            self.identity.unknowns.push(vector.is_some());
            next
        })
    }
}
