//! Parameter packs: `f(xs...)` is read as `f(x0, x1)`.
//!
//! Given a pack's elements, makes a variable of each, `xs#0`, `xs#1`; an expression that is expanded is
//! written out once for each element. The environment knows a pack's length.

use super::walk::{Walk, World};
use super::worlds::start_of_allocation;
use crate::sema::consteval::{self, Value};
use crate::sema::scope::{Binding, Env, resolve_type};
use crate::syntax::ast::{
    self, BinaryOp, Expr, ExprKind, Name, TemplateArgument, TypeExpr, TypeKind,
};
use crate::syntax::visit::{pattern_names, pattern_names_of_type};
use std::borrow::Cow;
use std::sync::Arc;

/// Elements of a pack, and nesting of an expanded expression.
const MAX_ELEMENTS: usize = 64;
const MAX_DEPTH: u32 = 32;

/// The variable of a pack's element; no name of the program has such a sign.
fn element(pack: &str, i: usize) -> Name {
    Name::from(format!("{pack}#{i}"))
}

/// The name that stands in the text: the pack's, for its element.
pub(super) fn written_name(name: &str) -> &str {
    name.split('#').next().unwrap_or(name)
}

impl Walk<'_, '_> {
    /// Makes variables of a pack's elements. Without known elements the pack stays unknown.
    pub fn bind_pack(
        &self,
        env: &mut Env,
        world: &mut World,
        p: &ast::Parameter,
        values: &[Option<Value>],
    ) {
        let Some(name) = &p.name else { return };
        let mut elements = Vec::with_capacity(values.len());
        for (i, value) in values.iter().take(MAX_ELEMENTS).enumerate() {
            let mut at = env.clone();
            for pack in packs_among(env, pattern_names_of_type(&p.ty)) {
                if let Some(Binding::Pack(items)) = env.get(&pack)
                    && let Some(item) = items.get(i)
                {
                    at.set(pack, item.clone());
                }
            }
            let mut ty = resolve_type(self.names, &at, &p.ty);
            let value = match value {
                Some(v) if !ty.strip_reference().is_unknown() => {
                    consteval::cast(self.names, &ty, v.clone())
                }
                value => value.clone(),
            };
            if let (true, Some(known)) = (
                ty.strip_reference().is_unknown(),
                value.as_ref().and_then(Value::ty),
            ) {
                ty = known;
            }
            let is_moving = self.is_moving(name);
            let value = value.or_else(|| start_of_allocation(&ty, is_moving));
            elements.push(Binding::Variable(ty.clone()));
            world.push(element(name, i), ty, value);
            self.mark(world);
        }
        env.set(name.clone(), Binding::Pack(elements.into()));
    }

    /// Names the elements of the packs of types that a function is entered with.
    pub fn bind_type_packs(&self, env: &mut Env, function: &ast::Function) {
        for p in function.templates.iter().flat_map(|head| &head.parameters) {
            let Some(name) = p.name.as_ref().filter(|_| p.is_pack) else {
                continue;
            };
            let Some(Binding::Pack(items)) = env.get(name) else {
                continue;
            };
            let items = items.clone();
            for (i, item) in items.iter().enumerate() {
                env.set(element(name, i), item.clone());
            }
        }
    }

    /// Arguments with their packs written out.
    pub fn expanded<'e>(&self, env: &Env, arguments: &'e [Expr]) -> Cow<'e, [Expr]> {
        if !arguments
            .iter()
            .any(|a| matches!(a.kind, ExprKind::Expand(_)))
        {
            return Cow::Borrowed(arguments);
        }
        let mut out = Vec::new();
        for a in arguments {
            match &a.kind {
                ExprKind::Expand(pattern) => match each(env, pattern) {
                    Some(all) => out.extend(all),
                    None => out.push(a.clone()),
                },
                _ => out.push(a.clone()),
            }
        }
        Cow::Owned(out)
    }

    /// A fold expression, written out with the operator between the elements.
    pub fn unfolded(&self, env: &Env, e: &Expr) -> Option<Expr> {
        let ExprKind::Fold {
            op,
            pack,
            init,
            is_left,
        } = &e.kind
        else {
            return None;
        };
        let mut all = each(env, pack)?;
        if let Some(init) = init {
            all.insert(if *is_left { 0 } else { all.len() }, (**init).clone());
        }
        let joined = |a: Expr, b: Expr| Expr {
            kind: ExprKind::Binary(*op, Box::new(a), Box::new(b)),
            range: e.range,
        };
        // The order matters for what is no sum alone; a comma's is from left to right either way.
        if *is_left || *op == BinaryOp::Comma {
            all.into_iter().reduce(joined)
        } else {
            all.into_iter().rev().reduce(|a, b| joined(b, a))
        }
    }
}

