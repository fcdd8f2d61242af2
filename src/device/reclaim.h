// reclaim.h - Who gives up what is idle when memory of a device is wanted.
//
// Some memory is kept because it will probably be needed again: what lenders
// hold (device/lender.h), frames of programs, recordings. Lenders give it up
// first; whoever else keeps such memory of a device registers a reclaimer
// there. It is asked when an allocation of that device (its own
// memory, or its pinned memory) would be refused, and before its card is given
// back.
//
// Removing a reclaimer waits until nobody is being asked. One is called with no
// lock of Berth held by the caller of an allocation: it may release buffers,
// events and recordings, and may take locks of its own. It must not wait for
// work, run anything, or add or remove reclaimers; memory it asks for is given
// or refused without asking anybody. Hence whoever allocates holds none of the
// locks that a reclaimer takes.
//
// Threads: thread-safe.
#ifndef BERTH_DEVICE_RECLAIM_H_
#define BERTH_DEVICE_RECLAIM_H_

#include "device/device.h"
#include "memory/pool.h"

// The caller's storage; in a list between add and remove.
struct berth_reclaimer {
  // Gives up what is idle of |device|. True when that was anything.
  bool (*give_up)(void *arg, berth_device_t *device);
  void *arg;
  berth_reclaimer_t *next;  // Set once, when it is added.
};

// Puts |reclaimer| on the list of |device|, and takes it off again. NULL, or
// one that is on no list, is fine for remove.
void berth_reclaimer_add(berth_device_t *device, berth_reclaimer_t *reclaimer);
void berth_reclaimer_remove(berth_device_t *device,
                            berth_reclaimer_t *reclaimer);

// Asks everybody on the list of |device| once, lenders first. True when
// anything was given up. False at once for who is being asked.
bool berth_reclaim(berth_device_t *device);

// Makes a buffer of |pool|, as berth_pool_buffer() does, for |device|. When it
// would be refused, reclaimers are asked, and it is tried once more. Fails as
// berth_pool_buffer() does.
BERTH_NODISCARD berth_code_t berth_reclaim_buffer(berth_device_t *device,
                                                  berth_pool_t *pool,
                                                  size_t size,
                                                  berth_buffer_t **out_buffer,
                                                  berth_error_t *err);

// Moves what is in use, but by nobody just now, elsewhere until |bytes| of
// |device| have come free; returns how many did.
typedef uint64_t (*berth_spill_fn)(berth_device_t *device, uint64_t bytes);

// Sets who does that (NULL: nobody, as at first), and asks whether somebody
// does.
void berth_reclaim_set_spill(berth_spill_fn spill);
bool berth_reclaim_has_spill(void);

// Has it done, the last thing before a request is refused: the caller may hold
// locks of who is moved, but none of a pool. Returns the bytes that came free;
// 0 for who is being asked.
uint64_t berth_reclaim_spill(berth_device_t *device, uint64_t bytes);

#endif  // BERTH_DEVICE_RECLAIM_H_
