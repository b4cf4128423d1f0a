//! The loads and stores of machine code, with the source lines that they come from.
//!
//! Given a cubin for sm_80 to sm_120, gives its accesses of shared and global memory. The one door to
//! object files and their line tables. Instructions have 16 bytes: the low nine bits are the operation,
//! bits 73 to 75 the width (seen in `nvdisasm -hex` of CUDA 13.0, the same for sm_80, sm_86, sm_90,
//! sm_100 and sm_120; Mesa's compiler for these GPUs, `src/nouveau/compiler/nak`, encodes them so).

use crate::gpu::Space;
use crate::gpu::cost::Op;
use gimli::{DebugLine, DebugLineOffset, EndianSlice, LittleEndian};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Bytes of an instruction.
const INSTRUCTION: usize = 16;
/// Sections stand this far apart while line tables are read.
const APART: u32 = 32;

/// One load or store instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineAccess {
    /// The function's name in the object file.
    pub function: String,
    pub file: PathBuf,
    pub line: u32,
    pub space: Space,
    pub op: Op,
    /// Bytes per lane; 0 where the instruction is not read that far: matrices, asynchronous copies.
    pub width: u32,
}

/// Where code comes from, from an address on.
struct Row {
    address: u64,
    file: PathBuf,
    line: u32,
}

/// Every load and store of shared and global memory, in the order of the code.
///
/// # Errors
/// Where the bytes are no object file, or it has no line table.
pub fn accesses(cubin: &[u8]) -> Result<Vec<MachineAccess>, String> {
    let file = object::File::parse(cubin).map_err(|error| error.to_string())?;
    let rows = rows(&file)?;
    let mut out = Vec::new();
    for section in file.sections() {
        let Some(function) = section
            .name()
            .ok()
            .and_then(|name| name.strip_prefix(".text."))
        else {
            continue;
        };
        let code = section.data().map_err(|error| error.to_string())?;
        let base = (section.index().0 as u64) << APART;
        for (nth, instruction) in code.chunks_exact(INSTRUCTION).enumerate() {
            let found = decode(instruction);
            if found.is_empty() {
                continue;
            }
            let address = base + (nth * INSTRUCTION) as u64;
            let at = rows.partition_point(|row| row.address <= address);
            let Some(row) = at.checked_sub(1).and_then(|at| rows.get(at)) else {
                continue;
            };
            if row.address < base {
                continue;
            }
            out.extend(found.iter().map(|(space, op, width)| MachineAccess {
                function: function.to_owned(),
                file: row.file.clone(),
                line: row.line,
                space: *space,
                op: *op,
                width: *width,
            }));
        }
    }
    Ok(out)
}

