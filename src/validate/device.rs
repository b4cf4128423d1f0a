//! The one door to the GPU: compiles, launches and profiles a plan. Only this file and the
//! folder beside it name `cudarc` and hold `unsafe`.
//!
//! Given: a [`Plan`]. Gives: a [`Measurement`], or one sentence that says why there is none.
//! Does not know: fixtures, predictions, or what the counters should say.
//!
//! Memory comes from plain `cuMemAlloc`, never managed memory. Every call's status is checked.
//! The libraries (driver, NVRTC, CUPTI) are looked for at run time.
#![allow(unsafe_code)]

mod profiler;

use profiler::{Profiler, source_line};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use cudarc::cupti::sys as cupti;
use cudarc::driver::{CudaContext, result as driver, sys as driver_sys};

use crate::gpu::Arch;
use crate::nvrtc;

use super::counters::{self, Counter, InstructionCounters};
use super::measurement::{LaunchMeasurement, OutputDigest};
use super::ncu::plain_name;
use super::plan::{ArgValue, Buffer, Launch, POISON, Plan, Source, fingerprint, within};
use super::run::not_run;
use super::trace;

/// What a machine offers, for the head of a measurement.
#[derive(Clone, Debug)]
pub struct Facts {
    pub gpu: String,
    pub arch: String,
    pub driver: String,
    pub cuda: String,
    pub cupti: Option<String>,
}

/// A GPU that is ready to launch kernels. Invariant: its context is current on the thread that
/// opened it, which is the only one it can be used on (it is neither `Send` nor `Sync`).
pub struct Device {
    context: Arc<CudaContext>,
    facts: Facts,
    one_thread: std::marker::PhantomData<*const ()>,
}

/// A compiled source, on the GPU.
struct Compiled {
    module: Rc<Module>,
    image: Rc<[u8]>,
    trace: Option<Rc<(Allocation, Allocation)>>,
    /// Mangled name of each kernel expression asked for.
    names: Vec<(String, CString)>,
}

/// A cubin on the GPU, unloaded when dropped.
struct Module(driver_sys::CUmodule);

impl Module {
    fn load(image: &[u8]) -> Result<Module, String> {
        // SAFETY: the image is a complete ELF file, which NVRTC has made.
        unsafe { driver::module::load_data(image.as_ptr().cast()) }
            .map(Module)
            .map_err(driver_error)
    }

    /// Memory for the records of a module that traces, made known to it.
    fn trace(&self) -> Result<Option<(Allocation, Allocation)>, String> {
        let name = CString::new(trace::HEAD).map_err(|error| error.to_string())?;
        let (mut pointer, mut bytes) = (0, 0);
        // SAFETY: the module is loaded, the pointers are valid for the call.
        let status = unsafe {
            driver_sys::cuModuleGetGlobal_v2(&mut pointer, &mut bytes, self.0, name.as_ptr())
        };
        if status != driver_sys::CUresult::CUDA_SUCCESS || bytes != 8 {
            return Ok(None);
        }
        let records = Allocation::new(&vec![0; trace::MOST_RECORDS * trace::RECORD_BYTES])?;
        let words = [0, records.pointer, trace::MOST_RECORDS as u64];
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let head = Allocation::new(&words)?;
        // SAFETY: the variable has eight bytes, as just checked.
        unsafe { driver::memcpy_htod_sync(pointer, &head.pointer.to_le_bytes()) }
            .map_err(driver_error)?;
        Ok(Some((head, records)))
    }
}

/// What a launch needs, on the GPU.
#[derive(Clone)]
struct Loaded {
    module: Rc<Module>,
    image: Rc<[u8]>,
    /// Head and records of a module that traces.
    trace: Option<Rc<(Allocation, Allocation)>>,
    function: CString,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded once; every launch was waited for. A failure means that the context is
        // lost, which the next checked call reports.
        let _ = unsafe { driver::module::unload(self.0) };
    }
}

/// A device allocation, freed when dropped.
struct Allocation {
    pointer: driver_sys::CUdeviceptr,
    bytes: usize,
}

/// Poisoned bytes before and after each buffer, which no kernel may write; a multiple of what
/// allocations are aligned to.
const GUARD: usize = 256;

/// A kernel's arguments on the GPU.
#[derive(Default)]
struct Arguments {
    /// Each argument's value in storage that stays where it is during the launch.
    values: Vec<Box<[u8]>>,
    /// In the order of [`Launch::buffers`].
    buffers: Vec<Allocation>,
}

