// backends.h - The kinds of devices this build has.
//
// The one place that names backends: everything else gets them from here.
#ifndef BERTH_RUNTIME_BACKENDS_H_
#define BERTH_RUNTIME_BACKENDS_H_

#include "base/error.h"
#include "device/backend.h"

// Returns the backend of type "CPU". Constant.
const berth_backend_t *berth_backends_cpu(void);

// Adds the kernels of every backend to the registry of kernels. Called once,
// while the process object is made.
BERTH_NODISCARD berth_code_t berth_backends_add_kernels(berth_error_t *err);

#endif  // BERTH_RUNTIME_BACKENDS_H_
