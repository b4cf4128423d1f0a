//! Every fix that is offered for a fixture: it changes no value, and does what its title says.
//!
//! Each is applied to the text; the simulator runs the kernel before and after on the fixture's
//! data, and both runs must leave the same memory behind.

use crate::support::{CASES, Case, Mismatches, analysed_with};
use cudalint::finding::{Fix, Safety};
use cudalint::fix::apply;
use cudalint::fixture::{self, FixtureLaunch};
use cudalint::session::{self, Analysis, Options};
use cudalint::sim::{self, FinalBuffer};
use cudalint::source::{FileId, SourceFile};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// A fixture, its fixes without repetition, and the analysis that found them.
struct Fixed {
    case: &'static Case,
    analysis: Analysis,
    fixes: Vec<Fix>,
}

static FIXED: LazyLock<Vec<Fixed>> = LazyLock::new(|| {
    CASES
        .iter()
        .filter(|case| {
            let findings = &case.analysis.findings;
            findings
                .iter()
                .any(|finding| ["bank-conflict", "uncoalesced-access"].contains(&finding.rule))
        })
        .map(|case| {
            let analysis = analysed_with(&case.name, &case.source.text, &case.fixture, true);
            let mut fixes: Vec<Fix> = Vec::new();
            for fix in analysis.findings.iter().flat_map(|finding| &finding.fixes) {
                if fix.safety != Safety::Advice && !fixes.contains(fix) {
                    fixes.push(fix.clone());
                }
            }
            Fixed {
                case,
                analysis,
                fixes,
            }
        })
        .collect()
});

/// The memory that launches of a fixture leave behind; `None` where one is not simulated.
fn memory(
    case: &Case,
    launches: &[FixtureLaunch],
    analysis: &Analysis,
) -> Option<Vec<Vec<FinalBuffer>>> {
    let mut all = Vec::new();
    for launch in launches {
        let kernel = analysis.program.kernels.iter().find(|kernel| {
            kernel.name == launch.kernel
                && crate::support::without_blanks(&kernel.instance) == launch.template
        })?;
        let concrete = sim::concrete(launch, kernel).ok()?;
        let outcome = sim::run(
            kernel,
            &analysis.program,
            &concrete,
            &case.arch,
            &mut |_| {},
        );
        let outcome = outcome.ok().filter(|outcome| outcome.fault.is_none())?;
        all.push(outcome.buffers);
    }
    Some(all)
}

fn text_after(analysis: &Analysis, fix: &Fix) -> String {
    let (changes, applied) = apply::plan(std::iter::once(fix));
    assert_eq!((changes.len(), applied), (1, 1), "{}", fix.title);
    changes[0].text(&analysis.sources)
}

#[test]
fn fixes_change_no_value() {
    let mut mismatches = Mismatches::default();
    let mut compared = 0;
    for fixed in FIXED.iter().filter(|fixed| fixed.case.is_simulated) {
        let mut problems = Vec::new();
        let launches = &fixed.case.fixture.launches;
        let before = memory(fixed.case, launches, &fixed.analysis);
        for fix in &fixed.fixes {
            let text = text_after(&fixed.analysis, fix);
            let after = analysed_with(&fixed.case.name, &text, &fixed.case.fixture, false);
            // A fix may ask for more dynamic shared memory; carets are of the text before.
            let directives = text.lines().filter(|line| line.starts_with("//@"));
            let directives: Vec<&str> = directives.collect();
            let launches = fixture::read(&directives.join("\n"), FileId(0));
            let launches = launches.expect("directives").launches;
            let after = memory(fixed.case, &launches, &after);
            if before.is_none() || before != after {
                problems.push(format!("another result after `{}`:\n{text}", fix.title));
            }
            compared += 1;
        }
        mismatches.file(&fixed.case.name, &problems);
    }
    mismatches.finish();
    assert!(compared > 10, "only {compared} fixes were compared");
}

#[test]
fn conflicts_have_a_cure_unless_marked() {
    let mut mismatches = Mismatches::default();
    for fixed in FIXED.iter() {
        let titles: Vec<&str> = fixed.fixes.iter().map(|fix| fix.title.as_str()).collect();
        let is_cured = fixed
            .analysis
            .findings
            .iter()
            .filter(|finding| finding.rule == "bank-conflict")
            .all(|finding| {
                let mut fixes = finding.fixes.iter();
                fixes.any(|fix| fix.is_whole)
            });
        let problem = match (is_cured, &fixed.case.fixture.unfixable) {
            (false, None) => format!("conflicts stay: {titles:?}"),
            (true, Some(why)) => format!("has a cure, but is marked: {why}"),
            _ => continue,
        };
        mismatches.file(&fixed.case.name, &[problem]);
    }
    mismatches.finish();
}

