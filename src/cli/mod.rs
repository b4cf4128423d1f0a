//! Commands: from arguments to text on the terminal and an exit code.
//!
//! The only part that writes to the standard output, reads configuration files
//! and decides exit codes: 0 clean, 1 findings, 2 usage or input error.

mod args;
mod check;
mod nvcc;
mod settings;
mod validate;

use crate::gpu::Arch;
use crate::gpu::requests;
use crate::prove::{claim, smt::Answer};
use crate::report::{self, Format, Report};
use crate::rules;
use crate::session::{self, Analysis, load};
use args::{
    AccessesArgs, COMMANDS, Cli, Command, CostArgs, JsonChoice, RulesArgs, StatsArgs, TableChoice,
};
use clap::Parser as _;
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

const CLEAN: u8 = 0;
const FINDINGS: u8 = 1;
const ERROR: u8 = 2;

/// Runs the command line; the first argument is the program's own name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(run(arguments))
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(prepare(arguments)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Accesses(args) => accesses(&args),
        Command::Cost(args) => cost(&args),
        Command::Explain(args) => explain(&args.rule),
        Command::Rules(args) => rule_table(&args),
        Command::Stats(args) => stats(&args),
        Command::Validate(args) => validate::run(args),
        Command::Compare(args) => validate::reconcile(&args),
    };
    match result {
        Ok(code) => code,
        Err(problem) => {
            complain(&problem);
            ERROR
        }
    }
}

/// Arguments with `check` put in where no command is named, and without a compiler's flags.
fn prepare(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = arguments.into_iter().collect();
    let program = if all.is_empty() {
        OsString::from("cudalint")
    } else {
        all.remove(0)
    };
    let Some(first) = all
        .first()
        .map(|first| first.to_string_lossy().into_owned())
    else {
        return vec![program];
    };
    let is_global = ["-h", "--help", "-V", "--version"].contains(&first.as_str());
    let is_command = COMMANDS.contains(&first.as_str());
    let mut prepared = vec![program];
    if !is_command && !is_global {
        prepared.push("check".into());
    }
    // Arguments that are no Unicode can only be paths. `validate` takes no compile command.
    if !is_global && first != "validate" && all.iter().all(|argument| argument.to_str().is_some()) {
        let text = all
            .into_iter()
            .filter_map(|argument| argument.into_string().ok())
            .collect();
        prepared.extend(nvcc::translate(text).into_iter().map(OsString::from));
    } else {
        prepared.extend(all);
    }
    prepared
}

/// Help and version are printed; a wrong command line is one sentence.
fn usage(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        return print(&error.to_string());
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        complain_plainly(&error.to_string());
        return ERROR;
    }
    let word = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        Some(ContextValue::Strings(words)) => Some(words.join(", ")),
        _ => None,
    };
    let sentence = match (error.kind(), word(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(flag)) => match word(ContextKind::SuggestedArg) {
            Some(near) => format!("unknown flag `{flag}`; did you mean `{near}`?"),
            None => format!("unknown flag `{flag}`; `cudalint check --help` lists the flags"),
        },
        (ErrorKind::MissingRequiredArgument, Some(missing)) => {
            format!("{missing} is missing; `cudalint --help` shows how to call this")
        }
        _ => {
            let text = error.to_string();
            let first: Vec<&str> = text
                .lines()
                .map(str::trim)
                .take_while(|line| !line.is_empty())
                .collect();
            first.join(" ").trim_start_matches("error: ").to_owned()
        }
    };
    complain(&sentence);
    ERROR
}

/// One sentence on the standard error.
fn complain(sentence: &str) {
    complain_plainly(&format!("cudalint: {sentence}\n"));
}

fn complain_plainly(text: &str) {
    // Nobody is left to tell where even this fails.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Text on the standard output; a reader that has gone away ends the run quietly.
fn print(text: &str) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write to the standard output ({error})"));
            ERROR
        }
        _ => CLEAN,
    }
}

fn format_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Format::ALL.iter().map(|(name, _)| *name))
}

