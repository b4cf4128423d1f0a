//! The process that started the server: when it is gone, so is the session.
//!
//! Given its number, says that the client is gone once no process has that number. The protocol asks
//! for this, since the input may stay open in somebody else's hands.

use super::Event;
use std::sync::mpsc::Sender;

/// Watches the process, on a thread of its own, for as long as anybody hears.
#[cfg(unix)]
pub fn watch(number: i64, events: Sender<Event>) {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    use std::time::Duration;

    const PAUSE: Duration = Duration::from_secs(2);
    let process = i32::try_from(number).ok().and_then(Pid::from_raw);
    std::thread::spawn(move || {
        // A process of another user may not be asked, but is there.
        let is_there =
            || process.is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH));
        while is_there() {
            std::thread::sleep(PAUSE);
        }
        let _ = events.send(Event::Closed);
    });
}

#[cfg(not(unix))]
pub fn watch(_number: i64, _events: Sender<Event>) {}
