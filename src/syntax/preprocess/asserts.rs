//! `assert`: what a build without `NDEBUG` does, and one with it does not.
//!
//! Accesses in a condition are not counted, as those of a test. What a condition changes is another matter: an
//! `assert` that may change something stands for both builds.

use super::Preprocessor;
use super::builtins;
use super::macros::MacroId;
use super::substitute::Arguments;
use super::tokens::{Kind, Token};

/// The macro of an `assert` that does nothing.
const IDLE: &str = "__idle_assert";

impl Preprocessor<'_> {
    /// The macro that an invocation means: the given one, unless it is an `assert` without effects.
    pub(super) fn meant_by(&self, id: MacroId, arguments: &Arguments) -> MacroId {
        let all = builtins::built_ins();
        if all.find("assert") != Some(id)
            || (self.find_macro("NDEBUG").is_none() && self.may_act(&arguments.tokens))
        {
            return id;
        }
        all.find(IDLE).unwrap_or(id)
    }

    /// Whether an expression may change something: it assigns, steps or calls.
    fn may_act(&self, tokens: &[Token]) -> bool {
        let calls = |at: usize| {
            tokens[at].kind == Kind::Open
                && self.text(tokens[at]) == "("
                && at > 0
                && tokens[at - 1].kind == Kind::Identifier
                && !is_pure(self.text(tokens[at - 1]))
        };
        let assigns = |at: usize| {
            matches!(
                self.text(tokens[at]),
                "=" | "++"
                    | "--"
                    | "+="
                    | "-="
                    | "*="
                    | "/="
                    | "%="
                    | "&="
                    | "|="
                    | "^="
                    | "<<="
                    | ">>="
            )
        };
        (0..tokens.len()).any(|at| assigns(at) || calls(at))
    }
}

/// Words in front of parentheses that change nothing.
fn is_pure(name: &str) -> bool {
    matches!(
        name,
        "sizeof"
            | "alignof"
            | "decltype"
            | "noexcept"
            | "int"
            | "unsigned"
            | "float"
            | "double"
            | "bool"
            | "size_t"
            | "and"
            | "or"
            | "not"
            | "isnan"
            | "isinf"
            | "isfinite"
            | "abs"
            | "fabs"
            | "fabsf"
            | "min"
            | "max"
            | "strlen"
            | "strcmp"
            | "size"
            | "empty"
            | "begin"
            | "end"
            | "cbegin"
            | "cend"
            | "length"
            | "data"
            | "has_value"
    ) || name.starts_with("__is")
}
