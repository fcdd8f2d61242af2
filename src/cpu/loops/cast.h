// cast.h - Conversions of all types into all others.
//
// Pairs in most use have a loop of their own (convert.h). All others go in
// blocks through one of four wide types that holds every value of the source:
//
//   integers            int64      uint64      uint64
//   floating point      double     complex     complex128
//
// so that n types need about 4n loops and not n * n.
#ifndef BERTH_CPU_LOOPS_CAST_H_
#define BERTH_CPU_LOOPS_CAST_H_

#include "cpu/loops/convert.h"
#include "tensor/dtype.h"

typedef enum berth_wide {
  BERTH_WIDE_I64,
  BERTH_WIDE_U64,
  BERTH_WIDE_F64,
  BERTH_WIDE_C128,
  BERTH_WIDE_COUNT
} berth_wide_t;

typedef struct berth_cast_load {
  berth_wide_t wide;
  berth_convert_fn fn;      // To |wide|; NULL: no such type.
  berth_convert_fn real;    // The real parts of complex numbers, to double,
  berth_convert_fn narrow;  // and to float.
} berth_cast_load_t;

extern const berth_cast_load_t berth_cpu_cast_loads[BERTH_DTYPE_COUNT];

// From float to complex numbers.
void berth_cpu_cast_f32_c64(const void *from, void *to, int64_t count);
void berth_cpu_cast_f32_c128(const void *from, void *to, int64_t count);

// From a wide type to each type; NULL: not that way. Numbers that do not fit
// are converted as TensorFlow does on x86.
extern const berth_convert_fn berth_cpu_cast_stores[BERTH_WIDE_COUNT]
                                                   [BERTH_DTYPE_COUNT];

#endif  // BERTH_CPU_LOOPS_CAST_H_
