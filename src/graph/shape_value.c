// shape_value.c - What is known of a value while a graph is built.
//
// Looks back through the graph, at most MAX_DEPTH nodes deep: the recursion is
// bounded by that, not by the graph.
#include "graph/shape_value.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "tensor/compact.h"

enum { MAX_DEPTH = 8 };

static const int64_t UNKNOWN = INT64_MIN;

static bool is_op(const berth_node_t *node, const char *op) {
  return strcmp(node->op->name, op) == 0;
}

const berth_tensor_t *berth_value_of(const berth_graph_t *graph,
                                     berth_out_t out) {
  for (int depth = 0; depth < MAX_DEPTH; ++depth) {
    const berth_node_t *node = berth_graph_get(graph, out.node);
    if (is_op(node, "Const")) {
      const berth_attr_value_t *value = berth_node_attr(node, "value");
      return value != NULL && value->kind == BERTH_ATTR_TENSOR ? value->tensor
                                                               : NULL;
    }
    if (!is_op(node, "Identity")) return NULL;
    out = node->inputs[0];
  }
  return NULL;
}

bool berth_value_is_int(const berth_tensor_t *tensor) {
  return tensor->dtype == BERTH_INT32 || tensor->dtype == BERTH_INT64 ||
         tensor->dtype == BERTH_INT16 || tensor->dtype == BERTH_INT8 ||
         tensor->dtype == BERTH_UINT8;
}

int64_t berth_value_int_at(const berth_tensor_t *tensor, int64_t index) {
  const void *data = berth_tensor_elements(tensor);
  index = berth_tensor_place(tensor, index);
  switch (tensor->dtype) {
    case BERTH_INT32:
      return ((const int32_t *)data)[index];
    case BERTH_INT64:
      return ((const int64_t *)data)[index];
    case BERTH_INT16:
      return ((const int16_t *)data)[index];
    case BERTH_INT8:
      return ((const int8_t *)data)[index];
    case BERTH_UINT8:
      return ((const uint8_t *)data)[index];
    default:
      return UNKNOWN;
  }
}

// A vector of known and unknown whole numbers; a scalar has one.
typedef struct vector {
  int32_t count;  // -1: not even the length is known.
  bool is_scalar;
  int64_t values[BERTH_MAX_RANK];
} vector_t;

static void look(const berth_graph_t *graph, berth_out_t out, int depth,
                 vector_t *vector);

static void set_scalar(vector_t *vector, int64_t value) {
  vector->count = 1;
  vector->is_scalar = true;
  vector->values[0] = value;
}

static void look_constant(const berth_tensor_t *tensor, vector_t *vector) {
  if (!berth_value_is_int(tensor) || tensor->rank > 1 ||
      tensor->count > BERTH_MAX_RANK) {
    return;
  }
  vector->count = (int32_t)tensor->count;
  vector->is_scalar = tensor->rank == 0;
  for (int32_t i = 0; i < vector->count; ++i) {
    vector->values[i] = berth_value_int_at(tensor, i);
  }
}

static void look_shape(berth_dims_t shape, vector_t *vector) {
  if (shape.rank < 0) return;
  vector->count = shape.rank;
  for (int32_t i = 0; i < shape.rank; ++i) {
    vector->values[i] = shape.dims[i] >= 0 ? shape.dims[i] : UNKNOWN;
  }
}

static void look_size(berth_dims_t shape, vector_t *vector) {
  int64_t count = shape.rank < 0 ? -1 : berth_dims_count(shape);
  set_scalar(vector, count >= 0 ? count : UNKNOWN);
}

// Pack along axis 0 of scalars, ConcatV2 of vectors: one after the other.
static void look_joined(const berth_graph_t *graph, const berth_node_t *node,
                        int32_t inputs, int depth, vector_t *vector) {
  vector_t part;
  int32_t count = 0;
  for (int32_t i = 0; i < inputs; ++i) {
    look(graph, node->inputs[i], depth + 1, &part);
    bool is_pack = inputs == node->input_count;
    if (is_pack && part.count < 0) set_scalar(&part, UNKNOWN);
    if (part.count < 0 || part.is_scalar != is_pack ||
        count + part.count > BERTH_MAX_RANK) {
      return;
    }
    memcpy(&vector->values[count], part.values,
           (size_t)part.count * sizeof(int64_t));
    count += part.count;
  }
  vector->count = count;
}

