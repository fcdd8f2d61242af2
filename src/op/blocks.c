// blocks.c - Ops that cut dimensions into blocks and put these elsewhere: into
// the batch, or into the depth.
//
//   SpaceToBatch   place p of a dimension goes to place p / block, in the batch
//                  that p % block says
//   SpaceToDepth   the same with the depth, which comes last, for the batch
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/layers.h"
#include "op/value.h"
#include "tensor/tensor.h"

// Blocks, and what is added at the edges of each dimension, or cut off there.
typedef struct blocks {
  int32_t count;
  int64_t all;  // The product of |sizes|.
  int64_t sizes[BERTH_MAX_RANK];
  int64_t before[BERTH_MAX_RANK], after[BERTH_MAX_RANK];
} blocks_t;

// ---- Arguments ----

// Words of messages.
typedef struct words {
  const char *edges, *Edges;
} words_t;

static const words_t padding = {"paddings", "Paddings"};
static const words_t cropping = {"crops", "Crops"};

// Multiplies a size of a shape by |times|.
static berth_code_t multiply(int64_t size, int64_t times, int64_t *out,
                             berth_error_t *err) {
  if (!__builtin_mul_overflow(size, times, out)) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Encountered overflow when multiplying %lld with %lld",
                         (long long)size, (long long)times);
}

// Adds edges to a size.
static berth_code_t widen(int64_t size, int64_t before, int64_t after,
                          int64_t *out, berth_error_t *err) {
  if (!__builtin_add_overflow(size, before, out) &&
      !__builtin_add_overflow(*out, after, out)) {
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Encountered overflow when adding %lld and %lld to "
                         "%lld",
                         (long long)before, (long long)after, (long long)size);
}

// Reads the blocks of an op with one size, an attribute, for two dimensions.
static berth_code_t read_square(const berth_case_t *op, blocks_t *blocks,
                                berth_error_t *err) {
  if (op->inputs[0].rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input rank should be: 4instead of: %d",
                           (int)op->inputs[0].rank);
  }
  blocks->count = 2;
  blocks->sizes[0] = blocks->sizes[1] =
      berth_node_attr_int(op->node, "block_size", 2);
  return BERTH_OK;
}

static berth_code_t read_sizes(const berth_case_t *op, blocks_t *blocks,
                               berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *sizes = &op->inputs[1];
  if (sizes->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "block_shape rank should be 1 instead of %d",
                           (int)sizes->rank);
  }
  if (input->rank < 1 + sizes->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input rank should be >= %lld instead of %d",
                           (long long)(1 + sizes->count), (int)input->rank);
  }
  blocks->count = (int32_t)sizes->count;
  for (int32_t i = 0; i < blocks->count; ++i) {
    blocks->sizes[i] = berth_value_int(sizes, i);
  }
  return BERTH_OK;
}

static berth_code_t read_edges(const berth_case_t *op, blocks_t *blocks,
                               words_t words, berth_error_t *err) {
  const berth_case_input_t *edges = &op->inputs[op->input_count - 1];
  char text[BERTH_DIMS_TEXT];
  if (edges->rank != 2 || edges->dims[0] != blocks->count ||
      edges->dims[1] != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s should have shape [%d, 2] instead of %s",
                           words.edges, (int)blocks->count,
                           berth_input_text(edges, text));
  }
  for (int32_t i = 0; i < blocks->count; ++i) {
    blocks->before[i] = berth_value_int(edges, 2 * i);
    blocks->after[i] = berth_value_int(edges, 2 * i + 1);
  }
  return BERTH_OK;
}

