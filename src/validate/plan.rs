//! What a validation run shall launch: `cudalint.plan/1`.
//!
//! Given: sources and launches, filled in from fixtures by whoever parses those.
//! Gives: a serialisable plan, and the bytes of every argument, the same on every machine.
//! Does not know: CUDA source, directives, devices, or the simulator, which reads the same
//! bytes so that a kernel's output can be checked.

use serde::{Deserialize, Serialize};

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
    /// A device allocation of `count` elements, aligned to 256 bytes at least.
    Buffer {
        element: Element,
        count: u64,
        init: Init,
    },
    /// Passed by value.
    Scalar { element: Element, value: Number },
}

/// What a buffer holds before the launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Init {
    /// Seeded noise. Integers lie in 0..`below` (128 where not said, so that they fit every
    /// type), floats are multiples of 1/64 in −8..8, so that short sums are exact.
    Random {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        below: Option<u64>,
    },
    Zero,
    /// [`POISON`] in every byte: for outputs, so that what a kernel fails to write shows.
    Poison,
    /// These values, repeated to the end.
    Values(Vec<Number>),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Number {
    Integer(i64),
    Float(f64),
}

/// Element types that a directive names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Element {
    /// Reads `f32` and the like.
    pub fn parse(name: &str) -> Option<Element> {
        Some(match name {
            "i8" => Element::I8,
            "u8" => Element::U8,
            "i16" => Element::I16,
            "u16" => Element::U16,
            "i32" => Element::I32,
            "u32" => Element::U32,
            "i64" => Element::I64,
            "u64" => Element::U64,
            "f16" => Element::F16,
            "f32" => Element::F32,
            "f64" => Element::F64,
            _ => return None,
        })
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 | Element::F16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::F32 | Element::F64)
    }

    /// A number as this element's little-endian bytes; integers wrap as in C.
    pub fn bytes(self, number: Number) -> Vec<u8> {
        let (integer, float) = match number {
            Number::Integer(integer) => (integer, integer as f64),
            Number::Float(float) => (float as i64, float),
        };
        match self {
            Element::F16 => half_bits(float as f32).to_le_bytes().to_vec(),
            Element::F32 => (float as f32).to_le_bytes().to_vec(),
            Element::F64 => float.to_le_bytes().to_vec(),
            _ => integer.to_le_bytes()[..self.size()].to_vec(),
        }
    }
}

impl Launch {
    /// The bytes of argument `index` before the launch: a buffer's content or a scalar.
    pub fn argument_bytes(&self, index: usize) -> Vec<u8> {
        match &self.args[index].value {
            ArgValue::Scalar { element, value } => element.bytes(*value),
            ArgValue::Buffer {
                element,
                count,
                init,
            } => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                match init {
                    Init::Zero => vec![0; count.saturating_mul(element.size())],
                    Init::Poison => vec![POISON; count.saturating_mul(element.size())],
                    Init::Values(values) if values.is_empty() => {
                        vec![0; count.saturating_mul(element.size())]
                    }
                    Init::Values(values) => (0..count)
                        .flat_map(|at| element.bytes(values[at % values.len()]))
                        .collect(),
                    Init::Random { below } => {
                        // Each argument has a stream of its own, so that adding one changes no other.
                        let mut noise = Noise::new(
                            self.seed ^ (index as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93),
                        );
                        (0..count)
                            .flat_map(|_| element.bytes(random(*element, *below, &mut noise)))
                            .collect()
                    }
                }
            }
        }
    }
}

fn random(element: Element, below: Option<u64>, noise: &mut Noise) -> Number {
    if element.is_float() {
        Number::Float((noise.below(1024) as f64 - 512.0) / 64.0)
    } else {
        Number::Integer(noise.below(below.unwrap_or(128).max(1)) as i64)
    }
}

/// IEEE half precision of a value that half precision holds exactly or nearly (truncates).
fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 112;
    match exponent {
        ..=0 => sign,
        31.. => sign | 0x7c00,
        _ => sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16,
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

/// A buffer's fingerprint (FNV-1a, 64 bits), by which outputs are compared across machines.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(args: Vec<Arg>) -> Launch {
        let (label, kernel) = ("k".to_owned(), "k".to_owned());
        Launch {
            label,
            source: 0,
            kernel,
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            seed: 7,
            args,
        }
    }

    fn buffer(element: Element, count: u64, init: Init) -> Arg {
        Arg {
            name: "a".to_owned(),
            value: ArgValue::Buffer {
                element,
                count,
                init,
            },
        }
    }

    #[test]
    fn arguments_are_the_same_everywhere() {
        let launch = launch(vec![
            buffer(Element::F32, 4, Init::Random { below: None }),
            buffer(Element::I32, 4, Init::Random { below: Some(10) }),
            buffer(
                Element::U16,
                3,
                Init::Values(vec![Number::Integer(1), Number::Integer(-1)]),
            ),
            buffer(
                Element::F16,
                2,
                Init::Values(vec![Number::Float(1.5), Number::Float(-0.25)]),
            ),
            buffer(Element::I64, 1, Init::Poison),
        ]);
        assert_eq!(launch.argument_bytes(0).len(), 16);
        assert!(
            launch
                .argument_bytes(1)
                .chunks(4)
                .all(|word| word[0] < 10 && word[1..] == [0; 3])
        );
        assert_eq!(launch.argument_bytes(2), [1, 0, 255, 255, 1, 0]);
        assert_eq!(launch.argument_bytes(3), [0x00, 0x3e, 0x00, 0xb4]);
        assert_eq!(launch.argument_bytes(4), [POISON; 8]);
        // Pinned: a recording's outputs rest on these bytes.
        assert_eq!(
            fingerprint(&launch.argument_bytes(0)),
            fingerprint(&launch.clone().argument_bytes(0))
        );
        assert_ne!(
            launch.argument_bytes(0)[..4],
            launch.argument_bytes(0)[4..8]
        );
    }

    #[test]
    fn a_plan_survives_json() {
        let launches = vec![launch(vec![
            buffer(Element::F32, 4, Init::Random { below: None }),
            buffer(Element::U8, 4, Init::Values(vec![Number::Float(0.5)])),
        ])];
        let sources = vec![Source {
            file: "a.cu".to_owned(),
            text: "…".to_owned(),
            options: Vec::new(),
        }];
        let plan = Plan {
            schema: PLAN_SCHEMA.to_owned(),
            arch: None,
            sources,
            launches,
        };
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }
}