// Clamps an index of a slice as Python does, or takes the open end.
static int64_t slice_end(const vector_t *given, bool is_open, int64_t open,
                         int32_t count) {
  if (is_open) return open;
  int64_t index = given->values[0];
  if (index < 0) index += count;
  return index < 0 ? 0 : index > count ? count : index;
}

// StridedSlice of a vector with a positive stride: x[1], x[1:3], x[:2].
static void look_slice(const berth_graph_t *graph, const berth_node_t *node,
                       int depth, vector_t *vector) {
  vector_t source, begin, end, stride;
  look(graph, node->inputs[0], depth + 1, &source);
  look(graph, node->inputs[1], depth + 1, &begin);
  look(graph, node->inputs[2], depth + 1, &end);
  look(graph, node->inputs[3], depth + 1, &stride);
  if (source.count < 0 || source.is_scalar || begin.count != 1 ||
      end.count != 1 || stride.count != 1 || stride.values[0] < 1 ||
      berth_node_attr_int(node, "ellipsis_mask", 0) != 0 ||
      berth_node_attr_int(node, "new_axis_mask", 0) != 0) {
    return;
  }
  if (begin.values[0] == UNKNOWN || end.values[0] == UNKNOWN) return;
  bool is_open = (berth_node_attr_int(node, "begin_mask", 0) & 1) != 0;
  int64_t first = slice_end(&begin, is_open, 0, source.count);
  if ((berth_node_attr_int(node, "shrink_axis_mask", 0) & 1) != 0) {
    if (first < source.count) set_scalar(vector, source.values[first]);
    return;
  }
  is_open = (berth_node_attr_int(node, "end_mask", 0) & 1) != 0;
  int64_t last = slice_end(&end, is_open, source.count, source.count);
  vector->count = 0;
  for (int64_t i = first; i < last; i += stride.values[0]) {
    vector->values[vector->count++] = source.values[i];
  }
}

// Computes one element; false where there is no such number.
static bool compute(const berth_node_t *node, int64_t a, int64_t b,
                    int64_t *out) {
  const char *op = node->op->name;
  if (a == UNKNOWN || b == UNKNOWN) return false;
  if (strcmp(op, "Sub") == 0) return !__builtin_sub_overflow(a, b, out);
  if (strcmp(op, "Mul") == 0) return !__builtin_mul_overflow(a, b, out);
  if (strcmp(op, "FloorMod") == 0) {
    if (b == 0 || b == -1) return false;
    *out = a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
    return true;
  }
  return !__builtin_add_overflow(a, b, out);
}

// A sum, difference, product or rest of scalars and vectors, all of it known.
static void look_computed(const berth_graph_t *graph, const berth_node_t *node,
                          int depth, vector_t *vector) {
  vector_t left, right;
  look(graph, node->inputs[0], depth + 1, &left);
  look(graph, node->inputs[1], depth + 1, &right);
  if (left.count < 0 || right.count < 0) return;
  int32_t count = left.is_scalar ? right.count : left.count;
  if (!left.is_scalar && !right.is_scalar && left.count != right.count) return;
  for (int32_t i = 0; i < count; ++i) {
    if (!compute(node, left.values[left.is_scalar ? 0 : i],
                 right.values[right.is_scalar ? 0 : i], &vector->values[i])) {
      return;
    }
  }
  vector->count = count;
  vector->is_scalar = left.is_scalar && right.is_scalar;
}

// Fill of a vector.
static void look_filled(const berth_graph_t *graph, const berth_node_t *node,
                        int depth, vector_t *vector) {
  vector_t length, value;
  look(graph, node->inputs[0], depth + 1, &length);
  look(graph, node->inputs[1], depth + 1, &value);
  if (length.count != 1 || length.is_scalar || value.count != 1) return;
  int64_t count = length.values[0];
  if (count < 0 || count > BERTH_MAX_RANK || value.values[0] == UNKNOWN) return;
  vector->count = (int32_t)count;
  for (int64_t i = 0; i < count; ++i) vector->values[i] = value.values[0];
}

