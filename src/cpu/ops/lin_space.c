// lin_space.c - The kernel LinSpace: numbers at equal distances between two.
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/source.h"

typedef struct plan {
  int64_t count;
} plan_t;

#define DEFINE_RUN(name, type)                                          \
  static berth_code_t name(const void *arg, void *const *args,          \
                           berth_call_t *call) {                        \
    const plan_t *plan = arg;                                           \
    type start = *(const type *)args[0], stop = *(const type *)args[1]; \
    type *out = args[3];                                                \
    type step =                                                         \
        plan->count > 1 ? (stop - start) / (type)(plan->count - 1) : 0; \
    for (int64_t i = 0; i < plan->count; ++i) {                         \
      if (berth_cpu_ends_at(call, i)) return BERTH_OK;                  \
      out[i] = start + step * (type)i;                                  \
    }                                                                   \
    if (plan->count > 1) out[plan->count - 1] = stop;                   \
    return BERTH_OK;                                                    \
  }
DEFINE_RUN(run_float, float)
DEFINE_RUN(run_double, double)

static berth_code_t prepare_lin_space(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  BERTH_TRY(berth_op_lin_space(&prepare->op, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->count = prepare->op.outputs[0].dims[0];
  prepare->run =
      prepare->op.inputs[0].dtype == BERTH_FLOAT ? run_float : run_double;
  prepare->work = plan->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_lin_space_kernels[] = {
    {.op = "LinSpace",
     .types = {{"T", BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)},
               {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_lin_space},
    {.op = NULL},
};
