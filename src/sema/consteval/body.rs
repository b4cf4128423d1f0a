//! Bodies of functions that are called with constants.
//!
//! Runs statements over local variables. Anything that is not known, that reaches
//! outside of the function, or that takes too many steps ends the run without a
//! result.

use super::operations::write;
use super::{Fields, Locals, Value, eval_in, initial_value};
use crate::sema::scope::{
    self, Binding, Callee, Env, Fingerprint, Guard, Names, resolve_qualified, resolve_type,
    result_type, variable_type, with_parameters,
};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Condition, Expr, ExprKind, Function, Stmt, StmtKind};

enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Value>),
    /// Something is not known.
    Stuck,
}

/// The result of a call. What a function gives for numbers is worked out once.
pub(crate) fn call(
    names: &Names<'_>,
    callee: &Callee,
    env: &Env,
    values: &[Option<Value>],
) -> Option<Value> {
    let _guard = Guard::enter()?;
    let question = question_of(names, callee, env, values);
    names.value_of(question, || {
        result_with(names, callee, env, values, Locals::default())
    })
}

/// The result of a call for a constant object, of which the method sees the members.
pub(super) fn call_on(
    names: &Names<'_>,
    callee: &Callee,
    env: &Env,
    object: &Fields,
    values: &[Option<Value>],
) -> Option<Value> {
    let _guard = Guard::enter()?;
    let this = Value::Fields(std::sync::Arc::new(object.clone()));
    let question = question_of(names, callee, env, values);
    let question = question.text("of").value(&this);
    names.value_of(question, || {
        let mut members = Locals::default();
        for (name, value) in &object.values {
            let ty = match &object.ty {
                Type::Record(record) => record.fields.iter().find(|f| *f.name == **name),
                _ => None,
            };
            members.push(name.clone(), ty?.ty.clone(), value.clone());
        }
        members
            .slots
            .iter_mut()
            .for_each(|slot| slot.is_const = true);
        result_with(names, callee, env, values, members)
    })
}

/// What tells a call from others: the function in its class, its template arguments and its arguments.
fn question_of(
    names: &Names<'_>,
    callee: &Callee,
    env: &Env,
    values: &[Option<Value>],
) -> Fingerprint {
    let start = Fingerprint::new("call")
        .place(std::sync::Arc::as_ptr(&callee.function))
        .env(&callee.env);
    let head = names.own_head(&callee.function, &callee.env);
    let bound = head.into_iter().flat_map(|head| &head.parameters);
    let bound = bound.fold(start, |out, parameter| {
        match parameter.name.as_deref().and_then(|name| env.get(name)) {
            Some(binding) => out.binding(binding),
            None => out.text("open"),
        }
    });
    bound.typed_values(values)
}

/// What the body returns that sees the variables of `around`.
fn result_with(
    names: &Names<'_>,
    callee: &Callee,
    env: &Env,
    values: &[Option<Value>],
    around: Locals,
) -> Option<Value> {
    let f = &callee.function;
    let statements = f.body.as_deref()?;
    if f.problem.is_some() || f.attributes.global {
        return None;
    }
    let mut locals = Locals {
        is_mutable: true,
        ..around
    };
    if !bind_parameters(names, env, f, values, &mut locals) {
        return None;
    }
    let inner = with_parameters(names, env, &f.parameters);
    let value = result(names, &inner, &mut locals, statements)?;
    match &f.result.kind {
        ast::TypeKind::Auto | ast::TypeKind::DecltypeAuto => Some(value),
        _ => super::cast(names, &result_type(names, env, f), value),
    }
}

