//! `#include`: which file a directive names, where it is looked for, and what is read in place of one that is not there.

use std::path::{Path, PathBuf};

use crate::source::FileId;
use crate::syntax::library;

use super::builtins;
use super::expanded::{LinePlace, NoteKind};
use super::tokens::{Kind, Token};
use super::{OUTSIDE, Preprocessor, READ_AS_EMPTY, normalise};

/// About as many places does one search outside of the search path look at.
const PLACES_OF_SEARCH: usize = 32;

/// What `#include` names.
struct Header {
    name: String,
    quoted: bool,
}

pub(super) struct Included {
    pub file: FileId,
    pub system: bool,
}

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, next: bool, once: bool, place: LinePlace) -> Option<Included> {
        let header = match self.header_in_line() {
            Some(header) => header,
            None => {
                let tokens = self.rest_of_line();
                let tokens = self.expand_line(tokens, false);
                let Some(header) = self.header_of(&tokens) else {
                    self.malformed(place, "`#include` needs \"file\" or <file>");
                    return None;
                };
                header
            }
        };
        if self.has_looked_enough() {
            let message = format!(
                "headers were looked for in too many places; <{}> is not read",
                header.name
            );
            self.note(place, NoteKind::LimitReached, message);
            return None;
        }
        let found = self.resolve(&header, next).or_else(|| self.search(&header));
        let Some(file) = found else {
            self.tell_missing(&header, next, place);
            return self.in_place_of(&header);
        };
        if self.once.contains(&file) {
            return None;
        }
        if once {
            self.once.insert(file);
        }
        let limits = &self.options.limits;
        let limit = if self.depth >= limits.include_depth {
            // A compiler ends here.
            self.is_too_deep = true;
            Some("files are included too deeply")
        } else if self.is_too_deep {
            Some("files were included too deeply before")
        } else if self.included >= limits.include_count
            || self.included_bytes >= limits.include_bytes
            || self.output.text.len() > limits.output_bytes
        {
            Some("too much is included")
        } else if self.repeated_bytes >= limits.repeated_bytes && self.met.contains(&file) {
            Some("the same headers are included again and again")
        } else {
            None
        };
        if let Some(limit) = limit {
            let message = format!("{limit}; <{}> is not read", header.name);
            self.note(place, NoteKind::LimitReached, message);
            return None;
        }
        self.included += 1;
        let bytes = self.sources.get(file).text.len();
        self.included_bytes += bytes;
        if !self.met.insert(file) {
            self.repeated_bytes += bytes;
        }
        Some(Included {
            file,
            system: !header.quoted,
        })
    }

    /// Notes that a header was not found, or may not be read.
    fn tell_missing(&mut self, header: &Header, next: bool, place: LinePlace) {
        let (open, close) = if header.quoted {
            ('"', '"')
        } else {
            ('<', '>')
        };
        let is_outside = self
            .places_of(header, next)
            .iter()
            .any(|path| self.includes.is_outside(path));
        let message = if is_outside {
            format!("{open}{}{close} {OUTSIDE}", header.name)
        } else {
            format!("{open}{}{close} {READ_AS_EMPTY}", header.name)
        };
        let kind = if is_outside {
            NoteKind::OutsideInclude
        } else if builtins::is_toolchain_header(&header.name) {
            NoteKind::ToolchainInclude
        } else {
            NoteKind::UnresolvedInclude
        };
        if kind != NoteKind::ToolchainInclude {
            self.undefined.note_missing(&header.name);
        }
        let mut place = place;
        place.end = place.end.max(self.file.at as u32);
        self.note(place, kind, message);
    }

    /// The header's name where the line has it as it stands, without macros.
    fn header_in_line(&mut self) -> Option<Header> {
        let rest = &self.file.text[self.file.at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &rest[blank..];
        let close = match rest.as_bytes().first()? {
            b'"' => '"',
            b'<' => '>',
            _ => return None,
        };
        let line = rest[1..].split('\n').next().unwrap_or("");
        let length = line.find(close)?;
        let header = Header {
            name: line[..length].to_owned(),
            quoted: close == '"',
        };
        self.file.at += blank + length + 2;
        Some(header)
    }

    /// The header's name that expanded tokens spell.
    fn header_of(&self, tokens: &[Token]) -> Option<Header> {
        let (first, rest) = tokens.split_first()?;
        if first.kind == Kind::String {
            let name = self.text(*first).strip_prefix('"')?.strip_suffix('"')?;
            return Some(Header {
                name: name.to_owned(),
                quoted: true,
            });
        }
        if self.text(*first) != "<" {
            return None;
        }
        let end = rest.iter().position(|token| self.text(*token) == ">")?;
        let mut name = String::new();
        for token in &rest[..end] {
            if token.spaced() && !name.is_empty() {
                name.push(' ');
            }
            name.push_str(self.text(*token));
        }
        Some(Header {
            name,
            quoted: false,
        })
    }

    pub(super) fn has_include(&mut self, tokens: &[Token]) -> bool {
        let expanded;
        let header = match self.header_of(tokens) {
            Some(header) => Some(header),
            None => {
                expanded = self.expand_line(tokens.to_vec(), false);
                self.header_of(&expanded)
            }
        };
        header.is_some_and(|header| {
            let is_found = !self.has_looked_enough() && self.resolve(&header, false).is_some();
            is_found || builtins::is_toolchain_header(&header.name)
        })
    }

    /// Headers that are nowhere times folders that they could be in are a product: the project chooses both.
    fn has_looked_enough(&self) -> bool {
        self.places_looked_at >= self.options.limits.include_places
    }

    /// Looks a header up: quoted ones beside the present file, then all in the include folders.
    fn resolve(&mut self, header: &Header, next: bool) -> Option<FileId> {
        let present = FileId(self.file.id.0);
        self.places_of(header, next).into_iter().find_map(|path| {
            let file = self.open(&path)?;
            (!next || file != present).then_some(file)
        })
    }

    /// Where a header is looked for, in order.
    fn places_of(&self, header: &Header, next: bool) -> Vec<PathBuf> {
        let name = header.name.replace('\\', "/");
        if name.is_empty() {
            return Vec::new();
        }
        let mut places = Vec::new();
        if header.quoted && !next && self.file.id.is_file() {
            let path = &self.sources.get(FileId(self.file.id.0)).path;
            let folder = path.parent().unwrap_or(Path::new(""));
            places.push(normalise(&folder.join(&name)));
        }
        let folders = self.options.include_dirs.iter();
        places.extend(folders.map(|folder| normalise(&folder.join(&name))));
        places
    }

    /// As [`Self::in_place_of`], of a header that the command line asks for.
    pub(super) fn forced_in_place(&mut self, path: &Path) -> Option<Included> {
        self.in_place_of(&Header {
            name: path.to_str()?.to_owned(),
            quoted: false,
        })
    }

    /// What is read in place of a header that was not found: once in a file, as the header would be.
    fn in_place_of(&mut self, header: &Header) -> Option<Included> {
        let known = library::header(&header.name)?;
        let path = Path::new(known.path);
        let file = match self.files.get(path) {
            Some(file) => (*file)?,
            None => {
                let file = self.sources.add(path, known.text);
                self.files.insert(path.to_owned(), Some(file));
                file
            }
        };
        if self.depth >= self.options.limits.include_depth || !self.once.insert(file) {
            return None;
        }
        Some(Included { file, system: true })
    }

    /// A header outside of the search path, where its name finds it all the same.
    fn search(&mut self, header: &Header) -> Option<FileId> {
        if builtins::is_toolchain_header(&header.name) || !self.file.id.is_file() {
            return None;
        }
        let name = PathBuf::from(header.name.replace('\\', "/"));
        let from = self.sources.get(FileId(self.file.id.0)).path.clone();
        let asked = from.with_file_name("").join(&name);
        if let Some(known) = self.searched.get(&asked) {
            return *known;
        }
        self.places_looked_at += PLACES_OF_SEARCH;
        let path = self.includes.search(&from, &normalise(&name));
        let file = path.and_then(|path| self.open(&normalise(&path)));
        self.searched.insert(asked, file);
        file
    }
}
