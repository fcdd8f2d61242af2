// reduce.c - Sum, Mean, Prod, Max, Min, All, Any and L2Loss.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/reduction.h"
#include "op/types.h"

#define INEXACT (BERTH_TYPES_FLOATING | BERTH_TYPES_COMPLEX)

// How a type is reduced.
typedef struct type {
  berth_dtype_t values;        // What its kernel takes,
  berth_dtype_t accumulators;  // and folds it into.
  uint32_t store;
  int parts;
} type_t;

// Complex numbers are added part by part, but multiplied whole.
static type_t type_of(berth_dtype_t dtype, bool is_sum) {
  switch (dtype) {
    case BERTH_HALF:
      return (type_t){dtype, BERTH_FLOAT, BERTH_REDUCTION_F16, 1};
    case BERTH_BFLOAT16:
      return (type_t){dtype, BERTH_FLOAT, BERTH_REDUCTION_BF16, 1};
    case BERTH_COMPLEX64:
      if (!is_sum) break;
      return (type_t){BERTH_FLOAT, BERTH_FLOAT, BERTH_REDUCTION_RAW, 2};
    case BERTH_COMPLEX128:
      if (!is_sum) break;
      return (type_t){BERTH_DOUBLE, BERTH_DOUBLE, BERTH_REDUCTION_RAW, 2};
    default:
      break;
  }
  return (type_t){dtype, dtype, BERTH_REDUCTION_RAW, 1};
}

// Marks the dimensions that input 1 names, all of which exist.
static void read_axes(const berth_prepare_t *prepare, bool *reduced) {
  const berth_op_input_t *axes = &prepare->op.inputs[1];
  for (int64_t i = 0; i < axes->count; ++i) {
    int64_t axis = axes->dtype == BERTH_INT64
                       ? ((const int64_t *)axes->value)[i]
                       : ((const int32_t *)axes->value)[i];
    reduced[axis < 0 ? axis + prepare->op.inputs[0].rank : axis] = true;
  }
}

// Returns what sums are divided by. The mean of no numbers is NaN, as 0 / 0 is;
// that of no complex numbers is 0.
static double divisor_of(const berth_prepare_t *prepare, int parts) {
  int64_t values = prepare->op.inputs[0].count;
  if (values == 0) return parts > 1 ? 1 : 0;
  return (double)(values /
                  berth_dims_count(berth_shape_dims(&prepare->op.outputs[0])));
}

// |module| has the kernels, which are called |what|.
static berth_code_t prepare_any(berth_prepare_t *prepare, const char *module,
                                const char *what, bool is_mean,
                                berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  bool reduced[BERTH_MAX_RANK] = {false};
  read_axes(prepare, reduced);
  bool is_sum = strcmp(what, "berth_sum") == 0;
  type_t type = type_of(prepare->op.inputs[0].dtype, is_sum);
  berth_reduction_spec_t spec = {
      .fold = berth_cuda_kernel_for(module, what, type.values),
      .merge = berth_cuda_kernel_for(module, what, type.accumulators),
      .value_size = berth_dtype_size(type.values),
      .acc_size = berth_dtype_size(type.accumulators),
      .divisor = is_mean ? divisor_of(prepare, type.parts) : 1,
      .store = type.store,
      .parts = type.parts};
  return berth_cuda_reduction_prepare(&spec, reduced, prepare, err);
}

static berth_code_t sum_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "reduce_sum", "berth_sum", false, err);
}
static berth_code_t mean_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "reduce_sum", "berth_sum", true, err);
}
static berth_code_t prod_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "reduce_prod", "berth_prod", false, err);
}
// Any is the largest truth value, All the smallest.
static berth_code_t max_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "reduce_max", "berth_max", false, err);
}
static berth_code_t min_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "reduce_min", "berth_min", false, err);
}

// Half the sum of squares: a mean of two.
static berth_code_t loss_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  bool reduced[BERTH_MAX_RANK];
  for (int32_t i = 0; i < prepare->op.inputs[0].rank; ++i) reduced[i] = true;
  type_t type = type_of(prepare->op.inputs[0].dtype, true);
  berth_reduction_spec_t spec = {
      .fold =
          berth_cuda_kernel_for("reduce_squares", "berth_squares", type.values),
      .merge =
          berth_cuda_kernel_for("reduce_sum", "berth_sum", type.accumulators),
      .value_size = berth_dtype_size(type.values),
      .acc_size = berth_dtype_size(type.accumulators),
      .divisor = 2,
      .store = type.store,
      .parts = 1};
  return berth_cuda_reduction_prepare(&spec, reduced, prepare, err);
}

#define REDUCE(name, fn, set)                                       \
  {                                                                 \
    .op = name, .types = {{"T", set}, {"Tidx", BERTH_TYPES_INDEX}}, \
    .prepare = fn                                                   \
  }
#define REDUCE_BOOL(name, fn) \
  { .op = name, .types = {{"Tidx", BERTH_TYPES_INDEX}}, .prepare = fn }

const berth_kernel_t berth_cuda_reduce_kernels[] = {
    REDUCE("Sum", sum_prepare, INEXACT | BERTH_TYPE(INT64)),
    REDUCE("Mean", mean_prepare, INEXACT),
    REDUCE("Prod", prod_prepare, INEXACT | BERTH_TYPES_INDEX),
    REDUCE("Max", max_prepare, BERTH_TYPES_FLOATING | BERTH_TYPE(INT64)),
    REDUCE("Min", min_prepare, BERTH_TYPES_FLOATING),
    REDUCE_BOOL("All", min_prepare),
    REDUCE_BOOL("Any", max_prepare),
    {.op = "L2Loss",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = loss_prepare},
    {.op = NULL},
};
