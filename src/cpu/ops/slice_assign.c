// slice_assign.c - The kernels StridedSliceAssign and
// ResourceStridedSliceAssign.
#include "cpu/kernels.h"
#include "kernel/slice.h"
#include "tensor/tensor.h"

// Goes through the dimensions from |d| on; the innermost that lies side by side
// in both is one run.
static bool write_from(const berth_move_spec_t *move, berth_dtype_t dtype,
                       int32_t d, const char *from, char *to) {
  size_t size = berth_dtype_size(dtype);
  if (d == move->rank) return berth_elements_copy(dtype, to, from, 1);
  bool is_run =
      d + 1 == move->rank && move->from_steps[d] == 1 && move->to_steps[d] == 1;
  if (is_run) return berth_elements_copy(dtype, to, from, move->dims[d]);
  for (int64_t i = 0; i < move->dims[d]; ++i) {
    if (!write_from(move, dtype, d + 1,
                    from + i * move->from_steps[d] * (int64_t)size,
                    to + i * move->to_steps[d] * (int64_t)size)) {
      return false;
    }
  }
  return true;
}

static berth_code_t write_slice(const berth_move_spec_t *move,
                                const void *value, berth_tensor_t *to,
                                berth_call_t *call) {
  size_t size = berth_dtype_size(to->dtype);
  char *first = (char *)to->data + move->to_offset * (int64_t)size;
  if (write_from(move, to->dtype, 0, value, first)) return BERTH_OK;
  return berth_error_no_memory(call->err, "the elements of a variable");
}

static berth_code_t copy_whole(const berth_tensor_t *from, berth_tensor_t *to,
                               berth_call_t *call) {
  if (berth_elements_copy(to->dtype, to->data, from->data, to->count)) {
    return BERTH_OK;
  }
  return berth_error_no_memory(call->err, "the elements of a variable");
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
  prepare->work = prepare->op.inputs[4].count;
  return BERTH_OK;
}

#define TYPES                                                    \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPE(STRING) | \
   BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8) | BERTH_TYPE(QINT32))
#define ASSIGN(name)                                                   \
  {                                                                    \
    .op = name, .types = {{"T", TYPES}, {"Index", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_assign                                          \
  }

const berth_kernel_t berth_cpu_slice_assign_kernels[] = {
    ASSIGN("StridedSliceAssign"),
    ASSIGN("ResourceStridedSliceAssign"),
    {.op = NULL},
};
