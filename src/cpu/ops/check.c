// check.c - CheckNumerics: values that must be numbers, and finite.
//
// Whether one is shows in its bits: all of the exponent are set, and the rest
// tells infinity, all zeros, from what is no number.
#include "kernel/check.h"

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/types.h"

typedef struct check {
  int64_t count;
  uint64_t exponent;  // Its bits.
  uint64_t fraction;
} check_t;

static unsigned look(const check_t *check, uint64_t bits) {
  if ((bits & check->exponent) != check->exponent) return 0;
  return (bits & check->fraction) == 0 ? BERTH_FOUND_INF : BERTH_FOUND_NAN;
}

#define DEFINE_LOOP(name, type)                                          \
  static unsigned name(const check_t *check, const void *data,           \
                       const berth_call_t *call) {                       \
    const type *values = data;                                           \
    unsigned found = 0;                                                  \
    for (int64_t i = 0; i < check->count;) {                             \
      int64_t left = check->count - i;                                   \
      int64_t end = i + (left < BERTH_CPU_POLL ? left : BERTH_CPU_POLL); \
      for (; i < end; ++i) found |= look(check, values[i]);              \
      if (i < check->count && berth_cpu_has_ended(call)) break;          \
    }                                                                    \
    return found;                                                        \
  }
DEFINE_LOOP(look_16, uint16_t)
DEFINE_LOOP(look_32, uint32_t)
DEFINE_LOOP(look_64, uint64_t)

static berth_code_t run_16(const void *plan, void *const *args,
                           berth_call_t *call) {
  return berth_check_tell(call, look_16(plan, args[0], call));
}

static berth_code_t run_32(const void *plan, void *const *args,
                           berth_call_t *call) {
  return berth_check_tell(call, look_32(plan, args[0], call));
}

static berth_code_t run_64(const void *plan, void *const *args,
                           berth_call_t *call) {
  return berth_check_tell(call, look_64(plan, args[0], call));
}

static berth_code_t prepare_check(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  check_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  // Bits of the fraction, and bits in all.
  int fraction = 0, size = (int)berth_dtype_size(input->dtype) * 8;
  if (input->dtype == BERTH_BFLOAT16) fraction = 7;
  if (input->dtype == BERTH_HALF) fraction = 10;
  if (input->dtype == BERTH_FLOAT) fraction = 23;
  if (input->dtype == BERTH_DOUBLE) fraction = 52;
  plan->count = input->count;
  plan->fraction = (UINT64_C(1) << fraction) - 1;
  plan->exponent = (UINT64_C(1) << (size - 1)) - 1 - plan->fraction;
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 0));
  prepare->op.alias = 0;
  prepare->run = size == 16 ? run_16 : size == 32 ? run_32 : run_64;
  prepare->work = input->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_check_kernels[] = {
    {.op = "CheckNumerics",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_check},
    {.op = NULL},
};
