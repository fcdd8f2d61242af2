// card.c - The GPUs of this machine, as they are before anything is opened.
//
// A list is made by NVML and our own reading of CUDA_VISIBLE_DEVICES as long as
// both are sure to agree with the driver: without slices, and when the order of
// the cards cannot differ. Otherwise the driver is asked.
//
// Until the driver is open the environment counts as it is now, so a list lasts
// as long as its two variables. Lists are never freed: others hold their cards.
#include "cuda/card/card.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/str.h"
#include "base/thread.h"
#include "cuda/card/context.h"
#include "cuda/card/library.h"
#include "cuda/card/nvml.h"
#include "cuda/card/visible.h"

typedef struct card_list {
  berth_cuda_env_t env;  // What it was made for.
  int count;
  char problem[BERTH_ERROR_TEXT_SIZE];  // Why it is empty; "".
  struct card_list *older;
  berth_card_info_t cards[];
} card_list_t;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards |lists|.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIST)
static card_list_t *lists = NULL;

static berth_code_t create(int count, card_list_t **out_list,
                           berth_error_t *err) {
  card_list_t *list = berth_calloc(
      1, sizeof(*list) + (size_t)count * sizeof(berth_card_info_t));
  if (list == NULL) return berth_error_no_memory(err, "a list of cards");
  list->count = count;
  *out_list = list;
  return BERTH_OK;
}

// Makes a list without cards.
static berth_code_t create_empty(const char *problem, card_list_t **out_list,
                                 berth_error_t *err) {
  BERTH_TRY(create(0, out_list, err));
  snprintf((*out_list)->problem, sizeof((*out_list)->problem), "%s", problem);
  return BERTH_OK;
}

// ---- By NVML ----

static bool is_pci_order(const berth_cuda_env_t *env) {
  return env->has_order && strcmp(env->order, "PCI_BUS_ID") == 0;
}

// True when no card is faster than another, as far as one can see.
static bool is_uniform(const berth_nvml_list_t *machine) {
  for (int i = 1; i < machine->count; ++i) {
    const berth_card_info_t *first = &machine->cards[0].info;
    const berth_card_info_t *other = &machine->cards[i].info;
    if (strcmp(first->name, other->name) != 0 ||
        first->total_bytes != other->total_bytes) {
      return false;
    }
  }
  return true;
}

static berth_code_t explain_hidden(const berth_cuda_env_t *env, bool is_refused,
                                   card_list_t **out_list, berth_error_t *err) {
  char text[BERTH_ERROR_TEXT_SIZE];
  snprintf(text, sizeof(text),
           is_refused ? "CUDA_VISIBLE_DEVICES=\"%.200s\" names a card twice"
                      : "CUDA_VISIBLE_DEVICES=\"%.200s\" hides all cards",
           env->visible);
  return create_empty(
      env->has_visible ? text : "there is no card in this machine", out_list,
      err);
}

static berth_code_t list_by_nvml(const berth_nvml_list_t *machine,
                                 const berth_cuda_env_t *env,
                                 card_list_t **out_list, berth_error_t *err) {
  size_t count = (size_t)machine->count;
  const char **uuids = berth_calloc(count + 1, sizeof(*uuids));
  int *shown = berth_calloc(count + 1, sizeof(*shown));
  berth_code_t code = BERTH_OK;
  if (uuids == NULL || shown == NULL) {
    code = berth_error_no_memory(err, "a list of cards");
    goto done;
  }
  for (size_t i = 0; i < count; ++i) uuids[i] = machine->cards[i].info.uuid;
  berth_visible_t visible = berth_visible_read(
      env->has_visible ? env->visible : NULL, uuids, machine->count, shown);
  if (visible.count == 0) {
    code = explain_hidden(env, visible.is_refused, out_list, err);
    goto done;
  }
  code = create(visible.count, out_list, err);
  if (code != BERTH_OK) goto done;
  bool has_one_order = is_uniform(machine);
  for (int i = 0; i < visible.count; ++i) {
    berth_card_info_t *card = &(*out_list)->cards[i];
    *card = machine->cards[shown[i]].info;
    if (has_one_order) card->fast_index = shown[i];
  }

done:
  berth_free(uuids);
  berth_free(shown);
  return code;
}

// ---- By the driver ----

