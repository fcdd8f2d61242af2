// tally.c - Kernels that count values, row by row: those that give a sparse
// tensor, and SparseBincount and RaggedBincount.
//
// Values come as a tensor, a sparse one or a ragged one; what they have in
// common is that each lies in a row.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/combine.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"
#include "op/sparse_check.h"
#include "op/types.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct item {
  int64_t row, value, index;
} item_t;

typedef struct tally {
  const berth_tensor_t *values, *weights;  // No weights: each counts 1.
  int64_t rows;
  bool has_rows;   // Else there is one, which is not told.
  bool is_binary;  // Whether it is there, not how often.
  item_t *items;   // One for each value.
} tally_t;

static int64_t at(const berth_tensor_t *tensor, int64_t i) {
  return berth_index_get(tensor->dtype, tensor->data, i);
}

// ---- Where values are ----

static berth_code_t begin(berth_call_t *call, tally_t *tally) {
  const berth_node_t *node = call->node;
  int64_t count = tally->values->count;
  tally->weights = call->inputs[node->input_count - 1];
  tally->is_binary = berth_node_attr_bool(node, "binary_output", false);
  tally->items = berth_calloc((size_t)count + 1, sizeof(*tally->items));
  if (tally->items == NULL) return berth_error_no_memory(call->err, "values");
  for (int64_t i = 0; i < count; ++i) {
    tally->items[i] = (item_t){.value = at(tally->values, i), .index = i};
  }
  return BERTH_OK;
}

static berth_code_t check_weights(berth_call_t *call, const tally_t *tally,
                                  const char *what) {
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  if (tally->weights->count == 0 ||
      berth_dims_equal(berth_tensor_dims(tally->weights),
                       berth_tensor_dims(tally->values))) {
    return BERTH_OK;
  }
  return INVALID(
      "Weights and %s must have the same shape. Weight shape: %s; %s shape: %s",
      what, berth_tensor_dims_text(tally->weights, a), what,
      berth_tensor_dims_text(tally->values, b));
}

static berth_code_t read_dense(berth_call_t *call, tally_t *tally) {
  const berth_tensor_t *values = tally->values = call->inputs[0];
  char text[BERTH_DIMS_TEXT];
  BERTH_TRY(begin(call, tally));
  if (values->rank != 1 && values->rank != 2) {
    return INVALID("Input must be a 1 or 2-dimensional tensor. Got: %s",
                   berth_tensor_dims_text(values, text));
  }
  BERTH_TRY(check_weights(call, tally, "data"));
  tally->has_rows = values->rank == 2;
  tally->rows = tally->has_rows ? values->dims[0] : 1;
  for (int64_t i = 0; tally->has_rows && i < values->count; ++i) {
    tally->items[i].row = i / values->dims[1];
  }
  return BERTH_OK;
}

// Splits must begin with 0 and end with the number of values.
static berth_code_t read_ragged(berth_call_t *call, tally_t *tally,
                                const char *too_short, int64_t least) {
  const berth_tensor_t *splits = call->inputs[0];
  int64_t count = splits->count, row = 0;
  tally->values = call->inputs[1];
  BERTH_TRY(begin(call, tally));
  if (count < least) return INVALID("%s", too_short);
  if (at(splits, 0) != 0) {
    return INVALID("Splits must start with 0, not with %lld",
                   (long long)at(splits, 0));
  }
  if (at(splits, count - 1) != tally->values->count) {
    return INVALID(
        "Splits must end with the number of values, got %lld instead of %lld",
        (long long)at(splits, count - 1), (long long)tally->values->count);
  }
  tally->has_rows = true;
  tally->rows = count - 1;
  for (int64_t i = 0; i < tally->values->count; ++i) {
    while (row + 1 < count && at(splits, row + 1) <= i) ++row;
    tally->items[i].row = row;
  }
  return BERTH_OK;
}

// Checks that place |i| is inside of the shape.
static berth_code_t check_place(berth_call_t *call, int64_t i) {
  const berth_tensor_t *places = call->inputs[0], *shape = call->inputs[2];
  char text[BERTH_SPARSE_TEXT], dims[BERTH_DIMS_TEXT];
  for (int64_t d = 0; d < shape->count; ++d) {
    int64_t place = at(places, i * shape->count + d);
    if (place >= 0 && place < at(shape, d)) continue;
    return INVALID(
        "Invalid index value at %lld: dimension %lld has value %lld which is "
        "not in [0, %lld) (as given by dense shape Tensor<type: int64 shape: "
        "%s values: %s>",
        (long long)i, (long long)d, (long long)place, (long long)at(shape, d),
        berth_tensor_dims_text(shape, dims), berth_sparse_text(shape, text));
  }
  return BERTH_OK;
}

static void read_rows(tally_t *tally, berth_call_t *call) {
  const berth_tensor_t *places = call->inputs[0], *shape = call->inputs[2];
  tally->has_rows = shape->count > 1;
  tally->rows = tally->has_rows ? at(shape, 0) : 1;
  for (int64_t i = 0; tally->has_rows && i < tally->values->count; ++i) {
    tally->items[i].row = at(places, i * shape->count);
  }
}

