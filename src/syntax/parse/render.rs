//! A compact rendering of our trees, for tests: one line, every operator in parentheses.

use crate::syntax::ast::*;

fn join<T>(list: &[T], one: impl Fn(&T) -> String) -> String {
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub fn unit(unit: &Unit) -> String {
    let mut lines: Vec<String> = unit.items.iter().map(item).collect();
    lines.extend(
        unit.problems
            .iter()
            .map(|problem| format!("problem: {}", problem.message)),
    );
    lines.join("\n")
}

fn item(item: &Item) -> String {
    match item {
        Item::Function(f) => function(f),
        Item::Variables(list) => join(list, variable),
        Item::Unread(list) => format!("unread {}", join(list, variable)),
        Item::Record(r) => record(r),
        Item::Enum(e) => enumeration(e),
        Item::Alias(a) => alias(a),
        Item::Namespace(name, items) => {
            let inner: Vec<String> = items.iter().map(self::item).collect();
            format!(
                "namespace {} {{ {} }}",
                name.as_deref().unwrap_or("-"),
                inner.join("; ")
            )
        }
        Item::UsingNamespace(p) => format!("using namespace {}", path(p)),
        Item::Using(p) => format!("using {}", path(p)),
        Item::NamespaceAlias(name, p) => format!("namespace {name} = {}", path(p)),
        Item::Instantiation(f) => format!("instantiate {}", function(f)),
        Item::ClassInstantiation(p) => format!("instantiate class {}", path(p)),
    }
}

fn function(f: &Function) -> String {
    let mut out = String::new();
    for template in &f.templates {
        out += &format!("{} ", head(template));
    }
    let flags = [
        (f.attributes.global, "global "),
        (f.attributes.device, "device "),
        (f.attributes.host, "host "),
        (f.attributes.is_static, "static "),
        (f.attributes.is_constexpr, "constexpr "),
    ];
    out.extend(flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word));
    if !f.attributes.launch_bounds.is_empty() {
        out += &format!("bounds({}) ", join(&f.attributes.launch_bounds, expr));
    }
    out += match f.kind {
        FunctionKind::Plain => "fn ",
        FunctionKind::Constructor => "ctor ",
        FunctionKind::Destructor => "dtor ",
        FunctionKind::Operator => "op ",
        FunctionKind::Conversion => "conv ",
    };
    if let Some(qualifier) = &f.qualifier {
        out += &format!("{}::", path(qualifier));
    }
    out += &f.name;
    if !f.arguments.is_empty() {
        out += &format!("<{}>", join(&f.arguments, argument));
    }
    out += &format!("({})", join(&f.parameters, parameter));
    if f.attributes.is_const {
        out += " const";
    }
    if !matches!(f.result.kind, TypeKind::None) {
        out += &format!(" -> {}", ty(&f.result));
    }
    for (named, values) in &f.initialisers {
        out += &format!(" : {}({})", path(named), join(values, expr));
    }
    if let Some(body) = &f.body {
        out += &format!(" {}", block(body));
    }
    if let Some(problem) = &f.problem {
        out += &format!(" !! {}", problem.message);
    }
    out
}

fn parameter(p: &Parameter) -> String {
    let mut out = ty(&p.ty);
    if p.is_pack {
        out += "...";
    }
    if let Some(name) = &p.name {
        out += &format!(" {name}");
    }
    if let Some(default) = &p.default {
        out += &format!(" = {}", expr(default));
    }
    out
}

fn head(head: &TemplateHead) -> String {
    let one = |p: &TemplateParameter| {
        let name = p.name.as_deref().unwrap_or("");
        let pack = if p.is_pack { "..." } else { "" };
        match &p.kind {
            TemplateParameterKind::Type { default } => {
                let default = default
                    .as_ref()
                    .map_or(String::new(), |d| format!(" = {}", ty(d)));
                format!("type{pack} {name}{default}")
            }
            TemplateParameterKind::Value { ty: of, default } => {
                let default = default
                    .as_ref()
                    .map_or(String::new(), |d| format!(" = {}", expr(d)));
                format!("{}{pack} {name}{default}", ty(of))
            }
            TemplateParameterKind::Template { default } => {
                let default = default
                    .as_ref()
                    .map_or(String::new(), |d| format!(" = {}", path(d)));
                format!("template{pack} {name}{default}")
            }
        }
    };
    format!("<{}>", join(&head.parameters, one))
}

