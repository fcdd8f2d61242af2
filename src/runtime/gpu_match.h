// gpu_match.h - Which numbers logical GPUs get when some are there already.
//
//   wanted    card 1, card 2, card 2        in the order of a program's start
//   there     GPU:0 on card 0   GPU:1 on card 1, which has to stay
//   numbers   1, 0, 2
//
// What has to stay keeps its number; all others get the one they would have at
// a program's start, or the least that is free.
//
// Plain data and pure functions.
#ifndef BERTH_RUNTIME_GPU_MATCH_H_
#define BERTH_RUNTIME_GPU_MATCH_H_

#include "runtime/gpus.h"

// A number that is taken, or was.
typedef struct berth_gpu_slot {
  int card;
  bool stays;  // The GPU of this number keeps it; otherwise it is free.
  uint64_t limit_before;  // The caller's: what was changed meanwhile; 0: none.
} berth_gpu_slot_t;

// Stores the number of each of |gpus| in |numbers|. Returns the first slot that
// stays and that nobody wants, which others are not concerned by; -1: none.
int berth_gpu_match(const berth_gpus_t *gpus, const berth_gpu_slot_t *slots,
                    int slot_count, int *numbers);

#endif  // BERTH_RUNTIME_GPU_MATCH_H_
