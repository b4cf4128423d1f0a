//! The counters of single machine instructions, by CUPTI's SASS metrics.
#![allow(unsafe_code)]

use super::*;

/// CUPTI's SASS metrics, counting on one context of device 0 until dropped.
pub(super) struct Profiler {
    pub(super) context: driver_sys::CUcontext,
    pub(super) metrics: Vec<(u64, Counter)>,
}

/// What one machine instruction counted, by its function and place there.
pub(super) type Counted = BTreeMap<(CString, u64), Vec<(Counter, u64)>>;

impl Profiler {
    pub(super) fn available(device: &Device) -> Result<Vec<(u64, String, String)>, String> {
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

    pub(super) fn start(device: &Device) -> Result<Profiler, String> {
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

    pub(super) fn configure(&self) -> Result<(), String> {
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

    pub(super) fn enable(&self) -> Result<(), String> {
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

    pub(super) fn disable(&self) -> Result<(), String> {
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

    pub(super) fn unconfigure(&self) -> Result<(), String> {
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
    pub(super) fn read(&self) -> Result<Counted, String> {
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
pub(super) fn source_line(cubin: &[u8], function: &CStr, offset: u64) -> (String, u32) {
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
