//! A text that is edited, with the memory of a session and without.

use crate::{NAME, on_worker, options, said};
use arbitrary::Arbitrary;
use cudalint::session::incremental::{self, Input};
use cudalint::session::cache::memory::Memory;
use cudalint::session::{self, Options};
use cudalint::source::SourceFile;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What people type, and what they leave half done.
const PIECES: [&str; 24] = [
    " + 1",
    "threadIdx.x",
    " * 2",
    "{",
    "}",
    ";",
    "\n",
    "// comment \u{e4}\u{1d11e}\n",
    "(",
    ")",
    "/*",
    "*/",
    "#define TILE 16\n",
    "#if 0\n",
    "#endif\n",
    "__shared__ float extra[32][32];\n",
    "[",
    "<<<",
    "template <int T>\n",
    "\"",
    "\\\n",
    "for (int i = 0; i < n; ++i) ",
    "__global__ void other(int *p) { p[threadIdx.x * 3] = 1; }\n",
    "// cudalint: allow(CL101)\n",
];

/// Edits of one session; each costs two analyses.
const MOST_EDITS: usize = 12;

/// A text and what is done to it.
#[derive(Arbitrary, Debug)]
pub struct Script {
    start: Start,
    edits: Vec<Edit>,
}

#[derive(Arbitrary, Debug)]
enum Start {
    Tile,
    Two,
    Text(String),
}

/// Replaces `length` bytes at a place.
#[derive(Arbitrary, Debug)]
struct Edit {
    at: u16,
    length: u8,
    new: New,
}

#[derive(Arbitrary, Debug)]
enum New {
    Nothing,
    Piece(u8),
    /// A part of the text as it stands.
    Again(u16, u8),
    /// The first text.
    Back,
    Typed(String),
}

const TILE: &str = "#define TILE 32\ntemplate <int P>\n__global__ void tile(float *o, const float *i, int n) {\n  \
    __shared__ float s[TILE][TILE + P];\n  int x = blockIdx.x * TILE + threadIdx.x;\n  \
    s[threadIdx.y][threadIdx.x] = i[threadIdx.y * n + x];\n  __syncthreads();\n  \
    o[threadIdx.y * n + x] = s[threadIdx.x][threadIdx.y];\n}\n\
    void run(float *o, float *i, int n) {\n  tile<0><<<n, dim3(32, 32)>>>(o, i, n);\n  tile<1><<<n, dim3(32, 32)>>>(o, i, n);\n}\n";

const TWO: &str = "__device__ float get(const float *p, int k) { return p[k * 2]; }\n\
    __global__ void a(float *o) { o[threadIdx.x] = get(o, threadIdx.x); }\n\
    __global__ void b(float4 *o, int n) {\n  for (int k = 0; k < n; k += 4)\n    o[threadIdx.x + k] = o[k * threadIdx.x];\n}\n\
    int main() { a<<<1, 64>>>(0); b<<<2, 128>>>(0, 8); }\n";

impl Script {
    /// Plays the session; panics where memory changes an answer.
    pub fn play(&self) {
        let first = match &self.start {
            Start::Tile => TILE,
            Start::Two => TWO,
            Start::Text(text) => text.as_str(),
        };
        let mut text = first.to_owned();
        let memory = Memory::default();
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options {
            fixes: false,
            ..options()
        };
        compare(&text, &memory, &stop, &options);
        for edit in self.edits.iter().take(MOST_EDITS) {
            let from = boundary(&text, usize::from(edit.at));
            let to = boundary(&text, from + usize::from(edit.length)).max(from);
            let new = match &edit.new {
                New::Nothing => String::new(),
                New::Piece(which) => PIECES[usize::from(*which) % PIECES.len()].to_owned(),
                New::Again(at, length) => {
                    let start = boundary(&text, usize::from(*at));
                    let end = boundary(&text, start + usize::from(*length)).max(start);
                    text[start..end].to_owned()
                }
                New::Back => {
                    text = first.to_owned();
                    compare(&text, &memory, &stop, &options);
                    continue;
                }
                New::Typed(typed) => typed.clone(),
            };
            text.replace_range(from..to, &new);
            compare(&text, &memory, &stop, &options);
        }
    }
}

/// The end of the character that holds byte `at`, within the text.
fn boundary(text: &str, at: usize) -> usize {
    let at = if text.is_empty() {
        0
    } else {
        at % (text.len() + 1)
    };
    (at..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

fn compare(text: &str, memory: &Memory, stop: &Arc<AtomicBool>, options: &Options) {
    let file = Arc::new(SourceFile::new(PathBuf::from(NAME), text.into()));
    let files = [file];
    let input = Input {
        files: &files,
        overlay: &[],
        options,
    };
    let (warm, cold) = on_worker(|| {
        let warm = incremental::analyse(input, memory, stop).expect("nobody stopped it");
        (warm, session::analyse(&files, options))
    });
    assert_eq!(said(&warm), said(&cold), "of the text\n{text}");
}
