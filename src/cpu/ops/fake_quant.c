// fake_quant.c - Kernels that round numbers as if they were quantised.
#include "op/fake_quant.h"

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/quant.h"

typedef struct plan {
  berth_fake_quant_t quant;
  int64_t count;
} plan_t;

// Works out how columns [first, first + count) are rounded, which repeat every
// |depth|. What is |is_none| becomes 0, which no loop does.
static void columns_of(const berth_fake_quant_t *q, void *const *args,
                       int64_t first, int64_t count,
                       berth_quant_columns_t *columns, bool *is_none) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t k = (first + i) % q->depth;
    berth_nudged_t n =
        q->has_attrs ? berth_fake_quant_nudge(q, q->min, q->max)
                     : berth_fake_quant_nudge(q, ((const float *)args[1])[k],
                                              ((const float *)args[2])[k]);
    columns->min[i] = n.min;
    columns->max[i] = n.max;
    columns->inverse[i] = n.inverse;
    columns->zero[i] = n.zero;
    columns->scale[i] = n.scale;
    is_none[i] = n.is_none;
  }
}

static berth_code_t run_quant(const void *data, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = data;
  const berth_fake_quant_t *q = &plan->quant;
  const float *x = args[0];
  float *y = args[q->has_attrs ? 1 : 3];
  // Few columns are repeated, many are done some at a time.
  enum { WIDTH = BERTH_QUANT_COLUMNS };
  int64_t row = q->depth < WIDTH ? WIDTH / q->depth * q->depth : q->depth;
  void (*round)(const float *, float *, int64_t,
                const berth_quant_columns_t *) =
      BERTH_ISA_PICK(berth_cpu_quant_loops)->columns;
  for (int64_t first = 0; first < row; first += WIDTH) {
    berth_quant_columns_t columns;
    bool is_none[WIDTH];
    int64_t wide = row - first < WIDTH ? row - first : WIDTH;
    columns_of(q, args, first, wide, &columns, is_none);
    bool has_none = memchr(is_none, true, (size_t)wide) != NULL;
    for (int64_t at = first; at < plan->count; at += row) {
      int64_t n = plan->count - at < wide ? plan->count - at : wide;
      round(x + at, y + at, n, &columns);
      for (int64_t i = 0; has_none && i < n; ++i) {
        if (is_none[i]) y[at + i] = 0;
      }
      bool looks = at / BERTH_CPU_POLL != (at + row) / BERTH_CPU_POLL;
      if (looks && berth_cpu_has_ended(call)) return BERTH_OK;
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
  // Without channels there are no columns to repeat.
  prepare->run = plan->count > 0 ? run_quant : berth_run_nothing;
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
