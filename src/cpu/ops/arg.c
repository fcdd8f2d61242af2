// arg.c - The kernels ArgMax and ArgMin.
#include "cpu/loops/arg.h"

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "op/reduce.h"
#include "op/types.h"

enum {
  ITEM_VALUES = 65536,  // Values that are worth a thread.
  STRIP = 512,          // Results made at a time.
};
_Static_assert((int)STRIP <= (int)BERTH_ARG_COLS, "a strip is a block");

// As in berth_arg_t. An item is a line, or a strip of columns.
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

static berth_code_t prepare_any(berth_prepare_t *prepare, bool is_min,
                                berth_error_t *err) {
  berth_arg_t arg;
  BERTH_TRY(berth_op_arg(&prepare->op, &arg, err));
  prepare->run = berth_run_nothing;
  if (arg.n == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){.loops = berth_arg_loops(arg.dtype, is_min),
                   .output_type = arg.index_type,
                   .outer = arg.outer,
                   .n = arg.n,
                   .inner = arg.inner,
                   .strips = (arg.inner + STRIP - 1) / STRIP,
                   .value_size = (int64_t)berth_dtype_size(arg.dtype)};
  prepare->run = plan->inner == 1 ? run_lines : run_strips;
  prepare->work = prepare->op.inputs[0].count / 4;
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
