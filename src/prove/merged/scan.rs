//! The order of accesses: where those of a kernel stand among its statements.
//!
//! Given a kernel; tells which of its accesses run one after the other, in which branches and loops, and
//! which loops nothing leaves early.

use crate::ir::{
    Block, BuiltinValue, Expr, ExprId, Kernel, Object, ParameterKind, SiteId, Stmt, Stops, Value,
    VarId, visit,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where an access stands among the statements.
pub(super) struct Spot {
    /// Number of the access in its kernel, in the order of the text.
    pub order: u32,
    /// Accesses of one segment run one after the other, whatever the conditions are.
    pub segment: u32,
    /// Branches and loops around it, outermost first: an earlier access whose list begins this one runs
    /// before it, always.
    pub arms: Vec<u32>,
    /// The loops around it, outermost first, by their place in [`Scan::loops`].
    pub loops: Vec<usize>,
}

/// The contents of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopScan {
    /// The accesses from the first of these up to the second.
    pub accesses: (u32, u32),
    /// No lane leaves it early, and nothing in it orders memory.
    pub is_plain: bool,
    /// The compiler may know how often it runs: no number that only a launch tells has a say in that.
    pub is_unrolled: bool,
    /// What keeps accesses apart and stands in it.
    pub stops: Stops,
    /// There is no other loop in it.
    pub is_innermost: bool,
}

/// The accesses of a kernel by their place in its statements.
#[derive(Default)]
pub(super) struct Scan {
    pub spots: FxHashMap<SiteId, Spot>,
    pub loops: Vec<LoopScan>,
    open: Vec<usize>,
    order: u32,
    segment: u32,
    arms: Vec<u32>,
    arms_seen: u32,
    /// The `if` that each branch is of, by the number of the branch.
    branch_of: FxHashMap<u32, u32>,
    /// Branches around the present place, within the innermost loop.
    branches: u32,
    /// How many accesses stand before each statement that nothing is moved or remembered across.
    barriers: Vec<u32>,
    /// The condition of each loop, in the order of `loops`.
    conditions: Vec<ExprId>,
}

impl Scan {
    pub fn of(kernel: &Kernel) -> Self {
        let mut scan = Self::default();
        scan.block(kernel, &kernel.body);
        if !scan.loops.is_empty() {
            let told = LaunchValues::of(kernel);
            for (one, condition) in scan.loops.iter_mut().zip(&scan.conditions) {
                one.is_unrolled = !told.has_a_say(kernel, *condition);
            }
        }
        scan
    }

    /// Whether two accesses stand in the two branches of one `if`.
    pub fn are_branches_of_one(&self, one: &Spot, other: &Spot) -> bool {
        let mut both = one.arms.iter().zip(&other.arms);
        let parting = both.find(|(one, other)| one != other);
        parting.is_some_and(|(one, other)| {
            let of = (self.branch_of.get(one), self.branch_of.get(other));
            of.0.is_some() && of.0 == of.1
        })
    }

    /// Whether anything stands between two accesses, given by their order, that may change what memory holds.
    pub fn is_stopped(&self, first: u32, second: u32) -> bool {
        let mut barriers = self.barriers.iter();
        barriers.any(|at| (first + 1..=second).contains(at))
    }

    fn note_site(&mut self, site: SiteId) {
        let spot = Spot {
            order: self.order,
            segment: self.segment,
            arms: self.arms.clone(),
            loops: self.open.clone(),
        };
        self.order += 1;
        self.spots.insert(site, spot);
    }

    fn end_segment(&mut self) {
        self.segment += 1;
    }

    /// Goes through statements that do not run whenever those around them do.
    fn arm(&mut self, kernel: &Kernel, blocks: &[&Block]) {
        self.arms_seen += 1;
        self.arms.push(self.arms_seen);
        for block in blocks {
            self.block(kernel, block);
        }
        self.arms.pop();
        self.end_segment();
    }

    fn leave_loops(&mut self) {
        for open in &self.open {
            self.loops[*open].is_plain = false;
        }
        self.end_segment();
    }

    fn block(&mut self, kernel: &Kernel, block: &Block) {
        for statement in block {
            self.statement(kernel, statement);
        }
    }

