// bias.c - BiasAdd: one number per channel, added to all of the channel.
//
// An addition that broadcasts: the biases are a row along the last dimension,
// or, with the channels first, a column along dimension 1.
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/ops/move.h"
#include "op/value.h"

// Checks the shapes and stores which dimension of the input has the channels.
static berth_code_t find_channels(const berth_prepare_t *prepare,
                                  int32_t *out_channels, berth_error_t *err) {
  const berth_op_input_t *value = &prepare->op.inputs[0];
  const berth_op_input_t *bias = &prepare->op.inputs[1];
  char text[BERTH_DIMS_TEXT], bias_text[BERTH_DIMS_TEXT];
  if (value->rank < 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input tensor must be at least 2D: %s",
                           berth_input_text(value, text));
  }
  if (bias->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Biases must be 1D: %s",
                           berth_input_text(bias, text));
  }
  const char *format =
      berth_node_attr_string(prepare->op.node, "data_format", "NHWC");
  int32_t channels = strcmp(format, "NCHW") == 0 ? 1 : value->rank - 1;
  if (bias->dims[0] != value->dims[channels]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Must provide as many biases as the last dimension "
                           "of the input tensor: %s vs. %s",
                           berth_input_text(bias, bias_text),
                           berth_input_text(value, text));
  }
  *out_channels = channels;
  return BERTH_OK;
}

// A few rows, each with all biases added: no more than the loop.
enum { FEW = 1024 };

typedef struct rows_plan {
  berth_loop_fn loop;
  int64_t rows, n;
  int64_t row_size;  // Bytes.
} rows_plan_t;

static berth_code_t run_rows(const void *plan_arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const rows_plan_t *plan = plan_arg;
  const char *value = args[0];
  char *out = args[2];
  for (int64_t i = 0; i < plan->rows; ++i) {
    plan->loop(value, args[1], out, plan->n);
    value += plan->row_size;
    out += plan->row_size;
  }
  return BERTH_OK;
}

// True when there are few elements, with the channels last, of a type that is
// added as it is.
static bool suits_rows(const berth_prepare_t *prepare, int32_t channels) {
  const berth_op_input_t *value = &prepare->op.inputs[0];
  return value->count > 0 && value->count <= FEW &&
         channels == value->rank - 1 && value->dtype != BERTH_HALF &&
         value->dtype != BERTH_BFLOAT16;
}

static berth_code_t prepare_rows(berth_prepare_t *prepare, berth_error_t *err) {
  rows_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  plan->loop = berth_binary_loops(BERTH_BINARY_ADD, dtype)->both;
  plan->n = prepare->op.inputs[1].count;
  plan->rows = prepare->op.inputs[0].count / plan->n;
  plan->row_size = plan->n * (int64_t)berth_dtype_size(dtype);
  prepare->run = run_rows;
  prepare->op.may_overwrite = 1;
  return BERTH_OK;
}

// Prepares the addition of inputs 0 and 1, the latter with the shape |dims|.
static berth_code_t prepare_addition(berth_prepare_t *prepare,
                                     berth_dims_t dims, berth_error_t *err) {
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  berth_sweep_t sweep = {.loops = *berth_binary_loops(BERTH_BINARY_ADD, dtype),
                         .input = dtype,
                         .output = dtype};
  const berth_op_input_t *inputs = prepare->op.inputs;
  berth_op_input_t shaped[2] = {inputs[0], inputs[1]};
  shaped[1].rank = dims.rank;
  shaped[1].dims = dims.dims;
  prepare->op.inputs = shaped;
  berth_code_t code = berth_sweep_binary(prepare, &sweep, err);
  prepare->op.inputs = inputs;
  return code;
}

static berth_code_t bias_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  int32_t channels = 0;
  BERTH_TRY(find_channels(prepare, &channels, err));
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
  if (suits_rows(prepare, channels)) return prepare_rows(prepare, err);
  // The channels, and a 1 for every dimension after them.
  int64_t dims[BERTH_MAX_RANK];
  int32_t rank = prepare->op.inputs[0].rank - channels;
  dims[0] = prepare->op.inputs[1].dims[0];
  for (int32_t i = 1; i < rank; ++i) dims[i] = 1;
  return prepare_addition(prepare, (berth_dims_t){rank, dims}, err);
}

const berth_kernel_t berth_cpu_bias_kernels[] = {
    {.op = "BiasAdd",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = bias_prepare},
    {.op = "BiasAddV1",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = bias_prepare},
    {.op = NULL},
};
