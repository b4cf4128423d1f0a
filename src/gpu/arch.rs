//! The table of compute capabilities, 1.0 to 12.1.
//!
//! Given: a name such as `sm_90`, `compute_86`, `75` or `9.0`.
//! Gives: one row with the rules by which that hardware serves a warp's request, and its
//! shared-memory and register limits.
//! Does not know: how the rules turn into a cost (see [`super::cost`]).
//!
//! Sources. `measured` rows: the recordings under `fixtures/measured/`. All others: NVIDIA,
//! *CUDA C++ Programming Guide*, appendix "Compute Capabilities" (table "Technical
//! Specifications per Compute Capability"; sections "Compute Capability 3.x" and later from
//! release 11.x, "1.x" from release 6.5, "2.x" from release 8.0, the last ones that hold them).

use std::fmt;

/// How shared memory serves a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedRule {
    /// 1.x: each half-warp is a request of its own over 16 banks; one word is broadcast per
    /// step; an access wider than a word is compiled to one request per word.
    HalfWarp,
    /// 2.x: one request per warp; 8-byte accesses by half-warps, 16-byte accesses by
    /// quarter-warps with one step more.
    Fermi,
    /// 3.x: 8-byte-wide banks, in one of two addressing modes (see [`Arch::bank_bytes`]).
    Kepler,
    /// 5.0 and later: one request per warp; 8-byte accesses by half-warps, 16-byte accesses by
    /// quarter-warps, merged pairwise for loads whose neighbouring lanes agree.
    Words,
}

/// How global memory serves a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobalRule {
    /// 1.0 and 1.1: a half-warp in sequence within one aligned segment is coalesced, anything
    /// else costs one transaction per lane.
    InSequence,
    /// 1.2 and 1.3: the aligned segments a half-warp touches, each shrunk to the half in use.
    Segments,
    /// 2.x: loads move whole 128-byte lines through L1; stores move 32-byte sectors.
    CachedLines,
    /// 3.x and later: the distinct 32-byte sectors touched.
    Sectors,
}

/// One compute capability.
///
/// Invariant: made only by [`Arch::parse`], [`Arch::default`] and [`Arch::all`], so it is a row
/// of the table (with Kepler's bank mode chosen).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arch {
    pub major: u8,
    pub minor: u8,
    /// Lanes that form one shared request: 32, or 16 on 1.x.
    pub shared_request_lanes: u8,
    /// Lanes that form one global request: 32, or 16 on 1.x.
    pub global_request_lanes: u8,
    /// Shared memory banks.
    pub banks: u8,
    /// Bytes of the unit that walks over the banks: 4; 8 on 3.x in its 8-byte mode.
    pub bank_bytes: u8,
    pub shared_rule: SharedRule,
    pub global_rule: GlobalRule,
    /// Shared memory of one multiprocessor, bytes.
    pub shared_per_sm: u32,
    /// Shared memory of one block without opting in, bytes.
    pub shared_per_block: u32,
    /// Shared memory of one block after `cudaFuncAttributeMaxDynamicSharedMemorySize`, bytes.
    pub shared_per_block_optin: u32,
    /// 32-bit registers of one multiprocessor.
    pub registers_per_sm: u32,
    /// Resident warps of one multiprocessor, at most.
    pub warps_per_sm: u32,
    /// Resident blocks of one multiprocessor, at most.
    pub blocks_per_sm: u32,
    /// Threads of one block, at most.
    pub threads_per_block: u32,
    /// True where the cost rules were checked against counters of such a GPU; false where they
    /// rest on the vendor's documentation alone.
    pub measured: bool,
    /// Which features beside those of its number code is compiled for.
    pub features: Features,
}

/// The features that the end of an architecture's name adds (nvcc documentation, "GPU feature list": architecture-
/// and family-specific targets).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Features {
    /// `sm_90`
    #[default]
    Basic,
    /// `sm_100f`
    Family,
    /// `sm_90a`
    Specific,
}

const KIB: u32 = 1024;