// Range of scalars.
static void look_range(const berth_graph_t *graph, const berth_node_t *node,
                       int depth, vector_t *vector) {
  int64_t bounds[3];
  for (int i = 0; i < 3; ++i) {
    vector_t one;
    look(graph, node->inputs[i], depth + 1, &one);
    if (one.count != 1 || !one.is_scalar || one.values[0] == UNKNOWN) return;
    bounds[i] = one.values[0];
  }
  int64_t step = bounds[2];
  if (step < 1 || bounds[0] > bounds[1] ||
      bounds[1] - bounds[0] > BERTH_MAX_RANK * step) {
    return;
  }
  vector->count = 0;
  for (int64_t at = bounds[0]; at < bounds[1]; at += step) {
    vector->values[vector->count++] = at;
  }
}

// InvertPermutation of a vector that is known.
static void look_inverted(const berth_graph_t *graph, const berth_node_t *node,
                          int depth, vector_t *vector) {
  vector_t order;
  look(graph, node->inputs[0], depth + 1, &order);
  if (order.count < 0 || order.is_scalar) return;
  for (int32_t i = 0; i < order.count; ++i) vector->values[i] = UNKNOWN;
  for (int32_t i = 0; i < order.count; ++i) {
    int64_t to = order.values[i];
    if (to < 0 || to >= order.count || vector->values[to] != UNKNOWN) return;
    vector->values[to] = i;
  }
  vector->count = order.count;
}

// One element of a vector, as GatherV2 takes it.
static void look_taken(const berth_graph_t *graph, const berth_node_t *node,
                       int depth, vector_t *vector) {
  vector_t source, at;
  look(graph, node->inputs[0], depth + 1, &source);
  look(graph, node->inputs[1], depth + 1, &at);
  if (source.count < 0 || source.is_scalar || !at.is_scalar) return;
  if (at.values[0] < 0 || at.values[0] >= source.count) return;
  set_scalar(vector, source.values[at.values[0]]);
}

// Prod of a vector, all of it known.
static void look_product(const berth_graph_t *graph, const berth_node_t *node,
                         int depth, vector_t *vector) {
  vector_t source, axes;
  look(graph, node->inputs[0], depth + 1, &source);
  look(graph, node->inputs[1], depth + 1, &axes);
  if (source.count < 0 || source.is_scalar || axes.count != 1) return;
  int64_t product = 1;
  for (int32_t i = 0; i < source.count; ++i) {
    if (source.values[i] == UNKNOWN ||
        __builtin_mul_overflow(product, source.values[i], &product)) {
      return;
    }
  }
  if (!berth_node_attr_bool(node, "keep_dims", false)) {
    set_scalar(vector, product);
  }
}

static bool is_arithmetic(const berth_node_t *node) {
  return is_op(node, "Sub") || is_op(node, "AddV2") || is_op(node, "Mul") ||
         is_op(node, "FloorMod") || is_op(node, "Add");
}

// Slice of a vector: |size| elements, or all that are left, from |begin| on.
static void look_part(const berth_graph_t *graph, const berth_node_t *node,
                      int depth, vector_t *vector) {
  vector_t source, begin, size;
  look(graph, node->inputs[0], depth + 1, &source);
  look(graph, node->inputs[1], depth + 1, &begin);
  look(graph, node->inputs[2], depth + 1, &size);
  if (source.count < 0 || source.is_scalar || begin.count != 1 ||
      size.count != 1) {
    return;
  }
  int64_t first = begin.values[0], count = size.values[0];
  if (first < 0 || first > source.count) return;
  if (count == -1) count = source.count - first;
  if (count < 0 || count > source.count - first) return;
  vector->count = (int32_t)count;
  memcpy(vector->values, &source.values[first],
         (size_t)count * sizeof(int64_t));
}

