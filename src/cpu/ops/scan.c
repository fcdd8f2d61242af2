// scan.c - Cumsum, Cumprod and CumulativeLogsumexp.
//
// A slice of |inner| elements is joined with the one before it.
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "op/group.h"
#include "op/types.h"

typedef struct plan {
  berth_scan_t scan;
  berth_combiner_t combiner;
  bool is_log;
} plan_t;

// log(e^x + e^y), in the precision of the type.
static double log_add(berth_dtype_t dtype, double x, double y) {
  double most = x > y ? x : y, least = x > y ? y : x;
  if (isinf(least) && least < 0) return most;
  if (dtype == BERTH_DOUBLE) return most + log1p(exp(least - most));
  return (float)most + log1pf(expf((float)least - (float)most));
}

// Joins |count| elements of |value| with those at |to|.
static void join(const plan_t *plan, char *to, const char *value,
                 int64_t count) {
  if (!plan->is_log) {
    (void)berth_combine(&plan->combiner, to, value, count, false);
    return;
  }
  berth_dtype_t dtype = plan->scan.dtype;
  for (int64_t i = 0; i < count; ++i) {
    berth_number_set(dtype, to, i,
                     log_add(dtype, berth_number_at(dtype, to, i),
                             berth_number_at(dtype, value, i)));
  }
}

// Writes what nothing joined is: 0, 1, or the logarithm of 0.
static void begin(const plan_t *plan, char *to) {
  berth_dtype_t dtype = plan->scan.dtype;
  int64_t count = plan->scan.inner;
  size_t size = plan->combiner.size;
  memset(to, 0, (size_t)count * size);
  bool is_product = plan->combiner.how == BERTH_COMBINE_MUL;
  if (!is_product && !plan->is_log) return;
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == BERTH_COMPLEX64) {
      ((float *)(void *)to)[2 * i] = 1;
    } else if (dtype == BERTH_COMPLEX128) {
      ((double *)(void *)to)[2 * i] = 1;
    } else {
      berth_number_set(dtype, to, i, plan->is_log ? -INFINITY : 1);
    }
  }
}

static berth_code_t run_scan(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_scan_t *scan = &plan->scan;
  size_t row = (size_t)scan->inner * plan->combiner.size;
  for (int64_t o = 0; o < scan->outer; ++o) {
    const char *in = (const char *)args[0] + (size_t)(o * scan->length) * row;
    char *out = (char *)args[2] + (size_t)(o * scan->length) * row;
    if (berth_cpu_ends_at(call, o)) return BERTH_OK;
    for (int64_t i = 0; i < scan->length; ++i) {
      int64_t at = scan->reverse ? scan->length - 1 - i : i;
      int64_t before = scan->reverse ? at + 1 : at - 1;
      char *to = out + (size_t)at * row;
      if (i == 0 && scan->exclusive) {
        begin(plan, to);
      } else if (i == 0) {
        memcpy(to, in + (size_t)at * row, row);
      } else {
        memcpy(to, out + (size_t)before * row, row);
        join(plan, to, in + (size_t)(scan->exclusive ? before : at) * row,
             scan->inner);
      }
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_with(berth_prepare_t *prepare,
                                 berth_combine_t combine, bool is_log,
                                 berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_scan(&prepare->op, &plan->scan, err));
  plan->combiner = berth_combiner_of(combine, plan->scan.dtype);
  plan->is_log = is_log;
  int64_t count = prepare->op.inputs[0].count;
  prepare->run = count > 0 ? run_scan : berth_run_nothing;
  prepare->work = count * 5;
  return BERTH_OK;
}

static berth_code_t prepare_sum(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_COMBINE_ADD, false, err);
}

static berth_code_t prepare_prod(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_COMBINE_MUL, false, err);
}

static berth_code_t prepare_log(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_with(prepare, BERTH_COMBINE_SET, true, err);
}

const berth_kernel_t berth_cpu_scan_kernels[] = {
    {.op = "Cumsum",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_sum},
    {.op = "Cumprod",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_prod},
    {.op = "CumulativeLogsumexp",
     .types = {{"T", BERTH_TYPES_FLOATING}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_log},
    {.op = NULL},
};
