// fill.c - A table filled with what a dataset gives: pairs of a key and a value.
#include "base/alloc.h"
#include "data/kernels.h"
#include "kernel/handle.h"
#include "state/table.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// The pairs that have come: key, value, key, value …
typedef struct pairs {
  berth_tensor_t **tensors;  // Owned.
  size_t count, capacity;    // Of tensors.
} pairs_t;

static void pairs_clear(pairs_t *pairs) {
  for (size_t i = 0; i < pairs->count; ++i) {
    berth_tensor_release(pairs->tensors[i]);
  }
  berth_free(pairs->tensors);
}

// Checks that elements of |dataset| are pairs of the table's types.
static berth_code_t check_dataset(const berth_call_t *call,
                                  const berth_dataset_t *dataset,
                                  const berth_table_spec_t *spec) {
  if (spec->kind != BERTH_TABLE_STATIC) {
    return INVALID("Table is not initializable");
  }
  if (dataset->width != 2) {
    return INVALID("A table is filled with pairs, not with elements of %d",
                   dataset->width);
  }
  if (dataset->types[0] == spec->key_dtype &&
      dataset->types[1] == spec->value_dtype) {
    return BERTH_OK;
  }
  return INVALID(
      "The dataset has pairs of %s and %s, the table keys of %s and values of "
      "%s",
      berth_dtype_name(dataset->types[0]), berth_dtype_name(dataset->types[1]),
      berth_dtype_name(spec->key_dtype), berth_dtype_name(spec->value_dtype));
}

// Reads all of |cursor|.
static berth_code_t read_pairs(const berth_call_t *call, berth_cursor_t *cursor,
                               pairs_t *pairs) {
  for (bool is_end = false;;) {
    berth_tensor_t **grown =
        berth_grow(pairs->tensors, pairs->count + 1, &pairs->capacity,
                   sizeof(*pairs->tensors));
    if (grown == NULL) return berth_error_no_memory(call->err, "pairs");
    pairs->tensors = grown;
    BERTH_TRY(berth_cursor_next(cursor, grown + pairs->count, &is_end,
                                call->err));
    if (is_end) return BERTH_OK;
    pairs->count += 2;
    for (size_t i = pairs->count - 2; i < pairs->count; ++i) {
      if (pairs->tensors[i]->count == 1) continue;
      return INVALID("A table is filled with pairs of scalars");
    }
    if (berth_reading_has_ended(cursor->reading)) {
      return berth_reading_fail_ended(call->err);
    }
  }
}

// Makes a vector of the keys (|first| 0) or values (1).
static berth_code_t join(const berth_call_t *call, const pairs_t *pairs,
                         size_t first, berth_tensor_t **out) {
  int64_t count = (int64_t)(pairs->count / 2);
  berth_dtype_t dtype = pairs->tensors[first]->dtype;
  BERTH_TRY(berth_tensor_make(call->allocator, dtype, 1, &count, count, out,
                              call->err));
  size_t size = berth_dtype_size(dtype);
  for (size_t i = 0; i < (size_t)count; ++i) {
    const berth_tensor_t *from = pairs->tensors[2 * i + first];
    if (!berth_elements_copy(dtype, (char *)(*out)->data + i * size, from->data,
                             1)) {
      return berth_error_no_memory(call->err, "pairs");
    }
  }
  return BERTH_OK;
}

static berth_code_t fill(const berth_call_t *call, berth_table_t *table,
                         const pairs_t *pairs) {
  berth_tensor_t *keys = NULL, *values = NULL;
  if (pairs->count == 0) {
    return berth_error_set(call->err, BERTH_OUT_OF_RANGE, "end of iterator");
  }
  berth_code_t code = join(call, pairs, 0, &keys);
  if (code == BERTH_OK) code = join(call, pairs, 1, &values);
  if (code == BERTH_OK) {
    code = berth_table_fill(table, keys, values, call->err);
  }
  berth_tensor_release(keys);
  berth_tensor_release(values);
  return code;
}

static berth_code_t run_fill(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan, (void)args;
  berth_resource_t *resource = NULL;
  berth_dataset_t *dataset = NULL;
  berth_cursor_t *cursor = NULL;
  berth_reading_t reading;
  pairs_t pairs = {NULL, 0, 0};
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_TABLE,
                             &resource, call->err));
  berth_table_t *table = (berth_table_t *)resource;
  BERTH_TRY(berth_dataset_of(call->inputs[1], &dataset, call->err));
  BERTH_TRY(check_dataset(call, dataset, berth_table_spec(table)));
  berth_reading_init(&reading);
  berth_code_t code = berth_cursor_open(dataset, &reading, &cursor, call->err);
  if (code == BERTH_OK) code = read_pairs(call, cursor, &pairs);
  if (code == BERTH_OK) code = fill(call, table, &pairs);
  atomic_store(&reading.ended, 1);
  berth_cursor_close(cursor);
  berth_reading_deinit(&reading);
  pairs_clear(&pairs);
  return code;
}

BERTH_DATA_KERNEL(fill)

const berth_kernel_t berth_data_fill_kernels[] = {
    BERTH_DATA_OP("InitializeTableFromDataset", fill),
    {.op = NULL},
};
