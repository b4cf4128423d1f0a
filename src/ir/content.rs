//! The content hash of a kernel: what it says, apart from where it stands.
//!
//! Given a kernel, gives a hash of everything that symbolic execution reads, variables of device
//! memory included as far as it names them, and the list of its places in a fixed order. Kernels of one hash differ in their places
//! at most, and the n-th place of one is the n-th of the other. Knows nothing of
//! who remembers what by it.

use super::{
    Argument, Block, Dimension, Expr, Global, GlobalId, Kernel, Launch, Loop, NotAnalysed, Object,
    Parameter, ParameterKind, SharedObject, Site, Stmt, Value, Variable, VariableKind,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::hash::{Hash, Hasher};

/// 128 bits of BLAKE3.
pub type ContentHash = [u8; 16];

/// Hash and places of `kernel` among `globals`.
#[must_use]
pub fn content(kernel: &Kernel, globals: &[Global]) -> (ContentHash, Vec<Span>) {
    let mut reader = Reader::default();
    reader.kernel(kernel);
    for id in std::mem::take(&mut reader.globals) {
        // An id without a variable does not happen; it would be a content of its own.
        match globals.get(id.index()) {
            Some(global) => reader.global(global),
            None => reader.value(id),
        }
    }
    // Which places are one place matters: accesses of one place are merged.
    let mut first: FxHashMap<Span, usize> = FxHashMap::default();
    for (at, place) in reader.places.iter().enumerate() {
        let known = *first.entry(*place).or_insert(at);
        known.hash(&mut reader.bytes);
    }
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(&reader.bytes.0).as_bytes()[..16]);
    (short, reader.places)
}

/// Collects what is hashed, so that one call hashes it all.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        // Only the bytes are wanted.
        0
    }
}

#[derive(Default)]
struct Reader {
    bytes: Bytes,
    places: Vec<Span>,
    /// Those that the kernel names, in the order in which it does.
    globals: Vec<GlobalId>,
}

// Every pattern names every field, so that a new one cannot be forgotten here.
impl Reader {
    fn value(&mut self, value: impl Hash) {
        value.hash(&mut self.bytes);
    }

    fn count(&mut self, n: usize) {
        self.value(n);
    }

    fn place(&mut self, span: Span) {
        self.places.push(span);
    }

    fn optional_place(&mut self, span: Option<Span>) {
        self.value(span.is_some());
        self.places.extend(span);
    }