/// Reads the inputs and says on the standard error what is wrong with them; gives the exit code that calls for.
fn loaded(input: &args::InputArgs) -> (load::Loaded, u8) {
    let loaded = load::load(&input.paths, input.stdin_filename.as_deref());
    for remark in &loaded.remarks {
        complain_plainly(&format!("note: {remark}\n"));
    }
    for problem in &loaded.problems {
        complain(&problem.to_string());
    }
    let code = if loaded.problems.is_empty() {
        CLEAN
    } else {
        ERROR
    };
    (loaded, code)
}

fn report_of<'a>(
    analysis: &'a Analysis,
    findings: &'a [crate::finding::Finding],
    hidden: usize,
) -> Report<'a> {
    Report {
        sources: &analysis.sources,
        findings,
        hidden,
        accesses: &analysis.accesses,
        not_analysed: &analysis.not_analysed,
        notes: &analysis.notes,
        files: analysis.units.len(),
    }
}

fn timings(analysis: &Analysis) {
    let total: f64 = analysis
        .timings
        .stages
        .iter()
        .map(|(_, time)| time.as_secs_f64())
        .sum();
    for (stage, time) in &analysis.timings.stages {
        complain_plainly(&format!("{stage:12} {:8.3} s\n", time.as_secs_f64()));
    }
    complain_plainly(&format!("{:12} {total:8.3} s\n", "all"));
}

fn accesses(args: &AccessesArgs) -> Result<u8, String> {
    let settings = settings::resolve(&args.input)?;
    let (loaded, code) = loaded(&args.input);
    let options = session::Options {
        fixes: false,
        headers: loaded.headers.clone(),
        ..settings.options
    };
    let analysis = session::analyse(&loaded.files, &options);
    if let Some(folder) = &args.certificates {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {} ({error})", folder.display()))?;
        for proved in &analysis.proofs.obligations {
            let name = claim::hexadecimal(&proved.hash);
            let path = folder.join(format!("{name}.smt2"));
            let expected = match proved.answer {
                Answer::Proved => "unsat",
                Answer::Refuted => "sat",
                Answer::Unknown => "unknown",
            };
            let text = format!(
                "{}(set-info :status {expected})\n(check-sat)\n",
                proved.claim.text()
            );
            std::fs::write(&path, text)
                .map_err(|error| format!("cannot write {} ({error})", path.display()))?;
        }
    }
    let report = report_of(&analysis, &[], 0);
    let gaps: Vec<_> = analysis
        .program
        .kernels
        .iter()
        .flat_map(|kernel| kernel.gaps.iter().cloned())
        .collect();
    let text = match args.format {
        JsonChoice::Json => report::accesses::render(&report, &gaps),
        JsonChoice::Jsonl => report::accesses::render_lines(&report),
    };
    if args.input.timings {
        timings(&analysis);
    }
    Ok(code.max(print(&text)))
}

fn stats(args: &StatsArgs) -> Result<u8, String> {
    let settings = settings::resolve(&args.input)?;
    let (loaded, code) = loaded(&args.input);
    let options = session::Options {
        fixes: false,
        headers: loaded.headers.clone(),
        ..settings.options
    };
    let analysis = session::analyse(&loaded.files, &options);
    let text = report::stats::render(report::stats::Input {
        files: loaded.files.len(),
        program: &analysis.program,
        accesses: &analysis.accesses,
        not_analysed: &analysis.not_analysed,
        stages: &analysis.timings.stages,
    });
    if args.input.timings {
        timings(&analysis);
    }
    Ok(code.max(print(&text)))
}

fn cost(args: &CostArgs) -> Result<u8, String> {
    let arch = Arch::parse(&args.arch)?;
    let text = std::fs::read(&args.file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("{}: no such file", args.file.display()),
        _ => format!("{}: cannot be read ({error})", args.file.display()),
    })?;
    let report = requests::run(text, arch);
    Ok(report.exit_code().max(print(&report.render())))
}

fn explain(name: &str) -> Result<u8, String> {
    let rule = rules::find(name).ok_or_else(|| rules::select::unknown(name))?;
    Ok(print(rule.body))
}

fn rule_table(args: &RulesArgs) -> Result<u8, String> {
    let text = match args.format {
        TableChoice::Json => report::rules::render(),
        TableChoice::Text => rules::all()
            .iter()
            .map(|rule| format!("{}  {:20}  {}\n", rule.code, rule.name, rule.summary))
            .collect(),
    };
    Ok(print(&text))
}
