//! Host templates that the text instantiates without a call in sight.
//!
//! Given the functions of a unit; enters, with unknown arguments, those that are instantiated explicitly
//! (`template void run<float>(float *);`), alone or with their class, and those whose address is given to a
//! pointer: whoever has the pointer may call them.

use super::mentions::count_values;
use super::unseen_launches::each_expr;
use super::walk::{Walk, World};
use super::worlds::start_of_allocation;
use crate::sema::consteval;
use crate::sema::scope::{self, Callee, Env, deduce_with_reason, overload_for_types, resolve_type};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{
    self, Expr, ExprKind, Initialiser, Member, Name, Path, Stmt, StmtKind, TypeExpr, UnaryOp,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Nesting of choices, lists and casts around a function's name.
const MAX_DEPTH: u32 = 8;

/// A function that is named as a value, and what it must take, where that is known.
struct Pointed<'e> {
    path: &'e Path,
    takes: Option<Vec<Type>>,
}

impl Walk<'_, '_> {
    pub(super) fn instantiated(&mut self) {
        self.instantiated_functions();
        self.instantiated_classes();
    }

    /// `template void run<float>(float*);`, `template void C::run<float>(float*);`
    fn instantiated_functions(&mut self) {
        let listed: Vec<_> = self
            .names
            .instantiations()
            .filter(|(_, f)| !f.attributes.global && self.survey.reaching.contains(&f.name))
            .collect();
        for (scope, f) in listed {
            let env = Env::new(scope);
            let types: Vec<Type> = f
                .parameters
                .iter()
                .map(|p| resolve_type(self.names, &env, &p.ty))
                .collect();
            let candidates = match &f.qualifier {
                Some(class) => {
                    let class = TypeExpr::named(class.clone());
                    match resolve_type(self.names, &env, &class) {
                        Type::Record(r) => self.names.methods(&r, &f.name),
                        // The qualifier is a namespace.
                        _ => self.functions_named(&env, f),
                    }
                }
                None => self.functions_named(&env, f),
            };
            // It has the type of the template's function: no default argument is left out.
            let is_alike = |c: &Callee| {
                let parameters = &c.function.parameters;
                parameters.len() == f.parameters.len() || parameters.iter().any(|p| p.is_pack)
            };
            let candidates: Vec<Callee> = candidates.into_iter().filter(is_alike).collect();
            if let Some((callee, inner)) =
                overload_for_types(self.names, &env, &candidates, &f.arguments, &types)
            {
                let callee = self.definition_of(&candidates, callee);
                self.enter_open(&callee, &inner);
            }
        }
    }

    fn functions_named(&self, env: &Env, f: &ast::Function) -> Vec<Callee> {
        let mut segments = f.qualifier.clone().map_or_else(Vec::new, |q| q.segments);
        segments.push(ast::Segment {
            name: f.name.clone(),
            arguments: None,
        });
        let path = Path {
            is_global: false,
            segments,
            range: f.name_range,
        };
        self.names.functions(env, &path)
    }

    /// `template class C<float>;`: all its methods that are no templates themselves.
    fn instantiated_classes(&mut self) {
        let listed: Vec<_> = self.names.class_instantiations().collect();
        for (scope, path) in listed {
            let class = TypeExpr::named(path.clone());
            if let Type::Record(r) = resolve_type(self.names, &Env::new(scope), &class) {
                self.methods_of_instance(&r);
            }
        }
    }

    fn methods_of_instance(&mut self, r: &Arc<RecordType>) {
        let mut names: Vec<ast::Name> = Vec::new();
        for member in &r.record.members {
            if let Member::Function(f) = member
                && self.survey.reaching.contains(&f.name)
                && !names.contains(&f.name)
            {
                names.push(f.name.clone());
            }
        }
        for name in names {
            for callee in self.names.methods(r, &name) {
                let own = self.names.own_head(&callee.function, &callee.env);
                if own.is_none_or(|head| head.parameters.is_empty()) {
                    let env = callee.env.clone();
                    self.enter_open(&callee, &env);
                }
            }
        }
    }

    /// `return run<float>;`, `void (*f)(float *) = run;`
    pub(super) fn pointed(&mut self) {
        let bodies: Vec<Arc<ast::Function>> = self
            .survey
            .all_bodies()
            .map(|b| Arc::clone(b.function))
            .collect();
        let mut unread = FxHashMap::default();
        for function in &bodies {
            let is_meant = |name: &Name| self.survey.reaching.contains(name);
            count_values(function, is_meant, &mut unread);
        }
        let mut read = Vec::new();
        for function in bodies {
            // What a template's own parameters stand for is another thing in each instance.
            if !function.templates.is_empty() {
                continue;
            }
            let env = Env::new(self.names.home(&function));
            let mut found = Vec::new();
            let body = function.body.iter().flatten();
            body.for_each(|s| self.values_in(&env, s, &function.result, &mut found, 64));
            for one in found {
                if let Some((name, key)) = self.enter_pointed(&env, &one) {
                    *unread.entry(name.clone()).or_default() -= 1;
                    read.push((name, key));
                }
            }
        }
        // Where an instance was not read, its template is read with arguments that are not known.
        read.retain(|(name, _)| {
            unread.get(name) == Some(&0) && !self.survey.named_outside.contains(name)
        });
        self.pointed_templates
            .extend(read.into_iter().map(|(_, key)| key));
    }

