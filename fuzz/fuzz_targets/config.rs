//! Any bytes as cudalint.toml, as a setting of the command line, and as a baseline.

#![no_main]

use cudalint::config::{Config, glob_matches};
use cudalint::contract::baseline::Baseline;
use cudalint::session::input::configured;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let path = Path::new("cudalint.toml");
    match Config::read(path, &text, &[]) {
        Ok(config) => {
            let _ = configured::options(&config);
            let _ = configured::selection(&config, None, &[], &[]);
            let shown = config.to_toml();
            let again = Config::read(path, &shown, &[]).expect("what is shown can be read");
            assert_eq!(shown, again.to_toml(), "reading what is shown changes it");
        }
        Err(problem) => assert!(!problem.is_empty()),
    }
    let lines: Vec<String> = text.lines().take(8).map(str::to_owned).collect();
    let _ = Config::read(path, "", &lines);
    if let Ok(baseline) = Baseline::from_text(&text) {
        let _ = Baseline::from_text(&baseline.to_text()).expect("what is written can be read");
    }
    let (pattern, name) = text.split_once('\n').unwrap_or((&text, "a/b.cu"));
    let _ = glob_matches(pattern, name);
});
