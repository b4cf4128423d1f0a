//! The one door to the GPU: compiles, launches and profiles a plan. Only this file names
//! `cudarc`, and only this file holds `unsafe`.
//!
//! Given: a [`Plan`]. Gives: a [`Measurement`], or one sentence that says why there is none.
//! Does not know: fixtures, predictions, or what the counters should say.
//!
//! Memory comes from plain `cuMemAlloc`, never managed memory. Every call's status is checked.
//! The libraries (driver, NVRTC, CUPTI) are looked for at run time.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::rc::Rc;
use std::sync::Arc;

use cudarc::cupti::sys as cupti;
use cudarc::driver::{CudaContext, result as driver, sys as driver_sys};
use cudarc::nvrtc::sys as nvrtc;

use super::counters::{self, Counter, InstructionCounters};
use super::measurement::{LaunchMeasurement, OutputDigest};
use super::plan::{ArgValue, Launch, POISON, Plan, Source, fingerprint};
use super::run::not_run;

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
}

/// What a launch needs, on the GPU.
#[derive(Clone)]
struct Loaded {
    module: Rc<Module>,
    image: Rc<[u8]>,
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
struct Buffer {
    pointer: driver_sys::CUdeviceptr,
    bytes: usize,
}

impl Drop for Buffer {
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
        // SAFETY: these only try to load a shared library and say whether that worked.
        let (has_driver, has_nvrtc) =
            unsafe { (driver_sys::is_culib_present(), nvrtc::is_culib_present()) };
        if !has_driver {
            return Err("no GPU here (the NVIDIA driver library, libcuda, was not found): run this on a machine that has one, or compare with a recording under fixtures/measured".to_owned());
        }
        if !has_nvrtc {
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
            Ok(Facts {
                gpu,
                arch: format!("sm_{major}{minor}"),
                driver: format!("{}.{}", version / 1000, version % 1000 / 10),
                cuda: nvrtc_version(),
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
        let loaded = self.load(plan);
        let mut launched = self.run(plan, &loaded);
        for (record, loaded) in launched.iter_mut().zip(&loaded) {
            let (None, Ok(loaded)) = (&record.error, loaded) else {
                continue;
            };
            let mut rows = Vec::new();
            for ((function, offset), values) in profiler.read()? {
                let (file, line) = source_line(&loaded.image, &function, offset);
                let mut row = InstructionCounters::new(file, line, None);
                values
                    .into_iter()
                    .for_each(|(counter, value)| row.add(counter, value));
                rows.push(row);
            }
            record.rows = counters::by_line(&rows);
        }
        Ok(launched)
    }

    /// Launches a plan without counters, for an outer profiler. Faults are in the records.
    pub fn launch(&self, plan: &Plan) -> Vec<LaunchMeasurement> {
        self.run(plan, &self.load(plan))
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
                function,
            })
        };
        plan.launches.iter().map(&mut load).collect()
    }

