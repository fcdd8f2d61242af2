// card.h - The GPUs of this machine, as they are before anything is opened.
//
// Three numbers, never mixed: a card's place in the list here is its *visible
// index* (after CUDA_VISIBLE_DEVICES, in the order of CUDA_DEVICE_ORDER), which
// is also the driver's ordinal; |bus_index| is its place on the bus; logical
// devices are numbered by whoever opens them.
//
// Listing asks NVML and holds nothing on a card. The driver itself is opened
// for a listing only where NVML is missing or cannot know the order.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_CARD_H_
#define BERTH_CUDA_CARD_CARD_H_

#include "device/card.h"

// Stores how many cards are visible. 0 and BERTH_OK where there is no driver;
// berth_cuda_cards_problem() says why then. Fails for a driver that fails. The
// first call opens NVML, later ones look at the list that it made, until the
// environment says something else.
BERTH_NODISCARD berth_code_t berth_cuda_cards_count(int *out_count,
                                                    berth_error_t *err);

// Returns the visible card |index|, or NULL. Lives as long as the process.
const berth_card_info_t *berth_cuda_card_info(int index);

// Returns one line that says why no card is visible ("libcuda.so.1: cannot open
// shared object file …", "CUDA_VISIBLE_DEVICES hides all"); "" when some are.
const char *berth_cuda_cards_problem(void);

// Stores what is free on card |index| now and what there is in all, less what
// the driver keeps for itself: TensorFlow's figures. As NVML says; where NVML
// is missing as the driver does, which opens the card's context for that.
BERTH_NODISCARD berth_code_t berth_cuda_card_memory(int index,
                                                    uint64_t *out_free,
                                                    uint64_t *out_total,
                                                    berth_error_t *err);

// Fills |processes| with who is on card |index|, at most |room|, and stores how
// many there are, which may be more. Fails with BERTH_UNAVAILABLE without NVML.
BERTH_NODISCARD berth_code_t
berth_cuda_card_processes(int index, berth_card_process_t *processes, int room,
                          int *out_count, berth_error_t *err);

// Returns the version of the driver's API as 13000 for 13.0, and of the driver
// itself ("580.159.04"); 0 and "" where there is none.
int berth_cuda_cards_api_version(void);
const char *berth_cuda_cards_driver_version(void);

// The cards as the runtime asks for them.
extern const berth_card_ops_t berth_cuda_card_ops;

#endif  // BERTH_CUDA_CARD_CARD_H_
