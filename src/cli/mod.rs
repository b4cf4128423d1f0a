//! Commands: from arguments to text on the terminal and an exit code.
//!
//! The only part that writes to the standard output, reads configuration files
//! and decides exit codes: 0 clean, 1 findings, 2 usage or input error.

mod allow;
mod args;
mod baseline;
mod check;
mod compile;
mod config;
mod explain;
mod inputs;
mod judge;
mod measure;
mod merge;
mod progress;
mod settings;
mod validate;
mod watch;

use crate::disk::{self, MOST_DATABASE, MOST_SETTINGS, Refusal, bounds};
use crate::gpu::Arch;
use crate::gpu::cost_csv;
use crate::lsp;
use crate::prove::claim;
use crate::prove::smt::Answer;
use crate::report::not_followed::gaps_in;
use crate::report::{self, Format, Report, visible};
use crate::rules;
use crate::session::input::nvcc;
use crate::session::{self, Analysis};
use crate::source::SourceFile;
use args::{
    AccessesArgs, AccessesChoice, COMMANDS, Cli, Command, CompileArgs, CostArgs, LaunchesArgs,
    MeasureArgs, RulesArgs, StatsArgs, TableChoice,
};
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};
use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Once};

const CLEAN: u8 = 0;
const FINDINGS: u8 = 1;
const ERROR: u8 = 2;

/// Runs the command line; the first argument is the program's own name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(run(arguments))
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let read = compile::as_called(arguments.into_iter().collect()).and_then(|mut arguments| {
        let program = others(&mut arguments);
        Ok((from_files(arguments)?, program))
    });
    let (arguments, program) = match read {
        Ok(read) => read,
        Err(problem) => {
            complain(&problem);
            return ERROR;
        }
    };
    if asks_for_versions(&arguments) {
        return print(&versions());
    }
    let prepared = match prepare(arguments) {
        Ok(prepared) => prepared,
        Err(problem) => {
            complain(&problem);
            return ERROR;
        }
    };
    let cli = match Cli::try_parse_from(prepared) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Accesses(args) => accesses(&args),
        Command::Launches(args) => launches(&args),
        Command::Cost(args) => cost(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Rules(args) => rule_table(&args),
        Command::Stats(args) => stats(&args),
        Command::Baseline(args) => baseline::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Completions(args) => Ok(completions(args.shell)),
        Command::Man => Ok(manual()),
        Command::Lsp(_) => Ok(language_server()),
        Command::Validate(args) => validate::run(args),
        Command::Merge(args) => merge::run(&args),
        Command::Compile(args) => compile::run(&CompileArgs {
            command: args.command.into_iter().chain(program).collect(),
            ..args
        }),
        Command::Measure(args) => measure::run(MeasureArgs { program, ..args }),
        Command::Compare(args) => measure::compare(&args),
        Command::Judge(args) => judge::run(args),
    };
    match result {
        Ok(code) => code,
        Err(problem) => {
            complain(&problem);
            ERROR
        }
    }
}

/// Takes off what is another program's: behind `--` of `measure`, and the compiler's arguments of
/// `compile`. They are not read, and files that they name stay their own.
fn others(arguments: &mut Vec<OsString>) -> Vec<OsString> {
    let command = arguments.get(1).and_then(|word| word.to_str());
    let mut words = arguments.iter();
    let at = match command {
        Some("measure") => words.position(|word| word == "--"),
        Some("compile") => compile::compiler_at(arguments),
        _ => None,
    };
    let Some(at) = at else { return Vec::new() };
    let mut rest = arguments.split_off(at);
    if rest.first().is_some_and(|word| word == "--") {
        rest.remove(0);
    }
    rest
}

/// Puts the arguments that stand in a file where `@FILE` stands.
fn from_files(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let mut all = Vec::new();
    for argument in arguments {
        let name = argument.to_str().and_then(|text| text.strip_prefix('@'));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            all.push(argument);
            continue;
        };
        let text = disk::text(Path::new(name), MOST_SETTINGS)
            .map_err(|why| format!("@{name}: the arguments cannot be read ({why})"))?;
        let words = shlex::split(&text)
            .ok_or_else(|| format!("@{name}: a quote is not closed; close it"))?;
        all.extend(words.into_iter().map(OsString::from));
    }
    Ok(all)
}

