//! What the runtime must know of the compiled text: given the compiler's assembly, puts beside it where
//! each access is written, and in which order warps go through the blocks of functions. Of instructions it
//! knows jumps and calls only.

mod order;

use std::collections::HashMap;
use std::fmt::Write as _;

const HOOKS_OF_ACCESSES: [&str; 4] = [
    "__tsan_read",
    "__tsan_write",
    "__tsan_unaligned",
    "__tsan_volatile",
];

#[derive(Debug, Default)]
struct Annotator<'a> {
    out: String,
    files: Vec<Option<usize>>,
    /// File, line and column of what follows.
    place: (u32, u32, u32),
    /// What tells whether a static variable was initialised: in shared memory, but in no kernel's text.
    is_guard: bool,
    /// The function that is open.
    function: Option<Function<'a>>,
    /// Of all functions so far.
    names: usize,
    ranks: usize,
}

#[derive(Debug, Default)]
struct Function<'a> {
    blocks: Vec<Block<'a>>,
    by_label: HashMap<&'a str, usize>,
    /// The next instruction begins a block: no label stands before it.
    is_cut: bool,
}

#[derive(Debug, Default)]
struct Block<'a> {
    name: String,
    jumps: Vec<&'a str>,
    /// By a table, whose labels come behind it.
    has_table: bool,
    falls_through: bool,
}

/// The assembly with its tables, and the list of files: for each the number of its case, a line each.
pub fn annotated(assembly: &str) -> (String, String) {
    let mut annotator = Annotator {
        out: String::with_capacity(assembly.len() + assembly.len() / 4),
        ..Annotator::default()
    };
    for line in assembly.lines() {
        annotator.before(line.trim_start());
        annotator.out.push_str(line);
        annotator.out.push('\n');
        annotator.after(line.trim_start());
    }
    let names = annotator.files.iter().map(|file| match file {
        Some(case) => format!("{case}\n"),
        None => "-\n".to_owned(),
    });
    let names = names.collect();
    (annotator.out, names)
}

fn is_instruction(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(['.', '#']) && !line.ends_with(':')
}

impl<'a> Annotator<'a> {
    /// Gives the block that begins with this line a name.
    fn before(&mut self, line: &'a str) {
        let Some(function) = &mut self.function else {
            return;
        };
        let label = line.strip_suffix(':');
        let is_cut = match label {
            Some(label) => label
                .strip_prefix(".L")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())),
            None => function.is_cut && is_instruction(line),
        };
        if !is_cut {
            return;
        }
        let name = match label {
            Some(label) => {
                function.by_label.insert(label, function.blocks.len());
                label.to_owned()
            }
            None => {
                let name = format!(".Ljudge{}", self.names);
                self.names += 1;
                let _ = writeln!(self.out, "{name}:");
                name
            }
        };
        function.is_cut = false;
        function.blocks.push(Block {
            name,
            falls_through: true,
            ..Block::default()
        });
    }

    fn after(&mut self, line: &'a str) {
        if line.starts_with('.') && !line.ends_with(':') {
            self.directive(line);
        } else if is_instruction(line) {
            self.instruction(line);
        }
    }

    fn directive(&mut self, line: &'a str) {
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match word {
            ".loc" => {
                let words = rest.split_whitespace();
                let mut numbers = words.map(|word| word.parse().unwrap_or(0));
                let mut next = || numbers.next().unwrap_or(0);
                self.place = (next(), next(), next());
            }
            ".file" => {
                if let Some((number, name)) = rest.split_once(' ') {
                    self.file(number, name);
                }
            }
            ".cfi_startproc" => {
                self.function = Some(Function {
                    is_cut: true,
                    ..Function::default()
                });
            }
            ".cfi_endproc" => {
                if let Some(function) = self.function.take() {
                    self.blocks(&function);
                }
            }
            ".quad" | ".long" | ".xword" | ".word" | ".hword" | ".2byte" | ".byte" => {
                let function = self.function.as_mut();
                let block = function.and_then(|function| function.blocks.last_mut());
                if let Some(block) = block.filter(|block| block.has_table) {
                    block.jumps.extend(rest.split(['-', '(', ')', ' ']));
                }
            }
            _ => {}
        }
    }

    fn file(&mut self, number: &str, name: &str) {
        let Ok(number) = number.parse::<usize>() else {
            return;
        };
        if self.files.len() <= number {
            self.files.resize(number + 1, None);
        }
        let name = name.trim_matches('"');
        let name = name.rsplit(['/', '"']).next().unwrap_or("");
        let case = name.strip_prefix("judged_");
        let case = case.and_then(|rest| rest.strip_suffix(".cu"));
        self.files[number] = case.and_then(|digits| digits.parse().ok());
    }

    fn instruction(&mut self, line: &'a str) {
        self.is_guard |= line.contains("_ZGV");
        let callee = line
            .strip_prefix("call\t")
            .or_else(|| line.strip_prefix("bl\t"));
        match callee {
            Some(callee) => self.access(callee),
            None => self.jump(line),
        }
    }

    fn jump(&mut self, line: &'a str) {
        let Some(function) = &mut self.function else {
            return;
        };
        let Some(block) = function.blocks.last_mut() else {
            return;
        };
        let (word, rest) = line.split_once('\t').unwrap_or((line, ""));
        let target = rest.rsplit([' ', ',', '\t']).next().unwrap_or("");
        let is_table = word == "br" || (word.ends_with("jmp") && target.contains('*'));
        if is_table || word == "ret" {
            block.has_table = is_table;
            block.falls_through = false;
        } else if target.starts_with(".L") && word.starts_with(['j', 'b', 'c', 't']) {
            block.jumps.push(target);
            block.falls_through = !matches!(word, "jmp" | "b");
        } else {
            return;
        }
        function.is_cut = true;
    }

    /// Where each block begins, and its rank.
    fn blocks(&mut self, function: &Function) {
        let count = function.blocks.len();
        let next = function.blocks.iter().enumerate().map(|(at, block)| {
            let labels = block.jumps.iter();
            let jumps = labels.filter_map(|label| function.by_label.get(label).copied());
            let falls = (block.falls_through && at + 1 < count).then_some(at + 1);
            jumps.chain(falls).collect()
        });
        let next: Vec<Vec<usize>> = next.collect();
        let ranks = order::ranks(&next);
        let base = self.ranks;
        self.ranks += count;
        let _ = writeln!(self.out, "\t.pushsection judge_blocks,\"aw\"");
        for (block, rank) in function.blocks.iter().zip(ranks) {
            let (own, last) = (base + rank.own, rank.last_of_loop);
            let last = last.map_or(0, |last| base + last);
            let _ = writeln!(self.out, "\t.quad {}\n\t.long {own},{last}", block.name);
        }
        let _ = writeln!(self.out, "\t.popsection");
    }

    fn access(&mut self, callee: &str) {
        let is_plain = HOOKS_OF_ACCESSES.iter().any(|hook| callee.contains(hook));
        let op = match is_plain {
            false => 2,
            true => u32::from(callee.contains("write")),
        };
        let is_byte = matches!(callee.trim(), "__tsan_read1" | "__tsan_write1");
        if is_byte && std::mem::take(&mut self.is_guard) {
            return;
        }
        if is_plain || callee.contains("atomic") {
            let (file, line, column) = self.place;
            let _ = writeln!(
                self.out,
                "9999:\n\t.pushsection judge_table,\"aw\"\n\t.quad 9999b\n\t.long {file},{line},{column},{op}\n\t.popsection"
            );
        }
    }
}
