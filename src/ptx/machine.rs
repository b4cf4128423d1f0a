//! Runs one block: warps in lock step, lanes that part at a branch meet again at its immediate
//! post-dominator, barriers, shuffles, votes, atomics.

mod requests;

use super::flow::END;
use super::lanes::{self, mask};
use super::memory::{self, FIRST_BUFFER, Flat, Invention, LOCAL, PARAMETER, SHARED, Sparse};
use super::operation::{Code, Combine, Kind, Operation, ShuffleMode, Space};
use super::{Module, Operand, Place, Special, Variable};
use std::collections::HashMap;

const LANES: usize = 32;
/// Generic addresses of functions.
const FUNCTION: u64 = 0x05 << 56;
/// Between shared arrays, so that a subscript past an end is noticed. A multiple of all banks.
const SHARED_GAP: u64 = 1024;
/// Where buffers begin that no parameter names: variables of the module, the heap.
const FIRST_VARIABLE: u64 = FIRST_BUFFER / 2;
/// Where `__constant__` variables lie: below all others.
const FIRST_CONSTANT: u64 = FIRST_VARIABLE - (1 << 38);

/// One argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    Bits(u64),
    /// Of a class: made up by the type that each part is read with.
    MadeUp,
}

#[derive(Clone, Debug)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u64,
    pub arguments: Vec<Argument>,
    /// Words of made-up classes are numbers; else words of 64 bits are pointers.
    pub has_plain_classes: bool,
    pub invention: Invention,
    pub most_steps: u64,
    pub most_requests: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Load,
    Store,
    Atomic,
}

/// What one warp asked of shared or global memory with one instruction.
#[derive(Clone, Debug)]
pub struct Request {
    /// Into [`Block::chains`].
    pub chain: u32,
    pub access: Access,
    pub is_shared: bool,
    pub bytes: u32,
    pub warp: u32,
    pub mask: u32,
    pub addresses: [u64; LANES],
    /// Copies from global to shared memory ask of both.
    pub is_copy: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    pub requests: Vec<Request>,
    /// Places of the calls on the way to an instruction, and its own, the innermost last.
    pub chains: Vec<Vec<Place>>,
    /// A signed computation left its range: the text may not do so.
    pub has_overflow: bool,
    /// Instructions whose accesses are not followed, such as loads of matrix fragments.
    pub left_out: u64,
    pub stop: Option<String>,
}

struct Entry {
    pc: usize,
    meet: usize,
    mask: u32,
}

struct Frame {
    function: usize,
    registers: Vec<u64>,
    /// By slot: bytes of lane 0, of lane 1, …
    slots: Vec<Vec<u8>>,
    base: usize,
    returned: u32,
    local_start: u64,
    /// Where the caller wants what is returned.
    results: Vec<usize>,
}

#[derive(Clone)]
struct Wait {
    barrier: u64,
    threads: Option<u64>,
    /// A reduction: register, whether of a predicate, operation, and the lanes that bring a one.
    reduction: Option<(u32, bool, Combine, u32)>,
}

struct Warp {
    number: u32,
    frames: Vec<Frame>,
    stack: Vec<Entry>,
    exited: u32,
    local: Vec<Flat>,
    arrays: Vec<(u64, u64)>,
    waits: Option<Wait>,
    carry: u32,
    is_done: bool,
}

/// A grid whose blocks can be run.
pub struct Grid<'m> {
    module: &'m Module,
    entry: usize,
    launch: &'m Launch,
    globals: Sparse,
    arguments: Sparse,
    symbols: HashMap<&'m str, u64>,
    shared_arrays: Vec<(u64, u64)>,
    shared_bytes: u64,
    heap: u64,
}