static berth_code_t check_edges(const blocks_t *blocks, words_t words,
                                berth_error_t *err) {
  for (int32_t i = 0; i < blocks->count; ++i) {
    if (blocks->before[i] >= 0 && blocks->after[i] >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be non-negative", words.Edges);
  }
  return BERTH_OK;
}

static berth_code_t blocks_read(const berth_case_t *op, blocks_t *blocks,
                                words_t words, berth_error_t *err) {
  *blocks = (blocks_t){.all = 1};
  BERTH_TRY(op->input_count == 2 ? read_square(op, blocks, err)
                                 : read_sizes(op, blocks, err));
  BERTH_TRY(read_edges(op, blocks, words, err));
  for (int32_t i = 0; i < blocks->count; ++i) {
    if (__builtin_mul_overflow(blocks->all, blocks->sizes[i], &blocks->all)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Product of block sizes is too large");
    }
  }
  return BERTH_OK;
}

// ---- Moves ----

// Both tensors: |space| is the one with large dimensions, |batch| that with
// more of them.
typedef struct both {
  const int64_t *space, *batch;  // Dimensions.
  int32_t rank;
  bool to_batch;
} both_t;

// Adds the move of block |which|: between the places of |space| that lie at the
// same place in their blocks, and a part of |batch|.
static berth_code_t block_add(berth_case_t *op, berth_moves_t *moves,
                              const blocks_t *blocks, const both_t *both,
                              int64_t which, berth_error_t *err) {
  int64_t space_steps[BERTH_MAX_RANK], batch_steps[BERTH_MAX_RANK];
  int64_t space_offset = 0, batch_offset = 0, rest = which;
  berth_move_spec_t spec = {.rank = both->rank};
  berth_move_steps((berth_dims_t){both->rank, both->space}, space_steps);
  berth_move_steps((berth_dims_t){both->rank, both->batch}, batch_steps);
  batch_offset = which * both->space[0] * batch_steps[0];
  for (int32_t i = 0; i < both->rank; ++i) {
    spec.dims[i] = both->space[i];
  }
  for (int32_t i = blocks->count - 1; i >= 0; --i) {
    int64_t size = blocks->sizes[i], at = rest % size;
    int64_t before = blocks->before[i], dim = both->space[i + 1];
    rest /= size;
    // Places p of |space| with (p + before) % size == at.
    int64_t first = before > at ? (before - at + size - 1) / size : 0;
    int64_t end = dim + before > at ? (dim + before - at + size - 1) / size : 0;
    if (end > both->batch[i + 1]) end = both->batch[i + 1];
    spec.dims[i + 1] = end > first ? end - first : 0;
    space_offset += (first * size + at - before) * space_steps[i + 1];
    batch_offset += first * batch_steps[i + 1];
    space_steps[i + 1] *= size;
  }
  for (int32_t i = 0; i < both->rank; ++i) {
    spec.from_steps[i] = both->to_batch ? space_steps[i] : batch_steps[i];
    spec.to_steps[i] = both->to_batch ? batch_steps[i] : space_steps[i];
    if (spec.dims[i] == 0) return BERTH_OK;
  }
  spec.from_offset = both->to_batch ? space_offset : batch_offset;
  spec.to_offset = both->to_batch ? batch_offset : space_offset;
  return berth_moves_add(op, moves, &spec, 0, op->input_count, err);
}

static berth_code_t blocks_add(berth_case_t *op, berth_layers_t *layers,
                               const blocks_t *blocks, bool to_batch,
                               berth_error_t *err) {
  const int64_t *in = op->inputs[0].dims, *out = op->outputs[0].dims;
  both_t both = {to_batch ? in : out, to_batch ? out : in, op->inputs[0].rank,
                 to_batch};
  if (berth_dims_count(berth_case_output_dims(op, 0)) == 0 ||
      op->inputs[0].count == 0) {
    return BERTH_OK;
  }
  for (int64_t which = 0; which < blocks->all; ++which) {
    BERTH_TRY(block_add(op, &layers->over, blocks, &both, which, err));
  }
  return BERTH_OK;
}

// Sets the output: the batch, one size for each block, and what is left.
static berth_code_t set_shape(berth_case_t *op, int64_t batch,
                              const int64_t *sizes, int32_t count,
                              berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_shape_t *shape = &op->outputs[0];
  int64_t total = 1;
  shape->rank = 0;
  BERTH_TRY(berth_shape_push(shape, &total, batch, err));
  for (int32_t i = 0; i < count; ++i) {
    BERTH_TRY(berth_shape_push(shape, &total, sizes[i], err));
  }
  for (int32_t i = count + 1; i < input->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, &total, input->dims[i], err));
  }
  return berth_value_check_size(berth_shape_dims(shape), total, input->dtype,
                                err);
}

