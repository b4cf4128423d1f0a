//! Kernels drawn from the grammar that people write: shapes, tiles, loops, guards, templates,
//! calls, casts and launches, with numbers at the edges of their types.
//!
//! Given drawn values, gives a text that is nearly always valid CUDA.

use arbitrary::Arbitrary;
use std::fmt::Write as _;

const MOST_KERNELS: usize = 3;
const MOST_STATEMENTS: usize = 10;
const MOST_DEPTH: u32 = 6;

/// A file with kernels and their launches.
#[derive(Arbitrary, Debug)]
pub struct File {
    tile: Number,
    is_macro: bool,
    kernels: Vec<Kernel>,
}

#[derive(Arbitrary, Debug)]
struct Kernel {
    element: Element,
    is_template: bool,
    bound: u8,
    shared: Vec<Shared>,
    body: Vec<Statement>,
    launches: Vec<Launch>,
}

#[derive(Arbitrary, Debug)]
struct Shared {
    element: Element,
    rows: Option<Size>,
    columns: Size,
    is_dynamic: bool,
}

#[derive(Arbitrary, Debug)]
enum Size {
    Small(u8),
    Tile,
    TilePlusOne,
    Template,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Element {
    Byte,
    Short,
    Int,
    Unsigned,
    Float,
    Float2,
    Float4,
    Double,
    Long,
    Pair,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Number {
    Small(u8),
    Any(i64),
    Lowest,
    Highest,
    HighestUnsigned,
    HighestLong,
    Power(u8),
}

#[derive(Arbitrary, Debug)]
struct Launch {
    grid: (Number, u8),
    block: (u8, u8, u8),
    argument: Number,
    template: Number,
    is_runtime: bool,
}

#[derive(Arbitrary, Debug)]
enum Statement {
    Store(Target, Expression),
    Load(Target),
    Atomic(Target, Expression),
    Set(u8, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    For(Loop, Expression, Vec<Statement>),
    While(Expression, Vec<Statement>),
    Switch(Expression, Vec<Statement>),
    Barrier,
    Call(Expression),
    Vector(Expression),
    Asm(Expression),
    Return,
    Break,
    Assume(Expression),
    Lambda(Expression),
    Pointer(Expression),
}

#[derive(Arbitrary, Debug)]
enum Loop {
    Up,
    Down,
    Double,
    Halve,
    Stride(u8),
    Unbounded,
}

#[derive(Arbitrary, Debug)]
enum Target {
    Input(Expression),
    Output(Expression),
    Shared(u8, Expression, Expression),
    Through(Expression),
}

#[derive(Arbitrary, Debug)]
enum Expression {
    ThreadX,
    ThreadY,
    ThreadZ,
    BlockX,
    BlockDim,
    GridDim,
    Parameter,
    Variable(u8),
    Value,
    Template,
    Tile,
    Number(Number),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Unary(u8, Box<Expression>),
    Choose(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast(Element, Box<Expression>),
    Call(u8, Box<Expression>, Box<Expression>),
    SizeOf(Element),
    Data(Box<Expression>),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    Left,
    Right,
    Less,
    Equal,
    Both,
    Either,
    Comma,
}

impl File {
    /// The file as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let tile = self.tile.text();
        if self.is_macro {
            let _ = writeln!(out, "#define TILE {tile}");
        } else {
            let _ = writeln!(out, "constexpr int TILE = {tile};");
        }
        out.push_str(
            "struct Pair { float a; int b[3]; };\n\
             __constant__ int table[64];\n\
             __device__ int twice(int x) { return x * 2; }\n\
             template <typename T> __device__ T least(T a, T b) { return a < b ? a : b; }\n\
             constexpr int deep(int n) { return n <= 0 ? 0 : 1 + deep(n - 1); }\n",
        );
        for (at, kernel) in self.kernels.iter().take(MOST_KERNELS).enumerate() {
            kernel.write(at, &mut out);
        }
        out.push_str("void host(int n) {\n");
        for (at, kernel) in self.kernels.iter().take(MOST_KERNELS).enumerate() {
            for launch in kernel.launches.iter().take(3) {
                launch.write(at, kernel.is_template, &mut out);
            }
        }
        out.push_str("}\n");
        out
    }
}

impl Kernel {
    fn write(&self, at: usize, out: &mut String) {
        if self.is_template {
            let _ = writeln!(out, "template <int T>");
        }
        let bounds = match self.bound {
            0..32 => format!("__launch_bounds__({}) ", u32::from(self.bound) * 64),
            _ => String::new(),
        };
        let element = self.element.text();
        let _ = writeln!(
            out,
            "__global__ void {bounds}k{at}({element} *o, const {element} *i, int n, unsigned m) {{"
        );
        for (index, shared) in self.shared.iter().take(3).enumerate() {
            shared.write(index, self.is_template, out);
        }
        out.push_str("  int v0 = threadIdx.x, v1 = threadIdx.y, v2 = 0;\n  float value = 1;\n");
        let mut writer = Writer {
            out,
            depth: 1,
            has_template: self.is_template,
            shared: self.shared.iter().take(3).map(Shared::is_matrix).collect(),
            loops: 0,
        };
        writer.block(&self.body);
        out.push_str("}\n");
    }
}

impl Shared {
    fn is_matrix(&self) -> bool {
        self.rows.is_some() && !self.is_dynamic
    }

    fn write(&self, index: usize, has_template: bool, out: &mut String) {
        let element = self.element.text();
        let _ = if self.is_dynamic {
            writeln!(out, "  extern __shared__ {element} s{index}[];")
        } else {
            let rows = self.rows.as_ref().map(|rows| rows.text(has_template));
            let rows = rows.map_or_else(String::new, |rows| format!("[{rows}]"));
            let columns = self.columns.text(has_template);
            writeln!(out, "  __shared__ {element} s{index}{rows}[{columns}];")
        };
    }
}

impl Size {
    fn text(&self, has_template: bool) -> String {
        match self {
            Size::Small(size) => size.to_string(),
            Size::Tile => "TILE".to_owned(),
            Size::TilePlusOne => "TILE + 1".to_owned(),
            Size::Template if has_template => "T".to_owned(),
            Size::Template => "32".to_owned(),
        }
    }
}

impl Element {
    fn text(self) -> &'static str {
        match self {
            Element::Byte => "unsigned char",
            Element::Short => "short",
            Element::Int => "int",
            Element::Unsigned => "unsigned",
            Element::Float => "float",
            Element::Float2 => "float2",
            Element::Float4 => "float4",
            Element::Double => "double",
            Element::Long => "long long",
            Element::Pair => "Pair",
        }
    }
}

impl Number {
    fn text(self) -> String {
        match self {
            Number::Small(number) => number.to_string(),
            Number::Any(number) => format!("({number}LL)"),
            Number::Lowest => "(-2147483647 - 1)".to_owned(),
            Number::Highest => "2147483647".to_owned(),
            Number::HighestUnsigned => "0xffffffffu".to_owned(),
            Number::HighestLong => "9223372036854775807LL".to_owned(),
            Number::Power(bits) => format!("(1LL << {})", bits % 70),
        }
    }
}

impl Launch {
    fn write(&self, at: usize, is_template: bool, out: &mut String) {
        let template = if is_template {
            format!("<{}>", self.template.text())
        } else {
            String::new()
        };
        let (x, y, z) = self.block;
        let n = if self.is_runtime {
            "n".to_owned()
        } else {
            self.argument.text()
        };
        let _ = writeln!(
            out,
            "  k{at}{template}<<<dim3({}, {}), dim3({x}, {y}, {z}), 4096>>>(0, 0, {n}, {n});",
            self.grid.0.text(),
            self.grid.1
        );
    }
}

/// Writes the body of one kernel.
struct Writer<'a> {
    out: &'a mut String,
    depth: u32,
    has_template: bool,
    /// Whether each shared array has two dimensions.
    shared: Vec<bool>,
    loops: u32,
}

impl Writer<'_> {
    fn block(&mut self, statements: &[Statement]) {
        if self.depth > MOST_DEPTH {
            return;
        }
        self.depth += 1;
        for statement in statements.iter().take(MOST_STATEMENTS) {
            self.statement(statement);
        }
        self.depth -= 1;
    }

