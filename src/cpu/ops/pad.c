// pad.c - The kernels Pad, PadV2 and StridedSliceGrad: an input among zeros or
// others. MirrorPad is moves alone (array.c).
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/move.h"
#include "op/array.h"

// Zeros everywhere, then the input.
typedef struct zero_plan {
  size_t bytes;    // Of the output,
  int32_t result;  // which is this argument.
  berth_run_fn run;
  const void *moves;
} zero_plan_t;

static berth_code_t run_zeros(const void *arg, void *const *args,
                              berth_call_t *call) {
  const zero_plan_t *plan = arg;
  memset(args[plan->result], 0, plan->bytes);
  return plan->run(plan->moves, args, call);
}

// Plans that there are zeros, and then the moves of |pad|.
static berth_code_t plan_zeros(berth_prepare_t *prepare, const berth_pad_t *pad,
                               berth_error_t *err) {
  BERTH_TRY(berth_cpu_moves_plan(prepare, &pad->inside, err));
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  berth_dtype_t dtype = pad->inside.dtype;
  // Strings are empty at first.
  if (prepare->op.alias >= 0 || count == 0 || !berth_dtype_is_plain(dtype)) {
    return BERTH_OK;
  }
  berth_run_fn run = prepare->run;
  const void *moves = prepare->plan;
  zero_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (zero_plan_t){(size_t)count * berth_dtype_size(dtype),
                        prepare->op.input_count, run, moves};
  prepare->run = run_zeros;
  return BERTH_OK;
}

// As the head of |chain|: a run, then the chain.
static berth_code_t run_head(const void *arg, void *const *args,
                             const berth_chain_t *chain, berth_call_t *call) {
  BERTH_TRY(run_zeros(arg, args, call));
  berth_chain_finish_all(chain);
  return BERTH_OK;
}

// Returns number |index| of the paddings.
static int64_t padding_at(const berth_case_input_t *paddings, int index) {
  return paddings->dtype == BERTH_INT64
             ? ((const int64_t *)paddings->value)[index]
             : ((const int32_t *)paddings->value)[index];
}

// Says what a convolution behind it can do itself.
static berth_code_t set_term(berth_prepare_t *prepare, berth_error_t *err) {
  enum { DIMS = 4 };
  const berth_case_input_t *image = &prepare->op.inputs[0];
  const berth_case_input_t *paddings = &prepare->op.inputs[1];
  berth_cpu_term_t *term = NULL;
  if (prepare->run != run_zeros || image->dtype != BERTH_FLOAT ||
      image->rank != DIMS || paddings->value == NULL) {
    return BERTH_OK;
  }
  int64_t *pads =
      berth_arena_alloc(prepare->op.arena, 2 * DIMS * sizeof(*pads));
  if (pads == NULL) return berth_error_no_memory(err, "a plan");
  for (int i = 0; i < 2 * DIMS; ++i) pads[i] = padding_at(paddings, i);
  BERTH_TRY(berth_cpu_head(prepare, 0, sizeof(float), &term, err));
  term->term.fed = 1;
  term->run = run_head;
  term->pads = pads;
  return BERTH_OK;
}

static berth_code_t prepare_pad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_pad_t pad;
  BERTH_TRY(berth_op_pad(&prepare->op, &pad, err));
  BERTH_TRY(plan_zeros(prepare, &pad, err));
  return set_term(prepare, err);
}

static berth_code_t prepare_slice_grad(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_pad_t pad;
  BERTH_TRY(berth_op_strided_slice_grad(&prepare->op, &pad, err));
  return plan_zeros(prepare, &pad, err);
}

// The constant again and again around the input: no place is written twice.
static berth_code_t prepare_pad_v2(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_pad_t pad;
  BERTH_TRY(berth_op_pad(&prepare->op, &pad, err));
  berth_moves_join(&pad.around, &pad.inside);
  return berth_cpu_moves_plan(prepare, &pad.around, err);
}

#define TYPES                                                    \
  (BERTH_TYPES_BASIC | BERTH_TYPE(STRING) | BERTH_TYPE(QINT32) | \
   BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8))

const berth_kernel_t berth_cpu_pad_kernels[] = {
    {.op = "Pad",
     .types = {{"T", TYPES}, {"Tpaddings", BERTH_TYPES_INDEX}},
     .prepare = prepare_pad},
    {.op = "PadV2",
     .types = {{"T", TYPES}, {"Tpaddings", BERTH_TYPES_INDEX}},
     .prepare = prepare_pad_v2},
    {.op = "StridedSliceGrad",
     .types = {{"T", TYPES | BERTH_TYPES_FLOAT8 | BERTH_TYPES_OBJECT},
               {"Index", BERTH_TYPES_INDEX}},
     .prepare = prepare_slice_grad},
    {.op = NULL},
};
