//! From a launch in host code to a kernel instance, a shape and arguments.

mod configuration;
mod targets;

use configuration::dimensions;
use targets::Target;

use super::operands::address_of;
use super::walk::{Walk, World};
use super::{DeclaredKernel, ForeignLaunch, HostLaunch};
use crate::ir::{Argument, Dimension, Launch, LaunchSource, MovedPointer, Written};
use crate::sema::consteval::Value;
use crate::sema::scope::{
    self, Callee, Env, Names, deduce_with_reason, display_list, overload_for_types,
    resolve_arguments, resolve_type,
};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Expr, TemplateArgument};
use std::sync::Arc;

/// An expression as it is written: a pack's element goes by the name of its pack.
fn shown(e: &Expr) -> String {
    let text = crate::sema::text(e);
    let mut parts = text.split('#');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        out + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

/// The parts of a launch, whatever call they come from.
pub(super) struct Parts {
    grid: [Dimension; 3],
    block: [Dimension; 3],
    dynamic_shared: Option<u64>,
    /// The expression of the dynamic shared memory.
    bytes: Option<Arc<str>>,
    pub(super) arguments: Vec<Expr>,
    range: ast::Range,
    /// `cuLaunchKernel` gets its kernel out of a module.
    is_of_driver: bool,
}

impl Parts {
    fn launch(&self, arguments: Vec<Argument>, moved: Vec<MovedPointer>) -> Launch {
        Launch {
            grid: self.grid.clone(),
            block: self.block.clone(),
            dynamic_shared: self.dynamic_shared,
            arguments,
            moved,
            source: LaunchSource::Launch,
            span: None,
        }
    }

    fn written(&self) -> Written {
        Written {
            arguments: self.arguments.iter().map(|e| shown(e).into()).collect(),
            dynamic_shared: self.bytes.clone(),
        }
    }
}

impl Walk<'_, '_> {
    /// `callee<<<config>>>(arguments)`
    pub fn record(
        &mut self,
        env: &Env,
        world: &mut World,
        callee: &Expr,
        config: &[Expr],
        arguments: &[Expr],
        range: ast::Range,
    ) {
        let (Some(grid), Some(block)) = (config.first(), config.get(1)) else {
            return;
        };
        let dynamic_shared = match config.get(2) {
            None => Some(0),
            Some(e) => self.bytes(env, world, e),
        };
        let parts = Parts {
            grid: self.shape(env, world, grid),
            block: self.shape(env, world, block),
            dynamic_shared,
            bytes: config.get(2).map(|e| shown(e).into()),
            arguments: arguments.to_vec(),
            range,
            is_of_driver: false,
        };
        self.record_targets(env, world, callee, &parts);
    }

    /// `cudaLaunchKernel` and its kin.
    pub fn record_call(
        &mut self,
        env: &Env,
        world: &mut World,
        name: &str,
        arguments: &[Expr],
        range: ast::Range,
    ) {
        let (callee, parts) = match (name, arguments) {
            (
                "cudaLaunchKernel"
                | "cudaLaunchCooperativeKernel"
                | "hipLaunchKernel"
                | "hipLaunchCooperativeKernel",
                [f, grid, block, list, rest @ ..],
            ) => {
                let parts = Parts {
                    grid: self.shape(env, world, grid),
                    block: self.shape(env, world, block),
                    dynamic_shared: rest.first().map_or(Some(0), |e| self.bytes(env, world, e)),
                    bytes: rest.first().map(|e| shown(e).into()),
                    arguments: self.listed(world, list),
                    range,
                    is_of_driver: false,
                };
                (f, parts)
            }
            ("hipLaunchKernelGGL", [f, grid, block, shared, _, rest @ ..]) => {
                let parts = Parts {
                    grid: self.shape(env, world, grid),
                    block: self.shape(env, world, block),
                    dynamic_shared: self.bytes(env, world, shared),
                    bytes: Some(shown(shared).into()),
                    arguments: rest.to_vec(),
                    range,
                    is_of_driver: false,
                };
                (f, parts)
            }
            ("cudaLaunchKernelEx" | "cudaLaunchKernelExC", [config, f, rest @ ..]) => {
                let config = address_of(config).unwrap_or(config);
                let value = self.value(env, world, config);
                let field = |n: &str| value.as_ref().and_then(|v| v.field(n)).cloned();
                let shape = |n: &str| {
                    dimensions(field(n).as_ref(), |axis| {
                        format!("{}.{n}{axis}", shown(config))
                    })
                };
                let parts = Parts {
                    grid: shape("gridDim"),
                    block: shape("blockDim"),
                    dynamic_shared: field("dynamicSmemBytes")
                        .and_then(|v| u64::try_from(v.as_int()?).ok()),
                    bytes: Some(format!("{}.dynamicSmemBytes", shown(config)).into()),
                    arguments: match (name, rest) {
                        ("cudaLaunchKernelExC", [list]) => self.listed(world, list),
                        _ => rest.to_vec(),
                    },
                    range,
                    is_of_driver: false,
                };
                (f, parts)
            }
            (
                "cuLaunchKernel" | "cuLaunchCooperativeKernel",
                [f, gx, gy, gz, bx, by, bz, shared, _, rest @ ..],
            ) => {
                let mut three = |es: [&Expr; 3]| es.map(|e| self.dimension(env, world, e));
                let (grid, block) = (three([gx, gy, gz]), three([bx, by, bz]));
                let parts = Parts {
                    grid,
                    block,
                    dynamic_shared: self.bytes(env, world, shared),
                    bytes: Some(shown(shared).into()),
                    arguments: rest
                        .first()
                        .map_or_else(Vec::new, |l| self.listed(world, l)),
                    range,
                    is_of_driver: true,
                };
                (f, parts)
            }
            _ => return,
        };
        self.record_targets(env, world, callee, &parts);
    }

    fn record_target(
        &mut self,
        env: &Env,
        at: &Env,
        world: &mut World,
        target: Target,
        parts: &Parts,
        argument_types: &[Type],
    ) {
        let reads = target.env.as_ref().unwrap_or(at);
        let kernels: Vec<Callee> = target
            .candidates
            .iter()
            .filter(|c| c.function.attributes.global)
            .cloned()
            .collect();
        let has_body = |c: &Callee| c.function.body.is_some();
        let chosen = overload_for_types(
            self.names,
            reads,
            &kernels,
            &target.explicit,
            argument_types,
        );
        if let Some((callee, inner)) = chosen {
            let callee = self.definition_of(&kernels, callee);
            if !has_body(&callee) {
                let target = target.declared(vec![callee]);
                return self.record_foreign(env, at, world, target, parts, argument_types);
            }
            return self.record_instance(env, world, (callee, inner, None), parts, argument_types);
        }
        // The types of the arguments are not all known, or not well enough.
        let takes = |c: &Callee| parts.arguments.is_empty() || self.takes(c, parts.arguments.len());
        let mut fitting: Vec<Callee> = Vec::new();
        for kernel in kernels.iter().filter(|c| takes(c)) {
            let kernel = self.definition_of(&kernels, kernel.clone());
            let is_it = |c: &Callee| Arc::ptr_eq(&c.function, &kernel.function);
            if !fitting.iter().any(is_it) {
                fitting.push(kernel);
            }
        }
        if !kernels.iter().any(has_body) {
            // How many arguments there are, a pack that is not known does not tell.
            let target = match fitting.is_empty() {
                true => target.declared(kernels),
                false => target.declared(fitting),
            };
            return self.record_foreign(env, at, world, target, parts, argument_types);
        }
        if fitting.is_empty() {
            fitting.extend(kernels.iter().find(|c| has_body(c)).cloned());
        }
        let is_one_of_several = fitting.len() > 1;
        if !fitting.iter().all(has_body) {
            let (defined, candidates) = fitting.into_iter().partition(has_body);
            fitting = defined;
            let declared = target.declared(candidates);
            self.record_foreign(env, at, world, declared, parts, argument_types);
        }
        for callee in fitting {
            let arguments = (&target.explicit[..], argument_types);
            let (inner, problem) = self.open_instance(reads, &callee, arguments, is_one_of_several);
            let instance = (callee, inner, problem);
            self.record_instance(env, world, instance, parts, argument_types);
        }
    }

    /// What is known of a kernel that a launch may be of, and why not all is.
    fn open_instance(
        &mut self,
        reads: &Env,
        callee: &Callee,
        (explicit, argument_types): (&[TemplateArgument], &[Type]),
        is_one_of_several: bool,
    ) -> (Env, Option<(Arc<str>, bool)>) {
        let deduced = deduce_with_reason(
            self.names,
            reads,
            &callee.env,
            &callee.function,
            explicit,
            argument_types,
        );
        let open = "which of the kernels of its name fits is not known";
        match deduced {
            Ok(inner) => (inner, is_one_of_several.then(|| (Arc::from(open), false))),
            Err(reason) => {
                let unnamed = self.unnamed_template();
                let is_of_unnamed = unnamed.is_some();
                let reason = unnamed.unwrap_or(reason);
                let head = self.names.own_head(&callee.function, &callee.env);
                let inner = match head {
                    Some(head) => {
                        let given = resolve_arguments(self.names, reads, explicit, Some(head));
                        scope::bind_open(self.names, &callee.env, head, given)
                    }
                    None => callee.env.clone(),
                };
                (inner, Some((Arc::from(reason), is_of_unnamed)))
            }
        }
    }

    /// Whether a kernel can be given so many arguments.
    pub(super) fn takes(&self, c: &Callee, count: usize) -> bool {
        let parameters = &c.function.parameters;
        let has_pack = parameters.iter().any(|p| p.is_pack);
        let needs = |i: &usize| {
            let default = self.names.default_argument(&c.function, &c.env, *i);
            !parameters[*i].is_pack && default.is_none()
        };
        let needed = (0..parameters.len()).filter(needs).count();
        count >= needed && (has_pack || count <= parameters.len())
    }

    fn declared_kernel(&self, kernel: &Callee) -> DeclaredKernel {
        let function = &kernel.function;
        let is_template = !function.templates.is_empty();
        let parameters = function.parameters.iter();
        let parameters = parameters.map(|p| match is_template {
            true => Type::Unknown(Arc::from("it depends on a template")),
            false => resolve_type(self.names, &kernel.env, &p.ty),
        });
        DeclaredKernel {
            namespace: self.names.scope_name(kernel.env.namespace).to_owned(),
            is_template,
            parameters: parameters.collect(),
        }
    }

    /// A launch of a kernel that stands elsewhere.
    fn record_foreign(
        &mut self,
        env: &Env,
        at: &Env,
        world: &mut World,
        target: Target,
        parts: &Parts,
        argument_types: &[Type],
    ) {
        let reads = target.env.as_ref().unwrap_or(at);
        let declared: Vec<DeclaredKernel> = (target.candidates.iter())
            .map(|kernel| self.declared_kernel(kernel))
            .collect();
        let types = match &declared[..] {
            [one] if !one.is_template => &one.parameters[..],
            _ => &[],
        };
        let arguments = parts.arguments.iter().enumerate();
        let arguments = arguments
            .map(|(nth, a)| self.argument(env, world, a, types.get(nth)))
            .collect();
        let moved = self.moved_pointers(&parts.arguments, argument_types);
        self.out.foreign.push(ForeignLaunch {
            name: target.name,
            declared,
            sees: self.names.visible_namespaces(reads),
            arguments: resolve_arguments(self.names, reads, &target.explicit, None),
            argument_types: argument_types.to_vec(),
            launch: parts.launch(arguments, moved),
            range: parts.range,
            also: Vec::new(),
            written: parts.written(),
        });
    }

    /// A launch of one kernel, with what keeps its template arguments from being known, and whether that is that
    /// nothing names the template around it.
    fn record_instance(
        &mut self,
        env: &Env,
        world: &mut World,
        (callee, mut inner, problem): (Callee, Env, Option<(Arc<str>, bool)>),
        parts: &Parts,
        argument_types: &[Type],
    ) {
        let function = &callee.function;
        let head = self.names.own_head(function, &callee.env);
        super::device_types::put(self.names, env, head, &mut inner);
        let types: Vec<Option<Type>> = (0..parts.arguments.len())
            .map(|i| {
                let parameter = function.parameters.get(i).filter(|p| !p.is_pack);
                parameter.map(|p| resolve_type(self.names, &inner, &p.ty))
            })
            .collect();
        let arguments = parts.arguments.iter().zip(&types);
        let arguments = arguments
            .map(|(a, ty)| match self.argument(env, world, a, ty.as_ref()) {
                Argument::Unknown if self.is_narrowed(world, a) => Argument::Narrowed,
                known => known,
            })
            .collect();
        let mut arguments: Vec<Argument> = arguments;
        // A list of addresses that was not read may hold pointers to anywhere.
        let is_unread = arguments.is_empty();
        let others = function.parameters.iter().filter(|_| is_unread);
        for parameter in others {
            let ty = resolve_type(self.names, &inner, &parameter.ty);
            arguments.push(match ty.strip_reference() {
                Type::Pointer(_) | Type::Array(..) => Argument::OPEN_POINTER,
                _ => Argument::Unknown,
            });
        }
        let types = types.into_iter().zip(argument_types);
        let types: Vec<Type> = types
            .map(|(ty, of)| ty.unwrap_or_else(|| of.clone()))
            .collect();
        let moved = self.moved_pointers(&parts.arguments, &types);
        let name = self.names.full_name(callee.env.namespace, &function.name);
        let mut instance = match problem {
            Some(_) => String::new(),
            None => instance(self.names, &callee, &inner),
        };
        if problem.is_none() {
            let (at, of) = ((env, world), (&**function, &mut inner));
            let numbers = self.hand_lambdas(at, of, (parts, &mut arguments));
            // Arguments are displayed alike that are different lambdas.
            let numbers: Vec<String> = numbers.iter().map(|n| (n + 1).to_string()).collect();
            if !numbers.is_empty() {
                let told = format!("lambda {}", numbers.join(" and "));
                instance = match instance.contains("lambda") {
                    true => instance.replacen("lambda", &told, 1),
                    false => format!("{instance} {told}"),
                };
            }
        }
        self.out.host.push(HostLaunch {
            kernel: function.clone(),
            name,
            instance,
            env: inner,
            launch: parts.launch(arguments, moved),
            range: parts.range,
            also: Vec::new(),
            written: parts.written(),
            is_of_unnamed: matches!(problem, Some((_, true))),
            problem: problem.map(|(reason, _)| reason),
        });
    }

    fn argument(
        &self,
        env: &Env,
        world: &mut World,
        a: &Expr,
        parameter: Option<&Type>,
    ) -> Argument {
        let value = self.argument_value(env, world, a);
        let wants_pointer = match parameter.map(Type::strip_reference) {
            Some(ty) => matches!(ty, Type::Pointer(_) | Type::Array(..)),
            None => !matches!(
                self.argument_type(env, world, a).strip_reference(),
                Type::Scalar(..) | Type::Vector { .. }
            ),
        };
        let of = parameter.map(Type::strip_reference);
        match (&value, of) {
            // A call whose type is not known still gives a pointer where one is wanted.
            // An object is converted to one.
            (None | Some(Value::Fields(_) | Value::List(_) | Value::Lambda(_)), _)
                if wants_pointer =>
            {
                let (offset, is_assumed) = self.offset(env, world, a);
                Argument::Pointer { offset, is_assumed }
            }
            (Some(value), of) => known_argument(value, of).unwrap_or(Argument::Unknown),
            (None, _) => Argument::Unknown,
        }
    }
}

/// An argument that is a known pointer or number, for a parameter of a type, if that is known.
pub(super) fn known_argument(value: &Value, of: Option<&Type>) -> Option<Argument> {
    let number = |value: &Value| match value {
        Value::Int { value, .. } => Some(Argument::Int(*value)),
        Value::Float(value, _) => Some(Argument::Float(*value)),
        _ => None,
    };
    match (value, of) {
        // A null pointer: what stands behind `p != nullptr` does not run.
        (Value::Int { value: 0, .. }, Some(Type::Pointer(_))) => Some(Argument::Int(0)),
        (
            Value::Pointer {
                offset, is_assumed, ..
            },
            Some(Type::Pointer(_) | Type::Array(..) | Type::Unknown(_)) | None,
        ) => Some(Argument::Pointer {
            offset: *offset,
            is_assumed: *is_assumed,
        }),
        (Value::Int { .. } | Value::Float(..), Some(Type::Scalar(s, _))) => {
            number(&value.convert(*s)?)
        }
        (_, None | Some(Type::Unknown(_))) => number(value),
        _ => None,
    }
}

/// `<float, 16>` of a kernel's bound template parameters, or of an explicit specialisation.
#[must_use]
pub(super) fn instance(names: &Names<'_>, callee: &Callee, env: &Env) -> String {
    let list = match names
        .own_head(&callee.function, &callee.env)
        .filter(|h| !h.parameters.is_empty())
    {
        Some(head) => scope::display_bound(head, env, scope::display_argument),
        None => display_list(&resolve_arguments(
            names,
            &callee.env,
            &callee.function.arguments,
            None,
        )),
    };
    if list.is_empty() {
        String::new()
    } else {
        format!("<{list}>")
    }
}
