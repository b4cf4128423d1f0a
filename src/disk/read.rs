//! Reading: regular files only, and never more than was asked for.
//!
//! A pipe or a device would make a run wait or never end, so none is opened.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Why a file is not read.
#[derive(Debug)]
pub enum Refusal {
    NotFound,
    NoPermission,
    /// A folder, a pipe, a device.
    NoRegularFile,
    /// Larger than this.
    TooLarge(u64),
    NotText,
    Other(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => out.write_str("no such file or folder"),
            Self::NoPermission => out.write_str("no permission to read this file"),
            Self::NoRegularFile => out.write_str("not a regular file"),
            Self::TooLarge(most) => write!(out, "larger than {most} bytes"),
            Self::NotText => out.write_str("not UTF-8 text"),
            Self::Other(error) => write!(out, "cannot be read ({error})"),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied => Self::NoPermission,
            _ => Self::Other(error),
        }
    }
}

/// The bytes of a regular file of `most` bytes or less.
///
/// # Errors
/// Why it is not read.
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, Refusal> {
    // To open a device may already do something.
    check(&std::fs::metadata(path)?, most)?;
    read(open(path, false)?, most)
}

/// The same as text.
///
/// # Errors
/// Why it is not read.
pub fn text(path: &Path, most: u64) -> Result<String, Refusal> {
    String::from_utf8(bytes(path, most)?).map_err(|_| Refusal::NotText)
}

fn check(file: &std::fs::Metadata, most: u64) -> Result<(), Refusal> {
    if !file.is_file() {
        return Err(Refusal::NoRegularFile);
    }
    if file.len() > most {
        return Err(Refusal::TooLarge(most));
    }
    Ok(())
}

/// Reads an open file, which is looked at again: another may have been put in its place.
pub(super) fn read(file: File, most: u64) -> Result<Vec<u8>, Refusal> {
    let known = file.metadata()?;
    check(&known, most)?;
    let mut bytes = Vec::with_capacity(usize::try_from(known.len()).unwrap_or(0));
    // Files in /proc say that they are empty, and others may grow.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Refusal::TooLarge(most));
    }
    Ok(bytes)
}

/// Opens for reading without waiting for whoever may write into a pipe.
pub(super) fn open(path: &Path, is_link_refused: bool) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        if is_link_refused {
            flags |= OFlags::NOFOLLOW;
        }
        options.custom_flags(flags.bits() as i32);
    }
    #[cfg(not(unix))]
    if is_link_refused && std::fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::other("a symbolic link"));
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let folder = std::env::temp_dir().join(format!("cudalint-disk-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("a");
        std::fs::write(&file, "four").expect("a file");
        assert_eq!(bytes(&file, 4).ok().as_deref(), Some(&b"four"[..]));
        assert!(matches!(bytes(&file, 3), Err(Refusal::TooLarge(3))));
        assert!(matches!(bytes(&folder, 3), Err(Refusal::NoRegularFile)));
        let none = bytes(&folder.join("none"), 3);
        assert!(matches!(none, Err(Refusal::NotFound)));
        for device in ["/dev/zero", "/dev/full"] {
            if Path::new(device).exists() {
                let read = bytes(Path::new(device), 3);
                assert!(matches!(read, Err(Refusal::NoRegularFile)));
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
}
