// bias.c - BiasAdd on a GPU: one number per channel, added to all of the
// channel.
//
// An addition that broadcasts: the biases are a row along the last dimension,
// or, with the channels first, a column along dimension 1.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

static berth_code_t prepare_bias(berth_prepare_t *prepare, berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  const char *format =
      berth_node_attr_string(prepare->op.node, "data_format", "NHWC");
  berth_dims_t value = berth_op_input_dims(&prepare->op, 0);
  int32_t channels = strcmp(format, "NCHW") == 0 ? 1 : value.rank - 1;
  // The channels, and a 1 for every dimension after them.
  berth_shape_t bias = {value.rank - channels, {0}};
  bias.dims[0] = prepare->op.inputs[1].dims[0];
  for (int32_t i = 1; i < bias.rank; ++i) bias.dims[i] = 1;
  berth_dims_t inputs[2] = {value, berth_shape_dims(&bias)};
  int kernel = berth_binary_kernel("add", prepare->op.inputs[0].dtype);
  BERTH_TRY(berth_walk_prepare(prepare, kernel, inputs, 2, false, err));
  prepare->op.may_overwrite &= 1;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_FLOATING | BERTH_TYPE(INT32))

const berth_kernel_t berth_cuda_bias_kernels[] = {
    {.op = "BiasAdd", .types = {{"T", TYPES}}, .prepare = prepare_bias},
    {.op = "BiasAddV1", .types = {{"T", TYPES}}, .prepare = prepare_bias},
    {.op = NULL},
};
