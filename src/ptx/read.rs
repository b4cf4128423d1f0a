//! Reads PTX as NVRTC and inline assembly write it.
//!
//! A statement that cannot be read becomes an instruction that nobody can run, with its text as the
//! reason; only a text whose brackets do not match is an error.

mod body;

use super::operation::{Code, Space, Type};
use super::{Function, Module, Operand, Slot, Variable, flow};
use body::Body;

/// # Errors
/// Where a bracket is never closed.
pub fn read(text: &str) -> Result<Module, String> {
    let text = without_comments(text);
    let mut reader = Reader {
        text: &text,
        at: 0,
        module: Module::default(),
    };
    while reader.item()? {}
    let mut module = reader.module;
    for function in &mut module.functions {
        flow::find_meets(function);
        find_reads(function);
    }
    Ok(module)
}

/// Notes which registers are read: all that stand in an instruction but the first of those that write one.
fn find_reads(function: &mut Function) {
    fn mark(operand: &Operand, is_read: &mut [bool]) {
        match operand {
            Operand::Register(at) | Operand::Not(at) => is_read[*at as usize] = true,
            Operand::Memory(base, _) => mark(base, is_read),
            Operand::Pair(first, second) => {
                mark(first, is_read);
                mark(second, is_read);
            }
            Operand::Vector(list) | Operand::List(list) => {
                list.iter().for_each(|one| mark(one, is_read))
            }
            _ => {}
        }
    }
    let mut is_read = vec![false; function.registers];
    for instruction in &function.code {
        let writes = matches!(
            instruction.operands.first(),
            Some(Operand::Register(_) | Operand::Vector(_) | Operand::Pair(..))
        );
        let is_store = matches!(
            instruction.operation.code,
            Code::Store | Code::Branch | Code::BranchTable | Code::Barrier
        );
        let from = usize::from(writes && !is_store);
        instruction.operands[from..]
            .iter()
            .for_each(|one| mark(one, &mut is_read));
        if let Some((register, _)) = instruction.guard {
            is_read[register as usize] = true;
        }
    }
    function.is_read = is_read;
}

/// Lines stay, comments go.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        // A comment inside of a line comment is none.
        let line = rest[..at].rfind('\n').map_or(0, |n| n + 1);
        if let Some(slashes) = rest[line..at].find("//") {
            let end = rest[line + slashes..].find('\n');
            let end = end.map_or(rest.len(), |n| line + slashes + n);
            out.push_str(&rest[..line + slashes]);
            rest = &rest[end..];
            continue;
        }
        out.push_str(&rest[..at]);
        let end = rest[at..].find("*/").map_or(rest.len(), |n| at + n + 2);
        out.push(' ');
        rest = &rest[end..];
    }
    out.push_str(rest);
    let mut kept = String::with_capacity(out.len());
    for line in out.lines() {
        let is_file = line.trim_start().starts_with(".file");
        let end = if is_file { None } else { line.find("//") };
        kept.push_str(end.map_or(line, |end| &line[..end]));
        kept.push('\n');
    }
    kept
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    module: Module,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn line(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Up to the bracket that closes the one at hand, which is skipped.
    fn inside_braces(&mut self) -> Result<&'a str, String> {
        let rest = self.rest();
        let mut depth = 0_i32;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += at + 1;
                        return Ok(&rest[1..at]);
                    }
                }
                _ => {}
            }
        }
        Err("a bracket of the PTX text is never closed".to_owned())
    }

    /// One item of the module; whether there was one.
    fn item(&mut self) -> Result<bool, String> {
        self.skip_space();
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(false);
        }
        for line in [".version", ".target", ".address_size", ".file", ".loc"] {
            if rest.starts_with(line) && !rest.starts_with(".local") {
                let line = self.line();
                self.file(line);
                return Ok(true);
            }
        }
        if rest.starts_with(".section") {
            self.at += rest.find('{').unwrap_or(rest.len());
            if !self.rest().is_empty() {
                self.inside_braces()?;
            }
            return Ok(true);
        }
        if rest.starts_with(['}', ';']) {
            self.at += 1;
            return Ok(true);
        }
        // A declaration ends at `;`, at its body, or after its initialiser.
        let end = rest.find([';', '{', '=']).unwrap_or(rest.len());
        let head = &rest[..end];
        let is_function = has_word(head, ".func") || has_word(head, ".entry");
        if is_function {
            self.at += end;
            let mut function = signature(head);
            if self.rest().starts_with('{') {
                let body = self.inside_braces()?;
                function.has_body = true;
                let mut shared = Vec::new();
                Body::new(&mut function, &mut shared).read(body);
                self.module.variables.extend(shared);
            } else {
                self.at += usize::from(!self.rest().is_empty());
            }
            self.add(function);
            return Ok(true);
        }
        let end = rest.find(';').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        self.module.variables.extend(variables(&rest[..end]));
        Ok(true)
    }

    fn file(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix(".file") else {
            return;
        };
        let mut quoted = rest.split('"');
        let number = quoted.next().and_then(|n| n.trim().parse().ok());
        if let (Some(number), Some(name)) = (number, quoted.next()) {
            self.module.files.insert(number, name.to_owned());
        }
    }

    fn add(&mut self, function: Function) {
        let known = self.module.by_name.get(&function.name).copied();
        if let Some(at) = known {
            if function.has_body {
                self.module.functions[at] = function;
            }
            return;
        }
        let at = self.module.functions.len();
        self.module.by_name.insert(function.name.clone(), at);
        self.module.functions.push(function);
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || c == '(')
        .any(|part| part == word)
}

