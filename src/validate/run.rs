//! The step `measure`: launches a plan under a profiler, in processes of their own.
//!
//! Given: a plan, and how to start this program again as a child. Gives: a measurement.
//! Does not know: fixtures or predictions; only [`super::device`] touches the GPU.
//!
//! Children, because Nsight Compute profiles whole processes, because CUPTI counts only the
//! first kernel that a process launches (seen with CUDA 13.0), and because a kernel that faults
//! or hangs must not take the others' counters with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::device::{Device, Facts};
use super::measurement::{LaunchMeasurement, MEASUREMENT_SCHEMA, Measurement, Method};
use super::ncu;
use super::plan::{Plan, fingerprint};

/// How to start this program as a child: it must then call [`child`] with the three or four
/// words that are appended to `arguments`.
#[derive(Clone, Debug)]
pub struct Child {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// An existing folder for plans and results that go to and fro.
    pub folder: PathBuf,
    /// An existing folder for the profiler's pages and what launches leave in their buffers.
    pub keep: Option<PathBuf>,
}

/// What a child does.
const LAUNCH: &str = "launch";
const COUNT: &str = "count";
const TRACE: &str = "trace";

/// A launch that an earlier one's failure kept from running.
const NOT_RUN: &str = "not run: an earlier launch failed";

/// The child's side: `what` is `launch`, `count` or `trace`; reads the plan, writes records.
/// With `keep`, a folder, what launches leave in their buffers is written there.
///
/// # Errors
/// One sentence: no GPU, no counters, or a file that can't be read or written.
pub fn child(what: &str, plan: &str, records: &str, keep: Option<&Path>) -> Result<(), String> {
    let text = std::fs::read_to_string(plan).map_err(|error| format!("{plan}: {error}"))?;
    let plan: Plan =
        serde_json::from_str(&text).map_err(|error| format!("{plan} is no plan: {error}"))?;
    let device = Device::open()?;
    let launched = match what {
        LAUNCH => device.launch(&plan, keep),
        TRACE => device.trace(&plan),
        COUNT => device.count(&plan)?,
        _ => return Err(format!("`{what}` is nothing a child does")),
    };
    let text = serde_json::to_string(&launched).map_err(|error| error.to_string())?;
    std::fs::write(records, text).map_err(|error| format!("{records}: {error}"))
}

/// Architecture of this machine's GPU, such as `sm_90`.
///
/// # Errors
/// One sentence: no GPU, and what can be done.
pub fn gpu() -> Result<String, String> {
    Ok(Device::open()?.facts().arch.clone())
}

/// Measures a plan. `method`: `None` takes Nsight Compute if it is there and allowed to read
/// counters, then CUPTI, then recorded addresses. `date` goes into the record.
///
/// # Errors
/// One sentence that says why nothing could be measured and what can be done.
pub fn measure(
    plan: &Plan,
    method: Option<Method>,
    date: &str,
    child: &Child,
) -> Result<Measurement, String> {
    // Asked for here, so that a machine without a GPU says so at once and once.
    let facts = Device::open()?.facts().clone();
    let (method, profiler, launches) = match method {
        Some(Method::Ncu) => by_ncu("ncu", plan, child)
            .map(|(profiler, launches)| (Method::Ncu, profiler, launches))?,
        Some(Method::Cupti) => by_cupti(plan, child, &facts)
            .map(|(profiler, launches)| (Method::Cupti, profiler, launches))?,
        Some(Method::Trace) => {
            by_trace(plan, child).map(|(profiler, launches)| (Method::Trace, profiler, launches))?
        }
        None => match by_ncu("ncu", plan, child) {
            Ok((profiler, launches)) => (Method::Ncu, profiler, launches),
            Err(first) => match by_cupti(plan, child, &facts) {
                Ok((profiler, launches)) => (Method::Cupti, profiler, launches),
                Err(second) => {
                    let (profiler, launches) = by_trace(plan, child).map_err(|third| {
                        format!("neither profiler can read this GPU's counters ({first}; {second}), and addresses can't be recorded: {third}")
                    })?;
                    (Method::Trace, profiler, launches)
                }
            },
        },
    };
    let Facts {
        gpu,
        arch,
        driver,
        cuda,
        ..
    } = facts;
    Ok(Measurement {
        schema: MEASUREMENT_SCHEMA.to_owned(),
        date: date.to_owned(),
        gpu,
        arch,
        driver,
        cuda,
        profiler,
        method,
        launches,
    })
}

