//! `cudalint check`: findings, reports, fixes.

use super::args::{CheckArgs, ColorChoice, Confirm, LevelChoice, SortChoice, Stage};
use super::inputs::{self, Compare, Inputs};
use super::progress::Progress;
use super::settings::Settings;
use super::{
    CLEAN, ERROR, FINDINGS, allow, baseline, complain, complain_plainly, print, print_bytes,
    print_exact, print_shown, report_of, timings, watch, write_file,
};
use crate::config::Config;
use crate::confirm;
use crate::contract::baseline::Compared;
use crate::disk::{self, Replacement};
use crate::finding::{Finding, Fix, Level, Safety};
use crate::fix::apply;
use crate::nvrtc::Compiler;
use crate::report::{self, Format, Report, Style};
use crate::rules::select::Selection;
use crate::session::input::load::Loaded;
use crate::session::{self, Analysis, Retain};
use crate::source::{FileId, SourceFile};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

/// Findings of a run at the requested levels.
pub struct Found {
    pub settings: Settings,
    pub loaded: Loaded,
    pub analysis: Analysis,
    pub findings: Vec<Finding>,
    /// Findings below the level asked for.
    pub hidden: usize,
    /// Exit code that the inputs call for.
    pub code: u8,
    /// Whether a signal ended the run before all was done.
    pub is_stopped: bool,
}

/// # Errors
/// One sentence.
pub fn run(args: &CheckArgs) -> Result<u8, String> {
    if args.watch {
        watch::run(args)
    } else {
        once(args)
    }
}

/// One run.
///
/// # Errors
/// One sentence.
pub fn once(args: &CheckArgs) -> Result<u8, String> {
    if let Some(stage) = args.emit {
        let inputs = inputs::read(&args.input, Compare::Nothing)?;
        return Ok(inputs
            .code
            .max(emit(stage, args, &inputs.loaded, &inputs.settings)));
    }
    let mut found = find(args)?;
    // What the standard input becomes; it cannot be read again.
    let mut stdin = None;
    // Who stops a run does not want files to be changed after that.
    let edits = args.diff || args.fix || args.fix_only || args.add_allow.is_some();
    if edits && !found.is_stopped {
        let Found {
            settings,
            analysis,
            findings,
            ..
        } = &found;
        let compared = baseline::compare(args, settings, findings.clone(), analysis)?;
        if args.diff {
            return Ok(found.code.max(diff(args, &found, &compared.new)));
        }
        let (fixed, done) = match &args.add_allow {
            Some(reason) => {
                let fixes = allow::comments(&compared.new, reason, &found.analysis.sources);
                let fixes = fixes
                    .iter()
                    .filter(|fix| is_editable(fix, &found))
                    .collect();
                (write(fixes, &found, &mut stdin)?, "allowed")
            }
            None => {
                let fixes = applicable(args, &found, &compared.new);
                (write(fixes, &found, &mut stdin)?, "fixed")
            }
        };
        if fixed > 0 {
            complain_plainly(&format!("{fixed} {done}\n"));
        }
        let read = found.loaded.stdin.as_ref().map(|stdin| &stdin.bytes);
        let text = stdin.as_ref().or(read);
        if args.fix_only {
            return Ok(found.code.max(text.map_or(CLEAN, |text| print_bytes(text))));
        }
        if fixed > 0 {
            found = find_with(args, text.map(Vec::as_slice))?;
        }
    }
    let findings = std::mem::take(&mut found.findings);
    let compared = baseline::compare(args, &found.settings, findings, &found.analysis)?;
    report(args, found, Some(compared))
}

/// Reads, analyses, selects.
///
/// # Errors
/// One sentence.
pub fn find(args: &CheckArgs) -> Result<Found, String> {
    find_with(args, None)
}

