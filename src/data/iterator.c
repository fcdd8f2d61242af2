// iterator.c - Iterators, and the kernels on them.
#include "data/iterator.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "data/kernels.h"
#include "data/optional.h"
#include "graph/graph.h"
#include "kernel/handle.h"
#include "state/container.h"

// A dataset that is being gone through. Counted: by the iterator, and by who
// takes an element.
typedef struct trip {
  atomic_int refs;
  berth_reading_t reading;
  berth_mutex_t lock;  // Held while an element is taken.
  berth_cursor_t *cursor;
  int64_t taken;  // Elements that were handed out, those that failed too.
} trip_t;

struct berth_iterator {
  berth_resource_t resource;  // First.
  berth_mutex_t lock;         // Guards |trip|.
  trip_t *trip;               // NULL: there is no dataset yet.
  int width;
  berth_dtype_t *types;
  berth_shape_t *shapes;
  char *key;                // In its container, of one that has a name.
  atomic_bool is_one_shot;  // Its dataset was made.
};

// ---- Trips ----

static void trip_release(trip_t *trip) {
  if (trip == NULL || atomic_fetch_sub(&trip->refs, 1) != 1) return;
  atomic_store(&trip->reading.ended, 1);
  berth_cursor_close(trip->cursor);
  berth_reading_deinit(&trip->reading);
  berth_mutex_deinit(&trip->lock);
  berth_free(trip);
}

// Makes a trip whose cursors draw |drawn| (taken over) before seeds of their
// own.
static berth_code_t trip_create(const berth_dataset_t *dataset,
                                berth_drawn_t *drawn, size_t drawn_count,
                                trip_t **out_trip, berth_error_t *err) {
  trip_t *trip = berth_calloc(1, sizeof(*trip));
  if (trip == NULL) {
    berth_free(drawn);
    return berth_error_no_memory(err, "an iterator");
  }
  atomic_init(&trip->refs, 1);
  berth_reading_init(&trip->reading);
  trip->reading.drawn = drawn;
  trip->reading.drawn_count = trip->reading.drawn_capacity = drawn_count;
  berth_mutex_init(&trip->lock);
  berth_code_t code =
      berth_cursor_open(dataset, &trip->reading, &trip->cursor, err);
  if (code == BERTH_OK) {
    *out_trip = trip;
  } else {
    trip_release(trip);
  }
  return code;
}

// ---- Iterators ----

static void iterator_destroy(berth_resource_t *resource) {
  berth_iterator_t *iterator = (berth_iterator_t *)resource;
  trip_release(iterator->trip);
  berth_mutex_deinit(&iterator->lock);
  berth_free(iterator->types);
  berth_free(iterator->shapes);
  berth_free(iterator->key);
  berth_free(iterator);
}

berth_code_t berth_iterator_create(const berth_dtype_t *types,
                                   const berth_dims_t *shapes, int width,
                                   berth_iterator_t **out_iterator,
                                   berth_error_t *err) {
  berth_iterator_t *iterator = berth_calloc(1, sizeof(*iterator));
  if (iterator == NULL) return berth_error_no_memory(err, "an iterator");
  atomic_init(&iterator->resource.refs, 1);
  iterator->resource.kind = BERTH_RESOURCE_ITERATOR;
  iterator->resource.destroy = iterator_destroy;
  berth_mutex_init(&iterator->lock);
  iterator->width = width;
  iterator->types = berth_calloc((size_t)width + 1, sizeof(*iterator->types));
  iterator->shapes = berth_calloc((size_t)width + 1, sizeof(*iterator->shapes));
  if (iterator->types == NULL || iterator->shapes == NULL) {
    iterator_destroy(&iterator->resource);
    return berth_error_no_memory(err, "an iterator");
  }
  for (int i = 0; i < width; ++i) {
    iterator->types[i] = types[i];
    iterator->shapes[i].rank = -1;
    if (shapes != NULL) berth_shape_set(&iterator->shapes[i], shapes[i]);
  }
  *out_iterator = iterator;
  return BERTH_OK;
}

