// finish.c - From accumulators to results.
#include "cpu/loops/finish.h"

#include <stddef.h>

#include "tensor/half.h"

static float mean_float(float sum, int64_t divisor) {
  return sum / (float)divisor;
}

static float sum_float(float sum, int64_t divisor) {
  (void)divisor;
  return sum;
}

#define FINISH(name, A, T, EXPR)                                    \
  static void name(const void *acc, int64_t count, int64_t divisor, \
                   void *out) {                                     \
    for (int64_t i = 0; i < count; ++i) {                           \
      A sum = ((const A *)acc)[i];                                  \
      ((T *)out)[i] = (T)(EXPR);                                    \
    }                                                               \
  }

FINISH(sum_half, float, uint16_t, berth_float_to_half(sum_float(sum, divisor)))
FINISH(sum_bfloat16, float, uint16_t,
       berth_float_to_bfloat16(sum_float(sum, divisor)))
FINISH(mean_half, float, uint16_t,
       berth_float_to_half(mean_float(sum, divisor)))
FINISH(mean_bfloat16, float, uint16_t,
       berth_float_to_bfloat16(mean_float(sum, divisor)))
FINISH(mean_f32, float, float, mean_float(sum, divisor))
FINISH(mean_f64, double, double, sum / (double)divisor)
FINISH(mean_part32, float, float, divisor == 0 ? 0 : mean_float(sum, divisor))
FINISH(mean_part64, double, double, divisor == 0 ? 0 : sum / (double)divisor)
FINISH(mean_i8, int64_t, int8_t, divisor == 0 ? 0 : sum / divisor)
FINISH(mean_i16, int64_t, int16_t, divisor == 0 ? 0 : sum / divisor)
FINISH(mean_i32, int64_t, int32_t, divisor == 0 ? 0 : sum / divisor)
FINISH(mean_i64, int64_t, int64_t, divisor == 0 ? 0 : sum / divisor)
FINISH(mean_u8, uint64_t, uint8_t, divisor == 0 ? 0 : sum / (uint64_t)divisor)
FINISH(mean_u16, uint64_t, uint16_t, divisor == 0 ? 0 : sum / (uint64_t)divisor)
FINISH(mean_u32, uint64_t, uint32_t, divisor == 0 ? 0 : sum / (uint64_t)divisor)
FINISH(mean_u64, uint64_t, uint64_t, divisor == 0 ? 0 : sum / (uint64_t)divisor)

static void mean_c64(const void *acc, int64_t count, int64_t divisor,
                     void *out) {
  mean_part32(acc, 2 * count, divisor, out);
}

static void mean_c128(const void *acc, int64_t count, int64_t divisor,
                      void *out) {
  mean_part64(acc, 2 * count, divisor, out);
}

static berth_finish_fn mean_find(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return mean_f32;
    case BERTH_DOUBLE:
      return mean_f64;
    case BERTH_HALF:
      return mean_half;
    case BERTH_BFLOAT16:
      return mean_bfloat16;
    case BERTH_COMPLEX64:
      return mean_c64;
    case BERTH_COMPLEX128:
      return mean_c128;
    case BERTH_INT8:
      return mean_i8;
    case BERTH_INT16:
      return mean_i16;
    case BERTH_INT32:
      return mean_i32;
    case BERTH_INT64:
      return mean_i64;
    case BERTH_UINT8:
      return mean_u8;
    case BERTH_UINT16:
      return mean_u16;
    case BERTH_UINT32:
      return mean_u32;
    default:
      return mean_u64;
  }
}

berth_finish_fn berth_finish_find(berth_dtype_t dtype, bool is_mean) {
  if (is_mean) return mean_find(dtype);
  if (dtype == BERTH_HALF) return sum_half;
  if (dtype == BERTH_BFLOAT16) return sum_bfloat16;
  return NULL;
}
