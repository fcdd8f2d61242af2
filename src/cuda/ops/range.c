// range.c - Range: numbers at equal distances.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/range_params.h"
#include "op/types.h"
#include "tensor/half.h"

typedef struct plan {
  int kernel;
  berth_range_params_t params;  // Without addresses.
} plan_t;

static berth_code_t run_range(const void *plan_arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = plan_arg;
  berth_range_params_t params = plan->params;
  params.out = args[3];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static double read_real(const berth_op_input_t *input) {
  switch (input->dtype) {
    case BERTH_FLOAT:
      return (double)*(const float *)input->value;
    case BERTH_DOUBLE:
      return *(const double *)input->value;
    case BERTH_HALF:
      return (double)berth_half_to_float(*(const uint16_t *)input->value);
    default:
      return (double)berth_bfloat16_to_float(*(const uint16_t *)input->value);
  }
}

static berth_code_t prepare_range(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  const berth_op_input_t *start = &prepare->op.inputs[0];
  const berth_op_input_t *delta = &prepare->op.inputs[2];
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("range", "berth_range", start->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params.count = (uint64_t)prepare->op.outputs[0].dims[0];
  if (start->dtype == BERTH_INT64) {
    plan->params.whole_start = *(const uint64_t *)start->value;
    plan->params.whole_delta = *(const uint64_t *)delta->value;
  } else {
    plan->params.start = read_real(start);
    plan->params.delta = read_real(delta);
  }
  prepare->run = run_range;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_range_kernels[] = {
    {.op = "Range",
     .types = {{"Tidx", BERTH_TYPES_FLOATING | BERTH_TYPE(INT64)}},
     .prepare = prepare_range},
    {.op = NULL},
};
