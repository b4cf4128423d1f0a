//! Runs a program that may not end.
//!
//! Given a command and a limit, gives its output, or says that it was stopped at the limit.

use crate::disk::{bound_memory, bound_processor_time, was_stopped};
use std::io::{Read, Write as _};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// How long a program may take.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    clock: Duration,
    /// What it is stopped by on a machine that does other things, too, where the system can count that.
    processor: Option<Duration>,
    /// Bytes that it may have of its own, where the system can count that.
    memory: Option<u64>,
}

impl Limit {
    /// The same with so many bytes of memory at most.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self {
            memory: Some(bytes),
            ..self
        }
    }
}

/// How many times its time of a processor a program waits for one at most.
const PATIENCE: u32 = 20;

/// How long the pipes of a program that has ended may be held open, by one that it began.
const TIME_TO_DRAIN: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 30 });

impl From<Duration> for Limit {
    fn from(clock: Duration) -> Self {
        Self {
            clock,
            processor: None,
            memory: None,
        }
    }
}

/// When the run as a whole ends, if the clock or a signal ends it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline {
    end: Option<Instant>,
    stop: Option<&'static AtomicBool>,
}

impl Deadline {
    pub const NEVER: Self = Self {
        end: None,
        stop: None,
    };

    pub fn at(end: Instant) -> Self {
        Self::NEVER.or_at(end)
    }

    /// As soon as `stop` is raised.
    pub fn when(stop: &'static AtomicBool) -> Self {
        Self {
            end: None,
            stop: Some(stop),
        }
    }

    /// The same, or `end` if that comes first.
    #[must_use]
    pub fn or_at(self, end: Instant) -> Self {
        Self {
            end: Some(self.end.map_or(end, |own| own.min(end))),
            ..self
        }
    }

    pub fn is_over(self) -> bool {
        self.is_stopped() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether it is over before its time.
    pub fn is_stopped(self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// How long one program may take that has `limit` for itself.
    #[must_use]
    pub fn within(self, limit: Duration) -> Duration {
        self.end.map_or(limit, |end| {
            limit.min(end.saturating_duration_since(Instant::now()))
        })
    }

    /// The same for a program that has `limit` of a processor for itself.
    #[must_use]
    pub fn within_processor_time(self, limit: Duration) -> Limit {
        Limit {
            clock: self.within(if cfg!(target_os = "linux") {
                limit * PATIENCE
            } else {
                limit
            }),
            processor: Some(limit),
            memory: None,
        }
    }
}

#[derive(Debug)]
pub enum Failure {
    /// It cannot be started or waited for.
    Broken(String),
    /// It was stopped: it had not ended within the limit.
    Late,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Broken(reason) => f.write_str(reason),
            Self::Late => f.write_str("it does not end"),
        }
    }
}

/// Why a batch was not judged.
#[derive(Debug)]
pub enum Unjudged {
    /// The run cannot go on.
    Broken(String),
    /// This was stopped: it had not ended within its limit, or when the run's time was over.
    Late(&'static str),
}

impl Failure {
    /// Says which program it was that did not end.
    pub fn of(self, program: &'static str) -> Unjudged {
        match self {
            Self::Broken(reason) => Unjudged::Broken(format!("{program}: {reason}")),
            Self::Late => Unjudged::Late(program),
        }
    }
}

impl From<String> for Unjudged {
    fn from(reason: String) -> Self {
        Self::Broken(reason)
    }
}

impl std::fmt::Display for Unjudged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Broken(reason) => f.write_str(reason),
            Self::Late(program) => write!(f, "{program} does not end"),
        }
    }
}

/// The output of a command that ends within `limit`.
pub fn output(command: &mut Command, limit: impl Into<Limit>) -> Result<Output, Failure> {
    output_of(command, Vec::new(), limit)
}

