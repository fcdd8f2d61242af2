// ragged_dense.c - The kernel RaggedTensorToTensor: rows made equally long.
//
// Row partitions say, one below the other, how what is above falls into rows.
// For each row of a level the kernel keeps where it begins in the output, or
// OUTSIDE when it has no place there; from one level follows the next.
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "op/ragged.h"
#include "op/types.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

enum { OUTSIDE = -1, FIRST_PART = 3 };

typedef enum kind { SIZE, SPLITS, ROW_IDS, OTHER } kind_t;

// Where the rows of a level begin in the output, in rows of values.
typedef struct level {
  int64_t *places;
  int64_t count;
} level_t;

typedef struct work {
  berth_call_t *call;
  const berth_attr_value_t *kinds;
  int first;  // The partition of rows that comes first.
  int rank;   // Partitions, from |first| on.
  int64_t sizes[BERTH_MAX_RANK];
  size_t size;  // Bytes of a row of values.
} work_t;

static kind_t kind_of(const work_t *work, int part) {
  const char *name = work->kinds->s_list[part].text;
  if (strcmp(name, "FIRST_DIM_SIZE") == 0) return SIZE;
  if (strcmp(name, "ROW_SPLITS") == 0) return SPLITS;
  return strcmp(name, "VALUE_ROWIDS") == 0 ? ROW_IDS : OTHER;
}

static const berth_tensor_t *part_of(const work_t *work, int part) {
  return work->call->inputs[FIRST_PART + part];
}

static int64_t at(const berth_tensor_t *tensor, int64_t i) {
  return berth_index_get(tensor->dtype, tensor->data, i);
}

static berth_code_t no_such_kind(const work_t *work, int part) {
  return berth_error_set(work->call->err, BERTH_INVALID_ARGUMENT,
                         "Cannot handle type %s",
                         work->kinds->s_list[part].text);
}

// ---- Sizes ----

static berth_code_t first_size(const work_t *work, int64_t *out) {
  berth_call_t *call = work->call;
  const berth_tensor_t *part = part_of(work, 0);
  if (part->count == 0) {
    return INVALID(
        "Invalid first partition input. Tensor requires at least one element.");
  }
  switch (kind_of(work, 0)) {
    case SIZE:
      *out = at(part, 0);
      if (*out >= 0) return BERTH_OK;
      return INVALID("the first size of a ragged tensor is below 0");
    case SPLITS:
      *out = part->count - 1;
      return BERTH_OK;
    case ROW_IDS:
      return INVALID("Cannot handle VALUE_ROWIDS in first dimension.");
    default:
      return no_such_kind(work, 0);
  }
}

// Stores the length of the longest row of partition |part|.
static berth_code_t widest(const work_t *work, int part, int64_t *out) {
  const berth_tensor_t *rows = part_of(work, part);
  kind_t kind = kind_of(work, part);
  int64_t run = 0;
  *out = 0;
  if (kind != SPLITS && kind != ROW_IDS) return no_such_kind(work, part);
  for (int64_t i = 0; i < rows->count; ++i) {
    bool goes_on = i > 0 && at(rows, i) == at(rows, i - 1);
    if (kind == SPLITS) {
      run = i > 0 ? at(rows, i) - at(rows, i - 1) : 0;
    } else {
      run = goes_on ? run + 1 : 1;
    }
    *out = run > *out ? run : *out;
  }
  return BERTH_OK;
}

// Reads the shape that is asked for; a rank of -1 is any.
static berth_code_t read_shape(work_t *work, int64_t *out_rank) {
  berth_call_t *call = work->call;
  const berth_tensor_t *shape = call->inputs[0];
  if (shape->rank == 0) {
    *out_rank = -1;
    if (at(shape, 0) == -1) return BERTH_OK;
    return INVALID(
        "The only valid scalar shape tensor is the fully unknown shape "
        "specified as -1.");
  }
  if (shape->rank > 1) {
    return INVALID("Shape must be at most rank 1 but is rank %d",
                   (int)shape->rank);
  }
  *out_rank = shape->count;
  for (int64_t i = 0; i < shape->count && i < BERTH_MAX_RANK; ++i) {
    work->sizes[i] = at(shape, i);
    if (work->sizes[i] >= -1) continue;
    return INVALID("Dimension %lld must be >= -1", (long long)work->sizes[i]);
  }
  return BERTH_OK;
}

static berth_code_t find_sizes(work_t *work, int64_t first) {
  berth_call_t *call = work->call;
  berth_dims_t values = berth_tensor_dims(call->inputs[1]);
  int64_t asked = 0;
  BERTH_TRY(berth_ragged_check_default(berth_tensor_dims(call->inputs[2]),
                                       values, call->err));
  BERTH_TRY(read_shape(work, &asked));
  if (work->rank + values.rank > BERTH_MAX_RANK || asked > BERTH_MAX_RANK) {
    return INVALID("a tensor has at most %d dimensions", BERTH_MAX_RANK);
  }
  BERTH_TRY(
      berth_ragged_join(work->rank, values, asked, work->sizes, call->err));
  if (work->sizes[0] < 0) work->sizes[0] = first;
  for (int i = 0; i < work->rank; ++i) {
    if (work->sizes[i + 1] >= 0) continue;
    BERTH_TRY(widest(work, work->first + i, &work->sizes[i + 1]));
  }
  return BERTH_OK;
}

