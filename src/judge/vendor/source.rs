//! The device half of a file, as NVRTC can compile it: host functions go, lines stay.
//!
//! Everything that the file includes from its own project is copied with it; a header that is neither
//! there nor in the toolkit becomes an empty one. What the compiler still complains of is taken out,
//! one definition after the other, until it compiles or nothing more can go.

mod device_half;
mod headers;
mod opened;
mod slice;

use crate::judge::case::{closing, has_word, is_word, without_comments};
use device_half::{blanked, device_half, device_words};
use headers::{
    BUILT_IN, CUB, CUBLAS, CURAND_KERNEL, CURAND_TEXT, HALF_TYPES, HOST_LIBRARIES, LIBRARY,
    PRELUDE, STANDARD_HEADERS, TORCH, TORCH_HEADER, TORCH_TEXT,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A kernel as its text declares it.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    /// With its namespaces.
    pub path: String,
    pub is_template: bool,
    pub parameters: Vec<(String, String)>,
}

impl Kernel {
    /// What names its instance to the compiler, where `all` are the kernels there.
    pub fn expression(&self, instance: &str, all: &[Kernel]) -> String {
        let is_other = |one: &&Kernel| one.path == self.path && one.parameters != self.parameters;
        if self.is_template || !all.iter().any(|one| is_other(&one)) {
            return format!("{}{instance}", self.path);
        }
        let types = self.parameters.iter().map(|(_, ty)| ty.as_str());
        format!(
            "(void (*)({})){}",
            types.collect::<Vec<_>>().join(", "),
            self.path
        )
    }
}

/// One definition or declaration that can be taken out.
#[derive(Clone, Copy, Debug)]
struct Item {
    from: usize,
    to: usize,
    is_device: bool,
}

struct Text {
    text: String,
    /// Without comments.
    plain: String,
    items: Vec<Item>,
}

/// The file and what it includes.
pub struct Project {
    texts: BTreeMap<PathBuf, Text>,
    pub kernels: Vec<Kernel>,
    folder: PathBuf,
    main: PathBuf,
    includes: Vec<PathBuf>,
    removed: BTreeSet<(PathBuf, usize)>,
    /// Names of headers that something stands for in the working folder.
    placed: BTreeSet<String>,
    /// Whether nothing may be compiled that leads out of the working folder.
    is_held: bool,
}

/// Where headers stand that are nowhere: deep, so that `../` leads out of the working folder from there late.
const MISSING: &str = "missing/1/2/3/4/5/6/7/8";
/// An empty folder, as deep.
const START: &str = "start/1/2/3/4/5/6/7/8";
/// Larger files are no source.
const MOST_BYTES: u64 = 8 << 20;
/// Files that are looked at in search of a header, for each folder above.
const MOST_SEARCHED: usize = 4_000;

/// Texts by the files in whose place they stand.
pub(super) type Edited = BTreeMap<PathBuf, String>;

