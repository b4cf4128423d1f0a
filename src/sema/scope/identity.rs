//! What tells types, values and environments of one translation unit apart.
//!
//! Names do not: `a::X` and `b::X` are both displayed as `X`, and so are two local classes.

use super::{Binding, Env};
use crate::ir::Scalar;
use crate::sema::consteval::Value;
use crate::sema::types::{Qualifiers, RecordType, Target, Twin, Type};
use std::sync::Arc;

/// Tells one class, with its template arguments and the place that it stands in, from all others of
/// the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity([u8; 16]);

/// Tells apart what names mean in two environments: equal where all of them are bound to the same types and
/// values.
#[must_use]
pub fn of_names(env: &Env) -> Identity {
    let start = Fingerprint::new("names").number(u64::from(env.namespace));
    let start = match &env.record {
        Some(record) => start.record(record),
        None => start,
    };
    let all = env.bindings();
    all.fold(start, |out, (name, binding)| {
        out.text(name).binding(binding)
    })
    .identity()
}

/// Writes down what an answer depends on.
#[derive(Debug, Default)]
pub(crate) struct Fingerprint {
    bytes: Vec<u8>,
    /// A lambda is told apart by its place alone, which another call makes anew: not worth keeping.
    has_lambda: bool,
    /// Environments that went by their place in memory.
    kept: Vec<Env>,
}

impl Fingerprint {
    pub fn new(question: &str) -> Self {
        Self::default().text(question)
    }

    pub fn identity(&self) -> Identity {
        let hash = blake3::hash(&self.bytes);
        let mut short = [0; 16];
        short.copy_from_slice(&hash.as_bytes()[..16]);
        Identity(short)
    }

