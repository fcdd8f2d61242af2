// whole.h - Whole numbers that stand for fractions: read, written, and what
// they stand for.
//
// The numbers of a type, from its least to its largest, stand for fractions
// from |min| to |max| at equal distances.
//
// Pure functions, not for hot loops: each looks at the type.
#ifndef BERTH_CPU_OPS_WHOLE_H_
#define BERTH_CPU_OPS_WHOLE_H_

#include <stdint.h>

#include "berth/types.h"

// Read and write number |i| of |data|.
int64_t berth_whole_at(berth_dtype_t type, const void *data, int64_t i);
void berth_whole_set(berth_dtype_t type, void *data, int64_t i, int64_t x);

// Return the least and the largest number of |type|.
int64_t berth_whole_least(berth_dtype_t type);
int64_t berth_whole_most(berth_dtype_t type);

// Returns what number |x| of |type| stands for.
float berth_whole_to_float(berth_dtype_t type, int64_t x, float min, float max);

// Returns the number of |type| that stands for |x|, or would if there were more
// of them; the second one, the nearest that there is.
int64_t berth_whole_place(berth_dtype_t type, float x, float min, float max);
int64_t berth_whole_from_float(berth_dtype_t type, float x, float min,
                               float max);

// Stores the range of products of numbers of both types, as int32.
void berth_whole_product_range(berth_dtype_t a, float min_a, float max_a,
                               berth_dtype_t b, float min_b, float max_b,
                               float *out_min, float *out_max);

// How numbers of one range become those of another, in single precision as
// TensorFlow's vectors do it.
typedef struct berth_whole_shift {
  float step, first;    // What a number stands for: first + x * step.
  float scale, behind;  // And back: round(x * scale) - behind.
  float least, most;
} berth_whole_shift_t;

// Says how numbers of |from| become those of |to|.
berth_whole_shift_t berth_whole_shift(berth_dtype_t from, float min, float max,
                                      berth_dtype_t to, float to_min,
                                      float to_max);

// Returns what |x| becomes.
int32_t berth_whole_shifted(const berth_whole_shift_t *shift, int64_t x);

#endif  // BERTH_CPU_OPS_WHOLE_H_
