// invert.c - The kernel InvertPermutation.
#include "cpu/kernels.h"
#include "op/index.h"

typedef struct inversion {
  int64_t count;
  bool is_wide;
} inversion_t;

static int64_t element(const inversion_t *plan, const void *data, int64_t i) {
  return plan->is_wide ? ((const int64_t *)data)[i]
                       : ((const int32_t *)data)[i];
}

static void set_element(const inversion_t *plan, void *data, int64_t i,
                        int64_t value) {
  if (plan->is_wide) {
    ((int64_t *)data)[i] = value;
  } else {
    ((int32_t *)data)[i] = (int32_t)value;
  }
}

static berth_code_t run_invert(const void *plan, void *const *args,
                               berth_call_t *call) {
  const inversion_t *inversion = plan;
  for (int64_t i = 0; i < inversion->count; ++i) {
    set_element(inversion, args[1], i, -1);
  }
  for (int64_t i = 0; i < inversion->count; ++i) {
    int64_t at = element(inversion, args[0], i);
    if (at < 0 || at >= inversion->count) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "%lld is not between 0 and %lld", (long long)at,
                             (long long)inversion->count);
    }
    if (element(inversion, args[1], at) != -1) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "%lld is duplicated in the input.", (long long)at);
    }
    set_element(inversion, args[1], at, i);
  }
  return BERTH_OK;
}

static berth_code_t prepare_invert(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_case_input_t *x = &prepare->op.inputs[0];
  BERTH_TRY(berth_op_invert_permutation(&prepare->op, err));
  inversion_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->count = x->count;
  plan->is_wide = x->dtype == BERTH_INT64;
  prepare->run = run_invert;
  prepare->work = x->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_invert_kernels[] = {
    {.op = "InvertPermutation",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_invert},
    {.op = NULL},
};
