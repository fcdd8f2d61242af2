// backends.h - The kinds of devices this build has.
//
// The one place that names backends: everything else gets them from here. The
// first is the host's, whose kernels also do what a device leaves to the host.
//
// Threads: constant once the process object is made.
#ifndef BERTH_RUNTIME_BACKENDS_H_
#define BERTH_RUNTIME_BACKENDS_H_

#include "base/error.h"
#include "device/backend.h"

// How many there are, and number |index| of them. Constant.
int berth_backends_count(void);
const berth_backend_t *berth_backends_at(int index);

// Returns the host's backend, of type "CPU".
static inline const berth_backend_t *berth_backends_host(void) {
  return berth_backends_at(0);
}

// Adds a backend behind those of the build, before the process object is made:
// for programs that bring one along. Fails with BERTH_FAILED_PRECONDITION
// afterwards, and with BERTH_RESOURCE_EXHAUSTED when there are too many.
BERTH_NODISCARD berth_code_t berth_backends_add(const berth_backend_t *backend,
                                                berth_error_t *err);

// Adds the kernels of every backend to the registry of kernels. Called once,
// while the process object is made.
BERTH_NODISCARD berth_code_t berth_backends_add_kernels(berth_error_t *err);

#endif  // BERTH_RUNTIME_BACKENDS_H_
