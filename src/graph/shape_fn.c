// shape_fn.c - What shape functions work with.
#include "graph/shape_fn.h"

#include <string.h>

#include "graph/attr_print.h"
#include "graph/shape_value.h"

enum { SHOWN_VALUES = 256 };  // Elements of a constant that messages show.

// ---- Inputs ----

berth_dims_t berth_shape_in(const berth_shape_context_t *c, int index) {
  berth_out_t in = c->node->inputs[index];
  return berth_graph_get(c->graph, in.node)->output_shapes[in.index];
}

const berth_tensor_t *berth_shape_value(berth_shape_context_t *c, int index) {
  if (index < 64) c->asked_values |= (uint64_t)1 << index;
  return berth_value_of(c->graph, c->node->inputs[index]);
}

bool berth_shape_scalar(berth_shape_context_t *c, int index,
                        int64_t *out_value) {
  if (index < 64) c->asked_values |= (uint64_t)1 << index;
  return berth_value_scalar(c->graph, c->node->inputs[index], out_value);
}

berth_code_t berth_shape_size(berth_shape_context_t *c, int index,
                              int64_t *out_size, berth_error_t *err) {
  *out_size = -1;
  if (!berth_shape_scalar(c, index, out_size) || *out_size >= 0) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Dimension size, given by scalar input %d, must be "
                         "non-negative but is %lld",
                         index, (long long)*out_size);
}

berth_code_t berth_shape_axis(const berth_shape_context_t *c, int32_t rank,
                              int32_t *out_axis, berth_error_t *err) {
  int64_t axis = berth_node_attr_int(c->node, "axis", 0);
  if (axis < -rank || axis >= rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Invalid axis: %lld; must be in [%d,%d)",
                           (long long)axis, -rank, rank);
  }
  *out_axis = (int32_t)(axis < 0 ? axis + rank : axis);
  return BERTH_OK;
}

berth_code_t berth_shape_declared(const berth_shape_context_t *c,
                                  berth_dims_t *out_shape, berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(c->node, "shape");
  *out_shape = (berth_dims_t){-1, NULL};
  if (value == NULL || value->kind != BERTH_ATTR_SHAPE) return BERTH_OK;
  for (int32_t i = 0; i < value->shape.rank; ++i) {
    if (value->shape.dims[i] >= -1) continue;
    berth_str_t text = {0};
    berth_attr_print(value, &text);
    berth_error_set(err, BERTH_INVALID_ARGUMENT,
                    "Shape %s has dimensions with values below -1 (where -1 "
                    "means unknown)",
                    berth_str_get(&text));
    berth_str_clear(&text);
    return BERTH_INVALID_ARGUMENT;
  }
  *out_shape = value->shape;
  return BERTH_OK;
}

// ---- Making shapes ----

int64_t *berth_shape_room(berth_shape_context_t *c, int32_t rank) {
  if (rank <= BERTH_SHAPE_ROOM - c->room_used) {
    int64_t *room = &c->room[c->room_used];
    c->room_used += rank;
    return room;
  }
  return berth_arena_calloc(c->scratch, (size_t)rank, sizeof(int64_t));
}

berth_code_t berth_shape_unknown(berth_shape_context_t *c, int32_t rank,
                                 berth_dims_t *out_shape, berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < rank; ++i) dims[i] = -1;
  *out_shape = (berth_dims_t){rank, dims};
  return BERTH_OK;
}

berth_dims_t berth_shape_slice(berth_dims_t shape, int32_t first,
                               int32_t last) {
  if (shape.rank < 0) return shape;
  // A scalar may have no dimensions to point at.
  return (berth_dims_t){last - first,
                        first > 0 ? shape.dims + first : shape.dims};
}

berth_code_t berth_shape_join(berth_shape_context_t *c, berth_dims_t a,
                              berth_dims_t b, berth_dims_t *out_shape,
                              berth_error_t *err) {
  if (a.rank < 0 || b.rank < 0) {
    *out_shape = (berth_dims_t){-1, NULL};
    return BERTH_OK;
  }
  if (a.rank + b.rank > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape would have %d dimensions, more than %d",
                           a.rank + b.rank, BERTH_MAX_RANK);
  }
  int64_t *dims = berth_shape_room(c, a.rank + b.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < a.rank; ++i) dims[i] = a.dims[i];
  for (int32_t i = 0; i < b.rank; ++i) dims[a.rank + i] = b.dims[i];
  *out_shape = (berth_dims_t){a.rank + b.rank, dims};
  return BERTH_OK;
}

berth_code_t berth_shape_replace(berth_shape_context_t *c, berth_dims_t shape,
                                 int32_t index, int64_t dim,
                                 berth_dims_t *out_shape, berth_error_t *err) {
  BERTH_TRY(
      berth_shape_join(c, shape, (berth_dims_t){0, NULL}, out_shape, err));
  if (shape.rank >= 0) ((int64_t *)(uintptr_t)out_shape->dims)[index] = dim;
  return BERTH_OK;
}

