// reduce.c - The kernels Sum, Mean, Prod, Max, Min, All, Any and BiasAddGrad.
#include "op/reduce.h"

#include "cpu/kernels.h"
#include "cpu/ops/reduction.h"
#include "op/types.h"

#define REAL \
  (BERTH_TYPES_ARITHMETIC & ~(BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128)))

// Loops tell fewer types apart than tensors do.
static berth_fold_type_t fold_type(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return BERTH_FOLD_F32;
    case BERTH_DOUBLE:
      return BERTH_FOLD_F64;
    case BERTH_HALF:
      return BERTH_FOLD_HALF;
    case BERTH_BFLOAT16:
      return BERTH_FOLD_BFLOAT16;
    case BERTH_INT8:
      return BERTH_FOLD_I8;
    case BERTH_UINT8:
    case BERTH_BOOL:
      return BERTH_FOLD_U8;
    case BERTH_INT16:
      return BERTH_FOLD_I16;
    case BERTH_UINT16:
      return BERTH_FOLD_U16;
    case BERTH_INT32:
      return BERTH_FOLD_I32;
    case BERTH_UINT32:
      return BERTH_FOLD_U32;
    case BERTH_INT64:
      return BERTH_FOLD_I64;
    case BERTH_UINT64:
      return BERTH_FOLD_U64;
    case BERTH_COMPLEX64:
      return BERTH_FOLD_C64;
    default:
      return BERTH_FOLD_C128;
  }
}

static berth_fold_type_t unsigned_type(berth_fold_type_t type) {
  switch (type) {
    case BERTH_FOLD_I8:
      return BERTH_FOLD_U8;
    case BERTH_FOLD_I16:
      return BERTH_FOLD_U16;
    case BERTH_FOLD_I32:
      return BERTH_FOLD_U32;
    case BERTH_FOLD_I64:
      return BERTH_FOLD_U64;
    default:
      return type;
  }
}

static berth_fold_t fold_find(berth_fold_op_t op, berth_fold_type_t type) {
  if (op == BERTH_FOLD_SUM || op == BERTH_FOLD_PROD) type = unsigned_type(type);
  const berth_folds_t *hot = BERTH_ISA_PICK(berth_cpu_folds);
  berth_fold_t fold = hot->of[op][type];
  return fold.lines != NULL ? fold : berth_cpu_rare_folds.of[op][type];
}

static int32_t fold_size(berth_fold_type_t type) {
  static const int8_t sizes[BERTH_FOLD_TYPES] = {4, 8, 2, 2, 1, 1, 2,
                                                 2, 4, 4, 8, 8, 8, 16};
  return sizes[type];
}

// Fills in the loops of |type|.
static void set_folds(berth_cpu_reduction_spec_t *spec, berth_fold_op_t op,
                      berth_fold_type_t type, bool is_mean) {
  berth_fold_type_t wide = type;
  bool is_integer = type >= BERTH_FOLD_I8 && type <= BERTH_FOLD_U64;
  if (type == BERTH_FOLD_HALF || type == BERTH_FOLD_BFLOAT16) {
    wide = BERTH_FOLD_F32;
  } else if (is_mean && is_integer) {
    wide = BERTH_FOLD_U64;
  }
  bool widens = is_mean && is_integer && fold_size(type) < 8;
  spec->fold = fold_find(widens ? BERTH_FOLD_WIDE_SUM : op, type);
  spec->merge = fold_find(op, wide);
  spec->value_size = spec->out_size = fold_size(type);
  spec->acc_size = fold_size(wide);
  // The identity is what nothing makes.
  spec->merge.lines(spec->identity, 1, 0, 0, spec->identity);
}

static berth_fold_op_t fold_of(berth_reduce_t kind) {
  switch (kind) {
    case BERTH_REDUCE_PROD:
      return BERTH_FOLD_PROD;
    case BERTH_REDUCE_MAX:
      return BERTH_FOLD_MAX;
    case BERTH_REDUCE_MIN:
      return BERTH_FOLD_MIN;
    default:
      return BERTH_FOLD_SUM;
  }
}

static berth_code_t plan_reduction(berth_prepare_t *prepare,
                                   const berth_reduction_t *reduction,
                                   berth_error_t *err) {
  if (prepare->op.alias >= 0) return BERTH_OK;
  bool is_mean = reduction->kind == BERTH_REDUCE_MEAN;
  berth_cpu_reduction_spec_t spec = {0};
  set_folds(&spec, fold_of(reduction->kind), fold_type(reduction->dtype),
            is_mean);
  spec.finish = berth_finish_find(reduction->dtype, is_mean);
  spec.is_floating =
      reduction->dtype == BERTH_FLOAT || reduction->dtype == BERTH_DOUBLE;
  // The smallest of no truth values is true, and true is 1.
  if (reduction->dtype == BERTH_BOOL && reduction->kind == BERTH_REDUCE_MIN) {
    *(uint8_t *)spec.identity = 1;
  }
  return berth_cpu_reduction_plan(prepare, reduction, &spec, err);
}

static berth_code_t reduce_prepare(berth_prepare_t *prepare,
                                   berth_reduce_t kind, berth_error_t *err) {
  berth_reduction_t reduction;
  BERTH_TRY(berth_op_reduce(&prepare->op, kind, &reduction, err));
  return plan_reduction(prepare, &reduction, err);
}

static berth_code_t bias_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  berth_reduction_t reduction;
  BERTH_TRY(berth_op_bias_add_grad(&prepare->op, &reduction, err));
  return plan_reduction(prepare, &reduction, err);
}

static berth_code_t sum_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_REDUCE_SUM, err);
}
static berth_code_t mean_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_REDUCE_MEAN, err);
}
static berth_code_t prod_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_REDUCE_PROD, err);
}
// Any is the largest truth value, All the smallest.
static berth_code_t max_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_REDUCE_MAX, err);
}
static berth_code_t min_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_REDUCE_MIN, err);
}

#define REDUCE(name, fn, set)                                       \
  {                                                                 \
    .op = name, .types = {{"T", set}, {"Tidx", BERTH_TYPES_INDEX}}, \
    .prepare = fn                                                   \
  }
#define REDUCE_BOOL(name, fn) \
  { .op = name, .types = {{"Tidx", BERTH_TYPES_INDEX}}, .prepare = fn }

const berth_kernel_t berth_cpu_reduce_kernels[] = {
    REDUCE("Sum", sum_prepare, BERTH_TYPES_ARITHMETIC),
    REDUCE("Mean", mean_prepare, BERTH_TYPES_ARITHMETIC),
    REDUCE("Prod", prod_prepare, BERTH_TYPES_ARITHMETIC),
    REDUCE("Max", max_prepare, REAL),
    REDUCE("Min", min_prepare, REAL),
    REDUCE_BOOL("All", min_prepare),
    REDUCE_BOOL("Any", max_prepare),
    {.op = "BiasAddGrad",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}},
     .prepare = bias_prepare},
    {.op = NULL},
};
