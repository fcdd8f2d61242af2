// softmax.c - The kernels Softmax and LogSoftmax over the last dimension.
#include "cpu/loops/softmax.h"

#include <math.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/binary.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/round.h"
#include "cpu/loops/unary.h"
#include "op/rows.h"
#include "op/types.h"

typedef struct plan {
  berth_softmax_fn loop;
  int64_t rows, n;
  int64_t row_size;  // Bytes.
  int64_t grain;     // Rows that are worth a thread.
  // Of half and bfloat16; NULL: rows go one by one, by |loop|.
  berth_convert_fn widen, narrow;
  bool is_half, is_log;
} plan_t;

// ---- Short rows of half and bfloat16 ----

// Rows with less than all groups of accumulators (softmax_isa.c) go through
// each step together, in blocks.
enum { SHORT = 32, GROUP = 8, BLOCK = 1024 };

static float round_16(const plan_t *plan, float x) {
  return plan->is_half ? berth_round_half(x) : berth_round_bfloat16(x);
}

// As the sums there, in TensorFlow's order, of which each step is rounded but
// the last one.
static float sum_short(const plan_t *plan, const float *x) {
  float acc[GROUP] = {0}, rest = 0;
  int64_t i = 0;
  for (; i + GROUP <= plan->n; i += GROUP) {
    for (int j = 0; j < GROUP; ++j) {
      acc[j] = i == 0 ? x[j] : round_16(plan, acc[j] + x[i + j]);
    }
  }
  for (; i < plan->n; ++i) rest = round_16(plan, rest + x[i]);
  for (int j = 0; j < 4; ++j) acc[j] += acc[j + 4];
  const float first = acc[0] + acc[2], second = acc[1] + acc[3];
  if (plan->n % GROUP == 0) return first + second;
  return rest + round_16(plan, first + second);
}

static void subtract_largest(float *x, int64_t n) {
  float best = -INFINITY;
  for (int64_t i = 0; i < n; ++i) best = x[i] > best ? x[i] : best;
  for (int64_t i = 0; i < n; ++i) x[i] -= best;
}

// Rounds |count| floats to what the type holds.
static void round_block(const plan_t *plan, float *x, int64_t count) {
  uint16_t narrow[BLOCK];
  plan->narrow(x, narrow, count);
  plan->widen(narrow, x, count);
}

static void short_block(const plan_t *plan, const uint16_t *in, uint16_t *out,
                        int64_t rows) {
  const int64_t n = plan->n, count = rows * n;
  float x[BLOCK], y[BLOCK], by[BLOCK];
  plan->widen(in, x, count);
  for (int64_t r = 0; r < rows; ++r) subtract_largest(x + r * n, n);
  round_block(plan, x, count);
  berth_unary_loop(BERTH_UNARY_EXP, BERTH_FLOAT)(x, NULL, y, count);
  round_block(plan, y, count);
  for (int64_t r = 0; r < rows; ++r) by[r] = sum_short(plan, y + r * n);
  round_block(plan, by, rows);
  berth_unary_loop(plan->is_log ? BERTH_UNARY_LOG : BERTH_UNARY_RECIPROCAL,
                   BERTH_FLOAT)(by, NULL, by, rows);
  round_block(plan, by, rows);
  const berth_loops_t *last = berth_binary_loops(
      plan->is_log ? BERTH_BINARY_SUB : BERTH_BINARY_MUL, BERTH_FLOAT);
  for (int64_t r = 0; r < rows; ++r) {
    last->right((plan->is_log ? x : y) + r * n, &by[r], y + r * n, n);
  }
  plan->narrow(y, out, count);
}

static void short_rows(const plan_t *plan, const char *in, char *out,
                       int64_t rows) {
  const int64_t many = BLOCK / plan->n;
  for (int64_t r = 0; r < rows; r += many) {
    short_block(plan, (const uint16_t *)(const void *)in + r * plan->n,
                (uint16_t *)(void *)out + r * plan->n,
                rows - r < many ? rows - r : many);
  }
}

// ---- Running ----

static void do_rows(const plan_t *plan, const char *in, char *out,
                    int64_t rows) {
  if (plan->widen != NULL) {
    short_rows(plan, in, out, rows);
  } else {
    plan->loop(in, out, rows, plan->n);
  }
}

typedef struct softmax_run {
  const plan_t *plan;
  const char *in;
  char *out;
} softmax_run_t;

static void rows_run(void *arg, int64_t begin, int64_t end) {
  const softmax_run_t *run = arg;
  const plan_t *plan = run->plan;
  do_rows(plan, run->in + begin * plan->row_size,
          run->out + begin * plan->row_size, end - begin);
}

static berth_code_t run_wide(const void *plan_arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const plan_t *plan = plan_arg;
  softmax_run_t run = {plan, args[0], args[1]};
  berth_parallel_for(plan->rows, plan->grain, rows_run, &run);
  return BERTH_OK;
}

static berth_code_t run_alone(const void *plan_arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = plan_arg;
  do_rows(plan, args[0], args[1], plan->rows);
  return BERTH_OK;
}

static berth_softmax_fn loop_find(berth_dtype_t dtype, bool is_log) {
  const berth_softmax_loops_t *loops = BERTH_ISA_PICK(berth_cpu_softmax_loops);
  switch (dtype) {
    case BERTH_FLOAT:
      return is_log ? loops->log_f32 : loops->f32;
    case BERTH_DOUBLE:
      return is_log ? loops->log_f64 : loops->f64;
    case BERTH_HALF:
      return is_log ? loops->log_half : loops->half;
    default:
      return is_log ? loops->log_bfloat16 : loops->bfloat16;
  }
}

// Picoseconds for one element.
static int64_t unit_cost(berth_dtype_t dtype) {
  return dtype == BERTH_FLOAT ? 300 : dtype == BERTH_DOUBLE ? 6000 : 1500;
}

static berth_code_t prepare_any(berth_prepare_t *prepare, bool is_log,
                                berth_error_t *err) {
  berth_softmax_t softmax;
  BERTH_TRY(berth_op_softmax(&prepare->op, &softmax, err));
  prepare->run = berth_run_nothing;
  if (softmax.rows == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  int64_t cost = unit_cost(softmax.dtype);
  plan->loop = loop_find(softmax.dtype, is_log);
  plan->n = softmax.columns;
  plan->rows = softmax.rows;
  plan->row_size = plan->n * (int64_t)berth_dtype_size(softmax.dtype);
  if (softmax.columns < SHORT && berth_dtype_size(softmax.dtype) == 2) {
    const berth_convert_loops_t *loops =
        BERTH_ISA_PICK(berth_cpu_convert_loops);
    plan->is_log = is_log;
    plan->is_half = softmax.dtype == BERTH_HALF;
    plan->widen =
        plan->is_half ? loops->half_to_float : loops->BFLOAT16_to_FLOAT;
    plan->narrow =
        plan->is_half ? loops->float_to_half : loops->FLOAT_to_BFLOAT16;
  }
  plan->grain = 20000000 / (plan->n * cost + 1) + 1;
  prepare->work = plan->rows * plan->n * cost / 1000;
  prepare->run = plan->rows > plan->grain ? run_wide : run_alone;
  return BERTH_OK;
}

static berth_code_t softmax_prepare(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  return prepare_any(prepare, false, err);
}

static berth_code_t log_softmax_prepare(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  return prepare_any(prepare, true, err);
}

const berth_kernel_t berth_cpu_softmax_kernels[] = {
    {.op = "Softmax",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = softmax_prepare},
    {.op = "LogSoftmax",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = log_softmax_prepare},
    {.op = NULL},
};
