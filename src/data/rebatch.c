// rebatch.c - Batches of other sizes than those that come; elements left out by
// chance, or after a while.
#include <inttypes.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "data/batch.h"
#include "data/kernels.h"
#include "graph/graph.h"

// ---- Batches ----

typedef struct rebatch {
  berth_dataset_t base;
  int64_t parts;   // That a batch is cut into; 0: batches have |sizes|.
  int64_t *sizes;  // By turns. Owned.
  int64_t count;   // Of these.
  bool drops;      // What is left at the end.
} rebatch_t;

typedef struct rebatch_cursor {
  berth_cursor_t base;
  berth_tensor_t **batch;  // Of the input.
  int64_t rows, at;        // Of that: how many, and the next.
  int64_t turn;            // Which size or part comes next.
  bool is_over;
} rebatch_cursor_t;

static berth_code_t rebatch_open(berth_cursor_t *base, berth_error_t *err) {
  rebatch_cursor_t *cursor = (rebatch_cursor_t *)base;
  cursor->batch =
      berth_calloc((size_t)base->dataset->width + 1, sizeof(*cursor->batch));
  if (cursor->batch == NULL) return berth_error_no_memory(err, "a batch");
  return berth_cursor_open_input(base, err);
}

static void rebatch_close(berth_cursor_t *base) {
  rebatch_cursor_t *cursor = (rebatch_cursor_t *)base;
  if (cursor->batch != NULL) {
    berth_element_drop(cursor->batch, base->dataset->width);
  }
  berth_free(cursor->batch);
}

static void rebatch_drop(berth_dataset_t *dataset) {
  berth_free(((rebatch_t *)dataset)->sizes);
}

static berth_code_t fail_scalar(const rebatch_cursor_t *cursor, int component,
                                berth_error_t *err) {
  if (((const rebatch_t *)cursor->base.dataset)->parts == 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input element must have a non-scalar value in each component.");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Cannot rebatch dataset: All components must have at "
                         "least one dimension. Perhaps your input dataset is "
                         "not batched? Component %d is scalar.",
                         component);
}

// Takes the next batch of the input.
static berth_code_t refill(rebatch_cursor_t *cursor, berth_error_t *err) {
  int width = cursor->base.dataset->width;
  berth_element_drop(cursor->batch, width);
  cursor->rows = cursor->at = 0;
  if (berth_reading_has_ended(cursor->base.reading)) {
    return berth_reading_fail_ended(err);
  }
  BERTH_TRY(berth_cursor_next(cursor->base.input, cursor->batch,
                              &cursor->is_over, err));
  if (cursor->is_over) return BERTH_OK;
  for (int i = 0; i < width; ++i) {
    const berth_tensor_t *tensor = cursor->batch[i];
    if (tensor->rank == 0) return fail_scalar(cursor, i, err);
    if (i == 0) cursor->rows = tensor->dims[0];
    if (tensor->dims[0] == cursor->rows) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input element must have the same batch size in "
                           "each component. Component 0 had size %" PRId64
                           " but component %d had size, %" PRId64 ".",
                           cursor->rows, i, tensor->dims[0]);
  }
  return BERTH_OK;
}

// Makes tensors of |size| rows like those of the batch.
static berth_code_t begin(const rebatch_cursor_t *cursor, int64_t size,
                          berth_tensor_t **out, berth_error_t *err) {
  for (int i = 0; i < cursor->base.dataset->width; ++i) {
    const berth_tensor_t *like = cursor->batch[i];
    int64_t dims[BERTH_MAX_RANK], count = 0;
    memcpy(dims, like->dims, (size_t)like->rank * sizeof(*dims));
    dims[0] = size;
    berth_code_t code = berth_tensor_check(
        like->dtype, (berth_dims_t){like->rank, dims}, &count, err);
    if (code == BERTH_OK) {
      code = berth_tensor_make(NULL, like->dtype, like->rank, dims, count,
                               &out[i], err);
    }
    if (code == BERTH_OK) continue;
    berth_element_drop(out, i);
    return code;
  }
  return BERTH_OK;
}

// Copies the next |rows| rows of the batch behind the first |filled| of |out|.
static berth_code_t copy_rows(rebatch_cursor_t *cursor, int64_t rows,
                              int64_t filled, berth_tensor_t **out,
                              berth_error_t *err) {
  for (int i = 0; i < cursor->base.dataset->width; ++i) {
    const berth_tensor_t *from = cursor->batch[i], *to = out[i];
    berth_dims_t a = {to->rank - 1, to->dims + 1};
    berth_dims_t b = {from->rank - 1, from->dims + 1};
    if (from->dtype != to->dtype || !berth_dims_equal(a, b)) {
      char a_text[BERTH_DIMS_TEXT], b_text[BERTH_DIMS_TEXT];
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Cannot batch tensors with different shapes in component %d. First "
          "element had shape %s and element %" PRId64 " had shape %s.",
          i, berth_dims_text(a, a_text), filled, berth_dims_text(b, b_text));
    }
    int64_t inner = berth_dims_count(b);
    size_t row = (size_t)inner * berth_dtype_size(to->dtype);
    if (inner > 0 && rows > 0 &&
        !berth_elements_copy(
            to->dtype, (char *)to->data + (size_t)filled * row,
            (const char *)from->data + (size_t)cursor->at * row,
            rows * inner)) {
      return berth_error_no_memory(err, "a batch");
    }
  }
  cursor->at += rows;
  return BERTH_OK;
}

