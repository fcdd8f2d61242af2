// sparse.h - Sparse tensors among the components of elements.
//
// A sparse tensor is three components: places, values and shape. A dataset whose
// elements are rows of another's has shapes of one dimension less, but for
// these: the places of a row are a matrix as those of the whole are. That is how
// they are told.
#ifndef BERTH_DATA_SPARSE_H_
#define BERTH_DATA_SPARSE_H_

#include "data/dataset.h"

enum { BERTH_SPARSE_PARTS = 3 };

// True when a component of rank |whole|, whose rows have rank |row|, is the
// first of a sparse tensor.
static inline bool berth_sparse_begins(int32_t whole, int32_t row) {
  return whole == 2 && row == 2;
}

// Makes one sparse tensor of |count|: |parts| of the first, |width| further on
// those of the next. It is as large as the largest of them.
BERTH_NODISCARD berth_code_t berth_sparse_join(berth_tensor_t *const *parts,
                                               int width, int64_t count,
                                               berth_tensor_t **out,
                                               berth_error_t *err);

// Stores how many rows component |i| of |tensors| has, whose rows are elements
// of |rows|, and how many components it takes. Fails for a scalar.
BERTH_NODISCARD berth_code_t berth_rows_count(const berth_dataset_t *rows,
                                              berth_tensor_t *const *tensors,
                                              int i, int64_t *out_count,
                                              int *out_parts);

// Cuts a row of a tensor.
typedef berth_code_t (*berth_row_fn)(const berth_tensor_t *tensor, int64_t row,
                                     berth_tensor_t **out, berth_error_t *err);

// Stores row |row| of all components of |tensors| as an element of |rows|.
BERTH_NODISCARD berth_code_t berth_rows_take(const berth_dataset_t *rows,
                                             berth_tensor_t *const *tensors,
                                             int64_t row, berth_row_fn cut,
                                             berth_tensor_t **out,
                                             berth_error_t *err);

#endif  // BERTH_DATA_SPARSE_H_
