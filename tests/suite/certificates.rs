//! Certificates are claims that anyone can check: the solver that is asked here is not the one that
//! is built in.

use crate::cli::cudalint;
use crate::support::{CASES, Mismatches, Scratch, root};
use cudalint::prove::verdict::Status;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// No exact verdict goes without the claim that its address is what the costs were taken from, and no
/// bounded one without any.
#[test]
fn known_verdicts_carry_the_claims_they_rest_on() {
    let mut mismatches = Mismatches::default();
    for case in CASES.iter() {
        let known = case.analysis.accesses.iter();
        let bare = known.filter(|access| {
            let mut claims = access.verdict.certificate.iter();
            match access.verdict.status {
                Status::Exact => !claims.any(|claim| claim.kind.starts_with("offsets")),
                Status::Bounded => claims.next().is_none(),
                _ => false,
            }
        });
        let problems: Vec<String> = bare
            .map(|access| format!("{} has no such claim", case.at(access.site.span)))
            .collect();
        mismatches.file(&case.name, &problems);
    }
    mismatches.finish();
}

/// Every obligation of the fixtures, as `--certificates` writes it, is answered as it says by the
/// `z3` command, where there is one.
#[test]
fn another_solver_agrees() {
    if Command::new("z3").arg("-version").output().is_err() {
        eprintln!("no `z3` command here: certificates are not checked again");
        return;
    }
    let scratch = Scratch::new("certificates");
    let folder = scratch.0.join("claims");
    let fixtures = root().join("fixtures");
    let output = cudalint(&[
        "accesses",
        "--no-cache",
        "--certificates",
        &folder.to_string_lossy(),
        &fixtures.to_string_lossy(),
    ]);
    assert!(output.status.code().is_some_and(|code| code < 2));
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the certificates")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 200, "{} certificates", paths.len());

    let mut expected = Vec::new();
    let mut script = String::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a certificate");
        let said = text
            .split_once("(set-info :status ")
            .and_then(|(_, rest)| rest.split_once(')'))
            .map(|(status, _)| status.to_owned());
        expected.push(said.expect("an expected answer"));
        script.push_str(&text);
        script.push_str("(reset)\n");
    }
    let mut z3 = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 starts");
    let mut stdin = z3.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || stdin.write_all(script.as_bytes()));
    let output = z3.wait_with_output().expect("z3 ends");
    writer.join().expect("no panic").expect("z3 reads");
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), expected.len(), "{answers:?}");
    for ((path, expected), answer) in paths.iter().zip(&expected).zip(answers) {
        // What the other solver cannot decide in its time says nothing against the claim.
        assert!(
            answer == expected || answer == "unknown",
            "{}: {answer}, not {expected}",
            path.display()
        );
    }
}
