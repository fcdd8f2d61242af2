// shapes_slice.c - Shapes of Slice and StridedSlice.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "tensor/tensor.h"

// ---- Slice ----

// Stores the size of one dimension: as asked, or for -1 all that is left.
static berth_code_t slice_size(int64_t whole, int64_t begin, int64_t size,
                               int64_t *out_size, berth_error_t *err) {
  *out_size = size;
  if (size >= 0) return BERTH_OK;
  *out_size = -1;
  if (whole < 0 || begin < 0) return BERTH_OK;
  if (begin > whole) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Negative dimension size caused by subtracting "
                           "%lld from %lld",
                           (long long)begin, (long long)whole);
  }
  *out_size = whole - begin;
  return BERTH_OK;
}

BERTH_INFER(slice) {
  berth_dims_t in = berth_shape_in(c, 0), form, begin, sizes, out;
  for (int i = 1; i < 3; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, NULL, err));
  }
  BERTH_TRY(berth_shape_merge(c, berth_shape_in(c, 1), berth_shape_in(c, 2),
                              &form, err));
  int64_t count = berth_shape_dim(form, 0);
  if (count >= 0 && count <= BERTH_MAX_RANK) {
    BERTH_TRY(berth_shape_with_rank(c, in, (int32_t)count, &in, err));
  }
  BERTH_TRY(berth_shape_from_value(c, 1, &begin, err));
  BERTH_TRY(berth_shape_from_value(c, 2, &sizes, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_unknown(c, in.rank, &out, err));
  c->outputs[0] = out;
  // A size of -1 is only known to be meant when the sizes are constant.
  bool is_constant = berth_value_of(c->graph, c->node->inputs[2]) != NULL;
  for (int32_t i = 0; i < in.rank && sizes.rank == in.rank; ++i) {
    int64_t from = is_constant && begin.rank >= 0 ? begin.dims[i] : -1;
    BERTH_TRY(slice_size(in.dims[i], from, sizes.dims[i],
                         &((int64_t *)(uintptr_t)out.dims)[i], err));
  }
  return BERTH_OK;
}

// ---- StridedSlice ----

enum { MAX_SPEC = 32, NEW_AXIS = -1, SHRUNK = -2 };

// A slice by dimension of the input: what the masks say is spelled out.
typedef struct dense {
  int32_t rank;
  int32_t source[BERTH_MAX_RANK];  // Element of begin, end, strides; -1: all.
  bool is_open_begin[BERTH_MAX_RANK], is_open_end[BERTH_MAX_RANK];
  bool is_shrunk[BERTH_MAX_RANK];
  // The outcome: an input dimension, NEW_AXIS or SHRUNK.
  int32_t out[BERTH_MAX_RANK + MAX_SPEC];
  int32_t out_count;
} dense_t;

typedef struct masks {
  int64_t begin, end, ellipsis, new_axis, shrink;
} masks_t;

static berth_code_t read_mask(const berth_shape_context_t *c, const char *name,
                              int64_t *out_mask, berth_error_t *err) {
  *out_mask = berth_node_attr_int(c->node, name, 0);
  if (*out_mask >= INT32_MIN && *out_mask <= INT32_MAX) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Attr %s has value %lld out of range for an int32",
                         name, (long long)*out_mask);
}

static berth_code_t read_masks(const berth_shape_context_t *c, masks_t *masks,
                               berth_error_t *err) {
  BERTH_TRY(read_mask(c, "begin_mask", &masks->begin, err));
  BERTH_TRY(read_mask(c, "end_mask", &masks->end, err));
  BERTH_TRY(read_mask(c, "ellipsis_mask", &masks->ellipsis, err));
  BERTH_TRY(read_mask(c, "new_axis_mask", &masks->new_axis, err));
  return read_mask(c, "shrink_axis_mask", &masks->shrink, err);
}

static bool has_bit(int64_t mask, int32_t bit) {
  return (mask >> bit & 1) != 0;
}

// Takes the next input dimension whole.
static void take_whole(dense_t *dense, int32_t *dim) {
  dense->source[*dim] = -1;
  dense->is_open_begin[*dim] = dense->is_open_end[*dim] = true;
  dense->is_shrunk[*dim] = false;
  dense->out[dense->out_count++] = (*dim)++;
}

// Takes the next input dimension as element |i| of the spec says.
static berth_code_t take_sliced(dense_t *dense, const masks_t *masks, int32_t i,
                                int32_t *dim, berth_error_t *err) {
  if (*dim == dense->rank) {
    return dense->rank == 0
               ? berth_error_set(err, BERTH_INVALID_ARGUMENT,
                                 "Attempting to slice scalar input.")
               : berth_error_set(err, BERTH_INVALID_ARGUMENT,
                                 "Index out of range using input dim %d; input "
                                 "has only %d dims",
                                 *dim, dense->rank);
  }
  dense->source[*dim] = i;
  dense->is_open_begin[*dim] = has_bit(masks->begin, i);
  dense->is_open_end[*dim] = has_bit(masks->end, i);
  dense->is_shrunk[*dim] = has_bit(masks->shrink, i);
  dense->out[dense->out_count++] = dense->is_shrunk[*dim] ? SHRUNK : *dim;
  ++*dim;
  return BERTH_OK;
}

