// crossing.c - Kernels of crossed features: every combination of what the columns
// have in a row. SparseCross, SparseCrossV2, SparseCrossHashed, RaggedCross.
//
// A column is a sparse tensor, a ragged one or a matrix; of each it is known
// where the values of a row begin. Combinations are texts, joined, or hashes.
#include <string.h>

#include "base/alloc.h"
#include "base/fingerprint.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/text_map.h"
#include "op/types.h"
#include "tensor/string.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct column {
  const berth_tensor_t *values;
  int64_t *starts;  // One for each row, and the end.
  int64_t pick;     // Which value of a row is in the combination.
  bool is_sparse;
} column_t;

typedef enum how {
  AS_TEXT,
  BY_KEY,     // Hashes are added to a key.
  BY_CHAINS,  // The first hash is what others are added to.
  STRONGLY    // The same, with hashes under a salt.
} how_t;

typedef struct cross {
  berth_call_t *call;
  column_t *columns;
  int count;
  int64_t rows;
  how_t how;
  const char *between;
  size_t between_size;
  uint64_t key[2];
  int64_t buckets;
} cross_t;

static int64_t at(const berth_tensor_t *tensor, int64_t i) {
  return berth_index_get(tensor->dtype, tensor->data, i);
}

// ---- Columns ----

static void drop(cross_t *cross) {
  for (int i = 0; cross->columns != NULL && i < cross->count; ++i) {
    berth_free(cross->columns[i].starts);
  }
  berth_free(cross->columns);
}

static berth_code_t make_starts(cross_t *cross, int index,
                                const berth_tensor_t *values,
                                int64_t **out_starts) {
  size_t room = (size_t)(cross->rows < 0 ? 0 : cross->rows) + 2;
  column_t *column = &cross->columns[index];
  column->values = values;
  column->starts = berth_calloc(room, sizeof(*column->starts));
  *out_starts = column->starts;
  return column->starts != NULL
             ? BERTH_OK
             : berth_error_no_memory(cross->call->err, "a column");
}

static berth_code_t add_sparse(cross_t *cross, int index,
                               const berth_tensor_t *places,
                               const berth_tensor_t *values) {
  berth_call_t *call = cross->call;
  int64_t *starts = NULL;
  BERTH_TRY(make_starts(cross, index, values, &starts));
  cross->columns[index].is_sparse = true;
  for (int64_t i = 0; i < values->count; ++i) {
    int64_t row = at(places, i * places->dims[1]);
    if (row < 0 || row >= cross->rows) {
      return INVALID("the value %lld of a column is in row %lld of %lld",
                     (long long)i, (long long)row, (long long)cross->rows);
    }
    ++starts[row + 1];
  }
  for (int64_t i = 0; i < cross->rows; ++i) starts[i + 1] += starts[i];
  return BERTH_OK;
}

static berth_code_t add_dense(cross_t *cross, int index,
                              const berth_tensor_t *values) {
  int64_t *starts = NULL;
  BERTH_TRY(make_starts(cross, index, values, &starts));
  for (int64_t i = 0; i <= cross->rows; ++i) starts[i] = i * values->dims[1];
  return BERTH_OK;
}

static berth_code_t add_ragged(cross_t *cross, int index,
                               const berth_tensor_t *splits,
                               const berth_tensor_t *values) {
  int64_t *starts = NULL;
  BERTH_TRY(make_starts(cross, index, values, &starts));
  for (int64_t i = 0; i <= cross->rows; ++i) starts[i] = at(splits, i);
  return BERTH_OK;
}

static berth_code_t begin(cross_t *cross, int count) {
  berth_call_t *call = cross->call;
  cross->count = count;
  if (count == 0) return INVALID("there is no column to cross");
  cross->columns = berth_calloc((size_t)count, sizeof(*cross->columns));
  return cross->columns != NULL ? BERTH_OK
                                : berth_error_no_memory(call->err, "columns");
}

// ---- Combinations ----

// Returns how many combinations row |row| has; -1: too many to count.
static int64_t combinations(const cross_t *cross, int64_t row) {
  int64_t all = 1;
  for (int i = 0; i < cross->count; ++i) {
    const int64_t *starts = cross->columns[i].starts;
    if (__builtin_mul_overflow(all, starts[row + 1] - starts[row], &all)) {
      return -1;
    }
  }
  return all;
}

