//! Types and traits of headers that are not there: the standard library's, thrust's, CUDA's.

use super::categories;
use super::resolve::unqualified_type;
use super::{Binding, Env, Names, display_list, resolve_arguments};
use crate::ir::Scalar;
use crate::sema::consteval::Value;
use crate::sema::types::{self, EnumerationKind, Qualifiers, Target, Twin, Type, is_alias};
use crate::syntax::ast::{Path, Segment, TypeKind};

pub(super) fn opaque(names: &Names<'_>, env: &Env, prefix: &str, segment: &Segment) -> Type {
    let mut name = if prefix.is_empty() {
        segment.name.to_string()
    } else {
        format!("{prefix}::{}", segment.name)
    };
    if let Some(arguments) = &segment.arguments {
        name = format!(
            "{name}<{}>",
            display_list(&resolve_arguments(names, env, arguments, None))
        );
    }
    Type::Opaque(name.into())
}

/// A type of a namespace that is not in the unit.
pub(super) fn foreign_type(names: &Names<'_>, env: &Env, prefix: &str, path: &Path) -> Type {
    let Some((last, before)) = path.segments.split_last() else {
        return Type::unknown("no type is written");
    };
    // `std::conditional<…>::type`: the trait is the segment before.
    if &*last.name == "type"
        && let Some(trait_name) = before.last()
        && let Some(t) = standard(names, env, trait_name, prefix)
    {
        return t;
    }
    if before.len() == 1 && prefix.is_empty() {
        return unqualified_type(names, env, last, false, path.range);
    }
    if last.arguments.is_none()
        && let Some(t) = member_of_class(names, env, before, &last.name)
    {
        return t;
    }
    if let Some(t) = standard(names, env, last, prefix) {
        return t;
    }
    if matches!(prefix, "at" | "c10" | "torch")
        && let Some(t) = types::of_torch(&last.name)
    {
        return t;
    }
    if matches!(prefix.split("::").next(), Some("std" | "cuda" | "nv"))
        && let Some(t) = types::known(&last.name)
    {
        return t;
    }
    opaque(names, env, prefix, last)
}

/// What a class of a header calls so: `std::vector<int>::value_type`. `None` where the name is none of those
/// that classes give to types that are not their own.
fn member_of_class(names: &Names<'_>, env: &Env, before: &[Segment], name: &str) -> Option<Type> {
    let is_other = name.ends_with("_type")
        || matches!(
            name,
            "type" | "rep" | "reference" | "const_reference" | "pointer"
        );
    let is_class = before.len() > 1 && !matches!(name, "true_type" | "false_type");
    let class = before.last()?;
    let written = class.arguments.as_deref().unwrap_or_default();
    let first = match resolve_arguments(names, env, written, None).first() {
        Some(Binding::Type(t)) => Some(t.clone().unqualified()),
        _ => None,
    };
    match (&*class.name, name, first) {
        (
            "vector" | "array" | "deque" | "list" | "set" | "valarray" | "optional" | "complex"
            | "allocator" | "basic_string" | "initializer_list" | "span" | "integral_constant"
            | "device_vector" | "host_vector" | "device_ptr",
            "value_type",
            Some(of),
        ) => Some(of),
        ("iterator_traits", "value_type", Some(Type::Pointer(to))) => {
            Some(to.whole().unqualified())
        }
        ("iterator_traits", "difference_type", Some(Type::Pointer(_))) => {
            Some(Type::number(Scalar::I64))
        }
        _ if is_other && is_class => {
            let name = format!("{}::{name}", class.name);
            let reason = format!("`{name}` comes from a header that was not found");
            Some(Type::unknown(reason))
        }
        _ => None,
    }
}

