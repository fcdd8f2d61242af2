// pool_loops.c - The loops of pooling for all types but float.
#include <float.h>

#include "cpu/loops/pool_walk.h"
#include "tensor/half.h"

// One walk through rows for all types: what is done with a window is a call.
static BERTH_NOINLINE void fill_rows(const berth_window_t *window,
                                     const void *in, void *out, int64_t begin,
                                     int64_t end, size_t size,
                                     berth_pooling_join_fn join) {
  berth_pooling_rows(window, in, out, begin, end, size, false, join);
}

#define PLAIN(x) (x)

#define POOL_MEANS

#define POOL f64
#define POOL_T double
#define POOL_W double
#define POOL_LOAD PLAIN
#define POOL_STORE PLAIN
#define POOL_ROUND PLAIN
#define POOL_LOWEST (-DBL_MAX)
#include "cpu/loops/pool_template.inc"

#define POOL half
#define POOL_T uint16_t
#define POOL_W float
#define POOL_LOAD berth_half_to_float
#define POOL_STORE berth_float_to_half
#define POOL_ROUND(x) berth_half_to_float(berth_float_to_half(x))
#define POOL_LOWEST (-65504.0f)
#include "cpu/loops/pool_template.inc"

#define POOL bfloat16
#define POOL_T uint16_t
#define POOL_W float
#define POOL_LOAD berth_bfloat16_to_float
#define POOL_STORE berth_float_to_bfloat16
#define POOL_ROUND(x) berth_bfloat16_to_float(berth_float_to_bfloat16(x))
#define POOL_LOWEST (-0x1.fep127f)
#include "cpu/loops/pool_template.inc"

#undef POOL_MEANS

// Sums of integers are cut off.
#define POOL i8
#define POOL_T int8_t
#define POOL_W int8_t
#define POOL_LOAD PLAIN
#define POOL_STORE(x) ((int8_t)(x))
#define POOL_LOWEST INT8_MIN
#include "cpu/loops/pool_template.inc"

#define POOL u8
#define POOL_T uint8_t
#define POOL_W uint8_t
#define POOL_LOAD PLAIN
#define POOL_STORE(x) ((uint8_t)(x))
#define POOL_LOWEST 0
#include "cpu/loops/pool_template.inc"

#define POOL i16
#define POOL_T int16_t
#define POOL_W int16_t
#define POOL_LOAD PLAIN
#define POOL_STORE(x) ((int16_t)(x))
#define POOL_LOWEST INT16_MIN
#include "cpu/loops/pool_template.inc"

#define POOL u16
#define POOL_T uint16_t
#define POOL_W uint16_t
#define POOL_LOAD PLAIN
#define POOL_STORE(x) ((uint16_t)(x))
#define POOL_LOWEST 0
#include "cpu/loops/pool_template.inc"

#define POOL u32
#define POOL_T uint32_t
#define POOL_W uint32_t
#define POOL_LOAD PLAIN
#define POOL_STORE PLAIN
#define POOL_LOWEST 0
#include "cpu/loops/pool_template.inc"

#define POOL u64
#define POOL_T uint64_t
#define POOL_W uint64_t
#define POOL_LOAD PLAIN
#define POOL_STORE PLAIN
#define POOL_LOWEST 0
#include "cpu/loops/pool_template.inc"

// Sums may wrap around, which C says nothing of for these.
#define POOL_SUM(type, unsigned_t, x, y) \
  ((type)((unsigned_t)(x) + (unsigned_t)(y)))

#define POOL i32
#define POOL_T int32_t
#define POOL_W int32_t
#define POOL_LOAD PLAIN
#define POOL_STORE PLAIN
#define POOL_ADD(x, y) POOL_SUM(int32_t, uint32_t, x, y)
#define POOL_LOWEST INT32_MIN
#include "cpu/loops/pool_template.inc"

#define POOL i64
#define POOL_T int64_t
#define POOL_W int64_t
#define POOL_LOAD PLAIN
#define POOL_STORE PLAIN
#define POOL_ADD(x, y) POOL_SUM(int64_t, uint64_t, x, y)
#define POOL_LOWEST INT64_MIN
#include "cpu/loops/pool_template.inc"

const berth_pooling_loops_t *berth_pooling_loops(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_DOUBLE:
      return &loops_f64;
    case BERTH_HALF:
      return &loops_half;
    case BERTH_BFLOAT16:
      return &loops_bfloat16;
    case BERTH_INT8:
      return &loops_i8;
    case BERTH_UINT8:
      return &loops_u8;
    case BERTH_INT16:
      return &loops_i16;
    case BERTH_UINT16:
      return &loops_u16;
    case BERTH_INT32:
      return &loops_i32;
    case BERTH_UINT32:
      return &loops_u32;
    case BERTH_INT64:
      return &loops_i64;
    case BERTH_UINT64:
      return &loops_u64;
    default:
      return BERTH_ISA_PICK(berth_cpu_pool_f32_loops);
  }
}
