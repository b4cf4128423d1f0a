//! Any bytes as a list of requests, and as a profiler's source page.

#![no_main]

use cudalint::gpu::{Arch, cost_csv};
use cudalint::session::{self, Analysis};
use cudalint::validate::reconcile;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

const KERNEL: &str = "__global__ void k(float *o, int n) {\n  __shared__ float s[64];\n  \
                      s[threadIdx.x * 2] = o[threadIdx.x * n];\n  o[threadIdx.x] = s[threadIdx.x];\n}\n";

fn analysis() -> &'static Analysis {
    static ANALYSIS: OnceLock<Analysis> = OnceLock::new();
    ANALYSIS.get_or_init(|| {
        session::analyse_text(cudalint_fuzz::NAME, KERNEL, &cudalint_fuzz::options())
    })
}

fuzz_target!(|data: &[u8]| {
    let report = cost_csv::run(data, Arch::DEFAULT);
    assert!(!report.render().is_empty());
    let text = String::from_utf8_lossy(data);
    match reconcile::read(&text) {
        Ok(profiled) => {
            let _ = reconcile::reconcile(&profiled, analysis(), &Arch::DEFAULT).text();
        }
        Err(problem) => assert!(!problem.is_empty()),
    }
});
