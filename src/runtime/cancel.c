// cancel.c - Handles that end runs from another thread.
#include "base/alloc.h"
#include "runtime/session_internal.h"

berth_cancel_t *berth_cancel_create(void) {
  berth_cancel_t *cancel = berth_calloc(1, sizeof(*cancel));
  if (cancel != NULL) atomic_init(&cancel->refs, 1);
  return cancel;
}

berth_cancel_t *berth_cancel_retain(berth_cancel_t *cancel) {
  if (cancel == NULL) return NULL;
  atomic_fetch_add(&cancel->refs, 1);
  return cancel;
}

void berth_cancel_release(berth_cancel_t *cancel) {
  if (cancel == NULL) return;
  if (atomic_fetch_sub(&cancel->refs, 1) == 1) {
    berth_free(cancel);
  }
}

void berth_cancel_fire(berth_cancel_t *cancel) {
  if (cancel == NULL) return;
  atomic_store(&cancel->fired, 1);
}
