// ahead.c - Elements made ahead of time: prefetch, and map on several threads.
//
// Both have a ring of places. Threads fill places in the order of elements, the
// cursor empties them in that order.
#include "base/alloc.h"
#include "base/clock.h"
#include "data/crew.h"
#include "data/kernels.h"
#include "data/map.h"
#include "graph/graph.h"

// ---- Prefetch ----

typedef struct prefetch {
  berth_dataset_t base;
  int64_t size;
} prefetch_t;

typedef struct place {
  berth_error_t *error;  // NULL: there is an element.
  bool is_end;
} place_t;

// What |crew.lock| guards: |first|, |count|, and the places between them.
typedef struct prefetch_cursor {
  berth_cursor_t base;
  berth_crew_t crew;
  bool is_running;
  int64_t size;
  place_t *places;
  berth_tensor_t **tensors;  // |width| for each place.
  int64_t first, count;
} prefetch_cursor_t;

// Elements that are kept where a program leaves the number to Berth.
enum { CHOSEN_SIZE = 8 };

static void prefetch_work(void *arg) {
  prefetch_cursor_t *cursor = arg;
  int width = cursor->base.dataset->width;
  bool is_end = false;
  while (!is_end) {
    berth_mutex_lock(&cursor->crew.lock);
    while (!cursor->crew.is_stopped && cursor->count == cursor->size) {
      berth_cond_wait(&cursor->crew.changed, &cursor->crew.lock);
    }
    bool is_stopped = cursor->crew.is_stopped;
    int64_t at = (cursor->first + cursor->count) % cursor->size;
    berth_mutex_unlock(&cursor->crew.lock);
    if (is_stopped) return;
    berth_error_t err = BERTH_ERROR_INIT;
    place_t *place = &cursor->places[at];
    berth_code_t code = berth_cursor_next(
        cursor->base.input, cursor->tensors + at * width, &is_end, &err);
    place->error = code != BERTH_OK ? berth_error_keep(&err) : NULL;
    place->is_end = code != BERTH_OK ? place->error == NULL : is_end;
    if (code != BERTH_OK) is_end = code == BERTH_CANCELLED;
    berth_mutex_lock(&cursor->crew.lock);
    cursor->count++;
    berth_cond_broadcast(&cursor->crew.changed);
    berth_mutex_unlock(&cursor->crew.lock);
  }
}

static berth_code_t prefetch_open(berth_cursor_t *base, berth_error_t *err) {
  prefetch_cursor_t *cursor = (prefetch_cursor_t *)base;
  int64_t size = ((const prefetch_t *)base->dataset)->size;
  cursor->size = size < 0 ? CHOSEN_SIZE : size;
  berth_crew_init(&cursor->crew);
  size_t places = (size_t)cursor->size + 1;
  cursor->places = berth_calloc(places, sizeof(*cursor->places));
  cursor->tensors = berth_calloc(places * (size_t)(base->dataset->width + 1),
                                 sizeof(*cursor->tensors));
  if (cursor->places == NULL || cursor->tensors == NULL) {
    return berth_error_no_memory(err, "a dataset");
  }
  return berth_cursor_open_input(base, err);
}

static void prefetch_close(berth_cursor_t *base) {
  prefetch_cursor_t *cursor = (prefetch_cursor_t *)base;
  int width = base->dataset->width;
  if (cursor->is_running) berth_crew_stop(&cursor->crew);
  for (int64_t i = 0; i < cursor->count; ++i) {
    int64_t at = (cursor->first + i) % cursor->size;
    place_t *place = &cursor->places[at];
    if (place->error != NULL) (void)berth_error_give(place->error, NULL);
    if (place->error == NULL && !place->is_end) {
      berth_element_drop(cursor->tensors + at * width, width);
    }
  }
  berth_crew_deinit(&cursor->crew);
  berth_free(cursor->places);
  berth_free(cursor->tensors);
}

// Takes what is at the front. The lock is held.
static berth_code_t prefetch_take(prefetch_cursor_t *cursor,
                                  berth_tensor_t **out, bool *out_end,
                                  berth_error_t *err) {
  int width = cursor->base.dataset->width;
  while (cursor->count == 0) {
    BERTH_TRY(berth_crew_wait(&cursor->crew, cursor->base.reading, err));
  }
  place_t *place = &cursor->places[cursor->first];
  berth_tensor_t **tensors = cursor->tensors + cursor->first * width;
  *out_end = place->is_end;
  if (place->is_end) return BERTH_OK;  // It stays.
  berth_error_t *error = place->error;
  place->error = NULL;
  for (int i = 0; error == NULL && i < width; ++i) {
    out[i] = tensors[i];
    tensors[i] = NULL;
  }
  cursor->first = (cursor->first + 1) % cursor->size;
  cursor->count--;
  berth_cond_broadcast(&cursor->crew.changed);
  return error == NULL ? BERTH_OK : berth_error_give(error, err);
}

