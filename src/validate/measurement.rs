//! Measurements of a validation run: `cudalint.measurement/1`.
//!
//! Given: nothing; these are the types of a recording under `fixtures/measured/`.
//! Gives: per launch and source line, what the GPU's counters said.
//! Does not know: predictions, profilers, or devices.

use serde::{Deserialize, Serialize};

use crate::gpu::{Op, Space};

/// The value of [`Measurement::schema`].
pub const MEASUREMENT_SCHEMA: &str = "cudalint.measurement/1";

/// How the counters were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// CUPTI's SASS metrics, in process.
    Cupti,
    /// Nsight Compute's source page.
    Ncu,
    /// Addresses recorded by an instrumented kernel, counted by the cost specification.
    Trace,
}

/// One run of a plan on one GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    pub schema: String,
    /// Day of the run, `YYYY-MM-DD`, UTC.
    pub date: String,
    pub gpu: String,
    /// Such as `sm_90`.
    pub arch: String,
    /// Version of the driver, with the CUDA version it supports: `580.159.04, CUDA 13.0`.
    pub driver: String,
    /// Version of the compiler library, such as `13.0`.
    pub cuda: String,
    /// Version of the profiler, such as `CUPTI 26` or `ncu 2025.3.1`.
    pub profiler: String,
    pub method: Method,
    pub launches: Vec<LaunchMeasurement>,
}

/// What one launch did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchMeasurement {
    pub label: String,
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub seed: u64,
    /// [`super::plan::fingerprint`] of the source as compiled.
    pub source: u64,
    /// Why there are no counters: the compiler's or the driver's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub rows: Vec<LineCounters>,
    pub outputs: Vec<OutputDigest>,
}

/// Counters of the machine instructions of one source line that do the same kind of access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounters {
    pub file: String,
    /// 1-based; 0 where the compiler named no line.
    pub line: u32,
    /// Other places that the profiler lists the instructions at: inlined code goes by its own
    /// line and by those of its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<(String, u32)>,
    pub space: Space,
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
    /// The machine opcode, such as `LDS.128`.
    pub opcode: String,
    /// Distinct machine instructions.
    pub instructions: u32,
    /// Warp-level executions of them.
    pub requests: u64,
    /// Lane-level executions of them, predicated-off lanes excluded where the profiler can.
    pub lanes: u64,
    /// Wavefronts or sectors, summed.
    pub cost: u64,
    /// Their ideal, summed.
    pub ideal: u64,
}

/// A buffer after the launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDigest {
    pub name: String,
    /// [`super::plan::fingerprint`] of the bytes that are compared.
    pub fingerprint: u64,
    /// Elements in which every byte still is [`super::plan::POISON`].
    pub poisoned: u64,
}

impl Measurement {
    /// JSON with one row of counters a line, so that recordings can be read and compared.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Plain data without maps or non-finite floats: serialisation can't fail.
        let head = Measurement {
            launches: Vec::new(),
            ..self.clone()
        };
        let launches: Vec<String> = self
            .launches
            .iter()
            .map(|launch| {
                let rows: Vec<String> = launch
                    .rows
                    .iter()
                    .map(|row| serde_json::to_string(row).unwrap_or_default())
                    .collect();
                let bare = LaunchMeasurement {
                    rows: Vec::new(),
                    ..launch.clone()
                };
                let rows = if rows.is_empty() {
                    String::new()
                } else {
                    format!("\n{}\n", rows.join(",\n"))
                };
                serde_json::to_string(&bare)
                    .unwrap_or_default()
                    .replace("\"rows\":[]", &format!("\"rows\":[{rows}]"))
            })
            .collect();
        let head = serde_json::to_string_pretty(&head).unwrap_or_default();
        let launches = format!("\"launches\": [\n{}\n]", launches.join(",\n"));
        head.replace("\"launches\": []", &launches) + "\n"
    }
}
