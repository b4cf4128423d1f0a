//! Why an address or a guard is not decided.
//!
//! Given by the normal form and by the search, printed by reports. Does not know what a verdict makes of it: that goes
//! by the kind, never by the words.

use crate::term::LaneDifference;
use std::fmt;

/// Why an address is not understood: no rule of the normal form and no split resolves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hard {
    ExpressionTooDeep,
    ExpressionTooLarge,
    ConditionTooDeep,
    ConditionTooLarge,
    /// A condition that no split changes.
    Condition,
    ConditionOnLane,
    /// A condition multiplies the lane by a symbol.
    ConditionOnProduct,
    Constant,
    Symbol,
    Select,
    Shift,
    MayWrap,
    SharedPart,
    SharedValue,
    LargeDivisor,
    NegativeDividend,
    DivisorBelowSpread,
    DivisorOfLane,
    ProductBySymbol,
    SpreadTooLarge,
    QuotientOfBits,
    BeyondEveryAddress,
}

impl fmt::Display for Hard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExpressionTooDeep => "the expression is too deep",
            Self::ExpressionTooLarge => "the expression is too large",
            Self::ConditionTooDeep => "the condition is too deep",
            Self::ConditionTooLarge => "the condition is too large",
            Self::Condition => "a condition",
            Self::ConditionOnLane => "a condition on the lane",
            Self::ConditionOnProduct => "the condition multiplies the lane by a symbol",
            Self::Constant => "a constant",
            Self::Symbol => "a symbol",
            Self::Select => "a selection",
            Self::Shift => "a shift",
            Self::MayWrap => "arithmetic that may wrap",
            Self::SharedPart => "the shared part",
            Self::SharedValue => "a shared value of many values",
            Self::LargeDivisor => "a division by a large constant",
            Self::NegativeDividend => "a division of negative numbers",
            Self::DivisorBelowSpread => "a divisor that is smaller than what lanes lie apart",
            Self::DivisorOfLane => "a divisor that depends on the lane",
            Self::ProductBySymbol => "a division of a product of lane and symbol by a symbol",
            Self::SpreadTooLarge => "a division of numbers that lie too far apart",
            Self::QuotientOfBits => "a quotient of bits",
            Self::BeyondEveryAddress => "it is beyond every address",
        })
    }
}

/// Why it is open which lanes a guard lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenGuard {
    /// A condition on the lane that no set of lanes decides.
    Lane,
    /// A condition on the lane, beside a bound that interior warps pass.
    LaneAndBound,
    /// Guards were left aside: with them there are too many cases.
    TooManyCases,
    /// A condition on arithmetic that is assumed not to wrap.
    MayWrap,
    /// Lanes differ in what it depends on.
    Data(LaneDifference),
}

impl fmt::Display for OpenGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lane => "a condition on the lane",
            Self::LaneAndBound => "a condition on the lane and a bound",
            Self::TooManyCases => "conditions of too many cases",
            Self::MayWrap => "a condition on arithmetic that may wrap",
            Self::Data(why) => &why.text,
        })
    }
}
