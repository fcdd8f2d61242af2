// staging_map.c - Tuples of tensors that wait under keys until they are taken.
#include "state/staging_map.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"

// A tuple; the newest is the first of its list.
typedef struct tuple tuple_t;
struct tuple {
  tuple_t *next;
  int64_t key;
  berth_tensor_t *tensors[];  // NULL: not there yet, or any more.
};

struct berth_staging_map {
  berth_resource_t resource;  // First.
  berth_staging_options_t options;
  berth_mutex_t lock;  // Guards what follows, and operations that are parked.
  tuple_t *whole, *parts;
  int64_t whole_count;
  uint64_t bytes;
  berth_staging_op_t *parked;  // In the order in which they came.
};

// An operation that waits; no code of errors.
#define WAITS ((berth_code_t)1001)

// ---- Tuples ----

static void tuple_destroy(const berth_staging_map_t *map, tuple_t *tuple) {
  for (int i = 0; i < map->options.width; ++i) {
    berth_tensor_release(tuple->tensors[i]);
  }
  berth_free(tuple);
}

static void tuples_destroy(const berth_staging_map_t *map, tuple_t *tuples) {
  while (tuples != NULL) {
    tuple_t *next = tuples->next;
    tuple_destroy(map, tuples);
    tuples = next;
  }
}

// Returns the link to the tuple of |key|, or to NULL.
static tuple_t **tuple_link(tuple_t **tuples, int64_t key) {
  while (*tuples != NULL && (*tuples)->key != key) tuples = &(*tuples)->next;
  return tuples;
}

// Returns the link to the tuple that comes out next.
static tuple_t **next_link(berth_staging_map_t *map) {
  tuple_t **found = &map->whole;
  for (tuple_t **link = found; map->options.is_ordered && *link != NULL;
       link = &(*link)->next) {
    if ((*link)->key < (*found)->key) found = link;
  }
  return found;
}

static tuple_t *unlink_tuple(tuple_t **link) {
  tuple_t *tuple = *link;
  *link = tuple->next;
  return tuple;
}

static void push(tuple_t **tuples, tuple_t *tuple) {
  tuple->next = *tuples;
  *tuples = tuple;
}

// Adds a whole tuple; as in TensorFlow, a key that is there keeps what it has.
static void whole_add(berth_staging_map_t *map, tuple_t *tuple) {
  if (*tuple_link(&map->whole, tuple->key) != NULL) {
    tuple_destroy(map, tuple);
    return;
  }
  push(&map->whole, tuple);
  ++map->whole_count;
}

// ---- Life ----

static void map_destroy(berth_resource_t *resource) {
  berth_staging_map_t *map = (berth_staging_map_t *)resource;
  tuples_destroy(map, map->whole);
  tuples_destroy(map, map->parts);
  berth_mutex_deinit(&map->lock);
  berth_free(map);
}

static berth_code_t map_create(void *arg, berth_resource_t **out_resource,
                               berth_error_t *err) {
  berth_staging_map_t *map = berth_calloc(1, sizeof(*map));
  if (map == NULL) return berth_error_no_memory(err, "a staging area");
  atomic_init(&map->resource.refs, 1);
  map->resource.kind = BERTH_RESOURCE_STAGING_MAP;
  map->resource.destroy = map_destroy;
  map->options = *(const berth_staging_options_t *)arg;
  berth_mutex_init(&map->lock);
  *out_resource = &map->resource;
  return BERTH_OK;
}

berth_code_t berth_staging_map_get(berth_container_t *container,
                                   const char *container_name, const char *key,
                                   const berth_staging_options_t *options,
                                   berth_staging_map_t **out_map,
                                   berth_error_t *err) {
  berth_staging_options_t wanted = *options;
  berth_resource_t *found = NULL;
  BERTH_TRY(berth_container_find_or_create(container, container_name,
                                           BERTH_RESOURCE_STAGING_MAP, key,
                                           map_create, &wanted, &found, err));
  *out_map = (berth_staging_map_t *)found;
  return BERTH_OK;
}

// ---- Memory ----

static uint64_t bytes_of(const berth_tensor_t *tensor) {
  return tensor != NULL ? tensor->size : 0;
}

static bool is_too_much(const berth_staging_map_t *map, uint64_t bytes) {
  uint64_t limit = map->options.memory_limit;
  return limit > 0 && bytes + map->bytes > limit;
}

// What TensorFlow takes for the bytes of a tuple that is put in: those of its
// last tensor.
static uint64_t put_bytes(const berth_staging_op_t *op) {
  return bytes_of(op->tensors[op->count - 1]);
}

