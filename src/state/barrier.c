// barrier.c - Tuples of tensors whose parts come one by one, under texts.
#include "state/barrier.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/thread.h"
#include "state/queue_internal.h"
#include "tensor/string.h"

enum { WIDTH = 256, FRONT = 2 };  // Of the table; tensors before the parts.

// A tuple that is not whole: its number, its key, and parts, of which NULL ones
// are not there.
typedef struct tuple tuple_t;
struct tuple {
  tuple_t *next;
  berth_tensor_t *tensors[];
};

struct berth_barrier {
  berth_resource_t resource;  // First.
  berth_queue_t *queue;       // Retained.
  char *name;
  int width;           // Parts of a tuple.
  berth_mutex_t lock;  // Guards what follows.
  bool is_closed, is_cancelled;
  int64_t next_number;
  int64_t count;  // Of tuples.
  tuple_t *tuples[WIDTH];
};

// ---- Tuples ----

static void tuple_destroy(const berth_barrier_t *barrier, tuple_t *tuple) {
  for (int i = 0; i < FRONT + barrier->width; ++i) {
    berth_tensor_release(tuple->tensors[i]);
  }
  berth_free(tuple);
}

static void tuples_clear(berth_barrier_t *barrier) {
  for (int i = 0; i < WIDTH; ++i) {
    while (barrier->tuples[i] != NULL) {
      tuple_t *tuple = barrier->tuples[i];
      barrier->tuples[i] = tuple->next;
      tuple_destroy(barrier, tuple);
    }
  }
  barrier->count = 0;
}

// Returns the link to the tuple of |key|, or to NULL.
static tuple_t **tuple_link(berth_barrier_t *barrier,
                            const berth_string_t *key) {
  size_t size = 0, other = 0;
  const char *text = berth_string_get(key, &size);
  tuple_t **link = &barrier->tuples[berth_hash(text, size, 0) % WIDTH];
  for (; *link != NULL; link = &(*link)->next) {
    const char *is = berth_string_get((*link)->tensors[1]->data, &other);
    if (other == size && memcmp(is, text, size) == 0) break;
  }
  return link;
}

// Adds an empty tuple for |key| at |link|.
static berth_code_t tuple_add(berth_barrier_t *barrier, tuple_t **link,
                              const berth_string_t *key, berth_error_t *err) {
  size_t size = 0, count = (size_t)(FRONT + barrier->width);
  const char *text = berth_string_get(key, &size);
  tuple_t *tuple =
      berth_calloc(1, sizeof(*tuple) + count * sizeof(berth_tensor_t *));
  if (tuple == NULL) return berth_error_no_memory(err, "a tuple");
  berth_tensor_t **front = tuple->tensors;
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &front[0], err);
  if (code == BERTH_OK) {
    *(int64_t *)front[0]->data = INT64_MIN + barrier->next_number;
    code = berth_tensor_make(NULL, BERTH_STRING, 0, NULL, 1, &front[1], err);
  }
  if (code == BERTH_OK && !berth_string_set(front[1]->data, text, size)) {
    code = berth_error_no_memory(err, "a key");
  }
  if (code != BERTH_OK) {
    tuple_destroy(barrier, tuple);
    return code;
  }
  *link = tuple;
  ++barrier->count;
  return BERTH_OK;
}

// ---- Life ----

static void barrier_destroy(berth_resource_t *resource) {
  berth_barrier_t *barrier = (berth_barrier_t *)resource;
  tuples_clear(barrier);
  berth_mutex_deinit(&barrier->lock);
  berth_resource_release((berth_resource_t *)barrier->queue);
  berth_free(barrier->name);
  berth_free(barrier);
}

// Makes a barrier before |queue|, which is taken over.
static berth_barrier_t *barrier_make(berth_queue_t *queue) {
  const char *name = berth_queue_name(queue);
  berth_barrier_t *barrier = berth_calloc(1, sizeof(*barrier));
  char *own = berth_strndup(name, strlen(name) - strlen("_queue"));
  if (barrier == NULL || own == NULL) {
    berth_free(barrier);
    berth_free(own);
    berth_resource_release((berth_resource_t *)queue);
    return NULL;
  }
  atomic_init(&barrier->resource.refs, 1);
  barrier->resource.kind = BERTH_RESOURCE_BARRIER;
  barrier->resource.destroy = barrier_destroy;
  barrier->queue = queue;
  barrier->name = own;
  barrier->width = berth_queue_component_count(queue) - FRONT;
  berth_mutex_init(&barrier->lock);
  return barrier;
}

