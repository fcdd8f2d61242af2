// in_top_k.c - InTopK and InTopKV2: whether a row's target is among its best.
//
// It is where fewer than k predictions are larger. Where one is not finite
// nobody can say, and the answer is no.
#include <math.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/types.h"
#include "op/value.h"

typedef struct plan {
  berth_dtype_t index_type;
  int64_t rows, classes;
} plan_t;

static int64_t index_at(const plan_t *plan, const void *indices, int64_t i) {
  return plan->index_type == BERTH_INT64 ? ((const int64_t *)indices)[i]
                                         : ((const int32_t *)indices)[i];
}

static bool is_among(const float *row, int64_t classes, int64_t target,
                     int64_t k, const berth_call_t *call) {
  int64_t larger = 0;
  if (target < 0 || target >= classes) return false;
  for (int64_t i = 0; i < classes; ++i) {
    if (!isfinite(row[i]) || berth_cpu_ends_at(call, i)) return false;
    larger += row[i] > row[target];
  }
  return larger < k;
}

static void find_all(const plan_t *plan, void *const *args, int64_t k,
                     bool *out, const berth_call_t *call) {
  const float *predictions = args[0];
  // Rows between looks, so that many short ones are stopped too.
  int64_t rows = BERTH_CPU_POLL / (plan->classes + 1) + 1;
  for (int64_t i = 0; i < plan->rows; ++i) {
    if (i % rows == rows - 1 && berth_cpu_has_ended(call)) return;
    out[i] = is_among(predictions + i * plan->classes, plan->classes,
                      index_at(plan, args[1], i), k, call);
  }
}

static berth_code_t run_attr(const void *plan, void *const *args,
                             berth_call_t *call) {
  find_all(plan, args, berth_node_attr_int(call->node, "k", 0), args[2], call);
  return BERTH_OK;
}

static berth_code_t run_input(const void *plan, void *const *args,
                              berth_call_t *call) {
  find_all(plan, args, index_at(plan, args[2], 0), args[3], call);
  return BERTH_OK;
}

static berth_code_t check_shapes(const berth_prepare_t *prepare,
                                 berth_error_t *err) {
  const berth_op_input_t *predictions = &prepare->op.inputs[0];
  const berth_op_input_t *targets = &prepare->op.inputs[1];
  char text[BERTH_DIMS_TEXT];
  if (predictions->rank != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "predictions must be 2-dimensional");
  }
  if (targets->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "targets must be 1-dimensional");
  }
  if (predictions->dims[0] != targets->dims[0]) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "First dimension of predictions %lld must match length of targets %lld",
        (long long)predictions->dims[0], (long long)targets->dims[0]);
  }
  if (prepare->op.input_count > 2 && prepare->op.inputs[2].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "k must be 0-D, got shape %s",
                           berth_input_text(&prepare->op.inputs[2], text));
  }
  return BERTH_OK;
}

static berth_code_t prepare_in(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(check_shapes(prepare, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->index_type = prepare->op.inputs[1].dtype;
  plan->rows = prepare->op.inputs[0].dims[0];
  plan->classes = prepare->op.inputs[0].dims[1];
  berth_op_output(&prepare->op, 0, berth_op_input_dims(&prepare->op, 1));
  prepare->run = prepare->op.input_count > 2 ? run_input : run_attr;
  prepare->work = prepare->op.inputs[0].count;
  return BERTH_OK;
}

#define IN(name) \
  { .op = name, .types = {{"T", BERTH_TYPES_INDEX}}, .prepare = prepare_in }

const berth_kernel_t berth_cpu_in_top_k_kernels[] = {
    IN("InTopK"),
    IN("InTopKV2"),
    {.op = NULL},
};
