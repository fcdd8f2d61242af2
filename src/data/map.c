// map.c - Datasets that call a function for each element: map, filter,
// take_while, scan, flat_map, interleave.
#include <inttypes.h>

#include "base/alloc.h"
#include "data/kernels.h"
#include "data/map.h"
#include "graph/graph.h"

berth_code_t berth_mapped_make(const berth_dataset_kind_t *kind,
                               berth_call_t *call, const char *attr,
                               berth_dataset_t **out_dataset) {
  int first = 0, count = 0;
  berth_data_range(call, "other_arguments", &first, &count);
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(kind, call, 1, &made, call->err));
  return berth_data_finish(
      made,
      berth_closure_init(&((berth_mapped_t *)made)->closure, call, attr, first,
                         count, call->err),
      out_dataset);
}

void berth_mapped_drop(berth_dataset_t *dataset) {
  berth_closure_deinit(&((berth_mapped_t *)dataset)->closure);
}

berth_code_t berth_mapped_open(berth_cursor_t *base, berth_error_t *err) {
  berth_mapped_cursor_t *cursor = (berth_mapped_cursor_t *)base;
  BERTH_TRY(
      berth_closure_routine(&((const berth_mapped_t *)base->dataset)->closure,
                            base->reading, &cursor->routine, err));
  cursor->element =
      berth_element_room(base->dataset->inputs[0]->width, cursor->few);
  if (cursor->element == NULL) return berth_error_no_memory(err, "an element");
  return berth_cursor_open_input(base, err);
}

void berth_mapped_close(berth_cursor_t *base) {
  berth_mapped_cursor_t *cursor = (berth_mapped_cursor_t *)base;
  if (cursor->element == NULL) return;
  berth_element_drop(cursor->element, base->dataset->inputs[0]->width);
  if (cursor->element != cursor->few) berth_free(cursor->element);
}

// Takes the next element of the input and calls the function with it; the
// element stays in the cursor.
static berth_code_t take_and_call(berth_mapped_cursor_t *cursor,
                                  berth_tensor_t **outputs, bool *out_end,
                                  berth_error_t *err) {
  const berth_mapped_t *map = (const berth_mapped_t *)cursor->base.dataset;
  int width = map->base.inputs[0]->width;
  berth_element_drop(cursor->element, width);
  *out_end = cursor->is_over;
  if (*out_end) return BERTH_OK;
  BERTH_TRY(
      berth_cursor_next(cursor->base.input, cursor->element, out_end, err));
  cursor->is_over = *out_end;
  if (*out_end) return BERTH_OK;
  return berth_closure_call(&map->closure, cursor->routine, cursor->element,
                            width, outputs, err);
}

berth_code_t berth_mapped_fail(berth_code_t code, berth_error_t *err) {
  if (code != BERTH_OUT_OF_RANGE) return code;
  // An end that a function finds is none of the dataset's.
  if (err != NULL) err->code = BERTH_INVALID_ARGUMENT;
  berth_error_prepend(err, "Function invocation produced OutOfRangeError: ");
  return BERTH_INVALID_ARGUMENT;
}

// ---- Map ----

static berth_code_t map_next(berth_cursor_t *base, berth_tensor_t **out,
                             bool *out_end, berth_error_t *err) {
  berth_mapped_cursor_t *cursor = (berth_mapped_cursor_t *)base;
  bool is_end = false;
  berth_code_t code = take_and_call(cursor, out, &is_end, err);
  berth_element_drop(cursor->element, base->dataset->inputs[0]->width);
  *out_end = is_end;
  if (code == BERTH_OUT_OF_RANGE) {
    const berth_mapped_t *map = (const berth_mapped_t *)base->dataset;
    if (map->preserves) return berth_mapped_fail(code, err);
    *out_end = true;
    cursor->is_over = true;
    return BERTH_OK;
  }
  return code;
}

int64_t berth_mapped_count(const berth_dataset_t *dataset) {
  return ((const berth_mapped_t *)dataset)->preserves
             ? berth_dataset_count(dataset->inputs[0])
             : BERTH_UNCOUNTED;
}

static const berth_dataset_kind_t map_kind = {
    .name = "MapDataset",
    .size = sizeof(berth_mapped_t),
    .cursor_size = sizeof(berth_mapped_cursor_t),
    .open = berth_mapped_open,
    .next = map_next,
    .close = berth_mapped_close,
    .drop = berth_mapped_drop,
    .count = berth_mapped_count,
};

