// flow.h - What a program with conditionals and loops knows besides its steps.
//
// Such a program is a list of steps like any other, first in the order of
// order.h; then its straight parts are cut out as blocks (cut.h), which are
// programs of their own. What is left runs late, and while it runs every value
// and every step may be *dead*: not there, because a Switch has sent it the
// other way.
//
//   steps   [ … Enter Enter │ Merge … Switch … NextIteration Exit │ … ]
//   marks                   └ begin                               └ end
//
// A step with a dead input, data or control, is skipped and its outputs are
// dead; a Merge is dead when all inputs are. At the end of a loop the walk goes
// back to where it begins as long as some NextIteration is not dead; what that
// holds is what the Merge then finds. An Exit hands on the first value it gets
// that is not dead, and holds it when the loop is over.
//
// Immutable once the program is made.
#ifndef BERTH_EXEC_FLOW_H_
#define BERTH_EXEC_FLOW_H_

#include "exec/order.h"
#include "exec/run.h"

typedef struct berth_flow_step {
  uint8_t kind;           // berth_flow_kind_t.
  bool is_constant;       // An Enter that holds for all iterations.
  int32_t loop;           // Of Enter, Exit and NextIteration.
  int32_t next;           // The next one of these in the loop, or -1.
  int32_t first_control;  // Into |controls|: steps it waits for.
  int32_t control_count;
  int32_t fetch;  // Of a RETVAL: its place among the fetches.
  int32_t block;  // Of a BLOCK: which one.
} berth_flow_step_t;

// A straight part of the program. Its step's first inputs are fed to it, the
// others it knows if they are not dead; the outputs are what it fetches.
typedef struct berth_block {
  berth_program_t *program;  // Owned.
  // Devices work with memory of the host that comes in or goes out.
  bool is_waited_for;
} berth_block_t;

// Where a loop begins to repeat, before |step|, or ends.
typedef struct berth_flow_mark {
  int32_t step;
  int32_t loop;
  bool is_end;
} berth_flow_mark_t;

typedef struct berth_flow_loop {
  int32_t begin, end;  // Marks.
  int32_t first;       // Of its Enters, Exits and NextIterations; -1: none.
} berth_flow_loop_t;

struct berth_flow {
  berth_flow_step_t *steps;
  size_t step_count, step_capacity;
  int32_t *controls;
  size_t control_count, control_capacity;
  berth_flow_mark_t *marks;
  size_t mark_count, mark_capacity;
  berth_flow_loop_t *loops;
  int loop_count;
  berth_block_t *blocks;
  int block_count;
  bool has_shares;   // Some value may share a variable's memory (share.h).
  int32_t *step_of;  // By node: its step, or -1. NULL once the program is
                     // made.
};

// Makes what a program in |order| will need; NULL when memory is short.
berth_flow_t *berth_flow_create(const berth_order_t *order, int node_count);
// The same, without steps of nodes, for so many loops and blocks.
berth_flow_t *berth_flow_new(int loop_count, int block_count);
// Destroys the blocks too, which nobody runs. NULL is fine.
void berth_flow_destroy(berth_flow_t *flow);

// Notes that the next step of |program| is |step|, of |kind|, and what it waits
// for.
BERTH_NODISCARD berth_code_t berth_flow_add(berth_program_t *program,
                                            const berth_order_t *order,
                                            const berth_step_t *step,
                                            berth_flow_kind_t kind,
                                            berth_error_t *err);

// Notes where a loop begins or ends: before the next step of |program|.
BERTH_NODISCARD berth_code_t berth_flow_mark(berth_program_t *program,
                                             int32_t item, berth_error_t *err);

// Frees what only the making of a program needs.
void berth_flow_finish(berth_flow_t *flow);

// True when the outputs of |step| may be dead: it waits for something.
bool berth_flow_is_gated(const berth_program_t *program,
                         const berth_step_t *step, const int32_t *slots);

// Fills |step| with one that takes a value out of the middle of a loop, to be
// fetched; its node, called |label|, is made in |arena|. False when memory is
// short.
bool berth_flow_retval_step(const char *label, berth_dtype_t dtype,
                            berth_arena_t *arena, berth_step_t *step);

// Returns the place of fetch |index| among all fetches in the order of their
// names, by which TensorFlow numbers them in messages.
int berth_flow_fetch_place(const berth_program_t *program, int index);

#endif  // BERTH_EXEC_FLOW_H_