static berth_code_t read_sparse(berth_call_t *call, tally_t *tally) {
  const berth_tensor_t *places = call->inputs[0], *shape = call->inputs[2];
  char text[BERTH_DIMS_TEXT];
  tally->values = call->inputs[1];
  BERTH_TRY(begin(call, tally));
  if (places->rank != 2) {
    return INVALID("Input indices must be a 2-dimensional tensor. Got: %s",
                   berth_tensor_dims_text(places, text));
  }
  if (tally->values->rank != 1) {
    return INVALID("Input values must be a vector. Got: %s",
                   berth_tensor_dims_text(tally->values, text));
  }
  if (shape->rank != 1) {
    return INVALID("Input shape must be a vector. Got: %s",
                   berth_tensor_dims_text(shape, text));
  }
  if (tally->values->count != places->dims[0]) {
    return INVALID(
        "Number of values must match first dimension of indices.Got %lld "
        "values, indices shape: %s",
        (long long)tally->values->count, berth_tensor_dims_text(places, text));
  }
  if (shape->count != places->dims[1]) {
    return INVALID(
        "Number of dimensions must match second dimension of indices.Got %lld "
        "dimensions, indices shape: %s",
        (long long)shape->count, berth_tensor_dims_text(places, text));
  }
  if (shape->count == 0) {
    return INVALID("The shape argument requires at least one element.");
  }
  BERTH_TRY(check_weights(call, tally, "values"));
  for (int64_t i = 0; i < tally->values->count; ++i) {
    BERTH_TRY(check_place(call, i));
  }
  read_rows(tally, call);
  return BERTH_OK;
}

// ---- Counting ----

// Adds what item |item| counts to |to|, of the type of the weights.
static void count_one(const tally_t *tally, const berth_combiner_t *add,
                      const item_t *item, void *to) {
  const char *weights = tally->weights->data;
  unsigned char one[16];
  berth_number_set(add->dtype, one, 0, 1);
  if (tally->is_binary) {
    memcpy(to, one, add->size);
  } else if (tally->weights->count == 0) {
    (void)berth_combine(add, to, one, 1, false);
  } else {
    (void)berth_combine(add, to, weights + (size_t)item->index * add->size, 1,
                        false);
  }
}

static int compare_items(const void *a, const void *b) {
  const item_t *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

// Drops values that are too large, puts the others in order; returns how many
// there are, and in |out_kinds| how many different ones.
static int64_t sort_items(tally_t *tally, int64_t limit, int64_t *out_kinds) {
  int64_t kept = 0;
  for (int64_t i = 0; i < tally->values->count; ++i) {
    if (tally->items[i].value < limit) tally->items[kept++] = tally->items[i];
  }
  qsort(tally->items, (size_t)kept, sizeof(*tally->items), compare_items);
  *out_kinds = 0;
  for (int64_t i = 0; i < kept; ++i) {
    const item_t *item = &tally->items[i];
    bool is_same =
        i > 0 && item[-1].row == item->row && item[-1].value == item->value;
    *out_kinds += is_same ? 0 : 1;
  }
  return kept;
}

static berth_code_t write_counts(berth_call_t *call, tally_t *tally,
                                 int64_t size, int64_t limit) {
  void *places = NULL, *counts = NULL, *shape = NULL;
  int64_t kinds = 0, rank = tally->has_rows ? 2 : 1, n = -1;
  int64_t kept = sort_items(tally, limit, &kinds);
  BERTH_TRY(berth_cpu_make(call, 0, 2, (int64_t[]){kinds, rank}, &places));
  BERTH_TRY(berth_cpu_make(call, 1, 1, &kinds, &counts));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &rank, &shape));
  berth_combiner_t add =
      berth_combiner_of(BERTH_COMBINE_ADD, tally->weights->dtype);
  if (kinds > 0) memset(counts, 0, (size_t)kinds * add.size);
  for (int64_t i = 0; i < kept; ++i) {
    const item_t *item = &tally->items[i];
    bool is_same =
        i > 0 && item[-1].row == item->row && item[-1].value == item->value;
    if (!is_same) ++n;
    int64_t *place = (int64_t *)places + n * rank;
    if (tally->has_rows) place[0] = item->row;
    place[rank - 1] = item->value;
    count_one(tally, &add, item, (char *)counts + (size_t)n * add.size);
  }
  if (tally->has_rows) ((int64_t *)shape)[0] = tally->rows;
  ((int64_t *)shape)[rank - 1] = size;
  return BERTH_OK;
}

static berth_code_t make_counts(berth_call_t *call, tally_t *tally) {
  int64_t least = berth_node_attr_int(call->node, "minlength", -1);
  int64_t most = berth_node_attr_int(call->node, "maxlength", -1), size = 1;
  for (int64_t i = 0; i < tally->values->count; ++i) {
    int64_t value = tally->items[i].value;
    if (value < 0) return INVALID("Input values must all be non-negative");
    if (value >= size) size = value == INT64_MAX ? value : value + 1;
  }
  if (size < least) size = least;
  if (most >= 0) size = most;
  return write_counts(call, tally, size, most >= 0 ? most : INT64_MAX);
}

