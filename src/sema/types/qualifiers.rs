//! `const` and `volatile`, and what a pointer or reference points to with them.

use super::Type;
use crate::syntax::ast;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// `const` and `volatile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    /// There may be others.
    pub is_open: bool,
}

impl Qualifiers {
    pub const NONE: Self = Self {
        is_const: false,
        is_volatile: false,
        is_open: false,
    };
    pub const CONST: Self = Self {
        is_const: true,
        ..Self::NONE
    };
    pub const OPEN: Self = Self {
        is_open: true,
        ..Self::NONE
    };

    /// Those that are written.
    #[must_use]
    pub fn of(ty: &ast::TypeExpr) -> Self {
        Self {
            is_const: ty.is_const,
            is_volatile: ty.is_volatile,
            is_open: false,
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_open: self.is_open || other.is_open,
        }
    }

    pub(super) fn is_same(self, other: Self) -> Option<bool> {
        let differs = |a: Self, b: Self| {
            !a.is_open && (b.is_const && !a.is_const || b.is_volatile && !a.is_volatile)
        };
        if differs(self, other) || differs(other, self) {
            return Some(false);
        }
        let is_open = self.is_open || other.is_open;
        (!is_open || self == other && self.is_const && self.is_volatile).then_some(true)
    }
}

impl fmt::Display for Qualifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_const {
            f.write_str("const ")?;
        }
        if self.is_volatile {
            f.write_str("volatile ")?;
        }
        Ok(())
    }
}

/// What a type points or refers to, or consists of.
#[derive(Clone, Debug)]
pub struct Target {
    pub(super) ty: Arc<Type>,
    pub qualifiers: Qualifiers,
    /// Of a reference: `&&`.
    pub is_rvalue: bool,
    /// Of what an array consists of: it is a `std::array`, which is copied as classes are.
    pub is_class: bool,
}

impl Target {
    /// Qualified as the type says.
    #[must_use]
    pub fn new(ty: Type) -> Self {
        match ty {
            Type::Qualified(of) => of,
            ty => Self {
                ty: Arc::new(ty),
                qualifiers: Qualifiers::NONE,
                is_rvalue: false,
                is_class: false,
            },
        }
    }

    /// Qualified as the type says, or nobody knows how.
    #[must_use]
    pub fn open(ty: Type) -> Self {
        match ty {
            Type::Qualified(of) => of,
            ty => Self {
                ty: Arc::new(ty),
                qualifiers: Qualifiers::OPEN,
                is_rvalue: false,
                is_class: false,
            },
        }
    }

    /// As what `&&`, or `&`, refers to.
    #[must_use]
    pub fn referred(self, is_rvalue: bool) -> Self {
        Self { is_rvalue, ..self }
    }

    /// With these qualifiers in place of its own.
    #[must_use]
    pub fn qualified(self, qualifiers: Qualifiers) -> Self {
        Self { qualifiers, ..self }
    }

    /// As what a `std::array`, or a plain one, consists of.
    #[must_use]
    pub fn of_class(self, is_class: bool) -> Self {
        Self { is_class, ..self }
    }

    /// As a type with its qualifiers.
    #[must_use]
    pub fn whole(&self) -> Type {
        (*self.ty).clone().with(self.qualifiers)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ty.fmt(f)
    }
}

impl Deref for Target {
    type Target = Type;

    fn deref(&self) -> &Type {
        &self.ty
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty
    }
}
