//! Writing: a file is there as it was, or whole as it is to be, whenever a run ends.
//!
//! The new text goes into a file beside the target, is flushed, gets the target's permissions, and
//! takes its place in one step. Of several files all are prepared before the first is put in place.

use super::read::{self, Refusal};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What files that are being written end with.
pub const UNFINISHED: &str = "cudalint-part";

/// A new text for a file.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'a> {
    /// No link: it would be replaced itself.
    pub path: &'a Path,
    /// What the file must hold; another text is somebody's work, and stays.
    pub before: &'a [u8],
    pub after: &'a [u8],
}

/// A file that is written and waits to take its place.
struct Prepared {
    unfinished: PathBuf,
    is_done: bool,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = std::fs::remove_file(&self.unfinished);
        }
    }
}

/// Replaces all of these files, or none.
///
/// # Errors
/// One sentence, which says which files are changed in the end if any is.
pub fn replace(all: &[Replacement]) -> Result<(), String> {
    let mut prepared = Vec::with_capacity(all.len());
    for one in all {
        let file = unchanged(one)
            .and_then(|known| prepare(one.path, one.after, Some(&known)).map_err(written))
            .map_err(|why| format!("{}: {why}; nothing was changed", one.path.display()))?;
        prepared.push(file);
    }
    for (at, (one, file)) in all.iter().zip(&mut prepared).enumerate() {
        let done = unchanged(one).and_then(|_| finish(file, one.path).map_err(written));
        if let Err(why) = done {
            return Err(undo(&all[..at], one.path, &why));
        }
    }
    Ok(())
}

/// Puts the texts back that were replaced before `path` failed.
fn undo(done: &[Replacement], path: &Path, why: &str) -> String {
    let stuck: Vec<String> = done
        .iter()
        .filter(|one| {
            let back = Replacement {
                path: one.path,
                before: one.after,
                after: one.before,
            };
            let restored = unchanged(&back).and_then(|known| {
                let mut file = prepare(one.path, one.before, Some(&known)).map_err(written)?;
                finish(&mut file, one.path).map_err(written)
            });
            restored.is_err()
        })
        .map(|one| one.path.display().to_string())
        .collect();
    let path = path.display();
    if stuck.is_empty() {
        format!("{path}: {why}; nothing was changed")
    } else {
        format!("{path}: {why}; changed all the same: {}", stuck.join(", "))
    }
}

fn written(error: io::Error) -> String {
    format!("cannot be written ({error})")
}

/// Whether a file holds what it must; what is known of it.
fn unchanged(one: &Replacement) -> Result<Metadata, String> {
    let most = one.before.len() as u64;
    let known = std::fs::symlink_metadata(one.path).map_err(written)?;
    let same = match read::bytes(one.path, most) {
        Ok(bytes) => bytes == one.before,
        Err(Refusal::TooLarge(_)) => false,
        Err(why) => return Err(why.to_string()),
    };
    if !known.is_file() {
        return Err(Refusal::NoRegularFile.to_string());
    }
    if known.permissions().readonly() {
        return Err("cannot be written (it is read-only)".to_owned());
    }
    if same {
        Ok(known)
    } else {
        Err("changed while it was analysed; run again".to_owned())
    }
}

