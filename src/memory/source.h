// source.h - Gets and returns big regions of memory.
//
// The only part of the memory room that asks somebody else for memory: the
// operating system here, a driver in another room. A source knows nothing of
// what happens inside a region; that is memory/bestfit.h, and a pool
// (memory/pool.h) joins the two.
//
// A source is embedded at the start of whatever it needs to remember, and is a
// table of functions plus a few facts. New members go at the end: a page-mapped
// source, which reserves addresses and maps memory into parts of them, adds its
// own there, and pools look at them only when they are not NULL.
//
// Threads: thread-safe. Called without a pool's lock held, because a driver may
// block.
#ifndef BERTH_MEMORY_SOURCE_H_
#define BERTH_MEMORY_SOURCE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct berth_source berth_source_t;
struct berth_source {
  // sizeof(berth_source_t) as the source was compiled; members past it count as
  // NULL.
  size_t struct_size;

  // What people read in messages: "host", "GPU:0". Borrowed; outlives this.
  const char *name;

  // Regions are multiples of this many bytes; a multiple of the bestfit grain.
  uint64_t granularity;

  // The host may read and write the memory, so that sanitizers can watch it.
  bool is_host;

  // Required. Gets a region of |size| bytes, a multiple of |granularity|,
  // aligned to at least 4096. Fails with BERTH_RESOURCE_EXHAUSTED and the
  // operating system's or driver's reason.
  berth_code_t (*get_region)(berth_source_t *source, uint64_t size,
                             void **out_base, berth_error_t *err);

  // Required. Returns a region that get_region() gave. Cannot fail.
  void (*return_region)(berth_source_t *source, void *base, uint64_t size);
};

// Returns the source of ordinary host memory: anonymous mappings, aligned to
// 2 MiB and backed by huge pages where they are that large. Fault point "mmap".
// Lives as long as the process.
berth_source_t *berth_source_host(void);

#endif  // BERTH_MEMORY_SOURCE_H_
