//! What a launch gives: pointers, and numbers that are addresses, in parameters and in the memory behind them.
//!
//! All of these point into global memory. Which object of it, and how far into that, the text does not say.

use super::joins::either;
use super::memory::LocalPlace;
use super::value::{Base, Contents, Pointer, Value, Variation, pointer_of_each_lane};
use super::walker::Walker;
use crate::ir::residue::Residue;
use crate::ir::{ExprId, ParameterKind, Scalar, VarId};
use crate::term::{
    DifferenceKind, LaneDifference, Op as TermOp, SymbolId, SymbolName, SymbolOrigin, Term, TermId,
    gcd,
};

/// Whether what is read may be an address: a pointer, or a number as wide as one.
pub(super) fn may_be_address(ty: Scalar) -> bool {
    ty == Scalar::Pointer || ty.is_integer() && ty.size() == 8
}

impl Walker<'_> {
    /// How far into its object a pointer points that was read from what a launch gives. Which of the pointers that it
    /// moved it is, the type of the pointer does not say.
    pub(super) fn offset_in_given(&mut self, name: &str) -> TermId {
        match self.moved.iter().map(|m| m.element).min() {
            Some(element) => self.pointer_offset(name, element, Residue::ANY),
            None => self.terms.int(0),
        }
    }

    /// Whether an object holds what the launch gave it: a parameter in which nothing was written that could be an
    /// address of something else.
    pub(super) fn is_as_given(&self, object: VarId, contents: &Contents) -> bool {
        let mut parameters = self.kernel.parameters.iter();
        let is_parameter = parameters.any(|parameter| parameter.variable == object);
        let is_given = |value: &Value| match value {
            Value::Pointer(pointer) => matches!(pointer.base, Base::Allocation(_)),
            Value::Int(term) => {
                let symbols = self.terms.symbols_in([*term]);
                let mut origins = symbols.iter().map(|id| self.terms.symbol(*id).origin);
                origins.all(SymbolOrigin::is_given)
            }
            Value::Opaque(..) => true,
        };
        is_parameter
            && contents.changes == 0
            && !contents.has_lost_a_pointer
            && contents.rest == Variation::Uniform
            && contents.cells.values().all(|(_, value)| is_given(value))
    }

    /// Whether a pointer certainly points into global or constant memory.
    pub(super) fn is_in_global_memory(&mut self, pointer: ExprId) -> bool {
        match self.eval(pointer) {
            Value::Pointer(pointer) => pointer.base.is_in_global_memory(),
            _ => false,
        }
    }

    /// A value out of a local object whose place in it is not known, or its layout; `is_given` says that the object
    /// holds what the launch gave it.
    pub(super) fn define_element(
        &mut self,
        target: VarId,
        object: VarId,
        (ty, variation): (Scalar, Variation),
        is_given: bool,
    ) {
        let object = &self.kernel.variables[object.index()].name;
        if !is_given {
            return self.define(target, variation, SymbolName::element_of(object), ty);
        }
        let name = SymbolName::given_element_of(object);
        if let (Scalar::Pointer, Variation::Uniform) = (ty, &variation) {
            let base = self.allocation(name.text.clone());
            let offset = self.offset_in_given(&name.text);
            return self.assign(target, Value::Pointer(Pointer { base, offset }));
        }
        self.define(target, variation, name, ty);
    }

    /// How lanes differ in an element that each of them chooses.
    pub(super) fn choice_by_lanes(&self, place: &LocalPlace, ty: Scalar) -> Variation {
        let chosen = Value::Int(place.offset).variation(&self.terms);
        let mut parameters = self.kernel.parameters.iter();
        let is_computed = matches!(&chosen, Variation::Varying(difference) if difference.kind == DifferenceKind::Computed);
        // The launch gives pointers, and numbers that are addresses, as data.
        if may_be_address(ty)
            && is_computed
            && parameters.any(|parameter| parameter.variable == place.object)
        {
            let chosen = match ty {
                Scalar::Pointer => pointer_of_each_lane(),
                _ => LaneDifference::data("a number chosen per lane"),
            };
            return Variation::Varying(chosen);
        }
        chosen
    }

    /// An element of an array of pointers that lanes agree on: all that the array can hold is known, and all
    /// point into global memory. With the bytes that divide how far behind the starts of objects they point, 0
    /// where they point to those.
    pub(super) fn one_of_pointers(
        &self,
        contents: &Contents,
        place: &LocalPlace,
    ) -> Option<(Base, i64)> {
        if self.terms.is_varying(place.offset) || contents.changes > 0 {
            return None;
        }
        let mut parameters = self.kernel.parameters.iter();
        let declared = parameters.find_map(|parameter| match &parameter.kind {
            ParameterKind::Object { leaves } if parameter.variable == place.object => Some(leaves),
            _ => None,
        });
        // Of a parameter it is known what is a pointer; anything else may be a part of the array.
        let is_part = |at: &u32| match declared {
            Some(leaves) => leaves
                .iter()
                .any(|(leaf, ty, _)| leaf == at && *ty == Scalar::Pointer),
            None => contents.cells.contains_key(at),
        };
        let element = |at: u32| match contents.read(at, Scalar::Pointer.size())? {
            Value::Pointer(pointer) => {
                let step = self.step_of_launch(pointer.offset)?;
                let is_global = pointer.base.is_in_global_memory();
                is_global.then(|| (pointer.base.clone(), step))
            }
            _ => None,
        };
        // A subscript stays inside of its array: that is at most the pointers around its constant part.
        let first = u32::try_from(self.constant_part(place.offset)).ok()?;
        let size = Scalar::Pointer.size();
        let start = std::iter::successors(Some(first), |at| at.checked_sub(size))
            .take_while(is_part)
            .last()?;
        let mut all = (start..).step_by(size as usize).take_while(is_part);
        let one = element(all.next()?)?;
        all.try_fold(one, |(base, step), at| {
            let (next, by) = element(at)?;
            Some((either(&base, &next, false), gcd(step, by)))
        })
    }

    /// The bytes between the places that a launch lets a pointer point to, of which nothing else is known; 0
    /// where it is the start of an object.
    fn step_of_launch(&self, offset: TermId) -> Option<i64> {
        let step = |id: TermId| match self.terms.term(id) {
            Term::Symbol(symbol) => {
                let origin = self.terms.symbol(*symbol).origin;
                let is_whole = matches!(origin, SymbolOrigin::PointerOffset { piece: None });
                is_whole.then_some(1)
            }
            _ => None,
        };
        match self.terms.term(offset) {
            Term::Const(0) => Some(0),
            Term::Binary(TermOp::Mul, a, b) => {
                let (symbol, by) = match self.terms.constant(*b) {
                    Some(by) => (*a, by),
                    None => (*b, self.terms.constant(*a)?),
                };
                step(symbol)?;
                (by >= 0).then_some(by)
            }
            _ => step(offset),
        }
    }

    fn constant_part(&self, id: TermId) -> i64 {
        match self.terms.term(id) {
            Term::Const(value) => *value,
            Term::Binary(TermOp::Add, a, b) => self
                .constant_part(*a)
                .saturating_add(self.constant_part(*b)),
            _ => 0,
        }
    }

    /// A number that a launch gives, or that lies in what it gives, as the address that it is: one of global memory,
    /// as pointers of a launch are. The object behind it, and how far into that it points, are not known.
    pub(super) fn given_address(&mut self, number: TermId) -> Option<Value> {
        if self.terms.is_varying(number) {
            return None;
        }
        let symbols = self.terms.symbols_in([number]);
        let mut origins = symbols.iter().map(|id| self.terms.symbol(*id).origin);
        let is_known = |origin: SymbolOrigin| {
            origin.is_given() || origin.is_swept() || matches!(origin, SymbolOrigin::Dimension)
        };
        if !origins.all(is_known) {
            return None;
        }
        // A number of 32 bits may be an address of shared memory.
        let is_wide = |id: &&SymbolId| {
            let symbol = self.terms.symbol(**id);
            symbol.origin.is_given() && symbol.domain.high > i64::from(u32::MAX)
        };
        let given = symbols.iter().find(is_wide)?;
        let name = match symbols.iter().filter(is_wide).count() {
            1 => self.terms.symbol(*given).name.clone(),
            _ => "an address that the launch gives".into(),
        };
        let base = self.allocation(name.clone());
        let offset = self.pointer_offset(&name, 1, Residue::ANY);
        Some(Value::Pointer(Pointer { base, offset }))
    }
}
