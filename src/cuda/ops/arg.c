// arg.c - The kernels ArgMax and ArgMin.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/reduction.h"
#include "op/types.h"

// A value and its place, as arg.cuh keeps them.
enum { FOUND_SIZE = 16 };

// Says |arg| as a reduction, of the middle one of up to three |levels|.
static berth_reduction_t reduction_of(const berth_arg_t *arg,
                                      berth_reduction_level_t *levels) {
  const berth_reduction_level_t all[] = {
      {arg->outer, false}, {arg->n, true}, {arg->inner, false}};
  berth_reduction_t reduction = {.dtype = arg->dtype,
                                 .values = arg->outer * arg->n * arg->inner,
                                 .outputs = arg->outer * arg->inner,
                                 .levels = levels};
  for (int i = 0; i < BERTH_COUNT_OF(all); ++i) {
    if (all[i].count > 1) levels[reduction.level_count++] = all[i];
  }
  return reduction;
}

// |module| has the kernels, which are called |fold| and |merge|.
static berth_code_t prepare_any(berth_prepare_t *prepare, const char *module,
                                const char *fold, const char *merge,
                                berth_error_t *err) {
  berth_arg_t arg;
  BERTH_TRY(berth_op_arg(&prepare->op, &arg, err));
  prepare->run = berth_run_nothing;
  if (arg.n == 0) return BERTH_OK;
  // Values of up to 32 bits are compared as floats.
  berth_dtype_t wide = arg.dtype == BERTH_DOUBLE ? BERTH_DOUBLE : BERTH_FLOAT;
  bool is_short = arg.index_type == BERTH_INT32;
  berth_cuda_reduction_spec_t spec = {
      .fold = berth_cuda_kernel_for(module, fold, arg.dtype),
      .merge = berth_cuda_kernel_for(module, merge, wide),
      .value_size = berth_dtype_size(arg.dtype),
      .acc_size = FOUND_SIZE,
      .divisor = 1,
      .store = is_short ? BERTH_REDUCTION_I32 : BERTH_REDUCTION_I64,
      .parts = 1};
  berth_reduction_level_t levels[3];
  berth_reduction_t reduction = reduction_of(&arg, levels);
  return berth_cuda_reduction_plan(prepare, &reduction, &spec, err);
}

static berth_code_t max_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "arg_max", "berth_argmax", "berth_argmax_found",
                     err);
}

static berth_code_t min_prepare(berth_prepare_t *prepare, berth_error_t *err) {
  return prepare_any(prepare, "arg_min", "berth_argmin", "berth_argmin_found",
                     err);
}

#define ARG(name, fn)                                         \
  {                                                           \
    .op = name,                                               \
    .types = {{"T", BERTH_TYPES_FLOATING | BERTH_TYPE(BOOL)}, \
              {"output_type", BERTH_TYPES_INDEX}},            \
    .prepare = fn                                             \
  }

const berth_kernel_t berth_cuda_arg_kernels[] = {
    ARG("ArgMax", max_prepare),
    ARG("ArgMin", min_prepare),
    {.op = NULL},
};
