//! What a source, a name or a path says in a report does nothing but stand there.

#![cfg(unix)]

use crate::cli::{FORMATS, code, cudalint_in, stderr, stdout};
use crate::support::Scratch;

/// Escape, a C1 control, a bidirectional override, an isolate, a bell; what takes no room: blanks of no width,
/// joiners, a soft hyphen, a byte order mark, fillers, tags, what is no character.
const UNSEEN: &str = "\u{1b}[31m\u{9b}2J\u{202e}\u{2066}\u{7}\u{200b}\u{200d}\u{ad}\u{2060}\u{feff}\u{3164}\u{2800}\u{e0041}\u{fff9}\u{fffe}";

fn source() -> String {
    format!(
        "// {UNSEEN}\n// cudalint: allow(`{UNSEEN}`![x](http://e.vil/x.png)<img src=x onerror=alert(1)>|@everyone`)\n\
         // cudalint: nonsense ##[error]pwned ##vso[task.complete result=Failed] ##teamcity[buildStop]\n\
         __global__ void k(float *x) {{ x[/* {UNSEEN} ::error::pwned */ 2 * threadIdx.x] = 0.0f; }} // {UNSEEN}\n\
         #include \"{UNSEEN}.h\"\n#error {UNSEEN}\n\
         __global__ void l(float *x) {{ x[2 *\n::error::pwned /* ::error::pwned */ threadIdx.x] = 0.0f; }}\n\
         void run(float *x) {{ k<<<1, 128>>>(x); }}\n\
         // cudalint: allow(x`![x](http://e.vil/x.png)<img src=x onerror=alert(1)> @everyone`)\n"
    )
}

/// No byte acts on a terminal, no line on a service that runs us.
fn is_harmless(text: &str, by_itself: &str) {
    for c in text.chars() {
        let acts = c.is_control() && !"\n\t".contains(c)
            || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
                | '\u{ad}' | '\u{feff}' | '\u{3164}' | '\u{2800}' | '\u{e0000}'..='\u{e007f}' | '\u{fff9}' | '\u{fffe}');
        assert!(!acts, "{by_itself}: {c:?} in {text}");
    }
    assert!(
        ["##[", "##vso[", "##teamcity["]
            .iter()
            .all(|command| !text.contains(command)),
        "{by_itself}: {text}"
    );
    for line in text.lines() {
        let line = line.trim_start();
        let ours = by_itself == "github"
            && ["::warning file=", "::error file=", "::notice file="]
                .iter()
                .any(|start| line.starts_with(start));
        assert!(!line.starts_with("::") || ours, "{by_itself}: {line}");
    }
}

#[test]
fn nothing_in_a_report_acts() {
    let scratch = Scratch::new("escapes");
    let names = [
        "plain.cu".to_owned(),
        "::error file=x::pwned.cu".to_owned(),
        "new\n::error::line.cu".to_owned(),
        format!("unseen{UNSEEN}.cu"),
        "`tick`|<b>&\"'@all.cu".to_owned(),
        "##teamcity[buildStop comment='x'].cu".to_owned(),
        "javascript:alert(1).cu".to_owned(),
        "=cmd|' C calc'!A0.cu".to_owned(),
    ];
    for name in &names {
        scratch.write(name, source());
    }
    for format in FORMATS {
        for colour in ["never", "always"] {
            let arguments = [
                "check",
                "--no-cache",
                "-v",
                "--level",
                "info",
                "--color",
                colour,
                "--format",
                format,
                ".",
            ];
            let output = cudalint_in(&scratch.0, &arguments);
            assert_eq!(code(&output), 1, "{format}: {}", stderr(&output));
            is_harmless(&stdout(&output), format);
            is_harmless(&stderr(&output), "standard error");
            assert!(stdout(&output).contains("uncoalesced"), "{format}");
        }
    }
    for arguments in [
        &["accesses", "--no-cache", "."][..],
        &["stats", "--no-cache", "."],
        &["explain", "plain.cu:4"],
        &["launches", "--no-cache", "."],
        &["accesses", "--no-cache", "--format", "text", "."],
        &[
            "baseline",
            "write",
            "--no-cache",
            "--baseline",
            "unseen\u{1b}[2J.json",
            ".",
        ],
        &[
            "baseline",
            "prune",
            "--no-cache",
            "--baseline",
            "unseen\u{1b}[2J.json",
            ".",
        ],
    ] {
        is_harmless(&stdout(&cudalint_in(&scratch.0, arguments)), arguments[0]);
    }
    let table = "space,op,width_bytes,active_mask,".to_owned()
        + &(0..32)
            .map(|lane| format!("lane{lane}"))
            .collect::<Vec<_>>()
            .join(",");
    let row = |space: &str| format!("\n\"{space}\",load,4,0xf{}", ",0".repeat(32));
    scratch.write("table.csv", table + &row(UNSEEN) + &row("\n::error::pwned"));
    let output = cudalint_in(&scratch.0, &["cost", "table.csv"]);
    assert!(
        stdout(&output).contains("line 2: space is"),
        "{}",
        stdout(&output)
    );
    is_harmless(&stdout(&output), "cost");
    for name in ["none\u{1b}[2J.cu", "none\n::error::x.cu"] {
        let output = cudalint_in(&scratch.0, &[name]);
        is_harmless(&stderr(&output), "standard error");
        assert_eq!(stderr(&output).lines().count(), 1);
    }
}

