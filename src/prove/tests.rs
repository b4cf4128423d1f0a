//! Verdicts of single address expressions, end to end through Z3.

use super::claim::Claim;
use super::decide::{DecideContext, decide};
use super::explore::Problem;
use super::residue_cost::Costs;
use super::smt::{self, Answer};
use crate::access::Atomic;
use crate::gpu::arch::Arch;
use crate::gpu::cost::{Op as AccessOp, Space};
use crate::term::{Domain, Op, Sharing, SymbolId, Term, TermId, Terms};

struct Setting {
    terms: Terms,
    lane: SymbolId,
    symbols: Vec<SymbolId>,
    guards: Vec<TermId>,
}

impl Setting {
    fn new() -> Self {
        let mut terms = Terms::default();
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let Term::Symbol(lane) = *terms.term(lane) else {
            unreachable!()
        };
        Self {
            terms,
            lane,
            symbols: Vec::new(),
            guards: Vec::new(),
        }
    }

    fn lane(&mut self) -> TermId {
        self.terms.symbol_term(self.lane)
    }

    fn symbol(&mut self, name: &str, low: i64, high: i64) -> TermId {
        let term = self
            .terms
            .new_symbol(name, Sharing::Uniform, Domain::range(low, high));
        if let Term::Symbol(symbol) = *self.terms.term(term) {
            self.symbols.push(symbol);
        }
        term
    }

    fn op(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        self.terms.binary(op, a, b)
    }

    fn with(&mut self, op: Op, a: TermId, value: i64) -> TermId {
        let value = self.terms.int(value);
        self.terms.binary(op, a, value)
    }
}

/// Builds an index with `build`, asks for `width` bytes per lane, and compares
/// `status min..max/ideal`.
fn check(space: Space, width: u32, expected: &str, build: impl Fn(&mut Setting) -> TermId) {
    let mut setting = Setting::new();
    let index = build(&mut setting);
    let address = setting.with(Op::Mul, index, i64::from(width));
    let mut problem = Problem {
        terms: setting.terms,
        lane: setting.lane,
        address,
        guards: setting.guards,
        space,
        op: AccessOp::Load,
        width,
        rows: 0,
        atomic: Atomic::No,
        symbols: setting.symbols,
        narrowed: Vec::new(),
    };
    let asked = std::cell::RefCell::new(Vec::new());
    let prove = |_, claim: &Claim| {
        let answer = smt::check(claim);
        if answer != Answer::Proved {
            asked.borrow_mut().push(claim.text());
        }
        answer
    };
    let stop = crate::ir::stop::Stop::default();
    let by = DecideContext {
        stop: &stop,
        arch: &Arch::DEFAULT,
        prove: &prove,
        costs: &Costs::default(),
    };
    let outcome = decide(&mut problem, by);
    let found = format!(
        "{} {}..{}/{}",
        outcome.status.name(),
        outcome.min,
        outcome.max,
        outcome.ideal
    );
    let unproved = asked.borrow();
    assert_eq!(
        found,
        expected,
        "{} {:?}\n{}",
        outcome.reason,
        outcome.depends_on,
        unproved.join("\n")
    );
    if matches!(
        outcome.status,
        super::verdict::Status::Exact | super::verdict::Status::Bounded
    ) && outcome.reason.is_empty()
    {
        assert!(unproved.is_empty(), "{}", unproved.join("\n"));
    }
}

#[test]
fn contiguous_with_any_block() {
    check(Space::Global, 4, "exact 4..4/4", |s| {
        let block = s.symbol("blockIdx.x", 0, 1 << 30);
        let lane = s.lane();
        let first = s.with(Op::Mul, block, 256);
        s.op(Op::Add, first, lane)
    });
}

#[test]
fn offset_by_one_and_by_a_symbol() {
    check(Space::Global, 4, "exact 5..5/4", |s| {
        let lane = s.lane();
        s.with(Op::Add, lane, 1)
    });
    check(Space::Global, 4, "bounded 4..5/4", |s| {
        let lane = s.lane();
        let n = s.symbol("n", -100_000, 100_000);
        s.op(Op::Add, lane, n)
    });
}

#[test]
fn columns_of_a_tile() {
    check(Space::Shared, 4, "exact 32..32/1", |s| {
        let lane = s.lane();
        let y = s.symbol("threadIdx.y", 0, 31);
        let row = s.with(Op::Mul, lane, 32);
        s.op(Op::Add, row, y)
    });
    check(Space::Shared, 4, "exact 1..1/1", |s| {
        let lane = s.lane();
        let y = s.symbol("threadIdx.y", 0, 31);
        let row = s.with(Op::Mul, lane, 33);
        s.op(Op::Add, row, y)
    });
}