    fn line(&mut self, text: &str) {
        for _ in 1..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn statement(&mut self, statement: &Statement) {
        let text = match statement {
            Statement::Store(target, value) => {
                format!("{} = {};", self.target(target), self.text(value))
            }
            Statement::Load(target) => format!("value += {};", self.target(target)),
            Statement::Atomic(target, value) => {
                format!("atomicAdd(&{}, {});", self.target(target), self.text(value))
            }
            Statement::Set(which, value) => format!("v{} = {};", which % 3, self.text(value)),
            Statement::If(condition, then, otherwise) => {
                let condition = self.text(condition);
                self.line(&format!("if ({condition}) {{"));
                self.block(then);
                self.line("} else {");
                self.block(otherwise);
                "}".to_owned()
            }
            Statement::For(kind, bound, body) => {
                self.loops += 1;
                let (k, bound) = (format!("l{}", self.loops), self.text(bound));
                let head = match kind {
                    Loop::Up => format!("for (int {k} = 0; {k} < {bound}; ++{k}) {{"),
                    Loop::Down => format!("for (int {k} = {bound}; {k} >= 0; --{k}) {{"),
                    Loop::Double => format!("for (int {k} = 1; {k} < {bound}; {k} *= 2) {{"),
                    Loop::Halve => format!("for (int {k} = {bound}; {k} > 0; {k} >>= 1) {{"),
                    Loop::Stride(step) => {
                        format!("for (int {k} = v0; {k} < {bound}; {k} += {step}) {{")
                    }
                    Loop::Unbounded => format!("for (unsigned {k} = 0;; {k} += {bound}) {{"),
                };
                self.line(&head);
                self.line(&format!("v2 = {k};"));
                self.block(body);
                "}".to_owned()
            }
            Statement::While(condition, body) => {
                let condition = self.text(condition);
                self.line(&format!("while ({condition}) {{"));
                self.block(body);
                "}".to_owned()
            }
            Statement::Switch(value, body) => {
                let value = self.text(value);
                self.line(&format!("switch ({value}) {{ case 0: case 1:"));
                self.block(body);
                "break; default: v2 = 1; }".to_owned()
            }
            Statement::Barrier => "__syncthreads();".to_owned(),
            Statement::Call(value) => format!("v1 = twice({});", self.text(value)),
            Statement::Vector(value) => format!(
                "*reinterpret_cast<float4 *>(&o[{}]) = make_float4(0, 1, 2, 3);",
                self.text(value)
            ),
            Statement::Asm(value) => format!(
                "asm volatile(\"ld.global.f32 %0, [%1];\" : \"=f\"(value) : \"l\"(i + ({})));",
                self.text(value)
            ),
            Statement::Return => "if (v0 > n) return;".to_owned(),
            Statement::Break => "if (v2 == 3 && n) { v1 = 0; }".to_owned(),
            Statement::Assume(value) => format!("__builtin_assume({});", self.text(value)),
            Statement::Lambda(value) => format!(
                "auto f{0} = [&](int a) {{ return o[a]; }}; o[0] = f{0}({1});",
                self.out.len(),
                self.text(value)
            ),
            Statement::Pointer(value) => format!("o += {};", self.text(value)),
        };
        self.line(&text);
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Input(at) => format!("i[{}]", self.text(at)),
            Target::Output(at) => format!("o[{}]", self.text(at)),
            Target::Through(at) => format!("*(o + ({}))", self.text(at)),
            Target::Shared(which, row, column) => {
                if self.shared.is_empty() {
                    return format!("o[{}]", self.text(column));
                }
                let which = usize::from(*which) % self.shared.len();
                if self.shared[which] {
                    format!("s{which}[{}][{}]", self.text(row), self.text(column))
                } else {
                    format!("s{which}[{}]", self.text(column))
                }
            }
        }
    }

