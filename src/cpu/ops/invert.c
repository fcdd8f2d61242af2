// invert.c - The kernel InvertPermutation.
#include <string.h>

#include "cpu/kernels.h"
#include "op/index.h"

typedef struct inversion {
  int64_t count;
  bool is_wide;
} inversion_t;

// Inverts |in|. Returns the place of the first number that is not between 0 and
// |count|, or was there before; |count|: there is none.
#define DEFINE_INVERT(name, type)                                          \
  static int64_t invert_##name(const type *in, type *out, int64_t count) { \
    memset(out, 0xff, (size_t)count * sizeof(*out));                       \
    for (int64_t i = 0; i < count; ++i) {                                  \
      if ((uint64_t)in[i] >= (uint64_t)count) return i;                    \
      if (out[in[i]] != -1) return i;                                      \
      out[in[i]] = (type)i;                                                \
    }                                                                      \
    return count;                                                          \
  }
DEFINE_INVERT(i32, int32_t)
DEFINE_INVERT(i64, int64_t)

static berth_code_t run_invert(const void *plan, void *const *args,
                               berth_call_t *call) {
  const inversion_t *inversion = plan;
  int64_t count = inversion->count;
  int64_t wrong = inversion->is_wide ? invert_i64(args[0], args[1], count)
                                     : invert_i32(args[0], args[1], count);
  if (wrong == count) return BERTH_OK;
  int64_t at = inversion->is_wide ? ((const int64_t *)args[0])[wrong]
                                  : ((const int32_t *)args[0])[wrong];
  if (at < 0 || at >= count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "%lld is not between 0 and %lld", (long long)at,
                           (long long)count);
  }
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "%lld is duplicated in the input.", (long long)at);
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
