// move.h - What a kernel does that only moves elements.
//
// Most ops on arrays only move elements: slices, concatenations, splits, tiles,
// transpositions. Each of them is one or more moves, a nest of loops with a
// step for the source and one for the target per level:
//
//   for i in dims[0]: for j in dims[1]: …
//     to[to_offset + to_steps · (i, j, …)] =
//         from[from_offset + from_steps · (i, j, …)]
//
// A step of 0 in the source repeats (tile), a negative one reverses. The CPU
// kernel of an op knows its moves; a backend that does moves in a way of its
// own hears them from it by leaving a sink in berth_prepare_t.
#ifndef BERTH_KERNEL_MOVE_H_
#define BERTH_KERNEL_MOVE_H_

#include "kernel/kernel.h"

// Tiles have two levels per dimension.
enum { BERTH_MOVE_MAX_RANK = 2 * BERTH_MAX_RANK };

// A nest of loops. Steps and offsets are in elements.
typedef struct berth_move_spec {
  int32_t rank;
  int64_t from_offset, to_offset;
  int64_t dims[BERTH_MOVE_MAX_RANK];
  int64_t from_steps[BERTH_MOVE_MAX_RANK];
  int64_t to_steps[BERTH_MOVE_MAX_RANK];
} berth_move_spec_t;

// Who hears of moves. Embedded at the start of whatever collects them.
struct berth_move_sink {
  // Hears of one move of elements of |dtype| from argument |from_arg| (an
  // input) to |to_arg| (input_count + an output). No level of |spec| has fewer
  // than two indices, and levels that are contiguous on both sides are one.
  berth_code_t (*add)(berth_move_sink_t *sink, const berth_move_spec_t *spec,
                      berth_dtype_t dtype, int from_arg, int to_arg,
                      berth_error_t *err);
};

#endif  // BERTH_KERNEL_MOVE_H_
