// memory.h - Asking how much memory is in use.
//
// The figures have TensorFlow's meaning (AllocatorStats): what counts is what
// an allocation takes from the pool, rounded up to 256 bytes, and not only what
// was asked for.
//
// Threads: plain data.
#ifndef BERTH_MEMORY_H_
#define BERTH_MEMORY_H_

#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// A snapshot of one pool of memory. Bytes, unless it says otherwise.
typedef struct berth_memory_stats {
  int64_t num_allocs;          // Allocations made since the last reset.
  int64_t live_allocs;         // Allocations not yet given back.
  int64_t bytes_in_use;        // Taken by them.
  int64_t peak_bytes_in_use;   // Most of that since the last reset.
  int64_t largest_alloc_size;  // Largest single one since the last reset.
  int64_t bytes_limit;         // Most the pool may hold; 0: no limit.
  int64_t pool_bytes;          // Held from the system or driver.
  int64_t peak_pool_bytes;     // Most of that ever.
  int64_t idle_bytes;          // Of |pool_bytes|, in regions nobody uses.
  int64_t largest_free_block_bytes;
  int64_t region_count;  // Pieces |pool_bytes| consists of.
} berth_memory_stats_t;

#ifdef __cplusplus
}
#endif
#endif  // BERTH_MEMORY_H_
