// queue.c - Making queues, and checking what goes in.
#include "state/queue.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "state/generator.h"
#include "state/queue_internal.h"

static void queue_destroy(berth_resource_t *resource) {
  berth_queue_t *queue = (berth_queue_t *)resource;
  int64_t stride = queue->component_count;
  for (int64_t i = 0; i < queue->size; ++i) {
    int64_t slot = (queue->head + i) % queue->ring_capacity;
    for (int64_t j = 0; j < stride; ++j) {
      berth_tensor_release(queue->ring[slot * stride + j]);
    }
  }
  berth_mutex_deinit(&queue->lock);
  berth_free(queue->ring);
  berth_free(queue->shapes);
  berth_free(queue->types);
  berth_free(queue->name);
  berth_free(queue);
}

// What a new queue is made from.
typedef struct wanted {
  const char *key;
  const berth_queue_options_t *options;
} wanted_t;

// Returns how many elements fit; TensorFlow's "no limit" is a large number.
static int64_t capacity_of(const berth_queue_options_t *options) {
  return options->capacity < 0 ? INT32_MAX : options->capacity;
}

// Returns the name in messages. As in TensorFlow one count runs through the
// whole process.
static char *name_create(const wanted_t *wanted) {
  static atomic_ullong made = 0;
  if (wanted->options->is_shared) return berth_strdup(wanted->key);
  berth_str_t str = {0};
  berth_str_printf(&str, "_%llu_%s", atomic_fetch_add(&made, 1), wanted->key);
  return berth_str_take(&str);
}

static bool queue_fill(berth_queue_t *queue, const wanted_t *wanted) {
  const berth_queue_options_t *options = wanted->options;
  size_t count = (size_t)options->component_count;
  queue->capacity = capacity_of(options);
  queue->component_count = options->component_count;
  queue->has_shapes = options->shape_count > 0;
  queue->is_shuffled = options->is_shuffled;
  queue->spared = options->spared;
  queue->seed = options->seed;
  queue->seed2 = options->seed2;
  queue->is_padded = options->is_padded;
  queue->is_ordered = options->is_ordered;
  if (options->is_shuffled) {
    queue->philox = berth_generator_begin(options->seed, options->seed2);
  }
  queue->name = name_create(wanted);
  queue->types = berth_calloc(count, sizeof(berth_dtype_t));
  if (queue->name == NULL || queue->types == NULL) return false;
  memcpy(queue->types, options->types, count * sizeof(berth_dtype_t));
  if (!queue->has_shapes) return true;
  queue->shapes = berth_calloc(count, sizeof(berth_shape_t));
  if (queue->shapes == NULL) return false;
  for (size_t i = 0; i < count; ++i) {
    berth_shape_set(&queue->shapes[i], options->shapes[i]);
  }
  return true;
}

static berth_code_t queue_create(void *arg, berth_resource_t **out_resource,
                                 berth_error_t *err) {
  berth_queue_t *queue = berth_calloc(1, sizeof(*queue));
  if (queue == NULL) return berth_error_no_memory(err, "a queue");
  atomic_init(&queue->resource.refs, 1);
  queue->resource.kind = BERTH_RESOURCE_QUEUE;
  queue->resource.destroy = queue_destroy;
  berth_mutex_init(&queue->lock);
  if (!queue_fill(queue, arg)) {
    queue_destroy(&queue->resource);
    return berth_error_no_memory(err, "a queue");
  }
  *out_resource = &queue->resource;
  return BERTH_OK;
}

// ---- Options ----

static void print_types(const berth_dtype_t *types, int count,
                        berth_str_t *str) {
  for (int i = 0; i < count; ++i) {
    berth_str_printf(str, "%s%s", i > 0 ? ", " : "",
                     berth_dtype_name(types[i]));
  }
}

static void print_shapes(const berth_dims_t *shapes, int count,
                         berth_str_t *str) {
  berth_str_putc(str, '[');
  for (int i = 0; i < count; ++i) {
    if (i > 0) berth_str_puts(str, ", ");
    berth_dims_print(shapes[i], str);
  }
  berth_str_putc(str, ']');
}

// Turns a text under construction into an error.
static berth_code_t fail_with(berth_str_t *str, berth_error_t *err) {
  berth_code_t code =
      berth_error_set_text(err, BERTH_INVALID_ARGUMENT, berth_str_get(str));
  berth_str_clear(str);
  return code;
}

static berth_code_t check_spared(const berth_queue_options_t *options,
                                 berth_error_t *err) {
  long long spared = options->spared;
  if (spared < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "min_after_dequeue %lld must be >= 0", spared);
  }
  if (options->is_shuffled && spared >= capacity_of(options)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "min_after_dequeue %lld must be < capacity %lld",
                           spared, (long long)capacity_of(options));
  }
  return BERTH_OK;
}

