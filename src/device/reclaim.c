// reclaim.c - Who gives up what is idle when memory of a device is wanted.
#include "device/reclaim.h"

#include "base/fork.h"
#include "memory/label.h"

// Guards the lists of all devices, and |asking|. Nothing is called under it.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
static berth_cond_t is_over = {PTHREAD_COND_INITIALIZER};
// Threads that ask just now: meanwhile nobody leaves a list.
static int asking = 0;

static void before_fork(void) { berth_mutex_lock(&lock); }
static void in_parent(void) { berth_mutex_unlock(&lock); }

// Whoever was asking is not in the child.
static void in_child(void) {
  asking = 0;
  berth_cond_init(&is_over);
  berth_mutex_unlock(&lock);
}

BERTH_FORK_HOOK(lists, .rank = BERTH_FORK_LEAF, .before = before_fork,
                .in_parent = in_parent, .in_child = in_child)

// True while the thread asks: nobody is asked again on behalf of those asked.
static BERTH_THREAD_LOCAL bool is_asking = false;

void berth_reclaimer_add(berth_device_t *device, berth_reclaimer_t *reclaimer) {
  berth_mutex_lock(&lock);
  reclaimer->next = device->reclaimers;
  device->reclaimers = reclaimer;
  berth_mutex_unlock(&lock);
}

void berth_reclaimer_remove(berth_device_t *device,
                            berth_reclaimer_t *reclaimer) {
  berth_mutex_lock(&lock);
  while (asking > 0) berth_cond_wait(&is_over, &lock);
  berth_reclaimer_t **link = &device->reclaimers;
  while (*link != NULL && *link != reclaimer) link = &(*link)->next;
  if (*link != NULL) *link = (*link)->next;
  berth_mutex_unlock(&lock);
}

// Begins to ask: returns the list, which loses nobody until it is over.
static berth_reclaimer_t *ask_begin(berth_device_t *device) {
  berth_mutex_lock(&lock);
  ++asking;
  berth_reclaimer_t *first = device->reclaimers;
  berth_mutex_unlock(&lock);
  return first;
}

static void ask_end(void) {
  berth_mutex_lock(&lock);
  if (--asking == 0) berth_cond_broadcast(&is_over);
  berth_mutex_unlock(&lock);
}

bool berth_reclaim(berth_device_t *device) {
  if (is_asking) return false;
  is_asking = true;
  bool gave = berth_lender_give_up(&device->lender);
  if (berth_lender_give_up(&device->pinned_lender)) gave = true;
  berth_reclaimer_t *r = ask_begin(device);
  for (; r != NULL; r = r->next) {
    if (r->give_up(r->arg, device)) gave = true;
  }
  ask_end();
  is_asking = false;
  return gave;
}

// What works on a card holds its gate, and says at least what kind of thing it
// is.
static const char *who_asks(void) {
  return berth_label_now != NULL ? berth_label_now : berth_gate_label();
}

berth_code_t berth_reclaim_buffer(berth_device_t *device, berth_pool_t *pool,
                                  size_t size, berth_buffer_t **out_buffer,
                                  berth_error_t *err) {
  // Where the policy says to wait, what is idle goes before anybody waits.
  berth_request_t request = {
      .size = size, .label = who_asks(), .no_wait = true};
  berth_code_t code = berth_pool_request(pool, &request, out_buffer, err);
  if (BERTH_LIKELY(code != BERTH_RESOURCE_EXHAUSTED)) return code;
  (void)berth_reclaim(device);
  berth_error_clear(err);
  request.no_wait = false;
  return berth_pool_request(pool, &request, out_buffer, err);
}

// ---- What is in use ----

static _Atomic(berth_spill_fn) spiller = NULL;

void berth_reclaim_set_spill(berth_spill_fn spill) {
  atomic_store(&spiller, spill);
}

bool berth_reclaim_has_spill(void) { return atomic_load(&spiller) != NULL; }

uint64_t berth_reclaim_spill(berth_device_t *device, uint64_t bytes) {
  berth_spill_fn spill = atomic_load(&spiller);
  if (spill == NULL || is_asking) return 0;
  is_asking = true;
  uint64_t freed = spill(device, bytes);
  is_asking = false;
  return freed;
}
