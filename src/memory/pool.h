// pool.h - Memory for tensors: a source's memory, cut up by best fit.
//
// A pool of regions (berth_pool_create()) gets large pieces from a source:
//
//   pool ─┬─ region 0  [ span | span | span ...       ]   oldest first
//         ├─ region 1  [ span | span ...                 ]
//         └─ headers: buffers not in use, kept for the next allocation
//
// A request goes into the oldest region that has room, and in there into the
// smallest span that fits; so young regions fall idle first and can be
// returned. Without room the pool gets one more region, as its policy says.
//
// A page-mapped pool (berth_pool_create_mapped()) has one large reservation of
// addresses, and moves physical memory to where it is needed:
//
//   addresses  [ span | span |      | span |                           ... ]
//   pieces     [2][2][ 64   ]        [ 16 ]        [ 1 GiB ] lies nowhere
//
// Nothing is refused there while the limit, less what is in use and what shares
// a granule with it, has room: no hole is too small. What that costs is counted
// (berth_pool_figures_t). Memory that work of the device may still touch
// (memory/timeline.h) stays where it is until that work has passed.
//
// Growing: mark, unlock, call the source, lock, publish. Threads that need
// memory meanwhile and find none wait for the mark to go; all others go on.
//
// A pool may be destroyed while buffers of it live: it goes with the last one.
// The child of a fork() can use every pool of regions of its parent.
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
#include "memory/timeline.h"

typedef struct berth_pool berth_pool_t;

// Creates a pool over |source| (borrowed; outlives the pool). Holds no memory
// of the source until the first allocation.
BERTH_NODISCARD berth_code_t berth_pool_create(berth_source_t *source,
                                               const berth_policy_t *policy,
                                               berth_pool_t **out_pool,
                                               berth_error_t *err);

typedef struct berth_mapped_options {
  // Addresses to reserve: many times what the pool may ever hold, because holes
  // between live allocations need some. 0: sixteen times the limit, or 1 TiB
  // without one.
  uint64_t address_bytes;
  // Everything that may touch the memory without the host knowing. At most
  // BERTH_TIMELINES. Borrowed; they outlive the pool.
  berth_timeline_t *const *timelines;
  int timeline_count;
} berth_mapped_options_t;

// Creates a page-mapped pool over |source| (borrowed; outlives the pool).
// |options| may be NULL. Neither addresses nor memory are asked for until the
// first allocation.
BERTH_NODISCARD berth_code_t berth_pool_create_mapped(
    berth_page_source_t *source, const berth_policy_t *policy,
    const berth_mapped_options_t *options, berth_pool_t **out_pool,
    berth_error_t *err);

// Returns all memory to the source, at once or with the last live buffer. NULL
// is fine.
void berth_pool_destroy(berth_pool_t *pool);

// ---- Getting memory ----

// What is asked for, and by whom.
typedef struct berth_request {
  size_t size;
  const char *label;  // Who asks: "conv1/MatMul". NULL: unknown. Borrowed.
  bool no_wait;       // Fails at once where the policy says to wait.
} berth_request_t;

// Makes a buffer of |size| bytes with one reference, aligned to 256; its last
// release gives the memory back. |berth_buffer_t.size| is |size|.
//
// Fails with BERTH_RESOURCE_EXHAUSTED when the limit, or the source, leaves no
// room; the text is the line of memory/report.h and the source's reason. Fails
// with BERTH_FAILED_PRECONDITION while the memory has been given back
// (berth_pool_release_all()).
BERTH_NODISCARD berth_code_t berth_pool_request(berth_pool_t *pool,
                                                const berth_request_t *request,
                                                berth_buffer_t **out_buffer,
                                                berth_error_t *err);

// The same for a request of |size| bytes by nobody in particular.
BERTH_NODISCARD berth_code_t berth_pool_buffer(berth_pool_t *pool, size_t size,
                                               berth_buffer_t **out_buffer,
                                               berth_error_t *err);

// The same without a buffer, for memory with one owner: a workspace.
BERTH_NODISCARD berth_code_t berth_pool_alloc(berth_pool_t *pool, size_t size,
                                              void **out_ptr,
                                              berth_error_t *err);

// Gives back what berth_pool_alloc() returned. NULL is fine.
void berth_pool_free(berth_pool_t *pool, void *ptr);

// ---- Giving memory back ----

// Returns idle memory to the source, what was idle longest first, until at most
// |keep| bytes are idle. Memory that has not passed stays. Returns how many
// bytes went back.
uint64_t berth_pool_trim(berth_pool_t *pool, uint64_t keep);

