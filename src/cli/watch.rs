//! `--watch`: a run, and another one whenever a file of it changes.

use super::args::CheckArgs;
use super::{check, complain, complain_plainly, print};
use crate::session::input::folders;
use crate::session::input::load;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(400);

/// Runs until the process is ended.
///
/// # Errors
/// One sentence, if the first run cannot be made.
pub fn run(args: &CheckArgs) -> Result<u8, String> {
    if args.input.paths.iter().any(|path| load::is_stdin(path)) {
        return Err("--watch cannot follow the standard input; name files or folders".to_owned());
    }
    let mut is_first = true;
    loop {
        if std::io::stdout().is_terminal() {
            // Clears the screen and goes to its top.
            print("\x1b[2J\x1b[H");
        }
        match check::once(args) {
            Err(problem) if is_first => return Err(problem),
            Err(problem) => complain(&problem),
            Ok(_) => {}
        }
        is_first = false;
        complain_plainly("waiting for changes; Ctrl-C ends this\n");
        let before = state(args);
        while state(args) == before {
            std::thread::sleep(PAUSE);
        }
    }
}

/// When each file was last written.
fn state(args: &CheckArgs) -> BTreeMap<PathBuf, Option<SystemTime>> {
    let mut times = BTreeMap::new();
    for path in &args.input.paths {
        for file in folders::files(path, None).filter_map(Result::ok) {
            let known = std::fs::symlink_metadata(&file).ok();
            times.insert(file, known.and_then(|file| file.modified().ok()));
        }
    }
    times
}
