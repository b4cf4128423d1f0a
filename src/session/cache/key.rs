//! Keys of the cache of findings: whatever findings depend on goes into them.
//!
//! Given the texts and options of a run, gives the key of a group of units: the build of cudalint and of Z3, the
//! options, each unit's path and expanded text, and every file that it was read from. What an older build
//! or other options found has another key, so it is never read again.

use crate::prove;
use crate::prove::claim::Hash;
use crate::session::{Options, Unit};
use crate::source::{Canonical, FileId, SourceMap};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::path::Path;

/// What the keys of one run have in common.
pub(in crate::session) struct CacheKeys<'a> {
    texts: FxHashMap<&'a Path, blake3::Hash>,
    sources: &'a SourceMap,
    run: blake3::Hash,
}

impl<'a> CacheKeys<'a> {
    pub fn of(sources: &'a SourceMap, canonical: &Canonical<'a>, options: &Options) -> Self {
        let hash = |(path, id): (&&'a Path, &FileId)| {
            (*path, blake3::hash(sources.get(*id).text.as_bytes()))
        };
        Self {
            texts: canonical.by_path.par_iter().map(hash).collect(),
            sources,
            run: run_id(options),
        }
    }

    /// The key of what is found in these units.
    pub fn key(&self, units: &[Unit]) -> Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.run.as_bytes());
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for unit in units {
            part(
                self.sources
                    .get(unit.file)
                    .path
                    .as_os_str()
                    .as_encoded_bytes(),
            );
            part(
                unit.text
                    .hash
                    .as_ref()
                    .map_or(&[][..], |hash| hash.as_bytes()),
            );
            // Where things stand, what comments say.
            let mut files: Vec<&Path> = unit.files.iter().map(|path| path.as_path()).collect();
            files.sort_unstable();
            for path in files {
                part(path.as_os_str().as_encoded_bytes());
                part(self.texts.get(path).map_or(&[][..], |hash| hash.as_bytes()));
            }
            part(&[]);
        }
        let mut key = Hash::default();
        hasher.finalize_xof().fill(&mut key);
        key
    }
}

/// Hash of everything besides texts that findings depend on.
fn run_id(options: &Options) -> blake3::Hash {
    let Options {
        arch,
        launches,
        chosen_launches,
        in_strings,
        judges,
        fixes,
        asks_solver,
        limits,
        // These change texts, or nothing.
        defines: _,
        undefines: _,
        includes: _,
        headers: _,
        forced_includes: _,
        flags: _,
        overlay: _,
        store: _,
        results: _,
        keeps: _,
        reads_disk: _,
        keep_claims: _,
        shard: _,
        threads: _,
        control: _,
        bounds: _,
    } = options;
    let build = env!("CUDALINT_BUILD");
    let solver = prove::solver_version();
    let text = format!(
        "{build} {solver} {arch:?} {launches:?} {chosen_launches:?} {in_strings} {judges} {fixes} \
         {asks_solver} {limits:?}"
    );
    blake3::hash(text.as_bytes())
}
