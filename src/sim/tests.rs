//! Small kernels built by hand, run and counted.

use super::*;
use crate::gpu::cost::Space;
use crate::ir::{
    Axis, Barrier, Binary, Block, BuiltinValue, Expr, ExprId, LabelId, Loop, LoopId, Object,
    Parameter, ParameterKind, Path, Scalar, SharedId, SharedObject, Site, Stmt, Stops, Value,
    VarId, Variable, VariableKind,
};
use crate::source::{FileId, Span};

const SPAN: Span = Span {
    file: FileId(0),
    start: 0,
    end: 0,
};

/// A loop that does nothing.
fn while_it_holds(condition: ExprId) -> Stmt {
    Stmt::Loop(Box::new(Loop {
        id: LoopId(0),
        pretest: true,
        prelude: Vec::new(),
        condition,
        body: Vec::new(),
        step: Vec::new(),
        continue_label: LabelId(0),
        break_label: LabelId(1),
        stops: Stops::default(),
        span: SPAN,
    }))
}

/// Builds one kernel.
struct Builder {
    kernel: Kernel,
}

impl Builder {
    fn new() -> Self {
        let kernel = Kernel {
            name: "k".into(),
            instance: String::new(),
            span: SPAN,
            parameters: Vec::new(),
            variables: Vec::new(),
            shared: Vec::new(),
            sites: Vec::new(),
            labels: 8,
            loops: 8,
            exprs: Vec::new(),
            body: Vec::new(),
            launches: Vec::new(),
            max_threads: None,
            is_open: false,
            touches_memory: true,
            gaps: Vec::new(),
            steps: 0,
            form: Default::default(),
        };
        Self { kernel }
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        self.kernel.exprs.push(expr);
        ExprId(self.kernel.exprs.len() as u32 - 1)
    }

    fn variable(&mut self, ty: Scalar) -> VarId {
        let variable = Variable {
            name: "v".into(),
            kind: VariableKind::Scalar(ty),
            span: None,
        };
        self.kernel.variables.push(variable);
        VarId(self.kernel.variables.len() as u32 - 1)
    }

    fn parameter(&mut self, name: &str, kind: ParameterKind) -> VarId {
        let ty = match kind {
            ParameterKind::Scalar(ty) => ty,
            _ => Scalar::Pointer,
        };
        let variable = self.variable(ty);
        self.kernel.parameters.push(Parameter {
            name: name.into(),
            variable,
            kind,
            span: SPAN,
        });
        variable
    }

    fn pointer(&mut self, name: &str) -> VarId {
        self.parameter(
            name,
            ParameterKind::Pointer {
                element: 4,
                is_const: false,
                is_restrict: false,
            },
        )
    }

    fn shared(&mut self, size: Option<u64>) -> ExprId {
        let object = SharedObject {
            name: "s".into(),
            size,
            align: 4,
            element: 4,
            dimensions: Vec::new(),
            span: SPAN,
        };
        self.kernel.shared.push(object);
        let id = SharedId(self.kernel.shared.len() as u32 - 1);
        self.add(Expr::Address(Object::Shared(id)))
    }

    fn site(&mut self, array: &str) -> SiteId {
        let site = Site {
            whole_align: 0,
            member: None,
            stops: Stops::default(),
            is_of_library: false,
            by_branch: false,
            of_packed: false,
            of_shared: false,
            span: SPAN,
            line: SPAN,
            definition: None,
            array: array.into(),
            inlined: std::sync::Arc::default(),
        };
        self.kernel.sites.push(site);
        SiteId(self.kernel.sites.len() as u32 - 1)
    }

    fn int(&mut self, value: i64) -> ExprId {
        self.add(Expr::Int {
            value,
            ty: Scalar::I32,
        })
    }

    fn var(&mut self, variable: VarId) -> ExprId {
        self.add(Expr::Var(variable))
    }

    fn tid(&mut self) -> ExprId {
        let tid = self.add(Expr::Builtin(BuiltinValue::ThreadIdx(Axis::X)));
        self.add(Expr::Cast {
            value: tid,
            from: Scalar::U32,
            to: Scalar::I32,
        })
    }

    fn op(&mut self, op: Binary, left: ExprId, right: ExprId) -> ExprId {
        self.add(Expr::Binary {
            op,
            left,
            right,
            ty: Scalar::I32,
        })
    }

