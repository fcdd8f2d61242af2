// kernels.c - What the toy can compute: moves of elements, and Neg of floats.
//
// What is moved, and every check before it, is the op's own business
// (op/array.h); a kernel turns the description into code.
#include "kernel/kernel.h"

#include <string.h>

#include "op/array.h"
#include "toy.h"

// ---- Moves ----

// Walks the loops of |move| from level |level| on.
static void walk(const berth_move_t *move, int32_t level, const char *from,
                 char *to) {
  if (level == move->level_count) {
    memcpy(to, from, (size_t)move->size);
    return;
  }
  const berth_move_level_t *loop = &move->levels[level];
  for (int64_t i = 0; i < loop->count; ++i) {
    walk(move, level + 1, from + i * loop->from_step * move->size,
         to + i * loop->to_step * move->size);
  }
}

static berth_code_t run_moves(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)call;
  ++toy_kernels_queued;
  const berth_moves_t *moves = plan;
  for (const berth_move_t *move = moves->first; move != NULL;
       move = move->next) {
    walk(move, 0,
         (const char *)args[move->from_arg] + move->from_offset * move->size,
         (char *)args[move->to_arg] + move->to_offset * move->size);
  }
  return BERTH_OK;
}

static berth_code_t prepare_moves(berth_prepare_t *prepare,
                                  berth_moves_fn describe, berth_error_t *err) {
  berth_moves_t *moves = berth_prepare_plan(prepare, sizeof(*moves));
  if (moves == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_moves;
  return describe(&prepare->op, moves, err);
}

static berth_code_t prepare_transpose(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  return prepare_moves(prepare, berth_op_transpose, err);
}

static berth_code_t prepare_concat(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return prepare_moves(prepare, berth_op_concat_v2, err);
}

// ---- Neg ----

static berth_code_t run_neg(const void *plan, void *const *args,
                            berth_call_t *call) {
  (void)call;
  ++toy_kernels_queued;
  const float *from = args[0];
  float *to = args[1];
  for (int64_t i = 0; i < *(const int64_t *)plan; ++i) to[i] = -from[i];
  return BERTH_OK;
}

static berth_code_t prepare_neg(berth_prepare_t *prepare, berth_error_t *err) {
  int64_t *count = berth_prepare_plan(prepare, sizeof(*count));
  if (count == NULL) return berth_error_no_memory(err, "a plan");
  *count = prepare->op.inputs[0].count;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->run = run_neg;
  return BERTH_OK;
}

static const berth_kernel_t kernels[] = {
    {.op = "ConcatV2", .prepare = prepare_concat},
    {.op = "Neg",
     .types = {{"T", BERTH_DTYPE_BIT(BERTH_FLOAT)}},
     .prepare = prepare_neg},
    {.op = "Transpose", .prepare = prepare_transpose},
    {.op = NULL},
};

berth_code_t toy_add_kernels(berth_error_t *err) {
  return berth_kernel_add(&toy_backend, kernels, err);
}
