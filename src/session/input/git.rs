//! Git's view of a working tree: which files changed, and what they held before.
//!
//! Given a folder inside of a repository, reads its objects and its index with git's plumbing.
//! Knows nothing of CUDA, and never lets a repository run anything:
//!
//! * The repository is the one whose `.git` lies in the folder or above it. Git tracks no file of that
//!   name, so no committed folder passes for a repository.
//! * What `.git` holds is regular files, and does not lead to another repository ([`git_folder`]).
//! * Git is shown `.git` in the place of the working tree, so that it opens no file of that by itself:
//!   a `.gitattributes` may be a pipe.
//! * Commands are those that read objects and the index only. None converts a file of the working tree,
//!   since that runs the filters which a configuration names.
//! * What a configuration may name to be run is switched off all the same, and no remote is asked.
//! * No command takes for ever or all memory, and no object is taken that unpacks to more than was asked for.

use super::git_folder;
use crate::disk;
use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A repository, and a state of it to compare with.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
    /// What `.git` is, or leads to.
    folder: PathBuf,
    /// Name of the commit to compare with; empty before the first one.
    base: String,
    /// Bytes of objects that the run may still take.
    left: Arc<AtomicU64>,
}

/// A file that differs from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Absolute.
    pub path: PathBuf,
    /// Its object at the base; `None` for a new file.
    before: Option<String>,
    /// Its object in the index, if it is tracked.
    now: Option<String>,
}

/// A file as the index has it.
struct Entry {
    path: PathBuf,
    object: String,
    is_regular: bool,
}

/// How git writes the modes of files begins so.
const REGULAR: &str = "100";

/// Settings of a repository that name something to run, or a service to ask, or let memory grow.
const SWITCHED_OFF: [&str; 14] = [
    "core.attributesFile=/dev/null",
    // Larger objects are not held in memory as a whole.
    "core.bigFileThreshold=64m",
    "core.excludesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.alternateRefsCommand=false",
    "core.virtualFilesystem=",
    "core.untrackedCache=false",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
];

/// The same in git's environment.
const VARIABLES: [(&str, &str); 5] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_LITERAL_PATHSPECS", "1"),
];

/// Lists of a repository's files are longer than its files. A larger answer is none.
const MOST_LISTED: u64 = 1 << 30;
/// Texts of a run that come from git.
const MOST_OBJECTS: u64 = 512 << 20;
/// Bytes that git may have of its own: a small pack may unpack to any size on the way to what is asked for.
const MOST_MEMORY: u64 = 2 << 30;
/// Seconds after which git waits for something that does not come.
const MOST_SECONDS: u64 = 300;

impl Repository {
    /// The repository around `folder`, to be compared with where `reference` and HEAD parted.
    ///
    /// # Errors
    /// One sentence.
    pub fn since(folder: &Path, reference: &str) -> Result<Self, String> {
        let mut this = Self::around(folder)?;
        let unknown = || {
            format!(
                "--since {reference}: git knows no such commit; name a branch, tag or commit (in CI, fetch it first)"
            )
        };
        // What starts like a flag would be one.
        if reference.starts_with('-') || reference.chars().any(char::is_control) {
            return Err(unknown());
        }
        let name = format!("{reference}^{{commit}}");
        let commit = this
            .line(&["rev-parse", "--verify", "--quiet", &name])
            .map_err(|_| unknown())?;
        // Without a common ancestor the commit itself is the base.
        this.base = this
            .line(&["merge-base", "HEAD", &commit])
            .unwrap_or(commit);
        Ok(this)
    }