static berth_code_t check_options(const berth_queue_options_t *options,
                                  berth_error_t *err) {
  BERTH_TRY(check_spared(options, err));
  int count = options->shape_count;
  if (count != 0 && count != options->component_count) {
    berth_str_t str = {0};
    berth_str_puts(&str, "Different number of component types.  Types: ");
    print_types(options->types, options->component_count, &str);
    berth_str_puts(&str, ", Shapes: ");
    print_shapes(options->shapes, count, &str);
    return fail_with(&str, err);
  }
  for (int i = 0; i < count; ++i) {
    berth_dims_t shape = options->shapes[i];
    if (options->is_padded ? shape.rank >= 0 : berth_dims_is_full(shape)) {
      continue;
    }
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s is not fully defined",
                           berth_dims_text(options->shapes[i], text));
  }
  return BERTH_OK;
}

static bool has_same_types(const berth_queue_t *queue,
                           const berth_queue_options_t *options) {
  return queue->component_count == options->component_count &&
         memcmp(queue->types, options->types,
                (size_t)queue->component_count * sizeof(berth_dtype_t)) == 0;
}

static bool has_same_shapes(const berth_queue_t *queue,
                            const berth_queue_options_t *options) {
  if (queue->has_shapes != (options->shape_count > 0)) return false;
  for (int i = 0; i < options->shape_count; ++i) {
    if (!berth_dims_equal(berth_shape_dims(&queue->shapes[i]),
                          options->shapes[i])) {
      return false;
    }
  }
  return true;
}

static void print_own_shapes(const berth_queue_t *queue, berth_str_t *str) {
  berth_str_putc(str, '[');
  for (int i = 0; queue->has_shapes && i < queue->component_count; ++i) {
    if (i > 0) berth_str_puts(str, ", ");
    berth_dims_print(berth_shape_dims(&queue->shapes[i]), str);
  }
  berth_str_putc(str, ']');
}

// Compares what makes the order of a shuffled queue; says what differs.
static bool has_same_order(const berth_queue_t *queue,
                           const berth_queue_options_t *options,
                           berth_str_t *str) {
  if (queue->spared != options->spared) {
    berth_str_printf(str,
                     "min_after_dequeue %lld but requested min_after_dequeue "
                     "was %lld.",
                     (long long)queue->spared, (long long)options->spared);
    return false;
  }
  bool is_same = queue->seed == options->seed && queue->seed2 == options->seed2;
  if (!is_same && (options->seed != 0 || options->seed2 != 0)) {
    berth_str_printf(str,
                     "random seeds (%lld, %lld) but requested seeds are "
                     "(%lld, %lld).",
                     (long long)queue->seed, (long long)queue->seed2,
                     (long long)options->seed, (long long)options->seed2);
    return false;
  }
  return true;
}

// Compares what a script asks for with the queue that has the name already.
static berth_code_t check_match(const berth_queue_t *queue,
                                const berth_queue_options_t *options,
                                berth_error_t *err) {
  int64_t capacity = capacity_of(options);
  berth_str_t str = {0};
  berth_str_printf(&str, "Shared queue '%s' has ", queue->name);
  if (queue->is_shuffled != options->is_shuffled ||
      queue->is_padded != options->is_padded ||
      queue->is_ordered != options->is_ordered) {
    berth_str_printf(&str, "type '%s' that does not match the one requested",
                     berth_queue_kind(queue));
    return fail_with(&str, err);
  }
  if (queue->capacity != capacity) {
    berth_str_printf(&str, "capacity %lld but requested capacity was %lld",
                     (long long)queue->capacity, (long long)capacity);
    return fail_with(&str, err);
  }
  if (!has_same_order(queue, options, &str)) return fail_with(&str, err);
  if (!has_same_types(queue, options)) {
    berth_str_puts(&str, "component types ");
    print_types(queue->types, queue->component_count, &str);
    berth_str_puts(&str, " but requested component types were ");
    print_types(options->types, options->component_count, &str);
    return fail_with(&str, err);
  }
  if (!has_same_shapes(queue, options)) {
    berth_str_puts(&str, "component shapes ");
    print_own_shapes(queue, &str);
    berth_str_puts(&str, " but requested component shapes were ");
    print_shapes(options->shapes, options->shape_count, &str);
    return fail_with(&str, err);
  }
  berth_str_clear(&str);
  return BERTH_OK;
}

berth_code_t berth_queue_get(berth_container_t *container,
                             const char *container_name, const char *key,
                             const berth_queue_options_t *options,
                             berth_queue_t **out_queue, berth_error_t *err) {
  BERTH_TRY(check_options(options, err));
  wanted_t wanted = {key, options};
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(
      container, container_name, BERTH_RESOURCE_QUEUE, key, queue_create,
      &wanted, &resource, err));
  berth_queue_t *queue = (berth_queue_t *)resource;
  berth_code_t code = check_match(queue, options, err);
  if (code != BERTH_OK) {
    berth_resource_release(resource);
    return code;
  }
  *out_queue = queue;
  return BERTH_OK;
}