/// The columns that differ between rows: (major, minor, shared KiB per SM, opt-in KiB per
/// block, Ki registers per SM, warps per SM, blocks per SM).
const TABLE: [(u8, u8, u32, u32, u32, u32, u32); 29] = [
    (1, 0, 16, 16, 8, 24, 8),
    (1, 1, 16, 16, 8, 24, 8),
    (1, 2, 16, 16, 16, 32, 8),
    (1, 3, 16, 16, 16, 32, 8),
    (2, 0, 48, 48, 32, 48, 8),
    (2, 1, 48, 48, 32, 48, 8),
    (3, 0, 48, 48, 64, 64, 16),
    (3, 2, 48, 48, 64, 64, 16),
    (3, 5, 48, 48, 64, 64, 16),
    (3, 7, 112, 48, 128, 64, 16),
    (5, 0, 64, 48, 64, 64, 32),
    (5, 2, 96, 48, 64, 64, 32),
    (5, 3, 64, 48, 64, 64, 32),
    (6, 0, 64, 48, 64, 64, 32),
    (6, 1, 96, 48, 64, 64, 32),
    (6, 2, 64, 48, 64, 64, 32),
    (7, 0, 96, 96, 64, 64, 32),
    (7, 2, 96, 96, 64, 64, 32),
    (7, 5, 64, 64, 64, 32, 16),
    (8, 0, 164, 163, 64, 64, 32),
    (8, 6, 100, 99, 64, 48, 16),
    (8, 7, 164, 163, 64, 48, 16),
    (8, 9, 100, 99, 64, 48, 24),
    (9, 0, 228, 227, 64, 64, 32),
    (10, 0, 228, 227, 64, 64, 32),
    (10, 3, 228, 227, 64, 64, 32),
    (11, 0, 228, 227, 64, 48, 24),
    (12, 0, 100, 99, 64, 48, 24),
    (12, 1, 100, 99, 64, 48, 24),
];

impl Arch {
    /// The compute capability assumed where nobody names one: 9.0.
    pub const DEFAULT: Arch = Arch::row(23);

    const fn row(index: usize) -> Arch {
        let (major, minor, sm_kib, optin_kib, ki_registers, warps, blocks) = TABLE[index];
        let shared_rule = match major {
            1 => SharedRule::HalfWarp,
            2 => SharedRule::Fermi,
            3 => SharedRule::Kepler,
            _ => SharedRule::Words,
        };
        let global_rule = match (major, minor) {
            (1, 0 | 1) => GlobalRule::InSequence,
            (1, _) => GlobalRule::Segments,
            (2, _) => GlobalRule::CachedLines,
            _ => GlobalRule::Sectors,
        };
        let half_warp = if major == 1 { 16 } else { 32 };
        Arch {
            major,
            minor,
            shared_request_lanes: half_warp,
            global_request_lanes: half_warp,
            banks: half_warp,
            bank_bytes: 4,
            shared_rule,
            global_rule,
            shared_per_sm: sm_kib * KIB,
            shared_per_block: if optin_kib < 48 {
                optin_kib * KIB
            } else {
                48 * KIB
            },
            shared_per_block_optin: optin_kib * KIB,
            registers_per_sm: ki_registers * KIB,
            warps_per_sm: warps,
            blocks_per_sm: blocks,
            threads_per_block: if major == 1 { 512 } else { 1024 },
            measured: major == 9 && minor == 0,
            features: Features::Basic,
        }
    }

    /// Every row, oldest first; 3.x in its default 4-byte bank mode.
    pub fn all() -> impl Iterator<Item = Arch> {
        (0..TABLE.len()).map(Arch::row)
    }

    /// Reads `sm_90`, `sm_90a`, `compute_90`, `90`, `9.0`; on 3.x `sm_35/8` chooses the
    /// 8-byte bank mode (`cudaSharedMemBankSizeEightByte`), `sm_35/4` the default mode.
    ///
    /// # Errors
    /// One sentence that quotes the text and says what would be accepted.
    pub fn parse(text: &str) -> Result<Arch, String> {
        let error = || {
            let shown: String = text.chars().take(40).collect();
            let known: Vec<String> = Arch::all().map(|arch| arch.to_string()).collect();
            format!(
                "unknown architecture `{shown}`: expected one of {}",
                known.join(", ")
            )
        };
        let lower = text.trim().to_ascii_lowercase();
        let (name, mode) = match lower.split_once('/') {
            Some((name, mode)) => (name, Some(mode)),
            None => (lower.as_str(), None),
        };
        let bare = name
            .strip_prefix("sm_")
            .or_else(|| name.strip_prefix("compute_"))
            .unwrap_or(name);
        // sm_90a and sm_100f name feature sets of the same hardware.
        let features = match bare.bytes().last() {
            Some(b'a') => Features::Specific,
            Some(b'f') => Features::Family,
            _ => Features::Basic,
        };
        let bare = bare.strip_suffix(['a', 'f']).unwrap_or(bare);
        let (major, minor) = match bare.split_once('.') {
            Some(parts) => parts,
            None if bare.is_ascii() && bare.len() >= 2 => bare.split_at(bare.len() - 1),
            None => return Err(error()),
        };
        let digits = |part: &str| -> Option<u8> {
            if part.bytes().all(|byte| byte.is_ascii_digit()) {
                part.parse().ok()
            } else {
                None
            }
        };
        let (Some(major), Some(minor)) = (digits(major), digits(minor)) else {
            return Err(error());
        };
        let arch = Arch::all()
            .find(|arch| (arch.major, arch.minor) == (major, minor))
            .ok_or_else(error)?;
        let arch = Arch { features, ..arch };
        match mode {
            None | Some("4") => Ok(arch),
            Some("8") if arch.shared_rule == SharedRule::Kepler => Ok(Arch {
                bank_bytes: 8,
                ..arch
            }),
            Some("8") => Err(format!(
                "{arch} has no 8-byte bank mode: only sm_30 to sm_37 have"
            )),
            Some(_) => Err(error()),
        }
    }

