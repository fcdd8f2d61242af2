// bias.c - The kernels BiasAdd and BiasAddV1: an addition that broadcasts.
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/move.h"
#include "op/matrix.h"

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

// As berth_term_fn.
static void apply_rows(const void *arg, const char *const *in, char *out,
                       int64_t count) {
  const rows_plan_t *plan = arg;
  plan->loop(in[0], in[1], out, count);
}

static void set_term(berth_prepare_t *prepare, const rows_plan_t *plan,
                     berth_dtype_t dtype) {
  size_t size = berth_dtype_size(dtype);
  berth_cpu_term_t *term =
      berth_arena_calloc(prepare->op.arena, 1, sizeof(*term));
  if (term == NULL) return;
  *term = (berth_cpu_term_t){.term = {.fuse = berth_cpu_fuse,
                                      .count = plan->rows * plan->n,
                                      .row = plan->n,
                                      .carried = 1,
                                      .many = true},
                             .apply = apply_rows,
                             .reach = {BERTH_REACH_ALL, BERTH_REACH_ROW},
                             .sizes = {(uint8_t)size, (uint8_t)size},
                             .out_size = (uint8_t)size,
                             .second = 1};
  if (dtype == BERTH_FLOAT) {
    term->of_first = BERTH_STRAND_ADD;
    if (prepare->op.inputs[1].is_fixed) {
      term->rows_kind = BERTH_ROWS_ADD;
      term->rows = prepare->op.inputs[1].value;
    }
  }
  prepare->term = &term->term;
}

// True when there are few elements, with the channels last, of a type that is
// added as it is.
static bool suits_rows(const berth_prepare_t *prepare,
                       const berth_bias_t *bias) {
  const berth_case_input_t *value = &prepare->op.inputs[0];
  return value->count > 0 && value->count <= FEW && bias->rank == 1 &&
         value->dtype != BERTH_HALF && value->dtype != BERTH_BFLOAT16;
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
  set_term(prepare, plan, dtype);
  return BERTH_OK;
}

// Prepares the addition of inputs 0 and 1, the latter with the shape |dims|.
static berth_code_t prepare_addition(berth_prepare_t *prepare,
                                     berth_dims_t dims, berth_error_t *err) {
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  berth_sweep_t sweep = {.loops = *berth_binary_loops(BERTH_BINARY_ADD, dtype),
                         .input = dtype,
                         .output = dtype,
                         .strand = BERTH_STRAND_ADD,
                         .strand_of = BERTH_STRAND_ADD};
  const berth_case_input_t *inputs = prepare->op.inputs;
  berth_case_input_t shaped[2] = {inputs[0], inputs[1]};
  shaped[1].rank = dims.rank;
  shaped[1].dims = dims.dims;
  prepare->op.inputs = shaped;
  berth_code_t code = berth_sweep_binary(prepare, &sweep, err);
  prepare->op.inputs = inputs;
  return code;
}

static berth_code_t bias_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  berth_bias_t bias;
  BERTH_TRY(berth_op_bias_add(&prepare->op, &bias, err));
  if (suits_rows(prepare, &bias)) return prepare_rows(prepare, err);
  return prepare_addition(prepare, (berth_dims_t){bias.rank, bias.dims}, err);
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
