// dilation.c - Kernels of Dilation2D and its gradients; Bucketize,
// UnravelIndex.
//
// Sums are rounded, or wrap round, as the type does; a long double holds those
// of every type exactly.
#include "op/dilation.h"

#include <float.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"

typedef struct plan {
  berth_dilation_t dilation;
  berth_dtype_t dtype;
} plan_t;

// Adds elements of two arrays as the type does.
static long double sum_at(berth_dtype_t dtype, const void *a, int64_t i,
                          const void *b, int64_t k) {
  switch (dtype) {
#define CASE(name, type) \
  case name:             \
    return (type)(((const type *)a)[i] + ((const type *)b)[k]);
    CASE(BERTH_FLOAT, float)
    CASE(BERTH_DOUBLE, double)
    CASE(BERTH_INT8, int8_t)
    CASE(BERTH_UINT8, uint8_t)
    CASE(BERTH_INT16, int16_t)
    CASE(BERTH_UINT16, uint16_t)
    CASE(BERTH_UINT32, uint32_t)
    CASE(BERTH_UINT64, uint64_t)
#undef CASE
    case BERTH_INT32:
      return (int32_t)(((const uint32_t *)a)[i] + ((const uint32_t *)b)[k]);
    case BERTH_INT64:
      return (int64_t)(((const uint64_t *)a)[i] + ((const uint64_t *)b)[k]);
    default: {
      uint16_t rounded;
      berth_number_set(
          dtype, &rounded, 0,
          berth_number_at(dtype, a, i) + berth_number_at(dtype, b, k));
      return (long double)berth_number_at(dtype, &rounded, 0);
    }
  }
}

// The largest sum, and where in the image and the filter it is.
typedef struct largest {
  long double sum;
  int64_t input, filter;  // -1: the window sees nothing.
} largest_t;

static largest_t largest_at(const plan_t *plan, void *const *args, int64_t b,
                            int64_t y, int64_t x, int64_t c) {
  const berth_dilation_t *d = &plan->dilation;
  const berth_window_axis_t *rows = &d->axes[0], *columns = &d->axes[1];
  largest_t best = {.sum = -LDBL_MAX, .input = -1, .filter = -1};
  for (int64_t p = 0; p < rows->window; ++p) {
    int64_t row = y * rows->stride - rows->before + p * rows->dilation;
    if (row < 0 || row >= rows->in) continue;
    for (int64_t q = 0; q < columns->window; ++q) {
      int64_t at =
          x * columns->stride - columns->before + q * columns->dilation;
      if (at < 0 || at >= columns->in) continue;
      int64_t input = ((b * rows->in + row) * columns->in + at) * d->depth + c;
      int64_t filter = (p * columns->window + q) * d->depth + c;
      long double sum = sum_at(plan->dtype, args[0], input, args[1], filter);
      if (!(sum > best.sum)) continue;
      best = (largest_t){sum, input, filter};
    }
  }
  return best;
}

static void store(berth_dtype_t dtype, void *to, int64_t i, long double x) {
  if (dtype == BERTH_INT64) {
    ((int64_t *)to)[i] = (int64_t)x;
  } else if (dtype == BERTH_UINT64) {
    ((uint64_t *)to)[i] = (uint64_t)x;
  } else {
    berth_number_set(dtype, to, i, (double)x);
  }
}

static berth_code_t run_dilation(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_dilation_t *d = &plan->dilation;
  int inputs = call->node->input_count;
  bool is_filter = strstr(call->node->op->name, "Filter") != NULL;
  int64_t rows = d->axes[0].out, columns = d->axes[1].out;
  for (int64_t i = 0; i < d->batch * rows * columns * d->depth; ++i) {
    if (berth_cpu_ends_at(call, i)) return BERTH_OK;
    int64_t c = i % d->depth, place = i / d->depth;
    largest_t best = largest_at(plan, args, place / columns / rows,
                                place / columns % rows, place % columns, c);
    if (best.input < 0) {
      // A window outside of the image, which only odd strides make.
      best.sum = 0;
      if (inputs == 3) continue;
    }
    if (inputs == 2) {
      store(plan->dtype, args[2], i, best.sum);
      continue;
    }
    int64_t to = is_filter ? best.filter : best.input;
    store(plan->dtype, args[3], to,
          sum_at(plan->dtype, args[3], to, args[2], i));
  }
  return BERTH_OK;
}

