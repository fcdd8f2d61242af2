// turn.c - Ops that turn dimensions round: Roll, and ReverseSequence, which
// turns a part of each row.
#include "graph/shape_fn.h"
#include "op/array.h"
#include "op/value.h"

// ---- Roll ----

static berth_code_t check_list(const berth_case_input_t *input,
                               const char *name, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (input->rank <= 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be a scalar or a 1-D vector. Found: %s", name,
                         berth_input_text(input, text));
}

// Stores by how much each dimension is turned, in [0, size).
static berth_code_t read_shifts(const berth_case_t *op, int64_t *shifts,
                                berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *shift = &op->inputs[1], *axes = &op->inputs[2];
  if (input->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input must be 1-D or higher");
  }
  BERTH_TRY(check_list(shift, "shift", err));
  BERTH_TRY(check_list(axes, "axis", err));
  if (shift->rank != axes->rank || shift->count != axes->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "shift and axis must have the same size");
  }
  for (int64_t i = 0; i < axes->count; ++i) {
    int64_t axis = berth_value_int(axes, i);
    if (axis < 0) axis += input->rank;
    if (axis < 0 || axis >= input->rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "axis %lld is out of range", (long long)axis);
    }
    int64_t size = input->dims[axis] > 0 ? input->dims[axis] : 1;
    int64_t by = berth_value_int(shift, i) % size;
    shifts[axis] = ((shifts[axis] + by) % size + size) % size;
  }
  return BERTH_OK;
}

// Adds the part that wraps round in the dimensions of |wraps|, a bit for each.
static berth_code_t roll_add(berth_case_t *op, berth_moves_t *moves,
                             const int64_t *shifts, unsigned wraps,
                             berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t steps[BERTH_MAX_RANK];
  berth_move_spec_t spec = {.rank = input->rank};
  berth_move_steps(berth_case_input_dims(op, 0), steps);
  for (int32_t i = 0; i < input->rank; ++i) {
    bool is_wrapped = (wraps >> i & 1) != 0;
    int64_t kept = input->dims[i] - shifts[i];
    spec.dims[i] = is_wrapped ? shifts[i] : kept;
    spec.from_steps[i] = spec.to_steps[i] = steps[i];
    spec.from_offset += is_wrapped ? kept * steps[i] : 0;
    spec.to_offset += is_wrapped ? 0 : shifts[i] * steps[i];
  }
  return berth_moves_add(op, moves, &spec, 0, op->input_count, err);
}

berth_code_t berth_op_roll(berth_case_t *op, berth_moves_t *moves,
                           berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t shifts[BERTH_MAX_RANK] = {0};
  berth_moves_init(moves, input->dtype);
  BERTH_TRY(read_shifts(op, shifts, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  if (input->count == 0) return BERTH_OK;
  unsigned turned = 0;
  for (int32_t i = 0; i < input->rank && i < 32; ++i) {
    if (shifts[i] != 0) turned |= 1U << i;
  }
  if (turned == 0) op->alias = 0;
  if (turned == 0) return BERTH_OK;
  // All subsets of the turned dimensions.
  for (unsigned wraps = turned;; wraps = (wraps - 1) & turned) {
    BERTH_TRY(roll_add(op, moves, shifts, wraps, err));
    if (wraps == 0) return BERTH_OK;
  }
}

// ---- ReverseSequence ----

static berth_code_t check_sequence(const berth_case_t *op, int64_t along,
                                   int64_t batch, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const berth_case_input_t *lengths = &op->inputs[1];
  if (batch == along) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "batch_dim == seq_dim == %lld", (long long)along);
  }
  if (lengths->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "seq_lengths must be 1-dim, not %d",
                           (int)lengths->rank);
  }
  if (along < 0 || along >= input->rank || batch < 0 || batch >= input->rank) {
    bool is_along = along < 0 || along >= input->rank;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s_dim must be < input rank ( %lld vs. %d)",
                           is_along ? "seq" : "batch",
                           (long long)(is_along ? along : batch),
                           (int)input->rank);
  }
  if (lengths->count != input->dims[batch]) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Length of seq_lengths != input.dims(%lld), (%lld vs. %lld)",
        (long long)batch, (long long)lengths->count,
        (long long)input->dims[batch]);
  }
  for (int64_t i = 0; i < lengths->count; ++i) {
    int64_t length = berth_value_int(lengths, i);
    if (length < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT, "seq_lens(%lld) < 0",
                             (long long)i);
    }
    if (length > input->dims[along]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "seq_lens(%lld) > input.dims(%lld)", (long long)i,
                             (long long)along);
    }
  }
  return BERTH_OK;
}

