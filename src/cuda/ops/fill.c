// fill.c - The GPU kernels Fill, ZerosLike and OnesLike.
#include "cuda/ops/fill.h"

#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "cuda/ops/fill_params.h"
#include "op/array.h"
#include "op/types.h"

typedef struct fill_plan {
  int kernel;
  int from;  // The input that holds the element; -1: |value|.
  int to;    // Place of the output among the addresses.
  size_t size;
  uint64_t count;
  uint64_t value[2];
} fill_plan_t;

static berth_code_t run_fill(const void *arg, void *const *args,
                             berth_call_t *call) {
  const fill_plan_t *plan = arg;
  berth_fill_params_t params = {
      .out = args[plan->to],
      .from = plan->from >= 0 ? args[plan->from] : NULL,
      .count = plan->count,
      .value = {plan->value[0], plan->value[1]},
      .granule = berth_granule_at(16, args[plan->to], plan->size)};
  uint64_t threads = (plan->count * plan->size + 15) / 16;
  return berth_cuda_launch(call, plan->kernel, threads, &params,
                           sizeof(params));
}

static berth_code_t run_zeros(const void *arg, void *const *args,
                              berth_call_t *call) {
  const fill_plan_t *plan = arg;
  return berth_cuda_clear(call, args[plan->to], plan->count * plan->size);
}

berth_code_t berth_fill_prepare(berth_prepare_t *prepare, size_t size,
                                const void *value, int from,
                                berth_error_t *err) {
  fill_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  char name[32];
  snprintf(name, sizeof(name), "berth_fill_%zu", size);
  int kernel = berth_cuda_kernel("fill", name);
  if (plan == NULL || kernel < 0) return berth_error_no_memory(err, "a plan");
  plan->kernel = kernel;
  plan->from = value == NULL ? from : -1;
  plan->to = prepare->op.input_count;
  plan->size = size;
  plan->count =
      (uint64_t)berth_dims_count(berth_shape_dims(&prepare->op.outputs[0]));
  if (value != NULL) memcpy(plan->value, value, size);
  bool is_zero = value != NULL && plan->value[0] == 0 && plan->value[1] == 0;
  prepare->run = plan->count == 0 ? berth_run_nothing
                 : is_zero        ? run_zeros
                                  : run_fill;
  return BERTH_OK;
}

// For int32, which TensorFlow keeps on the host: the output is there, while the
// input, whose shape alone counts, may be on the card.
static berth_code_t run_on_host(const void *arg, void *const *args,
                                berth_call_t *call) {
  const fill_plan_t *plan = arg;
  int32_t *out = args[plan->to];
  (void)call;
  for (uint64_t i = 0; i < plan->count; ++i) out[i] = (int32_t)plan->value[0];
  return BERTH_OK;
}

static berth_code_t prepare_like(berth_prepare_t *prepare,
                                 const berth_like_t *like, berth_error_t *err) {
  BERTH_TRY(berth_fill_prepare(prepare, like->size, like->element, -1, err));
  if (like->dtype == BERTH_INT32) {
    prepare->run = run_on_host;
    prepare->op.may_overwrite = 0;
  }
  return BERTH_OK;
}

static berth_code_t prepare_zeros(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_like_t like;
  BERTH_TRY(berth_op_zeros_like(&prepare->op, &like, err));
  return prepare_like(prepare, &like, err);
}

static berth_code_t prepare_ones(berth_prepare_t *prepare, berth_error_t *err) {
  berth_like_t like;
  BERTH_TRY(berth_op_ones_like(&prepare->op, &like, err));
  return prepare_like(prepare, &like, err);
}

static berth_code_t prepare_fill(berth_prepare_t *prepare, berth_error_t *err) {
  berth_moves_t moves;  // One, which a fill does better.
  BERTH_TRY(berth_op_fill(&prepare->op, &moves, err));
  return berth_fill_prepare(prepare, berth_dtype_size(moves.dtype), NULL, 1,
                            err);
}

#define FILL_TYPES                          \
  ((BERTH_TYPES_BASIC | BERTH_TYPES_INT4) & \
   ~(BERTH_TYPE(INT32) | BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64)))

const berth_kernel_t berth_cuda_fill_kernels[] = {
    {.op = "Fill",
     .types = {{"T", FILL_TYPES}, {"index_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_fill},
    {.op = "ZerosLike",
     .types = {{"T", BERTH_TYPES_BASIC}},
     .prepare = prepare_zeros},
    {.op = "OnesLike",
     .types = {{"T", BERTH_TYPES_BASIC}},
     .prepare = prepare_ones},
    {.op = NULL},
};
