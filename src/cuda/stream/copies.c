// copies.c - Copies within a card, several as one piece of work.
#include "cuda/code/launch.h"
#include "cuda/ops/copies_params.h"
#include "cuda/stream/device_internal.h"

_Static_assert(BERTH_NEAR_COPIES == BERTH_COPIES_MOST,
               "the kernel takes as many as there may be");

berth_code_t berth_cuda_copy_near(berth_stream_t *stream,
                                  const berth_near_copy_t *copies, int count,
                                  berth_error_t *err) {
  static _Atomic int known = -1;
  berth_copies_params_t params = {.count = (uint64_t)count};
  size_t most = 0;
  if (count == 1) {
    return berth_cuda_stream_copy(stream, stream->device, copies->to,
                                  stream->device, copies->from, copies->size,
                                  err);
  }
  int kernel = known;
  if (kernel < 0) known = kernel = berth_cuda_kernel("copies", "berth_copies");
  if (kernel < 0) return berth_error_no_memory(err, "a launch");
  for (int i = 0; i < count; ++i) {
    params.at[i] =
        (berth_copies_one_t){copies[i].to, copies[i].from, copies[i].size};
    if (copies[i].size > most) most = copies[i].size;
  }
  berth_call_t call = {.stream = stream, .err = err};
  return berth_cuda_launch(&call, kernel, (most + 15) / 16, &params,
                           sizeof(params));
}
