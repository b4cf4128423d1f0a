//! Obstacles to a normal form, and what a split has to fix to take them away.
//!
//! Given an address without a normal form, or a condition whose lanes are not known, names the symbol,
//! remainder, quotient or condition whose cases would settle it. Splits nothing itself.

use super::*;
use crate::term::gcd;

/// Largest divisor whose residues are looked at, of which few may be left.
const MOST_RESIDUES: i64 = 4096;

impl Evaluator<'_> {
    /// The split that would resolve a lane-dependent atom of `poly`.
    pub fn obstacle_of(&mut self, poly: &Poly) -> Option<Obstacle> {
        let mut first = None;
        for atom in poly.terms.iter().flat_map(|(monomial, _)| monomial.atoms()) {
            if !self.terms.is_varying(atom) {
                continue;
            }
            // Data first: no split helps against it.
            if self.terms.has_data(atom) {
                return Some(self.obstacle(atom, 0));
            }
            first = first.or(Some(atom));
        }
        first.map(|atom| self.obstacle(atom, 0))
    }

    /// The split that would resolve this lane-dependent term.
    pub fn obstacle(&mut self, atom: TermId, depth: u32) -> Obstacle {
        if depth > 24 {
            return Obstacle::Hard(Hard::ExpressionTooDeep);
        }
        match self.terms.term(atom).clone() {
            Term::Symbol(symbol) => match &self.terms.symbol(symbol).sharing {
                Sharing::Varying(reason) => Obstacle::Data(reason.clone()),
                _ => Obstacle::Hard(Hard::Symbol),
            },
            Term::Const(_) => Obstacle::Hard(Hard::Constant),
            Term::Binary(Op::Div | Op::Shr, a, b) => self
                .obstacle_below(&[a, b], depth)
                .unwrap_or_else(|| self.quotient_obstacle(atom, a, b)),
            Term::Binary(Op::And | Op::Or | Op::Xor, a, b) => self
                .obstacle_below(&[a, b], depth)
                .unwrap_or_else(|| self.bitwise_obstacle(a, b)),
            Term::Binary(Op::Min | Op::Max, a, b) => {
                if let Some(found) = self.obstacle_below(&[a, b], depth) {
                    return found;
                }
                let less = self.terms.binary(Op::Lt, a, b);
                self.condition_obstacle(less, depth)
            }
            Term::Select(condition, a, b) => {
                if self.mask(condition).is_none() {
                    return self.condition_obstacle(condition, depth);
                }
                self.obstacle_below(&[a, b], depth)
                    .unwrap_or(Obstacle::Hard(Hard::Select))
            }
            Term::Not(inner) => self.condition_obstacle(inner, depth),
            Term::Binary(
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr,
                ..,
            ) => self.condition_obstacle(atom, depth),
            Term::Table(index, _) => match self.poly(index) {
                Some(poly) => self
                    .obstacle_below(&[index], depth)
                    .unwrap_or_else(|| self.uniform_obstacle(&[&poly])),
                None => Obstacle::Hard(Hard::ExpressionTooLarge),
            },
            Term::Binary(Op::Shl, a, b) => {
                self.obstacle_below(&[a, b], depth)
                    .unwrap_or_else(|| match self.poly(b) {
                        Some(poly) => self.shift_obstacle(&poly, b),
                        None => Obstacle::Hard(Hard::Shift),
                    })
            }
            Term::Binary(_, a, b) => self
                .obstacle_below(&[a, b], depth)
                .unwrap_or(Obstacle::Hard(Hard::ExpressionTooLarge)),
            Term::Wrap(_, inner) => {
                if let Some(found) = self.obstacle_below(&[inner], depth) {
                    return found;
                }
                let few = self
                    .poly(inner)
                    .and_then(|inner| self.small_symbols(&inner, None));
                few.map_or(Obstacle::Hard(Hard::MayWrap), Obstacle::Values)
            }
        }
    }

    /// The split for the first operand that has a lane-dependent atom.
    fn obstacle_below(&mut self, operands: &[TermId], depth: u32) -> Option<Obstacle> {
        for operand in operands {
            let Some(poly) = self.poly(*operand) else {
                return Some(Obstacle::Hard(Hard::ExpressionTooLarge));
            };
            let next = poly
                .terms
                .iter()
                .flat_map(|(monomial, _)| monomial.atoms())
                .find(|atom| self.terms.is_varying(*atom));
            if let Some(next) = next {
                return Some(self.obstacle(next, depth + 1));
            }
        }
        None
    }

    /// The split for `a / b` or `a >> b` where no operand has one.
    fn quotient_obstacle(&mut self, atom: TermId, a: TermId, b: TermId) -> Obstacle {
        let (Some(x), Some(y)) = (self.poly(a), self.poly(b)) else {
            return Obstacle::Hard(Hard::ExpressionTooLarge);
        };
        let is_shift = matches!(self.terms.term(atom), Term::Binary(Op::Shr, ..));
        let divisor = match y.as_constant() {
            Some(by) if is_shift => (0..60).contains(&by).then(|| 1_i64 << by),
            other => other.filter(|d| *d > 0),
        };
        match divisor {
            Some(divisor) => {
                let is_coupled = x.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_)));
                match self.remainder_in(a).filter(|_| is_coupled) {
                    Some(found) => found,
                    None => self.split_for_divisor(atom, &x, divisor, b),
                }
            }
            None if is_shift => self.shift_obstacle(&y, b),
            None => self.split_quotient(atom, &x, &y, b),
        }
    }

    /// The split for `a & b`, `a | b` or `a ^ b` where no operand has one: the bits that the lanes may set
    /// decide.
    fn bitwise_obstacle(&mut self, a: TermId, b: TermId) -> Obstacle {
        let (Some(x), Some(y)) = (self.poly(a), self.poly(b)) else {
            return Obstacle::Hard(Hard::ExpressionTooLarge);
        };
        let most = |poly: &Poly| {
            poly.as_lanes()
                .map(|lanes| lanes.iter().copied().max().unwrap_or(0).max(0))
        };
        let (most, other) = match (most(&x), most(&y)) {
            (Some(most), _) => (most, &y),
            (None, Some(most)) => (most, &x),
            (None, None) => return self.uniform_obstacle(&[&x, &y]),
        };
        let modulus = (most as u64 + 1).next_power_of_two() as i64;
        self.residue_obstacle(other, modulus)
    }

    /// The split that decides a condition lane by lane.
    pub fn condition_obstacle(&mut self, condition: TermId, depth: u32) -> Obstacle {
        if depth > 24 {
            return Obstacle::Hard(Hard::ConditionTooDeep);
        }
        if !self.terms.is_varying(condition) {
            return Obstacle::Condition(condition);
        }
        match self.terms.term(condition).clone() {
            Term::Not(inner) => self.condition_obstacle(inner, depth + 1),
            Term::Binary(Op::LogicalAnd | Op::LogicalOr, a, b) => {
                if self.mask(a).is_none() {
                    self.condition_obstacle(a, depth + 1)
                } else {
                    self.condition_obstacle(b, depth + 1)
                }
            }
            Term::Binary(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le), a, b) => {
                let Some(difference) = self.poly(a).zip(self.poly(b)).and_then(|(x, y)| x.sub(&y))
                else {
                    return Obstacle::Hard(Hard::ConditionTooLarge);
                };
                if let Some(found) = self.obstacle_of(&difference) {
                    return found;
                }
                // Few values of the symbols in it: each of them decides.
                if let Some(symbol) = self.small_symbols(&difference, None) {
                    return Obstacle::Values(symbol);
                }
                if difference
                    .open()
                    .any(|(_, c)| matches!(c, Coefficient::Lanes(_)))
                {
                    return Obstacle::Hard(Hard::ConditionOnProduct);
                }
                // shared + lanes < 0 holds for the lanes below some threshold.
                let lanes = difference.constant_lanes();
                let shared = residue_cost::open_interval(self.terms, &difference);
                Obstacle::Masks(condition, Box::new(Threshold { op, lanes, shared }))
            }
            Term::Symbol(symbol) => match &self.terms.symbol(symbol).sharing {
                Sharing::Varying(reason) => Obstacle::Data(reason.clone()),
                _ => Obstacle::Condition(condition),
            },
            _ => self.obstacle(condition, depth + 1),
        }
    }

    /// A symbol of `poly` to enumerate, where those that matter have few values together: for its
    /// sign the one that moves it most, after which the others may not matter any more; for a
    /// division the one with the fewest values of those that are not divided evenly.
    pub(super) fn small_symbols(&mut self, poly: &Poly, divisor: Option<i64>) -> Option<SymbolId> {
        let mut product = 1_usize;
        let mut found: Vec<(u64, SymbolId)> = Vec::new();
        for (monomial, coefficient) in poly.open() {
            if divisor.is_some_and(|divisor| coefficient.divisible_by(divisor)) {
                continue;
            }
            let mut symbols = Vec::new();
            for atom in monomial.atoms() {
                self.terms.symbols_of(atom, &mut symbols);
            }
            let factor = coefficient.lane(LANES - 1).unsigned_abs();
            for symbol in symbols.into_iter().filter(|symbol| *symbol != self.lane) {
                let domain = &self.terms.symbol(symbol).domain;
                let moves = factor.saturating_mul(domain.high.abs_diff(domain.low));
                match found.iter_mut().find(|(_, known)| *known == symbol) {
                    Some((most, _)) => *most = moves.max(*most),
                    None => {
                        product = product.checked_mul(domain.count(1024)?)?;
                        found.push((moves, symbol));
                    }
                }
            }
        }
        if product > 1024 {
            return None;
        }
        if divisor.is_some() {
            return found.first().map(|(_, symbol)| *symbol);
        }
        let first_of_most = found.into_iter().rev().max_by_key(|(moves, _)| *moves);
        first_of_most.map(|(_, symbol)| symbol)
    }

    /// The symbol with the fewest values, of those with at most `most`: after it the others may not
    /// matter any more.
    pub(super) fn fewest_values(&self, symbols: &[SymbolId], most: usize) -> Option<SymbolId> {
        let values = |symbol: &SymbolId| self.terms.symbol(*symbol).domain.count(most);
        let few = symbols.iter().filter(|symbol| values(symbol).is_some());
        few.min_by_key(|symbol| values(symbol)).copied()
    }

    /// The split that makes the shared part of `x` a multiple of `modulus`.
    pub(super) fn residue_obstacle(&mut self, x: &Poly, modulus: i64) -> Obstacle {
        // First what multiplies the lane: without it the rest may move all lanes alike.
        let is_coupled = |c: &Coefficient| matches!(c, Coefficient::Lanes(_));
        let (first, rest): (Vec<_>, Vec<_>) = x.terms.iter().partition(|(_, c)| is_coupled(c));
        for (monomial, coefficient) in first.into_iter().chain(rest) {
            if *monomial == Monomial::ONE || coefficient.divisible_by(modulus) {
                continue;
            }
            let common = coefficient
                .lanes()
                .iter()
                .fold(modulus, |g, value| gcd(g, value.abs()));
            let needed = modulus / common;
            let is_symbol = |atom: &TermId| matches!(self.terms.term(*atom), Term::Symbol(_));
            let atoms: Vec<TermId> = monomial.atoms().collect();
            let Some(atom) = atoms
                .iter()
                .copied()
                .find(is_symbol)
                .or(atoms.first().copied())
            else {
                continue;
            };
            return match *self.terms.term(atom) {
                Term::Symbol(symbol) => {
                    // Values, where they are no more than residues.
                    let most = usize::try_from(needed).unwrap_or(0).clamp(8, 1024);
                    match self.terms.symbol(symbol).domain.count(most) {
                        Some(_) => Obstacle::Values(symbol),
                        None => Obstacle::Residue(symbol, needed),
                    }
                }
                _ => match self.uniform_atom_obstacle(atom) {
                    Obstacle::Hard(_) if !self.terms.is_varying(atom) => {
                        let (low, high) = self.terms.interval(atom);
                        let most = low.saturating_neg().max(high).max(1) as u64;
                        // A modulus above all its values tells each of them, or its sign is one more split.
                        let told = (most + 1).next_power_of_two() as i64;
                        Obstacle::Remainder(atom, needed.min(told))
                    }
                    found => found,
                },
            };
        }
        Obstacle::Hard(Hard::SharedPart)
    }

    /// A symbol inside shared atoms to enumerate.
    pub(super) fn uniform_obstacle(&mut self, parts: &[&Poly]) -> Obstacle {
        let open = parts.iter().flat_map(|part| part.open());
        let atoms: Vec<TermId> = open.flat_map(|(monomial, _)| monomial.atoms()).collect();
        let mut symbols = Vec::new();
        for atom in &atoms {
            self.terms.symbols_of(*atom, &mut symbols);
        }
        if let Some(symbol) = self.fewest_values(&symbols, 256) {
            return Obstacle::Values(symbol);
        }
        let conditions = atoms.iter().find_map(|atom| match self.terms.term(*atom) {
            Term::Select(condition, ..) => Some(*condition),
            _ => None,
        });
        conditions.map_or(Obstacle::Hard(Hard::SharedValue), Obstacle::Condition)
    }

    /// The split that decides a shift by an amount that all lanes share.
    pub(super) fn shift_obstacle(&mut self, amount: &Poly, term: TermId) -> Obstacle {
        match self.uniform_obstacle(&[amount]) {
            Obstacle::Hard(_) if !self.terms.is_varying(term) => Obstacle::Shift(term),
            found => found,
        }
    }

    pub(super) fn uniform_atom_obstacle(&mut self, atom: TermId) -> Obstacle {
        self.uniform_obstacle(&[&Poly::atom(atom)])
    }

    pub(super) fn split_for_divisor(
        &mut self,
        atom: TermId,
        x: &Poly,
        divisor: i64,
        divisor_term: TermId,
    ) -> Obstacle {
        let lanes = x.constant_lanes();
        let Some(spread) = spread(&lanes) else {
            return Obstacle::Hard(Hard::SpreadTooLarge);
        };
        if let Some(symbol) = self.small_symbols(x, Some(divisor)) {
            return Obstacle::Values(symbol);
        }
        let coupled = x.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_)));
        if coupled {
            return match divisor {
                ..=MOST_RESIDUES => self.residue_obstacle(x, divisor),
                _ => Obstacle::Hard(Hard::LargeDivisor),
            };
        }
        let has_residues = divisor <= MAX_MODULUS || spread >= divisor && divisor <= MOST_RESIDUES;
        self.forms.has_small_divisor |= has_residues;
        if has_residues && !self.coarse {
            match self.residue_obstacle(x, divisor) {
                Obstacle::Hard(_) => {}
                Obstacle::Residue(_, modulus) | Obstacle::Remainder(_, modulus)
                    if modulus > MAX_MODULUS => {}
                found => return found,
            }
        }
        self.quotient_by_constant(atom, x, divisor, divisor_term, spread)
    }

    /// The quotients of what the lanes add to the shared part are known but for one step each; the remainders
    /// that the shared part can have say which lanes may get the larger one.
    pub(super) fn quotient_by_constant(
        &mut self,
        term: TermId,
        x: &Poly,
        divisor: i64,
        divisor_term: TermId,
        spread: i64,
    ) -> Obstacle {
        let lanes = x.constant_lanes();
        let least = lanes.iter().copied().min().unwrap_or(0);
        let common = x.open().fold(divisor, |g, (_, c)| {
            c.lanes().iter().fold(g, |g, value| gcd(g, value.abs()))
        });
        // The mask grows with the remainder, and only where one more lane passes the divisor.
        let common = common.max(1);
        let start = least.rem_euclid(common);
        let whole = lanes.map(|value| (value - least) / divisor);
        let rests = lanes.map(|value| (value - least) % divisor);
        let mut remainders = vec![start];
        for rest in &rests {
            let passes = divisor - rest;
            let first =
                start + (passes - start).max(0).saturating_add(common - 1) / common * common;
            remainders.push(first);
        }
        remainders.retain(|remainder| *remainder < divisor);
        remainders.sort_unstable();
        remainders.dedup();
        let mut steps = Vec::new();
        for remainder in remainders {
            let mut mask = 0;
            for (lane, rest) in rests.iter().enumerate() {
                if remainder + rest >= divisor {
                    mask |= 1 << lane;
                }
            }
            if !steps.contains(&mask) {
                steps.push(mask);
            }
        }
        Obstacle::Quotient {
            term,
            steps,
            whole: Box::new(whole),
            divisor: divisor_term,
            spread,
        }
    }

    /// The split by a remainder in a term, or by low bits, of a value that all lanes share.
    pub fn remainder_in(&self, term: TermId) -> Option<Obstacle> {
        let parts = self.terms.subterms([term].into_iter());
        parts.iter().find_map(|part| {
            let Term::Binary(op @ (Op::Rem | Op::And), x, by) = *self.terms.term(*part) else {
                return None;
            };
            let by = self.terms.constant(by)?;
            let modulus = if op == Op::And {
                by.checked_add(1)?
            } else {
                by
            };
            let is_told = op == Op::Rem || modulus & by == 0;
            if !is_told || !(2..=64).contains(&modulus) || self.terms.is_varying(x) {
                return None;
            }
            match *self.terms.term(x) {
                Term::Const(_) => None,
                Term::Symbol(symbol) => Some(Obstacle::Residue(symbol, modulus)),
                // What is split on already is a multiple and a rest.
                _ if self.is_split(x, modulus) => None,
                _ => Some(Obstacle::Remainder(x, modulus)),
            }
        })
    }

    /// Whether a term is a multiple of `modulus` and a number.
    fn is_split(&self, term: TermId, modulus: i64) -> bool {
        let is_multiple = |id: TermId| match *self.terms.term(id) {
            Term::Binary(Op::Mul, a, b) => {
                let factor = self.terms.constant(a).or_else(|| self.terms.constant(b));
                factor.is_some_and(|factor| factor % modulus == 0)
            }
            Term::Const(_) => true,
            _ => false,
        };
        match *self.terms.term(term) {
            Term::Binary(Op::Add, a, b) => is_multiple(a) && is_multiple(b),
            _ => is_multiple(term),
        }
    }

    pub(super) fn split_quotient(
        &mut self,
        term: TermId,
        x: &Poly,
        y: &Poly,
        divisor: TermId,
    ) -> Obstacle {
        if y.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_)))
            || matches!(y.constant_lanes(), lanes if lanes.iter().any(|v| *v != lanes[0]))
        {
            return Obstacle::Hard(Hard::DivisorOfLane);
        }
        if let Some(symbol) = self.small_symbols(y, None) {
            return Obstacle::Values(symbol);
        }
        if let Some(found) = self.remainder_in(divisor) {
            return found;
        }
        if x.open().any(|(_, c)| matches!(c, Coefficient::Lanes(_))) {
            return Obstacle::Hard(Hard::ProductBySymbol);
        }
        let lanes = x.constant_lanes();
        let Some(spread) = spread(&lanes) else {
            return Obstacle::Hard(Hard::SpreadTooLarge);
        };
        // That the divisor is larger is no assumption where the text says that it is not.
        if self.terms.interval(divisor).1 <= spread {
            return Obstacle::Hard(Hard::DivisorBelowSpread);
        }
        let mut steps = Threshold {
            op: Op::Le,
            lanes: lanes.map(|value| -value),
            shared: (i64::MIN / 4, i64::MAX / 4),
        }
        .masks();
        if !steps.contains(&0) {
            steps.push(0);
        }
        // All lanes one further is the same as none, with another quotient.
        steps.retain(|mask| *mask != u32::MAX);
        Obstacle::Quotient {
            term,
            steps,
            whole: Box::new([0; LANES]),
            divisor,
            spread,
        }
    }
}
