// budget.c - How much of a card this process may hold in all.
#include "runtime/budget.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/str.h"
#include "berth/share.h"
#include "device/keeper.h"
#include "device/reclaim.h"
#include "memory/stats.h"
#include "runtime/cards.h"
#include "runtime/process.h"

enum { MAX_NUMBER = 48 };
#define MILLISECOND ((int64_t)1000000)

// ---- Reading ----

// Returns what a unit stands for; 0: there is no such unit.
static double unit_of(const char *text, size_t size, uint64_t total) {
  static const struct {
    const char *name;
    double bytes;
  } units[] = {{"", 1},       {"B", 1},        {"K", 0x1p10}, {"KiB", 0x1p10},
               {"M", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30}, {"GiB", 0x1p30},
               {"T", 0x1p40}, {"TiB", 0x1p40}, {"KB", 1e3},   {"MB", 1e6},
               {"GB", 1e9},   {"TB", 1e12}};
  if (size == 1 && text[0] == '%') return (double)total / 100;
  for (size_t i = 0; i < BERTH_COUNT_OF(units); ++i) {
    if (strlen(units[i].name) == size &&
        strncasecmp(units[i].name, text, size) == 0) {
      return units[i].bytes;
    }
  }
  return 0;
}

// Reads |size| bytes of |text|: "4GiB", "1.5 GiB", "50%".
static bool read_size(const char *text, size_t size, uint64_t total,
                      uint64_t *out_bytes) {
  char number[MAX_NUMBER];
  size_t digits = 0;
  while (digits < size && digits < sizeof(number) - 1 &&
         (isdigit((unsigned char)text[digits]) || text[digits] == '.')) {
    number[digits] = text[digits];
    ++digits;
  }
  number[digits] = '\0';
  while (digits < size && text[digits] == ' ') ++digits;
  char *end = NULL;
  double value = strtod(number, &end);
  double unit = unit_of(text + digits, size - digits, total);
  if (end == number || *end != '\0' || unit == 0) return false;
  double bytes = value * unit;
  if (!(bytes >= 1) || bytes >= 0x1p62) return false;
  *out_bytes = (uint64_t)bytes;
  return true;
}

static berth_code_t refuse(const char *name, const char *text,
                           berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s is no amount of memory: '%s'; write 4GiB, 50%%, "
                         "or 0=4GiB,1=2GiB for cards by number",
                         name, text);
}

berth_code_t berth_budget_parse(const char *name, const char *text, int index,
                                uint64_t total, uint64_t *out_bytes,
                                berth_error_t *err) {
  uint64_t found = 0;
  for (const char *at = text; *at != '\0';) {
    size_t size = strcspn(at, ",");
    const char *equals = memchr(at, '=', size);
    const char *value = equals != NULL ? equals + 1 : at;
    uint64_t bytes = 0;
    if (!read_size(value, size - (size_t)(value - at), total, &bytes)) {
      return refuse(name, text, err);
    }
    if (equals == NULL) {
      found = bytes;
    } else {
      char *end = NULL;
      long card = strtol(at, &end, 10);
      if (end == at || end != equals) return refuse(name, text, err);
      if (card == index) found = bytes;
    }
    at += size + (at[size] == ',');
  }
  *out_bytes = found;
  return BERTH_OK;
}

// ---- Settling ----

// Reads the variable |name| into |place|, or |fallback| where it is not set.
static berth_code_t settle_one(const char *name, const char *fallback,
                               int index, uint64_t total,
                               _Atomic uint64_t *place, berth_error_t *err) {
  const char *text = berth_env_get(name);
  if (text == NULL || text[0] == '\0') text = fallback;
  if (text == NULL || text[0] == '\0') return BERTH_OK;
  uint64_t bytes = 0;
  BERTH_TRY(berth_budget_parse(name, text, index, total, &bytes, err));
  if (bytes > 0) atomic_store(place, bytes);
  return BERTH_OK;
}

static berth_code_t settle_time(const char *name, _Atomic int64_t *place,
                                berth_error_t *err) {
  const char *text = berth_env_get(name);
  if (text == NULL || text[0] == '\0') return BERTH_OK;
  char *end = NULL;
  double seconds = strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds >= 0) || seconds > 1e9) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s needs a number of seconds, not '%s'", name,
                           text);
  }
  atomic_store(place, (int64_t)(seconds * 1e9));
  return BERTH_OK;
}

static berth_code_t settle(const berth_config_t *config,
                           berth_account_t *account, int index, uint64_t total,
                           berth_error_t *err) {
  BERTH_TRY(settle_one("BERTH_GPU_BUDGET", config->gpu_budget, index, total,
                       &account->budget_bytes, err));
  BERTH_TRY(settle_one("BERTH_GPU_FLOOR", NULL, index, total,
                       &account->floor_bytes, err));
  BERTH_TRY(settle_one("BERTH_GPU_MARGIN", NULL, index, total,
                       &account->margin_bytes, err));
  BERTH_TRY(settle_time("BERTH_GPU_WAIT", &account->wait_ns, err));
  return settle_time("BERTH_GPU_IDLE", &account->idle_ns, err);
}

