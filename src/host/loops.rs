//! Loops of host code, run over worlds.
//!
//! A loop with few iterations is run; any other forgets what it writes and is run once for its launches.

use super::operands;
use super::packs::written_name;
use super::reaching::{Copied, Writes};
use super::walk::{Flow, Outcome, Walk, World};
use super::worlds::forget;
use crate::sema::consteval::{self, Slot, Value, eval_in};
use crate::sema::scope::{Env, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, Name, Stmt};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Iterations of a loop around launches, and of one that only computes.
const MAX_LAUNCH_ITERATIONS: usize = 9;
const MAX_ITERATIONS: usize = 48;

impl Walk<'_, '_> {
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub(super) fn range_for(
        &mut self,
        env: &mut Env,
        mut world: World,
        variable: &ast::Variable,
        range: &Expr,
        body: &Stmt,
    ) -> Outcome {
        let listed = self.evaluate(env, &mut world, range);
        let mark = world.slots.len();
        let body_writes = self.survey.writes(&[body], &[]);
        let is_changed = body_writes.everything
            || operands::roots_of(range)
                .iter()
                .any(|n| body_writes.names.contains(n));
        let items = match listed {
            Some(Value::List(items))
                if items.len() <= MAX_LAUNCH_ITERATIONS && !self.is_coarse() && !is_changed =>
            {
                Some(items)
            }
            _ => None,
        };
        let declared = resolve_type(self.names, env, &variable.ty);
        let Some(items) = items else {
            let mut writes = body_writes;
            writes.names.extend(variable.bindings.iter().cloned());
            writes.names.insert(variable.name.clone());
            world.push(
                variable.name.clone(),
                declared.strip_reference().clone(),
                None,
            );
            for b in &variable.bindings {
                world.push(
                    b.clone(),
                    Type::unknown("it is one of several elements"),
                    None,
                );
            }
            let mut out = self.forget_and_run(env, world, &writes, None, None, body);
            out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
            return out;
        };
        let mut current = vec![world];
        let mut out = Vec::new();
        for item in items.iter() {
            for w in &mut current {
                let ty = item
                    .as_ref()
                    .and_then(Value::ty)
                    .filter(|_| declared.strip_reference().is_unknown());
                let ty = ty.unwrap_or_else(|| declared.strip_reference().clone());
                let value = item.clone().and_then(|v| {
                    if ty.is_unknown() {
                        Some(v)
                    } else {
                        consteval::cast(self.names, &ty, v)
                    }
                });
                if variable.bindings.is_empty() {
                    w.push(variable.name.clone(), ty, value);
                } else {
                    for (i, b) in variable.bindings.iter().enumerate() {
                        let part = match &value {
                            Some(Value::List(parts)) => parts.get(i).cloned().flatten(),
                            Some(Value::Fields(f)) => f.values.get(i).and_then(|(_, v)| v.clone()),
                            _ => None,
                        };
                        let ty = part
                            .as_ref()
                            .and_then(Value::ty)
                            .unwrap_or_else(|| Type::unknown("it is one of several elements"));
                        w.push(b.clone(), ty, part);
                    }
                }
            }
            let mut next = Vec::new();
            for (mut w, flow) in self.scoped(env, current, std::slice::from_ref(body)) {
                w.slots.truncate(mark);
                match flow {
                    Flow::Next | Flow::Continue => next.push(w),
                    Flow::Break => out.push((w, Flow::Next)),
                    Flow::Exit => out.push((w, Flow::Exit)),
                }
            }
            current = self.merge(next);
        }
        out.extend(current.into_iter().map(|w| (w, Flow::Next)));
        out
    }

    /// A loop: run where its condition stays known for few iterations.
    pub(super) fn repeat(
        &mut self,
        env: &mut Env,
        world: World,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        pretest: bool,
    ) -> Outcome {
        let besides: Vec<&Expr> = condition.into_iter().chain(step).collect();
        let writes = self.loop_writes(&world, body, &besides);
        let launches = self.may_launch(&world, &writes);
        let matters = launches
            || writes.names.iter().any(|n| {
                self.function
                    .as_ref()
                    .is_none_or(|f| self.survey.is_relevant(f, n))
                    && world.get(n).is_some()
            });
        if !matters {
            let mut world = world;
            forget(&mut world, &writes);
            self.forget_called(&mut world, &writes);
            return vec![(world, Flow::Next)];
        }
        let limit = if launches {
            MAX_LAUNCH_ITERATIONS
        } else {
            MAX_ITERATIONS
        };
        if self.is_coarse() || (pretest && !self.is_short(env, &world, condition, step, limit)) {
            return self.forget_and_run(env, world, &writes, condition, step, body);
        }
        let mut out = Vec::new();
        let mut current = vec![world];
        let mut test = pretest;
        for _ in 0..=limit {
            let mut going = Vec::new();
            for mut w in current {
                if !test {
                    going.push(w);
                    continue;
                }
                let known = match condition {
                    Some(c) if self.acts(env, &w, c) => {
                        self.evaluate(env, &mut w, c).and_then(|v| v.as_bool())
                    }
                    Some(c) => self.truth(env, &mut w, c),
                    None => Some(true),
                };
                let known = known.filter(|_| !self.has_goto());
                match known {
                    Some(true) => going.push(w),
                    Some(false) => out.push((w, Flow::Next)),
                    // The condition got lost on the way.
                    None => out.extend(self.forget_and_run(env, w, &writes, condition, step, body)),
                }
            }
            test = true;
            if going.is_empty() {
                return out;
            }
            let mut next = Vec::new();
            for (mut w, flow) in self.scoped(env, going, std::slice::from_ref(body)) {
                match flow {
                    Flow::Next | Flow::Continue => {
                        if let Some(step) = step {
                            self.effects(env, &mut w, step);
                        }
                        next.push(w);
                    }
                    Flow::Break => out.push((w, Flow::Next)),
                    Flow::Exit => out.push((w, Flow::Exit)),
                }
            }
            current = self.merge(next);
        }
        for w in current {
            out.extend(self.forget_and_run(env, w, &writes, condition, step, body));
        }
        out
    }

