// check.c - The kernels CheckNumerics and CheckNumericsV2: values that must be numbers, and finite.
//
// Whether one is shows in its bits: all of the exponent are set, and the rest
// tells infinity, all zeros, from what is no number.
#include "op/check.h"

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/types.h"

typedef struct plan {
  berth_check_t check;
  uint64_t exponent;  // Its bits.
  uint64_t fraction;
  bool tells_signs;
} plan_t;

static unsigned look(const plan_t *plan, uint64_t bits) {
  if ((bits & plan->exponent) != plan->exponent) return 0;
  if ((bits & plan->fraction) != 0) return BERTH_FOUND_NAN;
  bool is_minus = bits > plan->exponent && plan->tells_signs;
  return is_minus ? BERTH_FOUND_MINUS_INF : BERTH_FOUND_INF;
}

#define DEFINE_LOOP(name, type)                                          \
  static unsigned name(const plan_t *plan, const void *data,             \
                       const berth_call_t *call) {                       \
    const type *values = data;                                           \
    unsigned found = 0;                                                  \
    for (int64_t i = 0; i < plan->check.count;) {                        \
      int64_t left = plan->check.count - i;                              \
      int64_t end = i + (left < BERTH_CPU_POLL ? left : BERTH_CPU_POLL); \
      for (; i < end; ++i) found |= look(plan, values[i]);               \
      if (i < plan->check.count && berth_cpu_has_ended(call)) break;     \
    }                                                                    \
    return found;                                                        \
  }
DEFINE_LOOP(look_16, uint16_t)
DEFINE_LOOP(look_32, uint32_t)
DEFINE_LOOP(look_64, uint64_t)

static berth_code_t tell(const plan_t *plan, unsigned found,
                         berth_call_t *call) {
  return plan->tells_signs
             ? berth_check_tell_signs(plan->check.message, found, call->err)
             : berth_check_tell(plan->check.message, found, call->err);
}

#define DEFINE_RUN(name, look)                                 \
  static berth_code_t name(const void *arg, void *const *args, \
                           berth_call_t *call) {               \
    const plan_t *plan = arg;                                  \
    return tell(plan, look(plan, args[0], call), call);        \
  }
DEFINE_RUN(run_16, look_16)
DEFINE_RUN(run_32, look_32)
DEFINE_RUN(run_64, look_64)

static berth_code_t prepare_check(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_check_t check;
  BERTH_TRY(berth_op_check_numerics(&prepare->op, &check, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  // Bits of the fraction, and bits in all.
  int fraction = 0, size = (int)berth_dtype_size(check.dtype) * 8;
  if (check.dtype == BERTH_BFLOAT16) fraction = 7;
  if (check.dtype == BERTH_HALF) fraction = 10;
  if (check.dtype == BERTH_FLOAT) fraction = 23;
  if (check.dtype == BERTH_DOUBLE) fraction = 52;
  plan->check = check;
  plan->tells_signs = strcmp(prepare->op.node->op->name, "CheckNumerics") != 0;
  plan->fraction = (UINT64_C(1) << fraction) - 1;
  plan->exponent = (UINT64_C(1) << (size - 1)) - 1 - plan->fraction;
  prepare->run = size == 16 ? run_16 : size == 32 ? run_32 : run_64;
  prepare->work = check.count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_check_kernels[] = {
    {.op = "CheckNumerics",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_check},
    {.op = "CheckNumericsV2",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_check},
    {.op = NULL},
};