/// The pattern once for each element of the packs that it names.
fn each(env: &Env, pattern: &Expr) -> Option<Vec<Expr>> {
    let packs = packs_among(env, pattern_names(pattern));
    let length = |name: &Name| match env.get(name) {
        Some(Binding::Pack(items)) => Some(items.len()),
        _ => None,
    };
    let count = length(packs.first()?)?;
    if count > MAX_ELEMENTS || packs.iter().any(|name| length(name) != Some(count)) {
        return None;
    }
    (0..count)
        .map(|i| written_out(pattern, &packs, i, MAX_DEPTH))
        .collect()
}

/// Those of the names that are packs.
fn packs_among(env: &Env, mut names: Vec<Name>) -> Vec<Name> {
    names.retain(|name| matches!(env.get(name), Some(Binding::Pack(_))));
    names
}

/// The pattern for one element; `None` where it holds something that is not written out.
fn written_out(e: &Expr, packs: &[Name], i: usize, depth: u32) -> Option<Expr> {
    let depth = depth.checked_sub(1)?;
    let one = |e: &Expr| written_out(e, packs, i, depth);
    let boxed = |e: &Expr| one(e).map(Box::new);
    let all = |es: &[Expr]| es.iter().map(one).collect::<Option<Vec<_>>>();
    let ty_of = |ty: &TypeExpr| type_written_out(ty, packs, i, depth);
    let kind = match &e.kind {
        ExprKind::Path(p) => ExprKind::Path(path_written_out(p, packs, i, depth)?),
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, boxed(a)?),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, boxed(a)?, boxed(b)?),
        ExprKind::Assign(op, a, b) => ExprKind::Assign(*op, boxed(a)?, boxed(b)?),
        ExprKind::Conditional(a, b, c) => ExprKind::Conditional(boxed(a)?, boxed(b)?, boxed(c)?),
        ExprKind::Call { callee, arguments } => ExprKind::Call {
            callee: boxed(callee)?,
            arguments: all(arguments)?,
        },
        ExprKind::Launch {
            callee,
            config,
            arguments,
        } => ExprKind::Launch {
            callee: boxed(callee)?,
            config: all(config)?,
            arguments: all(arguments)?,
        },
        ExprKind::Index(base, at) => ExprKind::Index(boxed(base)?, all(at)?),
        ExprKind::Member {
            object,
            arrow,
            member,
        } => ExprKind::Member {
            object: boxed(object)?,
            arrow: *arrow,
            member: member.clone(),
        },
        ExprKind::Cast {
            ty,
            value,
            is_reinterpret,
        } => ExprKind::Cast {
            ty: ty_of(ty)?,
            value: boxed(value)?,
            is_reinterpret: *is_reinterpret,
        },
        ExprKind::Construct { ty, arguments } => ExprKind::Construct {
            ty: ty_of(ty)?,
            arguments: all(arguments)?,
        },
        ExprKind::List(items) => ExprKind::List(
            items
                .iter()
                .map(|(name, e)| Some((name.clone(), one(e)?)))
                .collect::<Option<_>>()?,
        ),
        ExprKind::SizeofType(ty) => ExprKind::SizeofType(ty_of(ty)?),
        ExprKind::Sizeof(inner) => ExprKind::Sizeof(boxed(inner)?),
        ExprKind::Lambda(_) | ExprKind::Fold { .. } | ExprKind::Error => return None,
        other => other.clone(),
    };
    Some(Expr {
        kind,
        range: e.range,
    })
}

fn path_written_out(p: &ast::Path, packs: &[Name], i: usize, depth: u32) -> Option<ast::Path> {
    let mut path = p.clone();
    if let Some(first) = path.segments.first_mut()
        && packs.contains(&first.name)
    {
        first.name = element(&first.name, i);
    }
    for segment in &mut path.segments {
        let Some(arguments) = &segment.arguments else {
            continue;
        };
        let arguments = arguments.iter().map(|a| {
            Some(match a {
                TemplateArgument::Type(ty) => {
                    TemplateArgument::Type(type_written_out(ty, packs, i, depth)?)
                }
                TemplateArgument::Expr(e) => {
                    TemplateArgument::Expr(written_out(e, packs, i, depth)?)
                }
            })
        });
        segment.arguments = Some(arguments.collect::<Option<Vec<_>>>()?.into());
    }
    Some(path)
}

fn type_written_out(ty: &TypeExpr, packs: &[Name], i: usize, depth: u32) -> Option<TypeExpr> {
    let depth = depth.checked_sub(1)?;
    let mut out = ty.clone();
    match &mut out.kind {
        TypeKind::Named(p) => *p = path_written_out(p, packs, i, depth)?,
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Array(to, _) => {
            *to = Arc::new(type_written_out(to, packs, i, depth)?);
        }
        _ => {}
    }
    Some(out)
}
