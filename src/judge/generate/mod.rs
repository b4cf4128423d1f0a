//! Files that read like code people write, drawn from a seed.

use super::case::{Case, Launch, Run};
use super::random::Random;
use std::collections::BTreeMap;

pub fn case(random: &mut Random, number: usize, only: &str) -> Case {
    let _ = (random, only);
    let text = format!(
        "//@ launch k{number} grid=(2) block=(48) args(a=f32[64], n=?5)\n__global__ void k{number}(float *a, int n) {{\n  int t = threadIdx.x;\n  a[t * n] = 1;\n}}\n"
    );
    Case::new("x", &text)
}

/// Runs of a program from its `main`.
pub fn runs_of_main(random: &mut Random) -> Vec<Run> {
    let launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        template: String::new(),
        known: BTreeMap::new(),
        hides_grid: true,
        hides_block: true,
        hinted: BTreeMap::new(),
    };
    (0..6)
        .map(|turn| Run {
            kernel: 0,
            entry: usize::MAX,
            launch: launch.clone(),
            values: (0..turn.min(4)).map(|_| random.below(40) as i64).collect(),
            data_mode: turn,
            seed: random.next() >> 2,
        })
        .collect()
}