static berth_code_t check_dataset(const berth_iterator_t *iterator,
                                  const berth_dataset_t *dataset,
                                  berth_error_t *err) {
  if (iterator->width != dataset->width) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Number of components does not match: expected %d "
                           "types but got %d.",
                           iterator->width, dataset->width);
  }
  for (int i = 0; i < iterator->width; ++i) {
    if (iterator->types[i] != dataset->types[i]) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Data type mismatch at component %d: expected %s "
                             "but got %s.",
                             i, berth_dtype_name(iterator->types[i]),
                             berth_dtype_name(dataset->types[i]));
    }
    berth_shape_t merged;
    berth_dims_t a = berth_shape_dims(&iterator->shapes[i]);
    berth_dims_t b = berth_shape_dims(&dataset->shapes[i]);
    if (!berth_dims_merge(a, b, &merged)) {
      char texts[2][BERTH_DIMS_TEXT];
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Incompatible shapes at component %d: expected %s "
                             "but got %s.",
                             i, berth_dims_text(a, texts[0]),
                             berth_dims_text(b, texts[1]));
    }
  }
  return BERTH_OK;
}

// Lets |iterator| go on with |trip|, and ends the one before.
static void set_trip(berth_iterator_t *iterator, trip_t *trip) {
  berth_mutex_lock(&iterator->lock);
  trip_t *before = iterator->trip;
  iterator->trip = trip;
  berth_mutex_unlock(&iterator->lock);
  if (before != NULL) atomic_store(&before->reading.ended, 1);
  trip_release(before);
}

berth_code_t berth_iterator_start(berth_iterator_t *iterator,
                                  const berth_dataset_t *dataset,
                                  berth_error_t *err) {
  if (iterator->width > 0) BERTH_TRY(check_dataset(iterator, dataset, err));
  trip_t *trip = NULL;
  BERTH_TRY(trip_create(dataset, NULL, 0, &trip, err));
  set_trip(iterator, trip);
  return BERTH_OK;
}

// Returns the trip of |iterator|, retained.
static berth_code_t get_trip(berth_iterator_t *iterator, trip_t **out_trip,
                             berth_error_t *err) {
  berth_mutex_lock(&iterator->lock);
  *out_trip = iterator->trip;
  if (*out_trip != NULL) atomic_fetch_add(&(*out_trip)->refs, 1);
  berth_mutex_unlock(&iterator->lock);
  if (*out_trip != NULL) return BERTH_OK;
  return berth_error_set(
      err, BERTH_FAILED_PRECONDITION,
      "GetNext() failed because the iterator has not been initialized. Ensure "
      "that you have run the initializer operation for this iterator before "
      "getting the next element.");
}

berth_code_t berth_iterator_next(berth_iterator_t *iterator,
                                 berth_tensor_t **out, bool *out_end,
                                 berth_error_t *err) {
  trip_t *trip = NULL;
  BERTH_TRY(get_trip(iterator, &trip, err));
  berth_mutex_lock(&trip->lock);
  berth_code_t code = berth_cursor_next(trip->cursor, out, out_end, err);
  if (code != BERTH_OK || !*out_end) trip->taken++;
  berth_mutex_unlock(&trip->lock);
  trip_release(trip);
  return code;
}

void berth_iterator_cancel(berth_iterator_t *iterator) {
  berth_mutex_lock(&iterator->lock);
  trip_t *trip = iterator->trip;
  iterator->trip = NULL;
  berth_mutex_unlock(&iterator->lock);
  if (trip != NULL) atomic_store(&trip->reading.ended, 1);
  trip_release(trip);
}

// ---- Where it is ----

enum { NUMBERS_OF_DRAWN = sizeof(berth_drawn_t) / sizeof(int64_t) };

berth_code_t berth_iterator_save(berth_iterator_t *iterator,
                                 berth_tensor_t **out_state,
                                 berth_error_t *err) {
  trip_t *trip = NULL;
  BERTH_TRY(get_trip(iterator, &trip, err));
  berth_mutex_lock(&trip->lock);
  berth_mutex_lock(&trip->reading.lock);
  size_t drawn = trip->reading.drawn_at;
  int64_t count = 1 + NUMBERS_OF_DRAWN * (int64_t)drawn;
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_INT64, 1, &count, count, out_state, err);
  if (code == BERTH_OK) {
    int64_t *numbers = (*out_state)->data;
    numbers[0] = trip->taken;
    if (drawn > 0) {
      memcpy(numbers + 1, trip->reading.drawn, drawn * sizeof(berth_drawn_t));
    }
  }
  berth_mutex_unlock(&trip->reading.lock);
  berth_mutex_unlock(&trip->lock);
  trip_release(trip);
  return code;
}