berth_code_t berth_op_space_to_batch(berth_case_t *op, berth_layers_t *layers,
                                     berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  blocks_t blocks;
  int64_t sizes[BERTH_MAX_RANK], batch = 0;
  layers->zeros = true;
  berth_moves_init(&layers->under, input->dtype);
  berth_moves_init(&layers->over, input->dtype);
  BERTH_TRY(blocks_read(op, &blocks, padding, err));
  for (int32_t i = 0; i < blocks.count; ++i) {
    if (blocks.sizes[i] >= 1) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "All values in block_shape must be positive, got value, %lld at index "
        "%d.",
        (long long)blocks.sizes[i], (int)i);
  }
  BERTH_TRY(check_edges(&blocks, padding, err));
  for (int32_t i = 0; i < blocks.count; ++i) {
    int64_t padded = 0;
    BERTH_TRY(widen(input->dims[i + 1], blocks.before[i], blocks.after[i],
                    &padded, err));
    if (padded % blocks.sizes[i] != 0) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "padded_shape[%d]=%lld is not divisible by block_shape[%d]=%lld",
          (int)i, (long long)padded, (int)i, (long long)blocks.sizes[i]);
    }
    sizes[i] = padded / blocks.sizes[i];
  }
  if (__builtin_mul_overflow(input->dims[0], blocks.all, &batch)) {
    batch = INT64_MAX;  // Refused as too large.
  }
  BERTH_TRY(set_shape(op, batch, sizes, blocks.count, err));
  return blocks_add(op, layers, &blocks, true, err);
}

berth_code_t berth_op_batch_to_space(berth_case_t *op, berth_layers_t *layers,
                                     berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  blocks_t blocks;
  int64_t sizes[BERTH_MAX_RANK];
  layers->zeros = false;
  berth_moves_init(&layers->under, input->dtype);
  berth_moves_init(&layers->over, input->dtype);
  BERTH_TRY(blocks_read(op, &blocks, cropping, err));
  if (blocks.all < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Product of block sizes must be positive, got %lld",
                           (long long)blocks.all);
  }
  BERTH_TRY(check_edges(&blocks, cropping, err));
  if (input->dims[0] % blocks.all != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input batch dimension (%lld) is not divisible by "
                           "product of block sizes (%lld)",
                           (long long)input->dims[0], (long long)blocks.all);
  }
  for (int32_t i = 0; i < blocks.count; ++i) {
    BERTH_TRY(multiply(input->dims[i + 1], blocks.sizes[i], &sizes[i], err));
    BERTH_TRY(
        widen(sizes[i], -blocks.before[i], -blocks.after[i], &sizes[i], err));
    if (sizes[i] >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "cropped_shape[%d]=%lld must be non-negative",
                           (int)i, (long long)sizes[i]);
  }
  BERTH_TRY(
      set_shape(op, input->dims[0] / blocks.all, sizes, blocks.count, err));
  return blocks_add(op, layers, &blocks, false, err);
}

// ---- SpaceToDepth, DepthToSpace ----

static berth_code_t check_layout(const berth_case_t *op, berth_error_t *err) {
  const char *layout = berth_node_attr_string(op->node, "data_format", "NHWC");
  if (strcmp(layout, "NHWC") == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         "Only NHWC data_format supported on CPU. Got %s",
                         layout);
}

// Reads the size of blocks, which TensorFlow keeps in 32 bits.
static berth_code_t read_block(const berth_node_t *node, int64_t *out,
                               berth_error_t *err) {
  *out = berth_node_attr_int(node, "block_size", 2);
  if (*out >= 1 && *out <= INT32_MAX) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Attr block_size has value %lld out of range for an int32",
      (long long)*out);
}

