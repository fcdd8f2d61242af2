// ending.h - What is done to floats in registers before they are stored.
//
// A product or a convolution that something simple follows need not be read and
// written again: for each element x of the output
//
//   x = x + row[column]     where there is a row
//   x = x + other           where there is another output to add
//   x = relu(x) or relu6(x)
//
// with the bits that the steps have alone.
//
// Immutable.
#ifndef BERTH_CPU_LOOPS_ENDING_H_
#define BERTH_CPU_LOOPS_ENDING_H_

#include <stddef.h>
#include <stdint.h>

typedef enum berth_clamp {
  BERTH_CLAMP_NONE = 0,
  BERTH_CLAMP_RELU,
  BERTH_CLAMP_RELU6,
} berth_clamp_t;

typedef struct berth_ending {
  const float *row;    // Of the first column of what is computed; or NULL.
  const float *other;  // It lies as the output does; or NULL.
  berth_clamp_t clamp;
} berth_ending_t;

// Returns |ending| for what begins |at| elements behind the begin of the output,
// in column |column|.
static inline berth_ending_t berth_ending_at(const berth_ending_t *ending,
                                             int64_t at, int64_t column) {
  berth_ending_t moved = *ending;
  if (moved.row != NULL) moved.row += column;
  if (moved.other != NULL) moved.other += at;
  return moved;
}

// Returns |x|, element |at| of column |column|, as it ends.
static inline float berth_ending_one(const berth_ending_t *ending, float x,
                                     int64_t at, int64_t column) {
  if (ending->row != NULL) x += ending->row[column];
  if (ending->other != NULL) x += ending->other[at];
  if (ending->clamp == BERTH_CLAMP_RELU6) x = 6 <= x ? 6 : x;
  return ending->clamp != BERTH_CLAMP_NONE && x <= 0 ? 0 : x;
}

#endif  // BERTH_CPU_LOOPS_ENDING_H_
