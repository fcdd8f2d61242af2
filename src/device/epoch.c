// epoch.c - A number for the settings that decide how devices compute.
#include "device/epoch.h"

#include <stdatomic.h>

static _Atomic uint64_t epoch = 1;

uint64_t berth_device_epoch(void) {
  return atomic_load_explicit(&epoch, memory_order_acquire);
}

void berth_device_epoch_raise(void) {
  atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
}
