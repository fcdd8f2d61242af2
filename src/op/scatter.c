// scatter.c - Ops that read and write slices at places given as indices.
//
// A place is a number of indices, the last dimension of input `indices`; they
// lead to a slice of what is left of the shape:
//
//   shape [4,5,6], indices [2,1]   2 places, slices of [5,6]
//   shape [4,5,6], indices [2,3]   2 places, single elements
//
// The older ScatterAdd and its like have an index of the first dimension for
// each slice, without a dimension for it.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/index.h"
#include "op/resource.h"
#include "op/value.h"

enum { MAX_DEPTH = 7 };  // As in TensorFlow.

static bool ends_with(const char *name, const char *end) {
  size_t size = strlen(name), length = strlen(end);
  return size >= length && strcmp(name + size - length, end) == 0;
}

static berth_combine_t combine_of(const char *op) {
  static const struct {
    const char *end;
    berth_combine_t combine;
  } ends[] = {{"Add", BERTH_COMBINE_ADD},      {"Sub", BERTH_COMBINE_SUB},
              {"Mul", BERTH_COMBINE_MUL},      {"Div", BERTH_COMBINE_DIV},
              {"Min", BERTH_COMBINE_MIN},      {"Max", BERTH_COMBINE_MAX},
              {"ScatterNd", BERTH_COMBINE_ADD}};
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); ++i) {
    if (ends_with(op, ends[i].end)) return ends[i].combine;
  }
  return BERTH_COMBINE_SET;
}

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t all = 1;
  for (int32_t i = begin; i < end; ++i) all *= dims[i];
  return all;
}

// Keeps a copy of |dims| in the arena of |op|.
static berth_code_t dims_keep(berth_case_t *op, berth_dims_t dims,
                              berth_dims_t *out_dims, berth_error_t *err) {
  int64_t *kept =
      berth_arena_calloc(op->arena, (size_t)dims.rank + 1, sizeof(*kept));
  if (kept == NULL) return berth_error_no_memory(err, "a plan");
  for (int32_t i = 0; i < dims.rank; ++i) kept[i] = dims.dims[i];
  *out_dims = (berth_dims_t){dims.rank, kept};
  return BERTH_OK;
}

static berth_code_t check_depth(int64_t depth, berth_error_t *err) {
  if (depth <= MAX_DEPTH) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Only indices.shape[-1] values between 1 and %d are "
                         "currently supported.  Requested rank: %lld",
                         MAX_DEPTH, (long long)depth);
}

// Describes the places of |indices|, checked already, in |shape|. Both shapes
// are borrowed.
static void places_set(berth_places_t *places, berth_dims_t shape,
                       berth_dims_t indices) {
  int32_t outer = indices.rank - 1;
  places->depth = (int32_t)indices.dims[outer];
  places->count = product(indices.dims, 0, outer);
  places->slice = product(shape.dims, places->depth, shape.rank);
  places->shape = shape;
  places->outer = (berth_dims_t){outer, indices.dims};
}

// ---- GatherNd ----

static berth_code_t check_gather(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *params = &op->inputs[0];
  const berth_case_input_t *indices = &op->inputs[1];
  if (params->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "params must be at least a vector");
  }
  if (indices->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "indices must be at least a vector");
  }
  int64_t depth = indices->dims[indices->rank - 1];
  if (depth > params->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "index innermost dimension length must be <= params "
                           "rank; saw: %lld vs. %d",
                           (long long)depth, (int)params->rank);
  }
  return BERTH_OK;
}

berth_code_t berth_op_gather_nd(berth_case_t *op, berth_places_t *out_places,
                                berth_error_t *err) {
  const berth_case_input_t *params = &op->inputs[0];
  const berth_case_input_t *indices = &op->inputs[1];
  BERTH_TRY(check_gather(op, err));
  int32_t outer = indices->rank - 1;
  int32_t depth = (int32_t)indices->dims[outer];
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < outer; ++i) {
    BERTH_TRY(berth_shape_push(shape, &count, indices->dims[i], err));
  }
  int64_t places = count;
  for (int32_t i = depth; i < params->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, &count, params->dims[i], err));
  }
  char text[BERTH_DIMS_TEXT];
  if (places > 0 && params->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Requested more than 0 entries, but params is empty."
                           "  Params shape: %s",
                           berth_input_text(params, text));
  }
  BERTH_TRY(check_depth(depth, err));
  BERTH_TRY(berth_value_check_size(berth_shape_dims(shape), count,
                                   params->dtype, err));
  berth_dims_t in, at;
  BERTH_TRY(dims_keep(op, berth_case_input_dims(op, 0), &in, err));
  BERTH_TRY(dims_keep(op, berth_case_input_dims(op, 1), &at, err));
  *out_places =
      (berth_places_t){.dtype = params->dtype, .index_type = indices->dtype};
  places_set(out_places, in, at);
  if (count == 0) out_places->count = 0;
  return BERTH_OK;
}

