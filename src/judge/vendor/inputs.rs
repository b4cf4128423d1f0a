//! What a kernel is launched with: what its host code says, and made-up values for the rest.

use super::bounded;
use super::source::Kernel;
use crate::judge::case::Case;
use crate::judge::random::Random;
use crate::judge::verdicts::Shape;
use crate::ptx::machine::{Argument, Launch};
use crate::ptx::memory::{BETWEEN_BUFFERS, FIRST_BUFFER, Invention};
use crate::ptx::{Function, Slot};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// `cudalint launches --format json`
#[derive(Debug, Default, Deserialize)]
pub struct Launches {
    pub launches: Vec<Known>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Known {
    pub kernel: String,
    #[serde(default)]
    pub instance: String,
    pub grid: [Option<u64>; 3],
    pub block: [Option<u64>; 3],
    pub dynamic_shared: Option<u64>,
    #[serde(default)]
    pub arguments: Vec<Given>,
    #[serde(default)]
    pub problem: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Given {
    pub kind: String,
    #[serde(default)]
    pub value: serde_json::Value,
    #[serde(default)]
    pub offset: i64,
}

/// # Errors
/// Where the program does not run or says something else.
pub fn ask(binary: &Path, arguments: &[String], limit: Duration) -> Result<Launches, String> {
    let mut command = Command::new(binary);
    command
        .args(["launches", "--format", "json", "--isolated", "-j", "1"])
        .args(arguments);
    let output =
        bounded::output(&mut command, limit).map_err(|problem| format!("launches: {problem}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        format!("the list of launches cannot be read ({error}): {complaint}")
    })
}

/// Launches that comments of the file name, and else those that verdicts are about.
pub fn without_host(kernel: &Kernel, instance: &str, case: &Case, shapes: &[&Shape]) -> Vec<Known> {
    let known =
        |grid: [Option<u64>; 3], block: [Option<u64>; 3], dynamic_shared, arguments| Known {
            kernel: kernel.name.clone(),
            instance: instance.to_owned(),
            grid,
            block,
            dynamic_shared,
            arguments,
            problem: None,
        };
    let given = |kind: &str, value: i64| Given {
        kind: kind.to_owned(),
        value: value.into(),
        offset: value,
    };
    let own = case.kernels.iter().find(|one| one.name == kernel.name);
    let directives = own.map_or(&[][..], |own| &own.launches);
    let out: Vec<Known> = directives
        .iter()
        .filter(|launch| launch.template.replace(' ', "") == instance.replace(' ', ""))
        .map(|launch| {
            let arguments =
                kernel
                    .parameters
                    .iter()
                    .map(|(name, ty)| match launch.known.get(name) {
                        Some(value) if ty.contains('*') => given("pointer", *value),
                        Some(value) if ty.contains("float") || ty.contains("double") => {
                            given("float", *value)
                        }
                        Some(value) => given("int", *value),
                        None => given("unknown", 0),
                    });
            let three = |numbers: [u32; 3]| numbers.map(|n| Some(u64::from(n)));
            known(
                three(launch.grid),
                three(launch.block),
                Some(launch.shared),
                arguments.collect(),
            )
        })
        .collect();
    if !out.is_empty() {
        return out;
    }
    let mut out: Vec<Known> = Vec::new();
    for shape in shapes {
        if !out
            .iter()
            .any(|one| one.grid == shape.grid && one.block == shape.block)
        {
            out.push(known(shape.grid, shape.block, None, Vec::new()));
        }
    }
    out
}

/// Sizes and counts as programs have them.
const SIZES: [i64; 24] = [
    1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 256,
];
const SHAPES: [[u32; 3]; 6] = [
    [32, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [32, 4, 1],
    [16, 16, 1],
];

/// A launch, and what assumptions may name: parameters that are numbers.
pub struct Made {
    pub launch: Launch,
    pub numbers: Vec<(String, i128)>,
    pub is_moved: bool,
}

/// The `turn`-th way to launch a kernel as `known` says.
pub fn make(
    kernel: Option<&Kernel>,
    entry: &Function,
    known: Option<&Known>,
    turn: usize,
    random: &mut Random,
) -> Made {
    let shape = SHAPES[turn % SHAPES.len()];
    let mut block = shape;
    let mut grid = [[4, 1, 1], [3, 2, 1], [2, 2, 2], [16, 4, 1]][turn % 4];
    let mut dynamic_shared = 64 << 10;
    if let Some(known) = known {
        // An open extent beside known ones: small, so that a block stays one.
        let is_open = known.block.iter().all(Option::is_none);
        for axis in 0..3 {
            if !is_open {
                let threads: u64 = known.block.iter().flatten().product();
                let rest = (1024 / threads.max(1)).clamp(1, [32, 64, 128, 256][turn % 4]) as u32;
                block[axis] = known.block[axis]
                    .map_or(if axis == 0 { rest } else { rest.min(4) }, |n| n as u32);
            }
            grid[axis] = known.grid[axis].map_or(grid[axis], |n| n.min(u64::from(u32::MAX)) as u32);
        }
        if block.iter().map(|n| u64::from(*n)).product::<u64>() > 1024 && !is_open {
            block = [0, 1, 2].map(|axis| known.block[axis].map_or(1, |n| n as u32));
        }
        dynamic_shared = known.dynamic_shared.unwrap_or(dynamic_shared);
    }
    let mut out = Made {
        launch: Launch {
            grid,
            block,
            dynamic_shared,
            arguments: Vec::new(),
            has_plain_classes: turn % 3 == 2,
            invention: Invention {
                seed: random.next() >> 1,
                most: [8, 64, 2, 200, 1][turn % 5],
            },
            most_steps: 250_000,
            most_requests: 60_000,
        },
        numbers: Vec::new(),
        is_moved: false,
    };
    for (at, slot) in entry.parameters.iter().enumerate() {
        let slot = &entry.slots[*slot];
        let (name, ty) = kernel
            .and_then(|kernel| kernel.parameters.get(at).cloned())
            .unwrap_or_default();
        let given = known.and_then(|known| known.arguments.get(at));
        let argument = argument(&mut out, slot, at, &name, &ty, given, turn, random);
        out.launch.arguments.push(argument);
    }
    out
}

#[allow(clippy::too_many_arguments)]
fn argument(
    out: &mut Made,
    slot: &Slot,
    at: usize,
    name: &str,
    ty: &str,
    given: Option<&Given>,
    turn: usize,
    random: &mut Random,
) -> Argument {
    if slot.is_array {
        return Argument::MadeUp;
    }
    let words: Vec<&str> = ty
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let is_number = [
        "size_t", "long", "int64_t", "uint64_t", "double", "ulong", "Index", "index_t",
    ]
    .iter()
    .any(|word| words.contains(word));
    let is_pointer =
        slot.bytes == 8 && !slot.ty.is_float() && (ty.contains(['*', '&']) || !is_number);
    if is_pointer {
        let offset = given
            .filter(|given| given.kind == "pointer")
            .map_or(0, |given| given.offset);
        out.is_moved |= offset % 256 != 0;
        let buffer = FIRST_BUFFER + at as u64 * BETWEEN_BUFFERS + (BETWEEN_BUFFERS >> 1);
        return Argument::Bits(buffer.wrapping_add(offset as u64));
    }
    let float = |value: f64| {
        Argument::Bits(if slot.bytes == 8 {
            value.to_bits()
        } else {
            u64::from((value as f32).to_bits())
        })
    };
    if slot.ty.is_float() {
        let value = given
            .filter(|given| given.kind == "float" || given.kind == "int")
            .and_then(|given| given.value.as_f64());
        return float(value.unwrap_or([1.5, 0.25, 3.0][turn % 3]));
    }
    let known = given
        .filter(|given| given.kind == "int")
        .and_then(|given| given.value.as_i64());
    let value = known.unwrap_or_else(|| match turn {
        0 => 64,
        1 => 1024,
        2 => 1,
        _ => random.number(&SIZES),
    });
    let bits = value as u64 & crate::ptx::lanes::mask(slot.bytes as u32 * 8);
    out.numbers.push((name.to_owned(), i128::from(value)));
    Argument::Bits(bits)
}
