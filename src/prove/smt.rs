//! The one door to Z3.
//!
//! Given a claim, gives whether Z3 refutes its negation within a resource limit. The limit is counted in solver steps, so that an answer does not
//! depend on the machine's speed. Knows nothing of what a claim means.

use super::claim::{Claim, Identity, Node, Sum};
use z3::ast::{Bool, Int};
use z3::{Config, Goal, Params, SatResult, Solver, Tactic, with_z3_config};

/// Solver steps for a law, a range or a premise, of which a run has few. Those of bits take most: 0.4 million.
const LAW_LIMIT: u32 = 1_000_000;
/// Solver steps for any other claim.
const LIMIT: u32 = 100_000;

/// Bytes of a claim over bits that is put to the plain search, at most; those with tables are longer.
const MAX_PLAIN_TEXT: usize = 8 << 10;

/// Z3's answer to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Nothing satisfies the negated claim: it is proved.
    Proved,
    /// Something does: the claim is wrong.
    Refuted,
    /// The limit was reached.
    Unknown,
}

/// Asks whether a claim holds.
#[must_use]
pub fn check(claim: &Claim) -> Answer {
    // Most identities are closed by multiplying out and cancelling.
    if let Claim::Identity(identity) = claim
        && EXPANSION.with(|expansion| expansion.closes(identity))
    {
        return Answer::Proved;
    }
    let limit = match claim {
        Claim::Premise(_, formula) if formula.is_nonlinear() && !formula.has_bits() => {
            return ask(&claim.text(), LAW_LIMIT, expanding);
        }
        // Most take a tenth of the time that they do where Z3 chooses how to go about them.
        Claim::Premise(..) => return ask(&claim.text(), LAW_LIMIT, || Tactic::new("smt").solver()),
        Claim::Law(_) | Claim::Range(_) => LAW_LIMIT,
        Claim::Identity(_) | Claim::Residues(_) => LIMIT,
    };
    ask(&claim.text(), limit, Solver::new)
}

/// Asks whether an implication holds, given the text that denies it. Most are equal polynomials
/// under conditions: products of sums are multiplied out before the search.
#[must_use]
pub fn check_implication(text: &str) -> Answer {
    if text.contains("QF_BV") {
        // That tactic writes out every choice of a table, and counts no steps for it.
        if text.len() > MAX_PLAIN_TEXT {
            return ask(text, LIMIT, Solver::new);
        }
        // Of those that need a search it settles more, in half the time, than where Z3 chooses.
        return ask(text, LIMIT, || Tactic::new("smt").solver());
    }
    ask(text, LIMIT, expanding)
}

/// A solver that multiplies out products of sums before it searches.
fn expanding() -> Solver {
    let mut expand = Params::new();
    expand.set_bool("som", true);
    expand.set_bool("pull_cheap_ite", true);
    let mut again = Params::new();
    again.set_bool("som", true);
    Tactic::new("simplify")
        .with(&expand)
        .and_then(&Tactic::new("solve-eqs"))
        .and_then(&Tactic::new("simplify").with(&again))
        .and_then(&Tactic::new("smt"))
        .solver()
}

/// Asks whether the assertions of `text` are unsatisfiable, in `limit` solver steps.
///
/// A new context takes longer than most questions: about a millisecond. So half of the steps are
/// tried in the context that the thread keeps, where what was asked before may change how far they
/// reach. What stays open there has all of them in a context of its own, so that it depends on no
/// other question; of what is settled in half, twice the steps make sure.
fn ask(text: &str, limit: u32, solver: impl Fn() -> Solver + Send + Sync) -> Answer {
    match decide(&solver(), text, limit / 2) {
        Answer::Unknown => with_z3_config(&Config::new(), || decide(&solver(), text, limit)),
        answer => answer,
    }
}

fn decide(solver: &Solver, text: &str, limit: u32) -> Answer {
    let mut parameters = Params::new();
    parameters.set_u32("rlimit", limit);
    solver.set_params(&parameters);
    solver.from_string(text);
    match solver.check() {
        SatResult::Unsat => Answer::Proved,
        SatResult::Sat => Answer::Refuted,
        SatResult::Unknown => Answer::Unknown,
    }
}

/// Solver state that a thread keeps for identities: building it costs more than solving most of them.
struct Expansion {
    tactic: Tactic,
}

thread_local! {
    static EXPANSION: Expansion = Expansion::new();
}

impl Expansion {
    fn new() -> Self {
        let mut parameters = Params::new();
        // Sums of monomials: products are written out.
        parameters.set_bool("som", true);
        // By default a product is left alone whose sum would be ten times as long.
        parameters.set_u32("som_blowup", 1_000_000);
        Self {
            tactic: Tactic::new("simplify").with(&parameters),
        }
    }

    /// Whether the negated identity is false once products of sums are written out.
    fn closes(&self, identity: &Identity) -> bool {
        let unknowns: Vec<Int> = (0..identity.unknowns.len())
            .map(|at| Int::new_const(at as u32))
            .collect();
        let mut nodes: Vec<Int> = Vec::with_capacity(identity.nodes.len());
        for node in &identity.nodes {
            let part = |at: &u32| nodes[*at as usize].clone();
            let made = match node {
                Node::Number(value) => Int::from_i64(*value),
                Node::Sum(sum) => sum_of(sum, &unknowns),
                Node::Add(a, b) => part(a) + part(b),
                Node::Subtract(a, b) => part(a) - part(b),
                Node::Multiply(a, b) => part(a) * part(b),
            };
            nodes.push(made);
        }
        let wrong: Vec<Bool> = identity
            .equal
            .iter()
            .map(|(node, sum)| nodes[*node as usize].eq(sum_of(sum, &unknowns)).not())
            .collect();
        let goal = Goal::new(false, false, false);
        goal.assert(&Bool::or(&wrong));
        self.tactic
            .apply(&goal, None)
            .is_ok_and(|result| result.list_subgoals().all(|goal| goal.is_decided_unsat()))
    }
}

fn sum_of(sum: &Sum, unknowns: &[Int]) -> Int {
    let parts: Vec<Int> = sum
        .products()
        .map(|(coefficient, factors)| {
            let mut product = vec![Int::from_i64(coefficient)];
            product.extend(factors.iter().map(|at| unknowns[*at as usize].clone()));
            Int::mul(&product)
        })
        .collect();
    if parts.is_empty() {
        return Int::from_i64(0);
    }
    Int::add(&parts)
}

/// The version of the library in use, as `4.15.4.0`.
#[must_use]
pub fn version() -> String {
    z3::full_version().to_owned()
}
