// move_internal.h - What running and planning a move share.
#ifndef BERTH_CPU_OPS_MOVE_INTERNAL_H_
#define BERTH_CPU_OPS_MOVE_INTERNAL_H_

#include "cpu/ops/move.h"

enum {
  BERTH_MOVE_BYTES_PER_NS = 8,   // Of a copy; a rough figure.
  BERTH_MOVE_STREAM_UNIT = 256,  // Shorter units are not worth streaming.
};

// Returns the index of an element size that has loops of its own, or -1.
int berth_move_size_class(int64_t unit);

// True when a row is one element again and again.
bool berth_move_repeats(const berth_cpu_move_t *move);

// Chooses the function for rows of |move|.
void berth_move_choose_row(berth_cpu_move_t *move);

// Says what is shared out among threads: strips, bytes, parts of the only row,
// or rows; how many there are, and how many make a piece worth the trouble.
void berth_move_choose_piece(berth_cpu_move_t *move);

#endif  // BERTH_CPU_OPS_MOVE_INTERNAL_H_
