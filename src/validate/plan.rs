//! The plan of a validation run: what it shall launch, `cudalint.plan/1`.
//!
//! Given: sources and launches, filled in from fixtures by whoever parses those.
//! Gives: a serialisable plan, and the bytes of every argument, the same on every machine and
//! for the simulator, so that a kernel's output can be checked.
//! Does not know: CUDA source, directives, or devices.

use crate::fixture::{Element, Fill};
use crate::sim;
use serde::{Deserialize, Serialize};

use super::trace::Traced;

/// The value of [`Plan::schema`].
pub const PLAN_SCHEMA: &str = "cudalint.plan/1";

/// The byte that outputs are filled with before a launch.
pub const POISON: u8 = 0xA5;

/// Kernels to compile and launch, self-contained: it travels to a machine without this
/// repository.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub schema: String,
    /// Architecture to compile for, such as `sm_90`; `None` takes that of the GPU found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    pub sources: Vec<Source>,
    pub launches: Vec<Launch>,
}

/// One translation unit, compiled once with line information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The name that line information reports; the user's path.
    pub file: String,
    pub text: String,
    /// More compiler options, such as `-DN=3` or `-I/some/where`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The same kernels with their addresses recorded, for machines that refuse counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traced: Option<Traced>,
}

/// One launch of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Names the launch in tables; unique within the plan.
    pub label: String,
    /// Index into [`Plan::sources`].
    pub source: usize,
    /// The kernel as a C++ expression: `transpose`, `reduce<float, 128>`.
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory, bytes.
    #[serde(default)]
    pub shared_bytes: u32,
    /// Seeds every random argument; printed with the results.
    pub seed: u64,
    pub args: Vec<Arg>,
}

/// One kernel argument, in parameter order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arg {
    pub name: String,
    #[serde(flatten)]
    pub value: ArgValue,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ArgValue {
    Buffer(Buffer),
    /// Passed by value.
    Scalar {
        element: Element,
        value: Number,
    },
    /// A struct passed by value.
    Struct {
        leaves: Vec<Leaf>,
    },
}

/// A scalar or pointer inside of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leaf {
    /// Path such as `p.data`.
    pub name: String,
    /// Bytes after the struct's start.
    pub at: u32,
    /// No struct: leaves are flat.
    pub value: ArgValue,
}

/// A device allocation of `count` elements, aligned to 256 bytes at least.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    pub element: Element,
    pub count: u64,
    pub init: Init,
    /// The kernel gets the allocation's start moved by so many bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: i64,
    /// Byte ranges (start, end) that are compared after the launch; absent: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Vec<(u64, u64)>>,
}

fn is_zero(offset: &i64) -> bool {
    *offset == 0
}

/// Contents of a buffer before the launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Init {
    /// As a fixture says; random data is seeded.
    Fill(Fill),
    /// [`POISON`] in every byte: for outputs, so that what a kernel fails to write shows.
    Poison,
    /// These values, repeated to the end; nothing repeated is zero.
    Values(Vec<Number>),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// As this element's little-endian bytes; integers wrap as in C.
    #[must_use]
    pub fn bytes(self, element: Element) -> Vec<u8> {
        match self {
            Number::Integer(whole) => sim::element_bytes(element, whole, whole as f64),
            Number::Float(float) => sim::element_bytes(element, float as i64, float),
        }
    }
}

impl Buffer {
    /// Its content before the launch; `name` and `seed` decide random data.
    #[must_use]
    pub fn bytes(&self, name: &str, seed: u64) -> Vec<u8> {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        match &self.init {
            Init::Fill(fill) => sim::fill_bytes(seed, name, self.element, self.count, *fill),
            Init::Poison => vec![POISON; count.saturating_mul(self.element.size() as usize)],
            Init::Values(values) => {
                let values: Vec<Vec<u8>> = values
                    .iter()
                    .map(|value| value.bytes(self.element))
                    .collect();
                let zero = vec![0; self.element.size() as usize];
                (0..count)
                    .flat_map(|at| values.get(at % values.len().max(1)).unwrap_or(&zero))
                    .copied()
                    .collect()
            }
        }
    }
}

impl Launch {
    /// Every buffer, with the name it goes by: a parameter's or a leaf's.
    pub fn buffers(&self) -> impl Iterator<Item = (&str, &Buffer)> {
        self.args.iter().flat_map(|arg| match &arg.value {
            ArgValue::Buffer(buffer) => vec![(arg.name.as_str(), buffer)],
            ArgValue::Scalar { .. } => Vec::new(),
            ArgValue::Struct { leaves } => leaves
                .iter()
                .filter_map(|leaf| match &leaf.value {
                    ArgValue::Buffer(buffer) => Some((leaf.name.as_str(), buffer)),
                    _ => None,
                })
                .collect(),
        })
    }