    /// The repository around `folder`, to be compared with HEAD.
    ///
    /// # Errors
    /// One sentence.
    pub fn staged(folder: &Path) -> Result<Self, String> {
        let mut this = Self::around(folder)?;
        // Before the first commit everything is new.
        this.base = this
            .line(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
            .unwrap_or_default();
        Ok(this)
    }

    fn around(folder: &Path) -> Result<Self, String> {
        let root = root(folder)
            .ok_or_else(|| format!("{} lies in no git repository", folder.display()))?;
        let folder = git_folder::check(&root)?;
        Ok(Self {
            root,
            folder,
            base: String::new(),
            left: Arc::new(AtomicU64::new(MOST_OBJECTS)),
        })
    }

    /// The folder that its `.git` lies in, links resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Files of the working tree that differ from the base: tracked ones, and those of `others` that
    /// are new. Larger files than `most` bytes count as changed.
    ///
    /// # Errors
    /// One sentence.
    pub fn changed<'a>(
        &self,
        others: impl Iterator<Item = &'a Path>,
        most: u64,
    ) -> Result<Vec<Changed>, String> {
        let entries = self.index()?;
        let staged = self.staged_changes()?;
        let objects = self.objects_on_disk(&entries, most)?;
        let mut changed = Vec::new();
        for (entry, on_disk) in entries.iter().zip(objects) {
            let before = match staged.get(&entry.path) {
                Some(known) => known.before.clone(),
                None => Some(entry.object.clone()),
            };
            let path = self.root.join(&entry.path);
            let is_same = before.is_some() && before == on_disk;
            if is_same || !path.exists() {
                continue;
            }
            let one = Changed {
                path,
                before,
                now: Some(entry.object.clone()),
            };
            if !self.differs_in_line_ends_only(&one, most) {
                changed.push(one);
            }
        }
        let tracked: rustc_hash::FxHashSet<PathBuf> = entries
            .iter()
            .map(|entry| self.root.join(&entry.path))
            .collect();
        changed.extend(
            others
                .filter_map(|path| std::fs::canonicalize(path).ok())
                .filter(|path| path.starts_with(&self.root) && !tracked.contains(path))
                .map(|path| Changed {
                    path,
                    before: None,
                    now: None,
                }),
        );
        Ok(changed)
    }

