// partition.c - DynamicPartition, and DynamicStitch, which puts parts together.
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/types.h"
#include "op/value.h"

// Makes a tensor of |count| slices, which are what is left of the shape of
// |like| after |outer| dimensions.
static berth_code_t make_slices(const berth_tensor_t *like, int32_t outer,
                                int64_t count, berth_call_t *call,
                                berth_tensor_t **out) {
  berth_shape_t shape = {.rank = 0};
  int64_t total = 1;
  BERTH_TRY(berth_shape_push(&shape, &total, count, call->err));
  for (int32_t i = outer; i < like->rank; ++i) {
    BERTH_TRY(berth_shape_push(&shape, &total, like->dims[i], call->err));
  }
  return berth_tensor_make(call->allocator, like->dtype, shape.rank, shape.dims,
                           total, out, call->err);
}

// Returns the elements of a slice of |tensor| behind |outer| dimensions.
static int64_t slice_size(const berth_tensor_t *tensor, int32_t outer) {
  int64_t size = 1;
  for (int32_t i = outer; i < tensor->rank; ++i) size *= tensor->dims[i];
  return size;
}

// Copies a slice of |size| elements. The sizes of most are known to compilers.
static inline bool slice_copy(berth_dtype_t dtype, bool is_plain, char *to,
                              const char *from, int64_t size, size_t bytes) {
  if (!is_plain) return berth_elements_copy(dtype, to, from, size);
  switch (bytes) {
    case 4:
      memcpy(to, from, 4);
      return true;
    case 8:
      memcpy(to, from, 8);
      return true;
    case 16:
      memcpy(to, from, 16);
      return true;
    case 32:
      memcpy(to, from, 32);
      return true;
    default:
      memcpy(to, from, bytes);
      return true;
  }
}

// ---- DynamicPartition ----

// Counts the rows of each part.
static berth_code_t count_parts(const berth_tensor_t *parts, int64_t *counts,
                                int count, berth_call_t *call) {
  const int32_t *which = parts->data;
  for (int64_t i = 0; i < parts->count; ++i) {
    if (which[i] >= 0 && which[i] < count) {
      ++counts[which[i]];
      continue;
    }
    berth_str_t at = {0};
    berth_place_print(berth_tensor_dims(parts), i, &at);
    berth_code_t code =
        berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                        "partitions%s = %d is not in [0, %d)",
                        berth_str_get(&at), (int)which[i], count);
    berth_str_clear(&at);
    return code;
  }
  return BERTH_OK;
}

// Copies the rows; |next| is room for where the next row of each part goes.
static bool copy_parts(const berth_tensor_t *data, const berth_tensor_t *parts,
                       char **next, int count, berth_call_t *call) {
  const int32_t *which = parts->data;
  int64_t size = slice_size(data, parts->rank);
  size_t bytes = (size_t)size * berth_dtype_size(data->dtype);
  bool is_plain = berth_dtype_is_plain(data->dtype);
  const char *from = data->data;
  for (int i = 0; i < count; ++i) next[i] = call->outputs[i]->data;
  if (size == 0) return true;
  for (int64_t i = 0; i < parts->count; ++i, from += bytes) {
    char **to = &next[which[i]];
    if (!slice_copy(data->dtype, is_plain, *to, from, size, bytes)) {
      return false;
    }
    *to += bytes;
  }
  return true;
}

static berth_code_t run_partition(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *data = call->inputs[0], *parts = call->inputs[1];
  int count = call->node->output_count;
  berth_arena_t arena = {0};
  int64_t *counts = berth_arena_calloc(&arena, (size_t)count, sizeof(*counts));
  char **next = berth_arena_calloc(&arena, (size_t)count, sizeof(*next));
  if (counts == NULL || next == NULL) {
    berth_arena_clear(&arena);
    return berth_error_no_memory(call->err, "partitions");
  }
  for (int i = 0; i < count; ++i) call->outputs[i] = NULL;
  berth_code_t code = count_parts(parts, counts, count, call);
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    code = make_slices(data, parts->rank, counts[i], call, &call->outputs[i]);
  }
  if (code == BERTH_OK && !copy_parts(data, parts, next, count, call)) {
    code = berth_error_no_memory(call->err, "the elements of a tensor");
  }
  for (int i = 0; code != BERTH_OK && i < count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t prepare_partition(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  prepare->run = run_partition;
  prepare->work = prepare->op.inputs[0].count;
  return berth_op_partition(&prepare->op, err);
}

// ---- DynamicStitch ----

static berth_code_t find_largest(berth_call_t *call, int count,
                                 int64_t *out_largest) {
  *out_largest = -1;
  for (int i = 0; i < count; ++i) {
    const int32_t *places = call->inputs[i]->data;
    for (int64_t k = 0; k < call->inputs[i]->count; ++k) {
      if (places[k] > *out_largest) *out_largest = places[k];
    }
  }
  for (int i = 0; i < count; ++i) {
    const int32_t *places = call->inputs[i]->data;
    for (int64_t k = 0; k < call->inputs[i]->count; ++k) {
      if (places[k] >= 0) continue;
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "indices[%lld] is out of range", (long long)k);
    }
  }
  return BERTH_OK;
}

// Copies the slices of |data|, of |size| elements, to |places| in |out|.
static bool put_slices(berth_tensor_t *out, const berth_tensor_t *places,
                       const berth_tensor_t *data, int64_t size) {
  const int32_t *at = places->data;
  size_t bytes = (size_t)size * berth_dtype_size(out->dtype);
  bool is_plain = berth_dtype_is_plain(out->dtype);
  const char *from = data->data;
  for (int64_t k = 0; k < places->count; ++k, from += bytes) {
    char *to = (char *)out->data + (size_t)at[k] * bytes;
    if (!slice_copy(out->dtype, is_plain, to, from, size, bytes)) return false;
  }
  return true;
}

static berth_code_t run_stitch(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  int count = call->node->input_count / 2;
  const berth_tensor_t *first = call->inputs[count];
  int64_t largest = -1;
  berth_tensor_t *out = NULL;
  BERTH_TRY(find_largest(call, count, &largest));
  BERTH_TRY(make_slices(first, call->inputs[0]->rank, largest + 1, call, &out));
  int64_t size = slice_size(first, call->inputs[0]->rank);
  // Places that nobody names are not left to chance.
  if (berth_dtype_is_plain(out->dtype)) memset(out->data, 0, out->size);
  bool is_done = true;
  for (int i = 0; is_done && i < count && size > 0; ++i) {
    is_done = put_slices(out, call->inputs[i], call->inputs[count + i], size);
  }
  if (!is_done) {
    berth_tensor_release(out);
    return berth_error_no_memory(call->err, "the elements of a tensor");
  }
  call->outputs[0] = out;
  return BERTH_OK;
}

static berth_code_t prepare_stitch(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  prepare->run = run_stitch;
  return berth_op_stitch(&prepare->op, err);
}

#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT)
#define STITCH                                                    \
  (BERTH_TYPES_BASIC | BERTH_TYPE(STRING) | BERTH_TYPE(VARIANT) | \
   BERTH_TYPE(QINT32) | BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8))

const berth_kernel_t berth_cpu_partition_kernels[] = {
    {.op = "DynamicPartition",
     .types = {{"T", TYPES}},
     .prepare = prepare_partition},
    {.op = "DynamicStitch",
     .types = {{"T", STITCH}},
     .prepare = prepare_stitch},
    {.op = "ParallelDynamicStitch",
     .types = {{"T", STITCH}},
     .prepare = prepare_stitch},
    {.op = NULL},
};
