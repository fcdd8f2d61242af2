// guard.h - What decides whether a step of a program with conditionals is dead.
//
// The *guard* of a step is the set of things that must all be there for it to
// run. Steps with equal guards, in one loop, are dead together or not at all.
//
//   way out of a Switch   by predicate and output: the Switches of one
//                         conditional have equal ones
//   a ControlTrigger      nothing: it runs behind dead steps as well
//   a Merge, an Exit …    itself, unless more is known:
//
// - A Merge of both ways out of a predicate is there when the Switches are.
// - In a loop whose values all come in together and all go round together,
//   every iteration has all of them: its Merges need nothing. What comes out of
//   the way that ends it is there when the loop is entered.
//
// Whether a loop is of this kind is assumed, and checked when its steps are
// known; the finding begins anew without it where it is not.
//
// Threads: none of its own.
#ifndef BERTH_EXEC_GUARD_H_
#define BERTH_EXEC_GUARD_H_

#include "exec/flow.h"
#include "exec/sets.h"

typedef struct berth_guards {
  berth_sets_t sets;
  int32_t *of_step;  // By step: its guard, a set.
} berth_guards_t;

// Finds the guards of the steps of |program|, which has a flow; |may_share| by
// slot, as berth_shares_find() says. False when memory is short. Whatever the
// outcome, berth_guards_deinit() frees.
bool berth_guards_init(berth_guards_t *guards, const berth_program_t *program,
                       const bool *may_share);
void berth_guards_deinit(berth_guards_t *guards);

#endif  // BERTH_EXEC_GUARD_H_
