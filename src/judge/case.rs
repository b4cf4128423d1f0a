//! One file to be judged: its text, its kernels, and the runs that are made of them.

use super::random::Random;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Values that programs trip over.
const SMALL: [i64; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 32];
const NASTY: [i64; 34] = [
    31,
    33,
    40,
    48,
    63,
    64,
    65,
    96,
    100,
    127,
    128,
    129,
    200,
    255,
    256,
    257,
    512,
    1000,
    1023,
    1024,
    4096,
    65536,
    1 << 20,
    -1,
    -2,
    -3,
    -7,
    -8,
    -32,
    i32::MAX as i64,
    i32::MIN as i64,
    1 << 61,
    i64::MAX - 3,
    i64::MIN,
];

#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    pub text: String,
    /// Constructs that a generator put in.
    pub constructs: Vec<&'static str>,
    pub kernels: Vec<Kernel>,
    /// Conditions that comments for the tool promise.
    pub promises: Vec<String>,
    /// Whether `main` launches the kernels.
    pub has_main: bool,
}

#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub is_template: bool,
    pub launches: Vec<Launch>,
    /// Where its text stands.
    pub lines: RangeInclusive<u32>,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub ty: String,
}

impl Parameter {
    pub fn is_pointer(&self) -> bool {
        self.ty.contains('*')
    }

    /// Whether its type is written in the words of integers alone.
    pub fn is_integer(&self) -> bool {
        const WORDS: [&str; 10] = [
            "const", "unsigned", "signed", "bool", "char", "short", "int", "long", "size_t",
            "uint8_t",
        ];
        let mut words = self.ty.split_whitespace();
        !self.ty.trim().is_empty() && words.all(|word| WORDS.contains(&word))
    }

    /// A value as the parameter's type holds it.
    pub fn holds(&self, value: i64) -> i128 {
        let is = |word: &str| self.ty.split_whitespace().any(|part| part == word);
        let is_unsigned = is("unsigned") || is("size_t") || self.ty.contains("uint");
        let bits = if is("bool") {
            return i128::from(value != 0);
        } else if is("char") || self.ty.contains("int8_t") {
            8
        } else if is("short") || self.ty.contains("int16_t") {
            16
        } else if is("long") || is("size_t") || self.ty.contains("int64_t") {
            64
        } else {
            32
        };
        match (bits, is_unsigned) {
            (8, false) => i128::from(value as i8),
            (8, true) => i128::from(value as u8),
            (16, false) => i128::from(value as i16),
            (16, true) => i128::from(value as u16),
            (32, false) => i128::from(value as i32),
            (32, true) => i128::from(value as u32),
            (_, false) => i128::from(value),
            (_, true) => i128::from(value as u64),
        }
    }
}

/// `//@ launch`, or a launch that the judge makes up.
#[derive(Clone, Debug)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u64,
    /// `<float, 16>` or empty.
    pub template: String,
    /// By parameter; those that are not there, or hidden from the analysis, vary.
    pub known: BTreeMap<String, i64>,
    /// The element type and count of buffers are no matter here; offsets of pointers are.
    /// Values that hidden arguments have in the directive.
    pub hinted: BTreeMap<String, i64>,
    /// No argument is a struct, of which the judge cannot make a value.
    pub is_possible: bool,
}

/// One execution of one launch.
#[derive(Clone, Debug)]
pub struct Run {
    pub kernel: usize,
    /// Which instance: kernels by name and template arguments are entries.
    pub entry: usize,
    pub launch: Launch,
    pub values: Vec<i64>,
    pub data_mode: usize,
    pub seed: u64,
}

