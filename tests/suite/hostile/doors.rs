//! Everything else that is read: configurations, tables, lists of files, messages. One sentence at
//! worst, and soon.

use super::{bounded, run_bounded};
use crate::cli::{code, stderr, stdout};
use crate::support::Scratch;
use std::io::Write as _;
use std::process::Stdio;

const DEEP: usize = 100_000;

/// Runs, and gives the exit code with how many lines of complaint there were, none of them a panic.
fn ends(scratch: &Scratch, arguments: &[&str]) -> (i32, usize) {
    let output = run_bounded(&scratch.0, arguments);
    let told = stderr(&output);
    assert!(!told.contains("panicked"), "{arguments:?}: {told}");
    (code(&output), told.lines().count())
}

#[test]
fn configurations_that_mean_harm() {
    let scratch = Scratch::new("hostile-config");
    scratch.write("k.cu", super::HEALTHY);
    let nested =
        |open: &str, close: &str| format!("a = {}{}", open.repeat(DEEP), close.repeat(DEEP));
    for text in [
        nested("[", "]"),
        nested("{ a = ", "}"),
        "a.".repeat(DEEP) + "a = 1",
        format!("[{}a]", "a.".repeat(DEEP)),
        "[lint]\n".repeat(DEEP),
        "\0\u{feff}=\"".to_owned(),
        format!("arch = \"{}\"", "sm_".repeat(DEEP)),
        format!("defines = [{}]", "\"X=1\", ".repeat(DEEP)),
        "[[launch]]\nkernel = \"*\"\nblock = [99999999999999999999]".to_owned(),
        "[[launch]]\nkernel = \"*\"\nblock = [0, 0, 0]".to_owned(),
        "[[launch]]\nkernel = \"[[[***{{{\"\nblock = 32".to_owned(),
        format!("exclude = [\"{}\"]", "{a,b}".repeat(2000)),
        format!("exclude = [\"{}\"]", "**/".repeat(2000)),
        "[thresholds]\nways = -1".to_owned(),
    ] {
        scratch.write("cudalint.toml", &text);
        let (code, lines) = ends(&scratch, &["check", "--exit-zero", "--no-cache", "k.cu"]);
        assert!(
            code == 0 || (code, lines) == (2, 1),
            "{code}, {lines} lines: {text:.60}"
        );
    }
}

#[test]
fn tables_that_mean_harm() {
    let scratch = Scratch::new("hostile-tables");
    scratch.write("k.cu", super::HEALTHY);
    let header = "space,op,width_bytes,active_mask,lane0\n";
    for text in [
        String::new(),
        ",".repeat(10_000_000),
        "\"".repeat(1_000_001),
        format!(
            "{header}{}",
            "shared,load,4,0xffffffff,99999999999999999999999\n".repeat(1000)
        ),
        format!("{header}shared,load,18446744073709551615,-1,-1\n"),
        format!("{header}global,load,16,0xffffffff,18446744073709551615\n"),
        "\u{feff}\0\r\r\n\n\"\r".to_owned(),
    ] {
        scratch.write("t.csv", &text);
        let (code, _) = ends(&scratch, &["cost", "t.csv"]);
        assert!((0..=2).contains(&code), "{code}: {text:.60}");
        let (code, lines) = ends(&scratch, &["compare", "t.csv", "k.cu"]);
        assert_eq!((code, lines), (2, 1), "{text:.60}");
    }
}

#[test]
fn documents_that_mean_harm() {
    let scratch = Scratch::new("hostile-json");
    scratch.write("k.cu", super::HEALTHY);
    let deep = format!("{}1{}", "[".repeat(DEEP), "]".repeat(DEEP));
    for text in [
        deep.as_str(),
        "",
        "{",
        "[{}]",
        "[{\"directory\":1}]",
        "\u{feff}[]",
        "null",
    ] {
        scratch.write("compile_commands.json", text);
        scratch.write("baseline.json", text);
        let (code, lines) = ends(&scratch, &["check", "-p", "compile_commands.json"]);
        assert_eq!((code, lines), (2, 1), "{text:.60}");
        let (code, lines) = ends(&scratch, &["check", "--baseline", "baseline.json", "k.cu"]);
        assert_eq!((code, lines), (2, 1), "{text:.60}");
        ends(&scratch, &["validate", "compare", "baseline.json"]);
    }
}