    fn run(&self, plan: &Plan, loaded: &[Result<Loaded, String>]) -> Vec<LaunchMeasurement> {
        let mut lost = false;
        let mut run = |launch: &Launch, loaded: &Result<Loaded, String>| {
            if lost {
                return Err(not_run());
            }
            let outcome = loaded
                .as_ref()
                .map_err(String::clone)
                .and_then(|loaded| self.one(&loaded.module, &loaded.function, launch));
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
                let Launch {
                    label,
                    kernel,
                    grid,
                    block,
                    seed,
                    ..
                } = launch.clone();
                LaunchMeasurement {
                    label,
                    kernel,
                    grid,
                    block,
                    seed,
                    error,
                    rows: Vec::new(),
                    outputs,
                }
            })
            .collect()
    }

    fn compile<'a>(
        &self,
        source: &Source,
        arch: &str,
        kernels: impl Iterator<Item = &'a str>,
    ) -> Result<Compiled, String> {
        let c_string = |text: &str, what: &str| {
            CString::new(text).map_err(|_| format!("{what} holds a NUL byte"))
        };
        let text = c_string(&source.text, &source.file)?;
        let file = c_string(&source.file, "a file name")?;
        // Contraction would make the simulator's sums differ from the GPU's.
        let mut options = vec![
            format!("--gpu-architecture={arch}"),
            "-lineinfo".to_owned(),
            "--fmad=false".to_owned(),
            "--std=c++17".to_owned(),
        ];
        options.extend(toolkit_include());
        options.extend(source.options.iter().cloned());
        let options = options
            .iter()
            .map(|option| c_string(option, "a compiler option"))
            .collect::<Result<Vec<_>, _>>()?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut names: Vec<(String, CString)> = Vec::new();
        for kernel in kernels {
            if !names.iter().any(|(known, _)| known == kernel) {
                names.push((kernel.to_owned(), c_string(kernel, "a kernel name")?));
            }
        }
        let mut program = std::ptr::null_mut();
        // SAFETY: all strings live until the program is destroyed below, on every path.
        let compiled = unsafe {
            nvrtc_check(nvrtc::nvrtcCreateProgram(
                &mut program,
                text.as_ptr(),
                file.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            ))?;
            let compiled = compile_program(program, &options, &mut names);
            nvrtc_check(nvrtc::nvrtcDestroyProgram(&mut program))?;
            compiled.map_err(|error| format!("{} does not compile: {error}", source.file))?
        };
        let module = Module::load(&compiled)
            .map_err(|error| format!("{} does not load: {error}", source.file))?;
        Ok(Compiled {
            module: Rc::new(module),
            image: compiled.into(),
            names,
        })
    }

    fn one(
        &self,
        module: &Module,
        name: &CStr,
        launch: &Launch,
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
        let mut buffers: Vec<Option<Buffer>> = Vec::new();
        // Each argument's value in storage that stays where it is during the launch.
        let mut values: Vec<Box<[u8]>> = Vec::new();
        for (index, arg) in launch.args.iter().enumerate() {
            let bytes = launch.argument_bytes(index);
            match arg.value {
                ArgValue::Scalar { .. } => {
                    buffers.push(None);
                    values.push(bytes.into_boxed_slice());
                }
                ArgValue::Buffer { .. } => {
                    // SAFETY: plain allocation; at least one byte, since cuMemAlloc refuses zero.
                    let pointer =
                        unsafe { driver::malloc_sync(bytes.len().max(1)) }.map_err(driver_error)?;
                    let buffer = Buffer {
                        pointer,
                        bytes: bytes.len(),
                    };
                    // SAFETY: the allocation holds bytes.len() bytes.
                    check(unsafe { driver::memcpy_htod_sync(buffer.pointer, &bytes) })?;
                    values.push(buffer.pointer.to_ne_bytes().into());
                    buffers.push(Some(buffer));
                }
            }
        }
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
        let mut outputs = Vec::new();
        for (arg, buffer) in launch.args.iter().zip(&buffers) {
            let (Some(buffer), ArgValue::Buffer { element, .. }) = (buffer, &arg.value) else {
                continue;
            };
            let mut bytes = vec![0_u8; buffer.bytes];
            // SAFETY: the allocation holds as many bytes as the slice.
            check(unsafe { driver::memcpy_dtoh_sync(&mut bytes, buffer.pointer) })?;
            let poisoned = bytes
                .chunks(element.size())
                .filter(|element| element.iter().all(|byte| *byte == POISON))
                .count();
            outputs.push(OutputDigest {
                name: arg.name.clone(),
                fingerprint: fingerprint(&bytes),
                poisoned: poisoned as u64,
            });
        }
        Ok(outputs)
    }
}

/// # Safety
/// The program is alive; options and names are C strings that outlive it.
unsafe fn compile_program(
    program: nvrtc::nvrtcProgram,
    options: &[*const c_char],
    names: &mut [(String, CString)],
) -> Result<Vec<u8>, String> {
    // SAFETY: as the caller promises; sizes are asked for before buffers are filled.
    unsafe {
        for (_, expression) in names.iter() {
            nvrtc_check(nvrtc::nvrtcAddNameExpression(program, expression.as_ptr()))?;
        }
        let status = nvrtc::nvrtcCompileProgram(program, options.len() as i32, options.as_ptr());
        if status != nvrtc::nvrtcResult::NVRTC_SUCCESS {
            let mut size = 0;
            nvrtc_check(nvrtc::nvrtcGetProgramLogSize(program, &mut size))?;
            let mut log = vec![0_u8; size.max(1)];
            nvrtc_check(nvrtc::nvrtcGetProgramLog(program, log.as_mut_ptr().cast()))?;
            return Err(String::from_utf8_lossy(&log)
                .trim_end_matches(['\0', '\n'])
                .to_owned());
        }
        for (kernel, name) in names.iter_mut() {
            let mut lowered = std::ptr::null();
            nvrtc_check(nvrtc::nvrtcGetLoweredName(
                program,
                name.as_ptr(),
                &mut lowered,
            ))
            .map_err(|error| format!("no kernel {kernel}: {error}"))?;
            *name = CStr::from_ptr(lowered).to_owned();
        }
        let mut size = 0;
        nvrtc_check(nvrtc::nvrtcGetCUBINSize(program, &mut size))?;
        let mut cubin = vec![0_u8; size];
        nvrtc_check(nvrtc::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()))?;
        Ok(cubin)
    }
}