/// Makes variables of parameters; missing arguments take their defaults. False where one points into an array of the
/// caller, which may be written through it.
pub(super) fn bind_parameters(
    names: &Names<'_>,
    env: &Env,
    f: &std::sync::Arc<Function>,
    values: &[Option<Value>],
    locals: &mut Locals,
) -> bool {
    for (i, p) in f.parameters.iter().enumerate() {
        let Some(name) = &p.name else { continue };
        let ty = resolve_type(names, env, &p.ty);
        let value = match values.get(i) {
            Some(v) => v.clone(),
            None => names
                .default_argument(f, env, i)
                .and_then(|e| eval_in(names, env, &mut Locals::default(), e)),
        };
        let is_view = matches!(value, Some(Value::List(_)))
            && matches!(declared(ty.clone(), p), Type::Pointer(_))
            && !points_to_constants(&p.ty);
        if is_view {
            return false;
        }
        let value = value.and_then(|v| {
            if ty.is_unknown() {
                Some(v)
            } else {
                super::cast(names, &ty, v)
            }
        });
        locals.push(name.clone(), declared(ty, p), value);
    }
    true
}

/// Whether the text says that what a pointer or a parameter written as an array points to is constant.
fn points_to_constants(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        ast::TypeKind::Pointer { to, .. } | ast::TypeKind::Array(to, _) => to.is_const,
        _ => false,
    }
}

/// The type of a parameter: one that is written as an array is a pointer.
fn declared(ty: Type, p: &ast::Parameter) -> Type {
    match ty {
        Type::Array(..) if matches!(p.ty.kind, ast::TypeKind::Array(..)) => ty.decay(),
        ty => ty,
    }
}

/// What a body returns.
pub(super) fn result(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    body: &[Stmt],
) -> Option<Value> {
    match block(names, &mut env.clone(), locals, body) {
        Flow::Return(v) => v,
        _ => None,
    }
}

/// Runs a body to its end; false where that is not possible.
pub(super) fn run(names: &Names<'_>, env: &Env, locals: &mut Locals, body: &[Stmt]) -> bool {
    matches!(
        block(names, &mut env.clone(), locals, body),
        Flow::Next | Flow::Return(_)
    )
}

fn block(names: &Names<'_>, env: &mut Env, locals: &mut Locals, body: &[Stmt]) -> Flow {
    let mark = locals.slots.len();
    let mut flow = Flow::Next;
    for s in body {
        flow = statement(names, env, locals, s);
        if !matches!(flow, Flow::Next) {
            break;
        }
    }
    locals.slots.truncate(mark);
    flow
}

fn declare(names: &Names<'_>, env: &mut Env, locals: &mut Locals, v: &ast::Variable) -> bool {
    if v.storage.is_static && !v.storage.is_constexpr && !super::is_const_object(&v.ty) {
        return false;
    }
    let mut ty = variable_type(names, env, v);
    // A static variable keeps what its first call gave it.
    let value = if v.storage.is_static {
        initial_value(names, env, &mut Locals::default(), v)
    } else {
        initial_value(names, env, locals, v)
    };
    if matches!(v.ty.kind, ast::TypeKind::Auto | ast::TypeKind::DecltypeAuto)
        && let Some(t) = value.as_ref().and_then(Value::ty)
    {
        ty = t;
    }
    if v.init.is_some() && value.is_none() {
        return false;
    }
    if matches!(value, Some(Value::List(_)))
        && matches!(ty, Type::Pointer(_) | Type::Array(..) | Type::Unknown(_))
        && is_view(names, env, locals, v)
    {
        return false;
    }
    // References to other variables would need places.
    if matches!(ty, Type::Reference(_)) && !super::is_const_object(&v.ty) {
        return false;
    }
    let value = value.or_else(|| match &ty {
        Type::Vector { .. } | Type::Record(_) => super::construct(names, &ty, Vec::new()),
        Type::Array(..) => {
            Some(Value::List(std::sync::Arc::default())).and_then(|v| super::cast(names, &ty, v))
        }
        _ => None,
    });
    // Template arguments and bounds name constants; types, others, too.
    let is_constant = super::is_const_object(&v.ty) || v.storage.is_constexpr;
    env.set(
        v.name.clone(),
        match &value {
            Some(value) if is_constant => Binding::Value(value.clone(), Some(ty.clone())),
            _ => Binding::Variable(ty.clone()),
        },
    );
    locals.push(v.name.clone(), ty, value);
    true
}

