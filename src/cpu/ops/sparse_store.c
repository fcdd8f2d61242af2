// sparse_store.c - Kernels that put sparse tensors away, as texts or under
// numbers, and get them back.
//
// A sparse tensor is put away whole, or row by row; what is got back is joined
// to one, with the dimensions of the texts or numbers in front of its own.
#include "op/sparse_store.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "berth/tensor.h"
#include "cpu/kernels.h"
#include "cpu/ops/bytes.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"
#include "kernel/handle.h"
#include "op/value.h"
#include "state/sparse_map.h"
#include "tensor/string.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static void parts_clear(berth_sparse_parts_t *parts) {
  for (int k = 0; k < 3; ++k) {
    berth_tensor_release(parts->tensors[k]);
    parts->tensors[k] = NULL;
  }
}

static berth_sparse_parts_t parts_of(const berth_call_t *call) {
  return (berth_sparse_parts_t){
      {call->inputs[0], call->inputs[1], call->inputs[2]}};
}

// ---- Row by row ----

// What is left of a sparse tensor whose rows are taken one by one.
typedef struct rows {
  berth_sparse_parts_t whole;  // Borrowed.
  int64_t rank, next;          // Value.
} rows_t;

// Checks the inputs of |call| beyond their ranks.
static berth_code_t rows_begin(berth_call_t *call, rows_t *rows) {
  rows->whole = parts_of(call);
  const berth_tensor_t *at = call->inputs[0], *shape = call->inputs[2];
  berth_shape_t checked = {.rank = 0};
  int64_t count = 1;
  rows->rank = at->dims[1];
  rows->next = 0;
  for (int64_t d = 0; d < shape->count; ++d) {
    int64_t size = ((const int64_t *)shape->data)[d];
    if (size < 0) {
      return INVALID("Expected shape dimensions to be non-negative, got %lld",
                     (long long)size);
    }
    BERTH_TRY(berth_shape_push(&checked, &count, size, call->err));
  }
  return berth_sparse_validate(at->data, at->dims[0],
                               berth_shape_dims(&checked), "", call->err);
}

// Copies the values from |begin| on that a row has.
static berth_code_t row_fill(const rows_t *rows, int64_t begin, int64_t count,
                             berth_sparse_parts_t *parts, berth_error_t *err) {
  const berth_tensor_t *values = rows->whole.tensors[1];
  const int64_t *at = rows->whole.tensors[0]->data;
  int64_t rank = rows->rank, *to = parts->tensors[0]->data;
  for (int64_t i = 0; i < count; ++i) {
    memcpy(to + i * (rank - 1), at + (begin + i) * rank + 1,
           (size_t)(rank - 1) * sizeof(*to));
  }
  memcpy(parts->tensors[2]->data,
         (const int64_t *)rows->whole.tensors[2]->data + 1,
         (size_t)(rank - 1) * sizeof(*to));
  size_t size = berth_dtype_size(values->dtype);
  bool is_done = berth_elements_copy(
      values->dtype, parts->tensors[1]->data,
      (const char *)values->data + (size_t)begin * size, count);
  return is_done ? BERTH_OK : berth_error_no_memory(err, "a row");
}

// Makes the sparse tensor that is row |row|; rows come in order.
static berth_code_t rows_take(rows_t *rows, int64_t row,
                              berth_sparse_parts_t *out_parts,
                              berth_error_t *err) {
  const berth_tensor_t *values = rows->whole.tensors[1];
  const int64_t *at = rows->whole.tensors[0]->data;
  int64_t begin = rows->next, rank = rows->rank;
  while (rows->next < values->count && at[rows->next * rank] == row) {
    ++rows->next;
  }
  int64_t count = rows->next - begin, dims[2] = {count, rank - 1};
  int64_t inner = rank - 1;
  berth_sparse_parts_t parts = {{NULL}};
  berth_code_t code = berth_tensor_create(BERTH_INT64, (berth_dims_t){2, dims},
                                          &parts.tensors[0], err);
  if (code == BERTH_OK) {
    code = berth_tensor_create(values->dtype, (berth_dims_t){1, &count},
                               &parts.tensors[1], err);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_create(BERTH_INT64, (berth_dims_t){1, &inner},
                               &parts.tensors[2], err);
  }
  if (code == BERTH_OK) code = row_fill(rows, begin, count, &parts, err);
  if (code != BERTH_OK) parts_clear(&parts);
  if (code == BERTH_OK) *out_parts = parts;
  return code;
}

