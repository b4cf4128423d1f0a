//! `cudalint check`: findings, reports, fixes.

use super::args::{CheckArgs, ColorChoice, LevelChoice, Stage};
use super::settings::{self, Settings};
use super::{
    CLEAN, ERROR, FINDINGS, complain, complain_plainly, loaded, print, report_of, timings,
};
use crate::finding::{Finding, Fix, Level, Safety};
use crate::fix::apply;
use crate::report::{self, Format, Style};
use crate::rules::select::Selection;
use crate::session::{self, Analysis, load::Loaded};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;

pub fn run(args: &CheckArgs) -> Result<u8, String> {
    let mut settings = settings::resolve(&args.input)?;
    let selection = selection(args, &settings)?;
    let outputs = outputs(args)?;
    let (loaded, code) = loaded(&args.input);
    settings.options.headers.clone_from(&loaded.headers);
    if let Some(stage) = args.emit {
        return Ok(code.max(emit(stage, args, &loaded, &settings)));
    }
    let format = Format::named(&args.format).unwrap_or(Format::Full);
    if loaded.files.is_empty() && format.is_human() && outputs.is_empty() {
        return Ok(code);
    }

    let mut analysis = session::analyse(&loaded.files, &settings.options);
    let mut findings = select(&selection, &mut analysis);
    if args.diff {
        return Ok(code.max(diff(args, &loaded, &analysis, &findings)));
    }
    if args.fix {
        let fixed = fix(args, &loaded, &analysis, &findings)?;
        if fixed > 0 {
            complain_plainly(&format!("{fixed} fixed\n"));
            let again = super::load::load(&args.input.paths, args.input.stdin_filename.as_deref());
            analysis = session::analyse(&again.files, &settings.options);
            findings = select(&selection, &mut analysis);
        }
    }

    let least = match args.level {
        LevelChoice::Info => Level::Info,
        LevelChoice::Warn => Level::Warn,
        LevelChoice::Error => Level::Error,
    };
    let all = findings.len();
    findings.retain(|finding| finding.level >= least);
    let report = report_of(&analysis, &findings, all - findings.len());

    let style = Style {
        color: format == Format::Full && wants_color(args.color),
        verbose: args.verbose,
    };
    let mut text = format.render(&report, style);
    if format.is_human() && args.quiet {
        text = without_summary(&text, &report);
    }
    if args.statistics {
        text.push_str(&statistics(&findings));
    }
    let mut code = code.max(print(&text));
    for (format, path) in outputs {
        let text = format.render(
            &report,
            Style {
                color: false,
                ..style
            },
        );
        if let Err(error) = std::fs::write(path, text) {
            complain(&format!("cannot write {} ({error})", path.display()));
            code = ERROR;
        }
    }
    if args.input.timings {
        timings(&analysis);
    }
    Ok(code.max(exit_code(args, &findings)))
}

fn exit_code(args: &CheckArgs, findings: &[Finding]) -> u8 {
    let of = |level| {
        findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    };
    let fails = of(Level::Error) > 0 || of(Level::Warn) > args.max_warnings;
    if fails && !args.exit_zero {
        FINDINGS
    } else {
        CLEAN
    }
}

fn selection(args: &CheckArgs, settings: &Settings) -> Result<Selection, String> {
    let config = &settings.config;
    // Flags replace the selection of the file and add to what it ignores.
    let select = args.select.as_deref().or(config.select.as_deref());
    let extend: Vec<String> = config
        .extend_select
        .iter()
        .chain(&args.extend_select)
        .cloned()
        .collect();
    let ignore: Vec<String> = config.ignore.iter().chain(&args.ignore).cloned().collect();
    let mut selection = Selection::new(select, &extend, &ignore)?;
    for (rule, level) in &config.levels {
        selection.level(rule, *level)?;
    }
    // The empty path is this folder.
    let folder = std::path::absolute(Path::new(".").join(&config.folder))
        .unwrap_or_else(|_| config.folder.clone());
    for (pattern, rules) in &config.per_file_ignores {
        selection.silence(&folder, pattern, rules)?;
    }
    Ok(selection)
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

fn wants_color(choice: ColorChoice) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if is_set("FORCE_COLOR") => true,
        ColorChoice::Auto => std::io::stdout().is_terminal(),
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
fn applicable<'a>(
    args: &CheckArgs,
    loaded: &Loaded,
    analysis: &Analysis,
    findings: &'a [Finding],
) -> Vec<&'a Fix> {
    let most = if args.unsafe_fixes {
        Safety::Unsafe
    } else {
        Safety::Safe
    };
    let is_editable = |fix: &Fix| {
        fix.edits.iter().all(|edit| {
            let path = &analysis.sources.get(edit.span.file).path;
            path.is_file() && !loaded.lossy.contains(path)
        })
    };
    findings
        .iter()
        .filter_map(|finding| {
            finding
                .fixes
                .iter()
                .find(|fix| fix.safety <= most && is_editable(fix))
        })
        .collect()
}

fn diff(args: &CheckArgs, loaded: &Loaded, analysis: &Analysis, findings: &[Finding]) -> u8 {
    let (changes, _) = apply::plan(applicable(args, loaded, analysis, findings).into_iter());
    let text: String = changes
        .iter()
        .map(|change| change.diff(&analysis.sources))
        .collect();
    let code = if changes.is_empty() || args.exit_zero {
        CLEAN
    } else {
        FINDINGS
    };
    code.max(print(&text))
}

/// Writes the fixed files; gives the number of fixes.
fn fix(
    args: &CheckArgs,
    loaded: &Loaded,
    analysis: &Analysis,
    findings: &[Finding],
) -> Result<usize, String> {
    let (changes, applied) = apply::plan(applicable(args, loaded, analysis, findings).into_iter());
    for change in &changes {
        let file = analysis.sources.get(change.file);
        let on_disk = std::fs::read(&file.path).ok();
        if on_disk.as_deref() != Some(file.text.as_bytes()) {
            return Err(format!(
                "{}: changed while it was analysed; run again",
                file.path.display()
            ));
        }
        std::fs::write(&file.path, change.text(&analysis.sources))
            .map_err(|error| format!("{}: cannot be written ({error})", file.path.display()))?;
    }
    Ok(applied)
}

fn emit(stage: Stage, args: &CheckArgs, loaded: &Loaded, settings: &Settings) -> u8 {
    let options = session::Options {
        fixes: false,
        ..settings.options.clone()
    };
    let analysis = match stage {
        Stage::Expanded | Stage::Ir => session::read(&loaded.files, &options),
        Stage::Accesses => session::analyse(&loaded.files, &options),
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
        Stage::Accesses => report::accesses::render_lines(&report_of(&analysis, &[], 0)),
    };
    if args.input.timings {
        timings(&analysis);
    }
    print(&text)
}
