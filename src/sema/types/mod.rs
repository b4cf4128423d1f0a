//! Types with sizes: what C++ declarations mean in bytes under nvcc on 64-bit Linux.
//!
//! Given resolved pieces by `scope`; gives sizes, alignments, field offsets and the
//! scalar leaves of any type. Does not know names, templates or trees beyond the
//! record a [`RecordType`] was made from. `const` and `volatile` are kept of what a type points or
//! refers to and of template arguments; types that differ in these alone are equal.

mod builtins;
mod holds;
mod lambda;
mod layout;
mod promotion;
mod qualifiers;
mod record;

use crate::sema::types::builtins::vector_align;
pub use builtins::{builtin, by_display, complex, computed_in, known, of_torch};
pub use layout::Placement;
pub use promotion::{common, promote, promoted, usual_arithmetic};
pub use qualifiers::{Qualifiers, Target};
pub use record::{Field, RecordType, empty_parts};

use super::scope::{Identity, ScopeId};
use crate::ir::Scalar;
use std::fmt;
use std::sync::Arc;

/// Most leaves that one type is taken apart into; larger types give an empty list.
pub const MAX_LEAVES: usize = 4096;
/// Nesting of types below which they are read.
const MAX_DEPTH: u32 = 32;

/// A type after resolution.
#[derive(Clone, Debug)]
pub enum Type {
    Void,
    Scalar(Scalar, Twin),
    /// A built-in vector (`float4`, `dim3`, `half2`), with the vendor's alignment.
    Vector {
        name: &'static str,
        scalar: Scalar,
        lanes: u8,
    },
    Pointer(Target),
    Reference(Target),
    /// `None` for `[]`.
    Array(Target, Option<u64>),
    Record(Arc<RecordType>),
    /// A function or a member function.
    Function,
    /// A template argument such as `const float`, whose qualifiers choose specialisations.
    Qualified(Target),
    /// A class that is known by name only: `cg::thread_block`, `cuda::pipeline<…>`.
    Opaque(Arc<str>),
    /// The reason, as one clause.
    Unknown(Arc<str>),
}

/// Which of two types of numbers with one representation: each is a type of its own where templates and
/// overloads are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// The plain one, and the only one of most: `char`, `int`, `long`, `unsigned long`, `double`.
    First,
    /// `signed char`, `char8_t`, `wchar_t`, `long long`, `unsigned long long`, `long double`.
    Second,
    /// One of both.
    Open,
    Enumeration(Enumeration),
    /// A class of the toolkit that holds one number, by its name: `__nv_fp8_e4m3`, `__half_raw`.
    Class(&'static str),
}

/// What tells an enumeration from numbers and from other enumerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub identity: Identity,
    pub kind: EnumerationKind,
    /// The namespace that it stands in, in a class or by itself.
    pub home: ScopeId,
    pub is_member: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumerationKind {
    /// `enum class`: its values are no numbers.
    Scoped,
    /// `enum E : short`
    Fixed,
    /// The compiler chooses the type of its values.
    Plain,
}

impl Twin {
    fn is_same(self, other: Self) -> Option<bool> {
        (self != Self::Open && other != Self::Open).then_some(self == other)
    }

    #[must_use]
    pub fn is_enumeration(self) -> bool {
        matches!(self, Self::Enumeration(_))
    }

    /// Whether it is a number for the language: no enumeration, no class.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::First | Self::Second | Self::Open)
    }

    /// That of the common type: `long long` ranks above `long`.
    fn larger(self, other: Self) -> Self {
        match (self, other) {
            (Self::Second, _) | (_, Self::Second) => Self::Second,
            (Self::First, Self::First) => Self::First,
            _ => Self::Open,
        }
    }
}

/// `std::void_t<…>`: the standard library calls aliases so.
pub(crate) fn is_alias(name: &str) -> bool {
    let plain = name.split('<').next().unwrap_or(name);
    plain.ends_with("_t") && name.contains('<')
}

/// The type of `nullptr`: no pointer.
#[must_use]
pub fn null_type() -> Type {
    Type::Opaque(Arc::from("std::nullptr_t"))
}