impl Allocation {
    fn new(bytes: &[u8]) -> Result<Allocation, String> {
        // SAFETY: plain allocation; at least one byte, since cuMemAlloc refuses zero.
        let pointer = unsafe { driver::malloc_sync(bytes.len().max(1)) }.map_err(driver_error)?;
        let allocation = Allocation {
            pointer,
            bytes: bytes.len(),
        };
        allocation.write(0, bytes)?;
        Ok(allocation)
    }

    fn write(&self, at: usize, bytes: &[u8]) -> Result<(), String> {
        if at + bytes.len() > self.bytes {
            return Err("more bytes than the allocation holds".to_owned());
        }
        // SAFETY: the allocation holds that many bytes, as just checked.
        unsafe { driver::memcpy_htod_sync(self.pointer + at as u64, bytes) }.map_err(driver_error)
    }

    fn read(&self, at: usize, length: usize) -> Result<Vec<u8>, String> {
        if at + length > self.bytes {
            return Err("more bytes than the allocation holds".to_owned());
        }
        let mut bytes = vec![0_u8; length];
        // SAFETY: the allocation holds that many bytes, as just checked.
        unsafe { driver::memcpy_dtoh_sync(&mut bytes, self.pointer + at as u64) }
            .map_err(driver_error)?;
        Ok(bytes)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: the pointer came from malloc_sync and is freed once. A failure here means that
        // the context is lost, which the next checked call reports.
        let _ = unsafe { driver::free_sync(self.pointer) };
    }
}

impl Device {
    /// Finds the first GPU.
    ///
    /// # Errors
    /// One sentence: no driver, no compiler library, or no GPU, and what can be done.
    pub fn open() -> Result<Device, String> {
        // SAFETY: this only tries to load a shared library and says whether that worked.
        let has_driver = unsafe { driver_sys::is_culib_present() };
        if !has_driver {
            return Err("no GPU here (the NVIDIA driver library, libcuda, was not found): run this on a machine that has one, or compare with a recording under fixtures/measured".to_owned());
        }
        if !nvrtc::is_there() {
            return Err("the CUDA compiler library (libnvrtc) was not found: put the toolkit's library folder on LD_LIBRARY_PATH".to_owned());
        }
        let context = CudaContext::new(0)
            .map_err(|error| format!("no usable GPU: {}", driver_error(error)))?;
        let attempt = || -> Result<Facts, driver::DriverError> {
            let (major, minor) = context.compute_capability()?;
            let mut version = 0;
            // SAFETY: the pointer is valid for the call.
            unsafe { driver_sys::cuDriverGetVersion(&mut version) }.result()?;
            let gpu = context.name()?;
            let supports = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
            let driver = match driver_release() {
                Some(release) => format!("{release}, {supports}"),
                None => supports,
            };
            Ok(Facts {
                gpu,
                arch: format!("sm_{major}{minor}"),
                driver,
                cuda: nvrtc::version().unwrap_or_else(|_| "unknown".to_owned()),
                cupti: cupti_version(),
            })
        };
        let facts = attempt()
            .map_err(|error| format!("the GPU does not answer: {}", driver_error(error)))?;
        Ok(Device {
            context,
            facts,
            one_thread: std::marker::PhantomData,
        })
    }

    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The SASS metrics that CUPTI offers on this GPU: name and description.
    ///
    /// # Errors
    /// One sentence where CUPTI is missing or refuses.
    pub fn metrics(&self) -> Result<Vec<(String, String)>, String> {
        let all = Profiler::available(self)?;
        Ok(all
            .into_iter()
            .map(|(_, name, description)| (name, description))
            .collect())
    }

    /// Launches a plan of one launch with CUPTI's SASS metrics on.
    ///
    /// One launch: with CUDA 13.0, CUPTI counts only the first kernel that a process launches
    /// (one range or several, lazy or eager instrumentation, one module or many).
    ///
    /// # Errors
    /// One sentence where counters are refused; what the launch itself suffers is in its record.
    pub fn count(&self, plan: &Plan) -> Result<Vec<LaunchMeasurement>, String> {
        if plan.launches.len() != 1 {
            return Err("CUPTI counts one launch per process".to_owned());
        }
        let profiler = Profiler::start(self)?;
        let mut counted = |loaded: &Loaded, launch: &Launch, record: &mut LaunchMeasurement| {
            let source = plan.sources.get(launch.source);
            let mut rows = Vec::new();
            for ((function, offset), values) in profiler.read()? {
                let (file, line) = source_line(&loaded.image, &function, offset);
                let mut row = InstructionCounters::new(plain_name(&file, source), line, None);
                values
                    .into_iter()
                    .for_each(|(counter, value)| row.add(counter, value));
                rows.push(row);
            }
            record.rows = counters::by_line(&rows);
            Ok(())
        };
        Ok(self.run(plan, &self.load(plan), None, &mut counted))
    }