// The next part of a batch that is cut into as many as there are replicas, the
// last of which may be short or empty.
static berth_code_t part_next(berth_cursor_t *base, berth_tensor_t **out,
                              bool *out_end, berth_error_t *err) {
  rebatch_cursor_t *cursor = (rebatch_cursor_t *)base;
  int64_t parts = ((const rebatch_t *)base->dataset)->parts;
  if (!cursor->is_over && cursor->turn == 0) BERTH_TRY(refill(cursor, err));
  *out_end = cursor->is_over;
  if (*out_end) return BERTH_OK;
  int64_t most = cursor->rows / parts + (cursor->rows % parts != 0);
  int64_t left = cursor->rows - cursor->at;
  int64_t rows = most < left ? most : left;
  cursor->turn = (cursor->turn + 1) % parts;
  BERTH_TRY(begin(cursor, rows, out, err));
  berth_code_t code = copy_rows(cursor, rows, 0, out, err);
  if (code != BERTH_OK) berth_element_drop(out, base->dataset->width);
  return code;
}

// Fills a batch of |size| rows as far as there are some.
static berth_code_t fill(rebatch_cursor_t *cursor, int64_t size,
                         berth_tensor_t **out, int64_t *filled,
                         berth_error_t *err) {
  while (*filled < size) {
    while (!cursor->is_over && cursor->at >= cursor->rows) {
      BERTH_TRY(refill(cursor, err));
    }
    if (cursor->is_over) return BERTH_OK;
    int64_t left = cursor->rows - cursor->at, wanted = size - *filled;
    int64_t rows = left < wanted ? left : wanted;
    if (*filled == 0) BERTH_TRY(begin(cursor, size, out, err));
    *filled += rows;
    BERTH_TRY(copy_rows(cursor, rows, *filled - rows, out, err));
  }
  return BERTH_OK;
}

static berth_code_t sizes_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  rebatch_cursor_t *cursor = (rebatch_cursor_t *)base;
  const rebatch_t *rebatch = (const rebatch_t *)base->dataset;
  int width = base->dataset->width;
  int64_t size = rebatch->sizes[cursor->turn], filled = 0;
  berth_code_t code = fill(cursor, size, out, &filled, err);
  *out_end =
      code == BERTH_OK && filled < size && (filled == 0 || rebatch->drops);
  if (code == BERTH_OK && !*out_end && filled < size) {
    code = berth_batch_cut(out, width, filled, err);
  }
  if ((code != BERTH_OK || *out_end) && filled > 0) {
    berth_element_drop(out, width);
  }
  cursor->turn = (cursor->turn + 1) % rebatch->count;
  return code;
}

static const berth_dataset_kind_t part_kind = {
    .name = "RebatchDataset",
    .size = sizeof(rebatch_t),
    .cursor_size = sizeof(rebatch_cursor_t),
    .open = rebatch_open,
    .next = part_next,
    .close = rebatch_close,
};

static const berth_dataset_kind_t sizes_kind = {
    .name = "RebatchDatasetV2",
    .size = sizeof(rebatch_t),
    .cursor_size = sizeof(rebatch_cursor_t),
    .open = rebatch_open,
    .next = sizes_next,
    .close = rebatch_close,
    .drop = rebatch_drop,
};

static berth_code_t make_parts(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t parts = 0;
  BERTH_TRY(berth_data_int(call, 1, "num_replicas", &parts));
  if (parts <= 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "num_replicas must be greater than zero.");
  }
  BERTH_TRY(berth_dataset_make(&part_kind, call, 1, out_dataset, call->err));
  ((rebatch_t *)*out_dataset)->parts = parts;
  return BERTH_OK;
}

static berth_code_t check_sizes(const berth_call_t *call,
                                const berth_tensor_t *sizes) {
  if (sizes->rank > 1) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`batch_sizes` must be a scalar or a vector.");
  }
  if (sizes->count == 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Batch size must be specified.");
  }
  for (int64_t i = 0; i < sizes->count; ++i) {
    if (((const int64_t *)sizes->data)[i] > 0) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Batch size must be greater than zero.");
  }
  return BERTH_OK;
}

