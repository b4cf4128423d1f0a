//! Statements of host code, run over worlds.

use super::compared_constants::choice;
use super::walk::{Flow, Outcome, Walk, World};
use super::worlds::{escape, forget, forget_all, is_other};
use crate::sema::consteval::{self, Value};
use crate::sema::scope::{self, Binding, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Condition, Expr, ExprKind, Stmt, StmtKind};

/// Nesting below which statements are not read.
const MAX_DEPTH: u32 = 150;

impl Walk<'_, '_> {
    pub fn statements(&mut self, env: &mut Env, worlds: Vec<World>, body: &[Stmt]) -> Outcome {
        // In a function with jumps nothing that is written anywhere is known, so a label can be reached
        // in the state of any place before it.
        let jumps = self.has_goto();
        let mut last = worlds.first().filter(|_| jumps).cloned();
        let mut current = worlds;
        let mut done: Outcome = Vec::new();
        for s in body {
            let mut next = Vec::with_capacity(current.len());
            for w in current {
                for (w, flow) in self.statement(env, w, s) {
                    match flow {
                        Flow::Next => next.push(w),
                        flow => done.push((w, flow)),
                    }
                }
            }
            current = if next.len() > 1 {
                self.merge(next)
            } else {
                next
            };
            if let (true, Some(w)) = (jumps, current.first()) {
                last = Some(w.clone());
            } else if !current.is_empty() {
            } else if !jumps {
                break;
            } else if let (StmtKind::Label(_), Some(w)) = (&s.kind, &last) {
                // A jump may lead here.
                current.push(w.clone());
            }
        }
        done.extend(current.into_iter().map(|w| (w, Flow::Next)));
        done
    }

    pub(super) fn has_goto(&self) -> bool {
        let b = self.function.as_ref().and_then(|f| self.survey.of(f));
        b.is_some_and(|b| b.summary.has_goto)
    }

    /// `{ <try> {body} if (<caught>) {handler} … }`
    fn attempt(&mut self, env: &Env, world: World, body: &[Stmt]) -> Outcome {
        let Some((tried, handlers)) = body.split_first() else {
            return vec![(world, Flow::Next)];
        };
        // A handler is reached from anywhere in the body.
        let mut caught = world.clone();
        let writes = self.survey.writes(&[tried], &[]);
        forget(&mut caught, &writes);
        self.forget_called(&mut caught, &writes);
        let mut out = self.scoped(env, vec![world], std::slice::from_ref(tried));
        for handler in handlers {
            if let StmtKind::If { then, .. } = &handler.kind {
                out.extend(self.scoped(env, vec![caught.clone()], std::slice::from_ref(&**then)));
            }
        }
        out
    }