static berth_code_t make_map(berth_call_t *call,
                             berth_dataset_t **out_dataset) {
  BERTH_TRY(berth_mapped_make(&map_kind, call, "f", out_dataset));
  ((berth_mapped_t *)*out_dataset)->preserves =
      berth_node_attr_bool(call->node, "preserve_cardinality", false);
  return BERTH_OK;
}

// ---- Filter, take_while ----

// Calls a predicate with the next element; it stays in the cursor.
static berth_code_t ask(berth_mapped_cursor_t *cursor, const char *name,
                        bool *out_truth, bool *out_end, berth_error_t *err) {
  berth_tensor_t *truth = NULL;
  berth_code_t code = take_and_call(cursor, &truth, out_end, err);
  if (code != BERTH_OK) return berth_mapped_fail(code, err);
  if (*out_end) return BERTH_OK;
  if (truth->dtype != BERTH_BOOL || truth->count != 1) {
    code = berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s function must return a scalar bool.", name);
  } else {
    *out_truth = *(const uint8_t *)truth->data != 0;
  }
  berth_tensor_release(truth);
  return code;
}

static void hand_out(berth_mapped_cursor_t *cursor, berth_tensor_t **out) {
  int width = cursor->base.dataset->width;
  for (int i = 0; i < width; ++i) {
    out[i] = cursor->element[i];
    cursor->element[i] = NULL;
  }
}

static berth_code_t filter_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  berth_mapped_cursor_t *cursor = (berth_mapped_cursor_t *)base;
  for (;;) {
    bool is_kept = false;
    BERTH_TRY(ask(cursor, "Filter", &is_kept, out_end, err));
    if (*out_end) return BERTH_OK;
    if (is_kept) {
      hand_out(cursor, out);
      return BERTH_OK;
    }
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
}

static const berth_dataset_kind_t filter_kind = {
    .name = "FilterDataset",
    .size = sizeof(berth_mapped_t),
    .cursor_size = sizeof(berth_mapped_cursor_t),
    .open = berth_mapped_open,
    .next = filter_next,
    .close = berth_mapped_close,
    .drop = berth_mapped_drop,
};

static berth_code_t make_filter(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  return berth_mapped_make(&filter_kind, call, "predicate", out_dataset);
}

static berth_code_t while_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  berth_mapped_cursor_t *cursor = (berth_mapped_cursor_t *)base;
  bool goes_on = false;
  BERTH_TRY(ask(cursor, "TakeWhile", &goes_on, out_end, err));
  if (*out_end) return BERTH_OK;
  if (goes_on) {
    hand_out(cursor, out);
    return BERTH_OK;
  }
  *out_end = cursor->is_over = true;
  berth_cursor_close(base->input);
  base->input = NULL;
  return BERTH_OK;
}

static const berth_dataset_kind_t while_kind = {
    .name = "TakeWhileDataset",
    .size = sizeof(berth_mapped_t),
    .cursor_size = sizeof(berth_mapped_cursor_t),
    .open = berth_mapped_open,
    .next = while_next,
    .close = berth_mapped_close,
    .drop = berth_mapped_drop,
};

static berth_code_t make_while(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  return berth_mapped_make(&while_kind, call, "predicate", out_dataset);
}

// ---- Scan ----

typedef struct scan {
  berth_mapped_t map;
  berth_tensor_t **initial;
  int state_count;
} scan_t;

typedef struct scan_cursor {
  berth_mapped_cursor_t map;
  berth_tensor_t **state;  // The state, room for an element behind it.
  berth_tensor_t **results;
} scan_cursor_t;

static void scan_close(berth_cursor_t *base) {
  scan_cursor_t *cursor = (scan_cursor_t *)base;
  const scan_t *scan = (const scan_t *)base->dataset;
  if (cursor->state != NULL) {
    berth_element_drop(cursor->state, scan->state_count);
  }
  berth_free(cursor->state);
  berth_free(cursor->results);
  berth_mapped_close(base);
}

static berth_code_t scan_open(berth_cursor_t *base, berth_error_t *err) {
  scan_cursor_t *cursor = (scan_cursor_t *)base;
  const scan_t *scan = (const scan_t *)base->dataset;
  BERTH_TRY(berth_mapped_open(base, err));
  size_t width = (size_t)base->dataset->inputs[0]->width;
  size_t states = (size_t)scan->state_count;
  size_t results = (size_t)base->dataset->width;
  cursor->state = berth_calloc(states + width + 1, sizeof(*cursor->state));
  cursor->results = berth_calloc(states + results + 1, sizeof(*cursor->state));
  if (cursor->state == NULL || cursor->results == NULL) {
    return berth_error_no_memory(err, "a scan");
  }
  for (size_t i = 0; i < states; ++i) {
    cursor->state[i] = berth_tensor_retain(scan->initial[i]);
  }
  return BERTH_OK;
}

