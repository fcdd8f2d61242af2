// limit.c - How much of a card's memory one device may use.
#include "memory/limit.h"

#include "memory/policy.h"
#include "memory/stats.h"

#define MIB ((uint64_t)1 << 20)
#define NEWEST BERTH_TF_VERSION(99, 0)

enum { UNIFIED_CC_MAJOR = 6 };

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Versions from 2.5 on know what libraries need on each kind of card.
static uint64_t reserve_by_capability(int version, int cc_major) {
  if (cc_major <= 6) return 500 * MIB;
  if (cc_major == 7) return 1050 * MIB;
  if (cc_major == 8 || version < BERTH_TF_VERSION(2, 14)) return 1536 * MIB;
  return 1800 * MIB;
}

uint64_t berth_card_reserve(int version, uint64_t free_bytes, int cc_major) {
  if (version == 0) version = NEWEST;
  if (free_bytes < 2048 * MIB) {
    return (version < BERTH_TF_VERSION(1, 3) ? 200 : 225) * MIB;
  }
  if (version >= BERTH_TF_VERSION(2, 5)) {
    return reserve_by_capability(version, cc_major);
  }
  double part = version >= BERTH_TF_VERSION(2, 2) ? 0.06 : 0.05;
  return larger(300 * MIB, berth_policy_fraction(free_bytes, part));
}

// What is left when |system_mb| are kept for the system.
static void keep_for_system(const berth_card_memory_t *card, int64_t system_mb,
                            uint64_t *bytes, berth_str_t *warnings) {
  char asked[BERTH_SIZE_TEXT], have[BERTH_SIZE_TEXT];
  uint64_t most = UINT64_MAX / MIB;
  uint64_t kept =
      (uint64_t)system_mb < most ? (uint64_t)system_mb * MIB : most * MIB;
  if (kept <= card->free_bytes) {
    *bytes = card->free_bytes - kept;
    return;
  }
  berth_str_printf(warnings,
                   "The requested reserved device memory %s is larger than the "
                   "available memory of %s. The request is ignored.\n",
                   berth_size_text(kept, asked),
                   berth_size_text(card->free_bytes, have));
}

// The two settings that replace everything else; the environment's wins.
static void override(const berth_card_memory_t *card,
                     const berth_card_wish_t *wish, int version,
                     uint64_t *bytes, berth_str_t *warnings) {
  if (wish->system_mb > 0 && version >= BERTH_TF_VERSION(2, 15)) {
    keep_for_system(card, wish->system_mb, bytes, warnings);
  }
  const char *text = wish->system_text;
  if (text == NULL || text[0] == '\0' || version < BERTH_TF_VERSION(2, 5)) {
    return;
  }
  int64_t system_mb = 0;
  if (berth_parse_int64(text, &system_mb) && system_mb >= 0) {
    keep_for_system(card, system_mb, bytes, warnings);
    return;
  }
  berth_str_printf(warnings,
                   "The requested reserved device memory %s is invalid. The "
                   "request will be ignored.\n",
                   text);
}

// The limit by fraction or, without one, what is free less the reserve.
static uint64_t usual_limit(const berth_card_memory_t *card, int version,
                            double fraction) {
  if (fraction > 0) {
    // The very first releases took the fraction of what was free.
    bool of_free = version <= BERTH_TF_VERSION(0, 6);
    return berth_policy_fraction(of_free ? card->free_bytes : card->total_bytes,
                                 fraction);
  }
  uint64_t reserve =
      berth_card_reserve(version, card->free_bytes, card->cc_major);
  return reserve < card->free_bytes ? card->free_bytes - reserve
                                    : card->free_bytes;
}

berth_code_t berth_card_limit(const berth_card_memory_t *card,
                              const berth_card_wish_t *wish,
                              berth_card_limit_t *out_limit,
                              berth_str_t *warnings, berth_error_t *err) {
  int version = wish->version != 0 ? wish->version : NEWEST;
  berth_card_limit_t limit = {.is_unified =
                                  wish->is_unified || wish->fraction > 1.0};
  if (limit.is_unified && card->cc_major < UNIFIED_CC_MAJOR) {
    return berth_error_set(
        err, BERTH_INTERNAL,
        "Unified memory on GPUs with compute capability lower than 6.0 "
        "(pre-Pascal class GPUs) does not support oversubscription.");
  }
  if (wish->has_limit) {
    double mb = wish->limit_mb > 0 ? wish->limit_mb : 0;
    limit.bytes = (uint64_t)mb * MIB;
  } else {
    limit.bytes = usual_limit(card, version, wish->fraction);
    override(card, wish, version, &limit.bytes, warnings);
  }
  *out_limit = limit;
  return BERTH_OK;
}