    /// Reads the instance that is meant; gives the template's name and key.
    fn enter_pointed(&mut self, env: &Env, one: &Pointed<'_>) -> Option<(Name, usize)> {
        let last = one.path.segments.last()?;
        let mut candidates = self.names.functions(env, one.path);
        candidates.retain(|c| !c.function.attributes.global);
        let explicit = last.arguments.as_deref().unwrap_or_default();
        let bound = match (&one.takes, &candidates[..]) {
            (Some(types), _) => overload_for_types(self.names, env, &candidates, explicit, types),
            (None, [only]) => {
                let deduced =
                    deduce_with_reason(self.names, env, &only.env, &only.function, explicit, &[]);
                deduced.ok().map(|inner| (only.clone(), inner))
            }
            _ => None,
        };
        let (callee, inner) = bound?;
        let callee = self.definition_of(&candidates, callee);
        if callee.function.templates.is_empty() {
            return None;
        }
        let instance = self.names.instance_of(&callee.function, &inner);
        let key = Arc::as_ptr(&callee.function) as usize;
        // Calls with what is known of their arguments come first.
        if !self
            .entered_instances
            .contains(&(key, format!("{instance:?}")))
        {
            self.enter_open(&callee, &inner);
        }
        Some((callee.function.name.clone(), key))
    }

    /// The templates that reach launches and are named as values in a statement.
    fn values_in<'e>(
        &self,
        env: &Env,
        s: &'e Stmt,
        result: &TypeExpr,
        out: &mut Vec<Pointed<'e>>,
        depth: u32,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let mut inner = |s: &'e Stmt| self.values_in(env, s, result, out, depth);
        match &s.kind {
            StmtKind::Block(body) | StmtKind::Switch { body, .. } => body.iter().for_each(inner),
            StmtKind::If {
                then, otherwise, ..
            } => {
                inner(then);
                otherwise.iter().for_each(|s| inner(s));
            }
            StmtKind::For { body, .. }
            | StmtKind::RangeFor { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => inner(body),
            StmtKind::Return(Some(e)) => self.value_of(env, e, Some(result), out, MAX_DEPTH),
            StmtKind::Variables(vs) => {
                for v in vs.iter() {
                    if let Some(Initialiser::Equals(e) | Initialiser::Brace(e)) = &v.init {
                        self.value_of(env, e, Some(&v.ty), out, MAX_DEPTH);
                    }
                }
            }
            StmtKind::Expr(_) => {
                each_expr([s], &mut |e| match &e.kind {
                    ExprKind::Assign(None, _, value) => {
                        self.value_of(env, value, None, out, MAX_DEPTH);
                    }
                    ExprKind::Cast { ty, value, .. } => {
                        self.value_of(env, value, Some(ty), out, MAX_DEPTH);
                    }
                    _ => {}
                });
            }
            _ => {}
        }
    }

    fn value_of<'e>(
        &self,
        env: &Env,
        e: &'e Expr,
        ty: Option<&TypeExpr>,
        out: &mut Vec<Pointed<'e>>,
        depth: u32,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &e.kind {
            ExprKind::Path(path) => {
                let is_it = path
                    .segments
                    .last()
                    .is_some_and(|s| self.survey.reaching.contains(&s.name));
                if is_it {
                    let takes = ty.and_then(|ty| scope::pointed_parameters(self.names, env, ty));
                    out.push(Pointed { path, takes });
                }
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => {
                self.value_of(env, inner, ty, out, depth);
            }
            ExprKind::Cast { ty, value, .. } => self.value_of(env, value, Some(ty), out, depth),
            ExprKind::Conditional(_, a, b) => {
                self.value_of(env, a, ty, out, depth);
                self.value_of(env, b, ty, out, depth);
            }
            ExprKind::List(items) => {
                for (_, item) in items {
                    self.value_of(env, item, ty, out, depth);
                }
            }
            _ => {}
        }
    }

    /// Enters a function that anybody may call, at any time.
    fn enter_open(&mut self, callee: &Callee, env: &Env) {
        let mut world: World = self.base.clone();
        world.frame = consteval::Frame::default();
        for slot in &mut world.slots {
            slot.value = start_of_allocation(&slot.ty, slot.is_moving);
        }
        let values = vec![None; callee.function.parameters.len()];
        self.inline(callee, env, &mut world, values, &[]);
    }
}