// Passes |count| elements of a trip that nobody else knows.
static berth_code_t pass(trip_t *trip, int64_t count, berth_error_t *err) {
  int width = trip->cursor->dataset->width;
  berth_tensor_t *few[BERTH_ELEMENT_FEW];
  berth_tensor_t **room = berth_element_room(width, few);
  if (room == NULL) return berth_error_no_memory(err, "an element");
  berth_code_t code = BERTH_OK;
  bool is_end = false;
  while (trip->taken < count && !is_end && code == BERTH_OK) {
    berth_code_t found = berth_cursor_next(trip->cursor, room, &is_end, err);
    if (found == BERTH_CANCELLED) code = found;
    if (found == BERTH_OK && !is_end) berth_element_drop(room, width);
    if (found != BERTH_OK && code == BERTH_OK) berth_error_clear(err);
    if (!is_end) trip->taken++;
    if (berth_reading_has_ended(&trip->reading)) {
      code = berth_reading_fail_ended(err);
    }
  }
  if (room != few) berth_free(room);
  return code;
}

berth_code_t berth_iterator_restore(berth_iterator_t *iterator,
                                    const berth_tensor_t *state,
                                    berth_error_t *err) {
  trip_t *before = NULL, *trip = NULL;
  if (state->dtype != BERTH_INT64 || state->rank != 1 ||
      state->count % NUMBERS_OF_DRAWN != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "this is no state of an iterator");
  }
  const int64_t *numbers = state->data;
  size_t count = (size_t)state->count / NUMBERS_OF_DRAWN;
  BERTH_TRY(get_trip(iterator, &before, err));
  berth_drawn_t *drawn = berth_calloc(count + 1, sizeof(*drawn));
  if (drawn == NULL) {
    trip_release(before);
    return berth_error_no_memory(err, "an iterator");
  }
  memcpy(drawn, numbers + 1, count * sizeof(*drawn));
  berth_code_t code =
      trip_create(before->cursor->dataset, drawn, count, &trip, err);
  trip_release(before);
  if (code != BERTH_OK) return code;
  code = pass(trip, numbers[0], err);
  if (code == BERTH_OK) {
    set_trip(iterator, trip);
  } else {
    trip_release(trip);
  }
  return code;
}

// ---- Making ----

static berth_code_t create_for(const berth_node_t *node,
                               berth_iterator_t **out_iterator,
                               berth_error_t *err) {
  const berth_attr_value_t *types = berth_node_attr(node, "output_types");
  const berth_attr_value_t *shapes = berth_node_attr(node, "output_shapes");
  int width = types != NULL ? types->count : 0;
  bool fits = shapes != NULL && shapes->count == width;
  return berth_iterator_create(types != NULL ? types->type_list : NULL,
                               fits ? shapes->shape_list : NULL, width,
                               out_iterator, err);
}

static berth_code_t give(berth_call_t *call, berth_iterator_t *iterator) {
  BERTH_TRY(berth_tensor_make(NULL, BERTH_RESOURCE, 0, NULL, 1,
                              &call->outputs[0], call->err));
  berth_handle_set(call->outputs[0]->data, &iterator->resource);
  return BERTH_OK;
}

static berth_code_t run_anonymous(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(create_for(call->node, &iterator, call->err));
  berth_code_t code = give(call, iterator);
  berth_resource_release(&iterator->resource);
  return code;
}

static berth_code_t create_named(void *arg, berth_resource_t **out_resource,
                                 berth_error_t *err) {
  const berth_node_t *node = arg;
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(create_for(node, &iterator, err));
  iterator->key = berth_strdup(berth_handle_key(node));
  if (iterator->key == NULL) {
    berth_resource_release(&iterator->resource);
    return berth_error_no_memory(err, "an iterator");
  }
  *out_resource = &iterator->resource;
  return BERTH_OK;
}

