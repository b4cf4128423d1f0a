//! The kernels that the callee of a launch may mean: those it names, those a variable may hold, and where nothing tells,
//! all that the text names elsewhere than in a launch.

use super::{Parts, shown};
use crate::host::LostLaunch;
use crate::host::named_kernels;
use crate::host::walk::{Walk, World};
use crate::sema::consteval::{FunctionValue, Value};
use crate::sema::scope::{self, Binding, Callee, Env, display_path, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, Name, TemplateArgument, UnaryOp};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The kernels that a callee may mean.
pub(super) struct Target {
    pub(super) candidates: Vec<Callee>,
    pub(super) explicit: Vec<TemplateArgument>,
    /// Where `explicit` is read; the launch's own environment otherwise.
    pub(super) env: Option<Env>,
    /// As the launch names it.
    pub(super) name: String,
}

impl Target {
    /// The same of these kernels only.
    pub(super) fn declared(&self, candidates: Vec<Callee>) -> Self {
        Self {
            candidates,
            explicit: self.explicit.clone(),
            env: self.env.clone(),
            name: self.name.clone(),
        }
    }

    fn of(f: &FunctionValue) -> Self {
        Self {
            candidates: f.candidates.clone(),
            explicit: f.explicit.as_deref().unwrap_or_default().to_vec(),
            env: Some(f.env.clone()),
            name: f.text.split('<').next().unwrap_or_default().to_string(),
        }
    }
}

impl Walk<'_, '_> {
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn targets(
        &self,
        env: &Env,
        world: &mut World,
        callee: &Expr,
        out: &mut Vec<Target>,
        depth: u32,
    ) {
        if depth == 0 {
            return;
        }
        let function = |v: &Value| match v {
            Value::Function(f) => Some(Target::of(f)),
            _ => None,
        };
        match &callee.kind {
            ExprKind::Path(p) => {
                let Some(last) = p.segments.last() else {
                    return;
                };
                if p.segments.len() == 1
                    && !p.is_global
                    && let Some(slot) = world.get(&last.name)
                {
                    match &slot.value {
                        Some(Value::Str(s)) => {
                            let path = ast::Path::of_name(s.clone(), true, p.range);
                            out.push(Target {
                                candidates: self.names.functions(env, &path),
                                explicit: Vec::new(),
                                env: None,
                                name: s.to_string(),
                            });
                        }
                        Some(v) => out.extend(function(v)),
                        None => {}
                    }
                    return;
                }
                // A template's argument brings arguments of its own.
                if last.arguments.is_none()
                    && let Some(Binding::Value(v @ Value::Function(_), _)) = env.named(p)
                {
                    out.extend(function(v));
                    return;
                }
                let candidates = self.names.functions(env, p);
                // A constant that is a kernel.
                if candidates.is_empty()
                    && let Some(v @ Value::Function(_)) = self.value(env, world, callee)
                {
                    out.extend(function(&v));
                    return;
                }
                if candidates.is_empty() && self.is_variable(env, p) {
                    return;
                }
                let explicit = last.arguments.as_deref().unwrap_or_default().to_vec();
                out.push(Target {
                    candidates,
                    explicit,
                    env: None,
                    name: display_path(p),
                });
            }
            ExprKind::Conditional(c, a, b) => {
                let known = self.value(env, world, c).and_then(|v| v.as_bool());
                if known != Some(false) {
                    self.targets(env, world, a, out, depth - 1);
                }
                if known != Some(true) {
                    self.targets(env, world, b, out, depth - 1);
                }
            }
            ExprKind::Unary(UnaryOp::Deref | UnaryOp::AddressOf, a)
            | ExprKind::Cast { value: a, .. } => self.targets(env, world, a, out, depth - 1),
            // HIP's macro, where its header is not there.
            ExprKind::Call {
                callee: macro_name,
                arguments,
            } if matches!(&macro_name.kind, ExprKind::Path(p) if p.segments.last().is_some_and(|s| matches!(&*s.name, "HIP_KERNEL_NAME" | "KERNEL_NAME"))) => {
                if let [kernel] = &arguments[..] {
                    self.targets(env, world, kernel, out, depth - 1);
                }
            }
            ExprKind::Index(base, _) => match self.value(env, world, callee) {
                Some(v) => out.extend(function(&v)),
                None => {
                    if let Some(Value::List(items)) = self.value(env, world, base)
                        && items.iter().all(Option::is_some)
                    {
                        out.extend(items.iter().flatten().filter_map(function));
                    }
                }
            },
            _ => {
                if let Some(v) = self.value(env, world, callee) {
                    out.extend(function(&v));
                }
            }
        }
    }

    /// The kernels of the unit with a plain name, whatever their namespace.
    fn kernels_named(&self, name: &str) -> Vec<Callee> {
        let all = self.names.kernels().map(|(function, _)| function);
        let named = all.filter(|function| *function.name == *name);
        let callee = |function: &Arc<ast::Function>| Callee {
            function: function.clone(),
            env: Env::new(self.names.home(function)),
        };
        named.map(callee).collect()
    }

