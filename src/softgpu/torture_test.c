// torture_test.c - Every allocation of the library fails once.
//
// A scenario that uses most of it runs again and again, with another failure
// each time. Calls may fail with a lack of memory then, but nothing may crash,
// hang, leak or go wrong, and afterwards everything works.
#include "base/fault.h"
#include "softgpu/softgpu_testing.h"

typedef struct add_params {
  float *out;
  const float *a;
  const float *b;
  uint64_t count;
} add_params_t;

// What a scenario has made; zero is nothing.
typedef struct things {
  CUstream streams[2];
  CUevent event;
  CUmodule module;
  CUgraph graph;
  CUgraphExec exec;
  CUdeviceptr memory, address;
  CUmemGenericAllocationHandle handle;
} things_t;

enum { PAGE = 2 << 20 };

// Leaves the scenario when |call| fails, which it may do in one way only.
#define TRY(call)                                   \
  do {                                              \
    CUresult result_ = (call);                      \
    if (result_ != CUDA_SUCCESS) {                  \
      EXPECT_EQ(result_, CUDA_ERROR_OUT_OF_MEMORY); \
      return false;                                 \
    }                                               \
  } while (0)

static bool launch(things_t *t, CUstream stream) {
  CUfunction add = NULL;
  float *at = (float *)(uintptr_t)t->memory;
  add_params_t params = {at + 2, at, at + 1, 1};
  void *list[] = {&params};
  TRY(cuModuleLoadData(&t->module, testing_image));
  TRY(cuModuleGetFunction(&add, t->module, "berth_example_add"));
  TRY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, list, NULL));
  return true;
}

static bool record(things_t *t) {
  TRY(cuStreamBeginCapture_v2(t->streams[0], CU_STREAM_CAPTURE_MODE_RELAXED));
  CUresult result = cuMemsetD32Async(t->memory, 0x40000000, 2, t->streams[0]);
  // The capture ends in any case, and is broken when something was lost.
  CUresult end = cuStreamEndCapture(t->streams[0], &t->graph);
  EXPECT_EQ(end == CUDA_SUCCESS, result == CUDA_SUCCESS);
  TRY(result);
  TRY(cuGraphInstantiateWithFlags(&t->exec, t->graph, 0));
  TRY(cuGraphLaunch(t->exec, t->streams[0]));
  return true;
}

static bool map(things_t *t) {
  CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
  TRY(cuMemAddressReserve(&t->address, PAGE, 0, 0, 0));
  TRY(cuMemCreate(&t->handle, PAGE, &prop, 0));
  TRY(cuMemMap(t->address, PAGE, 0, t->handle, 0));
  return true;
}

static bool run_scenario(things_t *t) {
  float sum = 0;
  TRY(cuStreamCreate(&t->streams[0], CU_STREAM_NON_BLOCKING));
  TRY(cuStreamCreate(&t->streams[1], CU_STREAM_DEFAULT));
  TRY(cuEventCreate(&t->event, CU_EVENT_DISABLE_TIMING));
  TRY(cuMemAlloc_v2(&t->memory, 4096));
  TRY(cuMemsetD8_v2(t->memory, 0, 4096));
  TRY(cuStreamSynchronize(NULL));
  if (!record(t) || !map(t)) return false;
  TRY(cuEventRecord(t->event, t->streams[0]));
  TRY(cuStreamWaitEvent(t->streams[1], t->event, 0));
  if (!launch(t, t->streams[1])) return false;
  TRY(cuMemcpyDtoH_v2(&sum, t->memory + 8, 4));
  EXPECT_EQ(sum, 4);
  TRY(cuCtxSynchronize());
  return true;
}

// Gives back what the context does not.
static void clear(things_t *t) {
  if (t->graph != NULL) CU(cuGraphDestroy(t->graph));
  if (t->address != 0) CU(cuMemUnmap(t->address, PAGE));
  if (t->handle != 0) CU(cuMemRelease(t->handle));
  if (t->address != 0) CU(cuMemAddressFree(t->address, PAGE));
}

// Runs the scenario in a new context; true when nothing in it failed.
static bool run_once(void) {
  things_t things = {0};
  CUcontext context = NULL;
  CUresult opened = cuDevicePrimaryCtxRetain(&context, 0);
  bool is_done = false;
  if (opened == CUDA_SUCCESS) {
    CU(cuCtxSetCurrent(context));
    is_done = run_scenario(&things);
  } else {
    EXPECT_EQ(opened, CUDA_ERROR_OUT_OF_MEMORY);
  }
  berth_fault_disarm();
  if (opened == CUDA_SUCCESS) CU(cuDevicePrimaryCtxRelease_v2(0));
  clear(&things);
  return is_done;
}

static void fail_each(const char *point) {
  size_t left = 0, total = 0;
  CUcontext context = NULL;
  simulate_cards("T4");
  ASSERT_CU(cuInit(0));
  simulate_forget();
  int64_t nth = 1;
  for (;; ++nth) {
    berth_fault_arm(point, nth);
    if (run_once()) break;
    ASSERT_TRUE(nth < 1000);
  }
  EXPECT_TRUE(nth > 2);
  ASSERT_CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  CU(cuMemGetInfo_v2(&left, &total));
  EXPECT_EQ(total - left, 64 << 20);
}

TEST(torture, survives_failing_allocations) { fail_each("alloc"); }

TEST(torture, survives_failing_threads) { fail_each("thread"); }
