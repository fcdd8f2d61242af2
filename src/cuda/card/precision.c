// precision.c - How exactly cards compute with float32.
#include "cuda/card/precision.h"

#include <stdatomic.h>

#include "base/env.h"
#include "device/epoch.h"

static atomic_bool tf32_allowed = true;

void berth_cuda_set_tf32(bool is_allowed) {
  bool before = atomic_exchange(&tf32_allowed, is_allowed);
  if (before != is_allowed) berth_device_epoch_raise();
}

bool berth_cuda_tf32(void) {
  int64_t override = berth_env_int("NVIDIA_TF32_OVERRIDE", -1);
  if (override == 0 || override == 1) return override == 1;
  return atomic_load_explicit(&tf32_allowed, memory_order_relaxed);
}

bool berth_cuda_card_has_tf32(const berth_cuda_card_t *card,
                              berth_dtype_t dtype) {
  return dtype == BERTH_FLOAT && card->cc_major >= 8;
}
