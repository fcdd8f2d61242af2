// reset.c - Gives everything of a card back, context included.
//
//   1. The card's gate is closed: whoever uses the card has left, and others
//      wait outside. What is idle is given up; what is queued is done.
//   2. Pools give their memory back; contents go to the host if they are kept.
//      Handles of pages outlive a context, so this comes before 4.
//   3. Streams, pinned memory and libraries let go of the context.
//   4. The context is reset, which clears a fault where the driver lets it.
//
// Devices stay open. They are started anew, with memory at the addresses it
// had, when they are next used.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "berth/device.h"
#include "cuda/card/card.h"
#include "cuda/code/blas.h"
#include "cuda/code/dnn.h"
#include "cuda/code/launch_internal.h"
#include "cuda/code/solver.h"
#include "cuda/stream/collective.h"
#include "cuda/stream/device_internal.h"
#include "device/reclaim.h"

// How long somebody who gives a card back waits for those who use it.
#define GIVE_BACK_WAIT_NS ((int64_t)BERTH_GIVE_BACK_WAIT_MS * 1000000)

// Guards |roster| and |gates|.
static berth_mutex_t roster_lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(roster_lock, BERTH_FORK_ROSTER)
static berth_cuda_device_t *roster = NULL;  // All that are open.

void berth_cuda_roster_add(berth_cuda_device_t *gpu) {
  berth_mutex_lock(&roster_lock);
  gpu->next = roster;
  roster = gpu;
  berth_mutex_unlock(&roster_lock);
}

void berth_cuda_roster_remove(berth_cuda_device_t *gpu) {
  berth_mutex_lock(&roster_lock);
  berth_cuda_device_t **link = &roster;
  while (*link != NULL && *link != gpu) link = &(*link)->next;
  if (*link != NULL) *link = gpu->next;
  berth_mutex_unlock(&roster_lock);
}

// ---- Gates ----

typedef struct card_gate {
  berth_gate_t gate;
  int card;  // Visible index.
  struct card_gate *next;
} card_gate_t;

static card_gate_t *gates = NULL;  // Of all cards; guarded by |roster_lock|.

// Lock held.
static card_gate_t *make_gate(int index) {
  card_gate_t *made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return NULL;
  berth_gate_init(&made->gate);
  made->card = index;
  made->next = gates;
  gates = made;
  return made;
}

berth_gate_t *berth_cuda_gate(int index) {
  berth_mutex_lock(&roster_lock);
  card_gate_t *found = gates;
  while (found != NULL && found->card != index) found = found->next;
  if (found == NULL) found = make_gate(index);
  berth_mutex_unlock(&roster_lock);
  return found != NULL ? &found->gate : NULL;
}

// ---- What is idle ----

// Counts |device| up unless it is about to be closed.
static bool retain_if_held(berth_device_t *device) {
  int refs = atomic_load(&device->refs);
  while (refs > 0) {
    if (atomic_compare_exchange_weak(&device->refs, &refs, refs + 1)) {
      return true;
    }
  }
  return false;
}

// Lists the devices on card |index|, with a reference each. The caller frees
// the list; NULL and none when memory is short.
static berth_device_t **list_on(int index, int *out_count) {
  int count = 0;
  berth_mutex_lock(&roster_lock);
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) ++count;
  berth_device_t **devices = berth_calloc((size_t)count + 1, sizeof(*devices));
  *out_count = 0;
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) {
    if (devices == NULL || gpu->wish.card != index) continue;
    if (retain_if_held(&gpu->device)) devices[(*out_count)++] = &gpu->device;
  }
  berth_mutex_unlock(&roster_lock);
  return devices;
}

// Whoever keeps memory of the card's devices gives up what is idle: there is no
// sense in saving it. No lock is held.
static void give_up_idle(int index) {
  int count = 0;
  berth_device_t **devices = list_on(index, &count);
  for (int i = 0; i < count; ++i) {
    (void)berth_reclaim(devices[i]);
    berth_device_release(devices[i]);
  }
  berth_free(devices);
}

