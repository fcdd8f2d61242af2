// program_cache.c - The programs of a session that were used last.
#include "runtime/program_cache.h"

#include "base/alloc.h"

#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

// Every run hashes: so little is done for each number, and they are mixed once
// at the end.
static uint64_t join(uint64_t hash, uint64_t number) {
  return (hash << 7 | hash >> 57) ^ number;
}

static uint64_t outs_hash(uint64_t hash, const berth_out_t *outs, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t index = (uint32_t)outs[i].index;
    hash = join(hash, (uint32_t)outs[i].node ^ index << 40);
  }
  return hash;
}

uint64_t berth_signature_hash(const berth_signature_t *signature) {
  uint64_t hash = (uint64_t)signature->is_partial;
  const int16_t *spaces = signature->feed_spaces;
  for (int i = 0; spaces != NULL && i < signature->feed_count; ++i) {
    hash = join(hash, (uint16_t)spaces[i]);
  }
  hash = outs_hash(hash, signature->feeds, signature->feed_count);
  hash = outs_hash(join(hash, 1), signature->fetches, signature->fetch_count);
  hash = join(hash, 2);
  for (int i = 0; i < signature->target_count; ++i) {
    hash = join(hash, (uint32_t)signature->targets[i]);
  }
  hash *= MULTIPLIER;
  return hash ^ hash >> 32;
}

berth_program_t *berth_program_cache_find(berth_program_cache_t *cache,
                                          uint64_t hash,
                                          const berth_signature_t *signature) {
  berth_program_entry_t *entry = atomic_load_explicit(
      &cache->buckets[hash % BERTH_PROGRAM_BUCKETS], memory_order_acquire);
  while (entry != NULL && (entry->hash != hash ||
                           !berth_program_is_for(entry->program, signature))) {
    entry = atomic_load_explicit(&entry->next, memory_order_acquire);
  }
  if (entry == NULL) return NULL;
  unsigned tick = atomic_load_explicit(&cache->tick, memory_order_relaxed);
  if (atomic_load_explicit(&entry->used, memory_order_relaxed) != tick) {
    atomic_store_explicit(&entry->used, tick, memory_order_relaxed);
  }
  return entry->program;
}

static void entry_destroy(berth_retired_t *retired) {
  berth_program_entry_t *entry = (berth_program_entry_t *)retired;
  berth_program_release(entry->program);
  berth_free(entry);
}

// Takes what |link| leads to out of its list.
static void entry_remove(berth_program_cache_t *cache,
                         _Atomic(berth_program_entry_t *) *link) {
  berth_program_entry_t *entry = atomic_load(link);
  atomic_store(link, atomic_load(&entry->next));
  --cache->count;
  entry->retired.destroy = entry_destroy;
  berth_terms_retire(cache->terms, &entry->retired);
}

// Forgets the program that was not used for longest.
static void oldest_remove(berth_program_cache_t *cache) {
  _Atomic(berth_program_entry_t *) *oldest = NULL;
  unsigned tick = atomic_load(&cache->tick), most = 0;
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    _Atomic(berth_program_entry_t *) *link = &cache->buckets[i];
    for (berth_program_entry_t *entry = atomic_load(link); entry != NULL;
         entry = atomic_load(link)) {
      unsigned age = tick - atomic_load(&entry->used);
      if (oldest == NULL || age > most) {
        oldest = link;
        most = age;
      }
      link = &entry->next;
    }
  }
  if (oldest != NULL) entry_remove(cache, oldest);
}

berth_code_t berth_program_cache_add(berth_program_cache_t *cache,
                                     uint64_t hash, berth_program_t *program,
                                     berth_error_t *err) {
  berth_program_entry_t *entry = berth_calloc(1, sizeof(*entry));
  if (entry == NULL) {
    berth_program_release(program);
    return berth_error_no_memory(err, "a program");
  }
  if (cache->count >= cache->most) oldest_remove(cache);
  _Atomic(berth_program_entry_t *) *bucket =
      &cache->buckets[hash % BERTH_PROGRAM_BUCKETS];
  entry->hash = hash;
  entry->program = program;
  atomic_store(&entry->used, atomic_fetch_add(&cache->tick, 1) + 1);
  atomic_store(&entry->next, atomic_load(bucket));
  atomic_store_explicit(bucket, entry, memory_order_release);
  ++cache->count;
  return BERTH_OK;
}

void berth_program_cache_clear(berth_program_cache_t *cache) {
  for (int i = 0; i < BERTH_PROGRAM_BUCKETS; ++i) {
    while (atomic_load(&cache->buckets[i]) != NULL) {
      entry_remove(cache, &cache->buckets[i]);
    }
  }
}
