//! Statements: control flow as guards, joins as selections.
//!
//! What writes change is kept on a trail (`trail.rs`), so that a branch can be undone and merged with
//! its sibling by looking only at what either wrote.

use super::assumption::Assumption;
use super::compact::compact;
use super::expressions::Memo;
use super::extent::Extent;
use super::loops::{LastRound, Written};
use super::premises::Premises;
use super::shape::Shape;
use super::side_effects::{OtherEffect, OtherEffectKind};
use super::trail::{Mark, Trail};
use super::value::{AllocationId, Base, Contents, Pointer, Value, Variation};
use super::{Atomic, Incomplete, LoopIterations, Visit, Walk, WalkFingerprint};
use crate::gpu::cost::{Op, SharedAtomic};
use crate::ir::{
    Barrier, Block, ExprId, Kernel, LabelId, Launch, MovedPointer, OpaqueOp, Path, Program, Scalar,
    SiteId, Stmt, VarId, VariableKind,
};
use crate::term::{
    Domain, LaneDifference, Op as TermOp, Sharing, SymbolId, SymbolName, TermId, Terms,
};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Statements executed before a walk gives up: nested loops are walked several times.
const MAX_STEPS: u64 = 1_500_000;
/// Conditions and slots that visits and exits keep for a step.
const KEPT_IN_A_STEP: usize = 2;
const MAX_TERMS: usize = 1_000_000;
/// Visits recorded before a walk gives up.
const MAX_VISITS: usize = 50_000;
/// Iterations of any loop, in what is said of all of them.
const MAX_ITERATION: i64 = 1 << 40;
/// The label of `return` in the kernel itself.
pub(super) const RETURN: LabelId = LabelId(u32::MAX);

/// A condition under which lanes go on.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub condition: TermId,
    /// The label that the other lanes left for; `None` for a branch.
    pub left_for: Option<LabelId>,
    /// It is the condition of a loop around the present place.
    pub is_of_loop: bool,
}

impl Guard {
    /// Of lanes that did not leave for `label`.
    pub fn against(label: LabelId, condition: TermId) -> Self {
        Self {
            condition,
            left_for: Some(label),
            is_of_loop: false,
        }
    }

    pub(super) fn of_branch(condition: TermId) -> Self {
        Self {
            condition,
            left_for: None,
            is_of_loop: false,
        }
    }
}

/// A loop around the present place.
pub(super) struct OpenLoop {
    pub turns: LoopIterations,
    /// Whether the turns say in which iterations the present place is reached.
    pub is_exact: bool,
    /// Lanes may leave before the turns are over.
    pub leaves_early: bool,
}

/// Something a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Scalar(VarId),
    Object(VarId),
}

/// The content of a slot.
#[derive(Clone, Debug)]
pub(super) enum SlotValue {
    Scalar(Option<Value>),
    Object(Rc<Contents>),
}

/// Lanes that left a labelled block, with what they had written since it began.
#[derive(Clone)]
pub(super) struct ExitRecord {
    pub label: LabelId,
    /// All guards at the exit.
    pub guards: Vec<TermId>,
    pub written: Vec<(Slot, SlotValue)>,
}

pub(super) struct OpenLabel {
    pub label: LabelId,
    pub mark: Mark,
}

