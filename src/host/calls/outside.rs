//! Calls of functions whose body is not followed: the library's, and unknown ones, which may write what they are given.

use super::super::operands;
use super::super::walk::{Walk, World};
use super::super::worlds::{forget, forget_slot};
use super::GivenTo;
use crate::ir::residue::Residue;
use crate::sema::consteval::{Pointee, Slot, Value};
use crate::sema::scope::{Callee, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, ExprKind, TypeKind};

impl Walk<'_, '_> {
    /// Kernels among arguments of somebody who is not followed: he may launch them.
    pub(super) fn give_away(
        &mut self,
        env: &Env,
        world: &mut World,
        arguments: &[Expr],
        range: ast::Range,
    ) {
        for a in arguments {
            if let Some(Value::Function(f)) = self.value(env, world, a) {
                let kernels = f.candidates.iter().map(|c| &c.function);
                for kernel in kernels.filter(|k| k.attributes.global && k.body.is_some()) {
                    let given = "the function that gets the kernel is not followed";
                    let launch =
                        super::super::unseen_launches::open(self.names, kernel, range, true, given);
                    self.out.host.push(launch);
                }
            }
        }
    }

    /// A call of nobody knows what.
    pub fn call_unknown(
        &mut self,
        env: &Env,
        world: &mut World,
        arguments: &[Expr],
        range: ast::Range,
    ) {
        self.give_away(env, world, arguments, range);
        for a in arguments {
            if let Some(Value::Function(f)) = self.value(env, world, a) {
                f.candidates.iter().for_each(|c| self.lose(&c.function));
            }
        }
        self.forget_visible(world);
        self.forget_arguments(env, world, arguments, "", GivenTo::Object);
    }

    pub fn library_call(
        &mut self,
        env: &Env,
        world: &mut World,
        name: &ast::Name,
        arguments: &[Expr],
    ) {
        match &**name {
            // `cuModuleGetFunction(&function, module, "name")`
            "cuModuleGetFunction" | "hipModuleGetFunction" => {
                if let [target, _, text] = arguments
                    && let Some(inner) = operands::address_of(target)
                    && let Some(slot) = operands::root_of(inner)
                        .cloned()
                        .and_then(|n| world.get_mut(&n))
                    && !slot.is_escaped
                {
                    slot.value = match &text.kind {
                        ExprKind::Str(s) => Some(Value::Str(s.clone())),
                        _ => None,
                    };
                }
            }
            "swap" => {
                if let [a, b] = arguments {
                    let values = [
                        self.argument_value(env, world, b),
                        self.argument_value(env, world, a),
                    ];
                    for (place, value) in [a, b].into_iter().zip(values) {
                        self.write(env, world, place, value);
                    }
                }
            }
            name if operands::allocates(name) => {
                let target = arguments.first().and_then(operands::address_of);
                if let Some(place) = target {
                    let ty = self.argument_type(env, world, place);
                    let fresh = match ty.strip_reference() {
                        Type::Pointer(to) => Some(Value::Pointer {
                            offset: Residue::ZERO,
                            pointee: Pointee::of(to),
                            is_assumed: false,
                        }),
                        _ => None,
                    };
                    self.write(env, world, place, fresh);
                }
            }
            // What takes the result is told of by its own call.
            name if operands::passes_on(name)
                && arguments.iter().all(|a| self.is_number(env, world, a)) => {}
            _ => {
                self.forget_arguments(env, world, arguments, name, GivenTo::Function);
                if !operands::takes_values(name) {
                    self.forget_visible(world);
                }
            }
        }
    }

    /// Forgets what a function that is not visible may write through its arguments.
    pub fn forget_arguments(
        &mut self,
        env: &Env,
        world: &mut World,
        arguments: &[Expr],
        name: &str,
        to: GivenTo,
    ) {
        self.lose_functors(env, world, arguments);
        let is_method = to != GivenTo::Function;
        let only_reads = name.starts_with("cudaMemcpyToSymbol")
            || name.starts_with("hipMemcpyToSymbol")
            || matches!(name, "fwrite" | "puts")
            || name == "printf" && arguments.first().is_some_and(only_prints)
            || name == "fprintf" && arguments.get(1).is_some_and(only_prints);
        if only_reads && !is_method {
            return;
        }
        let is_known =
            operands::takes_values(name) && !is_method && !operands::takes_places(name, false);
        let keeps = is_method || operands::keeps_addresses(name);
        let writes_first =
            name.contains("emcpy") || matches!(name, "memset" | "memmove" | "cudaMemset");
        for (i, a) in arguments.iter().enumerate() {
            if let Some(inner) = operands::address_of(a) {
                if !writes_first || i == 0 || keeps {
                    if keeps {
                        self.hand_over(world, inner);
                    } else {
                        self.forget_place(world, inner);
                    }
                }
                continue;
            }
            let held = self.value(env, world, a);
            if let Some(Value::Lambda(l)) = &held {
                let writes = self.writes_of_lambda(&l.lambda);
                forget(world, &writes);
                self.forget_called(world, &writes);
            }
            self.lose_lambdas(&[held]);
            if !operands::is_lvalue(a) {
                if !is_known {
                    self.hand_over_exposed(world, a);
                }
                continue;
            }
            let is_list = self.holds_array(env, world, a);
            if !is_known {
                // A container takes copies of what it is given.
                let refers =
                    |s: &Slot| matches!(&s.ty, Type::Opaque(n) if n.contains("reference_wrapper"));
                let takes_copies = to == GivenTo::Container
                    && !is_list
                    && !self.survey.facts.has_referring()
                    && !world.slots.iter().any(refers)
                    && matches!(
                        name,
                        "push_back" | "insert" | "resize" | "assign" | "push" | "reserve"
                    );
                if !takes_copies {
                    self.hand_over(world, a);
                }
            } else if is_list
                && matches!(a.kind, ExprKind::Path(_) | ExprKind::Member { .. })
                && (!writes_first || i == 0)
                && !name.starts_with("make_")
            {
                self.forget_place(world, a);
            }
        }
    }
}

/// Whether an argument is the format of what prints alone: `%n` writes a number.
fn only_prints(argument: &Expr) -> bool {
    let ExprKind::Str(format) = &argument.kind else {
        return false;
    };
    let mut conversions = format.split('%').skip(1);
    !conversions.any(|one| {
        let kind = one.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let kind = kind.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L', 'q']);
        kind.starts_with('n')
    })
}

pub(super) fn points_to_const(candidates: &[Callee], i: usize) -> bool {
    !candidates.is_empty()
        && candidates
            .iter()
            .all(|c| match c.function.parameters.get(i).map(|p| &p.ty.kind) {
                Some(TypeKind::Pointer { to, .. }) => to.is_const,
                _ => false,
            })
}

/// A pointer was moved by somebody else.
pub(super) fn forget_moved(world: &mut World, place: &Expr) {
    for root in operands::roots_of(place) {
        if let Some(slot) = world.get_mut(&root) {
            forget_slot(slot, true);
        }
    }
}
