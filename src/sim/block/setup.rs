//! Lays out a kernel's objects and binds the arguments of its launch.

use super::{Part, Simulation};
use crate::ir::{Expr, Object, ParameterKind, Program, Scalar, VarId, VariableKind};
use crate::sim::memory::{Allocation, MAX_WINDOW, Region};
use crate::sim::value::{Column, cast, encode};
use crate::sim::{ConcreteArgument, Unsupported};

impl Simulation<'_> {
    /// Static shared objects one after another, the dynamic ones at their end; then locals.
    pub(super) fn lay_out(&mut self, dynamic: u64) -> Result<(), Unsupported> {
        let too_large = || Unsupported::new("its objects are too large to simulate");
        let end_of = |start: u64, size: u64| {
            let end = start.checked_add(size).filter(|end| *end <= MAX_WINDOW);
            end.ok_or_else(too_large)
        };
        let mut end = 0_u64;
        for object in &self.kernel.shared {
            let start = end.next_multiple_of(u64::from(object.align.max(1)));
            self.shared_offsets.push(start);
            if let Some(size) = object.size {
                end = end_of(start, size)?;
            }
        }
        let dynamic_start = end.next_multiple_of(16);
        for (object, offset) in self.kernel.shared.iter().zip(&mut self.shared_offsets) {
            if object.size.is_none() {
                *offset = dynamic_start;
                end = end_of(dynamic_start, dynamic)?;
            }
        }
        self.shared_size = end;

        let mut end = 0_u64;
        for variable in &self.kernel.variables {
            self.local_offsets.push(match variable.kind {
                VariableKind::Scalar(_) => None,
                VariableKind::Object { size, align, .. } => {
                    let start = end.next_multiple_of(u64::from(align.max(1)));
                    end = start + u64::from(size);
                    Some(start)
                }
            });
        }
        self.local_size = end;
        let all_locals = end.saturating_mul(self.threads as u64);
        if end > MAX_WINDOW || all_locals > 1 << 28 {
            return Err(too_large());
        }
        Ok(())
    }

    pub(super) fn bind(&mut self, arguments: &[ConcreteArgument]) -> Result<(), Unsupported> {
        let kernel = self.kernel;
        if arguments.len() != kernel.parameters.len() {
            return Err(Unsupported::new(format!(
                "`{}` has {} parameters, the launch gives {} arguments",
                kernel.name,
                kernel.parameters.len(),
                arguments.len()
            )));
        }
        for (parameter, argument) in kernel.parameters.iter().zip(arguments) {
            let parts = match &parameter.kind {
                ParameterKind::Scalar(ty) => {
                    vec![(0, *ty, self.bind_one(&parameter.name, *ty, argument)?)]
                }
                ParameterKind::Pointer { .. } => {
                    vec![(
                        0,
                        Scalar::Pointer,
                        self.bind_one(&parameter.name, Scalar::Pointer, argument)?,
                    )]
                }
                ParameterKind::Object { leaves } => {
                    let ConcreteArgument::Leaves(values) = argument else {
                        return Err(Unsupported::new(format!(
                            "parameter `{}` is a struct",
                            parameter.name
                        )));
                    };
                    if values.len() != leaves.len() {
                        return Err(Unsupported::new(format!(
                            "parameter `{}` has {} members, the launch gives {}",
                            parameter.name,
                            leaves.len(),
                            values.len()
                        )));
                    }
                    let mut parts = Vec::new();
                    for ((offset, ty, path), value) in leaves.iter().zip(values) {
                        parts.push((*offset, *ty, self.bind_one(path, *ty, value)?));
                    }
                    parts
                }
            };
            self.parameters.push((parameter.variable, parts));
        }
        Ok(())
    }

    /// A global allocation for an argument; gives its address.
    fn add_buffer(&mut self, name: &str, region: Region) -> u64 {
        self.buffers
            .push((name.to_owned(), self.global.allocations.len()));
        self.global.add(Allocation {
            name: name.to_owned(),
            is_constant: false,
            region,
        })
    }

    fn bind_one(
        &mut self,
        name: &str,
        ty: Scalar,
        argument: &ConcreteArgument,
    ) -> Result<u64, Unsupported> {
        match (ty, argument) {
            (Scalar::Pointer, ConcreteArgument::Buffer { bytes, offset }) => {
                let start = self.add_buffer(name, Region::known(bytes));
                Ok(start.wrapping_add(*offset as u64))
            }
            (Scalar::Pointer, ConcreteArgument::Zeros(size)) => {
                Ok(self.add_buffer(name, Region::zeros(*size)))
            }
            (Scalar::Pointer, ConcreteArgument::Int(0)) => Ok(0),
            (ty, ConcreteArgument::Int(value)) if ty != Scalar::Pointer => {
                Ok(cast(*value as u64, Scalar::I64, ty))
            }
            (ty, ConcreteArgument::Float(value)) if ty != Scalar::Pointer => {
                Ok(cast(value.to_bits(), Scalar::F64, ty))
            }
            _ => Err(Unsupported::new(format!(
                "the argument for `{name}` is not of the parameter's type"
            ))),
        }
    }

    pub(super) fn add_globals(&mut self, program: &Program) -> Result<(), Unsupported> {
        /// Larger ones are left out; an access to them then lies in no allocation.
        const MAX_SIZE: u64 = 1 << 28;
        let why = self.why(&"the host sets it".into());
        let mut is_named = vec![false; program.globals.len()];
        for expr in &self.kernel.exprs {
            if let Expr::Address(Object::Global(id)) = expr
                && let Some(named) = is_named.get_mut(id.index())
            {
                *named = true;
            }
        }
        for (global, is_named) in program.globals.iter().zip(is_named) {
            let size = global.size.filter(|size| is_named && *size <= MAX_SIZE);
            let address = size.map(|size| {
                self.global.add(Allocation {
                    name: global.name.clone(),
                    is_constant: global.is_constant,
                    region: Region::unknown(size as usize, why),
                })
            });
            self.globals.push(address);
        }
        Ok(())
    }

    pub(super) fn set_parameter(&mut self, variable: VarId, parts: &[Part]) {
        let Some(start) = self.local_offset(variable) else {
            if let (Some((_, _, bits)), Some(slot)) =
                (parts.first(), self.variables.get_mut(variable.index()))
            {
                *slot = Column::uniform(*bits);
            }
            return;
        };
        for thread in 0..self.threads {
            for (offset, ty, bits) in parts {
                let at = self.local_at(thread, start + u64::from(*offset));
                self.local
                    .write(at, ty.size().min(8) as usize, encode(*bits, *ty), 0);
            }
        }
    }
}
