// arg.c - ArgMax and ArgMin.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/reduction.h"
#include "op/types.h"

// A value and its place, as arg.cuh keeps them.
enum { FOUND_SIZE = 16 };

// |module| has the kernels, which are called |fold| and |merge|.
static berth_code_t prepare_any(berth_prepare_t *prepare, const char *module,
                                const char *fold, const char *merge,
                                berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  const berth_op_input_t *input = &prepare->op.inputs[0];
  bool reduced[BERTH_MAX_RANK] = {false};
  int32_t axis = *(const int32_t *)prepare->op.inputs[1].value;
  reduced[axis < 0 ? axis + input->rank : axis] = true;
  // Values of up to 32 bits are compared as floats.
  berth_dtype_t wide =
      input->dtype == BERTH_DOUBLE ? BERTH_DOUBLE : BERTH_FLOAT;
  bool is_short = prepare->op.node->output_types[0] == BERTH_INT32;
  berth_reduction_spec_t spec = {
      .fold = berth_cuda_kernel_for(module, fold, input->dtype),
      .merge = berth_cuda_kernel_for(module, merge, wide),
      .value_size = berth_dtype_size(input->dtype),
      .acc_size = FOUND_SIZE,
      .divisor = 1,
      .store = is_short ? BERTH_REDUCTION_I32 : BERTH_REDUCTION_I64,
      .parts = 1};
  return berth_cuda_reduction_prepare(&spec, reduced, prepare, err);
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
              {"Tidx", BERTH_TYPE(INT32)},                    \
              {"output_type", BERTH_TYPES_INDEX}},            \
    .prepare = fn                                             \
  }

const berth_kernel_t berth_cuda_arg_kernels[] = {
    ARG("ArgMax", max_prepare),
    ARG("ArgMin", min_prepare),
    {.op = NULL},
};
