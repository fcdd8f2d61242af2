// address_map.h - Finds what belongs to an address.
//
// Open addressing with linear probing over a power-of-two table, at most half
// full; removal shifts the followers back, so that there are no tombstones.
//
// Threads: caller serialises.
#ifndef BERTH_MEMORY_ADDRESS_MAP_H_
#define BERTH_MEMORY_ADDRESS_MAP_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct berth_address_entry {
  const void *address;  // NULL marks a free entry.
  void *value;          // Borrowed.
} berth_address_entry_t;

// Zeroed is empty and valid.
typedef struct berth_address_map {
  berth_address_entry_t *entries;
  size_t capacity;  // A power of two, or 0.
  size_t count;
} berth_address_map_t;

// Adds |address|, which must not be there. False when memory is short; the map
// is then unchanged.
bool berth_address_map_add(berth_address_map_t *map, const void *address,
                           void *value);

// Takes |address| out and returns its value, or NULL when it is not there.
void *berth_address_map_take(berth_address_map_t *map, const void *address);

// Frees everything and makes |map| empty.
void berth_address_map_clear(berth_address_map_t *map);

#endif  // BERTH_MEMORY_ADDRESS_MAP_H_
