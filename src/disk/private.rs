//! Folders that only their owner can write into: what is found there is the owner's own.
//!
//! Given a folder, tells whether it may be believed, makes it if it is not there, and reads its files
//! without following links.

use super::read::{self, Refusal};
use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The bits that let these write.
#[cfg(unix)]
const GROUP_OR_OTHERS: u32 = 0o022;

/// Why nothing in `folder` may be believed: it belongs to somebody else, or others may write there.
/// A folder that is not there may be made.
///
/// # Errors
/// The end of a sentence that starts with the folder.
pub fn check(folder: &Path) -> Result<(), String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        const OTHERS: u32 = 0o002;
        const STICKY: u32 = 0o1000;
        let owner = rustix::process::geteuid().as_raw();
        let Ok(real) = std::fs::canonicalize(folder) else {
            return Ok(());
        };
        for (nth, place) in real.ancestors().enumerate() {
            let known = std::fs::metadata(place).map_err(|error| error.to_string())?;
            if nth == 0 {
                if !known.is_dir() {
                    // Nothing can be read there, and who writes is told why that fails.
                    return Ok(());
                }
                if known.uid() != owner {
                    return Err("it belongs to somebody else".to_owned());
                }
                if known.mode() & GROUP_OR_OTHERS != 0 {
                    return Err("others may write there".to_owned());
                }
            } else if known.mode() & OTHERS != 0 && known.mode() & STICKY == 0 {
                return Err(format!("others may write into {}", place.display()));
            }
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// The same for a folder that somebody else fills for several readers, and that the user names: anybody may
/// own it, as long as not everybody may write there.
///
/// # Errors
/// The end of a sentence that starts with the folder.
pub fn check_shared(folder: &Path) -> Result<(), String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        const OTHERS: u32 = 0o002;
        const STICKY: u32 = 0o1000;
        let real = std::fs::canonicalize(folder).map_err(|_| "it is not there".to_owned())?;
        for (nth, place) in real.ancestors().enumerate() {
            let known = std::fs::metadata(place).map_err(|error| error.to_string())?;
            let is_safe = known.mode() & OTHERS == 0 || nth > 0 && known.mode() & STICKY != 0;
            if !is_safe {
                return Err(format!("everybody may write into {}", place.display()));
            }
        }
    }
    #[cfg(not(unix))]
    if !folder.is_dir() {
        return Err("it is not there".to_owned());
    }
    Ok(())
}

/// The bytes of a file of a folder that [`check_shared`] passed.
///
/// # Errors
/// Why it is not read.
pub fn shared_bytes(path: &Path, most: u64) -> Result<Vec<u8>, Refusal> {
    let known = std::fs::symlink_metadata(path)?;
    if !known.is_file() {
        return Err(Refusal::NoRegularFile);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if known.mode() & 0o002 != 0 {
            return Err(Refusal::NoPermission);
        }
    }
    read::read(read::open(path, true)?, most)
}

/// The sentence about a folder that may not be believed.
#[must_use]
pub fn not_used(folder: &Path, why: &str) -> String {
    format!(
        "{}: this cache is not used, because {why}; name another folder with --cache-dir, or use --no-cache",
        folder.display()
    )
}

/// Makes a folder for its owner alone that nobody has made before: in a place where everybody may write, one
/// that is there is somebody else's, or a link.
///
/// # Errors
/// Where it cannot be made, or is there.
pub fn make_new(folder: &Path) -> io::Result<()> {
    builder().create(folder)
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder
}

/// Makes the folder, for its owner alone, where it is not there, and checks it.
///
/// # Errors
/// Where it cannot be made, or may not be believed.
pub fn make(folder: &Path) -> io::Result<()> {
    builder().recursive(true).create(folder)?;
    check(folder).map_err(|why| io::Error::new(ErrorKind::PermissionDenied, why))
}

/// The bytes of a file of such a folder. A link there was put by nobody who means well.
///
/// # Errors
/// Why it is not read.
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, Refusal> {
    let known = std::fs::symlink_metadata(path)?;
    if !known.is_file() {
        return Err(Refusal::NoRegularFile);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let is_ours = known.uid() == rustix::process::geteuid().as_raw();
        if !is_ours || known.mode() & GROUP_OR_OTHERS != 0 {
            return Err(Refusal::NoPermission);
        }
    }
    read::read(read::open(path, true)?, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_is_nobody_elses() {
        let base = std::env::temp_dir().join(format!("cudalint-new-{}", std::process::id()));
        make_new(&base).expect("a folder");
        assert!(make_new(&base).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt as _, symlink};
            let mode = std::fs::metadata(&base).expect("a folder").permissions();
            assert_eq!(mode.mode() & 0o777, 0o700);
            let link = base.join("link");
            symlink(&base, &link).expect("a link");
            assert!(make_new(&link).is_err());
        }
        let _ = std::fs::remove_dir_all(&base);
    }
}
