// format.c - The kernels DataFormatDimMap and DataFormatVecPermute: numbers of
// dimensions, and what is said of each, when the order of dimensions changes.
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "op/types.h"
#include "op/value.h"

enum { DIMS = 5 };

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct plan {
  const char *source, *target;  // Of |rank| letters each.
  int64_t rank, count;
  berth_dtype_t dtype;
  int64_t rows, width;  // Of what is permuted: |width| numbers each.
} plan_t;

// True when each letter of |source| is once in |target|, and once in itself.
static bool is_permutation(const char *source, const char *target) {
  if (strlen(source) != strlen(target)) return false;
  for (const char *c = source; *c != '\0'; ++c) {
    const char *at = strchr(target, *c);
    if (at == NULL || strchr(at + 1, *c) != NULL || strchr(c + 1, *c) != NULL) {
      return false;
    }
  }
  return true;
}

static berth_code_t read_formats(const berth_node_t *node, plan_t *plan,
                                 berth_error_t *err) {
  plan->source = berth_node_attr_string(node, "src_format", "");
  plan->target = berth_node_attr_string(node, "dst_format", "");
  size_t source = strlen(plan->source), target = strlen(plan->target);
  plan->rank = (int64_t)source;
  if (source != 4 && source != 5) {
    return INVALID(
        "Source format must be of length 4 or 5, received "
        "src_format = %s",
        plan->source);
  }
  if (target != 4 && target != 5) {
    return INVALID(
        "Destination format must be of length 4 or 5, received "
        "dst_format = %s",
        plan->target);
  }
  if (is_permutation(plan->source, plan->target)) return BERTH_OK;
  return INVALID(
      "Destination and source format must determine a permutation, "
      "got %s and %s",
      plan->source, plan->target);
}

static berth_code_t begin(berth_prepare_t *prepare, plan_t **out_plan,
                          berth_error_t *err) {
  const berth_case_input_t *in = &prepare->op.inputs[0];
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(read_formats(prepare->op.node, plan, err));
  plan->dtype = in->dtype;
  plan->count = in->count;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  *out_plan = plan;
  return BERTH_OK;
}

// ---- DataFormatDimMap ----

// What lies further out than one turn stays out: it is the last but one, as
// TensorFlow has it.
static berth_code_t run_map(const void *data, void *const *args,
                            berth_call_t *call) {
  (void)call;
  const plan_t *plan = data;
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t at =
        (berth_index_get(plan->dtype, args[0], i) + plan->rank) % plan->rank;
    if (at < 0) at = plan->rank - 1;
    const char *to = strchr(plan->target, plan->source[at]);
    berth_index_set(plan->dtype, args[1], i, to - plan->target);
  }
  return BERTH_OK;
}

static berth_code_t prepare_map(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(begin(prepare, &plan, err));
  prepare->run = run_map;
  prepare->work = plan->count * 5;
  return BERTH_OK;
}

// ---- DataFormatVecPermute ----

static berth_code_t check_vector(const berth_case_input_t *in, plan_t *plan,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  int full = (int)plan->rank, space = full - 2;
  if (in->rank != 1 && in->rank != 2) {
    return INVALID("input must be a vector or 2D tensor, but got shape %s",
                   berth_input_text(in, text));
  }
  if (in->rank == 1 && in->dims[0] != full && in->dims[0] != space) {
    return INVALID("1D input must be of size %d or %d, but got shape %s", space,
                   full, berth_input_text(in, text));
  }
  if (in->dims[0] != full && in->dims[0] != space) {
    return INVALID(
        "First dimension of 2D input must be of size %d or %d, but "
        "got shape %s",
        space, full, berth_input_text(in, text));
  }
  if (in->rank == 2 && in->dims[1] != 2) {
    return INVALID(
        "Second dimension of 2D input must be of size 2, but got "
        "shape %s",
        berth_input_text(in, text));
  }
  plan->rows = in->dims[0];
  plan->width = in->rank == 2 ? 2 : 1;
  return BERTH_OK;
}

// Copies the letters of |from| that are about space, or all of them.
static void keep_letters(const plan_t *plan, const char *from, char *to) {
  for (; *from != '\0'; ++from) {
    bool is_space = *from != 'N' && *from != 'C';
    if (plan->rows == plan->rank || is_space) *to++ = *from;
  }
  *to = '\0';
}

static berth_code_t run_permute(const void *data, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const plan_t *plan = data;
  char source[DIMS + 1], target[DIMS + 1];
  keep_letters(plan, plan->source, source);
  keep_letters(plan, plan->target, target);
  for (int64_t i = 0; i < plan->count; ++i) {
    int64_t from = i / plan->width;
    const char *to = strchr(target, source[from]);
    berth_index_set(plan->dtype, args[1],
                    (to - target) * plan->width + i % plan->width,
                    berth_index_get(plan->dtype, args[0], i));
  }
  return BERTH_OK;
}

static berth_code_t prepare_permute(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(begin(prepare, &plan, err));
  BERTH_TRY(check_vector(&prepare->op.inputs[0], plan, err));
  prepare->run = run_permute;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_format_kernels[] = {
    {.op = "DataFormatDimMap",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_map},
    {.op = "DataFormatVecPermute",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_permute},
    {.op = NULL},
};