/// Templates of the standard library and thrust that have a plain meaning.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn standard(
    names: &Names<'_>,
    env: &Env,
    segment: &Segment,
    prefix: &str,
) -> Option<Type> {
    let written = segment.arguments.as_deref()?;
    let arguments = resolve_arguments(names, env, written, None);
    let whole = |i: usize| match arguments.get(i) {
        Some(Binding::Type(t)) => Some(t.clone()),
        _ => None,
    };
    let ty = |i: usize| whole(i).map(Type::unqualified);
    let int = |i: usize| match arguments.get(i) {
        Some(Binding::Value(v, _)) => v.as_int(),
        _ => None,
    };
    let name = segment.name.strip_suffix("_t").unwrap_or(&segment.name);
    let with_sign = |signed: bool| {
        let Type::Scalar(scalar, twin) = ty(0)? else {
            return None;
        };
        let qualifiers = whole(0)?.qualifiers();
        let made = match (scalar.size(), signed) {
            (1, true) => Type::Scalar(Scalar::I8, Twin::Second),
            (1, false) => Type::Scalar(Scalar::U8, Twin::First),
            (2, true) => Type::number(Scalar::I16),
            (2, false) => Type::number(Scalar::U16),
            (4, true) => Type::number(Scalar::I32),
            (4, false) => Type::number(Scalar::U32),
            (8, true) => Type::Scalar(Scalar::I64, twin),
            (8, false) => Type::Scalar(Scalar::U64, twin),
            _ => return None,
        };
        Some(made.with(qualifiers))
    };
    match name {
        "conditional" => whole(if int(0)? != 0 { 1 } else { 2 }),
        "enable_if" if int(0)? != 0 => Some(whole(1).unwrap_or(Type::Void)),
        "remove_reference" => match whole(0)? {
            Type::Reference(to) => Some(to.whole()),
            ty => Some(ty),
        },
        "remove_cvref" => Some(ty(0)?.strip_reference().clone()),
        "decay" => Some(ty(0)?.decay()),
        "underlying_type" => match ty(0)? {
            Type::Scalar(scalar, Twin::Enumeration(one)) => {
                if one.kind == EnumerationKind::Plain {
                    return Some(Type::unknown("which type an enumeration's values have"));
                }
                Some(Type::number(scalar))
            }
            ty => Some(ty),
        },
        "remove_cv" => ty(0),
        "remove_const" | "remove_volatile" => {
            let mut kept = whole(0)?.qualifiers();
            if name == "remove_const" {
                kept.is_const = false;
            } else {
                kept.is_volatile = false;
            }
            Some(ty(0)?.with(kept))
        }
        "add_const" => Some(whole(0)?.with(Qualifiers::CONST)),
        // Whether its arguments can be formed is asked where specialisations are matched.
        "void" if segment.name.ends_with("_t") => {
            let is_known = |b: &Binding| !matches!(b, Binding::Type(ty) if ty.is_unknown());
            arguments.iter().all(is_known).then_some(Type::Void)
        }
        "type_identity" | "identity" => whole(0),
        "remove_pointer" => match ty(0)? {
            Type::Pointer(t) => Some(t.whole()),
            _ => whole(0),
        },
        "remove_extent" => match ty(0)? {
            Type::Array(t, _) => Some(t.whole()),
            _ => whole(0),
        },
        "remove_all_extents" => {
            let mut ty = whole(0)?;
            while let Type::Array(of, _) = &ty
                && !of.is_class
            {
                ty = of.whole();
            }
            Some(ty)
        }
        "add_pointer" => Some(Type::Pointer(match whole(0)? {
            Type::Reference(to) => to,
            ty => Target::new(ty),
        })),
        "add_lvalue_reference" => Some(Type::Reference(match whole(0)? {
            Type::Reference(to) => to,
            ty => Target::new(ty),
        })),
        "make_unsigned" => with_sign(false),
        "make_signed" => with_sign(true),
        "common_type" => {
            let mut all = arguments.iter().map(|b| {
                if let Binding::Type(ty @ Type::Scalar(..)) = b {
                    Some(ty.clone())
                } else {
                    None
                }
            });
            let first = all.next()??;
            all.try_fold(first, |a, b| match (a, b?) {
                // Nothing is promoted.
                (a, b) if a.is_identical(&b) == Some(true) => Some(a),
                (Type::Scalar(a, x), Type::Scalar(b, y)) => Some(types::common((a, x), (b, y))),
                _ => None,
            })
        }
        "array" if prefix.is_empty() || prefix.contains("std") => {
            let of = Target::new(whole(0)?).of_class(true);
            arguments.get(1)?;
            // Of an unknown length it is an object all the same.
            let length = match int(1) {
                Some(length) => Some(u64::try_from(length).ok()?),
                None => None,
            };
            Some(Type::Array(of, length))
        }
        "integer_sequence"
        | "index_sequence"
        | "make_integer_sequence"
        | "make_index_sequence"
        | "index_sequence_for" => sequence(name, &arguments),
        "acc_type" | "AccumulateType" if int(1)? != 0 => types::computed_in(&ty(0)?, true),
        "opmath_type" | "OpMathType" => types::computed_in(&ty(0)?, false),
        "complex" => types::complex(prefix == "std" || prefix.is_empty(), ty(0)?.scalar()?),
        "aligned_storage" | "aligned_union" => Some(Type::unknown(format!(
            "the layout of `std::{name}` is not modelled"
        ))),
        _ => None,
    }
}