// Goes on to the next combination: the last column changes first.
static void go_on(cross_t *cross, int64_t row) {
  for (int i = cross->count; i-- > 0;) {
    column_t *column = &cross->columns[i];
    if (++column->pick < column->starts[row + 1] - column->starts[row]) return;
    column->pick = 0;
  }
}

// Numbers of sparse columns are hashed too, by four of their bytes, where no
// key comes first.
static uint64_t hash_value(const cross_t *cross, const column_t *column,
                           int64_t i) {
  const char *data = column->values->data;
  size_t size = 4;
  if (column->values->dtype == BERTH_STRING) {
    data = berth_string_get((const berth_string_t *)column->values->data + i,
                            &size);
  } else {
    bool is_itself = cross->how == BY_KEY || !column->is_sparse;
    if (is_itself) return (uint64_t)at(column->values, i);
    data += (size_t)i * sizeof(int64_t);
  }
  return cross->how == STRONGLY ? berth_fingerprint_sip(data, size, cross->key)
                                : berth_fingerprint_farm(data, size);
}

static int64_t hash_row(const cross_t *cross, int64_t row) {
  uint64_t hash = cross->key[0];
  for (int i = 0; i < cross->count; ++i) {
    const column_t *column = &cross->columns[i];
    uint64_t own =
        hash_value(cross, column, column->starts[row] + column->pick);
    bool is_first = i == 0 && cross->how != BY_KEY;
    hash = is_first ? own : berth_fingerprint_join(hash, own);
  }
  uint64_t limit =
      cross->buckets > 0 ? (uint64_t)cross->buckets : (uint64_t)INT64_MAX;
  return (int64_t)(hash % limit);
}

static berth_code_t join_row(const cross_t *cross, int64_t row,
                             berth_string_t *out) {
  berth_str_t text = {0};
  for (int i = 0; i < cross->count; ++i) {
    const column_t *column = &cross->columns[i];
    int64_t which = column->starts[row] + column->pick;
    size_t size = 0;
    if (i > 0) berth_str_put(&text, cross->between, cross->between_size);
    if (column->values->dtype == BERTH_STRING) {
      const char *part = berth_string_get(
          (const berth_string_t *)column->values->data + which, &size);
      berth_str_put(&text, part, size);
    } else {
      berth_str_printf(&text, "%lld", (long long)at(column->values, which));
    }
  }
  berth_code_t code = berth_text_take(&text, out, cross->call->err);
  berth_str_clear(&text);
  return code;
}

// Writes the combinations of row |row|, from element |to| of |out| on.
static berth_code_t write_row(cross_t *cross, int64_t row, int64_t count,
                              void *out, int64_t to) {
  for (int i = 0; i < cross->count; ++i) cross->columns[i].pick = 0;
  for (int64_t n = 0; n < count; ++n, go_on(cross, row)) {
    if (berth_cpu_ends_at(cross->call, to + n)) {
      return berth_cpu_ended(cross->call);
    }
    if (cross->how == AS_TEXT) {
      BERTH_TRY(join_row(cross, row, (berth_string_t *)out + to + n));
    } else {
      ((int64_t *)out)[to + n] = hash_row(cross, row);
    }
  }
  return BERTH_OK;
}

static berth_code_t count_all(const cross_t *cross, int64_t *out_all,
                              int64_t *out_most) {
  berth_call_t *call = cross->call;
  *out_all = *out_most = 0;
  for (int64_t row = 0; row < cross->rows; ++row) {
    int64_t own = combinations(cross, row);
    if (own < 0 || __builtin_add_overflow(*out_all, own, out_all)) {
      return INVALID("there are too many combinations to count");
    }
    *out_most = own > *out_most ? own : *out_most;
  }
  return BERTH_OK;
}

static berth_code_t write_sparse(cross_t *cross) {
  berth_call_t *call = cross->call;
  void *places = NULL, *values = NULL, *shape = NULL;
  int64_t all = 0, most = 0, to = 0;
  BERTH_TRY(count_all(cross, &all, &most));
  BERTH_TRY(berth_cpu_make(call, 0, 2, (int64_t[]){all, 2}, &places));
  BERTH_TRY(berth_cpu_make(call, 1, 1, &all, &values));
  BERTH_TRY(berth_cpu_make(call, 2, 1, (int64_t[]){2}, &shape));
  for (int64_t row = 0; row < cross->rows; ++row) {
    int64_t own = combinations(cross, row);
    BERTH_TRY(write_row(cross, row, own, values, to));
    for (int64_t n = 0; n < own; ++n, ++to) {
      ((int64_t *)places)[2 * to] = row;
      ((int64_t *)places)[2 * to + 1] = n;
    }
  }
  ((int64_t *)shape)[0] = cross->rows;
  ((int64_t *)shape)[1] = most;
  return BERTH_OK;
}