static berth_code_t check_memory(const berth_staging_map_t *map, uint64_t bytes,
                                 berth_error_t *err) {
  uint64_t limit = map->options.memory_limit;
  if (limit == 0 || bytes <= limit) return BERTH_OK;
  return berth_error_set(
      err, BERTH_RESOURCE_EXHAUSTED,
      "Attempted to insert tensors with combined size of '%" PRIu64
      "' bytes into Staging Area with a memory limit of '%" PRIu64 "'.",
      bytes, limit);
}

// ---- Operations, with the lock held ----

static berth_code_t check_order(const berth_staging_op_t *op,
                                berth_error_t *err) {
  if (op->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Indices are empty");
  }
  for (int32_t i = 1; i < op->count; ++i) {
    if (op->indices[i - 1] < op->indices[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Indices are not strictly ordered");
  }
  return BERTH_OK;
}

static berth_code_t check_index(const berth_staging_map_t *map, int64_t key,
                                int32_t index, berth_error_t *err) {
  if (index >= 0 && index < map->options.width) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Index '%" PRIu64 "' for key '%" PRId64
                         "' was out of bounds '%d'.",
                         (uint64_t)(int64_t)index, key, map->options.width);
}

// Moves what |op| puts in to |tuple|. As in TensorFlow, what is a whole tuple
// is in its order whatever its numbers are.
static berth_code_t fill(const berth_staging_map_t *map, berth_staging_op_t *op,
                         tuple_t *tuple, berth_error_t *err) {
  for (int32_t i = 0; i < op->count; ++i) {
    int32_t index = op->count == map->options.width ? i : op->indices[i];
    BERTH_TRY(check_index(map, op->key, index, err));
    if (tuple->tensors[index] != NULL) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "The tensor for index '%d' for key '%" PRId64
                             "' was already initialized '%d'.",
                             (int)index, op->key, map->options.width);
    }
    tuple->tensors[index] = op->tensors[i];
    op->tensors[i] = NULL;
  }
  return BERTH_OK;
}

// Returns how many tensors of |tuple| are there.
static int count_there(const berth_staging_map_t *map, const tuple_t *tuple) {
  int count = 0;
  for (int i = 0; i < map->options.width; ++i) {
    count += tuple->tensors[i] != NULL ? 1 : 0;
  }
  return count;
}

// Puts |op| into a tuple that is new, or was begun.
static berth_code_t put_in(berth_staging_map_t *map, berth_staging_op_t *op,
                           bool goes_on, berth_error_t *err) {
  tuple_t **link = tuple_link(&map->parts, op->key);
  bool is_new = !goes_on || *link == NULL;
  tuple_t *tuple =
      is_new ? berth_calloc(1, sizeof(*tuple) + (size_t)map->options.width *
                                                    sizeof(berth_tensor_t *))
             : *link;
  if (tuple == NULL) return berth_error_no_memory(err, "a tuple");
  tuple->key = op->key;
  uint64_t bytes = put_bytes(op);
  berth_code_t code = fill(map, op, tuple, err);
  if (code != BERTH_OK) {
    if (is_new) tuple_destroy(map, tuple);
    return code;
  }
  map->bytes += bytes;
  if (count_there(map, tuple) == map->options.width) {
    whole_add(map, is_new ? tuple : unlink_tuple(link));
  } else if (is_new) {
    push(&map->parts, tuple);
  }
  return BERTH_OK;
}

static berth_code_t put(berth_staging_map_t *map, berth_staging_op_t *op,
                        berth_error_t *err) {
  uint64_t bytes = put_bytes(op);
  int64_t capacity = map->options.capacity;
  bool is_part = op->count != map->options.width;
  bool is_full = !is_part && capacity > 0 && map->whole_count >= capacity;
  BERTH_TRY(check_memory(map, bytes, err));
  if (is_full || is_too_much(map, bytes)) return WAITS;
  return put_in(map, op, is_part, err);
}

