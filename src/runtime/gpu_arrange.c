// gpu_arrange.c - Other logical GPUs while a program runs.
#include "runtime/gpu_arrange.h"

#include "base/alloc.h"
#include "base/fork.h"
#include "berth/device.h"
#include "device/reclaim.h"
#include "memory/report.h"
#include "memory/stats.h"
#include "runtime/cards.h"
#include "runtime/gpu_match.h"

// Held by who changes the GPUs of the process; everything else may be locked
// under it.
static berth_mutex_t changing = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(changing, BERTH_FORK_PROCESS)

// A change that is being made.
typedef struct change {
  berth_gpu_table_t *table;
  const berth_config_t *config;
  berth_gpus_t gpus;        // Wanted.
  int *numbers;             // Of these.
  berth_gpu_slot_t *slots;  // By number: what is there.
  int slot_count;
} change_t;

// ---- What holds a GPU ----

static int64_t bytes_in_use(berth_device_t *device) {
  berth_memory_stats_t stats;
  berth_device_query_memory(device, &stats);
  return stats.bytes_in_use;
}

// Appends who holds the most of |device|: "16.00MiB by 2 x Fill".
static void print_holders(berth_device_t *device, berth_str_t *str) {
  berth_memory_report_t report = {0};
  if (device->backend->memory_report == NULL ||
      !device->backend->memory_report(device, 0, &report)) {
    return;
  }
  for (int i = 0; i < report.holder_count; ++i) {
    const berth_holder_t *holder = &report.holders[i];
    char size[BERTH_SIZE_TEXT];
    berth_str_printf(str, "%s%s", i > 0 ? ", " : ": ",
                     berth_size_text(holder->bytes, size));
    if (holder->label[0] == '\0') continue;
    berth_str_puts(str, " by ");
    if (holder->count > 1) {
      berth_str_printf(str, "%lld x ", (long long)holder->count);
    }
    berth_str_puts(str, holder->label);
  }
}

berth_code_t berth_gpu_is_held(berth_device_t *device, const char *what,
                               berth_error_t *err) {
  berth_memory_stats_t stats;
  berth_device_query_memory(device, &stats);
  berth_str_t holders = {0};
  print_holders(device, &holders);
  char size[BERTH_SIZE_TEXT];
  berth_code_t code =
      berth_error_set(err, BERTH_FAILED_PRECONDITION,
                      "%s cannot %s: tensors and variables hold %s%s; drop "
                      "them and close their "
                      "sessions first",
                      device->names[BERTH_NAME_LOCAL_LEGACY], what,
                      berth_size_text((uint64_t)stats.bytes_in_use, size),
                      berth_str_get(&holders));
  berth_str_clear(&holders);
  return code;
}

// ---- Which stay ----

berth_code_t berth_gpu_match_open(const berth_gpu_table_t *table,
                                  const berth_gpus_t *gpus, int *numbers,
                                  berth_error_t *err) {
  int count = (int)table->count;
  berth_gpu_slot_t *slots = berth_calloc((size_t)count + 1, sizeof(*slots));
  if (slots == NULL) return berth_error_no_memory(err, "a list of GPUs");
  for (int i = 0; i < count; ++i) {
    const berth_open_gpu_t *gpu = berth_gpu_table_find(table, i);
    slots[i] =
        (berth_gpu_slot_t){.card = table->gpus[i].card, .stays = gpu != NULL};
  }
  (void)berth_gpu_match(gpus, slots, count, numbers);
  berth_free(slots);
  return BERTH_OK;
}

// Returns the device of number |id|, if it is open. The process keeps it.
static berth_device_t *device_of(berth_gpu_table_t *table, int id) {
  berth_mutex_lock(&table->lock);
  const berth_open_gpu_t *gpu = berth_gpu_table_find(table, id);
  berth_device_t *device = gpu != NULL ? gpu->device : NULL;
  berth_mutex_unlock(&table->lock);
  return device;
}

// True when |device| holds something that nobody gives up. What a program keeps
// for its next run is left alone where the GPU stays as it is.
static bool holds(berth_device_t *device, bool is_in_place) {
  if (bytes_in_use(device) == 0) return false;
  if (is_in_place) return true;
  (void)berth_reclaim(device);
  return bytes_in_use(device) > 0;
}

static void look_at_slots(change_t *change) {
  for (int i = 0; i < change->slot_count; ++i) {
    berth_gpu_slot_t *slot = &change->slots[i];
    berth_device_t *device = device_of(change->table, i);
    if (device == NULL) continue;
    slot->card = berth_cards_of(device);
    bool is_in_place =
        i < change->gpus.count && change->gpus.items[i].card == slot->card;
    slot->stays = holds(device, is_in_place);
  }
}

static berth_code_t prepare(change_t *change, berth_error_t *err) {
  berth_gpu_table_t *table = change->table;
  BERTH_TRY(berth_gpu_table_plan(table, change->config, &change->gpus, err));
  berth_mutex_lock(&table->lock);
  change->slot_count = (int)table->count;
  berth_mutex_unlock(&table->lock);
  change->numbers = berth_calloc((size_t)change->gpus.count + 1, sizeof(int));
  change->slots =
      berth_calloc((size_t)change->slot_count + 1, sizeof(*change->slots));
  if (change->numbers == NULL || change->slots == NULL) {
    return berth_error_no_memory(err, "a list of GPUs");
  }
  look_at_slots(change);
  int unwanted = berth_gpu_match(&change->gpus, change->slots,
                                 change->slot_count, change->numbers);
  if (unwanted < 0) return BERTH_OK;
  return berth_gpu_is_held(device_of(table, unwanted), "be removed", err);
}