    fn statement(&mut self, kernel: &Kernel, statement: &Stmt) {
        match statement {
            Stmt::Load { site, .. }
            | Stmt::Store { site, .. }
            | Stmt::Atomic { site, .. }
            | Stmt::Matrix { site, .. }
            | Stmt::OpaqueAccess { site, .. } => self.note_site(*site),
            Stmt::If {
                then, otherwise, ..
            } => {
                if matters(then) || matters(otherwise) {
                    self.branches += 1;
                    self.end_segment();
                    let both = self.arms_seen + 1;
                    for branch in [then, otherwise] {
                        self.branch_of.insert(self.arms_seen + 1, both);
                        self.arm(kernel, &[branch]);
                    }
                    self.branches -= 1;
                }
            }
            Stmt::Loop(one) => {
                self.end_segment();
                let branches = std::mem::take(&mut self.branches);
                let number = self.loops.len();
                self.loops.push(LoopScan {
                    accesses: (self.order, self.order),
                    is_plain: true,
                    is_unrolled: true,
                    stops: one.stops,
                    is_innermost: true,
                });
                if let Some(outer) = self.open.last() {
                    self.loops[*outer].is_innermost = false;
                }
                self.conditions.push(one.condition);
                self.open.push(number);
                self.arm(kernel, &[&one.prelude, &one.body, &one.step]);
                self.open.pop();
                self.loops[number].accesses.1 = self.order;
                self.branches = branches;
            }
            Stmt::Labelled { body, .. } => self.block(kernel, body),
            Stmt::Exit(_) if self.branches == 0 => {}
            // What a function of a library gives, as an object.
            Stmt::Opaque {
                variables,
                pointers,
                ..
            } if variables.is_empty() && makes_object(kernel, pointers) => {
                self.barriers.push(self.order);
            }
            // NVVM puts nothing together across what lanes do together (seen in the SASS of CUDA 13.0 for sm_90).
            Stmt::Exit(_)
            | Stmt::Return
            | Stmt::Barrier { .. }
            | Stmt::Collective { .. }
            | Stmt::Opaque { .. } => {
                if !matches!(statement, Stmt::Exit(_) | Stmt::Return) {
                    self.barriers.push(self.order);
                }
                self.leave_loops();
            }
            Stmt::Assign { .. } | Stmt::Assume { .. } => {}
        }
    }
}

/// Whether all that a statement writes are objects of the thread's own.
fn makes_object(kernel: &Kernel, pointers: &[ExprId]) -> bool {
    let mut own = pointers.iter().map(|pointer| local(kernel, *pointer));
    !pointers.is_empty() && own.all(|object| object.is_some())
}

/// Whether a branch is more than a choice of values.
fn matters(block: &Block) -> bool {
    let mut found = false;
    visit::statements(block, &mut |statement| {
        found |= !matches!(
            statement,
            Stmt::Assign { .. } | Stmt::Assume { .. } | Stmt::If { .. } | Stmt::Labelled { .. }
        );
    });
    found
}

/// Variables and local objects that may hold what only a launch tells: sizes of the block and of the grid,
/// numbers that are arguments, what is computed from them, and what stands in memory that others write.
struct LaunchValues(FxHashSet<VarId>);

/// Where the value of a variable or local object may come from.
enum Source {
    Value(ExprId),
    /// The bytes of an object.
    Object(VarId),
    /// The memory that this points to.
    Memory(ExprId),
}

impl LaunchValues {
    fn of(kernel: &Kernel) -> Self {
        let arguments = kernel.parameters.iter().filter(|parameter| {
            matches!(
                parameter.kind,
                ParameterKind::Scalar(_) | ParameterKind::Object { .. }
            )
        });
        let mut told = Self(arguments.map(|argument| argument.variable).collect());
        let mut values: Vec<(VarId, Source)> = Vec::new();
        visit::statements(&kernel.body, &mut |statement| match statement {
            Stmt::Assign { variable, value } => values.push((*variable, Source::Value(*value))),
            Stmt::Load {
                target, pointer, ..
            } => values.push((*target, Source::Memory(*pointer))),
            Stmt::Store { pointer, value, .. } => {
                if let Some(object) = local(kernel, *pointer) {
                    let source = match *value {
                        Value::Scalar(value) => Source::Value(value),
                        Value::Object(other) => Source::Object(other),
                    };
                    values.push((object, source));
                }
            }
            _ => {}
        });
        // A variable may be written before what it is made of is seen.
        loop {
            let before = values.len();
            values.retain(|(variable, source)| {
                let is_told = match *source {
                    Source::Value(value) => told.has_a_say(kernel, value),
                    Source::Object(object) => told.0.contains(&object),
                    Source::Memory(pointer) => {
                        local(kernel, pointer).is_none_or(|object| told.0.contains(&object))
                    }
                };
                if is_told {
                    told.0.insert(*variable);
                }
                !is_told
            });
            if values.len() == before {
                return told;
            }
        }
    }

    fn has_a_say(&self, kernel: &Kernel, value: ExprId) -> bool {
        let mut found = false;
        visit::each_part(kernel, value, &mut |part| {
            found |= match part {
                Expr::Var(variable) => self.0.contains(variable),
                Expr::Builtin(builtin) => {
                    matches!(
                        builtin,
                        BuiltinValue::BlockDim(_) | BuiltinValue::GridDim(_)
                    )
                }
                _ => false,
            };
        });
        found
    }
}

/// The local object that a pointer leads into.
pub(super) fn local(kernel: &Kernel, mut pointer: ExprId) -> Option<VarId> {
    loop {
        match kernel.expr(pointer) {
            Expr::Offset { pointer: base, .. } => pointer = *base,
            Expr::Address(Object::Local(object)) => return Some(*object),
            _ => return None,
        }
    }
}
