// truth.c - The kernel ToBool: whether there is something.
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "op/types.h"
#include "tensor/string.h"

// The types whose scalars can be asked; of other shapes it is whether there are
// elements.
#define ASKED                                                    \
  (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) | BERTH_TYPES_SIGNED | \
   BERTH_TYPE(UINT8) | BERTH_TYPE(BOOL) | BERTH_TYPE(STRING))

typedef struct plan {
  berth_dtype_t dtype;  // Of a scalar; BERTH_INVALID: |value| is known.
  bool value;
} plan_t;

static berth_code_t run_truth(const void *data, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = data;
  bool *out = args[1];
  size_t size = 0;
  if (plan->dtype == BERTH_INVALID) {
    *out = plan->value;
  } else if (plan->dtype == BERTH_STRING) {
    (void)berth_string_get(args[0], &size);
    *out = size > 0;
  } else if (plan->dtype == BERTH_INT64) {
    *out = *(const int64_t *)args[0] != 0;
  } else {
    *out = berth_number_at(plan->dtype, args[0], 0) != 0;
  }
  return BERTH_OK;
}

static berth_code_t prepare_truth(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  const berth_case_input_t *in = &prepare->op.inputs[0];
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  if (in->rank == 0 && !berth_type_in(in->dtype, ASKED)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s cannot be converted to a boolean",
                           berth_dtype_name(in->dtype));
  }
  *plan = (plan_t){in->rank == 0 ? in->dtype : BERTH_INVALID, in->count > 0};
  berth_case_output(&prepare->op, 0, (berth_dims_t){0, NULL});
  prepare->run = run_truth;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_truth_kernels[] = {
    {.op = "ToBool", .prepare = prepare_truth},
    {.op = NULL},
};
