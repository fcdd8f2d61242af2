// device.c - Logical devices on CUDA cards.
#include "cuda/stream/device.h"

#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cuda/card/card.h"
#include "cuda/card/nvml.h"
#include "cuda/card/precision.h"
#include "cuda/kernels.h"
#include "cuda/stream/device_internal.h"
#include "device/reclaim.h"
#include "memory/limit.h"

static berth_cuda_device_t *own(berth_device_t *device) {
  return (berth_cuda_device_t *)device;
}

enum { MOST_PROCESSES = 128 };  // Nobody has more on a card.

// How long neighbours have to answer, and how long to wait until a request is
// tried again.
#define ASK_WAIT_NS ((int64_t)BERTH_ASK_WAIT_MS * 1000000)
#define RETRY_NS ((int64_t)50 * 1000000)

// What neighbours are asked for so that a context can be opened.
#define CONTEXT_BYTES ((uint64_t)640 << 20)

static BERTH_THREAD_LOCAL int locks_held = 0;

void berth_cuda_device_lock(berth_cuda_device_t *gpu) {
  berth_mutex_lock(&gpu->lock);
  ++locks_held;
}

void berth_cuda_device_unlock(berth_cuda_device_t *gpu) {
  --locks_held;
  berth_mutex_unlock(&gpu->lock);
}

// ---- Starting ----

static uint64_t cuda_shrink(berth_device_t *device, uint64_t bytes) {
  berth_pool_t *pool = atomic_load(&own(device)->pool);
  return pool != NULL ? berth_pool_shrink(pool, bytes) : 0;
}

static uint64_t cuda_trim_older(berth_device_t *device, int64_t idle_ns,
                                int64_t now_ns) {
  berth_pool_t *pool = atomic_load(&own(device)->pool);
  return pool != NULL ? berth_pool_trim_older(pool, idle_ns, now_ns) : 0;
}

// Makes the lanes that are missing, or of an older context. Lock held.
static berth_code_t open_lanes(berth_cuda_device_t *gpu, berth_error_t *err) {
  uint64_t live = atomic_load(&gpu->card->live);
  for (int i = 0; i < BERTH_LANES; ++i) {
    berth_cuda_stream_t *lane = &gpu->backing->lanes[i];
    lane->base.device = &gpu->device;
    if (atomic_load(&lane->generation) == live) continue;
    BERTH_TRY(berth_cuda_stream_open(lane, gpu->wish.priority, err));
  }
  return BERTH_OK;
}

// Lock held.
static berth_code_t make_pool(berth_cuda_device_t *gpu, berth_error_t *err) {
  berth_cuda_backing_t *backing = gpu->backing;
  berth_pool_t *pool = NULL;
  bool is_mapped =
      gpu->wish.source == BERTH_CARD_MAPPED && gpu->card->can_map_pages;
  if (is_mapped) {
    berth_mapped_options_t options = {.timelines = backing->timelines,
                                      .timeline_count = BERTH_LANES};
    BERTH_TRY(berth_pool_create_mapped(&backing->pages, &gpu->wish.policy,
                                       &options, &pool, err));
  } else {
    BERTH_TRY(
        berth_pool_create(&backing->plain, &gpu->wish.policy, &pool, err));
  }
  atomic_store_explicit(&gpu->pool, pool, memory_order_release);
  return BERTH_OK;
}

static bool used_on(const char *uuid, uint64_t *out_bytes) {
  uint64_t free_bytes = 0, total_bytes = 0;
  if (berth_nvml_memory(uuid, &free_bytes, &total_bytes, NULL) != BERTH_OK) {
    return false;
  }
  *out_bytes = total_bytes - free_bytes;
  return true;
}

// Where the driver does not say who holds what, or counts processes otherwise
// than they do themselves (in a container): what the card has lost since this
// process began. What neighbours take meanwhile counts, too.
static bool estimate(const berth_account_t *account, uint64_t *out_bytes) {
  uint64_t used = 0, others = atomic_load(&account->others_bytes);
  if (!used_on(account->uuid, &used)) return false;
  *out_bytes = used > others ? used - others : 0;
  return true;
}

