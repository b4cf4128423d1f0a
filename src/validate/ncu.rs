//! Counters through Nsight Compute's command line, where CUPTI is refused or too old.
//!
//! Given: the text that `ncu --page source --csv` printed while this program launched a plan.
//! Gives: the same rows that CUPTI would have given.
//! Does not know: how to start processes, devices, or predictions.

use std::collections::BTreeMap;

use super::counters::{self, Counter, InstructionCounters, parse_sass};
use super::measurement::LaunchMeasurement;
use super::plan::{Plan, Source};

/// Each counter that is read: Nsight Compute's metric, and the heading that its source page
/// gives it where it is exported from the window.
const COLUMNS: [(Counter, &str, &str); 6] = [
    (Counter::Requests, "inst_executed", "Instructions Executed"),
    (
        Counter::Lanes,
        "thread_inst_executed_true",
        "Predicated-On Thread Instructions Executed",
    ),
    (
        Counter::Wavefronts,
        "memory_l1_wavefronts_shared",
        "L1 Wavefronts Shared",
    ),
    (
        Counter::WavefrontsIdeal,
        "memory_l1_wavefronts_shared_ideal",
        "L1 Wavefronts Shared Ideal",
    ),
    (
        Counter::Sectors,
        "memory_l2_theoretical_sectors_global",
        "L2 Theoretical Sectors Global",
    ),
    (
        Counter::SectorsIdeal,
        "memory_l2_theoretical_sectors_global_ideal",
        "L2 Theoretical Sectors Global Ideal",
    ),
];

/// The arguments that ask for the source page.
pub(super) const SOURCE_PAGE: [&str; 5] =
    ["--page", "source", "--print-source", "cuda,sass", "--csv"];

/// The arguments that say what is counted; the clocks are left as they are.
pub(super) fn counted() -> [String; 4] {
    let metrics: Vec<&str> = COLUMNS.iter().map(|(_, name, _)| *name).collect();
    let metrics = metrics.join(",");
    ["--clock-control", "none", "--metrics", &metrics].map(str::to_owned)
}

/// The arguments to put between `ncu` and the program that launches the plan.
pub fn arguments() -> Vec<String> {
    let page = SOURCE_PAGE.map(str::to_owned);
    page.into_iter().chain(counted()).collect()
}

/// What one block of the output says: one source file of one kernel launch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) file: String,
    pub(super) function: String,
    /// Address and counters of each machine instruction.
    pub(super) instructions: Vec<(u64, InstructionCounters)>,
}

/// Fills in the rows of `launched`, which holds the plan's launches in order (those with an
/// error did not reach the profiler).
///
/// # Errors
/// One sentence if the text is no source page, or speaks of other launches than the plan's.
pub fn read(text: &str, plan: &Plan, launched: &mut [LaunchMeasurement]) -> Result<(), String> {
    let reached = launched
        .iter()
        .enumerate()
        .filter(|(_, launch)| launch.error.is_none())
        .map(|(index, _)| index);
    let own = |section: &Section, index: usize| {
        let source = plan.launches.get(index)?.source;
        Some(is_file(&section.file, &plan.sources.get(source)?.file))
    };
    let of_some_source = |section: &Section| {
        let mut sources = plan.sources.iter();
        sources.any(|source| is_file(&section.file, &source.file))
    };
    let mut left = sections(text)?.into_iter().peekable();
    let mut counted: Vec<(usize, Vec<Section>)> = Vec::new();
    for index in reached {
        let launch = &launched[index];
        let first = left
            .next()
            .ok_or_else(|| format!("the profiler does not speak of launch {}", launch.label))?;
        let mut page = vec![first];
        // Kernels of one signature may follow one another: their own files tell them apart.
        while let Some(next) = left.next_if(|section| {
            let is_own = own(section, index) == Some(true);
            continues(&page, section) && (is_own || !of_some_source(section))
        }) {
            page.push(next);
        }
        let function = page.first().map_or("", |section| section.function.as_str());
        let has_own = page.iter().any(|section| own(section, index) == Some(true));
        if !same_kernel(function, &launch.kernel) || !has_own {
            return Err(format!(
                "the profiler speaks of {function} in {} where the plan launches {}",
                page.last().map_or("", |section| section.file.as_str()),
                launch.label
            ));
        }
        counted.push((index, page));
    }
    // A kernel that failed may have left a page.
    let all_ran = launched.iter().all(|launch| launch.error.is_none());
    if let Some(section) = left.next().filter(|_| all_ran) {
        return Err(format!(
            "the profiler speaks of {} in {}, which the plan does not launch",
            section.function, section.file
        ));
    }
    for (index, mut sections) in counted {
        let source = plan.launches.get(index);
        let source = source.and_then(|launch| plan.sources.get(launch.source));
        for section in &mut sections {
            let name = plain_name(&section.file, source);
            for (_, instruction) in &mut section.instructions {
                instruction.file.clone_from(&name);
            }
        }
        launched[index].rows = counters::by_line(&once(sections));
    }
    Ok(())
}

