// group.c - Elements gathered by key: group_by_window.
#include <inttypes.h>

#include "base/alloc.h"
#include "data/kernels.h"
#include "data/map.h"
#include "data/stock.h"

typedef struct grouped {
  berth_dataset_t base;
  berth_closure_t key, reduce, size;
} grouped_t;

// Elements of one key that wait, and how many a window takes.
typedef struct group {
  int64_t key, size;
  berth_stock_t stock;
} group_t;

typedef struct grouped_cursor {
  berth_cursor_t base;
  berth_routine_t *key, *reduce, *size;
  group_t *groups;  // In the order of keys.
  size_t count, capacity;
  berth_cursor_t *current;  // Through what was made of a window.
  berth_tensor_t **element;
  bool is_over;
} grouped_cursor_t;

static void grouped_drop(berth_dataset_t *dataset) {
  grouped_t *grouped = (grouped_t *)dataset;
  berth_closure_deinit(&grouped->key);
  berth_closure_deinit(&grouped->reduce);
  berth_closure_deinit(&grouped->size);
}

static void grouped_close(berth_cursor_t *base) {
  grouped_cursor_t *cursor = (grouped_cursor_t *)base;
  berth_cursor_close(cursor->current);
  for (size_t i = 0; i < cursor->count; ++i) {
    berth_stock_deinit(&cursor->groups[i].stock);
  }
  berth_free(cursor->groups);
  berth_free(cursor->element);
}

static berth_code_t grouped_open(berth_cursor_t *base, berth_error_t *err) {
  grouped_cursor_t *cursor = (grouped_cursor_t *)base;
  const grouped_t *grouped = (const grouped_t *)base->dataset;
  berth_reading_t *reading = base->reading;
  BERTH_TRY(berth_closure_routine(&grouped->key, reading, &cursor->key, err));
  BERTH_TRY(
      berth_closure_routine(&grouped->reduce, reading, &cursor->reduce, err));
  BERTH_TRY(berth_closure_routine(&grouped->size, reading, &cursor->size, err));
  cursor->element = berth_calloc((size_t)base->dataset->inputs[0]->width + 1,
                                 sizeof(*cursor->element));
  if (cursor->element == NULL) return berth_error_no_memory(err, "an element");
  return berth_cursor_open_input(base, err);
}

// Calls a function that gives one int64.
static berth_code_t call_number(const berth_closure_t *closure,
                                berth_routine_t *routine,
                                berth_tensor_t *const *inputs, int count,
                                const char *name, int64_t *out,
                                berth_error_t *err) {
  berth_tensor_t *result = NULL;
  berth_code_t code =
      berth_closure_call(closure, routine, inputs, count, &result, err);
  if (code != BERTH_OK) return berth_mapped_fail(code, err);
  if (result->dtype != BERTH_INT64 || result->count != 1) {
    code = berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "`%s` must return a scalar int64.", name);
  } else {
    *out = *(const int64_t *)result->data;
  }
  berth_tensor_release(result);
  return code;
}

static berth_code_t key_tensor(int64_t key, berth_tensor_t **out,
                               berth_error_t *err) {
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, out, err));
  *(int64_t *)(*out)->data = key;
  return BERTH_OK;
}

// Finds or makes the group of |key|.
static berth_code_t find_group(grouped_cursor_t *cursor, int64_t key,
                               group_t **out_group, berth_error_t *err) {
  const grouped_t *grouped = (const grouped_t *)cursor->base.dataset;
  size_t at = 0;
  while (at < cursor->count && cursor->groups[at].key < key) ++at;
  if (at == cursor->count || cursor->groups[at].key != key) {
    int64_t size = 0;
    berth_tensor_t *tensor = NULL;
    BERTH_TRY(key_tensor(key, &tensor, err));
    berth_code_t code = call_number(&grouped->size, cursor->size, &tensor, 1,
                                    "window_size_func", &size, err);
    berth_tensor_release(tensor);
    if (code != BERTH_OK) return code;
    if (size <= 0) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Window size must be greater than zero, but got %" PRId64 ".", size);
    }
    group_t *groups = berth_grow(cursor->groups, cursor->count,
                                 &cursor->capacity, sizeof(*groups));
    if (groups == NULL) return berth_error_no_memory(err, "a group");
    cursor->groups = groups;
    memmove(groups + at + 1, groups + at,
            (cursor->count - at) * sizeof(*groups));
    cursor->count++;
    groups[at] = (group_t){.key = key, .size = size};
    groups[at].stock.width = cursor->base.dataset->inputs[0]->width;
  }
  *out_group = &cursor->groups[at];
  return BERTH_OK;
}

