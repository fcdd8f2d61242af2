// gpu_match.c - Which numbers logical GPUs get when some are there already.
#include "runtime/gpu_match.h"

enum { NONE = -1 };

static bool is_free_for(const berth_gpus_t *gpus, const int *numbers, int at,
                        int card) {
  return at < gpus->count && numbers[at] == NONE &&
         gpus->items[at].card == card;
}

// Returns which of |gpus| the GPU of |slot| is: the one at its own place, or
// the first on its card.
static int find_for(const berth_gpus_t *gpus, const int *numbers, int slot,
                    int card) {
  if (is_free_for(gpus, numbers, slot, card)) return slot;
  for (int i = 0; i < gpus->count; ++i) {
    if (is_free_for(gpus, numbers, i, card)) return i;
  }
  return NONE;
}

static bool is_taken(const berth_gpus_t *gpus, const int *numbers, int number) {
  for (int i = 0; i < gpus->count; ++i) {
    if (numbers[i] == number) return true;
  }
  return false;
}

static bool is_kept(const berth_gpu_slot_t *slots, int slot_count, int number) {
  return number < slot_count && slots[number].stays;
}

int berth_gpu_match(const berth_gpus_t *gpus, const berth_gpu_slot_t *slots,
                    int slot_count, int *numbers) {
  int unwanted = NONE;
  for (int i = 0; i < gpus->count; ++i) numbers[i] = NONE;
  for (int slot = 0; slot < slot_count; ++slot) {
    if (!slots[slot].stays) continue;
    int found = find_for(gpus, numbers, slot, slots[slot].card);
    if (found != NONE) numbers[found] = slot;
    if (found == NONE && unwanted == NONE) unwanted = slot;
  }
  for (int i = 0; i < gpus->count; ++i) {
    if (numbers[i] != NONE) continue;
    int number = i;
    for (int next = 0;
         is_taken(gpus, numbers, number) || is_kept(slots, slot_count, number);
         ++next) {
      number = next;
    }
    numbers[i] = number;
  }
  return unwanted;
}