impl<'m> Grid<'m> {
    #[must_use]
    pub fn new(module: &'m Module, entry: usize, launch: &'m Launch) -> Self {
        let mut grid = Grid {
            module,
            entry,
            launch,
            globals: Sparse::default(),
            arguments: Sparse::default(),
            symbols: HashMap::new(),
            shared_arrays: Vec::new(),
            shared_bytes: 0,
            heap: FIRST_VARIABLE + (1 << 36),
        };
        grid.place_variables();
        let parameters = &module.functions[entry].parameters;
        for (slot, argument) in parameters.iter().zip(&launch.arguments) {
            if let Argument::Bits(bits) = argument {
                let bytes = module.functions[entry].slots[*slot].bytes.min(8);
                grid.arguments.write((*slot as u64) << 32, *bits, bytes);
            }
        }
        grid
    }

    fn place_variables(&mut self) {
        let (mut next_global, mut next_constant) = (FIRST_VARIABLE, FIRST_CONSTANT);
        let (fixed, dynamic): (Vec<&Variable>, Vec<&Variable>) = self
            .module
            .variables
            .iter()
            .partition(|one| !one.is_dynamic);
        for variable in fixed.into_iter().chain(dynamic) {
            let is_new = !self.symbols.contains_key(variable.name.as_str());
            if variable.space == Space::Shared {
                let bytes = if variable.is_dynamic {
                    self.launch.dynamic_shared
                } else {
                    variable.bytes
                };
                // All dynamic arrays are one.
                let known = self
                    .symbols
                    .get("")
                    .copied()
                    .filter(|_| variable.is_dynamic);
                let start = known.unwrap_or(self.shared_bytes);
                if known.is_none() {
                    self.shared_arrays.push((start, start + bytes));
                    self.shared_bytes = (start + bytes + SHARED_GAP).next_multiple_of(SHARED_GAP);
                }
                if variable.is_dynamic {
                    self.symbols.insert("", start);
                }
                self.symbols.insert(&variable.name, start);
            } else if is_new {
                let is_constant = variable.space == Space::Const;
                let next = if is_constant {
                    &mut next_constant
                } else {
                    &mut next_global
                };
                *next = next.next_multiple_of(variable.align.max(256));
                self.symbols.insert(&variable.name, *next);
                *next += variable.bytes.max(1) + 256;
            }
        }
        for variable in &self.module.variables {
            let Some(start) = self.symbols.get(variable.name.as_str()).copied() else {
                continue;
            };
            if variable.space == Space::Shared {
                continue;
            }
            for (at, byte) in variable.start.iter().enumerate() {
                self.globals.write(start + at as u64, u64::from(*byte), 1);
            }
            for (at, name, offset) in &variable.addresses {
                let bits = match (self.symbols.get(name.as_str()), self.module.function(name)) {
                    (Some(address), _) => address.wrapping_add(*offset as u64),
                    (None, Some(function)) => FUNCTION | function as u64,
                    (None, None) => continue,
                };
                self.globals.write(start + *at as u64, bits, 8);
            }
        }
    }

    /// The name of the module's variable that an address of global memory lies in.
    #[must_use]
    pub fn variable_at(&self, address: u64) -> Option<&'m str> {
        let variables = self.module.variables.iter();
        let mut variables = variables.filter(|one| one.space != Space::Shared);
        let holds = |one: &&Variable| {
            let start = self.symbols.get(one.name.as_str());
            start.is_some_and(|start| (*start..*start + one.bytes.max(1)).contains(&address))
        };
        variables.find(holds).map(|one| one.name.as_str())
    }

    /// Runs one block to its end, or as far as it goes.
    pub fn run(&mut self, index: [u32; 3]) -> Block {
        let [x, y, z] = self.launch.block.map(u64::from);
        let threads = x * y * z;
        let mut run = Run {
            index,
            threads,
            shared: Flat {
                bytes: vec![0; self.shared_bytes as usize],
            },
            out: Block::default(),
            chains: HashMap::new(),
            steps: 0,
            arrivals: HashMap::new(),
            grid: self,
        };
        let mut warps: Vec<Warp> = (0..threads.div_ceil(LANES as u64))
            .map(|number| run.warp(number as u32))
            .collect();
        run.all(&mut warps);
        run.out
    }
}

struct Run<'g, 'm> {
    grid: &'g mut Grid<'m>,
    index: [u32; 3],
    threads: u64,
    shared: Flat,
    out: Block,
    chains: HashMap<Vec<Place>, u32>,
    steps: u64,
    /// Threads that arrived at a named barrier and went on.
    arrivals: HashMap<u64, u64>,
}