/// All launches under one Nsight Compute; again for what a failing launch kept from running.
fn by_ncu(
    program: &str,
    plan: &Plan,
    child: &Child,
) -> Result<(String, Vec<LaunchMeasurement>), String> {
    let version = Command::new(program)
        .arg("--version")
        .output()
        .map_err(|error| format!("Nsight Compute (ncu) does not start: {error}"))?;
    let version = String::from_utf8_lossy(&version.stdout);
    let version = version
        .lines()
        .find_map(|line| line.strip_prefix("Version "))
        .and_then(|line| line.split_whitespace().next())
        .unwrap_or("of unknown version");
    let mut turn = 0;
    let all = in_turns(plan, |rest| {
        let mut command = Command::new(program);
        command.args(ncu::arguments()).arg(&child.program);
        let limit = Duration::from_secs(120 + rest.launches.len() as u64);
        let (output, mut launched) = start(command, child, LAUNCH, rest, limit)?;
        let page = String::from_utf8_lossy(&output.stdout);
        if let Some(folder) = &child.keep {
            let path = folder.join(format!("page-{turn}.csv"));
            std::fs::write(&path, page.as_bytes())
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        turn += 1;
        ncu::read(&page, rest, &mut launched)?;
        Ok(launched)
    })?;
    Ok((format!("ncu {version}"), all))
}

/// One process for all; again for what a failing launch kept from running.
fn by_trace(plan: &Plan, child: &Child) -> Result<(String, Vec<LaunchMeasurement>), String> {
    let launches = in_turns(plan, |rest| {
        let limit = Duration::from_secs(120 + rest.launches.len() as u64);
        let (_, mut launched) = start(Command::new(&child.program), child, TRACE, rest, limit)?;
        // What was compiled is the traced form; the recording speaks of the source.
        for (record, launch) in launched.iter_mut().zip(&rest.launches) {
            let source = rest.sources.get(launch.source);
            record.source = source.map_or(0, |source| fingerprint(source.text.as_bytes()));
        }
        Ok(launched)
    })?;
    Ok(("no profiler".to_owned(), launches))
}

/// Calls `run` with what is left of the plan until nothing is left.
fn in_turns(
    plan: &Plan,
    mut run: impl FnMut(&Plan) -> Result<Vec<LaunchMeasurement>, String>,
) -> Result<Vec<LaunchMeasurement>, String> {
    let mut all = Vec::new();
    while all.len() < plan.launches.len() {
        let rest = Plan {
            launches: plan.launches[all.len()..].to_vec(),
            ..plan.clone()
        };
        let launched = run(&rest)?;
        let done = launched
            .iter()
            .position(|launch| launch.error.as_deref() == Some(NOT_RUN))
            .unwrap_or(launched.len());
        if done == 0 {
            return Err("no launch could be run".to_owned());
        }
        all.extend(launched.into_iter().take(done));
    }
    Ok(all)
}

/// One process per launch.
fn by_cupti(
    plan: &Plan,
    child: &Child,
    facts: &Facts,
) -> Result<(String, Vec<LaunchMeasurement>), String> {
    let mut all = Vec::new();
    for launch in &plan.launches {
        let mut launch = launch.clone();
        let source = plan
            .sources
            .get(launch.source)
            .ok_or_else(|| format!("launch {} names a source that the plan lacks", launch.label))?;
        launch.source = 0;
        let one = Plan {
            sources: vec![source.clone()],
            launches: vec![launch],
            ..plan.clone()
        };
        let (_, launched) = start(
            Command::new(&child.program),
            child,
            COUNT,
            &one,
            Duration::from_secs(120),
        )?;
        all.extend(launched);
    }
    Ok((facts.cupti.clone().unwrap_or_default(), all))
}

/// Runs `command` with the child's arguments; its output and the records it wrote.
fn start(
    mut command: Command,
    child: &Child,
    what: &str,
    plan: &Plan,
    limit: Duration,
) -> Result<(Output, Vec<LaunchMeasurement>), String> {
    let [plan_file, records_file, page_file, words_file] =
        ["plan.json", "records.json", "page.csv", "words.txt"].map(|name| child.folder.join(name));
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let text = serde_json::to_string(plan).map_err(|error| error.to_string())?;
    std::fs::write(&plan_file, text).map_err(|error| at(&plan_file, error))?;
    // What an earlier child wrote must not pass for this one's.
    let _ = std::fs::remove_file(&records_file);
    // Files rather than pipes: nobody reads while the child runs, and pages are long.
    let open = |path: &Path| std::fs::File::create(path).map_err(|error| at(path, error));
    command
        .args(&child.arguments)
        .arg(what)
        .arg(&plan_file)
        .arg(&records_file);
    if let (Some(folder), LAUNCH) = (&child.keep, what) {
        command.arg(folder);
    }
    command
        .stdin(Stdio::null())
        .stdout(open(&page_file)?)
        .stderr(open(&words_file)?);
    let mut running = command.spawn().map_err(|error| {
        format!(
            "{} does not start: {error}",
            command.get_program().display()
        )
    })?;
    let started = Instant::now();
    let status = loop {
        match running.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > limit => {
                // Both can only fail if the child has just ended by itself.
                let _ = running.kill();
                let _ = running.wait();
                return Err(format!("no result within {} seconds", limit.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let output = Output {
        status,
        stdout: std::fs::read(&page_file).map_err(|error| at(&page_file, error))?,
        stderr: std::fs::read(&words_file).map_err(|error| at(&words_file, error))?,
    };
    let words = String::from_utf8_lossy(&output.stderr);
    let page = String::from_utf8_lossy(&output.stdout);
    let complaint = || {
        let remark = page
            .lines()
            .chain(words.lines())
            .find(|line| line.contains("==ERROR=="))
            .or_else(|| words.lines().rfind(|line| !line.trim().is_empty()));
        remark
            .unwrap_or("it wrote no records")
            .replace("==ERROR==", "")
            .trim()
            .to_owned()
    };
    let records = std::fs::read_to_string(&records_file).map_err(|_| complaint())?;
    let records = serde_json::from_str(&records)
        .map_err(|error| format!("the child's records can't be read: {error}"))?;
    Ok((output, records))
}

/// The error of a launch that was kept from running.
pub(super) fn not_run() -> String {
    NOT_RUN.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stand-in for the profiler: it runs nothing, says what a real one said, and leaves the
    /// records that the child would leave. The first launch fails the first time.
    #[cfg(unix)]
    #[test]
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn what_a_failing_launch_kept_from_running_is_run_again() {
        use super::super::plan::{Launch, PLAN_SCHEMA, Source};
        use std::os::unix::fs::PermissionsExt;

        let folder = std::env::temp_dir().join(format!("cudalint-ncu-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let launch = |label: &str| Launch {
            label: label.to_owned(),
            source: 0,
            kernel: "k".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            seed: 0,
            args: Vec::new(),
        };
        let record = |label: &str, error: Option<&str>| LaunchMeasurement {
            label: label.to_owned(),
            kernel: "k".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            seed: 0,
            source: 0,
            error: error.map(str::to_owned),
            rows: Vec::new(),
            outputs: Vec::new(),
        };
        let sources = vec![Source {
            file: "a.cu".to_owned(),
            text: String::new(),
            options: Vec::new(),
            traced: None,
        }];
        let plan = Plan {
            schema: PLAN_SCHEMA.to_owned(),
            arch: None,
            sources,
            launches: vec![launch("good"), launch("faulty"), launch("last")],
        };
        let write = |name: &str, records: &[LaunchMeasurement]| {
            std::fs::write(folder.join(name), serde_json::to_string(records).unwrap()).unwrap()
        };
        write(
            "first.json",
            &[
                record("good", None),
                record("faulty", Some("fails on the GPU")),
                record("last", Some(NOT_RUN)),
            ],
        );
        write("second.json", &[record("last", None)]);
        let script = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "NVIDIA (R) Nsight Compute"; echo "Version 1.2.3 (build 4)"; exit; fi
cd "$(dirname "$0")"
if [ -e again ]; then cp second.json records.json; else cp first.json records.json; : > again; fi
echo '"File Path","/x/a.cu"'
echo '"Function Name","k"'
echo '"Line No","Source","Address","Source","inst_executed","thread_inst_executed_true","memory_l1_wavefronts_shared","memory_l1_wavefronts_shared_ideal"'
echo '"7","x","-","-","1","32","1","1"'
echo '"","","0x10","LDS R0, [R2]","1","32","2","1"'
"#;
        let program = folder.join("ncu");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let child = Child {
            program: PathBuf::from("unused"),
            arguments: Vec::new(),
            folder: folder.clone(),
            keep: None,
        };
        let (version, launches) = by_ncu(program.to_str().unwrap(), &plan, &child).unwrap();
        let seen: Vec<_> = launches
            .iter()
            .map(|launch| {
                (
                    launch.label.as_str(),
                    launch.error.is_some(),
                    launch.rows.len(),
                )
            })
            .collect();
        assert_eq!(version, "ncu 1.2.3");
        assert_eq!(
            seen,
            [("good", false, 1), ("faulty", true, 0), ("last", false, 1)]
        );
        assert_eq!((launches[2].rows[0].line, launches[2].rows[0].cost), (7, 2));

        // In the same test, since a process started meanwhile could hold the script open.
        let child = Child {
            program: PathBuf::from("/nonexistent/program"),
            ..child
        };
        let error = start(
            Command::new(&child.program),
            &child,
            LAUNCH,
            &plan,
            Duration::from_secs(5),
        )
        .unwrap_err();
        assert!(error.contains("does not start"), "{error}");
        assert!(
            by_ncu("/nonexistent/ncu", &plan, &child)
                .unwrap_err()
                .contains("(ncu) does not start")
        );
        assert!(
            super::child(LAUNCH, "/nonexistent/plan", "/nonexistent/out", None)
                .unwrap_err()
                .contains("/nonexistent/plan")
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
