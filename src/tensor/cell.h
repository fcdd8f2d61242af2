// cell.h - Single elements of a tensor as numpy writes them.
//
// An element looks different alone and in an array, where all of them share
// one format, fitted to those that are shown. A walk goes over these: it skips
// the middle of long axes when the tensor has many elements.
//
// Threads: caller serialises.
#ifndef BERTH_TENSOR_CELL_H_
#define BERTH_TENSOR_CELL_H_

#include "base/str.h"
#include "tensor/float_format.h"
#include "tensor/tensor.h"

typedef struct berth_cell_walk {
  const berth_tensor_t *tensor;  // Borrowed; outlives this.
  bool is_summary;               // Skips the middle of long axes.
  int64_t offset;                // Of the current element.
  int64_t index[BERTH_MAX_RANK];
  int64_t stride[BERTH_MAX_RANK];
} berth_cell_walk_t;

// Begins at the first element of |tensor|, which must have one.
void berth_cell_walk_begin(berth_cell_walk_t *walk,
                           const berth_tensor_t *tensor);

// Moves to the next element to show. Returns the axis that moved on, those
// after it having begun anew, or -1 at the end; |*out_gap| says whether it
// jumped over elements.
int32_t berth_cell_walk_next(berth_cell_walk_t *walk, bool *out_gap);

// How the elements of one tensor are written.
typedef struct berth_cell {
  const berth_tensor_t *tensor;  // Borrowed; outlives this.
  berth_print_style_t style;
  int width;                             // Of whole numbers.
  berth_float_format_t real, imaginary;  // Of floats and complex numbers.
} berth_cell_t;

// Fits the format to the elements of |tensor|, which must have some.
void berth_cell_fit(berth_cell_t *cell, const berth_tensor_t *tensor,
                    berth_print_style_t style);

// Appends element |i| of an array, padded to the width of its column.
void berth_cell_put(const berth_cell_t *cell, int64_t i, berth_str_t *str);

// Appends the only element of the scalar |tensor|.
void berth_scalar_put(const berth_tensor_t *tensor, berth_print_style_t style,
                      berth_str_t *str);

#endif  // BERTH_TENSOR_CELL_H_