impl<'m> Run<'_, 'm> {
    fn warp(&self, number: u32) -> Warp {
        let first = u64::from(number) * LANES as u64;
        let lanes = (self.threads - first).min(LANES as u64) as u32;
        let mut warp = Warp {
            number,
            frames: Vec::new(),
            stack: Vec::new(),
            exited: 0,
            local: vec![Flat::default(); LANES],
            arrays: Vec::new(),
            waits: None,
            carry: 0,
            is_done: false,
        };
        self.enter(&mut warp, self.grid.entry, mask(lanes) as u32, Vec::new());
        warp
    }

    fn enter(&self, warp: &mut Warp, function: usize, active: u32, results: Vec<usize>) {
        let module = self.grid.module;
        let code = &module.functions[function];
        let local_start = warp.frames.last().map_or(0, |frame| {
            let caller = &module.functions[frame.function];
            frame.local_start + caller.local_bytes.next_multiple_of(16)
        });
        let top = (local_start + code.local_bytes) as usize;
        for lane in &mut warp.local {
            if lane.bytes.len() < top {
                lane.bytes.resize(top, 0);
            }
        }
        for (start, bytes) in &code.locals {
            warp.arrays
                .push((local_start + start, local_start + start + bytes));
        }
        let slots = if code.is_entry {
            Vec::new()
        } else {
            code.slots
                .iter()
                .map(|slot| vec![0; slot.bytes * LANES])
                .collect()
        };
        let slots = if code.is_entry {
            // Parameters of a kernel are the grid's; what it passes on is its own.
            let is_parameter = |at: usize| code.parameters.contains(&at);
            let sizes = code.slots.iter().enumerate();
            sizes
                .map(|(at, slot)| {
                    if is_parameter(at) {
                        Vec::new()
                    } else {
                        vec![0; slot.bytes * LANES]
                    }
                })
                .collect()
        } else {
            slots
        };
        warp.frames.push(Frame {
            function,
            registers: vec![0; code.registers * LANES],
            slots,
            base: warp.stack.len(),
            returned: 0,
            local_start,
            results,
        });
        warp.stack.push(Entry {
            pc: 0,
            meet: END,
            mask: active,
        });
    }

    /// Every warp in turn until all are done, wait for each other for ever, or have gone too far.
    fn all(&mut self, warps: &mut [Warp]) {
        const SLICE: u64 = 20_000;
        loop {
            let mut has_moved = false;
            for warp in warps.iter_mut() {
                if warp.is_done || warp.waits.is_some() {
                    continue;
                }
                has_moved = true;
                let end = self.steps + SLICE;
                while !warp.is_done && warp.waits.is_none() && self.steps < end {
                    self.steps += 1;
                    if let Err(reason) = self.step(warp) {
                        self.out.stop = Some(reason);
                        return;
                    }
                }
                if self.steps > self.grid.launch.most_steps {
                    self.out.stop = Some("too many steps".to_owned());
                    return;
                }
                if self.out.requests.len() > self.grid.launch.most_requests {
                    self.out.stop = Some("too many requests".to_owned());
                    return;
                }
                if self.grid.globals.bytes() > 256 << 20 {
                    self.out.stop = Some("too much memory".to_owned());
                    return;
                }
            }
            let is_released = self.release(warps);
            if warps.iter().all(|warp| warp.is_done) {
                return;
            }
            if !has_moved && !is_released {
                self.out.stop = Some("warps wait for each other".to_owned());
                return;
            }
        }
    }

    /// Lets warps go on whose barrier everybody has reached.
    fn release(&mut self, warps: &mut [Warp]) -> bool {
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

    fn step(&mut self, warp: &mut Warp) -> Result<(), String> {
        let Some(frame) = warp.frames.last() else {
            warp.is_done = true;
            return Ok(());
        };
        let gone = warp.exited | frame.returned;
        let base = frame.base;
        let function = &self.grid.module.functions[frame.function];
        // Leave paths that are over.
        while warp.stack.len() > base {
            let depth = warp.stack.len() - base;
            let Some(top) = warp.stack.last_mut() else {
                break;
            };
            top.mask &= !gone;
            let is_over =
                top.mask == 0 || (top.pc == top.meet && depth > 1) || top.pc >= function.code.len();
            if !is_over {
                break;
            }
            warp.stack.pop();
        }
        if warp.stack.len() <= base {
            self.leave(warp);
            return Ok(());
        }
        let Some(top) = warp.stack.last() else {
            return Ok(());
        };
        let (pc, active) = (top.pc, top.mask);
        let instruction = &function.code[pc];
        let mut lanes = active;
        if let Some((register, is_negated)) = instruction.guard {
            for lane in each(active) {
                let is_set = frame.registers[register as usize * LANES + lane] & 1 == 1;
                if is_set == is_negated {
                    lanes &= !(1 << lane);
                }
            }
        }
        let operation = &instruction.operation;
        let operands = &instruction.operands;
        match operation.code {
            Code::Branch => {
                let Some(Operand::Label(to)) = operands.first() else {
                    return Err("a branch leads nowhere".to_owned());
                };
                let meet = function.meets.get(&pc).copied().unwrap_or(END);
                branch(
                    warp,
                    active,
                    meet,
                    &[(*to, lanes), (pc + 1, active & !lanes)],
                );
                return Ok(());
            }
            Code::BranchTable => {
                let [index, Operand::List(targets)] = &operands[..] else {
                    return Err("a table of branches cannot be read".to_owned());
                };
                let meet = function.meets.get(&pc).copied().unwrap_or(END);
                let mut paths: Vec<(usize, u32)> = Vec::new();
                for lane in each(lanes) {
                    let at = self.word(warp, index, lane) as usize;
                    let Some(Operand::Label(to)) = targets.get(at) else {
                        return Err("a table of branches ends too early".to_owned());
                    };
                    match paths.iter_mut().find(|(known, _)| known == to) {
                        Some((_, lanes)) => *lanes |= 1 << lane,
                        None => paths.push((*to, 1 << lane)),
                    }
                }
                if active & !lanes != 0 {
                    paths.push((pc + 1, active & !lanes));
                }
                branch(warp, active, meet, &paths);
                return Ok(());
            }
            _ => {}
        }
        if let Some(top) = warp.stack.last_mut() {
            top.pc += 1;
        }
        if lanes == 0 {
            return Ok(());
        }
        match operation.code {
            Code::Return => {
                if let Some(frame) = warp.frames.last_mut() {
                    frame.returned |= lanes;
                }
                Ok(())
            }
            Code::Exit => {
                warp.exited |= lanes;
                Ok(())
            }
            Code::Trap => Err("the kernel traps".to_owned()),
            Code::Unknown => Err(format!("`{}` is not followed", stem(&operation.name))),
            Code::Nothing | Code::Prefetch => Ok(()),
            Code::Call => self.call(warp, operands, lanes),
            Code::Barrier | Code::BarrierArrive | Code::BarrierReduce => {
                self.barrier(warp, operation, operands, lanes)
            }
            Code::Load | Code::Store | Code::Atomic | Code::CopyAsync | Code::Matrix => {
                self.access(warp, operation, operands, lanes, instruction.place)
            }
            _ => self.registers(warp, operation, operands, lanes),
        }
    }

    /// Leaves the innermost function.
    fn leave(&mut self, warp: &mut Warp) {
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

    fn call(&mut self, warp: &mut Warp, operands: &[Operand], lanes: u32) -> Result<(), String> {
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
    fn outside(
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

    fn barrier(
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

    fn word(&self, warp: &Warp, operand: &Operand, lane: usize) -> u64 {
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

    fn special(&self, warp: &Warp, special: Special, lane: usize) -> u64 {
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

    fn set(warp: &mut Warp, operand: &Operand, lane: usize, bits: u64) {
        let Some(frame) = warp.frames.last_mut() else {
            return;
        };
        match operand {
            Operand::Register(at) => frame.registers[*at as usize * LANES + lane] = bits,
            Operand::Pair(first, _) => Self::set(warp, first, lane, bits),
            _ => {}
        }
    }

    fn registers(
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
                    if let Operand::Vector(list) = target {
                        let bits = operation.ty.bits / list.len().max(1) as u32;
                        let whole = word(1);
                        for (at, one) in list.iter().enumerate() {
                            Self::set(warp, one, lane, whole >> (bits * at as u32) & mask(bits));
                        }
                        continue;
                    }
                    let value = match operands.get(1) {
                        Some(Operand::Vector(list)) => {
                            let bits = operation.ty.bits / list.len().max(1) as u32;
                            let words = list.iter().enumerate();
                            words.fold(0, |all, (at, one)| {
                                all | (self.word(warp, one, lane) & mask(bits))
                                    << (bits * at as u32)
                            })
                        }
                        _ => word(1) & mask(operation.ty.bits.max(1)),
                    };
                    Self::set(warp, target, lane, value);
                }
                Code::Convert => {
                    let value = lanes::convert(operation, word(1));
                    Self::set(warp, target, lane, value);
                }
                Code::ToGeneric => {
                    let tag = match operation.space {
                        Space::Shared => SHARED,
                        Space::Local => LOCAL,
                        _ => 0,
                    };
                    Self::set(warp, target, lane, word(1) | tag);
                }
                Code::FromGeneric => {
                    let value = match operation.space {
                        Space::Shared | Space::Local => word(1) & !(0xff << 56),
                        _ => word(1),
                    };
                    Self::set(warp, target, lane, value & mask(operation.ty.bits));
                }
                Code::IsSpace => {
                    let space = memory::space(word(1));
                    Self::set(
                        warp,
                        target,
                        lane,
                        u64::from(space == Some(operation.space)),
                    );
                }
                Code::SetPredicate | Code::Set => {
                    let mut holds = lanes::compare(operation, word(1), word(2));
                    let other = word(3) & 1 == 1;
                    let combine = |holds: bool| match operation.combine {
                        Some(Combine::And) => holds & other,
                        Some(Combine::Or) => holds | other,
                        Some(Combine::Xor) => holds ^ other,
                        _ => holds,
                    };
                    if let Operand::Pair(first, second) = target {
                        Self::set(warp, first, lane, u64::from(combine(holds)));
                        Self::set(warp, second, lane, u64::from(combine(!holds)));
                        continue;
                    }
                    holds = combine(holds);
                    let value = match (operation.code, operation.ty.kind, holds) {
                        (Code::SetPredicate, ..) => u64::from(holds),
                        (_, _, false) => 0,
                        (_, Kind::Float, true) => u64::from(1_f32.to_bits()),
                        _ => mask(32),
                    };
                    Self::set(warp, target, lane, value);
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

    fn across(&mut self, warp: &mut Warp, operation: &Operation, operands: &[Operand], lanes: u32) {
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
                    let segment = (c[lane] >> 8 & 31) as usize;
                    let clamp = (c[lane] & 31) as usize;
                    let by = (b[lane] & 31) as usize;
                    let most = lane & segment | clamp & !segment;
                    let (from, holds) = match operation.shuffle {
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
                    };
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

fn branch(warp: &mut Warp, active: u32, meet: usize, paths: &[(usize, u32)]) {
    let Some(top) = warp.stack.last_mut() else {
        return;
    };
    let paths: Vec<_> = paths.iter().filter(|(_, lanes)| *lanes != 0).collect();
    if let [(to, lanes)] = paths[..]
        && *lanes == active
    {
        top.pc = *to;
        return;
    }
    // Where lanes meet at the end of the path that they are on, it holds them already.
    if top.meet == meet {
        warp.stack.pop();
    } else {
        top.pc = meet;
    }
    for (to, lanes) in paths.iter().rev() {
        if *to != meet {
            warp.stack.push(Entry {
                pc: *to,
                meet,
                mask: *lanes,
            });
        }
    }
}

/// The lanes of a mask.
fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// The first parts of an instruction's name, for reasons.
fn stem(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').take(3).collect();
    parts.join(".")
}
