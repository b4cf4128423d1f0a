//! Host code that compares with constants on the way to a launch, or picks one of a few numbers.
//!
//! Given the world at a launch, tells of an argument whether something computed from it has been compared with
//! constants, as where a size chooses the instance: its value stays unknown, and findings that depend on it are
//! less sure. Gives the worlds of a variable that is one of a few numbers. Keeps no other condition, such as
//! `n % 4 == 0`.

use super::decided::keep;
use super::operands::{has_effects, mentioned};
use super::walk::{Walk, World};
use crate::ir::Scalar;
use crate::sema::consteval::Value;
use crate::sema::scope::Env;
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, Initialiser, Name};
use rustc_hash::FxHashSet;

/// Operands of expressions that are looked into.
const DEPTH: u32 = 16;
/// Numbers of one choice.
const MOST_CHOICES: usize = 4;

impl Walk<'_, '_> {
    /// Whether a value is known here only because it was compared with constants, and was computed from what
    /// the argument is.
    pub fn is_narrowed(&self, world: &World, argument: &Expr) -> bool {
        let body = self.function.as_ref().and_then(|f| self.survey.of(f));
        let Some(summary) = body.map(|body| &body.summary) else {
            return false;
        };
        if summary.labels.is_empty() {
            return false;
        }
        let is_open = |name: &Name| world.get(name).is_some_and(|slot| slot.value.is_none());
        let mut of_argument = Vec::new();
        mentioned(argument, &mut of_argument, DEPTH);
        of_argument.retain(is_open);
        let is_known = |name: &Name| world.get(name).is_some_and(|slot| slot.value.is_some());
        !of_argument.is_empty()
            && summary.labels.keys().any(|compared| {
                let sources = sources(&summary.flows, compared);
                is_known(compared) && of_argument.iter().any(|name| sources.contains(name))
            })
    }

    /// `int warps = heads < 16 ? 4 : 8;`: a world for each of the numbers; else the one that is given. `before`
    /// is the world before the declaration.
    pub fn choices(
        &mut self,
        env: &Env,
        before: &World,
        mut world: World,
        variable: &ast::Variable,
    ) -> Vec<World> {
        let Some(init) = choice(variable) else {
            return vec![world];
        };
        let decision = match &init.kind {
            ExprKind::Conditional(c, a, b) => self.kept_as(c).map(|key| (key, c, a, b)),
            _ => None,
        };
        let mut decided = None;
        if let Some((key, condition, ..)) = &decision {
            decided = self.decided(&world, condition);
            keep(&mut world, key, decided);
        }
        if self.is_coarse() {
            return vec![world];
        }
        let Some(slot) = world.get(&variable.name) else {
            return vec![world];
        };
        let Type::Scalar(ty, _) = slot.ty else {
            return vec![world];
        };
        if slot.value.is_some() || !ty.is_integer() || ty == Scalar::Bool {
            return vec![world];
        }
        let mut ends = Vec::new();
        match (&decision, decided) {
            (Some((_, _, a, b)), Some(holds)) => ends_of(if holds { a } else { b }, &mut ends),
            _ => ends_of(init, &mut ends),
        }
        let values = ends.iter().map(|end| {
            let mut world = before.clone();
            self.evaluate(env, &mut world, end)?.as_int()
        });
        let Some(mut values) = values.collect::<Option<Vec<i64>>>() else {
            return vec![world];
        };
        // Each of two unlike numbers tells of the condition.
        let by_condition = match (&decision, &values[..]) {
            (Some((key, ..)), [then, otherwise]) if then != otherwise && decided.is_none() => {
                Some((key.clone(), *then))
            }
            _ => None,
        };
        values.sort_unstable();
        values.dedup();
        if values.len() > MOST_CHOICES {
            return vec![world];
        }
        let with = |value: &i64| {
            let mut world = world.clone();
            if let Some(slot) = world.get_mut(&variable.name) {
                slot.value = Some(Value::int(*value, ty));
            }
            if let Some((key, then)) = &by_condition
                && let Some(slot) = world.get_mut(key)
            {
                slot.value = Some(Value::int(i64::from(value == then), Scalar::Bool));
            }
            world
        };
        values.iter().map(with).collect()
    }
}

/// The conditional that alone gives a variable its value, if nothing in it has an effect.
pub(super) fn choice(variable: &ast::Variable) -> Option<&Expr> {
    let init = match &variable.init {
        Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => e,
        Some(Initialiser::Paren(list)) => match &list[..] {
            [e] => e,
            _ => return None,
        },
        None => return None,
    };
    let is_conditional = matches!(init.kind, ExprKind::Conditional(..));
    (is_conditional && !has_effects(init)).then_some(init)
}

fn ends_of<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Conditional(_, a, b) => {
            ends_of(a, out);
            ends_of(b, out);
        }
        _ => out.push(e),
    }
}

/// What a variable is computed from, by way of others.
fn sources(flows: &[(Name, Vec<Name>)], of: &Name) -> FxHashSet<Name> {
    let mut found: FxHashSet<Name> = FxHashSet::default();
    let mut waiting = vec![of.clone()];
    while let Some(name) = waiting.pop() {
        for (_, from) in flows.iter().filter(|(target, _)| *target == name) {
            for one in from {
                if found.insert(one.clone()) {
                    waiting.push(one.clone());
                }
            }
        }
    }
    found
}
