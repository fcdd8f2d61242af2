// nvml.c - NVML, opened at run time: the cards of the machine.
#include "cuda/card/nvml.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "base/thread.h"
#include "cuda/card/library.h"

berth_nvml_api_t berth_nvml_api;

enum { CLOSED, READY, FAILED };

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards opening.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIBRARY)
static int state = CLOSED;
static berth_error_t problem;  // Why it is FAILED.
static pid_t owner;            // The process that started it.

static const berth_symbol_t symbols[] = {
#define X(name, result, arguments) \
  {#name, offsetof(berth_nvml_api_t, name), true},
#define X_OPTIONAL(name, result, arguments) \
  {#name, offsetof(berth_nvml_api_t, name), false},
#include "cuda/api/nvml_symbols.inc"
};

// ---- Opening ----

// The one place where results of NVML become codes.
static berth_code_t check(nvmlReturn_t result, const char *call,
                          berth_error_t *err) {
  if (result == NVML_SUCCESS) return BERTH_OK;
  berth_code_t code = result == NVML_ERROR_MEMORY ? BERTH_RESOURCE_EXHAUSTED
                                                  : BERTH_UNAVAILABLE;
  return berth_error_set(err, code, "%s: %s (%d)", call,
                         berth_nvml_api.nvmlErrorString(result), (int)result);
}

// Calls NVML's function |name| and returns early when it fails.
#define NVML_TRY(err, name, ...) \
  BERTH_TRY(check(BERTH_NVML(name, __VA_ARGS__), #name, err))

static berth_code_t start(berth_error_t *err) {
  static const char *const names[] = {"libnvidia-ml.so.1", "libnvidia-ml.so",
                                      NULL};
  BERTH_TRY(berth_library_load(names, symbols, BERTH_COUNT_OF(symbols),
                               &berth_nvml_api, err));
  owner = getpid();
  return check(berth_fault("nvmlInit_v2") ? NVML_ERROR_UNKNOWN
                                          : berth_nvml_api.nvmlInit_v2(),
               "nvmlInit_v2", err);
}

berth_code_t berth_nvml_open(berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&lock);
  // The child of a fork starts its own; NVML knows nothing of the parent's.
  if (state == READY && owner != getpid()) state = CLOSED;
  if (state == CLOSED) {
    code = start(&problem);
    state = code == BERTH_OK ? READY : FAILED;
  }
  if (state == FAILED) {
    code =
        berth_error_set_text(err, problem.code, berth_error_message(&problem));
  }
  berth_mutex_unlock(&lock);
  return code;
}

void berth_nvml_driver_version(char *text, size_t size) {
  text[0] = '\0';
  if (berth_nvml_open(NULL) != BERTH_OK) return;
  if (BERTH_NVML(nvmlSystemGetDriverVersion, text, (unsigned)size) !=
      NVML_SUCCESS) {
    text[0] = '\0';
  }
}

// ---- Listing ----

// Describes |card|, whose handle is set. Slices have their parent's place.
static berth_code_t describe(berth_nvml_card_t *card, nvmlDevice_t parent,
                             berth_error_t *err) {
  berth_card_info_t *info = &card->info;
  nvmlPciInfo_t pci = {0};
  nvmlMemory_t memory = {0};
  unsigned index = 0;
  NVML_TRY(err, nvmlDeviceGetName, card->handle, info->name,
           sizeof(info->name));
  NVML_TRY(err, nvmlDeviceGetUUID, card->handle, info->uuid,
           sizeof(info->uuid));
  NVML_TRY(err, nvmlDeviceGetPciInfo_v3, parent, &pci);
  NVML_TRY(err, nvmlDeviceGetMemoryInfo, card->handle, &memory);
  NVML_TRY(err, nvmlDeviceGetCudaComputeCapability, parent, &info->cc_major,
           &info->cc_minor);
  NVML_TRY(err, nvmlDeviceGetIndex, parent, &index);
  snprintf(info->pci_bus_id, sizeof(info->pci_bus_id), "%04x:%02x:%02x.0",
           pci.domain, pci.bus, pci.device);
  info->total_bytes = memory.total;
  info->bus_index = (int)index;
  info->fast_index = -1;
  info->is_slice = card->handle != parent;
  info->is_simulated = berth_cuda_is_simulated();
  return BERTH_OK;
}

static berth_code_t add(berth_nvml_list_t *list, nvmlDevice_t handle,
                        nvmlDevice_t parent, berth_error_t *err) {
  berth_nvml_card_t *grown =
      berth_realloc(list->cards, (size_t)list->count + 1, sizeof(*list->cards));
  if (grown == NULL) return berth_error_no_memory(err, "a list of cards");
  list->cards = grown;
  grown[list->count] = (berth_nvml_card_t){.handle = handle};
  BERTH_TRY(describe(&grown[list->count], parent, err));
  ++list->count;
  return BERTH_OK;
}

// Returns how many slices |card| may have; 0 when it is not cut.
static unsigned slice_room(nvmlDevice_t card) {
  unsigned current = NVML_DEVICE_MIG_DISABLE, pending = 0, room = 0;
  if (berth_nvml_api.nvmlDeviceGetMigMode == NULL ||
      berth_nvml_api.nvmlDeviceGetMaxMigDeviceCount == NULL ||
      berth_nvml_api.nvmlDeviceGetMigDeviceHandleByIndex == NULL ||
      BERTH_NVML(nvmlDeviceGetMigMode, card, &current, &pending) !=
          NVML_SUCCESS ||
      current != NVML_DEVICE_MIG_ENABLE ||
      BERTH_NVML(nvmlDeviceGetMaxMigDeviceCount, card, &room) != NVML_SUCCESS) {
    return 0;
  }
  return room;
}

// Adds a card, or its slices instead.
static berth_code_t add_card(berth_nvml_list_t *list, unsigned index,
                             berth_error_t *err) {
  nvmlDevice_t card = NULL;
  NVML_TRY(err, nvmlDeviceGetHandleByIndex_v2, index, &card);
  unsigned room = slice_room(card);
  if (room == 0) return add(list, card, card, err);
  list->has_slices = true;
  for (unsigned i = 0; i < room; ++i) {
    nvmlDevice_t slice = NULL;
    // Places without a slice are in between.
    if (BERTH_NVML(nvmlDeviceGetMigDeviceHandleByIndex, card, i, &slice) ==
        NVML_SUCCESS) {
      BERTH_TRY(add(list, slice, card, err));
    }
  }
  return BERTH_OK;
}

berth_code_t berth_nvml_list(berth_nvml_list_t *out_list, berth_error_t *err) {
  berth_nvml_list_t list = {0};
  unsigned count = 0;
  BERTH_TRY(berth_nvml_open(err));
  NVML_TRY(err, nvmlDeviceGetCount_v2, &count);
  berth_code_t code = BERTH_OK;
  for (unsigned i = 0; code == BERTH_OK && i < count; ++i) {
    code = add_card(&list, i, err);
  }
  if (code != BERTH_OK) {
    berth_free(list.cards);
    return code;
  }
  *out_list = list;
  return BERTH_OK;
}

// ---- Asking about one ----

// Stores what is free, and what there is for programs: the driver keeps some
// of a large card for itself, which only newer versions tell apart.
static berth_code_t ask_memory(nvmlDevice_t card, uint64_t *out_free,
                               uint64_t *out_total, berth_error_t *err) {
  nvmlMemory_v2_t memory = {.version = NVML_MEMORY_V2};
  nvmlMemory_t plain = {0};
  if (berth_nvml_api.nvmlDeviceGetMemoryInfo_v2 != NULL &&
      BERTH_NVML(nvmlDeviceGetMemoryInfo_v2, card, &memory) == NVML_SUCCESS) {
    *out_free = memory.free;
    *out_total = memory.total - memory.reserved;
    return BERTH_OK;
  }
  NVML_TRY(err, nvmlDeviceGetMemoryInfo, card, &plain);
  *out_free = plain.free;
  *out_total = plain.total;
  return BERTH_OK;
}

berth_code_t berth_nvml_memory(const char *uuid, uint64_t *out_free,
                               uint64_t *out_total, berth_error_t *err) {
  nvmlDevice_t card = NULL;
  BERTH_TRY(berth_nvml_open(err));
  NVML_TRY(err, nvmlDeviceGetHandleByUUID, uuid, &card);
  return ask_memory(card, out_free, out_total, err);
}

typedef nvmlReturn_t (*processes_fn)(nvmlDevice_t device, unsigned *count,
                                     nvmlProcessInfo_t *infos);

typedef struct process_list {
  nvmlProcessInfo_t *items;
  unsigned count;
} process_list_t;

// Asks |fn| who is on |card|; appends to |list|.
static berth_code_t ask_processes(processes_fn fn, nvmlDevice_t card,
                                  process_list_t *list, berth_error_t *err) {
  unsigned found = 0;
  nvmlReturn_t result = NVML_SUCCESS;
  if (fn == NULL) return BERTH_OK;
  result = fn(card, &found, NULL);
  // More may come between the two calls: then there is another round.
  while (result == NVML_ERROR_INSUFFICIENT_SIZE) {
    found += 8;
    nvmlProcessInfo_t *grown = berth_realloc(
        list->items, (size_t)list->count + found, sizeof(*list->items));
    if (grown == NULL) return berth_error_no_memory(err, "a process table");
    list->items = grown;
    result = fn(card, &found, list->items + list->count);
  }
  BERTH_TRY(check(result, "nvmlDeviceGetRunningProcesses", err));
  if (list->items != NULL) list->count += found;
  return BERTH_OK;
}

static bool is_repeated(const process_list_t *list, unsigned index) {
  for (unsigned i = 0; i < index; ++i) {
    if (list->items[i].pid == list->items[index].pid) return true;
  }
  return false;
}

// One that computes and draws is in both tables.
static int copy_processes(const process_list_t *list,
                          berth_card_process_t *processes, int room) {
  int count = 0;
  for (unsigned i = 0; i < list->count; ++i) {
    if (is_repeated(list, i)) continue;
    if (count < room) {
      processes[count] = (berth_card_process_t){list->items[i].pid,
                                                list->items[i].usedGpuMemory};
    }
    ++count;
  }
  return count;
}

berth_code_t berth_nvml_processes(const char *uuid,
                                  berth_card_process_t *processes, int room,
                                  int *out_count, berth_error_t *err) {
  const berth_nvml_api_t *api = &berth_nvml_api;
  nvmlDevice_t card = NULL;
  process_list_t list = {0};
  BERTH_TRY(berth_nvml_open(err));
  NVML_TRY(err, nvmlDeviceGetHandleByUUID, uuid, &card);
  processes_fn compute = api->nvmlDeviceGetComputeRunningProcesses_v3 != NULL
                             ? api->nvmlDeviceGetComputeRunningProcesses_v3
                             : api->nvmlDeviceGetComputeRunningProcesses_v2;
  processes_fn graphics = api->nvmlDeviceGetGraphicsRunningProcesses_v3 != NULL
                              ? api->nvmlDeviceGetGraphicsRunningProcesses_v3
                              : api->nvmlDeviceGetGraphicsRunningProcesses_v2;
  berth_code_t code = ask_processes(compute, card, &list, err);
  if (code == BERTH_OK) code = ask_processes(graphics, card, &list, err);
  if (code == BERTH_OK) *out_count = copy_processes(&list, processes, room);
  berth_free(list.items);
  return code;
}
