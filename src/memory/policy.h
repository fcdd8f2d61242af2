// policy.h - How a pool grows, what it may hold and what it gives back.
//
// A policy is data. TensorFlow's ways of holding memory are values of it:
//
//   default                          berth_policy_reserve(limit)
//   allow_growth                     berth_policy_growth(limit)
//   per_process_gpu_memory_fraction  either, with berth_policy_fraction()
//   memory_limit of logical devices  either
//
// Immutable once a pool has it.
#ifndef BERTH_MEMORY_POLICY_H_
#define BERTH_MEMORY_POLICY_H_

#include "memory/bestfit.h"

// |keep_idle_bytes| of a pool that gives nothing back unless told to.
#define BERTH_KEEP_ALL UINT64_MAX

typedef struct berth_policy {
  // Most bytes the pool may hold; 0: no limit.
  uint64_t limit_bytes;
  // Size of the first region; each later one is twice as large as the last.
  uint64_t first_region_bytes;
  // Regions stop doubling here, and a larger request gets a region of its own
  // size. 0: doubling goes on until the request fits.
  uint64_t max_region_bytes;
  // When the rest of a span is split off (memory/bestfit.h).
  berth_split_t split;
  // Regions in which nothing is in use are kept up to this total; beyond it
  // those that were idle longest are returned at once.
  uint64_t keep_idle_bytes;
} berth_policy_t;

// Takes all of |limit| in one region at the first allocation.
berth_policy_t berth_policy_reserve(uint64_t limit);

// Starts with 2 MiB and doubles, up to |limit| in all.
berth_policy_t berth_policy_growth(uint64_t limit);

// Ordinary host memory: starts with 1 MiB and doubles to 128 MiB, wastes
// nothing by splitting always, and keeps |keep_idle| bytes of idle regions.
berth_policy_t berth_policy_host(uint64_t keep_idle);

// Returns the limit that |fraction| of |total| bytes stands for.
uint64_t berth_policy_fraction(uint64_t total, double fraction);

// Returns how large the next region should be for a request of |size| bytes
// (both multiples of the grain), when the pool holds |held| and the doubling
// has come to |*next|, which this moves on. 0 when the limit leaves no room.
uint64_t berth_policy_next_region(const berth_policy_t *policy, uint64_t size,
                                  uint64_t held, uint64_t *next);

#endif  // BERTH_MEMORY_POLICY_H_
