//! Classes that differ between the host's pass and the device's, as kernels have them.
//!
//! Host code knows such a class by another name, `Q$host`, that nobody declares: what it is for the host is not known. A
//! kernel that is launched with it is compiled for the device.

use crate::sema::scope::{self, Binding, Env, Names, resolve_type};
use crate::sema::types::{Target, Type};
use crate::syntax::ast::{self, Path, Segment, TypeExpr};
use crate::syntax::preprocess::plain_name;
use std::sync::Arc;

const MAX_DEPTH: u32 = 8;

/// Puts the device's classes in the place of the host's among a kernel's template arguments, as they read at the launch.
pub(super) fn put(names: &Names<'_>, at: &Env, head: Option<&ast::TemplateHead>, inner: &mut Env) {
    for p in head.into_iter().flat_map(|head| &head.parameters) {
        let Some(name) = &p.name else { continue };
        if let Some(of_host) = inner.get(name)
            && let Some(binding) = binding(names, at, of_host, MAX_DEPTH)
        {
            inner.set(name.clone(), binding);
        }
    }
}

/// The same for the device; `None` where nothing in it differs.
fn binding(names: &Names<'_>, at: &Env, given: &Binding, depth: u32) -> Option<Binding> {
    match given {
        Binding::Type(ty) => of_device(names, at, ty, depth).map(Binding::Type),
        Binding::Pack(items) => {
            bindings(names, at, items, depth).map(|items| Binding::Pack(items.into()))
        }
        _ => None,
    }
}

/// Of several, with those among them that stay as they are.
fn bindings(names: &Names<'_>, at: &Env, given: &[Binding], depth: u32) -> Option<Vec<Binding>> {
    let of_device = given.iter().map(|one| binding(names, at, one, depth));
    let of_device: Vec<Option<Binding>> = of_device.collect();
    let differs = of_device.iter().any(Option::is_some);
    let both = given.iter().zip(of_device);
    differs.then(|| {
        both.map(|(old, new)| new.unwrap_or_else(|| old.clone()))
            .collect()
    })
}

fn of_device(names: &Names<'_>, at: &Env, ty: &Type, depth: u32) -> Option<Type> {
    let depth = depth.checked_sub(1)?;
    match ty {
        Type::Opaque(text)
            if text.split("::").any(|name| plain_name(name) != name) && !text.contains('<') =>
        {
            let segments = text.split("::").map(|name| Segment {
                name: Arc::from(plain_name(name)),
                arguments: None,
            });
            let path = Path {
                is_global: false,
                segments: segments.collect(),
                range: ast::Range::default(),
            };
            match resolve_type(names, at, &TypeExpr::named(path)) {
                Type::Opaque(_) | Type::Unknown(_) => None,
                ty => Some(ty),
            }
        }
        Type::Pointer(to) => {
            let to = of_device(names, at, &to.whole(), depth)?;
            Some(Type::Pointer(Target::new(to)))
        }
        Type::Record(class) if class.env.record.is_none() && !class.record.is_specialisation() => {
            let arguments = bindings(names, at, &class.arguments, depth)?;
            let label = class.record.name.clone()?;
            let home = Env::new(class.env.namespace);
            let head = class.record.templates.last()?;
            let bound = scope::bind_values(names, &home, head, arguments.clone(), &[]).ok()?;
            let record = &class.record;
            Some(scope::instantiate(names, record, &bound, arguments, &label))
        }
        _ => None,
    }
}
