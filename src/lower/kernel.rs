//! One kernel: its parameters, its body, and the attempts that its body takes.
//!
//! Given a function and the environment of one instance, gives a [`Kernel`] without
//! launches. Variables whose address turns out to be taken become objects in the
//! next attempt.

use super::context::{Binding, Captured, Frame, Lower, Returns, new_scope};
use super::directives::Head;
use super::groups::SpecialValue;
use super::inline::empty_returns;
use super::name_interner::NameInterner;
use super::values::{LValue, Mem, Val, scalar_val};
use super::{Options, Unit};
use crate::ir::folded::Form;
use crate::ir::{Holds, Kernel, Object, Parameter, ParameterKind, Scalar, Stmt, Stops, VarId};
use crate::sema::scope::{self, Env};
use crate::sema::types::Type;
use crate::source::{SourceMap, Span};
use crate::syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Attempts at one body; each makes objects of the variables that the last one found to be such.
const MAX_ATTEMPTS: u32 = 4;

pub(super) fn span_of(unit: &Unit<'_>, range: ast::Range) -> Span {
    unit.expanded
        .origin(range.start as usize..range.end as usize)
        .span
}

/// Lowers `function` for the template arguments in `env`.
pub(super) fn lower_kernel(
    unit: &Unit<'_>,
    sources: &SourceMap,
    options: &Options,
    function: &Arc<ast::Function>,
    env: &Env,
    name: &str,
    instance: &str,
) -> Kernel {
    let spilled = Rc::new(RefCell::new(FxHashSet::default()));
    let mut attempt = 0;
    loop {
        let before = spilled.borrow().len();
        let kernel = lower_once(
            unit,
            sources,
            options,
            function,
            env,
            name,
            instance,
            spilled.clone(),
        );
        attempt += 1;
        if spilled.borrow().len() == before || attempt == MAX_ATTEMPTS {
            return kernel;
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "one attempt of `lower_kernel`, with what the attempts share"
)]
fn lower_once(
    unit: &Unit<'_>,
    sources: &SourceMap,
    options: &Options,
    function: &Arc<ast::Function>,
    env: &Env,
    name: &str,
    instance: &str,
    spilled: Rc<RefCell<FxHashSet<u32>>>,
) -> Kernel {
    let mut lower = Lower::new(unit, options, env.clone(), spilled);
    lower
        .stack
        .push((Arc::as_ptr(function) as usize, String::new()));
    lower.push_block();
    lower.open_template_arguments(function, env);
    let mut parameters: Vec<Parameter> = function
        .parameters
        .iter()
        .flat_map(|parameter| lower.kernel_parameter(parameter))
        .collect();
    parameters.append(&mut lower.handed);
    let max_threads = function
        .attributes
        .launch_bounds
        .first()
        .and_then(|e| lower.constant_int(e))
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| *n > 0);
    lower.take_assumptions(function, sources);
    let stmts = function.body.as_deref().unwrap_or(&[]);
    match super::jumps::wild_jump(stmts) {
        Some(label) => {
            let reason = format!("`goto {label}` jumps into a block");
            lower.gap(function.name_range, &reason, Vec::new(), Vec::new());
        }
        None => {
            lower.statements(stmts, true);
            lower.end_scope(function.name_range);
        }
    }
    let mut body = lower.pop_block();
    if lower.is_full() {
        // What was not lowered may change what stands before it, in a loop.
        body.clear();
        let (limit, what) = if lower.steps > options.max_steps {
            (options.max_steps, "steps")
        } else {
            (u64::from(options.max_statements), "statements")
        };
        let reason = format!("not analysed: over the limit of {limit} {what} of one kernel");
        lower.gap(function.name_range, &reason, Vec::new(), Vec::new());
    }
    if !lower.prologue.is_empty() && !body.is_empty() {
        let rest = std::mem::take(&mut body);
        body = std::mem::take(&mut lower.prologue);
        body.extend(rest);
    }
    let touches_memory = crate::ir::visit::reaches_memory(&body);
    let mut kernel = Kernel {
        name: name.to_owned(),
        instance: instance.to_owned(),
        span: span_of(unit, function.name_range),
        parameters,
        variables: lower.variables,
        shared: lower.shared,
        sites: lower.sites,
        labels: lower.labels,
        loops: lower.loops,
        exprs: lower.arena.exprs,
        body,
        launches: Vec::new(),
        max_threads,
        is_open: false,
        touches_memory,
        gaps: lower.gaps,
        steps: lower.steps,
        form: Form::Plain,
    };
    crate::ir::promote::promote(&mut kernel);
    crate::ir::stays_false::leave(&mut kernel);
    crate::ir::atomics::decide(&mut kernel);
    kernel.shrink();
    kernel
}

