// distinct.c - Unique along an axis and with counts, and ListDiff.
//
// The tensor is seen as [outer, length, inner]; what is compared are its
// |length| slices. Vectors go through the faster search of Unique.
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "kernel/places.h"
#include "kernel/unique.h"
#include "op/group.h"
#include "op/types.h"
#include "tensor/string.h"

// True when element |i| of |a| equals element |k| of |b|.
static bool is_equal(const berth_tensor_t *a, int64_t i,
                     const berth_tensor_t *b, int64_t k) {
  if (a->dtype == BERTH_STRING) {
    return berth_string_equal((const berth_string_t *)a->data + i,
                              (const berth_string_t *)b->data + k);
  }
  if (a->dtype == BERTH_INT64 || a->dtype == BERTH_UINT64) {
    return ((const int64_t *)a->data)[i] == ((const int64_t *)b->data)[k];
  }
  return berth_number_at(a->dtype, a->data, i) ==
         berth_number_at(b->dtype, b->data, k);
}

// ---- Unique ----

// Stores in |*out_counts| how often each of |count| places is in |index|.
static berth_code_t count_places(const berth_tensor_t *index, int64_t count,
                                 berth_call_t *call,
                                 berth_tensor_t **out_counts) {
  BERTH_TRY(berth_tensor_make(call->allocator, index->dtype, 1, &count, count,
                              out_counts, call->err));
  void *counts = (*out_counts)->data;
  memset(counts, 0, (*out_counts)->size);
  for (int64_t i = 0; i < index->count; ++i) {
    int64_t at = berth_index_at(index->dtype, index->data, i);
    int64_t now = berth_index_at(index->dtype, counts, at);
    berth_index_set(index->dtype, counts, at, now + 1);
  }
  return BERTH_OK;
}

// A tensor as slices along an axis.
typedef struct slices {
  const berth_tensor_t *in;
  int64_t outer, length, inner;
} slices_t;

static bool slices_equal(const slices_t *s, int64_t a, int64_t b) {
  for (int64_t o = 0; o < s->outer; ++o) {
    int64_t first = o * s->length;
    for (int64_t i = 0; i < s->inner; ++i) {
      if (!is_equal(s->in, (first + a) * s->inner + i, s->in,
                    (first + b) * s->inner + i)) {
        return false;
      }
    }
  }
  return true;
}

// Finds the different slices: |firsts| says where each first stands, |index|
// which of them each slice is. Returns how many; -1 when the run has ended.
static int64_t find_slices(const slices_t *s, int64_t *firsts,
                           berth_tensor_t *index, const berth_call_t *call) {
  int64_t found = 0;
  for (int64_t i = 0; i < s->length; ++i) {
    int64_t k = 0;
    while (k < found && !slices_equal(s, firsts[k], i)) ++k;
    if (k == found) firsts[found++] = i;
    berth_index_set(index->dtype, index->data, i, k);
    if (i % 256 == 255 && berth_cpu_has_ended(call)) return -1;
  }
  return found;
}

static berth_code_t copy_slices(const slices_t *s, int32_t axis,
                                const int64_t *firsts, int64_t found,
                                berth_call_t *call) {
  int64_t dims[BERTH_MAX_RANK];
  berth_tensor_t *out = NULL;
  size_t size = berth_dtype_size(s->in->dtype);
  for (int32_t i = 0; i < s->in->rank; ++i) dims[i] = s->in->dims[i];
  dims[axis] = found;
  BERTH_TRY(berth_tensor_make(call->allocator, s->in->dtype, s->in->rank, dims,
                              s->outer * found * s->inner, &out, call->err));
  for (int64_t o = 0; o < s->outer && s->inner > 0; ++o) {
    for (int64_t k = 0; k < found; ++k) {
      int64_t from = (o * s->length + firsts[k]) * s->inner;
      int64_t to = (o * found + k) * s->inner;
      if (!berth_elements_copy(
              s->in->dtype, (char *)out->data + (size_t)to * size,
              (const char *)s->in->data + (size_t)from * size, s->inner)) {
        berth_tensor_release(out);
        return berth_error_no_memory(call->err, "the elements of a tensor");
      }
    }
  }
  call->outputs[0] = out;
  return BERTH_OK;
}

