// complex_vector.h - Loops of complex numbers that are vectors.
//
// Per instruction set; what is not here is in unary_loops.c and binary_loops.c.
#ifndef BERTH_CPU_LOOPS_COMPLEX_VECTOR_H_
#define BERTH_CPU_LOOPS_COMPLEX_VECTOR_H_

#include "cpu/isa.h"
#include "cpu/ops/sweep.h"
#include "op/scalar.h"

// Of one complex number, what no list of room op has.
typedef enum berth_complex_part {
  BERTH_PART_REAL,
  BERTH_PART_IMAG,
  BERTH_PART_ANGLE,
  BERTH_PART_ABS,
  BERTH_PART_CONJ,
  BERTH_PART_COUNT
} berth_complex_part_t;

// NULL: no such loop.
typedef struct berth_complex_loops {
  berth_loop_fn unary[BERTH_UNARY_COUNT];
  berth_loop_fn part[BERTH_PART_COUNT];
  berth_loops_t binary[BERTH_BINARY_COUNT];
  berth_loops_t xlog1py;
} berth_complex_loops_t;

typedef struct berth_complex_hot {
  berth_complex_loops_t c64, c128;
} berth_complex_hot_t;

BERTH_ISA_TABLE(berth_complex_hot_t, berth_cpu_complex_hot);

#endif  // BERTH_CPU_LOOPS_COMPLEX_VECTOR_H_