// Asks NVML what this process holds of the card.
static bool measure(berth_account_t *account, uint64_t *out_bytes) {
  berth_card_process_t processes[MOST_PROCESSES];
  int count = 0, found = -1;
  if (atomic_load(&berth_cuda_is_forked)) return false;
  if (berth_nvml_processes(account->uuid, processes, MOST_PROCESSES, &count,
                           NULL) != BERTH_OK) {
    count = 0;
  }
  for (int i = 0; i < count && i < MOST_PROCESSES; ++i) {
    if (processes[i].pid == (uint32_t)getpid()) found = i;
  }
  bool is_known = found >= 0 && processes[found].bytes != UINT64_MAX;
  if (is_known) atomic_store(&account->is_listed, true);
  if (found < 0 && atomic_load(&account->is_listed)) {
    *out_bytes = 0;  // All of it was given back.
    return true;
  }
  atomic_store(&account->is_estimate, !is_known);
  if (!is_known) return estimate(account, out_bytes);
  *out_bytes = processes[found].bytes;
  return true;
}

// Finds what the process holds of the card. Lock held.
static berth_code_t find_account(berth_cuda_device_t *gpu, berth_error_t *err) {
  if (gpu->ward.account != NULL) return BERTH_OK;
  const berth_card_info_t *info = berth_cuda_card_info(gpu->wish.card);
  if (info == NULL) return BERTH_OK;
  berth_account_t *account = berth_account_find(info);
  if (account == NULL) return berth_error_no_memory(err, "a card's account");
  uint64_t others = 0;
  if (atomic_load(&account->budget_bytes) > 0 &&
      atomic_load(&account->measure) == NULL && used_on(info->uuid, &others)) {
    atomic_store(&account->others_bytes, others);
  }
  atomic_store(&account->measure, measure);
  atomic_store(&gpu->card->account, account);
  gpu->ward.device = &gpu->device;
  gpu->ward.account = account;
  gpu->ward.trim_older = cuda_trim_older;
  gpu->ward.shrink = cuda_shrink;
  return BERTH_OK;
}

// Finds the card and takes what belongs to the device alone. Lock held.
static berth_code_t settle(berth_cuda_device_t *gpu, berth_error_t *err) {
  if (gpu->card == NULL) {
    BERTH_TRY(berth_cuda_card_find(gpu->wish.card, &gpu->card, err));
  }
  BERTH_TRY(find_account(gpu, err));
  if (gpu->wish.source == BERTH_CARD_UNIFIED && !gpu->card->has_managed) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "GPU %d (%s) has no unified memory",
                           gpu->card->index, gpu->card->name);
  }
  if (gpu->backing != NULL) return BERTH_OK;
  char name[24];
  snprintf(name, sizeof(name), "GPU:%d", gpu->wish.id);
  return berth_cuda_backing_take(gpu->card, name,
                                 gpu->wish.source == BERTH_CARD_UNIFIED,
                                 &gpu->backing, err);
}

// Opens the context, waiting for a card that is full if the program wants to.
// Lock held.
static berth_code_t open_card(berth_cuda_device_t *gpu, berth_error_t *err) {
  berth_account_t *account = gpu->ward.account;
  berth_code_t code = berth_cuda_card_open(gpu->card, err);
  if (BERTH_LIKELY(code != BERTH_RESOURCE_EXHAUSTED) || account == NULL) {
    return code;
  }
  int64_t until = berth_now_ns() + atomic_load(&account->wait_ns);
  do {
    (void)berth_board_ask(account->key, CONTEXT_BYTES, ASK_WAIT_NS);
    berth_error_clear(err);
    code = berth_cuda_card_open(gpu->card, err);
    if (code != BERTH_RESOURCE_EXHAUSTED || berth_cuda_is_ended(NULL)) break;
    berth_sleep_ns(RETRY_NS);
  } while (berth_now_ns() < until);
  return code;
}