// ---- Places ----

static bool level_init(level_t *level, int64_t room) {
  *level = (level_t){berth_calloc((size_t)room + 1, sizeof(*level->places)), 0};
  return level->places != NULL;
}

// Adds row |n| of a row that begins at |place|.
static void add_place(level_t *level, int64_t place, int64_t n, int64_t size,
                      int64_t step) {
  bool is_out = place == OUTSIDE || n >= size;
  level->places[level->count++] = is_out ? OUTSIDE : place + n * step;
}

// Counts the rows that |rows| cut, as they must: none more than |above| has.
static berth_code_t count_splits(berth_call_t *call, const berth_tensor_t *rows,
                                 const level_t *above, int64_t *out_count) {
  int64_t last = rows->count > 0 ? at(rows, rows->count - 1) : 0, all = 0;
  for (int64_t i = 1; i < rows->count; ++i) {
    int64_t own = at(rows, i) - at(rows, i - 1);
    if (own > 0 && __builtin_add_overflow(all, own, &all)) all = -1;
    if (all < 0) break;
  }
  if (all != last || (rows->count > 0 && rows->count - 1 > above->count)) {
    return INVALID("Invalid row split size.");
  }
  *out_count = all;
  return BERTH_OK;
}

static berth_code_t by_splits(berth_call_t *call, const berth_tensor_t *rows,
                              const level_t *above, int64_t size, int64_t step,
                              level_t *out) {
  int64_t all = 0;
  BERTH_TRY(count_splits(call, rows, above, &all));
  if (!level_init(out, all)) {
    return berth_error_no_memory(call->err, "rows");
  }
  for (int64_t i = 1; i < rows->count; ++i) {
    int64_t own = at(rows, i) - at(rows, i - 1);
    for (int64_t n = 0; n < own; ++n) {
      add_place(out, above->places[i - 1], n, size, step);
    }
  }
  return BERTH_OK;
}

static berth_code_t by_ids(berth_call_t *call, const berth_tensor_t *rows,
                           const level_t *above, int64_t size, int64_t step,
                           level_t *out) {
  int64_t n = 0;
  if (!level_init(out, rows->count)) {
    return berth_error_no_memory(call->err, "rows");
  }
  for (int64_t i = 0; i < rows->count; ++i) {
    int64_t id = at(rows, i);
    n = i > 0 && id == at(rows, i - 1) ? n + 1 : 0;
    if (id < 0 || id >= above->count) {
      return INVALID("Got next_value_rowid=%lld which is not less than %lld",
                     (long long)id, (long long)above->count);
    }
    add_place(out, above->places[id], n, size, step);
  }
  return BERTH_OK;
}

// True when the values themselves are cut by splits: rows of them are copied as
// they are.
static bool ends_in_splits(const work_t *work) {
  return work->rank > 0 &&
         kind_of(work, work->first + work->rank - 1) == SPLITS;
}

// Finds the places of all values, or of the rows that splits cut them into, in
// |out|, which is the caller's to free whatever comes of it.
static berth_code_t find_places(work_t *work, int64_t first, level_t *out) {
  berth_call_t *call = work->call;
  int64_t step = 1;
  for (int i = 0; i < work->rank; ++i) step *= work->sizes[i + 1];
  if (!level_init(out, first)) return berth_error_no_memory(call->err, "rows");
  for (int64_t i = 0; i < first; ++i)
    add_place(out, 0, i, work->sizes[0], step);
  for (int i = 0; i < work->rank; ++i) {
    const berth_tensor_t *rows = part_of(work, work->first + i);
    kind_t kind = kind_of(work, work->first + i);
    if (i == work->rank - 1 && ends_in_splits(work)) return BERTH_OK;
    level_t below = {0};
    int64_t size = work->sizes[i + 1];
    step /= size;
    berth_code_t code =
        kind == SPLITS    ? by_splits(call, rows, out, size, step, &below)
        : kind == ROW_IDS ? by_ids(call, rows, out, size, step, &below)
                          : no_such_kind(work, work->first + i);
    berth_free(out->places);
    *out = below;
    if (code != BERTH_OK) return code;
  }
  return BERTH_OK;
}

// ---- Elements ----

// Copies the default to one row of values.
static bool set_default(const work_t *work, char *out, int64_t inner) {
  const berth_tensor_t *values = work->call->inputs[1];
  const berth_tensor_t *def = work->call->inputs[2];
  size_t size = berth_dtype_size(def->dtype);
  for (int64_t i = 0; i < inner; ++i) {
    int64_t left = i, from = 0, step = 1;
    for (int32_t d = 1; d <= def->rank; ++d) {
      int64_t has = def->dims[def->rank - d];
      int64_t wide = values->dims[values->rank - d];
      from += has == 1 ? 0 : left % wide * step;
      left /= wide;
      step *= has;
    }
    if (!berth_elements_copy(def->dtype, out + (size_t)i * size,
                             (const char *)def->data + (size_t)from * size,
                             1)) {
      return false;
    }
  }
  return true;
}

