// queue_test.c - Queues that are full.
#include <pthread.h>

#include "cuda/api/soft_kernel.h"
#include "softgpu/softgpu_testing.h"
#include "softgpu/stream.h"

enum { FULL = BERTH_SOFT_MAX_PENDING, MANY = 3 * FULL };

// A kernel that computes until it is told to end.
typedef struct hold_params {
  testing_gate_t *gate;
} hold_params_t;

static void hold(const void *params, const berth_softgpu_launch_t *launch) {
  (void)launch;
  testing_wait(((const hold_params_t *)params)->gate);
}
BERTH_SOFTGPU_KERNEL(testing_hold, hold_params_t, hold);

static testing_gate_t gate;
static CUcontext context;
static CUstream stream;
static CUdeviceptr memory;
static CUfunction kernel;
static atomic_int given = 0;

static bool open_all(void) {
  return (context = testing_open("T4")) != NULL &&
         cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
         cuMemAlloc_v2(&memory, 64) == CUDA_SUCCESS &&
         (kernel = testing_kernel("testing_hold")) != NULL;
}

static void launch_hold(CUstream on) {
  hold_params_t params = {&gate};
  void *list[] = {&params};
  CU(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, on, list, NULL));
}

// Gives |stream| MANY works, each of its number, counting them.
static void *give_many(void *arg) {
  (void)arg;
  CU(cuCtxSetCurrent(context));
  for (unsigned i = 1; i <= MANY; ++i) {
    CU(cuMemsetD32Async(memory, i, 4, stream));
    atomic_fetch_add(&given, 1);
  }
  return NULL;
}

static void *record_many(void *arg) {
  CUevent event = arg;
  CU(cuCtxSetCurrent(context));
  for (unsigned i = 1; i <= MANY; ++i) {
    CU(cuEventRecord(event, stream));
    atomic_fetch_add(&given, 1);
  }
  return NULL;
}

// Expects |fn|, in a thread of its own, to stop when the queue is full and to
// go on when there is room.
static void expect_bound(void *(*fn)(void *), void *arg) {
  pthread_t thread;
  launch_hold(stream);
  ASSERT_TRUE(pthread_create(&thread, NULL, fn, arg) == 0);
  while (atomic_load(&given) < FULL - 1) usleep(100);
  usleep(100000);
  EXPECT_EQ(atomic_load(&given), FULL - 1);
  testing_unlock(&gate);
  pthread_join(thread, NULL);
  CU(cuStreamSynchronize(stream));
  EXPECT_EQ(atomic_load(&given), MANY);
  EXPECT_EQ(atomic_load(&gate.passed), 1);
}

TEST(queue, is_bounded) {
  uint32_t word = 0;
  ASSERT_TRUE(open_all());
  expect_bound(give_many, NULL);
  CU(cuMemcpyDtoH_v2(&word, memory, sizeof(word)));
  EXPECT_EQ(word, MANY);
}

TEST(queue, is_bounded_for_events) {
  CUevent event = NULL;
  ASSERT_TRUE(open_all());
  CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  expect_bound(record_many, event);
}

