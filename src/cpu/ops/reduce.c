// reduce.c - Sum, Mean, Prod, Max, Min, All and Any.
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/reduction.h"
#include "op/value.h"

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

// Fills in the loops: of |type|, or of the parts of complex numbers.
static void set_folds(berth_reduction_spec_t *spec, berth_fold_op_t op,
                      berth_fold_type_t type, bool is_mean) {
  spec->parts = 1;
  if (op == BERTH_FOLD_SUM && type >= BERTH_FOLD_C64) {
    type = type == BERTH_FOLD_C64 ? BERTH_FOLD_F32 : BERTH_FOLD_F64;
    spec->parts = 2;
  }
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

// Marks the dimensions that input 1 names.
static berth_code_t read_axes(const berth_prepare_t *prepare, bool *reduced,
                              berth_error_t *err) {
  const berth_op_input_t *axes = &prepare->op.inputs[1];
  int32_t rank = prepare->op.inputs[0].rank;
  for (int64_t i = 0; i < axes->count; ++i) {
    int64_t axis = berth_value_int(axes, i);
    if (axis < -rank || axis >= rank) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Invalid reduction dimension (%lld for input with %d dimension(s)",
          (long long)axis, rank);
    }
    if (axis < 0) axis += rank;
    if (reduced[axis]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid reduction arguments: Axes contains "
                             "duplicate dimension: %lld",
                             (long long)axis);
    }
    reduced[axis] = true;
  }
  return BERTH_OK;
}

// Says the shape of the output. Where nothing is reduced it has the elements of
// the input, and that is said in |*out_is_same|.
static berth_code_t set_output(berth_prepare_t *prepare, const bool *reduced,
                               bool *out_is_same, berth_error_t *err) {
  bool keeps = berth_node_attr_bool(prepare->op.node, "keep_dims", false);
  const berth_op_input_t *input = &prepare->op.inputs[0];
  berth_shape_t *out = &prepare->op.outputs[0];
  int64_t count = 1;
  out->rank = 0;
  *out_is_same = true;
  for (int32_t i = 0; i < input->rank; ++i) {
    if (reduced[i]) *out_is_same = *out_is_same && input->dims[i] == 1;
    if (reduced[i] && !keeps) continue;
    int64_t dim = reduced[i] ? 1 : input->dims[i];
    BERTH_TRY(berth_shape_push(out, &count, dim, err));
  }
  return berth_value_check_size(berth_shape_dims(out), count, input->dtype,
                                err);
}

static berth_code_t reduce_prepare(berth_prepare_t *prepare, berth_fold_op_t op,
                                   bool is_mean, berth_error_t *err) {
  bool reduced[BERTH_MAX_RANK] = {false};
  BERTH_TRY(read_axes(prepare, reduced, err));
  bool is_same = false;
  BERTH_TRY(set_output(prepare, reduced, &is_same, err));
  if (is_same) {
    prepare->op.alias = 0;
    return BERTH_OK;
  }
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  berth_reduction_spec_t spec = {0};
  set_folds(&spec, op, fold_type(dtype), is_mean);
  spec.finish = berth_finish_find(dtype, is_mean);
  // The smallest of no truth values is true, and true is 1.
  if (dtype == BERTH_BOOL && op == BERTH_FOLD_MIN) {
    *(uint8_t *)spec.identity = 1;
  }
  return berth_reduction_prepare(&spec, reduced, prepare, err);
}

static berth_code_t sum_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_FOLD_SUM, false, err);
}
static berth_code_t mean_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_FOLD_SUM, true, err);
}
static berth_code_t prod_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_FOLD_PROD, false, err);
}
// Any is the largest truth value, All the smallest.
static berth_code_t max_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_FOLD_MAX, false, err);
}
static berth_code_t min_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return reduce_prepare(prepare, BERTH_FOLD_MIN, false, err);
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
    {.op = NULL},
};
