// move_loops.h - Transposition of planes, and rows of units with steps, for
// several instruction sets.
#ifndef BERTH_CPU_LOOPS_MOVE_LOOPS_H_
#define BERTH_CPU_LOOPS_MOVE_LOOPS_H_

#include <stdbool.h>
#include <stdint.h>

#include "cpu/isa.h"

// Writes the transposition of a plane:
//   to[c * to_step + r * size] = from[r * from_step + c * size]
// for r below |rows| and c below |cols|; steps in bytes. |streams| writes past
// the caches where lines are whole, and ends with a fence.
typedef void (*berth_transpose_fn)(const char *from, int64_t from_step,
                                   char *to, int64_t to_step, int64_t rows,
                                   int64_t cols, bool streams);

// By the element size: 1, 2, 4, 8, 16 bytes.
typedef struct berth_move_loops {
  berth_transpose_fn transpose[5];
} berth_move_loops_t;

BERTH_ISA_TABLE(berth_move_loops_t, berth_cpu_move_loops);

// A level of loops, in bytes.
typedef struct berth_cpu_move_level {
  int64_t count;
  int64_t from_step, to_step;
} berth_cpu_move_level_t;

// Copies |outer.count| rows of |inner.count| units each.
typedef void (*berth_rows_fn)(const char *from, char *to, int64_t unit,
                              berth_cpu_move_level_t inner,
                              berth_cpu_move_level_t outer);

typedef struct berth_row_loops {
  berth_rows_fn elements[5];  // Units of 1, 2, 4, 8, 16 bytes.
  // Units of more than 2, 4, 8, 16, 32 bytes, and at most twice as many.
  berth_rows_fn blocks[5];
} berth_row_loops_t;

BERTH_ISA_TABLE(berth_row_loops_t, berth_cpu_row_loops);

#endif  // BERTH_CPU_LOOPS_MOVE_LOOPS_H_