    /// The same, to change.
    pub fn buffers_mut(&mut self) -> impl Iterator<Item = (&str, &mut Buffer)> {
        self.args.iter_mut().flat_map(|arg| match &mut arg.value {
            ArgValue::Buffer(buffer) => vec![(arg.name.as_str(), buffer)],
            ArgValue::Scalar { .. } => Vec::new(),
            ArgValue::Struct { leaves } => leaves
                .iter_mut()
                .filter_map(|leaf| match &mut leaf.value {
                    ArgValue::Buffer(buffer) => Some((leaf.name.as_str(), buffer)),
                    _ => None,
                })
                .collect(),
        })
    }
}

/// Deterministic noise (splitmix64), the same on every machine.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in 0..`bound`; `bound` is positive.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }
}

/// The bytes of these ranges (start, end), in order; all of them where none are given.
#[must_use]
pub fn within(bytes: &[u8], ranges: Option<&[(u64, u64)]>) -> Vec<u8> {
    let Some(ranges) = ranges else {
        return bytes.to_vec();
    };
    let part = |(start, end): &(u64, u64)| bytes.get(*start as usize..*end as usize);
    ranges.iter().filter_map(part).flatten().copied().collect()
}

/// A buffer's fingerprint (FNV-1a, 64 bits), by which outputs are compared across machines.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(element: Element, count: u64, init: Init) -> Buffer {
        Buffer {
            element,
            count,
            init,
            offset: 0,
            compared: None,
        }
    }

    #[test]
    fn buffers_are_the_same_everywhere() {
        let bytes = |element, count, init| buffer(element, count, init).bytes("a", 7);
        let fill = |lo, hi| Init::Fill(Fill::Random { lo, hi });
        let random = bytes(Element::I32, 40, fill(0, 10));
        assert!(
            random
                .chunks(4)
                .all(|word| word[0] < 10 && word[1..] == [0; 3])
        );
        assert_ne!(
            random,
            buffer(Element::I32, 40, fill(0, 10)).bytes("a", 8),
            "the seed decides"
        );
        let integers = vec![Number::Integer(1), Number::Integer(-1)];
        assert_eq!(
            bytes(Element::U16, 3, Init::Values(integers)),
            [1, 0, 255, 255, 1, 0]
        );
        let floats = vec![Number::Float(1.5), Number::Float(-0.25)];
        assert_eq!(
            bytes(Element::F16, 2, Init::Values(floats)),
            [0x00, 0x3e, 0x00, 0xb4]
        );
        assert_eq!(bytes(Element::U8, 2, Init::Values(Vec::new())), [0, 0]);
        assert_eq!(bytes(Element::I64, 1, Init::Poison), [POISON; 8]);
    }

    #[test]
    fn a_plan_survives_json() {
        let pointer = ArgValue::Buffer(buffer(
            Element::U8,
            4,
            Init::Values(vec![Number::Float(0.5)]),
        ));
        let leaves = vec![Leaf {
            name: "p.data".to_owned(),
            at: 8,
            value: pointer.clone(),
        }];
        let mut moved = buffer(Element::F32, 4, Init::Fill(Fill::Iota));
        (moved.offset, moved.compared) = (-4, Some(vec![(0, 8)]));
        let value = |name: &str, value| Arg {
            name: name.to_owned(),
            value,
        };
        let scalar = ArgValue::Scalar {
            element: Element::F32,
            value: Number::Float(2.0),
        };
        let launch = Launch {
            label: "k".to_owned(),
            source: 0,
            kernel: "k".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            seed: 7,
            args: vec![
                value("a", pointer),
                value("b", ArgValue::Buffer(moved)),
                value("c", scalar),
                value("p", ArgValue::Struct { leaves }),
            ],
        };
        let names: Vec<&str> = launch.buffers().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "p.data"]);
        let sources = vec![Source {
            file: "a.cu".to_owned(),
            text: "…".to_owned(),
            options: Vec::new(),
            traced: None,
        }];
        let plan = Plan {
            schema: PLAN_SCHEMA.to_owned(),
            arch: None,
            sources,
            launches: vec![launch],
        };
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }

    #[test]
    fn ranges_pick_bytes() {
        assert_eq!(within(&[1, 2, 3, 4], None), [1, 2, 3, 4]);
        assert_eq!(within(&[1, 2, 3, 4], Some(&[(0, 1), (2, 4)])), [1, 3, 4]);
        assert!(within(&[1], Some(&[(0, 9)])).is_empty());
    }
}
