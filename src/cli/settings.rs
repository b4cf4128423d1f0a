//! Settings of a run: the nearest configuration file, then flags.

use super::args::InputArgs;
use crate::config::{self, Config};
use crate::disk::private;
use crate::gpu::Arch;
use crate::session;
use crate::session::cache::findings::ResultStore;
use crate::session::cache::proofs::DiskStore;
use crate::session::input::{configured, project_config};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings made from configuration and flags.
#[derive(Debug)]
pub struct Settings {
    pub options: session::Options,
    pub config: Config,
}

/// # Errors
/// One sentence about the configuration or a flag's value.
pub fn resolve(input: &InputArgs) -> Result<Settings, String> {
    let mut given = input.config.clone();
    given.extend(input.limits.iter().map(|text| format!("limits.{text}")));
    let (config, _) = configuration(&places(input), &given, input.isolated)?;
    let mut options = configured::options(&config);
    if let Some(name) = &input.arch {
        options.arch = Arch::parse(name)?;
    }
    options
        .defines
        .extend(input.defines.iter().map(|text| configured::define(text)));
    options.undefines.extend(input.undefines.iter().cloned());
    options
        .includes
        .splice(0..0, input.includes.iter().cloned());
    options.forced_includes.clone_from(&input.forced_includes);
    options.threads = input.jobs;
    options.in_strings = input.cuda_in_strings;
    let own = cache(input).map(|folder| (DiskStore::open(&folder), ResultStore::open(&folder)));
    let stores = match (own, shared_cache(input)) {
        (Some((proofs, results)), Some(shared)) => {
            Some((proofs.with_shared(&shared), results.with_shared(&shared)))
        }
        (None, Some(shared)) => Some((
            DiskStore::read_only(&shared),
            ResultStore::read_only(&shared),
        )),
        (own, None) => own,
    };
    if let Some((proofs, results)) = stores {
        options.store = Some(Arc::new(proofs));
        options.results = Some(Arc::new(results));
    }
    Ok(Settings { options, config })
}

/// The configuration that holds for `paths`, and the file it was read from. `given` are files
/// and `key=value` pairs of the command line.
///
/// # Errors
/// One sentence with the place.
pub fn configuration(
    paths: &[PathBuf],
    given: &[String],
    isolated: bool,
) -> Result<(Config, Option<PathBuf>), String> {
    let (overrides, files): (Vec<&String>, Vec<&String>) =
        given.iter().partition(|text| is_setting(text));
    let overrides: Vec<String> = overrides.into_iter().cloned().collect();
    let path = match files.as_slice() {
        [] if isolated => None,
        [] => config::discover(&common_folder(paths)),
        [file] => Some(PathBuf::from(file)),
        _ => return Err("--config names more than one file; name one".to_owned()),
    };
    let Some(path) = path else {
        return Ok((
            Config::read(Path::new("cudalint.toml"), "", &overrides)?,
            None,
        ));
    };
    let shown = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).map(Path::to_path_buf).ok())
        .unwrap_or(path);
    Ok((project_config::read(&shown, &overrides)?, Some(shown)))
}

/// Whether a text is `key=value`, not a file. A project may hold a file of such a name, which whoever gives
/// the setting does not mean.
fn is_setting(text: &str) -> bool {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || "-_.\"*".contains(c);
    text.split_once('=')
        .is_some_and(|(key, _)| !key.is_empty() && key.trim_end().chars().all(is_of_key))
}

/// The folder for what outlives a run: a flag, a variable, else where the system keeps caches.
fn cache(input: &InputArgs) -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    if input.no_cache {
        return None;
    }
    // A relative path would mean a folder of the project. By its own specification one counts as none.
    let absolute = |name: &str| variable(name).filter(|folder| folder.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".cache"));
    let base = || absolute("XDG_CACHE_HOME");
    let system = || base().or_else(home);
    let named = input.cache_dir.clone();
    named
        .or_else(|| variable("CUDALINT_CACHE_DIR"))
        .or_else(|| system().map(|folder| folder.join("cudalint").join("proofs")))
}

/// A folder that somebody else fills; one that may not be believed is told of and not used.
fn shared_cache(input: &InputArgs) -> Option<PathBuf> {
    let variable = || std::env::var_os("CUDALINT_SHARED_CACHE").filter(|folder| !folder.is_empty());
    let folder = input
        .shared_cache
        .clone()
        .or_else(|| variable().map(PathBuf::from))?;
    match private::check_shared(&folder) {
        Ok(()) => Some(folder),
        Err(why) => {
            let folder = folder.display();
            super::remark(&format!(
                "{folder}: this shared cache is not used, because {why}"
            ));
            None
        }
    }
}

/// Paths whose configuration holds; the standard input goes by its name.
fn places(input: &InputArgs) -> Vec<PathBuf> {
    let place = |path: &PathBuf| match &input.stdin_filename {
        Some(name) if path.as_os_str() == "-" => name.clone(),
        _ => path.clone(),
    };
    input.paths.iter().map(place).collect()
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
        return std::env::current_dir().unwrap_or_default();
    };
    for folder in folders {
        while !folder.starts_with(&common) && common.pop() {}
    }
    common
}
