// gpus.c - Which logical GPUs a configuration asks for.
#include "runtime/gpus.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

enum {
  MAX_GPUS = 4096,  // A session numbers its devices with 16 bits.
  // The oldest capability that TensorFlow takes.
  LEAST_CC_MAJOR = 3,
  LEAST_CC_MINOR = 5,
  // What drivers offer for streams; asking one would need a context.
  FIRST_PRIORITY = -5,
  LAST_PRIORITY = 0
};

// A list of cards, by visible index.
typedef struct order {
  int *cards;
  int count;
} order_t;

// Everything there is to plan with.
typedef struct planner {
  const berth_config_t *config;
  bool is_classic;  // Words of TensorFlow 1.
  const berth_card_info_t *const *cards;
  int card_count;
  order_t visible;  // In the order asked for,
  order_t usable;   // and those of them that can be used.
  int card_limit;   // Most cards to use.
} planner_t;

static const char *visible_list(const planner_t *planner) {
  const char *list = planner->config->gpu.visible_devices;
  return list != NULL ? list : "";
}

// ---- visible_device_list ----

// Reads a number as TensorFlow does, with space around it.
static bool read_number(const char *text, size_t size, int64_t *out_number) {
  char digits[24];
  while (size > 0 && isspace((unsigned char)text[0])) ++text, --size;
  while (size > 0 && isspace((unsigned char)text[size - 1])) --size;
  if (size == 0 || size >= sizeof(digits)) return false;
  memcpy(digits, text, size);
  digits[size] = '\0';
  return berth_parse_int64(digits, out_number) && *out_number >= INT32_MIN &&
         *out_number <= INT32_MAX;
}

static berth_code_t refuse_entry(const planner_t *planner, const char *entry,
                                 size_t size, berth_error_t *err) {
  if (!planner->is_classic) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Could not parse entry in 'visible_device_list': '%.*s'.", (int)size,
        entry);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Could not parse entry in 'visible_device_list': "
                         "'%.*s'. visible_device_list = %s",
                         (int)size, entry, visible_list(planner));
}

// Reads one entry, "1" or "GPU:1"; those of other types are left out.
static berth_code_t add_entry(planner_t *planner, const char *entry,
                              size_t size, berth_error_t *err) {
  const char *number = entry;
  const char *colon = memchr(entry, ':', size);
  if (colon != NULL && !planner->is_classic) {
    if (colon - entry != 3 || memcmp(entry, "GPU", 3) != 0) return BERTH_OK;
    number = colon + 1;
  }
  int64_t card = 0;
  if (!read_number(number, size - (size_t)(number - entry), &card)) {
    return refuse_entry(planner, entry, size, err);
  }
  if (card < 0 || card >= planner->card_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'visible_device_list' listed an invalid %s id "
                           "'%d' but visible device count is %d",
                           planner->is_classic ? "GPU" : "Device", (int)card,
                           planner->card_count);
  }
  // One more than there are cards shows a duplicate; the rest is only read.
  if (planner->visible.count <= planner->card_count) {
    planner->visible.cards[planner->visible.count++] = (int)card;
  }
  return BERTH_OK;
}

static bool has_duplicate(const order_t *order) {
  for (int i = 0; i < order->count; ++i) {
    for (int j = 0; j < i; ++j) {
      if (order->cards[i] == order->cards[j]) return true;
    }
  }
  return false;
}

static berth_code_t read_list(planner_t *planner, berth_error_t *err) {
  const char *list = visible_list(planner);
  for (const char *entry = list;; ++entry) {
    size_t size = strcspn(entry, ",");
    BERTH_TRY(add_entry(planner, entry, size, err));
    entry += size;
    if (*entry == '\0') break;
  }
  if (!has_duplicate(&planner->visible)) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "visible_device_list contained a duplicate entry: %s",
                         list);
}

static berth_code_t find_visible(planner_t *planner, berth_error_t *err) {
  if (visible_list(planner)[0] != '\0') return read_list(planner, err);
  for (int i = 0; i < planner->card_count; ++i) planner->visible.cards[i] = i;
  planner->visible.count = planner->card_count;
  return BERTH_OK;
}

// ---- Usable cards ----

void berth_gpus_describe(const berth_card_info_t *card, int index,
                         berth_str_t *str) {
  berth_str_printf(str,
                   "device: %d, name: %s, pci bus id: %s, compute capability: "
                   "%d.%d",
                   index, card->name, card->pci_bus_id, card->cc_major,
                   card->cc_minor);
}

static bool is_usable(const berth_card_info_t *card, int index) {
  if (card->cc_major > LEAST_CC_MAJOR ||
      (card->cc_major == LEAST_CC_MAJOR && card->cc_minor >= LEAST_CC_MINOR)) {
    return true;
  }
  berth_str_t text = {0};
  berth_gpus_describe(card, index, &text);
  berth_log(BERTH_LOG_INFO, "gpu_device.cc", 2336,
            "Ignoring visible gpu device (%s) with Cuda compute capability "
            "%d.%d. The minimum required Cuda capability is %d.%d.",
            berth_str_get(&text), card->cc_major, card->cc_minor,
            LEAST_CC_MAJOR, LEAST_CC_MINOR);
  berth_str_clear(&text);
  return false;
}

