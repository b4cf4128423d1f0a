//! The answer about one document: the input of its analysis and what came of it.
//!
//! Given the texts and settings of one moment, runs the analysis and gives an
//! [`Answer`] that hovers, hints, lenses and actions read. Knows nothing of requests.

use super::client::Client;
use super::diagnostics;
use super::index::{self, Index};
use super::settings::Project;
use super::uri;
use crate::finding::Finding;
use crate::prove::verdict::Access;
use crate::session::cache::memory::Memory;
use crate::session::incremental::{self, Input};
use crate::session::input::mentioned::Names;
use crate::session::{Analysis, Options};
use crate::source::{FileId, SourceFile, Span};
use gen_lsp_types::{Diagnostic, Location, Uri};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An analysis to be made.
#[derive(Clone, Debug)]
pub struct Task {
    pub uri: Uri,
    /// The client's version of the text; `None` for a file that is not open.
    pub version: Option<i32>,
    /// The server's count of everything that this analysis depends on.
    pub revision: u64,
    pub file: Arc<SourceFile>,
    /// All open documents, this one included.
    pub open: Vec<(Uri, Arc<SourceFile>)>,
    pub index: Arc<Index>,
    pub project: Arc<Project>,
    pub client: Arc<Client>,
    pub memory: Arc<Memory>,
}

/// An analysis that was made.
#[derive(Debug)]
pub struct Answer {
    pub uri: Uri,
    pub version: Option<i32>,
    pub revision: u64,
    pub project: Arc<Project>,
    pub client: Arc<Client>,
    /// The document within the analysis.
    pub file: FileId,
    pub analysis: Analysis,
    /// Of rules that are on, in any file of the analysis.
    pub findings: Vec<Finding>,
    /// Of the document.
    pub diagnostics: Vec<Diagnostic>,
    /// Files that were read because they launch or include what the document defines.
    pub companions: Vec<PathBuf>,
    files: Vec<Arc<SourceFile>>,
    overlay: Vec<Arc<SourceFile>>,
    /// Documents under the names that the client gave them.
    names: BTreeMap<PathBuf, Uri>,
}

/// All accesses of one place of the document.
#[derive(Debug)]
pub struct AccessesAt<'a> {
    pub span: Span,
    pub accesses: Vec<&'a Access>,
}

impl Task {
    /// Runs the analysis; `None` once `stop` is raised.
    #[must_use]
    pub fn run(self, stop: &Arc<AtomicBool>) -> Option<Answer> {
        let path = &self.file.path;
        let names = Names::of(&self.file.text);
        let companions = self.index.companions(path, &names);
        let opened = |path: &Path| {
            let mut open = self.open.iter();
            open.find(|(_, file)| file.path == path)
                .map(|(_, file)| file.clone())
        };
        let mut files = vec![self.file.clone()];
        files.extend(
            companions
                .iter()
                .filter_map(|path| opened(path).or_else(|| index::file(path))),
        );
        let overlay: Vec<Arc<SourceFile>> =
            self.open.iter().map(|(_, file)| file.clone()).collect();
        let input = Input {
            files: &files,
            overlay: &overlay,
            options: &self.project.options,
        };
        let mut analysis = incremental::analyse(input, &self.memory, stop)?;
        let file = analysis.sources.find(path)?;
        let found = std::mem::take(&mut analysis.findings);
        let mut findings = self.project.selection.apply(found, &analysis.sources);
        let least = self.project.settings.least();
        findings.retain(|finding| finding.level >= least);
        let names = self
            .open
            .into_iter()
            .map(|(uri, file)| (file.path.clone(), uri))
            .collect();
        let mut answer = Answer {
            uri: self.uri,
            version: self.version,
            revision: self.revision,
            project: self.project,
            client: self.client,
            file,
            analysis,
            findings,
            diagnostics: Vec::new(),
            companions,
            files,
            overlay,
            names,
        };
        answer.diagnostics = diagnostics::all(&answer);
        Some(answer)
    }
}

impl Answer {
    /// The document's text at the time.
    #[must_use]
    pub fn source(&self) -> &SourceFile {
        self.analysis.sources.get(self.file)
    }

    #[must_use]
    pub fn options(&self) -> &Options {
        &self.project.options
    }

    /// Whether the text of the file at `path` went into the answer.
    #[must_use]
    pub fn depends_on(&self, path: &Path) -> bool {
        let mut units = self.analysis.units.iter();
        self.files.iter().any(|file| file.path == path)
            || units.any(|unit| unit.files.contains(path))
    }

    #[must_use]
    pub fn uri_of(&self, file: FileId) -> Uri {
        let path = &self.analysis.sources.get(file).path;
        let known = self.names.get(path).cloned();
        known.unwrap_or_else(|| uri::of(path))
    }

    #[must_use]
    pub fn location(&self, span: Span) -> Location {
        let file = self.analysis.sources.get(span.file);
        Location {
            uri: self.uri_of(span.file),
            range: self.client.encoding.range(file, span),
        }
    }

    /// Whether a place lies in the document, under whichever of its numbers.
    #[must_use]
    pub fn is_here(&self, span: Span) -> bool {
        span.file == self.file || self.analysis.sources.get(span.file).path == self.source().path
    }

    /// The places of the document with accesses, in order.
    #[must_use]
    pub fn places(&self) -> Vec<AccessesAt<'_>> {
        let mut places: BTreeMap<Span, Vec<&Access>> = BTreeMap::new();
        for access in &self.analysis.accesses {
            if access.site.span.file == self.file {
                places.entry(access.site.span).or_default().push(access);
            }
        }
        places
            .into_iter()
            .map(|(span, accesses)| AccessesAt { span, accesses })
            .collect()
    }

    /// `findings` with the fixes that hold; takes a while.
    #[must_use]
    pub fn with_fixes(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let input = Input {
            files: &self.files,
            overlay: &self.overlay,
            options: &self.project.options,
        };
        incremental::fixes(input, &self.analysis, &mut findings);
        findings
    }
}
