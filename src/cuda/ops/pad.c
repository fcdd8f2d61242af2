// pad.c - The kernels Pad, PadV2 and StridedSliceGrad: one element everywhere,
// then a move.
//
// MirrorPad is moves alone (move.c).
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/fill.h"
#include "cuda/ops/move_plan.h"
#include "op/array.h"
#include "op/types.h"

typedef struct plan {
  berth_run_fn run[2];  // The fill, the move.
  const void *plan[2];
} plan_t;

static berth_code_t run_pad(const void *arg, void *const *args,
                            berth_call_t *call) {
  const plan_t *plan = arg;
  BERTH_TRY(plan->run[0](plan->plan[0], args, call));
  return plan->run[1](plan->plan[1], args, call);
}

static const uint64_t zero[2] = {0, 0};

// Plans |value|, one element, everywhere, and then the moves of |pad|.
static berth_code_t plan_pad(berth_prepare_t *prepare, const berth_pad_t *pad,
                             const void *value, berth_error_t *err) {
  plan_t made;
  BERTH_TRY(berth_cuda_moves_prepare(prepare, &pad->inside, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  made.run[1] = prepare->run;
  made.plan[1] = prepare->plan;
  BERTH_TRY(berth_fill_prepare(prepare, berth_dtype_size(pad->inside.dtype),
                               value, -1, err));
  made.run[0] = prepare->run;
  made.plan[0] = prepare->plan;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  prepare->run = run_pad;
  return BERTH_OK;
}

static berth_code_t prepare_pad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_pad_t pad;
  BERTH_TRY(berth_op_pad(&prepare->op, &pad, err));
  // The element is on the host.
  bool has_value = prepare->op.input_count > 2;
  return plan_pad(prepare, &pad, has_value ? prepare->op.inputs[2].value : zero,
                  err);
}

static berth_code_t prepare_slice_grad(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_pad_t pad;
  BERTH_TRY(berth_op_strided_slice_grad(&prepare->op, &pad, err));
  return plan_pad(prepare, &pad, zero, err);
}

#define PAD(name)                                                          \
  {                                                                        \
    .op = name,                                                            \
    .types = {{"T", BERTH_TYPES_BASIC}, {"Tpaddings", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_pad                                                 \
  }

const berth_kernel_t berth_cuda_pad_kernels[] = {
    PAD("Pad"),
    PAD("PadV2"),
    {.op = "StridedSliceGrad",
     .types = {{"T", BERTH_TYPES_BASIC}, {"Index", BERTH_TYPES_INDEX}},
     .prepare = prepare_slice_grad},
    {.op = NULL},
};