#[test]
fn reports_that_mean_harm() {
    let scratch = Scratch::new("hostile-reports");
    let sarif = |runs: &str| format!("{{\"version\":\"2.1.0\",\"runs\":{runs}}}");
    let parts =
        |shard: &str| format!("{{\"schema\":\"cudalint.findings/1\",\"shard\":\"{shard}\"}}");
    for text in [
        sarif("[]"),
        sarif("[1]"),
        sarif("[{}]"),
        sarif("[{\"results\":{}}]"),
        sarif("[{\"results\":[],\"invocations\":{}}]"),
        sarif("[{\"results\":[],\"invocations\":[]}]"),
        sarif("[{\"results\":[],\"invocations\":[3]}]"),
        parts("1/4294967295"),
        parts("0/0"),
    ] {
        scratch.write("r.json", &text);
        let output = run_bounded(&scratch.0, &["merge", "r.json"]);
        let said = stderr(&output);
        let is_refused = code(&output) == 2 && said.lines().count() == 1 && said.len() < 400;
        assert!(is_refused || text == parts("0/0"), "{text}: {said}");
    }
    // Members of other kinds than ours are kept as they are.
    let keys = "{\"named\":\"a\",\"array\":\"a\",\"call\":\"a\",\"family\":\"a\",\"line\":\"a\"}";
    let words = "{\"file\":\"a\",\"line\":1,\"message\":\"m\",\"notes\":[],\"fixes\":[{\"title\":\"t\",\"is_edit\":true}]}";
    let cause = format!("{{\"keys\":{keys},\"weight\":1,\"fingerprint\":\"zz\",\"text\":{words}}}");
    for text in [
        "{\"schema\":\"cudalint.findings/1\",\"findings\":[1,null,\"x\"],\"notes\":3,\"summary\":[]}".to_owned(),
        sarif("[{\"results\":[1,null,{\"properties\":3}],\"properties\":2}]"),
        sarif(&format!("[{{\"results\":[{{\"message\":1,\"partialFingerprints\":[],\"properties\":{{\"cause\":{cause}}}}}]}}]")),
        format!("{{\"schema\":\"cudalint.findings/1\",\"findings\":[{{\"notes\":1,\"fixes\":2,\"cause\":{cause}}}]}}"),
    ] {
        scratch.write("r.json", &text);
        let output = run_bounded(&scratch.0, &["merge", "r.json"]);
        assert_eq!(code(&output), 0, "{text}: {}", stderr(&output));
    }
}

#[test]
fn arguments_that_mean_harm() {
    let scratch = Scratch::new("hostile-arguments");
    scratch.write("k.cu", super::HEALTHY);
    scratch.write("loop.txt", "@loop.txt\n");
    let long = "x".repeat(100_000);
    for arguments in [
        &["check", "--no-cache", "-D", long.as_str(), "k.cu"][..],
        &["check", "--no-cache", "-D", "F(x=1", "k.cu"],
        &["check", "--no-cache", "-I", long.as_str(), "k.cu"],
        &["check", "--no-cache", "-j", "99999999999999999999", "k.cu"],
        &["check", "--no-cache", "--arch", long.as_str(), "k.cu"],
        &["check", "[[[", "k.cu"],
        &["@loop.txt"],
        &["explain", "k.cu:99999999999999999999"],
        &["explain", "k.cu:2:4294967295"],
        &["explain", ":::"],
    ] {
        let (code, _) = ends(&scratch, arguments);
        assert!((0..=2).contains(&code), "{arguments:?}");
    }
}

#[test]
fn messages_that_mean_harm() {
    let deep = format!("{}1{}", "[".repeat(DEEP), "]".repeat(DEEP));
    let whole = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    for bytes in [
        whole(&deep),
        whole(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{deep}}}"
        )),
        "x".repeat(50_000_000),
        "Content-Length: 99999999999999999999999\r\n\r\n".to_owned(),
        "Content-Length: 250000000\r\n\r\nshort".to_owned(),
        "Content-Length: -1\r\n\r\n".repeat(1000),
    ] {
        let mut server = bounded(&std::env::temp_dir(), &["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server");
        let mut input = server.stdin.take().expect("an input");
        // The server may be gone before everything is written.
        let writer = std::thread::spawn(move || {
            let _ = input.write_all(bytes.as_bytes());
        });
        let output = server.wait_with_output().expect("an end");
        writer.join().expect("the writer");
        assert_eq!(output.status.code(), Some(1), "no goodbye was said");
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        assert!(stdout(&output).len() < 1_000_000);
    }
}
