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

// How numbers become whole, as QuantizeV2 does: x cut to [min, max], less
// |shift|, times |scale|.
typedef enum berth_quant_how {
  BERTH_QUANT_TO_EVEN,  // Rounded, halves to even,
  BERTH_QUANT_AWAY,     // or away from 0; |behind| is added before.
  BERTH_QUANT_UP,       // Cut off behind a half that is added.
  BERTH_QUANT_MOVED     // Nothing is cut: x * scale is rounded away from 0,
                        // |behind| added, and that cut to [low, high].
} berth_quant_how_t;

typedef struct berth_quant_whole {
  berth_quant_how_t how;
  float min, max, shift, scale;
  double behind, low, high;
} berth_quant_whole_t;

// How whole numbers become fractions: (x + half) * step + first.
typedef struct berth_quant_line {
  float step, first, half;
} berth_quant_line_t;

typedef struct berth_quant_loops {
  // Rounds |n| numbers, one of each column.
  void (*columns)(const float *x, float *y, int64_t n,
                  const berth_quant_columns_t *columns);
  void (*steps)(const float *x, float *y, int64_t n,
                const berth_quant_steps_t *steps);
  // Makes |n| numbers whole, and fractions; |y| may be |x|.
  void (*whole)(const float *x, int32_t *y, int64_t n,
                const berth_quant_whole_t *how);
  void (*line)(const float *x, float *y, int64_t n,
               const berth_quant_line_t *line);
  // Finds the least and the largest number; NaN is passed over.
  void (*limits)(const float *x, int64_t n, float *min, float *max);
} berth_quant_loops_t;

BERTH_ISA_TABLE(berth_quant_loops_t, berth_cpu_quant_loops);

#endif  // BERTH_CPU_LOOPS_QUANT_H_
