//! Launches on Nsight Compute's raw page: kernel, shape, architecture.
//!
//! Given: the text that `ncu --page raw --csv` printed. Gives: one record a launch, in order.
//! Does not know: counters, or predictions.

use super::ncu::cells;

/// One launch that was profiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// As the profiler names it.
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Such as `sm_90`.
    pub arch: Option<String>,
}

/// The launches of a page; none where it is no raw page.
#[must_use]
pub fn read(text: &str) -> Vec<Launched> {
    let mut lines = text.lines().filter(|line| line.starts_with('"'));
    let Some(head) = lines.next().map(cells) else {
        return Vec::new();
    };
    let column = |name: &str| head.iter().position(|cell| cell == name);
    let (Some(kernel), Some(grid), Some(block)) = (
        column("Kernel Name"),
        column("Grid Size"),
        column("Block Size"),
    ) else {
        return Vec::new();
    };
    let capability = column("CC");
    // The line of units has no launch in it.
    lines
        .filter_map(|line| {
            let cells = cells(line);
            let at = |column: usize| cells.get(column).map(String::as_str);
            Some(Launched {
                kernel: at(kernel)?.to_owned(),
                grid: shape(at(grid)?)?,
                block: shape(at(block)?)?,
                arch: capability.and_then(at).and_then(arch),
            })
        })
        .collect()
}

/// `(32, 8, 1)`
fn shape(text: &str) -> Option<[u32; 3]> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let numbers: Result<Vec<u32>, _> = inner.split(',').map(|n| n.trim().parse()).collect();
    numbers.ok()?.try_into().ok()
}

/// `9.0`
fn arch(text: &str) -> Option<String> {
    let (major, minor) = text.trim().split_once('.')?;
    let number: u32 = format!("{major}{minor}").parse().ok()?;
    Some(format!("sm_{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_read_in_order() {
        let page = r#"==PROF== Disconnected
"ID","Process ID","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","inst_executed"
"","","","","","","","","","inst"
"0","7","void k<float>(float *, int)","1","7","(32, 8, 1)","(4, 4, 1)","0","9.0","1,024"
"1","7","fill","1","7","(256, 1, 1)","(16, 1, 1)","0","12.0","64"
"#;
        let launches = read(page);
        let said: Vec<_> = launches
            .iter()
            .map(|launch| {
                (
                    launch.kernel.as_str(),
                    launch.block,
                    launch.grid,
                    launch.arch.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                (
                    "void k<float>(float *, int)",
                    [32, 8, 1],
                    [4, 4, 1],
                    Some("sm_90")
                ),
                ("fill", [256, 1, 1], [16, 1, 1], Some("sm_120")),
            ]
        );
        assert_eq!(read("a,b\n"), []);
        assert_eq!(read("\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n"), []);
    }
}
