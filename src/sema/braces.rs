//! Braced lists whose inner braces may be left out: which object each item initialises.
//!
//! Given the type of an element or a class, and what the items are, gives what each element is made of. Where it
//! is not known whether an item is an object or begins the list of one, gives nothing. Knows no values and no
//! places.

use super::scope::{self, Guard, Names};
use super::types::{RecordType, Type};
use crate::ir::Scalar;
use crate::syntax::ast::{self, Expr, ExprKind};
use std::sync::Arc;

/// An item of a list, as far as that decides what it initialises.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Braces,
    Text,
    /// A number or a pointer.
    Number,
    Object(Type),
    Unknown,
}

/// What an object is made of.
#[derive(Debug)]
pub(crate) enum Made {
    /// The item of this number.
    Item(usize),
    Parts(Vec<Made>),
    /// No item is left for it.
    Nothing,
}

impl Given {
    /// An item that has a type.
    pub fn of(ty: Type) -> Self {
        match ty.strip_reference().clone().unqualified() {
            Type::Array(of, count) if of.is_class => Self::Object(Type::Array(of, count)),
            Type::Scalar(..) | Type::Pointer(_) | Type::Function | Type::Array(..) => Self::Number,
            Type::Unknown(_) | Type::Void => Self::Unknown,
            ty => Self::Object(ty),
        }
    }

    /// An item as it is written, of this type.
    pub fn written(e: &Expr, ty: impl FnOnce() -> Type) -> Self {
        match &e.kind {
            ExprKind::List(_) => Self::Braces,
            ExprKind::Str(_) => Self::Text,
            ExprKind::Null | ExprKind::Lambda(_) => Self::Number,
            _ => Self::of(ty()),
        }
    }
}

/// What the elements of an array are made of, up to the last that an item is for. With a length, items of which
/// nothing is known may be elements as they stand.
pub(crate) fn elements(
    names: &Names<'_>,
    of: &Type,
    length: Option<usize>,
    given: &[Given],
) -> Option<Vec<Made>> {
    let mut list = List {
        names,
        given,
        at: 0,
    };
    let fits = |made: &Vec<Made>| length.is_none_or(|length| made.len() <= length);
    if let Some(made) = list.rest(of).filter(fits) {
        return Some(made);
    }
    let may_stand =
        |given: &Given| matches!(given, Given::Unknown) || is_whole(names, of, given) == Some(true);
    let stands = length.is_some_and(|length| given.len() <= length) && given.iter().all(may_stand);
    stands.then(|| (0..given.len()).map(Made::Item).collect())
}

/// What the members of a class without constructors are made of.
pub(crate) fn members(names: &Names<'_>, r: &RecordType, given: &[Given]) -> Option<Vec<Made>> {
    let mut list = List {
        names,
        given,
        at: 0,
    };
    list.members(r)
}

/// How many elements an array without a bound has.
pub(crate) fn count(names: &Names<'_>, of: &Type, given: &[Given]) -> Option<u64> {
    Some(elements(names, of, None, given)?.len() as u64)
}

/// How long `{"text"}` is as an array without a bound.
pub(crate) fn text_length(of: &Type, items: &[(Option<ast::Name>, Expr)]) -> Option<u64> {
    match (of, items) {
        (Type::Scalar(Scalar::I8 | Scalar::U8, _), [(_, one)]) => match &one.kind {
            ExprKind::Str(text) => Some(text.chars().count() as u64 + 1),
            _ => None,
        },
        _ => None,
    }
}

struct List<'a, 'n> {
    names: &'a Names<'n>,
    given: &'a [Given],
    at: usize,
}

impl List<'_, '_> {
    fn is_done(&self) -> bool {
        self.at >= self.given.len()
    }

    fn rest(&mut self, of: &Type) -> Option<Vec<Made>> {
        let mut made = Vec::new();
        while !self.is_done() {
            made.push(self.object(of)?);
        }
        Some(made)
    }

