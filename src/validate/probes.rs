//! Single requests, to calibrate the cost specification against a GPU.
//!
//! Given: nothing. Gives: a list of probes, each one warp's one instruction with known lane
//! addresses, as a plan to launch; and, of a measurement, where the specification errs.
//! Does not know: devices, or how counters are read.

use serde::{Deserialize, Serialize};

use crate::gpu::cost::{self, Cost, LaneAddresses, Op, Request, SharedAtomic, Space};
use crate::gpu::{Arch, WARP};

use super::instructions::{KINDS, Shape, probe_line};
use super::measurement::{LineCounters, Measurement};
use super::patterns::{self, Pattern};
use super::plan::{Arg, ArgValue, Buffer, Init, Launch, Number, PLAN_SCHEMA, Plan, Source};
use crate::fixture::{Element, Fill};

/// One request (two for `cp.async`).
#[derive(Clone, Debug)]
pub struct Probe {
    pub name: String,
    /// Index into [`KINDS`].
    pub kind: usize,
    pub pattern: Pattern,
    /// Global side of `cp.async`.
    pub second: Option<Pattern>,
}

/// Every probe, in a fixed order.
pub fn all() -> Vec<Probe> {
    let mut probes = Vec::new();
    for (index, kind) in KINDS.iter().enumerate() {
        let patterns = match kind.shape {
            Shape::One(Space::Shared, Op::Atomic) => patterns::atomic(kind.width),
            Shape::One(Space::Shared, _) => patterns::shared(kind.width),
            Shape::One(Space::Global, _) => patterns::global(kind.width),
            Shape::Matrix(..) => patterns::matrix(),
            Shape::AsyncCopy => {
                for (pattern, second) in patterns::copies(kind.width) {
                    let name = format!("{} {} from {}", kind.name, pattern.name, second.name);
                    probes.push(Probe {
                        name,
                        kind: index,
                        pattern,
                        second: Some(second),
                    });
                }
                continue;
            }
        };
        for pattern in patterns {
            probes.push(Probe {
                name: format!("{} {}", kind.name, pattern.name),
                kind: index,
                pattern,
                second: None,
            });
        }
    }
    probes
}

/// The plan that launches these probes.
pub fn plan(probes: &[Probe]) -> Plan {
    let sources = KINDS
        .iter()
        .map(|kind| Source {
            file: kind.file(),
            text: kind.source(),
            options: Vec::new(),
            traced: None,
        })
        .collect();
    let values = |pattern: &Pattern| {
        Init::Values(
            pattern
                .offsets
                .iter()
                .map(|offset| Number::Integer(i64::from(*offset)))
                .collect(),
        )
    };
    let buffer = |name: &str, element, count, init| Arg {
        name: name.to_owned(),
        value: ArgValue::Buffer(Buffer {
            element,
            count,
            init,
            offset: 0,
            compared: None,
        }),
    };
    let launches = probes.iter().map(|probe| Launch {
        label: probe.name.clone(),
        source: probe.kind,
        kernel: "probe".to_owned(),
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 48 * 1024,
        seed: 0,
        args: vec![
            buffer("offsets", Element::U32, 32, values(&probe.pattern)),
            buffer(
                "offsets2",
                Element::U32,
                32,
                values(probe.second.as_ref().unwrap_or(&probe.pattern)),
            ),
            Arg {
                name: "mask".to_owned(),
                value: ArgValue::Scalar {
                    element: Element::U32,
                    value: Number::Integer(i64::from(probe.pattern.mask)),
                },
            },
            buffer("memory", Element::U8, 48 * 1024, Init::Fill(Fill::Zero)),
            buffer("sink", Element::U32, 32, Init::Poison),
        ],
    });
    Plan {
        schema: PLAN_SCHEMA.to_owned(),
        arch: None,
        launches: launches.collect(),
        sources,
    }
}

