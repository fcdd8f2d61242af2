// number.h - Elements of any number type as double, for tests.
#ifndef BERTH_KERNEL_NUMBER_H_
#define BERTH_KERNEL_NUMBER_H_

#include <math.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tensor/half.h"

// Stores |x| as element |i| of |data|.
static inline void number_store(berth_dtype_t dtype, void *data, int64_t i,
                                double x) {
  switch (dtype) {
    case BERTH_FLOAT:
      ((float *)data)[i] = (float)x;
      break;
    case BERTH_DOUBLE:
      ((double *)data)[i] = x;
      break;
    case BERTH_HALF:
      ((uint16_t *)data)[i] = berth_float_to_half((float)x);
      break;
    case BERTH_BFLOAT16:
      ((uint16_t *)data)[i] = berth_float_to_bfloat16((float)x);
      break;
    case BERTH_BOOL:
      ((uint8_t *)data)[i] = x != 0;
      break;
    default: {  // Whole numbers, cut off to their size.
      int64_t whole = (int64_t)x;
      size_t size = berth_dtype_size(dtype);
      memcpy((char *)data + (size_t)i * size, &whole, size);
      break;
    }
  }
}

// Returns element |i| of |data|; NaN for types without a case.
static inline double number_load(berth_dtype_t dtype, const void *data,
                                 int64_t i) {
  switch (dtype) {
    case BERTH_FLOAT:
      return (double)((const float *)data)[i];
    case BERTH_DOUBLE:
      return ((const double *)data)[i];
    case BERTH_HALF:
      return (double)berth_half_to_float(((const uint16_t *)data)[i]);
    case BERTH_BFLOAT16:
      return (double)berth_bfloat16_to_float(((const uint16_t *)data)[i]);
    case BERTH_INT8:
      return ((const int8_t *)data)[i];
    case BERTH_UINT8:
    case BERTH_BOOL:
      return ((const uint8_t *)data)[i];
    case BERTH_INT16:
      return ((const int16_t *)data)[i];
    case BERTH_UINT16:
      return ((const uint16_t *)data)[i];
    case BERTH_INT32:
      return ((const int32_t *)data)[i];
    case BERTH_UINT32:
      return ((const uint32_t *)data)[i];
    case BERTH_INT64:
      return (double)((const int64_t *)data)[i];
    case BERTH_UINT64:
      return (double)((const uint64_t *)data)[i];
    default:
      return NAN;
  }
}

#endif  // BERTH_KERNEL_NUMBER_H_