impl Case {
    pub fn new(name: &str, text: &str) -> Self {
        let plain = without_comments(text);
        let mut kernels = kernels_of(&plain);
        for line in text.lines() {
            if let Some((name, launch)) = directive(line) {
                for kernel in kernels.iter_mut().filter(|kernel| kernel.name == name) {
                    kernel.launches.push(launch.clone());
                }
            }
        }
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
            constructs: Vec::new(),
            promises: text.lines().filter_map(promise).collect(),
            has_main: plain.contains("<<<") && has_word(&plain, "main"),
            kernels,
        }
    }

    /// Instances that are called from outside: kernel and template arguments.
    pub fn entries(&self) -> Vec<(usize, String)> {
        let mut out: Vec<(usize, String)> = Vec::new();
        for (at, kernel) in self.kernels.iter().enumerate() {
            for launch in &kernel.launches {
                let entry = (at, launch.template.clone());
                if !out.contains(&entry) {
                    out.push(entry);
                }
            }
            if kernel.launches.is_empty() && !kernel.is_template && !self.has_main {
                out.push((at, String::new()));
            }
        }
        out
    }

    /// What is run, `count` times for each launch.
    pub fn runs(&self, random: &mut Random, count: usize) -> Vec<Run> {
        let entries = self.entries();
        let mut out = Vec::new();
        for (entry, (at, template)) in entries.iter().enumerate() {
            let kernel = &self.kernels[*at];
            let own: Vec<&Launch> = kernel
                .launches
                .iter()
                .filter(|launch| launch.template == *template)
                .collect();
            let made_up = made_up_launches();
            let launches: Vec<&Launch> = if own.is_empty() {
                made_up.iter().collect()
            } else {
                own
            };
            let is_made_up = kernel.launches.is_empty();
            for turn in 0..if is_made_up {
                3 * count
            } else {
                count * launches.len()
            } {
                let launch = launches[turn % launches.len()];
                if !launch.is_possible {
                    continue;
                }
                let level = turn / launches.len();
                let numbers = kernel.parameters.iter().filter(|one| !one.is_pointer());
                let is_fixed = !is_made_up
                    && numbers
                        .clone()
                        .all(|one| launch.known.contains_key(&one.name));
                // Data still varies.
                if is_fixed && level >= 4 {
                    continue;
                }
                let values = kernel.parameters.iter().map(|parameter| {
                    if let Some(value) = launch.known.get(&parameter.name) {
                        return *value;
                    }
                    if parameter.is_pointer() {
                        return 0;
                    }
                    match (level, launch.hinted.get(&parameter.name)) {
                        (0, Some(value)) => *value,
                        (1, _) => 1,
                        _ => match random.below(12) {
                            0..=7 => random.number(&SMALL),
                            _ => random.number(&NASTY),
                        },
                    }
                });
                let values = values.collect();
                out.push(Run {
                    kernel: *at,
                    entry,
                    launch: launch.clone(),
                    values,
                    data_mode: random.below(6),
                    seed: random.next() >> 2,
                });
            }
        }
        out
    }
}

fn made_up_launches() -> Vec<Launch> {
    let shapes = [
        ([2, 1, 1], [32, 1, 1]),
        ([3, 1, 1], [64, 1, 1]),
        ([2, 2, 1], [32, 2, 1]),
        ([5, 1, 1], [96, 1, 1]),
        ([2, 1, 2], [64, 2, 2]),
    ];
    let launch = |(grid, block)| Launch {
        grid,
        block,
        shared: 32 << 10,
        template: String::new(),
        known: BTreeMap::new(),
        hinted: BTreeMap::new(),
        is_possible: true,
    };
    shapes.map(launch).to_vec()
}

/// The text with comments and the insides of strings blanked, places unchanged.
pub fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    let blank = |out: &mut Vec<u8>, from: usize, to: usize| {
        for byte in &mut out[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let end = end.map_or(bytes.len(), |n| at + n);
            blank(&mut out, at, end);
            at = end;
        } else if rest.starts_with(b"/*") {
            let end = text.get(at + 2..).and_then(|rest| rest.find("*/"));
            let end = end.map_or(bytes.len(), |n| at + n + 4);
            blank(&mut out, at, end);
            at = end;
        } else if bytes[at] == b'"' {
            let mut end = at + 1;
            while end < bytes.len() && bytes[end] != b'"' && bytes[end] != b'\n' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let end = end.min(bytes.len());
            blank(&mut out, at + 1, end);
            at = end + 1;
        } else {
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + word.len()..].chars().next().is_some_and(is_word)
    })
}

/// Byte after the bracket that closes the one at `open`.
pub fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Parts between commas that stand in no brackets.
pub fn split_commas(text: &str) -> Vec<&str> {
    let (mut depth, mut from) = (0_i32, 0);
    let mut out = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    if !text[from..].trim().is_empty() {
        out.push(text[from..].trim());
    }
    out
}

