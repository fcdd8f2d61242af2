// pick.c - Datasets that hand on some elements of others: take, skip, shard,
// repeat, concatenate, zip.
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "data/kernels.h"

// A dataset with two numbers.
typedef struct pick {
  berth_dataset_t base;
  int64_t count, index;
} pick_t;

typedef struct pick_cursor {
  berth_cursor_t base;
  int64_t at;
  berth_cursor_t **inputs;  // Of zip.
  bool is_over;
  bool is_begun;  // This time there was an element.
} pick_cursor_t;

static int64_t limit_of(const berth_cursor_t *cursor) {
  return ((const pick_t *)cursor->dataset)->count;
}

static berth_code_t make_pick(const berth_dataset_kind_t *kind,
                              berth_call_t *call, const char *name,
                              berth_dataset_t **out_dataset) {
  int64_t count = 0;
  BERTH_TRY(berth_data_int(call, 1, name, &count));
  BERTH_TRY(berth_dataset_make(kind, call, 1, out_dataset, call->err));
  ((pick_t *)*out_dataset)->count = count;
  return BERTH_OK;
}

// ---- Take ----

static berth_code_t take_next(berth_cursor_t *base, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  int64_t limit = limit_of(base);
  *out_end = cursor->is_over || (limit >= 0 && cursor->at >= limit);
  if (*out_end) {
    // What comes before need not be kept.
    berth_cursor_close(base->input);
    base->input = NULL;
    cursor->is_over = true;
    return BERTH_OK;
  }
  BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
  if (*out_end) cursor->is_over = true;
  cursor->at++;
  return BERTH_OK;
}

static berth_code_t take_open(berth_cursor_t *base, berth_error_t *err) {
  return limit_of(base) == 0 ? BERTH_OK : berth_cursor_open_input(base, err);
}

static int64_t take_count(const berth_dataset_t *dataset) {
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  int64_t limit = ((const pick_t *)dataset)->count;
  if (limit < 0 || limit == 0) return limit < 0 ? count : 0;
  if (count == BERTH_INFINITE) return limit;
  if (count == BERTH_UNCOUNTED) return count;
  return count < limit ? count : limit;
}

static const berth_dataset_kind_t take_kind = {
    .name = "TakeDataset",
    .size = sizeof(pick_t),
    .cursor_size = sizeof(pick_cursor_t),
    .open = take_open,
    .next = take_next,
    .count = take_count,
};

static berth_code_t make_take(berth_call_t *call,
                              berth_dataset_t **out_dataset) {
  return make_pick(&take_kind, call, "count", out_dataset);
}

// ---- Skip ----

// Takes and drops one element.
static berth_code_t pass(berth_cursor_t *base, bool *out_end,
                         berth_error_t *err) {
  berth_tensor_t *few[BERTH_ELEMENT_FEW];
  int width = base->input->dataset->width;
  berth_tensor_t **room = berth_element_room(width, few);
  if (room == NULL) return berth_error_no_memory(err, "an element");
  berth_code_t code = berth_cursor_next(base->input, room, out_end, err);
  if (code == BERTH_OK && !*out_end) berth_element_drop(room, width);
  if (room != few) berth_free(room);
  if (code == BERTH_OK && berth_reading_has_ended(base->reading)) {
    code = berth_reading_fail_ended(err);
  }
  return code;
}

static berth_code_t skip_next(berth_cursor_t *base, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  int64_t limit = limit_of(base);
  *out_end = limit < 0 || cursor->is_over;
  while (!*out_end && cursor->at < limit) {
    BERTH_TRY(pass(base, out_end, err));
    cursor->at++;
  }
  if (!*out_end) BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
  cursor->is_over = *out_end;
  return BERTH_OK;
}

static int64_t skip_count(const berth_dataset_t *dataset) {
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  int64_t limit = ((const pick_t *)dataset)->count;
  if (limit < 0) return 0;
  if (count < 0) return count;
  return count > limit ? count - limit : 0;
}

static const berth_dataset_kind_t skip_kind = {
    .name = "SkipDataset",
    .size = sizeof(pick_t),
    .cursor_size = sizeof(pick_cursor_t),
    .open = berth_cursor_open_input,
    .next = skip_next,
    .count = skip_count,
};

