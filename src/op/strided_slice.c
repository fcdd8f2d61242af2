// strided_slice.c - The op StridedSlice, its gradient, and what writes slices.
//
// A slice is given as a spec: begin, end and strides, an entry each, and masks
// of bits that say which entries are an ellipsis, a new axis, or open. It is
// spread over the dimensions of the input, from which the shape of the result
// and the move follow:
//
//   x[..., 1:3, tf.newaxis] of [4,5,6]
//   spec    | ...  | 1:3 | new |
//   dims    | 0  1 |  2  |          which entry each one is sliced by
//   result  | 0  1 |  2  | new |    which dimension each one is made of
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/slice_internal.h"
#include "op/value.h"
#include "tensor/tensor.h"

// Masks have 32 bits.
enum { MAX_SPEC = 32, NEW_AXIS = -1 };

// The masks as given; bit i is for entry i of the spec.
typedef struct masks {
  int64_t begin, end, ellipsis, new_axis, shrink;
} masks_t;

// One dimension of the input.
typedef struct dim {
  int32_t entry;  // Of the spec; -1: none, all of it is taken.
  bool is_open_begin, is_open_end;
  bool is_shrunk;  // One index, and no dimension of the result.
} dim_t;

// A spec that is spread over the input.
typedef struct spread {
  int32_t rank;    // Of the input.
  int32_t filled;  // Entries of |dims| so far.
  dim_t dims[BERTH_MAX_RANK];
  int32_t result[BERTH_MAX_RANK + MAX_SPEC];  // A dimension, or NEW_AXIS.
  int32_t result_rank;
} spread_t;

// ---- Spreading ----

static masks_t read_masks(const berth_node_t *node) {
  return (masks_t){berth_node_attr_int(node, "begin_mask", 0),
                   berth_node_attr_int(node, "end_mask", 0),
                   berth_node_attr_int(node, "ellipsis_mask", 0),
                   berth_node_attr_int(node, "new_axis_mask", 0),
                   berth_node_attr_int(node, "shrink_axis_mask", 0)};
}

static bool has_bit(int64_t mask, int32_t bit) {
  return (mask >> bit & 1) != 0;
}

static berth_code_t check_ellipsis(const masks_t *masks, berth_error_t *err) {
  uint64_t ellipsis = (uint64_t)masks->ellipsis;
  if ((ellipsis & (ellipsis - 1)) == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Multiple ellipses in slice spec not allowed");
}

// Takes whole dimensions up to |next|: what an ellipsis stands for.
static void take_whole(spread_t *spread, int32_t next) {
  for (; spread->filled < next; ++spread->filled) {
    spread->dims[spread->filled] = (dim_t){-1, true, true, false};
    spread->result[spread->result_rank++] = spread->filled;
  }
}

// Takes the next dimension as entry |i| of the spec says.
static berth_code_t take_sliced(spread_t *spread, const masks_t *masks,
                                int32_t i, berth_error_t *err) {
  if (spread->filled == spread->rank) {
    if (spread->rank == 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Attempting to slice scalar input.");
    }
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Index out of range using input dim %d; input has "
                           "only %d dims",
                           (int)spread->filled, (int)spread->rank);
  }
  bool is_shrunk = has_bit(masks->shrink, i);
  if (!is_shrunk) spread->result[spread->result_rank++] = spread->filled;
  spread->dims[spread->filled++] =
      (dim_t){i, has_bit(masks->begin, i), has_bit(masks->end, i), is_shrunk};
  return BERTH_OK;
}

// Spreads a spec of |count| entries over |rank| dimensions. What is left at the
// end is taken whole, as if an ellipsis stood there.
static berth_code_t spread_make(spread_t *spread, int32_t rank,
                                const masks_t *masks, int32_t count,
                                berth_error_t *err) {
  // New axes after the ellipsis take no dimension of the input.
  int32_t after = 0;
  bool is_seen = false;
  for (int32_t i = 0; i < count; ++i) {
    if (is_seen && has_bit(masks->new_axis, i)) ++after;
    if (has_bit(masks->ellipsis, i)) is_seen = true;
  }
  spread->rank = rank;
  spread->filled = spread->result_rank = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (has_bit(masks->ellipsis, i)) {
      int32_t next = rank - (count - i) + 1 + after;
      take_whole(spread, next < rank ? next : rank);
    } else if (has_bit(masks->new_axis, i)) {
      spread->result[spread->result_rank++] = NEW_AXIS;
    } else {
      BERTH_TRY(take_sliced(spread, masks, i, err));
    }
  }
  take_whole(spread, rank);
  return BERTH_OK;
}

