// shuffle.c - Elements in a random order.
//
// The order is TensorFlow's for the same seeds: elements lie in a ring of
// |size| places, those of one epoch side by side (a slice); one of the oldest
// slice is drawn, and the slice's first takes its place.
#include <inttypes.h>

#include "base/alloc.h"
#include "data/kernels.h"
#include "graph/graph.h"

typedef struct shuffle {
  berth_dataset_t base;
  int64_t size;
  int64_t epochs;  // Negative: for ever.
  berth_seeds_t *seeds;
} shuffle_t;

// Elements of one epoch, by place; modulo the size of the ring.
typedef struct slice {
  int64_t start, end;
} slice_t;

// Epochs that are in the ring at once.
enum { MOST_SLICES = 3 };

typedef struct shuffle_cursor {
  berth_cursor_t base;
  berth_lots_t draws;
  berth_tensor_t **ring;  // As far as it was needed.
  int64_t ring_size;      // Places that there are.
  slice_t slices[MOST_SLICES + 2];
  int slice_count;
  int64_t count;  // Elements in the ring.
  int64_t epoch;
} shuffle_cursor_t;

static berth_code_t reseed(shuffle_cursor_t *cursor, berth_error_t *err) {
  const shuffle_t *shuffle = (const shuffle_t *)cursor->base.dataset;
  int64_t seed = 0, seed2 = 0;
  BERTH_TRY(berth_reading_seeds(cursor->base.reading, shuffle->seeds, &seed,
                                &seed2, err));
  berth_lots_begin(&cursor->draws, seed, seed2);
  return BERTH_OK;
}

static berth_code_t shuffle_open(berth_cursor_t *base, berth_error_t *err) {
  return reseed((shuffle_cursor_t *)base, err);
}

static void shuffle_close(berth_cursor_t *base) {
  shuffle_cursor_t *cursor = (shuffle_cursor_t *)base;
  int64_t width = base->dataset->width;
  for (int64_t i = 0; i < cursor->ring_size * width; ++i) {
    berth_tensor_release(cursor->ring[i]);
  }
  berth_free(cursor->ring);
}

// Makes places for what will be put at |place|. Until the ring is full places
// are used one after the other.
static berth_code_t make_place(shuffle_cursor_t *cursor, int64_t place,
                               berth_error_t *err) {
  const shuffle_t *shuffle = (const shuffle_t *)cursor->base.dataset;
  if (place < cursor->ring_size) return BERTH_OK;
  int64_t width = shuffle->base.width;
  int64_t size = cursor->ring_size < 64 ? 128 : cursor->ring_size * 2;
  if (size > shuffle->size) size = shuffle->size;
  berth_tensor_t **ring =
      berth_realloc(cursor->ring, (size_t)(size * width) + 1, sizeof(*ring));
  if (ring == NULL) return berth_error_no_memory(err, "a shuffled dataset");
  memset(ring + cursor->ring_size * width, 0,
         (size_t)((size - cursor->ring_size) * width) * sizeof(*ring));
  cursor->ring = ring;
  cursor->ring_size = size;
  return BERTH_OK;
}

static bool wants_more(const shuffle_cursor_t *cursor) {
  const shuffle_t *shuffle = (const shuffle_t *)cursor->base.dataset;
  if (cursor->base.input == NULL && shuffle->epochs >= 0 &&
      cursor->epoch >= shuffle->epochs) {
    return false;
  }
  if (cursor->slice_count > MOST_SLICES && cursor->count > 0) return false;
  return cursor->count < shuffle->size;
}

static berth_code_t begin_epoch(shuffle_cursor_t *cursor, berth_error_t *err) {
  int64_t end =
      cursor->slice_count > 0 ? cursor->slices[cursor->slice_count - 1].end : 0;
  if (cursor->slice_count > MOST_SLICES) {
    // All of them are empty.
    memmove(cursor->slices, cursor->slices + 1,
            (size_t)(cursor->slice_count - 1) * sizeof(slice_t));
    cursor->slice_count--;
  }
  BERTH_TRY(berth_cursor_open_input(&cursor->base, err));
  cursor->slices[cursor->slice_count++] = (slice_t){end, end};
  cursor->epoch++;
  return BERTH_OK;
}

