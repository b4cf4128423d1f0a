//! Conditions on one value: which values of a symbol a case of a dependence speaks of.
//!
//! Given values or residues, gives a condition that says whether it holds for a value and that prints itself.
//! Decisions ask the condition; nobody reads its text. Knows nothing of costs or of what the symbol is.

/// Values that a text lists one by one.
pub(super) const MOST_VALUES: usize = 6;
/// Values that are shown of a longer list.
const SHOWN_VALUES: usize = 5;

/// The values for which a case holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Always,
    /// All values that no other case names.
    Otherwise,
    /// Those that pass each of these tests.
    All(Vec<Test>),
}

/// One test of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// It is one of these.
    OneOf(Vec<i64>),
    /// It lies between these two, or is one of them.
    Between(i64, i64),
    /// What it leaves when divided by `modulus`, which is positive, is one of `residues`.
    Remainder {
        modulus: i64,
        residues: Vec<i64>,
    },
    Above(i64),
    Not(i64),
}

impl Condition {
    /// One of these values: a range where they are many and leave none out.
    #[must_use]
    pub fn one_of(values: Vec<i64>) -> Self {
        let is_range = values.len() > MOST_VALUES && values.is_sorted_by(|a, b| *b == a + 1);
        let test = match values.as_slice() {
            [first, .., last] if is_range => Test::Between(*first, *last),
            _ => Test::OneOf(values),
        };
        Self::All(vec![test])
    }

    #[must_use]
    pub fn remainder(modulus: i64, residues: Vec<i64>) -> Self {
        Self::All(vec![Test::Remainder { modulus, residues }])
    }

    /// Whether it holds for `value`; [`Condition::Otherwise`] holds for any, so ask it last.
    #[must_use]
    pub fn holds(&self, value: i64) -> bool {
        match self {
            Self::Always | Self::Otherwise => true,
            Self::All(tests) => tests.iter().all(|test| test.holds(value)),
        }
    }

    /// Without the negative ones of the values that it lists, which no size or pitch has. `None` where it lists
    /// no others.
    #[must_use]
    pub fn of_sizes(&self) -> Option<Self> {
        match self {
            Self::All(tests) => match tests.as_slice() {
                [Test::OneOf(values)] if values.len() > 1 => {
                    let sizes: Vec<i64> = values.iter().copied().filter(|v| *v >= 0).collect();
                    (!sizes.is_empty()).then(|| Self::one_of(sizes))
                }
                _ => Some(self.clone()),
            },
            _ => Some(self.clone()),
        }
    }

    /// `pitch % 32 == 0 && pitch != 0`, for a symbol that is called `operand`: in brackets where it is a sum.
    #[must_use]
    pub fn text(&self, operand: &str) -> String {
        match self {
            Self::Always => "always".to_owned(),
            Self::Otherwise => "otherwise".to_owned(),
            Self::All(tests) => {
                let tests: Vec<String> = tests.iter().map(|test| test.text(operand)).collect();
                tests.join(" && ")
            }
        }
    }
}

impl Test {
    fn holds(&self, value: i64) -> bool {
        match self {
            Self::OneOf(values) => values.contains(&value),
            Self::Between(low, high) => (*low..=*high).contains(&value),
            Self::Remainder { modulus, residues } => residues.contains(&value.rem_euclid(*modulus)),
            Self::Above(bound) => value > *bound,
            Self::Not(other) => value != *other,
        }
    }

    fn text(&self, operand: &str) -> String {
        match self {
            Self::OneOf(values) if values.len() > MOST_VALUES => {
                format!("{operand} in {{{}, …}}", listed(&values[..SHOWN_VALUES]))
            }
            Self::OneOf(values) => among(operand, values),
            Self::Between(low, high) => format!("{low} <= {operand} <= {high}"),
            Self::Remainder { modulus, residues } => {
                among(&format!("{operand} % {modulus}"), residues)
            }
            Self::Above(bound) => format!("{operand} > {bound}"),
            Self::Not(other) => format!("{operand} != {other}"),
        }
    }
}

fn among(what: &str, values: &[i64]) -> String {
    match values {
        [one] => format!("{what} == {one}"),
        _ => format!("{what} in {{{}}}", listed(values)),
    }
}

fn listed(values: &[i64]) -> String {
    let values: Vec<String> = values.iter().map(i64::to_string).collect();
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_holds_for_what_it_says() {
        let many = || Condition::one_of(vec![1, 3, 5, 64, 70, 80, 90]);
        let exception = vec![
            Test::Above(19),
            Test::Remainder {
                modulus: 16,
                residues: vec![8],
            },
        ];
        for (condition, text, value) in [
            (Condition::remainder(32, vec![0]), "n % 32 == 0", 64),
            (Condition::one_of((3..=9).collect()), "3 <= n <= 9", 9),
            (Condition::one_of(vec![1, 64]), "n in {1, 64}", 64),
            (many(), "n in {1, 3, 5, 64, 70, …}", 90),
            (Condition::remainder(4, vec![1, 2]), "n % 4 in {1, 2}", 6),
            (Condition::All(exception), "n > 19 && n % 16 == 8", 24),
        ] {
            assert_eq!(condition.text("n"), text);
            assert!(condition.holds(value), "{text}");
            assert!(!condition.holds(35), "{text}");
        }
    }

    #[test]
    fn sizes_are_not_negative() {
        let sizes = |values: &[i64]| Condition::one_of(values.to_vec()).of_sizes();
        assert_eq!(sizes(&[-4, -2]), None);
        assert_eq!(sizes(&[-4, 2]), Some(Condition::one_of(vec![2])));
        assert_eq!(sizes(&[-4]), Some(Condition::one_of(vec![-4])));
    }
}