// ---- ScatterNd, and its like for variables ----

static berth_code_t fail_dims(const char *what, berth_dims_t a, int first,
                              int end, berth_dims_t updates, int updates_first,
                              int updates_end, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT], updates_text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Dimensions [%d,%d) of %s[shape=%s] must match "
                         "dimensions [%d,%d) of updates[shape=%s]",
                         first, end, what, berth_dims_text(a, text),
                         updates_first, updates_end,
                         berth_dims_text(updates, updates_text));
}

// Checks that |updates| has a slice of |shape| for each place. TensorFlow's
// message counts their dimensions from |first| on.
static berth_code_t check_nd(berth_dims_t shape, berth_dims_t indices,
                             berth_dims_t updates, int64_t first,
                             berth_error_t *err) {
  int32_t outer = indices.rank - 1;
  int64_t depth = indices.dims[outer];
  for (int32_t i = 0; i < outer; ++i) {
    if (i < updates.rank && updates.dims[i] == indices.dims[i]) continue;
    return fail_dims("indices", indices, 0, outer, updates, 0, outer, err);
  }
  bool fits = updates.rank - outer == shape.rank - depth;
  for (int32_t i = 0; fits && outer + i < updates.rank; ++i) {
    fits = updates.dims[outer + i] == shape.dims[depth + i];
  }
  if (!fits) {
    return fail_dims("input", shape, (int)depth, shape.rank, updates,
                     (int)first, updates.rank, err);
  }
  return check_depth(depth, err);
}

static berth_code_t check_vector(const char *what,
                                 const berth_case_input_t *input,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (input->rank >= 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s shape must have rank at least one. Found:%s", what,
                         berth_input_text(input, text));
}

// A vector of indices is seen as one place by some checks of TensorFlow's, and
// as as many places by others: it has to be both.
static berth_code_t check_one_place(berth_dims_t indices, berth_dims_t updates,
                                    berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (indices.rank != 1 || updates.rank == 0 ||
      updates.dims[0] == indices.dims[0]) {
    return BERTH_OK;
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Dimensions [0,1) of indices[shape=%s] = %lld must match dimensions "
      "[0,1) of updates[shape=%s] = %lld",
      berth_dims_text(indices, a), (long long)indices.dims[0],
      berth_dims_text(updates, b), (long long)updates.dims[0]);
}

// Checks that there are indices and updates where |count|, and none of both or
// of all elsewhere.
static berth_code_t check_all_there(int64_t count,
                                    const berth_case_input_t *indices,
                                    const berth_case_input_t *updates,
                                    berth_error_t *err) {
  bool are_none = indices->count == 0 && updates->count == 0;
  if (are_none || (count != 0 && indices->count != 0 && updates->count != 0)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Indices and updates specified for empty output "
                         "shape");
}

static berth_code_t check_not_empty(int64_t count,
                                    const berth_case_input_t *indices,
                                    const berth_case_input_t *updates,
                                    berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (count > 0 || (indices->count == 0 && updates->count == 0)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Indices and updates specified for empty output.  "
                         "indices shape: %s",
                         berth_input_text(indices, text));
}

// Sets the output of a ScatterNd, whose shape is input 2.
static berth_code_t scatter_shape(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[2];
  int64_t count = 0;
  BERTH_TRY(check_vector("Indices", &op->inputs[0], err));
  BERTH_TRY(check_vector("Updates", &op->inputs[1], err));
  if (shape->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be a vector");
  }
  BERTH_TRY(check_all_there(shape->count, &op->inputs[0], &op->inputs[1], err));
  BERTH_TRY(berth_value_shape(shape, &op->outputs[0], &count, err));
  BERTH_TRY(berth_value_check_size(berth_case_output_dims(op, 0), count,
                                   op->inputs[1].dtype, err));
  BERTH_TRY(check_nd(berth_case_output_dims(op, 0),
                     berth_case_input_dims(op, 0), berth_case_input_dims(op, 1),
                     op->inputs[0].rank - 1, err));
  BERTH_TRY(check_not_empty(count, &op->inputs[0], &op->inputs[1], err));
  return check_one_place(berth_case_input_dims(op, 0),
                         berth_case_input_dims(op, 1), err);
}

