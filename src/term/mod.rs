//! Hash-consed integer terms over symbols.
//!
//! Given operations as the IR has them, gives terms that mean mathematical
//! integers: `Add`, `Sub` and `Mul` do not wrap, because signed overflow is
//! undefined in C and an unsigned index that wraps is stated by a [`Op::Wrap`] node.
//! Every term knows an interval of its values and whether lanes of one warp may
//! differ in it. Knows nothing of memory, launches or costs.

pub mod compiled;
pub mod render;
pub mod side_table;
pub mod substitution;

use crate::ir::Scalar;
use crate::term::side_table::SideTable;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

/// A term of one [`Terms`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// A symbol of one [`Terms`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// Bound past which intervals are taken as unlimited.
pub const LIMIT: i64 = 1 << 60;

/// What a symbol may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    pub low: i64,
    pub high: i64,
    /// All values, where they are few and known (then `low` and `high` are their bounds).
    pub values: Option<Arc<[i64]>>,
}

impl Domain {
    #[must_use]
    pub fn range(low: i64, high: i64) -> Self {
        Self {
            low,
            high,
            values: None,
        }
    }

    #[must_use]
    pub fn of(values: Vec<i64>) -> Self {
        let low = values.iter().copied().min().unwrap_or(0);
        let high = values.iter().copied().max().unwrap_or(0);
        Self {
            low,
            high,
            values: Some(values.into()),
        }
    }

    /// All values of a scalar type.
    #[must_use]
    pub fn of_type(ty: Scalar) -> Self {
        match ty {
            Scalar::Bool => Self::range(0, 1),
            Scalar::I8 => Self::range(-128, 127),
            Scalar::U8 => Self::range(0, 255),
            Scalar::I16 => Self::range(-32768, 32767),
            Scalar::U16 => Self::range(0, 65535),
            Scalar::U32 => Self::range(0, i64::from(u32::MAX)),
            Scalar::I32 => Self::range(i64::from(i32::MIN), i64::from(i32::MAX)),
            Scalar::U64 => Self::range(0, LIMIT),
            _ => Self::range(-LIMIT, LIMIT),
        }
    }

    /// How many values there are, where at most `most`.
    #[must_use]
    pub fn count(&self, most: usize) -> Option<usize> {
        let n = match &self.values {
            Some(values) => values.len() as u64,
            None => self
                .high
                .checked_sub(self.low)?
                .unsigned_abs()
                .checked_add(1)?,
        };
        usize::try_from(n).ok().filter(|n| *n <= most)
    }

    /// The values; only for domains that [`Domain::count`] accepts.
    #[must_use]
    pub fn list(&self) -> Vec<i64> {
        match &self.values {
            Some(values) => values.to_vec(),
            None => (self.low..=self.high).collect(),
        }
    }

    #[must_use]
    pub fn contains(&self, value: i64) -> bool {
        match &self.values {
            Some(values) => values.contains(&value),
            None => (self.low..=self.high).contains(&value),
        }
    }
}

/// Who shares a symbol's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// The lane's number in its warp, 0..=31.
    Lane,
    /// Equal in all lanes of a request.
    Uniform,
    /// Lanes may differ; the reason names the data.
    Varying(Arc<str>),
}

#[derive(Clone, Debug)]
pub struct Symbol {
    /// As users know it: `blockIdx.x`, `pitch`, `k`.
    pub name: Arc<str>,
    pub sharing: Sharing,
    pub domain: Domain,
    /// A base address or another value that is a multiple of this many.
    pub multiple_of: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// Truncating, as C divides.
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    /// Of conditions (0 or 1).
    Both,
    Either,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Const(i64),
    Symbol(SymbolId),
    Binary(Op, TermId, TermId),
    /// 1 where the condition is 0.
    Not(TermId),
    Select(TermId, TermId, TermId),
    /// The value reduced to a type's range, for values that may lie outside it.
    Wrap(Scalar, TermId),
    /// `values[index]`, for an index that lies in range.
    Table(TermId, Arc<[i64]>),
}