// Checks that the parts of a sparse tensor fit each other, in the words of the
// ops that serialise rows or put one away whole.
static berth_code_t check_fit(berth_call_t *call) {
  const berth_tensor_t *at = call->inputs[0];
  if (at->dims[0] != call->inputs[1]->count) {
    return INVALID(
        "indices and values rows (indexing dimension) must match. (indices = "
        "%lld, values = %lld)",
        (long long)at->dims[0], (long long)call->inputs[1]->count);
  }
  if (at->dims[1] != call->inputs[2]->count) {
    return INVALID("Order length must be SparseTensor rank.");
  }
  return BERTH_OK;
}

// ---- As texts ----

// Writes |parts| to three texts.
static berth_code_t write_parts(const berth_sparse_parts_t *parts,
                                berth_string_t *texts, berth_error_t *err) {
  for (int k = 0; k < 3; ++k) {
    berth_str_t str = {0};
    berth_cpu_put_tensor(&str, parts->tensors[k], true);
    bool ok = berth_str_ok(&str) &&
              berth_string_set(&texts[k], berth_str_get(&str), str.size);
    berth_str_clear(&str);
    if (!ok) return berth_error_no_memory(err, "a message");
  }
  return BERTH_OK;
}

static berth_code_t make_serialize(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan, (void)args;
  int64_t three = 3;
  void *texts = NULL;
  berth_sparse_parts_t parts = parts_of(call);
  BERTH_TRY(berth_cpu_make(call, 0, 1, &three, &texts));
  return write_parts(&parts, texts, call->err);
}

static berth_code_t make_serialize_rows(const void *plan, void *const *args,
                                        berth_call_t *call) {
  (void)plan, (void)args;
  rows_t rows;
  BERTH_TRY(check_fit(call));
  BERTH_TRY(rows_begin(call, &rows));
  int64_t dims[2] = {*(const int64_t *)call->inputs[2]->data, 3};
  void *texts = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &texts));
  for (int64_t row = 0; row < dims[0]; ++row) {
    berth_sparse_parts_t parts;
    BERTH_TRY(rows_take(&rows, row, &parts, call->err));
    berth_code_t code =
        write_parts(&parts, (berth_string_t *)texts + 3 * row, call->err);
    parts_clear(&parts);
    BERTH_TRY(code);
  }
  return BERTH_OK;
}

// ---- Got back ----

// Sparse tensors that become one.
typedef struct joined {
  berth_sparse_parts_t *parts;  // Owned.
  int64_t count;
  berth_dims_t outer;  // Dimensions that they are laid out in. Borrowed.
} joined_t;

static berth_code_t joined_init(joined_t *joined, int64_t count,
                                berth_dims_t outer, berth_error_t *err) {
  joined->parts = berth_calloc((size_t)count, sizeof(*joined->parts));
  if (joined->parts == NULL) return berth_error_no_memory(err, "parts");
  joined->count = count;
  joined->outer = outer;
  return BERTH_OK;
}

static void joined_deinit(joined_t *joined) {
  for (int64_t i = 0; i < joined->count; ++i) parts_clear(&joined->parts[i]);
  berth_free(joined->parts);
}

// Writes the places of part |index|, with where it is in front of them.
static void join_places(const joined_t *joined, int64_t index, int64_t *to) {
  const berth_tensor_t *at = joined->parts[index].tensors[0];
  int64_t rank = at->dims[1], outer = joined->outer.rank;
  int64_t where[BERTH_MAX_RANK];
  for (int64_t d = outer - 1, rest = index; d >= 0; --d) {
    where[d] = rest % joined->outer.dims[d];
    rest /= joined->outer.dims[d];
  }
  for (int64_t i = 0; i < at->dims[0]; ++i, to += outer + rank) {
    memcpy(to, where, (size_t)outer * sizeof(*to));
    memcpy(to + outer, (const int64_t *)at->data + i * rank,
           (size_t)rank * sizeof(*to));
  }
}

