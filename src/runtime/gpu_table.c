// gpu_table.c - The logical GPUs of the process.
#include "runtime/gpu_table.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/log.h"
#include "device/reclaim.h"
#include "memory/stats.h"
#include "runtime/budget.h"
#include "runtime/cards.h"
#include "runtime/config.h"
#include "runtime/gpu_arrange.h"
#include "runtime/gpu_wish.h"
#include "runtime/gpus.h"
#include "runtime/process.h"

#define MIB ((uint64_t)1 << 20)

// ---- Which GPUs ----

// True when the program cannot mean to do without GPUs.
static bool insists(const berth_config_t *config) {
  const char *list = config->gpu.visible_devices;
  const char *simulated = berth_env_get("BERTH_SIMULATE_GPUS");
  return config->gpu_count > 0 || (list != NULL && list[0] != '\0') ||
         config->gpu_experimental.virtual_device_count > 0 ||
         (simulated != NULL && simulated[0] != '\0');
}

// Appends what cuInit said in TensorFlow's form, "CUDA_ERROR_…: text", where
// |message| is of the form "cuInit: CUDA_ERROR_… (999): text".
static void print_cause(const char *message, berth_str_t *str) {
  static const char call[] = "cuInit: ";
  const char *name = message + sizeof(call) - 1;
  const char *number = strstr(message, " (");
  const char *text = strstr(message, "): ");
  if (!berth_has_prefix(message, call) || number == NULL || text == NULL) {
    berth_str_puts(str, message);
    return;
  }
  berth_str_put(str, name, (size_t)(number - name));
  berth_str_puts(str, text + 1);
}

// Says once that the driver fails; work goes on without it.
static void complain(berth_gpu_table_t *table, const berth_error_t *why) {
  berth_mutex_lock(&table->lock);
  bool is_first = !table->has_complained;
  table->has_complained = true;
  berth_mutex_unlock(&table->lock);
  if (!is_first) return;
  berth_str_t cause = {0};
  print_cause(berth_error_message(why), &cause);
  berth_log(BERTH_LOG_ERROR, "cuda_platform.cc", 52,
            "failed call to cuInit: %s", berth_str_get(&cause));
  berth_str_clear(&cause);
}

// Stores how many cards can be used at all.
static berth_code_t count_cards(berth_gpu_table_t *table,
                                const berth_config_t *config, int *out_count,
                                berth_error_t *err) {
  *out_count = 0;
  if (berth_gpus_is_none(config)) return BERTH_OK;
  berth_error_t why = BERTH_ERROR_INIT;
  if (berth_cards_count(out_count, &why) == BERTH_OK) return BERTH_OK;
  *out_count = 0;
  if (insists(config)) return berth_error_move(err, &why);
  complain(table, &why);
  berth_error_clear(&why);
  return BERTH_OK;
}

berth_open_gpu_t *berth_gpu_table_find(const berth_gpu_table_t *table, int id) {
  if (id < 0 || (size_t)id >= table->count) return NULL;
  berth_open_gpu_t *gpu = &table->gpus[id];
  return atomic_load(&gpu->device->is_removed) ? NULL : gpu;
}

// True when a device of |table| lives on |card|.
static bool is_in_use(berth_gpu_table_t *table, int card) {
  bool is_used = false;
  berth_mutex_lock(&table->lock);
  for (size_t i = 0; i < table->count && !is_used; ++i) {
    const berth_open_gpu_t *gpu = berth_gpu_table_find(table, (int)i);
    is_used = gpu != NULL && gpu->card == card;
  }
  berth_mutex_unlock(&table->lock);
  return is_used;
}

// Returns card |index|, or NULL after saying why it cannot be used.
static const berth_card_info_t *find_card(berth_gpu_table_t *table, int index) {
  if (is_in_use(table, index)) return berth_cards_info(index);
  uint64_t free_bytes = 0, total_bytes = 0;
  berth_error_t why = BERTH_ERROR_INIT;
  if (berth_cards_memory(index, &free_bytes, &total_bytes, &why) == BERTH_OK) {
    return berth_cards_info(index);
  }
  berth_log(BERTH_LOG_INFO, "gpu_device.cc", 2323,
            "Ignoring visible gpu device %d whose executor is in invalid "
            "state: %s: %s",
            index, berth_code_name(why.code), berth_error_message(&why));
  berth_error_clear(&why);
  return NULL;
}

