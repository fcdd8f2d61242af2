// fill.h - Storing one element many times on a card.
#ifndef BERTH_CUDA_OPS_FILL_H_
#define BERTH_CUDA_OPS_FILL_H_

#include "kernel/kernel.h"

// Prepares output 0, of elements of |size| bytes whose shape is set, to be
// filled: with the |size| bytes at |value|, or, where that is NULL, with the
// element that input |from| holds on the card.
BERTH_NODISCARD berth_code_t berth_fill_prepare(berth_prepare_t *prepare,
                                                size_t size, const void *value,
                                                int from, berth_error_t *err);

#endif  // BERTH_CUDA_OPS_FILL_H_
