//! Values of lanes: registers, special registers, results of arithmetic, and values of other lanes.

use super::*;

impl Run<'_, '_> {
    pub(super) fn word(&self, warp: &Warp, operand: &Operand, lane: usize) -> u64 {
        let Some(frame) = warp.frames.last() else {
            return 0;
        };
        match operand {
            Operand::Register(at) => frame.registers[*at as usize * LANES + lane],
            Operand::Not(at) => frame.registers[*at as usize * LANES + lane] ^ 1,
            Operand::Number(bits) => *bits,
            Operand::Special(special) => self.special(warp, *special, lane),
            Operand::Slot(at) => PARAMETER | (*at as u64) << 32,
            Operand::Local(start) => frame.local_start + start,
            Operand::Symbol(name) => match self.grid.symbols.get(name.as_str()) {
                Some(address) => *address,
                None => self
                    .grid
                    .module
                    .function(name)
                    .map_or(0, |at| FUNCTION | at as u64),
            },
            Operand::Memory(base, offset) => {
                self.word(warp, base, lane).wrapping_add(*offset as u64)
            }
            Operand::Vector(_)
            | Operand::Pair(..)
            | Operand::Label(_)
            | Operand::List(_)
            | Operand::Nothing => 0,
        }
    }

    pub(super) fn special(&self, warp: &Warp, special: Special, lane: usize) -> u64 {
        let block = self.grid.launch.block;
        let thread = u64::from(warp.number) * LANES as u64 + lane as u64;
        let [x, y, _] = block.map(u64::from);
        let below = mask(lane as u32);
        match special {
            Special::Thread(0) => thread % x,
            Special::Thread(1) => thread / x % y,
            Special::Thread(_) => thread / (x * y),
            Special::Block(axis) => u64::from(self.index[usize::from(axis)]),
            Special::BlockSize(axis) => u64::from(block[usize::from(axis)]),
            Special::GridSize(axis) => u64::from(self.grid.launch.grid[usize::from(axis)]),
            Special::Lane => lane as u64,
            Special::Warp => u64::from(warp.number),
            Special::Warps => self.threads.div_ceil(LANES as u64),
            Special::LaneMaskEqual => 1 << lane,
            Special::LaneMaskLess => below,
            Special::LaneMaskLessEqual => below << 1 | 1,
            Special::LaneMaskGreater => !(below << 1 | 1) & mask(32),
            Special::LaneMaskGreaterEqual => !below & mask(32),
            Special::Clock => self.steps,
            Special::DynamicShared => self.grid.launch.dynamic_shared,
            Special::WarpSize => LANES as u64,
            Special::One => 1,
            Special::Zero => 0,
        }
    }

    pub(super) fn set(warp: &mut Warp, operand: &Operand, lane: usize, bits: u64) {
        let Some(frame) = warp.frames.last_mut() else {
            return;
        };
        match operand {
            Operand::Register(at) => frame.registers[*at as usize * LANES + lane] = bits,
            Operand::Pair(first, _) => Self::set(warp, first, lane, bits),
            _ => {}
        }
    }

