//! The command `validate`: files, folders, dates and processes around the steps.
//!
//! Given their arguments, gives tables on the standard output, files where asked for, and the
//! exit code: 0 all agree, 1 something does not, 2 no GPU or unusable input.

use super::args::{FixtureArgs, MeasuringArgs, MethodChoice, ValidateArgs, ValidateStep};
use super::{ERROR, complain, print, print_shown};
use crate::disk;
use crate::gpu::Arch;
use crate::session;
use crate::session::input::load;
use crate::validate::compare;
use crate::validate::fixtures::{self, Specimen};
use crate::validate::measurement::{MEASUREMENT_SCHEMA, Measurement, Method};
use crate::validate::plan::{PLAN_SCHEMA, Plan};
use crate::validate::prediction::Prediction;
use crate::validate::run::{self, Child};
use crate::validate::{predict, probes};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs `validate` or one of its steps.
pub fn run(args: ValidateArgs) -> Result<u8, String> {
    let ValidateArgs {
        step,
        fixtures,
        measuring,
        output,
        probes,
    } = args;
    match step {
        None if probes => {
            let measurement = measure(&probes::plan(&probes::all()), &measuring)?;
            compare_probes(&measurement, output.as_deref())
        }
        None => whole(&fixtures, &measuring, output.as_deref()),
        Some(ValidateStep::Plan {
            fixtures,
            probes,
            output,
        }) => plan(&fixtures, probes, output.as_deref()),
        Some(ValidateStep::Measure {
            plan,
            measuring,
            output,
        }) => {
            let plan: Plan = read_json(&plan)?;
            if plan.schema != PLAN_SCHEMA {
                return Err(format!(
                    "the plan is of schema {}, not {PLAN_SCHEMA}",
                    plan.schema
                ));
            }
            let measurement = measure(&plan, &measuring)?;
            write(output.as_deref(), &measurement.to_json())
        }
        Some(ValidateStep::Compare {
            measurement,
            fixtures,
            probes,
            output,
        }) => {
            let measurement: Measurement = read_json(&measurement)?;
            if measurement.schema != MEASUREMENT_SCHEMA {
                return Err(format!(
                    "the measurement is of schema {}, not {MEASUREMENT_SCHEMA}",
                    measurement.schema
                ));
            }
            if probes {
                return compare_probes(&measurement, output.as_deref());
            }
            let arch = arch_of(&fixtures, Some(&measurement.arch))?;
            let (specimens, code) = specimens(&fixtures, arch, true)?;
            Ok(code.max(compare_fixtures(&specimens, &measurement)))
        }
        Some(ValidateStep::Child {
            what,
            plan,
            records,
            keep,
        }) => run::child(&what, &plan, &records, keep.as_deref()).map(|()| 0),
    }
}

/// All three steps.
fn whole(
    args: &FixtureArgs,
    measuring: &MeasuringArgs,
    output: Option<&Path>,
) -> Result<u8, String> {
    // Asked first, so that a machine without a GPU says so before anything is analysed.
    let gpu = run::gpu()?;
    let arch = arch_of(args, Some(&gpu))?;
    let (specimens, code) = specimens(args, arch, true)?;
    let planned = fixtures::plan(&specimens, args.seed);
    let measurement = measure(&planned.plan, measuring)?;
    if output.is_some() {
        write(output, &measurement.to_json())?;
    }
    Ok(code.max(compare_fixtures(&specimens, &measurement)))
}

fn plan(args: &FixtureArgs, probes: bool, output: Option<&Path>) -> Result<u8, String> {
    let (mut plan, mut code) = if probes {
        (probes::plan(&probes::all()), 0)
    } else {
        let arch = arch_of(args, None)?;
        let (specimens, code) = specimens(args, arch, false)?;
        let planned = fixtures::plan(&specimens, args.seed);
        for left_out in &planned.left_out {
            complain(&format!("left out: {left_out}"));
        }
        (planned.plan, code)
    };
    plan.arch.clone_from(&args.arch);
    let text = serde_json::to_string(&plan).map_err(|error| error.to_string())?;
    code = code.max(write(output, &format!("{text}\n"))?);
    complain(&format!(
        "{} launches of {} files, seed {}",
        plan.launches.len(),
        plan.sources.len(),
        args.seed
    ));
    Ok(code)
}

fn compare_fixtures(specimens: &[Specimen], measurement: &Measurement) -> u8 {
    // Data follow the seed of the record, not the one that a new plan would have.
    let seed = measurement.launches.first().map_or(0, |launch| launch.seed);
    let (mut prediction, mut left_out) = (Prediction::default(), Vec::new());
    for specimen in specimens {
        if !specimen.is_measured {
            left_out.push(format!("{}: not to be measured, it says", specimen.file));
            continue;
        }
        let mut ready = Vec::new();
        for (label, prepared) in specimen.prepare(seed) {
            match prepared {
                Ok(prepared) => ready.push(prepared),
                Err(reason) => left_out.push(format!("{label}: {reason}")),
            }
        }
        let predicted = predict::prediction(ready.into_iter());
        prediction.launches.extend(predicted.launches);
    }
    let mut comparison = compare::compare(&prediction, measurement);
    comparison.remarks.extend(left_out);
    comparison
        .remarks
        .push(format!("random inputs from seed {seed}"));
    comparison
        .exit_code()
        .max(print_shown(&comparison.render()))
}

