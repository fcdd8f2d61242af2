// number.h - Elements of any number type as double, for tests.
#ifndef BERTH_CPU_NUMBER_H_
#define BERTH_CPU_NUMBER_H_

#include "berth/types.h"
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
    case BERTH_INT8:
      ((int8_t *)data)[i] = (int8_t)x;
      break;
    case BERTH_UINT8:
      ((uint8_t *)data)[i] = (uint8_t)(int)x;
      break;
    case BERTH_BOOL:
      ((uint8_t *)data)[i] = x != 0;
      break;
    case BERTH_INT16:
      ((int16_t *)data)[i] = (int16_t)x;
      break;
    case BERTH_UINT16:
      ((uint16_t *)data)[i] = (uint16_t)(int)x;
      break;
    case BERTH_INT32:
      ((int32_t *)data)[i] = (int32_t)x;
      break;
    case BERTH_UINT32:
      ((uint32_t *)data)[i] = (uint32_t)(int64_t)x;
      break;
    case BERTH_INT64:
      ((int64_t *)data)[i] = (int64_t)x;
      break;
    default:
      ((uint64_t *)data)[i] = (uint64_t)(int64_t)x;
      break;
  }
}

// Returns element |i| of |data|.
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
    default:
      return (double)((const uint64_t *)data)[i];
  }
}

#endif  // BERTH_CPU_NUMBER_H_