// ---- One dimension ----

static berth_code_t check_stride(int64_t stride, int32_t i,
                                 berth_error_t *err) {
  if (stride != 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "strides[%d] must be non-zero", (int)i);
}

static berth_code_t fail_shrunk_stride(berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "only stride 1 allowed on non-range indexing.");
}

static berth_code_t fail_bounds(int64_t index, int32_t i, berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "slice index %lld of dimension %d out of bounds.",
                         (long long)index, (int)i);
}

// Brings |index| into the range of positions of |size| that a stride may begin
// or end at.
static int64_t clamp(int64_t index, int64_t size, bool is_forward) {
  int64_t low = is_forward ? 0 : -1, high = is_forward ? size : size - 1;
  if (index < 0) index += size;  // Cannot overflow: the signs differ.
  return index < low ? low : index > high ? high : index;
}

// Returns how many indices of |size| there are from |*begin| to |end|, and
// stores where they begin.
static int64_t measure(const dim_t *dim, int64_t size, int64_t *begin,
                       int64_t end, int64_t stride) {
  bool is_forward = stride > 0;
  int64_t low = is_forward ? 0 : size - 1, high = is_forward ? size : -1;
  *begin = dim->is_open_begin ? low : clamp(*begin, size, is_forward);
  end = dim->is_open_end ? high : clamp(end, size, is_forward);
  int64_t length = end - *begin;
  if (length == 0 || (length > 0) != is_forward) return 0;
  return length / stride + (length % stride != 0);
}

// ---- Moves ----

static berth_code_t check_inputs(const berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *begin = &op->inputs[1];
  const berth_case_input_t *end = &op->inputs[2];
  const berth_case_input_t *strides = &op->inputs[3];
  // One bit of a mask is kept for the ellipsis at the end.
  if (begin->rank == 1 && end->rank == 1 && strides->rank == 1 &&
      begin->count == end->count && begin->count == strides->count &&
      begin->count < MAX_SPEC) {
    return BERTH_OK;
  }
  char texts[3][BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Expected begin, end, and strides to be 1D equal size tensors, but got "
      "shapes %s, %s, and %s instead.",
      berth_input_text(begin, texts[0]), berth_input_text(end, texts[1]),
      berth_input_text(strides, texts[2]));
}

// Settles dimension |i|: where it begins, its stride and how many indices it
// takes.
static berth_code_t resolve(const berth_case_t *op, const dim_t *dim, int32_t i,
                            int64_t *out_begin, int64_t *out_stride,
                            int64_t *out_size, berth_error_t *err) {
  int64_t size = op->inputs[0].dims[i];
  *out_begin = 0;
  *out_stride = 1;
  *out_size = size;
  if (dim->entry < 0) return BERTH_OK;
  *out_begin = berth_value_int(&op->inputs[1], dim->entry);
  *out_stride = berth_value_int(&op->inputs[3], dim->entry);
  BERTH_TRY(check_stride(*out_stride, i, err));
  if (!dim->is_shrunk) {
    int64_t end = berth_value_int(&op->inputs[2], dim->entry);
    *out_size = measure(dim, size, out_begin, end, *out_stride);
    return BERTH_OK;
  }
  if (*out_stride < 0) return fail_shrunk_stride(err);
  if (*out_begin < 0) *out_begin += size;
  if (*out_begin < 0 || *out_begin >= size) {
    return fail_bounds(*out_begin, i, err);
  }
  *out_size = 1;
  return BERTH_OK;
}

// Sets the output's shape from the |sizes| of the input's dimensions.
static berth_code_t set_shape(berth_case_t *op, const spread_t *spread,
                              const int64_t *sizes, berth_error_t *err) {
  berth_shape_t *shape = &op->outputs[0];
  int64_t count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < spread->result_rank; ++i) {
    int32_t from = spread->result[i];
    BERTH_TRY(berth_shape_push(shape, &count, from < 0 ? 1 : sizes[from], err));
  }
  return BERTH_OK;
}

