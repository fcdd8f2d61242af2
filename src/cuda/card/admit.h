// admit.h - Memory of a card that grows outside pools, within the budget.
//
// The driver and the vendor's libraries take memory themselves: for a context,
// for code, for handles, for recordings. Whoever does such a thing says so
// first, and afterwards what it took is measured (device/account.h):
//
//   berth_cuda_act_t act;
//   BERTH_TRY(berth_cuda_admit(card, BERTH_COST_MODULE, &act, err));
//   code = ... cuModuleLoadData ...
//   berth_cuda_admitted(&act);
//
// What it may take is assumed to be the most that such a thing has taken yet,
// and comes from the budget's room; idle memory of pools goes back for it. What
// grows later, when a library's kernel runs for the first time, comes from the
// slack that pools leave, and is measured before a pool grows again.
//
// Without a budget all of this does nothing.
//
// Threads: thread-safe. One act at a time on a card; a second one inside it is
// part of it.
#ifndef BERTH_CUDA_CARD_ADMIT_H_
#define BERTH_CUDA_CARD_ADMIT_H_

#include "cuda/card/context.h"

// What may grow.
typedef enum berth_cuda_cost {
  BERTH_COST_CONTEXT = 0,
  BERTH_COST_MODULE,     // Berth's own kernels of one family.
  BERTH_COST_LIBRARY,    // A vendor's library: its handle.
  BERTH_COST_PLAN,       // Its kernels for one more product or convolution.
  BERTH_COST_RECORDING,  // A recording that can be replayed.
  BERTH_COSTS
} berth_cuda_cost_t;

// Something that is under way. The caller's storage.
typedef struct berth_cuda_act {
  berth_account_t *account;  // NULL: nothing is counted.
  berth_cuda_cost_t cost;
  uint64_t assumed, before;
} berth_cuda_act_t;

// Takes what |cost| may need on |card| from the budget. No lock of a pool is
// held. BERTH_RESOURCE_EXHAUSTED when there is no room, with the figures.
BERTH_NODISCARD berth_code_t berth_cuda_admit(berth_cuda_card_t *card,
                                              berth_cuda_cost_t cost,
                                              berth_cuda_act_t *act,
                                              berth_error_t *err);

// It is done, or has failed: what it took is measured, and the rest goes back.
void berth_cuda_admitted(berth_cuda_act_t *act);

// Both in one for what comes later: room is made, and measured before a pool
// grows.
BERTH_NODISCARD berth_code_t berth_cuda_expect(berth_cuda_card_t *card,
                                               berth_cuda_cost_t cost,
                                               berth_error_t *err);

#endif  // BERTH_CUDA_CARD_ADMIT_H_