static void find_usable(planner_t *planner) {
  for (int i = 0; i < planner->visible.count; ++i) {
    int card = planner->visible.cards[i];
    const berth_card_info_t *info = planner->cards[card];
    if (info == NULL || !is_usable(info, card)) continue;
    planner->usable.cards[planner->usable.count++] = card;
  }
  if (planner->card_limit > planner->usable.count) {
    planner->card_limit = planner->usable.count;
  }
}

// ---- Virtual devices ----

static berth_code_t check_counts(const planner_t *planner, berth_error_t *err) {
  int count = planner->config->gpu_experimental.virtual_device_count;
  if (planner->config->gpu.memory_fraction > 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "It's invalid to set "
                           "per_process_gpu_memory_fraction when "
                           "virtual_devices is set.");
  }
  if (planner->card_limit < count) {
    return berth_error_set(err, BERTH_UNKNOWN,
                           "Not enough GPUs to create virtual devices. "
                           "num_gpus_to_use: %d #virtual_devices: %d",
                           planner->card_limit, count);
  }
  if (visible_list(planner)[0] != '\0' && planner->visible.count != count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The number of GPUs in visible_device_list doesn't match the number "
        "of elements in the virtual_devices list. #GPUs in "
        "visible_device_list: %d virtual_devices.size(): %d",
        planner->visible.count, count);
  }
  if (planner->usable.count != count) {
    return berth_error_set(
        err, BERTH_UNKNOWN,
        "The number of valid GPUs doesn't match the number of elements in the "
        "virtual_devices list. #valid GPUs: %d virtual_devices.size(): %d",
        planner->usable.count, count);
  }
  return BERTH_OK;
}

static berth_code_t check_ordinals(const planner_t *planner, int index,
                                   berth_error_t *err) {
  const berth_virtual_devices_t *all =
      planner->config->gpu_experimental.virtual_devices;
  bool is_expected = all[0].device_ordinal_count > 0;
  const berth_virtual_devices_t *card = &all[index];
  if (card->device_ordinal_count > 0 && !is_expected) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Device ordinals must be set for all virtual devices or none. But the "
        "device_ordinal is specified for %d while previous devices didn't "
        "have any set.",
        index);
  }
  if (is_expected && card->device_ordinal_count != card->memory_limit_count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Number of virtual device ordinals specified doesn't match with "
        "number of memory_limit_mb specified for GPU# %d memory_limit_mb "
        "size: %d and device_ordinal size: %d",
        index, card->memory_limit_count, card->device_ordinal_count);
  }
  return BERTH_OK;
}

static berth_code_t check_range(const planner_t *planner, int index,
                                berth_error_t *err) {
  const berth_virtual_devices_t *card =
      &planner->config->gpu_experimental.virtual_devices[index];
  for (int i = 0; i < card->priority_count; ++i) {
    int priority = card->priority[i];
    if (priority >= FIRST_PRIORITY && priority <= LAST_PRIORITY) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Priority %d is outside the range of supported priorities [%d,%d] for "
        "virtual device %d on GPU# %d",
        priority, FIRST_PRIORITY, LAST_PRIORITY, index,
        planner->usable.cards[index]);
  }
  return BERTH_OK;
}

static berth_code_t check_priorities(const planner_t *planner, int index,
                                     berth_error_t *err) {
  const berth_virtual_devices_t *all =
      planner->config->gpu_experimental.virtual_devices;
  bool is_expected = all[0].priority_count > 0;
  const berth_virtual_devices_t *card = &all[index];
  if (card->priority_count > 0 && !is_expected) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Priority must be set for all virtual devices or none. But the "
        "priority is specified for %d while previous devices didn't have any "
        "set.",
        index);
  }
  if (is_expected && card->priority_count != card->memory_limit_count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Number of virtual device priorities specified doesn't match with "
        "number of memory_limit_mb specified for GPU# %d memory_limit_mb "
        "size: %d and priority size: %d",
        index, card->memory_limit_count, card->priority_count);
  }
  return check_range(planner, index, err);
}

static berth_code_t check_virtual(planner_t *planner, berth_error_t *err) {
  int count = planner->config->gpu_experimental.virtual_device_count;
  if (count <= 0) return BERTH_OK;
  BERTH_TRY(check_counts(planner, err));
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(check_ordinals(planner, i, err));
    BERTH_TRY(check_priorities(planner, i, err));
  }
  planner->card_limit = count;
  return BERTH_OK;
}

// ---- Logical GPUs ----