impl Project {
    /// Reads `main` and what it includes, as far as `may_read` lets it.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn read(
        main: &Path,
        includes: &[PathBuf],
        toolkit: &[PathBuf],
        folder: &Path,
        may_read: &dyn Fn(&Path) -> bool,
    ) -> Result<Project, String> {
        Self::read_edited(
            main,
            includes,
            toolkit,
            folder,
            (&BTreeMap::new(), may_read),
        )
    }

    /// The same, where `edited` texts stand in place of files.
    ///
    /// # Errors
    /// Where the file cannot be read.
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub fn read_edited(
        main: &Path,
        includes: &[PathBuf],
        toolkit: &[PathBuf],
        folder: &Path,
        (edited, may_read): (&Edited, &dyn Fn(&Path) -> bool),
    ) -> Result<Project, String> {
        let main =
            std::fs::canonicalize(main).map_err(|error| format!("{}: {error}", main.display()))?;
        let is_toolkit = |one: &Path| {
            let mut folders = toolkit.iter().filter_map(|one| one.canonicalize().ok());
            folders.any(|folder| one.starts_with(folder))
        };
        let mut project = Project {
            texts: BTreeMap::new(),
            kernels: Vec::new(),
            folder: folder.to_path_buf(),
            main: main.clone(),
            // The toolkit's headers are the compiler's own: a copy without their host half does not compile.
            includes: includes
                .iter()
                .filter_map(|one| std::fs::canonicalize(one).ok())
                .filter(|one| !is_toolkit(one))
                .collect(),
            removed: BTreeSet::new(),
            placed: BTreeSet::new(),
            is_held: false,
        };
        let mut raw: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut missing: BTreeSet<String> = BTreeSet::new();
        let mut queue = vec![main];
        while let Some(path) = queue.pop() {
            if raw.contains_key(&path) || raw.len() > 300 {
                continue;
            }
            let text = match edited.get(&path) {
                Some(text) => text.clone(),
                None => text_of(&path)?,
            };
            let text = continued(&text.replace(['\r', '\0'], " "));
            for name in included(&text) {
                let near = path.parent().map(Path::to_path_buf);
                let mut places = near
                    .iter()
                    .chain(&project.includes)
                    .map(|folder| folder.join(&name));
                let is_built_in = BUILT_IN.contains(&name.as_str());
                let mut own = places
                    .find(|place| place.is_file())
                    .filter(|_| !is_built_in);
                let leads_up = opened::leads_up(&name);
                let in_toolkit =
                    !leads_up && toolkit.iter().any(|folder| folder.join(&name).is_file());
                // Where its copy is not found, the compiler is to look no further.
                if leads_up {
                    missing.insert(name.clone());
                }
                if own.is_none() && !is_built_in && !in_toolkit {
                    own = elsewhere(&path, &name, folder);
                    let folder = own
                        .as_deref()
                        .and_then(|own| own.ancestors().nth(Path::new(&name).components().count()));
                    if let Some(folder) = folder.and_then(|one| std::fs::canonicalize(one).ok())
                        && !project.includes.contains(&folder)
                    {
                        project.includes.push(folder);
                    }
                }
                let own = own.and_then(|own| std::fs::canonicalize(own).ok());
                if let Some(own) = own.filter(|own| may_read(own)) {
                    queue.push(own);
                    continue;
                }
                let is_host = HOST_LIBRARIES.iter().any(|start| name.starts_with(start))
                    || name.starts_with("thrust/")
                    || name.starts_with("cuda_gl")
                    || name == "cub/cub.cuh"
                    || name.starts_with("cub/device/")
                    || name.starts_with("cub/util_alloc");
                if is_built_in || is_host || !in_toolkit {
                    missing.insert(name);
                }
            }
            raw.insert(path, text);
        }
        let device = device_words(raw.values());
        for (path, text) in raw {
            let (text, items, kernels) = device_half(&text, &device);
            project.kernels.extend(kernels);
            let plain = without_comments(&text);
            project.texts.insert(path, Text { text, plain, items });
        }
        project.stand_in(missing, toolkit)?;
        write(&project.folder.join("prelude.h"), PRELUDE)?;
        Ok(project)
    }

    /// Puts something in the place of headers that are neither the project's nor the toolkit's.
    fn stand_in(
        &mut self,
        mut missing: BTreeSet<String>,
        toolkit: &[PathBuf],
    ) -> Result<(), String> {
        missing.extend(STANDARD_HEADERS.map(str::to_owned));
        let is_of_torch = |name: &str| TORCH.iter().any(|start| name.starts_with(start));
        let uses_torch = missing.iter().any(|name| is_of_torch(name));
        let absent = self.folder.join(MISSING);
        std::fs::create_dir_all(&absent)
            .map_err(|error| format!("{}: {error}", absent.display()))?;
        if uses_torch {
            missing.extend(LIBRARY.map(|(host, _)| host.to_owned()));
            write(&absent.join(TORCH_HEADER), TORCH_TEXT)?;
        }
        let uses_library =
            uses_torch || self.texts.values().any(|text| text.text.contains("std::"));
        for name in missing {
            let library = LIBRARY.iter().find(|(host, _)| *host == name);
            let is_there = |own: &str| {
                toolkit
                    .iter()
                    .any(|folder| folder.join("cuda/std").join(own).is_file())
            };
            let library = library.filter(|(_, own)| is_there(own));
            let text = match library {
                _ if name == "cub/cub.cuh" => CUB.to_owned(),
                _ if name == CURAND_KERNEL => CURAND_TEXT.to_owned(),
                _ if is_of_torch(&name) => format!("#pragma once\n#include \"{TORCH_HEADER}\"\n"),
                Some((_, own)) if uses_library => {
                    format!(
                        "#pragma once\n#include <cuda/std/{own}>\nnamespace std {{ using namespace cuda::std; }}\n"
                    )
                }
                // What these bring along.
                _ if HALF_TYPES.iter().any(|start| name.starts_with(start)) => {
                    let types = if name.starts_with("cublas") {
                        CUBLAS
                    } else {
                        ""
                    };
                    format!("#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n{types}")
                }
                _ => String::new(),
            };
            let place = opened::below(&self.folder, &absent, &name);
            if let Some(place) = place.filter(|place| !place.is_dir()) {
                write(&place, &text)?;
                self.placed.insert(name);
            }
        }
        Ok(())
    }

    /// Where a file's copy lies.
    fn copy_of(&self, path: &Path) -> PathBuf {
        self.folder
            .join("copy")
            .join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Writes copies; gives the main file's text and the options that find its headers.
    ///
    /// # Errors
    /// Where files cannot be written.
    pub fn write(&self) -> Result<(String, Vec<String>), String> {
        if self.is_held {
            self.stays_inside()?;
        }
        for (path, text) in &self.texts {
            if *path != self.main {
                let first = if text.text.contains("#pragma once") {
                    "#pragma once\n"
                } else {
                    ""
                };
                let head = format!("{first}#line 1 \"{}\"\n", path.display());
                write(&self.copy_of(path), &(head + &text.text))?;
            }
        }
        let main = &self.texts[&self.main].text;
        let text = format!("#line 1 \"{}\"\n{main}", self.main.display());
        // For whoever asks what the compiler was given.
        write(&self.folder.join("main.cu"), &text)?;
        let mut options: Vec<String> = Vec::new();
        let near = self.main.parent().unwrap_or(Path::new("/"));
        for folder in [near]
            .into_iter()
            .chain(self.includes.iter().map(PathBuf::as_path))
        {
            // A folder without a copied file is one that `../` leads out of, too.
            let copy = self.copy_of(folder);
            std::fs::create_dir_all(&copy)
                .map_err(|error| format!("{}: {error}", copy.display()))?;
            options.push(format!("-I{}", copy.display()));
        }
        options.push(format!("-I{}", self.folder.join(MISSING).display()));
        options.push(format!(
            "--pre-include={}",
            self.folder.join("prelude.h").display()
        ));
        Ok((text, options))
    }

    /// Takes out what the compiler complains of; how much went. Device code goes only where nothing
    /// else is left to blame: it may fail for want of what is to go before it.
    pub fn remove(&mut self, log: &str) -> usize {
        let mut blamed: Vec<(PathBuf, usize, bool)> = Vec::new();
        for (path, number) in log.lines().filter_map(place_of) {
            let Some(text) = self.texts.get(&path) else {
                continue;
            };
            let lines = text.text.split_inclusive('\n').take(number - 1);
            let start: usize = lines.map(str::len).sum();
            let end = text.text[start..].find('\n');
            let end = end.map_or(text.text.len(), |n| start + n);
            let mut items = text.items.iter().enumerate();
            let item = items.find(|(_, item)| item.from < end && item.to > start);
            if let Some((at, item)) = item {
                blamed.push((path, at, item.is_device));
            }
        }
        blamed.retain(|(path, at, _)| !self.removed.contains(&(path.clone(), *at)));
        let has_others = blamed.iter().any(|(.., is_device)| !is_device);
        blamed.retain(|(.., is_device)| !is_device || !has_others);
        let taken = blamed
            .into_iter()
            .filter(|(path, at, _)| self.take_out(path, *at));
        taken.count()
    }

    /// Takes out what neither the kernels lead to nor these instances of them.
    pub fn keep_what_is_needed(&mut self, instances: &[String]) {
        for (path, at) in slice::unneeded(&self.texts, instances) {
            self.take_out(&path, at);
        }
    }

    /// Takes out what was taken out of another version of the same text.
    pub fn remove_as_in(&mut self, other: &Project) {
        for (path, at) in &other.removed {
            self.take_out(path, *at);
        }
    }

    /// Whether a definition was there to be taken out.
    fn take_out(&mut self, path: &Path, at: usize) -> bool {
        if !self.removed.insert((path.to_path_buf(), at)) {
            return false;
        }
        let Some(text) = self.texts.get_mut(path) else {
            return false;
        };
        let Some(Item { from, to, .. }) = text.items.get(at).copied() else {
            return false;
        };
        text.text = blanked(&text.text, from, to);
        true
    }

    /// From now on the compiler is given only texts by which it opens copies of what was read, what stands for the
    /// rest, and the toolkit's headers.
    pub fn hold(&mut self) {
        self.is_held = true;
    }

    /// An empty folder to start the compiler in: there it looks first.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn start(&self) -> Result<PathBuf, String> {
        let start = self.folder.join(START);
        std::fs::create_dir_all(&start).map_err(|error| format!("{}: {error}", start.display()))?;
        Ok(start)
    }

    /// Looks at what the compiler is given at last: to take something out may bring something up.
    fn stays_inside(&self) -> Result<(), String> {
        let near = self.main.parent().unwrap_or(Path::new("/"));
        let mut folders: Vec<PathBuf> = self.includes.iter().map(|one| self.copy_of(one)).collect();
        folders.extend([MISSING, START].map(|one| self.folder.join(one)));
        folders.push(self.copy_of(near));
        for (path, text) in &self.texts {
            // Paths stand in `#line`.
            let named = path.display().to_string();
            if named.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
                return Err(format!("{named:?} is no name for a compiler"));
            }
            for name in opened::names(&text.text) {
                let Some(name) = name else {
                    return Err(format!("{named} includes what only a macro names"));
                };
                let own = self.copy_of(path.parent().unwrap_or(path));
                let mut from = folders.iter().chain([&own]);
                let is_inside = !opened::leads_up(&name)
                    || self.placed.contains(&name)
                        && from.all(|folder| opened::below(&self.folder, folder, &name).is_some());
                if !is_inside {
                    return Err(format!(
                        "{named} includes {name:?}, which leads out of the project"
                    ));
                }
            }
        }
        Ok(())
    }

    /// What `cudalint: assume(…)` promises.
    pub fn promises(&self) -> Vec<String> {
        const MARK: &str = "cudalint: assume";
        let mut out = Vec::new();
        for text in self.texts.values() {
            for (at, _) in text.text.match_indices(MARK) {
                let open = at + MARK.len();
                if let Some(past) = text.text[open..]
                    .starts_with('(')
                    .then(|| closing(&text.text, open))
                    .flatten()
                {
                    out.push(text.text[open + 1..past - 1].to_owned());
                }
            }
        }
        out
    }

    /// Whether a variable of the PTX is one of device memory in the text: constants of the host become
    /// variables, too, until they are optimised.
    pub fn is_of_device(&self, variable: &str) -> bool {
        let declares = |text: &Text, item: &Item| {
            let declared = text.plain.get(item.from..item.to).unwrap_or("");
            let is_marked = ["__device__", "__managed__", "__constant__"]
                .iter()
                .any(|word| has_word(declared, word));
            // Functions use names, they declare none.
            let is_variable = !declared.split('=').next().unwrap_or("").contains('(');
            is_marked
                && is_variable
                && declared.split(|c: char| !is_word(c)).any(|word| {
                    word.len() > 1 && !word.starts_with("__") && variable.ends_with(word)
                })
        };
        let mut texts = self.texts.values();
        texts.any(|text| text.items.iter().any(|item| declares(text, item)))
    }

    pub fn has(&self, path: &Path) -> bool {
        self.texts.contains_key(path)
    }

    /// Whether a class is declared there: what the compiler makes of it by itself, such as a copy,
    /// belongs to the place that asks for it.
    pub fn is_class(&self, path: &Path, line: u32) -> bool {
        let text = self
            .texts
            .get(path)
            .and_then(|text| text.plain.lines().nth(line as usize - 1));
        text.is_some_and(|line| {
            let is_class = ["struct", "class", "union"]
                .iter()
                .any(|word| has_word(line, word));
            is_class && !line.contains(['(', '=', ';'])
        })
    }

    /// The lines of the statement that a place stands in: the compiler names any part of it.
    pub fn statement(&self, path: &Path, line: u32, column: u32) -> (u32, u32) {
        const MOST_LINES: u32 = 60;
        let Some(text) = self.texts.get(path) else {
            return (line, line);
        };
        let bytes = text.plain.as_bytes();
        let place: usize = text
            .plain
            .split_inclusive('\n')
            .take(line as usize - 1)
            .map(str::len)
            .sum();
        let place = place + column.saturating_sub(1) as usize;
        let (mut at, mut depth, mut last) = (place, 0_i32, line);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\n' => last += 1,
                b'(' | b'[' => depth += 1,
                b'{' if depth > 0 => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b';' | b'{' if depth <= 0 => break,
                _ => {}
            }
            if last > line + MOST_LINES {
                break;
            }
            at += 1;
        }
        let (mut at, mut first, mut row) = (place, line, line);
        while at > 0 && row + MOST_LINES > line {
            at -= 1;
            match bytes.get(at) {
                Some(b'\n') => row -= 1,
                Some(b';' | b'{' | b'}') => break,
                Some(byte) if !byte.is_ascii_whitespace() => first = row,
                _ => {}
            }
        }
        (first, last)
    }
}