// Spreads a spec of |count| elements over the dimensions of the input. Without
// an ellipsis there is one at the end.
static berth_code_t spread(const masks_t *masks, int32_t count, dense_t *dense,
                           berth_error_t *err) {
  int32_t dim = 0, new_after = 0;
  bool is_seen = false;
  for (int32_t i = 0; i < count; ++i) {
    if (is_seen && has_bit(masks->new_axis, i)) ++new_after;
    if (has_bit(masks->ellipsis, i)) is_seen = true;
  }
  int32_t total = is_seen ? count : count + 1;
  dense->out_count = 0;
  for (int32_t i = 0; i < total; ++i) {
    if (i == count || has_bit(masks->ellipsis, i)) {
      int32_t next = dense->rank - (total - i) + 1 + new_after;
      if (next > dense->rank) next = dense->rank;
      while (dim < next) take_whole(dense, &dim);
    } else if (has_bit(masks->new_axis, i)) {
      dense->out[dense->out_count++] = NEW_AXIS;
    } else {
      BERTH_TRY(take_sliced(dense, masks, i, &dim, err));
    }
  }
  return BERTH_OK;
}

// Clamps |index| to where a slice may begin or end.
static int64_t clamp(int64_t index, int64_t size, int64_t stride) {
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  if (index < 0) index += size;
  return index < low ? low : index > high ? high : index;
}

// Returns how many steps of |stride| fit into |length|.
static int64_t steps(int64_t length, int64_t stride) {
  if (length == 0 || (length < 0) != (stride < 0)) return 0;
  return length / stride + (length % stride != 0 ? 1 : 0);
}

// The three tensors of a spec; begin and end may be NULL.
typedef struct bounds {
  const berth_tensor_t *begin, *end, *strides;
} bounds_t;

// Stores the size of dimension |dim| after slicing, -1 when it is not known.
static berth_code_t sliced_size(const dense_t *dense, const bounds_t *bounds,
                                int32_t dim, int64_t size, int64_t *out_size,
                                berth_error_t *err) {
  int32_t source = dense->source[dim];
  int64_t stride = source < 0 ? 1 : berth_value_int(bounds->strides, source);
  bool is_open = dense->is_open_begin[dim] && dense->is_open_end[dim];
  *out_size = dense->is_shrunk[dim] ? 1 : -1;
  if (dense->is_shrunk[dim] && stride <= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "only stride 1 allowed on non-range indexing.");
  }
  if (size < 0) return BERTH_OK;
  if (is_open) {
    *out_size =
        dense->is_shrunk[dim] ? 1 : steps(stride < 0 ? -size : size, stride);
    return BERTH_OK;
  }
  if (bounds->begin == NULL || bounds->end == NULL) return BERTH_OK;
  int64_t begin = berth_value_int(bounds->begin, source);
  int64_t end = berth_value_int(bounds->end, source);
  if (dense->is_shrunk[dim]) {
    int64_t at = begin < 0 ? begin + size : begin;
    if (at >= 0 && at < size) return BERTH_OK;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "slice index %lld of dimension %d out of bounds.",
                           (long long)begin, dim);
  }
  int64_t first = dense->is_open_begin[dim] ? (stride > 0 ? 0 : size - 1)
                                            : clamp(begin, size, stride);
  int64_t last = dense->is_open_end[dim] ? (stride > 0 ? size : -1)
                                         : clamp(end, size, stride);
  *out_size = steps(last - first, stride);
  return BERTH_OK;
}

static berth_code_t check_strides(const dense_t *dense,
                                  const berth_tensor_t *strides,
                                  berth_error_t *err) {
  for (int32_t i = 0; i < dense->rank; ++i) {
    int32_t source = dense->source[i];
    if (source >= 0 && berth_value_int(strides, source) == 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "strides[%d] must be non-zero", i);
    }
  }
  return BERTH_OK;
}

// Puts the sliced dimensions together.
static berth_code_t gather_dims(berth_shape_context_t *c, berth_dims_t in,
                                const dense_t *dense, const bounds_t *bounds,
                                berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, dense->out_count);
  int32_t rank = 0;
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < dense->rank; ++i) {
    if (!dense->is_shrunk[i]) continue;
    int64_t one = 1;
    BERTH_TRY(sliced_size(dense, bounds, i, in.dims[i], &one, err));
  }
  for (int32_t i = 0; i < dense->out_count; ++i) {
    int32_t from = dense->out[i];
    if (from == NEW_AXIS) {
      dims[rank++] = 1;
    } else if (from != SHRUNK) {
      BERTH_TRY(
          sliced_size(dense, bounds, from, in.dims[from], &dims[rank], err));
      ++rank;
    }
  }
  c->outputs[0] = (berth_dims_t){rank, dims};
  return BERTH_OK;
}

BERTH_INFER(strided_slice) {
  berth_dims_t in = berth_shape_in(c, 0), form = {-1, NULL};
  for (int i = 1; i < 4; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, NULL, err));
    BERTH_TRY(berth_shape_merge(c, form, berth_shape_in(c, i), &form, err));
  }
  bounds_t bounds = {.strides = berth_shape_value(c, 3)};
  if (in.rank < 0 || bounds.strides == NULL ||
      bounds.strides->count > MAX_SPEC || !berth_value_is_int(bounds.strides)) {
    return BERTH_OK;
  }
  masks_t masks;
  BERTH_TRY(read_masks(c, &masks, err));
  uint64_t ellipsis = (uint64_t)masks.ellipsis;
  if ((ellipsis & (ellipsis - 1)) != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Multiple ellipses in slice spec not allowed");
  }
  dense_t dense = {.rank = in.rank};
  BERTH_TRY(spread(&masks, (int32_t)bounds.strides->count, &dense, err));
  BERTH_TRY(check_strides(&dense, bounds.strides, err));
  bounds.begin = berth_shape_value(c, 1);
  bounds.end = berth_shape_value(c, 2);
  return gather_dims(c, in, &dense, &bounds, err);
}