// ---- TensorScatterUpdate and its like ----

static berth_code_t check_tensor(const berth_case_t *op, berth_error_t *err) {
  berth_dims_t shape = berth_case_input_dims(op, 0);
  berth_dims_t indices = berth_case_input_dims(op, 1);
  berth_dims_t updates = berth_case_input_dims(op, 2);
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  BERTH_TRY(check_vector("Indices", &op->inputs[1], err));
  BERTH_TRY(check_vector("Updates", &op->inputs[2], err));
  BERTH_TRY(check_all_there(op->inputs[0].count, &op->inputs[1], &op->inputs[2],
                            err));
  int32_t outer = indices.rank - 1;
  int64_t depth = indices.dims[outer];
  for (int32_t i = 0; i < outer; ++i) {
    if (i < updates.rank && updates.dims[i] == indices.dims[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Outer dimensions of indices and update must match. "
                           "Indices shape: %s, updates shape:%s",
                           berth_dims_text(indices, a),
                           berth_dims_text(updates, b));
  }
  if (updates.rank - outer != shape.rank - depth) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Inner dimensions of output shape must match inner dimensions of "
        "updates shape. Output: %s updates: %s",
        berth_dims_text(shape, a), berth_dims_text(updates, b));
  }
  for (int32_t i = outer; i < updates.rank; ++i) {
    if (updates.dims[i] == shape.dims[depth + i - outer]) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The inner %d dimensions of output.shape=%s must match the inner %d "
        "dimensions of updates.shape=%s",
        (int)(shape.rank - depth), berth_dims_text(shape, a),
        (int)(updates.rank - outer), berth_dims_text(updates, b));
  }
  BERTH_TRY(check_depth(depth, err));
  return check_one_place(indices, updates, err);
}

berth_code_t berth_op_scatter_nd(berth_case_t *op, berth_combine_t *out_combine,
                                 berth_places_t *out_places,
                                 berth_error_t *err) {
  bool is_plain = strcmp(op->node->op->name, "ScatterNd") == 0;
  if (is_plain) {
    BERTH_TRY(scatter_shape(op, err));
  } else {
    BERTH_TRY(check_tensor(op, err));
    berth_case_output(op, 0, berth_case_input_dims(op, 0));
    op->may_overwrite = 1;
  }
  int at = is_plain ? 0 : 1;
  berth_dims_t in, indices;
  BERTH_TRY(dims_keep(op, berth_case_output_dims(op, 0), &in, err));
  BERTH_TRY(dims_keep(op, berth_case_input_dims(op, at), &indices, err));
  *out_combine = combine_of(op->node->op->name);
  *out_places = (berth_places_t){.dtype = op->inputs[at + 1].dtype,
                                 .index_type = op->inputs[at].dtype};
  places_set(out_places, in, indices);
  return BERTH_OK;
}

// ---- Variables ----

berth_code_t berth_op_scatter(berth_case_t *op, berth_scatter_t *out_scatter,
                              berth_error_t *err) {
  const char *name = op->node->op->name;
  *out_scatter = (berth_scatter_t){.combine = combine_of(name),
                                   .is_nd = strstr(name, "Nd") != NULL,
                                   .is_ref = op->output_count > 0,
                                   .dtype = op->inputs[2].dtype,
                                   .index_type = op->inputs[1].dtype};
  BERTH_TRY(
      dims_keep(op, berth_case_input_dims(op, 1), &out_scatter->indices, err));
  BERTH_TRY(
      dims_keep(op, berth_case_input_dims(op, 2), &out_scatter->updates, err));
  out_scatter->is_one = !out_scatter->is_nd && op->inputs[2].rank == 0;
  if (out_scatter->is_ref) berth_case_output(op, 0, BERTH_SCALAR);
  if (!out_scatter->is_nd) return BERTH_OK;
  BERTH_TRY(check_vector("Indices", &op->inputs[1], err));
  return check_vector("Updates", &op->inputs[2], err);
}

