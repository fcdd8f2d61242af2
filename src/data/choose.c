// choose.c - Elements of several datasets, elements that differ, elements that
// do not fail, a number of elements that is promised, and what a generator gives.
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "data/kernels.h"
#include "graph/graph.h"
#include "tensor/string.h"

// ---- By a dataset of numbers ----

typedef struct directed {
  berth_dataset_t base;
  bool stops;  // With the first that has ended.
} directed_t;

typedef struct directed_cursor {
  berth_cursor_t base;
  berth_cursor_t **inputs;  // Beginning with the one of numbers.
  int left;                 // Those that have not ended.
  bool is_over;
} directed_cursor_t;

static void directed_close(berth_cursor_t *base) {
  directed_cursor_t *cursor = (directed_cursor_t *)base;
  for (int i = 0; cursor->inputs != NULL && i < base->dataset->input_count;
       ++i) {
    berth_cursor_close(cursor->inputs[i]);
  }
  berth_free(cursor->inputs);
}

static berth_code_t directed_open(berth_cursor_t *base, berth_error_t *err) {
  directed_cursor_t *cursor = (directed_cursor_t *)base;
  int count = base->dataset->input_count;
  cursor->inputs = berth_calloc((size_t)count + 1, sizeof(*cursor->inputs));
  if (cursor->inputs == NULL) return berth_error_no_memory(err, "an iterator");
  cursor->left = count - 1;
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(berth_cursor_open(base->dataset->inputs[i], base->reading,
                                &cursor->inputs[i], err));
  }
  return BERTH_OK;
}

static berth_code_t choose_one(directed_cursor_t *cursor, int64_t *out_choice,
                               bool *out_end, berth_error_t *err) {
  berth_tensor_t *number = NULL;
  int64_t count = cursor->base.dataset->input_count - 1;
  BERTH_TRY(berth_cursor_next(cursor->inputs[0], &number, out_end, err));
  if (*out_end) return BERTH_OK;
  *out_choice = *(const int64_t *)number->data;
  berth_tensor_release(number);
  if (*out_choice >= 0 && *out_choice < count) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Selector index out of range: %" PRId64 " >= %" PRId64,
                         *out_choice, count);
}

static berth_code_t directed_next(berth_cursor_t *base, berth_tensor_t **out,
                                  bool *out_end, berth_error_t *err) {
  directed_cursor_t *cursor = (directed_cursor_t *)base;
  const directed_t *directed = (const directed_t *)base->dataset;
  *out_end = cursor->is_over;
  while (!*out_end) {
    int64_t choice = 0;
    BERTH_TRY(choose_one(cursor, &choice, out_end, err));
    if (*out_end) break;
    berth_cursor_t **chosen = &cursor->inputs[choice + 1];
    if (*chosen == NULL) continue;
    BERTH_TRY(berth_cursor_next(*chosen, out, out_end, err));
    if (!*out_end) return BERTH_OK;
    berth_cursor_close(*chosen);
    *chosen = NULL;
    *out_end = directed->stops || --cursor->left == 0;
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
  cursor->is_over = true;
  return BERTH_OK;
}

static int64_t directed_count(const berth_dataset_t *dataset) {
  for (int i = 1; i < dataset->input_count; ++i) {
    if (berth_dataset_count(dataset->inputs[i]) == BERTH_INFINITE) {
      return BERTH_INFINITE;
    }
  }
  return BERTH_UNCOUNTED;
}

static const berth_dataset_kind_t directed_kind = {
    .name = "DirectedInterleaveDataset",
    .size = sizeof(directed_t),
    .cursor_size = sizeof(directed_cursor_t),
    .open = directed_open,
    .next = directed_next,
    .close = directed_close,
    .count = directed_count,
};

static berth_code_t make_directed(berth_call_t *call,
                                  berth_dataset_t **out_dataset) {
  BERTH_TRY(berth_dataset_make(&directed_kind, call, call->node->input_count,
                               out_dataset, call->err));
  ((directed_t *)*out_dataset)->stops =
      berth_node_attr_bool(call->node, "stop_on_empty_dataset", false);
  return BERTH_OK;
}

// ---- Unique ----

typedef struct unique_cursor {
  berth_cursor_t base;
  berth_map_t seen;  // By the bytes of an element.
} unique_cursor_t;

static void unique_close(berth_cursor_t *base) {
  unique_cursor_t *cursor = (unique_cursor_t *)base;
  for (size_t i = 0; i < cursor->seen.capacity; ++i) {
    berth_free((void *)(uintptr_t)cursor->seen.entries[i].key);
  }
  berth_map_clear(&cursor->seen);
}

// Remembers |tensor|; stores whether it is new.
static berth_code_t remember(unique_cursor_t *cursor,
                             const berth_tensor_t *tensor, bool *out_is_new,
                             berth_error_t *err) {
  size_t size = tensor->size;
  const char *bytes = tensor->data;
  if (tensor->dtype == BERTH_STRING) {
    bytes = berth_string_get(tensor->data, &size);
  }
  *out_is_new = false;
  if (berth_map_find(&cursor->seen, bytes, size) != NULL) return BERTH_OK;
  char *copy = berth_alloc(size + 1);
  if (copy == NULL) return berth_error_no_memory(err, "an element");
  memcpy(copy, bytes, size);
  if (!berth_map_set(&cursor->seen, copy, size, 1)) {
    berth_free(copy);
    return berth_error_no_memory(err, "an element");
  }
  *out_is_new = true;
  return BERTH_OK;
}

static berth_code_t unique_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  for (;;) {
    bool is_new = false;
    BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
    if (*out_end) return BERTH_OK;
    berth_code_t code = remember((unique_cursor_t *)base, out[0], &is_new, err);
    if (code == BERTH_OK && is_new) return BERTH_OK;
    berth_element_drop(out, base->dataset->width);
    if (code != BERTH_OK) return code;
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
}

static const berth_dataset_kind_t unique_kind = {
    .name = "UniqueDataset",
    .size = sizeof(berth_dataset_t),
    .cursor_size = sizeof(unique_cursor_t),
    .open = berth_cursor_open_input,
    .next = unique_next,
    .close = unique_close,
};

static berth_code_t make_unique(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  const berth_attr_value_t *types = berth_node_attr(call->node, "output_types");
  berth_dtype_t type =
      types != NULL && types->count == 1 ? types->type_list[0] : BERTH_INVALID;
  if (type != BERTH_INT32 && type != BERTH_INT64 && type != BERTH_STRING) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        types != NULL && types->count == 1
            ? "UniqueDataset only supports inputs with a single `tf.int32`, "
              "`tf.int64`, or `tf.string` component."
            : "UniqueDataset only supports inputs with a single component.");
  }
  return berth_dataset_make(&unique_kind, call, 1, out_dataset, call->err);
}