/// A recording of probes: self-contained, one request per row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    pub schema: String,
    pub date: String,
    pub gpu: String,
    pub arch: String,
    pub driver: String,
    pub cuda: String,
    pub profiler: String,
    pub rows: Vec<RecordedRequest>,
}

/// The value of [`Recording::schema`].
pub const RECORDING_SCHEMA: &str = "cudalint.probes/1";

/// One request as measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRequest {
    pub probe: String,
    /// PTX mnemonic.
    pub instruction: String,
    /// Machine opcode.
    pub opcode: String,
    pub space: Space,
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
    /// Byte offset of each lane from an aligned base; `null` is an inactive lane.
    pub lanes: [Option<u32>; WARP],
    /// For the shared side of `cp.async`: offsets of the global side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<[Option<u32>; WARP]>,
    /// Executions of the instruction: more than one where the compiler made a loop.
    pub requests: u64,
    /// Wavefronts or sectors, from instrumented code: what a source page shows.
    pub cost: u64,
    pub ideal: u64,
    /// Wavefronts of a shared load by the hardware's own counter,
    /// `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum`, where that was recorded too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<u64>,
}

impl RecordedRequest {
    pub fn addresses(&self) -> LaneAddresses {
        self.lanes.map(|lane| lane.map(u64::from))
    }

    fn request(&self) -> Request {
        Request {
            addresses: self.addresses(),
            width: self.width,
            space: self.space,
            op: self.op,
        }
    }

    /// Whether the hardware's own counter bears out the specification; `None` if not recorded.
    pub fn hardware_agrees(&self, arch: &Arch) -> Option<bool> {
        let counted = self.hardware?;
        let predicted = match self.predicted(arch)? {
            // Loads are where the source page and the hardware differ.
            _ if self.instruction.starts_with("ld.") => cost::cost(&self.request(), arch),
            other => other,
        };
        Some(u64::from(predicted.actual) == counted)
    }

    /// What the specification says the source page shows; `None` where it says nothing: the rounds of a
    /// compare-and-swap loop, and copies that bypass L1, which the profiler does not count.
    pub fn predicted(&self, arch: &Arch) -> Option<Cost> {
        let addresses = self.addresses();
        match KINDS
            .iter()
            .find(|kind| kind.name == self.instruction)?
            .shape
        {
            Shape::One(Space::Shared, Op::Atomic) => {
                let kind = match self.instruction.as_str() {
                    "atom.shared.add.f32" | "atom.shared.add.u64" => return None,
                    "red.shared.add.u32" => SharedAtomic::Increment,
                    name if name.contains(".cas.") => SharedAtomic::CompareAndSwap,
                    _ => SharedAtomic::Native,
                };
                Some(cost::shared_atomic(&addresses, self.width, kind, arch))
            }
            Shape::One(..) => Some(cost::source_page(&self.request(), arch)),
            Shape::Matrix(matrices, _) => Some(cost::ldmatrix(&addresses, matrices, arch)),
            Shape::AsyncCopy if self.instruction == "cp.async.cg.16" => None,
            Shape::AsyncCopy => {
                let from = self.from.map(|lanes| lanes.map(|lane| lane.map(u64::from)));
                let (shared, global) =
                    cost::async_copy(&addresses, &from.unwrap_or(addresses), self.width, arch);
                Some(if self.space == Space::Shared {
                    shared
                } else {
                    global
                })
            }
        }
    }
}

