// move.h - Copies between two layouts of the same elements.
//
// Preparing a move (op/move.h) takes what is contiguous innermost as one unit
// of bytes:
//
//   slice rows 2..5 of [8,4] floats      unit 48, no loop
//   concat of [3,2] and [3,5], axis 1    unit 8 and 20, one loop of 3
//   transpose [m,n]                      unit 4, two loops: a tiled kernel
//
// Element types do not matter but for strings, handles and variants, whose
// elements are copied as such.
//
// Threads: a prepared move is immutable.
#ifndef BERTH_CPU_OPS_MOVE_H_
#define BERTH_CPU_OPS_MOVE_H_

#include "base/parallel.h"
#include "cpu/loops/move_loops.h"
#include "kernel/kernel.h"
#include "op/move.h"
#include "op/types.h"

typedef struct berth_cpu_move berth_cpu_move_t;

// Copies the units of a row one by one, stepping as the innermost level says.
typedef bool (*berth_move_row_fn)(const berth_cpu_move_t *move,
                                  const char *from, char *to);

struct berth_cpu_move {
  int32_t from_arg, to_arg;  // Indices into the arguments of run.
  int64_t from_offset, to_offset;
  int64_t unit;  // Bytes that are contiguous in both.
  int64_t rows;  // Product of |levels|.
  berth_dtype_t dtype;
  bool streams;         // Past the caches.
  int32_t level_count;  // Outer levels.
  const berth_cpu_move_level_t *levels;
  berth_cpu_move_level_t inner;  // The innermost level; count 1: none.
  berth_rows_fn run;      // Copies rows that are a level; NULL: |row| does one.
  berth_move_row_fn row;  // NULL where |run| is set.
  // How the work is shared out: |piece| does an interval of |count|, at least
  // |grain| of them. NULL: it is not, because elements own something.
  berth_parallel_fn piece;
  int64_t count, grain;
  // Set for transpositions: the level in |levels| along which the source is
  // contiguous is |across|, and a row is a plane of tiles.
  berth_cpu_move_level_t across;
  void (*tiles)(const char *from, int64_t from_step, char *to, int64_t to_step,
                int64_t rows, int64_t cols, bool streams);
};

// The plan of a kernel that moves: parts, each from one argument to another.
typedef struct berth_cpu_moves {
  int32_t count;
  berth_cpu_move_t parts[];
} berth_cpu_moves_t;

// Does one move; false when memory is short, which happens to elements that own
// something alone.
bool berth_move_run(const berth_cpu_move_t *move, const char *from, char *to);

// Makes the plan of |moves| and sets |prepare->run|; nothing is done where
// there are none, or the output is an input. Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_cpu_moves_plan(berth_prepare_t *prepare,
                                                  const berth_moves_t *moves,
                                                  berth_error_t *err);

#endif  // BERTH_CPU_OPS_MOVE_H_