// ---------------------------------------------------------------- CUPTI

/// CUPTI's SASS metrics, counting on one context of device 0 until dropped.
struct Profiler {
    context: driver_sys::CUcontext,
    metrics: Vec<(u64, Counter)>,
}

/// What one machine instruction counted, by its function and place there.
type Counted = BTreeMap<(CString, u64), Vec<(Counter, u64)>>;

impl Profiler {
    fn available(device: &Device) -> Result<Vec<(u64, String, String)>, String> {
        if device.facts.cupti.is_none() {
            return Err("the CUDA profiling library (libcupti) was not found: put the toolkit's library folder on LD_LIBRARY_PATH".to_owned());
        }
        // SAFETY: each structure is filled as CUPTI's header asks (size, null, inputs) and lives
        // through its call; the strings CUPTI returns are static, copied here all the same.
        unsafe {
            let mut start = cupti::CUpti_Profiler_Initialize_Params {
                structSize: cupti::Profiler_Initialize_Params_STRUCT_SIZE as usize,
                pPriv: std::ptr::null_mut(),
            };
            cupti_check(
                "cuptiProfilerInitialize",
                cupti::cuptiProfilerInitialize(&mut start),
            )?;
            let mut chip = cupti::CUpti_Device_GetChipName_Params {
                structSize: cupti::Device_GetChipName_Params_STRUCT_SIZE as usize,
                pPriv: std::ptr::null_mut(),
                deviceIndex: 0,
                pChipName: std::ptr::null(),
            };
            cupti_check(
                "cuptiDeviceGetChipName",
                cupti::cuptiDeviceGetChipName(&mut chip),
            )?;
            let mut count = cupti::CUpti_SassMetrics_GetNumOfMetrics_Params {
                structSize: cupti::SassMetrics_GetNumOfMetrics_Params_STRUCT_SIZE as usize,
                pPriv: std::ptr::null_mut(),
                pChipName: chip.pChipName,
                numOfMetrics: 0,
            };
            cupti_check(
                "cuptiSassMetricsGetNumOfMetrics",
                cupti::cuptiSassMetricsGetNumOfMetrics(&mut count),
            )?;
            let empty = cupti::CUpti_SassMetrics_MetricDetails {
                metricId: 0,
                pMetricName: std::ptr::null(),
                pMetricDescription: std::ptr::null(),
            };
            let mut list = vec![empty; count.numOfMetrics];
            let mut get = cupti::CUpti_SassMetrics_GetMetrics_Params {
                structSize: cupti::SassMetrics_GetMetrics_Params_STRUCT_SIZE as usize,
                pPriv: std::ptr::null_mut(),
                pChipName: chip.pChipName,
                numOfMetrics: list.len(),
                pMetricsList: list.as_mut_ptr(),
            };
            cupti_check(
                "cuptiSassMetricsGetMetrics",
                cupti::cuptiSassMetricsGetMetrics(&mut get),
            )?;
            Ok(list
                .iter()
                .map(|metric| {
                    (
                        metric.metricId,
                        copied(metric.pMetricName),
                        copied(metric.pMetricDescription),
                    )
                })
                .collect())
        }
    }

    fn start(device: &Device) -> Result<Profiler, String> {
        let available = Profiler::available(device)?;
        let mut metrics = Vec::new();
        for (counter, metric) in Counter::ALL {
            match available.iter().find(|(_, name, _)| name == metric) {
                Some((id, ..)) => metrics.push((*id, counter)),
                // Older GPUs lack some kinds of instruction, and so their metrics.
                None if counter as usize > Counter::SectorsIdeal as usize => {}
                None => return Err(format!("CUPTI offers no metric {metric} on this GPU")),
            }
        }
        let profiler = Profiler {
            context: device.context.cu_ctx(),
            metrics,
        };
        profiler.configure()?;
        profiler.enable()?;
        Ok(profiler)
    }