void berth_shape_print(berth_dims_t shape, berth_str_t *str) {
  if (shape.rank < 0) {
    berth_str_putc(str, '?');
  } else {
    berth_dims_print(shape, str);
  }
}

berth_code_t berth_shape_set_vector(berth_shape_context_t *c, int index,
                                    int64_t size, berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, 1);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  dims[0] = size;
  c->outputs[index] = (berth_dims_t){1, dims};
  return BERTH_OK;
}

// ---- Checking ----

berth_code_t berth_shape_with_rank(berth_shape_context_t *c, berth_dims_t shape,
                                   int32_t rank, berth_dims_t *out_shape,
                                   berth_error_t *err) {
  if (shape.rank == rank) {
    if (out_shape != NULL) *out_shape = shape;
    return BERTH_OK;
  }
  if (shape.rank >= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be rank %d but is rank %d", rank,
                           shape.rank);
  }
  if (out_shape == NULL) return BERTH_OK;
  return berth_shape_unknown(c, rank, out_shape, err);
}

berth_code_t berth_shape_rank_at_least(berth_dims_t shape, int32_t rank,
                                       berth_error_t *err) {
  if (shape.rank < 0 || shape.rank >= rank) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shape must be at least rank %d but is rank %d", rank,
                         shape.rank);
}

berth_code_t berth_shape_rank_at_most(berth_dims_t shape, int32_t rank,
                                      berth_error_t *err) {
  if (shape.rank <= rank) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shape must be at most rank %d but is rank %d", rank,
                         shape.rank);
}

berth_code_t berth_shape_merge_dims(int64_t a, int64_t b, int64_t *out_dim,
                                    berth_error_t *err) {
  if (a >= 0 && b >= 0 && a != b) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimensions must be equal, but are %lld and %lld",
                           (long long)a, (long long)b);
  }
  *out_dim = a >= 0 ? a : b;
  return BERTH_OK;
}

berth_code_t berth_shape_check_equal(berth_dims_t a, berth_dims_t b,
                                     berth_error_t *err) {
  if (a.rank < 0 || b.rank < 0) return BERTH_OK;
  if (a.rank != b.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shapes must be equal rank, but are %d and %d",
                           a.rank, b.rank);
  }
  for (int32_t i = 0; i < a.rank; ++i) {
    if (a.dims[i] < 0 || b.dims[i] < 0 || a.dims[i] == b.dims[i]) continue;
    char x[BERTH_DIMS_TEXT], y[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension %d in both shapes must be equal, but are "
                           "%lld and %lld. Shapes are %s and %s.",
                           i, (long long)a.dims[i], (long long)b.dims[i],
                           berth_dims_text(a, x), berth_dims_text(b, y));
  }
  return BERTH_OK;
}

// True when |a| says all that |b| says.
static bool says_more(berth_dims_t a, berth_dims_t b) {
  if (b.rank < 0) return true;
  for (int32_t i = 0; i < b.rank; ++i) {
    if (a.dims[i] < 0 && b.dims[i] >= 0) return false;
  }
  return true;
}

berth_code_t berth_shape_merge(berth_shape_context_t *c, berth_dims_t a,
                               berth_dims_t b, berth_dims_t *out_shape,
                               berth_error_t *err) {
  if (a.rank < 0) {
    *out_shape = b;
    return BERTH_OK;
  }
  BERTH_TRY(berth_shape_check_equal(a, b, err));
  if (says_more(a, b)) {
    *out_shape = a;
    return BERTH_OK;
  }
  int64_t *dims = berth_shape_room(c, a.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < a.rank; ++i) {
    dims[i] = a.dims[i] >= 0 ? a.dims[i] : b.dims[i];
  }
  *out_shape = (berth_dims_t){a.rank, dims};
  return BERTH_OK;
}

berth_code_t berth_shape_check_dim(int64_t dim, int64_t value,
                                   berth_error_t *err) {
  if (dim < 0 || dim == value) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Dimension must be %lld but is %lld", (long long)value,
                         (long long)dim);
}

berth_code_t berth_shape_divide(int64_t dim, int64_t parts, int64_t *out_dim,
                                berth_error_t *err) {
  if (dim >= 0 && dim % parts != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Dimension size must be evenly divisible by %lld but "
        "is %lld",
        (long long)parts, (long long)dim);
  }
  *out_dim = dim < 0 ? -1 : dim / parts;
  return BERTH_OK;
}