    /// Launches a plan without counters, for an outer profiler. Faults are in the records.
    /// With `keep`, what each launch leaves in its buffers is written under that folder.
    pub fn launch(&self, plan: &Plan, keep: Option<&Path>) -> Vec<LaunchMeasurement> {
        self.run(plan, &self.load(plan), keep, &mut |_, _, _| Ok(()))
    }

    /// Launches kernels that record their own addresses; the records become rows.
    pub fn trace(&self, plan: &Plan) -> Vec<LaunchMeasurement> {
        let mut plan = plan.clone();
        for source in &mut plan.sources {
            match &source.traced {
                Some(traced) => source.text.clone_from(&traced.text),
                None => source.text = "#error this source has no traced form".to_owned(),
            }
        }
        let arch = plan.arch.as_deref().unwrap_or(&self.facts.arch);
        let arch = Arch::parse(arch);
        let mut traced = |loaded: &Loaded, launch: &Launch, record: &mut LaunchMeasurement| {
            let arch = arch.as_ref().map_err(String::clone)?;
            let source = plan.sources.get(launch.source);
            let Some((file, traced)) =
                source.and_then(|source| Some((&source.file, source.traced.as_ref()?)))
            else {
                return Err("the plan has no traced form of this source".to_owned());
            };
            let records = self.records(loaded)?;
            record.rows = trace::rows(&records, file, &traced.sites, arch)?;
            Ok(())
        };
        self.run(&plan, &self.load(&plan), None, &mut traced)
    }

    /// What the kernels of a module have recorded since its load.
    fn records(&self, loaded: &Loaded) -> Result<Vec<u8>, String> {
        let head = loaded.trace.as_ref().ok_or("the module records nothing")?;
        let used = head.0.read(0, 8)?;
        let used = u64::from_le_bytes(used.try_into().unwrap_or_default()) as usize;
        if used > trace::MOST_RECORDS {
            return Err(format!(
                "more than {} requests were recorded",
                trace::MOST_RECORDS
            ));
        }
        // The next launch of this module starts anew.
        head.0.write(0, &0_u64.to_le_bytes())?;
        head.1.read(0, used * trace::RECORD_BYTES)
    }

    /// Compiles and loads what each launch needs; launches of one source share a module.
    fn load(&self, plan: &Plan) -> Vec<Result<Loaded, String>> {
        let arch = plan.arch.as_deref().unwrap_or(&self.facts.arch);
        let mut modules: BTreeMap<usize, Result<Compiled, String>> = BTreeMap::new();
        let mut load = |launch: &Launch| {
            let source = plan.sources.get(launch.source).ok_or_else(|| {
                format!("launch {} names a source that the plan lacks", launch.label)
            })?;
            let compiled = modules.entry(launch.source).or_insert_with(|| {
                let kernels = plan
                    .launches
                    .iter()
                    .filter(|other| other.source == launch.source)
                    .map(|other| other.kernel.as_str());
                self.compile(source, arch, kernels)
            });
            let compiled = compiled.as_ref().map_err(String::clone)?;
            let name = compiled
                .names
                .iter()
                .find(|(kernel, _)| *kernel == launch.kernel)
                .map(|(_, name)| name.clone());
            let function =
                name.ok_or_else(|| format!("kernel {} was not compiled", launch.kernel))?;
            Ok(Loaded {
                module: Rc::clone(&compiled.module),
                image: Rc::clone(&compiled.image),
                trace: compiled.trace.clone(),
                function,
            })
        };
        plan.launches.iter().map(&mut load).collect()
    }