    /// `pointer + 4 * index`
    fn at(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        let index = self.add(Expr::Cast {
            value: index,
            from: Scalar::I32,
            to: Scalar::I64,
        });
        let four = self.add(Expr::Int {
            value: 4,
            ty: Scalar::I64,
        });
        let bytes = self.add(Expr::Binary {
            op: Binary::Mul,
            left: index,
            right: four,
            ty: Scalar::I64,
        });
        self.add(Expr::Offset {
            pointer,
            bytes,
            within: None,
        })
    }

    fn load(&mut self, target: VarId, pointer: ExprId) -> Stmt {
        let site = self.site("array");
        Stmt::Load {
            target,
            pointer,
            ty: Scalar::I32,
            site,
            path: Path::Plain,
        }
    }

    fn store(&mut self, pointer: ExprId, value: ExprId) -> Stmt {
        let site = self.site("array");
        Stmt::Store {
            pointer,
            value: Value::Scalar(value),
            ty: Scalar::I32,
            site,
            path: Path::Plain,
        }
    }

    fn run(
        mut self,
        body: Block,
        block: [u32; 3],
        arguments: Vec<ConcreteArgument>,
    ) -> Result<SimOutcome, Unsupported> {
        self.kernel.body = body;
        let launch = ConcreteLaunch {
            grid: [2, 1, 1],
            block,
            dynamic_shared: 0,
            arguments,
            blocks: Blocks::All,
            limit: None,
            only: None,
        };
        let program = Program::default();
        run(&self.kernel, &program, &launch, &Arch::DEFAULT, &mut |_| {})
    }
}

fn buffer(count: usize) -> ConcreteArgument {
    ConcreteArgument::Buffer {
        bytes: vec![0; 4 * count],
        offset: 0,
    }
}

