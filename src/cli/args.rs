//! The command line, as clap reads it.

mod measuring;

pub use measuring::{
    CompareArgs, FixtureArgs, JudgeArgs, MeasureArgs, MeasuringArgs, MethodChoice, ValidateArgs,
    ValidateStep,
};

use crate::report::merge::Shard;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;

/// Proves how many wavefronts or sectors each memory access of CUDA code costs.
#[derive(Debug, Parser)]
#[command(
    name = "cudalint",
    version,
    arg_required_else_help = true,
    override_usage = "cudalint [OPTIONS] <FILE|FOLDER>...\n       cudalint <COMMAND>",
    after_help = "`cudalint FILE…` is the same as `cudalint check FILE…`. nvcc's flags are accepted.\n\
                  Exit code: 0 clean, 1 findings at warning or error level, 2 usage or input error."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report findings (the default command)
    Check(Box<CheckArgs>),
    /// List every access with its verdict as JSON
    Accesses(AccessesArgs),
    /// List every kernel launch with what is known of its shape and arguments
    Launches(LaunchesArgs),
    /// Predict the cost of single requests listed in a CSV file
    Cost(CostArgs),
    /// Print the page of a rule, or explain the accesses on a line
    Explain(ExplainArgs),
    /// List the rules
    Rules(RulesArgs),
    /// Record today's findings, so that only new ones are reported
    Baseline(Box<BaselineArgs>),
    /// Show or check the configuration, or print its JSON Schema
    Config(ConfigArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man,
    /// Count answers, reasons, launches and time over whole folders
    Stats(StatsArgs),
    /// Serve an editor by the language server protocol, over standard input and output
    Lsp(LspArgs),
    /// Compare predictions for fixture kernels with what a GPU's counters say
    Validate(ValidateArgs),
    /// Put the reports of parts of a run together (`check --shard`)
    Merge(MergeArgs),
    /// Run a compile command and check its CUDA sources with its flags
    Compile(CompileArgs),
    /// Run a program under Nsight Compute and print what it counts beside what is predicted
    Measure(MeasureArgs),
    /// Compare predictions with a source page exported from Nsight Compute
    Compare(CompareArgs),
    /// Hold verdicts against what kernels do, compiled by the machine's C++ compiler
    #[command(hide = true)]
    Judge(JudgeArgs),
}

/// Names that may stand first; anything else is meant for `check`.
pub const COMMANDS: [&str; 19] = [
    "check",
    "accesses",
    "baseline",
    "completions",
    "config",
    "cost",
    "explain",
    "launches",
    "lsp",
    "man",
    "rules",
    "stats",
    "validate",
    "merge",
    "compile",
    "measure",
    "compare",
    "judge",
    "help",
];

