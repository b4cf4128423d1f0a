//! `cudalint measure` and `cudalint compare`: predictions beside what Nsight Compute counts.
//!
//! `measure` runs a program under it; `compare` reads a page that somebody exported. Exit code: 0 all
//! agree or the difference has a known reason, 1 something disagrees, 2 nothing could be compared.

use super::args::{CompareArgs, InputArgs, MeasureArgs, TableChoice};
use super::inputs::{self, Compare, Inputs};
use super::{ERROR, complain, print, remark, report_of, write_file};
use crate::disk::{self, private};
use crate::gpu::Arch;
use crate::report::measured::Measured;
use crate::report::{Format, Report, Style};
use crate::session::input::mentioned::Names;
use crate::session::{self, Analysis, Retain};
use crate::validate::application::{self, Request};
use crate::validate::reconcile::{self, Profiled};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Bytes of a page: that of a large program has many million lines.
const MOST_PAGE: u64 = 1 << 30;

/// Files beside a source that are looked at for one that includes it, and bytes of each.
const MOST_BESIDE: usize = 1_000;
const MOST_SOURCE: u64 = 4 << 20;

/// How the comparison is told.
struct Output<'a> {
    format: TableChoice,
    html: Option<&'a Path>,
}

/// # Errors
/// One sentence.
pub fn run(mut args: MeasureArgs) -> Result<u8, String> {
    if args.program.is_empty() {
        return Err(
            "the program to run is missing: `cudalint measure [FILE|FOLDER]... -- ./app ARGUMENTS`"
                .to_owned(),
        );
    }
    let named = std::env::var_os("CUDALINT_NCU").filter(|name| !name.is_empty());
    let ncu = application::find(args.ncu.take().or(named.map(PathBuf::from)))?;
    let folder = std::env::temp_dir().join(format!("cudalint-measure-{}", std::process::id()));
    private::make_new(&folder)
        .map_err(|error| format!("cannot create {} ({error})", folder.display()))?;
    let report = match &args.report {
        Some(path) => path.with_extension("ncu-rep"),
        None => folder.join("run.ncu-rep"),
    };
    let measured = application::measure(&Request {
        ncu: &ncu,
        program: &args.program,
        kernel: args.kernel.as_deref(),
        launches: (args.launches > 0).then_some(args.launches),
        report: &report,
    });
    // Left behind at worst, in a folder that is cleared.
    let _ = std::fs::remove_dir_all(&folder);
    let run = measured?;
    if !run.status.success() {
        remark(&format!("the program ended with {}", run.status));
    }
    if args.input.arch.is_none() {
        args.input.arch = run.arch.filter(|name| Arch::parse(name).is_ok());
    }
    if args.input.paths.is_empty() && args.input.compile_commands.is_none() {
        args.input.paths = sources(&run.profiled)?;
    }
    let output = Output {
        format: args.format,
        html: args.html.as_deref(),
    };
    beside(&run.profiled, &args.input, &output)
}

/// # Errors
/// One sentence.
pub fn compare(args: &CompareArgs) -> Result<u8, String> {
    let page = disk::bytes(&args.report, MOST_PAGE)
        .map_err(|why| format!("{}: {why}", args.report.display()))?;
    let profiled = reconcile::read(&String::from_utf8_lossy(&page))
        .map_err(|problem| format!("{}: {problem}", args.report.display()))?;
    let output = Output {
        format: args.format,
        html: args.html.as_deref(),
    };
    beside(&profiled, &args.input, &output)
}

/// Analyses the sources and prints both side by side.
fn beside(profiled: &[Profiled], input: &InputArgs, output: &Output) -> Result<u8, String> {
    let Inputs {
        settings,
        loaded,
        code,
        ..
    } = inputs::read(input, Compare::Nothing)?;
    let options = session::Options {
        fixes: false,
        keeps: Retain::Everything,
        ..settings.options
    };
    let analysis = super::analyse(&loaded.files, &options);
    let measured = reconcile::reconcile(profiled, &analysis, &options.arch);
    let text = match output.format {
        TableChoice::Text => measured.text(),
        TableChoice::Json => measured.json(),
    };
    let mut code = code.max(measured.exit_code()).max(print(&text));
    if let Some(path) = output.html
        && let Err(problem) = write_file(path, page(&analysis, &measured, options.arch).as_bytes())
    {
        complain(&problem);
        code = ERROR;
    }
    Ok(code)
}

fn page(analysis: &Analysis, measured: &Measured, arch: Arch) -> String {
    let report = Report {
        measured: Some(measured),
        ..report_of(analysis, &analysis.findings, 0, arch)
    };
    Format::Html.render(&report, Style::default())
}

/// The sources that the profiler names and that are compiled by themselves, with those that include them; where
/// kernels stand in headers alone, the folders of these.
///
/// # Errors
/// One sentence where none of them is here.
fn sources(profiled: &[Profiled]) -> Result<Vec<PathBuf>, String> {
    let here = std::env::current_dir().unwrap_or_default();
    let all: BTreeSet<&String> = profiled.iter().flat_map(|launch| &launch.files).collect();
    let found: Vec<&Path> = all
        .into_iter()
        .map(Path::new)
        .filter(|path| path.is_file())
        .collect();
    let mains = found.iter().filter(|path| is_main(path));
    let mut chosen: BTreeSet<PathBuf> = mains.map(|path| path.to_path_buf()).collect();
    if chosen.is_empty() {
        let inside = found.iter().filter(|path| path.starts_with(&here));
        chosen = inside
            .filter_map(|path| Some(path.parent()?.to_path_buf()))
            .collect();
    } else {
        add_includers(&mut chosen);
    }
    if chosen.is_empty() {
        return Err(
            "none of the sources that the profiler names is here; name files or folders before `--`, or a compilation database with -p"
                .to_owned(),
        );
    }
    let shown = |path: &Path| match path.strip_prefix(&here) {
        Ok(relative) if relative.as_os_str().is_empty() => PathBuf::from("."),
        Ok(relative) => relative.to_path_buf(),
        Err(_) => path.to_path_buf(),
    };
    Ok(chosen.iter().map(|path| shown(path)).collect())
}

fn is_main(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "cu")
}

/// Adds the files beside the chosen ones that include one of them: it is compiled there, with their macros.
fn add_includers(chosen: &mut BTreeSet<PathBuf>) {
    let folders: BTreeSet<&Path> = chosen.iter().filter_map(|path| path.parent()).collect();
    let beside: Vec<(PathBuf, Names)> = folders
        .into_iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().take(MOST_BESIDE))
        .map(|entry| entry.path())
        .filter(|path| is_main(path))
        .filter_map(|path| {
            let bytes = disk::bytes(&path, MOST_SOURCE).ok()?;
            let names = Names::of(&String::from_utf8_lossy(&bytes));
            Some((path, names))
        })
        .collect();
    loop {
        let names: BTreeSet<String> = chosen
            .iter()
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        let before = chosen.len();
        let includers = beside
            .iter()
            .filter(|(_, mentioned)| !mentioned.included.is_disjoint(&names));
        chosen.extend(includers.map(|(path, _)| path.clone()));
        if chosen.len() == before {
            break;
        }
    }
}