// Begins to go through what the function makes of the window of |group|.
static berth_code_t flush(grouped_cursor_t *cursor, group_t *group,
                          berth_error_t *err) {
  const grouped_t *grouped = (const grouped_t *)cursor->base.dataset;
  const berth_dataset_t *input = grouped->base.inputs[0];
  berth_tensor_t *args[2] = {NULL, NULL}, *variant = NULL;
  berth_dataset_t *made = NULL;
  berth_code_t code = key_tensor(group->key, &args[0], err);
  if (code == BERTH_OK) {
    code = berth_stock_wrap(&group->stock, input->types, input->shapes,
                            &args[1], err);
  }
  if (code == BERTH_OK) {
    code = berth_closure_call(&grouped->reduce, cursor->reduce, args, 2,
                              &variant, err);
    if (code != BERTH_OK) code = berth_mapped_fail(code, err);
  }
  if (code == BERTH_OK) code = berth_dataset_of(variant, &made, err);
  if (code == BERTH_OK) {
    code = berth_cursor_open(made, cursor->base.reading, &cursor->current, err);
  }
  berth_tensor_release(variant);
  berth_element_drop(args, 2);
  return code;
}

// Gathers elements until a window is full.
static berth_code_t gather(grouped_cursor_t *cursor, berth_error_t *err) {
  const grouped_t *grouped = (const grouped_t *)cursor->base.dataset;
  int width = grouped->base.inputs[0]->width;
  while (!cursor->is_over) {
    BERTH_TRY(berth_cursor_next(cursor->base.input, cursor->element,
                                &cursor->is_over, err));
    if (cursor->is_over) break;
    int64_t key = 0;
    group_t *group = NULL;
    berth_code_t code = call_number(&grouped->key, cursor->key, cursor->element,
                                    width, "key_func", &key, err);
    if (code == BERTH_OK) code = find_group(cursor, key, &group, err);
    if (code == BERTH_OK) {
      code = berth_stock_add(&group->stock, cursor->element, err);
    }
    berth_element_drop(cursor->element, width);
    if (code != BERTH_OK) return code;
    if (group->stock.count >= group->size) return flush(cursor, group, err);
    if (berth_reading_has_ended(cursor->base.reading)) {
      return berth_reading_fail_ended(err);
    }
  }
  for (size_t i = 0; i < cursor->count; ++i) {
    if (cursor->groups[i].stock.count > 0) {
      return flush(cursor, &cursor->groups[i], err);
    }
  }
  return BERTH_OK;
}

static berth_code_t grouped_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  grouped_cursor_t *cursor = (grouped_cursor_t *)base;
  for (;;) {
    if (cursor->current == NULL) BERTH_TRY(gather(cursor, err));
    *out_end = cursor->current == NULL;
    if (*out_end) return BERTH_OK;
    BERTH_TRY(berth_cursor_next(cursor->current, out, out_end, err));
    if (!*out_end) return BERTH_OK;
    berth_cursor_close(cursor->current);
    cursor->current = NULL;
  }
}

static const berth_dataset_kind_t grouped_kind = {
    .name = "GroupByWindowDataset",
    .size = sizeof(grouped_t),
    .cursor_size = sizeof(grouped_cursor_t),
    .open = grouped_open,
    .next = grouped_next,
    .close = grouped_close,
    .drop = grouped_drop,
};

static berth_code_t make_grouped(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(&grouped_kind, call, 1, &made, call->err));
  grouped_t *grouped = (grouped_t *)made;
  berth_code_t code = berth_closure_read(&grouped->key, call, "key_func",
                                         "key_func_other_arguments");
  if (code == BERTH_OK) {
    code = berth_closure_read(&grouped->reduce, call, "reduce_func",
                              "reduce_func_other_arguments");
  }
  if (code == BERTH_OK) {
    code = berth_closure_read(&grouped->size, call, "window_size_func",
                              "window_size_func_other_arguments");
  }
  return berth_data_finish(made, code, out_dataset);
}

BERTH_DATASET(grouped)

const berth_kernel_t berth_data_group_kernels[] = {
    BERTH_DATA_OP("GroupByWindowDataset", grouped),
    {.op = NULL},
};
