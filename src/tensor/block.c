// block.c - The heap blocks that small tensors are made of.
//
//   cache -> lists[class] -> block -> block -> NULL
//
// A block of a class always has the full size of the class, however it came
// about, so that it may enter the list of any thread.
#include "tensor/block.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/fault.h"

#if defined(__SANITIZE_ADDRESS__)
#define SEES_ALL 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEES_ALL 1
#endif
#endif
#ifndef SEES_ALL
#define SEES_ALL BERTH_TSAN
#endif

// Classes of 256 bytes times a power of two; the last one holds a tensor of
// BERTH_SMALL_TENSOR bytes with its headers.
enum { CLASS_COUNT = 6, SMALLEST_CLASS = 256, NO_CLASS = CLASS_COUNT };

enum { LARGE_BLOCK = 4 << 20 };

// About 16 KiB a class, so that a thread keeps less than 100 KiB.
static const uint8_t keep_counts[CLASS_COUNT] = {64, 32, 16, 8, 4, 2};

typedef struct free_block {
  struct free_block *next;
} free_block_t;

typedef struct block_cache {
  free_block_t *lists[CLASS_COUNT];
  uint8_t counts[CLASS_COUNT];
  bool is_open;  // Its end is registered with the thread's.
  bool is_over;  // The thread is ending: nothing is kept any more.
} block_cache_t;

static BERTH_THREAD_LOCAL block_cache_t cache;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key = false;

// Returns the class whose blocks have at least |size| bytes.
static int class_of(size_t size) {
  if (size <= SMALLEST_CLASS) return 0;
  if (size > (size_t)SMALLEST_CLASS << (CLASS_COUNT - 1)) return NO_CLASS;
  return 56 - __builtin_clzll((unsigned long long)(size - 1));
}

static void cache_close(void *arg) {
  block_cache_t *ending = arg;
  ending->is_over = true;
  for (int i = 0; i < CLASS_COUNT; ++i) {
    while (ending->lists[i] != NULL) {
      free_block_t *block = ending->lists[i];
      ending->lists[i] = block->next;
      berth_free(block);
    }
    ending->counts[i] = 0;
  }
}

static void key_create(void) {
  has_key = pthread_key_create(&key, cache_close) == 0;
}

// Arranges for the cache to be emptied when the thread ends. False: this thread
// keeps nothing.
static BERTH_NOINLINE bool cache_open(void) {
  if (cache.is_over) return false;
  pthread_once(&key_once, key_create);
  cache.is_open = has_key && pthread_setspecific(key, &cache) == 0;
  cache.is_over = !cache.is_open;
  return cache.is_open;
}

static bool sees_all(void) {
  return SEES_ALL ||
         atomic_load_explicit(&berth_fault_armed, memory_order_relaxed);
}

// Returns a block that no list takes, in huge pages where it fills some:
// walking through it in small ones costs a third of the speed of large kernels.
static void *alloc_alone(size_t size) {
  return size >= LARGE_BLOCK ? berth_alloc_large(size) : berth_alloc(size);
}

void *berth_block_alloc(size_t size) {
  int class = class_of(size);
  if (SEES_ALL || class == NO_CLASS) return alloc_alone(size);
  free_block_t *block = cache.lists[class];
  if (block == NULL || sees_all()) {
    return berth_alloc((size_t)SMALLEST_CLASS << class);
  }
  cache.lists[class] = block->next;
  --cache.counts[class];
  return block;
}

void berth_block_free(void *block, size_t size) {
  int class = class_of(size);
  if (class == NO_CLASS || sees_all() ||
      cache.counts[class] >= keep_counts[class] ||
      (!cache.is_open && !cache_open()) || cache.is_over) {
    berth_free(block);
    return;
  }
  free_block_t *freed = block;
  freed->next = cache.lists[class];
  cache.lists[class] = freed;
  ++cache.counts[class];
}