    /// `after` sees each launch that went well.
    fn run(
        &self,
        plan: &Plan,
        loaded: &[Result<Loaded, String>],
        keep: Option<&Path>,
        after: &mut dyn FnMut(&Loaded, &Launch, &mut LaunchMeasurement) -> Result<(), String>,
    ) -> Vec<LaunchMeasurement> {
        let mut lost = false;
        let mut run = |launch: &Launch, loaded: &Result<Loaded, String>| {
            if lost {
                return Err(not_run());
            }
            let folder = keep.map(|folder| folder.join(slug(&launch.label)));
            let outcome = loaded.as_ref().map_err(String::clone).and_then(|loaded| {
                if let Some(folder) = &folder {
                    std::fs::create_dir_all(folder)
                        .map_err(|error| format!("{}: {error}", folder.display()))?;
                }
                self.one(&loaded.module, &loaded.function, launch, folder.as_deref())
            });
            // A fault takes the context with it: nothing more can be run or read.
            if let Err(error) = self.context.synchronize() {
                lost = true;
                return Err(format!("fails on the GPU: {}", driver_error(error)));
            }
            outcome
        };
        let pairs = plan.launches.iter().zip(loaded);
        pairs
            .map(|(launch, loaded)| {
                let (outputs, error) = match run(launch, loaded) {
                    Ok(outputs) => (outputs, None),
                    Err(error) => (Vec::new(), Some(error)),
                };
                let source = plan.sources.get(launch.source);
                let source = source.map_or(0, |source| fingerprint(source.text.as_bytes()));
                let Launch {
                    label,
                    kernel,
                    grid,
                    block,
                    seed,
                    ..
                } = launch.clone();
                let mut record = LaunchMeasurement {
                    label,
                    kernel,
                    grid,
                    block,
                    seed,
                    source,
                    error,
                    rows: Vec::new(),
                    outputs,
                };
                if let (None, Ok(loaded)) = (&record.error, loaded)
                    && let Err(error) = after(loaded, launch, &mut record)
                {
                    record.error = Some(error);
                }
                record
            })
            .collect()
    }

    fn compile<'a>(
        &self,
        source: &Source,
        arch: &str,
        kernels: impl Iterator<Item = &'a str>,
    ) -> Result<Compiled, String> {
        // Contraction would make the simulator's sums differ from the GPU's.
        let mut options = vec![
            format!("--gpu-architecture={arch}"),
            "-lineinfo".to_owned(),
            "--fmad=false".to_owned(),
            "--std=c++17".to_owned(),
        ];
        options.extend(toolkit_includes());
        options.extend(source.options.iter().cloned());
        let mut wanted: Vec<String> = Vec::new();
        for kernel in kernels {
            if !wanted.iter().any(|known| known == kernel) {
                wanted.push(kernel.to_owned());
            }
        }
        let fault = |error: String| format!("{} does not compile: {error}", source.file);
        let output =
            nvrtc::compile(&source.file, &source.text, &options, &wanted).map_err(fault)?;
        let mut names: Vec<(String, CString)> = Vec::new();
        for (kernel, name) in wanted.into_iter().zip(output.names) {
            let name = name.and_then(|name| CString::new(name).ok());
            let name = name.ok_or_else(|| fault(format!("no kernel {kernel}")))?;
            names.push((kernel, name));
        }
        let compiled = output.cubin;
        let module = Module::load(&compiled)
            .map_err(|error| format!("{} does not load: {error}", source.file))?;
        let trace = module.trace()?.map(Rc::new);
        Ok(Compiled {
            module: Rc::new(module),
            trace,
            image: compiled.into(),
            names,
        })
    }

    fn one(
        &self,
        module: &Module,
        name: &CStr,
        launch: &Launch,
        keep: Option<&Path>,
    ) -> Result<Vec<OutputDigest>, String> {
        let check = |result: Result<(), driver::DriverError>| result.map_err(driver_error);
        // SAFETY: the module is loaded, the name is a C string.
        let function = unsafe { driver::module::get_function(module.0, name.to_owned()) }
            .map_err(driver_error)?;
        if launch.shared_bytes > 48 * 1024 {
            let attribute = driver_sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function belongs to a loaded module.
            check(unsafe {
                driver::function::set_function_attribute(
                    function,
                    attribute,
                    launch.shared_bytes as i32,
                )
            })?;
        }
        let mut arguments = Arguments::default();
        for arg in &launch.args {
            let value = arguments.value(&arg.name, &arg.value, launch.seed)?;
            arguments.values.push(value.into_boxed_slice());
        }
        let Arguments {
            mut values,
            buffers,
        } = arguments;
        let mut parameters: Vec<*mut c_void> = values
            .iter_mut()
            .map(|value| value.as_mut_ptr().cast())
            .collect();
        let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
        // SAFETY: one pointer per argument of the plan, each to a value that outlives the launch,
        // which is synchronised here. That the plan's arguments fit the kernel's parameters is the
        // plan's duty; a misfit faults on the GPU and is reported by the synchronisation.
        let launched = unsafe {
            driver::launch_kernel(
                function,
                (gx, gy, gz),
                (bx, by, bz),
                launch.shared_bytes,
                std::ptr::null_mut(),
                &mut parameters,
            )
        }
        .and_then(|()| self.context.synchronize());
        check(launched)?;
        launch
            .buffers()
            .zip(&buffers)
            .map(|((name, buffer), allocation)| digest(name, buffer, allocation, keep))
            .collect()
    }
}

