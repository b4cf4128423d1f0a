//! The measured judge: recorded counters of a GPU equal the simulated totals, and findings are
//! what the GPU's counters show.

use crate::support::{CASES, Case, root};
use cudalint::gpu::Arch;
use cudalint::validate::compare::{self, Prediction};
use cudalint::validate::fixtures::Specimen;
use cudalint::validate::measurement::{MEASUREMENT_SCHEMA, Measurement};
use cudalint::validate::predict;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The recording of an H200, written by `cudalint validate fixtures --output FILE`.
const RECORDING: &str = "fixtures/measured/sm_90-h200.json";
/// Fixtures that were added or changed since, one a line; empty after a new recording.
const PENDING: &str = "fixtures/measured/pending.txt";

fn read(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{name} is expected ({error}): `cudalint validate fixtures --output {name}` writes it on a machine with the GPU"
        )
    })
}

fn specimen(case: &Case, arch: Arch) -> Specimen {
    let name = format!("fixtures/{}", case.name);
    Specimen::read(&name, &case.source.text, arch, true)
        .unwrap_or_else(|problem| panic!("{problem}"))
}

/// Every fixture is in the recording as it stands, is listed as pending, or says that no GPU's
/// compiler takes it; everything recorded agrees.
#[test]
fn recorded_counters_are_as_predicted() {
    let measurement: Measurement = serde_json::from_str(&read(RECORDING)).expect("a measurement");
    assert_eq!(measurement.schema, MEASUREMENT_SCHEMA);
    let arch = Arch::parse(&measurement.arch).expect("an architecture");
    let seed = measurement.launches.first().map_or(0, |launch| launch.seed);
    let pending = read(PENDING);
    let pending: BTreeSet<&str> = pending
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut prediction = Prediction::default();
    let mut problems = Vec::new();
    let mut found = BTreeSet::new();
    for case in CASES.iter() {
        let name = case.name.replace('\\', "/");
        found.insert(name.clone());
        let specimen = specimen(case, arch);
        if !specimen.is_measured || pending.contains(name.as_str()) {
            continue;
        }
        let mut ready = Vec::new();
        for (label, prepared) in specimen.prepare(seed) {
            match prepared {
                Ok(prepared) => ready.push(prepared),
                Err(reason) => problems.push(format!("{label}: {reason}")),
            }
        }
        prediction
            .launches
            .extend(predict::prediction(ready.into_iter()).launches);
    }
    for name in pending.iter().filter(|name| !found.contains(**name)) {
        problems.push(format!("{PENDING} lists {name}, which does not exist"));
    }
    let comparison = compare::compare(&prediction, &measurement);
    problems.extend(comparison.problems.iter().cloned());
    assert!(
        comparison.exit_code() == 0 && problems.is_empty(),
        "{}\n{}\nAfter a change to a fixture, measure again, or list it in {PENDING}.",
        comparison.render(),
        problems.join("\n")
    );
}

/// What a GPU would count if it did as predicted is judged to agree; and not if it did otherwise.
#[test]
fn the_judge_tells_right_from_wrong() {
    let arch = Arch::DEFAULT;
    let names = ["shared/transpose_tile.cu", "global/indirect.cu"];
    let chosen = CASES
        .iter()
        .filter(|case| names.contains(&case.name.as_str()));
    let specimens: Vec<Specimen> = chosen.map(|case| specimen(case, arch)).collect();
    assert_eq!(specimens.len(), names.len());
    let prepared = specimens.iter().flat_map(|specimen| {
        specimen
            .prepare(3)
            .map(|(_, prepared)| prepared.expect("a launch"))
    });
    let prediction = predict::prediction(prepared);
    let mut measurement = as_predicted(&prediction);
    let comparison = compare::compare(&prediction, &measurement);
    assert_eq!(comparison.exit_code(), 0, "{}", comparison.render());
    let [ideal, open, bad] = comparison.confusion();
    assert_eq!((ideal[1], bad[0]), (0, 0));
    assert!(ideal[0] > 0 && open[1] > 0 && bad[1] > 0);

    measurement.launches[0].rows[0].cost += 1;
    assert_eq!(compare::compare(&prediction, &measurement).exit_code(), 1);
    let mut measurement = as_predicted(&prediction);
    measurement.launches[0].outputs[0].fingerprint ^= 1;
    assert_eq!(compare::compare(&prediction, &measurement).exit_code(), 1);
}

fn as_predicted(prediction: &Prediction) -> Measurement {
    use cudalint::validate::measurement::{LaunchMeasurement, LineCounters, Method, OutputDigest};
    let launches = prediction.launches.iter().map(|launch| {
        let rows = launch.lines.iter().map(|line| LineCounters {
            file: PathBuf::from("/elsewhere")
                .join(&line.file)
                .display()
                .to_string(),
            line: line.line,
            also: Vec::new(),
            space: line.space,
            op: line.op,
            width: 4,
            opcode: "LD".to_owned(),
            instructions: 1,
            requests: line.totals.requests,
            lanes: 32,
            cost: line.totals.cost,
            ideal: line.totals.ideal,
        });
        let outputs = launch
            .outputs
            .iter()
            .map(|(name, fingerprint)| OutputDigest {
                name: name.clone(),
                fingerprint: *fingerprint,
                poisoned: 0,
            });
        LaunchMeasurement {
            label: launch.label.clone(),
            kernel: launch.label.clone(),
            grid: [1; 3],
            block: [1; 3],
            seed: 3,
            source: launch.source,
            error: None,
            rows: rows.collect(),
            outputs: outputs.collect(),
        }
    });
    let word = String::new;
    Measurement {
        schema: MEASUREMENT_SCHEMA.to_owned(),
        date: word(),
        gpu: word(),
        arch: word(),
        driver: word(),
        cuda: word(),
        profiler: word(),
        method: Method::Ncu,
        launches: launches.collect(),
    }
}