// Finds or makes the queue, whose tuples have a number and a key in front.
static berth_code_t queue_make(berth_container_t *container,
                               const char *container_name, const char *key,
                               const berth_queue_options_t *options,
                               berth_queue_t **out_queue, berth_error_t *err) {
  size_t count = (size_t)(FRONT + options->component_count);
  berth_dtype_t *types = berth_calloc(count, sizeof(*types));
  berth_dims_t *shapes = berth_calloc(count, sizeof(*shapes));
  berth_str_t name = {0};
  berth_str_printf(&name, "%s_queue", key);
  berth_code_t code = BERTH_OK;
  if (types == NULL || shapes == NULL || !berth_str_ok(&name)) {
    code = berth_error_no_memory(err, "a barrier");
  } else {
    types[0] = BERTH_INT64;
    types[1] = BERTH_STRING;
    for (int i = 0; i < options->component_count; ++i) {
      types[FRONT + i] = options->types[i];
      shapes[FRONT + i] = options->shapes[i];
    }
    berth_queue_options_t whole = {.capacity = -1,
                                   .component_count = (int)count,
                                   .types = types,
                                   .shape_count = (int)count,
                                   .shapes = shapes,
                                   .is_shared = options->is_shared,
                                   .is_ordered = true};
    code = berth_queue_get(container, container_name, berth_str_get(&name),
                           &whole, out_queue, err);
  }
  berth_str_clear(&name);
  berth_free(types);
  berth_free(shapes);
  return code;
}

static berth_code_t lend(void *arg, berth_resource_t **out_resource,
                         berth_error_t *err) {
  (void)err;
  *out_resource = berth_resource_retain(arg);
  return BERTH_OK;
}

static void print_types(const berth_dtype_t *types, int count,
                        berth_str_t *text) {
  for (int i = 0; i < count; ++i) {
    berth_str_printf(text, "%s%s", i > 0 ? ", " : "",
                     berth_dtype_name(types[i]));
  }
}

static void print_shape(berth_dims_t dims, bool goes_on, berth_str_t *text) {
  char shape[BERTH_DIMS_TEXT];
  berth_str_printf(text, "%s%s", goes_on ? ", " : "",
                   berth_dims_text(dims, shape));
}

static berth_code_t fail_other(berth_str_t *text, berth_error_t *err) {
  berth_error_set_text(err, BERTH_INVALID_ARGUMENT, berth_str_get(text));
  berth_str_clear(text);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t fail_shapes(const berth_barrier_t *barrier,
                                const berth_queue_options_t *options,
                                berth_error_t *err) {
  const berth_shape_t *has = barrier->queue->shapes + FRONT;
  berth_str_t text = {0};
  berth_str_printf(&text, "Shared barrier '%s' has component shapes [",
                   barrier->name);
  for (int i = 0; i < barrier->width; ++i) {
    print_shape(berth_shape_dims(&has[i]), i > 0, &text);
  }
  berth_str_puts(&text, "] but requested component shapes were [");
  for (int i = 0; i < barrier->width; ++i) {
    print_shape(options->shapes[i], i > 0, &text);
  }
  berth_str_puts(&text, "]");
  return fail_other(&text, err);
}

// Checks that |barrier|, which was there, is for tuples as |options| say.
static berth_code_t check_same(const berth_barrier_t *barrier,
                               const berth_queue_options_t *options,
                               berth_error_t *err) {
  int count = options->component_count;
  const berth_dtype_t *has = berth_barrier_types(barrier);
  if (count != barrier->width ||
      memcmp(has, options->types, (size_t)count * sizeof(*has)) != 0) {
    berth_str_t text = {0};
    berth_str_printf(&text, "Shared barrier '%s' has component types ",
                     barrier->name);
    print_types(has, barrier->width, &text);
    berth_str_puts(&text, " but requested component types were ");
    print_types(options->types, count, &text);
    return fail_other(&text, err);
  }
  for (int i = 0; i < count; ++i) {
    berth_dims_t shape = berth_shape_dims(&barrier->queue->shapes[FRONT + i]);
    if (!berth_dims_equal(shape, options->shapes[i])) {
      return fail_shapes(barrier, options, err);
    }
  }
  return BERTH_OK;
}

berth_code_t berth_barrier_get(berth_container_t *container,
                               const char *container_name, const char *key,
                               const berth_queue_options_t *options,
                               berth_barrier_t **out_barrier,
                               berth_error_t *err) {
  berth_queue_t *queue = NULL;
  berth_resource_t *found = berth_container_find(container, container_name,
                                                 BERTH_RESOURCE_BARRIER, key);
  berth_code_t code = BERTH_OK;
  if (found != NULL) {
    code = check_same((berth_barrier_t *)found, options, err);
  } else {
    BERTH_TRY(queue_make(container, container_name, key, options, &queue, err));
    berth_barrier_t *made = barrier_make(queue);
    if (made == NULL) return berth_error_no_memory(err, "a barrier");
    code = berth_container_find_or_create(container, container_name,
                                          BERTH_RESOURCE_BARRIER, key, lend,
                                          made, &found, err);
    berth_resource_release(&made->resource);
  }
  if (code == BERTH_OK) {
    *out_barrier = (berth_barrier_t *)found;
  } else {
    berth_resource_release(found);
  }
  return code;
}

berth_queue_t *berth_barrier_queue(const berth_barrier_t *barrier) {
  return barrier->queue;
}

int berth_barrier_width(const berth_barrier_t *barrier) {
  return barrier->width;
}

const berth_dtype_t *berth_barrier_types(const berth_barrier_t *barrier) {
  return berth_queue_types(barrier->queue) + FRONT;
}

int64_t berth_barrier_parts(berth_barrier_t *barrier) {
  berth_mutex_lock(&barrier->lock);
  int64_t count = barrier->count;
  berth_mutex_unlock(&barrier->lock);
  return count;
}

// ---- Putting in ----

// Moves a tuple that is whole to the queue, which has room for any number.
static berth_code_t hand_on(berth_barrier_t *barrier, tuple_t **link,
                            berth_error_t *err) {
  tuple_t *tuple = *link;
  int count = FRONT + barrier->width;
  for (int i = 0; i < count; ++i) {
    const berth_tensor_t *tensor = tuple->tensors[i];
    if (tensor == NULL || tensor->count == 0) return BERTH_OK;
  }
  *link = tuple->next;
  --barrier->count;
  berth_queue_waiter_t waiter = {0};
  bool is_parked = false;
  berth_code_t code = berth_queue_enqueue(barrier->queue, tuple->tensors, count,
                                          &waiter, &is_parked, err);
  tuple_destroy(barrier, tuple);
  return code;
}

static berth_code_t insert_one(berth_barrier_t *barrier, int part,
                               const berth_string_t *key, int64_t index,
                               berth_tensor_t *row, bool *out_is_new,
                               berth_error_t *err) {
  size_t size = 0;
  const char *text = berth_string_get(key, &size);
  tuple_t **link = tuple_link(barrier, key);
  if (*link == NULL && barrier->is_closed) {
    return berth_error_set(
        err, BERTH_CANCELLED,
        "Barrier %s is closed, but attempted to insert a brand new key: %.*s.  "
        "Pending enqueues cancelled: %d.  Insertion index: %" PRId64
        ".  Number of incomplete keys: %" PRId64 ".",
        barrier->name, (int)size, text, barrier->is_cancelled, index,
        barrier->count);
  }
  if (*link == NULL) {
    BERTH_TRY(tuple_add(barrier, link, key, err));
    *out_is_new = true;
  }
  berth_tensor_t **place = &(*link)->tensors[FRONT + part];
  if (*place != NULL && (*place)->count > 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Key %.*s already has a value for component %d in "
                           "barrier %s",
                           (int)size, text, part, barrier->name);
  }
  berth_tensor_release(*place);
  *place = berth_tensor_retain(row);
  return hand_on(barrier, link, err);
}

