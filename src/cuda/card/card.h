// card.h - The GPUs of this machine, as they are before anything is opened.
//
// Three numbers, never mixed: a card's place in the list here is its *visible
// index* (after CUDA_VISIBLE_DEVICES, in the order of CUDA_DEVICE_ORDER), which
// is also the driver's ordinal; |nvml_index| is its place on the bus; logical
// devices are numbered by whoever opens them.
//
// Listing asks NVML and holds nothing on a card. The driver itself is opened
// for a listing only where NVML is missing or cannot know the order.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_CARD_H_
#define BERTH_CUDA_CARD_CARD_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// Longest texts of a card, with their end.
enum { BERTH_CARD_NAME = 96, BERTH_CARD_UUID = 80, BERTH_CARD_PCI = 32 };

typedef struct berth_card_process {
  uint32_t pid;
  uint64_t bytes;  // UINT64_MAX: the driver does not say.
} berth_card_process_t;

typedef struct berth_card_info {
  char name[BERTH_CARD_NAME];       // "Tesla K40c"
  char uuid[BERTH_CARD_UUID];       // "GPU-…", or "MIG-…" for a slice.
  char pci_bus_id[BERTH_CARD_PCI];  // "0000:05:00.0"
  int nvml_index;  // Place in PCI order, of all cards of the machine; -1 where
                   // NVML is missing.
  int fast_index;  // Place in the driver's fastest-first order; -1: unknown.
  int cc_major, cc_minor;
  uint64_t total_bytes;  // With what the driver keeps for itself.
  bool is_slice;         // A MIG slice.
  bool is_simulated;     // Made in software.
} berth_card_info_t;

// Stores how many cards are visible. 0 and BERTH_OK where there is no driver;
// berth_cards_problem() says why then. Fails for a driver that fails.
BERTH_NODISCARD berth_code_t berth_cards_count(int *out_count,
                                               berth_error_t *err);

// Returns the visible card |index|, or NULL. Lives as long as the process.
const berth_card_info_t *berth_card_info(int index);

// Returns one line that says why no card is visible ("libcuda.so.1: cannot open
// shared object file …", "CUDA_VISIBLE_DEVICES hides all"); "" when some are.
const char *berth_cards_problem(void);

// Stores what is free on card |index| now and what there is in all, less what
// the driver keeps for itself: TensorFlow's figures. As NVML says; where NVML
// is missing as the driver does, which opens the card's context for that.
BERTH_NODISCARD berth_code_t berth_card_memory(int index, uint64_t *out_free,
                                               uint64_t *out_total,
                                               berth_error_t *err);

// Fills |processes| with who is on card |index|, at most |room|, and stores how
// many there are.
BERTH_NODISCARD berth_code_t
berth_card_processes(int index, berth_card_process_t *processes, int room,
                     int *out_count, berth_error_t *err);

// Returns the version of the driver's API as 13000 for 13.0, and of the driver
// itself ("580.159.04"); 0 and "" where there is none.
int berth_cards_api_version(void);
const char *berth_cards_driver_version(void);

#endif  // BERTH_CUDA_CARD_CARD_H_