// Fills in where |spec|, whose sizes are known and not zero, reads.
static void set_source(const berth_case_t *op, const int64_t *begins,
                       const int64_t *strides, berth_move_spec_t *spec) {
  berth_move_steps(berth_case_input_dims(op, 0), spec->from_steps);
  for (int32_t i = 0; i < spec->rank; ++i) {
    spec->from_offset += begins[i] * spec->from_steps[i];
    // A single index makes no step, and its stride may be huge.
    if (spec->dims[i] > 1) spec->from_steps[i] *= strides[i];
  }
}

// The same where it writes: where a slice would be read from.
static void set_target(const berth_case_t *op, const int64_t *begins,
                       const int64_t *strides, berth_move_spec_t *spec) {
  set_source(op, begins, strides, spec);
  memcpy(spec->to_steps, spec->from_steps, sizeof(spec->to_steps));
  spec->to_offset = spec->from_offset;
  spec->from_offset = 0;
}

// Checks the spec of |op| and spreads it over input 0.
static berth_code_t spread_case(const berth_case_t *op, spread_t *spread,
                                berth_error_t *err) {
  masks_t masks = read_masks(op->node);
  BERTH_TRY(check_inputs(op, err));
  BERTH_TRY(check_ellipsis(&masks, err));
  return spread_make(spread, op->inputs[0].rank, &masks,
                     (int32_t)op->inputs[1].count, err);
}

berth_code_t berth_op_strided_slice(berth_case_t *op, berth_moves_t *moves,
                                    berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_moves_init(moves, input->dtype);
  spread_t spread;
  BERTH_TRY(spread_case(op, &spread, err));
  berth_move_spec_t spec;
  int64_t begins[BERTH_MAX_RANK], strides[BERTH_MAX_RANK];
  spec.rank = input->rank;
  spec.from_offset = 0;
  bool is_whole = true;
  for (int32_t i = 0; i < input->rank; ++i) {
    BERTH_TRY(resolve(op, &spread.dims[i], i, &begins[i], &strides[i],
                      &spec.dims[i], err));
    is_whole = is_whole && spec.dims[i] == input->dims[i] &&
               (strides[i] > 0 || spec.dims[i] <= 1);
  }
  BERTH_TRY(set_shape(op, &spread, spec.dims, err));
  if (is_whole) {
    op->alias = 0;
    return BERTH_OK;
  }
  if (berth_dims_count(berth_shape_dims(&op->outputs[0])) > 0) {
    set_source(op, begins, strides, &spec);
  }
  return berth_slice_add(op, moves, &spec, err);
}

// ---- Writing a slice ----

// Sets |from_steps| of |spec|, whose sizes are known: |value|, input 4, is
// repeated where it has one index or no dimension.
static berth_code_t set_value(const berth_case_t *op, const spread_t *spread,
                              berth_move_spec_t *spec, berth_error_t *err) {
  const berth_case_input_t *value = &op->inputs[4];
  int64_t steps[BERTH_MAX_RANK];
  berth_move_steps(berth_case_input_dims(op, 4), steps);
  berth_shape_t shape = {.rank = 0};
  int64_t count = 1;
  bool fits = true;
  int32_t before = value->rank - spread->result_rank;
  for (int32_t i = 0; i < before; ++i) fits = fits && value->dims[i] == 1;
  for (int32_t i = 0; i < spec->rank; ++i) spec->from_steps[i] = 0;
  for (int32_t i = 0; i < spread->result_rank; ++i) {
    int32_t to = spread->result[i], from = i + before;
    int64_t size = to < 0 ? 1 : spec->dims[to];
    BERTH_TRY(berth_shape_push(&shape, &count, size, err));
    if (from < 0 || value->dims[from] == 1) continue;
    fits = fits && value->dims[from] == size;
    if (to >= 0) spec->from_steps[to] = steps[from];
  }
  if (fits) return BERTH_OK;
  char texts[2][BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot broadcast input shape %s into final shape %s",
                         berth_input_text(value, texts[0]),
                         berth_dims_text(berth_shape_dims(&shape), texts[1]));
}

// Adds that the output begins as input 0.
static berth_code_t add_whole(berth_case_t *op, berth_moves_t *moves,
                              berth_error_t *err) {
  berth_dims_t dims = berth_case_input_dims(op, 0);
  berth_move_spec_t whole = {.rank = dims.rank};
  for (int32_t i = 0; i < dims.rank; ++i) whole.dims[i] = dims.dims[i];
  berth_move_steps(dims, whole.from_steps);
  berth_move_steps(dims, whole.to_steps);
  return berth_moves_add(op, moves, &whole, 0, op->input_count, err);
}

