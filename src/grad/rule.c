// rule.c - What rules are written with.
#include "grad/rule.h"

#include <stdarg.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "grad/ebb.h"
#include "graph/builder.h"
#include "tensor/complex.h"
#include "tensor/half.h"
#include "tensor/tensor.h"

const char berth_grad_scope_name[] = "";

void berth_grad_fail(berth_grad_t *g, berth_code_t code, const char *format,
                     ...) {
  if (g->code != BERTH_OK) return;
  va_list args;
  va_start(args, format);
  g->code = berth_error_setv(g->err, code, format, args);
  va_end(args);
}

// ---- The node ----

static berth_out_t brought(berth_grad_t *g, berth_out_t value) {
  if (g->code != BERTH_OK || g->to->bring == NULL) return value;
  berth_out_t found = BERTH_NO_OUT;
  g->code = g->to->bring(g->to->emit.arg, value, &found, g->err);
  return found;
}

berth_out_t berth_grad_in(berth_grad_t *g, int index) {
  return brought(g, g->node->inputs[index]);
}

berth_out_t berth_grad_out(berth_grad_t *g, int index) {
  return brought(g, (berth_out_t){g->node->id, index});
}

berth_out_t berth_grad_spread(berth_grad_t *g, berth_slope_t slope,
                              const char *name) {
  if (!berth_out_is(slope.indices)) return slope.values;
  if (!berth_out_is(slope.dense_shape)) {
    berth_grad_fail(g, BERTH_INVALID_ARGUMENT,
                    "Tensor conversion requested for IndexedSlices without "
                    "dense_shape");
    return BERTH_NO_OUT;
  }
  int64_t edges[] = {0, 1};
  berth_grad_push(g, "strided_slice");
  berth_out_t begin = berth_grad_ints(g, "stack", BERTH_INT32, edges, 1);
  berth_out_t end = berth_grad_ints(g, "stack_1", BERTH_INT32, edges + 1, 1);
  berth_out_t step = berth_grad_ints(g, "stack_2", BERTH_INT32, edges + 1, 1);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "shrink_axis_mask", 1);
  berth_out_t rows = berth_grad_make(
      g, (berth_out_t[]){slope.dense_shape, begin, end, step}, 4);
  berth_grad_pop(g);
  return berth_grad_op(g, "UnsortedSegmentSum", name,
                       (berth_out_t[]){slope.values, slope.indices, rows}, 3);
}

berth_out_t berth_grad_dy(berth_grad_t *g, int index) {
  return berth_grad_spread(g, g->slopes[index], NULL);
}

bool berth_grad_is_zero(const berth_grad_t *g, int index) {
  return g->is_filled != NULL && g->is_filled[index];
}

bool berth_grad_asks(const berth_grad_t *g, int index) {
  return g->is_unasked == NULL || !g->is_unasked[index];
}

void berth_grad_give(berth_grad_t *g, int index, berth_out_t value) {
  g->given[index] = (berth_slope_t){value, BERTH_NO_OUT, BERTH_NO_OUT};
}

void berth_grad_give_rows(berth_grad_t *g, int index, berth_out_t values,
                          berth_out_t indices, berth_out_t dense_shape) {
  g->given[index] = (berth_slope_t){values, indices, dense_shape};
}

// ---- Values ----

berth_dtype_t berth_grad_dtype(const berth_grad_t *g, berth_out_t value) {
  if (!berth_out_is(value)) return BERTH_INVALID;
  berth_dtype_t type = g->to->dtype(g->to->emit.arg, value);
  return type >= BERTH_REF ? (berth_dtype_t)(type - BERTH_REF) : type;
}

berth_dims_t berth_grad_shape(const berth_grad_t *g, berth_out_t value) {
  if (!berth_out_is(value)) return (berth_dims_t){-1, NULL};
  return g->to->shape(g->to->emit.arg, value, g->arena);
}

int berth_grad_rank(const berth_grad_t *g, berth_out_t value) {
  return berth_grad_shape(g, value).rank;
}

int berth_grad_numbers(const berth_grad_t *g, berth_out_t value, int64_t *out,
                       int room) {
  if (!berth_out_is(value)) return -1;
  const berth_tensor_t *tensor = g->to->constant(g->to->emit.arg, value);
  if (tensor == NULL) return -1;
  int64_t count = berth_tensor_count(tensor);
  const void *data = berth_tensor_data(tensor);
  if (count > room || (data == NULL && count > 0)) return -1;
  for (int64_t i = 0; i < count; ++i) {
    switch (berth_tensor_dtype(tensor)) {
      case BERTH_INT32:
        out[i] = ((const int32_t *)data)[i];
        break;
      case BERTH_INT64:
        out[i] = ((const int64_t *)data)[i];
        break;
      default:
        return -1;
    }
  }
  return (int)count;
}

// ---- Emission ----

void berth_grad_begin(berth_grad_t *g, const char *op, const char *name) {
  if (g->code != BERTH_OK) return;
  BERTH_ASSERT(g->op == NULL);
  g->op = g->to->emit.begin(g->to->emit.arg, op, name);
}

void berth_grad_copy(berth_grad_t *g, const char *attr) {
  if (g->code != BERTH_OK) return;
  const berth_attr_value_t *value = berth_node_attr(g->node, attr);
  if (value != NULL) berth_op_attr_value(g->op, attr, value);
}

