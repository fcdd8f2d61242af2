// reduce.c - The kernels Sum, Mean, Prod, Max, Min, All, Any, L2Loss and
// BiasAddGrad.
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

// Returns what sums are divided by. The mean of no numbers is NaN, as 0 / 0 is;
// that of no complex numbers is 0.
static double divisor_of(const berth_reduction_t *reduction, int parts) {
  if (reduction->kind == BERTH_REDUCE_HALF_SQUARES) return 2;
  if (reduction->kind != BERTH_REDUCE_MEAN) return 1;
  if (reduction->values == 0) return parts > 1 ? 1 : 0;
  return (double)(reduction->values / reduction->outputs);
}

// The kernels of a kind: those that fold values, and those that fold what they
// have made.
typedef struct kernels {
  const char *fold_module, *fold, *merge_module, *merge;
} kernels_t;

static berth_code_t plan_reduction(berth_prepare_t *prepare,
                                   const berth_reduction_t *reduction,
                                   berth_error_t *err) {
  static const kernels_t all[] = {
      [BERTH_REDUCE_SUM] = {"reduce_sum", "berth_sum", "reduce_sum",
                            "berth_sum"},
      [BERTH_REDUCE_MEAN] = {"reduce_sum", "berth_sum", "reduce_sum",
                             "berth_sum"},
      [BERTH_REDUCE_PROD] = {"reduce_prod", "berth_prod", "reduce_prod",
                             "berth_prod"},
      [BERTH_REDUCE_MAX] = {"reduce_max", "berth_max", "reduce_max",
                            "berth_max"},
      [BERTH_REDUCE_MIN] = {"reduce_min", "berth_min", "reduce_min",
                            "berth_min"},
      [BERTH_REDUCE_HALF_SQUARES] = {"reduce_squares", "berth_squares",
                                     "reduce_sum", "berth_sum"},
  };
  const kernels_t *kernels = &all[reduction->kind];
  bool is_sum = reduction->kind == BERTH_REDUCE_SUM ||
                reduction->kind == BERTH_REDUCE_MEAN;
  type_t type = type_of(reduction->dtype, is_sum);
  berth_cuda_reduction_spec_t spec = {
      .fold = berth_cuda_kernel_for(kernels->fold_module, kernels->fold,
                                    type.values),
      .merge = berth_cuda_kernel_for(kernels->merge_module, kernels->merge,
                                     type.accumulators),
      .value_size = berth_dtype_size(type.values),
      .acc_size = berth_dtype_size(type.accumulators),
      .divisor = divisor_of(reduction, type.parts),
      .store = type.store,
      .parts = type.parts};
  return berth_cuda_reduction_plan(prepare, reduction, &spec, err);
}

static berth_code_t prepare_any(berth_prepare_t *prepare, berth_reduce_t kind,
                                berth_error_t *err) {
  berth_reduction_t reduction;
  BERTH_TRY(berth_op_reduce(&prepare->op, kind, &reduction, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  return plan_reduction(prepare, &reduction, err);
}

static berth_code_t sum_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, BERTH_REDUCE_SUM, err);
}
static berth_code_t mean_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, BERTH_REDUCE_MEAN, err);
}
static berth_code_t prod_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, BERTH_REDUCE_PROD, err);
}
// Any is the largest truth value, All the smallest.
static berth_code_t max_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, BERTH_REDUCE_MAX, err);
}
static berth_code_t min_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, BERTH_REDUCE_MIN, err);
}

static berth_code_t loss_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  berth_reduction_t reduction;
  BERTH_TRY(berth_op_l2_loss(&prepare->op, &reduction, err));
  return plan_reduction(prepare, &reduction, err);
}

static berth_code_t bias_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  berth_reduction_t reduction;
  BERTH_TRY(berth_op_bias_add_grad(&prepare->op, &reduction, err));
  if (prepare->op.alias >= 0) return BERTH_OK;
  return plan_reduction(prepare, &reduction, err);
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
    {.op = "BiasAddGrad",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = bias_prepare},
    {.op = NULL},
};
