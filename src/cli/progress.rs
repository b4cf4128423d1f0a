//! A run on a terminal: how far it is; and a signal, which ends it with a report of what was done.

use crate::session::control::Control;
use indicatif::ProgressBar;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Fewer files are done before anybody wonders.
const MANY: usize = 8;
/// Time between two looks at the run.
const TICK: Duration = Duration::from_millis(150);
/// Looks at a run before its slowest file is named.
const PATIENCE: usize = 20;

/// The run that a signal stops.
static RUNNING: Mutex<Option<Arc<Control>>> = Mutex::new(None);

/// A flag that SIGINT and SIGTERM raise from now on; the second one ends the program at once.
pub fn raised_by_signal() -> &'static AtomicBool {
    static RAISED: AtomicBool = AtomicBool::new(false);
    // A second handler is refused; the first one serves its run.
    let _ = ctrlc::set_handler(|| {
        if RAISED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &RAISED
}

/// A run under way; ends with its bar.
pub struct Progress {
    pub control: Arc<Control>,
    is_over: Arc<AtomicBool>,
    ticker: Option<std::thread::JoinHandle<()>>,
}

impl Progress {
    /// From now on SIGINT and SIGTERM let the run end early, the second one at once.
    #[must_use]
    pub fn of(files: usize) -> Self {
        let control = Arc::new(Control::default());
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(control.clone());
        // A second handler is refused; the first one serves this run, too.
        let _ = ctrlc::set_handler(|| {
            let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            match running.as_ref().filter(|control| !control.is_stopped()) {
                Some(control) => control.stop(),
                None => std::process::exit(130),
            }
        });
        let is_over = Arc::new(AtomicBool::new(false));
        let shows = files >= MANY && std::io::stderr().is_terminal();
        let ticker = shows.then(|| {
            let (control, is_over) = (control.clone(), is_over.clone());
            std::thread::spawn(move || tick(files, &control, &is_over))
        });
        Self {
            control,
            is_over,
            ticker,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(ticker) = self.ticker.take() {
            let _ = ticker.join();
        }
    }
}

fn tick(files: usize, control: &Control, is_over: &AtomicBool) {
    let bar = ProgressBar::new_spinner();
    let (mut slow, mut looks) = (None, 0);
    while !is_over.load(Ordering::Relaxed) {
        let slowest = control.slowest();
        looks = if slowest == slow { looks + 1 } else { 0 };
        slow = slowest;
        let mut message = match control.progress() {
            (_, 0) => format!("reading {files} files"),
            (done, all) => format!("{done} of {all} files"),
        };
        if let Some(file) = slow.as_ref().filter(|_| looks > PATIENCE) {
            message.push_str(&format!(", at {}", file.display()));
        }
        if control.is_stopped() {
            message.push_str(", stopping");
        }
        bar.set_message(message);
        bar.tick();
        std::thread::sleep(TICK);
    }
    bar.finish_and_clear();
}