// Writes the dimensions in front and the largest sizes of all parts.
static void join_shape(const joined_t *joined, int64_t rank, int64_t *to) {
  memcpy(to, joined->outer.dims, (size_t)joined->outer.rank * sizeof(*to));
  to += joined->outer.rank;
  memcpy(to, joined->parts[0].tensors[2]->data, (size_t)rank * sizeof(*to));
  for (int64_t i = 1; i < joined->count; ++i) {
    const int64_t *own = joined->parts[i].tensors[2]->data;
    for (int64_t d = 0; d < rank; ++d) {
      if (own[d] > to[d]) to[d] = own[d];
    }
  }
}

// Makes the outputs of |call| of all parts, which fit each other.
static berth_code_t join(berth_call_t *call, const joined_t *joined) {
  int64_t inner = joined->parts[0].tensors[2]->count, count = 0;
  int64_t rank = inner + joined->outer.rank;
  for (int64_t i = 0; i < joined->count; ++i) {
    count += joined->parts[i].tensors[1]->count;
  }
  int64_t dims[2] = {count, rank};
  void *at = NULL, *values = NULL, *shape = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, &count, &values));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &rank, &shape));
  join_shape(joined, inner, shape);
  size_t size = berth_dtype_size(call->node->output_types[1]);
  for (int64_t i = 0, done = 0; i < joined->count; ++i) {
    const berth_tensor_t *own = joined->parts[i].tensors[1];
    join_places(joined, i, (int64_t *)at + done * rank);
    if (!berth_elements_copy(own->dtype, (char *)values + (size_t)done * size,
                             own->data, own->count)) {
      return berth_error_no_memory(call->err, "values");
    }
    done += own->count;
  }
  return BERTH_OK;
}

// Checks the type of part |i|.
static berth_code_t check_type(berth_call_t *call, const joined_t *joined,
                               int64_t i) {
  berth_dtype_t wanted = call->node->output_types[1];
  berth_dtype_t own = joined->parts[i].tensors[1]->dtype;
  if (own == wanted) return BERTH_OK;
  return INVALID(
      "Requested SparseTensor of type %s but SparseTensor[%lld].values.dtype() "
      "== %s",
      berth_dtype_name(wanted), (long long)i, berth_dtype_name(own));
}

// Checks that part |i| has the rank of the one before it; messages count |more|
// dimensions.
static berth_code_t check_rank(berth_call_t *call, const joined_t *joined,
                               int64_t i, const char *what, int64_t more) {
  if (i == 0) return BERTH_OK;
  int64_t before = joined->parts[i - 1].tensors[2]->count;
  int64_t own = joined->parts[i].tensors[2]->count;
  if (own == before) return BERTH_OK;
  return INVALID(
      "Inconsistent %s across SparseTensors: rank prior to SparseTensor[%lld] "
      "was: %lld but rank of SparseTensor[%lld] is: %lld",
      what, (long long)i, (long long)(before + more), (long long)i,
      (long long)(own + more));
}

// ---- From texts ----

static berth_code_t parse(berth_call_t *call, const berth_string_t *text,
                          berth_tensor_t **out_tensor) {
  size_t size = 0;
  const char *bytes = berth_string_get(text, &size);
  berth_code_t code = berth_tensor_from_proto(bytes, size, out_tensor, NULL);
  if (code == BERTH_OK) return BERTH_OK;
  if (code == BERTH_RESOURCE_EXHAUSTED) {
    return berth_error_no_memory(call->err, "a tensor");
  }
  return INVALID("Could not construct tensor from proto");
}

