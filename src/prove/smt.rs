//! The one door to Z3.
//!
//! Given an obligation as SMT-LIB 2 text, gives whether Z3 refutes it within a
//! resource limit. The limit is counted in solver steps, so that an answer does not
//! depend on the machine's speed. Knows nothing of what the text means.

use z3::{Config, Params, SatResult, Solver, Tactic, with_z3_config};

/// Solver steps for one obligation.
const RESOURCE_LIMIT: u32 = 60_000;

/// What Z3 says of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Nothing satisfies the negated claim: it is proved.
    Proved,
    /// Something does: the claim is wrong.
    Refuted,
    /// The limit was reached.
    Unknown,
}

/// Asks whether the assertions of `text` are unsatisfiable.
///
/// Each obligation has a context of its own: what was asked before it on the same thread must
/// not change how far the limit reaches.
#[must_use]
pub fn check(text: &str) -> Answer {
    with_z3_config(&Config::new(), || check_here(text))
}

fn check_here(text: &str) -> Answer {
    let solver = if text.contains("QF_BV") {
        Solver::new()
    } else {
        integer_solver()
    };
    let mut parameters = Params::new();
    parameters.set_u32("rlimit", RESOURCE_LIMIT);
    solver.set_params(&parameters);
    solver.from_string(text);
    match solver.check() {
        SatResult::Unsat => Answer::Proved,
        SatResult::Sat => Answer::Refuted,
        SatResult::Unknown => Answer::Unknown,
    }
}

/// Products of sums are multiplied out before the search: most claims are equal polynomials.
fn integer_solver() -> Solver {
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

/// The version of the library in use, as `4.15.4.0`.
#[must_use]
pub fn version() -> String {
    z3::full_version().to_owned()
}
