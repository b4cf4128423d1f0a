//! Braced lists of values, spread over the arrays and members that they initialise.

use super::Value;
use super::objects::{cast, construct};
use crate::sema::braces::{self, Given, Made};
use crate::sema::scope::Names;
use crate::sema::types::{RecordType, Target, Type};
use std::sync::Arc;

/// More elements than are worth keeping.
const MOST: u64 = 65_536;

/// An array of a list.
pub(super) fn array(
    names: &Names<'_>,
    of: &Target,
    length: Option<u64>,
    items: &[Option<Value>],
) -> Option<Value> {
    // `std::array<int, 2>{{4, 5}}`: the inner braces are those of the array that the class consists of.
    let items = match items {
        [Some(Value::List(inner))] if of.is_class => inner,
        items => items,
    };
    if length.is_some_and(|length| length > MOST) {
        return None;
    }
    let length = length.and_then(|n| usize::try_from(n).ok());
    let made = braces::elements(names, of, length, &given(items))?;
    let length = length.unwrap_or(made.len());
    filled(names, of, length, &made, items)
}

fn filled(
    names: &Names<'_>,
    of: &Type,
    length: usize,
    made: &[Made],
    items: &[Option<Value>],
) -> Option<Value> {
    if length as u64 > MOST {
        return None;
    }
    let values =
        (0..length).map(|i| value(names, of, made.get(i).unwrap_or(&Made::Nothing), items));
    Some(Value::List(Arc::new(values.collect())))
}

/// The values that a list gives to the members of a class without constructors: those that it reaches.
pub(super) fn members(
    names: &Names<'_>,
    r: &RecordType,
    items: &[Option<Value>],
) -> Option<Vec<Option<Value>>> {
    let made = braces::members(names, r, &given(items))?;
    Some(reached(names, r, &made, items))
}

fn reached(
    names: &Names<'_>,
    r: &RecordType,
    made: &[Made],
    items: &[Option<Value>],
) -> Vec<Option<Value>> {
    let fields = r.fields.iter().zip(made);
    fields
        .take_while(|(_, made)| !matches!(made, Made::Nothing))
        .map(|(f, made)| value(names, &f.ty, made, items))
        .collect()
}

fn value(names: &Names<'_>, ty: &Type, made: &Made, items: &[Option<Value>]) -> Option<Value> {
    let empty = || Value::List(Arc::default());
    match (made, ty.strip_reference()) {
        (Made::Nothing, _) => cast(names, ty, empty()),
        (Made::Item(at), _) => cast(names, ty, items.get(*at)?.clone()?),
        (Made::Parts(parts), Type::Array(of, Some(count))) => {
            filled(names, of, usize::try_from(*count).ok()?, parts, items)
        }
        (Made::Parts(parts), Type::Record(r)) => {
            construct(names, ty, reached(names, r, parts, items))
        }
        (Made::Parts(parts), Type::Vector { scalar, .. }) => {
            let scalar = Type::number(*scalar);
            let lanes = parts.iter().map(|part| value(names, &scalar, part, items));
            construct(names, ty, lanes.collect())
        }
        _ => None,
    }
}

fn given(items: &[Option<Value>]) -> Vec<Given> {
    let of = |item: &Option<Value>| match item {
        None => Given::Unknown,
        Some(Value::List(_)) => Given::Braces,
        Some(Value::Str(_)) => Given::Text,
        Some(Value::Fields(f)) => Given::of(f.ty.clone()),
        Some(_) => Given::Number,
    };
    items.iter().map(of).collect()
}