    /// The macros that nvcc defines where it compiles device code for these features, as its `-dryrun` of CUDA 13.0
    /// shows.
    #[must_use]
    pub fn feature_macros(&self) -> Vec<(String, Option<String>)> {
        let number = format!("{}{}", self.major, self.minor);
        let value = Some(format!("{number}0"));
        let mut out = Vec::new();
        if self.features != Features::Basic {
            out.push(("__CUDA_ARCH_FAMILY_SPECIFIC__".to_owned(), value.clone()));
        }
        if self.features == Features::Specific {
            out.push(("__CUDA_ARCH_SPECIFIC__".to_owned(), value));
            out.push((format!("__CUDA_ARCH_FEAT_SM{number}_ALL"), None));
        }
        out
    }

    /// "measured", or "documented, not measured": what the cost rules of this row rest on.
    pub fn basis(&self) -> &'static str {
        if self.measured {
            "measured"
        } else {
            "documented, not measured"
        }
    }
}

impl Default for Arch {
    fn default() -> Arch {
        Arch::DEFAULT
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sm_{}{}", self.major, self.minor)?;
        if self.bank_bytes == 8 {
            formatter.write_str("/8")
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_use_are_read() {
        for name in ["sm_90", "compute_90", "90", "9.0", " SM_90 "] {
            assert_eq!(Arch::parse(name), Ok(Arch::DEFAULT), "{name}");
        }
        let macros = |name: &str| {
            let arch = Arch::parse(name).expect("a known one");
            let all = arch.feature_macros().into_iter();
            all.map(|(name, value)| name + "=" + &value.unwrap_or_default())
                .collect::<Vec<_>>()
        };
        assert!(macros("sm_90").is_empty());
        assert_eq!(macros("sm_103f"), ["__CUDA_ARCH_FAMILY_SPECIFIC__=1030"]);
        assert_eq!(
            macros("sm_90a"),
            [
                "__CUDA_ARCH_FAMILY_SPECIFIC__=900",
                "__CUDA_ARCH_SPECIFIC__=900",
                "__CUDA_ARCH_FEAT_SM90_ALL=",
            ]
        );
        assert_eq!(
            Arch::parse("sm_121").map(|arch| (arch.major, arch.minor)),
            Ok((12, 1))
        );
        assert_eq!(
            Arch::parse("10.3").map(|arch| arch.to_string()),
            Ok("sm_103".to_owned())
        );
        assert_eq!(Arch::parse("sm_35/8").map(|arch| arch.bank_bytes), Ok(8));
    }

    #[test]
    fn every_row_reads_its_own_name() {
        for arch in Arch::all() {
            assert_eq!(Arch::parse(&arch.to_string()), Ok(arch));
            assert!(arch.shared_per_block <= arch.shared_per_block_optin);
            assert!(arch.shared_per_block_optin <= arch.shared_per_sm);
        }
    }

    #[test]
    fn other_names_are_refused_in_one_sentence() {
        for name in [
            "", "sm_", "sm_99", "9", "é0", "sm_9é", "+9.0", "sm_90/8", "sm_35/16", "gfx90a",
            "1000000",
        ] {
            let message = Arch::parse(name).expect_err(name);
            assert!(!message.contains('\n') && !message.is_empty());
        }
    }
}
