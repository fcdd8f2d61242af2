// unique.c - Unique: the different elements of a vector, and which each one is.
//
// How many there are is known at the end, so the kernel makes its outputs
// itself. A map leads from the bytes of an element to its place among them.
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/types.h"
#include "op/value.h"
#include "tensor/string.h"

typedef struct plan {
  berth_dtype_t dtype, index_type;
  size_t size;  // Bytes of an element.
  int64_t count;
} plan_t;

// The search, while it lasts.
typedef struct search {
  const plan_t *plan;
  const char *in;
  berth_map_t places;  // By bytes of elements.
  uint64_t *keys;      // Of numbers: equal ones have the same.
  int64_t *firsts;     // Of the different elements: where they first stand.
  int64_t found;
} search_t;

// ---- Elements as bytes ----

// Stores what is equal for equal numbers; false for NaN, which equals nothing.
static bool key_make(const plan_t *plan, const char *element, uint64_t *key) {
  int bits = (int)plan->size * 8, fraction = 0;
  *key = 0;
  memcpy(key, element, plan->size);
  if (plan->dtype == BERTH_FLOAT) fraction = 23;
  if (plan->dtype == BERTH_DOUBLE) fraction = 52;
  if (plan->dtype == BERTH_HALF) fraction = 10;
  if (plan->dtype == BERTH_BFLOAT16) fraction = 7;
  if (fraction == 0) return true;
  uint64_t sign = UINT64_C(1) << (bits - 1);
  uint64_t infinite = (sign - 1) & ~((UINT64_C(1) << fraction) - 1);
  // Both zeros are equal, but TensorFlow hashes those of 16 bits apart.
  if (*key == sign && bits > 16) *key = 0;
  return (*key & ~sign) <= infinite;
}

// Returns the bytes of element |i|, which stay until the search ends; NULL for
// one that equals nothing.
static const char *bytes_of(search_t *search, int64_t i, size_t *out_size) {
  const plan_t *plan = search->plan;
  const char *element = search->in + (size_t)i * plan->size;
  if (plan->dtype == BERTH_STRING) {
    return berth_string_get((const berth_string_t *)element, out_size);
  }
  *out_size = sizeof(*search->keys);
  bool has_equals = key_make(plan, element, &search->keys[i]);
  return has_equals ? (const char *)&search->keys[i] : NULL;
}

// ---- Searching ----

// Stores the place of element |i| among the different ones.
static bool place_find(search_t *search, int64_t i, int64_t *out_place) {
  size_t size = 0;
  const char *bytes = bytes_of(search, i, &size);
  int64_t *place =
      bytes != NULL ? berth_map_find(&search->places, bytes, size) : NULL;
  if (place != NULL) {
    *out_place = *place;
    return true;
  }
  *out_place = search->found;
  search->firsts[search->found++] = i;
  return bytes == NULL ||
         berth_map_set(&search->places, bytes, size, *out_place);
}

static berth_code_t search_all(search_t *search, berth_tensor_t *indices,
                               berth_call_t *call) {
  for (int64_t i = 0; i < search->plan->count; ++i) {
    int64_t place = 0;
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    if (!place_find(search, i, &place)) {
      return berth_error_no_memory(call->err, "a map");
    }
    if (search->plan->index_type == BERTH_INT32) {
      ((int32_t *)indices->data)[i] = (int32_t)place;
    } else {
      ((int64_t *)indices->data)[i] = place;
    }
  }
  return BERTH_OK;
}

// Makes the vector of the different elements.
static berth_code_t values_make(const search_t *search, berth_call_t *call,
                                berth_tensor_t **out_values) {
  const plan_t *plan = search->plan;
  BERTH_TRY(berth_tensor_make(call->allocator, plan->dtype, 1, &search->found,
                              search->found, out_values, call->err));
  char *to = (*out_values)->data;
  for (int64_t i = 0; i < search->found; ++i, to += plan->size) {
    const char *from = search->in + (size_t)search->firsts[i] * plan->size;
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    if (plan->dtype != BERTH_STRING) {
      memcpy(to, from, plan->size);
      continue;
    }
    size_t size = 0;
    const char *text = berth_string_get((const berth_string_t *)from, &size);
    if (!berth_string_set((berth_string_t *)to, text, size)) {
      return berth_error_no_memory(call->err, "a string");
    }
  }
  return BERTH_OK;
}

static berth_code_t run_unique(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  size_t count = (size_t)plan->count + 1;
  search_t search = {.plan = plan, .in = call->inputs[0]->data};
  berth_tensor_t *values = NULL, *indices = NULL;
  (void)args;
  search.keys = berth_alloc(count * sizeof(*search.keys));
  search.firsts = berth_alloc(count * sizeof(*search.firsts));
  berth_code_t code =
      search.keys != NULL && search.firsts != NULL
          ? berth_tensor_make(call->allocator, plan->index_type, 1,
                              &plan->count, plan->count, &indices, call->err)
          : berth_error_no_memory(call->err, "a search");
  if (code == BERTH_OK) code = search_all(&search, indices, call);
  if (code == BERTH_OK) code = values_make(&search, call, &values);
  if (code == BERTH_OK) {
    call->outputs[0] = values;
    call->outputs[1] = indices;
  } else {
    berth_tensor_release(values);
    berth_tensor_release(indices);
  }
  berth_map_clear(&search.places);
  berth_free(search.keys);
  berth_free(search.firsts);
  return code;
}

static berth_code_t prepare_unique(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  const berth_op_input_t *input = &prepare->op.inputs[0];
  if (input->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "unique expects a 1D vector.");
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (plan_t){input->dtype, prepare->op.node->output_types[1],
                   berth_dtype_size(input->dtype), input->count};
  prepare->op.outputs[0].rank = -1;
  berth_op_output(&prepare->op, 1, berth_op_input_dims(&prepare->op, 0));
  prepare->run = run_unique;
  prepare->work = input->count * 50;
  return BERTH_OK;
}

#define TYPES ((BERTH_TYPES_BASIC & ~BERTH_TYPES_COMPLEX) | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_unique_kernels[] = {
    {.op = "Unique",
     .types = {{"T", TYPES}, {"out_idx", BERTH_TYPES_INDEX}},
     .prepare = prepare_unique},
    {.op = NULL},
};
