//! Certificates are claims that anyone can check: the solver that is asked here is not the one that
//! is built in.

use crate::cli::cudalint;
use crate::support::{CASES, Mismatches, Scratch, root};
use cudalint::access::{self, PremiseKind, Walk};
use cudalint::ir::{Kernel, Launch, Program};
use cudalint::prove::claim_kind::ClaimKind;
use cudalint::prove::verdict::{Access, Status};
use cudalint::prove::{self, Prover};
use cudalint::session::{Options, analyse_text};
use cudalint::term::formula::{Formula, Node};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

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
                Status::Exact => !claims.any(|claim| speaks_of_address(claim.kind)),
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

fn speaks_of_address(kind: ClaimKind) -> bool {
    matches!(kind, ClaimKind::Offsets | ClaimKind::OffsetsAndLanes)
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

/// Loops, and the kinds of premises that the access in or behind each rests on.
const LOOPS: &[(&str, &[PremiseKind])] = &[
    (
        "for (int i = threadIdx.x; i < n; i += blockDim.x) s[i & 1023] = 1.0f;",
        &[PremiseKind::ClosedForm, PremiseKind::Mask],
    ),
    (
        "for (int i = 0; i < 12; ++i) s[threadIdx.x * i] = 1.0f;",
        &[PremiseKind::ClosedForm, PremiseKind::TripCount],
    ),
    (
        "int i = 3; while (i * i < 400) i += 2;\ns[threadIdx.x * i] = 1.0f;",
        &[PremiseKind::ClosedForm, PremiseKind::TripCount],
    ),
    (
        "for (int i = 0; i < (n & 7); ++i) s[threadIdx.x * 8 + i] = 1.0f;",
        &[PremiseKind::ClosedForm, PremiseKind::TripCount],
    ),
    (
        "int p = 0; for (int i = 0; i < n; ++i) { p ^= 1; s[p * 64 + threadIdx.x] = 1.0f; }",
        &[PremiseKind::ClosedForm],
    ),
    (
        "for (int i = 64; i > 0; i >>= 1) if (threadIdx.x < i) s[threadIdx.x * 2] = 1.0f;",
        &[PremiseKind::ClosedForm, PremiseKind::TripCount],
    ),
    (
        "for (int i = n & 255; i > 0; i /= 2) s[threadIdx.x + i] = 1.0f;",
        &[PremiseKind::ClosedForm],
    ),
    (
        "for (unsigned i = threadIdx.x; i < 512u; i += 64) s[i * 2] = 1.0f;",
        &[
            PremiseKind::ClosedForm,
            PremiseKind::TripCount,
            PremiseKind::Width,
        ],
    ),
    (
        "unsigned char c = 250; for (int i = 0; i < 9; ++i) { s[c + threadIdx.x] = 1.0f; c += 3; }",
        &[PremiseKind::ClosedForm, PremiseKind::TripCount],
    ),
    (
        "for (int i = 0; i < 8; ++i) { s[threadIdx.x * 8 + i] = 1.0f; if (threadIdx.x == i) break; }",
        &[
            PremiseKind::ClosedForm,
            PremiseKind::TripCount,
            PremiseKind::Mask,
        ],
    ),
];

/// The program of a kernel with this body.
fn program_of(body: &str) -> Program {
    let text = format!(
        "__global__ void k(int n) {{\n__shared__ float s[4096];\n{body}\n}}\n\
         void f(int n) {{ k<<<1, 64>>>(n); }}\n"
    );
    let options = Options {
        reads_disk: false,
        ..Options::default()
    };
    analyse_text("k.cu", text, &options).program
}

/// The accesses of a program whose walk was changed.
fn proved(program: &Program, change: &(dyn Fn(&mut Walk) + Sync)) -> Vec<Access> {
    let prover = Prover::new(prove::Options::default());
    let walk = |kernel: &Kernel, launch: &Launch| {
        let mut walk = access::walk(program, kernel, launch);
        change(&mut walk);
        Arc::new(walk)
    };
    prover.analyse_walked(program, &walk).0
}

fn walk_of(program: &Program) -> Walk {
    let kernel = &program.kernels[0];
    access::walk(program, kernel, &prove::launches(kernel)[0])
}

fn are_known(accesses: &[Access]) -> bool {
    !accesses.is_empty() && accesses.iter().all(|access| access.verdict.is_known())
}

/// What a walk takes for granted is named in the certificate, and nothing is known without it.
#[test]
fn no_premise_of_a_walk_can_be_dropped() {
    for (body, kinds) in LOOPS {
        let program = program_of(body);
        let premises = walk_of(&program).premises;
        let accesses = proved(&program, &|_| {});
        assert!(are_known(&accesses), "{body}: {accesses:?}");
        for kind in *kinds {
            let is_stated = premises.iter().any(|premise| premise.kind == *kind);
            assert!(is_stated, "{body}: {kind:?} is not stated");
            let is_named = |access: &Access| {
                let mut claims = access.verdict.certificate.iter();
                claims.any(|claim| claim.kind == ClaimKind::Premise(*kind))
            };
            assert!(accesses.iter().all(is_named), "{body}: {kind:?}");
        }
        for (at, premise) in premises.iter().enumerate() {
            let left = proved(&program, &|walk| walk.premises[at].claim = None);
            let unknown = |access: &Access| access.verdict.status == Status::Unknown;
            assert!(left.iter().all(unknown), "{body}: {premise:?}");
            let left = proved(&program, &|walk| walk.premises.truncate(at));
            assert!(left.iter().all(unknown), "{body}: up to {premise:?}");
        }
    }
}

/// The formula with one number of its own changed in one place, a little or beyond its type, for each such place.
fn slips(formula: &Formula) -> Vec<Formula> {
    let mut found = Vec::new();
    for (at, node) in formula.nodes.iter().enumerate() {
        let Node::Binary(op, a, b) = *node else {
            continue;
        };
        let places = [(true, a), (false, b)].into_iter();
        let by = |(left, part)| [1, -1, 1 << 32].map(|by| (left, part, by));
        for (left, part, by) in places.flat_map(by) {
            let Node::Number(value) = formula.nodes[part as usize] else {
                continue;
            };
            // The other number comes first, so that it stands before what has it as a part.
            let mut wrong = formula.clone();
            wrong.nodes = std::iter::once(Node::Number(value + by))
                .chain(formula.nodes.iter().map(moved))
                .collect();
            wrong.nodes[at + 1] = match left {
                true => Node::Binary(op, 0, b + 1),
                false => Node::Binary(op, a + 1, 0),
            };
            for condition in wrong.given.iter_mut().chain(&mut wrong.claims) {
                *condition += 1;
            }
            found.push(wrong);
        }
    }
    found
}

/// The same operation one place further on.
fn moved(node: &Node) -> Node {
    match node.clone() {
        Node::Binary(op, a, b) => Node::Binary(op, a + 1, b + 1),
        Node::Not(a) => Node::Not(a + 1),
        Node::Select(c, a, b) => Node::Select(c + 1, a + 1, b + 1),
        Node::Wrap(ty, a) => Node::Wrap(ty, a + 1),
        Node::Table(a, values) => Node::Table(a + 1, values),
        leaf => leaf,
    }
}

/// A premise that says another number than the text is refuted, and the verdict with it.
#[test]
fn premises_that_are_wrong_are_refuted() {
    for (body, _) in LOOPS {
        let program = program_of(body);
        for (at, premise) in walk_of(&program).premises.iter().enumerate() {
            let formula = premise.claim.as_ref().expect("a claim");
            let refutes = |wrong: Formula| {
                let wrong = Arc::new(wrong);
                let found = proved(&program, &|walk| {
                    walk.premises[at].claim = Some(wrong.clone());
                    walk.premises[at].unwrapped = None;
                });
                found.iter().all(|access| {
                    let verdict = &access.verdict;
                    verdict.status == Status::Unknown && verdict.reason.contains("refuted")
                })
            };
            let mut wrong = slips(formula).into_iter();
            assert!(wrong.any(refutes), "{body}: {premise:?}");
        }
    }
}

/// A lane that failed one test is gone, though it would pass the next by another number.
#[test]
fn lanes_that_left_pass_no_later_test() {
    let body = "for (int i = 0, q = n & 31; threadIdx.x != q && i < 6; i++, q = (q * 5 + n) & 31)\n\
                s[threadIdx.x * 32] = 1.0f;";
    let accesses = proved(&program_of(body), &|_| {});
    let bounds = accesses.iter().map(|access| access.bounds());
    let bounds: Vec<_> = bounds.map(|one| (one.status, one.min, one.max)).collect();
    assert_eq!(bounds, [(Status::Bounded, 1, 32)]);
}