static berth_code_t make_skip(berth_call_t *call,
                              berth_dataset_t **out_dataset) {
  return make_pick(&skip_kind, call, "count", out_dataset);
}

// ---- Shard ----

static berth_code_t shard_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  const pick_t *shard = (const pick_t *)base->dataset;
  *out_end = cursor->is_over;
  while (!*out_end && cursor->at % shard->count != shard->index) {
    BERTH_TRY(pass(base, out_end, err));
    cursor->at++;
  }
  if (!*out_end) BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
  cursor->at++;
  cursor->is_over = *out_end;
  return BERTH_OK;
}

static int64_t shard_count(const berth_dataset_t *dataset) {
  const pick_t *shard = (const pick_t *)dataset;
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  if (count < 0) return count;
  return count / shard->count + (shard->index < count % shard->count);
}

static const berth_dataset_kind_t shard_kind = {
    .name = "ShardDataset",
    .size = sizeof(pick_t),
    .cursor_size = sizeof(pick_cursor_t),
    .open = berth_cursor_open_input,
    .next = shard_next,
    .count = shard_count,
};

static berth_code_t make_shard(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t shards = 0, index = 0;
  BERTH_TRY(berth_data_int(call, 1, "num_shards", &shards));
  BERTH_TRY(berth_data_int(call, 2, "index", &index));
  if (shards <= 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Number of shards must be greater than zero "
                           "(currently num_shards = %" PRId64 ").",
                           shards);
  }
  if (index < 0 || index >= shards) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Index must be between 0 and %" PRId64
                           " (currently index = %" PRId64 ").",
                           shards - 1, index);
  }
  BERTH_TRY(berth_dataset_make(&shard_kind, call, 1, out_dataset, call->err));
  ((pick_t *)*out_dataset)->count = shards;
  ((pick_t *)*out_dataset)->index = index;
  return BERTH_OK;
}

// ---- Repeat ----

// True when the input is opened again. As in TensorFlow it is behind the last
// time, too, so that what is shuffled before goes one order on; only a shuffle
// right before it is repeated as one with it.
static bool begins_anew(const pick_cursor_t *cursor) {
  const berth_dataset_t *dataset = cursor->base.dataset;
  int64_t limit = limit_of(&cursor->base);
  if (cursor->is_over) return false;
  return limit < 0 || cursor->at < limit ||
         strcmp(dataset->inputs[0]->kind->name, "ShuffleDataset") != 0;
}

static berth_code_t repeat_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  int64_t limit = limit_of(base);
  for (;;) {
    *out_end = cursor->is_over || (limit >= 0 && cursor->at >= limit);
    if (*out_end) return BERTH_OK;
    BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
    cursor->is_begun |= !*out_end;
    if (!*out_end) return BERTH_OK;
    berth_cursor_close(base->input);
    base->input = NULL;
    cursor->at++;
    // Nothing, for ever, is nothing.
    cursor->is_over = limit < 0 && !cursor->is_begun;
    cursor->is_begun = false;
    if (begins_anew(cursor)) BERTH_TRY(berth_cursor_open_input(base, err));
  }
}

static berth_code_t repeat_open(berth_cursor_t *base, berth_error_t *err) {
  return limit_of(base) == 0 ? BERTH_OK : berth_cursor_open_input(base, err);
}

static int64_t repeat_count(const berth_dataset_t *dataset) {
  int64_t limit = ((const pick_t *)dataset)->count;
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  if (limit < 0) return count == 0 ? 0 : BERTH_INFINITE;
  if (limit == 0) return 0;
  return count < 0 ? count : count * limit;
}

static const berth_dataset_kind_t repeat_kind = {
    .name = "RepeatDataset",
    .size = sizeof(pick_t),
    .cursor_size = sizeof(pick_cursor_t),
    .open = repeat_open,
    .next = repeat_next,
    .count = repeat_count,
};

static berth_code_t make_repeat(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  return make_pick(&repeat_kind, call, "count", out_dataset);
}

// ---- Concatenate ----

static berth_code_t concatenate_next(berth_cursor_t *base, berth_tensor_t **out,
                                     bool *out_end, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  for (;;) {
    *out_end = cursor->at >= 2;
    if (*out_end) return BERTH_OK;
    BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
    if (!*out_end) return BERTH_OK;
    berth_cursor_close(base->input);
    base->input = NULL;
    if (++cursor->at < 2) {
      BERTH_TRY(berth_cursor_open(base->dataset->inputs[cursor->at],
                                  base->reading, &base->input, err));
    }
  }
}

