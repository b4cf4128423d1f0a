//! Ranks of conversions: how well an argument suits a parameter.
//!
//! Given an argument's type, gives the worst and the best that its conversion may be; both are one where
//! all is known. An argument whose type is a reference is an object of its own, of `&&` one that expires;
//! one with a plain type is a temporary, of one with open qualifiers neither is known. Does not choose: [`super::select`] does.

use super::standard::same_constant;
use super::unify::names_parameter;
use super::{Env, Fingerprint, Names, resolve_type};
use crate::ir::Scalar;
use crate::sema::types::{self, EnumerationKind, Qualifiers, RecordType, Target, Twin, Type};
use crate::syntax::ast::{self, TemplateParameter, TypeKind};
use std::cmp::Ordering;

/// The kinds of conversions, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    NotPossible,
    /// To the `...` of C.
    Ellipsis,
    /// By a constructor or a conversion function.
    User,
    /// From a pointer to `bool`.
    Boolean,
    /// A standard conversion; among those to base classes, higher where the class is closer.
    Conversion(u8),
    Promotion,
    Qualification,
    Identity,
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Value,
    Reference,
    ConstReference,
    RvalueReference,
    Open,
}

/// What is known of the conversion of one argument.
#[derive(Clone, Debug)]
pub(super) struct Rank {
    low: Level,
    high: Level,
    way: Way,
    /// What the parameter takes; `None` where that has no part in the choice.
    wanted: Option<Type>,
}

/// What an argument is, beside its type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Category {
    Named(Qualifiers),
    /// What `std::move` gives.
    Expiring(Qualifiers),
    Temporary,
    Open,
}

type Levels = (Level, Level);

const fn sure(level: Level) -> Levels {
    (level, level)
}

/// Perhaps not at all, at best so.
const fn perhaps(level: Level) -> Levels {
    (Level::NotPossible, level)
}

impl Rank {
    pub fn ellipsis() -> Self {
        Self::new(sure(Level::Ellipsis), Way::Value, None)
    }

    fn new((low, high): Levels, way: Way, wanted: Option<Type>) -> Self {
        Self {
            low,
            high,
            way,
            wanted,
        }
    }

    pub fn is_possible(&self) -> bool {
        self.high > Level::NotPossible
    }

    /// Whether there is certainly one.
    pub fn is_certain(&self) -> bool {
        self.low > Level::NotPossible
    }

    /// Whether both parameters take exactly the same type, as far as that is known.
    pub fn takes_the_same(&self, other: &Self) -> bool {
        match (&self.wanted, &other.wanted) {
            (Some(a), Some(b)) => a.is_identical(b) == Some(true),
            _ => false,
        }
    }

    /// Whether this conversion is better than another one of the same argument; `None` where that is not
    /// known.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let key = |ty: &Type| Fingerprint::new("type").ty(ty).identity();
        if let (Some(a), Some(b)) = (&self.wanted, &other.wanted)
            && (a.is_unknown() && b.is_unknown() || key(a) == key(b))
        {
            return Some(Ordering::Equal);
        }
        if self.low > other.high {
            return Some(Ordering::Greater);
        }
        if self.high < other.low {
            return Some(Ordering::Less);
        }
        if self.low != self.high || other.low != other.high {
            return None;
        }
        match (self.way, other.way) {
            (Way::Open, Way::Value) | (Way::Value, Way::Open) => Some(Ordering::Equal),
            (Way::Open, _) | (_, Way::Open) => None,
            (Way::Reference | Way::RvalueReference, Way::ConstReference) => Some(Ordering::Greater),
            (Way::ConstReference, Way::Reference | Way::RvalueReference) => Some(Ordering::Less),
            _ => Some(Ordering::Equal),
        }
    }
}