#[test]
fn xor_swizzle() {
    check(Space::Shared, 4, "exact 1..1/1", |s| {
        let lane = s.lane();
        let y = s.symbol("threadIdx.y", 0, 31);
        let row = s.with(Op::Mul, lane, 32);
        let column = s.op(Op::Xor, y, lane);
        s.op(Op::Add, row, column)
    });
}

#[test]
fn pitch_symbol() {
    check(Space::Shared, 4, "bounded 1..32/1", |s| {
        let lane = s.lane();
        let pitch = s.symbol("pitch", -(1 << 31), (1 << 31) - 1);
        s.op(Op::Mul, lane, pitch)
    });
    check(Space::Global, 4, "bounded 1..32/4", |s| {
        let lane = s.lane();
        let pitch = s.symbol("pitch", -(1 << 31), (1 << 31) - 1);
        s.op(Op::Mul, lane, pitch)
    });
}

#[test]
fn quotient_and_remainder_cancel() {
    check(Space::Global, 4, "exact 4..4/4", |s| {
        let lane = s.lane();
        let block = s.symbol("blockIdx.x", 0, 1 << 20);
        let n = s.symbol("n", 1, 1 << 20);
        let first = s.with(Op::Mul, block, 256);
        let i = s.op(Op::Add, first, lane);
        let row = s.op(Op::Div, i, n);
        let column = s.op(Op::Rem, i, n);
        let start = s.op(Op::Mul, row, n);
        s.op(Op::Add, start, column)
    });
}

#[test]
fn remainder_by_a_symbol_wraps_once() {
    check(Space::Global, 4, "bounded 4..7/4", |s| {
        let lane = s.lane();
        let block = s.symbol("blockIdx.x", 0, 1 << 20);
        let n = s.symbol("n", 1, 1 << 20);
        let first = s.with(Op::Mul, block, 256);
        let i = s.op(Op::Add, first, lane);
        s.op(Op::Rem, i, n)
    });
}

#[test]
fn later_warps_count() {
    // t < 32 ? t : (t - 32) * 32
    check(Space::Shared, 4, "bounded 1..32/1", |s| {
        let lane = s.lane();
        let warp = s.symbol("warp", 0, 1);
        let first = s.with(Op::Mul, warp, 32);
        let t = s.op(Op::Add, first, lane);
        let condition = {
            let bound = s.terms.int(32);
            s.terms.binary(Op::Lt, t, bound)
        };
        let moved = s.with(Op::Sub, t, 32);
        let strided = s.with(Op::Mul, moved, 32);
        s.terms.select(condition, t, strided)
    });
}

#[test]
fn interleaved_reduction_by_step() {
    check(Space::Shared, 4, "bounded 1..8/1", |s| {
        let lane = s.lane();
        let warp = s.symbol("warp", 0, 7);
        let first = s.with(Op::Mul, warp, 32);
        let t = s.op(Op::Add, first, lane);
        let k = s.symbol("s", 0, 7);
        let step = s.terms.table(k, vec![1, 2, 4, 8, 16, 32, 64, 128]);
        let twice = s.with(Op::Mul, step, 2);
        let index = s.op(Op::Mul, twice, t);
        let bound = s.terms.int(256);
        let guard = s.terms.binary(Op::Lt, index, bound);
        s.guards.push(guard);
        index
    });
}

#[test]
fn lane_guards_change_the_ideal() {
    check(Space::Global, 4, "exact 2..2/2", |s| {
        let lane = s.lane();
        let bound = s.terms.int(16);
        let guard = s.terms.binary(Op::Lt, lane, bound);
        s.guards.push(guard);
        lane
    });
}

#[test]
fn two_rows_a_warp() {
    check(Space::Shared, 4, "exact 8..8/1", |s| {
        let lane = s.lane();
        let x = s.with(Op::Rem, lane, 16);
        let y = s.with(Op::Div, lane, 16);
        let group = s.symbol("warp", 0, 7);
        let rows = s.with(Op::Mul, group, 2);
        let y = s.op(Op::Add, rows, y);
        let row = s.with(Op::Mul, x, 16);
        s.op(Op::Add, row, y)
    });
}

#[test]
fn division_of_a_block_offset() {
    check(Space::Global, 4, "exact 1..1/1", |s| {
        let lane = s.lane();
        let block = s.symbol("blockIdx.x", 0, 1 << 20);
        let first = s.with(Op::Mul, block, 32);
        let i = s.op(Op::Add, first, lane);
        s.with(Op::Div, i, 64)
    });
}
