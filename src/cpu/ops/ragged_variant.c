// ragged_variant.c - Ragged tensors as elements of variants, which datasets and
// map_fn hand around: RaggedTensorToVariant, RaggedTensorFromVariant, and what
// joins slopes by them, RaggedTensorToVariantGradient.
//
//   variant ──> ragged value: splits of the outermost rows, ..., values
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "op/types.h"
#include "op/value.h"
#include "state/resource.h"

#define INVALID(...) \
  berth_error_set(call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// A ragged tensor. Immutable once a variant leads to it.
typedef struct ragged {
  berth_resource_t resource;  // First.
  int rank;                   // Splits, before the values.
  berth_tensor_t *parts[];    // Owned.
} ragged_t;

static void ragged_destroy(berth_resource_t *resource) {
  ragged_t *ragged = (ragged_t *)resource;
  for (int i = 0; i <= ragged->rank; ++i) {
    berth_tensor_release(ragged->parts[i]);
  }
  berth_free(ragged);
}

static ragged_t *ragged_create(int rank) {
  ragged_t *ragged = berth_calloc(
      1, sizeof(*ragged) + ((size_t)rank + 1) * sizeof(*ragged->parts));
  if (ragged == NULL) return NULL;
  atomic_init(&ragged->resource.refs, 1);
  ragged->resource.kind = BERTH_RESOURCE_RAGGED;
  ragged->resource.destroy = ragged_destroy;
  ragged->rank = rank;
  return ragged;
}

static const ragged_t *ragged_at(const berth_tensor_t *variants, int64_t i) {
  const berth_resource_t *resource =
      ((const berth_handle_t *)variants->data)[i].resource;
  bool is_ragged = resource != NULL && resource->kind == BERTH_RESOURCE_RAGGED;
  return is_ragged ? (const ragged_t *)resource : NULL;
}

static int64_t at(const berth_tensor_t *tensor, int64_t i) {
  return berth_index_get(tensor->dtype, tensor->data, i);
}

static berth_code_t make_like(berth_call_t *call, const berth_tensor_t *like,
                              int64_t rows, berth_tensor_t **out) {
  int64_t dims[BERTH_MAX_RANK], count = 0;
  memcpy(dims, like->dims, (size_t)like->rank * sizeof(*dims));
  dims[0] = rows;
  BERTH_TRY(berth_tensor_check(like->dtype, (berth_dims_t){like->rank, dims},
                               &count, call->err));
  return berth_tensor_make(call->allocator, like->dtype, like->rank, dims,
                           count, out, call->err);
}

// Copies |rows| rows of |from|, from |first| on, to row |row| of |to|.
static berth_code_t copy_rows(const berth_call_t *call,
                              const berth_tensor_t *from, int64_t first,
                              int64_t rows, const berth_tensor_t *to,
                              int64_t row) {
  int64_t inner = from->dims[0] > 0 ? from->count / from->dims[0] : 0;
  size_t step = (size_t)inner * berth_dtype_size(from->dtype);
  if (rows == 0 || inner == 0) return BERTH_OK;
  return berth_elements_copy(from->dtype, (char *)to->data + (size_t)row * step,
                             (const char *)from->data + (size_t)first * step,
                             rows * inner)
             ? BERTH_OK
             : berth_error_no_memory(call->err, "rows");
}

// ---- To variants ----

// Checks that the splits are rows of each other and of the values.
static berth_code_t check_splits(berth_call_t *call, int rank) {
  const berth_tensor_t *values = call->inputs[rank];
  for (int i = 0; i < rank; ++i) {
    const berth_tensor_t *splits = call->inputs[i];
    if (splits->rank != 1 || splits->count == 0 || values->rank == 0) {
      return berth_error_set(call->err, BERTH_INTERNAL,
                             "Invalid split argument.");
    }
    int64_t most =
        i + 1 < rank ? call->inputs[i + 1]->count - 1 : values->dims[0];
    for (int64_t k = 0; k < splits->count; ++k) {
      int64_t before = k > 0 ? at(splits, k - 1) : 0;
      if (at(splits, k) >= before && at(splits, k) <= most) continue;
      return INVALID("Ragged splits must be sorted and not point past values");
    }
  }
  return BERTH_OK;
}

// Fills |ragged| with row |row| of the inputs, which have one rank of splits
// more.
static berth_code_t take_row(berth_call_t *call, int64_t row,
                             ragged_t *ragged) {
  int rank = ragged->rank;
  int64_t begin = at(call->inputs[0], row), end = at(call->inputs[0], row + 1);
  for (int i = 0; i < rank; ++i) {
    const berth_tensor_t *splits = call->inputs[i + 1];
    BERTH_TRY(make_like(call, splits, end - begin + 1, &ragged->parts[i]));
    for (int64_t k = begin; k <= end; ++k) {
      berth_index_set(splits->dtype, ragged->parts[i]->data, k - begin,
                      at(splits, k) - at(splits, begin));
    }
    begin = at(splits, begin);
    end = at(splits, end);
  }
  const berth_tensor_t *values = call->inputs[rank + 1];
  BERTH_TRY(make_like(call, values, end - begin, &ragged->parts[rank]));
  return copy_rows(call, values, begin, end - begin, ragged->parts[rank], 0);
}

// Fills |ragged| with element |row| of values that have no splits.
static berth_code_t take_dense(berth_call_t *call, int64_t row,
                               ragged_t *ragged) {
  const berth_tensor_t *values = call->inputs[0];
  int64_t count = values->count / values->dims[0];
  BERTH_TRY(berth_tensor_make(call->allocator, values->dtype, values->rank - 1,
                              values->dims + 1, count, &ragged->parts[0],
                              call->err));
  return copy_rows(call, values, row, 1, ragged->parts[0], 0);
}

static berth_code_t take_whole(berth_call_t *call, int64_t row,
                               ragged_t *ragged) {
  (void)row;
  for (int i = 0; i <= ragged->rank; ++i) {
    ragged->parts[i] = berth_tensor_retain(call->inputs[i]);
  }
  return BERTH_OK;
}

static berth_code_t make_to_variant(const void *plan, void *const *args,
                                    berth_call_t *call) {
  (void)plan;
  (void)args;
  int rank = call->node->input_count - 1;
  bool is_batch = berth_node_attr_bool(call->node, "batched_input", false);
  const berth_tensor_t *first = call->inputs[0];
  if (is_batch) BERTH_TRY(check_splits(call, rank));
  if (is_batch && first->rank == 0) {
    return INVALID("Batched input must have rank >= 1");
  }
  int64_t rows = is_batch ? first->dims[0] - (rank > 0 ? 1 : 0) : 1;
  berth_code_t (*take)(berth_call_t *, int64_t, ragged_t *) =
      !is_batch  ? take_whole
      : rank > 0 ? take_row
                 : take_dense;
  void *data = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, is_batch ? 1 : 0, &rows, &data));
  for (int64_t i = 0; i < rows; ++i) {
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    ragged_t *ragged = ragged_create(is_batch && rank > 0 ? rank - 1 : rank);
    if (ragged == NULL) return berth_error_no_memory(call->err, "rows");
    ((berth_handle_t *)data)[i].resource = &ragged->resource;
    BERTH_TRY(take(call, i, ragged));
  }
  return BERTH_OK;
}

