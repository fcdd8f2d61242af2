// strand.h - Several functions of floats, one after the other, in registers.
//
// A *strand* takes a run of elements through a list of functions, some vectors
// at a time, which stay in registers meanwhile: a store for each of the
// functions would take longer than the function. Each function is the one that
// the lists of room op have by its name, with the same bits.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_STRAND_H_
#define BERTH_CPU_LOOPS_STRAND_H_

#include <stdint.h>

#include "cpu/isa.h"

// Functions of the element x and another number y. Those with _OF have x as
// their second argument.
#define BERTH_STRAND_PAIRS(F) \
  F(ADD, x + y)               \
  F(SUB, x - y)               \
  F(SUB_OF, y - x)            \
  F(MUL, x *y)                \
  F(DIV, x / y)               \
  F(DIV_OF, y / x)            \
  F(MAX, larger(x, y))        \
  F(MAX_OF, larger(y, x))     \
  F(MIN, smaller(x, y))       \
  F(MIN_OF, smaller(y, x))    \
  F(LEAKY, leaky(x, y))

// Functions of the element alone.
#define BERTH_STRAND_SINGLES(F) \
  F(NEG, -x)                    \
  F(ABS, magnitude(x))          \
  F(SQUARE, x *x)               \
  F(RELU, positive(x))          \
  F(RELU6, up_to_six(x))

// Where y is: |_ONE| at one address for all elements, else as x is.
typedef enum berth_strand_code {
  BERTH_STRAND_NONE = 0,
#define F(name, expr) BERTH_STRAND_##name, BERTH_STRAND_##name##_ONE,
  BERTH_STRAND_PAIRS(F)
#undef F
#define F(name, expr) BERTH_STRAND_##name,
      BERTH_STRAND_SINGLES(F)
#undef F
} berth_strand_code_t;

typedef struct berth_strand {
  berth_strand_code_t code;
  const float *y;
} berth_strand_t;

// Does |count| elements of |x| into |out|, which may be |x| or one of the y.
typedef void (*berth_strand_fn)(const berth_strand_t *strands, int strand_count,
                                const float *x, float *out, int64_t count);

typedef struct berth_strand_loops {
  berth_strand_fn f32;
} berth_strand_loops_t;

BERTH_ISA_TABLE(berth_strand_loops_t, berth_cpu_strand_loops);

#endif  // BERTH_CPU_LOOPS_STRAND_H_
