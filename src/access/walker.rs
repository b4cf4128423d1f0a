//! Statements: control flow as guards, joins as selections.
//!
//! Every write is kept on a trail, so that a branch can be undone and merged with
//! its sibling by looking only at what either wrote.

use super::compact::compact;
use super::expressions::Memo;
use super::extent::Extent;
use super::loops::{LastRound, Written};
use super::premises::Premises;
use super::shape::Shape;
use super::side_effects::{ExtraKind, OtherEffect};
use super::value::{AllocationId, Base, Contents, Pointer, Value, Variation};
use super::{Atomic, Course, LoopIterations, Schedule, Target, Visit, Walk};
use crate::gpu::cost::{Op, Space};
use crate::ir::residue::Residue;
use crate::ir::stop::STOPPED;
use crate::ir::{
    Argument, Barrier, Block, ExprId, Kernel, LabelId, Launch, MovedPointer, OpaqueOp,
    ParameterKind, Path, Program, Scalar, SiteId, Stmt, VarId, VariableKind,
};
use crate::term::{Domain, Op as TermOp, Sharing, TermId, Terms};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Statements executed before a walk gives up: nested loops are walked several times.
const MAX_STEPS: u64 = 1_500_000;
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

    fn of_branch(condition: TermId) -> Self {
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

/// What a slot holds.
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

struct OpenLabel {
    label: LabelId,
    trail: usize,
}

pub(super) struct Walker<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub terms: Terms,
    pub shape: Shape,
    pub scalars: Vec<Option<Value>>,
    pub objects: FxHashMap<VarId, Rc<Contents>>,
    pub trail: Vec<(Slot, SlotValue)>,
    pub guards: Vec<Guard>,
    pub facts: Vec<TermId>,
    pub exits: Vec<ExitRecord>,
    open: Vec<OpenLabel>,
    pub allocations: Vec<Arc<str>>,
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
    /// Loops being studied, one within the other.
    pub open_studies: u32,
    /// By loop within these, what its last study came to.
    pub last_rounds: FxHashMap<u32, LastRound>,
    pub loop_depth: u32,
    pub steps: u64,
    pub incomplete: Option<String>,
    /// What expressions came to since a variable was last written.
    pub memo: Memo,
    pub written_cache: FxHashMap<u32, Rc<Written>>,
    /// What of locals was written since a loop was begun to be studied.
    pub touched: FxHashMap<VarId, Extent>,
    pub assumptions: Vec<String>,
    /// Locals whose address is a value somewhere; see [`Walker::forget_reachable`].
    pub exposed: Option<Rc<[VarId]>>,
    /// Locals whose address something that is not followed was given: it may have kept it.
    pub kept: Vec<VarId>,
    /// The kind of the atomic being noted.
    pub atomic: Atomic,
    /// Pointers in objects and in memory that host code may have moved.
    pub moved: &'a [MovedPointer],
}

/// A base that is one of two; lanes may choose differently where `varies` is set.
pub(super) fn either(a: &Base, b: &Base, varies: bool) -> Base {
    if a.is_same_object(b) {
        return a.clone();
    }
    if let (Base::Varying(reason), _) | (_, Base::Varying(reason)) = (a, b) {
        return Base::Varying(reason.clone());
    }
    let (Some(x), Some(y)) = (a.candidates(), b.candidates()) else {
        return Base::Unknown("a pointer that is one of several objects".into());
    };
    let mut all = x.to_vec();
    all.extend(y.iter().filter(|base| !x.contains(base)).cloned());
    let has_local = all.iter().any(|base| matches!(base, Base::Local(_)));
    // What is written through it has to reach the locals.
    if varies && !has_local {
        return Base::Varying("a pointer chosen per lane".into());
    }
    if let [one] = all.as_slice() {
        return one.clone();
    }
    Base::OneOf(all.into())
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
        trail: Vec::new(),
        guards: Vec::new(),
        facts: Vec::new(),
        exits: Vec::new(),
        open: vec![OpenLabel {
            label: RETURN,
            trail: 0,
        }],
        allocations: Vec::new(),
        visits: Vec::new(),
        premises: Premises::default(),
        iteration,
        extras: Vec::new(),
        open_loops: Vec::new(),
        exits_of_unknown_lanes: Vec::new(),
        studied: Vec::new(),
        study_depth: 0,
        open_studies: 0,
        last_rounds: FxHashMap::default(),
        loop_depth: 0,
        steps: 0,
        incomplete: None,
        memo: Memo::of(kernel),
        written_cache: FxHashMap::default(),
        touched: FxHashMap::default(),
        assumptions,
        exposed: None,
        kept: Vec::new(),
        atomic: Atomic::No,
        moved: &launch.moved,
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
        course: Course::default(),
    };
    compact(walk, &walker.studied)
}

