//! Control flow of lanes: calls, returns, barriers, and code outside of the module.

use super::*;

impl<'m> Run<'_, 'm> {
    /// Lets warps go on whose barrier everybody has reached.
    pub(super) fn release(&mut self, warps: &mut [Warp]) -> bool {
        let alive = warps.iter().filter(|warp| !warp.is_done).count();
        let mut barriers: Vec<u64> = warps
            .iter()
            .filter_map(|warp| Some(warp.waits.as_ref()?.barrier))
            .collect();
        barriers.sort_unstable();
        barriers.dedup();
        let mut is_released = false;
        for barrier in barriers {
            let waiting: Vec<usize> = (0..warps.len())
                .filter(|at| {
                    warps[*at]
                        .waits
                        .as_ref()
                        .is_some_and(|wait| wait.barrier == barrier)
                })
                .collect();
            let threads = warps[waiting[0]]
                .waits
                .as_ref()
                .and_then(|wait| wait.threads);
            let arrived = self.arrivals.get(&barrier).copied().unwrap_or(0);
            let is_full = match threads {
                Some(threads) if threads > 0 => {
                    waiting.len() as u64 * LANES as u64 + arrived >= threads
                }
                _ => waiting.len() == alive,
            };
            // Warps that are done count as arrived where all others wait.
            if !is_full && waiting.len() != alive {
                continue;
            }
            self.arrivals.remove(&barrier);
            is_released = true;
            let (mut ones, mut lanes_in_all) = (0, 0);
            for at in &waiting {
                let active = warps[*at].stack.last().map_or(0, |entry| entry.mask);
                lanes_in_all += active.count_ones();
                let reduction = warps[*at].waits.as_ref().and_then(|wait| wait.reduction);
                ones += reduction.map_or(0, |(.., bits)| bits.count_ones());
            }
            for at in waiting {
                let Some(wait) = warps[at].waits.take() else {
                    continue;
                };
                let Some((register, _, combine, _)) = wait.reduction else {
                    continue;
                };
                let value = match combine {
                    Combine::And => u64::from(ones == lanes_in_all),
                    Combine::Or => u64::from(ones > 0),
                    _ => u64::from(ones),
                };
                let active = warps[at].stack.last().map_or(0, |entry| entry.mask);
                if let Some(frame) = warps[at].frames.last_mut() {
                    for lane in each(active) {
                        frame.registers[register as usize * LANES + lane] = value;
                    }
                }
            }
        }
        is_released
    }

    /// Leaves the innermost function.
    pub(super) fn leave(&mut self, warp: &mut Warp) {
        let Some(frame) = warp.frames.pop() else {
            return;
        };
        let code = &self.grid.module.functions[frame.function];
        warp.arrays.truncate(warp.arrays.len() - code.locals.len());
        let Some(caller) = warp.frames.last_mut() else {
            warp.is_done = true;
            return;
        };
        for (from, to) in code.returns.iter().zip(&frame.results) {
            let (from, to) = (&frame.slots[*from], &mut caller.slots[*to]);
            let (size, room) = (from.len() / LANES, to.len() / LANES);
            let count = size.min(room);
            for lane in each(frame.returned) {
                to[lane * room..lane * room + count]
                    .copy_from_slice(&from[lane * size..lane * size + count]);
            }
        }
    }

    pub(super) fn call(
        &mut self,
        warp: &mut Warp,
        operands: &[Operand],
        lanes: u32,
    ) -> Result<(), String> {
        let slots = |operand: Option<&Operand>| -> Vec<usize> {
            let Some(Operand::List(list)) = operand else {
                return Vec::new();
            };
            let slot = |one: &Operand| match one {
                Operand::Slot(at) => *at,
                _ => usize::MAX,
            };
            list.iter().map(slot).collect()
        };
        let has_results = matches!(operands.first(), Some(Operand::List(_)));
        let results = if has_results {
            slots(operands.first())
        } else {
            Vec::new()
        };
        let rest = &operands[usize::from(has_results)..];
        let arguments = slots(rest.get(1));
        if arguments.iter().chain(&results).any(|at| *at == usize::MAX) {
            return Err("a call with registers is not followed".to_owned());
        }
        let target = match rest.first() {
            Some(Operand::Symbol(name)) => {
                let found = self.grid.module.function(name);
                let found = found.filter(|at| self.grid.module.functions[*at].has_body);
                let Some(found) = found else {
                    return self.outside(warp, name, &results, lanes);
                };
                found
            }
            Some(pointer) => {
                let mut found = None;
                for lane in each(lanes) {
                    let to = self.word(warp, pointer, lane);
                    if found.is_some_and(|known| known != to) {
                        return Err("lanes call different functions".to_owned());
                    }
                    found = Some(to);
                }
                let to = found.unwrap_or(0);
                if to & FUNCTION != FUNCTION {
                    return Err("a pointer to a function is made up".to_owned());
                }
                (to & !FUNCTION) as usize
            }
            None => return Err("a call without a name".to_owned()),
        };
        if warp.frames.len() > 60 {
            return Err("calls are nested too deeply".to_owned());
        }
        self.enter(warp, target, lanes, results);
        let code = &self.grid.module.functions[target];
        let [.., caller, frame] = &mut warp.frames[..] else {
            return Ok(());
        };
        for (from, to) in arguments.iter().zip(&code.parameters) {
            let (from, to) = (&caller.slots[*from], &mut frame.slots[*to]);
            let (size, room) = (from.len() / LANES, to.len() / LANES);
            let count = size.min(room);
            for lane in each(lanes) {
                to[lane * room..lane * room + count]
                    .copy_from_slice(&from[lane * size..lane * size + count]);
            }
        }
        Ok(())
    }

    /// Functions of the driver.
    pub(super) fn outside(
        &mut self,
        warp: &mut Warp,
        name: &str,
        results: &[usize],
        lanes: u32,
    ) -> Result<(), String> {
        match name {
            "vprintf" | "free" => Ok(()),
            "malloc" => {
                let Some(frame) = warp.frames.last_mut() else {
                    return Ok(());
                };
                for lane in each(lanes) {
                    self.grid.heap += 1 << 20;
                    if let Some(slot) = results.first() {
                        let slot = &mut frame.slots[*slot];
                        let size = slot.len() / LANES;
                        slot[lane * size..lane * size + 8]
                            .copy_from_slice(&self.grid.heap.to_le_bytes());
                    }
                }
                Ok(())
            }
            "__assertfail" | "__assert_fail" => Err("an assertion of the kernel fails".to_owned()),
            _ => Err(format!("`{name}` is not followed")),
        }
    }

    pub(super) fn barrier(
        &mut self,
        warp: &mut Warp,
        operation: &Operation,
        operands: &[Operand],
        lanes: u32,
    ) -> Result<(), String> {
        let first = lanes.trailing_zeros() as usize;
        let is_reduction = operation.code == Code::BarrierReduce;
        let (target, rest) = if is_reduction {
            (operands.first(), &operands[1..])
        } else {
            (None, operands)
        };
        let barrier = rest
            .first()
            .map_or(0, |operand| self.word(warp, operand, first));
        let numbers = if is_reduction {
            &rest[..rest.len().saturating_sub(1)]
        } else {
            rest
        };
        let threads = numbers
            .get(1)
            .map(|operand| self.word(warp, operand, first));
        if operation.code == Code::BarrierArrive {
            *self.arrivals.entry(barrier).or_default() += LANES as u64;
            return Ok(());
        }
        let reduction = match (target, rest.last()) {
            (Some(Operand::Register(register)), Some(predicate)) if is_reduction => {
                let mut ones = 0;
                for lane in each(lanes) {
                    ones |= ((self.word(warp, predicate, lane) & 1) as u32) << lane;
                }
                let is_predicate = operation.ty.kind == Kind::Predicate;
                Some((
                    *register,
                    is_predicate,
                    operation.combine.unwrap_or(Combine::Count),
                    ones,
                ))
            }
            _ => None,
        };
        warp.waits = Some(Wait {
            barrier,
            threads,
            reduction,
        });
        Ok(())
    }

    // ------------------------------------------------------------ registers
}
