//! Settings of a run: the nearest configuration file, then flags.

use super::args::InputArgs;
use crate::config::{self, Config};
use crate::gpu::Arch;
use crate::session::{self, configured};
use std::path::{Path, PathBuf};

/// What configuration and flags come to.
#[derive(Debug)]
pub struct Settings {
    pub options: session::Options,
    pub config: Config,
}

/// # Errors
/// One sentence about the configuration or a flag's value.
pub fn resolve(input: &InputArgs) -> Result<Settings, String> {
    let config = configuration(input)?;
    let mut options = configured::options(&config);
    if let Some(name) = &input.arch {
        options.arch = Arch::parse(name)?;
    }
    options
        .defines
        .extend(input.defines.iter().map(|text| configured::define(text)));
    options.undefines.clone_from(&input.undefines);
    options
        .includes
        .splice(0..0, input.includes.iter().cloned());
    options.forced_includes.clone_from(&input.forced_includes);
    options.threads = input.jobs;
    Ok(Settings { options, config })
}

fn configuration(input: &InputArgs) -> Result<Config, String> {
    let (overrides, files): (Vec<&String>, Vec<&String>) = input
        .config
        .iter()
        .partition(|text| text.contains('=') && !Path::new(text).is_file());
    let overrides: Vec<String> = overrides.into_iter().cloned().collect();
    let path = match files.as_slice() {
        [] if input.isolated => None,
        [] => config::discover(&common_folder(&input.paths)),
        [file] => Some(PathBuf::from(file)),
        _ => return Err("--config names more than one file; name one".to_owned()),
    };
    let Some(path) = path else {
        return Config::read(Path::new("cudalint.toml"), "", &overrides);
    };
    let shown = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).map(Path::to_path_buf).ok())
        .unwrap_or(path);
    let text = std::fs::read_to_string(&shown).map_err(|error| {
        format!(
            "{}: the configuration cannot be read ({error})",
            shown.display()
        )
    })?;
    Config::read(&shown, &text, &overrides)
}

/// The deepest folder that holds all of `paths`.
fn common_folder(paths: &[PathBuf]) -> PathBuf {
    let folder = |path: &PathBuf| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        if path.is_dir() {
            absolute
        } else {
            absolute.parent().map(Path::to_path_buf).unwrap_or(absolute)
        }
    };
    let mut folders = paths.iter().map(folder);
    let Some(mut common) = folders.next() else {
        return PathBuf::from(".");
    };
    for folder in folders {
        while !folder.starts_with(&common) && common.pop() {}
    }
    common
}
