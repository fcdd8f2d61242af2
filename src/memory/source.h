// source.h - Gets and returns big regions of memory.
//
// The only part of the memory room that asks somebody else for memory: the
// operating system here, a driver in another room. A source knows nothing of
// what happens inside a region; that is memory/bestfit.h, and a pool
// (memory/pool.h) joins the two.
//
// There are two kinds. A plain source gives regions, addresses and memory in
// one; a page source gives them apart, so that memory can move to other
// addresses and go back piece by piece. Both are embedded at the start of
// whatever they need to remember, and are tables of functions plus a few facts.
// New members go at the end.
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

  // Optional. Returns how much it would give at most now; called with the
  // pool's lock held, so that it asks nobody. NULL: there is no bound.
  uint64_t (*room)(const berth_source_t *source);
};

// Addresses and physical memory apart. A handle names a piece of physical
// memory, which can be mapped at one place at a time and only as a whole.
//
//     addresses   |  A  |     |    B    |     ...      one large reservation
//                    |             |
//     handles      [ 2 MiB ]   [  64 MiB  ]  [ 1 GiB ] not mapped
typedef struct berth_page_source berth_page_source_t;
struct berth_page_source {
  // sizeof(berth_page_source_t) as the source was compiled; members past it
  // count as NULL.
  size_t struct_size;

  // What people read in messages: "GPU:0". Borrowed; outlives this.
  const char *name;

  // Sizes and addresses are multiples of this many bytes: a power of two, at
  // least the bestfit grain. 2 MiB on the cards of today.
  uint64_t granularity;

  // Required. Reserves |size| bytes of addresses; nothing is behind them yet.
  berth_code_t (*reserve)(berth_page_source_t *source, uint64_t size,
                          void **out_base, berth_error_t *err);

  // Required. Gives addresses back, in which nothing is mapped. Cannot fail.
  void (*unreserve)(berth_page_source_t *source, void *base, uint64_t size);

  // Required. Gets |size| bytes of physical memory. Fails with
  // BERTH_RESOURCE_EXHAUSTED and the driver's reason.
  berth_code_t (*create)(berth_page_source_t *source, uint64_t size,
                         uint64_t *out_handle, berth_error_t *err);

  // Required. Returns the memory of |handle|. If it is still mapped, because
  // unmap() failed, the driver does so when the mapping goes. Cannot fail.
  void (*release)(berth_page_source_t *source, uint64_t handle, uint64_t size);

  // Required. Maps all of |handle| at |address|, for reading and writing.
  berth_code_t (*map)(berth_page_source_t *source, void *address, uint64_t size,
                      uint64_t handle, berth_error_t *err);

  // Required. Takes away what map() put at |address|. The pool has made sure
  // that no work of the device can touch it any more. A failure (of a device
  // that is lost) leaves it mapped.
  berth_code_t (*unmap)(berth_page_source_t *source, void *address,
                        uint64_t size, berth_error_t *err);

  // Optional. As that of berth_source_t.
  uint64_t (*room)(const berth_page_source_t *source);
};

// Returns the source of ordinary host memory: anonymous mappings, aligned to
// 2 MiB and backed by huge pages where they are that large. Fault point "mmap".
// Lives as long as the process.
berth_source_t *berth_source_host(void);

#endif  // BERTH_MEMORY_SOURCE_H_
