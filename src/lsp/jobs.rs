//! Work that takes time, done off the thread that talks to the client.
//!
//! Given jobs, runs one at a time on a pool of workers: the newest first, documents
//! that are edited before everything else. A job that is overtaken is stopped and
//! told so; it comes again behind what overtook it. Knows nothing of what jobs do.

use super::Event;
use crate::session;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Subject of a job; a new job about the same subject replaces one that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The analysis of a document, by URI.
    Document(String),
    /// The answer to a request, by its id as text.
    Request(String),
    /// Files that nobody has open.
    Background,
}

/// Place of a job among those that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At once: what runs is stopped. It is told so and may come again.
    Now,
    /// Before all that wait.
    Next,
    /// Behind documents and requests that wait, before the background: for a job that was
    /// overtaken, as what overtook it may not have begun yet.
    Again,
    /// Behind all that wait.
    Last,
}

/// Does the work and says what came of it.
pub type Work = Box<dyn FnOnce(&Arc<AtomicBool>) -> Event + Send>;

struct Job {
    subject: Subject,
    work: Work,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Job>,
    running: Option<(Subject, Arc<AtomicBool>)>,
    /// Nobody asks for anything any more.
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

/// The door to the worker, which ends with it.
pub struct Jobs(Arc<Shared>);

impl Jobs {
    /// Starts the worker, which sends what comes of its jobs to `events`.
    #[must_use]
    pub fn start(events: Sender<Event>) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        thread::spawn(move || work(&theirs, &events));
        Self(shared)
    }

    /// Puts a job where `turn` says.
    pub fn submit(&self, subject: Subject, turn: Turn, work: Work) {
        let mut queue = lock(&self.0.queue);
        queue.waiting.retain(|job| job.subject != subject);
        if let Some((running, stop)) = &queue.running
            && (turn == Turn::Now || *running == subject)
        {
            stop.store(true, Ordering::Relaxed);
        }
        let job = Job { subject, work };
        let place = match turn {
            Turn::Now | Turn::Next => 0,
            Turn::Again => {
                let mut waiting = queue.waiting.iter();
                let background = waiting.position(|job| job.subject == Subject::Background);
                background.unwrap_or(queue.waiting.len())
            }
            Turn::Last => queue.waiting.len(),
        };
        queue.waiting.insert(place, job);
        self.0.wake.notify_one();
    }

    /// Drops the job where it waits, stops it where it runs.
    pub fn cancel(&self, subject: &Subject) -> Cancelled {
        let mut queue = lock(&self.0.queue);
        let before = queue.waiting.len();
        queue.waiting.retain(|job| job.subject != *subject);
        if queue.waiting.len() < before {
            return Cancelled::Dropped;
        }
        match &queue.running {
            Some((running, stop)) if running == subject => {
                stop.store(true, Ordering::Relaxed);
                Cancelled::Stopped
            }
            _ => Cancelled::Unknown,
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.queue);
        queue.is_over = true;
        queue.waiting.clear();
        if let Some((_, stop)) = &queue.running {
            stop.store(true, Ordering::Relaxed);
        }
        self.0.wake.notify_one();
    }
}

/// State of a cancelled job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It had not begun and will say nothing.
    Dropped,
    /// It runs, and says so when it has stopped.
    Stopped,
    Unknown,
}

fn work(shared: &Shared, events: &Sender<Event>) {
    // One pool for all jobs: threads are not free to start.
    let pool = session::workers(0);
    while let Some((job, stop)) = next(shared) {
        let Job { subject, work } = job;
        let run = || match &pool {
            Some(pool) => pool.install(|| work(&stop)),
            None => work(&stop),
        };
        // A bug in one analysis must not take the editor's server away.
        let event =
            catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Event::Crashed(subject.clone()));
        lock(&shared.queue).running = None;
        if events.send(event).is_err() {
            return;
        }
    }
}

