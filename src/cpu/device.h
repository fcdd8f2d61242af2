// device.h - The CPU as a device.
//
// Every CPU device has a pool of host memory of its own, behind the allocator
// that tensors above BERTH_SMALL_TENSOR bytes use. The memory is ordinary,
// 64-byte aligned and the same for all: no copy is ever needed between two CPU
// devices.
//
// Memory that falls idle is kept for the next run, up to a quarter of what the
// process may use (the machine's memory or the control group's limit, whichever
// is less) and at least 256 MiB; what is above that goes back to the system at
// once. berth_device_trim() gives back the rest.
#ifndef BERTH_CPU_DEVICE_H_
#define BERTH_CPU_DEVICE_H_

#include "device/backend.h"

// The backend of type "CPU".
extern const berth_backend_t berth_cpu_backend;

#endif  // BERTH_CPU_DEVICE_H_
