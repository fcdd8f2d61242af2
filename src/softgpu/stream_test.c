// stream_test.c - Tests of streams, events, launches and faults.
#include <signal.h>

#include "cuda/api/soft_kernel.h"
#include "softgpu/softgpu_testing.h"

typedef struct add_params {
  float *out;
  const float *a;
  const float *b;
  uint64_t count;
} add_params_t;

static CUstream new_stream(unsigned flags) {
  CUstream stream = NULL;
  CU(cuStreamCreate(&stream, flags));
  return stream;
}

static CUevent new_event(void) {
  CUevent event = NULL;
  CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return event;
}

static void set_one(void *arg) { *(int *)arg = 1; }

// The first stream waits for what only the second one does: a machine that ran
// them one after the other would wait here until time is up.
TEST(stream, runs_beside_other_streams) {
  testing_gate_t gate = {0};
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
  CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
  CU(cuLaunchHostFunc(first, testing_wait, &gate));
  CU(cuLaunchHostFunc(second, testing_unlock, &gate));
  CU(cuStreamSynchronize(second));
  CU(cuStreamSynchronize(first));
  EXPECT_EQ(atomic_load(&gate.passed), 1);
}

TEST(stream, returns_before_its_work_is_done) {
  testing_gate_t gate = {0};
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event();
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  CU(cuEventRecord(event, stream));
  EXPECT_CU(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_CU(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  testing_unlock(&gate);
  CU(cuEventSynchronize(event));
  CU(cuEventQuery(event));
  CU(cuStreamSynchronize(stream));
  CU(cuStreamQuery(stream));
}

TEST(stream, waits_for_events) {
  testing_gate_t gate = {0};
  int value = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
  CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event(), done = new_event();
  CU(cuLaunchHostFunc(first, testing_wait, &gate));
  CU(cuLaunchHostFunc(first, set_one, &value));
  CU(cuEventRecord(event, first));
  CU(cuStreamWaitEvent(second, event, 0));
  CU(cuEventRecord(done, second));
  EXPECT_CU(cuEventQuery(done), CUDA_ERROR_NOT_READY);
  testing_unlock(&gate);
  CU(cuStreamSynchronize(second));
  EXPECT_EQ(value, 1);
}

// What counts is the recording before the wait, not a later one.
TEST(stream, waits_for_the_recording_before) {
  testing_gate_t gate = {0};
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
  CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event();
  CU(cuEventRecord(event, first));
  CU(cuStreamWaitEvent(second, event, 0));
  CU(cuLaunchHostFunc(first, testing_wait, &gate));
  CU(cuEventRecord(event, first));
  CU(cuStreamSynchronize(second));
  EXPECT_CU(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  testing_unlock(&gate);
  CU(cuEventSynchronize(event));
  CU(cuStreamSynchronize(first));
}

TEST(stream, takes_events_as_the_driver_does) {
  float ms = 0;
  CUevent bad = NULL;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream stream = new_stream(0);
  CUevent timed = NULL, untimed = new_event();
  CU(cuEventCreate(&timed, CU_EVENT_DEFAULT));
  EXPECT_CU(cuEventCreate(&bad, 64), CUDA_ERROR_INVALID_VALUE);
  CU(cuEventQuery(timed));
  CU(cuEventSynchronize(timed));
  CU(cuStreamWaitEvent(stream, timed, 0));
  EXPECT_CU(cuEventElapsedTime(&ms, timed, timed), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CU(cuStreamWaitEvent(stream, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CU(cuEventRecord(NULL, stream), CUDA_ERROR_INVALID_HANDLE);
  CU(cuEventRecord(timed, stream));
  CU(cuEventRecord(untimed, stream));
  CU(cuStreamSynchronize(stream));
  EXPECT_CU(cuEventElapsedTime(&ms, timed, untimed), CUDA_ERROR_INVALID_HANDLE);
  ms = -1;
  CU(cuEventElapsedTime(&ms, timed, timed));
  EXPECT_EQ(ms, 0);
}

static void sleep_a_little(void *arg) { usleep(*(useconds_t *)arg); }

TEST(stream, measures_time) {
  float ms = 0;
  useconds_t pause = 20000;
  CUevent begin = NULL, end = NULL;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream stream = new_stream(0);
  CU(cuEventCreate(&begin, 0));
  CU(cuEventCreate(&end, 0));
  CU(cuEventRecord(begin, stream));
  CU(cuLaunchHostFunc(stream, sleep_a_little, &pause));
  CU(cuEventRecord(end, stream));
  EXPECT_CU(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_NOT_READY);
  CU(cuEventSynchronize(end));
  CU(cuEventElapsedTime(&ms, begin, end));
  EXPECT_TRUE(ms >= 20 && ms < 20000);
}

TEST(stream, has_priorities_and_flags) {
  int least = 9, greatest = 9, priority = 9;
  unsigned flags = 9;
  CUstream stream = NULL;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
  CU(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -100));
  CU(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -5);
  CU(cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, CU_STREAM_NON_BLOCKING);
  EXPECT_CU(cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuStreamDestroy_v2(NULL), CUDA_ERROR_INVALID_HANDLE);
}

TEST(stream, goes_without_being_waited_for) {
  testing_gate_t gate = {0};
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event();
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  CU(cuEventRecord(event, stream));
  CU(cuStreamDestroy_v2(stream));
  EXPECT_EQ(atomic_load(&gate.passed), 0);
  testing_unlock(&gate);
  CU(cuEventSynchronize(event));
  EXPECT_EQ(atomic_load(&gate.passed), 1);
  CU(cuDevicePrimaryCtxReset_v2(0));
}

// ---- The legacy stream ----

TEST(legacy_stream, comes_after_blocking_streams) {
  testing_gate_t gate = {0};
  CUdeviceptr memory = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&memory, 64));
  CUstream stream = new_stream(CU_STREAM_DEFAULT);
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  CU(cuMemsetD8Async(memory, 7, 64, stream));
  CU(cuMemsetD8_v2(memory, 8, 32));  // Does not wait for the host.
  EXPECT_CU(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
  testing_unlock(&gate);
  unsigned char bytes[64] = {0};
  CU(cuMemcpyDtoH_v2(bytes, memory, 64));
  EXPECT_EQ(bytes[0], 8);
  EXPECT_EQ(bytes[63], 7);
}

TEST(legacy_stream, comes_before_what_blocking_streams_do_next) {
  testing_gate_t gate = {0};
  int value = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream stream = new_stream(CU_STREAM_DEFAULT);
  CUevent event = new_event();
  CU(cuLaunchHostFunc(NULL, testing_wait, &gate));
  CU(cuLaunchHostFunc(stream, set_one, &value));
  CU(cuEventRecord(event, stream));
  usleep(20000);
  EXPECT_CU(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  testing_unlock(&gate);
  CU(cuStreamSynchronize(stream));
  EXPECT_EQ(value, 1);
}

TEST(legacy_stream, leaves_non_blocking_streams_alone) {
  testing_gate_t gate = {0};
  CUdeviceptr memory = 0;
  int word = 5;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&memory, 64));
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  CU(cuMemcpyHtoD_v2(memory, &word, sizeof(word)));
  EXPECT_EQ(atomic_load(&gate.passed), 0);
  testing_unlock(&gate);
  CU(cuCtxSynchronize());
  EXPECT_EQ(atomic_load(&gate.passed), 1);
}

// ---- Copies ----

TEST(copy, takes_small_pageable_memory_at_once) {
  testing_gate_t gate = {0};
  CUdeviceptr memory = 0;
  void *pinned = NULL;
  int word = 5, back[2] = {0};
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&memory, 64));
  CU(cuMemHostAlloc(&pinned, 64, 0));
  *(int *)pinned = 5;
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  CU(cuMemcpyHtoDAsync_v2(memory, &word, sizeof(word), stream));
  CU(cuMemcpyHtoDAsync_v2(memory + 4, pinned, sizeof(word), stream));
  word = 6;
  *(int *)pinned = 6;  // A mistake with pinned memory, and seen as one.
  testing_unlock(&gate);
  CU(cuMemcpyDtoHAsync_v2(back, memory, sizeof(back), stream));
  // Copies to pageable memory are waited for.
  EXPECT_EQ(back[0], 5);
  EXPECT_EQ(back[1], 6);
}

TEST(copy, refuses_what_is_not_on_the_card) {
  CUdeviceptr memory = 0, other = 0;
  char bytes[64] = "";
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&memory, 1 << 20));
  CU(cuMemAlloc_v2(&other, 3 << 20));
  CU(cuMemcpyHtoD_v2(memory, bytes, 0));
  EXPECT_CU(cuMemcpyHtoD_v2(memory + (1 << 20) - 4, bytes, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemcpyHtoD_v2(4096, bytes, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemcpyDtoH_v2(NULL, memory, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemsetD8_v2(other + (3 << 20) - 4, 0, 64),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemsetD32Async(memory + 1, 0, 1, NULL), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemcpyDtoD_v2(memory, other, 2 << 20), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemcpyDtoD_v2(4096, other, 8), CUDA_ERROR_INVALID_VALUE);
}

TEST(copy, crosses_between_cards) {
  CUcontext first = testing_open("K20m*2"), second = NULL;
  CUdeviceptr from = 0, to = 0;
  unsigned word = 0;
  ASSERT_TRUE(first != NULL);
  CU(cuMemAlloc_v2(&from, 64));
  CU(cuMemsetD32Async(from, 42, 16, NULL));
  CU(cuDevicePrimaryCtxRetain(&second, 1));
  CU(cuCtxPushCurrent_v2(second));
  CU(cuMemAlloc_v2(&to, 64));
  CU(cuCtxPopCurrent_v2(NULL));
  CU(cuMemcpyPeer(to, second, from, first, 64));
  CU(cuMemcpyDtoH_v2(&word, to + 60, 4));
  EXPECT_EQ(word, 42);
}

// ---- Words in memory ----

TEST(word, orders_streams) {
  CUdeviceptr memory = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&memory, 64));
  CU(cuMemsetD8_v2(memory, 0, 64));
  CU(cuCtxSynchronize());
  CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
  CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
  CU(cuStreamWaitValue32_v2(first, memory, 3, CU_STREAM_WAIT_VALUE_GEQ));
  EXPECT_CU(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
  CU(cuStreamWriteValue32_v2(second, memory, 3, 0));
  CU(cuStreamSynchronize(first));
  CU(cuStreamWaitValue32_v2(first, memory, 3, CU_STREAM_WAIT_VALUE_EQ));
  CU(cuStreamSynchronize(first));
  EXPECT_CU(cuStreamWriteValue32_v2(second, memory + 2, 3, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(word, does_not_hold_up_a_reset) {
  CUdeviceptr memory = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&memory, 64));
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CU(cuStreamWaitValue32_v2(stream, memory, 3, CU_STREAM_WAIT_VALUE_EQ));
  CU(cuDevicePrimaryCtxReset_v2(0));
}

// ---- Launches ----

TEST(launch, runs_a_kernel) {
  CUdeviceptr memory = 0;
  float numbers[4] = {1, 2, 30, 40}, sums[2] = {0};
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUfunction add = testing_kernel("berth_example_add");
  CU(cuMemAlloc_v2(&memory, 64));
  CU(cuMemcpyHtoD_v2(memory, numbers, sizeof(numbers)));
  float *at = (float *)(uintptr_t)memory;
  add_params_t params = {at + 4, at, at + 2, 2};
  void *list[] = {&params};
  CU(cuLaunchKernel(add, 3, 1, 1, 128, 1, 1, 0, NULL, list, NULL));
  params.count = 0;  // They were taken along.
  CU(cuMemcpyDtoH_v2(sums, memory + 16, sizeof(sums)));
  EXPECT_EQ(sums[0], 31);
  EXPECT_EQ(sums[1], 42);
}

TEST(launch, takes_arguments_as_one_buffer) {
  CUdeviceptr memory = 0;
  float sum = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUfunction add = testing_kernel("berth_example_add");
  CU(cuMemAlloc_v2(&memory, 64));
  CU(cuMemsetD32Async(memory, 0x3f800000, 2, NULL));
  float *at = (float *)(uintptr_t)memory;
  add_params_t params = {at + 2, at, at + 1, 1};
  size_t size = sizeof(params);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
  CU(cuMemcpyDtoH_v2(&sum, memory + 8, 4));
  EXPECT_EQ(sum, 2);
  size = 4;
  EXPECT_CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(launch, refuses_what_no_card_could_do) {
  add_params_t params = {0};
  void *list[] = {&params};
  int value = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUfunction add = testing_kernel("berth_example_add");
  static const unsigned bad[][7] = {
      {0, 1, 1, 1, 1, 1, 0},    {1, 1, 1, 0, 1, 1, 0},
      {1, 1, 1, 1025, 1, 1, 0}, {1, 1, 1, 1024, 2, 1, 0},
      {1, 1, 1, 1, 1, 65, 0},   {1, 65536, 1, 1, 1, 1, 0},
      {1, 1, 1, 1, 1, 1, 49153}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
    const unsigned *b = bad[i];
    EXPECT_CU(cuLaunchKernel(add, b[0], b[1], b[2], b[3], b[4], b[5], b[6],
                             NULL, list, NULL),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, list, NULL),
            CUDA_ERROR_INVALID_HANDLE);
  CU(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        100000));
  CU(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        add));
  EXPECT_EQ(value, 100000);
  CU(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 49153, NULL, list, NULL));
  CU(cuCtxSynchronize());
}

