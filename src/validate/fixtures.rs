//! Fixture files as something to launch.
//!
//! Given: the text of fixture files, an architecture and a seed.
//! Gives: the plan that launches every directive's kernel with its arguments, each launch
//! beside what the simulator says of it.
//! Does not know: devices, profilers, or files on disk: a plan must stand alone.

use crate::finding::Fix;
use crate::fix::apply;
use crate::fixture::{self, FixtureArgument, FixtureLaunch};
use crate::gpu::Arch;
use crate::ir::{Kernel, ParameterKind, Scalar};
use crate::session::{self, Analysis, Options};
use crate::sim;
use crate::source::{FileId, SourceFile};
use crate::syntax::{ast, parse};
use std::path::PathBuf;
use std::sync::Arc;

use super::plan::{Arg, ArgValue, Buffer, Init, Launch, Leaf, Number, PLAN_SCHEMA, Plan, Source};
use super::predict::{self, Simulated};
use super::trace;
use crate::fixture::Element;

/// One fixture file, read.
pub struct Specimen {
    /// The user's path.
    pub file: String,
    pub source: SourceFile,
    pub fixture: fixture::Fixture,
    pub arch: Arch,
    /// Off where the directive says that the file is not to be compiled.
    pub is_measured: bool,
    /// Off where the kernels hold something without a value.
    pub is_simulated: bool,
    pub analysis: Analysis,
}

/// One launch, ready to be made.
pub struct Prepared<'a> {
    pub specimen: &'a Specimen,
    pub kernel: &'a Kernel,
    pub launch: Launch,
    /// What the simulator says, or why it says nothing.
    pub simulated: Result<Simulated, String>,
}

/// A fixture without its bank conflicts.
pub struct Cured {
    pub text: String,
    /// Lines that had a conflict and are proved to have none; the same lines before and after.
    pub lines: Vec<u32>,
}

/// Directives of a fixture, and the options that they make.
struct Read {
    source: SourceFile,
    fixture: fixture::Fixture,
    options: Options,
    is_measured: bool,
    is_simulated: bool,
}

impl Read {
    fn of(file: &str, text: &str, arch: Arch) -> Result<Self, String> {
        let source = SourceFile::new(PathBuf::from(file), text.into());
        let fixture = fixture::read(text, FileId(0)).map_err(|problems| {
            let first = problems.first();
            let at = first.map_or(1, |problem| source.line(problem.span.start));
            let message = first.map_or("", |problem| problem.message.as_str());
            format!("{file}:{at}: {message}")
        })?;
        let mut options = Options {
            arch,
            fixes: false,
            reads_disk: false,
            ..Options::default()
        };
        let (mut is_measured, mut is_simulated) = (true, true);
        for option in &fixture.options {
            match option.key.as_str() {
                "define" => options.defines.push(match option.value.split_once('=') {
                    Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                    None => (option.value.clone(), None),
                }),
                "measure" => is_measured = option.value != "no",
                "simulate" => is_simulated = option.value != "no",
                _ => {}
            }
        }
        Ok(Self {
            source,
            fixture,
            options,
            is_measured,
            is_simulated,
        })
    }
}

impl Specimen {
    /// Reads a fixture for `arch`, which is that of the GPU: what the file says of
    /// architectures is for the static judge. `proves`: with verdicts, which takes longer.
    ///
    /// # Errors
    /// One sentence about a directive that can't be read.
    pub fn read(file: &str, text: &str, arch: Arch, proves: bool) -> Result<Specimen, String> {
        let Read {
            source,
            fixture,
            options,
            is_measured,
            is_simulated,
        } = Read::of(file, text, arch)?;
        let main = [Arc::new(SourceFile::new(PathBuf::from(file), text.into()))];
        let analysis = if proves {
            session::analyse(&main, &options)
        } else {
            session::read(&main, &options)
        };
        Ok(Specimen {
            file: file.to_owned(),
            source,
            fixture,
            arch,
            is_measured,
            is_simulated,
            analysis,
        })
    }

