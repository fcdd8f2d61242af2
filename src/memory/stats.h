// stats.h - Counting what a pool does.
//
// The counters are a berth_memory_stats_t (berth/memory.h) that the pool keeps
// under its lock. The figures that are cheap to look up when asked
// (largest_free_block_bytes, region_count) are filled in by the pool then.
#ifndef BERTH_MEMORY_STATS_H_
#define BERTH_MEMORY_STATS_H_

#include "berth/memory.h"

// What a pool counts beyond berth_memory_stats_t. Bytes, unless it says
// otherwise.
typedef struct berth_pool_figures {
  // Of the limit, taken for what is outside the pool (berth_pool_reserve()).
  int64_t bytes_reserved;
  int64_t peak_bytes_reserved;
  int64_t bytes_reservable_limit;  // 0: no limit.
  int64_t peak_allocated_bytes;    // Most in use and reserved together.

  // What a page-mapped pool asked of its source.
  int64_t create_count, created_bytes;    // New pieces.
  int64_t move_count, moved_bytes;        // Pieces mapped at another place.
  int64_t release_count, released_bytes;  // Pieces given back.
  int64_t source_ns;                      // Time spent in the source.

  int64_t wait_count;     // Requests that waited for memory to be released,
  int64_t rescue_count;   // and those that then got it.
  int64_t collect_count;  // Times idle regions went back to make room.
} berth_pool_figures_t;

// Counts an allocation that takes |size| bytes.
static inline void berth_stats_alloc(berth_memory_stats_t *stats,
                                     int64_t size) {
  ++stats->num_allocs;
  ++stats->live_allocs;
  stats->bytes_in_use += size;
  if (stats->bytes_in_use > stats->peak_bytes_in_use) {
    stats->peak_bytes_in_use = stats->bytes_in_use;
  }
  if (size > stats->largest_alloc_size) stats->largest_alloc_size = size;
}

// Counts that |size| bytes came back.
static inline void berth_stats_free(berth_memory_stats_t *stats, int64_t size) {
  --stats->live_allocs;
  stats->bytes_in_use -= size;
}

// Counts a region of |size| bytes that the pool has got, or returned
// (negative).
static inline void berth_stats_region(berth_memory_stats_t *stats,
                                      int64_t size) {
  stats->pool_bytes += size;
  if (stats->pool_bytes > stats->peak_pool_bytes) {
    stats->peak_pool_bytes = stats->pool_bytes;
  }
}

// Starts the counts and peaks of allocations anew, as TensorFlow's ClearStats.
void berth_stats_reset(berth_memory_stats_t *stats);

// Returns how much of the free memory of a pool is out of reach of one large
// request, from 0 (one piece) to almost 1 (crumbs).
double berth_stats_fragmentation(const berth_memory_stats_t *stats);

// Writes |bytes| as TensorFlow's reports do ("512B", "1.0KiB", "9.77MiB") into
// |text| and returns it.
#define BERTH_SIZE_TEXT 24
const char *berth_size_text(uint64_t bytes, char text[BERTH_SIZE_TEXT]);

#endif  // BERTH_MEMORY_STATS_H_
