// gather.c - The kernels Gather and GatherV2.
//
// An index out of range cannot be reported from a card without waiting for it;
// as in TensorFlow on GPUs the row is zeros then.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/gather_params.h"
#include "op/types.h"

enum { MAX_UNIT = 16 };

typedef struct plan {
  int kernel;        // For aligned addresses,
  int plain_kernel;  // and for units of one element.
  int64_t unit;
  int32_t output;  // Argument.
  // What the kernels are told, without addresses.
  berth_gather_t gather, plain;
} plan_t;

static berth_code_t run_gather(const void *plan, void *const *args,
                               berth_call_t *call) {
  const plan_t *gather = plan;
  uintptr_t bits = (uintptr_t)args[0] | (uintptr_t)args[gather->output];
  bool is_aligned = (bits & (uintptr_t)(gather->unit - 1)) == 0;
  berth_gather_t params = is_aligned ? gather->gather : gather->plain;
  params.params = args[0];
  params.indices = args[1];
  params.out = args[gather->output];
  return berth_cuda_launch(call,
                           is_aligned ? gather->kernel : gather->plain_kernel,
                           params.units, &params, sizeof(params));
}

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t all = 1;
  for (int32_t i = begin; i < end; ++i) all *= dims[i];
  return all;
}

// Returns the axis, which is known to be one.
static int32_t read_axis(const berth_prepare_t *prepare) {
  if (prepare->op.input_count < 3) return 0;
  const berth_op_input_t *input = &prepare->op.inputs[2];
  int64_t axis = input->dtype == BERTH_INT32 ? *(const int32_t *)input->value
                                             : *(const int64_t *)input->value;
  return (int32_t)(axis < 0 ? axis + prepare->op.inputs[0].rank : axis);
}

// Fills in what does not depend on the unit, with |row| in bytes.
static void measure(const berth_prepare_t *prepare, berth_gather_t *gather) {
  const berth_op_input_t *params = &prepare->op.inputs[0];
  const berth_op_input_t *indices = &prepare->op.inputs[1];
  int32_t axis = read_axis(prepare);
  int64_t given = berth_node_attr_int(prepare->op.node, "batch_dims", 0);
  int32_t batch = (int32_t)(given < 0 ? given + indices->rank : given);
  int64_t row = product(params->dims, axis + 1, params->rank);
  gather->outer = (uint64_t)product(params->dims, batch, axis);
  gather->limit = (uint64_t)params->dims[axis];
  gather->count = (uint64_t)product(indices->dims, batch, indices->rank);
  gather->row = (uint64_t)row * berth_dtype_size(params->dtype);
  gather->index_size = (int32_t)berth_dtype_size(indices->dtype);
  gather->units =
      (uint64_t)product(params->dims, 0, axis) * gather->count * gather->row;
}

#define NAMES(what)                                           \
  {                                                           \
    "berth_gather" what "_x1", "berth_gather" what "_x2",     \
        "berth_gather" what "_x4", "berth_gather" what "_x8", \
        "berth_gather" what "_x16"                            \
  }

// Turns |gather| from bytes to units of |unit| bytes and returns the kernel for
// it; -1 when memory is short.
static int choose(berth_gather_t *gather, int64_t unit) {
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
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  prepare->run = berth_run_nothing;
  if (berth_dims_count(berth_shape_dims(&prepare->op.outputs[0])) == 0) {
    return BERTH_OK;
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  measure(prepare, &plan->gather);
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

#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8)

const berth_kernel_t berth_cuda_gather_kernels[] = {
    {.op = "GatherV2",
     .types = {{"Tparams", TYPES},
               {"Tindices", BERTH_TYPES_INDEX},
               {"Taxis", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather},
    {.op = "Gather",
     .types = {{"Tparams", TYPES}, {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather},
    {.op = NULL},
};