static berth_code_t scan_next(berth_cursor_t *base, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  scan_cursor_t *cursor = (scan_cursor_t *)base;
  const scan_t *scan = (const scan_t *)base->dataset;
  int width = base->dataset->inputs[0]->width, states = scan->state_count;
  berth_tensor_t **element = cursor->state + states;
  BERTH_TRY(berth_cursor_next(base->input, element, out_end, err));
  if (*out_end) return BERTH_OK;
  berth_code_t code =
      berth_closure_call(&scan->map.closure, cursor->map.routine, cursor->state,
                         states + width, cursor->results, err);
  berth_element_drop(element, width);
  if (code != BERTH_OK) return berth_mapped_fail(code, err);
  for (int i = 0; i < states; ++i) {
    berth_tensor_release(cursor->state[i]);
    cursor->state[i] = cursor->results[i];
  }
  for (int i = 0; i < base->dataset->width; ++i) {
    out[i] = cursor->results[states + i];
  }
  return BERTH_OK;
}

static void scan_drop(berth_dataset_t *dataset) {
  scan_t *scan = (scan_t *)dataset;
  if (scan->initial != NULL) {
    berth_element_drop(scan->initial, scan->state_count);
  }
  berth_free(scan->initial);
  berth_mapped_drop(dataset);
}

static const berth_dataset_kind_t scan_kind = {
    .name = "ScanDataset",
    .size = sizeof(scan_t),
    .cursor_size = sizeof(scan_cursor_t),
    .open = scan_open,
    .next = scan_next,
    .close = scan_close,
    .drop = scan_drop,
    .count = berth_mapped_count,
};

static berth_code_t make_scan(berth_call_t *call,
                              berth_dataset_t **out_dataset) {
  int first = 0, count = 0;
  BERTH_TRY(berth_mapped_make(&scan_kind, call, "f", out_dataset));
  scan_t *scan = (scan_t *)*out_dataset;
  scan->map.preserves =
      berth_node_attr_bool(call->node, "preserve_cardinality", false);
  berth_data_range(call, "initial_state", &first, &count);
  scan->initial = berth_calloc((size_t)count + 1, sizeof(*scan->initial));
  if (scan->initial == NULL) {
    berth_dataset_release(*out_dataset);
    return berth_error_no_memory(call->err, "a scan");
  }
  for (int i = 0; i < count; ++i) {
    scan->initial[scan->state_count++] =
        berth_tensor_retain(call->inputs[first + i]);
  }
  return BERTH_OK;
}

// ---- Flat map ----

// Opens the dataset that the function makes of the next element.
static berth_code_t open_inner(berth_mapped_cursor_t *cursor,
                               berth_cursor_t **out_inner, bool *out_end,
                               berth_error_t *err) {
  berth_tensor_t *variant = NULL;
  berth_dataset_t *inner = NULL;
  berth_code_t code = take_and_call(cursor, &variant, out_end, err);
  if (code != BERTH_OK) return berth_mapped_fail(code, err);
  if (*out_end) return BERTH_OK;
  code = berth_dataset_of(variant, &inner, err);
  if (code == BERTH_OK) {
    code = berth_cursor_open(inner, cursor->base.reading, out_inner, err);
  }
  berth_tensor_release(variant);
  return code;
}

typedef struct flat_cursor {
  berth_mapped_cursor_t map;
  berth_cursor_t *inner;
} flat_cursor_t;