/// How an argument of type `given` suits a parameter; `env` is where the function's body is read, `own`
/// are its template parameters.
pub(super) fn rank(
    names: &Names<'_>,
    env: &Env,
    parameter: &ast::Parameter,
    own: &[TemplateParameter],
    given: &Type,
) -> Rank {
    let category = match given {
        Type::Reference(to) if to.is_rvalue => Category::Expiring(to.qualifiers),
        Type::Reference(to) => Category::Named(to.qualifiers),
        Type::Qualified(_) | Type::Unknown(_) | Type::Function => Category::Open,
        _ => Category::Temporary,
    };
    let plain = given.strip_reference().clone();
    let forwards = forwarded_parameter(parameter, own).is_some();
    if parameter.is_pack {
        // Its elements are deduced as the arguments are.
        let way = match &parameter.ty.kind {
            _ if forwards => forwarded(category),
            TypeKind::Reference { to, .. } if to.is_const => Way::ConstReference,
            TypeKind::Reference { .. } => Way::Open,
            _ => Way::Value,
        };
        return Rank::new(sure(Level::Identity), way, None);
    }
    let wanted = resolve_type(names, env, &parameter.ty);
    if forwards {
        let way = match &plain {
            // Whether the elements of an array are `const` its own qualifiers do not tell.
            Type::Array(of, _) if !of.is_class => Way::Open,
            _ => forwarded(category),
        };
        return Rank::new(sure(Level::Identity), way, None);
    }
    let Type::Reference(to) = &wanted else {
        let levels = of_value(names, &wanted.decay(), &plain.decay(), category);
        return Rank::new(levels, Way::Value, Some(wanted));
    };
    let target: &Type = to;
    let (from, category) = match (target, &plain) {
        (Type::Array(..), _) => (plain, category),
        // What an array turns into has no name.
        (_, Type::Array(..)) => (plain.decay(), Category::Open),
        _ => (plain.decay(), category),
    };
    let levels = of_value(names, target, &from, category);
    let (levels, way) = by_reference(to, &from, levels, category);
    Rank::new(levels, way, Some(wanted))
}

/// What the kind of reference lets through.
fn by_reference(to: &Target, from: &Type, levels: Levels, category: Category) -> (Levels, Way) {
    let high = levels.1;
    // An array is what its elements are.
    let category = match (category, from) {
        (Category::Named(own), Type::Array(of, _)) if !of.is_class => Category::Named(Qualifiers {
            is_const: own.is_const || of.qualifiers.is_const,
            is_volatile: own.is_volatile || of.qualifiers.is_volatile,
            ..own
        }),
        (category, _) => category,
    };
    let is_volatile = matches!(category, Category::Named(q) if q.is_volatile);
    if to.qualifiers.is_volatile || is_volatile {
        return (perhaps(high), Way::Open);
    }
    let is_direct =
        high == Level::Identity || matches!((&**to, from), (Type::Record(_), Type::Record(_)));
    if to.is_rvalue {
        let levels = match category {
            Category::Temporary => levels,
            Category::Expiring(q) if !is_direct || q == Qualifiers::NONE => levels,
            Category::Expiring(q) if q.is_const && !to.qualifiers.is_const => {
                sure(Level::NotPossible)
            }
            Category::Named(_) if levels.0 >= Level::Qualification => sure(Level::NotPossible),
            _ if is_direct => perhaps(high),
            _ => levels,
        };
        return (levels, Way::RvalueReference);
    }
    let qualifiers = match &**to {
        Type::Array(of, _) if !of.is_class => of.qualifiers,
        _ => to.qualifiers,
    };
    if to.qualifiers.is_const || qualifiers.is_const {
        return (levels, Way::ConstReference);
    }
    let is_open = to.qualifiers.is_open;
    let way = if is_open { Way::Open } else { Way::Reference };
    let levels = match category {
        _ if !is_direct => perhaps_user(levels),
        Category::Temporary => sure(Level::NotPossible),
        Category::Expiring(q) if !q.is_open => sure(Level::NotPossible),
        Category::Named(q) if q.is_const && !is_open => sure(Level::NotPossible),
        Category::Named(q) if !q.is_open || is_open => levels,
        _ => perhaps(high),
    };
    (levels, way)
}

/// Of what binds to a reference only where a conversion function gives one.
fn perhaps_user((_, high): Levels) -> Levels {
    if high == Level::User {
        perhaps(high)
    } else {
        sure(Level::NotPossible)
    }
}

/// The `T` of `T &&`, where that is a template's own.
pub(super) fn forwarded_parameter<'p>(
    parameter: &'p ast::Parameter,
    own: &[TemplateParameter],
) -> Option<&'p ast::Name> {
    match &parameter.ty.kind {
        TypeKind::Reference {
            to,
            is_rvalue: true,
        } if !to.is_const => match &to.kind {
            TypeKind::Named(path) if names_parameter(own, path) => {
                path.segments.last().map(|last| &last.name)
            }
            _ => None,
        },
        _ => None,
    }
}

fn forwarded(category: Category) -> Way {
    match category {
        Category::Named(q) if q.is_const => Way::ConstReference,
        Category::Named(q) if !q.is_open => Way::Reference,
        Category::Expiring(Qualifiers::NONE) | Category::Temporary => Way::RvalueReference,
        _ => Way::Open,
    }
}