// Adds the elements [begin, end) of row |row|, which are turned round or not.
static berth_code_t sequence_add(berth_case_t *op, berth_moves_t *moves,
                                 int32_t along, int32_t batch, int64_t row,
                                 int64_t begin, int64_t end, bool turns,
                                 berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t steps[BERTH_MAX_RANK];
  berth_move_spec_t spec = {.rank = input->rank};
  berth_move_steps(berth_case_input_dims(op, 0), steps);
  for (int32_t i = 0; i < input->rank; ++i) {
    spec.dims[i] = i == batch ? 1 : input->dims[i];
    spec.from_steps[i] = spec.to_steps[i] = steps[i];
  }
  spec.dims[along] = end - begin;
  spec.to_offset = row * steps[batch] + begin * steps[along];
  spec.from_offset = spec.to_offset;
  if (turns) {
    spec.from_offset += (end - begin - 1) * steps[along];
    spec.from_steps[along] = -steps[along];
  }
  return berth_moves_add(op, moves, &spec, 0, op->input_count, err);
}

berth_code_t berth_op_reverse_sequence(berth_case_t *op, berth_moves_t *moves,
                                       berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  int64_t along = berth_node_attr_int(op->node, "seq_dim", 0);
  int64_t batch = berth_node_attr_int(op->node, "batch_dim", 0);
  berth_moves_init(moves, input->dtype);
  BERTH_TRY(check_sequence(op, along, batch, err));
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  if (input->count == 0) return BERTH_OK;
  for (int64_t i = 0; i < op->inputs[1].count; ++i) {
    int64_t length = berth_value_int(&op->inputs[1], i);
    BERTH_TRY(sequence_add(op, moves, (int32_t)along, (int32_t)batch, i, 0,
                           length, true, err));
    BERTH_TRY(sequence_add(op, moves, (int32_t)along, (int32_t)batch, i, length,
                           input->dims[along], false, err));
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(roll) {
  BERTH_TRY(berth_shape_rank_at_least(berth_shape_in(c, 0), 1, err));
  BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, 1), 1, err));
  BERTH_TRY(berth_shape_rank_at_most(berth_shape_in(c, 2), 1, err));
  c->outputs[0] = berth_shape_in(c, 0);
  return BERTH_OK;
}

BERTH_INFER(reverse_sequence) {
  berth_dims_t in = berth_shape_in(c, 0), lengths;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &lengths, err));
  if (in.rank < 0) return BERTH_OK;
  int64_t along = berth_node_attr_int(c->node, "seq_dim", 0);
  int64_t batch = berth_node_attr_int(c->node, "batch_dim", 0);
  if (batch >= in.rank || along >= in.rank) {
    bool is_batch = batch >= in.rank;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s_dim must be < input rank: %lld vs. %d",
                           is_batch ? "batch" : "seq",
                           (long long)(is_batch ? batch : along), (int)in.rank);
  }
  if (batch < 0 || along < 0) return BERTH_OK;
  int64_t rows = -1;
  BERTH_TRY(
      berth_shape_merge_dims(in.dims[batch], lengths.dims[0], &rows, err));
  return berth_shape_replace(c, in, (int32_t)batch, rows, &c->outputs[0], err);
}