pub(super) struct Walker<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub terms: Terms,
    pub shape: Shape,
    pub scalars: Vec<Option<Value>>,
    pub objects: FxHashMap<VarId, Rc<Contents>>,
    pub trail: Trail,
    pub guards: Vec<Guard>,
    pub facts: Vec<TermId>,
    pub exits: Vec<ExitRecord>,
    pub open: Vec<OpenLabel>,
    pub allocations: Vec<Arc<str>>,
    /// Those among them for which the launch gives a null pointer.
    pub null_parameters: Vec<AllocationId>,
    /// Where variables start, by name and piece; see [`Walker::past_aligned_place`].
    pub starts: FxHashMap<(Arc<str>, u32), TermId>,
    pub visits: Vec<Visit>,
    pub premises: Premises,
    /// Stands for the number of an iteration in what premises say of any.
    pub iteration: TermId,
    pub extras: Vec<OtherEffect>,
    /// The loops around the present place, outermost first.
    pub open_loops: Vec<OpenLoop>,
    /// Labels that lanes left for out of a loop: which ones is not known until they are closed.
    pub exits_of_unknown_lanes: Vec<LabelId>,
    /// The numbers of the symbols that studies of loops made.
    pub studied: Vec<Range<usize>>,
    /// Above 0, visits are not recorded: a loop is being studied.
    pub study_depth: u32,
    /// Loops that are run one iteration after the other, and statements of such that are left.
    pub unrolling: u32,
    pub unroll_left: u64,
    /// Loops being studied, one within the other.
    pub open_studies: u32,
    /// By loop within these, what its last study came to.
    pub last_rounds: FxHashMap<u32, LastRound>,
    /// Symbols of the loops being studied whose bounds their tests say.
    pub counting: Vec<(SymbolId, i64, i64)>,
    pub loop_depth: u32,
    pub steps: u64,
    pub incomplete: Option<Incomplete>,
    /// Values of expressions, until a variable is written.
    pub memo: Memo,
    pub written_cache: FxHashMap<u32, Rc<Written>>,
    /// Parts of local objects written since the study of a loop began.
    pub touched: FxHashMap<VarId, Extent>,
    pub assumptions: Vec<Assumption>,
    /// Locals whose address is a value somewhere; see [`Walker::forget_reachable`].
    pub exposed: Option<Rc<[VarId]>>,
    /// Locals whose address something that is not followed was given: it may have kept it.
    pub kept: Vec<VarId>,
    /// The address of a local, or of what is not known, was made a number.
    pub addresses_are_numbers: bool,
    /// The kind of the atomic being noted.
    pub atomic: Atomic,
    /// Pointers in objects and in memory that host code may have moved.
    pub moved: &'a [MovedPointer],
    /// Whether a number in a local is read by another sign than it was written by; see [`Walker::reads_by_sign`].
    pub puns: Option<bool>,
    /// Parts of locals that unsigned numbers were written to, by their first byte; `None` where that is not fixed.
    pub unsigned_parts: rustc_hash::FxHashSet<(VarId, Option<u32>)>,
}

pub(super) fn run(program: &Program, kernel: &Kernel, launch: &Launch) -> Walk {
    let mut terms = Terms::default();
    let shape = Shape::new(&mut terms, launch, kernel.max_threads);
    let assumptions = shape.assumptions.clone();
    let iteration = Domain::range(0, MAX_ITERATION);
    let before = terms.symbol_count();
    let iteration = terms.new_symbol("any iteration", Sharing::Uniform, iteration);
    let mut walker = Walker {
        program,
        kernel,
        terms,
        shape,
        scalars: vec![None; kernel.variables.len()],
        objects: FxHashMap::default(),
        trail: Trail::of(kernel.variables.len()),
        guards: Vec::new(),
        facts: Vec::new(),
        exits: Vec::new(),
        open: vec![OpenLabel {
            label: RETURN,
            mark: Mark::default(),
        }],
        allocations: Vec::new(),
        null_parameters: Vec::new(),
        starts: FxHashMap::default(),
        visits: Vec::new(),
        premises: Premises::default(),
        iteration,
        extras: Vec::new(),
        open_loops: Vec::new(),
        exits_of_unknown_lanes: Vec::new(),
        studied: Vec::new(),
        study_depth: 0,
        unrolling: 0,
        unroll_left: super::unrolled::MOST_STEPS_OF_A_KERNEL,
        open_studies: 0,
        last_rounds: FxHashMap::default(),
        counting: Vec::new(),
        loop_depth: 0,
        steps: 0,
        incomplete: None,
        memo: Memo::of(kernel),
        written_cache: FxHashMap::default(),
        touched: FxHashMap::default(),
        assumptions,
        exposed: None,
        kept: Vec::new(),
        addresses_are_numbers: false,
        atomic: Atomic::No,
        moved: &launch.moved,
        puns: None,
        unsigned_parts: rustc_hash::FxHashSet::default(),
    };
    // No visit mentions the symbol for any iteration.
    let after = walker.terms.symbol_count();
    walker.studied.push(before..after);
    walker.bind_parameters(launch);
    if let Some(exists) = walker.shape.exists {
        walker.guards.push(Guard::against(RETURN, exists));
    }
    walker.block(&kernel.body);
    // A statement that was not read may jump anywhere.
    let is_whole = walker.incomplete.is_none() && kernel.gaps.is_empty();
    let walk = Walk {
        lane: walker.shape.lane,
        warps: walker.shape.warps.filter(|_| is_whole),
        terms: walker.terms,
        facts: walker.shape.facts,
        visits: walker.visits,
        premises: walker.premises.all,
        extras: walker.extras,
        assumptions: walker.assumptions,
        incomplete: walker.incomplete,
        course: WalkFingerprint::default(),
    };
    compact(walk, &walker.studied)
}

