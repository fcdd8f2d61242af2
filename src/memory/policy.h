// policy.h - How a pool grows, what it may hold and what it gives back.
//
// A policy is data. TensorFlow's ways of holding memory are values of it:
//
//   default                          berth_policy_bfc(limit, false, version)
//   allow_growth                     berth_policy_bfc(limit, true, version)
//   per_process_gpu_memory_fraction  either; memory/limit.h has the limit
//   memory_limit of logical devices  either
//
// and Berth's own for memory that is mapped page by page is
// berth_policy_mapped(). A pool can get another policy while it runs
// (berth_pool_set_policy()). A member that is zero asks for nothing special.
#ifndef BERTH_MEMORY_POLICY_H_
#define BERTH_MEMORY_POLICY_H_

#include "memory/bestfit.h"

// |keep_idle_bytes| of a pool that gives nothing back unless told to.
#define BERTH_KEEP_ALL UINT64_MAX

// A version of TensorFlow as one number that compares: 2.4 is 204. 0 stands for
// the newest.
#define BERTH_TF_VERSION(major, minor) ((major)*100 + (minor))

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
  // Memory in which nothing is in use is kept up to this total; beyond it what
  // was idle longest is returned at once.
  uint64_t keep_idle_bytes;

  // Takes the smallest span of all regions, as TensorFlow does, and not the
  // oldest region with room.
  bool best_of_all;
  // Asks a source that refuses for less only the first time that happens.
  bool backs_off_once;
  // Never returns idle regions to make room for a larger one.
  bool keeps_regions;

  // How long a request that does not fit waits for memory to be released.
  int64_t wait_ns;
  // Page-mapped: memory that fell idle later than this ago stays where it is as
  // long as the limit allows new memory instead. A loop that uses it again in
  // its next round then never moves anything.
  int64_t settle_ns;
  // Page-mapped: got at the first allocation if it can be had, and never given
  // back while the pool lives.
  uint64_t floor_bytes;
} berth_policy_t;

// Takes all of |limit| in one region at the first allocation.
berth_policy_t berth_policy_reserve(uint64_t limit);

// Starts with 2 MiB and doubles, up to |limit| in all.
berth_policy_t berth_policy_growth(uint64_t limit);

// The two above with everything else that TensorFlow's allocator does in
// |version|, so that all figures come out the same: which span it takes, when
// it splits, how it backs off, and ten seconds of waiting.
berth_policy_t berth_policy_bfc(uint64_t limit, bool growth, int version);

// Page-mapped memory: grows and shrinks by what is needed, up to |limit|.
berth_policy_t berth_policy_mapped(uint64_t limit);

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

// Returns what to ask a source for that has just refused |size| bytes: a tenth
// less, rounded up to the grain as TensorFlow does and then down to
// |granularity|, but at least |least|.
uint64_t berth_policy_back_off(uint64_t size, uint64_t least,
                               uint64_t granularity);

#endif  // BERTH_MEMORY_POLICY_H_
