// stock.h - Elements that are kept in memory.
//
// Threads: caller serialises.
#ifndef BERTH_DATA_STOCK_H_
#define BERTH_DATA_STOCK_H_

#include "data/dataset.h"

// A row of elements. Zeroed but for |width| is empty.
typedef struct berth_stock {
  berth_tensor_t **tensors;  // |width| for each element.
  int64_t count;             // Elements.
  size_t capacity;           // Tensors that there is room for.
  int width;
} berth_stock_t;

// Lets go of all elements.
void berth_stock_deinit(berth_stock_t *stock);

// Returns where the tensors of another element go; who puts them there raises
// |count|. NULL when memory is short.
berth_tensor_t **berth_stock_room(berth_stock_t *stock);

// Adds an element; its tensors are retained.
BERTH_NODISCARD berth_code_t berth_stock_add(berth_stock_t *stock,
                                             berth_tensor_t *const *element,
                                             berth_error_t *err);

// Makes a variant of a dataset of these elements, which are taken over, also on
// failure: |stock| is empty afterwards.
BERTH_NODISCARD berth_code_t berth_stock_wrap(berth_stock_t *stock,
                                              const berth_dtype_t *types,
                                              const berth_shape_t *shapes,
                                              berth_tensor_t **out_tensor,
                                              berth_error_t *err);

#endif  // BERTH_DATA_STOCK_H_