fn kernels_of(plain: &str) -> Vec<Kernel> {
    let mut out: Vec<Kernel> = Vec::new();
    for (at, _) in plain.match_indices("__global__") {
        let mut from = at + "__global__".len();
        // Past attributes with arguments.
        let Some(mut open) = plain[from..].find('(').map(|n| from + n) else {
            continue;
        };
        while plain[from..open].trim_end().ends_with("__launch_bounds__")
            || plain[from..open].trim_end().ends_with("__align__")
        {
            let Some(past) = closing(plain, open) else {
                break;
            };
            from = past;
            let Some(next) = plain[from..].find('(') else {
                break;
            };
            open = from + next;
        }
        let name: String = plain[from..open].trim_end().to_owned();
        let name = name
            .rsplit(|c: char| !is_word(c))
            .next()
            .unwrap_or("")
            .to_owned();
        let Some(past) = closing(plain, open) else {
            continue;
        };
        if name.is_empty() || plain[past..].trim_start().starts_with(';') {
            continue;
        }
        let parameters = split_commas(&plain[open + 1..past - 1])
            .into_iter()
            .filter(|one| *one != "void")
            .map(parameter)
            .collect();
        let before = &plain[..at];
        let statement = before.rfind([';', '}', '{']).map_or(0, |n| n + 1);
        let is_template = has_word(&before[statement..], "template");
        if out.iter().any(|known| known.name == name) {
            continue;
        }
        let body = plain[past..].find('{').map(|n| past + n);
        let end = body.and_then(|open| closing(plain, open)).unwrap_or(past);
        let line_of = |at: usize| plain[..at].matches('\n').count() as u32 + 1;
        out.push(Kernel {
            name,
            parameters,
            is_template,
            launches: Vec::new(),
            lines: line_of(at)..=line_of(end),
        });
    }
    out
}

fn parameter(text: &str) -> Parameter {
    let text = text.split('=').next().unwrap_or(text).trim();
    let text = text.split('[').next().unwrap_or(text).trim();
    let split = text.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    Parameter {
        name: text[split..].to_owned(),
        ty: text[..split].replace('*', " * ").trim().to_owned(),
    }
}

/// What `// cudalint: assume(n % 32 == 0)` promises.
fn promise(line: &str) -> Option<String> {
    let open = line.find("cudalint: assume(")? + "cudalint: assume".len();
    let past = closing(line, open)?;
    Some(line[open + 1..past - 1].to_owned())
}

/// `//@ launch k grid=(2) block=(48) args(a=f32[64], n=?7) shared=64 template=<4>`
fn directive(line: &str) -> Option<(String, Launch)> {
    let rest = line.trim_start().strip_prefix("//@ launch ")?;
    let name = rest.split_whitespace().next()?.to_owned();
    let after = |key: &str| rest.find(key).map(|at| &rest[at + key.len()..]);
    let shape = |key: &str| -> Option<[u32; 3]> {
        let text = after(key)?;
        let text = text.trim_start_matches('?');
        let inside = text.strip_prefix('(')?.split(')').next()?;
        let mut out = [1; 3];
        for (place, number) in out.iter_mut().zip(inside.split(',')) {
            *place = number.trim().trim_start_matches('?').parse().ok()?;
        }
        Some(out)
    };
    let grid = shape("grid=")?;
    let block = shape("block=")?;
    let shared = after("shared=").map_or(0, |text| {
        let digits = text.trim_start_matches('?').chars();
        let digits: String = digits.take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    });
    let template = after("template=").map_or(String::new(), |text| text.trim().to_owned());
    let mut is_possible = true;
    let (mut known, mut hinted) = (BTreeMap::new(), BTreeMap::new());
    if let Some(open) = rest.find("args(") {
        let open = open + 4;
        let past = closing(rest, open)?;
        for argument in split_commas(&rest[open + 1..past - 1]) {
            let (key, value) = argument.split_once('=')?;
            let (key, value) = (key.trim().to_owned(), value.trim());
            is_possible &= !value.starts_with('{');
            if let Some(hidden) = value.strip_prefix('?') {
                hinted.insert(key, hidden.parse().unwrap_or(1));
            } else if let Ok(number) = value.parse::<i64>() {
                known.insert(key, number);
            } else if let Some(number) = value.rsplit_once(['+', '-']) {
                // A pointer that is moved by bytes.
                if let Ok(offset) = number.1.parse::<i64>() {
                    let sign = if value.contains("]-") || value.contains("}-") {
                        -1
                    } else {
                        1
                    };
                    known.insert(key, sign * offset);
                }
            } else if let Ok(number) = value.parse::<f64>() {
                known.insert(key, number as i64);
            }
        }
    }
    Some((
        name,
        Launch {
            grid,
            block,
            shared,
            template,
            known,
            hinted,
            is_possible,
        },
    ))
}