fn record(r: &Record) -> String {
    let mut out = String::new();
    for template in &r.templates {
        out += &format!("{} ", head(template));
    }
    out += if r.is_union { "union " } else { "struct " };
    if let Some(align) = &r.align {
        out += &format!("align({}) ", expr(align));
    }
    out += r.name.as_deref().unwrap_or("-");
    if !r.arguments.is_empty() {
        out += &format!("<{}>", join(&r.arguments, argument));
    }
    if !r.bases.is_empty() {
        out += &format!(" : {}", join(&r.bases, ty));
    }
    if r.is_definition {
        let members: Vec<String> = r.members.iter().map(member).collect();
        out += &format!(" {{ {} }}", members.join("; "));
    }
    if let Some(problem) = &r.problem {
        out += &format!(" !! {}", problem.message);
    }
    out
}

fn member(member: &Member) -> String {
    match member {
        Member::Variables(list) => join(list, variable),
        Member::Function(f) => function(f),
        Member::Record(r) => record(r),
        Member::Enum(e) => enumeration(e),
        Member::Alias(a) => alias(a),
        Member::Using(p) => format!("using {}", path(p)),
        Member::Friend(f) => format!("friend {}", function(f)),
    }
}

fn enumeration(e: &Enum) -> String {
    let class = if e.is_class { "class " } else { "" };
    let base = e
        .underlying
        .as_ref()
        .map_or(String::new(), |base| format!(" : {}", ty(base)));
    let values = join(&e.values, |(name, value)| match value {
        Some(value) => format!("{name} = {}", expr(value)),
        None => name.to_string(),
    });
    format!(
        "enum {class}{}{base} {{ {values} }}",
        e.name.as_deref().unwrap_or("-")
    )
}

fn alias(a: &Alias) -> String {
    let template = a
        .template
        .as_ref()
        .map_or(String::new(), |t| format!("{} ", head(t)));
    format!("{template}alias {} = {}", a.name, ty(&a.ty))
}

fn variable(v: &Variable) -> String {
    let mut out = String::new();
    if let Some(template) = &v.template {
        out += &format!("{} ", head(template));
    }
    let s = &v.storage;
    let flags = [
        (s.is_shared, "shared "),
        (s.is_constant, "constant "),
        (s.is_device, "device "),
        (s.is_managed, "managed "),
        (s.is_extern, "extern "),
        (s.is_static, "static "),
        (s.is_constexpr, "constexpr "),
    ];
    out.extend(flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word));
    if let Some(align) = &s.align {
        out += &format!("align({}) ", expr(align));
    }
    out += "var ";
    if let Some(qualifier) = &v.qualifier {
        out += &format!("{}::", path(qualifier));
    }
    if v.bindings.is_empty() {
        out += &v.name;
    } else {
        out += &format!("[{}]", join(&v.bindings, |name| name.to_string()));
    }
    out += &format!(": {}", ty(&v.ty));
    if let Some(bits) = &v.bits {
        out += &format!(" bits {}", expr(bits));
    }
    match &v.init {
        Some(Initialiser::Equals(value)) => out += &format!(" = {}", expr(value)),
        Some(Initialiser::Paren(values)) => out += &format!(" ({})", join(values, expr)),
        Some(Initialiser::Brace(value)) => out += &format!(" {}", expr(value)),
        None => {}
    }
    out
}

fn path(p: &Path) -> String {
    let segments: Vec<String> = p
        .segments
        .iter()
        .map(|segment| match &segment.arguments {
            Some(arguments) => format!("{}<{}>", segment.name, join(arguments, argument)),
            None => segment.name.to_string(),
        })
        .collect();
    format!(
        "{}{}",
        if p.is_global { "::" } else { "" },
        segments.join("::")
    )
}

fn argument(argument: &TemplateArgument) -> String {
    match argument {
        TemplateArgument::Type(t) => ty(t),
        TemplateArgument::Expr(e) => format!("#{}", expr(e)),
    }
}