impl PartialEq for Type {
    /// Whether they may be one type, but for qualifiers; [`Type::is_identical`] tells more.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Qualified(a), b) => **a == *b,
            (a, Self::Qualified(b)) => *a == **b,
            (Self::Void, Self::Void) | (Self::Function, Self::Function) => true,
            (Self::Scalar(a, x), Self::Scalar(b, y)) => a == b && x.is_same(*y) != Some(false),
            (Self::Vector { name: a, .. }, Self::Vector { name: b, .. }) => a == b,
            (Self::Pointer(a), Self::Pointer(b)) | (Self::Reference(a), Self::Reference(b)) => {
                a == b
            }
            (Self::Array(a, n), Self::Array(b, m)) => n == m && a == b,
            (Self::Record(a), Self::Record(b)) => a.identity == b.identity,
            (Self::Opaque(a), Self::Opaque(b)) => a == b || lambda::is_same(a, b) == Some(None),
            _ => false,
        }
    }
}

impl Type {
    #[must_use]
    pub fn unknown(reason: impl Into<Arc<str>>) -> Self {
        Self::Unknown(reason.into())
    }

    /// The type of a number of which only the representation is known.
    #[must_use]
    pub fn number(scalar: Scalar) -> Self {
        let twin = match scalar {
            Scalar::I8 | Scalar::I64 | Scalar::U64 => Twin::Open,
            _ => Twin::First,
        };
        Self::Scalar(scalar, twin)
    }

    /// A pointer to an object of this type; whether the object is `const` is not known.
    #[must_use]
    pub fn pointer_to(self) -> Self {
        Self::Pointer(Target::open(self))
    }

    /// This type with qualifiers, where a type has any.
    #[must_use]
    pub fn with(self, qualifiers: Qualifiers) -> Self {
        match self {
            Self::Qualified(of) => {
                let qualifiers = of.qualifiers.and(qualifiers);
                Self::Qualified(Target { qualifiers, ..of })
            }
            Self::Reference(_) | Self::Function | Self::Unknown(_) => self,
            _ if qualifiers == Qualifiers::NONE => self,
            // An array is what its elements are.
            Self::Array(of, count) if !of.is_class => {
                let qualifiers = of.qualifiers.and(qualifiers);
                Self::Array(Target { qualifiers, ..of }, count)
            }
            ty => Self::Qualified(Target {
                ty: Arc::new(ty),
                qualifiers,
                is_rvalue: false,
                is_class: false,
            }),
        }
    }

    /// Without qualifiers of its own.
    #[must_use]
    pub fn unqualified(self) -> Self {
        match self {
            Self::Qualified(of) => (*of).clone(),
            ty => ty,
        }
    }

    #[must_use]
    pub fn qualifiers(&self) -> Qualifiers {
        match self {
            Self::Qualified(of) => of.qualifiers,
            _ => Qualifiers::NONE,
        }
    }

    /// Whether two types are one, with qualifiers; `None` where that is not known.
    #[must_use]
    pub fn is_identical(&self, other: &Self) -> Option<bool> {
        let both = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let target =
            |a: &Target, b: &Target| both(a.qualifiers.is_same(b.qualifiers), a.is_identical(b));
        match (self, other) {
            (Self::Qualified(_), _) | (_, Self::Qualified(_)) => {
                let [a, b] = [self, other].map(|one| one.clone().unqualified());
                both(
                    self.qualifiers().is_same(other.qualifiers()),
                    a.is_identical(&b),
                )
            }
            (Self::Unknown(_), _) | (_, Self::Unknown(_)) => None,
            // What they take is not told.
            (Self::Function, Self::Function) => None,
            (Self::Scalar(a, x), Self::Scalar(b, y)) if a == b => x.is_same(*y),
            (Self::Reference(a), Self::Reference(b)) if a.is_rvalue != b.is_rvalue => Some(false),
            (Self::Pointer(a), Self::Pointer(b)) | (Self::Reference(a), Self::Reference(b)) => {
                target(a, b)
            }
            (Self::Array(a, n), Self::Array(b, m)) if n == m => target(a, b),
            (Self::Opaque(a), Self::Opaque(b)) if let Some(is_same) = lambda::is_same(a, b) => {
                is_same
            }
            (Self::Opaque(a), Self::Opaque(b)) if a == b => Some(true),
            // What a header calls so may be any type.
            (Self::Opaque(name), _) | (_, Self::Opaque(name)) if is_alias(name) => None,
            (a, b) => Some(a == b),
        }
    }