// ---- Errors ----

static berth_code_t tolerant_next(berth_cursor_t *base, berth_tensor_t **out,
                                  bool *out_end, berth_error_t *err) {
  for (;;) {
    berth_error_t own = BERTH_ERROR_INIT;
    berth_code_t code = berth_cursor_next(base->input, out, out_end, &own);
    berth_error_clear(&own);
    if (code == BERTH_OK) return BERTH_OK;
    if (code == BERTH_CANCELLED || berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
}

static const berth_dataset_kind_t tolerant_kind = {
    .name = "IgnoreErrorsDataset",
    .size = sizeof(berth_dataset_t),
    .cursor_size = sizeof(berth_cursor_t),
    .open = berth_cursor_open_input,
    .next = tolerant_next,
};

static berth_code_t make_tolerant(berth_call_t *call,
                                  berth_dataset_t **out_dataset) {
  return berth_dataset_make(&tolerant_kind, call, 1, out_dataset, call->err);
}

// ---- A promised number ----

typedef struct counted {
  berth_dataset_t base;
  int64_t count;
} counted_t;

typedef struct counted_cursor {
  berth_cursor_t base;
  int64_t at;
} counted_cursor_t;

static berth_code_t counted_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  counted_cursor_t *cursor = (counted_cursor_t *)base;
  int64_t count = ((const counted_t *)base->dataset)->count;
  BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
  if (!*out_end) cursor->at++;
  if (*out_end && cursor->at != count) {
    if (count == BERTH_INFINITE) {
      return berth_error_set(
          err, BERTH_FAILED_PRECONDITION,
          "Input dataset was expected to contain an infinite "
          "number of elements but contained only %" PRId64 " element%s.",
          cursor->at, cursor->at == 1 ? "" : "s");
    }
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "Input dataset was expected to contain %" PRId64
        " element%s but contained only %" PRId64 " element%s.",
        count, count == 1 ? "" : "s", cursor->at, cursor->at == 1 ? "" : "s");
  }
  if (count >= 0 && cursor->at > count) {
    berth_element_drop(out, base->dataset->width);
    return berth_error_set(
        err, BERTH_FAILED_PRECONDITION,
        "Input dataset was expected to contain %" PRId64
        " element%s but contained at least %" PRId64 " element%s.",
        count, count == 1 ? "" : "s", cursor->at, cursor->at == 1 ? "" : "s");
  }
  return BERTH_OK;
}

static int64_t counted_count(const berth_dataset_t *dataset) {
  return ((const counted_t *)dataset)->count;
}

static const berth_dataset_kind_t counted_kind = {
    .name = "AssertCardinalityDataset",
    .size = sizeof(counted_t),
    .cursor_size = sizeof(counted_cursor_t),
    .open = berth_cursor_open_input,
    .next = counted_next,
    .count = counted_count,
};

static berth_code_t make_counted(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  int64_t count = 0;
  BERTH_TRY(berth_data_int(call, 1, "cardinality", &count));
  BERTH_TRY(berth_dataset_make(&counted_kind, call, 1, out_dataset, call->err));
  ((counted_t *)*out_dataset)->count = count;
  return BERTH_OK;
}

