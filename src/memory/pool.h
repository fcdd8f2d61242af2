// pool.h - Memory for tensors: regions of a source, cut up by best fit.
//
//   pool ─┬─ region 0  [ span | span | span ...       ]   oldest first
//         ├─ region 1  [ span | span ...                 ]
//         └─ headers: buffers not in use, kept for the next allocation
//
// A request goes into the oldest region that has room, and in there into the
// smallest span that fits; so young regions fall idle first and can be
// returned. Without room the pool gets one more region, as its policy says.
//
// Growing: mark, unlock, call the source, lock, publish. Threads that need
// memory meanwhile and find none wait for the mark to go; all others go on.
//
// A pool may be destroyed while buffers of it live: it goes with the last one.
// The child of a fork() can use every pool of its parent.
//
// Threads: thread-safe. One lock, never held during calls of the source.
#ifndef BERTH_MEMORY_POOL_H_
#define BERTH_MEMORY_POOL_H_

#include "base/error.h"
#include "memory/buffer.h"
#include "memory/policy.h"
#include "memory/report.h"
#include "memory/source.h"
#include "memory/stats.h"

typedef struct berth_pool berth_pool_t;

// Creates a pool over |source| (borrowed; outlives the pool). Holds no memory
// of the source until the first allocation.
BERTH_NODISCARD berth_code_t berth_pool_create(berth_source_t *source,
                                               const berth_policy_t *policy,
                                               berth_pool_t **out_pool,
                                               berth_error_t *err);

// Returns all memory to the source, at once or with the last live buffer. NULL
// is fine.
void berth_pool_destroy(berth_pool_t *pool);

// Makes a buffer of |size| bytes with one reference, aligned to 256; its last
// release gives the memory back. |berth_buffer_t.size| is |size|.
//
// Fails with BERTH_RESOURCE_EXHAUSTED when the limit, or the source, leaves no
// room; the text is the line of memory/report.h and the source's reason.
BERTH_NODISCARD berth_code_t berth_pool_buffer(berth_pool_t *pool, size_t size,
                                               berth_buffer_t **out_buffer,
                                               berth_error_t *err);

// The same without a buffer, for memory with one owner: a workspace.
BERTH_NODISCARD berth_code_t berth_pool_alloc(berth_pool_t *pool, size_t size,
                                              void **out_ptr,
                                              berth_error_t *err);

// Gives back what berth_pool_alloc() returned. NULL is fine.
void berth_pool_free(berth_pool_t *pool, void *ptr);

// Returns idle regions to the source, those idle longest first, until at most
// |keep| bytes are idle. Returns how many bytes went back.
uint64_t berth_pool_trim(berth_pool_t *pool, uint64_t keep);

// Fills |out_stats| with a snapshot.
void berth_pool_stats(berth_pool_t *pool, berth_memory_stats_t *out_stats);

// Starts counts and peaks anew.
void berth_pool_reset_stats(berth_pool_t *pool);

// Fills |out_report| for a request of |asked| bytes. Walks every span.
void berth_pool_report(berth_pool_t *pool, uint64_t asked,
                       berth_memory_report_t *out_report);

// Walks everything and returns NULL when all is consistent, otherwise what is
// not. For tests and `check` builds.
const char *berth_pool_check(berth_pool_t *pool);

#endif  // BERTH_MEMORY_POOL_H_
