// quant.h - Loops that round numbers to steps, for several instruction sets.
//
// Pure functions behind a constant table per instruction set.
#ifndef BERTH_CPU_LOOPS_QUANT_H_
#define BERTH_CPU_LOOPS_QUANT_H_

#include <stdbool.h>
#include <stdint.h>

#include "cpu/isa.h"

// Columns that are rounded at once.
enum { BERTH_QUANT_COLUMNS = 64 };

// How the numbers of each column are rounded, as FakeQuant does:
//   floor((x - min) * inverse - zero + 1/2) * scale, x cut to [min, max]
typedef struct berth_quant_columns {
  float min[BERTH_QUANT_COLUMNS], max[BERTH_QUANT_COLUMNS];
  float inverse[BERTH_QUANT_COLUMNS], zero[BERTH_QUANT_COLUMNS];
  float scale[BERTH_QUANT_COLUMNS];
} berth_quant_columns_t;

// How all numbers are rounded, as QuantizeAndDequantize does:
//   round(x * scale) * inverse, x cut to [min, max]
typedef struct berth_quant_steps {
  float min, max, scale, inverse;
  bool rounds_to_even;  // Or halves up.
} berth_quant_steps_t;

typedef struct berth_quant_loops {
  // Rounds |n| numbers, one of each column.
  void (*columns)(const float *x, float *y, int64_t n,
                  const berth_quant_columns_t *columns);
  void (*steps)(const float *x, float *y, int64_t n,
                const berth_quant_steps_t *steps);
} berth_quant_loops_t;

BERTH_ISA_TABLE(berth_quant_loops_t, berth_cpu_quant_loops);

#endif  // BERTH_CPU_LOOPS_QUANT_H_
