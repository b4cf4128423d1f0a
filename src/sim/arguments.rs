//! A fixture's launch turned into one to run.
//!
//! Given the directive's arguments by name and the kernel's parameters, gives values in
//! the parameters' order. Random data depends on the parameter's name alone, so every
//! run and every machine sees the same bytes.

use super::value::{encode, round};
use super::{Blocks, ConcreteArgument, ConcreteLaunch};
use crate::fixture::{Element, Fill, FixtureArgument, FixtureLaunch};
use crate::ir::{Kernel, ParameterKind, Scalar};

/// The launch with its data.
///
/// # Errors
/// One sentence where arguments and parameters don't match.
pub fn concrete(launch: &FixtureLaunch, kernel: &Kernel) -> Result<ConcreteLaunch, String> {
    let arguments = by_parameter(launch, kernel)?;
    let concrete = kernel.parameters.iter().zip(arguments);
    Ok(ConcreteLaunch {
        grid: launch.grid,
        block: launch.block,
        dynamic_shared: launch.shared,
        arguments: concrete
            .map(|(parameter, argument)| value(&parameter.name, argument))
            .collect(),
        blocks: Blocks::All,
        limit: None,
        only: None,
    })
}

/// Arguments stand in the parameters' order, each with its parameter's name.
fn by_parameter<'a>(
    launch: &'a FixtureLaunch,
    kernel: &Kernel,
) -> Result<Vec<&'a FixtureArgument>, String> {
    let mut given = launch.arguments.iter();
    let mut arguments = Vec::new();
    for parameter in &kernel.parameters {
        let Some((name, argument)) = given.next() else {
            return Err(format!(
                "the launch of `{}` gives no `{}`",
                kernel.name, parameter.name
            ));
        };
        if *name != parameter.name {
            return Err(format!(
                "the launch of `{}` gives `{name}` where `{}` stands",
                kernel.name, parameter.name
            ));
        }
        let fits = match (&parameter.kind, argument) {
            (ParameterKind::Pointer { .. }, argument) => {
                matches!(
                    argument,
                    FixtureArgument::Buffer { .. } | FixtureArgument::Int(0)
                )
            }
            (ParameterKind::Object { leaves }, FixtureArgument::Struct(values)) => {
                values.len() == leaves.len()
            }
            (ParameterKind::Scalar(_), argument) => {
                matches!(
                    argument,
                    FixtureArgument::Int(_) | FixtureArgument::Float(_)
                )
            }
            (ParameterKind::Object { .. }, _) => false,
        };
        if !fits {
            return Err(format!(
                "the argument for `{}` of `{}` is not of its type",
                parameter.name, kernel.name
            ));
        }
        arguments.push(argument);
    }
    if let Some((name, _)) = given.next() {
        return Err(format!("`{}` has no parameter `{name}`", kernel.name));
    }
    Ok(arguments)
}

fn value(name: &str, argument: &FixtureArgument) -> ConcreteArgument {
    match argument {
        FixtureArgument::Int(value) => ConcreteArgument::Int(*value),
        FixtureArgument::Float(value) => ConcreteArgument::Float(*value),
        FixtureArgument::Buffer {
            element,
            count,
            fill,
            offset,
        } => ConcreteArgument::Buffer {
            bytes: bytes(name, *element, *count, *fill),
            offset: *offset,
        },
        FixtureArgument::Struct(leaves) => {
            ConcreteArgument::Leaves(leaves.iter().map(|leaf| value(name, leaf)).collect())
        }
    }
}

/// The buffer's bytes as the oracle sees them.
fn bytes(name: &str, element: Element, count: u64, fill: Fill) -> Vec<u8> {
    fill_bytes(0, name, element, count, fill)
}

/// The bytes of a buffer called `name`, little-endian; `seed` changes random ones only.
#[must_use]
pub fn fill_bytes(seed: u64, name: &str, element: Element, count: u64, fill: Fill) -> Vec<u8> {
    // FNV-1a, so that buffers of one launch differ.
    let seed = name.bytes().fold(
        0xCBF2_9CE4_8422_2325_u64 ^ splitmix(seed) ^ splitmix(0),
        |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3),
    );
    let ty = scalar(element);
    let size = element.size() as usize;
    let mut bytes = Vec::with_capacity(size * count as usize);
    for index in 0..count {
        let bits = match fill {
            Fill::Zero => number(0, 0.0, element, ty),
            Fill::Iota => number(index as i64, index as f64, element, ty),
            Fill::Random { lo, hi } => {
                let random = splitmix(seed.wrapping_add(index));
                let range = hi.wrapping_sub(lo) as u64;
                let whole = lo.wrapping_add((random % range.max(1)) as i64);
                // Few bits, so that sums of floats stay exact whatever their order.
                let part = (random >> 32 & 0xFF) as f64 / 256.0;
                number(whole, lo as f64 + part * range as f64, element, ty)
            }
        };
        bytes.extend_from_slice(&encode(bits, ty).to_le_bytes()[..size]);
    }
    bytes
}

/// One number as this element's little-endian bytes: integers wrap as in C, floats round.
#[must_use]
pub fn element_bytes(element: Element, whole: i64, float: f64) -> Vec<u8> {
    let ty = scalar(element);
    let bits = encode(number(whole, float, element, ty), ty);
    bits.to_le_bytes()[..element.size() as usize].to_vec()
}

fn number(whole: i64, float: f64, element: Element, ty: Scalar) -> u64 {
    if element.is_float() {
        round(float, ty).to_bits()
    } else {
        whole as u64
    }
}

fn splitmix(state: u64) -> u64 {
    let z = state.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

fn scalar(element: Element) -> Scalar {
    match element {
        Element::I8 => Scalar::I8,
        Element::U8 => Scalar::U8,
        Element::I16 => Scalar::I16,
        Element::U16 => Scalar::U16,
        Element::I32 => Scalar::I32,
        Element::U32 => Scalar::U32,
        Element::I64 => Scalar::I64,
        Element::U64 => Scalar::U64,
        Element::F16 => Scalar::F16,
        Element::BF16 => Scalar::BF16,
        Element::F32 => Scalar::F32,
        Element::F64 => Scalar::F64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_the_same_everywhere() {
        let iota = bytes("a", Element::I32, 3, Fill::Iota);
        assert_eq!(iota, [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes("a", Element::F16, 2, Fill::Iota), [0, 0, 0, 0x3C]);
        let fill = Fill::Random { lo: 0, hi: 10 };
        let first = bytes("a", Element::U8, 100, fill);
        assert_eq!(first, bytes("a", Element::U8, 100, fill));
        assert_ne!(first, bytes("b", Element::U8, 100, fill));
        assert!(first.iter().all(|byte| *byte < 10));
    }
}
