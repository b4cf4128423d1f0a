//! Template arguments of instances: those that the text asks for by name, those that a fixture writes, and open ones.

use super::super::Unit;
use crate::sema::scope::{self, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, TemplateParameterKind};
use std::sync::Arc;

/// The instances that the text asks for in so many words.
pub(super) fn written_out(
    unit: &Unit<'_>,
    function: &Arc<ast::Function>,
    home: &Env,
    head: &ast::TemplateHead,
) -> Vec<(Env, String)> {
    let names = &unit.names;
    let all = explicit(unit, function, home).chain(listed(unit, function));
    let one = |(caller, arguments, types): Asked<'_>| {
        let env = scope::deduce(names, &caller, home, function, arguments, &types)?;
        let text = instance_text(head, &env);
        Some((env, text))
    };
    all.filter_map(one).collect()
}

/// Where an instance is asked for, its arguments, and the types of the parameters where they are written.
type Asked<'a> = (Env, &'a [ast::TemplateArgument], Vec<Type>);

/// `template __global__ void f<float>(…);`
fn explicit<'a>(
    unit: &'a Unit<'_>,
    function: &'a ast::Function,
    home: &'a Env,
) -> impl Iterator<Item = Asked<'a>> {
    let names = &unit.names;
    names
        .instantiations()
        .filter_map(move |(namespace, given)| {
            let is_there = given.qualifier.is_some() || namespace == home.namespace;
            let is_it = given.name == function.name
                && is_there
                && given.parameters.len() == function.parameters.len();
            let caller = Env::new(namespace);
            let parameters = given.parameters.iter();
            let types = parameters.map(|p| scope::resolve_type(names, &caller, &p.ty));
            let types = is_it.then(|| types.collect())?;
            Some((caller, &given.arguments[..], types))
        })
}

/// `Kernel *table[] = {f<1>, f<2>};` at the level of namespaces: whoever has the table may launch them.
fn listed<'a>(
    unit: &'a Unit<'_>,
    function: &'a Arc<ast::Function>,
) -> impl Iterator<Item = Asked<'a>> {
    let names = &unit.names;
    names
        .named_instances()
        .filter_map(move |(namespace, path)| {
            let last = path.segments.last().filter(|l| l.name == function.name)?;
            let caller = Env::new(namespace);
            let with_body = |c: &scope::Callee| c.function.body.is_some();
            let mut meant = names.functions(&caller, path).into_iter().filter(with_body);
            let is_it = Arc::ptr_eq(&meant.next()?.function, function) && meant.next().is_none();
            let arguments = last.arguments.as_deref().unwrap_or_default();
            is_it.then_some((caller, arguments, Vec::new()))
        })
}

/// Template arguments as a fixture writes them.
pub(super) fn written(
    unit: &Unit<'_>,
    home: &Env,
    head: &ast::TemplateHead,
    text: &str,
) -> Option<(Env, String)> {
    let parsed = crate::syntax::parse::parse(&format!("void instance() {{ f{text}(0); }}"));
    let ast::Item::Function(function) = parsed.items.first()? else {
        return None;
    };
    let ast::StmtKind::Expr(e) = &function.body.as_ref()?.first()?.kind else {
        return None;
    };
    let ast::ExprKind::Call { callee, .. } = &e.kind else {
        return None;
    };
    let ast::ExprKind::Path(path) = &callee.kind else {
        return None;
    };
    let arguments = path.segments.last()?.arguments.clone()?;
    let env = scope::bind_template(&unit.names, home, home, head, &arguments, &[]).ok()?;
    let text = instance_text(head, &env);
    Some((env, text))
}

/// `<float, 16>`; `?` for an argument that is not known.
pub(in crate::lower) fn instance_text(head: &ast::TemplateHead, env: &Env) -> String {
    let texts = scope::display_bound(head, env, |parameter, one| match one {
        scope::Binding::Variable(_) | scope::Binding::Type(Type::Unknown(_)) => "?".to_owned(),
        known => scope::display_argument(parameter, known),
    });
    format!("<{texts}>")
}

/// A template that nothing instantiates: its types are unknown, with the reason.
pub(super) fn without_arguments(home: &Env, head: &ast::TemplateHead) -> Env {
    let mut env = home.clone();
    for parameter in &head.parameters {
        let Some(name) = &parameter.name else {
            continue;
        };
        let reason = format!("no instantiation of template parameter `{name}` is visible");
        env.set(name.clone(), open_binding(parameter, reason));
    }
    env
}

/// What an argument is of which nothing is known.
pub(super) fn open_binding(parameter: &ast::TemplateParameter, reason: String) -> scope::Binding {
    match (&parameter.kind, parameter.is_pack) {
        (_, true) => scope::Binding::Pack(Arc::from(Vec::new())),
        (TemplateParameterKind::Value { ty, .. }, _) => match &ty.kind {
            ast::TypeKind::Builtin(builtin) => {
                scope::Binding::Variable(crate::sema::types::builtin(*builtin))
            }
            _ => scope::Binding::Variable(Type::unknown(reason)),
        },
        _ => scope::Binding::Type(Type::unknown(reason)),
    }
}