impl Walker<'_> {
    fn bind_parameters(&mut self, launch: &Launch) {
        for (at, parameter) in self.kernel.parameters.iter().enumerate() {
            let argument = launch.arguments.get(at).unwrap_or(&Argument::Unknown);
            match &parameter.kind {
                ParameterKind::Scalar(ty) => {
                    let value = self.scalar_argument(&parameter.name, *ty, argument);
                    self.scalars[parameter.variable.index()] = Some(value);
                }
                ParameterKind::Pointer { element, .. } => {
                    let base = self.allocation(parameter.name.as_str());
                    let offset = match argument {
                        Argument::Pointer { offset, .. } => {
                            self.pointer_offset(&parameter.name, *element, *offset)
                        }
                        _ => self.terms.int(0),
                    };
                    let value = Value::Pointer(Pointer { base, offset });
                    self.scalars[parameter.variable.index()] = Some(value);
                }
                ParameterKind::Object { leaves } => {
                    let mut contents = Contents::empty();
                    for (offset, ty, name) in leaves {
                        let value = if *ty == Scalar::Pointer {
                            let base = self.allocation(name.as_str());
                            let member = name.rsplit(['.', ' ']).next().unwrap_or_default();
                            let member = member.split('[').next().unwrap_or_default();
                            let moved = self.moved.iter().find(|m| &*m.member == member);
                            let offset = match moved {
                                Some(m) => self.pointer_offset(name, m.element, Residue::ANY),
                                None => self.terms.int(0),
                            };
                            Value::Pointer(Pointer { base, offset })
                        } else {
                            self.scalar_argument(name, *ty, &Argument::Unknown)
                        };
                        contents.write(&self.terms, *offset, ty.size(), value);
                    }
                    self.objects.insert(parameter.variable, Rc::new(contents));
                }
            }
        }
    }

    /// How far into an allocation the launch lets a parameter point, in bytes. Where nothing is known,
    /// it points to whole elements.
    pub fn pointer_offset(&mut self, name: &str, element: u32, offset: Residue) -> TermId {
        if let Some(bytes) = offset.value() {
            return self.terms.int(bytes);
        }
        let element = i64::from(element.max(1));
        let (step, rest) = offset.class().unwrap_or((element, 0));
        let unit = match (step, rest) {
            (step, 0) if step == element => String::new(),
            (step, _) => format!(" / {step} bytes"),
        };
        let name = format!("offset of {name}{unit}");
        let domain = Domain::range(0, 1 << 40);
        let count = self.terms.new_symbol(name, Sharing::Uniform, domain);
        let (step, rest) = (self.terms.int(step), self.terms.int(rest));
        let moved = self.terms.mul(count, step);
        self.terms.add(moved, rest)
    }

    fn scalar_argument(&mut self, name: &str, ty: Scalar, argument: &Argument) -> Value {
        match argument {
            Argument::Int(value) if ty.is_integer() => {
                Value::Int(self.terms.int(crate::term::wrap_value(ty, *value)))
            }
            _ if ty.is_integer() => {
                let domain = Domain::of_type(ty);
                Value::Int(self.terms.new_symbol(name, Sharing::Uniform, domain))
            }
            _ => Value::Opaque(Variation::Uniform, name.into()),
        }
    }

    /// A new allocation in global memory that starts at an aligned address.
    pub fn allocation(&mut self, name: impl Into<Arc<str>>) -> Base {
        self.allocations.push(name.into());
        Base::Allocation(AllocationId(self.allocations.len() as u32 - 1))
    }

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
        self.trail.push((slot, old));
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

    /// What was written since `mark`, each slot once, with its present value.
    pub fn written_since(&self, mark: usize) -> Vec<(Slot, SlotValue)> {
        let slots = self.slots_written_since(mark).into_iter();
        slots.map(|slot| (slot, self.held(slot))).collect()
    }

    /// The slots written since `mark`, each once.
    pub fn slots_written_since(&self, mark: usize) -> Vec<Slot> {
        let mut seen = rustc_hash::FxHashSet::default();
        let since = self.trail[mark.min(self.trail.len())..].iter();
        since
            .map(|(slot, _)| *slot)
            .filter(|slot| seen.insert(*slot))
            .collect()
    }

    pub fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let Some((slot, old)) = self.trail.pop() else {
                break;
            };
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

    /// Keeps the oldest entry of each slot since `mark`, where there are many: that one says what undoing
    /// comes to, and a chain of branches writes the same slots at each of its ends.
    fn shorten_trail(&mut self, mark: usize) {
        const FEW: usize = 64;
        if self.trail.len() < mark + FEW {
            return;
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut since = self.trail.split_off(mark);
        since.retain(|(slot, _)| seen.insert(*slot));
        self.trail.extend(since);
    }

    /// The value where `condition` holds `a`, else `b`.
    pub fn merge(
        &mut self,
        condition: TermId,
        a: Option<Value>,
        b: Option<Value>,
    ) -> Option<Value> {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            // Not set on one side: reading it there would be undefined.
            (one, other) => return one.or(other),
        };
        if a == b {
            return Some(a);
        }
        let condition_varies = self.terms.is_varying(condition);
        Some(match (&a, &b) {
            (Value::Int(x), Value::Int(y)) => Value::Int(self.terms.select(condition, *x, *y)),
            (Value::Pointer(p), Value::Pointer(q)) => {
                let offset = self.terms.select(condition, p.offset, q.offset);
                let base = either(&p.base, &q.base, condition_varies);
                self.pointer(base, offset, condition_varies)
            }
            _ => {
                let mut variation = a.variation(&self.terms).join(&b.variation(&self.terms));
                if condition_varies && variation == Variation::Uniform {
                    variation = Value::Int(condition).variation(&self.terms);
                }
                let name = match &a {
                    Value::Opaque(_, name) => name.clone(),
                    _ => "a value chosen by a condition".into(),
                };
                Value::Opaque(variation, name)
            }
        })
    }

    /// A pointer to `base`. Where lanes may choose different locals, so they do in its offset.
    fn pointer(&mut self, base: Base, offset: TermId, varies: bool) -> Value {
        let reason = "a pointer chosen per lane";
        let offset = match &base {
            Base::OneOf(_) if varies => {
                let domain = Domain::range(0, 1 << 40);
                self.terms
                    .new_symbol(reason, Sharing::Varying(reason.into()), domain)
            }
            _ => offset,
        };
        Value::Pointer(Pointer { base, offset })
    }

    fn merge_held(&mut self, condition: TermId, a: SlotValue, b: SlotValue) -> SlotValue {
        match (a, b) {
            (SlotValue::Scalar(a), SlotValue::Scalar(b)) => {
                SlotValue::Scalar(self.merge(condition, a, b))
            }
            (SlotValue::Object(a), SlotValue::Object(b)) => {
                if Rc::ptr_eq(&a, &b) || a == b {
                    return SlotValue::Object(a);
                }
                let mut merged = Contents {
                    cells: std::collections::BTreeMap::new(),
                    rest: a.rest.clone().join(&b.rest),
                    changes: a.changes.max(b.changes),
                    has_lost_a_pointer: a.has_lost_a_pointer || b.has_lost_a_pointer,
                };
                let mut is_torn = a.changes != b.changes;
                for (at, (size, left)) in &a.cells {
                    match b.read(*at, *size) {
                        Some(right) => {
                            let value =
                                self.merge(condition, Some(left.clone()), Some(right.clone()));
                            if let Some(value) = value {
                                merged.cells.insert(*at, (*size, value));
                            }
                        }
                        None => {
                            is_torn = true;
                            merged.has_lost_a_pointer |= left.is_known_pointer();
                            merged.rest = merged.rest.clone().join(&left.variation(&self.terms));
                        }
                    }
                }
                for (at, (size, right)) in &b.cells {
                    if a.read(*at, *size).is_none() {
                        is_torn = true;
                        merged.has_lost_a_pointer |= right.is_known_pointer();
                        merged.rest = merged.rest.clone().join(&right.variation(&self.terms));
                    }
                }
                // A place that only some lanes wrote differs between them.
                if is_torn {
                    merged.changes += 1;
                    if self.terms.is_varying(condition) {
                        let chosen = Value::Int(condition).variation(&self.terms);
                        merged.rest = merged.rest.clone().join(&chosen);
                    }
                }
                SlotValue::Object(Rc::new(merged))
            }
            (a, _) => a,
        }
    }

    /// Merges `other`, written by lanes where `condition` holds, into the present state.
    fn merge_into(
        &mut self,
        condition: TermId,
        other: Vec<(Slot, SlotValue)>,
        also: &[Slot],
        before: &FxHashMap<Slot, SlotValue>,
    ) {
        let mut slots: Vec<Slot> = other.iter().map(|(slot, _)| *slot).collect();
        let mut there: FxHashMap<Slot, SlotValue> = other.into_iter().collect();
        for slot in also {
            if !there.contains_key(slot) {
                slots.push(*slot);
            }
        }
        for slot in slots {
            let here = self.held(slot);
            let theirs = match there.remove(&slot) {
                Some(held) => held,
                None => match before.get(&slot) {
                    Some(held) => held.clone(),
                    None => continue,
                },
            };
            let merged = self.merge_held(condition, theirs, here);
            self.set(slot, merged);
        }
    }

    pub fn conjunction(&mut self, parts: &[TermId]) -> TermId {
        let mut all = self.terms.int(1);
        for part in parts {
            all = self.terms.binary(TermOp::Both, all, *part);
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
                self.incomplete = Some(STOPPED.to_owned());
                return true;
            }
            if let Some(limit) = self.over_limit() {
                self.incomplete = Some(format!("over the limit of {limit}"));
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
                self.atomic = instruction.map_or(Atomic::Loop, Atomic::Instruction);
                let (at, _) = self.touch(*pointer, *ty, Op::Atomic, *site, Path::Plain);
                self.atomic = Atomic::No;
                if let Some(at) = at {
                    self.write_local(&at, ty.size(), None);
                }
                if let Some(target) = target {
                    let reason: Arc<str> =
                        format!("the result of an atomic on `{}`", self.array_name(*site)).into();
                    self.define(*target, Variation::Varying(reason.clone()), reason, *ty);
                }
            }
            Stmt::Matrix {
                pointer,
                rows,
                is_store,
                site,
                targets,
            } => {
                let op = if *is_store { Op::Store } else { Op::Load };
                self.touch_with(
                    *pointer,
                    Scalar::Bytes(16),
                    op,
                    *site,
                    Path::Plain,
                    *rows,
                    None,
                );
                for target in targets {
                    let reason: Arc<str> = "a matrix fragment".into();
                    self.define(
                        *target,
                        Variation::Varying(reason.clone()),
                        reason,
                        Scalar::U32,
                    );
                }
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
            } => self.note(ExtraKind::Barrier { span: *span }),
            Stmt::Barrier { .. } => {}
            Stmt::Collective {
                target,
                op,
                arguments,
                ty,
                span,
            } => {
                if let (true, Some(mask)) = (op.ends_with("_sync"), arguments.first())
                    && let Value::Int(mask) = self.eval(*mask)
                {
                    self.note(ExtraKind::Exchange { span: *span, mask });
                }
                let mut variation = Variation::Uniform;
                for argument in arguments {
                    let value = self.eval(*argument);
                    variation = variation.join(&value.variation(&self.terms));
                }
                // A vote or a broadcast from a fixed lane is one value for the warp.
                // Lanes that name different ones with their mask have different results.
                let is_of_all = !op.ends_with("_sync") || self.has_shared_mask(arguments);
                let is_uniform = variation == Variation::Uniform
                    || op.starts_with("__activemask")
                    || is_of_all
                        && ["__ballot", "__any", "__all", "__reduce"]
                            .iter()
                            .any(|kind| op.starts_with(kind));
                let broadcast =
                    (*op == "__shfl_sync" || *op == "__shfl") && self.is_broadcast(op, arguments);
                if let Some(target) = target {
                    let name: Arc<str> = format!("the result of `{op}`").into();
                    let variation = if is_uniform || broadcast {
                        Variation::Uniform
                    } else {
                        Variation::Varying(name.clone())
                    };
                    self.define(*target, variation, name, *ty);
                }
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
                let mut variation = Variation::Uniform;
                if self
                    .guards
                    .iter()
                    .any(|guard| self.terms.is_varying(guard.condition))
                {
                    variation = Variation::Varying(reason.clone());
                }
                let varying = Variation::Varying(reason.clone());
                for at in 0..self.kept.len() {
                    self.forget_contents(self.kept[at], &varying);
                }
                for pointer in pointers {
                    let value = self.eval(*pointer);
                    variation = variation.join(&value.variation(&self.terms));
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
        }
        true
    }

    fn has_shared_mask(&mut self, arguments: &[ExprId]) -> bool {
        match arguments.first().map(|id| self.eval(*id)) {
            Some(Value::Int(mask)) => !self.terms.is_varying(mask),
            _ => false,
        }
    }

    /// Whether every lane reads the same source lane (second operand of the exchange): that is a number
    /// within parts of the warp, where the exchange has a width.
    fn is_broadcast(&mut self, op: &str, arguments: &[ExprId]) -> bool {
        let at = if op == "__shfl_sync" { 2 } else { 1 };
        let is_whole = match arguments.get(at + 1).map(|id| self.eval(*id)) {
            Some(Value::Int(width)) => self.terms.constant(width) == Some(32),
            Some(_) => false,
            None => true,
        };
        match arguments.get(at).map(|id| self.eval(*id)) {
            Some(Value::Int(term)) => is_whole && !self.terms.is_varying(term),
            _ => false,
        }
    }

    /// Gives a scalar variable an unknown value.
    pub fn define(&mut self, target: VarId, variation: Variation, name: Arc<str>, ty: Scalar) {
        let value = match ty {
            Scalar::Pointer => {
                let base = match variation {
                    Variation::Uniform => Base::Unknown(name),
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
        let mut contents = match self.objects.get(&var) {
            Some(contents) => (**contents).clone(),
            None => Contents::empty(),
        };
        contents.havoc(&self.terms, extent, variation);
        self.write_object(var, contents, extent);
    }

    /// Gives an object contents that differ in those bytes only from what it had.
    pub fn write_object(&mut self, var: VarId, contents: Contents, extent: &Extent) {
        if self.study_depth > 0 {
            self.touched.entry(var).or_default().join(extent);
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

    fn branch(&mut self, condition: ExprId, then: &Block, otherwise: &Block) -> bool {
        let term = self.condition(condition);
        match self.terms.constant(term) {
            Some(0) => return self.block(otherwise),
            Some(_) => return self.block(then),
            None => {}
        }
        let base = self.guards.len();
        let mark = self.trail.len();
        let first_exit = self.exits.len();

        // What is stated on one side holds there.
        let facts = self.facts.len();
        self.guards.push(Guard::of_branch(term));
        let then_falls = self.block(then);
        self.facts.truncate(facts);
        let then_written = self.written_since(mark);
        self.undo(mark);
        self.guards.truncate(base);

        let before: FxHashMap<Slot, SlotValue> = then_written
            .iter()
            .map(|(slot, _)| (*slot, self.held(*slot)))
            .collect();
        let negated = self.terms.not(term);
        self.guards.push(Guard::of_branch(negated));
        let else_falls = self.block(otherwise);
        self.facts.truncate(facts);
        self.guards.truncate(base);

        match (then_falls, else_falls) {
            (true, true) => {
                let else_slots: Vec<Slot> = self
                    .written_since(mark)
                    .into_iter()
                    .map(|(slot, _)| slot)
                    .collect();
                let mut before = before;
                // The oldest entry of a slot is its value before the branch.
                for (slot, old) in self.trail[mark..].iter().rev() {
                    before.insert(*slot, old.clone());
                }
                self.merge_into(term, then_written, &else_slots, &before);
                self.shorten_trail(mark);
            }
            (true, false) => {
                self.undo(mark);
                for (slot, held) in then_written {
                    self.set(slot, held);
                }
            }
            (false, _) => {}
        }
        self.guard_against_exits(base, first_exit);
        then_falls || else_falls
    }

    /// After a branch or loop: lanes that left through an exit since `first_exit` are gone.
    pub fn guard_against_exits(&mut self, base: usize, first_exit: usize) {
        let left: Vec<(LabelId, Vec<TermId>)> = self.exits[first_exit..]
            .iter()
            .filter(|exit| exit.guards.len() >= base)
            .map(|exit| (exit.label, exit.guards[base..].to_vec()))
            .collect();
        for (label, path) in left {
            let gone = self.conjunction(&path);
            let stays = self.terms.not(gone);
            let is_known =
                |guard: &Guard| guard.condition == stays && guard.left_for == Some(label);
            if self.terms.constant(stays) != Some(1) && !self.guards.iter().any(is_known) {
                self.guards.push(Guard::against(label, stays));
            }
        }
    }

    fn exit(&mut self, label: LabelId) {
        let Some(open) = self.open.iter().rev().find(|open| open.label == label) else {
            return;
        };
        let written = if label == RETURN {
            Vec::new()
        } else {
            self.written_since(open.trail)
        };
        let guards = self.guards.iter().map(|guard| guard.condition).collect();
        self.exits.push(ExitRecord {
            label,
            guards,
            written,
        });
    }

    pub fn labelled(&mut self, label: LabelId, body: &Block) -> bool {
        let base = self.guards.len();
        let mark = self.trail.len();
        let first_exit = self.exits.len();
        self.open.push(OpenLabel { label, trail: mark });
        let falls = self.block(body);
        self.open.pop();
        self.close_label(label, base, mark, first_exit, falls)
    }

    /// Joins the lanes that left for `label` with those that fell through.
    fn close_label(
        &mut self,
        label: LabelId,
        base: usize,
        mark: usize,
        first_exit: usize,
        falls: bool,
    ) -> bool {
        self.exits_of_unknown_lanes.retain(|open| *open != label);
        // Guards of lanes that left for here no longer hold; those for outer labels stay.
        let kept: Vec<Guard> = self
            .guards
            .drain(base.min(self.guards.len())..)
            .filter(|guard| guard.left_for.is_some_and(|target| target != label))
            .collect();

        let mut arrived = Vec::new();
        let mut at = first_exit;
        while at < self.exits.len() {
            if self.exits[at].label == label {
                arrived.push(self.exits.remove(at));
            } else {
                at += 1;
            }
        }
        // Among lanes that come here by other ways nobody left for those.
        if arrived.is_empty() {
            self.guards.extend(kept);
        }
        let mut falls = falls;
        for exit in arrived.into_iter().rev() {
            if falls {
                let path = self.conjunction(&exit.guards[base.min(exit.guards.len())..]);
                let here: Vec<Slot> = self
                    .written_since(mark)
                    .into_iter()
                    .map(|(slot, _)| slot)
                    .collect();
                let mut before = FxHashMap::default();
                for (slot, old) in self.trail[mark.min(self.trail.len())..].iter().rev() {
                    before.insert(*slot, old.clone());
                }
                self.merge_into(path, exit.written, &here, &before);
                self.shorten_trail(mark.min(self.trail.len()));
            } else {
                self.undo(mark);
                for (slot, held) in exit.written {
                    self.set(slot, held);
                }
                falls = true;
            }
        }
        if falls {
            // Who left for a label further out is gone, also where no branch says so.
            self.guard_against_exits(base, first_exit);
        }
        falls
    }

    /// Opens a label around a loop; see [`Walker::close_loop_label`].
    pub fn open_label(&mut self, label: LabelId) {
        let trail = self.trail.len();
        self.open.push(OpenLabel { label, trail });
    }

    pub fn close_open_label(&mut self) {
        self.open.pop();
    }

    pub fn record(&mut self, mut visit: Visit) {
        if self.study_depth > 0 {
            return;
        }
        for guard in &self.guards {
            match self.terms.constant(guard.condition) {
                Some(0) => return,
                Some(_) => {}
                None if self.terms.is_varying(guard.condition) => {
                    visit.guards.push(guard.condition)
                }
                None => visit.facts.push(guard.condition),
            }
        }
        visit.facts.extend(self.facts.iter().copied());
        visit.loop_depth = self.loop_depth;
        let mut loops = self.open_loops.iter();
        visit.iterations = loops.try_fold(1_u64, |all, one| {
            let trip = one.turns.trip.filter(|_| !one.leaves_early);
            all.checked_mul(trip?)
        });
        visit.schedule = self.schedule();
        if visit.schedule.is_none() && self.exits_of_unknown_lanes.is_empty() {
            let inner = self.open_loops.iter().rev().take_while(|one| one.is_exact);
            visit.inner_loops = inner.map(|one| one.turns.clone()).collect();
        }
        visit.premises = self.premises.count();
        self.visits.push(visit);
    }

    /// When the present place is reached, where that is known.
    fn schedule(&self) -> Option<Schedule> {
        if !self.exits_of_unknown_lanes.is_empty()
            || self.open_loops.iter().any(|one| !one.is_exact)
        {
            return None;
        }
        let own = self.guards.iter().filter(|guard| !guard.is_of_loop);
        let guards = own.map(|guard| guard.condition);
        Some(Schedule {
            loops: self
                .open_loops
                .iter()
                .map(|one| one.turns.clone())
                .collect(),
            guards: guards
                .filter(|guard| self.terms.constant(*guard).is_none())
                .collect(),
        })
    }

    fn name_of(&self, target: &Target) -> String {
        match target {
            Target::Shared(id) => self.kernel.shared[id.index()].name.clone(),
            Target::Global(id) => self.program.globals[id.index()].name.clone(),
            Target::Allocation(name) | Target::Unknown(name) => name.to_string(),
        }
    }

    /// The target of a base that is no local object, with its space; `None` for constant memory.
    pub fn target(&self, base: &Base) -> Option<(Space, Target)> {
        Some(match base {
            Base::Local(_) => return None,
            Base::Shared(id) => (Space::Shared, Target::Shared(*id)),
            Base::Global(id) => {
                if self
                    .program
                    .globals
                    .get(id.index())
                    .is_some_and(|global| global.is_constant)
                {
                    return None;
                }
                (Space::Global, Target::Global(*id))
            }
            Base::Allocation(id) => (
                Space::Global,
                Target::Allocation(self.allocations[id.0 as usize].clone()),
            ),
            Base::OneOf(all) if all.iter().all(|base| matches!(base, Base::Local(_))) => {
                return None;
            }
            Base::OneOf(all) => {
                let targets: Vec<_> = all.iter().filter_map(|base| self.target(base)).collect();
                let space = targets.first()?.0;
                if targets.len() < all.len() || targets.iter().any(|one| one.0 != space) {
                    let reason = "a pointer that is one of several objects";
                    return Some((Space::Global, Target::Unknown(reason.into())));
                }
                let names: Vec<String> = targets
                    .iter()
                    .map(|(_, target)| self.name_of(target))
                    .collect();
                (space, Target::Allocation(names.join(" or ").into()))
            }
            Base::Varying(reason) | Base::Unknown(reason) => {
                (Space::Global, Target::Unknown(reason.clone()))
            }
        })
    }
}
