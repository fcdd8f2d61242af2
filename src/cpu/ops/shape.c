// shape.c - Kernels that say what shape a tensor has.
//
// Everything is known when the kernel is prepared: the plan holds the bytes of
// the outputs, and run copies them.
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "op/value.h"

// One output: its bytes and the argument they go to.
typedef struct answer {
  int32_t arg;
  int32_t size;
  const void *bytes;
} answer_t;

typedef struct answers {
  int32_t count;
  answer_t items[];
} answers_t;

static berth_code_t run_answers(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const answers_t *answers = plan;
  for (int32_t i = 0; i < answers->count; ++i) {
    const answer_t *item = &answers->items[i];
    if (item->size > 0)
      memcpy(args[item->arg], item->bytes, (size_t)item->size);
  }
  return BERTH_OK;
}

// Begins a plan with |count| answers.
static answers_t *answers_begin(berth_prepare_t *prepare, int count) {
  prepare->run = run_answers;
  return berth_prepare_plan(
      prepare, sizeof(answers_t) + (size_t)count * sizeof(answer_t));
}

// Makes |values| the contents of the next output, in its type and |dims|.
static berth_code_t answers_add(berth_prepare_t *prepare, answers_t *answers,
                                berth_dims_t dims, const int64_t *values,
                                int32_t count, berth_error_t *err) {
  int output = answers->count;
  bool is_wide = prepare->op.node->output_types[output] == BERTH_INT64;
  size_t width = is_wide ? sizeof(int64_t) : sizeof(int32_t);
  char *bytes = berth_arena_calloc(prepare->op.arena, (size_t)count + 1, width);
  if (bytes == NULL) return berth_error_no_memory(err, "a plan");
  for (int32_t i = 0; i < count; ++i) {
    int32_t narrow = (int32_t)values[i];
    memcpy(bytes + (size_t)i * width,
           is_wide ? (const void *)&values[i] : (const void *)&narrow, width);
  }
  answers->items[answers->count++] =
      (answer_t){prepare->op.input_count + output,
                 (int32_t)((size_t)count * width), bytes};
  berth_op_output(&prepare->op, output, dims);
  return BERTH_OK;
}

static berth_code_t add_shape(berth_prepare_t *prepare, answers_t *answers,
                              int input, berth_error_t *err) {
  const berth_op_input_t *tensor = &prepare->op.inputs[input];
  return answers_add(prepare, answers, BERTH_SHAPE(tensor->rank), tensor->dims,
                     tensor->rank, err);
}

// Returns the first dimension of |input| that 32 bits do not hold, or -1.
static int32_t find_wide_dim(const berth_prepare_t *prepare, int input) {
  const berth_op_input_t *tensor = &prepare->op.inputs[input];
  if (prepare->op.node->output_types[input] == BERTH_INT64) return -1;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    if (tensor->dims[i] > INT32_MAX) return i;
  }
  return -1;
}

static berth_code_t prepare_shape(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  int32_t wide = find_wide_dim(prepare, 0);
  if (wide >= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape output type is 32-bit  but dim %d is %lld",
                           (int)wide,
                           (long long)prepare->op.inputs[0].dims[wide]);
  }
  answers_t *answers = answers_begin(prepare, 1);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  return add_shape(prepare, answers, 0, err);
}

static berth_code_t prepare_shape_n(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  answers_t *answers = answers_begin(prepare, prepare->op.input_count);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  for (int i = 0; i < prepare->op.input_count; ++i) {
    int32_t wide = find_wide_dim(prepare, i);
    if (wide >= 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "ShapeN output type is 32-bit but shape %d dim "
                             "%d is %lld",
                             i, (int)wide,
                             (long long)prepare->op.inputs[i].dims[wide]);
    }
    BERTH_TRY(add_shape(prepare, answers, i, err));
  }
  return BERTH_OK;
}

static berth_code_t prepare_size(berth_prepare_t *prepare, berth_error_t *err) {
  int64_t count = prepare->op.inputs[0].count;
  if (prepare->op.node->output_types[0] == BERTH_INT32 && count > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of elements was larger than representable "
                           "by 32-bit output type");
  }
  answers_t *answers = answers_begin(prepare, 1);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  return answers_add(prepare, answers, BERTH_SCALAR, &count, 1, err);
}

static berth_code_t prepare_rank(berth_prepare_t *prepare, berth_error_t *err) {
  int64_t rank = prepare->op.inputs[0].rank;
  answers_t *answers = answers_begin(prepare, 1);
  if (answers == NULL) return berth_error_no_memory(err, "a plan");
  return answers_add(prepare, answers, BERTH_SCALAR, &rank, 1, err);
}

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