    pub(super) fn registers(
        &mut self,
        warp: &mut Warp,
        operation: &Operation,
        operands: &[Operand],
        lanes: u32,
    ) -> Result<(), String> {
        let Some(target) = operands.first() else {
            return Err(format!("`{}` without operands", operation.name));
        };
        match operation.code {
            Code::Shuffle
            | Code::Vote
            | Code::Match
            | Code::ActiveMask
            | Code::ReduceLanes
            | Code::Elect => {
                self.across(warp, operation, operands, lanes);
                return Ok(());
            }
            Code::MadeUp => {
                for lane in each(lanes) {
                    match target {
                        Operand::Vector(list) => {
                            list.iter().for_each(|one| Self::set(warp, one, lane, 0))
                        }
                        one => Self::set(warp, one, lane, 0),
                    }
                }
                return Ok(());
            }
            _ => {}
        }
        for lane in each(lanes) {
            let word = |at: usize| {
                operands
                    .get(at)
                    .map_or(0, |operand| self.word(warp, operand, lane))
            };
            match operation.code {
                Code::Move => {
                    let words = (word(1), operands.get(1));
                    self.move_word(warp, operation, (target, lane), words);
                }
                Code::Convert => {
                    let value = lanes::convert(operation, word(1));
                    Self::set(warp, target, lane, value);
                }
                Code::ToGeneric | Code::FromGeneric | Code::IsSpace => {
                    let value = generic_address(operation, word(1));
                    Self::set(warp, target, lane, value);
                }
                Code::SetPredicate | Code::Set => {
                    let words = [word(1), word(2), word(3)];
                    Self::set_predicate(warp, operation, (target, lane), words);
                }
                _ => {
                    let words = [word(1), word(2), word(3), word(4)];
                    let carry = warp.carry >> lane & 1 == 1;
                    let Some((value, carries)) = lanes::compute(operation, words, carry) else {
                        return Err(format!("`{}` is not followed", operation.name));
                    };
                    if operation.carries_out {
                        warp.carry = warp.carry & !(1 << lane) | u32::from(carries) << lane;
                    }
                    if lanes::overflows(operation, words[0], words[1]) {
                        self.out.has_overflow = true;
                    }
                    Self::set(warp, target, lane, value);
                }
            }
        }
        Ok(())
    }

    /// `mov`: a word, or the parts of one.
    fn move_word(
        &self,
        warp: &mut Warp,
        operation: &Operation,
        (target, lane): (&Operand, usize),
        (word, source): (u64, Option<&Operand>),
    ) {
        if let Operand::Vector(list) = target {
            let bits = operation.ty.bits / list.len().max(1) as u32;
            for (at, one) in list.iter().enumerate() {
                Self::set(warp, one, lane, word >> (bits * at as u32) & mask(bits));
            }
            return;
        }
        let value = match source {
            Some(Operand::Vector(list)) => {
                let bits = operation.ty.bits / list.len().max(1) as u32;
                let words = list.iter().enumerate();
                words.fold(0, |all, (at, one)| {
                    all | (self.word(warp, one, lane) & mask(bits)) << (bits * at as u32)
                })
            }
            _ => word & mask(operation.ty.bits.max(1)),
        };
        Self::set(warp, target, lane, value);
    }

    /// `setp` and `set`: a comparison, combined with a predicate.
    fn set_predicate(
        warp: &mut Warp,
        operation: &Operation,
        (target, lane): (&Operand, usize),
        [a, b, other]: [u64; 3],
    ) {
        let holds = lanes::compare(operation, a, b);
        let other = other & 1 == 1;
        let combine = |holds: bool| match operation.combine {
            Some(Combine::And) => holds & other,
            Some(Combine::Or) => holds | other,
            Some(Combine::Xor) => holds ^ other,
            _ => holds,
        };
        if let Operand::Pair(first, second) = target {
            Self::set(warp, first, lane, u64::from(combine(holds)));
            Self::set(warp, second, lane, u64::from(combine(!holds)));
            return;
        }
        let holds = combine(holds);
        let value = match (operation.code, operation.ty.kind, holds) {
            (Code::SetPredicate, ..) => u64::from(holds),
            (_, _, false) => 0,
            (_, Kind::Float, true) => u64::from(1_f32.to_bits()),
            _ => mask(32),
        };
        Self::set(warp, target, lane, value);
    }

