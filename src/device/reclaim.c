// reclaim.c - Who gives up what is idle when memory of a device is wanted.
#include "device/reclaim.h"

// True while the thread asks: nobody is asked again on behalf of those asked.
static BERTH_THREAD_LOCAL bool is_asking = false;

void berth_reclaimer_add(berth_device_t *device, berth_reclaimer_t *reclaimer) {
  berth_mutex_lock(&device->reclaim_lock);
  reclaimer->next = device->reclaimers;
  device->reclaimers = reclaimer;
  berth_mutex_unlock(&device->reclaim_lock);
}

void berth_reclaimer_remove(berth_device_t *device,
                            berth_reclaimer_t *reclaimer) {
  berth_mutex_lock(&device->reclaim_lock);
  berth_reclaimer_t **link = &device->reclaimers;
  while (*link != NULL && *link != reclaimer) link = &(*link)->next;
  if (*link != NULL) *link = (*link)->next;
  berth_mutex_unlock(&device->reclaim_lock);
}

bool berth_reclaim(berth_device_t *device) {
  if (is_asking) return false;
  is_asking = true;
  bool gave = berth_lender_give_up(&device->lender);
  if (berth_lender_give_up(&device->pinned_lender)) gave = true;
  berth_mutex_lock(&device->reclaim_lock);
  for (berth_reclaimer_t *r = device->reclaimers; r != NULL; r = r->next) {
    if (r->give_up(r->arg, device)) gave = true;
  }
  berth_mutex_unlock(&device->reclaim_lock);
  is_asking = false;
  return gave;
}

berth_code_t berth_reclaim_buffer(berth_device_t *device, berth_pool_t *pool,
                                  size_t size, berth_buffer_t **out_buffer,
                                  berth_error_t *err) {
  // Where the policy says to wait, what is idle goes before anybody waits.
  berth_request_t request = {.size = size, .no_wait = true};
  berth_code_t code = berth_pool_request(pool, &request, out_buffer, err);
  if (BERTH_LIKELY(code != BERTH_RESOURCE_EXHAUSTED)) return code;
  (void)berth_reclaim(device);
  berth_error_clear(err);
  request.no_wait = false;
  return berth_pool_request(pool, &request, out_buffer, err);
}