/// The same, with a text in place of the standard input.
fn find_with(args: &CheckArgs, stdin: Option<&[u8]>) -> Result<Found, String> {
    // What is wrong with the flags is said before anything is read.
    let outputs = outputs(args)?;
    let shows_accesses = Format::named(&args.format) == Some(Format::Html)
        || outputs.iter().any(|(format, _)| *format == Format::Html);
    let compare = match &args.since {
        Some(reference) => Compare::Since(reference),
        None if args.staged => Compare::Staged,
        None => Compare::Nothing,
    };
    let Inputs {
        mut settings,
        loaded,
        code,
        base,
    } = inputs::read_with(&args.input, compare, stdin)?;
    if args.shard.is_some() && shows_accesses {
        return Err(
            "--shard: a page of `html` covers all files; print json or sarif, and join the parts with `cudalint merge`"
                .to_owned(),
        );
    }
    settings.options.shard = args.shard;
    settings.options.keeps = if shows_accesses || args.confirm.is_some() {
        Retain::Everything
    } else {
        Retain::Findings
    };
    let selection = selection(args, &settings)?;
    let progress = Progress::of(loaded.files.len());
    settings.options.control = Some(progress.control.clone());
    let mut analysis = super::analyse(&loaded.files, &settings.options);
    let is_stopped = progress.control.is_stopped();
    let code = if is_stopped {
        complain("stopped by a signal: the report says what was done");
        ERROR
    } else {
        code
    };
    drop(progress);
    let mut findings = select(&selection, &mut analysis);
    if let Some(base) = base {
        let select = |analysis: &mut Analysis| select(&selection, analysis);
        let compared = baseline::since(&base, &settings, &select, findings, &analysis);
        analysis.suppressed.extend(compared.accepted);
        findings = compared.new;
    }
    without_files_that_stay(&mut findings, &analysis, &loaded);
    let least = least(args, &settings);
    let all = findings.len();
    findings.retain(|finding| finding.level >= least);
    if let Some(Confirm::Nvrtc) = args.confirm {
        confirm(&mut findings, &analysis, &loaded, &settings)?;
        findings.retain(|finding| finding.level >= least);
    }
    Ok(Found {
        hidden: all - findings.len(),
        settings,
        loaded,
        analysis,
        findings,
        code,
        is_stopped,
    })
}

/// Asks NVRTC about each finding, and says what came of it.
///
/// # Errors
/// Where there is no NVRTC.
fn confirm(
    findings: &mut [Finding],
    analysis: &Analysis,
    loaded: &Loaded,
    settings: &Settings,
) -> Result<(), String> {
    let version = Compiler::find()?.version;
    let files: Vec<PathBuf> = loaded.files.iter().map(|file| file.path.clone()).collect();
    let opinions = confirm::ask(
        findings,
        &confirm::Question {
            accesses: &analysis.accesses,
            sources: &analysis.sources,
            files: &files,
            includes: &settings.options.includes,
            arch: settings.options.arch,
        },
    );
    let summary = confirm::summary(&opinions);
    complain_plainly(&format!("{summary} (version {version})\n"));
    Ok(())
}

fn least(args: &CheckArgs, settings: &Settings) -> Level {
    match args.level {
        Some(LevelChoice::Info) => Level::Info,
        Some(LevelChoice::Warn) => Level::Warn,
        Some(LevelChoice::Error) => Level::Error,
        None => settings.config.level.unwrap_or(Level::Warn),
    }
}

/// Prints and writes the reports; `compared` replaces the findings. Where the standard input is
/// edited, its text is printed and the report goes to the standard error.
///
/// # Errors
/// One sentence.
pub fn report(
    args: &CheckArgs,
    mut found: Found,
    compared: Option<Compared>,
) -> Result<u8, String> {
    if let Some(compared) = compared {
        found.findings = compared.new;
        let Analysis {
            suppressed,
            sources,
            ..
        } = &mut found.analysis;
        suppressed.extend(compared.accepted);
        suppressed.sort_by(|a, b| a.finding.compare(&b.finding, sources));
    }
    let outputs = outputs(args)?;
    let format = Format::named(&args.format).unwrap_or(Format::Full);
    let Found {
        analysis,
        findings,
        loaded,
        ..
    } = &found;
    let mut code = found.code;
    let edits = args.fix || args.add_allow.is_some();
    let edited = loaded.stdin.as_ref().filter(|_| edits);
    if let Some(stdin) = edited {
        code = code.max(print_bytes(&stdin.bytes));
    }
    if loaded.files.is_empty() && format.is_human() && outputs.is_empty() {
        return Ok(code);
    }
    let shown = listed(args, format, findings, analysis);
    let arch = found.settings.options.arch;
    let report = Report {
        shard: args.shard,
        ..report_of(analysis, &shown, found.hidden, arch)
    };
    let is_terminal = match edited {
        Some(_) => std::io::stderr().is_terminal(),
        None => std::io::stdout().is_terminal(),
    };
    let color = format == Format::Full && wants_color(args.color, is_terminal);
    let style = Style {
        color,
        links: color && is_terminal,
        verbose: args.verbose,
    };
    let mut text = format.render(&report, style);
    if format.is_human() && args.quiet {
        text = without_summary(&text, &report);
    }
    if args.statistics {
        text.push_str(&statistics(findings));
    }
    match edited {
        Some(_) => complain_plainly(&text),
        None => code = code.max(print(&text)),
    }
    for (format, path) in outputs {
        let shown = listed(args, format, findings, analysis);
        let text = format.render(
            &Report {
                shard: args.shard,
                ..report_of(analysis, &shown, found.hidden, arch)
            },
            Style {
                color: false,
                links: false,
                ..style
            },
        );
        if let Err(problem) = write_file(path, text.as_bytes()) {
            complain(&problem);
            code = ERROR;
        }
    }
    if format == Format::Github {
        step_summary(&report);
    }
    if args.input.timings {
        timings(analysis);
    }
    Ok(code.max(exit_code(args, &found.settings, findings)))
}

