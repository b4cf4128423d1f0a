//! Runs the statements of a kernel for one block, all threads in lock-step.
//!
//! Given the IR and memory, changes memory and hands each warp's requests to the
//! observer. Knows nothing of how a request's cost comes about, or of other blocks but
//! through global memory.

mod evaluate;
mod setup;
mod transfer;

use super::collective;
use super::exchange_masks::Partners;
use super::memory::{Global, Region};
use super::value::{Column, MAX_THREADS, Mask, Why, truth};
use super::{
    ConcreteLaunch, DivergentBarrier, Fault, FinalBuffer, Interval, Limit, SimOutcome, SimRequest,
    Unsupported,
};
use crate::gpu::WARP;
use crate::gpu::arch::Arch;
use crate::gpu::cost::Space;
use crate::ir::{
    Barrier, ExprId, Kernel, Loop, OpaqueOp, Program, Scalar, Stmt, VarId, VariableKind,
};
use crate::source::Span;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Statements that one block may run before it is taken to run forever.
const MAX_STATEMENTS: u64 = 1 << 20;
/// Bounds on nesting, so that no kernel can exhaust the stack.
const MAX_STATEMENT_DEPTH: u32 = 128;
const MAX_EXPRESSION_DEPTH: u32 = 512;

/// Why a block stopped early.
enum Ended {
    Unsupported(Unsupported),
    Fault(Fault),
    /// The limit that the launch set was reached: what was seen up to there stands.
    Limit,
}

impl From<Unsupported> for Ended {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

type SimResult<T> = Result<T, Ended>;

fn unsupported<T>(reason: impl Into<String>) -> SimResult<T> {
    Err(Unsupported::new(reason).into())
}

/// A scalar within a parameter: byte offset, type, value.
type Part = (u32, Scalar, u64);

pub(super) struct Simulation<'a> {
    kernel: &'a Kernel,
    arch: &'a Arch,
    observer: &'a mut dyn FnMut(&SimRequest),
    outcome: SimOutcome,
    /// Reasons of unknown values; [`Why`] counts from 1.
    reasons: Vec<Arc<str>>,
    global: Global,
    /// First address of each `__device__` and `__constant__` object.
    globals: Vec<Option<u64>>,
    /// The initial value of each parameter's variable.
    parameters: Vec<(VarId, Vec<Part>)>,
    /// Allocation of each buffer argument, in order, with its name.
    buffers: Vec<(String, usize)>,
    /// Offsets from the start of shared memory, and its size.
    shared_offsets: Vec<u64>,
    shared_size: u64,
    /// Offsets of object variables from the start of a thread's objects, and their size.
    local_offsets: Vec<Option<u64>>,
    local_size: u64,

    grid: [u32; 3],
    dimensions: [u32; 3],
    threads: usize,