fn words(outcome: &SimOutcome) -> Vec<i32> {
    let bytes = outcome.buffers[0].bytes.chunks_exact(4);
    bytes
        .map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

fn only(outcome: &SimOutcome, site: u32) -> SiteTotal {
    outcome.totals[&SiteId(site)]
}

/// `s[tid * stride] = tid; out[tid] = s[tid * stride]`
fn strided(stride: i64, threads: u32) -> SimOutcome {
    let mut b = Builder::new();
    let out = b.pointer("out");
    let s = b.shared(Some(4 * 32 * 128));
    let (tid, stride) = (b.tid(), b.int(stride));
    let index = b.op(Binary::Mul, tid, stride);
    let (place, value) = (b.at(s, index), b.variable(Scalar::I32));
    let out = b.var(out);
    let (to, value_expr) = (b.at(out, tid), b.var(value));
    let body = vec![
        b.store(place, tid),
        Stmt::Barrier {
            kind: Barrier::Block,
            span: SPAN,
        },
        b.load(value, place),
        b.store(to, value_expr),
    ];
    b.run(body, [threads, 1, 1], vec![buffer(128)])
        .expect("it runs")
}

#[test]
fn shared_strides_conflict() {
    for (stride, cost) in [(1, 1), (2, 2), (32, 32), (33, 1)] {
        let outcome = strided(stride, 64);
        assert_eq!(only(&outcome, 0).max, cost, "stride {stride}");
        assert_eq!(only(&outcome, 1), only(&outcome, 0));
        assert_eq!(only(&outcome, 1).requests, 4);
        assert_eq!(
            only(&outcome, 2),
            SiteTotal {
                requests: 4,
                cost: 16,
                ideal: 16,
                min: 4,
                max: 4,
                full: Some((4, 4))
            }
        );
        assert_eq!(words(&outcome)[..64], (0..64).collect::<Vec<i32>>()[..]);
        assert!(outcome.divergent_barriers.is_empty() && outcome.fault.is_none());
    }
}

#[test]
fn partial_warps_have_fewer_lanes() {
    let total = only(&strided(1, 40), 2);
    assert_eq!(
        (total.requests, total.min, total.max, total.ideal),
        (4, 1, 4, 10)
    );
    assert_eq!(total.full, Some((4, 4)));
}

#[test]
fn loops_leave_one_lane_at_a_time() {
    // for (i = 0; ; i++) { if (i == tid) break; if (i % 2) continue; sum += i; } out[tid] = sum;
    let mut b = Builder::new();
    let out = b.pointer("out");
    let (i, sum) = (b.variable(Scalar::I32), b.variable(Scalar::I32));
    let (zero, one, two, tid) = (b.int(0), b.int(1), b.int(2), b.tid());
    let (i_expr, sum_expr, out_expr) = (b.var(i), b.var(sum), b.var(out));
    let is_end = b.op(Binary::Eq, i_expr, tid);
    let odd = b.op(Binary::Rem, i_expr, two);
    let is_odd = b.op(Binary::Eq, odd, one);
    let (next, more) = (
        b.op(Binary::Add, i_expr, one),
        b.op(Binary::Add, sum_expr, i_expr),
    );
    let leave = |condition: ExprId, label: u32| Stmt::If {
        condition,
        then: vec![Stmt::Exit(LabelId(label))],
        otherwise: Vec::new(),
        span: SPAN,
    };
    let body = Loop {
        id: LoopId(0),
        pretest: true,
        prelude: Vec::new(),
        condition: one,
        body: vec![
            leave(is_end, 0),
            leave(is_odd, 1),
            Stmt::Assign {
                variable: sum,
                value: more,
            },
        ],
        step: vec![Stmt::Assign {
            variable: i,
            value: next,
        }],
        continue_label: LabelId(1),
        break_label: LabelId(0),
        stops: Stops::default(),
        span: SPAN,
    };
    let to = b.at(out_expr, tid);
    let body = vec![
        Stmt::Assign {
            variable: i,
            value: zero,
        },
        Stmt::Assign {
            variable: sum,
            value: zero,
        },
        Stmt::Loop(Box::new(body)),
        b.store(to, sum_expr),
    ];
    let outcome = b.run(body, [32, 1, 1], vec![buffer(32)]).expect("it runs");
    let expected: Vec<i32> = (0..32)
        .map(|tid| (0..tid).filter(|i| i % 2 == 0).sum())
        .collect();
    assert_eq!(words(&outcome), expected);
    assert_eq!(only(&outcome, 0).requests, 2);
}

#[test]
fn divergent_barriers_and_returns() {
    // if (tid < 8) return; barrier; if (tid < 16) barrier;
    let mut b = Builder::new();
    let (tid, eight, sixteen) = (b.tid(), b.int(8), b.int(16));
    let (early, some) = (b.op(Binary::Lt, tid, eight), b.op(Binary::Lt, tid, sixteen));
    let barrier = |at: u32| Stmt::Barrier {
        kind: Barrier::Block,
        span: Span { start: at, ..SPAN },
    };
    let when = |condition: ExprId, then: Block| Stmt::If {
        condition,
        then,
        otherwise: Vec::new(),
        span: SPAN,
    };
    let body = vec![
        when(early, vec![Stmt::Return]),
        barrier(1),
        when(some, vec![barrier(2)]),
    ];
    let outcome = b.run(body, [32, 1, 1], Vec::new()).expect("it runs");
    let [divergent] = outcome.divergent_barriers.as_slice() else {
        panic!("one barrier diverges")
    };
    assert_eq!(
        (divergent.span.start, divergent.arrived, divergent.expected),
        (2, 8, 24)
    );
}

#[test]
fn faults_name_the_access() {
    let mut b = Builder::new();
    let out = b.pointer("out");
    let (tid, out) = (b.tid(), b.var(out));
    let to = b.at(out, tid);
    let body = vec![b.store(to, tid)];
    let outcome = b.run(body, [32, 1, 1], vec![buffer(20)]).expect("it runs");
    let fault = outcome.fault.expect("it leaves its buffer");
    assert_eq!((fault.site, fault.thread), (SiteId(0), 20));
    assert_eq!(
        fault.message,
        "store of 4 bytes at byte 80 of `out`, which has 80"
    );
}

#[test]
fn misaligned_vectors_fault() {
    let mut b = Builder::new();
    let out = b.pointer("out");
    let (tid, out) = (b.tid(), b.var(out));
    let to = b.at(out, tid);
    let body = vec![b.store(to, tid)];
    let argument = ConcreteArgument::Buffer {
        bytes: vec![0; 400],
        offset: 2,
    };
    let outcome = b.run(body, [32, 1, 1], vec![argument]).expect("it runs");
    assert!(
        outcome
            .fault
            .is_some_and(|fault| fault.message.contains("no multiple of 4"))
    );
}

#[test]
fn unknown_values_move_but_do_not_steer() {
    let unknown = |b: &mut Builder| {
        b.add(Expr::Unknown {
            reason: "a texture read".into(),
            inputs: Vec::new(),
            is_varying: true,
            ty: Scalar::I32,
        })
    };
    let mut b = Builder::new();
    let out = b.pointer("out");
    let (tid, out, value) = (b.tid(), b.var(out), unknown(&mut b));
    let to = b.at(out, tid);
    let body = vec![b.store(to, value)];
    let outcome = b.run(body, [32, 1, 1], vec![buffer(32)]).expect("it runs");
    assert!(outcome.buffers[0].known.iter().all(|known| !known));
    assert_eq!(only(&outcome, 0).requests, 2);

    let mut b = Builder::new();
    let out = b.pointer("out");
    let (tid, out, value) = (b.tid(), b.var(out), unknown(&mut b));
    let to = b.at(out, value);
    let body = vec![b.store(to, tid)];
    let problem = b
        .run(body, [32, 1, 1], vec![buffer(32)])
        .expect_err("the address is unknown");
    assert!(problem.reason.contains("`array`") && problem.reason.contains("a texture read"));
}

#[test]
fn endless_loops_end() {
    let mut b = Builder::new();
    let one = b.int(1);
    let problem = b
        .run(vec![while_it_holds(one)], [32, 1, 1], Vec::new())
        .expect_err("endless");
    assert!(problem.reason.contains("did not end"));
}

#[test]
fn requests_reach_the_observer() {
    let mut b = Builder::new();
    let s = b.shared(None);
    let tid = b.tid();
    let place = b.at(s, tid);
    let store = b.store(place, tid);
    b.kernel.body = vec![store];
    let blocks = Blocks::Only(vec![[3, 0, 0]]);
    let launch = ConcreteLaunch {
        grid: [8, 1, 1],
        block: [48, 1, 1],
        dynamic_shared: 192,
        arguments: Vec::new(),
        blocks,
        limit: None,
        only: None,
    };
    let mut seen = Vec::new();
    run(
        &b.kernel,
        &Program::default(),
        &launch,
        &Arch::DEFAULT,
        &mut |request| seen.push(request.clone()),
    )
    .expect("it runs");
    let summary: Vec<_> = seen
        .iter()
        .map(|r| (r.block, r.warp, r.lanes, r.request.active_mask()))
        .collect();
    assert_eq!(
        summary,
        [
            ([3, 0, 0], 0, u32::MAX, u32::MAX),
            ([3, 0, 0], 1, 0xFFFF, 0xFFFF)
        ]
    );
    assert!(
        seen.iter()
            .all(|r| r.request.space == Space::Shared && r.cost.is_ideal())
    );
    assert_eq!(seen[1].request.addresses[0], Some(128));
}

#[test]
fn a_run_that_ends_early_shows_what_came_before() {
    let mut b = Builder::new();
    let s = b.shared(Some(128));
    let (tid, sixteen, one) = (b.tid(), b.int(16), b.int(1));
    let condition = b.op(Binary::Lt, tid, sixteen);
    let place = b.at(s, tid);
    let store = b.store(place, tid);
    let barrier = Stmt::Barrier {
        kind: Barrier::Block,
        span: SPAN,
    };
    let branch = Stmt::If {
        condition,
        then: vec![barrier],
        otherwise: Vec::new(),
        span: SPAN,
    };
    b.kernel.body = vec![store, branch, while_it_holds(one)];
    for (statements, known) in [(100, 1_000), (1_000, 100)] {
        let launch = ConcreteLaunch {
            grid: [1, 1, 1],
            block: [32, 1, 1],
            limit: Some(Limit { statements, known }),
            only: Some(Space::Shared),
            ..ConcreteLaunch::default()
        };
        let mut stores = 0;
        let outcome = run(
            &b.kernel,
            &Program::default(),
            &launch,
            &Arch::DEFAULT,
            &mut |_| stores += 1,
        )
        .expect("it runs");
        let arrived = outcome
            .divergent_barriers
            .iter()
            .map(|barrier| barrier.arrived);
        assert_eq!(arrived.collect::<Vec<_>>(), [16]);
        assert_eq!(stores, 1);
        assert!(outcome.totals.is_empty(), "not counted");
    }
}
