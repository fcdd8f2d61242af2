// finish.h - From accumulators to results.
//
// Pure functions.
#ifndef BERTH_CPU_LOOPS_FINISH_H_
#define BERTH_CPU_LOOPS_FINISH_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"

// Stores |count| results made from |acc|. A mean divides by |divisor|; the mean
// of no numbers is NaN, that of no integers or complex numbers 0.
typedef void (*berth_finish_fn)(const void *acc, int64_t count, int64_t divisor,
                                void *out);

// Returns how results of |dtype| are made, or NULL when the accumulators are
// the results. Half and bfloat16 accumulate in float, the integers of a mean in
// 64 bits.
berth_finish_fn berth_finish_find(berth_dtype_t dtype, bool is_mean);

#endif  // BERTH_CPU_LOOPS_FINISH_H_
