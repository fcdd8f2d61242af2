// cut.h - Cutting a program with conditionals and loops into blocks.
//
// A *block* is a straight part of such a program: steps with equal guards
// (guard.h), in one loop, with nothing between them that waits or decides. It
// becomes a program of its own, with layouts by the shapes that enter it, and
// one step of the outer program stands for it:
//
//   steps   [ a b │ Switch │ c d e │ f │ Merge │ g h ]
//   blocks  [  B0   Switch    B1    B2   Merge   B3  ]
//
// What is no part of a block: what decides, hands on or waits, and what takes
// references. Where order may be chosen, steps of one guard come together;
// what touches state keeps its order.
//
// Only memory that a reference stands for makes a difference between a step in
// a block and one outside: a value that shares it (share.h) is renewed when it
// is used, which is told where a block begins. So what is read through a
// reference inside of a block stays there; where it would leave, it is read
// outside.
#ifndef BERTH_EXEC_CUT_H_
#define BERTH_EXEC_CUT_H_

#include "exec/program.h"

// Where to cut.
typedef struct berth_cuts {
  const int32_t *items;  // Steps in order, blocks in one piece; below 0: marks,
  int count;             // as berth_order_mark() has them.
  const int32_t *block_of;  // By step: its block, or -1.
  int block_count;
  // By step: a gate that only steps of blocks use. It is no item: they look at
  // what it waits for themselves.
  const bool *is_seen_through;
} berth_cuts_t;

// Cuts |program|, which has a flow, and whose uses and segments are not built
// yet. Fails with BERTH_RESOURCE_EXHAUSTED alone.
BERTH_NODISCARD berth_code_t berth_program_cut(berth_program_t *program,
                                               berth_error_t *err);

// block.c: makes the blocks of |program| that |cuts| says, and the steps of it
// that stand for them.
BERTH_NODISCARD berth_code_t berth_blocks_make(berth_program_t *program,
                                               const berth_cuts_t *cuts,
                                               berth_error_t *err);

#endif  // BERTH_EXEC_CUT_H_
