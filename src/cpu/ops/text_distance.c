// text_distance.c - EditDistance: how many insertions, deletions and
// replacements make one sequence of another.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "op/text.h"
#include "op/types.h"
#include "tensor/string.h"

// A sequence of one side: elements [begin, begin + size).
typedef struct part {
  int64_t begin, size;
} part_t;

typedef struct side {
  const void *values;
  part_t *parts;  // Of each group.
} side_t;

// Finds the parts of a side, the first or the second.
static berth_code_t find_parts(const berth_edit_distance_t *plan,
                               void *const *args, int which, side_t *side,
                               berth_error_t *err) {
  const int64_t *at = args[3 * which];
  side->values = args[3 * which + 1];
  for (int64_t i = 0; i < plan->counts[which]; ++i) {
    int64_t group = 0;
    for (int32_t d = 0; d + 1 < plan->rank; ++d) {
      group += at[i * plan->rank + d] * plan->steps[d];
    }
    if (group < 0 || group >= plan->groups) {
      return berth_error_set(
          err, BERTH_INTERNAL,
          "Got an inner product %lld which would require writing to outside of "
          "the buffer for the output tensor (max elements %lld)",
          (long long)group, (long long)plan->groups);
    }
    part_t *part = &side->parts[group];
    if (part->size++ == 0) part->begin = i;
  }
  return BERTH_OK;
}

static bool is_equal(berth_dtype_t dtype, const void *a, int64_t i,
                     const void *b, int64_t k) {
  if (dtype == BERTH_STRING) {
    return berth_string_equal(&((const berth_string_t *)a)[i],
                              &((const berth_string_t *)b)[k]);
  }
  if ((BERTH_TYPES_FLOATING >> dtype & 1) != 0) {
    return berth_number_at(dtype, a, i) == berth_number_at(dtype, b, k);
  }
  size_t size = berth_dtype_size(dtype);
  return memcmp((const char *)a + (size_t)i * size,
                (const char *)b + (size_t)k * size, size) == 0;
}

// Returns the distance of two sequences; |row| has room for one of |y|, and one
// more.
static int64_t distance(berth_dtype_t dtype, const void *x, part_t a,
                        const void *y, part_t b, int64_t *row) {
  for (int64_t k = 0; k <= b.size; ++k) row[k] = k;
  for (int64_t i = 0; i < a.size; ++i) {
    int64_t corner = row[0];
    row[0] = i + 1;
    for (int64_t k = 0; k < b.size; ++k) {
      int64_t above = row[k + 1], left = row[k];
      int64_t best = (above < left ? above : left) + 1;
      bool same = is_equal(dtype, x, a.begin + i, y, b.begin + k);
      if (corner + (same ? 0 : 1) < best) best = corner + (same ? 0 : 1);
      corner = above;
      row[k + 1] = best;
    }
  }
  return row[b.size];
}

static float score(const berth_edit_distance_t *plan, int64_t steps,
                   int64_t truth) {
  if (!plan->normalizes || steps == 0) return (float)steps;
  return truth == 0 ? INFINITY : (float)steps / (float)truth;
}

static berth_code_t run_distance(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const berth_edit_distance_t *plan = arg;
  size_t groups = (size_t)plan->groups;
  side_t guess = {.parts = berth_calloc(groups, sizeof(part_t))};
  side_t truth = {.parts = berth_calloc(groups, sizeof(part_t))};
  int64_t *row = berth_calloc((size_t)plan->counts[0] + 1, sizeof(*row));
  float *out = args[6];
  berth_code_t code = BERTH_OK;
  if (guess.parts == NULL || truth.parts == NULL || row == NULL) {
    code = berth_error_no_memory(call->err, "sequences");
  }
  if (code == BERTH_OK) code = find_parts(plan, args, 0, &guess, call->err);
  if (code == BERTH_OK) code = find_parts(plan, args, 1, &truth, call->err);
  for (int64_t g = 0; code == BERTH_OK && g < plan->groups; ++g) {
    if (berth_cpu_has_ended(call)) break;
    int64_t steps = distance(plan->dtype, truth.values, truth.parts[g],
                             guess.values, guess.parts[g], row);
    out[g] = score(plan, steps, truth.parts[g].size);
  }
  berth_free(guess.parts);
  berth_free(truth.parts);
  berth_free(row);
  return code;
}

static berth_code_t prepare_distance(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_edit_distance_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_distance;
  prepare->work = prepare->op.inputs[1].count * 50;
  return berth_op_edit_distance(&prepare->op, plan, err);
}

const berth_kernel_t berth_cpu_text_distance_kernels[] = {
    {.op = "EditDistance",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_distance},
    {.op = NULL},
};
