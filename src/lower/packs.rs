//! Parameter packs: a pattern that is expanded is lowered once for each element.
//!
//! Given a pattern, finds the packs that it names: parameters of functions and of templates, in its
//! expressions and types. Packs of different lengths, and such whose length is not known, expand to nothing
//! that is known. A pack that is named outside of any expansion has no value.

use super::call::ArgumentLValue;
use super::context::{Binding, Lower};
use super::expr::has_effects;
use super::values::{LValue, Val};
use crate::ir::VarId;
use crate::sema::scope;
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind, Name};
use crate::syntax::visit::pattern_names;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The packs of a pattern, all of one length.
pub struct Packs {
    /// Parameters of functions.
    values: Vec<(Name, Vec<Binding>)>,
    /// Parameters of templates.
    arguments: Vec<(Name, Arc<[scope::Binding]>)>,
    pub count: usize,
}

impl Lower<'_> {
    /// The pattern for every element of the packs in it.
    pub fn expand(&mut self, pattern: &ast::Expr) -> Option<Vec<LValue>> {
        let packs = self.packs_in(pattern)?;
        Some(self.each_element(&packs, |it| it.given(pattern)))
    }

    /// What `body` gives for each element of the packs.
    pub fn each_element<T>(
        &mut self,
        packs: &Packs,
        mut body: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        (0..packs.count)
            .map(|at| self.with_element(packs, at, &mut body))
            .collect()
    }

    /// As [`Self::expand`], where the elements are evaluated in no order that is known: what one writes that another
    /// reads is not known.
    pub fn expand_unordered(&mut self, pattern: &ast::Expr) -> Option<Vec<LValue>> {
        let packs = self.packs_in(pattern)?;
        let mut touched: Vec<(FxHashSet<VarId>, FxHashSet<VarId>)> = Vec::new();
        let mut places = self.each_element(&packs, |it| {
            let before = it.mark();
            let place = it.given(pattern);
            let span = (before, it.mark());
            touched.push((it.written_in(span), it.read_for(&place, span)));
            place
        });
        for (at, place) in places.iter_mut().enumerate() {
            let (own, read) = &touched[at];
            let mut others = touched.iter().enumerate().filter(|(other, _)| *other != at);
            let meets = |one: &FxHashSet<VarId>| !one.is_disjoint(own) || !one.is_disjoint(read);
            if others.any(|(_, (written, _))| meets(written)) {
                let ty = place.ty();
                let reason = "what another element of a pack writes, in either order";
                *place = LValue::Val(self.unknown_val(reason, ty));
            }
        }
        Some(places)
    }

    /// The packs in a pattern, if there are some and their length is known.
    pub fn packs_in(&self, pattern: &ast::Expr) -> Option<Packs> {
        let (mut values, mut arguments) = (Vec::new(), Vec::new());
        let mut lengths = Vec::new();
        for name in pattern_names(pattern) {
            match self.lookup(&name) {
                Some(Binding::Pack(items)) => {
                    lengths.push(items.len());
                    values.push((name, items));
                }
                Some(Binding::LValue(_)) => {}
                None => {
                    if let Some(scope::Binding::Pack(items)) = self.frame.env.get(&name) {
                        lengths.push(items.len());
                        arguments.push((name, items.clone()));
                    }
                }
            }
        }
        let count = *lengths.first()?;
        let is_one_length = lengths.iter().all(|length| *length == count);
        is_one_length.then_some(Packs {
            values,
            arguments,
            count,
        })
    }

    /// A pack that is named outside of an expansion.
    pub fn unexpanded(&mut self, name: &str) -> Val {
        let reason = format!("the pack `{name}` is not expanded");
        self.unknown_val(&reason, Type::unknown(reason.clone()))
    }

    /// Runs `body` with the packs standing for one element.
    pub fn with_element<T>(
        &mut self,
        packs: &Packs,
        at: usize,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.scoped(|this| {
            for (name, items) in &packs.values {
                this.bind(name, items[at].clone());
            }
            for (name, items) in &packs.arguments {
                this.frame.env.set(name.clone(), items[at].clone());
            }
            body(this)
        })
    }

    /// The items of a braced list with its packs expanded; `None` where one is not known.
    pub fn expanded_items(
        &mut self,
        items: &[(Option<Name>, ast::Expr)],
    ) -> Option<Vec<ArgumentLValue>> {
        let mut out = Vec::with_capacity(items.len());
        for (_, item) in items {
            match &item.kind {
                ExprKind::Expand(pattern) => {
                    let packs = self.packs_in(pattern)?;
                    // The elements of a list are evaluated one after the other.
                    let is_settled = has_effects(pattern);
                    let places = self.each_element(&packs, |it| match it.given(pattern) {
                        place if is_settled => it.settled(place, item.range),
                        place => place,
                    });
                    out.extend(places.into_iter().map(|place| (place, item.range)));
                }
                _ => out.push(self.argument(item)),
            }
        }
        Some(out)
    }

    /// What is at a place now, whatever is written there later.
    fn settled(&mut self, place: LValue, range: ast::Range) -> LValue {
        let value = match place {
            LValue::Mem(mem) if matches!(mem.ty, Type::Record(_) | Type::Array(..)) => {
                let is_open = self.arena.local_object(mem.pointer).is_some() && self.is_named(&mem);
                let value = Val::Object(mem);
                if is_open { self.copied(value) } else { value }
            }
            place => self.read(place, range),
        };
        LValue::Val(match value {
            Val::Scalar { id, ty, volatile } if !self.arena.is_stable(id) => Val::Scalar {
                id: self.keep(id, ""),
                ty,
                volatile,
            },
            other => other,
        })
    }
}

/// Whether packs stand in a list.
pub fn has_packs(items: &[(Option<Name>, ast::Expr)]) -> bool {
    let mut items = items.iter();
    items.any(|(_, item)| matches!(item.kind, ExprKind::Expand(_)))
}