static berth_code_t prefetch_next(berth_cursor_t *base, berth_tensor_t **out,
                                  bool *out_end, berth_error_t *err) {
  prefetch_cursor_t *cursor = (prefetch_cursor_t *)base;
  if (cursor->size == 0) {
    return berth_cursor_next(base->input, out, out_end, err);
  }
  if (!cursor->is_running) {
    BERTH_TRY(berth_crew_start(&cursor->crew, 1, prefetch_work, cursor, err));
    cursor->is_running = true;
  }
  berth_mutex_lock(&cursor->crew.lock);
  berth_code_t code = prefetch_take(cursor, out, out_end, err);
  berth_mutex_unlock(&cursor->crew.lock);
  return code;
}

static int64_t prefetch_count(const berth_dataset_t *dataset) {
  return berth_dataset_count(dataset->inputs[0]);
}

static const berth_dataset_kind_t prefetch_kind = {
    .name = "PrefetchDataset",
    .size = sizeof(prefetch_t),
    .cursor_size = sizeof(prefetch_cursor_t),
    .open = prefetch_open,
    .next = prefetch_next,
    .close = prefetch_close,
    .count = prefetch_count,
};

static berth_code_t make_prefetch(berth_call_t *call,
                                  berth_dataset_t **out_dataset) {
  int64_t size = 0;
  BERTH_TRY(berth_data_int(call, 1, "buffer_size", &size));
  if (size < -1) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "buffer_size must be >= 0 or set buffer_size to be "
                           "-1 for auto-tuning");
  }
  BERTH_TRY(
      berth_dataset_make(&prefetch_kind, call, 1, out_dataset, call->err));
  ((prefetch_t *)*out_dataset)->size = size;
  return BERTH_OK;
}

// ---- Map on several threads ----

// More threads than these would only wait for each other.
enum { MOST_THREADS = 64 };

typedef struct wide {
  berth_mapped_t map;
  int64_t threads;
} wide_t;

// Elements that are done by one thread, one after the other. As many as take a
// while together, so that threads seldom meet.
enum { MOST_IN_CHUNK = 64, CHUNK_NS = 100000, PLACES_PER_THREAD = 3 };

typedef struct chunk {
  berth_tensor_t **inputs;   // Of each element.
  berth_tensor_t **outputs;  // Of each element.
  berth_error_t *errors[MOST_IN_CHUNK];
  int count;     // Elements.
  int at;        // Those that were handed out.
  bool is_done;  // The cursor may have it.
  bool is_end;   // There is nothing behind it.
} chunk_t;

// What |crew.lock| guards: |first|, |count|, |is_over|, |chunk_size| and the
// chunks that are done. |input_lock| is held while inputs are taken.
typedef struct wide_cursor {
  berth_mapped_cursor_t map;
  berth_crew_t crew;
  berth_mutex_t input_lock;
  bool is_running;
  int thread_count;
  int64_t place_count;
  chunk_t *chunks;
  int64_t first, count;
  bool is_over;
  int chunk_size;
} wide_cursor_t;

// Takes a place for a chunk, or returns NULL when there is no more to do.
static chunk_t *take_place(wide_cursor_t *cursor, int *out_size) {
  berth_mutex_lock(&cursor->crew.lock);
  while (!cursor->crew.is_stopped && !cursor->is_over &&
         cursor->count == cursor->place_count) {
    berth_cond_wait(&cursor->crew.changed, &cursor->crew.lock);
  }
  chunk_t *chunk = NULL;
  if (!cursor->crew.is_stopped && !cursor->is_over) {
    chunk =
        &cursor
             ->chunks[(cursor->first + cursor->count++) % cursor->place_count];
    chunk->count = chunk->at = 0;
    chunk->is_done = chunk->is_end = false;
  }
  *out_size = cursor->chunk_size;
  berth_mutex_unlock(&cursor->crew.lock);
  return chunk;
}