BERTH_CPU_LATE(to_variant)

// ---- From variants ----

static berth_code_t check_parts(const berth_call_t *call,
                                const ragged_t *ragged, int64_t index) {
  berth_dtype_t splits =
      berth_node_attr_type(call->node, "Tsplits", BERTH_INT64);
  berth_dtype_t dtype = call->node->output_types[call->node->output_count - 1];
  const berth_tensor_t *values = ragged->parts[ragged->rank];
  if (values->dtype != dtype) {
    return INVALID("Expected values Tensor dtype: %s, found: %s",
                   berth_dtype_name(dtype), berth_dtype_name(values->dtype));
  }
  if (values->rank < 1) {
    return INVALID(
        "Ragged values must have rank >= 1; encoded scalar element at index "
        "%lld has values Tensor of rank 0",
        (long long)index);
  }
  for (int i = 0; i < ragged->rank; ++i) {
    if (ragged->parts[i]->dtype != splits) {
      return INVALID("Expected row_splits Tensor dtype: %s, found: %s",
                     berth_dtype_name(splits),
                     berth_dtype_name(ragged->parts[i]->dtype));
    }
    if (ragged->parts[i]->rank != 1) {
      return INVALID(
          "Ragged splits must have rank 1; encoded scalar element at index "
          "%lld has splits Tensor of rank %d",
          (long long)index, (int)ragged->parts[i]->rank);
    }
  }
  return BERTH_OK;
}

// Checks that all variants are ragged tensors of |rank|, with values of one
// rank.
static berth_code_t check_variants(const berth_call_t *call, int64_t rank) {
  const berth_tensor_t *variants = call->inputs[0];
  for (int64_t i = 0; i < variants->count; ++i) {
    const ragged_t *ragged = ragged_at(variants, i);
    if (ragged == NULL) {
      return INVALID(
          "Input Variant element at index %lld doesn't hold a "
          "RaggedTensorVariant: Variant<type: int value: 0>",
          (long long)i);
    }
    if (ragged->rank != rank) {
      return INVALID(
          "Encoded input RaggedTensorVariant has ragged_rank=%d.  Expected "
          "ragged_rank=%lld.",
          ragged->rank, (long long)rank);
    }
    BERTH_TRY(check_parts(call, ragged, i));
  }
  for (int64_t i = 1; i < variants->count; ++i) {
    const berth_tensor_t *a = ragged_at(variants, 0)->parts[rank];
    const berth_tensor_t *b = ragged_at(variants, i)->parts[rank];
    char a_text[BERTH_DIMS_TEXT], b_text[BERTH_DIMS_TEXT];
    bool is_same = a->rank == b->rank;
    for (int32_t d = 1; is_same && d < a->rank; ++d) {
      is_same = a->dims[d] == b->dims[d];
    }
    if (is_same) continue;
    return INVALID(
        "Rank of values must match for all components; values shape at index "
        "0: %s, values shape at index %lld: %s",
        berth_tensor_dims_text(a, a_text), (long long)i,
        berth_tensor_dims_text(b, b_text));
  }
  return BERTH_OK;
}