fn truth(names: &Names<'_>, env: &Env, locals: &mut Locals, c: &Condition) -> Option<bool> {
    match c {
        Condition::Expr(e) => eval_in(names, env, locals, e)?.as_bool(),
        Condition::Variable(_) => None,
    }
}

fn effect(names: &Names<'_>, env: &Env, locals: &mut Locals, e: &Expr) -> bool {
    match &e.kind {
        // `(void)x;`, `assert(…)` and the like.
        ExprKind::Cast { value, .. } => is_idle(value) || effect(names, env, locals, value),
        ExprKind::Binary(ast::BinaryOp::Comma, a, b) => {
            effect(names, env, locals, a) && effect(names, env, locals, b)
        }
        ExprKind::Assign(op, place, value) => {
            write(names, env, locals, *op, place, value).is_some()
        }
        _ => eval_in(names, env, locals, e).is_some(),
    }
}

/// `using a::b;`; false where it names a variable that has no known value.
fn use_name(names: &Names<'_>, env: &mut Env, path: &ast::Path) -> bool {
    if names.variable(env, path).is_none() {
        scope::use_name(names, env, path);
        return true;
    }
    let named = Expr {
        kind: ExprKind::Path(path.clone()),
        range: path.range,
    };
    let value = super::eval(names, env, &named);
    let ty = scope::type_with(names, env, &named, &|_| None);
    match (path.segments.last(), value) {
        (Some(last), Some(value)) => {
            env.set(last.name.clone(), Binding::Value(value, Some(ty)));
            true
        }
        _ => false,
    }
}

/// Whether nothing happens where an expression is evaluated.
fn is_idle(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Path(_) | ExprKind::Int { .. } | ExprKind::Bool(_) | ExprKind::Str(_) => true,
        ExprKind::Cast { value, .. } => is_idle(value),
        _ => false,
    }
}

/// Whether a pointer would be a copy of the array that it points into: one that may change. Constants of the file
/// and of the function do not.
fn is_view(names: &Names<'_>, env: &Env, locals: &Locals, v: &ast::Variable) -> bool {
    let mut is_view = false;
    v.each_initial(&mut |e| {
        let of = scope::type_with(names, env, e, &|n| locals.get(n).map(|s| s.ty.clone()));
        let root = root_of(e).and_then(|name| locals.get(name));
        is_view |= matches!(of.strip_reference(), Type::Array(..) | Type::Pointer(_))
            && root.is_some_and(|slot| !slot.is_const);
    });
    is_view
}

