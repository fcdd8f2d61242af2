// move.h - Copies between two layouts of the same elements.
//
// Ops that only move elements describe their work as kernel/move.h says.
// Preparing a move drops levels of one, joins levels that are contiguous in
// both, and takes what remains contiguous innermost as one unit of bytes:
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
#include "kernel/move.h"
#include "kernel/types.h"

typedef struct berth_move berth_move_t;

// Copies |count| units of a row, stepping as the innermost level says.
typedef bool (*berth_move_row_fn)(const berth_move_t *move, const char *from,
                                  char *to);

// A level of loops, in bytes.
typedef struct berth_move_level {
  int64_t count;
  int64_t from_step, to_step;
} berth_move_level_t;

struct berth_move {
  int32_t from_arg, to_arg;  // Indices into the arguments of run.
  int64_t from_offset, to_offset;
  int64_t unit;  // Bytes that are contiguous in both.
  int64_t rows;  // Product of |levels|.
  berth_dtype_t dtype;
  bool streams;         // Past the caches.
  int32_t level_count;  // Outer levels.
  const berth_move_level_t *levels;
  berth_move_level_t inner;  // The innermost level; count 1: none.
  berth_move_row_fn row;
  // How the work is shared out: |piece| does an interval of |count|, at least
  // |grain| of them. NULL: it is not, because elements own something.
  berth_parallel_fn piece;
  int64_t count, grain;
  // Set for transpositions: the level in |levels| along which the source is
  // contiguous is |across|, and a row is a plane of tiles.
  berth_move_level_t across;
  void (*tiles)(const char *from, int64_t from_step, char *to, int64_t to_step,
                int64_t rows, int64_t cols, bool streams);
};

// The plan of a kernel that moves: parts, each from one argument to another.
typedef struct berth_moves {
  int32_t count;
  berth_move_t parts[];
} berth_moves_t;

// Begins a plan of up to |count| parts and sets |prepare->run|. NULL when
// memory is short.
berth_moves_t *berth_moves_begin(berth_prepare_t *prepare, int count);

// Adds a part that moves elements of |dtype| from argument |from_arg| (an
// input) to |to_arg| (input_count + an output). |spec| is used up.
// |total_bytes| is the size of the whole output, which decides whether to write
// past the caches. Where |prepare| has a sink the part goes there instead.
BERTH_NODISCARD berth_code_t berth_moves_add(berth_prepare_t *prepare,
                                             berth_moves_t *moves,
                                             berth_move_spec_t *spec,
                                             berth_dtype_t dtype, int from_arg,
                                             int to_arg, int64_t total_bytes,
                                             berth_error_t *err);

// Sets |prepare->run| to the fastest function for |moves|, and |prepare->work|.
// Call it after the last part.
void berth_moves_end(berth_prepare_t *prepare, berth_moves_t *moves);

// Begins and ends a plan of one part from input |from| to output 0.
BERTH_NODISCARD berth_code_t berth_moves_single(berth_prepare_t *prepare,
                                                berth_move_spec_t *spec,
                                                int from, berth_error_t *err);

// Makes a plan that moves nothing: outputs without elements. Shapes of such may
// have products that overflow, so steps must not be computed for them.
BERTH_NODISCARD berth_code_t berth_moves_none(berth_prepare_t *prepare,
                                              berth_error_t *err);

// Does one move; false when memory is short.
bool berth_move_run(const berth_move_t *move, const char *from, char *to);

// Fills |steps| with the steps of |dims| stored row by row, in elements.
void berth_move_steps(berth_dims_t dims, int64_t *steps);

#endif  // BERTH_CPU_OPS_MOVE_H_