static berth_code_t flat_next(berth_cursor_t *base, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  flat_cursor_t *cursor = (flat_cursor_t *)base;
  for (;;) {
    if (cursor->inner == NULL) {
      BERTH_TRY(open_inner(&cursor->map, &cursor->inner, out_end, err));
      if (*out_end) return BERTH_OK;
    }
    BERTH_TRY(berth_cursor_next(cursor->inner, out, out_end, err));
    if (!*out_end) return BERTH_OK;
    berth_cursor_close(cursor->inner);
    cursor->inner = NULL;
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
}

static void flat_close(berth_cursor_t *base) {
  berth_cursor_close(((flat_cursor_t *)base)->inner);
  berth_mapped_close(base);
}

static const berth_dataset_kind_t flat_kind = {
    .name = "FlatMapDataset",
    .size = sizeof(berth_mapped_t),
    .cursor_size = sizeof(flat_cursor_t),
    .open = berth_mapped_open,
    .next = flat_next,
    .close = flat_close,
    .drop = berth_mapped_drop,
};

static berth_code_t make_flat(berth_call_t *call,
                              berth_dataset_t **out_dataset) {
  return berth_mapped_make(&flat_kind, call, "f", out_dataset);
}

// ---- Interleave ----

typedef struct weave {
  berth_mapped_t map;
  int64_t cycle, block;
} weave_t;

typedef struct weave_cursor {
  berth_mapped_cursor_t map;
  berth_cursor_t **inner;  // |cycle| of them; NULL: none yet.
  int64_t at, in_block;
  int64_t open_count;
  bool is_over;  // There is no further input.
} weave_cursor_t;

static void weave_close(berth_cursor_t *base) {
  weave_cursor_t *cursor = (weave_cursor_t *)base;
  int64_t cycle = ((const weave_t *)base->dataset)->cycle;
  for (int64_t i = 0; cursor->inner != NULL && i < cycle; ++i) {
    berth_cursor_close(cursor->inner[i]);
  }
  berth_free(cursor->inner);
  berth_mapped_close(base);
}

static berth_code_t weave_open(berth_cursor_t *base, berth_error_t *err) {
  weave_cursor_t *cursor = (weave_cursor_t *)base;
  size_t cycle = (size_t)((const weave_t *)base->dataset)->cycle;
  cursor->inner = berth_calloc(cycle, sizeof(*cursor->inner));
  if (cursor->inner == NULL) return berth_error_no_memory(err, "an iterator");
  return berth_mapped_open(base, err);
}

static void weave_turn(weave_cursor_t *cursor, const weave_t *weave) {
  cursor->in_block = 0;
  cursor->at = (cursor->at + 1) % weave->cycle;
}

static berth_code_t weave_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  weave_cursor_t *cursor = (weave_cursor_t *)base;
  const weave_t *weave = (const weave_t *)base->dataset;
  while (!cursor->is_over || cursor->open_count > 0) {
    berth_cursor_t **inner = &cursor->inner[cursor->at];
    if (*inner != NULL) {
      BERTH_TRY(berth_cursor_next(*inner, out, out_end, err));
      if (!*out_end) {
        if (++cursor->in_block == weave->block) weave_turn(cursor, weave);
        return BERTH_OK;
      }
      berth_cursor_close(*inner);
      *inner = NULL;
      cursor->open_count--;
      weave_turn(cursor, weave);
    } else if (!cursor->is_over) {
      BERTH_TRY(open_inner(&cursor->map, inner, &cursor->is_over, err));
      if (!cursor->is_over) cursor->open_count++;
    } else {
      weave_turn(cursor, weave);
    }
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
  *out_end = true;
  return BERTH_OK;
}

static const berth_dataset_kind_t weave_kind = {
    .name = "InterleaveDataset",
    .size = sizeof(weave_t),
    .cursor_size = sizeof(weave_cursor_t),
    .open = weave_open,
    .next = weave_next,
    .close = weave_close,
    .drop = berth_mapped_drop,
};

berth_code_t berth_weave_read(const berth_call_t *call, int64_t *out_cycle,
                              int64_t *out_block) {
  int first = 0, count = 0;
  berth_data_range(call, "cycle_length", &first, &count);
  BERTH_TRY(berth_data_int(call, first, "cycle_length", out_cycle));
  BERTH_TRY(berth_data_int(call, first + 1, "block_length", out_block));
  if (*out_cycle == -1) *out_cycle = berth_cpu_count();
  if (*out_cycle <= 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`cycle_length` must be > 0");
  }
  if (*out_block <= 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`block_length` must be > 0");
  }
  return BERTH_OK;
}

static berth_code_t make_weave(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t cycle = 0, block = 0;
  BERTH_TRY(berth_weave_read(call, &cycle, &block));
  BERTH_TRY(berth_mapped_make(&weave_kind, call, "f", out_dataset));
  ((weave_t *)*out_dataset)->cycle = cycle;
  ((weave_t *)*out_dataset)->block = block;
  return BERTH_OK;
}

BERTH_DATASET(map)
BERTH_DATASET(filter)
BERTH_DATASET(while)
BERTH_DATASET(scan)
BERTH_DATASET(flat)
BERTH_DATASET(weave)

const berth_kernel_t berth_data_map_kernels[] = {
    BERTH_DATA_OP("MapDataset", map),
    BERTH_DATA_OP("FilterDataset", filter),
    BERTH_DATA_OP("ParallelFilterDataset", filter),
    BERTH_DATA_OP("TakeWhileDataset", while),
    BERTH_DATA_OP("ScanDataset", scan),
    BERTH_DATA_OP("FlatMapDataset", flat),
    BERTH_DATA_OP("InterleaveDataset", weave),
    {.op = NULL},
};