impl<'a> Lower<'a> {
    fn new(
        unit: &'a Unit<'a>,
        limits: &'a Options,
        env: Env,
        spilled: Rc<RefCell<FxHashSet<u32>>>,
    ) -> Self {
        let scope = new_scope(None);
        Lower {
            unit,
            limits,
            arena: super::arena::Arena::default(),
            variables: Vec::new(),
            shared: Vec::new(),
            sites: Vec::new(),
            words: NameInterner::default(),
            stops: Stops::default(),
            aligned: FxHashMap::default(),
            members: FxHashMap::default(),
            chosen: FxHashSet::default(),
            gaps: Vec::new(),
            labels: 0,
            loops: 0,
            blocks: Vec::new(),
            frame: Frame {
                body: scope.clone(),
                scope,
                env,
                this: None,
                returns: Returns {
                    is_kernel: true,
                    ..empty_returns()
                },
                breaks: Vec::new(),
                continues: Vec::new(),
                targets: Vec::new(),
                inlined: Arc::default(),
                base: 0,
            },
            stack: Vec::new(),
            depth: 0,
            statements: 0,
            steps: 0,
            spent: FxHashMap::default(),
            fixed: FxHashMap::default(),
            written_by_another: FxHashSet::default(),
            written_at: FxHashMap::default(),
            loop_depth: 0,
            spilled,
            constants: FxHashSet::default(),
            has_lambdas: false,
            closures: Vec::new(),
            plain_functions: FxHashSet::default(),
            handed: Vec::new(),
            kept: Vec::new(),
            kept_objects: Vec::new(),
            made_of: FxHashMap::default(),
            statics: FxHashMap::default(),
            tables: FxHashMap::default(),
            constant_objects: FxHashMap::default(),
            prologue: Vec::new(),
            way: None,
            assumptions: Vec::new(),
            reported: FxHashSet::default(),
            brings_std_in: false,
            captured: Captured::default(),
            polymorphic: FxHashMap::default(),
            converting: Vec::new(),
            recursive: FxHashSet::default(),
        }
    }

    /// Numbers that all lanes share, for the template arguments that are not known.
    pub(super) fn open_template_arguments(&mut self, function: &Arc<ast::Function>, env: &Env) {
        let names = &self.unit.names;
        let Some(head) = names.own_head(function, &Env::new(names.home(function))) else {
            return;
        };
        for name in head.parameters.iter().filter_map(|p| p.name.as_ref()) {
            let Some(scope::Binding::Variable(Type::Scalar(scalar, _))) = env.get(name) else {
                continue;
            };
            let reason = format!("the template argument `{name}` is not known");
            let variable = self.scalar_variable(name, *scalar, None);
            let value = self.arena.unknown_by_name(&reason, Vec::new(), *scalar);
            self.emit(Stmt::Assign { variable, value });
            let id = self.arena.var(variable, *scalar);
            let place = LValue::Val(scalar_val(id, *scalar));
            self.bind(name, Binding::LValue(place));
        }
    }

