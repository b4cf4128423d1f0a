//! Numbers of which a part is used: the compiler loads that part alone, as a narrower access.
//!
//! Given a kernel, tells how many bytes a load of 4 or 8 may shrink to: half of a 64-bit number, where nothing needs the
//! other half; one byte or two, where a mask, a shift or a conversion keeps exactly those (seen in the SASS of CUDA 13.0
//! for sm_90). A call that is not modelled may use more, so both widths stay possible.

use crate::access::Visit;
use crate::ir::visit::{each_evaluated, statements};
use crate::ir::{
    Binary, Expr, ExprId, Kernel, Scalar, SiteId, Stmt, Unary, Value, VarId, local_object,
};
use crate::prove::verdict::Access;
use rustc_hash::FxHashMap;

const ALL: u64 = u64::MAX;

/// The bits that are used of what each load of a number of 4 or 8 bytes gives.
fn used_bits(kernel: &Kernel) -> FxHashMap<SiteId, u64> {
    let mut loads: Vec<(VarId, Scalar, SiteId)> = Vec::new();
    statements(&kernel.body, &mut |stmt| {
        if let Stmt::Load {
            target,
            pointer,
            ty,
            site,
            ..
        } = stmt
            && matches!(ty.size(), 4 | 8)
            && ty.is_integer()
            && local_object(&kernel.exprs, *pointer).is_none()
        {
            loads.push((*target, *ty, *site));
        }
    });
    if loads.is_empty() {
        return FxHashMap::default();
    }
    let demanded = Demanded::of(kernel);
    let used = loads.into_iter().filter_map(|(target, ty, site)| {
        let bits = demanded.variables.get(&target).copied()?;
        Some((site, bits & mask(ty.bits())))
    });
    used.collect()
}

/// Notes what loads may be narrowed to. What is loaded twice may be loaded once.
pub(super) fn note(kernel: &Kernel, visits: &[&Visit], accesses: &mut [Option<Access>]) {
    let used = used_bits(kernel);
    let place = |visit: &Visit| Some((visit.target.clone(), visit.offset?, visit.width));
    let mut of_place: FxHashMap<_, u64> = FxHashMap::default();
    for visit in visits {
        if let Some(bits) = used.get(&visit.site) {
            *of_place.entry(place(visit)).or_default() |= bits;
        }
    }
    for (visit, access) in visits.iter().zip(accesses) {
        let (Some(access), true) = (access, used.contains_key(&visit.site)) else {
            continue;
        };
        if access.merged.is_none() {
            let bits = of_place.get(&place(visit)).copied();
            access.narrowed = bits.and_then(|bits| narrowed(bits, visit.width));
        }
    }
}

/// Bytes of the access that takes these bits out of a number of `size` bytes, if it is narrower.
fn narrowed(bits: u64, size: u32) -> Option<u32> {
    let is_part = |bytes: u32| {
        let parts = 0..size / bytes;
        parts
            .into_iter()
            .any(|at| bits == mask(8 * bytes) << (8 * bytes * at))
    };
    let is_in_half = size == 8 && bits != 0 && (bits >> 32 == 0 || bits & mask(32) == 0);
    let exact = [1, 2].into_iter().find(|bytes| is_part(*bytes));
    exact.or_else(|| is_in_half.then_some(4))
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { ALL } else { (1 << bits) - 1 }
}

/// Which bits of values something depends on, as LLVM's `DemandedBits` tells them.
#[derive(Default)]
struct Demanded<'k> {
    exprs: &'k [Expr],
    variables: FxHashMap<VarId, u64>,
    values: FxHashMap<ExprId, u64>,
    assigned: FxHashMap<VarId, Vec<ExprId>>,
}

