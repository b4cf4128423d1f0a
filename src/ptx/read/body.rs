//! Reads the body of one function: its declarations, labels and instructions.

use super::{declared, has_word, number, slot, variables};
use crate::ptx::operation::{self, Code, Operation};
use crate::ptx::{DebugLine, Function, Instruction, Operand, Special, Variable};
use std::collections::{HashMap, HashSet};

/// The body of one function: scopes, names, and labels that are known at its end.
pub(super) struct Body<'f> {
    function: &'f mut Function,
    shared: &'f mut Vec<Variable>,
    /// Registers that hold predicates.
    predicates: HashSet<u32>,
    registers: Vec<HashMap<String, u32>>,
    slots: Vec<HashMap<String, usize>>,
    locals: HashMap<String, u64>,
    labels: HashMap<String, usize>,
    /// Lists of `.branchtargets`, by label.
    targets: HashMap<String, Vec<String>>,
    place: DebugLine,
}

impl<'f> Body<'f> {
    pub(super) fn new(function: &'f mut Function, shared: &'f mut Vec<Variable>) -> Self {
        let named = function.slots.iter().enumerate();
        let slots = named.map(|(at, slot)| (slot.name.clone(), at)).collect();
        Self {
            function,
            shared,
            registers: vec![HashMap::new()],
            predicates: HashSet::new(),
            slots: vec![slots],
            locals: HashMap::new(),
            labels: HashMap::new(),
            targets: HashMap::new(),
            place: DebugLine::default(),
        }
    }