    fn kernel_parameter(&mut self, parameter: &ast::Parameter) -> Vec<Parameter> {
        let Some(name) = parameter.name.clone() else {
            let ty = self.resolve(&parameter.ty).decay();
            let (variable, kind) = self.parameter_variable("", &ty, parameter);
            return vec![Parameter {
                name: String::new(),
                variable,
                kind,
                span: self.span(parameter.range),
            }];
        };
        let span = self.span(parameter.range);
        if parameter.is_pack {
            return self.kernel_pack(parameter, &name, span);
        }
        let ty = self.resolve(&parameter.ty);
        let (variable, kind, place) = match self.handed_lambda(parameter, &name) {
            Some(lambda) => {
                let (variable, kind) = self.parameter_variable(&name, &ty, parameter);
                self.name_type_of_lambda(&parameter.ty, lambda.ty());
                (variable, kind, LValue::Val(lambda))
            }
            None => self.declare_parameter(&name, parameter, &ty),
        };
        self.frame
            .env
            .set(name.clone(), scope::Binding::Variable(place.ty()));
        self.bind(&name, Binding::LValue(place));
        self.note_const(&name, &parameter.ty);
        vec![Parameter {
            name: name.to_string(),
            variable,
            kind,
            span,
        }]
    }

    /// `Args... args`: one parameter per type.
    fn kernel_pack(
        &mut self,
        parameter: &ast::Parameter,
        name: &ast::Name,
        span: Span,
    ) -> Vec<Parameter> {
        // What the type of an element is, in each of them.
        let pattern = ast::Expr {
            kind: ast::ExprKind::SizeofType(parameter.ty.clone()),
            range: parameter.range,
        };
        let Some(packs) = self.packs_in(&pattern) else {
            let reason = format!("the types of the pack `{name}` are not known");
            self.gap(parameter.range, &reason, Vec::new(), Vec::new());
            return Vec::new();
        };
        let types = self.each_element(&packs, |this| this.resolve(&parameter.ty).unqualified());
        let mut out = Vec::new();
        let mut items = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let element: ast::Name = Arc::from(format!("{name}#{at}"));
            let (variable, kind, place) = self.declare_parameter(&element, parameter, ty);
            items.push(Binding::LValue(place));
            out.push(Parameter {
                name: element.to_string(),
                variable,
                kind,
                span,
            });
        }
        self.bind(name, Binding::Pack(items));
        out
    }

    fn parameter_variable(
        &mut self,
        name: &str,
        ty: &Type,
        parameter: &ast::Parameter,
    ) -> (VarId, ParameterKind) {
        match ty {
            Type::Pointer(to) => {
                let (is_const, is_restrict) = qualifiers(&parameter.ty);
                let element = to
                    .size()
                    .and_then(|size| u32::try_from(size).ok())
                    .unwrap_or(0);
                let variable = self.scalar_variable(name, Scalar::Pointer, Some(parameter.range));
                (
                    variable,
                    ParameterKind::Pointer {
                        element,
                        is_const,
                        is_restrict,
                    },
                )
            }
            Type::Vector { .. } | Type::Record(_) | Type::Array(..) | Type::Opaque(_) => {
                let size = ty.size().unwrap_or(0);
                let variable = self.object_variable(
                    name,
                    size,
                    ty.align().unwrap_or(1),
                    Some(parameter.range),
                );
                if parameter.ty.is_const && ty.size().is_some() && ty.is_fixed_if_const() {
                    self.set_holds(variable, Holds::Argument);
                } else if ty.holds_numbers() {
                    self.set_holds(variable, Holds::Numbers);
                }
                let leaves = ty
                    .known_leaves()
                    .into_iter()
                    .filter_map(|(at, scalar, path)| {
                        Some((u32::try_from(at).ok()?, scalar, format!("{name}{path}")))
                    })
                    .collect();
                (variable, ParameterKind::Object { leaves })
            }
            ty => {
                let scalar = ty.scalar().unwrap_or(Scalar::I64);
                (
                    self.scalar_variable(name, scalar, Some(parameter.range)),
                    ParameterKind::Scalar(scalar),
                )
            }
        }
    }

    pub(super) fn declare_parameter(
        &mut self,
        name: &ast::Name,
        parameter: &ast::Parameter,
        ty: &Type,
    ) -> (VarId, ParameterKind, LValue) {
        let volatile = super::expr::is_volatile(&parameter.ty);
        if let Type::Reference(to) = ty {
            // `__grid_constant__ const T&` and the like: the object is somewhere in global memory.
            let pointer_type = Type::Pointer(to.clone());
            let (variable, kind) = self.parameter_variable(name, &pointer_type, parameter);
            let pointer = self.arena.var(variable, Scalar::Pointer);
            let mem = Mem {
                pointer,
                ty: (**to).clone(),
                array: Rc::from(&**name),
                volatile,
                is_const: super::values::const_of(to),
                bits: None,
                packed: None,
                is_temporary: Some(false),
            };
            return (variable, kind, LValue::Mem(mem));
        }
        let ty = ty.decay();
        let (variable, kind) = self.parameter_variable(name, &ty, parameter);
        let place = match &ty {
            // Those that are left are `std::array`.
            Type::Vector { .. } | Type::Record(_) | Type::Array(..) => {
                let pointer = self.arena.address(Object::Local(variable));
                LValue::Mem(Mem {
                    pointer,
                    ty,
                    array: Rc::from(&**name),
                    volatile: false,
                    is_const: self.is_const_type(&parameter.ty),
                    bits: None,
                    packed: None,
                    is_temporary: Some(false),
                })
            }
            Type::Opaque(_) => LValue::Val(Val::SpecialValue(SpecialValue::Opaque(ty))),
            _ => {
                let key = parameter.range.start;
                if self.spilled.borrow().contains(&key) && !parameter.is_pack {
                    let scalar = self.variable_scalar(variable);
                    let value = scalar_val(self.arena.var(variable, scalar), scalar);
                    let mem = self.local(name, &ty, Some(parameter.range));
                    self.write(&LValue::Mem(mem.clone()), value, parameter.range);
                    LValue::Mem(mem)
                } else {
                    LValue::Var {
                        variable,
                        ty,
                        volatile,
                        is_const: self.is_const_type(&parameter.ty),
                        key: Some(key),
                    }
                }
            }
        };
        (variable, kind, place)
    }

    /// Assumptions above the kernel are emitted now, those inside of it at their place.
    fn take_assumptions(&mut self, function: &ast::Function, sources: &SourceMap) {
        let all = &self.unit.directives.assumptions;
        if all.is_empty() {
            return;
        }
        let whole = self.span(function.range);
        let head = Head::of(whole, sources);
        for at in 0..all.len() {
            let Some(assumption) = self.unit.directives.assumptions.get(at) else {
                continue;
            };
            if head.holds(assumption.span) {
                self.assume(at);
            } else if assumption.span.file == whole.file
                && whole.start < assumption.span.start
                && assumption.span.end <= whole.end
            {
                self.assumptions.push(at);
            }
        }
    }

    /// Emits the assumptions that stand between the last statement and this one.
    pub fn assumptions_before(&mut self, range: ast::Range) {
        if self.assumptions.is_empty() || self.stack.len() > 1 {
            return;
        }
        let here = self.span(range);
        while let Some(at) = self.assumptions.first().copied() {
            match self.unit.directives.assumptions.get(at) {
                Some(assumption) if assumption.span.end <= here.start => {
                    self.assumptions.remove(0);
                    self.assume(at);
                }
                _ => return,
            }
        }
    }

    fn assume(&mut self, at: usize) {
        let unit = self.unit;
        let Some(assumption) = unit.directives.assumptions.get(at) else {
            return;
        };
        for e in &assumption.conditions {
            // A condition that needs memory has no meaning at this place.
            self.push_block();
            let condition = self.condition(e);
            if self.pop_block().is_empty() {
                self.emit(Stmt::Assume {
                    condition,
                    span: assumption.span,
                });
            }
        }
    }
}

/// Whether the pointee is const and the pointer `__restrict__`.
fn qualifiers(ty: &ast::TypeExpr) -> (bool, bool) {
    match &ty.kind {
        ast::TypeKind::Pointer { to, is_restrict } => (to.is_const, *is_restrict),
        ast::TypeKind::Array(to, _) => (to.is_const, false),
        _ => (false, false),
    }
}