/// A file as the plan names it, or a header without the folders that differ from machine to
/// machine.
pub(super) fn plain_name(path: &str, source: Option<&Source>) -> String {
    match source {
        Some(source) if is_file(path, &source.file) => source.file.clone(),
        _ => header(path).to_owned(),
    }
}

/// Whether a profiler's absolute path is that of a file as the plan names it.
pub(super) fn is_file(path: &str, file: &str) -> bool {
    let file = file.trim_start_matches("./").trim_start_matches("../");
    path == file
        || path
            .strip_suffix(file)
            .is_some_and(|folder| folder.ends_with('/'))
}

/// Each instruction once: inlined code is listed at its own line and at those of its calls.
pub(super) fn once(sections: Vec<Section>) -> Vec<InstructionCounters> {
    let mut at: BTreeMap<u64, usize> = BTreeMap::new();
    let mut instructions: Vec<InstructionCounters> = Vec::new();
    for (address, instruction) in sections
        .into_iter()
        .flat_map(|section| section.instructions)
    {
        match at
            .get(&address)
            .and_then(|index| instructions.get_mut(*index))
        {
            Some(known) => {
                let place = (instruction.file, instruction.line);
                if place != (known.file.clone(), known.line) && !known.also.contains(&place) {
                    known.also.push(place);
                }
            }
            None => {
                at.insert(address, instructions.len());
                instructions.push(instruction);
            }
        }
    }
    instructions
}

/// A header's path without the folders that differ from machine to machine.
fn header(path: &str) -> &str {
    match path.rfind("/include/") {
        Some(at) => &path[at + "/include/".len()..],
        None => path.rsplit('/').next().unwrap_or(path),
    }
}

/// Whether a demangled name belongs to a kernel expression of the plan.
fn same_kernel(function: &str, kernel: &str) -> bool {
    let base = |name: &str| {
        let name = name.trim_start_matches("void ");
        let name = name.split(['<', '(']).next().unwrap_or_default();
        name.rsplit("::")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    base(function) == base(kernel)
}

/// Whether a block may belong to the launch that those before it belong to: a launch's blocks
/// speak of one function, one file each, in the order of the files' paths (seen with 2025.3).
fn continues(page: &[Section], section: &Section) -> bool {
    page.last()
        .is_some_and(|last| last.function == section.function && last.file < section.file)
}

/// The blocks of each launch, as far as that can be told without the plan.
///
/// # Errors
/// One sentence if the text is no source page.
pub(super) fn pages(text: &str) -> Result<Vec<Vec<Section>>, String> {
    let mut pages: Vec<Vec<Section>> = Vec::new();
    for section in sections(text)? {
        match pages.last_mut() {
            Some(page) if continues(page, &section) => page.push(section),
            _ => pages.push(vec![section]),
        }
    }
    Ok(pages)
}

fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let mut file = String::new();
    let mut line = 0;
    for text in text.lines() {
        if !text.starts_with('"') {
            // The profiler's own remarks and the program's output.
            continue;
        }
        let cells = cells(text);
        match cells.first().map(String::as_str) {
            Some("File Path") => file = cells.get(1).cloned().unwrap_or_default(),
            Some("Function Name") => {
                let function = cells.get(1).cloned().unwrap_or_default();
                sections.push(Section {
                    file: file.clone(),
                    function,
                    instructions: Vec::new(),
                });
                line = 0;
            }
            Some("Line No") => columns = cells,
            Some(number) => {
                if let Ok(number) = number.parse() {
                    line = number;
                }
                let at = |name: &str| {
                    let column = columns.iter().position(|column| column == name);
                    column.and_then(|at| cells.get(at))
                };
                let address = at("Address")
                    .and_then(|address| u64::from_str_radix(address.strip_prefix("0x")?, 16).ok());
                let (Some(address), Some(section)) = (address, sections.last_mut()) else {
                    continue;
                };
                // The second column of this name holds the machine instruction.
                let sass = columns
                    .iter()
                    .rposition(|column| column == "Source")
                    .and_then(|at| cells.get(at));
                let Some(instruction) = sass.and_then(|sass| parse_sass(sass)) else {
                    continue;
                };
                let mut counted =
                    InstructionCounters::new(section.file.clone(), line, Some(instruction));
                for (counter, metric, heading) in COLUMNS {
                    let value = at(metric).or_else(|| at(heading));
                    counted.add(counter, value.map_or(0, |value| count(value)));
                }
                section.instructions.push((address, counted));
            }
            None => {}
        }
    }
    if sections.is_empty() {
        let remark = text
            .lines()
            .find(|line| line.contains("==ERROR=="))
            .map(|line| line.replace("==ERROR==", "").trim().to_owned());
        return Err(remark.map_or_else(
            || "the profiler printed no source page".to_owned(),
            |remark| format!("the profiler says: {remark}"),
        ));
    }
    Ok(sections)
}

