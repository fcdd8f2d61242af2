// clock.c - Timestamp: what the time is.
#include <time.h>

#include "cpu/kernels.h"

static berth_code_t run_timestamp(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)call;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t micros = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
  *(double *)args[0] = (double)micros / 1e6;
  return BERTH_OK;
}

static berth_code_t prepare_timestamp(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  (void)err;
  berth_case_output(&prepare->op, 0, BERTH_SCALAR);
  prepare->run = run_timestamp;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_clock_kernels[] = {
    {.op = "Timestamp", .prepare = prepare_timestamp},
    {.op = NULL},
};