TEST(module, refuses_what_no_driver_would_load) {
  CUmodule module = NULL;
  CUfunction function = NULL;
  ASSERT_TRUE(testing_open("T4") != NULL);
  EXPECT_CU(cuModuleLoadData(&module, "garbage"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_CU(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_CU(cuModuleLoadData(&module, "\177ELF123"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_CU(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuModuleLoadData(&module, ".version 6.0\n.target sm_50\nno\n"),
            CUDA_ERROR_INVALID_PTX);
  CU(cuModuleLoadData(&module, testing_image));
  EXPECT_CU(cuModuleGetFunction(&function, module, "nope"),
            CUDA_ERROR_NOT_FOUND);
  CU(cuModuleUnload(module));
}

// ---- Faults ----

TEST(fault, sticks_to_its_card) {
  CUcontext first = testing_open("T4*2"), second = NULL;
  CUdeviceptr memory = 0;
  ASSERT_TRUE(first != NULL);
  CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event();
  CUfunction fail = testing_kernel("berth_example_fail");
  int fault = CUDA_ERROR_ILLEGAL_ADDRESS;
  void *list[] = {&fault};
  CU(cuLaunchKernel(fail, 1, 1, 1, 1, 1, 1, 0, stream, list, NULL));
  EXPECT_CU(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_CU(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_CU(cuEventRecord(event, stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_CU(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  // The other card knows nothing of it.
  CU(cuDevicePrimaryCtxRetain(&second, 1));
  CU(cuCtxPushCurrent_v2(second));
  CU(cuMemAlloc_v2(&memory, 4));
  CU(cuCtxPopCurrent_v2(NULL));
  // A reset gives the memory back, but the process has lost the card.
  CU(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_CU(cuDevicePrimaryCtxRetain(&first, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_CU(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(fault, lets_nobody_wait_for_ever) {
  testing_gate_t gate = {0};
  int value = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
  CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
  CUevent event = new_event();
  CUfunction fail = testing_kernel("berth_example_fail");
  int fault = CUDA_ERROR_ASSERT;
  void *list[] = {&fault};
  CU(cuLaunchHostFunc(first, testing_wait, &gate));
  CU(cuLaunchKernel(fail, 1, 1, 1, 1, 1, 1, 0, first, list, NULL));
  CU(cuLaunchHostFunc(first, set_one, &value));
  CU(cuEventRecord(event, first));
  CU(cuStreamWaitEvent(second, event, 0));
  testing_unlock(&gate);
  EXPECT_CU(cuStreamSynchronize(second), CUDA_ERROR_ASSERT);
  EXPECT_EQ(value, 0);
}

// ---- Signals ----

static void look_at_mask(void *arg) {
  sigset_t *mask = arg;
  (void)pthread_sigmask(SIG_BLOCK, NULL, mask);
}

TEST(stream, blocks_signals_in_its_thread) {
  static const int signals[] = {SIGINT,  SIGTERM, SIGALRM, SIGCHLD,
                                SIGUSR1, SIGPROF, SIGSEGV, SIGHUP};
  CUstream stream = NULL;
  sigset_t mask;
  sigemptyset(&mask);
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuLaunchHostFunc(stream, look_at_mask, &mask));
  CU(cuStreamSynchronize(stream));
  for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); ++i) {
    EXPECT_EQ(sigismember(&mask, signals[i]), 1);
  }
}