static berth_code_t find_rank(const berth_call_t *call, int64_t *out_rank) {
  int rank = call->inputs[0]->rank, out = call->node->output_count - 1;
  int64_t in = berth_node_attr_int(call->node, "input_ragged_rank", -1);
  *out_rank = in < 0 ? out - rank : in;
  if (*out_rank < 0) {
    return INVALID(
        "Inferred input_ragged_rank (output_ragged_rank - "
        "encoded_variant.dims()) must be >= 0, found output_ragged_rank: %d, "
        "encoded_variant.dims(): %d, inferred input_ragged_rank: %lld",
        out, rank, (long long)*out_rank);
  }
  if (out == rank + *out_rank) return BERTH_OK;
  return INVALID(
      "output_ragged_rank must be equal to input_ragged_rank + "
      "encoded_ragged.dims(); output_ragged_rank: %d, input_ragged_rank: "
      "%lld, encoded_variant.dims(): %d.",
      out, (long long)*out_rank, rank);
}

static int64_t rows_of(const ragged_t *ragged, int part) {
  const berth_tensor_t *tensor = ragged->parts[part];
  if (part == ragged->rank) return tensor->dims[0];
  return tensor->count > 0 ? tensor->count - 1 : 0;
}

// Makes the splits of the dimensions of the variants but the last, and of the
// last: how many rows each has.
static berth_code_t join_outer(berth_call_t *call) {
  const berth_tensor_t *variants = call->inputs[0];
  int64_t rows = 1, all = 0;
  for (int32_t d = 0; d + 1 < variants->rank; ++d) {
    void *splits = NULL;
    rows *= variants->dims[d];
    BERTH_TRY(berth_cpu_make(call, d, 1, (int64_t[]){rows + 1}, &splits));
    for (int64_t i = 0; i <= rows; ++i) {
      berth_index_set(call->node->output_types[d], splits, i,
                      i * variants->dims[d + 1]);
    }
  }
  int last = variants->rank - 1;
  void *splits = NULL;
  BERTH_TRY(
      berth_cpu_make(call, last, 1, (int64_t[]){variants->count + 1}, &splits));
  berth_index_set(call->node->output_types[last], splits, 0, 0);
  for (int64_t i = 0; i < variants->count; ++i) {
    all += rows_of(ragged_at(variants, i), 0);
    berth_index_set(call->node->output_types[last], splits, i + 1, all);
  }
  return BERTH_OK;
}

// Makes the splits that are part |part| of all variants output |index|.
static berth_code_t join_splits(berth_call_t *call, int part, int index) {
  const berth_tensor_t *variants = call->inputs[0];
  berth_dtype_t type = call->node->output_types[index];
  int64_t size = 1, next = 1, last = 0;
  for (int64_t i = 0; i < variants->count; ++i) {
    size += rows_of(ragged_at(variants, i), part);
  }
  void *out = NULL;
  BERTH_TRY(berth_cpu_make(call, index, 1, &size, &out));
  berth_index_set(type, out, 0, 0);
  for (int64_t i = 0; i < variants->count; ++i) {
    const berth_tensor_t *splits = ragged_at(variants, i)->parts[part];
    int64_t before = last;
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    for (int64_t k = 1; k < splits->count; ++k) {
      last = before + at(splits, k);
      berth_index_set(type, out, next++, last);
    }
  }
  return BERTH_OK;
}

static berth_code_t join_values(berth_call_t *call, int part, int index) {
  const berth_tensor_t *variants = call->inputs[0];
  int64_t rows = 0, row = 0;
  for (int64_t i = 0; i < variants->count; ++i) {
    rows += rows_of(ragged_at(variants, i), part);
  }
  if (variants->count == 0) {  // Nothing says what values are like.
    void *none = NULL;
    return berth_cpu_make(call, index, 1, &rows, &none);
  }
  BERTH_TRY(make_like(call, ragged_at(variants, 0)->parts[part], rows,
                      &call->outputs[index]));
  for (int64_t i = 0; i < variants->count; ++i) {
    const berth_tensor_t *values = ragged_at(variants, i)->parts[part];
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    BERTH_TRY(
        copy_rows(call, values, 0, values->dims[0], call->outputs[index], row));
    row += values->dims[0];
  }
  return BERTH_OK;
}

