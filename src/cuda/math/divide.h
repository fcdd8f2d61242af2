// divide.h - Division by a number that is known when a kernel is prepared.
//
// Cards have no instruction for it: a plain division costs dozens of them, a
// multiplication and a shift a handful. Whoever makes a plan prepares the
// divisor; kernels divide by it.
//
// Pure functions; for sources of kernels and of plans alike.
#ifndef BERTH_CUDA_MATH_DIVIDE_H_
#define BERTH_CUDA_MATH_DIVIDE_H_

#include <stdint.h>

typedef struct berth_divider {
  uint32_t divisor;
  uint32_t multiplier;
  uint32_t shift;
} berth_divider_t;

// What may be divided, and divided by: less than this.
#define BERTH_DIVIDE_LIMIT (UINT64_C(1) << 31)

// Returns |n| / |by|. Both are 32 bits wide and below BERTH_DIVIDE_LIMIT, so
// that the sum does not overflow.
#define BERTH_DIVIDE(n, by)                                               \
  (((uint32_t)((uint64_t)(n) * (by).multiplier >> 32) + (uint32_t)(n)) >> \
   (by).shift)

// Prepares division by |divisor|, which is not 0. With s the shift, 2^s the
// next power of two, multiplier / 2^32 + 1 is 2^s / divisor, rounded up.
static inline berth_divider_t berth_divider(uint64_t divisor) {
  berth_divider_t by;
  by.divisor = (uint32_t)divisor;
  by.shift = 0;
  while ((UINT64_C(1) << by.shift) < divisor) ++by.shift;
  uint64_t rest = (UINT64_C(1) << by.shift) - divisor;
  by.multiplier = (uint32_t)((rest << 32) / divisor + 1);
  return by;
}

#endif  // BERTH_CUDA_MATH_DIVIDE_H_