/// The findings as a format tells them: one for each cause, or one for each place; for people those
/// first that waste most.
fn listed(args: &CheckArgs, format: Format, all: &[Finding], analysis: &Analysis) -> Vec<Finding> {
    let mut findings = all.to_vec();
    // Causes may be common to several parts: `merge` puts them together.
    let is_merged_later = args.shard.is_some() && format.merges();
    if format.folds() && !is_merged_later {
        findings = report::causes::fold(findings, &analysis.sources);
    }
    let sort = args.sort.unwrap_or(if format == Format::Full {
        SortChoice::Waste
    } else {
        SortChoice::Place
    });
    if sort == SortChoice::Waste {
        let rank = |finding: &Finding| (finding.level, finding.weight);
        findings.sort_by_key(|finding| std::cmp::Reverse(rank(finding)));
    }
    findings
}

/// GitHub shows what stands in the file that this variable names on the page of the run.
fn step_summary(report: &report::Report) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return;
    };
    let text = report::step_summary::render(report);
    if let Err(error) = disk::append(Path::new(&path), text.as_bytes()) {
        let path = Path::new(&path).display();
        complain(&format!("cannot write the step summary {path} ({error})"));
    }
}

fn exit_code(args: &CheckArgs, settings: &Settings, findings: &[Finding]) -> u8 {
    let most = args
        .max_warnings
        .or(settings.config.max_warnings)
        .unwrap_or(0);
    let of = |level| {
        findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    };
    let fails = of(Level::Error) > 0 || of(Level::Warn) > most;
    if fails && !args.exit_zero {
        FINDINGS
    } else {
        CLEAN
    }
}

fn selection(args: &CheckArgs, settings: &Settings) -> Result<Selection, String> {
    // Flags replace the selection of the file and add to what it ignores.
    session::input::configured::selection(
        &settings.config,
        args.select.as_deref(),
        &args.extend_select,
        &args.ignore,
    )
}

/// Says what is wrong with the rules that a configuration names.
///
/// # Errors
/// One sentence.
pub fn rules_of(config: &Config) -> Result<(), String> {
    session::input::configured::selection(config, None, &[], &[]).map(|_| ())
}

fn select(selection: &Selection, analysis: &mut Analysis) -> Vec<Finding> {
    let findings = std::mem::take(&mut analysis.findings);
    selection.apply(findings, &analysis.sources)
}

fn outputs(args: &CheckArgs) -> Result<Vec<(Format, &Path)>, String> {
    let one = |text: &'_ String| -> Result<(Format, String), String> {
        let (name, file) = text.split_once('=').ok_or_else(|| {
            format!("--output {text}: expected FORMAT=FILE, as in sarif=report.sarif")
        })?;
        let format = Format::named(name).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
            format!(
                "--output {text}: no format is called `{name}`; there are {}",
                names.join(", ")
            )
        })?;
        Ok((format, file.to_owned()))
    };
    args.output
        .iter()
        .map(|text| {
            let (format, file) = one(text)?;
            let start = text.len() - file.len();
            Ok((format, Path::new(&text[start..])))
        })
        .collect()
}

pub(super) fn wants_color(choice: ColorChoice, is_terminal: bool) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if std::env::var_os("TERM").is_some_and(|term| term == "dumb") => false,
        ColorChoice::Auto if is_set("FORCE_COLOR") => true,
        ColorChoice::Auto => is_terminal,
    }
}

fn without_summary(text: &str, report: &report::Report) -> String {
    let summary = report::summary(report);
    text.strip_suffix(&summary).unwrap_or(text).to_owned()
}

fn statistics(findings: &[Finding]) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry((finding.code, finding.rule)).or_default() += 1;
    }
    counts
        .iter()
        .fold(String::new(), |mut text, ((code, rule), n)| {
            let _ = writeln!(text, "{n:6}  {code}  {rule}");
            text
        })
}

/// Fixes that may be applied, in the order of their findings.
fn applicable<'a>(args: &CheckArgs, found: &Found, findings: &'a [Finding]) -> Vec<&'a Fix> {
    let most = if args.unsafe_fixes {
        Safety::Unsafe
    } else {
        Safety::Safe
    };
    findings
        .iter()
        .filter_map(|finding| {
            finding
                .fixes
                .iter()
                .find(|fix| fix.safety <= most && is_editable(fix, found))
        })
        .collect()
}