/// `--version --verbose`, in any order and spelling.
fn asks_for_versions(arguments: &[OsString]) -> bool {
    let is = |names: [&'static str; 2]| {
        move |argument: &OsString| names.iter().any(|name| argument.as_os_str() == *name)
    };
    let mut given = arguments.iter().skip(1);
    arguments.len() == 3
        && given.clone().any(is(["--version", "-V"]))
        && given.any(is(["--verbose", "-v"]))
}

fn versions() -> String {
    let solver = if cfg!(feature = "vendored-z3") {
        "linked statically"
    } else {
        "shared library"
    };
    format!(
        "cudalint {}\nsolver: Z3 {} ({solver})\ngrammar: {}\ndefault architecture: {}\n\
         schemas: {}, {}, {}\n",
        env!("CARGO_PKG_VERSION"),
        crate::prove::solver_version(),
        crate::syntax::parse::grammar_version(),
        Arch::DEFAULT,
        report::json::SCHEMA,
        report::accesses::SCHEMA,
        crate::contract::baseline::SCHEMA,
    )
}

/// Arguments with `check` put in where no command is named, and without a compiler's flags.
///
/// # Errors
/// One sentence about a file of options.
fn prepare(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let mut all = arguments;
    let program = if all.is_empty() {
        OsString::from("cudalint")
    } else {
        all.remove(0)
    };
    let Some(first) = all
        .first()
        .map(|first| first.to_string_lossy().into_owned())
    else {
        return Ok(vec![program]);
    };
    let is_global = ["-h", "--help", "-V", "--version"].contains(&first.as_str());
    let is_command = COMMANDS.contains(&first.as_str());
    if !is_command
        && !is_global
        && first.chars().all(char::is_alphabetic)
        && !Path::new(&first).exists()
        && let Some(near) = crate::config::nearest(&first, &COMMANDS)
    {
        return Err(format!(
            "`{first}` is neither a command nor a file; did you mean `{near}`?"
        ));
    }
    let mut prepared = vec![program];
    if !is_command && !is_global {
        prepared.push("check".into());
    }
    // Arguments that are no Unicode can only be paths. These commands take no compile command.
    let reads_flags = !["validate", "compile", "merge"].contains(&first.as_str());
    if !is_global && reads_flags && all.iter().all(|argument| argument.to_str().is_some()) {
        let text = all
            .into_iter()
            .filter_map(|argument| argument.into_string().ok())
            .collect();
        let mut left = MOST_SETTINGS;
        let text = nvcc::with_option_files(text, Path::new(""), &|_| true, &mut left)?;
        prepared.extend(nvcc::translate(text).into_iter().map(OsString::from));
    } else {
        prepared.extend(all);
    }
    Ok(prepared)
}

/// The command that a wrong command line calls, as its usage names it: `Usage: cudalint explain …`.
fn command_of(error: &clap::Error) -> Option<String> {
    let usage = match error.get(ContextKind::Usage)? {
        ContextValue::StyledStr(usage) => usage.to_string(),
        _ => return None,
    };
    let command = usage.split_whitespace().nth(2)?;
    let is_word = command.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    (is_word && !command.starts_with('-')).then(|| command.to_owned())
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
            None => format!(
                "unknown flag `{flag}`; `cudalint {} --help` lists the flags",
                command_of(error).as_deref().unwrap_or("check")
            ),
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
    complain_plainly(&format!("cudalint: {}\n", visible::line(sentence)));
}

/// One sentence on the standard error that is no complaint.
fn remark(sentence: &str) {
    complain_plainly(&format!("note: {}\n", visible::line(sentence)));
}

