// device.h - Logical devices on CUDA cards.
//
// A card owns what a context owns (context, modules, library handles) and is
// shared; a logical device has a name, a pool with a limit, and streams, and
// several may live on one card. Opening a device opens no context: that happens
// when it is started (berth_device_start()), and once per card.
//
// Threads: as device/backend.h says.
#ifndef BERTH_CUDA_STREAM_DEVICE_H_
#define BERTH_CUDA_STREAM_DEVICE_H_

#include "device/card.h"

// The backend of type "GPU".
extern const berth_backend_t berth_cuda_backend;

// Opens a logical device under |prefix|; the caller gets one reference. Nothing
// is held on the card. BERTH_INVALID_ARGUMENT when there is no such card; fails
// as berth_device_init() does.
BERTH_NODISCARD berth_code_t
berth_cuda_device_open(const berth_device_wish_t *wish, const char *prefix,
                       berth_device_t **out_device, berth_error_t *err);

// Returns the visible index of the card that |device| lives on.
int berth_cuda_device_card(const berth_device_t *device);

// Replaces the policy of |device|'s pool while it runs. Returns the bytes held
// beyond a new limit; they follow as they fall idle. 0, and nothing happens, in
// the child of a fork.
uint64_t berth_cuda_device_set_policy(berth_device_t *device,
                                      const berth_policy_t *policy);

// Resets card |index|: gives everything back, closes its context and clears a
// fault. Its devices are started anew when they are next used; what their
// memory held is lost, unless |keep| (which a fault makes impossible). Fails
// with BERTH_FAILED_PRECONDITION while somebody uses the card, and with
// BERTH_UNAVAILABLE where the driver keeps the fault for the whole process.
// Waits up to BERTH_GIVE_BACK_WAIT_MS for those who use it.
BERTH_NODISCARD berth_code_t berth_cuda_card_reset(int index, bool keep,
                                                   berth_error_t *err);

#endif  // BERTH_CUDA_STREAM_DEVICE_H_