    /// What a loop writes; loops are met once for each world.
    fn loop_writes(&mut self, world: &World, body: &Stmt, besides: &[&Expr]) -> Rc<Writes> {
        let key = (std::ptr::from_ref(body) as usize, copied(world));
        if let Some(known) = self.loops.get(&key) {
            return known.clone();
        }
        let writes = Rc::new(self.survey.writes_beside(&[body], besides, &key.1));
        self.loops.insert(key, writes.clone());
        writes
    }

    /// Whether the loop's head alone ends within `limit` iterations. A body that changes what the
    /// condition reads is given the benefit of the doubt: it is run and may be given up later.
    fn is_short(
        &self,
        env: &Env,
        world: &World,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        limit: usize,
    ) -> bool {
        let Some(condition) = condition else {
            return false;
        };
        let mut w = world.clone();
        w.is_mutable = true;
        let Some(step) = step else {
            return eval_in(self.names, env, &mut w, condition).is_some();
        };
        for _ in 0..=limit {
            match eval_in(self.names, env, &mut w, condition).and_then(|v| v.as_bool()) {
                Some(false) => return true,
                Some(true) => {}
                None => return false,
            }
            // `for (…; …; i++, j--)`: what cannot be stepped here is seen in the run.
            if eval_in(self.names, env, &mut w, step).is_none() {
                return true;
            }
        }
        false
    }

    /// A loop of unknown length: everything it assigns is unknown in and after it.
    pub(super) fn forget_and_run(
        &mut self,
        env: &mut Env,
        mut world: World,
        writes: &Writes,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
    ) -> Outcome {
        forget(&mut world, writes);
        self.forget_called(&mut world, writes);
        let after = world.clone();
        if self.may_launch(&world, writes) {
            for e in condition.into_iter().chain(step) {
                self.effects(env, &mut world, e);
                forget(&mut world, writes);
                self.forget_called(&mut world, writes);
            }
            self.note_most(env, &mut world, condition, body);
            self.scoped(env, vec![world], std::slice::from_ref(body));
        }
        vec![(after, Flow::Next)]
    }
}

/// Variables that stand for functions that only take copies, and the numbers that they may be given.
fn copied(world: &World) -> Copied {
    let refers = |p: &ast::Parameter| {
        !matches!(
            p.ty.kind,
            ast::TypeKind::Builtin(_) | ast::TypeKind::Pointer { .. }
        ) && !matches!(&p.ty.kind, ast::TypeKind::Named(n) if n.segments.iter().all(|s| s.arguments.is_none()))
    };
    let takes_copies = |slot: &&Slot| match &slot.value {
        Some(Value::Function(f)) => {
            let mut parameters = f.candidates.iter().flat_map(|c| &c.function.parameters);
            f.candidates.iter().all(|c| c.function.templates.is_empty()) && !parameters.any(refers)
        }
        _ => false,
    };
    let mut callees: Vec<Name> = world
        .slots
        .iter()
        .filter(takes_copies)
        .map(|s| s.name.clone())
        .collect();
    if callees.is_empty() {
        return Copied::default();
    }
    let is_number = |slot: &&Slot| {
        matches!(
            slot.ty.strip_reference(),
            Type::Scalar(_, _) | Type::Pointer(_)
        )
    };
    let name = |s: &Slot| Name::from(written_name(&s.name));
    let others: FxHashSet<Name> = world
        .slots
        .iter()
        .filter(|s| !is_number(s))
        .map(name)
        .collect();
    let mut numbers: Vec<Name> = world.slots.iter().filter(is_number).map(name).collect();
    numbers.retain(|n| !others.contains(n));
    callees.retain(|n| world.get(n).is_some_and(|s| takes_copies(&s)));
    for list in [&mut callees, &mut numbers] {
        list.sort_unstable();
        list.dedup();
    }
    Copied { callees, numbers }
}
