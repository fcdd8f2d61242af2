// number.h - Single elements of any real type: read, written, compared.
//
// For loops that are not hot: each call looks at the type.
//
// Pure functions.
#ifndef BERTH_CPU_LOOPS_NUMBER_H_
#define BERTH_CPU_LOOPS_NUMBER_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"
#include "tensor/half.h"

// Returns element |i| of |data| as a double; large 64-bit integers lose digits.
double berth_number_at(berth_dtype_t dtype, const void *data, int64_t i);

// Stores |x|, rounded to |dtype|, as element |i| of |data|.
void berth_number_set(berth_dtype_t dtype, void *data, int64_t i, double x);

// True when element |i| of |a| is less than element |k| of |b|.
bool berth_number_less(berth_dtype_t dtype, const void *a, int64_t i,
                       const void *b, int64_t k);

// Returns element |i| of |data|, indices of |type|.
static inline int64_t berth_index_get(berth_dtype_t type, const void *data,
                                      int64_t i) {
  return type == BERTH_INT64 ? ((const int64_t *)data)[i]
                             : ((const int32_t *)data)[i];
}

// Stores |value| as element |i| of |data|, indices of |type|.
static inline void berth_index_set(berth_dtype_t type, void *data, int64_t i,
                                   int64_t value) {
  if (type == BERTH_INT64) {
    ((int64_t *)data)[i] = value;
  } else {
    ((int32_t *)data)[i] = (int32_t)value;
  }
}

#endif  // BERTH_CPU_LOOPS_NUMBER_H_
