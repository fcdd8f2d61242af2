// move_loops.h - Transposition of planes, for several instruction sets.
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

#endif  // BERTH_CPU_LOOPS_MOVE_LOOPS_H_