berth_code_t berth_gpu_table_plan(berth_gpu_table_t *table,
                                  const berth_config_t *config,
                                  berth_gpus_t *out_gpus, berth_error_t *err) {
  int count = 0;
  BERTH_TRY(count_cards(table, config, &count, err));
  if (count == 0) return BERTH_OK;
  const berth_card_info_t **cards = berth_calloc((size_t)count, sizeof(*cards));
  if (cards == NULL) return berth_error_no_memory(err, "a list of cards");
  for (int i = 0; i < count; ++i) cards[i] = find_card(table, i);
  berth_code_t code = berth_gpus_plan(config, berth_config_style(config), cards,
                                      count, out_gpus, err);
  berth_free(cards);
  return code;
}

// ---- Opening them ----

static berth_code_t is_elsewhere(int id, int before, int now, bool is_classic,
                                 berth_error_t *err) {
  return berth_error_set(
      err, BERTH_ALREADY_EXISTS,
      "TensorFlow device (GPU:%d) is being mapped to multiple %sdevices (%d "
      "now, and %d previously), which is not supported. This may be the "
      "result of providing different GPU configurations "
      "(ConfigProto.gpu_options, for example different visible_device_list) "
      "when creating multiple Sessions in the same process. This is not "
      "currently supported, see "
      "https://github.com/tensorflow/tensorflow/issues/19083",
      id, is_classic ? "CUDA " : "", now, before);
}

// Finds the numbers of |gpus|: their places, unless some were changed while the
// program ran; then those that are open keep theirs. Fails when one is open on
// another card.
static berth_code_t find_numbers(berth_gpu_table_t *table,
                                 const berth_gpus_t *gpus, bool is_classic,
                                 int *numbers, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  if (table->is_arranged) {
    code = berth_gpu_match_open(table, gpus, numbers, err);
  }
  for (int i = 0; !table->is_arranged && i < gpus->count; ++i) {
    const berth_open_gpu_t *gpu = berth_gpu_table_find(table, i);
    int now = gpus->items[i].card;
    numbers[i] = i;
    if (gpu == NULL || gpu->card == now) continue;
    code = is_elsewhere(i, gpu->card, now, is_classic, err);
    break;
  }
  berth_mutex_unlock(&table->lock);
  return code;
}

// What is known of |card| now. The environment may have changed meanwhile, and
// the card be gone.
static berth_code_t look_at(int card, const berth_card_info_t **out_info,
                            berth_card_memory_t *out_memory,
                            berth_error_t *err) {
  *out_info = berth_cards_info(card);
  if (*out_info == NULL ||
      berth_cards_memory(card, &out_memory->free_bytes,
                         &out_memory->total_bytes, NULL) != BERTH_OK) {
    return berth_error_set(err, BERTH_UNKNOWN,
                           "Failed to query available memory for GPU %d", card);
  }
  out_memory->cc_major = (*out_info)->cc_major;
  return BERTH_OK;
}

// Takes a device back that was removed, if there is one for |wish|; false when
// there is none. The lock is held.
static bool revive(berth_gpu_table_t *table, berth_open_gpu_t *gpu) {
  for (size_t i = 0; i < table->spare_count; ++i) {
    berth_open_gpu_t *spare = &table->spare[i];
    if (spare->id != gpu->id || spare->card != gpu->card ||
        spare->source != gpu->source) {
      continue;
    }
    gpu->device = spare->device;
    *spare = table->spare[--table->spare_count];
    (void)gpu->device->backend->cards->set_policy(gpu->device, &gpu->policy);
    atomic_store(&gpu->device->is_removed, false);
    return true;
  }
  return false;
}