#[test]
fn a_second_run_changes_nothing() {
    let mut mismatches = Mismatches::default();
    for fixed in FIXED.iter() {
        let whole = fixed.fixes.iter().filter(|fix| fix.is_whole);
        let mut problems = Vec::new();
        for fix in whole.take(1) {
            let text = text_after(&fixed.analysis, fix);
            let after = analysed_with(&fixed.case.name, &text, &fixed.case.fixture, true);
            let again = after.findings.iter().flat_map(|finding| &finding.fixes);
            let title = |fix: &Fix| fix.title.split(':').next().map(str::to_owned);
            if again
                .clone()
                .any(|other| other.safety != Safety::Advice && title(other) == title(fix))
            {
                problems.push(format!("`{}` is offered again", fix.title));
            }
        }
        mismatches.file(&fixed.case.name, &problems);
    }
    mismatches.finish();
}

/// The titles of the fixes of one fixture, as far as `:`.
fn titles(name: &str) -> Vec<&'static str> {
    let fixed = FIXED.iter().find(|fixed| fixed.case.name == name);
    let fixed = fixed.unwrap_or_else(|| panic!("{name} has no finding"));
    let head = |fix: &'static Fix| fix.title.split([':', ',']).next().unwrap_or("");
    fixed.fixes.iter().map(head).collect()
}

#[test]
fn wrong_indices_change_places_in_square_blocks_only() {
    let exchange = "let `threadIdx.x` and `threadIdx.y` change places in 2 places";
    let square = titles("global/wrong_thread_index_square.cu");
    assert!(square.contains(&exchange), "{square:?}");
    let oblong = titles("global/wrong_thread_index.cu");
    assert!(!oblong.contains(&exchange), "{oblong:?}");
}

/// `buf` costs one wavefront as it is written, whatever `n` is, and two with the indices exchanged; nothing but
/// bounds is known of it.
#[test]
fn indices_stay_where_another_access_might_cost_more() {
    let text = "__global__ void f(double *a, int n) {\n  \
        int t = threadIdx.x + blockDim.x * threadIdx.y, x = threadIdx.x;\n  __shared__ char buf[512];\n  \
        if (t < n) a[4 * (t & 15)] = x;\n  buf[(t * 4 + n) & 511] = 1;\n  a[t] = 1;\n}\n\
        void host(double *a, int n) { f<<<5, dim3(8, 8)>>>(a, n); }\n";
    let path = PathBuf::from("bounds.cu");
    let files = [Arc::new(SourceFile::new(path, text.into()))];
    let options = Options {
        fixes: true,
        ..Options::default()
    };
    let analysis = session::analyse(&files, &options);
    let mut findings = analysis.findings.iter();
    assert!(findings.any(|finding| finding.code == "CL201"));
    let mut fixes = analysis.findings.iter().flat_map(|finding| &finding.fixes);
    let exchange = fixes.find(|fix| fix.title.contains("change places"));
    assert!(exchange.is_none(), "{exchange:?}");
}

#[test]
fn dynamic_arrays_grow_in_their_launch() {
    let titles = titles("shared/dynamic_shared.cu");
    let padded = "pad rows of `32` to `33`";
    assert!(titles.contains(&padded), "{titles:?}");
}

#[test]
fn neighbours_are_loaded_as_a_vector() {
    let titles = titles("global/four_neighbours_one_by_one.cu");
    assert!(
        titles.contains(&"load `in` as `float4` in 1 place"),
        "{titles:?}"
    );
    let halves = self::titles("global/eight_halves_through_a_macro.cu");
    assert!(
        halves.contains(&"load `in` as `float4` in 1 place"),
        "{halves:?}"
    );
}

#[test]
fn structures_are_aligned_to_what_one_access_moves() {
    let titles = titles("global/structure_without_alignment.cu");
    let aligned = |title: &&str| title.starts_with("declare `struct alignas(16) Quaternion`");
    assert!(titles.iter().any(aligned), "{titles:?}");
}

