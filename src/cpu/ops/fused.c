// fused.c - The kernels _FusedMatMul, _FusedConv2D and the like.
//
// The product or convolution is planned as if it were alone; what follows goes
// over the result, a block of a row at a time.
#include "op/fused.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/loops/floats.h"
#include "cpu/loops/unary.h"
#include "cpu/ops/fused.h"
#include "op/matrix.h"

enum { BLOCK = 512 };

typedef struct plan {
  berth_run_fn run;  // Of what comes first, with its plan.
  const void *plan;
  berth_fused_tail_t tail;
  berth_dtype_t dtype;
  int input_count;
  int64_t rows, channels;
  size_t row_size;
  berth_loop_fn add, subtract, multiply, function;
  size_t scratch_at;  // Where the scales of a normalisation lie.
} plan_t;

typedef struct run {
  const plan_t *plan;
  void *const *args;
  char *out;
  const void *scales;  // Of the type of the loops.
} run_t;

static bool is_narrow(berth_dtype_t dtype) {
  return dtype == BERTH_HALF || dtype == BERTH_BFLOAT16;
}

// ---- What follows ----

// Rounds |count| floats to the type of the elements.
static void settle(const plan_t *plan, float *x, int64_t count) {
  uint16_t narrow[BLOCK];
  if (!is_narrow(plan->dtype)) return;
  berth_floats_to(plan->dtype, x, narrow, count);
  berth_floats_from(plan->dtype, narrow, x, count);
}

// Returns elements [at, at + count) of argument |index| as loops take them.
static const void *vector_at(const run_t *run, int index, int64_t at,
                             int64_t count, float *room) {
  const plan_t *plan = run->plan;
  const char *data = (const char *)run->args[index] +
                     (size_t)at * berth_dtype_size(plan->dtype);
  if (!is_narrow(plan->dtype)) return data;
  berth_floats_from(plan->dtype, data, room, count);
  return room;
}

static void apply(const run_t *run, berth_loop_fn loop, int index, int64_t at,
                  int64_t count, void *x) {
  float room[BLOCK];
  loop(x, vector_at(run, index, at, count, room), x, count);
  settle(run->plan, x, count);
}

// Does |count| elements of a row, from |at|.
static void finish_block(const run_t *run, void *x, int64_t at, int64_t count) {
  const plan_t *plan = run->plan;
  size_t size = plan->dtype == BERTH_DOUBLE ? 8 : 4;
  if (plan->tail.is_norm) {
    apply(run, plan->subtract, 4, at, count, x);
    plan->multiply(x, (const char *)run->scales + (size_t)at * size, x, count);
    settle(plan, x, count);
    apply(run, plan->add, 3, at, count, x);
  } else {
    apply(run, plan->add, 2, at, count, x);
  }
  if (!plan->tail.is_function) return;
  double wide = (double)plan->tail.slope;
  const void *slope = size == 8 ? (const void *)&wide : &plan->tail.slope;
  plan->function(x, slope, x, count);
}

static void finish_rows(void *arg, int64_t begin, int64_t end) {
  const run_t *run = arg;
  const plan_t *plan = run->plan;
  size_t size = berth_dtype_size(plan->dtype);
  float room[BLOCK];
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t at = 0; at < plan->channels; at += BLOCK) {
      int64_t count = plan->channels - at < BLOCK ? plan->channels - at : BLOCK;
      char *x = run->out + (size_t)row * plan->row_size + (size_t)at * size;
      if (is_narrow(plan->dtype)) {
        berth_floats_from(plan->dtype, x, room, count);
        finish_block(run, room, at, count);
        berth_floats_to(plan->dtype, room, x, count);
      } else {
        finish_block(run, x, at, count);
      }
    }
  }
}

// Stores scale / sqrt(variance + epsilon) of each channel.
static void make_scales(const run_t *run, void *out) {
  const plan_t *plan = run->plan;
  float scale[BLOCK], variance[BLOCK];
  for (int64_t at = 0; at < plan->channels; at += BLOCK) {
    int64_t count = plan->channels - at < BLOCK ? plan->channels - at : BLOCK;
    const void *s = vector_at(run, 2, at, count, scale);
    const void *v = vector_at(run, 5, at, count, variance);
    for (int64_t i = 0; i < count; ++i) {
      if (plan->dtype == BERTH_DOUBLE) {
        double sum = ((const double *)v)[i] + (double)plan->tail.epsilon;
        ((double *)out)[at + i] = ((const double *)s)[i] / sqrt(sum);
      } else {
        float sum = ((const float *)v)[i] + plan->tail.epsilon;
        ((float *)out)[at + i] = ((const float *)s)[i] / sqrtf(sum);
      }
    }
  }
}