    fn kernel(&mut self, kernel: &Kernel) {
        let Kernel {
            name,
            instance,
            span,
            parameters,
            variables,
            shared,
            sites,
            labels,
            loops,
            exprs,
            body,
            launches,
            max_threads,
            is_open,
            touches_memory: _,
            gaps,
            steps: _,
            form: _,
        } = &*kernel.unfolded();
        self.value((name, instance, labels, loops, max_threads, is_open));
        self.place(*span);
        self.count(parameters.len());
        parameters
            .iter()
            .for_each(|parameter| self.parameter(parameter));
        self.count(variables.len());
        variables
            .iter()
            .for_each(|variable| self.variable(variable));
        self.count(shared.len());
        shared.iter().for_each(|one| self.shared(one));
        self.count(sites.len());
        sites.iter().for_each(|site| self.site(site));
        self.count(exprs.len());
        exprs.iter().for_each(|expr| self.expr(expr));
        self.block(body);
        self.count(launches.len());
        launches.iter().for_each(|launch| self.launch(launch));
        self.count(gaps.len());
        for gap in gaps {
            let NotAnalysed {
                function,
                span,
                reason,
                omission,
            } = gap;
            self.value((function, reason, omission));
            self.place(*span);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        let Expr::Address(Object::Global(id)) = expr else {
            self.value(expr);
            return;
        };
        // Numbers of variables depend on the other files of a run.
        let known = self.globals.iter().position(|other| other == id);
        let at = known.unwrap_or_else(|| {
            self.globals.push(*id);
            self.globals.len() - 1
        });
        self.value((u64::MAX, at));
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let Parameter {
            name,
            variable,
            kind,
            span,
        } = parameter;
        self.value((name, variable));
        self.place(*span);
        match kind {
            ParameterKind::Scalar(ty) => self.value((0u8, ty)),
            ParameterKind::Pointer {
                element,
                is_const,
                is_restrict,
            } => self.value((1u8, element, is_const, is_restrict)),
            ParameterKind::Object { leaves } => self.value((2u8, leaves)),
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let Variable { name, kind, span } = variable;
        self.value(name);
        match kind {
            VariableKind::Scalar(ty) => self.value((0u8, ty)),
            VariableKind::Object { size, align, holds } => self.value((1u8, size, align, holds)),
        }
        self.optional_place(*span);
    }

    fn shared(&mut self, object: &SharedObject) {
        let SharedObject {
            name,
            size,
            align,
            element,
            dimensions,
            span,
        } = object;
        self.value((name, size, align, element, dimensions));
        self.place(*span);
    }

    fn global(&mut self, global: &Global) {
        let Global {
            name,
            is_constant,
            size,
            align,
            span,
        } = global;
        self.value((name, is_constant, size, align));
        self.place(*span);
    }

    fn site(&mut self, site: &Site) {
        let Site {
            span,
            line,
            definition,
            array,
            whole_align,
            member,
            stops,
            is_of_library,
            by_branch,
            of_packed,
            of_shared,
            inlined,
        } = site;
        self.place(*span);
        self.place(*line);
        self.optional_place(*definition);
        self.value((array, whole_align, member, stops));
        self.value((is_of_library, by_branch, of_packed, of_shared));
        self.count(inlined.len());
        for (name, call) in inlined.iter() {
            self.value(name);
            self.place(*call);
        }
    }

    fn launch(&mut self, launch: &Launch) {
        let Launch {
            grid,
            block,
            dynamic_shared,
            arguments,
            moved,
            source,
            span,
        } = launch;
        let _: (&[Dimension; 3], &[Dimension; 3]) = (grid, block);
        self.value((grid, block, dynamic_shared, moved, source));
        self.count(arguments.len());
        for argument in arguments {
            match argument {
                Argument::Int(n) => self.value((0u8, n)),
                Argument::Float(x) => self.value((1u8, x.to_bits())),
                Argument::Pointer { offset, .. } => self.value((2u8, offset)),
                Argument::Unknown => self.value(3u8),
                Argument::Narrowed => self.value(4u8),
            }
        }
        self.optional_place(*span);
    }

    fn block(&mut self, block: &Block) {
        self.count(block.len());
        block.iter().for_each(|one| self.statement(one));
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn statement(&mut self, statement: &Stmt) {
        self.value(std::mem::discriminant(statement));
        match statement {
            Stmt::Assign { variable, value } => self.value((variable, value)),
            Stmt::Load {
                target,
                pointer,
                ty,
                site,
                path,
            } => self.value((target, pointer, ty, site, path)),
            Stmt::Store {
                pointer,
                value,
                ty,
                site,
                path,
            } => {
                self.value((pointer, ty, site, path));
                match value {
                    Value::Scalar(id) => self.value((0u8, id)),
                    Value::Object(id) => self.value((1u8, id)),
                }
            }
            Stmt::Atomic {
                target,
                pointer,
                op,
                operands,
                ty,
                site,
                instruction,
            } => self.value((target, pointer, op, operands, ty, site, instruction)),
            Stmt::Matrix {
                pointer,
                rows,
                is_store,
                site,
                targets,
            } => self.value((pointer, rows, is_store, site, targets)),
            Stmt::OpaqueAccess {
                pointer,
                ty,
                op,
                site,
                reason,
            } => self.value((pointer, ty, op, site, reason)),
            Stmt::If {
                condition,
                then,
                otherwise,
                span,
            } => {
                self.value(condition);
                self.place(*span);
                self.block(then);
                self.block(otherwise);
            }
            Stmt::Loop(one) => {
                let Loop {
                    id,
                    pretest,
                    prelude,
                    condition,
                    body,
                    step,
                    continue_label,
                    break_label,
                    stops,
                    span,
                } = one.as_ref();
                self.value((id, pretest, condition, continue_label, break_label, stops));
                self.place(*span);
                self.block(prelude);
                self.block(body);
                self.block(step);
            }
            Stmt::Labelled { label, body } => {
                self.value(label);
                self.block(body);
            }
            Stmt::Exit(label) => self.value(label),
            Stmt::Return => {}
            Stmt::Barrier { kind, span } => {
                self.value(kind);
                self.place(*span);
            }
            Stmt::Collective {
                target,
                op,
                arguments,
                ty,
                span,
            } => {
                self.value((target, op, arguments, ty));
                self.place(*span);
            }
            Stmt::Assume { condition, span } => {
                self.value(condition);
                self.place(*span);
            }
            Stmt::Opaque {
                variables,
                pointers,
                reason,
                span,
            } => {
                self.value((variables, pointers, reason));
                self.place(*span);
            }
        }
    }
}
