// bucketize.c - The kernel Bucketize.
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/index.h"
#include "op/types.h"

enum { FEW_LIMITS = 8 };

// The plan is the type, the boundaries, which are the node's, and how many
// numbers there are.
typedef struct plan {
  berth_dtype_t dtype;
  const float *limits;
  int64_t limit_count, count;
} plan_t;

// Stores how many limits are not above each of |count| numbers. Integers are
// compared as floats. A few limits are all looked at: there is nothing to
// predict.
#define DEFINE_BUCKETS(name, type, AS)                                  \
  static void buckets_##name(const type *x, int64_t count,              \
                             const plan_t *plan, int32_t *out) { \
    for (int64_t i = 0; i < count; ++i) {                               \
      int64_t low = 0, left = plan->limit_count;                        \
      while (left > FEW_LIMITS) {                                       \
        int64_t half = left / 2;                                        \
        bool is_below = AS(x[i]) < AS(plan->limits[low + half - 1]);    \
        low += is_below ? 0 : half;                                     \
        left = is_below ? half : left - half;                           \
      }                                                                 \
      int64_t at = low;                                                 \
      for (int64_t k = 0; k < left; ++k) {                              \
        at += !(AS(x[i]) < AS(plan->limits[low + k]));                  \
      }                                                                 \
      out[i] = (int32_t)at;                                             \
    }                                                                   \
  }
DEFINE_BUCKETS(f32, float, (float))
DEFINE_BUCKETS(f64, double, (double))
DEFINE_BUCKETS(i32, int32_t, (float))
DEFINE_BUCKETS(i64, int64_t, (float))

static berth_code_t run_bucketize(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const plan_t *plan = arg;
  for (int64_t i = 0; i < plan->count; i += BERTH_CPU_POLL) {
    int64_t left = plan->count - i;
    int64_t count = left < BERTH_CPU_POLL ? left : BERTH_CPU_POLL;
    int32_t *out = (int32_t *)args[1] + i;
    if (plan->dtype == BERTH_INT32) {
      buckets_i32((const int32_t *)args[0] + i, count, plan, out);
    } else if (plan->dtype == BERTH_INT64) {
      buckets_i64((const int64_t *)args[0] + i, count, plan, out);
    } else if (plan->dtype == BERTH_FLOAT) {
      buckets_f32((const float *)args[0] + i, count, plan, out);
    } else {
      buckets_f64((const double *)args[0] + i, count, plan, out);
    }
    if (left > count && berth_cpu_has_ended(call)) return BERTH_OK;
  }
  return BERTH_OK;
}

static berth_code_t prepare_bucketize(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  BERTH_TRY(berth_op_bucketize(&prepare->op, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_case_input_t *in = &prepare->op.inputs[0];
  const berth_attr_value_t *limits =
      berth_node_attr(prepare->op.node, "boundaries");
  *plan = (plan_t){.dtype = in->dtype, .count = in->count};
  if (limits != NULL && limits->count > 0) {
    plan->limits = limits->f_list;
    plan->limit_count = limits->count;
  }
  prepare->run = in->count > 0 ? run_bucketize : berth_run_nothing;
  prepare->work = in->count * 10;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_bucketize_kernels[] = {
    {.op = "Bucketize",
     .types = {{"T",
                BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}},
     .prepare = prepare_bucketize},
    {.op = NULL},
};
