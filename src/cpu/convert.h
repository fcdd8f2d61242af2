// convert.h - Fast conversions between float and the types around it.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_CONVERT_H_
#define BERTH_CPU_CONVERT_H_

#include <stdint.h>

#include "cpu/isa.h"

// Converts |count| elements. |to| may be |from| where the sizes are equal.
typedef void (*berth_convert_fn)(const void *from, void *to, int64_t count);

typedef struct berth_convert_loops {
  berth_convert_fn half_to_float;
  berth_convert_fn float_to_half;
  berth_convert_fn bfloat16_to_float;
  berth_convert_fn float_to_bfloat16;
  berth_convert_fn float_to_double;
  berth_convert_fn double_to_float;
  berth_convert_fn float_to_int32;  // Out of range and NaN: INT32_MIN.
  berth_convert_fn int32_to_float;
  berth_convert_fn int32_to_int64;
  berth_convert_fn int64_to_int32;
  berth_convert_fn uint8_to_float;
} berth_convert_loops_t;

BERTH_ISA_TABLE(berth_convert_loops_t, berth_cpu_convert_loops);

#endif  // BERTH_CPU_CONVERT_H_