// Lock held.
static berth_code_t start(berth_cuda_device_t *gpu, berth_error_t *err) {
  BERTH_TRY(settle(gpu, err));
  BERTH_TRY(open_card(gpu, err));
  atomic_store(&gpu->card->gate, gpu->device.gate);
  BERTH_TRY(open_lanes(gpu, err));
  BERTH_TRY(berth_cuda_pinned_fasten(gpu->card, err));
  if (atomic_load(&gpu->pool) == NULL) BERTH_TRY(make_pool(gpu, err));
  BERTH_TRY(berth_pool_restore(atomic_load(&gpu->pool), err));
  atomic_store_explicit(&gpu->started, atomic_load(&gpu->card->live),
                        memory_order_release);
  if (gpu->ward.account != NULL) berth_keeper_add(&gpu->ward);
  return BERTH_OK;
}

static bool is_started(const berth_cuda_device_t *gpu) {
  uint64_t started = atomic_load_explicit(&gpu->started, memory_order_acquire);
  return started != 0 && started == atomic_load(&gpu->card->live);
}

static berth_code_t cuda_start(berth_device_t *device, berth_error_t *err) {
  berth_cuda_device_t *gpu = own(device);
  if (BERTH_LIKELY(is_started(gpu) && !atomic_load(&berth_cuda_is_forked))) {
    return BERTH_OK;
  }
  if (atomic_load(&berth_cuda_is_forked)) return berth_cuda_forked_error(err);
  if (locks_held > 0) return berth_cuda_bind(gpu->card, err);
  berth_cuda_device_lock(gpu);
  // Another thread may have been faster, and be at work by now.
  berth_code_t code = is_started(gpu) ? BERTH_OK : start(gpu, err);
  berth_cuda_device_unlock(gpu);
  return code;
}

// ---- Memory ----

// Asks for |size| bytes once more; what an earlier refusal said is forgotten.
static berth_code_t try_again(berth_cuda_device_t *gpu, size_t size,
                              berth_buffer_t **out_buffer, berth_error_t *err) {
  berth_error_clear(err);
  return berth_reclaim_buffer(&gpu->device, atomic_load(&gpu->pool), size,
                              out_buffer, err);
}

// True when the pool could hold |size| bytes more if it were given them: its
// own limit is not what stands in the way.
static bool is_within_limit(berth_cuda_device_t *gpu, uint64_t size) {
  berth_memory_stats_t stats;
  berth_pool_stats(atomic_load(&gpu->pool), &stats);
  return stats.bytes_limit == 0 ||
         (uint64_t)stats.bytes_in_use + size <= (uint64_t)stats.bytes_limit;
}

// After a refusal: other GPUs on the card give what is idle, then neighbours,
// and if the program wants to wait for memory it waits.
static BERTH_NOINLINE berth_code_t rescue(berth_cuda_device_t *gpu, size_t size,
                                          berth_buffer_t **out_buffer,
                                          berth_error_t *err) {
  berth_account_t *account = gpu->ward.account;
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  if (account == NULL || !is_within_limit(gpu, size)) return code;
  if (berth_keeper_shrink(account, size) > 0) {
    code = try_again(gpu, size, out_buffer, err);
  }
  int64_t until = berth_now_ns() + atomic_load(&account->wait_ns);
  while (code == BERTH_RESOURCE_EXHAUSTED) {
    uint64_t got = berth_board_ask(account->key, size, ASK_WAIT_NS);
    bool is_late = berth_now_ns() >= until || berth_cuda_is_ended(NULL);
    if (got > 0 || !is_late) code = try_again(gpu, size, out_buffer, err);
    if (is_late) break;
    if (code == BERTH_RESOURCE_EXHAUSTED) berth_sleep_ns(RETRY_NS);
  }
  return code;
}