impl Term {
    /// What it is made of, from left to right.
    pub fn parts(&self) -> impl DoubleEndedIterator<Item = TermId> + use<> {
        let parts = match *self {
            Self::Const(_) | Self::Symbol(_) => [None; 3],
            Self::Not(a) | Self::Wrap(_, a) | Self::Table(a, _) => [Some(a), None, None],
            Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        parts.into_iter().flatten()
    }
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    low: i64,
    high: i64,
    /// Contains the lane or per-lane data.
    varying: bool,
    /// Contains per-lane data.
    data: bool,
    /// Contains only symbols whose bits are set: that of the n-th is n modulo 64.
    symbols: u64,
}

fn bit(symbol: SymbolId) -> u64 {
    1 << (symbol.0 % 64)
}

fn bits<'a>(symbols: impl IntoIterator<Item = &'a SymbolId>) -> u64 {
    symbols
        .into_iter()
        .fold(0, |all, symbol| all | bit(*symbol))
}

#[derive(Clone, Debug, Default)]
pub struct Terms {
    terms: Vec<Term>,
    facts: Vec<Facts>,
    /// Numbers by what they stand for.
    index: HashTable<TermId>,
    symbols: Vec<Symbol>,
}

fn clamp(value: i128) -> i64 {
    value.clamp(i128::from(-LIMIT), i128::from(LIMIT)) as i64
}