berth_out_t berth_grad_make_lists(berth_grad_t *g, const berth_out_t *inputs,
                                  const int *counts, int count) {
  berth_op_t *op = g->op;
  g->op = NULL;
  if (g->code != BERTH_OK) {
    berth_op_abandon(op);
    return BERTH_NO_OUT;
  }
  berth_node_id_t node = BERTH_NO_NODE;
  const berth_emitter_t *emit = &g->to->emit;
  g->code = g->ebb != NULL ? berth_ebb_make(g, op, inputs, counts, count, &node)
                           : emit->finish(emit->arg, op, inputs, counts, count,
                                          &node, g->err);
  return g->code == BERTH_OK ? (berth_out_t){node, 0} : BERTH_NO_OUT;
}

berth_out_t berth_grad_make(berth_grad_t *g, const berth_out_t *inputs,
                            int count) {
  enum { MOST = 16 };
  int counts[MOST];
  BERTH_ASSERT(count <= MOST);
  for (int i = 0; i < count; ++i) counts[i] = -1;
  return berth_grad_make_lists(g, inputs, counts, count);
}

berth_out_t berth_grad_op(berth_grad_t *g, const char *op, const char *name,
                          const berth_out_t *inputs, int count) {
  berth_grad_begin(g, op, name);
  return berth_grad_make(g, inputs, count);
}

berth_out_t berth_grad_constant(berth_grad_t *g, const char *name,
                                berth_tensor_t *tensor) {
  berth_out_t made = BERTH_NO_OUT;
  if (g->code == BERTH_OK && g->to->keep != NULL) {
    g->code = g->to->keep(g->to->emit.arg, tensor, &made, g->err);
  } else if (g->code == BERTH_OK) {
    berth_grad_begin(g, "Const", name);
    berth_op_attr_tensor(g->op, "value", tensor);
    berth_op_attr_type(g->op, "dtype", berth_tensor_dtype(tensor));
    made = berth_grad_make(g, NULL, 0);
  }
  berth_tensor_release(tensor);
  return made;
}

// Makes a tensor of |dims|; NULL, and the failure is kept, when it cannot.
static berth_tensor_t *tensor_of(berth_grad_t *g, berth_dtype_t type,
                                 berth_dims_t dims) {
  if (g->code != BERTH_OK) return NULL;
  berth_tensor_t *tensor = NULL;
  g->code = berth_tensor_create(type, dims, &tensor, g->err);
  return g->code == BERTH_OK ? tensor : NULL;
}

static berth_out_t ints(berth_grad_t *g, const char *name, berth_dtype_t type,
                        const int64_t *values, int count, int rank) {
  int64_t dim = count;
  berth_tensor_t *tensor = tensor_of(g, type, (berth_dims_t){rank, &dim});
  if (tensor == NULL) return BERTH_NO_OUT;
  void *data = berth_tensor_data(tensor);
  for (int i = 0; i < count; ++i) {
    if (type == BERTH_INT64) {
      ((int64_t *)data)[i] = values[i];
    } else {
      ((int32_t *)data)[i] = (int32_t)values[i];
    }
  }
  return berth_grad_constant(g, name, tensor);
}

berth_out_t berth_grad_ints(berth_grad_t *g, const char *name,
                            berth_dtype_t type, const int64_t *values,
                            int count) {
  return ints(g, name, type, values, count, 1);
}

berth_out_t berth_grad_int(berth_grad_t *g, const char *name,
                           berth_dtype_t type, int64_t value) {
  return ints(g, name, type, &value, 1, 0);
}

// Writes |value| as one of |type|; false for types that slopes do not have.
static bool write_number(berth_dtype_t type, double value, void *to) {
  switch (type) {
    case BERTH_FLOAT:
      *(float *)to = (float)value;
      return true;
    case BERTH_DOUBLE:
      *(double *)to = value;
      return true;
    case BERTH_HALF:
      *(uint16_t *)to = berth_float_to_half((float)value);
      return true;
    case BERTH_BFLOAT16:
      *(uint16_t *)to = berth_float_to_bfloat16((float)value);
      return true;
    case BERTH_COMPLEX64:
      *(berth_complex64_t *)to = (float)value;
      return true;
    case BERTH_COMPLEX128:
      *(berth_complex128_t *)to = value;
      return true;
    case BERTH_INT32:
      *(int32_t *)to = (int32_t)value;
      return true;
    case BERTH_INT64:
      *(int64_t *)to = (int64_t)value;
      return true;
    case BERTH_BOOL:
      *(bool *)to = value != 0;
      return true;
    default:
      return false;
  }
}

berth_out_t berth_grad_number(berth_grad_t *g, const char *name,
                              berth_dtype_t type, double value) {
  berth_tensor_t *tensor = tensor_of(g, type, (berth_dims_t){0, NULL});
  if (tensor == NULL) return BERTH_NO_OUT;
  if (!write_number(type, value, berth_tensor_data(tensor))) {
    berth_tensor_release(tensor);
    berth_grad_fail(g, BERTH_UNIMPLEMENTED, "no slope has a number of type %s",
                    berth_dtype_name(type));
    return BERTH_NO_OUT;
  }
  return berth_grad_constant(g, name, tensor);
}

void berth_grad_push(berth_grad_t *g, const char *name) {
  const berth_emitter_t *emit = &g->to->emit;
  if (g->code != BERTH_OK || emit->push == NULL) return;
  g->code = emit->push(emit->arg, name, BERTH_NO_NODE, false, g->err);
}

void berth_grad_pop(berth_grad_t *g) {
  if (g->to->emit.pop != NULL) g->to->emit.pop(g->to->emit.arg);
}