/// Puts a text in the place of a file, which need not be there. A link stays, and what it points at
/// is replaced.
///
/// # Errors
/// Where it cannot be written.
pub fn put(path: &Path, text: &[u8]) -> io::Result<()> {
    let known = match std::fs::metadata(path) {
        Ok(known) => Some(known),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match known {
        // A terminal, a pipe to another program: there is nothing to be replaced.
        Some(known) if !known.is_file() && !known.is_dir() => {
            OpenOptions::new().write(true).open(path)?.write_all(text)
        }
        Some(known) => {
            let real = std::fs::canonicalize(path)?;
            let mut file = prepare(&real, text, Some(&known))?;
            finish(&mut file, &real)
        }
        None => {
            let mut file = prepare(path, text, None)?;
            finish(&mut file, path)
        }
    }
}

/// Puts a text in the place of whatever has this name, links included; not flushed, since nothing is
/// lost with it.
///
/// # Errors
/// Where it cannot be written.
pub fn put_beside(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let (mut file, unfinished) = create(path, true)?;
    let mut prepared = Prepared {
        unfinished,
        is_done: false,
    };
    for part in parts {
        file.write_all(part)?;
    }
    std::fs::rename(&prepared.unfinished, path)?;
    prepared.is_done = true;
    Ok(())
}

/// Adds to the end of a file, which is made if it is not there.
///
/// # Errors
/// Where it cannot be written.
pub fn append(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    options.open(path)?.write_all(text)
}

/// The same where only the owner may read and write, and nothing is written through a link.
///
/// # Errors
/// Where it cannot be written.
pub fn append_private(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    private(&mut options);
    options.open(path)?.write_all(text)
}

fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Writes and flushes a file beside `path` that may take its place.
fn prepare(path: &Path, text: &[u8], known: Option<&Metadata>) -> io::Result<Prepared> {
    let (mut file, unfinished) = create(path, known.is_some())?;
    let prepared = Prepared {
        unfinished,
        is_done: false,
    };
    file.write_all(text)?;
    if let Some(known) = known {
        like(&file, known)?;
    }
    file.sync_all()?;
    Ok(prepared)
}

/// Owner and permissions as they were; the owner where the system lets us.
fn like(file: &File, known: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let now = file.metadata()?;
        if (now.uid(), now.gid()) != (known.uid(), known.gid()) {
            let _ = fchown(file, Some(known.uid()), Some(known.gid()));
        }
    }
    file.set_permissions(known.permissions())
}

fn finish(prepared: &mut Prepared, path: &Path) -> io::Result<()> {
    std::fs::rename(&prepared.unfinished, path)?;
    prepared.is_done = true;
    // The name is safe when the folder is; where folders cannot be flushed it comes soon enough.
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// A new file beside `path`, of a name that nobody has; for its owner's eyes, or as files are by default.
fn create(path: &Path, is_private: bool) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    const TRIES: usize = 100;
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::other("this is no name of a file"))?;
    for _ in 0..TRIES {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut unfinished = std::ffi::OsString::from(".");
        unfinished.push(name);
        unfinished.push(format!(".{}-{count}.{UNFINISHED}", std::process::id()));
        let unfinished = path.with_file_name(unfinished);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if is_private {
            private(&mut options);
        }
        match options.open(&unfinished) {
            Ok(file) => return Ok((file, unfinished)),
            // Left by a run that was killed, or by somebody who waits for us to write there.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("no name beside this file is free"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("cudalint-disk-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            Self(folder)
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.join(name);
            std::fs::write(&path, text).expect("a file");
            path
        }

        fn names(&self) -> Vec<String> {
            let mut names: Vec<String> = std::fs::read_dir(&self.0)
                .expect("a folder")
                .map(|entry| {
                    entry
                        .expect("an entry")
                        .file_name()
                        .to_string_lossy()
                        .into()
                })
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn replacement<'a>(path: &'a Path, before: &'a str, after: &'a str) -> Replacement<'a> {
        Replacement {
            path,
            before: before.as_bytes(),
            after: after.as_bytes(),
        }
    }

    #[test]
    fn what_others_changed_meanwhile_stays_and_so_do_the_other_files() {
        let folder = Folder::new("meanwhile");
        let (a, b) = (folder.write("a", "1"), folder.write("b", "theirs"));
        let all = [replacement(&a, "1", "2"), replacement(&b, "1", "2")];
        let why = replace(&all).expect_err("b is another");
        assert!(
            why.contains("changed while") && why.ends_with("nothing was changed"),
            "{why}"
        );
        assert_eq!(std::fs::read(&a).expect("a file"), b"1");
        assert_eq!(std::fs::read(&b).expect("a file"), b"theirs");
        assert_eq!(folder.names(), ["a", "b"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_links_are_not_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = Folder::new("permissions");
        let file = folder.write("a", "1");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o751)).expect("a mode");
        replace(&[replacement(&file, "1", "2")]).expect("a folder that can be written");
        let mode = std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o751);
        let link = folder.0.join("link");
        symlink(&file, &link).expect("a link");
        assert!(replace(&[replacement(&link, "2", "3")]).is_err());
        assert_eq!(std::fs::read(&file).expect("a file"), b"2");
    }
}
