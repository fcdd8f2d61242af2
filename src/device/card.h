// card.h - Cards: what the devices of a backend live on.
//
//   backend ─> cards   0 "Tesla K40c"   1 "Tesla K40c"     what the machine has
//                      │                │
//   devices    GPU:0 ──┘  GPU:1 ──┐     └── GPU:2          what a process opens
//
// A card is listed before anything is opened, and listing holds nothing on it.
// Several logical devices may live on one card. A backend whose devices live on
// cards has a table of these functions beside its own (device/backend.h).
//
// Threads: everything here may be called from several threads at once.
#ifndef BERTH_DEVICE_CARD_H_
#define BERTH_DEVICE_CARD_H_

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "memory/policy.h"

// Longest texts of a card, with their end.
enum { BERTH_CARD_NAME = 96, BERTH_CARD_UUID = 80, BERTH_CARD_PCI = 32 };

// A process on a card.
typedef struct berth_card_process {
  uint32_t pid;
  uint64_t bytes;  // UINT64_MAX: the driver does not say.
} berth_card_process_t;

// A card as it is before anything is opened. Constant; lives as long as the
// process.
typedef struct berth_card_info {
  char name[BERTH_CARD_NAME];       // "Tesla K40c"
  char uuid[BERTH_CARD_UUID];       // "GPU-…", or "MIG-…" for a slice.
  char pci_bus_id[BERTH_CARD_PCI];  // "0000:05:00.0"
  int bus_index;   // Place in PCI order, of all cards of the machine; -1:
                   // unknown.
  int fast_index;  // Place in the driver's fastest-first order; -1: unknown.
  int cc_major, cc_minor;  // Compute capability.
  uint64_t total_bytes;    // With what the driver keeps for itself.
  bool is_slice;           // A part of a card.
  bool is_simulated;       // Made in software.
} berth_card_info_t;

// Where the memory of a device comes from.
typedef enum berth_card_source {
  BERTH_CARD_MAPPED = 0,  // Page by page, where the driver can; else plain.
  BERTH_CARD_PLAIN,       // Regions of the driver, as TensorFlow's BFC.
  BERTH_CARD_UNIFIED,     // Managed memory, which the host can touch.
} berth_card_source_t;

// What a logical device is to be.
typedef struct berth_device_wish {
  int card;      // Index of its card.
  int32_t id;    // Of the logical device: "/device:GPU:<id>".
  int priority;  // Of its streams, as the driver counts; 0: default.
  berth_card_source_t source;
  berth_policy_t policy;    // With the limit.
  const char *description;  // As listings show it. Copied.
} berth_device_wish_t;

// A backend's cards. All members are required; indices are those below count().
struct berth_card_ops {
  // sizeof(berth_card_ops_t) as the backend was compiled.
  size_t struct_size;

  // Stores how many cards are visible. 0 and BERTH_OK where there is no driver;
  // problem() says why then. Fails for a driver that fails.
  berth_code_t (*count)(int *out_count, berth_error_t *err);

  // Returns card |index|, or NULL. Lives as long as the process.
  const berth_card_info_t *(*info)(int index);

  // Returns one line that says why no card is visible; "" when some are.
  const char *(*problem)(void);

  // Stores what is free on card |index| now and what there is in all, less what
  // the driver keeps for itself. Fails where the driver does.
  berth_code_t (*memory)(int index, uint64_t *out_free, uint64_t *out_total,
                         berth_error_t *err);

  // Fills |processes| with who is on card |index|, at most |room|, and stores
  // how many there are, which may be more. Fails where the driver does not say.
  berth_code_t (*processes)(int index, berth_card_process_t *processes,
                            int room, int *out_count, berth_error_t *err);

  // Opens a logical device under |prefix| (device/backend.h) and holds nothing
  // on its card; the caller gets one reference. BERTH_INVALID_ARGUMENT when
  // there is no such card.
  berth_code_t (*open)(const berth_device_wish_t *wish, const char *prefix,
                       berth_device_t **out_device, berth_error_t *err);

  // Returns the index of the card that |device|, one of open()'s, lives on.
  int (*card_of)(const berth_device_t *device);

  // Replaces the policy of |device|'s pool while it runs. Returns the bytes
  // held beyond a new limit; they follow as they fall idle.
  uint64_t (*set_policy)(berth_device_t *device, const berth_policy_t *policy);

  // Gives everything of card |index| back, closes what is open there and clears
  // a fault. Its devices are started anew when they are next used; what their
  // memory held is lost, unless |keep| (which a fault makes impossible). Fails
  // with BERTH_FAILED_PRECONDITION while somebody uses the card, and with
  // BERTH_UNAVAILABLE where the driver keeps the fault for the whole process.
  // Waits for those who use it, up to BERTH_GIVE_BACK_WAIT_MS.
  berth_code_t (*reset)(int index, bool keep, berth_error_t *err);

  // Allows products and convolutions of float32 to round their inputs to fewer
  // digits (TF32), or forbids it again; and says whether they may.
  void (*set_tf32)(bool is_allowed);
  bool (*has_tf32)(void);
};

#endif  // BERTH_DEVICE_CARD_H_