static berth_code_t find_named(const berth_call_t *call,
                               berth_iterator_t **out_iterator) {
  const berth_node_t *node = call->node;
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(
      call->container, berth_node_attr_string(node, "container", ""),
      BERTH_RESOURCE_ITERATOR, berth_handle_key(node), create_named,
      (void *)(uintptr_t)node, &resource, call->err));
  *out_iterator = (berth_iterator_t *)resource;
  return BERTH_OK;
}

static berth_code_t run_named(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(find_named(call, &iterator));
  berth_code_t code = give(call, iterator);
  berth_resource_release(&iterator->resource);
  return code;
}

// Calls the function that makes the dataset of a one-shot iterator.
static berth_code_t start_one_shot(berth_call_t *call,
                                   berth_iterator_t *iterator) {
  const berth_attr_value_t *factory =
      berth_node_attr(call->node, "dataset_factory");
  berth_routine_t *routine = NULL;
  berth_tensor_t *variant = NULL;
  berth_dataset_t *dataset = NULL;
  BERTH_TRY(berth_routine_make(call->container, factory->func->name, &routine,
                               call->err));
  berth_code_t code =
      routine->input_count != 0 || routine->output_count != 1
          ? berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                            "The `dataset_factory` function must return a "
                            "single scalar of dtype DT_VARIANT.")
          : routine->call(routine, NULL, &variant, NULL, call->err);
  if (code == BERTH_OK) code = berth_dataset_of(variant, &dataset, call->err);
  if (code == BERTH_OK) {
    code = berth_iterator_start(iterator, dataset, call->err);
  }
  berth_tensor_release(variant);
  berth_resource_release(&routine->resource);
  return code;
}

static berth_code_t run_one_shot(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(find_named(call, &iterator));
  berth_code_t code = BERTH_OK;
  if (!atomic_load(&iterator->is_one_shot)) {
    // Two runs that begin at once make two datasets; one of them is used.
    berth_mutex_lock(&iterator->lock);
    bool is_first = iterator->trip == NULL;
    berth_mutex_unlock(&iterator->lock);
    if (is_first) code = start_one_shot(call, iterator);
    if (code == BERTH_OK) atomic_store(&iterator->is_one_shot, true);
  }
  if (code == BERTH_OK) code = give(call, iterator);
  berth_resource_release(&iterator->resource);
  return code;
}

// ---- Use ----

static berth_code_t iterator_of(const berth_tensor_t *handle,
                                berth_iterator_t **out_iterator,
                                berth_error_t *err) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(
      berth_handle_get(handle->data, BERTH_RESOURCE_ITERATOR, &resource, err));
  *out_iterator = (berth_iterator_t *)resource;
  return BERTH_OK;
}

static berth_code_t run_start(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  berth_dataset_t *dataset = NULL;
  BERTH_TRY(berth_dataset_of(call->inputs[0], &dataset, call->err));
  BERTH_TRY(iterator_of(call->inputs[1], &iterator, call->err));
  return berth_iterator_start(iterator, dataset, call->err);
}

// Checks the element in |out| against what the node promises.
static berth_code_t check_element(const berth_call_t *call,
                                  berth_tensor_t **out) {
  const berth_node_t *node = call->node;
  const berth_attr_value_t *types = berth_node_attr(node, "output_types");
  const berth_attr_value_t *shapes = berth_node_attr(node, "output_shapes");
  for (int i = 0; types != NULL && i < types->count; ++i) {
    if (out[i]->dtype != types->type_list[i]) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Data type mismatch at component %d: expected %s "
                             "but got %s.",
                             i, berth_dtype_name(types->type_list[i]),
                             berth_dtype_name(out[i]->dtype));
    }
    if (shapes == NULL || i >= shapes->count) continue;
    berth_shape_t merged;
    berth_dims_t dims = berth_tensor_dims(out[i]);
    if (berth_dims_merge(shapes->shape_list[i], dims, &merged)) continue;
    char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Incompatible shapes at component %d: expected %s "
                           "but got %s.",
                           i, berth_dims_text(shapes->shape_list[i], a),
                           berth_dims_text(dims, b));
  }
  return BERTH_OK;
}