// Checks that the tensors of part |i| are what a sparse tensor has.
static berth_code_t check_parts(berth_call_t *call, const joined_t *joined,
                                int64_t i) {
  const berth_tensor_t *at = joined->parts[i].tensors[0];
  const berth_tensor_t *values = joined->parts[i].tensors[1];
  const berth_tensor_t *shape = joined->parts[i].tensors[2];
  static const char *const texts[] = {
      "0] to represent an index matrix but received shape",
      "1] to represent a values vector but received shape",
      "1] to be a shape vector but its shape is"};
  for (int k = 0; k < 3; ++k) {
    const berth_tensor_t *part = joined->parts[i].tensors[k];
    char text[BERTH_DIMS_TEXT];
    bool is_number = k == 1 || part->dtype == BERTH_INT64;
    if (part->rank == (k == 0 ? 2 : 1) && is_number) continue;
    return INVALID(
        "Expected serialized_sparse[%lld, %s %s", (long long)i, texts[k],
        berth_dims_text((berth_dims_t){part->rank, part->dims}, text));
  }
  if (at->dims[0] != values->count) {
    return INVALID(
        "Expected row counts of SparseTensor[%lld].indices and "
        "SparseTensor[%lld].values to match but they do not: %lld vs. %lld",
        (long long)i, (long long)i, (long long)at->dims[0],
        (long long)values->count);
  }
  if (at->dims[1] == shape->count) return BERTH_OK;
  return INVALID(
      "Expected column counts of SparseTensor[%lld].indices to match size of "
      "SparseTensor[%lld].shape but they do not: %lld vs. %lld",
      (long long)i, (long long)i, (long long)at->dims[1],
      (long long)shape->count);
}

// Reads all parts of |joined| from |texts| and makes the outputs.
static berth_code_t read_texts(berth_call_t *call, joined_t *joined,
                               const berth_string_t *texts) {
  for (int64_t i = 0; i < joined->count; ++i) {
    for (int k = 0; k < 3; ++k) {
      BERTH_TRY(parse(call, &texts[3 * i + k], &joined->parts[i].tensors[k]));
    }
    BERTH_TRY(check_parts(call, joined, i));
    BERTH_TRY(check_type(call, joined, i));
    BERTH_TRY(check_rank(call, joined, i, "shape", 0));
  }
  return join(call, joined);
}

static berth_code_t make_deserialize(const void *plan, void *const *args,
                                     berth_call_t *call) {
  (void)plan, (void)args;
  const berth_tensor_t *texts = call->inputs[0];
  joined_t joined;
  BERTH_TRY(joined_init(&joined, texts->count / 3,
                        (berth_dims_t){texts->rank - 1, texts->dims},
                        call->err));
  berth_code_t code = read_texts(call, &joined, texts->data);
  joined_deinit(&joined);
  return code;
}

// ---- Under numbers ----

static berth_code_t get_map(berth_call_t *call, berth_sparse_map_t **out_map) {
  return berth_sparse_map_get(
      call->container, berth_node_attr_string(call->node, "container", ""),
      berth_handle_key(call->node), out_map, call->err);
}

static berth_code_t make_add(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan, (void)args;
  const berth_tensor_t *shape = call->inputs[2];
  BERTH_TRY(check_fit(call));
  berth_case_input_t sizes = berth_input_of(shape, shape->data);
  berth_shape_t checked;
  int64_t count = 0;
  BERTH_TRY(berth_value_shape(&sizes, &checked, &count, call->err));
  void *number = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 0, NULL, &number));
  berth_sparse_map_t *map = NULL;
  BERTH_TRY(get_map(call, &map));
  berth_sparse_parts_t parts = parts_of(call);
  berth_code_t code = berth_sparse_map_add(map, &parts, number, call->err);
  berth_resource_release((berth_resource_t *)map);
  return code;
}

// Checks as check_fit() does, in the words of the op that puts rows away.
static berth_code_t check_fit_rows(berth_call_t *call) {
  const berth_tensor_t *at = call->inputs[0];
  char text[BERTH_DIMS_TEXT];
  berth_dims_text((berth_dims_t){at->rank, at->dims}, text);
  if (at->dims[0] != call->inputs[1]->count) {
    return INVALID(
        "Number of values must match first dimension of indices. Got %lld "
        "values, indices shape: %s",
        (long long)call->inputs[1]->count, text);
  }
  if (at->dims[1] == call->inputs[2]->count) return BERTH_OK;
  return INVALID(
      "Number of dimensions must match second dimension of indices. Got %lld "
      "dimensions, indices shape: %s",
      (long long)call->inputs[2]->count, text);
}

