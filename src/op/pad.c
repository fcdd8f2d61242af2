// pad.c - Ops that add elements around a tensor: Pad, PadV2, MirrorPad.
//
// What is added lies in slabs: for each dimension one before and one after the
// input, as wide as the input in the dimensions before it and as the output in
// those behind. A mirror has a part for each combination of before, input and
// after.
//
//   ┌─────────────────┐
//   │     0 before    │
//   ├───┬─────────┬───┤
//   │ 1 │  input  │ 1 │
//   ├───┴─────────┴───┤
//   │     0 after     │
//   └─────────────────┘
#include <string.h>

#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "op/array.h"
#include "op/pad_internal.h"
#include "op/value.h"

enum { PAD_MAX_RANK = 8 };  // As in TensorFlow.

// What is added to each dimension.
typedef struct pads {
  int32_t rank;
  int64_t before[PAD_MAX_RANK], after[PAD_MAX_RANK];
} pads_t;

// ---- Arguments ----

berth_code_t berth_pad_check(const berth_case_t *op, int max_rank,
                             const char *joint, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *paddings = &op->inputs[1];
  char text[BERTH_DIMS_TEXT], input_text[BERTH_DIMS_TEXT];
  if (input->rank > max_rank) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "inputs rank not in [0,%d]: %d", max_rank,
                           (int)input->rank);
  }
  if (paddings->rank != 2 || paddings->dims[1] != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "paddings must be a matrix with 2 columns: %s",
                           berth_input_text(paddings, text));
  }
  if (paddings->dims[0] != input->rank) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The first dimension of paddings must be the rank of inputs%s%s%s",
        berth_input_text(paddings, text), joint,
        berth_input_text(input, input_text));
  }
  return BERTH_OK;
}

static berth_code_t check_constant(const berth_case_t *op, berth_error_t *err) {
  if (op->input_count < 3 || op->inputs[2].rank == 0) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "constant_values must be a scalar. Found: %s",
                         berth_input_text(&op->inputs[2], text));
}

// Reads what is added to dimension |i|; |word| begins the message.
static berth_code_t read_pads(const berth_case_t *op, int32_t i,
                              const char *word, pads_t *pads,
                              berth_error_t *err) {
  pads->before[i] = berth_value_int(&op->inputs[1], 2 * i);
  pads->after[i] = berth_value_int(&op->inputs[1], 2 * i + 1);
  if (pads->before[i] >= 0 && pads->after[i] >= 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be non-negative: %lld %lld", word,
                         (long long)pads->before[i], (long long)pads->after[i]);
}

// Sets the shape of the output, and its size in |*out_count|.
static berth_code_t set_shape(berth_case_t *op, const pads_t *pads,
                              int64_t *out_count, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  berth_shape_t *shape = &op->outputs[0];
  shape->rank = 0;
  *out_count = 1;
  for (int32_t i = 0; i < pads->rank; ++i) {
    int64_t size = input->dims[i];
    if (__builtin_add_overflow(size, pads->before[i], &size) ||
        __builtin_add_overflow(size, pads->after[i], &size)) {
      size = INT64_MAX;  // Refused as too large.
    }
    BERTH_TRY(berth_shape_push(shape, out_count, size, err));
  }
  return berth_value_check_size(berth_shape_dims(shape), *out_count,
                                input->dtype, err);
}

// ---- Moves ----

// A description under construction.
typedef struct work {
  berth_case_t *op;
  const pads_t *pads;
  int64_t in_steps[PAD_MAX_RANK], out_steps[PAD_MAX_RANK];
} work_t;

static void work_init(work_t *work, berth_case_t *op, const pads_t *pads) {
  *work = (work_t){.op = op, .pads = pads};
  berth_move_steps(berth_case_output_dims(op, 0), work->out_steps);
  if (op->inputs[0].count > 0) {
    berth_move_steps(berth_case_input_dims(op, 0), work->in_steps);
  }
}

// Puts dimension |i| of a part |offset| indices into the output, |size| of
// them.
static void level_set(const work_t *work, berth_move_spec_t *spec, int32_t i,
                      int64_t size, int64_t offset) {
  spec->dims[i] = size;
  spec->to_steps[i] = work->out_steps[i];
  spec->to_offset += offset * work->out_steps[i];
}

static berth_code_t input_add(work_t *work, berth_moves_t *moves,
                              berth_error_t *err) {
  berth_move_spec_t spec;
  spec.rank = work->pads->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < spec.rank; ++i) {
    level_set(work, &spec, i, work->op->inputs[0].dims[i],
              work->pads->before[i]);
    spec.from_steps[i] = work->in_steps[i];
  }
  return berth_moves_add(work->op, moves, &spec, 0, work->op->input_count, err);
}

// Adds the slab of dimension |d| before or after the input: the constant again
// and again.
static berth_code_t slab_add(work_t *work, berth_moves_t *moves, int32_t d,
                             bool is_after, berth_error_t *err) {
  const berth_case_input_t *input = &work->op->inputs[0];
  const pads_t *pads = work->pads;
  berth_move_spec_t spec;
  spec.rank = pads->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < spec.rank; ++i) {
    spec.from_steps[i] = 0;
    if (i < d) {
      level_set(work, &spec, i, input->dims[i], pads->before[i]);
    } else if (i > d) {
      level_set(work, &spec, i, work->op->outputs[0].dims[i], 0);
    } else if (is_after) {
      level_set(work, &spec, i, pads->after[i],
                pads->before[i] + input->dims[i]);
    } else {
      level_set(work, &spec, i, pads->before[i], 0);
    }
  }
  return berth_moves_add(work->op, moves, &spec, 2, work->op->input_count, err);
}

// ---- Pad, PadV2 ----

