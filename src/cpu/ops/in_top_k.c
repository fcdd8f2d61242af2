// in_top_k.c - The kernels InTopK and InTopKV2: whether a row's target is among
// its best.
//
// It is where fewer than k predictions are larger. Where one is not finite
// nobody can say, and the answer is no.
#include <math.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/rows.h"
#include "op/types.h"

static int64_t index_at(const berth_in_top_k_t *plan, const void *indices,
                        int64_t i) {
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

static void find_all(const berth_in_top_k_t *plan, void *const *args, int64_t k,
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

static berth_code_t run_given(const void *plan, void *const *args,
                              berth_call_t *call) {
  find_all(plan, args, ((const berth_in_top_k_t *)plan)->k, args[2], call);
  return BERTH_OK;
}

static berth_code_t run_input(const void *plan, void *const *args,
                              berth_call_t *call) {
  find_all(plan, args, index_at(plan, args[2], 0), args[3], call);
  return BERTH_OK;
}

static berth_code_t prepare_in(berth_prepare_t *prepare, berth_error_t *err) {
  berth_in_top_k_t in;
  BERTH_TRY(berth_op_in_top_k(&prepare->op, &in, err));
  berth_in_top_k_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = in;
  prepare->run = in.has_input ? run_input : run_given;
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
