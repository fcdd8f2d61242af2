// shape.h - Ops that say what shape a tensor has: Shape, ShapeN, Size, Rank.
//
// What they say is known before they run: the work is to put bytes into the
// outputs. All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED.
#ifndef BERTH_OP_SHAPE_H_
#define BERTH_OP_SHAPE_H_

#include "op/case.h"

// The contents of an output, in the op's arena.
typedef struct berth_answer {
  const void *bytes;
  size_t size;
} berth_answer_t;

// How one of them is asked: checks |op|, sets its outputs and stores what they
// hold, one answer per output.
typedef berth_code_t (*berth_answers_fn)(berth_case_t *op,
                                         const berth_answer_t **out_answers,
                                         berth_error_t *err);

// Declares berth_op_<name>(), a berth_answers_fn.
#define BERTH_OP_ANSWERS(name)                              \
  BERTH_NODISCARD berth_code_t berth_op_##name(             \
      berth_case_t *op, const berth_answer_t **out_answers, \
      berth_error_t *err)

BERTH_OP_ANSWERS(shape);
BERTH_OP_ANSWERS(shape_n);
BERTH_OP_ANSWERS(size);
BERTH_OP_ANSWERS(rank);

#endif  // BERTH_OP_SHAPE_H_
