// process.h - The one process object: devices, kernels, pools.
//
// Made at first use and never torn down: sessions come and go, devices stay.
// Nothing else in Berth is global.
//
// Thread-safe.
#ifndef BERTH_RUNTIME_PROCESS_H_
#define BERTH_RUNTIME_PROCESS_H_

#include "base/error.h"
#include "berth/config.h"
#include "device/registry.h"
#include "runtime/gpu_table.h"

// What every device name of this process begins with.
#define BERTH_LOCAL_PREFIX "/job:localhost/replica:0/task:0"

// Makes the process object if there is none yet. A failure leaves none; the
// next call tries again.
BERTH_NODISCARD berth_code_t berth_process_init(berth_error_t *err);

// Adds |cpu_count| CPUs to |registry|, opening those that are not open yet.
BERTH_NODISCARD berth_code_t berth_process_share(berth_registry_t *registry,
                                                 int cpu_count,
                                                 berth_error_t *err);

// The logical GPUs that are open.
berth_gpu_table_t *berth_process_gpus(void);

// Adds every device that is open to |registry|: one CPU at least and, where no
// GPU is open yet, those that sessions without a configuration would get.
BERTH_NODISCARD berth_code_t berth_process_list(berth_registry_t *registry,
                                                berth_error_t *err);

// True once berth_process_configure() has been called.
bool berth_process_is_configured(void);

#endif  // BERTH_RUNTIME_PROCESS_H_