    /// The key of an answer, and what must live as long as the answer; `None` where it would not be
    /// asked for again.
    pub fn key(self) -> Option<(Identity, Box<[Env]>)> {
        (!self.has_lambda).then(|| (self.identity(), self.kept.into()))
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    pub fn number(mut self, number: u64) -> Self {
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub fn text(self, text: &str) -> Self {
        let mut out = self.number(text.len() as u64);
        out.bytes.extend_from_slice(text.as_bytes());
        out
    }

    /// Something that lives as long as the answers that are kept.
    pub fn place<T: ?Sized>(self, place: *const T) -> Self {
        self.number(place.cast::<u8>() as usize as u64)
    }

    pub fn record(mut self, record: &RecordType) -> Self {
        self.bytes.extend_from_slice(&record.identity.0);
        self
    }

    /// Where names are looked up. Whoever keeps an answer keeps the environment as well: local names
    /// go by their place in memory.
    pub fn env(self, env: &Env) -> Self {
        let mut out = self.number(u64::from(env.namespace));
        let mut locals = env.identity();
        if let Some(record) = &env.record {
            out.tag(1);
            out = out.record(record);
            if locals == record.env.identity() {
                locals = 0;
            }
        } else {
            out.tag(0);
        }
        if locals != 0 {
            out.kept.push(env.clone());
        }
        out.number(locals as u64)
    }

    pub fn bindings(self, bindings: &[Binding]) -> Self {
        let start = self.number(bindings.len() as u64);
        bindings.iter().fold(start, Self::binding)
    }

    pub fn binding(mut self, binding: &Binding) -> Self {
        match binding {
            Binding::Type(ty) => {
                self.tag(b't');
                self.ty(ty)
            }
            Binding::Variable(ty) => {
                self.tag(b'v');
                self.ty(ty)
            }
            // Numbers of one value are one argument, however they are written.
            Binding::Value(value, ty) => {
                self.tag(b'c');
                let of = ty.as_ref().filter(|ty| ty.is_enumeration());
                match of {
                    Some(ty) => self.value(value).ty(ty),
                    None => self.value(value),
                }
            }
            Binding::Pack(items) => {
                self.tag(b'p');
                self.bindings(items)
            }
            Binding::Template(path, env) => {
                self.tag(b'm');
                let named = self.number(u64::from(path.is_global)).env(env);
                let segments = path.segments.iter();
                segments.fold(named, |out, segment| match &segment.arguments {
                    None => out.text(&segment.name),
                    Some(arguments) => out.text(&segment.name).text(&format!("{arguments:?}")),
                })
            }
            Binding::Namespace(scope) => {
                self.tag(b'n');
                self.number(u64::from(*scope))
            }
        }
    }

    fn scalar(self, scalar: Scalar) -> Self {
        self.text(&format!("{scalar:?}"))
    }

    pub fn types(self, types: &[Type]) -> Self {
        let start = self.number(types.len() as u64);
        types.iter().fold(start, Self::ty)
    }

    fn target(mut self, target: &Target) -> Self {
        let Qualifiers {
            is_const,
            is_volatile,
            is_open,
        } = target.qualifiers;
        let kinds = [target.is_rvalue, target.is_class];
        let bits = [is_const, is_volatile, is_open, kinds[0], kinds[1]].map(u8::from);
        self.bytes.extend_from_slice(&bits);
        self.ty(target)
    }

    pub fn ty(mut self, ty: &Type) -> Self {
        match ty {
            Type::Void => self.tag(b'V'),
            Type::Scalar(scalar, twin) => {
                self.tag(b'S');
                self.tag(match twin {
                    Twin::First => 0,
                    Twin::Second => 1,
                    Twin::Open => 2,
                    Twin::Enumeration(_) => 3,
                    Twin::Class(_) => 4,
                });
                match twin {
                    Twin::Enumeration(one) => self.bytes.extend_from_slice(&one.identity.0),
                    Twin::Class(name) => self = self.text(name),
                    _ => {}
                }
                return self.scalar(*scalar);
            }
            Type::Qualified(of) => {
                self.tag(b'Q');
                return self.target(of);
            }
            Type::Vector { name, .. } => {
                self.tag(b'W');
                return self.text(name);
            }
            Type::Pointer(to) => {
                self.tag(b'P');
                return self.target(to);
            }
            Type::Reference(to) => {
                self.tag(b'R');
                return self.target(to);
            }
            Type::Array(of, count) => {
                self.tag(b'A');
                return self.number(count.unwrap_or(u64::MAX)).target(of);
            }
            Type::Record(record) => {
                self.tag(b'C');
                return self.record(record);
            }
            Type::Function => self.tag(b'F'),
            Type::Opaque(name) => {
                self.has_lambda |= ty.lambda_number().is_some();
                self.tag(b'O');
                return self.text(name);
            }
            Type::Unknown(reason) => {
                self.tag(b'U');
                return self.text(reason);
            }
        }
        self
    }

    pub fn values(self, values: &[Option<Value>]) -> Self {
        let start = self.number(values.len() as u64);
        values.iter().fold(start, |mut out, value| match value {
            Some(value) => out.value(value),
            None => {
                out.tag(b'?');
                out
            }
        })
    }

    /// A number goes by its value, as it does where template arguments are compared.
    pub fn value(mut self, value: &Value) -> Self {
        match value {
            Value::Int { value, .. } => {
                self.tag(b'i');
                self.number(*value as u64)
            }
            Value::Float(value, _) => {
                self.tag(b'f');
                self.number(value.to_bits())
            }
            Value::Str(text) => {
                self.tag(b's');
                self.text(text)
            }
            Value::List(items) => {
                self.tag(b'l');
                self.values(items)
            }
            Value::Fields(fields) => {
                self.tag(b'r');
                let start = self.ty(&fields.ty).number(fields.values.len() as u64);
                fields.values.iter().fold(start, |out, (name, value)| {
                    out.text(name).values(std::slice::from_ref(value))
                })
            }
            Value::Function(f) => {
                self.tag(b'x');
                let start = self.text(&f.text).env(&f.env);
                f.candidates
                    .iter()
                    .fold(start, |out, c| out.place(Arc::as_ptr(&c.function)))
            }
            Value::Pointer {
                offset,
                pointee,
                is_assumed,
            } => self.text(&format!("{offset:?} {pointee:?} {is_assumed}")),
            Value::Lambda(lambda) => {
                self.has_lambda = true;
                self.place(Arc::as_ptr(lambda))
            }
        }
    }

    /// The types of numbers, where they matter: `f(1)` and `f(1u)` need not give the same.
    pub fn typed_values(self, values: &[Option<Value>]) -> Self {
        let out = self.values(values);
        values.iter().fold(out, |out, value| match value {
            Some(Value::Int { ty, .. } | Value::Float(_, ty)) => out.scalar(*ty),
            _ => out,
        })
    }
}
