//! Dependences: how a cost varies with a symbol.

use super::canonical::MARK;
use super::condition::{Condition, MOST_VALUES, Test};
use super::explore::{Leaf, Problem};
use super::residue_cost::LeafCost;
use super::verdict::{Dependence, DependenceCase};
use crate::gpu::cost::Space;
use crate::term::{Op, SymbolId, Term, TermId};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Bounds of a group of cases.
type Bounds = (u32, u32, u32);

/// The least and the greatest cost for each residue.
type CostsByResidue = BTreeMap<i64, (u32, u32)>;

/// Exceptions from a rule that are named in it.
const MOST_EXCEPTIONS: usize = 3;

/// The symbols that the cost depends on, with the cases that tell it apart.
#[must_use]
pub fn depends_on(problem: &Problem, leaves: &[Leaf], costs: &[LeafCost]) -> Vec<Dependence> {
    let mut found = Vec::new();
    for (at, symbol) in problem.symbols.iter().enumerate() {
        if let Some(dependence) = by_value(problem, leaves, costs, at, *symbol) {
            found.push(dependence);
        }
    }
    if let ([leaf], [cost]) = (leaves, costs) {
        if !cost.by_factor.is_empty()
            && let [(monomial, _)] = leaf.coupled.as_slice()
            && monomial.atoms().next().is_some()
        {
            let name = product_name(problem, monomial.atoms());
            found.extend(by_factor(
                &name,
                &cost.by_factor,
                (cost.ideal, cost.factor_period),
            ));
        } else if let Some(dependence) = by_residue(problem, leaf, cost) {
            found.push(dependence);
        }
    }
    found
}

fn product_name(problem: &Problem, atoms: impl Iterator<Item = TermId>) -> String {
    let parts: Vec<String> = atoms
        .map(|atom| crate::term::render::render(&problem.terms, atom, 60))
        .collect();
    match parts.as_slice() {
        [one] => one.clone(),
        parts => {
            // `n * (128 / b)`: a quotient of whole numbers comes first, or by itself.
            let factor = |(at, part): (usize, &String)| match operand(part) {
                Cow::Borrowed(text) if at > 0 && text.contains(" / ") => format!("({text})"),
                text => text.into_owned(),
            };
            let parts: Vec<_> = parts.iter().enumerate().map(factor).collect();
            parts.join(" * ")
        }
    }
}

/// A text as the left operand of `%` or of a comparison: in brackets, where it binds less.
fn operand(text: &str) -> Cow<'_, str> {
    let is_part = |c: char| c.is_alphanumeric() || "_.{}#[]".contains(c) || c == MARK;
    let is_tight = |word: &str| matches!(word, "*" | "/") || word.chars().all(is_part);
    // A name of several words is one operand.
    let is_name = text.split(' ').all(|word| word.chars().all(is_part));
    if is_name || text.split(' ').all(is_tight) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("({text})"))
}