impl Walker<'_> {
    /// Changes a slot, keeping its old value on the trail.
    pub fn set(&mut self, slot: Slot, held: SlotValue) {
        let old = match (slot, held) {
            (Slot::Scalar(var), SlotValue::Scalar(value)) => {
                self.memo.clear();
                SlotValue::Scalar(std::mem::replace(&mut self.scalars[var.index()], value))
            }
            (Slot::Object(var), SlotValue::Object(contents)) => {
                let old = self.objects.insert(var, contents);
                SlotValue::Object(old.unwrap_or_else(|| Rc::new(Contents::empty())))
            }
            // The two kinds of slot never mix: a variable is one or the other.
            _ => return,
        };
        self.trail.note(slot, old);
    }

    /// Changes what an object holds, in those bytes only. Where its old contents are on the trail already,
    /// they are changed where they stand: an array that is filled place by place is not copied each time.
    pub fn change_object(
        &mut self,
        var: VarId,
        extent: &Extent,
        f: impl FnOnce(&Terms, &mut Contents),
    ) {
        if self.study_depth > 0 {
            self.touched.entry(var).or_default().join(extent);
        }
        let held = self
            .objects
            .entry(var)
            .or_insert_with(|| Rc::new(Contents::empty()));
        self.trail
            .note(Slot::Object(var), SlotValue::Object(held.clone()));
        f(&self.terms, Rc::make_mut(held));
    }

    pub fn assign(&mut self, variable: VarId, value: Value) {
        self.set(Slot::Scalar(variable), SlotValue::Scalar(Some(value)));
    }

    pub fn held(&self, slot: Slot) -> SlotValue {
        match slot {
            Slot::Scalar(var) => SlotValue::Scalar(self.scalars[var.index()].clone()),
            Slot::Object(var) => SlotValue::Object(
                self.objects
                    .get(&var)
                    .cloned()
                    .unwrap_or_else(|| Rc::new(Contents::empty())),
            ),
        }
    }

    /// Slots written since `mark`, each once, with its present value.
    pub fn written_since(&self, mark: Mark) -> Vec<(Slot, SlotValue)> {
        let slots = self.slots_written_since(mark).into_iter();
        slots.map(|slot| (slot, self.held(slot))).collect()
    }

    /// The slots written since `mark`, each once.
    pub fn slots_written_since(&self, mark: Mark) -> Vec<Slot> {
        let since = self.trail.since(mark);
        let most = since.size_hint().0;
        let mut seen =
            rustc_hash::FxHashSet::with_capacity_and_hasher(most, rustc_hash::FxBuildHasher);
        since
            .map(|(slot, _)| slot)
            .filter(|slot| seen.insert(*slot))
            .collect()
    }

    pub fn undo(&mut self, mark: Mark) {
        while let Some((slot, old)) = self.trail.pop(mark) {
            match (slot, old) {
                (Slot::Scalar(var), SlotValue::Scalar(value)) => self.scalars[var.index()] = value,
                (Slot::Object(var), SlotValue::Object(contents)) => {
                    self.objects.insert(var, contents);
                }
                _ => {}
            }
        }
        self.memo.clear();
    }

    /// Counts what is kept of conditions and slots as steps: a limit of those is one of memory, too.
    pub fn keep(&mut self, parts: usize) {
        self.steps += (parts / KEPT_IN_A_STEP) as u64;
    }

    pub fn conjunction(&mut self, parts: &[TermId]) -> TermId {
        let mut all = self.terms.int(1);
        for part in parts {
            all = self.terms.binary(TermOp::LogicalAnd, all, *part);
        }
        all
    }

    /// Runs statements; false where no lane comes out at the end.
    pub fn block(&mut self, block: &Block) -> bool {
        for stmt in block {
            if self.incomplete.is_some() {
                return true;
            }
            self.steps += 1;
            if self.program.stop.is_raised() {
                self.incomplete = Some(Incomplete::Stopped);
                return true;
            }
            if let Some(limit) = self.over_limit() {
                self.incomplete = Some(Incomplete::OverLimit(limit));
                return true;
            }
            if !self.stmt(stmt) {
                return false;
            }
        }
        true
    }

    /// The limit that this walk has passed.
    fn over_limit(&self) -> Option<String> {
        let steps = self.program.most_steps.unwrap_or(MAX_STEPS);
        let terms = self.program.most_terms.unwrap_or(MAX_TERMS);
        if self.steps > steps {
            Some(format!("{steps} steps of the walk through one kernel"))
        } else if self.terms.count() > terms {
            Some(format!("{terms} terms of one kernel"))
        } else if self.visits.len() > MAX_VISITS {
            Some(format!("{MAX_VISITS} ways to the accesses of one kernel"))
        } else {
            None
        }
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Assign { variable, value } => {
                let value = self.eval(*value);
                self.assign(*variable, value);
            }
            Stmt::Load {
                target,
                pointer,
                ty,
                site,
                path,
            } => self.load(*target, *pointer, *ty, *site, *path),
            Stmt::Store {
                pointer,
                value,
                ty,
                site,
                path,
            } => self.store(*pointer, value, *ty, *site, *path),
            Stmt::Atomic {
                target,
                pointer,
                ty,
                site,
                instruction,
                ..
            } => {
                self.walk_atomic(*target, *pointer, *ty, *site, *instruction);
            }
            Stmt::Matrix {
                pointer,
                rows,
                is_store,
                site,
                targets,
            } => {
                let op = if *is_store { Op::Store } else { Op::Load };
                self.walk_matrix(*pointer, *rows, op, *site, targets);
            }
            Stmt::OpaqueAccess {
                pointer,
                ty,
                op,
                site,
                reason,
            } => {
                let op = match op {
                    OpaqueOp::Load => Op::Load,
                    OpaqueOp::Store => Op::Store,
                };
                self.touch_with(
                    *pointer,
                    *ty,
                    op,
                    *site,
                    Path::Plain,
                    0,
                    Some(reason.clone()),
                );
            }
            Stmt::If {
                condition,
                then,
                otherwise,
                ..
            } => return self.branch(*condition, then, otherwise),
            Stmt::Loop(body) => return self.run_loop(body),
            Stmt::Labelled { label, body } => return self.labelled(*label, body),
            Stmt::Exit(label) => {
                self.exit(*label);
                return false;
            }
            Stmt::Return => {
                self.exit(RETURN);
                return false;
            }
            Stmt::Barrier {
                kind: Barrier::Block | Barrier::Grid,
                span,
            } => self.note(OtherEffectKind::Barrier { span: *span }),
            Stmt::Barrier { .. } => {}
            Stmt::Collective {
                target,
                op,
                arguments,
                ty,
                span,
            } => {
                self.collective(*target, op, arguments, *ty, *span);
            }
            Stmt::Assume { condition, .. } => {
                let value = self.eval(*condition);
                let term = value.as_term(&mut self.terms, Scalar::Bool);
                let term = self.terms.truth(term);
                self.facts.push(term);
            }
            Stmt::Opaque {
                variables,
                pointers,
                reason,
                ..
            } => {
                self.forget_opaque(variables, pointers, reason);
            }
        }
        true
    }

    fn walk_atomic(
        &mut self,
        target: Option<VarId>,
        pointer: ExprId,
        ty: Scalar,
        site: SiteId,
        instruction: Option<SharedAtomic>,
    ) {
        self.atomic = instruction.map_or(Atomic::Loop, Atomic::Instruction);
        let (at, _) = self.touch(pointer, ty, Op::Atomic, site, Path::Plain);
        self.atomic = Atomic::No;
        if let Some(at) = at {
            self.write_local(&at, ty.size(), None);
        }
        if let Some(target) = target {
            let reason: Arc<str> =
                format!("the result of an atomic on `{}`", self.array_name(site)).into();
            let varying = Variation::Varying(LaneDifference::computed(reason.clone()));
            self.define(target, varying, reason, ty);
        }
    }

    /// Rows of a matrix, which the lanes name and get fragments of.
    fn walk_matrix(&mut self, pointer: ExprId, rows: u32, op: Op, site: SiteId, targets: &[VarId]) {
        self.touch_with(
            pointer,
            Scalar::Bytes(16),
            op,
            site,
            Path::Plain,
            rows,
            None,
        );
        for target in targets {
            let reason: Arc<str> = "a matrix fragment".into();
            self.define(
                *target,
                Variation::Varying(LaneDifference::computed(reason.clone())),
                reason,
                Scalar::U32,
            );
        }
    }

    /// What a statement that is not modelled may have written.
    fn forget_opaque(&mut self, variables: &[VarId], pointers: &[ExprId], reason: &Arc<str>) {
        let varying = Variation::Varying(LaneDifference::computed(reason.clone()));
        for at in 0..self.kept.len() {
            self.forget_contents(self.kept[at], &varying);
        }
        for pointer in pointers {
            let value = self.eval(*pointer);
            if let Value::Pointer(pointer) = value {
                for object in self.forget_reachable(&pointer.base, &varying) {
                    if !self.kept.contains(&object) {
                        self.kept.push(object);
                    }
                }
            }
        }
        for variable in variables {
            match self.kernel.variables[variable.index()].kind {
                VariableKind::Scalar(ty) => {
                    self.define(*variable, varying.clone(), reason.clone(), ty);
                }
                VariableKind::Object { .. } => self.forget_contents(*variable, &varying),
            }
        }
    }

    /// Gives a scalar variable an unknown value.
    pub fn define(
        &mut self,
        target: VarId,
        variation: Variation,
        name: impl Into<SymbolName>,
        ty: Scalar,
    ) {
        let name = name.into();
        let value = match ty {
            Scalar::Pointer => {
                let base = match variation {
                    Variation::Uniform => Base::Unknown(name.text),
                    Variation::Varying(reason) => Base::Varying(reason),
                };
                let offset = self.terms.int(0);
                Value::Pointer(Pointer { base, offset })
            }
            ty if ty.is_integer() => Value::Int(self.terms.new_symbol(
                name,
                variation.sharing(),
                Domain::of_type(ty),
            )),
            _ => Value::Opaque(variation, name),
        };
        match self.kernel.variables[target.index()].kind {
            VariableKind::Scalar(_) => self.assign(target, value),
            VariableKind::Object { .. } => {
                let variation = value.variation(&self.terms);
                self.forget_contents(target, &variation);
            }
        }
    }

    pub fn forget_contents(&mut self, var: VarId, variation: &Variation) {
        self.forget_part(var, &Extent::all(), variation);
    }

    /// Forgets some bytes of an object.
    pub fn forget_part(&mut self, var: VarId, extent: &Extent, variation: &Variation) {
        self.change_object(var, extent, |terms, contents| {
            contents.havoc(terms, extent, variation);
        });
    }

    /// Gives an object other contents.
    pub fn write_object(&mut self, var: VarId, contents: Contents) {
        if self.study_depth > 0 {
            self.touched.entry(var).or_default().join(&Extent::all());
        }
        self.set(Slot::Object(var), SlotValue::Object(Rc::new(contents)));
    }

    pub fn array_name(&self, site: SiteId) -> &str {
        self.kernel
            .sites
            .get(site.index())
            .map_or("memory", |site| &*site.array)
    }

    pub fn condition(&mut self, condition: ExprId) -> TermId {
        let value = self.eval(condition);
        let term = value.as_term(&mut self.terms, Scalar::Bool);
        self.terms.truth(term)
    }
}
