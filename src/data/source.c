// source.c - Datasets of tensors, ranges and random numbers.
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "data/kernels.h"
#include "data/sparse.h"
#include "graph/graph.h"
#include "state/generator.h"

// ---- Tensors ----

typedef struct tensors {
  berth_dataset_t base;
  berth_tensor_t **tensors;
  int64_t rows;  // Of slices.
} tensors_t;

typedef struct tensors_cursor {
  berth_cursor_t base;
  int64_t at;
} tensors_cursor_t;

static void tensors_drop(berth_dataset_t *dataset) {
  tensors_t *tensors = (tensors_t *)dataset;
  if (tensors->tensors == NULL) return;
  berth_element_drop(tensors->tensors, dataset->width);
  berth_free(tensors->tensors);
}

static berth_code_t one_next(berth_cursor_t *base, berth_tensor_t **out,
                             bool *out_end, berth_error_t *err) {
  (void)err;
  tensors_cursor_t *cursor = (tensors_cursor_t *)base;
  const tensors_t *tensors = (const tensors_t *)base->dataset;
  *out_end = cursor->at > 0;
  if (*out_end) return BERTH_OK;
  cursor->at = 1;
  for (int i = 0; i < base->dataset->width; ++i) {
    out[i] = berth_tensor_retain(tensors->tensors[i]);
  }
  return BERTH_OK;
}

static int64_t one_count(const berth_dataset_t *dataset) {
  (void)dataset;
  return 1;
}

static const berth_dataset_kind_t one_kind = {
    .name = "TensorDataset",
    .size = sizeof(tensors_t),
    .cursor_size = sizeof(tensors_cursor_t),
    .next = one_next,
    .drop = tensors_drop,
    .count = one_count,
};

berth_code_t berth_element_slice(const berth_tensor_t *tensor, int64_t row,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  int64_t count = tensor->dims[0] > 0 ? tensor->count / tensor->dims[0] : 0;
  size_t step =
      tensor->dims[0] > 0 ? tensor->size / (size_t)tensor->dims[0] : 0;
  const char *data = (const char *)tensor->data + (size_t)row * step;
  BERTH_TRY(berth_tensor_make(NULL, tensor->dtype, tensor->rank - 1,
                              tensor->dims + 1, count, out_tensor, err));
  if (berth_elements_copy(tensor->dtype, (*out_tensor)->data, data, count)) {
    return BERTH_OK;
  }
  berth_tensor_release(*out_tensor);
  *out_tensor = NULL;
  return berth_error_no_memory(err, "an element");
}

// Large rows are looked at where they are; small ones are copied, so that an
// element does not keep all others.
enum { LARGE_ROW = 1 << 16 };

static berth_code_t row_of(const berth_tensor_t *tensor, int64_t row,
                           berth_tensor_t **out, berth_error_t *err) {
  size_t step = tensor->size / (size_t)tensor->dims[0];
  char *data = (char *)tensor->data + (size_t)row * step;
  bool fits = ((uintptr_t)data & 63) == 0;
  if (step < LARGE_ROW || !fits || !berth_dtype_is_plain(tensor->dtype)) {
    return berth_element_slice(tensor, row, out, err);
  }
  return berth_tensor_view(tensor->buffer, data, tensor->dtype,
                           tensor->rank - 1, tensor->dims + 1,
                           tensor->count / tensor->dims[0], NULL, out, err);
}

static berth_code_t slices_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  tensors_cursor_t *cursor = (tensors_cursor_t *)base;
  const tensors_t *tensors = (const tensors_t *)base->dataset;
  *out_end = cursor->at >= tensors->rows;
  if (*out_end) return BERTH_OK;
  return berth_rows_take(base->dataset, tensors->tensors, cursor->at++, row_of,
                         out, err);
}

static int64_t slices_count(const berth_dataset_t *dataset) {
  return ((const tensors_t *)dataset)->rows;
}

static const berth_dataset_kind_t slices_kind = {
    .name = "TensorSliceDataset",
    .size = sizeof(tensors_t),
    .cursor_size = sizeof(tensors_cursor_t),
    .next = slices_next,
    .drop = tensors_drop,
    .count = slices_count,
};

