//! Runs that keep findings only: group by group, and from what earlier runs found.

use crate::support::{Scratch, collect, root};
use cudalint::config::LaunchRule;
use cudalint::gpu::Arch;
use cudalint::ir::NotAnalysed;
use cudalint::report::{self, json};
use cudalint::session::cache::findings::ResultStore;
use cudalint::session::{self, Analysis, Options, Retain};
use cudalint::source::SourceFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn read(paths: &[PathBuf]) -> Vec<Arc<SourceFile>> {
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file");
        Arc::new(SourceFile::new(path.clone(), text.into()))
    };
    paths.iter().map(read).collect()
}

fn said(analysis: &Analysis) -> String {
    json::render(&analysis.report(Arch::DEFAULT))
}

/// That two texts are one, or where they part.
fn same(left: &str, right: &str, what: &str) {
    let differs = |(a, b): &(&str, &str)| a != b;
    let mut pairs = left.lines().zip(right.lines()).enumerate();
    let first = pairs.find(|(_, pair)| differs(pair));
    assert!(left == right, "{what}: {first:?}");
}

/// The accesses as they are printed, and the gaps of kernels in any order.
fn accesses(analysis: &Analysis) -> (String, Vec<String>) {
    let kernels = analysis.program.kernels.iter();
    let gap = |gap: &NotAnalysed| format!("{}: {}", gap.function, gap.reason);
    let mut gaps: Vec<String> = kernels.flat_map(|one| one.gaps.iter().map(gap)).collect();
    gaps.sort_unstable();
    let report = analysis.report(Arch::DEFAULT);
    (report::accesses::render_lines(&report), gaps)
}

#[test]
fn groups_find_what_all_files_together_do() {
    let mut paths = Vec::new();
    collect(&root().join("fixtures"), "cu", &mut paths);
    collect(&root().join("tests/hostile"), "cu", &mut paths);
    let files = read(&paths);
    let run = |keeps| {
        let options = Options {
            keeps,
            ..Options::default()
        };
        session::analyse(&files, &options)
    };
    let (whole, parts) = (run(Retain::Everything), run(Retain::Findings));
    assert!(whole.findings.len() > 100, "{}", whole.findings.len());
    assert!(parts.accesses.is_empty() && parts.program.kernels.is_empty());
    same(&said(&whole), &said(&parts), "group by group");

    let (kept, gaps) = accesses(&whole);
    assert!(kept.contains("\"exact\"") && !gaps.is_empty());
    let (same_kept, same_gaps) = accesses(&run(Retain::Accesses));
    same(&kept, &same_kept, "accesses, group by group");
    assert_eq!(gaps, same_gaps);
}

/// A small project: a kernel in a header with its launch elsewhere, and a file that stands alone.
struct Project {
    scratch: Scratch,
    options: Options,
}

const TILE: &str = "#include \"size.h\"\n__global__ void tile(float *o) {\n    __shared__ float t[32][W];\n    t[threadIdx.x][threadIdx.y] = o[threadIdx.x];\n    __syncthreads();\n    o[threadIdx.x * 32] = t[threadIdx.y][threadIdx.x];\n}\n";
const LAUNCH: &str = "#include \"tile.cuh\"\nvoid run(float *o) { tile<<<1, dim3(32, 8)>>>(o); }\n";
const ALONE: &str = "__global__ void alone(float *o, const float *i) { o[threadIdx.x] = i[threadIdx.x * 3]; }\nvoid go(float *o, float *i) { alone<<<1, 64>>>(o, i); }\n";

impl Project {
    fn new() -> Self {
        let scratch = Scratch::new("parts");
        scratch.write("size.h", "#define W 32\n");
        scratch.write("tile.cuh", TILE);
        scratch.write("launch.cu", LAUNCH);
        scratch.write("alone.cu", ALONE);
        Self {
            scratch,
            options: Options {
                keeps: Retain::Findings,
                ..Options::default()
            },
        }
    }

    fn run(&self, has_results: bool) -> Analysis {
        let paths = ["launch.cu", "alone.cu"].map(|name| self.scratch.0.join(name));
        let store = ResultStore::open(&self.scratch.0.join("cache"));
        let options = Options {
            results: has_results.then(|| Arc::new(store)),
            ..self.options.clone()
        };
        let analysis = session::analyse(&read(&paths), &options);
        assert_eq!(analysis.cache_problem, None);
        analysis
    }

    /// Accesses that were looked at anew by a run that knows earlier ones, which must say what one
    /// without memory says.
    fn looked_at(&self, what: &str) -> usize {
        let (fresh, again) = (self.run(false), self.run(true));
        assert!(!fresh.findings.is_empty(), "{what}");
        same(&said(&fresh), &said(&again), what);
        again.proofs.visits
    }
}