    // State of the block that runs.
    block: [u32; 3],
    shared: Region,
    /// The objects of all threads, one thread's after another's.
    local: Region,
    variables: Vec<Column>,
    returned: Mask,
    /// Threads that left for each label and wait there.
    exits: Vec<Mask>,
    /// Who owes whom an exchange.
    partners: Partners,
    /// Barriers of the block, and of each warp, so far.
    barriers: u32,
    warp_barriers: Vec<u32>,
    statements: u64,
    limit: Option<Limit>,
    only: Option<Space>,
    /// Statements that ran, by where they are, and how many had run when the last one of them did.
    ran: FxHashSet<usize>,
    last_new: u64,
    depth: u32,
    /// Values of expressions within one statement, with the statement they are good for.
    memo: Vec<Option<(u64, Column)>>,
    generation: u64,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        kernel: &'a Kernel,
        program: &'a Program,
        launch: &'a ConcreteLaunch,
        arch: &'a Arch,
        observer: &'a mut dyn FnMut(&SimRequest),
    ) -> Result<Self, Unsupported> {
        let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
        let threads = usize::try_from(threads)
            .ok()
            .filter(|n| (1..=MAX_THREADS).contains(n));
        let threads = threads.ok_or_else(|| {
            Unsupported::new(format!("a block has between 1 and {MAX_THREADS} threads"))
        })?;
        if launch.grid.iter().map(|n| u128::from(*n)).product::<u128>() > u128::from(u64::MAX) {
            return Err(Unsupported::new("the grid is larger than any device runs"));
        }
        let mut simulation = Self {
            kernel,
            arch,
            observer,
            outcome: SimOutcome::default(),
            reasons: vec!["it was never written".into()],
            global: Global::default(),
            globals: Vec::new(),
            parameters: Vec::new(),
            buffers: Vec::new(),
            shared_offsets: Vec::new(),
            shared_size: 0,
            local_offsets: Vec::new(),
            local_size: 0,
            grid: launch.grid,
            dimensions: launch.block,
            threads,
            block: [0; 3],
            shared: Region::default(),
            local: Region::default(),
            variables: Vec::new(),
            returned: Mask::EMPTY,
            exits: Vec::new(),
            partners: Partners::default(),
            barriers: 0,
            warp_barriers: Vec::new(),
            statements: 0,
            limit: launch.limit,
            only: launch.only,
            ran: FxHashSet::default(),
            last_new: 0,
            depth: 0,
            memo: vec![None; kernel.exprs.len()],
            generation: 0,
        };
        simulation.lay_out(launch.dynamic_shared)?;
        simulation.bind(&launch.arguments)?;
        simulation.add_globals(program)?;
        Ok(simulation)
    }

    /// Notes that the warps of these threads waited for each other.
    fn order_warps(&mut self, active: &Mask) {
        for (warp, barriers) in self.warp_barriers.iter_mut().enumerate() {
            *barriers += u32::from(active.warp(warp) != 0);
        }
    }

    fn interval(&self, warp: usize) -> Interval {
        Interval {
            block: self.barriers,
            warp: self.warp_barriers.get(warp).copied().unwrap_or(0),
        }
    }

    pub(super) fn finish(mut self) -> SimOutcome {
        let buffers = std::mem::take(&mut self.buffers);
        for (name, index) in buffers.into_iter().filter(|_| self.limit.is_none()) {
            let region = std::mem::take(&mut self.global.allocations[index].region);
            let (bytes, known) = region.into_parts();
            self.outcome
                .buffers
                .push(FinalBuffer { name, bytes, known });
        }
        self.outcome
    }

    /// Breaks where the run has come to a fault.
    pub(super) fn run_block(&mut self, block: [u32; 3]) -> Result<ControlFlow<()>, Unsupported> {
        let all = Mask::first(self.threads);
        let unwritten = 1;
        self.block = block;
        self.barriers = 0;
        self.warp_barriers = vec![0; self.threads.div_ceil(WARP)];
        self.shared = Region::unknown(self.shared_size as usize, unwritten);
        self.local = Region::unknown(self.local_size as usize * self.threads, unwritten);
        self.variables = vec![Column::poison(all, unwritten); self.kernel.variables.len()];
        self.returned = Mask::EMPTY;
        self.exits = vec![Mask::EMPTY; self.kernel.labels as usize];
        self.partners = Partners::default();
        self.statements = 0;
        self.ran.clear();
        self.last_new = 0;
        self.depth = 0;
        for (variable, parts) in std::mem::take(&mut self.parameters) {
            self.set_parameter(variable, &parts);
            self.parameters.push((variable, parts));
        }
        match self.block(&self.kernel.body, all) {
            Ok(_) => {
                self.settle();
                Ok(ControlFlow::Continue(()))
            }
            Err(Ended::Unsupported(unsupported)) => Err(unsupported),
            Err(Ended::Fault(fault)) => {
                self.outcome.fault = Some(fault);
                Ok(ControlFlow::Break(()))
            }
            // Threads that owe an exchange might have made it yet.
            Err(Ended::Limit) => Ok(ControlFlow::Break(())),
        }
    }

    /// All threads meet: exchanges that lack a partner now will not get one.
    fn settle(&mut self) {
        for missed in self.partners.settle(&self.returned) {
            let known = &mut self.outcome.missed_exchanges;
            if known.iter().all(|known| known.span != missed.span) {
                known.push(missed);
            }
        }
    }

    fn local_offset(&self, variable: VarId) -> Option<u64> {
        self.local_offsets.get(variable.index()).copied().flatten()
    }

    /// Index into `self.local` of byte `at` of a thread's objects.
    fn local_at(&self, thread: usize, at: u64) -> usize {
        thread * self.local_size as usize + at as usize
    }

    /// The code of a reason, made once.
    fn why(&mut self, reason: &Arc<str>) -> Why {
        let known = self.reasons.iter().position(|known| known == reason);
        let index = known.unwrap_or_else(|| {
            if self.reasons.len() < usize::from(Why::MAX) {
                self.reasons.push(reason.clone());
            }
            self.reasons.len() - 1
        });
        (index + 1) as Why
    }

    fn reason(&self, why: Why) -> &str {
        let index = usize::from(why).saturating_sub(1);
        self.reasons
            .get(index)
            .map_or("its value is not modelled", |reason| reason)
    }

    /// Counts a statement or an iteration.
    fn step(&mut self) -> SimResult<()> {
        self.statements += 1;
        match self.limit {
            Some(Limit { statements, known }) => {
                let is_over =
                    self.statements > statements || self.statements - self.last_new > known;
                if is_over { Err(Ended::Limit) } else { Ok(()) }
            }
            None if self.statements > MAX_STATEMENTS => {
                unsupported(format!("a block did not end within {MAX_STATEMENTS} steps"))
            }
            None => Ok(()),
        }
    }

    /// Gives the threads that come out at the end.
    fn block(&mut self, body: &'a [Stmt], mut active: Mask) -> SimResult<Mask> {
        self.depth += 1;
        if self.depth > MAX_STATEMENT_DEPTH {
            return unsupported("statements are nested too deeply to simulate");
        }
        for statement in body {
            if active.is_empty() {
                break;
            }
            let at = std::ptr::from_ref(statement) as usize;
            if self.limit.is_some() && self.ran.insert(at) {
                self.last_new = self.statements;
            }
            self.step()?;
            active = self.statement(statement, active)?;
        }
        self.depth -= 1;
        Ok(active)
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn statement(&mut self, statement: &'a Stmt, active: Mask) -> SimResult<Mask> {
        match statement {
            Stmt::Assign { variable, value } => {
                let value = self.value(*value, &active)?;
                self.set(*variable, &value, &active)?;
            }
            Stmt::Load {
                target,
                pointer,
                ty,
                site,
                ..
            } => self.load(*target, *pointer, *ty, *site, active)?,
            Stmt::Store {
                pointer,
                value,
                ty,
                site,
                ..
            } => self.store(*pointer, *value, *ty, *site, active)?,
            Stmt::Atomic {
                target,
                pointer,
                op,
                operands,
                ty,
                site,
                instruction,
            } => {
                let mut columns = Vec::new();
                for operand in operands {
                    columns.push(self.value(*operand, &active)?);
                }
                let place = transfer::AtomicPlace {
                    pointer: *pointer,
                    ty: *ty,
                    site: *site,
                    instruction: *instruction,
                };
                let old = self.atomic(&place, op, &columns, active)?;
                if let Some(target) = target {
                    self.set(*target, &old, &active)?;
                }
            }
            Stmt::Matrix {
                pointer,
                rows,
                is_store,
                site,
                targets,
            } => {
                self.matrix(*pointer, *rows, *is_store, *site, targets, active)?;
            }
            Stmt::OpaqueAccess {
                pointer,
                op,
                site,
                reason,
                ..
            } => {
                if !self.outcome.opaque.contains(site) {
                    self.outcome.opaque.push(*site);
                }
                if *op == OpaqueOp::Store {
                    let why = self.why(reason);
                    self.forget(*pointer, why, &active)?;
                }
            }
            Stmt::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                let holds = self.holds(*condition, &active)?;
                let rest = self.block(otherwise, active.without(holds))?;
                return Ok(self.block(then, holds)?.or(rest));
            }
            Stmt::Loop(body) => return self.run_loop(body, active),
            Stmt::Labelled { label, body } => {
                self.clear_exits(label.index());
                let through = self.block(body, active)?;
                return Ok(through.or(self.clear_exits(label.index())));
            }
            Stmt::Exit(label) => {
                if let Some(waiting) = self.exits.get_mut(label.index()) {
                    *waiting = waiting.or(active);
                }
                return Ok(Mask::EMPTY);
            }
            Stmt::Return => {
                self.returned = self.returned.or(active);
                return Ok(Mask::EMPTY);
            }
            Stmt::Barrier {
                kind: Barrier::Block | Barrier::Grid,
                span,
            } => {
                self.block_barrier(*span, active);
            }
            Stmt::Barrier {
                kind: Barrier::Warp,
                ..
            } => self.order_warps(&active),
            Stmt::Barrier { .. } => {}
            Stmt::Collective {
                target,
                op,
                arguments,
                span,
                ..
            } => {
                self.collective(*target, op, arguments, *span, active)?;
            }
            Stmt::Assume { condition, span } => {
                self.assume(*condition, *span, active)?;
            }
            Stmt::Opaque {
                variables,
                pointers,
                reason,
                ..
            } => {
                let why = self.why(reason);
                for variable in variables {
                    self.set(*variable, &Column::poison(active, why), &active)?;
                }
                for pointer in pointers {
                    self.forget(*pointer, why, &active)?;
                }
            }
        }
        Ok(active)
    }

    /// The block meets, or a part of it that the barrier does not hold for.
    fn block_barrier(&mut self, span: Span, active: Mask) {
        let expected = Mask::first(self.threads).without(self.returned).count();
        let is_known = self
            .outcome
            .divergent_barriers
            .iter()
            .any(|known| known.span == span);
        if active.count() != expected && !is_known {
            self.outcome.divergent_barriers.push(DivergentBarrier {
                span,
                block: self.block,
                arrived: active.count(),
                expected,
                witness: active
                    .iter()
                    .next()
                    .zip(
                        Mask::first(self.threads)
                            .without(self.returned)
                            .without(active)
                            .iter()
                            .next(),
                    )
                    .map(|(here, there)| (here as u32, there as u32)),
            });
        }
        if active.count() == expected {
            self.settle();
        }
        self.barriers += 1;
    }

    /// A vote, an exchange or an arrival of lanes.
    fn collective(
        &mut self,
        target: Option<VarId>,
        op: &str,
        arguments: &[ExprId],
        span: Span,
        active: Mask,
    ) -> SimResult<()> {
        let mut columns = Vec::new();
        for argument in arguments {
            columns.push((self.value(*argument, &active)?, self.type_of(*argument)));
        }
        if let (true, Some((mask, _))) = (op.ends_with("_sync"), columns.first()) {
            self.partners
                .call(span, mask, &active, &self.returned, self.threads);
        }
        self.order_warps(&active);
        let result = collective::call(op, &columns, &active, self.threads);
        let result = match result {
            Some(column) if column.poison.is_empty() || column.why != 0 => column,
            Some(column) => {
                let why = self.why(&"it comes from a lane that takes no part".into());
                Column { why, ..column }
            }
            None => {
                let why = self.why(&format!("`{op}` is not simulated").into());
                Column::poison(active, why)
            }
        };
        if let Some(target) = target {
            self.set(target, &result, &active)?;
        }
        Ok(())
    }

    /// Notes where what the program takes for granted does not hold.
    fn assume(&mut self, condition: ExprId, span: Span, active: Mask) -> SimResult<()> {
        let ty = self.type_of(condition);
        let column = self.value(condition, &active)?;
        let is_violated = active
            .iter()
            .any(|thread| !column.is_poison(thread) && !truth(column.get(thread), ty));
        if is_violated && !self.outcome.violated.contains(&span) {
            self.outcome.violated.push(span);
        }
        Ok(())
    }

    fn clear_exits(&mut self, label: usize) -> Mask {
        self.exits
            .get_mut(label)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    fn run_loop(&mut self, body: &'a Loop, mut active: Mask) -> SimResult<Mask> {
        let mut done = Mask::EMPTY;
        let mut is_tested = body.pretest;
        self.clear_exits(body.break_label.index());
        loop {
            if is_tested {
                active = self.block(&body.prelude, active)?;
                let stay = self.holds(body.condition, &active)?;
                done = done.or(active.without(stay));
                active = stay;
            }
            is_tested = true;
            if active.is_empty() {
                return Ok(done.or(self.clear_exits(body.break_label.index())));
            }
            self.step()?;
            self.clear_exits(body.continue_label.index());
            let through = self.block(&body.body, active)?;
            active = through.or(self.clear_exits(body.continue_label.index()));
            active = self.block(&body.step, active)?;
        }
    }

    /// Writes a variable, or poison into the bytes of an object.
    fn set(&mut self, variable: VarId, value: &Column, mask: &Mask) -> SimResult<()> {
        let kind = self
            .kernel
            .variables
            .get(variable.index())
            .map(|variable| variable.kind);
        if let (Some(start), Some(VariableKind::Object { size, .. })) =
            (self.local_offset(variable), kind)
        {
            if value.poison.and(*mask) != *mask {
                return unsupported("a scalar is assigned to an object");
            }
            for thread in mask.iter() {
                let at = self.local_at(thread, start);
                self.local.forget(at, size as usize, value.why);
            }
            return Ok(());
        }
        let threads = self.threads;
        let Some(slot) = self.variables.get_mut(variable.index()) else {
            return unsupported("it writes a variable that does not exist");
        };
        if mask.count() as usize == threads {
            *slot = value.clone();
        } else {
            slot.assign(value, mask, threads);
        }
        Ok(())
    }
}
