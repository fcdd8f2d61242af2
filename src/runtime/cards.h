// cards.h - The cards of the machine, whatever backends they belong to.
//
// Backends number their own cards; here they are numbered one backend after the
// other, in the order of backends.h, which is what programs see:
//
//   cuda 0   cuda 1   other 0
//   card 0   card 1   card 2
//
// Of these a process uses those that BERTH_GPU names (runtime/chosen.h), and
// only they have numbers for it.
//
// Threads: thread-safe.
#ifndef BERTH_RUNTIME_CARDS_H_
#define BERTH_RUNTIME_CARDS_H_

#include "device/card.h"

// Stores how many cards are visible. 0 and BERTH_OK where no driver is there;
// berth_cards_problem() says why then. Fails when a driver fails.
BERTH_NODISCARD berth_code_t berth_cards_count(int *out_count,
                                               berth_error_t *err);

// Returns card |index|, or NULL. Lives as long as the process.
const berth_card_info_t *berth_cards_info(int index);

// The same, and what follows for memory and processes, for number |index| of all
// cards, chosen or not: there is one. For who chooses.
const berth_card_info_t *berth_cards_all_info(int index);
BERTH_NODISCARD berth_code_t berth_cards_all_memory(int index,
                                                    uint64_t *out_free,
                                                    uint64_t *out_total,
                                                    berth_error_t *err);
BERTH_NODISCARD berth_code_t
berth_cards_all_processes(int index, berth_card_process_t *processes, int room,
                          int *out_count, berth_error_t *err);

// Returns one line that says why no card is visible; "" when some are.
const char *berth_cards_problem(void);

// Store what is free on card |index| and what there is in all; who is on it.
// BERTH_OUT_OF_RANGE when there is no such card.
BERTH_NODISCARD berth_code_t berth_cards_memory(int index, uint64_t *out_free,
                                                uint64_t *out_total,
                                                berth_error_t *err);
BERTH_NODISCARD berth_code_t
berth_cards_processes(int index, berth_card_process_t *processes, int room,
                      int *out_count, berth_error_t *err);

// Opens the logical device that |wish| describes, on its card; the caller gets
// one reference. BERTH_OUT_OF_RANGE when there is no such card.
BERTH_NODISCARD berth_code_t berth_cards_open(const berth_device_wish_t *wish,
                                              berth_device_t **out_device,
                                              berth_error_t *err);

// Returns the card that |device| lives on; -1: it lives on none.
int berth_cards_of(const berth_device_t *device);

// Resets card |index| (berth_card_ops_t.reset).
BERTH_NODISCARD berth_code_t berth_cards_reset(int index, bool keep,
                                               berth_error_t *err);

#endif  // BERTH_RUNTIME_CARDS_H_