berth_code_t berth_shape_merge_inputs(berth_shape_context_t *c, int first,
                                      int last, berth_dims_t *out_shape,
                                      berth_error_t *err) {
  berth_dims_t shape = berth_shape_in(c, last - 1);
  for (int i = last - 2; i >= first; --i) {
    berth_code_t code =
        berth_shape_merge(c, berth_shape_in(c, i), shape, &shape, err);
    if (code != BERTH_OK) {
      berth_error_append(err, "\n\tFrom merging shape %d with other shapes.",
                         i - first);
      return code;
    }
  }
  *out_shape = shape;
  return BERTH_OK;
}

// ---- Broadcasting ----

// Broadcasts one pair of dimensions. An unknown one may turn out to be 1, so
// only a known one above 1 settles the result.
static berth_code_t broadcast_dim(int64_t a, int64_t b, int64_t *out,
                                  berth_error_t *err) {
  if (a < 0 || b < 0) {
    int64_t known = a > b ? a : b;
    *out = known > 1 ? known : -1;
    return BERTH_OK;
  }
  if (a == 1 || b == 1) {
    *out = a == 1 ? b : a;
    return BERTH_OK;
  }
  return berth_shape_merge_dims(a, b, out, err);
}

berth_code_t berth_shape_broadcast(berth_shape_context_t *c, berth_dims_t a,
                                   berth_dims_t b, berth_dims_t *out_shape,
                                   berth_error_t *err) {
  if (a.rank < 0 || b.rank < 0) {
    *out_shape = (berth_dims_t){-1, NULL};
    return BERTH_OK;
  }
  if (b.rank == 0 || (a.rank == b.rank && a.dims == b.dims)) {
    *out_shape = a;
    return BERTH_OK;
  }
  if (a.rank == 0) {
    *out_shape = b;
    return BERTH_OK;
  }
  int32_t rank = a.rank > b.rank ? a.rank : b.rank;
  int64_t *dims = berth_shape_room(c, rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < rank; ++i) {
    int32_t x = i - (rank - a.rank), y = i - (rank - b.rank);
    BERTH_TRY(broadcast_dim(x < 0 ? 1 : a.dims[x], y < 0 ? 1 : b.dims[y],
                            &dims[i], err));
  }
  *out_shape = (berth_dims_t){rank, dims};
  return BERTH_OK;
}

// ---- Running ----

// Appends `<lead>input[1] = <2 3>, input[2] = <0>` for the values asked for.
static void print_values(berth_shape_context_t *c, berth_str_t *str) {
  const char *lead = " and with computed input tensors: ";
  for (int i = 0; i < c->node->input_count && i < 64; ++i) {
    if ((c->asked_values >> i & 1) == 0) continue;
    const berth_tensor_t *value = berth_value_of(c->graph, c->node->inputs[i]);
    if (value == NULL) continue;
    berth_str_printf(str, "%sinput[%d] = <", lead, i);
    berth_tensor_summarize(value, SHOWN_VALUES, str);
    berth_str_putc(str, '>');
    lead = ", ";
  }
}

static void print_shapes(berth_shape_context_t *c, berth_str_t *str) {
  const char *lead = " and with input tensors computed as partial shapes: ";
  for (int i = 0; i < c->node->input_count && i < 64; ++i) {
    if ((c->asked_shapes >> i & 1) == 0) continue;
    berth_dims_t shape;
    if (berth_shape_from_value(c, i, &shape, NULL) != BERTH_OK) continue;
    if (shape.rank < 0) continue;
    berth_str_printf(str, "%sinput[%d] = ", lead, i);
    berth_dims_print(shape, str);
    lead = ",";
  }
}

// Appends the node, the shapes of its inputs and the values looked at.
static void add_context(berth_shape_context_t *c, berth_error_t *err) {
  berth_str_t str = {0};
  berth_str_puts(&str, " for '");
  berth_node_print(c->graph, c->node, &str);
  berth_str_puts(&str, "' with input shapes: ");
  for (int i = 0; i < c->node->input_count; ++i) {
    if (i > 0) berth_str_puts(&str, ", ");
    berth_shape_print(berth_shape_in(c, i), &str);
  }
  c->asked_values &= ~c->asked_shapes;
  print_values(c, &str);
  print_shapes(c, &str);
  berth_str_putc(&str, '.');
  berth_error_append(err, "%s", berth_str_get(&str));
  berth_str_clear(&str);
}

berth_code_t berth_shape_infer(berth_draft_t *draft, berth_shape_context_t *c,
                               berth_error_t *err) {
  if (draft->node.op->infer == NULL) return BERTH_OK;
  c->graph = draft->graph;
  c->node = &draft->node;
  c->outputs = draft->output_shapes;
  c->scratch = &draft->scratch;
  c->asked_values = c->asked_shapes = 0;
  c->is_bare = false;
  c->room_used = 0;
  berth_code_t code = draft->node.op->infer(c, err);
  if (code == BERTH_INVALID_ARGUMENT && err != NULL && !c->is_bare) {
    add_context(c, err);
  }
  return code;
}
