//! Settings: what the editor says, over what `cudalint.toml` says.
//!
//! Given a file, gives the options and rules for it: those of the nearest
//! configuration file and compilation database, read once, with the editor's settings
//! on top. A configuration that cannot be read is told once and taken as absent. Nothing
//! of what is read is run.

use crate::config::{self, LaunchRule};
use crate::finding::Level;
use crate::gpu::Arch;
use crate::rules::select::Selection;
use crate::session::Options;
use crate::session::input::compile_commands::{self, Compiled};
use crate::session::input::{configured, project_config};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Settings of the editor under `cudalint`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Architecture to analyse for, in place of the configuration's.
    pub arch: Option<String>,
    /// `NAME` or `NAME=VALUE`, besides the configuration's.
    pub defines: Vec<String>,
    /// Folders of headers, besides the configuration's.
    pub includes: Vec<PathBuf>,
    /// The compilation database or its folder; else the nearest one above a file, or in a `build`
    /// folder there. Empty for none.
    pub compile_commands: Option<PathBuf>,
    /// Lowest level that is shown.
    pub level: ShownLevel,
    pub inlay_hints: Hints,
    pub code_lens: bool,
    /// Whether functions that could not be analysed are marked.
    pub show_not_analysed: bool,
    /// Milliseconds to wait after an edit, in case another follows.
    pub delay: u64,
    /// Whether `workspace/diagnostic` covers files that are not open.
    pub whole_workspace: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShownLevel {
    Info,
    Warn,
    Error,
}

/// Which accesses carry a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hints {
    All,
    /// Those that cost more than their ideal, or are not known.
    Costly,
    Off,
}

/// An hour between edit and analysis is surely a mistake.
const MOST_DELAY: u64 = 10_000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            arch: None,
            defines: Vec::new(),
            includes: Vec::new(),
            compile_commands: None,
            level: ShownLevel::Info,
            inlay_hints: Hints::All,
            code_lens: true,
            show_not_analysed: true,
            delay: 5,
            whole_workspace: false,
        }
    }
}

impl Settings {
    /// Reads the `cudalint` section; `null` is the default.
    ///
    /// # Errors
    /// One sentence about the first value that cannot be used.
    pub fn read(value: &Value) -> Result<Self, String> {
        // Some clients send the section inside of an object that names it.
        let value = value.get("cudalint").unwrap_or(value);
        if value.is_null() {
            return Ok(Self::default());
        }
        let settings: Self = Deserialize::deserialize(value)
            .map_err(|error| format!("the settings under `cudalint` cannot be read: {error}"))?;
        if let Some(arch) = &settings.arch {
            Arch::parse(arch).map_err(|problem| format!("cudalint.arch: {problem}"))?;
        }
        Ok(settings)
    }

    #[must_use]
    pub fn delay(&self) -> Duration {
        Duration::from_millis(self.delay.min(MOST_DELAY))
    }

    #[must_use]
    pub fn least(&self) -> Level {
        match self.level {
            ShownLevel::Info => Level::Info,
            ShownLevel::Warn => Level::Warn,
            ShownLevel::Error => Level::Error,
        }
    }
}

/// Options and rules of the files below one folder.
#[derive(Debug)]
pub struct Project {
    pub options: Options,
    pub selection: Selection,
    pub settings: Settings,
}

/// Projects by folder.
#[derive(Debug, Default)]
pub struct Projects {
    settings: Settings,
    /// Launches that the user chose, by kernel.
    launches: Vec<LaunchRule>,
    known: FxHashMap<PathBuf, Arc<Project>>,
    /// Compilation databases by path.
    databases: FxHashMap<PathBuf, Arc<Compiled>>,
    /// What could not be read and was not told yet.
    problems: Vec<String>,
    told: Vec<String>,
}

impl Projects {
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn set(&mut self, settings: Settings) {
        self.settings = settings;
        self.known.clear();
        self.databases.clear();
    }

    /// Takes a launch for kernels of this name, in place of one chosen before; `None` goes back to
    /// what the text says.
    pub fn choose_launch(&mut self, kernel: &str, launch: Option<LaunchRule>) {
        self.launches.retain(|rule| rule.kernel != kernel);
        self.launches.extend(launch);
        self.known.clear();
    }

    /// Reads everything again when it is next asked for.
    pub fn forget(&mut self) {
        self.known.clear();
        self.databases.clear();
        self.told.clear();
    }

