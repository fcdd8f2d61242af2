// floats_loops.c - Numbers of any real type as floats, and back.
#include "cpu/loops/floats.h"

#include <string.h>

#include "tensor/half.h"

#define FROM(type, CONVERT)                   \
  for (int64_t i = 0; i < count; ++i) {       \
    to[i] = CONVERT(((const type *)from)[i]); \
  }                                           \
  return

#define AS_FLOAT(x) ((float)(x))

void berth_floats_from(berth_dtype_t dtype, const void *from, float *to,
                       int64_t count) {
  if (count == 0) return;  // There may be no addresses.
  switch (dtype) {
    case BERTH_FLOAT:
      memcpy(to, from, (size_t)count * sizeof(float));
      return;
    case BERTH_DOUBLE:
      FROM(double, AS_FLOAT);
    case BERTH_HALF:
      FROM(uint16_t, berth_half_to_float);
    case BERTH_BFLOAT16:
      FROM(uint16_t, berth_bfloat16_to_float);
    case BERTH_INT8:
      FROM(int8_t, AS_FLOAT);
    case BERTH_UINT8:
      FROM(uint8_t, AS_FLOAT);
    case BERTH_INT16:
      FROM(int16_t, AS_FLOAT);
    case BERTH_UINT16:
      FROM(uint16_t, AS_FLOAT);
    case BERTH_INT32:
      FROM(int32_t, AS_FLOAT);
    case BERTH_UINT32:
      FROM(uint32_t, AS_FLOAT);
    case BERTH_INT64:
      FROM(int64_t, AS_FLOAT);
    default:
      FROM(uint64_t, AS_FLOAT);
  }
}

#define TO(type, CONVERT)               \
  for (int64_t i = 0; i < count; ++i) { \
    ((type *)to)[i] = CONVERT(from[i]); \
  }                                     \
  return

// A float that is out of range of an integer has no value in C.
#define AS_INTEGER(type, LOW, HIGH, x) \
  ((x) >= (float)(HIGH) ? (type)(HIGH) \
   : (x) > (float)(LOW) ? (type)(x)    \
                        : (type)((x) != (x) ? 0 : (LOW)))
#define AS_I8(x) AS_INTEGER(int8_t, INT8_MIN, INT8_MAX, x)
#define AS_U8(x) AS_INTEGER(uint8_t, 0, UINT8_MAX, x)
#define AS_I16(x) AS_INTEGER(int16_t, INT16_MIN, INT16_MAX, x)
#define AS_U16(x) AS_INTEGER(uint16_t, 0, UINT16_MAX, x)
#define AS_I32(x) AS_INTEGER(int32_t, INT32_MIN, INT32_MAX, x)
#define AS_U32(x) AS_INTEGER(uint32_t, 0, UINT32_MAX, x)
#define AS_I64(x) AS_INTEGER(int64_t, INT64_MIN, INT64_MAX, x)
#define AS_U64(x) AS_INTEGER(uint64_t, 0, UINT64_MAX, x)
#define AS_DOUBLE(x) ((double)(x))

void berth_floats_to(berth_dtype_t dtype, const float *from, void *to,
                     int64_t count) {
  if (count == 0) return;
  switch (dtype) {
    case BERTH_FLOAT:
      memcpy(to, from, (size_t)count * sizeof(float));
      return;
    case BERTH_DOUBLE:
      TO(double, AS_DOUBLE);
    case BERTH_HALF:
      TO(uint16_t, berth_float_to_half);
    case BERTH_BFLOAT16:
      TO(uint16_t, berth_float_to_bfloat16);
    case BERTH_INT8:
      TO(int8_t, AS_I8);
    case BERTH_UINT8:
      TO(uint8_t, AS_U8);
    case BERTH_INT16:
      TO(int16_t, AS_I16);
    case BERTH_UINT16:
      TO(uint16_t, AS_U16);
    case BERTH_INT32:
      TO(int32_t, AS_I32);
    case BERTH_UINT32:
      TO(uint32_t, AS_U32);
    case BERTH_INT64:
      TO(int64_t, AS_I64);
    default:
      TO(uint64_t, AS_U64);
  }
}
