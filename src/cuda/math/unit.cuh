// unit.cuh - Elements as kernels move them: by size, whatever their type.
#ifndef BERTH_CUDA_MATH_UNIT_CUH_
#define BERTH_CUDA_MATH_UNIT_CUH_

#include <stdint.h>

// What is moved at once; the number is that of its bytes. Addresses are aligned
// to it.
typedef uint8_t berth_unit_x1;
typedef uint16_t berth_unit_x2;
typedef uint32_t berth_unit_x4;
typedef uint64_t berth_unit_x8;
// A vector, which compilers load and store with one instruction.
typedef uint64_t berth_unit_x16 __attribute__((vector_size(16)));

// Repeats |DEFINE| for each size.
#define BERTH_EACH_UNIT(DEFINE) \
  DEFINE(x1)                    \
  DEFINE(x2)                    \
  DEFINE(x4)                    \
  DEFINE(x8)                    \
  DEFINE(x16)

#endif  // BERTH_CUDA_MATH_UNIT_CUH_
