// cast_int.cu - Kernels that convert integers and bool.
#include "cuda/ops/cast.cuh"

#define TO_BITS(from)      \
  BERTH_CAST(from, i8, x)  \
  BERTH_CAST(from, i16, x) \
  BERTH_CAST(from, i32, x) \
  BERTH_CAST(from, i64, x)

#define TO_FLOATS(from)     \
  BERTH_CAST(from, f16, x)  \
  BERTH_CAST(from, bf16, x) \
  BERTH_CAST(from, f32, x)  \
  BERTH_CAST_TO_REAL(from, x)

#define CASTS(from)            \
  TO_BITS(from)                \
  TO_FLOATS(from)              \
  BERTH_CAST(from, b8, x != 0) \
  BERTH_CAST(from, i4, x)      \
  BERTH_CAST(from, u4, x)

CASTS(i8)
CASTS(i16)
CASTS(i32)
CASTS(i64)
CASTS(u8)
CASTS(u16)
CASTS(u32)
CASTS(u64)
TO_BITS(b8)
TO_FLOATS(b8)
TO_BITS(i4)
BERTH_CAST(i4, u4, x)
TO_BITS(u4)
BERTH_CAST(u4, i4, x)