const char *berth_queue_kind(const berth_queue_t *queue) {
  if (queue->is_padded) return "PaddingFIFOQueue";
  if (queue->is_ordered) return "PriorityQueue";
  return queue->is_shuffled ? "RandomShuffleQueue" : "FIFOQueue";
}

const char *berth_queue_name(const berth_queue_t *queue) { return queue->name; }

int berth_queue_component_count(const berth_queue_t *queue) {
  return queue->component_count;
}

const berth_dtype_t *berth_queue_types(const berth_queue_t *queue) {
  return queue->types;
}

int64_t berth_queue_size(berth_queue_t *queue) {
  berth_mutex_lock(&queue->lock);
  int64_t size = queue->size;
  berth_mutex_unlock(&queue->lock);
  return size;
}

bool berth_queue_is_closed(berth_queue_t *queue) {
  berth_mutex_lock(&queue->lock);
  bool is_closed = queue->is_closed;
  berth_mutex_unlock(&queue->lock);
  return is_closed;
}

// ---- What goes in ----

static berth_code_t check_types(const berth_queue_t *queue,
                                berth_tensor_t *const *tensors, int count,
                                berth_error_t *err) {
  if (count != queue->component_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Wrong number of components in tuple. Expected %d, "
                           "got %d",
                           queue->component_count, count);
  }
  for (int i = 0; i < count; ++i) {
    if (tensors[i]->dtype == queue->types[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Type mismatch in tuple component %d. Expected %s, "
                           "got %s",
                           i, berth_dtype_name(queue->types[i]),
                           berth_dtype_name(tensors[i]->dtype));
  }
  return BERTH_OK;
}

// True when |dims| are |expected|, whose unknown sizes are any.
static bool dims_fit(berth_dims_t expected, berth_dims_t dims) {
  if (expected.rank != dims.rank) return false;
  for (int i = 0; i < dims.rank; ++i) {
    if (expected.dims[i] >= 0 && expected.dims[i] != dims.dims[i]) return false;
  }
  return true;
}

static berth_code_t wrong_shape(int component, berth_dims_t expected,
                                berth_dims_t got, berth_error_t *err) {
  char expected_text[BERTH_DIMS_TEXT], got_text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Shape mismatch in tuple component %d. Expected %s, "
                         "got %s",
                         component, berth_dims_text(expected, expected_text),
                         berth_dims_text(got, got_text));
}

berth_code_t berth_queue_check_one(const berth_queue_t *queue,
                                   berth_tensor_t *const *tensors, int count,
                                   berth_error_t *err) {
  BERTH_TRY(check_types(queue, tensors, count, err));
  for (int i = 0; queue->has_shapes && i < count; ++i) {
    berth_dims_t expected = berth_shape_dims(&queue->shapes[i]);
    berth_dims_t got = berth_tensor_dims(tensors[i]);
    if (!dims_fit(expected, got)) {
      return wrong_shape(i, expected, got, err);
    }
  }
  return BERTH_OK;
}

// Compares a batch of |elements| (-1: a scalar stands first) with the shape of
// its component.
static berth_code_t check_batch(const berth_queue_t *queue, int component,
                                const berth_tensor_t *tensor, int64_t elements,
                                berth_error_t *err) {
  berth_shape_t expected = {.rank = 1, .dims = {elements}};
  berth_dims_t got = berth_tensor_dims(tensor);
  if (queue->has_shapes) {
    const berth_shape_t *shape = &queue->shapes[component];
    if (shape->rank < BERTH_MAX_RANK) {
      memcpy(expected.dims + 1, shape->dims,
             (size_t)shape->rank * sizeof(int64_t));
      expected.rank = shape->rank + 1;
    }
    if (dims_fit(berth_shape_dims(&expected), got)) return BERTH_OK;
    return wrong_shape(component, berth_shape_dims(&expected), got, err);
  }
  if (got.rank > 0 && got.dims[0] == elements) return BERTH_OK;
  if (got.rank == 0 || elements < 0) {
    return wrong_shape(component, berth_shape_dims(&expected), got, err);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "All input tensors must have the same size in the "
                         "0th dimension. Component %d has %lld, and should "
                         "have %lld",
                         component, (long long)got.dims[0],
                         (long long)elements);
}

berth_code_t berth_queue_check_many(const berth_queue_t *queue,
                                    berth_tensor_t *const *tensors, int count,
                                    int64_t *out_elements, berth_error_t *err) {
  BERTH_TRY(check_types(queue, tensors, count, err));
  int64_t elements = tensors[0]->rank > 0 ? tensors[0]->dims[0] : -1;
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(check_batch(queue, i, tensors[i], elements, err));
  }
  *out_elements = elements;
  return BERTH_OK;
}
