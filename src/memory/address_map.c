// address_map.c - Finds what belongs to an address.
#include "memory/address_map.h"

#include <stdint.h>

#include "base/alloc.h"

// The entry where the search for |address| begins.
static size_t home_of(const berth_address_map_t *map, const void *address) {
  uint64_t hash = (uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15u;
  return (size_t)(hash >> 32) & (map->capacity - 1);
}

// Returns the entry of |address|, or the free one where it would go.
static berth_address_entry_t *probe(const berth_address_map_t *map,
                                    const void *address) {
  size_t at = home_of(map, address);
  while (map->entries[at].address != NULL &&
         map->entries[at].address != address) {
    at = (at + 1) & (map->capacity - 1);
  }
  return &map->entries[at];
}

static bool grow(berth_address_map_t *map) {
  berth_address_map_t larger = {
      .capacity = map->capacity > 0 ? map->capacity * 2 : 64,
      .count = map->count};
  larger.entries = berth_calloc(larger.capacity, sizeof(*larger.entries));
  if (larger.entries == NULL) return false;
  for (size_t i = 0; i < map->capacity; ++i) {
    const berth_address_entry_t *entry = &map->entries[i];
    if (entry->address != NULL) *probe(&larger, entry->address) = *entry;
  }
  berth_free(map->entries);
  *map = larger;
  return true;
}

bool berth_address_map_add(berth_address_map_t *map, const void *address,
                           void *value) {
  if (map->count * 2 >= map->capacity && !grow(map)) return false;
  *probe(map, address) = (berth_address_entry_t){address, value};
  ++map->count;
  return true;
}

// Moves entries behind the hole at |hole| back into it, as long as that brings
// them no farther from home than a search would begin.
static void close_hole(berth_address_map_t *map, size_t hole) {
  size_t mask = map->capacity - 1;
  for (size_t at = (hole + 1) & mask; map->entries[at].address != NULL;
       at = (at + 1) & mask) {
    size_t home = home_of(map, map->entries[at].address);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      map->entries[hole] = map->entries[at];
      hole = at;
    }
  }
  map->entries[hole] = (berth_address_entry_t){0};
}

void *berth_address_map_take(berth_address_map_t *map, const void *address) {
  if (map->capacity == 0) return NULL;
  berth_address_entry_t *entry = probe(map, address);
  if (entry->address == NULL) return NULL;
  void *value = entry->value;
  close_hole(map, (size_t)(entry - map->entries));
  --map->count;
  return value;
}

void berth_address_map_clear(berth_address_map_t *map) {
  berth_free(map->entries);
  *map = (berth_address_map_t){0};
}
