// bias.c - The kernels BiasAdd and BiasAddV1: an addition that broadcasts.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/elementwise.h"
#include "op/matrix.h"
#include "op/types.h"

static berth_code_t prepare_bias(berth_prepare_t *prepare, berth_error_t *err) {
  berth_bias_t bias;
  BERTH_TRY(berth_op_bias_add(&prepare->op, &bias, err));
  berth_dims_t inputs[2] = {berth_case_input_dims(&prepare->op, 0),
                            {bias.rank, bias.dims}};
  int kernel =
      berth_binary_kernel(BERTH_BINARY_ADD, prepare->op.inputs[0].dtype);
  BERTH_TRY(berth_walk_prepare(prepare, kernel, inputs, 2, false, err));
  prepare->op.may_overwrite &= 1;
  berth_dims_t shape = berth_case_output_dims(&prepare->op, 0);
  if (berth_dims_count(shape) == 0) return BERTH_OK;
  berth_broadcast_t broadcast;
  BERTH_TRY(berth_broadcast_make(inputs, 2, shape, prepare->op.arena,
                                 &broadcast, err));
  berth_chain_term_binary(prepare, BERTH_BINARY_ADD, false, &broadcast);
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_FLOATING | BERTH_TYPE(INT32))

const berth_kernel_t berth_cuda_bias_kernels[] = {
    {.op = "BiasAdd", .types = {{"T", TYPES}}, .prepare = prepare_bias},
    {.op = "BiasAddV1", .types = {{"T", TYPES}}, .prepare = prepare_bias},
    {.op = NULL},
};
