// work.c - One thing a stream does.
#include "softgpu/work.h"

#include <string.h>

#include "base/alloc.h"

berth_soft_work_t *berth_soft_work_create(const berth_soft_work_kind_t *kind,
                                          const void *payload, size_t size) {
  berth_soft_work_t *work = berth_alloc(sizeof(*work) + size);
  if (work == NULL) return NULL;
  work->kind = kind;
  work->size = size;
  atomic_init(&work->next, NULL);
  if (size > 0) memcpy(work->payload, payload, size);
  return work;
}
