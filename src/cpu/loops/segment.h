// segment.h - Rows of floats that belong to one segment.
//
// TensorFlow joins rows one behind the other: sums made in another order would
// have other bits. Among the largest and smallest a number joins what is there
// as "what is there, where it is larger, else the number", NaN or not. Where
// the ids are in order, though, TensorFlow goes through eight columns at a time
// and sees no NaN in these; the columns behind them are as others.
//
// Thread-safe: nothing is kept between calls.
#ifndef BERTH_CPU_LOOPS_SEGMENT_H_
#define BERTH_CPU_LOOPS_SEGMENT_H_

#include <stdint.h>

#include "cpu/isa.h"

typedef enum berth_segment_op {
  BERTH_SEGMENT_ADD,
  BERTH_SEGMENT_MUL,
  BERTH_SEGMENT_MAX,
  BERTH_SEGMENT_MIN,
  BERTH_SEGMENT_OPS,
} berth_segment_op_t;

// Joins |rows| rows of |cols| numbers with those at |acc|, the first row of the
// segment.
typedef void (*berth_segment_rows_fn)(const void *in, int64_t rows,
                                      int64_t cols, void *acc);

// Stores the sum of the |rows| rows of |in|, at least one, that |places| says.
typedef void (*berth_segment_gather_fn)(const float *in, const void *places,
                                        int64_t rows, int64_t cols, float *out);

typedef struct berth_segment_loops {
  berth_segment_rows_fn rows[BERTH_SEGMENT_OPS];
  berth_segment_gather_fn gather[2];  // Places of 32 bits, and of 64.
} berth_segment_loops_t;

BERTH_ISA_TABLE(berth_segment_loops_t, berth_cpu_segment_loops);

#endif  // BERTH_CPU_LOOPS_SEGMENT_H_
