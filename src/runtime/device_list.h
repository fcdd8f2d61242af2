// device_list.h - Every device the process has opened.
//
// Devices are opened when first asked for and live as long as the process,
// because tensors point to them. Sessions share them: a second session with two
// CPUs gets the same CPU:0 and CPU:1 as the first. The public half is
// berth/device.h.
//
// Threads: thread-safe. The lock comes before that of any device or pool.
#ifndef BERTH_RUNTIME_DEVICE_LIST_H_
#define BERTH_RUNTIME_DEVICE_LIST_H_

#include "device/registry.h"

// The place of local devices: job, replica and task.
#define BERTH_LOCAL_PREFIX "/job:localhost/replica:0/task:0"

// Adds to |registry| (empty, the caller's) |cpu_count| CPUs and at most
// |gpu_count| GPUs, opening those that are not open; -1 means as many as there
// are. BERTH_NOT_FOUND `No CPU devices are available in this process` for none.
BERTH_NODISCARD berth_code_t
berth_device_list_select(int cpu_count, int gpu_count,
                         berth_registry_t *registry, berth_error_t *err);

#endif  // BERTH_RUNTIME_DEVICE_LIST_H_
