// backends.h - The kinds of devices this build has.
#ifndef BERTH_RUNTIME_BACKENDS_H_
#define BERTH_RUNTIME_BACKENDS_H_

#include "device/backend.h"

// Every backend, the CPU first; ends with NULL.
extern const berth_backend_t *const berth_backends[];

#endif  // BERTH_RUNTIME_BACKENDS_H_
