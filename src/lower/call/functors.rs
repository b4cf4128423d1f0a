//! Function objects of the standard library: `cuda::std::plus<>`, `thrust::maximum<float>`.
//!
//! Given the name of a class that no text declares, gives what a call of its object means: an operator of C++
//! where the class takes any operands, or just those that it is given.

use super::{ArgumentLValue, Lower};
use crate::ir::Scalar;
use crate::lower::groups::class_name;
use crate::lower::values::{LValue, Val};
use crate::sema::types::Type;
use crate::syntax::ast::{self, BinaryOp};

/// Namespaces of the library, in which the classes are.
const HOMES: [&str; 5] = ["std", "cuda", "thrust", "cooperative_groups", "cg"];

enum Functor {
    Operator(BinaryOp),
    Extreme(&'static str),
    /// Its argument.
    Identity,
}

fn functor(name: &str) -> Option<Functor> {
    let bare = name.split('<').next().unwrap_or(name);
    let first = bare.trim_start_matches("::").split("::").next()?;
    if !bare.contains("::") || !HOMES.contains(&first) {
        return None;
    }
    let op = match class_name(name) {
        "plus" => BinaryOp::Add,
        "minus" => BinaryOp::Sub,
        "multiplies" => BinaryOp::Mul,
        "divides" => BinaryOp::Div,
        "modulus" => BinaryOp::Rem,
        "bit_and" => BinaryOp::And,
        "bit_or" => BinaryOp::Or,
        "bit_xor" => BinaryOp::Xor,
        "equal_to" => BinaryOp::Eq,
        "not_equal_to" => BinaryOp::Ne,
        "less" => BinaryOp::Lt,
        "less_equal" => BinaryOp::Le,
        "greater" => BinaryOp::Gt,
        "greater_equal" => BinaryOp::Ge,
        "maximum" => return Some(Functor::Extreme("max")),
        "minimum" => return Some(Functor::Extreme("min")),
        "identity" => return Some(Functor::Identity),
        _ => return None,
    };
    Some(Functor::Operator(op))
}

/// The type that the class converts its operands to, if it is not that of each.
fn operand_type(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once('<')?;
    let arguments = rest.strip_suffix('>')?.trim();
    (!arguments.is_empty() && arguments != "void").then_some(arguments)
}

impl Lower<'_> {
    /// A call of an object of such a class; `None` for any other class, and where operands are converted.
    pub(super) fn call_functor(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> Option<LValue> {
        let functor = functor(name)?;
        let is_number = |(place, _): &ArgumentLValue| {
            let ty = place.ty();
            let ty = ty.strip_reference();
            // What is given as a type is the result's too: narrow ones are not promoted.
            let fits = |scalar: Scalar| match operand_type(name) {
                Some(given) => (scalar.is_float() || scalar.size() >= 4) && given == ty.to_string(),
                None => true,
            };
            matches!(ty, Type::Scalar(scalar, _) if fits(*scalar))
        };
        if !places.iter().all(is_number) {
            return None;
        }
        match (functor, places) {
            (Functor::Operator(op), [left, right]) => {
                Some(self.operate(op, left.clone(), right.clone(), e.range))
            }
            (Functor::Extreme(which), [_, _]) => {
                self.min_max((which, true), places).map(LValue::Val)
            }
            (Functor::Identity, [_]) => {
                let value: Option<Val> = self.read_argument(places, 0);
                value.map(LValue::Val)
            }
            _ => None,
        }
    }
}
