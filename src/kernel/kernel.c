// kernel.c - Helpers of prepare.
#include "kernel/kernel.h"

void *berth_prepare_plan(berth_prepare_t *prepare, size_t size) {
  prepare->plan = berth_arena_calloc(prepare->arena, 1, size);
  return prepare->plan;
}

void berth_prepare_output(berth_prepare_t *prepare, int index,
                          berth_dims_t dims) {
  berth_shape_set(&prepare->outputs[index], dims);
}