static berth_code_t make_of(berth_call_t *call,
                            const berth_dataset_kind_t *kind,
                            berth_dataset_t **out_dataset) {
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(kind, call, 0, &made, call->err));
  tensors_t *tensors = (tensors_t *)made;
  tensors->tensors =
      berth_calloc((size_t)made->width + 1, sizeof(berth_tensor_t *));
  if (tensors->tensors == NULL) {
    return berth_data_finish(made, berth_error_no_memory(call->err, "tensors"),
                             out_dataset);
  }
  for (int i = 0; i < made->width; ++i) {
    tensors->tensors[i] = berth_tensor_retain(call->inputs[i]);
  }
  *out_dataset = made;
  return BERTH_OK;
}

static berth_code_t make_one(berth_call_t *call,
                             berth_dataset_t **out_dataset) {
  return make_of(call, &one_kind, out_dataset);
}

static berth_code_t check_rows(const berth_call_t *call,
                               const berth_dataset_t *rows,
                               int64_t *out_count) {
  int64_t count = 0;
  int parts = 1;
  for (int i = 0; i < rows->width; i += parts) {
    if (berth_rows_count(rows, call->inputs, i, &count, &parts) != BERTH_OK) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "All components must be at least 1-dimensional");
    }
    if (i > 0 && count != *out_count) {
      return berth_error_set(
          call->err, BERTH_INVALID_ARGUMENT,
          "All components must have the same size in the 0th dimension");
    }
    *out_count = count;
  }
  return BERTH_OK;
}

static berth_code_t make_slices(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  berth_dataset_t *made = NULL;
  BERTH_TRY(make_of(call, &slices_kind, &made));
  return berth_data_finish(
      made, check_rows(call, made, &((tensors_t *)made)->rows), out_dataset);
}

// ---- Ranges ----

typedef struct range {
  berth_dataset_t base;
  int64_t start, stop, step;
} range_t;

typedef struct range_cursor {
  berth_cursor_t base;
  int64_t next;
} range_cursor_t;

static berth_code_t range_open(berth_cursor_t *base, berth_error_t *err) {
  (void)err;
  ((range_cursor_t *)base)->next = ((const range_t *)base->dataset)->start;
  return BERTH_OK;
}

// Stores |number| as an element of type |dtype|; false for other types.
static bool store(berth_dtype_t dtype, int64_t number, void *to) {
  switch (dtype) {
    case BERTH_INT64:
      *(int64_t *)to = number;
      return true;
    case BERTH_UINT64:
      *(uint64_t *)to = (uint64_t)number;
      return true;
    case BERTH_INT32:
      *(int32_t *)to = (int32_t)number;
      return true;
    case BERTH_UINT32:
      *(uint32_t *)to = (uint32_t)number;
      return true;
    case BERTH_INT16:
      *(int16_t *)to = (int16_t)number;
      return true;
    case BERTH_UINT16:
      *(uint16_t *)to = (uint16_t)number;
      return true;
    case BERTH_INT8:
      *(int8_t *)to = (int8_t)number;
      return true;
    case BERTH_UINT8:
      *(uint8_t *)to = (uint8_t)number;
      return true;
    case BERTH_FLOAT:
      *(float *)to = (float)number;
      return true;
    case BERTH_DOUBLE:
      *(double *)to = (double)number;
      return true;
    default:
      return false;
  }
}

static berth_code_t number_out(berth_dtype_t dtype, int64_t number,
                               berth_tensor_t **out, berth_error_t *err) {
  BERTH_TRY(berth_tensor_make(NULL, dtype, 0, NULL, 1, out, err));
  if (store(dtype, number, (*out)->data)) return BERTH_OK;
  berth_tensor_release(*out);
  *out = NULL;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Unsupported data type: %s", berth_dtype_name(dtype));
}

static berth_code_t range_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  range_cursor_t *cursor = (range_cursor_t *)base;
  const range_t *range = (const range_t *)base->dataset;
  *out_end = range->step > 0 ? cursor->next >= range->stop
                             : cursor->next <= range->stop;
  if (*out_end) return BERTH_OK;
  int64_t number = cursor->next;
  // One past the last number may not be a number.
  if (__builtin_add_overflow(number, range->step, &cursor->next)) {
    cursor->next = range->stop;
  }
  return number_out(base->dataset->types[0], number, &out[0], err);
}

