// fold_loops.c - Reductions of the rarer types.
#include <stddef.h>

#include "cpu/loops/fold_template.h"

// Short integers are computed as int: the result is cut to what wraps.
#define ADD_8(a, b) ((uint8_t)((a) + (b)))
#define ADD_16(a, b) ((uint16_t)((a) + (b)))
#define TIMES_8(a, b) ((uint8_t)((a) * (b)))
#define TIMES_16(a, b) ((uint16_t)((uint32_t)(a) * (b)))
#define TO_64(x) ((uint64_t)(int64_t)(x))

FOLD(sum_u8, uint8_t, uint8_t, FOLD_SAME, ADD_8, 0)
FOLD(sum_u16, uint16_t, uint16_t, FOLD_SAME, ADD_16, 0)
FOLD(prod_u8, uint8_t, uint8_t, FOLD_SAME, TIMES_8, 1)
FOLD(prod_u16, uint16_t, uint16_t, FOLD_SAME, TIMES_16, 1)

FOLD(max_i8, int8_t, int8_t, FOLD_SAME, FOLD_LARGER, INT8_MIN)
FOLD(max_u8, uint8_t, uint8_t, FOLD_SAME, FOLD_LARGER, 0)
FOLD(max_i16, int16_t, int16_t, FOLD_SAME, FOLD_LARGER, INT16_MIN)
FOLD(max_u16, uint16_t, uint16_t, FOLD_SAME, FOLD_LARGER, 0)
FOLD(max_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_LARGER, 0)
FOLD(max_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_LARGER, 0)

FOLD(min_i8, int8_t, int8_t, FOLD_SAME, FOLD_SMALLER, INT8_MAX)
FOLD(min_u8, uint8_t, uint8_t, FOLD_SAME, FOLD_SMALLER, UINT8_MAX)
FOLD(min_i16, int16_t, int16_t, FOLD_SAME, FOLD_SMALLER, INT16_MAX)
FOLD(min_u16, uint16_t, uint16_t, FOLD_SAME, FOLD_SMALLER, UINT16_MAX)
FOLD(min_u32, uint32_t, uint32_t, FOLD_SAME, FOLD_SMALLER, UINT32_MAX)
FOLD(min_u64, uint64_t, uint64_t, FOLD_SAME, FOLD_SMALLER, UINT64_MAX)

FOLD(wide_i8, int8_t, uint64_t, TO_64, FOLD_ADD, 0)
FOLD(wide_u8, uint8_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)
FOLD(wide_i16, int16_t, uint64_t, TO_64, FOLD_ADD, 0)
FOLD(wide_u16, uint16_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)
FOLD(wide_i32, int32_t, uint64_t, TO_64, FOLD_ADD, 0)
FOLD(wide_u32, uint32_t, uint64_t, FOLD_SAME, FOLD_ADD, 0)

// Complex numbers as pairs: C's own product would care for infinities, at the
// cost of a call.
typedef struct c64 {
  float re, im;
} c64_t;
typedef struct c128 {
  double re, im;
} c128_t;

static c64_t c64_times(c64_t a, c64_t b) {
  return (c64_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static c128_t c128_times(c128_t a, c128_t b) {
  return (c128_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

FOLD(prod_c64, c64_t, c64_t, FOLD_SAME, c64_times, ((c64_t){1, 0}))
FOLD(prod_c128, c128_t, c128_t, FOLD_SAME, c128_times, ((c128_t){1, 0}))

const berth_folds_t berth_cpu_rare_folds = {
    .of =
        {
            [BERTH_FOLD_SUM] = {[BERTH_FOLD_U8] = FOLD_ENTRY(sum_u8),
                                [BERTH_FOLD_U16] = FOLD_ENTRY(sum_u16)},
            [BERTH_FOLD_PROD] = {[BERTH_FOLD_U8] = FOLD_ENTRY(prod_u8),
                                 [BERTH_FOLD_U16] = FOLD_ENTRY(prod_u16),
                                 [BERTH_FOLD_C64] = FOLD_ENTRY(prod_c64),
                                 [BERTH_FOLD_C128] = FOLD_ENTRY(prod_c128)},
            [BERTH_FOLD_MAX] = {[BERTH_FOLD_I8] = FOLD_ENTRY(max_i8),
                                [BERTH_FOLD_U8] = FOLD_ENTRY(max_u8),
                                [BERTH_FOLD_I16] = FOLD_ENTRY(max_i16),
                                [BERTH_FOLD_U16] = FOLD_ENTRY(max_u16),
                                [BERTH_FOLD_U32] = FOLD_ENTRY(max_u32),
                                [BERTH_FOLD_U64] = FOLD_ENTRY(max_u64)},
            [BERTH_FOLD_MIN] = {[BERTH_FOLD_I8] = FOLD_ENTRY(min_i8),
                                [BERTH_FOLD_U8] = FOLD_ENTRY(min_u8),
                                [BERTH_FOLD_I16] = FOLD_ENTRY(min_i16),
                                [BERTH_FOLD_U16] = FOLD_ENTRY(min_u16),
                                [BERTH_FOLD_U32] = FOLD_ENTRY(min_u32),
                                [BERTH_FOLD_U64] = FOLD_ENTRY(min_u64)},
            [BERTH_FOLD_WIDE_SUM] = {[BERTH_FOLD_I8] = FOLD_ENTRY(wide_i8),
                                     [BERTH_FOLD_U8] = FOLD_ENTRY(wide_u8),
                                     [BERTH_FOLD_I16] = FOLD_ENTRY(wide_i16),
                                     [BERTH_FOLD_U16] = FOLD_ENTRY(wide_u16),
                                     [BERTH_FOLD_I32] = FOLD_ENTRY(wide_i32),
                                     [BERTH_FOLD_U32] = FOLD_ENTRY(wide_u32)},
        },
    .squares = NULL};