// Takes up to |size| elements of the input.
static void take_inputs(wide_cursor_t *cursor, chunk_t *chunk, int size) {
  int width = cursor->map.base.dataset->inputs[0]->width;
  while (chunk->count < size && !chunk->is_end) {
    berth_error_t err = BERTH_ERROR_INIT;
    bool is_end = false;
    int at = chunk->count;
    berth_code_t code = berth_cursor_next(
        cursor->map.base.input, chunk->inputs + at * width, &is_end, &err);
    if (code == BERTH_OK && is_end) {
      chunk->is_end = true;
      break;
    }
    chunk->errors[at] = code != BERTH_OK ? berth_error_keep(&err) : NULL;
    if (code == BERTH_CANCELLED) chunk->is_end = true;
    chunk->count++;
  }
  if (!chunk->is_end) return;
  berth_mutex_lock(&cursor->crew.lock);
  cursor->is_over = true;
  berth_cond_broadcast(&cursor->crew.changed);
  berth_mutex_unlock(&cursor->crew.lock);
}

static void call_all(wide_cursor_t *cursor, chunk_t *chunk) {
  const wide_t *wide = (const wide_t *)cursor->map.base.dataset;
  int width = wide->map.base.inputs[0]->width;
  int results = wide->map.base.width;
  for (int i = 0; i < chunk->count; ++i) {
    if (chunk->errors[i] != NULL) continue;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t **inputs = chunk->inputs + i * width;
    berth_code_t code =
        berth_closure_call(&wide->map.closure, cursor->map.routine, inputs,
                           width, chunk->outputs + i * results, &err);
    if (code != BERTH_OK) {
      (void)berth_mapped_fail(code, &err);
      chunk->errors[i] = berth_error_keep(&err);
    }
    berth_element_drop(inputs, width);
  }
}

// Makes chunks of a length that takes a while, but no longer.
static void adapt(wide_cursor_t *cursor, const chunk_t *chunk, int64_t took) {
  if (chunk->count < cursor->chunk_size) return;
  if (took < CHUNK_NS / 2 && cursor->chunk_size < MOST_IN_CHUNK) {
    cursor->chunk_size *= 2;
  } else if (took > 4 * CHUNK_NS && cursor->chunk_size > 1) {
    cursor->chunk_size /= 2;
  }
}

static void wide_work(void *arg) {
  wide_cursor_t *cursor = arg;
  for (;;) {
    int size = 0;
    berth_mutex_lock(&cursor->input_lock);
    chunk_t *chunk = take_place(cursor, &size);
    if (chunk != NULL) take_inputs(cursor, chunk, size);
    berth_mutex_unlock(&cursor->input_lock);
    if (chunk == NULL) return;
    int64_t begin = berth_now_ns();
    call_all(cursor, chunk);
    int64_t took = berth_now_ns() - begin;
    berth_mutex_lock(&cursor->crew.lock);
    adapt(cursor, chunk, took);
    chunk->is_done = true;
    berth_cond_broadcast(&cursor->crew.changed);
    berth_mutex_unlock(&cursor->crew.lock);
  }
}

static berth_code_t wide_open(berth_cursor_t *base, berth_error_t *err) {
  wide_cursor_t *cursor = (wide_cursor_t *)base;
  int64_t threads = ((const wide_t *)base->dataset)->threads;
  size_t width = (size_t)base->dataset->inputs[0]->width + 1;
  size_t results = (size_t)base->dataset->width + 1;
  berth_crew_init(&cursor->crew);
  berth_mutex_init(&cursor->input_lock);
  cursor->thread_count =
      berth_reading_threads(base->reading, threads, MOST_THREADS);
  cursor->chunk_size = 1;
  size_t places = (size_t)cursor->thread_count * PLACES_PER_THREAD;
  cursor->chunks = berth_calloc(places, sizeof(*cursor->chunks));
  if (cursor->chunks == NULL) return berth_error_no_memory(err, "a dataset");
  cursor->place_count = (int64_t)places;
  for (size_t i = 0; i < places; ++i) {
    chunk_t *chunk = &cursor->chunks[i];
    chunk->inputs = berth_calloc(width * MOST_IN_CHUNK, sizeof(*chunk->inputs));
    chunk->outputs =
        berth_calloc(results * MOST_IN_CHUNK, sizeof(*chunk->outputs));
    if (chunk->inputs == NULL || chunk->outputs == NULL) {
      return berth_error_no_memory(err, "a dataset");
    }
  }
  return berth_mapped_open(base, err);
}