/// What every analysing command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Files, folders with .cu and .cuh files, patterns such as 'src/**/*.cu', `-` for the standard
    /// input, or `@FILE` for arguments that stand in a file
    #[arg(value_name = "FILE|FOLDER")]
    pub paths: Vec<PathBuf>,
    /// Take files and flags from compile_commands.json, or from the one in this folder
    #[arg(short = 'p', long = "compile-commands", value_name = "FILE|FOLDER")]
    pub compile_commands: Option<PathBuf>,
    /// Also read CUDA in the strings of Python and C++ files
    #[arg(long)]
    pub cuda_in_strings: bool,
    /// Architecture to analyse for, such as sm_90
    #[arg(long)]
    pub arch: Option<String>,
    /// Define a macro, as for a compiler
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub undefines: Vec<String>,
    /// Look for included files here
    #[arg(short = 'I', value_name = "FOLDER")]
    pub includes: Vec<PathBuf>,
    /// Read this file before each main file (`-include` works too)
    #[arg(long = "include", value_name = "FILE")]
    pub forced_includes: Vec<PathBuf>,
    /// Threads to use; all cores by default
    #[arg(
        short = 'j',
        long = "jobs",
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub jobs: usize,
    /// Configuration file, or `key=value` to set one key
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    pub config: Vec<String>,
    /// Set a limit of `[limits]`, such as steps=100000
    #[arg(long = "limit", value_name = "KEY=N")]
    pub limits: Vec<String>,
    /// Ignore configuration files
    #[arg(long)]
    pub isolated: bool,
    /// Name of the standard input in reports
    #[arg(long, value_name = "FILE")]
    pub stdin_filename: Option<PathBuf>,
    /// Neither read nor write proofs of earlier runs (those of --shared-cache are read)
    #[arg(long)]
    pub no_cache: bool,
    /// Folder for proofs of earlier runs; CUDALINT_CACHE_DIR sets it too
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_cache")]
    pub cache_dir: Option<PathBuf>,
    /// Read what the proofs of earlier runs in this folder say, too, and write nothing there;
    /// CUDALINT_SHARED_CACHE sets it too
    #[arg(long, value_name = "FOLDER")]
    pub shared_cache: Option<PathBuf>,
    /// Print the time of each stage, each rule and the slowest proofs to the standard error
    #[arg(long)]
    pub timings: bool,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Output format
    #[arg(long, default_value = "full", value_parser = super::format_names(), help_heading = "Output")]
    pub format: String,
    /// Also write a report to a file; may be repeated
    #[arg(long, value_name = "FORMAT=FILE", help_heading = "Output")]
    pub output: Vec<String>,
    /// Colour; NO_COLOR and FORCE_COLOR are respected
    #[arg(long, value_enum, default_value = "auto", help_heading = "Output")]
    pub color: ColorChoice,
    /// Only these rules: codes, prefixes of codes, names, or ALL
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub select: Option<Vec<String>>,
    /// These rules as well
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub extend_select: Vec<String>,
    /// Not these rules
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub ignore: Vec<String>,
    /// Lowest level to report, `warn` if not set; findings that common sizes avoid are `info`
    #[arg(long, value_enum, help_heading = "Rules")]
    pub level: Option<LevelChoice>,
    /// Report only what is new in the working tree since this commit, branch or tag
    #[arg(long, value_name = "REF", help_heading = "What counts")]
    pub since: Option<String>,
    /// Report only what is new in git's index; reads staged files if none are named
    #[arg(long, conflicts_with = "since", help_heading = "What counts")]
    pub staged: bool,
    /// Accept the findings that this file records; those that got worse are reported
    #[arg(long, value_name = "FILE", help_heading = "What counts")]
    pub baseline: Option<PathBuf>,
    /// Only the Nth of so many parts, such as 1/4; files that belong together stay together
    #[arg(
        long,
        value_name = "N/PARTS",
        value_parser = Shard::parse,
        conflicts_with_all = ["since", "staged", "fix", "fix_only", "diff", "add_allow", "confirm", "emit"],
        help_heading = "What counts"
    )]
    pub shard: Option<Shard>,
    /// Exit with 0 even if there are findings
    #[arg(long, help_heading = "What counts")]
    pub exit_zero: bool,
    /// Exit with 1 only above this many warnings
    #[arg(long, value_name = "N", help_heading = "What counts")]
    pub max_warnings: Option<usize>,
    /// Order of findings: by place, or those first that waste most in a launch (as people read them)
    #[arg(long, value_enum, help_heading = "Output")]
    pub sort: Option<SortChoice>,
    /// Ask a compiler what it makes of each finding's access: `nvrtc`, which needs no GPU
    #[arg(
        long,
        value_enum,
        value_name = "COMPILER",
        help_heading = "What counts"
    )]
    pub confirm: Option<Confirm>,
    /// Print how often each rule fired
    #[arg(long, help_heading = "Output")]
    pub statistics: bool,
    /// Apply fixes that change nothing but what they fix
    #[arg(long, help_heading = "Fixes")]
    pub fix: bool,
    /// Apply fixes and report nothing
    #[arg(long, help_heading = "Fixes")]
    pub fix_only: bool,
    /// Write a comment that accepts each finding above its line, with this reason
    #[arg(
        long,
        value_name = "REASON",
        num_args = 0..=1,
        default_missing_value = "",
        require_equals = true,
        conflicts_with_all = ["fix", "fix_only", "diff"],
        help_heading = "Fixes"
    )]
    pub add_allow: Option<String>,
    /// With --fix or --diff: also fixes that, say, cost a resident block
    #[arg(long, help_heading = "Fixes")]
    pub unsafe_fixes: bool,
    /// Show what --fix would change
    #[arg(long, conflicts_with = "fix", help_heading = "Fixes")]
    pub diff: bool,
    /// Run again whenever a file changes
    #[arg(long, help_heading = "Output")]
    pub watch: bool,
    /// Print a stage's result instead of findings
    #[arg(long, value_enum, value_name = "STAGE", help_heading = "Output")]
    pub emit: Option<Stage>,
    /// List everything that was not analysed or not found
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Print findings only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// What to do with the record
    #[arg(value_enum)]
    pub action: BaselineAction,
    #[command(flatten)]
    pub check: CheckArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BaselineAction {
    /// Record every finding of today
    Write,
    /// Report what is new or worse, and count what is gone
    Check,
    /// Leave out what is gone, and lower degrees to those of today
    Prune,
}

