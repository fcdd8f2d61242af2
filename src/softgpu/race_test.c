// race_test.c - An event that is left out is a race that can be seen.
//
// Built with the thread sanitizer, the tests called "left_out" must be
// reported as data races and the others must not; CMakeLists.txt says so to
// ctest. Without it they only run.
#include "base/compiler.h"
#include "softgpu/softgpu_testing.h"

typedef struct add_params {
  float *out;
  const float *a;
  const float *b;
  uint64_t count;
} add_params_t;

static CUstream first, second;
static CUevent e, back;
static CUfunction add;
static CUdeviceptr memory;

static bool open_all(void) {
  return testing_open("T4") != NULL &&
         cuStreamCreate(&first, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
         cuStreamCreate(&second, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
         cuEventCreate(&e, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS &&
         cuEventCreate(&back, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS &&
         cuMemAlloc_v2(&memory, 4096) == CUDA_SUCCESS &&
         (add = testing_kernel("berth_example_add")) != NULL;
}

// Writes [8, 16) in |first|.
static void write_in_first(void) {
  float *at = (float *)(uintptr_t)memory;
  add_params_t params = {at + 8, at, at, 8};
  void *list[] = {&params};
  CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, first, list, NULL));
}

// Reads it in |second|.
static void read_in_second(void) {
  float *at = (float *)(uintptr_t)memory;
  add_params_t params = {at + 16, at + 8, at + 8, 8};
  void *list[] = {&params};
  CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, second, list, NULL));
}

static void order(CUevent event, CUstream from, CUstream to) {
  CU(cuEventRecord(event, from));
  CU(cuStreamWaitEvent(to, event, 0));
}

TEST(race, kept_events_order_streams) {
  ASSERT_TRUE(open_all());
  for (int round = 0; round < 3; ++round) {
    write_in_first();
    order(e, first, second);
    read_in_second();
    order(back, second, first);
  }
  CU(cuCtxSynchronize());
}

TEST(race, left_out_event) {
  ASSERT_TRUE(open_all());
  write_in_first();
  read_in_second();
  CU(cuCtxSynchronize());
}

// Events that were kept before, and are recorded again meanwhile, must not
// cover for it.
TEST(race, left_out_event_in_a_later_round) {
  ASSERT_TRUE(open_all());
  for (int round = 0; round < 4; ++round) {
    write_in_first();
    order(e, first, second);
    read_in_second();
    if (round < 2) order(back, second, first);
    usleep(10000);
  }
  CU(cuCtxSynchronize());
}

TEST(race, left_out_event_before_a_copy) {
  void *pinned = NULL;
  ASSERT_TRUE(open_all());
  CU(cuMemHostAlloc(&pinned, 64, 0));
  write_in_first();
  CU(cuMemcpyDtoHAsync_v2(pinned, memory + 32, 32, second));
  CU(cuCtxSynchronize());
}