/// `.visible .func (.param .b32 r) name(.param .b64 p, …)`
fn signature(head: &str) -> Function {
    let is_entry = has_word(head, ".entry");
    let mut function = Function {
        is_entry,
        ..Function::default()
    };
    let start = head.find(if is_entry { ".entry" } else { ".func" });
    let mut rest = head[start.unwrap_or(0)..]
        .trim_start_matches(".entry")
        .trim_start_matches(".func")
        .trim_start();
    let mut slots = |list: &str| -> Vec<usize> {
        let mut out = Vec::new();
        for one in list.split(',') {
            if let Some(slot) = slot(one) {
                out.push(function.slots.len());
                function.slots.push(slot);
            }
        }
        out
    };
    if let Some(list) = rest.strip_prefix('(') {
        let end = list.find(')').unwrap_or(list.len());
        function.returns = slots(&list[..end]);
        rest = list.get(end + 1..).unwrap_or("").trim_start();
    }
    let name_end = rest
        .find(|c: char| c.is_whitespace() || c == '(')
        .unwrap_or(rest.len());
    function.name = rest[..name_end].to_owned();
    if let Some(list) = rest[name_end..].trim_start().strip_prefix('(') {
        let end = list.find(')').unwrap_or(list.len());
        function.parameters = slots(&list[..end]);
    }
    function
}

/// `.param .align 16 .b8 name[16]`
fn slot(text: &str) -> Option<Slot> {
    let declared = declared(text)?;
    Some(Slot {
        name: declared.name,
        ty: declared.ty,
        bytes: declared.bytes.unwrap_or(8) as usize,
        is_array: declared.is_array,
    })
}

struct Declared {
    name: String,
    align: u64,
    ty: Type,
    element: u64,
    /// None for `[]`.
    bytes: Option<u64>,
    is_array: bool,
}

fn declared(text: &str) -> Option<Declared> {
    let (mut align, mut element) = (1, 0);
    let mut last = Type::NONE;
    let mut name = "";
    let spaced = text.replace('[', " [");
    let mut words = spaced.split_whitespace().peekable();
    let mut count = Some(1);
    let mut is_array = false;
    while let Some(word) = words.next() {
        if word == ".align" {
            align = words.next()?.parse().ok()?;
        } else if word == ".ptr" || word == ".attribute(.managed)" {
        } else if let Some(vector) = word.strip_prefix(".v").and_then(|n| n.parse::<u64>().ok()) {
            count = count.map(|count| count * vector);
        } else if let Some(kind) = word.strip_prefix('.') {
            if let Some(ty) = Type::parse(kind) {
                element = u64::from(ty.bits.div_ceil(8));
                last = ty;
            }
        } else if let Some(dimension) = word.strip_prefix('[') {
            is_array = true;
            let inside = dimension.split(']').next()?.trim();
            count = if inside.is_empty() {
                None
            } else {
                count
                    .zip(inside.parse().ok())
                    .map(|(a, b): (u64, u64)| a * b)
            };
        } else if name.is_empty() {
            name = word;
        }
    }
    (element > 0 && !name.is_empty()).then(|| Declared {
        name: name.to_owned(),
        align: align.max(element),
        ty: last,
        element,
        bytes: count.map(|count| count * element),
        is_array,
    })
}

/// Variables of the module: `.global .align 4 .b8 name[8] = {1, 2, name+4}`.
fn variables(text: &str) -> Option<Variable> {
    let (head, value) = match text.split_once('=') {
        Some((head, value)) => (head, Some(value.trim())),
        None => (text, None),
    };
    let space = [
        (".shared", Space::Shared),
        (".global", Space::Global),
        (".const", Space::Const),
    ];
    let (_, space) = space.into_iter().find(|(word, _)| has_word(head, word))?;
    let declared = declared(head)?;
    let mut variable = Variable {
        name: declared.name,
        space,
        align: declared.align,
        bytes: declared.bytes.unwrap_or(0),
        is_dynamic: declared.bytes.is_none_or(|bytes| bytes == 0),
        start: Vec::new(),
        addresses: Vec::new(),
    };
    let Some(value) = value else {
        return Some(variable);
    };
    let step = declared.element as usize;
    let list = value.trim_start_matches('{').trim_end_matches('}');
    for (at, one) in list.split(',').enumerate() {
        let one = one.trim().trim_matches(['{', '}']).trim();
        let bits = number(one).unwrap_or_else(|| {
            let one = one.strip_prefix("generic(").unwrap_or(one).replace(')', "");
            let (name, offset) = one.split_once('+').unwrap_or((&one, "0"));
            let offset = offset.trim().parse().unwrap_or(0);
            let name = name.trim().to_owned();
            variable.addresses.push((at * step, name, offset));
            0
        });
        variable.start.extend(&bits.to_le_bytes()[..step.min(8)]);
    }
    Some(variable)
}

/// Bits of an immediate: decimal, hexadecimal, octal or binary integers, `0f` and `0d` bits.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(bits) = digits.strip_prefix("0f").or(digits.strip_prefix("0F"))
        && bits.len() == 8
    {
        return u64::from_str_radix(bits, 16).ok();
    }
    if let Some(bits) = digits.strip_prefix("0d").or(digits.strip_prefix("0D"))
        && bits.len() == 16
    {
        return u64::from_str_radix(bits, 16).ok();
    }
    let digits = digits.trim_end_matches('U');
    let value = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()?
    } else if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2).ok()?
    } else if digits.contains('.') && digits.parse::<f64>().is_ok() {
        return digits.parse::<f64>().ok().map(f64::to_bits);
    } else {
        digits.parse::<u64>().ok()?
    };
    Some(if is_negative {
        value.wrapping_neg()
    } else {
        value
    })
}