#[test]
fn structures_that_lie_elsewhere_are_not_aligned() {
    for (at, is_aligned) in [("b + 2", true), ("b + 1", false)] {
        let text = format!(
            "struct Pair {{ float x, y; }};\n\
             __global__ void f(Pair *o, const Pair *a) {{\n  \
             Pair p = a[threadIdx.x];\n  p.x += 1;\n  o[threadIdx.x] = p;\n}}\n\
             int main() {{ float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);\n  \
             f<<<1, 64>>>((Pair *)a, (const Pair *)({at})); }}\n"
        );
        let files = [Arc::new(SourceFile::new(
            PathBuf::from("pairs.cu"),
            text.as_str().into(),
        ))];
        let options = Options {
            fixes: true,
            ..Options::default()
        };
        let analysis = session::analyse(&files, &options);
        let mut fixes = analysis.findings.iter().flat_map(|one| &one.fixes);
        let is_offered = fixes.any(|fix| fix.title.starts_with("declare `struct alignas(8) Pair`"));
        assert_eq!(is_offered, is_aligned, "{text}");
    }
}

/// Texts in which more than the place of an element depends on how long a row is.
#[test]
fn rows_whose_length_is_asked_for_are_not_padded() {
    let uses = [
        "float x = s[t][0]; for (int k = 0; k < sizeof(s[0]) / sizeof(float); k++) x = x * 1.5f + 1.0f; o[t] = x;",
        "float x = s[t][0]; for (int k = 0; k < m * (int)(sizeof(s[0]) / 4); k++) x += 1.0f; o[t] = x;",
        "o[t] = s[t][0] / (sizeof(s[0]) / sizeof(float));",
        "o[t] = steps(s, s[t][0]);",
        "o[t] = s[t][0] + columns(s);",
        "float far = &s[1][0] - &s[0][0]; o[t] = s[t][0] * far;",
    ];
    for body in uses {
        let text = format!(
            "template <int N> __device__ float steps(const float (&rows)[32][N], float x) {{\n  \
             for (int k = 0; k < N; k++) x = x * 1.5f + 1.0f;\n  return x;\n}}\n\
             template <int N> __device__ int columns(float (&)[32][N]) {{ return N; }}\n\
             __global__ void f(float *o, const float *g, int m) {{\n  __shared__ float s[32][32];\n  \
             int t = threadIdx.x;\n  for (int i = 0; i < 32; i++) s[i][t] = g[i * 32 + t];\n  \
             __syncthreads();\n  {body}\n}}\n\
             void host(float *o, const float *g, int m) {{ f<<<1, 32>>>(o, g, m); }}\n"
        );
        let path = PathBuf::from("rows.cu");
        let files = [Arc::new(SourceFile::new(path, text.as_str().into()))];
        let analysis = session::analyse(
            &files,
            &Options {
                fixes: true,
                ..Options::default()
            },
        );
        let titles: Vec<&str> = analysis
            .findings
            .iter()
            .flat_map(|finding| &finding.fixes)
            .map(|fix| fix.title.as_str())
            .collect();
        assert!(!titles.is_empty(), "no fix at all for\n{text}");
        assert!(
            !titles.iter().any(|title| title.starts_with("pad ")),
            "{titles:?} for\n{text}"
        );
    }
}

/// Texts that write the length of a row out once more: padded, no compiler would take them.
#[test]
fn rows_whose_type_is_written_out_are_not_padded() {
    let uses = [
        "float (*q)[32] = &s[t]; o[t] = (*q)[0];",
        "float (*q)[32] = nullptr; q = &s[t]; o[t] = (*q)[0];",
        "float (&q)[32] = s[t]; o[t] = q[0];",
        "float (&q)[32][32] = s; o[t] = q[t][0];",
        "o[t] = first(s[t]);",
    ];
    for body in uses {
        let text = format!(
            "__device__ float first(const float (&row)[32]) {{ return row[0]; }}\n\
             __global__ void f(float *o, const float *g) {{\n  __shared__ float s[32][32];\n  \
             int t = threadIdx.x;\n  for (int i = 0; i < 32; i++) s[i][t] = g[i * 32 + t];\n  \
             __syncthreads();\n  {body}\n}}\n\
             void host(float *o, const float *g) {{ f<<<1, 32>>>(o, g); }}\n"
        );
        let path = PathBuf::from("rows.cu");
        let files = [Arc::new(SourceFile::new(path, text.as_str().into()))];
        let options = Options {
            fixes: true,
            ..Options::default()
        };
        let analysis = session::analyse(&files, &options);
        let has_conflict = |rule: &str| rule == "bank-conflict";
        assert!(
            analysis.findings.iter().any(|one| has_conflict(one.rule)),
            "no conflict in\n{text}"
        );
        let fixes = analysis.findings.iter().flat_map(|one| &one.fixes);
        let mut edits = fixes.filter(|fix| fix.safety != Safety::Advice);
        assert!(
            !edits.any(|fix| fix.title.starts_with("pad ")),
            "padded:\n{text}"
        );
    }
}

