// graph_test.c - Tests of capturing work and running it again.
//
// What a capture forbids, and with which result, is what version 580 of the
// driver does.
#include "softgpu/softgpu_testing.h"

static CUstream s, t;  // Non-blocking.
static CUstream blocking;
static CUevent e;
static CUdeviceptr memory;
static int *pinned;

static bool open_all(void) {
  void *host = NULL;
  bool is_open = testing_open("T4") != NULL &&
                 cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                 cuStreamCreate(&t, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                 cuStreamCreate(&blocking, 0) == CUDA_SUCCESS &&
                 cuEventCreate(&e, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS &&
                 cuMemAlloc_v2(&memory, 1 << 20) == CUDA_SUCCESS &&
                 cuMemHostAlloc(&host, 64, 0) == CUDA_SUCCESS;
  pinned = host;
  return is_open;
}

static void begin(CUstreamCaptureMode mode) {
  CU(cuStreamBeginCapture_v2(s, mode));
}

static CUstreamCaptureStatus status_of(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  CU(cuStreamIsCapturing(stream, &status));
  return status;
}

// Ends the capture in |s|, which must be broken.
static void expect_broken(void) {
  CUgraph graph = (CUgraph)1;
  EXPECT_EQ(status_of(s), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_CU(cuStreamEndCapture(s, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_TRUE(graph == NULL);
  EXPECT_EQ(status_of(s), CU_STREAM_CAPTURE_STATUS_NONE);
}

static void count_up(void *arg) { ++*(int *)arg; }

TEST(graph, records_and_runs_again) {
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  size_t count = 0;
  int calls = 0, word = 0;
  ASSERT_TRUE(open_all());
  *pinned = 1;
  CU(cuMemsetD8_v2(memory, 0, 64));
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CU(cuMemcpyHtoDAsync_v2(memory, pinned, 4, s));
  CU(cuMemcpyDtoDAsync_v2(memory + 4, memory, 4, s));
  CU(cuLaunchHostFunc(s, count_up, &calls));
  CU(cuStreamEndCapture(s, &graph));
  CU(cuGraphGetNodes(graph, NULL, &count));
  EXPECT_EQ(count, 3);
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(cuGraphDestroy(graph));
  CU(cuCtxSynchronize());
  EXPECT_EQ(calls, 0);
  CU(cuGraphUpload(exec, s));
  for (int i = 1; i <= 3; ++i) {
    *pinned = 10 * i;
    CU(cuGraphLaunch(exec, t));
    CU(cuStreamSynchronize(t));
    CU(cuMemcpyDtoH_v2(&word, memory + 4, 4));
    EXPECT_EQ(word, 10 * i);
    EXPECT_EQ(calls, i);
  }
  CU(cuGraphExecDestroy(exec));
}

TEST(graph, keeps_its_launch_when_it_is_destroyed) {
  testing_gate_t gate = {0};
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  int calls = 0;
  ASSERT_TRUE(open_all());
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CU(cuLaunchHostFunc(s, count_up, &calls));
  CU(cuStreamEndCapture(s, &graph));
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CU(cuLaunchHostFunc(s, testing_wait, &gate));
  CU(cuGraphLaunch(exec, s));
  CU(cuGraphExecDestroy(exec));
  CU(cuGraphDestroy(graph));
  testing_unlock(&gate);
  CU(cuStreamSynchronize(s));
  EXPECT_EQ(calls, 1);
}

static CUgraph capture_fill(CUdeviceptr to, unsigned value, bool counts) {
  static int calls = 0;
  CUgraph graph = NULL;
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CU(cuMemsetD32Async(to, value, 16, s));
  if (counts) CU(cuLaunchHostFunc(s, count_up, &calls));
  CU(cuStreamEndCapture(s, &graph));
  return graph;
}

TEST(graph, is_updated) {
  CUgraphExec exec = NULL;
  CUgraphExecUpdateResultInfo info;
  unsigned word = 0;
  ASSERT_TRUE(open_all());
  CUgraph first = capture_fill(memory, 5, false);
  CUgraph second = capture_fill(memory, 6, false);
  CUgraph longer = capture_fill(memory, 7, true);
  CU(cuGraphInstantiateWithFlags(&exec, first, 0));
  CU(cuGraphExecUpdate_v2(exec, second, &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CU(cuGraphLaunch(exec, s));
  CU(cuStreamSynchronize(s));
  CU(cuMemcpyDtoH_v2(&word, memory, 4));
  EXPECT_EQ(word, 6);
  EXPECT_CU(cuGraphExecUpdate_v2(exec, longer, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CUgraph other = NULL;
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CU(cuMemcpyDtoDAsync_v2(memory, memory + 64, 4, s));
  CU(cuStreamEndCapture(s, &other));
  EXPECT_CU(cuGraphExecUpdate_v2(exec, other, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  CUgraph all[] = {first, second, longer, other};
  for (int i = 0; i < 4; ++i) CU(cuGraphDestroy(all[i]));
}

TEST(capture, spreads_by_events_and_joins) {
  CUgraph graph = NULL;
  size_t count = 0;
  ASSERT_TRUE(open_all());
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CU(cuMemsetD8Async(memory, 1, 8, s));
  CU(cuEventRecord(e, s));
  CU(cuStreamWaitEvent(t, e, 0));
  EXPECT_EQ(status_of(t), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CU(cuMemsetD8Async(memory, 2, 8, t));
  CU(cuEventRecord(e, t));
  CU(cuStreamWaitEvent(s, e, 0));
  CU(cuStreamEndCapture(s, &graph));
  CU(cuGraphGetNodes(graph, NULL, &count));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(status_of(t), CU_STREAM_CAPTURE_STATUS_NONE);
  // The event was recorded in no real stream.
  EXPECT_CU(cuEventQuery(e), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuEventSynchronize(e), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuStreamWaitEvent(t, e, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuEventRecord(e, t));
  CU(cuEventSynchronize(e));
  CU(cuGraphDestroy(graph));
}

TEST(capture, must_be_joined) {
  CUgraph graph = NULL;
  ASSERT_TRUE(open_all());
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CU(cuEventRecord(e, s));
  CU(cuStreamWaitEvent(t, e, 0));
  CU(cuMemsetD8Async(memory, 2, 8, t));
  EXPECT_CU(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(status_of(t), CU_STREAM_CAPTURE_STATUS_NONE);
  // A stream that took part and did nothing need not be.
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CU(cuEventRecord(e, s));
  CU(cuStreamWaitEvent(t, e, 0));
  CU(cuStreamEndCapture(s, &graph));
  CU(cuGraphDestroy(graph));
}

TEST(capture, ends_where_it_began) {
  CUgraph graph = NULL;
  ASSERT_TRUE(open_all());
  EXPECT_CU(cuStreamEndCapture(s, &graph), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_CU(cuStreamBeginCapture_v2(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_CU(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_ILLEGAL_STATE);
  CU(cuEventRecord(e, s));
  CU(cuStreamWaitEvent(t, e, 0));
  EXPECT_CU(cuStreamEndCapture(t, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  expect_broken();
}

TEST(capture, is_broken_by_waiting) {
  ASSERT_TRUE(open_all());
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_CU(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_CU(cuMemsetD8Async(memory, 1, 8, s),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  expect_broken();
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_CU(cuStreamQuery(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_broken();
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_CU(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_broken();
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CU(cuEventRecord(e, s));
  EXPECT_CU(cuEventQuery(e), CUDA_ERROR_CAPTURED_EVENT);
  expect_broken();
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CU(cuEventRecord(e, t));
  EXPECT_CU(cuStreamWaitEvent(s, e, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  expect_broken();
}

TEST(capture, forbids_unsafe_calls_everywhere) {
  CUdeviceptr other = 0;
  void *host = NULL;
  ASSERT_TRUE(open_all());
  CU(cuEventRecord(e, t));
  CU(cuStreamSynchronize(t));
#define EXPECT_FORBIDDEN(call)                              \
  do {                                                      \
    begin(CU_STREAM_CAPTURE_MODE_GLOBAL);                   \
    EXPECT_CU(call, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); \
    expect_broken();                                        \
  } while (0)
  EXPECT_FORBIDDEN(cuMemAlloc_v2(&other, 64));
  EXPECT_FORBIDDEN(cuMemFree_v2(memory));
  EXPECT_FORBIDDEN(cuMemHostAlloc(&host, 64, 0));
  EXPECT_FORBIDDEN(cuMemFreeHost(pinned));
  EXPECT_FORBIDDEN(cuMemHostRegister_v2(&host, 8, 0));
  EXPECT_FORBIDDEN(cuStreamSynchronize(t));
  EXPECT_FORBIDDEN(cuStreamQuery(t));
  EXPECT_FORBIDDEN(cuEventSynchronize(e));
  EXPECT_FORBIDDEN(cuEventQuery(e));
#undef EXPECT_FORBIDDEN
}

TEST(capture, allows_the_rest) {
  CUgraph graph = NULL;
  CUmodule module = NULL;
  CUstream other = NULL;
  CUdeviceptr more = 0;
  size_t left = 0, total = 0;
  ASSERT_TRUE(open_all());
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CU(cuModuleLoadData(&module, testing_image));
  CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  CU(cuStreamDestroy_v2(other));
  CU(cuMemGetInfo_v2(&left, &total));
  CU(cuMemcpyHtoD_v2(memory, pinned, 8));
  CU(cuMemsetD8Async(memory, 0, 8, t));
  CU(cuStreamEndCapture(s, &graph));
  CU(cuGraphDestroy(graph));
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CU(cuMemAlloc_v2(&more, 64));
  CU(cuMemFree_v2(more));
  CU(cuStreamSynchronize(t));
  CU(cuStreamEndCapture(s, &graph));
  CU(cuGraphDestroy(graph));
}

TEST(capture, shuts_out_the_legacy_stream) {
  CUgraph graph = NULL;
  ASSERT_TRUE(open_all());
  CU(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_CU(cuMemcpyHtoD_v2(memory, pinned, 64),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_CU(cuMemsetD8Async(memory, 1, 64, NULL),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_CU(cuStreamEndCapture(blocking, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST(capture, goes_with_its_stream) {
  ASSERT_TRUE(open_all());
  begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CU(cuMemsetD8Async(memory, 1, 64, s));
  CU(cuStreamDestroy_v2(s));
  CU(cuCtxSynchronize());
  CU(cuStreamBeginCapture_v2(t, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CU(cuDevicePrimaryCtxReset_v2(0));
  CUstreamCaptureStatus status;
  EXPECT_CU(cuStreamIsCapturing(t, &status), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}
