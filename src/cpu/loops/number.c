// number.c - Single elements of any real type.
#include "cpu/loops/number.h"

// One case for each type of numbers but half and bfloat16.
#define EACH(CASE)             \
  CASE(BERTH_FLOAT, float)     \
  CASE(BERTH_DOUBLE, double)   \
  CASE(BERTH_INT8, int8_t)     \
  CASE(BERTH_UINT8, uint8_t)   \
  CASE(BERTH_INT16, int16_t)   \
  CASE(BERTH_UINT16, uint16_t) \
  CASE(BERTH_INT32, int32_t)   \
  CASE(BERTH_UINT32, uint32_t) \
  CASE(BERTH_INT64, int64_t)   \
  CASE(BERTH_UINT64, uint64_t) \
  CASE(BERTH_BOOL, uint8_t)

double berth_number_at(berth_dtype_t dtype, const void *data, int64_t i) {
  switch (dtype) {
#define CASE(name, type) \
  case name:             \
    return (double)((const type *)data)[i];
    EACH(CASE)
#undef CASE
    case BERTH_HALF:
      return (double)berth_half_to_float(((const uint16_t *)data)[i]);
    default:
      return (double)berth_bfloat16_to_float(((const uint16_t *)data)[i]);
  }
}

void berth_number_set(berth_dtype_t dtype, void *data, int64_t i, double x) {
  switch (dtype) {
#define CASE(name, type)         \
  case name:                     \
    ((type *)data)[i] = (type)x; \
    return;
    EACH(CASE)
#undef CASE
    case BERTH_HALF:
      ((uint16_t *)data)[i] = berth_float_to_half((float)x);
      return;
    default:
      ((uint16_t *)data)[i] = berth_float_to_bfloat16((float)x);
  }
}

bool berth_number_less(berth_dtype_t dtype, const void *a, int64_t i,
                       const void *b, int64_t k) {
  switch (dtype) {
#define CASE(name, type) \
  case name:             \
    return ((const type *)a)[i] < ((const type *)b)[k];
    EACH(CASE)
#undef CASE
    default:
      return berth_number_at(dtype, a, i) < berth_number_at(dtype, b, k);
  }
}