// Returns the limits asked of the card at |place|; NULL: none.
static const berth_virtual_devices_t *limits_of(const planner_t *planner,
                                                int place) {
  const berth_gpu_experimental_t *gpu = &planner->config->gpu_experimental;
  if (gpu->virtual_device_count <= 0) return NULL;
  const berth_virtual_devices_t *limits = &gpu->virtual_devices[place];
  return limits->memory_limit_count > 0 ? limits : NULL;
}

static int parts_of(const planner_t *planner) {
  int parts = planner->config->gpu_experimental.devices_per_card;
  return parts > 1 ? parts : 1;
}

static int64_t count_gpus(const planner_t *planner) {
  int64_t count = 0;
  for (int i = 0; i < planner->card_limit; ++i) {
    const berth_virtual_devices_t *limits = limits_of(planner, i);
    count += limits != NULL ? limits->memory_limit_count : parts_of(planner);
  }
  return count;
}

static void add_gpu(berth_gpus_t *gpus, berth_logical_gpu_t gpu) {
  // Behind all that are not after it, so that equals keep their order.
  int place = gpus->count++;
  while (place > 0 && gpus->items[place - 1].ordinal > gpu.ordinal) {
    gpus->items[place] = gpus->items[place - 1];
    --place;
  }
  gpus->items[place] = gpu;
}

static void add_limits(berth_gpus_t *gpus, int card,
                       const berth_virtual_devices_t *limits) {
  for (int i = 0; i < limits->memory_limit_count; ++i) {
    berth_logical_gpu_t gpu = {.card = card,
                               .has_limit = true,
                               .limit_mb = limits->memory_limit_mb[i],
                               .parts = 1};
    if (limits->priority_count > 0) gpu.priority = limits->priority[i];
    if (limits->device_ordinal_count > 0) {
      gpu.ordinal = limits->device_ordinal[i];
    }
    add_gpu(gpus, gpu);
  }
}

static berth_code_t make_gpus(const planner_t *planner, berth_gpus_t *out_gpus,
                              berth_error_t *err) {
  int64_t count = count_gpus(planner);
  if (count > MAX_GPUS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the configuration asks for %lld GPU devices; at "
                           "most %d are supported",
                           (long long)count, MAX_GPUS);
  }
  berth_gpus_t gpus = {
      .items = berth_calloc((size_t)count + 1, sizeof(berth_logical_gpu_t))};
  if (gpus.items == NULL) return berth_error_no_memory(err, "a list of GPUs");
  for (int i = 0; i < planner->card_limit; ++i) {
    int card = planner->usable.cards[i], parts = parts_of(planner);
    const berth_virtual_devices_t *limits = limits_of(planner, i);
    if (limits != NULL) add_limits(&gpus, card, limits);
    for (int part = 0; limits == NULL && part < parts; ++part) {
      add_gpu(&gpus, (berth_logical_gpu_t){.card = card, .parts = parts});
    }
  }
  *out_gpus = gpus;
  return BERTH_OK;
}

static void log_visible(const planner_t *planner) {
  berth_str_t text = {0};
  for (int i = 0; i < planner->usable.count; ++i) {
    berth_str_printf(&text, "%s%d", i > 0 ? ", " : "",
                     planner->usable.cards[i]);
  }
  berth_log(BERTH_LOG_INFO, "gpu_device.cc", 1471,
            "Adding visible gpu devices: %s", berth_str_get(&text));
  berth_str_clear(&text);
}

static berth_code_t plan(planner_t *planner, berth_gpus_t *out_gpus,
                         berth_error_t *err) {
  if (planner->card_limit > 0) BERTH_TRY(find_visible(planner, err));
  find_usable(planner);
  if (planner->is_classic && planner->usable.count > 0) log_visible(planner);
  BERTH_TRY(check_virtual(planner, err));
  return make_gpus(planner, out_gpus, err);
}

berth_code_t berth_gpus_plan(const berth_config_t *config,
                             berth_log_style_t style,
                             const berth_card_info_t *const *cards,
                             int card_count, berth_gpus_t *out_gpus,
                             berth_error_t *err) {
  *out_gpus = (berth_gpus_t){0};
  if (card_count <= 0) return BERTH_OK;
  size_t room = (size_t)card_count + 1;
  int *space = berth_calloc(2 * room, sizeof(*space));
  if (space == NULL) return berth_error_no_memory(err, "a list of GPUs");
  planner_t planner = {
      .config = config,
      .is_classic = style == BERTH_STYLE_CLASSIC,
      .cards = cards,
      .card_count = card_count,
      .visible = {.cards = space},
      .usable = {.cards = space + room},
      .card_limit = config->gpu_count < 0 ? INT_MAX : config->gpu_count,
  };
  berth_code_t code = plan(&planner, out_gpus, err);
  berth_free(space);
  return code;
}

void berth_gpus_deinit(berth_gpus_t *gpus) {
  berth_free(gpus->items);
  *gpus = (berth_gpus_t){0};
}

bool berth_gpus_is_none(const berth_config_t *config) {
  return config->gpu_count == 0 &&
         config->gpu_experimental.virtual_device_count <= 0;
}