static berth_code_t make_from_variant(const void *plan, void *const *args,
                                      berth_call_t *call) {
  (void)plan;
  (void)args;
  int64_t rank = 0;
  int outer = call->inputs[0]->rank;
  BERTH_TRY(find_rank(call, &rank));
  BERTH_TRY(check_variants(call, rank));
  if (outer == 0) {
    const ragged_t *ragged = ragged_at(call->inputs[0], 0);
    for (int i = 0; i <= ragged->rank; ++i) {
      call->outputs[i] = berth_tensor_retain(ragged->parts[i]);
    }
    return BERTH_OK;
  }
  BERTH_TRY(join_outer(call));
  for (int i = 0; i < rank; ++i) BERTH_TRY(join_splits(call, i, outer + i));
  return join_values(call, (int)rank, outer + (int)rank);
}

BERTH_CPU_LATE(from_variant)

// ---- Slopes ----

// Returns how many rows slope |i| stands for: without a value, as many as the
// splits say; -1 where they do not.
static int64_t slope_rows(const berth_call_t *call, int64_t i) {
  const ragged_t *ragged = ragged_at(call->inputs[0], i);
  const berth_tensor_t *splits = call->inputs[1];
  if (ragged != NULL) {
    const berth_tensor_t *values = ragged->parts[ragged->rank];
    return values->rank > 0 ? values->dims[0] : -1;
  }
  if (i + 1 >= splits->count) return -1;
  return at(splits, i + 1) - at(splits, i);
}

// Checks that slope |i| is of rows of |out|.
static berth_code_t check_slope(const berth_call_t *call, int64_t i,
                                const berth_tensor_t *out) {
  const ragged_t *ragged = ragged_at(call->inputs[0], i);
  bool fits = slope_rows(call, i) >= 0;
  if (ragged != NULL) {
    const berth_tensor_t *values = ragged->parts[ragged->rank];
    fits &= values->dtype == out->dtype && values->rank == out->rank;
    for (int d = 1; fits && d < out->rank; ++d) {
      fits = values->dims[d] == out->dims[d];
    }
  }
  return fits ? BERTH_OK
              : INVALID("Slope %lld is not of rows of the values",
                        (long long)i);
}

static berth_code_t make_values(berth_call_t *call) {
  int64_t dims[BERTH_MAX_RANK];
  const berth_tensor_t *sizes = call->inputs[2];
  if (sizes->rank != 1 || sizes->count > BERTH_MAX_RANK) {
    return INVALID("Shape must be rank 1 but is rank %d", (int)sizes->rank);
  }
  for (int64_t i = 0; i < sizes->count; ++i) dims[i] = at(sizes, i);
  void *data = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, (int32_t)sizes->count, dims, &data));
  const berth_tensor_t *out = call->outputs[0];
  if (out->dtype != BERTH_STRING) {
    memset(data, 0, (size_t)out->count * berth_dtype_size(out->dtype));
  }
  return BERTH_OK;
}

// Joins the slopes; a value that nobody has a slope by has zeros.
static berth_code_t make_gradient(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_tensor_t *variants = call->inputs[0];
  int64_t row = 0;
  BERTH_TRY(make_values(call));
  berth_tensor_t *out = call->outputs[0];
  for (int64_t i = 0; i < variants->count; ++i) {
    if (berth_cpu_ends_at(call, i)) return berth_cpu_ended(call);
    BERTH_TRY(check_slope(call, i, out));
    const ragged_t *ragged = ragged_at(variants, i);
    int64_t rows = slope_rows(call, i);
    if (out->rank == 0 || row + rows > out->dims[0]) {
      return INVALID("Slopes have more rows than the values");
    }
    if (ragged != NULL) {
      const berth_tensor_t *values = ragged->parts[ragged->rank];
      BERTH_TRY(copy_rows(call, values, 0, rows, out, row));
    }
    row += rows;
  }
  return BERTH_OK;
}

BERTH_CPU_LATE(gradient)

#define VALUES (BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED | BERTH_TYPE(STRING))

const berth_kernel_t berth_cpu_ragged_variant_kernels[] = {
    {.op = "RaggedTensorFromVariant",
     .types = {{"Tvalues", VALUES}},
     .prepare = prepare_from_variant},
    {.op = "RaggedTensorToVariant",
     .types = {{"Tvalues", VALUES}},
     .prepare = prepare_to_variant},
    {.op = "RaggedTensorToVariantGradient",
     .types = {{"Tvalues", VALUES}},
     .prepare = prepare_gradient},
    {.op = NULL},
};
