// shape.c - Kernels that say what shape a tensor has.
//
// Everything is known when the kernel is prepared (op/shape.h): run copies
// bytes to the outputs.
#include "op/shape.h"

#include <string.h>

#include "cpu/kernels.h"

typedef struct plan {
  int32_t first, count;  // Outputs among the arguments.
  const berth_answer_t *answers;
} plan_t;

static berth_code_t run_answers(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  for (int32_t i = 0; i < plan->count; ++i) {
    const berth_answer_t *answer = &plan->answers[i];
    if (answer->size == 0) continue;
    memcpy(args[plan->first + i], answer->bytes, answer->size);
  }
  return BERTH_OK;
}

static berth_code_t prepare_answers(berth_prepare_t *prepare,
                                    berth_answers_fn ask, berth_error_t *err) {
  const berth_answer_t *answers = NULL;
  BERTH_TRY(ask(&prepare->op, &answers, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){prepare->op.input_count, prepare->op.output_count, answers};
  prepare->run = run_answers;
  return BERTH_OK;
}

// Defines prepare_<name>(), which answers as berth_op_<name>() says.
#define ANSWERS(name)                                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return prepare_answers(prepare, berth_op_##name, err);     \
  }

ANSWERS(shape)
ANSWERS(shape_n)
ANSWERS(size)
ANSWERS(rank)

const berth_kernel_t berth_cpu_shape_kernels[] = {
    {.op = "Shape",
     .types = {{"out_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_shape},
    {.op = "ShapeN",
     .types = {{"out_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_shape_n},
    {.op = "Size",
     .types = {{"out_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_size},
    {.op = "Rank", .prepare = prepare_rank},
    {.op = NULL},
};
