// train_loops.c - Updates by optimisers of the types in lesser use.
//
// Compiled once, for any CPU.
#include <math.h>

#include "cpu/loops/train.h"
#include "op/train_steps.h"
#include "tensor/complex.h"
#include "tensor/half.h"

// ---- Half and bfloat16: computed in float, each step rounded ----

#define ADD(x, y) ROUND((x) + (y))
#define SUB(x, y) ROUND((x) - (y))
#define MUL(x, y) ROUND((x) * (y))
#define DIV(x, y) ROUND((x) / (y))
#define SQRT(x) ROUND(sqrtf(x))
#define RSQRT(x) ROUND(1 / SQRT(x))
#define CONST(x) ((float)(x))
#define ABOVE(x, y) ((x) > (y))
#define SIGN(x) ((float)(((x) > 0) - ((x) < 0)))
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
#define ABS(x) fabsf(x)
#define POW(x, y) ROUND(powf(x, y))
#define EXP(x) ROUND(expf(x))
#define WHOLE(i) (*(const int64_t *)places->scalars[i])

static float round_half(float x) {
  return berth_half_to_float(berth_float_to_half(x));
}
static float round_bfloat16(float x) {
  return berth_bfloat16_to_float(berth_float_to_bfloat16(x));
}

#define ROUND round_half
#define SLOT HALF
#define STORED uint16_t
#define NUMBER float
#define LOAD berth_half_to_float
#define STORE berth_float_to_half
#define HINT
#define REAL_SLOT
#define TABLE const berth_train_fn berth_cpu_train_half[BERTH_TRAIN_COUNT]
#include "cpu/loops/train_slot.inc"

#undef ROUND
#define ROUND round_bfloat16
#define SLOT BFLOAT16
#define STORED uint16_t
#define NUMBER float
#define LOAD berth_bfloat16_to_float
#define STORE berth_float_to_bfloat16
#define HINT
#define REAL_SLOT
#define TABLE const berth_train_fn berth_cpu_train_bfloat16[BERTH_TRAIN_COUNT]
#include "cpu/loops/train_slot.inc"

// ---- Complex numbers ----

#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef SQRT
#undef RSQRT
#undef CONST
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define RSQRT(x) (1 / SQRT(x))
#define CONST(x) ((NUMBER)(x))
#define SAME(x) (x)

#define SQRT csqrtf
#define SLOT C64
#define STORED berth_complex64_t
#define NUMBER berth_complex64_t
#define LOAD SAME
#define STORE SAME
#define HINT
#define TABLE const berth_train_fn berth_cpu_train_c64[BERTH_TRAIN_COUNT]
#include "cpu/loops/train_slot.inc"

#undef SQRT
#define SQRT csqrt
#define SLOT C128
#define STORED berth_complex128_t
#define NUMBER berth_complex128_t
#define LOAD SAME
#define STORE SAME
#define HINT
#define TABLE const berth_train_fn berth_cpu_train_c128[BERTH_TRAIN_COUNT]
#include "cpu/loops/train_slot.inc"
