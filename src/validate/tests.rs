//! From the text of a fixture to a plan, a prediction, records of addresses, and a comparison
//! with an exported page.

use super::fixtures::{self, Specimen};
use super::plan::{ArgValue, Init};
use super::prediction::{Finding, Joined, Totals};
use super::reconcile;
use super::{predict, trace};
use crate::gpu::{Arch, Op, Space};
use crate::report::measured::Agreement;

/// Neighbours in memory are loaded on two lines.
const PAIRS: &str = "\
//@ option define SIZE=64
//@ launch k grid=(1) block=(32) args(out=f32[64], in=f32[64])
__global__ void k(float *out, const float *in) {
  __shared__ float s[SIZE];
  s[threadIdx.x] = in[threadIdx.x];
  s[threadIdx.x + 32] = in[threadIdx.x + 32];
  __syncthreads();
  float a = s[2 * threadIdx.x];
  float b = s[2 * threadIdx.x + 1];
  out[threadIdx.x] = a + b;
  out[threadIdx.x + 32] = a - b;
}
int main() { return 0; }
";

fn specimen(text: &str) -> Specimen {
    Specimen::read("a.cu", text, Arch::DEFAULT, true).expect("a fixture")
}

fn totals(requests: u64, cost: u64, ideal: u64) -> Totals {
    Totals {
        requests,
        cost,
        ideal,
    }
}

#[test]
fn a_plan_stands_alone() {
    let planned = fixtures::plan(&[specimen(PAIRS)], 7);
    assert!(planned.left_out.is_empty());
    let source = &planned.plan.sources[0];
    assert!(!source.text.contains("main"), "host code is blanked");
    assert_eq!(source.text.lines().count(), PAIRS.lines().count());
    assert_eq!(source.options, ["-DSIZE=64"]);
    let launch = &planned.plan.launches[0];
    assert_eq!(
        (launch.label.as_str(), launch.kernel.as_str(), launch.seed),
        ("a.cu:2 k", "k", 7)
    );
    let starts: Vec<bool> = launch
        .args
        .iter()
        .map(|arg| match &arg.value {
            ArgValue::Buffer(buffer) => buffer.init == Init::Poison,
            _ => false,
        })
        .collect();
    assert_eq!(starts, [true, false], "what is only written is poisoned");
}

#[test]
fn a_launch_that_would_fault_is_left_out() {
    let planned = fixtures::plan(&[specimen(&PAIRS.replace("out=f32[64]", "out=f32[63]"))], 0);
    assert!(planned.plan.launches.is_empty());
    assert!(
        planned.left_out[0].contains("it would fault"),
        "{:?}",
        planned.left_out
    );
}

#[test]
fn lines_are_predicted_with_what_they_may_become() {
    let specimen = specimen(PAIRS);
    let prepared = specimen
        .prepare(0)
        .map(|(_, prepared)| prepared.expect("a launch"));
    let prediction = predict::prediction(prepared);
    let line = |number, op| {
        let mut lines = prediction.launches[0].lines.iter();
        lines
            .find(|line| (line.line, line.space, line.op) == (number, Space::Shared, op))
            .expect("a line")
    };
    let load = line(8, Op::Load);
    assert_eq!(
        (load.totals, load.finding),
        (totals(1, 2, 1), Some(Finding::Open))
    );
    let joined = |other| Joined {
        other,
        width: 8,
        wide: totals(1, 2, 2),
        left: totals(0, 0, 0),
    };
    assert_eq!(load.joined, [joined(9)]);
    assert_eq!(line(9, Op::Load).joined, [joined(8)]);
    let store = line(5, Op::Store);
    assert_eq!(
        (store.totals, store.finding),
        (totals(1, 1, 1), Some(Finding::Ideal))
    );
    assert!(store.joined.is_empty() && line(6, Op::Store).joined.is_empty());
}