/// What a launch that is not here may reach has to be read by whoever applies the fix.
#[test]
fn paddings_are_unsafe_where_a_use_is_not_reached() {
    let bodies = [
        ("r += s[t * 2 + 5 & 1023];", Safety::Unsafe),
        ("r += g[t * 2 + 5 & 1023];", Safety::Safe),
        ("float *q = s; r += q[t * 2 + 5 & 1023];", Safety::Unsafe),
    ];
    for (unreached, safety) in bodies {
        let text = format!(
            "__global__ void f(float *g, int n) {{\n  __shared__ float s[1024];\n  \
             int t = threadIdx.x, y = threadIdx.y;\n  s[y * 32 + t] = g[t];\n  __syncthreads();\n  \
             float r = s[t * 32 + y];\n  if (n > 3) {{ {unreached} }}\n  g[y * 32 + t] = r;\n}}\n\
             void host(float *g) {{ f<<<1, dim3(32, 32)>>>(g, 1); }}\n"
        );
        let fixes = fixes_of(&[("use.cu", &text)]);
        let padding = fixes.iter().find(|fix| fix.title.starts_with("pad rows"));
        assert_eq!(padding.map(|fix| fix.safety), Some(safety), "{text}");
    }
}

/// Fixes that take the launches in sight for all there are.
#[test]
fn fixes_are_unsafe_where_launches_may_be_elsewhere() {
    let cases = [
        ("", Safety::Safe),
        (
            "cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096);",
            Safety::Unsafe,
        ),
        (
            "#ifdef WIDE\n  f<<<2, dim3(32, 32), 4096>>>(o, g);\n#endif",
            Safety::Unsafe,
        ),
        ("// f is launched below.", Safety::Safe),
    ];
    for (other, safety) in cases {
        let text = format!(
            "__global__ void f(float *o, const float *g) {{\n  extern __shared__ float s[];\n  \
             int t = threadIdx.x, y = threadIdx.y;\n  s[y * 32 + t] = g[y * 32 + t];\n  \
             __syncthreads();\n  o[y * 32 + t] = s[t * 32 + y];\n}}\n\
             void host(float *o, const float *g) {{\n  {other}\n  \
             f<<<1, dim3(32, 32), 32 * 32 * 4>>>(o, g);\n}}\n"
        );
        let of_unit = fixes_of(&[("use.cu", &text)]);
        let padding = of_unit.iter().find(|fix| fix.title.starts_with("pad rows"));
        assert_eq!(padding.map(|fix| fix.safety), Some(safety), "{text}");
        let host = text.find("void host").expect("the host function");
        let (kernel, host) = text.split_at(host);
        let host = format!("#include \"k.cuh\"\n{host}");
        let of_header = fixes_of(&[("k.cuh", kernel), ("use.cu", &host)]);
        let padding = of_header
            .iter()
            .find(|fix| fix.title.starts_with("pad rows"));
        assert!(
            padding.is_none_or(|fix| fix.safety == Safety::Unsafe),
            "safe, though others may include it:\n{text}"
        );
    }
}

/// Who gets the kernel may launch it with any shared memory.
#[test]
fn no_fix_is_offered_where_a_kernel_leaves() {
    let text = "__global__ void f(float *o, const float *g) {\n  extern __shared__ float s[];\n  \
                int t = threadIdx.x, y = threadIdx.y;\n  s[y * 32 + t] = g[y * 32 + t];\n  \
                __syncthreads();\n  o[y * 32 + t] = s[t * 32 + y];\n}\n\
                void host(float *o, const float *g) {\n  table.push_back((void *)f);\n  \
                f<<<1, dim3(32, 32), 32 * 32 * 4>>>(o, g);\n}\n";
    let fixes = fixes_of(&[("use.cu", text)]);
    let pads = |fix: &&Fix| fix.title.starts_with("pad rows") && fix.safety == Safety::Safe;
    assert_eq!(fixes.iter().filter(pads).count(), 0);
}