impl<'k> Demanded<'k> {
    fn of(kernel: &'k Kernel) -> Self {
        let mut out = Self {
            exprs: &kernel.exprs,
            ..Self::default()
        };
        statements(&kernel.body, &mut |stmt| {
            if let Stmt::Assign { variable, value } = stmt {
                out.assigned.entry(*variable).or_default().push(*value);
            }
        });
        let mut wanted: Vec<(ExprId, u64)> = Vec::new();
        statements(&kernel.body, &mut |stmt| match stmt {
            Stmt::Assign { .. } => {}
            Stmt::Store {
                pointer,
                value: Value::Scalar(value),
                ..
            } => wanted.extend([(*pointer, ALL), (out.stored(*value), ALL)]),
            _ => each_evaluated(stmt, &mut |value| wanted.push((value, ALL))),
        });
        while let Some((value, bits)) = wanted.pop() {
            let known = out.values.entry(value).or_default();
            let new = bits & !*known;
            if new == 0 {
                continue;
            }
            *known |= bits;
            let all = *known;
            out.parts(value, all, &mut wanted);
        }
        out
    }

    /// What is stored as a narrower number is loaded whole, and its low bytes are stored. Of 64 bits half may be left out
    /// all the same.
    fn stored(&self, value: ExprId) -> ExprId {
        match &self.exprs[value.index()] {
            Expr::Cast { value, from, to } if from.size() == 4 && to.is_integer() => *value,
            _ => value,
        }
    }

    /// Adds the parts of a value of which `bits` are demanded, with the bits that are demanded of each.
    fn parts(&mut self, value: ExprId, bits: u64, wanted: &mut Vec<(ExprId, u64)>) {
        let low = mask(64 - bits.leading_zeros());
        let constant = |id: ExprId| match self.exprs[id.index()] {
            Expr::Int { value, .. } => Some(value),
            _ => None,
        };
        match &self.exprs[value.index()] {
            Expr::Var(variable) => {
                let known = self.variables.entry(*variable).or_default();
                *known |= bits;
                let all = *known;
                let assigned = self.assigned.get(variable).into_iter().flatten();
                wanted.extend(assigned.map(|value| (*value, all)));
            }
            Expr::Cast { value, from, to } if from.is_integer() && to.is_integer() => {
                let of_source = bits & mask(from.bits());
                // What lies above comes from the sign.
                let has_sign = from.is_signed() && bits & mask(to.bits()) & !mask(from.bits()) != 0;
                let sign = u64::from(has_sign) << (from.bits() - 1);
                wanted.push((*value, of_source & mask(to.bits()) | sign));
            }
            Expr::Unary { op, value, .. } => match op {
                Unary::Neg => wanted.push((*value, low)),
                Unary::Not => wanted.push((*value, bits)),
                Unary::LogicalNot => wanted.push((*value, ALL)),
            },
            Expr::Binary {
                op,
                left,
                right,
                ty,
            } => {
                let known = constant(*right);
                let shift = known.and_then(|by| u32::try_from(by).ok());
                let shift = shift.filter(|by| *by < ty.bits());
                let (of_left, of_right) = match (op, known, shift) {
                    (Binary::And, Some(with), _) => (bits & with as u64, ALL),
                    (Binary::And | Binary::Or | Binary::Xor, ..) => (bits, bits),
                    (Binary::Add | Binary::Sub | Binary::Mul, ..) => (low, low),
                    (Binary::Shl, _, Some(by)) => (bits >> by, ALL),
                    (Binary::Shr, _, Some(by)) => {
                        let has_sign = ty.is_signed() && bits >> (ty.bits() - by).min(63) != 0;
                        // Sign bits are made by a shift of the whole, not by a narrower load.
                        let sign = u64::from(has_sign) << by.saturating_sub(1);
                        ((bits & mask(ty.bits())) << by | sign, ALL)
                    }
                    _ => (ALL, ALL),
                };
                wanted.extend([(*left, of_left), (*right, of_right)]);
            }
            Expr::Select {
                condition,
                then,
                otherwise,
                ..
            } => wanted.extend([(*condition, ALL), (*then, bits), (*otherwise, bits)]),
            other => other.each_part(&mut |part| wanted.push((part, ALL))),
        }
    }
}
