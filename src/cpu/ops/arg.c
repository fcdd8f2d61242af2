// arg.c - ArgMax and ArgMin.
#include "cpu/loops/arg.h"

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "op/value.h"

enum {
  MAX_RANK = 7,         // TensorFlow's limit.
  ITEM_VALUES = 65536,  // Values that are worth a thread.
  STRIP = 512,          // Results made at a time.
};
_Static_assert((int)STRIP <= (int)BERTH_ARG_COLS, "a strip is a block");

// The input is [outer, n, inner]. An item is a line, or a strip of columns.
typedef struct plan {
  const berth_arg_loops_t *loops;
  berth_dtype_t output_type;
  int64_t outer, n, inner;
  int64_t strips;  // Of one outer index.
  int64_t value_size;
} plan_t;

typedef struct arg_run {
  const plan_t *plan;
  const char *in;
  void *out;
} arg_run_t;

// Stores |count| indices from |at| on; short types keep the low bits.
static void store(const arg_run_t *run, int64_t at, const int64_t *indices,
                  int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    switch (run->plan->output_type) {
      case BERTH_INT16:
      case BERTH_UINT16:
        ((uint16_t *)run->out)[at + i] = (uint16_t)indices[i];
        break;
      case BERTH_INT32:
        ((int32_t *)run->out)[at + i] = (int32_t)indices[i];
        break;
      default:
        ((int64_t *)run->out)[at + i] = indices[i];
        break;
    }
  }
}

static void lines_run(void *arg, int64_t begin, int64_t end) {
  const arg_run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t indices[STRIP];
  for (int64_t i = begin; i < end; i += STRIP) {
    int64_t count = end - i < STRIP ? end - i : STRIP;
    plan->loops->lines(run->in + i * plan->n * plan->value_size, count, plan->n,
                       indices);
    store(run, i, indices, count);
  }
}

static void strips_run(void *arg, int64_t begin, int64_t end) {
  const arg_run_t *run = arg;
  const plan_t *plan = run->plan;
  int64_t indices[STRIP];
  for (int64_t item = begin; item < end; ++item) {
    int64_t outer = item / plan->strips;
    int64_t column = item % plan->strips * STRIP;
    int64_t cols = plan->inner - column < STRIP ? plan->inner - column : STRIP;
    int64_t from = outer * plan->n * plan->inner + column;
    plan->loops->columns(run->in + from * plan->value_size, plan->n,
                         plan->inner, cols, indices);
    store(run, outer * plan->inner + column, indices, cols);
  }
}

static berth_code_t run_lines(const void *plan_arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = plan_arg;
  arg_run_t run = {plan, args[0], args[2]};
  berth_parallel_for(plan->outer, ITEM_VALUES / plan->n + 1, lines_run, &run);
  return BERTH_OK;
}

static berth_code_t run_strips(const void *plan_arg, void *const *args,
                               berth_call_t *call) {
  (void)call;
  const plan_t *plan = plan_arg;
  arg_run_t run = {plan, args[0], args[2]};
  int64_t values = plan->n * (plan->inner < STRIP ? plan->inner : STRIP);
  berth_parallel_for(plan->outer * plan->strips, ITEM_VALUES / values + 1,
                     strips_run, &run);
  return BERTH_OK;
}

// Stores the dimension that input 1 names.
static berth_code_t read_axis(const berth_prepare_t *prepare, int32_t *out_axis,
                              berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  const berth_op_input_t *dimension = &prepare->op.inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (dimension->rank != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "dim must be a scalar, but received tensor of shape: %s",
        berth_input_text(dimension, text));
  }
  int64_t axis = berth_value_int(dimension, 0);
  if (axis < -input->rank || axis >= input->rank) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Expected dimension in the range [%d, %d), but got %lld", -input->rank,
        input->rank, (long long)axis);
  }
  if (axis < 0) axis += input->rank;
  if (input->dims[axis] == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Reduction axis %d is empty in shape %s", (int)axis,
                           berth_input_text(input, text));
  }
  *out_axis = (int32_t)axis;
  return BERTH_OK;
}

// Says the shape of the output: that of the input without |axis|.
static void set_output(berth_prepare_t *prepare, int32_t axis) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  berth_shape_t *out = &prepare->op.outputs[0];
  out->rank = 0;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (i != axis) out->dims[out->rank++] = input->dims[i];
  }
}

static void plan_fill(plan_t *plan, const berth_op_input_t *input,
                      int32_t axis) {
  plan->outer = plan->inner = 1;
  plan->n = input->dims[axis];
  for (int32_t i = 0; i < axis; ++i) plan->outer *= input->dims[i];
  for (int32_t i = axis + 1; i < input->rank; ++i) {
    plan->inner *= input->dims[i];
  }
  plan->strips = (plan->inner + STRIP - 1) / STRIP;
  plan->value_size = (int64_t)berth_dtype_size(input->dtype);
}

static berth_code_t prepare_any(berth_prepare_t *prepare, bool is_min,
                                berth_error_t *err) {
  int32_t axis = 0;
  BERTH_TRY(read_axis(prepare, &axis, err));
  set_output(prepare, axis);
  const berth_op_input_t *input = &prepare->op.inputs[0];
  if (input->count == 0) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  if (input->rank > MAX_RANK) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Argmax and Argmin only support up to 7 input "
                           "dimensions, but got %d. Inputs shape: %s",
                           input->rank, berth_input_text(input, text));
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->loops = berth_arg_loops(input->dtype, is_min);
  plan->output_type =
      berth_node_attr_type(prepare->op.node, "output_type", BERTH_INT64);
  plan_fill(plan, input, axis);
  prepare->run = plan->inner == 1 ? run_lines : run_strips;
  prepare->work = input->count / 4;
  return BERTH_OK;
}

static berth_code_t max_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, false, err);
}

static berth_code_t min_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, true, err);
}

#define VALUES \
  (BERTH_TYPES_BASIC & ~(BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128)))

const berth_kernel_t berth_cpu_arg_kernels[] = {
    {.op = "ArgMax",
     .types = {{"T", VALUES},
               {"output_type",
                BERTH_TYPES_INDEX | BERTH_TYPE(INT16) | BERTH_TYPE(UINT16)}},
     .prepare = max_prepare},
    {.op = "ArgMin",
     .types = {{"T", VALUES}, {"output_type", BERTH_TYPES_INDEX}},
     .prepare = min_prepare},
    {.op = NULL},
};