static berth_code_t cuda_alloc(berth_allocator_t *allocator, size_t size,
                               berth_buffer_t **out_buffer,
                               berth_error_t *err) {
  berth_cuda_device_t *gpu = own(allocator->device);
  BERTH_TRY(cuda_start(allocator->device, err));
  berth_code_t code = berth_reclaim_buffer(
      allocator->device, atomic_load(&gpu->pool), size, out_buffer, err);
  if (BERTH_LIKELY(code != BERTH_RESOURCE_EXHAUSTED)) return code;
  code = rescue(gpu, size, out_buffer, err);
  // What is being recorded cannot wait for copies.
  while (code == BERTH_RESOURCE_EXHAUSTED && !berth_cuda_thread_records() &&
         berth_reclaim_spill(allocator->device, size) > 0) {
    code = try_again(gpu, size, out_buffer, err);
  }
  return code;
}

static size_t cuda_takes(berth_allocator_t *allocator, size_t size) {
  const berth_pool_t *pool = atomic_load(&own(allocator->device)->pool);
  return pool != NULL ? (size_t)berth_pool_takes(pool, size) : size;
}

static berth_code_t pinned_alloc(berth_allocator_t *allocator, size_t size,
                                 berth_buffer_t **out_buffer,
                                 berth_error_t *err) {
  berth_device_t *device =
      (berth_device_t *)((char *)allocator -
                         offsetof(berth_cuda_device_t, pinned));
  BERTH_TRY(cuda_start(device, err));
  berth_cuda_card_t *card = own(device)->card;
  berth_code_t code = berth_cuda_pinned_alloc(card, size, out_buffer, err);
  if (code != BERTH_RESOURCE_EXHAUSTED || !berth_reclaim(device)) return code;
  berth_error_clear(err);
  return berth_cuda_pinned_alloc(card, size, out_buffer, err);
}

static void cuda_memory_stats(berth_device_t *device,
                              berth_memory_stats_t *out_stats) {
  berth_pool_t *pool = atomic_load(&own(device)->pool);
  if (pool != NULL) {
    berth_pool_stats(pool, out_stats);
    return;
  }
  *out_stats = (berth_memory_stats_t){
      .bytes_limit = (int64_t)own(device)->wish.policy.limit_bytes};
}

static bool cuda_memory_report(berth_device_t *device, uint64_t asked,
                               berth_memory_report_t *out_report) {
  berth_pool_t *pool = atomic_load(&own(device)->pool);
  if (pool == NULL) return false;
  berth_pool_report(pool, asked, out_report);
  return true;
}

static void cuda_reset_memory_stats(berth_device_t *device) {
  berth_pool_t *pool = atomic_load(&own(device)->pool);
  if (pool != NULL) berth_pool_reset_stats(pool);
}

static uint64_t cuda_trim_memory(berth_device_t *device, uint64_t keep) {
  berth_pool_t *pool = atomic_load(&own(device)->pool);
  if (pool == NULL) return 0;
  if (!berth_cuda_thread_records()) berth_pool_await(pool);
  return berth_pool_trim(pool, keep);
}

uint64_t berth_cuda_device_set_policy(berth_device_t *device,
                                      const berth_policy_t *policy) {
  berth_cuda_device_t *gpu = own(device);
  // The child of a fork has no GPU, and the lock may be held for ever.
  if (atomic_load(&berth_cuda_is_forked)) return 0;
  berth_cuda_device_lock(gpu);
  gpu->wish.policy = *policy;
  berth_pool_t *pool = atomic_load(&gpu->pool);
  uint64_t beyond = pool != NULL ? berth_pool_set_policy(pool, policy) : 0;
  berth_cuda_device_unlock(gpu);
  return beyond;
}

// ---- Opening and closing ----

static berth_code_t check_card(int index, berth_error_t *err) {
  int count = 0;
  BERTH_TRY(berth_cuda_cards_count(&count, err));
  if (index >= 0 && index < count) return BERTH_OK;
  const char *problem = berth_cuda_cards_problem();
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "there is no GPU %d: %d are visible%s%s", index, count,
                         problem[0] != '\0' ? ": " : "", problem);
}

