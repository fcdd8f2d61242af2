// epoch.h - A number for the settings that decide how devices compute.
//
// What was made under one number (a recording, a choice of algorithm) is made
// anew under another. Read the number first, then make the thing: if a setting
// changes meanwhile the thing counts as old.
//
// Threads: thread-safe.
#ifndef BERTH_DEVICE_EPOCH_H_
#define BERTH_DEVICE_EPOCH_H_

#include <stdint.h>

// Returns the number. One load.
uint64_t berth_device_epoch(void);

// Says that a setting has changed; called behind the change.
void berth_device_epoch_raise(void);

#endif  // BERTH_DEVICE_EPOCH_H_