/// The number that a class of the standard library stands for, and that its objects convert to:
/// `std::integral_constant<int, 4>`, `std::true_type`.
pub(crate) fn constant_of(ty: &Type) -> Option<Value> {
    constant_class(ty).map(|(_, value)| value)
}

/// The same, with the type of the number.
fn constant_class(ty: &Type) -> Option<(Type, Value)> {
    let Type::Opaque(text) = ty.strip_reference() else {
        return None;
    };
    let plain = text.strip_prefix("cuda::").unwrap_or(text);
    let plain = plain.strip_prefix("std::")?;
    let of_bool = |value: Value| Some((Type::number(Scalar::Bool), value));
    match plain {
        "true_type" => return of_bool(Value::int(1, Scalar::Bool)),
        "false_type" => return of_bool(Value::int(0, Scalar::Bool)),
        _ => {}
    }
    let (name, arguments) = super::opaque_arguments(plain)?;
    match (name, &arguments[..]) {
        ("bool_constant", [Binding::Value(value, _)]) => of_bool(value.convert(Scalar::Bool)?),
        ("integral_constant", [Binding::Type(of), Binding::Value(value, _)]) => {
            Some((of.clone(), value.convert(of.scalar()?)?))
        }
        _ => None,
    }
}

/// Whether two classes that stand for numbers are one, as far as their names tell. Those of two numbers, or of
/// numbers of two types, do not convert to each other.
pub(super) fn same_constant(a: &Type, b: &Type) -> Option<bool> {
    // Each of two libraries has its own.
    let is_of_toolkit = |ty: &Type| matches!(ty, Type::Opaque(text) if text.starts_with("cuda::"));
    if is_of_toolkit(a) != is_of_toolkit(b) {
        return None;
    }
    let (one, other) = (constant_class(a)?, constant_class(b)?);
    if one.1.as_int()? != other.1.as_int()? {
        return Some(false);
    }
    one.0.is_identical(&other.0)
}

/// `value` of a class that gets it from the standard library: `struct S : std::true_type {}`.
pub(crate) fn inherited_constant(
    names: &Names<'_>,
    inside: &Env,
    record: &crate::syntax::ast::Record,
) -> Option<Value> {
    record.bases.iter().find_map(|base| {
        let ty = super::resolve_type(names, inside, base);
        if let Some(value) = constant_of(&ty) {
            return Some(value);
        }
        match (&ty, &base.kind) {
            (Type::Opaque(text), TypeKind::Named(path)) if text.starts_with("std::") => {
                trait_value(names, inside, path.segments.last()?)
            }
            _ => None,
        }
    })
}

/// Longest sequence of integers that is written out.
const MOST_INTEGERS: i64 = 1024;

/// The `std::integer_sequence` that one of its other names means.
fn sequence(name: &str, arguments: &[Binding]) -> Option<Type> {
    let is_index = name.starts_with("index") || name.contains("make_index");
    let (ty, rest) = match arguments {
        rest if is_index => (Type::Scalar(Scalar::U64, Twin::First), rest),
        [Binding::Type(ty), rest @ ..] => (ty.clone(), rest),
        _ => return None,
    };
    let mut flat: Vec<&Binding> = Vec::new();
    for one in rest {
        match one {
            Binding::Pack(items) => flat.extend(items.iter()),
            one => flat.push(one),
        }
    }
    let int = |one: &Binding| match one {
        Binding::Value(value, _) => value.as_int(),
        _ => None,
    };
    let values: Vec<i64> = match (name, &flat[..]) {
        ("index_sequence_for", types) => (0..types.len() as i64).collect(),
        (name, [count]) if name.starts_with("make") => {
            (0..int(count).filter(|count| (0..=MOST_INTEGERS).contains(count))?).collect()
        }
        (_, values) => values
            .iter()
            .map(|value| int(value))
            .collect::<Option<_>>()?,
    };
    let mut text = format!("std::integer_sequence<{ty}");
    for value in values {
        text.push_str(&format!(", {value}"));
    }
    text.push('>');
    Some(Type::Opaque(text.into()))
}

