// search.h - Loops that look for places: bounds in a sorted row, the n-th of a
// row, bins of a histogram.
//
// Pure functions.
#ifndef BERTH_CPU_LOOPS_SEARCH_H_
#define BERTH_CPU_LOOPS_SEARCH_H_

#include <stdbool.h>
#include <stdint.h>

#include "berth/types.h"

// Values that are looked for at once: while one waits for memory, others go on.
enum { BERTH_SEARCH_GROUP = 16 };

// Stores for each of |count| values, at most BERTH_SEARCH_GROUP, how many of the
// |columns| sorted elements come before it; |is_upper|: how many do not come
// behind it.
typedef void (*berth_bound_fn)(const void *sorted, int64_t columns,
                               const void *values, int64_t count, bool is_upper,
                               int64_t *out);

// Moves element |nth| of a row of |count| to where it would be in order.
typedef void (*berth_nth_fn)(void *row, int64_t count, int64_t nth);

// Return the loops of elements of |dtype|: float, double and the integers of 32
// and 64 bits with a sign. NULL: not here.
berth_bound_fn berth_bound_loop(berth_dtype_t dtype);
berth_nth_fn berth_nth_loop(berth_dtype_t dtype);

// The bins of a histogram: |step| wide, from |low| on, the last is |last|.
typedef struct berth_bin_range {
  double low, step, last;
} berth_bin_range_t;

// Stores the bin of each of |count| numbers of |dtype| from element |begin| of
// |data| on. What lies beyond an end is in the bin at that end. False where one
// is not a number.
bool berth_bins_find(berth_dtype_t dtype, const void *data, int64_t begin,
                     int64_t count, const berth_bin_range_t *range,
                     int64_t *out);

#endif  // BERTH_CPU_LOOPS_SEARCH_H_
