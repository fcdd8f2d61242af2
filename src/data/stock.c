// stock.c - Elements that are kept in memory: windows.
#include "data/stock.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "data/batch.h"
#include "data/kernels.h"
#include "graph/graph.h"

// ---- A stock ----

typedef struct stock_dataset {
  berth_dataset_t base;
  berth_stock_t stock;
} stock_dataset_t;

typedef struct stock_cursor {
  berth_cursor_t base;
  int64_t at;
} stock_cursor_t;

void berth_stock_deinit(berth_stock_t *stock) {
  for (int64_t i = 0; i < stock->count * stock->width; ++i) {
    berth_tensor_release(stock->tensors[i]);
  }
  berth_free(stock->tensors);
  *stock = (berth_stock_t){.width = stock->width};
}

berth_tensor_t **berth_stock_room(berth_stock_t *stock) {
  size_t needed = (size_t)((stock->count + 1) * stock->width);
  if (needed > stock->capacity) {
    size_t capacity = needed * 2 + 16;
    berth_tensor_t **tensors =
        berth_realloc(stock->tensors, capacity, sizeof(*tensors));
    if (tensors == NULL) return NULL;
    stock->tensors = tensors;
    stock->capacity = capacity;
  }
  return stock->tensors + stock->count * stock->width;
}

berth_code_t berth_stock_add(berth_stock_t *stock,
                             berth_tensor_t *const *element,
                             berth_error_t *err) {
  berth_tensor_t **room = berth_stock_room(stock);
  if (room == NULL) return berth_error_no_memory(err, "elements");
  for (int i = 0; i < stock->width; ++i) {
    room[i] = berth_tensor_retain(element[i]);
  }
  stock->count++;
  return BERTH_OK;
}

static berth_code_t stock_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  (void)err;
  stock_cursor_t *cursor = (stock_cursor_t *)base;
  const berth_stock_t *stock = &((const stock_dataset_t *)base->dataset)->stock;
  *out_end = cursor->at >= stock->count;
  if (*out_end) return BERTH_OK;
  berth_tensor_t **element = stock->tensors + cursor->at++ * stock->width;
  for (int i = 0; i < stock->width; ++i) {
    out[i] = berth_tensor_retain(element[i]);
  }
  return BERTH_OK;
}

static void stock_drop(berth_dataset_t *dataset) {
  berth_stock_deinit(&((stock_dataset_t *)dataset)->stock);
}

static int64_t stock_count(const berth_dataset_t *dataset) {
  return ((const stock_dataset_t *)dataset)->stock.count;
}

static const berth_dataset_kind_t stock_kind = {
    .name = "Window",
    .size = sizeof(stock_dataset_t),
    .cursor_size = sizeof(stock_cursor_t),
    .next = stock_next,
    .drop = stock_drop,
    .count = stock_count,
};

berth_code_t berth_stock_wrap(berth_stock_t *stock, const berth_dtype_t *types,
                              const berth_shape_t *shapes,
                              berth_tensor_t **out_tensor, berth_error_t *err) {
  berth_dataset_t *made = NULL;
  berth_code_t code = berth_dataset_make_bare(&stock_kind, types, shapes,
                                              stock->width, &made, err);
  if (code != BERTH_OK) {
    berth_stock_deinit(stock);
    return code;
  }
  ((stock_dataset_t *)made)->stock = *stock;
  *stock = (berth_stock_t){.width = stock->width};
  return berth_dataset_wrap(made, out_tensor, err);
}

// ---- Windows ----

typedef struct window {
  berth_dataset_t base;
  int64_t size, shift, stride;
  bool drops;
} window_t;

typedef struct window_cursor {
  berth_cursor_t base;
  berth_stock_t held;
  bool is_over;
} window_cursor_t;

static berth_code_t window_open(berth_cursor_t *base, berth_error_t *err) {
  ((window_cursor_t *)base)->held.width = base->dataset->inputs[0]->width;
  return berth_cursor_open_input(base, err);
}

static void window_close(berth_cursor_t *base) {
  berth_stock_deinit(&((window_cursor_t *)base)->held);
}

static berth_code_t window_hold(window_cursor_t *cursor, int64_t target,
                                berth_error_t *err) {
  while (!cursor->is_over && cursor->held.count < target) {
    berth_tensor_t **room = berth_stock_room(&cursor->held);
    if (room == NULL) return berth_error_no_memory(err, "a window");
    BERTH_TRY(
        berth_cursor_next(cursor->base.input, room, &cursor->is_over, err));
    if (!cursor->is_over) cursor->held.count++;
    if (berth_reading_has_ended(cursor->base.reading)) {
      return berth_reading_fail_ended(err);
    }
  }
  return BERTH_OK;
}

// Lets go of the first |shift| elements, and of as many that are still to come.
static berth_code_t window_shift(window_cursor_t *cursor, int64_t shift,
                                 berth_error_t *err) {
  berth_stock_t *held = &cursor->held;
  int64_t gone = shift < held->count ? shift : held->count;
  for (int64_t i = 0; i < gone * held->width; ++i) {
    berth_tensor_release(held->tensors[i]);
  }
  held->count -= gone;
  if (held->count > 0) {
    memmove(held->tensors, held->tensors + gone * held->width,
            (size_t)(held->count * held->width) * sizeof(*held->tensors));
  }
  for (int64_t i = gone; !cursor->is_over && i < shift; ++i) {
    BERTH_TRY(window_hold(cursor, 1, err));
    if (held->count > 0) {
      berth_element_drop(held->tensors, held->width);
      held->count = 0;
    }
  }
  return BERTH_OK;
}

