// walk.h - Where the elements of broadcast inputs are, for kernels.
//
// Dimensions along which all inputs go on the same way are one level:
//
//   [8,4] + [8,4]      one level of 32, steps 1 1
//   [8,4] + [4]        levels 4 (steps 1 1) and 8 (steps 4 0)
//   [8,4] + [8,1]      levels 4 (steps 1 0) and 8 (steps 4 1)
//
// Levels are stored innermost first; the output is contiguous. Element n of the
// output takes from each input the element at the sum of index times step over
// the levels.
//
// |granule| is a power of two: so many elements, from any multiple of it on,
// lie side by side in the output and in each input, or are one and the same
// element there. A kernel may take them as a whole where they are aligned too.
//
// With several levels there are fewer elements than BERTH_DIVIDE_LIMIT: larger
// walks are taken in parts (berth_walk_part()).
//
// Made when a kernel is prepared, passed to it by value. Constant.
#ifndef BERTH_CUDA_MATH_WALK_H_
#define BERTH_CUDA_MATH_WALK_H_

#include "cuda/math/divide.h"

#define BERTH_WALK_INPUTS 3
#define BERTH_WALK_LEVELS 8

typedef struct berth_walk_level {
  uint64_t count;
  int64_t steps[BERTH_WALK_INPUTS];  // In elements; 0 where it repeats.
  berth_divider_t by;                // |count|; of several levels.
} berth_walk_level_t;

typedef struct berth_walk {
  uint64_t count;  // Elements of the output.
  uint32_t level_count;
  uint32_t granule;
  berth_walk_level_t levels[BERTH_WALK_LEVELS];
} berth_walk_t;

#endif  // BERTH_CUDA_MATH_WALK_H_
