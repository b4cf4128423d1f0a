//! How sure a bad verdict is, and how much it matters.
//!
//! Given a verdict that some request exceeds its ideal, tells *proved* (every launch
//! pays) from *possible* (only some values of the symbols named pay). A possible
//! finding is worth a warning only if values that programs really use pay: sizes
//! and pitches are mostly multiples of powers of two, and so are grids.

use super::Context;
use crate::finding::{Evidence, Level};
use crate::prove::verdict::{Access, Dependence, Verdict};

/// Values of a symbol that programs commonly have.
const TYPICAL: [i64; 4] = [1024, 4096, 512, 256];

/// Evidence, and the level where it differs from the rule's own.
#[must_use]
pub fn weigh(access: &Access, context: &Context) -> (Evidence, Option<Level>) {
    let free = |symbol: &str| is_free(symbol, access, context);
    of_verdict(&access.verdict, &free)
}

fn of_verdict(verdict: &Verdict, is_free: &dyn Fn(&str) -> bool) -> (Evidence, Option<Level>) {
    // A loop counter, a block or a warp takes all of its values in a launch, bad ones included.
    let is_met = |one: &Dependence| {
        !is_free(&one.symbol) && one.cases.iter().any(|case| case.min > case.ideal)
    };
    if verdict.min > verdict.ideal || verdict.depends_on.iter().any(is_met) {
        return (Evidence::Proved, None);
    }
    let answers: Vec<bool> = verdict
        .depends_on
        .iter()
        .filter_map(pays_typically)
        .collect();
    let pays = if answers.is_empty() {
        // Nothing says which values pay; at twice the ideal that is worth a look.
        verdict.max >= 2 * verdict.ideal
    } else {
        answers.contains(&true)
    };
    (Evidence::Possible, (!pays).then_some(Level::Info))
}

/// Whether the caller, or data, chooses the symbol's value once for a whole launch.
fn is_free(symbol: &str, access: &Access, context: &Context) -> bool {
    let mut kernels = context.program.kernels.iter().filter(|kernel| {
        *kernel.name == *access.kernel && kernel.span.start == access.kernel_span.start
    });
    let parameters = kernels
        .next()
        .map_or(&[][..], |kernel| kernel.parameters.as_slice());
    let mut words = symbol.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    symbol.is_empty()
        || symbol.contains('[')
        || words.any(|word| {
            ["blockDim", "gridDim", "offset"].contains(&word)
                || parameters.iter().any(|one| one.name == word)
        })
}

/// Whether typical values of the symbol pay; `None` where the cases cannot tell.
fn pays_typically(dependence: &Dependence) -> Option<bool> {
    let answers: Vec<bool> = TYPICAL
        .iter()
        .filter_map(|value| {
            let case = dependence
                .cases
                .iter()
                .find(|case| holds(&case.when, &dependence.symbol, *value))?;
            if case.min > case.ideal {
                Some(true)
            } else {
                (case.max <= case.ideal).then_some(false)
            }
        })
        .collect();
    (!answers.is_empty()).then(|| answers.iter().filter(|pays| **pays).count() * 2 > answers.len())
}

/// Whether the condition of a case holds for `value`: `pitch % 32 == 0`, `1 <= n <= 7`,
/// `n in {2, 4}`, `otherwise`. What cannot be read does not hold.
fn holds(when: &str, symbol: &str, value: i64) -> bool {
    if when == "otherwise" || when == "always" {
        return true;
    }
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let Some((before, rest)) = when.split_once(symbol) else {
        return false;
    };
    if let Some(low) = before.trim_end().strip_suffix("<=") {
        let high = rest.trim_start().strip_prefix("<=").and_then(number);
        return number(low)
            .zip(high)
            .is_some_and(|(low, high)| (low..=high).contains(&value));
    }
    let rest = rest.trim_start();
    let (value, rest) = match rest.strip_prefix('%') {
        None => (value, rest),
        Some(rest) => {
            let rest = rest.trim_start();
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            match rest[..digits].parse::<i64>() {
                Ok(modulus) if modulus > 0 => {
                    (value.rem_euclid(modulus), rest[digits..].trim_start())
                }
                _ => return false,
            }
        }
    };
    if let Some(list) = rest.strip_prefix("in {") {
        return list
            .trim_end_matches('}')
            .split(',')
            .filter_map(number)
            .any(|one| one == value);
    }
    rest.strip_prefix("==").and_then(number) == Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::verdict::{DependenceCase, Status};

    fn weigh(is_free: bool, cases: &[(&str, u32, u32)]) -> (Evidence, Option<Level>) {
        let cases: Vec<DependenceCase> = cases
            .iter()
            .map(|(when, min, max)| DependenceCase {
                when: (*when).to_owned(),
                min: *min,
                max: *max,
                ideal: 4,
            })
            .collect();
        let verdict = Verdict {
            status: Status::Bounded,
            min: cases.iter().map(|case| case.min).min().unwrap_or(4),
            max: cases.iter().map(|case| case.max).max().unwrap_or(8),
            ideal: 4,
            reason: String::new(),
            depends_on: vec![Dependence {
                symbol: "n".to_owned(),
                cases,
            }],
            assumptions: Vec::new(),
            witness: None,
            certificate: std::sync::Arc::default(),
        };
        of_verdict(&verdict, &|_| is_free)
    }

    #[test]
    fn a_cost_that_common_sizes_avoid_is_no_warning() {
        let rows = weigh(true, &[("n % 8 == 0", 4, 4), ("otherwise", 5, 5)]);
        assert_eq!(rows, (Evidence::Possible, Some(Level::Info)));
    }

    #[test]
    fn a_cost_that_common_sizes_pay_is_a_warning() {
        let stride = weigh(
            true,
            &[
                ("n == 1", 4, 4),
                ("2 <= n <= 7", 8, 28),
                ("otherwise", 32, 32),
            ],
        );
        assert_eq!(stride, (Evidence::Possible, None));
    }

    #[test]
    fn a_loop_that_runs_through_bad_values_is_proved() {
        let steps = weigh(false, &[("n == 16", 4, 4), ("n == 1", 8, 8)]);
        assert_eq!(steps, (Evidence::Proved, None));
    }

    #[test]
    fn conditions_are_read() {
        for (when, value) in [
            ("n % 32 == 0", 64),
            ("3 <= n <= 9", 9),
            ("n in {1, 64, …}", 64),
            ("n % 4 in {1, 2}", 6),
        ] {
            assert!(holds(when, "n", value), "{when}");
            assert!(!holds(when, "n", 35), "{when}");
        }
    }
}
