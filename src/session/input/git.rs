//! What git knows of a working tree: which files changed, and what they held before.
//!
//! Given a folder inside of a repository, runs the `git` command. Knows nothing of CUDA.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository, and a state of it to compare with.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
    /// Name of the commit to compare with.
    base: String,
}

/// A file that differs from the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Absolute.
    pub path: PathBuf,
    /// Its name at the base, relative to the root; `None` for a new file.
    before: Option<String>,
    /// Its name now.
    now: String,
}

impl Repository {
    /// The repository around `folder`, to be compared with where `reference` and HEAD parted.
    ///
    /// # Errors
    /// One sentence.
    pub fn since(folder: &Path, reference: &str) -> Result<Self, String> {
        let root = root(folder)?;
        let known = git(
            &root,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                &format!("{reference}^{{commit}}"),
            ],
        );
        let Ok(commit) = known else {
            return Err(format!(
                "--since {reference}: git knows no such commit; name a branch, tag or commit (in CI, fetch it first)"
            ));
        };
        // Without a common ancestor the commit itself is the base.
        let base = git(&root, &["merge-base", "HEAD", &commit]).unwrap_or(commit);
        Ok(Self { root, base })
    }

    /// The repository around `folder`, to be compared with HEAD.
    ///
    /// # Errors
    /// One sentence.
    pub fn staged(folder: &Path) -> Result<Self, String> {
        let root = root(folder)?;
        // Before the first commit everything is new.
        let base = git(&root, &["rev-parse", "--verify", "--quiet", "HEAD"]).unwrap_or_default();
        Ok(Self { root, base })
    }

    /// Files of the working tree that differ from the base, untracked ones included.
    ///
    /// # Errors
    /// One sentence.
    pub fn changed(&self) -> Result<Vec<Changed>, String> {
        let diff = git(
            &self.root,
            &["diff", "--name-status", "-z", "-M", &self.base, "--"],
        )?;
        let mut changed = self.parse(&diff);
        let others = git(
            &self.root,
            &["ls-files", "--others", "--exclude-standard", "-z"],
        )?;
        changed.extend(
            others
                .split('\0')
                .filter(|name| !name.is_empty())
                .map(|name| self.file(None, name)),
        );
        Ok(changed)
    }

    /// Files whose staged text differs from the base.
    ///
    /// # Errors
    /// One sentence.
    pub fn changed_in_index(&self) -> Result<Vec<Changed>, String> {
        if self.base.is_empty() {
            let all = git(&self.root, &["ls-files", "-z"])?;
            let names = all.split('\0').filter(|name| !name.is_empty());
            return Ok(names.map(|name| self.file(None, name)).collect());
        }
        let arguments = [
            "diff",
            "--cached",
            "--name-status",
            "-z",
            "-M",
            &self.base,
            "--",
        ];
        Ok(self.parse(&git(&self.root, &arguments)?))
    }

    /// The bytes of a file at the base; `None` where it was not there.
    #[must_use]
    pub fn before(&self, changed: &Changed) -> Option<Vec<u8>> {
        let before = changed.before.as_ref()?;
        output(&self.root, &["show", &format!("{}:{before}", self.base)]).ok()
    }

    /// The staged bytes of a file.
    #[must_use]
    pub fn staged_bytes(&self, changed: &Changed) -> Option<Vec<u8>> {
        output(&self.root, &["show", &format!(":{}", changed.now)]).ok()
    }

    fn file(&self, before: Option<&str>, now: &str) -> Changed {
        Changed {
            path: self.root.join(now),
            before: before.map(str::to_owned),
            now: now.to_owned(),
        }
    }

    /// Reads `--name-status -z`: a letter, then one name, or two for what moved.
    fn parse(&self, text: &str) -> Vec<Changed> {
        let mut fields = text.split('\0');
        let mut changed = Vec::new();
        while let (Some(status), Some(name)) = (fields.next(), fields.next()) {
            match status.chars().next() {
                Some('R' | 'C') => {
                    if let Some(now) = fields.next() {
                        changed.push(self.file(Some(name), now));
                    }
                }
                Some('A') => changed.push(self.file(None, name)),
                Some('D') | None => {}
                Some(_) => changed.push(self.file(Some(name), name)),
            }
        }
        changed
    }
}

fn root(folder: &Path) -> Result<PathBuf, String> {
    git(folder, &["rev-parse", "--show-toplevel"])
        .map(PathBuf::from)
        .map_err(|why| format!("{} lies in no git repository ({why})", folder.display()))
}

/// What git prints, without the last line end.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let bytes = output(folder, arguments)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_end_matches('\n').to_owned())
}

fn output(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("git failed").to_owned())
}
