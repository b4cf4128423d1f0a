//! The laws of arithmetic that the normal form rests on, one SMT-LIB 2 text each.
//!
//! Given a [`Law`], gives the text whose assertions are unsatisfiable just if the law
//! holds. A law speaks of all integers (or all 64-bit words), so one answer serves every
//! access that uses it. Knows nothing of terms.

use super::claim_kind::ClaimKind;

/// The law that resolved an operation which is no ring arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Law {
    /// `(d u + v) / d = u + v / d`, for this divisor.
    Division(i64),
    /// `x % d = x - d (x / d)`, for every divisor but 0.
    Remainder,
    /// `x % d = x - d (x / d)`, for this divisor.
    RemainderBy(i64),
    /// Where `x = d q + r + w` with `r` and `w` in `0..d`, `x / d` is `q`, and `q + 1` just where
    /// `r + w >= d`.
    Step,
    /// `x / (a b) = (x / a) / b`, for divisors above 0: with `x = a q + r` and `q = b p + s`, `p` is
    /// what `x / (a b)` is.
    Nested,
    /// `x % (a b) % b = x % b` and `x % (a b) / b = x / b % a`: with `x = a b p + r` and `r = b s + w`, `w` is
    /// what `x` leaves by `b`, and `s` what `x / b` leaves by `a`.
    Flat,
    /// `(2^k u + v) & m = (v mod 2^k) & m` for every `m` below `2^k`.
    LowBits(u32),
    /// `(2^k u + v) & m = 2^k (u & (m >> k)) + (v & m)` for every `v` below `2^k`.
    Masked(u32),
    /// `x & -2^k = (x >> k) 2^k`.
    HighBits(u32),
    /// `x & run` is a difference of two shifts, for the run of so many bits from this one on.
    Run(u32, u32),
    /// `x & (m | n) = (x & m) + (x & n)` where `m` and `n` have no bit in common.
    Apart,
    /// `x | y = x + y - (x & y)`.
    Or,
    /// `x ^ y = x + y - 2 (x & y)`.
    Xor,
}

impl Law {
    /// The kind of claim that it is in a certificate.
    #[must_use]
    pub fn kind(self) -> ClaimKind {
        match self {
            Self::Division(_) | Self::Step | Self::Nested | Self::Flat => ClaimKind::Division,
            Self::Remainder | Self::RemainderBy(_) => ClaimKind::Remainder,
            Self::LowBits(_)
            | Self::Masked(_)
            | Self::HighBits(_)
            | Self::Run(..)
            | Self::Apart
            | Self::Or
            | Self::Xor => ClaimKind::Bits,
        }
    }