// Copies the default to |rows| rows of values: bytes twice as many each time.
static bool fill_default(const work_t *work, char *out, int64_t rows,
                         int64_t inner) {
  berth_dtype_t dtype = work->call->inputs[1]->dtype;
  size_t size = berth_dtype_size(dtype) * (size_t)inner;
  int64_t made = 1;
  if (rows == 0) return true;
  if (!set_default(work, out, inner)) return false;
  for (; made < rows && dtype != BERTH_STRING; made *= 2) {
    int64_t more = made < rows - made ? made : rows - made;
    memcpy(out + (size_t)made * size, out, (size_t)more * size);
  }
  for (; made < rows; ++made) {
    if (!set_default(work, out + (size_t)made * size, inner)) return false;
  }
  return true;
}

// Copies values, |inner| elements each, to place |place|.
static berth_code_t put_values(const work_t *work, char *out, int64_t place,
                               int64_t first, int64_t count, int64_t inner) {
  const berth_tensor_t *values = work->call->inputs[1];
  size_t size = work->size;
  if (values->dtype != BERTH_STRING) {
    memcpy(out + (size_t)place * size,
           (const char *)values->data + (size_t)first * size,
           (size_t)count * size);
    return BERTH_OK;
  }
  if (berth_elements_copy(values->dtype, out + (size_t)place * size,
                          (const char *)values->data + (size_t)first * size,
                          count * inner)) {
    return BERTH_OK;
  }
  return berth_error_no_memory(work->call->err, "elements");
}

// Copies the rows that splits cut the values into.
static berth_code_t put_rows(const work_t *work, const level_t *above,
                             char *out, int64_t inner) {
  berth_call_t *call = work->call;
  const berth_tensor_t *rows = part_of(work, work->first + work->rank - 1);
  int64_t size = work->sizes[work->rank], first = 0;
  for (int64_t i = 1; i < rows->count; ++i) {
    int64_t own = at(rows, i) - at(rows, i - 1), place = above->places[i - 1];
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    if (own <= 0) continue;
    if (place != OUTSIDE && size > 0) {
      int64_t count = own < size ? own : size;
      BERTH_TRY(put_values(work, out, place, first, count, inner));
    }
    first += own;
  }
  return BERTH_OK;
}

static berth_code_t put_each(const work_t *work, const level_t *level,
                             char *out, int64_t inner) {
  berth_call_t *call = work->call;
  for (int64_t i = 0; i < level->count; ++i) {
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    if (level->places[i] == OUTSIDE) continue;
    BERTH_TRY(put_values(work, out, level->places[i], i, 1, inner));
  }
  return BERTH_OK;
}

static berth_code_t write_rows(work_t *work, const level_t *level, char *out) {
  berth_call_t *call = work->call;
  const berth_tensor_t *values = call->inputs[1];
  int64_t inner = 1, rows = 1, count = level->count;
  bool are_rows = ends_in_splits(work);
  work->size = values->count > 0 ? values->size / (size_t)values->dims[0] : 0;
  for (int32_t d = 1; d < values->rank; ++d) inner *= values->dims[d];
  for (int i = 0; i <= work->rank; ++i) rows *= work->sizes[i];
  if (are_rows) {
    BERTH_TRY(count_splits(call, part_of(work, work->first + work->rank - 1),
                           level, &count));
  }
  if (count > values->dims[0]) {
    return INVALID(
        "a ragged tensor has %lld rows of values, and its row "
        "partitions have %lld",
        (long long)values->dims[0], (long long)count);
  }
  if (!fill_default(work, out, rows, inner)) {
    return berth_error_no_memory(call->err, "elements");
  }
  return are_rows ? put_rows(work, level, out, inner)
                  : put_each(work, level, out, inner);
}

static berth_code_t make_dense(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  work_t work = {.call = call,
                 .kinds = berth_node_attr(call->node, "row_partition_types")};
  int64_t first = 0;
  if (work.kinds->count != call->node->input_count - FIRST_PART) {
    return INVALID("a type for each row partition is needed");
  }
  BERTH_TRY(first_size(&work, &first));
  work.first = kind_of(&work, 0) == SIZE ? 1 : 0;
  work.rank = (int)work.kinds->count - work.first;
  BERTH_TRY(find_sizes(&work, first));
  void *out = NULL;
  int32_t rank = work.rank + call->inputs[1]->rank;
  BERTH_TRY(berth_cpu_make(call, 0, rank, work.sizes, &out));
  if (call->outputs[0]->count == 0) return BERTH_OK;
  level_t level = {0};
  berth_code_t code = find_places(&work, first, &level);
  if (code == BERTH_OK) code = write_rows(&work, &level, out);
  berth_free(level.places);
  return code;
}

BERTH_CPU_LATE(dense)

const berth_kernel_t berth_cpu_ragged_dense_kernels[] = {
    {.op = "RaggedTensorToTensor",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED |
                         BERTH_TYPE(STRING)}},
     .prepare = prepare_dense},
    {.op = NULL},
};