// Adds the one move: [batch, rows, block, columns, block * depth] in |space|,
// its second and third dimension exchanged with the fourth in |depth|.
static berth_code_t depth_add(berth_case_t *op, berth_moves_t *moves,
                              const int64_t *deep, int64_t size, bool to_depth,
                              berth_error_t *err) {
  int64_t batch = deep[0], rows = deep[1], columns = deep[2];
  int64_t run = deep[3] / size;  // Contiguous in both: a row of a block.
  int64_t line = columns * run;
  berth_move_spec_t spec = {.rank = 5,
                            .dims = {batch, rows, size, columns, run}};
  const int64_t space[5] = {rows * size * line, size * line, line, run, 1};
  const int64_t depth[5] = {rows * columns * deep[3], columns * deep[3], run,
                            deep[3], 1};
  for (int i = 0; i < 5; ++i) {
    spec.from_steps[i] = to_depth ? space[i] : depth[i];
    spec.to_steps[i] = to_depth ? depth[i] : space[i];
  }
  return berth_moves_add(op, moves, &spec, 0, op->input_count, err);
}

berth_code_t berth_op_space_to_depth(berth_case_t *op, berth_moves_t *moves,
                                     berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t size = 0;
  berth_moves_init(moves, input->dtype);
  BERTH_TRY(read_block(op->node, &size, err));
  BERTH_TRY(check_layout(op, err));
  if (input->rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input rank should be 4 instead of %d",
                           (int)input->rank);
  }
  const int64_t *dims = input->dims;
  if (dims[1] % size != 0 || dims[2] % size != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Image width %lld and height %lld should be divisible by block_size: "
        "%lld",
        (long long)dims[2], (long long)dims[1], (long long)size);
  }
  int64_t out[4] = {dims[0], dims[1] / size, dims[2] / size};
  BERTH_TRY(multiply(dims[3], size * size, &out[3], err));
  berth_case_output(op, 0, (berth_dims_t){4, out});
  if (input->count == 0) return BERTH_OK;
  return depth_add(op, moves, out, size, true, err);
}

berth_code_t berth_op_depth_to_space(berth_case_t *op, berth_moves_t *moves,
                                     berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t size = 0;
  berth_moves_init(moves, input->dtype);
  BERTH_TRY(read_block(op->node, &size, err));
  BERTH_TRY(check_layout(op, err));
  if (input->rank != 4) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input rank should be: 4 instead of: %d",
                           (int)input->rank);
  }
  const int64_t *dims = input->dims;
  if (dims[3] % (size * size) != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input depth dimension %lld should be divisible by: %lld",
        (long long)dims[3], (long long)(size * size));
  }
  int64_t out[4] = {dims[0], 0, 0, dims[3] / (size * size)};
  BERTH_TRY(multiply(dims[1], size, &out[1], err));
  BERTH_TRY(multiply(dims[2], size, &out[2], err));
  berth_case_output(op, 0, (berth_dims_t){4, out});
  if (input->count == 0) return BERTH_OK;
  return depth_add(op, moves, dims, size, false, err);
}

// ---- Shapes of a graph ----

// Stores element |i| of the constant input |at|, or -1.
static int64_t known_at(berth_shape_context_t *c, int at, int64_t i) {
  const berth_tensor_t *value = berth_shape_value(c, at);
  return value == NULL || i >= value->count ? -1 : berth_value_int_at(value, i);
}

