//! The machine instruction that each atomic becomes, as far as that depends on the kernel around it.
//!
//! Given: a lowered kernel. Gives: its atomics with [`Stmt::Atomic::instruction`] set, and
//! without a target where nobody uses the old value.
//! Does not know: what an instruction costs ([`crate::gpu::cost::shared_atomic`] does), launches,
//! or whether the address lies in shared memory.
//!
//! Uniform here means what the vendor's compiler can see: the same for all threads of a block,
//! whatever its shape. When in doubt a value is not uniform.

use crate::gpu::cost::SharedAtomic;

use super::visit::{self, each_part};
use super::{Block, BuiltinValue, Expr, ExprId, Kernel, Object, Scalar, Stmt, Value};

/// Decides for every atomic of the kernel.
pub(crate) fn decide(kernel: &mut Kernel) {
    let mut has_atomic = false;
    visit::statements(&kernel.body, &mut |stmt| {
        has_atomic |= matches!(stmt, Stmt::Atomic { .. });
    });
    if !has_atomic {
        return;
    }
    let used = used(kernel);
    let facts = Facts::of(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    visit::statements_mut(&mut body, &mut |stmt| {
        let Stmt::Atomic {
            target,
            pointer,
            op,
            operands,
            ty,
            instruction,
            ..
        } = stmt
        else {
            return;
        };
        *target = target.filter(|variable| used[variable.index()]);
        let place = AtomicUse {
            is_uniform: !facts.varies(kernel, *pointer),
            is_used: target.is_some(),
            is_one_value: operands
                .iter()
                .all(|operand| !facts.varies(kernel, *operand)),
            is_by_one: operands
                .last()
                .is_some_and(|operand| facts.is_one(kernel, *operand)),
        };
        *instruction = machine(op, *ty, &place);
    });
    kernel.body = body;
}

/// The surroundings of an atomic.
struct AtomicUse {
    /// Its address is uniform.
    is_uniform: bool,
    /// Something depends on the old value.
    is_used: bool,
    /// Its operands are uniform.
    is_one_value: bool,
    is_by_one: bool,
}

/// The instruction behind an atomic on shared memory; `None` for a loop of a load and a
/// compare-and-swap, which floats and 64-bit integers take.
///
/// Source: the machine code that the compiler of CUDA 13.0 makes for 8.0 to 10.0, counted on
/// 9.0 (`sm_90-h200-probes.json`; `sm_90-h200.json`, lines of `atomic_counter.cu` and
/// `atomic_sum.cu`).
fn machine(op: &str, ty: Scalar, place: &AtomicUse) -> Option<SharedAtomic> {
    // `atomicAdd_block` and `atomicAdd_system` are the same instruction.
    let op = op.split('_').next().unwrap_or(op);
    if op == "atomicCAS" {
        return Some(SharedAtomic::CompareAndSwap);
    }
    if matches!(ty, Scalar::Bytes(_)) {
        return None;
    }
    if op == "atomicExch" {
        return Some(SharedAtomic::Native);
    }
    if !ty.is_integer() || ty.size() == 8 {
        return None;
    }
    let is_combined = matches!(
        op,
        "atomicAdd"
            | "atomicSub"
            | "atomicMin"
            | "atomicMax"
            | "atomicAnd"
            | "atomicOr"
            | "atomicXor"
    );
    let is_add = op == "atomicAdd";
    // The lane that adds for all can hand out the old values only where all add the same.
    let is_easy = !place.is_used || is_add && place.is_one_value;
    Some(if is_add && place.is_by_one && !place.is_used {
        SharedAtomic::Increment
    } else if is_combined && place.is_uniform && is_easy {
        SharedAtomic::Combined
    } else {
        SharedAtomic::Native
    })
}

/// Variables on which something depends: an address, a condition, or a value that leaves.
fn used(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.variables.len()];
    loop {
        let before = used.iter().filter(|used| **used).count();
        visit::statements(&kernel.body, &mut |stmt| {
            let mut roots = Vec::new();
            match stmt {
                Stmt::Assign { variable, .. } if !used[variable.index()] => return,
                Stmt::Store {
                    value: Value::Object(object),
                    ..
                } => used[object.index()] = true,
                _ => {}
            }
            visit::each_evaluated(stmt, &mut |root| roots.push(root));
            for root in roots {
                each_part(kernel, root, &mut |expr| match expr {
                    Expr::Var(variable) | Expr::Address(Object::Local(variable)) => {
                        used[variable.index()] = true;
                    }
                    _ => {}
                });
            }
        });
        if used.iter().filter(|used| **used).count() == before {
            return used;
        }
    }
}

/// Facts about variables that hold whatever the order of statements.
struct Facts {
    /// May differ between the threads of a block.
    varies: Vec<bool>,
    /// May point to local memory, of which each thread has its own.
    is_local: Vec<bool>,
    /// The one value that is ever assigned.
    only: Vec<Option<ExprId>>,
    /// Has one value wherever it has any, whichever threads get there: an address that is taken once.
    is_constant: Vec<bool>,
}

