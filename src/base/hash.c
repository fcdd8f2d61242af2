// hash.c - Hashing, and a map from strings to numbers.
#include "base/hash.h"

#include <string.h>

#include "base/alloc.h"

// Mixes as MurmurHash3's finaliser does: every input bit reaches every other.
static uint64_t mix(uint64_t h) {
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

static uint64_t load_word(const unsigned char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof(word));
  return word;
}

static uint64_t load_half(const unsigned char *bytes) {
  uint32_t half;
  memcpy(&half, bytes, sizeof(half));
  return half;
}

// Returns the last |size| bytes, less than eight, as a number: two halves that
// may overlap, or three bytes. Most of what is hashed is short names.
static uint64_t load_tail(const unsigned char *bytes, size_t size) {
  if (size >= 4) {
    return load_half(bytes) | load_half(bytes + size - 4) << (size - 4) * 8;
  }
  if (size == 0) return 0;
  return bytes[0] | (uint64_t)bytes[size / 2] << size / 2 * 8 |
         (uint64_t)bytes[size - 1] << (size - 1) * 8;
}

uint64_t berth_hash(const void *data, size_t size, uint64_t seed) {
  const unsigned char *bytes = data;
  uint64_t h = seed ^ (size * 0x9e3779b97f4a7c15ULL);
  for (; size >= 8; bytes += 8, size -= 8) {
    h = mix(h ^ load_word(bytes));
  }
  return mix(h ^ load_tail(bytes, size));
}

// Returns the entry that holds |key| or the free one where it would go.
static berth_map_entry_t *probe(const berth_map_t *map, const char *key,
                                size_t size, uint32_t hash) {
  size_t index = hash & (map->capacity - 1);
  for (;;) {
    berth_map_entry_t *entry = &map->entries[index];
    if (entry->key == NULL) return entry;
    if (entry->hash == hash && entry->key_size == size &&
        memcmp(entry->key, key, size) == 0) {
      return entry;
    }
    index = (index + 1) & (map->capacity - 1);
  }
}

int64_t *berth_map_find(const berth_map_t *map, const char *key, size_t size) {
  if (map->capacity == 0) return NULL;
  berth_map_entry_t *entry =
      probe(map, key, size, (uint32_t)berth_hash(key, size, 0));
  return entry->key != NULL ? &entry->value : NULL;
}

bool berth_map_reserve(berth_map_t *map, size_t count) {
  size_t capacity = map->capacity > 0 ? map->capacity : 16;
  while (capacity / 4 * 3 < count) capacity *= 2;
  if (capacity == map->capacity) return true;
  berth_map_t grown = {0};
  grown.entries = berth_calloc(capacity, sizeof(*grown.entries));
  if (grown.entries == NULL) return false;
  grown.capacity = capacity;
  grown.count = map->count;
  for (size_t i = 0; i < map->capacity; ++i) {
    const berth_map_entry_t *old = &map->entries[i];
    if (old->key == NULL) continue;
    *probe(&grown, old->key, old->key_size, old->hash) = *old;
  }
  berth_free(map->entries);
  *map = grown;
  return true;
}

bool berth_map_set(berth_map_t *map, const char *key, size_t size,
                   int64_t value) {
  if (!berth_map_reserve(map, map->count + 1)) return false;
  uint32_t hash = (uint32_t)berth_hash(key, size, 0);
  berth_map_entry_t *entry = probe(map, key, size, hash);
  if (entry->key == NULL) {
    *entry = (berth_map_entry_t){key, (uint32_t)size, hash, 0};
    ++map->count;
  }
  entry->value = value;
  return true;
}

void berth_map_clear(berth_map_t *map) {
  berth_free(map->entries);
  *map = (berth_map_t){0};
}
