//! From machine instructions to source lines.
//!
//! Given: the counters of single machine instructions.
//! Gives: what each instruction does to memory, and one row per source line, space, operation,
//! width and opcode.
//! Does not know: where counters come from, machine code, or what was predicted.

use crate::gpu::{Op, Space};

use super::measurement::LineCounters;

/// A counter of one machine instruction; each is one of CUPTI's SASS metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Requests,
    Lanes,
    Wavefronts,
    WavefrontsIdeal,
    Sectors,
    SectorsIdeal,
    // Executions by kind of access: what the instruction is.
    SharedLoad,
    SharedStore,
    SharedAtomic,
    MatrixLoad,
    MatrixStore,
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    GlobalReduction,
    AsyncCopy,
    // Executions by access width.
    Bytes1,
    Bytes2,
    Bytes4,
    Bytes8,
    Bytes16,
}

impl Counter {
    /// Every counter and CUPTI's name for it.
    ///
    /// Source: CUPTI's own list for compute capability 9.0 (CUDA 13.0).
    pub const ALL: [(Counter, &'static str); 21] = [
        (Counter::Requests, "smsp__sass_inst_executed"),
        (Counter::Lanes, "smsp__sass_thread_inst_executed_pred_on"),
        (
            Counter::Wavefronts,
            "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
        ),
        (
            Counter::WavefrontsIdeal,
            "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
        ),
        (Counter::Sectors, "smsp__sass_sectors_mem_global"),
        (Counter::SectorsIdeal, "smsp__sass_sectors_mem_global_ideal"),
        (Counter::SharedLoad, "smsp__sass_inst_executed_op_shared_ld"),
        (
            Counter::SharedStore,
            "smsp__sass_inst_executed_op_shared_st",
        ),
        (
            Counter::SharedAtomic,
            "smsp__sass_inst_executed_op_shared_atom",
        ),
        (Counter::MatrixLoad, "smsp__sass_inst_executed_op_ldsm"),
        (
            Counter::MatrixStore,
            "smsp__sass_inst_executed_op_shared_stsm",
        ),
        (Counter::GlobalLoad, "smsp__sass_inst_executed_op_global_ld"),
        (
            Counter::GlobalStore,
            "smsp__sass_inst_executed_op_global_st",
        ),
        (
            Counter::GlobalAtomic,
            "smsp__sass_inst_executed_op_global_atom",
        ),
        (
            Counter::GlobalReduction,
            "smsp__sass_inst_executed_op_global_red",
        ),
        (Counter::AsyncCopy, "smsp__sass_inst_executed_op_ldgsts"),
        (Counter::Bytes1, "smsp__sass_inst_executed_op_memory_8b"),
        (Counter::Bytes2, "smsp__sass_inst_executed_op_memory_16b"),
        (Counter::Bytes4, "smsp__sass_inst_executed_op_memory_32b"),
        (Counter::Bytes8, "smsp__sass_inst_executed_op_memory_64b"),
        (Counter::Bytes16, "smsp__sass_inst_executed_op_memory_128b"),
    ];
}

/// One memory access of a machine instruction: `LDGSTS` makes two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
}

/// A machine instruction that accesses memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Such as `LDS.128`.
    pub opcode: String,
    pub accesses: Vec<Access>,
}

/// What one machine instruction counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionCounters {
    pub file: String,
    /// 1-based; 0 if unknown.
    pub line: u32,
    /// Other places it is listed at.
    pub also: Vec<(String, u32)>,
    /// What the instruction is, where its text is known; otherwise its counters tell.
    pub instruction: Option<Instruction>,
    values: [u64; Counter::ALL.len()],
}

impl InstructionCounters {
    pub fn new(file: String, line: u32, instruction: Option<Instruction>) -> InstructionCounters {
        InstructionCounters {
            file,
            line,
            also: Vec::new(),
            instruction,
            values: [0; Counter::ALL.len()],
        }
    }

    pub fn add(&mut self, counter: Counter, value: u64) {
        self.values[counter as usize] += value;
    }

    pub fn get(&self, counter: Counter) -> u64 {
        self.values[counter as usize]
    }

