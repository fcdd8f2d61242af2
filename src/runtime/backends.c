// backends.c - The kinds of devices this build has.
#include "runtime/backends.h"

#include "cpu/device.h"
#include "cpu/kernels.h"
#include "cuda/kernels.h"
#include "runtime/host_call.h"

const berth_backend_t *berth_backends_cpu(void) { return &berth_cpu_backend; }

berth_code_t berth_backends_add_kernels(berth_error_t *err) {
  BERTH_TRY(berth_kernel_add("CPU", berth_host_call_kernels, err));
  BERTH_TRY(berth_cpu_add_kernels(err));
  return berth_cuda_add_kernels(err);
}
