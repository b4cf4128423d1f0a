//! `[limits]`: what one run may cost.
//!
//! Given the section as it is written, gives bounds that a run can keep. Knows nothing of who keeps them.

use schemars::JsonSchema;
use serde::Deserialize;

/// Offsets are 32-bit, and expansion makes a text longer.
const MAX_FILE: u64 = 1 << 30;

/// What one run may cost: beyond these bounds something is listed as not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of one file, in bytes.
    pub file_bytes: u64,
    /// Tokens handled to expand the macros of one file.
    pub expansion_tokens: usize,
    /// Of one kernel, after inlining.
    pub statements: u32,
    /// Expressions and statements read for one kernel, bodies of called functions included.
    pub lowering_steps: u64,
    /// Those of one function, all its calls in one kernel together.
    pub function_steps: u64,
    /// Those of all kernels of one file, which share them evenly.
    pub file_steps: u64,
    /// Instances of one kernel template that one file launches.
    pub instances: usize,
    /// Those that a group of files launches together: files that launch each other's kernels.
    pub run_instances: usize,
    /// Of the walk through one kernel.
    pub steps: u64,
    /// Of the walk through one kernel.
    pub terms: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 8 << 20,
            expansion_tokens: 1 << 24,
            statements: 200_000,
            lowering_steps: 2_000_000,
            function_steps: 1_000_000,
            file_steps: 20_000_000,
            instances: 64,
            run_instances: 256,
            steps: 1_500_000,
            terms: 1_000_000,
        }
    }
}

impl Limits {
    /// Each limit under its key.
    fn all(&self) -> [(&'static str, u64); 10] {
        let wide = |number: usize| number as u64;
        [
            ("file-bytes", self.file_bytes),
            ("expansion-tokens", wide(self.expansion_tokens)),
            ("statements", u64::from(self.statements)),
            ("lowering-steps", self.lowering_steps),
            ("function-steps", self.function_steps),
            ("file-steps", self.file_steps),
            ("instances", wide(self.instances)),
            ("run-instances", wide(self.run_instances)),
            ("steps", self.steps),
            ("terms", wide(self.terms)),
        ]
    }

    /// The first that is more than so many times its default: its key, its value, and what it may be.
    #[must_use]
    pub fn raised(&self, times: u64) -> Option<(&'static str, u64, u64)> {
        let defaults = Self::default().all();
        self.all()
            .into_iter()
            .zip(defaults)
            .map(|((key, value), (_, default))| (key, value, times * default))
            .find(|(_, value, most)| value > most)
    }
}

/// What a run may cost; beyond these bounds something is listed as not analysed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawLimits {
    /// Bytes of one file.
    file_bytes: Option<u64>,
    /// Tokens handled to expand the macros of one file.
    expansion_tokens: Option<usize>,
    /// Statements of one kernel, after inlining.
    statements: Option<u32>,
    /// Expressions and statements read for one kernel, bodies of called functions included.
    lowering_steps: Option<u64>,
    /// Those of one function, all its calls in one kernel together.
    function_steps: Option<u64>,
    /// Those of all kernels of one file, which share them evenly.
    file_steps: Option<u64>,
    /// Instances of one kernel template that one file launches.
    instances: Option<usize>,
    /// Those that a group of files launches together: files that launch each other's kernels.
    run_instances: Option<usize>,
    /// Steps of the walk through one kernel.
    steps: Option<u64>,
    /// Terms of the walk through one kernel.
    terms: Option<usize>,
}

impl RawLimits {
    /// The bounds that these set, the others as they are.
    ///
    /// # Errors
    /// One sentence about a bound that no run could keep.
    pub(super) fn checked(&self) -> Result<Limits, String> {
        let defaults = Limits::default();
        let file_bytes = self.file_bytes.unwrap_or(defaults.file_bytes);
        if file_bytes > MAX_FILE {
            return Err(format!(
                "limits: `file-bytes` is {file_bytes}; no more than {MAX_FILE} can be read"
            ));
        }
        Ok(Limits {
            file_bytes,
            expansion_tokens: self.expansion_tokens.unwrap_or(defaults.expansion_tokens),
            statements: self.statements.unwrap_or(defaults.statements),
            lowering_steps: self.lowering_steps.unwrap_or(defaults.lowering_steps),
            function_steps: self.function_steps.unwrap_or(defaults.function_steps),
            file_steps: self.file_steps.unwrap_or(defaults.file_steps),
            instances: self.instances.unwrap_or(defaults.instances),
            run_instances: self.run_instances.unwrap_or(defaults.run_instances),
            steps: self.steps.unwrap_or(defaults.steps),
            terms: self.terms.unwrap_or(defaults.terms),
        })
    }
}