impl Terms {
    #[must_use]
    pub fn term(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    #[must_use]
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id.0 as usize]
    }

    #[must_use]
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// Bounds of the value.
    #[must_use]
    pub fn interval(&self, id: TermId) -> (i64, i64) {
        let facts = self.facts[id.0 as usize];
        (facts.low, facts.high)
    }

    /// Whether lanes of one warp may differ in it.
    #[must_use]
    pub fn is_varying(&self, id: TermId) -> bool {
        self.facts[id.0 as usize].varying
    }

    /// Whether it depends on per-lane data.
    #[must_use]
    pub fn has_data(&self, id: TermId) -> bool {
        self.facts[id.0 as usize].data
    }

    /// Why the first per-lane data in the term differs from lane to lane; down one path, since terms
    /// share parts and this is asked of every value.
    #[must_use]
    pub fn data_reason(&self, mut id: TermId) -> Option<&Arc<str>> {
        while self.has_data(id) {
            let term = self.term(id);
            if let Term::Symbol(symbol) = term {
                return match &self.symbol(*symbol).sharing {
                    Sharing::Varying(reason) => Some(reason),
                    _ => None,
                };
            }
            id = term.parts().find(|part| self.has_data(*part))?;
        }
        None
    }

    /// Which symbols may occur in the term: only those whose bits are set. Terms that have a part
    /// have its bits.
    #[must_use]
    pub fn symbol_bits(&self, id: TermId) -> u64 {
        self.facts[id.0 as usize].symbols
    }

    #[must_use]
    pub fn constant(&self, id: TermId) -> Option<i64> {
        match self.term(id) {
            Term::Const(value) => Some(*value),
            _ => None,
        }
    }

    pub fn new_symbol(
        &mut self,
        name: impl Into<Arc<str>>,
        sharing: Sharing,
        domain: Domain,
    ) -> TermId {
        if let Some(values) = &domain.values
            && values.len() == 1
        {
            return self.int(values[0]);
        }
        if domain.values.is_none() && domain.low == domain.high {
            return self.int(domain.low);
        }
        let id = SymbolId(self.symbols.len() as u32);
        self.symbols.push(Symbol {
            name: name.into(),
            sharing,
            domain,
            multiple_of: 1,
        });
        self.intern(Term::Symbol(id))
    }

    pub fn int(&mut self, value: i64) -> TermId {
        self.intern(Term::Const(value))
    }

    /// Adds a term that is not there yet.
    fn push(&mut self, term: Term, facts: Facts) -> TermId {
        let id = TermId(self.terms.len() as u32);
        let hash = FxBuildHasher.hash_one(&term);
        self.terms.push(term);
        self.facts.push(facts);
        let hash_of = |id: &TermId| FxBuildHasher.hash_one(&self.terms[id.0 as usize]);
        self.index.insert_unique(hash, id, hash_of);
        id
    }

    fn intern(&mut self, term: Term) -> TermId {
        let hash = FxBuildHasher.hash_one(&term);
        let is_known = |id: &TermId| self.terms[id.0 as usize] == term;
        if let Some(id) = self.index.find(hash, is_known) {
            return *id;
        }
        let facts = self.derive(&term);
        if facts.low == facts.high
            && !matches!(term, Term::Const(_))
            && facts.low.abs() < LIMIT
            && !matches!(term, Term::Symbol(_))
        {
            return self.int(facts.low);
        }
        self.push(term, facts)
    }

    fn derive(&self, term: &Term) -> Facts {
        let of = |id: &TermId| self.facts[id.0 as usize];
        let join = |parts: &[Facts], (low, high): (i64, i64)| Facts {
            low,
            high,
            varying: parts.iter().any(|p| p.varying),
            data: parts.iter().any(|p| p.data),
            symbols: parts.iter().fold(0, |all, part| all | part.symbols),
        };
        match term {
            Term::Const(value) => Facts {
                low: *value,
                high: *value,
                varying: false,
                data: false,
                symbols: 0,
            },
            Term::Symbol(id) => {
                let symbol = self.symbol(*id);
                Facts {
                    low: symbol.domain.low,
                    high: symbol.domain.high,
                    varying: symbol.sharing != Sharing::Uniform,
                    data: matches!(symbol.sharing, Sharing::Varying(_)),
                    symbols: bit(*id),
                }
            }
            Term::Binary(op, left, right) => {
                let (a, b) = (of(left), of(right));
                join(
                    &[a, b],
                    binary_interval(*op, (a.low, a.high), (b.low, b.high)),
                )
            }
            Term::Not(value) => {
                let v = of(value);
                let interval = match (v.low, v.high) {
                    (0, 0) => (1, 1),
                    (low, high) if low > 0 || high < 0 => (0, 0),
                    _ => (0, 1),
                };
                join(&[v], interval)
            }
            Term::Select(c, a, b) => {
                let (c, a, b) = (of(c), of(a), of(b));
                join(&[c, a, b], (a.low.min(b.low), a.high.max(b.high)))
            }
            Term::Wrap(ty, value) => {
                let domain = Domain::of_type(*ty);
                let v = of(value);
                let inside = v.low >= domain.low && v.high <= domain.high;
                join(
                    &[v],
                    if inside {
                        (v.low, v.high)
                    } else {
                        (domain.low, domain.high)
                    },
                )
            }
            Term::Table(index, values) => {
                let low = values.iter().copied().min().unwrap_or(0);
                let high = values.iter().copied().max().unwrap_or(0);
                join(&[of(index)], (low, high))
            }
        }
    }

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                if let Some(sum) = x.checked_add(y) {
                    return self.int(sum);
                }
            }
            (Some(0), None) => return b,
            (None, Some(0)) => return a,
            (Some(_), None) => return self.add(b, a),
            (None, Some(y)) => {
                if let Term::Binary(Op::Add, p, q) = *self.term(a)
                    && let Some(x) = self.constant(q)
                    && let Some(sum) = x.checked_add(y)
                {
                    let q = self.int(sum);
                    return self.add(p, q);
                }
            }
            (None, None) => {}
        }
        self.intern(Term::Binary(Op::Add, a, b))
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.int(0);
        }
        if let Some(y) = self.constant(b)
            && let Some(negated) = y.checked_neg()
        {
            let negated = self.int(negated);
            return self.add(a, negated);
        }
        // (p + b) - b
        if let Term::Binary(Op::Add, p, q) = *self.term(a) {
            if q == b {
                return p;
            }
            if p == b {
                return q;
            }
        }
        self.intern(Term::Binary(Op::Sub, a, b))
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => {
                if let Some(product) = x.checked_mul(y) {
                    return self.int(product);
                }
            }
            (Some(_), None) => return self.mul(b, a),
            (None, Some(0)) => return b,
            (None, Some(1)) => return a,
            _ => {}
        }
        self.intern(Term::Binary(Op::Mul, a, b))
    }

    /// The term that is just `symbol`.
    pub fn symbol_term(&mut self, symbol: SymbolId) -> TermId {
        self.intern(Term::Symbol(symbol))
    }

    /// Any operator; comparisons give 0 or 1.
    pub fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        match op {
            Op::Add => return self.add(a, b),
            Op::Sub => return self.sub(a, b),
            Op::Mul => return self.mul(a, b),
            _ => {}
        }
        let (x, y) = (self.constant(a), self.constant(b));
        if let (Some(x), Some(y)) = (x, y)
            && let Some(value) = fold(op, x, y)
        {
            return self.int(value);
        }
        let (low, high) = self.interval(a);
        match (op, y) {
            // Low bits are what they were before the value was reduced to a type that has them.
            (Op::And, Some(mask))
                if let Term::Wrap(ty, inner) = *self.term(a)
                    && ty != Scalar::Bool
                    && mask > 0
                    && mask >> ty.bits().min(62) == 0 =>
            {
                return self.binary(op, inner, b);
            }
            (Op::Rem, Some(y))
                if let Term::Wrap(ty, inner) = *self.term(a)
                    && !ty.is_signed()
                    && ty != Scalar::Bool
                    && y > 1
                    && y & (y - 1) == 0
                    && (y - 1) >> ty.bits().min(62) == 0 =>
            {
                let mask = self.int(y - 1);
                return self.binary(Op::And, inner, mask);
            }
            (Op::Div, Some(1)) | (Op::Shl | Op::Shr | Op::Or | Op::Xor, Some(0)) => return a,
            (Op::Rem, Some(1)) | (Op::And, Some(0)) => return self.int(0),
            (Op::Div, Some(y)) if y > 0 && low >= 0 && high < y => return self.int(0),
            (Op::Rem, Some(y)) if y > 0 && low >= 0 && high < y => return a,
            (Op::Shl, Some(y)) if (0..62).contains(&y) => {
                let factor = self.int(1 << y);
                return self.mul(a, factor);
            }
            // `x & (2^k - 1)` and `x >> k` are remainder and quotient where x is not negative.
            (Op::And, Some(y)) if y > 0 && (y & y.wrapping_add(1)) == 0 && low >= 0 => {
                if high <= y {
                    return a;
                }
                if y < LIMIT {
                    let modulus = self.int(y + 1);
                    return self.binary(Op::Rem, a, modulus);
                }
            }
            (Op::Shr, Some(y)) if (0..60).contains(&y) && low >= 0 => {
                let divisor = self.int(1 << y);
                return self.binary(Op::Div, a, divisor);
            }
            (Op::Div | Op::Rem, Some(y))
                if y > 1
                    && let Some((quotient, rest)) = self.split_multiple(a, y) =>
            {
                return if op == Op::Div { quotient } else { rest };
            }
            (Op::Div, Some(y)) if y > 1 => {
                // (x / m) / y = x / (m y); (x * k y) / y = x * k
                if let Term::Binary(inner, p, q) = *self.term(a)
                    && let Some(m) = self.constant(q)
                {
                    if inner == Op::Div
                        && m > 0
                        && let Some(product) = m.checked_mul(y)
                    {
                        let divisor = self.int(product);
                        return self.binary(Op::Div, p, divisor);
                    }
                    if inner == Op::Mul && m % y == 0 {
                        let factor = self.int(m / y);
                        return self.mul(p, factor);
                    }
                }
            }
            _ => {}
        }
        if x.is_some()
            && matches!(
                op,
                Op::And | Op::Or | Op::Xor | Op::Min | Op::Max | Op::Eq | Op::Ne
            )
        {
            return self.binary(op, b, a);
        }
        if a == b {
            match op {
                Op::Xor | Op::Ne | Op::Lt => return self.int(0),
                Op::Eq | Op::Le => return self.int(1),
                Op::And | Op::Or | Op::Min | Op::Max | Op::Both | Op::Either => return a,
                _ => {}
            }
        }
        match op {
            Op::Both if y == Some(1) => return a,
            Op::Both if x == Some(1) => return b,
            Op::Either if y == Some(0) => return a,
            Op::Either if x == Some(0) => return b,
            Op::Min | Op::Max => {
                let (low_b, high_b) = self.interval(b);
                let a_is_less = high <= low_b;
                let b_is_less = high_b <= low;
                if a_is_less || b_is_less {
                    return if a_is_less == (op == Op::Min) { a } else { b };
                }
            }
            _ => {}
        }
        self.intern(Term::Binary(op, a, b))
    }

    /// `a` as `quotient * divisor + rest` with `0 <= rest < divisor`, where the shape of the sum
    /// shows it: `(32 * w + lane) / 32` is `w`.
    fn split_multiple(&mut self, a: TermId, divisor: i64) -> Option<(TermId, TermId)> {
        let mut parts = vec![a];
        let mut quotient = None;
        let mut rest = None;
        let mut seen = 0;
        while let Some(part) = parts.pop() {
            seen += 1;
            if seen > 16 {
                return None;
            }
            let multiple = match *self.term(part) {
                Term::Binary(Op::Add, x, y) => {
                    parts.extend([y, x]);
                    continue;
                }
                Term::Binary(Op::Mul, x, factor) => match self.constant(factor) {
                    Some(c) if c % divisor == 0 && self.interval(part).0 >= 0 => {
                        let scale = self.int(c / divisor);
                        Some(self.mul(x, scale))
                    }
                    _ => None,
                },
                Term::Const(c) if c >= 0 && c % divisor == 0 => Some(self.int(c / divisor)),
                _ => None,
            };
            let into = if multiple.is_some() {
                &mut quotient
            } else {
                &mut rest
            };
            let part = multiple.unwrap_or(part);
            *into = Some(match *into {
                Some(sum) => self.add(sum, part),
                None => part,
            });
        }
        let quotient = quotient?;
        let rest = match rest {
            Some(rest) => rest,
            None => self.int(0),
        };
        let (low, high) = self.interval(rest);
        (low >= 0 && high < divisor).then_some((quotient, rest))
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        match *self.term(a) {
            Term::Const(value) => self.int(i64::from(value == 0)),
            Term::Not(inner) if self.interval(inner) == (0, 1) => inner,
            Term::Binary(Op::Lt, x, y) => self.binary(Op::Le, y, x),
            Term::Binary(Op::Le, x, y) => self.binary(Op::Lt, y, x),
            Term::Binary(Op::Eq, x, y) => self.binary(Op::Ne, x, y),
            Term::Binary(Op::Ne, x, y) => self.binary(Op::Eq, x, y),
            // What both say can be used one by one.
            Term::Binary(Op::Either, x, y) => {
                let (x, y) = (self.not(x), self.not(y));
                self.binary(Op::Both, x, y)
            }
            _ => self.intern(Term::Not(a)),
        }
    }

    /// The value as a condition: 0 or 1.
    pub fn truth(&mut self, a: TermId) -> TermId {
        match *self.term(a) {
            Term::Const(value) => self.int(i64::from(value != 0)),
            Term::Not(_)
            | Term::Binary(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Both | Op::Either, ..) => a,
            _ if self.interval(a) == (0, 1) => a,
            _ => {
                let zero = self.int(0);
                self.binary(Op::Ne, a, zero)
            }
        }
    }

    pub fn select(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        match self.constant(condition) {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None => self.intern(Term::Select(condition, a, b)),
        }
    }

    /// `value` reduced to the range of `ty`; itself where it lies inside.
    pub fn wrap(&mut self, ty: Scalar, value: TermId) -> TermId {
        let domain = Domain::of_type(ty);
        let (low, high) = self.interval(value);
        // 64-bit words stand for themselves, as what they are modulo 2^64.
        if (low >= domain.low && high <= domain.high) || (ty.is_integer() && ty.size() == 8) {
            return value;
        }
        if let Some(value) = self.constant(value) {
            return self.int(wrap_value(ty, value));
        }
        // What was reduced to a wider type before is reduced to this one all the same.
        if let Term::Wrap(wider, inner) = *self.term(value)
            && ty != Scalar::Bool
            && wider.bits() >= ty.bits()
        {
            return self.wrap(ty, inner);
        }
        self.intern(Term::Wrap(ty, value))
    }

    /// `values[index]`; `index` must lie in range.
    pub fn table(&mut self, index: TermId, values: impl Into<Arc<[i64]>> + AsRef<[i64]>) -> TermId {
        let all = values.as_ref();
        if let Some(at) = self.constant(index)
            && let Some(value) = usize::try_from(at).ok().and_then(|at| all.get(at))
        {
            return self.int(*value);
        }
        if let Some(first) = all.first()
            && all.iter().all(|value| value == first)
        {
            return self.int(*first);
        }
        self.intern(Term::Table(index, values.into()))
    }

    /// The symbols of a term, in order of first appearance, added to `into`.
    pub fn symbols_of(&self, id: TermId, into: &mut Vec<SymbolId>) {
        self.each_part([id], |id| {
            if let Term::Symbol(symbol) = self.term(id)
                && !into.contains(symbol)
            {
                into.push(*symbol);
            }
        });
    }

    /// Hands over the terms and all of their parts, each once, left before right.
    fn each_part(&self, roots: impl IntoIterator<Item = TermId>, mut f: impl FnMut(TermId)) {
        let mut seen = SideTable::default();
        let mut stack: Vec<TermId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if seen.first_visit(id) {
                f(id);
                stack.extend(self.term(id).parts().rev());
            }
        }
    }

    /// Number of different terms.
    #[must_use]
    pub fn count(&self) -> usize {
        self.terms.len()
    }

    /// The terms with all of their parts, each once, parts before what is made of them.
    #[must_use]
    pub fn subterms(&self, roots: impl Iterator<Item = TermId>) -> Vec<TermId> {
        let mut found = Vec::new();
        self.each_part(roots, |id| found.push(id));
        found.sort_unstable();
        found
    }

    /// These terms, which are in order and have the parts of each, over these symbols, which are in
    /// order, too. Each gets its place among them for a number.
    #[must_use]
    pub fn only(&self, terms: &[TermId], symbols: &[SymbolId]) -> Self {
        let mut new_numbers = vec![TermId(0); self.terms.len()];
        let mut only = Self {
            symbols: symbols
                .iter()
                .map(|one| self.symbol(*one).clone())
                .collect(),
            index: HashTable::with_capacity(terms.len()),
            ..Self::default()
        };
        for (at, old) in terms.iter().enumerate() {
            let of = |part: &TermId| new_numbers[part.0 as usize];
            let term = match self.term(*old) {
                Term::Const(value) => Term::Const(*value),
                Term::Symbol(symbol) => {
                    let place = symbols.binary_search(symbol).unwrap_or_default();
                    Term::Symbol(SymbolId(place as u32))
                }
                Term::Binary(op, a, b) => Term::Binary(*op, of(a), of(b)),
                Term::Not(a) => Term::Not(of(a)),
                Term::Select(c, a, b) => Term::Select(of(c), of(a), of(b)),
                Term::Wrap(ty, a) => Term::Wrap(*ty, of(a)),
                Term::Table(index, values) => Term::Table(of(index), values.clone()),
            };
            new_numbers[old.0 as usize] = TermId(at as u32);
            let facts = self.facts[old.0 as usize];
            let symbols = only.derive(&term).symbols;
            only.push(term, Facts { symbols, ..facts });
        }
        only
    }

    /// Whether any of `symbols` occurs in the term.
    #[must_use]
    pub fn mentions(&self, id: TermId, symbols: &[SymbolId]) -> bool {
        if self.facts[id.0 as usize].symbols & bits(symbols) == 0 {
            return false;
        }
        let mut found = Vec::new();
        self.symbols_of(id, &mut found);
        found.iter().any(|symbol| symbols.contains(symbol))
    }
}