static berth_code_t run_fused(const void *data, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = data;
  char *scratch = args[plan->input_count + 1];
  void *first[] = {args[0], args[1], args[plan->input_count], scratch};
  BERTH_TRY(plan->run(plan->plan, first, call));
  run_t run = {.plan = plan, .args = args, .out = args[plan->input_count]};
  if (plan->tail.is_norm) {
    make_scales(&run, scratch + plan->scratch_at);
    run.scales = scratch + plan->scratch_at;
  }
  int64_t grain = 16384 / (plan->channels + 1) + 1;
  (void)berth_parallel_for(plan->rows, grain, finish_rows, &run);
  return BERTH_OK;
}

// ---- Preparing ----

static void set_loops(plan_t *plan) {
  berth_dtype_t dtype = plan->dtype;
  plan->add = berth_binary_loops(BERTH_BINARY_ADD, dtype)->both;
  plan->subtract = berth_binary_loops(BERTH_BINARY_SUB, dtype)->both;
  plan->multiply = berth_binary_loops(BERTH_BINARY_MUL, dtype)->both;
  if (plan->tail.is_function) {
    plan->function = berth_unary_loop(plan->tail.function, dtype);
  }
}

// Plans what |kernel| does with the first two inputs, and |plan| around it.
static berth_code_t prepare_around(berth_prepare_t *prepare,
                                   const berth_kernel_t *kernel, plan_t *plan,
                                   berth_error_t *err) {
  int input_count = prepare->op.input_count;
  prepare->op.input_count = 2;
  berth_code_t code = kernel->prepare(prepare, err);
  prepare->op.input_count = input_count;
  prepare->op.may_overwrite = 0;
  prepare->term = NULL;
  if (code != BERTH_OK) return code;
  berth_dims_t out = berth_case_output_dims(&prepare->op, 0);
  plan->run = prepare->run;
  plan->plan = prepare->plan;
  plan->input_count = input_count;
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->channels = out.dims[out.rank - 1];
  plan->rows = plan->channels > 0 ? berth_dims_count(out) / plan->channels : 0;
  plan->row_size = (size_t)plan->channels * berth_dtype_size(plan->dtype);
  BERTH_TRY(
      berth_op_fused_check(&prepare->op, &plan->tail, plan->channels, err));
  set_loops(plan);
  plan->scratch_at = (prepare->scratch_size + 63) & ~(size_t)63;
  prepare->scratch_size = plan->scratch_at + (size_t)plan->channels * 8;
  prepare->work += berth_dims_count(out);
  prepare->plan = plan;
  prepare->run = run_fused;
  return BERTH_OK;
}

extern const berth_kernel_t berth_cpu_matmul_kernels[];
extern const berth_kernel_t berth_cpu_conv_kernels[];
extern const berth_kernel_t berth_cpu_depthwise_kernels[];

static berth_code_t prepare_fused(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_node_t *node = prepare->op.node;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_fused_tail(&prepare->op, &plan->tail, err));
  // What is fused has the name of the kernel behind "_Fused".
  const char *name = node->op->name + 6;
  const berth_kernel_t *table = name[0] == 'M'   ? berth_cpu_matmul_kernels
                                : name[0] == 'D' ? berth_cpu_depthwise_kernels
                                                 : berth_cpu_conv_kernels;
  if (strncmp(berth_node_attr_string(node, "data_format", "N"), "NC", 2) == 0) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "Fused conv implementation only supports NHWC tensor format for now.");
  }
  return prepare_around(prepare, berth_cpu_kernel_of(table, name), plan, err);
}

const berth_kernel_t berth_cpu_fused_kernels[] = {
    {.op = "_FusedMatMul",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_fused},
    {.op = "_FusedConv2D",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_fused},
    {.op = "_FusedConv3D", .prepare = prepare_fused},
    {.op = "_FusedDepthwiseConv2dNative", .prepare = prepare_fused},
    {.op = NULL},
};
