//! Runs in parts: what they find together is what one run finds; and a cache that is only read.

use crate::cli::{code, cudalint_in, refused, stderr, stdout};
use crate::support::Scratch;
use serde_json::Value;

const LIBRARY: &str = "__global__ void tile(float *o) {\n    __shared__ float t[32][32];\n    t[threadIdx.x][threadIdx.y] = o[threadIdx.x];\n    __syncthreads();\n    o[threadIdx.x * 32] = t[threadIdx.y][threadIdx.x];\n}\n";
const CALLER: &str =
    "__global__ void tile(float *o);\nvoid run(float *o) { tile<<<1, dim3(32, 8)>>>(o); }\n";

/// Files that stand alone, one that cannot be read, and a kernel that another file launches.
fn project(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for at in 0..7 {
        let text = format!(
            "__global__ void alone_{at}(float *o, const float *i) {{\n    o[threadIdx.x] = i[threadIdx.x * {}];\n}}\nvoid go_{at}(float *o, float *i) {{ alone_{at}<<<1, 64>>>(o, i); }}\n{}",
            // The first are of one family.
            if at < 4 { 9 } else { at },
            "// A comment.\n".repeat(at)
        );
        scratch.write(&format!("src/alone_{at}.cu"), text);
    }
    scratch.write("src/library.cu", LIBRARY);
    scratch.write("src/z_caller.cu", CALLER);
    scratch.write(
        "src/broken.cu",
        "__global__ void broken(float *o) { o[0] = 1 + ; }\n",
    );
    scratch.write("src/accepted.cu", "__global__ void known(float *o) {\n    // cudalint: allow(uncoalesced-access): by design\n    o[threadIdx.x * 9] = 1;\n}\nvoid k(float *o) { known<<<1, 32>>>(o); }\n");
    scratch
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn parts_put_together_are_the_whole() {
    let scratch = project("shards");
    let run = |arguments: &[&str]| cudalint_in(&scratch.0, arguments);
    for (format, parts) in [("json", 3), ("sarif", 4)] {
        let file = |part: &str| format!("{format}-{}", part.replace('/', "-of-"));
        let check = |part: &str| {
            let output = format!("{format}={}", file(part));
            let arguments = [
                "check", "--level", "info", "--shard", part, "--output", &output, "src",
            ];
            let output = run(&arguments);
            assert!(code(&output) < 2, "{}", stderr(&output));
            scratch.read(&file(part))
        };
        let mut names = Vec::new();
        let mut with_findings = 0;
        for part in 1..=parts {
            let part = format!("{part}/{parts}");
            let report = check(&part);
            with_findings +=
                usize::from(report.contains("CL201: ") || report.contains("uncoalesced-access\""));
            // Where the launch is, the kernel is as well.
            let (caller, kernel) = (
                report.contains("line 2 of src/z_caller.cu"),
                report.contains("src/library.cu"),
            );
            assert!(!caller || kernel, "{report}");
            names.push(file(&part));
        }
        assert!(with_findings > 1, "all findings are in one part");
        let arguments = ["check", "--level", "info", "--format", format, "src"];
        let whole = run(&arguments);
        // In whatever order the parts come.
        names.reverse();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let merged = run(&[&["merge"][..], &names].concat());
        assert_eq!((code(&whole), code(&merged)), (1, 1), "{}", stderr(&merged));
        let (merged, whole) = (value(&stdout(&merged)), value(&stdout(&whole)));
        assert!(merged == whole, "{format}:\n{merged:#}\nis not\n{whole:#}");

        let output = run(&["merge", names[0]]);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("is missing"),
            "{}",
            stderr(&output)
        );
        check("1/1");
        let output = run(&["merge", "--exit-zero", "--output", "whole", &file("1/1")]);
        assert_eq!((code(&output), stdout(&output).as_str()), (0, ""));
        assert_eq!(value(&scratch.read("whole")), whole);
    }

    // A part lists each finding; those of one cause stand in several parts.
    let plain = value(&stdout(&run(&[
        "check", "--format", "json", "--level", "info", "src",
    ])));
    let part = value(&scratch.read("json-1-of-1"));
    assert_eq!(plain["summary"], part["summary"]);
    assert_eq!(part["shard"], "1/1");
    let siblings = plain["findings"].as_array().expect("a list").iter();
    let siblings = siblings.map(|one| one["siblings"].as_array().map_or(0, Vec::len));
    let (leaders, all) = siblings.fold((0, 0), |(leaders, all), n| (leaders + 1, all + 1 + n));
    assert_eq!(all, part["findings"].as_array().expect("a list").len());
    assert!(leaders < all, "no cause is common to two findings");
}