static void print_uuid(const CUuuid *uuid, bool is_slice, char *text,
                       size_t size) {
  unsigned char b[16];
  memcpy(b, uuid->bytes, sizeof(b));
  snprintf(text, size,
           "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
           "%02x%02x%02x%02x%02x%02x",
           is_slice ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6],
           b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

// Finds what NVML says of the card with |uuid|, slice or not.
static const berth_card_info_t *find_in_nvml(const berth_nvml_list_t *machine,
                                             const CUuuid *uuid) {
  char text[BERTH_CARD_UUID];
  for (int i = 0; i < machine->count; ++i) {
    const berth_card_info_t *info = &machine->cards[i].info;
    print_uuid(uuid, info->is_slice, text, sizeof(text));
    if (strcmp(info->uuid, text) == 0) return info;
  }
  return NULL;
}

// Calls the driver's function |name| and returns early when it fails.
#define DRIVER_TRY(err, name, ...)                  \
  do {                                              \
    CUresult result_ = BERTH_CU(name, __VA_ARGS__); \
    if (result_ != CUDA_SUCCESS) {                  \
      return berth_cuda_error(err, result_, #name); \
    }                                               \
  } while (0)

static berth_code_t describe_by_driver(const berth_cuda_card_t *card,
                                       const CUuuid *uuid,
                                       berth_card_info_t *info,
                                       berth_error_t *err) {
  size_t total = 0;
  snprintf(info->name, sizeof(info->name), "%s", card->name);
  print_uuid(uuid, false, info->uuid, sizeof(info->uuid));
  DRIVER_TRY(err, cuDeviceGetPCIBusId, info->pci_bus_id,
             sizeof(info->pci_bus_id), card->device);
  DRIVER_TRY(err, cuDeviceTotalMem_v2, &total, card->device);
  info->bus_index = -1;
  info->cc_major = card->cc_major;
  info->cc_minor = card->cc_minor;
  info->total_bytes = total;
  info->is_simulated = berth_cuda_is_simulated();
  return BERTH_OK;
}

static berth_code_t fill_by_driver(const berth_nvml_list_t *machine, int index,
                                   berth_card_info_t *info,
                                   berth_error_t *err) {
  berth_cuda_card_t *card = NULL;
  CUuuid uuid = {{0}};
  BERTH_TRY(berth_cuda_card_find(index, &card, err));
  // Only the newer call knows the UUIDs of slices.
  if (BERTH_CU_HAS(cuDeviceGetUuid_v2)) {
    DRIVER_TRY(err, cuDeviceGetUuid_v2, &uuid, card->device);
  } else {
    DRIVER_TRY(err, cuDeviceGetUuid, &uuid, card->device);
  }
  const berth_card_info_t *known = find_in_nvml(machine, &uuid);
  if (known != NULL) {
    *info = *known;
  } else {
    BERTH_TRY(describe_by_driver(card, &uuid, info, err));
  }
  info->fast_index = -1;
  return BERTH_OK;
}

static berth_code_t list_by_driver(const berth_nvml_list_t *machine,
                                   const berth_cuda_env_t *env,
                                   card_list_t **out_list, berth_error_t *err) {
  int count = 0;
  DRIVER_TRY(err, cuDeviceGetCount, &count);
  card_list_t *list = NULL;
  BERTH_TRY(create(count, &list, err));
  bool shows_speed = !env->has_visible && !is_pci_order(env);
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    code = fill_by_driver(machine, i, &list->cards[i], err);
    if (shows_speed) list->cards[i].fast_index = i;
  }
  if (code != BERTH_OK) {
    berth_free(list);
    return code;
  }
  *out_list = list;
  return BERTH_OK;
}

// Opens the driver for a listing. Stores an empty list where it sees nothing.
static berth_code_t ask_driver(const berth_nvml_list_t *machine,
                               const berth_cuda_env_t *env,
                               card_list_t **out_list, berth_error_t *err) {
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = berth_cuda_driver_open(&reason);
  if (code == BERTH_OK) return list_by_driver(machine, env, out_list, err);
  // It shows nothing (100), refuses CUDA_VISIBLE_DEVICES (101), or is none.
  if (code == BERTH_NOT_FOUND || code == BERTH_INVALID_ARGUMENT ||
      code == BERTH_UNAVAILABLE) {
    code = create_empty(berth_error_message(&reason), out_list, err);
    berth_error_clear(&reason);
    return code;
  }
  return berth_error_move(err, &reason);
}

// ---- The list ----

static berth_code_t make_list(const berth_cuda_env_t *env,
                              card_list_t **out_list, berth_error_t *err) {
  berth_nvml_list_t machine = {0};
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = berth_cuda_driver_load(&reason);
  if (code != BERTH_OK) {
    bool is_missing = code == BERTH_UNAVAILABLE ||
                      code == BERTH_UNIMPLEMENTED || code == BERTH_NOT_FOUND;
    if (!is_missing || berth_cuda_is_simulated()) {
      return berth_error_move(err, &reason);
    }
    code = create_empty(berth_error_message(&reason), out_list, err);
    berth_error_clear(&reason);
    return code;
  }
  bool has_nvml = berth_nvml_list(&machine, NULL) == BERTH_OK;
  bool is_sure = has_nvml && !machine.has_slices &&
                 (is_pci_order(env) || is_uniform(&machine));
  code = is_sure ? list_by_nvml(&machine, env, out_list, err)
                 : ask_driver(&machine, env, out_list, err);
  berth_free(machine.cards);
  return code;
}

static bool is_same_env(const berth_cuda_env_t *a, const berth_cuda_env_t *b) {
  return a->has_visible == b->has_visible && a->has_order == b->has_order &&
         strcmp(a->visible, b->visible) == 0 && strcmp(a->order, b->order) == 0;
}

// Finds the list that counts now, or makes it.
static berth_code_t find_list(const card_list_t **out_list,
                              berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&lock);
  berth_cuda_env_t env;
  berth_cuda_env(&env);
  card_list_t *list = lists;
  while (list != NULL && !is_same_env(&list->env, &env)) list = list->older;
  if (list == NULL) {
    code = make_list(&env, &list, err);
    if (code == BERTH_OK) {
      list->env = env;
      list->older = lists;
      lists = list;
    }
  }
  berth_mutex_unlock(&lock);
  if (code == BERTH_OK) *out_list = list;
  return code;
}