// ---- Contents ----

static berth_code_t contents_save(void *arg, const void *data, uint64_t size,
                                  void **out_copy, berth_error_t *err) {
  berth_cuda_device_t *gpu = arg;
  berth_stream_t *lane = &gpu->backing->lanes[BERTH_LANE_COMPUTE].base;
  void *copy = berth_alloc_large(size);
  if (copy == NULL) return berth_error_no_memory(err, "contents of a GPU");
  berth_code_t code =
      berth_cuda_stream_copy(lane, NULL, copy, &gpu->device, data, size, err);
  if (code == BERTH_OK) code = berth_cuda_stream_ops.sync(lane, err);
  if (code != BERTH_OK) {
    berth_free(copy);
    return code;
  }
  *out_copy = copy;
  return BERTH_OK;
}

static berth_code_t contents_load(void *arg, void *data, uint64_t size,
                                  const void *copy, berth_error_t *err) {
  berth_cuda_device_t *gpu = arg;
  berth_stream_t *lane = &gpu->backing->lanes[BERTH_LANE_COMPUTE].base;
  BERTH_TRY(
      berth_cuda_stream_copy(lane, &gpu->device, data, NULL, copy, size, err));
  return berth_cuda_stream_ops.sync(lane, err);
}

static void contents_drop(void *arg, void *copy) {
  (void)arg;
  berth_free(copy);
}

// Leaves contents behind: a buffer without a copy is only mapped again.
static berth_code_t contents_leave(void *arg, const void *data, uint64_t size,
                                   void **out_copy, berth_error_t *err) {
  (void)arg, (void)data, (void)size, (void)err;
  *out_copy = NULL;
  return BERTH_OK;
}

// ---- One device; its lock is held ----

// Plain memory goes with the context, so none may be in use.
static berth_code_t release_plain(berth_pool_t *pool, berth_error_t *err) {
  berth_memory_stats_t stats;
  berth_pool_stats(pool, &stats);
  if (stats.live_allocs > 0) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "%lld buffers are in use in memory that is not "
                           "mapped page by page and goes with a reset",
                           (long long)stats.live_allocs);
  }
  (void)berth_pool_trim(pool, 0);
  return BERTH_OK;
}

static berth_code_t release_memory(berth_cuda_device_t *gpu, bool keep,
                                   berth_error_t *err) {
  berth_pool_t *pool = atomic_load(&gpu->pool);
  berth_copier_t copier = {.save = keep ? contents_save : contents_leave,
                           .load = contents_load,
                           .drop = contents_drop,
                           .arg = gpu};
  if (pool == NULL) return BERTH_OK;
  berth_code_t code = berth_pool_release_all(pool, &copier, err);
  if (code == BERTH_UNIMPLEMENTED) code = release_plain(pool, err);
  if (code != BERTH_OK) {
    berth_error_prepend(err, "%s: ", berth_device_full_name(&gpu->device));
  }
  return code;
}

static void close_lanes(berth_cuda_device_t *gpu) {
  for (int i = 0; gpu->backing != NULL && i < BERTH_LANES; ++i) {
    berth_cuda_stream_close(&gpu->backing->lanes[i]);
  }
  atomic_store(&gpu->started, 0);
}

// ---- The card; the roster's lock is held ----

static bool is_on(const berth_cuda_device_t *gpu,
                  const berth_cuda_card_t *card) {
  // In this order: one that is just starting is given its card before.
  return atomic_load(&gpu->started) != 0 && gpu->wish.card == card->index;
}

// Locks or unlocks the devices of |card|. The roster keeps them where they are.
static void lock_devices(const berth_cuda_card_t *card) {
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) {
    if (gpu->wish.card == card->index) berth_cuda_device_lock(gpu);
  }
}

