// visible.h - Which cards the driver will show, worked out without it.
//
// As the driver reads CUDA_VISIBLE_DEVICES (observed on version 580): a list of
// places in its order of cards, or of beginnings of UUIDs ("GPU-6a6f") that are
// unique; the first entry decides which. The list ends at the first entry that
// names no card. Places are read as far as they are numbers ("0x" is 0).
//
// Pure functions.
#ifndef BERTH_CUDA_CARD_VISIBLE_H_
#define BERTH_CUDA_CARD_VISIBLE_H_

#include <stdbool.h>

// What the driver will show.
typedef struct berth_visible {
  int count;        // Of |out_cards| that were filled in.
  bool is_refused;  // A card is named twice: the driver shows none.
} berth_visible_t;

// Reads |list| (NULL: not set, shows all) for |count| cards with |uuids|, in
// the driver's order. Fills |out_cards|, which has room for |count|, with
// indices of |uuids|.
berth_visible_t berth_visible_read(const char *list, const char *const *uuids,
                                   int count, int *out_cards);

#endif  // BERTH_CUDA_CARD_VISIBLE_H_