// Makes room for one more: at the end, or where one was removed, which is kept
// among the spare ones. NULL when memory is short. The lock is held.
static berth_open_gpu_t *make_place(berth_gpu_table_t *table, int32_t id) {
  if ((size_t)id < table->count) {
    berth_open_gpu_t *spare =
        berth_grow(table->spare, table->spare_count, &table->spare_capacity,
                   sizeof(spare[0]));
    if (spare == NULL) return NULL;
    table->spare = spare;
    spare[table->spare_count++] = table->gpus[id];
    return &table->gpus[id];
  }
  berth_open_gpu_t *gpus =
      berth_grow(table->gpus, table->count, &table->capacity, sizeof(gpus[0]));
  if (gpus == NULL) return NULL;
  table->gpus = gpus;
  return &gpus[table->count];
}

// Opens number |wish|->id, unless somebody was faster. The lock is held.
static berth_code_t open_locked(berth_gpu_table_t *table,
                                const berth_device_wish_t *wish,
                                uint64_t card_bytes, bool has_limit,
                                berth_error_t *err) {
  // Numbers without a hole: one behind the end has to wait for those before.
  if (berth_gpu_table_find(table, wish->id) != NULL ||
      (size_t)wish->id > table->count) {
    return BERTH_OK;
  }
  berth_open_gpu_t *gpu = make_place(table, wish->id);
  if (gpu == NULL) return berth_error_no_memory(err, "a list of GPUs");
  berth_open_gpu_t made = {.id = wish->id,
                           .card = wish->card,
                           .card_bytes = card_bytes,
                           .has_limit = has_limit,
                           .source = wish->source,
                           .policy = wish->policy};
  bool is_new = (size_t)wish->id == table->count;
  if (is_new || !revive(table, &made)) {
    berth_code_t code = berth_cards_open(wish, &made.device, err);
    if (code != BERTH_OK) {
      if (!is_new) --table->spare_count;  // It is still in its place.
      return code;
    }
  }
  *gpu = made;
  if (is_new) ++table->count;
  return BERTH_OK;
}

berth_code_t berth_gpu_table_open(berth_gpu_table_t *table,
                                  const berth_config_t *config,
                                  const berth_logical_gpu_t *gpu, int32_t id,
                                  berth_error_t *err) {
  const berth_card_info_t *info = NULL;
  berth_card_memory_t memory = {0};
  BERTH_TRY(look_at(gpu->card, &info, &memory, err));
  berth_device_wish_t wish;
  BERTH_TRY(berth_gpu_wish(config, gpu, id, &memory, &wish, err));
  bool has_limit = gpu->has_limit || config->gpu.memory_fraction > 0;
  BERTH_TRY(berth_budget_settle(config, info, gpu->card, memory.total_bytes,
                                has_limit, &wish, err));
  berth_str_t description = {0};
  berth_gpus_describe(info, gpu->card, &description);
  wish.description = berth_str_get(&description);
  bool is_described = berth_str_ok(&description);
  berth_mutex_lock(&table->lock);
  berth_code_t code =
      is_described
          ? open_locked(table, &wish, memory.total_bytes, has_limit, err)
          : berth_error_no_memory(err, "a description of a GPU");
  berth_mutex_unlock(&table->lock);
  berth_str_clear(&description);
  return code;
}

// Returns the place of the first of |gpus| that is not open, those behind the
// end of the table after all others; -1 when all are.
static int find_missing(berth_gpu_table_t *table, const berth_gpus_t *gpus,
                        const int *numbers) {
  int found = -1;
  berth_mutex_lock(&table->lock);
  for (int i = 0; i < gpus->count; ++i) {
    if (berth_gpu_table_find(table, numbers[i]) != NULL) continue;
    if (found < 0 || numbers[i] < numbers[found]) found = i;
  }
  berth_mutex_unlock(&table->lock);
  return found;
}

// Opens those of |gpus| that are not open, and stores the numbers of all.
static berth_code_t open_missing(berth_gpu_table_t *table,
                                 const berth_config_t *config,
                                 const berth_gpus_t *gpus, int *numbers,
                                 berth_error_t *err) {
  bool is_classic = berth_config_style(config) == BERTH_STYLE_CLASSIC;
  for (;;) {
    // Another thread may have opened one meanwhile, on another card; nothing is
    // to be opened behind it then.
    BERTH_TRY(find_numbers(table, gpus, is_classic, numbers, err));
    int next = find_missing(table, gpus, numbers);
    if (next < 0) return BERTH_OK;
    BERTH_TRY(berth_gpu_table_open(table, config, &gpus->items[next],
                                   numbers[next], err));
  }
}