/// A symbol that has one value, or one residue, in each case.
fn by_value(
    problem: &Problem,
    leaves: &[Leaf],
    costs: &[LeafCost],
    at: usize,
    symbol: SymbolId,
) -> Option<Dependence> {
    let mut groups: BTreeMap<(i64, i64), Bounds> = BTreeMap::new();
    for (leaf, cost) in leaves.iter().zip(costs) {
        let key = match *problem.terms.term(*leaf.values.get(at)?) {
            Term::Const(value) => (0, value),
            // quotient * modulus + residue
            Term::Binary(Op::Add, product, residue) => match *problem.terms.term(product) {
                Term::Binary(Op::Mul, _, modulus) => (
                    problem.terms.constant(modulus)?,
                    problem.terms.constant(residue)?,
                ),
                _ => return None,
            },
            Term::Binary(Op::Mul, _, modulus) => (problem.terms.constant(modulus)?, 0),
            _ => return None,
        };
        let entry = groups
            .entry(key)
            .or_insert((cost.min, cost.max, cost.ideal));
        entry.0 = entry.0.min(cost.min);
        if u64::from(cost.max) * u64::from(entry.2) > u64::from(entry.1) * u64::from(cost.ideal) {
            entry.2 = cost.ideal;
        }
        entry.1 = entry.1.max(cost.max);
    }
    let mut distinct: Vec<Bounds> = groups.values().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < 2 {
        return None;
    }
    let table = table_of(problem, symbol);
    let name = match &table {
        Some((name, _)) => name.clone(),
        None => problem.terms.symbol(symbol).name.to_string(),
    };
    let moduli: Vec<i64> = groups.keys().map(|(modulus, _)| *modulus).collect();
    let modulus = moduli[0];
    if moduli.iter().any(|m| *m != modulus) {
        return None;
    }
    let mut by_cost: BTreeMap<Bounds, Vec<i64>> = BTreeMap::new();
    for ((_, value), bounds) in &groups {
        by_cost.entry(*bounds).or_default().push(*value);
    }
    // Many values are told by a rule, where there is one.
    let is_long = by_cost.values().any(|values| values.len() > MOST_VALUES);
    let one_ideal = distinct.iter().all(|bounds| bounds.2 == distinct[0].2);
    if modulus == 0 && table.is_none() && is_long && one_ideal {
        let values = groups.iter();
        let values = values.map(|((_, value), bounds)| (*value, bounds.0, bounds.1));
        let values: Vec<_> = values.collect();
        if let Some(rule) = by_factor(&name, &values, (distinct[0].2, i64::MAX)) {
            return Some(rule);
        }
    }
    let most = largest(by_cost.values());
    let cases = by_cost
        .into_iter()
        .map(|(bounds, values)| {
            let when = if modulus == 0 {
                let values: Vec<i64> = match &table {
                    Some((_, list)) => values
                        .iter()
                        .filter_map(|v| usize::try_from(*v).ok().and_then(|v| list.get(v).copied()))
                        .collect(),
                    None => values,
                };
                Condition::one_of(values)
            } else {
                residue_class(modulus, &values, values.len() == most)
            };
            DependenceCase {
                when,
                min: bounds.0,
                max: bounds.1,
                ideal: bounds.2,
            }
        })
        .collect();
    Some(dependence(&name, cases))
}

/// What a symbol selects from a table, as the variable of a loop that the symbol counts; and the table.
fn table_of(problem: &Problem, symbol: SymbolId) -> Option<(String, Vec<i64>)> {
    let mut stack = vec![problem.address];
    stack.extend(problem.guards.iter().copied());
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let term = problem.terms.term(id);
        if let Term::Table(index, values) = term
            && matches!(problem.terms.term(*index), Term::Symbol(s) if *s == symbol)
        {
            let name = super::canonical::selected_by(&problem.terms.symbol(symbol).name);
            return Some((name, values.to_vec()));
        }
        stack.extend(term.parts());
    }
    None
}

/// The size of the largest group, where there is just one so large: only that is what others are not.
fn largest<'g>(groups: impl Iterator<Item = &'g Vec<i64>> + Clone) -> usize {
    let most = groups.clone().map(Vec::len).max().unwrap_or(0);
    let is_one = groups.filter(|group| group.len() == most).count() == 1;
    if is_one { most } else { usize::MAX }
}

/// A set of residues as a condition: by its power of two where that says it all. A large set `is_rest`
/// where all other sets are written out.
fn residue_class(modulus: i64, residues: &[i64], is_rest: bool) -> Condition {
    if residues.len() as i64 == modulus {
        return Condition::Always;
    }
    if residues == [0] {
        return Condition::remainder(modulus, vec![0]);
    }
    if modulus > 1 && modulus & (modulus - 1) == 0 {
        let mut power = 1;
        while power < modulus {
            let expected: Vec<i64> = (0..modulus).filter(|r| r % (2 * power) == power).collect();
            if expected == residues {
                return Condition::remainder(2 * power, vec![power]);
            }
            let multiples: Vec<i64> = (0..modulus).filter(|r| r % (2 * power) == 0).collect();
            if multiples == residues {
                return Condition::remainder(2 * power, vec![0]);
            }
            power *= 2;
        }
    }
    if residues.len() > MOST_VALUES && is_rest {
        return Condition::Otherwise;
    }
    Condition::remainder(modulus, residues.to_vec())
}

