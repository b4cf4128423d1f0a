//! Claims: what Z3 is asked, before it is text.
//!
//! Given a claim, gives its content hash, and its negation as canonical SMT-LIB 2 text:
//! unsatisfiable just if the claim holds. Claims speak of numbered unknowns, so that two
//! accesses that differ in names only make the same ones. Knows nothing of Z3.

use super::claim_kind::ClaimKind;
use super::law::Law;
use super::premise;
use super::range::Range;
use crate::access::PremiseKind;
use crate::term::formula::Formula;
use std::fmt::Write as _;
use std::sync::Arc;

/// The content hash of a claim: 128 bits of BLAKE3.
pub type Hash = [u8; 16];

/// The hash of a claim that [`Claim::write`] wrote.
#[must_use]
pub fn hash_of_bytes(bytes: &[u8]) -> Hash {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    short
}

/// The content hash of a canonical problem's key.
#[must_use]
pub fn hash_of(key: &[i64]) -> Hash {
    let mut bytes = Vec::with_capacity(key.len() * 8);
    for part in key {
        put(&mut bytes, *part);
    }
    hash_of_bytes(&bytes)
}

/// The hash as an obligation's file name has it.
#[must_use]
pub fn hexadecimal(hash: &Hash) -> String {
    hash.iter()
        .fold(String::with_capacity(32), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Something that Z3 can be asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    Identity(Identity),
    Residues(Residues),
    Law(Law),
    Range(Range),
    Premise(PremiseKind, Arc<Formula>),
}

/// A sum of products of unknowns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Of each product its coefficient, how many factors it has, and these: unknowns by number.
    parts: Vec<i64>,
    products: usize,
}

impl Sum {
    #[must_use]
    pub fn with_room(products: usize) -> Self {
        Self {
            parts: Vec::with_capacity(4 * products),
            products: 0,
        }
    }

    /// The sum of these coefficients times these unknowns.
    #[must_use]
    pub fn of(products: &[(i64, &[u32])]) -> Self {
        let mut sum = Self::with_room(products.len());
        for (coefficient, factors) in products {
            sum.add(*coefficient, factors.iter().copied());
        }
        sum
    }

    /// Adds a coefficient times some unknowns.
    pub fn add(&mut self, coefficient: i64, factors: impl Iterator<Item = u32>) {
        let at = self.parts.len();
        self.parts.extend([coefficient, 0]);
        self.parts.extend(factors.map(i64::from));
        self.parts[at + 1] = (self.parts.len() - at - 2) as i64;
        self.products += 1;
    }

    /// Coefficients with their unknowns.
    pub fn products(&self) -> impl Iterator<Item = (i64, &[i64])> {
        let mut rest = self.parts.as_slice();
        std::iter::from_fn(move || {
            let [coefficient, count, others @ ..] = rest else {
                return None;
            };
            let (factors, others) = others.split_at(*count as usize);
            rest = others;
            Some((*coefficient, factors))
        })
    }
}

/// Terms as written that equal sums of products, whatever their unknowns are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// For each unknown, whether it stands for a number that differs between lanes.
    pub unknowns: Vec<bool>,
    /// Each node's parts come before it.
    pub nodes: Vec<Node>,
    /// Node, and what it equals.
    pub equal: Vec<(u32, Sum)>,
    /// How many of the claims are about the address; the rest are about guards.
    pub of_address: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Number(i64),
    Sum(Sum),
    Add(u32, u32),
    Subtract(u32, u32),
    Multiply(u32, u32),
}

/// That a sum of multiples leaves only some residues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residues {
    pub modulus: i64,
    /// Coefficients of unknowns that may be anything.
    pub free: Vec<i64>,
    /// Parts that are one of a few numbers each.
    pub listed: Vec<Vec<i64>>,
    pub reachable: Vec<i64>,
}

impl Claim {
    /// The kind that a certificate names.
    #[must_use]
    pub fn kind(&self) -> ClaimKind {
        match self {
            Self::Identity(identity) if identity.equal.len() > identity.of_address => {
                ClaimKind::OffsetsAndLanes
            }
            Self::Identity(_) => ClaimKind::Offsets,
            Self::Residues(_) => ClaimKind::BaseResidue,
            Self::Law(law) => law.kind(),
            Self::Range(_) => ClaimKind::Range,
            Self::Premise(kind, _) => ClaimKind::Premise(*kind),
        }
    }

    #[must_use]
    pub fn hash(&self) -> Hash {
        let mut bytes = Vec::with_capacity(256);
        self.write(&mut bytes);
        hash_of_bytes(&bytes)
    }

    /// Adds what the hash is taken of.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Identity(identity) => identity.write(bytes),
            Self::Residues(residues) => residues.write(bytes),
            Self::Law(law) => bytes.extend_from_slice(law.text().as_bytes()),
            Self::Range(range) => bytes.extend_from_slice(range.text().as_bytes()),
            Self::Premise(_, formula) => bytes.extend_from_slice(premise::text(formula).as_bytes()),
        }
    }

    /// The negated claim.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Identity(identity) => identity.text(),
            Self::Residues(residues) => residues.text(),
            Self::Law(law) => law.text(),
            Self::Range(range) => range.text(),
            Self::Premise(_, formula) => premise::text(formula),
        }
    }
}

fn put(bytes: &mut Vec<u8>, value: i64) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

fn put_sum(bytes: &mut Vec<u8>, sum: &Sum) {
    put(bytes, sum.products as i64);
    for (coefficient, factors) in sum.products() {
        put(bytes, coefficient);
        put(bytes, factors.len() as i64);
        for factor in factors {
            bytes.extend_from_slice(&(*factor as u32).to_le_bytes());
        }
    }
}

