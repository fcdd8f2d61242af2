// retire.c - Freeing what runs may still be using.
#include "exec/retire.h"

#include <stddef.h>

#include "base/assert.h"

void berth_terms_init(berth_terms_t *terms) {
  *terms = (berth_terms_t){0};
  berth_mutex_init(&terms->lock);
}

static void destroy_all(berth_retired_t *retired) {
  while (retired != NULL) {
    berth_retired_t *next = retired->next;
    retired->destroy(retired);
    retired = next;
  }
}

void berth_terms_deinit(berth_terms_t *terms) {
  // Whoever left last may still hold the lock.
  berth_mutex_lock(&terms->lock);
  berth_retired_t *retired = terms->retired;
  terms->retired = NULL;
  berth_mutex_unlock(&terms->lock);
  // What these retire in turn is freed at once: nobody runs.
  destroy_all(retired);
  berth_mutex_deinit(&terms->lock);
}

// The term may pass before the run is counted. That does no harm: what the run
// finds is retired afterwards and freed two terms later, and one of these two
// begins only when nobody is counted where the run is.
unsigned berth_terms_enter(berth_terms_t *terms) {
  unsigned term = atomic_load(&terms->term);
  atomic_fetch_add(&terms->running[term % 2], 1);
  return term;
}

// Begins new terms as far as that goes, and returns what can be freed. The lock
// is held.
static berth_retired_t *advance(berth_terms_t *terms) {
  unsigned term = atomic_load(&terms->term);
  for (int i = 0; i < 2; ++i) {
    if (atomic_load(&terms->running[(term + 1) % 2]) > 0) break;
    atomic_store(&terms->term, ++term);
  }
  berth_retired_t *free_now = NULL, **link = &terms->retired;
  while (*link != NULL) {
    berth_retired_t *retired = *link;
    if (term - retired->term < 2) {
      link = &retired->next;
      continue;
    }
    *link = retired->next;
    retired->next = free_now;
    free_now = retired;
  }
  atomic_store(&terms->has_retired, terms->retired != NULL);
  return free_now;
}

void berth_terms_leave(berth_terms_t *terms, unsigned term) {
  BERTH_ASSERT(atomic_load(&terms->running[term % 2]) > 0);
  // Nothing is touched behind the count: the owner may be waiting for it.
  if (!atomic_load_explicit(&terms->has_retired, memory_order_relaxed)) {
    atomic_fetch_sub(&terms->running[term % 2], 1);
    return;
  }
  atomic_fetch_add(&terms->freeing, 1);
  berth_mutex_lock(&terms->lock);
  atomic_fetch_sub(&terms->running[term % 2], 1);
  berth_retired_t *free_now = advance(terms);
  berth_mutex_unlock(&terms->lock);
  destroy_all(free_now);
  atomic_fetch_sub(&terms->freeing, 1);
}

int berth_terms_running(const berth_terms_t *terms) {
  return atomic_load(&terms->running[0]) + atomic_load(&terms->running[1]) +
         atomic_load(&terms->freeing);
}

void berth_terms_retire(berth_terms_t *terms, berth_retired_t *retired) {
  berth_mutex_lock(&terms->lock);
  retired->term = atomic_load(&terms->term);
  retired->next = terms->retired;
  terms->retired = retired;
  berth_retired_t *free_now = advance(terms);
  berth_mutex_unlock(&terms->lock);
  destroy_all(free_now);
}