static int64_t range_count(const berth_dataset_t *dataset) {
  const range_t *range = (const range_t *)dataset;
  bool is_empty = range->step > 0 ? range->start >= range->stop
                                  : range->start <= range->stop;
  if (is_empty) return 0;
  uint64_t span = range->step > 0
                      ? (uint64_t)range->stop - (uint64_t)range->start
                      : (uint64_t)range->start - (uint64_t)range->stop;
  uint64_t step =
      range->step > 0 ? (uint64_t)range->step : -(uint64_t)range->step;
  return (int64_t)((span - 1) / step + 1);
}

static const berth_dataset_kind_t range_kind = {
    .name = "RangeDataset",
    .size = sizeof(range_t),
    .cursor_size = sizeof(range_cursor_t),
    .open = range_open,
    .next = range_next,
    .count = range_count,
};

static berth_code_t make_range(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t start = 0, stop = 0, step = 0;
  BERTH_TRY(berth_data_int(call, 0, "start", &start));
  BERTH_TRY(berth_data_int(call, 1, "stop", &stop));
  BERTH_TRY(berth_data_int(call, 2, "step", &step));
  if (step == 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "step must be a non-zero integer.");
  }
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(&range_kind, call, 0, &made, call->err));
  range_t *range = (range_t *)made;
  range->start = start;
  range->stop = stop;
  range->step = step;
  *out_dataset = made;
  return BERTH_OK;
}

// ---- Random numbers ----

typedef struct random {
  berth_dataset_t base;
  berth_seeds_t *seeds;
} random_t;

typedef struct random_cursor {
  berth_cursor_t base;
  berth_lots_t draws;
} random_cursor_t;

static berth_code_t random_open(berth_cursor_t *base, berth_error_t *err) {
  const random_t *random = (const random_t *)base->dataset;
  int64_t seed = 0, seed2 = 0;
  BERTH_TRY(
      berth_reading_seeds(base->reading, random->seeds, &seed, &seed2, err));
  berth_lots_begin(&((random_cursor_t *)base)->draws, seed, seed2);
  return BERTH_OK;
}

static berth_code_t random_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  *out_end = false;
  uint32_t number = berth_lots_next(&((random_cursor_t *)base)->draws);
  return number_out(base->dataset->types[0], (int64_t)number, &out[0], err);
}

static int64_t random_count(const berth_dataset_t *dataset) {
  (void)dataset;
  return BERTH_INFINITE;
}

static void random_drop(berth_dataset_t *dataset) {
  berth_seeds_destroy(((random_t *)dataset)->seeds);
}

static const berth_dataset_kind_t random_kind = {
    .name = "RandomDataset",
    .size = sizeof(random_t),
    .cursor_size = sizeof(random_cursor_t),
    .open = random_open,
    .next = random_next,
    .drop = random_drop,
    .count = random_count,
};

static berth_code_t make_random(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  int64_t seed = 0, seed2 = 0;
  BERTH_TRY(berth_data_int(call, 0, "seed", &seed));
  BERTH_TRY(berth_data_int(call, 1, "seed2", &seed2));
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(&random_kind, call, 0, &made, call->err));
  bool anew =
      berth_node_attr_bool(call->node, "rerandomize_each_iteration", false);
  return berth_data_finish(
      made,
      berth_seeds_create(seed, seed2, anew, &((random_t *)made)->seeds,
                         call->err),
      out_dataset);
}

// ---- Seeds ----

struct berth_seeds {
  berth_mutex_t lock;  // Guards |draws|.
  int64_t seed, seed2;
  bool is_anew;
  berth_lots_t draws;
  int64_t count;  // How often seeds were drawn.
};

void berth_lots_begin(berth_lots_t *draws, int64_t seed, int64_t seed2) {
  draws->philox = berth_philox_make((uint64_t)seed, (uint64_t)seed2);
  draws->used = 4;
}

