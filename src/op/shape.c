// shape.c - Ops that say what shape a tensor has: Shape, ShapeN, Size, Rank.
#include "op/shape.h"

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

// ---- Shapes of a graph ----

BERTH_INFER(shape) {
  for (int i = 0; i < c->node->output_count; ++i) {
    BERTH_TRY(berth_shape_set_vector(c, i, berth_shape_in(c, i).rank, err));
  }
  return BERTH_OK;
}
