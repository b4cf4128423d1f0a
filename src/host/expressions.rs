//! What expressions of host code do to variables, in C++'s order, and the values that they give.

use super::operands;
use super::reaching;
use super::unit_facts::{Overload, assignment_symbol};
use super::walk::{Walk, World};
use super::worlds::{escape, forget, forget_all, forget_slot, join, names_template};
use crate::ir::Scalar;
use crate::ir::residue::Residue;
use crate::sema::consteval::{self, Pointee, Value};
use crate::sema::scope::{self, Env};
use crate::sema::types::{self, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, UnaryOp};

impl Walk<'_, '_> {
    /// Applies the side effects of an expression, launches included.
    pub fn effects(&mut self, env: &Env, world: &mut World, e: &Expr) {
        self.evaluate(env, world, e);
    }

    /// Applies the side effects of an expression and gives its value.
    pub fn evaluate(&mut self, env: &Env, world: &mut World, e: &Expr) -> Option<Value> {
        if !self.acts(env, world, e) {
            return self.value(env, world, e);
        }
        if self.depth >= 180 {
            forget(world, &self.survey.writes(&[], &[e]));
            return None;
        }
        self.depth += 1;
        let value = self.evaluate_deep(env, world, e);
        self.depth -= 1;
        value
    }

    /// Whether evaluating an expression may do anything besides giving its value: by what it is, or by an
    /// operator that the unit defines.
    pub fn acts(&self, env: &Env, world: &World, e: &Expr) -> bool {
        operands::has_effects(e) || self.overloads(env, world, e, 32)
    }

    /// Whether an expression uses an operator that the unit defines.
    fn overloads(&self, env: &Env, world: &World, e: &Expr, depth: u32) -> bool {
        if !self.survey.facts.overloads_any() || depth == 0 {
            return false;
        }
        let mut any = self.overload_of(env, world, e).is_some()
            || self.acting_overload(env, world, e).is_some();
        e.each_operand(&mut |c| any = any || self.overloads(env, world, c, depth - 1));
        any
    }

    /// The overloaded operator that a binary expression means, or may mean.
    fn overload_of(&self, env: &Env, world: &World, e: &Expr) -> Option<Overload> {
        let ExprKind::Binary(op, a, b) = &e.kind else {
            return None;
        };
        let overload = self.survey.facts.overload(op.symbol())?;
        let are_plain = self.is_plain(env, world, a) && self.is_plain(env, world, b);
        (!are_plain).then_some(overload)
    }

