// floats.h - Numbers of any real type as floats.
#ifndef BERTH_CPU_LOOPS_FLOATS_H_
#define BERTH_CPU_LOOPS_FLOATS_H_

#include <stdint.h>

#include "berth/types.h"

// Stores |count| elements of |from|, of a real type |dtype|, as floats.
void berth_floats_from(berth_dtype_t dtype, const void *from, float *to,
                       int64_t count);

// The other way round, rounded to nearest; integers are cut off, and what is
// out of their range is their limit.
void berth_floats_to(berth_dtype_t dtype, const float *from, void *to,
                     int64_t count);

#endif  // BERTH_CPU_LOOPS_FLOATS_H_
