//! `cudalint.toml`: what a project sets once.
//!
//! Given the text of a configuration file, gives validated settings, or one
//! sentence with the place of what is wrong. Finds the nearest file up the tree.
//! Knows nothing of command lines: `cli` lets flags win over these values.

mod limits;

pub use limits::Limits;

use crate::finding::Level;
use crate::gpu::Arch;
use limits::RawLimits;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Names looked for in each folder, in this order.
pub const FILE_NAMES: [&str; 2] = ["cudalint.toml", ".cudalint.toml"];

/// Most threads a block dimension may be given; the hardware's own limit is 1024.
const MAX_BLOCK: u64 = 1024;

/// Settings of a project. Paths are joined to the folder of the file they stand in.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub arch: Option<Arch>,
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    pub undefines: Vec<String>,
    pub includes: Vec<PathBuf>,
    /// Files that walks over folders pass over, as in .gitignore.
    pub exclude: Vec<String>,
    pub baseline: Option<PathBuf>,
    /// Lowest level to report.
    pub level: Option<Level>,
    pub max_warnings: Option<usize>,
    pub thresholds: Thresholds,
    pub limits: Limits,
    pub select: Option<Vec<String>>,
    pub extend_select: Vec<String>,
    pub ignore: Vec<String>,
    /// Level by rule code or name.
    pub levels: Vec<(String, Level)>,
    pub launches: Vec<LaunchRule>,
    /// File pattern (as in .gitignore) and the rules that are silent there.
    pub per_file_ignores: Vec<(String, Vec<String>)>,
    /// Folder that file patterns are relative to.
    pub folder: PathBuf,
}

/// Costs below which a finding is not worth a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thresholds {
    /// Least degree of a bank conflict: wavefronts over their ideal, rounded up.
    pub ways: u32,
    /// Least number of sectors above the ideal.
    pub excessive_sectors: u32,
}

/// A launch assumed for every kernel whose name matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRule {
    /// With `*` and `?`.
    pub kernel: String,
    pub block: [u64; 3],
    pub grid: Option<[u64; 3]>,
}

/// The file as written, before values are checked. The JSON Schema is made from it, so that
/// the comments on its fields are what editors show.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "cudalint.toml", description = "Settings of cudalint.")]
struct Raw {
    /// Architecture to analyse for, such as "sm_90".
    arch: Option<String>,
    /// Macros, each NAME or NAME=VALUE.
    #[serde(default)]
    defines: Vec<String>,
    /// Macros that are not to be predefined.
    #[serde(default)]
    undefines: Vec<String>,
    /// Folders to look for included files in, relative to this file.
    #[serde(default)]
    includes: Vec<PathBuf>,
    /// Patterns, as in .gitignore, of files that are passed over in folders.
    #[serde(default)]
    exclude: Vec<String>,
    /// File of accepted findings that `cudalint baseline write` made, relative to this file.
    baseline: Option<PathBuf>,
    #[serde(default)]
    lint: RawLint,
    #[serde(default)]
    thresholds: RawThresholds,
    #[serde(default)]
    limits: RawLimits,
    /// Launches assumed for kernels whose launch the sources do not show; the first match holds.
    #[serde(default)]
    launch: Vec<RawLaunch>,
    /// Rules that are silent in files that match a pattern, as in .gitignore.
    #[serde(default)]
    per_file_ignores: BTreeMap<String, Vec<String>>,
}

/// Which rules are on, and how loud.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLint {
    /// Only these rules: codes, prefixes of codes, names, or ALL.
    select: Option<Vec<String>>,
    /// These rules as well.
    #[serde(default)]
    extend_select: Vec<String>,
    /// Not these rules.
    #[serde(default)]
    ignore: Vec<String>,
    /// Level by rule.
    #[serde(default)]
    levels: BTreeMap<String, RawLevel>,
    /// Lowest level to report; "warn" if not set.
    level: Option<RawLevel>,
    /// Warnings that a run may have and still end with exit code 0.
    max_warnings: Option<usize>,
}

/// Costs below which a finding is not reported.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawThresholds {
    /// Least degree of a bank conflict, 2 or more.
    ways: Option<u32>,
    /// Least number of sectors per request above the ideal.
    excessive_sectors: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RawLevel {
    Allow,
    Info,
    Warn,
    Error,
}