/// What an instruction moves: memory, direction, bytes per lane.
fn decode(instruction: &[u8]) -> Vec<(Space, Op, u32)> {
    let word = |at: usize| {
        let bytes = instruction
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let (low, high) = (word(0), word(8));
    let (space, op) = match low & 0x1ff {
        0x181 => (Space::Global, Op::Load),
        0x186 => (Space::Global, Op::Store),
        0x184 => (Space::Shared, Op::Load),
        0x188 => (Space::Shared, Op::Store),
        // LDSM and STSM; LDGSTS, whose width stands elsewhere for each architecture.
        0x03b => return vec![(Space::Shared, Op::Load, 0)],
        0x044 => return vec![(Space::Shared, Op::Store, 0)],
        0x1ae => return vec![(Space::Global, Op::Load, 0), (Space::Shared, Op::Store, 0)],
        _ => return Vec::new(),
    };
    let width = match high >> 9 & 7 {
        0 | 1 => 1,
        2 | 3 => 2,
        4 => 4,
        5 => 8,
        6 => 16,
        _ => 0,
    };
    vec![(space, op, width)]
}

/// The line table by address, with the number of the section above the offset in it.
fn rows(file: &object::File) -> Result<Vec<Row>, String> {
    let section = file
        .section_by_name(".debug_line")
        .ok_or("the object file has no line table")?;
    let mut table = section.data().map_err(|error| error.to_string())?.to_vec();
    for (at, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            continue;
        };
        let symbol = file
            .symbol_by_index(symbol)
            .map_err(|error| error.to_string())?;
        let Some(index) = symbol.section_index() else {
            continue;
        };
        let address = ((index.0 as u64) << APART) + symbol.address();
        let bytes = address
            .wrapping_add_signed(relocation.addend())
            .to_le_bytes();
        let place = usize::try_from(at)
            .ok()
            .and_then(|at| table.get_mut(at..at + bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(&bytes);
        }
    }
    let lines = DebugLine::new(&table, LittleEndian);
    let mut out = Vec::new();
    let mut next = 0;
    while next < table.len() {
        let program = lines
            .program(DebugLineOffset(next), 8, None, None)
            .map_err(|error| error.to_string())?;
        // The length does not count the four bytes that hold it.
        next += program.header().unit_length() + 4;
        read(program, &mut out)?;
    }
    out.sort_by_key(|row: &Row| row.address);
    Ok(out)
}

fn read(
    program: gimli::IncompleteLineProgram<EndianSlice<'_, LittleEndian>>,
    out: &mut Vec<Row>,
) -> Result<(), String> {
    let mut rows = program.rows();
    let broken = |error: gimli::Error| error.to_string();
    while let Some((header, row)) = rows.next_row().map_err(broken)? {
        let (Some(line), false) = (row.line(), row.end_sequence()) else {
            continue;
        };
        let Some(entry) = row.file(header) else {
            continue;
        };
        let text = |value: gimli::AttributeValue<EndianSlice<'_, LittleEndian>>| match value {
            gimli::AttributeValue::String(bytes) => {
                PathBuf::from(bytes.to_string_lossy().into_owned())
            }
            _ => PathBuf::new(),
        };
        let folder = entry.directory(header).map(text).unwrap_or_default();
        out.push(Row {
            address: row.address(),
            file: folder.join(text(entry.path_name())),
            line: u32::try_from(line.get()).unwrap_or(0),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(low: u64, high: u64) -> Vec<(Space, Op, u32)> {
        decode(&[low.to_le_bytes(), high.to_le_bytes()].concat())
    }

    #[test]
    fn instructions_are_told_apart() {
        let (load, store) = (Op::Load, Op::Store);
        // LDG.E.128, LDG.E.U16, STS.64, STS.U8, LDS.S8 as nvdisasm prints them for sm_90.
        let rows = [
            (
                0x0000_000a_0404_7981,
                0x000e_a800_0c1e_1d00,
                (Space::Global, load, 16),
            ),
            (
                0x0000_000a_0c12_7981,
                0x000e_a800_0c1e_1500,
                (Space::Global, load, 2),
            ),
            (
                0x0000_0008_1500_7388,
                0x0201_e800_0000_0a00,
                (Space::Shared, store, 8),
            ),
            (
                0x0000_0017_0000_7988,
                0x000f_e200_0800_0004,
                (Space::Shared, store, 1),
            ),
            (
                0x0000_0004_1417_7984,
                0x000e_6200_0800_0200,
                (Space::Shared, load, 1),
            ),
        ];
        for (low, high, expected) in rows {
            assert_eq!(of(low, high), [expected], "{low:x}");
        }
        // LDGSTS, IMAD.
        assert_eq!(of(0x0000_0000_0209_7fae, 0x000f_e800_0b90_1c48).len(), 2);
        assert_eq!(of(0x0000_0001_ff01_7624, 0x000f_e200_078e_00ff), []);
    }

    #[test]
    fn other_files_are_refused() {
        assert!(accesses(b"no object file").is_err());
        assert!(accesses(&[]).is_err());
    }
}