// ---- Sharing them ----

static bool is_among(int id, const int *numbers, int count) {
  for (int i = 0; i < count; ++i) {
    if (numbers[i] == id) return true;
  }
  return false;
}

// Adds the GPUs of |numbers| to |registry|, or all (NULL), in their order.
static berth_code_t list_gpus(berth_gpu_table_t *table, const int *numbers,
                              int count, berth_registry_t *registry,
                              berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  for (size_t i = 0; i < table->count && code == BERTH_OK; ++i) {
    const berth_open_gpu_t *gpu = berth_gpu_table_find(table, (int)i);
    if (gpu == NULL) continue;
    if (numbers != NULL && !is_among((int)i, numbers, count)) continue;
    code = berth_registry_add(registry, gpu->device, err);
  }
  berth_mutex_unlock(&table->lock);
  return code;
}

static void log_created(const berth_device_t *device, int index,
                        bool is_classic) {
  const char *text = device->description;
  if (is_classic) {
    const char *end = strstr(text, ", compute capability: ");
    int size = (int)(end != NULL ? (size_t)(end - text) : strlen(text));
    berth_log(BERTH_LOG_INFO, "gpu_device.cc", 717,
              "Creating TensorFlow device (/gpu:%d) -> (%.*s)", index, size,
              text);
    return;
  }
  berth_log(BERTH_LOG_INFO, "gpu_device.cc", 2020,
            "Created device %s with %llu MB memory:  -> %s",
            berth_device_full_name(device),
            (unsigned long long)((uint64_t)device->memory_limit / MIB), text);
}

berth_code_t berth_gpu_table_share(berth_gpu_table_t *table,
                                   const berth_config_t *config,
                                   berth_registry_t *registry,
                                   berth_error_t *err) {
  bool is_classic = berth_config_style(config) == BERTH_STYLE_CLASSIC;
  berth_gpus_t gpus = {0};
  int *numbers = NULL;
  berth_code_t code = berth_gpu_table_plan(table, config, &gpus, err);
  if (code != BERTH_OK || gpus.count == 0) goto done;
  numbers = berth_calloc((size_t)gpus.count, sizeof(*numbers));
  if (numbers == NULL) {
    code = berth_error_no_memory(err, "a list of GPUs");
    goto done;
  }
  code = open_missing(table, config, &gpus, numbers, err);
  if (code != BERTH_OK) goto done;
  size_t first = registry->count;
  code = list_gpus(table, numbers, gpus.count, registry, err);
  for (size_t i = first; i < registry->count; ++i) {
    log_created(registry->devices[i], (int)(i - first), is_classic);
  }

done:
  berth_free(numbers);
  berth_gpus_deinit(&gpus);
  return code;
}

berth_code_t berth_gpu_table_list(berth_gpu_table_t *table,
                                  berth_registry_t *registry,
                                  berth_error_t *err) {
  return list_gpus(table, NULL, 0, registry, err);
}

bool berth_gpu_table_has_any(berth_gpu_table_t *table) {
  berth_mutex_lock(&table->lock);
  bool has_any = false;
  for (size_t i = 0; i < table->count; ++i) {
    has_any |= berth_gpu_table_find(table, (int)i) != NULL;
  }
  berth_mutex_unlock(&table->lock);
  return has_any;
}

// ---- Changing them ----

// The lock is held.
static berth_open_gpu_t *find_gpu(berth_gpu_table_t *table,
                                  const berth_device_t *device) {
  for (size_t i = 0; i < table->count; ++i) {
    if (table->gpus[i].device == device) return &table->gpus[i];
  }
  return NULL;
}

int64_t berth_gpu_table_limit(berth_gpu_table_t *table,
                              const berth_device_t *device) {
  berth_mutex_lock(&table->lock);
  const berth_open_gpu_t *gpu = find_gpu(table, device);
  int64_t limit =
      gpu != NULL ? (int64_t)gpu->policy.limit_bytes : device->memory_limit;
  berth_mutex_unlock(&table->lock);
  return limit;
}

