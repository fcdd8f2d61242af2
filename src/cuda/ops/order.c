// order.c - Putting indices in order on a card.
#include "cuda/ops/order.h"

#include "cuda/code/launch.h"
#include "cuda/ops/order_params.h"
#include "device/device.h"

// Parts that keep a card busy, how short they may be, threads that add up.
enum { MOST_PARTS = 16384, SHORTEST = 16, ADDING_THREADS = 1024 };

typedef struct kernels {
  int begin, count, add, move;
} kernels_t;

static bool find_kernels(kernels_t *out) {
  out->begin = berth_cuda_kernel("order", "berth_order_begin");
  out->count = berth_cuda_kernel("order", "berth_order_count");
  out->add = berth_cuda_kernel("order", "berth_order_add");
  out->move = berth_cuda_kernel("order", "berth_order_move");
  return out->begin >= 0 && out->count >= 0 && out->add >= 0 && out->move >= 0;
}

// Sorts by the next bits.
static berth_code_t pass(const kernels_t *kernels,
                         const berth_order_params_t *params,
                         berth_call_t *call) {
  BERTH_TRY(berth_cuda_launch(call, kernels->count, params->parts, params,
                              sizeof(*params)));
  BERTH_TRY(berth_cuda_launch_blocks(call, kernels->add, 1, ADDING_THREADS,
                                     params, sizeof(*params)));
  return berth_cuda_launch(call, kernels->move, params->parts, params,
                           sizeof(*params));
}

// Queues all passes between the two halves of |words|, and says where the last
// has left them.
static berth_code_t sort(berth_order_params_t *params, uint32_t *words,
                         const kernels_t *kernels, berth_call_t *call,
                         berth_ordering_t *out) {
  uint64_t count = params->count;
  uint32_t *halves[2] = {words, words + 2 * count};
  int at = 0;
  params->counts = words + 4 * count;
  params->to_keys = halves[0];
  params->to_places = halves[0] + count;
  BERTH_TRY(
      berth_cuda_launch(call, kernels->begin, count, params, sizeof(*params)));
  for (params->shift = 0; params->limit >> params->shift != 0;
       params->shift += BERTH_ORDER_BITS) {
    params->keys = halves[at];
    params->places = halves[at] + count;
    at = 1 - at;
    params->to_keys = halves[at];
    params->to_places = halves[at] + count;
    BERTH_TRY(pass(kernels, params, call));
  }
  out->keys = halves[at];
  out->places = halves[at] + count;
  return BERTH_OK;
}

berth_code_t berth_order_queue(const void *indices, berth_dtype_t dtype,
                               uint64_t count, uint64_t limit,
                               berth_call_t *call, berth_ordering_t *out) {
  *out = (berth_ordering_t){0};
  kernels_t kernels;
  if (count > UINT32_MAX || limit > UINT32_MAX - 1 || !find_kernels(&kernels)) {
    return BERTH_OK;
  }
  berth_order_params_t params = {.indices = indices,
                                 .is_wide = dtype == BERTH_INT64,
                                 .count = count,
                                 .limit = limit};
  params.part = count / MOST_PARTS + 1;
  if (params.part < SHORTEST) params.part = SHORTEST;
  params.parts = (count + params.part - 1) / params.part;
  int64_t words = (int64_t)(4 * count + params.parts * BERTH_ORDER_DIGITS);
  if (berth_tensor_make(call->stream->device->allocator, BERTH_INT32, 1, &words,
                        words, &out->memory, NULL) != BERTH_OK) {
    out->memory = NULL;
    return BERTH_OK;
  }
  berth_code_t code = sort(&params, out->memory->data, &kernels, call, out);
  if (code != BERTH_OK) {
    berth_tensor_release(out->memory);
    out->memory = NULL;
  }
  return code;
}