/// The value of an operator; `None` where C leaves it undefined or it passes 64 bits.
#[must_use]
pub fn fold(op: Op, x: i64, y: i64) -> Option<i64> {
    Some(match op {
        Op::Add => x.checked_add(y)?,
        Op::Sub => x.checked_sub(y)?,
        Op::Mul => x.checked_mul(y)?,
        Op::Div => x.checked_div(y)?,
        Op::Rem => x.checked_rem(y)?,
        Op::Shl => {
            let by = u32::try_from(y).ok().filter(|by| *by < 62)?;
            x.checked_mul(1 << by)?
        }
        Op::Shr => {
            let by = u32::try_from(y).ok().filter(|by| *by < 64)?;
            x >> by
        }
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Min => x.min(y),
        Op::Max => x.max(y),
        Op::Eq => i64::from(x == y),
        Op::Ne => i64::from(x != y),
        Op::Lt => i64::from(x < y),
        Op::Le => i64::from(x <= y),
        Op::Both => i64::from(x != 0 && y != 0),
        Op::Either => i64::from(x != 0 || y != 0),
    })
}

/// `value` as a variable of type `ty` holds it.
#[must_use]
pub fn wrap_value(ty: Scalar, value: i64) -> i64 {
    match ty {
        Scalar::Bool => i64::from(value != 0),
        Scalar::I8 => i64::from(value as i8),
        Scalar::U8 => i64::from(value as u8),
        Scalar::I16 => i64::from(value as i16),
        Scalar::U16 => i64::from(value as u16),
        Scalar::I32 => i64::from(value as i32),
        Scalar::U32 => i64::from(value as u32),
        _ => value,
    }
}

