//! `cudalint baseline`, and the record that `--baseline` reads.

use super::args::{BaselineAction, BaselineArgs, CheckArgs};
use super::inputs::Base;
use super::settings::Settings;
use super::{CLEAN, check, complain_plainly, print_shown, write_file};
use crate::contract::baseline::{Baseline, Compared};
use crate::disk::{self, MOST_SETTINGS, Refusal, bounds};
use crate::finding::Finding;
use crate::session::{self, Analysis};
use std::path::{Path, PathBuf};

/// The record's name where neither a flag nor the configuration gives one.
const FILE_NAME: &str = "cudalint-baseline.json";

/// # Errors
/// One sentence.
pub fn run(args: &BaselineArgs) -> Result<u8, String> {
    let check = &args.check;
    if check.shard.is_some() && args.action != BaselineAction::Check {
        return Err("--shard: a part of a run is no record of the whole".to_owned());
    }
    let found = check::find(check)?;
    if found.is_stopped && args.action != BaselineAction::Check {
        return Err("a part of a run is no record of the whole".to_owned());
    }
    let path = path(check, &found.settings).unwrap_or_else(|| PathBuf::from(FILE_NAME));
    let name = name(&path);
    match args.action {
        BaselineAction::Check => {
            let known = read(&path)?;
            let compared = known.compare(found.findings.clone(), &found.analysis.sources, &name);
            let gone = compared.gone;
            let code = check::report(check, found, Some(compared))?;
            if gone > 0 {
                complain_plainly(&format!(
                    "note: {gone} of {} recorded findings are gone; `cudalint baseline prune` takes them out\n",
                    known.len()
                ));
            }
            Ok(code)
        }
        BaselineAction::Write => {
            let baseline = Baseline::of(&found.findings, &found.analysis.sources, &name);
            write(&path, &baseline)?;
            let text = format!("{} recorded in {}\n", baseline.len(), path.display());
            Ok(found.code.max(print_shown(&text)))
        }
        BaselineAction::Prune => {
            let known = read(&path)?;
            let compared = known.compare(found.findings, &found.analysis.sources, &name);
            write(&path, &compared.pruned)?;
            let text = format!(
                "{} taken out, {} left in {}\n",
                compared.gone,
                compared.pruned.len(),
                path.display()
            );
            Ok(found.code.max(print_shown(&text)))
        }
    }
}

/// The record that a run is held to, if it is held to one.
///
/// # Errors
/// One sentence.
pub fn compare(
    args: &CheckArgs,
    settings: &Settings,
    findings: Vec<Finding>,
    analysis: &Analysis,
) -> Result<Compared, String> {
    match path(args, settings) {
        Some(path) => {
            let known = read(&path)?;
            Ok(known.compare(findings, &analysis.sources, &name(&path)))
        }
        None => Ok(Compared {
            new: findings,
            ..Compared::default()
        }),
    }
}

/// Takes out what the same inputs showed before.
pub fn since(
    base: &Base,
    settings: &Settings,
    select: &dyn Fn(&mut Analysis) -> Vec<Finding>,
    findings: Vec<Finding>,
    analysis: &Analysis,
) -> Compared {
    let name = |path: &Path| path.display().to_string();
    let before = if base.concerns(analysis) {
        let options = session::Options {
            fixes: false,
            overlay: base.overlay.clone(),
            ..settings.options.clone()
        };
        let mut before = super::analyse(&base.files, &options);
        let findings = select(&mut before);
        Baseline::of(&findings, &before.sources, &name)
    } else {
        Baseline::of(&findings, &analysis.sources, &name)
    };
    let mut compared = before.compare(findings, &analysis.sources, &name);
    for one in &mut compared.accepted {
        one.reason = "was there before".to_owned();
    }
    compared
}

fn path(args: &CheckArgs, settings: &Settings) -> Option<PathBuf> {
    args.baseline
        .clone()
        .or_else(|| settings.config.baseline.clone())
}

/// Files go by their path from the record's folder, so that it means the same everywhere.
fn name(record: &Path) -> impl Fn(&Path) -> String + use<> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = absolute(record).parent().map(Path::to_path_buf);
    move |path: &Path| {
        let path = absolute(path);
        let shown = folder
            .as_ref()
            .and_then(|folder| path.strip_prefix(folder).ok())
            .unwrap_or(&path);
        shown.display().to_string().replace('\\', "/")
    }
}

fn read(path: &Path) -> Result<Baseline, String> {
    if bounds::leads_out(path).is_some() {
        return Err(format!("{}: {}", path.display(), bounds::LINK_OUT));
    }
    let text = disk::text(path, MOST_SETTINGS).map_err(|why| match why {
        Refusal::NotFound => format!(
            "{}: no such file; `cudalint baseline write` makes it",
            path.display()
        ),
        why => format!("{}: {why}", path.display()),
    })?;
    Baseline::from_text(&text).map_err(|problem| format!("{} {problem}", path.display()))
}

/// Writes the record where there is none, or in the place of one: a configuration may name any file of its
/// project.
fn write(path: &Path, baseline: &Baseline) -> Result<u8, String> {
    match disk::text(path, MOST_SETTINGS) {
        Ok(text) if text.trim().is_empty() || Baseline::is_one(&text) => {}
        Err(Refusal::NotFound) => {}
        Ok(_) | Err(Refusal::NotText | Refusal::TooLarge(_)) => {
            return Err(format!(
                "{} is no baseline and stays as it is; delete it first, or name another file with --baseline",
                path.display()
            ));
        }
        // A pipe or a terminal takes what it is given; the rest is told when it is written.
        Err(_) => {}
    }
    write_file(path, baseline.to_text().as_bytes())?;
    Ok(CLEAN)
}