/// A launch assumed for the kernels whose name matches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLaunch {
    /// Name of the kernel, with * and ?.
    kernel: String,
    /// Threads per block.
    block: Shape,
    /// Blocks per grid.
    grid: Option<Shape>,
}

/// One to three numbers: 256, or [32, 8].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Shape {
    Line(u64),
    Axes(Vec<u64>),
}

impl Config {
    /// Reads a configuration; `path` is what errors name, its folder what paths are relative to.
    /// `overrides` are `key=value` lines in TOML that win over the file's own values.
    ///
    /// # Errors
    /// One sentence with the place.
    pub fn read(path: &Path, text: &str, overrides: &[String]) -> Result<Self, String> {
        // A first reading in one piece, so that errors come with the line they stand on.
        let raw: Raw = toml::from_str(text)
            .map_err(|error| describe(&path.display().to_string(), text, &error))?;
        let raw = if overrides.is_empty() {
            raw
        } else {
            let mut table: toml::Table = toml::from_str(text)
                .map_err(|error| describe(&path.display().to_string(), text, &error))?;
            for line in overrides {
                let source = format!("--config '{line}'");
                let one: toml::Table =
                    toml::from_str(line).map_err(|error| describe(&source, line, &error))?;
                toml::from_str::<Raw>(line).map_err(|error| describe(&source, line, &error))?;
                merge(&mut table, one);
            }
            table
                .try_into()
                .map_err(|error: toml::de::Error| describe("--config", "", &error))?
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        validate(raw, folder).map_err(|problem| format!("{}: {problem}", path.display()))
    }
}

impl Config {
    /// The settings as a configuration file, defaults included.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one entry for each key")]
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let text = |text: &str| toml::Value::from(text).to_string();
        let list = |items: &[String]| {
            let items: Vec<String> = items.iter().map(|item| text(item)).collect();
            format!("[{}]", items.join(", "))
        };
        let shown = |path: &Path| text(&path.display().to_string());
        let includes: Vec<String> = self
            .includes
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let arch = self.arch.unwrap_or(Arch::DEFAULT);
        let _ = writeln!(out, "arch = {}", text(&arch.to_string()));
        let _ = writeln!(out, "defines = {}", list(&self.defines));
        let _ = writeln!(out, "undefines = {}", list(&self.undefines));
        let _ = writeln!(out, "includes = {}", list(&includes));
        let _ = writeln!(out, "exclude = {}", list(&self.exclude));
        if let Some(baseline) = &self.baseline {
            let _ = writeln!(out, "baseline = {}", shown(baseline));
        }
        let all = ["ALL".to_owned()];
        let select = self.select.as_deref().unwrap_or(&all);
        let level = |level: Level| match level {
            Level::Allow => "allow",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        let lowest = level(self.level.unwrap_or(Level::Warn));
        let _ = writeln!(out, "\n[lint]\nselect = {}", list(select));
        let _ = writeln!(out, "extend-select = {}", list(&self.extend_select));
        let _ = writeln!(out, "ignore = {}", list(&self.ignore));
        let _ = writeln!(out, "level = {}", text(lowest));
        let _ = writeln!(out, "max-warnings = {}", self.max_warnings.unwrap_or(0));
        let _ = writeln!(out, "\n[lint.levels]");
        for (rule, to) in &self.levels {
            let _ = writeln!(out, "{} = {}", key_text(rule), text(level(*to)));
        }
        let Thresholds {
            ways,
            excessive_sectors,
        } = self.thresholds;
        let _ = writeln!(
            out,
            "\n[thresholds]\nways = {ways}\nexcessive-sectors = {excessive_sectors}"
        );
        let Limits {
            file_bytes,
            expansion_tokens,
            statements,
            lowering_steps,
            function_steps,
            file_steps,
            instances,
            run_instances,
            steps,
            terms,
        } = self.limits;
        let _ = writeln!(
            out,
            "\n[limits]\nfile-bytes = {file_bytes}\nexpansion-tokens = {expansion_tokens}\n\
             statements = {statements}\nlowering-steps = {lowering_steps}\n\
             function-steps = {function_steps}\nfile-steps = {file_steps}\n\
             instances = {instances}\nrun-instances = {run_instances}\nsteps = {steps}\n\
             terms = {terms}"
        );
        for launch in &self.launches {
            let _ = writeln!(
                out,
                "\n[[launch]]\nkernel = {}\nblock = {:?}",
                text(&launch.kernel),
                launch.block
            );
            if let Some(grid) = launch.grid {
                let _ = writeln!(out, "grid = {grid:?}");
            }
        }
        let _ = writeln!(out, "\n[per-file-ignores]");
        for (pattern, rules) in &self.per_file_ignores {
            let _ = writeln!(out, "{} = {}", key_text(pattern), list(rules));
        }
        out
    }
}

/// A key in double quotes: a value may also be written in three, a key may not.
fn key_text(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    out.push('"');
    for character in key.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            _ if character.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// The JSON Schema of the configuration file.
#[must_use]
pub fn schema() -> String {
    let schema = schemars::schema_for!(Raw);
    // A schema is JSON already.
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// The nearest configuration file in `folder` or above it.
#[must_use]
pub fn discover(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).ok()?;
    absolute.ancestors().find_map(|ancestor| {
        FILE_NAMES
            .iter()
            .map(|name| ancestor.join(name))
            .find(|candidate| candidate.is_file())
    })
}

/// Whether `name` matches a pattern with `*` (any run) and `?` (any one character).
#[must_use]
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to go on from when a guess about the last `*` fails.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    p = after;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

fn validate(raw: Raw, folder: PathBuf) -> Result<Config, String> {
    let arch = raw.arch.as_deref().map(Arch::parse).transpose()?;
    let mut launches = Vec::new();
    for launch in raw.launch {
        let block = axes(&launch.block, "block", &launch.kernel)?;
        let threads = block.iter().fold(1_u64, |all, n| all.saturating_mul(*n));
        if threads > MAX_BLOCK {
            return Err(format!(
                "launch of `{}`: block {block:?} has more than {MAX_BLOCK} threads",
                launch.kernel
            ));
        }
        let grid = launch
            .grid
            .map(|grid| axes(&grid, "grid", &launch.kernel))
            .transpose()?;
        launches.push(LaunchRule {
            kernel: launch.kernel,
            block,
            grid,
        });
    }
    let limits = raw.limits.checked()?;
    let level = |level| match level {
        RawLevel::Allow => Level::Allow,
        RawLevel::Info => Level::Info,
        RawLevel::Warn => Level::Warn,
        RawLevel::Error => Level::Error,
    };
    Ok(Config {
        arch,
        defines: raw.defines,
        undefines: raw.undefines,
        exclude: raw.exclude,
        baseline: raw.baseline.map(|file| folder.join(file)),
        level: raw.lint.level.map(level),
        max_warnings: raw.lint.max_warnings,
        thresholds: Thresholds {
            ways: raw.thresholds.ways.unwrap_or(0),
            excessive_sectors: raw.thresholds.excessive_sectors.unwrap_or(0),
        },
        limits,
        includes: raw
            .includes
            .iter()
            .map(|include| folder.join(include))
            .collect(),
        select: raw.lint.select,
        extend_select: raw.lint.extend_select,
        ignore: raw.lint.ignore,
        levels: raw
            .lint
            .levels
            .into_iter()
            .map(|(rule, to)| (rule, level(to)))
            .collect(),
        launches,
        per_file_ignores: raw.per_file_ignores.into_iter().collect(),
        folder,
    })
}

fn axes(shape: &Shape, what: &str, kernel: &str) -> Result<[u64; 3], String> {
    let given: &[u64] = match shape {
        Shape::Line(x) => std::slice::from_ref(x),
        Shape::Axes(axes) => axes,
    };
    if given.is_empty()
        || given.len() > 3
        || given
            .iter()
            .any(|n| *n == 0 || *n > u64::from(u32::MAX >> 1))
    {
        return Err(format!(
            "launch of `{kernel}`: `{what}` takes one to three numbers from 1 on, as in [32, 8]"
        ));
    }
    let mut all = [1; 3];
    all[..given.len()].copy_from_slice(given);
    Ok(all)
}

fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// The sentence for an error of the TOML reader, with the nearest key for one that is unknown.
fn describe(source: &str, text: &str, error: &toml::de::Error) -> String {
    let place = error.span().filter(|_| !text.is_empty()).map(|span| {
        let before = text.get(..span.start).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!(":{line}:{column}")
    });
    let message = error.message();
    let mut names = message.split('`').skip(1).step_by(2);
    let message = match (message.starts_with("unknown field"), names.next()) {
        (true, Some(unknown)) => {
            let known: Vec<&str> = names.collect();
            match nearest(unknown, &known) {
                Some(near) => format!("unknown key `{unknown}`; did you mean `{near}`?"),
                None => format!("unknown key `{unknown}`; known keys: {}", known.join(", ")),
            }
        }
        _ => message.trim().replace('\n', "; "),
    };
    format!("{source}{}: {message}", place.unwrap_or_default())
}

/// The name closest to `word`, where one is close enough to be meant.
#[must_use]
pub fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let (distance, name) = names.iter().map(|name| (edits(word, name), *name)).min()?;
    (distance <= 1 + word.chars().count() / 3).then_some(name)
}

/// Insertions, deletions and replacements between two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        Config::read(Path::new("p/cudalint.toml"), text, &[])
    }

    #[test]
    fn every_key_is_read() {
        let config = read(
            "arch = 'sm_80'\ndefines = ['N=1024']\nincludes = ['include']\n\
             undefines = ['M']\nexclude = ['gen/']\nbaseline = 'known.json'\n\
             [thresholds]\nways = 4\nexcessive-sectors = 2\n\
             [lint]\nlevel = 'info'\nmax-warnings = 3\nselect = ['CL1']\nignore = ['CL202']\nlevels = { bank-conflict = 'error' }\n\
             [[launch]]\nkernel = 'transpose*'\nblock = [32, 8]\ngrid = 64\n\
             [per-file-ignores]\n'tests/**' = ['CL201']\n",
        )
        .expect("a valid file");
        assert_eq!(
            config.arch.map(|arch| arch.to_string()).as_deref(),
            Some("sm_80")
        );
        assert_eq!(config.includes, [PathBuf::from("p/include")]);
        assert_eq!(config.levels, [("bank-conflict".to_owned(), Level::Error)]);
        assert_eq!(config.launches[0].block, [32, 8, 1]);
        assert_eq!(config.launches[0].grid, Some([64, 1, 1]));
        assert_eq!(config.baseline, Some(PathBuf::from("p/known.json")));
        assert_eq!((config.thresholds.ways, config.max_warnings), (4, Some(3)));
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        let config = read(
            "arch = 'sm_80'\n[lint]\nignore = ['CL2']\n[[launch]]\nkernel = 'k'\nblock = 32\n\
             [per-file-ignores]\n\"it's\\\\a \\u007f \\\"\" = ['CL2']\n",
        )
        .expect("a valid file");
        let again = Config::read(Path::new("cudalint.toml"), &config.to_toml(), &[]);
        let again = again.expect("what is shown is valid");
        assert_eq!(
            (again.ignore, again.launches, again.per_file_ignores),
            (config.ignore, config.launches, config.per_file_ignores)
        );
    }

    #[test]
    fn an_unknown_key_names_the_nearest_and_the_place() {
        let problem = read("arch = 'sm_80'\n[lint]\nslect = ['CL1']\n").expect_err("a wrong key");
        assert_eq!(
            problem,
            "p/cudalint.toml:3:1: unknown key `slect`; did you mean `select`?"
        );
    }

    #[test]
    fn wrong_values_are_one_sentence() {
        for text in [
            "arch = 'sm_1'",
            "[[launch]]\nkernel='k'\nblock=[32,64]",
            "[[launch]]\nkernel='k'\nblock=[]",
            "arch = 3",
            "[lint",
        ] {
            let problem = read(text).expect_err(text);
            assert!(
                problem.starts_with("p/cudalint.toml") && !problem.contains('\n'),
                "{problem}"
            );
        }
    }

    #[test]
    fn overrides_win_over_the_file() {
        let config = Config::read(
            Path::new("cudalint.toml"),
            "arch = 'sm_80'\n",
            &["arch='sm_90'".to_owned(), "lint.ignore=['CL2']".to_owned()],
        )
        .expect("valid");
        assert_eq!(
            config.arch.map(|arch| arch.to_string()).as_deref(),
            Some("sm_90")
        );
        assert_eq!(config.ignore, ["CL2"]);
    }

    #[test]
    fn patterns_match_kernel_names() {
        assert!(glob_matches("transpose*", "transposeNaive"));
        assert!(glob_matches("*::k?", "ns::k1"));
        assert!(!glob_matches("transpose", "transposeNaive"));
        assert!(glob_matches("a*b*c", "aXbbYc"));
        assert!(!glob_matches("a*b", "abc"));
    }
}
