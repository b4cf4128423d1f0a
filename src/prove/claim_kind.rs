//! The kinds of claims: what certificates call them, and what they say.

use crate::access::PremiseKind;

/// The kind of a claim, as certificates name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClaimKind {
    Offsets,
    OffsetsAndLanes,
    BaseResidue,
    Range,
    Division,
    Remainder,
    Bits,
    Premise(PremiseKind),
}

impl ClaimKind {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Offsets => "offsets",
            Self::OffsetsAndLanes => "offsets and active lanes",
            Self::BaseResidue => "base residue",
            Self::Range => "range",
            Self::Division => "division",
            Self::Remainder => "remainder",
            Self::Bits => "bits",
            Self::Premise(PremiseKind::ClosedForm) => "closed form",
            Self::Premise(PremiseKind::TripCount) => "trip count",
            Self::Premise(PremiseKind::Width) => "width",
            Self::Premise(PremiseKind::Mask) => "mask",
        }
    }

    /// The statement of such a claim, for users.
    #[must_use]
    pub fn statement(self) -> &'static str {
        match self {
            Self::Offsets => "the simplified address equals the index expression in every lane",
            Self::OffsetsAndLanes => {
                "the simplified address and guards equal the source's expressions in every lane"
            }
            Self::BaseResidue => {
                "the part of the address that all lanes share leaves only the remainders that were tried"
            }
            Self::Range => "what bounds its parts bounds the address, and so what it can touch",
            Self::Division => {
                "a quotient is taken part by part, and steps at most once within a warp"
            }
            Self::Remainder => "a remainder is what the quotient leaves",
            Self::Bits => "an operation on bits is the sum that it was replaced by",
            Self::Premise(PremiseKind::ClosedForm) => {
                "a loop variable starts at its initial value and changes in each iteration as the body says"
            }
            Self::Premise(PremiseKind::TripCount) => {
                "the loop ends after at most so many iterations, and not earlier where the count is exact"
            }
            Self::Premise(PremiseKind::Width) => "a value stays within its type",
            Self::Premise(PremiseKind::Mask) => {
                "lanes that left a loop are no longer in it, and no others are missing"
            }
        }
    }
}