// Makes the dataset of component |i| of what is held.
static berth_code_t window_part(const window_cursor_t *cursor, int i,
                                berth_tensor_t **out, berth_error_t *err) {
  const window_t *window = (const window_t *)cursor->base.dataset;
  const berth_dataset_t *input = window->base.inputs[0];
  const berth_stock_t *held = &cursor->held;
  berth_stock_t part = {.width = 1};
  for (int64_t e = 0; e < held->count; e += window->stride) {
    berth_code_t code =
        berth_stock_add(&part, &held->tensors[e * held->width + i], err);
    if (code != BERTH_OK) {
      berth_stock_deinit(&part);
      return code;
    }
  }
  return berth_stock_wrap(&part, &input->types[i], &input->shapes[i], out, err);
}

// Takes what the next window has; |*out_end| where there is none.
static berth_code_t window_fill(window_cursor_t *cursor, bool *out_end,
                                berth_error_t *err) {
  const window_t *window = (const window_t *)cursor->base.dataset;
  int64_t target = (window->size - 1) * window->stride + 1;
  BERTH_TRY(window_hold(cursor, target, err));
  *out_end =
      cursor->held.count == 0 || (window->drops && cursor->held.count < target);
  return BERTH_OK;
}

static berth_code_t window_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  window_cursor_t *cursor = (window_cursor_t *)base;
  const window_t *window = (const window_t *)base->dataset;
  BERTH_TRY(window_fill(cursor, out_end, err));
  for (int i = 0; !*out_end && i < base->dataset->width; ++i) {
    berth_code_t code = window_part(cursor, i, &out[i], err);
    if (code != BERTH_OK) {
      berth_element_drop(out, i);
      return code;
    }
  }
  return *out_end ? BERTH_OK : window_shift(cursor, window->shift, err);
}

static int64_t window_count(const berth_dataset_t *dataset) {
  const window_t *window = (const window_t *)dataset;
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  if (count < 0) return count;
  if (!window->drops) return (count + window->shift - 1) / window->shift;
  int64_t target = (window->size - 1) * window->stride + 1;
  return count < target ? 0 : (count - target) / window->shift + 1;
}

static const berth_dataset_kind_t window_kind = {
    .name = "WindowDataset",
    .size = sizeof(window_t),
    .cursor_size = sizeof(window_cursor_t),
    .open = window_open,
    .next = window_next,
    .close = window_close,
    .count = window_count,
};

// Joins what is held, where elements are not handed out as datasets.
static berth_code_t sliding_join(const window_cursor_t *cursor,
                                 berth_tensor_t **out, berth_error_t *err) {
  const window_t *window = (const window_t *)cursor->base.dataset;
  const berth_stock_t *held = &cursor->held;
  int64_t rows = (held->count - 1) / window->stride + 1;
  BERTH_TRY(berth_batch_begin(held->tensors, held->width, rows, out, err));
  for (int64_t row = 0; row < rows; ++row) {
    berth_tensor_t **element =
        held->tensors + row * window->stride * held->width;
    berth_code_t code = berth_batch_put(element, held->width, row, out, err);
    if (code == BERTH_OK) continue;
    berth_element_drop(out, held->width);
    return code;
  }
  return BERTH_OK;
}

static berth_code_t sliding_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  window_cursor_t *cursor = (window_cursor_t *)base;
  const window_t *window = (const window_t *)base->dataset;
  BERTH_TRY(window_fill(cursor, out_end, err));
  if (*out_end) return BERTH_OK;
  BERTH_TRY(sliding_join(cursor, out, err));
  return window_shift(cursor, window->shift, err);
}

static const berth_dataset_kind_t sliding_kind = {
    .name = "SlidingWindowDataset",
    .size = sizeof(window_t),
    .cursor_size = sizeof(window_cursor_t),
    .open = window_open,
    .next = sliding_next,
    .close = window_close,
    .count = window_count,
};

static berth_code_t make_sliding(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  static const char *const names[] = {"window_size", "window_shift",
                                      "window_stride"};
  static const char *const labels[] = {"Window size", "Window shift",
                                       "window_stride"};
  int64_t numbers[3] = {0};
  for (int i = 0; i < 3; ++i) {
    BERTH_TRY(berth_data_int(call, i + 1, names[i], &numbers[i]));
    if (numbers[i] > 0) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "%s must be greater than zero.", labels[i]);
  }
  BERTH_TRY(berth_dataset_make(&sliding_kind, call, 1, out_dataset, call->err));
  window_t *window = (window_t *)*out_dataset;
  window->size = numbers[0];
  window->shift = numbers[1];
  window->stride = numbers[2];
  window->drops = berth_node_attr_bool(call->node, "drop_remainder", true);
  return BERTH_OK;
}

static berth_code_t make_window(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  static const char *const names[] = {"size", "shift", "stride"};
  static const char *const labels[] = {"Window size", "Window shift",
                                       "Window stride"};
  int64_t numbers[3] = {0};
  bool drops = false;
  for (int i = 0; i < 3; ++i) {
    BERTH_TRY(berth_data_int(call, i + 1, names[i], &numbers[i]));
    if (numbers[i] <= 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "%s must be greater than zero.", labels[i]);
    }
  }
  BERTH_TRY(berth_data_bool(call, 4, "drop_remainder", &drops));
  BERTH_TRY(berth_dataset_make(&window_kind, call, 1, out_dataset, call->err));
  window_t *window = (window_t *)*out_dataset;
  window->size = numbers[0];
  window->shift = numbers[1];
  window->stride = numbers[2];
  window->drops = drops;
  return BERTH_OK;
}

BERTH_DATASET(sliding)
BERTH_DATASET(window)

const berth_kernel_t berth_data_stock_kernels[] = {
    BERTH_DATA_OP("SlidingWindowDataset", sliding),
    BERTH_DATA_OP("WindowDataset", window),
    {.op = NULL},
};
