// case.c - What holds of a case that a family has filled in.
#include "op/case.h"

static bool shape_is_whole(const berth_shape_t *shape) {
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (shape->dims[i] < 0) return false;
  }
  return true;
}

static bool is_same_bytes(const berth_case_t *op, int input) {
  int64_t count = berth_dims_count(berth_case_output_dims(op, 0));
  berth_dtype_t dtype = berth_dtype_base(op->node->output_types[0]);
  return op->inputs[input].count *
             (int64_t)berth_dtype_size(op->inputs[input].dtype) ==
         count * (int64_t)berth_dtype_size(dtype);
}

const char *berth_case_check(const berth_case_t *op, uint32_t traits) {
  for (int i = 0; i < op->output_count; ++i) {
    if (op->outputs[i].rank < 0 && (traits & BERTH_OP_MAKES) == 0) {
      return "an output has no shape, and the op does not make it";
    }
    if (!shape_is_whole(&op->outputs[i])) return "an output has half a shape";
  }
  if (op->alias >= op->input_count) return "the alias is no input";
  if (op->alias >= 0 && !is_same_bytes(op, op->alias)) {
    return "an alias has another size";
  }
  for (int i = 0; i < op->input_count && i < 32; ++i) {
    if ((op->may_overwrite >> i & 1) != 0 && !is_same_bytes(op, i)) {
      return "an input of another size may be overwritten";
    }
  }
  return NULL;
}
