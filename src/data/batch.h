// batch.h - Elements joined to one that has a row for each.
#ifndef BERTH_DATA_BATCH_H_
#define BERTH_DATA_BATCH_H_

#include "data/dataset.h"

// Makes the |width| tensors of a batch for |size| elements like |element|. On
// failure there are none.
BERTH_NODISCARD berth_code_t berth_batch_begin(berth_tensor_t *const *element,
                                               int width, int64_t size,
                                               berth_tensor_t **out,
                                               berth_error_t *err);

// Copies |element| to row |row| of the batch |out|. BERTH_INVALID_ARGUMENT when
// it has other shapes.
BERTH_NODISCARD berth_code_t berth_batch_put(berth_tensor_t *const *element,
                                             int width, int64_t row,
                                             berth_tensor_t **out,
                                             berth_error_t *err);

// Makes the batch |out| one of its first |count| rows.
BERTH_NODISCARD berth_code_t berth_batch_cut(berth_tensor_t **out, int width,
                                             int64_t count, berth_error_t *err);

#endif  // BERTH_DATA_BATCH_H_