#[test]
fn what_did_not_change_is_not_looked_at_again() {
    let mut project = Project::new();
    let all = project.looked_at("nothing is known");
    assert!(all > 0);
    assert_eq!(project.looked_at("nothing has changed"), 0);

    let write = |project: &Project, name: &str, text: &str| project.scratch.write(name, text);
    write(&project, "size.h", "#define W 33\n");
    let of_tile = project.looked_at("a header");
    assert!(0 < of_tile && of_tile < all);
    // The same tokens, further down: findings have other places.
    write(&project, "alone.cu", &format!("// More.\n\n{ALONE}"));
    assert_eq!(project.looked_at("a comment"), all - of_tile);
    write(&project, "launch.cu", &LAUNCH.replace("32, 8", "16, 16"));
    assert!(project.looked_at("a launch") > 0);
    let accepted = ALONE.replace("{ o", "{ // cudalint: allow(uncoalesced-access) known\n o");
    write(&project, "alone.cu", &accepted);
    assert_eq!(project.looked_at("a comment for this tool"), all - of_tile);
    // Another header of that name comes first.
    std::fs::create_dir(project.scratch.0.join("first")).expect("a folder");
    write(&project, "first/size.h", "#define W 34\n");
    write(
        &project,
        "tile.cuh",
        &TILE.replace("size.h", "first/size.h"),
    );
    assert!(project.looked_at("a header elsewhere") > 0);
    assert_eq!(project.looked_at("nothing since"), 0);

    project.options.arch = Arch::parse("sm_80").expect("an architecture");
    assert_eq!(project.looked_at("an architecture"), all);
    project.options.fixes = false;
    assert_eq!(project.looked_at("no fixes"), all);
    project.options.defines = vec![("threadIdx".to_owned(), Some("blockIdx".to_owned()))];
    assert_eq!(project.looked_at("a macro"), all);
    project.options.defines.clear();
    project.options.launches = vec![LaunchRule {
        kernel: "*".to_owned(),
        block: [64, 1, 1],
        grid: None,
    }];
    assert_eq!(project.looked_at("a rule for launches"), all);
    assert_eq!(project.looked_at("nothing in the end"), 0);
}

#[test]
fn damaged_results_are_found_anew() {
    let project = Project::new();
    let all = project.looked_at("nothing is known");
    let folder = project.scratch.0.join("cache/results-1");
    let files = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&folder).expect("results");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    };
    assert_eq!(files().len(), 2);
    let damages: [&dyn Fn(&Path); 3] = [
        &|path| std::fs::write(path, "").expect("a file"),
        &|path| {
            let mut bytes = std::fs::read(path).expect("a file");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            std::fs::write(path, bytes).expect("a file");
        },
        &|path| {
            std::fs::remove_file(path).expect("a file");
            std::fs::create_dir(path).expect("a folder");
        },
    ];
    for damage in &damages[..2] {
        files().iter().for_each(|path| damage(path));
        assert_eq!(project.looked_at("damaged"), all);
        assert_eq!(project.looked_at("repaired"), 0);
    }
    files().iter().for_each(|path| damages[2](path));
    let (fresh, again) = (project.run(false), {
        let store = ResultStore::open(&project.scratch.0.join("cache"));
        let paths = ["launch.cu", "alone.cu"].map(|name| project.scratch.0.join(name));
        let options = Options {
            results: Some(Arc::new(store)),
            ..project.options.clone()
        };
        session::analyse(&read(&paths), &options)
    });
    same(&said(&fresh), &said(&again), "nothing can be written");
    let problem = again.cache_problem.expect("a problem");
    assert!(problem.contains("--no-cache"), "{problem}");
}

/// A kernel of a header is told of once, and by its instances where any of the files makes one.
#[test]
fn kernels_of_shared_headers_are_told_of_once() {
    const HEADER: &str = "template <class T> __device__ int followed(T v);
template <class T> __global__ void k(T *o) {
    o[threadIdx.x * 8] = o[threadIdx.x];
    followed(o);
}
template <class T> __global__ void nobody(T *o) { o[threadIdx.x] = followed(o); }
";
    let scratch = Scratch::new("headers");
    scratch.write("k.cuh", HEADER);
    let of = |name: &str, rest: &str| {
        format!(
            "#include \"k.cuh\"\n__global__ void {name}(int *o) {{ o[threadIdx.x] = 1; }}\n{rest}\n"
        )
    };
    let launch = "void run(float *a) { k<<<1, 32>>>(a); }";
    scratch.write("a.cu", of("a", ""));
    scratch.write("b.cu", of("b", launch));
    scratch.write("c.cu", of("c", "void go(int *o) { c<<<1, 32>>>(o); }"));
    let files = read(&["a.cu", "b.cu", "c.cu"].map(|name| scratch.0.join(name)));
    let options = Options {
        keeps: Retain::Accesses,
        ..Options::default()
    };
    let (kept, gaps) = accesses(&session::analyse(&files, &options));
    let of_k = |line: &&str| line.contains("\"kernel\":\"k\"");
    assert!(kept.lines().any(|line| of_k(&line)), "{kept}");
    let is_known = |line: &str| line.contains("\"instance\":\"<float>\"");
    assert!(kept.lines().filter(of_k).all(is_known), "{kept}");
    assert!(kept.contains("\"kernel\":\"nobody\""), "{kept}");
    assert_eq!(gaps.len(), 2, "{gaps:?}");
}