    /// Bytes; `None` where there is no layout.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Scalar(s, _) => Some(u64::from(s.size())),
            Self::Qualified(of) => of.size(),
            Self::Vector { scalar, lanes, .. } => {
                Some(u64::from(scalar.size()) * u64::from(*lanes))
            }
            Self::Pointer(_) => Some(8),
            Self::Reference(t) => t.size(),
            Self::Array(t, n) => t.size()?.checked_mul((*n)?),
            Self::Record(r) if r.problem.is_none() => Some(r.size),
            _ => None,
        }
    }

    /// Bytes.
    #[must_use]
    pub fn align(&self) -> Option<u64> {
        match self {
            Self::Scalar(s, _) => Some(u64::from(s.size())),
            Self::Qualified(of) => of.align(),
            Self::Vector {
                name,
                scalar,
                lanes,
            } => Some(vector_align(name, *scalar, *lanes)),
            Self::Pointer(_) => Some(8),
            Self::Reference(t) | Self::Array(t, _) => t.align(),
            Self::Record(r) if r.problem.is_none() => Some(r.align),
            _ => None,
        }
    }

    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::Scalar(s, _) if s.is_integer())
    }

    /// Whether it is an enumeration.
    #[must_use]
    pub fn is_enumeration(&self) -> bool {
        matches!(self.strip_reference(), Self::Scalar(_, twin) if twin.is_enumeration())
    }

    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// The scalar that a value of this type is: pointers are [`Scalar::Pointer`].
    #[must_use]
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(s, _) => Some(*s),
            Self::Pointer(_) => Some(Scalar::Pointer),
            Self::Reference(t) | Self::Qualified(t) => t.scalar(),
            _ => None,
        }
    }

    /// What a pointer points to, or what an array consists of.
    #[must_use]
    pub fn element(&self) -> Option<&Type> {
        match self {
            Self::Pointer(t) | Self::Array(t, _) => Some(t),
            Self::Reference(t) | Self::Qualified(t) => t.element(),
            _ => None,
        }
    }

    #[must_use]
    pub fn strip_reference(&self) -> &Type {
        match self {
            Self::Reference(t) | Self::Qualified(t) => t,
            _ => self,
        }
    }

    /// The type of a value of this type passed by value: references go, arrays become pointers.
    #[must_use]
    pub fn decay(&self) -> Type {
        match self.strip_reference() {
            Self::Array(t, _) if !t.is_class => Self::Pointer(t.clone()),
            t => t.clone(),
        }
    }

    /// Byte offset, type and path (`.a[2].x`) of every scalar in an object of this type;
    /// of a union, those of its largest member. Empty where there is no layout or where there
    /// are more than [`MAX_LEAVES`].
    #[must_use]
    pub fn leaves(&self) -> Vec<(u64, Scalar, String)> {
        let mut out = Vec::new();
        let whole = self.collect(0, String::new(), false, MAX_DEPTH, &mut out);
        if whole { out } else { Vec::new() }
    }

    /// As [`Type::leaves`]; of a class with a member of unknown size, all other members. Where those lie
    /// is right but for what comes in front of them: enough for an object that has no place in memory.
    #[must_use]
    pub fn known_leaves(&self) -> Vec<(u64, Scalar, String)> {
        let Self::Record(r) = self else {
            return self.leaves();
        };
        if r.problem.is_none() || r.is_union {
            return self.leaves();
        }
        let bases = r.bases.iter();
        let bases = bases.map(|(at, b)| (*at, Self::Record(b.clone()), String::new()));
        let fields = r.fields.iter().filter(|f| f.bits.is_none());
        let fields = fields.map(|f| (f.offset, f.ty.clone(), format!(".{}", f.name)));
        let mut out = Vec::new();
        for (at, ty, path) in bases.chain(fields) {
            let mut own = Vec::new();
            if ty.collect(at, path, false, MAX_DEPTH, &mut own) {
                out.append(&mut own);
            }
        }
        out
    }

    /// The loads or stores that nvcc emits for a copy of a whole object: fields one by one,
    /// built-in vectors in the largest pieces that their alignment allows (at most 16 bytes).
    #[must_use]
    pub fn machine_leaves(&self) -> Vec<(u64, Scalar)> {
        let mut out = Vec::new();
        let whole = self.collect(0, String::new(), true, MAX_DEPTH, &mut out);
        if whole {
            out.into_iter().map(|(o, s, _)| (o, s)).collect()
        } else {
            Vec::new()
        }
    }

    fn collect(
        &self,
        base: u64,
        path: String,
        machine: bool,
        depth: u32,
        out: &mut Vec<(u64, Scalar, String)>,
    ) -> bool {
        if depth == 0 || out.len() >= MAX_LEAVES {
            return false;
        }
        match self {
            Self::Scalar(s, _) => out.push((base, *s, path)),
            Self::Qualified(of) => return of.collect(base, path, machine, depth - 1, out),
            Self::Pointer(_) | Self::Reference(_) => out.push((base, Scalar::Pointer, path)),
            Self::Vector {
                name,
                scalar,
                lanes,
            } => {
                let size = u64::from(scalar.size()) * u64::from(*lanes);
                let piece = vector_align(name, *scalar, *lanes).min(size).min(16);
                if machine && *lanes > 1 && piece > u64::from(scalar.size()) && size % piece == 0 {
                    for i in 0..size / piece {
                        out.push((base + i * piece, Scalar::Bytes(piece as u8), path.clone()));
                    }
                } else {
                    for i in 0..*lanes {
                        let lane = ["x", "y", "z", "w"][usize::from(i) % 4];
                        out.push((
                            base + u64::from(i) * u64::from(scalar.size()),
                            *scalar,
                            format!("{path}.{lane}"),
                        ));
                    }
                }
            }
            Self::Array(t, Some(n)) => {
                let Some(size) = t.size() else { return false };
                if *n > MAX_LEAVES as u64 {
                    return false;
                }
                for i in 0..*n {
                    if !t.collect(
                        base + i * size,
                        format!("{path}[{i}]"),
                        machine,
                        depth - 1,
                        out,
                    ) {
                        return false;
                    }
                }
            }
            Self::Record(r) if r.problem.is_none() => {
                return r.collect(base, &path, machine, depth, out);
            }
            _ => return false,
        }
        true
    }

    #[must_use]
    pub fn display(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("void"),
            Self::Scalar(s, twin) => f.write_str(scalar_name(*s, *twin)),
            // What a pointer points to is qualified in front of it, itself behind.
            Self::Qualified(t) => match &**t {
                Self::Pointer(_) => {
                    write!(f, "{t} {}", t.qualifiers.to_string().trim_end())
                }
                _ => write!(f, "{}{t}", t.qualifiers),
            },
            Self::Vector { name, .. } => f.write_str(name),
            Self::Pointer(t) => write!(f, "{}*", t.whole()),
            Self::Reference(t) if t.is_rvalue => write!(f, "{}&&", t.whole()),
            Self::Reference(t) => write!(f, "{}&", t.whole()),
            Self::Array(t, Some(n)) => {
                // Dimensions read outermost first.
                let mut inner: &Type = t;
                let mut dims = format!("[{n}]");
                while let Self::Array(next, m) = inner {
                    dims += &m.map_or("[]".to_string(), |m| format!("[{m}]"));
                    inner = next;
                }
                write!(f, "{inner}{dims}")
            }
            Self::Array(t, None) => write!(f, "{t}[]"),
            Self::Record(r) => f.write_str(&r.name),
            Self::Function => f.write_str("function"),
            Self::Opaque(n) => f.write_str(lambda::displayed(n)),
            Self::Unknown(_) => f.write_str("?"),
        }
    }
}