// An event whose recording waits for room does not keep others from looking.
TEST(queue, lets_others_look_at_an_event) {
  CUevent event = NULL;
  pthread_t thread;
  ASSERT_TRUE(open_all());
  CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  launch_hold(stream);
  ASSERT_TRUE(pthread_create(&thread, NULL, record_many, event) == 0);
  while (atomic_load(&given) < FULL - 1) usleep(100);
  EXPECT_CU(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  testing_unlock(&gate);
  pthread_join(thread, NULL);
  CU(cuEventSynchronize(event));
}

// The legacy stream, and those that wait for it.
TEST(queue, is_bounded_for_the_legacy_stream) {
  ASSERT_TRUE(open_all());
  CU(cuStreamDestroy_v2(stream));
  stream = NULL;
  pthread_t thread;
  launch_hold(NULL);
  ASSERT_TRUE(pthread_create(&thread, NULL, give_many, NULL) == 0);
  while (atomic_load(&given) < FULL / 2 - 2) usleep(100);
  usleep(100000);
  // Each work of it leaves a mark.
  EXPECT_TRUE(atomic_load(&given) <= FULL / 2);
  testing_unlock(&gate);
  pthread_join(thread, NULL);
  CU(cuCtxSynchronize());
  EXPECT_EQ(atomic_load(&given), MANY);
}

// ---- Whom it must not keep waiting ----

enum { MORE = FULL + 50 };

// A function of the program waits for what this thread does after it has given
// more work than there is room for.
TEST(queue, gives_way_to_a_function_that_waits) {
  ASSERT_TRUE(open_all());
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  for (int i = 0; i < MORE; ++i) CU(cuMemsetD32Async(memory, 1, 4, stream));
  testing_unlock(&gate);
  CU(cuStreamSynchronize(stream));
  EXPECT_EQ(atomic_load(&gate.passed), 1);
}

TEST(queue, gives_way_to_a_word_that_is_waited_for) {
  ASSERT_TRUE(open_all());
  CU(cuMemsetD32Async(memory, 0, 16, stream));
  CU(cuStreamSynchronize(stream));
  CU(cuStreamWaitValue32_v2(stream, memory + 32, 1, CU_STREAM_WAIT_VALUE_EQ));
  for (int i = 0; i < MORE; ++i) CU(cuMemsetD32Async(memory, 1, 4, stream));
  atomic_store((atomic_uint *)(uintptr_t)(memory + 32), 1);
  CU(cuStreamSynchronize(stream));
}

// The second stream waits for the first, which waits for this thread.
TEST(queue, gives_way_to_a_stream_that_waits) {
  CUstream second = NULL;
  CUevent event = NULL;
  ASSERT_TRUE(open_all());
  CU(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CU(cuLaunchHostFunc(stream, testing_wait, &gate));
  CU(cuEventRecord(event, stream));
  CU(cuStreamWaitEvent(second, event, 0));
  for (int i = 0; i < MORE; ++i) CU(cuMemsetD32Async(memory, 1, 4, second));
  testing_unlock(&gate);
  CU(cuStreamSynchronize(second));
  EXPECT_EQ(atomic_load(&gate.passed), 1);
}

// What is captured is not queued.
TEST(queue, does_not_bound_captures) {
  CUgraph graph = NULL;
  ASSERT_TRUE(open_all());
  launch_hold(stream);
  for (int i = 0; i < FULL - 1; ++i) {
    CU(cuMemsetD32Async(memory, 1, 4, stream));
  }
  CU(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  for (int i = 0; i < MANY; ++i) CU(cuMemsetD32Async(memory, 2, 4, stream));
  CU(cuStreamEndCapture(stream, &graph));
  testing_unlock(&gate);
  CU(cuStreamSynchronize(stream));
  EXPECT_EQ(atomic_load(&gate.passed), 1);
  CU(cuGraphDestroy(graph));
}

// Two streams that wait for each other's events, over and over, from two
// threads, through many times what they have room for.
typedef struct pair {
  CUstream own, other;
  CUevent event;
  CUdeviceptr byte;
} pair_t;

static void *alternate(void *arg) {
  pair_t *pair = arg;
  CU(cuCtxSetCurrent(context));
  for (int i = 0; i < 2 * FULL; ++i) {
    CU(cuMemsetD8Async(pair->byte, 1, 1, pair->own));
    CU(cuEventRecord(pair->event, pair->own));
    CU(cuStreamWaitEvent(pair->other, pair->event, 0));
  }
  return NULL;
}

TEST(queue, never_locks_two_streams_up) {
  pthread_t threads[2];
  pair_t pairs[2];
  ASSERT_TRUE(open_all());
  CU(cuStreamCreate(&pairs[0].own, CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreate(&pairs[1].own, CU_STREAM_NON_BLOCKING));
  pairs[0].other = pairs[1].own;
  pairs[1].other = pairs[0].own;
  for (int i = 0; i < 2; ++i) {
    pairs[i].byte = memory + 32 * (unsigned)i;
    CU(cuEventCreate(&pairs[i].event, CU_EVENT_DISABLE_TIMING));
    ASSERT_TRUE(pthread_create(&threads[i], NULL, alternate, &pairs[i]) == 0);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  CU(cuCtxSynchronize());
}
