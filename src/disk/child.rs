//! Bounds on a program that is started: what it is given to read may be made to need any amount of memory and time.

use std::process::{Child, ExitStatus};
use std::time::Duration;

/// Lets a program that was just started have no more than so many bytes of its own, where the system can do
/// that; files that it only looks at are not counted. It ends where it needs more.
pub fn bound_memory(child: &Child, bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let limit = Rlimit {
            current: Some(bytes),
            maximum: Some(bytes),
        };
        // A program that has ended already needs none.
        let _ = prlimit(Some(Pid::from_child(child)), Resource::Data, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (child, bytes);
}

/// Lets a program that was just started, and each program that it starts, take no more than so many seconds of a
/// processor, and gives whether the system can do that. It is stopped by a signal where it takes more.
pub fn bound_processor_time(child: &Child, limit: Duration) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let seconds = Some(limit.as_secs().max(1));
        let limit = Rlimit {
            current: seconds,
            maximum: seconds,
        };
        // A program that has ended already takes no more.
        let _ = prlimit(Some(Pid::from_child(child)), Resource::Cpu, limit);
        true
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (child, limit);
        false
    }
}

/// Whether a program whose time of a processor was bounded ended by the signal that it gets then.
#[must_use]
pub fn was_stopped(status: ExitStatus) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::Signal;
        use std::os::unix::process::ExitStatusExt;
        let signal = status.signal();
        let sent = [Signal::XCPU, Signal::KILL];
        sent.iter().any(|one| signal == Some(one.as_raw()))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = status;
        false
    }
}