static berth_code_t fail_updates(const berth_scatter_t *scatter,
                                 berth_dims_t shape, berth_error_t *err) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT], c[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Must have updates.shape = indices.shape + "
                         "params.shape[1:] or updates.shape = [], got "
                         "updates.shape %s, indices.shape %s, params.shape %s",
                         berth_dims_text(scatter->updates, a),
                         berth_dims_text(scatter->indices, b),
                         berth_dims_text(shape, c));
}

// Checks a ScatterAdd: as many slices as indices.
static berth_code_t check_first(const berth_scatter_t *scatter,
                                berth_dims_t shape, berth_error_t *err) {
  berth_dims_t indices = scatter->indices, updates = scatter->updates;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (shape.rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "params must be at least 1-D, got shape %s",
                           berth_dims_text(shape, a));
  }
  if (scatter->is_one) return BERTH_OK;
  bool is_prefix = updates.rank >= indices.rank;
  for (int32_t i = 0; is_prefix && i < indices.rank; ++i) {
    is_prefix = updates.dims[i] == indices.dims[i];
  }
  if (!is_prefix && !scatter->is_ref) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The shape of indices (%s) must be a prefix of the "
                           "shape of updates (%s)",
                           berth_dims_text(indices, a),
                           berth_dims_text(updates, b));
  }
  bool fits = is_prefix && updates.rank - indices.rank == shape.rank - 1;
  for (int32_t i = 1; fits && i < shape.rank; ++i) {
    fits = updates.dims[indices.rank + i - 1] == shape.dims[i];
  }
  return fits ? BERTH_OK : fail_updates(scatter, shape, err);
}

berth_code_t berth_scatter_check(const berth_scatter_t *scatter,
                                 berth_dims_t shape, berth_places_t *out_places,
                                 berth_error_t *err) {
  *out_places = (berth_places_t){.dtype = scatter->dtype,
                                 .index_type = scatter->index_type};
  if (scatter->is_nd) {
    berth_dims_t indices = scatter->indices;
    BERTH_TRY(check_nd(shape, indices, scatter->updates,
                       indices.dims[indices.rank - 1], err));
    BERTH_TRY(check_one_place(indices, scatter->updates, err));
    places_set(out_places, shape, scatter->indices);
    return BERTH_OK;
  }
  BERTH_TRY(check_first(scatter, shape, err));
  out_places->depth = 1;
  out_places->count = berth_dims_count(scatter->indices);
  out_places->slice = product(shape.dims, 1, shape.rank);
  out_places->shape = shape;
  out_places->outer = scatter->indices;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

// Checks that two parts of shapes are equal, and says which.
static berth_code_t infer_match(berth_shape_context_t *c, const char *what,
                                berth_dims_t a, int32_t first, int32_t end,
                                berth_dims_t updates, int32_t updates_first,
                                int32_t updates_end, berth_error_t *err) {
  berth_dims_t left = berth_shape_slice(a, first, end);
  berth_dims_t right = berth_shape_slice(updates, updates_first, updates_end);
  berth_dims_t both;
  berth_code_t code = berth_shape_merge(c, left, right, &both, err);
  if (code == BERTH_OK) return BERTH_OK;
  char left_text[BERTH_DIMS_TEXT], right_text[BERTH_DIMS_TEXT];
  char text[BERTH_DIMS_TEXT], updates_text[BERTH_DIMS_TEXT];
  (void)berth_error_prepend(
      err,
      "Dimensions [%d,%d) of %s[shape=%s] = %s must match dimensions [%d,%d) "
      "of updates[shape=%s] = %s: ",
      (int)first, (int)end, what, berth_dims_text(a, text),
      berth_dims_text(left, left_text), (int)updates_first, (int)updates_end,
      berth_dims_text(updates, updates_text),
      berth_dims_text(right, right_text));
  return code;
}

// Checks that input |at| + 1 has a slice for each place of |at|.
static berth_code_t infer_count(berth_shape_context_t *c, int at,
                                berth_error_t *err) {
  berth_dims_t indices = berth_shape_in(c, at);
  berth_dims_t updates = berth_shape_in(c, at + 1);
  if (indices.rank < 0 || updates.rank < 0) return BERTH_OK;
  int32_t outer = indices.rank - 1;
  if (indices.dims[outer] < 0) return BERTH_OK;
  int32_t end = outer < updates.rank ? outer : updates.rank;
  return infer_match(c, "indices", indices, 0, outer, updates, 0, end, err);
}

// Checks that these are slices of |shape|.
static berth_code_t infer_slices(berth_shape_context_t *c, berth_dims_t shape,
                                 int at, berth_error_t *err) {
  berth_dims_t indices = berth_shape_in(c, at);
  berth_dims_t updates = berth_shape_in(c, at + 1);
  if (berth_dims_count(shape) == 0 &&
      (berth_dims_count(indices) > 0 || berth_dims_count(updates) > 0)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Indices and updates specified for empty input");
  }
  if (indices.rank < 0 || updates.rank < 0 || shape.rank < 0) return BERTH_OK;
  int32_t outer = indices.rank - 1;
  int64_t depth = indices.dims[outer];
  if (depth < 0) return BERTH_OK;
  int32_t first = depth < shape.rank ? (int32_t)depth : shape.rank;
  return infer_match(c, "input", shape, first, shape.rank, updates, outer,
                     updates.rank, err);
}

// Both, unless the updates are one number.
static berth_code_t infer_places(berth_shape_context_t *c, berth_dims_t shape,
                                 int at, berth_error_t *err) {
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, at), 1, err));
  if (berth_shape_in(c, at + 1).rank == 0) return BERTH_OK;
  BERTH_TRY(infer_count(c, at, err));
  return infer_slices(c, shape, at, err);
}

