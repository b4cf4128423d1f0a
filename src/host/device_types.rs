//! Classes that differ between the host's pass and the device's, as kernels have them.
//!
//! Host code knows such a class by another name, `Q$host`, that nobody declares: what it is for the host is not known. A
//! kernel that is launched with it is compiled for the device.

use crate::sema::scope::{self, Binding, Env, Names, resolve_type};
use crate::sema::types::{Target, Type};
use crate::syntax::ast::{self, Path, Segment, TypeExpr};
use std::sync::Arc;

/// What names of the host's pass end with.
const OF_HOST: &str = "$host";
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
            let mapped: Vec<Option<Binding>> = items
                .iter()
                .map(|one| binding(names, at, one, depth))
                .collect();
            if mapped.iter().all(Option::is_none) {
                return None;
            }
            let both = items.iter().zip(mapped);
            Some(Binding::Pack(
                both.map(|(old, new)| new.unwrap_or_else(|| old.clone()))
                    .collect(),
            ))
        }
        _ => None,
    }
}

fn of_device(names: &Names<'_>, at: &Env, ty: &Type, depth: u32) -> Option<Type> {
    let depth = depth.checked_sub(1)?;
    match ty {
        Type::Opaque(text) if text.contains(OF_HOST) && !text.contains('<') => {
            let plain = text.replace(OF_HOST, "");
            let segments = plain.split("::").map(|name| Segment {
                name: Arc::from(name),
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
            let mapped: Vec<Option<Binding>> = (class.arguments.iter())
                .map(|one| binding(names, at, one, depth))
                .collect();
            if mapped.iter().all(Option::is_none) {
                return None;
            }
            let both = class.arguments.iter().zip(mapped);
            let arguments = both.map(|(old, new)| new.unwrap_or_else(|| old.clone()));
            let arguments: Vec<Binding> = arguments.collect();
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
