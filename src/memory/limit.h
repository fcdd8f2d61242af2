// limit.h - How much of a card's memory one device may use.
//
// TensorFlow's rules, of the version one asks for: by default what is free less
// a reserve for the system, a fraction of the whole card, or so many MiB. What
// comes out is the limit of a policy (memory/policy.h).
//
// Plain data and pure functions.
#ifndef BERTH_MEMORY_LIMIT_H_
#define BERTH_MEMORY_LIMIT_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

// A card as its driver describes it.
typedef struct berth_card_memory {
  uint64_t free_bytes, total_bytes;
  int cc_major;  // Compute capability.
} berth_card_memory_t;

// What the program asks for. Zeroed is TensorFlow's default.
typedef struct berth_card_wish {
  int version;  // BERTH_TF_VERSION() whose rules count; 0: the newest.
  // A virtual device's |memory_limit|; the rest is then of no interest.
  bool has_limit;
  double limit_mb;
  double fraction;    // per_process_gpu_memory_fraction; 0: none.
  bool is_unified;    // experimental.use_unified_memory.
  int64_t system_mb;  // experimental.gpu_system_memory_size_in_mb; 0: none.
  const char *system_text;  // TF_DEVICE_MIN_SYS_MEMORY_IN_MB; NULL: not set.
} berth_card_wish_t;

typedef struct berth_card_limit {
  uint64_t bytes;
  bool is_unified;  // Managed memory, of which there may be more than the card.
} berth_card_limit_t;

// Returns what TensorFlow |version| leaves to the system of |free_bytes| on a
// card of that compute capability.
uint64_t berth_card_reserve(int version, uint64_t free_bytes, int cc_major);

// Works out |out_limit|. Settings that are ignored are explained in |warnings|,
// a line each, in TensorFlow's words.
//
// Fails with BERTH_INTERNAL when unified memory is asked of a card without.
BERTH_NODISCARD berth_code_t berth_card_limit(const berth_card_memory_t *card,
                                              const berth_card_wish_t *wish,
                                              berth_card_limit_t *out_limit,
                                              berth_str_t *warnings,
                                              berth_error_t *err);

#endif  // BERTH_MEMORY_LIMIT_H_