    /// What the instruction is; `None` if it accesses neither shared nor global memory.
    pub fn kind(&self) -> Option<Instruction> {
        if self.instruction.is_some() {
            return self.instruction.clone();
        }
        let counted = |counter: &Counter| self.get(*counter) > 0;
        let widths = [
            (Counter::Bytes1, 1),
            (Counter::Bytes2, 2),
            (Counter::Bytes4, 4),
            (Counter::Bytes8, 8),
            (Counter::Bytes16, 16),
        ];
        let width = widths
            .iter()
            .find(|(counter, _)| counted(counter))
            .map_or(4, |(_, width)| *width);
        let kinds = [
            (Counter::AsyncCopy, "LDGSTS"),
            (Counter::MatrixLoad, "LDSM"),
            (Counter::MatrixStore, "STSM"),
            (Counter::SharedLoad, "LDS"),
            (Counter::SharedStore, "STS"),
            (Counter::SharedAtomic, "ATOMS"),
            (Counter::GlobalLoad, "LDG"),
            (Counter::GlobalStore, "STG"),
            (Counter::GlobalReduction, "REDG"),
            (Counter::GlobalAtomic, "ATOMG"),
        ];
        let (_, base) = kinds.iter().find(|(counter, _)| counted(counter))?;
        instruction(base, width)
    }
}

/// An instruction by its base name and width; `None` for one that accesses other memory or none.
fn instruction(base: &str, width: u32) -> Option<Instruction> {
    let one = |space, op, width| vec![Access { space, op, width }];
    let (base, accesses) = match base {
        "LDS" => ("LDS", one(Space::Shared, Op::Load, width)),
        "STS" => ("STS", one(Space::Shared, Op::Store, width)),
        "ATOMS" => ("ATOMS", one(Space::Shared, Op::Atomic, width)),
        // A row address per lane, sixteen bytes each.
        "LDSM" => ("LDSM", one(Space::Shared, Op::Load, 16)),
        "STSM" => ("STSM", one(Space::Shared, Op::Store, 16)),
        "LDG" | "LD" => ("LDG", one(Space::Global, Op::Load, width)),
        "STG" | "ST" => ("STG", one(Space::Global, Op::Store, width)),
        "ATOMG" | "ATOM" => ("ATOMG", one(Space::Global, Op::Atomic, width)),
        "REDG" | "RED" => ("REDG", one(Space::Global, Op::Atomic, width)),
        "LDGSTS" => (
            "LDGSTS",
            vec![
                Access {
                    space: Space::Shared,
                    op: Op::Store,
                    width,
                },
                Access {
                    space: Space::Global,
                    op: Op::Load,
                    width,
                },
            ],
        ),
        _ => return None,
    };
    let suffix = match (base, width) {
        ("LDSM" | "STSM", _) => "",
        (_, 1) => ".8",
        (_, 2) => ".16",
        (_, 8) => ".64",
        (_, 16) => ".128",
        _ => "",
    };
    Some(Instruction {
        opcode: format!("{base}{suffix}"),
        accesses,
    })
}

/// Sums instructions of one line and kind, in order of file, line, space, op, width, opcode.
pub fn by_line(instructions: &[InstructionCounters]) -> Vec<LineCounters> {
    let mut rows: Vec<LineCounters> = Vec::new();
    for counted in instructions {
        // Predicated off in every lane (`@!PT LDS RZ` pads copies): nothing is asked of memory.
        if counted.get(Counter::Lanes) == 0 {
            continue;
        }
        let Some(instruction) = counted.kind() else {
            continue;
        };
        for access in &instruction.accesses {
            let (cost, ideal) = match access.space {
                Space::Shared => (Counter::Wavefronts, Counter::WavefrontsIdeal),
                Space::Global => (Counter::Sectors, Counter::SectorsIdeal),
            };
            let same = |row: &&mut LineCounters| {
                (row.file == counted.file && row.line == counted.line && row.also == counted.also)
                    && (row.space, row.op, row.width) == (access.space, access.op, access.width)
                    && row.opcode == instruction.opcode
            };
            let row = match rows.iter_mut().find(same) {
                Some(row) => row,
                None => {
                    rows.push(LineCounters {
                        file: counted.file.clone(),
                        line: counted.line,
                        also: counted.also.clone(),
                        space: access.space,
                        op: access.op,
                        width: access.width,
                        opcode: instruction.opcode.clone(),
                        instructions: 0,
                        requests: 0,
                        lanes: 0,
                        cost: 0,
                        ideal: 0,
                    });
                    let last = rows.len() - 1;
                    &mut rows[last]
                }
            };
            row.instructions += 1;
            row.requests += counted.get(Counter::Requests);
            row.lanes += counted.get(Counter::Lanes);
            row.cost += counted.get(cost);
            row.ideal += counted.get(ideal);
        }
    }
    rows.sort_by(|a, b| {
        let key = |row: &LineCounters| (row.line, row.space as u8, row.op as u8, row.width);
        (&a.file, key(a), &a.opcode).cmp(&(&b.file, key(b), &b.opcode))
    });
    rows
}