// Finds what is known of |out|; |vector->count| is -1 for nothing.
static void look(const berth_graph_t *graph, berth_out_t out, int depth,
                 vector_t *vector) {
  vector->count = -1;
  vector->is_scalar = false;
  if (depth == MAX_DEPTH) return;
  const berth_tensor_t *constant = berth_value_of(graph, out);
  if (constant != NULL) {
    look_constant(constant, vector);
    return;
  }
  const berth_node_t *node = berth_graph_get(graph, out.node);
  if (node->input_count == 0) return;
  berth_out_t in = node->inputs[0];
  berth_dims_t shape = berth_graph_get(graph, in.node)->output_shapes[in.index];
  if (is_op(node, "Shape")) {
    look_shape(shape, vector);
  } else if (is_op(node, "Size")) {
    look_size(shape, vector);
  } else if (is_op(node, "Rank")) {
    set_scalar(vector, shape.rank >= 0 ? shape.rank : UNKNOWN);
  } else if (is_op(node, "Identity") || is_op(node, "Cast")) {
    look(graph, in, depth + 1, vector);
  } else if (is_op(node, "Pack") && berth_node_attr_int(node, "axis", 0) == 0) {
    look_joined(graph, node, node->input_count, depth, vector);
  } else if (is_op(node, "ConcatV2")) {
    look_joined(graph, node, node->input_count - 1, depth, vector);
  } else if (is_op(node, "StridedSlice")) {
    look_slice(graph, node, depth, vector);
  } else if (is_op(node, "Slice")) {
    look_part(graph, node, depth, vector);
  } else if (is_op(node, "Fill")) {
    look_filled(graph, node, depth, vector);
  } else if (is_op(node, "Range")) {
    look_range(graph, node, depth, vector);
  } else if (is_op(node, "GatherV2")) {
    look_taken(graph, node, depth, vector);
  } else if (is_op(node, "Prod")) {
    look_product(graph, node, depth, vector);
  } else if (is_op(node, "InvertPermutation")) {
    look_inverted(graph, node, depth, vector);
  } else if (is_arithmetic(node)) {
    look_computed(graph, node, depth, vector);
  }
}

bool berth_value_scalar(const berth_graph_t *graph, berth_out_t out,
                        int64_t *out_value) {
  vector_t vector;
  look(graph, out, 0, &vector);
  if (vector.count != 1 || vector.values[0] == UNKNOWN) return false;
  *out_value = vector.values[0];
  return true;
}

void berth_value_vector(const berth_graph_t *graph, berth_out_t out,
                        int32_t *out_count, int64_t values[BERTH_MAX_RANK]) {
  vector_t vector;
  look(graph, out, 0, &vector);
  *out_count = vector.count;
  if (vector.count > 0) {
    memcpy(values, vector.values, (size_t)vector.count * sizeof(int64_t));
  }
}

berth_code_t berth_shape_from_value(berth_shape_context_t *c, int index,
                                    berth_dims_t *out_shape,
                                    berth_error_t *err) {
  berth_dims_t form = berth_shape_in(c, index);
  BERTH_TRY(berth_shape_with_rank(c, form, 1, NULL, err));
  if (index < 64) c->asked_shapes |= (uint64_t)1 << index;
  vector_t vector;
  look(c->graph, c->node->inputs[index], 0, &vector);
  if (vector.count < 0) {
    *out_shape = (berth_dims_t){-1, NULL};
    // The length of the vector is the rank of the shape.
    if (form.rank != 1 || form.dims[0] < 0 || form.dims[0] > BERTH_MAX_RANK) {
      return BERTH_OK;
    }
    return berth_shape_unknown(c, (int32_t)form.dims[0], out_shape, err);
  }
  BERTH_TRY(berth_shape_unknown(c, vector.count, out_shape, err));
  int64_t *dims = (int64_t *)(uintptr_t)out_shape->dims;
  for (int32_t i = 0; i < vector.count; ++i) {
    if (vector.values[i] == UNKNOWN) continue;
    if (vector.values[i] < -1) {
      c->is_bare = true;
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid value in tensor used for shape: %lld",
                             (long long)vector.values[i]);
    }
    dims[i] = vector.values[i];
  }
  return BERTH_OK;
}
