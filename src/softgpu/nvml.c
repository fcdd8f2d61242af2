// nvml.c - NVML: the machine's cards and who is on them.
//
// Sees every card, in the order of their PCI ids, whatever the driver shows,
// and takes nothing on any of them.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "softgpu/exports.h"
#include "softgpu/machine.h"

enum { MAX_PROCESSES = 256, NO_SLICE = -1 };

// A handle is a place in an array; nothing else of it matters.
struct nvmlDevice_st {
  char unused;
};

static atomic_int starts = 0;  // Without a shutdown yet.
static struct nvmlDevice_st devices[BERTH_SOFT_MAX_CARDS];

static int index_of(nvmlDevice_t device) { return (int)(device - devices); }

#define NVML_TRY(expr)                                     \
  do {                                                     \
    nvmlReturn_t nvml_result_ = (expr);                    \
    if (nvml_result_ != NVML_SUCCESS) return nvml_result_; \
  } while (0)

static nvmlReturn_t enter(void) {
  return atomic_load(&starts) > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

// Finds the card of |device|; |is_given| is whether there is room for answers.
static nvmlReturn_t find(nvmlDevice_t device, bool is_given,
                         const berth_soft_card_t **out_card) {
  NVML_TRY(enter());
  if (device == NULL || !is_given) return NVML_ERROR_INVALID_ARGUMENT;
  *out_card = &berth_soft_machine_get()->cards.items[index_of(device)];
  return NVML_SUCCESS;
}

static nvmlReturn_t put_text(char *to, unsigned size, const char *text) {
  if (size <= strlen(text)) return NVML_ERROR_INSUFFICIENT_SIZE;
  snprintf(to, size, "%s", text);
  return NVML_SUCCESS;
}

// ---- Starting, words ----

const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
#define X(name, number, text) \
  case name:                  \
    return text;
    BERTH_NVML_RESULTS(X)
#undef X
  }
  return "Unknown Error";
}

nvmlReturn_t nvmlInit_v2(void) {
  const berth_soft_machine_t *machine = NULL;
  berth_code_t code = berth_soft_machine_open(&machine);
  if (code == BERTH_NOT_FOUND) return NVML_ERROR_DRIVER_NOT_LOADED;
  if (code == BERTH_INVALID_ARGUMENT) return NVML_ERROR_INVALID_ARGUMENT;
  if (code != BERTH_OK) return NVML_ERROR_MEMORY;
  atomic_fetch_add(&starts, 1);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void) {
  NVML_TRY(enter());
  atomic_fetch_sub(&starts, 1);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned size) {
  NVML_TRY(enter());
  if (version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  return put_text(version, size, "580.0-simulated");
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
  if (version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  return cuDriverGetVersion(version) == CUDA_SUCCESS ? NVML_SUCCESS
                                                     : NVML_ERROR_UNKNOWN;
}

// ---- Finding cards ----

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
  NVML_TRY(enter());
  if (count == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  *count = (unsigned)berth_soft_machine_get()->cards.count;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index,
                                           nvmlDevice_t *device) {
  NVML_TRY(enter());
  if (device == NULL ||
      index >= (unsigned)berth_soft_machine_get()->cards.count) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *device = &devices[index];
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  NVML_TRY(enter());
  if (uuid == NULL || device == NULL) return NVML_ERROR_INVALID_ARGUMENT;
  const berth_soft_cards_t *cards = &berth_soft_machine_get()->cards;
  for (int i = 0; i < cards->count; ++i) {
    char text[41];
    berth_soft_card_uuid_text(&cards->items[i], text);
    if (strcmp(text, uuid) != 0) continue;
    *device = &devices[i];
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id,
                                              nvmlDevice_t *device) {
  NVML_TRY(enter());
  berth_soft_pci_t pci = {0};
  if (id == NULL || device == NULL ||
      sscanf(id, "%x:%x:%x", &pci.domain, &pci.bus, &pci.device) != 3) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const berth_soft_cards_t *cards = &berth_soft_machine_get()->cards;
  for (int i = 0; i < cards->count; ++i) {
    const berth_soft_pci_t *other = &cards->items[i].pci;
    if (other->domain != pci.domain || other->bus != pci.bus ||
        other->device != pci.device) {
      continue;
    }
    *device = &devices[i];
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

// ---- What they are ----

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, index != NULL, &card));
  *index = (unsigned)index_of(device);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned size) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, name != NULL, &card));
  return put_text(name, size, card->name);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned size) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, uuid != NULL, &card));
  char text[41];
  berth_soft_card_uuid_text(card, text);
  return put_text(uuid, size, text);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *info) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, info != NULL, &card));
  *info = (nvmlPciInfo_t){.domain = card->pci.domain,
                          .bus = card->pci.bus,
                          .device = card->pci.device};
  snprintf(info->busId, sizeof(info->busId), "0000%s", card->pci_text);
  memcpy(info->busIdLegacy, card->pci_text, sizeof(info->busIdLegacy));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device,
                                     nvmlMemory_t *memory) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, memory != NULL, &card));
  uint64_t used = berth_soft_ledger_used(berth_soft_machine_get()->ledger,
                                         index_of(device));
  *memory = (nvmlMemory_t){card->memory_bytes, card->memory_bytes - used, used};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device,
                                        nvmlMemory_v2_t *memory) {
  nvmlMemory_t plain = {0};
  if (memory == NULL || memory->version != NVML_MEMORY_V2) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  NVML_TRY(nvmlDeviceGetMemoryInfo(device, &plain));
  *memory = (nvmlMemory_v2_t){.version = NVML_MEMORY_V2,
                              .total = plain.total,
                              .free = plain.free,
                              .used = plain.used};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major,
                                                int *minor) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, major != NULL && minor != NULL, &card));
  *major = card->major;
  *minor = card->minor;
  return NVML_SUCCESS;
}