static berth_code_t run_gradient(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_dilation_t *d = &plan->dilation;
  bool is_filter = strstr(call->node->op->name, "Filter") != NULL;
  int64_t rows = is_filter ? d->axes[0].window : d->batch * d->axes[0].in;
  int64_t columns = is_filter ? d->axes[1].window : d->axes[1].in;
  memset(args[3], 0,
         (size_t)(rows * columns * d->depth) * berth_dtype_size(plan->dtype));
  return run_dilation(arg, args, call);
}

static berth_code_t prepare_dilation(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_dilation(&prepare->op, &plan->dilation, err));
  plan->dtype = prepare->op.inputs[0].dtype;
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = count == 0                     ? berth_run_nothing
                 : prepare->op.input_count == 3 ? run_gradient
                                                : run_dilation;
  prepare->work = prepare->op.inputs[0].count * prepare->op.inputs[1].count;
  return BERTH_OK;
}

// ---- Bucketize ----

// The plan is the type, the boundaries, which are the node's, and how many
// numbers there are.
typedef struct bucket_plan {
  berth_dtype_t dtype;
  const float *limits;
  int64_t limit_count, count;
} bucket_plan_t;

// Stores how many limits are not above each of |count| numbers. Integers are
// compared as floats. A few limits are all looked at: there is nothing to
// predict.
#define DEFINE_BUCKETS(name, type, AS)                                  \
  static void buckets_##name(const type *x, int64_t count,              \
                             const bucket_plan_t *plan, int32_t *out) { \
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
enum { FEW_LIMITS = 8 };
DEFINE_BUCKETS(f32, float, (float))
DEFINE_BUCKETS(f64, double, (double))
DEFINE_BUCKETS(i32, int32_t, (float))
DEFINE_BUCKETS(i64, int64_t, (float))

static berth_code_t run_bucketize(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const bucket_plan_t *plan = arg;
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
  bucket_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_case_input_t *in = &prepare->op.inputs[0];
  const berth_attr_value_t *limits =
      berth_node_attr(prepare->op.node, "boundaries");
  *plan = (bucket_plan_t){.dtype = in->dtype, .count = in->count};
  if (limits != NULL && limits->count > 0) {
    plan->limits = limits->f_list;
    plan->limit_count = limits->count;
  }
  prepare->run = in->count > 0 ? run_bucketize : berth_run_nothing;
  prepare->work = in->count * 10;
  return BERTH_OK;
}

// ---- UnravelIndex ----

static int64_t index_at(berth_dtype_t dtype, const void *data, int64_t i) {
  return dtype == BERTH_INT64 ? ((const int64_t *)data)[i]
                              : ((const int32_t *)data)[i];
}

// The plan is the type, the dimensions and how many numbers there are.
typedef struct unravel_plan {
  berth_dtype_t dtype;
  int64_t dims, count;
} unravel_plan_t;

static berth_code_t run_unravel(const void *arg, void *const *args,
                                berth_call_t *call) {
  const unravel_plan_t *plan = arg;
  int64_t product = 1;
  for (int64_t k = 0; k < plan->dims; ++k) {
    product *= index_at(plan->dtype, args[1], k);
  }
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t rest = index_at(plan->dtype, args[0], i), step = product;
    if (rest >= product) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "index is out of bound as with dims");
    }
    for (int64_t k = 0; k < plan->dims; ++k) {
      step /= index_at(plan->dtype, args[1], k);
      berth_index_set(plan->dtype, args[2], k * plan->count + i, rest / step);
      rest %= step;
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_unravel(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  BERTH_TRY(berth_op_unravel(&prepare->op, err));
  unravel_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_case_input_t *in = prepare->op.inputs;
  *plan = (unravel_plan_t){in[0].dtype, in[1].count, in[0].count};
  prepare->run = plan->dims > 0 ? run_unravel : berth_run_nothing;
  return BERTH_OK;
}

#define DILATION(name)                              \
  {                                                 \
    .op = name, .types = {{"T", BERTH_TYPES_REAL}}, \
    .prepare = prepare_dilation                     \
  }

const berth_kernel_t berth_cpu_dilation_kernels[] = {
    DILATION("Dilation2D"),
    DILATION("Dilation2DBackpropInput"),
    DILATION("Dilation2DBackpropFilter"),
    {.op = "Bucketize",
     .types = {{"T",
                BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}},
     .prepare = prepare_bucketize},
    {.op = "UnravelIndex",
     .types = {{"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_unravel},
    {.op = NULL},
};