fn of_value(names: &Names<'_>, to: &Type, from: &Type, category: Category) -> Levels {
    use Level::{Boolean, Conversion, Identity, NotPossible, User};
    match (to, from) {
        (Type::Unknown(_), _) | (_, Type::Unknown(_)) => perhaps(Identity),
        (Type::Opaque(_), Type::Opaque(_)) if to.is_identical(from) == Some(true) => sure(Identity),
        // No lambda is made of another one.
        (Type::Opaque(_), Type::Opaque(_)) if to.is_lambda() && from.is_lambda() => {
            perhaps(Identity)
        }
        (Type::Opaque(_), Type::Opaque(_)) if let Some(is_same) = same_constant(to, from) => {
            sure(if is_same { Identity } else { NotPossible })
        }
        // It may be `nullptr`.
        (Type::Opaque(_), Type::Pointer(of))
            if *to == types::null_type() && of.qualifiers.is_open && matches!(**of, Type::Void) =>
        {
            perhaps(Identity)
        }
        (Type::Opaque(_), _) | (_, Type::Opaque(_)) => perhaps(User),
        (Type::Scalar(a, x), Type::Scalar(b, y)) => numbers((*a, *x), (*b, *y)),
        (Type::Pointer(a), Type::Pointer(b)) => pointers(a, b),
        // It may be `nullptr`, of which no `bool` is made.
        (Type::Scalar(Scalar::Bool, _), Type::Pointer(of))
            if of.qualifiers.is_open && matches!(**of, Type::Void) =>
        {
            perhaps(Boolean)
        }
        (Type::Scalar(Scalar::Bool, _), Type::Pointer(_)) => sure(Boolean),
        (Type::Scalar(..), Type::Pointer(_)) => sure(NotPossible),
        // A literal 0.
        (Type::Pointer(_), Type::Scalar(s, _))
            if s.is_integer()
                && !matches!(category, Category::Named(_) | Category::Expiring(_)) =>
        {
            perhaps(Conversion(0))
        }
        (Type::Pointer(_), Type::Scalar(..)) => sure(NotPossible),
        (Type::Record(a), Type::Record(b)) if a.identity == b.identity => sure(Identity),
        (Type::Record(a), Type::Record(b)) if let Some(level) = to_base(b, a) => sure(level),
        (Type::Record(_), _) | (_, Type::Record(_)) => {
            if names.may_convert(to, from) {
                perhaps(User)
            } else {
                sure(NotPossible)
            }
        }
        (Type::Vector { .. }, Type::Vector { .. }) if to == from => sure(Identity),
        // Two numbers make one, in parentheses.
        (
            Type::Vector {
                name: "__half2" | "__nv_bfloat162",
                ..
            },
            Type::Scalar(..),
        ) => sure(NotPossible),
        (Type::Vector { name, .. }, Type::Scalar(..) | Type::Vector { .. })
            if *name == "dim3" || name.contains("complex") || name.starts_with("__") =>
        {
            perhaps(User)
        }
        (Type::Vector { .. }, _) | (_, Type::Vector { .. }) => sure(NotPossible),
        (Type::Array(a, n), Type::Array(b, m)) if n == m && a == b => sure(Identity),
        (Type::Array(_, Some(_)), Type::Array(_, Some(_))) => sure(NotPossible),
        // A reference to an array takes nothing that is none.
        (Type::Array(..), Type::Pointer(_) | Type::Scalar(..)) => sure(NotPossible),
        _ => perhaps(Identity),
    }
}

fn numbers((a, x): (Scalar, Twin), (b, y): (Scalar, Twin)) -> Levels {
    match (x, y) {
        (Twin::Class(one), Twin::Class(other)) if one == other => return sure(Level::Identity),
        // They have constructors and conversion functions, explicit ones and others.
        (Twin::Class(_), _) | (_, Twin::Class(_)) => return perhaps(Level::User),
        (Twin::Enumeration(one), Twin::Enumeration(other)) => {
            return sure(if one == other {
                Level::Identity
            } else {
                Level::NotPossible
            });
        }
        // Of what was computed beforehand it is not told that it is an enumeration.
        (Twin::Enumeration(_), _) if a == b => return perhaps(Level::Identity),
        (Twin::Enumeration(_), _) => return sure(Level::NotPossible),
        (_, Twin::Enumeration(from)) => {
            let is_promoted = match from.kind {
                EnumerationKind::Scoped => return sure(Level::NotPossible),
                EnumerationKind::Fixed => a == b || a == types::promote(b),
                EnumerationKind::Plain => a == b,
            };
            return match (is_promoted, x) {
                (true, Twin::First) => sure(Level::Promotion),
                // `wchar_t` is as wide, and is another type.
                (true, _) => (Level::Conversion(0), Level::Promotion),
                (false, _) => sure(Level::Conversion(0)),
            };
        }
        _ => {}
    }
    let is_half = |s| matches!(s, Scalar::F16 | Scalar::BF16);
    let is_promoted = (a, b) == (Scalar::F64, Scalar::F32) && x == Twin::First
        || a != b && types::promoted(b, y) == Type::Scalar(a, x);
    if a == b {
        return match Type::Scalar(a, x).is_identical(&Type::Scalar(b, y)) {
            Some(true) => sure(Level::Identity),
            Some(false)
                if types::promoted(b, y).is_identical(&Type::Scalar(a, x)) == Some(true) =>
            {
                sure(Level::Promotion)
            }
            Some(false) => sure(Level::Conversion(0)),
            None => (Level::Conversion(0), Level::Identity),
        };
    }
    if a == Scalar::F32 && is_half(b) {
        return sure(Level::User);
    }
    if is_half(a) || is_half(b) {
        // Classes of the toolkit, with constructors and conversion functions.
        return perhaps(Level::User);
    }
    sure(if is_promoted {
        Level::Promotion
    } else {
        Level::Conversion(0)
    })
}

