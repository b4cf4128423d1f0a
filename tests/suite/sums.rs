//! Sums over a block: told where they are exact, and not told where anything is open.

use crate::oracle::problems;
use crate::support::{CASES, Case, analysed};
use cudalint::gpu::Total;
use cudalint::prove::verdict::Access;

/// Fixture accesses with a sum, at least: what the simulator holds them to is in `oracle`.
const LEAST: usize = 600;

/// One kernel of blocks of 80 threads, whose last warp is half empty.
fn kernel(body: &str) -> Case {
    let text = format!(
        "//@ launch k grid=(2) block=(80) args(out=f32[4096], in=i32[4096])\n\
         __global__ void k(float *out, const int *in) {{\n  __shared__ float s[4096];\n  \
         int t = threadIdx.x;\n{body}\n}}\n"
    );
    analysed("sum.cu".to_owned(), &text)
}

/// The sum of the only access whose text is `place`.
fn sum(case: &Case, place: &str) -> Option<Total> {
    let is_meant = |access: &&Access| case.analysis.sources.text(access.site.span) == place;
    let found: Vec<&Access> = case.analysis.accesses.iter().filter(is_meant).collect();
    let [access] = found[..] else {
        panic!("{place}: {} accesses", found.len())
    };
    access.per_block
}

fn told(body: &str, place: &str, requests: u64, cost: u64, ideal: u64) {
    let case = kernel(body);
    let wrong = problems(&case, false);
    assert!(wrong.is_empty(), "{body}: {wrong:?}");
    let expected = Total {
        requests,
        cost,
        ideal,
    };
    assert_eq!(sum(&case, place), Some(expected), "{body}");
}

#[test]
fn every_warp_and_iteration_counts() {
    told("s[t] = 0;", "s[t]", 3, 3, 3);
    told(
        "for (int i = 0; i < 5; ++i) s[t + 8 * i] = 0;",
        "s[t + 8 * i]",
        15,
        15,
        15,
    );
    // 32-way in two warps, 16-way in the last one.
    told("s[32 * t] = 0;", "s[32 * t]", 3, 80, 3);
    let triangle = "for (int i = 0; i < 4; ++i) for (int j = 0; j <= i; ++j) s[2 * t + j] = i;";
    told(triangle, "s[2 * t + j]", 30, 50, 30);
    told(
        "int i = 0; do { s[2 * t] = i; } while (++i < 3);",
        "s[2 * t]",
        9,
        15,
        9,
    );
}

#[test]
fn only_requests_with_a_lane_count() {
    told("if (t < 40) s[2 * t] = 0;", "s[2 * t]", 2, 3, 2);
    told("if (t >= 40) return; s[2 * t] = 0;", "s[2 * t]", 2, 3, 2);
    // Lanes leave one by one; the second warp is gone after the first iterations.
    told(
        "for (int i = t; i < 96; i += 32) s[2 * i] = 0;",
        "s[2 * i]",
        6,
        11,
        6,
    );
    let odd = "for (int i = 0; i < 6; ++i) { if (i % 2) continue; if (t % 4 == i) s[4 * t] = 0; }";
    told(odd, "s[4 * t]", 6, 20, 6);
}

#[test]
fn symbols_that_move_all_lanes_alike_do_not_matter() {
    told(
        "out[blockIdx.x * 1024 + 2 * t] = 0;",
        "out[blockIdx.x * 1024 + 2 * t]",
        3,
        20,
        10,
    );
    let moved = kernel("out[blockIdx.x + t] = 0;");
    assert_eq!(sum(&moved, "out[blockIdx.x + t]"), None);
}

#[test]
fn what_is_open_has_no_sum() {
    for (body, place) in [
        (
            "for (int i = 0; i < 8; ++i) { if (in[t + i] > 3) break; s[t] = i; }",
            "s[t]",
        ),
        (
            "for (int i = 0; i < 8; ++i) { s[t] = i; if (in[i] > 3) break; }",
            "s[t]",
        ),
        (
            "for (int i = 0; i < 8; ++i) { if (in[i] > 3) return; } s[t] = 1;",
            "s[t]",
        ),
        ("while (in[t] > 3) s[t] = 1;", "s[t]"),
        ("for (int i = 0; i < in[0]; ++i) s[t] = 1;", "s[t]"),
        // Read once more than the body runs.
        (
            "for (int i = 0; i < 4 && in[i] > 1; ++i) s[t] = 1;",
            "in[i]",
        ),
        ("if (in[t] > 3) s[t] = 1;", "s[t]"),
        ("if (blockIdx.x == 1) s[t] = 1;", "s[t]"),
        ("s[in[t] & 63] = 1;", "s[in[t] & 63]"),
        (
            "again: s[t] += 1; if (s[t + 1] < 3) goto again;",
            "s[t + 1]",
        ),
    ] {
        assert_eq!(sum(&kernel(body), place), None, "{body}");
    }
}

#[test]
fn the_interleaved_reduction_wastes_105_wavefronts_a_block() {
    let is_meant = |case: &&Case| case.name.ends_with("shared/reduction_interleaved.cu");
    let case = CASES.iter().find(is_meant).expect("the fixture");
    let accesses = case.analysis.accesses.iter();
    let shared = accesses.filter(|access| &*access.site.array == "s");
    let excessive = shared.map(|access| access.per_block.expect("a sum").excessive());
    assert_eq!(excessive.sum::<u64>(), 105);
}

#[test]
fn most_fixtures_have_sums() {
    let accesses = CASES.iter().flat_map(|case| &case.analysis.accesses);
    let count = accesses.filter(|access| access.per_block.is_some()).count();
    assert!(count >= LEAST, "only {count} accesses have a sum");
}