    fn object(&mut self, ty: &Type) -> Option<Made> {
        let Some(first) = self.given.get(self.at) else {
            return Some(Made::Nothing);
        };
        let before = self.at;
        if is_whole(self.names, ty, first)? {
            self.at += 1;
            return Some(Made::Item(before));
        }
        let _guard = Guard::enter()?;
        let parts = match ty.strip_reference() {
            Type::Array(of, count) => self.many(of, (*count)?)?,
            Type::Vector { scalar, lanes, .. } => {
                self.many(&Type::number(*scalar), u64::from(*lanes))?
            }
            Type::Record(r) => {
                let r = scope::complete(self.names, r);
                self.members(&r)?
            }
            _ => return None,
        };
        // An empty class takes no item, and the next one neither.
        (self.at > before).then_some(Made::Parts(parts))
    }

    fn many(&mut self, of: &Type, count: u64) -> Option<Vec<Made>> {
        let mut made = Vec::new();
        while !self.is_done() && (made.len() as u64) < count {
            made.push(self.object(of)?);
        }
        Some(made)
    }

    fn members(&mut self, r: &RecordType) -> Option<Vec<Made>> {
        let is_open = !r.bases.is_empty() || r.fields.iter().any(|f| f.name.is_empty());
        if is_open || r.is_union {
            return None;
        }
        r.fields.iter().map(|f| self.object(&f.ty)).collect()
    }
}

/// Whether an item initialises an object as a whole; `None` where that is not known.
fn is_whole(names: &Names<'_>, ty: &Type, given: &Given) -> Option<bool> {
    let is_open = matches!(given, Given::Unknown | Given::Object(Type::Opaque(_)));
    match (ty, given) {
        (_, Given::Braces) => Some(true),
        (Type::Qualified(of), _) => is_whole(names, of, given),
        (Type::Array(of, _), _) if of.is_class => match given {
            Given::Object(Type::Array(..)) => Some(true),
            _ => (!is_open).then_some(false),
        },
        (Type::Array(of, _), Given::Text) => {
            Some(matches!(**of, Type::Scalar(Scalar::I8 | Scalar::U8, _)))
        }
        (Type::Array(..), _) => Some(false),
        (Type::Vector { name, .. }, _) if has_constructors(name) => Some(true),
        (Type::Record(r), _) if is_constructed(names, r) => Some(true),
        (Type::Vector { .. } | Type::Record(_), _) if is_open => None,
        (Type::Vector { .. }, Given::Object(_)) => Some(true),
        (Type::Record(to), Given::Object(Type::Record(from))) => {
            let is_one = is_one_of(from, to);
            let converts = from.record.members.iter().any(|member| match member {
                ast::Member::Function(f) => f.kind == ast::FunctionKind::Conversion,
                _ => false,
            });
            (is_one || !converts).then_some(is_one)
        }
        (Type::Vector { .. } | Type::Record(_), _) => Some(false),
        (Type::Opaque(name), Given::Object(Type::Opaque(other))) if name == other => Some(true),
        // The other aggregates of these are numbers and pointers.
        (Type::Opaque(name), _) if name.starts_with("std::") && !name.contains("array") => {
            Some(true)
        }
        (Type::Opaque(_) | Type::Unknown(_), _) => None,
        _ => Some(true),
    }
}

/// Whether a number becomes a vector of this name by a constructor.
fn has_constructors(name: &str) -> bool {
    ["dim3", "complex", "half", "bfloat"]
        .iter()
        .any(|part| name.contains(part))
}

/// Whether a class has a constructor that takes something.
fn is_constructed(names: &Names<'_>, r: &Arc<RecordType>) -> bool {
    let own = r.record.name.as_ref().map(|name| names.methods(r, name));
    own.into_iter().flatten().any(|c| {
        let f = &c.function;
        f.kind == ast::FunctionKind::Constructor && !f.parameters.is_empty() && !f.is_default_copy()
    })
}

fn is_one_of(from: &RecordType, to: &RecordType) -> bool {
    from.identity == to.identity || from.bases.iter().any(|(_, base)| is_one_of(base, to))
}
