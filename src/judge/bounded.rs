//! Runs a program that may not end.
//!
//! Given a command and a limit, gives its output, or says that it was stopped at the limit.

use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

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

/// The output of a command that ends within `limit` of wall-clock time.
pub fn output(command: &mut Command, limit: Duration) -> Result<Output, Failure> {
    let broken = |error: std::io::Error| Failure::Broken(error.to_string());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(broken)?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let end = Instant::now() + limit;
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
    let (stdout, stderr) = (
        stdout.join().unwrap_or_default(),
        stderr.join().unwrap_or_default(),
    );
    let status = status.ok_or(Failure::Late)?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Reads a pipe on a thread of its own, so that a full one never blocks the child.
fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a failure is kept: the reader of the output judges it.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::{Failure, output};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn what_never_ends_is_stopped() {
        let stopped = output(
            Command::new("sleep").arg("1000"),
            Duration::from_millis(100),
        );
        assert!(matches!(stopped, Err(Failure::Late)), "{stopped:?}");
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
