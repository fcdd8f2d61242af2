// shapes_join.c - Shapes of ops that put tensors together or take them apart.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "tensor/tensor.h"

// ---- Concat ----

// Stores the first known rank of inputs |first| up to |last| and checks that
// all have it.
static berth_code_t common_rank(berth_shape_context_t *c, int first, int last,
                                int32_t *out_rank, berth_error_t *err) {
  int32_t rank = -1;
  for (int i = first; i < last && rank < 0; ++i) {
    rank = berth_shape_in(c, i).rank;
  }
  if (rank == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Can't concatenate scalars (use tf.stack instead)");
  }
  for (int i = first; i < last && rank > 0; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), rank, NULL, err));
  }
  *out_rank = rank;
  return BERTH_OK;
}

// Joins inputs |first| up to |last| along |axis|, all being of one rank.
static berth_code_t join_along(berth_shape_context_t *c, int first, int last,
                               int32_t axis, int32_t rank, berth_error_t *err) {
  berth_dims_t before = {-1, NULL}, after = {-1, NULL}, joined;
  int64_t sum = 0;
  for (int i = last - 1; i >= first; --i) {
    berth_dims_t in = berth_shape_in(c, i);
    if (in.rank < 0) {
      sum = -1;
      continue;
    }
    BERTH_TRY(berth_shape_merge(c, berth_shape_slice(in, 0, axis), before,
                                &before, err));
    BERTH_TRY(berth_shape_merge(c, berth_shape_slice(in, axis + 1, rank), after,
                                &after, err));
    if (sum < 0 || in.dims[axis] < 0) {
      sum = -1;
    } else if (in.dims[axis] > INT64_MAX - sum) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Dimension size overflow from adding %lld and "
                             "%lld",
                             (long long)sum, (long long)in.dims[axis]);
    } else {
      sum += in.dims[axis];
    }
  }
  BERTH_TRY(berth_shape_join(c, before, (berth_dims_t){1, &sum}, &joined, err));
  return berth_shape_join(c, joined, after, &c->outputs[0], err);
}

static berth_code_t concat(berth_shape_context_t *c, int axis_input, int first,
                           int last, berth_error_t *err) {
  int32_t rank = -1;
  int64_t axis = 0;
  BERTH_TRY(
      berth_shape_with_rank(c, berth_shape_in(c, axis_input), 0, NULL, err));
  BERTH_TRY(common_rank(c, first, last, &rank, err));
  if (rank < 0) return BERTH_OK;
  if (!berth_shape_scalar(c, axis_input, &axis)) {
    return berth_shape_unknown(c, rank, &c->outputs[0], err);
  }
  int64_t least = berth_axis_rank(axis);
  if (least > rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at least rank %lld but is rank %d",
                           (long long)least, rank);
  }
  return join_along(c, first, last, (int32_t)(axis < 0 ? axis + rank : axis),
                    rank, err);
}

BERTH_INFER(concat) { return concat(c, 0, 1, berth_shape_inputs(c), err); }

BERTH_INFER(concat_v2) {
  int last = berth_shape_inputs(c) - 1;
  return concat(c, last, 0, last, err);
}

// ---- Split ----

// Sets every output to |shape|.
static void set_all(berth_shape_context_t *c, berth_dims_t shape) {
  for (int i = 0; i < c->node->output_count; ++i) c->outputs[i] = shape;
}

// Stores which dimension of |shape| the scalar input |index| names, -1 when
// that is not known.
static berth_code_t split_axis(berth_shape_context_t *c, int index,
                               berth_dims_t shape, int32_t *out_axis,
                               berth_error_t *err) {
  int64_t axis = 0;
  *out_axis = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, index), 0, NULL, err));
  if (!berth_shape_scalar(c, index, &axis) || shape.rank < 0) return BERTH_OK;
  if (axis < -shape.rank || axis >= shape.rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input %lld must be "
                           "in range [%d, %d)",
                           (long long)axis, -shape.rank, shape.rank);
  }
  *out_axis = (int32_t)(axis < 0 ? axis + shape.rank : axis);
  return BERTH_OK;
}

// Sets every output to one of the rank of |shape|, of which nothing else is
// known.
static berth_code_t set_unknown(berth_shape_context_t *c, berth_dims_t shape,
                                berth_error_t *err) {
  if (shape.rank < 0) return BERTH_OK;
  berth_dims_t out;
  BERTH_TRY(berth_shape_unknown(c, shape.rank, &out, err));
  set_all(c, out);
  return BERTH_OK;
}

