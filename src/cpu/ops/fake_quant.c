// fake_quant.c - Kernels that round numbers as if they were quantised.
#include "op/fake_quant.h"

#include <math.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"

typedef struct plan {
  berth_fake_quant_t quant;
  int64_t count;
} plan_t;

static float round_one(const berth_nudged_t *n, float x) {
  if (n->is_none) return 0;
  float in = x > n->max ? n->max : x;
  in = in < n->min ? n->min : in;
  return floorf((in - n->min) * n->inverse - n->zero + 0.5f) * n->scale;
}

static berth_code_t run_quant(const void *data, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = data;
  const berth_fake_quant_t *q = &plan->quant;
  const float *x = args[0];
  float *y = args[q->has_attrs ? 1 : 3];
  int64_t depth = q->depth;
  for (int64_t k = 0; k < depth; ++k) {
    berth_nudged_t n =
        q->has_attrs ? berth_fake_quant_nudge(q, q->min, q->max)
                     : berth_fake_quant_nudge(q, ((const float *)args[1])[k],
                                              ((const float *)args[2])[k]);
    for (int64_t i = k; i < plan->count; i += depth) {
      if (berth_cpu_ends_at(call, i)) return BERTH_OK;
      y[i] = round_one(&n, x[i]);
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_quant(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_fake_quant(&prepare->op, &plan->quant, err));
  plan->count = prepare->op.inputs[0].count;
  prepare->run = run_quant;
  prepare->work = plan->count * 4;
  return BERTH_OK;
}

// Hands the gradient on where numbers were not cut off; what was goes to the
// limits.
static berth_code_t run_grad(const void *data, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = data;
  const berth_fake_quant_t *q = &plan->quant;
  const float *grad = args[0], *x = args[1];
  float *y = args[q->has_attrs ? 2 : 4];
  for (int64_t k = 0; k < q->depth; ++k) {
    float min = q->has_attrs ? q->min : ((const float *)args[2])[k];
    float max = q->has_attrs ? q->max : ((const float *)args[3])[k];
    berth_nudged_t n = berth_fake_quant_nudge(q, min, max);
    float below = 0, above = 0;
    for (int64_t i = k; i < plan->count; i += q->depth) {
      if (berth_cpu_ends_at(call, i)) return BERTH_OK;
      if (n.is_none) {
        y[i] = grad[i];
        continue;
      }
      float in = x[i], g = grad[i];
      if (in < n.min) below += g;
      if (in > n.max) above += g;
      y[i] = g * (in >= n.min && in <= n.max ? 1.0f : 0.0f);
    }
    if (q->has_attrs) continue;
    ((float *)args[5])[k] = below;
    ((float *)args[6])[k] = above;
  }
  return BERTH_OK;
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_fake_quant_grad(&prepare->op, &plan->quant, err));
  plan->count = prepare->op.inputs[0].count;
  prepare->run = run_grad;
  prepare->work = plan->count * 4;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_fake_quant_kernels[] = {
    {.op = "FakeQuantWithMinMaxArgs", .prepare = prepare_quant},
    {.op = "FakeQuantWithMinMaxVars", .prepare = prepare_quant},
    {.op = "FakeQuantWithMinMaxVarsPerChannel", .prepare = prepare_quant},
    {.op = "FakeQuantWithMinMaxArgsGradient", .prepare = prepare_grad},
    {.op = "FakeQuantWithMinMaxVarsGradient", .prepare = prepare_grad},
    {.op = "FakeQuantWithMinMaxVarsPerChannelGradient",
     .prepare = prepare_grad},
    {.op = NULL},
};