static void change(berth_open_gpu_t *gpu, berth_policy_t policy) {
  gpu->policy = policy;
  (void)gpu->device->backend->cards->set_policy(gpu->device, &policy);
}

// Puts the policy of |gpu| in place as the budget of its card wants it. The
// lock is held.
static void refresh(berth_open_gpu_t *gpu) {
  const berth_card_info_t *info = berth_cards_info(gpu->card);
  const berth_account_t *account =
      info != NULL ? berth_account_find(info) : NULL;
  if (account == NULL) return;
  change(gpu, berth_budget_policy(gpu->policy, account, gpu->has_limit));
}

void berth_gpu_table_refresh(berth_gpu_table_t *table,
                             const berth_device_t *device) {
  berth_mutex_lock(&table->lock);
  const berth_open_gpu_t *found = find_gpu(table, device);
  for (size_t i = 0; found != NULL && i < table->count; ++i) {
    if (table->gpus[i].card == found->card) refresh(&table->gpus[i]);
  }
  berth_mutex_unlock(&table->lock);
}

static berth_code_t check_limit(const berth_open_gpu_t *gpu, uint64_t limit,
                                berth_error_t *err) {
  uint64_t most =
      gpu->source == BERTH_CARD_UNIFIED ? INT64_MAX : gpu->card_bytes;
  if (limit > 0 && limit <= most) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s cannot be limited to %llu bytes: its card has "
                         "%llu",
                         gpu->device->names[BERTH_NAME_LOCAL_LEGACY],
                         (unsigned long long)limit, (unsigned long long)most);
}

// Stores what |device| has and would have with |limit|.
static berth_code_t find_policies(berth_gpu_table_t *table,
                                  const berth_device_t *device, uint64_t limit,
                                  berth_policy_t *out_before,
                                  berth_policy_t *out_after,
                                  berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  const berth_open_gpu_t *gpu = find_gpu(table, device);
  if (gpu != NULL) {
    code = check_limit(gpu, limit, err);
    *out_before = gpu->policy;
    *out_after = berth_gpu_set_limit(gpu->policy, gpu->source, limit);
  } else {
    code = berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot set a memory limit on non-GPU devices");
  }
  berth_mutex_unlock(&table->lock);
  return code;
}

// Puts |policy| in place and returns the bytes held beyond its limit, after
// everybody gave up what is idle.
static uint64_t come_under(berth_device_t *device,
                           const berth_policy_t *policy) {
  uint64_t (*set)(berth_device_t *, const berth_policy_t *) =
      device->backend->cards->set_policy;
  if (set(device, policy) == 0) return 0;
  (void)berth_reclaim(device);
  (void)berth_device_trim(device, 0);
  return set(device, policy);
}

berth_code_t berth_gpu_table_set_limit(berth_gpu_table_t *table,
                                       berth_device_t *device, uint64_t limit,
                                       berth_error_t *err) {
  berth_policy_t before, after;
  BERTH_TRY(find_policies(table, device, limit, &before, &after, err));
  if (come_under(device, &after) > 0) {
    char what[32 + BERTH_SIZE_TEXT], size[BERTH_SIZE_TEXT];
    snprintf(what, sizeof(what), "be limited to %s",
             berth_size_text(limit, size));
    berth_code_t code = berth_gpu_is_held(device, what, err);
    (void)device->backend->cards->set_policy(device, &before);
    return code;
  }
  berth_mutex_lock(&table->lock);
  berth_open_gpu_t *gpu = find_gpu(table, device);
  gpu->has_limit = true;
  change(gpu, berth_gpu_set_limit(gpu->policy, gpu->source, limit));
  berth_mutex_unlock(&table->lock);
  return BERTH_OK;
}

berth_code_t berth_gpu_table_set_growth(berth_gpu_table_t *table,
                                        const berth_device_t *device,
                                        bool growth, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  berth_open_gpu_t *gpu = find_gpu(table, device);
  if (gpu != NULL) {
    change(gpu, berth_gpu_set_growth(gpu->policy, gpu->source, growth));
  } else {
    code = berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Cannot set memory growth on non-GPU and "
                           "non-Pluggable devices");
  }
  berth_mutex_unlock(&table->lock);
  return code;
}