berth_code_t berth_cuda_device_open(const berth_device_wish_t *wish,
                                    const char *prefix,
                                    berth_device_t **out_device,
                                    berth_error_t *err) {
  BERTH_TRY(check_card(wish->card, err));
  berth_cuda_device_t *gpu = berth_calloc(1, sizeof(*gpu));
  if (gpu == NULL) return berth_error_no_memory(err, "a GPU device");
  const char *description = wish->description != NULL ? wish->description : "";
  berth_gate_t *gate = berth_cuda_gate(wish->card);
  if (gate == NULL) {
    berth_free(gpu);
    return berth_error_no_memory(err, "a GPU device");
  }
  berth_code_t code = berth_device_init(&gpu->device, &berth_cuda_backend,
                                        prefix, wish->id, description, err);
  if (code != BERTH_OK) {
    berth_free(gpu);
    return code;
  }
  gpu->wish = *wish;
  gpu->wish.description = NULL;
  berth_mutex_init(&gpu->lock);
  gpu->allocator = (berth_allocator_t){
      .alloc = cuda_alloc, .device = &gpu->device, .takes = cuda_takes};
  gpu->pinned = (berth_allocator_t){.alloc = pinned_alloc, .device = NULL};
  gpu->device.gate = gate;
  gpu->device.memory_limit = (int64_t)wish->policy.limit_bytes;
  gpu->device.allocator = &gpu->allocator;
  gpu->device.pinned = &gpu->pinned;
  berth_cuda_roster_add(gpu);
  *out_device = &gpu->device;
  return BERTH_OK;
}

static void cuda_close(berth_device_t *device) {
  berth_cuda_device_t *gpu = own(device);
  berth_keeper_remove(&gpu->ward);
  berth_cuda_roster_remove(gpu);
  for (int i = 0; gpu->backing != NULL && i < BERTH_LANES; ++i) {
    // Its memory goes back to the driver only when nothing touches it.
    berth_cuda_stream_drain(&gpu->backing->lanes[i]);
  }
  berth_pool_destroy(atomic_load(&gpu->pool));
  berth_cuda_backing_give(gpu->backing);
  berth_mutex_deinit(&gpu->lock);
  berth_device_deinit(device);
  berth_free(gpu);
}

static berth_stream_t *cuda_lane(berth_device_t *device, berth_lane_t lane) {
  return &own(device)->backing->lanes[lane].base;
}

int berth_cuda_device_card(const berth_device_t *device) {
  return ((const berth_cuda_device_t *)device)->wish.card;
}

const berth_card_ops_t berth_cuda_card_ops = {
    .struct_size = sizeof(berth_card_ops_t),
    .count = berth_cuda_cards_count,
    .info = berth_cuda_card_info,
    .problem = berth_cuda_cards_problem,
    .memory = berth_cuda_card_memory,
    .processes = berth_cuda_card_processes,
    .open = berth_cuda_device_open,
    .card_of = berth_cuda_device_card,
    .set_policy = berth_cuda_device_set_policy,
    .reset = berth_cuda_card_reset,
    .set_tf32 = berth_cuda_set_tf32,
    .has_tf32 = berth_cuda_tf32,
};

const berth_backend_t berth_cuda_backend = {
    .struct_size = sizeof(berth_backend_t),
    .type = "GPU",
    .add_kernels = berth_cuda_add_kernels,
    .cards = &berth_cuda_card_ops,
    .close = cuda_close,
    .memory_stats = cuda_memory_stats,
    .reset_memory_stats = cuda_reset_memory_stats,
    .trim_memory = cuda_trim_memory,
    .start = cuda_start,
    .streams = &berth_cuda_stream_ops,
    .lane = cuda_lane,
    .memory_report = cuda_memory_report,
};
