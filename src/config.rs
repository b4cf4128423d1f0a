//! `cudalint.toml`: what a project sets once.
//!
//! Given the text of a configuration file, gives validated settings, or one
//! sentence with the place of what is wrong. Finds the nearest file up the tree.
//! Knows nothing of command lines: `cli` lets flags win over these values.

use crate::finding::Level;
use crate::gpu::Arch;
use serde::Deserialize;
use std::collections::BTreeMap;
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
    pub includes: Vec<PathBuf>,
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

/// A launch assumed for every kernel whose name matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRule {
    /// With `*` and `?`.
    pub kernel: String,
    pub block: [u64; 3],
    pub grid: Option<[u64; 3]>,
}

/// The file as written, before values are checked.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    arch: Option<String>,
    #[serde(default)]
    defines: Vec<String>,
    #[serde(default)]
    includes: Vec<PathBuf>,
    #[serde(default)]
    lint: RawLint,
    #[serde(default)]
    launch: Vec<RawLaunch>,
    #[serde(default)]
    per_file_ignores: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLint {
    select: Option<Vec<String>>,
    #[serde(default)]
    extend_select: Vec<String>,
    #[serde(default)]
    ignore: Vec<String>,
    #[serde(default)]
    levels: BTreeMap<String, RawLevel>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawLevel {
    Allow,
    Info,
    Warn,
    Error,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawLaunch {
    kernel: String,
    block: Shape,
    grid: Option<Shape>,
}

/// `256` or `[32, 8]`.
#[derive(Debug, Deserialize)]
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
        if block.iter().product::<u64>() > MAX_BLOCK {
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
    let level = |level| match level {
        RawLevel::Allow => Level::Allow,
        RawLevel::Info => Level::Info,
        RawLevel::Warn => Level::Warn,
        RawLevel::Error => Level::Error,
    };
    Ok(Config {
        arch,
        defines: raw.defines,
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
             [lint]\nselect = ['CL1']\nignore = ['CL202']\nlevels = { bank-conflict = 'error' }\n\
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