// Puts the rows away: those with values first, as TensorFlow numbers them.
static berth_code_t add_rows(berth_call_t *call, berth_sparse_map_t *map,
                             int64_t count, int64_t *numbers) {
  const int64_t *at = call->inputs[0]->data;
  for (int pass = 0; pass < 2; ++pass) {
    rows_t rows = {.whole = parts_of(call), .rank = call->inputs[0]->dims[1]};
    for (int64_t row = 0; row < count; ++row) {
      bool has_values = rows.next < call->inputs[1]->count &&
                        at[rows.next * rows.rank] == row;
      berth_sparse_parts_t parts;
      BERTH_TRY(rows_take(&rows, row, &parts, call->err));
      berth_code_t code =
          has_values == (pass == 0)
              ? berth_sparse_map_add(map, &parts, &numbers[row], call->err)
              : BERTH_OK;
      parts_clear(&parts);
      BERTH_TRY(code);
    }
  }
  return BERTH_OK;
}

static berth_code_t make_add_rows(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan, (void)args;
  rows_t rows;
  BERTH_TRY(check_fit_rows(call));
  BERTH_TRY(rows_begin(call, &rows));
  int64_t count = *(const int64_t *)call->inputs[2]->data;
  void *numbers = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 1, &count, &numbers));
  berth_sparse_map_t *map = NULL;
  BERTH_TRY(get_map(call, &map));
  berth_code_t code = add_rows(call, map, count, numbers);
  berth_resource_release((berth_resource_t *)map);
  return code;
}

// Takes all parts of |joined| out of |map| and makes the outputs.
static berth_code_t take_numbers(berth_call_t *call, berth_sparse_map_t *map,
                                 joined_t *joined) {
  const int64_t *numbers = call->inputs[0]->data;
  for (int64_t i = 0; i < joined->count; ++i) {
    if (berth_sparse_map_take(map, numbers[i], &joined->parts[i])) continue;
    return INVALID("Unable to find SparseTensor: %lld in map: %s",
                   (long long)numbers[i], berth_handle_key(call->node));
  }
  for (int64_t i = 0; i < joined->count; ++i) {
    BERTH_TRY(check_type(call, joined, i));
    BERTH_TRY(check_rank(call, joined, i, "rank", 1));
  }
  return join(call, joined);
}

static berth_code_t make_take(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan, (void)args;
  berth_sparse_map_t *map = NULL;
  joined_t joined;
  BERTH_TRY(get_map(call, &map));
  berth_code_t code =
      joined_init(&joined, call->inputs[0]->count,
                  (berth_dims_t){1, &call->inputs[0]->count}, call->err);
  if (code == BERTH_OK) {
    code = take_numbers(call, map, &joined);
    joined_deinit(&joined);
  }
  berth_resource_release((berth_resource_t *)map);
  return code;
}

// ---- Preparing ----

// Defines prepare_<name>(), which asks berth_op_<family>() and runs run_<name>().
#define STORES(name, family)                                   \
  BERTH_CPU_MAKES(name)                                        \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    prepare->run = run_##name;                                 \
    prepare->work = 1000;                                      \
    return berth_op_##family(&prepare->op, err);               \
  }

STORES(serialize, sparse_store)
STORES(serialize_rows, sparse_store_rows)
STORES(deserialize, sparse_restore)
STORES(add, sparse_store)
STORES(add_rows, sparse_store_rows)
STORES(take, sparse_take)

#define VALUES (BERTH_TYPES_BASIC | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_sparse_store_kernels[] = {
    {.op = "SerializeSparse",
     .types = {{"T", VALUES}, {"out_type", BERTH_TYPE(STRING)}},
     .prepare = prepare_serialize},
    {.op = "SerializeManySparse",
     .types = {{"T", VALUES}, {"out_type", BERTH_TYPE(STRING)}},
     .prepare = prepare_serialize_rows},
    {.op = "DeserializeSparse",
     .types = {{"dtype", VALUES}, {"Tserialized", BERTH_TYPE(STRING)}},
     .prepare = prepare_deserialize},
    {.op = "DeserializeManySparse",
     .types = {{"dtype", VALUES}},
     .prepare = prepare_deserialize},
    {.op = "AddSparseToTensorsMap",
     .types = {{"T", VALUES}},
     .prepare = prepare_add},
    {.op = "AddManySparseToTensorsMap",
     .types = {{"T", VALUES}},
     .prepare = prepare_add_rows},
    {.op = "TakeManySparseFromTensorsMap",
     .types = {{"dtype", VALUES}},
     .prepare = prepare_take},
    {.op = NULL},
};