BERTH_INFER(scatter_nd) {
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 0), 1, err));
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 1), 1, err));
  BERTH_TRY(infer_count(c, 0, err));
  BERTH_TRY(berth_shape_from_value(c, 2, &c->outputs[0], err));
  return infer_slices(c, c->outputs[0], 0, err);
}

BERTH_INFER(tensor_scatter) {
  c->outputs[0] = berth_shape_in(c, 0);
  return infer_places(c, c->outputs[0], 1, err);
}

// Stores the shape of the variable of input 0, a reference or a handle.
static berth_code_t infer_variable(berth_shape_context_t *c, bool *out_is_ref,
                                   berth_dims_t *out_shape,
                                   berth_error_t *err) {
  *out_is_ref = c->node->output_count > 0;
  if (!*out_is_ref) return berth_shape_of_variable(c, out_shape, err);
  *out_shape = berth_shape_in(c, 0);
  return BERTH_OK;
}

BERTH_INFER(scatter_nd_ref) {
  berth_dims_t shape;
  bool is_ref = false;
  BERTH_TRY(infer_variable(c, &is_ref, &shape, err));
  BERTH_TRY(infer_places(c, shape, 1, err));
  if (is_ref) c->outputs[0] = shape;
  return BERTH_OK;
}

BERTH_INFER(scatter) {
  berth_dims_t shape, slices;
  bool is_ref = false;
  BERTH_TRY(infer_variable(c, &is_ref, &shape, err));
  if (is_ref) c->outputs[0] = shape;
  if (berth_shape_in(c, 2).rank == 0) return BERTH_OK;
  BERTH_TRY(berth_shape_join(
      c, berth_shape_in(c, 1),
      berth_shape_slice(shape, shape.rank > 0 ? 1 : 0, shape.rank), &slices,
      err));
  return berth_shape_merge(c, berth_shape_in(c, 2), slices, &slices, err);
}

BERTH_INFER(resource_gather) {
  berth_dims_t shape, indices = berth_shape_in(c, 1);
  BERTH_TRY(berth_shape_of_variable(c, &shape, err));
  BERTH_TRY(berth_shape_rank_at_least(shape, 1, err));
  int64_t batch = berth_node_attr_int(c->node, "batch_dims", 0);
  if (shape.rank < 0 || indices.rank < 0) return BERTH_OK;
  if (batch < 0) batch += indices.rank;
  if (batch < 0 || batch >= shape.rank || batch > indices.rank) {
    return BERTH_OK;
  }
  return berth_shape_join(
      c, indices, berth_shape_slice(shape, (int32_t)batch + 1, shape.rank),
      &c->outputs[0], err);
}
