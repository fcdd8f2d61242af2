// backing.c - What pools of devices stand on, and how long that lives.
#include <stdio.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "cuda/stream/device_internal.h"

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards the list.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static berth_cuda_backing_t *backings = NULL;  // All there ever were.

// Returns one that nobody needs any more, or NULL. Lock held.
static berth_cuda_backing_t *find_idle(const berth_cuda_card_t *card) {
  berth_cuda_backing_t *backing = backings;
  while (backing != NULL && (backing->is_taken || backing->card != card ||
                             atomic_load(&backing->outstanding) > 0)) {
    backing = backing->next;
  }
  return backing;
}

static berth_cuda_backing_t *create(berth_cuda_card_t *card) {
  berth_cuda_backing_t *backing = berth_calloc(1, sizeof(*backing));
  if (backing == NULL) return NULL;
  backing->card = card;
  for (int i = 0; i < BERTH_LANES; ++i) {
    berth_cuda_stream_init(&backing->lanes[i], card);
    backing->timelines[i] = &backing->lanes[i].timeline;
  }
  backing->next = backings;
  backings = backing;
  return backing;
}

berth_code_t berth_cuda_backing_take(berth_cuda_card_t *card, const char *name,
                                     bool is_managed,
                                     berth_cuda_backing_t **out_backing,
                                     berth_error_t *err) {
  berth_mutex_lock(&lock);
  berth_cuda_backing_t *backing = find_idle(card);
  if (backing == NULL) backing = create(card);
  if (backing != NULL) backing->is_taken = true;
  berth_mutex_unlock(&lock);
  if (backing == NULL) return berth_error_no_memory(err, "a GPU device");
  backing->is_managed = is_managed;
  snprintf(backing->name, sizeof(backing->name), "%s", name);
  berth_cuda_source_init(backing);
  *out_backing = backing;
  return BERTH_OK;
}

void berth_cuda_backing_give(berth_cuda_backing_t *backing) {
  if (backing == NULL) return;
  for (int i = 0; i < BERTH_LANES; ++i) {
    berth_cuda_stream_close(&backing->lanes[i]);
  }
  berth_mutex_lock(&lock);
  backing->is_taken = false;
  berth_mutex_unlock(&lock);
}
