// slice_assign.c - The kernels StridedSliceAssign and
// ResourceStridedSliceAssign.
#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/slice_assign_params.h"
#include "kernel/slice.h"

static berth_code_t write_slice(const berth_move_spec_t *move,
                                const void *value, berth_tensor_t *to,
                                berth_call_t *call) {
  size_t size = berth_dtype_size(to->dtype);
  berth_slice_params_t params = {
      .to = (char *)to->data + move->to_offset * (int64_t)size,
      .from = value,
      .count = 1};
  int32_t first = BERTH_SLICE_DIMS - move->rank;
  for (int32_t d = 0; d < BERTH_SLICE_DIMS; ++d) {
    bool is_there = d >= first;
    params.dims[d] = is_there ? (uint64_t)move->dims[d - first] : 1;
    params.from_steps[d] = is_there ? move->from_steps[d - first] : 0;
    params.to_steps[d] = is_there ? move->to_steps[d - first] : 0;
    params.count *= params.dims[d];
  }
  char name[32];
  snprintf(name, sizeof(name), "berth_slice_write_%zu", size);
  int kernel = berth_cuda_kernel("slice_assign", name);
  if (kernel < 0) return berth_error_no_memory(call->err, "a kernel");
  return berth_cuda_launch(call, kernel, params.count, &params, sizeof(params));
}

static berth_code_t copy_whole(const berth_tensor_t *from, berth_tensor_t *to,
                               berth_call_t *call) {
  return berth_cuda_copy(call, to->data, from->data, to->size);
}

static const berth_slice_backend_t backend = {write_slice, copy_whole};

static berth_code_t run_assign(const void *plan, void *const *args,
                               berth_call_t *call) {
  return berth_slice_run(plan, &backend, args, call);
}

static berth_code_t prepare_assign(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_slice_assign_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_slice_assign(&prepare->op, plan, err));
  prepare->run = run_assign;
  return BERTH_OK;
}

#define ASSIGN(name)                                         \
  {                                                          \
    .op = name,                                              \
    .types = {{"T", BERTH_TYPES_BASIC & ~BERTH_TYPE(INT32)}, \
              {"Index", BERTH_TYPES_INDEX}},                 \
    .prepare = prepare_assign                                \
  }

const berth_kernel_t berth_cuda_slice_assign_kernels[] = {
    ASSIGN("StridedSliceAssign"),
    ASSIGN("ResourceStridedSliceAssign"),
    {.op = NULL},
};
