// shape.c - Ops that say what shape a tensor has: Shape, ShapeN, Size, Rank.
#include "op/shape.h"

#include "op/group.h"
#include "op/value.h"

#include <string.h>

#include "graph/shape_fn.h"

// Makes room for the answers of |op|.
static berth_answer_t *answers_make(berth_case_t *op) {
  return berth_arena_calloc(op->arena, (size_t)op->output_count + 1,
                            sizeof(berth_answer_t));
}

// Makes |values| the contents of output |index|, in its type and |dims|.
static berth_code_t answer_set(berth_case_t *op, int index, berth_dims_t dims,
                               const int64_t *values, int32_t count,
                               berth_answer_t *answer, berth_error_t *err) {
  bool is_wide = op->node->output_types[index] == BERTH_INT64;
  size_t width = is_wide ? sizeof(int64_t) : sizeof(int32_t);
  char *bytes = berth_arena_calloc(op->arena, (size_t)count + 1, width);
  if (bytes == NULL) return berth_error_no_memory(err, "a plan");
  for (int32_t i = 0; i < count; ++i) {
    int32_t narrow = (int32_t)values[i];
    memcpy(bytes + (size_t)i * width,
           is_wide ? (const void *)&values[i] : (const void *)&narrow, width);
  }
  *answer = (berth_answer_t){bytes, (size_t)count * width};
  berth_case_output(op, index, dims);
  return BERTH_OK;
}

static berth_code_t answer_shape(berth_case_t *op, int index,
                                 berth_answer_t *answer, berth_error_t *err) {
  const berth_case_input_t *tensor = &op->inputs[index];
  return answer_set(op, index, BERTH_SHAPE(tensor->rank), tensor->dims,
                    tensor->rank, answer, err);
}

// Answers with one number.
static berth_code_t answer_number(berth_case_t *op, int64_t number,
                                  const berth_answer_t **out_answers,
                                  berth_error_t *err) {
  berth_answer_t *answers = answers_make(op);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  *out_answers = answers;
  return answer_set(op, 0, BERTH_SCALAR, &number, 1, answers, err);
}

// Returns the first dimension of input |index| that 32 bits do not hold, or -1.
static int32_t find_wide_dim(const berth_case_t *op, int index) {
  const berth_case_input_t *tensor = &op->inputs[index];
  if (op->node->output_types[index] == BERTH_INT64) return -1;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    if (tensor->dims[i] > INT32_MAX) return i;
  }
  return -1;
}

berth_code_t berth_op_shape(berth_case_t *op,
                            const berth_answer_t **out_answers,
                            berth_error_t *err) {
  int32_t wide = find_wide_dim(op, 0);
  if (wide >= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape output type is 32-bit  but dim %d is %lld",
                           (int)wide, (long long)op->inputs[0].dims[wide]);
  }
  berth_answer_t *answers = answers_make(op);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  *out_answers = answers;
  return answer_shape(op, 0, answers, err);
}

berth_code_t berth_op_shape_n(berth_case_t *op,
                              const berth_answer_t **out_answers,
                              berth_error_t *err) {
  berth_answer_t *answers = answers_make(op);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  for (int i = 0; i < op->input_count; ++i) {
    int32_t wide = find_wide_dim(op, i);
    if (wide >= 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "ShapeN output type is 32-bit but shape %d dim "
                             "%d is %lld",
                             i, (int)wide, (long long)op->inputs[i].dims[wide]);
    }
    BERTH_TRY(answer_shape(op, i, &answers[i], err));
  }
  *out_answers = answers;
  return BERTH_OK;
}

berth_code_t berth_op_size(berth_case_t *op, const berth_answer_t **out_answers,
                           berth_error_t *err) {
  int64_t count = op->inputs[0].count;
  if (op->node->output_types[0] == BERTH_INT32 && count > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of elements was larger than representable "
                           "by 32-bit output type");
  }
  return answer_number(op, count, out_answers, err);
}

berth_code_t berth_op_rank(berth_case_t *op, const berth_answer_t **out_answers,
                           berth_error_t *err) {
  return answer_number(op, op->inputs[0].rank, out_answers, err);
}

// ---- Shapes as values ----

berth_code_t berth_op_broadcast_args(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  for (int i = 0; i < 2; ++i) {
    if (op->inputs[i].rank == 1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[%d] must be a vector.%s", i,
                           berth_input_text(&op->inputs[i], text));
  }
  int64_t a = op->inputs[0].count, b = op->inputs[1].count;
  int64_t most = a > b ? a : b;
  if (op->output_count == 1) {
    berth_case_output(op, 0, (berth_dims_t){1, &most});
    return BERTH_OK;
  }
  op->outputs[0].rank = op->outputs[1].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_op_concat_offset(berth_case_t *op, berth_error_t *err) {
  const berth_case_input_t *axis = &op->inputs[0];
  if (axis->rank != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Concat dim tensor should be a scalar integer, but got shape of rank "
        "%d",
        (int)axis->rank);
  }
  for (int i = 1; i < op->input_count; ++i) {
    const berth_case_input_t *shape = &op->inputs[i];
    if (shape->rank != 1) {
      char text[BERTH_DIMS_TEXT];
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "input %d should be a vector, but got shape %s", i,
                             berth_input_text(shape, text));
    }
    if (shape->count != op->inputs[1].count) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "input %d should contain %lld elements, but got "
                             "%lld",
                             i - 1, (long long)op->inputs[1].count,
                             (long long)shape->count);
    }
    berth_case_output(op, i - 1, berth_case_input_dims(op, i));
  }
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(shape) {
  for (int i = 0; i < c->node->output_count; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, berth_shape_in(c, i).rank, err));
  }
  return BERTH_OK;
}

BERTH_INFER(broadcast_args) {
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, NULL, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  int64_t a = berth_shape_dim(berth_shape_in(c, 0), 0);
  int64_t b = berth_shape_dim(berth_shape_in(c, 1), 0);
  return berth_shape_set_vector(c, 0, a < 0 || b < 0 ? -1 : a > b ? a : b, err);
}

BERTH_INFER(broadcast_gradient_args) {
  BERTH_TRY(berth_shape_set_vector(c, 0, -1, err));
  return berth_shape_set_vector(c, 1, -1, err);
}

BERTH_INFER(concat_offset) {
  for (int i = 1; i < berth_shape_inputs(c); ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1,
                                    &c->outputs[i - 1], err));
  }
  return BERTH_OK;
}
