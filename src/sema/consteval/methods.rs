//! Methods of constant objects: `config().tile_rows()`, and functions that members hold.
//!
//! Runs constexpr methods that leave their object as it is. Knows nothing of bases, virtual functions and
//! references in objects: where they have a say there is no value.

use super::eval::overload_of;
use super::{Fields, Locals, Value, body};
use crate::sema::scope::{Callee, Env, Names};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, Expr};
use std::sync::Arc;

/// What `object.member(arguments…)` gives for a constant object.
pub(super) fn call_method(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    object: &Fields,
    member: &ast::Path,
    arguments: &[Expr],
) -> Option<Value> {
    let [segment] = &member.segments[..] else {
        return None;
    };
    let Type::Record(record) = &object.ty else {
        return None;
    };
    if !is_plain(record) {
        return None;
    }
    let candidates = names.methods(record, &segment.name);
    // A method that is not const would be preferred for an object that may be changed.
    let is_reading = |c: &Callee| {
        let own = &c.function.attributes;
        own.is_const && !own.is_virtual && !own.is_static
    };
    if candidates.is_empty() || !candidates.iter().all(is_reading) {
        return None;
    }
    let explicit = segment.arguments.as_deref().unwrap_or_default();
    let given = (arguments, None);
    let (callee, inner, values) = overload_of(names, env, locals, &candidates, explicit, given)?;
    if !callee.function.attributes.is_constexpr {
        return None;
    }
    body::call_on(names, &callee, &inner, object, &values)
}

/// Whether the fields are all that the object is made of, each with a value of its own.
fn is_plain(record: &Arc<RecordType>) -> bool {
    let is_own = |ty: &Type| !matches!(ty, Type::Reference(_));
    record.bases.is_empty() && record.fields.iter().all(|field| is_own(&field.ty))
}