/// Findings, numbers and what was not analysed, of files with many kernels and headers.
#[test]
fn parts_of_the_fixtures_put_together_are_the_whole() {
    let scratch = Scratch::new("shards-fixtures");
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
    let folders = ["launch", "merged", "sync"].map(|name| format!("{fixtures}/{name}"));
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let run = |arguments: &[&str]| cudalint_in(&scratch.0, &[arguments, &folders].concat());
    for format in ["json", "sarif"] {
        let whole = run(&["check", "--level", "info", "--format", format]);
        let names = ["1/3", "2/3", "3/3"].map(|part| {
            let name = part.replace('/', "-");
            let output = format!("{format}={name}");
            let output = run(&[
                "check", "--level", "info", "--shard", part, "--output", &output,
            ]);
            assert!(code(&output) < 2, "{}", stderr(&output));
            name
        });
        let [first, second, third] = &names;
        let merged = cudalint_in(&scratch.0, &["merge", third, first, second]);
        let (merged, whole) = (value(&stdout(&merged)), value(&stdout(&whole)));
        assert!(merged == whole, "{format}:\n{merged:#}\nis not\n{whole:#}");
    }
}

#[test]
fn what_has_no_parts_is_refused() {
    let scratch = project("shards-refused");
    let said = |arguments: &[&str]| refused(&scratch.0, arguments);
    assert!(said(&["check", "--shard", "3/2", "src"]).contains("such as 1/4"));
    let page = said(&["check", "--shard", "1/2", "--format", "html", "src"]);
    assert!(page.contains("cudalint merge"), "{page}");
    assert!(said(&["check", "--shard", "1/2", "--fix", "src"]).contains("--fix"));
    let record = said(&["baseline", "write", "--shard", "1/2", "src"]);
    assert!(record.contains("no record of the whole"), "{record}");
    assert!(said(&["merge", "src/library.cu"]).contains("src/library.cu"));
}

/// As CI keeps one: filled by one run, mounted for all others.
#[cfg(unix)]
#[test]
fn a_shared_cache_is_read_and_never_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = project("shared-cache");
    let ways = |arguments: &[&str]| -> (usize, String, String) {
        let all = [
            &["check", "--timings", "--format", "json"][..],
            arguments,
            &["src"],
        ]
        .concat();
        let output = cudalint_in(&scratch.0, &all);
        assert!(code(&output) < 2, "{}", stderr(&output));
        let said = stderr(&output);
        let line = said
            .lines()
            .find(|line| line.contains(" ways to an access, "));
        let number = line.and_then(|line| line.split(' ').next()?.parse().ok());
        (number.expect("a number"), stdout(&output), said)
    };
    let (cold, found, _) = ways(&["--cache-dir", "shared"]);
    assert!(cold > 0);
    let shared = scratch.0.join("shared");
    let files = || {
        let mut names: Vec<_> = std::fs::read_dir(shared.join("results-1"))
            .expect("results")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        (
            names,
            std::fs::read(shared.join("proofs-2")).expect("proofs"),
        )
    };
    let before = files();
    for own in [&["--no-cache"][..], &["--cache-dir", "own"]] {
        let again = ways(&[own, &["--shared-cache", "shared"]].concat());
        assert_eq!((again.0, &again.1), (0, &found), "{own:?}");
        // A file that changed is looked at, and kept where this run may write.
        let text = scratch
            .read("src/alone_3.cu")
            .replace("o[threadIdx.x]", "o[threadIdx.x + 1]");
        scratch.write("src/alone_3.cu", text);
        let changed = ways(&[own, &["--shared-cache", "shared"]].concat());
        assert!(0 < changed.0 && changed.0 < cold, "{own:?}: {}", changed.0);
        let text = scratch
            .read("src/alone_3.cu")
            .replace("o[threadIdx.x + 1]", "o[threadIdx.x]");
        scratch.write("src/alone_3.cu", text);
    }
    assert!(files() == before, "the shared cache has changed");
    assert!(scratch.0.join("own/results-1").is_dir());

    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(&shared, open).expect("a mode");
    let (unsafe_ways, same, said) = ways(&["--no-cache", "--shared-cache", "shared"]);
    assert_eq!((unsafe_ways, same), (cold, found));
    assert!(
        said.contains("this shared cache is not used, because everybody may write"),
        "{said}"
    );
}

