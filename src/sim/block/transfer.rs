//! Loads, stores, atomics and matrix moves: the bytes, and the requests.
//!
//! Given pointers, changes memory and hands each warp's request to the observer. Knows
//! nothing of control flow.

use super::{Ended, SimResult, Simulation, unsupported};
use crate::gpu::WARP;
use crate::gpu::arch::Arch;
use crate::gpu::cost::{
    Cost, Op, Request, SharedAtomic, Space, atomic_loop_round, cost, ldmatrix, shared_atomic,
};
use crate::ir::{ExprId, Scalar, SiteId, Value, VarId, VariableKind};
use crate::sim::collective;
use crate::sim::memory::{MemoryPlace, Region};
use crate::sim::value::{Column, Mask, Values, Why, decode, encode};
use crate::sim::{Fault, SimRequest};

/// Where an atomic goes, and by which instruction if that is shared memory (`None`: a loop).
pub(super) struct AtomicPlace {
    pub(super) pointer: ExprId,
    pub(super) ty: Scalar,
    pub(super) site: SiteId,
    pub(super) instruction: Option<SharedAtomic>,
}

impl Simulation<'_> {
    /// Finds where each thread's access lies, and hands the warps' requests to the observer.
    fn access(
        &mut self,
        pointer: ExprId,
        width: u32,
        op: Op,
        site: SiteId,
        active: Mask,
    ) -> SimResult<Vec<(usize, MemoryPlace)>> {
        let places = self.places(pointer, width, op, site, active)?;
        self.request(&places, width, op, site, cost);
        Ok(places)
    }

    /// Where each thread's access lies.
    fn places(
        &mut self,
        pointer: ExprId,
        width: u32,
        op: Op,
        site: SiteId,
        active: Mask,
    ) -> SimResult<Vec<(usize, MemoryPlace)>> {
        let pointers = self.known(pointer, &active, |this| {
            let array = this
                .kernel
                .sites
                .get(site.index())
                .map_or("memory", |site| &site.array);
            format!("the address of an access to `{array}`")
        })?;
        let machine_width = u64::from(width).min(16);
        let (is_whole, low_bits) = (
            machine_width.is_power_of_two(),
            machine_width.wrapping_sub(1),
        );
        let mut places = Vec::with_capacity(active.count() as usize);
        for thread in active.iter() {
            let address = pointers.get(thread);
            let place =
                self.global
                    .place(address, u64::from(width), self.shared_size, self.local_size);
            let fault = |message: String| Fault {
                site,
                block: self.block,
                thread: thread as u32,
                message,
            };
            let place =
                place.map_err(|text| Ended::Fault(fault(format!("{} of {text}", op.name()))))?;
            if is_whole && address & low_bits != 0 {
                let text = format!(
                    "{} of {width} bytes at an address that is no multiple of {width}",
                    op.name()
                );
                return Err(Ended::Fault(fault(text)));
            }
            places.push((thread, place));
        }
        Ok(places)
    }

    /// One request for each warp and memory.
    fn request(
        &mut self,
        places: &[(usize, MemoryPlace)],
        width: u32,
        op: Op,
        site: SiteId,
        cost: impl Fn(&Request, &Arch) -> Cost,
    ) {
        let only = self.only;
        let is_seen = |space| only.is_none_or(|only| only == space);
        let mut spaces = places.iter().filter_map(|(_, place)| place.space());
        if !spaces.any(is_seen) {
            return;
        }
        let mut rest = places;
        while let Some((first, _)) = rest.first() {
            let warp = first / WARP;
            let (mine, others) =
                rest.split_at(rest.partition_point(|(thread, _)| thread / WARP == warp));
            rest = others;
            let (mut shared, mut global) = ([None; WARP], [None; WARP]);
            for (thread, place) in mine {
                match place.request(&self.global) {
                    Some((Space::Shared, address)) => shared[thread % WARP] = Some(address),
                    Some((Space::Global, address)) => global[thread % WARP] = Some(address),
                    None => {}
                }
            }
            for (space, addresses) in [(Space::Shared, shared), (Space::Global, global)] {
                let request = Request {
                    addresses,
                    width,
                    space,
                    op,
                };
                if request.active_mask() == 0 || !is_seen(space) {
                    continue;
                }
                let lanes = Mask::first(self.threads).warp(warp);
                let cost = match only {
                    Some(_) => Cost::default(),
                    None => cost(&request, self.arch),
                };
                let request = SimRequest {
                    site,
                    request,
                    cost,
                    warp: warp as u32,
                    block: self.block,
                    lanes,
                    interval: self.interval(warp),
                };
                if only.is_none() {
                    self.outcome.totals.entry(site).or_default().add(&request);
                }
                (self.observer)(&request);
            }
        }
    }

    /// The bytes that `place` of `thread` lies in, and its index there.
    fn region(&mut self, thread: usize, place: MemoryPlace) -> (&mut Region, usize) {
        match place {
            MemoryPlace::Shared(at) => (&mut self.shared, at as usize),
            MemoryPlace::Local(at) => {
                let at = self.local_at(thread, at);
                (&mut self.local, at)
            }
            MemoryPlace::Global(index, at) => {
                (&mut self.global.allocations[index].region, at as usize)
            }
        }
    }

    pub(super) fn load(
        &mut self,
        target: VarId,
        pointer: ExprId,
        ty: Scalar,
        site: SiteId,
        active: Mask,
    ) -> SimResult<()> {
        let places = self.access(pointer, ty.size(), Op::Load, site, active)?;
        let size = ty.size() as usize;
        if let Some(start) = self.local_offset(target) {
            self.check_object(target, ty)?;
            for (thread, place) in places {
                let (region, at) = self.region(thread, place);
                let bytes = region.read_bytes(at, size);
                let at = self.local_at(thread, start);
                self.local.write_bytes(at, &bytes);
            }
            return Ok(());
        }
        if size > 8 {
            return unsupported("a vector is loaded into a scalar");
        }
        let mut column = Column::each(vec![0; self.threads]);
        let mut values = vec![0; self.threads];
        for (thread, place) in places {
            let (region, at) = self.region(thread, place);
            let (raw, why) = region.read(at, size);
            values[thread] = decode(raw, ty);
            if why != 0 {
                column.poison.set(thread);
                column.why = why;
            }
        }
        column.values = Values::Each(values.into());
        self.set(target, &column, &active)
    }

    fn check_object(&self, variable: VarId, ty: Scalar) -> SimResult<()> {
        match self
            .kernel
            .variables
            .get(variable.index())
            .map(|variable| variable.kind)
        {
            Some(VariableKind::Object { size, .. }) if size >= ty.size() => Ok(()),
            _ => unsupported("an object is smaller than what is moved"),
        }
    }

    pub(super) fn store(
        &mut self,
        pointer: ExprId,
        value: Value,
        ty: Scalar,
        site: SiteId,
        active: Mask,
    ) -> SimResult<()> {
        let size = ty.size() as usize;
        let column = match value {
            Value::Scalar(id) => Some(self.value(id, &active)?),
            Value::Object(_) => None,
        };
        let places = self.access(pointer, ty.size(), Op::Store, site, active)?;
        match (value, column) {
            (Value::Object(source), _) => {
                self.check_object(source, ty)?;
                let start = self.local_offset(source).unwrap_or(0);
                for (thread, place) in places {
                    let bytes = self.local.read_bytes(self.local_at(thread, start), size);
                    let (region, at) = self.region(thread, place);
                    region.write_bytes(at, &bytes);
                }
            }
            (Value::Scalar(_), Some(column)) if size <= 8 => {
                for (thread, place) in places {
                    let why = if column.is_poison(thread) {
                        column.why.max(1)
                    } else {
                        0
                    };
                    let (region, at) = self.region(thread, place);
                    region.write(at, size, encode(column.get(thread), ty), why);
                }
            }
            (Value::Scalar(_), _) => return unsupported("a scalar is stored as a vector"),
        }
        Ok(())
    }

    /// Threads take turns in order. Gives the old values.
    pub(super) fn atomic(
        &mut self,
        place: &AtomicPlace,
        op: &str,
        operands: &[Column],
        active: Mask,
    ) -> SimResult<Column> {
        let AtomicPlace {
            pointer,
            ty,
            site,
            instruction,
        } = *place;
        let places = self.places(pointer, ty.size(), Op::Atomic, site, active)?;
        self.request(
            &places,
            ty.size(),
            Op::Atomic,
            site,
            |request, arch| match (request.space, instruction) {
                (Space::Global, _) => cost(request, arch),
                (Space::Shared, Some(kind)) => {
                    shared_atomic(&request.addresses, request.width, kind, arch)
                }
                // Counted as one round of the loop; how many it takes is up to the lanes that meet.
                (Space::Shared, None) => atomic_loop_round(request.width, request.active_mask()),
            },
        );
        if ty.size() > 8 {
            return unsupported("an atomic on a vector");
        }
        let unknown = self.why(&format!("`{op}` is not simulated").into());
        let mut old = Column::each(Vec::new());
        let mut values = vec![0; self.threads];
        let size = ty.size() as usize;
        for (thread, place) in places {
            let bits: Vec<u64> = operands.iter().map(|column| column.get(thread)).collect();
            let operand_why = operands
                .iter()
                .find(|column| column.is_poison(thread))
                .map_or(0, |column| column.why.max(1));
            let (region, at) = self.region(thread, place);
            let (raw, why) = region.read(at, size);
            values[thread] = decode(raw, ty);
            let new = collective::atomic(op, values[thread], &bits, ty);
            let new_why = match new {
                None => unknown,
                Some(_) => why.max(operand_why),
            };
            region.write(at, size, encode(new.unwrap_or(0), ty), new_why);
            if why != 0 {
                old.poison.set(thread);
                old.why = why;
            }
        }
        old.values = Values::Each(values.into());
        Ok(old)
    }

    /// Row addresses come from the first `rows` lanes of each warp, one row of 16 bytes each.
    pub(super) fn matrix(
        &mut self,
        pointer: ExprId,
        rows: u32,
        is_store: bool,
        site: SiteId,
        targets: &[VarId],
        active: Mask,
    ) -> SimResult<()> {
        const ROW: u32 = 16;
        let mut supplying = Mask::EMPTY;
        for thread in active
            .iter()
            .filter(|thread| (thread % WARP) < rows as usize)
        {
            supplying.set(thread);
        }
        let op = if is_store { Op::Store } else { Op::Load };
        let places = self.places(pointer, ROW, op, site, supplying)?;
        let matrices = rows / 8;
        self.request(&places, ROW, op, site, |request, arch| {
            ldmatrix(&request.addresses, matrices, arch)
        });
        let why = self.why(&"the layout of matrix fragments is not simulated".into());
        if is_store {
            for (thread, place) in places {
                let (region, at) = self.region(thread, place);
                region.forget(at, ROW as usize, why);
            }
        } else {
            for target in targets {
                self.set(*target, &Column::poison(active, why), &active)?;
            }
        }
        Ok(())
    }

    /// Makes whole objects unknown: those that the pointer points into.
    pub(super) fn forget(&mut self, pointer: ExprId, why: Why, active: &Mask) -> SimResult<()> {
        let pointers = self.known(pointer, active, |_| "a pointer".to_owned())?;
        for thread in active.iter() {
            let place =
                self.global
                    .place(pointers.get(thread), 0, self.shared_size, self.local_size);
            match place {
                Ok(MemoryPlace::Shared(_)) => self.shared.forget_all(why),
                Ok(MemoryPlace::Global(index, _)) => {
                    self.global.allocations[index].region.forget_all(why)
                }
                Ok(MemoryPlace::Local(_)) => {
                    let at = self.local_at(thread, 0);
                    self.local.forget(at, self.local_size as usize, why);
                }
                // A null or stray pointer that is never followed does no harm.
                Err(_) => {}
            }
        }
        Ok(())
    }
}
