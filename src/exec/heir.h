// heir.h - Results that take over the memory of what they are made of.
//
// What goes round a loop is fed to a block and comes out of it changed: a sum
// that grows, the state of a network. Where the step that makes a result is the
// only one that reads a feed of its shape, and may write over it, the result is an
// *heir* of that feed. A run that is given such a feed, memory that the loop has
// made itself and that nobody else will look at, makes no other.
//
//   acc ──feed──> Add ──fetch──> acc'      one tensor, iteration after iteration
//
// A list that goes round and is set in the block is such a feed too: the kernel
// changes the one that there is, if nobody else has it (berth_call_t.given).
//
// Threads: none of its own.
#ifndef BERTH_EXEC_HEIR_H_
#define BERTH_EXEC_HEIR_H_

#include "exec/layout.h"

// Finds the heirs of |layout|, whose steps are planned as |plans| say and whose
// slots have their storage.
void berth_heirs_find(berth_layout_t *layout, const berth_planned_t *plans);

#endif  // BERTH_EXEC_HEIR_H_