// Sets the output as far as the blocks are known. |sign| is 1 where edges are
// added and dimensions divided, -1 for the way back.
static berth_code_t infer_blocks(berth_shape_context_t *c, int32_t count,
                                 int edges, int64_t square, int sign,
                                 berth_error_t *err) {
  berth_dims_t in = berth_shape_in(c, 0), out;
  BERTH_TRY(berth_shape_rank_at_least(in, count + 1, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_unknown(c, in.rank, &out, err));
  int64_t *dims = (int64_t *)(uintptr_t)out.dims, all = 1;
  int64_t batch = in.dims[0];
  for (int32_t i = count + 1; i < in.rank; ++i) dims[i] = in.dims[i];
  for (int32_t i = 0; i < count; ++i) {
    int64_t size = square > 0 ? square : known_at(c, 1, i);
    int64_t before = known_at(c, edges, 2 * i);
    int64_t after = known_at(c, edges, 2 * i + 1);
    if (size < 1) all = -1;
    if (all > 0) BERTH_TRY(multiply(all, size, &all, err));
    if (all > 0 && sign < 0)
      BERTH_TRY(berth_shape_divide(batch, size, &batch, err));
    if (in.dims[i + 1] < 0 || size < 1 || before < 0 || after < 0) continue;
    if (sign < 0) {
      BERTH_TRY(multiply(in.dims[i + 1], size, &dims[i + 1], err));
      dims[i + 1] -= before;
      BERTH_TRY(widen(dims[i + 1], -after, 0, &dims[i + 1], err));
      if (dims[i + 1] < 0) dims[i + 1] = -1;  // The kernel refuses it.
      continue;
    }
    int64_t wide = 0;
    BERTH_TRY(widen(in.dims[i + 1], before, after, &wide, err));
    BERTH_TRY(berth_shape_divide(wide, size, &dims[i + 1], err));
  }
  if (in.dims[0] >= 0 && all > 0 && sign > 0) {
    BERTH_TRY(multiply(in.dims[0], all, &dims[0], err));
  }
  if (all > 0 && sign < 0) dims[0] = batch;
  c->outputs[0] = out;
  return BERTH_OK;
}

// How many blocks there are; -1: nobody knows.
static int64_t block_count(berth_shape_context_t *c) {
  return berth_shape_dim(berth_shape_in(c, 1), 0);
}

BERTH_INFER(space_to_batch_nd) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  int64_t count = block_count(c);
  if (count < 0 || count >= BERTH_MAX_RANK) return BERTH_OK;
  return infer_blocks(c, (int32_t)count, 2, 0, 1, err);
}

BERTH_INFER(batch_to_space_nd) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  int64_t count = block_count(c);
  if (count < 0 || count >= BERTH_MAX_RANK) return BERTH_OK;
  return infer_blocks(c, (int32_t)count, 2, 0, -1, err);
}

BERTH_INFER(space_to_batch) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, NULL, err));
  return infer_blocks(c, 2, 1, berth_node_attr_int(c->node, "block_size", 2), 1,
                      err);
}

BERTH_INFER(batch_to_space) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, NULL, err));
  return infer_blocks(c, 2, 1, berth_node_attr_int(c->node, "block_size", 2),
                      -1, err);
}

// Sets the output of a cut into blocks of |size|, or of its way back.
static berth_code_t infer_depth(berth_shape_context_t *c, bool to_depth,
                                berth_error_t *err) {
  berth_dims_t in, out;
  int64_t size = 0;
  BERTH_TRY(read_block(c->node, &size, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 4, &in, err));
  const char *layout = berth_node_attr_string(c->node, "data_format", "NHWC");
  if (strcmp(layout, "NHWC") != 0) return BERTH_OK;
  BERTH_TRY(berth_shape_unknown(c, 4, &out, err));
  int64_t *dims = (int64_t *)(uintptr_t)out.dims;
  dims[0] = in.dims[0];
  for (int i = 1; i < 3; ++i) {
    if (to_depth) {
      BERTH_TRY(berth_shape_divide(in.dims[i], size, &dims[i], err));
    } else if (in.dims[i] >= 0) {
      BERTH_TRY(multiply(in.dims[i], size, &dims[i], err));
    }
  }
  if (!to_depth) {
    BERTH_TRY(berth_shape_divide(in.dims[3], size * size, &dims[3], err));
  } else if (in.dims[3] >= 0) {
    BERTH_TRY(multiply(in.dims[3], size * size, &dims[3], err));
  }
  c->outputs[0] = out;
  return BERTH_OK;
}

BERTH_INFER(space_to_depth) { return infer_depth(c, true, err); }
BERTH_INFER(depth_to_space) { return infer_depth(c, false, err); }
