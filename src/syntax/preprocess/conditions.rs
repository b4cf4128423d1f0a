//! Values of `#if` conditions.
//!
//! Given the tokens of a condition, already expanded and with `defined`
//! answered, gives its value in 64-bit arithmetic as C defines it. Knows
//! nothing of macros or files.

use super::tokens::Kind;

/// Parentheses, unary operators and conditionals inside each other.
const DEPTH: usize = 128;

/// The value of a condition, and what was wrong with it if anything was.
pub(super) fn evaluate(tokens: &[(Kind, &str)]) -> (bool, Option<String>) {
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        evaluating: true,
        note: None,
    };
    match parser.conditional() {
        Ok(_) if parser.at < tokens.len() => {
            let text = tokens[parser.at].1;
            (
                false,
                Some(format!("`{text}` is not expected in a condition")),
            )
        }
        Ok(value) => (value.bits != 0, parser.note),
        Err(why) => (false, Some(why)),
    }
}

#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn truth(value: bool) -> Self {
        Self::signed(i64::from(value))
    }

    fn signed(bits: i64) -> Self {
        Self {
            bits,
            unsigned: false,
        }
    }
}

struct Parser<'a> {
    tokens: &'a [(Kind, &'a str)],
    at: usize,
    depth: usize,
    /// False in an operand that C does not evaluate.
    evaluating: bool,
    note: Option<String>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.1)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn without_evaluation<T>(&mut self, skip: bool, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.evaluating;
        self.evaluating = outer && !skip;
        let value = parse(self);
        self.evaluating = outer;
        value
    }

    fn conditional(&mut self) -> Result<Value, String> {
        self.deeper(|this| {
            let condition = this.binary(0)?;
            if !this.accept("?") {
                return Ok(condition);
            }
            let truth = condition.bits != 0;
            let yes = this.without_evaluation(!truth, Self::conditional)?;
            if !this.accept(":") {
                return Err("`?` without `:` in a condition".into());
            }
            let no = this.without_evaluation(truth, Self::conditional)?;
            Ok(Value {
                bits: if truth { yes.bits } else { no.bits },
                unsigned: yes.unsigned || no.unsigned,
            })
        })
    }

    fn deeper(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<Value, String>,
    ) -> Result<Value, String> {
        if self.depth == DEPTH {
            return Err("the condition is nested too deeply".into());
        }
        self.depth += 1;
        let value = parse(self);
        self.depth -= 1;
        value
    }

    fn binary(&mut self, least: u8) -> Result<Value, String> {
        let mut left = self.unary()?;
        loop {
            let operator = self.peek();
            let Some(precedence) = precedence(operator).filter(|p| *p >= least) else {
                return Ok(left);
            };
            self.at += 1;
            let skip = match operator {
                "&&" => left.bits == 0,
                "||" => left.bits != 0,
                _ => false,
            };
            let right = self.without_evaluation(skip, |this| this.binary(precedence + 1))?;
            left = self.apply(operator, left, right);
        }
    }

    fn apply(&mut self, operator: &str, left: Value, right: Value) -> Value {
        let unsigned = left.unsigned || right.unsigned;
        let (a, b) = (left.bits, right.bits);
        let (ua, ub) = (a as u64, b as u64);
        let compare =
            |signed: bool, without: bool| Value::truth(if unsigned { without } else { signed });
        let bits = match operator {
            "&&" => return Value::truth(a != 0 && b != 0),
            "||" => return Value::truth(a != 0 || b != 0),
            "==" => return Value::truth(a == b),
            "!=" => return Value::truth(a != b),
            "<" => return compare(a < b, ua < ub),
            ">" => return compare(a > b, ua > ub),
            "<=" => return compare(a <= b, ua <= ub),
            ">=" => return compare(a >= b, ua >= ub),
            "<<" | ">>" => {
                return Value {
                    bits: self.shift(left, right, operator == "<<"),
                    unsigned: left.unsigned,
                };
            }
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" | "%" => {
                let quotient = operator == "/";
                let value = match (unsigned, quotient) {
                    (true, true) => ua.checked_div(ub).map(|v| v as i64),
                    (true, false) => ua.checked_rem(ub).map(|v| v as i64),
                    (false, true) => a.checked_div(b),
                    (false, false) => a.checked_rem(b),
                };
                value.unwrap_or_else(|| {
                    self.complain("a division in the condition has no value; it counts as 0");
                    0
                })
            }
            _ => 0,
        };
        Value { bits, unsigned }
    }

    fn shift(&mut self, left: Value, right: Value, to_left: bool) -> i64 {
        let (to_left, count) = if !right.unsigned && right.bits < 0 {
            (!to_left, right.bits.unsigned_abs())
        } else {
            (to_left, right.bits as u64)
        };
        if count >= 64 {
            self.complain("a shift in the condition is too wide; it counts as 0");
            return 0;
        }
        let count = count as u32;
        match (to_left, left.unsigned) {
            (true, _) => left.bits.wrapping_shl(count),
            (false, true) => (left.bits as u64).wrapping_shr(count) as i64,
            (false, false) => left.bits.wrapping_shr(count),
        }
    }

    fn complain(&mut self, why: &str) {
        if self.evaluating && self.note.is_none() {
            self.note = Some(why.into());
        }
    }

    fn unary(&mut self) -> Result<Value, String> {
        self.deeper(|this| {
            let Some(&(kind, text)) = this.tokens.get(this.at) else {
                return Err("the condition ends too early".into());
            };
            this.at += 1;
            match kind {
                Kind::Open => {
                    let value = this.comma()?;
                    if this.accept(")") {
                        Ok(value)
                    } else {
                        Err("missing `)` in a condition".into())
                    }
                }
                Kind::Number => number(text),
                Kind::Char => character(text),
                Kind::Identifier => Ok(this.identifier(text)),
                _ => {
                    let of = |this: &mut Self| this.unary();
                    match text {
                        "!" => Ok(Value::truth(of(this)?.bits == 0)),
                        "-" => of(this).map(|v| Value {
                            bits: v.bits.wrapping_neg(),
                            ..v
                        }),
                        "+" => of(this),
                        "~" => of(this).map(|v| Value { bits: !v.bits, ..v }),
                        _ => Err(format!("`{text}` is not expected in a condition")),
                    }
                }
            }
        })
    }

    fn comma(&mut self) -> Result<Value, String> {
        let mut value = self.conditional()?;
        while self.accept(",") {
            value = self.conditional()?;
        }
        Ok(value)
    }

    /// What is not a macro is 0.
    fn identifier(&mut self, text: &str) -> Value {
        if text.starts_with("__has_") && self.peek() == "(" {
            let from = self.at;
            let mut depth = 0usize;
            while let Some(&(kind, _)) = self.tokens.get(self.at) {
                self.at += 1;
                match kind {
                    Kind::Open => depth += 1,
                    Kind::Close => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            let asked = self.tokens.get(from + 1).map_or("", |token| token.1);
            return Value::signed(feature(text, asked));
        }
        Value::truth(text == "true")
    }
}

/// What g++ 12, which nvcc calls by default here, says of a feature: `__has_builtin(__builtin_popcount)`.
fn feature(question: &str, asked: &str) -> i64 {
    let asked = asked.trim_matches('_');
    let known = match question {
        "__has_builtin" => asked.starts_with("builtin_") || asked.starts_with("sync_"),
        "__has_attribute" => matches!(
            asked,
            "aligned"
                | "always_inline"
                | "cold"
                | "const"
                | "deprecated"
                | "fallthrough"
                | "flatten"
                | "format"
                | "hot"
                | "malloc"
                | "noinline"
                | "nonnull"
                | "noreturn"
                | "packed"
                | "pure"
                | "section"
                | "unused"
                | "used"
                | "visibility"
                | "warn_unused_result"
                | "weak"
        ),
        "__has_cpp_attribute" => {
            return match asked {
                "noreturn" => 200_809,
                "deprecated" => 201_309,
                "fallthrough" | "nodiscard" | "maybe_unused" => 201_603,
                "likely" | "unlikely" | "no_unique_address" => 201_803,
                _ => 0,
            };
        }
        _ => false,
    };
    i64::from(known)
}

fn precedence(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

fn number(text: &str) -> Result<Value, String> {
    let malformed = || format!("`{text}` is not an integer");
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = if let Some(digits) = lower.strip_prefix("0x") {
        (16, digits)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (2, digits)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    let mut value = 0u64;
    let mut end = digits.len();
    let mut any = radix == 8;
    for (at, c) in digits.char_indices() {
        if c == '\'' {
            continue;
        }
        let Some(digit) = c.to_digit(radix) else {
            end = at;
            break;
        };
        any = true;
        value = value
            .wrapping_mul(u64::from(radix))
            .wrapping_add(u64::from(digit));
    }
    let suffix = &digits[end..];
    let unsigned = suffix.contains('u');
    let known = matches!(
        suffix,
        "" | "u" | "l" | "ll" | "z" | "ul" | "ull" | "uz" | "lu" | "llu" | "zu"
    );
    if !any || !known {
        return Err(malformed());
    }
    Ok(Value {
        bits: value as i64,
        unsigned: unsigned || value > i64::MAX as u64,
    })
}

fn character(text: &str) -> Result<Value, String> {
    let malformed = || format!("{text} is not a character");
    let inner = text
        .find('\'')
        .and_then(|at| text[at + 1..].strip_suffix('\''))
        .ok_or_else(malformed)?;
    let mut value = 0i64;
    let mut rest = inner.chars().peekable();
    while let Some(c) = rest.next() {
        let code = if c == '\\' {
            let escape = rest.next().ok_or_else(malformed)?;
            match escape {
                'n' => 10,
                't' => 9,
                'r' => 13,
                'a' => 7,
                'b' => 8,
                'f' => 12,
                'v' => 11,
                'x' => {
                    let mut code = 0i64;
                    while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)) {
                        code = code.wrapping_mul(16).wrapping_add(i64::from(digit));
                        rest.next();
                    }
                    code
                }
                '0'..='7' => {
                    let mut code = i64::from(escape.to_digit(8).unwrap_or(0));
                    for _ in 0..2 {
                        let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else {
                            break;
                        };
                        code = code * 8 + i64::from(digit);
                        rest.next();
                    }
                    code
                }
                other => i64::from(u32::from(other)),
            }
        } else {
            i64::from(u32::from(c))
        };
        value = value.wrapping_shl(8) | code;
    }
    if inner.is_empty() {
        return Err(malformed());
    }
    // A plain `char` is signed on x86-64.
    if text.starts_with('\'') && value <= 0xff {
        value = i64::from(value as u8 as i8);
    }
    Ok(Value::signed(value))
}