static berth_code_t take(berth_staging_map_t *map, berth_staging_op_t *op,
                         berth_error_t *err) {
  bool is_any = op->kind == BERTH_STAGING_TAKE_ANY;
  bool stays = op->kind == BERTH_STAGING_PEEK;
  tuple_t **link = is_any ? next_link(map) : tuple_link(&map->whole, op->key);
  tuple_t *tuple = *link;
  if (tuple == NULL) return WAITS;
  op->key = tuple->key;
  for (int32_t i = 0; i < op->count; ++i) {
    int32_t index = op->indices[i];
    BERTH_TRY(check_index(map, op->key, index, err));
    berth_tensor_t *tensor = tuple->tensors[index];
    if (tensor == NULL) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Tensor at index '%d' for key '%" PRId64
                             "' has already been removed.",
                             (int)index, op->key);
    }
    op->tensors[i] = stays ? berth_tensor_retain(tensor) : tensor;
    if (!stays) tuple->tensors[index] = NULL;
  }
  for (int32_t i = 0; i < op->count; ++i) {
    map->bytes -= bytes_of(op->tensors[i]);
  }
  if (count_there(map, tuple) == 0) {
    tuple_destroy(map, unlink_tuple(link));
    --map->whole_count;
  }
  return BERTH_OK;
}

// Lets go of what |op| holds.
static void drop(berth_staging_op_t *op) {
  for (int32_t i = 0; i < op->count; ++i) {
    berth_tensor_release(op->tensors[i]);
    op->tensors[i] = NULL;
  }
}

// Does |op| unless it has to wait; false: it has.
static bool try_op(berth_staging_map_t *map, berth_staging_op_t *op) {
  bool puts = op->kind == BERTH_STAGING_PUT;
  op->code = check_order(op, &op->error);
  if (op->code == BERTH_OK) {
    op->code = puts ? put(map, op, &op->error) : take(map, op, &op->error);
  }
  if (op->code == WAITS) return false;
  if (puts || op->code != BERTH_OK) drop(op);
  return true;
}

// Does what can be done of what is parked, and returns it.
static berth_staging_op_t *flush(berth_staging_map_t *map) {
  berth_staging_op_t *finished = NULL, **end = &finished;
  berth_staging_op_t **link = &map->parked;
  while (*link != NULL) {
    berth_staging_op_t *op = *link;
    if (!try_op(map, op)) {
      link = &op->next;
      continue;
    }
    *link = op->next;
    op->is_parked = false;
    op->next = NULL;
    *end = op;
    end = &op->next;
    link = &map->parked;  // It may have made way for one before it.
  }
  return finished;
}

static void tell(berth_staging_op_t *finished) {
  while (finished != NULL) {
    berth_staging_op_t *next = finished->next;
    finished->done(finished, finished->code);
    finished = next;
  }
}

// ---- From outside ----

berth_code_t berth_staging_run(berth_staging_map_t *map, berth_staging_op_t *op,
                               bool *out_parked) {
  berth_staging_op_t *finished = NULL;
  op->map = map;
  op->next = NULL;
  berth_mutex_lock(&map->lock);
  bool is_done = try_op(map, op);
  if (is_done) {
    finished = flush(map);
  } else {
    berth_staging_op_t **link = &map->parked;
    while (*link != NULL) link = &(*link)->next;
    *link = op;
    op->is_parked = true;
  }
  berth_mutex_unlock(&map->lock);
  tell(finished);
  *out_parked = !is_done;
  return is_done ? op->code : BERTH_OK;
}

void berth_staging_cancel(berth_staging_op_t *op) {
  berth_staging_map_t *map = op->map;
  berth_mutex_lock(&map->lock);
  bool was_parked = op->is_parked;
  if (was_parked) {
    berth_staging_op_t **link = &map->parked;
    while (*link != op) link = &(*link)->next;
    *link = op->next;
    op->is_parked = false;
  }
  berth_mutex_unlock(&map->lock);
  if (!was_parked) return;
  drop(op);
  op->done(op, berth_error_set(
                   &op->error, BERTH_CANCELLED, "%s operation was cancelled",
                   op->kind == BERTH_STAGING_PUT ? "Enqueue" : "Dequeue"));
}

void berth_staging_map_query(berth_staging_map_t *map, int32_t *out_whole,
                             int32_t *out_parts) {
  int32_t parts = 0;
  berth_mutex_lock(&map->lock);
  for (const tuple_t *tuple = map->parts; tuple != NULL; tuple = tuple->next) {
    ++parts;
  }
  *out_whole = (int32_t)map->whole_count;
  *out_parts = parts;
  berth_mutex_unlock(&map->lock);
}

void berth_staging_map_clear(berth_staging_map_t *map) {
  berth_mutex_lock(&map->lock);
  tuple_t *whole = map->whole, *parts = map->parts;
  map->whole = map->parts = NULL;
  map->whole_count = 0;
  map->bytes = 0;
  berth_staging_op_t *finished = flush(map);
  berth_mutex_unlock(&map->lock);
  tuples_destroy(map, whole);
  tuples_destroy(map, parts);
  tell(finished);
}
