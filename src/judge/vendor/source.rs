//! The device half of a file, as NVRTC can compile it: host functions go, lines stay.
//!
//! Everything that the file includes from its own project is copied with it; a header that is neither
//! there nor in the toolkit becomes an empty one. What the compiler still complains of is taken out,
//! one definition after the other, until it compiles or nothing more can go.

use crate::judge::case::{closing, has_word, is_word, split_commas, without_comments};
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
}

/// Headers of the toolkit that say nothing to NVRTC, which knows all of it.
const BUILT_IN: [&str; 12] = [
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "helper_cuda.h",
    "helper_functions.h",
    "cuda_profiler_api.h",
    "vector_types.h",
    "vector_functions.h",
    "sm_20_atomic_functions.h",
    "device_atomic_functions.h",
];

/// Parts of the C++ library that device code uses, and the toolkit's own version of each.
const LIBRARY: [(&str, &str); 16] = [
    ("limits", "limits"),
    ("type_traits", "type_traits"),
    ("utility", "utility"),
    ("tuple", "tuple"),
    ("array", "array"),
    ("cmath", "cmath"),
    ("math.h", "cmath"),
    ("algorithm", "algorithm"),
    ("complex", "complex"),
    ("functional", "functional"),
    ("cstdint", "cstdint"),
    ("stdint.h", "cstdint"),
    ("cstddef", "cstddef"),
    ("stddef.h", "cstddef"),
    ("initializer_list", "initializer_list"),
    ("iterator", "iterator"),
];

/// Headers of the C library, which the toolkit's own include.
const C_HEADERS: [&str; 10] = [
    "assert.h", "float.h", "limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
    "string.h", "time.h",
];

/// Files that are looked at in search of a header, for each folder above.
const MOST_SEARCHED: usize = 4_000;

/// Parts of a library for device code, in place of the header for everything.
const CUB: &str = "#pragma once
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
";

/// Libraries whose headers define the types of half precision as well.
const HALF_TYPES: [&str; 6] = ["cublas", "cudnn", "cusparse", "ATen/", "torch/", "c10/"];

/// What headers of the host give to device code.
const PRELUDE: &str = "
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned long long uintptr_t; typedef long long intptr_t;
typedef unsigned int uint; typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned long ulong;
typedef long ssize_t;
namespace std { using ::size_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; }
typedef struct CUstream_st *cudaStream_t; typedef struct CUevent_st *cudaEvent_t;
#define assert(...) ((void)0)
#define __extension__
typedef struct _IO_FILE FILE;
static __device__ __forceinline__ void cudaGridDependencySynchronize() {}
static __device__ __forceinline__ void cudaTriggerProgrammaticLaunchCompletion() {}
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807L
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define CHAR_BIT 8
#define UINT8_MAX 255
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ULL
#define INT64_MAX 9223372036854775807LL
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
#define M_E 2.7182818284590452354
#define M_2_PI 0.63661977236758134308
#define M_1_PI 0.31830988618379067154
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#endif
";

impl Project {
    /// Reads `main` and what it includes.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn read(
        main: &Path,
        includes: &[PathBuf],
        toolkit: &[PathBuf],
        folder: &Path,
    ) -> Result<Project, String> {
        let main =
            std::fs::canonicalize(main).map_err(|error| format!("{}: {error}", main.display()))?;
        let mut project = Project {
            texts: BTreeMap::new(),
            kernels: Vec::new(),
            folder: folder.to_path_buf(),
            main: main.clone(),
            includes: includes
                .iter()
                .filter_map(|one| std::fs::canonicalize(one).ok())
                .collect(),
            removed: BTreeSet::new(),
        };
        let mut raw: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut missing: BTreeSet<String> = BTreeSet::new();
        let mut queue = vec![main];
        while let Some(path) = queue.pop() {
            if raw.contains_key(&path) || raw.len() > 300 {
                continue;
            }
            let bytes =
                std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let text = String::from_utf8_lossy(&bytes).replace(['\r', '\0'], " ");
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
                let in_toolkit = toolkit.iter().any(|folder| folder.join(&name).is_file());
                if own.is_none() && !is_built_in && !in_toolkit {
                    own = elsewhere(&path, &name);
                    let folder = own
                        .as_deref()
                        .and_then(|own| own.ancestors().nth(Path::new(&name).components().count()));
                    if let Some(folder) = folder.and_then(|one| std::fs::canonicalize(one).ok())
                        && !project.includes.contains(&folder)
                    {
                        project.includes.push(folder);
                    }
                }
                if let Some(own) = own.and_then(|own| std::fs::canonicalize(own).ok()) {
                    queue.push(own);
                    continue;
                }
                let is_host = name.starts_with("thrust/")
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
        missing.extend(C_HEADERS.map(str::to_owned));
        let uses_library = project
            .texts
            .values()
            .any(|text| text.text.contains("std::"));
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
                Some((_, own)) if uses_library => {
                    format!(
                        "#pragma once\n#include <cuda/std/{own}>\nnamespace std {{ using namespace cuda::std; }}\n"
                    )
                }
                // What these bring along.
                _ if HALF_TYPES.iter().any(|start| name.starts_with(start)) => {
                    "#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n".to_owned()
                }
                _ => String::new(),
            };
            write(
                &project
                    .folder
                    .join("missing")
                    .join(name.trim_start_matches("../")),
                &text,
            )?;
        }
        write(&project.folder.join("prelude.h"), PRELUDE)?;
        Ok(project)
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
        let mut options: Vec<String> = Vec::new();
        let near = self.main.parent().unwrap_or(Path::new("/"));
        for folder in [near]
            .into_iter()
            .chain(self.includes.iter().map(PathBuf::as_path))
        {
            options.push(format!("-I{}", self.copy_of(folder).display()));
        }
        options.push(format!("-I{}", self.folder.join("missing").display()));
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
        let mut count = 0;
        for (path, at, _) in blamed {
            if !self.removed.insert((path.clone(), at)) {
                continue;
            }
            if let Some(text) = self.texts.get_mut(&path) {
                let Item { from, to, .. } = text.items[at];
                text.text = blanked(&text.text, from, to);
                count += 1;
            }
        }
        count
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