berth_code_t berth_seeds_create(int64_t seed, int64_t seed2, bool is_anew,
                                berth_seeds_t **out_seeds, berth_error_t *err) {
  berth_seeds_t *seeds = berth_calloc(1, sizeof(*seeds));
  if (seeds == NULL) return berth_error_no_memory(err, "seeds");
  berth_mutex_init(&seeds->lock);
  if (seed == 0 && seed2 == 0) {
    berth_philox_t any = berth_generator_begin(0, 0);
    seed = (int64_t)((uint64_t)any.key[1] << 32 | any.key[0]);
    seed2 = (int64_t)((uint64_t)any.counter[3] << 32 | any.counter[2]);
  }
  seeds->seed = seed;
  seeds->seed2 = seed2;
  seeds->is_anew = is_anew;
  berth_lots_begin(&seeds->draws, seed, seed2);
  *out_seeds = seeds;
  return BERTH_OK;
}

void berth_seeds_destroy(berth_seeds_t *seeds) {
  if (seeds == NULL) return;
  berth_mutex_deinit(&seeds->lock);
  berth_free(seeds);
}

// Brings |seeds| to where they were after they had given |drawn|.
static void seeds_reset(berth_seeds_t *seeds, const berth_drawn_t *drawn) {
  berth_mutex_lock(&seeds->lock);
  seeds->seed = drawn->from;
  seeds->seed2 = drawn->from2;
  seeds->count = drawn->count;
  berth_lots_begin(&seeds->draws, drawn->from, drawn->from2);
  for (int64_t i = 0; seeds->is_anew && i < drawn->count; ++i) {
    (void)berth_lots_next(&seeds->draws);
    (void)berth_lots_next(&seeds->draws);
  }
  berth_mutex_unlock(&seeds->lock);
}

// Adds what |seeds| give to what |reading| remembers. Its lock is held.
static berth_code_t draw(berth_reading_t *reading, berth_seeds_t *seeds,
                         berth_error_t *err) {
  berth_drawn_t *drawn = berth_grow(reading->drawn, reading->drawn_count,
                                    &reading->drawn_capacity, sizeof(*drawn));
  if (drawn == NULL) return berth_error_no_memory(err, "an iterator");
  reading->drawn = drawn;
  berth_drawn_t *one = &drawn[reading->drawn_count++];
  berth_seeds_next(seeds, &one->seed, &one->seed2);
  berth_mutex_lock(&seeds->lock);
  one->from = seeds->seed;
  one->from2 = seeds->seed2;
  one->count = seeds->count;
  berth_mutex_unlock(&seeds->lock);
  return BERTH_OK;
}

berth_code_t berth_reading_seeds(berth_reading_t *reading, berth_seeds_t *seeds,
                                 int64_t *out_seed, int64_t *out_seed2,
                                 berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&reading->lock);
  if (reading->drawn_at == reading->drawn_count) {
    code = draw(reading, seeds, err);
  } else {
    seeds_reset(seeds, &reading->drawn[reading->drawn_at]);
  }
  if (code == BERTH_OK) {
    *out_seed = reading->drawn[reading->drawn_at].seed;
    *out_seed2 = reading->drawn[reading->drawn_at++].seed2;
  }
  berth_mutex_unlock(&reading->lock);
  return code;
}

void berth_seeds_next(berth_seeds_t *seeds, int64_t *out_seed,
                      int64_t *out_seed2) {
  berth_mutex_lock(&seeds->lock);
  seeds->count++;
  if (seeds->is_anew) {
    *out_seed = berth_lots_next(&seeds->draws);
    *out_seed2 = berth_lots_next(&seeds->draws);
  } else {
    *out_seed = seeds->seed;
    *out_seed2 = seeds->seed2;
  }
  berth_mutex_unlock(&seeds->lock);
}

BERTH_DATASET(one)
BERTH_DATASET(slices)
BERTH_DATASET(range)
BERTH_DATASET(random)

const berth_kernel_t berth_data_source_kernels[] = {
    BERTH_DATA_OP("TensorDataset", one),
    BERTH_DATA_OP("TensorSliceDataset", slices),
    BERTH_DATA_OP("RangeDataset", range),
    BERTH_DATA_OP("RandomDataset", random),
    BERTH_DATA_OP("RandomDatasetV2", random),
    {.op = NULL},
};
