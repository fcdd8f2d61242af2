// optional.h - An element, or nothing, as a value behind a variant.
#ifndef BERTH_DATA_OPTIONAL_H_
#define BERTH_DATA_OPTIONAL_H_

#include "data/dataset.h"

// Makes a variant of the |count| tensors at |tensors| (retained); NULL: of
// nothing.
BERTH_NODISCARD berth_code_t berth_optional_wrap(berth_tensor_t *const *tensors,
                                                 int count,
                                                 berth_tensor_t **out_tensor,
                                                 berth_error_t *err);

// Returns the one tensor of an optional behind |variant|, borrowed, or NULL.
const berth_tensor_t *berth_optional_get(const berth_tensor_t *variant);

#endif  // BERTH_DATA_OPTIONAL_H_
