// sparse.c - Sparse tensors among the components of elements.
#include "data/sparse.h"

#include <inttypes.h>

#include "base/alloc.h"

// ---- Joined ----

// Checks that all have one rank; stores it, and the number of values.
static berth_code_t measure(berth_tensor_t *const *parts, int width,
                            int64_t count, int64_t *out_rank,
                            int64_t *out_values, berth_error_t *err) {
  *out_rank = parts[2]->count;
  *out_values = 0;
  for (int64_t k = 0; k < count; ++k) {
    berth_tensor_t *const *one = parts + k * width;
    if (one[2]->count != *out_rank) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Inconsistent rank across SparseTensors: rank prior to "
          "SparseTensor[%" PRId64 "] was: %" PRId64
          " but rank of SparseTensor[%" PRId64 "] is: %" PRId64,
          k, *out_rank, k, one[2]->count);
    }
    *out_values += one[1]->count;
  }
  return BERTH_OK;
}

static bool fill(berth_tensor_t *const *parts, int width, int64_t count,
                 int64_t rank, berth_tensor_t **out) {
  int64_t *places = out[0]->data, *shape = out[2]->data;
  int64_t done = 0;
  size_t item = out[1]->count > 0 ? out[1]->size / (size_t)out[1]->count : 0;
  memset(shape, 0, (size_t)(rank + 1) * sizeof(*shape));
  shape[0] = count;
  for (int64_t k = 0; k < count; ++k) {
    berth_tensor_t *const *one = parts + k * width;
    const int64_t *from = one[0]->data, *size = one[2]->data;
    for (int64_t d = 0; d < rank; ++d) {
      if (size[d] > shape[d + 1]) shape[d + 1] = size[d];
    }
    for (int64_t v = 0; v < one[1]->count; ++v) {
      *places++ = k;
      for (int64_t d = 0; d < rank; ++d) *places++ = *from++;
    }
    char *to = (char *)out[1]->data + (size_t)done * item;
    if (!berth_elements_copy(out[1]->dtype, to, one[1]->data, one[1]->count)) {
      return false;
    }
    done += one[1]->count;
  }
  return true;
}

berth_code_t berth_sparse_join(berth_tensor_t *const *parts, int width,
                               int64_t count, berth_tensor_t **out,
                               berth_error_t *err) {
  int64_t rank = 0, values = 0;
  BERTH_TRY(measure(parts, width, count, &rank, &values, err));
  int64_t dims[2] = {values, rank + 1}, all = 0;
  memset(out, 0, BERTH_SPARSE_PARTS * sizeof(*out));
  BERTH_TRY(
      berth_tensor_check(BERTH_INT64, (berth_dims_t){2, dims}, &all, err));
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_INT64, 2, dims, all, &out[0], err);
  if (code == BERTH_OK) {
    code =
        berth_tensor_make(NULL, parts[1]->dtype, 1, dims, values, &out[1], err);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_make(NULL, BERTH_INT64, 1, dims + 1, rank + 1, &out[2],
                             err);
  }
  if (code == BERTH_OK && !fill(parts, width, count, rank, out)) {
    code = berth_error_no_memory(err, "a batch");
  }
  if (code != BERTH_OK) berth_element_drop(out, BERTH_SPARSE_PARTS);
  return code;
}

// ---- Rows ----

// Returns the first entry of |places|, ordered by rows, that is not before
// |row|.
static int64_t find_row(const berth_tensor_t *places, int64_t row) {
  const int64_t *data = places->data;
  int64_t rank = places->dims[1], low = 0, high = places->dims[0];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (data[middle * rank] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Stores the three parts of row |row| of a sparse tensor.
static berth_code_t sparse_row(berth_tensor_t *const *whole, int64_t row,
                               berth_tensor_t **out, berth_error_t *err) {
  int64_t rank = whole[0]->dims[1], first = find_row(whole[0], row);
  int64_t dims[2] = {find_row(whole[0], row + 1) - first, rank - 1};
  const int64_t *from = (const int64_t *)whole[0]->data + first * rank;
  size_t item =
      whole[1]->count > 0 ? whole[1]->size / (size_t)whole[1]->count : 0;
  const char *values = (const char *)whole[1]->data + (size_t)first * item;
  memset(out, 0, BERTH_SPARSE_PARTS * sizeof(*out));
  berth_code_t code = berth_tensor_make(NULL, BERTH_INT64, 2, dims,
                                        dims[0] * dims[1], &out[0], err);
  if (code == BERTH_OK) {
    code = berth_tensor_make(NULL, whole[1]->dtype, 1, dims, dims[0], &out[1],
                             err);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_make(NULL, BERTH_INT64, 1, dims + 1, dims[1], &out[2],
                             err);
  }
  if (code == BERTH_OK &&
      !berth_elements_copy(whole[1]->dtype, out[1]->data, values, dims[0])) {
    code = berth_error_no_memory(err, "an element");
  }
  if (code != BERTH_OK) {
    berth_element_drop(out, BERTH_SPARSE_PARTS);
    return code;
  }
  int64_t *to = out[0]->data;
  for (int64_t v = 0; v < dims[0]; ++v, from += rank) {
    for (int64_t d = 1; d < rank; ++d) *to++ = from[d];
  }
  memcpy(out[2]->data, (const int64_t *)whole[2]->data + 1,
         (size_t)dims[1] * sizeof(int64_t));
  return BERTH_OK;
}

static bool is_sparse(const berth_dataset_t *rows,
                      berth_tensor_t *const *tensors, int i) {
  return i + BERTH_SPARSE_PARTS <= rows->width &&
         berth_sparse_begins(tensors[i]->rank, rows->shapes[i].rank);
}

berth_code_t berth_rows_count(const berth_dataset_t *rows,
                              berth_tensor_t *const *tensors, int i,
                              int64_t *out_count, int *out_parts) {
  *out_parts = 1;
  if (tensors[i]->rank == 0) return BERTH_INVALID_ARGUMENT;
  *out_count = tensors[i]->dims[0];
  if (!is_sparse(rows, tensors, i)) return BERTH_OK;
  *out_parts = BERTH_SPARSE_PARTS;
  if (tensors[i + 2]->count == 0) return BERTH_INVALID_ARGUMENT;
  *out_count = *(const int64_t *)tensors[i + 2]->data;
  return BERTH_OK;
}

berth_code_t berth_rows_take(const berth_dataset_t *rows,
                             berth_tensor_t *const *tensors, int64_t row,
                             berth_row_fn cut, berth_tensor_t **out,
                             berth_error_t *err) {
  for (int i = 0; i < rows->width;) {
    bool is_triple = is_sparse(rows, tensors, i);
    berth_code_t code = is_triple ? sparse_row(tensors + i, row, out + i, err)
                                  : cut(tensors[i], row, &out[i], err);
    if (code != BERTH_OK) {
      berth_element_drop(out, i);
      return code;
    }
    i += is_triple ? BERTH_SPARSE_PARTS : 1;
  }
  return BERTH_OK;
}