/// The text that stands in for a library's header has device code, but no findings of its own.
#[test]
fn users_of_one_library_need_not_stay_together() {
    let scratch = Scratch::new("shards-library");
    for at in 0..4 {
        let text = format!(
            "#include <cub/cub.cuh>\n__global__ void k{at}(float *o) {{ o[threadIdx.x * 9] = 1; }}\nvoid go{at}(float *o) {{ k{at}<<<1, 64>>>(o); }}\n"
        );
        scratch.write(&format!("src/a{at}.cu"), text);
    }
    for part in ["1/2", "2/2"] {
        let arguments = ["check", "--shard", part, "--format", "json", "src"];
        let report = value(&stdout(&cudalint_in(&scratch.0, &arguments)));
        let findings = report["findings"].as_array().expect("a list").len();
        assert_eq!((&report["summary"]["files"], findings), (&2.into(), 2));
    }
}

/// One index that strides arrays of unlike elements, one access that stands twice, and fields of unlike sizes of one array are
/// one cause each.
#[test]
fn an_index_is_one_cause_whatever_the_elements_are() {
    let scratch = Scratch::new("causes-elements");
    scratch.write("a.cu", "__global__ void update(float *p, const double *m, int n) {\n    int i = (blockIdx.x * 128 + threadIdx.x) * 6;\n    p[i] = p[i] +\n        m[i];\n}\nvoid run(float *p, const double *m, int n) { update<<<8, 128>>>(p, m, n); }\n");
    scratch.write("b.cu", "__global__ void largest(float *o, const float *in, int c) {\n    int i = blockIdx.x * 128 + threadIdx.x;\n    float m = 0;\n    for (int j = 0; j < c; ++j)\n        if (in[i * c + j] > m)\n            { o[i] = m; m = in[i * c + j]; }\n    o[i] = m;\n}\nvoid run(float *o, const float *in, int c) { largest<<<8, 128>>>(o, in, c); }\n");
    scratch.write("c.cu", "struct Split { double gain; float rest[8]; bool valid; };\n__global__ void best(float *o, const Split *s) {\n    int i = blockIdx.x * 128 + threadIdx.x;\n    o[i] = float(s[i].valid) +\n        s[i].gain;\n}\nvoid run(float *o, const Split *s) { best<<<8, 128>>>(o, s); }\n");
    let output = cudalint_in(&scratch.0, &["check", "--format", "json", "."]);
    let report = value(&stdout(&output));
    let findings = report["findings"].as_array().expect("a list");
    let told: Vec<(&str, usize)> = findings
        .iter()
        .map(|one| {
            let siblings = one["siblings"].as_array().map_or(0, Vec::len);
            (one["file"].as_str().expect("a file"), siblings)
        })
        .collect();
    assert_eq!(told, [("a.cu", 2), ("b.cu", 1), ("c.cu", 1)], "{report:#}");
}

/// What a generator does to one array is decided once, in however many files and ways it writes it.
#[test]
fn generated_files_have_one_cause() {
    let scratch = Scratch::new("causes-generated");
    let write = |folder: &str, head: &str| {
        for (at, index) in ["i * 33 % 1024 * 32", "i * 32 + o[0] * 0"]
            .iter()
            .enumerate()
        {
            let text = format!(
                "{head}\n__global__ void scan_rows_tile_m{at}(int *o) {{\n    __shared__ int work_{at}[1024 * 32];\n    int i = threadIdx.x;\n    work_{at}[{index}] = i;\n    __syncthreads();\n    o[i] = work_{at}[i];\n}}\nvoid run_{at}(int *o) {{ scan_rows_tile_m{at}<<<8, 128>>>(o); }}\n"
            );
            scratch.write(&format!("{folder}/m{at}.cu"), text);
        }
    };
    write("written", "// Two tiles.");
    write("made", "// Generated from a schedule, version 3.");
    let output = cudalint_in(
        &scratch.0,
        &["check", "--select", "CL101", "--format", "json", "."],
    );
    let report = value(&stdout(&output));
    let findings = report["findings"].as_array().expect("a list");
    let told = findings.iter().map(|one| {
        let siblings = one["siblings"].as_array().map_or(0, Vec::len);
        (one["file"].as_str().expect("a file"), siblings)
    });
    let told: Vec<(&str, usize)> = told.collect();
    assert_eq!(
        told,
        [
            ("made/m0.cu", 1),
            ("written/m0.cu", 0),
            ("written/m1.cu", 0)
        ],
        "{report:#}"
    );
}
