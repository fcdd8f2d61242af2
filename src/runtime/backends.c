// backends.c - The kinds of devices this build has.
#include "runtime/backends.h"

#include "data/kernels.h"

#include "cpu/device.h"
#include "cuda/stream/device.h"
#include "kernel/kernel.h"
#include "runtime/call_kernel.h"
#include "runtime/host_call.h"

enum { MOST = 8 };

// Those of the build, then those that a program brings along.
static struct {
  const berth_backend_t *all[MOST];
  int count;
  bool is_fixed;  // The process object is made.
} backends = {.all = {&berth_cpu_backend, &berth_cuda_backend}, .count = 2};

int berth_backends_count(void) { return backends.count; }

const berth_backend_t *berth_backends_at(int index) {
  return backends.all[index];
}

berth_code_t berth_backends_add(const berth_backend_t *backend,
                                berth_error_t *err) {
  if (backends.is_fixed) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "a backend of type %s was added after devices were "
                           "opened; add it before anything else is called",
                           backend->type);
  }
  if (backends.count == MOST) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                           "there are %d backends already", MOST);
  }
  backends.all[backends.count++] = backend;
  return BERTH_OK;
}

berth_code_t berth_backends_add_kernels(berth_error_t *err) {
  backends.is_fixed = true;
  // What programs register is found before what is built in.
  BERTH_TRY(
      berth_kernel_add(berth_backends_host(), berth_host_call_kernels, err));
  BERTH_TRY(berth_kernel_add(berth_backends_host(), berth_call_kernels, err));
  BERTH_TRY(berth_data_add_kernels(berth_backends_host(), err));
  for (int i = 0; i < backends.count; ++i) {
    BERTH_TRY(backends.all[i]->add_kernels(err));
  }
  return BERTH_OK;
}