    fn configure(&self) -> Result<(), String> {
        let granularity =
            cupti::CUpti_SassMetrics_OutputGranularity::CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU
                as u8;
        let config = |(id, _): &(u64, Counter)| cupti::CUpti_SassMetrics_Config {
            metricId: *id,
            outputGranularity: granularity,
        };
        let mut configs: Vec<_> = self.metrics.iter().map(config).collect();
        let mut set = cupti::CUpti_SassMetricsSetConfig_Params {
            structSize: cupti::SassMetricsSetConfig_Params_STRUCT_SIZE as usize,
            pPriv: std::ptr::null_mut(),
            numOfMetricConfig: configs.len(),
            pConfigs: configs.as_mut_ptr(),
            deviceIndex: 0,
        };
        // SAFETY: as above; a context exists on device 0.
        cupti_check("cuptiSassMetricsSetConfig", unsafe {
            cupti::cuptiSassMetricsSetConfig(&mut set)
        })
    }

    fn enable(&self) -> Result<(), String> {
        let mut enable = cupti::CUpti_SassMetricsEnable_Params {
            structSize: cupti::SassMetricsEnable_Params_STRUCT_SIZE as usize,
            pPriv: std::ptr::null_mut(),
            ctx: self.context,
            // Patches a function at its first launch in the range: only the one that runs.
            enableLazyPatching: 1,
        };
        // SAFETY: as above; the context is alive as long as the device.
        cupti_check("cuptiSassMetricsEnable", unsafe {
            cupti::cuptiSassMetricsEnable(&mut enable)
        })
    }

    fn disable(&self) -> Result<(), String> {
        let mut disable = cupti::CUpti_SassMetricsDisable_Params {
            structSize: cupti::SassMetricsDisable_Params_STRUCT_SIZE as usize,
            pPriv: std::ptr::null_mut(),
            ctx: self.context,
            numOfDroppedRecords: 0,
        };
        // SAFETY: as above; the range is enabled.
        cupti_check("cuptiSassMetricsDisable", unsafe {
            cupti::cuptiSassMetricsDisable(&mut disable)
        })
    }

    fn unconfigure(&self) -> Result<(), String> {
        let mut unset = cupti::CUpti_SassMetricsUnsetConfig_Params {
            structSize: cupti::SassMetricsUnsetConfig_Params_STRUCT_SIZE as usize,
            pPriv: std::ptr::null_mut(),
            deviceIndex: 0,
        };
        // SAFETY: as above.
        cupti_check("cuptiSassMetricsUnsetConfig", unsafe {
            cupti::cuptiSassMetricsUnsetConfig(&mut unset)
        })
    }

