//! Arithmetic of terms: values of constants, and intervals.
//!
//! Given an operator of terms and its operands, gives the value or the interval of the result. Knows no terms.

use super::{LIMIT, Op, clamp};

/// The value of an operator; `None` where C leaves it undefined or it passes 64 bits.
#[must_use]
pub fn fold(op: Op, x: i64, y: i64) -> Option<i64> {
    Some(match op {
        Op::Add => x.checked_add(y)?,
        Op::Sub => x.checked_sub(y)?,
        Op::Mul => x.checked_mul(y)?,
        Op::Div => x.checked_div(y)?,
        Op::Rem => x.checked_rem(y)?,
        Op::Shl => {
            let by = u32::try_from(y).ok().filter(|by| *by < 62)?;
            x.checked_mul(1 << by)?
        }
        Op::Shr => {
            let by = u32::try_from(y).ok().filter(|by| *by < 64)?;
            x >> by
        }
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Min => x.min(y),
        Op::Max => x.max(y),
        Op::Eq => i64::from(x == y),
        Op::Ne => i64::from(x != y),
        Op::Lt => i64::from(x < y),
        Op::Le => i64::from(x <= y),
        Op::LogicalAnd => i64::from(x != 0 && y != 0),
        Op::LogicalOr => i64::from(x != 0 || y != 0),
    })
}

pub(crate) fn binary_interval(op: Op, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    // From the limit on there is no bound: what comes of it has none either.
    let least = |value: i64| match value {
        value if value <= -LIMIT => -(1_i128 << 126),
        value => i128::from(value),
    };
    let most = |value: i64| match value {
        LIMIT.. => 1_i128 << 126,
        value => i128::from(value),
    };
    let ends = |of: (i64, i64)| (least(of.0), most(of.1));
    let (left, right) = (ends(a), ends(b));
    let corners = |f: &dyn Fn(i128, i128) -> i128| {
        let all = [
            f(left.0, right.0),
            f(left.0, right.1),
            f(left.1, right.0),
            f(left.1, right.1),
        ];
        let low = all.iter().copied().min().unwrap_or(0);
        let high = all.iter().copied().max().unwrap_or(0);
        (clamp(low), clamp(high))
    };
    let everything = (-LIMIT, LIMIT);
    match op {
        Op::Add => corners(&|x, y| x.saturating_add(y)),
        Op::Sub => corners(&|x, y| x.saturating_sub(y)),
        Op::Mul => corners(&|x, y| x.saturating_mul(y)),
        Op::Div if b.0 > 0 => corners(&|x, y| x / y),
        Op::Div if a.0 >= 0 && b.0 >= 0 => (0, a.1),
        Op::Rem if b.1 > 0 && b.0 >= 0 => {
            let high = (b.1 - 1).min(a.1.max(0));
            if a.0 >= 0 {
                (0, high)
            } else {
                ((-(b.1 - 1)).max(a.0), high)
            }
        }
        Op::Shl if b.0 >= 0 && b.1 < 60 => corners(&|x, y| x.saturating_mul(1 << y)),
        Op::Shr if b.0 >= 0 && b.1 < 64 => corners(&|x, y| x >> y),
        Op::Shr if a.0 >= 0 => (0, a.1),
        Op::And if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        Op::And if a.0 >= 0 => (0, a.1),
        Op::And if b.0 >= 0 => (0, b.1),
        Op::Or | Op::Xor if a.0 >= 0 && b.0 >= 0 => {
            let top = (a.1.max(b.1) as u64 + 1).next_power_of_two();
            (0, clamp(i128::from(top) - 1))
        }
        Op::And | Op::Or | Op::Xor
            if [a, b]
                .iter()
                .all(|(low, high)| -LIMIT < *low && *high < LIMIT) =>
        {
            // As many bits as the wider of them has, and the sign.
            let magnitude = |n: i64| if n < 0 { !n } else { n };
            let ends = [a.0, a.1, b.0, b.1].map(magnitude);
            let bits = ends.into_iter().fold(0, |all, end| all | end);
            let top = i64::try_from((bits as u64 + 1).next_power_of_two()).unwrap_or(LIMIT);
            (clamp(-i128::from(top)), clamp(i128::from(top) - 1))
        }
        Op::Min => (a.0.min(b.0), a.1.min(b.1)),
        Op::Max => (a.0.max(b.0), a.1.max(b.1)),
        Op::Eq if left.1 < right.0 || right.1 < left.0 => (0, 0),
        Op::Ne if left.1 < right.0 || right.1 < left.0 => (1, 1),
        Op::Lt if left.1 < right.0 => (1, 1),
        Op::Lt if left.0 >= right.1 => (0, 0),
        Op::Le if left.1 <= right.0 => (1, 1),
        Op::Le if left.0 > right.1 => (0, 0),
        Op::LogicalAnd if (a.0 == 0 && a.1 == 0) || (b.0 == 0 && b.1 == 0) => (0, 0),
        Op::LogicalOr if a.0 > 0 || b.0 > 0 => (1, 1),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::LogicalAnd | Op::LogicalOr => (0, 1),
        _ => everything,
    }
}

/// Greatest common divisor; `gcd(0, n) = n`.
#[must_use]
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