// Defines make_<name>(): what |read| finds is counted by |count|.
#define TALLY(name, read, count)                                       \
  static berth_code_t make_##name(const void *plan, void *const *args, \
                                  berth_call_t *call) {                \
    (void)plan;                                                        \
    (void)args;                                                        \
    tally_t tally = {0};                                               \
    berth_code_t code = read;                                          \
    if (code == BERTH_OK) code = count(call, &tally);                  \
    berth_free(tally.items);                                           \
    return code;                                                       \
  }                                                                    \
  BERTH_CPU_LATE(name)

static berth_code_t make_ragged_counts(berth_call_t *call, tally_t *tally) {
  BERTH_TRY(check_weights(call, tally, "values"));
  return make_counts(call, tally);
}

TALLY(dense, read_dense(call, &tally), make_counts)
TALLY(sparse, read_sparse(call, &tally), make_counts)
TALLY(ragged,
      read_ragged(call, &tally,
                  "Must provide at least 2 elements for the splits argument",
                  2),
      make_ragged_counts)

// ---- Into a tensor ----

static berth_code_t read_size(berth_call_t *call, int index, int64_t *out) {
  const berth_tensor_t *size = call->inputs[index];
  if (size->rank != 0) {
    return INVALID("Shape must be rank 0 but is rank %d", (int)size->rank);
  }
  *out = at(size, 0);
  if (*out >= 0) return BERTH_OK;
  return INVALID("size (%lld) must be non-negative", (long long)*out);
}

static berth_code_t fill_bins(berth_call_t *call, tally_t *tally, int64_t size,
                              const char *below_zero) {
  void *out = NULL;
  int64_t dims[2] = {tally->rows, size};
  berth_combiner_t add =
      berth_combiner_of(BERTH_COMBINE_ADD, tally->weights->dtype);
  if (tally->weights->count != 0 &&
      tally->weights->count < tally->values->count) {
    return INVALID("there are %lld values and %lld weights",
                   (long long)tally->values->count,
                   (long long)tally->weights->count);
  }
  BERTH_TRY(berth_cpu_make(call, 0, tally->has_rows ? 2 : 1,
                           tally->has_rows ? dims : &dims[1], &out));
  if (call->outputs[0]->size > 0) memset(out, 0, call->outputs[0]->size);
  for (int64_t i = 0; i < tally->values->count; ++i) {
    const item_t *item = &tally->items[i];
    if (item->value < 0 && below_zero != NULL) return INVALID("%s", below_zero);
    if (item->value < 0 || item->value >= size) continue;
    size_t bin = (size_t)(item->row * size + item->value);
    count_one(tally, &add, item, (char *)out + bin * add.size);
  }
  return BERTH_OK;
}

static berth_code_t fill_ragged_bins(berth_call_t *call, tally_t *tally) {
  int64_t size = 0;
  BERTH_TRY(read_size(call, 2, &size));
  return fill_bins(call, tally, size, "Input must be non-negative");
}

static berth_code_t read_sparse_bins(berth_call_t *call, tally_t *tally) {
  tally->values = call->inputs[1];
  BERTH_TRY(begin(call, tally));
  int64_t size = 0;
  BERTH_TRY(read_size(call, 3, &size));
  BERTH_TRY(berth_sparse_inside(call->inputs[0], call->inputs[2], call->err));
  read_rows(tally, call);
  return BERTH_OK;
}

static berth_code_t fill_sparse_bins(berth_call_t *call, tally_t *tally) {
  return fill_bins(call, tally, at(call->inputs[3], 0),
                   tally->has_rows ? NULL : "Input arr must be non-negative!");
}

TALLY(sparse_bins, read_sparse_bins(call, &tally), fill_sparse_bins)
TALLY(ragged_bins, read_ragged(call, &tally, "Splits must be non-empty", 1),
      fill_ragged_bins)

static berth_code_t prepare_checked_bins(berth_prepare_t *prepare,
                                         berth_error_t *err) {
  BERTH_TRY(berth_sparse_check(&prepare->op, 0, err));
  return prepare_sparse_bins(prepare, err);
}

#define COUNTED \
  { "output_type", BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) }
#define BINS \
  { "T", BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) }

const berth_kernel_t berth_cpu_tally_kernels[] = {
    {.op = "DenseCountSparseOutput",
     .types = {COUNTED},
     .prepare = prepare_dense},
    {.op = "RaggedBincount", .types = {BINS}, .prepare = prepare_ragged_bins},
    {.op = "RaggedCountSparseOutput",
     .types = {COUNTED},
     .prepare = prepare_ragged},
    {.op = "SparseBincount", .types = {BINS}, .prepare = prepare_checked_bins},
    {.op = "SparseCountSparseOutput",
     .types = {COUNTED},
     .prepare = prepare_sparse},
    {.op = NULL},
};
