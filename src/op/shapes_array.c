// shapes_array.c - Shapes of ops that rearrange elements.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "tensor/tensor.h"

BERTH_INFER(shape) {
  for (int i = 0; i < c->node->output_count; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, berth_shape_in(c, i).rank, err));
  }
  return BERTH_OK;
}

// ---- Reshape ----

// What is known of the number of elements: |known| times the one unknown
// dimension at |unknown|, if there is one.
typedef struct extent {
  int64_t known;
  int32_t unknown;  // -1: none.
  bool is_vague;    // Two or more are unknown, or the number overflows.
} extent_t;

static extent_t extent_of(berth_dims_t shape) {
  extent_t extent = {1, -1, false};
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] >= 0) {
      extent.is_vague |=
          __builtin_mul_overflow(extent.known, shape.dims[i], &extent.known);
    } else {
      extent.is_vague |= extent.unknown >= 0;
      extent.unknown = i;
    }
  }
  return extent;
}

static berth_code_t reshape_error(berth_dims_t out, const extent_t *from,
                                  const extent_t *to, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot reshape a tensor with %lld elements to shape "
                         "%s (%lld elements)",
                         (long long)from->known, berth_dims_text(out, text),
                         (long long)to->known);
}

// Fills in the dimension of |out| that follows from the number of elements.
static berth_code_t settle_reshape(berth_shape_context_t *c, berth_dims_t in,
                                   berth_dims_t out, berth_error_t *err) {
  extent_t from = extent_of(in), to = extent_of(out);
  int64_t dim = -1;
  c->outputs[0] = out;
  if (from.is_vague || to.is_vague) return BERTH_OK;
  if (from.unknown < 0 && to.unknown < 0) {
    return from.known == to.known ? BERTH_OK
                                  : reshape_error(out, &from, &to, err);
  }
  if (from.unknown < 0) {
    if (to.known == 0) return BERTH_OK;
    BERTH_TRY(berth_shape_divide(from.known, to.known, &dim, err));
    return berth_shape_replace(c, out, to.unknown, dim, &c->outputs[0], err);
  }
  // An unknown input dimension must at least be possible.
  if (to.unknown < 0 && from.known != 0) {
    return berth_shape_divide(to.known, from.known, &dim, err);
  }
  return BERTH_OK;
}

BERTH_INFER(reshape) {
  berth_dims_t in = berth_shape_in(c, 0), out;
  BERTH_TRY(berth_shape_from_value(c, 1, &out, err));
  c->outputs[0] = out;
  if (in.rank < 0 || out.rank < 0) return BERTH_OK;
  return settle_reshape(c, in, out, err);
}

// ---- Dimensions of one ----

BERTH_INFER(expand_dims) {
  berth_dims_t in = berth_shape_in(c, 0);
  const berth_tensor_t *value = berth_shape_value(c, 1);
  int64_t axis = 0;
  if (value != NULL && value->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'dim' input must be a tensor with a single value");
  }
  if (in.rank < 0 || !berth_shape_scalar(c, 1, &axis)) return BERTH_OK;
  if (axis < -in.rank - 1 || axis > in.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dim %lld not in the interval [%d, %d].",
                           (long long)axis, -in.rank - 1, in.rank);
  }
  int32_t at = (int32_t)(axis < 0 ? axis + in.rank + 1 : axis);
  int64_t one = 1;
  berth_dims_t before;
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, at),
                             (berth_dims_t){1, &one}, &before, err));
  return berth_shape_join(c, before, berth_shape_slice(in, at, in.rank),
                          &c->outputs[0], err);
}

// Marks the dimensions that the attribute squeeze_dims names.
static berth_code_t mark_squeezed(const berth_attr_value_t *list, int32_t rank,
                                  bool marked[BERTH_MAX_RANK],
                                  berth_error_t *err) {
  for (int32_t i = 0; i < rank; ++i) marked[i] = false;
  for (int32_t i = 0; i < list->count; ++i) {
    int64_t dim = list->i_list[i];
    if (dim < -rank || dim >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "squeeze_dims[%d] not in [%d,%d).", i, -rank,
                             rank);
    }
    marked[dim < 0 ? dim + rank : dim] = true;
  }
  return BERTH_OK;
}

BERTH_INFER(squeeze) {
  berth_dims_t in = berth_shape_in(c, 0);
  const berth_attr_value_t *list = berth_node_attr(c->node, "squeeze_dims");
  if (in.rank < 0) return BERTH_OK;
  bool marked[BERTH_MAX_RANK];
  BERTH_TRY(mark_squeezed(list, in.rank, marked, err));
  int64_t *dims = berth_shape_room(c, in.rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  int32_t rank = 0;
  for (int32_t i = 0; i < in.rank; ++i) {
    // Without a list every dimension of one goes, and unknown ones may.
    if (list->count == 0 && in.dims[i] < 0) return BERTH_OK;
    bool is_squeezed = list->count == 0 ? in.dims[i] == 1 : marked[i];
    if (!is_squeezed) {
      dims[rank++] = in.dims[i];
    } else if (in.dims[i] >= 0 && in.dims[i] != 1) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Can not squeeze dim[%d], expected a dimension of "
                             "1, got %lld",
                             i, (long long)in.dims[i]);
    }
  }
  c->outputs[0] = (berth_dims_t){rank, dims};
  return BERTH_OK;
}

BERTH_INFER(one_hot) {
  int64_t axis = berth_node_attr_int(c->node, "axis", -1), depth = -1;
  if (axis < -1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "axis must be >= -1");
  }
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 1, &depth, err));
  berth_dims_t in = berth_shape_in(c, 0), before;
  if (in.rank < 0) return BERTH_OK;
  int32_t at = axis < 0 || axis > in.rank ? in.rank : (int32_t)axis;
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, at),
                             (berth_dims_t){1, &depth}, &before, err));
  return berth_shape_join(c, before, berth_shape_slice(in, at, in.rank),
                          &c->outputs[0], err);
}

BERTH_INFER(where) {
  int64_t dims[2] = {-1, berth_shape_in(c, 0).rank};
  return berth_shape_join(c, (berth_dims_t){2, dims}, (berth_dims_t){0, NULL},
                          &c->outputs[0], err);
}