static berth_code_t write_ragged(cross_t *cross) {
  berth_call_t *call = cross->call;
  void *values = NULL, *splits = NULL;
  int64_t all = 0, most = 0, to = 0;
  BERTH_TRY(count_all(cross, &all, &most));
  BERTH_TRY(berth_cpu_make(call, 0, 1, &all, &values));
  BERTH_TRY(berth_cpu_make(call, 1, 1, (int64_t[]){cross->rows + 1}, &splits));
  berth_dtype_t type = call->node->output_types[1];
  berth_index_set(type, splits, 0, 0);
  for (int64_t row = 0; row < cross->rows; ++row) {
    int64_t own = combinations(cross, row);
    BERTH_TRY(write_row(cross, row, own, values, to));
    berth_index_set(type, splits, row + 1, to += own);
  }
  return BERTH_OK;
}

// ---- SparseCross and its kin ----

static berth_code_t check_sparse(berth_call_t *call, int count, int i) {
  const berth_tensor_t *places = call->inputs[i];
  const berth_tensor_t *values = call->inputs[count + i];
  const berth_tensor_t *shape = call->inputs[2 * count + i];
  char text[BERTH_DIMS_TEXT];
  if (places->rank != 2) {
    return INVALID(
        "Input indices should be a matrix but received shape %s at position %d",
        berth_tensor_dims_text(places, text), i);
  }
  if (places->dims[1] != 2) {
    return INVALID("Expected D2 of index to be 2 got %lld at position %d",
                   (long long)places->dims[1], i);
  }
  if (values->rank != 1) {
    return INVALID(
        "Input values should be a vector but received shape %s at position %d",
        berth_tensor_dims_text(values, text), i);
  }
  if (values->count != places->dims[0]) {
    return INVALID("Expected size of values to be %lld got %lld at position %d",
                   (long long)places->dims[0], (long long)values->count, i);
  }
  if (shape->rank != 1) {
    return INVALID(
        "Input shapes should be a vector but received shape %s at position %d",
        berth_tensor_dims_text(shape, text), i);
  }
  if (shape->count != 2) {
    return INVALID("shape should imply a 2D tensor, but got %s at position %d",
                   berth_tensor_dims_text(shape, text), i);
  }
  return BERTH_OK;
}

// Numbers cannot be texts where those are asked for.
static berth_code_t check_type(const cross_t *cross, const char *what,
                               const berth_tensor_t *values) {
  berth_call_t *call = cross->call;
  berth_dtype_t internal =
      berth_node_attr_type(call->node, "internal_type", BERTH_INVALID);
  if (internal != BERTH_STRING || values->dtype == BERTH_STRING) {
    return BERTH_OK;
  }
  return INVALID("%s should be of internal type %d but received %d", what,
                 (int)internal, (int)values->dtype);
}

static berth_code_t check_rows(cross_t *cross, int64_t rows, const char *where,
                               int i) {
  berth_call_t *call = cross->call;
  if (cross->rows < 0) cross->rows = rows;
  if (cross->rows == rows && rows >= 0) return BERTH_OK;
  return INVALID("Expected batch size %lld got %lld at %s %d",
                 (long long)cross->rows, (long long)rows, where, i);
}

static berth_code_t check_columns(cross_t *cross, int sparse, int dense) {
  berth_call_t *call = cross->call;
  char text[BERTH_DIMS_TEXT];
  cross->rows = -1;
  for (int i = 0; i < sparse; ++i) {
    BERTH_TRY(check_sparse(call, sparse, i));
    BERTH_TRY(check_type(cross, "Input values", call->inputs[sparse + i]));
  }
  for (int i = 0; i < sparse; ++i) {
    int64_t rows = at(call->inputs[2 * sparse + i], 0);
    BERTH_TRY(check_rows(cross, rows, "position", i));
  }
  for (int i = 0; i < dense; ++i) {
    const berth_tensor_t *values = call->inputs[3 * sparse + i];
    BERTH_TRY(check_type(cross, "Dense inputs", values));
    if (values->rank != 2) {
      return INVALID(
          "Dense inputs should be a matrix but received shape %s at position "
          "%d",
          berth_tensor_dims_text(values, text), i);
    }
    BERTH_TRY(check_rows(cross, values->dims[0], "dense tensor", i));
  }
  return BERTH_OK;
}

