//! Messages on a pair of byte streams.
//!
//! Given an input and an output, gives events and takes messages. What is no message
//! is answered with an error and skipped: only the end of the input ends the
//! reading. Knows nothing of what messages mean.

use super::Event;
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Larger messages are skipped: no document that is analysed comes near.
const MOST_BYTES: usize = 256 << 20;

/// Longer lines are no headers.
const MOST_HEADER: u64 = 4 << 10;

/// Messages to the client.
#[derive(Debug)]
pub enum Outgoing {
    Message(Message),
    /// An error about something that had no readable id.
    Raw(Value),
}

/// Where messages to the client are put.
#[derive(Clone, Debug)]
pub struct Outbox(Sender<Outgoing>);

impl Outbox {
    /// A client that has gone away is noticed by the reader; nothing is to be done here.
    pub fn send(&self, message: impl Into<Message>) {
        let _ = self.0.send(Outgoing::Message(message.into()));
    }

    fn refuse(&self, id: Value, code: ErrorCode, message: &str) {
        let _ = self.0.send(Outgoing::Raw(json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": code as i32, "message": message },
        })));
    }
}

/// Starts writing to `output`; the thread ends when every outbox is gone.
pub fn write(
    mut output: impl Write + Send + 'static,
    events: Sender<Event>,
) -> (Outbox, thread::JoinHandle<()>) {
    let (sender, receiver): (_, Receiver<Outgoing>) = channel();
    let thread = thread::spawn(move || {
        for outgoing in receiver {
            let written = match &outgoing {
                Outgoing::Message(message) => message.write(&mut output),
                Outgoing::Raw(value) => frame(&mut output, &value.to_string()),
            };
            if written.is_err() {
                let _ = events.send(Event::Closed);
                return;
            }
        }
    });
    (Outbox(sender), thread)
}

fn frame(output: &mut impl Write, text: &str) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// Reads `input` to its end, on a thread of its own.
pub fn read(input: impl Read + Send + 'static, outbox: Outbox, events: Sender<Event>) {
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(frame)) = next(&mut input) {
            match frame.and_then(|body| message(&body)) {
                Ok(message) => {
                    if events.send(Event::Message(message)).is_err() {
                        return;
                    }
                }
                Err(broken) => outbox.refuse(broken.id, broken.code, &broken.why),
            }
        }
        let _ = events.send(Event::Closed);
    });
}

/// Why something is no message.
#[derive(Debug)]
struct Broken {
    id: Value,
    code: ErrorCode,
    why: String,
}

impl Broken {
    fn unreadable(why: impl Into<String>) -> Self {
        Self {
            id: Value::Null,
            code: ErrorCode::ParseError,
            why: why.into(),
        }
    }
}

/// The bytes of the next message; `None` at the end of the input.
fn next(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, Broken>>> {
    let mut length: Option<usize> = None;
    let mut any = false;
    loop {
        let mut line = Vec::new();
        // A line without an end is read in pieces, none of which is a header.
        let mut piece = input.by_ref().take(MOST_HEADER);
        if piece.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            if any {
                break;
            }
            continue;
        }
        any = true;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse().ok();
        }
    }
    let Some(length) = length else {
        return Ok(Some(Err(Broken::unreadable(
            "a header without a Content-Length; the message is skipped",
        ))));
    };
    if length > MOST_BYTES {
        io::copy(&mut input.take(length as u64), &mut io::sink())?;
        return Ok(Some(Err(Broken::unreadable(format!(
            "a message of {length} bytes is longer than {MOST_BYTES}; it is skipped"
        )))));
    }
    let mut body = vec![0; length];
    match input.read_exact(&mut body) {
        Ok(()) => Ok(Some(Ok(body))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn message(body: &[u8]) -> Result<Message, Broken> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| Broken::unreadable(format!("the message is no JSON ({error})")))?;
    let id = value.get("id").cloned();
    // With an id that nobody can use, a request would pass for a notification.
    match (serde_json::from_value(value), &id) {
        (Ok(Message::Notification(_)), Some(_)) | (Err(_), _) => {}
        (Ok(message), _) => return Ok(message),
    }
    Err(Broken {
        id: id.unwrap_or(Value::Null),
        code: ErrorCode::InvalidRequest,
        why: "the message is neither a request nor a notification nor a response".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<Result<String, String>> {
        let mut input = bytes;
        let mut found = Vec::new();
        while let Ok(Some(frame)) = next(&mut input) {
            found.push(
                frame
                    .map(|body| String::from_utf8_lossy(&body).into_owned())
                    .map_err(|broken| broken.why),
            );
        }
        found
    }

    #[test]
    fn a_broken_header_does_not_end_the_reading() {
        let found = frames(
            b"Nonsense\r\n\r\nContent-Length: x\r\n\r\ncontent-length:2\n\n{}Content-Length: 9\r\n\r\ncut",
        );
        assert_eq!(found.len(), 3);
        assert!(found[0].is_err() && found[1].is_err());
        assert_eq!(found[2], Ok("{}".to_owned()));
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        let code = |text: &str| message(text.as_bytes()).map_err(|broken| broken.code as i32);
        assert_eq!(code("{").err(), Some(ErrorCode::ParseError as i32));
        assert_eq!(
            code("{\"id\":7,\"nothing\":1}").err(),
            Some(ErrorCode::InvalidRequest as i32)
        );
        assert!(code("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}").is_ok());
    }
}
