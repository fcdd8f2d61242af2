// unravel.c - The kernel UnravelIndex.
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "op/index.h"
#include "op/types.h"

// The plan is the type, the dimensions and how many numbers there are.
typedef struct plan {
  berth_dtype_t dtype;
  int64_t dims, count;
} plan_t;

static berth_code_t run_unravel(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t product = 1;
  for (int64_t k = 0; k < plan->dims; ++k) {
    product *= berth_index_get(plan->dtype, args[1], k);
  }
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t rest = berth_index_get(plan->dtype, args[0], i), step = product;
    if (rest >= product) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "index is out of bound as with dims");
    }
    for (int64_t k = 0; k < plan->dims; ++k) {
      step /= berth_index_get(plan->dtype, args[1], k);
      berth_index_set(plan->dtype, args[2], k * plan->count + i, rest / step);
      rest %= step;
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_unravel(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  BERTH_TRY(berth_op_unravel(&prepare->op, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_case_input_t *in = prepare->op.inputs;
  *plan = (plan_t){in[0].dtype, in[1].count, in[0].count};
  prepare->run = plan->dims > 0 ? run_unravel : berth_run_nothing;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_unravel_kernels[] = {
    {.op = "UnravelIndex",
     .types = {{"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_unravel},
    {.op = NULL},
};