fn binary_interval(op: Op, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    // From the limit on nothing is known: what comes of it has no bound either.
    let far = |value: i64| match value {
        LIMIT.. => 1_i128 << 126,
        value if value <= -LIMIT => -(1_i128 << 126),
        value => i128::from(value),
    };
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let all = [
            f(far(a.0), far(b.0)),
            f(far(a.0), far(b.1)),
            f(far(a.1), far(b.0)),
            f(far(a.1), far(b.1)),
        ];
        let low = all.iter().copied().min().unwrap_or(0);
        let high = all.iter().copied().max().unwrap_or(0);
        (clamp(low), clamp(high))
    };
    let everything = (-LIMIT, LIMIT);
    match op {
        Op::Add => corners(&|x, y| x.saturating_add(y)),
        Op::Sub => corners(&|x, y| x.saturating_sub(y)),
        Op::Mul => corners(&|x, y| x.saturating_mul(y)),
        Op::Div if b.0 > 0 => corners(&|x, y| x / y),
        Op::Div if a.0 >= 0 && b.0 >= 0 => (0, a.1),
        Op::Rem if b.1 > 0 && b.0 >= 0 => {
            let high = (b.1 - 1).min(a.1.max(0));
            if a.0 >= 0 {
                (0, high)
            } else {
                ((-(b.1 - 1)).max(a.0), high)
            }
        }
        Op::Shl if b.0 >= 0 && b.1 < 60 => corners(&|x, y| x.saturating_mul(1 << y)),
        Op::Shr if b.0 >= 0 && b.1 < 64 => corners(&|x, y| x >> y),
        Op::Shr if a.0 >= 0 => (0, a.1),
        Op::And if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        Op::And if a.0 >= 0 => (0, a.1),
        Op::And if b.0 >= 0 => (0, b.1),
        Op::Or | Op::Xor if a.0 >= 0 && b.0 >= 0 => {
            let top = (a.1.max(b.1) as u64 + 1).next_power_of_two();
            (0, clamp(i128::from(top) - 1))
        }
        Op::Min => (a.0.min(b.0), a.1.min(b.1)),
        Op::Max => (a.0.max(b.0), a.1.max(b.1)),
        Op::Eq if a.1 < b.0 || b.1 < a.0 => (0, 0),
        Op::Ne if a.1 < b.0 || b.1 < a.0 => (1, 1),
        Op::Lt if a.1 < b.0 => (1, 1),
        Op::Lt if a.0 >= b.1 => (0, 0),
        Op::Le if a.1 <= b.0 => (1, 1),
        Op::Le if a.0 > b.1 => (0, 0),
        Op::Both if (a.0 == 0 && a.1 == 0) || (b.0 == 0 && b.1 == 0) => (0, 0),
        Op::Either if a.0 > 0 || b.0 > 0 => (1, 1),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Both | Op::Either => (0, 1),
        _ => everything,
    }
}
