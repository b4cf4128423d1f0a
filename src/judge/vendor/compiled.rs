//! A file's device half, compiled: what does not compile is taken out, for as long as that helps.

use super::source::Project;
use crate::nvrtc::{self, Compiler, Output};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compiles, taking out what does not, for as long as that helps. What could not be had of the
/// kernels is said beside.
pub(crate) fn build(
    compiler: &Compiler,
    project: &mut Project,
    expressions: &[String],
    flags: &[String],
    (end, is_verbose): (Option<Instant>, bool),
) -> Result<(Output, String), String> {
    project.keep_what_is_needed(expressions);
    let mut wanted: Vec<usize> = (0..expressions.len()).collect();
    let mut last = String::new();
    for round in 0..40 {
        if round > 0 && end.is_some_and(|end| Instant::now() > end) {
            last = "the time of the file was over".to_owned();
            break;
        }
        let names: Vec<String> = wanted.iter().map(|at| expressions[*at].clone()).collect();
        match as_it_is(compiler, project, &names, flags) {
            Ok(mut output) => {
                let mut all = vec![None; expressions.len()];
                for (at, name) in wanted.iter().zip(output.names.drain(..)) {
                    all[*at] = name;
                }
                output.names = all;
                return Ok((output, last));
            }
            Err(log) => {
                let first = log
                    .lines()
                    .find(|line| line.contains("error"))
                    .unwrap_or(&log);
                if is_verbose {
                    eprintln!(
                        "{}",
                        log.lines()
                            .filter(|line| line.contains("error"))
                            .take(24)
                            .collect::<Vec<_>>()
                            .join("\n")
                    );
                }
                last = brief(first);
                let removed = project.remove(&log);
                let before = wanted.len();
                // Names that the text no longer has, or that are none outside of it.
                wanted.retain(|at| !names_complaint(&log, &expressions[*at]));
                if removed == 0 && wanted.len() == before {
                    return Err(last);
                }
            }
        }
    }
    Err(last)
}

/// Compiles the text without taking anything out.
pub(super) fn as_it_is(
    compiler: &Compiler,
    project: &Project,
    expressions: &[String],
    flags: &[String],
) -> Result<Output, String> {
    let start = project.start()?;
    let (text, mut options) = project.write()?;
    options.extend(
        [
            "--std=c++17",
            // Functions of the host are no error where nothing of the host is called.
            "--device-as-default-execution-space",
        ]
        .map(str::to_owned),
    );
    options.extend(flags.iter().cloned());
    let folders = compiler.includes.iter();
    options.extend(folders.map(|folder| format!("-I{}", folder.display())));
    let _here = Elsewhere::go(&start)?;
    nvrtc::compile("judged", &text, &options, expressions)
}

/// While it lives, this process works in another folder: the compiler looks for headers there first, and in the
/// project's own folder it would find originals in place of their copies.
struct Elsewhere(PathBuf);

impl Elsewhere {
    fn go(to: &Path) -> Result<Self, String> {
        let said = |error: std::io::Error| format!("{}: {error}", to.display());
        let here = std::env::current_dir().map_err(said)?;
        std::env::set_current_dir(to).map_err(said)?;
        Ok(Self(here))
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // Where the folder is gone, no path that is relative to it leads anywhere.
        let _ = std::env::set_current_dir(&self.0);
    }
}

/// Whether the compiler complains of an expression that was asked for, not of the text.
fn names_complaint(log: &str, expression: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let sought = squeezed(expression);
    let mut previous = String::new();
    for line in log.lines() {
        let is_of_names = ["nv_name", "__nv"]
            .iter()
            .any(|word| previous.contains(word));
        if is_of_names && squeezed(line).contains(&sought) {
            return true;
        }
        if line.contains("error") {
            previous = line.to_owned();
        }
    }
    false
}

pub(super) fn brief(line: &str) -> String {
    let message = line.split("error: ").nth(1).unwrap_or(line);
    message.chars().take(100).collect()
}
