// sets.h - Sets of small numbers that are numbered themselves.
//
// Set 0 is empty. The union of two sets is looked up before it is made, so that
// equal sets have equal numbers and are compared by them.
//
// Whatever makes a set returns -1 when memory is short.
//
// Threads: none of its own.
#ifndef BERTH_EXEC_SETS_H_
#define BERTH_EXEC_SETS_H_

#include "base/arena.h"
#include "base/hash.h"

typedef struct berth_few {
  const int32_t *items;  // They ascend.
  int32_t count;
} berth_few_t;

// Zeroed is none.
typedef struct berth_sets {
  berth_arena_t arena;  // Items, and keys of the maps.
  berth_few_t *all;
  size_t count, capacity;
  berth_map_t by_items;  // Items -> set.
  berth_map_t by_pair;   // Two sets -> their union.
} berth_sets_t;

// Begins with set 0.
bool berth_sets_init(berth_sets_t *sets);
void berth_sets_deinit(berth_sets_t *sets);

// Returns the set of |count| items that ascend.
int32_t berth_sets_get(berth_sets_t *sets, const int32_t *items, int32_t count);

// Returns the union of two sets; -1 where one of them is.
int32_t berth_sets_union(berth_sets_t *sets, int32_t a, int32_t b);

#endif  // BERTH_EXEC_SETS_H_
