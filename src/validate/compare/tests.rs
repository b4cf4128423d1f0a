//! Verdicts on small measurements.

use super::*;
use crate::validate::measurement::{MEASUREMENT_SCHEMA, OutputDigest};
use crate::validate::prediction::Alternative;

fn totals(requests: u64, cost: u64, ideal: u64) -> Totals {
    Totals {
        requests,
        cost,
        ideal,
    }
}

fn launch(lines: Vec<PredictedLine>, fingerprint: u64) -> PredictedLaunch {
    PredictedLaunch {
        label: "a.cu:3 k".to_owned(),
        instance: "k".to_owned(),
        source: 5,
        lines,
        outputs: vec![("out".to_owned(), fingerprint)],
        silent: None,
    }
}

fn line(line: u32, space: Space, op: Op, requests: u64, cost: u64, ideal: u64) -> PredictedLine {
    PredictedLine {
        file: "fixtures/a.cu".to_owned(),
        line,
        space,
        op,
        totals: totals(requests, cost, ideal),
        alternatives: Vec::new(),
        joined: Vec::new(),
        finding: Some(if cost > ideal {
            Finding::Bad
        } else {
            Finding::Ideal
        }),
    }
}

fn row(line: u32, space: Space, op: Op, requests: u64, cost: u64, ideal: u64) -> LineCounters {
    LineCounters {
        file: "/src/x/fixtures/a.cu".to_owned(),
        line,
        also: Vec::new(),
        space,
        op,
        width: 4,
        opcode: "LDS".to_owned(),
        instructions: 1,
        requests,
        lanes: 32,
        cost,
        ideal,
    }
}

fn measurement(rows: Vec<LineCounters>) -> Measurement {
    let outputs = vec![OutputDigest {
        name: "out".to_owned(),
        fingerprint: 7,
        poisoned: 3,
    }];
    let launch = LaunchMeasurement {
        label: "fixtures/a.cu:3 k".to_owned(),
        kernel: "k".to_owned(),
        grid: [1; 3],
        block: [32, 1, 1],
        seed: 0,
        source: 5,
        error: None,
        rows,
        outputs,
    };
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
        launches: vec![launch],
    }
}

#[test]
fn each_verdict() {
    use {Op::*, Space::*};
    let mut merged = line(5, Shared, Load, 4, 128, 4);
    merged.alternatives = vec![Alternative {
        how: How::Merged(16),
        totals: totals(1, 32, 4),
    }];
    let lines = vec![
        line(1, Shared, Load, 4, 128, 4),
        line(2, Shared, Load, 4, 4, 4),
        line(3, Global, Load, 1, 4, 4),
        line(4, Global, Store, 1, 4, 4),
        merged,
        line(6, Shared, Load, 1, 1, 1),
    ];
    let prediction = Prediction {
        launches: vec![launch(lines, 7)],
    };
    let mut inlined = row(40, Shared, Load, 1, 1, 1);
    inlined.also = vec![("/src/x/fixtures/a.cu".to_owned(), 6)];
    let mut foreign = row(1, Shared, Store, 1, 1, 1);
    foreign.file = "/usr/include/cuda_pipeline_helpers.h".to_owned();
    let rows = vec![
        row(1, Shared, Load, 4, 128, 4),
        row(2, Shared, Load, 1, 1, 1),
        row(3, Global, Load, 1, 5, 4),
        row(5, Shared, Load, 1, 32, 4),
        inlined,
        row(9, Shared, Store, 1, 1, 1),
        row(10, Global, Store, 1, 0, 0),
        foreign,
    ];
    let comparison = compare(&prediction, &measurement(rows));
    let verdicts: Vec<Verdict> = comparison
        .rows
        .iter()
        .map(|row| row.verdict.clone())
        .collect();
    assert_eq!(
        verdicts,
        [
            Verdict::Agrees,
            Verdict::AgreesInRatio,
            Verdict::Differs,
            Verdict::Eliminated,
            Verdict::Rewritten(How::Merged(16)),
            Verdict::Agrees,
            Verdict::Unpredicted,
            Verdict::NotCounted,
            Verdict::InHeader,
        ]
    );
    assert_eq!(comparison.confusion(), [[2, 1], [0, 0], [0, 2]]);
    assert_eq!((comparison.exit_code(), comparison.problems.len()), (1, 0));
    let text = comparison.render();
    assert!(text.ends_with("7 of 9 lines agree, 0 problems\n"), "{text}");
    assert!(text.contains("merged by the compiler into accesses of 16 bytes"));
}