impl Identity {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(b'i');
        put(bytes, self.unknowns.len() as i64);
        for node in &self.nodes {
            let (sign, a, b) = match node {
                Node::Number(value) => {
                    bytes.push(b'n');
                    put(bytes, *value);
                    continue;
                }
                Node::Sum(sum) => {
                    bytes.push(b's');
                    put_sum(bytes, sum);
                    continue;
                }
                Node::Add(a, b) => (b'+', a, b),
                Node::Subtract(a, b) => (b'-', a, b),
                Node::Multiply(a, b) => (b'*', a, b),
            };
            bytes.push(sign);
            bytes.extend_from_slice(&a.to_le_bytes());
            bytes.extend_from_slice(&b.to_le_bytes());
        }
        for (node, sum) in &self.equal {
            bytes.push(b'=');
            bytes.extend_from_slice(&node.to_le_bytes());
            put_sum(bytes, sum);
        }
        put(bytes, self.of_address as i64);
    }

    fn text(&self) -> String {
        let names: Vec<String> = self
            .unknowns
            .iter()
            .enumerate()
            .map(|(at, vector)| format!("{}{at}", if *vector { 'l' } else { 'a' }))
            .collect();
        let mut text = String::from("(set-logic QF_NIA)\n");
        for name in &names {
            let _ = writeln!(text, "(declare-const {name} Int)");
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let body = match node {
                Node::Number(value) => int(*value),
                Node::Sum(sum) => sum_text(sum, &names),
                Node::Add(a, b) => format!("(+ t{a} t{b})"),
                Node::Subtract(a, b) => format!("(- t{a} t{b})"),
                Node::Multiply(a, b) => format!("(* t{a} t{b})"),
            };
            let _ = writeln!(text, "(define-fun t{at} () Int {body})");
        }
        let wrong: Vec<String> = self
            .equal
            .iter()
            .map(|(node, sum)| format!("(not (= t{node} {}))", sum_text(sum, &names)))
            .collect();
        let _ = writeln!(text, "(assert (or false {}))", wrong.join("\n  "));
        text
    }
}

fn sum_text(sum: &Sum, names: &[String]) -> String {
    let parts: Vec<String> = sum
        .products()
        .map(|(coefficient, factors)| {
            let factors: Vec<&str> = factors
                .iter()
                .filter_map(|at| names.get(*at as usize).map(String::as_str))
                .collect();
            match factors.as_slice() {
                [] => int(coefficient),
                _ => format!("(* {} {})", int(coefficient), factors.join(" ")),
            }
        })
        .collect();
    match parts.as_slice() {
        [] => int(0),
        [one] => one.clone(),
        _ => format!("(+ {})", parts.join(" ")),
    }
}

fn int(value: i64) -> String {
    if value < 0 {
        format!("(- {})", value.unsigned_abs())
    } else {
        value.to_string()
    }
}

impl Residues {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(b'r');
        put(bytes, self.modulus);
        for list in [&self.free, &self.reachable]
            .into_iter()
            .chain(&self.listed)
        {
            put(bytes, list.len() as i64);
            for value in list {
                put(bytes, *value);
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("(set-logic QF_LIA)\n");
        let mut sum = String::new();
        for (at, coefficient) in self.free.iter().enumerate() {
            let _ = writeln!(text, "(declare-const a{at} Int)");
            let _ = write!(sum, " (* {coefficient} a{at})");
        }
        for (at, residues) in self.listed.iter().enumerate() {
            let any: Vec<String> = residues
                .iter()
                .map(|r| format!("(= r{at} {})", int(*r)))
                .collect();
            let _ = writeln!(
                text,
                "(declare-const r{at} Int)\n(assert (or false {}))",
                any.join(" ")
            );
            let _ = write!(sum, " r{at}");
        }
        let any: Vec<String> = self
            .reachable
            .iter()
            .map(|value| format!("(= (mod (+ 0{sum}) {}) {value})", self.modulus))
            .collect();
        let _ = writeln!(text, "(assert (not (or false {})))", any.join(" "));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::smt::{self, Answer};

    /// `(a0 + l1) * a0 = a0 a0 + by * a0 l1`
    fn product(by: i64) -> Claim {
        Claim::Identity(Identity {
            unknowns: vec![false, true],
            nodes: vec![
                Node::Sum(Sum::of(&[(1, &[0]), (1, &[1])])),
                Node::Sum(Sum::of(&[(1, &[0])])),
                Node::Multiply(0, 1),
            ],
            equal: vec![(2, Sum::of(&[(1, &[0, 0]), (by, &[0, 1])]))],
            of_address: 1,
        })
    }

    #[test]
    fn an_identity_is_proved_and_a_wrong_one_refuted() {
        assert_eq!(smt::check(&product(1)), Answer::Proved);
        assert_eq!(smt::check(&product(2)), Answer::Refuted);
        assert_ne!(product(1).hash(), product(2).hash());
    }

    #[test]
    fn residues_that_are_not_listed_are_refuted() {
        let claim = |reachable| {
            Claim::Residues(Residues {
                modulus: 8,
                free: vec![4],
                listed: vec![vec![0, 2]],
                reachable,
            })
        };
        assert_eq!(smt::check(&claim(vec![0, 2, 4, 6])), Answer::Proved);
        assert_eq!(smt::check(&claim(vec![0, 2, 4])), Answer::Refuted);
    }
}