// Takes an element of the iterator at input 0, |width| of whose tensors fit.
static berth_code_t take(berth_call_t *call, berth_tensor_t **out,
                         int *out_width, bool *out_end) {
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(iterator_of(call->inputs[0], &iterator, call->err));
  berth_mutex_lock(&iterator->lock);
  int width = iterator->trip != NULL ? iterator->trip->cursor->dataset->width
                                     : iterator->width;
  berth_mutex_unlock(&iterator->lock);
  if (width != *out_width) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Number of components does not match: expected %d "
                           "types but got %d.",
                           *out_width, width);
  }
  // The handle may go while this waits.
  berth_resource_retain(&iterator->resource);
  berth_code_t code = berth_iterator_next(iterator, out, out_end, call->err);
  berth_resource_release(&iterator->resource);
  if (code != BERTH_OK || *out_end) return code;
  code = check_element(call, out);
  if (code != BERTH_OK) berth_element_drop(out, width);
  return code;
}

static berth_code_t run_next(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  int width = call->node->output_count;
  bool is_end = false;
  BERTH_TRY(take(call, call->outputs, &width, &is_end));
  if (!is_end) return BERTH_OK;
  return berth_error_set(call->err, BERTH_OUT_OF_RANGE, "End of sequence");
}

static berth_code_t run_next_optional(const void *plan, void *const *args,
                                      berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_attr_value_t *types = berth_node_attr(call->node, "output_types");
  int width = types != NULL ? types->count : 0;
  berth_tensor_t *few[BERTH_ELEMENT_FEW];
  berth_tensor_t **room = berth_element_room(width, few);
  if (room == NULL) return berth_error_no_memory(call->err, "an element");
  bool is_end = false;
  berth_code_t code = take(call, room, &width, &is_end);
  if (code == BERTH_OK) {
    code = berth_optional_wrap(is_end ? NULL : room, width, &call->outputs[0],
                               call->err);
    if (!is_end) berth_element_drop(room, width);
  }
  if (room != few) berth_free(room);
  return code;
}

// A state is an int64 vector in an optional.
static berth_code_t run_save(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  berth_tensor_t *state = NULL;
  BERTH_TRY(iterator_of(call->inputs[0], &iterator, call->err));
  BERTH_TRY(berth_iterator_save(iterator, &state, call->err));
  berth_code_t code =
      berth_optional_wrap(&state, 1, &call->outputs[0], call->err);
  berth_tensor_release(state);
  return code;
}

static berth_code_t run_restore(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(iterator_of(call->inputs[0], &iterator, call->err));
  const berth_tensor_t *state = berth_optional_get(call->inputs[1]);
  if (state == NULL) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "this is no state of an iterator");
  }
  return berth_iterator_restore(iterator, state, call->err);
}

// ---- Names ----

// The text of a handle leads to the iterator in this process: its address, and
// what makes a wrong one unlikely to be taken for right.
static berth_mutex_t handles_lock = BERTH_MUTEX_INIT;  // Guards |handles|.
static struct {
  berth_iterator_t **items;  // Borrowed: those that gave a text and live.
  size_t count, capacity;
} handles;

static void forget_handle(berth_resource_t *resource) {
  berth_mutex_lock(&handles_lock);
  for (size_t i = 0; i < handles.count; ++i) {
    if (&handles.items[i]->resource == resource) {
      handles.items[i] = handles.items[--handles.count];
      break;
    }
  }
  berth_mutex_unlock(&handles_lock);
  iterator_destroy(resource);
}

static berth_code_t remember_handle(berth_iterator_t *iterator,
                                    berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&handles_lock);
  if (iterator->resource.destroy != forget_handle) {
    berth_iterator_t **items = berth_grow(handles.items, handles.count,
                                          &handles.capacity, sizeof(*items));
    if (items == NULL) {
      code = berth_error_no_memory(err, "an iterator");
    } else {
      handles.items = items;
      items[handles.count++] = iterator;
      iterator->resource.destroy = forget_handle;
    }
  }
  berth_mutex_unlock(&handles_lock);
  return code;
}