berth_policy_t berth_budget_policy(berth_policy_t policy,
                                   const berth_account_t *account,
                                   bool has_limit) {
  uint64_t floor = atomic_load(&account->floor_bytes);
  uint64_t budget = atomic_load(&account->budget_bytes);
  uint64_t most = policy.limit_bytes;
  if (budget == 0 && floor == 0) return policy;
  if (budget > most && most > 0 && !has_limit) policy.limit_bytes = budget;
  policy.floor_bytes = most > 0 && floor > most ? most : floor;
  if (policy.first_region_bytes == most && most > 0) {
    policy.first_region_bytes = berth_policy_growth(most).first_region_bytes;
  }
  return policy;
}

berth_code_t berth_budget_settle(const berth_config_t *config,
                                 const berth_card_info_t *card, int index,
                                 uint64_t total, bool has_limit,
                                 berth_device_wish_t *wish,
                                 berth_error_t *err) {
  berth_account_t *account = berth_account_find(card);
  if (account == NULL) return berth_error_no_memory(err, "a card's account");
  if (!atomic_load(&account->is_settled)) {
    BERTH_TRY(settle(config, account, index, total, err));
    atomic_store(&account->is_settled, true);
  }
  wish->policy = berth_budget_policy(wish->policy, account, has_limit);
  return BERTH_OK;
}

// ---- Changing ----

static berth_code_t find_account(const char *name, berth_device_t **out_device,
                                 berth_account_t **out_account,
                                 berth_error_t *err) {
  berth_registry_t all = {0};
  berth_code_t code = berth_process_list(&all, err);
  if (code == BERTH_OK) code = berth_registry_get(&all, name, out_device, err);
  berth_registry_deinit(&all);
  if (code != BERTH_OK) return code;
  int card = berth_cards_of(*out_device);
  const berth_card_info_t *info = card >= 0 ? berth_cards_info(card) : NULL;
  if (info == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s does not live on a card, and has no budget",
                           name);
  }
  *out_account = berth_account_find(info);
  return *out_account != NULL ? BERTH_OK
                              : berth_error_no_memory(err, "a card's account");
}

static uint64_t held_by(const berth_account_t *account) {
  return atomic_load(&account->held_bytes) +
         atomic_load(&account->outside_bytes);
}

// Gives back what is idle until |bytes| are kept; false when more is in use.
static bool come_under(berth_device_t *device, berth_account_t *account,
                       uint64_t bytes) {
  atomic_store(&account->is_stirred, true);
  berth_account_refresh(account);
  for (int i = 0; i < 2 && held_by(account) > bytes; ++i) {
    if (i > 0) (void)berth_reclaim(device);
    (void)berth_keeper_shrink(account, held_by(account) - bytes);
  }
  return held_by(account) <= bytes;
}

static berth_code_t in_the_way(const berth_device_t *device,
                               const berth_account_t *account, uint64_t bytes,
                               berth_error_t *err) {
  char wanted[BERTH_SIZE_TEXT], pool[BERTH_SIZE_TEXT], outside[BERTH_SIZE_TEXT];
  return berth_error_set(
      err, BERTH_FAILED_PRECONDITION,
      "%s cannot have a budget of %s: tensors and programs that live hold %s, "
      "the driver's context, code and libraries %s; drop tensors and close "
      "sessions, or release the card, first",
      device->names[BERTH_NAME_LOCAL_LEGACY], berth_size_text(bytes, wanted),
      berth_size_text(atomic_load(&account->held_bytes), pool),
      berth_size_text(atomic_load(&account->outside_bytes), outside));
}

berth_code_t berth_device_set_memory_budget(const char *name,
                                            const berth_memory_budget_t *budget,
                                            berth_error_t *err) {
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(budget, err);
  berth_device_t *device = NULL;
  berth_account_t *account = NULL;
  BERTH_TRY(find_account(name, &device, &account, err));
  uint64_t bytes = budget->budget_bytes;
  if (bytes > 0 && budget->floor_bytes > bytes) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s cannot have a floor above its budget", name);
  }
  uint64_t before = atomic_exchange(&account->budget_bytes, bytes);
  if (bytes > 0 && !come_under(device, account, bytes)) {
    atomic_store(&account->budget_bytes, before);
    return in_the_way(device, account, bytes, err);
  }
  atomic_store(&account->floor_bytes, budget->floor_bytes);
  atomic_store(&account->margin_bytes, budget->margin_bytes);
  atomic_store(&account->wait_ns, budget->wait_ms * MILLISECOND);
  atomic_store(&account->idle_ns, budget->idle_ms * MILLISECOND);
  atomic_store(&account->is_settled, true);
  berth_gpu_table_refresh(berth_process_gpus(), device);
  berth_keeper_tell();
  return BERTH_OK;
}

berth_code_t berth_device_query_memory_budget(const char *name,
                                              berth_memory_budget_t *out_budget,
                                              berth_error_t *err) {
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_budget, err);
  berth_device_t *device = NULL;
  berth_account_t *account = NULL;
  BERTH_TRY(find_account(name, &device, &account, err));
  *out_budget = (berth_memory_budget_t){
      .budget_bytes = atomic_load(&account->budget_bytes),
      .floor_bytes = atomic_load(&account->floor_bytes),
      .margin_bytes = atomic_load(&account->margin_bytes),
      .wait_ms = atomic_load(&account->wait_ns) / MILLISECOND,
      .idle_ms = atomic_load(&account->idle_ns) / MILLISECOND,
      .pool_bytes = atomic_load(&account->held_bytes),
      .outside_bytes = atomic_load(&account->outside_bytes),
      .peak_bytes = atomic_load(&account->peak_bytes),
      .is_estimate = atomic_load(&account->is_estimate)};
  return BERTH_OK;
}
