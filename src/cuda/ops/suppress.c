// suppress.c - The kernels NonMaxSuppressionV2, V3 and V4.
//
// How many boxes are taken is found by the card, and waited for.
#include "op/suppress.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/order.h"
#include "cuda/ops/suppress_params.h"
#include "device/backend.h"
#include "device/device.h"
#include "op/types.h"

enum { TAKING_THREADS = 1024 };

typedef struct plan {
  berth_suppress_t suppress;
  int keys, corners, take;  // Kernels.
} plan_t;

// Bytes of the scratch space: corners, keys, places of what is taken, and
// whether a box is out.
static size_t scratch_of(const berth_suppress_t *suppress) {
  return (size_t)suppress->boxes *
         (4 * sizeof(float) + 2 * sizeof(uint32_t) + 1);
}

static void lay_out(berth_suppress_params_t *params, void *scratch) {
  params->corners = scratch;
  params->keys = (uint32_t *)(params->corners + 4 * params->count);
  params->taken = (int32_t *)(params->keys + params->count);
  params->is_out = (uint8_t *)(params->taken + params->count);
}

static berth_code_t launch(berth_call_t *call, int kernel,
                           const berth_suppress_params_t *params) {
  return berth_cuda_launch(call, kernel, params->count, params,
                           sizeof(*params));
}

// Queues what takes boxes, and waits for how many they are.
static berth_code_t take(const plan_t *plan, berth_suppress_params_t *params,
                         berth_call_t *call, int64_t *out_total) {
  berth_allocator_t *pinned = call->stream->device->pinned;
  berth_buffer_t *buffer = NULL;
  berth_ordering_t order;
  BERTH_TRY(launch(call, plan->keys, params));
  BERTH_TRY(berth_order_queue_bits(params->keys, BERTH_INT32, params->count,
                                   UINT32_MAX, call, &order));
  params->places = order.places;
  berth_code_t code =
      pinned->alloc(pinned, sizeof(uint32_t), &buffer, call->err);
  if (code == BERTH_OK) {
    params->total = buffer->data;
    code = launch(call, plan->corners, params);
  }
  if (code == BERTH_OK) {
    code = berth_cuda_launch_blocks(call, plan->take, 1, TAKING_THREADS, params,
                                    sizeof(*params));
  }
  if (code == BERTH_OK) code = berth_cuda_wait(call, buffer);
  if (code == BERTH_OK) *out_total = *params->total;
  berth_tensor_release(order.memory);
  berth_buffer_release(buffer);
  return code;
}

// Stores |value| in a scalar of the card.
static berth_code_t make_scalar(int32_t value, berth_call_t *call,
                                berth_tensor_t **out) {
  const berth_stream_ops_t *streams = call->stream->device->backend->streams;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_INT32, 0, NULL, 1, out,
                              call->err));
  return streams->copy(call->stream, call->stream->device, (*out)->data, NULL,
                       &value, sizeof(value), call->err);
}

static berth_code_t make_outputs(const plan_t *plan, const int32_t *taken,
                                 int64_t total, berth_call_t *call) {
  int64_t size = plan->suppress.is_padded ? plan->suppress.most : total;
  size_t bytes = (size_t)total * sizeof(*taken);
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_INT32, 1, &size, size,
                              &out, call->err));
  call->outputs[0] = out;
  if (bytes > 0) BERTH_TRY(berth_cuda_copy(call, out->data, taken, bytes));
  if (out->size > bytes) {
    BERTH_TRY(
        berth_cuda_clear(call, (char *)out->data + bytes, out->size - bytes));
  }
  if (call->node->output_count == 1) return BERTH_OK;
  return make_scalar((int32_t)total, call, &call->outputs[1]);
}

static berth_code_t run_suppress(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_suppress_t *suppress = &plan->suppress;
  const berth_node_t *node = call->node;
  berth_suppress_params_t params = {
      .boxes = args[0],
      .scores = args[1],
      .count = (uint64_t)suppress->boxes,
      .most = (uint64_t)(suppress->most < suppress->boxes ? suppress->most
                                                          : suppress->boxes),
      .overlap = suppress->overlap,
      .score = suppress->score};
  int64_t total = 0;
  if (params.most > 0) {
    lay_out(&params, args[node->input_count + node->output_count]);
    BERTH_TRY(take(plan, &params, call, &total));
  }
  return make_outputs(plan, params.taken, total, call);
}

static berth_code_t prepare_suppress(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_suppress(&prepare->op, &plan->suppress, err));
  plan->keys = berth_cuda_kernel("suppress", "berth_suppress_keys");
  plan->corners = berth_cuda_kernel("suppress", "berth_suppress_corners");
  plan->take = berth_cuda_kernel("suppress", "berth_suppress_take");
  if (plan->keys < 0 || plan->corners < 0 || plan->take < 0) {
    return berth_error_no_memory(err, "kernels");
  }
  prepare->scratch_size = scratch_of(&plan->suppress);
  prepare->run = run_suppress;
  return BERTH_OK;
}

#define KERNEL(name)                                           \
  {                                                            \
    .op = name, .types = {{"T", BERTH_TYPE(FLOAT)}},           \
    .prepare = prepare_suppress, .traits = BERTH_OP_UNRECORDED \
  }

const berth_kernel_t berth_cuda_suppress_kernels[] = {
    KERNEL("NonMaxSuppressionV2"),
    KERNEL("NonMaxSuppressionV3"),
    KERNEL("NonMaxSuppressionV4"),
    {.op = NULL},
};