    /// Everything counted so far; can be asked once.
    fn read(&self) -> Result<Counted, String> {
        let mut properties = cupti::CUpti_SassMetricsGetDataProperties_Params {
            structSize: cupti::SassMetricsGetDataProperties_Params_STRUCT_SIZE as usize,
            pPriv: std::ptr::null_mut(),
            ctx: self.context,
            numOfPatchedInstructionRecords: 0,
            numOfInstances: 0,
        };
        // SAFETY: as above.
        cupti_check("cuptiSassMetricsGetDataProperties", unsafe {
            cupti::cuptiSassMetricsGetDataProperties(&mut properties)
        })?;
        let (records, instances) = (
            properties.numOfPatchedInstructionRecords,
            properties.numOfInstances,
        );
        if records == 0 || instances == 0 {
            return Err(
                "the GPU's counters are refused: CUPTI instrumented no instruction".to_owned(),
            );
        }
        // Room for every metric whether or not the number of instances counts them; what CUPTI
        // leaves unfilled keeps an identity that no metric has.
        let per_record = instances.max(1) * self.metrics.len();
        let unfilled = cupti::CUpti_SassMetrics_InstanceValue {
            metricId: u64::MAX,
            value: 0,
        };
        let mut values = vec![unfilled; records * per_record];
        let mut data: Vec<cupti::CUpti_SassMetrics_Data> = values
            .chunks_mut(per_record)
            .map(|values| cupti::CUpti_SassMetrics_Data {
                structSize: size_of::<cupti::CUpti_SassMetrics_Data>(),
                pPriv: std::ptr::null_mut(),
                cubinCrc: 0,
                functionIndex: 0,
                functionName: std::ptr::null(),
                pcOffset: 0,
                pInstanceValues: values.as_mut_ptr(),
            })
            .collect();
        let mut flush = cupti::CUpti_SassMetricsFlushData_Params {
            structSize: cupti::SassMetricsFlushData_Params_STRUCT_SIZE as usize,
            pPriv: std::ptr::null_mut(),
            ctx: self.context,
            numOfPatchedInstructionRecords: records,
            numOfInstances: instances,
            pMetricsData: data.as_mut_ptr(),
        };
        // SAFETY: as above; each record points at `per_record` values, no fewer than CUPTI fills.
        cupti_check("cuptiSassMetricsFlushData", unsafe {
            cupti::cuptiSassMetricsFlushData(&mut flush)
        })?;
        // One record holds one metric of one instruction.
        let mut counted = Counted::new();
        for (record, values) in data.iter().zip(values.chunks(per_record)) {
            // SAFETY: CUPTI left the name null or allocated it with malloc for the caller to free
            // (its sample says so); it is copied first.
            let name = unsafe {
                let name = copied(record.functionName);
                free(record.functionName.cast_mut().cast());
                CString::new(name).unwrap_or_default()
            };
            let row = counted
                .entry((name, u64::from(record.pcOffset)))
                .or_default();
            for value in values {
                if let Some((_, counter)) =
                    self.metrics.iter().find(|(id, _)| *id == value.metricId)
                {
                    row.push((*counter, value.value));
                }
            }
        }
        Ok(counted)
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        // Nothing can be done about a failure at the end.
        let _ = self.disable();
        let _ = self.unconfigure();
    }
}

unsafe extern "C" {
    fn free(pointer: *mut c_void);
}

/// File and line of a machine instruction, from the cubin's line table; empty and 0 if unknown.
fn source_line(cubin: &[u8], function: &CStr, offset: u64) -> (String, u32) {
    let mut ask = cupti::CUpti_GetSassToSourceCorrelationParams {
        size: cupti::GetSassToSourceCorrelationParamsSize as usize,
        cubin: cubin.as_ptr().cast(),
        functionName: function.as_ptr(),
        cubinSize: cubin.len(),
        lineNumber: 0,
        pcOffset: offset,
        fileName: std::ptr::null_mut(),
        dirName: std::ptr::null_mut(),
    };
    // SAFETY: the structure is complete; CUPTI allocates both names with malloc and leaves them
    // to the caller (its reference says so), hence the two frees, null allowed.
    unsafe {
        let status = cupti::cuptiGetSassToSourceCorrelation(&mut ask);
        let (file, folder) = (copied(ask.fileName), copied(ask.dirName));
        free(ask.fileName.cast());
        free(ask.dirName.cast());
        if status != cupti::CUptiResult::CUPTI_SUCCESS {
            return (String::new(), 0);
        }
        // NVRTC splits the program's name at its last slash.
        let path = if folder.is_empty() || file.starts_with('/') {
            file
        } else {
            format!("{}/{file}", folder.trim_end_matches('/'))
        };
        (path, ask.lineNumber)
    }
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

fn nvrtc_check(status: nvrtc::nvrtcResult) -> Result<(), String> {
    if status == nvrtc::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    // SAFETY: NVRTC returns a static string for any value.
    Err(unsafe { copied(nvrtc::nvrtcGetErrorString(status)) })
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

fn nvrtc_version() -> String {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are valid for the call; the library is loaded.
    let status = unsafe { nvrtc::nvrtcVersion(&mut major, &mut minor) };
    if status == nvrtc::nvrtcResult::NVRTC_SUCCESS {
        format!("{major}.{minor}")
    } else {
        "unknown".to_owned()
    }
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
fn toolkit_include() -> Option<String> {
    let root = std::env::var_os("CUDA_HOME").or_else(|| std::env::var_os("CUDA_PATH"))?;
    let folder = std::path::Path::new(&root).join("include");
    folder.is_dir().then(|| format!("-I{}", folder.display()))
}