fn write(path: &Path, text: &str) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(said)?;
    }
    std::fs::write(path, text).map_err(said)
}

/// A header that no search path leads to: below one of the folders above, the nearest first.
fn elsewhere(from: &Path, name: &str) -> Option<PathBuf> {
    let plain = name.trim_start_matches("../").trim_start_matches("./");
    from.ancestors().skip(2).take(4).find_map(|folder| {
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

/// Words that make a function one of the device: the language's, and macros that hold one.
fn device_words<'t>(texts: impl Iterator<Item = &'t String>) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = ["__device__", "__global__", "constexpr"]
        .map(str::to_owned)
        .into();
    let mut macros: Vec<(String, String)> = Vec::new();
    for text in texts {
        for line in text.replace("\\\n", " ").lines() {
            let Some(rest) = line.trim_start().strip_prefix('#') else {
                continue;
            };
            let Some(rest) = rest.trim_start().strip_prefix("define") else {
                continue;
            };
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            macros.push((rest[..end].to_owned(), rest[end..].to_owned()));
        }
    }
    loop {
        let before = words.len();
        for (name, value) in &macros {
            if words.iter().any(|word| has_word(value, word)) {
                words.insert(name.clone());
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

fn blanked(text: &str, from: usize, to: usize) -> String {
    let keep = |c: char| if c == '\n' { '\n' } else { ' ' };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..from]);
    // What the preprocessor is told stays, to the last of its lines.
    let mut goes_on = false;
    for line in text[from..to].split_inclusive('\n') {
        let is_told = goes_on || line.trim_start().starts_with('#');
        goes_on = is_told && line.trim_end().ends_with('\\');
        if is_told {
            out.push_str(line);
        } else {
            out.extend(line.chars().map(keep));
        }
    }
    out.push_str(&text[to..]);
    out
}

/// The text without host functions, what else can be taken out, and its kernels.
fn device_half(text: &str, device: &BTreeSet<String>) -> (String, Vec<Item>, Vec<Kernel>) {
    // Characters of many bytes would move places.
    let text: String = text
        .chars()
        .map(|c| if c.is_ascii() { c } else { '?' })
        .collect();
    let plain = without_comments(&text);
    let mut scan = Scan {
        plain: &plain,
        device,
        items: Vec::new(),
        host: Vec::new(),
        kernels: Vec::new(),
        spaces: Vec::new(),
    };
    scan.read();
    let (items, host, kernels) = (scan.items, scan.host, scan.kernels);
    // NVRTC takes no function for the host, not even one that is for both.
    let mut out = text.clone();
    for (at, word) in plain.match_indices("__host__") {
        out.replace_range(at..at + word.len(), &" ".repeat(word.len()));
    }
    for item in host {
        out = blanked(&out, item.from, item.to);
    }
    (out, items, kernels)
}

struct Scan<'a> {
    plain: &'a str,
    device: &'a BTreeSet<String>,
    items: Vec<Item>,
    host: Vec<Item>,
    kernels: Vec<Kernel>,
    /// Namespaces that are open; an empty one for `extern "C"`.
    spaces: Vec<String>,
}

impl Scan<'_> {
    fn read(&mut self) {
        let bytes = self.plain.as_bytes();
        let (mut at, mut start) = (0, 0);
        let mut is_line_start = true;
        while at < bytes.len() {
            let byte = bytes[at];
            if is_line_start && byte == b'#' {
                // To the end of the directive.
                let mut end = at;
                loop {
                    let line_end = self.plain[end..]
                        .find('\n')
                        .map_or(bytes.len(), |n| end + n);
                    let goes_on = self.plain[end..line_end].trim_end().ends_with('\\');
                    end = (line_end + 1).min(bytes.len());
                    if !goes_on || end >= bytes.len() {
                        break;
                    }
                }
                if self.plain[start..at].trim().is_empty() {
                    start = end;
                }
                at = end;
                continue;
            }
            if !byte.is_ascii_whitespace() {
                is_line_start = false;
            }
            match byte {
                b'\n' => is_line_start = true,
                b'(' | b'[' => {
                    at = closing(self.plain, at).unwrap_or(bytes.len());
                    continue;
                }
                b';' => {
                    let is_device = self.is_device(&self.plain[start..at]);
                    self.items.push(Item {
                        from: start,
                        to: at + 1,
                        is_device,
                    });
                    start = at + 1;
                }
                b'}' => {
                    self.spaces.pop();
                    start = at + 1;
                }
                b'{' => {
                    let head = &self.plain[start..at];
                    let is_extern =
                        has_word(head, "extern") && head.contains('"') && !head.contains('(');
                    if has_word(head, "namespace") && !head.contains('=') || is_extern {
                        let name = head.split_whitespace().last().unwrap_or("");
                        let is_named = !is_extern
                            && name != "namespace"
                            && name.chars().all(|c| is_word(c) || c == ':');
                        self.spaces.push(if is_named {
                            name.to_owned()
                        } else {
                            String::new()
                        });
                        start = at + 1;
                        at += 1;
                        continue;
                    }
                    let end = closing(self.plain, at).unwrap_or(bytes.len());
                    let is_function =
                        head.contains('(') && !is_class(head) && !head.trim_end().ends_with('=');
                    if is_function {
                        self.function(start, at, end);
                        start = end;
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn is_device(&self, text: &str) -> bool {
        self.device.iter().any(|word| has_word(text, word))
    }

    fn function(&mut self, start: usize, body: usize, end: usize) {
        let head = &self.plain[start..body];
        let is_device = self.is_device(head);
        let item = Item {
            from: start,
            to: end,
            is_device,
        };
        if !is_device {
            self.host.push(item);
            return;
        }
        self.items.push(item);
        if !has_word(head, "__global__") {
            return;
        }
        // The last list of parameters of the head, past attributes.
        let marked = head.find("__global__").unwrap_or(0);
        let mut open = None;
        let mut from = marked;
        while let Some(found) = head[from..].find('(').map(|n| from + n) {
            let before = head[..found].trim_end();
            let word = before.rsplit(|c: char| !is_word(c)).next().unwrap_or("");
            let past = closing(head, found).unwrap_or(head.len());
            if !word.starts_with("__") {
                open = Some((word.to_owned(), found, past));
                break;
            }
            from = past;
        }
        let Some((name, open, past)) = open else {
            return;
        };
        let spaces: Vec<&str> = self
            .spaces
            .iter()
            .map(String::as_str)
            .filter(|one| !one.is_empty())
            .collect();
        let mut path = spaces.join("::");
        if !path.is_empty() {
            path.push_str("::");
        }
        path.push_str(&name);
        let parameters = split_commas(&head[open + 1..past - 1]);
        self.kernels.push(Kernel {
            name,
            path,
            is_template: has_word(&head[..marked], "template"),
            parameters: parameters
                .into_iter()
                .filter(|one| *one != "void")
                .map(parameter)
                .collect(),
        });
    }
}

fn is_class(head: &str) -> bool {
    let mut head = head.to_owned();
    for word in ["alignas", "__align__", "__attribute__", "__declspec"] {
        while let Some(at) = head.find(word) {
            let open = head[at..].find('(').map_or(head.len(), |n| at + n);
            let past = closing(&head, open).unwrap_or(head.len());
            head.replace_range(at..past, "");
        }
    }
    let head = head.as_str();
    let last = head.rfind(')').map_or(0, |n| n + 1);
    let words = ["struct", "class", "union", "enum"];
    // After a template's head or attributes, with no list of parameters behind.
    words.iter().any(|word| {
        head.match_indices(word).any(|(at, _)| {
            let is_whole = has_word(
                &head[at.saturating_sub(1)..(at + word.len() + 1).min(head.len())],
                word,
            );
            let angle = head[..at].matches('<').count() > head[..at].matches('>').count();
            is_whole && !angle && at >= last.min(at + 1) && !head[at..].contains('(')
        })
    })
}

/// Name and type.
fn parameter(text: &str) -> (String, String) {
    let text = text.split('=').next().unwrap_or(text).trim();
    let is_array = text.contains('[');
    let text = text.split('[').next().unwrap_or(text).trim();
    let split = text.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    let mut ty = text[..split].trim().to_owned();
    if is_array {
        ty.push('*');
    }
    (text[split..].to_owned(), ty)
}