impl Arguments {
    /// The bytes that the kernel is given for this value; buffers are allocated.
    fn value(&mut self, name: &str, value: &ArgValue, seed: u64) -> Result<Vec<u8>, String> {
        match value {
            ArgValue::Scalar { element, value } => Ok(value.bytes(*element)),
            ArgValue::Buffer(buffer) => {
                let guard = [POISON; GUARD];
                let content = buffer.bytes(name, seed);
                let allocation = Allocation::new(&[&guard, content.as_slice(), &guard].concat())?;
                let start = allocation.pointer + GUARD as u64;
                self.buffers.push(allocation);
                Ok(start
                    .wrapping_add_signed(buffer.offset)
                    .to_ne_bytes()
                    .to_vec())
            }
            ArgValue::Struct { leaves } => {
                // The driver reads as many bytes as the struct has: its last leaf and padding.
                let mut bytes = Vec::new();
                for leaf in leaves {
                    let part = self.value(&leaf.name, &leaf.value, seed)?;
                    let at = leaf.at as usize;
                    bytes.resize(bytes.len().max(at + part.len()), 0);
                    bytes[at..at + part.len()].copy_from_slice(&part);
                }
                bytes.resize(bytes.len().next_multiple_of(16), 0);
                Ok(bytes)
            }
        }
    }
}

/// What a buffer holds after the launch. With `keep`, a copy goes to that file.
fn digest(
    name: &str,
    buffer: &Buffer,
    allocation: &Allocation,
    keep: Option<&Path>,
) -> Result<OutputDigest, String> {
    let whole = allocation.read(0, allocation.bytes)?;
    let bytes = &whole[GUARD..whole.len() - GUARD];
    let (before, after) = (&whole[..GUARD], &whole[whole.len() - GUARD..]);
    if before.iter().chain(after).any(|byte| *byte != POISON) {
        return Err(format!("the kernel writes outside of `{name}`"));
    }
    if let Some(folder) = keep {
        let path = folder.join(format!("{name}.bin"));
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let poisoned = bytes
        .chunks(buffer.element.size() as usize)
        .filter(|element| element.iter().all(|byte| *byte == POISON))
        .count();
    Ok(OutputDigest {
        name: name.to_owned(),
        fingerprint: fingerprint(&within(bytes, buffer.compared.as_deref())),
        poisoned: poisoned as u64,
    })
}

// ---------------------------------------------------------------- small things

/// # Safety
/// Null, or a C string that lives through the call.
unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

fn driver_error(error: driver::DriverError) -> String {
    let words = error
        .error_string()
        .map(|words| words.to_string_lossy().into_owned());
    words.unwrap_or_else(|_| format!("CUDA error {}", error.0 as u32))
}

fn cupti_check(call: &str, status: cupti::CUptiResult) -> Result<(), String> {
    if status == cupti::CUptiResult::CUPTI_SUCCESS {
        return Ok(());
    }
    let mut words = std::ptr::null();
    // SAFETY: the pointer is valid for the call; the string it returns is static.
    let words = unsafe {
        let _ = cupti::cuptiGetResultString(status, &mut words);
        copied(words)
    };
    Err(format!(
        "the GPU's counters are refused: {call} says {words} ({})",
        status as u32
    ))
}

fn cupti_version() -> Option<String> {
    let mut version = 0;
    // SAFETY: the pointer is valid for the call, which is made only if the library loads.
    let status = unsafe {
        if !cupti::is_culib_present() {
            return None;
        }
        cupti::cuptiGetVersion(&mut version)
    };
    (status == cupti::CUptiResult::CUPTI_SUCCESS).then(|| format!("CUPTI {version}"))
}

/// The toolkit's headers, where its folder is known, for sources that include them.
fn toolkit_includes() -> Vec<String> {
    let roots = ["CUDA_HOME", "CUDA_PATH"].map(std::env::var_os);
    let roots = roots.into_iter().flatten().map(PathBuf::from);
    let Some(root) = roots
        .chain([PathBuf::from("/usr/local/cuda")])
        .find(|root| root.join("include").is_dir())
    else {
        return Vec::new();
    };
    // Since CUDA 13 the C++ library lies in a folder of its own.
    ["include", "include/cccl"]
        .map(|folder| root.join(folder))
        .into_iter()
        .filter(|folder| folder.is_dir())
        .map(|folder| format!("-I{}", folder.display()))
        .collect()
}

/// A label as the name of a folder.
fn slug(label: &str) -> String {
    label
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// The driver's own version, as its kernel module states it.
fn driver_release() -> Option<String> {
    let text = std::fs::read_to_string("/sys/module/nvidia/version").ok()?;
    Some(text.trim().to_owned())
}
