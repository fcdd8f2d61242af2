// move.h - Ops that only move elements: slices, joins, cuts, repetitions.
//
// The work of such an op is one or more moves, each a nest of loops with a step
// for the source and one for the target per level:
//
//   for i in levels[0].count: for j in levels[1].count: …
//     to[to_offset + i * levels[0].to_step + j * levels[1].to_step …] =
//         from[from_offset + i * levels[0].from_step + …]
//
// A step of 0 in the source repeats (tile), a negative one reverses. Families
// describe a move as a berth_move_spec_t, with as many levels as come to mind;
// what they add to a berth_moves_t has lost levels of one index, and levels
// that are contiguous on both sides are one:
//
//   slice rows 2..5 of [8,4] floats      one level of 12
//   concat of [3,2] and [3,5], axis 1    two levels, 3 by 2 and 3 by 5
//   transpose [m,n]                      two levels
//
// Threads: a description is immutable once made.
#ifndef BERTH_OP_MOVE_H_
#define BERTH_OP_MOVE_H_

#include "op/case.h"

// Tiles have two levels per dimension.
enum { BERTH_MOVE_MAX_RANK = 2 * BERTH_MAX_RANK };

// A nest of loops as a family writes it. Steps and offsets are in elements.
typedef struct berth_move_spec {
  int32_t rank;
  int64_t from_offset, to_offset;
  int64_t dims[BERTH_MOVE_MAX_RANK];
  int64_t from_steps[BERTH_MOVE_MAX_RANK];
  int64_t to_steps[BERTH_MOVE_MAX_RANK];
} berth_move_spec_t;

// A level of loops, in elements.
typedef struct berth_move_level {
  int64_t count;
  int64_t from_step, to_step;
} berth_move_level_t;

// One move. It has elements.
typedef struct berth_move berth_move_t;
struct berth_move {
  const berth_move_t *next;
  // Indices into the arguments of run: an input, input_count + an output.
  int32_t from_arg, to_arg;
  int64_t size;  // Of an element, in bytes.
  int64_t from_offset, to_offset;
  int32_t level_count;
  berth_move_level_t levels[];  // The outermost first; of two indices or more.
};

// All moves of an op, in the order they were added. None: outputs without
// elements, or an alias.
typedef struct berth_moves {
  berth_dtype_t dtype;
  int32_t count;
  const berth_move_t *first;
  const berth_move_t **end;  // Where the next one goes.
} berth_moves_t;

// How a family of them is asked: checks |op|, sets its outputs and describes
// the work in |*out_moves|, which must not be copied.
typedef berth_code_t (*berth_moves_fn)(berth_case_t *op,
                                       berth_moves_t *out_moves,
                                       berth_error_t *err);

// Makes |moves| empty.
void berth_moves_init(berth_moves_t *moves, berth_dtype_t dtype);

// Adds the move that |spec| says, which is used up, unless it has no elements.
// Fails with BERTH_RESOURCE_EXHAUSTED when memory is short.
BERTH_NODISCARD berth_code_t berth_moves_add(berth_case_t *op,
                                             berth_moves_t *moves,
                                             berth_move_spec_t *spec,
                                             int from_arg, int to_arg,
                                             berth_error_t *err);

// Puts the moves of |rest| behind those of |moves|; |rest| is used up.
void berth_moves_join(berth_moves_t *moves, berth_moves_t *rest);

// Returns what is wrong with |moves| of |op|, whose outputs are set, or NULL: a
// level of one index, an argument that is none, a place outside of its tensor.
// For assertions.
const char *berth_moves_check(const berth_case_t *op,
                              const berth_moves_t *moves);

// Sets |steps| to those of |dims| as they lie in memory: the last is 1.
void berth_move_steps(berth_dims_t dims, int64_t *steps);

#endif  // BERTH_OP_MOVE_H_