/// The last of two requests at lines 1 and 2 became one 8-byte access, at line 1.
#[test]
fn accesses_of_two_lines_become_one() {
    use {Op::*, Space::*};
    let one = |number, other| PredictedLine {
        joined: vec![Joined {
            other,
            width: 8,
            wide: totals(1, 2, 2),
            left: totals(1, 4, 1),
        }],
        ..line(number, Shared, Load, 2, 6, 2)
    };
    let prediction = Prediction {
        launches: vec![launch(vec![one(1, 2), one(2, 1)], 7)],
    };
    let wide = |cost| LineCounters {
        width: 8,
        ..row(1, Shared, Load, 1, cost, 2)
    };
    let judged = |rows| {
        let comparison = compare(&prediction, &measurement(rows));
        let rows = comparison.rows.into_iter();
        rows.map(|row| row.verdict).collect::<Vec<_>>()
    };
    let narrow = |number, cost| row(number, Shared, Load, 1, cost, 1);
    assert_eq!(
        judged(vec![narrow(1, 4), wide(2), narrow(2, 4)]),
        [
            Verdict::Rewritten(How::With(2)),
            Verdict::Rewritten(How::At(1))
        ]
    );
    // Nothing else passes: another cost of the wide access, or of what is left, or none.
    let differ = [Verdict::Differs, Verdict::Differs];
    assert_eq!(judged(vec![narrow(1, 4), wide(3), narrow(2, 4)]), differ);
    assert_eq!(judged(vec![narrow(1, 4), narrow(2, 4)]), differ);
    assert_eq!(
        judged(vec![narrow(1, 5), wide(2), narrow(2, 4)])[0],
        Verdict::Differs
    );
}

#[test]
fn what_was_not_simulated_says_so() {
    let mut silent = launch(Vec::new(), 7);
    silent.silent = Some("a fragment".to_owned());
    let prediction = Prediction {
        launches: vec![silent],
    };
    let rows = vec![row(1, Space::Shared, Op::Load, 1, 1, 1)];
    let comparison = compare(&prediction, &measurement(rows));
    assert_eq!(comparison.rows[0].verdict, Verdict::NotSimulated);
    assert_eq!(comparison.exit_code(), 0);
    assert!(
        comparison
            .render()
            .contains("note: a.cu:3 k: not simulated: a fragment")
    );
}

#[test]
fn wrong_outputs_and_missing_launches_cannot_pass() {
    let changed = PredictedLaunch {
        source: 6,
        ..launch(Vec::new(), 7)
    };
    let missing = PredictedLaunch {
        label: "b.cu:3 k".to_owned(),
        ..launch(Vec::new(), 7)
    };
    let prediction = Prediction {
        launches: vec![launch(Vec::new(), 8), missing, changed],
    };
    let comparison = compare(&prediction, &measurement(Vec::new()));
    assert_eq!(comparison.exit_code(), 1);
    let said = |index: usize, text: &str| comparison.problems[index].contains(text);
    assert!(
        said(0, "3 elements never written"),
        "{:?}",
        comparison.problems
    );
    assert!(said(1, "not in the measurement"));
    assert!(said(2, "has changed since"));
}

#[test]
fn a_finding_that_the_gpu_denies_fails() {
    let mut wrong = line(1, Space::Shared, Op::Load, 1, 1, 1);
    wrong.finding = Some(Finding::Bad);
    let prediction = Prediction {
        launches: vec![launch(vec![wrong], 7)],
    };
    let rows = vec![row(1, Space::Shared, Op::Load, 1, 1, 1)];
    let comparison = compare(&prediction, &measurement(rows));
    assert_eq!(comparison.confusion()[Finding::Bad as usize], [1, 0]);
    assert_eq!(comparison.exit_code(), 1);
}
