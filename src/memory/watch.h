// watch.h - Tells AddressSanitizer which parts of a region are in use.
//
// Without this a pool hides use-after-free from it: the memory stays mapped.
// Costs nothing in builds without the sanitizer.
#ifndef BERTH_MEMORY_WATCH_H_
#define BERTH_MEMORY_WATCH_H_

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define BERTH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BERTH_ASAN 1
#endif
#endif

#ifdef BERTH_ASAN
#include <sanitizer/asan_interface.h>
#endif

// Touching [data, data + size) is an error from here on.
static inline void berth_watch_close(void *data, size_t size) {
#ifdef BERTH_ASAN
  __asan_poison_memory_region(data, size);
#else
  (void)data;
  (void)size;
#endif
}

// Touching [data, data + size) is fine from here on.
static inline void berth_watch_open(void *data, size_t size) {
#ifdef BERTH_ASAN
  __asan_unpoison_memory_region(data, size);
#else
  (void)data;
  (void)size;
#endif
}

#endif  // BERTH_MEMORY_WATCH_H_
