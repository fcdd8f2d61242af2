// sparse_product.c - The kernel SparseTensorDenseMatMul.
#include "base/env.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/sparse_product_params.h"
#include "op/sparse_math.h"

typedef struct plan {
  int kernel, round_kernel;
  bool is_ordered;
  berth_product_params_t params;  // Without addresses and sizes.
} plan_t;

// Queues the product into |out|; half goes by way of floats.
static berth_code_t multiply(const plan_t *plan, berth_product_params_t *params,
                             berth_tensor_t *out, berth_call_t *call) {
  berth_tensor_t *sums = NULL;
  berth_tensor_t *to = out;
  if (out->count == 0) return BERTH_OK;
  if (out->dtype == BERTH_HALF) {
    BERTH_TRY(berth_tensor_make(call->allocator, BERTH_FLOAT, 2, out->dims,
                                out->count, &sums, call->err));
    to = sums;
  }
  params->out = to->data;
  berth_code_t code = berth_cuda_clear(call, to->data, to->size);
  if (code == BERTH_OK) {
    uint64_t threads = params->n * (plan->is_ordered ? 1 : params->count);
    code =
        berth_cuda_launch(call, plan->kernel, threads, params, sizeof(*params));
  }
  if (code == BERTH_OK && sums != NULL) {
    params->sums = sums->data;
    params->out = out->data;
    code = berth_cuda_launch(call, plan->round_kernel, (uint64_t)out->count,
                             params, sizeof(*params));
  }
  berth_tensor_release(sums);
  return code;
}

static berth_code_t run_product(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  berth_product_params_t params = plan->params;
  const berth_tensor_t *b = call->inputs[3];
  int64_t sizes[3];
  BERTH_TRY(berth_sparse_product_sizes(call->node, call->inputs[2]->data,
                                       berth_tensor_dims(b), sizes, call->err));
  const int64_t dims[2] = {sizes[0], sizes[2]};
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_tensor_make(call->allocator, b->dtype, 2, dims,
                              dims[0] * dims[1], &out, call->err));
  params.places = args[0];
  params.values = args[1];
  params.b = args[3];
  params.m = (uint64_t)sizes[0];
  params.k = (uint64_t)sizes[1];
  params.n = (uint64_t)sizes[2];
  berth_code_t code = multiply(plan, &params, out, call);
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  return code;
}

static berth_code_t prepare_product(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_case_input_t *in = prepare->op.inputs;
  const berth_node_t *node = prepare->op.node;
  BERTH_TRY(berth_op_sparse_product(&prepare->op, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->is_ordered = berth_env_bool("TF_DETERMINISTIC_OPS", false);
  plan->kernel =
      berth_cuda_kernel_for("sparse_product",
                            plan->is_ordered ? "berth_sparse_product_ordered"
                                             : "berth_sparse_product",
                            in[1].dtype);
  plan->round_kernel =
      berth_cuda_kernel("sparse_product", "berth_sparse_product_round");
  if (plan->kernel < 0 || plan->round_kernel < 0) {
    return berth_error_no_memory(err, "a kernel");
  }
  plan->params = (berth_product_params_t){
      .count = (uint64_t)in[1].count,
      .is_wide = in[0].dtype == BERTH_INT64,
      .turns_a = berth_node_attr_bool(node, "adjoint_a", false),
      .turns_b = berth_node_attr_bool(node, "adjoint_b", false)};
  prepare->run = run_product;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_sparse_product_kernels[] = {
    {.op = "SparseTensorDenseMatMul",
     .types = {{"T", BERTH_TYPES_INEXACT & ~BERTH_TYPE(BFLOAT16)},
               {"Tindices", BERTH_TYPES_INDEX}},
     .prepare = prepare_product,
     .traits = BERTH_OP_UNRECORDED},
    {.op = NULL},
};