static berth_code_t fill(shuffle_cursor_t *cursor, berth_error_t *err) {
  const shuffle_t *shuffle = (const shuffle_t *)cursor->base.dataset;
  bool is_first = false;
  while (wants_more(cursor)) {
    if (cursor->base.input == NULL) {
      BERTH_TRY(begin_epoch(cursor, err));
      is_first = true;
    }
    slice_t *slice = &cursor->slices[cursor->slice_count - 1];
    int64_t place = slice->end % shuffle->size;
    bool is_end = false;
    BERTH_TRY(make_place(cursor, place, err));
    BERTH_TRY(berth_cursor_next(cursor->base.input,
                                cursor->ring + place * shuffle->base.width,
                                &is_end, err));
    if (!is_end) {
      slice->end++;
      cursor->count++;
      is_first = false;
    } else {
      berth_cursor_close(cursor->base.input);
      cursor->base.input = NULL;
      // Nothing, for ever, is nothing.
      if (is_first && shuffle->epochs < 0) return BERTH_OK;
    }
    if (berth_reading_has_ended(cursor->base.reading)) {
      return berth_reading_fail_ended(err);
    }
  }
  return BERTH_OK;
}

// Forgets slices that nothing is left of; the next has other seeds.
static berth_code_t clear_empty(shuffle_cursor_t *cursor, berth_error_t *err) {
  while (cursor->slices[0].start == cursor->slices[0].end) {
    cursor->slice_count--;
    memmove(cursor->slices, cursor->slices + 1,
            (size_t)cursor->slice_count * sizeof(slice_t));
    BERTH_TRY(reseed(cursor, err));
  }
  return BERTH_OK;
}

static berth_code_t shuffle_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  shuffle_cursor_t *cursor = (shuffle_cursor_t *)base;
  const shuffle_t *shuffle = (const shuffle_t *)base->dataset;
  BERTH_TRY(fill(cursor, err));
  *out_end = cursor->count == 0;
  if (*out_end) return BERTH_OK;
  BERTH_TRY(clear_empty(cursor, err));
  slice_t *slice = &cursor->slices[0];
  int64_t offset = (int64_t)((uint64_t)berth_lots_next(&cursor->draws) %
                             (uint64_t)(slice->end - slice->start));
  int width = base->dataset->width;
  berth_tensor_t **drawn =
      cursor->ring + (slice->start + offset) % shuffle->size * width;
  berth_tensor_t **first = cursor->ring + slice->start % shuffle->size * width;
  for (int i = 0; i < width; ++i) {
    out[i] = drawn[i];
    drawn[i] = first[i];
    first[i] = NULL;
  }
  slice->start++;
  cursor->count--;
  return BERTH_OK;
}

static int64_t shuffle_count(const berth_dataset_t *dataset) {
  int64_t epochs = ((const shuffle_t *)dataset)->epochs;
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  if (epochs < 0) return count == 0 ? 0 : BERTH_INFINITE;
  if (epochs == 0) return 0;
  return count < 0 ? count : count * epochs;
}

static void shuffle_drop(berth_dataset_t *dataset) {
  berth_seeds_destroy(((shuffle_t *)dataset)->seeds);
}

static const berth_dataset_kind_t shuffle_kind = {
    .name = "ShuffleDataset",
    .size = sizeof(shuffle_t),
    .cursor_size = sizeof(shuffle_cursor_t),
    .open = shuffle_open,
    .next = shuffle_next,
    .close = shuffle_close,
    .drop = shuffle_drop,
    .count = shuffle_count,
};

static berth_code_t make_with(berth_call_t *call, int64_t epochs,
                              berth_dataset_t **out_dataset) {
  int64_t size = 0, seed = 0, seed2 = 0;
  BERTH_TRY(berth_data_int(call, 1, "buffer_size", &size));
  BERTH_TRY(berth_data_int(call, 2, "seed", &seed));
  BERTH_TRY(berth_data_int(call, 3, "seed2", &seed2));
  if (size <= 0 && size != BERTH_UNCOUNTED) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  bool anew =
      berth_node_attr_bool(call->node, "reshuffle_each_iteration", true);
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(&shuffle_kind, call, 1, &made, call->err));
  shuffle_t *shuffle = (shuffle_t *)made;
  shuffle->size = size == BERTH_UNCOUNTED ? INT64_MAX / 4 : size;
  shuffle->epochs = epochs;
  return berth_data_finish(
      made, berth_seeds_create(seed, seed2, anew, &shuffle->seeds, call->err),
      out_dataset);
}

static berth_code_t make_shuffle(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  return make_with(call, 1, out_dataset);
}

static berth_code_t make_repeated(berth_call_t *call,
                                  berth_dataset_t **out_dataset) {
  int64_t count = 0;
  BERTH_TRY(berth_data_int(call, 4, "count", &count));
  return make_with(call, count, out_dataset);
}

BERTH_DATASET(shuffle)
BERTH_DATASET(repeated)

const berth_kernel_t berth_data_shuffle_kernels[] = {
    BERTH_DATA_OP("ShuffleDataset", shuffle),
    BERTH_DATA_OP("ShuffleDatasetV3", shuffle),
    BERTH_DATA_OP("ShuffleAndRepeatDataset", repeated),
    BERTH_DATA_OP("ShuffleAndRepeatDatasetV2", repeated),
    {.op = NULL},
};