#[test]
fn recorded_addresses_are_costed() {
    let specimen = specimen(PAIRS);
    let traced = trace::instrument(&specimen, &specimen.device_text());
    assert!(
        traced.text.contains(", &(s[2 * threadIdx.x])))"),
        "{}",
        traced.text
    );
    let site = traced
        .sites
        .iter()
        .position(|site| site.line == 8)
        .expect("a site");
    let record = |site: u32| {
        let words = [site, u32::MAX, 1, 4]
            .into_iter()
            .flat_map(u32::to_le_bytes);
        let addresses = (0..32_u64).flat_map(|lane| (8 * lane).to_le_bytes());
        words.chain(addresses).collect::<Vec<u8>>()
    };
    let rows = trace::rows(&record(site as u32), "a.cu", &traced.sites, &Arch::DEFAULT).unwrap();
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.line,
                row.space,
                row.op,
                row.requests,
                row.lanes,
                row.cost,
                row.ideal,
            )
        })
        .collect();
    assert_eq!(found, [(8, Space::Shared, Op::Load, 1, 32, 2, 1)]);
    let error = trace::rows(&record(99), "a.cu", &traced.sites, &Arch::DEFAULT).unwrap_err();
    assert!(error.contains("does not exist"), "{error}");
}

/// As the window exports it: line 8 as proved, line 9 in accesses of twice the width, line 10
/// with what can't be, line 11 with half of the lanes, and a store that nobody predicts.
const EXPORT: &str = r#""File Path","/project/a.cu"
"Function Name","k(float *, const float *)"
"Line No","Source","Address","Source","Instructions Executed","Predicated-On Thread Instructions Executed","L1 Wavefronts Shared","L1 Wavefronts Shared Ideal","L2 Theoretical Sectors Global","L2 Theoretical Sectors Global Ideal"
"8","float a","-","-","1","32","2","1","0","0"
"","","0x10","LDS R0, [R2]","10","320","20","10","0","0"
"9","float b","-","-","1","32","2","1","0","0"
"","","0x20","LDS.64 R0, [R2]","10","320","20","20","0","0"
"10","out","-","-","1","32","0","0","0","0"
"","","0x30","STG.E desc[UR6][R2.64], R0","10","320","0","0","50","40"
"11","out","-","-","1","32","0","0","0","0"
"","","0x40","STG.E desc[UR6][R2.64], R0","10","160","0","0","30","20"
"12","}","-","-","1","32","0","0","0","0"
"","","0x50","STS [R2], R0","10","320","10","10","0","0"
"File Path","/project/other.cu"
"Function Name","foreign(int)"
"Line No","Source","Address","Source","Instructions Executed","L1 Wavefronts Shared"
"1","x","-","-","1","1"
"","","0x10","LDS R0, [R2]","1","1"
"#;

#[test]
fn an_exported_page_is_explained() {
    let profiled = reconcile::read(EXPORT).unwrap();
    let specimen = specimen(PAIRS);
    let all = reconcile::reconcile(&profiled, &specimen.analysis, &Arch::DEFAULT);
    let outcome = |line, space, op| {
        let mut rows = all.rows.iter();
        let row = rows.find(|row| (row.line, row.space, row.op) == (line, space, op));
        row.map(|row| row.outcome.clone()).expect("a row")
    };
    let why = |line, space, op| match outcome(line, space, op) {
        Agreement::Explained(why) => why,
        other => panic!("line {line}: {other:?}"),
    };
    assert_eq!(outcome(8, Space::Shared, Op::Load), Agreement::Agrees);
    // The merge was foreseen.
    assert_eq!(outcome(9, Space::Shared, Op::Load), Agreement::Agrees);
    let mut rows = all.rows.iter();
    let merged = rows.find(|row| (row.line, row.space) == (9, Space::Shared));
    let merged = merged.map(|row| row.predicted.as_str());
    assert!(
        merged.is_some_and(|words| words.ends_with(" merged")),
        "{merged:?}"
    );
    assert_eq!(outcome(10, Space::Global, Op::Store), Agreement::Disagrees);
    assert!(why(11, Space::Global, Op::Store).contains("16.0 of 32 lanes"));
    assert!(why(12, Space::Shared, Op::Store).contains("not predicted"));
    assert!(why(5, Space::Shared, Op::Store).contains("eliminated by the compiler"));
    assert_eq!(
        all.notes,
        ["kernel foreign is not predicted: no file given defines it"]
    );
    assert!(
        reconcile::read("no page")
            .unwrap_err()
            .contains("no source page")
    );
}