static int64_t concatenate_count(const berth_dataset_t *dataset) {
  int64_t a = berth_dataset_count(dataset->inputs[0]);
  int64_t b = berth_dataset_count(dataset->inputs[1]);
  if (a == BERTH_INFINITE || b == BERTH_INFINITE) return BERTH_INFINITE;
  return a < 0 || b < 0 ? BERTH_UNCOUNTED : a + b;
}

static const berth_dataset_kind_t concatenate_kind = {
    .name = "ConcatenateDataset",
    .size = sizeof(pick_t),
    .cursor_size = sizeof(pick_cursor_t),
    .open = berth_cursor_open_input,
    .next = concatenate_next,
    .count = concatenate_count,
};

static berth_code_t make_concatenate(berth_call_t *call,
                                     berth_dataset_t **out_dataset) {
  return berth_dataset_make(&concatenate_kind, call, 2, out_dataset, call->err);
}

// ---- Zip ----

static void zip_close(berth_cursor_t *base) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  for (int i = 0; cursor->inputs != NULL && i < base->dataset->input_count;
       ++i) {
    berth_cursor_close(cursor->inputs[i]);
  }
  berth_free(cursor->inputs);
  cursor->inputs = NULL;
}

static berth_code_t zip_open(berth_cursor_t *base, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  int count = base->dataset->input_count;
  cursor->inputs = berth_calloc((size_t)count + 1, sizeof(berth_cursor_t *));
  if (cursor->inputs == NULL) return berth_error_no_memory(err, "an iterator");
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(berth_cursor_open(base->dataset->inputs[i], base->reading,
                                &cursor->inputs[i], err));
  }
  return BERTH_OK;
}

static berth_code_t zip_next(berth_cursor_t *base, berth_tensor_t **out,
                             bool *out_end, berth_error_t *err) {
  pick_cursor_t *cursor = (pick_cursor_t *)base;
  berth_code_t code = BERTH_OK;
  int filled = 0;
  *out_end = cursor->is_over;
  for (int i = 0;
       code == BERTH_OK && !*out_end && i < base->dataset->input_count; ++i) {
    code = berth_cursor_next(cursor->inputs[i], out + filled, out_end, err);
    if (code == BERTH_OK && !*out_end) {
      filled += cursor->inputs[i]->dataset->width;
    }
  }
  if (code != BERTH_OK || *out_end) berth_element_drop(out, filled);
  if (code == BERTH_OK && *out_end) {
    cursor->is_over = true;
    zip_close(base);
  }
  return code;
}

static int64_t zip_count(const berth_dataset_t *dataset) {
  int64_t least = BERTH_INFINITE;
  for (int i = 0; i < dataset->input_count; ++i) {
    int64_t count = berth_dataset_count(dataset->inputs[i]);
    if (count == BERTH_UNCOUNTED) return count;
    if (count >= 0 && (least < 0 || count < least)) least = count;
  }
  return least;
}

static const berth_dataset_kind_t zip_kind = {
    .name = "ZipDataset",
    .size = sizeof(pick_t),
    .cursor_size = sizeof(pick_cursor_t),
    .open = zip_open,
    .next = zip_next,
    .close = zip_close,
    .count = zip_count,
};

static berth_code_t make_zip(berth_call_t *call,
                             berth_dataset_t **out_dataset) {
  return berth_dataset_make(&zip_kind, call, call->node->input_count,
                            out_dataset, call->err);
}

BERTH_DATASET(take)
BERTH_DATASET(skip)
BERTH_DATASET(shard)
BERTH_DATASET(repeat)
BERTH_DATASET(concatenate)
BERTH_DATASET(zip)

const berth_kernel_t berth_data_pick_kernels[] = {
    BERTH_DATA_OP("TakeDataset", take),
    BERTH_DATA_OP("SkipDataset", skip),
    BERTH_DATA_OP("ShardDataset", shard),
    BERTH_DATA_OP("RepeatDataset", repeat),
    BERTH_DATA_OP("ConcatenateDataset", concatenate),
    BERTH_DATA_OP("ZipDataset", zip),
    {.op = NULL},
};