    /// Files whose staged text differs from the base.
    ///
    /// # Errors
    /// One sentence.
    pub fn changed_in_index(&self) -> Result<Vec<Changed>, String> {
        let mut changed: Vec<Changed> = self.staged_changes()?.into_values().collect();
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changed)
    }

    /// The bytes of a file at the base; `None` where it was not there, or was larger than `most`.
    #[must_use]
    pub fn before(&self, changed: &Changed, most: u64) -> Option<Vec<u8>> {
        self.object(changed.before.as_deref()?, most)
    }

    /// The staged bytes of a file; none where they are more than `most`.
    #[must_use]
    pub fn staged_bytes(&self, changed: &Changed, most: u64) -> Option<Vec<u8>> {
        self.object(changed.now.as_deref()?, most)
    }

    /// Small objects may unpack to large ones, so what comes is counted.
    fn object(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let left = self.left.load(Ordering::Relaxed);
        let bytes = self.run(&["cat-file", "blob", name], None, most.min(left));
        let bytes = bytes.ok()?;
        self.left
            .store(left - (bytes.len() as u64).min(left), Ordering::Relaxed);
        Some(bytes)
    }

    /// A checkout may have other line ends than the object.
    fn differs_in_line_ends_only(&self, changed: &Changed, most: u64) -> bool {
        let plain = |bytes: Vec<u8>| -> Vec<u8> {
            let mut rest = bytes.iter().copied().peekable();
            let mut plain = Vec::with_capacity(bytes.len());
            while let Some(byte) = rest.next() {
                if byte != b'\r' || rest.peek() != Some(&b'\n') {
                    plain.push(byte);
                }
            }
            plain
        };
        let (Some(before), Ok(now)) =
            (self.before(changed, most), disk::bytes(&changed.path, most))
        else {
            return false;
        };
        now.contains(&b'\r') != before.contains(&b'\r') && plain(before) == plain(now)
    }

    /// Every tracked file, of conflicting versions the first.
    fn index(&self) -> Result<Vec<Entry>, String> {
        let listed = self.run(&["ls-files", "--stage", "-z"], None, MOST_LISTED)?;
        let mut entries: Vec<Entry> = listed.split(|byte| *byte == 0).filter_map(entry).collect();
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(entries)
    }

    /// How the index differs from the base, by the present path.
    fn staged_changes(&self) -> Result<FxHashMap<PathBuf, Changed>, String> {
        if self.base.is_empty() {
            let new = |entry: Entry| {
                let changed = Changed {
                    path: self.root.join(&entry.path),
                    before: None,
                    now: Some(entry.object),
                };
                (entry.path, changed)
            };
            let entries = self.index()?.into_iter();
            return Ok(entries.filter(|entry| entry.is_regular).map(new).collect());
        }
        let arguments = [
            "diff-index",
            "--cached",
            "--raw",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            "-z",
            "-M",
            // Of more files git compares no texts: all with all would take for ever.
            "-l1000",
            &self.base,
            "--",
        ];
        let listed = self.run(&arguments, None, MOST_LISTED)?;
        let mut fields = listed.split(|byte| *byte == 0);
        let mut changes = FxHashMap::default();
        while let (Some(head), Some(name)) = (fields.next(), fields.next()) {
            // `:100644 100644 OBJECT OBJECT STATUS`, then one name, or two for what moved.
            let head = String::from_utf8_lossy(head).into_owned();
            let mut words = head.split(' ').skip(1);
            let (Some(mode), Some(before), Some(now), Some(status)) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                continue;
            };
            let is_moved = status.starts_with(['R', 'C']);
            let name = if is_moved { fields.next() } else { Some(name) };
            // What is deleted, a link, or a repository of its own has no text.
            let Some(name) = name.filter(|_| mode.starts_with(REGULAR)) else {
                continue;
            };
            let there =
                |object: &str| (object.bytes().any(|byte| byte != b'0')).then(|| object.to_owned());
            let name = path_of(name);
            let changed = Changed {
                path: self.root.join(&name),
                before: there(before),
                now: there(now),
            };
            changes.insert(name, changed);
        }
        Ok(changes)
    }

    /// What object each file of the working tree would be, taken as it stands; none for what is no
    /// regular file.
    fn objects_on_disk(&self, entries: &[Entry], most: u64) -> Result<Vec<Option<String>>, String> {
        let mut objects = vec![None; entries.len()];
        let mut asked = Vec::new();
        let mut names = Vec::new();
        let root = bytes_of(&self.root);
        let mut inside: FxHashMap<PathBuf, bool> = FxHashMap::default();
        for (at, entry) in entries.iter().enumerate() {
            let name = bytes_of(&entry.path);
            let path = self.root.join(&entry.path);
            // An index may list files behind a link, which leads anywhere.
            let folder = path.parent().unwrap_or(&self.root);
            let is_inside = *inside.entry(folder.to_path_buf()).or_insert_with(|| {
                std::fs::canonicalize(folder).is_ok_and(|real| real.starts_with(&self.root))
            });
            let metadata = std::fs::symlink_metadata(&path);
            let is_small = metadata.is_ok_and(|file| file.is_file() && file.len() <= most);
            // Such a name would be read as two.
            let is_plain = !name.contains(&b'\n') && !root.contains(&b'\n');
            if entry.is_regular && is_inside && is_small && is_plain {
                asked.push(at);
                names.extend_from_slice(&root);
                names.push(b'/');
                names.extend_from_slice(&name);
                names.push(b'\n');
            }
        }
        let listed = self.run(
            &["hash-object", "--no-filters", "--stdin-paths"],
            Some(names),
            MOST_LISTED,
        )?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        for (at, object) in asked.into_iter().zip(listed.lines()) {
            objects[at] = Some(object.to_owned());
        }
        Ok(objects)
    }

    /// One line that git prints.
    fn line(&self, arguments: &[&str]) -> Result<String, String> {
        let bytes = self.run(arguments, None, MOST_LISTED)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.trim_end_matches('\n').to_owned())
    }

    /// What git prints, if that is `most` bytes or less.
    fn run(
        &self,
        arguments: &[&str],
        input: Option<Vec<u8>>,
        most: u64,
    ) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("git cannot be run: {error}");
        let with_value = |flag: &str, path: &Path| {
            let mut all = OsString::from(flag);
            all.push(path);
            all
        };
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.folder)
            .arg(with_value("--git-dir=", &self.folder))
            .arg(with_value("--work-tree=", &self.folder))
            .args(["--no-pager", "--no-replace-objects", "--no-optional-locks"])
            .args(SWITCHED_OFF.iter().flat_map(|setting| ["-c", setting]))
            .args(arguments)
            .envs(VARIABLES)
            .env_remove("GIT_EXTERNAL_DIFF")
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        disk::bound_memory(&child, MOST_MEMORY);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Watched::new(child);
        // All pipes may fill, so somebody else writes, and reads what is said of errors.
        let writer = pipes.0.zip(input).map(|(mut pipe, bytes)| {
            std::thread::spawn(move || {
                let _ = pipe.write_all(&bytes);
            })
        });
        let errors = std::thread::spawn(move || all_of(pipes.2, MOST_LISTED));
        let bytes = all_of(pipes.1, most);
        if bytes.is_none() {
            child.kill();
        }
        let said = errors.join().ok().flatten().unwrap_or_default();
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        let is_done = child.end().map_err(failed)?;
        let Some(bytes) = bytes else {
            return Err(format!("git gave more than {most} bytes"));
        };
        if is_done {
            return Ok(bytes);
        }
        let said = String::from_utf8_lossy(&said);
        Err(said.lines().next().unwrap_or("git failed").to_owned())
    }
}