fn ty(t: &TypeExpr) -> String {
    let mut out = String::new();
    if t.is_const {
        out += "const ";
    }
    if t.is_volatile {
        out += "volatile ";
    }
    out += &match &t.kind {
        TypeKind::Auto => "auto".to_owned(),
        TypeKind::Builtin(b) => format!("{b:?}").to_lowercase(),
        TypeKind::Named(p) => path(p),
        TypeKind::Pointer { to, is_restrict } => {
            format!("ptr{}({})", if *is_restrict { "!" } else { "" }, ty(to))
        }
        TypeKind::Reference { to, is_rvalue } => {
            format!("ref{}({})", if *is_rvalue { "ref" } else { "" }, ty(to))
        }
        TypeKind::Array(of, size) => {
            format!(
                "{}[{}]",
                ty(of),
                size.as_deref().map_or(String::new(), expr)
            )
        }
        TypeKind::Function { result, parameters } => {
            format!("fn({}) -> {}", join(parameters, ty), ty(result))
        }
        TypeKind::Record(r) => record(r),
        TypeKind::Enum(e) => enumeration(e),
        TypeKind::Decltype(e) => format!("decltype({})", expr(e)),
        TypeKind::DecltypeAuto => "decltype(auto)".to_owned(),
        TypeKind::None => "-".to_owned(),
    };
    out
}

fn unary(op: UnaryOp, of: &str) -> String {
    match op {
        UnaryOp::Plus => format!("+{of}"),
        UnaryOp::Neg => format!("-{of}"),
        UnaryOp::Not => format!("!{of}"),
        UnaryOp::BitNot => format!("~{of}"),
        UnaryOp::Deref => format!("*{of}"),
        UnaryOp::AddressOf => format!("&{of}"),
        UnaryOp::PreIncrement => format!("++{of}"),
        UnaryOp::PreDecrement => format!("--{of}"),
        UnaryOp::PostIncrement => format!("{of}++"),
        UnaryOp::PostDecrement => format!("{of}--"),
    }
}

#[expect(clippy::too_many_lines, reason = "a match over the language")]
fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int {
            value,
            is_unsigned,
            is_long,
            is_long_long: _,
        } => {
            format!(
                "{value}{}{}",
                if *is_unsigned { "u" } else { "" },
                if *is_long { "l" } else { "" }
            )
        }
        ExprKind::Float { value, is_single } => {
            format!("{value:?}{}", if *is_single { "f" } else { "" })
        }
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Char(c, _) => format!("'{c}'"),
        ExprKind::Str(s) => format!("{s:?}"),
        ExprKind::Null => "nullptr".into(),
        ExprKind::This => "this".into(),
        ExprKind::Path(p) => path(p),
        ExprKind::Unary(op, of) => unary(*op, &expr(of)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", expr(a), op.symbol(), expr(b)),
        ExprKind::Assign(op, a, b) => {
            format!(
                "({} {}= {})",
                expr(a),
                op.map_or("", BinaryOp::symbol),
                expr(b)
            )
        }
        ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", expr(c), expr(a), expr(b)),
        ExprKind::Call { callee, arguments } => {
            format!("{}({})", expr(callee), join(arguments, expr))
        }
        ExprKind::Launch {
            callee,
            config,
            arguments,
        } => {
            format!(
                "launch {}<<<{}>>>({})",
                expr(callee),
                join(config, expr),
                join(arguments, expr)
            )
        }
        ExprKind::Index(object, indices) => format!("{}[{}]", expr(object), join(indices, expr)),
        ExprKind::Member {
            object,
            arrow,
            member,
        } => {
            format!(
                "{}{}{}",
                expr(object),
                if *arrow { "->" } else { "." },
                path(member)
            )
        }
        ExprKind::Cast {
            ty: to,
            value,
            is_reinterpret,
        } => {
            format!(
                "{}<{}>({})",
                if *is_reinterpret {
                    "reinterpret"
                } else {
                    "cast"
                },
                ty(to),
                expr(value)
            )
        }
        ExprKind::Construct { ty: of, arguments } => {
            format!("new {}({})", ty(of), join(arguments, expr))
        }
        ExprKind::List(entries) => format!(
            "{{{}}}",
            join(entries, |(name, value)| match name {
                Some(name) => format!(".{name} = {}", expr(value)),
                None => expr(value),
            })
        ),
        ExprKind::SizeofType(t) => format!("sizeof({})", ty(t)),
        ExprKind::Sizeof(e) => format!("sizeof {}", expr(e)),
        ExprKind::AlignofType(t) => format!("alignof({})", ty(t)),
        ExprKind::SizeofPack(name) => format!("sizeof...({name})"),
        ExprKind::Lambda(l) => {
            let result = l
                .result
                .as_ref()
                .map_or(String::new(), |result| format!(" -> {}", ty(result)));
            let by = if l.captures_by_reference { "&" } else { "=" };
            format!(
                "[{by}]({}){result} {}",
                join(&l.parameters, parameter),
                block(&l.body)
            )
        }
        ExprKind::Expand(e) => format!("{}...", expr(e)),
        ExprKind::Fold {
            op,
            pack,
            init,
            is_left,
        } => {
            let init = init
                .as_ref()
                .map_or(String::new(), |init| format!(", {}", expr(init)));
            format!(
                "fold{}({} {}{init})",
                if *is_left { "l" } else { "r" },
                op.symbol(),
                expr(pack)
            )
        }
        ExprKind::Other(what) => format!("<{what}>"),
        ExprKind::Error => "<error>".into(),
    }
}