fn complain_plainly(text: &str) {
    // Nobody is left to tell where even this fails.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Text for people that quotes sources, on the standard output.
fn print_shown(text: &str) -> u8 {
    print(&visible::text(text))
}

/// Text that quotes sources exactly, for programs. A log of GitHub's takes lines of it for commands, so it
/// is told to take none in between; `git apply` and `patch` pass over such lines around a patch.
fn print_exact(text: &str) -> u8 {
    let is_on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    if !is_on_github || text.is_empty() {
        return print(text);
    }
    // Nobody who wrote the text knows the word that ends the silence.
    let word = RandomState::new().hash_one(std::process::id());
    let end = if text.ends_with('\n') { "" } else { "\n" };
    print(&format!(
        "::stop-commands::cudalint-{word:016x}\n{text}{end}::cudalint-{word:016x}::\n"
    ))
}

/// Text on the standard output; a reader that has gone away ends the run quietly.
fn print(text: &str) -> u8 {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write to the standard output ({error})"));
            ERROR
        }
        _ => CLEAN,
    }
}

/// Refuses to write where a link of a project leads out of it.
///
/// # Errors
/// One sentence.
fn stays_inside(path: &Path) -> Result<(), String> {
    match bounds::leads_out(path) {
        None => Ok(()),
        Some(real) => Err(format!(
            "{}: leads out of the project to {}; nothing is written there (name that path itself if you mean it)",
            path.display(),
            real.display()
        )),
    }
}

/// Puts a text in the place of a file.
///
/// # Errors
/// One sentence.
fn write_file(path: &Path, text: &[u8]) -> Result<(), String> {
    stays_inside(path)?;
    disk::put(path, text).map_err(|error| format!("cannot write {} ({error})", path.display()))
}

/// One analysis; a cache that cannot be written is told once, and so is what was not read.
fn analyse(files: &[Arc<SourceFile>], options: &session::Options) -> Analysis {
    static TOLD: Once = Once::new();
    static NOTED: Once = Once::new();
    let analysis = session::analyse(files, options);
    if let Some(problem) = &analysis.cache_problem {
        TOLD.call_once(|| complain(problem));
    }
    if analysis.notes.iter().any(|note| note.is_told) {
        NOTED.call_once(|| note(&analysis));
    }
    analysis
}

/// The first of the notes that are told without being asked for, and how many there are.
fn note(analysis: &Analysis) {
    let mut told = analysis.notes.iter().filter(|note| note.is_told);
    let Some(first) = told.next() else { return };
    let place = first.span.map(|span| {
        let file = analysis.sources.get(span.file);
        format!("{}:{}: ", file.path.display(), file.line(span.start))
    });
    let more = match told.count() {
        0 => String::new(),
        n => format!(" ({n} more such; -v lists them)"),
    };
    let sentence = format!("{}{}{more}", place.unwrap_or_default(), first.message);
    remark(&sentence);
}

fn format_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Format::ALL.iter().map(|(name, _)| *name))
}

fn report_of<'a>(
    analysis: &'a Analysis,
    findings: &'a [crate::finding::Finding],
    hidden: usize,
    arch: Arch,
) -> Report<'a> {
    Report {
        findings,
        hidden,
        ..analysis.report(arch)
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
    for (rule, time) in &analysis.timings.rules {
        let (time, name) = (time.as_secs_f64(), rule.name);
        complain_plainly(&format!("{time:8.3} s in {} {name}\n", rule.code));
    }
    let proofs = &analysis.proofs;
    complain_plainly(&format!(
        "{} ways to an access, {} distinct problems, {} obligations\n",
        proofs.visits, proofs.problems, proofs.claims
    ));
    for slow in &proofs.slowest {
        let file = analysis.sources.get(slow.access.file);
        let line = file.line(slow.access.start);
        complain_plainly(&format!(
            "{:8.3} s in the proof of {}:{line}\n",
            slow.time.as_secs_f64(),
            visible::path(&file.path)
        ));
    }
}

