// example.c - Two kernels for trying out the software GPU.
#include <stdint.h>

#include "cuda/api/soft_kernel.h"

typedef struct add_params {
  float *out;
  const float *a;
  const float *b;
  uint64_t count;
} add_params_t;

static void add(const void *params, const berth_softgpu_launch_t *launch) {
  const add_params_t *p = params;
  (void)launch;
  for (uint64_t i = 0; i < p->count; ++i) p->out[i] = p->a[i] + p->b[i];
}

BERTH_SOFTGPU_KERNEL(berth_example_add, add_params_t, add);

typedef struct fail_params {
  int fault;
} fail_params_t;

static void fail(const void *params, const berth_softgpu_launch_t *launch) {
  (void)launch;
  berth_softgpu_trap((CUresult)((const fail_params_t *)params)->fault);
}

BERTH_SOFTGPU_KERNEL(berth_example_fail, fail_params_t, fail);