    fn text(&self, expression: &Expression) -> String {
        let mut out = String::new();
        self.expression(expression, 0, &mut out);
        out
    }

    fn expression(&self, expression: &Expression, depth: u32, out: &mut String) {
        if depth > 24 {
            out.push('1');
            return;
        }
        let part = |inner: &Expression| {
            let mut text = String::new();
            self.expression(inner, depth + 1, &mut text);
            text
        };
        let text = match expression {
            Expression::ThreadX => "threadIdx.x".to_owned(),
            Expression::ThreadY => "threadIdx.y".to_owned(),
            Expression::ThreadZ => "threadIdx.z".to_owned(),
            Expression::BlockX => "blockIdx.x".to_owned(),
            Expression::BlockDim => "blockDim.x".to_owned(),
            Expression::GridDim => "gridDim.x".to_owned(),
            Expression::Parameter => "n".to_owned(),
            Expression::Variable(which) => format!("v{}", which % 3),
            Expression::Value => "(int)value".to_owned(),
            Expression::Template if self.has_template => "T".to_owned(),
            Expression::Template => "m".to_owned(),
            Expression::Tile => "TILE".to_owned(),
            Expression::Number(number) => number.text(),
            Expression::Binary(operator, a, b) => {
                format!("({} {} {})", part(a), operator.text(), part(b))
            }
            Expression::Unary(which, a) => {
                let operator = ["-", "~", "!", "+"][usize::from(*which) % 4];
                format!("{operator}({})", part(a))
            }
            Expression::Choose(a, b, c) => format!("({} ? {} : {})", part(a), part(b), part(c)),
            Expression::Cast(element, a) => format!("(int)({})({})", element.text(), part(a)),
            Expression::Call(which, a, b) => {
                let name = [
                    "min",
                    "max",
                    "least",
                    "__shfl_xor_sync",
                    "__umul24",
                    "deep",
                    "abs",
                    "__popc",
                ][usize::from(*which) % 8];
                match name {
                    "__shfl_xor_sync" => {
                        format!("__shfl_xor_sync(0xffffffffu, {}, {})", part(a), part(b))
                    }
                    "deep" | "abs" | "__popc" => format!("{name}({})", part(a)),
                    _ => format!("{name}({}, {})", part(a), part(b)),
                }
            }
            Expression::SizeOf(element) => format!("sizeof({})", element.text()),
            Expression::Data(at) => format!("table[{} & 63]", part(at)),
        };
        out.push_str(&text);
    }
}

impl Operator {
    fn text(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
            Operator::And => "&",
            Operator::Or => "|",
            Operator::Xor => "^",
            Operator::Left => "<<",
            Operator::Right => ">>",
            Operator::Less => "<",
            Operator::Equal => "==",
            Operator::Both => "&&",
            Operator::Either => "||",
            Operator::Comma => ",",
        }
    }
}
