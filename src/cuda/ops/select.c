// select.c - The GPU kernels Select and SelectV2.
//
// Both are one walk over condition, then and else, broadcast. Select, the
// elder, broadcasts only its condition, along the first dimension.
#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

static berth_code_t prepare_walk(berth_prepare_t *prepare,
                                 berth_dims_t condition, berth_error_t *err) {
  berth_dims_t inputs[3] = {condition, berth_op_input_dims(&prepare->op, 1),
                            berth_op_input_dims(&prepare->op, 2)};
  char name[32];
  snprintf(name, sizeof(name), "berth_select_%zu",
           berth_dtype_size(prepare->op.inputs[1].dtype));
  BERTH_TRY(berth_walk_prepare(prepare, berth_cuda_kernel("select", name),
                               inputs, 3, false, err));
  // The condition is a byte, but it has another meaning.
  prepare->op.may_overwrite &= 6;
  return BERTH_OK;
}

static berth_code_t prepare_select_v2(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  return prepare_walk(prepare, berth_op_input_dims(&prepare->op, 0), err);
}

static berth_code_t prepare_select(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  BERTH_TRY(berth_cuda_prepare_shapes(prepare, err));
  berth_shape_t rows = {0, {0}};
  berth_shape_set(&rows, berth_op_input_dims(&prepare->op, 0));
  // A vector says for each row.
  if (rows.rank == 1) {
    rows.rank = prepare->op.inputs[1].rank;
    for (int i = 1; i < rows.rank; ++i) rows.dims[i] = 1;
  }
  return prepare_walk(prepare, berth_shape_dims(&rows), err);
}

#define SELECT_TYPES                                             \
  (BERTH_TYPES_INDEX | BERTH_TYPES_FLOATING | BERTH_TYPE(BOOL) | \
   BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128))

const berth_kernel_t berth_cuda_select_kernels[] = {
    {.op = "Select", .types = {{"T", SELECT_TYPES}}, .prepare = prepare_select},
    {.op = "SelectV2",
     .types = {{"T", BERTH_TYPES_BASIC}},
     .prepare = prepare_select_v2},
    {.op = NULL},
};