static void unlock_devices(const berth_cuda_card_t *card) {
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) {
    if (gpu->wish.card == card->index) berth_cuda_device_unlock(gpu);
  }
}

// 1. Nothing ends that: the gate is closed, and who waits outside looks itself.
static berth_code_t drain(berth_cuda_card_t *card, berth_error_t *err) {
  if (atomic_load(&card->recordings) > 0) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "GPU %d (%s) cannot be reset while it records",
                           card->index, card->name);
  }
  if (atomic_load(&card->has_fault)) return BERTH_OK;
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) {
    for (int i = 0; is_on(gpu, card) && i < BERTH_LANES; ++i) {
      BERTH_TRY(berth_cuda_stream_ops.sync(&gpu->backing->lanes[i].base, err));
    }
  }
  return BERTH_OK;
}

// 2. All or nothing.
static berth_code_t release_all(berth_cuda_card_t *card, bool keep,
                                berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_cuda_device_t *gpu = roster;
  for (; gpu != NULL; gpu = gpu->next) {
    if (is_on(gpu, card)) code = release_memory(gpu, keep, err);
    if (code != BERTH_OK) break;
  }
  if (code == BERTH_OK) return BERTH_OK;
  for (berth_cuda_device_t *done = roster; done != gpu; done = done->next) {
    // What cannot be put back now is put back when the device is next started.
    if (is_on(done, card) &&
        berth_pool_restore(atomic_load(&done->pool), NULL) != BERTH_OK) {
      atomic_store(&done->started, 0);
    }
  }
  return code;
}

// 3.
static void let_go(berth_cuda_card_t *card) {
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) {
    if (gpu->wish.card == card->index) close_lanes(gpu);
  }
  berth_cuda_pinned_loosen(card);
  if (berth_cuda_bind_old(card, card->generation)) {
    berth_blas_forget(card);
    berth_dnn_forget(card);
    berth_solver_forget(card);
    berth_cuda_collective_forget(card);
  }
  berth_cuda_code_forget(card);
}

static berth_code_t reset(berth_cuda_card_t *card, bool keep,
                          berth_error_t *err) {
  if (keep && atomic_load(&card->has_fault)) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "GPU %d (%s) has failed: what its memory held is "
                           "lost and cannot be kept",
                           card->index, card->name);
  }
  BERTH_TRY(drain(card, err));
  BERTH_TRY(release_all(card, keep, err));
  let_go(card);
  return berth_cuda_card_close(card, err);
}

// Writes what people call card |index|: the first device on it.
static void name_first(int index, char *out_name, size_t size) {
  int32_t first = -1;
  berth_mutex_lock(&roster_lock);
  for (berth_cuda_device_t *gpu = roster; gpu != NULL; gpu = gpu->next) {
    if (gpu->wish.card != index) continue;
    if (first < 0 || gpu->wish.id < first) first = gpu->wish.id;
  }
  berth_mutex_unlock(&roster_lock);
  snprintf(out_name, size, first >= 0 ? "GPU:%d" : "GPU %d",
           first >= 0 ? (int)first : index);
}

berth_code_t berth_cuda_card_reset(int index, bool keep, berth_error_t *err) {
  berth_cuda_card_t *card = NULL;
  berth_hold_t hold;
  char name[24];
  BERTH_TRY(berth_cuda_card_find(index, &card, err));
  berth_gate_t *gate = berth_cuda_gate(index);
  if (gate == NULL) return berth_error_no_memory(err, "a GPU's gate");
  name_first(index, name, sizeof(name));
  BERTH_TRY(berth_gate_close(gate, &hold, name, GIVE_BACK_WAIT_NS, err));
  give_up_idle(index);
  berth_mutex_lock(&roster_lock);
  lock_devices(card);
  berth_code_t code = reset(card, keep, err);
  unlock_devices(card);
  berth_mutex_unlock(&roster_lock);
  berth_gate_open(&hold);
  return code;
}
