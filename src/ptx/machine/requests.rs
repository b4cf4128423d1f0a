//! Requests to memory: instructions are noted, bytes read and written.

use super::{Access, Argument, FIRST_VARIABLE, LANES, Request, Run, Warp, each};
use crate::ptx::lanes::{self, mask};
use crate::ptx::memory::{self, BETWEEN_BUFFERS, FIRST_BUFFER, LOCAL, SHARED};
use crate::ptx::operation::{Code, Combine, Kind, Operation, Space, Type};
use crate::ptx::{DebugLine, Module, Operand};

impl Run<'_, '_> {
    /// The generic address that an operand means for an instruction of that space.
    fn address(&self, warp: &Warp, operand: &Operand, space: Space, lane: usize) -> u64 {
        let word = self.word(warp, operand, lane);
        match space {
            Space::Shared => SHARED | word & mask(32),
            Space::Local => LOCAL | word & mask(32),
            _ => word,
        }
    }

    pub(super) fn access(
        &mut self,
        warp: &mut Warp,
        operation: &Operation,
        operands: &[Operand],
        lanes: u32,
        place: DebugLine,
    ) -> Result<(), String> {
        match operation.code {
            Code::Matrix => {
                self.out.left_out += 1;
                if let Some(Operand::Vector(list)) = operands.first() {
                    for (lane, one) in
                        each(lanes).flat_map(|lane| list.iter().map(move |one| (lane, one)))
                    {
                        Self::set(warp, one, lane, 0);
                    }
                }
                return Ok(());
            }
            Code::CopyAsync => return self.copy(warp, operands, lanes, place),
            _ => {}
        }
        let is_load = operation.code == Code::Load;
        let has_result = is_load || operation.name.starts_with("atom");
        let pointer = operands.get(usize::from(has_result));
        let Some(pointer @ Operand::Memory(..)) = pointer else {
            return Err(format!("`{}` without an address", operation.name));
        };
        let ty = operation.ty;
        let bytes = ty.bytes();
        if ty.bits == 128 || (operation.code == Code::Atomic && operation.vector > 1) {
            return Err(format!("`{}` is not followed", operation.name));
        }
        let mut addresses = [0; LANES];
        for lane in each(lanes) {
            addresses[lane] = self.address(warp, pointer, operation.space, lane);
        }
        let access = match operation.code {
            Code::Load => Access::Load,
            Code::Store => Access::Store,
            _ => Access::Atomic,
        };
        let whole = (bytes * operation.vector) as u32;
        // The constant cache serves some; what nobody uses is no access of the text.
        let is_dropped = is_load
            && operands
                .first()
                .is_some_and(|to| is_unused(warp, self.grid.module, to));
        if operation.space != Space::Const && !is_dropped {
            self.note(warp, access, whole, lanes, &addresses, place, false)?;
        }
        for lane in each(lanes) {
            let first = addresses[lane];
            if operation.code == Code::Atomic {
                self.atomic(warp, operation, operands, has_result, first, lane)?;
                continue;
            }
            for at in 0..operation.vector {
                let address = first.wrapping_add((at * bytes) as u64);
                let register = |operand: &'_ Operand| -> Option<Operand> {
                    match operand {
                        Operand::Vector(list) => list.get(at).cloned(),
                        one => Some(one.clone()),
                    }
                };
                let Some(one) = operands.get(usize::from(!is_load)).and_then(register) else {
                    continue;
                };
                if is_load {
                    let bits = self.read(warp, address, ty, lane)?;
                    let bits = if ty.kind == Kind::Signed {
                        lanes::signed(bits, ty.bits) as u64
                    } else {
                        bits
                    };
                    Self::set(warp, &one, lane, bits);
                } else {
                    let bits = self.word(warp, &one, lane);
                    self.write(warp, address, bits, bytes, lane)?;
                }
            }
        }
        Ok(())
    }

    fn copy(
        &mut self,
        warp: &mut Warp,
        operands: &[Operand],
        lanes: u32,
        place: DebugLine,
    ) -> Result<(), String> {
        let [to, from, size, source @ ..] = operands else {
            return Err("`cp.async` without operands".to_owned());
        };
        let (mut sources, mut targets) = ([0; LANES], [0; LANES]);
        let (mut bytes, mut readers) = (0, 0);
        for lane in each(lanes) {
            targets[lane] = self.address(warp, to, Space::Shared, lane);
            sources[lane] = self.address(warp, from, Space::Global, lane);
            bytes = self.word(warp, size, lane).min(16);
            let read = match source.first() {
                None => bytes,
                Some(Operand::Not(ignores)) => {
                    let ignores = self.word(warp, &Operand::Register(*ignores), lane);
                    if ignores == 0 { bytes } else { 0 }
                }
                Some(source) => self.word(warp, source, lane),
            };
            match read {
                0 => {}
                read if read == bytes => readers |= 1 << lane,
                _ => return Err("`cp.async` of fewer bytes than it writes".to_owned()),
            }
        }
        self.note(
            warp,
            Access::Load,
            bytes as u32,
            readers,
            &sources,
            place,
            true,
        )?;
        self.note(
            warp,
            Access::Store,
            bytes as u32,
            lanes,
            &targets,
            place,
            true,
        )?;
        for lane in each(lanes) {
            for at in (0..bytes).step_by(4) {
                let is_read = readers & (1 << lane) != 0;
                let bits = match is_read {
                    true => self.read(warp, sources[lane] + at, Type::U32, lane)?,
                    false => 0,
                };
                self.write(warp, targets[lane] + at, bits, 4, lane)?;
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn note(
        &mut self,
        warp: &Warp,
        access: Access,
        bytes: u32,
        lanes: u32,
        addresses: &[u64; LANES],
        place: DebugLine,
        is_copy: bool,
    ) -> Result<(), String> {
        let (mut shared, mut global) = (0, 0);
        for lane in each(lanes) {
            let address = addresses[lane];
            let is_aligned = address.is_multiple_of(u64::from(bytes.clamp(1, 16)));
            let is_counted = matches!(memory::space(address), Some(Space::Shared | Space::Global));
            if !is_aligned && bytes.is_power_of_two() && is_counted {
                return Err("an address is misaligned".to_owned());
            }
            match memory::space(address) {
                // A subscript that is made up led to bytes before shared memory.
                Some(Space::Global) if address >= memory::END_OF_GLOBAL => {
                    return Err("before shared memory".to_owned());
                }
                // One that leads from a buffer past all memory has shared memory's tag by accident.
                Some(Space::Shared) if address & !SHARED > u64::from(u32::MAX) => {
                    return Err("beyond shared memory".to_owned());
                }
                Some(Space::Shared) => shared |= 1 << lane,
                Some(Space::Global) if address >= FIRST_VARIABLE => global |= 1 << lane,
                _ => {}
            }
        }
        for (mask, is_shared) in [(shared, true), (global, false)] {
            if mask == 0 {
                continue;
            }
            let mut chain: Vec<DebugLine> = Vec::with_capacity(warp.frames.len());
            let mut depth = warp.frames.len();
            for frame in &warp.frames {
                depth -= 1;
                if depth == 0 {
                    chain.push(place);
                    break;
                }
                let next = warp.frames.len() - depth;
                let at = warp.frames[next]
                    .base
                    .checked_sub(1)
                    .and_then(|at| warp.stack.get(at));
                let code = &self.grid.module.functions[frame.function].code;
                let call = at.and_then(|entry| code.get(entry.pc.wrapping_sub(1)));
                chain.push(call.map_or(DebugLine::default(), |call| call.place));
            }
            let known = self.chains.len() as u32;
            let number = *self.chains.entry(chain).or_insert_with_key(|chain| {
                self.out.chains.push(chain.clone());
                known
            });
            let plain = addresses.map(|address| address & !(0xff << 56));
            self.out.requests.push(Request {
                chain: number,
                access,
                is_shared,
                bytes,
                warp: warp.number,
                mask,
                addresses: plain,
                is_copy,
            });
        }
        Ok(())
    }

    fn read(&mut self, warp: &Warp, address: u64, ty: Type, lane: usize) -> Result<u64, String> {
        let plain = address & !(0xff << 56);
        let bytes = ty.bytes();
        match memory::space(address) {
            Some(Space::Global) => {
                check_global(plain)?;
                Ok(self
                    .grid
                    .globals
                    .read(plain, ty, &self.grid.launch.invention))
            }
            Some(Space::Shared) => {
                within(&self.grid.shared_arrays, plain, bytes, "shared")?;
                self.shared
                    .read(plain, bytes)
                    .ok_or_else(|| "past shared memory".to_owned())
            }
            Some(Space::Local) => {
                within(&warp.arrays, plain, bytes, "local")?;
                warp.local[lane]
                    .read(plain, bytes)
                    .ok_or_else(|| "past local memory".to_owned())
            }
            Some(Space::Parameter) => self.read_slot(warp, plain, ty, lane),
            _ => Err("a pointer is made up".to_owned()),
        }
    }

    fn read_slot(&mut self, warp: &Warp, plain: u64, ty: Type, lane: usize) -> Result<u64, String> {
        let (slot, offset) = ((plain >> 32) as usize, plain & mask(32));
        let Some(frame) = warp.frames.last() else {
            return Ok(0);
        };
        let code = &self.grid.module.functions[frame.function];
        if code.is_entry && code.parameters.contains(&slot) {
            let launch = self.grid.launch;
            let mut invention = launch.invention;
            let is_word = ty.bits == 64 && !ty.is_float();
            if is_word && !launch.has_plain_classes {
                let number = 256 + slot as u64 * 64 + offset / 8 % 64;
                let fresh = FIRST_BUFFER + number * BETWEEN_BUFFERS;
                return Ok(self.argument(slot).unwrap_or(fresh));
            }
            if let Some(bits) = self.argument(slot) {
                return Ok(bits >> (offset * 8).min(63) & mask(ty.bits));
            }
            invention.most = invention.most.min(40);
            return Ok(self.grid.arguments.read(plain, ty, &invention));
        }
        let bytes = ty.bytes();
        let Some(slot) = frame.slots.get(slot) else {
            return Err("a pointer is made up".to_owned());
        };
        let size = slot.len() / LANES;
        let start = lane * size + offset as usize;
        let mut word = [0; 8];
        let part = slot.get(start..start + bytes.min(size.saturating_sub(offset as usize)));
        let part = part.unwrap_or(&[]);
        word[..part.len()].copy_from_slice(part);
        Ok(u64::from_le_bytes(word))
    }

    /// The value of a kernel's parameter that is one number.
    fn argument(&self, slot: usize) -> Option<u64> {
        let entry = &self.grid.module.functions[self.grid.entry];
        let at = entry
            .parameters
            .iter()
            .position(|parameter| *parameter == slot)?;
        match self.grid.launch.arguments.get(at) {
            Some(Argument::Bits(bits)) => Some(*bits),
            _ => None,
        }
    }

    fn write(
        &mut self,
        warp: &mut Warp,
        address: u64,
        bits: u64,
        bytes: usize,
        lane: usize,
    ) -> Result<(), String> {
        let plain = address & !(0xff << 56);
        match memory::space(address) {
            Some(Space::Global) => {
                check_global(plain)?;
                self.grid.globals.write(plain, bits, bytes);
            }
            Some(Space::Shared) => {
                within(&self.grid.shared_arrays, plain, bytes, "shared")?;
                let _ = self.shared.write(plain, bits, bytes);
            }
            Some(Space::Local) => {
                within(&warp.arrays, plain, bytes, "local")?;
                let _ = warp.local[lane].write(plain, bits, bytes);
            }
            Some(Space::Parameter) => {
                let (slot, offset) = ((plain >> 32) as usize, (plain & mask(32)) as usize);
                let Some(frame) = warp.frames.last_mut() else {
                    return Ok(());
                };
                let Some(slot) = frame.slots.get_mut(slot) else {
                    return Err("a pointer is made up".to_owned());
                };
                let start = lane * (slot.len() / LANES) + offset;
                if let Some(part) = slot.get_mut(start..start + bytes) {
                    part.copy_from_slice(&bits.to_le_bytes()[..bytes]);
                }
            }
            _ => return Err("a pointer is made up".to_owned()),
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        warp: &mut Warp,
        operation: &Operation,
        operands: &[Operand],
        has_result: bool,
        address: u64,
        lane: usize,
    ) -> Result<(), String> {
        let ty = operation.ty;
        let old = self.read(warp, address, ty, lane)?;
        let from = usize::from(has_result) + 1;
        let word = |at: usize| {
            operands
                .get(at)
                .map_or(0, |operand| self.word(warp, operand, lane))
        };
        let Some(combine) = operation.combine else {
            return Err(format!("`{}` is not followed", operation.name));
        };
        let new = combined(combine, ty, old, word(from), word(from + 1));
        self.write(warp, address, new, ty.bytes(), lane)?;
        if let (true, Some(target)) = (has_result, operands.first()) {
            Self::set(warp, target, lane, old);
        }
        Ok(())
    }
}

/// Whether no instruction reads what is written there.
fn is_unused(warp: &Warp, module: &Module, target: &Operand) -> bool {
    let Some(frame) = warp.frames.last() else {
        return false;
    };
    let is_read = &module.functions[frame.function].is_read;
    match target {
        Operand::Register(at) => !is_read[*at as usize],
        Operand::Vector(list) => list.iter().all(|one| is_unused(warp, module, one)),
        _ => false,
    }
}

/// What an atomic leaves behind.
pub(super) fn combined(combine: Combine, ty: Type, old: u64, b: u64, c: u64) -> u64 {
    let plain = |code: Code| {
        let operation = Operation {
            code,
            ty,
            source: ty,
            ..Operation::unknown("")
        };
        lanes::compute(&operation, [old, b, 0, 0], false).map_or(old, |(value, _)| value)
    };
    let kept = mask(ty.bits);
    match combine {
        Combine::Add => plain(Code::Add),
        Combine::Min => plain(Code::Min),
        Combine::Max => plain(Code::Max),
        Combine::And => old & b & kept,
        Combine::Or => (old | b) & kept,
        Combine::Xor => (old ^ b) & kept,
        Combine::Increment => {
            if old & kept >= b & kept {
                0
            } else {
                old + 1
            }
        }
        Combine::Decrement => {
            if old & kept == 0 || old & kept > b & kept {
                b & kept
            } else {
                old - 1
            }
        }
        Combine::Exchange => b & kept,
        Combine::CompareAndSwap => {
            if old & kept == b & kept {
                c & kept
            } else {
                old
            }
        }
        Combine::Count => u64::from(old.count_ones() + b.count_ones()),
    }
}

/// Addresses near zero and far above all buffers come of numbers that were taken for pointers.
fn check_global(address: u64) -> Result<(), String> {
    if address < FIRST_VARIABLE - (1 << 40) || address >> 56 != 0 {
        return Err("a pointer is made up".to_owned());
    }
    Ok(())
}

fn within(arrays: &[(u64, u64)], address: u64, bytes: usize, what: &str) -> Result<(), String> {
    let end = address.saturating_add(bytes as u64);
    let mut arrays = arrays.iter().rev();
    if arrays.any(|(from, to)| *from <= address && end <= *to) {
        return Ok(());
    }
    Err(format!("a subscript leaves its {what} array"))
}