    pub(super) fn read(&mut self, text: &str) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            rest = match first {
                '{' => {
                    self.registers.push(HashMap::new());
                    self.slots.push(HashMap::new());
                    &rest[1..]
                }
                '}' => {
                    if self.registers.len() > 1 {
                        self.registers.pop();
                        self.slots.pop();
                    }
                    &rest[1..]
                }
                ';' => &rest[1..],
                _ => self.statement(rest),
            }
            .trim_start();
        }
        self.resolve();
    }

    /// Reads one statement and gives what follows it.
    fn statement<'t>(&mut self, text: &'t str) -> &'t str {
        let line_end = text.find('\n').unwrap_or(text.len());
        if text.starts_with(".loc") && !text.starts_with(".local") {
            self.loc(&text[4..line_end]);
            return &text[line_end..];
        }
        let word_end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
        let after = text[word_end..].trim_start();
        if word_end > 0 && after.starts_with(':') && !after.starts_with("::") {
            let name = &text[..word_end];
            let after = after[1..].trim_start();
            if let Some(list) = after.strip_prefix(".branchtargets") {
                let end = list.find(';').unwrap_or(list.len());
                let list_of = list[..end].split(',').map(|one| one.trim().to_owned());
                self.targets.insert(name.to_owned(), list_of.collect());
                return &list[end..];
            }
            if after.starts_with(".callprototype") {
                return &after[after.find(';').unwrap_or(after.len())..];
            }
            self.labels
                .insert(name.to_owned(), self.function.code.len());
            return after;
        }
        let end = text.find(';').unwrap_or(text.len());
        let (statement, rest) = (&text[..end], &text[end..]);
        if statement.starts_with('.') {
            self.declaration(statement);
        } else {
            let instruction = self.instruction(statement);
            self.function.code.push(instruction);
        }
        rest
    }

    fn loc(&mut self, text: &str) {
        let plain = text.split(',').next().unwrap_or("");
        let mut numbers = plain.split_whitespace().map_while(|n| n.parse().ok());
        if let (Some(file), Some(line)) = (numbers.next(), numbers.next()) {
            let column = numbers.next().unwrap_or(0);
            // Line 0 is code of the compiler's own, in the middle of a statement.
            if line > 0 {
                self.place = DebugLine { file, line, column };
            }
        }
    }

    fn declaration(&mut self, text: &str) {
        if let Some(rest) = text.strip_prefix(".reg") {
            let mut words = rest.split_whitespace();
            let mut names = words.next().map_or("", |_| rest.trim_start());
            while names.starts_with('.') {
                let end = names.find(char::is_whitespace).unwrap_or(names.len());
                names = names[end..].trim_start();
            }
            let first = self.function.registers as u32;
            for name in names.split(',') {
                self.register(name.trim());
            }
            if has_word(text, ".pred") {
                let past = self.function.registers as u32;
                self.predicates.extend(first..past);
            }
            return;
        }
        if has_word(text, ".param") {
            if let Some(slot) = slot(text) {
                let at = self.function.slots.len();
                let scope = self.slots.last_mut();
                let _ = scope.and_then(|scope| scope.insert(slot.name.clone(), at));
                self.function.slots.push(slot);
            }
            return;
        }
        if has_word(text, ".local") {
            if let Some(declared) = declared(text) {
                let bytes = declared.bytes.unwrap_or(0);
                let align = declared.align.max(16);
                let start = self.function.local_bytes.next_multiple_of(align) + LOCAL_GAP;
                self.locals.insert(declared.name, start);
                self.function.locals.push((start, bytes));
                self.function.local_bytes = start + bytes + LOCAL_GAP;
            }
            return;
        }
        self.shared.extend(variables(text));
    }

    /// `%r<16>` or `name`.
    fn register(&mut self, name: &str) {
        let Some(scope) = self.registers.last_mut() else {
            return;
        };
        let mut add = |name: String| {
            scope.insert(name, self.function.registers as u32);
            self.function.registers += 1;
        };
        match name.split_once('<') {
            Some((stem, count)) => {
                let count: usize = count.trim_end_matches('>').trim().parse().unwrap_or(0);
                for number in 0..count {
                    add(format!("{stem}{number}"));
                }
            }
            None => add(name.to_owned()),
        }
    }

    fn instruction(&self, text: &str) -> Instruction {
        let mut rest = text.trim();
        let mut guard = None;
        let mut is_readable = true;
        if let Some(after) = rest.strip_prefix('@') {
            let after = after.trim_start();
            let (is_negated, after) = match after.strip_prefix('!') {
                Some(after) => (true, after.trim_start()),
                None => (false, after),
            };
            let end = after.find(char::is_whitespace).unwrap_or(after.len());
            match self.find_register(&after[..end]) {
                Some(register) => guard = Some((register, is_negated)),
                None => is_readable = false,
            }
            rest = after[end..].trim_start();
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || c == '{' || c == '[' || c == '(')
            .unwrap_or(rest.len());
        let operation = if is_readable {
            operation::decode(&rest[..end])
        } else {
            Operation::unknown(text)
        };
        let operands = parts(&rest[end..]).into_iter();
        let mut operands: Vec<_> = operands.map(|part| self.operand(part)).collect();
        if operation.code == Code::CopyAsync {
            self.name_source(&rest[..end], &mut operands);
        }
        Instruction {
            guard,
            operation,
            operands,
            place: self.place,
        }
    }

    /// Leaves of the operands of an asynchronous copy those that say what is read: `Not` stands for a predicate under
    /// which the source is ignored, anything else for its bytes.
    fn name_source(&self, opcode: &str, operands: &mut Vec<Operand>) {
        if opcode.contains("L2::cache_hint") {
            operands.pop();
        }
        if let Some(source) = operands.get_mut(3) {
            match *source {
                Operand::Register(at) if self.predicates.contains(&at) => {
                    *source = Operand::Not(at)
                }
                Operand::Not(at) => *source = Operand::Register(at),
                _ => {}
            }
        }
    }

    fn find_register(&self, name: &str) -> Option<u32> {
        let mut scopes = self.registers.iter().rev();
        scopes.find_map(|scope| scope.get(name)).copied()
    }

    fn operand(&self, text: &str) -> Operand {
        let text = text.trim();
        let list = |inside: &str| {
            parts(inside)
                .into_iter()
                .map(|one| self.operand(one))
                .collect()
        };
        if let Some(inside) = text.strip_prefix('{') {
            return Operand::Vector(list(inside.trim_end_matches('}')));
        }
        if let Some(inside) = text.strip_prefix('(') {
            return Operand::List(list(inside.trim_end_matches(')')));
        }
        if let Some(inside) = text.strip_prefix('[') {
            let inside = inside.trim_end_matches(']').trim();
            // Tensors and textures name several things.
            let inside = inside.split(',').next().unwrap_or(inside).trim();
            let (base, offset) = match inside.rfind(['+', '-']).filter(|at| *at > 0) {
                Some(at) => {
                    let sign = if inside[at..].starts_with('-') { -1 } else { 1 };
                    let offset = number(&inside[at + 1..]).unwrap_or(0) as i64;
                    let base = inside[..at].trim().trim_end_matches('+').trim();
                    (base, sign * offset)
                }
                None => (inside, 0),
            };
            return Operand::Memory(Box::new(self.operand(base)), offset);
        }
        if text == "_" || text.is_empty() {
            return Operand::Nothing;
        }
        if let Some((first, second)) = text.split_once('|') {
            return Operand::Pair(
                Box::new(self.operand(first)),
                Box::new(self.operand(second)),
            );
        }
        if let Some(register) = self.find_register(text) {
            return Operand::Register(register);
        }
        if let Some(register) = text
            .strip_prefix('!')
            .and_then(|n| self.find_register(n.trim()))
        {
            return Operand::Not(register);
        }
        if let Some(bits) = number(text) {
            return Operand::Number(bits);
        }
        if let Some(special) = special(text) {
            return Operand::Special(special);
        }
        if let Some(slot) = self.slots.iter().rev().find_map(|scope| scope.get(text)) {
            return Operand::Slot(*slot);
        }
        if let Some(start) = self.locals.get(text) {
            return Operand::Local(*start);
        }
        Operand::Symbol(text.to_owned())
    }

    /// Puts labels where names stand.
    fn resolve(&mut self) {
        for instruction in &mut self.function.code {
            if !instruction.operation.is_branch() {
                continue;
            }
            let mut operands = Vec::new();
            for operand in &instruction.operands {
                let Operand::Symbol(name) = operand else {
                    operands.push(operand.clone());
                    continue;
                };
                if let Some(at) = self.labels.get(name) {
                    operands.push(Operand::Label(*at));
                } else if let Some(list) = self.targets.get(name) {
                    let labels = list.iter().filter_map(|one| self.labels.get(one));
                    operands.push(Operand::List(
                        labels.map(|at| Operand::Label(*at)).collect(),
                    ));
                }
            }
            instruction.operands = operands;
        }
    }
}