static berth_code_t cross_sparse(cross_t *cross) {
  berth_call_t *call = cross->call;
  int sparse = (int)berth_node_attr_int(call->node, "N", 0);
  int dense = berth_node_attr(call->node, "dense_types")->count;
  BERTH_TRY(begin(cross, sparse + dense));
  BERTH_TRY(check_columns(cross, sparse, dense));
  for (int i = 0; i < sparse; ++i) {
    BERTH_TRY(add_sparse(cross, i, call->inputs[i], call->inputs[sparse + i]));
  }
  for (int i = 0; i < dense; ++i) {
    BERTH_TRY(add_dense(cross, sparse + i, call->inputs[3 * sparse + i]));
  }
  return write_sparse(cross);
}

// Crossed values are output |values|: numbers are hashes, whatever
// `hashed_output` says.
static void read_attrs(cross_t *cross, int values) {
  const berth_node_t *node = cross->call->node;
  cross->how = node->output_types[values] == BERTH_STRING ? AS_TEXT : BY_KEY;
  cross->key[0] = (uint64_t)berth_node_attr_int(node, "hash_key", 0);
  cross->buckets = berth_node_attr_int(node, "num_buckets", 0);
  cross->between = "_X_";
  cross->between_size = 3;
}

static berth_code_t make_sparse(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  cross_t cross = {.call = call};
  read_attrs(&cross, 1);
  berth_code_t code = cross_sparse(&cross);
  drop(&cross);
  return code;
}
BERTH_CPU_LATE(sparse)

static berth_code_t make_texts(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  cross_t cross = {.call = call, .how = AS_TEXT};
  const berth_tensor_t *between = call->inputs[call->node->input_count - 1];
  if (between->rank != 0) {
    return INVALID("Input separator should be a scalar.");
  }
  cross.between = berth_string_get(between->data, &cross.between_size);
  berth_code_t code = cross_sparse(&cross);
  drop(&cross);
  return code;
}
BERTH_CPU_LATE(texts)

static berth_code_t make_hashes(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_tensor_t *const *last = call->inputs + call->node->input_count - 3;
  if (last[0]->rank != 0 || last[1]->rank != 0 || last[2]->count != 2) {
    return INVALID(
        "num_buckets and strong_hash are scalars, and salt has two numbers");
  }
  cross_t cross = {.call = call,
                   .how = *(const bool *)last[1]->data ? STRONGLY : BY_CHAINS,
                   .buckets = at(last[0], 0),
                   .key = {(uint64_t)at(last[2], 0), (uint64_t)at(last[2], 1)}};
  berth_code_t code = cross_sparse(&cross);
  drop(&cross);
  return code;
}
BERTH_CPU_LATE(hashes)

// ---- RaggedCross ----

// How many inputs of each kind there are. Values of ragged ones come first,
// then their splits; places, values and shapes of sparse ones; matrices.
typedef struct kinds {
  int ragged, sparse, dense;
} kinds_t;

static berth_code_t check_splits(berth_call_t *call,
                                 const berth_tensor_t *splits,
                                 const berth_tensor_t *values) {
  int64_t count = splits->count;
  if (splits->rank != 1 || values->rank != 1) {
    return INVALID("tf.ragged.cross only supports inputs with rank=2.");
  }
  if (count == 0) {
    return INVALID(
        "Invalid ragged splits: ragged splits must have at least one splits, "
        "but is empty");
  }
  if (at(splits, 0) != 0) {
    return INVALID(
        "Invalid ragged splits: first element of ragged splits  must be 0 but "
        "is %lld",
        (long long)at(splits, 0));
  }
  for (int64_t i = 1; i < count; ++i) {
    if (at(splits, i) >= at(splits, i - 1)) continue;
    return INVALID(
        "Invalid ragged splits: ragged splits must be monotonically "
        "increasing, but ragged_splits[%lld]=%lld is smaller than "
        "row_splits[%lld]=%lld",
        (long long)i, (long long)at(splits, i), (long long)(i - 1),
        (long long)at(splits, i - 1));
  }
  if (at(splits, count - 1) == values->count) return BERTH_OK;
  return INVALID(
      "Invalid ragged splits: last element of ragged splits must be the number "
      "of ragged values(%lld) but is %lld",
      (long long)values->count, (long long)at(splits, count - 1));
}

