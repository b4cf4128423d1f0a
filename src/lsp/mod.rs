//! The language server: what `cudalint` knows, in an editor.
//!
//! Given a client on a pair of byte streams, answers it until it goes away. Reads
//! files of the workspace and writes none; edits go to the client. Never runs
//! anything. Knows nothing of the command line.

mod actions;
mod answer;
mod changes;
mod client;
mod commands;
mod comments;
mod diagnostics;
mod documents;
mod hints;
mod hover;
mod index;
mod jobs;
mod lens;
mod outgoing;
mod parent;
mod position;
mod requests;
mod server;
mod settings;
mod transport;
mod uri;
mod workspace_diagnostics;

use answer::Answer;
use index::Index;
use jobs::Subject;
use lsp_server::{Message, Response};
use server::Server;
use std::io::{Read, Write};
use std::sync::mpsc::channel;

/// Events of the server's loop.
#[derive(Debug)]
enum Event {
    /// The client says something.
    Message(Message),
    /// The client is gone.
    Closed,
    /// A document was analysed.
    Answered(Box<Answer>),
    /// A file that is not open was analysed for the workspace's diagnostics.
    Swept(Box<Option<Answer>>),
    /// A request was worked on for a while.
    Replied(Response),
    /// A job was stopped before its end.
    Stopped(Subject),
    /// A job met a bug.
    Crashed(Subject),
    /// The workspace was looked through.
    Indexed(Index),
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client said goodbye first.
    Orderly,
    /// It went away without a word.
    Abrupt,
}

/// Serves one client until it is gone.
pub fn serve(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> End {
    let (events, inbox) = channel();
    let (outbox, writer) = transport::write(output, events.clone());
    transport::read(input, outbox.clone(), events.clone());
    let mut server = Server::new(outbox, events);
    let end = server.run(&inbox);
    drop(server);
    // The reader may hold an outbox for as long as the input is open: wait only for a client
    // that listens.
    if end == End::Orderly {
        let patience = std::time::Instant::now() + std::time::Duration::from_millis(200);
        while !writer.is_finished() && std::time::Instant::now() < patience {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    end
}