/// Whether every file that a fix touches can be written as it was read.
fn is_editable(fix: &Fix, found: &Found) -> bool {
    fix.edits.iter().all(|edit| {
        let file = found.analysis.sources.get(edit.span.file);
        found.loaded.is_stdin(&file.path)
            || file.path.is_file() && kept_from(file, &found.loaded).is_none()
    })
}

/// Why a file stays as it is.
fn kept_from(file: &SourceFile, loaded: &Loaded) -> Option<&'static str> {
    let path = &file.path;
    if loaded.is_stdin(path) {
        return None;
    }
    // What is no text was read with this character in its place.
    let is_exact = || {
        let bytes = disk::bytes(path, file.text.len() as u64);
        bytes.is_ok_and(|bytes| bytes == file.text.as_bytes())
    };
    if loaded.lossy.contains(path) || file.text.contains('\u{fffd}') && !is_exact() {
        return Some("the file is not UTF-8");
    }
    (!loaded.is_named(path)).then_some("the file lies outside of the folders that were named")
}

/// Fixes of files that stay as they are become advice.
fn without_files_that_stay(findings: &mut [Finding], analysis: &Analysis, loaded: &Loaded) {
    let mut known: FxHashMap<FileId, Option<&'static str>> = FxHashMap::default();
    for fix in findings.iter_mut().flat_map(|finding| &mut finding.fixes) {
        let why = fix.edits.iter().find_map(|edit| {
            let file = edit.span.file;
            *known
                .entry(file)
                .or_insert_with(|| kept_from(analysis.sources.get(file), loaded))
        });
        if let Some(why) = why {
            fix.safety = Safety::Advice;
            fix.title.push_str(&format!(" (not applied: {why})"));
        }
    }
}

fn diff(args: &CheckArgs, found: &Found, findings: &[Finding]) -> u8 {
    let (changes, _) = apply::plan(applicable(args, found, findings).into_iter());
    let analysis = &found.analysis;
    let text: String = changes
        .iter()
        .map(|change| change.diff(&analysis.sources))
        .collect();
    let code = if changes.is_empty() || args.exit_zero {
        CLEAN
    } else {
        FINDINGS
    };
    // On a terminal a patch is read, elsewhere it is applied.
    if std::io::stdout().is_terminal() {
        code.max(print_shown(&text))
    } else {
        code.max(print_exact(&text))
    }
}

/// Writes the fixed files, that of the standard input to `stdin`; gives the number of fixes.
fn write(fixes: Vec<&Fix>, found: &Found, stdin: &mut Option<Vec<u8>>) -> Result<usize, String> {
    let (changes, applied) = apply::plan(fixes.into_iter());
    let sources = &found.analysis.sources;
    let mut texts: Vec<(PathBuf, &[u8], Vec<u8>)> = Vec::new();
    for change in &changes {
        let file = sources.get(change.file);
        let text = change.text(sources).into_bytes();
        if found.loaded.is_stdin(&file.path) {
            *stdin = Some(text);
        } else {
            // A link stays one; what it points at was looked at before.
            let path = std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
            // Of one file with two names the first is changed.
            if !texts.iter().any(|(known, ..)| *known == path) {
                texts.push((path, file.text.as_bytes(), text));
            }
        }
    }
    let all: Vec<Replacement> = texts
        .iter()
        .map(|(path, before, after)| Replacement {
            path,
            before,
            after,
        })
        .collect();
    disk::replace(&all)?;
    Ok(applied)
}

fn emit(stage: Stage, args: &CheckArgs, loaded: &Loaded, settings: &Settings) -> u8 {
    let options = session::Options {
        fixes: false,
        ..settings.options.clone()
    };
    let analysis = match stage {
        Stage::Expanded | Stage::Ir => session::read(&loaded.files, &options),
        Stage::Accesses => super::analyse(&loaded.files, &options),
    };
    let text = match stage {
        Stage::Expanded => {
            let mut text = String::new();
            for unit in &analysis.units {
                let _ = writeln!(
                    text,
                    "// {}",
                    analysis.sources.get(unit.file).path.display()
                );
                text.push_str(&unit.expanded.text);
            }
            text
        }
        Stage::Ir => analysis
            .program
            .kernels
            .iter()
            .map(crate::ir::dump::dump)
            .collect(),
        Stage::Accesses => {
            report::accesses::render_lines(&report_of(&analysis, &[], 0, options.arch))
        }
    };
    if args.input.timings {
        timings(&analysis);
    }
    print_exact(&text)
}