fn pointers(to: &Target, from: &Target) -> Levels {
    use Level::{Conversion, Identity, NotPossible, Qualification};
    let (a, b) = (of_elements(to), of_elements(from));
    if b.is_volatile && !a.is_volatile {
        return sure(NotPossible);
    }
    if a.is_volatile {
        return perhaps(Identity);
    }
    if b.is_const && !a.is_const && !a.is_open {
        return sure(NotPossible);
    }
    let is_sure = a.is_const || !a.is_open && !b.is_open;
    let with = |level: Level| if is_sure { sure(level) } else { perhaps(level) };
    match (&**to, &**from) {
        (Type::Unknown(_) | Type::Opaque(_), x) | (x, Type::Unknown(_) | Type::Opaque(_))
            if !matches!(x, Type::Void) =>
        {
            perhaps(Identity)
        }
        // It may be `nullptr`.
        (Type::Void, Type::Void) if b.is_open => (Conversion(0), Identity),
        (Type::Void, Type::Function) => sure(NotPossible),
        (Type::Void, y) if !matches!(y, Type::Void) => with(Conversion(0)),
        // `nullptr` goes as a pointer to `void` of which nothing is known.
        (x, Type::Void) if b.is_open && !matches!(x, Type::Void) => perhaps(Conversion(0)),
        (x, Type::Void) if !matches!(x, Type::Void) => sure(NotPossible),
        (x, y) => match is_identical_inside(x, y) {
            Some(true) if a == b && !a.is_open => sure(Identity),
            Some(true) if a.is_const && !a.is_open && !b.is_const && !b.is_open => {
                sure(Qualification)
            }
            Some(true) if a.is_const => (Qualification, Identity),
            Some(true) => perhaps(Identity),
            None => perhaps(Identity),
            // `const` below.
            Some(false) if x == y => perhaps(Identity),
            Some(false) => match (x, y) {
                (Type::Record(base), Type::Record(class)) => match to_base(class, base) {
                    Some(level) => with(level),
                    None if class.problem.is_some() => perhaps(Conversion(u8::MAX)),
                    None => sure(NotPossible),
                },
                _ => sure(NotPossible),
            },
        },
    }
}

/// The qualifiers of what is pointed to: an array is what its elements are.
fn of_elements(of: &Target) -> Qualifiers {
    let mut all = of.qualifiers;
    let mut ty = &**of;
    while let Type::Array(element, _) = ty
        && !element.is_class
    {
        all.is_const |= element.qualifiers.is_const;
        all.is_volatile |= element.qualifiers.is_volatile;
        ty = element;
    }
    all
}

/// Whether two types are one, the qualifiers of an array's elements aside.
fn is_identical_inside(a: &Type, b: &Type) -> Option<bool> {
    match (a, b) {
        (Type::Array(x, n), Type::Array(y, m)) if n == m && !x.is_class && !y.is_class => {
            is_identical_inside(x, y)
        }
        (a, b) => a.is_identical(b),
    }
}

/// The conversion of a class to one of its bases.
fn to_base(class: &RecordType, base: &RecordType) -> Option<Level> {
    fn distance(class: &RecordType, base: &RecordType, depth: u8) -> Option<u8> {
        const DEEPEST: u8 = 32;
        if class.identity == base.identity {
            return Some(depth);
        }
        let mut bases = class.bases.iter().filter(|_| depth < DEEPEST);
        bases.find_map(|(_, one)| distance(one, base, depth + 1))
    }
    distance(class, base, 0).map(|depth| Level::Conversion(u8::MAX - depth))
}