// Returns which of the GPUs wanted has number |id| on |card|; NULL: none.
static const berth_logical_gpu_t *wanted_as(const change_t *change, int id,
                                            int card) {
  for (int i = 0; i < change->gpus.count; ++i) {
    const berth_logical_gpu_t *gpu = &change->gpus.items[i];
    if (change->numbers[i] == id && gpu->card == card) return gpu;
  }
  return NULL;
}

// ---- Limits ----

static uint64_t limit_of(const berth_logical_gpu_t *gpu) {
  return gpu->has_limit ? (uint64_t)(gpu->limit_mb * 1048576.0) : 0;
}

// Gives number |id|, if it stays, the limit that it is to have.
static berth_code_t set_limit(change_t *change, int id, berth_error_t *err) {
  berth_device_t *device = device_of(change->table, id);
  if (device == NULL) return BERTH_OK;
  const berth_logical_gpu_t *gpu =
      wanted_as(change, id, berth_cards_of(device));
  uint64_t limit = gpu != NULL ? limit_of(gpu) : 0;
  int64_t before = berth_gpu_table_limit(change->table, device);
  if (limit == 0 || (int64_t)limit == before) return BERTH_OK;
  BERTH_TRY(berth_gpu_table_set_limit(change->table, device, limit, err));
  change->slots[id].limit_before = (uint64_t)before;
  return BERTH_OK;
}

// Puts the limits back that have been changed; what was lower may be in use by
// now, and stays as it is.
static void undo_limits(change_t *change) {
  for (int i = 0; i < change->slot_count; ++i) {
    uint64_t before = change->slots[i].limit_before;
    if (before == 0) continue;
    berth_code_t code = berth_gpu_table_set_limit(
        change->table, device_of(change->table, i), before, NULL);
    (void)code;
  }
}

// Comes first: it is what can fail.
static berth_code_t set_limits(change_t *change, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < change->slot_count; ++i) {
    code = set_limit(change, i, err);
  }
  if (code != BERTH_OK) undo_limits(change);
  return code;
}

// ---- Removing ----

// Takes |device| away, whose card nobody uses while its gate is closed.
static berth_code_t take_away(berth_device_t *device, berth_error_t *err) {
  (void)berth_reclaim(device);
  if (bytes_in_use(device) > 0) {
    return berth_gpu_is_held(device, "be removed", err);
  }
  atomic_store(&device->is_removed, true);
  return BERTH_OK;
}

static berth_code_t remove_gpu(berth_device_t *device, berth_error_t *err) {
  berth_hold_t hold = {.what = "the removal of a GPU"};
  BERTH_TRY(berth_gate_close(device->gate, &hold,
                             device->names[BERTH_NAME_LOCAL_LEGACY],
                             (int64_t)BERTH_GIVE_BACK_WAIT_MS * 1000000, err));
  berth_code_t code = take_away(device, err);
  berth_gate_open(&hold);
  if (code != BERTH_OK) return code;
  // Nothing of what it kept, all of its limit for instance, is of use now.
  berth_policy_t nothing = berth_policy_mapped(1);
  nothing.keep_idle_bytes = 0;
  (void)device->backend->cards->set_policy(device, &nothing);
  (void)berth_device_trim(device, 0);
  return BERTH_OK;
}

static bool has_gpus(berth_gpu_table_t *table, int card) {
  bool any = false;
  berth_mutex_lock(&table->lock);
  for (size_t i = 0; i < table->count && !any; ++i) {
    const berth_open_gpu_t *gpu = berth_gpu_table_find(table, (int)i);
    any = gpu != NULL && gpu->card == card;
  }
  berth_mutex_unlock(&table->lock);
  return any;
}

static berth_code_t remove_others(change_t *change, berth_error_t *err) {
  for (int i = 0; i < change->slot_count; ++i) {
    berth_device_t *device = device_of(change->table, i);
    int card = device != NULL ? berth_cards_of(device) : -1;
    if (device == NULL || wanted_as(change, i, card) != NULL) continue;
    BERTH_TRY(remove_gpu(device, err));
    if (has_gpus(change->table, card)) continue;
    // Nobody works on it any more; what a fault keeps does no harm.
    berth_code_t code = berth_cards_reset(card, true, NULL);
    (void)code;
  }
  return BERTH_OK;
}

// ---- All of it ----

static berth_code_t open_others(change_t *change, berth_error_t *err) {
  // In the order of numbers, because the table has no room between them.
  for (int id = 0, left = change->gpus.count; left > 0; ++id) {
    for (int i = 0; i < change->gpus.count; ++i) {
      if (change->numbers[i] != id) continue;
      --left;
      BERTH_TRY(berth_gpu_table_open(change->table, change->config,
                                     &change->gpus.items[i], id, err));
    }
  }
  return BERTH_OK;
}

static berth_code_t make(change_t *change, berth_error_t *err) {
  BERTH_TRY(prepare(change, err));
  BERTH_TRY(set_limits(change, err));
  berth_mutex_lock(&change->table->lock);
  change->table->is_arranged = true;
  berth_mutex_unlock(&change->table->lock);
  BERTH_TRY(remove_others(change, err));
  return open_others(change, err);
}

berth_code_t berth_gpu_arrange(berth_gpu_table_t *table,
                               const berth_config_t *config,
                               berth_error_t *err) {
  change_t change = {.table = table, .config = config};
  berth_mutex_lock(&changing);
  berth_code_t code = make(&change, err);
  berth_mutex_unlock(&changing);
  berth_gpus_deinit(&change.gpus);
  berth_free(change.numbers);
  berth_free(change.slots);
  return code;
}