/// Between arrays, so that a subscript past an end is noticed.
const LOCAL_GAP: u64 = 256;

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '%' | '.')
}

/// Parts between commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from) = (0_i32, 0);
    let mut out = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let last = text[from..].trim();
    if !last.is_empty() {
        out.push(last);
    }
    out
}

fn special(text: &str) -> Option<Special> {
    let text = text.strip_prefix('%').unwrap_or(text);
    let axis = |name: &str| -> Option<u8> {
        match text.strip_prefix(name)? {
            ".x" => Some(0),
            ".y" => Some(1),
            ".z" => Some(2),
            _ => None,
        }
    };
    if let Some(axis) = axis("tid") {
        return Some(Special::Thread(axis));
    }
    if let Some(axis) = axis("ctaid").or(axis("clusterid")) {
        return Some(Special::Block(axis));
    }
    if let Some(axis) = axis("ntid") {
        return Some(Special::BlockSize(axis));
    }
    if let Some(axis) = axis("nctaid").or(axis("nclusterid")) {
        return Some(Special::GridSize(axis));
    }
    if axis("cluster_nctaid").is_some() {
        return Some(Special::One);
    }
    if axis("cluster_ctaid").is_some() {
        return Some(Special::Zero);
    }
    Some(match text {
        "laneid" => Special::Lane,
        "warpid" => Special::Warp,
        "nwarpid" => Special::Warps,
        "lanemask_eq" => Special::LaneMaskEqual,
        "lanemask_lt" => Special::LaneMaskLess,
        "lanemask_le" => Special::LaneMaskLessEqual,
        "lanemask_gt" => Special::LaneMaskGreater,
        "lanemask_ge" => Special::LaneMaskGreaterEqual,
        "clock" | "clock64" | "clock_hi" | "globaltimer" | "globaltimer_lo" | "globaltimer_hi" => {
            Special::Clock
        }
        "dynamic_smem_size" | "total_smem_size" => Special::DynamicShared,
        "WARP_SZ" => Special::WarpSize,
        "cluster_nctarank" | "nsmid" => Special::One,
        "cluster_ctarank" | "smid" | "gridid" | "is_explicit_cluster" => Special::Zero,
        _ if text.starts_with("envreg") => Special::Zero,
        _ => return None,
    })
}
