// transpose.c - The kernels Transpose and InvertPermutation.
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/value.h"

// ---- Transpose ----

// Says which dimension is missing from a permutation that repeats another.
static berth_code_t fail_missing(const int32_t *perm, int32_t rank,
                                 int32_t missing, berth_error_t *err) {
  berth_str_t text = {0};
  for (int32_t i = 0; i < rank; ++i) {
    berth_str_printf(&text, "%s%d", i > 0 ? "," : "", (int)perm[i]);
  }
  berth_code_t code =
      berth_error_set(err, BERTH_INVALID_ARGUMENT, "%d is missing from {%s}.",
                      (int)missing, berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

static berth_code_t read_perm(const berth_prepare_t *prepare, int32_t *perm,
                              berth_error_t *err) {
  const berth_kernel_input_t *input = &prepare->inputs[1];
  int32_t rank = prepare->inputs[0].rank;
  if (input->rank != 1) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "perm must be rank 1, got shape %s",
                           berth_input_text(input, text));
  }
  if (input->count != rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "transpose expects a vector of size %d. But "
                           "input(1) is a vector of size %lld",
                           (int)rank, (long long)input->count);
  }
  bool seen[BERTH_MAX_RANK] = {false};
  for (int32_t i = 0; i < rank; ++i) {
    int64_t dim = berth_value_int(input, i);
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "%lld is out of range [0 .. %d)", (long long)dim,
                             (int)rank);
    }
    perm[i] = (int32_t)dim;
    seen[dim] = true;
  }
  for (int32_t i = 0; i < rank; ++i) {
    if (!seen[i]) return fail_missing(perm, rank, i, err);
  }
  return BERTH_OK;
}

// True when only dimensions of one change places.
static bool keeps_order(const berth_kernel_input_t *x, const int32_t *perm) {
  int32_t last = -1;
  for (int32_t i = 0; i < x->rank; ++i) {
    if (x->dims[perm[i]] == 1) continue;
    if (perm[i] < last) return false;
    last = perm[i];
  }
  return true;
}

static berth_code_t prepare_transpose(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  const berth_kernel_input_t *x = &prepare->inputs[0];
  int32_t perm[BERTH_MAX_RANK];
  BERTH_TRY(read_perm(prepare, perm, err));
  berth_shape_t *shape = &prepare->outputs[0];
  shape->rank = x->rank;
  for (int32_t i = 0; i < x->rank; ++i) shape->dims[i] = x->dims[perm[i]];
  if (keeps_order(x, perm)) {
    prepare->alias = 0;
    return BERTH_OK;
  }
  if (x->count == 0) return berth_moves_none(prepare, err);
  berth_move_spec_t spec;
  int64_t steps[BERTH_MAX_RANK];
  berth_move_steps(berth_prepare_input_dims(prepare, 0), steps);
  spec.rank = x->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < x->rank; ++i) {
    spec.dims[i] = shape->dims[i];
    spec.from_steps[i] = steps[perm[i]];
  }
  berth_move_steps(berth_shape_dims(shape), spec.to_steps);
  return berth_moves_single(prepare, &spec, 0, err);
}

// ---- InvertPermutation ----

typedef struct inversion {
  int64_t count;
  bool is_wide;
} inversion_t;

static int64_t element(const inversion_t *plan, const void *data, int64_t i) {
  return plan->is_wide ? ((const int64_t *)data)[i]
                       : ((const int32_t *)data)[i];
}

static void set_element(const inversion_t *plan, void *data, int64_t i,
                        int64_t value) {
  if (plan->is_wide) {
    ((int64_t *)data)[i] = value;
  } else {
    ((int32_t *)data)[i] = (int32_t)value;
  }
}

static berth_code_t run_invert(const void *plan, void *const *args,
                               berth_call_t *call) {
  const inversion_t *inversion = plan;
  for (int64_t i = 0; i < inversion->count; ++i) {
    set_element(inversion, args[1], i, -1);
  }
  for (int64_t i = 0; i < inversion->count; ++i) {
    int64_t at = element(inversion, args[0], i);
    if (at < 0 || at >= inversion->count) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "%lld is not between 0 and %lld", (long long)at,
                             (long long)inversion->count);
    }
    if (element(inversion, args[1], at) != -1) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "%lld is duplicated in the input.", (long long)at);
    }
    set_element(inversion, args[1], at, i);
  }
  return BERTH_OK;
}

static berth_code_t prepare_invert(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_kernel_input_t *x = &prepare->inputs[0];
  if (x->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "invert_permutation expects a 1D vector.");
  }
  inversion_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->count = x->count;
  plan->is_wide = x->dtype == BERTH_INT64;
  berth_prepare_output(prepare, 0, berth_prepare_input_dims(prepare, 0));
  prepare->run = run_invert;
  prepare->work = x->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_transpose_kernels[] = {
    {.op = "Transpose",
     .types = {{"T",
                BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_OBJECT},
               {"Tperm", BERTH_TYPES_INDEX}},
     .prepare = prepare_transpose,
     .value_inputs = 2},
    {.op = "InvertPermutation",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_invert},
};
const int berth_cpu_transpose_kernel_count =
    BERTH_COUNT_OF(berth_cpu_transpose_kernels);