/// A symbol that multiplies the lane, as its values with their bounds: small values one by one, the
/// rest by residue.
fn by_factor(
    name: &str,
    values: &[(i64, u32, u32)],
    (ideal, period): (u32, i64),
) -> Option<Dependence> {
    let mut values = values.to_vec();
    values.sort_unstable();
    let values = &values;
    let (modulus, generic) = rule_of_residues(values, period)?;
    let mut by_cost: BTreeMap<(u32, u32), Vec<i64>> = BTreeMap::new();
    for (residue, bounds) in &generic {
        by_cost.entry(*bounds).or_default().push(*residue);
    }
    let is_special = |(value, min, max): &&(i64, u32, u32)| {
        generic.get(&value.rem_euclid(modulus)) != Some(&(*min, *max))
    };
    let special: Vec<(i64, u32, u32)> = values.iter().filter(is_special).copied().collect();
    // Of negative sizes nothing is told where they have a rule of their own.
    let is_of_sizes = special.iter().any(|(value, ..)| *value < 0);
    let is_told = |value: i64| value >= 0 || !is_of_sizes;
    let rules = FactorRules {
        values,
        modulus,
        excepted: special
            .iter()
            .map(|(value, ..)| *value)
            .filter(|value| is_told(*value))
            .collect(),
        is_of_sizes,
        most: largest(by_cost.values()),
        count: by_cost.len(),
    };
    let mut cases: Vec<DependenceCase> = Vec::new();
    // What is told one by one, beside what no rule speaks of.
    let mut single: BTreeMap<(u32, u32), Vec<i64>> = BTreeMap::new();
    for (value, min, max) in &special {
        if is_told(*value) {
            single.entry((*min, *max)).or_default().push(*value);
        }
    }
    for ((min, max), residues) in &by_cost {
        let (when, below) = rules.condition(residues);
        if !below.is_empty() {
            single.entry((*min, *max)).or_default().extend(below);
        }
        cases.push(DependenceCase {
            when,
            min: *min,
            max: *max,
            ideal,
        });
    }
    for ((min, max), mut values) in single {
        values.sort_unstable();
        values.dedup();
        cases.push(DependenceCase {
            when: Condition::one_of(values),
            min,
            max,
            ideal,
        });
    }
    let operand = operand(name);
    cases.sort_by_cached_key(|case| (case.max, case.min, case.when.text(&operand)));
    Some(dependence(name, cases))
}

/// Rules for residues of a symbol, and the values that no rule speaks of.
struct FactorRules<'a> {
    values: &'a [(i64, u32, u32)],
    modulus: i64,
    /// Values that do not cost what their residue does, in order.
    excepted: Vec<i64>,
    /// Whether nothing is told of negative values.
    is_of_sizes: bool,
    /// Residues of the rule that has most of them.
    most: usize,
    /// How many rules there are.
    count: usize,
}

impl FactorRules<'_> {
    /// When the rule of these residues holds, and the values that follow it beside the condition.
    fn condition(&self, residues: &[i64]) -> (Condition, Vec<i64>) {
        let when = if self.modulus == 1 {
            Condition::Otherwise
        } else {
            residue_class(self.modulus, residues, residues.len() == self.most)
        };
        let is_of_rule = |value: &i64| residues.contains(&value.rem_euclid(self.modulus));
        let excepted = self.excepted.iter().copied();
        let excepted: Vec<i64> = excepted.filter(is_of_rule).collect();
        let mut tests = match &when {
            Condition::All(tests) => tests.clone(),
            Condition::Always | Condition::Otherwise => Vec::new(),
        };
        let mut below = Vec::new();
        if self.is_of_sizes
            || excepted.len() > MOST_EXCEPTIONS
            || when == Condition::Always
            || self.modulus == 1
        {
            let above = excepted.last().copied().unwrap_or(-1);
            let is_told = |value: i64| value >= 0 || !self.is_of_sizes;
            below = self
                .values
                .iter()
                .map(|(value, ..)| *value)
                .filter(|value| *value <= above && is_told(*value))
                .filter(|value| is_of_rule(value) && !excepted.contains(value))
                .collect();
            if !excepted.is_empty() || self.is_of_sizes {
                tests.push(Test::Above(above));
            }
        } else {
            tests.extend(excepted.into_iter().map(Test::Not));
        }
        // Beside rules of other remainders it is what they leave.
        let is_rest = when == Condition::Otherwise && self.count > 1;
        if is_rest || tests.is_empty() {
            (when, below)
        } else {
            (Condition::All(tests), below)
        }
    }
}