static berth_code_t make_sizes(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  const berth_tensor_t *sizes = call->inputs[1];
  bool drops = false;
  BERTH_TRY(check_sizes(call, sizes));
  BERTH_TRY(berth_data_bool(call, 2, "drop_remainder", &drops));
  BERTH_TRY(berth_dataset_make(&sizes_kind, call, 1, out_dataset, call->err));
  rebatch_t *rebatch = (rebatch_t *)*out_dataset;
  size_t size = (size_t)sizes->count * sizeof(*rebatch->sizes);
  rebatch->count = sizes->count;
  rebatch->drops = drops;
  rebatch->sizes = berth_alloc(size);
  if (rebatch->sizes == NULL) {
    berth_dataset_release(*out_dataset);
    return berth_error_no_memory(call->err, "a dataset");
  }
  memcpy(rebatch->sizes, sizes->data, size);
  return BERTH_OK;
}

// ---- By chance, after a while ----

typedef struct chance {
  berth_dataset_t base;
  float rate;            // How many of the elements are kept.
  berth_seeds_t *seeds;  // NULL: all of them are.
  int64_t pause;         // Microseconds before each.
} chance_t;

typedef struct chance_cursor {
  berth_cursor_t base;
  berth_lots_t lots;
} chance_cursor_t;

static berth_code_t chance_open(berth_cursor_t *base, berth_error_t *err) {
  const chance_t *chance = (const chance_t *)base->dataset;
  int64_t seed = 0, seed2 = 0;
  if (chance->seeds != NULL) {
    BERTH_TRY(
        berth_reading_seeds(base->reading, chance->seeds, &seed, &seed2, err));
    berth_lots_begin(&((chance_cursor_t *)base)->lots, seed, seed2);
  }
  return berth_cursor_open_input(base, err);
}

static void chance_drop(berth_dataset_t *dataset) {
  berth_seeds_destroy(((chance_t *)dataset)->seeds);
}

// A number of [0, 1), of the bits that TensorFlow takes for it.
static float number_of(uint32_t bits) {
  union {
    uint32_t bits;
    float number;
  } made = {.bits = (bits & 0x7fffffu) | 127u << 23};
  return made.number - 1;
}

static berth_code_t chance_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  chance_cursor_t *cursor = (chance_cursor_t *)base;
  const chance_t *chance = (const chance_t *)base->dataset;
  for (;;) {
    BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
    if (*out_end || number_of(berth_lots_next(&cursor->lots)) < chance->rate) {
      return BERTH_OK;
    }
    berth_element_drop(out, base->dataset->width);
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
  }
}

// Waits in pieces, so that an end of the run is seen.
static berth_code_t sleep_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  enum { PIECE = 5000 };
  int64_t left = ((const chance_t *)base->dataset)->pause;
  for (; left > 0; left -= PIECE) {
    int64_t part = left < PIECE ? left : PIECE;
    if (berth_reading_has_ended(base->reading)) {
      return berth_reading_fail_ended(err);
    }
    berth_sleep_ns(part * 1000);
  }
  return berth_cursor_next(base->input, out, out_end, err);
}

static int64_t sleep_count(const berth_dataset_t *dataset) {
  return berth_dataset_count(dataset->inputs[0]);
}

static const berth_dataset_kind_t chance_kind = {
    .name = "SamplingDataset",
    .size = sizeof(chance_t),
    .cursor_size = sizeof(chance_cursor_t),
    .open = chance_open,
    .next = chance_next,
    .drop = chance_drop,
};

static const berth_dataset_kind_t sleep_kind = {
    .name = "SleepDataset",
    .size = sizeof(chance_t),
    .cursor_size = sizeof(chance_cursor_t),
    .open = chance_open,
    .next = sleep_next,
    .count = sleep_count,
};

static berth_code_t make_chance(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  int64_t seed = 0, seed2 = 0;
  BERTH_TRY(berth_data_int(call, 2, "seed", &seed));
  BERTH_TRY(berth_data_int(call, 3, "seed2", &seed2));
  if (call->inputs[1]->rank != 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`rate` must be a scalar");
  }
  BERTH_TRY(berth_dataset_make(&chance_kind, call, 1, out_dataset, call->err));
  chance_t *chance = (chance_t *)*out_dataset;
  chance->rate = *(const float *)call->inputs[1]->data;
  return berth_data_finish(
      *out_dataset,
      berth_seeds_create(seed, seed2, false, &chance->seeds, call->err),
      out_dataset);
}

static berth_code_t make_sleep(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t pause = 0;
  BERTH_TRY(berth_data_int(call, 1, "sleep_microseconds", &pause));
  if (pause < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "`sleep_microseconds` must be >= 0");
  }
  BERTH_TRY(berth_dataset_make(&sleep_kind, call, 1, out_dataset, call->err));
  ((chance_t *)*out_dataset)->pause = pause;
  return BERTH_OK;
}

BERTH_DATASET(parts)
BERTH_DATASET(sizes)
BERTH_DATASET(chance)
BERTH_DATASET(sleep)

const berth_kernel_t berth_data_rebatch_kernels[] = {
    BERTH_DATA_OP("RebatchDataset", parts),
    BERTH_DATA_OP("RebatchDatasetV2", sizes),
    BERTH_DATA_OP("SamplingDataset", chance),
    BERTH_DATA_OP("SleepDataset", sleep),
    {.op = NULL},
};
