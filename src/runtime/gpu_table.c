// gpu_table.c - The logical GPUs of the process.
#include "runtime/gpu_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/log.h"
#include "runtime/budget.h"
#include "runtime/cards.h"
#include "runtime/config.h"
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

// True when a device of |table| lives on |card|.
static bool is_in_use(berth_gpu_table_t *table, int card) {
  bool is_used = false;
  berth_mutex_lock(&table->lock);
  for (size_t i = 0; i < table->count && !is_used; ++i) {
    is_used = table->gpus[i].card == card;
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

static berth_code_t plan_gpus(berth_gpu_table_t *table,
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

// Fails when one of |gpus| is open on another card; stores how many are open.
static berth_code_t check_cards(berth_gpu_table_t *table,
                                const berth_gpus_t *gpus, bool is_classic,
                                int *out_open, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  *out_open = (int)table->count;
  for (int i = 0; i < gpus->count && i < (int)table->count; ++i) {
    int before = table->gpus[i].card, now = gpus->items[i].card;
    if (before == now) continue;
    code = berth_error_set(
        err, BERTH_ALREADY_EXISTS,
        "TensorFlow device (GPU:%d) is being mapped to multiple %sdevices (%d "
        "now, and %d previously), which is not supported. This may be the "
        "result of providing different GPU configurations "
        "(ConfigProto.gpu_options, for example different visible_device_list) "
        "when creating multiple Sessions in the same process. This is not "
        "currently supported, see "
        "https://github.com/tensorflow/tensorflow/issues/19083",
        i, is_classic ? "CUDA " : "", now, before);
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

// Opens number |wish|->id, unless somebody was faster. The lock is held.
static berth_code_t open_locked(berth_gpu_table_t *table,
                                const berth_device_wish_t *wish,
                                uint64_t card_bytes, bool has_limit,
                                berth_error_t *err) {
  if ((size_t)wish->id < table->count) return BERTH_OK;
  berth_open_gpu_t *gpus =
      berth_grow(table->gpus, table->count, &table->capacity, sizeof(gpus[0]));
  if (gpus == NULL) return berth_error_no_memory(err, "a list of GPUs");
  table->gpus = gpus;
  berth_open_gpu_t *gpu = &gpus[table->count];
  *gpu = (berth_open_gpu_t){.card = wish->card,
                            .card_bytes = card_bytes,
                            .has_limit = has_limit,
                            .source = wish->source,
                            .policy = wish->policy};
  BERTH_TRY(berth_cards_open(wish, &gpu->device, err));
  ++table->count;
  return BERTH_OK;
}

static berth_code_t open_gpu(berth_gpu_table_t *table,
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

static berth_code_t open_missing(berth_gpu_table_t *table,
                                 const berth_config_t *config,
                                 const berth_gpus_t *gpus, bool is_classic,
                                 berth_error_t *err) {
  int open = 0;
  BERTH_TRY(check_cards(table, gpus, is_classic, &open, err));
  while (open < gpus->count) {
    BERTH_TRY(open_gpu(table, config, &gpus->items[open], open, err));
    // Another thread may have opened it first, on another card; nothing is to
    // be opened behind it then.
    BERTH_TRY(check_cards(table, gpus, is_classic, &open, err));
  }
  return BERTH_OK;
}

// ---- Sharing them ----

static berth_code_t list_gpus(berth_gpu_table_t *table, size_t count,
                              berth_registry_t *registry, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&table->lock);
  for (size_t i = 0; i < count && i < table->count && code == BERTH_OK; ++i) {
    code = berth_registry_add(registry, table->gpus[i].device, err);
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
  berth_code_t code = plan_gpus(table, config, &gpus, err);
  if (code != BERTH_OK || gpus.count == 0) goto done;
  code = open_missing(table, config, &gpus, is_classic, err);
  if (code != BERTH_OK) goto done;
  size_t first = registry->count;
  code = list_gpus(table, (size_t)gpus.count, registry, err);
  for (size_t i = first; i < registry->count; ++i) {
    log_created(registry->devices[i], (int)(i - first), is_classic);
  }

done:
  berth_gpus_deinit(&gpus);
  return code;
}

berth_code_t berth_gpu_table_list(berth_gpu_table_t *table,
                                  berth_registry_t *registry,
                                  berth_error_t *err) {
  return list_gpus(table, SIZE_MAX, registry, err);
}

bool berth_gpu_table_has_any(berth_gpu_table_t *table) {
  berth_mutex_lock(&table->lock);
  bool has_any = table->count > 0;
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

static berth_code_t change_limit(berth_open_gpu_t *gpu, uint64_t limit,
                                 berth_error_t *err) {
  const char *name = gpu->device->names[BERTH_NAME_LOCAL_LEGACY];
  uint64_t most =
      gpu->source == BERTH_CARD_UNIFIED ? INT64_MAX : gpu->card_bytes;
  if (limit == 0 || limit > most) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s cannot be limited to %llu bytes: its card has "
                           "%llu",
                           name, (unsigned long long)limit,
                           (unsigned long long)most);
  }
  gpu->has_limit = true;
  change(gpu, berth_gpu_set_limit(gpu->policy, gpu->source, limit));
  return BERTH_OK;
}

berth_code_t berth_gpu_table_set_limit(berth_gpu_table_t *table,
                                       const berth_device_t *device,
                                       uint64_t limit, berth_error_t *err) {
  berth_mutex_lock(&table->lock);
  berth_open_gpu_t *gpu = find_gpu(table, device);
  berth_code_t code =
      gpu != NULL
          ? change_limit(gpu, limit, err)
          : berth_error_set(err, BERTH_INVALID_ARGUMENT,
                            "Cannot set a memory limit on non-GPU devices");
  berth_mutex_unlock(&table->lock);
  return code;
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