// ---- Generators ----

typedef struct generated {
  berth_dataset_t base;
  berth_closure_t begin, next, end;
} generated_t;

typedef struct generated_cursor {
  berth_cursor_t base;
  berth_tensor_t **state;  // What beginning gave.
  int state_count;
  bool is_begun, is_over;
} generated_cursor_t;

static berth_code_t generated_begin(generated_cursor_t *cursor,
                                    berth_error_t *err) {
  const generated_t *generated = (const generated_t *)cursor->base.dataset;
  berth_routine_t *routine = generated->begin.routine;
  cursor->state_count = routine->output_count;
  cursor->state =
      berth_calloc((size_t)routine->output_count + 1, sizeof(*cursor->state));
  if (cursor->state == NULL) return berth_error_no_memory(err, "a state");
  berth_code_t code = berth_closure_call(&generated->begin, routine, NULL, 0,
                                         cursor->state, err);
  cursor->is_begun = code == BERTH_OK;
  return code;
}

static void generated_end(generated_cursor_t *cursor) {
  const generated_t *generated = (const generated_t *)cursor->base.dataset;
  berth_routine_t *routine = generated->end.routine;
  if (cursor->is_begun) {
    berth_tensor_t *few[BERTH_ELEMENT_FEW];
    berth_tensor_t **room = berth_element_room(routine->output_count, few);
    if (room != NULL &&
        berth_closure_call(&generated->end, routine, cursor->state,
                           cursor->state_count, room, NULL) == BERTH_OK) {
      berth_element_drop(room, routine->output_count);
    }
    if (room != few) berth_free(room);
    berth_element_drop(cursor->state, cursor->state_count);
  }
  cursor->is_begun = false;
  berth_free(cursor->state);
  cursor->state = NULL;
}

static berth_code_t generated_next(berth_cursor_t *base, berth_tensor_t **out,
                                   bool *out_end, berth_error_t *err) {
  generated_cursor_t *cursor = (generated_cursor_t *)base;
  const generated_t *generated = (const generated_t *)base->dataset;
  *out_end = cursor->is_over;
  if (*out_end) return BERTH_OK;
  if (!cursor->is_begun) {
    berth_free(cursor->state);
    BERTH_TRY(generated_begin(cursor, err));
  }
  berth_error_t own = BERTH_ERROR_INIT;
  berth_code_t code =
      berth_closure_call(&generated->next, generated->next.routine,
                         cursor->state, cursor->state_count, out, &own);
  if (code == BERTH_OUT_OF_RANGE) {
    berth_error_clear(&own);
    *out_end = cursor->is_over = true;
    generated_end(cursor);
    return BERTH_OK;
  }
  if (code == BERTH_OK) return code;
  if (err != NULL) {
    berth_error_clear(err);
    *err = own;
  } else {
    berth_error_clear(&own);
  }
  return code;
}

static void generated_close(berth_cursor_t *base) {
  generated_end((generated_cursor_t *)base);
}

static void generated_drop(berth_dataset_t *dataset) {
  generated_t *generated = (generated_t *)dataset;
  berth_closure_deinit(&generated->begin);
  berth_closure_deinit(&generated->next);
  berth_closure_deinit(&generated->end);
}

static const berth_dataset_kind_t generated_kind = {
    .name = "GeneratorDataset",
    .size = sizeof(generated_t),
    .cursor_size = sizeof(generated_cursor_t),
    .next = generated_next,
    .close = generated_close,
    .drop = generated_drop,
};

static berth_code_t make_generated(berth_call_t *call,
                                   berth_dataset_t **out_dataset) {
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(&generated_kind, call, 0, &made, call->err));
  generated_t *generated = (generated_t *)made;
  berth_code_t code = berth_closure_read(&generated->begin, call, "init_func",
                                         "init_func_other_args");
  if (code == BERTH_OK) {
    code = berth_closure_read(&generated->next, call, "next_func",
                              "next_func_other_args");
  }
  if (code == BERTH_OK) {
    code = berth_closure_read(&generated->end, call, "finalize_func",
                              "finalize_func_other_args");
  }
  return berth_data_finish(made, code, out_dataset);
}

BERTH_DATASET(directed)
BERTH_DATASET(unique)
BERTH_DATASET(tolerant)
BERTH_DATASET(counted)
BERTH_DATASET(generated)

const berth_kernel_t berth_data_choose_kernels[] = {
    BERTH_DATA_OP("DirectedInterleaveDataset", directed),
    BERTH_DATA_OP("UniqueDataset", unique),
    BERTH_DATA_OP("IgnoreErrorsDataset", tolerant),
    BERTH_DATA_OP("AssertCardinalityDataset", counted),
    BERTH_DATA_OP("GeneratorDataset", generated),
    {.op = NULL},
};