/// The same of a command that reads `input`.
pub fn output_of(
    command: &mut Command,
    input: Vec<u8>,
    limit: impl Into<Limit>,
) -> Result<Output, Failure> {
    let Limit {
        clock,
        processor,
        memory,
    } = limit.into();
    let broken = |error: std::io::Error| Failure::Broken(error.to_string());
    let mut child = command
        .stdin(if input.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(broken)?;
    if let Some(most) = processor {
        bound_processor_time(&child, most);
    }
    if let Some(most) = memory {
        bound_memory(&child, most);
    }
    if let Some(mut pipe) = child.stdin.take() {
        // A program that ends early reads no more; what it said of it counts.
        std::thread::spawn(move || {
            let _ = pipe.write_all(&input);
        });
    }
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let end = Instant::now() + clock;
    let status = loop {
        match child.try_wait().map_err(broken)? {
            Some(status) => break Some(status),
            None if Instant::now() > end => {
                // Both can only fail if the child has just ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    // Children of one that was stopped may live on and hold its pipes open: nobody waits for them.
    let status = status.ok_or(Failure::Late)?;
    if processor.is_some() && was_stopped(status) {
        return Err(Failure::Late);
    }
    let all = |pipe: Receiver<Vec<u8>>| pipe.recv_timeout(TIME_TO_DRAIN).ok();
    match (all(stdout), all(stderr)) {
        (Some(stdout), Some(stderr)) => Ok(Output {
            status,
            stdout,
            stderr,
        }),
        _ => Err(Failure::Late),
    }
}

/// Reads a pipe on a thread of its own, so that a full one never blocks the child. Gives its bytes once nobody
/// holds the other end.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (give, all) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a failure is kept: the reader of the output judges it.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody waits for it any more where this fails.
        let _ = give.send(bytes);
    });
    all
}

#[cfg(test)]
mod tests {
    use super::{Deadline, Failure, Limit, output, output_of};
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    #[test]
    fn what_never_ends_is_stopped() {
        let stopped = output(
            Command::new("sleep").arg("1000"),
            Duration::from_millis(100),
        );
        assert!(matches!(stopped, Err(Failure::Late)), "{stopped:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_takes_too_long_of_a_processor_is_stopped() {
        let limit = Deadline::NEVER.within_processor_time(Duration::from_secs(1));
        let mut busy = Command::new("sh");
        let stopped = output(busy.args(["-c", "while :; do :; done"]), limit);
        assert!(matches!(stopped, Err(Failure::Late)), "{stopped:?}");
        let waits = output(Command::new("sleep").arg("1.5"), limit);
        assert!(waits.is_ok(), "{waits:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_takes_too_much_memory_fails() {
        let limit = Limit::from(Duration::from_secs(60)).with_memory(64 << 20);
        let mut large = Command::new("sh");
        // Waits until the bound stands, then asks for more.
        let text = "sleep 0.3; exec head -c 1000000000 /dev/zero | tail -c 999999999 >/dev/null";
        let ended = output(large.args(["-c", text]), limit);
        assert!(
            matches!(&ended, Ok(output) if !output.status.success()),
            "{ended:?}"
        );
    }

    #[test]
    fn children_of_what_is_stopped_hold_nobody_up() {
        let begun = Instant::now();
        let stopped = output(
            Command::new("sh").args(["-c", "sleep 20; true"]),
            Duration::from_millis(100),
        );
        assert!(matches!(stopped, Err(Failure::Late)), "{stopped:?}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn children_of_what_has_ended_hold_nobody_up() {
        let begun = Instant::now();
        let ended = output(
            Command::new("sh").args(["-c", "sleep 20 & true"]),
            Duration::from_secs(60),
        );
        assert!(matches!(ended, Err(Failure::Late)), "{ended:?}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_deadline_cuts_limits() {
        let limit = Duration::from_secs(60);
        assert_eq!(Deadline::NEVER.within(limit), limit);
        let over = Deadline::NEVER.or_at(Instant::now());
        assert!(over.is_over());
        assert_eq!(over.within(limit), Duration::ZERO);
    }

    #[test]
    fn a_signal_ends_a_run_before_its_time() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let deadline = Deadline::when(&STOP).or_at(Instant::now() + Duration::from_secs(60));
        assert!(!deadline.is_over());
        STOP.store(true, Ordering::Relaxed);
        assert!(deadline.is_over() && deadline.is_stopped());
    }

    #[test]
    fn input_is_read() {
        let same = output_of(
            &mut Command::new("cat"),
            vec![b'x'; 1_000_000],
            Duration::from_secs(60),
        );
        assert_eq!(same.map(|output| output.stdout.len()).ok(), Some(1_000_000));
    }

    #[test]
    fn more_than_a_pipe_holds_is_read() {
        let long = output(
            Command::new("head").args(["-c", "1000000", "/dev/zero"]),
            Duration::from_secs(60),
        );
        assert_eq!(long.map(|output| output.stdout.len()).ok(), Some(1_000_000));
    }
}