#[test]
fn machines_read_names_as_they_are() {
    let scratch = Scratch::new("escapes-json");
    let name = format!("unseen{UNSEEN}\nline.cu");
    scratch.write(&name, source());
    let output = cudalint_in(
        &scratch.0,
        &["check", "--no-cache", "--format", "json", "."],
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["findings"][0]["file"], name.as_str());
}

#[test]
fn markup_of_a_source_is_text() {
    let scratch = Scratch::new("escapes-markup");
    scratch.write("a.cu", source());
    let said = |format: &str| {
        let output = cudalint_in(
            &scratch.0,
            &[
                "check",
                "--no-cache",
                "--level",
                "info",
                "--format",
                format,
                ".",
            ],
        );
        stdout(&output)
    };
    // Of GitLab's only the bodies are Markdown.
    let issues: serde_json::Value = serde_json::from_str(&said("gitlab")).expect("JSON");
    let bodies = issues.as_array().expect("a list").iter();
    let bodies: Vec<&str> = bodies
        .filter_map(|issue| issue["content"]["body"].as_str())
        .collect();
    let table = said("markdown");
    assert!(table.contains("onerror"), "{table}");
    for line in [table, bodies.join("\n")].join("\n").lines() {
        // Every second part is code; no code goes on in the next line.
        let words = line.replace("\\`", "");
        let words: String = words.split('`').step_by(2).collect();
        for markup in ["<img", "![x](", "@everyone"] {
            assert!(!words.contains(markup), "{line}");
        }
    }
    for format in ["html", "junit", "checkstyle"] {
        assert!(!said(format).contains("<img"), "{format}");
    }
}

/// A patch holds lines of the source as they are; around it a log is told to take none of them for a command.
#[test]
fn a_patch_in_a_log_commands_nothing() {
    let scratch = Scratch::new("patch-log");
    let text = std::fs::read_to_string(crate::support::root().join(crate::cli::EXAMPLE))
        .expect("the example");
    let text = text.replacen(
        "__shared__ float",
        "/*\n::stop-commands::mine\n*/ __shared__ float",
        1,
    );
    scratch.write("a.cu", &text);
    let arguments = ["check", "--no-cache", "--diff", "--select", "CL101", "a.cu"];
    let plain = stdout(&cudalint_in(&scratch.0, &arguments));
    assert!(
        plain.starts_with("--- ") && plain.contains(" ::stop-commands::mine"),
        "{plain}"
    );
    let output = std::process::Command::new(crate::support::program())
        .args(arguments)
        .current_dir(&scratch.0)
        .env("GITHUB_ACTIONS", "true")
        .output()
        .expect("the binary");
    let logged = stdout(&output);
    let lines: Vec<&str> = logged.lines().collect();
    let word = lines[0].strip_prefix("::stop-commands::").expect("silence");
    assert_eq!(*lines.last().expect("lines"), format!("::{word}::"));
    assert_eq!(lines[1..lines.len() - 1].join("\n") + "\n", plain);
    assert!(!plain.contains(word));
    // Such lines do no harm to who applies it.
    scratch.write("patch", &logged);
    let applied = std::process::Command::new("git")
        .args(["apply", "--unsafe-paths", "patch"])
        .current_dir(&scratch.0)
        .status();
    assert!(applied.is_ok_and(|status| status.success()));
    assert_ne!(scratch.read("a.cu"), text);
}
