// select.c - The GPU kernels Select and SelectV2.
//
// Both are one walk over condition, then and else, broadcast.
#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/elementwise.h"
#include "op/types.h"

static berth_code_t prepare_walk(berth_prepare_t *prepare,
                                 const berth_select_t *select,
                                 berth_error_t *err) {
  char name[32];
  snprintf(name, sizeof(name), "berth_select_%zu",
           berth_dtype_size(select->dtype));
  return berth_walk_prepare_broadcast(
      prepare, berth_cuda_kernel("select", name),
      select->count > 0 ? &select->broadcast : NULL, 3, false, 0, err);
}

static berth_code_t prepare_select(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_select_t select;
  BERTH_TRY(berth_op_select(&prepare->op, &select, err));
  return prepare_walk(prepare, &select, err);
}

static berth_code_t prepare_select_v2(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_select_t select;
  BERTH_TRY(berth_op_select_v2(&prepare->op, &select, err));
  return prepare_walk(prepare, &select, err);
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
