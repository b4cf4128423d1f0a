//! Arguments of the commands that hold verdicts against a GPU or another compiler.

use super::{InputArgs, TableChoice};
use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a subcommand, all three steps run here. Launches nothing but kernels that a \
                  `//@ launch` directive in these files names.\n\
                  Exit code: 0 all agree, 1 something does not, 2 no GPU or unusable input."
)]
pub struct ValidateArgs {
    #[command(subcommand)]
    pub step: Option<ValidateStep>,
    #[command(flatten)]
    pub fixtures: FixtureArgs,
    #[command(flatten)]
    pub measuring: MeasuringArgs,
    /// Write the measurement to this file, too
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Measure single requests and compare them with the cost specification instead
    #[arg(long)]
    pub probes: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Generates kernels, or takes the files given; needs g++, no GPU. The verdicts are those of \
                  this program, or of the one that CUDALINT_BIN names.\n\
                  Exit code: 0 nothing found, 1 finds, 2 no C++ compiler or unusable input, 3 nothing found, but a\n\
                  generated file does not compile or a construct was never compared."
)]
pub struct JudgeArgs {
    /// Files whose kernels are judged, with --nvrtc also folders; generated ones if none are given
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Compile with NVRTC, which reads all of CUDA, and run its PTX; needs no GPU
    #[arg(long, requires = "files")]
    pub nvrtc: bool,
    /// With --nvrtc: look for included files here
    #[arg(short = 'I', value_name = "FOLDER", requires = "nvrtc")]
    pub includes: Vec<PathBuf>,
    /// With --nvrtc: try the fixes offered in these folders, or in these reports of `check --format json`:
    /// each is compiled and run before and after
    #[arg(long, requires = "nvrtc")]
    pub fixes: bool,
    /// With --nvrtc: no file takes longer than so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "nvrtc")]
    pub limit: u64,
    /// With --nvrtc: print the loads and stores of the machine code for this architecture as JSON
    #[arg(long, hide = true, value_name = "ARCH", requires = "nvrtc")]
    pub machine_code: Option<String>,
    /// With --machine-code: of this kernel, with its template arguments
    #[arg(long, hide = true, value_name = "NAME", requires = "machine_code")]
    pub kernel: Vec<String>,
    /// With --nvrtc: judge one file in this process and say what came of it as JSON
    #[arg(long, hide = true, requires = "nvrtc")]
    pub alone: bool,
    /// Generate for so many seconds [default: 60]; with --nvrtc, begin no file after them
    #[arg(long)]
    pub seconds: Option<u64>,
    /// Generate so many files, whatever time that takes
    #[arg(long, value_name = "N")]
    pub cases: Option<usize>,
    /// Begin with this seed; a new one each time if not given
    #[arg(long)]
    pub seed: Option<u64>,
    /// Runs of each launch
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub runs: usize,
    /// Batches at a time
    #[arg(short, long, default_value_t = 2)]
    pub jobs: usize,
    /// Only generators of this name
    #[arg(long, value_name = "NAME", default_value = "")]
    pub only: String,
    /// No generator of this name
    #[arg(long, value_name = "NAME")]
    pub without: Vec<String>,
    /// Write each find to a file in this folder
    #[arg(long, value_name = "FOLDER")]
    pub finds: Option<PathBuf>,
    /// Do not reduce finds
    #[arg(long)]
    pub as_generated: bool,
    /// Print requests, and keep temporary files
    #[arg(long)]
    pub verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum ValidateStep {
    /// Write what is to be launched as JSON (needs no GPU)
    Plan {
        #[command(flatten)]
        fixtures: FixtureArgs,
        /// The plan of single requests instead of fixtures
        #[arg(long)]
        probes: bool,
        /// The file to write; the standard output if not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Launch a plan on this machine's GPU and write the counters as JSON
    Measure {
        /// What `cudalint validate plan` wrote
        plan: PathBuf,
        #[command(flatten)]
        measuring: MeasuringArgs,
        /// The file to write; the standard output if not given
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Compare a measurement with predictions (needs no GPU)
    Compare {
        /// What `cudalint validate measure` wrote
        measurement: PathBuf,
        #[command(flatten)]
        fixtures: FixtureArgs,
        /// The measurement is of single requests
        #[arg(long)]
        probes: bool,
        /// With --probes: write the requests with their counters to this file
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Run by `measure`
    #[command(hide = true)]
    Child {
        what: String,
        plan: String,
        records: String,
        keep: Option<PathBuf>,
    },
}

/// Which kernels, with which data.
#[derive(Debug, Args)]
pub struct FixtureArgs {
    /// Fixture files and folders with launch directives; the folder `fixtures` if none are given
    #[arg(value_name = "FIXTURE")]
    pub paths: Vec<PathBuf>,
    /// Seed of random inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Architecture of the GPU, such as sm_90
    #[arg(long, value_name = "ARCH")]
    pub arch: Option<String>,
    /// Take the files whose bank conflicts have a proved cure, with the cure in place
    #[arg(long)]
    pub fixed: bool,
}

/// How to measure.
#[derive(Debug, Args)]
pub struct MeasuringArgs {
    /// How to count; the first of them that works if not given
    #[arg(long, value_enum)]
    pub method: Option<MethodChoice>,
    /// Day to note in the measurement, YYYY-MM-DD; today if not given
    #[arg(long, value_name = "DATE")]
    pub date: Option<String>,
    /// Keep the profiler's pages and what launches leave in their buffers in this folder
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodChoice {
    /// Nsight Compute's source page
    Ncu,
    /// CUPTI's instruction counters, one process a launch
    Cupti,
    /// Addresses recorded by the kernels themselves; needs no counters
    Trace,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Source page as CSV: `ncu --page source --print-source cuda,sass --csv`
    pub report: PathBuf,
    #[command(flatten)]
    pub input: InputArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: TableChoice,
    /// Also write a page with the source, its predicted and its measured costs
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "cudalint measure [OPTIONS] [FILE|FOLDER]... -- PROGRAM [ARGUMENTS]...",
    after_help = "The program must be built with -lineinfo. What it prints goes to the standard error. Without \
                  files, those are analysed that the profiler names.\n\
                  Exit code: 0 all agree or the difference has a known reason, 1 something disagrees, 2 nothing \
                  could be measured."
)]
pub struct MeasureArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Only kernels of this name, or `regex:EXPRESSION`
    #[arg(long, value_name = "NAME", help_heading = "Measurement")]
    pub kernel: Option<String>,
    /// Count so many launches of each kernel; 0 counts all
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Measurement"
    )]
    pub launches: u32,
    /// Nsight Compute's command; CUDALINT_NCU names it too
    #[arg(long, value_name = "FILE", help_heading = "Measurement")]
    pub ncu: Option<PathBuf>,
    /// Keep the profiler's report in this file (.ncu-rep)
    #[arg(long, value_name = "FILE", help_heading = "Measurement")]
    pub report: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: TableChoice,
    /// Also write a page with the source, its predicted and its measured costs
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Filled in from what follows `--`
    #[arg(skip)]
    pub program: Vec<OsString>,
}