// Returns about |bytes| of idle memory to the source, what was idle longest
// first, whatever the policy would keep, and waits for it to pass. Returns how
// many bytes went back.
uint64_t berth_pool_shrink(berth_pool_t *pool, uint64_t bytes);

// Waits until all that is idle now has passed, so that it can be trimmed.
void berth_pool_await(berth_pool_t *pool);

// Returns what has been idle for |idle_ns| at time |now_ns| to the source, as
// far as that is known: calling this now and then is what makes it known.
// Returns how many bytes went back.
uint64_t berth_pool_trim_older(berth_pool_t *pool, int64_t idle_ns,
                               int64_t now_ns);

// Saves contents to the host, and loads them again. |arg| and what the copies
// are made of outlive the time between the two calls below.
typedef struct berth_copier {
  // Copies |size| bytes at |data| to the host and stores the copy.
  berth_code_t (*save)(void *arg, const void *data, uint64_t size,
                       void **out_copy, berth_error_t *err);
  // Copies |copy| back to |data|.
  berth_code_t (*load)(void *arg, void *data, uint64_t size, const void *copy,
                       berth_error_t *err);
  // Frees |copy|: its contents are loaded, or nobody wants them any more.
  void (*drop)(void *arg, void *copy);
  void *arg;
} berth_copier_t;

// Gives all memory of a page-mapped pool back, with live buffers in it, whose
// contents |copier| saves. Addresses stay as they are. The caller makes sure
// that nothing uses the memory until berth_pool_restore(); buffers may be
// released meanwhile.
//
// Fails with BERTH_FAILED_PRECONDITION when a buffer is pinned or the memory is
// away already, with BERTH_UNIMPLEMENTED for a pool of regions, or as |copier|
// does; the pool then stands as before.
BERTH_NODISCARD berth_code_t berth_pool_release_all(
    berth_pool_t *pool, const berth_copier_t *copier, berth_error_t *err);

// Puts memory behind all live buffers again, and their contents into it. After
// a failure everything is away as before, and this can be tried again. Does
// nothing when nothing is away.
BERTH_NODISCARD berth_code_t berth_pool_restore(berth_pool_t *pool,
                                                berth_error_t *err);

// Says that |buffer|, which must come from a pool, is now for |label|.
void berth_pool_rename(berth_buffer_t *buffer, const char *label);

// Notes in the history that a run begins, or ends, to use |buffer|, which must
// come from a pool, as |plan| says (memory/history.h).
void berth_pool_note_run(const berth_buffer_t *buffer, uint32_t plan,
                         bool begins);

// True when |buffer| comes from a pool.
bool berth_pool_owns(const berth_buffer_t *buffer);

// Says that somebody beyond our reach knows the address of |buffer|, which must
// come from a pool: berth_pool_release_all() refuses. Counted.
void berth_pool_pin(berth_buffer_t *buffer);
void berth_pool_unpin(berth_buffer_t *buffer);

// ---- Changing while running ----

// Replaces the policy, the limit in either direction included. Idle memory goes
// back until the new limit is kept. Returns the bytes still held beyond it, in
// use or not yet passed: they follow as they fall idle.
uint64_t berth_pool_set_policy(berth_pool_t *pool,
                               const berth_policy_t *policy);

// Takes |size| bytes of the limit for something outside the pool (code, a
// library's workspace), returning idle memory if need be, so that pool and that
// together stay within it; and gives them back. Fails with
// BERTH_RESOURCE_EXHAUSTED when there is no room.
BERTH_NODISCARD berth_code_t berth_pool_reserve(berth_pool_t *pool,
                                                uint64_t size,
                                                berth_error_t *err);
void berth_pool_unreserve(berth_pool_t *pool, uint64_t size);

// ---- Looking ----

// Fills |out_stats| with a snapshot.
void berth_pool_stats(berth_pool_t *pool, berth_memory_stats_t *out_stats);

// Returns what a request of |size| bytes will count as in these figures, where
// the rest of what it is cut from is split off.
uint64_t berth_pool_takes(const berth_pool_t *pool, uint64_t size);

// Fills |out_figures| with a snapshot of what is not in the public figures.
void berth_pool_figures(berth_pool_t *pool, berth_pool_figures_t *out_figures);

// Starts counts and peaks anew.
void berth_pool_reset_stats(berth_pool_t *pool);

// Fills |out_report| for a request of |asked| bytes. Walks every span.
void berth_pool_report(berth_pool_t *pool, uint64_t asked,
                       berth_memory_report_t *out_report);

// Walks everything and returns NULL when all is consistent, otherwise what is
// not. In a page-mapped pool no request may be under way. For tests.
const char *berth_pool_check(berth_pool_t *pool);

#endif  // BERTH_MEMORY_POOL_H_