impl Facts {
    fn of(kernel: &Kernel) -> Facts {
        let none = vec![false; kernel.variables.len()];
        let mut facts = Facts {
            varies: none.clone(),
            is_local: none.clone(),
            only: vec![None; kernel.variables.len()],
            is_constant: none,
        };
        let mut writes = vec![0_u32; kernel.variables.len()];
        for parameter in &kernel.parameters {
            writes[parameter.variable.index()] += 1;
        }
        visit::statements(&kernel.body, &mut |stmt| {
            visit::each_written(stmt, &mut |variable| {
                writes[variable.index()] += 1;
                facts.only[variable.index()] = match stmt {
                    Stmt::Assign { value, .. } if writes[variable.index()] == 1 => Some(*value),
                    _ => None,
                };
            });
        });
        for parameter in &kernel.parameters {
            let at = parameter.variable.index();
            facts.is_constant[at] = writes[at] == 1;
        }
        while facts.find_constants(kernel) {}
        while facts.spread(kernel, &kernel.body, false) {}
        facts
    }

    /// Whether another variable was found to be assigned one value that is made of constants.
    fn find_constants(&mut self, kernel: &Kernel) -> bool {
        let mut learnt = false;
        for at in 0..self.only.len() {
            let Some(value) = self.only[at].filter(|_| !self.is_constant[at]) else {
                continue;
            };
            let mut is_constant = true;
            each_part(kernel, value, &mut |expr| {
                is_constant &= match expr {
                    Expr::Var(variable) => self.is_constant[variable.index()],
                    Expr::Builtin(BuiltinValue::ThreadIdx(_))
                    | Expr::Unknown { .. }
                    | Expr::Address(Object::Local(_)) => false,
                    _ => true,
                };
            });
            self.is_constant[at] = is_constant;
            learnt |= is_constant;
        }
        learnt
    }

    /// Whether the value may differ between the threads of a block.
    fn varies(&self, kernel: &Kernel, id: ExprId) -> bool {
        let mut varies = false;
        each_part(kernel, id, &mut |expr| {
            varies |= match expr {
                Expr::Var(variable) => self.varies[variable.index()],
                Expr::Builtin(BuiltinValue::ThreadIdx(_)) | Expr::Unknown { .. } => true,
                _ => false,
            };
        });
        varies
    }

    fn is_local(&self, kernel: &Kernel, id: ExprId) -> bool {
        let mut is_local = false;
        each_part(kernel, id, &mut |expr| {
            is_local |= match expr {
                Expr::Var(variable) => self.is_local[variable.index()],
                Expr::Address(Object::Local(_)) => true,
                _ => false,
            };
        });
        is_local
    }

    fn is_one(&self, kernel: &Kernel, id: ExprId) -> bool {
        match kernel.expr(id) {
            Expr::Int { value, .. } => *value == 1,
            Expr::Cast { value, .. } => self.is_one(kernel, *value),
            Expr::Var(variable) => self.only[variable.index()].is_some_and(|value| {
                // One step: what is assigned once could be assigned from itself.
                matches!(kernel.expr(value), Expr::Int { value: 1, .. })
            }),
            _ => false,
        }
    }

    /// One pass over the statements; `apart`: some threads may pass them by. Whether anything
    /// was learnt.
    fn spread(&mut self, kernel: &Kernel, block: &Block, apart: bool) -> bool {
        let mut learnt = false;
        for stmt in block {
            let varies = match stmt {
                Stmt::Assign { variable, .. } if self.is_constant[variable.index()] => false,
                Stmt::Assign { variable, value } => {
                    if self.is_local(kernel, *value) && !self.is_local[variable.index()] {
                        self.is_local[variable.index()] = true;
                        learnt = true;
                    }
                    self.varies(kernel, *value)
                }
                Stmt::Load { pointer, .. } => {
                    self.varies(kernel, *pointer) || self.is_local(kernel, *pointer)
                }
                Stmt::If {
                    condition,
                    then,
                    otherwise,
                    ..
                } => {
                    let apart = apart || self.varies(kernel, *condition);
                    learnt |= self.spread(kernel, then, apart);
                    learnt |= self.spread(kernel, otherwise, apart);
                    continue;
                }
                Stmt::Loop(inner) => {
                    let leaves = [&inner.prelude, &inner.body, &inner.step]
                        .into_iter()
                        .any(|block| self.parts(kernel, block, apart));
                    let apart = apart || leaves || self.varies(kernel, inner.condition);
                    for block in [&inner.prelude, &inner.body, &inner.step] {
                        learnt |= self.spread(kernel, block, apart);
                    }
                    continue;
                }
                Stmt::Labelled { body, .. } => {
                    let apart = apart || self.parts(kernel, body, apart);
                    learnt |= self.spread(kernel, body, apart);
                    continue;
                }
                // What others write is another value for each thread.
                _ => true,
            };
            visit::each_written(stmt, &mut |variable| {
                let apart = apart && !self.is_constant[variable.index()];
                if (varies || apart) && !self.varies[variable.index()] {
                    self.varies[variable.index()] = true;
                    learnt = true;
                }
            });
        }
        learnt
    }

    /// Whether some threads may leave the block where others stay.
    fn parts(&self, kernel: &Kernel, block: &Block, apart: bool) -> bool {
        block.iter().any(|stmt| match stmt {
            Stmt::Exit(_) | Stmt::Return => apart,
            Stmt::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                let apart = apart || self.varies(kernel, *condition);
                self.parts(kernel, then, apart) || self.parts(kernel, otherwise, apart)
            }
            Stmt::Loop(inner) => {
                let apart = apart || self.varies(kernel, inner.condition);
                [&inner.prelude, &inner.body, &inner.step]
                    .into_iter()
                    .any(|block| self.parts(kernel, block, apart))
            }
            Stmt::Labelled { body, .. } => self.parts(kernel, body, apart),
            _ => false,
        })
    }
}
