// pages.h - Pieces of physical memory, and where each is mapped.
//
// Pure bookkeeping, like memory/bestfit.h: no driver and no lock. Addresses are
// counted in granules, the unit in which a page source maps. A piece is one
// handle of the source, 2^order granules large.
//
//     table   | 0 | 0 |   |   | 1 | 1 | 1 | 1 |   | 2 |  ...   by granule
//               └──┬──┘         └──────┬──────┘     |
//     pieces    order 1           order 2        order 0
//
//   I1  A mapped piece is the entry of exactly the granules it covers.
//   I2  A piece is in use, or in the idle list of its order: |mapped| when it
//       still lies where it was used last, |loose| when it lies nowhere.
//   I3  The idle lists are in the order in which pieces fell idle. Tickets only
//       rise, so when the first of a list is busy, all of it is.
//
// Sizes are powers of two so that what one request leaves behind fits the next:
// any number of granules is a sum of few of them.
//
// Threads: caller serialises.
#ifndef BERTH_MEMORY_PAGES_H_
#define BERTH_MEMORY_PAGES_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "memory/timeline.h"

enum {
  // Up to 512 granules, 1 GiB of 2 MiB each: mapping costs a card little more
  // for that than for 2 MiB, while larger pieces would seldom fit again.
  BERTH_PIECE_ORDERS = 10,
  BERTH_TIMELINES = 8,
};

typedef struct berth_piece berth_piece_t;
struct berth_piece {
  uint64_t handle;             // The source's.
  uint64_t first;              // Where it is mapped, in granules.
  berth_piece_t *prev, *next;  // In its idle list.
  uint64_t idle_since;         // The counter's stamp; 0: in use.
  int order;
  bool is_mapped;
  // What had been handed to each timeline when it fell idle.
  uint64_t tickets[BERTH_TIMELINES];
};

typedef struct berth_piece_list {
  berth_piece_t *first, *last;
} berth_piece_list_t;

typedef struct berth_pages {
  uint64_t granularity;
  uint64_t count;         // Granules that can be mapped.
  berth_piece_t **table;  // By granule; NULL: nothing is mapped there.
  berth_piece_list_t loose[BERTH_PIECE_ORDERS], mapped[BERTH_PIECE_ORDERS];
  uint64_t idle_count[BERTH_PIECE_ORDERS];  // In either list.
  uint64_t held_bytes;                      // In all pieces.
  uint64_t idle_bytes;                      // In idle ones.
  uint64_t piece_count;                     // All pieces.
  uint64_t clock;                           // Counts pieces that fell idle.
  berth_timeline_t *const *timelines;       // Borrowed; outlive this.
  int timeline_count;
  uint64_t passed[BERTH_TIMELINES];  // How far each is known to have come.
} berth_pages_t;

// Granules [first, first + count).
typedef struct berth_page_run {
  uint64_t first, count;
} berth_page_run_t;

// What is missing in a run: granules with nothing mapped, or a piece that
// reaches over the edge of the run and must leave first.
typedef struct berth_gap {
  berth_page_run_t run;
  berth_piece_t *across;  // NULL: |run| is what is missing.
} berth_gap_t;

// Sets up |pages| for |count| granules of |granularity| bytes, none mapped.
BERTH_NODISCARD berth_code_t berth_pages_init(berth_pages_t *pages,
                                              uint64_t granularity,
                                              uint64_t count,
                                              berth_error_t *err);

// Frees the table. All pieces must be gone. Zeroed is fine.
void berth_pages_deinit(berth_pages_t *pages);

// Makes the record of a piece that is in use and lies nowhere; NULL when memory
// is short. Its bytes count as held from here on.
berth_piece_t *berth_pages_add(berth_pages_t *pages, int order);

// Forgets a piece that is in use and lies nowhere.
void berth_pages_remove(berth_pages_t *pages, berth_piece_t *piece);

// Notes that |piece| lies at |first|, and that it lies nowhere.
void berth_pages_put(berth_pages_t *pages, berth_piece_t *piece,
                     uint64_t first);
void berth_pages_cut(berth_pages_t *pages, berth_piece_t *piece);

// Puts |piece| into its idle list, and takes it out. Either may be so already.
void berth_pages_rest(berth_pages_t *pages, berth_piece_t *piece);
void berth_pages_wake(berth_pages_t *pages, berth_piece_t *piece);

// Wakes the pieces that lie within |run|; true when they cover it.
bool berth_pages_hold(berth_pages_t *pages, berth_page_run_t run);

// Lets the pieces that lie within |run| rest.
void berth_pages_drop(berth_pages_t *pages, berth_page_run_t run);

// Finds the first thing missing in |run|; false when nothing is.
bool berth_pages_gap(const berth_pages_t *pages, berth_page_run_t run,
                     berth_gap_t *out_gap);

// Returns how many granules of |run| are not covered from within.
uint64_t berth_pages_missing(const berth_pages_t *pages, berth_page_run_t run);

// True when no work can touch |piece| any more, as far as |passed| tells.
bool berth_pages_is_passed(const berth_pages_t *pages,
                           const berth_piece_t *piece);

// Returns the idle piece of |order| to take next, one that lies nowhere if
// there is one; NULL when there is none that has passed and fell idle by
// |stamp|.
berth_piece_t *berth_pages_find(const berth_pages_t *pages, int order,
                                uint64_t stamp);

// Returns the piece that has been idle longest of those that have passed
// (|has_passed|) or have not, or NULL.
berth_piece_t *berth_pages_oldest(const berth_pages_t *pages, bool has_passed);

// Returns the bytes of |piece|.
static inline uint64_t berth_piece_size(const berth_pages_t *pages,
                                        const berth_piece_t *piece) {
  return pages->granularity << piece->order;
}

// Returns the granule behind |piece|, which is mapped.
static inline uint64_t berth_piece_end(const berth_piece_t *piece) {
  return piece->first + ((uint64_t)1 << piece->order);
}

// Walks everything and returns NULL when the invariants hold, otherwise what
// does not. For tests and `check` builds.
const char *berth_pages_check(const berth_pages_t *pages);

#endif  // BERTH_MEMORY_PAGES_H_
