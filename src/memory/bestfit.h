// bestfit.h - Decides where in a region an allocation goes.
//
// Best fit with immediate merging over the offsets [0, size). Pure bookkeeping:
// it never touches the memory it describes and calls no driver, so all of it
// runs under the sanitizers and against a shadow map. Getting a region is
// memory/source.h; locking, growing and limits are memory/pool.h.
//
// A region is tiled by spans, left to right, without gaps:
//
//     0          256               1280        2304             size
//     |  in use  |  free (1 KiB)   |  in use   |  free          |
//
//   I1  Offsets and sizes are multiples of BERTH_BESTFIT_GRAIN; no span is
//       empty.
//   I2  Each span begins where the one before it ends; the first begins at 0
//       and the last ends at the region's end.
//   I3  Two neighbours are never both free, so that the largest free span is an
//       honest answer to "would this fit?".
//   I4  Every free span is in the tree of its bin and nowhere else; a bin's bit
//       is set exactly when its tree is not empty.
//
// People who know TensorFlow's BFC allocator: a span is its chunk, a bin its
// bin.
//
// Threads: nothing here locks; a pool holds its own lock around every call.
#ifndef BERTH_MEMORY_BESTFIT_H_
#define BERTH_MEMORY_BESTFIT_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// What TensorFlow rounds to; our figures compare with its own only if we round
// alike.
#define BERTH_BESTFIT_GRAIN 256u

// The largest region, 2^48 bytes: all a process can address.
#define BERTH_BESTFIT_MAX ((uint64_t)1 << 48)

typedef struct berth_span berth_span_t;
struct berth_span {
  uint64_t offset;
  uint64_t size;               // What the span takes from the region.
  uint64_t requested;          // What was asked for; 0 when free.
  berth_span_t *prev, *next;   // Neighbours in the region.
  berth_span_t *left, *right;  // Children in the tree of the bin, when free.
  uint32_t priority;           // Heap order of that tree.
  bool in_use;
  void *owner;  // For the user of the span, while it is in use. Borrowed.
};

// When a free span is larger than the request, the rest is split off if the
// span is at least |factor| times the request, or the rest at least |waste|
// bytes; otherwise the caller gets all of it. A |factor| of 0 or 1 always
// splits.
typedef struct berth_split {
  uint32_t factor;
  uint64_t waste;  // 0: only |factor| counts.
} berth_split_t;

enum {
  BERTH_BESTFIT_BINS = 320,
  BERTH_BESTFIT_WORDS = BERTH_BESTFIT_BINS / 64,
};

typedef struct berth_span_slab berth_span_slab_t;

typedef struct berth_bestfit {
  uint64_t size;
  uint64_t free_bytes;
  uint64_t used_count;  // Spans in use.
  berth_split_t split;
  berth_span_t *first;  // Leftmost span.
  berth_span_t *spare;  // Records not in use, linked by |next|.
  berth_span_slab_t *slabs;
  uint64_t bits[BERTH_BESTFIT_WORDS];      // Bins that are not empty.
  berth_span_t *bins[BERTH_BESTFIT_BINS];  // Roots of their trees.
} berth_bestfit_t;

// Sets up |fit| for a region of |size| bytes, a multiple of the grain and at
// most BERTH_BESTFIT_MAX, as one free span. BERTH_RESOURCE_EXHAUSTED when there
// is no host memory for the records.
BERTH_NODISCARD berth_code_t berth_bestfit_init(berth_bestfit_t *fit,
                                                uint64_t size,
                                                berth_split_t split,
                                                berth_error_t *err);

// Frees the records; spans in use are forgotten. Zeroed is fine.
void berth_bestfit_deinit(berth_bestfit_t *fit);

// Reserves |size| bytes (rounded up to the grain; 0 counts as 1) and returns
// the span, or NULL when no free span is large enough. That can happen while
// |free_bytes| would do: fragmentation.
//
// Takes the smallest free span that fits, the leftmost of equals, so that one
// order of calls always yields one layout. O(log n) in the spans of one bin.
berth_span_t *berth_bestfit_alloc(berth_bestfit_t *fit, uint64_t size);

// Returns the span that berth_bestfit_alloc() would take, without taking it.
const berth_span_t *berth_bestfit_find(const berth_bestfit_t *fit,
                                       uint64_t size);

// As berth_bestfit_alloc(), but takes the right end of the largest free span:
// far from what best fit uses, so that nothing of it is there.
berth_span_t *berth_bestfit_alloc_far(berth_bestfit_t *fit, uint64_t size);

// Takes the |size| bytes at |offset|, which lie in |span|, a free one. Both are
// multiples of the grain. Returns NULL when there is no record for what is left
// on a side.
berth_span_t *berth_bestfit_take(berth_bestfit_t *fit, berth_span_t *span,
                                 uint64_t offset, uint64_t size);

// Gives |span| back and merges it with free neighbours. |span| must come from
// berth_bestfit_alloc() of |fit|; it is gone afterwards. O(log n).
void berth_bestfit_free(berth_bestfit_t *fit, berth_span_t *span);

// Returns the size of the largest free span, 0 when there is none. O(log n).
uint64_t berth_bestfit_largest(const berth_bestfit_t *fit);

// Walks everything and returns NULL when the invariants hold, otherwise a short
// text that says which one does not. For tests and `check` builds.
const char *berth_bestfit_check(const berth_bestfit_t *fit);

#endif  // BERTH_MEMORY_BESTFIT_H_
