// unique.c - The kernel Unique, of int32 and int64.
//
// Elements are put in order, so that each finds the first that is equal to it;
// firsts are counted, which the host waits for, and written in the order in
// which they lie.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/order.h"
#include "cuda/ops/unique_params.h"
#include "device/backend.h"
#include "device/device.h"
#include "op/index.h"

enum { MOST_PARTS = 16384, SHORTEST = 16, ADDING_THREADS = 1024 };

typedef struct plan {
  int bits, firsts, count, add, write, indices;  // Kernels.
  berth_unique_params_t params;                  // Without addresses.
} plan_t;

static berth_code_t launch(berth_call_t *call, int kernel, uint64_t threads,
                           const berth_unique_params_t *params) {
  return berth_cuda_launch(call, kernel, threads, params, sizeof(*params));
}

// Waits for the bits that are set in any element; |pinned| is where they come.
static berth_code_t find_bits(const plan_t *plan,
                              const berth_unique_params_t *params,
                              berth_buffer_t *pinned, uint64_t *out_bits,
                              berth_call_t *call) {
  berth_device_t *device = call->stream->device;
  BERTH_TRY(berth_cuda_clear(call, params->bits, sizeof(uint64_t)));
  BERTH_TRY(launch(call, plan->bits, params->count, params));
  BERTH_TRY(device->backend->streams->copy(call->stream, NULL, pinned->data,
                                           device, params->bits,
                                           sizeof(uint64_t), call->err));
  BERTH_TRY(berth_cuda_wait(call, pinned));
  *out_bits = *(const uint64_t *)pinned->data;
  return BERTH_OK;
}

// Queues what finds the firsts, and waits for how many there are.
static berth_code_t find_firsts(const plan_t *plan,
                                berth_unique_params_t *params,
                                berth_buffer_t *pinned, berth_call_t *call) {
  uint64_t bits = 0;
  berth_ordering_t order;
  BERTH_TRY(find_bits(plan, params, pinned, &bits, call));
  BERTH_TRY(berth_order_queue_bits(params->in,
                                   params->is_wide ? BERTH_INT64 : BERTH_INT32,
                                   params->count, bits, call, &order));
  params->places = order.places;
  params->total = pinned->data;
  berth_code_t code = launch(call, plan->firsts, params->count, params);
  if (code == BERTH_OK) {
    code = launch(call, plan->count, params->parts, params);
  }
  if (code == BERTH_OK) {
    code = berth_cuda_launch_blocks(call, plan->add, 1, ADDING_THREADS, params,
                                    sizeof(*params));
  }
  berth_tensor_release(order.memory);
  return code == BERTH_OK ? berth_cuda_wait(call, pinned) : code;
}

// Makes the outputs of |total| different elements, and queues what fills them.
static berth_code_t write_all(const plan_t *plan, berth_unique_params_t *params,
                              int64_t total, berth_call_t *call) {
  const berth_tensor_t *in = call->inputs[0];
  berth_tensor_t *out = NULL, *indices = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, in->dtype, 1, &total, total,
                              &out, call->err));
  berth_code_t code =
      berth_tensor_make(call->allocator, call->node->output_types[1], 1,
                        &in->count, in->count, &indices, call->err);
  if (code == BERTH_OK && params->count > 0) {
    params->out = out->data;
    params->indices = indices->data;
    code = launch(call, plan->write, params->parts, params);
    if (code == BERTH_OK) {
      code = launch(call, plan->indices, params->count, params);
    }
  }
  if (code == BERTH_OK) {
    call->outputs[0] = out;
    call->outputs[1] = indices;
  } else {
    berth_tensor_release(out);
    berth_tensor_release(indices);
  }
  return code;
}

static berth_code_t run_unique(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  berth_unique_params_t params = plan->params;
  if (params.count == 0) return write_all(plan, &params, 0, call);
  params.in = args[0];
  params.bits = args[3];
  params.firsts = (uint32_t *)args[3] + 2;
  params.ranks = params.firsts + params.count;
  params.counts = params.ranks + params.count;
  berth_allocator_t *allocator = call->stream->device->pinned;
  berth_buffer_t *pinned = NULL;
  BERTH_TRY(allocator->alloc(allocator, sizeof(uint64_t), &pinned, call->err));
  berth_code_t code = find_firsts(plan, &params, pinned, call);
  if (code == BERTH_OK) {
    code = write_all(plan, &params, (int64_t)*params.total, call);
  }
  berth_buffer_release(pinned);
  return code;
}

static bool find_kernels(plan_t *plan) {
  plan->bits = berth_cuda_kernel("unique", "berth_unique_bits");
  plan->firsts = berth_cuda_kernel("unique", "berth_unique_firsts");
  plan->count = berth_cuda_kernel("unique", "berth_unique_count");
  plan->add = berth_cuda_kernel("unique", "berth_unique_add");
  plan->write = berth_cuda_kernel("unique", "berth_unique_write");
  plan->indices = berth_cuda_kernel("unique", "berth_unique_indices");
  return plan->bits >= 0 && plan->firsts >= 0 && plan->count >= 0 &&
         plan->add >= 0 && plan->write >= 0 && plan->indices >= 0;
}

static berth_code_t prepare_unique(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_unique(&prepare->op, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL || !find_kernels(plan)) {
    return berth_error_no_memory(err, "a plan");
  }
  berth_unique_params_t *params = &plan->params;
  params->count = (uint64_t)input->count;
  if (params->count > UINT32_MAX) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "Unique on a GPU takes at most %u elements, not %lld", UINT32_MAX,
        (long long)input->count);
  }
  params->is_wide = input->dtype == BERTH_INT64;
  params->wide_indices = prepare->op.node->output_types[1] == BERTH_INT64;
  params->part = params->count / MOST_PARTS + 1;
  if (params->part < SHORTEST) params->part = SHORTEST;
  params->parts = (params->count + params->part - 1) / params->part;
  prepare->scratch_size =
      (size_t)(2 + 2 * params->count + params->parts) * sizeof(uint32_t);
  prepare->run = run_unique;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_unique_kernels[] = {
    {.op = "Unique",
     .types = {{"T", BERTH_TYPES_INDEX}, {"out_idx", BERTH_TYPES_INDEX}},
     .prepare = prepare_unique,
     .traits = BERTH_OP_UNRECORDED},
    {.op = NULL},
};