/// As C++ spells it.
#[must_use]
pub fn scalar_name(s: Scalar, twin: Twin) -> &'static str {
    match (s, twin) {
        (_, Twin::Class(name)) => name,
        (Scalar::Bool, _) => "bool",
        (Scalar::I8, Twin::Second) => "signed char",
        (Scalar::I8, _) => "char",
        (Scalar::U8, Twin::Second) => "char8_t",
        (Scalar::U8, _) => "unsigned char",
        (Scalar::I16, _) => "short",
        (Scalar::U16, Twin::Second) => "char16_t",
        (Scalar::U16, _) => "unsigned short",
        (Scalar::I32, Twin::Second) => "wchar_t",
        (Scalar::I32, _) => "int",
        (Scalar::U32, Twin::Second) => "char32_t",
        (Scalar::U32, _) => "unsigned int",
        (Scalar::I64, Twin::First) => "long",
        (Scalar::I64, _) => "long long",
        (Scalar::U64, Twin::First) => "unsigned long",
        (Scalar::U64, _) => "unsigned long long",
        (Scalar::F16, Twin::Second) => "c10::Half",
        (Scalar::F16, _) => "__half",
        (Scalar::BF16, Twin::Second) => "c10::BFloat16",
        (Scalar::BF16, _) => "__nv_bfloat16",
        (Scalar::F32, _) => "float",
        (Scalar::F64, Twin::Second) => "long double",
        (Scalar::F64, _) => "double",
        (Scalar::Pointer, _) => "void*",
        (Scalar::Bytes(_), _) => "bytes",
    }
}
