//! Patterns of kernels that people have published, each as a fixture of our own, and what must be
//! said of it.

use crate::support::{CASES, Case, Mismatches};
use cudalint::prove::verdict::{Access, Status};

/// What is hard about the pattern, the fixture that holds it, and costs that must be among its
/// verdicts, as `space operation least..most/ideal` in wavefronts or sectors of one request.
const PATTERNS: [(&str, &str, &[&str]); 27] = [
    (
        "transpose through a tile by a 32 x 16 block: the column read is exactly 32-way",
        "shared/transpose_tile_rows_of_8.cu",
        &["shared load 32..32/1", "shared store 1..1/1"],
    ),
    (
        "its twin with a padded row is conflict-free",
        "shared/transpose_tile_padded.cu",
        &["shared load 1..1/1", "shared store 1..1/1"],
    ),
    (
        "launched through a function pointer only",
        "launch/host_function_pointer.cu",
        &["global load 32..32/4"],
    ),
    (
        "a macro that casts to float4, `%` and `/` of the thread number",
        "shared/vector_transpose.cu",
        &["shared store 16..16/1"],
    ),
    (
        "`s[x][x ^ y]` is conflict-free both ways",
        "shared/xor_swizzle.cu",
        &["shared load 1..1/1", "shared store 1..1/1"],
    ),
    (
        "a swizzle helper feeds 128-bit stores and `ldmatrix` by inline assembly",
        "shared/swizzled_ldmatrix.cu",
        &["shared load 4..4/4", "shared store 4..4/4"],
    ),
    (
        "a double buffer chosen by parity, `cp.async` through a 32-bit address",
        "shared/double_buffered_sgemm.cu",
        &["shared store 4..4/4", "shared load 8..8/4"],
    ),
    (
        "shared memory behind a conversion operator, `2 * s * tid` below a bound",
        "shared/shared_memory_wrapper.cu",
        &["shared load 1..4/1"],
    ),
    (
        "a scan with padded indexes, two geometric counters at once",
        "shared/scan_with_offsets.cu",
        &["shared load 1..1/1", "shared store 1..1/1"],
    ),
    (
        "a radix-4 transform whose stride is divided in the loop",
        "shared/radix_4.cu",
        &["shared load 1..4/1"],
    ),
    (
        "a sorting network that compares by reference",
        "shared/comparator_by_reference.cu",
        &["shared load 2..2/1"],
    ),
    (
        "one template, two instances, two shapes",
        "launch/template_instances.cu",
        &["shared load 32..32/1", "shared load 32..32/2"],
    ),
    (
        "pointers that advance before and in the loop",
        "global/advancing_pointers.cu",
        &["global load 32..32/4"],
    ),
    (
        "all accesses in device functions of a namespace",
        "launch/device_function_tiles.cu",
        &["shared load 32..32/1"],
    ),
    (
        "one asynchronous copy is a store and a load",
        "shared/memcpy_async_tile.cu",
        &["shared store 8..8/1"],
    ),
    (
        "one value a warp, in arrays carved from dynamic memory",
        "shared/block_softmax.cu",
        &["shared load 1..1/1"],
    ),
    (
        "matrix fragments of a skewed tile, copied 16 bytes a lane",
        "shared/skewed_fragment_tile.cu",
        &["shared store 4..4/4", "shared load 2..2/1"],
    ),
    (
        "a tiled group, streaming loads and stores",
        "global/streaming_hints.cu",
        &["global load 8..8/4"],
    ),
    (
        "structures of 16 KiB, one a thread",
        "global/large_structure.cu",
        &["global load 32..32/4"],
    ),
    (
        "an index of type size_t, taken apart by sizes of type int and put together again",
        "global/sizes_that_are_signed.cu",
        &["global store 4..4/4", "global load 4..4/4"],
    ),
    (
        "dimensions in a structure that is passed by value",
        "global/shape_by_value.cu",
        &["global load 4..5/4"],
    ),
    (
        "byte counters as words and as bytes, thread numbers permuted by bits",
        "shared/permuted_byte_histogram.cu",
        &["shared load data-dependent"],
    ),
    (
        "a tile with a halo, two rows a warp",
        "shared/halo_tile.cu",
        &["shared load 2..2/1"],
    ),
    (
        "anti-diagonals of a table by half a warp",
        "shared/diagonal_wavefront.cu",
        &["shared load 1..8/1"],
    ),
    (
        "sparse rows: bounds from memory, a gather through an index",
        "global/compressed_rows.cu",
        &["global load data-dependent"],
    ),
    (
        "a macro that is a statement around the body",
        "launch/statement_macro.cu",
        &["global load 1..4/3"],
    ),
    (
        "words stored, bytes read three apart",
        "shared/pixel_components.cu",
        &["shared load 1..1/1"],
    ),
];

/// A static member that runs on a shared object of its own class, which has arrays, helpers and
/// member templates; `car`-like chains of divisions.
const RESOLVED: [&str; 4] = [
    "shared/class_static_run.cu",
    "parse/member_template_call.cu",
    "launch/launch_bounds.cu",
    "global/integer_division_chain.cu",
];

#[test]
fn published_patterns_are_answered() {
    let mut mismatches = Mismatches::default();
    for (what, name, costs) in PATTERNS {
        let said: Vec<String> = case(name).analysis.accesses.iter().map(cost).collect();
        let missing: Vec<String> = costs
            .iter()
            .filter(|cost| !said.iter().any(|said| said == *cost))
            .map(|cost| format!("{what}: no {cost} among {said:?}"))
            .collect();
        mismatches.file(name, &missing);
    }
    mismatches.finish();
}

#[test]
fn no_access_of_a_published_pattern_is_unknown() {
    let mut mismatches = Mismatches::default();
    let patterns = PATTERNS.iter().map(|(_, name, _)| *name);
    for name in patterns.chain(RESOLVED) {
        let case = case(name);
        // What an asynchronous copy through `cuda::barrier` has written is not followed yet.
        if case.fixture.fixme.is_some() {
            continue;
        }
        let accesses = case.analysis.accesses.iter();
        let unknown: Vec<String> = accesses
            .filter(|access| access.verdict.status == Status::Unknown)
            .map(|access| format!("{}: {}", case.at(access.site.span), access.verdict.reason))
            .collect();
        mismatches.file(name, &unknown);
    }
    mismatches.finish();
}

fn case(name: &str) -> &'static Case {
    CASES
        .iter()
        .find(|case| case.name == name)
        .unwrap_or_else(|| panic!("fixtures/{name} is missing"))
}

fn cost(access: &Access) -> String {
    let verdict = &access.verdict;
    let (space, op) = (access.space.name(), access.op.name());
    match verdict.status {
        Status::Exact | Status::Bounded => {
            let (min, max, ideal) = (verdict.min, verdict.max, verdict.ideal);
            format!("{space} {op} {min}..{max}/{ideal}")
        }
        status => format!("{space} {op} {}", status.name()),
    }
}
