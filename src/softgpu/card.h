// card.h - What a simulated card is: figures that never change.
//
// Cards are kept in the order of their PCI ids, which is the order NVML lists
// them in; a card's index there is its name within this room. The driver's own
// order and choice (CUDA_DEVICE_ORDER, CUDA_VISIBLE_DEVICES) is visible.h.
//
// Immutable after it is read from a spec.
#ifndef BERTH_SOFTGPU_CARD_H_
#define BERTH_SOFTGPU_CARD_H_

#include <stdint.h>

enum { BERTH_SOFT_MAX_CARDS = 64 };

typedef struct berth_soft_pci {
  uint32_t domain;
  uint32_t bus;
  uint32_t device;
} berth_soft_pci_t;

typedef struct berth_soft_card {
  char name[64];
  char pci_text[16];  // "0000:05:00.0".
  berth_soft_pci_t pci;
  uint64_t memory_bytes;
  int major, minor;  // Compute capability.
  int multiprocessors;
  int clock_mhz;
  unsigned char uuid[16];  // Made of name and PCI id.
} berth_soft_card_t;

typedef struct berth_soft_cards {
  int count;
  berth_soft_card_t items[BERTH_SOFT_MAX_CARDS];
} berth_soft_cards_t;

// Writes "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", 40 characters and a NUL.
void berth_soft_card_uuid_text(const berth_soft_card_t *card, char text[41]);

// Returns a figure that is larger for faster cards.
uint64_t berth_soft_card_speed(const berth_soft_card_t *card);

// What is known of a card by its name.
typedef struct berth_soft_model {
  const char *name;   // As the vendor's libraries print it.
  const char *alias;  // What people call it.
  uint32_t memory_mib;
  int major, minor;
  int multiprocessors;
  int clock_mhz;
} berth_soft_model_t;

// Returns the model called |name| (or by its alias, in any case), or NULL.
const berth_soft_model_t *berth_soft_model_find(const char *name);

// Returns the |index|-th model, or NULL after the last.
const berth_soft_model_t *berth_soft_model_at(int index);

#endif  // BERTH_SOFTGPU_CARD_H_
