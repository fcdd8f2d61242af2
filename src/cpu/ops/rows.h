// rows.h - Walking the rows of inputs that broadcast.
//
// A row is the innermost level of a berth_broadcast_t.
#ifndef BERTH_CPU_OPS_ROWS_H_
#define BERTH_CPU_OPS_ROWS_H_

#include "op/broadcast.h"

// Where a walk over the rows stands: offsets of the inputs in elements, and the
// index in each outer level.
typedef struct berth_rows {
  int64_t offsets[BERTH_BROADCAST_MAX];
  int64_t index[BERTH_MAX_RANK];
} berth_rows_t;

// Goes to row |row|.
void berth_rows_start(const berth_broadcast_t *broadcast, int64_t row,
                      berth_rows_t *walk);

// Goes to the next row; from the last one to the first.
void berth_rows_next(const berth_broadcast_t *broadcast, berth_rows_t *walk);

#endif  // BERTH_CPU_OPS_ROWS_H_