fn block(body: &[Stmt]) -> String {
    let inner: Vec<String> = body.iter().map(stmt).collect();
    format!("{{ {} }}", inner.join("; "))
}

fn condition(c: &Condition) -> String {
    match c {
        Condition::Expr(e) => expr(e),
        Condition::Variable(v) => variable(v),
    }
}

fn stmt(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Empty => "empty".into(),
        StmtKind::Block(body) => block(body),
        StmtKind::Variables(list) => join(list, variable),
        StmtKind::Alias(a) => alias(a),
        StmtKind::Record(r) => record(r),
        StmtKind::Enum(e) => enumeration(e),
        StmtKind::Using(p) => format!("using {}", path(p)),
        StmtKind::UsingNamespace(p) => format!("using namespace {}", path(p)),
        StmtKind::Expr(e) => expr(e),
        StmtKind::If {
            is_constexpr,
            init,
            condition: c,
            then,
            otherwise,
        } => {
            let word = if *is_constexpr { "if constexpr" } else { "if" };
            let init = init
                .as_ref()
                .map_or(String::new(), |init| format!("{}; ", stmt(init)));
            let otherwise = otherwise
                .as_ref()
                .map_or(String::new(), |o| format!(" else {}", stmt(o)));
            format!("{word} ({init}{}) {}{otherwise}", condition(c), stmt(then))
        }
        StmtKind::For {
            init,
            condition,
            step,
            body,
        } => {
            let init = init.as_deref().map_or(String::new(), stmt);
            let condition = condition.as_ref().map_or(String::new(), expr);
            let step = step.as_ref().map_or(String::new(), expr);
            format!("for ({init}; {condition}; {step}) {}", stmt(body))
        }
        StmtKind::RangeFor {
            variable: v,
            range,
            body,
        } => {
            format!("for ({} in {}) {}", variable(v), expr(range), stmt(body))
        }
        StmtKind::While { condition: c, body } => {
            format!("while ({}) {}", condition(c), stmt(body))
        }
        StmtKind::DoWhile { body, condition } => {
            format!("do {} while ({})", stmt(body), expr(condition))
        }
        StmtKind::Switch { value, body } => format!("switch ({}) {}", expr(value), block(body)),
        StmtKind::Case(e) => format!("case {}", expr(e)),
        StmtKind::Default => "default".into(),
        StmtKind::Break => "break".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return(None) => "return".into(),
        StmtKind::Return(Some(e)) => format!("return {}", expr(e)),
        StmtKind::Goto(name) => format!("goto {name}"),
        StmtKind::Label(name) => format!("label {name}"),
        StmtKind::Asm(asm) => {
            let operands = |list: &[(String, Expr)]| {
                list.iter()
                    .map(|(constraint, e)| format!("{constraint} {}", expr(e)))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            format!(
                "asm {:?} out({}) in({})",
                asm.text,
                operands(&asm.outputs),
                operands(&asm.inputs)
            )
        }
        StmtKind::Error => "<error>".into(),
    }
}