static berth_code_t run_to_text(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  char text[64];
  BERTH_TRY(iterator_of(call->inputs[0], &iterator, call->err));
  BERTH_TRY(remember_handle(iterator, call->err));
  snprintf(text, sizeof(text), "berth-iterator-%p", (void *)iterator);
  BERTH_TRY(berth_tensor_make(NULL, BERTH_STRING, 0, NULL, 1, &call->outputs[0],
                              call->err));
  return berth_tensor_set_string(call->outputs[0], 0, text, strlen(text),
                                 call->err);
}

// Returns the iterator that |text| names, retained, or NULL.
static berth_iterator_t *find_text(const char *text, size_t size) {
  berth_iterator_t *found = NULL;
  char own[64];
  berth_mutex_lock(&handles_lock);
  for (size_t i = 0; found == NULL && i < handles.count; ++i) {
    snprintf(own, sizeof(own), "berth-iterator-%p", (void *)handles.items[i]);
    if (strlen(own) != size || memcmp(own, text, size) != 0) continue;
    // One on its way out is not brought back.
    int refs = atomic_load(&handles.items[i]->resource.refs);
    while (refs > 0 && !atomic_compare_exchange_weak(
                           &handles.items[i]->resource.refs, &refs, refs + 1)) {
    }
    if (refs > 0) found = handles.items[i];
  }
  berth_mutex_unlock(&handles_lock);
  return found;
}

static berth_code_t run_from_text(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  size_t size = 0;
  if (call->inputs[0]->rank != 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "string_handle must be a scalar");
  }
  const char *text = berth_tensor_get_string(call->inputs[0], 0, &size);
  berth_iterator_t *iterator = find_text(text, size);
  if (iterator == NULL) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Attempted to create an iterator from a handle that names none: %.*s",
        (int)size, text);
  }
  const berth_attr_value_t *types = berth_node_attr(call->node, "output_types");
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && types != NULL && i < types->count; ++i) {
    if (i < iterator->width && iterator->types[i] == types->type_list[i]) {
      continue;
    }
    code = berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Data type mismatch at component %d: expected %s "
        "but got %s.",
        i, berth_dtype_name(types->type_list[i]),
        i < iterator->width ? berth_dtype_name(iterator->types[i]) : "nothing");
  }
  if (code == BERTH_OK) code = give(call, iterator);
  berth_resource_release(&iterator->resource);
  return code;
}

// ---- Deleting ----

static berth_code_t run_delete(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_iterator_t *iterator = NULL;
  BERTH_TRY(iterator_of(call->inputs[0], &iterator, call->err));
  berth_iterator_cancel(iterator);
  return BERTH_OK;
}

BERTH_DATA_KERNEL(anonymous)
BERTH_DATA_KERNEL(named)
BERTH_DATA_KERNEL(one_shot)
BERTH_DATA_KERNEL(start)
BERTH_DATA_KERNEL(next)
BERTH_DATA_KERNEL(next_optional)
BERTH_DATA_KERNEL(save)
BERTH_DATA_KERNEL(restore)
BERTH_DATA_KERNEL(to_text)
BERTH_DATA_KERNEL(from_text)
BERTH_DATA_KERNEL(delete)

const berth_kernel_t berth_data_iterator_kernels[] = {
    BERTH_DATA_OP("AnonymousIteratorV3", anonymous),
    BERTH_DATA_OP("IteratorV2", named),
    BERTH_DATA_OP("Iterator", named),
    BERTH_DATA_OP("OneShotIterator", one_shot),
    BERTH_DATA_OP("MakeIterator", start),
    BERTH_DATA_OP("IteratorGetNext", next),
    BERTH_DATA_OP("IteratorGetNextSync", next),
    BERTH_DATA_OP("IteratorGetNextAsOptional", next_optional),
    BERTH_DATA_OP("SerializeIterator", save),
    BERTH_DATA_OP("DeserializeIterator", restore),
    BERTH_DATA_OP("IteratorToStringHandle", to_text),
    BERTH_DATA_OP("IteratorFromStringHandle", from_text),
    BERTH_DATA_OP("IteratorFromStringHandleV2", from_text),
    BERTH_DATA_OP("DeleteIterator", delete),
    {.op = NULL},
};
