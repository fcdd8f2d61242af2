// copies.c - Copies within a card, several as one piece of work.
//
// Amid a recording they are noted as rows: whoever replays it says where they go
// then, and the node of the graph that does them is told.
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "cuda/code/launch.h"
#include "cuda/stream/device_internal.h"

_Static_assert(BERTH_NEAR_COPIES == BERTH_COPIES_MOST,
               "the kernel takes as many as there may be");

bool berth_cuda_records_copies(berth_device_t *device) {
  (void)device;
  return BERTH_CU_HAS(cuStreamGetCaptureInfo_v2) &&
         BERTH_CU_HAS(cuGraphExecKernelNodeSetParams);
}

// Fills in |params|, all of it; returns the size of the largest of |copies|.
static size_t params_fill(berth_copies_params_t *params,
                          const berth_near_copy_t *copies, int count) {
  size_t most = 0;
  *params = (berth_copies_params_t){.count = (uint64_t)count};
  for (int i = 0; i < count; ++i) {
    params->at[i] =
        (berth_copies_one_t){copies[i].to, copies[i].from, copies[i].size};
    if (copies[i].size > most) most = copies[i].size;
  }
  return most;
}

// Notes the launch that |stream| has just recorded: the one that whatever is
// recorded next comes after.
static berth_code_t row_note(berth_cuda_stream_t *stream,
                             const berth_copies_params_t *params,
                             berth_error_t *err) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode *last = NULL;
  size_t count = 0;
  if (!berth_cuda_records_copies(stream->base.device)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "the driver is too old to record copies");
  }
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuStreamGetCaptureInfo_v2,
                            stream->native, &status, NULL, NULL, &last,
                            &count));
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE || count != 1) {
    return berth_error_set(err, BERTH_INTERNAL,
                           "%zu works come last in a recording of one stream",
                           count);
  }
  berth_cuda_rows_t *rows = &stream->rows;
  berth_cuda_row_t *grown =
      berth_grow(rows->row, rows->count, &rows->capacity, sizeof(*rows->row));
  if (grown == NULL) return berth_error_no_memory(err, "a recording");
  rows->row = grown;
  rows->row[rows->count++] = (berth_cuda_row_t){
      .node = last[0], .launch = stream->launched, .params = *params};
  return BERTH_OK;
}

berth_code_t berth_cuda_copy_near(berth_stream_t *base,
                                  const berth_near_copy_t *copies, int count,
                                  berth_error_t *err) {
  static _Atomic int known = -1;
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  berth_copies_params_t params;
  if (count == 1 && !stream->is_recording) {
    return berth_cuda_stream_copy(base, base->device, copies->to, base->device,
                                  copies->from, copies->size, err);
  }
  int kernel = known;
  if (kernel < 0) known = kernel = berth_cuda_kernel("copies", "berth_copies");
  if (kernel < 0) return berth_error_no_memory(err, "a launch");
  size_t most = params_fill(&params, copies, count);
  berth_call_t call = {.stream = base, .err = err};
  BERTH_TRY(berth_cuda_launch(&call, kernel, (most + 15) / 16, &params,
                              sizeof(params)));
  return stream->is_recording ? row_note(stream, &params, err) : BERTH_OK;
}

// Tells |row| of |exec| to do |copies|, as many as it did.
static berth_code_t row_move(berth_cuda_stream_t *stream, CUgraphExec exec,
                             berth_cuda_row_t *row,
                             const berth_near_copy_t *copies,
                             berth_error_t *err) {
  berth_copies_params_t params;
  size_t size = sizeof(params);
  (void)params_fill(&params, copies, (int)row->params.count);
  if (memcmp(&params, &row->params, size) == 0) return BERTH_OK;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUDA_KERNEL_NODE_PARAMS_v1 launch = row->launch;
  launch.extra = extra;
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuGraphExecKernelNodeSetParams,
                            exec, row->node, &launch));
  row->params = params;
  return BERTH_OK;
}

berth_code_t berth_cuda_rows_move(berth_cuda_stream_t *stream, CUgraphExec exec,
                                  berth_cuda_rows_t *rows,
                                  const berth_near_copy_t *copies, int count,
                                  berth_error_t *err) {
  int next = 0;
  for (size_t i = 0; i < rows->count; ++i) {
    int own = (int)rows->row[i].params.count;
    BERTH_ASSERT(next + own <= count);
    BERTH_TRY(row_move(stream, exec, &rows->row[i], copies + next, err));
    next += own;
  }
  BERTH_ASSERT(next == count);
  (void)count;
  return BERTH_OK;
}
