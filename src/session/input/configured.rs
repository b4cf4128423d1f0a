//! Options of a run and the rules that are on, as a configuration asks for them.
//!
//! Given a [`Config`], gives [`Options`] and a [`Selection`] for callers to refine.
//! Knows nothing of where the configuration came from.

use crate::config::Config;
use crate::disk::bounds::Bounds;
use crate::rules::select::Selection;
use crate::session::Options;
use std::path::{Path, PathBuf};

/// The options that a configuration sets; the rest as they are by default.
#[must_use]
pub fn options(config: &Config) -> Options {
    let defaults = Options::default();
    Options {
        arch: config.arch.unwrap_or(defaults.arch),
        defines: config
            .defines
            .iter()
            .map(|define| self::define(define))
            .collect(),
        undefines: config.undefines.clone(),
        includes: config.includes.clone(),
        launches: config.launches.clone(),
        limits: config.limits,
        ..defaults
    }
}

/// Where a run over `inputs` may read: their projects, the toolkit, and the folders of `options`, of which
/// the user vouches for those in `named` himself.
#[must_use]
pub fn bounds<'a>(
    inputs: impl Iterator<Item = &'a Path>,
    named: &[PathBuf],
    options: &Options,
) -> Bounds {
    let mut bounds = Bounds::toolkit();
    inputs.for_each(|input| bounds.add_input(input));
    named.iter().for_each(|folder| bounds.add(folder));
    let of_files = options
        .flags
        .values()
        .flat_map(|flags| flags.includes.iter().chain(&flags.forced_includes));
    let all = options.includes.iter().chain(&options.forced_includes);
    all.chain(of_files).for_each(|path| bounds.add_code(path));
    bounds
}

/// `NAME` or `NAME=VALUE`, as the preprocessor wants it.
#[must_use]
pub fn define(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (text.to_owned(), None),
    }
}

/// The rules that are on: `select` in place of the configuration's own choice, `extend` and
/// `ignore` added to it.
///
/// # Errors
/// One sentence naming the word that is no rule, or the pattern that cannot be read.
pub fn selection(
    config: &Config,
    select: Option<&[String]>,
    extend: &[String],
    ignore: &[String],
) -> Result<Selection, String> {
    let select = select.or(config.select.as_deref());
    let extend: Vec<String> = config.extend_select.iter().chain(extend).cloned().collect();
    let ignore: Vec<String> = config.ignore.iter().chain(ignore).cloned().collect();
    let mut selection = Selection::new(select, &extend, &ignore)?;
    selection.threshold(config.thresholds);
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
