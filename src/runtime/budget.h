// budget.h - How much of a card this process may hold in all.
//
// A budget is a text: "4GiB" for every card, "0=4GiB,1=2GiB" by visible index,
// or "50%" of a card. It comes from the configuration (ConfigProto's
// gpu_options.experimental.berth_budget) and the environment, which wins:
//
//   BERTH_GPU_BUDGET  all that the process may hold of a card
//   BERTH_GPU_FLOOR   held from the first use on, and not given back
//   BERTH_GPU_MARGIN  of the card, left free
//   BERTH_GPU_WAIT    seconds that a request waits for a card that is full
//   BERTH_GPU_IDLE    seconds after which memory that nobody uses goes back
//
// With a budget memory is held as it is used: nothing but the floor is taken in
// advance.
//
// Threads: thread-safe.
#ifndef BERTH_RUNTIME_BUDGET_H_
#define BERTH_RUNTIME_BUDGET_H_

#include "berth/config.h"
#include "device/account.h"

// Reads the part of |text| about card |index|, which has |total| bytes, into
// |*out_bytes|; 0: it says nothing about it. BERTH_INVALID_ARGUMENT, with
// |name| in the text, for what is no such text.
BERTH_NODISCARD berth_code_t berth_budget_parse(const char *name,
                                                const char *text, int index,
                                                uint64_t total,
                                                uint64_t *out_bytes,
                                                berth_error_t *err);

// Settles what |config| and the environment say of card |index|, once, and
// changes |wish|, of a device on it, accordingly. |has_limit|: the program has
// set one. Fails as berth_budget_parse().
BERTH_NODISCARD berth_code_t berth_budget_settle(const berth_config_t *config,
                                                 const berth_card_info_t *card,
                                                 int index, uint64_t total,
                                                 bool has_limit,
                                                 berth_device_wish_t *wish,
                                                 berth_error_t *err);

// Returns |policy| as a card with |account| wants it. A limit that was not set
// by the program, but is what was free when it began, gives way to the budget.
berth_policy_t berth_budget_policy(berth_policy_t policy,
                                   const berth_account_t *account,
                                   bool has_limit);

#endif  // BERTH_RUNTIME_BUDGET_H_
