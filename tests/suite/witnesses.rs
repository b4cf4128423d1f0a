//! Witnesses of findings: the values that are named lead to the request that is shown.

use crate::support::analysed;
use cudalint::prove::verdict::Access;
use std::collections::BTreeSet;

fn of(text: &str) -> Vec<Access> {
    analysed("witness.cu".to_owned(), text).analysis.accesses
}

/// The value that a witness has under a name.
type Value<'a> = Box<dyn Fn(&str) -> Option<i64> + 'a>;

/// The values of a witness by name, and the different words that its lanes want.
fn told(access: &Access) -> Option<(Value<'_>, BTreeSet<u64>)> {
    let witness = access.verdict.witness.as_ref()?;
    let value = |name: &str| {
        let mut all = witness.symbols.iter();
        all.find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    };
    let words = witness.addresses.iter().flatten().map(|at| at / 4);
    Some((Box::new(value), words.collect()))
}

/// The prover splits on the quotient itself, so that the divisor is in no case of it.
#[test]
fn a_divisor_has_the_value_that_parts_the_lanes() {
    let accesses = of(
        "//@ launch k grid=(16) block=(128) args(out=f32[4096], n=?42)
__global__ void k(float *out, int n) {
  __shared__ float s[1024];
  s[threadIdx.x / n * 32] = 2;
  out[threadIdx.x] = s[threadIdx.x];
}
",
    );
    let store = accesses.iter().find(|access| access.verdict.max == 2);
    let store = store.expect("the store is bounded by 2");
    let (value, words) = told(store).expect("a witness");
    let (n, warp) = (
        value("n").expect("n"),
        value("threadIdx.x / 32").expect("the warp"),
    );
    let said: BTreeSet<u64> = (0..32)
        .map(|lane| ((warp * 32 + lane) / n * 32) as u64)
        .collect();
    assert_eq!(said, words, "n = {n}, warp {warp}");
    assert_eq!(said.len(), 2);
}

/// Indices of an unknown launch stay below their dimensions, and a block has 1024 threads at most.
#[test]
fn indices_of_a_witness_fit_a_launch() {
    let accesses = of(
        "//@ launch k grid=?(4) block=?(32,4) args(out=f32[65536], d=i32[64], n=?4)
__global__ void k(float *out, const int *d, int n) {
  bool is_last = blockIdx.x >= gridDim.x - 1 && d[threadIdx.x] > n;
  if (is_last)
    out[threadIdx.x * 16 + threadIdx.y * 1024] = 2;
}
",
    );
    let store = accesses.iter().find(|access| access.verdict.max == 32);
    let (value, _) = told(store.expect("the store")).expect("a witness");
    let at = |name: &str| value(name).unwrap_or_else(|| panic!("`{name}` has a value"));
    assert!(at("blockIdx.x") < at("gridDim.x"));
    assert!((at("threadIdx.x / 32") + 1) * 32 * (at("threadIdx.y") + 1) <= 1024);
}