berth_code_t berth_op_strided_slice_update(berth_case_t *op,
                                           berth_moves_t *moves,
                                           berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_moves_init(moves, input->dtype);
  spread_t spread;
  BERTH_TRY(spread_case(op, &spread, err));
  berth_move_spec_t spec = {.rank = input->rank};
  int64_t begins[BERTH_MAX_RANK], strides[BERTH_MAX_RANK], count = 1;
  for (int32_t i = 0; i < input->rank; ++i) {
    BERTH_TRY(resolve(op, &spread.dims[i], i, &begins[i], &strides[i],
                      &spec.dims[i], err));
    count = spec.dims[i] == 0 ? 0 : count;
  }
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  BERTH_TRY(add_whole(op, moves, err));
  if (count == 0) return BERTH_OK;
  set_target(op, begins, strides, &spec);
  BERTH_TRY(set_value(op, &spread, &spec, err));
  return berth_moves_add(op, moves, &spec, 4, op->input_count, err);
}

// ---- Variables ----

// Copies input |index| of |op|, with its value where the op reads it.
static berth_code_t keep_input(berth_case_t *op, int index,
                               berth_case_input_t *out_input,
                               berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[index];
  size_t size = (size_t)input->rank * sizeof(*input->dims);
  *out_input = *input;
  out_input->dims = berth_arena_memdup(op->arena, input->dims, size);
  bool has_value = index > 0 && index < 4 && input->count > 0;
  out_input->value = NULL;
  if (has_value) {
    size = (size_t)input->count * berth_dtype_size(input->dtype);
    out_input->value = berth_arena_memdup(op->arena, input->value, size);
  }
  if ((input->rank > 0 && out_input->dims == NULL) ||
      (has_value && out_input->value == NULL)) {
    return berth_error_no_memory(err, "a plan");
  }
  return BERTH_OK;
}

berth_code_t berth_op_slice_assign(berth_case_t *op,
                                   berth_slice_assign_t *out_assign,
                                   berth_error_t *err) {
  *out_assign =
      (berth_slice_assign_t){.node = op->node, .is_ref = op->output_count > 0};
  for (int i = 1; i < 5; ++i) {
    BERTH_TRY(keep_input(op, i, &out_assign->inputs[i], err));
  }
  if (out_assign->is_ref) berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

berth_code_t berth_slice_assign_move(const berth_slice_assign_t *assign,
                                     berth_dims_t dims,
                                     berth_move_spec_t *out_move,
                                     berth_error_t *err) {
  berth_case_input_t inputs[5];
  memcpy(inputs, assign->inputs, sizeof(inputs));
  inputs[0] = (berth_case_input_t){.dtype = inputs[4].dtype,
                                   .rank = dims.rank,
                                   .dims = dims.dims,
                                   .count = berth_dims_count(dims)};
  berth_case_t op = {.node = assign->node, .input_count = 5, .inputs = inputs};
  spread_t spread;
  BERTH_TRY(spread_case(&op, &spread, err));
  int64_t begins[BERTH_MAX_RANK], strides[BERTH_MAX_RANK], count = 1;
  *out_move = (berth_move_spec_t){.rank = dims.rank};
  for (int32_t i = 0; i < dims.rank; ++i) {
    BERTH_TRY(resolve(&op, &spread.dims[i], i, &begins[i], &strides[i],
                      &out_move->dims[i], err));
    count = out_move->dims[i] == 0 ? 0 : count;
  }
  if (count == 0) return BERTH_OK;
  set_target(&op, begins, strides, out_move);
  return set_value(&op, &spread, out_move, err);
}

// ---- The gradient ----

// Reads the shape that was sliced, input 0, as that of the output.
static berth_code_t read_shape(berth_case_t *op, int64_t *out_count,
                               berth_error_t *err) {
  const berth_case_input_t *shape = &op->inputs[0];
  char text[BERTH_DIMS_TEXT];
  op->outputs[0].rank = 0;
  *out_count = 1;
  if (shape->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "shape must be 1-D, got shape.shape = %s",
                           berth_input_text(shape, text));
  }
  for (int64_t i = 0; i < shape->count; ++i) {
    int64_t size = berth_value_int(shape, i);
    if (size < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Dimension %lld must be >= 0", (long long)size);
    }
    BERTH_TRY(berth_shape_push(&op->outputs[0], out_count, size, err));
  }
  return berth_value_check_size(berth_case_output_dims(op, 0), *out_count,
                                op->inputs[4].dtype, err);
}

