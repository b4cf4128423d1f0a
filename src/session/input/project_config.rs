//! Configuration files, read with the trust that their place calls for.
//!
//! Given a file, gives its settings. What a project's own file names must lie in the project: it may come
//! from a stranger, and names what is read and what is written.

use crate::config::Config;
use crate::disk::{self, MOST_SETTINGS, bounds};
use std::path::{Path, PathBuf};

/// A file may raise a limit to so many times its default: a run over strangers' code stays bounded.
const MOST_RAISED: u64 = 4;

/// Reads the configuration in `file`; `overrides` are the user's `key=value` lines.
///
/// # Errors
/// One sentence with the place.
pub fn read(file: &Path, overrides: &[String]) -> Result<Config, String> {
    if bounds::leads_out(file).is_some() {
        return Err(format!("{}: {}", file.display(), bounds::LINK_OUT));
    }
    let text = disk::text(file, MOST_SETTINGS).map_err(|why| {
        format!(
            "{}: the configuration cannot be read ({why})",
            file.display()
        )
    })?;
    let own = Config::read(file, &text, &[])?;
    if let Some((key, value, most)) = own.limits.raised(MOST_RAISED) {
        return Err(format!(
            "{}: `{key}` under [limits] is {value}, and a file may set no more than {most}; --config limits.{key}={value} may",
            file.display()
        ));
    }
    if let Some(problem) = outside(&own) {
        return Err(format!("{}: {problem}", file.display()));
    }
    if overrides.is_empty() {
        return Ok(own);
    }
    Config::read(file, &text, overrides)
}

/// A path in a project's file that leads out of the project.
fn outside(config: &Config) -> Option<String> {
    let root = bounds::project(&config.folder)?;
    let leads_out = |path: &PathBuf| {
        let real = bounds::resolve(path)?;
        (!real.starts_with(&root)).then_some(real)
    };
    // `.git/hooks` and the like: what is written there may be run.
    let is_in_hidden = |real: &PathBuf| {
        let folder = real
            .parent()
            .and_then(|folder| folder.strip_prefix(&root).ok());
        folder.is_some_and(|folder| folder.components().any(bounds::is_hidden))
    };
    let say = |key: &str, real: PathBuf, instead: &str| {
        format!(
            "`{key}` names {}, which lies outside of the project {} or is hidden in it; {instead} names such a place",
            real.display(),
            root.display()
        )
    };
    // Headers of what is installed may be read; nothing is written there.
    let mut includes = config.includes.iter().filter_map(leads_out);
    let include = includes.find(|real| !bounds::is_toolkit(real));
    let baseline = config
        .baseline
        .as_ref()
        .and_then(|path| leads_out(path).or_else(|| bounds::resolve(path).filter(is_in_hidden)));
    include
        .map(|real| say("includes", real, "-I"))
        .or_else(|| baseline.map(|real| say("baseline", real, "--baseline")))
}