static berth_code_t insert_all(berth_barrier_t *barrier, int part,
                               const berth_tensor_t *keys,
                               berth_tensor_t *const *rows,
                               berth_error_t *err) {
  bool takes_any =
      !barrier->is_cancelled && (keys->count == 0 || barrier->count > 0);
  if (barrier->is_closed && !takes_any) {
    return berth_error_set(
        err, BERTH_CANCELLED,
        "Barrier %s is closed.  Pending enqueues cancelled: %d.  Number of new "
        "insertions: %" PRId64 ".  Number of incomplete keys: %" PRId64 ".",
        barrier->name, barrier->is_cancelled, keys->count, barrier->count);
  }
  bool is_new = false;
  for (int64_t i = 0; i < keys->count; ++i) {
    BERTH_TRY(insert_one(barrier, part, (const berth_string_t *)keys->data + i,
                         i, rows[i], &is_new, err));
  }
  // All that one call has begun has one number.
  if (is_new) ++barrier->next_number;
  return BERTH_OK;
}

berth_code_t berth_barrier_insert(berth_barrier_t *barrier, int part,
                                  const berth_tensor_t *keys,
                                  berth_tensor_t *const *rows,
                                  berth_error_t *err) {
  berth_mutex_lock(&barrier->lock);
  berth_code_t code = insert_all(barrier, part, keys, rows, err);
  berth_mutex_unlock(&barrier->lock);
  return code;
}

// ---- Taking out, closing ----

berth_code_t berth_barrier_begin_take(berth_barrier_t *barrier, bool or_fewer,
                                      int64_t *count, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&barrier->lock);
  int64_t ready = berth_queue_size(barrier->queue);
  if (barrier->is_closed && or_fewer && *count > ready) *count = ready;
  if (!or_fewer) ready += barrier->count;
  if (barrier->is_closed && ready < (*count > 1 ? *count : 1)) {
    code = berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "Barrier '%s' is closed and has insufficient "
                           "elements (requested %" PRId64
                           ", total size %" PRId64 ")",
                           barrier->name, *count, ready);
  }
  berth_mutex_unlock(&barrier->lock);
  return code;
}

berth_code_t berth_barrier_close(berth_barrier_t *barrier, bool cancel_pending,
                                 berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&barrier->lock);
  if (barrier->is_closed && (barrier->is_cancelled || !cancel_pending)) {
    code = berth_error_set(err, BERTH_CANCELLED,
                           "Barrier '%s' is already closed.", barrier->name);
  } else {
    barrier->is_closed = true;
    barrier->is_cancelled = cancel_pending;
    if (cancel_pending) tuples_clear(barrier);
    // Nothing waits to get in, so that this never parks.
    if (barrier->count == 0) {
      code = berth_queue_close(barrier->queue, true, NULL, &(bool){false}, err);
    }
  }
  berth_mutex_unlock(&barrier->lock);
  return code;
}