// Checks that input 4 has the shape of the slice.
static berth_code_t check_slice(const berth_case_t *op, const spread_t *spread,
                                const int64_t *sizes, berth_error_t *err) {
  const berth_case_input_t *given = &op->inputs[4];
  berth_shape_t shape = {.rank = 0};
  int64_t count = 1;
  for (int32_t i = 0; i < spread->result_rank; ++i) {
    int32_t from = spread->result[i];
    BERTH_TRY(
        berth_shape_push(&shape, &count, from < 0 ? 1 : sizes[from], err));
  }
  if (berth_dims_equal(berth_shape_dims(&shape),
                       berth_case_input_dims(op, 4))) {
    return BERTH_OK;
  }
  char texts[2][BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "shape of dy was %s instead of %s",
                         berth_input_text(given, texts[0]),
                         berth_dims_text(berth_shape_dims(&shape), texts[1]));
}

berth_code_t berth_op_strided_slice_grad(berth_case_t *op, berth_pad_t *out_pad,
                                         berth_error_t *err) {
  int64_t count = 1;
  berth_moves_init(&out_pad->inside, op->inputs[4].dtype);
  berth_moves_init(&out_pad->around, op->inputs[4].dtype);
  BERTH_TRY(read_shape(op, &count, err));
  // What was sliced, in the place of its shape.
  berth_case_input_t inputs[5];
  memcpy(inputs, op->inputs, sizeof(inputs));
  inputs[0].dtype = op->inputs[4].dtype;
  inputs[0].rank = op->outputs[0].rank;
  inputs[0].dims = op->outputs[0].dims;
  inputs[0].count = count;
  berth_case_t sliced = *op;
  sliced.inputs = inputs;
  spread_t spread;
  BERTH_TRY(spread_case(&sliced, &spread, err));
  berth_move_spec_t spec = {.rank = inputs[0].rank};
  int64_t begins[BERTH_MAX_RANK], strides[BERTH_MAX_RANK];
  for (int32_t i = 0; i < spec.rank; ++i) {
    BERTH_TRY(resolve(&sliced, &spread.dims[i], i, &begins[i], &strides[i],
                      &spec.dims[i], err));
  }
  BERTH_TRY(check_slice(op, &spread, spec.dims, err));
  if (op->inputs[4].count == 0) return BERTH_OK;
  set_target(&sliced, begins, strides, &spec);
  berth_move_steps((berth_dims_t){spec.rank, spec.dims}, spec.from_steps);
  return berth_moves_add(op, &out_pad->inside, &spec, 4, op->input_count, err);
}

// ---- Shapes of a graph ----

// What is written fits, as far as the kernel finds out.
BERTH_INFER(strided_slice_assign) {
  (void)err;
  if (c->node->op->inputs[0].is_ref) c->outputs[0] = berth_shape_in(c, 0);
  return BERTH_OK;
}

BERTH_INFER(strided_slice_grad) {
  return berth_shape_from_value(c, 0, &c->outputs[0], err);
}

static berth_code_t check_mask(int64_t mask, const char *name,
                               berth_error_t *err) {
  if (mask >= INT32_MIN && mask <= INT32_MAX) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Attr %s has value %lld out of range for an int32",
                         name, (long long)mask);
}

static berth_code_t check_masks(const masks_t *masks, berth_error_t *err) {
  BERTH_TRY(check_mask(masks->begin, "begin_mask", err));
  BERTH_TRY(check_mask(masks->end, "end_mask", err));
  BERTH_TRY(check_mask(masks->ellipsis, "ellipsis_mask", err));
  BERTH_TRY(check_mask(masks->new_axis, "new_axis_mask", err));
  BERTH_TRY(check_mask(masks->shrink, "shrink_axis_mask", err));
  return check_ellipsis(masks, err);
}

// Numbers of a spec, where they are known.
typedef struct entries {
  int32_t count;  // -1: not known.
  int64_t values[BERTH_MAX_RANK];
} entries_t;

// The three vectors of a spec.
typedef struct bounds {
  entries_t begin, end, strides;
} bounds_t;