    /// The file's text with the proved cures of its bank conflicts in place, those included that
    /// users have to ask for; `None` where no conflict has one.
    ///
    /// # Errors
    /// As [`Specimen::read`].
    pub fn cured(file: &str, text: &str, arch: Arch) -> Result<Option<Cured>, String> {
        let Read { mut options, .. } = Read::of(file, text, arch)?;
        options.fixes = true;
        let main = [Arc::new(SourceFile::new(PathBuf::from(file), text.into()))];
        let analysis = session::analyse(&main, &options);
        let cures = analysis.findings.iter().filter_map(|finding| {
            let is_cure = |fix: &&Fix| finding.rule == "bank-conflict" && !fix.edits.is_empty();
            Some((finding, finding.fixes.iter().find(is_cure)?))
        });
        let (changes, _) = apply::plan(cures.clone().map(|(_, fix)| fix));
        let [change] = changes.as_slice() else {
            return Ok(None);
        };
        let mut lines: Vec<u32> = cures
            .filter(|(_, fix)| fix.is_whole)
            .map(|(finding, _)| {
                let span = finding.primary.span;
                analysis.sources.get(span.file).line(span.start)
            })
            .collect();
        lines.dedup();
        Ok(Some(Cured {
            text: change.text(&analysis.sources),
            lines,
        }))
    }

    /// Names a launch in plans, tables and recordings.
    #[must_use]
    pub fn label(&self, launch: &FixtureLaunch) -> String {
        let line = self.source.line(launch.span.start);
        format!("{}:{line} {}{}", self.file, launch.kernel, launch.template)
    }

    /// Every launch of the file, simulated.
    ///
    /// # Errors
    /// For one launch: why it can't or must not be made.
    pub fn prepare(
        &self,
        seed: u64,
    ) -> impl Iterator<Item = (String, Result<Prepared<'_>, String>)> {
        self.fixture
            .launches
            .iter()
            .map(move |launch| (self.label(launch), self.prepare_one(launch, seed)))
    }

    fn prepare_one(&self, launch: &FixtureLaunch, seed: u64) -> Result<Prepared<'_>, String> {
        let without_blanks =
            |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
        let kernel = self.analysis.program.kernels.iter().find(|kernel| {
            kernel.name == launch.kernel && without_blanks(&kernel.instance) == launch.template
        });
        let kernel = kernel.ok_or("no such kernel was read")?;
        // Checks that arguments and parameters match; the bytes come from the plan.
        sim::concrete(launch, kernel)?;
        let pairs = kernel.parameters.iter().zip(&launch.arguments);
        let args = pairs
            .map(|(parameter, (name, argument))| {
                Ok(Arg {
                    name: name.clone(),
                    value: value(&parameter.kind, argument)?,
                })
            })
            .collect::<Result<Vec<_>, String>>()?;
        let mut planned = Launch {
            label: self.label(launch),
            source: 0,
            kernel: format!("{}{}", launch.kernel, launch.template),
            grid: launch.grid,
            block: launch.block,
            shared_bytes: u32::try_from(launch.shared)
                .map_err(|_| "so much shared memory no GPU has")?,
            seed,
            args,
        };
        let simulated = if self.is_simulated {
            predict::simulate(self, kernel, &mut planned)
        } else {
            Err("the fixture says that it can't be simulated".to_owned())
        };
        if let Ok(Simulated {
            fault: Some(fault), ..
        }) = &simulated
        {
            return Err(format!("not launched, since it would fault: {fault}"));
        }
        Ok(Prepared {
            specimen: self,
            kernel,
            launch: planned,
            simulated,
        })
    }

    /// The text for the GPU's compiler, which refuses host code: functions for the host are
    /// blanked, lines stay where they are.
    #[must_use]
    pub fn device_text(&self) -> String {
        let mut text = self.source.text.to_string();
        for unit in &self.analysis.units {
            let tree = parse::parse(&unit.expanded.text);
            let mut hosts = Vec::new();
            host_functions(&tree.items, &mut hosts);
            for range in hosts {
                let span = unit
                    .expanded
                    .origin(range.start as usize..range.end as usize)
                    .span;
                let (start, end) = (span.start as usize, span.end as usize);
                if span.file == unit.file && text.get(start..end).is_some() {
                    let blank: String = text[start..end]
                        .bytes()
                        .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
                        .collect();
                    text.replace_range(start..end, &blank);
                }
            }
        }
        text
    }
}

