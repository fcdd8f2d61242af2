// where.c - The kernel Where: the places of the elements that are not zero.
//
// How many there are decides the shape of the output, so the host waits for the
// number, which comes in pinned memory, before it makes the output.
#include "cuda/ops/where_params.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "device/device.h"
#include "op/index.h"

enum { MAX_PARTS = 16384, ADDING_THREADS = 1024 };

typedef struct plan {
  int count_kernel, add_kernel, write_kernel;
  berth_where_params_t params;  // Without addresses.
} plan_t;

// Queues what finds where each part begins, and waits for |*out_total|.
static berth_code_t count_all(const plan_t *plan, berth_where_params_t *params,
                              int64_t *out_total, berth_call_t *call) {
  berth_allocator_t *pinned = call->stream->device->pinned;
  berth_buffer_t *buffer = NULL;
  BERTH_TRY(pinned->alloc(pinned, sizeof(int64_t), &buffer, call->err));
  params->total = buffer->data;
  berth_code_t code = berth_cuda_launch(
      call, plan->count_kernel, params->part_count, params, sizeof(*params));
  if (code != BERTH_OK) goto done;
  code = berth_cuda_launch_blocks(call, plan->add_kernel, 1, ADDING_THREADS,
                                  params, sizeof(*params));
  if (code != BERTH_OK) goto done;
  code = berth_cuda_wait(call, buffer);
  if (code != BERTH_OK) goto done;
  *out_total = *params->total;
done:
  berth_buffer_release(buffer);
  return code;
}

static berth_code_t run_where(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_where_params_t params = plan->params;
  int64_t dims[2] = {0, params.rank};
  berth_tensor_t *out = NULL;
  params.in = args[0];
  params.parts = args[2];
  if (params.count > 0) BERTH_TRY(count_all(plan, &params, &dims[0], call));
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_INT64, 2, dims,
                              dims[0] * dims[1], &out, call->err));
  params.places = out->data;
  berth_code_t code = BERTH_OK;
  if (out->count > 0) {
    code = berth_cuda_launch(call, plan->write_kernel, params.part_count,
                             &params, sizeof(params));
  }
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  return code;
}

static berth_code_t find_kernels(berth_dtype_t dtype, plan_t *plan,
                                 berth_error_t *err) {
  // One byte is set or not, whatever it means.
  if (berth_dtype_size(dtype) == 1) dtype = BERTH_UINT8;
  plan->count_kernel =
      berth_cuda_kernel_for("where", "berth_where_count", dtype);
  plan->add_kernel = berth_cuda_kernel("where", "berth_where_add");
  plan->write_kernel =
      berth_cuda_kernel_for("where", "berth_where_write", dtype);
  bool has_all = plan->count_kernel >= 0 && plan->add_kernel >= 0 &&
                 plan->write_kernel >= 0;
  return has_all ? BERTH_OK : berth_error_no_memory(err, "kernels");
}

static berth_code_t prepare_where(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_where(&prepare->op, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(find_kernels(input->dtype, plan, err));
  berth_where_params_t *params = &plan->params;
  params->count = (uint64_t)input->count;
  params->part_size = params->count / MAX_PARTS + 1;
  params->part_count =
      (params->count + params->part_size - 1) / params->part_size;
  params->rank = (uint32_t)input->rank;
  for (int32_t i = 0; i < input->rank; ++i) params->dims[i] = input->dims[i];
  prepare->scratch_size = params->part_count * sizeof(int64_t);
  prepare->run = run_where;
  return BERTH_OK;
}

#define TYPES                                                     \
  (BERTH_TYPES_COMPLEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) | \
   BERTH_TYPE(INT8) | BERTH_TYPE(INT64) | BERTH_TYPE(UINT8) |     \
   BERTH_TYPE(BOOL))

const berth_kernel_t berth_cuda_where_kernels[] = {
    {.op = "Where",
     .types = {{"T", TYPES}},
     .prepare = prepare_where,
     .traits = BERTH_OP_UNRECORDED},
    {.op = NULL},
};
