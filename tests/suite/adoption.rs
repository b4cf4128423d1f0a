//! What teams adopt the tool with: comments, baselines, changed code, other inputs, reports.

use crate::cli::{EXAMPLE, code, cudalint, cudalint_in, git, snapshot, stderr, stdout};
use crate::support::{Scratch, root};
use serde_json::Value;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Stores, one a line, with these strides.
fn kernel(strides: &[u32]) -> String {
    let lines: Vec<String> = strides
        .iter()
        .map(|stride| format!("    x[{stride} * threadIdx.x] = 0.0f;\n"))
        .collect();
    format!(
        "__global__ void k(float *x) {{\n{}}}\nvoid run(float *x) {{ k<<<1, 128>>>(x); }}\n",
        lines.concat()
    )
}

/// `file:line` and code of each finding.
fn found(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let arguments = [&["check", "--format", "jsonl"], arguments].concat();
    let output = cudalint_in(folder, &arguments);
    assert_ne!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| {
            let finding: Value = serde_json::from_str(line).expect("JSON");
            let text = |key: &str| finding[key].as_str().unwrap_or("").to_owned();
            format!("{}:{} {}", text("file"), finding["line"], text("code"))
        })
        .collect()
}

#[test]
fn comments_accept_findings_and_needless_ones_are_removed() {
    let scratch = Scratch::new("allow");
    let text = kernel(&[2, 1, 4]);
    let text = text.replace(
        "] = 0.0f;\n    x[1 ",
        "] = 0.0f; // cudalint: allow(CL2): once\n    x[1 ",
    );
    let text = text.replace(
        "    x[1",
        "    // cudalint: allow(uncoalesced-access)\n    x[1",
    );
    scratch.write("a.cu", &text);
    let none = ["a.cu:3 CL002", "a.cu:5 CL201"];
    assert_eq!(found(&scratch.0, &["a.cu"]), none);
    let output = cudalint_in(&scratch.0, &["--fix", "--select", "CL002", "a.cu"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, "1 fixed\n"));
    assert_eq!(found(&scratch.0, &["a.cu"]), ["a.cu:4 CL201"]);

    let output = cudalint_in(&scratch.0, &["check", "--add-allow=known", "a.cu"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).ends_with("no findings, 2 accepted\n"));
    let written = "    // cudalint: allow(uncoalesced-access): known\n    x[4";
    assert!(scratch.read("a.cu").contains(written));
    let sarif = cudalint_in(&scratch.0, &["check", "--format", "sarif", "a.cu"]);
    let sarif: Value = serde_json::from_slice(&sarif.stdout).expect("JSON");
    let suppressions: Vec<&Value> = sarif["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| &result["suppressions"][0]["justification"])
        .collect();
    assert_eq!(suppressions, ["once", "known"]);
}

#[test]
fn a_baseline_holds_what_is_known_to_its_degree() {
    let scratch = Scratch::new("baseline");
    scratch.write("src/a.cu", kernel(&[2, 4]));
    let output = cudalint_in(&scratch.0, &["baseline", "write", "src"]);
    assert_eq!(stdout(&output), "2 recorded in cudalint-baseline.json\n");
    scratch.write("cudalint.toml", "baseline = 'cudalint-baseline.json'\n");
    assert_eq!(code(&cudalint_in(&scratch.0, &["src"])), 0);
    // Moved lines are known, in whatever folder the run starts; one more like them is not.
    scratch.write("src/a.cu", format!("\n\n{}", kernel(&[2, 2, 4])));
    assert_eq!(found(&scratch.0.join("src"), &["a.cu"]), ["a.cu:5 CL201"]);

    scratch.write("src/a.cu", kernel(&[2]));
    let output = cudalint_in(&scratch.0, &["baseline", "check", "src"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("1 of 2 recorded findings are gone"));
    let output = cudalint_in(&scratch.0, &["baseline", "prune", "src"]);
    assert_eq!(
        stdout(&output),
        "1 taken out, 1 left in cudalint-baseline.json\n"
    );

    // The same access at a higher degree: the element has grown.
    scratch.write("src/a.cu", kernel(&[2]).replace("float", "double"));
    let output = cudalint_in(&scratch.0, &["src"]);
    assert_eq!(code(&output), 0, "16 of 8 is what 8 of 4 was");
    scratch.write(
        "src/a.cu",
        kernel(&[2]).replace("    x[", "    x += 3 * threadIdx.x;\n    x["),
    );
    let output = cudalint_in(&scratch.0, &["src"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("ratchet: the baseline has 8 per request"));

    scratch.write("cudalint-baseline.json", "{}");
    let output = cudalint_in(&scratch.0, &["src"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (2, 1));
}

#[test]
fn only_changed_code_is_reported() {
    let scratch = Scratch::new("since");
    let folder = &scratch.0;
    git(folder, &["init", "-q", "-b", "main"]);
    scratch.write("a.cu", kernel(&[2]));
    scratch.write("h.cuh", "#define STRIDE 1\n");
    scratch.write(
        "b.cu",
        format!(
            "#include \"h.cuh\"\n{}",
            kernel(&[1]).replace("x[1", "x[STRIDE")
        ),
    );
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "first"]);
    assert_eq!(found(folder, &["--since", "HEAD", "."]), [""; 0]);
    assert_eq!(found(folder, &["--staged"]), [""; 0]);

    scratch.write("a.cu", format!("\n{}", kernel(&[2, 4])));
    git(folder, &["add", "."]);
    // What the index holds counts for --staged, what the disk holds for --since.
    scratch.write("a.cu", format!("\n{}", kernel(&[2, 4, 8])));
    assert_eq!(found(folder, &["--staged"]), ["a.cu:4 CL201"]);
    let since = ["a.cu:4 CL201", "a.cu:5 CL201"];
    assert_eq!(found(folder, &["--since", "main", "."]), since);

    git(folder, &["commit", "-q", "-a", "-m", "second"]);
    git(folder, &["mv", "a.cu", "c.cu"]);
    assert_eq!(found(folder, &["--since", "HEAD"]), [""; 0]);
    // A header changes what includes it.
    scratch.write("h.cuh", "#define STRIDE 2\n");
    assert_eq!(found(folder, &["--since", "HEAD"]), ["b.cu:3 CL201"]);
    let output = cudalint_in(folder, &["--since", "nowhere", "."]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (2, 1));
}

#[test]
fn cuda_in_strings_keeps_its_places() {
    let scratch = Scratch::new("strings");
    scratch.write(
        "a.py",
        "# é\ncode = r'''\nextern \"C\" __global__ void k(float *x) {\n    x[2 * threadIdx.x] = 0;\n}\n'''\n\
         other = \"#define N 4\\n__global__ void m(float *x) { x[N * threadIdx.x] = 0; }\"\n",
    );
    scratch.write(
        "b.cpp",
        "auto s = R\"cuda(\n__global__ void k(float *x) { x[2 * threadIdx.x] = 0; }\n)cuda\";\n",
    );
    let places = ["a.py:4 CL201", "a.py:7 CL201", "b.cpp:2 CL201"];
    assert_eq!(found(&scratch.0, &["--cuda-in-strings", "."]), places);
    let output = cudalint_in(&scratch.0, &["a.py"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--cuda-in-strings"));

    scratch.write(
        "pad.py",
        "k = '''__global__ void t(float *x) {\n    __shared__ float s[32][32];\n\
         \x20   s[threadIdx.y][threadIdx.x] = 0;\n    __syncthreads();\n\
         \x20   x[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];\n}'''\n",
    );
    let flags = ["--cuda-in-strings", "--fix", "--unsafe-fixes", "pad.py"];
    let output = cudalint_in(&scratch.0, &flags);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(scratch.read("pad.py").contains("s[32][33];"));
}

/// A run that is given `text` on its standard input.
fn piped(folder: &Path, arguments: &[&str], text: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cudalint"))
        .current_dir(folder)
        .args(arguments)
        .args(["--no-cache", "--color", "never"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cudalint runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Who refuses to run does not read it.
    let _ = stdin.write_all(text);
    drop(stdin);
    child.wait_with_output().expect("an end")
}

#[test]
fn the_standard_input_is_read_once_and_its_fixed_text_printed() {
    let scratch = Scratch::new("stdin");
    let text = std::fs::read_to_string(root().join(EXAMPLE)).expect("the example");
    let text = text.as_str();
    // The file on disk is older than what an editor holds.
    scratch.write("a.cu", "// old\n");
    let flags = ["check", "--format", "concise", "--stdin-filename", "a.cu"];
    let with = |more: &[&str], text: &str| {
        piped(&scratch.0, &[&flags[..], more].concat(), text.as_bytes())
    };
    let plain = with(&["-"], text);
    assert_eq!(code(&plain), 1);
    assert!(stdout(&plain).contains("a.cu:") && stdout(&plain).contains("CL101"));
    assert_eq!(stdout(&with(&["-", "a.cu", "-"], text)), stdout(&plain));

    let fixed = with(&["--fix", "-"], text);
    let padded = text.replace("tile[TILE][TILE];", "tile[TILE][TILE + 1];");
    assert_ne!(padded, text);
    assert_eq!(stdout(&fixed), padded);
    let left = stdout(&with(&["-"], &padded));
    assert_eq!(
        (code(&fixed), stderr(&fixed)),
        (1, format!("1 fixed\n{left}"))
    );
    assert_eq!(stdout(&with(&["--fix-only", "-"], text)), padded);
    assert!(
        stdout(&with(&["--diff", "-"], text))
            .contains("+    __shared__ float tile[TILE][TILE + 1];")
    );
    assert!(
        stdout(&with(&["--add-allow=known", "-"], text)).contains("allow(bank-conflict): known")
    );
    // Nothing to fix: the text comes back as it was, bytes that are no UTF-8 included.
    let arguments = ["check", "--fix", "--quiet", "-"];
    let latin = b"// caf\xe9\n__global__ void k(float *x) { x[threadIdx.x] = 0; }\n";
    assert_eq!(piped(&scratch.0, &arguments, latin).stdout, latin);
    assert_eq!(scratch.read("a.cu"), "// old\n");
    assert_eq!(code(&with(&["--watch", "-"], text)), 2);
}

#[test]
fn a_compilation_database_gives_files_and_flags() {
    let scratch = Scratch::new("database");
    scratch.write("inc/s.h", "#define STRIDE 2\n");
    scratch.write(
        "src/a.cu",
        "#include <s.h>\n__global__ void k(float *x) { x[STRIDE * M * threadIdx.x] = 0; }\n",
    );
    scratch.write("src/b.cu", kernel(&[2]));
    let database = r#"[
      {"directory": ".", "file": "../src/a.cu",
       "command": "nvcc -I../inc \"-DM=2\" --generate-code=arch=compute_80,code=[sm_80] -O2 -c ../src/a.cu -o a.o"},
      {"directory": ".", "file": "../main.cpp", "arguments": ["c++", "-c", "../main.cpp"]}
    ]"#;
    scratch.write("build/compile_commands.json", database);
    let output = cudalint_in(&scratch.0, &["check", "-p", "build", "--format", "concise"]);
    let said = stdout(&output);
    assert!(said.starts_with("src/a.cu:2:31: CL201"), "{said}");
    assert!(said.contains("16 sectors per request"), "{said}");
    // CMake keeps folders of headers in a file of options.
    scratch.write("build/includes.rsp", "-I../inc -DM=1\n");
    let database = database.replace("-I../inc \\\"-DM=2\\\"", "--options-file includes.rsp");
    assert!(database.contains("includes.rsp"));
    scratch.write("build/compile_commands.json", database);
    let places = ["src/a.cu:2 CL201"];
    assert_eq!(found(&scratch.0, &["-p", "build"]), places);
    let flags = ["-optf", "build/includes.rsp", "-Iinc", "src/a.cu"];
    assert_eq!(found(&scratch.0, &flags), places);
    let output = cudalint_in(&scratch.0, &["check", "-optf", "nowhere.rsp", "src/a.cu"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (2, 1));
    assert_eq!(
        found(&scratch.0, &["-p", "build", "src/b.cu"]),
        ["src/b.cu:2 CL201"]
    );
    let output = cudalint_in(&scratch.0, &["check", "-p", "nowhere"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (2, 1));
}

#[test]
fn patterns_and_argument_files_name_inputs() {
    let scratch = Scratch::new("patterns");
    for name in ["src/a.cu", "src/deep/b.cu", "other/c.cu", "src/gen/d.cu"] {
        scratch.write(name, kernel(&[2]));
    }
    scratch.write("cudalint.toml", "exclude = ['gen/']\n");
    let both = ["src/a.cu:2 CL201", "src/deep/b.cu:2 CL201"];
    assert_eq!(found(&scratch.0, &["src/**/*.cu"]), both);
    assert_eq!(found(&scratch.0, &["src/*.cu"]), both[..1]);
    scratch.write("args", "--select CL2 # which\n'src/a.cu'\n");
    assert_eq!(found(&scratch.0, &["@args"]), both[..1]);
    let output = cudalint_in(&scratch.0, &["none/*.cu"]);
    assert_eq!(code(&output), 2);
}

#[test]
fn settings_are_shown_checked_and_described() {
    let scratch = Scratch::new("settings");
    scratch.write("a.cu", kernel(&[2, 8]));
    scratch.write(
        "cudalint.toml",
        "[lint]\nlevel = 'info'\nmax-warnings = 1\n[thresholds]\nexcessive-sectors = 20\n",
    );
    assert_eq!(found(&scratch.0, &["a.cu"]), ["a.cu:3 CL201"]);
    assert_eq!(code(&cudalint_in(&scratch.0, &["a.cu"])), 0);
    let output = cudalint_in(&scratch.0, &["config", "show"]);
    snapshot("config_show.toml", &stdout(&output));
    let output = cudalint_in(&scratch.0, &["config", "check"]);
    assert_eq!(stdout(&output), "cudalint.toml: valid\n");
    scratch.write("cudalint.toml", "[lint]\nignore = ['bank-conflit']\n");
    let output = cudalint_in(&scratch.0, &["config", "check"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("did you mean `bank-conflict`?"));

    let schema = stdout(&cudalint(&["config", "schema"]));
    let path = root().join("docs/src/cudalint.schema.json");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &schema).expect("the schema");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        kept, schema,
        "BLESS=1 rewrites docs/src/cudalint.schema.json"
    );
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let right = serde_json::json!({ "launch": [{ "kernel": "k", "block": [32, 8] }] });
    let wrong = serde_json::json!({ "lnt": {} });
    assert!(schema.is_valid(&right) && !schema.is_valid(&wrong));
}

#[test]
fn sarif_keeps_to_its_published_schema() {
    let schema = std::fs::read_to_string(root().join("tests/schemas/sarif-2.1.0.json"));
    // The published pattern for languages closes a bracket that it does not open.
    let schema = schema.expect("the schema").replace("{2}]?$", "{2}$");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let accepted = "fixtures/launch/comments_for_the_linter.cu";
    let broken = "fixtures/parse/unclosed_brace.cu";
    let output = cudalint(&[
        "check", "--level", "info", "--format", "sarif", EXAMPLE, accepted, broken,
    ]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let problems: Vec<String> = schema
        .iter_errors(&report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let mut prints: Vec<&str> = report["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|result| result["partialFingerprints"]["cudalint/v1"].as_str())
        .collect();
    let all = prints.len();
    prints.sort_unstable();
    prints.dedup();
    assert!(all > 5 && prints.len() == all, "fingerprints repeat");
}

#[test]
fn fingerprints_survive_moved_lines() {
    let scratch = Scratch::new("fingerprints");
    let prints = |text: &str| {
        scratch.write("a.cu", text);
        let output = cudalint_in(&scratch.0, &["check", "--format", "gitlab", "a.cu"]);
        let issues: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let issues = issues.as_array().expect("a list").clone();
        let print = |issue: &Value| issue["fingerprint"].to_string();
        issues.iter().map(print).collect::<Vec<_>>()
    };
    let text = kernel(&[2, 2]);
    let before = prints(&text);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1]);
    let moved = text.replace("    x[", "        x[");
    assert_eq!(prints(&format!("// above\n\n{moved}")), before);
}

#[test]
fn the_step_summary_is_appended() {
    let scratch = Scratch::new("summary");
    scratch.write("summary.md", "before\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cudalint"));
    command
        .current_dir(root())
        .args(["check", "--format", "github", EXAMPLE])
        .env("GITHUB_STEP_SUMMARY", scratch.0.join("summary.md"));
    assert_eq!(code(&command.output().expect("a run")), 1);
    let written = scratch.read("summary.md");
    let report = stdout(&cudalint(&["check", "--format", "markdown", EXAMPLE]));
    assert_eq!(written, format!("before\n{report}"));
}

#[test]
fn the_page_fetches_nothing_and_its_links_lead_somewhere() {
    let files = [EXAMPLE, "fixtures/shared", "fixtures/parse"];
    let output = cudalint(&[&["check", "--format", "html"][..], &files].concat());
    let page = stdout(&output);
    for outside in ["http://", "https://", " src=", "url(", "@import", "<link"] {
        assert!(!page.contains(outside), "the page contains {outside}");
    }
    let ids: std::collections::BTreeSet<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    // Cards are put together by the page's script, each from a line.
    let lines = page.split_once(" id=\"cards\">").expect("cards").1;
    let lines = lines.split_once("</script>").expect("an end").0;
    let cards = lines.lines().count();
    for target in page.split("href=\"#").skip(1) {
        let target = target.split('"').next().unwrap_or("");
        let is_card = |number: &str| number.parse().is_ok_and(|at: usize| at < cards);
        assert!(
            ids.contains(target) || target.strip_prefix('a').is_some_and(is_card),
            "nothing is called {target}"
        );
    }
    for tag in ["a", "pre", "article", "section", "svg", "table", "details"] {
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        let opened =
            page.matches(&format!("{open} ")).count() + page.matches(&format!("{open}>")).count();
        assert_eq!(opened, page.matches(&close).count(), "{tag}");
    }
    assert!(page.contains("class=hot") && page.contains("class=sector"));
    // What a proof rests on is told once, however often it was claimed.
    for proof in page.split("<dt>proof</dt><dd>").skip(1) {
        let proof = proof.split("</dd>").next().unwrap_or("");
        let lines: Vec<&str> = proof.split("<br>").collect();
        let distinct: std::collections::BTreeSet<&&str> = lines.iter().collect();
        assert_eq!(lines.len(), distinct.len(), "{proof}");
    }
    assert!(page.contains(" claims)"));
}

#[test]
fn no_flag_of_ours_is_taken_for_a_compilers() {
    let mut flags = 0;
    for command in [
        "check", "accesses", "baseline", "cost", "explain", "measure", "compare", "stats",
    ] {
        let help = stdout(&cudalint(&[command, "--help"]));
        let starts = |word: &&str| word.starts_with('-') && word.len() > 1;
        for flag in help
            .split([' ', ',', '\n', '[', '<', '=', '`', ';', '.'])
            .filter(starts)
        {
            // Texts of ours that name flags of a compiler.
            if ["-include", "-arch", "-lineinfo"].contains(&flag)
                || !flag.trim_matches('-').is_ascii()
            {
                continue;
            }
            let kept = cudalint::session::input::nvcc::translate(vec![flag.to_owned()]);
            assert_eq!(kept, [flag], "{command}");
            flags += 1;
        }
    }
    assert!(flags > 60, "{flags}");
}

#[test]
fn timings_name_stages_rules_and_proofs() {
    let output = cudalint(&["check", "--no-cache", "--timings", EXAMPLE]);
    let said = stderr(&output);
    for part in [
        "prove  ",
        " s in CL101 bank-conflict\n",
        " s in the proof of ",
    ] {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
}

#[test]
fn the_command_describes_itself() {
    let said = stdout(&cudalint(&["--version", "--verbose"]));
    for part in ["cudalint 0.", "solver: Z3 4.", "grammar: tree-sitter-cuda"] {
        assert!(said.contains(part), "{said}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let said = stdout(&cudalint(&["completions", shell]));
        assert!(said.contains("cuda-in-strings"), "{shell}");
    }
    let page = stdout(&cudalint(&["man"]));
    assert!(
        page.starts_with(".ie") && page.contains("CUDALINT CHECK"),
        "{page}"
    );
    // It refers to no page that there is not.
    assert!(page.contains("cudalint check") && !page.contains("(1)"));
}

#[test]
fn proofs_of_earlier_runs_change_nothing_but_the_time() {
    let scratch = Scratch::new("cache");
    let example = root().join(EXAMPLE).display().to_string();
    let run = |flags: &[&str]| {
        let arguments = [&["accesses", &example][..], flags].concat();
        stdout(&cudalint_in(&scratch.0, &arguments))
    };
    let fresh = run(&["--no-cache"]);
    assert!(!scratch.0.join("proofs").exists());
    let first = run(&["--cache-dir", "proofs"]);
    assert!(scratch.0.join("proofs/proofs-2").exists());
    assert_eq!((&first, &run(&["--cache-dir", "proofs"])), (&fresh, &fresh));
}