/// `/path/file.cu(12): error: …`
fn place_of(line: &str) -> Option<(PathBuf, usize)> {
    if !line.contains("error") {
        return None;
    }
    let open = line.find('(')?;
    let close = open + line[open..].find(')')?;
    let number = line[open + 1..close].parse().ok()?;
    Some((PathBuf::from(&line[..open]), number)).filter(|(_, number)| *number > 0)
}

/// The text of a file of source.
pub(super) fn text_of(path: &Path) -> Result<String, String> {
    let said = |error: std::io::Error| format!("{}: {error}", path.display());
    let known = std::fs::metadata(path).map_err(said)?;
    if !known.is_file() || known.len() > MOST_BYTES {
        return Err(format!("{}: no file of source", path.display()));
    }
    let bytes = std::fs::read(path).map_err(said)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text with nothing between a backslash and the end of its line: only there NVRTC takes it for one that goes on.
fn continued(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let rest = line.trim_end();
        if rest.ends_with('\\') && line.ends_with('\n') {
            out.push_str(rest);
            out.push('\n');
        } else {
            out.push_str(line);
        }
    }
    out
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(said)?;
    }
    std::fs::write(path, text).map_err(said)
}

/// A header that no search path leads to: below one of the repository's folders above, the nearest first. Those that hold the
/// judge's own `working` folder are none of the project's.
fn elsewhere(from: &Path, name: &str, working: &Path) -> Option<PathBuf> {
    let plain = name.trim_start_matches("../").trim_start_matches("./");
    let mut above = super::files::folders_above(from).skip(1).take(4);
    above.find_map(|folder| {
        if working.starts_with(folder) {
            return None;
        }
        let (mut queue, mut seen) = (vec![folder.to_path_buf()], 0);
        while let Some(folder) = queue.pop() {
            let place = folder.join(plain);
            if place.is_file() {
                return Some(place);
            }
            let mut below: Vec<PathBuf> = std::fs::read_dir(&folder)
                .ok()?
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path())
                .collect();
            seen += below.len() + 1;
            if seen > MOST_SEARCHED {
                return None;
            }
            below.sort();
            queue.extend(below.into_iter().rev());
        }
        None
    })
}

pub(super) fn included(text: &str) -> Vec<String> {
    let name = |line: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include")?.trim_start();
        let rest = rest.strip_prefix(['"', '<'])?;
        Some(rest[..rest.find(['"', '>'])?].to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_go_on_past_blanks_at_the_end_of_a_line() {
        let text = "#define A(x) \\ \n  x + \\\t\n  1\nint b; \n";
        assert_eq!(continued(text), "#define A(x) \\\n  x + \\\n  1\nint b; \n");
    }

    #[test]
    fn kernels_of_one_name_are_told_apart_by_what_they_take() {
        let kernel = |is_template: bool, ty: &str| Kernel {
            name: "k".to_owned(),
            path: "n::k".to_owned(),
            is_template,
            parameters: vec![
                ("p".to_owned(), ty.to_owned()),
                ("n".to_owned(), "int".to_owned()),
            ],
        };
        let all = [
            kernel(false, "float *"),
            kernel(false, "__half *"),
            kernel(true, "T *"),
        ];
        assert_eq!(all[1].expression("", &all), "(void (*)(__half *, int))n::k");
        assert_eq!(all[2].expression("<int>", &all), "n::k<int>");
        assert_eq!(all[0].expression("", &all[..1]), "n::k");
    }
}
