// gather.c - The kernels Gather and GatherV2.
//
// An index out of range cannot be reported from a card without waiting for it;
// as in TensorFlow on GPUs the row is zeros then.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/gather_params.h"
#include "kernel/handle.h"
#include "op/index.h"
#include "op/resource.h"
#include "state/variable.h"

enum { MAX_UNIT = 16 };

typedef struct plan {
  int kernel;        // For aligned addresses,
  int plain_kernel;  // and for units of one element.
  int64_t unit;
  int32_t output;  // Argument.
  // What the kernels are told, without addresses.
  berth_gather_params_t gather, plain;
} plan_t;

static berth_code_t run_gather(const void *plan, void *const *args,
                               berth_call_t *call) {
  const plan_t *gather = plan;
  uintptr_t bits = (uintptr_t)args[0] | (uintptr_t)args[gather->output];
  bool is_aligned = (bits & (uintptr_t)(gather->unit - 1)) == 0;
  berth_gather_params_t params = is_aligned ? gather->gather : gather->plain;
  params.params = args[0];
  params.indices = args[1];
  params.out = args[gather->output];
  return berth_cuda_launch(call,
                           is_aligned ? gather->kernel : gather->plain_kernel,
                           params.units, &params, sizeof(params));
}

// Fills in what does not depend on the unit, with |row| in bytes.
static void measure(const berth_case_t *op, const berth_gather_t *gather,
                    berth_gather_params_t *params) {
  uint64_t size = berth_dtype_size(op->inputs[0].dtype);
  params->outer = (uint64_t)gather->outer;
  params->limit = (uint64_t)gather->limit;
  params->count = (uint64_t)gather->count;
  params->row = (uint64_t)gather->inner * size;
  params->index_size = (int32_t)berth_dtype_size(op->inputs[1].dtype);
  params->units = (uint64_t)gather->total * size;
}

#define NAMES(what)                                           \
  {                                                           \
    "berth_gather" what "_x1", "berth_gather" what "_x2",     \
        "berth_gather" what "_x4", "berth_gather" what "_x8", \
        "berth_gather" what "_x16"                            \
  }

// Turns |gather| from bytes to units of |unit| bytes and returns the kernel for
// it; -1 when memory is short.
static int choose(berth_gather_params_t *gather, int64_t unit) {
  static const char *const names[][5] = {NAMES(""), NAMES("_wide")};
  gather->row /= (uint64_t)unit;
  gather->units /= (uint64_t)unit;
  bool is_wide = gather->units >= BERTH_DIVIDE_LIMIT;
  if (!is_wide) {
    gather->outer_by = berth_divider(gather->outer);
    gather->count_by = berth_divider(gather->count);
    gather->row_by = berth_divider(gather->row);
  }
  int class = __builtin_ctzll((unsigned long long)unit);
  return berth_cuda_kernel("gather", names[is_wide][class]);
}

static berth_code_t prepare_gather(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_gather_t gather;
  BERTH_TRY(berth_op_gather(&prepare->op, &gather, err));
  prepare->run = berth_run_nothing;
  if (gather.total == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  measure(&prepare->op, &gather, &plan->gather);
  plan->plain = plan->gather;
  uint64_t low = plan->gather.row & -plan->gather.row;
  plan->unit = low < MAX_UNIT ? (int64_t)low : MAX_UNIT;
  plan->output = prepare->op.input_count;
  plan->kernel = choose(&plan->gather, plan->unit);
  plan->plain_kernel = choose(
      &plan->plain, (int64_t)berth_dtype_size(prepare->op.inputs[0].dtype));
  if (plan->kernel < 0 || plan->plain_kernel < 0) {
    return berth_error_no_memory(err, "a kernel");
  }
  prepare->run = run_gather;
  return BERTH_OK;
}

// ---- Of variables ----

// Gathers from |value|, whose shape is known only now.
static berth_code_t gather_from(const berth_tensor_t *value,
                                berth_call_t *call) {
  const berth_tensor_t *indices = call->inputs[1];
  berth_arena_t arena = {0};
  berth_shape_t shape;
  const berth_case_input_t inputs[2] = {berth_input_of(value, NULL),
                                        berth_input_of(indices, NULL)};
  berth_prepare_t prepare = {.op = {.node = call->node,
                                    .input_count = 2,
                                    .output_count = 1,
                                    .inputs = inputs,
                                    .arena = &arena,
                                    .outputs = &shape,
                                    .alias = -1},
                             .device = call->stream->device};
  berth_tensor_t *out = NULL;
  berth_code_t code = prepare_gather(&prepare, call->err);
  if (code != BERTH_OK) goto done;
  berth_dims_t dims = berth_shape_dims(&shape);
  code = berth_tensor_make(call->allocator, value->dtype, dims.rank, dims.dims,
                           berth_dims_count(dims), &out, call->err);
  if (code != BERTH_OK) goto done;
  void *args[3] = {value->data, indices->data, out->data};
  code = prepare.run(prepare.plan, args, call);
done:
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t run_resource(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(args[0], BERTH_RESOURCE_VARIABLE, &resource, call->err));
  berth_variable_t *variable = (berth_variable_t *)resource;
  berth_tensor_t *value = berth_variable_read(variable);
  if (value == NULL) {
    return berth_variable_fail_update(variable, call->container, false,
                                      call->err);
  }
  berth_code_t code = berth_variable_check_device(
      variable, value, call->stream->device, call->err);
  if (code == BERTH_OK) code = gather_from(value, call);
  // What is queued comes before what uses the memory next.
  berth_tensor_release(value);
  return code;
}

static berth_code_t prepare_resource(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  prepare->run = run_resource;
  return berth_op_read_variable(&prepare->op, err);
}

#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8)

const berth_kernel_t berth_cuda_gather_kernels[] = {
    {.op = "GatherV2",
     .types = {{"Tparams", TYPES}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather},
    {.op = "Gather",
     .types = {{"Tparams", TYPES}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather},
    {.op = "ResourceGather",
     .types = {{"dtype", BERTH_TYPES_BASIC}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_resource,
     .traits = BERTH_OP_UNRECORDED},
    {.op = NULL},
};