// Lets go of what was not handed out.
static void chunk_clear(chunk_t *chunk, int results) {
  for (int i = chunk->at; chunk->is_done && i < chunk->count; ++i) {
    if (chunk->errors[i] != NULL) {
      (void)berth_error_give(chunk->errors[i], NULL);
    } else {
      berth_element_drop(chunk->outputs + i * results, results);
    }
  }
  berth_free(chunk->inputs);
  berth_free(chunk->outputs);
}

static void wide_close(berth_cursor_t *base) {
  wide_cursor_t *cursor = (wide_cursor_t *)base;
  if (cursor->is_running) berth_crew_stop(&cursor->crew);
  for (int64_t i = 0; cursor->chunks != NULL && i < cursor->place_count; ++i) {
    int64_t age = (i - cursor->first + cursor->place_count) %
                  (cursor->place_count > 0 ? cursor->place_count : 1);
    chunk_t *chunk = &cursor->chunks[i];
    if (age >= cursor->count) chunk->is_done = false;
    chunk_clear(chunk, base->dataset->width);
  }
  berth_free(cursor->chunks);
  berth_crew_deinit(&cursor->crew);
  berth_mutex_deinit(&cursor->input_lock);
  berth_mapped_close(base);
}

// Takes the next element. The lock is held.
static berth_code_t wide_take(wide_cursor_t *cursor, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  int width = cursor->map.base.dataset->width;
  for (;;) {
    chunk_t *chunk = &cursor->chunks[cursor->first];
    while (cursor->count == 0 || !chunk->is_done) {
      BERTH_TRY(berth_crew_wait(&cursor->crew, cursor->map.base.reading, err));
    }
    if (chunk->at < chunk->count) {
      int at = chunk->at++;
      *out_end = false;
      berth_error_t *error = chunk->errors[at];
      chunk->errors[at] = NULL;
      if (error != NULL) return berth_error_give(error, err);
      for (int i = 0; i < width; ++i) {
        out[i] = chunk->outputs[at * width + i];
        chunk->outputs[at * width + i] = NULL;
      }
      return BERTH_OK;
    }
    *out_end = chunk->is_end;
    if (chunk->is_end) return BERTH_OK;  // It stays.
    chunk->is_done = false;
    cursor->first = (cursor->first + 1) % cursor->place_count;
    cursor->count--;
    berth_cond_broadcast(&cursor->crew.changed);
  }
}

static berth_code_t wide_next(berth_cursor_t *base, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  wide_cursor_t *cursor = (wide_cursor_t *)base;
  if (!cursor->is_running) {
    BERTH_TRY(berth_crew_start(&cursor->crew, cursor->thread_count, wide_work,
                               cursor, err));
    cursor->is_running = true;
  }
  berth_mutex_lock(&cursor->crew.lock);
  berth_code_t code = wide_take(cursor, out, out_end, err);
  berth_mutex_unlock(&cursor->crew.lock);
  return code;
}

static const berth_dataset_kind_t wide_kind = {
    .name = "ParallelMapDataset",
    .size = sizeof(wide_t),
    .cursor_size = sizeof(wide_cursor_t),
    .open = wide_open,
    .next = wide_next,
    .close = wide_close,
    .drop = berth_mapped_drop,
    .count = berth_mapped_count,
};

berth_code_t berth_wide_make(berth_call_t *call,
                             berth_dataset_t **out_dataset) {
  int first = 0, count = 0;
  int64_t threads = 0;
  berth_data_range(call, "num_parallel_calls", &first, &count);
  BERTH_TRY(berth_data_int(call, first, "num_parallel_calls", &threads));
  if (threads <= 0 && threads != -1) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "num_parallel_calls must be greater than zero.");
  }
  BERTH_TRY(berth_mapped_make(&wide_kind, call, "f", out_dataset));
  wide_t *wide = (wide_t *)*out_dataset;
  wide->threads = threads > MOST_THREADS ? MOST_THREADS : threads;
  wide->map.preserves =
      berth_node_attr_bool(call->node, "preserve_cardinality", false);
  return BERTH_OK;
}

static berth_code_t make_wide(berth_call_t *call,
                              berth_dataset_t **out_dataset) {
  return berth_wide_make(call, out_dataset);
}

BERTH_DATASET(prefetch)
BERTH_DATASET(wide)

const berth_kernel_t berth_data_ahead_kernels[] = {
    BERTH_DATA_OP("PrefetchDataset", prefetch),
    BERTH_DATA_OP("ParallelMapDataset", wide),
    BERTH_DATA_OP("ParallelMapDatasetV2", wide),
    {.op = NULL},
};