/// The integer that a trait such as `std::is_same<A, B>::value` or `std::is_same_v<A, B>` gives.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn trait_value(names: &Names<'_>, env: &Env, segment: &Segment) -> Option<Value> {
    let written = segment.arguments.as_deref()?;
    let name = segment.name.strip_suffix("_v").unwrap_or(&segment.name);
    let arguments = resolve_arguments(names, env, written, None);
    let ty = |i: usize| match arguments.get(i) {
        Some(Binding::Type(t)) if !t.is_unknown() => Some(t.clone().unqualified()),
        _ => None,
    };
    let whole = |i: usize| match arguments.get(i) {
        Some(Binding::Type(t)) if !t.is_unknown() => Some(t.clone()),
        _ => None,
    };
    let qualifier = |test: fn(Qualifiers) -> bool| {
        let mut ty = whole(0)?;
        // An array is what its elements are.
        while let Type::Array(of, _) = &ty
            && !of.is_class
        {
            ty = of.whole();
        }
        let qualifiers = ty.qualifiers();
        let is_one = test(qualifiers);
        (is_one || !qualifiers.is_open).then_some(is_one)
    };
    let scalar = |test: fn(Scalar) -> bool| {
        let is_one =
            |ty: &Type| matches!(ty, Type::Scalar(s, twin) if twin.is_number() && test(*s));
        ty(0).map(|ty| is_one(&ty))
    };
    let known = match name {
        "is_same" => {
            let (a, b) = (whole(0)?, whole(1)?);
            // What a header calls so may be any type.
            let is_open =
                |ty: &Type| matches!(ty.strip_reference(), Type::Opaque(name) if is_alias(name));
            if is_open(&a) || is_open(&b) {
                return None;
            }
            a.is_identical(&b)?
        }
        "is_const" => qualifier(|q| q.is_const)?,
        "is_volatile" => qualifier(|q| q.is_volatile)?,
        "is_integral" => scalar(Scalar::is_integer)?,
        "is_floating_point" => scalar(|s| matches!(s, Scalar::F32 | Scalar::F64))?,
        "is_arithmetic" => scalar(|s| s.is_integer() || matches!(s, Scalar::F32 | Scalar::F64))?,
        "is_signed" => scalar(|s| s.is_signed() || s.is_float())?,
        "is_unsigned" => scalar(|s| s.is_integer() && !s.is_signed())?,
        // A number may be the value of one, which types of constants do not tell.
        "is_enum" => match ty(0)? {
            Type::Scalar(_, Twin::Class(_)) => false,
            Type::Scalar(_, twin) => twin.is_enumeration().then_some(true)?,
            Type::Opaque(_) => return None,
            _ => false,
        },
        "is_trivially_copyable"
        | "is_trivial"
        | "is_pod"
        | "is_standard_layout"
        | "is_literal_type"
        | "is_default_constructible"
        | "is_copy_constructible"
        | "is_move_constructible"
        | "is_destructible"
        | "is_copy_assignable"
        | "is_move_assignable"
        | "is_trivially_default_constructible"
        | "is_trivially_copy_constructible"
        | "is_trivially_move_constructible"
        | "is_trivially_destructible"
        | "is_trivially_copy_assignable"
        | "is_nothrow_default_constructible"
        | "is_nothrow_copy_constructible"
        | "is_nothrow_move_constructible"
        | "is_nothrow_destructible"
            if arguments.len() == 1 =>
        {
            categories::is_scalar(&ty(0)?)?.then_some(true)?
        }
        "is_convertible" => categories::converts(&ty(0)?, &ty(1)?)?,
        "is_base_of" => categories::is_base_of(&ty(0)?, &ty(1)?)?,
        "is_pointer" => matches!(ty(0)?, Type::Pointer(_)),
        "is_reference" => matches!(ty(0)?, Type::Reference(_)),
        "is_array" => matches!(ty(0)?, Type::Array(of, _) if !of.is_class),
        "is_void" => matches!(ty(0)?, Type::Void),
        "integral_constant" => {
            return match arguments.get(1)? {
                Binding::Value(v, _) => Some(v.clone()),
                _ => None,
            };
        }
        "alignment_of" => return Some(Value::int(ty(0)?.align()? as i64, Scalar::U64)),
        "extent" => {
            let dimension = match arguments.get(1) {
                Some(Binding::Value(v, _)) => v.as_int()?,
                Some(_) => return None,
                None => 0,
            };
            let mut ty = ty(0)?;
            for _ in 0..dimension.min(64) {
                ty = match ty {
                    Type::Array(of, _) if !of.is_class => of.whole().unqualified(),
                    _ => return Some(Value::int(0, Scalar::U64)),
                };
            }
            let count = match ty {
                Type::Array(of, Some(n)) if !of.is_class => n,
                Type::Unknown(_) | Type::Opaque(_) => return None,
                _ => 0,
            };
            return Some(Value::int(i64::try_from(count).ok()?, Scalar::U64));
        }
        _ => categories::of_type(name, &ty(0)?)?,
    };
    Some(Value::int(i64::from(known), Scalar::Bool))
}