/// Joins a measurement of [`plan`] with its probes. Problems: probes without counters.
pub fn record(probes: &[Probe], measurement: &Measurement) -> (Recording, Vec<String>) {
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    let line = probe_line();
    for (probe, launch) in probes.iter().zip(&measurement.launches) {
        if let Some(error) = &launch.error {
            problems.push(format!("{}: {error}", probe.name));
            continue;
        }
        let kind = &KINDS[probe.kind];
        let here: Vec<&LineCounters> = launch.rows.iter().filter(|row| row.line == line).collect();
        if here.is_empty() {
            problems.push(format!(
                "{}: no instruction was counted on its line",
                probe.name
            ));
        }
        for row in here {
            let pattern = match (&probe.second, row.space) {
                (Some(second), Space::Global) => second,
                _ => &probe.pattern,
            };
            rows.push(RecordedRequest {
                probe: probe.name.clone(),
                instruction: kind.name.to_owned(),
                opcode: row.opcode.clone(),
                space: row.space,
                op: row.op,
                width: row.width,
                lanes: narrow(pattern),
                from: probe
                    .second
                    .as_ref()
                    .filter(|_| row.space == Space::Shared)
                    .map(narrow),
                requests: row.requests,
                cost: row.cost,
                ideal: row.ideal,
                hardware: None,
            });
        }
    }
    let Measurement {
        date,
        gpu,
        arch,
        driver,
        cuda,
        profiler,
        ..
    } = measurement.clone();
    (
        Recording {
            schema: RECORDING_SCHEMA.to_owned(),
            date,
            gpu,
            arch,
            driver,
            cuda,
            profiler,
            rows,
        },
        problems,
    )
}

fn narrow(pattern: &Pattern) -> [Option<u32>; WARP] {
    pattern.lanes().map(|lane| lane.map(|offset| offset as u32))
}

impl Recording {
    /// JSON with one request per line.
    pub fn to_json(&self) -> String {
        let head = Recording {
            rows: Vec::new(),
            ..self.clone()
        };
        // Plain data without maps or non-finite floats: serialisation can't fail.
        let head = serde_json::to_string_pretty(&head).unwrap_or_default();
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|row| serde_json::to_string(row).unwrap_or_default())
            .collect();
        head.replace(
            "\"rows\": []",
            &format!("\"rows\": [\n{}\n]", rows.join(",\n")),
        )
    }
}

/// A recording held against the specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeReport {
    /// What the recording was made with, in words.
    pub source: String,
    /// Requests for which the specification states a cost, and how many of them agree.
    pub compared: usize,
    pub agreeing: usize,
    /// The same for the hardware's own counter of shared loads.
    pub hardware_compared: usize,
    pub hardware_agreeing: usize,
    /// Requests of which the specification states nothing (see [`RecordedRequest::predicted`]).
    pub unstated: usize,
    /// One sentence each, with the reason.
    pub known: Vec<String>,
    /// One sentence each, without.
    pub unexplained: Vec<String>,
}

/// Compares every recorded request with the specification.
pub fn check(recording: &Recording, arch: &Arch) -> ProbeReport {
    let Recording {
        gpu,
        arch: name,
        driver,
        cuda,
        profiler,
        date,
        ..
    } = recording;
    let mut report = ProbeReport {
        source: format!("{gpu} ({name}), driver {driver}, CUDA {cuda}, {profiler}, {date}"),
        ..ProbeReport::default()
    };
    for row in &recording.rows {
        let Some(Cost { actual, ideal }) = row.predicted(arch) else {
            report.unstated += 1;
            continue;
        };
        report.compared += 1;
        if (u64::from(actual), u64::from(ideal)) == (row.cost, row.ideal) {
            report.agreeing += 1;
        } else {
            let unit = row.space.unit();
            let sentence = format!(
                "{} [{}]: predicted {actual}/{ideal} {unit}, measured {}/{}",
                row.probe, row.opcode, row.cost, row.ideal
            );
            match known_difference(row, actual) {
                Some(reason) => report.known.push(format!("{sentence}: {reason}")),
                None => report.unexplained.push(sentence),
            }
        }
        if let Some(agrees) = row.hardware_agrees(arch) {
            report.hardware_compared += 1;
            report.hardware_agreeing += usize::from(agrees);
            if !agrees {
                report.unexplained.push(format!(
                    "{}: the hardware counted {} wavefronts",
                    row.probe,
                    row.hardware.unwrap_or_default()
                ));
            }
        }
    }
    report
}

