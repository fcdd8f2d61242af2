// hash.h - Hashing, and a map from strings to numbers.
//
// Open addressing with linear probing over a power-of-two table, at most
// three quarters full. Keys are borrowed: they must outlive the map. There is
// no removal; maps here only grow.
//
// Threads: caller serialises; lookups alone may run together.
#ifndef BERTH_BASE_HASH_H_
#define BERTH_BASE_HASH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Hashes |size| bytes; |seed| chains calls. The same in every version: names of
// cards made in software come from it.
uint64_t berth_hash(const void *data, size_t size, uint64_t seed);

typedef struct berth_map_entry {
  const char *key;  // Borrowed; outlives the map. NULL marks a free entry.
  uint32_t key_size;
  uint32_t hash;
  int64_t value;
} berth_map_entry_t;

// Zeroed is empty and valid.
typedef struct berth_map {
  berth_map_entry_t *entries;
  size_t capacity;  // A power of two, or 0.
  size_t count;
} berth_map_t;

// Returns the value of |key|, or NULL. Borrowed; valid until the next insert.
int64_t *berth_map_find(const berth_map_t *map, const char *key, size_t size);

// Sets |key| to |value|, replacing an old one. False when memory is short; the
// map is then unchanged.
bool berth_map_set(berth_map_t *map, const char *key, size_t size,
                   int64_t value);

// Makes room for |count| entries in all; false when memory is short.
bool berth_map_reserve(berth_map_t *map, size_t count);

// Frees everything and makes |map| empty.
void berth_map_clear(berth_map_t *map);

#endif  // BERTH_BASE_HASH_H_