fn accesses(args: &AccessesArgs) -> Result<u8, String> {
    let inputs::Inputs {
        settings,
        loaded,
        code,
        ..
    } = inputs::read(&args.input, inputs::Compare::Nothing)?;
    let options = session::Options {
        judges: false,
        fixes: false,
        keep_claims: args.certificates.is_some(),
        keeps: session::Retain::Accesses,
        ..settings.options
    };
    let analysis = analyse(&loaded.files, &options);
    if let Some(folder) = &args.certificates {
        stays_inside(folder)?;
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
            disk::put_beside(&path, &[text.as_bytes()])
                .map_err(|error| format!("cannot write {} ({error})", path.display()))?;
        }
    }
    let report = report_of(&analysis, &[], 0, options.arch);
    let gaps = gaps_in(&analysis.program.kernels, &analysis.sources);
    let text = match args.format {
        AccessesChoice::Json => report::accesses::render(&report, &gaps),
        AccessesChoice::Jsonl => report::accesses::render_lines(&report),
        AccessesChoice::Text => report::accesses::render_table(&report),
    };
    if args.input.timings {
        timings(&analysis);
    }
    Ok(code.max(match args.format {
        AccessesChoice::Text => print_shown(&text),
        _ => print(&text),
    }))
}

fn stats(args: &StatsArgs) -> Result<u8, String> {
    let inputs::Inputs {
        settings,
        loaded,
        code,
        ..
    } = inputs::read(&args.input, inputs::Compare::Nothing)?;
    let options = session::Options {
        judges: false,
        fixes: false,
        keeps: session::Retain::Accesses,
        ..settings.options
    };
    let analysis = analyse(&loaded.files, &options);
    let text = report::stats::render(report::stats::Input {
        files: loaded.files.len(),
        program: &analysis.program,
        sources: &analysis.sources,
        accesses: &analysis.accesses,
        not_analysed: &analysis.not_analysed,
        stages: &analysis.timings.stages,
    });
    if args.input.timings {
        timings(&analysis);
    }
    Ok(code.max(print_shown(&text)))
}

fn launches(args: &LaunchesArgs) -> Result<u8, String> {
    let inputs::Inputs {
        settings,
        loaded,
        code,
        ..
    } = inputs::read(&args.input, inputs::Compare::Nothing)?;
    let analysis = session::launches(&loaded.files, &settings.options);
    let most_bytes = settings.options.limits.file_bytes;
    let unread = |names: &[&str]| {
        session::input::unread_files::first_mentions(names, &loaded.unread, most_bytes)
    };
    let list = report::launches::Launches::of(&analysis.program, &analysis.sources, &unread);
    let text = match args.format {
        TableChoice::Json => list.json(),
        TableChoice::Text => list.text(),
    };
    if args.input.timings {
        timings(&analysis);
    }
    Ok(code.max(print(&text)))
}

fn completions(shell: clap_complete::Shell) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cudalint", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// One page: the commands, then each with its flags.
fn manual() -> u8 {
    let mut command = Cli::command().name("cudalint");
    command.build();
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(command.clone()).render(&mut text);
    for sub in command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
    {
        let page = clap_mangen::Man::new(sub.clone());
        let name = sub.get_name().to_uppercase();
        let _ = writeln!(text, ".SH \"CUDALINT {name}\"");
        let _ = page.render_description_section(&mut text);
        let _ = page.render_options_section(&mut text);
    }
    // Formatters of manual pages expect ASCII.
    let mut text = String::from_utf8_lossy(&text).replace('…', "...");
    // There is no page of its own for a command.
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        text = text.replace(
            &format!("cudalint\\-{name}(1)"),
            &format!("cudalint {name}"),
        );
    }
    print(&text)
}

fn cost(args: &CostArgs) -> Result<u8, String> {
    let arch = Arch::parse(&args.arch)?;
    let text = disk::bytes(&args.file, MOST_DATABASE).map_err(|why| match why {
        Refusal::NotFound => format!("{}: no such file", args.file.display()),
        why => format!("{}: {why}", args.file.display()),
    })?;
    let report = cost_csv::run(text, arch);
    Ok(report.exit_code().max(print_shown(&report.render())))
}

/// Whoever does not say goodbye is not told that all went well.
fn language_server() -> u8 {
    match lsp::serve(io::stdin(), io::stdout()) {
        lsp::End::Orderly => CLEAN,
        lsp::End::Abrupt => FINDINGS,
    }
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
