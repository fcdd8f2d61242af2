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

// What is sorted: two halves of memory, between which keys and places go to and
// fro, and the half they are in.
typedef struct sorting {
  berth_order_params_t params;
  kernels_t kernels;
  uint32_t *halves[2];
  int at;
} sorting_t;

// Reads from where the last step has written, and writes to the other half.
static void turn(sorting_t *sorting) {
  berth_order_params_t *params = &sorting->params;
  params->keys = sorting->halves[sorting->at];
  params->places = params->keys + params->count;
  sorting->at = 1 - sorting->at;
  params->to_keys = sorting->halves[sorting->at];
  params->to_places = params->to_keys + params->count;
}

// Queues what makes keys and sorts by those of their bits that |bits| may have.
static berth_code_t sort(sorting_t *sorting, uint32_t keys_of, uint64_t bits,
                         berth_call_t *call) {
  berth_order_params_t *params = &sorting->params;
  params->keys_of = keys_of;
  turn(sorting);
  BERTH_TRY(berth_cuda_launch(call, sorting->kernels.begin, params->count,
                              params, sizeof(*params)));
  for (params->shift = 0; params->shift < 32 && bits >> params->shift != 0;
       params->shift += BERTH_ORDER_BITS) {
    turn(sorting);
    BERTH_TRY(pass(&sorting->kernels, params, call));
  }
  return BERTH_OK;
}

// Gets memory and kernels for |count| indices; false: there is none.
static bool sorting_init(sorting_t *sorting, const void *indices,
                         berth_dtype_t dtype, uint64_t count,
                         berth_call_t *call, berth_ordering_t *out) {
  berth_order_params_t *params = &sorting->params;
  *out = (berth_ordering_t){0};
  *sorting = (sorting_t){.at = 0};
  *params = (berth_order_params_t){
      .indices = indices, .is_wide = dtype == BERTH_INT64, .count = count};
  params->part = count / MOST_PARTS + 1;
  if (params->part < SHORTEST) params->part = SHORTEST;
  params->parts = (count + params->part - 1) / params->part;
  int64_t words = (int64_t)(4 * count + params->parts * BERTH_ORDER_DIGITS);
  if (count > UINT32_MAX || !find_kernels(&sorting->kernels) ||
      berth_tensor_make(call->stream->device->allocator, BERTH_INT32, 1, &words,
                        words, &out->memory, NULL) != BERTH_OK) {
    out->memory = NULL;
    return false;
  }
  sorting->halves[0] = out->memory->data;
  sorting->halves[1] = sorting->halves[0] + 2 * count;
  params->counts = sorting->halves[1] + 2 * count;
  return true;
}

// Says where the last step has left what it sorted, or lets the memory go.
static berth_code_t finish(const sorting_t *sorting, berth_code_t code,
                           berth_ordering_t *out) {
  out->keys = sorting->halves[sorting->at];
  out->places = out->keys + sorting->params.count;
  if (code == BERTH_OK) return BERTH_OK;
  berth_tensor_release(out->memory);
  *out = (berth_ordering_t){0};
  return code;
}

berth_code_t berth_order_queue(const void *indices, berth_dtype_t dtype,
                               uint64_t count, uint64_t limit,
                               berth_call_t *call, berth_ordering_t *out) {
  sorting_t sorting;
  *out = (berth_ordering_t){0};
  if (limit > UINT32_MAX - 1 ||
      !sorting_init(&sorting, indices, dtype, count, call, out)) {
    return BERTH_OK;
  }
  sorting.params.limit = limit;
  return finish(&sorting, sort(&sorting, BERTH_ORDER_BELOW, limit, call), out);
}

berth_code_t berth_order_queue_bits(const void *numbers, berth_dtype_t dtype,
                                    uint64_t count, uint64_t bits,
                                    berth_call_t *call, berth_ordering_t *out) {
  sorting_t sorting;
  if (!sorting_init(&sorting, numbers, dtype, count, call, out)) {
    return berth_error_no_memory(call->err, "numbers in order");
  }
  berth_code_t code = sort(&sorting, BERTH_ORDER_LOW, bits & UINT32_MAX, call);
  if (code == BERTH_OK && bits >> 32 != 0) {
    code = sort(&sorting, BERTH_ORDER_HIGH, bits >> 32, call);
  }
  return finish(&sorting, code, out);
}
