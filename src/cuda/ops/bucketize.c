// bucketize.c - The kernel Bucketize.
//
// Limits are in order and go along with the launch, as many as fit; what the
// launches of a long list find adds up.
#include <string.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/bucketize_params.h"
#include "op/index.h"
#include "op/types.h"

typedef struct plan {
  int kernel;
  uint64_t count;
  const float *limits;  // The node's.
  int64_t limit_count;
} plan_t;

static berth_code_t run_bucketize(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const plan_t *plan = arg;
  berth_bucketize_params_t params = {
      .in = args[0], .out = args[1], .count = plan->count};
  int64_t done = 0;
  do {
    int64_t left = plan->limit_count - done;
    if (left > BERTH_BUCKETIZE_LIMITS) left = BERTH_BUCKETIZE_LIMITS;
    params.limit_count = (uint32_t)left;
    params.adds = done > 0;
    if (left > 0) {
      memcpy(params.limits, plan->limits + done,
             (size_t)left * sizeof(*params.limits));
    }
    BERTH_TRY(berth_cuda_launch(call, plan->kernel, plan->count, &params,
                                sizeof(params)));
    done += left;
  } while (done < plan->limit_count);
  return BERTH_OK;
}

static berth_code_t prepare_bucketize(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  BERTH_TRY(berth_op_bucketize(&prepare->op, err));
  const berth_case_input_t *in = &prepare->op.inputs[0];
  const berth_attr_value_t *limits =
      berth_node_attr(prepare->op.node, "boundaries");
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel =
      berth_cuda_kernel_for("bucketize", "berth_bucketize", in->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->count = (uint64_t)in->count;
  if (limits != NULL && limits->count > 0) {
    plan->limits = limits->f_list;
    plan->limit_count = limits->count;
  }
  prepare->run = in->count > 0 ? run_bucketize : berth_run_nothing;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_bucketize_kernels[] = {
    {.op = "Bucketize",
     .types = {{"T",
                BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}},
     .prepare = prepare_bucketize},
    {.op = NULL},
};
