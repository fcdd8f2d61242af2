// visible.h - Which cards the driver shows, and in which order.
//
// As the vendor's driver reads its two variables (observed on version 580):
//
// - CUDA_DEVICE_ORDER=PCI_BUS_ID numbers cards by PCI id, anything else by
//   speed, the fastest first.
// - CUDA_VISIBLE_DEVICES is a list of those numbers, or of beginnings of UUIDs
//   ("GPU-6a6f"); the first entry decides which. The list ends at the first
//   entry that names no card. A number is read as far as it goes ("0x" is 0).
#ifndef BERTH_SOFTGPU_VISIBLE_H_
#define BERTH_SOFTGPU_VISIBLE_H_

#include "cuda/api/driver.h"
#include "softgpu/card.h"

typedef struct berth_soft_visible {
  int count;
  int cards[BERTH_SOFT_MAX_CARDS];  // Indices, by the driver's ordinal.
} berth_soft_visible_t;

// Fills |*out_visible| from the values of the two variables; NULL: unset.
// Returns CUDA_ERROR_NO_DEVICE when nothing is left and
// CUDA_ERROR_INVALID_DEVICE when a card is named twice.
CUresult berth_soft_visible_read(const berth_soft_cards_t *cards,
                                 const char *list, const char *order,
                                 berth_soft_visible_t *out_visible);

#endif  // BERTH_SOFTGPU_VISIBLE_H_
