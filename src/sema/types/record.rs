//! Classes with their layout: bases, fields, and what an object of the class holds.

use super::{MAX_DEPTH, Twin, Type};
use crate::ir::Scalar;
use crate::sema::scope::{Binding, Env, Identity};
use crate::syntax::ast;
use std::sync::Arc;

/// A class, struct or union with its layout, for one set of template arguments.
#[derive(Debug)]
pub struct RecordType {
    /// Tells it apart from all other classes of its unit; names do not.
    pub identity: Identity,
    /// With template arguments and enclosing classes: `Tile<float, 16>`.
    pub name: String,
    /// Bytes, tail padding included. 0 while [`RecordType::problem`] is set.
    pub size: u64,
    /// Bytes without tail padding.
    pub data_size: u64,
    pub align: u64,
    /// Has virtual functions.
    pub is_polymorphic: bool,
    pub is_union: bool,
    /// Non-static data members in order; an unnamed struct or union has an empty name.
    pub fields: Vec<Field>,
    pub record: Arc<ast::Record>,
    /// Where names inside are looked up: namespace, enclosing class, template bindings.
    pub env: Env,
    /// Template arguments in order, defaults filled in.
    pub arguments: Vec<Binding>,
    /// Byte offset and type of each base class.
    pub bases: Vec<(u64, Arc<RecordType>)>,
    /// Why there is no layout.
    pub problem: Option<Arc<str>>,
}

/// A data member.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    /// `const`, or `mutable`; `None` where the object decides.
    pub is_const: Option<bool>,
    /// Bytes from the start of the object; for a bit-field of its storage unit.
    pub offset: u64,
    /// Whether `offset` is known: all that lies in front of it has a layout.
    pub is_placed: bool,
    /// First bit within the unit at `offset`, and width.
    pub bits: Option<(u32, u32)>,
}

impl RecordType {
    /// Whether the class is laid out as C does it: nothing derived from it lies in its padding. `None` where
    /// compilers differ, or versions of the language.
    #[must_use]
    pub fn is_plain(&self) -> Option<bool> {
        use ast::FunctionKind::{Constructor, Destructor};
        let has_own = !self.bases.is_empty() || self.is_polymorphic || self.record.has_hidden_data;
        if has_own {
            return Some(false);
        }
        let of_members = self.record.members.iter().map(|member| match member {
            ast::Member::Function(f) => match f.kind {
                Constructor | Destructor if !f.attributes.is_default => Some(false),
                Constructor | Destructor => None,
                // One that copies, or any other one.
                _ if &*f.name == "=" => None,
                _ => Some(true),
            },
            ast::Member::Variables(all) => {
                let has_value = |one: &ast::Variable| !one.storage.is_static && one.init.is_some();
                Some(!all.iter().any(has_value))
            }
            _ => Some(true),
        });
        let of_fields = self.fields.iter().map(|field| is_plain(&field.ty));
        // One that is certainly none decides.
        let mut answer = Some(true);
        for one in of_members.chain(of_fields) {
            match one {
                Some(false) => return Some(false),
                Some(true) => {}
                None => answer = None,
            }
        }
        answer
    }
}

impl RecordType {
    /// Whether the class, or a base of it, has a conversion function, or may have one: not all of it is known.
    #[must_use]
    pub fn has_conversions(&self) -> bool {
        let is_conversion = |member: &ast::Member| matches!(member, ast::Member::Function(f) if f.kind == ast::FunctionKind::Conversion);
        self.problem.is_some()
            || self.record.members.iter().any(is_conversion)
            || self.bases.iter().any(|(_, base)| base.has_conversions())
    }

    /// Whether an object of the class holds nothing, for certain.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // Without a layout it may hold what is not listed: a base class that is not known.
        // A bit-field without a name is no field, and takes room.
        self.problem.is_none()
            && self.fields.is_empty()
            && self.data_size == 0
            && !self.is_polymorphic
            && self.bases.iter().all(|(_, base)| base.is_empty())
    }

    /// Where parts of empty classes lie in an object of the class, itself among them.
    #[must_use]
    pub fn empty_parts(&self, depth: u32) -> Vec<(u64, Identity)> {
        let mut out = Vec::new();
        if self.is_empty() {
            out.push((0, self.identity));
        }
        let moved = |by: u64, parts: Vec<(u64, Identity)>| {
            let parts = parts.into_iter();
            parts.map(move |(at, class)| (by + at, class))
        };
        if depth < MAX_DEPTH {
            for (offset, base) in &self.bases {
                out.extend(moved(*offset, base.empty_parts(depth + 1)));
            }
            for field in &self.fields {
                out.extend(moved(field.offset, empty_parts(&field.ty, depth + 1)));
            }
        }
        out
    }
}

/// As [`RecordType::is_plain`], of an object of any type.
fn is_plain(ty: &Type) -> Option<bool> {
    match ty {
        Type::Reference(_) => Some(false),
        Type::Array(of, _) => is_plain(of),
        Type::Record(record) => record.is_plain(),
        // Classes of the toolkit, with constructors.
        Type::Vector { name, .. } if *name == "dim3" => Some(false),
        Type::Scalar(Scalar::F16 | Scalar::BF16, _) => Some(false),
        Type::Vector { name, .. } if name.starts_with("__") => None,
        Type::Scalar(_, Twin::Class(_)) => None,
        _ => Some(true),
    }
}

/// As [`RecordType::empty_parts`], of an object of any type.
#[must_use]
pub fn empty_parts(ty: &Type, depth: u32) -> Vec<(u64, Identity)> {
    /// Elements of an array that are looked at: the first bytes of an object decide.
    const MOST: u64 = 64;
    match ty {
        Type::Record(record) => record.empty_parts(depth),
        Type::Array(of, Some(count)) => {
            let (inner, size) = (empty_parts(of, depth + 1), of.size().unwrap_or(0));
            let elements = (0..(*count).min(MOST)).flat_map(|i| {
                let inner = inner.iter();
                inner.map(move |(at, class)| (i * size + at, *class))
            });
            elements.collect()
        }
        _ => Vec::new(),
    }
}

impl RecordType {
    /// The scalars of its bases and members, as [`Type::collect`] does of a type.
    pub(super) fn collect(
        &self,
        base: u64,
        path: &str,
        machine: bool,
        depth: u32,
        out: &mut Vec<(u64, Scalar, String)>,
    ) -> bool {
        for (offset, b) in &self.bases {
            let of = Type::Record(b.clone());
            if !of.collect(base + offset, path.to_owned(), machine, depth - 1, out) {
                return false;
            }
        }
        // Of a union the first of the largest members stands for all.
        let chosen = self.is_union.then(|| {
            let size = |f: &Field| f.ty.size().unwrap_or(0);
            let most = self.fields.iter().map(size).max();
            self.fields.iter().position(|f| Some(size(f)) == most)
        });
        let mut unit = None;
        for (i, f) in self.fields.iter().enumerate() {
            if chosen.is_some_and(|c| c != Some(i)) {
                continue;
            }
            if f.bits.is_some() {
                // Bit-fields of one storage unit move together.
                if unit == Some(f.offset) {
                    continue;
                }
                unit = Some(f.offset);
            }
            let inner = if f.name.is_empty() {
                path.to_owned()
            } else {
                format!("{path}.{}", f.name)
            };
            if !f
                .ty
                .collect(base + f.offset, inner, machine, depth - 1, out)
            {
                return false;
            }
        }
        true
    }
}
