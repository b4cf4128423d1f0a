//! References: what a declaration binds its name to.

use super::super::context::{Binding, Lower};
use super::super::inline::One;
use super::super::values::{LValue, Val};
use super::{has_auto, single};
use crate::sema::scope;
use crate::sema::types::{Target, Type};
use crate::syntax::ast::{self, ExprKind};

impl Lower<'_> {
    /// Whether a variable that is a reference is one by `&&`.
    pub(super) fn declares_rvalue(
        &self,
        variable: &ast::Variable,
        ty: &Type,
        place: &LValue,
        e: &ast::Expr,
    ) -> bool {
        if !has_auto(&variable.ty) {
            return matches!(ty, Type::Reference(to) if to.is_rvalue);
        }
        let is_written = matches!(
            variable.ty.kind,
            ast::TypeKind::Reference {
                is_rvalue: true,
                ..
            }
        );
        is_written
            && match place {
                LValue::Mem(mem) => mem.is_temporary == Some(true),
                LValue::Var { .. } => false,
                LValue::Val(_) => !matches!(e.kind, ExprKind::Path(_)),
            }
    }

    /// `decltype(auto) x = f();`: the function tells whether it gives a reference.
    pub(super) fn declare_result(&mut self, variable: &ast::Variable, e: &ast::Expr) {
        let place = self.place(e);
        if matches!(place, LValue::Val(_)) {
            let value = self.read(place, e.range);
            let value = self.copied(value);
            let ty = value.ty();
            self.declare_value(variable, &ty, value);
            // What has a place and is a number here is a constant.
            if scope::is_lvalue(&self.unit.names, &self.frame.env, e) {
                self.bind_as_const(&variable.name);
            }
        } else {
            let place = self.bound_to(None, place, variable, e.range);
            let is_rvalue = matches!(&place, LValue::Mem(mem) if mem.is_temporary == Some(true));
            self.bind_reference(&variable.name, place, is_rvalue);
        }
    }

    /// A reference to what it begins with.
    pub(super) fn declare_reference(&mut self, variable: &ast::Variable, ty: &Type) {
        let e = match &variable.init {
            Some(ast::Initialiser::Equals(e)) => Some(e),
            Some(ast::Initialiser::Paren(list)) => list.first(),
            Some(ast::Initialiser::Brace(e)) => match &e.kind {
                ExprKind::List(items) => items.first().map(|(_, e)| e),
                _ => Some(e),
            },
            None => None,
        };
        let Some(e) = e else { return };
        let place = match &e.kind {
            ExprKind::Str(_) => LValue::Mem(self.string(e)),
            _ => self.place(e),
        };
        let place = match place {
            LValue::Val(Val::Scalar { ty, .. }) if self.gives_an_argument(e) => {
                // What the name stands for changes with it.
                let reason = "a reference to one of two arguments";
                LValue::Val(self.unknown_val(reason, ty))
            }
            place => place,
        };
        let is_rvalue = self.declares_rvalue(variable, ty, &place, e);
        self.declare_reference_to(variable, ty, place, is_rvalue, e.range);
    }

    /// A reference of type `ty` to `place`; what has no place gets one.
    pub fn declare_reference_to(
        &mut self,
        variable: &ast::Variable,
        ty: &Type,
        place: LValue,
        is_rvalue: bool,
        range: ast::Range,
    ) {
        let wanted = (!has_auto(&variable.ty)).then_some(ty);
        let mut place = self.bound_to(wanted, place, variable, range);
        if let LValue::Val(value @ Val::Scalar { ty, .. }) = &place
            && !ty.is_unknown()
        {
            let (ty, value) = (ty.clone(), value.clone());
            self.declare_named(&variable.name, Some(variable.name_range), &ty, value);
            if let Some(Binding::LValue(own)) = self.lookup(&variable.name) {
                place = own;
            }
        }
        let is_const = match &variable.ty.kind {
            ast::TypeKind::Reference { to, .. } if to.is_const => Some(true),
            _ => match ty {
                Type::Reference(to) if to.qualifiers.is_const => Some(true),
                _ => place.is_const(),
            },
        };
        self.bind_reference(&variable.name, place.named(is_const), is_rvalue);
    }

    /// What a name stands for may not be written by it.
    pub fn bind_as_const(&mut self, name: &ast::Name) {
        self.bind_named(name, Some(true));
    }

    /// What a name stands for may, or may not, be written by it.
    pub(super) fn bind_named(&mut self, name: &ast::Name, constness: Option<bool>) {
        if let Some(Binding::LValue(place)) = self.lookup(name) {
            self.bind(name, Binding::LValue(place.named(constness)));
        }
    }

    /// The constness of what an expression names, as far as it is known; `None` where it is no name of a variable.
    pub(super) fn constness_of_name(&self, e: &ast::Expr) -> Option<Option<bool>> {
        let ExprKind::Path(path) = &e.kind else {
            return None;
        };
        let name = path.as_name()?;
        match self.lookup(name)? {
            Binding::LValue(place) => {
                Some(place.is_const().or_else(|| self.frame.env.is_const(name)))
            }
            _ => None,
        }
    }

    pub(super) fn bind_reference(&mut self, name: &ast::Name, place: LValue, is_rvalue: bool) {
        self.name_temporary(&place);
        let ty = Type::Reference(Target::open(place.whole_type()).referred(is_rvalue));
        let env = &mut self.frame.env;
        env.set(name.clone(), scope::Binding::Variable(ty));
        self.bind(name, Binding::LValue(place));
    }

    /// `std::max(x, y)` of what may change: it gives one of both.
    pub(super) fn gives_an_argument(&self, e: &ast::Expr) -> bool {
        let ExprKind::Call { callee, arguments } = &e.kind else {
            return false;
        };
        let ExprKind::Path(path) = &callee.kind else {
            return false;
        };
        let names_one = |e: &ast::Expr| match &e.kind {
            ExprKind::Path(path) => {
                let name = path.segments.last().map(|last| &*last.name);
                let place = name.and_then(|name| self.lookup(name));
                matches!(
                    place,
                    Some(Binding::LValue(LValue::Var { .. } | LValue::Mem(_)))
                )
            }
            ExprKind::Index(..) | ExprKind::Member { .. } => true,
            _ => false,
        };
        let last = path.segments.last().map(|last| &*last.name);
        matches!(last, Some("max" | "min" | "clamp"))
            && self.unit.names.functions(&self.frame.env, path).is_empty()
            && arguments.iter().any(names_one)
    }

    /// Whether a variable is another name of what it begins with.
    pub(super) fn declares_reference(&self, variable: &ast::Variable, ty: &Type) -> bool {
        match &variable.ty.kind {
            ast::TypeKind::Reference { .. } => true,
            ast::TypeKind::Decltype(_) | ast::TypeKind::Named(_) => {
                matches!(ty, Type::Reference(_))
            }
            ast::TypeKind::DecltypeAuto => single(variable.init.as_ref())
                .is_some_and(|e| scope::is_lvalue(&self.unit.names, &self.frame.env, e)),
            _ => false,
        }
    }

    /// What a reference of type `wanted` to `place` names: a part of it, or a value of its own.
    pub(super) fn bound_to(
        &mut self,
        wanted: Option<&Type>,
        place: LValue,
        variable: &ast::Variable,
        range: ast::Range,
    ) -> LValue {
        if place.ty().is_unknown() {
            return match place {
                LValue::Val(value) => self.settle(value, variable),
                place => self.pin(place),
            };
        }
        match self.bind_one(wanted, true, &place, range) {
            One::LValue(place) => place,
            One::Value(ty, value) => {
                let value = self.convert(value, &ty, range);
                self.settle(value, variable)
            }
        }
    }
}