static berth_code_t same_rows(cross_t *cross, int64_t rows) {
  berth_call_t *call = cross->call;
  if (cross->rows < 0) cross->rows = rows;
  if (cross->rows == rows) return BERTH_OK;
  return INVALID("inputs must all have the same batch dimension size.");
}

static berth_code_t check_kinds(cross_t *cross, const kinds_t *kinds) {
  berth_call_t *call = cross->call;
  berth_tensor_t *const *in = call->inputs;
  int first = 2 * kinds->ragged, sparse = kinds->sparse;
  cross->rows = -1;
  for (int i = 0; i < kinds->ragged; ++i) {
    BERTH_TRY(check_splits(call, in[kinds->ragged + i], in[i]));
  }
  for (int i = 0; i < sparse; ++i) {
    const berth_tensor_t *places = in[first + i],
                         *values = in[first + sparse + i],
                         *shape = in[first + 2 * sparse + i];
    if (places->rank != 2 || values->rank != 1 || shape->rank != 1 ||
        values->count != places->dims[0] || shape->count != places->dims[1]) {
      return INVALID("Invalid SparseTensor %d", i);
    }
    if (shape->count != 2) {
      return INVALID("tf.ragged.cross only supports inputs with rank=2.");
    }
  }
  for (int i = 0; i < kinds->dense; ++i) {
    if (in[first + 3 * sparse + i]->rank != 2) {
      return INVALID("tf.ragged.cross only supports inputs with rank=2.");
    }
  }
  for (int i = 0; i < kinds->ragged; ++i) {
    BERTH_TRY(same_rows(cross, in[kinds->ragged + i]->count - 1));
  }
  for (int i = 0; i < sparse; ++i) {
    BERTH_TRY(same_rows(cross, at(in[first + 2 * sparse + i], 0)));
  }
  for (int i = 0; i < kinds->dense; ++i) {
    BERTH_TRY(same_rows(cross, in[first + 3 * sparse + i]->dims[0]));
  }
  return BERTH_OK;
}

// Adds the columns in the order that |order| says, a letter each.
static berth_code_t add_in_order(cross_t *cross, const kinds_t *kinds,
                                 const char *order) {
  berth_call_t *call = cross->call;
  berth_tensor_t *const *in = call->inputs;
  int first = 2 * kinds->ragged, sparse = kinds->sparse;
  kinds_t next = {0};
  for (int i = 0; i < cross->count; ++i) {
    if (order[i] == 'R' && next.ragged < kinds->ragged) {
      int k = next.ragged++;
      BERTH_TRY(add_ragged(cross, i, in[kinds->ragged + k], in[k]));
    } else if (order[i] == 'S' && next.sparse < sparse) {
      int k = first + next.sparse++;
      BERTH_TRY(add_sparse(cross, i, in[k], in[k + sparse]));
    } else if (order[i] == 'D' && next.dense < kinds->dense) {
      int k = first + 3 * sparse + next.dense++;
      BERTH_TRY(add_dense(cross, i, in[k]));
    } else {
      return INVALID("Unexpected input_order value.");
    }
  }
  return BERTH_OK;
}

static berth_code_t cross_ragged(cross_t *cross) {
  berth_call_t *call = cross->call;
  const berth_node_t *node = call->node;
  kinds_t kinds = {berth_node_attr(node, "ragged_values_types")->count,
                   (int)berth_node_attr_int(node, "Nsparse", 0),
                   berth_node_attr(node, "dense_types")->count};
  const char *order = berth_node_attr_string(node, "input_order", "");
  BERTH_TRY(begin(cross, kinds.ragged + kinds.sparse + kinds.dense));
  BERTH_TRY(check_kinds(cross, &kinds));
  if (strlen(order) != (size_t)cross->count) {
    return INVALID("Invalid length for input_order");
  }
  BERTH_TRY(add_in_order(cross, &kinds, order));
  return write_ragged(cross);
}

static berth_code_t make_ragged(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  (void)args;
  cross_t cross = {.call = call};
  read_attrs(&cross, 0);
  berth_code_t code = cross_ragged(&cross);
  drop(&cross);
  return code;
}
BERTH_CPU_LATE(ragged)

const berth_kernel_t berth_cpu_crossing_kernels[] = {
    {.op = "RaggedCross", .prepare = prepare_ragged},
    {.op = "SparseCross", .prepare = prepare_sparse},
    {.op = "SparseCrossHashed", .prepare = prepare_hashes},
    {.op = "SparseCrossV2", .prepare = prepare_texts},
    {.op = NULL},
};