/// The residues that decide far from 0, and what each of them costs. `values` are in order, the last `period` of them
/// tell all that come behind: a rule holds for each of these.
fn rule_of_residues(values: &[(i64, u32, u32)], period: i64) -> Option<(i64, CostsByResidue)> {
    let (first, last) = (values.first()?.0, values.last()?.0);
    let tail = |modulus: i64| -> Option<BTreeMap<i64, (u32, u32)>> {
        let mut map = BTreeMap::new();
        let end = values.iter().rev();
        for (value, min, max) in
            end.take_while(|(value, ..)| *value > last.saturating_sub(period.max(2 * modulus)))
        {
            match map.insert(value.rem_euclid(modulus), (*min, *max)) {
                Some(old) if old != (*min, *max) => return None,
                _ => {}
            }
        }
        // Values that no request can have are not among them, such as odd pitches of vectors.
        let is_there = |(value, ..): &(i64, u32, u32)| map.contains_key(&value.rem_euclid(modulus));
        values.iter().all(is_there).then_some(map)
    };
    // The rule with the fewest exceptions; of equal ones the simplest.
    let exceptions = |modulus: i64, map: &BTreeMap<i64, (u32, u32)>| {
        let is_other = |(value, min, max): &&(i64, u32, u32)| {
            map.get(&value.rem_euclid(modulus)) != Some(&(*min, *max))
        };
        values.iter().filter(is_other).count()
    };
    [1, 2, 4, 8, 16, 32, 64, 128]
        .into_iter()
        .filter(|modulus| 2 * modulus <= last - first + 1)
        .filter_map(|modulus| tail(modulus).map(|map| (modulus, map)))
        .min_by_key(|(modulus, map)| (exceptions(*modulus, map), *modulus))
}

/// Which of its symbols a launch goes through, and which are parameters, is for whoever knows the walk.
fn dependence(name: &str, cases: Vec<DependenceCase>) -> Dependence {
    Dependence {
        symbol: name.to_owned(),
        operand: operand(name).into_owned(),
        is_swept: false,
        parameters: Vec::new(),
        cases,
    }
}

/// A shared part that is not a multiple of a sector, or of a word of shared memory.
fn by_residue(problem: &Problem, leaf: &Leaf, cost: &LeafCost) -> Option<Dependence> {
    if cost.by_residue.len() < 2 {
        return None;
    }
    // What a sector or a word holds repeats after its bytes.
    let period = match problem.space {
        Space::Shared => 4,
        Space::Global => 32,
    };
    let open: Vec<_> = leaf.base.iter().filter(|(_, c)| c % period != 0).collect();
    let (monomial, coefficient) = match open.as_slice() {
        [one] => **one,
        _ => {
            let names: Vec<String> = open
                .iter()
                .flat_map(|(monomial, _)| monomial.atoms().collect::<Vec<_>>())
                .map(|atom| crate::term::render::render(&problem.terms, atom, 40))
                .collect();
            let mut names = names;
            names.dedup();
            return Some(dependence(&names.join(", "), Vec::new()));
        }
    };
    let name = product_name(problem, monomial.atoms());
    let modulus = period / crate::term::gcd(coefficient, period);
    // A truth value, or another one of few, is told by its values.
    let few = few_values(problem, monomial.atoms(), modulus);
    let mut by_cost: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for value in few.clone().unwrap_or_else(|| (0..modulus).collect()) {
        let residue = (coefficient.wrapping_mul(value)).rem_euclid(period);
        if let Some((_, found)) = cost.by_residue.iter().find(|(base, _)| *base == residue) {
            by_cost.entry(*found).or_default().push(value);
        }
    }
    let most = largest(by_cost.values());
    let cases = by_cost
        .into_iter()
        .map(|(found, values)| DependenceCase {
            when: match &few {
                None => residue_class(modulus, &values, values.len() == most),
                Some(_) => Condition::one_of(values),
            },
            min: found,
            max: found,
            ideal: cost.ideal,
        })
        .collect();
    Some(dependence(&name, cases))
}

/// The values that one term may have, where those are fewer than `modulus`.
fn few_values(
    problem: &Problem,
    mut atoms: impl Iterator<Item = TermId>,
    modulus: i64,
) -> Option<Vec<i64>> {
    let (Some(atom), None) = (atoms.next(), atoms.next()) else {
        return None;
    };
    if let Term::Symbol(symbol) = *problem.terms.term(atom)
        && let Some(values) = &problem.terms.symbol(symbol).domain.values
    {
        return (values.len() <= MOST_VALUES).then(|| values.to_vec());
    }
    let (low, high) = problem.terms.interval(atom);
    let is_few = high.checked_sub(low).is_some_and(|span| span < modulus - 1);
    is_few.then(|| (low..=high).collect())
}