// ---- Who is on them ----

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device,
                                                     unsigned *count,
                                                     nvmlProcessInfo_t *infos) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, count != NULL, &card));
  berth_soft_holder_t holders[MAX_PROCESSES];
  unsigned room = infos != NULL ? *count : 0;
  unsigned found = (unsigned)berth_soft_ledger_holders(
      berth_soft_machine_get()->ledger, index_of(device), holders,
      MAX_PROCESSES);
  *count = found;
  if (found > room) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < found; ++i) {
    infos[i] = (nvmlProcessInfo_t){(unsigned)holders[i].pid, holders[i].bytes,
                                   (unsigned)NO_SLICE, (unsigned)NO_SLICE};
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device,
                                                     unsigned *count,
                                                     nvmlProcessInfo_t *infos) {
  return nvmlDeviceGetComputeRunningProcesses_v3(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos) {
  const berth_soft_card_t *card = NULL;
  (void)infos;
  NVML_TRY(find(device, count != NULL, &card));
  *count = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos) {
  return nvmlDeviceGetGraphicsRunningProcesses_v3(device, count, infos);
}

// ---- Slices, of which simulated cards have none ----

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current,
                                  unsigned *pending) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, current != NULL && pending != NULL, &card));
  if (card->major < 8) return NVML_ERROR_NOT_SUPPORTED;
  *current = *pending = NVML_DEVICE_MIG_DISABLE;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device,
                                            unsigned *count) {
  const berth_soft_card_t *card = NULL;
  NVML_TRY(find(device, count != NULL, &card));
  *count = 0;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device,
                                                 unsigned index,
                                                 nvmlDevice_t *slice) {
  const berth_soft_card_t *card = NULL;
  (void)index;
  NVML_TRY(find(device, slice != NULL, &card));
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(
    nvmlDevice_t slice, nvmlDevice_t *device) {
  (void)slice, (void)device;
  NVML_TRY(enter());
  return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t slice, unsigned *id) {
  (void)slice, (void)id;
  NVML_TRY(enter());
  return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t slice, unsigned *id) {
  return nvmlDeviceGetGpuInstanceId(slice, id);
}