/// All that comes out of a pipe, if that is `most` bytes or less.
fn all_of(pipe: Option<impl Read>, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut pipe = pipe?.take(most.saturating_add(1));
    let _ = pipe.read_to_end(&mut bytes);
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// A program that is ended when its time is over.
struct Watched {
    child: Arc<Mutex<Child>>,
    /// Dropped when nobody need watch any longer.
    done: mpsc::Sender<()>,
}

impl Watched {
    fn new(child: Child) -> Self {
        let child = Arc::new(Mutex::new(child));
        let (done, is_done) = mpsc::channel();
        let watched = Arc::clone(&child);
        std::thread::spawn(move || {
            let waited = is_done.recv_timeout(Duration::from_secs(MOST_SECONDS));
            if waited == Err(RecvTimeoutError::Timeout) {
                kill(&watched);
            }
        });
        Self { child, done }
    }

    fn kill(&self) {
        kill(&self.child);
    }

    /// Waits for its end, which is near: its pipes are closed. Tells whether it was a success.
    fn end(self) -> std::io::Result<bool> {
        drop(self.done);
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(child.wait()?.success())
    }
}

fn kill(child: &Mutex<Child>) {
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = child.kill();
}

/// The folder whose `.git` is nearest: a folder, or a file that names one elsewhere.
#[must_use]
pub fn root(folder: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(folder).ok()?;
    let mut above = real.ancestors();
    above
        .find(|place| {
            let known = std::fs::metadata(place.join(".git"));
            known.is_ok_and(|known| known.is_dir() || known.is_file())
        })
        .map(Path::to_path_buf)
}

/// `100644 OBJECT STAGE<tab>NAME`
fn entry(line: &[u8]) -> Option<Entry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let head = String::from_utf8_lossy(&line[..tab]).into_owned();
    let mut words = head.split(' ');
    let (mode, object) = (words.next()?, words.next()?);
    Some(Entry {
        path: path_of(&line[tab + 1..]),
        object: object.to_owned(),
        is_regular: mode.starts_with(REGULAR),
    })
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(not(unix))]
fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}
