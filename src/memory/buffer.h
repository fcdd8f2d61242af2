// buffer.h - A counted piece of memory.
//
// What tensors are made of. A buffer knows where its bytes are and how to give
// them back, and nothing about what they mean.
//
// Threads: counting is thread-safe; the fields never change after creation.
#ifndef BERTH_MEMORY_BUFFER_H_
#define BERTH_MEMORY_BUFFER_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct berth_buffer berth_buffer_t;

// Embedded at the start of whatever really owns the memory.
struct berth_buffer {
  atomic_int refs;
  void *data;   // Host pointer or device address.
  size_t size;  // Usable bytes at |data|.
  // Gives the memory and the buffer itself back; called at the last release.
  void (*destroy)(berth_buffer_t *buffer);
};

// Sets up |buffer| with one reference.
static inline void berth_buffer_init(berth_buffer_t *buffer, void *data,
                                     size_t size,
                                     void (*destroy)(berth_buffer_t *)) {
  atomic_init(&buffer->refs, 1);
  buffer->data = data;
  buffer->size = size;
  buffer->destroy = destroy;
}

static inline berth_buffer_t *berth_buffer_retain(berth_buffer_t *buffer) {
  atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
  return buffer;
}

static inline void berth_buffer_release(berth_buffer_t *buffer) {
  if (buffer != NULL &&
      atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) == 1) {
    buffer->destroy(buffer);
  }
}

static inline bool berth_buffer_is_exclusive(const berth_buffer_t *buffer) {
  return atomic_load_explicit(&buffer->refs, memory_order_acquire) == 1;
}

#endif  // BERTH_MEMORY_BUFFER_H_