/// The variable that a place lies in.
fn root_of(e: &Expr) -> Option<&ast::Name> {
    match &e.kind {
        ExprKind::Path(path) => path.as_name(),
        ExprKind::Member { object: a, .. }
        | ExprKind::Index(a, _)
        | ExprKind::Cast { value: a, .. }
        | ExprKind::Unary(_, a)
        | ExprKind::Binary(_, a, _) => root_of(a),
        _ => None,
    }
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn statement(names: &Names<'_>, env: &mut Env, locals: &mut Locals, s: &Stmt) -> Flow {
    let Some(_guard) = Guard::enter() else {
        return Flow::Stuck;
    };
    let done = |ok: bool| if ok { Flow::Next } else { Flow::Stuck };
    match &s.kind {
        StmtKind::Empty => Flow::Next,
        StmtKind::Block(body) => block(names, &mut env.clone(), locals, body),
        StmtKind::Variables(vs) => done(vs.iter().all(|v| declare(names, env, locals, v))),
        StmtKind::Alias(a) => {
            if a.template.is_none() {
                let ty = resolve_qualified(names, env, &a.ty);
                env.set(a.name.clone(), Binding::Type(ty));
            }
            Flow::Next
        }
        StmtKind::Using(path) => done(use_name(names, env, path)),
        StmtKind::UsingNamespace(p) => {
            env.use_namespace(names, p);
            Flow::Next
        }
        StmtKind::Expr(e) => done(effect(names, env, locals, e)),
        StmtKind::If {
            init,
            condition,
            then,
            otherwise,
            ..
        } => {
            let (mark, env) = (locals.slots.len(), &mut env.clone());
            if let Some(init) = init
                && !matches!(statement(names, env, locals, init), Flow::Next)
            {
                return Flow::Stuck;
            }
            let flow = match truth(names, env, locals, condition) {
                Some(true) => statement(names, env, locals, then),
                Some(false) => otherwise
                    .as_ref()
                    .map_or(Flow::Next, |s| statement(names, env, locals, s)),
                None => Flow::Stuck,
            };
            locals.slots.truncate(mark);
            flow
        }
        StmtKind::For {
            init,
            condition,
            step,
            body,
        } => {
            let (mark, env) = (locals.slots.len(), &mut env.clone());
            if let Some(init) = init
                && !matches!(statement(names, env, locals, init), Flow::Next)
            {
                return Flow::Stuck;
            }
            let flow = repeat(
                names,
                env,
                locals,
                condition.as_ref(),
                step.as_ref(),
                body,
                true,
            );
            locals.slots.truncate(mark);
            flow
        }
        StmtKind::While {
            condition: Condition::Expr(c),
            body,
        } => repeat(names, env, locals, Some(c), None, body, true),
        StmtKind::DoWhile { body, condition } => {
            repeat(names, env, locals, Some(condition), None, body, false)
        }
        StmtKind::Switch { value, body } => {
            let Some(value) = eval_in(names, env, locals, value).and_then(|v| v.as_int()) else {
                return Flow::Stuck;
            };
            let mut start = body
                .iter()
                .position(|s| matches!(s.kind, StmtKind::Default));
            for (i, s) in body.iter().enumerate() {
                if let StmtKind::Case(e) = &s.kind {
                    match eval_in(names, env, locals, e).and_then(|v| v.as_int()) {
                        Some(v) if v == value => start = Some(i),
                        Some(_) => {}
                        None => return Flow::Stuck,
                    }
                }
            }
            match block(
                names,
                &mut env.clone(),
                locals,
                start.map_or(&[][..], |i| &body[i..]),
            ) {
                Flow::Break => Flow::Next,
                flow => flow,
            }
        }
        StmtKind::Case(_) | StmtKind::Default | StmtKind::Label(_) => Flow::Next,
        StmtKind::Break => Flow::Break,
        StmtKind::Continue => Flow::Continue,
        StmtKind::Return(None) => Flow::Return(None),
        StmtKind::Return(Some(e)) => match eval_in(names, env, locals, e) {
            Some(v) => Flow::Return(Some(v)),
            None => Flow::Stuck,
        },
        _ => Flow::Stuck,
    }
}

fn repeat(
    names: &Names<'_>,
    env: &mut Env,
    locals: &mut Locals,
    condition: Option<&Expr>,
    step: Option<&Expr>,
    body: &Stmt,
    pretest: bool,
) -> Flow {
    let mut test = pretest;
    loop {
        let Some(_guard) = Guard::enter() else {
            return Flow::Stuck;
        };
        if test {
            match condition.map_or(Some(true), |c| eval_in(names, env, locals, c)?.as_bool()) {
                Some(true) => {}
                Some(false) => return Flow::Next,
                None => return Flow::Stuck,
            }
        }
        test = true;
        match statement(names, env, locals, body) {
            Flow::Next | Flow::Continue => {}
            Flow::Break => return Flow::Next,
            flow => return flow,
        }
        if let Some(step) = step
            && !effect(names, env, locals, step)
        {
            return Flow::Stuck;
        }
    }
}
