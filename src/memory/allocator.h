// allocator.h - Where tensors get their memory from.
//
// One interface in front of every kind of memory: a device has an allocator,
// and whoever makes a tensor there asks it for a buffer. What lies behind it (a
// pool over host memory, a pool over a card) is the device's business.
//
// Threads: thread-safe.
#ifndef BERTH_MEMORY_ALLOCATOR_H_
#define BERTH_MEMORY_ALLOCATOR_H_

#include <stddef.h>

#include "base/error.h"
#include "memory/buffer.h"

typedef struct berth_device berth_device_t;

// Embedded at the start of whatever really allocates.
typedef struct berth_allocator berth_allocator_t;
struct berth_allocator {
  // Makes a buffer of at least |size| bytes, aligned to 64, with one reference.
  // BERTH_RESOURCE_EXHAUSTED when there is none.
  berth_code_t (*alloc)(berth_allocator_t *allocator, size_t size,
                        berth_buffer_t **out_buffer, berth_error_t *err);
  berth_device_t *device;  // Borrowed; NULL: host memory.
  // Optional: returns what an allocation of |size| bytes takes of the memory,
  // as its figures count. NULL: whole grains (memory/bestfit.h).
  size_t (*takes)(berth_allocator_t *allocator, size_t size);
};

#endif  // BERTH_MEMORY_ALLOCATOR_H_