#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to do
    #[arg(value_enum)]
    pub action: ConfigAction,
    /// Files or folders whose configuration is meant; this folder if none is named
    #[arg(value_name = "FILE|FOLDER")]
    pub paths: Vec<PathBuf>,
    /// Configuration file, or `key=value` to set one key
    #[arg(long, value_name = "FILE|KEY=VALUE")]
    pub config: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigAction {
    /// Print the settings that hold, defaults included
    Show,
    /// Say whether the configuration can be used
    Check,
    /// Print the JSON Schema of cudalint.toml
    Schema,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct AccessesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    pub format: AccessesChoice,
    /// Write each obligation that Z3 discharged to a file in this folder
    #[arg(long, value_name = "FOLDER")]
    pub certificates: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LaunchesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableChoice,
}

#[derive(Debug, Args)]
pub struct CostArgs {
    /// Architecture, such as sm_90
    #[arg(long, default_value = "sm_90")]
    pub arch: String,
    /// One request a line: space, op, width_bytes, active_mask, lane0 … lane31, and optionally cost
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Code or name of a rule, or an access as FILE:LINE or FILE:LINE:COLUMN
    #[arg(value_name = "RULE|FILE:LINE")]
    pub subject: String,
    /// More files to analyse with it, such as those with its launches
    #[arg(value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,
    /// Architecture to analyse for, such as sm_90
    #[arg(long)]
    pub arch: Option<String>,
    /// Define a macro, as for a compiler
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Look for included files here
    #[arg(short = 'I', value_name = "FOLDER")]
    pub includes: Vec<PathBuf>,
    /// Colour; NO_COLOR and FORCE_COLOR are respected
    #[arg(long, value_enum, default_value = "auto")]
    pub color: ColorChoice,
}

#[derive(Debug, Args)]
pub struct RulesArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableChoice,
}

#[derive(Debug, Args)]
pub struct StatsArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    pub format: StatsChoice,
}

#[derive(Debug, Args)]
pub struct LspArgs {
    /// Taken for granted; editors pass it by habit
    #[arg(long)]
    pub stdio: bool,
}

/// A compiler that gives a second opinion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Confirm {
    Nvrtc,
}

#[derive(Debug, Args)]
#[command(
    after_help = "All reports are JSON, or all are SARIF. Of parts of one run, all have to be there.\n\
                  Exit code: 0 clean, 1 findings at warning or error level, 2 unusable reports."
)]
pub struct MergeArgs {
    /// Reports as `cudalint check --format json` or `sarif` writes them
    #[arg(value_name = "REPORT", required = true)]
    pub reports: Vec<PathBuf>,
    /// The file to write; the standard output if not given
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Exit with 0 even if there are findings
    #[arg(long)]
    pub exit_zero: bool,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "cudalint compile [OPTIONS] COMPILER [ARGUMENTS]...",
    after_help = "For CMake: -DCMAKE_CUDA_COMPILER_LAUNCHER='cudalint;compile'. A link to this program that is called \
                  cudalint-nvcc does the same with options from CUDALINT_COMPILE_OPTIONS, also in nvcc's place.\n\
                  Exit code: the compiler's; 1 if --fail is given and there are findings."
)]
pub struct CompileArgs {
    /// Check first, and compile nothing where there are findings
    #[arg(long)]
    pub fail: bool,
    /// Output format of the findings, which go to the standard error
    #[arg(long, default_value = "gcc", value_parser = super::format_names())]
    pub format: String,
    /// Options of `cudalint check`, such as '--level info --ignore CL401'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub options: Option<String>,
    /// The compile command
    #[arg(
        value_name = "COMPILER",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortChoice {
    Place,
    Waste,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelChoice {
    Info,
    Warn,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccessesChoice {
    Json,
    Jsonl,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsChoice {
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableChoice {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    Expanded,
    Ir,
    Accesses,
}
