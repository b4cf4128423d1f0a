//! Bounds on a program that is started: what it is given to read may be made to need any amount of memory.

use std::process::Child;

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