    pub(super) fn record_targets(
        &mut self,
        env: &Env,
        world: &mut World,
        callee: &Expr,
        parts: &Parts,
    ) {
        let mut targets = Vec::new();
        self.targets(env, world, callee, &mut targets, 8);
        if targets.is_empty() {
            let held = Self::held_by(world, callee);
            let picked = held.or_else(|| self.picked(env, world, callee));
            for f in picked.into_iter().flatten() {
                targets.push(Target::of(&f));
            }
        }
        if targets.is_empty() {
            // What may be in a variable, wherever it comes from.
            for path in self.survey.displaced.kernels(self.place, callee) {
                let homes = self.homes_of_path(&path);
                let named = Expr {
                    range: path.range,
                    kind: ExprKind::Path(path),
                };
                for home in homes {
                    let known = targets.len();
                    self.targets(env, world, &named, &mut targets, 1);
                    for target in &mut targets[known..] {
                        target.env.get_or_insert_with(|| home.clone());
                        // It came from where its namespace is seen.
                        if target.candidates.is_empty() {
                            target.candidates = self.kernels_named(&target.name);
                        }
                    }
                }
            }
        }
        // Of those that one variable may hold, the ones that take so many arguments.
        let count = parts.arguments.len();
        let is_counted = |a: &Expr| !matches!(a.kind, ExprKind::Expand(_));
        if targets.len() > 1 && count > 0 && parts.arguments.iter().all(is_counted) {
            let fits = |target: &Target| {
                let mut candidates = target.candidates.iter();
                target.candidates.is_empty() || candidates.any(|c| self.takes(c, count))
            };
            if targets.iter().any(fits) {
                targets.retain(fits);
            }
        }
        let at = self.env_of(env, world);
        let argument_types: Vec<Type> = parts
            .arguments
            .iter()
            .map(|a| match &a.kind {
                ExprKind::Lambda(_) => Type::lambda(),
                _ => self.argument_type(&at, world, a),
            })
            .collect();
        // What the driver launches comes out of a module.
        if !parts.is_of_driver && targets.iter().all(|target| target.candidates.is_empty()) {
            targets.extend(self.fitting_kernels(&argument_types));
        }
        if targets.is_empty() {
            let arguments = parts
                .arguments
                .iter()
                .map(|a| self.argument(env, world, a, None))
                .collect();
            self.out.lost.push(LostLaunch {
                callee: shown(callee),
                launch: parts.launch(arguments, Vec::new()),
                range: parts.range,
                written: parts.written(),
                reason: Arc::from(format!(
                    "it is not known which kernel `{}` is",
                    shown(callee)
                )),
            });
        }
        for target in targets {
            self.record_target(env, &at, world, target, parts, &argument_types);
        }
    }

    /// Whether a name that no function has is one of a variable, a member or a template parameter.
    fn is_variable(&self, env: &Env, path: &ast::Path) -> bool {
        let Some(last) = path.segments.last() else {
            return false;
        };
        let of_class = path.qualifier().is_some_and(|class| {
            let ty = resolve_type(self.names, env, &ast::TypeExpr::named(class));
            matches!(ty, Type::Record(_))
        });
        let is_member = || {
            let record = env.record.as_ref().filter(|_| path.segments.len() == 1);
            record.is_some_and(|r| scope::field(self.names, r, &last.name).is_some())
        };
        of_class
            || env.named(path).is_some()
            || is_member()
            || self.names.is_variable_around(env, path)
            || self.names.variable(env, path).is_some()
    }

    /// The kernels that the text names elsewhere than in a launch and that take arguments of such types.
    fn fitting_kernels(&mut self, arguments: &[Type]) -> Vec<Target> {
        if self.named_kernels.is_none() {
            let kernels: FxHashSet<Name> =
                self.names.kernels().map(|(f, _)| f.name.clone()).collect();
            let found = match kernels.is_empty() {
                true => Vec::new(),
                false => named_kernels::of(self.survey.unit, &kernels),
            };
            self.named_kernels = Some(found.into());
        }
        let named = self.named_kernels.clone();
        let mut out: Vec<Target> = Vec::new();
        for path in named.iter().flat_map(|all| all.iter()) {
            let Some(last) = path.segments.last() else {
                continue;
            };
            let mut candidates = self.kernels_named(&last.name);
            candidates.retain(|kernel| self.may_take(kernel, arguments));
            if candidates.is_empty() {
                continue;
            }
            let explicit = last.arguments.as_deref().unwrap_or_default();
            // One that is a template may be named with other arguments each time.
            let is_known = |known: &Target| known.name == *last.name && explicit.is_empty();
            if out.iter().any(is_known) {
                continue;
            }
            for home in self.homes_of_path(path) {
                out.push(Target {
                    candidates: candidates.clone(),
                    explicit: explicit.to_vec(),
                    env: Some(home),
                    name: last.name.to_string(),
                });
            }
        }
        out
    }

    /// Whether a pointer to a kernel may be called with arguments of such types.
    fn may_take(&self, kernel: &Callee, arguments: &[Type]) -> bool {
        if arguments.is_empty() {
            return true;
        }
        if !self.takes(kernel, arguments.len()) {
            return false;
        }
        let parameters = &kernel.function.parameters;
        let is_template = !kernel.function.templates.is_empty();
        let mut pairs = parameters.iter().zip(arguments).filter(|_| !is_template);
        pairs.all(|(parameter, given)| {
            let wanted = resolve_type(self.names, &kernel.env, &parameter.ty);
            match (wanted.strip_reference(), given.strip_reference()) {
                (Type::Scalar(..) | Type::Vector { .. }, Type::Pointer(_)) => false,
                (Type::Pointer(wanted), Type::Pointer(given)) => match (&**wanted, &**given) {
                    (Type::Scalar(a, _), Type::Scalar(b, _)) => a == b,
                    _ => true,
                },
                _ => true,
            }
        })
    }
}
