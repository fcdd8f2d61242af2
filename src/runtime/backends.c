// backends.c - The kinds of devices this build has: the one place that names
// them.
#include "runtime/backends.h"

#include <stddef.h>

#include "cpu/device.h"

const berth_backend_t *const berth_backends[] = {&berth_cpu_backend, NULL};
