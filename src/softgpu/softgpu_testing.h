// softgpu_testing.h - What the tests of the software GPU have in common.
#ifndef BERTH_SOFTGPU_SOFTGPU_TESTING_H_
#define BERTH_SOFTGPU_SOFTGPU_TESTING_H_

#include <stdatomic.h>

#include "base/clock.h"
#include "harness.h"
#include "simulate.h"
#include "softgpu/exports.h"

#define EXPECT_CU(call, result) EXPECT_EQ(call, result)
#define CU(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_CU(call) ASSERT_TRUE((call) == CUDA_SUCCESS)

// An image that a driver would take.
static const char *const testing_image =
    "// Nothing.\n.version 6.0\n.target sm_50\n.entry nothing() { ret; }\n";

// Simulates |spec| and makes the first card current; NULL when that fails.
static inline CUcontext testing_open(const char *spec) {
  CUcontext context = NULL;
  simulate_cards(spec);
  bool is_open = cuInit(0) == CUDA_SUCCESS &&
                 cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
                 cuCtxSetCurrent(context) == CUDA_SUCCESS;
  simulate_forget();
  return is_open ? context : NULL;
}

// A gate that work waits at until a test opens it, or for a long time.
typedef struct testing_gate {
  atomic_int is_open;
  atomic_int passed;  // 1: it was open; -1: time ran out.
} testing_gate_t;

static inline void testing_wait(void *arg) {
  testing_gate_t *gate = arg;
  int64_t deadline = berth_now_ns() + 20 * INT64_C(1000000000);
  while (!atomic_load(&gate->is_open) && berth_now_ns() < deadline) {
    usleep(100);
  }
  atomic_store(&gate->passed, atomic_load(&gate->is_open) ? 1 : -1);
}

static inline void testing_unlock(void *arg) {
  atomic_store(&((testing_gate_t *)arg)->is_open, 1);
}

// Finds the kernel called |name|.
static inline CUfunction testing_kernel(const char *name) {
  CUmodule module = NULL;
  CUfunction function = NULL;
  CU(cuModuleLoadData(&module, testing_image));
  CU(cuModuleGetFunction(&function, module, name));
  return function;
}

#endif  // BERTH_SOFTGPU_SOFTGPU_TESTING_H_