    /// The overloaded operator with one operand, or with subscripts, that an expression means, or may
    /// mean, where it may write something.
    fn acting_overload<'e>(
        &self,
        env: &Env,
        world: &World,
        e: &'e Expr,
    ) -> Option<(&'static str, &'e Expr, Overload)> {
        let (symbol, object) = self.survey.facts.acting(e)?;
        let overload = self.survey.facts.overload(symbol)?;
        (!self.is_plain(env, world, object)).then_some((symbol, object, overload))
    }

    /// Calls an overloaded operator: what it gives is not known.
    fn call_overload(
        &mut self,
        env: &Env,
        world: &mut World,
        overload: Overload,
        (op, left, right): (BinaryOp, &Expr, &Expr),
    ) {
        self.in_any_order(env, world, &[left, right]);
        let operands = [(left, overload.left), (right, overload.right)];
        self.operator_effects(world, op.symbol(), &operands);
    }

    /// What operators of the unit may do: to variables of namespaces, and to the operands that they write.
    fn operator_effects(&mut self, world: &mut World, symbol: &str, operands: &[(&Expr, bool)]) {
        let mut writes = reaching::Writes::default();
        writes.calls.insert(ast::Name::from(symbol));
        self.forget_called(world, &writes);
        for (operand, _) in operands.iter().filter(|(_, is_written)| *is_written) {
            self.hand_over_exposed(world, operand);
        }
    }

    /// An expression whose packs are written out.
    fn without_packs(&self, env: &Env, e: &Expr) -> Option<Expr> {
        let has_pack = |all: &[Expr]| all.iter().any(|a| matches!(a.kind, ExprKind::Expand(_)));
        let kind = match &e.kind {
            ExprKind::Fold { .. } => return self.unfolded(env, e),
            ExprKind::Call { callee, arguments } if has_pack(arguments) => ExprKind::Call {
                callee: callee.clone(),
                arguments: self.expanded(env, arguments).into_owned(),
            },
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } if has_pack(arguments) => ExprKind::Launch {
                callee: callee.clone(),
                config: config.clone(),
                arguments: self.expanded(env, arguments).into_owned(),
            },
            ExprKind::Construct { ty, arguments } if has_pack(arguments) => ExprKind::Construct {
                ty: ty.clone(),
                arguments: self.expanded(env, arguments).into_owned(),
            },
            _ => return None,
        };
        let is_left = match &kind {
            ExprKind::Call { arguments, .. }
            | ExprKind::Launch { arguments, .. }
            | ExprKind::Construct { arguments, .. } => has_pack(arguments),
            _ => false,
        };
        (!is_left).then_some(Expr {
            kind,
            range: e.range,
        })
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn evaluate_deep(&mut self, env: &Env, world: &mut World, e: &Expr) -> Option<Value> {
        if let Some(plain) = self.without_packs(env, e) {
            return self.evaluate(env, world, &plain);
        }
        if let ExprKind::Binary(op, a, b) = &e.kind
            && let Some(overload) = self.overload_of(env, world, e)
        {
            self.call_overload(env, world, overload, (*op, a, b));
            return None;
        }
        if let Some((symbol, object, overload)) = self.acting_overload(env, world, e) {
            let mut parts = Vec::new();
            e.each_operand(&mut |c| parts.push(c));
            self.in_any_order(env, world, &parts);
            let mut operands = vec![(object, overload.left)];
            let given = parts.iter().filter(|c| !std::ptr::eq(**c, object));
            operands.extend(given.map(|c| (*c, overload.right)));
            self.operator_effects(world, symbol, &operands);
            return None;
        }
        match &e.kind {
            ExprKind::Assign(op, place, value) => self.assign(env, world, *op, place, value),
            ExprKind::Unary(op, inner) if op.is_step() => {
                let up = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
                if self.acts(env, world, inner) {
                    self.effects(env, world, inner);
                    self.forget_place(world, inner);
                    return None;
                }
                let old = self.value(env, world, inner);
                let new = old.as_ref().and_then(|v| consteval::step(v, up));
                self.move_behind(env, world, inner);
                self.write(env, world, inner, new.clone());
                let is_before = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
                if is_before { old } else { new }
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                let all: Vec<&Expr> = config.iter().chain(arguments).collect();
                let mut seen = self.in_any_order(env, world, &all);
                self.record(env, &mut seen, callee, config, arguments, e.range);
                // A kernel may write through managed memory.
                for inner in arguments.iter().filter_map(operands::address_of) {
                    self.forget_place(world, inner);
                }
                None
            }
            ExprKind::Call { callee, arguments } => self.call(env, world, e, callee, arguments),
            ExprKind::Binary(BinaryOp::Comma, a, b) => {
                self.effects(env, world, a);
                let value = self.evaluate(env, world, b);
                value.filter(|_| !self.names.declares_operator(","))
            }
            ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), a, b) => {
                let decisive = *op == BinaryOp::LogicalOr;
                let truth = |known: bool| Some(Value::int(i64::from(known), Scalar::Bool));
                let left = self.evaluate(env, world, a).and_then(|v| v.as_bool());
                match left {
                    Some(left) if left == decisive => truth(left),
                    Some(_) => truth(self.evaluate(env, world, b)?.as_bool()?),
                    None => {
                        let mut taken = world.clone();
                        let right = self.evaluate(env, &mut taken, b).and_then(|v| v.as_bool());
                        *world = join(world, &taken);
                        right.filter(|r| *r == decisive).and_then(truth)
                    }
                }
            }
            ExprKind::Conditional(c, a, b) => {
                let known = self.evaluate(env, world, c).and_then(|v| v.as_bool());
                match known {
                    Some(true) => self.evaluate(env, world, a),
                    Some(false) => self.evaluate(env, world, b),
                    None => {
                        let mut other = world.clone();
                        let x = self.evaluate(env, world, a);
                        let y = self.evaluate(env, &mut other, b);
                        *world = join(world, &other);
                        x.filter(|x| y.as_ref() == Some(x))
                    }
                }
            }
            ExprKind::Binary(BinaryOp::Shr, a, b) if operands::is_lvalue(b) => {
                let stream =
                    scope::type_with(self.names, env, a, &|n| world.get(n).map(|s| s.ty.clone()));
                if stream.is_integer() {
                    let mut seen = self.in_any_order(env, world, &[a, b]);
                    return self.value(env, &mut seen, e);
                }
                self.effects(env, world, a);
                self.effects(env, world, b);
                self.forget_place(world, b);
                None
            }
            // It may run any number of times, whoever has it.
            ExprKind::Lambda(l) => {
                self.run_captures(env, world, l);
                self.run_lambda(env, world, l);
                self.value(env, world, e)
            }
            _ if operands::is_unread(e) => {
                forget_all(world);
                None
            }
            _ => {
                let mut parts = Vec::new();
                e.each_operand(&mut |c| parts.push(c));
                let mut seen = self.in_any_order(env, world, &parts);
                self.value(env, &mut seen, e)
            }
        }
    }

    /// Applies the side effects of operands whose order is open. Gives what is known while any of them
    /// is read: what no effect changes.
    pub fn in_any_order(&mut self, env: &Env, world: &mut World, parts: &[&Expr]) -> World {
        if !parts.iter().any(|e| self.acts(env, world, e)) {
            return world.clone();
        }
        let acting: Vec<&Expr> = parts
            .iter()
            .copied()
            .filter(|e| self.acts(env, world, e))
            .collect();
        if acting.is_empty() {
            return world.clone();
        }
        let before = world.clone();
        let mut seen = before.clone();
        let is_outermost = acting.len() > 1 && !std::mem::replace(&mut self.is_in_each_order, true);
        for e in &acting {
            self.effects(env, world, e);
            seen = join(&seen, world);
        }
        if is_outermost {
            let mut other = before;
            for e in acting.iter().rev() {
                self.effects(env, &mut other, e);
                seen = join(&seen, &other);
            }
            *world = join(world, &other);
            self.is_in_each_order = false;
        } else if acting.len() > 1 {
            forget(world, &self.survey.writes(&[], &acting));
            seen = join(&seen, world);
        }
        seen
    }

    /// What an assignment operator of the unit may do to more than its left operand.
    fn assignment_effects(
        &mut self,
        env: &Env,
        world: &mut World,
        op: Option<BinaryOp>,
        place: &Expr,
        value: &Expr,
    ) {
        let symbol = assignment_symbol(op);
        let Some(overload) = self.survey.facts.overload(&symbol) else {
            return;
        };
        if self.is_plain(env, world, place) {
            return;
        }
        self.operator_effects(world, &symbol, &[(value, overload.right)]);
    }

    /// Whether an operand is of no class, so that operators mean the language's own.
    fn is_plain(&self, env: &Env, world: &World, e: &Expr) -> bool {
        let ty = self.argument_type(env, world, e);
        matches!(
            ty.strip_reference(),
            Type::Scalar(_, _) | Type::Pointer(_) | Type::Array(..)
        )
    }

    /// A number that is not known makes a `dim3` all the same whose other sides are 1.
    pub fn shape_of_number(&self, at: &Env, world: &World, ty: &Type, e: &Expr) -> Option<Value> {
        let ty = ty.strip_reference();
        let is_shape = matches!(ty, Type::Vector { name: "dim3", .. });
        let is_number = || {
            let of = self.argument_type(at, world, e);
            matches!(of.strip_reference(), Type::Scalar(..))
        };
        let makes_shape = is_shape && is_number();
        makes_shape.then(|| consteval::construct(self.names, ty, vec![None]))?
    }

    /// The type of `config.gridDim`.
    fn type_in_config(&self, env: &Env, world: &World, place: &Expr) -> Option<Type> {
        let ExprKind::Member { object, member, .. } = &place.kind else {
            return None;
        };
        let of = self.argument_type(env, world, object);
        let is_config =
            matches!(of.strip_reference(), Type::Opaque(n) if n.starts_with("cudaLaunchConfig_t"));
        let name = &member.segments.last()?.name;
        let is_shape = matches!(&**name, "gridDim" | "blockDim");
        (is_config && is_shape).then(|| types::known("dim3"))?
    }

    fn assign(
        &mut self,
        env: &Env,
        world: &mut World,
        op: Option<BinaryOp>,
        place: &Expr,
        value: &Expr,
    ) -> Option<Value> {
        // The value comes first, then the place.
        let is_plain = !self.acts(env, world, place);
        let is_whole = matches!(&place.kind, ExprKind::Path(p) if p.segments.len() == 1);
        let ty = operands::root_of(place)
            .and_then(|n| world.get(n))
            .map_or_else(|| Type::unknown("no variable"), |s| s.ty.clone());
        let mut new = self.evaluate(env, world, value);
        self.assignment_effects(env, world, op, place, value);
        if let Some(op) = op {
            let old = self.value(env, world, place);
            new = old.as_ref().zip(new.as_ref()).and_then(|(old, by)| {
                let sum = consteval::binary(op, old, by)?;
                match old.ty() {
                    Some(Type::Scalar(s, _)) => sum.convert(s),
                    _ => Some(sum),
                }
            });
        }
        if new.is_none() && is_whole && matches!(ty, Type::Pointer(_)) {
            new = match op {
                Some(op) => Some(Value::Pointer {
                    offset: self.moved_by(env, world, place, op, value),
                    pointee: Pointee::of(ty.element().unwrap_or(&Type::Void)),
                    is_assumed: true,
                }),
                None => self.pointer_value(env, world, &ty, value),
            };
        }
        if new.is_none() && op.is_none() {
            let ty = self.type_in_config(env, world, place);
            let ty = ty.unwrap_or_else(|| self.argument_type(env, world, place));
            new = self.shape_of_number(env, world, &ty, value);
        }
        if !is_plain {
            self.effects(env, world, place);
            self.forget_place(world, place);
            return None;
        }
        if is_whole && matches!((&ty, &new), (Type::Unknown(_), Some(Value::List(_)))) {
            new = None;
        }
        // A class may assign as it likes.
        if let Type::Record(r) = &ty
            && !self.names.methods(r, "=").is_empty()
        {
            new = None;
        }
        let is_moved =
            !matches!(&new, Some(Value::Pointer { offset, .. }) if *offset == Residue::ZERO);
        if is_moved {
            self.move_behind(env, world, place);
        }
        let may_hold = is_whole && op.is_none() && Self::may_hold_kernel(&ty, new.as_ref());
        let picked = if may_hold {
            self.picked(env, world, value)
        } else {
            None
        };
        self.write(env, world, place, new);
        if let (Some(picked), Some(slot)) = (
            picked,
            operands::root_of(place).and_then(|name| world.get_mut(name)),
        ) && !slot.is_escaped
        {
            slot.may_hold = Some(picked.into());
        }
        // What the place then holds, in its own type.
        if is_whole {
            self.value(env, world, place)
        } else {
            None
        }
    }

    /// A pointer is moved that may be any of those that somebody else may write: none of them is taken
    /// for the start of its allocation any more.
    fn move_behind(&self, env: &Env, world: &mut World, place: &Expr) {
        let is_direct = match &place.kind {
            ExprKind::Path(p) => {
                let slot = p.segments.last().and_then(|s| world.get(&s.name));
                !slot.is_some_and(|s| matches!(s.ty, Type::Reference(_)))
            }
            ExprKind::Unary(UnaryOp::Deref, _) => false,
            _ => true,
        };
        if is_direct
            || !matches!(
                self.argument_type(env, world, place).strip_reference(),
                Type::Pointer(_)
            )
        {
            return;
        }
        for slot in world.slots.iter_mut().filter(|s| s.is_escaped) {
            forget_slot(slot, true);
        }
    }

    /// Gives a place a value.
    pub fn write(&mut self, env: &Env, world: &mut World, place: &Expr, value: Option<Value>) {
        let is_qualified =
            matches!(&place.kind, ExprKind::Path(p) if p.is_global || p.segments.len() > 1);
        let is_known = !is_qualified
            && matches!(
                place.kind,
                ExprKind::Path(_) | ExprKind::Member { .. } | ExprKind::Index(..)
            );
        if is_known && consteval::assign(self.names, env, world, place, value) {
            return;
        }
        for root in operands::roots_of(place) {
            for slot in world.slots.iter_mut().filter(|s| s.name == root) {
                forget_slot(slot, true);
                if !matches!(slot.value, Some(Value::Pointer { .. })) {
                    slot.value = None;
                }
            }
        }
    }

    pub fn forget_place(&self, world: &mut World, place: &Expr) {
        for root in operands::roots_of(place) {
            if let Some(slot) = world.get_mut(&root)
                && !slot.is_const
            {
                forget_slot(slot, false);
            }
        }
    }

    /// Somebody may write the places that an expression leads to from here on.
    pub fn hand_over_exposed(&self, world: &mut World, e: &Expr) {
        let mut exposed = Vec::new();
        self.survey.facts.exposed(e, &mut exposed, 64);
        for place in exposed {
            self.hand_over(world, place);
        }
    }

    /// Somebody may write a place from here on.
    pub fn hand_over(&self, world: &mut World, place: &Expr) {
        for root in operands::roots_of(place) {
            if let Some(slot) = world.get_mut(&root) {
                escape(slot);
            }
        }
    }

    /// Forgets the variables of namespaces that called functions may write.
    pub fn forget_called(&mut self, world: &mut World, writes: &reaching::Writes) {
        let globals = self.globals.min(world.slots.len());
        if globals == 0 {
            return;
        }
        for name in &writes.calls {
            let written = self.survey.writes_of(name).clone();
            for slot in &mut world.slots[..globals] {
                if written.contains(&slot.name) {
                    forget_slot(slot, true);
                }
            }
            if self.survey.is_elsewhere(name) {
                self.forget_visible(world);
            }
        }
    }

    /// Forgets the variables of namespaces that other files can see.
    pub fn forget_visible(&self, world: &mut World) {
        for (slot, is_visible) in world.slots.iter_mut().zip(&self.visible) {
            if *is_visible {
                forget_slot(slot, true);
            }
        }
    }

    pub fn argument_type(&self, at: &Env, world: &World, a: &Expr) -> Type {
        let with_variables;
        let at = if names_template(a) {
            with_variables = self.env_of(at, world);
            &with_variables
        } else {
            at
        };
        // `std::integral_constant<int, 32>()` reads like a call.
        if let ExprKind::Call { callee, arguments } = &a.kind
            && let ExprKind::Path(p) = &callee.kind
            && arguments.is_empty()
            && operands::may_be_of_library(p)
            && p.segments
                .last()
                .is_some_and(|s| s.name.ends_with("_constant"))
        {
            let named = ast::TypeExpr::named(p.clone());
            let ty = scope::resolve_type(self.names, at, &named);
            if matches!(ty, Type::Opaque(_)) {
                return ty;
            }
        }
        scope::type_with(self.names, at, a, &|n| world.get(n).map(|s| s.ty.clone()))
    }

    pub fn argument_value(&self, env: &Env, world: &mut World, a: &Expr) -> Option<Value> {
        if let Some(v) = self.value(env, world, a) {
            return Some(v);
        }
        let ty = self.argument_type(env, world, a);
        self.pointer_value(env, world, &ty.decay(), a)
    }
}