    /// Sentences for the user, each once.
    pub fn problems(&mut self) -> Vec<String> {
        let mut new = std::mem::take(&mut self.problems);
        new.retain(|problem| !self.told.contains(problem));
        self.told.extend(new.iter().cloned());
        new
    }

    /// The project of the file at `path`.
    pub fn of(&mut self, path: &Path) -> Arc<Project> {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        if let Some(known) = self.known.get(&folder) {
            return known.clone();
        }
        let mut problems = Vec::new();
        let compiled = self.compiled(&folder, &mut problems);
        let project = Arc::new(self.read(&folder, compiled.as_deref(), &mut problems));
        self.problems.extend(problems);
        self.known.insert(folder, project.clone());
        project
    }

    /// The compilation database that speaks of files in `folder`.
    fn compiled(&mut self, folder: &Path, problems: &mut Vec<String>) -> Option<Arc<Compiled>> {
        let path = match &self.settings.compile_commands {
            Some(path) if path.as_os_str().is_empty() => return None,
            Some(path) => path.clone(),
            None => database_above(folder)?,
        };
        if let Some(known) = self.databases.get(&path) {
            return Some(known.clone());
        }
        let compiled = compile_commands::compiled(&path).unwrap_or_else(|problem| {
            problems.push(problem);
            Compiled::default()
        });
        let compiled = Arc::new(compiled);
        self.databases.insert(path, compiled.clone());
        Some(compiled)
    }

    fn read(
        &self,
        folder: &Path,
        compiled: Option<&Compiled>,
        problems: &mut Vec<String>,
    ) -> Project {
        // A document without a file has no folder to start from.
        let file = folder
            .is_absolute()
            .then(|| config::discover(folder))
            .flatten();
        let config = file.and_then(|file| {
            project_config::read(&file, &[])
                .map_err(|problem| problems.push(problem))
                .ok()
        });
        let config = config.unwrap_or_default();
        let selection = configured::selection(&config, None, &[], &[]).unwrap_or_else(|problem| {
            problems.push(problem);
            Selection::default_rules()
        });
        let mut options = configured::options(&config);
        if let Some(compiled) = compiled {
            options.flags.clone_from(&compiled.flags);
            // A folder may be open by another name than its own.
            let real = folder
                .canonicalize()
                .unwrap_or_else(|_| folder.to_path_buf());
            if real != folder {
                let inside = compiled.flags.iter().filter_map(|(file, flags)| {
                    Some((folder.join(file.strip_prefix(&real).ok()?), flags.clone()))
                });
                options.flags.extend(inside);
            }
            if let Some(arch) = compiled.arch.filter(|_| config.arch.is_none()) {
                options.arch = arch;
            }
        }
        if let Some(Ok(arch)) = self.settings.arch.as_deref().map(Arch::parse) {
            options.arch = arch;
        }
        let defines = self.settings.defines.iter();
        options
            .defines
            .extend(defines.map(|text| configured::define(text)));
        options
            .includes
            .extend(self.settings.includes.iter().cloned());
        options.chosen_launches.clone_from(&self.launches);
        options.fixes = false;
        // A text without a file stands alone.
        let inputs = Some(folder).filter(|folder| folder.is_absolute());
        let bounds = configured::bounds(inputs.into_iter(), &self.settings.includes, &options);
        options.bounds = Some(Arc::new(bounds));
        Project {
            options,
            selection,
            settings: self.settings.clone(),
        }
    }
}

/// The nearest database above, where build systems put it: beside the sources or in `build`.
fn database_above(folder: &Path) -> Option<PathBuf> {
    let places = folder.ancestors().filter(|place| place.is_absolute());
    places
        .flat_map(|place| [place.to_path_buf(), place.join("build")])
        .map(|place| place.join(compile_commands::FILE_NAME))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_come_bare_or_under_their_name() {
        let bare = Settings::read(&json!({ "inlayHints": "costly", "delay": 0 }));
        let named = Settings::read(&json!({ "cudalint": { "inlayHints": "costly", "delay": 0 } }));
        assert_eq!(bare, named);
        assert_eq!(bare.map(|one| one.inlay_hints), Ok(Hints::Costly));
        assert_eq!(Settings::read(&Value::Null), Ok(Settings::default()));
    }

    #[test]
    fn a_wrong_setting_is_one_sentence() {
        for value in [
            json!({ "arch": "sm_1" }),
            json!({ "codeLens": "maybe" }),
            json!(3),
        ] {
            let problem = Settings::read(&value).expect_err("wrong");
            assert!(
                problem.contains("cudalint") && !problem.contains('\n'),
                "{problem}"
            );
        }
    }
}