    pub(super) fn across(
        &mut self,
        warp: &mut Warp,
        operation: &Operation,
        operands: &[Operand],
        lanes: u32,
    ) {
        let Some(target) = operands.first() else {
            return;
        };
        let words = |at: usize| -> [u64; LANES] {
            let operand = operands.get(at);
            std::array::from_fn(|lane| operand.map_or(0, |operand| self.word(warp, operand, lane)))
        };
        let (a, b, c) = (words(1), words(2), words(3));
        let is_sync = operation.name.contains(".sync");
        let mut results = [0_u64; LANES];
        let mut predicates = [false; LANES];
        for lane in each(lanes) {
            let members = |at: &[u64; LANES]| {
                if is_sync {
                    at[lane] as u32 & lanes
                } else {
                    lanes
                }
            };
            match operation.code {
                Code::Shuffle => {
                    let (from, holds) = shuffled(operation.shuffle, lane, b[lane], c[lane]);
                    let from = if holds { from } else { lane };
                    let is_there = lanes >> from & 1 == 1;
                    results[lane] = if is_there { a[from] } else { a[lane] };
                    predicates[lane] = holds;
                }
                Code::Vote => {
                    let asked = members(&b);
                    let ones = each(asked).fold(0_u32, |all, at| all | ((a[at] & 1) as u32) << at);
                    results[lane] = match operation.variant {
                        "all" => u64::from(ones == asked),
                        "any" => u64::from(ones != 0),
                        "uni" => u64::from(ones == asked || ones == 0),
                        _ => u64::from(ones),
                    };
                }
                Code::Match => {
                    let asked = members(&b);
                    let kept = mask(operation.ty.bits);
                    let same = each(asked)
                        .filter(|at| a[*at] & kept == a[lane] & kept)
                        .fold(0_u32, |all, at| all | 1 << at);
                    let is_all = operation.variant == "all";
                    predicates[lane] = same == asked;
                    results[lane] = u64::from(if is_all && same != asked { 0 } else { same });
                }
                Code::ActiveMask => results[lane] = u64::from(lanes),
                Code::ReduceLanes => {
                    let ty = operation.ty;
                    let values = each(members(&b)).map(|at| a[at] & mask(ty.bits));
                    let combine = operation.combine.unwrap_or(Combine::Add);
                    let all = values.reduce(|x, y| requests::combined(combine, ty, x, y, 0));
                    results[lane] = all.unwrap_or(0);
                }
                _ => {
                    let leader = lanes.trailing_zeros();
                    results[lane] = u64::from(leader);
                    predicates[lane] = lane as u32 == leader;
                }
            }
        }
        for lane in each(lanes) {
            Self::set(warp, target, lane, results[lane]);
            if let Operand::Pair(_, second) = target {
                Self::set(warp, second, lane, u64::from(predicates[lane]));
            }
        }
    }
}

/// `cvta` and `isspacep`: an address of a space as a generic one and back, and whether it is of the space.
fn generic_address(operation: &Operation, address: u64) -> u64 {
    match (operation.code, operation.space) {
        (Code::ToGeneric, Space::Shared) => address | SHARED,
        (Code::ToGeneric, Space::Local) => address | LOCAL,
        (Code::ToGeneric, _) => address,
        (Code::IsSpace, space) => u64::from(memory::space(address) == Some(space)),
        (_, Space::Shared | Space::Local) => address & !(0xff << 56) & mask(operation.ty.bits),
        _ => address & mask(operation.ty.bits),
    }
}

/// The lane that a shuffle reads from, and whether it lies within the part of the warp.
fn shuffled(mode: ShuffleMode, lane: usize, by: u64, parts: u64) -> (usize, bool) {
    let segment = (parts >> 8 & 31) as usize;
    let clamp = (parts & 31) as usize;
    let by = (by & 31) as usize;
    let most = lane & segment | clamp & !segment;
    match mode {
        ShuffleMode::Up => (
            lane.wrapping_sub(by),
            lane as i64 - by as i64 >= most as i64,
        ),
        ShuffleMode::Down => (lane + by, lane + by <= most),
        ShuffleMode::Butterfly => (lane ^ by, lane ^ by <= most),
        ShuffleMode::Index => {
            let from = lane & segment | by & !segment;
            (from, from <= most)
        }
    }
}