berth_code_t berth_op_pad(berth_case_t *op, berth_pad_t *out_pad,
                          berth_error_t *err) {
  pads_t pads = {.rank = op->inputs[0].rank};
  int64_t count = 0;
  berth_moves_init(&out_pad->inside, op->inputs[0].dtype);
  berth_moves_init(&out_pad->around, op->inputs[0].dtype);
  BERTH_TRY(berth_pad_check(op, PAD_MAX_RANK, " ", err));
  BERTH_TRY(check_constant(op, err));
  for (int32_t i = 0; i < pads.rank; ++i) {
    BERTH_TRY(read_pads(op, i, "Paddings", &pads, err));
  }
  BERTH_TRY(set_shape(op, &pads, &count, err));
  if (count == op->inputs[0].count && count > 0) op->alias = 0;
  if (count == op->inputs[0].count || count == 0) return BERTH_OK;
  work_t work;
  work_init(&work, op, &pads);
  for (int32_t d = 0; op->input_count > 2 && d < pads.rank; ++d) {
    BERTH_TRY(slab_add(&work, &out_pad->around, d, false, err));
    BERTH_TRY(slab_add(&work, &out_pad->around, d, true, err));
  }
  return input_add(&work, &out_pad->inside, err);
}

// ---- MirrorPad ----

// Checks that there is enough to mirror in dimension |i|. A reflection leaves
// out the outermost element.
static berth_code_t check_mirror(const berth_case_t *op, int32_t i,
                                 const pads_t *pads, bool reflects,
                                 berth_error_t *err) {
  int64_t dim = op->inputs[0].dims[i];
  int64_t most = reflects ? dim - 1 : dim;
  if (pads->before[i] <= most && pads->after[i] <= most) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      reflects ? "paddings must be less than the dimension size: %lld, %lld "
                 "not less than %lld"
               : "paddings must be no greater than the dimension size: %lld, "
                 "%lld greater than %lld",
      (long long)pads->before[i], (long long)pads->after[i], (long long)dim);
}

// Adds the part that is, in each dimension, before the input (digit 0 of
// |which| to the base of 3), the input itself (1) or after it (2).
static berth_code_t mirror_add(work_t *work, berth_moves_t *moves, int which,
                               bool reflects, berth_error_t *err) {
  const pads_t *pads = work->pads;
  berth_move_spec_t spec;
  spec.rank = pads->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < spec.rank; ++i, which /= 3) {
    int64_t dim = work->op->inputs[0].dims[i], step = work->in_steps[i];
    int64_t before = pads->before[i];
    if (which % 3 == 1) {
      level_set(work, &spec, i, dim, before);
      spec.from_steps[i] = step;
    } else if (which % 3 == 0) {
      level_set(work, &spec, i, before, 0);
      spec.from_steps[i] = -step;
      spec.from_offset += (reflects ? before : before - 1) * step;
    } else {
      level_set(work, &spec, i, pads->after[i], before + dim);
      spec.from_steps[i] = -step;
      spec.from_offset += (reflects ? dim - 2 : dim - 1) * step;
    }
  }
  return berth_moves_add(work->op, moves, &spec, 0, work->op->input_count, err);
}

berth_code_t berth_op_mirror_pad(berth_case_t *op, berth_moves_t *moves,
                                 berth_error_t *err) {
  pads_t pads = {.rank = op->inputs[0].rank};
  const char *mode = berth_node_attr_string(op->node, "mode", "REFLECT");
  bool reflects = strcmp(mode, "REFLECT") == 0;
  int64_t count = 0;
  berth_moves_init(moves, op->inputs[0].dtype);
  BERTH_TRY(berth_pad_check(op, BERTH_MIRROR_MAX_RANK, ", ", err));
  for (int32_t i = 0; i < pads.rank; ++i) {
    BERTH_TRY(read_pads(op, i, "paddings", &pads, err));
    BERTH_TRY(check_mirror(op, i, &pads, reflects, err));
  }
  BERTH_TRY(set_shape(op, &pads, &count, err));
  if (count == op->inputs[0].count && count > 0) op->alias = 0;
  if (count == op->inputs[0].count || count == 0) return BERTH_OK;
  int parts = 1;
  work_t work;
  work_init(&work, op, &pads);
  for (int32_t i = 0; i < pads.rank; ++i) parts *= 3;
  for (int which = 0; which < parts; ++which) {
    BERTH_TRY(mirror_add(&work, moves, which, reflects, err));
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(pad) {
  berth_dims_t in = berth_shape_in(c, 0), edges = berth_shape_in(c, 1), out;
  BERTH_TRY(berth_shape_with_rank(c, edges, 2, NULL, err));
  BERTH_TRY(berth_shape_check_dim(edges.rank < 0 ? -1 : edges.dims[1], 2, err));
  int64_t count = berth_shape_dim(edges, 0);
  if (count > BERTH_MAX_RANK) return BERTH_OK;
  if (count >= 0) {
    BERTH_TRY(berth_shape_with_rank(c, in, (int32_t)count, &in, err));
  }
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_unknown(c, in.rank, &out, err));
  c->outputs[0] = out;
  const berth_tensor_t *value = berth_shape_value(c, 1);
  if (value == NULL || !berth_value_is_int(value)) return BERTH_OK;
  for (int32_t i = 0; i < in.rank; ++i) {
    int64_t size = in.dims[i];
    if (size < 0 ||
        __builtin_add_overflow(size, berth_value_int_at(value, 2 * i), &size) ||
        __builtin_add_overflow(size, berth_value_int_at(value, 2 * i + 1),
                               &size)) {
      continue;
    }
    ((int64_t *)(uintptr_t)out.dims)[i] = size;
  }
  return BERTH_OK;
}
