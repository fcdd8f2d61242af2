// unary_int.cu - Kernels of ops with one input: integers and bool.
//
// Integers wrap. int32 has no kernels: TensorFlow computes with it on the host.
#include "cuda/ops/elementwise.cuh"

#define UNSIGNED(type, pack)                                \
  BERTH_UNARY(square, type, pack, (uint64_t)x *(uint64_t)x) \
  BERTH_UNARY(relu, type, pack, x)

#define SIGNED(type, pack)                                            \
  BERTH_UNARY(neg, type, pack, 0 - (uint64_t)x)                       \
  BERTH_UNARY(abs, type, pack, x < 0 ? 0 - (uint64_t)x : (uint64_t)x) \
  BERTH_UNARY(square, type, pack, (uint64_t)x *(uint64_t)x)           \
  BERTH_UNARY(sign, type, pack, (x > 0) - (x < 0))                    \
  BERTH_UNARY(relu, type, pack, x > 0 ? x : 0)

SIGNED(i8, 16)
SIGNED(i16, 8)
SIGNED(i64, 2)
UNSIGNED(u8, 16)
UNSIGNED(u16, 8)
UNSIGNED(u32, 4)
UNSIGNED(u64, 2)
BERTH_UNARY(not, b8, 16, x == 0)
