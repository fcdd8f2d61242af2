// memory.h - Asking how much memory is in use.
//
// The figures have TensorFlow's meaning (AllocatorStats): what counts is what
// an allocation takes from the pool, rounded up to 256 bytes, and not only what
// was asked for. berth_device_memory_stats() in device.h fills them in.
//
//   pool_bytes                what the pool holds of the card or machine
//   ├── bytes_in_use          allocations that live; the peak is of this
//   └── free inside           idle_bytes of it can go back at once
//   bytes_limit               what pool_bytes may grow to
//
// Host tensors of up to 4 KiB do not come from a pool and are not counted.
//
// Threads: plain data. A snapshot is taken under the pool's lock: its figures
// belong together.
#ifndef BERTH_MEMORY_H_
#define BERTH_MEMORY_H_

#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// A snapshot of one pool of memory. Bytes, unless it says otherwise. Of a GPU
// that nothing has used yet all is 0 but |bytes_limit|.
typedef struct berth_memory_stats {
  int64_t num_allocs;          // Count of those made since the last reset.
  int64_t live_allocs;         // Count of those not yet given back.
  int64_t bytes_in_use;        // Taken by them.
  int64_t peak_bytes_in_use;   // Most of that since the last reset.
  int64_t largest_alloc_size;  // Largest single one since the last reset.
  int64_t bytes_limit;         // Most the pool may hold; 0: no limit.
  int64_t pool_bytes;          // Held from the system or driver.
  int64_t peak_pool_bytes;     // Most of that ever; a reset leaves it.
  int64_t idle_bytes;          // Of |pool_bytes|, in regions nobody uses.
  // What one allocation could get without growing; where the pool maps pages,
  // which it puts together as it likes, with growing up to the limit.
  int64_t largest_free_block_bytes;
  int64_t region_count;  // Count of pieces that |pool_bytes| consists of.
} berth_memory_stats_t;

#ifdef __cplusplus
}
#endif
#endif  // BERTH_MEMORY_H_