static berth_code_t unique_slices(int32_t axis, berth_call_t *call) {
  const berth_tensor_t *in = call->inputs[0];
  slices_t s = {in, 1, in->dims[axis], 1};
  for (int32_t i = 0; i < axis; ++i) s.outer *= in->dims[i];
  for (int32_t i = axis + 1; i < in->rank; ++i) s.inner *= in->dims[i];
  int64_t *firsts = berth_calloc((size_t)s.length + 1, sizeof(*firsts));
  if (firsts == NULL) return berth_error_no_memory(call->err, "slices");
  berth_code_t code =
      berth_tensor_make(call->allocator, call->node->output_types[1], 1,
                        &s.length, s.length, &call->outputs[1], call->err);
  int64_t found = 0;
  if (code == BERTH_OK) {
    found = find_slices(&s, firsts, call->outputs[1], call);
    code = found < 0 ? berth_cpu_ended(call)
                     : copy_slices(&s, axis, firsts, found, call);
  }
  berth_free(firsts);
  return code;
}

static berth_code_t run_unique(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  const int32_t *axis = plan;
  const berth_tensor_t *in = call->inputs[0];
  for (int i = 0; i < call->node->output_count; ++i) call->outputs[i] = NULL;
  berth_code_t code =
      in->rank == 1 ? berth_unique_find(in, call->node->output_types[1], call)
                    : unique_slices(*axis, call);
  if (code == BERTH_OK && call->node->output_count > 2) {
    code = count_places(call->outputs[1], call->outputs[0]->dims[*axis], call,
                        &call->outputs[2]);
  }
  for (int i = 0; code != BERTH_OK && i < call->node->output_count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  return code;
}

static berth_code_t prepare_unique(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  int32_t *axis = berth_prepare_plan(prepare, sizeof(*axis));
  if (axis == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_unique_along(&prepare->op, axis, err));
  prepare->run = run_unique;
  prepare->work = prepare->op.inputs[0].count * 50;
  return BERTH_OK;
}

// ---- ListDiff ----

// Marks the elements of |x| that are not in |y|. Returns how many; -1 when the
// run has ended.
static int64_t find_rest(const berth_tensor_t *x, const berth_tensor_t *y,
                         bool *is_left, const berth_call_t *call) {
  int64_t left = 0;
  for (int64_t i = 0; i < x->count; ++i) {
    int64_t k = 0;
    while (k < y->count && !is_equal(x, i, y, k)) ++k;
    is_left[i] = k == y->count;
    left += is_left[i];
    if (i % 256 == 255 && berth_cpu_has_ended(call)) return -1;
  }
  return left;
}

static berth_code_t make_rest(const berth_tensor_t *x, const bool *is_left,
                              int64_t left, berth_call_t *call) {
  size_t size = berth_dtype_size(x->dtype);
  berth_dtype_t index_type = call->node->output_types[1];
  BERTH_TRY(berth_tensor_make(call->allocator, x->dtype, 1, &left, left,
                              &call->outputs[0], call->err));
  BERTH_TRY(berth_tensor_make(call->allocator, index_type, 1, &left, left,
                              &call->outputs[1], call->err));
  int64_t at = 0;
  for (int64_t i = 0; i < x->count; ++i) {
    if (!is_left[i]) continue;
    if (!berth_elements_copy(x->dtype,
                             (char *)call->outputs[0]->data + (size_t)at * size,
                             (const char *)x->data + (size_t)i * size, 1)) {
      return berth_error_no_memory(call->err, "the elements of a tensor");
    }
    berth_index_set(index_type, call->outputs[1]->data, at++, i);
  }
  return BERTH_OK;
}

static berth_code_t run_list_diff(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *x = call->inputs[0], *y = call->inputs[1];
  bool *is_left = berth_calloc((size_t)x->count + 1, sizeof(*is_left));
  if (is_left == NULL) return berth_error_no_memory(call->err, "a list");
  call->outputs[0] = call->outputs[1] = NULL;
  int64_t left = find_rest(x, y, is_left, call);
  berth_code_t code =
      left < 0 ? berth_cpu_ended(call) : make_rest(x, is_left, left, call);
  for (int i = 0; code != BERTH_OK && i < 2; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  berth_free(is_left);
  return code;
}

static berth_code_t prepare_list_diff(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  prepare->run = run_list_diff;
  prepare->work = prepare->op.inputs[0].count * 10;
  return berth_op_list_diff(&prepare->op, err);
}

#define TYPES (BERTH_TYPES_REAL | BERTH_TYPE(BOOL) | BERTH_TYPE(STRING))
#define UNIQUE(name)                                                     \
  {                                                                      \
    .op = name, .types = {{"T", TYPES}, {"out_idx", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_unique                                            \
  }

const berth_kernel_t berth_cpu_distinct_kernels[] = {
    UNIQUE("UniqueV2"),
    UNIQUE("UniqueWithCounts"),
    UNIQUE("UniqueWithCountsV2"),
    {.op = "ListDiff",
     .types = {{"T", BERTH_TYPES_REAL | BERTH_TYPE(STRING)},
               {"out_idx", BERTH_TYPES_INDEX}},
     .prepare = prepare_list_diff},
    {.op = NULL},
};