    /// The law, negated.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Division(d) => format!(
                "(set-logic QF_NIA)\n(declare-const u Int)\n(declare-const v Int)\n\
                 (assert (not (= (div (+ (* {d} u) v) {d}) (+ u (div v {d})))))\n"
            ),
            Self::Remainder => "(set-logic QF_NIA)\n(declare-const x Int)\n(declare-const d Int)\n\
                 (assert (not (= d 0)))\n\
                 (assert (not (= (mod x d) (- x (* d (div x d))))))\n"
                .to_owned(),
            Self::RemainderBy(d) => format!(
                "(set-logic QF_NIA)\n(declare-const x Int)\n\
                 (assert (not (= (mod x {d}) (- x (* {d} (div x {d}))))))\n"
            ),
            // `j` is what the quotient exceeds `q` by: d j <= r + w < d j + d.
            Self::Step => "(set-logic QF_NIA)\n\
                 (declare-const d Int)\n(declare-const j Int)\n\
                 (declare-const r Int)\n(declare-const w Int)\n\
                 (assert (and (< 0 d) (<= 0 r) (< r d) (<= 0 w) (< w d)))\n\
                 (assert (and (<= (* d j) (+ r w)) (< (+ r w) (+ (* d j) d))))\n\
                 (assert (not (= j (ite (>= (+ r w) d) 1 0))))\n"
                .to_owned(),
            Self::Nested => "(set-logic QF_NIA)\n\
                 (declare-const a Int)\n(declare-const b Int)\n\
                 (declare-const p Int)\n(declare-const r Int)\n(declare-const s Int)\n\
                 (assert (and (< 0 a) (< 0 b) (<= 0 r) (< r a) (<= 0 s) (< s b)))\n\
                 (define-fun x () Int (+ (* a (+ (* b p) s)) r))\n\
                 (assert (not (and (<= (* a b p) x) (< x (+ (* a b p) (* a b))))))\n"
                .to_owned(),
            Self::Flat => "(set-logic QF_NIA)\n\
                 (declare-const a Int)\n(declare-const b Int)\n\
                 (declare-const p Int)\n(declare-const s Int)\n(declare-const w Int)\n\
                 (define-fun r () Int (+ (* b s) w))\n\
                 (assert (and (< 0 a) (< 0 b) (<= 0 s) (<= 0 w) (< w b) (< r (* a b))))\n\
                 (define-fun x () Int (+ (* a b p) r))\n\
                 (assert (not (and (= x (+ (* b (+ (* a p) s)) w)) (< s a))))\n"
                .to_owned(),
            Self::LowBits(k) => format!(
                "{}(declare-const u (_ BitVec 64))\n(declare-const v (_ BitVec 64))\n\
                 (declare-const m (_ BitVec 64))\n(assert (bvult m {}))\n\
                 (assert (not (= (bvand (bvadd (bvshl u {}) v) m) (bvand (bvand v {}) m))))\n",
                "(set-logic QF_BV)\n",
                word(1 << k),
                word(i64::from(k)),
                word((1 << k) - 1),
            ),
            Self::Masked(k) => format!(
                "(set-logic QF_BV)\n(declare-const u (_ BitVec 64))\n(declare-const v (_ BitVec 64))\n\
                 (declare-const m (_ BitVec 64))\n(assert (bvult v {0}))\n\
                 (assert (not (= (bvand (bvadd (bvshl u {1}) v) m)\n\
                 (bvadd (bvshl (bvand u (bvashr m {1})) {1}) (bvand v m)))))\n",
                word(1 << k),
                word(i64::from(k)),
            ),
            Self::HighBits(k) => format!(
                "(set-logic QF_BV)\n(declare-const x (_ BitVec 64))\n\
                 (assert (not (= (bvand x {}) (bvshl (bvashr x {}) {}))))\n",
                word(-(1 << k)),
                word(i64::from(k)),
                word(i64::from(k)),
            ),
            Self::Run(at, run) => run_text(at, run),
            Self::Apart => "(set-logic QF_BV)\n(declare-const x (_ BitVec 64))\n\
                 (declare-const m (_ BitVec 64))\n(declare-const n (_ BitVec 64))\n\
                 (assert (= (bvand m n) #x0000000000000000))\n\
                 (assert (not (= (bvand x (bvor m n)) (bvadd (bvand x m) (bvand x n)))))\n"
                .to_owned(),
            Self::Or => bits_text("(bvor x y)", "(bvand x y)"),
            Self::Xor => bits_text("(bvxor x y)", &format!("(bvshl (bvand x y) {})", word(1))),
        }
    }
}

fn word(value: i64) -> String {
    format!("#x{:016x}", value as u64)
}

fn bits_text(whole: &str, common: &str) -> String {
    format!(
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 64))\n(declare-const y (_ BitVec 64))\n\
         (assert (not (= {whole} (bvsub (bvadd x y) {common}))))\n"
    )
}

/// The runs of ones of a mask that is not negative: where each begins, and its length.
#[must_use]
pub fn runs(mask: i64) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < 63 && mask >> at != 0 {
        let run = (mask >> at).trailing_ones();
        if run == 0 {
            at += 1;
        } else {
            found.push((at, run));
            at += run;
        }
    }
    found
}

/// The laws that take a mask apart: one for each of its runs, and that runs may be added up.
#[must_use]
pub fn of_mask(mask: i64) -> Vec<Law> {
    let mut laws: Vec<Law> = runs(mask)
        .into_iter()
        .map(|(at, run)| Law::Run(at, run))
        .collect();
    if laws.len() > 1 {
        laws.push(Law::Apart);
    }
    laws
}

fn run_text(at: u32, run: u32) -> String {
    let mask = word(((1_i64 << run) - 1) << at);
    let (start, end, run) = (
        word(i64::from(at)),
        word(i64::from(at + run)),
        word(i64::from(run)),
    );
    format!(
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 64))\n(assert (not (= (bvand x {mask}) \
         (bvshl (bvsub (bvashr x {start}) (bvshl (bvashr x {end}) {run})) {start}))))\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::claim::Claim;
    use crate::prove::smt::{self, Answer};

    #[test]
    fn every_law_holds() {
        for law in [
            Law::Division(16),
            Law::Division(50_257),
            Law::Remainder,
            Law::RemainderBy(12),
            Law::Step,
            Law::Nested,
            Law::Flat,
            Law::LowBits(5),
            Law::Masked(5),
            Law::HighBits(3),
            Law::Run(0, 1),
            Law::Run(3, 2),
            Law::Run(9, 7),
            Law::Apart,
            Law::Or,
            Law::Xor,
        ] {
            assert_eq!(smt::check(&Claim::Law(law)), Answer::Proved, "{law:?}");
        }
    }
}