fn compare_probes(measurement: &Measurement, output: Option<&Path>) -> Result<u8, String> {
    let arch = Arch::parse(&measurement.arch)?;
    let (recording, problems) = probes::record(&probes::all(), measurement);
    for problem in &problems {
        complain(problem);
    }
    if output.is_some() {
        write(output, &(recording.to_json() + "\n"))?;
    }
    let report = probes::check(&recording, &arch);
    let code = report.exit_code().max(u8::from(!problems.is_empty()));
    Ok(code.max(print_shown(&report.render())))
}

/// Launches a plan in children of this program.
fn measure(plan: &Plan, args: &MeasuringArgs) -> Result<Measurement, String> {
    let program = std::env::current_exe()
        .map_err(|error| format!("cannot find this program's own file ({error})"))?;
    let folder = std::env::temp_dir().join(format!("cudalint-measure-{}", std::process::id()));
    let create = |folder: &Path| {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {} ({error})", folder.display()))
    };
    create(&folder)?;
    if let Some(keep) = &args.keep {
        create(keep)?;
    }
    let method = args.method.map(|method| match method {
        MethodChoice::Ncu => Method::Ncu,
        MethodChoice::Cupti => Method::Cupti,
        MethodChoice::Trace => Method::Trace,
    });
    let child = Child {
        program,
        arguments: vec!["validate".to_owned(), "child".to_owned()],
        folder: folder.clone(),
        keep: args.keep.clone(),
    };
    let date = args.date.clone().unwrap_or_else(today);
    let measured = run::measure(plan, method, &date, &child);
    // Left behind at worst, in a folder that is cleared.
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

/// Fixtures of all paths, read for `arch`; the exit code says whether all could be.
fn specimens(args: &FixtureArgs, arch: Arch, proves: bool) -> Result<(Vec<Specimen>, u8), String> {
    let mut paths = args.paths.clone();
    if paths.is_empty() {
        let usual = PathBuf::from("fixtures");
        if !usual.is_dir() {
            return Err(
                "name fixture files or folders: there is no folder `fixtures` here".to_owned(),
            );
        }
        paths.push(usual);
    }
    let loaded = load::load(load::Request {
        paths: &paths,
        ..load::Request::default()
    });
    let mut code = 0;
    for problem in &loaded.problems {
        complain(&problem.to_string());
        code = ERROR;
    }
    let read = |file: &std::sync::Arc<crate::source::SourceFile>| {
        let name = file.path.display().to_string();
        if !args.fixed {
            return Specimen::read(&name, &file.text, arch, proves).map(Some);
        }
        let cured = Specimen::cured(&name, &file.text, arch)?;
        cured
            .map(|cured| Specimen::read(&name, &cured.text, arch, proves))
            .transpose()
    };
    let results: Vec<Result<Specimen, String>> = session::on_workers(0, || {
        let read = loaded.files.par_iter().map(read);
        read.filter_map(Result::transpose).collect()
    });
    let mut specimens = Vec::new();
    for result in results {
        match result {
            Ok(specimen) => specimens.push(specimen),
            Err(problem) => {
                complain(&problem);
                code = ERROR;
            }
        }
    }
    if specimens
        .iter()
        .all(|known| known.fixture.launches.is_empty())
    {
        return Err("none of these files has a `//@ launch` directive".to_owned());
    }
    Ok((specimens, code))
}

/// The architecture asked for, else that of the GPU, else the default.
fn arch_of(args: &FixtureArgs, gpu: Option<&str>) -> Result<Arch, String> {
    match args.arch.as_deref().or(gpu) {
        Some(name) => Arch::parse(name),
        None => Ok(Arch::DEFAULT),
    }
}

/// Bytes of a file of plans, predictions or measurements.
const MOST_RECORD: u64 = 1 << 30;

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = disk::text(path, MOST_RECORD)
        .map_err(|error| format!("cannot read {} ({error})", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: Option<&Path>, text: &str) -> Result<u8, String> {
    match path {
        Some(path) => std::fs::write(path, text)
            .map(|()| 0)
            .map_err(|error| format!("cannot write {} ({error})", path.display())),
        None => Ok(print(text)),
    }
}

/// The day, UTC, as `YYYY-MM-DD`.
fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a count of days since 1970-01-01 (Howard Hinnant, "chrono-compatible
/// low-level date algorithms").
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (
        year + 400 * era + u64::from(month <= 2),
        month,
        of_year - (153 * shifted + 2) / 5 + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_778), (2026, 11, 21));
    }
}
