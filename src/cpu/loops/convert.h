// convert.h - Fast conversions between float and the types around it.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_LOOPS_CONVERT_H_
#define BERTH_CPU_LOOPS_CONVERT_H_

#include <stdint.h>

#include "cpu/isa.h"

// Converts |count| elements. |to| may be |from| where the sizes are equal.
typedef void (*berth_convert_fn)(const void *from, void *to, int64_t count);

// The pairs that have a loop per instruction set: types, their C types, and the
// value of an element x. Out of range and NaN become the smallest integer, of
// which 8-bit integers take the low bits.
#define BERTH_CONVERT_PAIRS(X)                                    \
  X(BFLOAT16, uint16_t, FLOAT, float, berth_bfloat16_to_float(x)) \
  X(FLOAT, float, BFLOAT16, uint16_t, berth_float_to_bfloat16(x)) \
  X(FLOAT, float, DOUBLE, double, x)                              \
  X(FLOAT, float, INT32, int32_t, float_to_int32(x))              \
  X(FLOAT, float, INT64, int64_t, float_to_int64(x))              \
  X(FLOAT, float, INT8, uint8_t, (uint32_t)float_to_int32(x))     \
  X(FLOAT, float, UINT8, uint8_t, (uint32_t)float_to_int32(x))    \
  X(FLOAT, float, BOOL, uint8_t, x != 0)                          \
  X(FLOAT, float, INT16, uint16_t, (uint32_t)float_to_int32(x))   \
  X(FLOAT, float, UINT16, uint16_t, (uint32_t)float_to_int32(x))  \
  X(FLOAT, float, UINT32, uint32_t, float_to_uint32(x))           \
  X(INT16, int16_t, FLOAT, float, x)                              \
  X(UINT16, uint16_t, FLOAT, float, x)                            \
  X(UINT32, uint32_t, FLOAT, float, x)                            \
  X(DOUBLE, double, FLOAT, float, x)                              \
  X(DOUBLE, double, INT32, int32_t, double_to_int32(x))           \
  X(DOUBLE, double, INT64, int64_t, double_to_int64(x))           \
  X(DOUBLE, double, BOOL, uint8_t, x != 0)                        \
  X(INT32, int32_t, FLOAT, float, x)                              \
  X(INT32, int32_t, DOUBLE, double, x)                            \
  X(INT32, int32_t, INT64, int64_t, x)                            \
  X(INT32, int32_t, BOOL, uint8_t, x != 0)                        \
  X(INT32, int32_t, UINT8, uint8_t, (uint32_t)x)                  \
  X(INT32, int32_t, INT8, uint8_t, (uint32_t)x)                   \
  X(INT32, int32_t, INT16, uint16_t, (uint32_t)x)                 \
  X(INT32, int32_t, UINT16, uint16_t, (uint32_t)x)                \
  X(INT64, int64_t, FLOAT, float, x)                              \
  X(INT64, int64_t, DOUBLE, double, x)                            \
  X(INT64, int64_t, INT32, uint32_t, (uint64_t)x)                 \
  X(INT64, int64_t, BOOL, uint8_t, x != 0)                        \
  X(INT8, int8_t, BOOL, uint8_t, x != 0)                          \
  X(INT16, int16_t, BOOL, uint8_t, x != 0)                        \
  X(UINT8, uint8_t, FLOAT, float, x)                              \
  X(UINT8, uint8_t, INT32, int32_t, x)                            \
  X(INT8, int8_t, FLOAT, float, x)                                \
  X(INT8, int8_t, INT32, int32_t, x)                              \
  X(BOOL, uint8_t, FLOAT, float, x)                               \
  X(BOOL, uint8_t, DOUBLE, double, x)                             \
  X(BOOL, uint8_t, INT32, int32_t, x)                             \
  X(BOOL, uint8_t, INT64, int64_t, x)

// The two of half precision, which have instructions of their own, and the
// pairs above, called FLOAT_to_DOUBLE and so on.
typedef struct berth_convert_loops {
  berth_convert_fn half_to_float;
  berth_convert_fn float_to_half;
#define BERTH_CONVERT_MEMBER(from, from_t, to, to_t, expr) \
  berth_convert_fn from##_to_##to;
  BERTH_CONVERT_PAIRS(BERTH_CONVERT_MEMBER)
#undef BERTH_CONVERT_MEMBER
} berth_convert_loops_t;

BERTH_ISA_TABLE(berth_convert_loops_t, berth_cpu_convert_loops);

#endif  // BERTH_CPU_LOOPS_CONVERT_H_
