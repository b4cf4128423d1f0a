//! The measured judge: it tells counters that equal the simulated totals from others.

use crate::support::{CASES, Case};
use cudalint::gpu::Arch;
use cudalint::validate::compare::{self, Prediction};
use cudalint::validate::fixtures::Specimen;
use cudalint::validate::measurement::{MEASUREMENT_SCHEMA, Measurement};
use cudalint::validate::predict;
use std::path::PathBuf;

fn specimen(case: &Case, arch: Arch) -> Specimen {
    let name = format!("fixtures/{}", case.name);
    Specimen::read(&name, &case.source.text, arch, true)
        .unwrap_or_else(|problem| panic!("{problem}"))
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