BERTH_INFER(split) {
  berth_dims_t in = berth_shape_in(c, 1), out;
  int32_t axis = -1;
  int64_t size = -1;
  BERTH_TRY(split_axis(c, 0, in, &axis, err));
  if (axis < 0) return set_unknown(c, in, err);
  berth_code_t code =
      berth_shape_divide(in.dims[axis], c->node->output_count, &size, err);
  if (code != BERTH_OK) {
    berth_error_append(err,
                       "\n\tNumber of ways to split should evenly divide the "
                       "split dimension");
    return code;
  }
  BERTH_TRY(berth_shape_replace(c, in, axis, size, &out, err));
  set_all(c, out);
  return BERTH_OK;
}

static berth_code_t split_error(const berth_tensor_t *sizes, int64_t whole,
                                berth_error_t *err) {
  berth_str_t list = {0};
  for (int64_t i = 0; i < sizes->count; ++i) {
    berth_str_printf(&list, "%s%lld", i > 0 ? "," : "",
                     (long long)berth_value_int(sizes, i));
  }
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "can't split axis of size %lld into pieces of size [%s]",
                  (long long)whole, berth_str_get(&list));
  berth_str_clear(&list);
  return BERTH_INVALID_ARGUMENT;
}

// Stores what the piece of size -1 gets, after checking that the pieces add up
// to |whole|.
static berth_code_t split_rest(const berth_tensor_t *sizes, int64_t whole,
                               int64_t *out_rest, berth_error_t *err) {
  int64_t sum = 0;
  int open = 0;
  for (int64_t i = 0; i < sizes->count; ++i) {
    int64_t size = berth_value_int(sizes, i);
    if (size == -1) {
      ++open;
    } else if (size < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Split size at index %lld must be >= 0. Got: %lld",
                             (long long)i, (long long)size);
    } else if (__builtin_add_overflow(sum, size, &sum)) {
      return split_error(sizes, whole, err);
    }
  }
  if (open > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "size_splits can only have one -1");
  }
  *out_rest = whole < 0 ? -1 : whole - sum;
  bool fits = whole < 0 || (open > 0 ? sum <= whole : sum == whole);
  return fits ? BERTH_OK : split_error(sizes, whole, err);
}

BERTH_INFER(split_v) {
  berth_dims_t in = berth_shape_in(c, 0);
  int32_t axis = -1;
  BERTH_TRY(split_axis(c, 2, in, &axis, err));
  if (axis < 0) return set_unknown(c, in, err);
  const berth_tensor_t *sizes = berth_shape_value(c, 1);
  if (sizes == NULL || !berth_value_is_int(sizes)) {
    berth_dims_t out;
    BERTH_TRY(berth_shape_replace(c, in, axis, -1, &out, err));
    set_all(c, out);
    return BERTH_OK;
  }
  if (sizes->count != c->node->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Length of size_splits should be equal to "
                           "num_outputs");
  }
  int64_t rest = -1;
  BERTH_TRY(split_rest(sizes, in.dims[axis], &rest, err));
  for (int i = 0; i < c->node->output_count; ++i) {
    int64_t size = berth_value_int(sizes, i);
    BERTH_TRY(berth_shape_replace(c, in, axis, size == -1 ? rest : size,
                                  &c->outputs[i], err));
  }
  return BERTH_OK;
}

// ---- Pack ----

// Stores the attribute axis as one of |rank| dimensions.
static berth_code_t pack_axis(berth_shape_context_t *c, int32_t rank,
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

BERTH_INFER(pack) {
  berth_dims_t in, joined;
  int32_t axis = 0;
  int64_t count = berth_shape_inputs(c);
  BERTH_TRY(berth_shape_merge_inputs(c, 0, (int)count, &in, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(pack_axis(c, in.rank + 1, &axis, err));
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, axis),
                             (berth_dims_t){1, &count}, &joined, err));
  return berth_shape_join(c, joined, berth_shape_slice(in, axis, in.rank),
                          &c->outputs[0], err);
}

BERTH_INFER(unpack) {
  berth_dims_t in = berth_shape_in(c, 0), out;
  int32_t axis = 0;
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(pack_axis(c, in.rank, &axis, err));
  BERTH_TRY(berth_shape_check_dim(in.dims[axis], c->node->output_count, err));
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, axis),
                             berth_shape_slice(in, axis + 1, in.rank), &out,
                             err));
  set_all(c, out);
  return BERTH_OK;
}

// ---- StringJoin ----

BERTH_INFER(string_join) {
  berth_dims_t all = {-1, NULL};
  bool are_scalars = true;
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    berth_dims_t in = berth_shape_in(c, i);
    if (in.rank != 0) are_scalars = false;
    if (in.rank > 0) BERTH_TRY(berth_shape_merge(c, all, in, &all, err));
  }
  c->outputs[0] = are_scalars ? BERTH_SCALAR : all;
  return BERTH_OK;
}