/// Why a measured request may differ from what is predicted.
fn known_difference(row: &RecordedRequest, predicted: u32) -> Option<&'static str> {
    if row.instruction.starts_with("cp.async.ca")
        && row.space == Space::Shared
        && row.cost > u64::from(predicted)
    {
        Some(
            "its lanes conflict on both sides at once, for which the specification is a lower bound",
        )
    } else if row.instruction.starts_with("ld.shared")
        && row.width == 16
        && row.lanes.contains(&None)
    {
        Some(
            "the source page judges inactive lanes of 16-byte loads in a way that is not understood; the hardware's counter bears out the specification where it was read",
        )
    } else {
        None
    }
}

impl ProbeReport {
    /// 0 if nothing is unexplained, 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.unexplained.is_empty())
    }

    pub fn render(&self) -> String {
        let mut out = format!("measured on {}\n", self.source);
        for sentence in self.known.iter().chain(&self.unexplained) {
            out.push_str(sentence);
            out.push('\n');
        }
        out.push_str(&format!(
            "hardware counters of shared loads: {} of {} agree\n{} requests without a stated cost\n{} known differences, {} unexplained\n{} of {} agree\n",
            self.hardware_agreeing, self.hardware_compared, self.unstated, self.known.len(), self.unexplained.len(), self.agreeing, self.compared
        ));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDING: &str = include_str!("../../fixtures/measured/sm_90-h200-probes.json");

    #[test]
    fn the_recording_bears_out_the_specification() {
        let recording: Recording = serde_json::from_str(RECORDING).unwrap();
        let report = check(&recording, &Arch::parse(&recording.arch).unwrap());
        assert_eq!(report.unexplained, Vec::<String>::new());
        assert_eq!((report.agreeing, report.compared), (2306, 2323));
        assert_eq!(
            (report.hardware_agreeing, report.hardware_compared),
            (136, 136)
        );
        assert_eq!(recording.to_json(), RECORDING.trim_end());
    }

    #[test]
    fn the_plan_puts_each_instruction_on_the_probe_s_line() {
        let probes = all();
        let plan = plan(&probes);
        assert_eq!(plan.launches.len(), probes.len());
        for (source, kind) in plan.sources.iter().zip(&KINDS) {
            let line = source.text.lines().nth(probe_line() as usize - 1).unwrap();
            assert_eq!(line.trim(), kind.statement);
        }
    }

    #[test]
    fn a_recording_joins_probes_and_counters() {
        use super::super::measurement::{LaunchMeasurement, MEASUREMENT_SCHEMA, Method};
        let probes = &all()[..2];
        let row = |line| LineCounters {
            file: "p.cu".to_owned(),
            line,
            also: Vec::new(),
            space: Space::Shared,
            op: Op::Load,
            width: 1,
            opcode: "LDS.8".to_owned(),
            instructions: 1,
            requests: 1,
            lanes: 32,
            cost: 1,
            ideal: 1,
        };
        let launch = |probe: &Probe, rows| LaunchMeasurement {
            label: probe.name.clone(),
            kernel: "probe".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            seed: 0,
            source: 0,
            error: None,
            rows,
            outputs: Vec::new(),
        };
        let launches = vec![
            launch(&probes[0], vec![row(probe_line()), row(3)]),
            launch(&probes[1], Vec::new()),
        ];
        let word = String::new;
        let measurement = Measurement {
            schema: MEASUREMENT_SCHEMA.to_owned(),
            date: word(),
            gpu: word(),
            arch: word(),
            driver: word(),
            cuda: word(),
            profiler: word(),
            method: Method::Ncu,
            launches,
        };
        let (recording, problems) = record(probes, &measurement);
        assert_eq!((recording.rows.len(), problems.len()), (1, 1));
        assert_eq!(check(&recording, &Arch::DEFAULT).agreeing, 1);
    }
}