/// Waits for the next job; `None` once it is over.
fn next(shared: &Shared) -> Option<(Job, Arc<AtomicBool>)> {
    let mut queue = lock(&shared.queue);
    while !queue.is_over {
        if let Some(job) = queue.waiting.pop_front() {
            let stop = Arc::new(AtomicBool::new(false));
            queue.running = Some((job.subject.clone(), stop.clone()));
            return Some((job, stop));
        }
        queue = shared
            .wake
            .wait(queue)
            .unwrap_or_else(PoisonError::into_inner);
    }
    None
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    #[test]
    fn a_worker_ends_with_its_door() {
        let (events, inbox) = channel();
        let jobs = Jobs::start(events);
        jobs.submit(
            Subject::Background,
            Turn::Last,
            Box::new(|_| Event::Crashed(Subject::Background)),
        );
        assert!(inbox.recv_timeout(Duration::from_secs(30)).is_ok());
        drop(jobs);
        let after = inbox.recv_timeout(Duration::from_secs(30));
        assert!(matches!(after, Err(RecvTimeoutError::Disconnected)));
    }

    /// A job that would never end makes way for one that is urgent, which comes first.
    #[test]
    fn what_is_urgent_stops_what_runs() {
        let document = |name: &str| Subject::Document(name.to_owned());
        let (events, inbox) = channel();
        let jobs = Jobs::start(events);
        let (begun, begins) = channel();
        jobs.submit(
            document("long"),
            Turn::Next,
            Box::new(move |stop| {
                let _ = begun.send(());
                while !stop.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                Event::Stopped(Subject::Document("long".to_owned()))
            }),
        );
        assert!(begins.recv_timeout(Duration::from_secs(30)).is_ok());
        let short =
            || -> Work { Box::new(|_| Event::Crashed(Subject::Document("short".to_owned()))) };
        jobs.submit(document("short"), Turn::Now, short());
        let first = inbox.recv_timeout(Duration::from_secs(30));
        assert!(matches!(first, Ok(Event::Stopped(subject)) if subject == document("long")));
        let second = inbox.recv_timeout(Duration::from_secs(30));
        assert!(matches!(second, Ok(Event::Crashed(subject)) if subject == document("short")));
    }

    /// What is asked for last is done first, what was overtaken after that, and what nobody has open last of all.
    #[test]
    fn the_newest_is_first_and_the_background_last() {
        let (events, inbox) = channel();
        let jobs = Jobs::start(events);
        let ((open, door), (begun, begins)) = (channel::<()>(), channel());
        let is_done = |subject: Subject| -> Work { Box::new(move |_| Event::Crashed(subject)) };
        // Holds the worker until all others wait.
        jobs.submit(
            Subject::Request("holds".to_owned()),
            Turn::Next,
            Box::new(move |_| {
                let _ = begun.send(());
                let _ = door.recv_timeout(Duration::from_secs(30));
                Event::Crashed(Subject::Request("holds".to_owned()))
            }),
        );
        assert!(begins.recv_timeout(Duration::from_secs(30)).is_ok());
        let names = ["first", "second", "third"].map(|name| Subject::Document(name.to_owned()));
        jobs.submit(
            Subject::Background,
            Turn::Last,
            is_done(Subject::Background),
        );
        for name in &names {
            jobs.submit(name.clone(), Turn::Next, is_done(name.clone()));
        }
        assert_eq!(jobs.cancel(&names[1]), Cancelled::Dropped);
        let overtaken = Subject::Document("overtaken".to_owned());
        jobs.submit(overtaken.clone(), Turn::Again, is_done(overtaken.clone()));
        drop(open);
        let mut order = Vec::new();
        for _ in 0..5 {
            let Ok(Event::Crashed(subject)) = inbox.recv_timeout(Duration::from_secs(30)) else {
                panic!("a job is missing after {order:?}");
            };
            order.push(subject);
        }
        let [first, _, third] = names;
        let holds = Subject::Request("holds".to_owned());
        assert_eq!(order, [holds, third, first, overtaken, Subject::Background]);
    }
}