// Reads what is known of input |index|: a constant, or what is made of known
// shapes.
static void entries_read(berth_shape_context_t *c, int index,
                         entries_t *entries) {
  const berth_tensor_t *tensor = berth_shape_value(c, index);
  entries->count = -1;
  if (tensor == NULL) {
    c->asked_shapes |= (uint64_t)1 << index;
    berth_value_vector(c->graph, c->node->inputs[index], &entries->count,
                       entries->values);
  } else if (berth_value_is_int(tensor) && tensor->count <= MAX_SPEC) {
    entries->count = (int32_t)tensor->count;
    for (int32_t i = 0; i < entries->count; ++i) {
      entries->values[i] = berth_value_int_at(tensor, i);
    }
  }
  for (int32_t i = 0; i < entries->count; ++i) {
    if (entries->values[i] == INT64_MIN) entries->count = -1;
  }
  if (entries->count > MAX_SPEC) entries->count = -1;
}

// Stores the size of dimension |i| after slicing, -1 when it is not known.
static berth_code_t sliced_size(const dim_t *dim, const bounds_t *bounds,
                                int32_t i, int64_t size, int64_t *out_size,
                                berth_error_t *err) {
  *out_size = size;
  if (dim->entry < 0) return BERTH_OK;
  int64_t stride = bounds->strides.values[dim->entry], begin = 0;
  bool is_open = dim->is_open_begin && dim->is_open_end;
  *out_size = dim->is_shrunk ? 1 : -1;
  if (dim->is_shrunk && stride <= 0) return fail_shrunk_stride(err);
  if (size < 0 || (is_open && dim->is_shrunk)) return BERTH_OK;
  if (is_open) {
    *out_size = measure(dim, size, &begin, 0, stride);
    return BERTH_OK;
  }
  if (bounds->begin.count < 0 || bounds->end.count < 0) return BERTH_OK;
  begin = bounds->begin.values[dim->entry];
  int64_t end = bounds->end.values[dim->entry];
  if (!dim->is_shrunk) {
    *out_size = measure(dim, size, &begin, end, stride);
    return BERTH_OK;
  }
  int64_t at = begin < 0 ? begin + size : begin;
  return at >= 0 && at < size ? BERTH_OK : fail_bounds(begin, i, err);
}

static berth_code_t check_strides(const spread_t *spread,
                                  const entries_t *strides,
                                  berth_error_t *err) {
  for (int32_t i = 0; i < spread->rank; ++i) {
    int32_t entry = spread->dims[i].entry;
    if (entry < 0) continue;
    BERTH_TRY(check_stride(strides->values[entry], i, err));
  }
  return BERTH_OK;
}

// Puts the sliced dimensions together.
static berth_code_t gather_dims(berth_shape_context_t *c, berth_dims_t in,
                                const spread_t *spread, const bounds_t *bounds,
                                berth_error_t *err) {
  int64_t *dims = berth_shape_room(c, spread->result_rank);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  for (int32_t i = 0; i < spread->rank; ++i) {
    int64_t one = 1;
    if (!spread->dims[i].is_shrunk) continue;
    BERTH_TRY(sliced_size(&spread->dims[i], bounds, i, in.dims[i], &one, err));
  }
  for (int32_t i = 0; i < spread->result_rank; ++i) {
    int32_t from = spread->result[i];
    dims[i] = 1;
    if (from == NEW_AXIS) continue;
    BERTH_TRY(sliced_size(&spread->dims[from], bounds, from, in.dims[from],
                          &dims[i], err));
  }
  c->outputs[0] = (berth_dims_t){spread->result_rank, dims};
  return BERTH_OK;
}

BERTH_INFER(strided_slice) {
  berth_dims_t in = berth_shape_in(c, 0), form = {-1, NULL};
  for (int i = 1; i < 4; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, NULL, err));
    BERTH_TRY(berth_shape_merge(c, form, berth_shape_in(c, i), &form, err));
  }
  bounds_t bounds;
  entries_read(c, 3, &bounds.strides);
  if (in.rank < 0 || bounds.strides.count < 0) return BERTH_OK;
  masks_t masks = read_masks(c->node);
  BERTH_TRY(check_masks(&masks, err));
  spread_t spread;
  BERTH_TRY(spread_make(&spread, in.rank, &masks, bounds.strides.count, err));
  BERTH_TRY(check_strides(&spread, &bounds.strides, err));
  entries_read(c, 1, &bounds.begin);
  entries_read(c, 2, &bounds.end);
  return gather_dims(c, in, &spread, &bounds, err);
}
