//! Runs one block: warps in lock step, lanes that part at a branch meet again at its immediate
//! post-dominator, barriers, shuffles, votes, atomics.

mod control;
mod requests;
mod values;

use super::flow::END;
use super::lanes::{self, mask};
use super::memory::{self, FIRST_BUFFER, Flat, Invention, LOCAL, PARAMETER, SHARED, Sparse};
use super::operation::{Code, Combine, Kind, Operation, ShuffleMode, Space};
use super::{DebugLine, Module, Operand, Special, Variable};
use std::collections::{BTreeMap, HashMap};

const LANES: usize = 32;
/// Generic addresses of functions.
const FUNCTION: u64 = 0x05 << 56;
/// Between shared arrays, so that a subscript past an end is noticed. A multiple of all banks.
const SHARED_GAP: u64 = 1024;
/// What a cost repeats by: bytes of all banks, and of a sector.
const BANKS: u64 = 128;
const SECTOR: u64 = 32;
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

/// One request of one warp to shared or global memory.
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
    pub chains: Vec<Vec<DebugLine>>,
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

/// Most bytes of one variable that are zero because its list of values ends before them.
const MOST_ZEROS: usize = 1 << 20;

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
        // Where ptxas puts arrays of shared memory: each right behind the one before.
        let mut packed = 0_u64;
        let (fixed, dynamic): (Vec<&Variable>, Vec<&Variable>) = self
            .module
            .variables
            .iter()
            .partition(|variable| !variable.is_dynamic);
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
                let align = variable.align.max(1);
                packed = packed.next_multiple_of(align);
                let past = if variable.is_dynamic {
                    0
                } else {
                    packed % BANKS
                };
                let start = known.unwrap_or(self.shared_bytes + past);
                packed += variable.bytes;
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
                // Where a type alone aligns it, it may start inside a sector.
                let past = variable.align % SECTOR;
                *next = next.next_multiple_of(variable.align.max(256)) + past;
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
            // PTX leaves out the zeros at the end of what a variable starts with.
            if !variable.start.is_empty() {
                for at in (variable.start.len() as u64..variable.bytes).take(MOST_ZEROS) {
                    self.globals.write(start + at, 0, 1);
                }
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

    /// Begins with the values that another grid, run on the same launch, was given where nobody wrote.
    pub fn begin_with(&mut self, other: &Grid) {
        self.globals.begin_with(&other.globals);
        self.arguments.begin_with(&other.arguments);
    }

    /// Bytes of global memory that its blocks stored.
    #[must_use]
    pub fn stored(&self) -> BTreeMap<u64, u8> {
        self.globals.stored()
    }

    /// The name of the module's variable that an address of global memory lies in.
    #[must_use]
    pub fn variable_at(&self, address: u64) -> Option<&'m str> {
        let variables = self.module.variables.iter();
        let mut variables = variables.filter(|variable| variable.space != Space::Shared);
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
    chains: HashMap<Vec<DebugLine>, u32>,
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

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
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
