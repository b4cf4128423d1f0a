//! `cudalint config`: the settings that hold, whether they can be used, and their schema.

use super::args::{ConfigAction, ConfigArgs};
use super::{check, print, print_shown, settings};
use crate::config;

/// # Errors
/// One sentence with the place of what is wrong.
pub fn run(args: &ConfigArgs) -> Result<u8, String> {
    if args.action == ConfigAction::Schema {
        return Ok(print(&config::schema()));
    }
    let (config, file) = settings::configuration(&args.paths, &args.config, false)?;
    check::rules_of(&config)?;
    let place = file.map_or_else(
        || "no configuration file".to_owned(),
        |file| file.display().to_string(),
    );
    let text = match args.action {
        ConfigAction::Check => format!("{place}: valid\n"),
        _ => format!("# {place}\n{}", config.to_toml()),
    };
    Ok(print_shown(&text))
}
