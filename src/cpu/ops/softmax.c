// softmax.c - The kernels Softmax and LogSoftmax over the last dimension.
#include "cpu/loops/softmax.h"

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "op/rows.h"
#include "op/types.h"

typedef struct plan {
  berth_softmax_fn loop;
  int64_t rows, n;
  int64_t row_size;  // Bytes.
  int64_t grain;     // Rows that are worth a thread.
} plan_t;

typedef struct softmax_run {
  const plan_t *plan;
  const char *in;
  char *out;
} softmax_run_t;

static void rows_run(void *arg, int64_t begin, int64_t end) {
  const softmax_run_t *run = arg;
  const plan_t *plan = run->plan;
  plan->loop(run->in + begin * plan->row_size,
             run->out + begin * plan->row_size, end - begin, plan->n);
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
  plan->loop(args[0], args[1], plan->rows, plan->n);
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