    pub(super) fn scoped(&mut self, env: &Env, worlds: Vec<World>, body: &[Stmt]) -> Outcome {
        let mark = worlds.first().map_or(0, |w| w.slots.len());
        let mut outcome = self.statements(&mut env.clone(), worlds, body);
        outcome.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
        outcome
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn statement(&mut self, env: &mut Env, mut world: World, s: &Stmt) -> Outcome {
        self.steps += 1;
        if self.depth >= MAX_DEPTH {
            let writes = self.survey.writes(&[s], &[]);
            forget(&mut world, &writes);
            self.forget_called(&mut world, &writes);
            return vec![(world, Flow::Next)];
        }
        self.depth += 1;
        let outcome = match &s.kind {
            StmtKind::Block(body) => match body.split_first() {
                Some((first, rest)) if is_try(first) => self.attempt(env, world, rest),
                _ => self.scoped(env, vec![world], body),
            },
            StmtKind::Variables(vs) => {
                let before = match &vs[..] {
                    [one] if choice(one).is_some_and(|e| !self.acts(env, &world, e)) => {
                        Some(world.clone())
                    }
                    _ => None,
                };
                for v in vs.iter() {
                    self.declare(env, &mut world, v);
                }
                let mut worlds = match before {
                    Some(before) => self.choices(env, &before, world, &vs[0]),
                    None => vec![world],
                };
                for v in vs.iter() {
                    worlds = worlds
                        .into_iter()
                        .flat_map(|w| self.split(w, &v.name))
                        .collect();
                }
                worlds.into_iter().map(|w| (w, Flow::Next)).collect()
            }
            StmtKind::Alias(a) => {
                if a.template.is_none() {
                    let at = self.env_of(env, &world);
                    let ty = scope::resolve_qualified(self.names, &at, &a.ty);
                    env.set(a.name.clone(), Binding::Type(ty));
                }
                vec![(world, Flow::Next)]
            }
            StmtKind::Record(r) => {
                if let Some(name) = &r.name {
                    let at = self.env_of_members(env, &world);
                    let ty = scope::instantiate(self.names, r, &at, Vec::new(), name);
                    env.set(name.clone(), Binding::Type(ty));
                } else {
                    // Members share their bytes: a write to one changes them all.
                    for name in r.names_given_outward() {
                        world.push(name.clone(), Type::unknown("a member of a union"), None);
                        world.slots.last_mut().into_iter().for_each(escape);
                    }
                }
                vec![(world, Flow::Next)]
            }
            StmtKind::Enum(e) => {
                self.enumerate(env, &mut world, e);
                vec![(world, Flow::Next)]
            }
            StmtKind::Using(p) => {
                self.using(env, &mut world, p);
                vec![(world, Flow::Next)]
            }
            StmtKind::UsingNamespace(p) => {
                env.use_namespace(self.names, p);
                vec![(world, Flow::Next)]
            }
            StmtKind::Expr(e) => {
                let flow = if self.is_exit(env, &world, e) {
                    Flow::Exit
                } else {
                    Flow::Next
                };
                self.effects(env, &mut world, e);
                for a in self.survey.facts.written_when_dropped(e) {
                    self.hand_over_exposed(&mut world, a);
                }
                vec![(world, flow)]
            }
            StmtKind::Return(e) => {
                if let Some(e) = e {
                    self.effects(env, &mut world, e);
                }
                vec![(world, Flow::Exit)]
            }
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
                ..
            } => self.branch(
                env,
                world,
                init.as_deref(),
                condition,
                then,
                otherwise.as_deref(),
            ),
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                let mark = world.slots.len();
                let mut inner = env.clone();
                let starts = match init {
                    Some(s) => self.statement(&mut inner, world, s),
                    None => vec![(world, Flow::Next)],
                };
                let mut out = Vec::new();
                for (w, _) in starts {
                    out.extend(self.repeat(
                        &mut inner,
                        w,
                        condition.as_ref(),
                        step.as_ref(),
                        body,
                        true,
                    ));
                }
                out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
                out
            }
            StmtKind::RangeFor {
                variable,
                range,
                body,
            } => self.range_for(env, world, variable, range, body),
            StmtKind::While {
                condition: Condition::Expr(c),
                body,
            } => self.repeat(env, world, Some(c), None, body, true),
            StmtKind::While {
                condition: Condition::Variable(v),
                body,
            } => {
                let mark = world.slots.len();
                self.declare(env, &mut world, v);
                if let Some(slot) = world.slots.last_mut() {
                    slot.value = None;
                }
                let mut writes = self.survey.writes(&[body], &[]);
                writes.names.insert(v.name.clone());
                let mut out = self.forget_and_run(env, world, &writes, None, None, body);
                out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
                out
            }
            StmtKind::DoWhile { body, condition } => {
                self.repeat(env, world, Some(condition), None, body, false)
            }
            StmtKind::Switch { value, body } => self.switch(env, world, value, body),
            StmtKind::Error => {
                forget_all(&mut world);
                vec![(world, Flow::Next)]
            }
            StmtKind::Asm(asm) => {
                for (_, place) in &asm.outputs {
                    self.forget_place(&mut world, place);
                }
                vec![(world, Flow::Next)]
            }
            StmtKind::Break => vec![(world, Flow::Break)],
            StmtKind::Continue => vec![(world, Flow::Continue)],
            _ => vec![(world, Flow::Next)],
        };
        self.depth -= 1;
        outcome
    }

    /// `using a::b;` in a function.
    fn using(&self, env: &mut Env, world: &mut World, path: &ast::Path) {
        let Some(name) = path.segments.last().map(|s| s.name.clone()) else {
            return;
        };
        let names = self.names;
        if names.variable(env, path).is_some() {
            let named = Expr {
                kind: ExprKind::Path(path.clone()),
                range: path.range,
            };
            let value = consteval::eval(names, env, &named);
            let ty = scope::type_with(names, env, &named, &|_| None);
            // The one variable of this name is known by it already.
            let globals = self.globals.min(world.slots.len());
            let at = world.place(&name);
            if value.is_none() && at.is_some_and(|at| at < globals) {
                return;
            }
            let is_open = value.is_none();
            world.push(name, ty, value);
            world
                .slots
                .last_mut()
                .into_iter()
                .filter(|_| is_open)
                .for_each(escape);
        } else {
            scope::use_name(names, env, path);
            // A local object of that name is hidden.
            if world.place(&name).is_some() {
                let functions = match env.get(&name) {
                    Some(Binding::Value(value, _)) => Some(value.clone()),
                    _ => None,
                };
                world.push(
                    name,
                    Type::unknown("a name that `using` brings in"),
                    functions,
                );
            }
        }
    }

    /// Where the members of a class of a function are looked up: constants of the function, and what hides variables of
    /// the file, stand in front of these.
    fn env_of_members(&self, env: &Env, world: &World) -> Env {
        let all = self.env_of(env, world);
        let mut at = env.clone();
        for slot in world.slots.iter().skip(self.globals) {
            let path = ast::Path::of_name(slot.name.clone(), true, ast::Range::default());
            let hides = || self.names.variable(env, &path).is_some();
            match all.get(&slot.name) {
                Some(binding @ Binding::Value(..)) => at.set(slot.name.clone(), binding.clone()),
                Some(binding) if hides() => at.set(slot.name.clone(), binding.clone()),
                _ => {}
            }
        }
        at
    }

    /// An enumeration of a function.
    fn enumerate(&mut self, env: &mut Env, world: &mut World, e: &ast::Enum) {
        let ty = scope::local_enumeration(self.names, env, e);
        if let Some(name) = &e.name {
            env.set(name.clone(), Binding::Type(ty.clone()));
        }
        // Those of an `enum class` go by its name only.
        if e.is_class {
            return;
        }
        let scalar = ty.scalar();
        let mut next = Some(0);
        for (name, value) in &e.values {
            let value = match value {
                Some(e) => consteval::eval(self.names, env, e).and_then(|v| v.as_int()),
                None => next,
            };
            next = value.map(|v| v.wrapping_add(1));
            let value = value.zip(scalar).map(|(v, scalar)| Value::int(v, scalar));
            // It hides variables of its name.
            if world.get(name).is_some() {
                world.push(name.clone(), ty.clone(), value.clone());
            }
            let known = value.map(|v| Binding::Value(v, Some(ty.clone())));
            env.set(
                name.clone(),
                known.unwrap_or_else(|| Binding::Variable(ty.clone())),
            );
        }
    }

    fn branch(
        &mut self,
        env: &mut Env,
        world: World,
        init: Option<&Stmt>,
        condition: &Condition,
        then: &Stmt,
        otherwise: Option<&Stmt>,
    ) -> Outcome {
        let mark = world.slots.len();
        let mut inner = env.clone();
        let starts = match init {
            Some(init) => self.statement(&mut inner, world, init),
            None => vec![(world, Flow::Next)],
        };
        let mut out = Vec::new();
        for (mut world, _) in starts {
            let known = match condition {
                Condition::Expr(e) if self.acts(&inner, &world, e) => self
                    .evaluate(&inner, &mut world, e)
                    .and_then(|v| v.as_bool()),
                Condition::Expr(e) => self.truth(&inner, &mut world, e),
                Condition::Variable(v) => {
                    self.declare(&inner, &mut world, v);
                    None
                }
            };
            // A jump may lead into either.
            let known = known.filter(|_| !self.has_goto());
            if known != Some(false) {
                out.extend(self.scoped(&inner, vec![world.clone()], std::slice::from_ref(then)));
            }
            if known != Some(true) {
                match otherwise {
                    Some(s) => {
                        out.extend(self.scoped(&inner, vec![world], std::slice::from_ref(s)));
                    }
                    None => out.push((world, Flow::Next)),
                }
            }
        }
        out.iter_mut().for_each(|(w, _)| w.slots.truncate(mark));
        out
    }

    /// A condition, as far as it is known.
    pub(super) fn truth(&self, env: &Env, world: &mut World, e: &Expr) -> Option<bool> {
        use ast::BinaryOp as B;
        if let Some(known) = self.value(env, world, e).and_then(|v| v.as_bool()) {
            return Some(known);
        }
        if let Some(known) = self.decided(world, e) {
            return Some(known);
        }
        match &e.kind {
            ExprKind::Unary(ast::UnaryOp::Not, a) => Some(!self.truth(env, world, a)?),
            ExprKind::Binary(op @ (B::LogicalAnd | B::LogicalOr), a, b) => {
                let decisive = *op == B::LogicalOr;
                let both = [self.truth(env, world, a), self.truth(env, world, b)];
                if both.contains(&Some(decisive)) {
                    Some(decisive)
                } else {
                    None
                }
            }
            // A variable told apart by the constants it is compared with is none of them here.
            ExprKind::Binary(op @ (B::Eq | B::Ne), a, b) => match (&a.kind, &b.kind) {
                (ExprKind::Path(_), ExprKind::Int { .. }) if is_other(world, a) => {
                    Some(*op == B::Ne)
                }
                (ExprKind::Int { .. }, ExprKind::Path(_)) if is_other(world, b) => {
                    Some(*op == B::Ne)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn switch(&mut self, env: &mut Env, mut world: World, value: &Expr, body: &[Stmt]) -> Outcome {
        let is_other = is_other(&world, value);
        let constants: Vec<&Expr> = body
            .iter()
            .filter_map(|s| match &s.kind {
                StmtKind::Case(e) => Some(e),
                _ => None,
            })
            .collect();
        // The variable is told apart from numbers only.
        let other = is_other
            && constants
                .iter()
                .all(|e| matches!(e.kind, ExprKind::Int { .. }));
        let value = self
            .evaluate(env, &mut world, value)
            .and_then(|v| v.as_int());
        let is_readable = constants
            .iter()
            .all(|e| self.value(env, &mut world, e).is_some());
        let value = value.filter(|_| is_readable && !self.has_goto());
        let other = other && is_readable && !self.has_goto();
        if body.iter().any(|s| has_label(s, 64)) {
            // Labels within other statements: it may begin anywhere.
            let stmts: Vec<&Stmt> = body.iter().collect();
            let writes = self.survey.writes(&stmts, &[]);
            forget(&mut world, &writes);
            self.forget_called(&mut world, &writes);
            self.scoped(env, vec![world.clone()], body);
            return vec![(world.clone(), Flow::Next), (world, Flow::Exit)];
        }
        let mut entries = Vec::new();
        let mut default = None;
        let mut taken = None;
        for (i, s) in body.iter().enumerate() {
            match &s.kind {
                StmtKind::Case(e) => {
                    entries.push(i);
                    if let (Some(v), Some(c)) = (
                        value,
                        self.value(env, &mut world, e).and_then(|v| v.as_int()),
                    ) && v == c
                    {
                        taken = Some(i);
                    }
                }
                StmtKind::Default => {
                    entries.push(i);
                    default = Some(i);
                }
                _ => {}
            }
        }
        let mut out = Vec::new();
        if value.is_some() || other {
            match taken.or(default) {
                Some(i) => entries = vec![i],
                None => return vec![(world, Flow::Next)],
            }
        } else if default.is_none() {
            out.push((world.clone(), Flow::Next));
        }
        for i in entries {
            // A label that leads straight to the next one is that one.
            if matches!(
                body.get(i + 1).map(|s| &s.kind),
                Some(StmtKind::Case(_) | StmtKind::Default)
            ) && value.is_none()
            {
                continue;
            }
            for (w, flow) in self.scoped(env, vec![world.clone()], &body[i..]) {
                out.push((
                    w,
                    if flow == Flow::Break {
                        Flow::Next
                    } else {
                        flow
                    },
                ));
            }
        }
        out
    }
}

/// Whether a case label stands below a statement of a switch.
fn has_label(s: &Stmt, depth: u32) -> bool {
    if depth == 0 {
        return true;
    }
    !matches!(s.kind, StmtKind::Switch { .. })
        && s.any_inside(&mut |inner| {
            matches!(inner.kind, StmtKind::Case(_) | StmtKind::Default)
                || has_label(inner, depth - 1)
        })
}

fn is_try(s: &Stmt) -> bool {
    matches!(&s.kind, StmtKind::Expr(e) if matches!(e.kind, ExprKind::Other("try")))
}

impl Walk<'_, '_> {
    /// Whether nothing comes after: `exit(1)`, unless the unit has a function of that name.
    fn is_exit(&self, env: &Env, world: &World, e: &Expr) -> bool {
        let callee = match &e.kind {
            ExprKind::Call { callee, .. } => callee,
            ExprKind::Other(name) => return *name == "throw",
            _ => return false,
        };
        let ExprKind::Path(p) = &callee.kind else {
            return false;
        };
        let name = match &p.segments[..] {
            [name] => name,
            [space, name] if &*space.name == "std" => name,
            _ => return false,
        };
        matches!(&*name.name, "exit" | "abort" | "_exit" | "quick_exit")
            && !self.survey.facts.has_function(&name.name)
            && (p.segments.len() > 1 || world.get(&name.name).is_none() && env.named(p).is_none())
    }
}
