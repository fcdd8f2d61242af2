// chosen.h - The cards that this process may use, of all there are.
//
// BERTH_GPU (runtime/pick.h) is read when cards are first counted; what it says
// is settled, and claimed (device/claims.h), for the life of the process.
// Without it every card may be used.
//
// Threads: thread-safe.
#ifndef BERTH_RUNTIME_CHOSEN_H_
#define BERTH_RUNTIME_CHOSEN_H_

#include "base/error.h"

// Stores how many of |all| cards are chosen, choosing them if that has not been
// done. Fails as berth_pick() does.
BERTH_NODISCARD berth_code_t berth_chosen_count(int all, int *out_count,
                                                berth_error_t *err);

// Returns which of all cards number |index| of the chosen ones is; -1: none.
int berth_chosen_card(int index);

// Returns the place of card |card| among the chosen ones; -1: it is none.
int berth_chosen_place(int card);

#endif  // BERTH_RUNTIME_CHOSEN_H_