/// The fixes of several files that are read together, by title.
fn titles_of(files: &[(&str, &str)]) -> Vec<String> {
    fixes_of(files).into_iter().map(|fix| fix.title).collect()
}

fn fixes_of(files: &[(&str, &str)]) -> Vec<Fix> {
    let file = |(path, text): &(&str, &str)| {
        Arc::new(SourceFile::new(PathBuf::from(path), (*text).into()))
    };
    let files: Vec<Arc<SourceFile>> = files.iter().map(file).collect();
    let options = Options {
        fixes: true,
        ..Options::default()
    };
    let analysis = session::analyse(&files, &options);
    let fixes = analysis.findings.iter().flat_map(|one| &one.fixes);
    fixes.cloned().collect()
}

/// A header has a number in each unit that reads it.
#[test]
fn kernels_of_headers_have_the_fixes_of_others() {
    let header = "__global__ void k(float *out, const float *in) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n  \
                  out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];\n}\n\
                  __global__ void g(float *out, const float *in, int n) {\n  \
                  out[threadIdx.x] = in[threadIdx.x * n + blockIdx.x];\n}\n\
                  inline void launch(float *out, const float *in, int n) {\n  k<<<n, 64>>>(out, in);\n  \
                  g<<<n, 64>>>(out, in, n);\n}\n";
    let unit = |name: &str| {
        format!(
            "#include \"k.cuh\"\nvoid {name}(float *o, const float *i, int n) {{ launch(o, i, n); }}\n"
        )
    };
    let (a, b) = (unit("first"), unit("second"));
    let titles = titles_of(&[("a.cu", &a), ("b.cu", &b), ("k.cuh", header)]);
    let has = |start: &str| titles.iter().any(|title| title.starts_with(start));
    assert!(has("load `in` as `float4` in 1 place"), "{titles:?}");
    assert!(has("declare `in` as `__restrict__ in`"), "{titles:?}");
}

/// How far a launch moves a pointer is for the user to know, as its alignment is; what the kernel adds is not.
#[test]
fn parameters_that_a_launch_moves_have_to_be_aligned() {
    let text = |moved: &str| {
        format!(
            "__global__ void k(float *out, const float *in, int n) {{\n  int i = blockIdx.x * 64 + threadIdx.x;\n  \
             const float *p = in + {moved};\n  out[i] = p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3];\n}}\n\
             void run(float *out, const float *in, int n, int at) {{ k<<<n, 64>>>(out, in + at, n); }}\n"
        )
    };
    let told = |moved: &str| {
        let titles = titles_of(&[("a.cu", &text(moved))]);
        let mut vectors = titles
            .into_iter()
            .filter(|title| title.starts_with("load `in` as `float4`"));
        vectors.next()
    };
    let title = told("0").expect("a vector");
    assert!(
        title.contains("`in` has to be aligned to 16 bytes where it is launched"),
        "{title}"
    );
    assert_eq!(told("n"), None);
}

/// A thread that goes on with what it stored has it in registers, element by element.
#[test]
fn what_is_loaded_again_is_not_stored_wider() {
    let kernel = |after: &str| {
        format!(
            "__global__ void mix(unsigned char *c, int n) {{\n    int i = (blockIdx.x * 256 + threadIdx.x) * 4;\n    c[i] = n;\n    c[i + 1] = n + 1;\n    c[i + 2] = n + 2;\n    c[i + 3] = n + 3;\n{after}}}\nvoid run(unsigned char *c, int n) {{ mix<<<8, 256>>>(c, n); }}\n"
        )
    };
    let again = kernel(
        "    for (int r = 0; r < n; ++r)\n        c[i] = c[i + 1] ^ c[i + 2] ^ c[i + 3] ^ c[i];\n",
    );
    let is_store = |title: &String| title.starts_with("store `c` as");
    assert!(titles_of(&[("a.cu", &kernel(""))]).iter().any(is_store));
    assert!(!titles_of(&[("a.cu", &again)]).iter().any(is_store));
}