/// A count as the page writes it, `1,234` or `1234.0`; `-` is none.
fn count(text: &str) -> u64 {
    let plain = text.replace(',', "");
    let whole = plain.split('.').next().unwrap_or_default();
    whole.parse().unwrap_or(0)
}

/// The cells of a CSV line in which every cell is quoted.
pub(super) fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(character),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Launch, PLAN_SCHEMA};
    use super::*;

    const PAGE: &str = r#"==PROF== Connected to process 7
"File Path","/src/a.cu"
"Function Name","void k<float>(float *)"
"Line No","Source","Address","Source","inst_executed","memory_l1_wavefronts_shared","memory_l1_wavefronts_shared_ideal","memory_l2_theoretical_sectors_global","memory_l2_theoretical_sectors_global_ideal","thread_inst_executed_true"
"9","x = ""s""[i], 1;","-","-","2","0","0","4","4","32"
"","","0x10","      LDG.E R0, desc[UR6][R2.64]","1","0","0","5","4","32"
"","","...","...","-","-","-","-","-","-"
"","","0x20","@P0   LDS.128 R0, [R2]","1,000","32,000","4,000","0","0","16"
"","","0x30","      IADD3 R0, R0, 1, RZ","1","0","0","0","0","32"
"File Path","/src/a.cuh"
"Function Name","void k<float>(float *)"
"Line No","Source","Address","Source","inst_executed","memory_l1_wavefronts_shared","memory_l1_wavefronts_shared_ideal","memory_l2_theoretical_sectors_global","memory_l2_theoretical_sectors_global_ideal","thread_inst_executed_true"
"2","y","-","-","2","0","0","4","4","32"
"","","0x20","@P0   LDS.128 R0, [R2]","1,000","32,000","4,000","0","0","16"
"","","0x40","      STS [R2], R0","1","2","1","0","0","32"
"#;

    fn plan() -> (Plan, Vec<LaunchMeasurement>) {
        let launch = Launch {
            label: "k".to_owned(),
            source: 0,
            kernel: "k<float>".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            seed: 0,
            args: Vec::new(),
        };
        let measured = LaunchMeasurement {
            label: "k".to_owned(),
            kernel: "k<float>".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            seed: 0,
            source: 0,
            error: None,
            rows: Vec::new(),
            outputs: Vec::new(),
        };
        let sources = vec![Source {
            file: "a.cu".to_owned(),
            text: String::new(),
            options: Vec::new(),
            traced: None,
        }];
        (
            Plan {
                schema: PLAN_SCHEMA.to_owned(),
                arch: None,
                sources,
                launches: vec![launch],
            },
            vec![measured],
        )
    }

    #[test]
    fn a_file_of_another_folder_is_known_by_its_end() {
        assert!(is_file("/build/fixtures/a.cu", "../fixtures/a.cu"));
        assert!(is_file("/build/fixtures/a.cu", "./fixtures/a.cu"));
        assert!(!is_file("/build/fixtures/ba.cu", "../a.cu"));
    }

    #[test]
    fn a_source_page_is_read() {
        let (plan, mut launched) = plan();
        read(PAGE, &plan, &mut launched).unwrap();
        let rows: Vec<_> = launched[0]
            .rows
            .iter()
            .map(|row| {
                (
                    row.file.as_str(),
                    row.line,
                    row.opcode.as_str(),
                    row.requests,
                    row.cost,
                    row.ideal,
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("a.cu", 9, "LDS.128", 1000, 32000, 4000),
                ("a.cu", 9, "LDG", 1, 5, 4),
                ("a.cuh", 2, "STS", 1, 2, 1)
            ]
        );
        assert_eq!(launched[0].rows[0].also, [("a.cuh".to_owned(), 2)]);
    }

    /// Kernels of one name and signature, in files of their own and with headers before and after.
    #[test]
    fn kernels_of_one_signature_are_told_apart() {
        let (mut plan, mut launched) = plan();
        let section = |file: &str, address: u32| {
            format!(
                "\"File Path\",\"{file}\"\n\"Function Name\",\"k(float *)\"\n\"Line No\",\"Source\",\"Address\",\"Source\",\"thread_inst_executed_true\",\"memory_l1_wavefronts_shared\"\n\"9\",\"x\",\"-\",\"-\",\"32\",\"1\"\n\"\",\"\",\"0x{address:x}\",\"LDS R0, [R2]\",\"32\",\"{address}\"\n"
            )
        };
        let text = [
            section("/opt/include/a.h", 1),
            section("/src/a.cu", 2),
            section("/src/b.cu", 3),
            section("/src/b.cu", 4),
            section("/usr/include/z.h", 5),
            section("/opt/include/a.h", 6),
            section("/src/a.cu", 7),
        ]
        .concat();
        plan.sources.push(Source {
            file: "b.cu".to_owned(),
            ..plan.sources[0].clone()
        });
        plan.launches = [0, 1, 1, 0]
            .map(|source| Launch {
                source,
                kernel: "k".to_owned(),
                ..plan.launches[0].clone()
            })
            .to_vec();
        launched[0].kernel = "k".to_owned();
        let mut launched = vec![launched[0].clone(); 4];
        read(&text, &plan, &mut launched).unwrap();
        let rows: Vec<Vec<(&str, u64)>> = launched
            .iter()
            .map(|launch| {
                let rows = launch.rows.iter();
                rows.map(|row| (row.file.as_str(), row.cost)).collect()
            })
            .collect();
        assert_eq!(
            rows,
            [
                vec![("a.cu", 2), ("a.h", 1)],
                vec![("b.cu", 3)],
                vec![("b.cu", 4), ("z.h", 5)],
                vec![("a.cu", 7), ("a.h", 6)],
            ]
        );
        // A launch too few: the profiler's last page belongs to none.
        plan.launches.pop();
        launched.pop();
        let error = read(&text, &plan, &mut launched).unwrap_err();
        assert!(error.contains("which the plan does not launch"), "{error}");
        // Another order of launches is noticed, though all have one signature.
        plan.launches.push(plan.launches[0].clone());
        plan.launches.swap(0, 1);
        let error = read(&text, &plan, &mut vec![launched[0].clone(); 4]).unwrap_err();
        assert!(error.contains("where the plan launches"), "{error}");
    }

    #[test]
    fn other_text_is_one_sentence() {
        let (plan, mut launched) = plan();
        assert!(
            read("", &plan, &mut launched)
                .unwrap_err()
                .contains("no source page")
        );
        assert!(
            read("==ERROR== ERR_NVGPUCTRPERM", &plan, &mut launched)
                .unwrap_err()
                .contains("ERR_NVGPUCTRPERM")
        );
        assert!(
            read(&PAGE.replace("k<float>", "other"), &plan, &mut launched)
                .unwrap_err()
                .contains("where the plan launches")
        );
        let twice = launched[0].clone();
        let mut two = vec![launched.remove(0), twice];
        let plan = Plan {
            launches: vec![plan.launches[0].clone(), plan.launches[0].clone()],
            ..plan
        };
        assert!(
            read(PAGE, &plan, &mut two)
                .unwrap_err()
                .contains("does not speak of launch")
        );
    }
}
