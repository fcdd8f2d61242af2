// pick.h - Choosing cards as BERTH_GPU says.
//
//   auto        the freest card
//   auto:2      the two freest ones
//   0,2         by their places on the bus, as nvidia-smi counts
//   0000:05:00.0, 05:00.0, GPU-1f3a…   by PCI id or UUID, which may be cut short
//   H200, H200:2                       the freest of those with that in their name
//   none        no card
//
// The freest card is the one with the fewest processes, those that have chosen
// it and hold nothing yet included (device/claims.h); of these the one with the
// most free memory; of these the first on the bus.
//
// Threads: caller serialises nothing; these functions touch what they are given.
#ifndef BERTH_RUNTIME_PICK_H_
#define BERTH_RUNTIME_PICK_H_

#include "device/card.h"

// A card that can be chosen.
typedef struct berth_pick_card {
  const berth_card_info_t *info;  // Borrowed.
  uint64_t free_bytes;
  int process_count;  // On it, or about to be.
  bool is_taken;      // Chosen already; set by the choice.
} berth_pick_card_t;

// Chooses among |count| cards what |wish| says and stores their places, in its
// order, in |chosen|, which has room for all. BERTH_INVALID_ARGUMENT for a wish
// that cannot be read, for a card that there is not, or that is named twice,
// and for more than there are.
BERTH_NODISCARD berth_code_t berth_pick(const char *wish,
                                        berth_pick_card_t *cards, int count,
                                        int *chosen, int *out_count,
                                        berth_error_t *err);

#endif  // BERTH_RUNTIME_PICK_H_
