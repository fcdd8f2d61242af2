// special_vector.h - Loops of special functions of real numbers.
//
// Per instruction set; of float and double, half and bfloat16 being computed in
// float. Most are made in double alone, which floats go through in blocks.
#ifndef BERTH_CPU_LOOPS_SPECIAL_VECTOR_H_
#define BERTH_CPU_LOOPS_SPECIAL_VECTOR_H_

#include "cpu/isa.h"
#include "cpu/ops/sweep.h"

// Functions, and whether float has loops of its own.
#define BERTH_SPECIAL_LIST(OWN, SHARED) \
  OWN(asin)                             \
  OWN(acos)                             \
  OWN(atan)                             \
  OWN(atanh)                            \
  SHARED(asinh)                         \
  SHARED(acosh)                         \
  SHARED(erfinv)                        \
  SHARED(ndtri)                         \
  SHARED(bessel_i0e)                    \
  SHARED(bessel_i1e)                    \
  SHARED(bessel_k0e)                    \
  SHARED(bessel_k1e)                    \
  SHARED(fresnel_cos)                   \
  SHARED(fresnel_sin)                   \
  SHARED(dawsn)

// Functions that are others times e^x or e^-x: which, the sign, and what they
// are of infinities.
#define BERTH_SPECIAL_GROWN(GROWN)     \
  GROWN(bessel_i0, bessel_i0e, 1, NAN) \
  GROWN(bessel_i1, bessel_i1e, 1, NAN) \
  GROWN(bessel_k0, bessel_k0e, -1, 0)  \
  GROWN(bessel_k1, bessel_k1e, -1, 0)

// Waves, and the C library's functions for what is too far away for vectors.
#define BERTH_SPECIAL_WAVES(WAVE) \
  WAVE(bessel_j0, j0)             \
  WAVE(bessel_j1, j1)             \
  WAVE(bessel_y0, y0)             \
  WAVE(bessel_y1, y1)

typedef enum berth_special {
  BERTH_SPECIAL_none,
#define BERTH_SPECIAL_NAME(name) BERTH_SPECIAL_##name,
#define BERTH_SPECIAL_GROWN_NAME(name, of, sign, far) BERTH_SPECIAL_##name,
#define BERTH_SPECIAL_WAVE_NAME(name, far) BERTH_SPECIAL_##name,
  BERTH_SPECIAL_LIST(BERTH_SPECIAL_NAME, BERTH_SPECIAL_NAME)
      BERTH_SPECIAL_GROWN(BERTH_SPECIAL_GROWN_NAME)
          BERTH_SPECIAL_WAVES(BERTH_SPECIAL_WAVE_NAME)
#undef BERTH_SPECIAL_NAME
#undef BERTH_SPECIAL_WAVE_NAME
#undef BERTH_SPECIAL_GROWN_NAME
              BERTH_SPECIAL_COUNT
} berth_special_t;

// Functions of two arguments.
#define BERTH_SPECIAL_PAIRS(OWN) \
  OWN(xlog1py)                   \
  OWN(next_after)

typedef enum berth_special_pair {
  BERTH_PAIR_none,
#define BERTH_PAIR_NAME(name) BERTH_PAIR_##name,
  BERTH_SPECIAL_PAIRS(BERTH_PAIR_NAME)
#undef BERTH_PAIR_NAME
      BERTH_PAIR_COUNT
} berth_special_pair_t;

typedef struct berth_special_hot {
  // Loops of float take the function again, as a float, for their parameter.
  berth_loop_fn f32[BERTH_SPECIAL_COUNT];
  berth_loop_fn f64[BERTH_SPECIAL_COUNT];
  // Of finite numbers above 0.
  berth_loop_fn lgamma_f64, digamma_f64;
  berth_loops_t pair_f32[BERTH_PAIR_COUNT];
  berth_loops_t pair_f64[BERTH_PAIR_COUNT];
} berth_special_hot_t;

BERTH_ISA_TABLE(berth_special_hot_t, berth_cpu_special_hot);

#endif  // BERTH_CPU_LOOPS_SPECIAL_VECTOR_H_
