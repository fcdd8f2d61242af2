// policy.c - How a pool grows, what it may hold and what it gives back.
#include "memory/policy.h"

#define MIB ((uint64_t)1 << 20)
#define SECOND ((int64_t)1000000000)

// TensorFlow's rule: split off the rest of a span of twice the request, or a
// rest of 128 MiB.
static const berth_split_t bfc_split = {.factor = 2, .waste = 128 * MIB};

berth_policy_t berth_policy_reserve(uint64_t limit) {
  return (berth_policy_t){.limit_bytes = limit,
                          .first_region_bytes = limit,
                          .split = bfc_split,
                          .keep_idle_bytes = BERTH_KEEP_ALL};
}

berth_policy_t berth_policy_growth(uint64_t limit) {
  return (berth_policy_t){.limit_bytes = limit,
                          .first_region_bytes = 2 * MIB,
                          .split = bfc_split,
                          .keep_idle_bytes = BERTH_KEEP_ALL};
}

berth_policy_t berth_policy_bfc(uint64_t limit, bool growth, int version) {
  berth_policy_t policy =
      growth ? berth_policy_growth(limit) : berth_policy_reserve(limit);
  bool is_newest = version == 0;
  if (growth && !is_newest && version <= BERTH_TF_VERSION(2, 4)) {
    policy.first_region_bytes = 1 * MIB;
  }
  if (growth && limit > 0 && policy.first_region_bytes > limit) {
    policy.first_region_bytes = limit;
  }
  if (!is_newest && version <= BERTH_TF_VERSION(1, 4)) policy.split.waste = 0;
  policy.backs_off_once = !is_newest && version <= BERTH_TF_VERSION(2, 14);
  policy.best_of_all = true;
  policy.wait_ns = 10 * SECOND;
  return policy;
}

berth_policy_t berth_policy_mapped(uint64_t limit) {
  return (berth_policy_t){.limit_bytes = limit,
                          .keep_idle_bytes = BERTH_KEEP_ALL,
                          .settle_ns = 1 * SECOND};
}

berth_policy_t berth_policy_host(uint64_t keep_idle) {
  return (berth_policy_t){.first_region_bytes = 1 * MIB,
                          .max_region_bytes = 128 * MIB,
                          .keep_idle_bytes = keep_idle};
}

uint64_t berth_policy_fraction(uint64_t total, double fraction) {
  return fraction > 0 ? (uint64_t)((double)total * fraction) : 0;
}

// Moves |*next| on for a region that must hold |size| bytes. A request that
// forces doubling uses it up; otherwise the next region is twice this one.
static uint64_t doubled(const berth_policy_t *policy, uint64_t size,
                        uint64_t *next) {
  uint64_t max = policy->max_region_bytes;
  if (max > 0 && size > max) return size;
  bool increased = false;
  while (*next < size) {
    *next *= 2;
    increased = true;
  }
  if (max > 0 && *next > max) *next = max;
  uint64_t region = *next;
  if (!increased && *next <= BERTH_BESTFIT_MAX / 2) *next *= 2;
  return region;
}

uint64_t berth_policy_next_region(const berth_policy_t *policy, uint64_t size,
                                  uint64_t held, uint64_t *next) {
  uint64_t room = BERTH_BESTFIT_MAX;
  if (policy->limit_bytes > 0) {
    if (held >= policy->limit_bytes) return 0;
    room = policy->limit_bytes - held;
    room -= room % BERTH_BESTFIT_GRAIN;
  }
  if (size > room) return 0;
  uint64_t region = doubled(policy, size, next);
  return region < room ? region : room;
}

uint64_t berth_policy_back_off(uint64_t size, uint64_t least,
                               uint64_t granularity) {
  uint64_t less = (uint64_t)((double)size * 0.9);
  less = (less + BERTH_BESTFIT_GRAIN - 1) / BERTH_BESTFIT_GRAIN *
         BERTH_BESTFIT_GRAIN;
  less -= less % granularity;
  // A handful of grains rounds up to itself.
  return less > least && less < size ? less : least;
}