berth_code_t berth_cuda_cards_count(int *out_count, berth_error_t *err) {
  const card_list_t *list = NULL;
  BERTH_TRY(find_list(&list, err));
  *out_count = list->count;
  return BERTH_OK;
}

const berth_card_info_t *berth_cuda_card_info(int index) {
  const card_list_t *list = NULL;
  if (find_list(&list, NULL) != BERTH_OK) return NULL;
  return index >= 0 && index < list->count ? &list->cards[index] : NULL;
}

const char *berth_cuda_cards_problem(void) {
  const card_list_t *list = NULL;
  if (find_list(&list, NULL) != BERTH_OK) return "the driver fails";
  return list->problem;
}

// ---- What happens on them ----

static berth_code_t find_card(int index, const berth_card_info_t **out_card,
                              berth_error_t *err) {
  const card_list_t *list = NULL;
  BERTH_TRY(find_list(&list, err));
  if (index < 0 || index >= list->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "there is no GPU %d: %d are visible", index,
                           list->count);
  }
  *out_card = &list->cards[index];
  return BERTH_OK;
}

// Asks the driver, which takes an open context to answer.
static berth_code_t memory_by_driver(int index, uint64_t *out_free,
                                     uint64_t *out_total, berth_error_t *err) {
  berth_cuda_card_t *card = NULL;
  size_t free_bytes = 0, total_bytes = 0;
  BERTH_TRY(berth_cuda_card_find(index, &card, err));
  BERTH_TRY(berth_cuda_card_open(card, err));
  BERTH_TRY(
      BERTH_CARD_CALL(card, err, cuMemGetInfo_v2, &free_bytes, &total_bytes));
  *out_free = free_bytes;
  *out_total = total_bytes;
  return BERTH_OK;
}

berth_code_t berth_cuda_card_memory(int index, uint64_t *out_free,
                                    uint64_t *out_total, berth_error_t *err) {
  const berth_card_info_t *card = NULL;
  BERTH_TRY(find_card(index, &card, err));
  if (card->bus_index >= 0) {
    return berth_nvml_memory(card->uuid, out_free, out_total, err);
  }
  return memory_by_driver(index, out_free, out_total, err);
}

berth_code_t berth_cuda_card_processes(int index,
                                       berth_card_process_t *processes,
                                       int room, int *out_count,
                                       berth_error_t *err) {
  const berth_card_info_t *card = NULL;
  BERTH_TRY(find_card(index, &card, err));
  return berth_nvml_processes(card->uuid, processes, room, out_count, err);
}

int berth_cuda_cards_api_version(void) {
  int version = 0;
  if (berth_cuda_driver_load(NULL) != BERTH_OK) return 0;
  return BERTH_CU(cuDriverGetVersion, &version) == CUDA_SUCCESS ? version : 0;
}

const char *berth_cuda_cards_driver_version(void) {
  static char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
  berth_mutex_lock(&lock);
  if (text[0] == '\0') berth_nvml_driver_version(text, sizeof(text));
  berth_mutex_unlock(&lock);
  return text;
}