/// Reads the disassembler's text, such as `@!P0 LDS.128 R4, [R2+0x10]`.
pub fn parse_sass(text: &str) -> Option<Instruction> {
    let opcode = text
        .split_whitespace()
        .find(|word| !word.starts_with('@'))?
        .trim_end_matches([';', ',']);
    let mut parts = opcode.split('.');
    let base = parts.next()?;
    let width = parts.find_map(|modifier| {
        Some(match modifier {
            "U8" | "S8" => 1,
            "U16" | "S16" => 2,
            "64" | "F64" | "F32x2" | "F16x4" => 8,
            "128" | "F32x4" | "F16x8" => 16,
            _ => return None,
        })
    });
    instruction(base, width.unwrap_or(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_text_names_space_operation_and_width() {
        let read = |text: &str| parse_sass(text).map(|instruction| instruction.accesses);
        let one = |space, op, width| Some(vec![Access { space, op, width }]);
        assert_eq!(
            read("LDS.U.128 R4, [R2+0x10]"),
            one(Space::Shared, Op::Load, 16)
        );
        assert_eq!(
            read("@!P0 STS.U8 [R2], R0 ;"),
            one(Space::Shared, Op::Store, 1)
        );
        assert_eq!(
            read("LDG.E.64.CONSTANT R4, desc[UR4][R2.64]"),
            one(Space::Global, Op::Load, 8)
        );
        assert_eq!(
            read("STG.E desc[UR4][R2.64], R0"),
            one(Space::Global, Op::Store, 4)
        );
        assert_eq!(
            read("RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5"),
            one(Space::Global, Op::Atomic, 4)
        );
        assert_eq!(
            read("LDSM.16.M88.4 R4, [R2]"),
            one(Space::Shared, Op::Load, 16)
        );
        assert_eq!(
            read("LDGSTS.E.BYPASS.128 [R3], desc[UR4][R4.64]").map(|both| both.len()),
            Some(2)
        );
        assert_eq!(read("IADD3 R1, R2, R3, RZ"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn counters_tell_what_an_instruction_is() {
        let mut counted = InstructionCounters::new("a.cu".to_owned(), 3, None);
        for (counter, value) in [
            (Counter::Requests, 2),
            (Counter::Lanes, 64),
            (Counter::AsyncCopy, 2),
            (Counter::Bytes16, 2),
            (Counter::Wavefronts, 8),
            (Counter::Sectors, 32),
        ] {
            counted.add(counter, value);
        }
        let rows = by_line(&[counted.clone(), counted]);
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (
                rows[0].space,
                rows[0].cost,
                rows[0].requests,
                rows[0].instructions
            ),
            (Space::Shared, 16, 4, 2)
        );
        assert_eq!(
            (rows[1].space, rows[1].cost, rows[1].opcode.as_str()),
            (Space::Global, 64, "LDGSTS.128")
        );
        let mut other = InstructionCounters::new("a.cu".to_owned(), 3, None);
        other.add(Counter::Requests, 1);
        other.add(Counter::Lanes, 32);
        assert_eq!(by_line(&[other]), []);
    }

    #[test]
    fn counters_are_listed_in_order() {
        for (index, (counter, _)) in Counter::ALL.iter().enumerate() {
            assert_eq!(*counter as usize, index);
        }
    }
}
