// work.h - One thing a stream does: a copy, a launch, a wait.
//
// Work is a kind and a payload that was copied when it was submitted. Captured
// work is kept in a graph and run again and again, so running must not change
// the payload.
#ifndef BERTH_SOFTGPU_WORK_H_
#define BERTH_SOFTGPU_WORK_H_

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cuda/api/driver.h"

typedef struct berth_soft_work_kind {
  const char *name;
  // Does it, on the thread of |stream|.
  void (*run)(CUstream stream, const void *payload);
  // Optional. Gives back what the payload refers to, once it has run or been
  // left out.
  void (*drop)(const void *payload);
  // Orders streams and touches no memory: done after a fault as well, so that
  // nobody waits for ever.
  bool is_order;
} berth_soft_work_kind_t;

typedef struct berth_soft_work {
  const berth_soft_work_kind_t *kind;
  _Atomic(struct berth_soft_work *) next;  // In the queue of a stream.
  size_t size;
  alignas(16) unsigned char payload[];
} berth_soft_work_t;

// Returns work with a copy of |size| bytes of |payload|, or NULL when there is
// no memory.
berth_soft_work_t *berth_soft_work_create(const berth_soft_work_kind_t *kind,
                                          const void *payload, size_t size);

#endif  // BERTH_SOFTGPU_WORK_H_