/// Functions that only the host can run: no execution space, and no `constexpr`, which device
/// code may call.
fn host_functions(items: &[ast::Item], found: &mut Vec<ast::Range>) {
    for item in items {
        match item {
            ast::Item::Function(function) => {
                let attributes = &function.attributes;
                if !attributes.global && !attributes.device && !attributes.is_constexpr {
                    found.push(function.range);
                }
            }
            ast::Item::Namespace(_, items) => host_functions(items, found),
            _ => {}
        }
    }
}

/// A directive's argument as the kernel is given it.
fn value(kind: &ParameterKind, argument: &FixtureArgument) -> Result<ArgValue, String> {
    match (kind, argument) {
        (ParameterKind::Scalar(ty), argument) => scalar(*ty, argument),
        (ParameterKind::Pointer { .. }, argument) => scalar(Scalar::Pointer, argument),
        (ParameterKind::Object { leaves }, FixtureArgument::Struct(values)) => {
            let leaves = leaves.iter().zip(values).map(|((at, ty, path), value)| {
                Ok(Leaf {
                    name: path.clone(),
                    at: *at,
                    value: scalar(*ty, value)?,
                })
            });
            Ok(ArgValue::Struct {
                leaves: leaves.collect::<Result<_, String>>()?,
            })
        }
        _ => Err("an argument is not of its parameter's type".to_owned()),
    }
}

fn scalar(ty: Scalar, argument: &FixtureArgument) -> Result<ArgValue, String> {
    let number = match *argument {
        FixtureArgument::Buffer {
            element,
            count,
            fill,
            offset,
        } => {
            return Ok(ArgValue::Buffer(Buffer {
                element,
                count,
                init: Init::Fill(fill),
                offset,
                compared: None,
            }));
        }
        FixtureArgument::Int(value) => Number::Integer(value),
        FixtureArgument::Float(value) => Number::Float(value),
        FixtureArgument::Struct(_) => {
            return Err("a struct stands where a number is wanted".to_owned());
        }
    };
    let element = match ty {
        Scalar::I8 => Element::I8,
        Scalar::Bool | Scalar::U8 => Element::U8,
        Scalar::I16 => Element::I16,
        Scalar::U16 => Element::U16,
        Scalar::I32 => Element::I32,
        Scalar::U32 => Element::U32,
        Scalar::I64 => Element::I64,
        Scalar::U64 | Scalar::Pointer => Element::U64,
        Scalar::F16 => Element::F16,
        Scalar::BF16 => Element::BF16,
        Scalar::F32 => Element::F32,
        Scalar::F64 => Element::F64,
        Scalar::Bytes(_) => return Err("a vector by value can't be stated".to_owned()),
    };
    Ok(ArgValue::Scalar {
        element,
        value: number,
    })
}

/// What is to be launched, and one sentence for each launch that is not.
pub struct Planned {
    pub plan: Plan,
    pub left_out: Vec<String>,
}

/// The plan of all launches of these files.
#[must_use]
pub fn plan(specimens: &[Specimen], seed: u64) -> Planned {
    let mut planned = Planned {
        plan: Plan {
            schema: PLAN_SCHEMA.to_owned(),
            arch: None,
            sources: Vec::new(),
            launches: Vec::new(),
        },
        left_out: Vec::new(),
    };
    for specimen in specimens {
        if !specimen.is_measured {
            let said = format!("{}: not to be measured, it says", specimen.file);
            planned.left_out.push(said);
            continue;
        }
        let text = specimen.device_text();
        let options = specimen
            .fixture
            .options
            .iter()
            .filter(|option| option.key == "define")
            .map(|option| format!("-D{}", option.value))
            .collect();
        let source = planned.plan.sources.len();
        planned.plan.sources.push(Source {
            file: specimen.file.clone(),
            traced: Some(trace::instrument(specimen, &text)),
            text,
            options,
        });
        for (label, prepared) in specimen.prepare(seed) {
            match prepared {
                Ok(mut prepared) => {
                    prepared.launch.source = source;
                    planned.plan.launches.push(prepared.launch);
                }
                Err(reason) => planned.left_out.push(format!("{label}: {reason}")),
            }
        }
    }
    planned
}
