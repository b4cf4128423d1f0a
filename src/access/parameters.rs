//! Parameters of a kernel as a walk begins: pointers with their offsets, scalars with their values.
//!
//! Given a launch; binds each parameter to what is known of its argument, or to a symbol where nothing is.

use super::value::{AllocationId, Base, Contents, Pointer, Value, Variation};
use super::walker::Walker;
use crate::ir::residue::Residue;
use crate::ir::{Argument, Launch, ParameterKind, Scalar};
use crate::term::{Domain, Sharing, SymbolName, SymbolOrigin, Term, TermId};
use std::rc::Rc;
use std::sync::Arc;

impl Walker<'_> {
    pub(super) fn bind_parameters(&mut self, launch: &Launch) {
        for (at, parameter) in self.kernel.parameters.iter().enumerate() {
            let origin = SymbolOrigin::Parameter(at as u32);
            let argument = launch.arguments.get(at).unwrap_or(&Argument::Unknown);
            match &parameter.kind {
                ParameterKind::Scalar(ty) => {
                    let value = self.scalar_argument(
                        SymbolName::new(parameter.name.as_str(), origin),
                        *ty,
                        argument,
                    );
                    self.scalars[parameter.variable.index()] = Some(value);
                }
                ParameterKind::Pointer { element, .. } => {
                    let base = self.allocation(parameter.name.as_str());
                    if let (Argument::Int(0), Base::Allocation(id)) = (argument, &base) {
                        self.null_parameters.push(*id);
                    }
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
                    contents.is_unset = false;
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
                            self.scalar_argument(
                                SymbolName::new(name.as_str(), origin),
                                *ty,
                                &Argument::Unknown,
                            )
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
        let piece = ((step, rest) != (element, 0)).then_some(step);
        let unit = piece.map_or_else(String::new, |bytes| format!(" / {bytes} bytes"));
        let text = format!("offset of {name}{unit}");
        let domain = Domain::range(0, 1 << 40);
        let origin = SymbolOrigin::PointerOffset { piece };
        let count = self
            .terms
            .new_symbol_of(origin, text, Sharing::Uniform, domain);
        if let Term::Symbol(symbol) = *self.terms.term(count) {
            self.terms.symbol_mut(symbol).variable = Some(name.into());
        }
        let (step, rest) = (self.terms.int(step), self.terms.int(rest));
        let moved = self.terms.mul(count, step);
        self.terms.add(moved, rest)
    }

    fn scalar_argument(&mut self, name: SymbolName, ty: Scalar, argument: &Argument) -> Value {
        match argument {
            Argument::Int(value) if ty.is_integer() => Value::Int(self.terms.int(ty.wrap(*value))),
            _ if ty.is_integer() => {
                let domain = Domain::of_type(ty);
                Value::Int(self.terms.new_symbol(name, Sharing::Uniform, domain))
            }
            _ => Value::Opaque(Variation::Uniform, name),
        }
    }

    /// A new allocation in global memory that starts at an aligned address.
    pub fn allocation(&mut self, name: impl Into<Arc<str>>) -> Base {
        self.allocations.push(name.into());
        Base::Allocation(AllocationId(self.allocations.len() as u32 - 1))
    }
}
